//! The open state of a run: entries of window state, by the records processed.

use super::lines::{Plot, Series, Stroke, draw as draw_lines};
use super::scale::Quantity;
use super::theme::{Theme, Tone};
use super::{Chart, ChartError};
use crate::event_time::kept::KeptBytes;
use crate::event_time::run::Sample;
use crate::units::{Bytes, grouped};

/// Draws the open state over time, `width` px wide.
///
/// # Errors
/// No sample, or a width that no layout is made for.
pub fn draw(samples: &[Sample], theme: Theme, width: u32) -> Result<Chart, ChartError> {
    draw_lines(&plot(samples), theme, width)
}

/// Draws the bytes that the operator keeps over time.
///
/// # Errors
/// As [`draw`].
pub fn draw_kept(
    samples: &[Sample],
    kept: &[KeptBytes],
    theme: Theme,
    width: u32,
) -> Result<Chart, ChartError> {
    let bytes = |of: fn(&KeptBytes) -> Bytes| -> Vec<Option<u64>> {
        kept.iter().map(|it| Some(of(it).get().unsigned_abs())).collect()
    };
    let series = |name: &str, tone, stroke, values| {
        let name = name.to_owned();
        Series { name, tone, stroke, values }
    };
    let readouts: Vec<String> =
        samples.iter().zip(kept).map(|(sample, kept)| kept_in_words(sample, kept)).collect();
    let end = readouts.last().cloned().unwrap_or_default();
    let plot = Plot {
        x_title: "Records",
        x_quantity: Quantity::Count,
        y_title: "Bytes",
        y_quantity: Quantity::Size,
        xs: samples.iter().map(|sample| sample.records.into()).collect(),
        series: vec![
            series("heap, HashMap backend", Tone::Heap, Stroke::Solid, bytes(|it| it.heap)),
            series(
                "keys and values, RocksDB",
                Tone::Managed,
                Stroke::Dashed,
                bytes(|it| it.rocksdb),
            ),
        ],
        marks: Vec::new(),
        readouts,
        description: format!("Bytes that the window operator keeps. {end}."),
    };
    draw_lines(&plot, theme, width)
}

fn kept_in_words(sample: &Sample, kept: &KeptBytes) -> String {
    let records = grouped(sample.records.into());
    format!("After {records} records: {} of heap, {} in RocksDB", kept.heap, kept.rocksdb)
}

fn plot(samples: &[Sample]) -> Plot {
    let line = |name: &str, tone, stroke, value: fn(&Sample) -> u64| Series {
        name: name.to_owned(),
        tone,
        stroke,
        values: samples.iter().map(|sample| Some(value(sample))).collect(),
    };
    let mut series = vec![line("open", Tone::Open, Stroke::Solid, |it| it.open.waiting)];
    if samples.iter().any(|it| it.open.held > 0) {
        series.push(line("kept for lateness", Tone::Late, Stroke::Dashed, |it| it.open.held));
    }
    let end = samples.last().map_or_else(String::new, in_words);
    Plot {
        x_title: "Records",
        x_quantity: Quantity::Count,
        y_title: "Entries",
        y_quantity: Quantity::Count,
        xs: samples.iter().map(|sample| sample.records.into()).collect(),
        series,
        marks: Vec::new(),
        readouts: samples.iter().map(in_words).collect(),
        description: format!("Entries of window state, one for each key and window. {end}."),
    }
}

fn in_words(sample: &Sample) -> String {
    let count = |number: u64| grouped(i64::try_from(number).unwrap_or(i64::MAX));
    format!(
        "After {} records: {} open, {} kept for lateness, {} windows",
        count(sample.records.into()),
        count(sample.open.waiting),
        count(sample.open.held),
        count(sample.open.windows)
    )
}
