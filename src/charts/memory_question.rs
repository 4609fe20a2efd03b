//! The question "draw where the bytes go": derives a process and draws its bar.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::memory_bar::{MemoryBarInput, draw, pair};
use super::theme::Theme;
use super::{Chart, ChartError};
use crate::finding::{Derivation, Problem};
use crate::memory::error::MemoryError;
use crate::memory::report::{Component, Container};
use crate::memory::{MemoryParams, Role, job_manager_layout, task_manager_layout};
use crate::units::FlinkVersion;

/// Params of the question.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DrawMemoryParams {
    /// Which process.
    pub role: Role,
    /// The version that reads the configuration.
    pub version: FlinkVersion,
    /// Option key to text.
    pub config: BTreeMap<String, String>,
    /// Whether legacy heap keys are mapped first.
    pub start_script: bool,
    /// Memory limit of the container; `None` takes the total process memory.
    pub container_limit: Option<String>,
    /// Settings of the same process to draw above it on the same scale, as A; this one is B then.
    pub pinned: Option<MemoryParams>,
    /// Colours for a light or a dark surface.
    pub theme: Theme,
    /// Width (px), 280 to 2000.
    pub width: u32,
}

/// Why there is no drawing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DrawError {
    /// The process does not start.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The drawing itself cannot be made.
    #[error(transparent)]
    Chart(#[from] ChartError),
}

impl From<DrawError> for Problem {
    fn from(error: DrawError) -> Self {
        match error {
            DrawError::Memory(error) => error.into(),
            DrawError::Chart(error) => error.into(),
        }
    }
}

/// Draws where the bytes of a process go. Pinned settings that do not start are left out.
///
/// # Errors
/// Flink's refusal, or a width that no layout is made for.
pub fn draw_memory(params: &DrawMemoryParams) -> Result<Derivation<Chart>, DrawError> {
    let memory = MemoryParams {
        version: params.version,
        config: params.config.clone(),
        start_script: params.start_script,
        container_limit: params.container_limit.clone(),
    };
    let (components, container) = derived(params.role, &memory)?;
    let input = MemoryBarInput { components: &components, container, title: "" };
    let pinned = params.pinned.as_ref().and_then(|pinned| derived(params.role, pinned).ok());
    let value = match pinned {
        None => draw(&input, params.theme, params.width)?,
        Some((components, container)) => {
            let a = MemoryBarInput { components: &components, container, title: "A, pinned" };
            let b = MemoryBarInput { title: "B, now", ..input };
            pair::draw(&a, &b, params.theme, params.width)?
        }
    };
    Ok(Derivation { value, findings: Vec::new() })
}

fn derived(role: Role, memory: &MemoryParams) -> Result<(Vec<Component>, Container), MemoryError> {
    match role {
        Role::TaskManager => task_manager_layout(memory),
        Role::JobManager => job_manager_layout(memory),
    }
}
