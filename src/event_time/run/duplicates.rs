//! Records that are left out by their id before they reach the windows. They moved the watermark all the
//! same, since that is made in the source.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `TtlUtils.expired` for the ids, see [`super::super::dedup`];
//! here ids are numbers, so that ten million of them take eight bytes each.

use super::clock::Clock;
use super::operator::{Block, behind};
use super::outcome;
use super::report::{Firings, Totals};
use super::windows::Windows;

/// Ids that came, with the processing time of their first record.
#[derive(Debug, Clone)]
pub struct Ids {
    ttl: i64,
    /// By id; `Long.MIN_VALUE` for one that never came [ms].
    written: Vec<i64>,
}

impl Ids {
    /// Nothing came yet.
    pub const fn new(ttl: i64) -> Self {
        Self { ttl, written: Vec::new() }
    }

    /// Whether the id came before and has not expired; if not it is kept from now on.
    pub fn is_duplicate(&mut self, id: u32, now: i64) -> bool {
        let at = id as usize;
        if at >= self.written.len() {
            self.written.resize(at + 1, i64::MIN);
        }
        let is_kept = self.is_kept(self.written[at], now);
        if !is_kept {
            self.written[at] = now;
        }
        is_kept
    }

    /// How many ids have not expired.
    pub fn kept(&self, now: i64) -> u64 {
        self.written.iter().filter(|it| self.is_kept(**it, now)).count() as u64
    }

    const fn is_kept(&self, written: i64, now: i64) -> bool {
        written != i64::MIN && written.saturating_add(self.ttl) > now
    }

    /// Bytes of all.
    pub fn bytes(&self) -> usize {
        self.written.capacity() * size_of::<i64>()
    }
}

/// Runs a block whose duplicates are marked: they move the watermark, and nothing else.
pub fn drive(
    windows: &mut Windows,
    block: &mut Block<'_>,
    clock: &mut Clock,
    firings: &mut Firings,
    totals: &mut Totals,
) {
    let is_marked = |outcome: &u8| outcome & outcome::DUPLICATE != 0;
    let mut at = 0;
    while at < block.times.len() {
        if is_marked(&block.outcomes[at]) {
            let (time, record) = (block.times[at], block.first + at as u32);
            let behind = behind(time, clock.watermark);
            if let Some(now) = block.arrivals.get(at) {
                windows.let_clock_reach(*now, clock, firings, totals, record);
            }
            block.outcomes[at] = outcome::DUPLICATE | outcome::IGNORED | behind;
            totals.records += 1;
            totals.duplicates += 1;
            totals.behind += u32::from(behind != 0);
            clock.after(time);
            windows.move_to(clock.watermark, clock, firings, totals, record);
            at += 1;
            continue;
        }
        let rest = &block.outcomes[at..];
        let to = at + rest.iter().position(is_marked).unwrap_or(rest.len());
        let mut part = Block {
            first: block.first + at as u32,
            times: &block.times[at..to],
            keys: &block.keys[at..to],
            values: &block.values[at..to],
            outcomes: &mut block.outcomes[at..to],
            arrivals: block.arrivals.get(at..to).unwrap_or_default(),
        };
        windows.drive(&mut part, clock, firings, totals);
        at = to;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_comes_back_when_its_ttl_is_over() {
        let mut ids = Ids::new(100);
        assert!(!ids.is_duplicate(3, 0));
        assert!(ids.is_duplicate(3, 99));
        // Reading does not renew, and at the very end it has expired.
        assert!(!ids.is_duplicate(3, 100));
        assert_eq!((ids.kept(199), ids.kept(200)), (1, 0));
    }
}
