//! The question "draw what happens to each record": runs a small job and draws it.

use serde::Deserialize;

use super::event_lanes::LanesChart;
use super::theme::Theme;
use super::{ChartError, event_lanes};
use crate::event_time::params::EventTimeParams;
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
