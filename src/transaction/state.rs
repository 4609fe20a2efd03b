//! All that the protocol remembers: the coordinator's records, the transactions, the tasks and what
//! their checkpoints hold. No clock: what depends on time is the driver's.
//!
//! A *lane* is one subtask number: the transactional ids that carry it, the transactions written
//! under them, and the task of each job that works there. Lanes share nothing, which is what lets the
//! explorer treat states alike that differ only in the order of their lanes.
//!
//! Source: Kafka 4.x, TransactionMetadata and TransactionState; flink-connector-kafka 5.1,
//! KafkaCommittable and KafkaWriterState. TwoPhaseCommitSinkFunction of Flink 1.20 for the old sink.

/// How many jobs there can be: the one that is judged, and another.
pub const JOBS: usize = 2;

/// No transaction, no id.
pub const NONE: u32 = u32::MAX;

/// A state of the transaction coordinator for one transactional id. `Dead` is an id that expired;
/// `PrepareEpochFence` is never a resting state and so not among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdState {
    Empty,
    Ongoing,
    PrepareCommit,
    PrepareAbort,
    CompleteCommit,
    CompleteAbort,
    Dead,
}

/// What the coordinator knows of one transactional id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdRecord {
    pub prefix: u8,
    pub number: u32,
    /// Which producer id it has: the first, or a later one after an expiry or an epoch's overflow.
    pub producer: u32,
    /// -1 before the first InitProducerId.
    pub epoch: i32,
    pub state: IdState,
    /// The transaction that is ongoing or prepared.
    pub txn: u32,
    /// A resumed producer that learned of transaction.version=2 initialises the id once its commit
    /// is complete.
    pub init_after: bool,
}

/// What became of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Open,
    PreparedCommit,
    PreparedAbort,
    Committed,
    Aborted,
}

/// One transaction, with the source positions that it holds: those from `from` up to `to` that
/// belong to this lane of `of`. Its id, producer and epoch are what a committable carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Txn {
    pub job: u8,
    pub id: u32,
    pub producer: u32,
    pub epoch: i32,
    pub from: u32,
    pub to: u32,
    pub of: u32,
    /// The checkpoint that pre-committed it; 0 while it is written to.
    pub checkpoint: u32,
    pub fate: Fate,
    /// A completed checkpoint holds its committable.
    pub is_owned: bool,
    /// The offsets of its first and its last record in a partition that all tasks share.
    pub first: u32,
    pub last: u32,
}

/// Where a committable is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// With the live committer.
    Committer,
    /// In the state of that checkpoint.
    Snapshot(u32),
    /// With a task that was cut off and lives on.
    Zombie,
    /// Its number counts as in use until the writer drains the back channel for the first time.
    Reserved,
}

/// A committable somewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    pub job: u8,
    pub place: Place,
    pub txn: u32,
}

/// Who owns the ids in a writer's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ownership {
    /// State of a 3.x connector.
    Unknown,
    BySubtask,
    Explicit,
}

/// A subtask's part of a checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Snapshot {
    pub job: u8,
    pub checkpoint: u32,
    pub position: u32,
    pub prefix: u8,
    pub ownership: Ownership,
}

/// How far a task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    Down,
    /// The committer commits what the restored state holds.
    Recommitting,
    /// The writer aborts what was left behind, then opens its first transaction.
    CleaningUp,
    Running,
}

/// One task: source, writer and committer of a job in one lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Task {
    pub phase: Phase,
    /// The id that the writer writes under, with the producer and epoch it believes in.
    pub id: u32,
    pub producer: u32,
    pub epoch: i32,
    /// The transaction that has its records; none while it is empty.
    pub txn: u32,
    /// The source position to read next.
    pub position: u32,
    /// Up to where what was read is sent; the producer holds back the rest, which only a sink without
    /// any guarantee lets it do beyond a checkpoint.
    pub sent: u32,
    /// The last checkpoint whose barrier it passed.
    pub acked: u32,
    /// The old sink saw a commit fail and throws when it has tried the others.
    pub commit_failed: bool,
}

impl Task {
    /// A task that does not run.
    pub const DOWN: Self = Self {
        phase: Phase::Down,
        id: NONE,
        producer: 0,
        epoch: 0,
        txn: NONE,
        position: 0,
        sent: 0,
        acked: 0,
        commit_failed: false,
    };
}

/// What is left of finished transactions that nothing refers to: which records have copies. One bit a
/// record; the second word has those with more than one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Copies {
    pub committed: [u32; 2],
    pub aborted: [u32; 2],
    /// A transaction that a completed checkpoint owned was aborted.
    pub is_lost: bool,
}

impl Copies {
    pub fn add(to: &mut [u32; 2], records: u32) {
        to[1] |= to[0] & records;
        to[0] |= records;
    }
}

/// One subtask number.
#[derive(Debug, PartialEq, Eq)]
pub struct Lane {
    pub ids: Vec<IdRecord>,
    pub txns: Vec<Txn>,
    pub held: Vec<Held>,
    pub snapshots: Vec<Snapshot>,
    pub tasks: [Task; JOBS],
    /// Tasks that were cut off and live on.
    pub zombies: [Task; JOBS],
    /// The explorer's; the driver keeps every transaction.
    pub copies: Copies,
}

impl Lane {
    /// A lane that nobody has used.
    pub const fn new() -> Self {
        Self {
            ids: Vec::new(),
            txns: Vec::new(),
            held: Vec::new(),
            snapshots: Vec::new(),
            tasks: [Task::DOWN; JOBS],
            zombies: [Task::DOWN; JOBS],
            copies: Copies { committed: [0; 2], aborted: [0; 2], is_lost: false },
        }
    }

    /// The committables at a place, oldest checkpoint first.
    pub fn held_at(&self, job: u8, place: Place) -> impl Iterator<Item = u32> + '_ {
        self.held.iter().filter(move |it| it.job == job && it.place == place).map(|it| it.txn)
    }

    /// The snapshot of a checkpoint.
    pub fn snapshot(&self, job: u8, checkpoint: u32) -> Option<&Snapshot> {
        self.snapshots.iter().find(|it| it.job == job && it.checkpoint == checkpoint)
    }

    pub fn record(&self, id: u32) -> &IdRecord {
        &self.ids[id as usize]
    }

    pub fn txn(&self, txn: u32) -> &Txn {
        &self.txns[txn as usize]
    }
}

/// By hand, because a copy into a state that is there already allocates nothing, and the explorer
/// makes one for each state it generates.
impl Clone for Lane {
    fn clone(&self) -> Self {
        let mut copy = Self::new();
        copy.clone_from(self);
        copy
    }

    fn clone_from(&mut self, from: &Self) {
        self.ids.clone_from(&from.ids);
        self.txns.clone_from(&from.txns);
        self.held.clone_from(&from.held);
        self.snapshots.clone_from(&from.snapshots);
        self.tasks = from.tasks;
        self.zombies = from.zombies;
        self.copies = from.copies;
    }
}

/// How a sink names its transactions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    Incrementing,
    Pooling,
}

/// Why a writer cannot start or open a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// transaction.timeout.ms above transaction.max.timeout.ms.
    TimeoutTooLarge,
    /// The broker denies a call that the sink makes.
    Denied,
    /// A sink with the same prefix runs in the same JVM.
    SamePrefixInJvm,
}

/// One job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Job {
    pub is_up: bool,
    /// It ended as it should and is not started again.
    pub is_finished: bool,
    /// Whether it writes in transactions.
    pub is_transactional: bool,
    pub prefix: u8,
    pub naming: Naming,
    pub ownership: Ownership,
    pub parallelism: u32,
    /// The checkpoint that a failover restores; 0 is none.
    pub completed: u32,
    /// The last checkpoint that is completed or declined.
    pub settled: u32,
    /// The last checkpoint that the tasks were told of.
    pub notified: u32,
    pub refusal: Option<Refusal>,
}

/// The state of everything.
#[derive(Debug, PartialEq, Eq)]
pub struct State {
    pub jobs: [Job; JOBS],
    pub lanes: Vec<Lane>,
    /// The end of a partition that all tasks share.
    pub end_offset: u32,
}

impl Clone for State {
    fn clone(&self) -> Self {
        Self { jobs: self.jobs, lanes: self.lanes.clone(), end_offset: self.end_offset }
    }

    fn clone_from(&mut self, from: &Self) {
        self.jobs = from.jobs;
        self.lanes.clone_from(&from.lanes);
        self.end_offset = from.end_offset;
    }
}

impl State {
    /// The lanes that a job works in.
    pub fn active(&self, job: u8) -> std::ops::Range<usize> {
        0..(self.jobs[job as usize].parallelism as usize).min(self.lanes.len())
    }

    pub fn job(&self, job: u8) -> &Job {
        &self.jobs[job as usize]
    }

    pub fn task(&self, job: u8, lane: usize) -> &Task {
        &self.lanes[lane].tasks[job as usize]
    }

    /// Whether every task of a job runs.
    pub fn is_running(&self, job: u8) -> bool {
        self.job(job).is_up
            && self.active(job).all(|lane| self.task(job, lane).phase == Phase::Running)
    }
}

/// How many source positions from `from` up to `to` belong to `lane` of `of`.
pub fn share(from: u32, to: u32, lane: u32, of: u32) -> u32 {
    let below = |end: u32| (end + of - 1 - lane) / of;
    below(to).saturating_sub(below(from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_counts_every_position_once() {
        for of in 1..6 {
            for from in 0..9 {
                for to in from..12 {
                    for lane in 0..of {
                        let counted = (from..to).filter(|it| it % of == lane).count() as u32;
                        assert_eq!(share(from, to, lane, of), counted, "{from}..{to} {lane}/{of}");
                    }
                }
            }
        }
    }
}
