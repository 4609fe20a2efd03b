//! A whole run as one answer, with what is not modelled said beside it.
//!
//! Source: Flink 1.20.5, CheckpointStatsTracker for what is reported.

use super::error::CheckpointError;
use super::params::{CheckpointParams, Mode};
use super::report::{Checkpoint, CheckpointReport, SubtaskCheckpoint, SubtaskStatus, TaskLoad};
use super::scenario::{Scenario, ScenarioVertex};
use super::simulation::Simulation;
use super::time::SimTime;
use crate::finding::{Derivation, Finding, Severity};

/// Runs a scenario to its end.
pub fn simulate_scenario(
    scenario: &Scenario,
) -> Result<Derivation<CheckpointReport>, CheckpointError> {
    let mut simulation = Simulation::new(scenario.job()?);
    while !simulation.advance(u64::MAX).done {}
    let mut answer = simulation.answer();
    answer.findings.extend(scenario.not_modelled());
    Ok(answer)
}

/// Runs a job to its end. `barrier_after` is, for each checkpoint, when a lagging source could let
/// its barrier go, where that is known.
pub fn simulate(
    params: &CheckpointParams,
    mode: Mode,
    barrier_after: &[SimTime],
    seed: u64,
) -> Result<Derivation<CheckpointReport>, CheckpointError> {
    let mut simulation = Simulation::new(params.job(mode, barrier_after, seed)?);
    while !simulation.advance(u64::MAX).done {}
    let mut answer = simulation.answer();
    answer.findings.extend(not_modelled(params));
    Ok(answer)
}

impl Simulation {
    /// What is known so far, with what a reader would wonder about.
    pub fn answer(&self) -> Derivation<CheckpointReport> {
        let value = self.report();
        let findings = self.notices(&value);
        Derivation { value, findings }
    }

    /// What is known so far.
    pub fn report(&self) -> CheckpointReport {
        let tasks: Vec<TaskLoad> = self.tasks.iter().map(|it| self.load(it)).collect();
        let checkpoints: Vec<Checkpoint> =
            self.checkpoints.iter().map(|it| self.with_pending(it)).collect();
        let suppressed = self.recoveries.last().and_then(|it| it.suppressed.clone());
        CheckpointReport {
            verdict: self.verdict(&checkpoints),
            checkpoints,
            tasks,
            edges: self.edges(),
            latency: self.latency(),
            throughput: self.throughput(),
            run_ms: self.now.as_ms(),
            events: self.events,
            recoveries: self.recoveries.clone(),
            job_failed: self.exceeded || suppressed.is_some(),
            job_failure_message: suppressed.or_else(|| self.exceeded.then(|| TOLERABLE.to_owned())),
        }
    }

    fn load(&self, it: &super::task::Task) -> TaskLoad {
        let (sum, since) = it.backpressured;
        let still = since.map_or(SimTime::ZERO, |at| self.now.since(at));
        let backpressured = sum.after(still).min(self.now);
        let rest = self.now.since(backpressured);
        let busy = it.busy.min(rest);
        let share = backpressured.as_ns() as f64 / self.now.as_ns().max(1) as f64;
        TaskLoad {
            vertex: self.job.vertices[it.vertex].name.clone(),
            index: it.index,
            records_in: it.records_in,
            records_out: it.records_out,
            backpressured_ms: backpressured.as_ms(),
            busy_ms: busy.as_ms(),
            idle_ms: rest.since(busy).as_ms(),
            level: level(share),
        }
    }

    /// Subtasks in the order of the tasks, with those that did not acknowledge.
    fn with_pending(&self, it: &Checkpoint) -> Checkpoint {
        let mut it = it.clone();
        it.subtasks.sort_by_key(|it| it.task);
        let acknowledged: Vec<usize> = it.subtasks.iter().map(|it| it.task).collect();
        for (task, of) in self.tasks.iter().enumerate() {
            if acknowledged.binary_search(&task).is_err() {
                it.subtasks.push(pending(task, of.index, &self.job.vertices[of.vertex].name));
            }
        }
        it.subtasks.sort_by_key(|it| it.task);
        it
    }
}

/// `CheckpointFailureManager.EXCEEDED_CHECKPOINT_TOLERABLE_FAILURE_MESSAGE`.
const TOLERABLE: &str = "Exceeded checkpoint tolerable failure threshold.";

/// `JobVertexBackPressureHandler`: up to 0.1 is ok, up to 0.5 low.
fn level(share: f64) -> &'static str {
    match share {
        _ if share <= 0.1 => "ok",
        _ if share <= 0.5 => "low",
        _ => "high",
    }
}

fn pending(task: usize, index: u32, vertex: &str) -> SubtaskCheckpoint {
    SubtaskCheckpoint {
        task,
        vertex: vertex.to_owned(),
        index,
        status: SubtaskStatus::PendingOrFailed,
        ack_ms: 0,
        end_to_end_ms: 0,
        start_delay_ms: 0,
        alignment_ms: 0,
        processed_bytes: 0,
        persisted_bytes: 0,
        sync_ms: 0,
        async_ms: 0,
        state_size: 0,
        checkpointed_size: 0,
        unaligned: false,
        aborted: false,
        held_bytes: 0,
        held_records: 0,
    }
}

fn note(code: &'static str, title: &str, reason: &str, option: &str) -> Finding {
    Finding {
        code,
        severity: Severity::Warning,
        title: title.to_owned(),
        reason: reason.to_owned(),
        option: Some(option.to_owned()),
        price: None,
        apply: Vec::new(),
        source: "Flink 1.20.5".to_owned(),
    }
}

fn not_modelled(params: &CheckpointParams) -> Vec<Finding> {
    let mut findings = Vec::new();
    if params.state_keys > 0 {
        findings.push(note(
            "stateNotWritten",
            "Writing the state takes no time here.",
            "How long it takes depends on the speed of the storage, which is not among the params; \
             only the given sync and async times count.",
            "execution.checkpointing.dir",
        ));
    }
    findings
}

impl Scenario {
    /// What of a scenario has no effect on its run.
    pub fn not_modelled(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        if !self.recovery.failures.is_empty() {
            findings.push(note(
                "slotsAreThere",
                "A restart finds its slots at once here.",
                "Where a TaskManager is lost, Flink waits for a spare slot or for another TaskManager, at \
                 most slot.request.timeout. Deploying takes no time here either.",
                "slot.request.timeout",
            ));
        }
        findings.extend(self.vertices.iter().filter_map(without_partition));
        findings
    }
}

/// Subtasks of a source that have nothing to read, which some sources let finish.
fn without_partition(it: &ScenarioVertex) -> Option<Finding> {
    let partitions = it.source.as_ref()?.partitions?;
    let surplus = it.parallelism.checked_sub(partitions).filter(|surplus| *surplus > 0)?;
    let mut finding = note(
        "subtasksWithoutPartition",
        "",
        "They run and are idle here, as with KafkaSource, and send barriers like the others. A source that \
         lets them finish takes no checkpoint without checkpoints after tasks finish, which is on by \
         default since Flink 1.15.",
        "execution.checkpointing.checkpoints-after-tasks-finish",
    );
    finding.title =
        format!("{surplus} of {} subtasks of {} have no partition.", it.parallelism, it.name);
    Some(finding)
}
