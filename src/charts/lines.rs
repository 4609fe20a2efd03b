//! Lines over time or over a number: a plot with direct labels, to be read out point by point.
//!
//! Lines differ by colour and by stroke. Wide drawings name each line at its end; narrow ones list
//! the names above the plot.

mod strokes;

use super::axis::TICK_SIZE;
use super::backend::Anchor;
use super::memory_bar::{WIDTH_MAX, WIDTH_MIN, WIDTH_NESTED};
use super::scale::{Quantity, Scale};
use super::scene::{Line, Rect, Scene, Shape, line_height};
use super::text::{self, Face};
use super::theme::{Paint, Theme, Tone};
use super::{Chart, ChartError, Region};
use strokes::{sample, stroke};

/// The font size of names (px).
const SIZE: u32 = 12;
/// Free space around the drawing (px).
const MARGIN: i32 = 16;
/// The height of the plot (px).
const PLOT: i32 = 240;
/// The length of the piece of a line that stands before its name (px).
const SAMPLE: i32 = 22;
/// The least width of a place that answers to a pointer (px); WCAG 2.2, 2.5.8.
const HIT: i32 = 24;

/// How a line is drawn, beside its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stroke {
    /// Without gaps.
    Solid,
    /// In long pieces.
    Dashed,
    /// In short pieces.
    Dotted,
    /// In short pieces, far apart.
    Sparse,
}

/// One line.
#[derive(Debug, Clone)]
pub struct Series {
    /// Its name.
    pub name: String,
    /// Its colour.
    pub tone: Tone,
    /// Its stroke.
    pub stroke: Stroke,
    /// A value for each x; `None` interrupts the line.
    pub values: Vec<Option<u64>>,
}

/// A place on the x axis that is named in the plot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// Where.
    pub x: u64,
    /// Its name.
    pub text: String,
    /// Whether it is where something breaks.
    pub is_danger: bool,
}

/// What is plotted.
#[derive(Debug, Clone)]
pub struct Plot {
    /// What the x axis is, as in `Time`.
    pub x_title: &'static str,
    /// What it measures.
    pub x_quantity: Quantity,
    /// What the y axis is, as in `Entries`.
    pub y_title: &'static str,
    /// What it measures.
    pub y_quantity: Quantity,
    /// The places of the values, ascending.
    pub xs: Vec<u64>,
    /// The lines.
    pub series: Vec<Series>,
    /// Named places.
    pub marks: Vec<Mark>,
    /// Exact values in words, for each x.
    pub readouts: Vec<String>,
    /// One sentence that says what the drawing shows.
    pub description: String,
}

/// Draws a plot, `width` px wide.
pub fn draw(plot: &Plot, theme: Theme, width: u32) -> Result<Chart, ChartError> {
    draw_over(plot, None, theme, width)
}

/// The same over the thinner lines of another plot of its kind, which are named as A's.
pub fn draw_over(
    plot: &Plot,
    pinned: Option<&Plot>,
    theme: Theme,
    width: u32,
) -> Result<Chart, ChartError> {
    let (scene, regions, _) = layout_on_axis(plot, pinned, width)?;
    chart(plot, &scene, regions, theme)
}

/// The same with the x axis, for who points at it.
pub(super) fn draw_on_axis(
    plot: &Plot,
    theme: Theme,
    width: u32,
) -> Result<(Chart, XAxis), ChartError> {
    let (scene, regions, axis) = layout_on_axis(plot, None, width)?;
    Ok((chart(plot, &scene, regions, theme)?, axis))
}

fn chart(
    plot: &Plot,
    scene: &Scene,
    regions: Vec<Region>,
    theme: Theme,
) -> Result<Chart, ChartError> {
    Ok(Chart {
        svg: scene.to_svg(theme)?,
        width: scene.width.unsigned_abs(),
        height: scene.height.unsigned_abs(),
        description: plot.description.clone(),
        regions,
    })
}

/// Where the values of x lie.
#[derive(Debug, Clone)]
pub(super) struct XAxis {
    scale: Scale,
    area: Rect,
}

impl XAxis {
    /// The pixel of a value.
    pub(super) fn place(&self, x: u64) -> i32 {
        self.area.x0 + self.scale.place(x, self.area.width())
    }
}

/// Where everything lies, and the places that answer to a pointer.
pub fn layout(plot: &Plot, width: u32) -> Result<(Scene, Vec<Region>), ChartError> {
    layout_over(plot, None, width)
}

/// The same over another plot.
pub fn layout_over(
    plot: &Plot,
    pinned: Option<&Plot>,
    width: u32,
) -> Result<(Scene, Vec<Region>), ChartError> {
    let (scene, regions, _) = layout_on_axis(plot, pinned, width)?;
    Ok((scene, regions))
}

/// A line to be drawn, with the places of its values.
struct Drawn<'a> {
    line: &'a Series,
    xs: &'a [u64],
    name: String,
    thick: u32,
}

fn layout_on_axis(
    plot: &Plot,
    pinned: Option<&Plot>,
    width: u32,
) -> Result<(Scene, Vec<Region>, XAxis), ChartError> {
    if !(WIDTH_MIN..=WIDTH_MAX).contains(&width) {
        return Err(ChartError::Width { width });
    }
    let own = plot.series.iter().map(|line| Drawn {
        line,
        xs: &plot.xs,
        name: line.name.clone(),
        thick: 2,
    });
    let of_a = pinned.into_iter().flat_map(|a| {
        let name = |line: &Series| format!("A: {}", line.name);
        a.series.iter().map(move |line| Drawn { line, xs: &a.xs, name: name(line), thick: 1 })
    });
    let lines: Vec<Drawn> = own.chain(of_a).collect();
    let largest = lines.iter().flat_map(|drawn| drawn.line.values.iter().flatten()).max();
    let last = lines.iter().filter_map(|drawn| drawn.xs.last()).max();
    let (Some(largest), Some(last)) = (largest, last) else {
        return Err(ChartError::NothingToDraw);
    };
    let is_wide = width >= WIDTH_NESTED;
    let width = width as i32;
    let mut scene = Scene::new(width);
    let y_scale = Scale::new(plot.y_quantity, *largest, PLOT, false);
    let mut top = 10;
    if !is_wide {
        top = list_names(&mut scene, &lines, top) + 6;
    }
    let title =
        Line::new(titled(plot.y_title, y_scale.unit), TICK_SIZE, Anchor::Start, (MARGIN, top));
    top = title.rect.y1 + 6;
    // Marks are named in a row of their own, so that no line runs through the words.
    let marks_y = top;
    if !plot.marks.is_empty() {
        top += line_height(TICK_SIZE) + 4;
    }
    scene.lines.push(title.painted(Paint::Tone(Tone::Muted)));
    let sans = |text: &str, size| text::width(text, Face::Sans, size);
    let labels = y_scale.ticks.iter().map(|(_, text)| sans(text, TICK_SIZE)).max().unwrap_or(0);
    let names = lines.iter().map(|drawn| sans(&drawn.name, SIZE)).max().unwrap_or(0);
    let right = if is_wide { SAMPLE + 10 + names } else { 0 };
    let area = Rect::new(MARGIN + labels + 8, top, width - MARGIN - right, top + PLOT);
    let x_scale = Scale::new(plot.x_quantity, *last, area.width(), true);
    axes(&mut scene, plot, (&x_scale, &y_scale), area);
    mark_places(&mut scene, plot, &x_scale, area, marks_y);
    let at = |x: u64, y: u64| {
        (area.x0 + x_scale.place(x, area.width()), area.y1 - y_scale.place(y, PLOT))
    };
    let mut ends = Vec::new();
    // The first line is the one that matters most: it is drawn last, over the others.
    for drawn in lines.iter().rev() {
        let values = drawn.xs.iter().zip(&drawn.line.values);
        let points: Vec<Option<(i32, i32)>> = values.map(|(x, y)| y.map(|y| at(*x, y))).collect();
        for part in points.split(Option::is_none) {
            let part: Vec<(i32, i32)> = part.iter().flatten().copied().collect();
            stroke(&mut scene, &part, drawn);
        }
        if let Some(end) = points.iter().rev().flatten().next() {
            ends.push((end.1, drawn));
        }
    }
    if is_wide {
        name_ends(&mut scene, ends, area);
    }
    let regions = readouts(plot, pinned, &x_scale, area);
    Ok((scene, regions, XAxis { scale: x_scale, area }))
}

/// "Entries [million]".
fn titled(title: &str, unit: &str) -> String {
    if unit.is_empty() { title.to_owned() } else { format!("{title} [{unit}]") }
}

fn axes(scene: &mut Scene, plot: &Plot, (x, y): (&Scale, &Scale), area: Rect) {
    let muted = Paint::Tone(Tone::Muted);
    for (value, text) in &y.ticks {
        let at = area.y1 - y.place(*value, PLOT);
        let grid = Rect::new(area.x0, at, area.x1, at + 1);
        let paint = Paint::Tone(if *value == 0 { Tone::Muted } else { Tone::Hairline });
        scene.shapes.push(Shape::Fill(grid, paint));
        let place = (area.x0 - 8, at - line_height(TICK_SIZE) / 2);
        scene.lines.push(Line::new(text.as_str(), TICK_SIZE, Anchor::End, place).painted(muted));
    }
    let below = area.y1 + 8;
    for (value, text) in &x.ticks {
        let at = area.x0 + x.place(*value, area.width());
        scene.shapes.push(Shape::Fill(Rect::new(at, area.y1 + 1, at + 1, area.y1 + 6), muted));
        let half = text::width(text, Face::Sans, TICK_SIZE) / 2 + 1;
        let middle = at.clamp(half, scene.width - half);
        let label = Line::new(text.as_str(), TICK_SIZE, Anchor::Middle, (middle, below));
        scene.lines.push(label.painted(muted));
    }
    let title_y = below + line_height(TICK_SIZE) + 2;
    let title = titled(plot.x_title, x.unit);
    let title = Line::new(title, TICK_SIZE, Anchor::End, (area.x1, title_y)).painted(muted);
    scene.height = title.rect.y1 + 8;
    scene.lines.push(title);
}

/// Upright lines at named places; names that would touch are left to the read-out, that of a danger last.
fn mark_places(scene: &mut Scene, plot: &Plot, x: &Scale, area: Rect, y: i32) {
    let mut taken: Vec<Rect> = Vec::new();
    let (dangers, others): (Vec<_>, Vec<_>) = plot.marks.iter().partition(|mark| mark.is_danger);
    for mark in dangers.into_iter().chain(others) {
        let at = area.x0 + x.place(mark.x, area.width());
        let paint = Paint::Tone(if mark.is_danger { Tone::Danger } else { Tone::Muted });
        scene.shapes.push(Shape::Fill(Rect::new(at, area.y0 - 4, at + 1, area.y1), paint));
        let half = text::width(&mark.text, Face::Sans, TICK_SIZE) / 2 + 1;
        let middle = at.clamp(half, (scene.width - half).max(half));
        let label = Line::new(mark.text.as_str(), TICK_SIZE, Anchor::Middle, (middle, y));
        if !taken.iter().any(|other| other.grown(8, 0).overlaps(label.rect)) {
            taken.push(label.rect);
            scene.lines.push(label.painted(paint));
        }
    }
}

/// Names beside the ends of the lines, moved apart where they would touch.
fn name_ends(scene: &mut Scene, mut ends: Vec<(i32, &Drawn<'_>)>, area: Rect) {
    ends.sort_by_key(|(y, _)| *y);
    let height = line_height(SIZE) + 2;
    let mut tops: Vec<i32> = Vec::new();
    for (y, _) in &ends {
        let least = tops.last().map_or(area.y0 - height / 2, |top| top + height);
        tops.push((y - line_height(SIZE) / 2).max(least));
    }
    // What was pushed below the plot moves up again, and what is in its way.
    let mut most = area.y1 - height / 2;
    for top in tops.iter_mut().rev() {
        *top = (*top).min(most);
        most = *top - height;
    }
    for ((_, drawn), top) in ends.into_iter().zip(tops) {
        sample(scene, drawn, (area.x1 + 4, top));
    }
}

/// Names above the plot; returns the bottom of the last row.
fn list_names(scene: &mut Scene, lines: &[Drawn<'_>], y: i32) -> i32 {
    let (mut x, mut y) = (MARGIN, y);
    for drawn in lines {
        let need = SAMPLE + 6 + text::width(&drawn.name, Face::Sans, SIZE);
        if x + need > scene.width - MARGIN && x > MARGIN {
            x = MARGIN;
            y += line_height(SIZE) + 2;
        }
        x = sample(scene, drawn, (x, y)).x1 + 14;
    }
    y + line_height(SIZE)
}

/// Places as wide as a finger needs, each reading out the point in its middle.
fn readouts(plot: &Plot, pinned: Option<&Plot>, x: &Scale, area: Rect) -> Vec<Region> {
    let places: Vec<i32> = plot.xs.iter().map(|at| area.x0 + x.place(*at, area.width())).collect();
    let is_named = |at: usize| plot.marks.iter().any(|mark| mark.x == plot.xs[at]);
    let mut kept: Vec<usize> = Vec::new();
    for at in 0..places.len() {
        let is_free = kept.last().is_none_or(|last| places[at] - places[*last] >= HIT);
        if is_free {
            kept.push(at);
        } else if is_named(at)
            && let Some(last) = kept.last_mut()
        {
            *last = at;
        }
    }
    let last = places.len().saturating_sub(1);
    if let Some(end) = kept.last_mut() {
        if last != *end && places[last] - places[*end] < HIT && !is_named(*end) {
            *end = last;
        } else if last != *end {
            kept.push(last);
        }
    }
    let edge = |a: usize, b: usize| f64::from(places[a] + places[b]) / 2.0;
    let mut regions = Vec::new();
    for (index, &at) in kept.iter().enumerate() {
        let from = index.checked_sub(1).map_or(f64::from(area.x0), |before| edge(kept[before], at));
        let to = kept.get(index + 1).map_or(f64::from(area.x1), |after| edge(at, *after));
        regions.push(Region {
            id: format!("x{}", plot.xs[at]),
            label: readout(plot, pinned, at),
            x: from,
            y: f64::from(area.y0),
            width: (to - from).max(1.0),
            height: f64::from(PLOT),
        });
    }
    regions
}

/// What is read out at a place; of A only what lies at the same place.
fn readout(plot: &Plot, pinned: Option<&Plot>, at: usize) -> String {
    let own = plot.readouts.get(at).cloned().unwrap_or_default();
    let of_a = pinned.and_then(|a| {
        let place = a.xs.iter().position(|x| *x == plot.xs[at])?;
        a.readouts.get(place)
    });
    of_a.map_or(own.clone(), |a| format!("{own}. A: {a}"))
}
