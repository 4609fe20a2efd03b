//! Whether a job that is down can run again with the settings it has: its next attempts, played ahead
//! without any other event.
//!
//! Source: the relation's; an attempt that fails and leaves all but the epochs as it found it is followed
//! by the same attempt for ever.

use super::bounds::ownership_of;
use super::properties::Heard;
use super::protocol::Protocol;
use crate::transaction::event::{Event, Rules, Sink};
use crate::transaction::relation::same_settings;
use crate::transaction::state::{IdState, Phase, State};

/// The most attempts that are played ahead. The first ends what can be ended, so the second leaves all
/// as it is; one more is spare.
const ATTEMPTS_MAX: usize = 3;

/// The steps of one attempt of the judged job.
pub struct Attempt {
    pub events: Vec<Event>,
    /// Whether all tasks run after them.
    pub runs: bool,
}

/// Plays the next attempt.
pub fn attempt<P: Protocol>(state: &mut State, rules: &Rules) -> Attempt {
    let mut played = Attempt { events: Vec::new(), runs: false };
    let mut take = |state: &mut State, event: Event| {
        // A step that cannot happen may leave the state half changed.
        let mut after = state.clone();
        let is_done = P::step(&mut after, event, rules, &mut Heard::default()).is_ok();
        if is_done {
            *state = after;
            played.events.push(event);
        }
        is_done
    };
    let job = 0;
    let from = state.job(job).completed;
    let restore = Event::Restore { job, with: same_settings(state, job, from) };
    if !take(state, restore) {
        return played;
    }
    for lane in 0..state.lanes.len() {
        while state.job(job).is_up && state.task(job, lane).phase == Phase::Recommitting {
            let event = Event::Recommit { job, lane: lane as u32, is_late: false };
            // The coordinator asks who comes while it writes markers to come again.
            if !(take(state, event) || write_markers(state, &mut take) && take(state, event)) {
                return played;
            }
        }
    }
    for lane in state.active(job) {
        let event = Event::Open { job, lane: lane as u32 };
        let is_opened = state.job(job).is_up
            && (take(state, event) || write_markers(state, &mut take) && take(state, event));
        if !is_opened {
            break;
        }
    }
    played.runs = state.is_running(job);
    played
}

/// Whether any were to be written.
fn write_markers(state: &mut State, take: &mut impl FnMut(&mut State, Event) -> bool) -> bool {
    let mut any = false;
    for lane in 0..state.lanes.len() {
        for id in 0..state.lanes[lane].ids.len() {
            let it = state.lanes[lane].ids[id].state;
            if matches!(it, IdState::PrepareCommit | IdState::PrepareAbort) {
                any |= take(state, Event::WriteMarkers { lane: lane as u32, id: id as u32 });
            }
        }
    }
    any
}

/// Whether every attempt to come fails before all tasks run.
pub fn is_hopeless<P: Protocol>(state: &State, rules: &Rules) -> bool {
    if state.job(0).is_up || !may_fail(state, rules) {
        return false;
    }
    let mut later = state.clone();
    let mut before = without_epochs(state);
    for _ in 0..ATTEMPTS_MAX {
        if attempt::<P>(&mut later, rules).runs || later.job(0).is_up {
            return false;
        }
        let after = without_epochs(&later);
        if after == before {
            return true;
        }
        before = after;
    }
    false
}

/// Whether there is anything that an attempt can fail on, so that most states need no look ahead: a
/// broker that refuses, an id that expired, names of another strategy, a pool that can be empty.
fn may_fail(state: &State, rules: &Rules) -> bool {
    let job = state.job(0);
    let ids = || state.lanes.iter().flat_map(|it| &it.ids);
    let restored = state.lanes[0].snapshot(0, job.completed);
    job.refusal.is_some()
        || rules.sink == Sink::Legacy
        || restored.is_some_and(|it| it.ownership != ownership_of(job.naming))
        || ids().any(|it| it.state == IdState::Dead || it.producer > 0)
}

/// An attempt moves epochs on, which by itself changes nothing that the next one meets.
fn without_epochs(state: &State) -> State {
    let mut plain = state.clone();
    let lanes = plain.lanes.iter_mut();
    lanes.flat_map(|it| &mut it.ids).for_each(|it| it.epoch = 0);
    plain
}
