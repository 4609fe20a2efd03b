//! The question "draw what happens to each transaction": plays a scenario and draws it.

use serde::Deserialize;

use super::theme::Theme;
use super::{Chart, ChartError, swim_lane};
use crate::finding::{Derivation, Problem};
use crate::transaction::{PlayParams, TransactionError, play_transactions};

/// Params of the question.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DrawTransactionsParams {
    /// The scenario.
    pub play: PlayParams,
    /// The last step that has happened; `None` draws all.
    pub upto: Option<u32>,
    /// Colours for a light or a dark surface.
    pub theme: Theme,
    /// Width (px), 280 to 2000.
    pub width: u32,
}

/// Why there is no drawing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DrawTransactionsError {
    /// The scenario cannot be played.
    #[error(transparent)]
    Transaction(#[from] TransactionError),
    /// The drawing itself cannot be made.
    #[error(transparent)]
    Chart(#[from] ChartError),
}

impl From<DrawTransactionsError> for Problem {
    fn from(error: DrawTransactionsError) -> Self {
        match error {
            DrawTransactionsError::Transaction(error) => {
                let problem: Self = error.into();
                Self { field: problem.field.map(|field| format!("play.{field}")), ..problem }
            }
            DrawTransactionsError::Chart(error) => Self {
                code: error.code().to_owned(),
                message: error.to_string(),
                field: matches!(error, ChartError::Width { .. }).then(|| "width".to_owned()),
                option: None,
            },
        }
    }
}

/// Draws lanes, clocks and tapes of a scenario.
///
/// # Errors
/// A scenario that cannot be played, or a width that no layout is made for.
pub fn draw_transactions(
    params: &DrawTransactionsParams,
) -> Result<Derivation<Chart>, DrawTransactionsError> {
    let report = play_transactions(&params.play)?.value;
    let upto = params.upto.map(|step| step as usize);
    let value = swim_lane::draw(&report, upto, params.theme, params.width)?;
    Ok(Derivation { value, findings: Vec::new() })
}
