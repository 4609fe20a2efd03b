//! A job to simulate: what each vertex does, how records go between them, and which checkpoints
//! are taken. Every list for subtasks is read cyclically.
//!
//! Source: Flink 1.20.5, ExecutionCheckpointingOptions and NettyShuffleEnvironmentOptions.

use super::coordinator::CoordinatorSettings;
use super::random::ServiceTime;
use super::time::SimTime;

/// How barriers pass records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BarrierMode {
    /// CheckpointBarrierTracker: barriers block nothing.
    AtLeastOnce,
    /// Exactly once, channels wait for each other.
    Aligned,
    /// Unaligned, with execution.checkpointing.aligned-checkpoint-timeout.
    AlignedWithTimeout(SimTime),
    /// Barriers overtake records at once.
    Unaligned,
}

/// Which channels an edge has, and which record takes which.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exchange {
    /// Subtask to the subtask with its index.
    Forward,
    /// Every subtask in turn.
    Rebalance,
    /// By key; the keys come in turn, in the shares of the edge.
    Hash,
    /// Every record to every subtask.
    Broadcast,
}

impl Exchange {
    /// Whether unaligned checkpoints apply: not to pointwise and broadcast exchanges.
    pub fn can_be_overtaken(self) -> bool {
        matches!(self, Self::Rebalance | Self::Hash)
    }
}

/// What a source subtask offers.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceSpec {
    /// Records a second, for each subtask.
    pub rate: Vec<f64>,
    /// How many records come at once.
    pub burst: u32,
}

/// A vertex of the job.
#[derive(Debug, Clone, PartialEq)]
pub struct Vertex {
    /// Its name in the report.
    pub name: String,
    /// Its subtasks.
    pub parallelism: u32,
    /// Set for a source.
    pub source: Option<SourceSpec>,
    /// Time for a record, for each subtask.
    pub service: Vec<ServiceTime>,
    /// Records out for a record in.
    pub selectivity: f64,
    /// The synchronous part of a snapshot.
    pub sync_part: SimTime,
    /// The asynchronous part of a snapshot.
    pub async_part: SimTime,
    /// Only the first so many snapshots take that long; 0 is all.
    pub async_slow_first: u32,
}

/// An edge of the job. Each edge is an input gate of every subtask it leads to.
#[derive(Debug, Clone, PartialEq)]
pub struct Edge {
    /// The vertex it comes from.
    pub from: usize,
    /// The vertex it leads to.
    pub to: usize,
    /// Only this subtask sends; all do if absent.
    pub only_from: Option<u32>,
    /// How records are spread.
    pub exchange: Exchange,
    /// Share of the records for each receiving subtask.
    pub shares: Vec<f64>,
    /// Bytes of a record on the wire.
    pub record_bytes: u64,
}

/// The network stack's options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NetworkSettings {
    /// Whether exchanges are between TaskManagers, with credits.
    pub remote: bool,
    /// taskmanager.memory.segment-size [B].
    pub segment_bytes: u64,
    /// taskmanager.network.memory.buffers-per-channel.
    pub exclusive: u32,
    /// taskmanager.network.memory.floating-buffers-per-gate.
    pub floating: u32,
    /// taskmanager.network.memory.max-buffers-per-channel.
    pub max_per_channel: u32,
    /// taskmanager.network.memory.max-overdraft-buffers-per-gate.
    pub overdraft: u32,
    /// execution.buffer-timeout; absent where only full buffers are sent.
    pub buffer_timeout: Option<SimTime>,
}

/// A source subtask that blocks its thread from just before each trigger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lag {
    /// The vertex.
    pub vertex: usize,
    /// The subtask.
    pub subtask: u32,
    /// How long.
    pub span: SimTime,
    /// For each checkpoint, when the barrier could leave, if that is known.
    pub barrier_after: Vec<SimTime>,
}

/// Which checkpoints are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plan {
    /// One after the other, by hand.
    OneByOne {
        /// Before the first.
        settle: SimTime,
        /// How many.
        count: u32,
        /// From the end of one to the trigger of the next.
        gap: SimTime,
    },
    /// By the coordinator.
    Periodic {
        /// When the timer first ticks.
        first: SimTime,
        /// How long after it the run ends.
        run: SimTime,
    },
}

/// A whole job.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// Vertices, in topological order.
    pub vertices: Vec<Vertex>,
    /// Edges; the order of those into a vertex is that of its inputs.
    pub edges: Vec<Edge>,
    /// The network.
    pub network: NetworkSettings,
    /// The barriers.
    pub mode: BarrierMode,
    /// The coordinator.
    pub coordinator: CoordinatorSettings,
    /// Which checkpoints.
    pub plan: Plan,
    /// A blocked source.
    pub lag: Option<Lag>,
    /// Seed of service times and of the phases of the flush timers.
    pub seed: u64,
}
