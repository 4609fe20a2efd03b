//! How many slots do the hash tables of a state have, and how many more while one is rehashed?
//!
//! A map per key group starts with 128 slots. The insert that finds more than 3/4 of them in use
//! begins to double: a second array of twice the slots stands beside the first, and every operation
//! on that map moves at least 4 entries, until the first is empty. A map that nobody touches stays
//! half moved for ever.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `CopyOnWriteStateMap` (`DEFAULT_CAPACITY`, `#doubleCapacity`,
//! `#incrementalRehash`, `MAXIMUM_CAPACITY`).
//!
//! # Deviations
//! Keys fall into key groups by their hash; which group gets how many is not known here. The counts
//! are those expected when hashes are even, by the normal approximation of the binomial.

use super::chance::normal_above;

/// Slots of an empty map: `CopyOnWriteStateMap.DEFAULT_CAPACITY`.
pub const INITIAL_SLOTS: u64 = 128;
/// Slots that a map never exceeds: `CopyOnWriteStateMap.MAXIMUM_CAPACITY`.
pub const MAX_SLOTS: u64 = 1 << 30;

/// Entries in the map right after the insert that begins to double `slots`.
pub const fn doubles_at(slots: u64) -> u64 {
    slots / 4 * 3 + 2
}

/// The slots of one map with so many entries, its doubling finished.
pub fn slots_of(entries: u64) -> u64 {
    let mut slots = INITIAL_SLOTS;
    while slots < MAX_SLOTS && entries >= doubles_at(slots) {
        slots *= 2;
    }
    slots
}

/// The slots of all maps of a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slots {
    /// In the arrays that are filled, the first ones of maps that are half moved.
    pub primary: u64,
    /// In the second arrays of maps that are half moved.
    pub rehash: u64,
    /// Maps that are half moved.
    pub rehashing: u64,
}

/// The slots expected for `keys` spread over `key_groups`. `inserts_to_finish` is the share of its
/// entries that a map takes as further inserts until a doubling ends; `None` when every map has been
/// touched often enough since.
pub fn expected(keys: u64, key_groups: u64, inserts_to_finish: Option<f64>) -> Slots {
    let groups = key_groups.max(1) as f64;
    let mean = keys as f64 / groups;
    let deviation = (mean * (1.0 - 1.0 / groups)).sqrt();
    // The share of maps with at least this many entries.
    let at_least = |entries: f64| {
        if deviation > 0.0 {
            normal_above((entries - 0.5 - mean) / deviation)
        } else {
            f64::from(u8::from(mean >= entries))
        }
    };
    let (mut primary, mut rehash, mut rehashing) = (INITIAL_SLOTS as f64, 0.0, 0.0);
    let mut slots = INITIAL_SLOTS;
    while slots < MAX_SLOTS {
        let begin = doubles_at(slots) as f64;
        let begun = at_least(begin);
        if begun <= 0.0 {
            break;
        }
        let done =
            inserts_to_finish.map_or(begun, |share| at_least((begin * (1.0 + share)).ceil()));
        primary += done * slots as f64;
        rehash += (begun - done) * 2.0 * slots as f64;
        rehashing += begun - done;
        slots *= 2;
    }
    let whole = |per_map: f64| (per_map * groups).round() as u64;
    Slots { primary: whole(primary), rehash: whole(rehash), rehashing: whole(rehashing) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_doubles_above_three_quarters() {
        assert_eq!(doubles_at(128), 98);
        assert_eq!(doubles_at(2_097_152), 1_572_866);
        assert_eq!([slots_of(0), slots_of(97), slots_of(98), slots_of(194)], [128, 128, 256, 512]);
        assert_eq!(slots_of(u64::MAX), MAX_SLOTS);
    }

    #[test]
    fn one_map_is_exact() {
        let at = |keys| expected(keys, 1, Some(0.254));
        assert_eq!(at(97), Slots { primary: 128, rehash: 0, rehashing: 0 });
        assert_eq!(at(98), Slots { primary: 128, rehash: 256, rehashing: 1 });
        assert_eq!(at(123), Slots { primary: 256, rehash: 0, rehashing: 0 });
        assert_eq!(expected(98, 1, None).primary, 256);
    }

    #[test]
    fn a_load_of_100_000_keys_leaves_two_thirds_half_moved() {
        // Measured: 83 of 128 maps, 1.3107 slots a key in the first arrays.
        let slots = expected(100_000, 128, Some(0.254));
        assert!(slots.rehashing.abs_diff(83) <= 3, "{slots:?}");
        assert_eq!(slots.primary, 131_072);
    }
}
