//! Patterns that carry the difference of colours once more, in lines.
//!
//! A pattern is one polygon: its stripes hang on the border of the box, joined by edges without
//! area, so a box costs one element however many lines it has.

use super::scene::Rect;

/// The direction of a pattern's lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hatch {
    /// From the lower left to the upper right.
    Rising,
    /// From the upper left to the lower right.
    Falling,
    /// Upright lines.
    Vertical,
    /// Level lines.
    Horizontal,
}

/// The polygon of lines `thick` px wide, one every `step` px, inside `area`; empty where none fits.
pub fn polygon(area: Rect, hatch: Hatch, step: i32, thick: i32) -> Vec<(i32, i32)> {
    let (w, h) = (area.width(), area.height());
    let too_thin = match hatch {
        Hatch::Rising | Hatch::Falling => w <= thick || h <= thick,
        Hatch::Vertical => h <= 0,
        Hatch::Horizontal => w <= 0,
    };
    if too_thin || step <= thick {
        return Vec::new();
    }
    let stripes = match hatch {
        Hatch::Rising | Hatch::Falling => rising(w, h, step, thick),
        Hatch::Vertical => upright(w, h, step, thick),
        Hatch::Horizontal => upright(h, w, step, thick),
    };
    let place = |(x, y)| match hatch {
        Hatch::Rising | Hatch::Vertical => (area.x0 + x, area.y0 + y),
        Hatch::Falling => (area.x1 - x, area.y0 + y),
        Hatch::Horizontal => (area.x0 + y, area.y0 + x),
    };
    stripes.into_iter().map(place).collect()
}

/// Upright stripes in a box of `w` by `h` at the origin, joined along its lower edge.
fn upright(w: i32, h: i32, step: i32, thick: i32) -> Vec<(i32, i32)> {
    let mut points = Vec::new();
    let mut x = (step - thick) / 2;
    while x + thick <= w {
        points.extend([(x, h), (x, 0), (x + thick, 0), (x + thick, h)]);
        x += step;
    }
    points
}

/// Diagonal stripes in a box of `w` by `h` at the origin. A stripe starts on the path along the
/// left and the lower edge and ends on the path along the upper and the right edge, at the same
/// distance from the upper left corner.
fn rising(w: i32, h: i32, step: i32, thick: i32) -> Vec<(i32, i32)> {
    let from = |t: i32| if t <= h { (0, t) } else { (t - h, h) };
    let to = |t: i32| if t <= w { (t, 0) } else { (w, t - w) };
    let corner = |a: i32, b: i32, at: i32| a < at && at < b;
    let mut points = Vec::new();
    let mut last = 0;
    let mut t = (step - thick) / 2;
    while t + thick <= w + h {
        if corner(last, t, h) {
            points.push((0, h));
        }
        points.extend([from(t), to(t)]);
        if corner(t, t + thick, w) {
            points.push((w, 0));
        }
        points.extend([to(t + thick), from(t + thick)]);
        last = t + thick;
        t += step;
    }
    // Back along the edges the stripes hang on, which closes each of them.
    if last > h {
        points.push((0, h));
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Hatch; 4] = [Hatch::Rising, Hatch::Falling, Hatch::Vertical, Hatch::Horizontal];

    /// Twice the area that a polygon encloses.
    fn double_area(points: &[(i32, i32)]) -> i32 {
        let next = points.iter().cycle().skip(1);
        points.iter().zip(next).map(|(a, b)| a.0 * b.1 - b.0 * a.1).sum::<i32>().abs()
    }

    #[test]
    fn upright_stripes_enclose_their_own_area_only() {
        let points = polygon(Rect::new(3, 5, 43, 25), Hatch::Vertical, 8, 1);
        assert_eq!(double_area(&points), 2 * 5 * 20);
        let points = polygon(Rect::new(3, 5, 43, 25), Hatch::Horizontal, 8, 1);
        assert_eq!(double_area(&points), 2 * 3 * 40);
    }

    #[test]
    fn patterns_stay_inside_their_box() {
        for hatch in ALL {
            for (w, h) in [(2, 2), (3, 40), (40, 3), (17, 17), (200, 31), (5, 200)] {
                let area = Rect::new(10, 20, 10 + w, 20 + h);
                for (x, y) in polygon(area, hatch, 7, 1) {
                    assert!((10..=10 + w).contains(&x) && (20..=20 + h).contains(&y));
                }
            }
        }
    }
}
