//! What each slot gets of the pools, by number of slots.

use super::lines::{Mark, Plot, Series, Stroke};
use super::scale::Quantity;
use super::theme::Tone;
use crate::state::slots::{SlotsReport, SlotsRow};
use crate::units::{Bytes, grouped};

/// What is drawn of a report.
pub(super) fn plot(report: &SlotsReport) -> Plot {
    let rows = &report.rows;
    let line = |name: &str, tone, stroke, value: fn(&SlotsRow) -> Option<Bytes>| Series {
        name: name.to_owned(),
        tone,
        stroke,
        values: rows.iter().map(|row| value(row).map(|b| b.get().max(0).unsigned_abs())).collect(),
    };
    let mark = |slots: Option<i64>, text: &str, is_danger| {
        let x = slots.and_then(|slots| u64::try_from(slots).ok())?;
        let is_shown = rows.iter().any(|row| u64::from(row.slots) == x);
        is_shown.then(|| Mark { x, text: text.to_owned(), is_danger })
    };
    let broken = report.first_broken.map(i64::from);
    let configured = report.configured.map(i64::from).filter(|slots| Some(*slots) != broken);
    let mut marks: Vec<Mark> =
        [mark(configured, "configured", false), mark(broken, "breaks", true)]
            .into_iter()
            .flatten()
            .collect();
    marks.sort_by_key(|mark| mark.x);
    let end = rows.last().map_or_else(String::new, readout);
    Plot {
        x_title: "Slots",
        x_quantity: Quantity::Count,
        y_title: "Memory of one slot",
        y_quantity: Quantity::Size,
        xs: rows.iter().map(|row| u64::from(row.slots)).collect(),
        series: vec![
            line("Task heap", Tone::Heap, Stroke::Solid, |row| row.task_heap),
            line("Managed", Tone::Managed, Stroke::Dashed, |row| row.managed),
            line("Network", Tone::Network, Stroke::Dotted, |row| row.network),
        ],
        marks,
        readouts: rows.iter().map(readout).collect(),
        description: format!("Memory of one slot by number of slots. {end}."),
    }
}

fn readout(row: &SlotsRow) -> String {
    let slots = i64::from(row.slots);
    let parts = [("task heap", row.task_heap), ("managed", row.managed), ("network", row.network)];
    let parts: Vec<String> = parts
        .into_iter()
        .filter_map(|(name, bytes)| {
            bytes.map(|bytes| format!("{name} {bytes} ({} bytes)", grouped(bytes.get())))
        })
        .collect();
    let what = if parts.is_empty() { "does not start".to_owned() } else { parts.join(", ") };
    let problems: Vec<&str> = row.problems.iter().map(|problem| problem.title.as_str()).collect();
    let broken =
        if problems.is_empty() { String::new() } else { format!("; {}", problems.join(" ")) };
    format!("{} {}: {what}{broken}", grouped(slots), if slots == 1 { "slot" } else { "slots" })
}
