//! What a search says: its counts, its properties, and for each that was decided the steps to it,
//! with the state after each.
//!
//! Source: the relation's; the words are our own.

use std::mem::discriminant;

use serde::Serialize;

use super::bounds::ExploreParams;
use super::compact::order_ids;
use super::moves::moves;
use super::properties::{Heard, Kind, PROPERTIES};
use super::protocol::Protocol;
use super::restart::{Attempt, attempt};
use super::search::{Decided, Exploration, ExploreProgress};
use super::spent::Spent;
use super::view::{ExploreStep, view_step};
use crate::transaction::event::Event;
use crate::transaction::state::State;

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
    /// Bytes of a packed state, on average.
    pub state_bytes: u32,
    /// The verdict in a sentence.
    pub text: String,
    /// The properties that these bounds say something about.
    pub properties: Vec<PropertyReport>,
}

impl<P: Protocol> Exploration<P> {
    /// What is known so far.
    pub fn report(&mut self) -> ExploreReport {
        let progress = self.progress();
        let is_complete = progress.waiting == 0 && !self.is_broken && !self.is_cut;
        let mut properties = Vec::new();
        for (at, property) in PROPERTIES.iter().enumerate() {
            if !property.is_judged(&self.params) {
                continue;
            }
            let decided = self.decided[at];
            let holds = decided.is_some() == (property.kind == Kind::Sometimes);
            properties.push(PropertyReport {
                name: property.name,
                text: property.text,
                kind: property.kind,
                is_promise: property.is_promise,
                holds,
                steps: decided.map(|it| self.way(it, property.name == "startsAgain")),
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
    /// `tries`: one more attempt of the job is shown after it, which is what the property is about.
    fn way(&mut self, decided: Decided, tries: bool) -> Vec<ExploreStep> {
        let mut path = vec![decided.from];
        while let Some(parent) = self.parents.get(path[path.len() - 1] as usize)
            && *parent != u32::MAX
        {
            path.push(*parent);
        }
        let mut at = Way::new(&self.params);
        let mut steps = Vec::new();
        for kept in path.into_iter().rev().skip(1) {
            let words = self.seen.get(kept).to_vec();
            let Some(step) = self.step_to(&mut at, &words, None) else { return steps };
            steps.push(step);
        }
        // Where the last one leads was kept too, or was known: it is what the step makes of the state
        // that the search had.
        let mut last = self.params.initial();
        let mut spent = self.unpack(decided.from, &mut last);
        spent.count(decided.event, &last);
        if P::step(&mut last, decided.event, &self.rules, &mut Heard::default()).is_ok() {
            self.layout.compact(&mut last);
            if self.pack(&last, &spent).is_ok() {
                let words = self.packed_words().to_vec();
                steps.extend(self.step_to(&mut at, &words, Some(decided.event)));
            }
        }
        if tries {
            let Attempt { events, .. } = attempt::<P>(&mut at.state.clone(), &self.rules);
            for event in events {
                let mut listed = Vec::new();
                moves(&self.params, &at.state, &at.spent, &mut listed);
                let choice = listed.iter().position(|it| *it == event);
                steps.extend(choice.and_then(|it| self.take(&mut at, event, it)));
            }
        }
        steps
    }

    /// Makes a step of a way.
    fn take(&mut self, at: &mut Way, event: Event, choice: usize) -> Option<ExploreStep> {
        let mut spent = at.spent;
        spent.count(event, &at.state);
        P::step(&mut at.state, event, &self.rules, &mut Heard::default()).ok()?;
        self.layout.compact(&mut at.state);
        let before = at.full.clone();
        P::step(&mut at.full, event, &self.rules, &mut Heard::default()).ok()?;
        at.full.lanes.iter_mut().for_each(order_ids);
        at.spent = spent;
        Some(view_step(event, choice, &before, &at.full, &self.params, &self.layout))
    }

    /// The step from where a way is to the state with these words, which is of the kind of `like`.
    fn step_to(&mut self, at: &mut Way, words: &[u64], like: Option<Event>) -> Option<ExploreStep> {
        let mut events = Vec::new();
        moves(&self.params, &at.state, &at.spent, &mut events);
        for (choice, event) in events.into_iter().enumerate() {
            let is_alike = like.is_none_or(|it| discriminant(&it) == discriminant(&event));
            let mut after = at.state.clone();
            if !is_alike || P::step(&mut after, event, &self.rules, &mut Heard::default()).is_err()
            {
                continue;
            }
            let mut spent = at.spent;
            spent.count(event, &at.state);
            self.layout.compact(&mut after);
            if self.pack(&after, &spent).is_err() || self.packed_words() != words {
                continue;
            }
            return self.take(at, event, choice);
        }
        None
    }
}

/// Where a way has come to.
pub(super) struct Way {
    pub(super) state: State,
    /// The same with finished transactions, so that they can be shown.
    pub(super) full: State,
    pub(super) spent: Spent,
}

impl Way {
    pub(super) fn new(params: &ExploreParams) -> Self {
        let state = params.initial();
        Self { full: state.clone(), state, spent: Spent::default() }
    }
}
