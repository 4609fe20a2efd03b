//! Rows of phases under one time axis: a checkpoint by subtask.
//!
//! A phase has a colour and, where it is one of those that block something, a pattern. A phase that
//! lies inside another is a strip along the lower edge of the row.

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

/// The most rows that are drawn; a job of 200 by 200 has more, and its table has all of them.
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

/// Params of the question.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DrawTimelineParams {
    /// The rows.
    pub timeline: Timeline,
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
    let value = draw(&params.timeline, params.theme, params.width)?;
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

/// Draws the rows, `width` px wide.
///
/// # Errors
/// No rows, or a width that no layout is made for.
pub fn draw(timeline: &Timeline, theme: Theme, width: u32) -> Result<Chart, ChartError> {
    draw_over(timeline, SINCE_TRIGGER, &[], theme, width)
}

/// The same with another title of the time axis, and where the same rows of a pinned run end [ms].
pub(super) fn draw_over(
    timeline: &Timeline,
    title: &str,
    ends: &[Option<u64>],
    theme: Theme,
    width: u32,
) -> Result<Chart, ChartError> {
    let (scene, regions) = layout_over(timeline, title, ends, width)?;
    Ok(Chart {
        svg: scene.to_svg(theme)?,
        width,
        height: scene.height.unsigned_abs(),
        description: description(timeline),
        regions,
    })
}

fn description(timeline: &Timeline) -> String {
    let count = timeline.rows.len();
    let subtasks = if count == 1 { "subtask" } else { "subtasks" };
    let cut = match count > ROWS_MAX {
        true => format!(", of which the first {ROWS_MAX} are drawn"),
        false => String::new(),
    };
    let slowest = timeline.rows.iter().find(|row| row.is_slowest);
    let last = slowest.map_or_else(String::new, |row| format!(" The last is {}.", label(row)));
    format!(
        "{count} {subtasks}{cut}, from the trigger to {}.{last}",
        ms_in_words(timeline.end_ms())
    )
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
pub fn layout(timeline: &Timeline, width: u32) -> Result<(Scene, Vec<Region>), ChartError> {
    layout_over(timeline, SINCE_TRIGGER, &[], width)
}

fn layout_over(
    timeline: &Timeline,
    title: &str,
    ends: &[Option<u64>],
    width: u32,
) -> Result<(Scene, Vec<Region>), ChartError> {
    if !(WIDTH_MIN..=WIDTH_MAX).contains(&width) {
        return Err(ChartError::Width { width });
    }
    if timeline.rows.is_empty() {
        return Err(ChartError::NothingToDraw);
    }
    let rows = &timeline.rows[..timeline.rows.len().min(ROWS_MAX)];
    let mut scene = Scene::new(width as i32);
    let ends = &ends[..ends.len().min(rows.len())];
    let last_end = ends.iter().flatten().copied().max();
    let top = legend(&mut scene, rows, last_end.is_some(), width >= WIDTH_NESTED) + 8;
    let widest = scene.width * NAMES_PERCENT / 100;
    let face = |row: &TimelineRow| if row.is_slowest { Face::SansBold } else { Face::Sans };
    let names = rows.iter().map(|row| text::width(&row_name(row), face(row), SIZE)).max();
    let x0 = MARGIN + names.unwrap_or(0).min(widest) + 8;
    let x1 = scene.width - MARGIN;
    let room = if timeline.marks.is_empty() { 0 } else { line_height(TICK_SIZE) };
    let y0 = top + room;
    let area = Rect::new(x0, y0, x1, y0 + rows.len() as i32 * ROW);
    let axis = Axis { end_ms: timeline.end_ms().max(last_end.unwrap_or(0)).max(1), x0, x1 };
    ticks(&mut scene, &axis, area, title);
    let mut regions = Vec::new();
    for (place, row) in (0..).zip(rows) {
        let y = y0 + place * ROW;
        let line = Rect::new(MARGIN, y, x1, y + ROW);
        draw_row(&mut scene, &axis, row, line);
        let end = ends.get(place as usize).copied().flatten();
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
fn legend(scene: &mut Scene, rows: &[TimelineRow], has_ends: bool, is_wide: bool) -> i32 {
    let mut phases: Vec<Phase> =
        rows.iter().flat_map(|row| &row.spans).map(|span| span.phase).collect();
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
mod tests {
    use super::*;
    use crate::checkpoint::timeline::{SubtaskTimes, TimelineMark};

    fn row(index: u32, times: SubtaskTimes) -> TimelineRow {
        TimelineRow {
            id: format!("op-{index}"),
            group: "window sum -> sink: Writer".to_owned(),
            name: index.to_string(),
            spans: times.spans(),
            is_slowest: index == 1,
        }
    }

    fn sample() -> Timeline {
        let aligned = SubtaskTimes {
            start_delay_ms: 1016,
            alignment_ms: 3098,
            sync_ms: 2,
            async_ms: 20,
            end_to_end_ms: 4140,
            unaligned: false,
        };
        let switched = SubtaskTimes {
            start_delay_ms: 8,
            alignment_ms: 1992,
            sync_ms: 0,
            async_ms: 1000,
            end_to_end_ms: 2007,
            unaligned: true,
        };
        Timeline {
            rows: vec![row(0, switched), row(1, aligned)],
            marks: vec![TimelineMark {
                at_ms: 1000,
                name: "aligned-checkpoint-timeout".to_owned(),
                is_danger: false,
            }],
        }
    }

    #[test]
    fn bars_are_to_scale_and_texts_inside_at_any_width() {
        for width in [280, 390, 640, 1200, 2000] {
            let (scene, regions) = layout(&sample(), width).unwrap();
            for line in &scene.lines {
                assert!(scene.bounds().contains(line.rect), "{} at {width}", line.text);
            }
            for (i, a) in scene.lines.iter().enumerate() {
                for b in &scene.lines[i + 1..] {
                    assert!(!a.rect.overlaps(b.rect), "{} on {} at {width}", a.text, b.text);
                }
            }
            assert_eq!(regions.len(), 2);
            let bars: Vec<Rect> = scene
                .shapes
                .iter()
                .filter_map(|shape| match shape {
                    Shape::Fill(rect, Paint::Tone(Tone::Aligned)) if rect.height() == BAR => {
                        Some(*rect)
                    }
                    _ => None,
                })
                .collect();
            let ratio = f64::from(bars[1].width()) / f64::from(bars[0].width());
            assert!((ratio - 3098.0 / 999.0).abs() < 0.2, "{ratio} at {width}");
        }
    }

    #[test]
    fn a_strip_lies_inside_its_row() {
        let (scene, regions) = layout(&sample(), 800).unwrap();
        let strip = scene.shapes.iter().find_map(|shape| match shape {
            Shape::Fill(rect, Paint::Tone(Tone::Unaligned)) if rect.height() == STRIP => {
                Some(*rect)
            }
            _ => None,
        });
        let strip = strip.unwrap();
        assert!(f64::from(strip.y0) > regions[0].y);
        assert!(f64::from(strip.y1) < regions[0].y + regions[0].height);
        assert!(regions[0].label.contains("overtaking 993 ms"), "{}", regions[0].label);
    }

    #[test]
    fn the_pinned_run_s_ends_lie_on_the_axis_that_reaches_them() {
        let ends = [Some(8280), None];
        let (scene, regions) = layout_over(&sample(), SINCE_TRIGGER, &ends, 800).unwrap();
        let is_end = |shape: &&Shape| matches!(shape, Shape::Fill(rect, Paint::Tone(Tone::Text)) if rect.height() == BAR + 4);
        // One in the legend, one on the row.
        assert_eq!(scene.shapes.iter().filter(is_end).count(), 2);
        assert!(regions[0].label.ends_with(". A: until 8.28 s"), "{}", regions[0].label);
        assert!(!regions[1].label.contains("A:"), "{}", regions[1].label);
        let longest = scene.shapes.iter().filter_map(|shape| match shape {
            Shape::Fill(rect, Paint::Tone(Tone::Aligned)) => Some(rect.x1),
            _ => None,
        });
        // The axis is nearly twice as long as this run's own last row.
        let middle = (regions[0].x + regions[0].width) as i32 - 280;
        assert!(longest.max().unwrap() < middle);
        assert!(scene.lines.iter().any(|line| line.text == END_OF_A));
    }

    #[test]
    fn what_cannot_be_drawn_is_said() {
        assert_eq!(layout(&Timeline::default(), 800).unwrap_err(), ChartError::NothingToDraw);
        assert_eq!(layout(&sample(), 100).unwrap_err(), ChartError::Width { width: 100 });
        let many = Timeline { rows: vec![sample().rows[0].clone(); 600], marks: Vec::new() };
        let chart = draw(&many, Theme::Dark, 600).unwrap();
        assert!(chart.description.contains("the first 128"), "{}", chart.description);
        let mut endless = sample();
        endless.rows[0].spans[0].end_ms = u64::MAX;
        assert!(draw(&endless, Theme::Light, 600).is_ok());
        endless.rows[0].spans[0] = Span { phase: Phase::Sync, start_ms: 9, end_ms: 3 };
        assert!(draw(&endless, Theme::Light, 600).is_ok());
    }
}
