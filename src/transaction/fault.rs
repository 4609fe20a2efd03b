//! The faults of a scenario, where the user placed them.
//!
//! Source: the names are those of the recorded scenarios.

use serde::{Deserialize, Serialize};

use super::params::{JobName, NamingStrategy};

/// A moment in the life of a checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Moment {
    /// Just before the second half of the first interval is written.
    BeforeFirstCheckpoint,
    /// The same in the interval that the checkpoint ends.
    MidInterval,
    /// All tasks have pre-committed.
    AfterPrecommit,
    /// The checkpoint is complete, and nobody has committed.
    AfterComplete,
    /// The coordinator has decided; the job does not know.
    DuringCommit,
    /// The same, named by what the coordinator wrote.
    PrepareCommit,
    /// Some subtasks have committed.
    PartialCommit,
    /// All have.
    AfterCommit,
    /// The new attempt has opened its first transactions and written nothing.
    RightAfterInit,
}

/// A checkpoint by number, or the first one after the last restore.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "a checkpoint is a whole number up to 4294967295, or `first_of_attempt_2`"
)]
pub enum CheckpointRef {
    /// Its number.
    Number(u32),
    /// `first_of_attempt_2`: the first one after the last restore.
    Name(String),
}

/// What a restore starts from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, expecting = "a restore is from the number of a checkpoint, `latest` or `none`")]
pub enum From {
    /// A checkpoint or savepoint, by number.
    Number(u32),
    /// `latest` or `none`.
    Name(String),
}

/// The value of a setting.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "the value of a setting is true, false or a whole number")]
pub enum SettingValue {
    /// True or false.
    Flag(bool),
    /// A whole number.
    Number(u64),
}

/// Something that happens to the job, the broker or the network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(
    tag = "ev",
    rename_all = "snake_case",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
#[expect(missing_docs, reason = "the fields are described where the scenarios are")]
pub enum Fault {
    /// The processes of the job's tasks die.
    Crash {
        at: Moment,
        checkpoint: Option<CheckpointRef>,
        job: Option<JobName>,
        committed_subtasks: Option<u32>,
    },
    /// The JobManager is lost, and all tasks with it.
    JmCrash { at: Moment, checkpoint: Option<CheckpointRef> },
    /// The old TaskManager is cut off and lives on.
    TmPartition { at: Option<Moment>, checkpoint: Option<CheckpointRef> },
    /// A new attempt.
    Restore {
        after_ms: Option<u64>,
        from: Option<From>,
        source_pos: Option<u32>,
        prefix: Option<String>,
        naming: Option<NamingStrategy>,
        parallelism: Option<u32>,
        txn_timeout_ms: Option<u64>,
        job: Option<JobName>,
    },
    /// The message that a checkpoint is complete never arrives.
    NotifyLost { checkpoint: CheckpointRef },
    /// A checkpoint is declined after all have pre-committed.
    CheckpointDeclined { checkpoint: CheckpointRef },
    /// A checkpoint is a savepoint.
    Savepoint { checkpoint: CheckpointRef, stop: Option<bool> },
    /// The task that was cut off sends.
    ZombieSend {},
    /// The task that was cut off commits.
    ZombieCommit { checkpoint: CheckpointRef },
    /// Job B starts without state.
    SecondJobStarts {
        at: Option<Moment>,
        checkpoint: Option<CheckpointRef>,
        prefix: Option<String>,
        state: Option<String>,
    },
    /// A second sink with the same prefix in the same JVM.
    SecondSinkSameJvm {},
    /// `transaction.max.timeout.ms` is lowered.
    BrokerMaxLowered { at: Option<Moment>, checkpoint: Option<CheckpointRef>, to_ms: Option<u64> },
    /// The coordinator moves to another broker.
    BrokerCoordinatorFailover { at: Option<Moment>, checkpoint: Option<CheckpointRef> },
    /// The job cannot reach the broker, which goes on.
    BrokerUnreachable { at: Option<Moment>, checkpoint: Option<CheckpointRef>, for_ms: u64 },
    /// The broker refuses calls, joined by `/`.
    AclDenied { op: String },
    /// A setting, or the epoch that the job's ids have at the start.
    Set { option: Option<String>, value: Option<SettingValue>, producer_epoch: Option<i32> },
    /// Plain running for so long.
    Run { for_ms: u64 },
    /// The input ends after that interval.
    EndOfInput { after_interval: u32, final_checkpoint: Option<bool> },
}
