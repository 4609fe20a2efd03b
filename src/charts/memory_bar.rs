//! Where do the bytes of a process lie? The nested bar, to scale, with the line of the container.
//!
//! Wide drawings nest the boxes: the process holds Flink's memory and the JVM's, Flink's holds the
//! pools. Narrow ones unfold the same bar into one row per component under the same axis. Both
//! follow the tree that the components' parents make and know no component by name.

mod narrow;
pub mod pair;
mod tree;
mod wide;

use super::axis::{ByteAxis, TICK_SIZE};
use super::backend::Anchor;
use super::hatch::Hatch;
use super::scene::{Line, Rect, Scene, Shape, line_height};
use super::text::{self, Face};
use super::theme::{Paint, Theme, Tone};
use super::{Chart, ChartError, Region};
use crate::memory::report::{Color, Component, Container};
use crate::units::{Bytes, grouped};
use tree::{Node, Tree};

/// The narrowest drawing (px).
pub const WIDTH_MIN: u32 = 280;
/// The widest drawing (px).
pub const WIDTH_MAX: u32 = 2000;
/// From this width on boxes are nested (px).
pub const WIDTH_NESTED: u32 = 520;
/// The most components a drawing shows; Flink has ten.
pub const COMPONENTS_MAX: usize = 64;

/// Free space at the left and the right (px).
const MARGIN: i32 = 16;
/// The font size of names and sizes (px).
const SIZE: u32 = 12;
/// The least side of a place that answers to a pointer (px); WCAG 2.2, 2.5.8.
const HIT: i32 = 24;

/// What a memory bar shows.
#[derive(Debug, Clone, Copy)]
pub struct MemoryBarInput<'a> {
    /// The components, of any tree with one outermost component.
    pub components: &'a [Component],
    /// The container around the process.
    pub container: Container,
    /// A heading; empty for none.
    pub title: &'a str,
}

/// Draws the memory of a process to scale, `width` px wide.
pub fn draw(input: &MemoryBarInput, theme: Theme, width: u32) -> Result<Chart, ChartError> {
    let scene = layout(input, width)?;
    Ok(Chart {
        svg: scene.to_svg(theme)?,
        width,
        height: scene.height.unsigned_abs(),
        description: description(input, Tree::new(input.components)?.total()),
        regions: regions(input, &scene)?,
    })
}

/// The parts of a laid-out drawing with their exact values.
fn regions(input: &MemoryBarInput, scene: &Scene) -> Result<Vec<Region>, ChartError> {
    let total = Tree::new(input.components)?.total();
    let label = |id: &str| {
        let component = input.components.iter().find(|component| component.id == id);
        component.map_or_else(String::new, |component| readout(component, total))
    };
    Ok(scene.regions(label))
}

/// Where everything lies: the drawing before it is painted.
pub fn layout(input: &MemoryBarInput, width: u32) -> Result<Scene, ChartError> {
    layout_to(input, width, Bytes::ZERO)
}

/// The same on an axis that reaches `end` at least.
fn layout_to(input: &MemoryBarInput, width: u32, end: Bytes) -> Result<Scene, ChartError> {
    if !(WIDTH_MIN..=WIDTH_MAX).contains(&width) {
        return Err(ChartError::Width { width });
    }
    let tree = Tree::new(input.components)?;
    let frame = Frame::new(input, &tree, width, end);
    Ok(if width < WIDTH_NESTED { narrow::layout(frame, &tree) } else { wide::layout(frame, &tree) })
}

/// What both layouts share: heading, axis and the container's label, above the boxes.
struct Frame {
    scene: Scene,
    axis: ByteAxis,
    /// The pixel of the container's limit.
    limit_x: i32,
    /// Whether the process reaches beyond the limit.
    over: bool,
    /// The colour of the limit's line and words.
    limit_paint: Paint,
    /// Bottom of the tick marks, where the grid starts.
    grid_y: i32,
    /// Where the boxes start.
    y: i32,
}

impl Frame {
    fn new(input: &MemoryBarInput, tree: &Tree, width: u32, end: Bytes) -> Self {
        let Container { limit, headroom, .. } = input.container;
        let width = width as i32;
        let limit = limit.get().max(0).unsigned_abs();
        let total = tree.total().get().unsigned_abs();
        let end = total.max(limit).max(end.get().max(0).unsigned_abs());
        let axis = ByteAxis::new(end, MARGIN, width - MARGIN);
        let limit_x = axis.x(limit);
        let mut scene = Scene::new(width);
        let mut y = heading(&mut scene, input.title, axis.unit);
        y = ticks(&mut scene, &axis, y);
        let grid_y = y;
        let label = container_label(input.container, limit_x, width, y + 6);
        let label = label.on_plate(Tone::Surface);
        y = label.rect.y1 + 6;
        let limit_paint = label.paint;
        scene.lines.push(label);
        Self { scene, axis, limit_x, over: headroom < Bytes::ZERO, limit_paint, grid_y, y }
    }

    /// Marks what lies beyond the limit: lines of danger over `area`, which holds boxes to scale.
    fn mark_over(&mut self, area: Rect) {
        let area = area.grown(-1, -1);
        let beyond = Rect { x0: area.x0.max(self.limit_x), ..area };
        if self.over && beyond.width() > 0 {
            let mut lines = |step, thick, paint, alpha| {
                let hatch = Hatch::Falling;
                self.scene.shapes.push(Shape::Lines {
                    area: beyond,
                    hatch,
                    step,
                    thick,
                    paint,
                    alpha,
                });
            };
            lines(12, 6, Paint::Tone(Tone::Surface), 1.0);
            lines(12, 3, Paint::Tone(Tone::Danger), 1.0);
        }
    }

    /// The grid behind everything and the dashed line of the limit, down to `bottom`.
    fn rule(&mut self, bottom: i32) {
        let grid = self.axis.ticks.iter().map(|tick| {
            let rect = Rect::new(tick.x, self.grid_y, tick.x + 1, bottom);
            Shape::Fill(rect, Paint::Tone(Tone::Hairline))
        });
        self.scene.shapes.splice(0..0, grid);
        // The line begins where the limit is, so that it covers nothing of what still fits.
        let x = self.limit_x;
        let halo = Rect::new(x, self.grid_y + 6, x + 3, bottom + 6);
        self.scene.shapes.push(Shape::Fill(halo, Paint::Tone(Tone::Surface)));
        self.scene.shapes.push(Shape::Lines {
            area: Rect::new(x + 1, halo.y0, x + 3, halo.y1),
            hatch: Hatch::Horizontal,
            step: 8,
            thick: 5,
            paint: self.limit_paint,
            alpha: 1.0,
        });
    }

    /// The pixels of a node inside those of the node around it, at least one wide.
    fn span(&self, node: &Node, around: Option<Rect>) -> (i32, i32) {
        let (left, right) = around.map_or((self.axis.x0, self.axis.x1), |rect| (rect.x0, rect.x1));
        let x0 = self.axis.x(node.start).clamp(left, right - 1);
        (x0, self.axis.x(node.end()).clamp(x0 + 1, right))
    }

    /// A box of one component in its colour with its pattern from `pattern_y` on, or an outline
    /// where it holds others.
    fn draw_box(&mut self, node: &Node, rect: Rect, pattern_y: i32, step: i32) {
        if node.holds {
            self.scene.shapes.push(Shape::Fill(rect, Paint::Tone(Tone::Panel)));
            self.scene.shapes.push(Shape::Frame(rect, Paint::Tone(Tone::Muted)));
            return;
        }
        let tone = tone(node.component.color);
        self.scene.shapes.push(Shape::Fill(rect, Paint::Tone(tone)));
        if let Some(hatch) = pattern(node.component.color) {
            self.scene.shapes.push(Shape::Lines {
                area: Rect { y0: pattern_y, ..rect },
                hatch,
                step,
                thick: 1,
                paint: Paint::Beneath(tone),
                alpha: 0.28,
            });
        }
    }

    /// Lists what has no label of its own, from `y` on; returns the bottom of the last line.
    /// Calls `place` with each node and the box of its text.
    fn note(&mut self, nodes: &[&Node], y: i32, mut place: impl FnMut(&Node, Rect)) -> i32 {
        if nodes.is_empty() {
            return y;
        }
        let (mut x, mut y) = (MARGIN, y + 4);
        let right = self.scene.width - MARGIN;
        for (node, text) in unlabelled(nodes) {
            let text = text::ellipsize(&text, Face::Sans, SIZE, right - MARGIN).unwrap_or_default();
            let mut line = Line::new(text, SIZE, Anchor::Start, (x, y));
            if line.rect.x1 > right && x > MARGIN {
                y += HIT;
                line = Line::new(line.text, SIZE, Anchor::Start, (MARGIN, y));
            }
            x = line.rect.x1 + 12;
            if let Some(node) = node {
                place(node, line.rect.grown(2, (HIT - line_height(SIZE)) / 2));
            } else {
                line.paint = Paint::Tone(Tone::Muted);
            }
            self.scene.lines.push(line);
        }
        y + line_height(SIZE) + 4
    }
}

/// What the note below the boxes says, each part with its node: first what is too small, then what
/// holds nothing, whose size is said by that.
fn unlabelled<'a>(nodes: &[&'a Node<'a>]) -> Vec<(Option<&'a Node<'a>>, String)> {
    let (empty, small): (Vec<_>, Vec<_>) = nodes.iter().copied().partition(|node| node.is_empty());
    let mut parts = Vec::new();
    if !small.is_empty() {
        parts.push((None, "Too small to label:".to_owned()));
        parts.extend(small.into_iter().map(|node| (Some(node), named_size(node.component))));
    }
    if !empty.is_empty() {
        parts.push((None, "Empty:".to_owned()));
        parts.extend(empty.into_iter().map(|node| (Some(node), node.component.name.to_owned())));
    }
    parts
}

/// Title at the left and axis title at the right, below it where they would touch.
fn heading(scene: &mut Scene, title: &str, unit: &str) -> i32 {
    let right = scene.width - MARGIN;
    let axis_title = format!("Memory [{unit}]");
    let axis_title = Line::new(axis_title, TICK_SIZE, Anchor::End, (right, 14));
    let mut axis_title = axis_title.painted(Paint::Tone(Tone::Muted));
    if let Some(title) = text::ellipsize(title, Face::SansBold, 14, right - MARGIN)
        && !title.is_empty()
    {
        let title = Line::new(title, 14, Anchor::Start, (MARGIN, 11)).bold();
        if title.rect.x1 + 16 > axis_title.rect.x0 {
            let rect = &mut axis_title.rect;
            (rect.y0, rect.y1) = (rect.y0 + 20, rect.y1 + 20);
        }
        scene.lines.push(title);
    }
    let y = axis_title.rect.y1 + 6;
    scene.lines.push(axis_title);
    y
}

/// Tick labels and marks; returns the bottom of the marks.
fn ticks(scene: &mut Scene, axis: &ByteAxis, y: i32) -> i32 {
    let bottom = y + line_height(TICK_SIZE);
    for tick in &axis.ticks {
        let half = text::width(&tick.text, Face::Sans, TICK_SIZE) / 2 + 2;
        let x = tick.x.clamp(half, (scene.width - half).max(half));
        let line = Line::new(tick.text.clone(), TICK_SIZE, Anchor::Middle, (x, y));
        scene.lines.push(line.painted(Paint::Tone(Tone::Muted)));
        let mark = Rect::new(tick.x, bottom + 1, tick.x + 1, bottom + 6);
        scene.shapes.push(Shape::Fill(mark, Paint::Tone(Tone::Muted)));
    }
    let base = Rect::new(axis.x0, bottom + 5, axis.x1, bottom + 6);
    scene.shapes.push(Shape::Fill(base, Paint::Tone(Tone::Muted)));
    bottom + 6
}

/// What the line of the container says, in the longest words that fit beside it.
fn container_label(container: Container, x: i32, width: i32, y: i32) -> Line {
    let tone = if container.named { Tone::Danger } else { Tone::Muted };
    let paint = Paint::Tone(tone);
    for text in &container_words(container) {
        let before = Line::new(text.as_str(), SIZE, Anchor::End, (x - 8, y));
        if before.rect.x0 >= MARGIN {
            return before.painted(paint);
        }
        let after = Line::new(text.as_str(), SIZE, Anchor::Start, (x + 8, y));
        if after.rect.x1 <= width - MARGIN {
            return after.painted(paint);
        }
    }
    // Unreachable from WIDTH_MIN on: the shortest words fit beside any line.
    Line::new(container.limit.to_string(), SIZE, Anchor::Start, (MARGIN, y)).painted(paint)
}

/// What happens at a limit that is named, or which limit to name; the longest words first.
fn container_words(container: Container) -> Vec<String> {
    let limit = container.limit;
    if !container.named {
        return vec![
            format!("process size {limit}: ask the container for this much"),
            format!("process size {limit}: ask for this much"),
            format!("process size {limit}"),
            limit.to_string(),
        ];
    }
    let room = match container.headroom.get() {
        headroom if headroom < 0 => {
            format!(", {} too small", Bytes::new(headroom.saturating_neg()))
        }
        headroom if headroom > 0 => format!(", {} to spare", container.headroom),
        _ => String::new(),
    };
    vec![
        format!("container limit {limit}{room}: the kernel kills the process here"),
        format!("container limit {limit}{room}: killed here"),
        format!("container limit {limit}{room}"),
        format!("limit {limit}{room}"),
        format!("limit {limit}"),
    ]
}

/// Name and size, as in `Task Heap 384 MiB`.
fn named_size(component: &Component) -> String {
    format!("{} {}", component.name, component.bytes)
}

/// The colour of a family.
const fn tone(color: Color) -> Tone {
    match color {
        Color::Heap => Tone::Heap,
        Color::OffHeap => Tone::OffHeap,
        Color::Managed => Tone::Managed,
        Color::Network => Tone::Network,
        Color::Jvm => Tone::Jvm,
        Color::Total => Tone::Muted,
    }
}

/// The pattern of a family; the heap is plain.
const fn pattern(color: Color) -> Option<Hatch> {
    match color {
        Color::Heap | Color::Total => None,
        Color::OffHeap => Some(Hatch::Rising),
        Color::Managed => Some(Hatch::Falling),
        Color::Network => Some(Hatch::Vertical),
        Color::Jvm => Some(Hatch::Horizontal),
    }
}

/// A share of the process in percent with one decimal, by integers.
fn percent(bytes: Bytes, total: Bytes) -> String {
    let (bytes, total) = (i128::from(bytes.get()), i128::from(total.get()).max(1));
    let tenths = (bytes * 2000 + total) / (total * 2);
    match tenths {
        0 if bytes > 0 => "<\u{202f}0.1\u{202f}%".to_owned(),
        tenths if tenths % 10 == 0 => format!("{}\u{202f}%", tenths / 10),
        tenths => format!("{}.{}\u{202f}%", tenths / 10, tenths % 10),
    }
}

/// The exact values of a component in words.
fn readout(component: &Component, total: Bytes) -> String {
    let exact = grouped(component.bytes.get());
    let (size, share) = (named_colon(component), percent(component.bytes, total));
    format!("{size} ({exact} bytes), {share} of the process")
}

fn named_colon(component: &Component) -> String {
    format!("{}: {}", component.name, component.bytes)
}

/// One sentence for readers who cannot see the drawing.
fn description(input: &MemoryBarInput, total: Bytes) -> String {
    let is_leaf = |c: &&Component| !input.components.iter().any(|other| other.parent == Some(c.id));
    let leaves: Vec<_> = input.components.iter().filter(is_leaf).map(named_size).collect();
    let Container { limit, named, headroom } = input.container;
    let container = match headroom.get() {
        _ if !named => "no container limit is named, so ask the container for that much".to_owned(),
        0 => format!("the container's limit of {limit} lies at its end"),
        h if h > 0 => format!("the container's limit of {limit} leaves {headroom}"),
        h => {
            let short = Bytes::new(h.saturating_neg());
            format!("the container's limit of {limit} is {short} too small")
        }
    };
    format!("A process of {total} to scale: {}; {container}.", leaves.join(", "))
}
