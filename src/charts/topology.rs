//! A job at one moment: its subtasks, the channels between them, how full these are, and where the
//! barriers are. What is shown is in the picture's own structs; `checkpoint_picture` makes them from
//! a run.
//!
//! A job flows from left to right where its stages have room for that, else from top to bottom.

mod places;

use super::axis::TICK_SIZE;
use super::backend::Anchor;
use super::memory_bar::{WIDTH_MAX, WIDTH_MIN};
use super::scene::{Line, Rect, Scene, Shape, line_height};
use super::text::{self, Face};
use super::theme::{Paint, Theme, Tone};
use super::{Chart, ChartError, Region};
use places::{Stub, places};

/// Free space around the drawing (px).
const MARGIN: i32 = 12;
/// The height of a task's box (px).
const BOX: i32 = 44;
/// The least gap between the boxes of a stage (px).
const GAP: i32 = 16;
/// Half the length and half the thickness of a queue's gauge (px).
const GAUGE: (i32, i32) = (14, 4);
/// Half the size of a barrier (px).
const BARRIER: i32 = 8;
/// Half the size of one that overtakes (px).
const DIAMOND: i32 = 11;
/// Half the size of the cross on a channel that is not read (px).
const CROSS: i32 = 7;

/// What a task does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskState {
    /// Records, or nothing.
    Running,
    /// It has a barrier and waits for those of its other channels.
    Aligning,
    /// Its snapshot is taken or written.
    Snapshotting,
    /// Its snapshot is complete.
    Acknowledged,
}

/// A task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskMark {
    /// Its id, for who points at it.
    pub id: String,
    /// Its name, as in `Operator 0`.
    pub name: String,
    /// What it does.
    pub state: TaskState,
    /// The same in a word or two, as in `1 of 2 barriers`.
    pub text: String,
    /// All of it, to be read out.
    pub label: String,
}

/// The subtasks of a vertex.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stage {
    /// Those that are drawn.
    pub tasks: Vec<TaskMark>,
    /// How many more there are.
    pub omitted: usize,
}

/// Where a barrier is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BarrierPlace {
    /// In the sender's queue, behind records.
    Sender,
    /// At the receiver, behind records.
    Receiver,
    /// Taken by the receiver.
    Taken,
}

/// A barrier on a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BarrierMark {
    /// Of which checkpoint.
    pub checkpoint: u64,
    /// Where.
    pub place: BarrierPlace,
    /// Whether it overtakes records.
    pub overtakes: bool,
}

/// A channel.
#[derive(Debug, Clone, PartialEq)]
pub struct ChannelMark {
    /// Its id, for who points at it.
    pub id: String,
    /// Stage and place of the sender.
    pub from: (usize, usize),
    /// Stage and place of the receiver.
    pub to: (usize, usize),
    /// How full the sender's and the receiver's queues are, 0 to 1; `None` where there is no queue.
    pub fill: [Option<f64>; 2],
    /// Whether the receiver reads nothing from it.
    pub is_blocked: bool,
    /// A barrier on it.
    pub barrier: Option<BarrierMark>,
    /// All of it, to be read out.
    pub label: String,
}

/// What is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Topology {
    /// The stages in the order of the flow.
    pub stages: Vec<Stage>,
    /// The channels between the tasks that are drawn.
    pub channels: Vec<ChannelMark>,
    /// One sentence that says what the drawing shows.
    pub description: String,
}

/// Draws a job, `width` px wide.
///
/// # Errors
/// A width that no layout is made for, or no task at all.
pub fn draw(topology: &Topology, theme: Theme, width: u32) -> Result<Chart, ChartError> {
    let (scene, regions) = layout(topology, width)?;
    Ok(Chart {
        svg: scene.to_svg(theme)?,
        width,
        height: scene.height.unsigned_abs(),
        description: topology.description.clone(),
        regions,
    })
}

/// Where everything lies, and the places that answer to a pointer.
pub fn layout(topology: &Topology, width: u32) -> Result<(Scene, Vec<Region>), ChartError> {
    if !(WIDTH_MIN..=WIDTH_MAX).contains(&width) {
        return Err(ChartError::Width { width });
    }
    let most = topology.stages.iter().map(|stage| stage.tasks.len()).max().unwrap_or(0);
    if most == 0 {
        return Err(ChartError::NothingToDraw);
    }
    let mut scene = Scene::new(width as i32);
    let placed = places(topology, scene.width);
    scene.height = 2 * MARGIN + placed.height + line_height(TICK_SIZE) + 4;
    let mut regions = Vec::new();
    for (channel, [from, to]) in topology.channels.iter().zip(&placed.stubs) {
        draw_channel(&mut scene, channel, *from, *to);
        regions.push(region(&channel.id, &channel.label, to.hit()));
    }
    let all = topology.stages.iter().zip(&placed.boxes).zip(&placed.notes);
    for ((stage, rects), note) in all {
        for (task, rect) in stage.tasks.iter().zip(rects) {
            draw_task(&mut scene, task, *rect);
            regions.push(region(&task.id, &task.label, *rect));
        }
        if stage.omitted > 0 {
            let text = format!("and {} more", stage.omitted);
            let line = Line::new(text, TICK_SIZE, Anchor::End, *note).on_plate(Tone::Surface);
            scene.lines.push(line.painted(Paint::Tone(Tone::Muted)));
        }
    }
    Ok((scene, regions))
}

fn draw_channel(scene: &mut Scene, channel: &ChannelMark, from: Stub, to: Stub) {
    let tone = if channel.is_blocked { Tone::Danger } else { Tone::Muted };
    let paint = Paint::Tone(tone);
    let points = vec![from.along(0), from.sender_end(), to.receiver_end(), to.along(0)];
    scene.shapes.push(Shape::Path { points, thick: 1, paint });
    if let Some(fill) = channel.fill[0] {
        gauge(scene, from.sender_gauge(), from.gauge_half(), fill);
    }
    if let Some(fill) = channel.fill[1] {
        gauge(scene, to.receiver_gauge(), to.gauge_half(), fill);
    }
    if channel.is_blocked {
        // A cross on the channel, so that it is not the colour alone that says it.
        let (x, y) = to.cross();
        scene.shapes.push(Shape::Fill(Rect::new(x - 6, y - 2, x + 7, y + 3), paint));
        scene.shapes.push(Shape::Fill(Rect::new(x - 2, y - 6, x + 3, y + 7), paint));
    }
    if let Some(barrier) = channel.barrier {
        let place = match barrier.place {
            BarrierPlace::Sender => from.barrier(),
            BarrierPlace::Receiver => to.ahead(),
            BarrierPlace::Taken => to.barrier(),
        };
        draw_barrier(scene, barrier, place);
    }
}

/// A queue as a bar that fills from its left end.
fn gauge(scene: &mut Scene, (x, y): (i32, i32), half: i32, fill: f64) {
    let thick = GAUGE.1;
    let frame = Rect::new(x - half, y - thick, x + half, y + thick);
    let full = f64::from(frame.width() - 2) * fill.clamp(0.0, 1.0);
    let bar =
        Rect::new(frame.x0 + 1, frame.y0 + 1, frame.x0 + 1 + full.round() as i32, frame.y1 - 1);
    scene.shapes.push(Shape::Fill(frame, Paint::Tone(Tone::Surface)));
    scene.shapes.push(Shape::Fill(bar, Paint::Tone(Tone::Network)));
    scene.shapes.push(Shape::Frame(frame, Paint::Tone(Tone::Muted)));
}

/// An aligned barrier is a square, one that overtakes a diamond.
fn draw_barrier(scene: &mut Scene, barrier: BarrierMark, (x, y): (i32, i32)) {
    let tone = if barrier.overtakes { Tone::Unaligned } else { Tone::Aligned };
    let (half, far) = (BARRIER, DIAMOND);
    scene.shapes.push(match barrier.overtakes {
        true => Shape::Polygon {
            points: vec![(x, y - far), (x + far, y), (x, y + far), (x - far, y)],
            paint: Paint::Tone(tone),
        },
        false => Shape::Fill(Rect::new(x - half, y - half, x + half, y + half), Paint::Tone(tone)),
    });
    let text = barrier.checkpoint.to_string();
    let top = y - line_height(TICK_SIZE) / 2;
    let line = Line::new(text, TICK_SIZE, Anchor::Middle, (x, top));
    scene.lines.push(line.painted(Paint::On(tone)));
}

fn draw_task(scene: &mut Scene, task: &TaskMark, rect: Rect) {
    let (edge, thick) = match task.state {
        TaskState::Running => (Tone::Muted, 1),
        TaskState::Aligning => (Tone::Warning, 2),
        TaskState::Snapshotting => (Tone::Accent, 2),
        TaskState::Acknowledged => (Tone::Good, 2),
    };
    scene.shapes.push(Shape::Fill(rect, Paint::Tone(Tone::Panel)));
    for inset in 0..thick {
        scene.shapes.push(Shape::Frame(rect.grown(-inset, -inset), Paint::Tone(edge)));
    }
    let middle = (rect.x0 + rect.x1) / 2;
    let room = rect.width() - 8;
    let mut write = |words: &str, size: u32, y: i32, tone: Tone| {
        if let Some(fits) = text::ellipsize(words, Face::Sans, size, room) {
            let line = Line::new(fits, size, Anchor::Middle, (middle, y));
            scene.lines.push(line.painted(Paint::Tone(tone)));
        }
    };
    let top = rect.y0 + (rect.height() - BOX) / 2;
    write(&task.name, 12, top + 5, Tone::Text);
    write(&task.text, TICK_SIZE, top + 23, Tone::Muted);
}

fn region(id: &str, label: &str, rect: Rect) -> Region {
    Region {
        id: id.to_owned(),
        label: label.to_owned(),
        x: f64::from(rect.x0),
        y: f64::from(rect.y0),
        width: f64::from(rect.width()),
        height: f64::from(rect.height()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(name: &str, state: TaskState) -> TaskMark {
        TaskMark {
            id: name.to_owned(),
            name: name.to_owned(),
            state,
            text: "1 of 2 barriers".to_owned(),
            label: name.to_owned(),
        }
    }

    fn fan_in(sources: usize) -> Topology {
        let channel = |from| ChannelMark {
            id: format!("channel {from}"),
            from: (0, from),
            to: (1, 0),
            fill: [Some(1.0), Some(0.5)],
            is_blocked: from == 1,
            barrier: Some(BarrierMark {
                checkpoint: 7,
                place: if from == 1 { BarrierPlace::Taken } else { BarrierPlace::Sender },
                overtakes: false,
            }),
            label: format!("Channel {from}"),
        };
        let named = |at| task(&format!("Source {at}"), TaskState::Running);
        Topology {
            stages: vec![
                Stage { tasks: (0..sources).map(named).collect(), omitted: 3 },
                Stage { tasks: vec![task("Operator 0", TaskState::Aligning)], omitted: 0 },
            ],
            channels: (0..sources).map(channel).collect(),
            description: "A job.".to_owned(),
        }
    }

    #[test]
    fn everything_lies_inside_at_every_width_and_no_two_tasks_touch() {
        for sources in 1..=4 {
            for width in [280, 390, 639, 640, 900, 2000] {
                let (scene, regions) = layout(&fan_in(sources), width).expect("it is laid out");
                for line in &scene.lines {
                    assert!(scene.bounds().contains(line.rect), "{width}: {line:?}");
                }
                let tasks: Vec<Rect> = regions[sources..]
                    .iter()
                    .map(|it| {
                        let (x, y) = (it.x as i32, it.y as i32);
                        Rect::new(x, y, x + it.width as i32, y + it.height as i32)
                    })
                    .collect();
                for (at, rect) in tasks.iter().enumerate() {
                    assert!(scene.bounds().contains(*rect), "{width}: {rect:?}");
                    assert!(tasks[at + 1..].iter().all(|other| !rect.overlaps(*other)), "{width}");
                }
            }
        }
    }

    /// Stages of so many tasks, every task with a channel to each of the next stage, and on each
    /// channel all that can stand there.
    fn all_to_all(counts: &[usize], overtakes: bool) -> Topology {
        let mut channels = Vec::new();
        for (stage, pair) in counts.windows(2).enumerate() {
            for (from, to) in (0..pair[0]).flat_map(|from| (0..pair[1]).map(move |to| (from, to))) {
                let place = match (overtakes, (from + to) % 2) {
                    (true, _) => BarrierPlace::Receiver,
                    (false, 0) => BarrierPlace::Sender,
                    (false, _) => BarrierPlace::Taken,
                };
                channels.push(ChannelMark {
                    from: (stage, from),
                    to: (stage + 1, to),
                    is_blocked: true,
                    barrier: Some(BarrierMark { checkpoint: 7, place, overtakes }),
                    ..fan_in(1).channels.swap_remove(0)
                });
            }
        }
        let stage = |count: &usize| Stage {
            tasks: (0..*count).map(|at| task(&at.to_string(), TaskState::Running)).collect(),
            omitted: 7,
        };
        let stages = counts.iter().map(stage).collect();
        Topology { stages, channels, description: "A job.".to_owned() }
    }

    /// The boxes of everything that stands on channels.
    fn marks(scene: &Scene) -> Vec<Rect> {
        let round = |points: &Vec<(i32, i32)>| {
            let (top, bottom) = (points[0], points[2]);
            Rect::new(points[3].0, top.1, points[1].0, bottom.1)
        };
        let found = scene.shapes.iter().filter_map(|shape| match shape {
            Shape::Frame(rect, Paint::Tone(Tone::Muted)) if rect.height() == 2 * GAUGE.1 => {
                Some(*rect)
            }
            Shape::Fill(rect, Paint::Tone(Tone::Aligned)) => Some(*rect),
            // One bar of a cross stands for both.
            Shape::Fill(rect, Paint::Tone(Tone::Danger)) if rect.height() == 13 => {
                Some(rect.grown(4, 0))
            }
            Shape::Polygon { points, .. } => Some(round(points)),
            _ => None,
        });
        found.collect()
    }

    #[test]
    fn no_mark_lies_on_another_one_or_on_a_task_at_any_width() {
        for counts in [&[1, 1][..], &[2, 1], &[2, 2, 1], &[3, 3], &[3, 3, 3], &[1, 2, 2, 1]] {
            for width in [340, 390, 639, 768, 900, 2000] {
                for overtakes in [false, true] {
                    let topology = all_to_all(counts, overtakes);
                    let (scene, regions) = layout(&topology, width).expect("it is laid out");
                    let tasks = regions.iter().skip(topology.channels.len()).map(|it| {
                        let (x, y) = (it.x as i32, it.y as i32);
                        Rect::new(x, y, x + it.width as i32, y + it.height as i32)
                    });
                    let notes = scene.lines.iter().filter(|it| it.text.starts_with("and "));
                    let mut all = marks(&scene);
                    assert_eq!(all.len(), 4 * topology.channels.len(), "{counts:?} {width}");
                    all.extend(tasks);
                    all.extend(notes.map(|it| it.rect));
                    for (at, rect) in all.iter().enumerate() {
                        assert!(scene.bounds().contains(*rect), "{counts:?} {width} {rect:?}");
                        for other in &all[at + 1..] {
                            assert!(
                                !rect.overlaps(*other),
                                "{counts:?} {width} {overtakes}: {rect:?} {other:?}"
                            );
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_blocked_channel_and_a_full_queue_have_marks_of_their_own() {
        let blocked = layout(&fan_in(2), 900).expect("it is laid out").0;
        let is_danger = |shape: &&Shape| matches!(shape, Shape::Fill(_, Paint::Tone(Tone::Danger)));
        assert_eq!(blocked.shapes.iter().filter(is_danger).count(), 2);
        let open = layout(&fan_in(1), 900).expect("it is laid out").0;
        assert_eq!(open.shapes.iter().filter(is_danger).count(), 0);
        let bars: Vec<i32> = open
            .shapes
            .iter()
            .filter_map(|shape| match shape {
                Shape::Fill(rect, Paint::Tone(Tone::Network)) => Some(rect.width()),
                _ => None,
            })
            .collect();
        assert_eq!(bars, [26, 13]);
    }

    #[test]
    fn a_job_without_tasks_and_a_width_without_a_layout_are_refused() {
        let empty =
            Topology { stages: Vec::new(), channels: Vec::new(), description: String::new() };
        assert_eq!(layout(&empty, 900).unwrap_err(), ChartError::NothingToDraw);
        assert_eq!(layout(&fan_in(1), 100).unwrap_err(), ChartError::Width { width: 100 });
    }
}
