//! The question "draw the safe timeouts": works them out and draws them.

use serde::Deserialize;

use super::theme::Theme;
use super::{Chart, ChartError, timeout_ruler};
use crate::finding::{Derivation, Problem};
use crate::transaction::refusal::SettingError;
use crate::transaction::timeouts::{TimeoutParams, transaction_timeouts};

/// Params of the question.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DrawTimeoutsParams {
    /// The times.
    pub times: TimeoutParams,
    /// Colours for a light or a dark surface.
    pub theme: Theme,
    /// Width (px), 280 to 2000.
    pub width: u32,
}

/// Why there is no drawing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DrawTimeoutsError {
    /// A number that cannot be.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// The drawing itself cannot be made.
    #[error(transparent)]
    Chart(#[from] ChartError),
}

impl From<DrawTimeoutsError> for Problem {
    fn from(error: DrawTimeoutsError) -> Self {
        match error {
            DrawTimeoutsError::Setting(error) => {
                let problem: Self = error.into();
                Self { field: problem.field.map(|field| format!("times.{field}")), ..problem }
            }
            DrawTimeoutsError::Chart(error) => Self {
                code: error.code().to_owned(),
                message: error.to_string(),
                field: matches!(error, ChartError::Width { .. }).then(|| "width".to_owned()),
                option: None,
            },
        }
    }
}

/// Draws the safe timeouts.
///
/// # Errors
/// A number that cannot be, or a width that no layout is made for.
pub fn draw_timeouts(params: &DrawTimeoutsParams) -> Result<Derivation<Chart>, DrawTimeoutsError> {
    let report = transaction_timeouts(&params.times)?.value;
    let value = timeout_ruler::draw(&report, params.theme, params.width)?;
    Ok(Derivation { value, findings: Vec::new() })
}
