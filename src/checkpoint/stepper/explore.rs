//! Which promises hold in every order of steps, and the shortest run that breaks one.
//!
//! Breadth first over all states that steps lead to, so the first run that breaks a promise is a
//! shortest one. `sometimes` properties guard against a search that proves nothing: they say what
//! happened at all.
//!
//! Source: the promises are those of Flink 1.20.5's checkpoints: exactly once means that state plus
//! in-flight data of a complete checkpoint hold exactly the records before its barriers
//! (CheckpointingMode.EXACTLY_ONCE), and that committed results are those of complete checkpoints
//! (TwoPhaseCommittingSink).

use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

use serde::Serialize;

use super::StepMode;
use super::example::{Example, Item};
use super::relation::{Step, is_blocked, obstacle, steps, take};
use super::state::State;
use super::words;
use crate::units::grouped;

/// The most states that are kept, a bound of time and memory.
pub const STATES_MAX: usize = 60_000;
/// The most failures in a run.
pub const FAILURES_MAX: u8 = 2;

/// What is asked of every run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum PropertyKind {
    /// It holds in every state.
    Always,
    /// Some state shows it.
    Sometimes,
}

/// A named property and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Property {
    /// A stable name.
    pub id: &'static str,
    /// What is asked.
    pub kind: PropertyKind,
    /// It in words.
    pub says: &'static str,
    /// Whether it holds, in the states that were looked at.
    pub holds: bool,
    /// For one that always should hold the shortest run that breaks it; for the others the shortest
    /// that shows it.
    pub run: Option<Vec<Step>>,
    /// What is wrong at the end of that run.
    pub reason: Option<String>,
}

/// What all orders come to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExploreReport {
    /// One sentence.
    pub verdict: String,
    /// Different states.
    pub states: usize,
    /// Steps taken to find them.
    pub transitions: usize,
    /// The most steps to a state by the shortest way.
    pub depth: usize,
    /// Whether that is all of them.
    pub is_complete: bool,
    /// The most states that are looked at.
    pub limit: usize,
    /// Every property.
    pub properties: Vec<Property>,
}

/// Says what is wrong, or what there is to see, with a state.
type Check = fn(&Example, &State) -> Option<String>;

const ALWAYS: [(&str, &str, Check); 6] = [
    (
        "consistentCut",
        "State and in-flight data of a complete checkpoint hold exactly the records before its barriers.",
        cut,
    ),
    ("countedOnce", "No record counts twice.", counted_twice),
    ("nothingLost", "When all is delivered, every record counts.", lost),
    ("seenOnce", "Readers see no result twice.", seen_twice),
    ("seenWhenComplete", "Readers see only results of complete checkpoints.", seen_too_early),
    (
        "seenAtLast",
        "Once the sinks know of a checkpoint, readers see all results that it holds.",
        never_seen,
    ),
];

const SOMETIMES: [(&str, &str, Check); 4] = [
    ("completes", "A checkpoint completes.", completes),
    ("blocks", "A channel is blocked.", blocks),
    ("overtakes", "A snapshot has in-flight data.", holds_in_flight),
    ("restores", "The job is restored from a checkpoint.", restores),
];

/// Looks at every state that is reached with at most so many failures.
pub fn explore(example: &Example, failures: u8, limit: usize) -> ExploreReport {
    let mut search = Search::new(example, failures, limit);
    search.run();
    search.report()
}

struct Search<'a> {
    example: &'a Example,
    failures: u8,
    limit: usize,
    known: BTreeSet<Rc<State>>,
    /// For each state its parent, the step from there, and its depth.
    came: Vec<(usize, Step, usize)>,
    waiting: VecDeque<(usize, Rc<State>)>,
    transitions: usize,
    is_complete: bool,
    found: Vec<Option<(usize, String)>>,
}

impl<'a> Search<'a> {
    fn new(example: &'a Example, failures: u8, limit: usize) -> Self {
        Self {
            example,
            failures,
            limit,
            known: BTreeSet::new(),
            came: Vec::new(),
            waiting: VecDeque::new(),
            transitions: 0,
            is_complete: true,
            found: vec![None; ALWAYS.len() + SOMETIMES.len()],
        }
    }

    fn run(&mut self) {
        // The first state has no parent; its step is never read.
        self.enter(State::new(self.example), (0, Step::Fail, 0));
        while let Some((at, state)) = self.waiting.pop_front() {
            let depth = self.came[at].2 + 1;
            for step in steps(self.example, &state) {
                if step == Step::Fail && state.failures >= self.failures {
                    continue;
                }
                if obstacle(self.example, &state, step).is_some() {
                    continue;
                }
                if let Ok((after, _)) = take(self.example, &state, step) {
                    self.transitions += 1;
                    self.enter(after, (at, step, depth));
                }
            }
        }
    }

    fn enter(&mut self, mut state: State, from: (usize, Step, usize)) {
        state.forget_what_is_over();
        if self.known.contains(&state) {
            return;
        }
        if self.known.len() >= self.limit {
            self.is_complete = false;
            return;
        }
        let at = self.came.len();
        for (check, found) in checks().zip(&mut self.found) {
            if found.is_none() {
                *found = check(self.example, &state).map(|reason| (at, reason));
            }
        }
        let state = Rc::new(state);
        self.known.insert(Rc::clone(&state));
        self.came.push(from);
        self.waiting.push_back((at, state));
    }

    fn way_to(&self, mut at: usize) -> Vec<Step> {
        let mut steps = Vec::new();
        while at > 0 {
            let (parent, step, _) = self.came[at];
            steps.push(step);
            at = parent;
        }
        steps.reverse();
        steps
    }

    fn report(self) -> ExploreReport {
        let has_sink = self.example.sink == super::SinkKind::TwoPhaseCommit;
        let always = ALWAYS.iter().map(|(id, says, _)| (PropertyKind::Always, *id, *says));
        let sometimes = SOMETIMES.iter().map(|(id, says, _)| (PropertyKind::Sometimes, *id, *says));
        let mut properties: Vec<Property> = always
            .chain(sometimes)
            .zip(&self.found)
            .map(|((kind, id, says), found)| Property {
                id,
                kind,
                says,
                holds: found.is_some() == (kind == PropertyKind::Sometimes),
                run: found.as_ref().map(|(at, _)| self.way_to(*at)),
                reason: found.as_ref().map(|(_, reason)| reason.clone()),
            })
            .collect();
        properties.retain(|it| has_sink || !it.id.starts_with("seen"));
        ExploreReport {
            verdict: self.verdict(&properties),
            states: self.known.len(),
            transitions: self.transitions,
            depth: self.came.iter().map(|(_, _, depth)| *depth).max().unwrap_or(0),
            is_complete: self.is_complete,
            limit: self.limit,
            properties,
        }
    }

    fn verdict(&self, properties: &[Property]) -> String {
        let states = grouped(i64::try_from(self.known.len()).unwrap_or(i64::MAX));
        let broken: Vec<&Property> =
            properties.iter().filter(|it| it.kind == PropertyKind::Always && !it.holds).collect();
        match broken.as_slice() {
            [] if self.is_complete => format!("All {states} states keep every promise."),
            [] => format!(
                "The first {states} states keep every promise; there are more than are looked at."
            ),
            [first, ..] => {
                let shortest = first.run.as_ref().map_or(0, Vec::len);
                let mode = match self.example.mode {
                    StepMode::AtLeastOnce => "At least once does not promise more: ",
                    _ => "",
                };
                let count = if broken.len() == 1 { "promise is" } else { "promises are" };
                format!(
                    "{mode}{} {count} broken in {states} states, the first after {shortest} steps. {}",
                    broken.len(),
                    first.reason.as_deref().unwrap_or_default()
                )
            }
        }
    }
}

fn checks() -> impl Iterator<Item = Check> {
    ALWAYS.iter().chain(SOMETIMES.iter()).map(|(_, _, check)| *check)
}

/// Every record: its channel and its place.
fn records(example: &Example) -> impl Iterator<Item = (usize, usize)> + '_ {
    example.channels.iter().enumerate().flat_map(|(channel, it)| {
        let is_record = |place: &usize| matches!(it.items[*place], Item::Record { .. });
        (0..it.items.len()).filter(is_record).map(move |place| (channel, place))
    })
}

fn named(example: &Example, (channel, place): (usize, usize)) -> String {
    format!("{} of channel {channel}", words::item(example, channel, place))
}

fn cut(example: &Example, state: &State) -> Option<String> {
    let completed = state.completed.as_ref()?;
    records(example).find_map(|(channel, place)| {
        let of = &example.channels[channel];
        let part = &completed.parts[of.task];
        let in_state = part.snapshot.as_ref()?.counted[channel][place];
        let in_flight = part.in_flight.iter().filter(|it| **it == (channel, place)).count();
        let is_before = of.place_of(completed.id).is_none_or(|barrier| place < barrier);
        let (record, id) = (named(example, (channel, place)), completed.id);
        match (usize::from(in_state) + in_flight, is_before) {
            (1, true) | (0, false) => None,
            (0, true) => {
                Some(format!("{record} stands before barrier {id} and is not in checkpoint {id}."))
            }
            (_, true) => Some(format!("{record} is in checkpoint {id} twice.")),
            (_, false) => Some(format!(
                "{record} stands behind barrier {id} and is in checkpoint {id}: after a restore it comes again."
            )),
        }
    })
}

fn counted_twice(example: &Example, state: &State) -> Option<String> {
    let twice =
        |(channel, place): &(usize, usize)| state.times_counted(example, *channel, *place) > 1;
    let record = records(example).find(twice)?;
    let task = example.channels[record.0].task;
    Some(format!(
        "{} is in the sums twice: {}.",
        named(example, record),
        words::sums(example, &state.tasks[task])
    ))
}

fn lost(example: &Example, state: &State) -> Option<String> {
    if state.is_down || !state.is_drained() {
        return None;
    }
    let missing =
        |(channel, place): &(usize, usize)| state.times_counted(example, *channel, *place) == 0;
    let record = records(example).find(missing)?;
    Some(format!("{} was delivered and is in no sum.", named(example, record)))
}

fn seen_twice(example: &Example, state: &State) -> Option<String> {
    let mut seen = BTreeSet::new();
    let twice = state.visible.iter().find(|it| !seen.insert((it.channel, it.place)))?;
    Some(format!(
        "Readers see the result of {} twice.",
        named(example, (twice.channel, twice.place))
    ))
}

fn seen_too_early(example: &Example, state: &State) -> Option<String> {
    let early = state.visible.iter().find(|it| !is_held(example, state, (it.channel, it.place)))?;
    Some(format!(
        "Readers see the result of {}, which no complete checkpoint holds.",
        named(example, (early.channel, early.place))
    ))
}

fn never_seen(example: &Example, state: &State) -> Option<String> {
    if !state.completed.as_ref().is_some_and(|it| it.is_notified) {
        return None;
    }
    let is_seen = |(channel, place)| {
        state.visible.iter().any(|it| (it.channel, it.place) == (channel, place))
    };
    let record = records(example).find(|it| is_held(example, state, *it) && !is_seen(*it))?;
    Some(format!("Readers never see the result of {}.", named(example, record)))
}

/// Whether the newest complete checkpoint's state holds a record.
fn is_held(example: &Example, state: &State, (channel, place): (usize, usize)) -> bool {
    let task = example.channels[channel].task;
    let part = state.completed.as_ref().map(|completed| &completed.parts[task]);
    part.and_then(|part| part.snapshot.as_ref()).is_some_and(|it| it.counted[channel][place] > 0)
}

fn completes(_: &Example, state: &State) -> Option<String> {
    state.completed.as_ref().map(|it| format!("Checkpoint {} is complete.", it.id))
}

fn blocks(example: &Example, state: &State) -> Option<String> {
    let channel = (0..example.channels.len()).find(|it| is_blocked(example, state, *it))?;
    Some(words::blocked(example, state, channel))
}

fn holds_in_flight(example: &Example, state: &State) -> Option<String> {
    let parts = state.completed.iter().flat_map(|it| &it.parts);
    let (channel, place) = *parts.flat_map(|part| &part.in_flight).next()?;
    Some(format!("{} is in-flight data.", named(example, (channel, place))))
}

fn restores(_: &Example, state: &State) -> Option<String> {
    let is_restored = !state.is_down && state.failures > 0 && state.completed_id() > 0;
    is_restored.then(|| format!("The job runs on after checkpoint {}.", state.completed_id()))
}
