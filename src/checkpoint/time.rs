//! Simulated time: integer nanoseconds, so that sums are the same on every machine.
//!
//! Source: none of Flink's; Flink's own fields are milliseconds, and reports round down to them.

use serde::{Deserialize, Serialize};

/// A moment or a span of the simulation [ns].
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct SimTime(u64);

impl SimTime {
    /// The start, and the empty span.
    pub const ZERO: Self = Self(0);

    /// From whole milliseconds.
    pub const fn from_ms(ms: u64) -> Self {
        Self(ms.saturating_mul(1_000_000))
    }

    /// From nanoseconds.
    pub const fn from_ns(ns: u64) -> Self {
        Self(ns)
    }

    /// From microseconds, rounded to whole nanoseconds; what is not a positive number is zero.
    pub fn from_us(us: f64) -> Self {
        // The cast saturates, and NaN becomes zero.
        Self((us * 1_000.0 + 0.5) as u64)
    }

    /// Whole milliseconds, rounded down.
    pub const fn as_ms(self) -> u64 {
        self.0 / 1_000_000
    }

    /// Nanoseconds.
    pub const fn as_ns(self) -> u64 {
        self.0
    }

    /// This moment and a span later.
    pub const fn after(self, span: Self) -> Self {
        Self(self.0.saturating_add(span.0))
    }

    /// So many spans one after another.
    pub const fn times(self, count: u64) -> Self {
        Self(self.0.saturating_mul(count))
    }

    /// The span since an earlier moment; zero if that moment is later.
    pub const fn since(self, earlier: Self) -> Self {
        Self(self.0.saturating_sub(earlier.0))
    }
}
