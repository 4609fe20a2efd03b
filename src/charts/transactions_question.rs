//! The questions "draw what happens to each transaction" and "draw this way": a scenario by the clock,
//! and a way of the explorer, are played and drawn.

use serde::Deserialize;

use super::theme::Theme;
use super::{Chart, ChartError, swim_lane};
use crate::finding::{Derivation, Problem};
use crate::transaction::explorer::{WayParams, replay};
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

/// Params of the question about a way.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DrawWayParams {
    /// The way.
    pub way: WayParams,
    /// The last of its steps that has happened, from 1; `None` draws all.
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
    /// The way cannot be played.
    #[error(transparent)]
    Way(TransactionError),
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
            DrawTransactionsError::Way(error) => {
                let problem: Self = error.into();
                Self { field: problem.field.map(|field| format!("way.{field}")), ..problem }
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
    let run = swim_lane::Run::of(&report, params.play.settings.sink);
    let value = swim_lane::draw(&run, upto, params.theme, params.width)?;
    Ok(Derivation { value, findings: Vec::new() })
}

/// Draws lanes and tapes of a way, step by step.
///
/// # Errors
/// A way that cannot be played, or a width that no layout is made for.
pub fn draw_way(params: &DrawWayParams) -> Result<Derivation<Chart>, DrawTransactionsError> {
    let way = replay(&params.way).map_err(DrawTransactionsError::Way)?;
    let steps = params.way.choices.len() as u64;
    let until = params.upto.map_or(steps, |it| u64::from(it).clamp(1, steps));
    let rows = |upto: u64| way.trace.partition_point(|it| it.at_ms <= upto);
    let last = rows(steps - 1);
    let run = swim_lane::Run {
        trace: &way.trace,
        transactions: &way.transactions,
        tape: &way.tape,
        stable_offsets: &way.stable_offsets,
        broken: params.way.breaks.then(|| (last, rows(steps).saturating_sub(1))),
        because: if params.way.breaks { "The last step breaks the promise." } else { "" },
        has_clock: false,
        sink: params.way.search.sink,
    };
    let upto = rows(until).saturating_sub(1);
    let value = swim_lane::draw(&run, Some(upto), params.theme, params.width)?;
    Ok(Derivation { value, findings: Vec::new() })
}
