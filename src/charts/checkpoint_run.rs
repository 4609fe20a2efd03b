//! The drawings of a simulated run: a checkpoint by subtask, and all checkpoints over time.

use serde::Deserialize;

use super::scale::ms_in_words;
use super::theme::Theme;
use super::{Chart, ChartError, gantt};
use crate::checkpoint::report::{Checkpoint, CheckpointReport, CheckpointStatus};
use crate::checkpoint::timeline::{Phase, Span, Timeline, TimelineRow};

/// What is drawn of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind", deny_unknown_fields)]
pub enum Drawing {
    /// A checkpoint by subtask.
    Checkpoint {
        /// Its number.
        id: u64,
    },
    /// Every checkpoint, from its trigger to its end.
    Checkpoints,
}

/// Params of a drawing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DrawRunParams {
    /// What.
    pub what: Drawing,
    /// Colours for a light or a dark surface.
    pub theme: Theme,
    /// Width (px), 280 to 2000.
    pub width: u32,
}

/// Draws a part of a run.
///
/// # Errors
/// Nothing of it in the run, or a width that no layout is made for.
pub fn draw(report: &CheckpointReport, params: &DrawRunParams) -> Result<Chart, ChartError> {
    let DrawRunParams { what, theme, width } = *params;
    match what {
        Drawing::Checkpoint { id } => {
            let found = report.checkpoints.iter().find(|it| it.id == id);
            let checkpoint = found.ok_or(ChartError::NothingToDraw)?;
            gantt::draw(&Timeline::of_checkpoint(checkpoint), theme, width)
        }
        Drawing::Checkpoints => {
            let timeline = over_time(report);
            let title = "Time since the start of the run";
            let chart = gantt::draw_titled(&timeline, title, theme, width)?;
            Ok(Chart { description: description(report), ..chart })
        }
    }
}

/// A row for each checkpoint: the phases of the subtask that it waited for, where it has all.
fn over_time(report: &CheckpointReport) -> Timeline {
    let row = |it: &Checkpoint| TimelineRow {
        id: format!("checkpoint-{}", it.id),
        group: "Checkpoint".to_owned(),
        name: it.id.to_string(),
        spans: spans(it, report.run_ms),
        is_slowest: false,
    };
    Timeline { rows: report.checkpoints.iter().map(row).collect(), marks: Vec::new() }
}

fn spans(checkpoint: &Checkpoint, run_ms: u64) -> Vec<Span> {
    let from = checkpoint.triggered_ms;
    let timeline = Timeline::of_checkpoint(checkpoint);
    let slowest = timeline.rows.into_iter().find(|row| row.is_slowest);
    match (checkpoint.status, slowest) {
        (CheckpointStatus::Completed, Some(row)) => row
            .spans
            .into_iter()
            .map(|span| Span { start_ms: from + span.start_ms, end_ms: from + span.end_ms, ..span })
            .collect(),
        (status, _) => {
            let end_ms = match status {
                CheckpointStatus::InProgress => run_ms.max(from),
                _ => from + checkpoint.end_to_end_ms,
            };
            vec![Span { phase: Phase::Pending, start_ms: from, end_ms }]
        }
    }
}

fn description(report: &CheckpointReport) -> String {
    let count = report.checkpoints.len();
    let checkpoints = if count == 1 { "checkpoint" } else { "checkpoints" };
    let of = |status| report.checkpoints.iter().filter(|it| it.status == status).count();
    format!(
        "{count} {checkpoints} in {}: {} completed, {} failed, {} in progress.",
        ms_in_words(report.run_ms),
        of(CheckpointStatus::Completed),
        of(CheckpointStatus::Failed),
        of(CheckpointStatus::InProgress),
    )
}
