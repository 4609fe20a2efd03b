//! The log of a run, row by row, computed again from the nearest snapshot.
//!
//! Source: Flink 1.18.1, 1.20.5 and 2.2.1, `WindowOperator#processElement`.

use serde::{Serialize, Serializer};

use super::super::operator::WindowStatus;
use super::super::time::EventTime;
use super::operator::Block;
use super::origins::OriginPart;
use super::report::{Firings, Results};
use super::windows::Windows;
use super::{Run, State, outcome};

/// A window of a record; of a session what it became by merging.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct RowWindow {
    /// The first millisecond; `Long.MIN_VALUE` of the global window.
    #[serde(serialize_with = "named")]
    pub start: i64,
    /// The millisecond after its last one; `Long.MAX_VALUE` of the global window.
    #[serde(serialize_with = "named")]
    pub end: i64,
    /// What it was for the record.
    pub status: WindowStatus,
}

/// The two ends of time by name, since no number of JavaScript is them.
fn named<S: Serializer>(ms: &i64, serializer: S) -> Result<S::Ok, S::Error> {
    EventTime::ms(*ms).serialize(serializer)
}

/// One record with all that it did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    /// Its place in the run, from 0.
    pub record: usize,
    /// Event time [ms].
    pub time: i64,
    /// Key.
    pub key: u32,
    /// Value.
    pub value: i32,
    /// The watermark that it was judged by [ms].
    #[serde(skip)]
    pub watermark_before: i64,
    /// The watermark after it [ms].
    #[serde(skip)]
    pub watermark_after: i64,
    /// What became of it, see [`super::outcome`].
    pub outcome: u8,
    /// The partition it was read from, where that is known.
    pub partition: Option<u8>,
    /// When it arrived, where that is known [ms].
    pub arrival: Option<i64>,
    /// Its windows, in the order of the assigner.
    pub windows: Vec<RowWindow>,
    /// The sessions that were merged, in order of time.
    pub merged_from: Vec<(i64, i64)>,
    /// Firings before it.
    pub results_before: u32,
    /// Firings that it caused, by itself and by the watermark after it.
    #[serde(skip)]
    pub results: Results,
}

impl Run {
    /// The rows of the processed records from `from` on.
    pub fn rows(&self, from: usize, count: usize) -> Vec<Row> {
        let end = from.saturating_add(count).min(self.records());
        if from >= end {
            return Vec::new();
        }
        let mut state = self.nearest(from);
        self.replay(&mut state, from);
        (from..end).filter_map(|record| self.row(&mut state, record)).collect()
    }

    /// The last state that is kept of those before a record, or the first of all.
    pub(super) fn nearest(&self, record: usize) -> State {
        let kept = self.snapshots.partition_point(|it| it.record() <= record);
        match kept.checked_sub(1) {
            Some(at) => self.snapshots[at].state.clone(),
            None => State::new(&self.plan),
        }
    }

    /// Runs a state on to a record.
    pub(super) fn replay(&self, state: &mut State, to: usize) {
        let (mut firings, mut outcomes) = (Firings { room: 0, ..Firings::default() }, Vec::new());
        let (mut times, mut keys, mut values) = (Vec::new(), Vec::new(), Vec::new());
        let (mut at, mut origin) = (state.totals.records as usize, OriginPart::default());
        while at < to {
            times.clear();
            keys.clear();
            values.clear();
            for (time, key, value) in (at..to.min(at + 1024)).filter_map(|at| self.store.get(at)) {
                times.push(time);
                keys.push(key);
                values.push(value);
            }
            outcomes.clear();
            if self.is_marked {
                outcomes.extend(self.store.outcomes(at, at + times.len()));
            }
            outcomes.resize(times.len(), 0);
            let first = at as u32;
            let (times, keys, values) = (&times[..], &keys[..], &values[..]);
            let outcomes = &mut outcomes[..];
            self.origins.read(at, at + times.len(), &mut origin);
            let mut block = Block { first, times, keys, values, outcomes, arrivals: &[] };
            state.run(&mut block, origin.get(), &mut firings, None, self.is_marked);
            at += times.len().max(1);
        }
    }

    fn row(&self, state: &mut State, record: usize) -> Option<Row> {
        let (time, key, value) = self.store.get(record)?;
        let (partition, arrival) = (self.origins.partition(record), self.origins.arrival(record));
        // What the clock did before it stands in the row before it.
        if let Some(arrival) = arrival {
            state.let_clock_reach(arrival, &mut Firings::default());
        }
        let watermark_before = state.clock.watermark;
        let results_before = state.totals.results;
        let (mut windows, merge) = match &state.windows {
            Windows::Panes(panes) => (panes.fixed().windows_of(time, watermark_before), None),
            Windows::Sessions(sessions) => (Vec::new(), Some(sessions.merge_of(key, time))),
            Windows::Triggered(triggered) => (
                triggered.windows_of(time, watermark_before).unwrap_or_default(),
                triggered.merge_of(key, time, value),
            ),
        };
        let mark = self.store.outcomes(record, record + 1).first().copied().unwrap_or(0);
        let is_left_out = self.is_marked && mark & outcome::DUPLICATE != 0;
        if is_left_out {
            windows.clear();
        }
        let merge = merge.filter(|_| !is_left_out);
        let (mut firings, mut outcomes) = (Firings::default(), [mark & outcome::DUPLICATE]);
        let mut block = Block {
            first: record as u32,
            times: &[time],
            keys: &[key],
            values: &[value],
            outcomes: &mut outcomes,
            arrivals: &[],
        };
        let mut origin = OriginPart::default();
        self.origins.read(record, record + 1, &mut origin);
        state.run(&mut block, origin.get(), &mut firings, None, self.is_marked);
        if let Some(next) = self.origins.arrival(record + 1) {
            state.let_clock_reach(next, &mut firings);
        }
        let mut merged_from = Vec::new();
        if let Some(((start, end), from)) = merge {
            let status = match outcomes[0] & outcome::KIND {
                outcome::ON_TIME => WindowStatus::Open,
                outcome::LATE => WindowStatus::KeptForLateness,
                _ => WindowStatus::Expired,
            };
            windows.push(RowWindow { start, end, status });
            merged_from = from;
        }
        Some(Row {
            record,
            time,
            key,
            value,
            watermark_before,
            watermark_after: state.clock.watermark,
            outcome: outcomes[0],
            partition,
            arrival,
            windows,
            merged_from,
            results_before,
            results: firings.results,
        })
    }
}
