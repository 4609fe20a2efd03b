//! The choice of a bound: what is behind the watermark and what is dropped, by the bound.
//!
//! Both axes go by the logarithm: the tail that decides is a few records in a million. A bound is
//! chosen by hand from [`Stop`]s, round numbers with their places, so that who drags one computes
//! nothing.

use serde::Serialize;

use super::lines::{Mark, Plot, Series, Stroke, draw_on_axis};
use super::scale::{Quantity, SHARE_PARTS, ms_in_words};
use super::theme::{Theme, Tone};
use super::{Chart, ChartError};
use crate::stream::BoundReport;
use crate::stream::bound::BoundPoint;
use crate::units::grouped;

/// A drawing with the bounds that can be chosen on it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BoundChart {
    /// The drawing.
    #[serde(flatten)]
    pub chart: Chart,
    /// Bounds, ascending.
    pub stops: Vec<Stop>,
    /// Which of them is the one chosen, or the next one below it; `None` if none is chosen.
    pub chosen: Option<usize>,
}

/// A bound that can be chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Stop {
    /// The bound [ms].
    pub bound_ms: u64,
    /// The same in words.
    pub text: String,
    /// Where it lies (px).
    pub x: i32,
}

/// Draws a report, `width` px wide.
///
/// # Errors
/// A width that no layout is made for.
pub fn draw(report: &BoundReport, theme: Theme, width: u32) -> Result<BoundChart, ChartError> {
    let (chart, axis) = draw_on_axis(&plot(report), theme, width)?;
    let chosen_ms = report.chosen.map(|it| it.bound_ms);
    let bounds = stops(report.worst_ms.max(chosen_ms.unwrap_or(0)).max(1));
    let chosen = chosen_ms.map(|ms| bounds.partition_point(|it| *it <= ms).saturating_sub(1));
    let stop = |bound_ms| Stop { bound_ms, text: ms_in_words(bound_ms), x: axis.place(bound_ms) };
    Ok(BoundChart { chart, stops: bounds.into_iter().map(stop).collect(), chosen })
}

/// 0 to `last`, whole milliseconds below 100, two figures above.
fn stops(last: u64) -> Vec<u64> {
    let mut found = Vec::new();
    let (mut at, mut step) = (0, 1);
    while at < last {
        found.push(at);
        if at == step * 100 {
            step *= 10;
        }
        at += step;
    }
    found.push(last);
    found
}

fn plot(report: &BoundReport) -> Plot {
    // The axis ends at the worst record, or at the bound that is chosen beyond it.
    let mut points = report.curve.clone();
    if let Some(chosen) = report.chosen {
        let at = points.partition_point(|it| it.bound_ms < chosen.bound_ms);
        if points.get(at).is_none_or(|it| it.bound_ms != chosen.bound_ms) {
            points.insert(at, chosen);
        }
    }
    let parts = |count: u64| {
        let records = u128::from(report.records.max(1));
        (u128::from(count) * u128::from(SHARE_PARTS)).div_ceil(records) as u64
    };
    let line = |name: &str, tone, stroke, of: &dyn Fn(&BoundPoint) -> Option<u64>| Series {
        name: name.to_owned(),
        tone,
        stroke,
        values: points.iter().map(|point| of(point).map(parts)).collect(),
    };
    let mut series = vec![line("behind the watermark", Tone::Late, Stroke::Dashed, &|it| {
        Some(it.behind_watermark)
    })];
    if points.iter().any(|it| it.dropped.is_some()) {
        series.insert(0, line("dropped", Tone::Dropped, Stroke::Solid, &|it| it.dropped));
    }
    let mark = |point: &BoundPoint| Mark {
        x: point.bound_ms,
        text: format!("bound {}", ms_in_words(point.bound_ms)),
        is_danger: false,
    };
    Plot {
        x_title: "Bound",
        x_quantity: Quantity::Bound,
        y_title: "Share of records",
        y_quantity: Quantity::Share,
        xs: points.iter().map(|point| point.bound_ms).collect(),
        series,
        marks: report.chosen.iter().map(mark).collect(),
        readouts: points.iter().map(in_words).collect(),
        description: format!(
            "Share of records behind the watermark and dropped, by the bound. {}",
            report.verdict
        ),
    }
}

fn in_words(point: &BoundPoint) -> String {
    let count = |number: u64| grouped(i64::try_from(number).unwrap_or(i64::MAX));
    let percent = |share: f64| format!("{:.4} %", share * 100.0);
    let dropped = point.dropped.zip(point.dropped_share).map_or_else(String::new, |(it, share)| {
        format!(", {} dropped ({})", count(it), percent(share))
    });
    format!(
        "Bound {}: {} records behind the watermark ({}){dropped}",
        ms_in_words(point.bound_ms),
        count(point.behind_watermark),
        percent(point.behind_watermark_share)
    )
}

#[cfg(test)]
mod tests {
    use super::stops;

    #[test]
    fn stops_are_round_and_reach_the_worst_record() {
        assert_eq!(stops(1), [0, 1]);
        let all = stops(123_456);
        assert_eq!(all[..3], [0, 1, 2]);
        assert!(
            [99, 100, 110, 990, 1000, 1100, 110_000, 120_000].iter().all(|it| all.contains(it))
        );
        assert_eq!(all.last(), Some(&123_456));
        assert!(all.is_sorted_by(|a, b| a < b));
    }
}
