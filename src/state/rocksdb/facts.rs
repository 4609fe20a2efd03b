//! Everything that is known about RocksDB in one TaskManager, before anybody says what it means.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, the rules beside this file.

use super::assumptions::RocksdbAssumptions;
use super::error::RocksdbError;
use super::managed::{ConsumerShare, UseCase, backend_uses_managed, shares};
use super::options::FIXED_PER_TM;
use super::params::RocksdbWorkload;
use super::report::OutsideMemory;
use super::shared::{MemoryConfig, MemorySource, SharedMemory, divide};
use super::workload::{CacheUse, ColumnOptions, Memtables, cache, files, memtables};
use crate::memory::legacy::segment_size;
use crate::memory::settings::Settings;
use crate::memory::task_manager::TaskManagerSpec;
use crate::memory::trace::Trace;
use crate::memory::{MemoryParams, task_manager_spec};
use crate::units::Bytes;

/// RocksDB in one TaskManager.
#[derive(Debug, Clone)]
pub(crate) struct Facts {
    pub spec: TaskManagerSpec,
    pub slots: i64,
    pub backend_uses_managed: bool,
    pub consumers: Vec<ConsumerShare>,
    pub config: MemoryConfig,
    pub source: MemorySource,
    pub shared: Option<SharedMemory>,
    pub sharers: i64,
    pub columns: ColumnOptions,
    pub memtables: Memtables,
    pub cache: CacheUse,
    pub outside: Option<OutsideMemory>,
}

impl Facts {
    /// What a slot gets of a pool, by integer division.
    pub fn per_slot(&self, pool: Bytes) -> Bytes {
        Bytes::new(pool.get() / self.slots)
    }

    /// What the state backend gets of the slot's managed memory, nothing where Flink refuses.
    pub fn backend_share(&self) -> Bytes {
        share_of_backend(&self.consumers)
    }
}

fn share_of_backend(consumers: &[ConsumerShare]) -> Bytes {
    let shares = consumers.iter().filter(|share| share.use_case == UseCase::StateBackend);
    shares.filter_map(|share| share.bytes).max().unwrap_or(Bytes::ZERO)
}

/// Finds out everything.
pub(crate) fn facts(
    params: &MemoryParams,
    workload: &RocksdbWorkload,
    assumed: &RocksdbAssumptions,
) -> Result<Facts, RocksdbError> {
    workload.check()?;
    assumed.check()?;
    task_manager_spec(params, &mut Trace::silent(), |spec, settings, _| {
        let container = params.container(spec.total_process());
        let slots = i64::from(spec.num_slots.max(1));
        let config = MemoryConfig::read(settings)?;
        let source = config.source();
        let backend_in_use = workload.backend_in_code || backend_uses_managed(settings);
        let slot_managed = Bytes::new(spec.pools.managed.bytes.get() / slots);
        let page = segment_size(settings)?;
        let consumers = shares(settings, &workload.consumers, backend_in_use, slot_managed, page)?;
        let columns = ColumnOptions::read(settings, workload)?;
        let (memory, sharers) = match source {
            MemorySource::Managed => (Some(share_of_backend(&consumers)), 1),
            MemorySource::FixedPerSlot => (config.fixed_per_slot, 1),
            MemorySource::FixedPerTaskManager => (config.fixed_per_tm, slots),
            MemorySource::Unshared => (None, 1),
        };
        let shared = memory.map(|memory| divide(memory, config.write_buffer_ratio));
        let tables = memtables(workload, &columns, assumed, sharers);
        let used = cache(workload, &columns, assumed, &config, shared.as_ref(), &tables, sharers);
        let outside = native(source, &config, &columns, workload, assumed, slots).map(|native| {
            let idle = share_of_backend(&consumers).get().saturating_mul(slots);
            let line = container.headroom.get().saturating_add(idle);
            OutsideMemory {
                native,
                idle_managed: Bytes::new(idle),
                headroom: container.headroom,
                kill_line: Bytes::new(line),
                crosses: native.get() > line,
            }
        });
        Ok(Facts {
            spec,
            slots,
            backend_uses_managed: backend_in_use,
            consumers,
            config,
            source,
            shared,
            sharers,
            columns,
            memtables: tables,
            cache: used,
            outside,
        })
    })?
}

/// Bytes outside every pool, all slots together.
fn native(
    source: MemorySource,
    config: &MemoryConfig,
    columns: &ColumnOptions,
    workload: &RocksdbWorkload,
    assumed: &RocksdbAssumptions,
    slots: i64,
) -> Option<Bytes> {
    match source {
        MemorySource::Managed => None,
        MemorySource::FixedPerSlot => {
            config.fixed_per_slot.map(|size| Bytes::new(size.get().saturating_mul(slots)))
        }
        MemorySource::FixedPerTaskManager => config.fixed_per_tm,
        MemorySource::Unshared => {
            let memtables = columns.write_buffer.get().saturating_mul(columns.count);
            let family = memtables.saturating_add(columns.block_cache.get());
            let families = family.saturating_mul(i64::from(workload.column_families));
            let (_, index, filters) = files(workload, columns, assumed);
            let slot = families.saturating_add((index + filters) as i64);
            Some(Bytes::new(slot.saturating_mul(slots)))
        }
    }
}

/// Whether the option for the whole TaskManager is set and does not count.
pub(super) fn fixed_per_tm_idle(facts: &Facts, settings: &Settings<'_>) -> bool {
    settings.contains(&FIXED_PER_TM) && facts.source != MemorySource::FixedPerTaskManager
}
