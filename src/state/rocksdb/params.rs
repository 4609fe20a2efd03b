//! What a question about RocksDB's memory is asked with.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::assumptions::RocksdbAssumptions;
use super::error::RocksdbError;
use super::managed::{ManagedConsumer, UseCase};
use crate::memory::MemoryParams;
use crate::units::FlinkVersion;

/// Params of `rocksdbMemory`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RocksdbParams {
    /// The version that reads the configuration.
    pub version: FlinkVersion,
    /// The TaskManager's configuration with the options of RocksDB.
    pub config: BTreeMap<String, String>,
    /// Whether legacy heap keys are mapped first.
    pub start_script: bool,
    /// Memory limit of the container; `None` takes the total process memory.
    pub container_limit: Option<String>,
    /// What uses the memory.
    pub workload: RocksdbWorkload,
    /// What the estimate assumes; `None` takes the defaults.
    pub assumptions: Option<RocksdbAssumptions>,
}

impl RocksdbParams {
    /// The part that a TaskManager's memory is derived from.
    pub fn memory(&self) -> MemoryParams {
        MemoryParams {
            version: self.version,
            config: self.config.clone(),
            start_script: self.start_script,
            container_limit: self.container_limit.clone(),
        }
    }
}

/// What lives in RocksDB in one slot.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RocksdbWorkload {
    /// Whether the job's code sets RocksDB, whatever `state.backend.type` says.
    pub backend_in_code: bool,
    /// What uses managed memory in the slot.
    pub consumers: Vec<ManagedConsumer>,
    /// Column families that are written: one for each registered state, timers included.
    pub column_families: u32,
    /// Size of a memtable where the job's code sets it, as Flink writes sizes.
    pub write_buffer_size: Option<String>,
    /// The most memtables of a column family where the job's code sets it.
    pub write_buffer_count: Option<u32>,
    /// Block cache of a column family where the job's code sets it; counts only where none is shared.
    pub block_cache_size: Option<String>,
    /// Arena block where the job's code sets it \[B\]; RocksDB's own up to 0.
    pub arena_block_size: i64,
    /// Serialised size of a key \[B\].
    pub key_bytes: u32,
    /// Serialised size of a value \[B\].
    pub value_bytes: u32,
    /// Entries in the slot, over all states.
    pub keys_per_slot: u64,
    /// Share of the entries that are read again and again, 0 to 1.
    pub hot_share: f64,
    /// Iterators open at once in the slot.
    pub iterators: u32,
}

impl Default for RocksdbWorkload {
    /// One state, nothing in it, RocksDB the only consumer of managed memory.
    fn default() -> Self {
        Self {
            backend_in_code: false,
            consumers: vec![ManagedConsumer { use_case: UseCase::StateBackend, share: 1.0 }],
            column_families: 1,
            write_buffer_size: None,
            write_buffer_count: None,
            block_cache_size: None,
            arena_block_size: 0,
            key_bytes: 0,
            value_bytes: 0,
            keys_per_slot: 0,
            hot_share: 1.0,
            iterators: 0,
        }
    }
}

/// The most column families, memtables or iterators that are computed with.
const MAX_COUNT: u32 = 100_000;
/// The most entries, so that they stay whole in a double.
const MAX_KEYS: u64 = 1 << 53;

impl RocksdbWorkload {
    /// Refuses a description that no slot has.
    pub(super) fn check(&self) -> Result<(), RocksdbError> {
        let refuse = |field, message: &str| {
            Err(RocksdbError::BadWorkload { field, message: message.to_owned() })
        };
        if self.consumers.len() > 3 {
            return refuse("workload.consumers", "There are three kinds of consumers.");
        }
        let is_share = |share: f64| (0.0..=1.0).contains(&share);
        if !self.consumers.iter().all(|consumer| is_share(consumer.share)) {
            return refuse("workload.consumers", "A share lies between 0 and 1.");
        }
        if !is_share(self.hot_share) {
            return refuse("workload.hotShare", "A share lies between 0 and 1.");
        }
        let counts = [
            ("workload.columnFamilies", self.column_families),
            ("workload.writeBufferCount", self.write_buffer_count.unwrap_or(0)),
            ("workload.iterators", self.iterators),
        ];
        for (field, count) in counts {
            if count > MAX_COUNT {
                return refuse(field, &format!("At most {MAX_COUNT}."));
            }
        }
        if self.keys_per_slot > MAX_KEYS {
            return refuse("workload.keysPerSlot", "At most 2^53.");
        }
        Ok(())
    }
}
