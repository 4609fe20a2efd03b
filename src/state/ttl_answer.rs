//! The answer of `ttlGrowth`: a series over time, each strategy at the end of it, verdict.

use serde::Serialize;

use super::error::StateError;
use super::params::{CleanUp, KeySpace, TtlParams};
use super::ttl::{self, Basis};
use crate::finding::{Derivation, Finding, Severity};
use crate::units::{FlinkVersion, grouped};

/// Points of the series.
const POINTS: u64 = 64;

/// State at one time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TtlPoint {
    /// Since the first update [s].
    pub seconds: u64,
    /// Keys that a read finds.
    pub live: u64,
    /// Entries stored under the strategy asked for.
    pub stored: u64,
    /// Entries stored without any clean-up.
    pub without_clean_up: u64,
}

/// One strategy at the end of the series.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CleanUpCost {
    /// The strategy.
    pub clean_up: CleanUp,
    /// Its call on `StateTtlConfig.Builder`.
    pub call: &'static str,
    /// The backend it works on.
    pub backend: &'static str,
    /// Entries stored.
    pub stored: u64,
    /// Expired entries over live ones.
    pub residue: f64,
    /// How sure that is.
    pub basis: Basis,
    /// What it does to snapshots.
    pub snapshots: &'static str,
}

/// How state grows under TTL.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TtlReport {
    /// The version asked for.
    pub version: FlinkVersion,
    /// The patch release it was checked on.
    pub checked_on: &'static str,
    /// One sentence.
    pub verdict: String,
    /// Keys that can occur.
    pub keys: u64,
    /// Keys live in the long run.
    pub live: u64,
    /// Entries stored at the end, under the strategy asked for.
    pub stored: u64,
    /// The strategy asked for.
    pub clean_up: CleanUp,
    /// From here on the number of live keys stays the same [s].
    pub steady_from_seconds: u64,
    /// For a chart.
    pub series: Vec<TtlPoint>,
    /// Every strategy at the end of the series.
    pub strategies: Vec<CleanUpCost>,
    /// What these numbers leave out.
    pub not_modelled: Vec<&'static str>,
}

const NOT_MODELLED: [&str; 6] = [
    "Updates that come in bursts, and keys that never come back",
    "OnReadAndWrite: reads that renew the TTL; count them as updates",
    "Compaction filters with another rhythm of checkpoints, or with a state beyond level 1",
    "The way to the steady state right after the first TTL: the steady share is used from there on",
    "Counts of the incremental clean-up other than 1, 5, and 10 with every record",
    "ListState, whose elements expire one by one",
];

const ROWS: [(CleanUp, &str, &str, &str); 6] = [
    (
        CleanUp::None,
        "disableCleanupInBackground()",
        "both",
        "expired entries stay in checkpoints and savepoints",
    ),
    (
        CleanUp::FullSnapshot,
        "cleanupFullSnapshot()",
        "both",
        "heap checkpoints and canonical savepoints hold live entries only; memory and native RocksDB checkpoints hold all",
    ),
    (CleanUp::Incremental1, "cleanupIncrementally(1, false)", "hashmap", "what is stored"),
    (
        CleanUp::Incremental5,
        "cleanupIncrementally(5, false)",
        "hashmap",
        "what is stored; the default",
    ),
    (
        CleanUp::Incremental10EveryRecord,
        "cleanupIncrementally(10, true)",
        "hashmap",
        "what is stored",
    ),
    (
        CleanUp::CompactionFilter,
        "cleanupInRocksdbCompactFilter(1000)",
        "rocksdb",
        "what is stored; the default",
    ),
];

/// How does state grow under TTL, and what does each clean-up leave behind?
///
/// # Errors
/// A param outside its range.
pub fn ttl_growth(params: &TtlParams) -> Result<Derivation<TtlReport>, StateError> {
    params.check()?;
    let (spaces, ttl_seconds) = (params.key_spaces.as_slice(), params.ttl_seconds as f64);
    let whole = |count: f64| count.round() as u64;
    let point = |seconds: u64| {
        let at = seconds as f64;
        TtlPoint {
            seconds,
            live: whole(ttl::live(spaces, ttl_seconds, at)),
            stored: whole(ttl::stored(params.clean_up, spaces, ttl_seconds, at).0),
            without_clean_up: whole(ttl::touched(spaces, at)),
        }
    };
    let series: Vec<TtlPoint> = times(params).into_iter().map(point).collect();
    let horizon = params.horizon_seconds as f64;
    let end = ttl::live(spaces, ttl_seconds, horizon);
    let strategies = ROWS.iter().map(|(clean_up, call, backend, snapshots)| {
        let (stored, basis) = ttl::stored(*clean_up, spaces, ttl_seconds, horizon);
        let residue = if end > 0.0 { ((stored / end - 1.0) * 1e4).round() / 1e4 } else { 0.0 };
        let (clean_up, stored) = (*clean_up, whole(stored));
        CleanUpCost { clean_up, call, backend, stored, residue, basis, snapshots }
    });
    let strategies: Vec<CleanUpCost> = strategies.collect();
    let live = whole(ttl::live(spaces, ttl_seconds, ttl_seconds));
    let stored = whole(ttl::stored(params.clean_up, spaces, ttl_seconds, horizon).0);
    let ever = whole(ttl::touched(spaces, horizon));
    let value = TtlReport {
        version: params.version,
        checked_on: params.version.checked_on(),
        verdict: verdict(params, live, stored, ever),
        keys: spaces.iter().map(|space| space.keys).sum(),
        live,
        stored,
        clean_up: params.clean_up,
        steady_from_seconds: params.ttl_seconds,
        series,
        strategies,
        not_modelled: NOT_MODELLED.to_vec(),
    };
    let findings = findings(params, spaces, live, ever);
    Ok(Derivation { value, findings })
}

/// Times of the series: evenly spaced, and the TTL itself, where the live keys stop growing.
fn times(params: &TtlParams) -> Vec<u64> {
    let horizon = u128::from(params.horizon_seconds);
    let even = (0..=POINTS).map(|at| horizon * u128::from(at) / u128::from(POINTS));
    let mut times: Vec<u64> = even.filter_map(|at| u64::try_from(at).ok()).collect();
    if params.ttl_seconds < params.horizon_seconds {
        times.push(params.ttl_seconds);
    }
    times.sort_unstable();
    times.dedup();
    times
}

fn count(keys: u64) -> String {
    grouped(i64::try_from(keys).unwrap_or(i64::MAX))
}

fn verdict(params: &TtlParams, live: u64, stored: u64, ever: u64) -> String {
    let ttl = params.ttl_seconds;
    let (live, kept) = (count(live), count(stored));
    match params.clean_up {
        CleanUp::None | CleanUp::FullSnapshot => format!(
            "{live} keys are live from {ttl} s on, but {kept} stay stored: this clean-up frees no memory. The TTL decides what is live, the clean-up what is stored."
        ),
        _ => format!(
            "{live} keys are live from {ttl} s on and {kept} are stored; without clean-up it would be {}. The TTL decides.",
            count(ever)
        ),
    }
}

fn findings(params: &TtlParams, spaces: &[KeySpace], live: u64, ever: u64) -> Vec<Finding> {
    let mut found = Vec::new();
    let source = format!("StateTtlConfig, Flink {}; measured", params.version.checked_on());
    let keeps_all = ttl::left_behind(params.clean_up).is_none();
    if keeps_all && ever > live {
        found.push(Finding {
            code: "expired_keys_stay",
            severity: Severity::Warning,
            title: format!("{} expired keys stay in memory or on disk", count(ever - live)),
            reason: "Reads no longer see them, but nothing removes them while the job runs; the clean-up of full snapshots only leaves them out of heap checkpoints and canonical savepoints.".to_owned(),
            option: None,
            price: Some("cleanupIncrementally(5, false) looks at 5 entries an access; the compaction filter at every entry a compaction passes.".to_owned()),
            apply: Vec::new(),
            source: source.clone(),
        });
    }
    if params.clean_up == CleanUp::CompactionFilter && !spaces.is_empty() {
        found.push(Finding {
            code: "filter_waits_for_compaction",
            severity: Severity::Note,
            title: "The compaction filter removes expired entries only when a compaction passes".to_owned(),
            reason: "Measured with a checkpoint every quarter of the TTL, that is a compaction every TTL; rarer checkpoints leave more behind.".to_owned(),
            option: Some("state.backend.rocksdb.compaction.filter.periodic-compaction-time".to_owned())
                .filter(|_| params.version >= FlinkVersion::V2_2),
            price: None,
            apply: Vec::new(),
            source,
        });
    }
    found
}
