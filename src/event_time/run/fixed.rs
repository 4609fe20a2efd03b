//! Windows of a fixed size: which a record is in, and when each fires and goes.
//!
//! Source: Flink 1.18.1, 1.20.5 and 2.2.1, `TumblingEventTimeWindows`, `SlidingEventTimeWindows`,
//! `TimeWindow#getWindowStartWithOffset`, `WindowOperator#cleanupTime`.

use serde::{Deserialize, Serialize};

use super::super::operator::WindowStatus;
use super::rows::RowWindow;

/// Before every window.
pub const NEVER: i64 = -(1 << 60);

/// Tumbling windows, whose slide is their size, or sliding ones; checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fixed {
    /// Length [ms].
    pub size: i64,
    /// Distance of starts [ms].
    pub slide: i64,
    /// Where the first window starts [ms].
    pub offset: i64,
    /// `allowedLateness` [ms].
    pub lateness: i64,
}

impl Fixed {
    /// The windows of a record and what they are at this watermark, in the order of the assigner.
    pub fn windows_of(&self, time: i64, watermark: i64) -> Vec<RowWindow> {
        let last = self.window_at(time);
        if time - last >= self.size {
            return Vec::new();
        }
        let count = (last - self.first_of(time, last)) / self.slide + 1;
        let starts = (0..count).map(|n| last - n * self.slide);
        let window = |start| {
            let status = if self.clean_up(start) <= watermark {
                WindowStatus::Expired
            } else if self.max_timestamp(start) <= watermark {
                WindowStatus::KeptForLateness
            } else {
                WindowStatus::Open
            };
            RowWindow { start, end: start + self.size, status }
        };
        starts.map(window).collect()
    }

    /// The start of the last window that starts at or before `time`.
    pub fn window_at(&self, time: i64) -> i64 {
        time - (time - self.offset).rem_euclid(self.slide)
    }

    /// The start of the first window that ends after `watermark`, counted by its last millisecond.
    pub fn first_after(&self, watermark: i64) -> i64 {
        if watermark < NEVER {
            return NEVER;
        }
        // The end of the input is after every window; half of it keeps the sums in range.
        self.window_at(watermark.min(i64::MAX / 2) - self.size + 1) + self.slide
    }

    /// The last millisecond of the window, where it fires.
    pub const fn max_timestamp(&self, start: i64) -> i64 {
        start + self.size - 1
    }

    /// When the window's state goes.
    pub const fn clean_up(&self, start: i64) -> i64 {
        self.max_timestamp(start) + self.lateness
    }

    /// The start of the first window of a record, given that of its last one.
    pub const fn first_of(&self, time: i64, last: i64) -> i64 {
        last - (self.size - 1 - (time - last)) / self.slide * self.slide
    }
}
