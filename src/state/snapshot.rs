//! How many bytes does a full snapshot have, as a checkpoint of the HashMap backend and as a
//! canonical savepoint of either?
//!
//! Checkpoint of the HashMap backend: namespace, key and value of each key; a map as a count and its
//! entries, each with a null flag. Canonical savepoint: each entry with its key group, its namespace
//! and two lengths; each map entry repeats the key. TTL adds a timestamp to each value.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `HeapSnapshotStrategy`, `CopyOnWriteStateMapSnapshot#writeState`,
//! `MapSerializer`, `FullSnapshotAsyncWriter`, `CompositeKeySerializationUtils`, `TtlStateFactory.TtlSerializer`.
//!
//! # Deviations
//! `VoidNamespace` only. Snapshots of `ListState` were not measured and are not offered.

use super::assumptions::{Assumptions, Id};
use super::error::StateError;
use super::heap::{rounded, times};
use super::params::{StateShape, Workload};
use crate::units::Bytes;

/// `VoidNamespaceSerializer` [B].
const NAMESPACE: u64 = 1;
/// `MapSerializer` writes the count of entries [B].
const MAP_COUNT: u64 = 4;
/// Whether a map value is null [B].
const NULL_FLAG: u64 = 1;
/// `TtlSerializer` writes the time of the last access [B].
const TIMESTAMP: u64 = 8;
/// Lengths of key and value in a canonical savepoint [B].
const LENGTHS: u64 = 8;
/// Key group, state and count before each key group of a heap snapshot [B].
const HEAP_KEY_GROUP: u64 = 10;
/// Mark behind each key group of a canonical savepoint, `END_OF_KEY_GROUP_MARK` [B].
const CANONICAL_KEY_GROUP: u64 = 2;

/// Bytes of a key group prefix, `computeRequiredBytesInKeyGroupPrefix`.
pub const fn key_group_prefix(key_groups: u32) -> u64 {
    if key_groups > 128 { 2 } else { 1 }
}

/// Key, and values without flags, of one key, serialised [B].
pub fn serialised(workload: &Workload) -> u64 {
    let key = workload.key.serialised();
    key + match &workload.state {
        StateShape::Value { value } => value.serialised(),
        StateShape::Map { entries, key, value } => {
            entries * (key.serialised() + value.serialised())
        }
        StateShape::List { elements, element } => elements * element.serialised(),
    }
}

/// Entries that a canonical savepoint or RocksDB keeps for one key.
pub fn entries_per_key(workload: &Workload) -> u64 {
    match &workload.state {
        StateShape::Map { entries, .. } => *entries,
        StateShape::Value { .. } | StateShape::List { .. } => 1,
    }
}

/// A value as it is stored: with its null flag and its timestamp [B]. `None` for lists.
pub fn stored_value(workload: &Workload) -> Option<u64> {
    let timestamp = if workload.ttl { TIMESTAMP } else { 0 };
    match &workload.state {
        StateShape::Value { value } => Some(value.serialised() + timestamp),
        StateShape::Map { value, .. } => Some(NULL_FLAG + value.serialised() + timestamp),
        StateShape::List { .. } => None,
    }
}

/// A key as it is stored beside one value: key group, key, namespace, user key [B].
pub fn stored_key(workload: &Workload) -> u64 {
    let user_key = match &workload.state {
        StateShape::Map { key, .. } => key.serialised(),
        StateShape::Value { .. } | StateShape::List { .. } => 0,
    };
    key_group_prefix(workload.key_groups()) + workload.key.serialised() + NAMESPACE + user_key
}

/// A full checkpoint of the HashMap backend, over all subtasks; `None` for lists.
pub fn heap_checkpoint(
    workload: &Workload,
    assumptions: &Assumptions,
) -> Result<Option<Bytes>, StateError> {
    let Some(value) = stored_value(workload) else { return Ok(None) };
    let values = match &workload.state {
        StateShape::Map { entries, key, .. } => MAP_COUNT + entries * (key.serialised() + value),
        StateShape::Value { .. } | StateShape::List { .. } => value,
    };
    let per_key = NAMESPACE + workload.key.serialised() + values;
    with_fixed(times(workload.keys, per_key)?, HEAP_KEY_GROUP, workload, assumptions).map(Some)
}

/// A canonical savepoint, over all subtasks; `None` for lists.
pub fn canonical(
    workload: &Workload,
    assumptions: &Assumptions,
) -> Result<Option<Bytes>, StateError> {
    let Some(value) = stored_value(workload) else { return Ok(None) };
    let per_key = entries_per_key(workload) * (LENGTHS + stored_key(workload) + value);
    with_fixed(times(workload.keys, per_key)?, CANONICAL_KEY_GROUP, workload, assumptions).map(Some)
}

fn with_fixed(
    keys: Bytes,
    per_key_group: u64,
    workload: &Workload,
    assumptions: &Assumptions,
) -> Result<Bytes, StateError> {
    let metadata = assumptions.get(Id::SnapshotMetadata) * f64::from(workload.parallelism);
    let groups = times(u64::from(workload.key_groups()), per_key_group)?;
    keys.checked_add(groups)
        .and_then(|sum| sum.checked_add(rounded(metadata).ok()?))
        .ok_or(StateError::TooLarge { field: "workload.keys" })
}
