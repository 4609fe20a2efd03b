//! What a question about network buffers is asked with.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::error::NetworkError;
use super::partition::PartitionType;
use super::pool::PoolRequest;
use crate::memory::MemoryParams;
use crate::units::FlinkVersion;

/// The most stages, tasks, exchanges or requests of a described job.
pub const MAX_ITEMS: usize = 500;
/// The highest parallelism: `KeyGroupRangeAssignment.UPPER_BOUND_MAX_PARALLELISM`.
pub const MAX_PARALLELISM: i64 = 1 << 15;
/// Counts of buffers and tasks in a description stay below what a Java `int` holds.
const MAX_COUNT: i64 = i32::MAX as i64;

/// Params of `networkBuffers`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NetworkParams {
    /// The version that reads the configuration.
    pub version: FlinkVersion,
    /// The TaskManager's configuration.
    pub config: BTreeMap<String, String>,
    /// Whether legacy heap keys are mapped first.
    pub start_script: bool,
    /// Memory limit of the container; it does not change the buffers.
    pub container_limit: Option<String>,
    /// The job.
    pub job: NetworkJob,
}

impl NetworkParams {
    /// The part that a TaskManager's memory is derived from.
    pub fn memory(&self) -> MemoryParams {
        MemoryParams {
            version: self.version,
            config: self.config.clone(),
            start_script: self.start_script,
            container_limit: self.container_limit.clone(),
        }
    }
}

/// A job as its exchanges see it. Stages are placed by slots; tasks are counted as they stand.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NetworkJob {
    /// Job vertices: chains of operators.
    pub stages: Vec<JobStage>,
    /// The exchanges between them; chained operators exchange nothing.
    pub exchanges: Vec<JobExchange>,
    /// Tasks on the TaskManager whose gates and partitions are known already.
    pub tasks: Vec<JobTask>,
    /// Requests to put to an untouched pool of that size, one after the other.
    pub requests: Vec<PoolRequest>,
    /// Exclusive buffers of tiered storage; `None` takes the version's own.
    pub tiered_exclusive_buffers: Option<i64>,
}

/// A job vertex.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct JobStage {
    /// Its name.
    pub name: String,
    /// Its parallelism.
    pub parallelism: i64,
    /// Stages of one group share slots; `default` unless the job says otherwise.
    pub slot_sharing_group: String,
}

/// How an exchange spreads records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ExchangePattern {
    /// To the subtask of the same number.
    Forward,
    /// To a few subtasks nearby.
    Rescale,
    /// To all in turn.
    Rebalance,
    /// By key.
    Hash,
    /// To all.
    Broadcast,
}

/// An exchange: one result partition in front, one gate behind.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct JobExchange {
    /// The writing stage, by its place in `stages`.
    pub from: usize,
    /// The reading stage.
    pub to: usize,
    /// How records spread.
    pub pattern: ExchangePattern,
    /// The type of the result partition.
    #[serde(rename = "type")]
    pub partition: PartitionType,
}

/// A task whose gates and partitions are known.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct JobTask {
    /// Its name.
    pub name: String,
    /// Its subtasks on the TaskManager.
    pub subtasks: i64,
    /// Its gates.
    pub gates: Vec<TaskGate>,
    /// Its result partitions.
    pub partitions: Vec<TaskPartition>,
}

/// Gates of a task.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TaskGate {
    /// Channels of each.
    pub channels: i64,
    /// How many such gates.
    pub count: i64,
    /// The type of the partitions they read.
    #[serde(rename = "type")]
    pub partition: PartitionType,
}

/// A result partition of a task.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TaskPartition {
    /// Its subpartitions.
    pub subpartitions: i64,
    /// Its type.
    #[serde(rename = "type")]
    pub partition: PartitionType,
}

impl NetworkJob {
    /// Refuses a description that no job has.
    pub(super) fn check(&self) -> Result<(), NetworkError> {
        let counts = [
            ("stages", self.stages.len()),
            ("exchanges", self.exchanges.len()),
            ("tasks", self.tasks.len()),
            ("requests", self.requests.len()),
        ];
        for (name, count) in counts {
            if count > MAX_ITEMS {
                let message = format!("{count} {name} are too many; the limit is {MAX_ITEMS}.");
                return Err(NetworkError::bad_job(format!("job.{name}"), message));
            }
        }
        for (at, stage) in self.stages.iter().enumerate() {
            let field = format!("job.stages[{at}].parallelism");
            within(field, stage.parallelism, 1, MAX_PARALLELISM)?;
        }
        for (at, exchange) in self.exchanges.iter().enumerate() {
            for (end, stage) in [("from", exchange.from), ("to", exchange.to)] {
                if stage >= self.stages.len() {
                    let message = format!("There is no stage {stage}.");
                    return Err(NetworkError::bad_job(
                        format!("job.exchanges[{at}].{end}"),
                        message,
                    ));
                }
            }
        }
        for (at, task) in self.tasks.iter().enumerate() {
            within(format!("job.tasks[{at}].subtasks"), task.subtasks, 0, MAX_PARALLELISM)?;
            for gate in &task.gates {
                // No channel at all is Flink's to refuse.
                within(format!("job.tasks[{at}].gates"), gate.channels, 0, MAX_PARALLELISM)?;
                within(format!("job.tasks[{at}].gates"), gate.count, 0, MAX_PARALLELISM)?;
            }
            for partition in &task.partitions {
                let field = format!("job.tasks[{at}].partitions");
                within(field, partition.subpartitions, 1, MAX_PARALLELISM)?;
            }
            if task.gates.len() > MAX_ITEMS || task.partitions.len() > MAX_ITEMS {
                let message = format!("A task has at most {MAX_ITEMS} gates and partitions.");
                return Err(NetworkError::bad_job(format!("job.tasks[{at}]"), message));
            }
        }
        for request in &self.requests {
            let (PoolRequest::Pool { required: count, .. } | PoolRequest::Unpooled { count }) =
                request;
            within("job.requests".to_owned(), *count, 0, MAX_COUNT)?;
            if let PoolRequest::Pool { max: Some(max), .. } = request {
                within("job.requests".to_owned(), *max, 0, MAX_COUNT)?;
            }
        }
        if let Some(tiered) = self.tiered_exclusive_buffers {
            within("job.tieredExclusiveBuffers".to_owned(), tiered, 0, MAX_COUNT)?;
        }
        Ok(())
    }
}

fn within(field: String, value: i64, min: i64, max: i64) -> Result<(), NetworkError> {
    if (min..=max).contains(&value) {
        return Ok(());
    }
    Err(NetworkError::bad_job(field, format!("{value} is not within {min} and {max}.")))
}
