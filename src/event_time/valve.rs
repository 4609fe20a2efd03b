//! The minimum over the channels of one input, as `StatusWatermarkValve` keeps it.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `StatusWatermarkValve`, which agree. Unlike the parts of a
//! source, a channel that comes back from idleness neither holds back nor moves the minimum until
//! it has caught up.

use serde::{Deserialize, Serialize};

use super::signal::{Signal, Status};
use super::time::EventTime;

/// What the valve knows of one channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Channel {
    /// Its highest watermark.
    pub watermark: EventTime,
    /// Its status.
    pub status: Status,
    /// Whether it takes part in the minimum.
    pub is_aligned: bool,
}

/// `StatusWatermarkValve`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Valve {
    channels: Vec<Channel>,
    output: EventTime,
    status: Status,
}

impl Valve {
    /// All channels are active, aligned and without a watermark.
    pub fn new(channels: usize) -> Self {
        let channel =
            Channel { watermark: EventTime::MIN, status: Status::Active, is_aligned: true };
        Self { channels: vec![channel; channels], output: EventTime::MIN, status: Status::Active }
    }

    /// The channels.
    pub fn channels(&self) -> &[Channel] {
        &self.channels
    }

    /// The last watermark that went out.
    pub const fn watermark(&self) -> EventTime {
        self.output
    }

    /// Takes a signal of a channel; one that does not exist is ignored.
    pub fn input(&mut self, channel: usize, signal: Signal, out: &mut Vec<Signal>) {
        match signal {
            Signal::Watermark { watermark } => self.input_watermark(channel, watermark, out),
            Signal::Status { status: Status::Idle } => self.input_idle(channel, out),
            Signal::Status { status: Status::Active } => self.input_active(channel, out),
        }
    }

    fn input_watermark(&mut self, at: usize, watermark: EventTime, out: &mut Vec<Signal>) {
        let (output, status) = (self.output, self.status);
        let Some(channel) = self.channels.get_mut(at) else { return };
        let is_heard = status == Status::Active && channel.status == Status::Active;
        if !is_heard || watermark <= channel.watermark {
            return;
        }
        channel.watermark = watermark;
        channel.is_aligned |= watermark >= output;
        self.output_minimum(out);
    }

    fn input_idle(&mut self, at: usize, out: &mut Vec<Signal>) {
        let Some(channel) = self.channels.get_mut(at) else { return };
        if channel.status == Status::Idle {
            return;
        }
        channel.status = Status::Idle;
        channel.is_aligned = false;
        let held = channel.watermark == self.output;
        if self.channels.iter().any(|channel| channel.status == Status::Active) {
            if held {
                self.output_minimum(out);
            }
            return;
        }
        if held {
            let max = self.channels.iter().map(|channel| channel.watermark).max();
            self.advance(max, out);
        }
        self.status = Status::Idle;
        out.push(Signal::status(Status::Idle));
    }

    fn input_active(&mut self, at: usize, out: &mut Vec<Signal>) {
        let output = self.output;
        let Some(channel) = self.channels.get_mut(at) else { return };
        if channel.status == Status::Active {
            return;
        }
        channel.status = Status::Active;
        channel.is_aligned = channel.watermark >= output;
        if self.status == Status::Idle {
            self.status = Status::Active;
            out.push(Signal::status(Status::Active));
        }
    }

    fn output_minimum(&mut self, out: &mut Vec<Signal>) {
        let aligned = self.channels.iter().filter(|channel| channel.is_aligned);
        let min = aligned.map(|channel| channel.watermark).min();
        self.advance(min, out);
    }

    fn advance(&mut self, next: Option<EventTime>, out: &mut Vec<Signal>) {
        if let Some(next) = next.filter(|next| *next > self.output) {
            self.output = next;
            out.push(Signal::watermark(next));
        }
    }
}
