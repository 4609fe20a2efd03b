//! What each bound does, and the smallest bound for a completeness.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `BoundedOutOfOrdernessWatermarks`,
//! `WindowOperator.cleanupTime`; the formulas stand in [`super`].

use super::{BoundPoint, Measured, USUAL_COMPLETENESS, Wanted};
use crate::stream::disorder::histogram::Histogram;
use crate::stream::disorder::{Disorder, Window};

/// Bounds of the curve: 0 and these.
const STEPS: u32 = 63;
/// The greatest whole number that JavaScript holds; a lateness of Long.MAX makes a longer span.
const JS_SAFE_MAX: u64 = (1 << 53) - 1;

impl<'a> Measured<'a> {
    pub(super) fn new(disorder: &'a Disorder) -> Self {
        let (params, behind) = (disorder.params(), disorder.behind());
        let span = disorder.time_range().map_or(0, |(first, last)| last.abs_diff(first));
        Self {
            behind,
            past_cleanup: params.window.map(|_| disorder.past_cleanup()),
            window: params.window,
            allowed_lateness_ms: params.allowed_lateness_ms.unsigned_abs(),
            rate_per_ms: (span > 0).then(|| behind.count() as f64 / span as f64),
        }
    }

    /// Bounds from 0 to the worst record, evenly spaced by their logarithms.
    pub(super) fn curve(&self) -> Vec<BoundPoint> {
        let worst = self.behind.max();
        let mut bounds = vec![0];
        if worst > 0 {
            let step = libm::log(worst as f64) / f64::from(STEPS - 1);
            bounds.extend((0..STEPS).map(|at| libm::exp(step * f64::from(at)).round() as u64));
            // The last one would be off by rounding.
            bounds.retain(|bound| *bound < worst);
            bounds.push(worst);
            bounds.dedup();
        }
        let behind = self.behind.above_each(&bounds);
        let dropped = self.past_cleanup.map(|it| it.above_each(&bounds));
        let at = |(at, bound): (usize, &u64)| {
            self.told(*bound, behind[at], dropped.as_ref().map(|it| it[at]))
        };
        bounds.iter().enumerate().map(at).collect()
    }

    pub(super) fn point(&self, bound: u64) -> BoundPoint {
        let dropped = self.past_cleanup.map(|it| it.above(bound));
        self.told(bound, self.behind.above(bound), dropped)
    }

    pub(super) fn wanted(&self, also: &[f64]) -> Vec<Wanted> {
        let mut all = [&USUAL_COMPLETENESS, also].concat();
        all.sort_by(f64::total_cmp);
        all.dedup();
        let answer = |completeness: f64| {
            let needed = needed(self.behind.count(), completeness);
            let smallest = |it: &Histogram| self.point(it.smallest_bound(needed));
            Wanted {
                completeness,
                on_time: smallest(self.behind),
                not_dropped: self.past_cleanup.map(smallest),
            }
        };
        all.into_iter().map(answer).collect()
    }

    fn told(&self, bound: u64, behind: u64, dropped: Option<u64>) -> BoundPoint {
        let records = self.behind.count();
        let share = |count: u64| if records == 0 { 0.0 } else { count as f64 / records as f64 };
        let size = match self.window {
            Some(Window::Tumbling { size_ms, .. } | Window::Sliding { size_ms, .. }) => {
                Some(size_ms.unsigned_abs())
            }
            Some(Window::Session { .. } | Window::Told { .. }) | None => None,
        };
        let open_span_ms =
            size.map(|it| it.saturating_add(bound).saturating_add(self.allowed_lateness_ms));
        let open_span_ms = open_span_ms.filter(|it| *it <= JS_SAFE_MAX);
        let copies = self.window.map_or(0, |it| it.copies()) as f64;
        let open = |span: u64| self.rate_per_ms.map(|rate| rate * span as f64 * copies);
        // A stream that is shorter than the span cannot fill it.
        let open = |span: u64| open(span).map(|it| it.min(records as f64 * copies));
        BoundPoint {
            bound_ms: bound,
            behind_watermark: behind,
            behind_watermark_share: share(behind),
            dropped,
            dropped_share: dropped.map(share),
            latency_ms: bound,
            open_span_ms,
            open_records: open_span_ms.and_then(open),
        }
    }
}

/// The fewest records that make up a share, which counts to nine decimals: a product of doubles
/// may be just above the whole number that is meant.
pub(super) fn needed(records: u64, share: f64) -> u64 {
    const PARTS: u128 = 1_000_000_000;
    let parts = (share * PARTS as f64).round() as u128;
    u64::try_from((u128::from(records) * parts).div_ceil(PARTS)).unwrap_or(records)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_records_is_the_whole_number_that_is_meant() {
        let cases = [
            (100, 0.99, 99),
            (101, 0.99, 100),
            (1000, 0.999, 999),
            (10_000, 0.9999, 9_999),
            (3, 0.34, 2),
            (7, 1.0, 7),
            (7, 0.0, 0),
            (0, 0.99, 0),
            (1_000_000, 0.999_999, 999_999),
        ];
        for (records, share, want) in cases {
            assert_eq!(needed(records, share), want, "{records} {share}");
        }
    }
}
