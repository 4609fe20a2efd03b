//! The open state of a run: entries of window state, by the records processed or step by step.

use super::lines::{Plot, Series, Stroke, draw as draw_lines};
use super::scale::Quantity;
use super::theme::{Theme, Tone};
use super::{Chart, ChartError};
use crate::event_time::kept::KeptBytes;
use crate::event_time::run::Sample;
use crate::units::{Bytes, grouped};

/// What the samples were taken after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// So many records of a stream.
    Records,
    /// A step of a small job: an item of its input, or a call of the clock.
    Steps,
}

impl Over {
    const fn title(self) -> &'static str {
        match self {
            Self::Records => "Records",
            Self::Steps => "Step",
        }
    }

    fn after(self, sample: &Sample) -> String {
        let number = grouped(sample.records.into());
        match self {
            Self::Records => format!("After {number} records"),
            Self::Steps => format!("After step {number}"),
        }
    }
}

/// Draws the open state over time, `width` px wide; `most` are the entries that the rules allow.
///
/// # Errors
/// No sample, or a width that no layout is made for.
pub fn draw(
    samples: &[Sample],
    most: Option<u64>,
    over: Over,
    theme: Theme,
    width: u32,
) -> Result<Chart, ChartError> {
    draw_lines(&plot(samples, most, over), theme, width)
}

/// Draws the bytes that the operator keeps over time, and the most that are predicted.
///
/// # Errors
/// As [`draw`].
pub fn draw_kept(
    samples: &[Sample],
    kept: &[KeptBytes],
    predicted: Option<KeptBytes>,
    over: Over,
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
        samples.iter().zip(kept).map(|(sample, kept)| kept_in_words(over, sample, kept)).collect();
    let end = readouts.last().cloned().unwrap_or_default();
    let mut lines = vec![
        series("heap, HashMap backend", Tone::Heap, Stroke::Solid, bytes(|it| it.heap)),
        series("keys and values, RocksDB", Tone::Managed, Stroke::Dashed, bytes(|it| it.rocksdb)),
    ];
    if let Some(most) = predicted {
        let flat = |bytes: Bytes| vec![Some(bytes.get().unsigned_abs()); samples.len()];
        lines.push(series("heap, predicted", Tone::Heap, Stroke::Sparse, flat(most.heap)));
        let rocksdb = flat(most.rocksdb);
        lines.push(series("RocksDB, predicted", Tone::Managed, Stroke::Dotted, rocksdb));
    }
    let told = predicted.map_or_else(String::new, |it| {
        format!(" Predicted are at most {} of heap and {} in RocksDB.", it.heap, it.rocksdb)
    });
    let plot = Plot {
        x_title: over.title(),
        x_quantity: Quantity::Count,
        y_title: "Bytes",
        y_quantity: Quantity::Size,
        xs: samples.iter().map(|sample| sample.records.into()).collect(),
        series: lines,
        marks: Vec::new(),
        readouts,
        description: format!("Bytes that the window operator keeps. {end}.{told}"),
    };
    draw_lines(&plot, theme, width)
}

fn kept_in_words(over: Over, sample: &Sample, kept: &KeptBytes) -> String {
    format!("{}: {} of heap, {} in RocksDB", over.after(sample), kept.heap, kept.rocksdb)
}

fn plot(samples: &[Sample], most: Option<u64>, over: Over) -> Plot {
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
    let mut told = String::new();
    if let Some(most) = most {
        series.push(Series {
            name: "most by the rules".to_owned(),
            tone: Tone::Muted,
            stroke: Stroke::Dotted,
            values: vec![Some(most); samples.len()],
        });
        told = format!(
            " The rules allow at most {}.",
            grouped(i64::try_from(most).unwrap_or(i64::MAX))
        );
    }
    let end = samples.last().map_or_else(String::new, |it| in_words(over, it));
    Plot {
        x_title: over.title(),
        x_quantity: Quantity::Count,
        y_title: "Entries",
        y_quantity: Quantity::Count,
        xs: samples.iter().map(|sample| sample.records.into()).collect(),
        series,
        marks: Vec::new(),
        readouts: samples.iter().map(|it| in_words(over, it)).collect(),
        description: format!("Entries of window state, one for each key and window. {end}.{told}"),
    }
}

fn in_words(over: Over, sample: &Sample) -> String {
    let count = |number: u64| grouped(i64::try_from(number).unwrap_or(i64::MAX));
    let (waiting, held) = (count(sample.open.waiting), count(sample.open.held));
    let windows = match over {
        Over::Records => format!(", {} windows", count(sample.open.windows)),
        Over::Steps => String::new(),
    };
    format!("{}: {waiting} open, {held} kept for lateness{windows}", over.after(sample))
}
