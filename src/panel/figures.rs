//! The figures of a report that a reader compares, each with a stable name and a unit.

use serde::Serialize;

use super::Report;
use crate::config::number::parse_float;
use crate::memory::backwards::{BoundariesReport, End, KnobKind};
use crate::memory::local::LocalReport;
use crate::network::NetworkReport;
use crate::state::rocksdb::RocksdbReport;
use crate::state::slots::SlotsReport;
use crate::state::{ComparisonReport, HeapReport, TtlReport};
use crate::units::{Bytes, grouped};

/// A number and what it measures.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Amount {
    /// Bytes.
    Bytes(Bytes),
    /// A whole number of something.
    Count(i64),
    /// A number.
    Number(f64),
    /// A share of a whole, 0 to 1.
    Share(f64),
    /// Seconds.
    Seconds(f64),
}

impl Amount {
    /// The unit's name on the wire.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Bytes(_) => "bytes",
            Self::Count(_) => "count",
            Self::Number(_) => "number",
            Self::Share(_) => "share",
            Self::Seconds(_) => "seconds",
        }
    }

    /// This less another of the same unit; `None` where the units differ or the difference is too large.
    pub fn minus(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Bytes(b), Self::Bytes(a)) => {
                b.get().checked_sub(a.get()).map(|it| Self::Bytes(Bytes::new(it)))
            }
            (Self::Count(b), Self::Count(a)) => b.checked_sub(a).map(Self::Count),
            (Self::Number(b), Self::Number(a)) => Some(Self::Number(b - a)),
            (Self::Share(b), Self::Share(a)) => Some(Self::Share(b - a)),
            (Self::Seconds(b), Self::Seconds(a)) => Some(Self::Seconds(b - a)),
            _ => None,
        }
    }

    /// Without its sign.
    pub fn magnitude(self) -> Self {
        match self {
            Self::Bytes(bytes) => Self::Bytes(Bytes::new(bytes.get().saturating_abs())),
            Self::Count(count) => Self::Count(count.saturating_abs()),
            Self::Number(number) => Self::Number(number.abs()),
            Self::Share(share) => Self::Share(share.abs()),
            Self::Seconds(seconds) => Self::Seconds(seconds.abs()),
        }
    }

    /// As a double, for ratios.
    pub fn double(self) -> f64 {
        match self {
            Self::Bytes(bytes) => bytes.get() as f64,
            Self::Count(count) => count as f64,
            Self::Number(it) | Self::Share(it) | Self::Seconds(it) => it,
        }
    }

    /// For people.
    pub fn in_words(self) -> String {
        match self {
            Self::Bytes(bytes) => bytes.to_string(),
            Self::Count(count) => grouped(count),
            Self::Number(number) => figures_of(number),
            Self::Share(share) => format!("{} %", figures_of(share * 100.0)),
            Self::Seconds(seconds) => format!("{} s", figures_of(seconds)),
        }
    }
}

/// Three figures, without trailing zeros.
fn figures_of(number: f64) -> String {
    let digits = match number.abs() {
        v if v >= 99.95 => 0,
        v if v >= 9.995 => 1,
        v if v >= 0.9995 => 2,
        _ => 4,
    };
    let text = format!("{number:.digits$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// One number of a report.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// A stable name.
    pub id: String,
    /// What it belongs to where several are alike.
    pub group: String,
    /// For people.
    pub name: String,
    /// `None` where the report has none.
    pub amount: Option<Amount>,
}

fn figure(id: &str, name: &str, amount: impl Into<Option<Amount>>) -> Figure {
    in_group("", "", id, name, amount)
}

/// A figure of which each group has one; `key` names the group in the id.
fn in_group(
    key: &str,
    group: &str,
    id: &str,
    name: &str,
    amount: impl Into<Option<Amount>>,
) -> Figure {
    let id = if key.is_empty() { id.to_owned() } else { format!("{key}.{id}") };
    Figure { id, group: group.to_owned(), name: name.to_owned(), amount: amount.into() }
}

fn bytes(bytes: Bytes) -> Amount {
    Amount::Bytes(bytes)
}

fn count(count: u64) -> Amount {
    Amount::Count(i64::try_from(count).unwrap_or(i64::MAX))
}

/// What a reader compares, the most important first.
pub(super) fn figures(report: &Report) -> Vec<Figure> {
    match report {
        Report::MemoryBoundaries(report) => boundaries(report),
        Report::RocksdbMemory(report) => rocksdb(report),
        Report::HeapState(report) => heap(report),
        Report::CompareBackends(report) => backends(report),
        Report::TtlGrowth(report) => ttl(report),
        Report::SlotsSweep(report) => slots(report),
        Report::NetworkBuffers(report) => network(report),
        Report::LocalMemory(report) => local(report),
    }
}

fn boundaries(report: &BoundariesReport) -> Vec<Figure> {
    let size = |end: &Option<End>| end.as_ref().and_then(|end| end.bytes).map(bytes);
    let mut found = vec![
        figure(
            "smallestProcess",
            "The smallest process that starts",
            size(&report.smallest_process),
        ),
        figure(
            "sensibleProcess",
            "The smallest that leaves room to work in",
            size(&report.sensible_process),
        ),
    ];
    for knob in &report.knobs {
        let end = |end: &Option<End>| match knob.kind {
            KnobKind::Size => size(end),
            // The text of a fraction is the engine's own, so it is a number.
            KnobKind::Fraction => end
                .as_ref()
                .and_then(|end| parse_float(&end.text).ok())
                .map(|fraction| Amount::Number(f64::from(fraction))),
        };
        let row = |id, name, value| in_group(knob.option, knob.option, id, name, value);
        found.push(row("lowest", "starts from", end(&knob.lowest)));
        found.push(row("highest", "starts up to", end(&knob.highest)));
    }
    found
}

fn rocksdb(report: &RocksdbReport) -> Vec<Figure> {
    let shared = report.shared.as_ref();
    let (tables, cache) = (&report.memtables, &report.cache);
    let mut found = vec![
        figure("memory", "Memory of RocksDB", shared.map(|it| bytes(it.memory))),
        figure("cacheCapacity", "Block cache", bytes(cache.capacity)),
        figure(
            "manager",
            "Write buffer manager",
            shared.map(|it| bytes(it.write_buffer_manager_capacity)),
        ),
        figure("mutable", "Flush from", shared.map(|it| bytes(it.mutable_limit))),
        figure("arenas", "An arena block of each state", bytes(tables.arenas)),
        figure("oneEach", "One full memtable of each state", bytes(tables.one_each)),
        figure("all", "All memtables at once", bytes(tables.all)),
        figure("index", "Index", bytes(cache.index)),
        figure("filters", "Filters", bytes(cache.filters)),
        figure("iterators", "Iterators", bytes(cache.iterators)),
        figure("data", "Left for data blocks", bytes(cache.data)),
        figure("state", "State in files", bytes(cache.state)),
        figure("workingSet", "Working set", bytes(cache.working_set)),
        figure(
            "cachedShare",
            "Share of the working set that fits",
            Amount::Share(cache.cached_share),
        ),
        figure("slotManaged", "Managed memory of a slot", bytes(report.slot_managed)),
    ];
    let outside = report.outside.as_ref();
    found.push(figure(
        "native",
        "Native memory outside every pool",
        outside.map(|it| bytes(it.native)),
    ));
    found.push(figure(
        "killLine",
        "The container is killed above",
        outside.map(|it| bytes(it.kill_line)),
    ));
    found
}

fn heap(report: &HeapReport) -> Vec<Figure> {
    let mut found = vec![
        figure("bytes", "State at rest", bytes(report.bytes)),
        figure("during", "State during a snapshot", bytes(report.during_snapshot)),
        figure("share", "Share of task heap at rest", Amount::Share(report.share)),
        figure(
            "shareDuring",
            "Share of task heap during a snapshot",
            Amount::Share(report.share_during_snapshot),
        ),
        figure("taskHeap", "Task heap", bytes(report.task_heap)),
        figure("pressure", "Garbage collection presses from", bytes(report.gc_pressure_from)),
    ];
    found.extend(
        report
            .boundaries
            .iter()
            .map(|row| in_group("keys", "most keys", row.id, row.title, count(row.keys))),
    );
    found.push(figure("perKey", "Bytes per key", Amount::Number(report.bytes_per_key)));
    found.push(figure(
        "overSerialised",
        "Heap over serialised",
        Amount::Number(report.heap_over_serialised),
    ));
    found.extend(report.parts.iter().map(|part| {
        in_group("part", "bytes per key", part.id, part.name, Amount::Number(part.per_key))
    }));
    found
}

fn backends(report: &ComparisonReport) -> Vec<Figure> {
    let mut found = vec![figure(
        "changesAtKeys",
        "Most keys that HashMap holds",
        count(report.changes_at_keys),
    )];
    for (side, name) in [(&report.hashmap, "HashMap"), (&report.rocksdb, "RocksDB")] {
        let row = |id, what, amount: Option<Bytes>| {
            in_group(side.backend, name, id, what, amount.map(bytes))
        };
        found.extend([
            row("memory", "Memory on one TaskManager, during a snapshot", Some(side.memory)),
            row("pool", "Its pool", Some(side.pool_bytes)),
            row("disk", "Disk on one TaskManager", side.disk),
            row("full", "Full checkpoint", side.full_checkpoint),
            row("savepoint", "Canonical savepoint", side.canonical_savepoint),
            row("upload", "Mean upload of a checkpoint", side.mean_upload),
        ]);
    }
    found.extend(report.restore.iter().map(|way| {
        let key = format!("restore.{}", way.backend);
        in_group(&key, "restore", way.id, way.title, Amount::Seconds(way.seconds))
    }));
    found
}

fn ttl(report: &TtlReport) -> Vec<Figure> {
    let mut found = vec![
        figure("keys", "Key space", count(report.keys)),
        figure("live", "Live in the long run", count(report.live)),
        figure("stored", "Stored at the end", count(report.stored)),
        figure("steadyFrom", "Steady from", Amount::Seconds(report.steady_from_seconds as f64)),
    ];
    found.extend(
        report.strategies.iter().map(|row| {
            in_group("stored", "stored at the end", row.call, row.call, count(row.stored))
        }),
    );
    found
}

fn slots(report: &SlotsReport) -> Vec<Figure> {
    let first = report.first_broken.map(|slots| Amount::Count(i64::from(slots)));
    let mut found = vec![figure("firstBroken", "First number of slots that breaks", first)];
    for row in &report.rows {
        let words = if row.slots == 1 { "slot" } else { "slots" };
        let (key, group) = (row.slots.to_string(), format!("{} {words}", row.slots));
        let part = |id, name, amount: Option<Amount>| in_group(&key, &group, id, name, amount);
        found.extend([
            part("taskHeap", "Task heap", row.task_heap.map(bytes)),
            part("managed", "Managed", row.managed.map(bytes)),
            part("network", "Network", row.network.map(bytes)),
            part("rocksdb", "RocksDB", row.rocksdb.map(bytes)),
            part("cache", "Its cache", row.cache.map(bytes)),
            part("buffers", "Buffers", row.buffers.map(Amount::Count)),
            part("required", "Buffers required", row.buffers_required.map(Amount::Count)),
        ]);
    }
    found
}

fn network(report: &NetworkReport) -> Vec<Figure> {
    let mut found = vec![
        figure("total", "Buffers there are", Amount::Count(report.total)),
        figure("required", "Buffers required to start", Amount::Count(report.required)),
        figure("wanted", "Buffers wanted", Amount::Count(report.wanted)),
        figure("network", "Network memory", bytes(report.network)),
        figure("segment", "One buffer", bytes(report.segment)),
        figure("smallest", "Smallest network memory that starts", bytes(report.smallest_network)),
        figure("slots", "Slots of a TaskManager", Amount::Count(i64::from(report.slots))),
        figure("taskManagers", "TaskManagers", Amount::Count(report.task_managers)),
    ];
    for task in &report.tasks {
        let row =
            |id, what, value| in_group(&task.name, &task.name, id, what, Amount::Count(value));
        found.extend([
            row("subtasks", "Subtasks on the TaskManager", task.subtasks),
            row("required", "Required", task.required),
            row("wanted", "Wanted", task.wanted),
        ]);
    }
    found
}

fn local(report: &LocalReport) -> Vec<Figure> {
    let mut found = vec![
        figure("directLimit", "Limit of direct memory", report.direct_limit.map(bytes)),
        figure("segments", "Buffers allocated at the start", Amount::Count(report.segments)),
        figure(
            "segmentsAtMost",
            "Buffers that direct memory can hold",
            report.segments_at_most.map(Amount::Count),
        ),
        figure("missing", "Missing at least", report.missing_at_least.map(bytes)),
    ];
    found.extend(
        report
            .pools
            .iter()
            .map(|pool| in_group("pool", "pool", pool.id, pool.name, pool.bytes.map(bytes))),
    );
    found
}
