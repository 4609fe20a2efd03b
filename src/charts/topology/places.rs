//! Where the tasks of a job lie, and where each of their channels has room for its marks.
//!
//! A channel leaves its sender at a port of its own and runs straight for a while, so that what
//! stands on it never lies on what stands on another one.

use super::{BARRIER, BOX, CROSS, DIAMOND, GAP, GAUGE, MARGIN, Topology};
use crate::charts::scene::Rect;

/// From one port of a box to the next (px); WCAG 2.2, 2.5.8 asks for targets of 24.
const PITCH: i32 = 24;
/// Between two marks, and between a mark and a box (px).
const APART: i32 = 4;
/// Between the straight pieces of a channel at least (px).
const SLOPE: i32 = 20;
/// A task's box where there is room, and at its narrowest (px).
const WIDTHS: (i32, i32) = (168, 96);
/// A box of a job that flows from top to bottom is no wider than this, if its ports have room (px).
const WIDTH_FALLING: i32 = 150;

/// The straight piece of a channel at a task.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stub {
    port: (i32, i32),
    /// Away from the box: a step of a pixel.
    step: (i32, i32),
    /// How far the next port is (px).
    pub(super) pitch: i32,
    is_falling: bool,
}

impl Stub {
    /// The place so many pixels away from the box.
    pub(super) fn along(self, px: i32) -> (i32, i32) {
        (self.port.0 + self.step.0 * px, self.port.1 + self.step.1 * px)
    }

    /// Half the length of a gauge across the page.
    pub(super) fn gauge_half(self) -> i32 {
        if self.is_falling { GAUGE.0.min(self.pitch / 2 - 2).max(4) } else { GAUGE.0 }
    }

    /// Half of what a gauge takes of the channel.
    fn gauge_along(self) -> i32 {
        if self.is_falling { GAUGE.1 } else { GAUGE.0 }
    }

    /// The middle of a barrier next to the box.
    pub(super) fn barrier(self) -> (i32, i32) {
        self.along(APART + BARRIER)
    }

    /// The middle of the sender's gauge, behind the barrier's place.
    pub(super) fn sender_gauge(self) -> (i32, i32) {
        self.along(2 * APART + 2 * BARRIER + self.gauge_along())
    }

    fn cross_end(self) -> i32 {
        2 * APART + 2 * BARRIER + 2 * CROSS
    }

    /// The middle of the cross on a channel that is not read.
    pub(super) fn cross(self) -> (i32, i32) {
        self.along(self.cross_end() - CROSS)
    }

    /// The middle of the receiver's gauge.
    pub(super) fn receiver_gauge(self) -> (i32, i32) {
        self.along(self.cross_end() + APART + self.gauge_along())
    }

    /// The middle of a barrier in front of the receiver's queue.
    pub(super) fn ahead(self) -> (i32, i32) {
        self.along(self.cross_end() + 2 * APART + 2 * self.gauge_along() + DIAMOND)
    }

    fn sender_length(self) -> i32 {
        3 * APART + 2 * BARRIER + 2 * self.gauge_along()
    }

    fn receiver_length(self) -> i32 {
        self.cross_end() + 3 * APART + 2 * self.gauge_along() + 2 * DIAMOND
    }

    /// The end of the straight piece at the sender.
    pub(super) fn sender_end(self) -> (i32, i32) {
        self.along(self.sender_length())
    }

    /// The same at the receiver.
    pub(super) fn receiver_end(self) -> (i32, i32) {
        self.along(self.receiver_length())
    }

    /// Where the piece at the receiver answers to a pointer.
    pub(super) fn hit(self) -> Rect {
        let (a, b) = (self.port, self.receiver_end());
        let half = self.pitch.min(2 * GAUGE.0) / 2;
        let (x0, x1, y0, y1) = (a.0.min(b.0), a.0.max(b.0), a.1.min(b.1), a.1.max(b.1));
        match self.is_falling {
            true => Rect::new(x0 - half, y0, x1 + half, y1),
            false => Rect::new(x0, y0 - half, x1, y1 + half),
        }
    }
}

/// Everything that is placed.
pub(super) struct Places {
    /// A box for each task of each stage.
    pub(super) boxes: Vec<Vec<Rect>>,
    /// For each channel its pieces at the sender and at the receiver.
    pub(super) stubs: Vec<[Stub; 2]>,
    /// For each stage the right end and the top of the words about what it leaves out.
    pub(super) notes: Vec<(i32, i32)>,
    /// How tall all of it is, without margins (px).
    pub(super) height: i32,
}

/// A piece that stands nowhere, for its lengths.
fn sample(is_falling: bool) -> Stub {
    Stub { port: (0, 0), step: (0, 0), pitch: PITCH, is_falling }
}

/// What a channel needs between two stages.
fn between(is_falling: bool) -> i32 {
    let stub = sample(is_falling);
    stub.sender_length() + stub.receiver_length() + SLOPE
}

/// Places a job in so much room across.
pub(super) fn places(topology: &Topology, width: i32) -> Places {
    let ports = Ports::of(topology);
    let stages = topology.stages.len() as i32;
    let room = width - 2 * MARGIN;
    let widest = (room - (stages - 1) * between(false)) / stages.max(1);
    let is_falling = widest < WIDTHS.1;
    let (boxes, height) = match is_falling {
        true => falling(topology, &ports, room),
        false => flowing(topology, &ports, room, widest.min(WIDTHS.0)),
    };
    let stubs = topology.channels.iter().enumerate().map(|(at, channel)| {
        let from = boxes[channel.from.0][channel.from.1];
        let to = boxes[channel.to.0][channel.to.1];
        [stub(from, ports.out[at], is_falling, true), stub(to, ports.into[at], is_falling, false)]
    });
    let stubs = stubs.collect();
    let last = boxes.len() - 1;
    let note = |(stage, rects): (usize, &Vec<Rect>)| {
        let (x, y) = rects.last().map_or((0, 0), |it| (it.x1, it.y1));
        // Below a box that channels leave, the words stand behind the marks of these.
        let marks = if is_falling && stage < last { sample(true).sender_length() } else { 0 };
        (x, y + marks + 2)
    };
    let notes = boxes.iter().enumerate().map(note).collect();
    Places { boxes, stubs, notes, height }
}

/// From left to right; every box of a stage is as tall as the most ports of one need.
fn flowing(topology: &Topology, ports: &Ports, room: i32, width: i32) -> (Vec<Vec<Rect>>, i32) {
    let stages = topology.stages.len() as i32;
    let tall = |stage: usize| (ports.most(stage) * PITCH).max(BOX);
    let stage_height = |stage: usize| {
        let count = topology.stages[stage].tasks.len() as i32;
        count * (tall(stage) + GAP) - GAP
    };
    let height = (0..topology.stages.len()).map(stage_height).max().unwrap_or(0);
    let step = if stages > 1 { (room - width) / (stages - 1) } else { 0 };
    let placed = (0..topology.stages.len()).map(|stage| {
        let count = topology.stages[stage].tasks.len() as i32;
        let gap = (height - count * tall(stage)) / (count + 1);
        let x = MARGIN + stage as i32 * step;
        let y = |place: i32| MARGIN + gap + place * (tall(stage) + gap);
        let boxed = |place| Rect::new(x, y(place), x + width, y(place) + tall(stage));
        (0..count).map(boxed).collect()
    });
    (placed.collect(), height)
}

/// From top to bottom, in as much room as there is.
fn falling(topology: &Topology, ports: &Ports, room: i32) -> (Vec<Vec<Rect>>, i32) {
    let fall = BOX + between(true);
    let placed = topology.stages.iter().enumerate().map(|(stage, of)| {
        let count = (of.tasks.len() as i32).max(1);
        let needed = ports.most(stage) * (2 * GAUGE.0 + 4);
        let width = (room / count - 6).min(WIDTH_FALLING.max(needed));
        let free = (room - count * width) / count;
        let y = MARGIN + stage as i32 * fall;
        let x = |place: i32| MARGIN + place * (width + free) + free / 2;
        (0..count).map(|place| Rect::new(x(place), y, x(place) + width, y + BOX)).collect()
    });
    (placed.collect(), (topology.stages.len() as i32 - 1) * fall + BOX)
}

fn stub(rect: Rect, (place, count): (i32, i32), is_falling: bool, is_sender: bool) -> Stub {
    let across = if is_falling { rect.width() } else { rect.height() };
    let at = across * (2 * place + 1) / (2 * count);
    let (port, step) = match (is_falling, is_sender) {
        (false, true) => ((rect.x1, rect.y0 + at), (1, 0)),
        (false, false) => ((rect.x0, rect.y0 + at), (-1, 0)),
        (true, true) => ((rect.x0 + at, rect.y1), (0, 1)),
        (true, false) => ((rect.x0 + at, rect.y0), (0, -1)),
    };
    Stub { port, step, pitch: across / count, is_falling }
}

/// For each channel which port of how many it has.
struct Ports {
    out: Vec<(i32, i32)>,
    into: Vec<(i32, i32)>,
    /// The most ports that a task of each stage has on one side.
    most: Vec<i32>,
}

impl Ports {
    /// The ports of a task are in the order of the other ends, so that channels fan out.
    fn of(topology: &Topology) -> Self {
        let channels = &topology.channels;
        let mut most = vec![1; topology.stages.len()];
        let mut numbered = |own: &dyn Fn(usize) -> (usize, usize),
                            other: &dyn Fn(usize) -> (usize, usize)| {
            let mut numbers = vec![(0, 1); channels.len()];
            let mut order: Vec<usize> = (0..channels.len()).collect();
            order.sort_by_key(|at| (own(*at), other(*at).1, other(*at).0));
            for group in order.chunk_by(|a, b| own(*a) == own(*b)) {
                let count = group.len() as i32;
                for (place, at) in (0..).zip(group) {
                    numbers[*at] = (place, count);
                    let stage = &mut most[own(*at).0];
                    *stage = (*stage).max(count);
                }
            }
            numbers
        };
        let out = numbered(&|at| channels[at].from, &|at| channels[at].to);
        let into = numbered(&|at| channels[at].to, &|at| channels[at].from);
        Self { out, into, most }
    }

    fn most(&self, stage: usize) -> i32 {
        self.most[stage]
    }
}
