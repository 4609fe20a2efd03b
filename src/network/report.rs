//! The shape of an answer about network buffers. Reports are plain data.

use serde::Serialize;

use super::gate::GateBuffers;
use super::partition::PartitionBuffers;
use super::pool::PoolAnswer;
use crate::units::{Bytes, FlinkVersion};

/// A task with its buffers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NetworkTask {
    /// Its name.
    pub name: String,
    /// Its subtasks on the fullest TaskManager.
    pub subtasks: i64,
    /// Its gates.
    pub gates: Vec<NetworkGate>,
    /// Its result partitions.
    pub partitions: Vec<PartitionBuffers>,
    /// Buffers without which a subtask does not start.
    pub required: i64,
    /// Buffers a subtask uses when there are enough.
    pub wanted: i64,
    /// Buffers it announces under fine-grained resource management, `None` where Flink refuses.
    pub announced: Option<i64>,
    /// Flink's refusal to announce.
    pub announce_error: Option<String>,
}

/// Gates of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct NetworkGate {
    /// How many.
    pub count: i64,
    /// The buffers of each.
    pub buffers: GateBuffers,
}

/// A value of an option and the same in whole MiB, found by deriving again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Knob {
    /// The option.
    pub option: &'static str,
    /// The smallest value that does.
    pub bytes: Bytes,
    /// The same as a configuration has it, in whole MiB where that does too.
    pub text: String,
}

/// Answer of `networkBuffers`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NetworkReport {
    /// The version asked for.
    pub version: FlinkVersion,
    /// The patch release whose recorded answers the numbers equal.
    pub checked_on: &'static str,
    /// One sentence: the number, the knob, the boundary.
    pub verdict: String,
    /// Network memory of the TaskManager.
    pub network: Bytes,
    /// The size of a buffer.
    pub segment: Bytes,
    /// Buffers in its pool.
    pub total: i64,
    /// Buffers without which the fullest TaskManager's tasks do not start.
    pub required: i64,
    /// Buffers they use when there are enough.
    pub wanted: i64,
    /// Whether a partition without a limit takes whatever is left beyond `wanted`.
    pub unlimited: bool,
    /// Whether the pool holds what is required.
    pub fits: bool,
    /// Flink's message for the first request that fails, tasks starting in the order of `tasks`.
    pub failure: Option<String>,
    /// The least network memory that holds what is required.
    pub smallest_network: Bytes,
    /// The smallest total with which it fits, the other settings unchanged.
    pub smallest_total: Option<Knob>,
    /// Slots of a TaskManager.
    pub slots: i32,
    /// Slots that the stages take in all.
    pub job_slots: i64,
    /// TaskManagers of that many slots that the stages fill.
    pub task_managers: i64,
    /// The tasks.
    pub tasks: Vec<NetworkTask>,
    /// What the pool answers to the requests of the question.
    pub requests: Vec<PoolAnswer>,
    /// What these numbers leave out.
    pub not_modelled: Vec<&'static str>,
}
