//! What a scenario is made of: settings, and the faults of [`super::fault`] in the order in which they
//! happen.
//!
//! The names are those of the settings and of the recorded scenarios.

use serde::{Deserialize, Serialize};

use super::error::TransactionError;
pub use super::fault::{CheckpointRef, Fault, From, Moment, SettingValue};

/// The sink.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SinkKind {
    /// `KafkaSink`.
    KafkaSink,
    /// `FlinkKafkaProducer`, built on `TwoPhaseCommitSinkFunction`.
    Legacy,
    /// `upsert-kafka`, or any sink that writes by key: a row written again is the same row.
    Upsert,
    /// `FileSink`: files in progress, pending, and finished by a rename.
    File,
    /// A table that takes in the staged files of all subtasks with one snapshot.
    Table,
}

/// `DeliveryGuarantee`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Guarantee {
    /// `EXACTLY_ONCE`: in transactions.
    ExactlyOnce,
    /// `AT_LEAST_ONCE`: flushed at each checkpoint.
    AtLeastOnce,
    /// `NONE`.
    None,
}

/// `TransactionNamingStrategy`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NamingStrategy {
    /// A new id for each checkpoint; left behind transactions are found by probing.
    Incrementing,
    /// Ids are used again; left behind transactions are found by listing.
    Pooling,
}

/// `transaction.version` of the cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TxnProtocol {
    /// Below 2: the epoch stays when a transaction ends.
    Tv1,
    /// 2 (KIP-890): each end of a transaction moves the epoch on.
    Tv2,
}

/// `isolation.level`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Isolation {
    /// Only what is committed, up to the last stable offset.
    ReadCommitted,
    /// All there is, up to the high watermark.
    ReadUncommitted,
}

/// Which subtasks and jobs share a partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartitionLayout {
    /// Each subtask of each job has its own.
    OnePerSubtask,
    /// All write to one.
    Shared,
}

/// One of two jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum JobName {
    /// The job that the faults strike.
    A,
    /// Another job.
    B,
}

/// The settings of job, sink and broker. Times are in milliseconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ScenarioParams {
    /// The sink.
    pub sink: SinkKind,
    /// What it promises.
    pub delivery_guarantee: Guarantee,
    /// How it names its transactions.
    pub naming: NamingStrategy,
    /// The protocol of the cluster.
    pub txn_protocol: TxnProtocol,
    /// From one barrier to the next [ms].
    pub checkpoint_interval_ms: u64,
    /// From the barrier until the checkpoint is complete [ms].
    pub checkpoint_duration_ms: u64,
    /// From completion until the tasks commit [ms].
    pub notify_delay_ms: u64,
    /// When the first half of an interval's records is written, after the barrier [ms].
    pub first_record_offset_ms: u64,
    /// When the second half is; one second before the next barrier where it is not given [ms].
    pub last_record_offset_ms: Option<u64>,
    /// All records are written at the first offset.
    pub idle_tail: bool,
    /// `transaction.timeout.ms`.
    pub txn_timeout_ms: u64,
    /// `transaction.max.timeout.ms`.
    pub broker_max_txn_timeout_ms: u64,
    /// What the limit is lowered to, where a fault lowers it without saying so [ms].
    pub broker_max_txn_timeout_after_ms: Option<u64>,
    /// `transaction.abort.timed.out.transaction.cleanup.interval.ms`.
    pub broker_abort_scan_ms: u64,
    /// `transactional.id.expiration.ms`.
    pub txn_id_expiration_ms: u64,
    /// From a crash to the restore, where the restore does not say [ms].
    pub downtime_ms: u64,
    /// `restart-strategy.fixed-delay.delay` [ms].
    pub auto_restart_delay_ms: u64,
    /// `restart-strategy.fixed-delay.attempts`.
    pub max_auto_restarts: u32,
    /// `isolation.level` of the reader that is judged.
    pub isolation: Isolation,
    /// `sink.transactional-id-prefix`.
    pub prefix: String,
    /// Whether nobody else uses the prefix; for information.
    pub prefix_unique: bool,
    /// The prefix of the next restore, where it does not say.
    pub new_prefix: Option<String>,
    /// Subtasks of the sink.
    pub parallelism: u32,
    /// Subtasks after the next restore, where it does not say.
    pub parallelism_after: Option<u32>,
    /// Which subtasks share a partition.
    pub partition_layout: PartitionLayout,
    /// Records of an interval, over all subtasks.
    pub records_per_interval: u32,
    /// Intervals of input.
    pub intervals: u32,
    /// How long the readers are watched once all is committed [ms].
    pub observe_extra_ms: u64,
    /// How long readers may stand still before they count as stuck; without, twice the interval and
    /// the duration together [ms].
    pub patience_ms: Option<u64>,
    /// The job that is judged.
    pub judge: JobName,
    /// What job B promises, where it is not what A does.
    pub other_writer: Option<Guarantee>,
    /// The ids of a subtask of the old sink.
    pub pool_size: u32,
    /// The version of the connector; `3.x->4.x` is an upgrade at the first restore.
    pub connector: Option<String>,
}

impl Default for ScenarioParams {
    fn default() -> Self {
        Self {
            sink: SinkKind::KafkaSink,
            delivery_guarantee: Guarantee::ExactlyOnce,
            naming: NamingStrategy::Incrementing,
            txn_protocol: TxnProtocol::Tv1,
            checkpoint_interval_ms: 60_000,
            checkpoint_duration_ms: 5_000,
            notify_delay_ms: 200,
            first_record_offset_ms: 100,
            last_record_offset_ms: None,
            idle_tail: false,
            txn_timeout_ms: 900_000,
            broker_max_txn_timeout_ms: 900_000,
            broker_max_txn_timeout_after_ms: None,
            broker_abort_scan_ms: 10_000,
            txn_id_expiration_ms: 604_800_000,
            downtime_ms: 0,
            auto_restart_delay_ms: 10_000,
            max_auto_restarts: 4,
            isolation: Isolation::ReadCommitted,
            prefix: "app".to_owned(),
            prefix_unique: true,
            new_prefix: None,
            parallelism: 1,
            parallelism_after: None,
            partition_layout: PartitionLayout::OnePerSubtask,
            records_per_interval: 100,
            intervals: 6,
            observe_extra_ms: 0,
            patience_ms: None,
            judge: JobName::A,
            other_writer: None,
            pool_size: 5,
            connector: None,
        }
    }
}

/// A scenario.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PlayParams {
    /// The settings.
    #[serde(default)]
    pub settings: ScenarioParams,
    /// What happens, in order.
    #[serde(default)]
    pub faults: Vec<Fault>,
}

/// The most subtasks.
pub const MAX_PARALLELISM: u32 = 128;
/// The most faults.
pub const MAX_FAULTS: usize = 64;
/// The longest time that is played: 400 days [ms].
pub const MAX_TIME_MS: u64 = 34_560_000_000;

impl PlayParams {
    /// Refuses what cannot be played.
    pub fn check(&self) -> Result<(), TransactionError> {
        let it = &self.settings;
        within("checkpointIntervalMs", it.checkpoint_interval_ms, 1_002, MAX_TIME_MS)?;
        within("checkpointDurationMs", it.checkpoint_duration_ms, 0, MAX_TIME_MS)?;
        within("notifyDelayMs", it.notify_delay_ms, 0, MAX_TIME_MS)?;
        let last = it.checkpoint_interval_ms - 1;
        within("firstRecordOffsetMs", it.first_record_offset_ms, 0, last)?;
        if let Some(offset) = it.last_record_offset_ms {
            within("lastRecordOffsetMs", offset, it.first_record_offset_ms, last)?;
        }
        within("txnTimeoutMs", it.txn_timeout_ms, 0, MAX_TIME_MS)?;
        within("brokerMaxTxnTimeoutMs", it.broker_max_txn_timeout_ms, 1, MAX_TIME_MS)?;
        within("brokerAbortScanMs", it.broker_abort_scan_ms, 1, MAX_TIME_MS)?;
        within("txnIdExpirationMs", it.txn_id_expiration_ms, 1, MAX_TIME_MS)?;
        within("downtimeMs", it.downtime_ms, 0, MAX_TIME_MS)?;
        within("autoRestartDelayMs", it.auto_restart_delay_ms, 0, MAX_TIME_MS)?;
        within("maxAutoRestarts", it.max_auto_restarts.into(), 0, 100)?;
        within("patienceMs", it.patience_ms.unwrap_or(0), 0, MAX_TIME_MS)?;
        within("observeExtraMs", it.observe_extra_ms, 0, MAX_TIME_MS)?;
        within("poolSize", it.pool_size.into(), 1, 100)?;
        within("intervals", it.intervals.into(), 1, 1_000_000)?;
        within("recordsPerInterval", it.records_per_interval.into(), 1, 10_000)?;
        for parallelism in [Some(it.parallelism), it.parallelism_after].into_iter().flatten() {
            within("parallelism", parallelism.into(), 1, MAX_PARALLELISM.into())?;
        }
        within("faults", self.faults.len() as u64, 0, MAX_FAULTS as u64)?;
        for (at, fault) in self.faults.iter().enumerate() {
            check_fault(at, fault)?;
        }
        Ok(())
    }
}

fn check_fault(at: usize, fault: &Fault) -> Result<(), TransactionError> {
    let within = |field: &'static str, value: u64, low: u64, high: u64| {
        within(field, value, low, high).map_err(|error| error.of_fault(at))
    };
    let name = |field: &'static str, name: &str, known: &'static str, is_known: bool| {
        if is_known {
            return Ok(());
        }
        let error = TransactionError::Unknown { field, value: name.to_owned(), known };
        Err(error.of_fault(at))
    };
    match fault {
        Fault::Restore { after_ms, from, parallelism, .. } => {
            within("afterMs", after_ms.unwrap_or(0), 0, MAX_TIME_MS)?;
            within("parallelism", parallelism.unwrap_or(1).into(), 1, MAX_PARALLELISM.into())?;
            if let Some(From::Name(text)) = from {
                let is_known = matches!(text.as_str(), "latest" | "none");
                name("from", text, "a number, `latest` or `none`", is_known)?;
            }
        }
        Fault::Run { for_ms } | Fault::BrokerUnreachable { for_ms, .. } => {
            within("forMs", *for_ms, 1, MAX_TIME_MS)?;
        }
        Fault::EndOfInput { after_interval, .. } => {
            within("afterInterval", (*after_interval).into(), 1, 1_000_000)?;
        }
        Fault::SecondJobStarts { state: Some(state), .. } => {
            name("state", state, "`none`", state == "none")?;
        }
        Fault::AclDenied { op } => {
            let known = "describeProducers, listTransactions, initTransactions, joined by `/`";
            for call in op.split('/') {
                name("op", call, known, is_listing_call(call) || is_init_call(call))?;
            }
        }
        Fault::Set { option: Some(option), .. } => {
            let is_known = SETTINGS.contains(&option.as_str());
            let known =
                "ignoreFailuresAfterTransactionTimeout, sink.committer.retries or max.block.ms";
            name("option", option, known, is_known)?;
        }
        Fault::Set { producer_epoch: Some(epoch), .. } => {
            let epoch = u64::try_from(*epoch).unwrap_or(u64::MAX);
            within("producerEpoch", epoch, 0, 32_766)?;
        }
        _ => {}
    }
    Ok(())
}

const SETTINGS: [&str; 3] =
    ["ignoreFailuresAfterTransactionTimeout", "sink.committer.retries", "max.block.ms"];

/// Whether the call is one that LISTING makes.
pub fn is_listing_call(call: &str) -> bool {
    matches!(
        call,
        "describeTopics" | "describeProducers" | "listTransactions" | "describeTransactions"
    )
}

/// Whether the call is one that every transactional writer makes.
pub fn is_init_call(call: &str) -> bool {
    matches!(call, "initTransactions" | "initProducerId" | "InitProducerId")
}

fn within(field: &'static str, value: u64, low: u64, high: u64) -> Result<(), TransactionError> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    Err(TransactionError::OutOfRange { field: format!("settings.{field}"), value, low, high })
}
