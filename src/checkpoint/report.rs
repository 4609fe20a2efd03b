//! What a simulation says of each checkpoint, in the words of Flink's REST API, and of each subtask.
//!
//! Source: Flink 1.20.5, CheckpointStatsTracker, SubtaskCheckpointStatistics (`completed` and
//! `pending_or_failed`), TaskIOMetricGroup (busy, idle and backpressured time add up).

use serde::Serialize;

use super::edges::EdgeReport;
use super::latency::LatencyPercentiles;
use super::recovery::RecoveryReport;
use super::verdict::Verdict;

/// How a checkpoint ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum CheckpointStatus {
    /// Not before the run did.
    InProgress,
    /// All subtasks acknowledged it.
    Completed,
    /// It expired, was subsumed, or the job failed.
    Failed,
}

/// Whether a subtask acknowledged a checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SubtaskStatus {
    /// It did.
    Completed,
    /// It did not.
    PendingOrFailed,
}

/// A subtask's part of a checkpoint. Of one that is not acknowledged only the subtask is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SubtaskCheckpoint {
    /// A place in the report's tasks.
    pub task: usize,
    /// The vertex.
    pub vertex: String,
    /// The subtask.
    pub index: u32,
    /// `status`.
    pub status: SubtaskStatus,
    /// `ack_timestamp`, from the start of the run [ms].
    pub ack_ms: u64,
    /// `end_to_end_duration` [ms].
    pub end_to_end_ms: u64,
    /// `start_delay` [ms].
    pub start_delay_ms: u64,
    /// `alignment.duration` [ms].
    pub alignment_ms: u64,
    /// `alignment.processed` [B].
    pub processed_bytes: u64,
    /// `alignment.persisted` [B].
    pub persisted_bytes: u64,
    /// `checkpoint.sync` [ms].
    pub sync_ms: u64,
    /// `checkpoint.async` [ms].
    pub async_ms: u64,
    /// `state_size` [B].
    pub state_size: u64,
    /// `checkpointed_size` [B].
    pub checkpointed_size: u64,
    /// `unaligned_checkpoint`.
    pub unaligned: bool,
    /// `aborted`; what comes after a failure is in no statistics, so it never is here.
    pub aborted: bool,
    /// What waited in blocked channels at the end of the alignment [B]; not a field of Flink.
    pub held_bytes: u64,
    /// Records of it.
    pub held_records: u64,
}

/// What is known of one channel's records in a checkpoint: positions in its stream [B].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ChannelCut {
    /// Written before the sender's state was taken.
    pub emitted: u64,
    /// Read before the receiver's state was taken.
    pub consumed: u64,
    /// In the snapshot as overtaken records.
    pub persisted: u64,
}

/// One checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Checkpoint {
    /// Its number.
    pub id: u64,
    /// `trigger_timestamp`, from the start of the run [ms].
    pub triggered_ms: u64,
    /// `latest_ack_timestamp`, from the start of the run [ms].
    pub latest_ack_ms: Option<u64>,
    /// `status`.
    pub status: CheckpointStatus,
    /// `end_to_end_duration` [ms]; for a failed one the time to its failure.
    pub end_to_end_ms: u64,
    /// `state_size` [B].
    pub state_size: u64,
    /// `checkpointed_size` [B].
    pub checkpointed_size: u64,
    /// `processed_data` [B].
    pub processed_bytes: u64,
    /// `persisted_data` [B].
    pub persisted_bytes: u64,
    /// `num_subtasks`.
    pub num_subtasks: usize,
    /// `num_acknowledged_subtasks`.
    pub num_acknowledged: usize,
    /// `failure_timestamp`, from the start of the run [ms].
    pub failure_ms: Option<u64>,
    /// `failure_message`.
    pub failure_message: Option<String>,
    /// Records that a failure after it counts twice, at least once; not a field of Flink.
    pub records_twice: u64,
    /// Every subtask.
    pub subtasks: Vec<SubtaskCheckpoint>,
    /// The cut through each channel; of old checkpoints it is not kept.
    #[serde(skip)]
    pub cut: Vec<ChannelCut>,
}

/// How a task spent its time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskLoad {
    /// The vertex.
    pub vertex: String,
    /// The subtask.
    pub index: u32,
    /// `numRecordsIn`.
    pub records_in: u64,
    /// `numRecordsOut`; a record for several receivers counts for each.
    pub records_out: u64,
    /// `accumulateBackPressuredTimeMs`: with an output that had no room.
    pub backpressured_ms: u64,
    /// `accumulateBusyTimeMs`: spent on records and snapshots.
    pub busy_ms: u64,
    /// `accumulateIdleTimeMs`.
    pub idle_ms: u64,
    /// `backpressureLevel`, from the share of the run: `ok`, `low` or `high`.
    pub level: &'static str,
}

/// How long records took from source to sink.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LatencyReport {
    /// Those that arrived while a checkpoint ran.
    pub during: Option<LatencyPercentiles>,
    /// The others.
    pub without: Option<LatencyPercentiles>,
}

/// Records a second at both ends of the job.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Throughput {
    /// Made by sources while a checkpoint ran; absent where none did.
    pub source_during: Option<f64>,
    /// Made by sources otherwise.
    pub source_without: Option<f64>,
    /// Taken by sinks while a checkpoint ran.
    pub sink_during: Option<f64>,
    /// Taken by sinks otherwise.
    pub sink_without: Option<f64>,
}

/// A run.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointReport {
    /// The run in a sentence.
    pub verdict: Verdict,
    /// Every checkpoint that was triggered.
    pub checkpoints: Vec<Checkpoint>,
    /// Every subtask.
    pub tasks: Vec<TaskLoad>,
    /// Every edge.
    pub edges: Vec<EdgeReport>,
    /// From source to sink.
    pub latency: LatencyReport,
    /// At both ends.
    pub throughput: Throughput,
    /// Failures and what followed them.
    pub recoveries: Vec<RecoveryReport>,
    /// Simulated time [ms].
    pub run_ms: u64,
    /// Events of the simulation.
    pub events: u64,
    /// Whether more checkpoints failed in a row than are tolerated.
    pub job_failed: bool,
    /// Flink's text for it.
    pub job_failure_message: Option<String>,
}
