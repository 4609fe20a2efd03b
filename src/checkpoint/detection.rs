//! When the JobManager learns that something is gone, and what happens until then.
//!
//! A task that throws says so at once. A TaskManager whose process dies breaks its connections: tasks of
//! other TaskManagers that read from it fail at once, and where there are none, heartbeats that the
//! JobManager sends to it fail one after the other. One that is only cut off breaks nothing: it is missed
//! when its heartbeat has been absent for heartbeat.timeout.
//!
//! Until a dead TaskManager is known to be, its slots are given out again, and a restart into them fails
//! and counts as one more failure.
//!
//! Source: Flink 1.18.1, 1.20.5 and 2.2.1, HeartbeatManagerSenderImpl (one timer for all targets),
//! DefaultHeartbeatMonitor (each answer starts the timeout anew; so many failed RPCs in a row make a target
//! unreachable, -1 for never), JobMaster.TaskManagerHeartbeatListener,
//! CreditBasedPartitionRequestClientHandler#channelInactive ("Connection unexpectedly closed by remote task
//! manager"; it is the reader's), the release notes of 1.14 (RPCs to a process that is gone fail at once,
//! those to an address that does not answer do not), and HeartbeatServices (the timeout is at least the
//! interval). That a restart before the loss is known fails once more is said where Flink's own test
//! of killed TaskManagers was given more attempts for it (TaskManagerProcessFailureBatchRecoveryITCase).
//!
//! # Deviations
//! Messages take no time, and a deployment fails within a millisecond. Which heartbeat comes when is drawn.
//! A failure while the job is down is none. What a resource manager hears of its containers is not
//! modelled. A task that sends to one that died goes on until its buffers are full; in Flink what it sends
//! is thrown away. A job that is to be restarted while a TaskManager does not answer waits until that is
//! known to be lost; in Flink it waits for cancellations that time out.

use serde::{Deserialize, Serialize};

use super::facts::Fact;
use super::random::Random;
use super::recovery::Cause;
use super::simulation::{Event, Simulation};
use super::task::Task;
use super::time::SimTime;

/// The stream of random numbers for the phase of heartbeats; jitter has the one after it.
const HEARTBEAT_STREAM: u64 = u64::MAX - 1;
/// How long a deployment takes to fail.
const FAILED_DEPLOYMENT: SimTime = SimTime::from_ms(1);

/// What fails.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FailureKind {
    /// The task throws.
    #[default]
    Task,
    /// The process of its TaskManager dies.
    TaskManagerLost,
    /// Its TaskManager goes on, but nothing reaches it and nothing comes from it.
    TaskManagerUnreachable,
}

/// How the JobManager asks its TaskManagers whether they are there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Heartbeat {
    /// heartbeat.interval [ms].
    pub interval_ms: u64,
    /// heartbeat.timeout [ms].
    pub timeout_ms: u64,
    /// heartbeat.rpc-failure-threshold; -1 for never.
    pub rpc_failure_threshold: i32,
}

impl Default for Heartbeat {
    fn default() -> Self {
        Self { interval_ms: 10_000, timeout_ms: 50_000, rpc_failure_threshold: 2 }
    }
}

/// By what the JobManager noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum NoticedBy {
    /// The task said so.
    TaskFailure,
    /// A task that reads from the TaskManager found its connection closed.
    ConnectionClosed,
    /// Heartbeats could not be delivered.
    HeartbeatRpcFailures,
    /// No heartbeat came back in time.
    HeartbeatTimeout,
    /// More checkpoints failed in a row than are tolerated.
    CheckpointFailures,
}

impl Heartbeat {
    /// The last heartbeat not after a moment; the registration counts as one.
    fn last_before(&self, phase: SimTime, moment: SimTime) -> SimTime {
        let interval = SimTime::from_ms(self.interval_ms);
        match moment < phase {
            true => SimTime::ZERO,
            false => {
                let count = moment.since(phase).as_ns() / interval.as_ns().max(1);
                phase.after(interval.times(count))
            }
        }
    }

    /// When a TaskManager that was lost at a moment is known to be, and by what. `phase` is when the first
    /// heartbeat was sent.
    pub fn noticed(
        &self,
        kind: FailureKind,
        phase: SimTime,
        lost: SimTime,
    ) -> (SimTime, NoticedBy) {
        let last = self.last_before(phase, lost);
        let timeout = (last.after(SimTime::from_ms(self.timeout_ms)), NoticedBy::HeartbeatTimeout);
        let Ok(threshold @ 1..) = u64::try_from(self.rpc_failure_threshold) else {
            return timeout;
        };
        if kind != FailureKind::TaskManagerLost {
            return timeout;
        }
        let first = match lost < phase {
            true => phase,
            false => last.after(SimTime::from_ms(self.interval_ms)),
        };
        let failed = first.after(SimTime::from_ms(self.interval_ms).times(threshold - 1));
        match failed <= timeout.0 {
            true => (failed, NoticedBy::HeartbeatRpcFailures),
            false => timeout,
        }
    }
}

/// A TaskManager that is gone, while the JobManager does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lost {
    failure: usize,
    kind: FailureKind,
    task: usize,
    at: SimTime,
    by: NoticedBy,
}

impl Simulation {
    /// When the first heartbeat is sent.
    fn heartbeat_phase(&self) -> SimTime {
        let interval_ms = self.job.recovery.heartbeat.interval_ms;
        let unit = Random::new(self.job.seed, HEARTBEAT_STREAM).unit();
        SimTime::from_us(unit * interval_ms as f64 * 1000.0)
    }

    /// A subtask fails, or its TaskManager with it.
    pub(super) fn on_failure(&mut self, place: usize) {
        let failure = self.job.recovery.failures[place];
        let is_it = |it: &Task| it.vertex == failure.vertex && it.index == failure.subtask;
        let Some(task) = self.tasks.iter().position(is_it).filter(|task| {
            // One that is gone cannot fail once more.
            !self.down && !self.tasks[*task].lost
        }) else {
            return;
        };
        if failure.kind == FailureKind::Task {
            self.note_task(Fact::SubtaskFailed, 0, task);
            let by = NoticedBy::TaskFailure;
            return self.go_down(Cause { failed: self.now, task: Some(task), by });
        }
        self.catch_up_all(self.now);
        let readers_elsewhere = self.lose_task_manager(self.tasks[task].task_manager);
        let heartbeat = self.job.recovery.heartbeat;
        let (at, by) = heartbeat.noticed(failure.kind, self.heartbeat_phase(), self.now);
        self.lost.push(Lost { failure: place, kind: failure.kind, task, at: self.now, by });
        self.queue.push(at, Event::Noticed(place));
        if failure.kind == FailureKind::TaskManagerLost && readers_elsewhere {
            let by = NoticedBy::ConnectionClosed;
            self.go_down(Cause { failed: self.now, task: Some(task), by });
        }
    }

    /// Nothing of a TaskManager runs any more, and what it had not sent is not sent. Says whether tasks of
    /// others read from it.
    fn lose_task_manager(&mut self, task_manager: usize) -> bool {
        let mut readers_elsewhere = false;
        for task in 0..self.tasks.len() {
            if self.tasks[task].task_manager != task_manager {
                continue;
            }
            self.tasks[task].lost = true;
            self.note_task(Fact::SubtaskFailed, 0, task);
            for channel in self.output_channels(task) {
                let it = &mut self.network.channels[channel];
                it.is_cut_off = true;
                readers_elsewhere |= it.remote;
            }
        }
        readers_elsewhere
    }

    /// The JobManager takes a TaskManager as lost.
    pub(super) fn on_noticed(&mut self, place: usize) {
        let Some(at) = self.lost.iter().position(|it| it.failure == place) else { return };
        let lost = self.lost.remove(at);
        if !self.down {
            self.go_down(Cause { failed: lost.at, task: Some(lost.task), by: lost.by });
        } else if std::mem::take(&mut self.restart_waits) {
            self.on_deploy();
        }
    }

    /// The delay is over: the job is deployed, if its slots are there.
    pub(super) fn on_deploy(&mut self) {
        if self.lost.iter().any(|it| it.kind == FailureKind::TaskManagerUnreachable) {
            self.restart_waits = true;
        } else if self.lost.is_empty() {
            self.queue.push(self.now.after(self.restore_span), Event::Restart);
        } else {
            self.note(Fact::RestartFailed, 0);
            if let Some(it) = self.recoveries.last_mut() {
                it.failed_restarts += 1;
            }
            self.plan_restart(self.now.after(FAILED_DEPLOYMENT));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::restart::RestartStrategy;
    use super::super::scenario::ScenarioFailure;
    use super::super::{CheckpointReport, Scenario, samples, simulate_scenario};
    use super::*;
    use crate::checkpoint::job::Placement;

    const LOST: FailureKind = FailureKind::TaskManagerLost;
    const UNREACHABLE: FailureKind = FailureKind::TaskManagerUnreachable;

    #[track_caller]
    fn check(heartbeat: Heartbeat, kind: FailureKind, lost_ms: u64, expected: (u64, NoticedBy)) {
        let (at, by) = heartbeat.noticed(kind, SimTime::from_ms(4000), SimTime::from_ms(lost_ms));
        assert_eq!((at.as_ms(), by), expected);
    }

    #[test]
    fn two_heartbeats_that_fail_or_fifty_seconds_without_one() {
        let by_rpc = NoticedBy::HeartbeatRpcFailures;
        let by_time = NoticedBy::HeartbeatTimeout;
        let flink = Heartbeat::default();
        // Heartbeats at 4, 14, 24 s.
        check(flink, LOST, 14_001, (34_000, by_rpc));
        check(flink, LOST, 23_999, (34_000, by_rpc));
        check(flink, LOST, 100, (14_000, by_rpc));
        check(flink, UNREACHABLE, 23_999, (64_000, by_time));
        check(flink, UNREACHABLE, 14_000, (64_000, by_time));
        check(flink, UNREACHABLE, 100, (50_000, by_time));
        check(Heartbeat { rpc_failure_threshold: -1, ..flink }, LOST, 14_001, (64_000, by_time));
        check(Heartbeat { rpc_failure_threshold: 9, ..flink }, LOST, 14_001, (64_000, by_time));
        check(Heartbeat { rpc_failure_threshold: 1, ..flink }, LOST, 14_001, (24_000, by_rpc));
    }

    /// Two sources and two operators that keep up, a checkpoint every second, a failure at 10.4 s.
    fn run(
        kind: FailureKind,
        vertex: usize,
        change: impl FnOnce(&mut Scenario),
    ) -> CheckpointReport {
        let mut scenario = samples::scenario();
        scenario.vertices[0].source.as_mut().expect("a source").rate = vec![100.0];
        scenario.vertices[1].service =
            vec![super::super::random::ServiceTime::Constant { mean_us: 500.0 }];
        scenario.checkpointing.interval_ms = 1000;
        scenario.checkpointing.first_trigger_ms = Some(1000);
        scenario.run_ms = 100_000;
        let failure = ScenarioFailure { at_ms: 10_400, vertex, subtask: 0, kind };
        scenario.recovery.failures.push(failure);
        change(&mut scenario);
        simulate_scenario(&scenario).expect("it can be").value
    }

    #[test]
    fn a_sink_that_dies_is_noticed_by_failed_heartbeats_and_checkpoints_wait_until_then() {
        let report = run(LOST, 1, |_| {});
        let it = &report.recoveries[0];
        assert_eq!((it.failed_ms, it.noticed_by), (10_400, NoticedBy::HeartbeatRpcFailures));
        assert!((20_400..=30_400).contains(&it.noticed_ms), "{it:?}");
        assert_eq!(it.restarted_ms, Some(it.noticed_ms + 1000));
        assert_eq!((it.failed_restarts, it.restored_checkpoint), (0, Some(10)));
        // What came since the tenth checkpoint, until its queue was full or the loss was noticed.
        let most = (it.noticed_ms - 10_000) / 10 + 1;
        assert!((41..=most).contains(&it.records_replayed), "{it:?}");
        let waiting = &report.checkpoints[10];
        assert_eq!(waiting.triggered_ms, 11_000);
        let says = waiting.failure_message.as_deref();
        assert_eq!(says, Some("Checkpoint Coordinator is suspending."));
        assert!(report.checkpoints[11].triggered_ms > it.restarted_ms.expect("it was"));
    }

    #[test]
    fn a_source_that_dies_is_noticed_by_its_readers_and_restarts_fail_until_it_is_known() {
        let report = run(LOST, 0, |_| {});
        let it = &report.recoveries[0];
        assert_eq!((it.noticed_ms, it.noticed_by), (10_400, NoticedBy::ConnectionClosed));
        // One a second, from 11.4 s until two heartbeats have failed.
        let restarted = it.restarted_ms.expect("it was");
        assert!((20_400..=31_500).contains(&restarted), "{it:?}");
        assert!((9..=20).contains(&it.failed_restarts), "{it:?}");
        let longer = run(LOST, 0, |it| {
            it.recovery.restart_strategy = Some(RestartStrategy::ExponentialDelay {
                flink: crate::units::FlinkVersion::V1_20,
                initial_backoff_ms: 1000,
                max_backoff_ms: 60_000,
                backoff_multiplier: 1.5,
                reset_backoff_threshold_ms: 3_600_000,
                jitter_factor: 0.0,
                attempts_before_reset_backoff: None,
            });
        });
        // After 1, 2.5, 4.75, 8.1, 13.2, 20.8 s.
        assert!((4..=5).contains(&longer.recoveries[0].failed_restarts), "{longer:#?}");
    }

    #[test]
    fn one_attempt_is_not_enough_for_a_task_manager_that_is_not_known_to_be_lost() {
        let report = run(LOST, 0, |it| {
            it.recovery.restart_strategy =
                Some(RestartStrategy::FixedDelay { attempts: Some(1), delay_ms: 1000 });
        });
        let it = &report.recoveries[0];
        assert!(it.suppressed.as_ref().is_some_and(|it| it.starts_with("Recovery is suppressed")));
        assert_eq!((it.failed_restarts, it.restarted_ms), (1, None));
        assert!(report.job_failed && report.run_ms < 12_000, "{} ms", report.run_ms);
        assert!(report.verdict.sentence.contains("Recovery is suppressed"), "{:?}", report.verdict);
    }

    #[test]
    fn one_that_does_not_answer_is_missed_after_the_heartbeat_timeout() {
        let report = run(UNREACHABLE, 0, |_| {});
        let it = &report.recoveries[0];
        assert_eq!(it.noticed_by, NoticedBy::HeartbeatTimeout);
        assert!((50_400..=60_400).contains(&it.noticed_ms), "{it:?}");
        assert_eq!(it.restarted_ms, Some(it.noticed_ms + 1000));
        // The source was cut off, so nothing came after it.
        assert!((39..=42).contains(&it.records_replayed), "{it:?}");
    }

    #[test]
    fn checkpoints_that_expire_meanwhile_restart_the_job_once_the_loss_is_known() {
        let report = run(UNREACHABLE, 1, |it| it.checkpointing.timeout_ms = 5000);
        let it = &report.recoveries[0];
        assert_eq!((it.noticed_by, it.noticed_ms), (NoticedBy::CheckpointFailures, 16_000));
        let restarted = it.restarted_ms.expect("it was");
        assert!((50_400..=60_400).contains(&restarted), "{it:?}");
        assert_eq!(report.recoveries.len(), 1);
    }

    #[test]
    fn all_subtasks_of_a_task_manager_are_lost_with_it() {
        let report = run(LOST, 1, |it| {
            it.vertices[0].parallelism = 4;
            it.vertices[1].parallelism = 4;
            it.network.placement = Placement::Slots { slots_per_task_manager: 2 };
        });
        // Its sources are read by the other TaskManager.
        assert_eq!(report.recoveries[0].noticed_by, NoticedBy::ConnectionClosed);
        let alone = run(LOST, 1, |it| it.network.placement = Placement::Local);
        assert_eq!(alone.recoveries[0].noticed_by, NoticedBy::HeartbeatRpcFailures);
        assert!(alone.recoveries[0].caught_up_ms.is_some());
    }
}
