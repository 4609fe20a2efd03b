//! The inequalities that decide, with a run's numbers put in.
//!
//! Source: Kafka 4.x, TransactionCoordinator (validateTransactionTimeoutMs: E1) and
//! TransactionStateManager (timedOutTransactions: E2, E3 and E5; transactional.id.expiration.ms: E4).

use super::driver::Player;
use super::event::{Answer, Cause, Fact, Failure};
use super::params::Isolation;
use super::report::{Inequality, Outcome};
use super::state::Refusal;
use crate::units::parts;

/// How old a transaction was when its commit was answered.
pub struct Ages {
    pub age: u64,
    pub timeout: u64,
    pub restored: bool,
    /// The coordinator had aborted it because it was too old.
    pub is_lost: bool,
    pub checkpoint: u32,
}

/// The inequality that makes the outcome what it is.
pub fn deciding(
    player: &Player,
    outcome: Outcome,
    ages: &[Ages],
    blocked_ms: u64,
    again_at: Option<u64>,
) -> Option<Inequality> {
    let judged = player.judged();
    let failure = player.facts.iter().find_map(|it| match it.fact {
        Fact::Failed { job, failure, .. } if job == judged => Some((it.at, failure)),
        _ => None,
    });
    match (outcome, failure) {
        (_, Some((_, Failure::Refused(Refusal::TimeoutTooLarge)))) => Some(start(player, judged)),
        (_, Some((at, Failure::InvalidPidMapping))) => Some(horizon(player, judged, at)),
        (Outcome::StuckConsumers, _) => Some(blocking(player, blocked_ms)),
        (Outcome::RestartLoop, Some((_, Failure::InvalidProducerEpoch))) => steady(player, judged),
        (Outcome::DataLoss, _) => {
            let timed_out = ages.first().filter(|it| it.is_lost).map(age);
            timed_out.or_else(|| uniqueness(player, judged))
        }
        (Outcome::Duplicates, _) => again_at.and_then(|at| replayed(player, judged, at)),
        (Outcome::ExactlyOnce, _) => ages.first().map(age),
        _ => None,
    }
}

/// A span as a person would say it, and as the option takes it.
fn exact(ms: u64) -> String {
    format!("{} ({ms} ms)", parts(ms))
}

fn start(player: &Player, judged: u8) -> Inequality {
    let timeout = player.runs[judged as usize].timeout;
    let limit = player.max_timeout;
    let holds = timeout > 0 && timeout <= limit;
    let text = format!(
        "transaction.timeout.ms of {} must be above 0 and at most transaction.max.timeout.ms, {}.",
        exact(timeout),
        exact(limit),
    );
    Inequality {
        id: "E1",
        formula: "0 < T <= Tmax",
        left_ms: Some(limit),
        right_ms: Some(timeout),
        holds,
        text,
    }
}

fn age(it: &Ages) -> Inequality {
    let (id, formula, what) = if it.restored {
        ("E3", "T > I + d + D", "committed again after the restore")
    } else {
        ("E2", "T > max(m - s)", "committed")
    };
    let holds = !it.is_lost;
    let verb = if holds { "is above" } else { "is not above" };
    let text = format!(
        "transaction.timeout.ms of {} {verb} the {} from the first record of the transaction of checkpoint {} until it was to be {what}.",
        exact(it.timeout),
        exact(it.age),
        it.checkpoint,
    );
    Inequality { id, formula, left_ms: Some(it.timeout), right_ms: Some(it.age), holds, text }
}

/// A send came after the timeout: the interval between the first and the last record is too long.
fn steady(player: &Player, judged: u8) -> Option<Inequality> {
    let timeout = player.runs[judged as usize].timeout;
    let (mut started, mut found) = (None, None);
    for it in &player.facts {
        match it.fact {
            Fact::Started { .. } if found.is_none() => started = Some(it.at),
            Fact::SendRefused { job, .. } if job == judged && found.is_none() => {
                found = started.map(|from| it.at - from);
            }
            _ => {}
        }
    }
    let span = found?;
    let text = format!(
        "transaction.timeout.ms of {} is not above the {} between the first record of a transaction and a later one: the coordinator aborts it before the checkpoint.",
        exact(timeout),
        exact(span),
    );
    Some(Inequality {
        id: "E2",
        formula: "T > max(m - s)",
        left_ms: Some(timeout),
        right_ms: Some(span),
        holds: false,
        text,
    })
    .filter(|it| it.left_ms <= it.right_ms)
}

fn horizon(player: &Player, judged: u8, at: u64) -> Inequality {
    let limit = player.settings.txn_id_expiration_ms;
    let idle = player
        .facts
        .iter()
        .take_while(|it| it.at <= at)
        .filter(|it| matches!(it.fact, Fact::EndTxn { job, .. } if job == judged) && it.at < at)
        .map(|it| at - it.at)
        .last()
        .unwrap_or(at);
    let holds = limit > idle;
    let verb = if holds { "is above" } else { "is not above" };
    let text = format!(
        "transactional.id.expiration.ms of {} {verb} the {} between the last change of the transactional ids and the restore.",
        exact(limit),
        exact(idle),
    );
    Inequality {
        id: "E4",
        formula: "X > age of the restored state",
        left_ms: Some(limit),
        right_ms: Some(idle),
        holds,
        text,
    }
}

fn blocking(player: &Player, blocked_ms: u64) -> Inequality {
    let (timeout, scan) = (player.settings.txn_timeout_ms, player.settings.broker_abort_scan_ms);
    let bound = timeout + scan;
    let text = format!(
        "Readers wait at most for transaction.timeout.ms, {}, and one scan of {} after an abandoned transaction began; here committed records waited {}.",
        exact(timeout),
        exact(scan),
        exact(blocked_ms),
    );
    Inequality {
        id: "E5",
        formula: "blocked <= T + A",
        left_ms: Some(bound),
        right_ms: Some(blocked_ms),
        holds: blocked_ms <= bound,
        text,
    }
}

/// A rule that compares no times, and that is broken.
fn broken(id: &'static str, formula: &'static str, text: String) -> Inequality {
    Inequality { id, formula, left_ms: None, right_ms: None, holds: false, text }
}

/// Why records came twice by `at`: the restart before it, and what was committed by then.
fn replayed(player: &Player, judged: u8, at: u64) -> Option<Inequality> {
    let restart = player.facts.iter().rposition(|it| {
        matches!(it.fact, Fact::Restored { job, .. } if job == judged) && it.at <= at
    })?;
    let Fact::Restored { from, .. } = player.facts[restart].fact else { return None };
    let start =
        if from == 0 { "without state".to_owned() } else { format!("from checkpoint {from}") };
    if !player.state.job(judged).is_transactional {
        return Some(broken(
            "replay",
            "no restart replays what is written",
            format!(
                "The job started {start}; without transactions what it wrote after that is read and written again."
            ),
        ));
    }
    if player.settings.isolation == Isolation::ReadUncommitted {
        return Some(broken(
            "isolation",
            "isolation.level = read_committed",
            format!(
                "The job started {start} and wrote again what came after it; a read_uncommitted reader sees the copies of transactions that are aborted too."
            ),
        ));
    }
    let committed = player.facts[..restart].iter().filter_map(|it| match it.fact {
        Fact::EndTxn { job, lane, txn, answer: Answer::Accepted | Answer::Already, .. }
            if job == judged =>
        {
            Some(player.lane(lane).txn(txn).checkpoint)
        }
        _ => None,
    });
    let newest = committed.max()?;
    Some(broken(
        "rewind",
        "restored checkpoint >= newest committed checkpoint",
        format!(
            "The job started {start}, and transactions up to those of checkpoint {newest} were committed: what lies between is read and committed again."
        ),
    ))
}

/// A transaction was aborted because another job initialised its id.
fn uniqueness(player: &Player, judged: u8) -> Option<Inequality> {
    let aborted = player.facts.iter().enumerate().find_map(|(at, it)| match it.fact {
        Fact::Prepared { lane, id, txn, cause: Some(Cause::Initialised), .. }
            if player.lane(lane).txn(txn).job == judged =>
        {
            // Who initialises says so right after it.
            let by = player.facts[at..].iter().find_map(|it| match it.fact {
                Fact::Initialised { job, lane: at, id: other, .. } if (at, other) == (lane, id) => {
                    Some(job)
                }
                _ => None,
            })?;
            (by != judged).then(|| player.known().transactional_id(lane, id)).flatten()
        }
        _ => None,
    })?;
    Some(broken(
        "uniqueness",
        "no two jobs share a prefix",
        format!(
            "The other job aborted {aborted} as its own: its transactional ids begin with the same prefix."
        ),
    ))
}
