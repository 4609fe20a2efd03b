//! Rules about the guarantee: L10 to L12, L25 and L26.
//!
//! Source: flink-connector-kafka 4.0, `KafkaSinkBuilder`; 3.4, `FlinkKafkaProducer`; Flink,
//! `CommitterOperator`; Kafka 4.0, `ConsumerConfig`.

use super::{Check, Isolation, LintParams, Rule, SinkKind, Stop, none};
use crate::finding::{Change, Severity};

const AFTER_FINISH: &str = "execution.checkpointing.checkpoints-after-tasks-finish.enabled";

pub(super) const RULES: [Rule; 5] = [
    Rule {
        id: "L10",
        severity: Severity::Error,
        knob: "execution.checkpointing.interval",
        condition: "the guarantee is exactly-once and checkpointing is off",
        price: "Nothing is ever committed: read_committed readers see nothing. The legacy sink falls back to no guarantee.",
        source: "CommitterOperator#notifyCheckpointComplete; FlinkKafkaProducer#open (3.4)",
        check: |p| {
            exactly_once(p, || {
                let numbers =
                    if p.checkpointing { "checkpointing is on" } else { "checkpointing is off" };
                let title = || "No checkpoint ever commits what this sink writes.".to_owned();
                Check::of(!p.checkpointing, numbers, title, || {
                    vec![Change::set(
                        "execution.checkpointing.interval",
                        format!("{} ms", p.times.interval_ms),
                    )]
                })
            })
        },
    },
    Rule {
        id: "L11",
        severity: Severity::Error,
        knob: AFTER_FINISH,
        condition: "the input ends and there is no checkpoint after it",
        price: "The records behind the last checkpoint are never committed.",
        source: "Flink, ExecutionCheckpointingOptions (true by default since 1.15)",
        check: |p| {
            exactly_once(p, || {
                if !p.bounded {
                    return Check::DoesNotApply("the input does not end");
                }
                let on = if p.checkpoints_after_tasks_finish { "on" } else { "off" };
                let title =
                    || "The last transaction of this bounded job is never committed.".to_owned();
                Check::of(
                    !p.checkpoints_after_tasks_finish,
                    format!("final checkpoint {on}"),
                    title,
                    || vec![Change::set(AFTER_FINISH, "true")],
                )
            })
        },
    },
    Rule {
        id: "L12",
        severity: Severity::Error,
        knob: "isolation.level",
        condition: "a reader is read_uncommitted, which is the default",
        price: "It reads records of transactions that are aborted later, and their replay: duplicates.",
        source: "Kafka 4.0, ConsumerConfig (isolation.level)",
        check: |p| {
            if !p.is_transactional() {
                return Check::DoesNotApply("the sink writes without transactions");
            }
            if p.readers.is_empty() {
                return Check::Unknown("the isolation level of the readers");
            }
            let reads_all = |level: &&Option<Isolation>| **level != Some(Isolation::ReadCommitted);
            let count = p.readers.iter().filter(reads_all).count();
            let unset = p.readers.iter().filter(|level| level.is_none()).count();
            let numbers = format!(
                "{count} of {} readers read uncommitted, {unset} of them by default",
                p.readers.len()
            );
            let title = || {
                if count == 1 {
                    "One reader sees records that are aborted later.".to_owned()
                } else {
                    format!("{count} readers see records that are aborted later.")
                }
            };
            Check::of(count > 0, numbers, title, || {
                vec![Change::set("isolation.level", "read_committed")]
            })
        },
    },
    Rule {
        id: "L25",
        severity: Severity::Warning,
        knob: "flink stop",
        condition: "the job is cancelled after a savepoint, not stopped with one",
        price: "The transactions of the savepoint stay open until it is restored, at most until the timeout; after that their records are lost.",
        source: "Flink, CheckpointCoordinator#triggerSynchronousSavepoint; FLINK-25191",
        check: |p| {
            exactly_once(p, || match p.stop {
                None => Check::Unknown("how the job is stopped"),
                Some(stop) => {
                    let numbers = match stop {
                        Stop::StopWithSavepoint => "stop with savepoint",
                        Stop::CancelWithSavepoint => "savepoint, then cancel",
                    };
                    let title = || "An intermediate savepoint does not commit.".to_owned();
                    Check::of(stop == Stop::CancelWithSavepoint, numbers, title, none)
                }
            })
        },
    },
    Rule {
        id: "L26",
        severity: Severity::Warning,
        knob: "sink.delivery-guarantee",
        condition: "no guarantee is set on a KafkaSink",
        price: "The default is NONE: records may be lost and written twice.",
        source: "flink-connector-kafka 4.0, KafkaSinkBuilder (DeliveryGuarantee.NONE)",
        check: |p| {
            if p.sink != SinkKind::KafkaSink {
                return Check::DoesNotApply("the sink is no KafkaSink");
            }
            let numbers = if p.guarantee.is_none() { "not set" } else { "set" };
            let title = || "This KafkaSink promises nothing: its guarantee is not set.".to_owned();
            Check::of(p.guarantee.is_none(), numbers, title, || {
                vec![Change::set("sink.delivery-guarantee", "exactly-once")]
            })
        },
    },
];

/// A rule for Flink's exactly-once sinks.
pub(super) fn exactly_once(p: &LintParams, check: impl FnOnce() -> Check) -> Check {
    if p.sink != SinkKind::RawProducer && p.is_transactional() {
        check()
    } else {
        Check::DoesNotApply("the sink is not exactly-once")
    }
}
