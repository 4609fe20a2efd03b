//! From which memory does RocksDB live, and how does Flink divide it into block cache and write
//! buffers?
//!
//! The cache is (3 - r) / 3 of the memory and the write buffer manager 2r / 3, because write
//! buffers may exceed their capacity by half and are charged to the cache.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `RocksDBMemoryConfiguration#validate`,
//! `RocksDBMemoryControllerUtils#calculateActualCacheCapacity`,
//! `#calculateWriteBufferManagerCapacity`, `#calculateRocksDBDefaultArenaBlockSize`,
//! `#calculateRocksDBMutableLimit`, `#validateArenaBlockSize`, `RocksDBOperationUtils#allocateSharedCachesIfConfigured`.

use serde::Serialize;

use super::error::RocksdbError;
use super::options::{
    FIXED_PER_SLOT, FIXED_PER_TM, HIGH_PRIO_RATIO, MANAGED, PARTITIONED, WRITE_BUFFER_RATIO,
};
use crate::config::number::java_double;
use crate::memory::options::OptionDef;
use crate::memory::settings::Settings;
use crate::units::Bytes;

/// The memory RocksDB lives from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum MemorySource {
    /// The share of the slot's managed memory.
    Managed,
    /// A fixed size in each slot, outside managed memory.
    FixedPerSlot,
    /// A fixed size for the TaskManager, outside managed memory.
    FixedPerTaskManager,
    /// Nothing shared: each column family has its own cache and write buffers.
    Unshared,
}

/// What the options say.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MemoryConfig {
    /// Whether managed memory is asked for.
    pub uses_managed: bool,
    /// The fixed size of a slot.
    pub fixed_per_slot: Option<Bytes>,
    /// The fixed size of the TaskManager.
    pub fixed_per_tm: Option<Bytes>,
    /// Share of write buffers.
    pub write_buffer_ratio: f64,
    /// Share of index and filter blocks in the cache.
    pub high_prio_ratio: f64,
    /// Whether index and filters are partitioned.
    pub partitioned: bool,
}

impl MemoryConfig {
    /// Reads the options.
    pub fn read(settings: &Settings<'_>) -> Result<Self, RocksdbError> {
        let size = |option: &OptionDef| -> Result<Option<Bytes>, RocksdbError> {
            Ok(match settings.contains(option) {
                true => Some(settings.size(option)?.bytes),
                false => None,
            })
        };
        Ok(Self {
            uses_managed: settings.flag(&MANAGED)?,
            fixed_per_slot: size(&FIXED_PER_SLOT)?,
            fixed_per_tm: size(&FIXED_PER_TM)?,
            write_buffer_ratio: settings.double(&WRITE_BUFFER_RATIO)?.unwrap_or(0.5),
            high_prio_ratio: settings.double(&HIGH_PRIO_RATIO)?.unwrap_or(0.1),
            partitioned: settings.flag(&PARTITIONED)?,
        })
    }

    /// The memory that counts: a fixed size of the slot comes first, whatever else is set.
    pub fn source(&self) -> MemorySource {
        if self.fixed_per_slot.is_some() {
            MemorySource::FixedPerSlot
        } else if self.uses_managed {
            MemorySource::Managed
        } else if self.fixed_per_tm.is_some_and(|size| size > Bytes::ZERO) {
            MemorySource::FixedPerTaskManager
        } else {
            MemorySource::Unshared
        }
    }

    /// Flink's refusal of the two ratios.
    pub fn ratio_refusal(&self) -> Option<String> {
        let (r, high) = (self.write_buffer_ratio, self.high_prio_ratio);
        (2.0 * r / (3.0 - r) + high >= 1.0).then(|| {
            format!(
                "Invalid configuration: writeBufferRatio {} with highPriPoolRatio {}",
                java_double(r),
                java_double(high)
            )
        })
    }
}

/// What Flink makes of one memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SharedMemory {
    /// The memory.
    pub memory: Bytes,
    /// Capacity of the block cache.
    pub cache_capacity: Bytes,
    /// Capacity of the write buffer manager.
    pub write_buffer_manager_capacity: Bytes,
    /// Bytes of memtables from which on RocksDB flushes.
    pub mutable_limit: Bytes,
}

/// Divides a memory; doubles in the order of Flink's own operations.
pub fn divide(memory: Bytes, ratio: f64) -> SharedMemory {
    let m = memory.get();
    let cache = ((3.0 - ratio) * m as f64 / 3.0) as i64;
    let manager = (m.wrapping_mul(2) as f64 * ratio / 3.0) as i64;
    SharedMemory {
        memory,
        cache_capacity: Bytes::new(cache),
        write_buffer_manager_capacity: Bytes::new(manager),
        mutable_limit: Bytes::new(manager.wrapping_mul(7) / 8),
    }
}

/// RocksDB's own arena block: an eighth of the write buffer, up to a whole page.
pub fn default_arena_block(write_buffer: Bytes) -> Bytes {
    const PAGE: i64 = 4096;
    let eighth = write_buffer.get() / 8;
    let rest = eighth % PAGE;
    Bytes::new(if rest == 0 { eighth } else { (eighth - rest).saturating_add(PAGE) })
}

/// The arena block that counts: the configured one where it is positive.
pub fn arena_block(configured: i64, write_buffer: Bytes) -> Bytes {
    if configured > 0 { Bytes::new(configured) } else { default_arena_block(write_buffer) }
}

/// The smallest memory of which the part that `part` takes is at least `need`; `None` if none is.
pub fn smallest_memory(
    ratio: f64,
    need: i64,
    part: impl Fn(&SharedMemory) -> Bytes,
) -> Option<Bytes> {
    // Beyond, seven times the write buffers wrap, as in Flink.
    const MOST: i64 = 1 << 58;
    let holds = |memory| part(&divide(Bytes::new(memory), ratio)).get() >= need;
    crate::memory::boundary::least_up_to(MOST, holds).map(Bytes::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_gibibyte_is_divided() {
        let shared = divide(Bytes::mib(512), 0.5);
        assert_eq!(shared.cache_capacity, Bytes::new(447_392_426));
        assert_eq!(shared.write_buffer_manager_capacity, Bytes::new(178_956_970));
    }

    #[test]
    fn the_arena_of_the_default_write_buffer_needs_a_little_over_27_mib() {
        let arena = default_arena_block(Bytes::mib(64)).get();
        let least = smallest_memory(0.5, arena, |shared| shared.mutable_limit);
        assert_eq!(least, Some(Bytes::new(28_760_943)));
        assert_eq!(smallest_memory(0.0, 1, |shared| shared.mutable_limit), None);
    }
}
