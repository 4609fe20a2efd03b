//! State under TTL over time: live, stored, and stored without a clean-up.

use super::lines::{Mark, Plot, Series, Stroke};
use super::scale::{Quantity, time_in_words};
use super::theme::Tone;
use crate::state::{TtlPoint, TtlReport};
use crate::units::grouped;

/// What is drawn of a report.
pub(super) fn plot(report: &TtlReport) -> Plot {
    let series = &report.series;
    let line = |name: &str, tone, stroke, value: fn(&TtlPoint) -> u64| Series {
        name: name.to_owned(),
        tone,
        stroke,
        values: series.iter().map(|point| Some(value(point))).collect(),
    };
    let last = series.last();
    let marks = last.filter(|last| report.steady_from_seconds < last.seconds).map(|_| Mark {
        x: report.steady_from_seconds,
        text: format!("TTL {}", time_in_words(report.steady_from_seconds)),
        is_danger: false,
    });
    let end = last.map_or_else(String::new, values);
    Plot {
        x_title: "Time",
        x_quantity: Quantity::Time,
        y_title: "Entries",
        y_quantity: Quantity::Count,
        xs: series.iter().map(|point| point.seconds).collect(),
        series: vec![
            line("live", Tone::Good, Stroke::Solid, |point| point.live),
            line("stored", Tone::Accent, Stroke::Dashed, |point| point.stored),
            line("without clean-up", Tone::Muted, Stroke::Dotted, |point| point.without_clean_up),
        ],
        marks: marks.into_iter().collect(),
        readouts: series
            .iter()
            .map(|point| format!("After {}: {}", time_in_words(point.seconds), values(point)))
            .collect(),
        description: format!("Entries over time; at the end {end}."),
    }
}

fn values(point: &TtlPoint) -> String {
    let count = |number: u64| grouped(i64::try_from(number).unwrap_or(i64::MAX));
    format!(
        "{} live, {} stored, {} without clean-up",
        count(point.live),
        count(point.stored),
        count(point.without_clean_up)
    )
}
