//! A job run item by item: source subtasks, the valve of the window operator, its subtasks.
//!
//! Every subtask of the window operator hears every source subtask, so all of them have the same
//! watermark; one valve stands for all. A record goes downstream before the watermark it causes.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `StatusWatermarkValve`, `WindowOperator`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::dedup::Dedup;
use super::error::EventTimeError;
use super::holders::{Moment, Read};
use super::kept::{Held, KeptBytes, Layout};
use super::lives::Lives;
use super::operator::{
    Failure, KeyId, Outcome, Processed, Record, TIMER_CALLS_MAX, WindowOperator, WindowStatus,
};
use super::params::{EmissionTime, EventTimeParams, InputItem, TICKS_MAX, WindowSpace};
use super::report::{
    AssignedWindow, Destination, FiringReport, RecordOutcome, RecordReport, Row, Sent, Totals,
    WindowBounds, WindowSubtask,
};
use super::signal::{OperatorOutput, Signal, Status};
use super::source::SourceSubtask;
use super::time::EventTime;
use super::valve::Valve;
use super::window::Assigner;
use crate::key_group;

mod lists;
pub mod state;

/// How many records a firing lists where not all were asked for.
const LISTED_MAX: usize = 200;
/// The most results of a run.
const FIRINGS_MAX: u32 = 200_000;

/// A key of the stream and where it goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Key {
    text: String,
    group: u32,
    subtask: u32,
    events: u32,
}

/// The job while it runs.
#[derive(Debug, Clone)]
pub struct Pipeline<'a> {
    params: &'a EventTimeParams,
    /// The source subtasks.
    pub sources: Vec<SourceSubtask>,
    /// The valve of the window operator.
    pub valve: Valve,
    /// Where windows began and ended.
    pub lives: Lives,
    /// What was read of each partition.
    pub reads: Vec<Read>,
    /// How many of what.
    pub totals: Totals,
    /// Sessions that lost their contents.
    pub orphaned: u32,
    /// What happened.
    pub rows: Vec<Row>,
    /// Rows that a job which goes on from a snapshot had before these.
    rows_before: u32,
    operators: Vec<WindowOperator>,
    output: OperatorOutput,
    dedup: Option<Dedup>,
    keys: Vec<Key>,
    ids: BTreeMap<String, KeyId>,
    max_parallelism: u32,
    /// What takes how many bytes.
    pub layout: Layout,
    /// The most bytes kept at one time.
    pub kept_max: KeptBytes,
    now: i64,
    next_tick: Option<i64>,
    /// The item of the input that is next.
    next_item: usize,
    /// When the last item arrived.
    arrived: i64,
    /// Rows after which it stops.
    stop_at: Option<usize>,
    held_since: Vec<Option<u32>>,
    restored_at: Option<u32>,
    failed: bool,
    /// Whether what failed is the merge of sessions.
    pub is_merge_failure: bool,
}

impl<'a> Pipeline<'a> {
    /// A job that has read nothing.
    ///
    /// # Errors
    /// Whatever is wrong with the params.
    pub fn new(params: &'a EventTimeParams) -> Result<Self, EventTimeError> {
        params.check()?;
        let max_parallelism = params.key_groups()?;
        let is_global = matches!(params.windows.assigner, Assigner::Global);
        let space = if is_global { WindowSpace::Global } else { WindowSpace::Time };
        let operator = WindowOperator::new(params.windows.clone())?;
        let sources = SourceSubtask::all(params.version, &params.source, &params.watermarks);
        Ok(Self {
            valve: Valve::new(sources.len()),
            sources,
            lives: Lives::new(params.windows.clone()),
            reads: vec![Read::default(); params.source.partitions as usize],
            totals: Totals::default(),
            orphaned: 0,
            rows: Vec::with_capacity(params.input.len() + 1),
            rows_before: 0,
            operators: vec![operator; params.parallelism as usize],
            output: OperatorOutput::default(),
            dedup: params.dedup_ttl.map(Dedup::new),
            keys: Vec::new(),
            ids: BTreeMap::new(),
            max_parallelism,
            layout: Layout::new(&params.kept, space, max_parallelism),
            kept_max: KeptBytes::default(),
            now: 0,
            next_tick: None,
            next_item: 0,
            arrived: 0,
            stop_at: None,
            held_since: vec![None; params.source.parallelism as usize],
            restored_at: None,
            failed: false,
            is_merge_failure: false,
            params,
        })
    }

    /// Runs the whole input.
    ///
    /// # Errors
    /// An item that names what does not exist, or a key that is none of its type.
    pub fn run(mut self) -> Result<Self, EventTimeError> {
        let input = &self.params.input;
        for (at, item) in input.iter().enumerate().skip(self.next_item) {
            let arrival = self.arrival(at, item)?;
            self.clock_up_to(arrival);
            if self.is_over() {
                break;
            }
            self.now = arrival;
            self.arrived = arrival;
            self.next_item = at + 1;
            self.item(at, item)?;
            self.check_limits()?;
            if self.is_over() {
                break;
            }
        }
        if !self.is_over() {
            self.run_out();
        }
        self.check_limits()?;
        Ok(self)
    }

    fn is_over(&self) -> bool {
        self.failed || self.stop_at.is_some_and(|rows| self.rows.len() >= rows)
    }

    /// What a continuous trigger does over a long time without records is not computed to its end.
    fn check_limits(&self) -> Result<(), EventTimeError> {
        if self.operators.iter().any(WindowOperator::is_exhausted) {
            return Err(EventTimeError::TooManyCalls { max: TIMER_CALLS_MAX });
        }
        if self.totals.firings > FIRINGS_MAX {
            let (max, got) = (FIRINGS_MAX as usize, self.totals.firings as usize);
            return Err(EventTimeError::TooMany {
                field: "windows.trigger",
                what: "Results",
                max,
                got,
            });
        }
        Ok(())
    }

    /// The watermark of the window operator.
    pub fn watermark(&self) -> EventTime {
        self.operators.first().map_or(EventTime::MIN, WindowOperator::watermark)
    }

    /// Ids that are kept to leave duplicates out.
    pub fn ids_kept(&self) -> usize {
        self.dedup.as_ref().map_or(0, |dedup| dedup.kept(self.now))
    }

    /// What each subtask of the window operator got.
    pub fn window_subtasks(&self) -> Vec<WindowSubtask> {
        (0..self.params.parallelism)
            .map(|subtask| {
                let keys = || self.keys.iter().filter(|key| key.subtask == subtask);
                WindowSubtask {
                    subtask,
                    events: keys().map(|key| key.events).sum(),
                    keys: keys().count() as u32,
                }
            })
            .collect()
    }

    /// Names of the keys, by number.
    pub fn key_text(&self, key: KeyId) -> &str {
        self.keys.get(key as usize).map_or("", |key| &key.text)
    }

    /// The subtask of a key.
    pub fn key_subtask(&self, key: KeyId) -> u32 {
        self.keys.get(key as usize).map_or(0, |key| key.subtask)
    }

    /// The row that is being made, and the clock.
    fn moment(&self) -> Moment {
        Moment { place: self.rows_before + self.rows.len() as u32, at: self.now }
    }

    fn arrival(&self, at: usize, item: &InputItem) -> Result<i64, EventTimeError> {
        let Some(arrival) = item.arrival() else { return Ok(self.now) };
        if at > 0 && arrival < self.now {
            return Err(EventTimeError::ArrivalOrder { item: at });
        }
        Ok(arrival)
    }

    fn item(&mut self, at: usize, item: &InputItem) -> Result<(), EventTimeError> {
        let firings = self.processing_time();
        let mut row = self.row(Some(at as u32), firings);
        match item {
            InputItem::Event { .. } => self.event(at, item, &mut row)?,
            InputItem::Watermark { watermark, subtask, .. } => {
                let signal = Signal::watermark(*watermark);
                row.signal = Some(Sent { subtask: *subtask, signal });
                self.send(at, *subtask, signal, &mut row)?;
            }
            InputItem::Status { status, subtask, .. } => {
                let signal = Signal::status(*status);
                row.signal = Some(Sent { subtask: *subtask, signal });
                self.send(at, *subtask, signal, &mut row)?;
            }
        }
        self.close(row);
        Ok(())
    }

    fn event(&mut self, at: usize, item: &InputItem, row: &mut Row) -> Result<(), EventTimeError> {
        let InputItem::Event { id, key, time, value, partition, .. } = item else {
            return Ok(());
        };
        let count = self.params.source.partitions;
        if *partition >= count {
            let (item, what, got) = (at, "partition", *partition);
            return Err(EventTimeError::NoSuch { item, what, got, count });
        }
        let key_id = self.key(key)?;
        let place = self.keys[key_id as usize].clone();
        let source_subtask = partition % self.params.source.parallelism;
        let record = Record { seq: at as u32, key: key_id, time: time.get(), value: *value };
        if let Some(source) = self.sources.get_mut(source_subtask as usize) {
            source.on_event(*partition, time.get());
        }
        let moment = self.moment();
        if let Some(read) = self.reads.get_mut(*partition as usize) {
            read.add(time.get(), moment);
        }
        self.totals.events += 1;
        let mut report = RecordReport {
            id: id.clone().unwrap_or_else(|| (at + 1).to_string()),
            key: key.clone(),
            time: *time,
            value: *value,
            partition: *partition,
            source_subtask,
            key_group: place.group,
            subtask: place.subtask,
            behind_watermark: *time <= row.watermark_before,
            windows: Vec::new(),
            merged_from: Vec::new(),
            outcome: None,
            partial: false,
            destination: None,
            firings: Vec::new(),
            open_after: 0,
        };
        self.totals.behind_watermark += u32::from(report.behind_watermark);
        let now = self.now;
        if self.dedup.as_mut().is_some_and(|dedup| dedup.is_duplicate(&report.id, now)) {
            self.totals.duplicates += 1;
            // It does not reach the window operator.
            self.keys[key_id as usize].events -= 1;
            report.outcome = Some(RecordOutcome::Duplicate);
            report.open_after = self.open_count();
            row.record = Some(report);
            self.after_event(source_subtask, row);
            return Ok(());
        }
        match self.operators[place.subtask as usize].process_element(record) {
            Ok(processed) => {
                self.lives.on_record(self.rows.len() as u32, record, &processed);
                self.fill(&mut report, processed);
            }
            Err(failure) => {
                self.failed = true;
                self.is_merge_failure = matches!(failure, Failure::Merge(_));
                row.error = Some(failure.to_string());
            }
        }
        report.open_after = self.open_count();
        row.record = Some(report);
        if !self.failed {
            self.after_event(source_subtask, row);
        }
        Ok(())
    }

    fn fill(&mut self, report: &mut RecordReport, processed: Processed) {
        report.windows = processed
            .windows
            .iter()
            .map(|(window, status)| AssignedWindow {
                start: window.start,
                end: window.end,
                status: *status,
            })
            .collect();
        report.merged_from = processed
            .merged
            .iter()
            .map(|window| WindowBounds { start: window.start, end: window.end })
            .collect();
        let expired = processed.windows.iter().filter(|(_, s)| *s == WindowStatus::Expired).count();
        report.partial = expired > 0 && expired < processed.windows.len();
        report.outcome = Some(processed.outcome.into());
        self.orphaned += u32::from(processed.orphaned.is_some());
        report.firings = self.firings(&processed.firings);
        let totals = &mut self.totals;
        totals.partial += u32::from(report.partial);
        match processed.outcome {
            Outcome::OnTime => totals.on_time += 1,
            Outcome::Late => totals.late += 1,
            Outcome::Ignored => totals.ignored += 1,
            Outcome::Dropped => {
                totals.dropped += 1;
                if self.params.windows.side_output {
                    totals.side_output += 1;
                    report.destination = Some(Destination::SideOutput);
                } else {
                    totals.num_late_records_dropped += 1;
                    report.destination = Some(Destination::Counter);
                }
            }
        }
    }

    /// Watermarks are asked for after every n-th record, where that is the rule; some do not wait.
    fn after_event(&mut self, source: u32, row: &mut Row) {
        let at = source as usize;
        let now = self.moment();
        let sent = self.sources.get_mut(at).map(|it| it.after_event(now)).unwrap_or_default();
        self.deliver(at, &sent, row);
        let EmissionTime::PerEvent { every } = self.params.watermarks.emission else { return };
        if i64::from(self.totals.events) % every == 0 {
            self.periodic(row);
        }
    }

    fn periodic(&mut self, row: &mut Row) {
        let now = self.moment();
        for at in 0..self.sources.len() {
            let sent = self.sources[at].on_periodic_emit(now);
            self.deliver(at, &sent, row);
        }
    }

    fn send(
        &mut self,
        item: usize,
        subtask: u32,
        signal: Signal,
        row: &mut Row,
    ) -> Result<(), EventTimeError> {
        let (count, now) = (self.sources.len() as u32, self.moment());
        let Some(source) = self.sources.get_mut(subtask as usize) else {
            return Err(EventTimeError::NoSuch {
                item,
                what: "source subtask",
                got: subtask,
                count,
            });
        };
        let sent = source.send(signal, now);
        self.deliver(subtask as usize, &sent, row);
        Ok(())
    }

    fn deliver(&mut self, source: usize, sent: &[Signal], row: &mut Row) {
        for signal in sent {
            row.sent.push(Sent { subtask: source as u32, signal: *signal });
            let mut received = Vec::new();
            self.valve.input(source, *signal, &mut received);
            for signal in received {
                row.received.push(signal);
                if let Signal::Watermark { watermark } = signal {
                    self.advance(watermark, row);
                }
                row.forwarded.extend(self.output.pass(signal));
            }
        }
    }

    fn advance(&mut self, watermark: EventTime, row: &mut Row) {
        let mut firings = Vec::new();
        // SQL's operator is ahead of its input after a restore.
        let watermark = watermark.max(self.watermark());
        for operator in &mut self.operators {
            firings.extend(operator.process_watermark(watermark));
        }
        self.lives.on_firings(self.rows.len() as u32, &firings);
        self.lives.on_watermark(self.rows.len() as u32, watermark);
        let firings = self.firings(&firings);
        row.firings.extend(firings);
        row.watermark_after = watermark;
    }

    fn processing_time(&mut self) -> Vec<FiringReport> {
        let now = self.now;
        let mut firings = Vec::new();
        for operator in &mut self.operators {
            firings.extend(operator.advance_processing_time(now));
        }
        self.lives.on_firings(self.rows.len() as u32, &firings);
        self.firings(&firings)
    }

    /// Calls of the clock before the next item.
    fn clock_up_to(&mut self, arrival: i64) {
        let EmissionTime::Periodic { interval } = self.params.watermarks.emission else {
            return;
        };
        let Some(first) = self.next_tick else {
            self.next_tick = Some(arrival.saturating_add(interval));
            return;
        };
        let mut tick = first;
        let mut calls = 0;
        while tick <= arrival && calls < TICKS_MAX && !self.is_over() {
            self.now = tick;
            self.tick();
            calls += 1;
            tick = tick.saturating_add(interval);
        }
        // Beyond that many calls without a record nothing changes any more.
        if tick <= arrival && !self.is_over() {
            let skipped = arrival.saturating_sub(tick) / interval + 1;
            tick = tick.saturating_add(skipped.saturating_mul(interval));
        }
        self.next_tick = Some(tick);
    }

    fn tick(&mut self) {
        let firings = self.processing_time();
        let mut row = self.row(None, firings);
        self.periodic(&mut row);
        if !row.sent.is_empty() || !row.firings.is_empty() {
            self.close(row);
        }
    }

    /// What still happens after the last item: a last call or two of the clock, or the end.
    fn run_out(&mut self) {
        if self.params.end_of_input {
            self.finish();
            return;
        }
        let EmissionTime::Periodic { interval } = self.params.watermarks.emission else {
            return;
        };
        // A source says that it is idle in the third call at the earliest, and after the timeout.
        let timeout = self.params.watermarks.idle_timeout.unwrap_or(0);
        let until = self.arrived.saturating_add(timeout).saturating_add(3 * interval);
        self.clock_up_to(until);
    }

    fn finish(&mut self) {
        let firings = self.processing_time();
        let mut row = self.row(None, firings);
        let now = self.moment();
        for at in 0..self.sources.len() {
            let sent = self.sources[at].end(now);
            self.deliver(at, &sent, &mut row);
        }
        // An idle channel is not heard; its end of input ends it all the same.
        if self.watermark() != EventTime::MAX {
            self.advance(EventTime::MAX, &mut row);
        }
        self.close(row);
    }

    fn row(&self, item: Option<u32>, firings: Vec<FiringReport>) -> Row {
        let watermark = self.watermark();
        Row {
            item,
            at: self.now,
            restored: false,
            record: None,
            signal: None,
            watermark_before: watermark,
            sent: Vec::new(),
            received: Vec::new(),
            watermark_after: watermark,
            firings,
            forwarded: Vec::new(),
            open_windows: 0,
            ended_windows: 0,
            open: None,
            elements: 0,
            state_entries: 0,
            timers: 0,
            kept: KeptBytes::default(),
            error: None,
        }
    }

    fn close(&mut self, mut row: Row) {
        let sum = |count: fn(&WindowOperator) -> usize| self.operators.iter().map(count).sum();
        row.open_windows = self.open_count();
        row.ended_windows = sum(WindowOperator::ended_count);
        row.elements = sum(WindowOperator::elements);
        row.state_entries = sum(WindowOperator::state_entries);
        row.timers = sum(WindowOperator::timer_count);
        let mut held = Held::default();
        self.operators.iter().for_each(|operator| operator.held_now(&mut held));
        row.kept = self.layout.bytes(&held);
        self.kept_max = self.kept_max.max(row.kept);
        if self.params.with_open {
            row.open = Some(self.open_list());
        }
        let totals = &mut self.totals;
        totals.open_windows_max = totals.open_windows_max.max(row.open_windows);
        totals.elements_max = totals.elements_max.max(row.elements);
        totals.timers_max = totals.timers_max.max(row.timers);
        self.note_holders();
        self.rows.push(row);
        let is_now = self.params.restore_after == u32::try_from(self.rows.len()).ok();
        if is_now && !self.is_over() && self.watermark() != EventTime::MAX {
            self.restart();
        }
    }

    fn key(&mut self, text: &str) -> Result<KeyId, EventTimeError> {
        if let Some(id) = self.ids.get(text) {
            self.keys[*id as usize].events += 1;
            return Ok(*id);
        }
        let hash = key_group::hash_of(text, self.params.key_type)?;
        let group = key_group::key_group(hash, self.max_parallelism);
        let subtask = key_group::subtask_of(group, self.params.parallelism, self.max_parallelism);
        let id = self.keys.len() as KeyId;
        self.keys.push(Key { text: text.to_owned(), group, subtask, events: 1 });
        self.ids.insert(text.to_owned(), id);
        Ok(id)
    }
}

/// Whether all of a valve's channels are idle.
pub fn all_idle(valve: &Valve) -> bool {
    valve.channels().iter().all(|channel| channel.status == Status::Idle)
}
