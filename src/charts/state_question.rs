//! The question "draw what a panel says": asks the panel's own question and plots the report.

use serde::Deserialize;

use super::lines::draw;
use super::theme::Theme;
use super::{Chart, ChartError, slots_lines, ttl_lines};
use crate::finding::{Derivation, Problem};
use crate::state::slots::{SlotsParams, slots_sweep};
use crate::state::{TtlParams, ttl_growth};

/// Params of the question.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DrawStateParams {
    /// What is drawn.
    pub of: Subject,
    /// Colours for a light or a dark surface.
    pub theme: Theme,
    /// Width (px), 280 to 2000.
    pub width: u32,
}

/// A question whose report is drawn, with its params.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Subject {
    /// State under TTL over time.
    TtlGrowth(TtlParams),
    /// The split by number of slots.
    SlotsSweep(Box<SlotsParams>),
}

/// Draws what a panel says.
///
/// # Errors
/// The refusal of the panel's question, or a width that no layout is made for.
pub fn draw_state(params: &DrawStateParams) -> Result<Derivation<Chart>, Problem> {
    let plot = match &params.of {
        Subject::TtlGrowth(ttl) => ttl_lines::plot(&ttl_growth(ttl)?.value),
        Subject::SlotsSweep(slots) => slots_lines::plot(&slots_sweep(slots)?.value),
    };
    let value = draw(&plot, params.theme, params.width)?;
    Ok(Derivation { value, findings: Vec::new() })
}

impl From<ChartError> for Problem {
    fn from(error: ChartError) -> Self {
        Self {
            code: error.code().to_owned(),
            message: error.to_string(),
            field: matches!(error, ChartError::Width { .. }).then(|| "width".to_owned()),
            option: None,
        }
    }
}
