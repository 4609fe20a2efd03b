//! The first step that breaks the promise, as the recorded scenarios name it.
//!
//! Source: Kafka 4.x, Errors; the names of the steps are the scenarios'.

use crate::transaction::driver::{Player, Timed};
use crate::transaction::event::{Fact, Failure};
use crate::transaction::ledger::Ledger;
use crate::transaction::names;
use crate::transaction::params::Isolation;
use crate::transaction::report::{Outcome, Violation};
use crate::transaction::state::Refusal;

/// The step that the scenarios name as the first that breaks the promise.
pub fn violation(
    player: &Player,
    ledger: &Ledger,
    outcome: Outcome,
    again_at: Option<u64>,
) -> Option<Violation> {
    let judged = player.judged();
    let found =
        |at: &Timed, step: String| Some(Violation { step, at_ms: at.at, trace_index: None });
    let is_gone = |lane: u32, txn: u32| {
        let life = ledger.lives.get(&(lane, txn)).copied().unwrap_or_default();
        life.commit_accepted_at.is_none()
    };
    match outcome {
        Outcome::ExactlyOnce => None,
        Outcome::JobFailsToStart | Outcome::RestartLoop => {
            let starts = player.runs[judged as usize].attempts.iter().rfind(|it| it.by_scenario)?;
            player.facts.iter().find_map(|it| match it.fact {
                Fact::Failed { job, checkpoint, failure, .. }
                    if job == judged && it.at >= starts.started_at =>
                {
                    let is_snapshot = player.facts.iter().any(|other| {
                        other.at == it.at
                            && matches!(other.fact, Fact::PreCommitted { job, .. } if job == judged)
                    });
                    found(it, failed_step(failure, checkpoint, is_snapshot))
                }
                _ => None,
            })
        }
        Outcome::DataLoss => player
            .facts
            .iter()
            .find_map(|it| match it.fact {
                Fact::EndTxn { job, lane, txn, answer, restored, is_zombie: false }
                    if job == judged && is_gone(lane, txn) =>
                {
                    let error = names::error(answer)?;
                    let step = if restored { "recommit" } else { "commit" };
                    let checkpoint = player.lane(lane).txn(txn).checkpoint;
                    found(it, format!("{step}@cp{checkpoint}:{error}"))
                }
                _ => None,
            })
            .or_else(|| {
                player.facts.iter().find_map(|it| match it.fact {
                    Fact::Finished { job } if job == judged => {
                        found(it, "close:open_txn_never_committed".to_owned())
                    }
                    _ => None,
                })
            }),
        Outcome::Duplicates => {
            // The restart whose replay wrote the first copy; the ones before it did no harm.
            let until = again_at?;
            let restart = player.facts.iter().rfind(|it| {
                let is_restart = matches!(it.fact, Fact::Restored { job, .. } if job == judged);
                is_restart && it.at > 0 && it.at <= until
            })?;
            let is_transactional = player.state.job(judged).is_transactional;
            let step = match player.settings.isolation {
                Isolation::ReadUncommitted if is_transactional => "consume:read_uncommitted",
                _ if is_transactional => "restore:older_than_last_commit",
                _ => "restore:replay",
            };
            found(restart, step.to_owned())
        }
        Outcome::StuckConsumers => {
            let end = player.now;
            let held = ledger
                .records(judged)
                .filter_map(|entry| {
                    let accepted = ledger.accepted_at(entry)?;
                    Some((entry.stable_at.unwrap_or(end) - accepted, accepted))
                })
                .max()?;
            Some(Violation {
                step: "fetch:lso_below_committed".to_owned(),
                at_ms: held.1,
                trace_index: None,
            })
        }
    }
}

fn failed_step(failure: Failure, checkpoint: u32, is_snapshot: bool) -> String {
    match failure {
        Failure::InvalidProducerEpoch => format!("send@cp{checkpoint}:INVALID_PRODUCER_EPOCH"),
        Failure::Refused(Refusal::TimeoutTooLarge) if is_snapshot => {
            format!("snapshotState@cp{checkpoint}:INVALID_TRANSACTION_TIMEOUT")
        }
        Failure::Refused(Refusal::TimeoutTooLarge) => {
            "initTransactions:INVALID_TRANSACTION_TIMEOUT".to_owned()
        }
        Failure::Refused(Refusal::Denied) => "restoreWriter:AUTHORIZATION_FAILED".to_owned(),
        Failure::Refused(Refusal::SamePrefixInJvm) => "createWriter:duplicate_prefix".to_owned(),
        Failure::InvalidPidMapping => {
            format!("recommit@cp{checkpoint}:INVALID_PRODUCER_ID_MAPPING")
        }
        Failure::CommitFailed(answer) => {
            format!("commit@cp{checkpoint}:{}", names::error(answer).unwrap_or("FAILED"))
        }
        Failure::PoolEmpty => format!("snapshotState@cp{checkpoint}:PRODUCERS_POOL_EMPTY"),
        Failure::RetriesExhausted => format!("commit@cp{checkpoint}:TIMEOUT"),
        Failure::SwitchedBack => "restoreWriter:naming_strategy_switch_back".to_owned(),
        Failure::Migrated => "restoreWriter:migrate_3x_to_pooling".to_owned(),
    }
}
