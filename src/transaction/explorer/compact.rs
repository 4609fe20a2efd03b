//! Forgets what can no longer matter, so that states are one which differ in nothing that a step asks
//! for. Finished transactions leave only which records they hold; those that nobody holds have no
//! checkpoint and no epoch of their own; ids and parts of checkpoints stand in one order.
//!
//! Source: none; a reduction that changes no step.

use super::layout::Layout;
use crate::transaction::state::{Copies, Fate, Held, Job, Lane, NONE, Place, State, Txn};

impl Layout {
    /// The records of a transaction as bits.
    pub fn records_of(&self, txn: &Txn, lane: usize) -> u32 {
        if self.is_whole {
            let own = (txn.from..txn.to).filter(|it| it % txn.of == lane as u32);
            return own.fold(0, |sum, it| sum | 1 << it);
        }
        let upto = |position: u32| (1_u32 << (position / txn.of)) - 1;
        upto(txn.to) & !upto(txn.from)
    }

    /// Forgets in a whole state.
    pub fn compact(&self, state: &mut State) {
        compact_jobs(state);
        for (number, lane) in state.lanes.iter_mut().enumerate() {
            self.compact_lane(&state.jobs, number, lane);
        }
        if self.offset > 0 {
            close_gaps(state);
        }
    }

    /// Forgets in what a step has made of `before`, where nothing was left to forget. Notes the lanes
    /// that may differ from those before, which are all that have to be looked at.
    pub fn compact_step(&self, before: &State, after: &mut State, changed: &mut [bool]) {
        compact_jobs(after);
        let settled = |state: &State| state.jobs.map(|it| it.settled);
        if self.offset > 0 || settled(before) != settled(after) {
            changed.fill(true);
            return self.compact(after);
        }
        let lanes = after.lanes.iter_mut().enumerate().zip(changed);
        for ((number, lane), _) in lanes.filter(|(_, is_changed)| **is_changed) {
            self.compact_lane(&after.jobs, number, lane);
        }
        debug_assert!(
            self.is_compact(after),
            "a lane that no step changed had something to forget"
        );
    }

    fn is_compact(&self, state: &State) -> bool {
        let mut whole = state.clone();
        self.compact(&mut whole);
        whole == *state
    }

    fn compact_lane(&self, jobs: &[Job], number: usize, lane: &mut Lane) {
        drop_unreachable(jobs, lane);
        let mut at = 0;
        while at < lane.txns.len() {
            let is_in_hands = is_in_hands(lane, at as u32);
            let is_referred_to = is_in_hands || lane.ids.iter().any(|it| it.txn == at as u32);
            let txn = lane.txns[at];
            let is_finished = matches!(txn.fate, Fate::Committed | Fate::Aborted);
            if is_finished && (self.folds || !is_referred_to) {
                self.fold(&txn, number, &mut lane.copies);
            }
            if is_finished && !is_referred_to {
                remove(lane, at as u32);
                continue;
            }
            let txn = &mut lane.txns[at];
            if self.offset == 0 {
                (txn.first, txn.last) = (0, 0);
            }
            if self.is_folded(txn) {
                (txn.of, txn.from, txn.to) = (self.sinks[0], 0, 0);
            }
            // Only who holds a transaction can still ask for it by its epoch, or knows for which
            // checkpoint it was; without a holder it waits to be aborted by its id.
            if !is_in_hands {
                (txn.checkpoint, txn.producer, txn.epoch) = (0, 0, 0);
            }
            at += 1;
        }
        order_ids(lane);
        // In which order committables came to their places says nothing; within a place the oldest is
        // first, and transactions are in order of age.
        let key = |it: &Held| match it.place {
            Place::Committer => (0, 0, it.txn),
            Place::Snapshot(checkpoint) => (1, checkpoint, it.txn),
            Place::Zombie => (2, 0, it.txn),
            Place::Reserved => (3, 0, it.txn),
        };
        if !lane.held.is_sorted_by_key(key) {
            lane.held.sort_unstable_by_key(key);
        }
        if !lane.snapshots.is_sorted_by_key(|it| (it.job, it.checkpoint)) {
            lane.snapshots.sort_unstable_by_key(|it| (it.job, it.checkpoint));
        }
    }

    /// Notes what a finished transaction of the judged job leaves.
    fn fold(&self, txn: &Txn, lane: usize, copies: &mut Copies) {
        if txn.job != 0 {
            return;
        }
        let ended = match txn.fate {
            Fate::Committed => &mut copies.committed,
            _ => &mut copies.aborted,
        };
        Copies::add(ended, self.records_of(txn, lane));
        copies.is_lost |= txn.is_owned && txn.fate == Fate::Aborted;
    }

    /// What a lane's records have become: committed once and more than once, whether one was lost,
    /// and whether one is in the log more than once.
    pub fn copies(&self, number: usize, lane: &Lane) -> (Copies, bool) {
        let mut all = lane.copies;
        let mut open = [0; 2];
        for txn in lane.txns.iter().filter(|it| it.job == 0) {
            let records = self.records_of(txn, number);
            match txn.fate {
                Fate::Committed | Fate::PreparedCommit => Copies::add(&mut all.committed, records),
                Fate::Aborted | Fate::PreparedAbort => Copies::add(&mut all.aborted, records),
                Fate::Open => Copies::add(&mut open, records),
            }
            all.is_lost |= txn.is_owned && matches!(txn.fate, Fate::Aborted | Fate::PreparedAbort);
        }
        let [committed, aborted] = [all.committed, all.aborted];
        let twice = committed[1] | aborted[1] | open[1];
        let both = committed[0] & aborted[0] | (committed[0] | aborted[0]) & open[0];
        (all, twice | both != 0)
    }
}

/// The next attempt of a job that is down goes on from a completed checkpoint, and is told of none
/// before it.
fn compact_jobs(state: &mut State) {
    for job in state.jobs.iter_mut().filter(|it| !it.is_up) {
        (job.settled, job.notified) = (job.completed, job.completed);
    }
}

/// Drops parts of checkpoints that no start can restore: those after the one that an older start went
/// back to, until their numbers are used again.
fn drop_unreachable(jobs: &[Job], lane: &mut Lane) {
    let Lane { tasks, snapshots, held, .. } = lane;
    let is_gone = |job: u8, checkpoint: u32| {
        let settled = jobs[job as usize].settled;
        checkpoint > settled && tasks[job as usize].acked < checkpoint
    };
    snapshots.retain(|it| !is_gone(it.job, it.checkpoint));
    held.retain(|it| !matches!(it.place, Place::Snapshot(number) if is_gone(it.job, number)));
}

/// Whether a task writes to it, or a committable of it is kept somewhere.
fn is_in_hands(lane: &Lane, txn: u32) -> bool {
    lane.held.iter().any(|it| it.txn == txn)
        || lane.tasks.iter().chain(&lane.zombies).any(|it| it.txn == txn)
}

fn remove(lane: &mut Lane, txn: u32) {
    lane.txns.remove(txn as usize);
    let shift = |at: &mut u32| {
        if *at != NONE && *at > txn {
            *at -= 1;
        }
    };
    lane.held.iter_mut().for_each(|it| shift(&mut it.txn));
    lane.ids.iter_mut().for_each(|it| shift(&mut it.txn));
    lane.tasks.iter_mut().chain(&mut lane.zombies).for_each(|it| shift(&mut it.txn));
}

/// Puts the ids of a lane in the order of their names: which was used first says nothing.
pub fn order_ids(lane: &mut Lane) {
    if lane.ids.is_sorted_by_key(|it| (it.prefix, it.number)) {
        return;
    }
    let names: Vec<_> = lane.ids.iter().map(|it| (it.prefix, it.number)).collect();
    lane.ids.sort_by_key(|it| (it.prefix, it.number));
    let moved = |id: &mut u32| {
        if let Some(name) = names.get(*id as usize) {
            let at = lane.ids.iter().position(|it| (it.prefix, it.number) == *name);
            *id = at.map_or(NONE, |at| at as u32);
        }
    };
    lane.txns.iter_mut().for_each(|it| moved(&mut it.id));
    lane.tasks.iter_mut().chain(&mut lane.zombies).for_each(|it| moved(&mut it.id));
}

/// Whether readers of committed records cannot pass it yet.
pub fn is_unfinished(txn: &Txn) -> bool {
    matches!(txn.fate, Fate::Open | Fate::PreparedCommit | Fate::PreparedAbort)
}

/// Counts the offsets of a shared partition without those that nothing asks for any more.
fn close_gaps(state: &mut State) {
    let mut offsets: Vec<u32> = Vec::new();
    for txn in state.lanes.iter_mut().flat_map(|it| &mut it.txns) {
        if is_unfinished(txn) {
            offsets.extend([txn.first, txn.last]);
        } else {
            (txn.first, txn.last) = (0, 0);
        }
    }
    offsets.sort_unstable();
    offsets.dedup();
    let closed = |offset: &mut u32| {
        *offset = offsets.partition_point(|it| *it < *offset) as u32;
    };
    for txn in state.lanes.iter_mut().flat_map(|it| &mut it.txns).filter(|it| is_unfinished(it)) {
        closed(&mut txn.first);
        closed(&mut txn.last);
    }
    state.end_offset = offsets.len() as u32;
}
