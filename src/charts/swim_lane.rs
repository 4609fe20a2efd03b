//! A run as a swim-lane: job, sink, coordinator, partition and readers side by side, one row a step,
//! with the clocks that run above and the partitions as tapes below. A way of the explorer has no clock:
//! its times are the numbers of its steps. Files have no coordinator.

use super::axis::TICK_SIZE;
use super::backend::Anchor;
use super::memory_bar::{WIDTH_MAX, WIDTH_MIN, WIDTH_NESTED};
use super::scene::{Line, Rect, Scene, Shape, line_height};
use super::text::{self, ELLIPSIS, Face};
use super::theme::{Paint, Theme, Tone};
use super::{Chart, ChartError, Region};
use crate::transaction::lengths::span;
use crate::transaction::moment::{Clock, Stage, clocks};
use crate::transaction::params::SinkKind;
use crate::transaction::report::{
    Actor, StableMove, TapeEntry, TraceStep, Transaction, TransactionReport,
};

mod tape;

/// The most rows that are drawn at once.
pub const ROWS_MAX: usize = 18;
/// The most where each row has its words below its arrow.
pub const ROWS_MAX_NARROW: usize = 10;
/// The font size of names (px).
const SIZE: u32 = 12;
/// Free space around the drawing (px).
const MARGIN: i32 = 12;
/// The height of an arrow's line (px), the least that can be pointed at.
const ROW: i32 = 24;
/// The width of a column (px) from which on names do not touch each other.
const HEAD_MIN: i32 = 70;
/// The most clocks that are drawn.
const CLOCKS_MAX: usize = 4;
const ACTORS: [Actor; 5] =
    [Actor::Job, Actor::Sink, Actor::Coordinator, Actor::Partition, Actor::Readers];

/// What is drawn.
#[derive(Debug, Clone, Copy)]
pub struct Run<'a> {
    /// The steps.
    pub trace: &'a [TraceStep],
    /// The transactions.
    pub transactions: &'a [Transaction],
    /// The logs.
    pub tape: &'a [TapeEntry],
    /// How far readers can read.
    pub stable_offsets: &'a [StableMove],
    /// The steps that break the promise, by their places in the trace.
    pub broken: Option<(usize, usize)>,
    /// What came of it, in a sentence.
    pub because: &'a str,
    /// Times have a length [ms]; otherwise they are numbers of steps.
    pub has_clock: bool,
    /// Where it is written.
    pub sink: SinkKind,
}

impl<'a> Run<'a> {
    /// A scenario by the clock.
    pub fn of(report: &'a TransactionReport, sink: SinkKind) -> Self {
        let broken = report.first_violation.as_ref().and_then(|it| it.trace_index);
        Self {
            trace: &report.trace,
            transactions: &report.transactions,
            tape: &report.tape,
            stable_offsets: &report.stable_offsets,
            broken: broken.map(|at| (at, at)),
            because: &report.because,
            has_clock: true,
            sink,
        }
    }

    /// A time in words.
    fn time(&self, at: u64) -> String {
        if self.has_clock { span(at as i64) } else { format!("step {at}") }
    }

    /// Whether a coordinator takes part.
    fn has_coordinator(&self) -> bool {
        !matches!(self.sink, SinkKind::File | SinkKind::Table)
    }

    /// The name of a lane, and a short one.
    fn name(&self, actor: Actor) -> (&'static str, &'static str) {
        match (actor, self.sink) {
            (Actor::Job, _) => ("Job", "Job"),
            (Actor::Sink, _) => ("Sink", "Sink"),
            (Actor::Coordinator, _) => ("Coordinator", "Coord."),
            (Actor::Partition, SinkKind::File) => ("Files", "Files"),
            (Actor::Partition, SinkKind::Table) => ("Table", "Table"),
            (Actor::Partition, _) => ("Partition", "Part."),
            (Actor::Readers, _) => ("Readers", "Read."),
        }
    }
}

/// Draws a run up to step `upto`, or all of it, `width` px wide.
///
/// # Errors
/// No step, or a width that no layout is made for.
pub fn draw(run: &Run, upto: Option<usize>, theme: Theme, width: u32) -> Result<Chart, ChartError> {
    let (scene, regions) = layout(run, upto, width)?;
    let steps = run.trace.len();
    let shown = upto.map_or(steps, |upto| (upto + 1).min(steps));
    let what = if run.has_clock { "Swim-lane, step" } else { "Swim-lane, row" };
    Ok(Chart {
        svg: scene.to_svg(theme)?,
        width,
        height: scene.height.unsigned_abs(),
        description: format!("{what} {shown} of {steps}. {}", run.because),
        regions,
    })
}

/// Where everything lies, and the places that answer to a pointer.
pub fn layout(
    run: &Run,
    upto: Option<usize>,
    width: u32,
) -> Result<(Scene, Vec<Region>), ChartError> {
    if !(WIDTH_MIN..=WIDTH_MAX).contains(&width) {
        return Err(ChartError::Width { width });
    }
    let Some(end) = run.trace.len().checked_sub(1) else {
        return Err(ChartError::NothingToDraw);
    };
    let last = upto.unwrap_or(end).min(end);
    let now = run.trace[last].at_ms;
    let mut lanes = Lanes::new(width as i32, run);
    let most = if lanes.is_wide { ROWS_MAX } else { ROWS_MAX_NARROW };
    let from = (last + 1).saturating_sub(most);
    let to = (from + most).min(run.trace.len());
    let high = lanes.row_height();
    let mut y = 8;
    if run.has_clock && run.has_coordinator() {
        y = lanes.clocks(&clocks(run.transactions, now), y) + 6;
    }
    y = lanes.heads(run, y);
    lanes.lifelines(y, y + high * (to - from) as i32);
    let mut regions = Vec::new();
    for (at, step) in run.trace.iter().enumerate().take(to).skip(from) {
        let row = Row {
            is_current: if run.has_clock { at == last } else { step.at_ms == now },
            is_past: at <= last,
            is_broken: run.broken.is_some_and(|(from, to)| (from..=to).contains(&at)),
        };
        let is_first = at == from || run.trace[at - 1].at_ms != step.at_ms;
        let time = if run.has_clock || is_first { run.time(step.at_ms) } else { String::new() };
        let short = if run.has_clock { clock_time(step.at_ms) } else { time.clone() };
        lanes.step(step, &row, y, if lanes.is_wide { &time } else { &short });
        let (id, label) = if run.has_clock {
            (format!("step{at}"), format!("Step {}, {time}: {}", at + 1, step.text))
        } else {
            let label = format!("Step {}: {}", step.at_ms, step.text);
            (format!("way{}_{at}", step.at_ms), label)
        };
        let place = Rect::new(MARGIN, y, width as i32 - MARGIN, y + high);
        regions.push(region(id, label, place));
        y += high;
    }
    // The picture keeps its height where a scenario has fewer steps than rows.
    y += high * (most - (to - from)).min(1) as i32;
    let tape = tape::layout(run, now, width as i32, y);
    lanes.scene.shapes.extend(tape.shapes);
    lanes.scene.lines.extend(tape.lines);
    regions.extend(tape.regions);
    lanes.scene.height = tape.end + 8;
    Ok((lanes.scene, regions))
}

/// How a row is drawn.
struct Row {
    is_current: bool,
    is_past: bool,
    /// It breaks the promise first.
    is_broken: bool,
}

/// A picture in the making.
struct Lanes {
    scene: Scene,
    is_wide: bool,
    /// Where the columns begin (px).
    left: i32,
    /// The width of one column (px).
    column: i32,
    actors: Vec<Actor>,
    is_files: bool,
}

impl Lanes {
    fn new(width: i32, run: &Run) -> Self {
        let is_files = !run.has_coordinator();
        let is_met = |it: &Actor| *it != Actor::Coordinator || !is_files;
        let actors: Vec<Actor> = ACTORS.into_iter().filter(is_met).collect();
        let is_wide = width >= WIDTH_NESTED as i32;
        let time = if is_wide { 96 } else { 70 };
        let left = MARGIN + time;
        let room = width - MARGIN - left;
        let column = if is_wide { (room / 10).clamp(64, 110) } else { room / actors.len() as i32 };
        Self { scene: Scene::new(width), is_wide, left, column, actors, is_files }
    }

    /// The height of a row (px): where there is no room beside the lanes, words stand below the arrow.
    fn row_height(&self) -> i32 {
        if self.is_wide { ROW } else { ROW + line_height(TICK_SIZE) }
    }

    /// The middle of an actor's column (px).
    fn x(&self, actor: Actor) -> i32 {
        let at = self.actors.iter().position(|it| *it == actor).unwrap_or(0) as i32;
        self.left + at * self.column + self.column / 2
    }

    /// Clocks that run, each a bar that fills; returns where they end.
    fn clocks(&mut self, clocks: &[Clock], top: i32) -> i32 {
        let mut y = top;
        let (x0, x1) = (MARGIN, self.scene.width - MARGIN);
        let muted = Paint::Tone(Tone::Muted);
        for clock in clocks.iter().take(CLOCKS_MAX) {
            let left = if clock.left_ms >= 0 {
                format!("{} of {} left", span(clock.left_ms), span(clock.timeout_ms))
            } else {
                format!("timed out {} ago", span(-clock.left_ms))
            };
            let right = Line::new(left, SIZE, Anchor::End, (x1, y));
            let room = right.rect.x0 - x0 - 8;
            let name = fitted(&clock.name, Face::SansBold, SIZE, room);
            self.scene.lines.push(Line::new(name, SIZE, Anchor::Start, (x0, y)).bold());
            self.scene.lines.push(right);
            y += line_height(SIZE);
            let whole = Rect::new(x0, y, x1, y + 8);
            let share = clock.age_ms.min(clock.timeout_ms) as f64 / clock.timeout_ms.max(1) as f64;
            let end = x0 + (share * f64::from(x1 - x0)).round() as i32;
            let tone = if clock.left_ms < 0 { Tone::Danger } else { tone_of(clock.stage) };
            self.scene.shapes.push(Shape::Fill(Rect::new(x0, y, end, y + 8), Paint::Tone(tone)));
            self.scene.shapes.push(Shape::Frame(whole, muted));
            y += 14;
        }
        let words = match clocks.len() {
            0 => "No transaction's clock runs.".to_owned(),
            n if n > CLOCKS_MAX => format!("and {} more clocks", n - CLOCKS_MAX),
            _ => return y,
        };
        self.scene.lines.push(Line::new(words, TICK_SIZE, Anchor::Start, (x0, y)).painted(muted));
        y + line_height(TICK_SIZE)
    }

    /// The names of the lanes; returns where they end.
    fn heads(&mut self, run: &Run, y: i32) -> i32 {
        for actor in self.actors.clone() {
            let (long, short) = run.name(actor);
            let name = if self.column >= HEAD_MIN { long } else { short };
            let at = (self.x(actor), y);
            self.scene.lines.push(Line::new(name, TICK_SIZE, Anchor::Middle, at).bold());
        }
        y + line_height(TICK_SIZE) + 4
    }

    fn lifelines(&mut self, y0: i32, y1: i32) {
        for actor in self.actors.clone() {
            let x = self.x(actor);
            let line = Rect::new(x, y0, x + 1, y1);
            self.scene.shapes.push(Shape::Fill(line, Paint::Tone(Tone::Hairline)));
        }
    }

    fn step(&mut self, step: &TraceStep, row: &Row, y: i32, time: &str) {
        let middle = y + ROW / 2;
        let end = y + self.row_height();
        let whole = Rect::new(MARGIN - 4, y, self.scene.width - MARGIN + 4, end);
        if row.is_current {
            self.scene.shapes.insert(0, Shape::Fill(whole, Paint::Tone(Tone::Panel)));
        }
        if row.is_broken {
            let edge = Rect::new(whole.x0, y, whole.x0 + 3, end);
            self.scene.shapes.push(Shape::Fill(edge, Paint::Tone(Tone::Danger)));
        }
        let tone = if row.is_past { tone(step.kind) } else { Tone::Hairline };
        self.marks(step, tone, middle);
        let words = Paint::Tone(if row.is_past { Tone::Text } else { Tone::Muted });
        let at = y + (ROW - line_height(TICK_SIZE)) / 2;
        let time = fitted(time, Face::Sans, TICK_SIZE, self.left - MARGIN - 4);
        let muted = Paint::Tone(Tone::Muted);
        let line = Line::new(time, TICK_SIZE, Anchor::Start, (MARGIN, at)).painted(muted);
        self.scene.lines.push(line);
        let (x, at) = if self.is_wide {
            (self.left + self.actors.len() as i32 * self.column + 8, at)
        } else {
            (MARGIN, y + ROW - 2)
        };
        let text = fitted(&step.text, Face::Sans, TICK_SIZE, self.scene.width - MARGIN - x);
        let line = Line::new(text, TICK_SIZE, Anchor::Start, (x, at)).painted(words);
        self.scene.lines.push(line);
    }

    /// An arrow from one lane to another, or a mark in one.
    fn marks(&mut self, step: &TraceStep, tone: Tone, y: i32) {
        let paint = Paint::Tone(tone);
        let Some((from, to)) = arrow(step.kind, self.is_files) else {
            let x = self.x(step.actor);
            let points = if is_trouble(step.kind) {
                vec![(x - 6, y + 5), (x, y - 6), (x + 6, y + 5)]
            } else {
                vec![(x - 5, y), (x, y - 5), (x + 5, y), (x, y + 5)]
            };
            self.scene.shapes.push(Shape::Polygon { points, paint });
            return;
        };
        let (x0, x1) = (self.x(from), self.x(to));
        let back = if x1 > x0 { -7 } else { 7 };
        let line = Shape::Path { points: vec![(x0, y), (x1 + back, y)], thick: 2, paint };
        let head = vec![(x1, y), (x1 + back, y - 4), (x1 + back, y + 4)];
        self.scene.shapes.push(line);
        self.scene.shapes.push(Shape::Polygon { points: head, paint });
        let dot = vec![(x0 - 3, y), (x0, y - 3), (x0 + 3, y), (x0, y + 3)];
        self.scene.shapes.push(Shape::Polygon { points: dot, paint });
    }
}

/// From whom to whom a step goes.
fn arrow(kind: &str, is_files: bool) -> Option<(Actor, Actor)> {
    Some(match kind {
        "commit" | "recommit" | "zombieCommit" if is_files => (Actor::Sink, Actor::Partition),
        "commitMarker" if is_files => (Actor::Partition, Actor::Readers),
        "abortMarker" if is_files => return None,
        "append" | "sendRefused" => (Actor::Sink, Actor::Partition),
        "ongoing" | "probe" | "begin" | "commit" | "recommit" | "zombieCommit"
        | "abortedByClose" => (Actor::Sink, Actor::Coordinator),
        "acknowledge" => (Actor::Sink, Actor::Job),
        "complete" | "restore" => (Actor::Job, Actor::Sink),
        "commitMarker" | "abortMarker" => (Actor::Coordinator, Actor::Partition),
        "stableOffset" => (Actor::Partition, Actor::Readers),
        _ => return None,
    })
}

/// Whether a step is a failure rather than a part of the protocol.
fn is_trouble(kind: &str) -> bool {
    matches!(
        kind,
        "timeout"
            | "crash"
            | "failed"
            | "sendRefused"
            | "notifyLost"
            | "declined"
            | "expired"
            | "refuses"
    )
}

fn tone(kind: &str) -> Tone {
    match kind {
        _ if is_trouble(kind) => Tone::Danger,
        "append" | "ongoing" | "begin" => Tone::Open,
        "preCommit" => Tone::PreCommitted,
        "commit" | "recommit" | "prepareCommit" | "commitMarker" => Tone::Committed,
        "abortedByInit" | "abortedByClose" | "abortMarker" | "probe" => Tone::Aborted,
        _ => Tone::Accent,
    }
}

/// The colour of a stage.
const fn tone_of(stage: Stage) -> Tone {
    match stage {
        Stage::Open => Tone::Open,
        Stage::PreCommitted => Tone::PreCommitted,
        Stage::Committed => Tone::Committed,
        Stage::Aborted => Tone::Aborted,
    }
}

/// A time where there is little room: `3:05.2`, `1:00:05`, `8 d 0:03:05`.
fn clock_time(ms: u64) -> String {
    let (days, hours, minutes) = (ms / 86_400_000, ms / 3_600_000 % 24, ms / 60_000 % 60);
    let seconds = format!("{:06.3}", (ms % 60_000) as f64 / 1000.0);
    let seconds = seconds.trim_end_matches('0').trim_end_matches('.');
    match (days, hours) {
        (0, 0) => format!("{minutes}:{seconds}"),
        (0, _) => format!("{hours}:{minutes:02}:{seconds}"),
        _ => format!("{days} d {hours}:{minutes:02}:{seconds}"),
    }
}

/// As much of a text as has room.
fn fitted(text: &str, face: Face, size: u32, room: i32) -> String {
    if text::width(text, face, size) <= room {
        return text.to_owned();
    }
    let mut kept = String::new();
    for c in text.chars() {
        kept.push(c);
        if text::width(&format!("{kept}{ELLIPSIS}"), face, size) > room {
            kept.pop();
            break;
        }
    }
    format!("{}{ELLIPSIS}", kept.trim_end())
}

fn region(id: String, label: String, rect: Rect) -> Region {
    Region {
        id,
        label,
        x: f64::from(rect.x0),
        y: f64::from(rect.y0),
        width: f64::from(rect.width().max(1)),
        height: f64::from(rect.height()),
    }
}

#[cfg(test)]
mod tests {
    use super::clock_time;

    #[test]
    fn times_are_short_where_there_is_little_room() {
        for (ms, text) in [
            (0, "0:00"),
            (5_100, "0:05.1"),
            (300_000, "5:00"),
            (1_385_100, "23:05.1"),
            (3_605_000, "1:00:05"),
            (691_385_020, "8 d 0:03:05.02"),
        ] {
            assert_eq!(clock_time(ms), text);
        }
    }
}
