//! The question "draw what a panel says": asks the panel's own question and draws the report.

use serde::Deserialize;

use super::backends_lines::{self, Measure};
use super::lines::draw_over;
use super::theme::Theme;
use super::{
    Chart, ChartError, bars, heap_bars, limits_ranges, local_bars, network_bars, ranges,
    rocksdb_bars, slots_lines, ttl_lines,
};
use crate::finding::{Derivation, Problem};
use crate::panel::{Report, Subject};

/// Params of the question.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DrawStateParams {
    /// What is drawn.
    pub of: Subject,
    /// The same question of settings to compare with, as A.
    #[serde(default)]
    pub pinned: Option<Subject>,
    /// What is drawn of both backends; memory where it is left out.
    #[serde(default)]
    pub measure: Measure,
    /// Colours for a light or a dark surface.
    pub theme: Theme,
    /// Width (px), 280 to 2000.
    pub width: u32,
}

/// Draws what a panel says. A pinned question that is refused, or is another one, is left out.
///
/// # Errors
/// The refusal of the panel's question, or a width that no layout is made for.
pub fn draw_state(params: &DrawStateParams) -> Result<Derivation<Chart>, Problem> {
    let b = params.of.answer()?;
    let a = params.pinned.as_ref().and_then(|pinned| pinned.answer().ok());
    let (theme, width) = (params.theme, params.width);
    /// A's report, where it is of the same question.
    macro_rules! of_a {
        ($question:ident) => {
            match &a {
                Some(Report::$question(report)) => Some(&**report),
                _ => None,
            }
        };
    }
    let value = match &b {
        Report::MemoryBoundaries(b) => {
            ranges::draw(&limits_ranges::ranges(b, of_a!(MemoryBoundaries)), theme, width)
        }
        Report::RocksdbMemory(b) => {
            bars::draw(&rocksdb_bars::bars(b, of_a!(RocksdbMemory)), theme, width)
        }
        Report::HeapState(b) => bars::draw(&heap_bars::bars(b, of_a!(HeapState)), theme, width),
        Report::NetworkBuffers(b) => {
            bars::draw(&network_bars::bars(b, of_a!(NetworkBuffers)), theme, width)
        }
        Report::LocalMemory(b) => {
            bars::draw(&local_bars::bars(b, of_a!(LocalMemory)), theme, width)
        }
        Report::CompareBackends(b) => {
            let plot = |report: &_| backends_lines::plot(report, params.measure);
            draw_over(&plot(b), of_a!(CompareBackends).map(plot).as_ref(), theme, width)
        }
        Report::TtlGrowth(b) => {
            let a = of_a!(TtlGrowth).map(ttl_lines::plot);
            draw_over(&ttl_lines::plot(b), a.as_ref(), theme, width)
        }
        Report::SlotsSweep(b) => {
            let a = of_a!(SlotsSweep).map(slots_lines::plot);
            draw_over(&slots_lines::plot(b), a.as_ref(), theme, width)
        }
    }?;
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
