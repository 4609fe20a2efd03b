//! A job at one moment: its subtasks, the channels between them, how full these are, and where the
//! barriers are. What is shown is in the picture's own structs; `checkpoint_picture` makes them from
//! a run.
//!
//! Wide drawings flow from left to right, narrow ones from top to bottom.

use super::axis::TICK_SIZE;
use super::backend::Anchor;
use super::memory_bar::{WIDTH_MAX, WIDTH_MIN};
use super::scene::{Line, Rect, Scene, Shape, line_height};
use super::text::{self, Face};
use super::theme::{Paint, Theme, Tone};
use super::{Chart, ChartError, Region};

/// From this width on a job flows from left to right (px).
const WIDTH_WIDE: u32 = 640;
/// Free space around the drawing (px).
const MARGIN: i32 = 12;
/// The height of a task's box (px).
const BOX: i32 = 44;
/// The least gap between the boxes of a stage (px).
const GAP: i32 = 16;
/// From one stage to the next where it flows from top to bottom (px).
const FALL: i32 = 104;
/// Half the length and half the thickness of a queue's gauge (px).
const GAUGE: (i32, i32) = (14, 4);
/// Half the size of a barrier (px).
const BARRIER: i32 = 8;

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
    let is_wide = width >= WIDTH_WIDE;
    let mut scene = Scene::new(width as i32);
    let boxes = boxes(topology, &mut scene, most, is_wide);
    let mut regions = Vec::new();
    for channel in &topology.channels {
        let (from, to) = (boxes[channel.from.0][channel.from.1], boxes[channel.to.0][channel.to.1]);
        regions.push(draw_channel(&mut scene, channel, ends(from, to, is_wide)));
    }
    for (stage, rects) in topology.stages.iter().zip(&boxes) {
        for (task, rect) in stage.tasks.iter().zip(rects) {
            draw_task(&mut scene, task, *rect);
            regions.push(region(&task.id, &task.label, *rect));
        }
    }
    Ok((scene, regions))
}

/// A box for each task; says below or beside a stage how many it leaves out.
fn boxes(topology: &Topology, scene: &mut Scene, most: usize, is_wide: bool) -> Vec<Vec<Rect>> {
    let stages = topology.stages.len() as i32;
    let note_height = line_height(TICK_SIZE) + 4;
    let (most, width) = (most as i32, scene.width - 2 * MARGIN);
    if is_wide {
        let box_width = (width / (2 * stages - 1)).clamp(96, 168);
        let step = if stages > 1 { (width - box_width) / (stages - 1) } else { 0 };
        let height = most * (BOX + GAP) - GAP;
        scene.height = 2 * MARGIN + height + note_height;
        return placed(topology, scene, |stage, place, count| {
            let x = MARGIN + stage * step;
            let free = height - count * BOX;
            let gap = free / (count + 1);
            let y = MARGIN + gap + place * (BOX + gap);
            Rect::new(x, y, x + box_width, y + BOX)
        });
    }
    scene.height = 2 * MARGIN + (stages - 1) * FALL + BOX + note_height;
    placed(topology, scene, |stage, place, count| {
        let box_width = (width / count - 6).min(150);
        let free = (width - count * box_width) / count;
        let x = MARGIN + place * (box_width + free) + free / 2;
        let y = MARGIN + stage * FALL;
        Rect::new(x, y, x + box_width, y + BOX)
    })
}

fn placed(
    topology: &Topology,
    scene: &mut Scene,
    place: impl Fn(i32, i32, i32) -> Rect,
) -> Vec<Vec<Rect>> {
    let mut all = Vec::new();
    for (at, stage) in topology.stages.iter().enumerate() {
        let count = stage.tasks.len() as i32;
        let rects: Vec<Rect> = (0..count).map(|index| place(at as i32, index, count)).collect();
        if let Some(last) = rects.last().filter(|_| stage.omitted > 0) {
            let text = format!("and {} more", stage.omitted);
            let line = Line::new(text, TICK_SIZE, Anchor::End, (last.x1, last.y1 + 2));
            scene.lines.push(line.painted(Paint::Tone(Tone::Muted)));
        }
        all.push(rects);
    }
    all
}

/// Where a channel leaves its sender and where it meets its receiver.
fn ends(from: Rect, to: Rect, is_wide: bool) -> [(i32, i32); 2] {
    let middle = |rect: Rect| ((rect.x0 + rect.x1) / 2, (rect.y0 + rect.y1) / 2);
    match is_wide {
        true => [(from.x1, middle(from).1), (to.x0, middle(to).1)],
        false => [(middle(from).0, from.y1), (middle(to).0, to.y0)],
    }
}

fn draw_channel(scene: &mut Scene, channel: &ChannelMark, [a, b]: [(i32, i32); 2]) -> Region {
    let at = |part: i32| (a.0 + (b.0 - a.0) * part / 100, a.1 + (b.1 - a.1) * part / 100);
    let tone = if channel.is_blocked { Tone::Danger } else { Tone::Muted };
    let paint = Paint::Tone(tone);
    scene.shapes.push(Shape::Path { points: vec![a, b], thick: 1, paint });
    for (part, fill) in [(28, channel.fill[0]), (68, channel.fill[1])] {
        if let Some(fill) = fill {
            gauge(scene, at(part), fill);
        }
    }
    if channel.is_blocked {
        // A bar across the channel, so that it is not the colour alone that says it.
        let (x, y) = at(88);
        scene.shapes.push(Shape::Fill(Rect::new(x - 6, y - 2, x + 7, y + 3), paint));
        scene.shapes.push(Shape::Fill(Rect::new(x - 2, y - 6, x + 3, y + 7), paint));
    }
    if let Some(barrier) = channel.barrier {
        let place = match barrier.place {
            BarrierPlace::Sender => 12,
            BarrierPlace::Receiver => 52,
            BarrierPlace::Taken => 96,
        };
        draw_barrier(scene, barrier, at(place));
    }
    let (x, y) = at(48);
    region(&channel.id, &channel.label, Rect::new(x - 14, y - 12, x + 14, y + 12))
}

/// A queue as a bar that fills from its left end.
fn gauge(scene: &mut Scene, (x, y): (i32, i32), fill: f64) {
    let (half, thick) = GAUGE;
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
    let half = BARRIER;
    scene.shapes.push(match barrier.overtakes {
        true => Shape::Polygon {
            points: vec![
                (x, y - half - 3),
                (x + half + 3, y),
                (x, y + half + 3),
                (x - half - 3, y),
            ],
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
    write(&task.name, 12, rect.y0 + 5, Tone::Text);
    write(&task.text, TICK_SIZE, rect.y0 + 23, Tone::Muted);
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
