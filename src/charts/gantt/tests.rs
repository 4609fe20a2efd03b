//! Which rows a checkpoint by subtask has, and where they lie.

use super::*;
use crate::checkpoint::timeline::{SubtaskTimes, TimelineMark};

fn row(index: u32, times: SubtaskTimes) -> TimelineRow {
    TimelineRow {
        id: format!("op-{index}"),
        group: "window sum -> sink: Writer".to_owned(),
        name: index.to_string(),
        spans: times.spans(),
        is_slowest: index == 1,
    }
}

fn of<'a>(timeline: &'a Timeline, ends: &'a [Option<u64>]) -> Rows<'a> {
    Rows { timeline, order: RowOrder::Given, ends }
}

fn sample() -> Timeline {
    let aligned = SubtaskTimes {
        start_delay_ms: 1016,
        alignment_ms: 3098,
        sync_ms: 2,
        async_ms: 20,
        end_to_end_ms: 4140,
        unaligned: false,
    };
    let switched = SubtaskTimes {
        start_delay_ms: 8,
        alignment_ms: 1992,
        sync_ms: 0,
        async_ms: 1000,
        end_to_end_ms: 2007,
        unaligned: true,
    };
    Timeline {
        rows: vec![row(0, switched), row(1, aligned)],
        marks: vec![TimelineMark {
            at_ms: 1000,
            name: "aligned-checkpoint-timeout".to_owned(),
            is_danger: false,
        }],
    }
}

#[test]
fn bars_are_to_scale_and_texts_inside_at_any_width() {
    for width in [280, 390, 640, 1200, 2000] {
        let (scene, regions) =
            layout(of(&sample(), &[]), SINCE_TRIGGER, width).expect("there is room");
        for line in &scene.lines {
            assert!(scene.bounds().contains(line.rect), "{} at {width}", line.text);
        }
        for (i, a) in scene.lines.iter().enumerate() {
            for b in &scene.lines[i + 1..] {
                assert!(!a.rect.overlaps(b.rect), "{} on {} at {width}", a.text, b.text);
            }
        }
        assert_eq!(regions.len(), 2);
        let bars: Vec<Rect> = scene
            .shapes
            .iter()
            .filter_map(|shape| match shape {
                Shape::Fill(rect, Paint::Tone(Tone::Aligned)) if rect.height() == BAR => {
                    Some(*rect)
                }
                _ => None,
            })
            .collect();
        let ratio = f64::from(bars[1].width()) / f64::from(bars[0].width());
        assert!((ratio - 3098.0 / 999.0).abs() < 0.2, "{ratio} at {width}");
    }
}

#[test]
fn a_strip_lies_inside_its_row() {
    let (scene, regions) = layout(of(&sample(), &[]), SINCE_TRIGGER, 800).expect("there is room");
    let strip = scene.shapes.iter().find_map(|shape| match shape {
        Shape::Fill(rect, Paint::Tone(Tone::Unaligned)) if rect.height() == STRIP => Some(*rect),
        _ => None,
    });
    let strip = strip.expect("there is something");
    assert!(f64::from(strip.y0) > regions[0].y);
    assert!(f64::from(strip.y1) < regions[0].y + regions[0].height);
    assert!(regions[0].label.contains("overtaking 993 ms"), "{}", regions[0].label);
}

#[test]
fn the_pinned_run_s_ends_lie_on_the_axis_that_reaches_them() {
    let ends = [Some(8280), None];
    let (scene, regions) = layout(of(&sample(), &ends), SINCE_TRIGGER, 800).expect("there is room");
    let is_end = |shape: &&Shape| matches!(shape, Shape::Fill(rect, Paint::Tone(Tone::Text)) if rect.height() == BAR + 4);
    // One in the legend, one on the row.
    assert_eq!(scene.shapes.iter().filter(is_end).count(), 2);
    assert!(regions[0].label.ends_with(". A: until 8.28 s"), "{}", regions[0].label);
    assert!(!regions[1].label.contains("A:"), "{}", regions[1].label);
    let longest = scene.shapes.iter().filter_map(|shape| match shape {
        Shape::Fill(rect, Paint::Tone(Tone::Aligned)) => Some(rect.x1),
        _ => None,
    });
    // The axis is nearly twice as long as this run's own last row.
    let middle = (regions[0].x + regions[0].width) as i32 - 280;
    assert!(longest.max().expect("there is something") < middle);
    assert!(scene.lines.iter().any(|line| line.text == END_OF_A));
}

#[test]
fn what_cannot_be_drawn_is_said() {
    assert_eq!(
        layout(of(&Timeline::default(), &[]), SINCE_TRIGGER, 800).unwrap_err(),
        ChartError::NothingToDraw
    );
    assert_eq!(
        layout(of(&sample(), &[]), SINCE_TRIGGER, 100).unwrap_err(),
        ChartError::Width { width: 100 }
    );
    let mut endless = sample();
    endless.rows[0].spans[0].end_ms = u64::MAX;
    assert!(draw_over(of(&endless, &[]), SINCE_TRIGGER, Theme::Light, 600).is_ok());
    endless.rows[0].spans[0] = Span { phase: Phase::Sync, start_ms: 9, end_ms: 3 };
    assert!(draw_over(of(&endless, &[]), SINCE_TRIGGER, Theme::Light, 600).is_ok());
}

/// Six hundred subtasks, each a millisecond slower than the one before; the last but two is named.
fn many() -> Timeline {
    let times = |end_to_end_ms| SubtaskTimes {
        start_delay_ms: end_to_end_ms,
        end_to_end_ms,
        ..SubtaskTimes::default()
    };
    let rows = (0..600).map(|index| TimelineRow {
        is_slowest: index == 597,
        ..row(index, times(1000 + u64::from(index)))
    });
    Timeline { rows: rows.collect(), marks: Vec::new() }
}

#[test]
fn of_more_rows_than_there_is_room_for_the_slowest_are_drawn() {
    let timeline = many();
    let ends: Vec<Option<u64>> = (0..600).map(|ms| Some(5000 + ms)).collect();
    let (scene, regions) = layout(of(&timeline, &ends), SINCE_TRIGGER, 600).expect("there is room");
    let ids: Vec<&str> = regions.iter().map(|it| it.id.as_str()).collect();
    assert_eq!((ids.len(), ids[0], ids[127]), (ROWS_MAX, "op-472", "op-599"), "in their order");
    assert!(scene.lines.iter().any(|it| it.text == "The 128 slowest; 472 are left out"));
    assert!(regions[0].label.ends_with("A: until 5.472 s"), "{}", regions[0].label);
    let chart =
        draw_over(of(&timeline, &[]), SINCE_TRIGGER, Theme::Dark, 600).expect("it is drawn");
    let said = "600 subtasks, of which the 128 that took longest are drawn and 472 are left out";
    assert!(chart.description.starts_with(said), "{}", chart.description);
    let slowest = Rows { order: RowOrder::Slowest, ..of(&timeline, &ends) };
    let (_, regions) = layout(slowest, SINCE_TRIGGER, 600).expect("there is room");
    let ids: Vec<&str> = regions.iter().map(|it| it.id.as_str()).collect();
    assert_eq!(ids[..3], ["op-597", "op-599", "op-598"], "the one that is named comes first");
    assert!(regions[1].label.ends_with("A: until 5.599 s"), "{}", regions[1].label);
}

#[test]
fn the_one_that_is_named_is_drawn_whatever_else_took_as_long() {
    let mut timeline = many();
    for it in &mut timeline.rows {
        it.spans = vec![Span { phase: Phase::StartDelay, start_ms: 0, end_ms: 9 }];
    }
    for order in [RowOrder::Given, RowOrder::Slowest] {
        let rows = Rows { order, ..of(&timeline, &[]) };
        let (scene, regions) = layout(rows, SINCE_TRIGGER, 280).expect("there is room");
        assert!(regions.iter().any(|it| it.id == "op-597"), "{order:?}");
        for line in &scene.lines {
            assert!(scene.bounds().contains(line.rect), "{}", line.text);
        }
    }
}
