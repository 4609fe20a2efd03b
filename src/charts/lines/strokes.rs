//! How a line is drawn: whole, or in pieces.

use super::{Drawn, SAMPLE, SIZE, Stroke};
use crate::charts::backend::Anchor;
use crate::charts::scene::{Line, Rect, Scene, Shape, line_height};
use crate::charts::theme::Paint;

/// A line in its stroke.
pub(super) fn stroke(
    scene: &mut Scene,
    points: &[(i32, i32)],
    &Drawn { line, thick, .. }: &Drawn<'_>,
) {
    let paint = Paint::Tone(line.tone);
    let pieces = match line.stroke {
        Stroke::Solid => vec![points.to_vec()],
        Stroke::Dashed => pieces(points, 9.0, 5.0),
        Stroke::Dotted => pieces(points, 2.0, 4.0),
        Stroke::Sparse => pieces(points, 3.0, 8.0),
    };
    let whole = pieces.into_iter().filter(|piece| piece.len() > 1);
    scene.shapes.extend(whole.map(|points| Shape::Path { points, thick, paint }));
    // One value alone is no line.
    if let [(x, y)] = *points {
        scene.shapes.push(Shape::Fill(Rect::new(x - 2, y - 2, x + 3, y + 3), paint));
    }
}

/// Cuts a path into pieces of `on` px with `off` px between them.
fn pieces(points: &[(i32, i32)], on: f64, off: f64) -> Vec<Vec<(i32, i32)>> {
    let mut found: Vec<Vec<(i32, i32)>> = Vec::new();
    let whole = |(x, y): (f64, f64)| (x.round() as i32, y.round() as i32);
    let mut left = on;
    let mut is_on = true;
    found.extend(points.first().map(|first| vec![*first]));
    for pair in points.windows(2) {
        let [mut from, to] = [pair[0], pair[1]].map(|(x, y)| (f64::from(x), f64::from(y)));
        loop {
            let (dx, dy) = (to.0 - from.0, to.1 - from.1);
            let length = (dx * dx + dy * dy).sqrt();
            let step = left.min(length);
            if length > 0.0 {
                from = (from.0 + dx * step / length, from.1 + dy * step / length);
            }
            if is_on && let Some(piece) = found.last_mut() {
                piece.push(whole(from));
            }
            left -= step;
            if left > 0.0 {
                break;
            }
            is_on = !is_on;
            left = if is_on { on } else { off };
            if is_on {
                found.push(vec![whole(from)]);
            }
        }
    }
    found
}

/// A piece of the line, then its name.
pub(super) fn sample(scene: &mut Scene, drawn: &Drawn<'_>, (x, y): (i32, i32)) -> Rect {
    let middle = y + line_height(SIZE) / 2;
    stroke(scene, &[(x, middle), (x + SAMPLE, middle)], drawn);
    let name = Line::new(drawn.name.as_str(), SIZE, Anchor::Start, (x + SAMPLE + 6, y));
    let rect = name.rect;
    scene.lines.push(name);
    rect
}
