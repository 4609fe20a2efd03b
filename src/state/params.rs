//! What the state questions are asked with, and the limits of each number.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::assumptions::Assumptions;
use super::error::StateError;
use super::layout::{Scalar, ValueType};
use crate::memory::MemoryParams;
use crate::units::FlinkVersion;

/// The most keys: what a JavaScript number holds exactly.
pub const MAX_KEYS: u64 = (1 << 53) - 1;
/// `KeyGroupRangeAssignment.UPPER_BOUND_MAX_PARALLELISM`.
pub const MAX_MAX_PARALLELISM: u32 = 1 << 15;
/// `KeyGroupRangeAssignment.DEFAULT_LOWER_BOUND_MAX_PARALLELISM`.
const LEAST_DEFAULT_MAX_PARALLELISM: u32 = 1 << 7;
/// The most elements of a map or list.
pub const MAX_ELEMENTS: u64 = 1 << 24;
/// The longest string or array [B]; with [`MAX_ELEMENTS`] and [`MAX_FIELDS`] a key stays below 2^63.
pub const MAX_LENGTH: u32 = 1 << 28;
/// The most fields of a POJO or tuple; `Tuple.MAX_ARITY`, kept for POJOs too.
pub const MAX_FIELDS: usize = 25;
/// The longest time: a century [s].
pub const MAX_SECONDS: u64 = 3_155_760_000;
/// The most updates a second of one key space.
pub const MAX_RATE: f64 = 1e12;
/// The most key spaces of a TTL question.
pub const MAX_KEY_SPACES: usize = 32;

/// What a state holds for each key.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", deny_unknown_fields)]
pub enum StateShape {
    /// `ValueState`.
    Value {
        /// Type of the value.
        value: ValueType,
    },
    /// `MapState`.
    Map {
        /// Entries of each key.
        entries: u64,
        /// Type of the user key.
        key: Scalar,
        /// Type of the user value.
        value: ValueType,
    },
    /// `ListState`.
    List {
        /// Elements of each key.
        elements: u64,
        /// Type of an element.
        element: ValueType,
    },
}

/// Keyed state of one operator.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Workload {
    /// Distinct keys in state, over all subtasks.
    pub keys: u64,
    /// Type of the key.
    pub key: Scalar,
    /// What is held for each key.
    pub state: StateShape,
    /// Whether entries carry a timestamp for TTL.
    pub ttl: bool,
    /// Subtasks of the operator.
    pub parallelism: u32,
    /// Key groups; `None` takes Flink's default for the parallelism.
    pub max_parallelism: Option<u32>,
    /// `-XX:+UseCompressedOops`; `None` takes the JVM's choice for the derived heap.
    pub compressed_oops: Option<bool>,
    /// Whether tables are still half moved, as right after a load.
    pub rehash_pending: bool,
    /// Share of keys that are written while a snapshot runs, 0 to 1.
    pub updated_share: f64,
    /// Share of keys that are only read while a snapshot runs, 0 to 1.
    pub read_share: f64,
}

impl Workload {
    /// A `ValueState` of some keys in one subtask, nothing touched during a snapshot.
    pub fn new(keys: u64, key: Scalar, value: ValueType) -> Self {
        Self {
            keys,
            key,
            state: StateShape::Value { value },
            ttl: false,
            parallelism: 1,
            max_parallelism: None,
            compressed_oops: None,
            rehash_pending: true,
            updated_share: 0.0,
            read_share: 0.0,
        }
    }

    /// Key groups of the operator, `KeyGroupRangeAssignment.computeDefaultMaxParallelism` by default.
    pub(super) fn key_groups(&self) -> u32 {
        self.max_parallelism.unwrap_or_else(|| {
            let wanted = self.parallelism + self.parallelism / 2;
            let power = wanted.checked_next_power_of_two().unwrap_or(MAX_MAX_PARALLELISM);
            power.clamp(LEAST_DEFAULT_MAX_PARALLELISM, MAX_MAX_PARALLELISM)
        })
    }

    /// The part of the subtask with the most key groups.
    pub(super) fn largest_subtask(&self) -> Subtask {
        let all = u64::from(self.key_groups());
        let key_groups = all.div_ceil(u64::from(self.parallelism.max(1)));
        let share = u128::from(self.keys) * u128::from(key_groups);
        let keys = u64::try_from(share.div_ceil(u128::from(all.max(1)))).unwrap_or(self.keys);
        Subtask { keys, key_groups }
    }

    pub(super) fn check(&self) -> Result<(), StateError> {
        within("workload.keys", self.keys, 0, MAX_KEYS)?;
        within("workload.parallelism", self.parallelism, 1, MAX_MAX_PARALLELISM)?;
        if let Some(max) = self.max_parallelism {
            within("workload.maxParallelism", max, self.parallelism, MAX_MAX_PARALLELISM)?;
        }
        share("workload.updatedShare", self.updated_share)?;
        share("workload.readShare", self.read_share)?;
        if self.updated_share + self.read_share > 1.0 {
            let field = "workload.readShare".to_owned();
            let message = "Keys updated and keys only read are different keys: the shares may add up to 1 at most.".to_owned();
            return Err(StateError::NotOffered { field, message });
        }
        scalar("workload.key", self.key)?;
        if matches!(self.key, Scalar::Bytes { .. } | Scalar::Double) {
            let field = "workload.key.kind".to_owned();
            let message = "Keys are offered as long, integer and string. Flink refuses arrays as keys; doubles were not measured.".to_owned();
            return Err(StateError::NotOffered { field, message });
        }
        match &self.state {
            StateShape::Value { value } => value_type("workload.state.value", value),
            StateShape::Map { entries, key, value } => {
                within("workload.state.entries", *entries, 1, MAX_ELEMENTS)?;
                scalar("workload.state.key", *key)?;
                value_type("workload.state.value", value)
            }
            StateShape::List { elements, element } => {
                within("workload.state.elements", *elements, 1, MAX_ELEMENTS)?;
                if self.ttl {
                    let field = "workload.ttl".to_owned();
                    let message = "ListState with TTL was not measured, so it is not offered. Ask for ValueState or MapState.".to_owned();
                    return Err(StateError::NotOffered { field, message });
                }
                value_type("workload.state.element", element)
            }
        }
    }
}

/// What one subtask holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subtask {
    /// Its keys.
    pub keys: u64,
    /// Its key groups.
    pub key_groups: u64,
}

fn within<T: PartialOrd + ToString>(
    field: &str,
    value: T,
    low: T,
    high: T,
) -> Result<(), StateError> {
    if low <= value && value <= high {
        Ok(())
    } else {
        Err(StateError::range(field, value, low, high))
    }
}

fn share(field: &str, value: f64) -> Result<(), StateError> {
    within(field, value, 0.0, 1.0)
}

fn scalar(field: &str, scalar: Scalar) -> Result<(), StateError> {
    match scalar {
        Scalar::String { chars } => within(&format!("{field}.chars"), chars, 0, MAX_LENGTH),
        Scalar::Bytes { length } => within(&format!("{field}.length"), length, 0, MAX_LENGTH),
        _ => Ok(()),
    }
}

fn value_type(field: &str, value: &ValueType) -> Result<(), StateError> {
    match value {
        ValueType::String { chars } => scalar(field, Scalar::String { chars: *chars }),
        ValueType::Bytes { length } => scalar(field, Scalar::Bytes { length: *length }),
        ValueType::Pojo { fields } | ValueType::Tuple { fields } => {
            within(&format!("{field}.fields.length"), fields.len(), 1, MAX_FIELDS)?;
            let mut numbered = fields.iter().enumerate();
            numbered.try_for_each(|(at, it)| scalar(&format!("{field}.fields[{at}]"), *it))
        }
        _ => Ok(()),
    }
}

/// How much changes between two checkpoints.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Changes {
    /// Updates of state between two checkpoints, over all subtasks; an update of a map or list is
    /// one entry.
    pub updates: u64,
    /// Distinct entries among them; `None` spreads the updates evenly over all.
    pub distinct: Option<u64>,
    /// SST bytes of an entry as read from a checkpoint; `None` derives them.
    pub sst_bytes_per_entry: Option<f64>,
}

impl Changes {
    fn check(&self) -> Result<(), StateError> {
        within("changes.updates", self.updates, 0, MAX_KEYS)?;
        if let Some(distinct) = self.distinct {
            within("changes.distinct", distinct, 0, self.updates)?;
        }
        match self.sst_bytes_per_entry {
            Some(bytes) => within("changes.sstBytesPerEntry", bytes, 1.0, f64::from(MAX_LENGTH)),
            None => Ok(()),
        }
    }
}

/// Keys that are updated alike.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct KeySpace {
    /// Distinct keys that can occur.
    pub keys: u64,
    /// Updates a second, spread evenly over these keys.
    pub updates_per_second: f64,
}

/// How expired entries are removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub enum CleanUp {
    /// `disableCleanupInBackground()`.
    None,
    /// `cleanupFullSnapshot()`.
    FullSnapshot,
    /// `cleanupIncrementally(1, false)`, HashMap backend.
    Incremental1,
    /// `cleanupIncrementally(5, false)`, the HashMap backend's default.
    Incremental5,
    /// `cleanupIncrementally(10, true)`, HashMap backend.
    Incremental10EveryRecord,
    /// `cleanupInRocksdbCompactFilter(1000)`, the RocksDB backend's default.
    CompactionFilter,
}

/// Params of `ttlGrowth`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TtlParams {
    /// The version.
    pub version: FlinkVersion,
    /// Keys and how often they are updated; more than one entry when some are hotter than others.
    pub key_spaces: Vec<KeySpace>,
    /// Time to live, renewed by each write, `OnCreateAndWrite` [s].
    pub ttl_seconds: u64,
    /// How expired entries are removed.
    pub clean_up: CleanUp,
    /// How far the series goes [s].
    pub horizon_seconds: u64,
}

impl TtlParams {
    pub(super) fn check(&self) -> Result<(), StateError> {
        within("keySpaces.length", self.key_spaces.len(), 1, MAX_KEY_SPACES)?;
        for (at, space) in self.key_spaces.iter().enumerate() {
            within(
                &format!("keySpaces[{at}].keys"),
                space.keys,
                0,
                MAX_KEYS / MAX_KEY_SPACES as u64,
            )?;
            let field = format!("keySpaces[{at}].updatesPerSecond");
            within(&field, space.updates_per_second, 0.0, MAX_RATE)?;
        }
        within("ttlSeconds", self.ttl_seconds, 1, MAX_SECONDS)?;
        within("horizonSeconds", self.horizon_seconds, 1, MAX_SECONDS)
    }
}

/// Params of `heapState`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HeapParams {
    /// The version that reads the configuration.
    pub version: FlinkVersion,
    /// Option key to text, as a user wrote it.
    pub config: BTreeMap<String, String>,
    /// Whether legacy heap keys are mapped first.
    pub start_script: bool,
    /// Memory limit of the container.
    pub container_limit: Option<String>,
    /// The state.
    pub workload: Workload,
    /// Numbers to use in place of the measured ones.
    pub assumptions: Option<Assumptions>,
}

impl HeapParams {
    /// The TaskManager's configuration.
    pub(super) fn memory(&self) -> MemoryParams {
        MemoryParams {
            version: self.version,
            config: self.config.clone(),
            start_script: self.start_script,
            container_limit: self.container_limit.clone(),
        }
    }

    pub(super) fn check(&self) -> Result<Assumptions, StateError> {
        self.workload.check()?;
        let assumptions = self.assumptions.clone().unwrap_or_default();
        assumptions.check()?;
        Ok(assumptions)
    }
}

/// Params of `compareBackends`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CompareParams {
    /// The version that reads the configuration.
    pub version: FlinkVersion,
    /// Option key to text, as a user wrote it.
    pub config: BTreeMap<String, String>,
    /// Whether legacy heap keys are mapped first.
    pub start_script: bool,
    /// Memory limit of the container.
    pub container_limit: Option<String>,
    /// The state.
    pub workload: Workload,
    /// What changes between two checkpoints.
    pub changes: Changes,
    /// Numbers to use in place of the measured ones.
    pub assumptions: Option<Assumptions>,
}

impl CompareParams {
    /// The same question about the HashMap backend alone.
    pub(super) fn heap(&self) -> HeapParams {
        HeapParams {
            version: self.version,
            config: self.config.clone(),
            start_script: self.start_script,
            container_limit: self.container_limit.clone(),
            workload: self.workload.clone(),
            assumptions: self.assumptions.clone(),
        }
    }

    pub(super) fn check(&self) -> Result<Assumptions, StateError> {
        self.changes.check()?;
        self.heap().check()
    }
}
