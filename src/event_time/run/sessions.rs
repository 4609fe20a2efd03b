//! Sessions of a fixed gap.
//!
//! A key's newest session lies in an array by key, since nearly every record goes there; older ones
//! that still wait or are held for late records lie behind it in order of time.
//!
//! Source: Flink 1.18.1, 1.20.5 and 2.2.1, `EventTimeSessionWindows`, `MergingWindowSet#addWindow`,
//! `TimeWindow#mergeWindows`, `WindowOperator#processElement`, `EventTimeTrigger#onMerge`: windows
//! that touch merge, the merge comes before lateness is judged, and the merged window has a timer of
//! its own.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::clock::Clock;
use super::operator::{Block, Operator, Record, behind};
use super::outcome;
use super::report::{Firing, OpenState, OpenWindow, Output};
use super::standing::Next;
use super::timers::Timers;

/// No older sessions.
const NONE: u32 = u32::MAX;

/// One session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Session {
    start: i64,
    /// The millisecond after its last one.
    end: i64,
    sum: i64,
    count: u32,
    /// Firings since it has had this start and end.
    fired: u32,
}

impl Session {
    /// No session: no time lies in it, and none touches it.
    const EMPTY: Self = Self { start: i64::MAX, end: i64::MAX, sum: 0, count: 0, fired: 0 };

    const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The next timer: the first firing, after it the clean-up.
    const fn due(&self, lateness: i64) -> i64 {
        if self.fired == 0 { self.end - 1 } else { self.end - 1 + lateness }
    }

    /// `TimeWindow#cover` of both, with the contents of both.
    fn merge(&mut self, other: &Self) {
        let (start, end) = (self.start.min(other.start), self.end.max(other.end));
        let kept = [&*self, other].into_iter().filter(|it| (it.start, it.end) == (start, end));
        let fired = kept.map(|it| it.fired).max().unwrap_or(0);
        let (sum, count) = (self.sum + other.sum, self.count + other.count);
        *self = Self { start, end, sum, count, fired };
    }
}

/// The sessions of one key.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Key {
    newest: Session,
    /// The time of the key's timer, `Long.MAX_VALUE` where it has none.
    timer: i64,
    /// Where its older sessions lie in `Sessions::older`.
    older: u32,
}

/// Sessions of all keys.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Sessions {
    gap: i64,
    lateness: i64,
    keys: Vec<Key>,
    /// Of keys that have any, in order of time.
    older: Vec<VecDeque<Session>>,
    /// Places in `older` that no key has.
    free: Vec<u32>,
    timers: Timers,
    due: i64,
}

impl Sessions {
    /// Sessions that end after `gap`.
    pub fn new(gap: i64, lateness: i64, keys: u32) -> Self {
        let key = Key { newest: Session::EMPTY, timer: i64::MAX, older: NONE };
        Self {
            gap,
            lateness,
            keys: vec![key; keys as usize],
            older: Vec::new(),
            free: Vec::new(),
            timers: Timers::new(gap),
            due: i64::MAX,
        }
    }

    /// The sessions that wait.
    fn waiting(&self) -> impl Iterator<Item = &Session> {
        (0..self.keys.len() as u32).flat_map(|key| self.of(key)).filter(|it| it.fired == 0)
    }

    /// The session that fires next.
    pub fn next(&self) -> Option<Next> {
        let first = self.waiting().min_by_key(|it| (it.end, it.start))?;
        Some(Next { start: first.start, end: first.end, due: first.end - 1 })
    }

    /// Sessions that wait and end up to this watermark.
    pub fn ending_up_to(&self, watermark: i64) -> u64 {
        self.waiting().filter(|it| it.end - 1 <= watermark).count() as u64
    }

    /// The session that a record makes, and the different ones that it takes the place of, in order
    /// of time.
    pub fn merge_of(&self, key: u32, time: i64) -> ((i64, i64), Vec<(i64, i64)>) {
        let mut merged = (time, time + self.gap);
        let touches = |it: &&Session| it.start <= time + self.gap && it.end >= time;
        let mut from: Vec<_> = self.of(key).filter(touches).map(|it| (it.start, it.end)).collect();
        for (start, end) in &from {
            merged = (merged.0.min(*start), merged.1.max(*end));
        }
        from.retain(|it| *it != merged);
        (merged, from)
    }

    fn of(&self, key: u32) -> impl Iterator<Item = &Session> {
        let key = &self.keys[key as usize];
        let older = self.older.get(key.older as usize).into_iter().flatten();
        older.chain(Some(&key.newest).filter(|it| !it.is_empty()))
    }

    /// The list of older sessions of a key, made if there is none.
    fn older_mut(&mut self, key: u32) -> &mut VecDeque<Session> {
        let place = &mut self.keys[key as usize].older;
        if *place == NONE {
            *place = self.free.pop().unwrap_or_else(|| {
                self.older.push(VecDeque::new());
                self.older.len() as u32 - 1
            });
        }
        &mut self.older[*place as usize]
    }

    /// Gives an empty list back.
    fn tidy(&mut self, key: u32) {
        let place = self.keys[key as usize].older;
        if place != NONE && self.older[place as usize].is_empty() {
            self.free.push(place);
            self.keys[key as usize].older = NONE;
        }
    }

    /// A session that starts before the newest: merged with all it touches, and put in its place.
    fn insert(&mut self, key: u32, mut session: Session) -> Session {
        let newest = self.keys[key as usize].newest;
        let joins_newest = newest.start <= session.end;
        let older = self.older_mut(key);
        let from = older.partition_point(|it| it.end < session.start);
        let to = older.partition_point(|it| it.start <= session.end);
        for other in older.drain(from..to) {
            session.merge(&other);
        }
        if joins_newest {
            session.merge(&newest);
            self.keys[key as usize].newest = session;
        } else {
            older.insert(from, session);
        }
        self.tidy(key);
        session
    }

    /// Counts a firing of the session that starts at `start`.
    fn note_fired(&mut self, key: u32, start: i64) {
        let at = &mut self.keys[key as usize];
        if at.newest.start == start {
            at.newest.fired += 1;
        } else if let Some(session) =
            self.older_mut(key).iter_mut().find(|session| session.start == start)
        {
            session.fired += 1;
        }
    }

    fn set_timer(&mut self, key: u32, time: i64) {
        let timer = &mut self.keys[key as usize].timer;
        if time < *timer {
            *timer = time;
            self.timers.add(time, key);
            self.due = self.due.min(time);
        }
    }

    /// Fires and cleans what is due for a key at exactly this time, and sets its next timer.
    fn run_timer(&mut self, key: u32, time: i64, out: &mut Output<'_>) {
        let lateness = self.lateness;
        self.keys[key as usize].timer = i64::MAX;
        let mut next = i64::MAX;
        let mut visit = |session: &mut Session| {
            if session.fired == 0 && session.end - 1 == time {
                session.fired = 1;
                let Session { start, end, count, sum, .. } = *session;
                out.fire(Firing { key, start, end, count, sum, nth: 1 });
            }
            let due = session.due(lateness);
            let is_kept = due > time;
            if is_kept {
                next = next.min(due);
            }
            is_kept
        };
        let at = &mut self.keys[key as usize];
        if at.older != NONE {
            self.older[at.older as usize].retain_mut(&mut visit);
        }
        if !at.newest.is_empty() && !visit(&mut at.newest) {
            at.newest = Session::EMPTY;
        }
        if at.newest.is_empty() && at.older != NONE {
            at.newest = self.older[at.older as usize].pop_back().unwrap_or(Session::EMPTY);
        }
        self.tidy(key);
        if next != i64::MAX {
            self.set_timer(key, next);
        }
    }
}

impl Operator for Sessions {
    fn plain(&mut self, block: &mut Block<'_>, at: usize, clock: &mut Clock) -> usize {
        if clock.every == 1 {
            add::<true>(self, block, at, clock)
        } else {
            add::<false>(self, block, at, clock)
        }
    }

    fn take(&mut self, record: Record, out: &mut Output<'_>) -> u8 {
        let Record { time, key, value } = record;
        let watermark = out.watermark;
        let own = Session {
            start: time,
            end: time + self.gap,
            sum: i64::from(value),
            count: 1,
            fired: 0,
        };
        let newest = &mut self.keys[key as usize].newest;
        let joins = time >= newest.start && time <= newest.end;
        // Alone it is judged by its own window. Whatever it could merge with is not cleaned up yet,
        // so neither is what it would merge into.
        if !joins && own.end - 1 + self.lateness <= watermark {
            let touches = |it: &Session| it.start <= own.end && it.end >= own.start;
            if !self.of(key).any(touches) {
                return outcome::DROPPED;
            }
        }
        let newest = &mut self.keys[key as usize].newest;
        let merged = if joins {
            newest.merge(&own);
            *newest
        } else if newest.is_empty() {
            *newest = own;
            own
        } else if time > newest.end {
            let before = std::mem::replace(newest, own);
            self.older_mut(key).push_back(before);
            own
        } else {
            self.insert(key, own)
        };
        let is_late = merged.end - 1 <= watermark;
        let mut due = merged.due(self.lateness);
        if is_late {
            let Session { start, end, count, sum, fired } = merged;
            out.fire(Firing { key, start, end, count, sum, nth: fired + 1 });
            self.note_fired(key, start);
            due = end - 1 + self.lateness;
        }
        self.set_timer(key, due);
        u8::from(is_late) * outcome::LATE
    }

    fn due(&self) -> i64 {
        self.due
    }

    fn advance(&mut self, out: &mut Output<'_>) {
        while self.timers.first().is_some_and(|(time, _)| time <= out.watermark)
            && let Some((time, key)) = self.timers.pop()
        {
            // A key whose timer moved forward left the old one behind.
            if self.keys[key as usize].timer == time {
                self.run_timer(key, time, out);
            }
        }
        self.due = self.timers.first().map_or(i64::MAX, |(time, _)| time);
    }

    fn open_state(&self, _watermark: i64) -> OpenState {
        let mut open = OpenState::default();
        for key in 0..self.keys.len() as u32 {
            let (mut any, mut any_waiting) = (0, 0);
            for Session { count, fired, .. } in self.of(key) {
                let is_waiting = *fired == 0;
                any = 1;
                open.windows += 1;
                open.all.records += u64::from(*count);
                open.all.timers += if is_waiting && self.lateness > 0 { 2 } else { 1 };
                if is_waiting {
                    any_waiting = 1;
                    open.waiting += 1;
                    open.prompt.records += u64::from(*count);
                } else {
                    open.held += 1;
                }
            }
            open.all.keys_with_sessions += any;
            open.prompt.keys_with_sessions += any_waiting;
        }
        let (all, waiting) = (open.waiting + open.held, open.waiting);
        (open.all.entries, open.all.sessions) = (all, all);
        (open.prompt.entries, open.prompt.sessions, open.prompt.timers) =
            (waiting, waiting, waiting);
        open
    }

    fn open_windows(&self, _watermark: i64) -> Vec<OpenWindow> {
        let of = |key: u32| {
            self.of(key).map(move |it| {
                let Session { start, end, count, sum, .. } = *it;
                OpenWindow { key, start, end, count, sum }
            })
        };
        (0..self.keys.len() as u32).flat_map(of).collect()
    }

    fn bytes(&self) -> usize {
        let older = self.older.iter().map(|it| it.capacity() * size_of::<Session>());
        older.sum::<usize>() + self.keys.len() * size_of::<Key>() + self.timers.bytes()
    }
}

/// The loop that nearly every record goes through: it extends the newest session of its key, which
/// has not fired, and no timer is due.
fn add<const PER_EVENT: bool>(
    sessions: &mut Sessions,
    block: &mut Block<'_>,
    from: usize,
    clock: &mut Clock,
) -> usize {
    let (gap, due) = (sessions.gap, sessions.due);
    let sessions = sessions.keys.as_mut_slice();
    let n = block.times.len();
    let (times, keys, values) =
        (&block.times[from..n], &block.keys[from..n], &block.values[from..n]);
    let outcomes = &mut block.outcomes[from..n];
    let Clock { lag, every, mut since, mut max, mut watermark } = *clock;
    let mut taken = 0;
    let records = times.iter().zip(keys).zip(values).zip(outcomes);
    for (((&time, &key), &value), outcome) in records {
        let session = &mut sessions[key as usize].newest;
        let is_inside =
            time.wrapping_sub(session.start) as u64 <= (session.end - session.start) as u64;
        if !is_inside || session.fired != 0 {
            break;
        }
        session.end = session.end.max(time + gap);
        session.sum += i64::from(value);
        session.count += 1;
        *outcome = outcome::ON_TIME | behind(time, watermark);
        taken += 1;
        max = max.max(time);
        if PER_EVENT {
            watermark = max - lag;
        } else {
            since += 1;
            if since == every {
                since = 0;
                watermark = max - lag;
            }
        }
        if watermark >= due {
            break;
        }
    }
    (clock.since, clock.max, clock.watermark) = (since, max, watermark);
    from + taken
}
