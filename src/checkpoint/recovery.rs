//! A failure and what follows: restart, restore from the newest completed checkpoint, replay, and the
//! time until the sources have made up for it.
//!
//! The whole job restarts, as it does where all exchanges are pipelined. Sources go back to where they
//! stood when the restored checkpoint took their state, and are offered again all that is due since;
//! in-flight data of that checkpoint stands in the channels before it.
//!
//! Source: Flink 1.20.5, RestartPipelinedRegionFailoverStrategy, CheckpointCoordinator
//! (restoreLatestCheckpointedStateToAll; stopCheckpointScheduler fails what is pending;
//! startCheckpointScheduler draws the first trigger anew), CheckpointFailureManager.
//!
//! # Deviations
//! Deploying takes no time, and slots are there for it: spare ones, where a TaskManager is lost. Without a completed checkpoint sources begin at the start of the run.
//! In-flight data is restored into the senders' queues, whole records of it.

use serde::Serialize;

use super::detection::NoticedBy;
use super::facts::Fact;
use super::random::Random;
use super::report::CheckpointStatus;
use super::simulation::{Event, Simulation};
use super::time::SimTime;
use super::upload::Link;

/// `CheckpointFailureReason.CHECKPOINT_COORDINATOR_SUSPEND`.
const SUSPENDED: &str = "Checkpoint Coordinator is suspending.";

/// Where a source stood when it took its state.
#[derive(Debug, Clone, Copy)]
pub struct SourcePoint {
    /// Of this checkpoint.
    pub id: u64,
    /// The source's task.
    pub task: usize,
    /// When its next record was due.
    pub due: SimTime,
    /// Records before that.
    pub offset: u64,
}

/// Why the job stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cause {
    /// When it happened.
    pub failed: SimTime,
    /// The subtask; none where checkpoints failed.
    pub task: Option<usize>,
    /// By what it was noticed.
    pub by: NoticedBy,
}

/// A failure and what followed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RecoveryReport {
    /// When it failed, from the start of the run [ms].
    pub failed_ms: u64,
    /// The subtask that failed, a place in the report's tasks; absent where checkpoints failed.
    pub task: Option<usize>,
    /// When the JobManager knew [ms].
    pub noticed_ms: u64,
    /// By what.
    pub noticed_by: NoticedBy,
    /// The delay before the last restart, by the restart strategy [ms].
    pub restart_delay_ms: u64,
    /// Restarts that failed, into a TaskManager that was not known to be lost.
    pub failed_restarts: u32,
    /// Flink's words where the restart strategy allows no other restart.
    pub suppressed: Option<String>,
    /// The checkpoint that was restored; absent where there was none.
    pub restored_checkpoint: Option<u64>,
    /// When that was triggered; the start of the run where there was none [ms].
    pub recovery_point_ms: u64,
    /// When the job ran again [ms]; absent where the run ended before.
    pub restarted_ms: Option<u64>,
    /// Of that time, what reading the state took [ms].
    pub restore_ms: u64,
    /// Records that sources made again.
    pub records_replayed: u64,
    /// Records that are in the restored state already and come again, at least once.
    pub records_twice: u64,
    /// When every source had made what was due by then [ms]; absent where the run ended before.
    pub caught_up_ms: Option<u64>,
}

impl Simulation {
    /// Failures at the times that are given.
    pub(super) fn schedule_failures(&mut self) {
        for (place, failure) in self.job.recovery.failures.iter().enumerate() {
            self.queue.push(failure.at, Event::Fail(place));
        }
    }

    /// The job stops, and is planned to run again.
    pub(super) fn go_down(&mut self, cause: Cause) {
        self.catch_up_all(self.now);
        self.note(Fact::FailureNoticed, 0);
        for id in 1..=self.checkpoints.len() as u64 {
            if self.checkpoints[id as usize - 1].status == CheckpointStatus::InProgress {
                self.fail(id, SUSPENDED);
            }
        }
        self.coordinator.suspend();
        let completed = |it: &&super::report::Checkpoint| it.status == CheckpointStatus::Completed;
        let restored = self.checkpoints.iter().rfind(completed).map(|it| it.id);
        let state = restored.map_or(0, |id| {
            let subtasks = self.checkpoints[id as usize - 1].subtasks.iter();
            subtasks.map(|it| it.state_size).max().unwrap_or_default()
        });
        let rate = self.job.recovery.restore_bytes_per_second;
        self.restore_span = SimTime::from_us(rate.map_or(0.0, |rate| state as f64 * 1e6 / rate));
        let records_replayed = self.start_anew(restored);
        self.recoveries.push(RecoveryReport {
            failed_ms: cause.failed.as_ms(),
            task: cause.task,
            noticed_ms: self.now.as_ms(),
            noticed_by: cause.by,
            restart_delay_ms: 0,
            failed_restarts: 0,
            suppressed: None,
            restored_checkpoint: restored,
            recovery_point_ms: restored.map_or(0, |id| self.triggered[id as usize - 1].as_ms()),
            restarted_ms: None,
            restore_ms: self.restore_span.as_ms(),
            records_replayed,
            records_twice: restored.map_or(0, |id| self.checkpoints[id as usize - 1].records_twice),
            caught_up_ms: None,
        });
        self.down = true;
        self.ticks_at = None;
        // Nothing that was planned happens; other failures do, and what is gone is noticed.
        self.queue.retain(|event| matches!(event, Event::Fail(_) | Event::Noticed(_)));
        self.plan_restart(self.now);
    }

    /// The restart strategy says when the job is deployed after a failure at a moment, or ends it.
    pub(super) fn plan_restart(&mut self, failed: SimTime) {
        let planned = self.restarts.notify(failed.as_ms());
        let Some(it) = self.recoveries.last_mut() else { return };
        match planned {
            Ok(delay_ms) => {
                it.restart_delay_ms = delay_ms;
                self.queue.push(failed.after(SimTime::from_ms(delay_ms)), Event::Deploy);
            }
            Err(words) => {
                it.suppressed = Some(words);
                self.queue.retain(|_| false);
            }
        }
    }

    /// New tasks and empty channels, with the sources and the data in flight as they were in a
    /// checkpoint. Gives the records that will be made again.
    fn start_anew(&mut self, restored: Option<u64>) -> u64 {
        let in_flight: Vec<u64> = match restored {
            Some(id) => {
                self.checkpoints[id as usize - 1].cut.iter().map(|it| it.persisted).collect()
            }
            None => Vec::new(),
        };
        let (network, tasks) = super::wiring::wire(&self.job);
        let old = std::mem::replace(&mut self.tasks, tasks);
        self.network = network;
        self.network.now = self.now;
        self.links = vec![Link::default(); self.tasks.len()];
        let mut replayed = 0;
        for (task, (it, old)) in self.tasks.iter_mut().zip(old).enumerate() {
            let points = &self.source_points;
            let point = points.iter().find(|it| Some(it.id) == restored && it.task == task);
            it.next_due = point.map_or(SimTime::ZERO, |it| it.due);
            it.offset = point.map_or(0, |it| it.offset);
            it.catching_up = it.gates.is_empty();
            replayed += old.offset - it.offset;
            // What was counted stays counted.
            (it.records_in, it.records_out) = (old.records_in, old.records_out);
            (it.busy, it.random, it.snapshots_taken) = (old.busy, old.random, old.snapshots_taken);
            let still = old.backpressured.1.map_or(SimTime::ZERO, |at| self.now.since(at));
            it.backpressured = (old.backpressured.0.after(still), None);
        }
        for (channel, bytes) in in_flight.into_iter().enumerate() {
            let records = bytes / self.network.channels[channel].record_bytes;
            (0..records).for_each(|_| self.network.write_record(channel));
        }
        replayed
    }

    /// The job runs again.
    pub(super) fn on_restart(&mut self) {
        self.down = false;
        let now = self.now;
        let mut restored = None;
        if let Some(it) = self.recoveries.last_mut() {
            it.restarted_ms = Some(now.as_ms());
            restored = it.restored_checkpoint;
        }
        self.note(Fact::Restarted, restored.unwrap_or_default());
        self.start_tasks();
        let settings = self.job.coordinator;
        let most = settings.interval.max(settings.min_pause);
        let spread = most.since(settings.min_pause).as_ms() as f64;
        // Stream 0 is nobody's; each restart draws another first trigger.
        let seed = self.job.seed.wrapping_add(self.recoveries.len() as u64);
        let drawn = (Random::new(seed, 0).unit() * spread).floor() as u64;
        let first = now.after(settings.min_pause).after(SimTime::from_ms(drawn));
        self.coordinator.resume(first);
        self.schedule_tick();
    }

    /// A source has made all that is due.
    pub(super) fn source_caught_up(&mut self, task: usize) {
        self.tasks[task].catching_up = false;
        if self.tasks.iter().any(|it| it.catching_up) {
            return;
        }
        self.note(Fact::CaughtUp, 0);
        let now = self.now.as_ms();
        if let Some(it) = self.recoveries.last_mut() {
            it.caught_up_ms = Some(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::params::Mode;
    use super::super::random::ServiceTime;
    use super::super::scenario::ScenarioFailure;
    use super::super::{CheckpointReport, Scenario, samples, simulate_scenario};

    /// 1000 records a second, 600 µs each, a checkpoint every second, a failure at 10.4 s.
    fn run(change: impl FnOnce(&mut Scenario)) -> CheckpointReport {
        let mut scenario = samples::scenario();
        scenario.vertices[0].source.as_mut().expect("a source").rate = vec![1000.0];
        scenario.vertices[1].service = vec![ServiceTime::Constant { mean_us: 600.0 }];
        scenario.vertices[1].state.bytes = vec![1e6];
        scenario.checkpointing.interval_ms = 1000;
        scenario.recovery.failures.push(ScenarioFailure {
            at_ms: 10_400,
            vertex: 1,
            subtask: 0,
            ..ScenarioFailure::default()
        });
        change(&mut scenario);
        simulate_scenario(&scenario).expect("it can be").value
    }

    #[test]
    fn a_failure_replays_what_came_after_the_newest_checkpoint() {
        let report = run(|_| {});
        let it = &report.recoveries[0];
        assert_eq!((it.task, it.restored_checkpoint), (Some(1), Some(8)));
        assert_eq!((it.failed_ms, it.recovery_point_ms), (10_400, 10_000));
        assert_eq!(it.restarted_ms, Some(11_400));
        // The record that is due with the barrier belongs to either side.
        assert!((399..=401).contains(&it.records_replayed), "{}", it.records_replayed);
        // 1400 records wait, and each second 1667 are taken and 1000 come: 2.1 s.
        let caught_up = it.caught_up_ms.expect("it has room to catch up") - 11_400;
        assert!((500..2300).contains(&caught_up), "{caught_up} ms");
        let failed: Vec<_> =
            report.checkpoints.iter().filter_map(|it| it.failure_message.clone()).collect();
        assert!(failed.is_empty(), "{failed:?}");
        assert!(report.checkpoints.last().is_some_and(|it| it.triggered_ms > 20_000));
    }

    #[test]
    fn reading_the_state_takes_its_time_and_no_checkpoint_means_from_the_start() {
        let report = run(|it| it.recovery.restore_bytes_per_second = Some(500_000.0));
        assert_eq!(report.recoveries[0].restore_ms, 2000);
        assert_eq!(report.recoveries[0].restarted_ms, Some(13_400));
        let report = run(|it| it.checkpointing.first_trigger_ms = Some(10_300));
        let report_none = run(|it| it.checkpointing.first_trigger_ms = Some(20_000));
        assert_eq!(report.recoveries[0].restored_checkpoint, Some(1));
        assert_eq!(report_none.recoveries[0].restored_checkpoint, None);
        assert!(report_none.recoveries[0].records_replayed >= 10_400);
    }

    #[test]
    fn a_checkpoint_in_progress_fails_with_the_job() {
        let report = run(|it| it.vertices[1].async_ms = 700);
        let message = report.checkpoints[7].failure_message.as_deref();
        assert_eq!(message, Some("Checkpoint Coordinator is suspending."));
        assert_eq!(report.recoveries[0].restored_checkpoint, Some(7));
    }

    #[test]
    fn too_many_failed_checkpoints_restart_the_job() {
        let mut scenario = samples::scenario();
        scenario.checkpointing.timeout_ms = 1000;
        let report = simulate_scenario(&scenario).expect("it can be").value;
        assert!(report.job_failed);
        assert_eq!(report.recoveries[0].task, None);
        assert_eq!(report.recoveries[0].failed_ms, 4000);
    }

    #[test]
    fn data_in_flight_is_read_again_and_no_record_is_lost() {
        let report = run(|it| {
            it.checkpointing.mode = Mode::Unaligned;
            it.vertices[0].source.as_mut().expect("a source").rate = vec![3000.0];
        });
        let it = &report.recoveries[0];
        let checkpoint = &report.checkpoints[it.restored_checkpoint.expect("one") as usize - 1];
        assert!(checkpoint.persisted_bytes > 0);
        assert!(it.restarted_ms.is_some());
    }
}
