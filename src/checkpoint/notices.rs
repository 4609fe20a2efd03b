//! What a run shows that a reader would otherwise wonder about.
//!
//! Source: Flink 1.20.5: back pressure is measured at the output, so that the slow task itself reports
//! none; after an expiry CheckpointCoordinator starts the next queued request at once, whatever the
//! pause; pointwise and broadcast exchanges are never overtaken (docs, checkpointing under
//! backpressure); a stale barrier still stops its sender (measured).

use super::job::BarrierMode;
use super::report::{CheckpointReport, CheckpointStatus};
use super::simulation::Simulation;
use super::verdict::said;
use crate::finding::{Finding, Severity};
use crate::units::Bytes;

/// Failed checkpoints in a row from which they count as thrashing.
const THRASHING: usize = 2;

pub(super) fn finding(
    code: &'static str,
    severity: Severity,
    title: String,
    reason: String,
) -> Finding {
    let (option, price, apply) = (None, None, Vec::new());
    let source = "Flink 1.20.5".to_owned();
    Finding { code, severity, title, reason, option, price, apply, source }
}

impl Simulation {
    /// What stands beside a report of this run.
    pub fn notices(&self, report: &CheckpointReport) -> Vec<Finding> {
        let all = [
            self.slow_task_reports_ok(report),
            self.thrashing(report),
            self.stays_aligned(),
            self.converted_at_senders(report),
            self.alignment_held(report),
            self.restarts_failed(),
        ];
        all.into_iter().flatten().collect()
    }

    /// The busiest task behind a back-pressured one.
    fn slow_task_reports_ok(&self, report: &CheckpointReport) -> Option<Finding> {
        let upstream = |task: usize| {
            let gates = self.tasks[task].gates.iter();
            let channels = gates.flat_map(|gate| &self.network.gates[*gate].channels);
            channels.map(|it| self.network.partitions[self.network.channels[*it].partition].task)
        };
        let found = (0..report.tasks.len())
            .filter(|task| report.tasks[*task].level == "ok")
            .filter(|task| upstream(*task).any(|it| report.tasks[it].level == "high"))
            .max_by_key(|task| report.tasks[*task].busy_ms)?;
        let source = upstream(found).max_by_key(|it| report.tasks[*it].backpressured_ms)?;
        let (slow, before) = (&report.tasks[found], &report.tasks[source]);
        let share = |part: u64| part as f64 * 100.0 / report.run_ms.max(1) as f64;
        let title = format!(
            "{} ({}) is the bottleneck, and reports back pressure ok.",
            slow.vertex, slow.index
        );
        let reason = format!(
            "It is busy {:.0} % of the run and back-pressured {:.0} %, because back pressure is waiting for \
             room in one's own output. {} ({}) in front of it is back-pressured {:.0} %, level high: the slow \
             task is the first one that is not, downstream of those that are.",
            share(slow.busy_ms),
            share(slow.backpressured_ms),
            before.vertex,
            before.index,
            share(before.backpressured_ms)
        );
        Some(finding("slowTaskReportsOk", Severity::Note, title, reason))
    }

    /// Expire, trigger, expire.
    fn thrashing(&self, report: &CheckpointReport) -> Option<Finding> {
        let expired = |it: &super::report::Checkpoint| {
            it.status == CheckpointStatus::Failed
                && it.end_to_end_ms >= self.job.coordinator.timeout.as_ms()
        };
        let (mut row, mut longest, mut last) = (0, 0, 0);
        for (place, it) in report.checkpoints.iter().enumerate() {
            row = if expired(it) { row + 1 } else { 0 };
            if row > longest {
                (longest, last) = (row, place);
            }
        }
        if longest < THRASHING {
            return None;
        }
        let (first, second) = (&report.checkpoints[last - 1], &report.checkpoints[last]);
        let settings = self.job.coordinator;
        let title =
            format!("Checkpoints thrash: {longest} in a row expired, each followed by the next.");
        let reason = format!(
            "Checkpoint {} expired after {} and checkpoint {} was triggered {} after it began: a pause of {} \
             counts from completed checkpoints only, and the ticks that were missed are queued. The barriers \
             of an expired checkpoint stay in the queues and still stop their senders, so the next one \
             stands behind them.",
            first.id,
            said(first.end_to_end_ms),
            second.id,
            said(second.triggered_ms - first.triggered_ms),
            said(settings.min_pause.as_ms())
        );
        let mut found = finding("thrashing", Severity::Error, title, reason);
        found.option = Some("execution.checkpointing.timeout".to_owned());
        let price = "A longer timeout is a longer time before a checkpoint that never completes is noticed.";
        found.price = Some(price.to_owned());
        Some(found)
    }

    /// Restarts into a TaskManager that was not known to be lost.
    fn restarts_failed(&self) -> Option<Finding> {
        let it = self.recoveries.iter().find(|it| it.failed_restarts > 0)?;
        let title = format!(
            "{} restarts failed, because the JobManager did not know yet that the TaskManager was lost.",
            it.failed_restarts
        );
        let reason = format!(
            "Tasks that read from it failed {} after it was lost, and the job was restarted into its slots, \
             which are given out until heartbeat.rpc-failure-threshold heartbeats in a row could not be \
             delivered. Each such restart counts for the restart strategy.",
            said(it.noticed_ms.saturating_sub(it.failed_ms))
        );
        let mut found = finding("restartsBeforeNoticed", Severity::Warning, title, reason);
        found.option = Some("heartbeat.interval".to_owned());
        found.source = "Flink 1.20.5, DefaultHeartbeatMonitor".to_owned();
        Some(found)
    }

    /// Edges that unaligned checkpoints do not apply to.
    fn stays_aligned(&self) -> Option<Finding> {
        let overtakes =
            matches!(self.job.mode, BarrierMode::Unaligned | BarrierMode::AlignedWithTimeout(_));
        let it = self.network.channels.iter().find(|it| !it.can_be_overtaken)?;
        if !overtakes {
            return None;
        }
        let edge = &self.job.edges[it.edge as usize];
        let name = |vertex: usize| &self.job.vertices[vertex].name;
        let title = format!("{} → {} stays aligned.", name(edge.from), name(edge.to));
        let reason = "Unaligned checkpoints do not apply to forward, rescale and broadcast exchanges, nor here to the \
                      other inputs of a task that has one: their barriers wait for the records before them.";
        let mut found = finding("staysAligned", Severity::Note, title, reason.to_owned());
        found.option = Some("execution.checkpointing.unaligned.enabled".to_owned());
        Some(found)
    }

    /// What blocked channels held at the most.
    fn alignment_held(&self, report: &CheckpointReport) -> Option<Finding> {
        let subtasks = report.checkpoints.iter().flat_map(|it| &it.subtasks);
        // Where all barriers came at once, what lay behind them waited for nothing.
        let waited = subtasks.filter(|it| it.held_bytes > 0 && it.alignment_ms > 0);
        let it = waited.max_by_key(|it| it.held_bytes)?;
        let title = format!(
            "{} ({}) held {} records during an alignment of {}.",
            it.vertex,
            it.index,
            it.held_records,
            said(it.alignment_ms)
        );
        let reason = format!(
            "Channels whose barrier had come were not read until the last one came. {} waited in their \
             senders' queues then; nothing of it used a buffer of the receiver.",
            Bytes::new(it.held_bytes as i64)
        );
        Some(finding("alignmentHeld", Severity::Note, title, reason))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Scenario, samples, simulate_scenario};

    fn codes(change: impl FnOnce(&mut Scenario)) -> Vec<&'static str> {
        let mut scenario = samples::scenario();
        change(&mut scenario);
        let answer = simulate_scenario(&scenario).expect("it can be");
        answer.findings.iter().map(|it| it.code).collect()
    }

    #[test]
    fn the_slow_task_is_named_where_there_is_one() {
        assert_eq!(codes(|_| {}), ["slowTaskReportsOk"]);
        let idle = |it: &mut Scenario| {
            it.vertices[0].source.as_mut().expect("a source").rate = vec![10.0];
        };
        assert!(codes(idle).is_empty());
    }

    #[test]
    fn checkpoints_that_expire_one_after_the_other_are_thrashing() {
        let thrash = |it: &mut Scenario| {
            it.checkpointing.timeout_ms = 1500;
            it.checkpointing.interval_ms = 1000;
            it.checkpointing.tolerable_failed_checkpoints = 100;
        };
        assert!(codes(thrash).contains(&"thrashing"));
    }

    #[test]
    fn a_lag_holds_the_early_channel() {
        let lag = |it: &mut Scenario| {
            it.vertices[0].parallelism = 2;
            let source = it.vertices[0].source.as_mut().expect("a source");
            (source.rate, source.lag_ms) = (vec![20.0], vec![2000, 0]);
        };
        assert_eq!(codes(lag), ["alignmentHeld"]);
        // Without a lag both barriers come at once, whatever lies behind them.
        let even = |it: &mut Scenario| it.vertices[0].parallelism = 2;
        assert_eq!(codes(even), ["slowTaskReportsOk"]);
    }
}
