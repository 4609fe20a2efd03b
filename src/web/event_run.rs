//! The event-time module: long runs, whose state lives between calls.
//!
//! Columns cross as typed arrays. Times are milliseconds in doubles, exact up to 2^53; the end of
//! the input is `Infinity`, and no watermark yet `-Infinity`.

use js_sys::{Array, Float64Array, Int32Array, Object, Reflect, Uint8Array, Uint32Array};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use super::wire::{self, plain};
use crate::event_time::run::{Results, Row, Run, RunError, RunParams, Sample};
use crate::finding::Problem;

/// Records that are read from typed arrays at once, so few that they stay in the processor's cache.
const PART: usize = 1 << 13;

/// A long run: push columns, advance in slices, take results.
#[wasm_bindgen]
pub struct EventTimeRun {
    run: Run,
}

#[wasm_bindgen]
impl EventTimeRun {
    /// A run that waits for records; free it when it is no longer needed.
    #[wasm_bindgen(unchecked_return_type = "Answer<EventTimeRun>")]
    pub fn create(#[wasm_bindgen(unchecked_param_type = "RunParams")] params: JsValue) -> JsValue {
        let run = wire::parse(&params).and_then(|params: RunParams| Ok(Run::new(&params)?));
        wire::object(run.map(|run| Self { run }))
    }

    /// Appends records in order of arrival: event time in ms, key, value.
    #[wasm_bindgen(unchecked_return_type = "Answer<RunProgress>")]
    pub fn push(&mut self, time: &Float64Array, key: &Uint32Array, value: &Int32Array) -> JsValue {
        wire::tell(self.append(time, key, value).map(|()| plain(self.run.progress())))
    }

    /// Says that no more records will come.
    pub fn end(&mut self) {
        self.run.end_input();
    }

    /// Processes at most so many records.
    #[wasm_bindgen(unchecked_return_type = "RunProgress")]
    pub fn advance(&mut self, records: u32) -> JsValue {
        wire::value(&self.run.advance(records as usize))
    }

    /// The firings since the last call, one typed array a column.
    #[wasm_bindgen(unchecked_return_type = "RunResults")]
    pub fn results(&mut self) -> JsValue {
        columns_of(&self.run.take_results())
    }

    /// What became of the processed records from `from` to before `to`, a byte each.
    pub fn outcomes(&self, from: u32, to: u32) -> Uint8Array {
        Uint8Array::from(&self.run.outcomes(from as usize, to as usize)[..])
    }

    /// The open state over time, one typed array a column.
    #[wasm_bindgen(unchecked_return_type = "RunSamples")]
    pub fn samples(&self) -> JsValue {
        samples_of(self.run.samples())
    }

    /// Rows of the log, computed again.
    #[wasm_bindgen(unchecked_return_type = "RunRow[]")]
    pub fn rows(&self, from: u32, count: u32) -> JsValue {
        let rows = self.run.rows(from as usize, count as usize);
        rows.iter().map(row_of).collect::<Array>().into()
    }

    /// Bytes held: for the open state, and for the records with their outcomes and snapshots.
    #[wasm_bindgen(unchecked_return_type = "{ state: number, records: number }")]
    pub fn bytes(&self) -> JsValue {
        record(&[
            ("state", (self.run.state_bytes() as f64).into()),
            ("records", (self.run.record_bytes() as f64).into()),
        ])
    }
}

impl EventTimeRun {
    fn append(
        &mut self,
        time: &Float64Array,
        key: &Uint32Array,
        value: &Int32Array,
    ) -> Result<(), Problem> {
        let lengths = [time.length(), key.length(), value.length()];
        if lengths.iter().any(|length| *length != lengths[0]) {
            let [times, keys, values] = lengths.map(|length| length as usize);
            return Err(RunError::Columns { times, keys, values }.into());
        }
        let mut part = Part::default();
        for from in (0..lengths[0]).step_by(PART) {
            let to = lengths[0].min(from + PART as u32);
            let first = self.run.progress().pushed;
            part.read(&time.subarray(from, to), &key.subarray(from, to), &value.subarray(from, to));
            if let Some(at) = part.times_as_integers() {
                return Err(not_whole(first + at));
            }
            self.run.push(&part.times, &part.keys, &part.values)?;
        }
        Ok(())
    }
}

/// Columns of a part of a push, in room that each part uses again.
#[derive(Default)]
struct Part {
    doubles: Vec<f64>,
    times: Vec<i64>,
    keys: Vec<u32>,
    values: Vec<i32>,
}

impl Part {
    fn read(&mut self, time: &Float64Array, key: &Uint32Array, value: &Int32Array) {
        let records = time.length() as usize;
        self.doubles.resize(records, 0.0);
        self.keys.resize(records, 0);
        self.values.resize(records, 0);
        time.copy_to(&mut self.doubles);
        key.copy_to(&mut self.keys);
        value.copy_to(&mut self.values);
    }

    /// Turns the doubles into whole milliseconds, and gives the place of the first that is none.
    #[expect(clippy::float_cmp, reason = "a double that is a whole number is exactly that number")]
    fn times_as_integers(&mut self) -> Option<usize> {
        let is_whole = |time: &f64| *time == (*time as i64) as f64;
        let mut are_whole = true;
        self.times.clear();
        self.times.extend(self.doubles.iter().map(|time| {
            are_whole &= is_whole(time);
            *time as i64
        }));
        if are_whole { None } else { self.doubles.iter().position(|time| !is_whole(time)) }
    }
}

fn not_whole(record: usize) -> Problem {
    Problem {
        code: "record".to_owned(),
        message: format!("Record {record} has no time that is a whole number of milliseconds."),
        field: Some("columns.time".to_owned()),
        option: None,
    }
}

/// A time for JavaScript.
fn time_of(ms: i64) -> f64 {
    match ms {
        i64::MIN => f64::NEG_INFINITY,
        i64::MAX => f64::INFINITY,
        ms => ms as f64,
    }
}

/// A row of the log.
pub(super) fn row_of(row: &Row) -> JsValue {
    let object = wire::value(row);
    for (name, value) in [
        ("watermarkBefore", time_of(row.watermark_before).into()),
        ("watermarkAfter", time_of(row.watermark_after).into()),
        ("results", columns_of(&row.results)),
    ] {
        set(&object, name, &value);
    }
    object
}

/// The open state over time, one typed array a column.
pub(super) fn samples_of(samples: &[Sample]) -> JsValue {
    let column = |of: fn(&Sample) -> f64| -> JsValue {
        Float64Array::from(&samples.iter().map(of).collect::<Vec<_>>()[..]).into()
    };
    record(&[
        ("records", column(|it| f64::from(it.records))),
        ("watermark", column(|it| time_of(it.watermark))),
        ("waiting", column(|it| it.open.waiting as f64)),
        ("held", column(|it| it.open.held as f64)),
        ("windows", column(|it| it.open.windows as f64)),
    ])
}

/// Firings, one typed array a column.
pub(super) fn columns_of(results: &Results) -> JsValue {
    let times = |column: &[i64]| -> JsValue {
        Float64Array::from(&column.iter().map(|ms| time_of(*ms)).collect::<Vec<_>>()[..]).into()
    };
    let counts = |column: &[u32]| -> JsValue { Uint32Array::from(column).into() };
    record(&[
        ("key", counts(&results.key)),
        ("start", times(&results.start)),
        ("end", times(&results.end)),
        ("count", counts(&results.count)),
        ("sum", times(&results.sum)),
        ("nth", counts(&results.nth)),
        ("watermark", times(&results.watermark)),
        ("record", counts(&results.record)),
    ])
}

fn record(fields: &[(&str, JsValue)]) -> JsValue {
    let object: JsValue = Object::new().into();
    for (name, value) in fields {
        set(&object, name, value);
    }
    object
}

pub(super) fn set(object: &JsValue, name: &str, value: &JsValue) {
    Reflect::set(object, &name.into(), value).expect("a plain object takes any field");
}
