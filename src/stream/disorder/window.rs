//! When is a record too late for a window?
//!
//! A record belongs to windows; one is past cleanup once the watermark has reached its last
//! millisecond plus the allowed lateness. Flink drops the record if all its windows are, and the
//! last one is so last.
//!
//! # Deviations
//! Sessions: a record whose own window is past cleanup is still taken if it touches a session that
//! is kept. That depends on the records of the key before it, which are not followed here, so for
//! sessions the records past cleanup are an upper bound of those dropped.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `TumblingEventTimeWindows`, `SlidingEventTimeWindows`,
//! `EventTimeSessionWindows`, `WindowOperator.cleanupTime`.

use serde::{Deserialize, Serialize};

use crate::stream::error::{StreamError, within};
use crate::stream::generate::params::MAX_SPAN_MS;

/// The windows that a record is assigned to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", deny_unknown_fields)]
pub enum Window {
    /// `TumblingEventTimeWindows`.
    #[serde(rename_all = "camelCase")]
    Tumbling {
        /// Length [ms].
        size_ms: i64,
        /// Shift against the epoch [ms].
        offset_ms: i64,
    },
    /// `SlidingEventTimeWindows`.
    #[serde(rename_all = "camelCase")]
    Sliding {
        /// Length [ms].
        size_ms: i64,
        /// From the start of one to the start of the next [ms].
        slide_ms: i64,
        /// Shift against the epoch [ms].
        offset_ms: i64,
    },
    /// `EventTimeSessionWindows`.
    #[serde(rename_all = "camelCase")]
    Session {
        /// Silence that ends a session [ms].
        gap_ms: i64,
    },
    /// Each record brings the last millisecond of its window, see
    /// [`super::Disorder::add_judged`].
    Told {
        /// Whether windows merge.
        merges: bool,
    },
}

impl Window {
    pub(super) fn check(&self) -> Result<(), StreamError> {
        let (size, step, offset, message) = match *self {
            Self::Session { gap_ms } => return within("window.gapMs", gap_ms, 1, MAX_SPAN_MS),
            Self::Told { .. } => return Ok(()),
            Self::Tumbling { size_ms, offset_ms } => (
                size_ms,
                size_ms,
                offset_ms,
                "TumblingEventTimeWindows parameters must satisfy abs(offset) < size",
            ),
            Self::Sliding { size_ms, slide_ms, offset_ms } => (
                size_ms,
                slide_ms,
                offset_ms,
                "SlidingEventTimeWindows parameters must satisfy abs(offset) < slide and size > 0",
            ),
        };
        if size <= 0 || offset.unsigned_abs() >= step.max(0).unsigned_abs() {
            return Err(StreamError::not_offered("window", message));
        }
        within("window.sizeMs", size, 1, MAX_SPAN_MS)?;
        within("window.slideMs", step, 1, MAX_SPAN_MS)
    }

    /// From this watermark on a record is dropped, if it is not in a session [ms]. `told` is the last
    /// millisecond of its window, where the record brings it.
    pub fn cleanup_time(&self, time: i64, told: Option<i64>, allowed_lateness_ms: i64) -> i64 {
        // Beyond the range Flink takes Long.MAX, and such a window is never cleaned up.
        let last = match *self {
            Self::Tumbling { size_ms, offset_ms } => {
                start(time, offset_ms, size_ms).saturating_add(size_ms - 1)
            }
            Self::Session { gap_ms } => time.saturating_add(gap_ms - 1),
            Self::Told { .. } => told.unwrap_or(i64::MAX),
            Self::Sliding { size_ms, slide_ms, offset_ms } => {
                let start = start(time, offset_ms, slide_ms);
                // Between hopping windows there is none; there the record's own time decides.
                start.saturating_add(size_ms - 1).max(time)
            }
        };
        last.saturating_add(allowed_lateness_ms)
    }

    /// Windows that a record is in at most.
    pub fn copies(&self) -> u64 {
        match *self {
            Self::Sliding { size_ms, slide_ms, .. } => {
                size_ms.unsigned_abs().div_ceil(slide_ms.unsigned_abs().max(1))
            }
            Self::Tumbling { .. } | Self::Session { .. } | Self::Told { .. } => 1,
        }
    }

    /// Whether windows merge, so that a record past clean-up may still be taken.
    pub const fn merges(&self) -> bool {
        matches!(self, Self::Session { .. } | Self::Told { merges: true })
    }
}

/// `TimeWindow.getWindowStartWithOffset`: a floor modulo, so it holds below 0 too.
fn start(time: i64, offset_ms: i64, step_ms: i64) -> i64 {
    time.saturating_sub(time.saturating_sub(offset_ms).rem_euclid(step_ms))
}
