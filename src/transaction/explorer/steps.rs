//! What a search says: its counts, its properties, and for each that was decided the steps to it,
//! with the state after each.
//!
//! Source: the relation's; the words are our own.

use serde::Serialize;

use super::bounds::Spent;
use super::compact::{compact, records};
use super::properties::{Kind, PROPERTIES};
use super::search::{Decided, Exploration, ExploreProgress};
use crate::transaction::event::{Completion, Event};
use crate::transaction::relation::{candidates, step};
use crate::transaction::state::{Fate, IdState, Lane, Phase, Place, State};

/// A transactional id as it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct IdView {
    /// The last part of its name.
    pub number: u32,
    /// Its epoch; -1 before the first `initTransactions`.
    pub epoch: i32,
    /// The coordinator's state, by Kafka's name.
    pub state: &'static str,
}

/// A transaction as it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TxnView {
    /// Its records, by number.
    pub records: Vec<u32>,
    /// The checkpoint that pre-committed it.
    pub checkpoint: Option<u32>,
    /// `open`, `prepareCommit`, `prepareAbort`, `committed` or `aborted`.
    pub fate: &'static str,
    /// The committer still has to commit it.
    pub is_pending: bool,
    /// A completed checkpoint owns it.
    pub is_owned: bool,
}

/// One subtask as it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LaneView {
    /// `down`, `recommitting`, `cleaningUp` or `running`.
    pub phase: &'static str,
    /// Records that the source has read.
    pub position: u32,
    /// The ids of its number.
    pub ids: Vec<IdView>,
    /// Its transactions, finished ones included.
    pub transactions: Vec<TxnView>,
}

/// A state as it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StateView {
    /// Whether the job is up.
    pub is_up: bool,
    /// The checkpoint that a failover restores.
    pub completed: u32,
    /// Its subtasks.
    pub lanes: Vec<LaneView>,
}

/// A step of a way, and where it leads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExploreStep {
    /// What kind of step, a stable name.
    pub kind: &'static str,
    /// Which subtask.
    pub subtask: Option<u32>,
    /// As a sentence.
    pub text: String,
    /// The state after it.
    pub after: StateView,
}

/// A property, and how it was decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PropertyReport {
    /// A stable name.
    pub name: &'static str,
    /// In words.
    pub text: &'static str,
    /// Everywhere, or somewhere.
    pub kind: Kind,
    /// Whether it is part of the promise.
    pub is_promise: bool,
    /// Whether it holds, as far as was explored.
    pub holds: bool,
    /// The shortest way to the state that breaks it, or that shows it.
    pub steps: Option<Vec<ExploreStep>>,
}

/// What a search has found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExploreReport {
    /// How far it is.
    pub progress: ExploreProgress,
    /// Every state was seen.
    pub is_complete: bool,
    /// It was ended by the cap on memory or by a state that does not fit.
    pub is_cut: bool,
    /// Bytes of a packed state.
    pub state_bytes: u32,
    /// The verdict in a sentence.
    pub text: String,
    /// The properties.
    pub properties: Vec<PropertyReport>,
}

impl Exploration {
    /// What is known so far.
    pub fn report(&mut self) -> ExploreReport {
        let progress = self.progress();
        let is_complete = progress.waiting == 0 && !self.is_broken && !self.is_cut;
        let mut properties = Vec::new();
        for (at, property) in PROPERTIES.iter().enumerate() {
            let decided = self.decided[at];
            let holds = decided.is_some() == (property.kind == Kind::Sometimes);
            properties.push(PropertyReport {
                name: property.name,
                text: property.text,
                kind: property.kind,
                is_promise: property.is_promise,
                holds,
                steps: decided.map(|it| self.way(it)),
            });
        }
        let promised = properties.iter().filter(|it| it.is_promise);
        let broken = promised
            .filter(|it| !it.holds)
            .find_map(|it| it.steps.as_ref().map(|way| (it.text, way.len())));
        let distinct = progress.distinct;
        let text = match broken {
            Some((text, steps)) => format!("Broken after {steps} steps. {text}"),
            None if is_complete => format!("All {distinct} states keep the promise."),
            None => format!("The {distinct} states so far keep the promise."),
        };
        let (is_cut, state_bytes) = (self.is_cut, self.state_bytes());
        ExploreReport { progress, is_complete, is_cut, state_bytes, text, properties }
    }

    /// The steps to what decided a property. Lanes may have been put in another order, so each step
    /// is found again as the one that leads to the state that was kept.
    fn way(&mut self, decided: Decided) -> Vec<ExploreStep> {
        let mut path = vec![decided.from];
        while let Some(parent) = self.parents.get(path[path.len() - 1] as usize)
            && *parent != u32::MAX
        {
            path.push(*parent);
        }
        path.reverse();
        let mut state = self.params.initial();
        state.lanes.resize_with(self.params.sinks as usize, Lane::new);
        // The full state beside the compacted one, so that finished transactions can be shown.
        let mut full = state.clone();
        let (mut spent, mut steps, mut events) = (Spent::default(), Vec::new(), Vec::new());
        for at in path.into_iter().skip(1) {
            candidates(&state, 0, &self.params.limits(&spent), &mut events);
            let found = events.iter().find_map(|event| {
                let mut after = state.clone();
                step(&mut after, *event, &self.rules, &mut ()).ok()?;
                let mut counted = spent;
                counted.count(*event, state.job(0).completed);
                after.lanes.iter_mut().for_each(compact);
                self.is_at(&after, &counted, at).then_some((*event, after, counted))
            });
            let Some((event, after, counted)) = found else { break };
            step(&mut full, event, &self.rules, &mut ()).ok();
            steps.push(view_step(event, &full, self.params.sinks));
            state = after;
            spent = counted;
        }
        // The last step is known; in the order that this way has its lanes, it is the one that
        // decides the same.
        if let Some(last) = decided.event {
            candidates(&state, 0, &self.params.limits(&spent), &mut events);
            let alike = |it: &&Event| std::mem::discriminant(*it) == std::mem::discriminant(&last);
            let mut wanted = state.clone();
            let mut original = self.params.initial();
            original.lanes.resize_with(self.params.sinks as usize, Lane::new);
            let original_spent = self.unpack(decided.from, &mut original);
            step(&mut original, last, &self.rules, &mut ()).ok();
            original.lanes.iter_mut().for_each(compact);
            let mut counted = original_spent;
            counted.count(last, state.job(0).completed);
            let target = self.pack(&original, &counted).is_ok().then(|| self.packed_words());
            let found = events.iter().filter(alike).find(|event| {
                wanted.clone_from(&state);
                step(&mut wanted, **event, &self.rules, &mut ()).is_ok() && {
                    wanted.lanes.iter_mut().for_each(compact);
                    self.pack(&wanted, &counted).is_ok()
                        && target.as_ref().is_some_and(|it| *it == self.packed_words())
                }
            });
            if let Some(event) = found.copied() {
                step(&mut full, event, &self.rules, &mut ()).ok();
                steps.push(view_step(event, &full, self.params.sinks));
            }
        }
        steps
    }
}

fn view_step(event: Event, after: &State, sinks: u32) -> ExploreStep {
    let (kind, subtask, text) = say(event, after);
    ExploreStep { kind, subtask, text, after: view(after, sinks) }
}

fn say(event: Event, after: &State) -> (&'static str, Option<u32>, String) {
    let number = |lane: u32, id: u32| after.lanes[lane as usize].record(id).number;
    match event {
        Event::Write { lane, .. } => {
            ("write", Some(lane), format!("Subtask {lane} writes a record."))
        }
        Event::Barrier { lane, .. } => (
            "barrier",
            Some(lane),
            format!(
                "The barrier passes subtask {lane}: it pre-commits and opens its next transaction."
            ),
        ),
        Event::Complete { kind: Completion::Untold, .. } => (
            "completeUntold",
            None,
            "The checkpoint is complete, but the message to the tasks is lost.".to_owned(),
        ),
        Event::Complete { .. } => ("complete", None, "The checkpoint is complete.".to_owned()),
        Event::Decline { .. } => ("decline", None, "The checkpoint is declined.".to_owned()),
        Event::Commit { lane, .. } => (
            "commit",
            Some(lane),
            format!("Subtask {lane} commits its oldest transaction that is due."),
        ),
        Event::Recommit { lane, .. } => (
            "recommit",
            Some(lane),
            format!("Subtask {lane} commits a transaction of the restored state again."),
        ),
        Event::Open { lane, .. } => (
            "open",
            Some(lane),
            format!("Subtask {lane} aborts what was left behind and opens its first transaction."),
        ),
        Event::Crash { .. } => ("crash", None, "All tasks are killed.".to_owned()),
        Event::CutOff { .. } => {
            ("cutOff", None, "The TaskManager is cut off; its tasks live on.".to_owned())
        }
        Event::Restore { with, .. } if with.from == 0 => {
            ("restore", None, "The job starts without state.".to_owned())
        }
        Event::Restore { with, .. } => {
            ("restore", None, format!("The job starts from checkpoint {}.", with.from))
        }
        Event::TimeOut { lane, id } => (
            "timeout",
            Some(lane),
            format!(
                "The transaction under id {lane}-{} runs longer than its timeout: aborted.",
                number(lane, id)
            ),
        ),
        Event::WriteMarkers { lane, id } => (
            "markers",
            Some(lane),
            format!("The coordinator writes the markers of {lane}-{}.", number(lane, id)),
        ),
        Event::Expire { lane, id } => {
            ("expire", Some(lane), format!("The idle id {lane}-{} is removed.", number(lane, id)))
        }
        Event::ZombieSend { lane, .. } => {
            ("zombieSend", Some(lane), format!("The old subtask {lane} sends a record."))
        }
        Event::ZombieCommit { lane, .. } => {
            ("zombieCommit", Some(lane), format!("The old subtask {lane} commits."))
        }
        Event::Finish { .. } => ("finish", None, "The job ends.".to_owned()),
        Event::GiveUp { lane, .. } => ("giveUp", Some(lane), format!("Subtask {lane} gives up.")),
        Event::FailOver => ("failover", None, "The coordinator moves.".to_owned()),
        Event::Refuse { .. } => ("refuse", None, "The broker refuses the writer.".to_owned()),
    }
}

fn view(state: &State, sinks: u32) -> StateView {
    let lanes = state.lanes.iter().map(|lane| {
        let task = &lane.tasks[0];
        let ids = lane.ids.iter().map(|it| IdView {
            number: it.number,
            epoch: it.epoch,
            state: match it.state {
                IdState::Empty => "Empty",
                IdState::Ongoing => "Ongoing",
                IdState::PrepareCommit => "PrepareCommit",
                IdState::PrepareAbort => "PrepareAbort",
                IdState::CompleteCommit => "CompleteCommit",
                IdState::CompleteAbort => "CompleteAbort",
                IdState::Dead => "Dead",
            },
        });
        let transactions = lane.txns.iter().enumerate().map(|(at, it)| TxnView {
            records: (0..32).filter(|record| records(it) >> record & 1 == 1).collect(),
            checkpoint: (it.checkpoint > 0).then_some(it.checkpoint),
            fate: match it.fate {
                Fate::Open => "open",
                Fate::PreparedCommit => "prepareCommit",
                Fate::PreparedAbort => "prepareAbort",
                Fate::Committed => "committed",
                Fate::Aborted => "aborted",
            },
            is_pending: lane.held_at(0, Place::Committer).any(|held| held == at as u32),
            is_owned: it.is_owned,
        });
        LaneView {
            phase: match task.phase {
                Phase::Down => "down",
                Phase::Recommitting => "recommitting",
                Phase::CleaningUp => "cleaningUp",
                Phase::Running => "running",
            },
            position: task.position / sinks,
            ids: ids.collect(),
            transactions: transactions.collect(),
        }
    });
    StateView {
        is_up: state.job(0).is_up,
        completed: state.job(0).completed,
        lanes: lanes.collect(),
    }
}
