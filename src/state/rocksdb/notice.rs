//! What should a reader notice about RocksDB's memory?
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `RocksDBMemoryConfiguration#validate`,
//! `RocksDBMemoryControllerUtils#validateArenaBlockSize`, `MemoryManager#computeMemorySize`,
//! `RocksDBSharedResourcesFactory`.

use super::assumptions::RocksdbAssumptions;
use super::facts::{Facts, fixed_per_tm_idle};
use super::goals::Goal;
use super::managed::UseCase;
use super::options::{
    BACKEND, BLOCK_CACHE, CONSUMER_WEIGHTS, FACTORY, FIXED_PER_SLOT, FIXED_PER_TM, MANAGED,
    PREDEFINED, WRITE_BUFFER_RATIO, WRITE_BUFFER_SIZE,
};
use super::params::RocksdbWorkload;
use super::shared::MemorySource;
use super::traps;
use crate::finding::{Change, Finding, Severity};
use crate::memory::MemoryParams;
use crate::memory::notice::{cite, unread_limit};
use crate::memory::settings::Settings;
use crate::memory::trace::exact;
use crate::units::{Bytes, FlinkVersion};

/// What the numbers leave out.
pub(super) const NOT_MODELLED: [&str; 7] = [
    "Options that a predefined set or an options factory changes, unless the workload names them.",
    "The order in which RocksDB evicts, and how blocks fall into parts of the cache: the share that fits is that of an even cache.",
    "Memory of allocators and fragments: up to about 20 MB more than the pools say in runs of under a minute, longer runs not measured.",
    "Compaction, snapshots and restore while the job runs, and files that several of them hold at once.",
    "Time: access costs were measured as ratios only.",
    "Timers in RocksDB beyond the column family they are, merge operands of lists, and changelog.",
    "The number of files that are open at once.",
];

/// Everything that is to be noticed, gravest first.
pub(super) fn findings(
    params: &MemoryParams,
    workload: &RocksdbWorkload,
    assumed: &RocksdbAssumptions,
    facts: &Facts,
    goals: &[Goal],
) -> Vec<Finding> {
    let version = params.version;
    let settings = Settings::new(&params.config, version);
    let mut found = Vec::new();
    found.extend(unread_limit(params));
    found.extend(ratio_refused(version, facts));
    found.extend(no_share(version, facts));
    found.extend(outside(version, facts));
    found.extend(traps::flush_storm(version, workload, assumed, facts, goals));
    found.extend(traps::index_thrash(version, facts));
    found.extend(arena_warning(version, facts));
    found.extend(in_vain(&settings, facts));
    found.extend(forst_configured(&settings, workload));
    found.extend(unknown_options(&settings));
    found.sort_by_key(|finding| finding.severity);
    found
}

fn ratio_refused(version: FlinkVersion, facts: &Facts) -> Option<Finding> {
    facts.config.ratio_refusal().map(|message| Finding {
        code: "rocksdb_ratio_refused",
        severity: Severity::Error,
        title: message,
        reason: "Write buffers and high priority blocks together would take the whole cache; the job fails when it opens its state.".to_owned(),
        option: Some(WRITE_BUFFER_RATIO.key.to_owned()),
        price: Some("0.5 beside 0.1 is the default.".to_owned()),
        apply: vec![
            Change::remove(WRITE_BUFFER_RATIO.key),
            Change::remove(super::options::HIGH_PRIO_RATIO.key),
        ],
        source: cite("RocksDBMemoryConfiguration#validate", version),
    })
}

/// RocksDB asks for managed memory and gets none.
fn no_share(version: FlinkVersion, facts: &Facts) -> Option<Finding> {
    if facts.source != MemorySource::Managed || facts.backend_share() > Bytes::ZERO {
        return None;
    }
    let source = cite("ManagedMemoryUtils#convertToFractionOfSlot", version);
    if !facts.backend_uses_managed {
        return Some(Finding {
            code: "rocksdb_not_the_backend",
            severity: Severity::Error,
            title: "The configuration does not name RocksDB, so it gets no managed memory."
                .to_owned(),
            reason: format!(
                "{} decides, unless the job sets the backend in code; without either, state lives on the heap.",
                BACKEND.key
            ),
            option: Some(BACKEND.key.to_owned()),
            price: Some(
                "A running job changes its backend through a canonical savepoint only.".to_owned(),
            ),
            apply: vec![Change::set(BACKEND.key, "rocksdb")],
            source,
        });
    }
    let refusal = facts.consumers.iter().find(|share| share.use_case == UseCase::StateBackend);
    let (title, reason) = match refusal.and_then(|share| share.error.clone()) {
        Some(message) => (message, "The weight of the state backend is 0, or the map leaves it out; a map replaces the default as a whole.".to_owned()),
        None => (
            "RocksDB lives in managed memory and gets 0 B of it.".to_owned(),
            format!("A slot has {} of managed memory.", facts.per_slot(facts.spec.pools.managed.bytes)),
        ),
    };
    Some(Finding {
        code: "rocksdb_no_share",
        severity: Severity::Error,
        title,
        reason,
        option: Some(CONSUMER_WEIGHTS.key.to_owned()),
        price: None,
        apply: Vec::new(),
        source,
    })
}

/// The options shown are not those of the backend that the configuration names.
fn forst_configured(settings: &Settings<'_>, workload: &RocksdbWorkload) -> Option<Finding> {
    let name = settings.entry(&BACKEND).map_or("", |(_, text)| text);
    let is_forst = name.eq_ignore_ascii_case("forst") && settings.version >= FlinkVersion::V2_2;
    (is_forst && !workload.backend_in_code).then(|| Finding {
        code: "forst_configured",
        severity: Severity::Warning,
        title: "The configured backend is ForSt, which reads none of these options.".to_owned(),
        reason: "ForSt divides a slot's memory by the same rules, with options under state.backend.forst; with their defaults only partitioned index and filters differ, which are on. Its file cache and its remote storage are not modelled. This was read in the source of its classes; no recording covers it.".to_owned(),
        option: Some(BACKEND.key.to_owned()),
        price: None,
        apply: Vec::new(),
        source: cite("ForStMemoryControllerUtils, ForStOptions", settings.version),
    })
}

/// Bytes outside every pool.
fn outside(version: FlinkVersion, facts: &Facts) -> Option<Finding> {
    let outside = facts.outside.as_ref()?;
    let (option, change) = match facts.source {
        MemorySource::FixedPerSlot => (FIXED_PER_SLOT.key, Change::remove(FIXED_PER_SLOT.key)),
        MemorySource::FixedPerTaskManager => (FIXED_PER_TM.key, Change::set(MANAGED.key, "true")),
        _ => (MANAGED.key, Change::set(MANAGED.key, "true")),
    };
    let bound = if facts.source == MemorySource::Unshared {
        " It is a bound; measured with one state 129 MB of 136, with sixteen 465 MB and still filling."
    } else {
        ""
    };
    let (severity, title) = if outside.crosses {
        (
            Severity::Error,
            format!(
                "RocksDB may take {} outside every pool, {} beyond the kill line of the container.",
                exact(outside.native),
                exact(Bytes::new(outside.native.get().saturating_sub(outside.kill_line.get())))
            ),
        )
    } else {
        (
            Severity::Warning,
            format!("RocksDB takes up to {} outside every pool.", exact(outside.native)),
        )
    };
    Some(Finding {
        code: "rocksdb_outside",
        severity,
        title,
        reason: format!(
            "Nothing in Flink counts these bytes. With all other pools full, {} are left before the kernel kills the process: {} of headroom and {} of managed memory that lie idle.{bound}",
            exact(outside.kill_line),
            exact(outside.headroom),
            exact(outside.idle_managed)
        ),
        option: Some(option.to_owned()),
        price: Some("In managed memory RocksDB is limited to its share, and the share is part of the process.".to_owned()),
        apply: vec![change],
        source: cite("RocksDBSharedResourcesFactory", version),
    })
}

/// The warning that Flink logs.
fn arena_warning(version: FlinkVersion, facts: &Facts) -> Option<Finding> {
    let shared = facts.shared.as_ref()?;
    if facts.columns.arena <= shared.mutable_limit {
        return None;
    }
    Some(Finding {
        code: "rocksdb_arena_warning",
        severity: Severity::Warning,
        title: format!(
            "Flink warns: one arena block of {} is larger than the {} from which on memtables are flushed.",
            exact(facts.columns.arena),
            exact(shared.mutable_limit)
        ),
        reason: "RocksDB then flushes memtables constantly; Flink only logs it.".to_owned(),
        option: Some(WRITE_BUFFER_SIZE.key.to_owned()),
        price: Some("Smaller write buffers, or more memory.".to_owned()),
        apply: Vec::new(),
        source: cite("RocksDBMemoryControllerUtils#validateArenaBlockSize", version),
    })
}

/// Options of another kind of memory.
fn in_vain(settings: &Settings<'_>, facts: &Facts) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut add = |key: &str, reason: &str, source: &str| {
        found.push(Finding {
            code: "set_in_vain",
            severity: Severity::Warning,
            title: format!("{key} has no effect."),
            reason: reason.to_owned(),
            option: Some(key.to_owned()),
            price: Some("Removing it changes nothing.".to_owned()),
            apply: vec![Change::remove(key)],
            source: cite(source, settings.version),
        });
    };
    if facts.shared.is_some() && settings.contains(&BLOCK_CACHE) {
        let reason =
            "All column families use the shared cache (from the documentation, not measured).";
        add(BLOCK_CACHE.key, reason, BLOCK_CACHE.key);
    }
    if fixed_per_tm_idle(facts, settings) {
        let reason =
            "It counts only where RocksDB is not in managed memory and no size of a slot is set.";
        add(FIXED_PER_TM.key, reason, "RocksDBSharedResourcesFactory");
    }
    if facts.source == MemorySource::FixedPerSlot && settings.contains(&MANAGED) {
        let reason = "A fixed size of the slot comes first.";
        add(MANAGED.key, reason, "RocksDBSharedResourcesFactory");
    }
    found
}

/// Sets of options that are not looked into.
fn unknown_options(settings: &Settings<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for option in [PREDEFINED, FACTORY] {
        let Some((key, text)) = settings.entry(&option) else { continue };
        if option.default.is_some_and(|default| default.eq_ignore_ascii_case(text)) {
            continue;
        }
        found.push(Finding {
            code: "rocksdb_options_not_modelled",
            severity: Severity::Note,
            title: format!("What {key} = {text} changes is not in these numbers."),
            reason: "Name write buffers, their number and the block cache in the workload."
                .to_owned(),
            option: Some(key.to_owned()),
            price: None,
            apply: Vec::new(),
            source: cite(option.key, settings.version),
        });
    }
    found
}
