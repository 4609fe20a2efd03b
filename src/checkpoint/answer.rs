//! A whole run as one answer, with what is not modelled said beside it.
//!
//! Source: Flink 1.20.5, CheckpointStatsTracker for what is reported.

use serde::Deserialize;

use super::error::CheckpointError;
use super::params::{CheckpointParams, Mode};
use super::report::{CheckpointReport, TaskLoad};
use super::scenario::Scenario;
use super::simulation::Simulation;
use super::time::SimTime;
use crate::finding::{Derivation, Finding, Severity};

/// A job, how its barriers pass records, and a seed.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SimulateParams {
    /// The job and its checkpoints.
    pub job: CheckpointParams,
    /// How barriers pass records.
    pub mode: Mode,
    /// For service times and phases that are drawn.
    pub seed: u32,
}

/// Runs a job to its end.
pub fn simulate_question(
    params: &SimulateParams,
) -> Result<Derivation<CheckpointReport>, CheckpointError> {
    simulate(&params.job, params.mode, &[], params.seed.into())
}

/// Runs a scenario to its end.
pub fn simulate_scenario(
    scenario: &Scenario,
) -> Result<Derivation<CheckpointReport>, CheckpointError> {
    let mut simulation = Simulation::new(scenario.job()?);
    while !simulation.advance(u64::MAX).done {}
    Ok(Derivation { value: simulation.report(), findings: scenario.not_modelled() })
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
    Ok(Derivation { value: simulation.report(), findings: not_modelled(params) })
}

impl Simulation {
    /// What is known so far.
    pub fn report(&self) -> CheckpointReport {
        let load = |it: &super::task::Task| {
            let (sum, since) = it.backpressured;
            let still = since.map_or(SimTime::ZERO, |at| self.now.since(at));
            TaskLoad {
                vertex: self.job.vertices[it.vertex].name.clone(),
                index: it.index,
                records: it.records,
                backpressured_ms: sum.after(still).as_ms(),
                busy_ms: it.busy.as_ms(),
            }
        };
        CheckpointReport {
            checkpoints: self.checkpoints.clone(),
            tasks: self.tasks.iter().map(load).collect(),
            run_ms: self.now.as_ms(),
            events: self.events,
            job_failed: self.coordinator.job_failed(),
        }
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
        source: "Flink 1.20.5, measured on a local cluster".to_owned(),
    }
}

fn debloating_not_modelled() -> Finding {
    note(
        "debloatingNotModelled",
        "Buffer debloating is not simulated.",
        "Every buffer is as large as a segment here. With debloating Flink makes buffers smaller \
         until what waits takes about the target time, so an aligned checkpoint is shorter than \
         shown.",
        "taskmanager.network.memory.buffer-debloat.enabled",
    )
}

fn not_modelled(params: &CheckpointParams) -> Vec<Finding> {
    let mut findings = Vec::new();
    if params.debloat {
        findings.push(debloating_not_modelled());
    }
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
    fn not_modelled(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        if self.network.buffer_debloat.enabled {
            findings.push(debloating_not_modelled());
        }
        if self.checkpointing.upload.is_some() {
            findings.push(note(
                "stateNotWritten",
                "Writing the state takes no time here.",
                "The upload is not simulated yet; only the given sync and async times count.",
                "execution.checkpointing.dir",
            ));
        }
        if !self.recovery.failures.is_empty() {
            findings.push(note(
                "failuresNotModelled",
                "Failures are not simulated.",
                "No subtask fails in this run, so there is no restart and no replay.",
                "restart-strategy.type",
            ));
        }
        findings
    }
}
