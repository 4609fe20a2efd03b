//! How does Flink multiply a size by a fraction and keep it in a range?
//!
//! A product is exact in decimal (the size times the shortest decimal of the double) and truncated
//! toward zero; doing it in floating point gives other bytes.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `MemorySize#multiply`, `RangeFraction`,
//! `ProcessMemoryUtils#deriveWithFraction`, `#deriveWithInverseFraction`, `#capToMinMax`.

use super::error::MemoryError;
use super::report::Origin;
use crate::units::Bytes;

/// A size and what decided it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sized {
    /// The size.
    pub bytes: Bytes,
    /// What decided it.
    pub origin: Origin,
    /// What the fraction gave before the range was applied, where a fraction was used.
    pub unclamped: Option<Bytes>,
}

impl Sized {
    /// A size that no fraction gave.
    pub const fn new(bytes: Bytes, origin: Origin) -> Self {
        Self { bytes, origin, unclamped: None }
    }

    /// What the other components left over.
    pub const fn remainder(bytes: Bytes) -> Self {
        Self::new(bytes, Origin::Remainder)
    }
}

/// A fraction with the range its result is kept in; once built, `min <= max` and `0 <= f < 1`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RangeFraction {
    /// The least result.
    pub min: Bytes,
    /// The largest result.
    pub max: Bytes,
    /// The fraction, a 32-bit float widened to 64 bits.
    pub fraction: f64,
}

impl RangeFraction {
    /// The fraction of a known whole.
    pub fn of(&self, whole: Bytes) -> Result<Sized, MemoryError> {
        Ok(self.clamp(multiply(whole, self.fraction)?))
    }

    /// The fraction of a whole of which everything else, `rest`, is known.
    pub fn beside(&self, rest: Bytes) -> Result<Sized, MemoryError> {
        Ok(self.clamp(multiply(rest, self.fraction / (1.0 - self.fraction))?))
    }

    /// Flink looks at the maximum first.
    fn clamp(&self, size: Bytes) -> Sized {
        let (bytes, origin) = if size > self.max {
            (self.max, Origin::ClampedToMax)
        } else if size < self.min {
            (self.min, Origin::ClampedToMin)
        } else {
            (size, Origin::Fraction)
        };
        Sized { bytes, origin, unclamped: Some(size) }
    }

    /// Whether a size that was not derived from the fraction lies in the range.
    pub fn contains(&self, size: Bytes) -> bool {
        self.min <= size && size <= self.max
    }
}

/// `size * factor`, exact in decimal and truncated toward zero; `factor` is finite and not negative.
pub fn multiply(size: Bytes, factor: f64) -> Result<Bytes, MemoryError> {
    // Rust's `{:e}` is the shortest decimal that reads back, as the JDK's `Double.toString` is.
    // The absolute value only turns -0.0, which Flink accepts as a fraction, into 0.0.
    let text = format!("{:e}", factor.abs());
    let (significand, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (whole, decimals) = significand.split_once('.').unwrap_or((significand, ""));
    let mantissa: u128 =
        format!("{whole}{decimals}").parse().map_err(|_| MemoryError::overflow())?;
    let exponent: i32 = exponent.parse().map_err(|_| MemoryError::overflow())?;
    // At most 17 digits times 63 bits: below 2^120.
    let product = mantissa * u128::from(size.get().unsigned_abs());
    let shift = exponent - i32::try_from(decimals.len()).unwrap_or(0);
    let power = 10_u128.checked_pow(shift.unsigned_abs());
    let scaled = match (shift < 0, power) {
        (true, Some(power)) => Some(product / power),
        (true, None) => Some(0),
        (false, Some(power)) => product.checked_mul(power),
        (false, None) => (product == 0).then_some(0),
    };
    scaled
        .and_then(|bytes| i64::try_from(bytes).ok())
        .map(Bytes::new)
        .ok_or_else(MemoryError::overflow)
}

/// The checked sum of some sizes.
pub fn sum(sizes: &[Bytes]) -> Result<Bytes, MemoryError> {
    sizes
        .iter()
        .try_fold(Bytes::ZERO, |total, size| total.checked_add(*size))
        .ok_or_else(MemoryError::overflow)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_exact_decimals() {
        let tenth = f64::from(0.1_f32);
        assert_eq!(multiply(Bytes::mib(1280), tenth).unwrap(), Bytes::new(134_217_730));
        assert_eq!(
            multiply(Bytes::mib(1280), f64::from(0.4_f32)).unwrap(),
            Bytes::new(536_870_920)
        );
        assert_eq!(multiply(Bytes::new(999), 1e-300).unwrap(), Bytes::ZERO);
        assert_eq!(multiply(Bytes::new(7), 0.0).unwrap(), Bytes::ZERO);
        assert_eq!(multiply(Bytes::new(7), -0.0).unwrap(), Bytes::ZERO);
        assert!(multiply(Bytes::MAX, 1.1).is_err());
        assert!(multiply(Bytes::new(1), 1e300).is_err());
    }

    #[test]
    fn the_maximum_is_looked_at_first() {
        let range = RangeFraction { min: Bytes::mib(64), max: Bytes::mib(64), fraction: 0.5 };
        assert_eq!(range.of(Bytes::gib(1)).unwrap().origin, Origin::ClampedToMax);
        assert_eq!(range.of(Bytes::mib(1)).unwrap().origin, Origin::ClampedToMin);
    }
}
