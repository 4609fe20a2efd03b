//! The answer of `heapState`: parts, sums, boundaries, verdict.

use serde::Serialize;

use super::assumptions::{Assumption, Assumptions, Id};
use super::error::StateError;
use super::heap::{self, SubtaskHeap};
use super::heap_notice;
use super::params::{HeapParams, MAX_KEYS, Workload};
use super::place::Place;
use super::snapshot;
use crate::finding::Derivation;
use crate::memory::boundary::edge;
use crate::units::{Bytes, FlinkVersion, grouped};

/// Where heap bytes of a state go.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HeapPart {
    /// `entry`, `key`, `value`, `ttl`, `tablePrimary`, `tableRehash` or `empty`.
    pub id: &'static str,
    /// For people.
    pub name: &'static str,
    /// In one subtask.
    pub bytes: Bytes,
    /// In all subtasks on one TaskManager.
    pub on_task_manager: Bytes,
    /// Divided by its keys.
    pub per_key: f64,
    /// What decides it.
    pub source: &'static str,
}

/// Whether the state fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Status {
    /// Below every boundary.
    Fits,
    /// Fits, but keeps the garbage collector marking.
    GcPressure,
    /// Full while a snapshot runs.
    FullDuringSnapshot,
    /// Full at rest.
    Full,
}

/// A number of keys at which something begins.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KeyBoundary {
    /// `gcPressure`, `fullDuringSnapshot` or `full`.
    pub id: &'static str,
    /// What begins with one key more.
    pub title: &'static str,
    /// The most keys, over all subtasks, before it does.
    pub keys: u64,
    /// The bytes on one TaskManager that may not be exceeded.
    pub limit: Bytes,
    /// Whether the limit is an assumption, and its source.
    pub source: &'static str,
}

/// What state of the HashMap backend takes on the heap.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HeapReport {
    /// The version asked for.
    pub version: FlinkVersion,
    /// The patch release it was checked on.
    pub checked_on: &'static str,
    /// One sentence: the number, the knob, the boundary.
    pub verdict: String,
    /// Whether it fits.
    pub status: Status,
    /// Whether references take 4 bytes.
    pub compressed_oops: bool,
    /// Key groups of the largest subtask.
    pub key_groups: u64,
    /// Keys of the largest subtask.
    pub keys_per_subtask: u64,
    /// Subtasks of the operator on one TaskManager.
    pub subtasks_per_task_manager: u64,
    /// Heap of one subtask by part.
    pub parts: Vec<HeapPart>,
    /// Heap of one subtask divided by its keys, everything included.
    pub bytes_per_key: f64,
    /// Key and value serialised.
    pub serialised_per_key: u64,
    /// Heap of a key over its serialised size.
    pub heap_over_serialised: f64,
    /// New heap for a key that is written while a snapshot runs.
    pub copied_on_update: u64,
    /// New heap for a key that is read while a snapshot runs.
    pub copied_on_read: u64,
    /// Slots of the first arrays of one subtask.
    pub slots: u64,
    /// Maps of one subtask that are half moved.
    pub maps_rehashing: u64,
    /// On one TaskManager, at rest.
    pub bytes: Bytes,
    /// On one TaskManager, while a snapshot runs.
    pub during_snapshot: Bytes,
    /// Of that, the copy of all slots.
    pub snapshot_slots: Bytes,
    /// Of that, entries and values copied.
    pub snapshot_copies: Bytes,
    /// Task heap of the TaskManager.
    pub task_heap: Bytes,
    /// The part of it that this state may fill, by assumption all.
    pub capacity: Bytes,
    /// Framework and task heap, `-Xmx`.
    pub jvm_heap: Bytes,
    /// From here on the collector is assumed to mark without pause.
    pub gc_pressure_from: Bytes,
    /// At rest, as a share of task heap.
    pub share: f64,
    /// While a snapshot runs, as a share of task heap.
    pub share_during_snapshot: f64,
    /// Numbers of keys at which something begins.
    pub boundaries: Vec<KeyBoundary>,
    /// Numbers that are not derived.
    pub assumptions: Vec<Assumption>,
    /// What these numbers leave out.
    pub not_modelled: Vec<&'static str>,
}

/// What the numbers leave out.
const NOT_MODELLED: [&str; 6] = [
    "User objects, buffers and other states on the same heap",
    "Keys that are not spread evenly over key groups",
    "Trees that java.util.HashMap grows for colliding hashes",
    "Namespaces (windows), timers and broadcast state",
    "Rounding of large objects to regions by G1, at most 0.8 % where measured",
    "JVM flags in env.java.opts",
];

const USED: [Id; 6] = [
    Id::HeapShare,
    Id::GcPressureShare,
    Id::EmptyStatePerKeyGroup,
    Id::InsertsToFinish,
    Id::CowExtraAtTenPercent,
    Id::CowExtraAtOnePercent,
];

/// Everything a verdict speaks about.
pub(super) struct Situation {
    pub assumptions: Assumptions,
    pub place: Place,
    pub one: SubtaskHeap,
    pub report: HeapReport,
}

/// How much heap does this state take, and how many keys fit?
///
/// # Errors
/// A param outside its range, or Flink's refusal of the configuration.
pub fn heap_state(params: &HeapParams) -> Result<Derivation<HeapReport>, StateError> {
    let situation = situation(params)?;
    let findings = heap_notice::findings(params, &situation.place, &situation.report);
    Ok(Derivation { value: situation.report, findings })
}

pub(super) fn situation(params: &HeapParams) -> Result<Situation, StateError> {
    let assumptions = params.check()?;
    let workload = &params.workload;
    let place = Place::derive(params.memory(), workload)?;
    let one = heap::subtask(workload, workload.largest_subtask(), place.heap, &assumptions)?;
    let (bytes, during) =
        (place.all_subtasks(one.total()?)?, place.all_subtasks(one.during_snapshot()?)?);
    let part_of = |whole: Bytes, share: f64| heap::rounded(whole.get() as f64 * share);
    let capacity = part_of(place.task_heap, assumptions.get(Id::HeapShare))?;
    let pressure = part_of(place.jvm_heap, assumptions.get(Id::GcPressureShare))?;
    let status = match () {
        () if bytes > capacity => Status::Full,
        () if during > capacity => Status::FullDuringSnapshot,
        () if bytes > pressure => Status::GcPressure,
        () => Status::Fits,
    };
    let search = Search { workload, place: &place, assumptions: &assumptions };
    let boundaries = search.boundaries(pressure, capacity);
    let per_key = one.per_key;
    let serialised = snapshot::serialised(workload);
    let report = HeapReport {
        version: params.version,
        checked_on: params.version.checked_on(),
        verdict: verdict(workload, &place, (status, bytes, during), &boundaries),
        status,
        compressed_oops: place.heap.compressed_oops,
        key_groups: one.subtask.key_groups,
        keys_per_subtask: one.subtask.keys,
        subtasks_per_task_manager: place.subtasks,
        parts: parts(&one, &place)?,
        bytes_per_key: per(one.total()?, one.subtask.keys),
        serialised_per_key: serialised,
        heap_over_serialised: ratio(per(one.total()?, one.subtask.keys), serialised as f64),
        copied_on_update: per_key.copied_on_update,
        copied_on_read: per_key.copied_on_read,
        slots: one.slots.primary,
        maps_rehashing: one.slots.rehashing,
        bytes,
        during_snapshot: during,
        snapshot_slots: place.all_subtasks(one.snapshot_slots)?,
        snapshot_copies: place.all_subtasks(one.snapshot_copies)?,
        task_heap: place.task_heap,
        capacity,
        jvm_heap: place.jvm_heap,
        gc_pressure_from: pressure,
        share: bytes.share_of(place.task_heap),
        share_during_snapshot: during.share_of(place.task_heap),
        boundaries,
        assumptions: assumptions.listed(&USED),
        not_modelled: NOT_MODELLED.to_vec(),
    };
    Ok(Situation { assumptions, place, one, report })
}

/// Bytes a key to four decimals, 0 without keys.
pub(super) fn per(bytes: Bytes, keys: u64) -> f64 {
    if keys == 0 { 0.0 } else { (bytes.get() as f64 / keys as f64 * 1e4).round() / 1e4 }
}

fn ratio(a: f64, b: f64) -> f64 {
    if b > 0.0 { (a / b * 1e4).round() / 1e4 } else { 0.0 }
}

fn parts(one: &SubtaskHeap, place: &Place) -> Result<Vec<HeapPart>, StateError> {
    let (keys, each) = (one.subtask.keys, one.per_key);
    let rows = [
        (
            "entry",
            "Entry objects",
            heap::times(keys, each.entry)?,
            "CopyOnWriteStateMap.StateMapEntry",
        ),
        ("key", "Keys", heap::times(keys, each.key)?, "object layout of HotSpot"),
        ("value", "Values", heap::times(keys, each.value)?, "object layout of HotSpot"),
        ("ttl", "TTL wrappers", heap::times(keys, each.ttl)?, "TtlValue"),
        ("tablePrimary", "Table", one.table_primary, "CopyOnWriteStateMap#doubleCapacity"),
        (
            "tableRehash",
            "Second table while half moved",
            one.table_rehash,
            "CopyOnWriteStateMap#incrementalRehash",
        ),
        ("empty", "Empty state", one.empty, "measured, 128 slots a key group included"),
    ];
    let part = |(id, name, bytes, source)| {
        let on_task_manager = place.all_subtasks(bytes)?;
        Ok(HeapPart { id, name, bytes, on_task_manager, per_key: per(bytes, keys), source })
    };
    rows.into_iter().map(part).collect()
}

/// Finds numbers of keys by asking again.
struct Search<'a> {
    workload: &'a Workload,
    place: &'a Place,
    assumptions: &'a Assumptions,
}

/// Points between which a crossing is looked for.
const SCAN: u64 = 256;

impl Search<'_> {
    fn boundaries(&self, pressure: Bytes, capacity: Bytes) -> Vec<KeyBoundary> {
        let chosen =
            "assumption: HotSpot's default InitiatingHeapOccupancyPercent, 45 % of the JVM heap";
        let full = "task heap of this configuration, all of it by assumption";
        let rows = [
            (
                "gcPressure",
                "The collector marks without pause",
                false,
                pressure.min(capacity),
                chosen,
            ),
            ("fullDuringSnapshot", "OutOfMemoryError while a snapshot runs", true, capacity, full),
            ("full", "OutOfMemoryError without a snapshot", false, capacity, full),
        ];
        rows.into_iter()
            .map(|(id, title, snapshot, limit, source)| KeyBoundary {
                id,
                title,
                keys: self.most_keys(limit, snapshot),
                limit,
                source,
            })
            .collect()
    }

    fn fits(&self, keys: u64, limit: Bytes, snapshot: bool, rehash_pending: bool) -> bool {
        let workload = Workload { keys, rehash_pending, ..self.workload.clone() };
        let bytes =
            heap::subtask(&workload, workload.largest_subtask(), self.place.heap, self.assumptions)
                .and_then(|one| if snapshot { one.during_snapshot() } else { one.total() })
                .and_then(|one| self.place.all_subtasks(one));
        bytes.is_ok_and(|bytes| bytes <= limit)
    }

    /// The most keys of which no fewer overflow. A half moved table is larger than the one it turns
    /// into, so with one the bytes fall again here and there; then the first crossing counts.
    fn most_keys(&self, limit: Bytes, snapshot: bool) -> u64 {
        let last = |works: u64, fails: u64, pending: bool| {
            let [works, fails] = [works, fails].map(|keys| i64::try_from(keys).unwrap_or(i64::MAX));
            let test = |keys: i64| self.fits(keys.unsigned_abs(), limit, snapshot, pending);
            edge(works, fails, test).unsigned_abs()
        };
        if !self.fits(0, limit, snapshot, false) {
            return 0;
        }
        let settled = if self.fits(MAX_KEYS, limit, snapshot, false) {
            MAX_KEYS
        } else {
            last(0, MAX_KEYS, false)
        };
        if !self.workload.rehash_pending {
            return settled;
        }
        // Second arrays take at most 2.7 slots a key, less than a quarter of the least entry.
        let from = settled / 4 * 3;
        let mut works = from;
        for step in 1..=SCAN {
            let keys = from
                + u64::try_from(u128::from(settled - from) * u128::from(step) / u128::from(SCAN))
                    .unwrap_or(0);
            if !self.fits(keys, limit, snapshot, true) {
                return last(works, keys, true);
            }
            works = keys;
        }
        settled
    }
}

fn verdict(
    workload: &Workload,
    place: &Place,
    (status, bytes, during): (Status, Bytes, Bytes),
    boundaries: &[KeyBoundary],
) -> String {
    let count = |keys: u64| grouped(i64::try_from(keys).unwrap_or(i64::MAX));
    let at = |id| boundaries.iter().find(|it| it.id == id).map_or(0, |it| it.keys);
    let keys = count(workload.keys);
    let knob = place.knob();
    let lead =
        format!("{keys} keys take {bytes} of {} task heap on a TaskManager", place.task_heap);
    match status {
        Status::Full => format!(
            "{lead}: it runs out of heap. At most {} keys fit with a snapshot running; raise {knob} or the parallelism.",
            count(at("fullDuringSnapshot"))
        ),
        Status::FullDuringSnapshot => format!(
            "{lead}, but {during} while a snapshot runs: it runs out of heap then. At most {} keys fit; raise {knob}.",
            count(at("fullDuringSnapshot"))
        ),
        Status::GcPressure => format!(
            "{lead}, {during} while a snapshot runs. From {} keys on the collector is assumed to mark without pause; {knob} decides.",
            count(at("gcPressure"))
        ),
        Status::Fits => format!(
            "{lead}, {during} while a snapshot runs. {knob} decides: above {} keys it runs out of heap.",
            count(at("fullDuringSnapshot"))
        ),
    }
}
