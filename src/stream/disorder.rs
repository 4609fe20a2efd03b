//! How far out of order is a stream?
//!
//! For each record: how far its event time is behind the greatest event time that came before it.
//! `BoundedOutOfOrdernessWatermarks` with the bound `b` makes the watermark `greatest - b - 1`, so
//! a record is behind the watermark, `time <= greatest - b - 1`, exactly if it is more than `b`
//! behind. One pass over the stream in order of arrival therefore answers for every bound.
//!
//! With a window, the same holds for records that Flink drops: one is dropped if the cleanup time
//! of its last window, the last millisecond plus the allowed lateness, has been reached by the
//! watermark. So it is dropped for every bound below `greatest - cleanup time`.
//!
//! By itself the watermark is taken to be emitted after every record. Of a job that runs at the same
//! time each record brings the watermark that it was judged by, and the answers hold for the clock,
//! idleness, partitions and source subtasks of that job too, for every bound: all of its watermarks
//! are greatest event times less the same constant, they are only compared with each other, and when
//! a partition is idle depends on when records arrive. Another bound moves all of them by the same
//! time, and changes nothing else.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `BoundedOutOfOrdernessWatermarks`, `WindowOperator`
//! (`isWindowLate`, `isElementLate`, `cleanupTime`), `TimeWindow.getWindowStartWithOffset`,
//! `WatermarkOutputMultiplexer`.

pub mod histogram;
pub mod window;

use serde::{Deserialize, Serialize};

use super::error::{StreamError, within};
use super::event::Event;
use super::generate::params::{MAX_KEYS, MAX_PARTITIONS, MAX_SPAN_MS};
use histogram::Histogram;
pub use window::Window;

/// What is measured on the way through a stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DisorderParams {
    /// Where the watermark is made.
    pub watermarks: WatermarkPlace,
    /// The window whose drops are counted.
    pub window: Option<Window>,
    /// `allowedLateness` of that window [ms].
    pub allowed_lateness_ms: i64,
    /// The bound for which records behind the watermark are counted for each key [ms].
    pub bound_ms: i64,
}

/// Where the watermark is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", deny_unknown_fields)]
pub enum WatermarkPlace {
    /// One generator sees all records: a source with one split, or `assignTimestampsAndWatermarks`
    /// behind a source of parallelism 1.
    Operator,
    /// Each split of the source has a generator, and the least of their watermarks counts: a
    /// `KafkaSource` that is given the strategy. Without idleness: a split holds the watermark back
    /// until its first record and while it is silent.
    #[serde(rename_all = "camelCase")]
    Split {
        /// Splits that are known from the start, 1 to 256.
        splits: u16,
    },
    /// A job that runs at the same time says it for each record, see [`Disorder::add_judged`].
    #[serde(rename_all = "camelCase")]
    Job {
        /// Whether one generator sees all records.
        is_one: bool,
        /// How it makes watermarks.
        rule: JobRule,
    },
}

/// How a job makes watermarks from event times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum JobRule {
    /// `BoundedOutOfOrdernessWatermarks`: greatest - bound - 1.
    Bounded,
    /// `WATERMARK FOR`, evaluated in the source: greatest - bound. A record as late as the greatest
    /// is behind it with a bound of 0, so each needs a millisecond more.
    Sql,
    /// The same in `WatermarkAssignerOperator`, which starts at 0 whatever the bound is.
    SqlAssigner,
}

/// The disorder of the records seen so far.
#[derive(Debug, Clone)]
pub struct Disorder {
    params: DisorderParams,
    watermark: Greatest,
    first: Option<i64>,
    last: i64,
    behind: Histogram,
    partitions: Vec<PartitionCounts>,
    keys: Vec<KeyCounts>,
    records_without_key: u64,
    past_cleanup: Histogram,
}

/// What is known of the records of a partition.
#[derive(Debug, Clone, Default)]
pub struct PartitionCounts {
    /// How far records are behind [ms].
    pub behind: Histogram,
    /// Records behind the watermark of the bound in the params.
    pub behind_watermark: u64,
    /// Records that made the watermark rise.
    pub raised: u64,
}

/// What is known of the records of a key.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KeyCounts {
    /// The sum of how far its records are behind [ms].
    pub total_ms: u64,
    /// How far the worst one is behind: the least bound that leaves none behind the watermark [ms].
    pub worst_ms: u64,
    /// Its records.
    pub records: u32,
    /// Records behind the event time that the watermark follows.
    pub out_of_order: u32,
    /// Records behind the watermark of the bound in the params.
    pub behind_watermark: u32,
}

impl Disorder {
    /// Nothing seen yet.
    ///
    /// # Errors
    /// A param outside its range, or a window that Flink refuses.
    pub fn new(params: &DisorderParams) -> Result<Self, StreamError> {
        within("boundMs", params.bound_ms, 0, MAX_SPAN_MS)?;
        within("allowedLatenessMs", params.allowed_lateness_ms, 0, i64::MAX)?;
        if let Some(window) = &params.window {
            window.check()?;
        }
        let splits = match params.watermarks {
            WatermarkPlace::Operator | WatermarkPlace::Job { .. } => 0,
            WatermarkPlace::Split { splits } => {
                within("watermarks.splits", splits, 1, MAX_PARTITIONS)?;
                usize::from(splits)
            }
        };
        Ok(Self {
            params: params.clone(),
            watermark: Greatest { greatest: None, of_split: vec![None; splits] },
            first: None,
            last: i64::MIN,
            behind: Histogram::wide(),
            partitions: Vec::new(),
            keys: Vec::new(),
            records_without_key: 0,
            past_cleanup: Histogram::wide(),
        })
    }

    /// Takes in the next records, in order of arrival.
    pub fn add_all(&mut self, events: &[Event]) {
        events.iter().for_each(|event| self.add(event.time, event.key, event.partition));
    }

    /// Takes in the next record. Partitions from [`MAX_PARTITIONS`] on count as the last one, and
    /// keys from [`MAX_KEYS`] on are counted together.
    pub fn add(&mut self, time: i64, key: u32, partition: u16) {
        self.add_judged((time, key, partition), self.watermark.greatest, None);
    }

    /// The same where a job says which event time the watermark followed that the record was judged
    /// by: that watermark, the bound and 1 ms; `None` where there was none yet. `told` is the last
    /// millisecond of its window, for [`Window::Told`].
    pub fn add_judged(
        &mut self,
        (time, key, partition): (i64, u32, u16),
        greatest: Option<i64>,
        told: Option<i64>,
    ) {
        let partition = usize::from(partition.min(MAX_PARTITIONS - 1));
        let behind = greatest.map_or(0, |it| it.saturating_sub(time).max(0));
        if partition >= self.partitions.len() {
            self.partitions.resize_with(partition + 1, PartitionCounts::default);
        }
        let is_late = behind > self.params.bound_ms;
        self.behind.add(behind);
        self.partitions[partition].behind.add(behind);
        self.partitions[partition].behind_watermark += u64::from(is_late);
        self.count_key(key, behind.unsigned_abs(), is_late);
        if let Some(window) = &self.params.window {
            let cleanup = window.cleanup_time(time, told, self.params.allowed_lateness_ms);
            self.past_cleanup.add(greatest.map_or(0, |it| it.saturating_sub(cleanup)));
        }
        self.first = Some(self.first.map_or(time, |first| first.min(time)));
        self.last = self.last.max(time);
        self.partitions[partition].raised += u64::from(self.watermark.advance(time, partition));
    }

    fn count_key(&mut self, key: u32, behind: u64, is_late: bool) {
        if key >= MAX_KEYS {
            self.records_without_key += 1;
            return;
        }
        let at = key as usize;
        if at >= self.keys.len() {
            self.keys.resize(at + 1, KeyCounts::default());
        }
        let counts = &mut self.keys[at];
        counts.records += 1;
        counts.out_of_order += u32::from(behind > 0);
        counts.behind_watermark += u32::from(is_late);
        counts.worst_ms = counts.worst_ms.max(behind);
        counts.total_ms = counts.total_ms.saturating_add(behind);
    }

    /// What was measured, and how.
    pub fn params(&self) -> &DisorderParams {
        &self.params
    }

    /// How far records are behind, over all partitions [ms].
    pub fn behind(&self) -> &Histogram {
        &self.behind
    }

    /// By how much the greatest event time has passed the cleanup time of a record's last window
    /// [ms]; empty without a window.
    pub fn past_cleanup(&self) -> &Histogram {
        &self.past_cleanup
    }

    /// Partitions by number; those without records are empty.
    pub fn partitions(&self) -> &[PartitionCounts] {
        &self.partitions
    }

    /// Keys by index.
    pub fn keys(&self) -> &[KeyCounts] {
        &self.keys
    }

    /// Records whose keys are not among [`Disorder::keys`].
    pub fn records_without_key(&self) -> u64 {
        self.records_without_key
    }

    /// The least and the greatest event time [ms since the epoch]; `None` before the first record.
    pub fn time_range(&self) -> Option<(i64, i64)> {
        self.first.map(|first| (first, self.last))
    }
}

/// The greatest event time that the watermark follows: `watermark + bound + 1`.
#[derive(Debug, Clone)]
struct Greatest {
    greatest: Option<i64>,
    /// The greatest of each split; empty where one generator sees all.
    of_split: Vec<Option<i64>>,
}

impl Greatest {
    /// Whether the watermark rises.
    fn advance(&mut self, time: i64, partition: usize) -> bool {
        let before = self.greatest;
        if self.of_split.is_empty() {
            self.greatest = before.max(Some(time));
            return before < self.greatest;
        }
        // A split that nobody announced starts without a watermark, as in the multiplexer.
        if partition >= self.of_split.len() {
            self.of_split.resize(partition + 1, None);
        }
        let own = self.of_split[partition];
        // Only a split at or below the minimum can raise it; `None` is the least of all.
        if own < Some(time) {
            self.of_split[partition] = Some(time);
            if own <= before {
                self.greatest = before.max(self.of_split.iter().min().copied().flatten());
            }
        }
        before < self.greatest
    }
}
