//! The source subtasks of a job: generators, partitions and what each sends.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1: the parts follow their classes exactly. How they are put
//! together in a running source (a generator for each split, deferred outputs, one periodic call
//! for all) follows `ProgressiveTimestampsAndWatermarks` of Flink 1.18 to 2.2; no recording covers
//! it.

use serde::{Deserialize, Serialize};

use super::assigner_operator::WatermarkAssigner;
use super::combined::Combined;
use super::generator::{Emission, Generator, WatermarkRule};
use super::holders::Moment;
use super::params::{SourceParams, WatermarkParams};
use super::signal::{OperatorOutput, Signal, SourceOutput};
use super::time::EventTime;
use crate::units::FlinkVersion;

/// One subtask.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceSubtask {
    /// Its partitions.
    pub partitions: Vec<u32>,
    /// Records that it read.
    pub events: u32,
    generators: Vec<Generator>,
    combined: Combined,
    is_split: bool,
    /// `WatermarkAssignerOperator`, which takes the place of generators.
    assigner: Option<WatermarkAssigner>,
    output: SourceOutput,
    explicit: OperatorOutput,
    is_explicit: bool,
    /// How far the numbers of its partitions are apart.
    step: u32,
    sent: EventTime,
    is_idle: bool,
    /// When the watermark that it sends moved last.
    moved: Option<Moment>,
    last_sent: Option<Moment>,
    /// When the watermark of each generator moved last, where each partition has one.
    parts_moved: Vec<Option<Moment>>,
}

/// A generator of one partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// Its watermark.
    pub watermark: EventTime,
    /// Whether it is left out.
    pub is_idle: bool,
    /// When its watermark moved last.
    pub moved: Option<Moment>,
}

impl SourceSubtask {
    /// All subtasks of a source.
    pub fn all(
        version: FlinkVersion,
        source: &SourceParams,
        watermarks: &WatermarkParams,
    ) -> Vec<Self> {
        (0..source.parallelism)
            .map(|subtask| {
                let step = source.parallelism as usize;
                let partitions: Vec<u32> = (subtask..source.partitions).step_by(step).collect();
                // Without a partition the subtask itself is what may become idle.
                let assigner = match watermarks.rule {
                    WatermarkRule::SqlAssigner { out_of_orderness } => {
                        Some(WatermarkAssigner::new(out_of_orderness, watermarks.emission))
                    }
                    _ => None,
                };
                let is_split = source.per_partition && !partitions.is_empty() && assigner.is_none();
                let parts = if is_split { partitions.len() } else { 1 };
                let generator = Generator::new(watermarks.rule, watermarks.idle_timeout);
                Self {
                    partitions,
                    events: 0,
                    generators: vec![generator; parts],
                    combined: Combined::with_parts(version, parts),
                    is_split,
                    assigner,
                    output: SourceOutput::default(),
                    explicit: OperatorOutput::default(),
                    is_explicit: watermarks.rule == WatermarkRule::Explicit,
                    step: source.parallelism,
                    sent: EventTime::MIN,
                    is_idle: false,
                    moved: None,
                    last_sent: None,
                    parts_moved: vec![None; parts],
                }
            })
            .collect()
    }

    /// The last watermark that it sent.
    pub const fn watermark(&self) -> EventTime {
        self.sent
    }

    /// Whether it said that it is idle.
    pub const fn is_idle(&self) -> bool {
        self.is_idle
    }

    /// When the watermark that it sends moved last.
    pub const fn moved(&self) -> Option<Moment> {
        self.moved
    }

    /// When it sent anything last.
    pub const fn last_sent(&self) -> Option<Moment> {
        self.last_sent
    }

    /// The generators of its partitions, in their order; empty where several share one.
    pub fn parts(&self) -> Vec<Part> {
        if self.is_split && !self.is_explicit {
            let parts = self.combined.parts().iter().zip(&self.parts_moved);
            let part = |(part, moved): (&super::combined::Part, &_)| {
                let (watermark, is_idle) = (part.watermark, part.is_idle);
                Part { watermark, is_idle, moved: *moved }
            };
            return parts.map(part).collect();
        }
        let (watermark, is_idle, moved) = (self.sent, self.is_idle, self.moved);
        let is_alone = self.partitions.len() == 1;
        is_alone.then_some(Part { watermark, is_idle, moved }).into_iter().collect()
    }

    /// The highest timestamp that it has read.
    pub fn max_timestamp(&self) -> Option<i64> {
        self.generators.iter().filter_map(Generator::max_timestamp).max()
    }

    /// A record of one of its partitions.
    pub fn on_event(&mut self, partition: u32, time: i64) {
        self.events += 1;
        if let Some(assigner) = &mut self.assigner {
            assigner.on_event(time);
        }
        let at = if self.is_split { (partition / self.step) as usize } else { 0 };
        if let Some(generator) = self.generators.get_mut(at) {
            generator.on_event(time);
        }
    }

    /// Whether the record that was taken last has it send something without being asked.
    pub fn is_eager(&self) -> bool {
        self.assigner.as_ref().is_some_and(WatermarkAssigner::is_eager)
    }

    /// What follows a record without being asked.
    pub fn after_event(&mut self, now: Moment) -> Vec<Signal> {
        if self.is_eager() { self.advance_assigner(now) } else { Vec::new() }
    }

    fn advance_assigner(&mut self, now: Moment) -> Vec<Signal> {
        let watermark = self.assigner.as_mut().and_then(WatermarkAssigner::advance);
        let out: Vec<Signal> = watermark.map(Signal::watermark).into_iter().collect();
        self.note(&out, now);
        out
    }

    /// The periodic call.
    pub fn on_periodic_emit(&mut self, now: Moment) -> Vec<Signal> {
        let mut out = Vec::new();
        if self.is_explicit {
            return out;
        }
        if self.assigner.is_some() {
            return self.advance_assigner(now);
        }
        if self.is_split {
            for (at, generator) in self.generators.iter_mut().enumerate() {
                match generator.on_periodic_emit(now.at) {
                    Emission::Watermark(watermark) => {
                        if self.combined.set_watermark(at, watermark) {
                            self.parts_moved[at] = Some(now);
                        }
                    }
                    Emission::Idle => self.combined.set_idle(at, true),
                    Emission::Silent => {}
                }
            }
            self.emit_combined(&mut out);
        } else if let Some(generator) = self.generators.first_mut() {
            match generator.on_periodic_emit(now.at) {
                Emission::Watermark(watermark) => self.output.emit(watermark, &mut out),
                Emission::Idle => self.output.mark_idle(&mut out),
                Emission::Silent => {}
            }
        }
        self.note(&out, now);
        out
    }

    /// `WatermarkOutputMultiplexer.updateCombinedWatermark`.
    fn emit_combined(&mut self, out: &mut Vec<Signal>) {
        if self.combined.update() {
            self.output.emit(self.combined.watermark(), out);
        }
        if self.combined.is_idle() {
            self.output.mark_idle(out);
        }
    }

    /// A signal that stands in the input.
    pub fn send(&mut self, signal: Signal, now: Moment) -> Vec<Signal> {
        let out: Vec<Signal> = self.explicit.pass(signal).into_iter().collect();
        self.note(&out, now);
        out
    }

    /// The end of a bounded input.
    pub fn end(&mut self, now: Moment) -> Vec<Signal> {
        let mut out = Vec::new();
        if self.is_explicit {
            out.extend(self.explicit.pass(Signal::watermark(EventTime::MAX)));
        } else {
            self.output.emit(EventTime::MAX, &mut out);
        }
        self.note(&out, now);
        out
    }

    fn note(&mut self, out: &[Signal], now: Moment) {
        for signal in out {
            self.last_sent = Some(now);
            match signal {
                Signal::Watermark { watermark } => {
                    if *watermark > self.sent {
                        (self.sent, self.moved) = (*watermark, Some(now));
                    }
                }
                Signal::Status { status } => {
                    self.is_idle = *status == super::signal::Status::Idle;
                }
            }
        }
    }
}
