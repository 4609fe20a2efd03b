//! The answer about RocksDB's memory.

use super::error::RocksdbError;
use super::facts::facts;
use super::goals::goals;
use super::params::RocksdbParams;
use super::report::RocksdbReport;
use super::shared::default_arena_block;
use super::{notice, verdict};
use crate::finding::Derivation;

/// Derives the TaskManager, then RocksDB's memory in it, then what the workload makes of that.
///
/// # Errors
/// Flink's refusal of the TaskManager, of an option or of a weight, or a workload that does not
/// hold together. A refusal that comes only when the job opens its state is a finding.
pub fn rocksdb_memory(params: &RocksdbParams) -> Result<Derivation<RocksdbReport>, RocksdbError> {
    let memory = params.memory();
    let assumed = params.assumptions.clone().unwrap_or_default();
    let workload = &params.workload;
    let found = facts(&memory, workload, &assumed)?;
    let goals = goals(&memory, workload, &assumed, &found);
    let findings = notice::findings(&memory, workload, &assumed, &found, &goals);
    let pools = &found.spec.pools;
    let config = &found.config;
    let value = RocksdbReport {
        version: params.version,
        checked_on: params.version.checked_on(),
        verdict: verdict::verdict(&found, &goals),
        slots: found.spec.num_slots,
        slot_task_heap: found.per_slot(pools.task_heap.bytes),
        slot_network: found.per_slot(pools.network.bytes),
        slot_managed: found.per_slot(pools.managed.bytes),
        backend_uses_managed: found.backend_uses_managed,
        consumers: found.consumers.clone(),
        source: found.source,
        uses_managed: config.uses_managed,
        fixed_per_slot: config.fixed_per_slot,
        fixed_per_task_manager: config.fixed_per_tm,
        write_buffer_ratio: config.write_buffer_ratio,
        high_priority_pool_ratio: config.high_prio_ratio,
        partitioned_index_filters: config.partitioned,
        ratio_refusal: config.ratio_refusal(),
        shared: found.shared,
        sharers: found.sharers,
        default_arena_block: default_arena_block(found.columns.write_buffer),
        arena_block: found.columns.arena,
        arena_fits: found.shared.is_none_or(|shared| found.columns.arena <= shared.mutable_limit),
        memtables: found.memtables,
        cache: found.cache,
        outside: found.outside,
        goals,
        assumptions: assumed.lines(),
        not_modelled: notice::NOT_MODELLED.to_vec(),
    };
    Ok(Derivation { value, findings })
}
