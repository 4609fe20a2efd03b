//! Exponential and normal distribution from `+ - * /` alone, so that every machine gives the same
//! bits.
//!
//! Source: none of Flink's. Taylor series after halving; Abramowitz and Stegun 7.1.26 for the error
//! function, wrong by at most 1.5e-7.

/// Halvings before the series: 2^-10 of at most 700 is below 0.7.
const HALVINGS: u32 = 10;
/// Terms of the series: 0.7^19 / 19! is below one bit of a double.
const TERMS: u32 = 18;
/// Beyond this e^-x is nothing to any count of keys.
const FLAT: f64 = 700.0;

/// e^-x for x >= 0; 1 for anything below.
pub fn exp_minus(x: f64) -> f64 {
    if x.is_nan() || x <= 0.0 {
        return 1.0;
    }
    if x > FLAT {
        return 0.0;
    }
    let small = x / f64::from(1_u32 << HALVINGS);
    let (mut sum, mut term) = (1.0, 1.0);
    for n in 1..=TERMS {
        term *= small / f64::from(n);
        sum += term;
    }
    let mut power = 1.0 / sum;
    for _ in 0..HALVINGS {
        power *= power;
    }
    power
}

/// The chance that a normal variable is at least `z` standard deviations above its mean.
pub fn normal_above(z: f64) -> f64 {
    let x = z.abs() / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * x);
    let series = [1.061_405_429, -1.453_152_027, 1.421_413_741, -0.284_496_736, 0.254_829_592];
    let polynomial = series.iter().fold(0.0, |sum, factor| (sum + factor) * t);
    let tail = polynomial * exp_minus(x * x) / 2.0;
    if z >= 0.0 { tail } else { 1.0 - tail }
}

/// How many of `keys` are hit at least once by `expected` hits a key, Poisson.
pub fn hit_at_least_once(keys: f64, expected: f64) -> f64 {
    keys * (1.0 - exp_minus(expected))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_is_right_to_the_last_digits() {
        for (x, want) in [
            (0.0, 1.0),
            (0.25, 0.778_800_783_071_404_9),
            (1.0, 0.367_879_441_171_442_3),
            (3.0, 0.049_787_068_367_863_94),
            (50.0, 1.928_749_847_963_917_8e-22),
        ] {
            assert!((exp_minus(x) - want).abs() <= want * 1e-12, "{x}");
        }
        assert!(exp_minus(1e9) <= 0.0 && exp_minus(f64::NAN) >= 1.0);
    }

    #[test]
    fn the_normal_tail_is_right() {
        for (z, want) in [(0.0, 0.5), (1.0, 0.158_655_3), (-1.0, 0.841_344_7), (3.0, 0.001_349_9)] {
            assert!((normal_above(z) - want).abs() < 1e-6, "{z}");
        }
    }
}
