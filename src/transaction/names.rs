//! Names of Kafka's and Flink's for what happens: errors, ids, levels.
//!
//! Source: Kafka 4.x, Errors; flink-connector-kafka 5.1, TransactionalIdFactory
//! (`prefix-subtask-number`) and KafkaCommitter; Flink 1.20, TransactionalIdsGenerator.

use super::driver::Player;
use super::event::{Answer, Failure, Sink};
use super::params::JobName;
use super::state::Refusal;

/// Kafka's name of an answer that is an error.
pub fn error(answer: Answer) -> Option<&'static str> {
    match answer {
        Answer::Accepted | Answer::Already => None,
        Answer::ProducerFenced => Some("PRODUCER_FENCED"),
        Answer::InvalidTxnState => Some("INVALID_TXN_STATE"),
        Answer::InvalidPidMapping => Some("INVALID_PRODUCER_ID_MAPPING"),
    }
}

/// The transactional id of a record; none where there is no coordinator.
pub fn transactional_id(player: &Player, lane: u32, id: u32) -> Option<String> {
    let record = player.state.lanes.get(lane as usize)?.ids.get(id as usize)?;
    let prefix = player.prefixes.get(record.prefix as usize)?;
    Some(match player.rules.sink {
        Sink::Legacy => format!("{prefix}-{}", lane * player.rules.pool + record.number),
        _ => format!("{prefix}-{lane}-{}", record.number),
    })
}

pub fn job(job: u8) -> JobName {
    if job == 0 { JobName::A } else { JobName::B }
}

/// What made a task fail, in words.
pub fn failure(failure: Failure) -> &'static str {
    match failure {
        Failure::InvalidProducerEpoch => {
            "a send was refused with INVALID_PRODUCER_EPOCH: someone moved the epoch on"
        }
        Failure::Refused(Refusal::TimeoutTooLarge) => {
            "initTransactions was refused with INVALID_TRANSACTION_TIMEOUT"
        }
        Failure::Refused(Refusal::Denied) => "the broker denies a call that the sink makes",
        Failure::Refused(Refusal::SamePrefixInJvm) => {
            "another sink in this JVM has the same transactional id prefix"
        }
        Failure::InvalidPidMapping => {
            "a commit was refused with INVALID_PRODUCER_ID_MAPPING, a reason the committer does not know"
        }
        Failure::CommitFailed(_) => "a commit failed, and the old sink throws while it runs",
        Failure::PoolEmpty => "no id is left in the pool of producers",
        Failure::RetriesExhausted => "the broker did not answer within all tries",
        Failure::SwitchedBack => {
            "the state was written with POOLING and is restored with INCREMENTING"
        }
        Failure::Migrated => {
            "the state of a 3.x connector names no owner, and POOLING needs one; take a checkpoint with INCREMENTING first"
        }
    }
}
