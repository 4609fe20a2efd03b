//! Heap of HashMap state on one TaskManager, at rest and during a snapshot, against task heap.

use super::bars::{Bars, HATCHES, Limit, Look, Row, with_pinned};
use super::hatch::Hatch;
use super::memory_parts::{limit, parts};
use super::scale::Quantity;
use super::theme::Tone;
use crate::state::HeapReport;

/// What is drawn of a report, and of that for pinned settings.
pub(super) fn bars(report: &HeapReport, pinned: Option<&HeapReport>) -> Bars {
    Bars {
        title: "Heap of one TaskManager",
        quantity: Quantity::Size,
        rows: with_pinned(rows(report), pinned.map(rows)),
        description: format!(
            "State takes {} at rest and {} during a snapshot, of {} task heap.",
            report.bytes, report.during_snapshot, report.task_heap
        ),
    }
}

fn rows(report: &HeapReport) -> Vec<Row> {
    let of_state = report.parts.iter().enumerate().map(|(at, part)| {
        let tone = if at < HATCHES.len() { Tone::Heap } else { Tone::Muted };
        (part.id, part.name, part.on_task_manager, Look::Filled(tone, HATCHES[at % HATCHES.len()]))
    });
    let of_snapshot = [
        ("rest", "As at rest", report.bytes, Look::Filled(Tone::Heap, None)),
        (
            "slots",
            "Copied tables",
            report.snapshot_slots,
            Look::Filled(Tone::Muted, Some(Hatch::Horizontal)),
        ),
        (
            "copies",
            "Copied entries",
            report.snapshot_copies,
            Look::Filled(Tone::Muted, Some(Hatch::Rising)),
        ),
    ];
    let row = |id: &str, name: &str, parts| Row {
        id: id.to_owned(),
        name: name.to_owned(),
        parts,
        limits: limits(report),
        may_run_off: false,
        is_pinned: false,
    };
    vec![
        row("rest", "At rest", parts(&of_state.collect::<Vec<_>>())),
        row("snapshot", "While a snapshot runs", parts(&of_snapshot)),
    ]
}

/// Where the collector presses, and where an OutOfMemoryError begins. Both are assumptions that the reader
/// can change.
fn limits(report: &HeapReport) -> Vec<Limit> {
    let pressure = limit("GC presses from", report.gc_pressure_from, false);
    let full = limit("OutOfMemoryError above", report.capacity, true);
    if report.gc_pressure_from < report.capacity { vec![pressure, full] } else { vec![full] }
}
