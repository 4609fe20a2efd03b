//! The next timer of each key, in order of time and then key.
//!
//! Most timers are less than a few gaps ahead. Those lie in a ring of buckets, each a slice of time;
//! only the first bucket with a timer is kept in order. The few that are farther away lie in a heap.
//!
//! Source: Flink 1.18.1, 1.20.5 and 2.2.1, `InternalTimerServiceImpl`, which keeps a timer for each
//! key and window. Here a key has one, for the earliest of its windows, and it may come too early:
//! a session that grew since then is asked again at its new end, which is what deleting a timer and
//! registering another comes to.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use serde::{Deserialize, Serialize};

/// Buckets of the ring, a power of two.
const BUCKETS: i64 = 256;
/// Buckets that a gap is cut into.
const BUCKETS_PER_GAP: i64 = 32;

/// Time and key.
type Timer = (i64, u32);

/// Timers of keys.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Timers {
    /// Length of a bucket [ms].
    width: i64,
    ring: Vec<Vec<Timer>>,
    /// The first bucket of the ring that may hold a timer.
    first: i64,
    in_ring: usize,
    /// The bucket that is in order, the earliest timer last.
    ordered: Option<i64>,
    far: BinaryHeap<Reverse<Timer>>,
}

impl Timers {
    /// No timers, for sessions of this gap.
    pub fn new(gap: i64) -> Self {
        Self {
            width: (gap / BUCKETS_PER_GAP).max(1),
            ring: vec![Vec::new(); BUCKETS as usize],
            first: 0,
            in_ring: 0,
            ordered: None,
            far: BinaryHeap::new(),
        }
    }

    /// Adds a timer.
    pub fn add(&mut self, time: i64, key: u32) {
        let bucket = time.div_euclid(self.width);
        if self.in_ring == 0 {
            // Earlier timers can still come, but not by much more than a gap.
            self.first = bucket - BUCKETS / 2;
            self.ordered = None;
        }
        if !(self.first..self.first + BUCKETS).contains(&bucket) {
            self.far.push(Reverse((time, key)));
            return;
        }
        self.in_ring += 1;
        let is_ordered = self.ordered == Some(bucket);
        let timers = self.bucket(bucket);
        if is_ordered {
            let at = timers.partition_point(|it| *it > (time, key));
            timers.insert(at, (time, key));
        } else {
            timers.push((time, key));
        }
    }

    /// The earliest, of one time that of the lowest key.
    pub fn first(&mut self) -> Option<Timer> {
        let near = self.first_in_ring();
        let far = self.far.peek().map(|Reverse(timer)| *timer);
        match (near, far) {
            (Some(near), Some(far)) => Some(near.min(far)),
            (near, far) => near.or(far),
        }
    }

    /// Takes the earliest.
    pub fn pop(&mut self) -> Option<Timer> {
        let timer = self.first()?;
        if self.far.peek().is_some_and(|Reverse(far)| *far == timer) {
            self.far.pop();
        } else {
            let first = self.first;
            self.bucket(first).pop();
            self.in_ring -= 1;
        }
        Some(timer)
    }

    /// Finds the first timer of the ring, and brings its bucket in order.
    fn first_in_ring(&mut self) -> Option<Timer> {
        if self.in_ring == 0 {
            return None;
        }
        while self.bucket(self.first).is_empty() {
            self.first += 1;
        }
        let first = self.first;
        if self.ordered != Some(first) {
            self.bucket(first).sort_unstable_by(|a, b| b.cmp(a));
            self.ordered = Some(first);
        }
        self.bucket(first).last().copied()
    }

    fn bucket(&mut self, bucket: i64) -> &mut Vec<Timer> {
        &mut self.ring[(bucket & (BUCKETS - 1)) as usize]
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let ring: usize = self.ring.iter().map(Vec::capacity).sum();
        (ring + self.far.len()) * size_of::<Timer>()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Against an ordered set: near, far, earlier than all, and at the same time.
    #[test]
    fn timers_come_in_order() {
        let (mut timers, mut set) = (Timers::new(64), BTreeSet::new());
        let (mut seed, mut now) = (7_u32, -5000_i64);
        for n in 0..20_000_u32 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let ahead = match seed >> 28 {
                0 => 40_000,
                1 => 1,
                _ => 90,
            };
            let timer = (now + i64::from((seed >> 4) % ahead), n % 50);
            if set.insert(timer) {
                timers.add(timer.0, timer.1);
            }
            assert_eq!(timers.first(), set.first().copied());
            if seed >> 31 == 0 {
                let popped = timers.pop();
                assert_eq!(popped, set.pop_first());
                now = now.max(popped.map_or(now, |it| it.0));
            }
        }
        while let Some(timer) = set.pop_first() {
            assert_eq!(timers.pop(), Some(timer));
        }
        assert_eq!(timers.pop(), None);
    }
}
