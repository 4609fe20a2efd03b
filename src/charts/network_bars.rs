//! Network buffers of the fullest TaskManager: those there are, and those that its tasks require
//! and want.

use super::bars::{Bars, HATCHES, Limit, Look, Row, stacked, with_pinned};
use super::scale::Quantity;
use super::theme::Tone;
use crate::network::NetworkReport;
use crate::units::grouped;

/// What is drawn of a report, and of that for pinned settings.
pub(super) fn bars(report: &NetworkReport, pinned: Option<&NetworkReport>) -> Bars {
    Bars {
        title: "Buffers of one TaskManager",
        quantity: Quantity::Count,
        rows: with_pinned(rows(report), pinned.map(rows)),
        description: format!(
            "There are {} network buffers; {} are required to start and {} are wanted.",
            grouped(report.total),
            grouped(report.required),
            grouped(report.wanted)
        ),
    }
}

fn rows(report: &NetworkReport) -> Vec<Row> {
    let part = |id: &str, name: &str, buffers: i64, look| {
        let exact = format!("{} buffers", grouped(buffers));
        let length = buffers.max(0).unsigned_abs();
        (id.to_owned(), name.to_owned(), length, grouped(buffers), exact, look)
    };
    let by_task = |buffers: fn(&crate::network::report::NetworkTask) -> i64| {
        stacked(report.tasks.iter().enumerate().map(|(at, task)| {
            let look = Look::Filled(Tone::Network, HATCHES[at % HATCHES.len()]);
            part(&task.name, &task.name, buffers(task), look)
        }))
    };
    let there = |is_danger| Limit {
        at: report.total.max(0).unsigned_abs(),
        text: format!("there are {}", grouped(report.total)),
        is_danger,
    };
    let row = |id: &str, name: &str, parts, limits| Row {
        id: id.to_owned(),
        name: name.to_owned(),
        parts,
        limits,
        may_run_off: id == "wanted",
        is_pinned: false,
    };
    let pool = stacked([part("pool", "Buffers", report.total, Look::Room)]);
    let wanted = if report.unlimited { "Wanted, and then all that is left" } else { "Wanted" };
    vec![
        row("total", "There are", pool, Vec::new()),
        row("required", "Required to start", by_task(|task| task.required), vec![there(true)]),
        row("wanted", wanted, by_task(|task| task.wanted), vec![there(false)]),
    ]
}
