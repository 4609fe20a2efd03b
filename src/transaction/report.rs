//! What a played scenario says.

use serde::Serialize;

use super::params::JobName;

/// What became of the promise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It never runs.
    JobFailsToStart,
    /// It runs, fails, and never gets further.
    RestartLoop,
    /// Records are missing that the job believes delivered.
    DataLoss,
    /// Records are there more than once.
    Duplicates,
    /// A reader waits for an abandoned transaction.
    StuckConsumers,
    /// Each record once.
    ExactlyOnce,
}

/// What Flink does because the promise is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Notices {
    /// A task fails.
    Fails,
    /// A line in the log; the job runs on.
    Logs,
    /// Nothing.
    Nothing,
}

/// Records that a reader has got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Visible {
    /// With `read_committed`.
    pub read_committed: u64,
    /// With `read_uncommitted`, copies counted.
    pub read_uncommitted: u64,
}

/// The first step that breaks the promise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Violation {
    /// As the recorded scenarios name it, such as `recommit@cp3:PRODUCER_FENCED`.
    pub step: String,
    /// When [ms].
    pub at_ms: u64,
    /// Which step of the trace it is.
    pub trace_index: Option<usize>,
}

/// A line that the logs of job or broker show.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LogLine {
    /// When [ms].
    pub at_ms: u64,
    /// The level.
    pub level: &'static str,
    /// The class that logs it.
    pub logger: &'static str,
    /// What it says.
    pub text: String,
    /// Whether these are Flink's or Kafka's own words, with `…` for what no model knows.
    pub is_quoted: bool,
    /// What is to be known of it beside; may be empty.
    pub note: String,
    /// Which job.
    pub job: JobName,
    /// Whether it speaks of loss where there is none.
    pub is_false_alarm: bool,
}

/// An inequality with its numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Inequality {
    /// `E1` to `E6`, or the name of a rule that compares no times: `rewind`, `replay`, `isolation`,
    /// `uniqueness`.
    pub id: &'static str,
    /// In symbols.
    pub formula: &'static str,
    /// The side that must be greater, or may not be exceeded [ms]; none where no times are compared.
    pub left_ms: Option<u64>,
    /// The other side [ms].
    pub right_ms: Option<u64>,
    /// Whether it holds.
    pub holds: bool,
    /// With the numbers put in.
    pub text: String,
}

/// Who acts in a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Actor {
    /// The job: source, checkpoints, failures.
    Job,
    /// Writer and committer.
    Sink,
    /// The transaction coordinator.
    Coordinator,
    /// The log.
    Partition,
    /// Who reads it.
    Readers,
}

/// One step of the swim-lane.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TraceStep {
    /// When [ms].
    pub at_ms: u64,
    /// Whose lane.
    pub actor: Actor,
    /// What kind of step, a stable name.
    pub kind: &'static str,
    /// Which job.
    pub job: Option<JobName>,
    /// Which subtask.
    pub subtask: Option<u32>,
    /// Which checkpoint.
    pub checkpoint: Option<u32>,
    /// Which transactional id.
    pub transactional_id: Option<String>,
    /// Its epoch.
    pub epoch: Option<i32>,
    /// Which of `transactions`.
    pub transaction: Option<usize>,
    /// Records, where it moves some.
    pub records: Option<u32>,
    /// The partition and the last stable offset from here on, where it moves.
    pub stable_offset: Option<u64>,
    /// What happens, as a sentence.
    pub text: String,
}

/// A transaction from begin to end. For a sink without transactions: what one attempt wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Transaction {
    /// Which job.
    pub job: JobName,
    /// Which subtask number its id carries.
    pub subtask: u32,
    /// Its transactional id; none where there is no coordinator.
    pub transactional_id: Option<String>,
    /// The epoch it was written with.
    pub epoch: Option<i32>,
    /// Its records.
    pub records: u32,
    /// When the coordinator started its clock [ms].
    pub started_ms: u64,
    /// `transaction.timeout.ms` of its producer [ms].
    pub timeout_ms: Option<u64>,
    /// The checkpoint that pre-committed it.
    pub checkpoint: Option<u32>,
    /// When it was pre-committed [ms].
    pub pre_committed_ms: Option<u64>,
    /// When the decision was logged [ms].
    pub decided_ms: Option<u64>,
    /// When the markers were written [ms].
    pub marked_ms: Option<u64>,
    /// `open`, `committed` or `aborted`.
    pub fate: &'static str,
    /// `timeout`, `initTransactions` or `close`, for an abort.
    pub abort_cause: Option<&'static str>,
    /// When a read_committed reader could read past its last record [ms].
    pub stable_ms: Option<u64>,
}

/// A piece of a partition's log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TapeEntry {
    /// When it was appended [ms].
    pub at_ms: u64,
    /// Which partition.
    pub partition: u32,
    /// The first offset.
    pub offset: u64,
    /// Records; 0 for a marker.
    pub records: u32,
    /// Which of `transactions`.
    pub transaction: Option<usize>,
    /// `data`, `commitMarker` or `abortMarker`.
    pub kind: &'static str,
    /// When the last stable offset passed it [ms].
    pub stable_ms: Option<u64>,
}

/// The last stable offset of a partition from a time on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StableMove {
    /// When [ms].
    pub at_ms: u64,
    /// Which partition.
    pub partition: u32,
    /// The last stable offset.
    pub offset: u64,
}

/// What became of a scenario.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TransactionReport {
    /// The verdict.
    pub outcome: Outcome,
    /// Why, in a sentence.
    pub because: String,
    /// Source records of the run.
    pub input_records: u64,
    /// Committed copies in the log.
    pub committed_records: u64,
    /// Copies beyond the first, as the judged reader sees them.
    pub duplicates: u64,
    /// Records that the judged reader will never see.
    pub lost: u64,
    /// Records that the source still has.
    pub undelivered: u64,
    /// What each kind of reader has got.
    pub consumer_visible: Visible,
    /// The longest time that a committed record was withheld [ms].
    pub lso_blocked_ms: u64,
    /// The first step that breaks the promise.
    pub first_violation: Option<Violation>,
    /// The first error that the sink was given, even where all is well.
    pub alarm: Option<&'static str>,
    /// What Flink does because of it.
    pub flink_notices: Notices,
    /// What the logs show.
    pub log_lines: Vec<LogLine>,
    /// The inequality that decides.
    pub inequality: Option<Inequality>,
    /// Restarts after task failures.
    pub auto_restarts: u32,
    /// InitProducerId calls of each attempt's clean-up.
    pub probe_calls_per_attempt: Vec<u32>,
    /// Transactional ids that the broker still keeps.
    pub retained_transactional_ids: u64,
    /// Intervals that were not played because each repeats the one before.
    pub skipped_intervals: u32,
    /// When the run ends [ms].
    pub end_ms: u64,
    /// The steps in order.
    pub trace: Vec<TraceStep>,
    /// The transactions in order of their start.
    pub transactions: Vec<Transaction>,
    /// The logs of all partitions.
    pub tape: Vec<TapeEntry>,
    /// How the last stable offsets move.
    pub stable_offsets: Vec<StableMove>,
}
