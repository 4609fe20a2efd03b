//! Windows whose trigger is not the plain event-time one: counting, continuous, early, purging.
//!
//! Such a trigger asks each window by itself, so each key and window has an entry of its own with the
//! trigger's state, and a record goes through all of its windows. That costs a multiple of the
//! panes and sessions of the event-time trigger, which stay as they are.
//!
//! Source: Flink 1.18.1, 1.20.5 and 2.2.1, `WindowOperator`, `CountTrigger`,
//! `ContinuousEventTimeTrigger`, `PurgingTrigger`, `MergingWindowSet`, `InternalTimerServiceImpl`. What
//! a trigger does is said once, in [`super::super::trigger`].

use std::collections::{BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};

use super::super::trigger::{Context, TimerChange, Trigger, TriggerState};
use super::clock::Clock;
use super::fixed::Fixed;
use super::operator::{Block, Operator, Record};
use super::outcome;
use super::params::RunError;
use super::report::{Firing, OpenState, OpenWindow, Output, Takes};
use super::rows::RowWindow;
use super::standing::Next;

/// The most timers that one watermark calls: a continuous trigger has one an interval for each key
/// and window, whether or not a record came in it. Between two watermarks a run can be cancelled.
pub const TIMERS_MAX: u32 = 1 << 23;
/// The most keys and windows that are open at one time, each with its entry and timers.
pub const ENTRIES_MAX: usize = 2_000_000;
/// The most windows of a record.
pub const WINDOWS_MAX: i64 = 1000;

/// The assigner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Assigned {
    Fixed(Fixed),
    Session { gap: i64 },
}

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
    /// The watermark that runs the next timers. A timer that is registered behind the watermark waits
    /// for the next one.
    due: i64,
    /// Whether a watermark called too many timers.
    is_exhausted: bool,
    #[serde(skip)]
    changes: Vec<TimerChange>,
}

impl Entry {
    fn new(start: i64, end: i64, sum: i64, count: u32) -> Self {
        Self { start, end, sum, count, fired: 0, seen: 0, fire_at: i64::MAX }
    }

    const fn max_timestamp(&self) -> i64 {
        self.end - 1
    }

    fn state(&self) -> TriggerState {
        TriggerState {
            count: (self.seen > 0).then_some(self.seen),
            fire_at: (self.fire_at != i64::MAX).then_some(self.fire_at),
            processing_at: None,
        }
    }

    fn set_state(&mut self, state: &TriggerState) {
        self.seen = state.count.unwrap_or(0);
        self.fire_at = state.fire_at.unwrap_or(i64::MAX);
    }
}

impl Triggered {
    /// Tumbling or sliding windows.
    pub fn fixed(fixed: Fixed, trigger: Trigger, keys: u32) -> Self {
        Self::new(Assigned::Fixed(fixed), trigger, fixed.lateness, keys)
    }

    /// Sessions that end after `gap`.
    pub fn sessions(gap: i64, trigger: Trigger, lateness: i64, keys: u32) -> Self {
        Self::new(Assigned::Session { gap }, trigger, lateness, keys)
    }

    fn new(assigned: Assigned, trigger: Trigger, lateness: i64, keys: u32) -> Self {
        Self {
            assigned,
            trigger,
            lateness,
            keys: vec![VecDeque::new(); keys as usize],
            entries: 0,
            timers: BTreeSet::new(),
            due: i64::MAX,
            is_exhausted: false,
            changes: Vec::new(),
        }
    }

    /// Why it stopped, if it did: what it says from then on is not complete.
    pub fn fault(&self) -> Option<RunError> {
        if self.is_exhausted {
            return Some(RunError::Timers);
        }
        (self.entries > ENTRIES_MAX).then_some(RunError::Entries)
    }

    /// The windows of a record as they were before it, unless they are sessions.
    pub fn windows_of(&self, time: i64, watermark: i64) -> Option<Vec<RowWindow>> {
        match self.assigned {
            Assigned::Fixed(fixed) => Some(fixed.windows_of(time, watermark)),
            Assigned::Session { .. } => None,
        }
    }

    /// The session that a record makes, and the different ones that it takes the place of, in order
    /// of time.
    pub fn merge_of(&self, key: u32, time: i64) -> Option<Merge> {
        let Assigned::Session { gap } = self.assigned else { return None };
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

    fn take_fixed(&mut self, fixed: Fixed, record: Record, out: &mut Output<'_>) -> u8 {
        let Record { time, key, .. } = record;
        let mut start = fixed.window_at(time);
        let (mut is_taken, mut is_late, mut is_partly) = (false, false, false);
        while start > time - fixed.size {
            // All windows before it are past their clean-up too.
            if fixed.clean_up(start) <= out.watermark {
                is_partly = is_taken;
                break;
            }
            is_taken = true;
            is_late |= fixed.max_timestamp(start) <= out.watermark;
            let entries = &self.keys[key as usize];
            let at = entries.partition_point(|it| it.start < start);
            let is_new = entries.get(at).is_none_or(|it| it.start != start);
            if is_new {
                self.open(key, at, Entry::new(start, start + fixed.size, 0, 0));
            }
            self.add(record, at, is_new, out);
            start -= fixed.slide;
        }
        if !is_taken {
            let is_late = time + self.lateness <= out.watermark;
            return if is_late { outcome::DROPPED } else { outcome::IGNORED };
        }
        let late = if is_late { outcome::LATE } else { outcome::ON_TIME };
        if is_partly { late | outcome::PARTLY } else { late }
    }

    fn take_session(&mut self, gap: i64, record: Record, out: &mut Output<'_>) -> u8 {
        let Record { time, key, .. } = record;
        let (from, to) = self.touched(key, time, time + gap);
        // What is in flight is not past its clean-up, so neither is what it would merge into.
        if from == to && time + gap - 1 + self.lateness <= out.watermark {
            return outcome::DROPPED;
        }
        let first = self.keys[key as usize].get(from).copied().filter(|_| from < to);
        let is_inside = first.is_some_and(|it| it.start <= time && time + gap <= it.end);
        if !is_inside {
            self.merge(key, (from, to), Entry::new(time, time + gap, 0, 0), out);
        }
        self.add(record, from, !is_inside, out);
        let is_late = self.keys[key as usize][from].max_timestamp() <= out.watermark;
        u8::from(is_late) * outcome::LATE
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
        if is_new {
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
        let (now, timers) = (i64::MIN, &mut changes);
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
                // A trigger of the clock is refused before the run.
                TimerChange::RegisterProcessing(_) | TimerChange::DeleteProcessing(_) => {}
            }
        }
        self.changes = changes;
        answer
    }

    /// Calls what the watermark reaches, and no more than so many timers.
    fn call_timers(&mut self, most: u32, out: &mut Output<'_>) {
        let mut calls = 0;
        while !self.is_exhausted
            && let Some(timer) = self.timers.first().copied().filter(|it| it.0 <= out.watermark)
        {
            self.timers.pop_first();
            self.on_timer(timer, out);
            calls += 1;
            self.is_exhausted = calls >= most;
        }
    }

    fn on_timer(&mut self, (time, key, start, end): Timer, out: &mut Output<'_>) {
        let entries = &self.keys[key as usize];
        let at = entries.partition_point(|it| it.start < start);
        // A timer of a session that was merged away finds nothing.
        if entries.get(at).is_none_or(|it| (it.start, it.end) != (start, end)) {
            return;
        }
        let on_time =
            |trigger: &Trigger, context: &mut Context<'_>| trigger.on_event_time(time, context);
        if self.ask(key, at, false, out.watermark, on_time) {
            self.fire(key, at, out);
        }
        if time == end - 1 + self.lateness {
            self.ask(key, at, false, out.watermark, |trigger, context| trigger.clear(context));
            self.keys[key as usize].remove(at);
            self.entries -= 1;
        }
    }

    /// The open entries with their keys: in flight, or with contents.
    fn all(&self) -> impl Iterator<Item = (u32, &Entry)> {
        let merges = matches!(self.assigned, Assigned::Session { .. });
        let of = move |(key, entries): (u32, _)| -> _ {
            let entries: &VecDeque<Entry> = entries;
            entries.iter().filter(move |it| merges || it.count > 0).map(move |it| (key, it))
        };
        (0_u32..).zip(&self.keys).flat_map(of)
    }

    /// What fires next by event time: at the end of a window, or before it with a continuous trigger.
    /// One that counts fires at no time.
    pub fn next(&self) -> Option<Next> {
        if matches!(self.trigger.inner(), Trigger::Count { .. }) {
            return None;
        }
        let of = |&(due, key, start, end): &Timer| {
            let entries = &self.keys[key as usize];
            let entry = entries.get(entries.partition_point(|it| it.start < start))?;
            // Others find nothing, find it empty, or clean it up.
            let fires = due == entry.max_timestamp() || due == entry.fire_at;
            let is_it = (entry.start, entry.end) == (start, end) && entry.count > 0 && fires;
            is_it.then_some(Next { start, end, due })
        };
        self.timers.iter().find_map(of)
    }

    fn takes(&self, watermark: i64, is_prompt: bool) -> Takes {
        let mut takes = Takes::default();
        let merges = matches!(self.assigned, Assigned::Session { .. });
        let mut last_key = None;
        for (key, entries) in (0_u32..).zip(&self.keys) {
            for it in entries {
                if is_prompt && it.max_timestamp() <= watermark {
                    continue;
                }
                takes.entries += u64::from(it.count > 0);
                takes.records += u64::from(it.count);
                takes.triggers += u64::from(!it.state().is_empty());
                let is_early = it.fire_at != i64::MAX && it.fire_at != it.max_timestamp();
                takes.timers += 1 + u64::from(is_early);
                takes.sessions += u64::from(merges);
                takes.keys_with_sessions += u64::from(merges && last_key != Some(key));
                last_key = Some(key);
            }
        }
        if !is_prompt {
            takes.timers = self.timers.len() as u64;
        }
        takes
    }
}

impl Operator for Triggered {
    fn plain(&mut self, _block: &mut Block<'_>, at: usize, _clock: &mut Clock) -> usize {
        at
    }

    fn take(&mut self, record: Record, out: &mut Output<'_>) -> u8 {
        match self.assigned {
            Assigned::Fixed(fixed) => self.take_fixed(fixed, record, out),
            Assigned::Session { gap } => self.take_session(gap, record, out),
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
        open.windows = match self.assigned {
            Assigned::Fixed(_) => starts.len() as u64,
            Assigned::Session { .. } => open.held + open.waiting,
        };
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
        let timers = self.timers.len() * size_of::<Timer>() * 3 / 2;
        keys + entries * size_of::<Entry>() + timers
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::{Firings, Totals};
    use super::*;

    #[test]
    fn it_stops_where_there_are_too_many_timers_or_windows() {
        let fixed = Fixed { size: 1000, slide: 1000, offset: 0, lateness: 0 };
        let mut windows = Triggered::fixed(fixed, Trigger::Continuous { interval: 1 }, 1);
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
        let mut windows = Triggered::fixed(fixed, Trigger::Count { count: 2 }, 1);
        windows.entries = ENTRIES_MAX;
        out.watermark = i64::MIN;
        windows.take(Record { time: 0, key: 0, value: 1 }, &mut out);
        assert_eq!(windows.fault(), Some(RunError::Entries));
    }
}
