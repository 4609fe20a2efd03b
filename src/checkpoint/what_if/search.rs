//! Where along a knob a promise breaks: doubling until it does, then halving the gap.
//!
//! Source: none of Flink's. That a promise stays broken beyond the value found is not checked; both
//! ends of the gap that is reported were simulated.

use serde::Serialize;

/// How wide the gap between a value that holds and one that breaks may stay, as a share of the value.
pub const TOLERANCE: f64 = 0.02;

/// The values of a knob.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Axis {
    /// What the scenario has.
    pub current: f64,
    /// The least that is tried.
    pub low: f64,
    /// The most that is tried.
    pub high: f64,
    /// The smallest step from zero; of a knob in whole numbers it is one or more.
    pub step: f64,
    /// Whether values are whole numbers.
    pub whole: bool,
    /// Whether larger values are the harder ones.
    pub up_is_worse: bool,
}

impl Axis {
    fn rounded(&self, value: f64) -> f64 {
        let value = value.clamp(self.low, self.high);
        if self.whole { value.round() } else { value }
    }

    /// The next value in a direction, twice or half of this one.
    fn beyond(&self, value: f64, up: bool) -> f64 {
        self.rounded(match up {
            true => (value * 2.0).max(self.step),
            false if value / 2.0 < self.step => self.low,
            false => value / 2.0,
        })
    }

    fn between(&self, one: f64, other: f64) -> f64 {
        self.rounded(match one > 0.0 && other > 0.0 {
            true => (one * other).sqrt(),
            false => (one + other) / 2.0,
        })
    }

    fn close(&self, one: f64, other: f64) -> bool {
        let least = if self.whole { 1.0 } else { 0.0 };
        (one - other).abs() <= (one.max(other) * TOLERANCE).max(least)
    }
}

/// What a search came to.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum Found {
    /// It holds at one value and not at the other.
    #[serde(rename_all = "camelCase")]
    Between {
        /// A value at which it was seen to hold.
        holds_at: f64,
        /// A value at which it was seen to break.
        breaks_at: f64,
    },
    /// It is the same up to this value, the last one tried.
    #[serde(rename_all = "camelCase")]
    NotWithin {
        /// The last value tried.
        to: f64,
    },
}

/// A search while it goes on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Search {
    axis: Axis,
    holds: Option<f64>,
    breaks: Option<f64>,
    asked: Option<f64>,
    ended: bool,
}

impl Search {
    /// A search from what the scenario has, of which it is known whether it holds.
    pub fn new(axis: Axis, holds: bool) -> Self {
        let current = Some(axis.current);
        let (holds, breaks) = if holds { (current, None) } else { (None, current) };
        Self { axis, holds, breaks, asked: None, ended: false }
    }

    /// The next value to simulate, or nothing where the search is over.
    pub fn ask(&mut self) -> Option<f64> {
        if self.ended {
            return None;
        }
        let value = match (self.holds, self.breaks) {
            (Some(holds), Some(breaks)) if self.axis.close(holds, breaks) => None,
            (Some(holds), Some(breaks)) => Some(self.axis.between(holds, breaks)),
            (Some(last), None) => Some(self.axis.beyond(last, self.axis.up_is_worse)),
            (None, Some(last)) => Some(self.axis.beyond(last, !self.axis.up_is_worse)),
            (None, None) => None,
        };
        // A value that was tried already has nothing new to say: the end of the range, or of its unit.
        self.asked = value.filter(|it| Some(*it) != self.holds && Some(*it) != self.breaks);
        self.ended = self.asked.is_none();
        self.asked
    }

    /// Whether it held at the value that was asked for last.
    pub fn take(&mut self, holds: bool) {
        let side = if holds { &mut self.holds } else { &mut self.breaks };
        *side = self.asked.or(*side);
    }

    /// The value that was asked for last cannot be simulated.
    pub fn refuse(&mut self) {
        self.ended = true;
    }

    /// What is known now.
    pub fn found(&self) -> Found {
        match (self.holds, self.breaks) {
            (Some(holds_at), Some(breaks_at)) => Found::Between { holds_at, breaks_at },
            (one, other) => Found::NotWithin { to: one.or(other).unwrap_or(self.axis.current) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AXIS: Axis = Axis {
        current: 100.0,
        low: 0.0,
        high: 10_000.0,
        step: 1.0,
        whole: false,
        up_is_worse: true,
    };

    #[track_caller]
    fn search(axis: Axis, holds: impl Fn(f64) -> bool) -> (Found, u32) {
        let mut search = Search::new(axis, holds(axis.current));
        let mut runs = 0;
        while let Some(value) = search.ask() {
            assert!(value >= axis.low && value <= axis.high, "{value}");
            search.take(holds(value));
            runs += 1;
            assert!(runs < 40, "it does not end");
        }
        (search.found(), runs)
    }

    #[track_caller]
    fn check(axis: Axis, limit: f64, holds: impl Fn(f64) -> bool) {
        let (Found::Between { holds_at, breaks_at }, runs) = search(axis, &holds) else {
            panic!("it breaks at {limit}");
        };
        assert!(holds(holds_at) && !holds(breaks_at));
        let (least, most) = (holds_at.min(breaks_at), holds_at.max(breaks_at));
        assert!(least <= limit && most >= limit, "{least} to {most}");
        assert!(most - least <= (most * TOLERANCE).max(1.0), "{least} to {most}");
        assert!(runs < 20, "{runs} runs");
    }

    #[test]
    fn the_limit_lies_in_a_narrow_gap() {
        for limit in [101.0, 777.0, 9999.0] {
            check(AXIS, limit, |it| it <= limit);
        }
        // Broken already: the same search the other way.
        for limit in [0.5, 3.0, 42.0] {
            check(AXIS, limit, |it| it <= limit);
        }
        let down = Axis { up_is_worse: false, low: 1.0, ..AXIS };
        check(down, 12.0, |it| it >= 12.0);
        check(down, 3000.0, |it| it >= 3000.0);
        let whole = Axis { whole: true, current: 0.0, ..AXIS };
        check(whole, 2000.0, |it| it <= 2000.0);
    }

    #[test]
    fn a_knob_that_changes_nothing_is_tried_to_its_end() {
        assert_eq!(search(AXIS, |_| true).0, Found::NotWithin { to: 10_000.0 });
        assert_eq!(search(AXIS, |_| false).0, Found::NotWithin { to: 0.0 });
    }
}
