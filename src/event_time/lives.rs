//! When each window opened, fired and closed, by row, for the lanes and the table of results.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `WindowOperator.cleanupTime`.

use std::collections::{BTreeMap, BTreeSet};

use super::operator::{Firing, KeyId, Processed, Record, WindowParams, WindowStatus, cleanup_time};
use super::time::EventTime;
use super::window::Window;

/// The life of one window of one key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Life {
    /// The key.
    pub key: KeyId,
    /// The window.
    pub window: Window,
    /// Its cleanup time, MAX for never.
    pub cleanup: EventTime,
    /// The row of its first record.
    pub opened: u32,
    /// Rows in which it fired.
    pub fired: Vec<u32>,
    /// The row in which it ended.
    pub closed: Option<u32>,
    /// Whether it became part of a larger session.
    pub merged_away: bool,
    /// Records that it took.
    pub taken: u32,
    /// Of these, when the watermark had passed its end.
    pub taken_late: u32,
    /// Records and sum of the last result.
    pub last: Option<(usize, i64)>,
}

/// All windows that ever took a record.
#[derive(Debug, Clone)]
pub struct Lives {
    params: WindowParams,
    open: BTreeMap<(KeyId, Window), Life>,
    /// Open windows that will be cleaned up, by when.
    due: BTreeSet<(EventTime, KeyId, Window)>,
    ended: Vec<Life>,
}

impl Lives {
    /// None yet.
    pub const fn new(params: WindowParams) -> Self {
        Self { params, open: BTreeMap::new(), due: BTreeSet::new(), ended: Vec::new() }
    }

    /// Notes what a record did.
    pub fn on_record(&mut self, row: u32, record: Record, processed: &Processed) {
        for (window, status) in &processed.windows {
            if *status == WindowStatus::Expired {
                continue;
            }
            let before: Vec<Life> = processed
                .merged
                .iter()
                .filter_map(|merged| self.open.remove(&(record.key, *merged)))
                .collect();
            let mut life = self.open.remove(&(record.key, *window)).unwrap_or_else(|| Life {
                key: record.key,
                window: *window,
                cleanup: EventTime::ms(cleanup_time(&self.params, *window)),
                opened: row,
                fired: Vec::new(),
                closed: None,
                merged_away: false,
                taken: 0,
                taken_late: 0,
                last: None,
            });
            for mut merged in before {
                life.taken += merged.taken;
                life.taken_late += merged.taken_late;
                merged.closed = Some(row);
                merged.merged_away = true;
                self.ended.push(merged);
            }
            life.taken += 1;
            life.taken_late += u32::from(*status == WindowStatus::KeptForLateness);
            if life.cleanup != EventTime::MAX {
                self.due.insert((life.cleanup, record.key, *window));
            }
            self.open.insert((record.key, *window), life);
        }
        self.on_firings(row, &processed.firings);
    }

    /// Notes firings.
    pub fn on_firings(&mut self, row: u32, firings: &[Firing]) {
        for firing in firings {
            if let Some(life) = self.open.get_mut(&(firing.key, firing.window)) {
                life.fired.push(row);
                life.last = Some((firing.records.len(), firing.sum));
            }
        }
    }

    /// Ends windows past their cleanup.
    pub fn on_watermark(&mut self, row: u32, watermark: EventTime) {
        while let Some(&(cleanup, key, window)) = self.due.first() {
            if cleanup > watermark {
                break;
            }
            self.due.pop_first();
            // A session that was merged away ended then.
            if let Some(life) = self.open.remove(&(key, window)) {
                self.ended.push(Life { closed: Some(row), ..life });
            }
        }
    }

    /// Records that were in no result, where every `count` of a window make one.
    ///
    /// Sessions are left out: counts of merged sessions add up and may pass the count unnoticed.
    pub fn left_by(&self, count: u32) -> u32 {
        if self.params.assigner.merges() {
            return 0;
        }
        self.ended.iter().map(|life| life.taken % count).sum()
    }

    /// Open windows that end after one watermark and up to another.
    pub fn ending(&self, after: EventTime, up_to: EventTime) -> u64 {
        let is_between = |(_, window): &&(KeyId, Window)| {
            let last = EventTime::ms(window.max_timestamp());
            last > after && last <= up_to
        };
        self.open.keys().filter(is_between).count() as u64
    }

    /// All of them, by key, start and row.
    pub fn into_sorted(self) -> Vec<Life> {
        let mut all = self.ended;
        all.extend(self.open.into_values());
        all.sort_by_key(|life| (life.key, life.window, life.opened));
        all
    }
}
