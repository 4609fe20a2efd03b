//! The axis of event time: round times, and what they say.

use serde::Serialize;

use crate::event_time::text::{clock, is_date, span};
use crate::event_time::time::EventTime;

const SECOND: i64 = 1000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// Steps between two ticks [ms].
const STEPS: [i64; 30] = [
    1,
    2,
    5,
    10,
    20,
    50,
    100,
    200,
    500,
    SECOND,
    2 * SECOND,
    5 * SECOND,
    10 * SECOND,
    15 * SECOND,
    30 * SECOND,
    MINUTE,
    2 * MINUTE,
    5 * MINUTE,
    10 * MINUTE,
    15 * MINUTE,
    30 * MINUTE,
    HOUR,
    2 * HOUR,
    3 * HOUR,
    6 * HOUR,
    12 * HOUR,
    DAY,
    2 * DAY,
    7 * DAY,
    30 * DAY,
];

/// The ends of a linear axis: in pixels of the drawing, and as times.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TimeAxis {
    /// The pixel of the latest time.
    pub top: i32,
    /// The pixel of the earliest.
    pub bottom: i32,
    /// The earliest time.
    pub low: EventTime,
    /// The latest time.
    pub high: EventTime,
}

/// A linear scale of event time, the later the higher.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeScale {
    low: i64,
    high: i64,
    top: i32,
    bottom: i32,
}

impl TimeScale {
    /// A scale over these times with some room on both sides, between two pixels.
    pub fn new(times: impl Iterator<Item = i64>, top: i32, bottom: i32) -> Option<Self> {
        let (low, high) =
            times.fold((i64::MAX, i64::MIN), |(low, high), time| (low.min(time), high.max(time)));
        if low > high {
            return None;
        }
        let room = (high.saturating_sub(low) / 16).max(1);
        let (low, high) = (low.saturating_sub(room), high.saturating_add(room));
        Some(Self { low, high, top, bottom })
    }

    /// Its ends.
    pub const fn axis(&self) -> TimeAxis {
        let Self { low, high, top, bottom } = *self;
        TimeAxis { top, bottom, low: EventTime::ms(low), high: EventTime::ms(high) }
    }

    /// The pixel of a time; times beyond an end lie on the end.
    pub fn y(&self, time: EventTime) -> i32 {
        let time = time.get().clamp(self.low, self.high);
        // Differences of 64-bit times may need one bit more.
        let part = (i128::from(time) - i128::from(self.low)) as f64
            / (i128::from(self.high) - i128::from(self.low)) as f64;
        self.bottom - (part * f64::from(self.bottom - self.top)).round() as i32
    }

    /// Round times with their labels, at least `gap` px apart.
    pub fn ticks(&self, gap: i32) -> Vec<(i64, String)> {
        let length = self.high.saturating_sub(self.low);
        let most = i64::from(((self.bottom - self.top) / gap).max(1));
        let longest = STEPS[STEPS.len() - 1];
        let step = STEPS
            .into_iter()
            .find(|step| length / step <= most)
            .unwrap_or_else(|| (length / most / longest + 1).saturating_mul(longest));
        let first = self.low.div_euclid(step).saturating_add(1).saturating_mul(step);
        let dated = is_date(EventTime::ms(self.high));
        std::iter::successors(Some(first), |tick| tick.checked_add(step))
            .take_while(|tick| *tick <= self.high)
            .map(|tick| (tick, if dated { clock(tick, step) } else { span(tick) }))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_times_lie_higher() {
        let scale = TimeScale::new([0, 16_000].into_iter(), 0, 180).unwrap();
        assert_eq!(scale.y(EventTime::ms(-1000)), 180);
        assert_eq!(scale.y(EventTime::ms(17_000)), 0);
        assert_eq!(scale.y(EventTime::ms(8000)), 90);
    }

    #[test]
    fn the_axis_has_the_ends_that_the_scale_maps() {
        let scale = TimeScale::new([0, 16_000].into_iter(), 7, 180).unwrap();
        let TimeAxis { top, bottom, low, high } = scale.axis();
        assert_eq!((scale.y(low), scale.y(high)), (bottom, top));
        assert_eq!((low, high), (EventTime::ms(-1000), EventTime::ms(17_000)));
    }

    #[test]
    fn ticks_are_round_and_inside() {
        let scale = TimeScale::new([0, 16_000].into_iter(), 0, 180).unwrap();
        let texts: Vec<String> = scale.ticks(30).into_iter().map(|(_, text)| text).collect();
        assert_eq!(texts, ["0 ms", "5 s", "10 s", "15 s"]);
    }

    #[test]
    fn the_ends_of_time_have_a_scale_too() {
        let scale = TimeScale::new([i64::MIN, i64::MAX].into_iter(), 0, 180).unwrap();
        assert_eq!(scale.y(EventTime::MAX), 0);
        assert!(scale.ticks(30).len() < 20);
        assert_eq!(TimeScale::new(std::iter::empty(), 0, 180), None);
    }
}
