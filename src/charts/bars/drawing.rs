//! Where the parts of each bar lie, and all its words.

use super::{Limit, Look, Part, Row};
use crate::charts::Region;
use crate::charts::axis::TICK_SIZE;
use crate::charts::backend::Anchor;
use crate::charts::hatch::Hatch;
use crate::charts::scale::Scale;
use crate::charts::scene::{Line, Rect, Scene, Shape, line_height};
use crate::charts::text::{self, Face};
use crate::charts::theme::{Paint, Tone};

/// The font size of names (px).
const SIZE: u32 = 12;
/// Free space around the drawing (px).
pub(super) const MARGIN: i32 = 16;
/// The height of a bar, and of one that is pinned (px).
const BAR: i32 = 24;
const PINNED: i32 = 14;
/// The least side of a place that answers to a pointer (px); WCAG 2.2, 2.5.8.
const HIT: i32 = 24;
/// The side of a sample before a part's name (px).
const SAMPLE: i32 = 12;

/// A drawing that grows downwards.
pub(super) struct Drawing {
    pub(super) scene: Scene,
    pub(super) regions: Vec<Region>,
    pub(super) scale: Scale,
}

impl Drawing {
    fn x(&self, value: u64) -> i32 {
        MARGIN + self.scale.place(value, self.scene.width - 2 * MARGIN)
    }

    /// Title and ticks; returns their bottom.
    pub(super) fn axis(&mut self, title: &str) -> i32 {
        let muted = Paint::Tone(Tone::Muted);
        let unit = self.scale.unit;
        let title = if unit.is_empty() { title.to_owned() } else { format!("{title} [{unit}]") };
        let title = Line::new(title, TICK_SIZE, Anchor::Start, (MARGIN, 10)).painted(muted);
        let y = title.rect.y1 + 4;
        self.scene.lines.push(title);
        for (value, text) in self.scale.ticks.clone() {
            let half = text::width(&text, Face::Sans, TICK_SIZE) / 2 + 1;
            let middle = self.x(value).clamp(half, self.scene.width - half);
            let label = Line::new(text, TICK_SIZE, Anchor::Middle, (middle, y)).painted(muted);
            self.scene.lines.push(label);
        }
        y + line_height(TICK_SIZE) + 2
    }

    pub(super) fn grid(&mut self, top: i32, bottom: i32) {
        let ticks = self.scale.ticks.iter();
        let lines: Vec<Shape> = ticks
            .map(|(value, _)| {
                let x = self.x(*value);
                Shape::Fill(Rect::new(x, top, x + 1, bottom), Paint::Tone(Tone::Hairline))
            })
            .collect();
        self.scene.shapes.splice(0..0, lines);
    }

    /// A bar with all its words from `y` on; returns the bottom.
    pub(super) fn row(&mut self, row: &Row, y: i32, is_explained: bool) -> i32 {
        let room = self.scene.width - 2 * MARGIN;
        let name = if row.is_pinned { format!("A: {}", row.name) } else { row.name.clone() };
        let name = text::ellipsize(&name, Face::SansBold, SIZE, room).unwrap_or_default();
        let name = Line::new(name, SIZE, Anchor::Start, (MARGIN, y)).on_plate(Tone::Surface).bold();
        let mut bar_y = name.rect.y1 + 2;
        self.scene.lines.push(name);
        let labels_y = bar_y;
        bar_y += line_height(TICK_SIZE) * row.limits.len() as i32;
        let height = if row.is_pinned { PINNED } else { BAR };
        let bar = Rect::new(MARGIN, bar_y, self.scene.width - MARGIN, bar_y + height);
        let at = self.regions.len();
        for part in row.parts.iter().filter(|part| part.to > part.from) {
            self.part(row, part, bar);
        }
        let longest = row.parts.iter().map(|part| part.to).max().unwrap_or(0);
        self.over(row, bar, longest);
        if longest > self.scale.end {
            self.torn(bar);
        }
        self.limits(&row.limits, labels_y, bar);
        let mut bottom = bar.y1 + 2;
        if !is_explained {
            bottom = self.list(row, bar.y1 + 5);
        }
        let whole = Region {
            id: row.id.clone(),
            label: in_words(row),
            x: f64::from(MARGIN),
            y: f64::from(y),
            width: f64::from(room),
            height: f64::from((bottom - y).max(HIT)),
        };
        self.regions.insert(at, whole);
        bottom
    }

    fn part(&mut self, row: &Row, part: &Part, bar: Rect) {
        let x0 = self.x(part.from);
        let rect = Rect { x0, x1: self.x(part.to).max(x0 + 1), ..bar };
        if part.from >= self.scale.end {
            return;
        }
        self.look(rect, part.look);
        if rect.width() > 3 && part.look != Look::Room {
            // A hairline of ground keeps neighbours apart.
            let edge = Rect { x0: rect.x1 - 1, ..rect };
            self.scene.shapes.push(Shape::Fill(edge, Paint::Tone(Tone::Surface)));
        }
        let missing = (HIT - rect.width()).max(0);
        let x = (rect.x0 - missing / 2).clamp(0, self.scene.width - rect.width() - missing);
        let taller = (HIT - rect.height()).max(0);
        self.regions.push(Region {
            id: format!("{}.{}", row.id, part.id),
            label: format!("{}, {}: {} ({})", named(row), part.name, part.words, part.exact),
            x: f64::from(x),
            y: f64::from(rect.y0 - taller / 2),
            width: f64::from(rect.width() + missing),
            height: f64::from(rect.height() + taller),
        });
    }

    fn look(&mut self, rect: Rect, look: Look) {
        match look {
            Look::Room => {
                self.scene.shapes.push(Shape::Fill(rect, Paint::Tone(Tone::Panel)));
                self.scene.shapes.push(Shape::Frame(rect, Paint::Tone(Tone::Muted)));
            }
            Look::Filled(tone, hatch) => {
                self.scene.shapes.push(Shape::Fill(rect, Paint::Tone(tone)));
                self.scene.shapes.extend(hatch.map(|hatch| Shape::Lines {
                    area: rect,
                    hatch,
                    step: 6,
                    thick: 1,
                    paint: Paint::Tone(Tone::Surface),
                    alpha: 0.7,
                }));
            }
        }
    }

    /// Marks what lies beyond the least limit that may not be passed.
    fn over(&mut self, row: &Row, bar: Rect, longest: u64) {
        let dangers = row.limits.iter().filter(|limit| limit.is_danger).map(|limit| limit.at);
        let Some(limit) = dangers.min().filter(|limit| *limit < longest) else { return };
        let area = Rect { x0: self.x(limit), x1: self.x(longest), ..bar };
        if area.width() <= 0 {
            return;
        }
        for (thick, tone) in [(6, Tone::Surface), (3, Tone::Danger)] {
            let paint = Paint::Tone(tone);
            let hatch = Hatch::Falling;
            self.scene.shapes.push(Shape::Lines {
                area,
                hatch,
                step: 12,
                thick,
                paint,
                alpha: 1.0,
            });
        }
    }

    /// The end of a bar that goes on beyond the scale.
    fn torn(&mut self, bar: Rect) {
        let tooth = bar.height() / 4;
        let mut points = vec![(bar.x1 + 1, bar.y0)];
        points
            .extend((0..=4).map(|i| (bar.x1 - if i % 2 == 0 { 1 } else { 6 }, bar.y0 + i * tooth)));
        points.push((bar.x1 - 1, bar.y1));
        points.push((bar.x1 + 1, bar.y1));
        self.scene.shapes.push(Shape::Polygon { points, paint: Paint::Tone(Tone::Surface) });
    }

    /// A line down to the bar for each limit, with its words in a line of their own.
    fn limits(&mut self, limits: &[Limit], y: i32, bar: Rect) {
        let mut tops = y;
        for limit in limits {
            let x = self.x(limit.at).min(bar.x1 - 2);
            let paint = Paint::Tone(if limit.is_danger { Tone::Danger } else { Tone::Text });
            let (anchor, at, room) = if x < self.scene.width / 2 {
                (Anchor::Start, x + 5, bar.x1 - x - 5)
            } else {
                (Anchor::End, x - 3, x - 3 - bar.x0)
            };
            let words =
                text::ellipsize(&limit.text, Face::Sans, TICK_SIZE, room).unwrap_or_default();
            let label = Line::new(words, TICK_SIZE, anchor, (at, tops)).painted(paint);
            self.scene.lines.push(label.on_plate(Tone::Surface));
            let halo = Rect::new(x - 1, tops, x + 3, bar.y1 + 2);
            self.scene.shapes.push(Shape::Fill(halo, Paint::Tone(Tone::Surface)));
            self.scene.shapes.push(Shape::Fill(Rect::new(x, tops, x + 2, bar.y1 + 2), paint));
            tops += line_height(TICK_SIZE);
        }
    }

    /// The parts with their sizes; returns the bottom.
    fn list(&mut self, row: &Row, mut y: i32) -> i32 {
        let right = self.scene.width - MARGIN;
        let mut x = MARGIN;
        for part in row.parts.iter().filter(|part| part.to > part.from) {
            let words = format!("{} {}", part.name, part.words);
            let room = right - MARGIN - SAMPLE - 5;
            let words = text::ellipsize(&words, Face::Sans, SIZE, room).unwrap_or_default();
            let need = SAMPLE + 5 + text::width(&words, Face::Sans, SIZE);
            if x + need > right && x > MARGIN {
                x = MARGIN;
                y += line_height(SIZE) + 2;
            }
            let top = y + (line_height(SIZE) - SAMPLE) / 2;
            self.look(Rect::new(x, top, x + SAMPLE, top + SAMPLE), part.look);
            let line = Line::new(words, SIZE, Anchor::Start, (x + SAMPLE + 5, y));
            self.scene.lines.push(line.on_plate(Tone::Surface));
            x += need + 14;
        }
        y + line_height(SIZE)
    }
}

fn named(row: &Row) -> String {
    if row.is_pinned { format!("A, {}", row.name) } else { row.name.clone() }
}

/// "Block cache: memtables 64 MiB, index 3 MiB; it holds 128 MiB".
fn in_words(row: &Row) -> String {
    let parts: Vec<String> = row
        .parts
        .iter()
        .filter(|part| part.to > part.from)
        .map(|part| format!("{} {}", part.name, part.words))
        .collect();
    let parts = if parts.is_empty() { "nothing".to_owned() } else { parts.join(", ") };
    let limits: String = row.limits.iter().map(|limit| format!("; {}", limit.text)).collect();
    format!("{}: {parts}{limits}", named(row))
}
