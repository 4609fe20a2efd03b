//! What the analysis of a scenario comes to.
//!
//! Source: none of Flink's; each figure's file names its own.

use serde::Serialize;

use super::change::ChangeKind;
use super::figures::{Kept, Promise, RunFigures};
use super::margin::{Margin, Outcome};
use super::thrashing::Thrashing;
use crate::checkpoint::params::Mode;
use crate::checkpoint::scenario::Scenario;
use crate::checkpoint::verdict::{number, said};
use crate::finding::Change;

/// All of it; what is not asked for, or not there yet, is empty.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WhatIfReport {
    /// It in a sentence.
    pub verdict: String,
    /// The run as it is.
    pub before: Option<RunFigures>,
    /// How it keeps the promise.
    pub sla: Option<Sla>,
    /// Where checkpoints expire one after the other.
    pub thrashing: Option<Thrashing>,
    /// The four ways of barriers side by side.
    pub modes: Vec<ModeOutcome>,
    /// What else could be changed.
    pub changes: Vec<ChangeOutcome>,
    /// Where the promise breaks.
    pub margins: Vec<Margin>,
    /// How wide the gap at a limit may be, as a share of the value.
    pub tolerance: f64,
    /// Runs so far.
    pub runs: u32,
    /// Events of all of them.
    pub events: u64,
    /// The most events that are worked through.
    pub max_events: u64,
    /// Whether all that was asked for is there.
    pub is_complete: bool,
}

/// How checkpoints kept the promise. Each that was triggered in the run was followed to its end.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Sla {
    /// The longest that is promised [ms]; absent where only the timeout counts.
    pub objective_ms: Option<u64>,
    /// The share that may take longer.
    pub allowed_share: f64,
    /// execution.checkpointing.timeout [ms].
    pub timeout_ms: u64,
    /// Checkpoints that were judged.
    pub judged: usize,
    /// Those over the objective, expired ones among them.
    pub over: usize,
    /// Those that expired.
    pub expired: usize,
    /// `over` as a share of `judged`.
    pub share: f64,
    /// The longest of the completed ones [ms].
    pub longest_ms: Option<u64>,
    /// Its number.
    pub longest_id: Option<u64>,
    /// From there to the timeout [ms].
    pub margin_to_timeout_ms: Option<u64>,
    /// Whether the promise is kept; absent where nothing was judged.
    pub is_kept: Option<bool>,
    /// It in words.
    pub says: String,
}

/// A run with another way of barriers.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ModeOutcome {
    /// The way.
    pub mode: Mode,
    /// In words.
    pub title: String,
    /// Whether it is the scenario's own.
    pub is_current: bool,
    /// The run.
    pub figures: RunFigures,
    /// What else had to change.
    pub note: Option<String>,
    /// The options.
    pub apply: Vec<Change>,
    /// The scenario that was run.
    pub scenario: Scenario,
}

/// A change that was tried.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangeOutcome {
    /// The change.
    pub kind: ChangeKind,
    /// In words, with its numbers where it was tried.
    pub title: String,
    /// Why it was not tried.
    pub refused: Option<String>,
    /// The run with it.
    pub after: Option<RunFigures>,
    /// What it gains.
    pub gain: Option<String>,
    /// What it costs.
    pub price: Option<String>,
    /// What else had to change.
    pub note: Option<String>,
    /// The options.
    pub apply: Vec<Change>,
    /// The scenario that was run.
    pub scenario: Option<Scenario>,
}

impl Sla {
    /// Of a run whose checkpoints were followed.
    pub fn of(kept: &Kept, promise: Promise, timeout_ms: u64) -> Self {
        let longest_ms = kept.longest.map(|it| it.0);
        let mut sla = Self {
            objective_ms: promise.objective_ms,
            allowed_share: promise.allowed_share,
            timeout_ms,
            judged: kept.judged,
            over: kept.over,
            expired: kept.expired,
            share: kept.share(),
            longest_ms,
            longest_id: kept.longest.map(|it| it.1),
            margin_to_timeout_ms: longest_ms.map(|ms| timeout_ms.saturating_sub(ms)),
            is_kept: (kept.judged > 0).then(|| kept.broken(promise).is_none()),
            says: String::new(),
        };
        sla.says = sla.sentence();
        sla
    }

    fn sentence(&self) -> String {
        if self.judged == 0 {
            return "No checkpoint was triggered in the run, so there is nothing to judge. Watch the job \
                    for longer, or shorten the interval."
                .to_owned();
        }
        let objective = match self.objective_ms {
            Some(ms) => format!(
                "{} of {} checkpoints take longer than {} ({} %; {} % are allowed)",
                self.over,
                self.judged,
                said(ms),
                number(self.share * 100.0),
                number(self.allowed_share * 100.0)
            ),
            None => format!("{} of {} checkpoints expire", self.expired, self.judged),
        };
        let timeout = match (self.longest_ms, self.expired) {
            (Some(longest), 0) => format!(
                "The longest takes {}, {} short of execution.checkpointing.timeout.",
                said(longest),
                said(self.timeout_ms.saturating_sub(longest))
            ),
            _ => format!("{} expire after {}.", self.expired, said(self.timeout_ms)),
        };
        format!("{objective}. {timeout}")
    }
}

impl WhatIfReport {
    /// The whole in a sentence or two: whether the promise holds, and what breaks it first.
    pub fn sentence(&self) -> String {
        let Some(sla) = &self.sla else { return "The scenario is simulated.".to_owned() };
        let distance = |it: &Margin| it.times.map(|times| times.max(1.0 / times));
        let wanted = if sla.is_kept == Some(true) { Outcome::Breaks } else { Outcome::Mends };
        let margins = self.margins.iter().filter(|it| it.outcome == wanted);
        let near = margins
            .filter_map(|it| Some((distance(it).filter(|it| it.is_finite())?, it)))
            .min_by(|one, other| one.0.total_cmp(&other.0));
        let held = match sla.is_kept {
            None => return sla.says.clone(),
            Some(true) => "The promise is kept.",
            Some(false) => "The promise is broken.",
        };
        let nearest = near.map_or(String::new(), |(_, it)| {
            let times = it.times.unwrap_or(1.0);
            let what = it.what.as_deref().unwrap_or_default();
            match wanted {
                Outcome::Breaks => {
                    format!(" What breaks it first is {what} at {times:.2} times what it is.")
                }
                _ => {
                    format!(" The nearest that mends it is {what} at {times:.2} times what it is.")
                }
            }
        });
        format!("{held} {}{nearest}", sla.says)
    }
}
