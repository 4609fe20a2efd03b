//! Scales of a plot: which numbers stand at an axis, and where.
//!
//! Ticks are round numbers of one unit, which the axis title names: seconds to days for times,
//! thousands to trillions for counts, powers of two of a byte for sizes. Bounds and shares lie by
//! their logarithms, since what matters of them spans many powers of ten; each tick has its unit.

use super::axis::{ByteAxis, TICK_SIZE};
use super::text::{self, Face};
use crate::units::grouped;

/// What an axis measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    /// Whole seconds.
    Time,
    /// Whole milliseconds of a run.
    Span,
    /// Whole numbers of something.
    Count,
    /// Bytes.
    Size,
    /// Whole milliseconds, by the logarithm.
    Bound,
    /// Whole parts of ten million, by the logarithm.
    Share,
}

/// Parts of a whole that a share is counted in.
pub const SHARE_PARTS: u64 = 10_000_000;

/// A scale from 0, linear or by the logarithm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scale {
    /// The value at the end.
    pub end: u64,
    /// The unit of the labels; empty for plain counts.
    pub unit: &'static str,
    /// Values and their labels.
    pub ticks: Vec<(u64, String)>,
    /// Whether places go by the logarithm of one more than the value, so that 0 has one.
    is_log: bool,
}

/// The most ticks at an axis.
const TICKS_MAX: u64 = 9;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// Units of time, the longest first, each from twice its length on.
const TIMES: [(u64, &str); 4] = [(DAY, "d"), (HOUR, "h"), (MINUTE, "min"), (1, "s")];
/// The same in milliseconds.
const SPANS: [(u64, &str); 5] =
    [(DAY * 1000, "d"), (HOUR * 1000, "h"), (MINUTE * 1000, "min"), (1000, "s"), (1, "ms")];
/// Ticks of bounds [ms].
const BOUNDS: [u64; 13] = [
    0,
    1,
    10,
    100,
    1_000,
    10_000,
    60_000,
    600_000,
    3_600_000,
    21_600_000,
    86_400_000,
    864_000_000,
    8_640_000_000,
];
/// Ticks of shares, in parts of ten million.
const SHARES: [(u64, &str); 8] = [
    (0, "0"),
    (10, "0.0001 %"),
    (100, "0.001 %"),
    (1_000, "0.01 %"),
    (10_000, "0.1 %"),
    (100_000, "1 %"),
    (1_000_000, "10 %"),
    (SHARE_PARTS, "100 %"),
];

/// Units of counts, the largest first.
const COUNTS: [(u64, &str); 5] = [
    (1_000_000_000_000, "trillion"),
    (1_000_000_000, "billion"),
    (1_000_000, "million"),
    (1_000, "thousand"),
    (1, ""),
];

impl Scale {
    /// A scale up to `largest` over `length` px, whose labels stand side by side or below each other.
    pub fn new(quantity: Quantity, largest: u64, length: i32, side_by_side: bool) -> Self {
        let largest = largest.max(1);
        if quantity == Quantity::Size {
            let axis = ByteAxis::new(largest, 0, length);
            let tick = |at: u64, text: &str| (at, text.to_owned());
            let step = axis.step;
            let ticks = axis.ticks.iter().zip(0..).map(|(t, i)| tick(i * step, &t.text)).collect();
            return Self { end: axis.end, unit: axis.unit, ticks, is_log: false };
        }
        if let Quantity::Bound | Quantity::Share = quantity {
            return Self::by_logarithm(quantity, largest, length, side_by_side);
        }
        let (units, least): (&[(u64, &'static str)], u64) = match quantity {
            Quantity::Time => (&TIMES, 2),
            Quantity::Span => (&SPANS, 2),
            _ => (&COUNTS, 1),
        };
        let (one, unit) = units
            .iter()
            .copied()
            .find(|(one, _)| largest / least >= *one)
            .unwrap_or((1, units[units.len() - 1].1));
        let mut scale = Self { end: largest, unit, ticks: Vec::new(), is_log: false };
        for step in steps(quantity, one).filter(|step| largest / step < TICKS_MAX) {
            scale.ticks = (0..=largest / step).map(|i| (i * step, label(i * step, one))).collect();
            if scale.has_room(length, side_by_side) {
                break;
            }
        }
        scale
    }

    fn by_logarithm(quantity: Quantity, largest: u64, length: i32, side_by_side: bool) -> Self {
        let known: Vec<(u64, String)> = if quantity == Quantity::Bound {
            BOUNDS.iter().map(|ms| (*ms, ms_in_words(*ms))).collect()
        } else {
            SHARES.iter().map(|(parts, text)| (*parts, (*text).to_owned())).collect()
        };
        // A share is read off between two labels; a bound may end anywhere.
        let end = match known.iter().find(|(value, _)| *value >= largest) {
            Some((value, _)) if quantity == Quantity::Share => *value,
            _ => largest,
        };
        let mut scale = Self { end, unit: "", ticks: Vec::new(), is_log: true };
        for (value, text) in known.into_iter().filter(|(value, _)| *value <= end) {
            let half = |text: &str| text::width(text, Face::Sans, TICK_SIZE) / 2;
            let has_room = scale.ticks.last().is_none_or(|(before, name)| {
                let apart = scale.place(value, length) - scale.place(*before, length);
                apart >= if side_by_side { half(name) + half(&text) + 12 } else { 24 }
            });
            if has_room {
                scale.ticks.push((value, text));
            }
        }
        scale
    }

    /// The pixel of a value, from 0 to `length`.
    pub fn place(&self, value: u64, length: i32) -> i32 {
        if self.is_log {
            let part = libm::log1p(value.min(self.end) as f64) / libm::log1p(self.end as f64);
            return (part * f64::from(length)).round() as i32;
        }
        (value.min(self.end) as f64 / self.end as f64 * f64::from(length)).round() as i32
    }

    fn has_room(&self, length: i32, side_by_side: bool) -> bool {
        let apart = |pair: &[(u64, String)]| self.place(pair[1].0 - pair[0].0, length);
        let need = |pair: &[(u64, String)]| {
            if !side_by_side {
                return 24;
            }
            let half = |text: &str| text::width(text, Face::Sans, TICK_SIZE) / 2;
            half(&pair[0].1) + half(&pair[1].1) + 12
        };
        self.ticks.windows(2).all(|pair| apart(pair) >= need(pair))
    }
}

/// Round steps, from the finest on, in whole seconds or ones. Counts go below their unit in tenths.
fn steps(quantity: Quantity, one: u64) -> impl Iterator<Item = u64> {
    let first: &[u64] = match (quantity, one) {
        (Quantity::Time, 1 | MINUTE) => &[1, 2, 5, 10, 15, 30, 60],
        (Quantity::Time, HOUR) => &[1, 2, 3, 6, 12, 24],
        (Quantity::Span, one) if one == MINUTE * 1000 => &[1, 2, 5, 10, 15, 30, 60],
        (Quantity::Span, one) if one == HOUR * 1000 => &[1, 2, 3, 6, 12, 24],
        _ => &[],
    };
    let has_tenths = quantity == Quantity::Count || (quantity, one) == (Quantity::Span, 1000);
    let base = if has_tenths { (one / 10).max(1) } else { one };
    let decades =
        (0..19).flat_map(|power| [1, 2, 5].map(|n| 10_u64.checked_pow(power).map(|d| d * n)));
    let own: Vec<u64> = first.iter().map(|n| n * base).collect();
    let last = own.last().copied().unwrap_or(0);
    own.into_iter().chain(
        decades.flatten().filter_map(move |n| n.checked_mul(base)).filter(move |n| *n > last),
    )
}

/// A value in a unit, with one decimal where it is no whole number of it.
fn label(value: u64, one: u64) -> String {
    match (value / one, value % one * 10 / one) {
        (whole, 0) => whole.to_string(),
        (whole, tenths) => format!("{whole}.{tenths}"),
    }
}

/// A length of time to three figures in the unit a person would say, as in `1.5 h`.
pub fn time_in_words(seconds: u64) -> String {
    let (one, unit) = TIMES.iter().copied().find(|(one, _)| seconds >= *one).unwrap_or((1, "s"));
    let value = seconds as f64 / one as f64;
    let digits = match value {
        v if v >= 99.95 => 0,
        v if v >= 9.995 => 1,
        _ => 2,
    };
    let text = format!("{value:.digits$}");
    let text = if digits > 0 { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text} {unit}")
}

/// A length of time to the millisecond, in the largest unit that it is a whole number of.
pub fn ms_in_words(ms: u64) -> String {
    let whole = [(DAY * 1000, "d"), (HOUR * 1000, "h"), (MINUTE * 1000, "min")];
    if let Some((one, unit)) = whole.iter().find(|(one, _)| ms >= *one && ms.is_multiple_of(*one)) {
        return format!("{} {unit}", ms / one);
    }
    if ms < 1000 {
        return format!("{ms} ms");
    }
    let seconds = grouped(i64::try_from(ms / 1000).unwrap_or(i64::MAX));
    match ms % 1000 {
        0 => format!("{seconds} s"),
        rest => format!("{seconds}.{} s", format!("{rest:03}").trim_end_matches('0')),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(quantity: Quantity, largest: u64, length: i32, want: &str) {
        let scale = Scale::new(quantity, largest, length, true);
        let labels: Vec<_> = scale.ticks.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(format!("{} {}", labels.join(" "), scale.unit).trim_end(), want);
    }

    #[test]
    fn times_have_round_ticks_of_one_unit() {
        check(Quantity::Time, 86_400, 700, "0 3 6 9 12 15 18 21 24 h");
        check(Quantity::Time, 86_400, 160, "0 6 12 18 24 h");
        check(Quantity::Time, 90, 700, "0 15 30 45 60 75 90 s");
        check(Quantity::Time, 30 * DAY, 700, "0 5 10 15 20 25 30 d");
        check(Quantity::Time, 5 * MINUTE, 700, "0 1 2 3 4 5 min");
        check(Quantity::Time, 1, 700, "0 1 s");
    }

    #[test]
    fn spans_of_a_run_are_told_in_milliseconds_seconds_or_more() {
        check(Quantity::Span, 1_500, 700, "0 200 400 600 800 1000 1200 1400 ms");
        check(Quantity::Span, 2_500, 700, "0 0.5 1 1.5 2 2.5 s");
        check(Quantity::Span, 60_000, 700, "0 10 20 30 40 50 60 s");
        check(Quantity::Span, 600_000, 700, "0 2 4 6 8 10 min");
        check(Quantity::Span, 4 * 3_600_000, 700, "0 1 2 3 4 h");
    }

    #[test]
    fn counts_have_round_ticks_of_one_unit() {
        check(Quantity::Count, 16, 700, "0 2 4 6 8 10 12 14 16");
        check(Quantity::Count, 720_000, 700, "0 100 200 300 400 500 600 700 thousand");
        check(Quantity::Count, 1_234_567, 700, "0 0.2 0.4 0.6 0.8 1 1.2 million");
        check(Quantity::Count, 3, 700, "0 1 2 3");
        check(Quantity::Count, u64::MAX, 200, "0 10000000 trillion");
    }

    #[test]
    fn sizes_have_the_ticks_of_the_memory_bar() {
        check(Quantity::Size, 512 << 20, 900, "0 128 256 384 512 MiB");
        let scale = Scale::new(Quantity::Size, 512 << 20, 900, true);
        assert_eq!(scale.ticks[4].0, 512 << 20);
    }

    #[test]
    fn bounds_and_shares_lie_by_their_logarithms() {
        check(Quantity::Bound, 30_000, 700, "0 ms 1 ms 10 ms 100 ms 1 s 10 s");
        check(Quantity::Bound, 30_000, 200, "0 ms 10 ms 1 s 10 s");
        let scale = Scale::new(Quantity::Share, 40_000, 240, false);
        assert_eq!(scale.end, 100_000, "up to the next label");
        assert_eq!(scale.ticks.last().map(|(_, text)| text.as_str()), Some("1 %"));
        let place = |value| scale.place(value, 1000);
        assert_eq!((place(0), place(100_000), place(u64::MAX)), (0, 1000, 1000));
        assert_eq!(place(9_999) - place(999), place(99_999) - place(9_999));
    }

    #[test]
    fn milliseconds_are_said_exactly() {
        for (ms, words) in [
            (0, "0 ms"),
            (999, "999 ms"),
            (1_250, "1.25 s"),
            (59_987, "59.987 s"),
            (60_000, "1 min"),
            (61_000, "61 s"),
            (7_200_000, "2 h"),
            (172_800_000, "2 d"),
        ] {
            assert_eq!(ms_in_words(ms), words);
        }
    }

    #[test]
    fn times_are_said_in_one_unit() {
        for (seconds, words) in [
            (0, "0 s"),
            (59, "59 s"),
            (90, "1.5 min"),
            (3600, "1 h"),
            (86_400, "1 d"),
            (100_000, "1.16 d"),
        ] {
            assert_eq!(time_in_words(seconds), words);
        }
    }
}
