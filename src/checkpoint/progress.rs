//! How far a run is, as the page is told.

use serde::Serialize;

use super::simulation::Progress;

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunProgress {
    /// Simulated time [ms].
    pub now_ms: u64,
    /// Events so far.
    pub events: u64,
    /// Whether the run is over.
    pub done: bool,
}

impl From<Progress> for RunProgress {
    fn from(Progress { now, events, done }: Progress) -> Self {
        Self { now_ms: now.as_ms(), events, done }
    }
}
