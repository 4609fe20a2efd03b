//! Ten million records through Flink's window operator: what becomes of each, what fires, what stays
//! open.
//!
//! A [`Run`] takes records in order of arrival and works through them in slices of any size; how
//! they are sliced changes nothing. It keeps a byte for each record and counts and sums for each
//! open window, and every so often a copy of its whole state, from which any row of the log is
//! computed again when it is looked at. All of that together, the open state aside, stays within 16
//! bytes a record.
//!
//! Source: Flink 1.18.1, 1.20.5 and 2.2.1, `WindowOperator`, `EventTimeTrigger`; see the files of
//! this folder for each part. `WindowOperator` with another trigger is `triggered.rs`.
//!
//! # Deviations
//! One window subtask: all have the same watermark, so what each of several does is what this one
//! does with its keys. Times, sizes, bounds and latenesses are at most 2^53 - 1 ms, keys are indices. The
//! general operator, with every trigger and assigner and without these limits, is slower; tests
//! compare the two.

mod clock;
mod conductor;
mod duplicates;
mod fixed;
mod listed;
mod operator;
mod origins;
pub mod outcome;
mod panes;
mod params;
mod report;
mod rows;
mod sessions;
mod standing;
mod store;
mod table;
mod timers;
mod triggered;
mod windows;

use serde::{Deserialize, Serialize};

pub use clock::Clock;
use conductor::Conductor;
pub use duplicates::Ids;
use operator::Block;
use origins::{OriginPart, Origins};
use params::Plan;
use store::{BLOCK, CHUNK, Store};
use windows::Windows;

pub use listed::{Listed, Which};
pub use origins::Origin;
pub use params::{KEYS_MAX, RECORDS_MAX, RunError, RunParams, RunSource, SUM_MAX, TIME_MAX};
use report::Firings;
pub use report::{Firing, OpenState, OpenWindow, RESULTS_MAX, Results, Sample, Takes, Totals};
pub use rows::{Row, RowWindow};
pub use standing::{Next, Standing};

/// What a record may cost beside the open state and its origin [bytes].
pub const BYTES_PER_RECORD: usize = 16;

/// Between two samples lies this part of the records before them, within limits.
const SAMPLES_APART: usize = 16;

/// Everything that the next record depends on.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct State {
    clock: Clock,
    windows: Windows,
    totals: Totals,
    /// Where the watermark is not that of one generator asked after every n-th record.
    conductor: Option<Box<Conductor>>,
}

/// A state of the past, to go on from.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Snapshot {
    state: State,
    next_sample: usize,
}

impl Snapshot {
    /// Records processed before it.
    pub fn record(&self) -> usize {
        self.state.totals.records as usize
    }
}

/// How far a run has come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Progress {
    /// Records processed.
    pub records: usize,
    /// Records pushed.
    pub pushed: usize,
    /// Whether the input has ended and everything is processed.
    pub is_done: bool,
    /// Counts so far.
    pub totals: Totals,
}

/// Records on their way through the operator.
#[derive(Debug, Clone)]
pub struct Run {
    plan: Plan,
    store: Store,
    origins: Origins,
    origin: OriginPart,
    state: State,
    firings: Firings,
    samples: Vec<Sample>,
    /// The next sample is taken here.
    next_sample: usize,
    snapshots: Vec<Snapshot>,
    snapshot_bytes: usize,
    /// Sum of the magnitudes of all values.
    magnitude: u64,
    has_ended: bool,
    is_done: bool,
    /// Whether any record was marked as a duplicate.
    is_marked: bool,
    /// Watermarks that records were judged by, where they are asked for.
    judged: Option<Vec<i64>>,
}

impl State {
    fn new(plan: &Plan) -> Self {
        let (clock, windows) = (Clock::new(plan.lag, plan.every), Windows::new(plan));
        let conductor = plan.sources.as_ref().map(|sources| Box::new(Conductor::new(sources)));
        Self { clock, windows, totals: Totals::default(), conductor }
    }

    /// `judged` hears the watermark that each record is judged by, where a conductor moves it.
    fn run(
        &mut self,
        block: &mut Block<'_>,
        origin: Origin<'_>,
        firings: &mut Firings,
        mut judged: Option<&mut Vec<i64>>,
        is_marked: bool,
    ) {
        let drive = if is_marked { duplicates::drive } else { Windows::drive };
        let Self { clock, windows, totals, conductor } = self;
        let Some(conductor) = conductor else {
            return drive(windows, block, clock, firings, totals);
        };
        let mut at = 0;
        while at < block.times.len() {
            let here = origin.part(at, block.times.len());
            let before = (block.first + at as u32).saturating_sub(1);
            if let Some(arrival) = here.arrivals.first() {
                let hear = |now, mark| windows.hear((now, mark), clock, firings, totals, before);
                conductor.clock_up_to(*arrival, hear);
            }
            let to = at + conductor.take(&block.times[at..], here);
            let arrivals = if conductor.has_clock() { &here.arrivals[..to - at] } else { &[] };
            let mut part = Block {
                first: block.first + at as u32,
                times: &block.times[at..to],
                keys: &block.keys[at..to],
                values: &block.values[at..to],
                outcomes: &mut block.outcomes[at..to],
                arrivals,
            };
            if let Some(judged) = &mut judged {
                judged.resize(judged.len() + part.times.len(), clock.watermark);
            }
            // The conductor moves the watermark, not the clock.
            clock.since = 0;
            drive(windows, &mut part, clock, firings, totals);
            let last = block.first + to as u32 - 1;
            conductor.after(|now, mark| windows.hear((now, mark), clock, firings, totals, last));
            at = to;
        }
    }

    /// The calls of the clock before a record that arrives then.
    fn let_clock_reach(&mut self, arrival: i64, firings: &mut Firings) {
        let Self { clock, windows, totals, conductor } = self;
        let record = totals.records.saturating_sub(1);
        if let Some(conductor) = conductor {
            let hear = |now, mark| windows.hear((now, mark), clock, firings, totals, record);
            conductor.clock_up_to(arrival, hear);
        }
    }

    /// What the clock still does after the last record of a source without end.
    fn run_out(&mut self, firings: &mut Firings) {
        let Self { clock, windows, totals, conductor } = self;
        let record = totals.records.saturating_sub(1);
        if let Some(conductor) = conductor {
            conductor
                .run_out(|now, mark| windows.hear((now, mark), clock, firings, totals, record));
            if let Some(tick) = conductor.last_tick() {
                windows.let_clock_reach(tick, clock, firings, totals, record);
            }
        }
    }

    /// The watermark `Long.MAX_VALUE` at the end of a bounded input.
    fn end(&mut self, firings: &mut Firings) {
        let Self { clock, windows, totals, conductor } = self;
        let record = totals.records;
        match conductor {
            Some(conductor) => {
                conductor.end(|now, mark| windows.hear((now, mark), clock, firings, totals, record))
            }
            None => windows.move_to(i64::MAX, clock, firings, totals, record),
        }
    }
}

impl Run {
    /// A run that waits for records.
    ///
    /// # Errors
    /// Params that Flink refuses, or that are beyond a limit of this engine.
    pub fn new(params: &RunParams) -> Result<Self, RunError> {
        let plan = params.plan()?;
        Ok(Self {
            state: State::new(&plan),
            plan,
            store: Store::default(),
            origins: Origins::default(),
            origin: OriginPart::default(),
            firings: Firings::default(),
            samples: Vec::new(),
            next_sample: BLOCK,
            snapshots: Vec::new(),
            snapshot_bytes: 0,
            magnitude: 0,
            has_ended: false,
            is_done: false,
            is_marked: false,
            judged: None,
        })
    }

    /// Appends records in order of arrival, one slice a column. A record that cannot be taken is
    /// named, and none of the push is taken then.
    ///
    /// # Errors
    /// Columns of different lengths, too many records, a time or key out of range, or sums that
    /// would not be exact.
    pub fn push(&mut self, times: &[i64], keys: &[u32], values: &[i32]) -> Result<(), RunError> {
        self.push_from(times, keys, values, Origin::default())
    }

    /// The same with the partition and the arrival of each record, as far as they are known.
    ///
    /// # Errors
    /// As [`Run::push`], an arrival that goes back, or an origin that these watermarks need.
    pub fn push_from(
        &mut self,
        times: &[i64],
        keys: &[u32],
        values: &[i32],
        origin: Origin<'_>,
    ) -> Result<(), RunError> {
        if self.has_ended {
            return Err(RunError::Ended);
        }
        self.check_origin(times.len(), origin)?;
        if times.len() != keys.len() || keys.len() != values.len() {
            let (times, keys, values) = (times.len(), keys.len(), values.len());
            return Err(RunError::Columns { times, keys, values });
        }
        if self.store.len() + times.len() > RECORDS_MAX {
            return Err(RunError::Records);
        }
        // One pass without a branch; only where it finds something is the record looked for.
        let (mut earliest, mut latest) = (i64::MAX, i64::MIN);
        let (mut highest, mut magnitude) = (0, self.magnitude);
        for ((time, key), value) in times.iter().zip(keys).zip(values) {
            earliest = earliest.min(*time);
            latest = latest.max(*time);
            highest = highest.max(*key);
            magnitude += u64::from(value.unsigned_abs());
        }
        let is_time = earliest >= -TIME_MAX && latest <= TIME_MAX;
        if !is_time || highest >= self.plan.keys || magnitude > SUM_MAX {
            return Err(self.first_bad(times, keys, values));
        }
        self.magnitude = magnitude;
        self.store.extend(times, keys, values, (earliest, latest));
        self.origins.extend(origin);
        Ok(())
    }

    /// Says which of the records that were pushed last are left out by their id, [`outcome::DUPLICATE`]
    /// for each of those and 0 for the others; before they are run.
    pub fn mark_duplicates(&mut self, marks: &[u8]) {
        self.is_marked = true;
        self.store.mark_last(marks);
    }

    fn check_origin(&self, records: usize, origin: Origin<'_>) -> Result<(), RunError> {
        let needs = self.plan.sources.as_ref().map(|it| (it.needs_partition(), it.needs_arrival()));
        let (needs_partition, needs_arrival) = needs.unwrap_or((false, false));
        let lacks =
            |column: usize, is_needed: bool| column != records && (is_needed || column != 0);
        if lacks(origin.partitions.len(), needs_partition) {
            return Err(RunError::Origin { what: "The partition" });
        }
        if lacks(origin.arrivals.len(), needs_arrival) {
            return Err(RunError::Origin { what: "The arrival" });
        }
        let partitions = self.plan.sources.as_ref().map_or(256, |it| it.source.partitions);
        if let Some(at) = origin.partitions.iter().position(|it| u32::from(*it) >= partitions) {
            let (column, value) = ("partition", i64::from(origin.partitions[at]));
            let (record, high) = (self.store.len() + at, i64::from(partitions) - 1);
            return Err(RunError::Record { record, column, value, low: 0, high });
        }
        let mut last = self.origins.last_arrival().unwrap_or(i64::MIN);
        for (at, arrival) in origin.arrivals.iter().enumerate() {
            let record = self.store.len() + at;
            if arrival.unsigned_abs() > TIME_MAX as u64 {
                let (column, value, low, high) = ("arrival", *arrival, -TIME_MAX, TIME_MAX);
                return Err(RunError::Record { record, column, value, low, high });
            }
            if *arrival < last {
                return Err(RunError::Arrival { record });
            }
            last = *arrival;
        }
        Ok(())
    }

    /// A source without end has nothing more to read now: the clock goes on until it is idle.
    pub fn let_clock_run(&mut self) {
        self.sample();
        self.state.run_out(&mut self.firings);
    }

    /// The first record of a push that cannot be taken.
    fn first_bad(&self, times: &[i64], keys: &[u32], values: &[i32]) -> RunError {
        let mut magnitude = self.magnitude;
        for (at, ((time, key), value)) in times.iter().zip(keys).zip(values).enumerate() {
            let record = self.store.len() + at;
            if time.unsigned_abs() > TIME_MAX as u64 {
                let (column, value, low, high) = ("time", *time, -TIME_MAX, TIME_MAX);
                return RunError::Record { record, column, value, low, high };
            }
            if *key >= self.plan.keys {
                let (column, value) = ("key", i64::from(*key));
                let high = i64::from(self.plan.keys) - 1;
                return RunError::Record { record, column, value, low: 0, high };
            }
            magnitude += u64::from(value.unsigned_abs());
            if magnitude > SUM_MAX {
                return RunError::Sum { record };
            }
        }
        // One of the columns was at fault, so this is not reached.
        RunError::Sum { record: self.store.len() }
    }

    /// No more records will come. A bounded source ends with the watermark `Long.MAX_VALUE`.
    pub fn end_input(&mut self) {
        self.has_ended = true;
    }

    /// Processes at most `max_records` of those that were pushed.
    pub fn advance(&mut self, max_records: usize) -> Progress {
        let end = self.records().saturating_add(max_records).min(self.store.len());
        while self.records() < end && self.fault().is_none() {
            self.snapshot_if_due();
            let Some(mut block) = self.store.block(self.records(), end) else { break };
            let from = block.first as usize;
            if self.state.conductor.is_some() {
                self.origins.read(from, from + block.times.len(), &mut self.origin);
            }
            let judged = self.judged.as_mut();
            self.state.run(
                &mut block,
                self.origin.get(),
                &mut self.firings,
                judged,
                self.is_marked,
            );
            self.sample_if_due();
        }
        if self.has_ended && self.records() == self.store.len() && !self.is_done {
            self.sample();
            self.state.end(&mut self.firings);
            self.is_done = true;
        }
        self.progress()
    }

    /// Why it stopped before its end, if it did.
    pub fn fault(&self) -> Option<RunError> {
        self.state.windows.fault()
    }

    /// How far it has come.
    pub fn progress(&self) -> Progress {
        let totals = self.totals();
        let pushed = self.store.len();
        // One that has stopped does not go on either; [`Run::fault`] says why.
        let is_done = self.is_done || self.fault().is_some();
        Progress { records: self.records(), pushed, is_done, totals }
    }

    /// Counts so far.
    pub fn totals(&self) -> Totals {
        let totals = self.state.totals;
        let others = totals.late + totals.dropped + totals.ignored + totals.duplicates;
        Totals { on_time: totals.records - others, ..totals }
    }

    /// Sessions whose contents no session points at any more, as a merge of Flink leaves them.
    pub fn orphaned(&self) -> u64 {
        self.state.windows.orphaned()
    }

    /// The current watermark, `Long.MIN_VALUE` before the first [ms].
    pub fn watermark(&self) -> i64 {
        self.state.clock.watermark
    }

    /// When the last record arrived, where that is known [ms].
    pub fn last_arrival(&self) -> Option<i64> {
        self.origins.last_arrival()
    }

    /// Keeps at most so many firings from one call of [`Run::take_results`] to the next, and none
    /// beyond [`RESULTS_MAX`].
    pub fn keep_at_most(&mut self, results: usize) {
        self.firings.room = results.min(RESULTS_MAX);
    }

    /// The watermarks that the records since the last call were judged by, `Long.MIN_VALUE` for none
    /// yet; asked for once, they are kept from then on. `None` where they are those of one generator
    /// that is asked after every n-th record, which anyone can tell.
    pub fn take_judged(&mut self) -> Option<Vec<i64>> {
        self.plan.sources.as_ref()?;
        Some(self.judged.replace(Vec::new()).unwrap_or_default())
    }

    /// The firings since the last call. No more than [`RESULTS_MAX`] are kept from one call to the
    /// next; `totals().results` counts them all.
    pub fn take_results(&mut self) -> Results {
        std::mem::take(&mut self.firings.results)
    }

    /// What became of the processed records from `from` to before `to`, see [`outcome`].
    pub fn outcomes(&self, from: usize, to: usize) -> Vec<u8> {
        self.store.outcomes(from, to.min(self.records()))
    }

    /// The open state over time: after the first 1,024 records and then after every 16th part of those
    /// before, at most after 65,536, less often where more than that is open; and before the end of
    /// the input.
    pub fn samples(&self) -> &[Sample] {
        &self.samples
    }

    /// All that is open now, in order of key and start.
    pub fn open_windows(&self) -> Vec<OpenWindow> {
        self.state.windows.open_windows(self.watermark())
    }

    /// Bytes held for the open state now.
    pub fn state_bytes(&self) -> usize {
        self.state.windows.bytes()
    }

    /// Bytes held for the records, what became of them, and the snapshots.
    pub fn record_bytes(&self) -> usize {
        self.store.bytes() + self.origins.bytes() + self.snapshot_bytes
    }

    /// A copy of the state, to go on from.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot { state: self.state.clone(), next_sample: self.next_sample }
    }

    /// Goes back to a snapshot of a run of the same params and records. Results that were not taken
    /// are dropped.
    pub fn restore(&mut self, snapshot: Snapshot) {
        self.state = snapshot.state;
        self.firings.results = Results::default();
        self.is_done = false;
        let records = self.records();
        self.samples.retain(|sample| (sample.records as usize) <= records);
        self.next_sample = snapshot.next_sample;
        self.snapshots.retain(|snapshot| snapshot.record() <= records);
        self.snapshot_bytes = self.snapshots.iter().map(|it| it.state.windows.bytes()).sum();
    }

    fn records(&self) -> usize {
        self.state.totals.records as usize
    }

    /// Keeps a copy of the state at every chunk where that stays within the bytes of the records.
    fn snapshot_if_due(&mut self) {
        let records = self.records();
        let is_known = self.snapshots.last().is_some_and(|it| it.record() >= records);
        if !records.is_multiple_of(CHUNK) || records == 0 || is_known {
            return;
        }
        let bytes = self.state.windows.bytes();
        let room = self.store.len() * BYTES_PER_RECORD + self.origins.bytes();
        if self.record_bytes() + bytes <= room {
            self.snapshots.push(self.snapshot());
            self.snapshot_bytes += bytes;
        }
    }

    fn sample_if_due(&mut self) {
        if self.records() >= self.next_sample {
            self.sample();
        }
    }

    fn sample(&mut self) {
        let (records, watermark) = (self.state.totals.records, self.state.clock.watermark);
        if self.samples.last().is_none_or(|last| last.records < records) {
            self.samples.push(Sample {
                records,
                watermark,
                open: self.state.windows.open_state(watermark),
            });
        }
        // Counting takes as long as there is state, so it is not done for fewer records than that.
        let entries = self.state.windows.bytes() / size_of::<table::Cell>();
        let apart = (records as usize / SAMPLES_APART).clamp(BLOCK, CHUNK).max(entries);
        self.next_sample = (records as usize + apart).next_multiple_of(BLOCK);
    }
}
