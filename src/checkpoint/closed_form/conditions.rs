//! Whether a scenario is one that a closed form speaks of.
//!
//! Source: Flink 1.20.5; what the sums leave out was named with the measurements on it.

use super::FormStep;
use crate::checkpoint::job::{Incremental, Job, Plan};
use crate::checkpoint::params::Mode;
use crate::checkpoint::scenario::Scenario;
use crate::units::Bytes;

/// A scenario and its job.
#[derive(Debug, Clone, Copy)]
pub(super) struct Conditions<'a> {
    pub scenario: &'a Scenario,
    pub job: &'a Job,
}

impl Conditions<'_> {
    /// What any sum needs.
    pub fn may_be_summed(&self) -> Result<(), String> {
        let refuse = |says: &str| Err(says.to_owned());
        let sources = self.scenario.vertices.iter().filter_map(|it| it.source.as_ref());
        if self.scenario.network.buffer_debloat.enabled {
            return refuse("With buffer debloating the size of buffers changes while they fill.");
        }
        if sources.clone().any(|it| it.bursts.is_some()) {
            return refuse(
                "The rate of a source changes, so the queue is not the same at each trigger.",
            );
        }
        if !self.scenario.recovery.failures.is_empty() {
            return refuse("A subtask fails, and queues are empty after a restart.");
        }
        if self.scenario.checkpointing.max_concurrent_checkpoints > 1 {
            return refuse("Concurrent checkpoints wait for each other.");
        }
        Ok(())
    }

    /// The vertex that can take the least of what is offered, if it cannot take all.
    pub fn saturated(&self) -> Option<usize> {
        let mut offered = vec![0.0; self.job.vertices.len()];
        let mut worst: Option<(f64, usize)> = None;
        for vertex in 0..offered.len() {
            let of_sources = self.offered_by(vertex);
            let edges = self.job.edges.iter().filter(|edge| edge.to == vertex);
            offered[vertex] += of_sources + edges.map(|edge| offered[edge.from]).sum::<f64>();
            let load = offered[vertex] / self.capacity(vertex);
            if load >= 1.0 && worst.is_none_or(|(most, _)| load > most) {
                worst = Some((load, vertex));
            }
            if self.job.vertices[vertex].source.is_none() {
                offered[vertex] *= self.job.vertices[vertex].selectivity;
            }
        }
        worst.map(|(_, vertex)| vertex)
    }

    /// Records a second of all subtasks of a source; zero of any other vertex.
    fn offered_by(&self, vertex: usize) -> f64 {
        (0..self.job.vertices[vertex].parallelism).map(|it| self.rate_of(vertex, it)).sum()
    }

    /// Records a second of a source subtask.
    pub fn rate_of(&self, vertex: usize, subtask: u32) -> f64 {
        self.job.vertices[vertex].source.as_ref().map_or(0.0, |it| {
            let rate = it.rate[subtask as usize % it.rate.len()];
            it.max_rate.map_or(rate, |most| rate.min(most))
        })
    }

    /// Records a second that all subtasks of a vertex can take.
    pub fn capacity(&self, vertex: usize) -> f64 {
        let it = &self.job.vertices[vertex];
        let services = it.service.iter().cycle().take(it.parallelism as usize);
        // A service time of zero takes any number.
        services.map(|it| 1e6 / it.mean_us()).sum()
    }

    /// When the first checkpoint is triggered [ms].
    fn first_ms(&self) -> f64 {
        match self.job.plan {
            Plan::Periodic { first, .. } => first.as_ms() as f64,
            Plan::OneByOne { settle, .. } => settle.as_ms() as f64,
        }
    }

    /// From a trigger to the next, where nothing delays it [ms].
    pub fn between_triggers_ms(&self) -> f64 {
        let it = &self.scenario.checkpointing;
        it.interval_ms.max(it.min_pause_ms) as f64
    }

    /// A checkpoint is over before the next is due, and queues are as before by then.
    pub fn has_time(&self, whole_ms: f64, fill_ms: f64) -> Result<(), String> {
        let it = &self.scenario.checkpointing;
        let interval = self.between_triggers_ms();
        if whole_ms >= it.timeout_ms as f64 {
            return Err(format!(
                "It comes to {whole_ms:.0} ms, and the checkpoint expires after {} ms.",
                it.timeout_ms
            ));
        }
        if fill_ms > self.first_ms() {
            return Err(format!(
                "The queues are full after {fill_ms:.0} ms, and the first checkpoint is triggered after \
                 {:.0} ms.",
                self.first_ms()
            ));
        }
        let between = (interval - whole_ms).max(it.min_pause_ms as f64);
        match fill_ms > between {
            true => Err(format!(
                "A checkpoint takes {whole_ms:.0} ms of an interval of {interval:.0} ms, and the queues need \
                 {fill_ms:.0} ms to be full again, so the next one finds less in front of it."
            )),
            false => Ok(()),
        }
    }

    /// A source that waits for room sends its barrier before it blocks its thread. That was measured with
    /// aligned barriers only.
    pub fn lag_is_behind_barrier(&self) -> Result<(), String> {
        match self.job.lags.is_empty() || self.scenario.checkpointing.mode == Mode::Aligned {
            true => Ok(()),
            false => {
                Err("A source blocks its thread; with full queues that was measured with aligned \
                          barriers only."
                    .to_owned())
            }
        }
    }

    /// The longest block of a source's thread [ms].
    pub fn longest_lag_ms(&self) -> f64 {
        self.job.lags.iter().map(|it| it.span.as_ms() as f64).fold(0.0, f64::max)
    }

    /// Whether a snapshot takes time.
    pub fn has_snapshot(&self) -> bool {
        self.scenario.vertices.iter().any(|it| {
            let state = it.state.bytes.iter().any(|bytes| *bytes > 0.0);
            it.sync_ms + it.async_ms > 0 || (state && self.scenario.checkpointing.upload.is_some())
        })
    }

    /// Adds the snapshot of the last vertex, where that can be added.
    pub fn with_snapshot(&self, wait_ms: f64, steps: &mut Vec<FormStep>) -> Result<f64, String> {
        if !self.has_snapshot() {
            return Ok(wait_ms);
        }
        let [.., last] = &self.scenario.vertices[..] else { return Ok(wait_ms) };
        let has_part = |it: &crate::checkpoint::scenario::ScenarioVertex| {
            it.sync_ms + it.async_ms > 0 || it.state.bytes.iter().any(|bytes| *bytes > 0.0)
        };
        let others = &self.scenario.vertices[..self.scenario.vertices.len() - 1];
        if others.iter().any(has_part) || last.parallelism > 1 || last.slow_first > 0 {
            return Err("Snapshots of several subtasks, or of the first checkpoints only, overlap with the \
                        wait; there is no sum for them."
                .to_owned());
        }
        let upload = self.scenario.checkpointing.upload;
        let bytes = last.state.bytes.first().copied().unwrap_or(0.0);
        if upload.is_some() && bytes > 0.0 && self.job.incremental != Incremental::Full {
            return Err(
                "What an incremental checkpoint uploads differs from one to the next.".to_owned()
            );
        }
        let upload_ms = upload.map_or(0.0, |it| bytes / it.bytes_per_second * 1000.0);
        let parts_ms = last.sync_ms as f64 + last.async_ms as f64 + upload_ms;
        steps.push(FormStep {
            title: format!("The snapshot of {}", last.name),
            formula: "synchronous part + asynchronous part + state / bandwidth",
            numbers: format!(
                "{} ms + {} ms + {} in {upload_ms:.0} ms",
                last.sync_ms,
                last.async_ms,
                Bytes::new(bytes as i64)
            ),
            result: parts_ms,
            unit: "ms",
            source: "Flink 1.20.5, SubtaskCheckpointCoordinatorImpl, AsyncCheckpointRunnable",
        });
        let whole_ms = wait_ms + parts_ms;
        steps.push(FormStep {
            title: "End to end".to_owned(),
            formula: "wait + snapshot",
            numbers: format!("{wait_ms:.0} ms + {parts_ms:.0} ms"),
            result: whole_ms,
            unit: "ms",
            source: "Flink 1.20.5, SubtaskCheckpointStatistics",
        });
        Ok(whole_ms)
    }
}
