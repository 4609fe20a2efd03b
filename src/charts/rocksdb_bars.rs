//! RocksDB's memory in a slot: the block cache and what is in it, the memtables against their
//! budget, the working set against the room that is left, and what lies outside every pool.

use super::bars::{Bars, Look, Part, Row, with_pinned};
use super::hatch::Hatch;
use super::memory_parts::{exact, length, limit, parts};
use super::scale::Quantity;
use super::theme::Tone;
use crate::state::rocksdb::RocksdbReport;
use crate::state::rocksdb::managed::UseCase;
use crate::units::Bytes;

const fn managed(hatch: Option<Hatch>) -> Look {
    Look::Filled(Tone::Managed, hatch)
}

/// What is drawn of a report, and of that for pinned settings.
pub(super) fn bars(report: &RocksdbReport, pinned: Option<&RocksdbReport>) -> Bars {
    Bars {
        title: "Memory",
        quantity: Quantity::Size,
        rows: with_pinned(rows(report), pinned.map(rows)),
        description: format!(
            "RocksDB's memory to scale: a block cache of {}, memtables that want {}, a working set of {}.",
            report.cache.capacity, report.memtables.all, report.cache.working_set
        ),
    }
}

fn rows(report: &RocksdbReport) -> Vec<Row> {
    let mut rows = Vec::new();
    if report.slot_managed > Bytes::ZERO {
        rows.push(consumers(report));
    }
    rows.push(cache(report));
    rows.push(memtables(report));
    rows.push(working_set(report));
    rows.extend(report.outside.as_ref().map(|outside| Row {
        parts: parts(&[(
            "native",
            "RocksDB of all slots",
            outside.native,
            Look::Filled(Tone::OffHeap, None),
        )]),
        limits: vec![limit("killed above", outside.kill_line, true)],
        ..row("outside", "Outside every pool, whole TaskManager")
    }));
    rows
}

fn row(id: &str, name: &str) -> Row {
    Row {
        id: id.to_owned(),
        name: name.to_owned(),
        parts: Vec::new(),
        limits: Vec::new(),
        may_run_off: false,
        is_pinned: false,
    }
}

fn consumers(report: &RocksdbReport) -> Row {
    let named = report.consumers.iter().filter_map(|consumer| {
        let (id, name, look) = match consumer.use_case {
            UseCase::StateBackend => ("STATE_BACKEND", "RocksDB", managed(None)),
            UseCase::Python => {
                ("PYTHON", "Python", Look::Filled(Tone::OffHeap, Some(Hatch::Rising)))
            }
            UseCase::Operator => ("OPERATOR", "Operators", Look::Filled(Tone::Muted, None)),
        };
        consumer.bytes.map(|bytes| (id, name, bytes, look))
    });
    Row {
        parts: parts(&named.collect::<Vec<_>>()),
        limits: vec![limit("the slot has", report.slot_managed, false)],
        ..row("managed", "Managed memory of a slot")
    }
}

fn cache(report: &RocksdbReport) -> Row {
    let cache = &report.cache;
    Row {
        parts: parts(&[
            ("memtables", "Memtables", cache.memtables, managed(Some(Hatch::Rising))),
            ("index", "Index", cache.index, managed(None)),
            ("filters", "Filters", cache.filters, managed(Some(Hatch::Falling))),
            ("iterators", "Iterators", cache.iterators, managed(Some(Hatch::Vertical))),
            ("data", "Left for data blocks", cache.data, Look::Room),
        ]),
        limits: vec![limit("capacity", cache.capacity, cache.data == Bytes::ZERO)],
        ..row("cache", "Block cache")
    }
}

/// One full memtable of each state, and behind its end those that want to live beside it.
fn memtables(report: &RocksdbReport) -> Row {
    let tables = &report.memtables;
    let part = |id: &str, name: &str, from: Bytes, to: Bytes, hatch| Part {
        id: id.to_owned(),
        name: name.to_owned(),
        from: length(from),
        to: length(to),
        words: to.to_string(),
        exact: exact(to),
        look: managed(hatch),
    };
    let budget = report
        .shared
        .as_ref()
        .map(|shared| limit("write buffers may take", shared.write_buffer_manager_capacity, false));
    Row {
        parts: vec![
            part(
                "oneEach",
                "One full of each state",
                Bytes::ZERO,
                tables.one_each,
                Some(Hatch::Rising),
            ),
            part("all", "All that want to live at once", tables.one_each, tables.all, None),
        ],
        limits: budget.into_iter().collect(),
        may_run_off: true,
        ..row("memtables", "Memtables that the states want")
    }
}

fn working_set(report: &RocksdbReport) -> Row {
    let cache = &report.cache;
    Row {
        parts: parts(&[(
            "all",
            "Read again and again",
            cache.working_set,
            Look::Filled(Tone::Accent, None),
        )]),
        limits: vec![limit("room for data blocks", cache.data, false)],
        may_run_off: true,
        ..row("workingSet", "Working set")
    }
}
