//! What is simulated next, and what becomes of a run that is over.
//!
//! Source: none of Flink's; the order of work is ours.

use super::change::{self, CHANGES, ChangeKind, MODES, Trial, with_mode};
use super::figures::{Breach, Kept, Promise, RunFigures};
use super::knob::Knob;
use super::margin::Margin;
use super::report::{ChangeOutcome, ModeOutcome, Sla};
use super::search::Search;
use super::thrashing::Thrashing;
use super::{Item, LONGEST_TIMEOUT_MS, PATIENCE, Running, Seeking, Until, WhatIf};
use crate::checkpoint::params::Mode;
use crate::checkpoint::scenario::Scenario;
use crate::checkpoint::simulation::Simulation;

impl WhatIf {
    /// Starts the next run, or is done with an item that needs none.
    pub(super) fn begin(&mut self) {
        let Some(item) = self.todo.front().copied() else { return };
        let scenario = self.params.scenario.clone();
        let timeout_ms = scenario.checkpointing.timeout_ms;
        let trial = |title: &str, scenario: Scenario| Trial {
            title: title.to_owned(),
            apply: Vec::new(),
            scenario,
            note: None,
        };
        let started = match item {
            Item::Base => self.start(trial("the run as it is", scenario), Until::End),
            Item::Followed => {
                let trial = trial("every checkpoint to its end", scenario);
                self.start(trial, Until::Judged(timeout_ms.saturating_add(1)))
            }
            Item::Patient => {
                let mut patient = scenario;
                patient.checkpointing.timeout_ms = LONGEST_TIMEOUT_MS;
                let until = Until::Judged(timeout_ms.saturating_mul(PATIENCE));
                self.start(trial("checkpoints that are not given up", patient), until)
            }
            Item::Mode(place) => {
                let trial = with_mode(&scenario, MODES[place], self.aligned_timeout_ms());
                self.start(trial, Until::End)
            }
            Item::Change(place) => match self.trial(CHANGES[place]) {
                Ok(trial) => self.start(trial, Until::End),
                Err(why) => return self.refuse_change(place, why),
            },
            Item::Knob(knob) => return self.begin_knob(knob),
        };
        if let Err(error) = started {
            match item {
                Item::Change(place) => self.refuse_change(place, error.to_string()),
                _ => self.done_with_item(),
            }
        }
    }

    /// A timeout to try where the scenario has none: half of the time that breaks the promise.
    fn aligned_timeout_ms(&self) -> u64 {
        (self.limit_ms() / 2).max(1)
    }

    /// A change, or why it is not tried.
    fn trial(&self, kind: ChangeKind) -> Result<Trial, String> {
        let fails = self.report.before.as_ref().is_none_or(|it| it.job_failed);
        if kind == ChangeKind::MoreTolerable && !fails {
            return Err("The job does not fail over its checkpoints.".to_owned());
        }
        kind.trial(&self.params.scenario, self.aligned_timeout_ms(), self.params.flink)
    }

    fn done_with_item(&mut self) {
        self.todo.pop_front();
        self.items_done += 1;
    }

    /// A run is over; `ended` if its time was.
    pub(super) fn conclude(&mut self, running: &Running, ended: bool) {
        let Some(item) = self.todo.front().copied() else { return };
        let simulation = &running.simulation;
        let trial = &running.trial;
        match item {
            Item::Base => {
                self.report.before = Some(RunFigures::of(simulation, &trial.scenario));
                self.busiest = busiest(simulation);
                self.report.thrashing = Thrashing::of(&simulation.checkpoints, &trial.scenario);
            }
            Item::Followed => {
                let timeout = trial.scenario.checkpointing.timeout_ms;
                let kept = self.kept(running, ended);
                self.report.sla = Some(Sla::of(&kept, self.promise, timeout));
            }
            Item::Patient => {
                // How long it takes is asked, so none counts as judged before it ends.
                let asked = Promise { objective_ms: None, ..self.promise };
                let kept = Kept::of(simulation, &trial.scenario, asked, simulation.now.as_ms());
                if let Some(thrashing) = &mut self.report.thrashing {
                    thrashing.with_patience(&kept);
                }
            }
            Item::Mode(place) => {
                let mode = MODES[place];
                let own = &self.params.scenario.checkpointing;
                let unaligned = own.mode == Mode::Timeout && own.aligned_checkpoint_timeout_ms == 0;
                let own = if unaligned { Mode::Unaligned } else { own.mode };
                self.report.modes.push(ModeOutcome {
                    mode,
                    title: trial.title.clone(),
                    is_current: mode == own,
                    figures: RunFigures::of(simulation, &trial.scenario),
                    note: trial.note.clone(),
                    apply: trial.apply.clone(),
                    scenario: trial.scenario.clone(),
                });
            }
            Item::Change(place) => self.conclude_change(place, simulation, trial),
            Item::Knob(_) => return self.conclude_knob(running, ended),
        }
        self.done_with_item();
        if item == Item::Base && self.report.thrashing.is_some() {
            self.todo.push_front(Item::Patient);
            self.items += 1;
        }
    }

    fn refuse_change(&mut self, place: usize, why: String) {
        self.report.changes.push(ChangeOutcome {
            kind: CHANGES[place],
            title: CHANGES[place].name().to_owned(),
            refused: Some(why),
            after: None,
            gain: None,
            price: None,
            note: None,
            apply: Vec::new(),
            scenario: None,
        });
        self.done_with_item();
    }

    fn conclude_change(&mut self, place: usize, simulation: &Simulation, trial: &Trial) {
        let after = RunFigures::of(simulation, &trial.scenario);
        let before = self.report.before.as_ref();
        self.report.changes.push(ChangeOutcome {
            kind: CHANGES[place],
            title: trial.title.clone(),
            refused: None,
            gain: before.map(|it| change::gain(it, &after)),
            price: before.map(|it| CHANGES[place].price(it, &after)),
            after: Some(after),
            note: trial.note.clone(),
            apply: trial.apply.clone(),
            scenario: Some(trial.scenario.clone()),
        });
    }

    /// Begins a search, or goes on with it.
    fn begin_knob(&mut self, knob: Knob) {
        if self.seeking.is_none() {
            match self.seek(knob) {
                Ok(seeking) => self.seeking = Some(seeking),
                Err(why) => {
                    self.report.margins.push(Margin::none(knob, why));
                    return self.done_with_item();
                }
            }
        }
        let Some(mut seeking) = self.seeking.take() else { return };
        let Some(value) = seeking.search.ask() else { return self.found(seeking) };
        let scenario = seeking.place.set(&self.params.scenario, value);
        let title = format!(
            "{} at {}",
            seeking.place.what,
            super::margin::said_value(seeking.place.knob, value)
        );
        let trial = Trial { title, apply: Vec::new(), scenario, note: None };
        // What takes longer than that has broken the promise.
        let until = Until::Broken(self.limit_ms().saturating_add(1));
        if let Err(error) = self.start(trial, until) {
            seeking.search.refuse();
            seeking.refused = Some(error.to_string());
        }
        self.seeking = Some(seeking);
    }

    fn seek(&self, knob: Knob) -> Result<Seeking, &'static str> {
        let sla = self.report.sla.as_ref();
        let held = sla.and_then(|it| it.is_kept);
        let held = held.ok_or("No checkpoint was judged in the run as it is.")?;
        let expires = sla.is_some_and(|it| it.expired > 0);
        let breach = if expires { Breach::Timeout } else { Breach::Objective };
        let breach = (!held).then_some(breach);
        let limit = self.limit_ms() as f64;
        let place = knob.place(&self.params.scenario, self.busiest, limit)?;
        let search = Search::new(place.axis, held);
        Ok(Seeking { place, search, held, breach, refused: None, runs: 0 })
    }

    fn conclude_knob(&mut self, running: &Running, ended: bool) {
        let kept = self.kept(running, ended);
        let Some(seeking) = &mut self.seeking else { return };
        seeking.runs += 1;
        if kept.judged == 0 {
            seeking.search.refuse();
            let says = "no checkpoint is judged there";
            seeking.refused = Some(says.to_owned());
            return;
        }
        let breach = kept.broken(self.promise);
        seeking.search.take(breach.is_none());
        seeking.breach = breach.or(seeking.breach);
    }

    fn found(&mut self, seeking: Seeking) {
        let Seeking { place, search, held, breach, refused, runs } = seeking;
        let scenario = &self.params.scenario;
        let found = search.found();
        let mut margin = Margin::of(&place, found, held, breach, refused.as_deref(), scenario);
        margin.runs = runs;
        self.report.margins.push(margin);
        self.done_with_item();
    }
}

/// The vertex of the subtask that spends most time on records; the last where none does.
fn busiest(simulation: &Simulation) -> usize {
    let report = simulation.report();
    let tasks = simulation.tasks.iter().zip(&report.tasks);
    let inner = tasks.filter(|(it, _)| !it.gates.is_empty());
    let most = inner.max_by_key(|(it, load)| (load.busy_ms, it.vertex));
    most.map_or(simulation.job.vertices.len() - 1, |(it, _)| it.vertex)
}
