//! Rules about transactional ids: L13 to L21 and L32.
//!
//! Source: flink-connector-kafka 4.0, `TransactionNamingStrategy`, `TransactionAbortStrategyImpl`
//! (PROBING, LISTING), `BackchannelFactory`, `KafkaWriterState`, `TransactionOwnership`; Kafka 4.0,
//! `TransactionStateManager`.

use super::delivery::exactly_once;
use super::{
    BrokerVersion, Check, LintParams, Naming, PreviousNaming, Probing, Restart, Rule, SinkKind,
    none,
};
use crate::finding::{Change, Severity};
use crate::transaction::lengths::span;
use crate::units::grouped;

const PREFIX: &str = "sink.transactional-id-prefix";
const NAMING: &str = "sink.transaction-naming-strategy";
/// The prefix of a sink that sets none, before FLINK-37380.
const OLD_DEFAULT_PREFIX: &str = "kafka-sink";
/// From how many ids on the broker suffers (FLINK-34554).
const IDS_MAX: i128 = 1_000_000;
/// The first broker that lists transactions (KIP-664).
const LISTING_SINCE: BrokerVersion = BrokerVersion { major: 3, minor: 0 };

pub(super) const RULES: [Rule; 10] = [
    Rule {
        id: "L13",
        severity: Severity::Error,
        knob: PREFIX,
        condition: "no prefix is set",
        price: "Before 4.0 all sinks share the prefix kafka-sink and abort each other's transactions; from 4.0 on the job does not start.",
        source: "flink-connector-kafka, KafkaSinkBuilder#sanityCheck (FLINK-37380)",
        check: |p| {
            kafka_sink(p, || {
                let prefix = p.prefix.as_deref().unwrap_or("");
                let is_shared = prefix == OLD_DEFAULT_PREFIX && !p.connector.requires_prefix();
                let numbers = format!("prefix “{prefix}”, connector {}", p.connector.line());
                let title = || {
                    if p.connector.requires_prefix() {
                        "An exactly-once KafkaSink needs a prefix for its transactional ids."
                            .to_owned()
                    } else {
                        "The prefix is the one that every sink without a prefix has.".to_owned()
                    }
                };
                Check::of(prefix.is_empty() || is_shared, numbers, title, none)
            })
        },
    },
    Rule {
        id: "L14",
        severity: Severity::Error,
        knob: PREFIX,
        condition: "another sink of the cluster has the same prefix",
        price: "Each start of one aborts the other's transactions: its commits are dropped or its sends fail. In one TaskManager the job does not start.",
        source: "flink-connector-kafka 4.0, TransactionAbortStrategyImpl, BackchannelFactory",
        check: |p| {
            with_prefix(p, |prefix| {
                let twins = p.other_prefixes.iter().filter(|other| *other == prefix).count();
                let numbers =
                    format!("{twins} of {} other prefixes are “{prefix}”", p.other_prefixes.len());
                let title = || format!("Another sink has the prefix “{prefix}” too.");
                Check::of(twins > 0, numbers, title, none)
            })
        },
    },
    Rule {
        id: "L15",
        severity: Severity::Error,
        knob: PREFIX,
        condition: "POOLING, and one prefix begins with another on a shared topic",
        price: "LISTING takes the other sink's transactions for its own and aborts them.",
        source: "flink-connector-kafka 4.0, TransactionAbortStrategyImpl.LISTING (startsWith without a delimiter)",
        check: |p| {
            if p.naming != Naming::Pooling {
                return Check::DoesNotApply("PROBING asks for whole ids");
            }
            if !p.shared_topic {
                return Check::DoesNotApply("no topic is shared with another sink");
            }
            with_prefix(p, |prefix| {
                let begins = |other: &&String| {
                    *other != prefix
                        && (other.starts_with(prefix) || prefix.starts_with(other.as_str()))
                };
                let clash = p.other_prefixes.iter().find(begins);
                let numbers = clash.map_or_else(
                    || format!("no other prefix begins with “{prefix}”, or the other way round"),
                    |other| format!("“{prefix}” and “{other}”"),
                );
                let title = || format!("{numbers} are one prefix to LISTING.");
                Check::of(clash.is_some(), numbers.clone(), title, none)
            })
        },
    },
    Rule {
        id: "L16",
        severity: Severity::Warning,
        knob: PREFIX,
        condition: "the prefix or the operator's uid changed and no state is restored",
        price: "Nobody knows the old transactions: readers stand still until they time out.",
        source: "flink-connector-kafka 4.0, KafkaWriterState (both prefixes are cleaned with state)",
        check: |p| {
            exactly_once(p, || {
                let yes = |it: bool| if it { "yes" } else { "no" };
                let numbers = format!(
                    "changed: {}, state restored: {}",
                    yes(p.prefix_changed),
                    yes(p.state_restored)
                );
                let title = || {
                    format!(
                        "Transactions under the old prefix stay open for up to {}.",
                        span(p.timeout() + p.times.abort_scan_ms)
                    )
                };
                Check::of(p.prefix_changed && !p.state_restored, numbers, title, none)
            })
        },
    },
    Rule {
        id: "L17",
        severity: Severity::Warning,
        knob: NAMING,
        condition: "INCREMENTING and P × X / I > 1 000 000",
        price: "The broker keeps every id in memory and reads all of them when a coordinator moves. POOLING keeps a few.",
        source: "flink-connector-kafka 4.0, TransactionNamingStrategy.INCREMENTING; FLINK-34554",
        check: |p| {
            incrementing(p, || {
                let (made, interval) = (
                    i128::from(p.parallelism) * i128::from(p.id_expiration_ms),
                    i128::from(p.times.interval_ms),
                );
                let numbers = format!(
                    "{} × {} / {} = {}",
                    p.parallelism,
                    span(p.id_expiration_ms),
                    span(p.times.interval_ms),
                    grouped(ids_kept(p))
                );
                let title = || {
                    format!(
                        "The broker keeps {} transactional ids of this sink.",
                        grouped(ids_kept(p))
                    )
                };
                Check::of(made > IDS_MAX * interval, numbers, title, || {
                    if p.connector.has_pooling() {
                        vec![Change::set(NAMING, "pooling")]
                    } else {
                        none()
                    }
                })
            })
        },
    },
    Rule {
        id: "L18",
        severity: Severity::Warning,
        knob: "restart-strategy.type",
        condition: "INCREMENTING and a fixed delay between more than one restart",
        price: "Each restart from one checkpoint probes all ids that the ones before created: the restarts get slower and slower.",
        source: "flink-connector-kafka 4.0, TransactionAbortStrategyImpl.PROBING",
        check: |p| {
            incrementing(p, || {
                let attempts = p.restart_attempts;
                let fires = p.restart == Restart::FixedDelay && attempts.is_none_or(|it| it > 1);
                let numbers = match (p.restart, attempts) {
                    (Restart::FixedDelay, None) => {
                        format!(
                            "without end; attempt 2 makes {} calls, attempt 10 {}",
                            probes(2),
                            probes(10)
                        )
                    }
                    (Restart::FixedDelay, Some(attempts)) => {
                        format!(
                            "{attempts} attempts; the last makes {} calls",
                            probes(attempts.into())
                        )
                    }
                    _ => "another restart strategy".to_owned(),
                };
                let title =
                    || "Quick restarts from one checkpoint make each other slower.".to_owned();
                Check::of(fires, numbers, title, || {
                    vec![Change::set("restart-strategy.type", "exponential-delay")]
                })
            })
        },
    },
    Rule {
        id: "L19",
        severity: Severity::Error,
        knob: NAMING,
        condition: "POOLING and a broker before 3.0, no READ on the topics, or topics chosen by record",
        price: "The job does not start: old transactions cannot be listed.",
        source: "flink-connector-kafka 4.0, TransactionAbortStrategyImpl.LISTING, TransactionNamingStrategy; KIP-664",
        check: |p| {
            pooling(p, || {
                let old = p.broker.is_some_and(|broker| broker < LISTING_SINCE);
                let refused = p.can_describe_topics == Some(false);
                if !(old || refused || p.dynamic_topics) {
                    match (p.broker, p.can_describe_topics) {
                        (None, _) => return Check::Unknown("the broker's version"),
                        (_, None) => return Check::Unknown("whether the sink may read its topics"),
                        _ => {}
                    }
                }
                let broker = p.broker.map_or_else(|| "not known".to_owned(), |it| it.to_string());
                let numbers = format!(
                    "broker {broker}, READ {}, topics {}",
                    if refused { "refused" } else { "allowed" },
                    if p.dynamic_topics { "chosen by record" } else { "fixed" }
                );
                let title =
                    || "POOLING cannot list the transactions of an earlier attempt.".to_owned();
                Check::of(old || refused || p.dynamic_topics, numbers, title, || {
                    vec![Change::set(NAMING, "incrementing")]
                })
            })
        },
    },
    Rule {
        id: "L20",
        severity: Severity::Error,
        knob: NAMING,
        condition: "state of POOLING restored with INCREMENTING, or state of a 3.x sink with POOLING",
        price: "The job does not start: IllegalStateException. One checkpoint with 4.x and INCREMENTING makes 3.x state fit for POOLING.",
        source: "flink-connector-kafka 4.0, TransactionOwnership, TransactionNamingStrategyImpl",
        check: |p| {
            kafka_sink(p, || {
                let back = p.previous_naming == Some(PreviousNaming::Pooling)
                    && p.naming == Naming::Incrementing;
                let old = p.previous_naming == Some(PreviousNaming::Connector3)
                    && p.naming == Naming::Pooling;
                let before = match p.previous_naming {
                    None => "the same, or no state",
                    Some(PreviousNaming::Incrementing) => "4.x, incrementing",
                    Some(PreviousNaming::Pooling) => "4.x, pooling",
                    Some(PreviousNaming::Connector3) => "3.x",
                };
                let now = if p.naming == Naming::Pooling { "pooling" } else { "incrementing" };
                let numbers = format!("state: {before}; now: {now}");
                let other = if back { "pooling" } else { "incrementing" };
                let title = || format!("State of {before} cannot be restored with {now} ids.");
                Check::of(back || old, numbers, title, || vec![Change::set(NAMING, other)])
            })
        },
    },
    Rule {
        id: "L21",
        severity: Severity::Warning,
        knob: "parallelism.default",
        condition: "POOLING and a scale-down is planned",
        price: "A transaction of a subtask that goes away can stay open until it times out, and readers stand still meanwhile.",
        source: "flink-connector-kafka 4.0, TransactionAbortStrategyImpl.LISTING (FLINK-40626, in no release)",
        check: |p| {
            pooling(p, || {
                let planned = p.planned_parallelism.unwrap_or(p.parallelism);
                let numbers = format!("{} to {planned}", p.parallelism);
                let title = || {
                    format!(
                        "After scaling from {numbers} readers can stand still for up to {}.",
                        span(p.timeout() + p.times.abort_scan_ms)
                    )
                };
                Check::of(planned < p.parallelism, numbers.clone(), title, none)
            })
        },
    },
    Rule {
        id: "L32",
        severity: Severity::Error,
        knob: "kafka-acls",
        condition: "no WRITE on the TransactionalId pattern “prefix*”",
        price: "The job does not start: authorization failure at initTransactions.",
        source: "Kafka 4.0, KafkaApis#handleInitProducerIdRequest",
        check: |p| {
            with_prefix(p, |prefix| match p.can_write_transactional_id {
                None => Check::Unknown("whether the sink may write its transactional ids"),
                Some(allowed) => {
                    let numbers = format!(
                        "WRITE on “{prefix}*” {}",
                        if allowed { "allowed" } else { "refused" }
                    );
                    let title = || {
                        format!("The broker refuses transactional ids that begin with “{prefix}”.")
                    };
                    Check::of(!allowed, numbers, title, none)
                }
            })
        },
    },
];

/// Transactional ids that the broker keeps: one a checkpoint and subtask until it expires, or about
/// one open, one pending and one spare for each subtask.
pub(super) fn ids_kept(p: &LintParams) -> i64 {
    let parallelism = i64::from(p.parallelism);
    match p.naming {
        Naming::Incrementing => {
            let made = i128::from(parallelism) * i128::from(p.id_expiration_ms);
            i64::try_from(made / i128::from(p.times.interval_ms)).unwrap_or(i64::MAX)
        }
        Naming::Pooling => parallelism * i64::from(p.ids_in_rotation),
    }
}

/// The most subtasks whose probing is listed.
const PROBING_MAX: u32 = 16;

/// Subtask s of P probes s, s + P, s + 2 P and so on, until none of a subtask's ids was used.
pub(super) fn probing(p: &LintParams) -> Vec<Probing> {
    if p.naming != Naming::Incrementing || p.sink != SinkKind::KafkaSink {
        return Vec::new();
    }
    let now = p.planned_parallelism.unwrap_or(p.parallelism);
    let walk = |subtask: u32| {
        let stop = (subtask..).step_by(now as usize).find(|it| *it >= p.parallelism);
        let last = stop.unwrap_or(subtask);
        Probing { subtask, subtasks: (subtask..=last).step_by(now as usize).collect() }
    };
    (0..now.min(PROBING_MAX)).map(walk).collect()
}

/// Calls that attempt `n` from one checkpoint makes for one subtask: (n + 1)(n + 2) / 2.
pub(super) const fn probes(attempt: i64) -> i64 {
    (attempt + 1) * (attempt + 2) / 2
}

fn kafka_sink(p: &LintParams, check: impl FnOnce() -> Check) -> Check {
    if p.is_exactly_once_kafka_sink() {
        check()
    } else {
        Check::DoesNotApply("the sink is no exactly-once KafkaSink")
    }
}

fn with_prefix(p: &LintParams, check: impl FnOnce(&String) -> Check) -> Check {
    match p.prefix.as_ref().filter(|prefix| !prefix.is_empty()) {
        Some(prefix) => exactly_once(p, || check(prefix)),
        None => Check::Unknown("the prefix"),
    }
}

fn incrementing(p: &LintParams, check: impl FnOnce() -> Check) -> Check {
    if p.naming == Naming::Incrementing && p.sink == SinkKind::KafkaSink {
        kafka_sink(p, check)
    } else {
        Check::DoesNotApply("ids are pooled, or it is no KafkaSink")
    }
}

fn pooling(p: &LintParams, check: impl FnOnce() -> Check) -> Check {
    if p.naming == Naming::Pooling {
        kafka_sink(p, check)
    } else {
        Check::DoesNotApply("ids are not pooled")
    }
}
