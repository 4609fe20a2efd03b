//! The safe values of `transaction.timeout.ms` on a ruler: where a running job, a restored job, the
//! readers and the broker draw their lines, and where the present value stands.

use super::axis::TICK_SIZE;
use super::backend::Anchor;
use super::hatch::Hatch;
use super::memory_bar::{WIDTH_MAX, WIDTH_MIN};
use super::scale::{Quantity, Scale};
use super::scene::{Line, Rect, Scene, Shape, line_height};
use super::text::{self, Face};
use super::theme::{Paint, Theme, Tone};
use super::{Chart, ChartError, Region};
use crate::transaction::lengths::span;
use crate::transaction::timeouts::{TimeoutReport, TimeoutState};

/// The font size of names (px).
const SIZE: u32 = 12;
/// Free space around the drawing (px).
const MARGIN: i32 = 12;
/// The height of the ruler (px).
const BAR: i32 = 36;

/// A stretch of the ruler with one outcome.
struct Zone {
    from_ms: i64,
    to_ms: i64,
    state: TimeoutState,
}

/// Draws a report, `width` px wide.
///
/// # Errors
/// A width that no layout is made for.
pub fn draw(report: &TimeoutReport, theme: Theme, width: u32) -> Result<Chart, ChartError> {
    let (scene, regions) = layout(report, width)?;
    Ok(Chart {
        svg: scene.to_svg(theme)?,
        width,
        height: scene.height.unsigned_abs(),
        description: format!("The values of transaction.timeout.ms on a ruler. {}", report.verdict),
        regions,
    })
}

/// Where everything lies, and the places that answer to a pointer.
pub fn layout(report: &TimeoutReport, width: u32) -> Result<(Scene, Vec<Region>), ChartError> {
    if !(WIDTH_MIN..=WIDTH_MAX).contains(&width) {
        return Err(ChartError::Width { width });
    }
    let mut scene = Scene::new(width as i32);
    let zones = zones(report);
    let mut y = legend(&mut scene, &zones);
    let (x0, x1) = (MARGIN, width as i32 - MARGIN);
    let end_ms = zones.last().map_or(1, |zone| zone.to_ms);
    let seconds = u64::try_from(end_ms / 1000).unwrap_or(1).max(1);
    let scale = Scale::new(Quantity::Time, seconds, x1 - x0, true);
    let x = |ms: i64| {
        let part = ms.clamp(0, end_ms) as f64 / end_ms as f64;
        x0 + (part * f64::from(x1 - x0)).round() as i32
    };
    y = present(&mut scene, report, x(report.timeout_ms), y + 6);
    let bar = Rect::new(x0, y, x1, y + BAR);
    let mut regions = Vec::new();
    for (at, zone) in zones.iter().enumerate() {
        let rect = Rect::new(x(zone.from_ms), bar.y0, x(zone.to_ms), bar.y1);
        paint(&mut scene, zone.state, rect);
        let beyond = if at + 1 == zones.len() { " and more" } else { "" };
        regions.push(region(
            format!("zone{at}"),
            format!(
                "{} to {}{beyond}: {}",
                span(zone.from_ms),
                span(zone.to_ms),
                words(zone.state)
            ),
            rect,
        ));
    }
    let marker = x(report.timeout_ms);
    let line = Rect::new(marker - 1, bar.y0 - 4, marker + 1, bar.y1 + 4);
    scene.shapes.push(Shape::Fill(line, Paint::Tone(Tone::Text)));
    y = bar.y1 + 6;
    let muted = Paint::Tone(Tone::Muted);
    for (value, label) in &scale.ticks {
        let at = x(i64::try_from(*value).unwrap_or(0) * 1000);
        scene.shapes.push(Shape::Fill(Rect::new(at, bar.y1, at + 1, bar.y1 + 4), muted));
        let half = text::width(label, Face::Sans, TICK_SIZE) / 2;
        let centre = at.clamp(MARGIN + half, width as i32 - MARGIN - half);
        scene.lines.push(Line::new(label, TICK_SIZE, Anchor::Middle, (centre, y)).painted(muted));
    }
    y += line_height(TICK_SIZE);
    let title = format!("Timeout ({})", scale.unit);
    scene.lines.push(Line::new(title, TICK_SIZE, Anchor::End, (x1, y)).painted(muted));
    y += line_height(TICK_SIZE) + 2;
    for bound in report.lower.iter().chain(&report.upper).filter(|bound| bound.id != "int") {
        let text = format!("{}: {}", bound.id, bound.numbers);
        for line in wrapped(&text, x1 - x0) {
            scene.lines.push(Line::new(line, SIZE, Anchor::Start, (x0, y)));
            y += line_height(SIZE);
        }
    }
    scene.height = y + 4;
    regions.push(region(
        "present".to_owned(),
        format!("The present timeout, {}", span(report.timeout_ms)),
        Rect::new(marker - 12, bar.y0 - 4, marker + 12, bar.y1 + 4),
    ));
    Ok((scene, regions))
}

/// The stretches between the bounds, each with the outcome of a value in it.
fn zones(report: &TimeoutReport) -> Vec<Zone> {
    let bound = |id: &str| {
        let all = report.lower.iter().chain(&report.upper);
        all.filter(|bound| bound.id == id).map(|bound| bound.timeout_ms).next()
    };
    let (running, recovery) = (bound("E2").unwrap_or(1), bound("E3").unwrap_or(1));
    let (broker, readers) = (bound("E1").unwrap_or(i64::MAX), bound("E5").unwrap_or(i64::MAX));
    let furthest = [running, recovery, broker, report.timeout_ms].into_iter().max().unwrap_or(1);
    let end = furthest + furthest / 6 + 1;
    let state = |timeout: i64| match timeout {
        t if t > broker || t <= 0 => TimeoutState::Refused,
        t if t < running => TimeoutState::TooShortToRun,
        t if t < recovery => TimeoutState::TooShortToRecover,
        t if t > readers => TimeoutState::TooLongForReaders,
        _ => TimeoutState::Safe,
    };
    let mut edges = vec![1, running, recovery, broker.saturating_add(1), readers.saturating_add(1)];
    edges.retain(|edge| (1..end).contains(edge));
    edges.sort_unstable();
    edges.dedup();
    let mut zones: Vec<Zone> = Vec::new();
    for (at, from) in edges.iter().copied().enumerate() {
        let to_ms = edges.get(at + 1).map_or(end, |next| next - 1);
        match zones.last_mut() {
            Some(last) if last.state == state(from) => last.to_ms = to_ms,
            _ => zones.push(Zone { from_ms: from, to_ms, state: state(from) }),
        }
    }
    zones
}

const fn words(state: TimeoutState) -> &'static str {
    match state {
        TimeoutState::Safe => "safe",
        TimeoutState::Refused => "the broker refuses it",
        TimeoutState::TooShortToRun => "a running job loses data",
        TimeoutState::TooShortToRecover => "a restart loses data",
        TimeoutState::TooLongForReaders => "readers stand still too long",
    }
}

/// Each outcome has a colour, and all but two a pattern.
fn paint(scene: &mut Scene, state: TimeoutState, rect: Rect) {
    let (tone, hatch) = match state {
        TimeoutState::Safe => (Tone::Good, None),
        TimeoutState::Refused => (Tone::Muted, Some(Hatch::Falling)),
        TimeoutState::TooShortToRun => (Tone::Danger, None),
        TimeoutState::TooShortToRecover => (Tone::Danger, Some(Hatch::Rising)),
        TimeoutState::TooLongForReaders => (Tone::Warning, Some(Hatch::Vertical)),
    };
    let paint = Paint::Tone(tone);
    match hatch {
        None => scene.shapes.push(Shape::Fill(rect, paint)),
        Some(hatch) => {
            scene.shapes.push(Shape::Lines {
                area: rect,
                hatch,
                step: 7,
                thick: 3,
                paint,
                alpha: 1.0,
            });
            scene.shapes.push(Shape::Frame(rect, paint));
        }
    }
}

/// The outcomes on the ruler, named; returns where they end.
fn legend(scene: &mut Scene, zones: &[Zone]) -> i32 {
    let (mut x, mut y) = (MARGIN, 8);
    for zone in zones {
        let name = words(zone.state);
        let length = 20 + text::width(name, Face::Sans, SIZE) + 16;
        if x > MARGIN && x + length > scene.width - MARGIN {
            (x, y) = (MARGIN, y + line_height(SIZE) + 2);
        }
        paint(scene, zone.state, Rect::new(x, y + 2, x + 14, y + 14));
        scene.lines.push(Line::new(name, SIZE, Anchor::Start, (x + 20, y)));
        x += length;
    }
    y + line_height(SIZE)
}

/// The name of the present value above its place; returns where it ends.
fn present(scene: &mut Scene, report: &TimeoutReport, x: i32, y: i32) -> i32 {
    let text = format!("now {}", span(report.timeout_ms));
    let half = text::width(&text, Face::SansBold, SIZE) / 2 + 2;
    let centre = x.clamp(MARGIN + half, scene.width - MARGIN - half);
    scene.lines.push(Line::new(text, SIZE, Anchor::Middle, (centre, y)).bold());
    y + line_height(SIZE) + 6
}

/// A text in lines no wider than this.
fn wrapped(text: &str, width: i32) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if text::width(&format!("{line} {word}"), Face::Sans, SIZE) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
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
