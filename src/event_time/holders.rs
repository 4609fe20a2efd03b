//! Who holds the watermark: source subtasks, and inside each the partitions that have a generator of
//! their own.
//!
//! A partition is named where its generator has the lowest watermark of a subtask that has the lowest
//! watermark of the operator's input. Partitions that share a generator hold nothing by themselves: it
//! follows the highest timestamp of any of them.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `StatusWatermarkValve`, `WatermarkOutputMultiplexer`.

use serde::{Deserialize, Serialize};

use super::source::SourceSubtask;
use super::time::EventTime;
use super::valve::{Channel, Valve};

/// A point of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Moment {
    /// Record by record the row, from 0; of a long run the records read up to then.
    pub place: u32,
    /// Processing time [ms].
    pub at: i64,
}

/// What was read of a partition.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Read {
    /// Records.
    pub events: u32,
    /// The highest timestamp, and when it was read.
    pub highest: Option<(i64, Moment)>,
    /// When the last record was read.
    pub last: Option<Moment>,
}

impl Read {
    /// A record of it.
    pub fn add(&mut self, time: i64, now: Moment) {
        self.events += 1;
        if self.highest.is_none_or(|(highest, _)| time > highest) {
            self.highest = Some((time, now));
        }
        self.last = Some(now);
    }
}

/// One partition of a source subtask.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PartitionReport {
    /// The partition.
    pub partition: u32,
    /// Records that were read of it.
    pub events: u32,
    /// The highest timestamp of these; `None` without a record.
    pub highest: EventTime,
    /// When that was read.
    pub highest_at: Option<Moment>,
    /// When the last record was read.
    pub last_at: Option<Moment>,
    /// Whether it has a generator to itself. Only then it has a watermark, and can be idle.
    pub has_own: bool,
    /// The watermark of its generator.
    pub watermark: EventTime,
    /// Since when that has not moved; `None` where it never has.
    pub since: Option<Moment>,
    /// Whether it is left out as idle.
    pub idle: bool,
    /// Whether it is the one, or one of those, that hold the operator's watermark back.
    pub holds_back: bool,
}

/// One source subtask.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SourceReport {
    /// The subtask.
    pub subtask: u32,
    /// Its partitions.
    pub partitions: Vec<u32>,
    /// Records that it read.
    pub events: u32,
    /// The last watermark that it sent.
    pub watermark: EventTime,
    /// Since when that has not moved; `None` where it never has.
    pub since: Option<Moment>,
    /// Whether it is idle.
    pub idle: bool,
    /// Whether it is the one, or one of those, that hold the watermark back.
    pub holds_back: bool,
    /// Where it sent something last: a row, or the records read up to then.
    pub last_sent: Option<u32>,
    /// Its partitions one by one.
    pub parts: Vec<PartitionReport>,
}

/// What decides who holds the watermark back.
struct Minimum {
    lowest: Option<EventTime>,
    furthest: EventTime,
}

impl Minimum {
    fn of(sources: &[SourceSubtask], valve: &Valve) -> Self {
        let aligned = || valve.channels().iter().filter(|it| it.is_aligned).map(|it| it.watermark);
        let own = sources.iter().flat_map(SourceSubtask::parts).filter(|it| !it.is_idle);
        let furthest = own.map(|it| it.watermark).chain(aligned()).max();
        Self { lowest: aligned().min(), furthest: furthest.unwrap_or(EventTime::MIN) }
    }

    fn is_lowest(&self, channel: &Channel) -> bool {
        channel.is_aligned && Some(channel.watermark) == self.lowest
    }

    /// Nobody is held back where nobody has come further.
    fn is_held(&self, watermark: EventTime) -> bool {
        watermark == EventTime::MIN || watermark < self.furthest
    }
}

/// For each subtask, whether it holds the watermark back, as in its report.
pub fn hold_back(sources: &[SourceSubtask], valve: &Valve) -> Vec<bool> {
    let minimum = Minimum::of(sources, valve);
    let holds = |(source, channel): (&SourceSubtask, &Channel)| {
        let own = source.parts().into_iter().filter(|it| !it.is_idle).map(|it| it.watermark).min();
        let is_over = source.watermark() == EventTime::MAX;
        let is_held_inside = !is_over && own.is_some_and(|it| minimum.is_held(it));
        minimum.is_lowest(channel) && (minimum.is_held(channel.watermark) || is_held_inside)
    };
    sources.iter().zip(valve.channels()).map(holds).collect()
}

/// The subtasks at this moment; `reads` is by partition.
pub fn sources(sources: &[SourceSubtask], valve: &Valve, reads: &[Read]) -> Vec<SourceReport> {
    let minimum = Minimum::of(sources, valve);
    let is_held = |watermark| minimum.is_held(watermark);
    let holding = hold_back(sources, valve);
    let all = sources.iter().zip(valve.channels()).zip(holding);
    let one = |(subtask, ((source, channel), holds_back)): (u32, ((&SourceSubtask, _), bool))| {
        SourceReport {
            subtask,
            partitions: source.partitions.clone(),
            events: source.events,
            watermark: source.watermark(),
            since: source.moved(),
            idle: source.is_idle(),
            holds_back,
            last_sent: source.last_sent().map(|it| it.place),
            parts: partitions(source, minimum.is_lowest(channel).then_some(&is_held), reads),
        }
    };
    (0..).zip(all).map(one).collect()
}

/// `is_held` says which watermarks hold back; `None` where the subtask itself does not.
fn partitions(
    source: &SourceSubtask,
    is_held: Option<&dyn Fn(EventTime) -> bool>,
    reads: &[Read],
) -> Vec<PartitionReport> {
    let own = source.parts();
    let lowest = own.iter().filter(|it| !it.is_idle).map(|it| it.watermark).min();
    // At the end of its input a subtask is held by nothing.
    let is_over = source.watermark() == EventTime::MAX;
    let one = |(at, partition): (usize, &u32)| {
        let read = reads.get(*partition as usize).copied().unwrap_or_default();
        let part = own.get(at);
        let watermark = part.map_or(EventTime::MIN, |it| it.watermark);
        let idle = part.is_some_and(|it| it.is_idle);
        let is_lowest = part.is_some() && !idle && !is_over && Some(watermark) == lowest;
        PartitionReport {
            partition: *partition,
            events: read.events,
            highest: read.highest.map_or(EventTime::MIN, |(time, _)| EventTime::ms(time)),
            highest_at: read.highest.map(|(_, at)| at),
            last_at: read.last,
            has_own: part.is_some(),
            watermark,
            since: part.and_then(|it| it.moved),
            idle,
            holds_back: is_lowest && is_held.is_some_and(|is_held| is_held(watermark)),
        }
    };
    source.partitions.iter().enumerate().map(one).collect()
}

/// The partitions that hold the watermark back, with their subtasks.
pub fn holding(sources: &[SourceReport]) -> Vec<(&SourceReport, &PartitionReport)> {
    let of = |source| -> Vec<_> {
        let source: &SourceReport = source;
        source.parts.iter().filter(|it| it.holds_back).map(|it| (source, it)).collect()
    };
    sources.iter().flat_map(of).collect()
}

/// The watermark that the furthest source has come to, partitions counted by themselves.
pub fn furthest(sources: &[SourceReport]) -> EventTime {
    let parts = |source: &SourceReport| {
        let parts = source.parts.iter().filter(|it| it.has_own && !it.idle);
        parts.map(|it| it.watermark).max().unwrap_or(EventTime::MIN)
    };
    let active = sources.iter().filter(|it| !it.idle);
    active.map(|it| it.watermark.max(parts(it))).max().unwrap_or(EventTime::MIN)
}
