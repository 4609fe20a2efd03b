//! Which steps an exploration tries in a state: the relation's, and those that its bounds add, which
//! are starts with other settings, a second job, and a broker that refuses.
//!
//! Source: Flink 2.1, restart from a checkpoint with changed settings; Kafka 4.x,
//! TransactionCoordinator (validateTransactionTimeoutMs) for the limit that is lowered.

use super::bounds::{CHANGED, ExploreParams, OWN};
use super::spent::Spent;
use crate::transaction::event::{Event, Restart};
use crate::transaction::relation::{coordinator_steps, job_steps, same_settings};
use crate::transaction::state::{Naming, Refusal, State};

/// Lists them in a fixed order. A listed one may still have to wait, which the step then says.
pub fn moves(params: &ExploreParams, state: &State, spent: &Spent, out: &mut Vec<Event>) {
    out.clear();
    let limits = params.limits(0, spent);
    job_steps(state, 0, &limits, out);
    if state.job(0).is_up {
        if params.is_aligned() {
            align(state, out);
        }
    } else {
        add_changed_starts(params, state, spent, out);
    }
    if spent.limit_lowered < params.limit_lowered && params.has_transactions() {
        out.push(Event::Refuse { job: 0, refusal: Some(Refusal::TimeoutTooLarge) });
    }
    if state.job(1).is_up || spent.second_starts < params.second_starts {
        job_steps(state, 1, &params.limits(1, spent), out);
    }
    coordinator_steps(state, &limits, out);
}

/// The starts that are listed, with every allowed change of settings.
fn add_changed_starts(params: &ExploreParams, state: &State, spent: &Spent, out: &mut Vec<Event>) {
    let owner = state.job(0);
    if spent.fresh_starts < params.fresh_starts && owner.completed > 0 {
        let newest = state.lanes[0].snapshot(0, owner.completed);
        let position = newest.map_or(0, |it| it.position);
        let with = Restart { position, ..same_settings(state, 0, 0) };
        out.push(Event::Restore { job: 0, with });
    }
    let has_ids = params.has_transactions();
    let prefix = if owner.prefix == OWN { CHANGED } else { OWN };
    vary(out, has_ids && spent.prefix_changes < params.prefix_changes, |with| Restart {
        prefix,
        ..with
    });
    let naming = match owner.naming {
        Naming::Incrementing => Naming::Pooling,
        Naming::Pooling => Naming::Incrementing,
    };
    vary(out, has_ids && spent.naming_changes < params.naming_changes, |with| Restart {
        naming,
        ..with
    });
    let sinks = params.sinks + params.sinks_after - owner.parallelism;
    vary(out, params.is_rescaled() && spent.rescales < params.rescales, |with| Restart {
        parallelism: sinks,
        ..with
    });
}

fn vary(out: &mut Vec<Event>, is_allowed: bool, change: impl Fn(Restart) -> Restart) {
    for at in 0..if is_allowed { out.len() } else { 0 } {
        if let Event::Restore { job: 0, with } = out[at] {
            out.push(Event::Restore { job: 0, with: change(with) });
        }
    }
}

/// Drops what would have a barrier overtake a record, or a record overtake a barrier, of the one
/// source that all tasks read.
fn align(state: &State, out: &mut Vec<Event>) {
    let next = state.job(0).settled + 1;
    let task = |lane: u32| state.task(0, lane as usize);
    let passed = state.active(0).find(|lane| state.task(0, *lane).acked >= next);
    let barrier = passed.and_then(|lane| state.lanes[lane].snapshot(0, next)).map(|it| it.position);
    let furthest = state.active(0).map(|lane| state.task(0, lane).position).max();
    out.retain(|event| match *event {
        Event::Barrier { job: 0, lane } => barrier.or(furthest) == Some(task(lane).position),
        Event::Write { job: 0, lane, to } => {
            task(lane).acked >= next || barrier.is_none_or(|position| to <= position)
        }
        _ => true,
    });
}
