//! Where a run stands after any of its records: its watermark, since when, who holds it, and what fires
//! next. Computed again from the nearest snapshot, so nothing is kept for it.
//!
//! Source: Flink 1.18.1, 1.20.5 and 2.2.1, `EventTimeTrigger`, `ContinuousEventTimeTrigger` for what
//! fires next; the sources as in [`super::super::holders`].

use std::borrow::Cow;

use super::super::holders::{Moment, PartitionReport, Read, SourceReport, furthest};
use super::super::time::EventTime;
use super::clock::Clock;
use super::report::{Firings, OpenState};
use super::{Run, State};

/// The window that fires next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Next {
    /// Its first millisecond.
    pub start: i64,
    /// The millisecond after its last one.
    pub end: i64,
    /// The watermark with which it fires.
    pub due: i64,
}

/// A run after a number of records, and before what the clock does next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// Records processed.
    pub records: usize,
    /// When the last of them arrived, where that is known [ms].
    pub arrival: Option<i64>,
    /// The watermark of the operator.
    pub watermark: EventTime,
    /// Since when it stands there; `None` before the first.
    pub since: Option<Moment>,
    /// The source subtasks.
    pub sources: Vec<SourceReport>,
    /// What fires next by event time, as far as there is any such window.
    pub next: Option<Next>,
    /// What is open.
    pub open: OpenState,
    /// Pairs of key and window that wait, and that the source furthest ahead has passed.
    pub passed: u64,
}

impl Run {
    /// Where it stands after so many records, or after all that were processed; what the clock does up
    /// to the next record is done. At the end of a bounded input it is the moment before that end.
    pub fn standing(&self, records: usize) -> Standing {
        let records = records.min(self.records());
        let state = self.state_after(records);
        let (reads, followed, moved) = self.read_up_to(records);
        let watermark = EventTime::ms(state.clock.watermark);
        let (sources, since) = match &state.conductor {
            Some(conductor) => (conductor.sources(&reads), conductor.moved()),
            None => (vec![self.only_source(&reads, &followed, moved)], moved),
        };
        let windows = &state.windows;
        Standing {
            records,
            arrival: records.checked_sub(1).and_then(|last| self.origins.arrival(last)),
            watermark,
            since,
            passed: windows.passed(watermark.get(), furthest(&sources).get()),
            sources,
            next: windows.next(),
            open: windows.open_state(watermark.get()),
        }
    }

    fn state_after(&self, records: usize) -> Cow<'_, State> {
        if records == self.records() && !self.is_done {
            return Cow::Borrowed(&self.state);
        }
        let mut state = self.nearest(records);
        self.replay(&mut state, records);
        if let Some(next) = self.origins.arrival(records) {
            state.let_clock_reach(next, &mut Firings { room: 0, ..Firings::default() });
        }
        Cow::Owned(state)
    }

    /// What was read of each partition, the watermark of one generator for all, and when that moved.
    fn read_up_to(&self, records: usize) -> (Vec<Read>, Clock, Option<Moment>) {
        let mut reads = vec![Read::default(); self.plan.partitions as usize];
        let (mut clock, mut moved) = (Clock::new(self.plan.lag, self.plan.every), None);
        for at in 0..records {
            let Some((time, ..)) = self.store.get(at) else { break };
            let now =
                Moment { place: at as u32 + 1, at: self.origins.arrival(at).unwrap_or_default() };
            let partition = self.origins.partition(at).unwrap_or(0);
            if let Some(read) = reads.get_mut(usize::from(partition)) {
                read.add(time, now);
            }
            let before = clock.watermark;
            clock.after(time);
            if clock.watermark > before {
                moved = Some(now);
            }
        }
        (reads, clock, moved)
    }

    /// The source of a run without a conductor: one generator for all partitions.
    fn only_source(&self, reads: &[Read], clock: &Clock, moved: Option<Moment>) -> SourceReport {
        let watermark = EventTime::ms(clock.watermark);
        let is_alone = reads.len() == 1;
        let is_none = watermark == EventTime::MIN;
        let part = |(partition, read): (u32, &Read)| PartitionReport {
            partition,
            events: read.events,
            highest: read.highest.map_or(EventTime::MIN, |(time, _)| EventTime::ms(time)),
            highest_at: read.highest.map(|(_, at)| at),
            last_at: read.last,
            has_own: is_alone,
            watermark: if is_alone { watermark } else { EventTime::MIN },
            since: moved.filter(|_| is_alone),
            idle: false,
            holds_back: is_alone && is_none,
        };
        SourceReport {
            subtask: 0,
            partitions: (0..reads.len() as u32).collect(),
            events: reads.iter().map(|it| it.events).sum(),
            watermark,
            since: moved,
            idle: false,
            holds_back: is_none,
            last_sent: moved.map(|it| it.place),
            parts: (0_u32..).zip(reads).map(part).collect(),
        }
    }
}
