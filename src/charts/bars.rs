//! Bars below each other on one scale, each in parts, with lines at its limits.
//!
//! Each bar has its name above it and a list of its parts below it, so the drawing is the same at
//! every width. A bar that would make all others too short to see may run off the scale; its end is
//! torn then, and the list says its size.

mod drawing;

use super::hatch::Hatch;
use super::memory_bar::{WIDTH_MAX, WIDTH_MIN};
use super::scale::{Quantity, Scale};
use super::scene::Scene;
use super::theme::{Theme, Tone};
use super::{Chart, ChartError, Region};
use drawing::Drawing;

/// How a part is told from its neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// A colour, and lines in it.
    Filled(Tone, Option<Hatch>),
    /// An outline: room that nothing takes.
    Room,
}

/// A part of a bar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Its name in the report.
    pub id: String,
    /// For people.
    pub name: String,
    /// Where it begins.
    pub from: u64,
    /// Where it ends.
    pub to: u64,
    /// Its size in words.
    pub words: String,
    /// The same to the last digit.
    pub exact: String,
    /// How it is drawn.
    pub look: Look,
}

/// A place on a bar that has a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limit {
    /// Where.
    pub at: u64,
    /// What it is, with its number.
    pub text: String,
    /// Whether what reaches beyond it fails.
    pub is_danger: bool,
}

/// A bar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// A stable name.
    pub id: String,
    /// For people.
    pub name: String,
    /// Its parts from left to right.
    pub parts: Vec<Part>,
    /// Its limits.
    pub limits: Vec<Limit>,
    /// Whether the scale may end before it does.
    pub may_run_off: bool,
    /// Whether it belongs to the settings that are compared with.
    pub is_pinned: bool,
}

/// What is drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bars {
    /// What the scale measures, as in `Memory`.
    pub title: &'static str,
    /// Its unit.
    pub quantity: Quantity,
    /// The bars.
    pub rows: Vec<Row>,
    /// One sentence that says what the drawing shows.
    pub description: String,
}

/// The lines that tell parts of one colour apart, in the order in which they are given out.
pub const HATCHES: [Option<Hatch>; 5] = [
    None,
    Some(Hatch::Rising),
    Some(Hatch::Falling),
    Some(Hatch::Vertical),
    Some(Hatch::Horizontal),
];

/// Draws bars, `width` px wide.
///
/// # Errors
/// Nothing to draw to scale, or a width that no layout is made for.
pub fn draw(bars: &Bars, theme: Theme, width: u32) -> Result<Chart, ChartError> {
    let (scene, regions) = layout(bars, width)?;
    Ok(Chart {
        svg: scene.to_svg(theme)?,
        width,
        height: scene.height.unsigned_abs(),
        description: bars.description.clone(),
        regions,
    })
}

/// Where everything lies, and the places that answer to a pointer.
///
/// # Errors
/// As `draw`.
pub fn layout(bars: &Bars, width: u32) -> Result<(Scene, Vec<Region>), ChartError> {
    if !(WIDTH_MIN..=WIDTH_MAX).contains(&width) {
        return Err(ChartError::Width { width });
    }
    let end = end_of_scale(&bars.rows).ok_or(ChartError::NothingToDraw)?;
    let width = width as i32;
    let scale = Scale::new(bars.quantity, end, width - 2 * drawing::MARGIN, true);
    let mut drawing = Drawing { scene: Scene::new(width), regions: Vec::new(), scale };
    let mut y = drawing.axis(bars.title);
    let grid_y = y;
    for row in &bars.rows {
        y = drawing.row(row, y + 10, bars.rows.iter().any(|b| is_below(row, b)));
    }
    drawing.grid(grid_y, y);
    drawing.scene.height = y + 8;
    Ok((drawing.scene, drawing.regions))
}

/// Whether `row` is the pinned one of `other`, whose list of parts explains both.
fn is_below(row: &Row, other: &Row) -> bool {
    row.is_pinned && !other.is_pinned && row.id.strip_prefix("a.") == Some(other.id.as_str())
}

/// The longest bar or limit that must be on the scale; a bar that may run off counts up to half as much again.
fn end_of_scale(rows: &[Row]) -> Option<u64> {
    let length = |row: &Row| row.parts.iter().map(|part| part.to).max().unwrap_or(0);
    let limits = rows.iter().flat_map(|row| row.limits.iter().map(|limit| limit.at));
    let fixed = rows.iter().filter(|row| !row.may_run_off).map(length);
    let needed = limits.chain(fixed).max().unwrap_or(0);
    let longest = rows.iter().map(length).max().unwrap_or(0);
    let end = if needed == 0 {
        longest
    } else {
        longest.min(needed.saturating_add(needed / 2)).max(needed)
    };
    (end > 0).then_some(end)
}

/// Parts one after the other.
pub fn stacked(
    parts: impl IntoIterator<Item = (String, String, u64, String, String, Look)>,
) -> Vec<Part> {
    let mut from: u64 = 0;
    let place = |(id, name, size, words, exact, look): (_, _, u64, _, _, _)| {
        let to = from.saturating_add(size);
        let part = Part { id, name, from, to, words, exact, look };
        from = to;
        part
    };
    parts.into_iter().map(place).collect()
}

/// The rows of both sides, each pinned one below its counterpart.
pub fn with_pinned(rows: Vec<Row>, pinned: Option<Vec<Row>>) -> Vec<Row> {
    let mut pinned: Vec<Row> = pinned.unwrap_or_default();
    for row in &mut pinned {
        row.id = format!("a.{}", row.id);
        row.is_pinned = true;
    }
    let mut all = Vec::new();
    for row in rows {
        let own = pinned.iter().position(|a| is_below(a, &row));
        all.push(row);
        all.extend(own.map(|at| pinned.remove(at)));
    }
    all.extend(pinned);
    all
}
