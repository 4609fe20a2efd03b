//! The shapes of a question about a local run and of its answer. Reports are plain data.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::finding::Problem;
use crate::memory::error::MemoryError;
use crate::memory::report::Origin;
use crate::units::{Bytes, FlinkVersion};

/// Params of `localMemory`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LocalParams {
    /// The version.
    pub version: FlinkVersion,
    /// Option key to text, as the program passes it to the environment.
    pub config: BTreeMap<String, String>,
    /// Not looked at: no script starts this JVM.
    pub start_script: bool,
    /// Not looked at: the JVM's own limits come first.
    pub container_limit: Option<String>,
    /// `-Xmx` of the program; `None` where it is not given.
    pub jvm_heap: Option<String>,
    /// `-XX:MaxDirectMemorySize` of the program; `None` where it is not given.
    pub max_direct_memory: Option<String>,
}

/// Answer of `localMemory`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LocalReport {
    /// The version asked for.
    pub version: FlinkVersion,
    /// One sentence: whether the network pool can be allocated, and what decides it.
    pub verdict: String,
    /// Whether the network pool is within direct memory; `None` where its limit is not known.
    pub fits: Option<bool>,
    /// Every pool and what limits it.
    pub pools: Vec<LocalPool>,
    /// Network memory.
    pub network: Bytes,
    /// One buffer.
    pub segment: Bytes,
    /// Buffers of the pool, all allocated at the start.
    pub segments: i64,
    /// The limit of direct memory.
    pub direct_limit: Option<Bytes>,
    /// `maxDirectMemorySize`, `jvmHeap` or `unknown`.
    pub direct_limit_from: &'static str,
    /// The most buffers that direct memory can hold, with nothing else in it.
    pub segments_at_most: Option<i64>,
    /// What of network memory is missing at least; 0 where it fits.
    pub missing_at_least: Option<Bytes>,
    /// Settings without effect.
    pub ignored: Vec<IgnoredOption>,
    /// What these numbers leave out.
    pub not_modelled: Vec<&'static str>,
}

/// A pool of a local TaskManager.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LocalPool {
    /// As in the report of a TaskManager.
    pub id: &'static str,
    /// For people.
    pub name: &'static str,
    /// `None` where Flink sets no limit.
    pub bytes: Option<Bytes>,
    /// Where the size is from.
    pub origin: Origin,
    /// The option that sets it.
    pub option: &'static str,
    /// What limits it in the end.
    pub limited_by: &'static str,
}

/// A setting without effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IgnoredOption {
    /// Its key as it was written.
    pub option: String,
    /// Its text.
    pub value: String,
    /// Whether Flink logs that it has none.
    pub warned: bool,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LocalError {
    /// Flink's refusal.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// A size of the JVM that cannot be read.
    #[error("'{text}' is not a size. {advice}")]
    Size {
        /// The param.
        field: &'static str,
        /// What was written.
        text: String,
        /// What would be right.
        advice: String,
    },
}

impl From<LocalError> for Problem {
    fn from(error: LocalError) -> Self {
        match error {
            LocalError::Memory(error) => error.into(),
            LocalError::Size { field, .. } => Self {
                code: "local_bad_size".to_owned(),
                message: error.to_string(),
                field: Some(field.to_owned()),
                option: None,
            },
        }
    }
}
