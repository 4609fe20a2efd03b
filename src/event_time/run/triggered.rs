//! Windows whose trigger is not the plain event-time one: counting, continuous, early, purging; and
//! those of a time zone, global ones, and sessions of a dynamic gap, with any trigger.
//!
//! Such a trigger asks each window by itself, so each key and window has an entry of its own with the
//! trigger's state, and a record goes through all of its windows. That costs a multiple of the
//! panes and sessions of the event-time trigger, which stay as they are.
//!
//! Source: Flink 1.18.1, 1.20.5 and 2.2.1, `WindowOperator`, `CountTrigger`,
//! `ContinuousEventTimeTrigger`, `ContinuousProcessingTimeTrigger`, `PurgingTrigger`,
//! `MergingWindowSet`, `InternalTimerServiceImpl`. What a trigger does is said once, in
//! [`super::super::trigger`], and what `MergingWindowSet` does where a window equals a session that was
//! merged in [`super::super::sessions`].

mod assigned;
mod kept;

use std::collections::{BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};

use super::super::error::EventTimeError;
use super::super::trigger::{Context, TimerChange, Trigger, TriggerState};
use super::clock::Clock;
use super::fixed::Fixed;
use super::operator::{Block, Operator, Record};
use super::outcome;
use super::params::{RunError, Shape};
use super::report::{Firing, OpenState, OpenWindow, Output};
use super::rows::RowWindow;
use assigned::{Assigned, GLOBAL_END, GLOBAL_START, zoned};

/// The most timers that one watermark calls: a continuous trigger has one an interval for each key
/// and window, whether or not a record came in it. Between two watermarks a run can be cancelled.
pub const TIMERS_MAX: u32 = 1 << 23;
/// The most keys and windows that are open at one time, each with its entry and timers.
pub const ENTRIES_MAX: usize = 2_000_000;
/// The most windows of a record.
pub const WINDOWS_MAX: i64 = 1000;

/// One key and window.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Entry {
    start: i64,
    /// The millisecond after its last one.
    end: i64,
    sum: i64,
    /// Records that it holds; a purged one holds none.
    count: u32,
    fired: u32,
    /// Records since the last firing by count; 0 is no state.
    seen: i64,
    /// The next early firing in event time; `Long.MAX_VALUE` is no state.
    fire_at: i64,
    /// The next early firing in processing time; `Long.MAX_VALUE` is no state.
    process_at: i64,
    /// Whether it keeps its contents under another window than its own, since sessions were merged.
    is_merged: bool,
}

/// Why it stopped: what it says from then on is not complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Stop {
    /// One watermark or one moment called too many timers.
    Timers,
    /// A record's gap is not positive.
    Gap(i64),
}

/// Contents that no session points at any more: they stay for ever.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct Orphans {
    entries: u64,
    records: u64,
}

/// A session, and the different ones that it takes the place of: start and end of each.
type Merge = ((i64, i64), Vec<(i64, i64)>);
/// Time, key, and the window's start and end.
type Timer = (i64, u32, i64, i64);

/// Keyed windows with a trigger of their own.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Triggered {
    assigned: Assigned,
    trigger: Trigger,
    /// `allowedLateness` [ms].
    lateness: i64,
    /// Of each key in order of time.
    keys: Vec<VecDeque<Entry>>,
    entries: usize,
    timers: BTreeSet<Timer>,
    processing_timers: BTreeSet<Timer>,
    /// Processing time [ms].
    now: i64,
    /// The watermark that runs the next timers. A timer that is registered behind the watermark waits
    /// for the next one.
    due: i64,
    stopped: Option<Stop>,
    orphans: Orphans,
    #[serde(skip)]
    changes: Vec<TimerChange>,
}

impl Entry {
    fn new(start: i64, end: i64, sum: i64, count: u32) -> Self {
        let (fire_at, process_at) = (i64::MAX, i64::MAX);
        Self { start, end, sum, count, fired: 0, seen: 0, fire_at, process_at, is_merged: false }
    }

    const fn max_timestamp(&self) -> i64 {
        max_timestamp(self.end)
    }

    fn state(&self) -> TriggerState {
        TriggerState {
            count: (self.seen > 0).then_some(self.seen),
            fire_at: (self.fire_at != i64::MAX).then_some(self.fire_at),
            processing_at: (self.process_at != i64::MAX).then_some(self.process_at),
        }
    }

    fn set_state(&mut self, state: &TriggerState) {
        self.seen = state.count.unwrap_or(0);
        self.fire_at = state.fire_at.unwrap_or(i64::MAX);
        self.process_at = state.processing_at.unwrap_or(i64::MAX);
    }
}

/// The last millisecond of a window, which of the global one is `Long.MAX_VALUE`.
const fn max_timestamp(end: i64) -> i64 {
    if end == GLOBAL_END { i64::MAX } else { end - 1 }
}

impl Triggered {
    /// Without state.
    pub fn new(shape: &Shape, trigger: Trigger, lateness: i64, keys: u32) -> Self {
        Self {
            assigned: Assigned::new(shape, lateness),
            trigger,
            lateness,
            keys: vec![VecDeque::new(); keys as usize],
            entries: 0,
            timers: BTreeSet::new(),
            processing_timers: BTreeSet::new(),
            now: i64::MIN,
            due: i64::MAX,
            stopped: None,
            orphans: Orphans::default(),
            changes: Vec::new(),
        }
    }

    /// Why it stopped, if it did: what it says from then on is not complete.
    pub fn fault(&self) -> Option<RunError> {
        match self.stopped {
            Some(Stop::Timers) => Some(RunError::Timers),
            Some(Stop::Gap(gap)) => Some(EventTimeError::DynamicGap { gap }.into()),
            None => (self.entries > ENTRIES_MAX).then_some(RunError::Entries),
        }
    }

    /// Sessions whose contents no session points at any more.
    pub const fn orphaned(&self) -> u64 {
        self.orphans.entries
    }

    /// The windows of a record as they were before it, unless they are sessions.
    pub fn windows_of(&self, time: i64, watermark: i64) -> Option<Vec<RowWindow>> {
        self.assigned.windows_of(time, watermark, self.lateness)
    }

    /// The session that a record makes, and the different ones that it takes the place of, in order
    /// of time.
    pub fn merge_of(&self, key: u32, time: i64, value: i32) -> Option<Merge> {
        let gap = self.assigned.gap(value)?;
        let (from, to) = self.touched(key, time, time + gap);
        let touched = self.keys[key as usize].range(from..to).map(|it| (it.start, it.end));
        let cover = |all: (i64, i64), it: (i64, i64)| (all.0.min(it.0), all.1.max(it.1));
        let merged = touched.clone().fold((time, time + gap), cover);
        Some((merged, touched.filter(|it| *it != merged).collect()))
    }

    /// The sessions of a key that a window touches.
    fn touched(&self, key: u32, start: i64, end: i64) -> (usize, usize) {
        let entries = &self.keys[key as usize];
        let from = entries.partition_point(|it| it.end < start);
        (from, entries.partition_point(|it| it.start <= end).max(from))
    }

    /// Puts a record into a window, unless that is past its clean-up, and says whether the watermark
    /// had passed its end.
    fn put(&mut self, record: Record, start: i64, end: i64, out: &mut Output<'_>) -> Option<bool> {
        let last = max_timestamp(end);
        if last.saturating_add(self.lateness) <= out.watermark {
            return None;
        }
        let entries = &self.keys[record.key as usize];
        let at = entries.partition_point(|it| it.start < start);
        let is_new = entries.get(at).is_none_or(|it| it.start != start);
        if is_new {
            self.open(record.key, at, Entry::new(start, end, 0, 0));
        }
        self.add(record, at, is_new, out);
        Some(last <= out.watermark)
    }

    fn take_fixed(&mut self, fixed: Fixed, record: Record, out: &mut Output<'_>) -> u8 {
        let time = record.time;
        let mut start = fixed.window_at(time);
        let (mut is_taken, mut is_late, mut is_partly) = (false, false, false);
        while start > time - fixed.size {
            let Some(was_passed) = self.put(record, start, start + fixed.size, out) else {
                // All windows before it are past their clean-up too.
                is_partly = is_taken;
                break;
            };
            is_taken = true;
            is_late |= was_passed;
            start -= fixed.slide;
        }
        let taken = self.outcome_of(time, is_taken.then_some(is_late), out.watermark);
        if is_partly { taken | outcome::PARTLY } else { taken }
    }

    /// Takes a record that has one window.
    fn take_one(&mut self, record: Record, start: i64, end: i64, out: &mut Output<'_>) -> u8 {
        let taken = self.put(record, start, end, out);
        self.outcome_of(record.time, taken, out.watermark)
    }

    /// What became of a record; `taken` says whether a window that took it had been passed.
    fn outcome_of(&self, time: i64, taken: Option<bool>, watermark: i64) -> u8 {
        match taken {
            Some(true) => outcome::LATE,
            Some(false) => outcome::ON_TIME,
            None if time + self.lateness <= watermark => outcome::DROPPED,
            None => outcome::IGNORED,
        }
    }

    fn take_session(&mut self, gap: i64, record: Record, out: &mut Output<'_>) -> u8 {
        let Record { time, key, .. } = record;
        if gap <= 0 {
            self.stopped = Some(Stop::Gap(gap));
            return outcome::IGNORED;
        }
        let (from, to) = self.touched(key, time, time + gap);
        // What is in flight is not past its clean-up, so neither is what it would merge into.
        if from == to && time + gap - 1 + self.lateness <= out.watermark {
            return outcome::DROPPED;
        }
        let first = self.keys[key as usize].get(from).copied().filter(|_| from < to);
        let is_inside = first.is_some_and(|it| it.start <= time && time + gap <= it.end);
        if !is_inside {
            self.merge(key, (from, to), Entry::new(time, time + gap, 0, 0), out);
        } else if first.is_some_and(|it| it.is_merged && (it.start, it.end) == (time, time + gap)) {
            self.orphan(key, from);
        }
        self.add(record, from, !is_inside, out);
        let is_late = self.keys[key as usize][from].max_timestamp() <= out.watermark;
        u8::from(is_late) * outcome::LATE
    }

    /// Points a session at new, empty contents; the old ones stay.
    fn orphan(&mut self, key: u32, at: usize) {
        let entry = &mut self.keys[key as usize][at];
        let count = std::mem::take(&mut entry.count);
        (entry.sum, entry.is_merged) = (0, false);
        self.orphans.entries += u64::from(count > 0);
        self.orphans.records += u64::from(count);
    }

    /// Puts a session in the place of those it touches, with what they hold: `onMerge` of the new one,
    /// `clear` of each old one.
    fn merge(&mut self, key: u32, (from, to): (usize, usize), own: Entry, out: &Output<'_>) {
        let merged: Vec<Entry> = self.keys[key as usize].drain(from..to).collect();
        let (mut all, mut state) = (own, TriggerState::default());
        for old in &merged {
            (all.start, all.end) = (all.start.min(old.start), all.end.max(old.end));
            (all.count, all.sum) = (all.count + old.count, all.sum + old.sum);
            state.merge(old.state());
        }
        all.set_state(&state);
        all.is_merged = !merged.is_empty();
        self.entries -= merged.len();
        self.open(key, from, all);
        if merged.is_empty() {
            return;
        }
        self.ask(key, from, true, out.watermark, |trigger, context| trigger.on_merge(context));
        for old in merged {
            let Entry { start, end, .. } = old;
            let mut entry = Entry::new(start, end, 0, 0);
            self.ask_of(key, &mut entry, false, out.watermark, |trigger, context| {
                trigger.clear(context);
            });
            self.timers.remove(&(end - 1 + self.lateness, key, start, end));
        }
    }

    fn open(&mut self, key: u32, at: usize, entry: Entry) {
        self.keys[key as usize].insert(at, entry);
        self.entries += 1;
    }

    /// Adds a record to a window, asks its trigger, and sees to the clean-up.
    fn add(&mut self, record: Record, at: usize, is_new: bool, out: &mut Output<'_>) {
        let Record { time, key, value } = record;
        let entry = &mut self.keys[key as usize][at];
        entry.count += 1;
        entry.sum += i64::from(value);
        let (start, end) = (entry.start, entry.end);
        let on_element =
            |trigger: &Trigger, context: &mut Context<'_>| trigger.on_element(time, context);
        if self.ask(key, at, is_new, out.watermark, on_element) {
            self.fire(key, at, out);
        }
        if is_new && end != GLOBAL_END {
            self.register((end - 1 + self.lateness, key, start, end), out.watermark);
        }
    }

    fn fire(&mut self, key: u32, at: usize, out: &mut Output<'_>) {
        let purges = self.trigger.purges();
        let entry = &mut self.keys[key as usize][at];
        // Empty contents never fire.
        if entry.count > 0 {
            entry.fired += 1;
            let Entry { start, end, count, sum, fired, .. } = *entry;
            out.fire(Firing { key, start, end, count, sum, nth: fired });
        }
        if purges {
            (entry.count, entry.sum) = (0, 0);
        }
    }

    fn register(&mut self, timer: Timer, watermark: i64) {
        self.timers.insert(timer);
        self.due = self.due.min(timer.0.max(watermark.saturating_add(1)));
    }

    fn ask<T>(
        &mut self,
        key: u32,
        at: usize,
        is_new: bool,
        watermark: i64,
        ask: impl FnOnce(&Trigger, &mut Context<'_>) -> T,
    ) -> T {
        let mut entry = self.keys[key as usize][at];
        let answer = self.ask_of(key, &mut entry, is_new, watermark, ask);
        self.keys[key as usize][at] = entry;
        answer
    }

    /// Asks the trigger with the context of one window, and carries out what it asks of the timers.
    fn ask_of<T>(
        &mut self,
        key: u32,
        entry: &mut Entry,
        is_new: bool,
        watermark: i64,
        ask: impl FnOnce(&Trigger, &mut Context<'_>) -> T,
    ) -> T {
        let mut changes = std::mem::take(&mut self.changes);
        let (max_timestamp, mut state) = (entry.max_timestamp(), entry.state());
        let (now, timers) = (self.now, &mut changes);
        let context = &mut Context { max_timestamp, watermark, now, state: &mut state, timers };
        let answer = ask(&self.trigger, context);
        entry.set_state(&state);
        let Entry { start, end, .. } = *entry;
        for change in changes.drain(..) {
            match change {
                // The timer at an end ahead stands from the first record of the window on.
                TimerChange::Register(time)
                    if time == max_timestamp && !is_new && time > watermark => {}
                TimerChange::Register(time) => self.register((time, key, start, end), watermark),
                TimerChange::Delete(time) => {
                    self.timers.remove(&(time, key, start, end));
                }
                TimerChange::RegisterProcessing(time) => {
                    self.processing_timers.insert((time, key, start, end));
                }
                TimerChange::DeleteProcessing(time) => {
                    self.processing_timers.remove(&(time, key, start, end));
                }
            }
        }
        self.changes = changes;
        answer
    }

    /// Calls what the watermark reaches, and no more than so many timers.
    fn call_timers(&mut self, most: u32, out: &mut Output<'_>) {
        let mut calls = 0;
        while self.stopped.is_none()
            && let Some(timer) = self.timers.first().copied().filter(|it| it.0 <= out.watermark)
        {
            self.timers.pop_first();
            self.on_timer(timer, out);
            calls += 1;
            self.stopped = (calls >= most).then_some(Stop::Timers);
        }
    }

    /// The place of the window of a timer; that of a session that was merged away has none.
    fn place_of(&self, (_, key, start, end): Timer) -> Option<usize> {
        let entries = &self.keys[key as usize];
        let at = entries.partition_point(|it| it.start < start);
        entries.get(at).is_some_and(|it| (it.start, it.end) == (start, end)).then_some(at)
    }

    fn on_timer(&mut self, timer: Timer, out: &mut Output<'_>) {
        let Some(at) = self.place_of(timer) else { return };
        let (time, key, _, end) = timer;
        let on_time =
            |trigger: &Trigger, context: &mut Context<'_>| trigger.on_event_time(time, context);
        if self.ask(key, at, false, out.watermark, on_time) {
            self.fire(key, at, out);
        }
        if end != GLOBAL_END && time == end - 1 + self.lateness {
            self.ask(key, at, false, out.watermark, |trigger, context| trigger.clear(context));
            self.keys[key as usize].remove(at);
            self.entries -= 1;
        }
    }

    fn on_processing_timer(&mut self, timer: Timer, out: &mut Output<'_>) {
        let Some(at) = self.place_of(timer) else { return };
        let (time, key, ..) = timer;
        let on_time = |trigger: &Trigger, context: &mut Context<'_>| {
            trigger.on_processing_time(time, context)
        };
        if self.ask(key, at, false, out.watermark, on_time) {
            self.fire(key, at, out);
        }
    }
}

impl Operator for Triggered {
    fn plain(&mut self, _block: &mut Block<'_>, at: usize, _clock: &mut Clock) -> usize {
        at
    }

    fn take(&mut self, record: Record, out: &mut Output<'_>) -> u8 {
        match self.assigned {
            Assigned::Fixed(fixed) => self.take_fixed(fixed, record, out),
            Assigned::Zoned { size, ref transitions } => {
                let (start, end) = zoned(size, transitions, record.time);
                self.take_one(record, start, end, out)
            }
            Assigned::Session { gap } => self.take_session(gap, record, out),
            Assigned::DynamicSession => self.take_session(record.value.into(), record, out),
            Assigned::Global => self.take_one(record, GLOBAL_START, GLOBAL_END, out),
        }
    }

    fn let_clock_reach(&mut self, now: i64, out: &mut Output<'_>) {
        self.now = self.now.max(now);
        let mut calls = 0;
        while self.stopped.is_none()
            && let Some(timer) = self.processing_timers.first().copied().filter(|it| it.0 <= now)
        {
            self.processing_timers.pop_first();
            self.on_processing_timer(timer, out);
            calls += 1;
            self.stopped = (calls >= TIMERS_MAX).then_some(Stop::Timers);
        }
    }

    fn due(&self) -> i64 {
        self.due
    }

    fn advance(&mut self, out: &mut Output<'_>) {
        self.call_timers(TIMERS_MAX, out);
        let next = self.timers.first().map_or(i64::MAX, |timer| timer.0);
        self.due = next.max(out.watermark.saturating_add(1));
    }

    fn open_state(&self, watermark: i64) -> OpenState {
        let mut open = OpenState::default();
        let mut starts = BTreeSet::new();
        for (_, entry) in self.all() {
            let is_held = entry.max_timestamp() <= watermark;
            open.held += u64::from(is_held);
            open.waiting += u64::from(!is_held);
            starts.insert(entry.start);
        }
        let merges = self.assigned.merges();
        open.windows = if merges { open.held + open.waiting } else { starts.len() as u64 };
        (open.all, open.prompt) = (self.takes(watermark, false), self.takes(watermark, true));
        open
    }

    fn open_windows(&self, _watermark: i64) -> Vec<OpenWindow> {
        let one = |(key, entry): (u32, &Entry)| {
            let Entry { start, end, count, sum, .. } = *entry;
            OpenWindow { key, start, end, count, sum }
        };
        self.all().map(one).collect()
    }

    fn bytes(&self) -> usize {
        let entries: usize = self.keys.iter().map(VecDeque::capacity).sum();
        let keys = self.keys.len() * size_of::<VecDeque<Entry>>();
        // The nodes of such a tree are two thirds full on average.
        let timers = self.timers.len() + self.processing_timers.len();
        let timers = timers * size_of::<Timer>() * 3 / 2;
        keys + entries * size_of::<Entry>() + timers
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::{Firings, Totals};
    use super::*;

    #[test]
    fn it_stops_where_there_are_too_many_timers_or_windows() {
        let shape = Shape::Fixed { size: 1000, slide: 1000, offset: 0 };
        let mut windows = Triggered::new(&shape, Trigger::Continuous { interval: 1 }, 0, 1);
        let (mut firings, mut totals) = (Firings::default(), Totals::default());
        let (firings, totals) = (&mut firings, &mut totals);
        let mut out = Output { firings, totals, record: 0, watermark: i64::MIN };
        windows.take(Record { time: 0, key: 0, value: 1 }, &mut out);
        out.watermark = 3;
        windows.call_timers(5, &mut out);
        assert_eq!((windows.fault(), out.totals.results), (None, 3));
        out.watermark = 900;
        windows.call_timers(2, &mut out);
        assert_eq!((windows.fault(), out.totals.results), (Some(RunError::Timers), 5));
        let mut windows = Triggered::new(&shape, Trigger::Count { count: 2 }, 0, 1);
        windows.entries = ENTRIES_MAX;
        out.watermark = i64::MIN;
        windows.take(Record { time: 0, key: 0, value: 1 }, &mut out);
        assert_eq!(windows.fault(), Some(RunError::Entries));
    }

    #[test]
    fn a_gap_that_is_not_positive_stops_it() {
        let mut windows = Triggered::new(&Shape::DynamicSession, Trigger::EventTime, 0, 1);
        let (mut firings, mut totals) = (Firings::default(), Totals::default());
        let (firings, totals) = (&mut firings, &mut totals);
        let mut out = Output { firings, totals, record: 0, watermark: i64::MIN };
        windows.take(Record { time: 0, key: 0, value: 5 }, &mut out);
        assert_eq!(windows.fault(), None);
        windows.take(Record { time: 0, key: 0, value: 0 }, &mut out);
        assert_eq!(windows.fault(), Some(EventTimeError::DynamicGap { gap: 0 }.into()));
    }
}
