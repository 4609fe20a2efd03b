//! Records by arrival and event time, the watermark as a staircase, windows as boxes that open,
//! fire, fire again and close.

use std::collections::BTreeMap;

use serde::Serialize;

use super::axis::TICK_SIZE;
use super::backend::Anchor;
use super::hatch::Hatch;
use super::memory_bar::{WIDTH_MAX, WIDTH_MIN, WIDTH_NESTED};
use super::scene::{Line, Rect, Scene, Shape, line_height};
use super::text::{self, Face};
use super::theme::{Paint, Theme, Tone};
use super::{Chart, ChartError, Region};
use crate::event_time::report::{EventTimeReport, RecordOutcome, Row, WindowLife};
use crate::event_time::signal::Signal;
use crate::event_time::time::EventTime;

pub mod marks;
pub mod scale;
pub mod words;

use marks::HALF;
use scale::{TimeAxis, TimeScale};

/// The most rows that are drawn at once; those up to the current one.
pub const ROWS_MAX: usize = 120;
/// The most boxes.
const BOXES_MAX: usize = 80;
/// The height of the plot (px).
const PLOT: i32 = 300;
/// Free space around the drawing (px).
const MARGIN: i32 = 12;
/// The font size of names (px).
const SIZE: u32 = 12;

/// A box: one window, for all keys that have it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct WindowBox {
    start: EventTime,
    end: EventTime,
    opened: usize,
    /// The row from which on it is kept for late records only.
    passed: Option<usize>,
    closed: Option<usize>,
    fired: Vec<(usize, bool)>,
    keys: u32,
}

/// A drawing, and its axis of event time: a record that is moved in the picture gets another time.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LanesChart {
    /// The drawing.
    #[serde(flatten)]
    pub chart: Chart,
    /// Where which time lies.
    pub time_axis: TimeAxis,
}

/// Draws a run up to row `upto`, or all of it, `width` px wide.
pub fn draw(
    report: &EventTimeReport,
    upto: Option<usize>,
    theme: Theme,
    width: u32,
) -> Result<LanesChart, ChartError> {
    let (scene, regions, time_axis) = layout(report, upto, width)?;
    let rows = report.rows.len();
    let shown = upto.map_or(rows, |upto| (upto + 1).min(rows));
    let chart = Chart {
        svg: scene.to_svg(theme)?,
        width,
        height: scene.height.unsigned_abs(),
        description: format!(
            "Event time against order of arrival, step {shown} of {rows}. {}",
            report.verdict
        ),
        regions,
    };
    Ok(LanesChart { chart, time_axis })
}

/// Where everything lies, and the places that answer to a pointer.
pub fn layout(
    report: &EventTimeReport,
    upto: Option<usize>,
    width: u32,
) -> Result<(Scene, Vec<Region>, TimeAxis), ChartError> {
    if !(WIDTH_MIN..=WIDTH_MAX).contains(&width) {
        return Err(ChartError::Width { width });
    }
    if report.rows.is_empty() {
        return Err(ChartError::NothingToDraw);
    }
    let last = upto.unwrap_or(usize::MAX).min(report.rows.len() - 1);
    let from = (last + 1).saturating_sub(ROWS_MAX);
    let to = (from + ROWS_MAX).min(report.rows.len());
    let boxes = boxes(report, from, to);
    let mut scene = Scene::new(width as i32);
    let legend_end = legend(&mut scene, width >= WIDTH_NESTED);
    let top = legend_end + 10 + line_height(TICK_SIZE);
    let bottom = top + PLOT;
    let scale = TimeScale::new(times(&report.rows[from..to], &boxes), top, bottom)
        .ok_or(ChartError::NothingToDraw)?;
    let axis = scale.axis();
    let ticks = scale.ticks(38);
    let labels = ticks.iter().map(|(_, label)| text::width(label, Face::Sans, TICK_SIZE)).max();
    let area = Rect::new(MARGIN + labels.unwrap_or(0) + 8, top, width as i32 - MARGIN, bottom);
    let mut lanes = Lanes { report, scene, scale, area, from, to, last };
    lanes.axes(&ticks);
    lanes.current_row();
    for window in &boxes {
        lanes.window(window);
    }
    lanes.watermark();
    lanes.marks(&boxes);
    lanes.scene.height = bottom + 2 * line_height(TICK_SIZE) + 14;
    let regions = lanes.regions();
    Ok((lanes.scene, regions, axis))
}

/// Names of shapes and lines, above the plot; returns where they end.
fn legend(scene: &mut Scene, is_wide: bool) -> i32 {
    const ENTRIES: [(&str, Option<Option<RecordOutcome>>); 6] = [
        ("on time", Some(Some(RecordOutcome::OnTime))),
        ("late but counted", Some(Some(RecordOutcome::Late))),
        ("dropped", Some(Some(RecordOutcome::Dropped))),
        ("result", None),
        ("repeated result", None),
        ("watermark", None),
    ];
    let (mut x, mut y) = (MARGIN, 8);
    for (at, (name, outcome)) in ENTRIES.into_iter().enumerate() {
        let length = 18 + text::width(name, Face::Sans, SIZE) + 14;
        if x + length > scene.width && x > MARGIN {
            (x, y) = (MARGIN, y + line_height(SIZE) + if is_wide { 2 } else { 4 });
        }
        let middle = (x + HALF + 1, y + line_height(SIZE) / 2);
        match outcome {
            Some(outcome) => scene.shapes.extend(marks::record(outcome, middle)),
            None if at == 5 => scene.shapes.push(Shape::Path {
                points: vec![(x, middle.1), (x + 13, middle.1)],
                thick: 2,
                paint: Paint::Tone(Tone::Text),
            }),
            None => scene.shapes.push(marks::firing(at == 4, middle)),
        }
        scene.lines.push(Line::new(name, SIZE, Anchor::Start, (x + 18, y)));
        x += length;
    }
    y + line_height(SIZE)
}

/// All finite times that must lie in the plot.
fn times<'a>(rows: &'a [Row], boxes: &'a [WindowBox]) -> impl Iterator<Item = i64> + 'a {
    let is_finite = |time: &EventTime| *time != EventTime::MIN && *time != EventTime::MAX;
    let records = rows.iter().filter_map(|row| row.record.as_ref()).map(|record| record.time);
    let watermarks = rows.iter().map(|row| row.watermark_after).chain(rows.iter().filter_map(sent));
    let windows = boxes.iter().flat_map(|window| [window.start, window.end]);
    records.chain(watermarks).chain(windows).filter(is_finite).map(EventTime::get)
}

/// The watermark that the input has a source subtask send in this row.
fn sent(row: &Row) -> Option<EventTime> {
    match row.signal.as_ref()?.signal {
        Signal::Watermark { watermark } => Some(watermark),
        Signal::Status { .. } => None,
    }
}

/// Windows of all keys, one box for the same bounds.
fn boxes(report: &EventTimeReport, from: usize, to: usize) -> Vec<WindowBox> {
    let mut found: BTreeMap<(EventTime, EventTime), WindowBox> = BTreeMap::new();
    let passed = |life: &WindowLife| {
        let due = EventTime::ms(life.end.get().wrapping_sub(1));
        report.rows.iter().position(|row| row.watermark_after >= due)
    };
    for life in &report.windows {
        let opened = life.opened as usize;
        let closed = life.closed.map(|row| row as usize);
        if opened >= to || closed.is_some_and(|closed| closed < from) {
            continue;
        }
        let fired = life.fired.iter().enumerate().map(|(nth, row)| (*row as usize, nth > 0));
        let entry = found.entry((life.start, life.end)).or_insert_with(|| WindowBox {
            start: life.start,
            end: life.end,
            opened,
            passed: passed(life),
            closed,
            fired: Vec::new(),
            keys: 0,
        });
        entry.opened = entry.opened.min(opened);
        entry.closed = entry.closed.zip(closed).map(|(a, b)| a.max(b));
        entry.fired.extend(fired);
        entry.keys += 1;
        if found.len() >= BOXES_MAX {
            break;
        }
    }
    found.into_values().collect()
}

/// A picture in the making.
struct Lanes<'a> {
    report: &'a EventTimeReport,
    scene: Scene,
    scale: TimeScale,
    area: Rect,
    from: usize,
    to: usize,
    /// The last row that has happened.
    last: usize,
}

impl Lanes<'_> {
    /// The middle of a row (px); the first row has some room on its left.
    fn x(&self, row: usize) -> i32 {
        let slots = (self.to - self.from) as f64;
        let at = row.clamp(self.from, self.to) - self.from;
        self.area.x0 + ((at as f64 + 0.5) / slots * f64::from(self.area.width())).round() as i32
    }

    fn left(&self, row: usize) -> i32 {
        let slots = (self.to - self.from) as f64;
        let at = row.clamp(self.from, self.to) - self.from;
        self.area.x0 + (at as f64 / slots * f64::from(self.area.width())).round() as i32
    }

    fn axes(&mut self, ticks: &[(i64, String)]) {
        let muted = Paint::Tone(Tone::Muted);
        let Rect { x0, y0, x1, y1 } = self.area;
        for (time, label) in ticks {
            let y = self.scale.y(EventTime::ms(*time));
            self.scene
                .shapes
                .push(Shape::Fill(Rect::new(x0, y, x1, y + 1), Paint::Tone(Tone::Hairline)));
            let at = (x0 - 6, y - line_height(TICK_SIZE) / 2);
            self.scene.lines.push(Line::new(label, TICK_SIZE, Anchor::End, at).painted(muted));
        }
        self.scene.shapes.push(Shape::Fill(Rect::new(x0, y1, x1, y1 + 1), muted));
        let above = (MARGIN, y0 - line_height(TICK_SIZE) - 4);
        self.scene
            .lines
            .push(Line::new("Event time", TICK_SIZE, Anchor::Start, above).painted(muted));
        let below = (x1, y1 + line_height(TICK_SIZE) + 6);
        let title = "Records in order of arrival";
        self.scene.lines.push(Line::new(title, TICK_SIZE, Anchor::End, below).painted(muted));
        self.names();
    }

    /// Names of records under the axis, as many as fit.
    fn names(&mut self) {
        let mut free_from = self.area.x0;
        for row in self.from..self.to {
            let Some(record) = &self.report.rows[row].record else { continue };
            let name: String = record.id.chars().take(12).collect();
            let at = (self.x(row), self.area.y1 + 4);
            let line = Line::new(name, TICK_SIZE, Anchor::Middle, at);
            if line.rect.x0 >= free_from && line.rect.x1 <= self.scene.width {
                free_from = line.rect.x1 + 6;
                let is_current = row == self.last;
                let line = if is_current { line.bold() } else { line };
                self.scene.lines.push(line);
            }
        }
    }

    /// A ground behind the row that happens now, where the run is not shown whole.
    fn current_row(&mut self) {
        if self.last + 1 == self.report.rows.len() {
            return;
        }
        let Rect { y0, y1, .. } = self.area;
        let column = Rect::new(self.left(self.last), y0, self.left(self.last + 1), y1);
        self.scene.shapes.push(Shape::Fill(column, Paint::Tone(Tone::Panel)));
    }

    /// A box as far as it has come.
    fn window(&mut self, window: &WindowBox) {
        if window.opened > self.last {
            return;
        }
        let (top, bottom) = (self.scale.y(window.end), self.scale.y(window.start));
        let closed = window.closed.filter(|row| *row <= self.last);
        let end = closed.map_or_else(|| self.left(self.last + 1), |row| self.x(row));
        let whole = Rect::new(self.left(window.opened) + 1, top, end, bottom);
        if whole.width() <= 0 || whole.height() <= 0 {
            return;
        }
        // What is kept for late records only is hatched.
        if let Some(passed) = window.passed.filter(|row| *row <= self.last) {
            let area = Rect { x0: self.x(passed).clamp(whole.x0, whole.x1), ..whole };
            self.scene.shapes.push(Shape::Lines {
                area,
                hatch: Hatch::Rising,
                step: 8,
                thick: 1,
                paint: Paint::Tone(Tone::Late),
                alpha: 0.5,
            });
        }
        let tone = if closed.is_some() { Tone::Muted } else { Tone::Open };
        self.scene.shapes.push(Shape::Frame(whole, Paint::Tone(tone)));
        self.window_name(window, whole);
    }

    fn window_name(&mut self, window: &WindowBox, whole: Rect) {
        let mut name = words::short_bounds(window.start, window.end);
        if window.keys > 1 {
            name.push_str(&format!(" · {} keys", window.keys));
        }
        let line = Line::new(name, TICK_SIZE, Anchor::Start, (whole.x0 + 4, whole.y0 + 1))
            .painted(Paint::Tone(Tone::Muted));
        let is_free = self.scene.lines.iter().all(|other| !other.rect.overlaps(line.rect));
        let is_inside = whole.contains(line.rect);
        if is_free && is_inside {
            self.scene.lines.push(line);
        }
    }

    fn watermark(&mut self) {
        let mut points: Vec<(i32, i32)> = Vec::new();
        for row in self.from..=self.last {
            let Row { watermark_before, watermark_after, .. } = self.report.rows[row];
            let x = self.x(row);
            if points.is_empty() && watermark_before != EventTime::MIN {
                points.push((self.left(row), self.scale.y(watermark_before)));
            }
            if let Some(&(_, y)) = points.last() {
                points.push((x, y));
            }
            if watermark_after != watermark_before {
                points.push((x, self.scale.y(watermark_after)));
            }
        }
        if let Some(&(_, y)) = points.last() {
            points.push((self.left(self.last + 1), y));
            let paint = Paint::Tone(Tone::Text);
            self.scene.shapes.push(Shape::Path { points, thick: 2, paint });
        }
    }

    fn marks(&mut self, boxes: &[WindowBox]) {
        for window in boxes {
            let y = self.scale.y(window.end);
            for (row, is_refire) in &window.fired {
                if (self.from..=self.last).contains(row) {
                    let at = (self.x(*row), y);
                    self.scene.shapes.push(marks::firing(*is_refire, at));
                }
            }
        }
        for row in self.from..=self.last {
            if let Some(record) = &self.report.rows[row].record {
                let at = (self.x(row), self.scale.y(record.time));
                self.scene.shapes.extend(marks::record(record.outcome, at));
            }
            let signal = self.report.rows[row].signal.as_ref().map(|it| it.signal);
            match signal {
                Some(Signal::Watermark { watermark }) => {
                    let at = (self.x(row), self.scale.y(watermark));
                    self.scene.shapes.extend(marks::watermark(at));
                }
                // A status has no time: it stands on the axis.
                Some(Signal::Status { status }) => {
                    let at = (self.x(row), self.area.y1);
                    self.scene.shapes.push(marks::status(status, at));
                }
                None => {}
            }
        }
    }

    /// A column for each row that has happened.
    fn regions(&self) -> Vec<Region> {
        let Rect { y0, y1, .. } = self.area;
        (self.from..=self.last)
            .map(|row| {
                let (x0, x1) = (self.left(row), self.left(row + 1));
                Region {
                    id: format!("row-{row}"),
                    label: words::row(&self.report.rows[row]),
                    x: f64::from(x0),
                    y: f64::from(y0),
                    width: f64::from(x1 - x0),
                    height: f64::from(y1 - y0),
                }
            })
            .collect()
    }
}
