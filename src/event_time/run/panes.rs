//! Tumbling and sliding windows from panes.
//!
//! A pane is as long as the greatest common divisor of size and slide, so every window is a whole
//! number of panes and a record is added once, not once a window. A window's content is the sum of
//! its panes when it fires. That is exact although a pane may hold records that an earlier window
//! skipped: it skipped them because its clean-up had passed, and a window past its clean-up is never
//! read again. The content of a window that follows the last fired one is found by taking away the
//! panes that it leaves and adding those that it enters, so that a firing costs what changes.
//!
//! Source: Flink 1.18.1, 1.20.5 and 2.2.1, `WindowOperator`, `EventTimeTrigger`,
//! `TumblingEventTimeWindows`, `SlidingEventTimeWindows`, `TimeWindow#getWindowStartWithOffset`.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::clock::Clock;
use super::fixed::{Fixed, NEVER};
use super::operator::{Block, Operator, Record, behind};
use super::outcome;
use super::report::{Firing, OpenState, OpenWindow, Output, Takes};
use super::standing::Next;
use super::table::{Cell, Table};

/// Empty tables that are kept for the next panes.
const SPARE_MAX: usize = 4;

/// The records between two neighbouring borders of windows.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Pane {
    start: i64,
    table: Table,
}

/// How often the keys of a fired window fired again.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Refired {
    start: i64,
    /// Late records of each key; each of them fired the window.
    late: Table,
}

/// The content of the window that fired last, less what has been cleaned up since.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Total {
    start: i64,
    end: i64,
    table: Table,
}

/// Windows of a fixed size.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Panes {
    fixed: Fixed,
    pane: i64,
    keys: u32,
    /// In order of start.
    panes: VecDeque<Pane>,
    /// The pane whose records are plain: all its windows wait for their first firing.
    current: Option<usize>,
    /// No window that starts earlier waits for its first firing.
    unfired: i64,
    /// The start of the next window to fire.
    next_window: Option<i64>,
    due: i64,
    total: Total,
    refired: VecDeque<Refired>,
    #[serde(skip)]
    spare: Vec<Table>,
    #[serde(skip)]
    cells: Vec<Cell>,
}

impl Panes {
    /// Windows whose params were checked.
    pub fn new(fixed: Fixed, keys: u32) -> Self {
        Self {
            fixed,
            pane: greatest_common_divisor(fixed.size, fixed.slide),
            keys,
            panes: VecDeque::new(),
            current: None,
            unfired: NEVER,
            next_window: None,
            due: i64::MAX,
            total: Total { start: 0, end: 0, table: Table::new(keys) },
            refired: VecDeque::new(),
            spare: Vec::new(),
            cells: Vec::new(),
        }
    }

    /// The windows.
    pub const fn fixed(&self) -> &Fixed {
        &self.fixed
    }

    /// The window that fires next.
    pub fn next(&self) -> Option<Next> {
        let start = self.next_window?;
        let (end, due) = (start + self.fixed.size, self.fixed.max_timestamp(start));
        Some(Next { start, end, due })
    }

    /// The pane of a record, opened if there is none.
    fn open(&mut self, time: i64, watermark: i64) -> usize {
        let start = time - (time - self.fixed.offset).rem_euclid(self.pane);
        let at = self.panes.partition_point(|pane| pane.start < start);
        if self.panes.get(at).is_none_or(|pane| pane.start != start) {
            let table = self.spare.pop().unwrap_or_else(|| Table::new(self.keys));
            self.panes.insert(at, Pane { start, table });
            self.unfired = self.unfired.max(self.fixed.first_after(watermark));
            self.schedule();
        }
        at
    }

    /// Finds the next timer.
    fn schedule(&mut self) {
        self.next_window = self.next_window();
        let fire = self.next_window.map_or(i64::MAX, |start| self.fixed.max_timestamp(start));
        self.due = fire.min(self.next_clean_up());
    }

    /// The first window that waits and holds a record.
    fn next_window(&self) -> Option<i64> {
        let from = self.unfired;
        let at = self.panes.partition_point(|pane| pane.start + self.pane <= from);
        let start = self.panes.get(at)?.start;
        let first = self.fixed.window_at(start - self.fixed.size) + self.fixed.slide;
        Some(if start < from + self.fixed.size { from } else { first })
    }

    fn next_clean_up(&self) -> i64 {
        let pane =
            self.panes.front().map(|pane| self.fixed.clean_up(self.fixed.window_at(pane.start)));
        let refired = self.refired.front().map(|refired| self.fixed.clean_up(refired.start));
        pane.unwrap_or(i64::MAX).min(refired.unwrap_or(i64::MAX))
    }

    /// The first firing of a window, for every key in it.
    fn fire(&mut self, start: i64, out: &mut Output<'_>) {
        let mut cells = std::mem::take(&mut self.cells);
        if self.pane == self.fixed.size {
            let at = self.panes.partition_point(|pane| pane.start < start);
            self.panes[at].table.live(&mut cells);
        } else {
            self.move_total(start);
            self.total.table.live(&mut cells);
            self.total.table.tidy(cells.len());
        }
        let end = start + self.fixed.size;
        for Cell { key, count, sum } in cells.drain(..) {
            out.fire(Firing { key, start, end, count, sum, nth: 1 });
        }
        self.cells = cells;
        self.unfired = start + self.fixed.slide;
    }

    /// Makes the total that of the window that starts at `start`.
    fn move_total(&mut self, start: i64) {
        let end = start + self.fixed.size;
        let Total { start: old_start, end: old_end, .. } = self.total;
        // Where most of the window is new, counting it anew is less work.
        let is_near = old_start <= start && old_end - start >= self.fixed.size / 2;
        let mut table = std::mem::replace(&mut self.total.table, Table::new(self.keys));
        if is_near {
            self.between(old_start, start).for_each(|pane| table.subtract(&pane.table));
            self.between(old_end, end).for_each(|pane| table.add(&pane.table));
        } else {
            table.clear();
            self.between(start, end).for_each(|pane| table.add(&pane.table));
        }
        self.total = Total { start, end, table };
    }

    /// The panes from `start` to before `end`.
    fn between(&self, start: i64, end: i64) -> impl DoubleEndedIterator<Item = &Pane> {
        let from = self.panes.partition_point(|pane| pane.start < start);
        let to = self.panes.partition_point(|pane| pane.start < end);
        self.panes.range(from..to.max(from))
    }

    /// Drops what the clean-up timer at `time` is for.
    fn clean(&mut self, time: i64) {
        while self.refired.front().is_some_and(|it| self.fixed.clean_up(it.start) <= time) {
            self.refired.pop_front();
        }
        while self
            .panes
            .front()
            .is_some_and(|pane| self.fixed.clean_up(self.fixed.window_at(pane.start)) <= time)
            && let Some(Pane { start, mut table }) = self.panes.pop_front()
        {
            if (self.total.start..self.total.end).contains(&start) {
                self.total.table.subtract(&table);
                self.total.start = start + self.pane;
            }
            if self.spare.len() < SPARE_MAX {
                table.clear();
                self.spare.push(table);
            }
        }
    }

    /// Fires the windows from `newest` back to `oldest` again, or for the first time, for one key:
    /// in the order of the assigner, each with its whole content.
    fn fire_late(&mut self, key: u32, newest: i64, oldest: i64, out: &mut Output<'_>) {
        let (mut count, mut sum) = (0, 0);
        let mut high = self.panes.partition_point(|pane| pane.start < newest + self.fixed.size);
        let mut low = high;
        let mut start = newest;
        while start >= oldest {
            while low > 0 && self.panes[low - 1].start >= start {
                low -= 1;
                let (more, value) = self.panes[low].table.get(key);
                (count, sum) = (count + more, sum + value);
            }
            while high > low && self.panes[high - 1].start >= start + self.fixed.size {
                high -= 1;
                let (less, value) = self.panes[high].table.get(key);
                (count, sum) = (count - less, sum - value);
            }
            let late = self.note_late(start, key);
            // It fired once on time if it had a record then, and once for each late one.
            let nth = late + u32::from(count > late);
            out.fire(Firing { key, start, end: start + self.fixed.size, count, sum, nth });
            start -= self.fixed.slide;
        }
    }

    /// Counts a late record of the window, and returns how many there are.
    fn note_late(&mut self, start: i64, key: u32) -> u32 {
        let at = self.refired.partition_point(|it| it.start < start);
        if self.refired.get(at).is_none_or(|it| it.start != start) {
            self.refired.insert(at, Refired { start, late: Table::new(self.keys) });
        }
        let cell = self.refired[at].late.cell(key);
        cell.count += 1;
        cell.count
    }
}

impl Operator for Panes {
    fn plain(&mut self, block: &mut Block<'_>, at: usize, clock: &mut Clock) -> usize {
        let Some(current) = self.current else { return at };
        let Pane { start, table } = &mut self.panes[current];
        let span = Span { start: *start, length: self.pane as u64, due: self.due };
        match (table.is_array(), clock.every == 1) {
            (true, true) => add::<_, true>(table.cells_mut(), span, block, at, clock),
            (true, false) => add::<_, false>(table.cells_mut(), span, block, at, clock),
            (false, true) => add::<_, true>(table, span, block, at, clock),
            (false, false) => add::<_, false>(table, span, block, at, clock),
        }
    }

    fn take(&mut self, record: Record, out: &mut Output<'_>) -> u8 {
        let Record { time, key, value } = record;
        let watermark = out.watermark;
        let last = self.fixed.window_at(time);
        let is_between = time - last >= self.fixed.size;
        if is_between || self.fixed.clean_up(last) <= watermark {
            let is_late = time + self.fixed.lateness <= watermark;
            return if is_late { outcome::DROPPED } else { outcome::IGNORED };
        }
        let first = self.fixed.first_of(time, last);
        let is_partly = self.fixed.clean_up(first) <= watermark;
        let oldest =
            if is_partly { self.fixed.first_after(watermark - self.fixed.lateness) } else { first };
        let is_late = self.fixed.max_timestamp(oldest) <= watermark;
        let at = self.open(time, watermark);
        let pane = &mut self.panes[at];
        put(pane.table.cell(key), value);
        if (self.total.start..self.total.end).contains(&pane.start) {
            put(self.total.table.cell(key), value);
        }
        self.current = (!is_partly && !is_late).then_some(at);
        if is_late {
            let newest = (self.fixed.first_after(watermark) - self.fixed.slide).min(last);
            self.fire_late(key, newest, oldest, out);
        }
        let late = if is_late { outcome::LATE } else { outcome::ON_TIME };
        if is_partly { late | outcome::PARTLY } else { late }
    }

    fn due(&self) -> i64 {
        self.due
    }

    fn advance(&mut self, out: &mut Output<'_>) {
        while self.due <= out.watermark && self.due != i64::MAX {
            match self.next_window {
                Some(start) if self.fixed.max_timestamp(start) == self.due => self.fire(start, out),
                _ => self.clean(self.due),
            }
            self.schedule();
        }
        self.current = None;
    }

    fn open_state(&self, watermark: i64) -> OpenState {
        let Fixed { slide, lateness, .. } = self.fixed;
        let kept = self.fixed.first_after(watermark.saturating_sub(lateness));
        let unfired = self.fixed.first_after(watermark);
        // Of each key, and of all, the last window that was counted.
        let mut counted = vec![NEVER; self.keys as usize];
        let mut counted_windows = NEVER;
        let mut open = OpenState::default();
        let (mut waiting_records, mut held_records) = (0, 0);
        for Pane { start, table } in &self.panes {
            let last = self.fixed.window_at(*start);
            let first = self.fixed.first_of(*start, last).max(kept);
            let number = |from: i64, to: i64| ((to - from) / slide).max(0) as u64;
            let end = last + slide;
            let mut any = false;
            table.each(|key, count, _| {
                held_records += u64::from(count) * number(first, unfired.min(end));
                waiting_records += u64::from(count) * number(first.max(unfired), end);
                let from = first.max(counted[key as usize]);
                open.held += number(from, unfired.min(end));
                open.waiting += number(from.max(unfired), end);
                counted[key as usize] = end;
                any = true;
            });
            if any {
                open.windows += number(first.max(counted_windows), end);
                counted_windows = end;
            }
        }
        open.prompt = Takes {
            entries: open.waiting,
            records: waiting_records,
            timers: open.waiting,
            ..Takes::default()
        };
        open.all = Takes {
            entries: open.waiting + open.held,
            records: waiting_records + held_records,
            timers: open.waiting * if lateness > 0 { 2 } else { 1 } + open.held,
            ..Takes::default()
        };
        open
    }

    fn open_windows(&self, watermark: i64) -> Vec<OpenWindow> {
        let kept = self.fixed.first_after(watermark.saturating_sub(self.fixed.lateness));
        let mut all = std::collections::BTreeMap::<(u32, i64), (u32, i64)>::new();
        for Pane { start, table } in &self.panes {
            let last = self.fixed.window_at(*start);
            let first = self.fixed.first_of(*start, last).max(kept);
            table.each(|key, count, sum| {
                let mut start = first;
                while start <= last {
                    let entry = all.entry((key, start)).or_default();
                    *entry = (entry.0 + count, entry.1 + sum);
                    start += self.fixed.slide;
                }
            });
        }
        let open = all.into_iter().map(|((key, start), (count, sum))| {
            let end = start + self.fixed.size;
            OpenWindow { key, start, end, count, sum }
        });
        open.collect()
    }

    fn bytes(&self) -> usize {
        let tables = self.panes.iter().map(|pane| pane.table.bytes() + size_of::<Pane>());
        let refired = self.refired.iter().map(|it| it.late.bytes() + size_of::<Refired>());
        let spare = self.spare.iter().map(Table::bytes);
        tables.chain(refired).chain(spare).sum::<usize>() + self.total.table.bytes()
    }
}

/// A pane's place in time, and when the next timer is due [ms].
#[derive(Clone, Copy)]
struct Span {
    start: i64,
    length: u64,
    due: i64,
}

/// Where the cell of a key is.
trait Cells {
    fn of(&mut self, key: u32) -> &mut Cell;
}

impl Cells for [Cell] {
    #[inline(always)]
    fn of(&mut self, key: u32) -> &mut Cell {
        &mut self[key as usize]
    }
}

impl Cells for Table {
    fn of(&mut self, key: u32) -> &mut Cell {
        self.cell(key)
    }
}

#[inline(always)]
fn put(cell: &mut Cell, value: i32) {
    cell.count += 1;
    cell.sum += i64::from(value);
}

/// The loop that nearly every record goes through: it stays in the pane, and no timer is due.
fn add<C: Cells + ?Sized, const PER_EVENT: bool>(
    cells: &mut C,
    span: Span,
    block: &mut Block<'_>,
    from: usize,
    clock: &mut Clock,
) -> usize {
    let n = block.times.len();
    let (times, keys, values) =
        (&block.times[from..n], &block.keys[from..n], &block.values[from..n]);
    let outcomes = &mut block.outcomes[from..n];
    let Clock { lag, every, mut since, mut max, mut watermark } = *clock;
    let mut taken = 0;
    let records = times.iter().zip(keys).zip(values).zip(outcomes);
    for (((&time, &key), &value), outcome) in records {
        if time.wrapping_sub(span.start) as u64 >= span.length {
            break;
        }
        put(cells.of(key), value);
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
        if watermark >= span.due {
            break;
        }
    }
    (clock.since, clock.max, clock.watermark) = (since, max, watermark);
    from + taken
}

const fn greatest_common_divisor(mut a: i64, mut b: i64) -> i64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
