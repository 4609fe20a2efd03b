//! The watermarks of a run whose source is more than one generator that is asked after each record:
//! several partitions and source subtasks, the clock, idleness.
//!
//! It is made of the parts of the general job, and says between which records the watermark moves;
//! between two of these moves the records go through the same loop as ever.
//!
//! Source: Flink 1.18.1, 1.20.5 and 2.2.1, `StatusWatermarkValve`, `WatermarkOutputMultiplexer`,
//! `WatermarksWithIdleness`, `ProgressiveTimestampsAndWatermarks`, as in [`super::super::pipeline`].

use serde::{Deserialize, Serialize};

use super::super::holders::{self, Moment, Read, SourceReport};
use super::super::params::{EmissionTime, TICKS_MAX};
use super::super::signal::Signal;
use super::super::source::SourceSubtask;
use super::super::time::EventTime;
use super::super::valve::Valve;
use super::origins::Origin;
use super::params::Sources;

/// Source subtasks, the valve of the window operator, and the clock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conductor {
    sources: Vec<SourceSubtask>,
    valve: Valve,
    emission: EmissionTime,
    idle_timeout: Option<i64>,
    events: i64,
    now: i64,
    next_tick: Option<i64>,
    /// The source subtask of the last record.
    last_subtask: usize,
    /// When the watermark of the operator moved last.
    moved: Option<Moment>,
    /// Whether the trigger follows the clock, too.
    has_clock: bool,
}

impl Conductor {
    /// Before the first record.
    pub fn new(of: &Sources) -> Self {
        let sources = SourceSubtask::all(of.version, &of.source, &of.watermarks);
        Self {
            valve: Valve::new(sources.len()),
            sources,
            emission: of.watermarks.emission,
            idle_timeout: of.watermarks.idle_timeout,
            events: 0,
            now: 0,
            next_tick: None,
            last_subtask: 0,
            moved: None,
            has_clock: of.has_clock,
        }
    }

    /// Whether the trigger follows the clock.
    pub const fn has_clock(&self) -> bool {
        self.has_clock
    }

    /// The last call of the clock [ms].
    pub fn last_tick(&self) -> Option<i64> {
        let EmissionTime::Periodic { interval } = self.emission else { return None };
        self.next_tick.map(|next| next.saturating_sub(interval))
    }

    /// When the watermark of the operator moved last, with the records read up to then.
    pub const fn moved(&self) -> Option<Moment> {
        self.moved
    }

    /// The source subtasks, given what was read of each partition.
    pub fn sources(&self, reads: &[Read]) -> Vec<SourceReport> {
        holders::sources(&self.sources, &self.valve, reads)
    }

    fn moment(&self) -> Moment {
        // A run has at most 32 million records.
        Moment { place: self.events as u32, at: self.now }
    }

    /// Calls the clock up to this time; `advance` hears each watermark of the operator, and when.
    pub fn clock_up_to(&mut self, arrival: i64, mut advance: impl FnMut(i64, i64)) {
        let EmissionTime::Periodic { interval } = self.emission else { return };
        let Some(first) = self.next_tick else {
            self.next_tick = Some(arrival.saturating_add(interval));
            return;
        };
        let (mut tick, mut calls) = (first, 0);
        while tick <= arrival && calls < TICKS_MAX {
            self.now = tick;
            let is_silent = !self.ask(&mut advance);
            calls += 1;
            tick = tick.saturating_add(interval);
            // Without idleness the next call finds what this one found.
            if is_silent && self.idle_timeout.is_none() {
                break;
            }
        }
        if tick <= arrival {
            let skipped = arrival.saturating_sub(tick) / interval + 1;
            tick = tick.saturating_add(skipped.saturating_mul(interval));
        }
        self.next_tick = Some(tick);
    }

    /// Takes the records before which the watermark does not move, at least one, and says how many.
    pub fn take(&mut self, times: &[i64], origin: Origin<'_>) -> usize {
        let mut taken = 0;
        for (at, time) in times.iter().enumerate() {
            let arrival = origin.arrivals.get(at).copied().unwrap_or(self.now);
            if at > 0 && self.next_tick.is_some_and(|tick| tick <= arrival) {
                break;
            }
            self.now = arrival;
            let partition = origin.partitions.get(at).copied().unwrap_or(0);
            let subtask = usize::from(partition) % self.sources.len().max(1);
            if let Some(source) = self.sources.get_mut(subtask) {
                source.on_event(partition.into(), *time);
            }
            self.events += 1;
            taken += 1;
            self.last_subtask = subtask;
            if self.asks_now() || self.sources.get(subtask).is_some_and(SourceSubtask::is_eager) {
                break;
            }
        }
        taken
    }

    fn asks_now(&self) -> bool {
        matches!(self.emission, EmissionTime::PerEvent { every } if self.events % every == 0)
    }

    /// After the records that were taken: a watermark that does not wait, and that of every n-th one.
    pub fn after(&mut self, mut advance: impl FnMut(i64, i64)) {
        let (at, now) = (self.last_subtask, self.moment());
        let sent = self.sources.get_mut(at).map(|it| it.after_event(now)).unwrap_or_default();
        self.deliver(at, &sent, &mut advance);
        if self.asks_now() {
            self.ask(&mut advance);
        }
    }

    /// What a source without end still hears of the clock: until it says that it is idle.
    pub fn run_out(&mut self, advance: impl FnMut(i64, i64)) {
        let EmissionTime::Periodic { interval } = self.emission else { return };
        let timeout = self.idle_timeout.unwrap_or(0);
        let until = self.now.saturating_add(timeout).saturating_add(3 * interval);
        self.clock_up_to(until, advance);
    }

    /// The end of a bounded source, one subtask after the other.
    pub fn end(&mut self, mut advance: impl FnMut(i64, i64)) {
        let now = self.moment();
        for at in 0..self.sources.len() {
            let sent = self.sources[at].end(now);
            self.deliver(at, &sent, &mut advance);
        }
        if self.valve.watermark() != EventTime::MAX {
            advance(self.now, i64::MAX);
        }
    }

    /// The periodic call of every source subtask; whether any sent something.
    fn ask(&mut self, advance: &mut impl FnMut(i64, i64)) -> bool {
        let (mut has_sent, now) = (false, self.moment());
        for at in 0..self.sources.len() {
            let sent = self.sources[at].on_periodic_emit(now);
            has_sent |= !sent.is_empty();
            self.deliver(at, &sent, advance);
        }
        has_sent
    }

    fn deliver(&mut self, source: usize, sent: &[Signal], advance: &mut impl FnMut(i64, i64)) {
        let mut received = Vec::new();
        for signal in sent {
            self.valve.input(source, *signal, &mut received);
        }
        for signal in received {
            if let Signal::Watermark { watermark } = signal {
                self.moved = Some(self.moment());
                advance(self.now, watermark.get());
            }
        }
    }
}
