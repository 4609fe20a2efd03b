//! Which options decide the memory of RocksDB?
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `RocksDBOptions`, `RocksDBConfigurableOptions`,
//! `StateBackendOptions`, `TaskManagerOptions.MANAGED_MEMORY_CONSUMER_WEIGHTS`. Defaults are the
//! same in all three versions.

use crate::memory::options::OptionDef;

const fn option(key: &'static str, default: Option<&'static str>) -> OptionDef {
    OptionDef { key, default, fallbacks: &[] }
}

/// The state backend.
pub const BACKEND: OptionDef =
    OptionDef { key: "state.backend.type", default: None, fallbacks: &["state.backend"] };
/// How the consumers of managed memory in a slot share it.
pub const CONSUMER_WEIGHTS: OptionDef = option(
    "taskmanager.memory.managed.consumer-weights",
    Some("OPERATOR:70,STATE_BACKEND:70,PYTHON:30"),
);
/// Whether RocksDB lives in managed memory.
pub const MANAGED: OptionDef = option("state.backend.rocksdb.memory.managed", Some("true"));
/// Memory for each slot, outside managed memory.
pub const FIXED_PER_SLOT: OptionDef = option("state.backend.rocksdb.memory.fixed-per-slot", None);
/// Memory for the whole TaskManager, outside managed memory.
pub const FIXED_PER_TM: OptionDef = option("state.backend.rocksdb.memory.fixed-per-tm", None);
/// Share of the memory that write buffers may take.
pub const WRITE_BUFFER_RATIO: OptionDef =
    option("state.backend.rocksdb.memory.write-buffer-ratio", Some("0.5"));
/// Share of the cache for index and filter blocks.
pub const HIGH_PRIO_RATIO: OptionDef =
    option("state.backend.rocksdb.memory.high-prio-pool-ratio", Some("0.1"));
/// Whether index and filter blocks are split.
pub const PARTITIONED: OptionDef =
    option("state.backend.rocksdb.memory.partitioned-index-filters", Some("false"));
/// Size of a memtable.
pub const WRITE_BUFFER_SIZE: OptionDef =
    option("state.backend.rocksdb.writebuffer.size", Some("64 mb"));
/// The most memtables of a column family.
pub const WRITE_BUFFER_COUNT: OptionDef =
    option("state.backend.rocksdb.writebuffer.count", Some("2"));
/// Block cache of a column family where no cache is shared.
pub const BLOCK_CACHE: OptionDef = option("state.backend.rocksdb.block.cache-size", Some("8 mb"));
/// Size of a data block.
pub const BLOCK_SIZE: OptionDef = option("state.backend.rocksdb.block.blocksize", Some("4 kb"));
/// Whether files have bloom filters.
pub const BLOOM: OptionDef = option("state.backend.rocksdb.use-bloom-filter", Some("false"));
/// Bits of a bloom filter for each key.
pub const BLOOM_BITS: OptionDef =
    option("state.backend.rocksdb.bloom-filter.bits-per-key", Some("10.0"));
/// A set of options under one name.
pub const PREDEFINED: OptionDef =
    option("state.backend.rocksdb.predefined-options", Some("DEFAULT"));
/// A class that sets options in code.
pub const FACTORY: OptionDef = option("state.backend.rocksdb.options-factory", None);
