//! The drawings of a simulated run: a checkpoint by subtask, all checkpoints over time, queues,
//! throughput and latency, and the job at a moment. Another run may lie behind it, pinned as A.

use std::cell::OnceCell;

use serde::Deserialize;

use super::checkpoint_series::Over;
use super::gantt::{RowOrder, Rows};
use super::scale::ms_in_words;
use super::theme::Theme;
use super::{Chart, ChartError, checkpoint_picture, checkpoint_series, gantt};
use crate::checkpoint::Simulation;
use crate::checkpoint::facts::Facts;
use crate::checkpoint::params::Mode;
use crate::checkpoint::record::Series;
use crate::checkpoint::report::{
    Checkpoint, CheckpointReport, CheckpointStatus, SubtaskCheckpoint, SubtaskStatus,
};
use crate::checkpoint::scenario::ScenarioCheckpointing;
use crate::checkpoint::timeline::{Phase, Span, Timeline, TimelineMark, TimelineRow};

/// What is drawn of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind", deny_unknown_fields)]
pub enum Drawing {
    /// A checkpoint by subtask.
    Checkpoint {
        /// Its number.
        id: u64,
        /// How its subtasks follow each other.
        #[serde(default)]
        order: RowOrder,
    },
    /// Every checkpoint, from its trigger to its end.
    Checkpoints,
    /// Buffers in use over time.
    Queues,
    /// Records a second over time.
    Throughput,
    /// From source to sink, over time.
    Latency,
    /// How far sources are behind what they are offered, over time.
    Behind,
    /// The job after so many facts of its log.
    Moment {
        /// How many.
        told: usize,
        /// A task that has to be in the picture.
        focus: Option<usize>,
    },
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

/// What was worked out of a run, kept for the next drawing of it.
#[derive(Debug, Clone, Default)]
pub struct Kept {
    report: OnceCell<CheckpointReport>,
    series: OnceCell<Series>,
    facts: OnceCell<Facts>,
}

impl Kept {
    /// With a report that is known already.
    pub fn with(report: CheckpointReport) -> Self {
        Self { report: OnceCell::from(report), ..Self::default() }
    }
}

/// A run, and what is kept of it; it must not have gone on since.
#[derive(Debug, Clone, Copy)]
pub struct Run<'a> {
    /// The run.
    pub simulation: &'a Simulation,
    /// What is kept.
    pub kept: &'a Kept,
}

impl<'a> Run<'a> {
    /// Its report.
    pub fn report(self) -> &'a CheckpointReport {
        self.kept.report.get_or_init(|| self.simulation.report())
    }

    /// Its samples.
    pub fn series(self) -> &'a Series {
        self.kept.series.get_or_init(|| self.simulation.series())
    }

    /// Its log.
    pub fn facts(self) -> &'a Facts {
        self.kept.facts.get_or_init(|| self.simulation.facts())
    }
}

/// Draws a part of a run, over one that is pinned as A; the job at a moment is drawn alone.
///
/// # Errors
/// Nothing of it in the run, or a width that no layout is made for.
pub fn draw(
    run: Run<'_>,
    options: &ScenarioCheckpointing,
    pinned: Option<Run<'_>>,
    params: &DrawRunParams,
) -> Result<Chart, ChartError> {
    let DrawRunParams { what, theme, width } = *params;
    let report = run.report();
    let over_time = |which| {
        let of_a = pinned.map(|it| (it.series(), it.report()));
        checkpoint_series::draw(which, (run.series(), report), of_a, theme, width)
    };
    match what {
        Drawing::Checkpoint { id, order } => {
            let found = report.checkpoints.iter().find(|it| it.id == id);
            let checkpoint = found.ok_or(ChartError::NothingToDraw)?;
            let mut timeline = timeline_of(checkpoint, report.run_ms);
            timeline.marks = marks(&timeline, options);
            let ends = pinned.map_or_else(Vec::new, |it| subtask_ends(checkpoint, it.report()));
            let rows = Rows { timeline: &timeline, order, ends: &ends };
            gantt::draw_over(rows, gantt::SINCE_TRIGGER, theme, width)
        }
        Drawing::Checkpoints => {
            let timeline = all_over_time(report);
            let title = "Time since the start of the run";
            let ends = pinned.map_or_else(Vec::new, |it| checkpoint_ends(report, it.report()));
            let rows = Rows { timeline: &timeline, order: RowOrder::Given, ends: &ends };
            let chart = gantt::draw_over(rows, title, theme, width)?;
            Ok(Chart { description: description(report), ..chart })
        }
        Drawing::Queues => over_time(Over::Queues),
        Drawing::Throughput => over_time(Over::Throughput),
        Drawing::Latency => over_time(Over::Latency),
        Drawing::Behind => over_time(Over::Behind),
        Drawing::Moment { told, focus } => {
            let moment = run.simulation.moment(run.facts(), run.series(), told);
            checkpoint_picture::draw(&moment, &report.tasks, focus, theme, width)
        }
    }
}

/// When the subtasks of A's checkpoint of the same number acknowledged, for each of these.
fn subtask_ends(checkpoint: &Checkpoint, of_a: &CheckpointReport) -> Vec<Option<u64>> {
    let same = of_a.checkpoints.iter().find(|it| it.id == checkpoint.id);
    let end = |row: &SubtaskCheckpoint| {
        let is_it = |it: &&SubtaskCheckpoint| (&it.vertex, it.index) == (&row.vertex, row.index);
        let of_a = same?.subtasks.iter().find(is_it)?;
        (of_a.status != SubtaskStatus::PendingOrFailed).then_some(of_a.end_to_end_ms)
    };
    checkpoint.subtasks.iter().map(end).collect()
}

/// When A's checkpoints of the same numbers completed, from the start of the run.
fn checkpoint_ends(report: &CheckpointReport, of_a: &CheckpointReport) -> Vec<Option<u64>> {
    let end = |row: &Checkpoint| {
        let same = of_a.checkpoints.iter().find(|it| it.id == row.id)?;
        let is_done = same.status == CheckpointStatus::Completed;
        is_done.then_some(same.triggered_ms + same.end_to_end_ms)
    };
    report.checkpoints.iter().map(end).collect()
}

/// How long a checkpoint has lasted [ms].
fn length(checkpoint: &Checkpoint, run_ms: u64) -> u64 {
    match checkpoint.status {
        CheckpointStatus::InProgress => run_ms.saturating_sub(checkpoint.triggered_ms),
        _ => checkpoint.end_to_end_ms,
    }
}

/// The phases of the subtasks; one that has not acknowledged waits to the end.
fn timeline_of(checkpoint: &Checkpoint, run_ms: u64) -> Timeline {
    let mut timeline = Timeline::of_checkpoint(checkpoint);
    let end_ms = length(checkpoint, run_ms);
    let is_pending = |it: &SubtaskCheckpoint| it.status == SubtaskStatus::PendingOrFailed;
    for (row, subtask) in timeline.rows.iter_mut().zip(&checkpoint.subtasks) {
        if is_pending(subtask) {
            row.spans = vec![Span { phase: Phase::Pending, start_ms: 0, end_ms }];
            row.is_slowest = false;
        }
    }
    timeline
}

/// The timeouts that lie within what is shown, or just behind it.
fn marks(timeline: &Timeline, options: &ScenarioCheckpointing) -> Vec<TimelineMark> {
    let end_ms = timeline.end_ms();
    let mut marks = Vec::new();
    let aligned = options.aligned_checkpoint_timeout_ms;
    if options.mode == Mode::Timeout && aligned <= end_ms {
        let name = "aligned-checkpoint-timeout".to_owned();
        marks.push(TimelineMark { at_ms: aligned, name, is_danger: false });
    }
    if options.timeout_ms <= end_ms.saturating_mul(2) {
        let name = "checkpoint timeout".to_owned();
        marks.push(TimelineMark { at_ms: options.timeout_ms, name, is_danger: true });
    }
    marks
}

/// A row for each checkpoint: the phases of the subtask that it waited for, where it has all.
fn all_over_time(report: &CheckpointReport) -> Timeline {
    let row = |it: &Checkpoint| TimelineRow {
        id: format!("checkpoint-{}", it.id),
        group: "Checkpoint".to_owned(),
        name: it.id.to_string(),
        spans: spans(it, report.run_ms),
        is_slowest: report.verdict.checkpoint == Some(it.id),
    };
    Timeline { rows: report.checkpoints.iter().map(row).collect(), marks: Vec::new() }
}

fn spans(checkpoint: &Checkpoint, run_ms: u64) -> Vec<Span> {
    let from = checkpoint.triggered_ms;
    let later =
        |span: Span| Span { start_ms: from + span.start_ms, end_ms: from + span.end_ms, ..span };
    let rows = Timeline::of_checkpoint(checkpoint).rows;
    // Of several that took as long the last one is the one that the verdict speaks of.
    match (checkpoint.status, rows.into_iter().rfind(|row| row.is_slowest)) {
        (CheckpointStatus::Completed, Some(row)) => row.spans.into_iter().map(later).collect(),
        _ => {
            let end_ms = length(checkpoint, run_ms);
            vec![later(Span { phase: Phase::Pending, start_ms: 0, end_ms })]
        }
    }
}

fn description(report: &CheckpointReport) -> String {
    let [triggered, completed, failed] = report.verdict.counts;
    let checkpoints = if triggered == 1 { "checkpoint" } else { "checkpoints" };
    format!(
        "{triggered} {checkpoints} triggered in {}: {completed} completed, {failed} failed.",
        ms_in_words(report.run_ms)
    )
}
