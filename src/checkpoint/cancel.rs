//! A checkpoint that is given up before a task took its snapshot of it: the task sends a marker where its
//! barrier would be, so that nobody behind it waits for one.
//!
//! Source: Flink 1.20.5, SubtaskCheckpointCoordinatorImpl (notifyCheckpointAborted remembers what the
//! task has not triggered, checkpointState sends a CancelCheckpointMarker for it,
//! abortCheckpointOnBarrier passes one on), SingleCheckpointBarrierHandler#processCancellationBarrier
//! and #cancelSubsumedCheckpoint.

use super::channel::Barrier;
use super::simulation::Simulation;
use super::task::Alignment;

impl Simulation {
    /// The coordinator gave a checkpoint up, and tells a task.
    pub(super) fn notify_aborted(&mut self, task: usize, id: u64) {
        let it = &mut self.tasks[task];
        let snapshot = it.snapshots.iter().find(|it| it.id == id);
        match snapshot.map(|it| it.incomplete) {
            Some(false) => self.cancel_async(task, id),
            None if id > it.last_snapshot => it.aborted.push(id),
            // What is aligned still ends with its last barrier, a marker or the next barrier.
            _ => {}
        }
    }

    /// Whether a task, whose turn it is to take a snapshot, was told not to.
    pub(super) fn was_aborted(&mut self, task: usize, id: u64) -> bool {
        let it = &mut self.tasks[task];
        it.last_snapshot = it.last_snapshot.max(id);
        let found = it.aborted.contains(&id);
        it.aborted.retain(|other| *other > id);
        found
    }

    /// A marker comes in place of a barrier.
    pub(super) fn on_cancellation(&mut self, task: usize, marker: Barrier) {
        let it = &mut self.tasks[task];
        let is_awaited =
            it.alignment.iter().chain(&it.tracked).any(|of| of.barrier.id == marker.id);
        if marker.id <= it.newest && !is_awaited {
            return;
        }
        it.newest = it.newest.max(marker.id);
        it.tracked.retain(|of| of.barrier.id > marker.id);
        self.drop_alignment(task);
        self.send_cancellation(task, marker);
    }

    /// A newer barrier came: the alignment before it is given up.
    pub(super) fn give_up(&mut self, task: usize) {
        if let Some(old) = self.drop_alignment(task) {
            self.send_cancellation(task, old.barrier);
        }
    }

    fn drop_alignment(&mut self, task: usize) -> Option<Alignment> {
        let old = self.tasks[task].alignment.take()?;
        self.tasks[task].snapshots.retain(|it| it.id != old.barrier.id);
        self.cancel_async(task, old.barrier.id);
        self.unblock(old.barrier.id, &old.blocked);
        Some(old)
    }

    /// Tells the tasks behind not to wait for a barrier.
    pub(super) fn send_cancellation(&mut self, task: usize, of: Barrier) {
        self.was_aborted(task, of.id);
        let marker =
            Barrier { cancels: true, blocks: false, timeoutable: false, overtakes: false, ..of };
        for channel in self.output_channels(task) {
            self.network.send_barrier(channel, marker, false);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::checkpoint::facts::Fact;
    use crate::checkpoint::params::{CheckpointParams, Mode};
    use crate::checkpoint::report::CheckpointStatus;
    use crate::checkpoint::samples;
    use crate::checkpoint::simulation::Simulation;

    /// A source whose thread is blocked for 2 s, and checkpoints that expire after half a second.
    #[test]
    fn a_source_that_is_told_in_time_sends_no_barrier_of_an_expired_checkpoint() {
        let params = CheckpointParams {
            sources: 2,
            svc_us: vec![0.0],
            rate: vec![1000.0],
            lag_ms: 2000,
            timeout_ms: 500,
            aligned_timeout_ms: 100,
            tolerable: 100,
            ..samples::full_queue()
        };
        for mode in [Mode::Aligned, Mode::Timeout, Mode::Unaligned] {
            let mut run = Simulation::new(params.job(mode, &[], 1).expect("params in range"));
            while !run.advance(1000).done {}
            let checkpoints = run.report().checkpoints;
            assert!(checkpoints.iter().all(|it| it.status == CheckpointStatus::Failed), "{mode:?}");
            let facts = run.facts();
            let operator = 2;
            let first = |kind: Fact| {
                let rows = 0..facts.kind.len();
                let found = rows
                    .filter(|row| facts.kind[*row] == kind as u8 && facts.checkpoint[*row] == 1);
                found.collect::<Vec<usize>>()
            };
            let snapshots = first(Fact::SnapshotStarted);
            let snapshots = snapshots.iter().filter(|row| facts.task[**row] == operator);
            // A task that does not wait for all barriers took it before the checkpoint expired.
            assert_eq!(snapshots.count(), usize::from(mode != Mode::Aligned), "{mode:?}");
            let blocked = first(Fact::ChannelBlocked).len();
            assert_eq!(blocked, usize::from(mode != Mode::Unaligned), "{mode:?}");
            assert_eq!(first(Fact::ChannelUnblocked).len(), blocked, "{mode:?}");
            let arrived = first(Fact::BarrierArrived).len();
            assert_eq!(arrived, 1, "{mode:?}: the blocked source sent a marker");
        }
    }
}
