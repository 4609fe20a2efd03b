//! Rules about times: L01 to L09, L28 and L31.
//!
//! Source: Kafka 4.0, `TransactionCoordinator#handleInitProducerId`,
//! `TransactionStateManager#timedOutTransactions`; flink-connector-kafka 4.0, `KafkaSinkBuilder`,
//! `KafkaCommitter`; Flink, `CommitRequestImpl`, `SinkOptions`.

use super::{Check, Isolation, LintParams, Rule, SinkKind, none};
use crate::finding::{Change, Severity};
use crate::transaction::lengths::span;
use crate::transaction::timeouts::{FLINK_TIMEOUT_MS, Knob, ages};
use crate::units::FlinkVersion;

const TIMEOUT: &str = "transaction.timeout.ms";
const INTERVAL: &str = "execution.checkpointing.interval";
/// From where on an interval is worth a note [ms]. Weir's own choice of when to speak: Flink and
/// Kafka name no such limit.
const LONG_INTERVAL_MS: i64 = 180_000;

pub(super) const RULES: [Rule; 11] = [
    Rule {
        id: "L01",
        severity: Severity::Error,
        knob: TIMEOUT,
        condition: "T > Tmax",
        price: "The job does not start: InvalidTxnTimeoutException. A shorter timeout survives less downtime.",
        source: "Kafka 4.0, TransactionCoordinator#handleInitProducerId",
        check: |p| {
            let Some(max) = p.times.broker_max_ms else {
                return Check::Unknown("transaction.max.timeout.ms of the broker");
            };
            transactional(p, || {
                let timeout = p.timeout();
                let numbers = format!("T = {}, Tmax = {}", span(timeout), span(max));
                let title = || {
                    format!(
                        "The broker refuses a timeout of {}; its maximum is {}.",
                        span(timeout),
                        span(max)
                    )
                };
                Check::of(timeout > max, numbers, title, || set(TIMEOUT, max))
            })
        },
    },
    Rule {
        id: "L02",
        severity: Severity::Error,
        knob: TIMEOUT,
        condition: "T is Flink's preset of 1 h and the broker's maximum is not known to be 1 h or more",
        price: "Default against default does not start: the broker's maximum is 15 min unless it was raised.",
        source: "flink-connector-kafka 4.0, KafkaSinkBuilder; Kafka 4.0, TransactionStateManagerConfig",
        check: |p| {
            if p.sink == SinkKind::RawProducer {
                return Check::DoesNotApply("a producer without Flink has another preset");
            }
            transactional(p, || {
                let is_preset = p.times.timeout_ms.is_none();
                let numbers = match (is_preset, p.times.broker_max_ms) {
                    (true, Some(max)) => format!("T is not set, Tmax is known: {}", span(max)),
                    (true, None) => "T is not set, Tmax is not known".to_owned(),
                    (false, _) => format!("T is set to {}", span(p.timeout())),
                };
                let fires = is_preset && p.times.broker_max_ms.is_none();
                let title = || {
                    "Flink presets a timeout of 1 h, and a broker of defaults takes at most 15 min."
                        .to_owned()
                };
                Check::of(fires, numbers, title, || set(TIMEOUT, p.times.broker_max()))
            })
        },
    },
    Rule {
        id: "L03",
        severity: Severity::Error,
        knob: TIMEOUT,
        condition: "T ≤ 0, or T is not set on a producer without Flink's preset",
        price: "Zero and less are refused; a minute is shorter than most checkpoint intervals.",
        source: "Kafka 4.0, TransactionCoordinator#validateTransactionTimeoutMs, ProducerConfig",
        check: |p| {
            transactional(p, || {
                let timeout = p.timeout();
                let is_kafkas = p.sink == SinkKind::RawProducer && p.times.timeout_ms.is_none();
                let title = || {
                    if is_kafkas {
                        "The producer keeps Kafka's own timeout of 1 min.".to_owned()
                    } else {
                        format!("A timeout of {} is refused.", span(timeout))
                    }
                };
                let numbers = if is_kafkas {
                    "T is not set; Kafka's default is 1 min".to_owned()
                } else {
                    format!("T = {}", span(timeout))
                };
                let apply = || set(TIMEOUT, FLINK_TIMEOUT_MS.min(p.times.broker_max()));
                Check::of(timeout <= 0 || is_kafkas, numbers, title, apply)
            })
        },
    },
    Rule {
        id: "L04",
        severity: Severity::Error,
        knob: TIMEOUT,
        condition: "T ≤ I + d + n",
        price: "A busy writer restarts for ever, an idle one loses every commit without a failure.",
        source: "Kafka 4.0, TransactionStateManager#timedOutTransactions; CommitterOperator#notifyCheckpointComplete",
        check: |p| older_than_timeout(p, 0, p.times.notify_ms, "a commit of a running job"),
    },
    Rule {
        id: "L05",
        severity: Severity::Error,
        knob: TIMEOUT,
        condition: "T ≤ I + d + D",
        price: "A restart that takes its usual time loses the records of the last checkpoint.",
        source: "Kafka 4.0, TransactionStateManager#timedOutTransactions; CommitterOperator#initializeState",
        check: |p| older_than_timeout(p, 0, p.times.downtime(), "the commit after a restart"),
    },
    Rule {
        id: "L06",
        severity: Severity::Warning,
        knob: TIMEOUT,
        condition: "T ≤ (f + 1) × I + d + D",
        price: "Data is lost when as many checkpoints in a row fail as the job tolerates, and it then restarts.",
        source: "flink-connector-kafka 4.0, ExactlyOnceKafkaWriter (notifyCheckpointAborted is not used)",
        check: |p| {
            if p.times.uncommitted() == 0 {
                return Check::DoesNotApply("no failed checkpoint is given, and none is placed");
            }
            let failures = p.times.uncommitted().into();
            older_than_timeout(
                p,
                failures,
                p.times.downtime(),
                "the commit after failed checkpoints and a restart",
            )
        },
    },
    Rule {
        id: "L07",
        severity: Severity::Warning,
        knob: "heartbeat.timeout",
        condition: "a part of the downtime is not given",
        price: "What is not given counts as nothing, so the downtime survived looks longer than it is.",
        source: "Flink, HeartbeatManagerOptions (heartbeat.timeout is 50 s by default), RestartStrategyOptions",
        check: |p| {
            by_checkpoints(p, || {
                let parts = p.times.downtime_parts();
                let missing: Vec<&str> = parts
                    .iter()
                    .filter(|(_, ms)| ms.is_none())
                    .map(|(knob, _)| knob.name())
                    .collect();
                let numbers = if missing.is_empty() {
                    format!("all five parts are given, {} in all", span(p.times.parts()))
                } else {
                    format!("not given: {}", missing.join(", "))
                };
                let title = || {
                    format!(
                        "The downtime of {} lacks {}.",
                        span(p.times.parts()),
                        missing.join(", ")
                    )
                };
                Check::of(!missing.is_empty(), numbers, title, none)
            })
        },
    },
    Rule {
        id: "L08",
        severity: Severity::Warning,
        knob: TIMEOUT,
        condition: "T < checkpoint timeout + I",
        price: "A checkpoint that is slow but within its timeout loses data.",
        source: "Flink, execution.checkpointing.timeout; Kafka 4.0, TransactionStateManager#timedOutTransactions",
        check: |p| {
            by_checkpoints(p, || {
                let least = p.times.checkpoint_timeout_ms + p.times.interval_ms;
                let timeout = p.timeout();
                let numbers = format!(
                    "T = {}, {} + {} = {}",
                    span(timeout),
                    span(p.times.checkpoint_timeout_ms),
                    span(p.times.interval_ms),
                    span(least)
                );
                let title = || {
                    format!(
                        "A checkpoint may take {}, and its transaction is aborted after {}.",
                        span(least),
                        span(timeout)
                    )
                };
                Check::of(timeout < least, numbers, title, || raised(p, least))
            })
        },
    },
    Rule {
        id: "L09",
        severity: Severity::Warning,
        knob: TIMEOUT,
        condition: "T + A > patience of the readers",
        price: "A shorter timeout frees readers sooner, and survives less downtime.",
        source: "Kafka 4.0, TransactionStateManager#timedOutTransactions, last stable offset",
        check: |p| {
            let Some(patience) = p.times.patience_ms else {
                return Check::Unknown("how long readers may stand still");
            };
            transactional(p, || {
                let (timeout, scan) = (p.timeout(), p.times.abort_scan_ms);
                let stall = timeout + scan;
                let numbers = format!(
                    "{} + {} = {}, patience {}",
                    span(timeout),
                    span(scan),
                    span(stall),
                    span(patience)
                );
                let title = || {
                    format!(
                        "An abandoned transaction holds readers back for up to {}.",
                        span(stall)
                    )
                };
                // Not below what the job itself needs.
                let most = patience - scan;
                let least = ages(&p.times).recovery_ms.max(ages(&p.times).running_ms) + 1;
                let apply = || if most >= least { set(TIMEOUT, most) } else { none() };
                Check::of(stall > patience, numbers, title, apply)
            })
        },
    },
    Rule {
        id: "L28",
        severity: Severity::Note,
        knob: INTERVAL,
        condition: "I is above 3 min (Weir's own limit) and a reader is read_committed",
        price: "A shorter interval shows records sooner and costs more checkpoints.",
        source: "CommitterOperator#notifyCheckpointComplete",
        check: |p| {
            by_checkpoints(p, || {
                if !p.readers.contains(&Some(Isolation::ReadCommitted)) {
                    return Check::DoesNotApply("no reader is read_committed");
                }
                let interval = p.times.interval_ms;
                let latency = interval + p.times.duration_ms;
                let title = || {
                    format!("Readers see a record up to {} after it was written.", span(latency))
                };
                let numbers = format!("I = {}", span(interval));
                Check::of(interval > LONG_INTERVAL_MS, numbers, title, none)
            })
        },
    },
    Rule {
        id: "L31",
        severity: Severity::Warning,
        knob: "sink.committer.retries",
        condition: "(retries + 1) × max.block.ms > T − (I + d)",
        price: "Fewer retries fail over sooner, while the transaction can still be committed.",
        source: "Flink, SinkOptions, CommitRequestImpl; Kafka 4.0, ProducerConfig (max.block.ms)",
        check: |p| {
            if p.sink != SinkKind::KafkaSink {
                return Check::DoesNotApply("only KafkaSink retries a commit");
            }
            if p.flink == FlinkVersion::V1_18 {
                // FLINK-36455, backported to 1.19 and 1.20, made retries immediate and gave them a bound.
                return Check::DoesNotApply(
                    "Flink 1.18 has no sink.committer.retries and retries by a timer",
                );
            }
            by_checkpoints(p, || {
                let retries = i64::from(p.committer_retries) + 1;
                let spent = retries * p.max_block_ms;
                let left = p.timeout() - p.times.interval_ms - p.times.duration_ms;
                let numbers = format!(
                    "{retries} × {} = {}, T − (I + d) = {}",
                    span(p.max_block_ms),
                    span(spent),
                    span(left)
                );
                let title = || {
                    let spent = span(spent);
                    if left > 0 {
                        format!(
                            "Retries of a commit go on for {spent}, and its transaction lives {} more.",
                            span(left)
                        )
                    } else {
                        format!(
                            "Retries of a commit go on for {spent}, and its transaction is past its timeout when they begin."
                        )
                    }
                };
                Check::of(spent > left, numbers, title, none)
            })
        },
    },
];

/// A rule for what writes in transactions.
fn transactional(p: &LintParams, check: impl FnOnce() -> Check) -> Check {
    if p.is_transactional() {
        check()
    } else {
        Check::DoesNotApply("the sink writes without transactions")
    }
}

/// A rule for transactions that checkpoints end.
pub(super) fn by_checkpoints(p: &LintParams, check: impl FnOnce() -> Check) -> Check {
    if p.commits_by_checkpoints() {
        check()
    } else {
        Check::DoesNotApply("no checkpoint commits what the sink writes")
    }
}

/// T against (f + 1) I + d + what comes after.
fn older_than_timeout(p: &LintParams, failures: i64, after_ms: i64, whose: &str) -> Check {
    by_checkpoints(p, || {
        let intervals = (failures + 1) * p.times.interval_ms;
        let age = intervals + p.times.duration_ms + after_ms;
        let timeout = p.timeout();
        let numbers = format!(
            "T = {}, {} + {} + {} = {}",
            span(timeout),
            span(intervals),
            span(p.times.duration_ms),
            span(after_ms),
            span(age)
        );
        let title = || {
            format!(
                "At {whose} a transaction is {} old, and it is aborted after {}.",
                span(age),
                span(timeout)
            )
        };
        Check::of(timeout <= age, numbers, title, || raised(p, age + 1))
    })
}

fn set(option: &str, ms: i64) -> Vec<Change> {
    vec![Change::set(option, ms.to_string())]
}

/// A timeout of at least this, where the broker takes it; else with the broker's maximum.
fn raised(p: &LintParams, ms: i64) -> Vec<Change> {
    let mut changes = set(TIMEOUT, ms);
    if ms > p.times.broker_max() {
        let option = Knob::BrokerMax.option().unwrap_or_default();
        changes.push(Change::set(option, ms.to_string()));
    }
    changes
}
