//! A drawing as data: shapes, texts and the boxes of components, in whole pixels.
//!
//! Layouts return a [`Scene`]; tests look at its rectangles, and [`Scene::to_svg`] paints it.

use plotters_backend::{BackendColor, BackendStyle, DrawingBackend, DrawingErrorKind};

use super::backend::{Anchor, FixedMetrics, Label, opaque};
use super::hatch::{self, Hatch};
use super::text::{self, Face};
use super::theme::{Paint, Theme, Tone};
use super::{ChartError, Region};

/// A rectangle of whole pixels; `x1` and `y1` lie just outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rect {
    /// Left edge.
    pub x0: i32,
    /// Top edge.
    pub y0: i32,
    /// Right edge, exclusive.
    pub x1: i32,
    /// Bottom edge, exclusive.
    pub y1: i32,
}

impl Rect {
    /// The rectangle between two corners.
    pub const fn new(x0: i32, y0: i32, x1: i32, y1: i32) -> Self {
        Self { x0, y0, x1, y1 }
    }

    /// Its width (px).
    pub const fn width(self) -> i32 {
        self.x1 - self.x0
    }

    /// Its height (px).
    pub const fn height(self) -> i32 {
        self.y1 - self.y0
    }

    /// Whether the two share a pixel.
    pub const fn overlaps(self, other: Self) -> bool {
        self.x0 < other.x1 && other.x0 < self.x1 && self.y0 < other.y1 && other.y0 < self.y1
    }

    /// Whether `other` lies inside.
    pub const fn contains(self, other: Self) -> bool {
        self.x0 <= other.x0 && other.x1 <= self.x1 && self.y0 <= other.y0 && other.y1 <= self.y1
    }

    /// The rectangle moved down by `dy`.
    pub const fn lower(self, dy: i32) -> Self {
        Self::new(self.x0, self.y0 + dy, self.x1, self.y1 + dy)
    }

    /// The rectangle grown by `dx` and `dy` on both sides.
    pub const fn grown(self, dx: i32, dy: i32) -> Self {
        Self::new(self.x0 - dx, self.y0 - dy, self.x1 + dx, self.y1 + dy)
    }
}

/// A mark without text.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// A filled rectangle.
    Fill(Rect, Paint),
    /// The border of a rectangle, one pixel wide, inside it.
    Frame(Rect, Paint),
    /// Lines inside a rectangle.
    Lines {
        /// Where.
        area: Rect,
        /// In which direction.
        hatch: Hatch,
        /// From one line to the next (px).
        step: i32,
        /// How wide a line is (px).
        thick: i32,
        /// Their colour.
        paint: Paint,
        /// Their opacity, 0 to 1.
        alpha: f64,
    },
    /// A filled polygon.
    Polygon {
        /// Its corners.
        points: Vec<(i32, i32)>,
        /// Its colour.
        paint: Paint,
    },
    /// A line through points.
    Path {
        /// From the first to the last.
        points: Vec<(i32, i32)>,
        /// How wide it is (px).
        thick: u32,
        /// Its colour.
        paint: Paint,
    },
}

impl Shape {
    fn lower(mut self, dy: i32) -> Self {
        match &mut self {
            Self::Fill(rect, _) | Self::Frame(rect, _) | Self::Lines { area: rect, .. } => {
                *rect = rect.lower(dy);
            }
            Self::Path { points, .. } | Self::Polygon { points, .. } => {
                points.iter_mut().for_each(|(_, y)| *y += dy)
            }
        }
        self
    }
}

/// A line of text and the box that it takes.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// The text.
    pub text: String,
    /// What it takes by the built-in table of widths.
    pub rect: Rect,
    /// Its typeface.
    pub face: Face,
    /// Its font size (px).
    pub size: u32,
    /// The end that keeps its place where the reader's font is narrower.
    pub anchor: Anchor,
    /// Its colour.
    pub paint: Paint,
    /// A ground painted behind it, where a pattern or a line would run through the letters.
    pub plate: Option<(Rect, Tone)>,
}

/// The height of a line of text of `size` px (px).
pub const fn line_height(size: u32) -> i32 {
    size as i32 + 4
}

impl Line {
    /// A line in the sans face with its top at `y`, starting, centred or ending at `x`.
    pub fn new(text: impl Into<String>, size: u32, anchor: Anchor, (x, y): (i32, i32)) -> Self {
        let text = text.into();
        let face = Face::Sans;
        let rect = boxed(&text, face, size, anchor, x, y);
        Self { text, rect, face, size, anchor, paint: Paint::Tone(Tone::Text), plate: None }
    }

    /// The same in another colour.
    pub fn painted(mut self, paint: Paint) -> Self {
        self.paint = paint;
        self
    }

    /// The same with a ground behind it.
    pub fn on_plate(mut self, tone: Tone) -> Self {
        self.plate = Some((self.rect.grown(2, 0), tone));
        self
    }

    /// The same in bold.
    pub fn bold(mut self) -> Self {
        self.face = Face::SansBold;
        let x = self.anchor_x();
        self.rect = boxed(&self.text, self.face, self.size, self.anchor, x, self.rect.y0);
        self
    }

    fn anchor_x(&self) -> i32 {
        match self.anchor {
            Anchor::Start => self.rect.x0,
            Anchor::Middle => self.rect.x0 + self.rect.width() / 2,
            Anchor::End => self.rect.x1,
        }
    }
}

fn boxed(text: &str, face: Face, size: u32, anchor: Anchor, x: i32, y: i32) -> Rect {
    let width = text::width(text, face, size);
    let x0 = match anchor {
        Anchor::Start => x,
        Anchor::Middle => x - width / 2,
        Anchor::End => x - width,
    };
    Rect::new(x0, y, x0 + width, y + line_height(size))
}

/// The box of one component.
#[derive(Debug, Clone, PartialEq)]
pub struct Placed {
    /// The component's id.
    pub id: &'static str,
    /// The id of the component around it.
    pub parent: Option<&'static str>,
    /// Its box, or `None` where it has no bytes.
    pub rect: Option<Rect>,
    /// Where it answers to a pointer.
    pub hit: Rect,
}

/// A laid-out drawing.
#[derive(Debug, Clone, PartialEq)]
pub struct Scene {
    /// Width (px).
    pub width: i32,
    /// Height (px).
    pub height: i32,
    /// Marks in the order they are painted.
    pub shapes: Vec<Shape>,
    /// Texts, painted over all marks.
    pub lines: Vec<Line>,
    /// The boxes of components, outer ones first.
    pub placed: Vec<Placed>,
}

impl Scene {
    /// An empty drawing; layouts set the height when they know it.
    pub const fn new(width: i32) -> Self {
        Self { width, height: 0, shapes: Vec::new(), lines: Vec::new(), placed: Vec::new() }
    }

    /// The whole drawing as a rectangle.
    pub const fn bounds(&self) -> Rect {
        Rect::new(0, 0, self.width, self.height)
    }

    /// This drawing with another one below it, as wide as the wider of the two.
    pub fn above(mut self, below: Self, gap: i32) -> Self {
        let dy = self.height + gap;
        self.width = self.width.max(below.width);
        self.height = dy + below.height;
        self.shapes.extend(below.shapes.into_iter().map(|shape| shape.lower(dy)));
        self.lines.extend(below.lines.into_iter().map(|line| Line {
            rect: line.rect.lower(dy),
            plate: line.plate.map(|(rect, tone)| (rect.lower(dy), tone)),
            ..line
        }));
        self.placed.extend(below.placed.into_iter().map(|placed| Placed {
            rect: placed.rect.map(|rect| rect.lower(dy)),
            hit: placed.hit.lower(dy),
            ..placed
        }));
        self
    }

    /// The drawing as an SVG element.
    pub fn to_svg(&self, theme: Theme) -> Result<String, ChartError> {
        let mut svg = String::new();
        let size = (self.width.unsigned_abs(), self.height.unsigned_abs());
        let target = plotters::backend::SVGBackend::with_string(&mut svg, size);
        self.paint(&mut FixedMetrics::new(target), theme)
            .map_err(|error| ChartError::Drawing { reason: error.to_string() })?;
        Ok(svg)
    }

    fn paint<B: DrawingBackend>(
        &self,
        backend: &mut B,
        theme: Theme,
    ) -> Result<(), DrawingErrorKind<B::ErrorType>> {
        fill(backend, self.bounds(), opaque(theme.tone(Tone::Surface)))?;
        for shape in &self.shapes {
            match shape {
                Shape::Fill(rect, paint) => fill(backend, *rect, opaque(theme.paint(*paint)))?,
                Shape::Frame(rect, paint) => frame(backend, *rect, opaque(theme.paint(*paint)))?,
                Shape::Polygon { points, paint } => {
                    backend.fill_polygon(points.iter().copied(), &opaque(theme.paint(*paint)))?;
                }
                Shape::Path { points, thick, paint } => {
                    let style = Stroke { color: opaque(theme.paint(*paint)), width: *thick };
                    backend.draw_path(points.iter().copied(), &style)?;
                }
                &Shape::Lines { area, hatch, step, thick, paint, alpha } => {
                    let points = hatch::polygon(area, hatch, step, thick);
                    if !points.is_empty() {
                        let color = BackendColor { alpha, ..opaque(theme.paint(paint)) };
                        backend.fill_polygon(points, &color)?;
                    }
                }
            }
        }
        for line in &self.lines {
            if let Some((rect, tone)) = line.plate {
                fill(backend, rect, opaque(theme.tone(tone)))?;
            }
        }
        for line in &self.lines {
            let Line { face, size, anchor, .. } = *line;
            let label = Label { face, size, rgb: theme.paint(line.paint), anchor };
            let middle = line.rect.y0 + line.rect.height() / 2;
            backend.draw_text(&line.text, &label, (line.anchor_x(), middle))?;
        }
        backend.present()
    }

    /// The places that answer to a pointer, labelled by `label`.
    pub fn regions(&self, label: impl Fn(&str) -> String) -> Vec<Region> {
        let region = |placed: &Placed| Region {
            id: placed.id.to_owned(),
            label: label(placed.id),
            x: f64::from(placed.hit.x0),
            y: f64::from(placed.hit.y0),
            width: f64::from(placed.hit.width()),
            height: f64::from(placed.hit.height()),
        };
        self.placed.iter().map(region).collect()
    }
}

/// How a path is drawn.
struct Stroke {
    color: BackendColor,
    width: u32,
}

impl BackendStyle for Stroke {
    fn color(&self) -> BackendColor {
        self.color
    }

    fn stroke_width(&self) -> u32 {
        self.width
    }
}

fn fill<B: DrawingBackend>(
    backend: &mut B,
    rect: Rect,
    color: BackendColor,
) -> Result<(), DrawingErrorKind<B::ErrorType>> {
    backend.draw_rect((rect.x0, rect.y0), (rect.x1, rect.y1), &color, true)
}

/// Four filled edges rather than a stroke: a stroke would lie half outside and blur.
fn frame<B: DrawingBackend>(
    backend: &mut B,
    rect: Rect,
    color: BackendColor,
) -> Result<(), DrawingErrorKind<B::ErrorType>> {
    let Rect { x0, y0, x1, y1 } = rect;
    if rect.width() <= 2 {
        return fill(backend, rect, color);
    }
    for edge in [
        Rect::new(x0, y0, x1, y0 + 1),
        Rect::new(x0, y1 - 1, x1, y1),
        Rect::new(x0, y0 + 1, x0 + 1, y1 - 1),
        Rect::new(x1 - 1, y0 + 1, x1, y1 - 1),
    ] {
        fill(backend, edge, color)?;
    }
    Ok(())
}
