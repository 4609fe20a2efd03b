//! A TaskManager inside the program's own JVM: the network pool against direct memory.

use super::bars::{Bars, Look, Row, with_pinned};
use super::memory_parts::{limit, parts};
use super::scale::Quantity;
use super::theme::Tone;
use crate::memory::local::LocalReport;
use crate::units::Bytes;

/// What is drawn of a report, and of that for pinned settings.
pub(super) fn bars(report: &LocalReport, pinned: Option<&LocalReport>) -> Bars {
    let limit = report.direct_limit.map_or("an unknown size".to_owned(), |limit| limit.to_string());
    Bars {
        title: "Memory",
        quantity: Quantity::Size,
        rows: with_pinned(rows(report), pinned.map(rows)),
        description: format!("Network memory of {} in direct memory of {limit}.", report.network),
    }
}

fn rows(report: &LocalReport) -> Vec<Row> {
    let row = |id: &str, name: &str, parts, limits| Row {
        id: id.to_owned(),
        name: name.to_owned(),
        parts,
        limits,
        may_run_off: false,
        is_pinned: false,
    };
    let network = ("network", "Network pool", report.network, Look::Filled(Tone::Network, None));
    let end = report.direct_limit.map(|end| limit("direct memory ends at", end, true));
    let managed = report.pools.iter().find(|pool| pool.id == "managed").and_then(|it| it.bytes);
    let managed = managed.filter(|bytes| *bytes > Bytes::ZERO).map(|bytes| {
        let part = ("managed", "Managed memory", bytes, Look::Filled(Tone::Managed, None));
        row("managed", "Native memory", parts(&[part]), Vec::new())
    });
    let direct = row("direct", "Direct memory", parts(&[network]), end.into_iter().collect());
    std::iter::once(direct).chain(managed).collect()
}
