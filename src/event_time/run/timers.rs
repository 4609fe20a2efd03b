//! The next timer of each key, in order of time and then key.
//!
//! Source: Flink 1.18.1, 1.20.5 and 2.2.1, `InternalTimerServiceImpl`, which keeps a timer for each
//! key and window. Here a key has one, for the earliest of its windows, and it may come too early:
//! a session that grew since then is asked again at its new end, which is what deleting a timer and
//! registering another comes to.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use serde::{Deserialize, Serialize};

/// Timers of keys.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Timers {
    heap: BinaryHeap<Reverse<(i64, u32)>>,
}

impl Timers {
    /// Adds a timer.
    pub fn add(&mut self, time: i64, key: u32) {
        self.heap.push(Reverse((time, key)));
    }

    /// The earliest, `Long.MAX_VALUE` where there is none [ms].
    pub fn due(&self) -> i64 {
        self.heap.peek().map_or(i64::MAX, |Reverse((time, _))| *time)
    }

    /// Takes the earliest, of one time that of the lowest key.
    pub fn pop(&mut self) -> Option<(i64, u32)> {
        self.heap.pop().map(|Reverse(timer)| timer)
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.heap.len() * size_of::<(i64, u32)>()
    }
}
