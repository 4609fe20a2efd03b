//! What derives, yet does not run: sizes that Flink accepts here and refuses later, or that no job
//! can live with.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `ConfigurationParserUtils#getPageSize` (segment size),
//! `TaskExecutorProcessUtils#processSpecFromConfig` (slots are not looked at when cores are set),
//! `#generateJvmParametersStr` (framework and task heap are one `-Xmx`), the option
//! `state.backend.rocksdb.memory.managed`.

use super::cite;
use crate::finding::{Change, Finding, Severity};
use crate::memory::advice::backend;
use crate::memory::legacy::MIN_SEGMENT;
use crate::memory::options::{OptionDef, tm};
use crate::memory::settings::Settings;
use crate::memory::task_manager::TaskManagerSpec;
use crate::memory::trace::exact;
use crate::units::Bytes;

/// RocksDB on managed memory, unless it is told otherwise.
const ROCKSDB_MANAGED: OptionDef = OptionDef {
    key: "state.backend.rocksdb.memory.managed",
    default: Some("true"),
    fallbacks: &[],
};

/// Everything of that kind in one TaskManager.
pub(super) fn hazards(spec: &TaskManagerSpec, settings: &Settings<'_>) -> Vec<Finding> {
    [
        task_heap(spec, settings),
        segment_size(settings),
        slots(spec, settings),
        rocksdb_without_memory(spec, settings),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Task heap below what Flink keeps for itself: a comparison of two of Flink's own numbers.
fn task_heap(spec: &TaskManagerSpec, settings: &Settings<'_>) -> Option<Finding> {
    let (heap, framework) = (spec.pools.task_heap.bytes, spec.pools.framework_heap.bytes);
    (heap < framework).then(|| Finding {
        code: "task_heap_small",
        severity: Severity::Warning,
        title: format!("Task heap is {}, less than Flink keeps for itself.", exact(heap)),
        reason: format!(
            "Flink accepts it. Framework heap, {framework}, and task heap are one JVM heap of {}; beyond its own share user code takes from Flink's.",
            spec.jvm_heap()
        ),
        option: Some(tm::TASK_HEAP.key.to_owned()),
        price: Some("Raise the total, or lower managed or network memory.".to_owned()),
        apply: Vec::new(),
        source: cite("TaskExecutorFlinkMemoryUtils#deriveFromTotalFlinkMemory", settings.version),
    })
}

fn segment_size(settings: &Settings<'_>) -> Option<Finding> {
    let (_, text) = settings.entry(&tm::SEGMENT_SIZE)?;
    let size = settings.size(&tm::SEGMENT_SIZE).ok().map(|size| size.bytes.get());
    if size.is_some_and(|bytes| bytes >= MIN_SEGMENT && bytes.count_ones() == 1) {
        return None;
    }
    let key = tm::SEGMENT_SIZE.key;
    Some(Finding {
        code: "bad_segment_size",
        severity: Severity::Error,
        title: format!("{key} = {text} is refused when the TaskManager starts its network."),
        reason: format!(
            "Deriving memory does not look at it; later it must be a power of two of at least {MIN_SEGMENT} bytes."
        ),
        option: Some(key.to_owned()),
        price: Some("The default of 32kb changes no pool.".to_owned()),
        apply: vec![Change::remove(key)],
        source: cite("ConfigurationParserUtils#getPageSize", settings.version),
    })
}

fn slots(spec: &TaskManagerSpec, settings: &Settings<'_>) -> Option<Finding> {
    (spec.num_slots < 1).then(|| Finding {
        code: "slots_not_positive",
        severity: Severity::Error,
        title: format!("A TaskManager with {} slots runs no task.", spec.num_slots),
        reason: format!(
            "Deriving memory lets it pass only because {} is set; pools are not divided here.",
            tm::CPU_CORES.key
        ),
        option: Some(tm::SLOTS.key.to_owned()),
        price: Some("One slot takes all of managed memory.".to_owned()),
        apply: vec![Change::set(tm::SLOTS.key, "1")],
        source: cite("TaskExecutorProcessUtils#processSpecFromConfig", settings.version),
    })
}

fn rocksdb_without_memory(spec: &TaskManagerSpec, settings: &Settings<'_>) -> Option<Finding> {
    let is_rocksdb = backend(settings.config).as_deref() == Some("rocksdb");
    let is_managed = settings.flag(&ROCKSDB_MANAGED).unwrap_or(true);
    let own = ["state.backend.rocksdb.memory.fixed-per-slot"];
    let has_own = own.iter().any(|key| settings.config.contains_key(*key));
    let without = spec.pools.managed.bytes == Bytes::ZERO && is_rocksdb && is_managed && !has_own;
    without.then(|| Finding {
        code: "rocksdb_without_memory",
        severity: Severity::Warning,
        title: "RocksDB is set, and managed memory is 0 B.".to_owned(),
        reason: format!(
            "{} is true, so its cache and write buffers come out of managed memory.",
            ROCKSDB_MANAGED.key
        ),
        option: Some(tm::MANAGED_FRACTION.key.to_owned()),
        price: Some("What managed memory gains, task heap or network loses.".to_owned()),
        apply: Vec::new(),
        source: cite(ROCKSDB_MANAGED.key, settings.version),
    })
}
