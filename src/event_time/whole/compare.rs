//! What differs between two whole streams: totals, shares, results, state.
//!
//! Two streams of millions of records are not held at once: of the pinned one its [`Figures`] are.
//!
//! Source: none of Flink's; both sides are reports of [`super::Whole`].

use serde::{Deserialize, Serialize};

use super::Whole;
use crate::finding::Derivation;

/// What a number counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Unit {
    /// Things.
    Count,
    /// Bytes.
    Bytes,
    /// A part of all records, 0 to 1.
    Share,
    /// Milliseconds.
    Ms,
}

/// One number of a stream.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Figure {
    /// What it is.
    pub name: String,
    /// How much.
    pub value: f64,
    /// Of what.
    pub unit: Unit,
}

/// What is kept of a stream to compare others with it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Figures {
    /// Its sentence.
    pub verdict: String,
    /// Its numbers, in order.
    pub figures: Vec<Figure>,
}

/// A number of both.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StreamDifference {
    /// What it is.
    pub name: String,
    /// Of A.
    pub a: f64,
    /// Of B.
    pub b: f64,
    /// B less A.
    pub difference: f64,
    /// Of what.
    pub unit: Unit,
}

/// A beside B.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StreamComparison {
    /// The sentence of A.
    pub verdict_a: String,
    /// The sentence of B.
    pub verdict_b: String,
    /// Their numbers.
    pub figures: Vec<StreamDifference>,
}

impl Whole {
    /// What is kept of this stream to compare others with it.
    pub fn figures(&self) -> Figures {
        let report = self.report().value;
        let totals = report.totals;
        let count = |name: &str, value: u64| (name.to_owned(), value as f64, Unit::Count);
        let share = |name: &str, value: f64| (name.to_owned(), value, Unit::Share);
        let bytes = |name: &str, value: crate::units::Bytes| {
            (name.to_owned(), value.get() as f64, Unit::Bytes)
        };
        let peak = report.kept.peak;
        let all = [
            count("Records", totals.records.into()),
            count("On time", totals.on_time.into()),
            count("Late but counted", totals.late.into()),
            share("Late but counted, share", report.late_share),
            count("Dropped", totals.dropped.into()),
            share("Dropped, share", report.dropped_share),
            count("Taken by some windows only", totals.partly.into()),
            count("Behind the watermark", totals.behind.into()),
            count("Results", totals.results.into()),
            count("Of these again", totals.refired.into()),
            count("Most entries open", report.open_max),
            bytes("Most bytes of heap", peak.heap),
            bytes("Most bytes in RocksDB", peak.rocksdb),
            (
                "No record dropped from a bound of".to_owned(),
                report.no_drop_bound_ms as f64,
                Unit::Ms,
            ),
        ];
        let figure = |(name, value, unit)| Figure { name, value, unit };
        Figures { verdict: report.verdict, figures: all.into_iter().map(figure).collect() }
    }

    /// What differs between a pinned stream and this one?
    pub fn compare(&self, a: &Figures) -> Derivation<StreamComparison> {
        let b = self.figures();
        let of_a = |name: &str| a.figures.iter().find(|it| it.name == name);
        let both = |b: Figure| {
            let Figure { name, value, unit } = b;
            let a = of_a(&name)?.value;
            Some(StreamDifference { name, a, b: value, difference: value - a, unit })
        };
        let figures = b.figures.into_iter().filter_map(both).collect();
        let value =
            StreamComparison { verdict_a: a.verdict.clone(), verdict_b: b.verdict, figures };
        Derivation { value, findings: Vec::new() }
    }
}
