//! What a memory question is asked with.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::error::{Kind, MemoryError};
use super::job_manager::{self, JobManagerSpec};
use super::legacy::{self, LegacyHeap};
use super::report::Container;
use super::settings::Settings;
use super::task_manager::{self, TaskManagerSpec};
use super::trace::Trace;
use crate::config::size;
use crate::units::{Bytes, FlinkVersion};

/// The most settings a question may carry; Flink has about 700 options.
pub const MAX_SETTINGS: usize = 5000;

/// Params of the memory questions.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MemoryParams {
    /// The version that reads the configuration.
    pub version: FlinkVersion,
    /// Option key to text, exactly as a user wrote it.
    pub config: BTreeMap<String, String>,
    /// Whether legacy heap keys are mapped first, as the start scripts of 1.18 and 1.20 do.
    pub start_script: bool,
    /// Memory limit of the container as Flink writes sizes; `None` takes the total process memory,
    /// and so does a text that is no size, with a finding. Flink never reads it, so it decides
    /// nothing but what is said about the container.
    pub container_limit: Option<String>,
}

impl MemoryParams {
    /// An empty configuration, started by the start scripts, in a container of the process's size.
    pub fn new(version: FlinkVersion) -> Self {
        Self { version, config: BTreeMap::new(), start_script: true, container_limit: None }
    }

    /// Sets an option.
    pub fn set(&mut self, key: &str, text: &str) -> &mut Self {
        self.config.insert(key.to_owned(), text.to_owned());
        self
    }

    /// The container's limit, `total` when none is named that can be read.
    pub(crate) fn container(&self, total: Bytes) -> Container {
        let named = self.container_limit.as_ref().and_then(|text| size::parse(text).ok());
        let limit = named.unwrap_or(total);
        let headroom = Bytes::new(limit.get() - total.get());
        Container { limit, named: named.is_some(), headroom }
    }

    /// Refuses more settings than any configuration has.
    pub(super) fn check_size(&self) -> Result<(), MemoryError> {
        if self.config.len() <= MAX_SETTINGS {
            return Ok(());
        }
        let message =
            format!("{} settings are too many; the limit is {MAX_SETTINGS}.", self.config.len());
        Err(MemoryError::new(Kind::TooManySettings, None, message.clone(), message))
    }
}

/// Which process a question is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The process that runs tasks.
    TaskManager,
    /// The process that coordinates.
    JobManager,
}

/// Params of a question about either process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiagnoseParams {
    /// Which process.
    pub role: Role,
    /// Its configuration.
    pub memory: MemoryParams,
}

/// serde's `flatten` would switch `deny_unknown_fields` off, so the fields are named once more.
impl<'de> Deserialize<'de> for DiagnoseParams {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        struct Fields {
            role: Role,
            version: FlinkVersion,
            config: BTreeMap<String, String>,
            start_script: bool,
            container_limit: Option<String>,
        }
        let Fields { role, version, config, start_script, container_limit } =
            Fields::deserialize(deserializer)?;
        Ok(Self { role, memory: MemoryParams { version, config, start_script, container_limit } })
    }
}

/// What the start scripts hand to the derivation: the mapped configuration, or `None` when it is the
/// user's own.
type Mapped = Option<BTreeMap<String, String>>;

/// Maps legacy heap keys if the question asks for it.
pub(super) fn mapped(
    params: &MemoryParams,
    settings: &Settings<'_>,
    heap: &LegacyHeap,
    trace: &mut Trace,
) -> Result<Mapped, MemoryError> {
    if params.start_script { legacy::map_heap(settings, heap, trace) } else { Ok(None) }
}

/// A TaskManager's memory as the start scripts, or the classes alone, derive it. `then` sees the
/// settings that were read.
pub(crate) fn task_manager_spec<T>(
    params: &MemoryParams,
    trace: &mut Trace,
    then: impl FnOnce(TaskManagerSpec, &Settings<'_>, bool) -> T,
) -> Result<T, MemoryError> {
    params.check_size()?;
    let own = Settings::new(&params.config, params.version);
    let mapped = mapped(params, &own, &legacy::TASK_MANAGER, trace).map_err(|error| {
        error.wrapped(|message| {
            format!("TaskManager failed to map legacy JVM heap option to the new one: {message}")
        })
    })?;
    let is_mapped = mapped.is_some();
    let settings = Settings::new(mapped.as_ref().unwrap_or(&params.config), params.version);
    let spec = task_manager::process_spec(&settings, trace)?;
    Ok(then(spec, &settings, is_mapped))
}

/// A JobManager's memory as the start scripts, or the classes alone, derive it.
pub(crate) fn job_manager_spec<T>(
    params: &MemoryParams,
    trace: &mut Trace,
    then: impl FnOnce(JobManagerSpec, &Settings<'_>, bool) -> T,
) -> Result<T, MemoryError> {
    params.check_size()?;
    let own = Settings::new(&params.config, params.version);
    let result = mapped(params, &own, &legacy::JOB_MANAGER, trace).and_then(|mapped| {
        let is_mapped = mapped.is_some();
        let settings = Settings::new(mapped.as_ref().unwrap_or(&params.config), params.version);
        let spec = job_manager::process_spec(&settings, trace)?;
        Ok(then(spec, &settings, is_mapped))
    });
    // Only the scripts that map legacy keys prefix a JobManager's error.
    let prefixed = params.start_script && legacy::maps_heap(params.version);
    result.map_err(|error| {
        if !prefixed {
            return error;
        }
        error.wrapped(|message| format!("JobManager memory configuration failed: {message}"))
    })
}

/// Whether the process starts, with nothing kept of the way.
pub(super) fn starts(role: Role, params: &MemoryParams) -> bool {
    let trace = &mut Trace::searching();
    match role {
        Role::TaskManager => task_manager_spec(params, trace, |_, _, _| ()).is_ok(),
        Role::JobManager => job_manager_spec(params, trace, |_, _, _| ()).is_ok(),
    }
}
