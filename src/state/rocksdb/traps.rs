//! The two traps of RocksDB in crowded memory: a storm of flushes, and index blocks that are read
//! over and over.
//!
//! Source: measured on Flink 1.20.5 (FRocksDB 6.20.3) and not met on 2.2.1 (FRocksDB 8.10) with the
//! same load: 64 MB write buffers, 4 KB blocks, 335 to 460 MB of state. Flink 1.18.1 ships the
//! RocksDB of 1.20 (frocksdbjni 6.20.3-ververica-2.0 in the NOTICE of both) and was not measured.

use super::assumptions::RocksdbAssumptions;
use super::facts::Facts;
use super::goals::{Goal, GoalId};
use super::options::{PARTITIONED, WRITE_BUFFER_SIZE};
use super::params::RocksdbWorkload;
use super::shared::arena_block;
use crate::config::size::config_text;
use crate::finding::{Change, Finding, Severity};
use crate::memory::trace::exact;
use crate::units::{Bytes, FlinkVersion};

/// Whether the arena blocks of the written states reach the limit from which on RocksDB flushes.
pub(crate) fn storms(facts: &Facts) -> bool {
    let crowded = facts.shared.as_ref().is_some_and(|s| facts.memtables.arenas > s.mutable_limit);
    crowded && facts.memtables.column_families > 0
}

fn measured(version: FlinkVersion) -> &'static str {
    match version {
        FlinkVersion::V1_18 => "measured on Flink 1.20.5; 1.18.1 ships the same FRocksDB 6.20.3",
        FlinkVersion::V1_20 => "measured on Flink 1.20.5, FRocksDB 6.20.3",
        FlinkVersion::V2_2 => "measured on Flink 2.2.1, FRocksDB 8.10",
    }
}

/// Memtables that are flushed as soon as they are written.
pub(super) fn flush_storm(
    version: FlinkVersion,
    workload: &RocksdbWorkload,
    assumed: &RocksdbAssumptions,
    facts: &Facts,
    goals: &[Goal],
) -> Option<Finding> {
    let shared = facts.shared.as_ref()?;
    if !storms(facts) {
        return None;
    }
    let tables = &facts.memtables;
    let families = tables.column_families;
    let what = format!(
        "{families} written states hold {} of arena blocks, {} each, and RocksDB flushes from {} of memtables on.",
        exact(tables.arenas),
        exact(facts.columns.arena),
        exact(shared.mutable_limit)
    );
    if version == FlinkVersion::V2_2 {
        return Some(Finding {
            code: "rocksdb_memtables_crowded",
            severity: Severity::Note,
            title: "Memtables are crowded, which this RocksDB bears.".to_owned(),
            reason: format!(
                "{what} On Flink 1.20 that is a flush storm; on 2.2.1 none came at 4 and 21 MB of memory a state."
            ),
            option: Some(WRITE_BUFFER_SIZE.key.to_owned()),
            price: None,
            apply: Vec::new(),
            source: measured(version).to_owned(),
        });
    }
    let smaller = smaller_buffer(workload, assumed, shared.mutable_limit, families);
    let arenas = goals.iter().find(|goal| goal.id == GoalId::Arenas);
    let memory = arenas.and_then(|goal| goal.knob.as_ref()).map(|knob| {
        format!(" With the same write buffers {} = {} is the least.", knob.option, knob.text)
    });
    let price = match smaller {
        Some(size) => format!(
            "With write buffers of {size} the arena blocks fit (8 MB was measured as a cure: 2.0 to 3.1 us a put); files become smaller and are compacted more often.{}",
            memory.unwrap_or_default()
        ),
        None => format!("No write buffer of 1 MiB or more helps.{}", memory.unwrap_or_default()),
    };
    let in_config = workload.write_buffer_size.is_none() && workload.arena_block_size <= 0;
    Some(Finding {
        code: "rocksdb_flush_storm",
        severity: Severity::Warning,
        title: format!(
            "Flush storm: {} of memory are too little for {families} written states.",
            exact(shared.memory)
        ),
        reason: format!(
            "{what} Every write then flushes a nearly empty memtable; measured: files of about 3 KB, write amplification 31 to 65, 57 to 216 us a put instead of 1.6 to 7.5."
        ),
        option: Some(WRITE_BUFFER_SIZE.key.to_owned()),
        price: Some(price),
        apply: smaller
            .filter(|_| in_config)
            .map(|size| vec![Change::set(WRITE_BUFFER_SIZE.key, config_text(size))])
            .unwrap_or_default(),
        source: measured(version).to_owned(),
    })
}

/// The largest write buffer in whole MiB, up to the 8 MiB that were measured as a cure, with which
/// the arena blocks of all states fit.
fn smaller_buffer(
    workload: &RocksdbWorkload,
    assumed: &RocksdbAssumptions,
    limit: Bytes,
    families: i64,
) -> Option<Bytes> {
    let fits = |mib: i64| {
        let arena = arena_block(workload.arena_block_size, Bytes::mib(mib)).get() as f64;
        arena * families as f64 * assumed.arena_blocks <= limit.get() as f64
    };
    (1..=8).rev().find(|mib| fits(*mib)).map(Bytes::mib)
}

/// Index blocks that do not stay in a cache crowded by write buffers and data.
pub(super) fn index_thrash(version: FlinkVersion, facts: &Facts) -> Option<Finding> {
    let cache = &facts.cache;
    let shared = facts.shared.is_some() && version < FlinkVersion::V2_2;
    // Nothing is evicted while everything fits.
    let wanted = [cache.memtables, cache.index, cache.filters, cache.state];
    let wanted = wanted.iter().fold(0_i64, |sum, part| sum.saturating_add(part.get()));
    if !shared
        || facts.config.partitioned
        || cache.index == Bytes::ZERO
        || wanted <= cache.capacity.get()
    {
        return None;
    }
    let both = if cache.cached_share >= 1.0 {
        format!(
            " All {} of hot data fit beside it; but reads of the other data, {} in files, pass through the same cache and evict what was read longest ago.",
            exact(cache.working_set),
            exact(cache.state)
        )
    } else {
        String::new()
    };
    Some(Finding {
        code: "rocksdb_index_thrash",
        severity: Severity::Warning,
        title: format!(
            "Index blocks may be read again for every access: {} want into a cache of {}.",
            exact(Bytes::new(wanted)),
            cache.capacity
        ),
        reason: format!(
            "The index is only {}, but each file has one block of it, which is evicted when its part of the cache is crowded. It is a risk, not a rule: with 64 to 256 MB of memory and 335 to 460 MB of state the same setting gave 11 us in one process and 100 to 835 us an access in another.{both}",
            exact(cache.index)
        ),
        option: Some(PARTITIONED.key.to_owned()),
        price: Some(
            "Partitioned, the same accesses took 11 to 23 us; a lookup reads one small block more."
                .to_owned(),
        ),
        apply: vec![Change::set(PARTITIONED.key, "true")],
        source: measured(version).to_owned(),
    })
}
