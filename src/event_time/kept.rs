//! How many bytes does a window operator keep, on either backend?
//!
//! An incremental function (`reduce`, `aggregate`) keeps one accumulator for each key and window, in
//! a `ReducingState` or `AggregatingState`; one that needs all records (`process`, `apply`) keeps them
//! in a `ListState`, in every window that took them. The window is the namespace. Beside it stand
//! timers, the state of a trigger that counts, and for sessions the list of `MergingWindowSet`.
//!
//! Heap: the layouts of [`crate::state::layout`], an entry of `CopyOnWriteStateMap` for each key and
//! window, `TimerHeapInternalTimer` with its node in `HeapPriorityQueueSet`. RocksDB: key and value
//! bytes as they are written, `(key group, key, namespace)` against the value, timers as keys without
//! a value; what files and memtables make of them is the answer of the state questions.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `WindowOperator`, `HeapListState`, `RocksDBListState`,
//! `TimeWindow.Serializer`, `GlobalWindow.Serializer`, `TimerSerializer`, `HeapPriorityQueueSet`,
//! `CountTrigger`, `ContinuousEventTimeTrigger`, `MergingWindowSet#persist`.
//!
//! # Deviations
//! Every entry has a key and a window of its own, as after a restore; as they arrive, windows that
//! one record opens share its key, and on the heap they share the record too until a checkpoint or a
//! restore copies it. Arrays of lists are as long as if they grew one by one. The arrays of timers
//! are taken as full.

mod lengths;
mod params;
mod report;

use std::collections::BTreeMap;

use crate::state::layout::{Heap, Scalar, ValueType};
use crate::state::snapshot::key_group_prefix;
use crate::state::table;
use crate::units::Bytes;

use super::params::WindowSpace;
use super::run::Takes;
pub use lengths::Lengths;
pub use params::{KeptParams, WindowFunction};
pub use report::{KeptBytes, KeptReport, Most, Steady};

/// `RocksDBListState` writes a comma between two elements [B].
const DELIMITER: u64 = 1;
/// `VoidNamespaceSerializer` writes one byte.
const VOID_NAMESPACE: u64 = 1;
/// `TimeWindow.Serializer` writes start and end [B].
const TIME_WINDOW: u64 = 16;
/// `GlobalWindow.Serializer` writes one byte.
const GLOBAL_WINDOW: u64 = 1;
/// A timestamp of a timer, and the `Long` of a trigger, serialised [B].
const LONG: u64 = 8;

/// What an operator keeps at one time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Held {
    /// Pairs of key and window by the number of records that each holds.
    pub windows: BTreeMap<u64, u64>,
    /// Pending timers.
    pub timers: u64,
    /// Pairs of key and window whose trigger keeps a number.
    pub triggers: u64,
    /// Keys by the number of sessions in flight.
    pub sessions: BTreeMap<u64, u64>,
}

/// What one of each takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    heap: Heap,
    function: WindowFunction,
    key: Scalar,
    accumulator: ValueType,
    element: ValueType,
    window_heap: u64,
    window_stored: u64,
    key_groups: u32,
}

impl Layout {
    /// The layout of these types, for an operator of so many key groups.
    pub fn new(params: &KeptParams, space: WindowSpace, key_groups: u32) -> Self {
        let heap = Heap { compressed_oops: params.compressed_oops };
        let (window_heap, window_stored) = match space {
            WindowSpace::Time => (heap.time_window(), TIME_WINDOW),
            // There is one object of it in the JVM.
            WindowSpace::Global => (0, GLOBAL_WINDOW),
        };
        Self {
            heap,
            function: params.function,
            key: params.key,
            accumulator: params.accumulator.clone(),
            element: params.element.clone(),
            window_heap,
            window_stored,
            key_groups,
        }
    }

    /// All that is held.
    pub fn bytes(&self, held: &Held) -> KeptBytes {
        let entries = held.windows.values().sum();
        let mut total = self.tables(entries, 1).plus(self.tables(held.triggers, 1));
        for (records, windows) in &held.windows {
            total = total.plus(self.window(*records).times(*windows));
        }
        for (sessions, keys) in &held.sessions {
            total = total.plus(self.merging_set(*sessions).times(*keys));
        }
        let keys_with_sessions = held.sessions.values().sum();
        total
            .plus(self.tables(keys_with_sessions, 1))
            .plus(self.timer().times(held.timers))
            .plus(self.trigger().times(held.triggers))
    }

    /// One key and window that holds so many records.
    pub fn window(&self, records: u64) -> KeptBytes {
        let (heap, stored) = match self.function {
            WindowFunction::Incremental => {
                (self.accumulator.heap(self.heap), self.accumulator.serialised())
            }
            WindowFunction::Full => {
                let list = self.list(records);
                let elements = records.saturating_mul(self.element.heap(self.heap));
                let stored = records.saturating_mul(self.element.serialised() + DELIMITER);
                (list.saturating_add(elements), stored.saturating_sub(DELIMITER))
            }
        };
        let entry = self.heap.state_entry() + self.key.heap(self.heap) + self.window_heap;
        KeptBytes::new(entry.saturating_add(heap), self.stored_key().saturating_add(stored))
    }

    /// One timer: in `HeapPriorityQueueSet` an object, a node of the map that leaves duplicates out,
    /// and a slot in either array; in RocksDB a key without a value.
    pub fn timer(&self) -> KeptBytes {
        let heap = self.heap.timer() + self.heap.hash_map_node() + 2 * self.heap.reference();
        KeptBytes::new(heap, self.stored_key() + LONG)
    }

    /// The `ReducingState<Long>` of a trigger that counts or waits for an interval.
    fn trigger(&self) -> KeptBytes {
        let long = Scalar::Long.heap(self.heap);
        let entry = self.heap.state_entry() + self.key.heap(self.heap) + self.window_heap;
        KeptBytes::new(entry + long, self.stored_key() + LONG)
    }

    /// The list of a key's sessions: a `Tuple2` of the session and the window of its contents each.
    fn merging_set(&self, sessions: u64) -> KeptBytes {
        let each = self.heap.tuple2() + 2 * self.window_heap;
        let entry = self.heap.state_entry() + self.key.heap(self.heap);
        let heap = entry + self.list(sessions) + sessions * each;
        let prefix = key_group_prefix(self.key_groups) + self.key.serialised() + VOID_NAMESPACE;
        let stored = sessions * (2 * self.window_stored + DELIMITER) - DELIMITER.min(sessions);
        KeptBytes::new(heap, prefix + stored)
    }

    /// An `ArrayList` without its elements.
    fn list(&self, elements: u64) -> u64 {
        let capacity = Heap::array_list_capacity(elements);
        self.heap.array_list() + self.heap.reference_array(capacity)
    }

    /// Slots of the tables of a state beyond those of an empty one; RocksDB has none.
    fn tables(&self, entries: u64, states: u64) -> KeptBytes {
        let groups = u64::from(self.key_groups);
        let slots = table::expected(entries, groups, None).primary;
        let grown = slots.saturating_sub(table::INITIAL_SLOTS * groups);
        KeptBytes::new(states * grown * self.heap.reference(), 0)
    }

    /// `(key group, key, namespace)` [B]. One of key and namespace has a fixed length, so no length
    /// is written.
    fn stored_key(&self) -> u64 {
        key_group_prefix(self.key_groups) + self.key.serialised() + self.window_stored
    }
}

impl Held {
    /// What was counted in sum: all windows with the mean number of records, all keys with the mean
    /// number of sessions.
    pub fn even(takes: &Takes) -> Self {
        Self {
            windows: spread(takes.records, takes.entries),
            timers: takes.timers,
            triggers: takes.triggers,
            sessions: spread(takes.sessions, takes.keys_with_sessions),
        }
    }
}

/// So many things over so many places, by the number in each; what is left over makes one more in so
/// many places.
fn spread(things: u64, places: u64) -> BTreeMap<u64, u64> {
    let mut all = BTreeMap::new();
    if let Some(mean) = things.checked_div(places) {
        let more = things % places;
        all.insert(mean, places - more);
        if more > 0 {
            all.insert(mean + 1, more);
        }
    }
    all
}

/// A size from a number that stays below 2^63 or stands for more than can be told.
fn size(bytes: u64) -> Bytes {
    Bytes::new(i64::try_from(bytes).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(function: WindowFunction) -> Layout {
        let params = KeptParams { function, ..KeptParams::default() };
        Layout::new(&params, WindowSpace::Time, 128)
    }

    fn held(windows: &[(u64, u64)]) -> Held {
        Held { windows: windows.iter().copied().collect(), ..Held::default() }
    }

    #[test]
    fn an_accumulator_does_not_grow_with_its_records() {
        let layout = layout(WindowFunction::Incremental);
        // Entry 40, String of 8 characters 48, TimeWindow 32, Long 24.
        assert_eq!(layout.window(1), KeptBytes::new(144, 1 + 9 + 16 + 8));
        assert_eq!(layout.window(1), layout.window(1000));
    }

    #[test]
    fn a_list_holds_every_record_and_a_comma_between_two() {
        let layout = layout(WindowFunction::Full);
        // Entry, key and window as above; list 24, ten slots 56, a Long 24 each.
        assert_eq!(layout.window(1), KeptBytes::new(120 + 24 + 56 + 24, 26 + 8));
        assert_eq!(layout.window(3), KeptBytes::new(120 + 24 + 56 + 72, 26 + 3 * 8 + 2));
        // The eleventh has the array grow from 10 to 15.
        assert_eq!(layout.window(11).heap.get(), 120 + 24 + 80 + 11 * 24);
    }

    #[test]
    fn parts_add_up() {
        let layout = layout(WindowFunction::Incremental);
        let mut all = held(&[(1, 2), (7, 1)]);
        all.timers = 5;
        all.triggers = 1;
        all.sessions.insert(2, 1);
        let sum = layout.window(1).times(3).plus(layout.timer().times(5));
        let sum = sum.plus(layout.trigger()).plus(layout.merging_set(2));
        assert_eq!(layout.bytes(&all), sum);
        // 64 B for the two windows and 24 B for the tuple of each session, 80 B of list, 88 B of
        // entry and key.
        assert_eq!(layout.merging_set(2), KeptBytes::new(88 + 80 + 2 * 88, 11 + 2 * 32 + 1));
        // Timer 32, node 32, two slots.
        assert_eq!(layout.timer(), KeptBytes::new(72, 34));
    }

    #[test]
    fn many_windows_have_longer_tables() {
        let layout = layout(WindowFunction::Incremental);
        let entries = 1_000_000;
        let plain = layout.window(1).times(entries).heap.get();
        let slots = (layout.bytes(&held(&[(1, entries)])).heap.get() - plain) / 4;
        assert!((1_000_000..2_100_000).contains(&slots), "{slots}");
    }

    #[test]
    fn what_is_spread_evenly_is_all_there() {
        let takes = Takes { entries: 4, records: 11, timers: 7, sessions: 4, ..Takes::default() };
        let held = Held::even(&Takes { keys_with_sessions: 4, ..takes });
        assert_eq!(held.windows, BTreeMap::from([(2, 1), (3, 3)]));
        assert_eq!((held.timers, held.sessions), (7, BTreeMap::from([(1, 4)])));
        assert_eq!(Held::even(&Takes::default()), Held::default());
    }
}
