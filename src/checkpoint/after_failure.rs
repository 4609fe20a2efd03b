//! What a failure costs that comes after a checkpoint: the time that is read again, and at least once
//! the records that count twice.
//!
//! Source: Flink 1.20.5, CheckpointCoordinator#restoreLatestCheckpointedStateToAll (a failure goes back
//! to the newest completed checkpoint), CheckpointBarrierTracker (at least once a channel whose barrier
//! has come is read on, so that its records are in the state of the receiver and will be sent again).

use super::job::BarrierMode;
use super::report::{Checkpoint, CheckpointStatus};
use super::simulation::Simulation;

impl Simulation {
    /// Records that are in a receiver's state of a checkpoint though they came after its barrier; a
    /// restore sends them again. Exactly once there are none.
    pub(super) fn counted_twice(&self, id: u64) -> u64 {
        if self.job.mode != BarrierMode::AtLeastOnce {
            return 0;
        }
        let cuts = self.checkpoints.get(id as usize - 1).map_or(&[][..], |it| &it.cut);
        let twice = cuts.iter().zip(&self.network.channels).map(|(cut, channel)| {
            cut.consumed.saturating_sub(cut.emitted) / channel.record_bytes.max(1)
        });
        twice.sum()
    }
}

/// The most time that a failure at the worst moment of a run has to replay [ms]: from the trigger of
/// a completed checkpoint to the completion of the next.
pub fn longest_replay_ms(checkpoints: &[Checkpoint], run_ms: u64) -> u64 {
    let (mut most, mut since) = (0, 0);
    for it in checkpoints.iter().filter(|it| it.status == CheckpointStatus::Completed) {
        most = most.max((it.triggered_ms + it.end_to_end_ms).saturating_sub(since));
        since = it.triggered_ms;
    }
    most.max(run_ms.saturating_sub(since))
}

/// The most records that a failure at the worst moment of a run counts twice.
pub fn most_counted_twice(checkpoints: &[Checkpoint]) -> u64 {
    checkpoints.iter().map(|it| it.records_twice).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::super::params::Mode;
    use super::super::scenario::ScenarioFailure;
    use super::super::{CheckpointReport, samples, simulate_scenario};
    use super::*;

    /// A full channel beside one that is nearly idle: its barrier comes long before the other's.
    fn run(mode: Mode, fails: bool) -> CheckpointReport {
        let mut it = samples::scenario();
        it.vertices[0].parallelism = 2;
        it.vertices[0].source.as_mut().expect("a source").rate = vec![10_000.0, 10.0];
        it.checkpointing.mode = mode;
        it.checkpointing.first_trigger_ms = Some(3000);
        if fails {
            let failure =
                ScenarioFailure { at_ms: 25_000, vertex: 1, ..ScenarioFailure::default() };
            it.recovery.failures.push(failure);
        }
        simulate_scenario(&it).expect("it can be").value
    }

    #[test]
    fn at_least_once_a_failure_counts_records_twice() {
        let report = run(Mode::AtLeastOnce, true);
        let most = most_counted_twice(&report.checkpoints);
        assert!(most > 0, "{:?}", report.checkpoints);
        let it = &report.recoveries[0];
        let restored = it.restored_checkpoint.expect("one completed") as usize;
        // The idle channel is read on while the barrier waits in the other: at most its ten records a
        // second, less where its turns are too few for them.
        let waited = report.checkpoints[restored - 1].end_to_end_ms as f64 / 1000.0;
        let twice = it.records_twice as f64;
        assert!(twice > 20.0 && twice <= waited * 10.0 + 1.0, "{twice} in {waited} s");
        assert_eq!(it.records_twice, report.checkpoints[restored - 1].records_twice);
    }

    #[test]
    fn exactly_once_none_does() {
        for mode in [Mode::Aligned, Mode::Timeout, Mode::Unaligned] {
            let report = run(mode, true);
            assert_eq!(most_counted_twice(&report.checkpoints), 0, "{mode:?}");
            assert_eq!(report.recoveries[0].records_twice, 0, "{mode:?}");
        }
    }

    #[test]
    fn the_longest_replay_reaches_from_a_trigger_to_the_next_completion() {
        let report = run(Mode::Unaligned, false);
        // Triggered every ten seconds and done at once.
        let ms = longest_replay_ms(&report.checkpoints, report.run_ms);
        assert!((10_000..10_600).contains(&ms), "{ms}");
        assert_eq!(longest_replay_ms(&[], 30_000), 30_000, "from the start");
    }
}
