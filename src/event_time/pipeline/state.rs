//! The job as a plain value: all of it, to go on as if nothing had happened, and what is left of it
//! after a savepoint and a restore.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1. Keyed state and timers are stored (`WindowOperator`,
//! `InternalTimerServiceImpl`), and the place in each partition (`SourceOperator`). Not stored are the
//! watermark of the operator (`InternalTimerServiceImpl.currentWatermark` starts at
//! `Long.MIN_VALUE`), what `StatusWatermarkValve` knows of its channels, and what a generator has
//! seen. The window aggregation of SQL (`SlicingWindowOperator` of 1.18 and 1.20, `WindowAggOperator`
//! of 2.x) keeps its watermark in operator state, and sends it on where its input is behind it.

use serde::{Deserialize, Serialize};

use super::{Key, Pipeline};
use crate::event_time::dedup::Dedup;
use crate::event_time::error::EventTimeError;
use crate::event_time::holders::{Read, hold_back};
use crate::event_time::operator::WindowOperator;
use crate::event_time::params::{EmissionTime, EventTimeParams};
use crate::event_time::signal::OperatorOutput;
use crate::event_time::source::SourceSubtask;
use crate::event_time::valve::Valve;

/// All that decides how the job goes on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    next_item: usize,
    rows: u32,
    reads: Vec<Read>,
    now: i64,
    arrived: i64,
    next_tick: Option<i64>,
    events: u32,
    keys: Vec<Key>,
    sources: Vec<SourceSubtask>,
    valve: Valve,
    /// The subtasks of the window operator.
    pub operators: Vec<WindowOperator>,
    output: OperatorOutput,
    /// The ids of the process function ahead of the windows.
    pub dedup: Option<Dedup>,
}

impl Snapshot {
    /// What is there after a restore.
    #[must_use]
    pub fn restored(self, params: &EventTimeParams) -> Self {
        let keeps_watermark = params.watermarks.rule.is_sql();
        let mut sources = SourceSubtask::all(params.version, &params.source, &params.watermarks);
        for (fresh, old) in sources.iter_mut().zip(&self.sources) {
            fresh.events = old.events;
        }
        let next_tick = match params.watermarks.emission {
            EmissionTime::Periodic { interval } => Some(self.now.saturating_add(interval)),
            EmissionTime::PerEvent { .. } => None,
        };
        let operators = self.operators.into_iter();
        let operators = if keeps_watermark {
            operators.collect()
        } else {
            operators.map(WindowOperator::without_watermark).collect()
        };
        let valve = Valve::new(sources.len());
        Self { next_tick, sources, valve, operators, output: OperatorOutput::default(), ..self }
    }
}

impl<'a> Pipeline<'a> {
    /// A job that goes on from a snapshot, with the items that were next. What it did before is not
    /// among its rows.
    ///
    /// # Errors
    /// Whatever is wrong with the params.
    pub fn resume(params: &'a EventTimeParams, from: Snapshot) -> Result<Self, EventTimeError> {
        let mut pipeline = Self::new(params)?;
        pipeline.take(from);
        Ok(pipeline)
    }

    /// The same, but it stops when it has this many rows.
    #[must_use]
    pub const fn up_to(mut self, rows: usize) -> Self {
        self.stop_at = Some(rows);
        self
    }

    /// The job as it stands.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            next_item: self.next_item,
            rows: self.rows_before + self.rows.len() as u32,
            reads: self.reads.clone(),
            now: self.now,
            arrived: self.arrived,
            next_tick: self.next_tick,
            events: self.totals.events,
            keys: self.keys.clone(),
            sources: self.sources.clone(),
            valve: self.valve.clone(),
            operators: self.operators.clone(),
            output: self.output.clone(),
            dedup: self.dedup.clone(),
        }
    }

    fn take(&mut self, from: Snapshot) {
        let ids = from.keys.iter().enumerate();
        self.ids = ids.map(|(id, key)| (key.text.clone(), id as u32)).collect();
        self.next_item = from.next_item;
        self.rows_before = from.rows.saturating_sub(self.rows.len() as u32);
        self.reads = from.reads;
        self.now = from.now;
        self.arrived = from.arrived;
        self.next_tick = from.next_tick;
        self.totals.events = from.events;
        self.keys = from.keys;
        self.sources = from.sources;
        self.valve = from.valve;
        self.operators = from.operators;
        self.output = from.output;
        self.dedup = from.dedup;
    }

    /// A savepoint here, and a start from it; a row says so.
    pub(super) fn restart(&mut self) {
        let mut row = self.row(None, Vec::new());
        row.restored = true;
        self.take(self.snapshot().restored(self.params));
        row.watermark_after = self.watermark();
        self.held_since.fill(None);
        self.restored.push(self.rows.len() as u32);
        self.close(row);
    }

    /// The rows in which the job was restored.
    pub fn restored(&self) -> &[u32] {
        &self.restored
    }

    /// Its processing time [ms].
    pub const fn now(&self) -> i64 {
        self.now
    }

    /// For each source subtask, the row since which it has held the watermark back without a break.
    pub fn held_since(&self) -> &[Option<u32>] {
        &self.held_since
    }

    /// To be called before the row is listed.
    pub(super) fn note_holders(&mut self) {
        let row = u32::try_from(self.rows.len()).unwrap_or(u32::MAX);
        let holding = hold_back(&self.sources, &self.valve);
        for (since, holds) in self.held_since.iter_mut().zip(holding) {
            *since = holds.then(|| since.unwrap_or(row));
        }
    }
}
