//! What runs are compared by: the slowest checkpoint and its phases, what it wrote, how many
//! completed, and what records felt of it.
//!
//! Source: Flink 1.20.5, CheckpointStatsTracker for the fields that are Flink's; latency and
//! throughput are the simulation's.

use serde::Serialize;

use super::after_failure::{longest_replay_ms, most_counted_twice};
use super::report::{CheckpointReport, SubtaskCheckpoint};

/// What a value is counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum MeasureUnit {
    /// Milliseconds.
    Ms,
    /// Bytes.
    Bytes,
    /// A number of something.
    Count,
    /// Records a second.
    PerSecond,
}

/// A value of a run; of two runs the difference as well.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Measure {
    /// A stable name.
    pub id: &'static str,
    /// What it is, by Flink's name where Flink has it.
    pub name: &'static str,
    /// What it is counted in.
    pub unit: MeasureUnit,
    /// The value; absent where the run has none, such as the latency of no record.
    pub value: Option<f64>,
    /// The value less that of the run it is compared with, where both have one.
    pub difference: Option<f64>,
}

/// The values of a run.
pub fn measures(report: &CheckpointReport) -> Vec<Measure> {
    let slowest = report
        .verdict
        .checkpoint
        .and_then(|id| report.checkpoints.iter().find(|checkpoint| checkpoint.id == id));
    let last = report
        .verdict
        .task
        .zip(slowest)
        .and_then(|(task, it)| it.subtasks.iter().find(|subtask| subtask.task == task));
    let [_, completed, failed] = report.verdict.counts;
    let of = |field: fn(&SubtaskCheckpoint) -> u64| last.map(|it| field(it) as f64);
    let during = report.latency.during;
    let flow = report.throughput;
    let measure = |id, name, unit, value| Measure { id, name, unit, value, difference: None };
    use MeasureUnit::{Bytes, Count, Ms, PerSecond};
    vec![
        measure(
            "endToEnd",
            "end_to_end_duration of the slowest",
            Ms,
            slowest.map(|it| it.end_to_end_ms as f64),
        ),
        measure("startDelay", "start_delay of its last subtask", Ms, of(|it| it.start_delay_ms)),
        measure("alignment", "alignment.duration", Ms, of(|it| it.alignment_ms)),
        measure("sync", "checkpoint.sync", Ms, of(|it| it.sync_ms)),
        measure("async", "checkpoint.async", Ms, of(|it| it.async_ms)),
        measure("persisted", "persisted_data", Bytes, slowest.map(|it| it.persisted_bytes as f64)),
        measure(
            "checkpointed",
            "checkpointed_size",
            Bytes,
            slowest.map(|it| it.checkpointed_size as f64),
        ),
        measure("completed", "completed", Count, Some(completed as f64)),
        measure("failed", "failed", Count, Some(failed as f64)),
        measure(
            "margin",
            "margin to the timeout",
            Ms,
            report.verdict.margin_ms.map(|it| it as f64),
        ),
        measure("sinkDuring", "records/s at the end, meanwhile", PerSecond, flow.sink_during),
        measure("sinkWithout", "records/s at the end, otherwise", PerSecond, flow.sink_without),
        measure("latency", "median latency meanwhile", Ms, during.map(|it| it.p50_ms)),
        measure("latencyTail", "95 % latency meanwhile", Ms, during.map(|it| it.p95_ms)),
        measure(
            "replay",
            "replayed by a failure at the worst moment",
            Ms,
            Some(longest_replay_ms(&report.checkpoints, report.run_ms) as f64),
        ),
        measure(
            "twice",
            "records it counts twice, at most",
            Count,
            Some(most_counted_twice(&report.checkpoints) as f64),
        ),
    ]
}

/// The values of `b`, each with its difference to that of `a`.
pub fn differences(a: &CheckpointReport, b: &CheckpointReport) -> Vec<Measure> {
    let against = measures(a);
    let mut compared = measures(b);
    for (it, against) in compared.iter_mut().zip(against) {
        it.difference = it.value.zip(against.value).map(|(b, a)| b - a);
    }
    compared
}

#[cfg(test)]
mod tests {
    use super::super::{Mode, samples, simulate};
    use super::*;

    fn report(mode: Mode) -> CheckpointReport {
        simulate(&samples::full_queue(), mode, &[], 1).expect("params that can be").value
    }

    fn value(of: &[Measure], id: &str) -> Measure {
        of.iter().find(|it| it.id == id).expect("it is measured").clone()
    }

    #[test]
    fn what_unaligned_saves_in_time_it_pays_in_bytes() {
        let (aligned, unaligned) = (report(Mode::Aligned), report(Mode::Unaligned));
        let all = differences(&aligned, &unaligned);
        assert!(value(&all, "endToEnd").difference < Some(-5000.0), "{all:?}");
        assert!(value(&all, "persisted").difference > Some(50_000.0), "{all:?}");
        assert_eq!(value(&all, "failed").difference, Some(0.0));
        let same = differences(&aligned, &aligned);
        assert!(same.iter().all(|it| it.difference.is_none_or(|it| it == 0.0)), "{same:?}");
    }

    #[test]
    fn what_at_least_once_saves_it_pays_after_a_failure() {
        let mut job = samples::full_queue();
        (job.sources, job.rate) = (2, vec![10_000.0, 10.0]);
        let report = |mode| simulate(&job, mode, &[], 1).expect("params that can be").value;
        let all = differences(&report(Mode::Aligned), &report(Mode::AtLeastOnce));
        assert!(value(&all, "twice").difference > Some(10.0), "{all:?}");
        assert!(value(&all, "replay").value > Some(1000.0), "{all:?}");
    }

    #[test]
    fn a_value_that_one_run_lacks_has_no_difference() {
        let full = report(Mode::Aligned);
        let mut none = full.clone();
        none.latency.during = None;
        assert_eq!(value(&differences(&none, &full), "latency").difference, None);
        assert_eq!(value(&measures(&none), "latency").value, None);
    }
}
