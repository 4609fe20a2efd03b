//! Forgets what can no longer matter: finished transactions that nothing refers to leave only which
//! records they hold.
//!
//! Source: none; a reduction that changes no step.

use crate::transaction::state::{Copies, Fate, Held, Lane, NONE, Place, Txn};

/// The records of a transaction as bits.
pub fn records(txn: &Txn) -> u32 {
    let upto = |position: u32| (1_u32 << (position / txn.of)) - 1;
    upto(txn.to) & !upto(txn.from)
}

/// Drops the transactions of a lane that are finished and not referred to.
pub fn compact(lane: &mut Lane) {
    let mut at = 0;
    while at < lane.txns.len() {
        let txn = lane.txns[at];
        let is_finished = matches!(txn.fate, Fate::Committed | Fate::Aborted);
        if is_finished && !is_referred_to(lane, at as u32) {
            let records = records(&txn);
            let ended = match txn.fate {
                Fate::Committed => &mut lane.copies.committed,
                _ => &mut lane.copies.aborted,
            };
            Copies::add(ended, records);
            lane.copies.is_lost |= txn.is_owned && txn.fate == Fate::Aborted;
            remove(lane, at as u32);
        } else {
            at += 1;
        }
    }
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
}

fn is_referred_to(lane: &Lane, txn: u32) -> bool {
    lane.held.iter().any(|it| it.txn == txn)
        || lane.ids.iter().any(|it| it.txn == txn)
        || lane.tasks[0].txn == txn
        || lane.zombies[0].txn == txn
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
    shift(&mut lane.tasks[0].txn);
    shift(&mut lane.zombies[0].txn);
}

/// What a lane's records have become: committed once and more than once, whether one was lost, and
/// whether one is in the log more than once.
pub fn copies(lane: &Lane) -> (Copies, bool) {
    let mut all = lane.copies;
    let mut open = [0; 2];
    for txn in &lane.txns {
        let records = records(txn);
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
