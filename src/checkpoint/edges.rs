//! How barriers pass each edge, and how many bytes may be in flight on it: the most that an unaligned
//! checkpoint stores of it.
//!
//! Source: Flink 1.20.5, NettyShuffleUtils and SingleInputGateFactory (a gate holds
//! buffers-per-channel for each remote channel and floating-buffers-per-gate more; the pool of a
//! result partition as many for each subpartition), StreamGraphGenerator (pointwise and broadcast
//! edges, and the other inputs of a task that has one, are never unaligned).

use serde::Serialize;

use super::job::{BarrierMode, Exchange};
use super::simulation::Simulation;

/// What barriers do on an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Passing {
    /// They block the channels that are early.
    Aligned,
    /// They do so though the checkpoint is unaligned: the edge cannot be overtaken.
    ForcedAligned,
    /// They do so until the timeout, and overtake after it.
    AlignedThenOvertaking,
    /// They overtake at once.
    Overtaking,
    /// They wait in their queue and block nothing.
    BlockNothing,
}

/// An edge of the job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EdgeReport {
    /// The vertex it comes from.
    pub from: String,
    /// The vertex it leads to.
    pub to: String,
    /// How records are spread.
    pub exchange: Exchange,
    /// What barriers do.
    pub passing: Passing,
    /// Its channels.
    pub channels: usize,
    /// Those that go over the network.
    pub remote_channels: usize,
    /// Buffers of the largest of its input gates.
    pub gate_buffers: u64,
    /// Buffers of all its input gates.
    pub input_buffers: u64,
    /// The same in bytes [B].
    pub input_bytes: u64,
    /// Buffers of all pools of its senders, without overdraft.
    pub output_buffers: u64,
    /// The same in bytes [B].
    pub output_bytes: u64,
}

impl Simulation {
    /// Every edge.
    pub(super) fn edges(&self) -> Vec<EdgeReport> {
        let settings = self.job.network;
        let mut edges: Vec<EdgeReport> = self
            .job
            .edges
            .iter()
            .map(|it| {
                let name = |vertex: usize| self.job.vertices[vertex].name.clone();
                EdgeReport {
                    from: name(it.from),
                    to: name(it.to),
                    exchange: it.exchange,
                    passing: self.passing(true),
                    channels: 0,
                    remote_channels: 0,
                    gate_buffers: 0,
                    input_buffers: 0,
                    input_bytes: 0,
                    output_buffers: 0,
                    output_bytes: 0,
                }
            })
            .collect();
        for gate in &self.network.gates {
            let channels = gate.channels.iter().map(|it| &self.network.channels[*it]);
            let remote = channels.clone().filter(|it| it.remote).count();
            let floating = if remote > 0 { settings.floating } else { 0 };
            let buffers = remote as u64 * u64::from(settings.exclusive) + u64::from(floating);
            let Some(first) = channels.clone().next() else { continue };
            let edge = &mut edges[first.edge as usize];
            edge.passing = self.passing(first.can_be_overtaken);
            edge.channels += gate.channels.len();
            edge.remote_channels += remote;
            edge.gate_buffers = edge.gate_buffers.max(buffers);
            edge.input_buffers += buffers;
        }
        for task in &self.tasks {
            for (partition, edge) in &task.outputs {
                edges[*edge].output_buffers += u64::from(self.network.partitions[*partition].limit);
            }
        }
        for it in &mut edges {
            it.input_bytes = it.input_buffers * settings.segment_bytes;
            it.output_bytes = it.output_buffers * settings.segment_bytes;
        }
        edges
    }

    fn passing(&self, can_be_overtaken: bool) -> Passing {
        match self.job.mode {
            BarrierMode::AtLeastOnce => Passing::BlockNothing,
            BarrierMode::Aligned => Passing::Aligned,
            _ if !can_be_overtaken => Passing::ForcedAligned,
            BarrierMode::AlignedWithTimeout(_) => Passing::AlignedThenOvertaking,
            BarrierMode::Unaligned => Passing::Overtaking,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::job::Placement;
    use super::super::params::Mode;
    use super::super::scenario::ScenarioEdge;
    use super::super::{Scenario, samples};
    use super::*;

    fn edges(change: impl FnOnce(&mut Scenario)) -> Vec<EdgeReport> {
        let mut scenario = samples::scenario();
        change(&mut scenario);
        Simulation::new(scenario.job().expect("it can be")).edges()
    }

    #[test]
    fn a_gate_of_a_hundred_channels_holds_208_buffers() {
        let all = edges(|it| {
            it.vertices[0].parallelism = 100;
            it.network.segment_bytes = 32_768;
        });
        let it = &all[0];
        assert_eq!((it.channels, it.remote_channels, it.gate_buffers), (100, 100, 208));
        assert_eq!(it.input_bytes, 6_815_744, "6.5 MiB");
        // Each source has one subpartition: 2 + 8 buffers.
        assert_eq!((it.output_buffers, it.output_bytes), (1000, 32_768_000));
        let local = edges(|it| it.network.placement = Placement::Local);
        assert_eq!((local[0].remote_channels, local[0].input_bytes), (0, 0));
    }

    #[test]
    fn every_edge_says_what_its_barriers_do() {
        let passing = |mode, exchange| {
            let all = edges(|it| {
                it.checkpointing.mode = mode;
                it.checkpointing.aligned_checkpoint_timeout_ms = 1000;
                let mut third = it.vertices[1].clone();
                third.name = "sink".to_owned();
                it.vertices.push(third);
                it.edges.push(ScenarioEdge { from: 1, to: 2, exchange, ..it.edges[0].clone() });
            });
            all.iter().map(|it| it.passing).collect::<Vec<_>>()
        };
        use Passing::{Aligned, AlignedThenOvertaking, BlockNothing, ForcedAligned, Overtaking};
        let broadcast = Exchange::Broadcast;
        assert_eq!(passing(Mode::Unaligned, broadcast), [Overtaking, ForcedAligned]);
        assert_eq!(passing(Mode::Unaligned, Exchange::Hash), [Overtaking, Overtaking]);
        assert_eq!(passing(Mode::Timeout, broadcast), [AlignedThenOvertaking, ForcedAligned]);
        assert_eq!(passing(Mode::Aligned, broadcast), [Aligned, Aligned]);
        assert_eq!(passing(Mode::AtLeastOnce, broadcast), [BlockNothing, BlockNothing]);
    }
}
