//! What was read, and which rows were not.

use serde::Serialize;

/// Bad rows that are named.
pub const MAX_NAMED: usize = 100;
/// Characters of a text that are shown.
const EXCERPT: usize = 40;

/// What was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadReport {
    /// One sentence.
    pub verdict: String,
    /// Bytes read.
    pub bytes: u64,
    /// Records kept.
    pub records: u64,
    /// Rows that are none.
    pub bad: u64,
    /// How many for each reason, the most frequent first.
    pub bad_by_reason: Vec<ReasonCount>,
    /// The first of them.
    pub bad_rows: Vec<BadRow>,
    /// Distinct keys.
    pub keys: u64,
    /// Partitions, in the order that they came in.
    pub partitions: Vec<String>,
    /// The least event time [ms since the epoch].
    pub first_time: Option<i64>,
    /// The greatest event time [ms since the epoch].
    pub last_time: Option<i64>,
    /// Timestamps that name no zone and were taken as UTC.
    pub without_zone: u64,
    /// Records that name an arrival before that of the record ahead, and took that one's.
    pub arrivals_back: u64,
    /// Bytes that records and keys take in memory.
    pub bytes_held: u64,
}

/// A row that is no record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BadRow {
    /// The line that it begins in, from 1; lines end with a line feed.
    pub line: u64,
    /// Why.
    pub reason: Reason,
    /// The same in words, with what was found.
    pub message: String,
}

/// Rows with the same reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReasonCount {
    /// The reason.
    pub reason: Reason,
    /// How many.
    pub count: u64,
}

/// Why a row is no record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Reason {
    /// Longer than 1 MiB.
    TooLong,
    /// A quote is opened and not closed.
    UnclosedQuote,
    /// Another number of fields than the other rows.
    FieldCount,
    /// A text that is read is not UTF-8.
    NotUtf8,
    /// Not an object of JSON.
    NotJson,
    /// The field is not there, or null.
    MissingField,
    /// An object or list where a text or number is read.
    NotScalar,
    /// The timestamp is empty.
    EmptyTime,
    /// The timestamp is not a number.
    NotANumber,
    /// The timestamp is not ISO 8601.
    NotIso8601,
    /// The timestamp is too far from the epoch.
    TimeOutOfRange,
    /// The value is no whole number of 32 bits.
    NotAValue,
}

/// Why a row is no record, before its line is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Why.
    pub reason: Reason,
    /// The same in words.
    pub message: String,
}

impl Fault {
    pub(super) fn new(reason: Reason, message: impl Into<String>) -> Self {
        Self { reason, message: message.into() }
    }
}

/// Bad rows, counted all and named up to [`MAX_NAMED`].
#[derive(Debug, Clone, Default)]
pub struct BadRows {
    counts: std::collections::BTreeMap<Reason, u64>,
    named: Vec<BadRow>,
}

impl BadRows {
    pub(super) fn add(&mut self, line: u64, fault: Fault) {
        *self.counts.entry(fault.reason).or_default() += 1;
        if self.named.len() < MAX_NAMED {
            let Fault { reason, message } = fault;
            self.named.push(BadRow { line, reason, message });
        }
    }

    pub(super) fn total(&self) -> u64 {
        self.counts.values().sum()
    }

    pub(super) fn by_reason(&self) -> Vec<ReasonCount> {
        let counts = self.counts.iter();
        let mut all: Vec<_> =
            counts.map(|(reason, count)| ReasonCount { reason: *reason, count: *count }).collect();
        all.sort_by_key(|it| std::cmp::Reverse(it.count));
        all
    }

    pub(super) fn into_named(self) -> Vec<BadRow> {
        self.named
    }
}

/// The beginning of a text, in quotes, with what cannot be shown as escapes.
pub fn excerpt(text: &str) -> String {
    let mut shown: String = text.chars().take(EXCERPT).flat_map(char::escape_debug).collect();
    if text.chars().nth(EXCERPT).is_some() {
        shown.push('…');
    }
    format!("\"{shown}\"")
}
