//! Ranges on tracks below each other: from which value to which something holds, and where it is now.
//!
//! Sizes lie by their logarithm, since their ends span nine powers of ten; fractions lie evenly. A
//! range without an end reaches the edge of its track and shows an arrow there.

use super::axis::TICK_SIZE;
use super::backend::Anchor;
use super::memory_bar::{WIDTH_MAX, WIDTH_MIN, WIDTH_NESTED};
use super::scene::{Line, Rect, Scene, Shape, line_height};
use super::text::{self, Face};
use super::theme::{Paint, Theme, Tone};
use super::{Chart, ChartError, Region};
use crate::units::Bytes;

const MARGIN: i32 = 16;
/// The height of a track with its free space (px).
const TRACK: i32 = 26;
/// The height of a range, and of a pinned one below it (px).
const BAR: i32 = 10;
const PINNED: i32 = 3;
/// Parts of one that a fraction is counted in.
pub const MILLION: u64 = 1_000_000;

/// What the values of a group are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Bytes.
    Size,
    /// Millionths of a whole.
    Fraction,
}

/// A range and the value there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Whether any value is in it.
    pub possible: bool,
    /// Its lower end; `None` where every smaller value is in it.
    pub lowest: Option<u64>,
    /// Its upper end; `None` where every larger value is in it.
    pub highest: Option<u64>,
    /// The present value, where there is one.
    pub now: Option<u64>,
}

impl Span {
    fn holds(&self, value: u64) -> bool {
        self.possible
            && self.lowest.is_none_or(|lowest| lowest <= value)
            && self.highest.is_none_or(|highest| value <= highest)
    }

    fn values(&self) -> impl Iterator<Item = u64> {
        [self.lowest, self.highest, self.now].into_iter().flatten()
    }
}

/// A track.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Track {
    /// What moves along it: an option key.
    pub id: String,
    /// The range and value.
    pub span: Span,
    /// Those of the settings that are compared with.
    pub pinned: Option<Span>,
    /// Both in words.
    pub words: String,
}

/// Tracks on one scale.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// What the scale measures.
    pub title: &'static str,
    /// Its unit.
    pub kind: Kind,
    /// The tracks.
    pub tracks: Vec<Track>,
}

/// What is drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ranges {
    /// The groups.
    pub groups: Vec<Group>,
    /// One sentence that says what the drawing shows.
    pub description: String,
}

/// Draws ranges, `width` px wide.
///
/// # Errors
/// Nothing to draw, or a width that no layout is made for.
pub fn draw(ranges: &Ranges, theme: Theme, width: u32) -> Result<Chart, ChartError> {
    let (scene, regions) = layout(ranges, width)?;
    Ok(Chart {
        svg: scene.to_svg(theme)?,
        width,
        height: scene.height.unsigned_abs(),
        description: ranges.description.clone(),
        regions,
    })
}

/// Where everything lies, and the places that answer to a pointer.
///
/// # Errors
/// As `draw`.
pub fn layout(ranges: &Ranges, width: u32) -> Result<(Scene, Vec<Region>), ChartError> {
    if !(WIDTH_MIN..=WIDTH_MAX).contains(&width) {
        return Err(ChartError::Width { width });
    }
    let groups: Vec<&Group> =
        ranges.groups.iter().filter(|group| !group.tracks.is_empty()).collect();
    if groups.is_empty() {
        return Err(ChartError::NothingToDraw);
    }
    let is_wide = width >= WIDTH_NESTED;
    let width = width as i32;
    // Names stand before the tracks where there is room, above them where there is not.
    let names = groups.iter().flat_map(|group| &group.tracks).map(|track| name_width(&track.id));
    let column = if is_wide { names.max().unwrap_or(0).min(width * 9 / 20) + 12 } else { 0 };
    let mut scene = Scene::new(width);
    let mut regions = Vec::new();
    let mut y = 10;
    for group in groups {
        let scale = Log::new(group, MARGIN + column, width - MARGIN);
        y = axis(&mut scene, group, &scale, y);
        let top = y;
        let first = scene.shapes.len();
        for track in &group.tracks {
            y = draw_track(&mut scene, &mut regions, track, &scale, y, is_wide);
        }
        let grid = scale
            .ticks
            .iter()
            .map(|(x, _)| Shape::Fill(Rect::new(*x, top, *x + 1, y), Paint::Tone(Tone::Hairline)));
        scene.shapes.splice(first..first, grid.collect::<Vec<_>>());
        y += 14;
    }
    scene.height = y;
    Ok((scene, regions))
}

fn name_width(name: &str) -> i32 {
    text::width(name, Face::Mono, TICK_SIZE)
}

/// A scale between two pixels, with ticks that do not touch.
struct Log {
    kind: Kind,
    /// Binary logarithms of the ends, for sizes.
    ends: (f64, f64),
    x0: i32,
    x1: i32,
    ticks: Vec<(i32, String)>,
}

impl Log {
    fn new(group: &Group, x0: i32, x1: i32) -> Self {
        let spans =
            group.tracks.iter().flat_map(|track| [Some(track.span), track.pinned]).flatten();
        // Flink's way to write that there is no maximum says nothing about the scale.
        let values: Vec<u64> = spans
            .flat_map(|span| span.values().collect::<Vec<_>>())
            .filter(|v| *v < 1 << 62)
            .collect();
        let log = |value: u64| libm::log2(value.max(1) as f64);
        let least = values.iter().copied().filter(|v| *v > 0).min().map_or(10.0, log);
        let most = values.iter().copied().max().map_or(30.0, log);
        // Free space at both sides, so that an end is seen to be one.
        let ends = ((least - 3.0).max(0.0).floor(), (most + 2.0).ceil());
        let mut scale = Self { kind: group.kind, ends, x0, x1, ticks: Vec::new() };
        let known: Vec<(u64, String)> = match group.kind {
            Kind::Size => (0..=62)
                .filter(|power| f64::from(*power) >= ends.0 && f64::from(*power) <= ends.1)
                .map(|power| 1_i64 << power)
                .map(|bytes| (bytes.unsigned_abs(), Bytes::new(bytes).to_string()))
                .collect(),
            Kind::Fraction => ["0", "0.25", "0.5", "0.75", "1"]
                .into_iter()
                .zip(0..)
                .map(|(text, quarter)| (quarter * MILLION / 4, text.to_owned()))
                .collect(),
        };
        // Every power, every second, and so on, until the words have room.
        let step = (1..=known.len()).find(|step| scale.has_room(&known, *step)).unwrap_or(1);
        let ticks = known.iter().filter(|(value, _)| scale.is_tick(*value, step));
        scale.ticks = ticks.map(|(value, text)| (scale.x(*value), text.clone())).collect();
        scale
    }

    /// Sizes have a tick at each power of two that is a multiple of the step, such as 1 KiB, 32 KiB, 1 MiB for 5.
    fn is_tick(&self, value: u64, step: usize) -> bool {
        match self.kind {
            Kind::Size => (value.trailing_zeros() as usize).is_multiple_of(step),
            Kind::Fraction => true,
        }
    }

    fn has_room(&self, known: &[(u64, String)], step: usize) -> bool {
        // Steps that name odd sizes such as 128 KiB, then 2 MiB, are harder to read than these.
        if self.kind == Kind::Size && ![1, 2, 5, 10, 20, 30].contains(&step) {
            return false;
        }
        let half = |text: &str| text::width(text, Face::Sans, TICK_SIZE) / 2 + 6;
        let ticks: Vec<_> = known.iter().filter(|(value, _)| self.is_tick(*value, step)).collect();
        ticks.windows(2).all(|pair| {
            self.x(pair[0].0) + half(&pair[0].1) <= self.x(pair[1].0) - half(&pair[1].1)
        })
    }

    fn x(&self, value: u64) -> i32 {
        let part = match self.kind {
            Kind::Size => {
                let log = libm::log2(value.max(1) as f64);
                (log - self.ends.0) / (self.ends.1 - self.ends.0)
            }
            Kind::Fraction => value as f64 / MILLION as f64,
        };
        self.x0 + (part.clamp(0.0, 1.0) * f64::from(self.x1 - self.x0)).round() as i32
    }
}

fn axis(scene: &mut Scene, group: &Group, scale: &Log, y: i32) -> i32 {
    let muted = Paint::Tone(Tone::Muted);
    let title = Line::new(group.title, TICK_SIZE, Anchor::Start, (MARGIN, y)).painted(muted);
    let y = title.rect.y1 + 4;
    scene.lines.push(title);
    for (x, text) in &scale.ticks {
        let half = text::width(text, Face::Sans, TICK_SIZE) / 2 + 1;
        let middle = (*x).clamp(half, scene.width - half);
        let label = Line::new(text.as_str(), TICK_SIZE, Anchor::Middle, (middle, y));
        scene.lines.push(label.painted(muted));
    }
    y + line_height(TICK_SIZE) + 4
}

fn draw_track(
    scene: &mut Scene,
    regions: &mut Vec<Region>,
    track: &Track,
    scale: &Log,
    y: i32,
    is_wide: bool,
) -> i32 {
    let room = if is_wide { scale.x0 - MARGIN - 8 } else { scene.width - 2 * MARGIN };
    let name = text::ellipsize(&track.id, Face::Mono, TICK_SIZE, room).unwrap_or_default();
    let name_y = if is_wide { y + (TRACK - line_height(TICK_SIZE)) / 2 } else { y };
    let mut line = Line::new("", TICK_SIZE, Anchor::Start, (MARGIN, name_y));
    line.rect.x1 = MARGIN + name_width(&name);
    line.text = name;
    line.face = Face::Mono;
    line.plate = (!is_wide).then_some((line.rect, Tone::Surface));
    let top = if is_wide { y } else { line.rect.y1 };
    scene.lines.push(line);
    let middle = top + TRACK / 2;
    let rail = Rect::new(scale.x0, middle, scale.x1, middle + 1);
    scene.shapes.push(Shape::Fill(rail, Paint::Tone(Tone::Muted)));
    span(scene, &track.span, scale, (middle - BAR / 2, BAR), Tone::Good);
    if let Some(pinned) = &track.pinned {
        span(scene, pinned, scale, (middle + BAR / 2 + 1, PINNED), Tone::Muted);
    }
    if let Some(now) = track.span.now {
        let x = scale.x(now).clamp(scale.x0 + 1, scale.x1 - 2);
        let tone = if track.span.holds(now) { Tone::Text } else { Tone::Danger };
        let mark = Rect::new(x - 1, middle - 9, x + 2, middle + 9);
        scene.shapes.push(Shape::Fill(mark.grown(1, 0), Paint::Tone(Tone::Surface)));
        scene.shapes.push(Shape::Fill(mark, Paint::Tone(tone)));
    }
    let bottom = top + TRACK;
    regions.push(Region {
        id: track.id.clone(),
        label: track.words.clone(),
        x: f64::from(MARGIN),
        y: f64::from(y),
        width: f64::from(scene.width - 2 * MARGIN),
        height: f64::from(bottom - y),
    });
    bottom
}

/// A range of some height, with arrows where it has no end.
fn span(scene: &mut Scene, span: &Span, scale: &Log, (y, height): (i32, i32), tone: Tone) {
    if !span.possible {
        return;
    }
    let paint = Paint::Tone(tone);
    let half = height / 2;
    let mut rect = Rect::new(scale.x0, y, scale.x1, y + height);
    match span.lowest {
        Some(lowest) => rect.x0 = scale.x(lowest),
        None => {
            let tip = vec![(rect.x0, y + half), (rect.x0 + half, y), (rect.x0 + half, y + height)];
            scene.shapes.push(Shape::Polygon { points: tip, paint });
            rect.x0 += half;
        }
    }
    match span.highest {
        Some(highest) => rect.x1 = scale.x(highest),
        None => {
            let tip = vec![(rect.x1, y + half), (rect.x1 - half, y), (rect.x1 - half, y + height)];
            scene.shapes.push(Shape::Polygon { points: tip, paint });
            rect.x1 -= half;
        }
    }
    rect.x1 = rect.x1.max(rect.x0 + 2);
    scene.shapes.push(Shape::Fill(rect, paint));
}
