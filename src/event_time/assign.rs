//! The question `assignWindows`: which windows a timestamp belongs to.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, the assigners of `window.rs`.

use serde::{Deserialize, Serialize};

use super::error::EventTimeError;
use super::report::WindowBounds;
use super::time::EventTime;
use super::window::Assigner;
use crate::finding::Derivation;

/// The most windows listed at once.
const LISTED_MAX: usize = 500_000;

/// Params of `assignWindows`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AssignParams {
    /// Which windows.
    pub assigner: Assigner,
    /// The timestamps.
    pub times: Vec<EventTime>,
    /// The gap of a dynamic session [ms].
    pub value: i64,
}

/// The windows of one timestamp, or why it has none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Assignment {
    /// The timestamp.
    pub time: EventTime,
    /// Its windows, in Flink's order.
    pub windows: Vec<WindowBounds>,
    /// Why the job would fail on it.
    pub error: Option<String>,
}

/// Which windows does each timestamp belong to?
///
/// # Errors
/// Flink's refusal of the window's parameters, or more windows than are listed.
pub fn assign_windows(
    params: &AssignParams,
) -> Result<Derivation<Vec<Assignment>>, EventTimeError> {
    params.assigner.check()?;
    let mut listed = 0;
    let mut value = Vec::with_capacity(params.times.len());
    for time in &params.times {
        let (windows, error) = match params.assigner.assign(time.get(), params.value) {
            Ok(windows) => (windows, None),
            Err(error) => (Vec::new(), Some(error.to_string())),
        };
        listed += windows.len();
        if listed > LISTED_MAX {
            let (field, what) = ("times", "Windows of all timestamps");
            return Err(EventTimeError::TooMany { field, what, max: LISTED_MAX, got: listed });
        }
        let bounds =
            |window: super::window::Window| WindowBounds { start: window.start, end: window.end };
        let windows = windows.into_iter().map(bounds).collect();
        value.push(Assignment { time: *time, windows, error });
    }
    Ok(Derivation { value, findings: Vec::new() })
}
