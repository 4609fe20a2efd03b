//! Rules about the broker's protocol, its expiry and the legacy pool: L22 to L24, L27, L29, L30
//! and L33.
//!
//! Source: Kafka 4.0, `TransactionCoordinator`, `TransactionMetadata`, `TransactionStateManager`;
//! flink-connector-kafka 4.0, `FlinkKafkaInternalProducer#resumeTransaction`; 3.4,
//! `FlinkKafkaProducer`.

use super::delivery::exactly_once;
use super::{BrokerVersion, Check, LintParams, Naming, Rule, SinkKind, TransactionVersion, none};
use crate::finding::{Change, Severity};
use crate::transaction::lengths::span;
use crate::units::grouped;

/// The largest epoch that is handed out: `Short.MAX_VALUE - 1`.
const EPOCHS: i64 = 32_766;
/// `SAFE_SCALE_DOWN_FACTOR` of the legacy sink.
const SCALE_DOWN_FACTOR: u32 = 5;
/// The first broker without KAFKA-9310.
const WITHOUT_9310: BrokerVersion = BrokerVersion { major: 2, minor: 5 };

pub(super) const RULES: [Rule; 7] = [
    Rule {
        id: "L22",
        severity: Severity::Note,
        knob: "transaction.version",
        condition: "transaction.version is 2 and the sink resumes transactions by reflection",
        price: "Every restore logs that data was lost where it was not. What was committed stays committed.",
        source: "FlinkKafkaInternalProducer#resumeTransaction (4.0); Kafka 4.0, TransactionCoordinator#endTransactionWithTV1; FLINK-40689",
        check: |p| {
            exactly_once(p, || {
                let is_two = p.transaction_version == TransactionVersion::Tv2;
                let numbers = format!(
                    "transaction.version {}, connector {}",
                    if is_two { 2 } else { 1 },
                    p.connector.line()
                );
                let title =
                    || "Each restore logs a fenced commit for data that was committed.".to_owned();
                Check::of(is_two, numbers, title, none)
            })
        },
    },
    Rule {
        id: "L23",
        severity: Severity::Warning,
        knob: "sink.transaction-naming-strategy",
        condition: "transaction.version is 2 and ids are pooled: an id lasts 16 383 transactions",
        price: "A restore right after the rollover restarts for ever with INVALID_PRODUCER_ID_MAPPING.",
        source: "Kafka 4.0, TransactionMetadata (Short.MAX_VALUE); FLINK-40689",
        check: |p| {
            exactly_once(p, || {
                let Some(rollover) = rollover_ms(p) else {
                    return Check::DoesNotApply("ids are not pooled");
                };
                let bumps = bumps(p);
                let numbers = format!(
                    "{} × {} × {} = {:.1} d",
                    grouped(EPOCHS / bumps),
                    p.ids_in_rotation,
                    span(p.times.interval_ms),
                    days(rollover)
                );
                let fires = p.transaction_version == TransactionVersion::Tv2;
                let title =
                    || format!("The epochs of an id are used up every {:.1} days.", days(rollover));
                Check::of(fires, numbers, title, none)
            })
        },
    },
    Rule {
        id: "L24",
        severity: Severity::Error,
        knob: "transactional.id.expiration.ms",
        condition: "the state to restore is older than X",
        price: "The job restarts for ever with INVALID_PRODUCER_ID_MAPPING, even where all was committed. A longer expiry keeps more ids.",
        source: "Kafka 4.0, TransactionStateManager#removeExpiredTransactionalIds; KafkaCommitter (signalFailedWithUnknownReason)",
        check: |p| {
            exactly_once(p, || match p.savepoint_age_ms {
                None => Check::DoesNotApply("no restore of older state is planned"),
                Some(age) => {
                    let numbers = format!("age {}, X = {}", span(age), span(p.id_expiration_ms));
                    let title = || {
                        format!(
                            "State of {} ago names transactional ids that the broker forgot after {}.",
                            span(age),
                            span(p.id_expiration_ms)
                        )
                    };
                    Check::of(age > p.id_expiration_ms, numbers, title, || {
                        vec![Change::set("transactional.id.expiration.ms", age.to_string())]
                    })
                }
            })
        },
    },
    Rule {
        id: "L27",
        severity: Severity::Warning,
        knob: "transaction.timeout.ms",
        condition: "another transactional writer on a partition has another T",
        price: "The one with the longest timeout sets how long all readers of the partition can stand still.",
        source: "Kafka 4.0, ProducerStateManager (last stable offset of a partition)",
        check: |p| {
            if !p.is_transactional() {
                return Check::DoesNotApply("the sink writes without transactions");
            }
            let timeout = p.timeout();
            let other = p.other_timeouts_ms.iter().copied().find(|ms| *ms != timeout);
            let longest = p.other_timeouts_ms.iter().copied().max().unwrap_or(timeout).max(timeout);
            let numbers = other.map_or_else(
                || format!("all have T = {}", span(timeout)),
                |ms| format!("T = {} here, {} there", span(timeout), span(ms)),
            );
            let title = || {
                format!(
                    "An abandoned transaction on a shared partition holds readers back for up to {}.",
                    span(longest + p.times.abort_scan_ms)
                )
            };
            Check::of(other.is_some(), numbers, title, none)
        },
    },
    Rule {
        id: "L29",
        severity: Severity::Warning,
        knob: "kafkaProducersPoolSize",
        condition: "pool < concurrent checkpoints + 2",
        price: "One more checkpoint that is not notified fails the job: PRODUCERS_POOL_EMPTY.",
        source: "FlinkKafkaProducer (3.4), DEFAULT_KAFKA_PRODUCERS_POOL_SIZE",
        check: |p| {
            legacy(p, || {
                let least = p.max_concurrent_checkpoints + 2;
                let numbers =
                    format!("pool {}, {} + 2 = {least}", p.pool_size, p.max_concurrent_checkpoints);
                let needed = pool_needed(p);
                let title = || {
                    if needed > p.pool_size {
                        format!(
                            "{needed} producers are in use at once, and the pool has {}.",
                            p.pool_size
                        )
                    } else {
                        format!("A pool of {} has none left for a lost notification.", p.pool_size)
                    }
                };
                Check::of(p.pool_size < least, numbers, title, none)
            })
        },
    },
    Rule {
        id: "L30",
        severity: Severity::Warning,
        knob: "parallelism.default",
        condition: "no checkpoint was completed yet, and the scale-down is by more than 5",
        price: "Transactions of the subtasks beyond are not aborted: readers stand still until they time out.",
        source: "FlinkKafkaProducer (3.4), SAFE_SCALE_DOWN_FACTOR",
        check: |p| {
            legacy(p, || {
                let planned = p.planned_parallelism.unwrap_or(p.parallelism);
                if p.first_checkpoint_done {
                    return Check::DoesNotApply("a checkpoint knows all ids");
                }
                let numbers = format!("{} to {planned}", p.parallelism);
                let fires = p.parallelism > planned.saturating_mul(SCALE_DOWN_FACTOR);
                let title = || {
                    format!(
                        "Scaling from {numbers} before the first checkpoint leaves transactions open."
                    )
                };
                Check::of(fires, numbers.clone(), title, none)
            })
        },
    },
    Rule {
        id: "L33",
        severity: Severity::Warning,
        knob: "the broker's version",
        condition: "the broker is older than 2.5",
        price: "A commit can fail with UNKNOWN_PRODUCER_ID (KAFKA-9310); the sink drops it, and its records are lost.",
        source: "flink-connector-kafka 4.0, KafkaCommitter#UNKNOWN_PRODUCER_ID_ERROR_MESSAGE",
        check: |p| {
            exactly_once(p, || match p.broker {
                None => Check::Unknown("the broker's version"),
                Some(broker) => {
                    let title = || format!("Broker {broker} can lose a commit.");
                    Check::of(broker < WITHOUT_9310, format!("broker {broker}"), title, none)
                }
            })
        },
    },
];

/// Epochs that one transaction of a pooled id takes.
const fn bumps(p: &LintParams) -> i64 {
    match p.transaction_version {
        TransactionVersion::Tv1 => 1,
        TransactionVersion::Tv2 => 2,
    }
}

/// Until the epochs of a pooled id are used up [ms].
pub(super) fn rollover_ms(p: &LintParams) -> Option<i64> {
    let reuses = EPOCHS / bumps(p);
    let pooled = p.naming == Naming::Pooling && p.sink == SinkKind::KafkaSink;
    pooled.then(|| {
        reuses.saturating_mul(p.ids_in_rotation.into()).saturating_mul(p.times.interval_ms)
    })
}

fn days(ms: i64) -> f64 {
    ms as f64 / 86_400_000.0
}

/// One producer for each pending checkpoint, and the one that is written with.
pub(super) const fn pool_needed(p: &LintParams) -> u32 {
    p.max_concurrent_checkpoints + 1
}

fn legacy(p: &LintParams, check: impl FnOnce() -> Check) -> Check {
    if p.sink == SinkKind::FlinkKafkaProducer {
        exactly_once(p, check)
    } else {
        Check::DoesNotApply("only FlinkKafkaProducer has a pool")
    }
}
