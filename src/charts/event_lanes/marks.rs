//! The marks of records and results: each outcome has a shape of its own beside its colour.

use crate::charts::scene::{Rect, Shape};
use crate::charts::theme::{Paint, Tone};
use crate::event_time::operator::Outcome;

/// Half the size of a mark (px).
pub const HALF: i32 = 5;

/// The colour of an outcome.
pub const fn tone(outcome: Option<Outcome>) -> Tone {
    match outcome {
        Some(Outcome::OnTime) => Tone::OnTime,
        Some(Outcome::Late) => Tone::Late,
        Some(Outcome::Dropped) => Tone::Dropped,
        Some(Outcome::Ignored) => Tone::Muted,
        None => Tone::Danger,
    }
}

/// On time: a disc; late but counted: a triangle; dropped: a cross; in no window: a ring; where the
/// job failed: a square.
pub fn record(outcome: Option<Outcome>, (x, y): (i32, i32)) -> Vec<Shape> {
    let paint = Paint::Tone(tone(outcome));
    let stroke =
        |from: (i32, i32), to: (i32, i32)| Shape::Path { points: vec![from, to], thick: 2, paint };
    match outcome {
        Some(Outcome::OnTime) => vec![Shape::Polygon { points: octagon(x, y), paint }],
        Some(Outcome::Late) => {
            let points =
                vec![(x - HALF - 1, y + HALF), (x, y - HALF - 1), (x + HALF + 1, y + HALF)];
            vec![Shape::Polygon { points, paint }]
        }
        Some(Outcome::Dropped) => vec![
            stroke((x - HALF, y - HALF), (x + HALF, y + HALF)),
            stroke((x - HALF, y + HALF), (x + HALF, y - HALF)),
        ],
        Some(Outcome::Ignored) => {
            let mut points = octagon(x, y);
            points.push(points[0]);
            vec![Shape::Path { points, thick: 1, paint }]
        }
        None => vec![Shape::Fill(Rect::new(x - HALF, y - HALF, x + HALF, y + HALF), paint)],
    }
}

/// A first result: a full diamond; a repeated one: an open one.
pub fn firing(is_refire: bool, (x, y): (i32, i32)) -> Shape {
    let mut points = vec![(x, y - HALF), (x + HALF, y), (x, y + HALF), (x - HALF, y)];
    let paint = Paint::Tone(Tone::Good);
    if is_refire {
        points.push(points[0]);
        Shape::Path { points, thick: 2, paint }
    } else {
        Shape::Polygon { points, paint }
    }
}

fn octagon(x: i32, y: i32) -> Vec<(i32, i32)> {
    const NEAR: i32 = 2;
    vec![
        (x - NEAR, y - HALF),
        (x + NEAR, y - HALF),
        (x + HALF, y - NEAR),
        (x + HALF, y + NEAR),
        (x + NEAR, y + HALF),
        (x - NEAR, y + HALF),
        (x - HALF, y + NEAR),
        (x - HALF, y - NEAR),
    ]
}
