//! Plays a way of the explorer again from its choices alone, with all that happens at each step, so
//! that it can be drawn like a scenario by the clock.
//!
//! Source: the relation's; times are the numbers of the steps.

use serde::{Deserialize, Serialize};

use super::bounds::{ExploreParams, SecondPrefix, within};
use super::layout::Layout;
use super::moves::moves;
use super::properties::Heard;
use super::spent::Spent;
use crate::transaction::course::{Course, course, ledger_of};
use crate::transaction::driver::Timed;
use crate::transaction::error::TransactionError;
use crate::transaction::event::{Event, Fact};
use crate::transaction::names::Known;
use crate::transaction::relation::step;
use crate::transaction::state::State;

/// The most steps of a way: more than any search within the bounds is deep.
const STEPS_MAX: u32 = 1_000;

/// A way: where it was found, and what was chosen at each step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WayParams {
    /// The bounds of the search.
    pub search: ExploreParams,
    /// The place of each step among those that could happen.
    pub choices: Vec<u32>,
    /// How the transactional ids of the judged job begin.
    pub prefix: String,
    /// Whether its last step breaks a property.
    pub breaks: bool,
}

/// Plays it again.
pub fn replay(params: &WayParams) -> Result<Course, TransactionError> {
    let WayParams { search, choices, prefix, .. } = params;
    search.check()?;
    within("choices", u32::try_from(choices.len()).unwrap_or(u32::MAX), 1, STEPS_MAX)?;
    let layout = Layout::of(search);
    let rules = search.rules();
    let mut state = search.initial();
    let mut spent = Spent::default();
    // What the search forgets has to be told too.
    let mut whole = state.clone();
    let mut facts: Vec<Timed> = Vec::new();
    let mut listed = Vec::new();
    for (number, choice) in (1_u64..).zip(choices) {
        let refused = || TransactionError::NoSuchStep { at: number };
        moves(search, &state, &spent, &mut listed);
        let event = *listed.get(*choice as usize).ok_or_else(refused)?;
        let same = in_whole(event, &state, &whole).ok_or_else(refused)?;
        spent.count(event, &state);
        step(&mut state, event, &rules, &mut Heard::default()).map_err(|_| refused())?;
        layout.compact(&mut state);
        let mut heard: Vec<Fact> = Vec::new();
        step(&mut whole, same, &rules, &mut heard).map_err(|_| refused())?;
        facts.extend(heard.into_iter().map(|fact| Timed { at: number, fact }));
    }
    let prefixes = prefixes(search.second_prefix, prefix);
    let known = Known {
        sink: rules.sink,
        pool: rules.pool,
        state: &whole,
        prefixes: &prefixes,
        clocks: &[],
        has_two: search.second_starts > 0,
    };
    let ledger = ledger_of(&known, &facts, search.is_partition_shared);
    Ok(course(&known, &facts, &ledger))
}

/// The same event where ids stand in order of their first use: the search keeps them in order of their
/// names.
fn in_whole(event: Event, state: &State, whole: &State) -> Option<Event> {
    let named = |lane: u32, id: u32| {
        let it = state.lanes.get(lane as usize)?.ids.get(id as usize)?;
        let ids = &whole.lanes.get(lane as usize)?.ids;
        let at =
            ids.iter().position(|other| (other.prefix, other.number) == (it.prefix, it.number));
        at.map(|at| at as u32)
    };
    Some(match event {
        Event::TimeOut { lane, id } => Event::TimeOut { lane, id: named(lane, id)? },
        Event::WriteMarkers { lane, id } => Event::WriteMarkers { lane, id: named(lane, id)? },
        Event::Expire { lane, id } => Event::Expire { lane, id: named(lane, id)? },
        other => other,
    })
}

/// The prefixes by number: the job's, the second job's, the one it is changed to. None begins with
/// another but where the bounds say so.
fn prefixes(second: SecondPrefix, own: &str) -> [String; 3] {
    let shorter = own.char_indices().last().map_or(own, |(at, _)| &own[..at]);
    let second = match second {
        SecondPrefix::Shorter => shorter.to_owned(),
        SecondPrefix::Same | SecondPrefix::Own => format!("second-{own}"),
    };
    [own.to_owned(), second, format!("changed-{own}")]
}
