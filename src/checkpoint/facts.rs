//! What happened, in order: the log that a player shows. One array a column.
//!
//! Source: none of Flink's; Flink keeps no such log. The names are those of its barrier handler.

use serde::Serialize;

use super::simulation::Simulation;
use super::time::SimTime;

/// The most facts that are kept; what comes later is counted only.
pub const MAX_FACTS: usize = 20_000;

/// A kind of fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fact {
    /// A checkpoint was triggered.
    Triggered,
    /// A barrier was put into a channel.
    BarrierSent,
    /// A barrier was put into a channel before the records in it.
    BarrierOvertook,
    /// A barrier that waited in its sender's output was put before the records in front of it.
    BarrierConverted,
    /// A barrier was handled by the receiver.
    BarrierArrived,
    /// The receiver does not read a channel until the other barriers have come.
    ChannelBlocked,
    /// It reads the channel again.
    ChannelUnblocked,
    /// A subtask takes its state before all barriers have come.
    SwitchedToUnaligned,
    /// A subtask takes its state.
    SnapshotStarted,
    /// A subtask's part is stored.
    Acknowledged,
    /// A checkpoint is complete.
    Completed,
    /// A checkpoint failed.
    Failed,
    /// A subtask failed, or its TaskManager with it.
    SubtaskFailed,
    /// The JobManager knows, and stops the job.
    FailureNoticed,
    /// The job was deployed to a TaskManager that is gone.
    RestartFailed,
    /// The job runs again, from the checkpoint that is named.
    Restarted,
    /// The sources have made up for the time that was lost.
    CaughtUp,
}

impl Fact {
    /// The kinds in the order of their numbers.
    const ALL: [Self; KINDS.len()] = [
        Self::Triggered,
        Self::BarrierSent,
        Self::BarrierOvertook,
        Self::BarrierConverted,
        Self::BarrierArrived,
        Self::ChannelBlocked,
        Self::ChannelUnblocked,
        Self::SwitchedToUnaligned,
        Self::SnapshotStarted,
        Self::Acknowledged,
        Self::Completed,
        Self::Failed,
        Self::SubtaskFailed,
        Self::FailureNoticed,
        Self::RestartFailed,
        Self::Restarted,
        Self::CaughtUp,
    ];

    /// The kind that a number of the log stands for.
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }
}

/// The names of the kinds, in the order of their numbers.
pub const KINDS: [&str; 17] = [
    "triggered",
    "barrierSent",
    "barrierOvertook",
    "barrierConverted",
    "barrierArrived",
    "channelBlocked",
    "channelUnblocked",
    "switchedToUnaligned",
    "snapshotStarted",
    "acknowledged",
    "completed",
    "failed",
    "subtaskFailed",
    "failureNoticed",
    "restartFailed",
    "restarted",
    "caughtUp",
];

/// The log and what its numbers stand for.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Facts {
    /// When, from the start of the run [ms].
    pub time_ms: Vec<f64>,
    /// Which kind, a place in `kinds`.
    pub kind: Vec<u8>,
    /// Of which checkpoint; 0 for none.
    pub checkpoint: Vec<u32>,
    /// At which task, a place in the report's tasks; -1 for none.
    pub task: Vec<i32>,
    /// In which channel, a place in `channel_from` and `channel_to`; -1 for none.
    pub channel: Vec<i32>,
    /// Facts that were not kept.
    pub dropped: u64,
    /// The names of the kinds.
    pub kinds: Vec<&'static str>,
    /// The sending task of each channel.
    pub channel_from: Vec<u32>,
    /// The receiving task of each channel.
    pub channel_to: Vec<u32>,
    /// The edge of each channel, a place in the scenario's edges.
    pub channel_edge: Vec<u32>,
    /// Of each checkpoint, from the first, the fact behind which it waited longest for another of
    /// its own, a place in the columns; 0 where it has fewer than two.
    pub longest_wait: Vec<u32>,
}

impl Facts {
    fn add(
        &mut self,
        at: SimTime,
        kind: Fact,
        id: u64,
        task: Option<usize>,
        channel: Option<usize>,
    ) {
        if self.kind.len() >= MAX_FACTS {
            self.dropped += 1;
            return;
        }
        let number = |it: Option<usize>| it.map_or(-1, |it| it as i32);
        self.time_ms.push(at.as_ns() as f64 / 1e6);
        self.kind.push(kind as u8);
        self.checkpoint.push(id as u32);
        self.task.push(number(task));
        self.channel.push(number(channel));
    }

    fn longest_waits(&self, checkpoints: usize) -> Vec<u32> {
        // The fact before, the longest wait so far, and where that began.
        let mut waits: Vec<(Option<usize>, f64, usize)> = vec![(None, -1.0, 0); checkpoints];
        for (row, id) in self.checkpoint.iter().enumerate() {
            let place = (*id as usize).checked_sub(1);
            let Some(it) = place.and_then(|it| waits.get_mut(it)) else { continue };
            if let Some(before) = it.0.replace(row) {
                let wait = self.time_ms[row] - self.time_ms[before];
                if wait > it.1 {
                    (it.1, it.2) = (wait, before);
                }
            }
        }
        waits.iter().map(|it| it.2 as u32).collect()
    }
}

impl Simulation {
    pub(super) fn note(&mut self, kind: Fact, id: u64) {
        self.facts.add(self.now, kind, id, None, None);
    }

    pub(super) fn note_task(&mut self, kind: Fact, id: u64, task: usize) {
        self.facts.add(self.now, kind, id, Some(task), None);
    }

    pub(super) fn note_channel(&mut self, kind: Fact, id: u64, channel: usize) {
        self.facts.add(self.now, kind, id, None, Some(channel));
    }

    /// The log so far.
    pub fn facts(&self) -> Facts {
        let network = &self.network;
        let from = |it: &super::channel::Channel| network.partitions[it.partition].task as u32;
        let to = |it: &super::channel::Channel| network.gates[it.gate].task as u32;
        Facts {
            kinds: KINDS.to_vec(),
            channel_from: network.channels.iter().map(from).collect(),
            channel_to: network.channels.iter().map(to).collect(),
            channel_edge: network.channels.iter().map(|it| it.edge).collect(),
            longest_wait: self.facts.longest_waits(self.checkpoints.len()),
            ..self.facts.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_wait_is_between_facts_of_one_checkpoint() {
        let mut facts = Facts::default();
        for (ms, id) in [(0, 1), (10, 1), (50, 0), (100, 2), (130, 1), (131, 2), (140, 1)] {
            facts.add(SimTime::from_ms(ms), Fact::BarrierSent, id, None, None);
        }
        // The first waits from 10 to 130 ms, whatever else happens meanwhile; the third has no facts.
        assert_eq!(facts.longest_waits(3), [1, 3, 0]);
    }
}
