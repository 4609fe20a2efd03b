//! A drawing backend that measures text by the built-in table.
//!
//! On wasm32 plotters measures text by adding an element to the page, which gives other pixels on
//! every machine and panics in a Worker, where there is no page. [`FixedMetrics`] answers in its
//! place, and [`Label`] is a text style that never asks.

use std::convert::Infallible;

use plotters_backend::text_anchor::{HPos, Pos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
    FontFamily, FontStyle,
};

use super::text::{self, Face};
use super::theme::Rgb;

/// plotters' SVG backend writes `size / 1.24` as the font size.
const SVG_FONT_SCALE: f64 = 1.24;

/// How a text of a chart is set.
#[derive(Debug, Clone, Copy)]
pub struct Label {
    /// Its typeface.
    pub face: Face,
    /// Its font size (px).
    pub size: u32,
    /// Its colour.
    pub rgb: Rgb,
    /// Which point of the text its position names.
    pub anchor: Anchor,
}

/// Which point of a text its position names; vertically always the middle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// The left end.
    Start,
    /// The middle.
    Middle,
    /// The right end.
    End,
}

impl BackendTextStyle for Label {
    type FontError = Infallible;

    fn color(&self) -> BackendColor {
        opaque(self.rgb)
    }

    fn size(&self) -> f64 {
        f64::from(self.size) * SVG_FONT_SCALE
    }

    fn style(&self) -> FontStyle {
        if self.face == Face::SansBold { FontStyle::Bold } else { FontStyle::Normal }
    }

    fn anchor(&self) -> Pos {
        let h_pos = match self.anchor {
            Anchor::Start => HPos::Left,
            Anchor::Middle => HPos::Center,
            Anchor::End => HPos::Right,
        };
        Pos::new(h_pos, VPos::Center)
    }

    fn family(&self) -> FontFamily<'_> {
        FontFamily::Name(if self.face == Face::Mono { text::MONO } else { text::SANS })
    }

    fn layout_box(&self, text: &str) -> Result<((i32, i32), (i32, i32)), Infallible> {
        Ok(((0, 0), (text::width(text, self.face, self.size), self.size as i32)))
    }

    fn draw<E, F: FnMut(i32, i32, BackendColor) -> Result<(), E>>(
        &self,
        _text: &str,
        _pos: BackendCoord,
        _draw: F,
    ) -> Result<Result<(), E>, Infallible> {
        // Only raster backends ask for pixels of a text; the SVG backend writes the text itself.
        Ok(Ok(()))
    }
}

/// The colour without transparency, as backends take it.
pub(super) fn opaque(rgb: Rgb) -> BackendColor {
    BackendColor { alpha: 1.0, rgb: (rgb.0, rgb.1, rgb.2) }
}

/// Forwards every call to the backend inside, except that it measures text by the built-in table.
#[derive(Debug)]
pub struct FixedMetrics<B>(B);

impl<B: DrawingBackend> FixedMetrics<B> {
    /// Wraps `backend`.
    pub const fn new(backend: B) -> Self {
        Self(backend)
    }
}

type Drawn<B> = Result<(), DrawingErrorKind<<B as DrawingBackend>::ErrorType>>;

impl<B: DrawingBackend> DrawingBackend for FixedMetrics<B> {
    type ErrorType = B::ErrorType;

    fn get_size(&self) -> (u32, u32) {
        self.0.get_size()
    }

    fn ensure_prepared(&mut self) -> Drawn<B> {
        self.0.ensure_prepared()
    }

    fn present(&mut self) -> Drawn<B> {
        self.0.present()
    }

    fn draw_pixel(&mut self, point: BackendCoord, color: BackendColor) -> Drawn<B> {
        self.0.draw_pixel(point, color)
    }

    fn draw_line<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
    ) -> Drawn<B> {
        self.0.draw_line(from, to, style)
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        upper_left: BackendCoord,
        bottom_right: BackendCoord,
        style: &S,
        fill: bool,
    ) -> Drawn<B> {
        self.0.draw_rect(upper_left, bottom_right, style, fill)
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn<B> {
        self.0.draw_path(path, style)
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        center: BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> Drawn<B> {
        self.0.draw_circle(center, radius, style, fill)
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        vert: I,
        style: &S,
    ) -> Drawn<B> {
        self.0.fill_polygon(vert, style)
    }

    fn draw_text<S: BackendTextStyle>(
        &mut self,
        text: &str,
        style: &S,
        pos: BackendCoord,
    ) -> Drawn<B> {
        self.0.draw_text(text, style, pos)
    }

    fn estimate_text_size<S: BackendTextStyle>(
        &self,
        text: &str,
        style: &S,
    ) -> Result<(u32, u32), DrawingErrorKind<Self::ErrorType>> {
        let face = match style.style() {
            FontStyle::Bold => Face::SansBold,
            _ if style.family().as_str().contains("monospace") => Face::Mono,
            _ => Face::Sans,
        };
        // A size that is no whole number of pixels is measured at the next whole one.
        let size = (style.size() / SVG_FONT_SCALE).ceil().clamp(1.0, 1000.0) as u32;
        Ok((text::width(text, face, size).unsigned_abs(), size))
    }

    fn blit_bitmap(&mut self, pos: BackendCoord, size: (u32, u32), src: &[u8]) -> Drawn<B> {
        self.0.blit_bitmap(pos, size, src)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plotters::backend::SVGBackend;
    use plotters::style::{IntoFont, TextStyle};

    #[test]
    fn text_is_measured_by_the_table_and_written_as_is() {
        let mut svg = String::new();
        let mut backend = FixedMetrics::new(SVGBackend::with_string(&mut svg, (100, 50)));
        let label = Label { face: Face::Sans, size: 12, rgb: Rgb::BLACK, anchor: Anchor::End };
        assert_eq!(backend.estimate_text_size("MiB", &label).unwrap(), (22, 12));
        let style = TextStyle::from(("sans-serif", 14.88).into_font());
        assert_eq!(backend.estimate_text_size("MiB", &style).unwrap(), (22, 12));
        backend.draw_text("<MiB>", &label, (90, 20)).unwrap();
        backend.present().unwrap();
        drop(backend);
        assert!(svg.contains("font-size=\"12\"") && svg.contains("&lt;MiB&gt;"), "{svg}");
        assert!(svg.contains(&format!("font-family=\"{}\"", text::SANS)), "{svg}");
    }
}
