//! What does the same workload need from RocksDB: disk, cache, uploads, and where is it read from?
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `RocksDBMemoryControllerUtils#calculateActualCacheCapacity`,
//! `RocksDBConfigurableOptions`, `RocksDBOptions`; uploads and file sizes as in the modules beside this.
//!
//! # Deviations
//! The operator's state is the only one in its slot, and RocksDB the only user of managed memory.

use super::access::Residence;
use super::assumptions::{Assumptions, Id};
use super::chance::hit_at_least_once;
use super::error::StateError;
use super::heap::rounded;
use super::incremental::{self, Incremental, Interval, Options};
use super::params::{Changes, Workload};
use super::place::Place;
use super::{snapshot, sst};
use crate::memory::options::OptionDef;
use crate::memory::settings::Settings;
use crate::units::{Bytes, FlinkVersion};

const fn option(key: &'static str, default: &'static str) -> OptionDef {
    OptionDef { key, default: Some(default), fallbacks: &[] }
}

/// Size of a memtable.
pub const WRITE_BUFFER: OptionDef = option("state.backend.rocksdb.writebuffer.size", "64mb");
/// Size of level 1.
pub const LEVEL_BASE: OptionDef =
    option("state.backend.rocksdb.compaction.level.max-size-level-base", "256mb");
/// Share of managed memory that memtables may take.
pub const WRITE_BUFFER_RATIO: OptionDef =
    option("state.backend.rocksdb.memory.write-buffer-ratio", "0.5");
/// Whether RocksDB uses managed memory.
pub const USES_MANAGED: OptionDef = option("state.backend.rocksdb.memory.managed", "true");
/// Whether files carry bloom filters.
pub const BLOOM: OptionDef = option("state.backend.rocksdb.use-bloom-filter", "false");

/// RocksDB's side of the comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct Rocks {
    /// SST bytes of a stored entry; `None` where they are not known.
    pub bytes_per_entry: Option<f64>,
    /// SST bytes of the largest subtask.
    pub subtask: Option<f64>,
    /// SST bytes of all subtasks.
    pub total: Option<Bytes>,
    /// Block cache of one slot; `None` without managed memory.
    pub block_cache: Option<Bytes>,
    /// Distinct entries updated between two checkpoints, all subtasks.
    pub distinct: u64,
    /// Uploads of the largest subtask.
    pub incremental: Option<Incremental>,
    /// Where its state is likely to be read from.
    pub residence: Vec<Residence>,
    /// What its options say.
    pub options: Options,
}

/// Reads the options and puts the workload into RocksDB.
pub fn rocks(
    version: FlinkVersion,
    settings: &Settings<'_>,
    workload: &Workload,
    changes: &Changes,
    place: &Place,
    assumptions: &Assumptions,
) -> Result<Rocks, StateError> {
    let managed = (settings.flag(&USES_MANAGED)? && place.managed_per_slot > Bytes::ZERO)
        .then_some(place.managed_per_slot);
    let ratio = settings.double(&WRITE_BUFFER_RATIO)?.unwrap_or(0.5);
    if !(ratio > 0.0 && ratio < 1.0) {
        let field = format!("config.{}", WRITE_BUFFER_RATIO.key);
        return Err(StateError::range(&field, ratio, "above 0", "below 1"));
    }
    let options = Options {
        write_buffer: settings.size(&WRITE_BUFFER)?.bytes,
        level_base: settings.size(&LEVEL_BASE)?.bytes,
        write_buffer_ratio: ratio,
        managed,
    };
    let block_cache = match managed {
        Some(managed) => Some(rounded(managed.get() as f64 * (3.0 - ratio) / 3.0)?),
        None => None,
    };
    let bytes_per_entry = match changes.sst_bytes_per_entry {
        Some(bytes) => Some(bytes),
        None => sst::bytes_per_entry(workload, settings.flag(&BLOOM)?, assumptions),
    };
    let all = sst::entries(workload, workload.keys);
    let largest = sst::entries(workload, workload.largest_subtask().keys);
    let distinct = match changes.distinct {
        Some(distinct) => (distinct as f64).min(all),
        None if all > 0.0 => hit_at_least_once(all, changes.updates as f64 / all),
        None => 0.0,
    };
    let subtask = bytes_per_entry.map(|each| each * largest);
    let share = if all > 0.0 { largest / all } else { 0.0 };
    let incremental = match (bytes_per_entry, subtask, sst::raw_entry(workload)) {
        (Some(each), Some(state), Some(raw_entry)) => {
            let flushed = distinct * share * each;
            let updates = changes.updates as f64 * share;
            let interval = Interval { state, flushed, updates, raw_entry: raw_entry as f64 };
            Some(incremental::uploads(&options, &interval, assumptions)?)
        }
        _ => None,
    };
    let total = match bytes_per_entry {
        Some(each) => Some(rounded(each * all)?),
        None => None,
    };
    let residence = residence(version, subtask, block_cache);
    let distinct = distinct.round() as u64;
    Ok(Rocks {
        bytes_per_entry,
        subtask,
        total,
        block_cache,
        distinct,
        incremental,
        residence,
        options,
    })
}

/// Inside the block cache, or outside: whether the rest of memory or the disk holds it is not known.
fn residence(version: FlinkVersion, subtask: Option<f64>, cache: Option<Bytes>) -> Vec<Residence> {
    match (subtask, cache) {
        (Some(state), Some(cache)) if state <= cache.get() as f64 => vec![Residence::BlockCache],
        (Some(_), _) if version < FlinkVersion::V2_2 => {
            vec![Residence::PageCache, Residence::Disk, Residence::IndexThrash]
        }
        (Some(_), _) => vec![Residence::PageCache, Residence::Disk],
        (None, _) => Vec::new(),
    }
}

/// A native full checkpoint of RocksDB, all subtasks; `None` for lists.
pub fn native_checkpoint(
    rocks: &Rocks,
    workload: &Workload,
    assumptions: &Assumptions,
) -> Result<Option<Bytes>, StateError> {
    let Some(total) = rocks.total else { return Ok(None) };
    let fixed = assumptions.get(Id::RocksMetadata) * f64::from(workload.parallelism);
    let sum = total.checked_add(rounded(fixed)?);
    sum.map(Some).ok_or(StateError::TooLarge { field: "workload.keys" })
}

/// Elements of a collection, for the costs of collections.
pub fn elements(workload: &Workload) -> Option<u64> {
    use super::params::StateShape;
    match &workload.state {
        StateShape::Value { .. } => None,
        StateShape::Map { .. } => Some(snapshot::entries_per_key(workload)),
        StateShape::List { elements, .. } => Some(*elements),
    }
}
