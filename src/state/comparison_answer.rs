//! The answer of `compareBackends`: both backends side by side, verdict, findings.

use serde::Serialize;

use super::access::{self, AccessCost, CollectionCost, Residence};
use super::assumptions::{Assumption, Id};
use super::comparison::{self, Rocks, WRITE_BUFFER};
use super::error::StateError;
use super::heap::{rounded, times};
use super::heap_answer::{self, Situation, Status};
use super::heap_notice;
use super::incremental::{Incremental, Regime};
use super::params::CompareParams;
use super::restore::{self, RestoreCost};
use super::sizes::{self, SizePoint};
use super::snapshot;
use crate::finding::{Change, Derivation, Finding, Severity};
use crate::memory::settings::Settings;
use crate::units::{Bytes, FlinkVersion, grouped};

/// One backend's side.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BackendSide {
    /// `hashmap` or `rocksdb`.
    pub backend: &'static str,
    /// Memory on one TaskManager, while a snapshot runs.
    pub memory: Bytes,
    /// The pool it comes from.
    pub pool: &'static str,
    /// The size of that pool on one TaskManager.
    pub pool_bytes: Bytes,
    /// Disk on one TaskManager; `None` where it is not known, 0 where there is none.
    pub disk: Option<Bytes>,
    /// A full checkpoint, all subtasks; `None` where it was not measured.
    pub full_checkpoint: Option<Bytes>,
    /// A canonical savepoint, all subtasks; the same for both.
    pub canonical_savepoint: Option<Bytes>,
    /// New bytes of a checkpoint on average, all subtasks.
    pub mean_upload: Option<Bytes>,
}

/// What all TaskManagers that the operator runs on hold together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Cluster {
    /// TaskManagers, one subtask in each slot.
    pub task_managers: u64,
    /// Task heap of all of them.
    pub task_heap: Bytes,
    /// Managed memory of all of them.
    pub managed: Bytes,
    /// Keys and values serialised, without what a backend adds.
    pub serialised: Bytes,
    /// Heap that HashMap needs while a snapshot runs, as much on each as on the fullest.
    pub hashmap: Bytes,
}

/// The same workload on both backends.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ComparisonReport {
    /// The version asked for.
    pub version: FlinkVersion,
    /// The patch release it was checked on.
    pub checked_on: &'static str,
    /// One sentence: the better one, and the size at which that changes.
    pub verdict: String,
    /// Keys of the workload, over all subtasks.
    pub keys: u64,
    /// `hashmap` or `rocksdb`.
    pub better: &'static str,
    /// The most keys, over all subtasks, that HashMap holds on these TaskManagers.
    pub changes_at_keys: u64,
    /// The HashMap backend.
    pub hashmap: BackendSide,
    /// RocksDB.
    pub rocksdb: BackendSide,
    /// The sum over all TaskManagers.
    pub cluster: Cluster,
    /// SST bytes of a stored entry.
    pub sst_bytes_per_entry: Option<f64>,
    /// Distinct entries updated between two checkpoints, all subtasks.
    pub distinct_updated: u64,
    /// Uploads of the largest subtask with incremental checkpoints.
    pub incremental: Option<Incremental>,
    /// Block cache of one slot; `None` without managed memory.
    pub block_cache: Option<Bytes>,
    /// Where RocksDB is likely to read its state from.
    pub residence: Vec<Residence>,
    /// Times of single accesses, as measured.
    pub access: Vec<AccessCost>,
    /// Times of collections, as measured, and by a line at the elements asked for.
    pub collections: Vec<CollectionCost>,
    /// Times to restore the largest subtask.
    pub restore: Vec<RestoreCost>,
    /// Both at other numbers of keys, ascending.
    pub sizes: Vec<SizePoint>,
    /// Numbers that are not derived.
    pub assumptions: Vec<Assumption>,
    /// What these numbers leave out.
    pub not_modelled: Vec<&'static str>,
}

const NOT_MODELLED: [&str; 8] = [
    "Remote storage and its transfer times",
    "Several states or several slots that share a disk or a cache",
    "Checkpoints taken faster than compaction ends",
    "More than 1 GB of state a subtask, other compaction styles",
    "Snapshots and files of ListState",
    "Keys that are random numbers: their files hold up to 5 B more a key",
    "The changelog backend and ForSt",
    "Other fill of task heap, and keys that are not spread evenly",
];

const USED: [Id; 18] = [
    Id::HeapShare,
    Id::GcPressureShare,
    Id::EmptyStatePerKeyGroup,
    Id::InsertsToFinish,
    Id::CowExtraAtTenPercent,
    Id::CowExtraAtOnePercent,
    Id::SnapshotMetadata,
    Id::RocksMetadata,
    Id::NumbersCompressed,
    Id::MapNumbersCompressed,
    Id::TextCompressed,
    Id::BytesCompressed,
    Id::MemtableOverhead,
    Id::DeepLevelFactor,
    Id::HeapRestoreMicros,
    Id::HeapRestoreBufferedMicros,
    Id::RocksCopyMegabytes,
    Id::RocksReinsertMegabytes,
];

/// Which backend for this workload, and at which size does that change?
///
/// # Errors
/// A param outside its range, or Flink's refusal of the configuration.
pub fn compare_backends(
    params: &CompareParams,
) -> Result<Derivation<ComparisonReport>, StateError> {
    params.check()?;
    let heap = heap_answer::situation(&params.heap())?;
    let Situation { assumptions, place, one, report } = &heap;
    let workload = &params.workload;
    let settings = Settings::new(&params.config, params.version);
    let rocks = comparison::rocks(
        params.version,
        &settings,
        workload,
        &params.changes,
        place,
        assumptions,
    )?;
    let full = snapshot::heap_checkpoint(workload, assumptions)?;
    let canonical = snapshot::canonical(workload, assumptions)?;
    let hashmap = BackendSide {
        backend: "hashmap",
        memory: report.during_snapshot,
        pool: "task heap",
        pool_bytes: place.task_heap,
        disk: Some(Bytes::ZERO),
        full_checkpoint: full,
        canonical_savepoint: canonical,
        mean_upload: full,
    };
    let subtasks = i64::from(workload.parallelism);
    let all = |one: Bytes| {
        let sum = one.get().checked_mul(subtasks).map(Bytes::new);
        sum.ok_or(StateError::TooLarge { field: "workload.keys" })
    };
    let rocksdb = BackendSide {
        backend: "rocksdb",
        memory: place.managed,
        pool: "managed memory",
        pool_bytes: place.managed,
        disk: rocks
            .subtask
            .map(rounded)
            .transpose()?
            .map(|it| place.all_subtasks(it))
            .transpose()?,
        full_checkpoint: comparison::native_checkpoint(&rocks, workload, assumptions)?,
        canonical_savepoint: canonical,
        mean_upload: rocks.incremental.as_ref().map(|it| all(it.mean)).transpose()?,
    };
    let changes_at_keys =
        report.boundaries.iter().find(|it| it.id == "fullDuringSnapshot").map_or(0, |it| it.keys);
    let fits = !matches!(report.status, Status::Full | Status::FullDuringSnapshot);
    let better = if fits { "hashmap" } else { "rocksdb" };
    let findings = findings(params, &heap, &rocks, (&hashmap, &rocksdb), fits);
    let task_managers = u64::from(workload.parallelism).div_ceil(place.subtasks.max(1));
    let of_all = |one: Bytes| times(task_managers, one.get().unsigned_abs());
    let cluster = Cluster {
        task_managers,
        task_heap: of_all(place.task_heap)?,
        managed: of_all(place.managed)?,
        serialised: times(workload.keys, report.serialised_per_key)?,
        hashmap: of_all(report.during_snapshot)?,
    };
    let value = ComparisonReport {
        version: params.version,
        checked_on: params.version.checked_on(),
        verdict: verdict(&heap, &rocks, &rocksdb, changes_at_keys, fits),
        keys: workload.keys,
        better,
        changes_at_keys,
        hashmap,
        rocksdb,
        cluster,
        sst_bytes_per_entry: rocks.bytes_per_entry.map(|bytes| (bytes * 100.0).round() / 100.0),
        distinct_updated: rocks.distinct,
        access: access::costs(&rocks.residence),
        collections: access::collections(comparison::elements(workload)),
        restore: restore::costs(one.subtask.keys, rocks.subtask, assumptions),
        sizes: sizes::points(params, place, assumptions, changes_at_keys),
        incremental: rocks.incremental,
        block_cache: rocks.block_cache,
        residence: rocks.residence,
        assumptions: assumptions.listed(&USED),
        not_modelled: NOT_MODELLED.to_vec(),
    };
    Ok(Derivation { value, findings })
}

fn verdict(
    heap: &Situation,
    rocks: &Rocks,
    rocksdb: &BackendSide,
    changes_at: u64,
    fits: bool,
) -> String {
    let keys = grouped(i64::try_from(changes_at).unwrap_or(i64::MAX));
    let (memory, task_heap) = (heap.report.during_snapshot, heap.place.task_heap);
    let knob = heap.place.knob();
    let disk = rocksdb.disk.map_or_else(|| "an unknown part".to_owned(), |it| it.to_string());
    if fits {
        return format!(
            "HashMap: {memory} of {task_heap} task heap with a snapshot running, and reads measured 14 to 15 times faster. Above {keys} keys it no longer fits, and RocksDB is the better choice; {knob} moves that."
        );
    }
    let cached = match (rocks.residence.as_slice(), rocks.block_cache) {
        ([Residence::BlockCache], Some(cache)) => {
            format!(", inside the {cache} block cache of its slot")
        }
        (_, Some(cache)) => format!(", more than the {cache} block cache of its slot holds"),
        (_, None) => String::new(),
    };
    format!(
        "RocksDB: {disk} of disk on a TaskManager{cached}. HashMap would need {memory} of {task_heap} task heap; it fits up to {keys} keys, and {knob} moves that."
    )
}

fn findings(
    params: &CompareParams,
    heap: &Situation,
    rocks: &Rocks,
    (hashmap, rocksdb): (&BackendSide, &BackendSide),
    fits: bool,
) -> Vec<Finding> {
    let cite = |what: &str| format!("{what}, Flink {}", params.version.checked_on());
    let mut found = Vec::new();
    if rocks.options.managed.is_none() {
        found.push(Finding {
            code: "rocksdb_without_managed_memory",
            severity: Severity::Warning,
            title: "RocksDB would not be limited by managed memory here".to_owned(),
            reason: format!(
                "Managed memory is {} on a TaskManager. Without it memtables and cache of each state grow by themselves: 129 MB with one state and 465 MB with 16 were measured.",
                heap.place.managed
            ),
            option: Some("taskmanager.memory.managed.fraction".to_owned()),
            price: Some("What managed memory takes, task heap loses.".to_owned()),
            apply: Vec::new(),
            source: cite("RocksDBMemoryControllerUtils"),
        });
    }
    if !fits {
        found.push(Finding {
            code: "heap_full",
            severity: Severity::Warning,
            title: format!("HashMap does not fit: {} of {}", hashmap.memory, hashmap.pool_bytes),
            reason: format!("{} B a key on the heap, {} B serialised.", heap.report.bytes_per_key, heap.report.serialised_per_key),
            option: Some("state.backend.type".to_owned()),
            price: Some("Each access goes through serialisation: reads 14 to 15 times slower in the block cache, more outside it.".to_owned()),
            apply: vec![Change::set("state.backend.type", "rocksdb")],
            source: cite("StateBackendLoader"),
        });
    }
    if let Some(uploads) = &rocks.incremental {
        found.extend(uploads_finding(params.version, rocks, uploads, hashmap, rocksdb));
    }
    let beside = heap_notice::findings(&params.heap(), &heap.place, &heap.report);
    found.extend(beside.into_iter().filter(|it| matches!(it.code, "gc_pressure" | "reads_copy")));
    found.sort_by_key(|finding| finding.severity);
    found
}

/// What incremental checkpoints save, or that they save nothing.
fn uploads_finding(
    version: FlinkVersion,
    rocks: &Rocks,
    uploads: &Incremental,
    hashmap: &BackendSide,
    rocksdb: &BackendSide,
) -> Option<Finding> {
    let source =
        format!("RocksIncrementalSnapshotStrategy, Flink {}; measured", version.checked_on());
    let mean = rocksdb.mean_upload?;
    if uploads.regime == Regime::Always {
        let limited = uploads.memtable < rocks.options.write_buffer;
        let option = if limited { "taskmanager.memory.managed.size" } else { WRITE_BUFFER.key };
        return Some(Finding {
            code: "incremental_saves_nothing",
            severity: Severity::Warning,
            title: format!("Each incremental checkpoint uploads everything: {mean}"),
            reason: format!(
                "The memtable fills at {} and is flushed {} times an interval; from 4 files on, all files are rewritten before each checkpoint.",
                uploads.memtable, uploads.files
            ),
            option: Some(option.to_owned()),
            price: Some("More memory for memtables, less for the block cache.".to_owned()),
            apply: Vec::new(),
            source,
        });
    }
    let full =
        hashmap.full_checkpoint.map(|full| format!(", where HashMap uploads {full} each time"));
    let percent = (uploads.mean_share * 1000.0).round() / 10.0;
    Some(Finding {
        code: "incremental_uploads",
        severity: Severity::Note,
        title: format!(
            "Incremental checkpoints upload {mean} on average{}",
            full.unwrap_or_default()
        ),
        reason: format!(
            "{percent} % of the state: {} flushed an interval, and every 4th file of level 0 has all of level 1 rewritten and uploaded again.",
            uploads.flushed
        ),
        option: Some("execution.checkpointing.incremental".to_owned())
            .filter(|_| version > FlinkVersion::V1_18)
            .or_else(|| Some("state.backend.incremental".to_owned())),
        price: None,
        apply: Vec::new(),
        source,
    })
}
