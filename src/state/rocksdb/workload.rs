//! What does a workload want of the memory: memtables, index and filter blocks, data blocks, and
//! bytes outside every pool?
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `RocksDBResourceContainer#getColumnOptions` (index and
//! filters live in the shared cache), `RocksDBConfigurableOptions`; sizes of entries as measured,
//! see `assumptions`.

use serde::Serialize;

use super::assumptions::RocksdbAssumptions;
use super::error::RocksdbError;
use super::options::{
    BLOCK_CACHE, BLOCK_SIZE, BLOOM, BLOOM_BITS, WRITE_BUFFER_COUNT, WRITE_BUFFER_SIZE,
};
use super::params::RocksdbWorkload;
use super::shared::{MemoryConfig, SharedMemory, arena_block};
use crate::config::size;
use crate::memory::options::OptionDef;
use crate::memory::settings::Settings;
use crate::units::Bytes;

/// The sizes that the configuration or the job's code set for each column family.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ColumnOptions {
    /// Size of a memtable.
    pub write_buffer: Bytes,
    /// The most memtables.
    pub count: i64,
    /// Block cache where none is shared.
    pub block_cache: Bytes,
    /// Arena block.
    pub arena: Bytes,
    /// Size of a data block.
    pub block: Bytes,
    /// Bits of a bloom filter for each key, 0 without filters.
    pub bloom_bits: f64,
}

impl ColumnOptions {
    /// Reads the options; what the job's code sets comes first.
    pub fn read(settings: &Settings<'_>, workload: &RocksdbWorkload) -> Result<Self, RocksdbError> {
        let sized = |text: &Option<String>, option: &OptionDef, field: &'static str| match text {
            None => Ok(settings.size(option)?.bytes),
            Some(text) => size::parse(text)
                .map_err(|error| RocksdbError::BadWorkload { field, message: error.to_string() }),
        };
        let write_buffer =
            sized(&workload.write_buffer_size, &WRITE_BUFFER_SIZE, "workload.writeBufferSize")?;
        let count = match workload.write_buffer_count {
            Some(count) => i64::from(count),
            None => i64::from(settings.int(&WRITE_BUFFER_COUNT)?),
        };
        let bloom_bits = if settings.flag(&BLOOM)? {
            settings.double(&BLOOM_BITS)?.unwrap_or(10.0)
        } else {
            0.0
        };
        Ok(Self {
            write_buffer,
            count: count.max(0),
            block_cache: sized(
                &workload.block_cache_size,
                &BLOCK_CACHE,
                "workload.blockCacheSize",
            )?,
            arena: arena_block(workload.arena_block_size, write_buffer),
            block: settings.size(&BLOCK_SIZE)?.bytes,
            bloom_bits: if bloom_bits.is_finite() { bloom_bits.max(0.0) } else { 0.0 },
        })
    }
}

/// Memtables against the write buffer manager.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Memtables {
    /// Column families that write into one memory.
    pub column_families: i64,
    /// Size of a memtable.
    pub write_buffer: Bytes,
    /// The most memtables of a column family.
    pub count: i64,
    /// One arena block of each column family: what it holds once it is written at all.
    pub arenas: Bytes,
    /// One full memtable of each column family.
    pub one_each: Bytes,
    /// All memtables that want to live at once.
    pub all: Bytes,
}

/// The block cache against what wants to be in it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CacheUse {
    /// Its capacity; where none is shared, that of all column families of a slot.
    pub capacity: Bytes,
    /// Charged to it for write buffers.
    pub memtables: Bytes,
    /// Index blocks of all files.
    pub index: Bytes,
    /// Filter blocks of all files.
    pub filters: Bytes,
    /// Part of the capacity that index and filter blocks are kept in first.
    pub high_priority: Bytes,
    /// Data blocks under open iterators.
    pub iterators: Bytes,
    /// Left for data blocks.
    pub data: Bytes,
    /// Bytes in files.
    pub state: Bytes,
    /// Bytes that are read again and again.
    pub working_set: Bytes,
    /// Share of the working set that fits, 0 to 1.
    pub cached_share: f64,
}

/// Memtables of `sharers` slots in one memory.
pub fn memtables(
    workload: &RocksdbWorkload,
    columns: &ColumnOptions,
    assumed: &RocksdbAssumptions,
    sharers: i64,
) -> Memtables {
    let families = i64::from(workload.column_families) * sharers;
    let one_each = columns.write_buffer.get().saturating_mul(families);
    let arenas = columns.arena.get() as f64 * families as f64 * assumed.arena_blocks;
    Memtables {
        column_families: families,
        write_buffer: columns.write_buffer,
        count: columns.count,
        arenas: Bytes::new(arenas.ceil() as i64),
        one_each: Bytes::new(one_each),
        all: Bytes::new(one_each.saturating_mul(columns.count)),
    }
}

/// Bytes in files of one slot, and of their index and filters.
pub fn files(
    workload: &RocksdbWorkload,
    columns: &ColumnOptions,
    assumed: &RocksdbAssumptions,
) -> (f64, f64, f64) {
    let keys = workload.keys_per_slot as f64;
    let entry = f64::from(workload.key_bytes) + f64::from(workload.value_bytes) + 2.0;
    let state = keys * (entry + assumed.entry_overhead) * assumed.compression;
    (state, state * assumed.index_share, keys * columns.bloom_bits / 8.0)
}

/// The cache of `sharers` slots.
pub fn cache(
    workload: &RocksdbWorkload,
    columns: &ColumnOptions,
    assumed: &RocksdbAssumptions,
    config: &MemoryConfig,
    shared: Option<&SharedMemory>,
    memtables: &Memtables,
    sharers: i64,
) -> CacheUse {
    let slots = sharers as f64;
    let (state, index, filters) = files(workload, columns, assumed);
    let (state, index, filters) = (state * slots, index * slots, filters * slots);
    let (capacity, charged) = match shared {
        Some(shared) => {
            let manager = shared.write_buffer_manager_capacity;
            (shared.cache_capacity.get(), memtables.all.min(manager).get().max(0))
        }
        None => (columns.block_cache.get().saturating_mul(memtables.column_families), 0),
    };
    let blocks = f64::from(workload.iterators) * assumed.sorted_runs * slots;
    let iterators = blocks * columns.block.get() as f64;
    let meta = if shared.is_some() { index + filters } else { 0.0 };
    let data = (capacity as f64 - charged as f64 - meta - iterators).max(0.0);
    let working_set = state * workload.hot_share;
    let high_priority =
        if shared.is_some() { capacity as f64 * config.high_prio_ratio } else { 0.0 };
    let whole = |bytes: f64| Bytes::new(bytes as i64);
    CacheUse {
        capacity: Bytes::new(capacity),
        memtables: Bytes::new(charged),
        index: whole(index),
        filters: whole(filters),
        high_priority: whole(high_priority),
        iterators: whole(iterators),
        data: whole(data),
        state: whole(state),
        working_set: whole(working_set),
        cached_share: if working_set > data { data / working_set } else { 1.0 },
    }
}
