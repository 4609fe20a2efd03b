//! How many keys are live under TTL, and how many expired ones are still stored?
//!
//! A key is live when it was written within the TTL. With even updates at rate r a key is live with
//! chance 1 - e^(-r TTL). Expired entries stay until something removes them: nothing and the full
//! snapshot never do, the incremental clean-up looks at a few entries an access, the compaction
//! filter works when a compaction passes.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `StateTtlConfig` (`cleanupFullSnapshot`, `cleanupIncrementally`,
//! `cleanupInRocksdbCompactFilter`), `TtlIncrementalCleanup`, `RocksDbTtlCompactFiltersManager`. What
//! stays behind was measured on 1.20.5 with 100 000 keys at r TTL = 0.25, 1 and 3.
//!
//! # Deviations
//! Between the measured points the share of expired entries that stays follows straight lines; beyond
//! them it is that of the nearest point. The compaction filter was measured with a tiny state and a checkpoint
//! every quarter of the TTL; other rhythms give other shares.

use serde::Serialize;

use super::chance::{exp_minus, hit_at_least_once};
use super::params::{CleanUp, KeySpace};

/// Updates a key within one TTL at which clean-up was measured.
pub const MEASURED_AT: [f64; 3] = [0.25, 1.0, 3.0];

/// How sure a share is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Basis {
    /// By a rule of Flink.
    Derived,
    /// At a measured point.
    Measured,
    /// On a straight line between two.
    Interpolated,
    /// Beyond the measured points: the share of the nearest.
    Beyond,
}

/// Expired entries still stored over live ones at [`MEASURED_AT`]; `None` keeps all for ever.
pub const fn left_behind(clean_up: CleanUp) -> Option<[f64; 3]> {
    match clean_up {
        CleanUp::None | CleanUp::FullSnapshot => None,
        CleanUp::Incremental1 => Some([1.5637, 0.2639, 0.032]),
        CleanUp::Incremental5 => Some([0.1276, 0.0437, 0.0054]),
        CleanUp::Incremental10EveryRecord => Some([0.0234, 0.009, 0.001]),
        CleanUp::CompactionFilter => Some([0.7745, 0.3666, 0.0408]),
    }
}

/// Keys that are live after `seconds`, all key spaces together.
pub fn live(spaces: &[KeySpace], ttl: f64, seconds: f64) -> f64 {
    touched(spaces, seconds.min(ttl))
}

/// Keys that were ever written within `seconds`.
pub fn touched(spaces: &[KeySpace], seconds: f64) -> f64 {
    let one = |space: &KeySpace| {
        let keys = space.keys as f64;
        let expected =
            if space.keys == 0 { 0.0 } else { space.updates_per_second * seconds / keys };
        hit_at_least_once(keys, expected)
    };
    spaces.iter().map(one).sum()
}

/// The share of expired entries that a strategy keeps, for a key that is updated `x` times within
/// the TTL; `None` keeps all.
pub fn kept(clean_up: CleanUp, x: f64) -> Option<(f64, Basis)> {
    let left = left_behind(clean_up)?;
    // Measured over live entries; a key is expired with chance e^-x.
    let at = |point: usize| {
        let expired = exp_minus(MEASURED_AT[point]);
        left[point] * (1.0 - expired) / expired
    };
    let last = MEASURED_AT.len() - 1;
    if x <= MEASURED_AT[0] || x >= MEASURED_AT[last] {
        let point = if x <= MEASURED_AT[0] { 0 } else { last };
        let beyond = x < MEASURED_AT[0] || x > MEASURED_AT[last];
        return Some((at(point), if beyond { Basis::Beyond } else { Basis::Measured }));
    }
    let point = usize::from(x >= MEASURED_AT[1]);
    let part = (x - MEASURED_AT[point]) / (MEASURED_AT[point + 1] - MEASURED_AT[point]);
    let basis = if part > 0.0 { Basis::Interpolated } else { Basis::Measured };
    Some((at(point) + part * (at(point + 1) - at(point)), basis))
}

/// Entries stored after `seconds` under a strategy, all key spaces together.
pub fn stored(clean_up: CleanUp, spaces: &[KeySpace], ttl: f64, seconds: f64) -> (f64, Basis) {
    let mut basis = Basis::Derived;
    let one = |space: &KeySpace| {
        let alone = std::slice::from_ref(space);
        let ever = touched(alone, seconds);
        let keys = space.keys as f64;
        if space.keys == 0 || seconds <= ttl {
            return ever;
        }
        let Some((share, of)) = kept(clean_up, space.updates_per_second * ttl / keys) else {
            return ever;
        };
        basis = basis.max(of);
        let live = live(alone, ttl, seconds);
        ever.min(live + share * (keys - live))
    };
    let sum = spaces.iter().map(one).sum();
    (sum, basis)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space(updates_per_ttl: f64) -> [KeySpace; 1] {
        // A TTL of 100 s.
        [KeySpace { keys: 100_000, updates_per_second: 100_000.0 * updates_per_ttl / 100.0 }]
    }

    #[test]
    fn live_keys_are_as_measured() {
        for (x, measured) in [(0.25, 22_122.0), (1.0, 63_262.0), (3.0, 95_040.0)] {
            let got = live(&space(x), 100.0, 1600.0);
            assert!((got / measured - 1.0_f64).abs() < 0.002, "{got}");
        }
    }

    #[test]
    fn what_stays_behind_is_as_measured() {
        let at = |clean_up, x| stored(clean_up, &space(x), 100.0, 1600.0).0;
        for (clean_up, x, measured) in [
            (CleanUp::None, 0.25, 98_215.0),
            (CleanUp::FullSnapshot, 0.25, 98_215.0),
            (CleanUp::Incremental5, 0.25, 24_944.0),
            (CleanUp::Incremental1, 1.0, 79_816.0),
            (CleanUp::CompactionFilter, 1.0, 86_300.0),
        ] {
            assert!((at(clean_up, x) / measured - 1.0_f64).abs() < 0.01, "{clean_up:?}");
        }
    }

    #[test]
    fn shares_between_and_beyond_points_are_marked() {
        let basis = |x| kept(CleanUp::Incremental5, x).expect("it cleans up").1;
        assert_eq!(
            [0.1, 0.25, 0.5].map(basis),
            [Basis::Beyond, Basis::Measured, Basis::Interpolated]
        );
        assert_eq!([1.0, 3.0, 3.1].map(basis), [Basis::Measured, Basis::Measured, Basis::Beyond]);
    }
}
