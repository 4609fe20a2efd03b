//! Windows of local time, with the offsets of a zone handed in.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `TimeWindowUtil` of Flink SQL: a `TIMESTAMP_LTZ` is shifted
//! to local time, windows are cut there, and their ends are shifted back. An hour that occurs twice
//! counts as its second occurrence, an hour that does not exist as the moment of the change.

use serde::{Deserialize, Serialize};

use super::error::EventTimeError;
use super::window::Window;

/// From this moment on, local time is UTC plus this offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Transition {
    /// The moment [ms since the epoch]; the first one holds for all time before it, too.
    pub from: i64,
    /// The offset [ms].
    pub offset: i64,
}

/// The most changes of offset that are read: some five a year for two centuries.
const TRANSITIONS_MAX: usize = 1000;
/// No zone has been further from UTC than this [ms].
const OFFSET_MAX: i64 = 24 * 3_600_000;

/// A time zone, as far as its offsets go.
#[derive(Debug, Clone, Copy)]
pub struct Zone<'a> {
    /// Changes of the offset, in order of time.
    pub transitions: &'a [Transition],
}

impl Zone<'_> {
    /// Whether a window of this length can be cut with these offsets.
    ///
    /// # Errors
    /// What is wrong with the size or the offsets.
    pub fn check(size: i64, transitions: &[Transition]) -> Result<(), EventTimeError> {
        if size <= 0 {
            return Err(EventTimeError::TumblingParameters);
        }
        let is_sorted = transitions.windows(2).all(|pair| pair[0].from < pair[1].from);
        let is_near = transitions.iter().all(|t| t.offset.unsigned_abs() <= OFFSET_MAX as u64);
        if transitions.is_empty() || transitions.len() > TRANSITIONS_MAX || !is_sorted || !is_near {
            return Err(EventTimeError::Transitions);
        }
        Ok(())
    }

    /// Local time at a moment.
    pub fn local(&self, moment: i64) -> i64 {
        let next = self.transitions.partition_point(|t| t.from <= moment);
        let at = self.transitions.get(next.saturating_sub(1));
        moment.wrapping_add(at.map_or(0, |t| t.offset))
    }

    /// The moment of a local time.
    pub fn moment(&self, local: i64) -> i64 {
        // No offset is as large as OFFSET_MAX, so no later change can give this local time.
        let near = self.transitions.partition_point(|t| t.from <= local.saturating_add(OFFSET_MAX));
        let near = &self.transitions[..near.max(1).min(self.transitions.len())];
        // The last offset that gives this local time; in a gap, the change itself.
        let mut hits = near.iter().enumerate().rev().filter_map(|(at, t)| {
            let moment = local.wrapping_sub(t.offset);
            let begins = at == 0 || moment >= t.from;
            let ends = self.transitions.get(at + 1).is_some_and(|next| moment >= next.from);
            (begins && !ends).then_some(moment)
        });
        hits.next().unwrap_or_else(|| {
            let gap = self.transitions.windows(2).find(|pair| {
                local.wrapping_sub(pair[0].offset) >= pair[1].from
                    && local.wrapping_sub(pair[1].offset) < pair[1].from
            });
            gap.map_or(local, |pair| pair[1].from)
        })
    }

    /// The window of local time that holds a moment, as moments.
    pub fn window(&self, moment: i64, size: i64) -> Window {
        let local = self.local(moment);
        let start = local.wrapping_sub(local.rem_euclid(size));
        Window::of(self.moment(start), self.moment(start.wrapping_add(size)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 3_600_000;
    /// Los Angeles in 2021: summer time from 14 March 10:00 UTC to 7 November 09:00 UTC.
    const LOS_ANGELES: [Transition; 3] = [
        Transition { from: 1_604_221_200_000, offset: -8 * HOUR },
        Transition { from: 1_615_716_000_000, offset: -7 * HOUR },
        Transition { from: 1_636_275_600_000, offset: -8 * HOUR },
    ];

    #[test]
    fn a_window_over_the_change_is_an_hour_shorter() {
        let zone = Zone { transitions: &LOS_ANGELES };
        let window = zone.window(1_615_712_400_000, 4 * HOUR);
        assert_eq!(window, Window::of(1_615_708_800_000, 1_615_719_600_000));
    }

    #[test]
    fn a_day_at_the_end_of_summer_time_has_25_hours() {
        let zone = Zone { transitions: &LOS_ANGELES };
        let window = zone.window(1_636_275_600_000, 24 * HOUR);
        assert_eq!(window.end.get() - window.start.get(), 25 * HOUR);
    }

    #[test]
    fn a_time_that_does_not_exist_is_the_moment_of_the_change() {
        let zone = Zone { transitions: &LOS_ANGELES };
        // 14 March 02:30.
        let local = 1_615_716_000_000 - 8 * HOUR + HOUR / 2;
        assert_eq!(zone.moment(local), 1_615_716_000_000);
    }

    #[test]
    fn a_time_that_occurs_twice_is_the_second() {
        let zone = Zone { transitions: &LOS_ANGELES };
        // 7 November 01:30.
        let local = 1_636_275_600_000 - 7 * HOUR - HOUR / 2;
        assert_eq!(zone.moment(local), 1_636_275_600_000 + HOUR / 2);
    }
}
