//! The marks of records and results: each outcome has a shape of its own beside its colour.

use crate::charts::scene::{Rect, Shape};
use crate::charts::theme::{Paint, Tone};
use crate::event_time::report::RecordOutcome;
use crate::event_time::signal::Status;

/// Half the size of a mark (px).
pub const HALF: i32 = 5;

/// The colour of an outcome.
pub const fn tone(outcome: Option<RecordOutcome>) -> Tone {
    match outcome {
        Some(RecordOutcome::OnTime) => Tone::OnTime,
        Some(RecordOutcome::Late) => Tone::Late,
        Some(RecordOutcome::Dropped) => Tone::Dropped,
        Some(RecordOutcome::Ignored | RecordOutcome::Duplicate) => Tone::Muted,
        None => Tone::Danger,
    }
}

/// On time: a disc; late but counted: a triangle; dropped: a cross; in no window: a ring; a
/// duplicate: two bars; where the job failed: a square.
pub fn record(outcome: Option<RecordOutcome>, (x, y): (i32, i32)) -> Vec<Shape> {
    let paint = Paint::Tone(tone(outcome));
    let stroke =
        |from: (i32, i32), to: (i32, i32)| Shape::Path { points: vec![from, to], thick: 2, paint };
    match outcome {
        Some(RecordOutcome::OnTime) => vec![Shape::Polygon { points: octagon(x, y), paint }],
        Some(RecordOutcome::Late) => {
            let points =
                vec![(x - HALF - 1, y + HALF), (x, y - HALF - 1), (x + HALF + 1, y + HALF)];
            vec![Shape::Polygon { points, paint }]
        }
        Some(RecordOutcome::Dropped) => vec![
            stroke((x - HALF, y - HALF), (x + HALF, y + HALF)),
            stroke((x - HALF, y + HALF), (x + HALF, y - HALF)),
        ],
        Some(RecordOutcome::Duplicate) => {
            vec![
                stroke((x - HALF, y - 2), (x + HALF, y - 2)),
                stroke((x - HALF, y + 2), (x + HALF, y + 2)),
            ]
        }
        Some(RecordOutcome::Ignored) => {
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

/// A watermark of the input: a bar across the staircase.
pub fn watermark((x, y): (i32, i32)) -> [Shape; 2] {
    let paint = Paint::Tone(Tone::Text);
    let across = |at: i32, half: i32| vec![(at - half, y), (at + half, y)];
    let down = vec![(x, y - HALF), (x, y + HALF)];
    [
        Shape::Path { points: across(x, 2 * HALF), thick: 2, paint },
        Shape::Path { points: down, thick: 2, paint },
    ]
}

/// A status of the input, at the foot of the picture: idle an open square, active a full one.
pub fn status(status: Status, (x, foot): (i32, i32)) -> Shape {
    let square = Rect::new(x - HALF, foot - 2 * HALF, x + HALF, foot);
    let paint = Paint::Tone(Tone::Text);
    match status {
        Status::Idle => Shape::Frame(square, paint),
        Status::Active => Shape::Fill(square, paint),
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
