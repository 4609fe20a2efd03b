//! Looks at a step and the state it leads to, and says which properties they decide.
//!
//! Source: as the properties say; a reader is stuck for longer than two intervals, by the convention of
//! the recorded scenarios.

use super::compact::is_unfinished;
use super::layout::Layout;
use super::properties::{Heard, Shown};
use super::protocol::Protocol;
use super::restart::is_hopeless;
use super::spent::Spent;
use crate::transaction::event::{Completion, Event, NotNow, Rules};
use crate::transaction::state::{Copies, Fate, IdState, Phase, Place, State, Txn};

/// What a step that commits makes readers see, before the state forgets it.
pub fn look_at_commits(layout: &Layout, state: &State, heard: &Heard) -> (bool, bool) {
    let (mut torn, mut withheld) = (false, false);
    for (lane, bits) in state.lanes.iter().zip(heard.committed) {
        for (_, txn) in
            lane.txns.iter().enumerate().filter(|(at, it)| bits >> at & 1 == 1 && it.job == 0)
        {
            let all = || state.lanes.iter().flat_map(|it| &it.txns);
            torn |= all().any(|other| is_part_left_out(txn, other));
            withheld |= layout.offset > 0
                && all().any(|other| is_unfinished(other) && other.first < txn.last);
        }
    }
    (torn, withheld)
}

/// Whether `other` is another subtask's part of the checkpoint that `txn` is of, and cannot be read.
fn is_part_left_out(txn: &Txn, other: &Txn) -> bool {
    other.job == 0
        && other.is_owned
        && other.checkpoint == txn.checkpoint
        && txn.checkpoint > 0
        && matches!(other.fate, Fate::Open | Fate::PreparedCommit)
}

/// What a state shows, beside what the step to it did.
pub fn judge<P: Protocol>(
    layout: &Layout,
    state: &State,
    rules: &Rules,
    spent: &Spent,
    step: Shown,
) -> Shown {
    let all = (1_u32 << layout.records) - 1;
    let mut found = Shown { delivered: true, ..step };
    let mut whole = [0; 2];
    let mut kept = 0;
    for (number, lane) in state.lanes.iter().enumerate() {
        let (copies, is_dirty) = layout.copies(number, lane);
        let Copies { committed, is_lost, .. } = copies;
        found.lost |= is_lost;
        found.dirty_copy |= is_dirty;
        found.committed |= committed[0] != 0;
        let owned = lane.txns.iter().filter(|it| it.job == 0 && is_kept(it));
        let safe = owned.fold(committed[0], |sum, it| sum | layout.records_of(it, number));
        let safe = safe | held_back(layout, state, number);
        if layout.is_whole {
            Copies::add(&mut whole, committed[0]);
            whole[1] |= committed[1];
            kept |= safe;
        } else {
            found.twice |= committed[1] != 0;
            found.delivered &= committed[0] == all;
            found.lost |= below(layout, state, number) & !safe != 0;
        }
    }
    if layout.is_whole {
        found.twice = whole[1] != 0;
        found.delivered = whole[0] == all;
        found.lost |= below(layout, state, 0) & !kept != 0;
    }
    found.survived = found.delivered && spent.crashes > 0;
    found.dirty_read = layout.offset > 0 && layout.folds && {
        let stable = P::last_stable_offset(state);
        let txns = state.lanes.iter().flat_map(|it| &it.txns);
        txns.filter(|it| is_unfinished(it)).any(|it| it.first < stable)
    };
    found.stuck = layout.folds && is_stuck::<P>(layout, state, rules);
    found.hopeless = layout.folds && is_hopeless::<P>(state, rules);
    found
}

/// Whether the records of an open transaction will be committed as far as the job knows.
fn is_kept(txn: &Txn) -> bool {
    txn.is_owned && matches!(txn.fate, Fate::Open)
}

/// The records that the producer of a running task has still to send.
fn held_back(layout: &Layout, state: &State, number: usize) -> u32 {
    let task = state.task(0, number);
    if task.phase != Phase::Running || task.sent >= task.position {
        return 0;
    }
    if layout.is_whole {
        let of = state.job(0).parallelism;
        let own = (task.sent..task.position).filter(|it| it % of == number as u32);
        return own.fold(0, |sum, it| sum | 1 << it);
    }
    let upto = |position: u32| (1_u32 << (position / layout.unit)) - 1;
    upto(task.position) & !upto(task.sent)
}

/// The records before the position of the newest completed checkpoint: nobody reads them again.
fn below(layout: &Layout, state: &State, lane: usize) -> u32 {
    let snapshot = state.lanes[lane].snapshot(0, state.job(0).completed);
    snapshot.map_or(0, |it| (1_u32 << (it.position / layout.unit)) - 1)
}

/// Whether readers wait for a transaction that nobody ends, though the job runs: it is open still after
/// two more checkpoints, before each of which every subtask writes.
fn is_stuck<P: Protocol>(layout: &Layout, state: &State, rules: &Rules) -> bool {
    if !state.is_running(0) {
        return false;
    }
    let left = orphans(layout, state);
    if left.is_empty() {
        return false;
    }
    let mut later = state.clone();
    if two_checkpoints::<P>(&mut later, rules).is_err() {
        return false;
    }
    left.iter().any(|(lane, txn)| later.lanes[*lane].txns[*txn].fate == Fate::Open)
}

/// The open transactions that readers of the job's partitions meet and that no task will end.
fn orphans(layout: &Layout, state: &State) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for (number, lane) in state.lanes.iter().enumerate() {
        for (at, txn) in lane.txns.iter().enumerate() {
            let is_met = txn.job == 0 || layout.offset > 0;
            let is_alive = state.job(txn.job).is_up
                && (lane.tasks[txn.job as usize].txn == at as u32
                    || lane.held_at(txn.job, Place::Committer).any(|it| it == at as u32));
            if txn.fate == Fate::Open && is_met && !is_alive {
                found.push((number, at));
            }
        }
    }
    found
}

fn two_checkpoints<P: Protocol>(state: &mut State, rules: &Rules) -> Result<(), NotNow> {
    let job = 0;
    write_markers::<P>(state, rules)?;
    for _ in 0..2 {
        let next = state.job(job).settled + 1;
        for lane in state.active(job) {
            let to = state.task(job, lane).position + state.job(job).parallelism;
            quietly::<P>(state, Event::Write { job, lane: lane as u32, to }, rules)?;
        }
        for lane in state.active(job) {
            if state.task(job, lane).acked < next {
                quietly::<P>(state, Event::Barrier { job, lane: lane as u32 }, rules)?;
            }
        }
        quietly::<P>(state, Event::Complete { job, kind: Completion::Told }, rules)?;
        for lane in 0..state.lanes.len() {
            while is_due(state, lane) {
                quietly::<P>(state, Event::Commit { job, lane: lane as u32 }, rules)?;
                write_markers::<P>(state, rules)?;
            }
        }
    }
    Ok(())
}

fn is_due(state: &State, lane: usize) -> bool {
    let notified = state.job(0).notified;
    let here = &state.lanes[lane];
    here.tasks[0].phase == Phase::Running
        && here.held_at(0, Place::Committer).any(|it| here.txn(it).checkpoint <= notified)
}

fn write_markers<P: Protocol>(state: &mut State, rules: &Rules) -> Result<(), NotNow> {
    for lane in 0..state.lanes.len() {
        for id in 0..state.lanes[lane].ids.len() {
            let it = state.lanes[lane].ids[id].state;
            if matches!(it, IdState::PrepareCommit | IdState::PrepareAbort) {
                let (lane, id) = (lane as u32, id as u32);
                quietly::<P>(state, Event::WriteMarkers { lane, id }, rules)?;
            }
        }
    }
    Ok(())
}

/// A step that ends the look ahead where a task fails: the next attempt cleans up.
fn quietly<P: Protocol>(state: &mut State, event: Event, rules: &Rules) -> Result<(), NotNow> {
    P::step(state, event, rules, &mut Heard::default())?;
    if state.job(0).is_up { Ok(()) } else { Err(NotNow) }
}
