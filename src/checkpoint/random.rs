//! Seeded numbers for service times: SplitMix64, with exp and log of libm so that every machine
//! draws the same.
//!
//! Source: none of Flink's; service times are the user's assumption about the job.

use serde::{Deserialize, Serialize};

use super::time::SimTime;

/// A generator; equal seeds give equal numbers.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// The stream of numbers of a seed; `stream` keeps subtasks apart.
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut random = Self(seed ^ stream.wrapping_mul(0xD134_2543_DE82_EF95));
        random.next_bits();
        random
    }

    fn next_bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    /// Uniform in (0, 1].
    pub fn unit(&mut self) -> f64 {
        ((self.next_bits() >> 11) + 1) as f64 / (1_u64 << 53) as f64
    }
}

/// How long a record takes, for a mean.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum ServiceTime {
    /// Every record the same [µs].
    #[serde(rename_all = "camelCase")]
    Constant {
        /// The time [µs].
        mean_us: f64,
    },
    /// Memoryless [µs].
    #[serde(rename_all = "camelCase")]
    Exponential {
        /// The mean [µs].
        mean_us: f64,
    },
    /// Long-tailed [µs].
    #[serde(rename_all = "camelCase")]
    Lognormal {
        /// The mean [µs].
        mean_us: f64,
        /// The deviation of the logarithm.
        sigma: f64,
    },
}

/// What a subtask's records take: the same each, or what is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Service {
    /// Every record this.
    Constant(SimTime),
    /// Drawn for each.
    Drawn(ServiceTime),
}

impl From<ServiceTime> for Service {
    fn from(it: ServiceTime) -> Self {
        match it {
            ServiceTime::Constant { mean_us } => Self::Constant(SimTime::from_us(mean_us)),
            it => Self::Drawn(it),
        }
    }
}

impl ServiceTime {
    /// The time of the next record.
    pub fn draw(self, random: &mut Random) -> SimTime {
        match self {
            Self::Constant { mean_us } => SimTime::from_us(mean_us),
            Self::Exponential { mean_us } => SimTime::from_us(-mean_us * libm::log(random.unit())),
            Self::Lognormal { mean_us, sigma } => {
                let radius = libm::sqrt(-2.0 * libm::log(random.unit()));
                let normal = radius * libm::cos(std::f64::consts::TAU * random.unit());
                // Minus half the variance, so that the mean is the mean.
                SimTime::from_us(mean_us * libm::exp(sigma * normal - sigma * sigma / 2.0))
            }
        }
    }

    /// The mean [µs].
    pub fn mean_us(self) -> f64 {
        match self {
            Self::Constant { mean_us }
            | Self::Exponential { mean_us }
            | Self::Lognormal { mean_us, .. } => mean_us,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_distribution_has_the_mean_it_is_given() {
        for service in [
            ServiceTime::Constant { mean_us: 100.0 },
            ServiceTime::Exponential { mean_us: 100.0 },
            ServiceTime::Lognormal { mean_us: 100.0, sigma: 0.5 },
        ] {
            let mut random = Random::new(7, 1);
            let sum: u64 = (0..40_000).map(|_| service.draw(&mut random).as_ns()).sum();
            let mean = sum as f64 / 40_000_000.0;
            assert!((mean - 100.0).abs() < 2.0, "{service:?}: {mean} µs");
        }
    }
}
