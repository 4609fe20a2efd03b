//! SVG drawings of reports.
//!
//! A chart is laid out by a pure function into a [`scene::Scene`] of boxes and texts with known
//! pixels, and then painted. Text is measured by the built-in table of [`text`], so a drawing has
//! the same bytes natively, on a page and in a Worker.

use serde::Serialize;

pub mod axis;
pub mod backend;
pub mod backends_lines;
pub mod bars;
pub mod bound_lines;
mod checkpoint_picture;
pub mod checkpoint_run;
mod checkpoint_series;
pub mod event_lanes;
pub mod event_time_question;
pub mod gantt;
pub mod hatch;
mod heap_bars;
mod limits_ranges;
pub mod lines;
mod local_bars;
pub mod memory_bar;
mod memory_parts;
pub mod memory_question;
mod network_bars;
pub mod open_lines;
pub mod ranges;
mod rocksdb_bars;
pub mod scale;
pub mod scene;
mod slots_lines;
pub mod state_question;
pub mod swim_lane;
pub mod text;
pub mod theme;
pub mod timeout_question;
pub mod timeout_ruler;
pub mod topology;
pub mod transactions_question;
mod ttl_lines;

/// An SVG drawing and where its parts lie, in the drawing's own pixels.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Chart {
    /// The drawing: one `<svg>` element without styles, scripts or ids.
    pub svg: String,
    /// Its width (px).
    pub width: u32,
    /// Its height (px).
    pub height: u32,
    /// One sentence that says what the drawing shows.
    pub description: String,
    /// The parts that can be read out. Where two overlap, the later one lies on top.
    pub regions: Vec<Region>,
}

/// A part of a drawing that can be pointed at.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Region {
    /// The part's id in the report, for example `taskHeap`.
    pub id: String,
    /// The exact values in words.
    pub label: String,
    /// Left edge (px).
    pub x: f64,
    /// Top edge (px).
    pub y: f64,
    /// Width (px).
    pub width: f64,
    /// Height (px).
    pub height: f64,
}

/// Why a chart could not be drawn.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChartError {
    /// The width is outside what the layouts are made for.
    #[error("a chart is {min} to {max} px wide, not {width}", min = memory_bar::WIDTH_MIN, max = memory_bar::WIDTH_MAX)]
    Width {
        /// The width asked for (px).
        width: u32,
    },
    /// More components than a drawing can label.
    #[error("a memory chart shows at most {max} components, not {count}", max = memory_bar::COMPONENTS_MAX)]
    TooManyComponents {
        /// The number of components.
        count: usize,
    },
    /// There is nothing to draw to scale.
    #[error("there is nothing to draw to scale")]
    NothingToDraw,
    /// A component names a parent that is not listed before it, or there are two outermost ones.
    #[error("component {id} has no place in the tree of components")]
    Tree {
        /// The component's id.
        id: String,
    },
    /// The parts of a component add up to more than the component.
    #[error("the parts of {id} add up to more than {id}")]
    PartsExceedWhole {
        /// The component's id.
        id: String,
    },
    /// A size is negative.
    #[error("{id} has a negative size")]
    NegativeSize {
        /// The component's id.
        id: String,
    },
    /// The drawing backend failed.
    #[error("drawing failed: {reason}")]
    Drawing {
        /// What it said.
        reason: String,
    },
}

impl ChartError {
    /// A stable name of the kind of refusal.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Width { .. } => "chart.width",
            Self::TooManyComponents { .. } => "chart.tooManyComponents",
            Self::NothingToDraw => "chart.nothingToDraw",
            Self::Tree { .. } => "chart.tree",
            Self::PartsExceedWhole { .. } => "chart.partsExceedWhole",
            Self::NegativeSize { .. } => "chart.negativeSize",
            Self::Drawing { .. } => "chart.drawing",
        }
    }
}
