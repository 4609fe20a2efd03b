//! Why was this checkpoint slow, or why did it fail? Read from what Flink's REST API says of it.
//!
//! Answers may come in any combination, several in one text: the overview (`/jobs/:id/checkpoints`),
//! a checkpoint (`details/:cid`), its subtasks (`details/:cid/subtasks/:vertex`), the configuration
//! (`checkpoints/config`), `vertices/:vid/backpressure`, metrics of subtasks, and `/jobs/:id`. Each
//! is recognised by its shape; what is missing is named.
//!
//! On the page this is `<checkpoint-import>` (www/checkpoints/import/), with properties `ask` and
//! `theme`, and an event `try-scenario` with `{ scenario }`, a scenario of the simulation.
//!
//! Source: Flink 1.20.5, the REST handlers CheckpointingStatisticsHandler,
//! CheckpointStatisticDetailsHandler, TaskCheckpointStatisticDetailsHandler, CheckpointConfigHandler,
//! JobVertexBackPressureHandler, SubtaskMetricsHandler and JobDetailsHandler.

use std::convert::Infallible;

use serde::{Deserialize, Serialize};

use super::scenario::Scenario;
use super::timeline::Timeline;
use crate::finding::Derivation;

pub mod evidence;
mod findings;
pub mod fit;
mod json;
mod shape;
mod verdict;
mod view;

pub use json::{FILES_MAX, TEXT_MAX};

/// A pasted text or a dropped file.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ImportFile {
    /// Its name, where it has one.
    pub name: Option<String>,
    /// What is in it.
    pub text: String,
}

/// Params of the question.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ImportParams {
    /// Texts and files.
    pub files: Vec<ImportFile>,
    /// The checkpoint to look at; `None` for the newest one whose subtasks are known.
    pub checkpoint: Option<u64>,
}

/// A piece of what was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Piece {
    /// The file, or where in the pasted text it begins.
    pub from: String,
    /// What it is; empty where it is nothing that is known.
    pub what: &'static str,
    /// Whether it is used.
    pub is_used: bool,
    /// What was taken from it, or why nothing was.
    pub says: String,
}

/// A checkpoint in the table.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointRow {
    /// `id`.
    pub id: u64,
    /// `status`.
    pub status: String,
    /// `checkpoint_type`, such as `CHECKPOINT` or `UNALIGNED_CHECKPOINT`; empty if absent.
    pub checkpoint_type: String,
    /// From the trigger of the first one that is known [ms].
    pub triggered_ms: Option<u64>,
    /// `end_to_end_duration` [ms].
    pub end_to_end_ms: Option<u64>,
    /// `state_size` [B].
    pub state_size: Option<u64>,
    /// `checkpointed_size` [B].
    pub checkpointed_size: Option<u64>,
    /// `persisted_data` [B].
    pub persisted_bytes: Option<u64>,
    /// `num_acknowledged_subtasks`.
    pub acknowledged: Option<u64>,
    /// `num_subtasks`.
    pub subtasks: Option<u64>,
    /// `failure_message`.
    pub failure: Option<String>,
}

/// A subtask of the checkpoint on show.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SubtaskRow {
    /// The name of its vertex.
    pub vertex: String,
    /// Its number.
    pub index: u64,
    /// `status`.
    pub status: String,
    /// `start_delay` [ms].
    pub start_delay_ms: Option<u64>,
    /// `alignment.duration` [ms].
    pub alignment_ms: Option<u64>,
    /// What of it lies inside the asynchronous part [ms].
    pub inside_async_ms: Option<u64>,
    /// `checkpoint.sync` [ms].
    pub sync_ms: Option<u64>,
    /// `checkpoint.async` [ms].
    pub async_ms: Option<u64>,
    /// What the phases leave of the end-to-end duration; negative where they exceed it [ms].
    pub rest_ms: Option<i64>,
    /// `end_to_end_duration` [ms].
    pub end_to_end_ms: Option<u64>,
    /// `checkpointed_size` [B].
    pub checkpointed_size: Option<u64>,
    /// `alignment.processed` [B].
    pub processed_bytes: Option<u64>,
    /// `alignment.persisted` [B].
    pub persisted_bytes: Option<u64>,
    /// `unaligned_checkpoint`.
    pub unaligned: Option<bool>,
}

/// The checkpoint on show.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Shown {
    /// Its number.
    pub id: u64,
    /// Where its time went.
    pub timeline: Timeline,
    /// Every subtask.
    pub subtasks: Vec<SubtaskRow>,
}

/// A number that the fitted scenario predicts, beside the real one.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Prediction {
    /// What it is, with its unit.
    pub name: &'static str,
    /// What Flink said: the mean of completed checkpoints.
    pub real: Option<f64>,
    /// What the simulation says.
    pub predicted: Option<f64>,
    /// The unit: `ms` or `bytes`.
    pub unit: &'static str,
}

/// What a subtask reports of a checkpoint, the mean over completed ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SubtaskMeans {
    /// `end_to_end_duration` [ms].
    pub end_to_end_ms: Option<f64>,
    /// `start_delay` [ms].
    pub start_delay_ms: Option<f64>,
    /// `alignment.duration` [ms].
    pub alignment_ms: Option<f64>,
    /// `checkpoint.sync` [ms].
    pub sync_ms: Option<f64>,
    /// `checkpoint.async` [ms].
    pub async_ms: Option<f64>,
    /// `alignment.processed` [B].
    pub processed_bytes: Option<f64>,
    /// `alignment.persisted` [B].
    pub persisted_bytes: Option<f64>,
}

/// A subtask of the fitted scenario, beside the real one.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SubtaskPrediction {
    /// The name of its vertex.
    pub vertex: String,
    /// Its number.
    pub index: u64,
    /// What Flink said.
    pub real: SubtaskMeans,
    /// What the simulation says.
    pub predicted: SubtaskMeans,
}

/// A scenario that was fitted.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Fitted {
    /// What to simulate.
    pub scenario: Scenario,
    /// How each value was inferred, or that it is assumed.
    pub rules: Vec<FitRule>,
    /// Its numbers beside the real ones; empty where it cannot be simulated.
    pub predictions: Vec<Prediction>,
    /// The same of the slowest subtasks, the slowest one first.
    pub subtasks: Vec<SubtaskPrediction>,
    /// How much of it was simulated for that, and how much is at most.
    pub reach: String,
    /// Why it cannot be simulated.
    pub refusal: Option<String>,
}

/// How a value of the scenario came about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FitRule {
    /// The value.
    pub of: String,
    /// It, in words.
    pub value: String,
    /// From which numbers.
    pub from: String,
    /// Whether it is a default and not inferred.
    pub is_assumed: bool,
}

/// What was read.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportReport {
    /// One sentence.
    pub verdict: String,
    /// What each piece is.
    pub pieces: Vec<Piece>,
    /// What to fetch to see more.
    pub missing: Vec<String>,
    /// Every checkpoint that is known, the newest first.
    pub checkpoints: Vec<CheckpointRow>,
    /// The one on show, where subtasks are known.
    pub shown: Option<Shown>,
    /// A scenario to try, where enough is known.
    pub fitted: Option<Fitted>,
}

/// Reads what there is.
///
/// # Errors
/// Never: what cannot be read is a piece that says so.
pub fn import_checkpoints(params: &ImportParams) -> Result<Derivation<ImportReport>, Infallible> {
    let (evidence, pieces) = evidence::gather(&params.files);
    let shown = view::shown(&evidence, params.checkpoint);
    let checkpoints = view::checkpoints(&evidence);
    let fitted = fit::fit(&evidence);
    let value = ImportReport {
        verdict: verdict::verdict(&evidence, shown.as_ref()),
        missing: view::missing(&evidence, &pieces),
        pieces,
        checkpoints,
        shown,
        fitted,
    };
    let findings = findings::findings(&evidence, value.shown.as_ref());
    Ok(Derivation { value, findings })
}
