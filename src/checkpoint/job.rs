//! A job to simulate: what each vertex does, how records go between them, and which checkpoints
//! are taken. Every list for subtasks is read cyclically.
//!
//! Source: Flink 1.20.5, ExecutionCheckpointingOptions and NettyShuffleEnvironmentOptions;
//! VertexInputInfoComputationUtils (which subtasks an edge connects) and RescalePartitioner.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::coordinator::CoordinatorSettings;
use super::detection::{FailureKind, Heartbeat};
use super::random::ServiceTime;
use super::restart::RestartStrategy;
use super::scenario::Bursts;
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Exchange {
    /// Subtask to the subtask with its index.
    Forward,
    /// Every subtask in turn.
    Rebalance,
    /// In turn, but only those of the sender's part: the pointwise pattern.
    Rescale,
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

    /// The subtasks that a sender has channels to.
    pub fn receivers(self, sender: u32, senders: u32, receivers: u32) -> Range<u32> {
        match self {
            Self::Forward => {
                let receiver = sender % receivers;
                receiver..receiver + 1
            }
            // Receiver i reads senders i * S / R to (i + 1) * S / R - 1, rounded down.
            Self::Rescale if senders >= receivers => {
                let receiver = ((sender + 1) * receivers - 1) / senders;
                receiver..receiver + 1
            }
            Self::Rescale => {
                (sender * receivers).div_ceil(senders)..((sender + 1) * receivers).div_ceil(senders)
            }
            Self::Rebalance | Self::Hash | Self::Broadcast => 0..receivers,
        }
    }

    /// How many channels it has between so many subtasks.
    pub fn channels(self, senders: u32, receivers: u32) -> u64 {
        match self {
            Self::Forward | Self::Rescale => senders.max(receivers).into(),
            _ => u64::from(senders) * u64::from(receivers),
        }
    }
}

/// What a source subtask offers.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceSpec {
    /// Records a second, for each subtask.
    pub rate: Vec<f64>,
    /// How many records come at once.
    pub burst: u32,
    /// The rate changes in a fixed rhythm.
    pub bursts: Option<Bursts>,
    /// The most records a second, where that is bounded.
    pub max_rate: Option<f64>,
}

impl SourceSpec {
    /// Whether records come at a moment that is due, and how long it is to the next such moment.
    pub fn due(&self, subtask: u32, at: SimTime) -> (bool, SimTime) {
        let rate = self.rate[subtask as usize % self.rate.len()];
        let (factor, rest) = match self.bursts {
            None => (1.0, SimTime::from_ns(u64::MAX)),
            Some(it) => {
                let (every, length) =
                    (SimTime::from_ms(it.every_ms), SimTime::from_ms(it.length_ms));
                let into = SimTime::from_ns(at.as_ns() % every.as_ns().max(1));
                match into < length {
                    true => (it.factor, length.since(into)),
                    false => (1.0, every.since(into)),
                }
            }
        };
        match rate * factor > 0.0 {
            true => {
                let burst = f64::from(self.burst.max(1));
                (true, SimTime::from_us(burst * 1_000_000.0 / (rate * factor)))
            }
            // Where the rhythm pauses, the next record comes with its next beat.
            false if rate > 0.0 => (false, rest),
            false => (false, SimTime::from_ns(u64::MAX)),
        }
    }

    /// The least time between records that wait already.
    pub fn least_spacing(&self) -> SimTime {
        let burst = f64::from(self.burst.max(1));
        self.max_rate.map_or(SimTime::ZERO, |rate| SimTime::from_us(burst * 1_000_000.0 / rate))
    }
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
    /// Keyed state of each subtask [B].
    pub state_bytes: Vec<f64>,
    /// Of that, what is new since the checkpoint before [B].
    pub changed_bytes: Vec<f64>,
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

/// Where subtasks run, from which follows which channels go over the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind", deny_unknown_fields)]
pub enum Placement {
    /// A TaskManager for each subtask; every channel has credits.
    Remote,
    /// One TaskManager for all, a slot for each index; no channel has credits.
    Local,
    /// Subtask i of every vertex in slot i, slots filled TaskManager by TaskManager.
    #[serde(rename_all = "camelCase")]
    Slots {
        /// taskmanager.numberOfTaskSlots.
        slots_per_task_manager: u32,
    },
}

/// Buffer debloating.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Debloat {
    /// taskmanager.network.memory.buffer-debloat.target.
    pub target: SimTime,
    /// taskmanager.network.memory.buffer-debloat.period.
    pub period: SimTime,
    /// taskmanager.network.memory.buffer-debloat.samples.
    pub samples: u32,
    /// taskmanager.network.memory.buffer-debloat.threshold-percentages.
    pub threshold_percentages: u32,
}

/// The network stack's options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NetworkSettings {
    /// Where subtasks run.
    pub placement: Placement,
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
    /// Set where buffers shrink to what is consumed in time.
    pub debloat: Option<Debloat>,
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

/// What a checkpoint uploads of keyed state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Incremental {
    /// All of it.
    Full,
    /// What is new, and all of it again in every fourth: F, F, F, S + F, as RocksDB compacts.
    Rocksdb,
    /// What is new; all of it in the first.
    Delta,
}

/// What carries state to the storage.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UploadLink {
    /// How much it carries [B/s].
    pub bytes_per_second: f64,
    /// Who shares it.
    pub per: UploadPer,
}

/// Who shares a link to the storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum UploadPer {
    /// All subtasks of a TaskManager.
    TaskManager,
    /// All subtasks of a slot.
    Slot,
}

/// A subtask that fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failure {
    /// When.
    pub at: SimTime,
    /// The vertex.
    pub vertex: usize,
    /// The subtask.
    pub subtask: u32,
    /// It, or its TaskManager.
    pub kind: FailureKind,
}

/// Failures and what follows them.
#[derive(Debug, Clone, PartialEq)]
pub struct Recovery {
    /// Subtasks that fail.
    pub failures: Vec<Failure>,
    /// How a lost TaskManager is noticed.
    pub heartbeat: Heartbeat,
    /// Whether and when the job is restarted.
    pub restart: RestartStrategy,
    /// What each subtask reads of its state [B/s]; no time if absent.
    pub restore_bytes_per_second: Option<f64>,
}

impl Default for Recovery {
    /// Nothing fails.
    fn default() -> Self {
        Self {
            failures: Vec::new(),
            heartbeat: Heartbeat::default(),
            restart: RestartStrategy::Disable,
            restore_bytes_per_second: None,
        }
    }
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
    /// How long the run is, where that is fixed.
    pub run: Option<SimTime>,
    /// Blocked sources.
    pub lags: Vec<Lag>,
    /// What is uploaded.
    pub incremental: Incremental,
    /// Through what; at once if absent.
    pub upload: Option<UploadLink>,
    /// Failures.
    pub recovery: Recovery,
    /// Seed of service times and of the phases of the flush timers.
    pub seed: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The senders of each receiver, by a rescale exchange.
    fn senders_of(senders: u32, receivers: u32) -> Vec<Vec<u32>> {
        let has = |receiver: u32| {
            let all = 0..senders;
            let of = |it: &u32| Exchange::Rescale.receivers(*it, senders, receivers);
            all.filter(|it| of(it).contains(&receiver)).collect()
        };
        (0..receivers).map(has).collect()
    }

    #[test]
    fn a_rescale_exchange_connects_what_flink_connects() {
        // By hand, from the rule: what is left over goes to the last receivers and the first senders.
        assert_eq!(senders_of(4, 2), [vec![0, 1], vec![2, 3]]);
        assert_eq!(senders_of(2, 4), [vec![0], vec![0], vec![1], vec![1]]);
        assert_eq!(senders_of(4, 3), [vec![0], vec![1], vec![2, 3]]);
        assert_eq!(senders_of(3, 2), [vec![0], vec![1, 2]]);
        assert_eq!(senders_of(2, 3), [vec![0], vec![0], vec![1]]);
    }

    /// Both loops of VertexInputInfoComputationUtils#computeVertexInputInfoForPointwise.
    #[test]
    fn every_size_is_connected_as_by_flinks_loops() {
        for senders in 1..12_u32 {
            for receivers in 1..12_u32 {
                let mut expected = vec![Vec::new(); receivers as usize];
                if senders >= receivers {
                    for index in 0..receivers {
                        let end = (index + 1) * senders / receivers;
                        expected[index as usize] = (index * senders / receivers..end).collect();
                    }
                } else {
                    for sender in 0..senders {
                        let start = (sender * receivers).div_ceil(senders);
                        let end = ((sender + 1) * receivers).div_ceil(senders);
                        (start..end).for_each(|it| expected[it as usize].push(sender));
                    }
                }
                assert_eq!(senders_of(senders, receivers), expected, "{senders} to {receivers}");
                let channels = expected.iter().map(Vec::len).sum::<usize>() as u64;
                assert_eq!(Exchange::Rescale.channels(senders, receivers), channels);
            }
        }
    }
}
