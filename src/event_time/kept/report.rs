//! Bytes kept, as they are told.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, the classes of [`super`].

use serde::Serialize;

use super::super::run::Takes;
use super::super::window::Assigner;
use super::{Held, KeptParams, Layout, WindowFunction, size};
use crate::state::assumptions::{Assumptions, Id};
use crate::units::Bytes;

/// Bytes on either backend.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KeptBytes {
    /// Heap with the HashMap backend.
    pub heap: Bytes,
    /// Keys and values with RocksDB.
    pub rocksdb: Bytes,
}

impl KeptBytes {
    pub(super) fn new(heap: u64, rocksdb: u64) -> Self {
        Self { heap: size(heap), rocksdb: size(rocksdb) }
    }

    pub(super) fn times(self, count: u64) -> Self {
        let times = |bytes: Bytes| size(bytes.get().unsigned_abs().saturating_mul(count));
        Self { heap: times(self.heap), rocksdb: times(self.rocksdb) }
    }

    pub(super) fn plus(self, other: Self) -> Self {
        let plus = |a: Bytes, b: Bytes| Bytes::new(a.get().saturating_add(b.get()));
        Self { heap: plus(self.heap, other.heap), rocksdb: plus(self.rocksdb, other.rocksdb) }
    }

    /// The larger of each.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self { heap: self.heap.max(other.heap), rocksdb: self.rocksdb.max(other.rocksdb) }
    }

    /// What this is above another.
    #[must_use]
    pub fn above(self, other: Self) -> Self {
        let above = |a: Bytes, b: Bytes| Bytes::new(a.get().saturating_sub(b.get()));
        Self { heap: above(self.heap, other.heap), rocksdb: above(self.rocksdb, other.rocksdb) }
    }
}

/// Bytes kept over a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KeptReport {
    /// The function that decides what is kept.
    pub function: WindowFunction,
    /// One key and window with one record.
    pub one_window: KeptBytes,
    /// What the second record of it adds.
    pub second_record: KeptBytes,
    /// One timer.
    pub one_timer: KeptBytes,
    /// The most at one time.
    pub peak: KeptBytes,
    /// The most that the rules allow for these keys; `None` where no formula says it.
    pub predicted: Option<KeptBytes>,
    /// Where that holds for records that come evenly, and not by the rules alone: how many for each
    /// second of event time.
    pub predicted_rate_per_second: Option<f64>,
    /// By how much the allowed lateness raises the peak.
    pub lateness_adds: KeptBytes,
    /// Heap of the registered states without a key, which comes on top.
    pub empty: Bytes,
    /// What these numbers rest on.
    pub assumptions: Vec<&'static str>,
}

const ASSUMPTIONS: [&str; 5] = [
    "One task holds all keys; tables and empty states are those of all its key groups.",
    "Each window has a key and records of its own. As they arrive, windows that one record opens share these objects, until a checkpoint or a restore copies them.",
    "Lists have the array that growing one by one gives them; the two arrays of heap timers are taken as full.",
    "RocksDB: keys and values as they are written. Files, memtables and compression are those of the state panels of Memory. Timers are in RocksDB too, which is the default.",
    "SQL keeps the slices of its window aggregates in another way, which is not modelled: these are the bytes of the DataStream operator.",
];

/// The most windows of each key, and how many keys.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Most {
    /// Windows of a key.
    pub windows: u64,
    /// Keys.
    pub keys: u64,
    /// Whether windows are kept beyond their first firing.
    pub has_lateness: bool,
    /// Of a stream with a rate: what its windows hold.
    pub steady: Option<Steady>,
}

/// What the windows of all keys hold together at most if records come evenly.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Steady {
    /// Records for each second of event time.
    pub rate_per_second: f64,
    /// Records, one copy for each window.
    pub copies: u64,
}

impl Most {
    /// What takes bytes then; `None` where no formula says how many records the windows hold.
    fn takes(&self, function: WindowFunction) -> Option<Takes> {
        let all = self.windows.saturating_mul(self.keys);
        let (entries, records) = match function {
            // An accumulator is as large for one record as for many.
            WindowFunction::Incremental => (all, all),
            // A window without a record has no entry.
            WindowFunction::Full => {
                let copies = self.steady?.copies;
                (all.min(copies), copies)
            }
        };
        let timers = entries.saturating_mul(if self.has_lateness { 2 } else { 1 });
        Some(Takes { entries, records, timers, ..Takes::default() })
    }
}

impl KeptReport {
    /// The report of a run with this peak.
    pub fn new(
        params: &KeptParams,
        layout: &Layout,
        assigner: &Assigner,
        peak: KeptBytes,
        without_lateness: KeptBytes,
        most: Option<Most>,
    ) -> Self {
        let one = layout.window(1);
        let states = if assigner.merges() { 2 } else { 1 };
        let measured = Assumptions::default().get(Id::EmptyStatePerKeyGroup);
        let empty = params.empty_state_per_key_group.map_or(measured, f64::from);
        let empty = empty * f64::from(layout.key_groups) * f64::from(states);
        let takes = most.and_then(|most| most.takes(params.function));
        let is_steady = takes.is_some() && params.function == WindowFunction::Full;
        let steady = most.and_then(|most| most.steady).filter(|_| is_steady);
        Self {
            function: params.function,
            one_window: one,
            second_record: layout.window(2).above(one),
            one_timer: layout.timer(),
            peak,
            predicted: takes.map(|takes| layout.bytes(&Held::even(&takes))),
            predicted_rate_per_second: steady.map(|it| it.rate_per_second),
            lateness_adds: peak.above(without_lateness),
            empty: Bytes::new(empty.round() as i64),
            assumptions: ASSUMPTIONS.to_vec(),
        }
    }
}
