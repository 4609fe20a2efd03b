//! What a run gives: results, totals, and the open state over time.

use serde::{Deserialize, Serialize};

/// The most results that are kept between two calls of `take_results`; further ones are counted.
pub const RESULTS_MAX: usize = 4_000_000;

/// Firings in order, one array a column.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Results {
    /// The key.
    pub key: Vec<u32>,
    /// The first millisecond of the window.
    pub start: Vec<i64>,
    /// The millisecond after its last one.
    pub end: Vec<i64>,
    /// Records in it.
    pub count: Vec<u32>,
    /// Sum of their values.
    pub sum: Vec<i64>,
    /// The how manieth firing of exactly this key and window, from 1.
    pub nth: Vec<u32>,
    /// The watermark when it fired; `Long.MAX_VALUE` at the end of the input.
    pub watermark: Vec<i64>,
    /// The record that caused it, by itself or by the watermark after it; at the end of the input
    /// the number of records.
    pub record: Vec<u32>,
}

/// One firing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Firing {
    /// The key.
    pub key: u32,
    /// The first millisecond of the window.
    pub start: i64,
    /// The millisecond after its last one.
    pub end: i64,
    /// Records in it.
    pub count: u32,
    /// Sum of their values.
    pub sum: i64,
    /// The how manieth firing of this key and window.
    pub nth: u32,
}

impl Results {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.key.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.key.is_empty()
    }

    fn push(&mut self, firing: Firing, watermark: i64, record: u32) {
        self.key.push(firing.key);
        self.start.push(firing.start);
        self.end.push(firing.end);
        self.count.push(firing.count);
        self.sum.push(firing.sum);
        self.nth.push(firing.nth);
        self.watermark.push(watermark);
        self.record.push(record);
    }
}

/// Firings that are kept, and how many may be.
#[derive(Debug, Clone)]
pub struct Firings {
    /// The firings.
    pub results: Results,
    /// The most of them; further ones are counted.
    pub room: usize,
}

impl Default for Firings {
    fn default() -> Self {
        Self { results: Results::default(), room: RESULTS_MAX }
    }
}

/// Counts of a whole run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Totals {
    /// Records processed.
    pub records: u32,
    /// Records that no fired window took, and some window did.
    pub on_time: u32,
    /// Records that a fired window took within the lateness.
    pub late: u32,
    /// Records that some windows took and others did not, on time or late.
    pub partly: u32,
    /// Records of the side output, or of `numLateRecordsDropped`.
    pub dropped: u32,
    /// Records in no window that were not late.
    pub ignored: u32,
    /// Records left out since an earlier one had the same id.
    pub duplicates: u32,
    /// Records whose timestamp was not above the watermark.
    pub behind: u32,
    /// Firings.
    pub results: u32,
    /// Firings of a key and window that had fired before.
    pub refired: u32,
}

/// Where firings go, with the record and the watermark that they come from.
#[derive(Debug)]
pub struct Output<'a> {
    /// The firings.
    pub firings: &'a mut Firings,
    /// Their counts.
    pub totals: &'a mut Totals,
    /// The current record.
    pub record: u32,
    /// The current watermark.
    pub watermark: i64,
}

impl Output<'_> {
    /// A firing.
    pub fn fire(&mut self, firing: Firing) {
        self.totals.results += 1;
        self.totals.refired += u32::from(firing.nth > 1);
        if self.firings.results.len() < self.firings.room {
            self.firings.results.push(firing, self.watermark, self.record);
        }
    }
}

/// What is open: entries of Flink's keyed window state, one for each key and window.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenState {
    /// Entries whose window has not ended yet.
    pub waiting: u64,
    /// Entries whose window has ended and is kept for late records.
    pub held: u64,
    /// Different windows among both; sessions of different keys count each.
    pub windows: u64,
    /// What all of it consists of.
    pub all: Takes,
    /// What there would be without allowed lateness.
    pub prompt: Takes,
}

/// What takes bytes, counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Takes {
    /// Pairs of key and window with contents.
    pub entries: u64,
    /// Records in them, one copy for each.
    pub records: u64,
    /// Pending timers.
    pub timers: u64,
    /// Pairs of key and window whose trigger keeps a number.
    pub triggers: u64,
    /// Sessions in flight.
    pub sessions: u64,
    /// Keys that have any.
    pub keys_with_sessions: u64,
}

/// The open state after a number of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// Records processed.
    pub records: u32,
    /// The watermark then [ms].
    pub watermark: i64,
    /// What is open.
    pub open: OpenState,
}

/// One entry of the open state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct OpenWindow {
    /// The key.
    pub key: u32,
    /// The first millisecond of the window.
    pub start: i64,
    /// The millisecond after its last one.
    pub end: i64,
    /// Records in it.
    pub count: u32,
    /// Sum of their values.
    pub sum: i64,
}
