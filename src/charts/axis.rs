//! An axis of bytes: where the ticks lie and what they say.
//!
//! Steps are powers of two of a byte, as memory is bought and set, so every tick is a round
//! number of KiB, MiB or GiB with at most two decimals.

use super::text::{self, Face};
use crate::units::grouped;

/// Units of an axis, smallest first; the same as those of [`crate::units::Bytes`].
const UNITS: [&str; 7] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

/// The font size of tick labels (px).
pub const TICK_SIZE: u32 = 11;

/// Free space between two tick labels (px).
const TICK_GAP: i32 = 12;

/// A linear axis from 0 bytes to the right.
#[derive(Debug, Clone, PartialEq)]
pub struct ByteAxis {
    /// Bytes at the right end.
    pub end: u64,
    /// Pixel of 0 bytes.
    pub x0: i32,
    /// Pixel of [`Self::end`].
    pub x1: i32,
    /// The unit of the tick labels, for the axis title.
    pub unit: &'static str,
    /// Bytes from one tick to the next.
    pub step: u64,
    /// Ticks from left to right.
    pub ticks: Vec<Tick>,
}

/// A tick of an axis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tick {
    /// Its pixel.
    pub x: i32,
    /// Its label, in the axis' unit.
    pub text: String,
}

impl ByteAxis {
    /// An axis for sizes up to `largest`, which it passes by a fiftieth, between two pixels.
    pub fn new(largest: u64, x0: i32, x1: i32) -> Self {
        let end = largest.saturating_add((largest / 50).max(1));
        let power = unit_of(largest);
        let unit = UNITS[power as usize];
        let mut axis = Self { end, x0, x1, unit, step: end, ticks: Vec::new() };
        // Four to eight steps; twice as far apart where the labels would touch.
        let mut step = 1_u64 << (63 - (end / 4).max(1).leading_zeros());
        loop {
            axis.step = step;
            axis.ticks = axis.ticks_every(step, power);
            if axis.has_room() || step > end {
                return axis;
            }
            step = step.saturating_mul(2);
        }
    }

    /// The pixel of a size; sizes beyond the end lie on the end.
    pub fn x(&self, bytes: u64) -> i32 {
        let part = bytes.min(self.end) as f64 / self.end as f64;
        self.x0 + (part * f64::from(self.x1 - self.x0)).round() as i32
    }

    fn ticks_every(&self, step: u64, power: u32) -> Vec<Tick> {
        let tick = |bytes| Tick { x: self.x(bytes), text: decimal(bytes, power) };
        (0..=self.end / step).map(|i| tick(i * step)).collect()
    }

    fn has_room(&self) -> bool {
        let half = |tick: &Tick| text::width(&tick.text, Face::Sans, TICK_SIZE) / 2 + TICK_GAP / 2;
        self.ticks.windows(2).all(|pair| pair[0].x + half(&pair[0]) <= pair[1].x - half(&pair[1]))
    }
}

/// The index of the largest unit that `bytes` reaches.
fn unit_of(bytes: u64) -> u32 {
    (0..UNITS.len() as u32 - 1).find(|power| bytes >> (10 * power) < 1024).unwrap_or(4)
}

/// `bytes` in a unit with up to two decimals, without trailing zeros.
fn decimal(bytes: u64, power: u32) -> String {
    let hundredths = (u128::from(bytes) * 100) >> (10 * power);
    let (whole, rest) = ((hundredths / 100) as i64, hundredths % 100);
    let whole = grouped(whole);
    match rest {
        0 => whole,
        r if r % 10 == 0 => format!("{whole}.{}", r / 10),
        r => format!("{whole}.{r:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(largest: u64, width: i32, want: &str) {
        let axis = ByteAxis::new(largest, 0, width);
        let ticks: Vec<_> = axis.ticks.iter().map(|tick| tick.text.as_str()).collect();
        assert_eq!(format!("{} {}", ticks.join(" "), axis.unit), want);
    }

    #[test]
    fn ticks_are_round_numbers_of_the_unit() {
        check(1_811_939_328, 900, "0 0.25 0.5 0.75 1 1.25 1.5 GiB");
        check(1_811_939_328, 200, "0 0.5 1 1.5 GiB");
        check(536_870_912, 900, "0 128 256 384 512 MiB");
        check(1000 << 20, 900, "0 128 256 384 512 640 768 896 MiB");
        check(40 << 30, 900, "0 8 16 24 32 40 GiB");
        check(1, 900, "0 1 2 B");
        check(u64::MAX, 250, "0 8\u{202f}388\u{202f}608 TiB");
    }

    #[test]
    fn sizes_lie_between_the_ends() {
        let axis = ByteAxis::new(1000, 10, 110);
        assert_eq!((axis.x(0), axis.x(510), axis.x(1020), axis.x(u64::MAX)), (10, 60, 110, 110));
    }
}
