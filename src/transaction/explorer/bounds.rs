//! How far an exploration goes: how many records, checkpoints, sinks and faults.
//!
//! Source: Weir's own limits.

use serde::{Deserialize, Serialize};

use crate::transaction::error::TransactionError;
use crate::transaction::event::{Completion, Event, Rules, Sink};
use crate::transaction::params::{NamingStrategy, SinkKind, TxnProtocol};
use crate::transaction::relation::Limits;
use crate::transaction::state::{Job, Naming, Ownership, State};

/// What is explored, and how far.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ExploreParams {
    /// The sink.
    pub sink: SinkKind,
    /// Whether it writes in transactions: EXACTLY_ONCE. Without, AT_LEAST_ONCE.
    pub is_transactional: bool,
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
            is_symmetric: true,
            stop_at: Vec::new(),
            max_bytes: 512 << 20,
        }
    }
}

/// How many of each fault have happened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spent {
    pub crashes: u8,
    pub timeouts: u8,
    pub lost_notifications: u8,
    pub declines: u8,
    pub expiries: u8,
    pub older_restores: u8,
}

impl ExploreParams {
    /// Refuses what does not fit into a packed state or would never end.
    pub fn check(&self) -> Result<(), TransactionError> {
        let within = |field: &str, value: u64, low: u64, high: u64| {
            if (low..=high).contains(&value) {
                return Ok(());
            }
            Err(TransactionError::OutOfRange { field: field.to_owned(), value, low, high })
        };
        within("sinks", self.sinks.into(), 1, 4)?;
        within("records", self.records.into(), 1, 12)?;
        within("checkpoints", self.checkpoints.into(), 1, 8)?;
        within("crashes", self.crashes.into(), 0, 3)?;
        within("timeouts", self.timeouts.into(), 0, 3)?;
        within("lostNotifications", self.lost_notifications.into(), 0, 3)?;
        within("declines", self.declines.into(), 0, 3)?;
        within("expiries", self.expiries.into(), 0, 3)?;
        within("olderRestores", self.older_restores.into(), 0, 3)?;
        within("maxBytes", self.max_bytes.into(), 1 << 20, 2 << 30)
    }

    pub(super) fn rules(&self) -> Rules {
        let sink = match self.sink {
            SinkKind::KafkaSink => Sink::Kafka,
            SinkKind::Legacy => Sink::Legacy,
            SinkKind::Upsert => Sink::Upsert,
            SinkKind::File => Sink::File,
            SinkKind::Table => Sink::Table,
        };
        Rules {
            sink,
            is_v2: self.txn_protocol == TxnProtocol::Tv2,
            pool: 5,
            first_epoch: -1,
            covers: Vec::new(),
            keeps_all: self.older_restores > 0,
            concurrent: 1,
            ignores_late: false,
            walks_beyond: false,
        }
    }

    /// The job before its first start.
    pub(super) fn initial(&self) -> State {
        let naming = match self.naming {
            NamingStrategy::Incrementing => Naming::Incrementing,
            NamingStrategy::Pooling => Naming::Pooling,
        };
        let job = Job {
            is_up: false,
            is_finished: false,
            is_transactional: self.is_transactional && self.sink != SinkKind::Upsert,
            prefix: 0,
            naming,
            ownership: match naming {
                Naming::Incrementing => Ownership::BySubtask,
                Naming::Pooling => Ownership::Explicit,
            },
            parallelism: self.sinks,
            completed: 0,
            settled: 0,
            notified: 0,
            refusal: None,
        };
        State { jobs: [job, job], lanes: Vec::new() }
    }

    /// What may still happen.
    pub(super) fn limits(&self, spent: &Spent) -> Limits {
        Limits {
            input: self.records * self.sinks,
            checkpoints: self.checkpoints,
            crashes: spent.crashes < self.crashes,
            timeouts: spent.timeouts < self.timeouts,
            declines: spent.declines < self.declines,
            lost_notifications: spent.lost_notifications < self.lost_notifications,
            expiries: spent.expiries < self.expiries,
            older_restores: spent.older_restores < self.older_restores,
            zombies: self.zombies,
        }
    }
}

impl Spent {
    /// Counts an event that is a fault.
    pub fn count(&mut self, event: Event, completed: u32) {
        match event {
            Event::Crash { .. } | Event::CutOff { .. } => self.crashes += 1,
            Event::TimeOut { .. } => self.timeouts += 1,
            Event::Decline { .. } => self.declines += 1,
            Event::Complete { kind: Completion::Untold, .. } => self.lost_notifications += 1,
            Event::Expire { .. } => self.expiries += 1,
            Event::Restore { with, .. } if with.from < completed => self.older_restores += 1,
            _ => {}
        }
    }
}
