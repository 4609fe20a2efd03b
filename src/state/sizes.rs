//! What does each backend take at other numbers of keys, all else as it is?
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, the rules of `heap`, `comparison` and `snapshot` beside this, asked again.

use serde::Serialize;

use super::assumptions::Assumptions;
use super::comparison;
use super::error::StateError;
use super::heap::{self, rounded};
use super::params::{CompareParams, MAX_KEYS, Workload};
use super::place::Place;
use super::snapshot;
use crate::memory::settings::Settings;
use crate::units::Bytes;

/// Steps between no keys and the largest number.
const STEPS: u64 = 48;

/// Both backends at one number of keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SizePoint {
    /// Keys over all subtasks.
    pub keys: u64,
    /// Heap of HashMap on one TaskManager, while a snapshot runs.
    pub hashmap_memory: Bytes,
    /// Disk of RocksDB on one TaskManager; `None` where it is not known.
    pub rocksdb_disk: Option<Bytes>,
    /// A full checkpoint of HashMap, all subtasks.
    pub hashmap_checkpoint: Option<Bytes>,
    /// A full checkpoint of RocksDB, all subtasks.
    pub rocksdb_checkpoint: Option<Bytes>,
    /// New bytes of an incremental checkpoint of RocksDB on average, all subtasks.
    pub rocksdb_upload: Option<Bytes>,
}

/// Sizes from no keys to twice those at which HashMap is full, and beyond the workload's own. Both
/// numbers are points of their own. What passes every size Flink can hold is left out.
pub(super) fn points(
    params: &CompareParams,
    place: &Place,
    assumptions: &Assumptions,
    changes_at: u64,
) -> Vec<SizePoint> {
    let own = params.workload.keys;
    let end = changes_at.saturating_mul(2).max(own.saturating_add(own / 8)).clamp(STEPS, MAX_KEYS);
    let mut keys: Vec<u64> = (0..=STEPS).map(|step| end / STEPS * step).collect();
    keys.extend([own, changes_at].iter().filter(|keys| **keys <= end));
    keys.sort_unstable();
    keys.dedup();
    keys.into_iter().filter_map(|keys| point(params, place, assumptions, keys).ok()).collect()
}

fn point(
    params: &CompareParams,
    place: &Place,
    assumptions: &Assumptions,
    keys: u64,
) -> Result<SizePoint, StateError> {
    let workload = Workload { keys, ..params.workload.clone() };
    let one = heap::subtask(&workload, workload.largest_subtask(), place.heap, assumptions)?;
    let settings = Settings::new(&params.config, params.version);
    let rocks = comparison::rocks(
        params.version,
        &settings,
        &workload,
        &params.changes,
        place,
        assumptions,
    )?;
    let disk = rocks.subtask.map(rounded).transpose()?;
    let mean = rocks.incremental.as_ref().map(|uploads| uploads.mean);
    Ok(SizePoint {
        keys,
        hashmap_memory: place.all_subtasks(one.during_snapshot()?)?,
        rocksdb_disk: disk.map(|one| place.all_subtasks(one)).transpose()?,
        hashmap_checkpoint: snapshot::heap_checkpoint(&workload, assumptions)?,
        rocksdb_checkpoint: comparison::native_checkpoint(&rocks, &workload, assumptions)?,
        rocksdb_upload: mean
            .map(|mean| heap::times(u64::from(workload.parallelism), mean.get().unsigned_abs()))
            .transpose()?,
    })
}
