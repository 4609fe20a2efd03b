//! The question `traceWatermarks`: one part of Flink's watermark machinery, stepped by a script.
//!
//! Follows the classes named in the modules it drives; `CombinedInputs` stands for a
//! `KeyedCoProcessFunction` that registers a timer for each record.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::combined::Combined;
use super::error::EventTimeError;
use super::generator::{Emission, Generator, WatermarkRule};
use super::signal::{OperatorOutput, Signal, SourceOutput, Status};
use super::time::EventTime;
use super::valve::Valve;
use crate::finding::Derivation;
use crate::units::FlinkVersion;

/// The most steps of a script.
const STEPS_MAX: usize = 10_000;
/// The most channels of an input.
const CHANNELS_MAX: usize = 10_000;

/// A step of a generator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", deny_unknown_fields)]
pub enum GeneratorStep {
    /// `onEvent`.
    #[serde(rename_all = "camelCase")]
    Event {
        /// The timestamp.
        time: EventTime,
    },
    /// `onPeriodicEmit`.
    Periodic,
    /// Time passes.
    #[serde(rename_all = "camelCase")]
    Advance {
        /// How much [ms].
        ms: i64,
    },
}

/// What is done to a split.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", deny_unknown_fields)]
pub enum SplitStep {
    /// `registerNewOutput`.
    #[serde(rename_all = "camelCase")]
    Register {
        /// The split.
        id: String,
    },
    /// `unregisterOutput`.
    #[serde(rename_all = "camelCase")]
    Unregister {
        /// The split.
        id: String,
    },
    /// A watermark on its immediate or its deferred output.
    #[serde(rename_all = "camelCase")]
    Watermark {
        /// The split.
        id: String,
        /// The watermark.
        watermark: EventTime,
        /// Whether it waits for the periodic call.
        deferred: bool,
    },
    /// A status on its immediate or its deferred output.
    #[serde(rename_all = "camelCase")]
    Status {
        /// The split.
        id: String,
        /// The status.
        status: Status,
        /// Whether it waits for the periodic call.
        deferred: bool,
    },
    /// `onPeriodicEmit`.
    Periodic,
}

/// What comes in on a channel or an input.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", deny_unknown_fields)]
pub enum ChannelStep {
    /// A record; a valve does not look at it.
    #[serde(rename_all = "camelCase")]
    Event {
        /// The channel.
        channel: u32,
        /// Its key.
        key: String,
        /// Its timestamp.
        time: EventTime,
    },
    /// A watermark.
    #[serde(rename_all = "camelCase")]
    Watermark {
        /// The channel.
        channel: u32,
        /// The watermark.
        watermark: EventTime,
    },
    /// A status.
    #[serde(rename_all = "camelCase")]
    Status {
        /// The channel.
        channel: u32,
        /// The status.
        status: Status,
    },
}

/// Params of `traceWatermarks`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", deny_unknown_fields)]
pub enum TraceParams {
    /// A generator behind `WatermarkToDataOutput`.
    #[serde(rename_all = "camelCase")]
    Generator {
        /// The rule.
        rule: WatermarkRule,
        /// `withIdleness` [ms].
        idle_timeout: Option<i64>,
        /// Reading of the clock at the start [ms].
        clock: i64,
        /// The script.
        steps: Vec<GeneratorStep>,
    },
    /// Splits of a source, combined by `WatermarkOutputMultiplexer`.
    #[serde(rename_all = "camelCase")]
    Splits {
        /// The version.
        version: FlinkVersion,
        /// The script.
        steps: Vec<SplitStep>,
    },
    /// Channels of one input, combined by `StatusWatermarkValve`.
    #[serde(rename_all = "camelCase")]
    Channels {
        /// How many.
        channels: u32,
        /// The script.
        steps: Vec<ChannelStep>,
    },
    /// Inputs of one operator, each with one channel.
    #[serde(rename_all = "camelCase")]
    Inputs {
        /// The version.
        version: FlinkVersion,
        /// How many.
        inputs: u32,
        /// Each record registers a timer this much after its timestamp [ms].
        timer_delay: i64,
        /// The script.
        steps: Vec<ChannelStep>,
    },
}

/// What one step led to.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TraceStep {
    /// What was said to the output, before it decided what passes.
    pub raw: Vec<Signal>,
    /// What went downstream.
    pub down: Vec<Signal>,
    /// Splits whose own watermark advanced.
    pub splits: Vec<SplitWatermark>,
    /// What an operator of several inputs did, in order.
    pub operator: Vec<InputOutput>,
    /// The combined watermark after the step.
    pub watermark: EventTime,
}

impl Default for EventTime {
    fn default() -> Self {
        Self::MIN
    }
}

/// A split that advanced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SplitWatermark {
    /// The split.
    pub id: String,
    /// Its watermark.
    pub watermark: EventTime,
}

/// What an operator of several inputs does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum InputOutput {
    /// It processes a record.
    #[serde(rename_all = "camelCase")]
    Element {
        /// On which input.
        input: u32,
        /// Its key.
        key: String,
        /// Its timestamp.
        time: EventTime,
        /// The operator's watermark.
        watermark: EventTime,
    },
    /// It runs a timer.
    #[serde(rename_all = "camelCase")]
    Timer {
        /// The key.
        key: String,
        /// The timer.
        time: EventTime,
        /// The operator's watermark.
        watermark: EventTime,
    },
    /// It sends a watermark or a status.
    #[serde(rename_all = "camelCase")]
    Signal {
        /// Which.
        signal: Signal,
    },
}

/// The answer of `traceWatermarks`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TraceReport {
    /// One a step of the script.
    pub steps: Vec<TraceStep>,
}

/// What goes downstream at each step?
///
/// # Errors
/// A step that names what does not exist, or a script that is too long.
pub fn trace_watermarks(params: &TraceParams) -> Result<Derivation<TraceReport>, EventTimeError> {
    let (length, channels) = match params {
        TraceParams::Generator { steps, .. } => (steps.len(), 0),
        TraceParams::Splits { steps, .. } => (steps.len(), 0),
        TraceParams::Channels { steps, channels } => (steps.len(), *channels as usize),
        TraceParams::Inputs { steps, inputs, .. } => (steps.len(), *inputs as usize),
    };
    let too_many = |field, what, max, got| Err(EventTimeError::TooMany { field, what, max, got });
    if length > STEPS_MAX {
        return too_many("steps", "Steps of the script", STEPS_MAX, length);
    }
    if channels > CHANNELS_MAX {
        return too_many("channels", "Channels", CHANNELS_MAX, channels);
    }
    let steps = match params {
        TraceParams::Generator { rule: WatermarkRule::SqlAssigner { .. }, .. } => {
            return Err(EventTimeError::AssignerTraced);
        }
        TraceParams::Generator { rule, idle_timeout, clock, steps } => {
            generator(*rule, *idle_timeout, *clock, steps)
        }
        TraceParams::Splits { version, steps } => splits(*version, steps)?,
        TraceParams::Channels { channels, steps } => valve(*channels, steps)?,
        TraceParams::Inputs { version, inputs, timer_delay, steps } => {
            Inputs::new(*version, *inputs, *timer_delay).run(steps)?
        }
    };
    Ok(Derivation { value: TraceReport { steps }, findings: Vec::new() })
}

fn generator(
    rule: WatermarkRule,
    idle_timeout: Option<i64>,
    clock: i64,
    script: &[GeneratorStep],
) -> Vec<TraceStep> {
    let mut generator = Generator::new(rule, idle_timeout);
    let mut output = SourceOutput::default();
    let mut now = clock;
    script
        .iter()
        .map(|step| {
            let mut traced = TraceStep::default();
            match *step {
                GeneratorStep::Event { time } => generator.on_event(time.get()),
                GeneratorStep::Advance { ms } => now = now.saturating_add(ms),
                GeneratorStep::Periodic => match generator.on_periodic_emit(now) {
                    Emission::Watermark(watermark) => {
                        traced.raw.push(Signal::watermark(watermark));
                        output.emit(watermark, &mut traced.down);
                    }
                    Emission::Idle => {
                        traced.raw.push(Signal::status(Status::Idle));
                        output.mark_idle(&mut traced.down);
                    }
                    Emission::Silent => {}
                },
            }
            traced.watermark = output.watermark();
            traced
        })
        .collect()
}

fn splits(version: FlinkVersion, script: &[SplitStep]) -> Result<Vec<TraceStep>, EventTimeError> {
    let mut combined = Combined::new(version);
    let mut output = SourceOutput::default();
    let mut traced = Vec::with_capacity(script.len());
    for (item, step) in script.iter().enumerate() {
        let mut now = TraceStep::default();
        let found = |combined: &Combined, id: &str| {
            combined.find(id).ok_or_else(|| split_error(item, id, "not registered"))
        };
        let updates = match step {
            SplitStep::Register { id } => {
                if !combined.add(id.clone()) {
                    return Err(split_error(item, id, "registered already"));
                }
                false
            }
            SplitStep::Unregister { id } => {
                combined.remove(id);
                false
            }
            SplitStep::Watermark { id, watermark, deferred } => {
                let at = found(&combined, id)?;
                let advanced = combined.set_watermark(at, *watermark);
                if advanced {
                    now.splits.push(SplitWatermark { id: id.clone(), watermark: *watermark });
                }
                !deferred && advanced && *watermark > combined.watermark()
            }
            SplitStep::Status { id, status, deferred } => {
                let at = found(&combined, id)?;
                combined.set_idle(at, *status == Status::Idle);
                !deferred
            }
            SplitStep::Periodic => true,
        };
        if updates {
            update_combined(&mut combined, &mut output, &mut now);
        }
        now.watermark = output.watermark();
        traced.push(now);
    }
    Ok(traced)
}

/// `WatermarkOutputMultiplexer.updateCombinedWatermark`.
fn update_combined(combined: &mut Combined, output: &mut SourceOutput, now: &mut TraceStep) {
    if combined.update() {
        now.raw.push(Signal::watermark(combined.watermark()));
        output.emit(combined.watermark(), &mut now.down);
    }
    if combined.is_idle() {
        now.raw.push(Signal::status(Status::Idle));
        output.mark_idle(&mut now.down);
    }
}

fn split_error(item: usize, id: &str, state: &'static str) -> EventTimeError {
    EventTimeError::Split { item, id: id.chars().take(60).collect(), state }
}

fn valve(channels: u32, script: &[ChannelStep]) -> Result<Vec<TraceStep>, EventTimeError> {
    let mut valve = Valve::new(channels as usize);
    let mut traced = Vec::with_capacity(script.len());
    for (item, step) in script.iter().enumerate() {
        let mut now = TraceStep::default();
        if let Some((channel, signal)) = signal_of(item, step, channels)? {
            valve.input(channel, signal, &mut now.down);
        }
        now.watermark = valve.watermark();
        traced.push(now);
    }
    Ok(traced)
}

/// The signal of a step, `None` for a record.
fn signal_of(
    item: usize,
    step: &ChannelStep,
    count: u32,
) -> Result<Option<(usize, Signal)>, EventTimeError> {
    let (channel, signal) = match step {
        ChannelStep::Event { channel, .. } => (*channel, None),
        ChannelStep::Watermark { channel, watermark } => {
            (*channel, Some(Signal::watermark(*watermark)))
        }
        ChannelStep::Status { channel, status } => (*channel, Some(Signal::status(*status))),
    };
    if channel >= count {
        return Err(EventTimeError::NoSuch { item, what: "channel", got: channel, count });
    }
    Ok(signal.map(|signal| (channel as usize, signal)))
}

/// An operator of several inputs, each behind a valve of its own.
struct Inputs {
    upstream: Vec<OperatorOutput>,
    valves: Vec<Valve>,
    combined: Combined,
    output: OperatorOutput,
    timers: BTreeSet<(i64, String)>,
    timer_delay: i64,
}

impl Inputs {
    fn new(version: FlinkVersion, inputs: u32, timer_delay: i64) -> Self {
        Self {
            upstream: vec![OperatorOutput::default(); inputs as usize],
            valves: vec![Valve::new(1); inputs as usize],
            combined: Combined::with_parts(version, inputs as usize),
            output: OperatorOutput::default(),
            timers: BTreeSet::new(),
            timer_delay,
        }
    }

    fn run(mut self, script: &[ChannelStep]) -> Result<Vec<TraceStep>, EventTimeError> {
        let count = self.valves.len() as u32;
        let mut traced = Vec::with_capacity(script.len());
        for (item, step) in script.iter().enumerate() {
            let mut now = TraceStep::default();
            match signal_of(item, step, count)? {
                Some((input, signal)) => self.signal(input, signal, &mut now),
                None => self.element(step, &mut now),
            }
            now.watermark = self.combined.watermark();
            traced.push(now);
        }
        Ok(traced)
    }

    fn element(&mut self, step: &ChannelStep, now: &mut TraceStep) {
        let ChannelStep::Event { channel, key, time } = step else { return };
        self.timers.insert((time.wrapping_add(self.timer_delay).get(), key.clone()));
        now.operator.push(InputOutput::Element {
            input: *channel,
            key: key.clone(),
            time: *time,
            watermark: self.combined.watermark(),
        });
    }

    fn signal(&mut self, input: usize, signal: Signal, now: &mut TraceStep) {
        let Some(signal) = self.upstream[input].pass(signal) else { return };
        let mut passed = Vec::new();
        self.valves[input].input(0, signal, &mut passed);
        for signal in passed {
            match signal {
                Signal::Watermark { watermark } => {
                    self.combined.set_watermark(input, watermark);
                    self.update(now);
                }
                Signal::Status { status } => {
                    let was_idle = self.combined.is_idle();
                    self.combined.set_idle(input, status == Status::Idle);
                    self.update(now);
                    if was_idle != self.combined.is_idle() {
                        self.emit(Signal::status(status), now);
                    }
                }
            }
        }
    }

    /// The watermark first, then the timers up to it, then on it goes.
    fn update(&mut self, now: &mut TraceStep) {
        if !self.combined.update() {
            return;
        }
        let watermark = self.combined.watermark();
        while self.timers.first().is_some_and(|(at, _)| *at <= watermark.get()) {
            let Some((at, key)) = self.timers.pop_first() else { break };
            now.operator.push(InputOutput::Timer { key, time: EventTime::ms(at), watermark });
        }
        self.emit(Signal::watermark(watermark), now);
    }

    fn emit(&mut self, signal: Signal, now: &mut TraceStep) {
        if let Some(signal) = self.output.pass(signal) {
            now.down.push(signal);
            now.operator.push(InputOutput::Signal { signal });
        }
    }
}
