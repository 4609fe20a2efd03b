//! The questions "draw what happens to each record" and "draw what is kept": run a small job and draw it.

use serde::{Deserialize, Serialize};

use super::event_lanes::LanesChart;
use super::open_lines::{self, Over};
use super::theme::Theme;
use super::{Chart, ChartError, event_lanes};
use crate::event_time::params::EventTimeParams;
use crate::event_time::report::Row;
use crate::event_time::run::{OpenState, Sample};
use crate::event_time::{EventTimeError, run_event_time};
use crate::finding::{Derivation, Problem};

/// Params of the question.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DrawEventTimeParams {
    /// The job and its input.
    pub job: EventTimeParams,
    /// The last row that is drawn; `None` draws all.
    pub upto: Option<u32>,
    /// Colours for a light or a dark surface.
    pub theme: Theme,
    /// Width (px), 280 to 2000.
    pub width: u32,
}

/// Why there is no drawing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DrawEventTimeError {
    /// The job does not run.
    #[error(transparent)]
    EventTime(#[from] EventTimeError),
    /// The drawing itself cannot be made.
    #[error(transparent)]
    Chart(#[from] ChartError),
}

impl From<DrawEventTimeError> for Problem {
    fn from(error: DrawEventTimeError) -> Self {
        match error {
            DrawEventTimeError::EventTime(error) => {
                let problem: Self = error.into();
                Self { field: problem.field.map(|field| format!("job.{field}")), ..problem }
            }
            DrawEventTimeError::Chart(error) => Self {
                code: error.code().to_owned(),
                message: error.to_string(),
                field: matches!(error, ChartError::Width { .. }).then(|| "width".to_owned()),
                option: None,
            },
        }
    }
}

/// Draws records, watermark and windows of a run.
///
/// # Errors
/// Flink's refusal of the job, an input without rows, or a width that no layout is made for.
pub fn draw_event_time(
    params: &DrawEventTimeParams,
) -> Result<Derivation<LanesChart>, DrawEventTimeError> {
    let report = run_event_time(&params.job)?.value;
    let upto = params.upto.map(|row| row as usize);
    let value = event_lanes::draw(&report, upto, params.theme, params.width)?;
    Ok(Derivation { value, findings: Vec::new() })
}

/// Params of `drawEventState`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DrawEventStateParams {
    /// The job and its input.
    pub job: EventTimeParams,
    /// Colours for a light or a dark surface.
    pub theme: Theme,
    /// Width (px), 280 to 2000.
    pub width: u32,
}

/// What a job keeps, step by step.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EventStateCharts {
    /// Pairs of key and window, and the most that the rules allow.
    pub open: Chart,
    /// The bytes that they take, and the most that is predicted.
    pub kept: Chart,
}

/// Draws what the window operator keeps after each step: counted, and beside it predicted.
///
/// # Errors
/// As [`draw_event_time`].
pub fn draw_event_state(
    params: &DrawEventStateParams,
) -> Result<Derivation<EventStateCharts>, DrawEventTimeError> {
    let DrawEventStateParams { job, theme, width } = params;
    let report = run_event_time(job)?.value;
    let sample = |(step, row): (u32, &Row)| {
        let held = row.ended_windows as u64;
        let waiting = (row.open_windows as u64).saturating_sub(held);
        let open = OpenState { waiting, held, ..OpenState::default() };
        Sample { records: step, watermark: row.watermark_after.get(), open }
    };
    let samples: Vec<Sample> = (1..).zip(&report.rows).map(sample).collect();
    let kept: Vec<_> = report.rows.iter().map(|row| row.kept).collect();
    let open = open_lines::draw(&samples, report.open_windows_most, Over::Steps, *theme, *width)?;
    let predicted = report.kept.predicted;
    let kept = open_lines::draw_kept(&samples, &kept, predicted, Over::Steps, *theme, *width)?;
    Ok(Derivation { value: EventStateCharts { open, kept }, findings: Vec::new() })
}
