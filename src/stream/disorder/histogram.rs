//! How many values lie above a bound: exact while there are few distinct ones, and within 0.1 %
//! after.
//!
//! Values up to a limit have a counter each. Above it, a number of distinct values are kept as they
//! are; beyond that number they fall into 1024 buckets for each power of two. A bucket stands for
//! its greatest value, so a bound read from it is at most 1/1024 too high and never too low. The
//! result depends on the values only, not on their order nor on how histograms were merged.
//!
//! Source: none of Flink's; the buckets are those of HdrHistogram with 10 bits of precision.

use std::collections::BTreeMap;

/// Values below are exact in a [`Histogram::wide`] one: 17 minutes [ms].
pub const WIDE_EXACT_BELOW: u64 = 1 << 20;
/// The most distinct values above the limit that are kept as they are.
const DISTINCT: usize = 4096;
const WIDE_DISTINCT: usize = 1 << 16;
/// How much too high a value of a bucket is at most, as a share of it.
pub const RELATIVE_ERROR: f64 = 1.0 / PER_OCTAVE as f64;

const PER_OCTAVE: u64 = 1 << PRECISION;
const PRECISION: u32 = 10;
/// Up to here a bucket of [`PER_OCTAVE`] is one millisecond wide, so the values are exact anyway.
const LOW: u64 = 2 * PER_OCTAVE;

/// Counts of values; those of 0 and below are one count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Histogram {
    /// Values below have a counter each, and are exact.
    exact_below: u64,
    /// How many distinct ones above are kept as they are.
    distinct: usize,
    count: u64,
    not_positive: u64,
    max: u64,
    /// Of each value below the limit.
    low: Vec<u64>,
    /// Values from the limit on, as long as there are few.
    values: BTreeMap<u64, u64>,
    /// The same once there are many; empty before.
    buckets: Vec<u64>,
}

impl Default for Histogram {
    /// Exact below 2048 and for 4096 distinct values above: small enough to have many.
    fn default() -> Self {
        Self::new(LOW, DISTINCT)
    }
}

impl Histogram {
    /// Exact below [`WIDE_EXACT_BELOW`] and for 65 536 distinct values above; up to 8 MiB.
    pub fn wide() -> Self {
        Self::new(WIDE_EXACT_BELOW, WIDE_DISTINCT)
    }

    fn new(exact_below: u64, distinct: usize) -> Self {
        let (low, values, buckets) = (Vec::new(), BTreeMap::new(), Vec::new());
        Self { exact_below, distinct, count: 0, not_positive: 0, max: 0, low, values, buckets }
    }

    /// Counts a value.
    pub fn add(&mut self, value: i64) {
        self.count += 1;
        match u64::try_from(value) {
            Ok(value) if value > 0 => {
                self.max = self.max.max(value);
                self.put(value, 1);
            }
            _ => self.not_positive += 1,
        }
    }

    /// Counts all values of another histogram of the same width too.
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.not_positive += other.not_positive;
        self.max = self.max.max(other.max);
        for (value, count) in (0_u64..).zip(&other.low).filter(|(_, count)| **count > 0) {
            self.put(value, *count);
        }
        other.values.iter().for_each(|(value, count)| self.put(*value, *count));
        if !other.is_exact() {
            self.spill();
        }
        for (at, count) in other.buckets.iter().enumerate().filter(|(_, count)| **count > 0) {
            *counter(&mut self.buckets, at) += count;
        }
    }

    fn put(&mut self, value: u64, count: u64) {
        if value < self.exact_below {
            *counter(&mut self.low, value as usize) += count;
        } else if self.is_exact() {
            *self.values.entry(value).or_default() += count;
            if self.values.len() > self.distinct {
                self.spill();
            }
        } else {
            *counter(&mut self.buckets, bucket(value)) += count;
        }
    }

    fn spill(&mut self) {
        for (value, count) in std::mem::take(&mut self.values) {
            *counter(&mut self.buckets, bucket(value)) += count;
        }
    }

    /// Values counted.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Values above 0.
    pub fn positive(&self) -> u64 {
        self.count - self.not_positive
    }

    /// The greatest value, exactly; 0 if none is above 0.
    pub fn max(&self) -> u64 {
        self.max
    }

    /// Whether every answer is exact.
    pub fn is_exact(&self) -> bool {
        self.buckets.is_empty()
    }

    /// Values above `bound`; those of a bucket that reaches above it count as above.
    pub fn above(&self, bound: u64) -> u64 {
        let up_to = |(value, count)| if value <= bound { count } else { 0 };
        self.positive() - self.entries().map(up_to).sum::<u64>()
    }

    /// [`Histogram::above`] for ascending bounds, in one pass.
    pub fn above_each(&self, bounds: &[u64]) -> Vec<u64> {
        let mut entries = self.entries().peekable();
        let mut above = self.positive();
        let count_above = |bound: &u64| {
            while let Some((_, count)) = entries.next_if(|(value, _)| value <= bound) {
                above -= count;
            }
            above
        };
        bounds.iter().map(count_above).collect()
    }

    /// The smallest bound that at least `wanted` values are not above; the greatest value if there
    /// are fewer than `wanted`.
    pub fn smallest_bound(&self, wanted: u64) -> u64 {
        let mut held = self.not_positive;
        if held >= wanted {
            return 0;
        }
        for (value, count) in self.entries() {
            held += count;
            if held >= wanted {
                return value;
            }
        }
        self.max
    }

    /// Positive values with their counts, ascending.
    fn entries(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let low = (0_u64..).zip(self.low.iter().copied());
        let values = self.values.iter().map(|(value, count)| (*value, *count));
        let buckets = self.buckets.iter().enumerate();
        let buckets = buckets.map(|(at, count)| (greatest(at).min(self.max), *count));
        low.chain(values).chain(buckets).filter(|(_, count)| *count > 0)
    }
}

fn counter(counts: &mut Vec<u64>, at: usize) -> &mut u64 {
    if at >= counts.len() {
        counts.resize(at + 1, 0);
    }
    &mut counts[at]
}

/// The bucket of a value from [`LOW`] on; the limits are powers of two, where buckets begin.
fn bucket(value: u64) -> usize {
    let shift = value.ilog2() - PRECISION;
    let octave = u64::from(shift - 1) * PER_OCTAVE;
    (octave + (value >> shift) - PER_OCTAVE) as usize
}

/// The greatest value of a bucket.
fn greatest(bucket: usize) -> u64 {
    let (octave, at) = (bucket as u64 / PER_OCTAVE, bucket as u64 % PER_OCTAVE);
    let shift = octave + 1;
    let least = u128::from(PER_OCTAVE + at) << shift;
    u64::try_from(least + (1 << shift) - 1).unwrap_or(u64::MAX)
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn histogram(values: &[i64]) -> Histogram {
        let mut histogram = Histogram::default();
        values.iter().for_each(|value| histogram.add(*value));
        histogram
    }

    #[test]
    fn every_value_lies_in_its_bucket_and_close_to_its_end() {
        let edges = (11..63).flat_map(|e| [1_u64 << e, (1 << e) + 1, (2 << e) - 1]);
        for value in edges.chain(2048..20_000).chain([i64::MAX as u64]) {
            let at = bucket(value);
            assert!(value <= greatest(at), "{value}");
            assert!(at == 0 || greatest(at - 1) < value, "{value}");
            assert!((greatest(at) - value) as f64 <= value as f64 * RELATIVE_ERROR, "{value}");
        }
    }

    #[test]
    fn a_wide_one_is_exact_below_its_limit_however_many_there_are() {
        let mut wide = Histogram::wide();
        (0..300_000).for_each(|at| wide.add(at * 3 + 5_000_000 * (at % 2)));
        assert!(!wide.is_exact());
        for bound in [2_999, 3_000, 500_001, WIDE_EXACT_BELOW - 1] {
            let brute = (0..300_000).filter(|at| at % 2 == 1 || at * 3 > bound as i64).count();
            assert_eq!(wide.above(bound), brute as u64, "{bound}");
        }
    }

    #[test]
    fn many_distinct_values_are_told_within_the_error() {
        let values: Vec<i64> = (0..20_000).map(|at| 3_000 + at * 7).collect();
        let histogram = histogram(&values);
        assert!(!histogram.is_exact());
        for wanted in [1, 100, 9_999, 19_998, 20_000] {
            let (exact, told) =
                (values[wanted - 1] as f64, histogram.smallest_bound(wanted as u64));
            assert!(told as f64 >= exact && told as f64 <= exact * (1.0 + RELATIVE_ERROR));
            assert!(histogram.count() - histogram.above(told) >= wanted as u64);
        }
        assert_eq!(histogram.smallest_bound(20_000), values[19_999] as u64);
        assert_eq!(histogram.above(values[19_999] as u64), 0);
    }

    fn values() -> impl Strategy<Value = Vec<i64>> {
        let value =
            prop_oneof![Just(0), -5_i64..50, 2_000_i64..2_100, 0_i64..1_000_000_000, any::<i64>(),];
        prop::collection::vec(value, 0..200)
    }

    proptest! {
        #[test]
        fn few_values_are_told_exactly(values in values(), bounds in prop::collection::vec(0_u64..3_000, 5)) {
            let histogram = histogram(&values);
            prop_assert!(histogram.is_exact());
            let mut bounds = bounds;
            bounds.extend(values.iter().filter_map(|it| u64::try_from(*it).ok()));
            bounds.sort_unstable();
            let brute = |bound: u64| values.iter().filter(|it| i128::from(**it) > i128::from(bound)).count() as u64;
            let want: Vec<u64> = bounds.iter().map(|it| brute(*it)).collect();
            prop_assert_eq!(histogram.above_each(&bounds), want.clone());
            prop_assert_eq!(bounds.iter().map(|it| histogram.above(*it)).collect::<Vec<_>>(), want);
            for wanted in 0..=values.len() as u64 {
                let bound = histogram.smallest_bound(wanted);
                prop_assert!(values.len() as u64 - brute(bound) >= wanted);
                prop_assert!(bound == 0 || values.len() as u64 - brute(bound - 1) < wanted);
            }
        }

        #[test]
        fn merging_is_counting_all(parts in prop::collection::vec(values(), 1..5), spilled in any::<bool>()) {
            let mut parts = parts;
            if spilled {
                parts.push((0..5_000).map(|at| at * 1_000).collect());
            }
            let mut merged = Histogram::default();
            parts.iter().rev().for_each(|part| merged.merge(&histogram(part)));
            let whole = histogram(&parts.concat());
            prop_assert_eq!(whole.is_exact(), !spilled);
            let bounds: Vec<u64> = (0..200).map(|at| at * 7_001).collect();
            prop_assert_eq!(merged.above_each(&bounds), whole.above_each(&bounds));
            prop_assert_eq!((merged.count(), merged.positive(), merged.max()), (whole.count(), whole.positive(), whole.max()));
        }
    }
}
