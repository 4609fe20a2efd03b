//! The shape of an answer about RocksDB's memory. Reports are plain data.

use serde::Serialize;

use super::assumptions::Assumption;
use super::goals::Goal;
use super::managed::ConsumerShare;
use super::shared::{MemorySource, SharedMemory};
use super::workload::{CacheUse, Memtables};
use crate::units::{Bytes, FlinkVersion};

/// Native bytes that no pool of Flink holds, against what is left of the container.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OutsideMemory {
    /// The most RocksDB takes outside every pool, all slots together.
    pub native: Bytes,
    /// Managed memory that lies idle because the state backend does not use its share.
    pub idle_managed: Bytes,
    /// The container's limit minus total process memory; negative when it is too small.
    pub headroom: Bytes,
    /// Idle managed memory and headroom: with every other pool full, the container is killed when
    /// RocksDB takes more than this.
    pub kill_line: Bytes,
    /// Whether it can.
    pub crosses: bool,
}

/// Answer of `rocksdbMemory`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RocksdbReport {
    /// The version asked for.
    pub version: FlinkVersion,
    /// The patch release whose recorded answers the numbers equal.
    pub checked_on: &'static str,
    /// One sentence: the number, the knob, the boundary.
    pub verdict: String,
    /// Slots of the TaskManager.
    pub slots: i32,
    /// Task heap of a slot.
    pub slot_task_heap: Bytes,
    /// Network memory of a slot.
    pub slot_network: Bytes,
    /// Managed memory of a slot.
    pub slot_managed: Bytes,
    /// Whether the backend in use takes managed memory.
    pub backend_uses_managed: bool,
    /// What each consumer gets of the slot's managed memory.
    pub consumers: Vec<ConsumerShare>,
    /// The memory RocksDB lives from.
    pub source: MemorySource,
    /// `state.backend.rocksdb.memory.managed`.
    pub uses_managed: bool,
    /// The fixed size of a slot.
    pub fixed_per_slot: Option<Bytes>,
    /// The fixed size of the TaskManager.
    pub fixed_per_task_manager: Option<Bytes>,
    /// Share of write buffers.
    pub write_buffer_ratio: f64,
    /// Share of index and filter blocks in the cache.
    pub high_priority_pool_ratio: f64,
    /// Whether index and filters are partitioned.
    pub partitioned_index_filters: bool,
    /// Flink's refusal of the two ratios.
    pub ratio_refusal: Option<String>,
    /// What Flink makes of the memory; `None` where nothing is shared.
    pub shared: Option<SharedMemory>,
    /// Slots that share one memory.
    pub sharers: i64,
    /// RocksDB's own arena block.
    pub default_arena_block: Bytes,
    /// The arena block that counts.
    pub arena_block: Bytes,
    /// Whether one arena block fits below the flush limit; Flink warns where it does not.
    pub arena_fits: bool,
    /// Memtables against the write buffer manager.
    pub memtables: Memtables,
    /// The block cache against what wants to be in it.
    pub cache: CacheUse,
    /// Bytes outside every pool; `None` where RocksDB lives in managed memory.
    pub outside: Option<OutsideMemory>,
    /// What would fit with how much memory; empty where nothing is shared.
    pub goals: Vec<Goal>,
    /// What the estimate assumes.
    pub assumptions: Vec<Assumption>,
    /// What these numbers leave out.
    pub not_modelled: Vec<&'static str>,
}
