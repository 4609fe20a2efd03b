//! What a sweep over slots is asked with.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::finding::Problem;
use crate::memory::MemoryParams;
use crate::network::NetworkJob;
use crate::state::rocksdb::{RocksdbAssumptions, RocksdbWorkload};
use crate::units::FlinkVersion;

/// The most slots of a sweep.
pub const MAX_SLOTS: u32 = 256;

/// Params of `slotsSweep`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SlotsParams {
    /// The version that reads the configuration.
    pub version: FlinkVersion,
    /// The TaskManager's configuration.
    pub config: BTreeMap<String, String>,
    /// Whether legacy heap keys are mapped first.
    pub start_script: bool,
    /// Memory limit of the container; `None` takes the total process memory.
    pub container_limit: Option<String>,
    /// The highest number of slots, 1 to 256.
    pub max_slots: u32,
    /// What lives in RocksDB in one slot; looked at where RocksDB is the configured backend or the
    /// job's code sets it. `None` leaves RocksDB out.
    pub workload: Option<RocksdbWorkload>,
    /// What the estimate assumes; `None` takes the defaults.
    pub assumptions: Option<RocksdbAssumptions>,
    /// The job's exchanges; `None` leaves the network out.
    pub job: Option<NetworkJob>,
}

impl SlotsParams {
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

/// Why there is no sweep: too many slots, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("A sweep goes up to 1 to {MAX_SLOTS} slots, not {0}.")]
pub struct SlotsError(pub u32);

impl From<SlotsError> for Problem {
    fn from(error: SlotsError) -> Self {
        Self {
            code: "bad_sweep".to_owned(),
            message: error.to_string(),
            field: Some("maxSlots".to_owned()),
            option: None,
        }
    }
}
