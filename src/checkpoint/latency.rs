//! How long records take from source to sink.
//!
//! Some records carry the time at which their source emitted them, as Flink's LatencyMarkers do, but
//! wait for the operators as every record does. Times are counted in classes, so the room does not
//! grow with the run; a class is at most 1/32 of its time wide.
//!
//! Source: Flink 1.20.5, LatencyMarker (the time of emission, not that of the event).

use serde::Serialize;

use super::time::SimTime;

/// Classes for each power of two.
const CLASSES: u64 = 32;

/// Counts of times by class.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Histogram {
    counts: Vec<u64>,
    total: u64,
    max: SimTime,
}

impl Histogram {
    /// Counts a time.
    pub fn add(&mut self, time: SimTime) {
        let class = class_of(time.as_ns());
        if self.counts.len() <= class {
            self.counts.resize(class + 1, 0);
        }
        self.counts[class] += 1;
        self.total += 1;
        self.max = self.max.max(time);
    }

    /// What can be said of them; nothing where there are none.
    pub fn percentiles(&self) -> Option<LatencyPercentiles> {
        let at = |share: f64| {
            let rank = ((self.total as f64 * share).ceil() as u64).max(1);
            let mut seen = 0;
            let class = self.counts.iter().position(|count| {
                seen += count;
                seen >= rank
            });
            let end = end_of(class.unwrap_or(self.counts.len()));
            end.min(self.max.as_ns()) as f64 / 1e6
        };
        (self.total > 0).then(|| LatencyPercentiles {
            records: self.total,
            p50_ms: at(0.5),
            p95_ms: at(0.95),
            p99_ms: at(0.99),
            max_ms: self.max.as_ns() as f64 / 1e6,
        })
    }
}

fn class_of(ns: u64) -> usize {
    if ns < CLASSES {
        return ns as usize;
    }
    let power = u64::from(63 - ns.leading_zeros());
    let shift = power - 5;
    (shift * CLASSES + (ns >> shift)) as usize
}

/// The last nanosecond of a class.
fn end_of(class: usize) -> u64 {
    let class = class as u64;
    if class < CLASSES {
        return class;
    }
    let shift = class / CLASSES - 1;
    ((class % CLASSES + CLASSES + 1) << shift) - 1
}

/// Times from source to sink.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LatencyPercentiles {
    /// Records that were timed.
    pub records: u64,
    /// Half of them took no longer [ms].
    pub p50_ms: f64,
    /// 95 of 100 took no longer [ms].
    pub p95_ms: f64,
    /// 99 of 100 took no longer [ms].
    pub p99_ms: f64,
    /// The longest [ms].
    pub max_ms: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_follow_each_other_and_hold_their_times() {
        for ns in (0..5000).chain([1 << 40, (1 << 40) + 12_345, u64::MAX >> 1]) {
            let class = class_of(ns);
            assert!(end_of(class) >= ns, "{ns}");
            assert!(class == 0 || end_of(class - 1) < ns, "{ns}");
            assert!(end_of(class) - ns <= ns / CLASSES, "{ns}");
        }
    }

    #[test]
    fn percentiles_are_those_of_the_times() {
        let mut histogram = Histogram::default();
        assert_eq!(histogram.percentiles(), None);
        (1..=1000).for_each(|ms| histogram.add(SimTime::from_ms(ms)));
        let it = histogram.percentiles().expect("there are times");
        for (value, exact) in [(it.p50_ms, 500.0), (it.p95_ms, 950.0), (it.p99_ms, 990.0)] {
            assert!(value >= exact && value <= exact * 33.0 / 32.0, "{value} for {exact}");
        }
        assert!((it.max_ms - 1000.0).abs() < 1e-9);
    }
}
