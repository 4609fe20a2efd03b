//! From which memory on does what fit? Boundaries found by dividing and deriving again.
//!
//! RocksDB flushes when mutable memtables reach 7/8 of the write buffer manager's capacity, or when
//! all memtables reach all of it.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `RocksDBMemoryControllerUtils#calculateRocksDBMutableLimit`;
//! RocksDB `WriteBufferManager::ShouldFlush`.

use serde::Serialize;

use super::assumptions::RocksdbAssumptions;
use super::facts::{Facts, facts};
use super::options::{FIXED_PER_SLOT, FIXED_PER_TM};
use super::params::RocksdbWorkload;
use super::shared::{MemorySource, SharedMemory, smallest_memory};
use crate::config::size::config_text;
use crate::memory::MemoryParams;
use crate::memory::boundary::{self, with_size};
use crate::memory::options::{OptionDef, tm};
use crate::memory::settings::Settings;
use crate::network::report::Knob;
use crate::units::Bytes;

/// What is to fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum GoalId {
    /// One arena block of each state below the flush limit.
    Arenas,
    /// One full memtable of each state below the flush limit.
    OneEach,
    /// All memtables within the write buffer manager.
    All,
}

/// What fits with how much memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Goal {
    /// What is to fit.
    pub id: GoalId,
    /// Bytes of memtables that it takes.
    pub need: Bytes,
    /// Bytes of memtables there is room for.
    pub room: Bytes,
    /// Whether it fits.
    pub fits: bool,
    /// The smallest memory of RocksDB at which it fits, `None` with no share for write buffers.
    pub memory: Option<Bytes>,
    /// The smallest managed memory of the TaskManager for that, where RocksDB lives in it.
    pub managed: Option<Bytes>,
    /// The option that is moved, with its smallest value; `None` where no single one does.
    pub knob: Option<Knob>,
}

/// The goals of what is shared.
pub(super) fn goals(
    params: &MemoryParams,
    workload: &RocksdbWorkload,
    assumed: &RocksdbAssumptions,
    found: &Facts,
) -> Vec<Goal> {
    let Some(shared) = &found.shared else { return Vec::new() };
    let tables = &found.memtables;
    let limit: fn(&SharedMemory) -> Bytes = |shared| shared.mutable_limit;
    let capacity: fn(&SharedMemory) -> Bytes = |shared| shared.write_buffer_manager_capacity;
    [
        (GoalId::Arenas, tables.arenas, limit),
        (GoalId::OneEach, tables.one_each, limit),
        (GoalId::All, tables.all, capacity),
    ]
    .into_iter()
    .map(|(id, need, part)| {
        let room = part(shared);
        let memory = smallest_memory(found.config.write_buffer_ratio, need.get(), part);
        let (managed, knob) = match memory {
            Some(memory) => knob(params, workload, assumed, found, memory),
            None => (None, None),
        };
        Goal { id, need, room, fits: room >= need, memory, managed, knob }
    })
    .collect()
}

/// Whether RocksDB gets so much memory.
fn gives(
    params: &MemoryParams,
    workload: &RocksdbWorkload,
    assumed: &RocksdbAssumptions,
    memory: Bytes,
) -> bool {
    facts(params, workload, assumed)
        .is_ok_and(|found| found.shared.is_some_and(|shared| shared.memory >= memory))
}

fn knob(
    params: &MemoryParams,
    workload: &RocksdbWorkload,
    assumed: &RocksdbAssumptions,
    found: &Facts,
    memory: Bytes,
) -> (Option<Bytes>, Option<Knob>) {
    let holds = |changed: &MemoryParams| gives(changed, workload, assumed, memory);
    let fixed = |option: OptionDef| {
        let whole = whole_mib(memory);
        let text = if holds(&with_size(params, &option, whole)) { whole } else { memory };
        Some(Knob { option: option.key, bytes: memory, text: config_text(text) })
    };
    match found.source {
        MemorySource::FixedPerSlot => (None, fixed(FIXED_PER_SLOT)),
        MemorySource::FixedPerTaskManager => (None, fixed(FIXED_PER_TM)),
        MemorySource::Unshared => (None, None),
        MemorySource::Managed => {
            let managed = managed_for(found, memory);
            let set = Settings::new(&params.config, params.version).contains(&tm::MANAGED);
            if let (true, Some(managed)) = (set, managed) {
                let candidates = [whole_mib(managed), managed];
                let starts = |size: &Bytes| holds(&with_size(params, &tm::MANAGED, *size));
                if let Some(size) = candidates.into_iter().find(starts) {
                    let text = config_text(size);
                    return (
                        Some(managed),
                        Some(Knob { option: tm::MANAGED.key, bytes: managed, text }),
                    );
                }
                return (Some(managed), None);
            }
            let total = boundary::total_for(params, &found.spec, holds);
            (managed, total.map(crate::network::knob))
        }
    }
}

/// The smallest managed memory of the TaskManager of which the backend's share is so much.
fn managed_for(found: &Facts, memory: Bytes) -> Option<Bytes> {
    let share = found
        .consumers
        .iter()
        .filter(|share| share.bytes.is_some())
        .find(|share| share.use_case == super::managed::UseCase::StateBackend)?;
    let holds = |managed: i64| {
        (managed / found.slots) as f64 * share.fraction_of_slot >= memory.get() as f64
    };
    boundary::least_up_to(i64::MAX, holds).map(Bytes::new)
}

fn whole_mib(size: Bytes) -> Bytes {
    Bytes::new(size.get().saturating_add((1 << 20) - 1) >> 20 << 20)
}
