//! Names of Kafka's and Flink's for what happens: errors, ids, levels.
//!
//! Source: Kafka 4.x, Errors; flink-connector-kafka 5.1, TransactionalIdFactory
//! (`prefix-subtask-number`) and KafkaCommitter; Flink 1.20, TransactionalIdsGenerator.

use super::driver::IdClock;
use super::event::{Answer, Failure, Sink};
use super::params::JobName;
use super::state::{Refusal, State};

/// What has to be known of a run to name what happens in it: how all stands at its end, since ids and
/// transactions keep their places.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a> {
    pub sink: Sink,
    /// The ids of a subtask of the old sink.
    pub pool: u32,
    pub state: &'a State,
    pub prefixes: &'a [String],
    /// The clocks of the ids, by lane; empty where time has no length.
    pub clocks: &'a [Vec<IdClock>],
    /// Another job writes too.
    pub has_two: bool,
}

impl Known<'_> {
    /// The transactional id of a record; none where there is no coordinator.
    pub fn transactional_id(&self, lane: u32, id: u32) -> Option<String> {
        let record = self.state.lanes.get(lane as usize)?.ids.get(id as usize)?;
        let prefix = self.prefixes.get(record.prefix as usize)?;
        Some(match self.sink {
            Sink::Legacy => format!("{prefix}-{}", lane * self.pool + record.number),
            _ => format!("{prefix}-{lane}-{}", record.number),
        })
    }

    /// Whether a job's transactions have ids.
    pub fn has_ids(&self, job: u8) -> bool {
        self.sink.has_coordinator() && self.state.job(job).is_transactional
    }

    /// transaction.timeout.ms of an id's producer [ms].
    pub fn timeout(&self, lane: u32, id: u32) -> Option<u64> {
        self.clocks.get(lane as usize)?.get(id as usize).map(|it| it.timeout)
    }
}

/// Kafka's name of an answer that is an error.
pub fn error(answer: Answer) -> Option<&'static str> {
    match answer {
        Answer::Accepted | Answer::Already => None,
        Answer::ProducerFenced => Some("PRODUCER_FENCED"),
        Answer::InvalidTxnState => Some("INVALID_TXN_STATE"),
        Answer::InvalidPidMapping => Some("INVALID_PRODUCER_ID_MAPPING"),
    }
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

/// What is refused from now on, in words.
pub fn refusal(refusal: Option<Refusal>) -> &'static str {
    match refusal {
        Some(Refusal::TimeoutTooLarge) => {
            "transaction.timeout.ms is above transaction.max.timeout.ms: the broker refuses every initTransactions."
        }
        Some(Refusal::Denied) => "The broker denies a call that the sink makes when it starts.",
        Some(Refusal::SamePrefixInJvm) => {
            "Another sink in this JVM has the same transactional id prefix: this one is refused."
        }
        None => "Nothing that the sink asks is refused any more.",
    }
}
