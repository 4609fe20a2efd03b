//! Random numbers that are the same on every machine and for ever.
//!
//! Integers come from SplitMix64, which is the generator of `java.util.SplittableRandom` with its
//! standard increment. Doubles are built with operations that IEEE 754 rounds correctly (`+ - * /`
//! and `sqrt`); the logarithm and the exponential are those of the `libm` crate, whose code is the
//! same natively and in wasm, where those of std are not.
//!
//! Source: Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014; the polar
//! method of Marsaglia and Bray, 1964.

/// A sequence of random numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Random {
    state: u64,
}

/// What a sequence decides. Each purpose draws from a sequence of its own, so that another law of
/// delays leaves keys and values as they were.
#[derive(Debug, Clone, Copy)]
pub enum Purpose {
    /// Keys.
    Key = 1,
    /// Delays.
    Delay,
    /// Values.
    Value,
    /// Which records are sent twice, and when.
    Duplicate,
}

const INCREMENT: u64 = 0x9e37_79b9_7f4a_7c15;

impl Random {
    /// The sequence of a seed for one purpose.
    pub fn new(seed: u32, purpose: Purpose) -> Self {
        // Mixed first: neighbouring seeds would otherwise be the same sequence some steps on.
        let start = mix(u64::from(seed) << 8 | purpose as u64);
        Self { state: start }
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(INCREMENT);
        mix(self.state)
    }

    /// A double of 53 random bits, from 0 and below 1.
    pub fn unit(&mut self) -> f64 {
        const STEP: f64 = 1.0 / (1_u64 << 53) as f64;
        (self.bits() >> 11) as f64 * STEP
    }

    /// The logarithm of a number above 0 and up to 1: minus a standard exponential.
    pub fn log_unit(&mut self) -> f64 {
        libm::log(1.0 - self.unit())
    }

    /// A whole number below `count`, each as likely as the other to 1 part in 2^53 / `count`.
    pub fn below(&mut self, count: u64) -> u64 {
        // The product may round up to `count` itself only above 2^53, which no caller asks for.
        ((self.unit() * count as f64) as u64).min(count.saturating_sub(1))
    }

    /// A number of the standard normal distribution.
    pub fn normal(&mut self) -> f64 {
        loop {
            let (x, y) = (2.0 * self.unit() - 1.0, 2.0 * self.unit() - 1.0);
            let square = x * x + y * y;
            if square > 0.0 && square < 1.0 {
                return x * (-2.0 * libm::log(square) / square).sqrt();
            }
        }
    }
}

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bits_are_those_of_split_mix() {
        // The first outputs for the state 1234567, as in the reference implementation in C.
        let mut random = Random { state: 1_234_567 };
        let want = [
            6_457_827_717_110_365_317_u64,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        assert_eq!(want.map(|_| random.bits()), want);
    }

    #[test]
    fn the_normal_distribution_has_its_moments() {
        let mut random = Random::new(1, Purpose::Delay);
        let all: Vec<f64> = (0..200_000).map(|_| random.normal()).collect();
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        let square = all.iter().map(|x| x * x).sum::<f64>() / all.len() as f64;
        assert!(mean.abs() < 0.01 && (square - 1.0).abs() < 0.02, "{mean} {square}");
        let within = all.iter().filter(|x| x.abs() < 1.0).count() as f64 / all.len() as f64;
        assert!((within - 0.6827).abs() < 0.005, "{within}");
    }

    #[test]
    fn every_number_below_a_count_comes_up() {
        let mut random = Random::new(7, Purpose::Key);
        let mut seen = [0_u32; 10];
        (0..100_000).for_each(|_| seen[random.below(10) as usize] += 1);
        assert!(seen.iter().all(|count| (9_500..10_500).contains(count)), "{seen:?}");
        assert_eq!(random.below(1), 0);
    }

    #[test]
    fn purposes_and_seeds_do_not_share_a_sequence() {
        let first = |seed, purpose| Random::new(seed, purpose).bits();
        let all = [
            first(0, Purpose::Key),
            first(0, Purpose::Delay),
            first(1, Purpose::Key),
            first(1, Purpose::Delay),
        ];
        let mut distinct = all.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), all.len());
    }
}
