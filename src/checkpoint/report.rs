//! What a simulation says of each checkpoint, in the words of Flink's REST API.

use serde::Serialize;

/// How a checkpoint ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum CheckpointStatus {
    /// Not before the run did.
    InProgress,
    /// All subtasks acknowledged it.
    Completed,
    /// It expired before completing.
    Failed,
}

/// A subtask's part of a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SubtaskCheckpoint {
    /// The vertex.
    pub vertex: String,
    /// The subtask.
    pub index: u32,
    /// `start_delay` [ms].
    pub start_delay_ms: u64,
    /// `alignment.duration` [ms].
    pub alignment_ms: u64,
    /// `alignment.persisted` [B].
    pub persisted_bytes: u64,
    /// `checkpoint.sync` [ms].
    pub sync_ms: u64,
    /// `checkpoint.async` [ms].
    pub async_ms: u64,
    /// `end_to_end_duration` [ms].
    pub end_to_end_ms: u64,
    /// `unaligned_checkpoint`.
    pub unaligned: bool,
}

/// What is known of one channel's records in a checkpoint: positions in its stream [B].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
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
    /// When it was triggered, from the start of the run [ms].
    pub triggered_ms: u64,
    /// How it ended.
    pub status: CheckpointStatus,
    /// `end_to_end_duration` [ms]; for a failed one the time to its expiry.
    pub end_to_end_ms: u64,
    /// `persisted_data` [B].
    pub persisted_bytes: u64,
    /// The subtasks that acknowledged it.
    pub subtasks: Vec<SubtaskCheckpoint>,
    /// The cut through each channel.
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
    /// Records taken, or made by a source.
    pub records: u64,
    /// With an output that had no room [ms].
    pub backpressured_ms: u64,
    /// Spent on records [ms].
    pub busy_ms: u64,
}

/// A run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointReport {
    /// Every checkpoint that was triggered.
    pub checkpoints: Vec<Checkpoint>,
    /// Every subtask.
    pub tasks: Vec<TaskLoad>,
    /// Simulated time [ms].
    pub run_ms: u64,
    /// Events of the simulation.
    pub events: u64,
    /// Whether more checkpoints failed in a row than are tolerated.
    pub job_failed: bool,
}
