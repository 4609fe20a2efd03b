//! How things stand at one moment of a played scenario: the stage of each transaction, the clocks
//! that run, and how far readers can read.
//!
//! Source: Kafka 4.0, `TransactionMetadata` (the states), `TransactionStateManager` (the clock).

use super::report::{StableMove, Transaction};

/// The stage of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Written to.
    Open,
    /// Flushed for a checkpoint.
    PreCommitted,
    /// The decision to commit is logged.
    Committed,
    /// The decision to abort is logged.
    Aborted,
}

/// A transaction's clock that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clock {
    /// Which of the transactions.
    pub transaction: usize,
    /// Its name.
    pub name: String,
    /// How long it has run [ms].
    pub age_ms: i64,
    /// Its timeout [ms].
    pub timeout_ms: i64,
    /// What is left [ms]; negative until the next scan finds it.
    pub left_ms: i64,
    /// Its stage.
    pub stage: Stage,
}

/// The stage of a transaction at a time.
pub fn stage(transaction: &Transaction, at_ms: u64) -> Stage {
    let has = |ms: Option<u64>| ms.is_some_and(|ms| ms <= at_ms);
    if has(transaction.decided_ms) {
        if transaction.fate == "aborted" { Stage::Aborted } else { Stage::Committed }
    } else if has(transaction.pre_committed_ms) {
        Stage::PreCommitted
    } else {
        Stage::Open
    }
}

/// The clocks that run at a time, the oldest first.
pub fn clocks(transactions: &[Transaction], at_ms: u64) -> Vec<Clock> {
    let running = |(at, it): (usize, &Transaction)| {
        let stage = stage(it, at_ms);
        let is_running = matches!(stage, Stage::Open | Stage::PreCommitted);
        let timeout_ms = i64::try_from(it.timeout_ms?).ok()?;
        (it.started_ms <= at_ms && is_running).then(|| {
            let age_ms = i64::try_from(at_ms - it.started_ms).unwrap_or(i64::MAX);
            let left_ms = timeout_ms - age_ms;
            let name = it.transactional_id.clone().unwrap_or_default();
            Clock { transaction: at, name, age_ms, timeout_ms, left_ms, stage }
        })
    };
    transactions.iter().enumerate().filter_map(running).collect()
}

/// The last stable offset of a partition at a time.
pub fn stable_offset(moves: &[StableMove], partition: u32, at_ms: u64) -> u64 {
    let mut before = moves.iter().filter(|it| it.partition == partition && it.at_ms <= at_ms);
    before.next_back().map_or(0, |it| it.offset)
}
