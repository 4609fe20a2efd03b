//! Rows of phases under one time axis: a checkpoint by subtask.
//!
//! A phase has a colour and, where it is one of those that block something, a pattern. A phase that
//! lies inside another is a strip along the lower edge of the row.

use std::cmp::Reverse;

use serde::Deserialize;

use super::axis::TICK_SIZE;
use super::backend::Anchor;
use super::hatch::Hatch;
use super::memory_bar::{WIDTH_MAX, WIDTH_MIN, WIDTH_NESTED};
use super::scale::ms_in_words;
use super::scene::{Line, Rect, Scene, Shape, line_height};
use super::text::{self, Face};
use super::theme::{Paint, Theme, Tone};
use super::{Chart, ChartError, Region};
use crate::checkpoint::timeline::{Phase, Span, Timeline, TimelineRow};
use crate::finding::Derivation;

/// The most rows that are drawn; of more, as a job of 200 by 200 has, those that took longest.
pub const ROWS_MAX: usize = 128;
/// The font size of names (px).
const SIZE: u32 = 12;
/// Free space around the drawing (px).
const MARGIN: i32 = 12;
/// The height of a row (px); WCAG 2.2, 2.5.8 asks for targets of 24.
const ROW: i32 = 24;
/// The height of a bar (px).
const BAR: i32 = 16;
/// The height of a strip inside a bar (px).
const STRIP: i32 = 6;
/// The widest column of names, in hundredths of the drawing.
const NAMES_PERCENT: i32 = 34;

/// What the legend calls the end of a row of the pinned run.
const END_OF_A: &str = "end in A";
/// The title of the time axis of one checkpoint.
pub(super) const SINCE_TRIGGER: &str = "Time since the trigger";

/// How rows follow each other.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RowOrder {
    /// As they are given: by task, from the sources on.
    #[default]
    Given,
    /// The one that took longest first.
    Slowest,
}

/// Params of the question.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DrawTimelineParams {
    /// The rows.
    pub timeline: Timeline,
    /// How they follow each other.
    #[serde(default)]
    pub order: RowOrder,
    /// Colours for a light or a dark surface.
    pub theme: Theme,
    /// Width (px), 280 to 2000.
    pub width: u32,
}

/// Draws a checkpoint by subtask.
///
/// # Errors
/// No rows, or a width that no layout is made for.
pub fn draw_timeline(params: &DrawTimelineParams) -> Result<Derivation<Chart>, ChartError> {
    let rows = Rows { timeline: &params.timeline, order: params.order, ends: &[] };
    let value = draw_over(rows, SINCE_TRIGGER, params.theme, params.width)?;
    Ok(Derivation { value, findings: Vec::new() })
}

/// The name of a phase.
pub const fn name(phase: Phase) -> &'static str {
    match phase {
        Phase::StartDelay => "start delay",
        Phase::Alignment => "alignment",
        Phase::Overtaking => "overtaking",
        Phase::Sync => "sync",
        Phase::Async => "async",
        Phase::Rest => "messages",
        Phase::Pending => "not acknowledged",
    }
}

const fn tone(phase: Phase) -> Tone {
    match phase {
        Phase::StartDelay => Tone::StartDelay,
        Phase::Alignment => Tone::Aligned,
        Phase::Overtaking => Tone::Unaligned,
        Phase::Sync => Tone::SyncPart,
        Phase::Async => Tone::AsyncPart,
        Phase::Rest => Tone::Muted,
        Phase::Pending => Tone::Danger,
    }
}

/// The pattern that tells phases apart without colour.
const fn hatch(phase: Phase) -> Option<Hatch> {
    match phase {
        Phase::Alignment => Some(Hatch::Rising),
        Phase::Overtaking | Phase::Rest => Some(Hatch::Vertical),
        Phase::Sync => Some(Hatch::Horizontal),
        Phase::Pending => Some(Hatch::Falling),
        Phase::StartDelay | Phase::Async => None,
    }
}

/// What is drawn.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rows<'a> {
    /// The rows.
    pub timeline: &'a Timeline,
    /// How they follow each other.
    pub order: RowOrder,
    /// Where the same rows of a pinned run end [ms].
    pub ends: &'a [Option<u64>],
}

impl<'a> Rows<'a> {
    /// The rows that are drawn, each with where it ends in the pinned run.
    fn chosen(self) -> Vec<(&'a TimelineRow, Option<u64>)> {
        let end = |place: usize| self.ends.get(place).copied().flatten();
        let rows = self.timeline.rows.iter().enumerate();
        let mut all: Vec<_> = rows.map(|(place, row)| (place, row, end(place))).collect();
        let is_cut = all.len() > ROWS_MAX;
        if is_cut || self.order == RowOrder::Slowest {
            // The one that is named is drawn whatever else took as long.
            all.sort_by_key(|(_, row, _)| Reverse((row.is_slowest, length_ms(row))));
            all.truncate(ROWS_MAX);
        }
        if is_cut && self.order == RowOrder::Given {
            all.sort_by_key(|(place, ..)| *place);
        }
        all.into_iter().map(|(_, row, end)| (row, end)).collect()
    }
}

/// From where its first phase begins to where its last ends.
fn length_ms(row: &TimelineRow) -> u64 {
    let start = row.spans.iter().map(|span| span.start_ms).min().unwrap_or(0);
    let end = row.spans.iter().map(|span| span.end_ms).max().unwrap_or(0);
    end.saturating_sub(start)
}

/// Draws the rows under a time axis with this title, `width` px wide.
///
/// # Errors
/// No rows, or a width that no layout is made for.
pub(super) fn draw_over(
    rows: Rows<'_>,
    title: &str,
    theme: Theme,
    width: u32,
) -> Result<Chart, ChartError> {
    let (scene, regions) = layout(rows, title, width)?;
    Ok(Chart {
        svg: scene.to_svg(theme)?,
        width,
        height: scene.height.unsigned_abs(),
        description: description(rows.timeline),
        regions,
    })
}

fn description(timeline: &Timeline) -> String {
    let count = timeline.rows.len();
    let subtasks = if count == 1 { "subtask" } else { "subtasks" };
    let cut = left_out(count).map_or_else(String::new, |left| {
        format!(", of which the {ROWS_MAX} that took longest are drawn and {left} are left out")
    });
    let slowest = timeline.rows.iter().find(|row| row.is_slowest);
    let last = slowest.map_or_else(String::new, |row| format!(" The last is {}.", label(row)));
    format!(
        "{count} {subtasks}{cut}, from the trigger to {}.{last}",
        ms_in_words(timeline.end_ms())
    )
}

/// How many of so many rows are not drawn.
fn left_out(count: usize) -> Option<usize> {
    count.checked_sub(ROWS_MAX).filter(|left| *left > 0)
}

/// A row in words.
fn label(row: &TimelineRow) -> String {
    let spans: Vec<String> = row
        .spans
        .iter()
        .map(|span| {
            format!(
                "{} {}",
                name(span.phase),
                ms_in_words(span.end_ms.saturating_sub(span.start_ms))
            )
        })
        .collect();
    let what = if spans.is_empty() { "nothing known".to_owned() } else { spans.join(", ") };
    format!("{} {}: {what}", row.group, row.name)
}

/// Where everything lies, and the places that answer to a pointer.
fn layout(drawn: Rows<'_>, title: &str, width: u32) -> Result<(Scene, Vec<Region>), ChartError> {
    if !(WIDTH_MIN..=WIDTH_MAX).contains(&width) {
        return Err(ChartError::Width { width });
    }
    let timeline = drawn.timeline;
    if timeline.rows.is_empty() {
        return Err(ChartError::NothingToDraw);
    }
    let rows = drawn.chosen();
    let mut scene = Scene::new(width as i32);
    let last_end = rows.iter().filter_map(|(_, end)| *end).max();
    let mut top = legend(&mut scene, &rows, last_end.is_some(), width >= WIDTH_NESTED) + 8;
    if let Some(left) = left_out(timeline.rows.len()) {
        let words = format!("The {ROWS_MAX} slowest; {left} are left out");
        let line = Line::new(words, TICK_SIZE, Anchor::Start, (MARGIN, top - 4));
        scene.lines.push(line.painted(Paint::Tone(Tone::Muted)));
        top += line_height(TICK_SIZE);
    }
    let widest = scene.width * NAMES_PERCENT / 100;
    let face = |row: &TimelineRow| if row.is_slowest { Face::SansBold } else { Face::Sans };
    let names = rows.iter().map(|(row, _)| text::width(&row_name(row), face(row), SIZE)).max();
    let x0 = MARGIN + names.unwrap_or(0).min(widest) + 8;
    let x1 = scene.width - MARGIN;
    let room = if timeline.marks.is_empty() { 0 } else { line_height(TICK_SIZE) };
    let y0 = top + room;
    let area = Rect::new(x0, y0, x1, y0 + rows.len() as i32 * ROW);
    let axis = Axis { end_ms: timeline.end_ms().max(last_end.unwrap_or(0)).max(1), x0, x1 };
    ticks(&mut scene, &axis, area, title);
    let mut regions = Vec::new();
    for (place, (row, end)) in (0..).zip(rows) {
        let y = y0 + place * ROW;
        let line = Rect::new(MARGIN, y, x1, y + ROW);
        draw_row(&mut scene, &axis, row, line);
        if let Some(ms) = end {
            end_mark(&mut scene, axis.x(ms), y + ROW / 2);
        }
        let of_a = end.map_or_else(String::new, |ms| format!(". A: until {}", ms_in_words(ms)));
        regions.push(Region {
            id: row.id.clone(),
            label: format!("{}{of_a}", label(row)),
            x: f64::from(line.x0),
            y: f64::from(line.y0),
            width: f64::from(line.width()),
            height: f64::from(line.height()),
        });
    }
    marks(&mut scene, &axis, timeline, area);
    scene.height = area.y1 + 2 * line_height(TICK_SIZE) + 10;
    Ok((scene, regions))
}

fn row_name(row: &TimelineRow) -> String {
    format!("{} {}", row.group, row.name)
}

/// The phases that occur, above the rows; returns where they end.
fn legend(
    scene: &mut Scene,
    rows: &[(&TimelineRow, Option<u64>)],
    has_ends: bool,
    is_wide: bool,
) -> i32 {
    let mut phases: Vec<Phase> =
        rows.iter().flat_map(|(row, _)| &row.spans).map(|span| span.phase).collect();
    phases.sort_unstable();
    phases.dedup();
    let entries = phases.into_iter().map(Some).chain(has_ends.then_some(None));
    let (mut x, mut y) = (MARGIN, 8);
    for phase in entries {
        let words = phase.map_or(END_OF_A, name);
        let length = 20 + text::width(words, Face::Sans, SIZE) + 14;
        if x + length > scene.width && x > MARGIN {
            (x, y) = (MARGIN, y + line_height(SIZE) + if is_wide { 2 } else { 4 });
        }
        match phase {
            Some(phase) => bar(scene, phase, Rect::new(x, y + 2, x + 14, y + 14)),
            None => end_mark(scene, x + 7, y + 8),
        }
        scene.lines.push(Line::new(words, SIZE, Anchor::Start, (x + 20, y)));
        x += length;
    }
    y + line_height(SIZE)
}

fn draw_row(scene: &mut Scene, axis: &Axis, row: &TimelineRow, line: Rect) {
    let most = axis.x0 - 8 - MARGIN;
    if let Some(name) = text::ellipsize(&row_name(row), Face::Sans, SIZE, most) {
        let at = (MARGIN, line.y0 + (ROW - line_height(SIZE)) / 2);
        let name = Line::new(name, SIZE, Anchor::Start, at);
        // A bold name is wider than the column was measured for.
        let bold = name.clone().bold();
        let has_room = bold.rect.width() <= most;
        scene.lines.push(if row.is_slowest && has_room { bold } else { name });
    }
    let (y0, y1) = (line.y0 + (ROW - BAR) / 2, line.y0 + (ROW + BAR) / 2);
    // What lies inside another phase is painted over it.
    let (inside, plain): (Vec<&Span>, Vec<&Span>) =
        row.spans.iter().partition(|span| span.phase == Phase::Overtaking);
    for span in plain.into_iter().chain(inside) {
        let (x0, x1) = (axis.x(span.start_ms), axis.x(span.end_ms));
        let top = if span.phase == Phase::Overtaking { y1 - STRIP } else { y0 };
        bar(scene, span.phase, Rect::new(x0, top, x1.max(x0 + 1), y1));
    }
}

/// Where a row of the pinned run ends: an upright line with feet, in a ground of its own, so that it
/// is seen on a bar and off it.
fn end_mark(scene: &mut Scene, x: i32, middle: i32) {
    let (y0, y1) = (middle - BAR / 2 - 2, middle + BAR / 2 + 2);
    let lines = [
        Rect::new(x - 1, y0, x + 1, y1),
        Rect::new(x - 4, y0, x + 4, y0 + 2),
        Rect::new(x - 4, y1 - 2, x + 4, y1),
    ];
    for line in lines {
        scene.shapes.push(Shape::Fill(line.grown(1, 1), Paint::Tone(Tone::Surface)));
    }
    for line in lines {
        scene.shapes.push(Shape::Fill(line, Paint::Tone(Tone::Text)));
    }
}

fn bar(scene: &mut Scene, phase: Phase, rect: Rect) {
    let tone = tone(phase);
    scene.shapes.push(Shape::Fill(rect, Paint::Tone(tone)));
    if let Some(hatch) = hatch(phase) {
        let paint = Paint::Beneath(tone);
        scene.shapes.push(Shape::Lines {
            area: rect,
            hatch,
            step: 6,
            thick: 1,
            paint,
            alpha: 0.55,
        });
    }
}

fn ticks(scene: &mut Scene, axis: &Axis, area: Rect, title: &str) {
    let muted = Paint::Tone(Tone::Muted);
    for (ms, label) in axis.ticks() {
        let x = axis.x(ms);
        let line = Rect::new(x, area.y0, x + 1, area.y1);
        scene.shapes.push(Shape::Fill(line, Paint::Tone(Tone::Hairline)));
        let at = (axis.middle(ms, &label), area.y1 + 4);
        scene.lines.push(Line::new(label, TICK_SIZE, Anchor::Middle, at).painted(muted));
    }
    scene.shapes.push(Shape::Fill(Rect::new(area.x0, area.y1, area.x1, area.y1 + 1), muted));
    let below = (area.x1, area.y1 + line_height(TICK_SIZE) + 6);
    scene.lines.push(Line::new(title, TICK_SIZE, Anchor::End, below).painted(muted));
}

/// Upright lines with their names above, where the names have room.
fn marks(scene: &mut Scene, axis: &Axis, timeline: &Timeline, area: Rect) {
    for mark in &timeline.marks {
        let x = axis.x(mark.at_ms);
        let paint = Paint::Tone(if mark.is_danger { Tone::Danger } else { Tone::Accent });
        let line = Rect::new(x, area.y0, x + 2, area.y1);
        scene.shapes.push(Shape::Fill(line, paint));
        let y = area.y0 - line_height(TICK_SIZE);
        let right = Line::new(&mark.name, TICK_SIZE, Anchor::Start, (x, y));
        let left = Line::new(&mark.name, TICK_SIZE, Anchor::End, (x + 2, y));
        let fits = |line: &Line| {
            line.rect.x0 >= MARGIN
                && line.rect.x1 <= scene.width - MARGIN
                && scene.lines.iter().all(|other| !other.rect.overlaps(line.rect))
        };
        if let Some(line) = [right, left].into_iter().find(fits) {
            scene.lines.push(line.painted(paint));
        }
    }
}

/// Steps between two ticks up to a minute; from there on twice as long each [ms].
const STEPS: [u64; 15] =
    [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 30_000, 60_000];

/// A linear axis from the trigger to the right.
struct Axis {
    end_ms: u64,
    x0: i32,
    x1: i32,
}

impl Axis {
    fn x(&self, ms: u64) -> i32 {
        let part = ms.min(self.end_ms) as f64 / self.end_ms as f64;
        self.x0 + (part * f64::from(self.x1 - self.x0)).round() as i32
    }

    /// The middle of a label; where the axis ends on a tick, its label would not fit below it.
    fn middle(&self, ms: u64, label: &str) -> i32 {
        let half = text::width(label, Face::Sans, TICK_SIZE) / 2 + 1;
        self.x(ms).min(self.x1 + MARGIN - half)
    }

    /// Round times whose labels stand side by side.
    fn ticks(&self) -> Vec<(u64, String)> {
        let longer = std::iter::successors(Some(120_000_u64), |step| step.checked_mul(2));
        for step in STEPS.into_iter().chain(longer) {
            let count = self.end_ms / step;
            if count > 12 {
                continue;
            }
            let ticks: Vec<(u64, String)> =
                (0..=count).map(|nth| (nth * step, ms_in_words(nth * step))).collect();
            let half = |tick: &(u64, String)| text::width(&tick.1, Face::Sans, TICK_SIZE) / 2 + 6;
            let middle = |tick: &(u64, String)| self.middle(tick.0, &tick.1);
            let apart = |pair: &[(u64, String)]| {
                middle(&pair[0]) + half(&pair[0]) <= middle(&pair[1]) - half(&pair[1])
            };
            if ticks.windows(2).all(apart) {
                return ticks;
            }
        }
        vec![(0, ms_in_words(0))]
    }
}

#[cfg(test)]
mod tests;
