//! How far an exploration goes: how many records, checkpoints, sinks and faults.
//!
//! Source: Weir's own limits.

use serde::{Deserialize, Serialize};

use super::spent::Spent;
use crate::transaction::error::TransactionError;
use crate::transaction::event::{Rules, Sink};
use crate::transaction::params::{NamingStrategy, SinkKind, TxnProtocol};
use crate::transaction::relation::Limits;
use crate::transaction::state::{Job, Lane, Naming, Ownership, State};

/// The prefix of the job that is judged, that of a second job, and the one it may be changed to.
pub const OWN: u8 = 0;
pub const SECOND: u8 = 1;
pub const CHANGED: u8 = 2;

/// How the transactional ids of a second job begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SecondPrefix {
    /// As those of the job that is judged.
    Same,
    /// With how the prefix of the job that is judged begins, so that LISTING takes its ids for its own.
    Shorter,
    /// With a prefix of its own.
    Own,
}

/// What is explored, and how far.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ExploreParams {
    /// The sink.
    pub sink: SinkKind,
    /// Whether it writes in transactions: EXACTLY_ONCE. Without, AT_LEAST_ONCE or NONE.
    pub is_transactional: bool,
    /// Whether it flushes at a checkpoint: every guarantee but NONE does, which has no transactions
    /// either.
    pub flushes: bool,
    /// How it names its transactions.
    pub naming: NamingStrategy,
    /// The protocol of the cluster.
    pub txn_protocol: TxnProtocol,
    /// Subtasks of the sink.
    pub sinks: u32,
    /// Records of each subtask, over the whole run.
    pub records: u32,
    /// Checkpoints that may complete or be declined in one attempt's numbering.
    pub checkpoints: u32,
    /// Crashes of all tasks.
    pub crashes: u8,
    /// Transactions that run longer than their timeout.
    pub timeouts: u8,
    /// Notifications that are lost.
    pub lost_notifications: u8,
    /// Checkpoints that are declined.
    pub declines: u8,
    /// Transactional ids that expire.
    pub expiries: u8,
    /// Restores from an older checkpoint than the newest.
    pub older_restores: u8,
    /// Tasks that are cut off live on and act, instead of dying.
    pub zombies: bool,
    /// Starts without state though a checkpoint is complete. The source goes on from the offsets that
    /// the consumer group committed with the newest one.
    pub fresh_starts: u8,
    /// Restores with another prefix.
    pub prefix_changes: u8,
    /// Restores with the other way of naming transactions.
    pub naming_changes: u8,
    /// Restores with another number of subtasks.
    pub rescales: u8,
    /// That number.
    pub sinks_after: u32,
    /// Times that `transaction.max.timeout.ms` is lowered below the job's transaction.timeout.ms.
    pub limit_lowered: u8,
    /// Starts of a second job, the first without state. It may crash as the first does.
    pub second_starts: u8,
    /// How its transactional ids begin.
    pub second_prefix: SecondPrefix,
    /// Records of each of its subtasks; without any it takes no checkpoints.
    pub second_records: u32,
    /// All subtasks, and the second job, write to one partition, and the order in it is followed.
    pub is_partition_shared: bool,
    /// States that differ only in the order of their subtasks are one.
    pub is_symmetric: bool,
    /// Names of the properties that end the search where they are broken; without, those of the
    /// promise.
    pub stop_at: Vec<String>,
    /// The most memory for states [bytes].
    pub max_bytes: u32,
}

impl Default for ExploreParams {
    fn default() -> Self {
        Self {
            sink: SinkKind::KafkaSink,
            is_transactional: true,
            flushes: true,
            naming: NamingStrategy::Incrementing,
            txn_protocol: TxnProtocol::Tv1,
            sinks: 2,
            records: 2,
            checkpoints: 3,
            crashes: 1,
            timeouts: 0,
            lost_notifications: 0,
            declines: 0,
            expiries: 0,
            older_restores: 0,
            zombies: false,
            fresh_starts: 0,
            prefix_changes: 0,
            naming_changes: 0,
            rescales: 0,
            sinks_after: 1,
            limit_lowered: 0,
            second_starts: 0,
            second_prefix: SecondPrefix::Same,
            second_records: 0,
            is_partition_shared: false,
            is_symmetric: true,
            stop_at: Vec::new(),
            max_bytes: 512 << 20,
        }
    }
}

/// Numbers of a field, from the least to the most.
pub(super) fn within(field: &str, value: u32, low: u32, high: u32) -> Result<(), TransactionError> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    let (value, low, high) = (value.into(), low.into(), high.into());
    Err(TransactionError::OutOfRange { field: field.to_owned(), value, low, high })
}

impl ExploreParams {
    /// Refuses what does not fit into a packed state or would never end.
    pub fn check(&self) -> Result<(), TransactionError> {
        within("sinks", self.sinks, 1, 4)?;
        within("sinksAfter", self.sinks_after, 1, 4)?;
        within("records", self.records, 1, 12)?;
        within("secondRecords", self.second_records, 0, 4)?;
        within("checkpoints", self.checkpoints, 1, 8)?;
        for (field, value) in [
            ("crashes", self.crashes),
            ("timeouts", self.timeouts),
            ("lostNotifications", self.lost_notifications),
            ("declines", self.declines),
            ("expiries", self.expiries),
            ("olderRestores", self.older_restores),
            ("freshStarts", self.fresh_starts),
            ("prefixChanges", self.prefix_changes),
            ("namingChanges", self.naming_changes),
            ("rescales", self.rescales),
            ("secondStarts", self.second_starts),
        ] {
            within(field, value.into(), 0, 3)?;
        }
        within("limitLowered", self.limit_lowered.into(), 0, 1)?;
        if self.is_rescaled() {
            // Records are then told apart over all subtasks, and a task that was cut off would have
            // to know how many subtasks there were.
            within("records", self.records, 1, 12 / self.sinks)?;
            if self.zombies {
                return Err(TransactionError::NotTogether {
                    field: "rescales",
                    other: "zombies",
                    why: "a task that was cut off does not follow another number of subtasks here",
                });
            }
        }
        if !self.flushes && (self.is_transactional || self.zombies) {
            let other = if self.zombies { "zombies" } else { "isTransactional" };
            let why = if self.zombies {
                "what a task that was cut off still holds back is not followed here"
            } else {
                "a sink with transactions flushes at every checkpoint"
            };
            return Err(TransactionError::NotTogether { field: "flushes", other, why });
        }
        if self.max_bytes < 1 << 20 || self.max_bytes > 2 << 30 {
            within("maxBytes", self.max_bytes, 1 << 20, 2 << 30)?;
        }
        Ok(())
    }

    /// Whether the number of subtasks may change.
    pub fn is_rescaled(&self) -> bool {
        self.rescales > 0 && self.sinks_after != self.sinks
    }

    /// Whether every task meets a checkpoint's barrier at the same position of one source. Otherwise
    /// each reads a split of its own, which is more orders but says nothing where a start needs a
    /// position for all of them.
    pub fn is_aligned(&self) -> bool {
        self.is_rescaled() || self.fresh_starts > 0
    }

    /// The most lanes that there can be.
    pub fn lanes(&self) -> usize {
        let after = if self.is_rescaled() { self.sinks_after } else { 0 };
        self.sinks.max(after) as usize
    }

    /// Whether lanes that change places make no other state: not where a record's number says which
    /// lane it goes to.
    pub(super) fn sorts_lanes(&self) -> bool {
        self.is_symmetric && !self.is_rescaled()
    }

    /// Whether records, transactions and a coordinator are what decides.
    pub(super) fn has_transactions(&self) -> bool {
        self.is_transactional && self.rules().sink.has_coordinator()
    }

    pub(super) fn rules(&self) -> Rules {
        let sink = match self.sink {
            SinkKind::KafkaSink => Sink::Kafka,
            SinkKind::Legacy => Sink::Legacy,
            SinkKind::Upsert => Sink::Upsert,
            SinkKind::File => Sink::File,
            SinkKind::Table => Sink::Table,
        };
        let covers = match self.second_prefix {
            SecondPrefix::Shorter => vec![(SECOND, OWN)],
            SecondPrefix::Same | SecondPrefix::Own => Vec::new(),
        };
        Rules {
            sink,
            is_v2: self.txn_protocol == TxnProtocol::Tv2,
            pool: 5,
            first_epoch: -1,
            covers,
            keeps_all: self.older_restores > 0,
            kept: Vec::new(),
            concurrent: 1,
            ignores_late: false,
            flushes: self.flushes,
            walks_beyond: false,
        }
    }

    /// Both jobs before their first start.
    pub(super) fn initial(&self) -> State {
        let naming = naming_of(self.naming);
        let job = Job {
            is_up: false,
            is_finished: false,
            is_transactional: self.is_transactional && self.sink != SinkKind::Upsert,
            prefix: OWN,
            naming,
            ownership: ownership_of(naming),
            parallelism: self.sinks,
            completed: 0,
            settled: 0,
            notified: 0,
            refusal: None,
        };
        let prefix = if self.second_prefix == SecondPrefix::Same { OWN } else { SECOND };
        let mut state =
            State { jobs: [job, Job { prefix, ..job }], lanes: Vec::new(), end_offset: 0 };
        state.lanes.resize_with(self.lanes(), Lane::new);
        state
    }

    /// What may still happen to a job.
    pub(super) fn limits(&self, job: u8, spent: &Spent) -> Limits {
        let is_judged = job == 0;
        let records = if is_judged { self.records } else { self.second_records };
        Limits {
            input: records * self.sinks,
            checkpoints: if records > 0 { self.checkpoints } else { 0 },
            crashes: spent.crashes < self.crashes,
            timeouts: spent.timeouts < self.timeouts,
            declines: is_judged && spent.declines < self.declines,
            lost_notifications: is_judged && spent.lost_notifications < self.lost_notifications,
            expiries: spent.expiries < self.expiries,
            older_restores: is_judged && spent.older_restores < self.older_restores,
            zombies: is_judged && self.zombies,
        }
    }
}

pub fn naming_of(naming: NamingStrategy) -> Naming {
    match naming {
        NamingStrategy::Incrementing => Naming::Incrementing,
        NamingStrategy::Pooling => Naming::Pooling,
    }
}

pub fn ownership_of(naming: Naming) -> Ownership {
    match naming {
        Naming::Incrementing => Ownership::BySubtask,
        Naming::Pooling => Ownership::Explicit,
    }
}
