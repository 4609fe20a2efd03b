//! What `runEventTime` answers: each item of the input with all that it led to.

use serde::Serialize;

pub use super::holders::{Moment, PartitionReport, SourceReport};
use super::kept::{KeptBytes, KeptReport};
use super::operator::{Cause, Outcome, WindowStatus};
use super::signal::Signal;
use super::time::EventTime;
use crate::units::FlinkVersion;

/// A window that a record was assigned to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AssignedWindow {
    /// Its first millisecond.
    pub start: EventTime,
    /// The one after its last.
    pub end: EventTime,
    /// What it did with the record.
    pub status: WindowStatus,
}

/// A window with its bounds only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WindowBounds {
    /// Its first millisecond.
    pub start: EventTime,
    /// The one after its last.
    pub end: EventTime,
}

/// An open window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenWindow {
    /// The key.
    pub key: String,
    /// Its first millisecond.
    pub start: EventTime,
    /// The one after its last.
    pub end: EventTime,
    /// Records it holds.
    pub elements: usize,
}

/// A result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FiringReport {
    /// The key.
    pub key: String,
    /// The subtask of the window operator.
    pub subtask: u32,
    /// First millisecond of the window.
    pub start: EventTime,
    /// The one after its last.
    pub end: EventTime,
    /// Records in it.
    pub count: usize,
    /// Their sum.
    pub sum: i64,
    /// Their places in the input, at most 200 of them unless all were asked for.
    pub records: Vec<u32>,
    /// The watermark at that moment.
    pub watermark: EventTime,
    /// Why it fired.
    pub cause: Cause,
    /// The n-th firing of this key and window.
    pub nth: u32,
    /// Whether it repeats something that was emitted before.
    pub refire: bool,
}

/// What a source subtask sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Sent {
    /// The source subtask.
    pub subtask: u32,
    /// What.
    pub signal: Signal,
}

/// Where a dropped record went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Destination {
    /// The side output.
    SideOutput,
    /// `numLateRecordsDropped`.
    Counter,
}

/// What happened to a record on its whole way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum RecordOutcome {
    /// Every window that took it was open.
    OnTime,
    /// Counted, in at least one window that the watermark had passed.
    Late,
    /// No window took it, and it went to the side output or the counter.
    Dropped,
    /// It lies in no window and is not late: it vanishes without a trace.
    Ignored,
    /// An earlier record had its id; it never reached the windows.
    Duplicate,
}

impl From<Outcome> for RecordOutcome {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::OnTime => Self::OnTime,
            Outcome::Late => Self::Late,
            Outcome::Dropped => Self::Dropped,
            Outcome::Ignored => Self::Ignored,
        }
    }
}

/// The part of a row that is about a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordReport {
    /// Its name.
    pub id: String,
    /// Its key.
    pub key: String,
    /// Its timestamp.
    pub time: EventTime,
    /// What is summed up.
    pub value: i64,
    /// The partition it was read from.
    pub partition: u32,
    /// The source subtask that read it.
    pub source_subtask: u32,
    /// Its key group.
    pub key_group: u32,
    /// The subtask of the window operator.
    pub subtask: u32,
    /// Whether it is at or behind the watermark; that alone does not make it late.
    pub behind_watermark: bool,
    /// The windows it was assigned to.
    pub windows: Vec<AssignedWindow>,
    /// Sessions that it merged.
    pub merged_from: Vec<WindowBounds>,
    /// What happened to it; `None` where the job failed on it.
    pub outcome: Option<RecordOutcome>,
    /// Some windows took it, others had expired.
    pub partial: bool,
    /// Where it went if it was dropped.
    pub destination: Option<Destination>,
    /// Firings that it caused.
    pub firings: Vec<FiringReport>,
    /// Open windows after it, before the watermark that it causes.
    pub open_after: usize,
}

/// What one item led to, or one call of the clock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    /// Its place in the input; `None` for a call of the clock and for the end of input.
    pub item: Option<u32>,
    /// Processing time [ms].
    pub at: i64,
    /// Whether the job was restored here: of what was, only what a savepoint stores is left.
    pub restored: bool,
    /// The record, if it is one.
    pub record: Option<RecordReport>,
    /// What the input has a source subtask send, if it is no record.
    pub signal: Option<Sent>,
    /// The watermark of the window operator before.
    pub watermark_before: EventTime,
    /// What the source subtasks sent after it.
    pub sent: Vec<Sent>,
    /// What went on from the valve of the window operator to the operator.
    pub received: Vec<Signal>,
    /// The watermark of the window operator after.
    pub watermark_after: EventTime,
    /// Firings of timers, those of processing time first.
    pub firings: Vec<FiringReport>,
    /// What left the window operator beside results.
    pub forwarded: Vec<Signal>,
    /// Open windows.
    pub open_windows: usize,
    /// Of these, the ones that have ended and are kept for late records.
    #[serde(skip)]
    pub ended_windows: usize,
    /// Which ones, where that was asked for.
    pub open: Option<Vec<OpenWindow>>,
    /// Copies of records in state, one for each window.
    pub elements: usize,
    /// Pairs of key and namespace that hold contents.
    pub state_entries: usize,
    /// Pending timers in event time.
    pub timers: usize,
    /// Bytes that all of it takes.
    pub kept: KeptBytes,
    /// Why the job failed here.
    pub error: Option<String>,
}

/// The life of one window of one key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WindowLife {
    /// The key.
    pub key: String,
    /// The subtask of the window operator.
    pub subtask: u32,
    /// Its first millisecond.
    pub start: EventTime,
    /// The one after its last.
    pub end: EventTime,
    /// From this watermark on it takes nothing more; `endOfInput` for never.
    pub cleanup: EventTime,
    /// The row of its first record.
    pub opened: u32,
    /// Rows in which it fired, one a firing.
    pub fired: Vec<u32>,
    /// The row in which it was cleaned up, or merged into another one.
    pub closed: Option<u32>,
    /// Whether it became part of a larger session.
    pub merged_away: bool,
    /// Records that it took.
    pub taken: u32,
    /// Of these, taken when the watermark had passed its end.
    pub taken_late: u32,
    /// The last result: records and sum.
    pub last_count: Option<usize>,
    /// Sum of the last result.
    pub last_sum: Option<i64>,
}

/// How many of what.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Totals {
    /// Records.
    pub events: u32,
    /// In open windows only.
    pub on_time: u32,
    /// Counted by a window that the watermark had passed.
    pub late: u32,
    /// Counted by no window.
    pub dropped: u32,
    /// In no window and not late.
    pub ignored: u32,
    /// Left out since an earlier record had the same id.
    pub duplicates: u32,
    /// Counted by some windows and not by others.
    pub partial: u32,
    /// At or behind the watermark when they came.
    pub behind_watermark: u32,
    /// Records in the side output.
    pub side_output: u32,
    /// `numLateRecordsDropped`.
    pub num_late_records_dropped: u32,
    /// Results.
    pub firings: u32,
    /// Results that repeat something emitted before.
    pub refires: u32,
    /// The most windows open at once.
    pub open_windows_max: usize,
    /// The most copies of records in state at once.
    pub elements_max: usize,
    /// The most timers at once.
    pub timers_max: usize,
    /// Ids kept to leave duplicates out, at the end.
    pub ids_kept: usize,
}

/// One subtask of the window operator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WindowSubtask {
    /// The subtask.
    pub subtask: u32,
    /// Records that it got.
    pub events: u32,
    /// Keys that it got.
    pub keys: u32,
}

/// What happens to each record.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EventTimeReport {
    /// The version asked for.
    pub version: FlinkVersion,
    /// The patch release it was checked on.
    pub checked_on: &'static str,
    /// One sentence.
    pub verdict: String,
    /// Each item, and each call of the clock that changed something.
    pub rows: Vec<Row>,
    /// The windows, by key and start; at most 20 000 of them.
    pub windows: Vec<WindowLife>,
    /// How many more there were.
    pub windows_omitted: usize,
    /// How many of what.
    pub totals: Totals,
    /// The source subtasks.
    pub sources: Vec<SourceReport>,
    /// The subtasks of the window operator.
    pub subtasks: Vec<WindowSubtask>,
    /// The watermark of the window operator at the end of what is shown.
    pub watermark: EventTime,
    /// The most windows of all keys that the rules allow to be open at once; `None` where no formula
    /// says it.
    #[serde(skip)]
    pub open_windows_most: Option<u64>,
    /// Bytes kept in state.
    pub kept: KeptReport,
    /// The same job in Java, with the `DataStream` API.
    pub data_stream: String,
    /// The same windows in SQL; `None` where SQL has no such window.
    pub sql: Option<String>,
    /// Why?, step by step.
    pub steps: Vec<RuleStep>,
    /// What these rows leave out.
    pub not_modelled: Vec<&'static str>,
}

/// A rule with the values put in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RuleStep {
    /// What it decides.
    pub what: String,
    /// The formula.
    pub formula: String,
    /// With the values of this job.
    pub values: String,
    /// The class it comes from.
    pub source: &'static str,
}
