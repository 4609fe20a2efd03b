//! What can happen, and what can be observed of it.
//!
//! Source: Kafka 4.x, TransactionCoordinator; flink-connector-kafka 5.1, ExactlyOnceKafkaWriter and
//! KafkaCommitter; Flink 1.20, TwoPhaseCommitSinkFunction.

use super::state::{Naming, Refusal, State};

/// One step of one actor. A lane is given by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// The source reads up to `to`, and the sink sends what belongs to the lane.
    Write { job: u8, lane: u32, to: u32 },
    /// The producer of a sink that does not flush sends what it holds back.
    SendHeld { job: u8, lane: u32 },
    /// The barrier passes a task: flush, pre-commit, open the next transaction, acknowledge.
    Barrier { job: u8, lane: u32 },
    /// All tasks acknowledged, and the metadata are in the store of completed checkpoints.
    Complete { job: u8, kind: Completion },
    /// The checkpoint is declined or expires.
    Decline { job: u8 },
    /// A task that was told sends EndTxn for its oldest committable.
    Commit { job: u8, lane: u32 },
    /// The same for a committable of the restored state. `is_late`: longer after the transaction
    /// began than transaction.timeout.ms, by the job's own clock.
    Recommit { job: u8, lane: u32, is_late: bool },
    /// The writer aborts what was left behind and opens its first transaction.
    Open { job: u8, lane: u32 },
    /// All tasks are killed.
    Crash { job: u8 },
    /// The TaskManager is cut off; its tasks live on beside those that replace them.
    CutOff { job: u8 },
    /// A new attempt, from the state of a checkpoint.
    Restore { job: u8, with: Restart },
    /// The input ends and the tasks close.
    Finish { job: u8 },
    /// A zombie sends.
    ZombieSend { job: u8, lane: u32, to: u32 },
    /// A zombie commits what it pre-committed for a checkpoint.
    ZombieCommit { job: u8, lane: u32, checkpoint: u32 },
    /// The committer has tried as often as it may.
    GiveUp { job: u8, lane: u32 },
    /// The coordinator finds a transaction that ran longer than its timeout.
    TimeOut { lane: u32, id: u32 },
    /// The markers of a decided transaction are written.
    WriteMarkers { lane: u32, id: u32 },
    /// An idle id is removed.
    Expire { lane: u32, id: u32 },
    /// The coordinator moves to another broker, which reads the transaction log.
    FailOver,
    /// The broker begins to refuse, or no longer refuses, what the job's writer asks.
    Refuse { job: u8, refusal: Option<Refusal> },
}

/// How a checkpoint completes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completion {
    /// The tasks are told.
    Told,
    /// The message never arrives.
    Untold,
    /// A savepoint that does not stop the job: nobody is told, and failovers do not use it.
    Savepoint,
}

/// The settings of a new attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Restart {
    /// The checkpoint whose state is restored; 0 for none.
    pub from: u32,
    /// Where a start without state reads from.
    pub position: u32,
    pub prefix: u8,
    pub naming: Naming,
    pub parallelism: u32,
}

/// The coordinator's answer to EndTxn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// Decided now.
    Accepted,
    /// Decided so before.
    Already,
    ProducerFenced,
    InvalidTxnState,
    InvalidPidMapping,
}

/// Why a transaction was aborted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// It ran longer than its timeout.
    Timeout,
    /// Someone initialised its id.
    Initialised,
    /// Its task closed.
    Closed,
}

/// What made a task fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// A send was refused: the epoch is old.
    InvalidProducerEpoch,
    Refused(Refusal),
    /// A commit was refused for a reason that the committer does not know.
    InvalidPidMapping,
    /// The old sink throws when a commit fails while it runs.
    CommitFailed(Answer),
    /// The old sink has no id left.
    PoolEmpty,
    /// Each try of a commit ran into its time limit.
    RetriesExhausted,
    /// State of POOLING, restored with INCREMENTING.
    SwitchedBack,
    /// State of a 3.x connector, restored with POOLING.
    Migrated,
}

/// What can be observed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fact {
    /// Records are in the log. `txn` is the lane's transaction, which for a sink without
    /// transactions is all that one attempt wrote.
    Appended {
        job: u8,
        lane: u32,
        txn: u32,
        from: u32,
        to: u32,
        of: u32,
    },
    /// The source has read up to `to`, and the producer holds it back.
    HeldBack {
        job: u8,
        lane: u32,
        from: u32,
        to: u32,
        of: u32,
    },
    /// The first partition is added to a transaction: its clock starts.
    Started {
        lane: u32,
        id: u32,
        txn: u32,
    },
    SendRefused {
        job: u8,
        lane: u32,
        id: u32,
        is_zombie: bool,
    },
    PreCommitted {
        job: u8,
        lane: u32,
        txn: u32,
        checkpoint: u32,
    },
    /// The transaction was empty: no committable.
    NothingToCommit {
        job: u8,
        lane: u32,
        checkpoint: u32,
    },
    Acknowledged {
        job: u8,
        lane: u32,
        checkpoint: u32,
    },
    Completed {
        job: u8,
        checkpoint: u32,
        kind: Completion,
    },
    Declined {
        job: u8,
        checkpoint: u32,
    },
    /// InitProducerId. `is_probe`: to find and abort what was left behind.
    Initialised {
        job: u8,
        lane: u32,
        id: u32,
        epoch: i32,
        is_probe: bool,
    },
    /// EndTxn with commit and its answer. `restored`: on recovery, by a resumed producer.
    EndTxn {
        job: u8,
        lane: u32,
        txn: u32,
        answer: Answer,
        restored: bool,
        is_zombie: bool,
    },
    /// The decision is in the transaction log.
    Prepared {
        lane: u32,
        id: u32,
        txn: u32,
        is_commit: bool,
        cause: Option<Cause>,
    },
    /// Its markers are in the partitions.
    Marked {
        lane: u32,
        txn: u32,
        is_commit: bool,
    },
    Failed {
        job: u8,
        lane: u32,
        checkpoint: u32,
        failure: Failure,
    },
    Crashed {
        job: u8,
    },
    Restored {
        job: u8,
        from: u32,
    },
    /// The last task of an attempt runs.
    Running {
        job: u8,
    },
    Finished {
        job: u8,
    },
    Expired {
        lane: u32,
        id: u32,
    },
    FailedOver,
    /// The broker begins to refuse what the job's writer asks, or refuses it no longer.
    Refuses {
        job: u8,
        refusal: Option<Refusal>,
    },
}

/// Who hears facts: a list, or nobody.
pub trait Hear {
    fn hear(&mut self, fact: Fact);
}

impl Hear for Vec<Fact> {
    fn hear(&mut self, fact: Fact) {
        self.push(fact);
    }
}

impl Hear for () {
    fn hear(&mut self, _: Fact) {}
}

/// The sinks that are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sink {
    /// KafkaSink.
    Kafka,
    /// FlinkKafkaProducer on TwoPhaseCommitSinkFunction.
    Legacy,
    /// Files: in progress, pending, finished by a rename.
    File,
    /// A table: files are staged, and one snapshot commits those of all subtasks.
    Table,
    /// Rows written by key; written again, they are the same rows.
    Upsert,
}

impl Sink {
    /// Whether a transaction coordinator decides.
    pub fn has_coordinator(self) -> bool {
        matches!(self, Self::Kafka | Self::Legacy)
    }
}

/// What stays the same in a run.
#[derive(Debug, Clone)]
pub struct Rules {
    pub sink: Sink,
    /// transaction.version=2.
    pub is_v2: bool,
    /// The ids of a subtask of the old sink.
    pub pool: u32,
    /// The epoch that an id has before anyone uses it; -1 but for ids that were used up before.
    pub first_epoch: i32,
    /// Pairs of prefixes: the first is how the second begins, so that LISTING takes the ids of the
    /// second for its own.
    pub covers: Vec<(u8, u8)>,
    /// Keep the state of every completed checkpoint, not just of the newest.
    pub keeps_all: bool,
    /// Checkpoints whose state is kept besides the newest: those that will be restored.
    pub kept: Vec<u32>,
    /// How many checkpoints may be in flight.
    pub concurrent: u32,
    /// ignoreFailuresAfterTransactionTimeout of the old sink.
    pub ignores_late: bool,
    /// Whether the sink flushes at a checkpoint: every one with a guarantee does. Where it does not,
    /// when its producer sends is the explorer's to choose.
    pub flushes: bool,
    /// Whether probing creates ids of subtasks that never were. They hold no transaction, so only
    /// the number of calls depends on it.
    pub walks_beyond: bool,
}

impl Rules {
    /// Whether the sink names and aborts by listing what is open.
    pub fn is_covered(&self, own: u8, other: u8) -> bool {
        own == other || self.covers.contains(&(own, other))
    }
}

/// Why an event cannot happen now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotNow;

/// What a step needs to know and to tell.
pub struct Step<'a, H> {
    pub state: &'a mut State,
    pub rules: &'a Rules,
    pub out: &'a mut H,
}
