//! What travels beside the records: watermarks and the status of a stream.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, which agree: `WatermarkToDataOutput` and the status kept by
//! an operator's output (`RecordWriterOutput`, `ChainingOutput`).

use serde::{Deserialize, Serialize};

use super::time::EventTime;

/// Whether a stream takes part in the minimum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Status {
    /// It does.
    Active,
    /// It is left out.
    Idle,
}

/// One element that is not a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Signal {
    /// A watermark.
    Watermark {
        /// Its timestamp.
        watermark: EventTime,
    },
    /// A change of status.
    Status {
        /// The new one.
        status: Status,
    },
}

impl Signal {
    /// A watermark.
    pub const fn watermark(watermark: EventTime) -> Self {
        Self::Watermark { watermark }
    }

    /// A status.
    pub const fn status(status: Status) -> Self {
        Self::Status { status }
    }
}

/// `WatermarkToDataOutput`: what a generator says, made into what goes downstream. Only watermarks
/// that advance pass, and the first one after idleness says `active` before it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceOutput {
    max: EventTime,
    is_idle: bool,
}

impl Default for SourceOutput {
    fn default() -> Self {
        Self { max: EventTime::MIN, is_idle: false }
    }
}

impl SourceOutput {
    /// The highest watermark sent.
    pub const fn watermark(&self) -> EventTime {
        self.max
    }

    /// Whether the stream was announced idle.
    pub const fn is_idle(&self) -> bool {
        self.is_idle
    }

    /// Offers a watermark.
    pub fn emit(&mut self, watermark: EventTime, out: &mut Vec<Signal>) {
        if watermark <= self.max {
            return;
        }
        self.max = watermark;
        if self.is_idle {
            self.is_idle = false;
            out.push(Signal::status(Status::Active));
        }
        out.push(Signal::watermark(watermark));
    }

    /// Announces idleness, once.
    pub fn mark_idle(&mut self, out: &mut Vec<Signal>) {
        if !self.is_idle {
            self.is_idle = true;
            out.push(Signal::status(Status::Idle));
        }
    }
}

/// An operator's output: swallows watermarks while it has announced `idle`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperatorOutput {
    announced: Status,
}

impl Default for OperatorOutput {
    fn default() -> Self {
        Self { announced: Status::Active }
    }
}

impl OperatorOutput {
    /// Passes what may pass.
    pub fn pass(&mut self, signal: Signal) -> Option<Signal> {
        match signal {
            Signal::Watermark { .. } => (self.announced == Status::Active).then_some(signal),
            Signal::Status { status } if status == self.announced => None,
            Signal::Status { status } => {
                self.announced = status;
                Some(signal)
            }
        }
    }
}
