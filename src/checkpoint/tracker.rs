//! Barriers at least once: no channel is blocked, so barriers of several checkpoints may be missing at
//! once, and each checkpoint waits for its own.
//!
//! Source: Flink 1.20.5, CheckpointBarrierTracker.

use super::channel::Barrier;
use super::facts::Fact;
use super::simulation::Simulation;
use super::task::Alignment;

impl Simulation {
    /// A barrier is next in a gate; records behind it are read whatever others are missing.
    pub(super) fn track(&mut self, task: usize, channel: usize, barrier: Barrier) {
        let id = barrier.id;
        let inputs = self.input_channels(task).len();
        let (began, taken_before) = (self.now, self.taken_bytes(task));
        let it = &mut self.tasks[task];
        let place = match it.tracked.iter().position(|of| of.barrier.id == id) {
            Some(place) => place,
            None if id <= it.newest => return,
            None => {
                it.newest = id;
                let (arrived, blocked, cut) = (Vec::new(), Vec::new(), None);
                let pending = Alignment { barrier, began, taken_before, arrived, blocked, cut };
                it.tracked.push_back(pending);
                it.tracked.len() - 1
            }
        };
        it.tracked[place].arrived.push(channel);
        let is_complete = it.tracked[place].arrived.len() == inputs;
        self.note_channel(Fact::BarrierArrived, id, channel);
        if !is_complete {
            return;
        }
        // Those before it are subsumed.
        let Some(pending) = self.tasks[task].tracked.drain(..=place).next_back() else { return };
        let processed = self.taken_bytes(task) - pending.taken_before;
        self.take_snapshot(task, pending.barrier, pending.began, false);
        if let Some(snapshot) = self.snapshot_of(task, id) {
            snapshot.processed = processed;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::checkpoint::params::{CheckpointParams, Mode, Topology};
    use crate::checkpoint::report::CheckpointStatus;
    use crate::checkpoint::samples;
    use crate::checkpoint::simulation::Simulation;

    #[test]
    fn a_later_barrier_of_one_input_does_not_end_what_the_other_still_has_in_its_queue() {
        // Two inputs take turns by record, so the barrier of the idle one comes seconds before the other.
        let params = CheckpointParams {
            topo: Topology::TwoInput,
            sources: 2,
            rate: vec![10_000.0, 10.0],
            periodic: true,
            periodic_run_ms: 30_000,
            interval_ms: 500,
            max_conc: 20,
            ..samples::full_queue()
        };
        let mut run =
            Simulation::new(params.job(Mode::AtLeastOnce, &[], 1).expect("params in range"));
        while !run.advance(1000).done {}
        let all = run.report().checkpoints;
        let of = |status| all.iter().filter(|it| it.status == status).count();
        assert!(of(CheckpointStatus::Completed) > 20, "{:?}", run.report().verdict);
        assert_eq!(of(CheckpointStatus::Failed), 0);
        let first = &all[0];
        assert!(first.end_to_end_ms > 1000, "one waited for the queue, and two were on their way");
    }
}
