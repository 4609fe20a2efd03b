//! What a run is drawn and told from: its steps in order, the life of each transaction, the logs, and
//! how far readers can read. A scenario by the clock has one, and so has a way of the explorer, whose
//! times are the numbers of its steps.
//!
//! Source: none; facts put in order.

use serde::Serialize;

use super::driver::Timed;
use super::event::{Cause, Sink};
use super::ledger::{self, Layout, Ledger, Store};
use super::names::{self, Known};
use super::report::{StableMove, TapeEntry, TraceStep, Transaction};
use super::tell::{self, MAX_TRACE, Numbers};
use super::verdict;

/// The course of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Course {
    /// The steps in order.
    pub trace: Vec<TraceStep>,
    /// The transactions in order of their start.
    pub transactions: Vec<Transaction>,
    /// The logs of all partitions.
    pub tape: Vec<TapeEntry>,
    /// How the last stable offsets move.
    pub stable_offsets: Vec<StableMove>,
}

/// Writes the log of a run.
pub fn ledger_of(known: &Known, facts: &[Timed], is_shared: bool) -> Ledger {
    let store = match known.sink {
        Sink::Kafka | Sink::Legacy => Store::Transactions,
        Sink::Upsert => Store::Rows,
        Sink::File | Sink::Table => Store::Files,
    };
    let is_transactional = [0, 1].map(|job| known.state.job(job).is_transactional);
    let layout = Layout { is_shared, has_two: known.has_two, is_transactional, store };
    ledger::write(facts, layout)
}

/// Puts a run in order.
pub fn course(known: &Known, facts: &[Timed], ledger: &Ledger) -> Course {
    let mut order: Vec<(u64, u32, u32)> =
        ledger.lives.iter().map(|((lane, txn), life)| (life.started_at, *lane, *txn)).collect();
    order.sort_unstable();
    let numbers: Numbers =
        order.iter().enumerate().map(|(at, (_, lane, txn))| ((*lane, *txn), at)).collect();
    let transactions = order
        .iter()
        .take(MAX_TRACE)
        .map(|(_, lane, txn)| transaction(known, ledger, *lane, *txn))
        .collect();
    let tape = ledger.entries.iter().take(MAX_TRACE).map(|it| TapeEntry {
        at_ms: it.at,
        partition: it.partition,
        offset: it.offset,
        records: it.records,
        transaction: numbers.get(&(it.lane, it.txn)).copied(),
        kind: match (it.is_marker, ledger.life(it).commit_accepted_at) {
            (false, _) => "data",
            (true, Some(_)) => "commitMarker",
            (true, None) => "abortMarker",
        },
        stable_ms: it.stable_at,
    });
    let moves = ledger.stable.iter().take(MAX_TRACE).map(|it| StableMove {
        at_ms: it.at,
        partition: it.partition,
        offset: it.offset,
    });
    Course {
        trace: tell::trace(known, facts, ledger, &numbers),
        transactions,
        tape: tape.collect(),
        stable_offsets: moves.collect(),
    }
}

fn transaction(known: &Known, ledger: &Ledger, lane: u32, txn: u32) -> Transaction {
    let life = ledger.lives.get(&(lane, txn)).copied().unwrap_or_default();
    let it = known.state.lanes[lane as usize].txn(txn);
    let has_id = known.has_ids(it.job);
    let stable = ledger
        .entries
        .iter()
        .filter(|entry| (entry.lane, entry.txn) == (lane, txn) && !entry.is_marker)
        .map(|entry| entry.stable_at)
        .max();
    Transaction {
        job: names::job(it.job),
        subtask: lane,
        transactional_id: has_id.then(|| known.transactional_id(lane, it.id)).flatten(),
        epoch: has_id.then_some(it.epoch),
        records: life.records,
        started_ms: life.started_at,
        timeout_ms: known.timeout(lane, it.id).filter(|_| has_id),
        checkpoint: (life.checkpoint > 0).then_some(life.checkpoint),
        pre_committed_ms: life.precommitted_at,
        decided_ms: life.commit_accepted_at.or(life.abort_decided_at),
        marked_ms: life.marked_at,
        fate: verdict::fate(&life),
        abort_cause: life.cause.filter(|_| life.commit_accepted_at.is_none()).map(|it| match it {
            Cause::Timeout => "timeout",
            Cause::Initialised => "initTransactions",
            Cause::Closed => "close",
        }),
        stable_ms: stable.flatten(),
    }
}
