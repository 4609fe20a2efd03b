//! What is compared of two runs, and whether a run keeps a promise.
//!
//! Source: Flink 1.20.5, CheckpointStatsSummary (of completed checkpoints only); what a failure costs is
//! `after_failure.rs`'s.

use serde::Serialize;

use crate::checkpoint::after_failure::{longest_replay_ms, most_counted_twice};
use crate::checkpoint::report::{Checkpoint, CheckpointStatus};
use crate::checkpoint::scenario::Scenario;
use crate::checkpoint::simulation::Simulation;

/// A run in numbers. Means are over completed checkpoints.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunFigures {
    /// Checkpoints that were triggered.
    pub triggered: usize,
    /// Those that completed.
    pub completed: usize,
    /// Those that expired.
    pub expired: usize,
    /// Mean `end_to_end_duration` [ms].
    pub end_to_end_ms: Option<f64>,
    /// The longest [ms].
    pub longest_ms: Option<u64>,
    /// Mean `persisted_data` [B].
    pub persisted_bytes: Option<f64>,
    /// Mean `checkpointed_size`: what a checkpoint writes [B].
    pub checkpointed_bytes: Option<f64>,
    /// Made by all sources.
    pub source_records_per_second: f64,
    /// Taken by all sinks.
    pub sink_records_per_second: f64,
    /// From source to sink while a checkpoint ran, 99 of 100 records [ms].
    pub latency_p99_ms: Option<f64>,
    /// The most time that a failure at the worst moment has to replay [ms].
    pub replay_ms: u64,
    /// The most records that a failure at the worst moment counts twice.
    pub duplicates: u64,
    /// Whether the job failed over its checkpoints.
    pub job_failed: bool,
}

impl RunFigures {
    /// Of a run that is over.
    pub fn of(simulation: &Simulation, scenario: &Scenario) -> Self {
        let report = simulation.report();
        let done: Vec<&Checkpoint> = report
            .checkpoints
            .iter()
            .filter(|it| it.status == CheckpointStatus::Completed)
            .collect();
        let mean = |of: fn(&Checkpoint) -> u64| {
            let sum: u64 = done.iter().map(|it| of(it)).sum();
            (!done.is_empty()).then(|| sum as f64 / done.len() as f64)
        };
        let seconds = report.run_ms.max(1) as f64 / 1000.0;
        let is_sink = |vertex: usize| scenario.edges.iter().all(|edge| edge.from != vertex);
        let vertices = scenario.vertices.iter().enumerate();
        let of_task: Vec<usize> =
            vertices.flat_map(|(place, it)| (0..it.parallelism).map(move |_| place)).collect();
        let records = |wanted: &dyn Fn(usize) -> bool| {
            let tasks = report.tasks.iter().zip(&of_task);
            let sum: u64 = tasks.filter(|(_, at)| wanted(**at)).map(|(it, _)| it.records_in).sum();
            sum as f64 / seconds
        };
        Self {
            triggered: report.checkpoints.len(),
            completed: done.len(),
            expired: report.checkpoints.iter().filter(|it| expired(it, scenario)).count(),
            end_to_end_ms: mean(|it| it.end_to_end_ms),
            longest_ms: done.iter().map(|it| it.end_to_end_ms).max(),
            persisted_bytes: mean(|it| it.persisted_bytes),
            checkpointed_bytes: mean(|it| it.checkpointed_size),
            source_records_per_second: records(&|at| scenario.vertices[at].source.is_some()),
            sink_records_per_second: records(&is_sink),
            latency_p99_ms: report.latency.during.map(|it| it.p99_ms),
            replay_ms: longest_replay_ms(&report.checkpoints, report.run_ms),
            duplicates: most_counted_twice(&report.checkpoints),
            job_failed: report.job_failed,
        }
    }
}

/// Whether the coordinator gave a checkpoint up after its timeout.
pub fn expired(it: &Checkpoint, scenario: &Scenario) -> bool {
    it.status == CheckpointStatus::Failed && it.end_to_end_ms >= scenario.checkpointing.timeout_ms
}

/// What is promised of checkpoints.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Promise {
    /// The longest end-to-end time [ms]; none where only the timeout counts.
    pub objective_ms: Option<u64>,
    /// The share of checkpoints that may take longer.
    pub allowed_share: f64,
}

/// How checkpoints kept a promise; each that was triggered within the run is followed to its end.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Kept {
    /// Checkpoints that were judged.
    pub judged: usize,
    /// Those that took longer than the objective, expired ones among them.
    pub over: usize,
    /// Those that expired.
    pub expired: usize,
    /// The longest of the completed ones, and its number [ms].
    pub longest: Option<(u64, u64)>,
    /// Checkpoints of which it is not known yet.
    pub open: usize,
}

impl Kept {
    /// Of a run up to a moment [ms].
    pub fn of(simulation: &Simulation, scenario: &Scenario, promise: Promise, now_ms: u64) -> Self {
        let mut kept = Self::default();
        let objective = promise.objective_ms.unwrap_or(u64::MAX);
        for it in simulation.checkpoints.iter().filter(|it| it.triggered_ms <= scenario.run_ms) {
            let over = match it.status {
                CheckpointStatus::InProgress => {
                    if now_ms.saturating_sub(it.triggered_ms) <= objective {
                        kept.open += 1;
                        continue;
                    }
                    true
                }
                CheckpointStatus::Completed => it.end_to_end_ms > objective,
                CheckpointStatus::Failed if expired(it, scenario) => {
                    kept.expired += 1;
                    true
                }
                // Subsumed, or lost with the job: no fault of its own.
                CheckpointStatus::Failed => continue,
            };
            kept.judged += 1;
            kept.over += usize::from(over);
            if it.status == CheckpointStatus::Completed {
                let longest = kept.longest.map_or(0, |it| it.0);
                if it.end_to_end_ms > longest || kept.longest.is_none() {
                    kept.longest = Some((it.end_to_end_ms, it.id));
                }
            }
        }
        kept
    }

    /// The share that took too long.
    pub fn share(&self) -> f64 {
        self.over as f64 / self.judged.max(1) as f64
    }

    /// What broke the promise, if anything did.
    pub fn broken(&self, promise: Promise) -> Option<Breach> {
        if self.expired > 0 {
            Some(Breach::Timeout)
        } else if self.over > 0 && self.share() > promise.allowed_share {
            Some(Breach::Objective)
        } else {
            None
        }
    }
}

/// What breaks a promise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Breach {
    /// More checkpoints than allowed take longer than the objective.
    Objective,
    /// A checkpoint expires.
    Timeout,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkpoint::params::Mode;
    use crate::checkpoint::samples;

    fn run(change: impl FnOnce(&mut Scenario)) -> (Simulation, Scenario) {
        let mut scenario = samples::scenario();
        change(&mut scenario);
        let mut simulation = Simulation::new(scenario.job().expect("it can be"));
        while !simulation.advance(10_000).done {}
        (simulation, scenario)
    }

    #[test]
    fn a_run_is_counted_and_its_records_are_those_of_the_slow_task() {
        let (simulation, scenario) = run(|_| {});
        let it = RunFigures::of(&simulation, &scenario);
        assert_eq!((it.triggered, it.completed, it.expired), (3, 2, 0));
        // 10 ms a record.
        assert!((it.sink_records_per_second - 100.0).abs() < 1.0, "{it:?}");
        // The first completes after some 11 s; the second is triggered at 13 s, and the run ends at 30 s.
        assert!(it.replay_ms > 17_000 && it.replay_ms < 18_500, "{it:?}");
        assert_eq!(it.duplicates, 0);
    }

    #[test]
    fn at_least_once_processes_records_twice() {
        let (simulation, scenario) = run(|it| {
            it.vertices[0].parallelism = 2;
            it.vertices[0].source.as_mut().expect("a source").rate = vec![10_000.0, 10.0];
            it.checkpointing.mode = Mode::AtLeastOnce;
        });
        let it = RunFigures::of(&simulation, &scenario);
        assert!(it.duplicates > 0, "{it:?}");
    }

    #[test]
    fn a_checkpoint_over_the_objective_breaks_it_before_it_ends() {
        let (simulation, scenario) = run(|_| {});
        let promise = |objective_ms| Promise { objective_ms, allowed_share: 0.0 };
        let kept = Kept::of(&simulation, &scenario, promise(Some(5000)), 30_000);
        // The third is in progress for 7 s when the run ends.
        assert_eq!((kept.judged, kept.over, kept.open), (3, 3, 0));
        assert_eq!(kept.broken(promise(Some(5000))), Some(Breach::Objective));
        let lenient = Promise { objective_ms: Some(5000), allowed_share: 1.0 };
        assert_eq!(kept.broken(lenient), None);
        let kept = Kept::of(&simulation, &scenario, promise(None), 30_000);
        assert_eq!((kept.judged, kept.open, kept.broken(promise(None))), (2, 1, None));
        let (simulation, scenario) = run(|it| it.checkpointing.timeout_ms = 1000);
        let kept = Kept::of(&simulation, &scenario, promise(None), 30_000);
        assert_eq!(kept.broken(promise(None)), Some(Breach::Timeout));
    }
}
