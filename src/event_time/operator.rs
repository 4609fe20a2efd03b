//! The window operator: which windows take a record, what fires, what is dropped, what is kept.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, which agree: `WindowOperator` and
//! `InternalTimerServiceImpl`. Evictors and the asynchronous operator of 2.x are not modelled.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::error::EventTimeError;
use super::kept::{Held, Lengths};
use super::sessions::Sessions;
use super::snapshot::pairs;
use super::time::EventTime;
use super::trigger::{Context, TimerChange, Trigger, TriggerState};
use super::window::{Assigner, Window};

mod ahead;
mod ended;

/// The most timers that one run may call: a continuous trigger calls one an interval, also over
/// centuries without a record.
pub const TIMER_CALLS_MAX: u32 = 3_000_000;

/// A key, as an index into the keys of the stream.
pub type KeyId = u32;

/// What a window definition consists of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WindowParams {
    /// Which windows a record belongs to.
    pub assigner: Assigner,
    /// When a window fires.
    pub trigger: Trigger,
    /// How long a fired window is kept for late records [ms].
    pub allowed_lateness: EventTime,
    /// Whether dropped records go to a side output, and not to the counter.
    pub side_output: bool,
}

impl WindowParams {
    /// What Flink checks when the window is defined.
    ///
    /// # Errors
    /// Its refusal.
    pub fn check(&self) -> Result<(), EventTimeError> {
        self.assigner.check()?;
        self.trigger.check()?;
        if self.allowed_lateness.get() < 0 {
            return Err(EventTimeError::NegativeLateness);
        }
        Ok(())
    }
}

/// One record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record {
    /// Its place in the input.
    pub seq: u32,
    /// Its key.
    pub key: KeyId,
    /// Its timestamp [ms].
    pub time: i64,
    /// What is summed up.
    pub value: i64,
}

/// What a window did with a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum WindowStatus {
    /// Took it; the watermark has not reached the end of the window.
    Open,
    /// Took it; the window had fired, or is due, and is kept for lateness.
    KeptForLateness,
    /// Did not: it is past its cleanup.
    Expired,
}

/// What happened to a record as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Outcome {
    /// Every window that took it was open.
    OnTime,
    /// Counted, in at least one window that the watermark had passed.
    Late,
    /// No window took it, and it went to the side output or the counter.
    Dropped,
    /// It lies in no window and is not late: it vanishes without a trace.
    Ignored,
}

/// Why a window fired.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Cause {
    /// A record.
    Element,
    /// A timer in event time.
    Timer {
        /// Its timestamp.
        timer: EventTime,
    },
    /// A timer in processing time.
    ProcessingTimer {
        /// Its timestamp.
        timer: EventTime,
    },
}

/// A result that a window emits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Firing {
    /// The key.
    pub key: KeyId,
    /// The window.
    pub window: Window,
    /// Why.
    pub cause: Cause,
    /// The watermark at that moment.
    pub watermark: EventTime,
    /// Places in the input of the records in it, in order.
    pub records: Vec<u32>,
    /// Their values' sum.
    pub sum: i64,
    /// The n-th firing of this key and window, from 1.
    pub nth: u32,
    /// Whether it repeats something that was emitted before.
    pub is_refire: bool,
}

/// What a record led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Processed {
    /// The windows it was assigned to, after merging, in Flink's order.
    pub windows: Vec<(Window, WindowStatus)>,
    /// Sessions that were merged into one, by start.
    pub merged: Vec<Window>,
    /// What happened to it.
    pub outcome: Outcome,
    /// Firings that it caused.
    pub firings: Vec<Firing>,
    /// Contents that it left without a session, if it did.
    pub orphaned: Option<Window>,
}

/// `mergeResult.maxTimestamp() + allowedLateness <= currentWatermark`, without a guard for overflow.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "The end timestamp of an event-time window cannot become earlier than the current watermark by merging. Current watermark: {watermark} window: TimeWindow{{start={start}, end={end}}}"
)]
pub struct MergeFailure {
    watermark: i64,
    start: i64,
    end: i64,
}

/// A refusal that ends the job.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The merge of sessions.
    #[error(transparent)]
    Merge(#[from] MergeFailure),
    /// The assigner.
    #[error(transparent)]
    Assign(#[from] EventTimeError),
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
struct Contents {
    sum: i64,
    /// Records and whether a firing held them.
    records: Vec<(u32, bool)>,
}

/// The operator with all that it keeps. It is a plain value: cloned or serialised it is a snapshot.
///
/// Flink itself does not store the watermark; after a restore it starts again at none. Here it is
/// part of the value, so that a stopped run goes on as if it had not stopped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowOperator {
    params: WindowParams,
    watermark: EventTime,
    now: i64,
    timers: BTreeSet<(i64, KeyId, Window)>,
    processing_timers: BTreeSet<(i64, KeyId, Window)>,
    #[serde(with = "pairs")]
    contents: BTreeMap<(KeyId, Window), Contents>,
    #[serde(with = "pairs")]
    triggers: BTreeMap<(KeyId, Window), TriggerState>,
    #[serde(with = "pairs")]
    sessions: BTreeMap<KeyId, Sessions>,
    #[serde(with = "pairs")]
    fired: BTreeMap<(KeyId, Window), u32>,
    timer_calls: u32,
    /// Records in all contents, counted as they come and go.
    held: usize,
    /// Contents by the number of records in them, counted likewise.
    lengths: Lengths,
}

impl WindowOperator {
    /// An operator without state.
    ///
    /// # Errors
    /// Flink's refusal of the definition.
    pub fn new(params: WindowParams) -> Result<Self, EventTimeError> {
        params.check()?;
        Ok(Self {
            params,
            watermark: EventTime::MIN,
            now: i64::MIN,
            timers: BTreeSet::new(),
            processing_timers: BTreeSet::new(),
            contents: BTreeMap::new(),
            triggers: BTreeMap::new(),
            sessions: BTreeMap::new(),
            fired: BTreeMap::new(),
            timer_calls: 0,
            held: 0,
            lengths: Lengths::default(),
        })
    }

    /// The current watermark.
    pub const fn watermark(&self) -> EventTime {
        self.watermark
    }

    /// Whether it has called as many timers as it may; what it says from then on is not complete.
    pub const fn is_exhausted(&self) -> bool {
        self.timer_calls >= TIMER_CALLS_MAX
    }

    /// Pending timers in event time.
    pub fn timer_count(&self) -> usize {
        self.timers.len()
    }

    /// Pairs of key and namespace that hold contents, those that nothing points at included.
    pub fn state_entries(&self) -> usize {
        self.contents.len()
    }

    /// Elements kept, one copy for each window that holds it.
    pub const fn elements(&self) -> usize {
        self.held
    }

    /// What takes bytes.
    pub fn held_now(&self, into: &mut Held) {
        for (records, windows) in self.lengths.iter() {
            *into.windows.entry(records).or_default() += windows;
        }
        for sessions in self.sessions.values() {
            *into.sessions.entry(sessions.len() as u64).or_default() += 1;
        }
        into.timers += (self.timers.len() + self.processing_timers.len()) as u64;
        into.triggers += self.triggers.len() as u64;
    }

    /// Open windows with the records in each, by key and start: sessions in flight, else windows
    /// with contents.
    pub fn open(&self) -> Vec<(KeyId, Window, usize)> {
        let held = |key: KeyId, state: Window| {
            self.contents.get(&(key, state)).map_or(0, |contents| contents.records.len())
        };
        if self.params.assigner.merges() {
            let all = self.sessions.iter();
            return all
                .flat_map(|(key, sessions)| {
                    sessions.iter().map(|(session, state)| (*key, session, held(*key, state)))
                })
                .collect();
        }
        self.contents.iter().map(|((key, w), held)| (*key, *w, held.records.len())).collect()
    }

    /// How many windows are open.
    pub fn open_count(&self) -> usize {
        if self.params.assigner.merges() {
            self.sessions.values().map(Sessions::len).sum()
        } else {
            self.contents.len()
        }
    }

    /// `cleanupTime`, `Long.MAX_VALUE` where there is none.
    pub fn cleanup_time(&self, window: Window) -> i64 {
        cleanup_time(&self.params, window)
    }

    /// `processElement`, at this processing time [ms].
    ///
    /// # Errors
    /// What ends the job.
    pub fn process_element(&mut self, record: Record) -> Result<Processed, Failure> {
        let assigned = self.params.assigner.assign(record.time, record.value)?;
        let mut processed = Processed {
            windows: Vec::with_capacity(assigned.len()),
            merged: Vec::new(),
            outcome: Outcome::Ignored,
            firings: Vec::new(),
            orphaned: None,
        };
        for window in assigned {
            let (window, state_window) = self.locate(record.key, window, &mut processed)?;
            if self.is_window_late(window) {
                if let Some(sessions) = self.sessions.get_mut(&record.key) {
                    sessions.retire(window);
                }
                processed.windows.push((window, WindowStatus::Expired));
                continue;
            }
            let is_passed = window.max_timestamp() <= self.watermark.get();
            let status = if is_passed { WindowStatus::KeptForLateness } else { WindowStatus::Open };
            processed.windows.push((window, status));
            self.add(record, window, state_window, &mut processed.firings);
        }
        self.forget_empty(record.key);
        processed.outcome = self.outcome_of(record, &processed.windows);
        Ok(processed)
    }

    /// `advanceWatermark`: the watermark first, then all timers up to it, in order.
    pub fn process_watermark(&mut self, watermark: EventTime) -> Vec<Firing> {
        self.watermark = watermark;
        let mut firings = Vec::new();
        while let Some(&(at, key, window)) = self.timers.first() {
            if at > watermark.get() || self.is_exhausted() {
                break;
            }
            self.timer_calls += 1;
            self.timers.pop_first();
            self.on_event_time(at, key, window, &mut firings);
        }
        firings
    }

    /// Moves processing time on, and runs its timers.
    pub fn advance_processing_time(&mut self, now: i64) -> Vec<Firing> {
        self.now = self.now.max(now);
        let mut firings = Vec::new();
        while let Some(&(at, key, window)) = self.processing_timers.first() {
            if at > self.now || self.is_exhausted() {
                break;
            }
            self.timer_calls += 1;
            self.processing_timers.pop_first();
            self.on_processing_time(at, key, window, &mut firings);
        }
        firings
    }

    /// The window that a record goes to, and where that one keeps its contents.
    fn locate(
        &mut self,
        key: KeyId,
        window: Window,
        processed: &mut Processed,
    ) -> Result<(Window, Window), Failure> {
        if !self.params.assigner.merges() {
            return Ok((window, window));
        }
        let added = self.sessions.entry(key).or_default().add(window);
        processed.orphaned = added.orphaned;
        if let Some(merge) = added.merge {
            let max = merge.result.max_timestamp();
            if max.wrapping_add(self.params.allowed_lateness.get()) <= self.watermark.get() {
                return Err(Failure::Merge(MergeFailure {
                    watermark: self.watermark.get(),
                    start: merge.result.start.get(),
                    end: merge.result.end.get(),
                }));
            }
            self.merge_triggers(key, merge.result, &merge.merged);
            self.merge_contents(key, merge.state_window, &merge.merged_state_windows);
            processed.merged = merge.merged;
        }
        let sessions = self.sessions.get(&key);
        let state = sessions.and_then(|sessions| sessions.state_window(added.window));
        Ok((added.window, state.unwrap_or(added.window)))
    }

    fn merge_triggers(&mut self, key: KeyId, result: Window, merged: &[Window]) {
        let mut state = TriggerState::default();
        for window in merged {
            state.merge(self.triggers.remove(&(key, *window)).unwrap_or_default());
        }
        self.triggers.entry((key, result)).or_default().merge(state);
        self.ask_trigger(key, result, |trigger, context| trigger.on_merge(context));
        for window in merged {
            self.ask_trigger(key, *window, |trigger, context| trigger.clear(context));
            self.delete_cleanup_timer(key, *window);
            if *window != result {
                self.fired.remove(&(key, *window));
            }
        }
    }

    fn merge_contents(&mut self, key: KeyId, target: Window, sources: &[Window]) {
        for source in sources {
            let Some(moved) = self.contents.remove(&(key, *source)) else { continue };
            let contents = self.contents.entry((key, target)).or_default();
            let (here, there) = (contents.records.len(), moved.records.len());
            contents.sum = contents.sum.wrapping_add(moved.sum);
            contents.records.extend(moved.records);
            contents.records.sort_unstable();
            self.lengths.change(there, 0);
            self.lengths.change(here, here + there);
        }
    }

    fn add(&mut self, record: Record, window: Window, state: Window, firings: &mut Vec<Firing>) {
        let contents = self.contents.entry((record.key, state)).or_default();
        contents.sum = contents.sum.wrapping_add(record.value);
        contents.records.push((record.seq, false));
        let records = contents.records.len();
        self.lengths.change(records - 1, records);
        self.held += 1;
        let time = record.time;
        let fires = self
            .ask_trigger(record.key, window, |trigger, context| trigger.on_element(time, context));
        if fires {
            self.fire(record.key, window, state, Cause::Element, firings);
        }
        let cleanup = self.cleanup_time(window);
        if cleanup != i64::MAX {
            self.timers.insert((cleanup, record.key, window));
        }
    }

    fn on_event_time(&mut self, at: i64, key: KeyId, window: Window, firings: &mut Vec<Firing>) {
        // A timer of a session that was merged away or retired finds nothing.
        let Some(state) = self.state_window(key, window) else { return };
        let fires =
            self.ask_trigger(key, window, |trigger, context| trigger.on_event_time(at, context));
        if fires {
            let cause = Cause::Timer { timer: EventTime::ms(at) };
            self.fire(key, window, state, cause, firings);
        }
        if self.params.assigner.is_event_time() && at == self.cleanup_time(window) {
            self.clear(key, window, state);
        }
    }

    fn on_processing_time(
        &mut self,
        at: i64,
        key: KeyId,
        window: Window,
        firings: &mut Vec<Firing>,
    ) {
        let Some(state) = self.state_window(key, window) else { return };
        let fires = self
            .ask_trigger(key, window, |trigger, context| trigger.on_processing_time(at, context));
        if fires {
            let cause = Cause::ProcessingTimer { timer: EventTime::ms(at) };
            self.fire(key, window, state, cause, firings);
        }
    }

    fn state_window(&self, key: KeyId, window: Window) -> Option<Window> {
        if !self.params.assigner.merges() {
            return Some(window);
        }
        self.sessions.get(&key).and_then(|sessions| sessions.state_window(window))
    }

    /// Emits the contents, unless there are none; a purging trigger takes them away.
    fn fire(
        &mut self,
        key: KeyId,
        window: Window,
        state: Window,
        cause: Cause,
        firings: &mut Vec<Firing>,
    ) {
        if let Some(contents) = self.contents.get_mut(&(key, state)) {
            let nth = self.fired.entry((key, window)).or_insert(0);
            *nth += 1;
            let repeats = contents.records.iter().any(|(_, emitted)| *emitted);
            firings.push(Firing {
                key,
                window,
                cause,
                watermark: self.watermark,
                records: contents.records.iter().map(|(seq, _)| *seq).collect(),
                sum: contents.sum,
                nth: *nth,
                is_refire: *nth > 1 || repeats,
            });
            contents.records.iter_mut().for_each(|(_, emitted)| *emitted = true);
        }
        if self.params.trigger.purges() {
            self.forget_contents(key, state);
        }
    }

    /// `clearAllState`.
    fn clear(&mut self, key: KeyId, window: Window, state: Window) {
        self.forget_contents(key, state);
        self.ask_trigger(key, window, |trigger, context| trigger.clear(context));
        self.fired.remove(&(key, window));
        if let Some(sessions) = self.sessions.get_mut(&key) {
            sessions.retire(window);
        }
        self.forget_empty(key);
    }

    fn forget_contents(&mut self, key: KeyId, state: Window) {
        let gone = self.contents.remove(&(key, state));
        let records = gone.map_or(0, |contents| contents.records.len());
        self.lengths.change(records, 0);
        self.held -= records;
    }

    fn forget_empty(&mut self, key: KeyId) {
        if self.sessions.get(&key).is_some_and(Sessions::is_empty) {
            self.sessions.remove(&key);
        }
    }

    fn delete_cleanup_timer(&mut self, key: KeyId, window: Window) {
        let cleanup = self.cleanup_time(window);
        self.timers.remove(&(cleanup, key, window));
    }

    /// Asks the trigger with the context of one window, and carries out what it asks of the timers.
    fn ask_trigger<T>(
        &mut self,
        key: KeyId,
        window: Window,
        ask: impl FnOnce(&Trigger, &mut Context<'_>) -> T,
    ) -> T {
        let mut state = self.triggers.remove(&(key, window)).unwrap_or_default();
        let mut changes = Vec::new();
        let answer = ask(
            &self.params.trigger,
            &mut Context {
                max_timestamp: window.max_timestamp(),
                watermark: self.watermark.get(),
                now: self.now,
                state: &mut state,
                timers: &mut changes,
            },
        );
        if !state.is_empty() {
            self.triggers.insert((key, window), state);
        }
        for change in changes {
            match change {
                TimerChange::Register(at) => self.timers.insert((at, key, window)),
                TimerChange::Delete(at) => self.timers.remove(&(at, key, window)),
                TimerChange::RegisterProcessing(at) => {
                    self.processing_timers.insert((at, key, window))
                }
                TimerChange::DeleteProcessing(at) => {
                    self.processing_timers.remove(&(at, key, window))
                }
            };
        }
        answer
    }

    /// `isWindowLate`.
    fn is_window_late(&self, window: Window) -> bool {
        self.params.assigner.is_event_time() && self.cleanup_time(window) <= self.watermark.get()
    }

    fn outcome_of(&self, record: Record, windows: &[(Window, WindowStatus)]) -> Outcome {
        let has = |wanted: WindowStatus| windows.iter().any(|(_, status)| *status == wanted);
        if has(WindowStatus::KeptForLateness) {
            return Outcome::Late;
        }
        if has(WindowStatus::Open) {
            return Outcome::OnTime;
        }
        // `isElementLate`, without a guard for overflow.
        let until = record.time.wrapping_add(self.params.allowed_lateness.get());
        let is_late = self.params.assigner.is_event_time() && until <= self.watermark.get();
        if is_late { Outcome::Dropped } else { Outcome::Ignored }
    }
}

/// `cleanupTime`: the end of the lateness; where that overflows, never.
pub fn cleanup_time(params: &WindowParams, window: Window) -> i64 {
    let max = window.max_timestamp();
    if !params.assigner.is_event_time() {
        return max;
    }
    max.checked_add(params.allowed_lateness.get()).unwrap_or(i64::MAX)
}
