//! What would be if: a scenario simulated again with other barriers, other settings and other loads.
//!
//! Every run has the scenario's seed, so two runs differ by what was changed. The work is cut into slices
//! of any length, and the answer does not depend on them.
//!
//! Source: Flink 1.20.5, by the simulation's own sources; what counts as kept is the user's promise.

pub mod change;
pub mod figures;
pub mod knob;
pub mod margin;
pub mod report;
pub mod search;
pub mod thrashing;

mod steps;

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use self::change::{CHANGES, MODES, Trial};
use self::figures::{Breach, Kept, Promise};
use self::knob::{KNOBS, Knob, Place};
use self::report::WhatIfReport;
use self::search::{Search, TOLERANCE};
use super::error::CheckpointError;
use super::scenario::Scenario;
use super::simulation::Simulation;
use super::time::SimTime;
use crate::finding::{Derivation, Finding, Severity};
use crate::units::FlinkVersion;

/// The most events of all runs together; a browser works through some million in a second.
pub const MAX_EVENTS: u64 = 1_000_000_000;
/// After so many events of a run it is looked whether its answer is known.
const CHECK_EVERY: u64 = 1 << 12;
/// A run in which no checkpoint is given up is followed for so many timeouts.
const PATIENCE: u64 = 10;
/// The longest time out that a scenario takes [ms].
const LONGEST_TIMEOUT_MS: u64 = 1_000_000_000;

/// A part of the analysis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Part {
    /// The four ways of barriers side by side.
    Modes,
    /// Changes with their gain and price.
    Changes,
    /// The value of each knob at which the promise breaks.
    Margins,
}

fn all_parts() -> Vec<Part> {
    vec![Part::Modes, Part::Changes, Part::Margins]
}

fn usual_version() -> FlinkVersion {
    FlinkVersion::V1_20
}

fn all_knobs() -> Vec<Knob> {
    KNOBS.to_vec()
}

/// A scenario, what is promised of its checkpoints, and what is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WhatIfParams {
    /// The scenario.
    pub scenario: Scenario,
    /// The version whose options a change may set.
    #[serde(default = "usual_version")]
    pub flink: FlinkVersion,
    /// The longest end-to-end time that is promised [ms]; only the checkpoint timeout counts if absent.
    #[serde(default)]
    pub objective_ms: Option<u64>,
    /// The share of checkpoints that may take longer, from 0 to 1.
    #[serde(default)]
    pub allowed_share: f64,
    /// What is asked; the promise is always judged.
    #[serde(default = "all_parts")]
    pub parts: Vec<Part>,
    /// Of which knobs the limit is looked for.
    #[serde(default = "all_knobs")]
    pub knobs: Vec<Knob>,
}

/// How far an analysis is.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WhatIfProgress {
    /// Events of all runs so far.
    pub events: u64,
    /// Runs that are over.
    pub runs: u32,
    /// Items that are done: the run as it is, the promise, each way, change and knob.
    pub items_done: usize,
    /// Items that are known of.
    pub items: usize,
    /// What is simulated now.
    pub doing: String,
    /// Whether it is over.
    pub done: bool,
}

/// One thing to find out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Item {
    /// The run as it is.
    Base,
    /// How it keeps the promise.
    Followed,
    /// How long checkpoints take where none is given up.
    Patient,
    Mode(usize),
    Change(usize),
    Knob(Knob),
}

/// When a run is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Until {
    /// At the end of the scenario's own time.
    End,
    /// When all its checkpoints are judged, at the latest so long after its own time [ms].
    Judged(u64),
    /// The same, or as soon as the promise is broken.
    Broken(u64),
}

/// A run.
#[derive(Debug, Clone)]
struct Running {
    simulation: Simulation,
    trial: Trial,
    until: Until,
    /// Events since it was looked at last.
    since: u64,
}

/// A search along a knob.
#[derive(Debug, Clone)]
struct Seeking {
    place: Place,
    search: Search,
    held: bool,
    breach: Option<Breach>,
    refused: Option<String>,
    runs: u32,
}

/// An analysis while it goes on.
#[derive(Debug, Clone)]
pub struct WhatIf {
    params: WhatIfParams,
    promise: Promise,
    todo: VecDeque<Item>,
    items: usize,
    items_done: usize,
    running: Option<Running>,
    seeking: Option<Seeking>,
    /// The vertex that is busiest in the run as it is.
    busiest: usize,
    stopped: bool,
    max_events: u64,
    report: WhatIfReport,
}

impl WhatIf {
    /// An analysis at its start.
    pub fn new(params: WhatIfParams) -> Result<Self, CheckpointError> {
        Self::with_limit(params, MAX_EVENTS)
    }

    fn with_limit(params: WhatIfParams, max_events: u64) -> Result<Self, CheckpointError> {
        params.scenario.job().map_err(|error| error.inside("scenario"))?;
        let out_of = |field: &str, value: f64, low: f64, high: f64| {
            let field = field.to_owned();
            Err(CheckpointError::OutOfRange { field, value, low, high })
        };
        let objective = params.objective_ms.unwrap_or(1) as f64;
        if !(1.0..=LONGEST_TIMEOUT_MS as f64).contains(&objective) {
            return out_of("objectiveMs", objective, 1.0, LONGEST_TIMEOUT_MS as f64);
        }
        if !(0.0..=1.0).contains(&params.allowed_share) {
            return out_of("allowedShare", params.allowed_share, 0.0, 1.0);
        }
        let mut todo = VecDeque::from([Item::Base, Item::Followed]);
        let asked = |part: Part| params.parts.contains(&part);
        if asked(Part::Modes) {
            todo.extend((0..MODES.len()).map(Item::Mode));
        }
        if asked(Part::Changes) {
            todo.extend((0..CHANGES.len()).map(Item::Change));
        }
        if asked(Part::Margins) {
            todo.extend(KNOBS.into_iter().filter(|it| params.knobs.contains(it)).map(Item::Knob));
        }
        let promise =
            Promise { objective_ms: params.objective_ms, allowed_share: params.allowed_share };
        Ok(Self {
            promise,
            items: todo.len(),
            items_done: 0,
            todo,
            running: None,
            seeking: None,
            busiest: params.scenario.vertices.len() - 1,
            stopped: false,
            max_events,
            report: WhatIfReport {
                verdict: String::new(),
                before: None,
                sla: None,
                thrashing: None,
                modes: Vec::new(),
                changes: Vec::new(),
                margins: Vec::new(),
                tolerance: TOLERANCE,
                runs: 0,
                events: 0,
                max_events,
                is_complete: false,
            },
            params,
        })
    }

    /// Works through at most so many events more.
    pub fn advance(&mut self, max_events: u64) -> WhatIfProgress {
        let mut left = max_events;
        while left > 0 && !self.is_done() {
            match self.running.take() {
                Some(running) => left -= self.run(running, left),
                None => self.begin(),
            }
        }
        WhatIfProgress {
            events: self.report.events,
            runs: self.report.runs,
            items_done: self.items_done,
            items: self.items,
            doing: self.running.as_ref().map_or(String::new(), |it| it.trial.title.clone()),
            done: self.is_done(),
        }
    }

    /// Runs the whole of it.
    pub fn finish(mut self) -> Derivation<WhatIfReport> {
        while !self.advance(u64::MAX).done {}
        self.answer()
    }

    /// What is known so far.
    pub fn answer(&self) -> Derivation<WhatIfReport> {
        let mut value = self.report.clone();
        value.is_complete = self.todo.is_empty() && !self.stopped;
        value.verdict = value.sentence();
        let mut findings = self.params.scenario.not_modelled();
        if self.stopped {
            findings.push(self.too_much());
        }
        Derivation { value, findings }
    }

    fn is_done(&self) -> bool {
        self.stopped || (self.todo.is_empty() && self.running.is_none())
    }

    /// Goes on with a run, and says how many events that took.
    fn run(&mut self, mut running: Running, left: u64) -> u64 {
        let rest = self.max_events - self.report.events;
        let slice = left.min(CHECK_EVERY - running.since).min(rest);
        let before = running.simulation.events;
        let progress = running.simulation.advance(slice);
        let handled = progress.events - before;
        self.report.events += handled;
        running.since += handled;
        let looked = running.since == CHECK_EVERY;
        if looked {
            running.since = 0;
        }
        if progress.done || (looked && self.is_settled(&running)) {
            self.report.runs += 1;
            self.conclude(&running, progress.done);
        } else if self.report.events == self.max_events {
            self.stopped = true;
        } else {
            self.running = Some(running);
        }
        handled
    }

    /// Whether nothing that follows can change what is asked of a run.
    fn is_settled(&self, running: &Running) -> bool {
        let now = running.simulation.now.as_ms();
        let kept = || Kept::of(&running.simulation, &running.trial.scenario, self.promise, now);
        let followed = |kept: &Kept| now > running.trial.scenario.run_ms && kept.open == 0;
        match running.until {
            Until::End => false,
            Until::Judged(_) => {
                // An objective is known to be broken before the time is known that it takes.
                let no_objective = Promise { objective_ms: None, ..self.promise };
                let scenario = &running.trial.scenario;
                followed(&Kept::of(&running.simulation, scenario, no_objective, now))
            }
            Until::Broken(_) => {
                let kept = kept();
                let is_final = kept.expired > 0 || self.promise.allowed_share <= 0.0;
                (is_final && kept.broken(self.promise).is_some()) || followed(&kept)
            }
        }
    }

    /// How the checkpoints of a run that is over kept the promise.
    fn kept(&self, running: &Running, ended: bool) -> Kept {
        let simulation = &running.simulation;
        let now = match running.until {
            Until::Judged(ms) | Until::Broken(ms)
                if ended && !simulation.coordinator.job_failed() =>
            {
                running.trial.scenario.run_ms.saturating_add(ms)
            }
            _ => simulation.now.as_ms(),
        };
        Kept::of(simulation, &running.trial.scenario, self.promise, now)
    }

    /// Starts a run of a scenario.
    fn start(&mut self, trial: Trial, until: Until) -> Result<(), CheckpointError> {
        let mut job = trial.scenario.job()?;
        if let Until::Judged(ms) | Until::Broken(ms) = until {
            job.run = Some(SimTime::from_ms(trial.scenario.run_ms.saturating_add(ms)));
        }
        let simulation = Simulation::new(job);
        self.running = Some(Running { simulation, trial, until, since: 0 });
        Ok(())
    }

    /// The time that breaks the promise [ms].
    fn limit_ms(&self) -> u64 {
        let timeout = self.params.scenario.checkpointing.timeout_ms;
        self.params.objective_ms.map_or(timeout, |it| it.min(timeout))
    }

    fn too_much(&self) -> Finding {
        Finding {
            code: "whatIfLimit",
            severity: Severity::Warning,
            title: format!(
                "Not all was tried: the limit of {} events was reached.",
                self.max_events
            ),
            reason:
                "What is shown was simulated to its end. A shorter run, lower rates or fewer parts \
                     leave time for the rest."
                    .to_owned(),
            option: None,
            price: None,
            apply: Vec::new(),
            source: "a limit of this page".to_owned(),
        }
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
