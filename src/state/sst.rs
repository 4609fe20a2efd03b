//! How many bytes does an entry take in RocksDB's files?
//!
//! A block of 4 KiB holds entries in key order; each stores only the part of its key that differs
//! from the one before, 8 bytes of sequence number and type, the value and three lengths. Every 16th
//! stores its whole key. A block ends with its restart points and a trailer, is compressed with
//! snappy if that helps, and has one entry in the index.
//!
//! Source: Flink 1.18.1, 1.20.5 (FRocksDB 6.20.3), 2.2.1 (FRocksDB 8.10) with Flink's default options;
//! RocksDB `BlockBuilder`, `BlockBasedTableOptions` (`block_size`, `block_size_deviation`,
//! `block_restart_interval`), `RocksDBConfigurableOptions` (`state.backend.rocksdb.use-bloom-filter`).
//!
//! # Deviations
//! Numbers as keys are taken as dense (consecutive), strings as random hex digits: that decides how
//! much of a key is shared. How far values compress depends on them; it is an assumption by type.

use super::assumptions::{Assumptions, Id};
use super::layout::{Scalar, ValueType};
use super::params::{StateShape, Workload};
use super::snapshot::{entries_per_key, stored_key, stored_value};

/// `block_size` [B].
const BLOCK: f64 = 4096.0;
/// A block closes early when it is so full and the next entry does not fit, `block_size_deviation`.
const CLOSES_FROM: f64 = BLOCK * 0.9;
/// Every so many entries one stores its whole key, `block_restart_interval`.
const RESTART_INTERVAL: u64 = 16;
/// Sequence number and type behind each key [B].
const INTERNAL: f64 = 8.0;
/// A restart point, and their count [B].
const RESTART: f64 = 4.0;
/// Compression type and checksum behind each block [B].
const TRAILER: f64 = 5.0;
/// Lengths and block handle of an index entry [B].
const INDEX_ENTRY: f64 = 11.0;
/// A bloom filter of 10 bits a key [B].
const BLOOM: f64 = 10.0 / 8.0;

/// SST bytes of one stored entry: a key, or an entry of a map. `None` for lists.
pub fn bytes_per_entry(workload: &Workload, bloom: bool, assumptions: &Assumptions) -> Option<f64> {
    let value = stored_value(workload)? as f64;
    let lengths = if value < 128.0 { 3.0 } else { 4.0 };
    let whole_key = stored_key(workload) as f64;
    let whole = lengths + whole_key + INTERNAL + value;
    let delta = lengths + differing(workload) + INTERNAL + value;
    let (entries, bytes) = block(whole, delta);
    let index = whole_key + INTERNAL + INDEX_ENTRY;
    let filter = if bloom { BLOOM } else { 0.0 };
    Some((bytes * compressed_share(workload, assumptions) + index) / entries + filter)
}

/// Entries and bytes of a full block.
fn block(whole: f64, delta: f64) -> (f64, f64) {
    let (mut entries, mut bytes) = (0_u64, RESTART);
    loop {
        let restarts = entries.is_multiple_of(RESTART_INTERVAL);
        let next = if restarts { whole + RESTART } else { delta };
        let closes = bytes >= BLOCK || (bytes > CLOSES_FROM && bytes + next > BLOCK);
        if entries > 0 && closes {
            return (entries as f64, bytes + TRAILER);
        }
        bytes += next;
        entries += 1;
    }
}

/// Bytes of a stored key that differ from the one before, on average.
fn differing(workload: &Workload) -> f64 {
    let groups = u64::from(workload.key_groups());
    let per_group = workload.keys / groups.max(1);
    // Numbers of one key group are as far apart as there are key groups.
    let key = tail(workload.key, groups, per_group);
    let StateShape::Map { entries, key: user_key, .. } = &workload.state else { return key + 1.0 };
    let share_new_key = 1.0 / *entries as f64;
    let other_key = key + 1.0 + user_key.serialised() as f64;
    let same_key = tail(*user_key, 1, *entries);
    share_new_key * other_key + (1.0 - share_new_key) * same_key
}

/// Bytes at the end of a key that differ from its neighbour's, `step` apart among `count`.
fn tail(key: Scalar, step: u64, count: u64) -> f64 {
    let length = key.serialised() as f64;
    let differing = match key {
        Scalar::Long | Scalar::Integer | Scalar::Double => {
            // The last byte differs; the one before when the step carries into it.
            1.0 + (step as f64 / 256.0).min(1.0) + (step as f64 / 65_536.0).min(1.0)
        }
        // The length is shared, and as many hex digits as it takes to tell `count` apart.
        Scalar::String { .. } => length - 1.0 - digits(count),
        Scalar::Bytes { .. } => length - 4.0,
    };
    differing.clamp(1.0, length.max(1.0))
}

/// How many hex digits `count` strings share with their neighbour, between whole numbers by lines.
fn digits(count: u64) -> f64 {
    let (mut digits, mut power) = (0.0, 1_u64);
    while power < 1 << 48 && count >= power * 16 {
        power *= 16;
        digits += 1.0;
    }
    let rest = (count as f64 / power as f64 - 1.0) / 15.0;
    digits + rest.clamp(0.0, 1.0)
}

fn compressed_share(workload: &Workload, assumptions: &Assumptions) -> f64 {
    let value = match &workload.state {
        StateShape::Value { value } | StateShape::Map { value, .. } => value,
        StateShape::List { element, .. } => element,
    };
    let holds = |test: fn(&Scalar) -> bool| value.fields().iter().any(test);
    let bytes = matches!(value, ValueType::Bytes { .. })
        || holds(|field| matches!(field, Scalar::Bytes { .. }));
    let text = matches!(value, ValueType::String { .. })
        || holds(|field| matches!(field, Scalar::String { .. }));
    assumptions.get(match (bytes, text) {
        (true, _) => Id::BytesCompressed,
        (_, true) => Id::TextCompressed,
        _ if matches!(workload.state, StateShape::Map { .. }) => Id::MapNumbersCompressed,
        _ => Id::NumbersCompressed,
    })
}

/// Key and value as they go into the memtable, for one stored entry [B]. `None` for lists.
pub fn raw_entry(workload: &Workload) -> Option<u64> {
    Some(stored_key(workload) + stored_value(workload)?)
}

/// Stored entries of `keys` keys.
pub fn entries(workload: &Workload, keys: u64) -> f64 {
    keys as f64 * entries_per_key(workload) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(key: Scalar, value: ValueType, ttl: bool, measured: f64) {
        let mut workload = Workload::new(300_000, key, value);
        workload.ttl = ttl;
        let got = bytes_per_entry(&workload, false, &Assumptions::default()).expect("no list");
        assert!((got / measured - 1.0).abs() < 0.01, "{got} for {measured}");
    }

    #[test]
    fn incompressible_entries_are_as_measured() {
        let bytes = |length| ValueType::Bytes { length };
        check(Scalar::Long, bytes(100), false, 119.15);
        check(Scalar::Long, bytes(1000), false, 1026.8);
        check(Scalar::Long, bytes(100), true, 126.9);
        check(Scalar::String { chars: 36 }, bytes(100), false, 151.4);
    }

    #[test]
    fn neighbours_share_digits() {
        assert!((digits(16) - 1.0).abs() < 1e-9 && (digits(4096) - 3.0).abs() < 1e-9);
        assert!(digits(0).abs() < 1e-9 && digits(u64::MAX) > 10.0);
    }
}
