//! The settings and facts that rules are about.
//!
//! Source: flink-connector-kafka 4.0, `TransactionNamingStrategy`; Flink, `DeliveryGuarantee`,
//! `RestartStrategyOptions`; Kafka 4.0, `IsolationLevel`, `TransactionVersion`.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::LintParams;
use crate::transaction::refusal::{MS_MAX, SettingError, check};

/// The default of a producer that nobody configured [ms]: `transaction.timeout.ms` of Kafka.
const RAW_TIMEOUT_MS: i64 = 60_000;
/// The most bytes of a prefix that are read; a transactional id is shorter than 64 KiB.
const PREFIX_BYTES_MAX: usize = 64_000;
/// The most list entries.
const ENTRIES_MAX: usize = 100;

/// What writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SinkKind {
    /// `KafkaSink`.
    KafkaSink,
    /// `FlinkKafkaProducer`, the two-phase-commit function of before.
    FlinkKafkaProducer,
    /// A transactional producer without Flink's preset.
    RawProducer,
}

/// `DeliveryGuarantee`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "each is the guarantee of its name")]
pub enum Guarantee {
    ExactlyOnce,
    AtLeastOnce,
    None,
}

/// `isolation.level` of a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "each is the level of its name")]
pub enum Isolation {
    ReadCommitted,
    ReadUncommitted,
}

/// `TransactionNamingStrategy`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "each is the strategy of its name")]
pub enum Naming {
    Incrementing,
    Pooling,
}

/// What wrote the state that is restored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PreviousNaming {
    /// A 4.x sink with incrementing ids.
    Incrementing,
    /// A 4.x sink with pooled ids.
    Pooling,
    /// A 3.x sink, whose state names no owner.
    Connector3,
}

/// The restart strategy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "each is the strategy of its name")]
pub enum Restart {
    None,
    FixedDelay,
    FailureRate,
    ExponentialDelay,
}

/// How a job is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Stop {
    /// `flink stop`: the last savepoint commits.
    StopWithSavepoint,
    /// A savepoint, then a cancel: its transactions stay open.
    CancelWithSavepoint,
}

/// `transaction.version` of a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TransactionVersion {
    /// 0 and 1: an epoch is bumped by `InitProducerId` and by a timeout.
    Tv1,
    /// 2 (KIP-890): also by each end of a transaction.
    Tv2,
}

/// A broker's version, written `3.7` or `3.7.1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct BrokerVersion {
    /// The first number.
    pub major: u32,
    /// The second number.
    pub minor: u32,
}

impl std::fmt::Display for BrokerVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl Serialize for BrokerVersion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for BrokerVersion {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let mut numbers = text.trim().split('.').map(str::parse::<u32>);
        match (numbers.next(), numbers.next()) {
            (Some(Ok(major)), Some(Ok(minor))) => Ok(Self { major, minor }),
            _ => Err(serde::de::Error::custom(
                "a broker's version is written like 3.7; give its first two numbers",
            )),
        }
    }
}

impl LintParams {
    /// The timeout that applies [ms]: Flink's sinks preset an hour, a producer by itself a minute.
    pub(super) fn timeout(&self) -> i64 {
        match (self.sink, self.times.timeout_ms) {
            (SinkKind::RawProducer, None) => RAW_TIMEOUT_MS,
            _ => self.times.timeout(),
        }
    }

    /// Whether it writes in transactions.
    pub(super) fn is_transactional(&self) -> bool {
        self.sink == SinkKind::RawProducer || self.guarantee == Some(Guarantee::ExactlyOnce)
    }

    /// Whether it writes in transactions that checkpoints end.
    pub(super) fn commits_by_checkpoints(&self) -> bool {
        self.sink != SinkKind::RawProducer
            && self.guarantee == Some(Guarantee::ExactlyOnce)
            && self.checkpointing
    }

    /// Whether it is a `KafkaSink` that writes in transactions.
    pub(super) fn is_exactly_once_kafka_sink(&self) -> bool {
        self.sink == SinkKind::KafkaSink && self.guarantee == Some(Guarantee::ExactlyOnce)
    }

    /// Refuses what cannot be.
    pub(super) fn check(&self) -> Result<(), SettingError> {
        self.times.check("times.")?;
        let count = |field, option, value: u32| check(field, option, value.into(), 1, 32_768);
        count("parallelism", Some("parallelism.default"), self.parallelism)?;
        count("plannedParallelism", None, self.planned_parallelism.unwrap_or(1))?;
        count("idsInRotation", None, self.ids_in_rotation)?;
        count("poolSize", None, self.pool_size)?;
        let concurrent = Some("execution.checkpointing.max-concurrent-checkpoints");
        count("maxConcurrentCheckpoints", concurrent, self.max_concurrent_checkpoints)?;
        let retries = Some("sink.committer.retries");
        check("committerRetries", retries, self.committer_retries.into(), 0, 1_000_000)?;
        let expiration = Some("transactional.id.expiration.ms");
        check("idExpirationMs", expiration, self.id_expiration_ms, 1, MS_MAX)?;
        check("maxBlockMs", Some("max.block.ms"), self.max_block_ms, 0, MS_MAX)?;
        check("savepointAgeMs", None, self.savepoint_age_ms.unwrap_or(0), 0, MS_MAX)?;
        for ms in &self.other_timeouts_ms {
            check("otherTimeoutsMs", Some("transaction.timeout.ms"), *ms, 1, MS_MAX)?;
        }
        let lists = [
            ("otherPrefixes", self.other_prefixes.len()),
            ("otherTimeoutsMs", self.other_timeouts_ms.len()),
            ("readers", self.readers.len()),
        ];
        for (field, entries) in lists {
            check(field, None, entries as i64, 0, ENTRIES_MAX as i64)?;
        }
        let mut prefixes = self.prefix.iter().chain(&self.other_prefixes);
        if prefixes.any(|prefix| prefix.len() > PREFIX_BYTES_MAX) {
            return Err(SettingError::TooLong { field: "prefix".into(), most: PREFIX_BYTES_MAX });
        }
        if self.naming == Naming::Pooling && !self.connector.has_pooling() {
            return Err(SettingError::NotInConnector {
                field: "naming",
                what: "TransactionNamingStrategy.POOLING",
                connector: self.connector.line(),
                instead: "choose incrementing, or connector 4.0 or later",
            });
        }
        if self.sink == SinkKind::FlinkKafkaProducer && !self.connector.has_legacy_sink() {
            return Err(SettingError::NotInConnector {
                field: "sink",
                what: "FlinkKafkaProducer",
                connector: self.connector.line(),
                instead: "choose KafkaSink, or connector 3.4 or earlier",
            });
        }
        Ok(())
    }
}
