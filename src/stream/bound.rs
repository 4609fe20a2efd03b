//! Which bound of `BoundedOutOfOrdernessWatermarks` does a stream need, and what does it cost?
//!
//! A bound holds back results: a window that ends at `e` fires when a record of at least `e + bound`
//! has come, so a result is `bound` of event time later than with none. It holds windows open: the
//! first record of a window stays until the watermark has passed the window's end and the allowed
//! lateness, `size + bound + lateness` of event time.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `BoundedOutOfOrdernessWatermarks`, `EventTimeTrigger`,
//! `WindowOperator.cleanupTime`.

mod culprits;
mod curve;
mod notice;

use serde::{Deserialize, Serialize};

use super::disorder::histogram::{Histogram, RELATIVE_ERROR};
use super::disorder::{Disorder, Window};
use super::error::{StreamError, within};
use super::generate::params::MAX_SPAN_MS;
use crate::finding::Derivation;
pub use culprits::{KeyDisorder, PartitionDisorder};

/// Completeness that is always answered, as shares.
pub const USUAL_COMPLETENESS: [f64; 3] = [0.99, 0.999, 0.9999];
/// The most shares of completeness that can be asked for.
const MAX_WANTED: usize = 16;
/// The most keys listed.
const MAX_TOP_KEYS: usize = 1000;

/// Params of the choice of a bound.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BoundParams {
    /// Shares of records that shall not be behind the watermark, beside
    /// [`USUAL_COMPLETENESS`]; 0 to 1, kept to nine decimals.
    pub completeness: Vec<f64>,
    /// A bound to answer for [ms]; the culprits are those at this bound, or at 0 without one.
    pub bound_ms: Option<i64>,
    /// How many keys to list.
    pub top_keys: usize,
}

/// What a stream needs.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BoundReport {
    /// One sentence.
    pub verdict: String,
    /// Records seen.
    pub records: u64,
    /// Records behind the event time that the watermark follows.
    pub out_of_order: u64,
    /// How far the worst record is behind: the least bound that no record is late for [ms].
    pub worst_ms: u64,
    /// How much a bound from 2^20 ms on may be too high, as a share of it; those below are exact.
    /// `None` if all are.
    pub relative_error: Option<f64>,
    /// The least event time [ms since the epoch].
    pub first_time: Option<i64>,
    /// The greatest event time [ms since the epoch].
    pub last_time: Option<i64>,
    /// Records for each second of event time; `None` where all have the same one.
    pub rate_per_second: Option<f64>,
    /// Bounds from 0 to the worst record, for a chart.
    pub curve: Vec<BoundPoint>,
    /// The smallest bounds for each completeness, ascending.
    pub wanted: Vec<Wanted>,
    /// The answer for the bound asked for.
    pub chosen: Option<BoundPoint>,
    /// Partitions, the one with the most records behind the watermark first.
    pub partitions: Vec<PartitionDisorder>,
    /// Keys, the one with the most lag in sum first.
    pub keys: Vec<KeyDisorder>,
    /// Whether `dropped` counts what is dropped, or is an upper bound of it; `None` without window.
    pub dropped_is_exact: Option<bool>,
    /// What these numbers leave out.
    pub not_modelled: Vec<&'static str>,
}

/// What one bound does.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BoundPoint {
    /// The bound [ms].
    pub bound_ms: u64,
    /// Records that arrive behind the watermark.
    pub behind_watermark: u64,
    /// The same as a share of all records.
    pub behind_watermark_share: f64,
    /// Records that Flink drops or puts into the side output; `None` without a window.
    pub dropped: Option<u64>,
    /// The same as a share of all records.
    pub dropped_share: Option<f64>,
    /// How much later a result comes than with the bound 0 [ms of event time].
    pub latency_ms: u64,
    /// Event time between the first record of a window and its cleanup, at most [ms]; `None`
    /// without a window, for sessions, which have no fixed size, and above 2^53 - 1.
    pub open_span_ms: Option<u64>,
    /// Records in open windows at most, a copy for each window, at the rate of the stream.
    pub open_records: Option<f64>,
}

/// The smallest bounds for a completeness.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Wanted {
    /// The share wanted.
    pub completeness: f64,
    /// The smallest bound that at most the rest is behind the watermark for.
    pub on_time: BoundPoint,
    /// The smallest bound that at most the rest is dropped for; `None` without a window.
    pub not_dropped: Option<BoundPoint>,
}

/// Which bound does a stream need, and what does it cost?
///
/// # Errors
/// A param outside its range.
pub fn choose_bound(
    disorder: &Disorder,
    params: &BoundParams,
) -> Result<Derivation<BoundReport>, StreamError> {
    params.check()?;
    let behind = disorder.behind();
    let measured = Measured::new(disorder);
    let wanted = measured.wanted(&params.completeness);
    let chosen = params.bound_ms.map(|bound| measured.point(bound.unsigned_abs()));
    let culprit_bound = params.bound_ms.unwrap_or(0).unsigned_abs();
    let exact = behind.is_exact() && disorder.past_cleanup().is_exact();
    let value = BoundReport {
        verdict: notice::verdict(behind, &wanted, chosen.as_ref()),
        records: behind.count(),
        out_of_order: behind.positive(),
        worst_ms: behind.max(),
        relative_error: (!exact).then_some(RELATIVE_ERROR),
        first_time: disorder.time_range().map(|(first, _)| first),
        last_time: disorder.time_range().map(|(_, last)| last),
        rate_per_second: measured.rate_per_ms.map(|rate| rate * 1000.0),
        curve: measured.curve(),
        wanted,
        chosen,
        partitions: culprits::partitions(disorder, culprit_bound),
        keys: culprits::keys(disorder, culprit_bound, params.top_keys),
        dropped_is_exact: disorder.params().window.map(|it| !it.merges()),
        not_modelled: notice::not_modelled(disorder.params()),
    };
    let findings = notice::findings(&value, disorder, culprit_bound);
    Ok(Derivation { value, findings })
}

impl BoundParams {
    fn check(&self) -> Result<(), StreamError> {
        within("completeness.length", self.completeness.len(), 0, MAX_WANTED)?;
        for (at, share) in self.completeness.iter().enumerate() {
            within(&format!("completeness[{at}]"), *share, 0.0, 1.0)?;
        }
        if let Some(bound) = self.bound_ms {
            within("boundMs", bound, 0, MAX_SPAN_MS)?;
        }
        within("topKeys", self.top_keys, 0, MAX_TOP_KEYS)
    }
}

/// The stream as the bounds see it.
struct Measured<'a> {
    behind: &'a Histogram,
    /// `None` without a window.
    past_cleanup: Option<&'a Histogram>,
    window: Option<Window>,
    allowed_lateness_ms: u64,
    rate_per_ms: Option<f64>,
}
