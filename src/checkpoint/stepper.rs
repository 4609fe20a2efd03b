//! What does a checkpoint hold when records and barriers arrive in this order? The barrier rules on a
//! job that is small enough to follow by hand.
//!
//! A scenario is a few tasks that sum values by key, each with input channels of records and
//! barriers, and, where wanted, a transactional sink chained behind each sum. A pure transition
//! relation in [`relation`] says which steps are possible and what they do; [`explore`] takes them in
//! every order.
//!
//! On the page this is `<checkpoint-stepper>` (www/checkpoints/stepper/), with properties `ask`,
//! `theme` and `value`, a text that holds scenario and steps, and an event `stepper-change` with
//! `{ value, settled }`.
//!
//! Source: Flink 1.20.5, SingleCheckpointBarrierHandler and its states (WaitingForFirstBarrier,
//! CollectingBarriers, AlternatingWaitingForFirstBarrier and the unaligned ones),
//! CheckpointBarrierTracker for at-least-once, ChannelStateWriter for in-flight data,
//! TwoPhaseCommittingSink and CommitterOperator for the sink.
//!
//! # Deviations
//! One checkpoint at a time. After a restore a checkpoint that did not complete is taken again under
//! its number; Flink counts on. Buffers are not modelled: a barrier may overtake all records of its
//! channel that were not delivered.

use serde::{Deserialize, Serialize};

use crate::finding::{Derivation, Problem};

pub mod example;
pub mod explore;
pub mod presets;
pub mod relation;
pub mod report;
pub mod sink;
pub mod state;
mod words;

use example::Example;
use relation::Step;
use report::StepperReport;

/// The most steps of a run.
pub const STEPS_MAX: usize = 500;

/// How barriers pass records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum StepMode {
    /// Nothing waits.
    AtLeastOnce,
    /// A channel that delivered its barrier is blocked until all have.
    Aligned,
    /// The same until the aligned-checkpoint-timeout, which is a step of its own.
    Timeout,
    /// Barriers overtake records, which become part of the snapshot.
    Unaligned,
}

/// What stands behind each sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SinkKind {
    /// Nothing.
    None,
    /// A sink that writes in transactions, as KafkaSink does exactly once.
    TwoPhaseCommit,
}

/// A job as a reader writes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StepperScenario {
    /// How barriers pass records.
    pub mode: StepMode,
    /// What stands behind each sum.
    pub sink: SinkKind,
    /// For each task its channels, each as text: records such as `A:50`, and `|` for a barrier.
    pub tasks: Vec<Vec<String>>,
}

/// Params of the question: a job, and the steps taken so far.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StepperParams {
    /// The job.
    pub scenario: StepperScenario,
    /// What happened, in order.
    pub steps: Vec<Step>,
}

/// Params of the question about all orders.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExploreParams {
    /// The job.
    pub scenario: StepperScenario,
    /// How often a worker may die.
    pub failures: u8,
}

/// Why there is no run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StepperError {
    /// There are none, or too many to follow.
    #[error("{what}: {count} given, 1 to {most} can be followed")]
    Count {
        /// The path into the params.
        field: String,
        /// Of what.
        what: &'static str,
        /// How many there are.
        count: usize,
        /// How many there may be.
        most: usize,
    },
    /// A piece of a channel is neither a record nor a barrier.
    #[error("`{text}` is neither a record such as A:50 nor a barrier, which is written |")]
    Item {
        /// The path into the params.
        field: String,
        /// The piece.
        text: String,
    },
    /// A value is too large to be summed without care.
    #[error("the value of `{text}` is not a whole number between -{most} and {most}")]
    Value {
        /// The path into the params.
        field: String,
        /// The piece.
        text: String,
        /// The largest value.
        most: i64,
    },
    /// A step is not possible where it stands.
    #[error("step {number} is not possible: {reason}")]
    Step {
        /// Its place, from 1.
        number: usize,
        /// Why not.
        reason: String,
    },
    /// More failures than a search can try.
    #[error("{failures} failures: at most {most} are tried in all orders")]
    Failures {
        /// How many were asked for.
        failures: u8,
        /// How many there may be.
        most: u8,
    },
}

impl From<StepperError> for Problem {
    fn from(error: StepperError) -> Self {
        let (code, field) = match &error {
            StepperError::Count { field, .. } => ("count", field.clone()),
            StepperError::Item { field, .. } => ("item", field.clone()),
            StepperError::Value { field, .. } => ("value", field.clone()),
            StepperError::Step { number, .. } => ("step", format!("steps[{}]", number - 1)),
            StepperError::Failures { .. } => ("failures", "failures".to_owned()),
        };
        Self {
            code: format!("stepper.{code}"),
            message: error.to_string(),
            field: Some(field),
            option: None,
        }
    }
}

/// What do these steps come to, and which are possible next?
///
/// # Errors
/// An example that cannot be read, or a step that is not possible.
pub fn step_question(params: &StepperParams) -> Result<Derivation<StepperReport>, StepperError> {
    let example = Example::read(&params.scenario)?;
    Ok(Derivation { value: report::of(&example, &params.steps)?, findings: example.findings() })
}

/// Which promises hold in every order of steps?
///
/// # Errors
/// An example that cannot be read.
pub fn explore_question(
    params: &ExploreParams,
) -> Result<Derivation<explore::ExploreReport>, StepperError> {
    let most = explore::FAILURES_MAX;
    if params.failures > most {
        return Err(StepperError::Failures { failures: params.failures, most });
    }
    let example = Example::read(&params.scenario)?;
    let value = explore::explore(&example, params.failures, explore::STATES_MAX);
    Ok(Derivation { value, findings: example.findings() })
}
