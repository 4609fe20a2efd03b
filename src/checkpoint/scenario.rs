//! What a user describes: vertices, edges, network, checkpointing and recovery, in Flink's names.
//! Every list is read cyclically by subtask, so one number holds for all.
//!
//! Source: Flink 1.20.5, CheckpointingOptions, ExecutionOptions, NettyShuffleEnvironmentOptions,
//! TaskManagerOptions and RestartStrategyOptions for the options and their defaults, which
//! `scenario/form.rs` lists by key; KeyGroupRangeAssignment for the subtask of a key.

#[cfg(test)]
mod form;
mod skew;
mod to_job;
mod validate;

use serde::{Deserialize, Serialize};

use super::detection::{FailureKind, Heartbeat};
use super::job::{Exchange, Incremental, Placement, UploadLink};
use super::params::Mode;
use super::random::ServiceTime;
use super::restart::RestartStrategy;

/// A job, its checkpoints, and how long it is watched.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Scenario {
    /// Vertices, each after those it reads from.
    pub vertices: Vec<ScenarioVertex>,
    /// Edges; the order of those into a vertex is that of its inputs.
    pub edges: Vec<ScenarioEdge>,
    /// Buffers and where subtasks run.
    #[serde(default)]
    pub network: ScenarioNetwork,
    /// The coordinator and what is uploaded.
    #[serde(default)]
    pub checkpointing: ScenarioCheckpointing,
    /// Failures and what follows.
    #[serde(default)]
    pub recovery: ScenarioRecovery,
    /// Simulated time [ms].
    pub run_ms: u64,
    /// For service times, flush phases and the first trigger.
    pub seed: u32,
}

/// A vertex.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ScenarioVertex {
    /// Its name in the report.
    pub name: String,
    /// Its subtasks.
    pub parallelism: u32,
    /// Set for a source, which has no edge into it.
    pub source: Option<ScenarioSource>,
    /// Time for a record, for each subtask; a source has none.
    pub service: Vec<ServiceTime>,
    /// Records out for a record in.
    pub selectivity: f64,
    /// Keyed state of each subtask.
    pub state: ScenarioState,
    /// The synchronous part of a snapshot [ms].
    pub sync_ms: u64,
    /// The asynchronous part without the upload [ms].
    pub async_ms: u64,
    /// Only the first so many snapshots have these parts; 0 is all.
    pub slow_first: u32,
}

impl Default for ScenarioVertex {
    fn default() -> Self {
        Self {
            name: String::new(),
            parallelism: 1,
            source: None,
            service: vec![ServiceTime::Constant { mean_us: 0.0 }],
            selectivity: 1.0,
            state: ScenarioState::default(),
            sync_ms: 0,
            async_ms: 0,
            slow_first: 0,
        }
    }
}

/// What a source offers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ScenarioSource {
    /// Records a second of each subtask, or of each partition where there are partitions.
    pub rate: Vec<f64>,
    /// Partitions; partition p is read by subtask p modulo the parallelism.
    pub partitions: Option<u32>,
    /// The rate changes in a fixed rhythm.
    pub bursts: Option<Bursts>,
    /// Each subtask blocks its thread so long, beginning just before each trigger [ms].
    pub lag_ms: Vec<u64>,
    /// The most records a second that a subtask reads while it catches up; no limit if absent.
    pub max_rate: Option<f64>,
}

impl Default for ScenarioSource {
    fn default() -> Self {
        let lag_ms = vec![0];
        Self { rate: vec![1000.0], partitions: None, bursts: None, lag_ms, max_rate: None }
    }
}

/// A rhythm: at the start of every period the rate is another for a while.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Bursts {
    /// The period [ms].
    pub every_ms: u64,
    /// How long of it the rate is another [ms].
    pub length_ms: u64,
    /// Times the rate in that while.
    pub factor: f64,
}

/// Keyed state of each subtask.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ScenarioState {
    /// The whole of it [B].
    pub bytes: Vec<f64>,
    /// What is new since the checkpoint before [B]; read where checkpoints are incremental.
    pub changed_bytes: Vec<f64>,
}

impl Default for ScenarioState {
    fn default() -> Self {
        Self { bytes: vec![0.0], changed_bytes: vec![0.0] }
    }
}

/// An edge; it is an input gate of every subtask it leads to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ScenarioEdge {
    /// Number of the vertex it comes from.
    pub from: usize,
    /// Number of the vertex it leads to.
    pub to: usize,
    /// How records are spread.
    pub exchange: Exchange,
    /// Bytes of a record on the wire, all in all.
    pub record_bytes: u64,
    /// How evenly a hash exchange spreads them.
    #[serde(default)]
    pub skew: Skew,
}

/// How evenly records go to the receiving subtasks.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind", deny_unknown_fields)]
pub enum Skew {
    /// Equal shares.
    #[default]
    Even,
    /// A share for each receiving subtask.
    Weights {
        /// The shares, in any unit.
        weights: Vec<f64>,
    },
    /// Keys 1 to `keys`, key k with a share of 1 / k^exponent.
    Zipf {
        /// How many keys.
        keys: u32,
        /// The exponent; 0 is all alike.
        exponent: f64,
    },
    /// One key with this share of the records, all other keys alike.
    HotKey {
        /// From 0 to 1.
        share: f64,
    },
}

/// The network stack.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[expect(missing_docs, reason = "the names are Flink's options, listed in form.rs")]
pub struct ScenarioNetwork {
    pub placement: Placement,
    pub segment_bytes: u64,
    pub buffers_per_channel: u32,
    pub floating_buffers_per_gate: u32,
    pub max_buffers_per_channel: u32,
    pub max_overdraft_buffers_per_gate: u32,
    pub buffer_timeout_ms: i64,
    pub buffer_debloat: BufferDebloat,
}

impl Default for ScenarioNetwork {
    fn default() -> Self {
        Self {
            placement: Placement::Remote,
            segment_bytes: 32_768,
            buffers_per_channel: 2,
            floating_buffers_per_gate: 8,
            max_buffers_per_channel: 10,
            max_overdraft_buffers_per_gate: 5,
            buffer_timeout_ms: 100,
            buffer_debloat: BufferDebloat::default(),
        }
    }
}

/// Buffer debloating.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[expect(missing_docs, reason = "the names are Flink's options, listed in form.rs")]
pub struct BufferDebloat {
    pub enabled: bool,
    pub target_ms: u64,
    pub period_ms: u64,
    pub samples: u32,
    pub threshold_percentages: u32,
}

impl Default for BufferDebloat {
    fn default() -> Self {
        let (target_ms, period_ms, samples, threshold_percentages) = (1000, 200, 20, 25);
        Self { enabled: false, target_ms, period_ms, samples, threshold_percentages }
    }
}

/// Checkpoints.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[expect(missing_docs, reason = "the names are Flink's options, listed in form.rs")]
pub struct ScenarioCheckpointing {
    pub mode: Mode,
    pub aligned_checkpoint_timeout_ms: u64,
    pub interval_ms: u64,
    pub min_pause_ms: u64,
    pub timeout_ms: u64,
    pub max_concurrent_checkpoints: u32,
    pub tolerable_failed_checkpoints: u32,
    /// When the coordinator's timer first fires [ms]; drawn as Flink does if absent.
    pub first_trigger_ms: Option<u64>,
    pub incremental: Incremental,
    /// What carries state to the storage; writing takes no time if absent.
    pub upload: Option<UploadLink>,
}

impl Default for ScenarioCheckpointing {
    fn default() -> Self {
        Self {
            mode: Mode::Aligned,
            aligned_checkpoint_timeout_ms: 0,
            // Flink takes no checkpoints without an interval; the documentation's example.
            interval_ms: 10_000,
            min_pause_ms: 0,
            timeout_ms: 600_000,
            max_concurrent_checkpoints: 1,
            tolerable_failed_checkpoints: 0,
            first_trigger_ms: None,
            incremental: Incremental::Full,
            upload: None,
        }
    }
}

/// Failures and what follows them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ScenarioRecovery {
    /// Subtasks that fail.
    pub failures: Vec<ScenarioFailure>,
    /// How a lost TaskManager is noticed.
    pub heartbeat: Heartbeat,
    /// Whether and when the job is restarted; after the same delay each time if absent.
    pub restart_strategy: Option<RestartStrategy>,
    /// From noticing a failure to the restart [ms]; read where there is no strategy.
    pub restart_delay_ms: u64,
    /// What each subtask reads of its state in a second [B]; reading takes no time if absent.
    pub restore_bytes_per_second: Option<f64>,
}

impl Default for ScenarioRecovery {
    fn default() -> Self {
        // restart-strategy.exponential-delay.initial-backoff of a job with checkpoints.
        Self {
            failures: Vec::new(),
            heartbeat: Heartbeat::default(),
            restart_strategy: None,
            restart_delay_ms: 1000,
            restore_bytes_per_second: None,
        }
    }
}

/// A subtask fails, or the TaskManager that it runs in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ScenarioFailure {
    /// When, from the start of the run [ms].
    pub at_ms: u64,
    /// Number of the vertex.
    pub vertex: usize,
    /// The subtask.
    pub subtask: u32,
    /// It, or its TaskManager.
    #[serde(default)]
    pub kind: FailureKind,
}

#[cfg(test)]
mod tests;
