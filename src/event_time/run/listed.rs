//! The late and the dropped records of a run, found again by their outcomes; nothing is kept for it.
//!
//! The watermark that judged a record is computed again with the clock and the sources alone, from the
//! nearest snapshot on: no window has to be filled for it.
//!
//! Source: Flink 1.18.1, 1.20.5 and 2.2.1, `WindowOperator#processElement`, `#isWindowLate`,
//! `#cleanupTime`.

use serde::{Deserialize, Serialize};

use super::super::zone::Zone;
use super::clock::Clock;
use super::conductor::Conductor;
use super::origins::{Origin, OriginPart};
use super::params::Shape;
use super::{Run, State, outcome};

/// Which records are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Which {
    /// Those of the side output, or of `numLateRecordsDropped`.
    Dropped,
    /// Those that a fired window took.
    Late,
}

impl Which {
    const fn kind(self) -> u8 {
        match self {
            Self::Dropped => outcome::DROPPED,
            Self::Late => outcome::LATE,
        }
    }
}

/// One of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Listed {
    /// Its place in the run, from 0.
    pub record: usize,
    /// Event time [ms].
    pub time: i64,
    /// Key.
    pub key: u32,
    /// Value.
    pub value: i32,
    /// The partition it was read from, where that is known.
    pub partition: Option<u8>,
    /// When it arrived, where that is known [ms].
    pub arrival: Option<i64>,
    /// What became of it, see [`super::outcome`].
    pub outcome: u8,
    /// The watermark that it was judged by [ms].
    pub watermark: i64,
    /// How far that watermark had passed the clean-up of the last window that could take it; with so
    /// much more allowed lateness it had been counted. `None` for one that was counted [ms].
    pub missed_by: Option<i64>,
}

/// The clock and the sources of a state.
struct Marks {
    records: usize,
    clock: Clock,
    conductor: Option<Box<Conductor>>,
    origin: OriginPart,
}

impl Marks {
    fn of(state: &State) -> Self {
        Self {
            records: state.totals.records as usize,
            clock: state.clock.clone(),
            conductor: state.conductor.clone(),
            origin: OriginPart::default(),
        }
    }

    /// The watermark that judges this record.
    fn judging(&mut self, run: &Run, record: usize) -> i64 {
        while self.records < record {
            self.step(run, record);
        }
        if let (Some(conductor), Some(arrival)) = (&mut self.conductor, run.origins.arrival(record))
        {
            conductor.clock_up_to(arrival, |_, mark| self.clock.watermark = mark);
        }
        self.clock.watermark
    }

    /// Takes some records more, none from `to` on.
    fn step(&mut self, run: &Run, to: usize) {
        let (from, to) = (self.records, to.min(self.records + 1024));
        let times = (from..to).filter_map(|at| run.store.get(at)).map(|it| it.0);
        let Some(conductor) = &mut self.conductor else {
            times.for_each(|time| self.clock.after(time));
            self.records = to;
            return;
        };
        let times: Vec<i64> = times.collect();
        run.origins.read(from, to, &mut self.origin);
        let origin = self.origin.get();
        let (mut at, mut watermark) = (0, self.clock.watermark);
        while at < times.len() {
            let here: Origin<'_> = origin.part(at, times.len());
            if let Some(arrival) = here.arrivals.first() {
                conductor.clock_up_to(*arrival, |_, mark| watermark = mark);
            }
            at += conductor.take(&times[at..], here);
            conductor.after(|_, mark| watermark = mark);
        }
        self.clock.watermark = watermark;
        self.records = to;
    }
}

impl Run {
    /// The records of this kind from the `from`-th on, at most `count` of them, in order of arrival.
    pub fn listed(&self, which: Which, from: usize, count: usize) -> Vec<Listed> {
        let mut marks: Option<Marks> = None;
        let one = |record: usize| {
            let kept = self.snapshots.partition_point(|it| it.record() <= record);
            let kept = kept.checked_sub(1).map(|at| &self.snapshots[at].state);
            // Where a snapshot lies between, the records before it need not be gone through.
            let is_further = |marks: &Marks| {
                kept.is_none_or(|state| state.totals.records as usize <= marks.records)
            };
            if !marks.as_ref().is_some_and(is_further) {
                marks = Some(kept.map_or_else(|| Marks::of(&State::new(&self.plan)), Marks::of));
            }
            let watermark = marks.as_mut()?.judging(self, record);
            self.one(record, watermark)
        };
        self.places(which, from, count).into_iter().filter_map(one).collect()
    }

    /// Where these records are.
    fn places(&self, which: Which, from: usize, count: usize) -> Vec<usize> {
        let is_it = |it: &&u8| **it & outcome::KIND == which.kind();
        let (mut found, mut before) = (Vec::new(), 0);
        for (first, outcomes) in self.store.all_outcomes(self.records()) {
            let here = outcomes.iter().filter(is_it).count();
            if before + here > from {
                let places = (first..).zip(outcomes).filter(|(_, it)| is_it(it)).map(|it| it.0);
                let skipped = from.saturating_sub(before);
                found.extend(places.skip(skipped).take(count - found.len()));
            }
            before += here;
            if found.len() == count {
                break;
            }
        }
        found
    }

    fn one(&self, record: usize, watermark: i64) -> Option<Listed> {
        let (time, key, value) = self.store.get(record)?;
        let outcome = self.store.outcomes(record, record + 1).first().copied()?;
        let max_timestamp = match self.plan.shape {
            Shape::Fixed { size, slide, offset } => {
                time - (time - offset).rem_euclid(slide) + size - 1
            }
            Shape::Session { gap } => time + gap - 1,
            Shape::DynamicSession => time + i64::from(value) - 1,
            Shape::Zoned { size, ref transitions } => {
                Zone { transitions }.window(time, size).max_timestamp()
            }
            // It drops no record.
            Shape::Global => time,
        };
        let is_dropped = outcome & outcome::KIND == outcome::DROPPED;
        let missed_by = is_dropped.then(|| watermark - (max_timestamp + self.plan.lateness) + 1);
        Some(Listed {
            record,
            time,
            key,
            value,
            partition: self.origins.partition(record),
            arrival: self.origins.arrival(record),
            outcome,
            watermark,
            missed_by,
        })
    }
}
