//! What people see in the logs of the job and of the broker. Lines are quoted where the class is named
//! below, with `…` for what no model knows; the others are told in our words.
//!
//! Source: flink-connector-kafka 5.1, KafkaCommitter (commit, logFencedRequest), BackchannelFactory and
//! TransactionOwnership (checkForMigration); flink-connector-kafka 3.4, FlinkKafkaProducer
//! (recoverAndCommit, createTransactionalProducer); Flink 1.20, TwoPhaseCommitSinkFunction
//! (notifyCheckpointComplete); Kafka 4.0, TransactionCoordinator (onEndTransactionComplete).

use super::driver::{Player, Timed};
use super::event::{Answer, Cause, Fact, Failure, Sink};
use super::ledger::Ledger;
use super::names;
use super::report::LogLine;
use super::state::{Naming, Refusal};
use super::tell::MAX_TRACE;

/// The lines in order.
pub fn log_lines(player: &Player, ledger: &Ledger) -> Vec<LogLine> {
    let lines = player.facts.iter().filter_map(|timed| line(player, ledger, timed));
    lines.take(MAX_TRACE).collect()
}

/// A line before it is known when it is written, and by whose job.
struct Said {
    level: &'static str,
    logger: &'static str,
    text: String,
    is_quoted: bool,
    note: String,
}

fn line(player: &Player, ledger: &Ledger, timed: &Timed) -> Option<LogLine> {
    let known = player.known();
    let (job, said, is_false_alarm) = match timed.fact {
        Fact::EndTxn { job, lane, txn, answer, restored, is_zombie: false } => {
            let error = names::error(answer)?;
            let is_there =
                ledger.lives.get(&(lane, txn)).is_some_and(|it| it.commit_accepted_at.is_some());
            let it = player.lane(lane).txn(txn);
            let id = known.transactional_id(lane, it.id).unwrap_or_default();
            let timeout = known.timeout(lane, it.id).unwrap_or(0);
            let refused = Refused { id, epoch: it.epoch, timeout, error, answer };
            let said = if player.rules.sink == Sink::Legacy {
                refused.by_legacy(restored)
            } else {
                refused.by_committer(player.state.job(job).naming)
            };
            // Where the job fails over it, it is an alarm whatever became of the records.
            (job, said, is_there && answer != Answer::InvalidPidMapping)
        }
        Fact::Failed { job, failure, .. } => {
            let prefix = &player.prefixes[player.state.job(job).prefix as usize];
            (job, of_failure(failure, prefix), false)
        }
        Fact::Prepared { lane, id, cause: Some(Cause::Timeout), txn, .. } => {
            let name = known.transactional_id(lane, id).unwrap_or_default();
            let text = format!(
                "Completed rollback of ongoing transaction for transactionalId {name} due to timeout"
            );
            let note = "On the broker.".to_owned();
            let (level, logger) = ("INFO", "TransactionCoordinator");
            let said = Said { level, logger, text, is_quoted: true, note };
            (player.lane(lane).txn(txn).job, said, false)
        }
        _ => return None,
    };
    let Said { level, logger, text, is_quoted, note } = said;
    let (at_ms, job) = (timed.at, names::job(job));
    Some(LogLine { at_ms, level, logger, text, is_quoted, note, job, is_false_alarm })
}

/// A commit that was refused.
struct Refused {
    id: String,
    epoch: i32,
    timeout: u64,
    error: &'static str,
    answer: Answer,
}

/// How CommitRequestImpl prints itself: it has no text of its own, so the id is not in the line.
const REQUEST: &str =
    "org.apache.flink.streaming.runtime.operators.sink.committables.CommitRequestImpl@…";

impl Refused {
    fn by_committer(&self, naming: Naming) -> Said {
        let Self { id, timeout, error, .. } = self;
        let dropped =
            format!("{id}, {error}. The committable is dropped; numCommittablesFailure + 1.");
        let (level, text, note) = match (self.answer, naming) {
            (Answer::InvalidPidMapping, _) => (
                "ERROR",
                format!(
                    "Transaction ({REQUEST}) encountered error and data has been potentially lost."
                ),
                format!(
                    "{id}, {error}. The committer does not know the reason: IllegalStateException, and the job fails."
                ),
            ),
            (Answer::ProducerFenced, Naming::Pooling) => (
                "WARN",
                format!(
                    "Unable to commit transaction ({REQUEST}) because its producer is already fenced. If this warning appears as part of the recovery of a checkpoint, it is expected in some cases (e.g., aborted checkpoints in previous attempt). If it's outside of recovery, this means that you either have a different sink with the same 'transactional.id' or recovery took longer than 'transaction.timeout.ms' ({timeout}ms). In both cases this most likely signals data loss, please consult the Flink documentation for more details."
                ),
                dropped,
            ),
            (Answer::ProducerFenced, Naming::Incrementing) => (
                "ERROR",
                format!(
                    "Unable to commit transaction ({REQUEST}) because its producer is already fenced. This means that you either have a different producer with the same 'transactional.id' (this is unlikely with the 'KafkaSink' as all generated ids are unique and shouldn't be reused) or recovery took longer than 'transaction.timeout.ms' ({timeout}ms). In both cases this most likely signals data loss, please consult the Flink documentation for more details."
                ),
                dropped,
            ),
            _ => (
                "ERROR",
                format!(
                    "Unable to commit transaction ({REQUEST}) because it's in an invalid state. Most likely the transaction has been aborted for some reason. Please check the Kafka logs for more details."
                ),
                dropped,
            ),
        };
        Said { level, logger: "KafkaCommitter", text, is_quoted: true, note }
    }

    fn by_legacy(&self, restored: bool) -> Said {
        let Self { id, epoch, timeout, error, answer } = self;
        let state =
            format!("KafkaTransactionState [transactionalId={id}, producerId=…, epoch={epoch}]");
        let warn = |text: String| Said {
            level: "WARN",
            logger: "FlinkKafkaProducer",
            text,
            is_quoted: true,
            note: format!("{error}. The job goes on without it."),
        };
        match (restored, answer) {
            (true, Answer::ProducerFenced) => warn(format!(
                "Unable to commit recovered transaction ({state}) because its producer is already fenced. This means that you either have a different producer with the same 'transactional.id' or recovery took longer than 'transaction.timeout.ms' ({timeout}ms). In both cases this most likely signals data loss, please consult the Flink documentation for more details."
            )),
            (true, Answer::InvalidTxnState) => warn(format!(
                "Unable to commit recovered transaction ({state}) because it's in an invalid state. Most likely the transaction has been aborted for some reason. Please check the Kafka logs for more details."
            )),
            (true, _) => Said {
                level: "ERROR",
                logger: "TwoPhaseCommitSinkFunction",
                text: format!("The commit of the recovered transaction {id} fails with {error}."),
                is_quoted: false,
                note: String::new(),
            },
            (false, _) => Said {
                level: "ERROR",
                logger: "TwoPhaseCommitSinkFunction",
                text: "Committing one of transactions failed, logging first encountered failure"
                    .to_owned(),
                is_quoted: true,
                note: format!("{id}, {error}. The task throws this once it has tried the others."),
            },
        }
    }
}

fn of_failure(failure: Failure, prefix: &str) -> Said {
    let quoted = match failure {
        Failure::Refused(Refusal::SamePrefixInJvm) => Some((
            "BackchannelFactory",
            format!("Found duplicate transactionalIdPrefix for multiple Kafka sinks: {prefix}. Transactional id prefixes need to be unique. You may experience memory leaks without fixing this."),
        )),
        Failure::SwitchedBack => Some((
            "TransactionOwnership",
            "Attempted to switch the transaction naming strategy back to INCREMENTING which may result in data loss.".to_owned(),
        )),
        Failure::Migrated => Some((
            "TransactionOwnership",
            "Attempted to migrate from flink-connector-kafka 3.X directly to a naming strategy that uses the new writer state. Please first migrate to a flink-connector-kafka 4.X with INCREMENTING.".to_owned(),
        )),
        Failure::PoolEmpty => Some((
            "FlinkKafkaProducer",
            "Too many ongoing snapshots. Increase kafka producers pool size or decrease number of concurrent checkpoints.".to_owned(),
        )),
        _ => None,
    };
    let logger = match failure {
        Failure::Refused(_) => "ExactlyOnceKafkaWriter",
        Failure::InvalidProducerEpoch => "KafkaWriter",
        _ => "Task",
    };
    let words = format!("The task fails: {}.", names::failure(failure));
    match quoted {
        Some((logger, text)) => Said { level: "ERROR", logger, text, is_quoted: true, note: words },
        None => Said { level: "ERROR", logger, text: words, is_quoted: false, note: String::new() },
    }
}
