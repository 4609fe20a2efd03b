//! Lines over time or over a number: a plot with direct labels, to be read out point by point.
//!
//! Lines differ by colour and by stroke. Wide drawings name each line at its end; narrow ones list
//! the names above the plot.

use super::axis::TICK_SIZE;
use super::backend::Anchor;
use super::memory_bar::{WIDTH_MAX, WIDTH_MIN, WIDTH_NESTED};
use super::scale::{Quantity, Scale};
use super::scene::{Line, Rect, Scene, Shape, line_height};
use super::text::{self, Face};
use super::theme::{Paint, Theme, Tone};
use super::{Chart, ChartError, Region};

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
    Ok(draw_on_axis(plot, theme, width)?.0)
}

/// The same with the x axis, for who points at it.
pub(super) fn draw_on_axis(
    plot: &Plot,
    theme: Theme,
    width: u32,
) -> Result<(Chart, XAxis), ChartError> {
    let (scene, regions, axis) = layout_on_axis(plot, width)?;
    let chart = Chart {
        svg: scene.to_svg(theme)?,
        width,
        height: scene.height.unsigned_abs(),
        description: plot.description.clone(),
        regions,
    };
    Ok((chart, axis))
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
    let (scene, regions, _) = layout_on_axis(plot, width)?;
    Ok((scene, regions))
}

fn layout_on_axis(plot: &Plot, width: u32) -> Result<(Scene, Vec<Region>, XAxis), ChartError> {
    if !(WIDTH_MIN..=WIDTH_MAX).contains(&width) {
        return Err(ChartError::Width { width });
    }
    let largest = plot.series.iter().flat_map(|line| line.values.iter().flatten()).max();
    let (Some(largest), Some(last)) = (largest, plot.xs.last()) else {
        return Err(ChartError::NothingToDraw);
    };
    let is_wide = width >= WIDTH_NESTED;
    let width = width as i32;
    let mut scene = Scene::new(width);
    let y_scale = Scale::new(plot.y_quantity, *largest, PLOT, false);
    let mut top = 10;
    if !is_wide {
        top = list_names(&mut scene, plot, top) + 6;
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
    let names = plot.series.iter().map(|line| sans(&line.name, SIZE)).max().unwrap_or(0);
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
    for line in plot.series.iter().rev() {
        let points: Vec<Option<(i32, i32)>> =
            plot.xs.iter().zip(&line.values).map(|(x, y)| y.map(|y| at(*x, y))).collect();
        for part in points.split(Option::is_none) {
            let part: Vec<(i32, i32)> = part.iter().flatten().copied().collect();
            stroke(&mut scene, &part, line);
        }
        if let Some(end) = points.iter().rev().flatten().next() {
            ends.push((end.1, line));
        }
    }
    if is_wide {
        name_ends(&mut scene, ends, area);
    }
    let regions = readouts(plot, &x_scale, area);
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

/// Upright lines at named places; names that would touch are left to the read-out.
fn mark_places(scene: &mut Scene, plot: &Plot, x: &Scale, area: Rect, y: i32) {
    let mut free_from = 0;
    for mark in &plot.marks {
        let at = area.x0 + x.place(mark.x, area.width());
        let paint = Paint::Tone(if mark.is_danger { Tone::Danger } else { Tone::Muted });
        scene.shapes.push(Shape::Fill(Rect::new(at, area.y0 - 4, at + 1, area.y1), paint));
        let half = text::width(&mark.text, Face::Sans, TICK_SIZE) / 2 + 1;
        let middle = at.clamp(half, (scene.width - half).max(half));
        let label = Line::new(mark.text.as_str(), TICK_SIZE, Anchor::Middle, (middle, y));
        if label.rect.x0 >= free_from {
            free_from = label.rect.x1 + 8;
            scene.lines.push(label.painted(paint));
        }
    }
}

/// A line in its stroke.
fn stroke(scene: &mut Scene, points: &[(i32, i32)], line: &Series) {
    let paint = Paint::Tone(line.tone);
    let pieces = match line.stroke {
        Stroke::Solid => vec![points.to_vec()],
        Stroke::Dashed => pieces(points, 9.0, 5.0),
        Stroke::Dotted => pieces(points, 2.0, 4.0),
    };
    let whole = pieces.into_iter().filter(|piece| piece.len() > 1);
    scene.shapes.extend(whole.map(|points| Shape::Path { points, thick: 2, paint }));
    // One value alone is no line.
    if let [(x, y)] = *points {
        scene.shapes.push(Shape::Fill(Rect::new(x - 2, y - 2, x + 3, y + 3), paint));
    }
}

/// Cuts a path into pieces of `on` px with `off` px between them.
fn pieces(points: &[(i32, i32)], on: f64, off: f64) -> Vec<Vec<(i32, i32)>> {
    let mut found: Vec<Vec<(i32, i32)>> = Vec::new();
    let whole = |(x, y): (f64, f64)| (x.round() as i32, y.round() as i32);
    let mut left = on;
    let mut is_on = true;
    found.extend(points.first().map(|first| vec![*first]));
    for pair in points.windows(2) {
        let [mut from, to] = [pair[0], pair[1]].map(|(x, y)| (f64::from(x), f64::from(y)));
        loop {
            let (dx, dy) = (to.0 - from.0, to.1 - from.1);
            let length = (dx * dx + dy * dy).sqrt();
            let step = left.min(length);
            if length > 0.0 {
                from = (from.0 + dx * step / length, from.1 + dy * step / length);
            }
            if is_on && let Some(piece) = found.last_mut() {
                piece.push(whole(from));
            }
            left -= step;
            if left > 0.0 {
                break;
            }
            is_on = !is_on;
            left = if is_on { on } else { off };
            if is_on {
                found.push(vec![whole(from)]);
            }
        }
    }
    found
}

/// A piece of the line, then its name.
fn sample(scene: &mut Scene, line: &Series, (x, y): (i32, i32)) -> Rect {
    let middle = y + line_height(SIZE) / 2;
    stroke(scene, &[(x, middle), (x + SAMPLE, middle)], line);
    let name = Line::new(line.name.as_str(), SIZE, Anchor::Start, (x + SAMPLE + 6, y));
    let rect = name.rect;
    scene.lines.push(name);
    rect
}

/// Names beside the ends of the lines, moved apart where they would touch.
fn name_ends(scene: &mut Scene, mut ends: Vec<(i32, &Series)>, area: Rect) {
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
    for ((_, line), top) in ends.into_iter().zip(tops) {
        sample(scene, line, (area.x1 + 4, top));
    }
}

/// Names above the plot; returns the bottom of the last row.
fn list_names(scene: &mut Scene, plot: &Plot, y: i32) -> i32 {
    let (mut x, mut y) = (MARGIN, y);
    for line in &plot.series {
        let need = SAMPLE + 6 + text::width(&line.name, Face::Sans, SIZE);
        if x + need > scene.width - MARGIN && x > MARGIN {
            x = MARGIN;
            y += line_height(SIZE) + 2;
        }
        x = sample(scene, line, (x, y)).x1 + 14;
    }
    y + line_height(SIZE)
}

/// Places as wide as a finger needs, each reading out the point in its middle.
fn readouts(plot: &Plot, x: &Scale, area: Rect) -> Vec<Region> {
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
            label: plot.readouts.get(at).cloned().unwrap_or_default(),
            x: from,
            y: f64::from(area.y0),
            width: (to - from).max(1.0),
            height: f64::from(PLOT),
        });
    }
    regions
}
