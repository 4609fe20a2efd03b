//! The fields of a scenario that are options of Flink, with their keys and defaults.
//!
//! Source: Flink 1.20.5; a test compares the defaults with the option table.

use serde_json::Value;

use super::{ScenarioCheckpointing, ScenarioNetwork, ScenarioRecovery};
use crate::config::duration;
use crate::config::options::lookup;
use crate::config::size::MemorySizeParams;
use crate::units::FlinkVersion;

/// A field and the option it stands for.
#[derive(Debug, Clone, PartialEq)]
struct ScenarioField {
    /// Path into the scenario.
    field: &'static str,
    /// The option's key.
    option: &'static str,
    /// What the field is without the option.
    default: Value,
}

const FIELDS: [(&str, &str); 24] = [
    ("network.segmentBytes", "taskmanager.memory.segment-size"),
    ("network.buffersPerChannel", "taskmanager.network.memory.buffers-per-channel"),
    ("network.floatingBuffersPerGate", "taskmanager.network.memory.floating-buffers-per-gate"),
    ("network.maxBuffersPerChannel", "taskmanager.network.memory.max-buffers-per-channel"),
    (
        "network.maxOverdraftBuffersPerGate",
        "taskmanager.network.memory.max-overdraft-buffers-per-gate",
    ),
    ("network.bufferTimeoutMs", "execution.buffer-timeout.interval"),
    ("network.bufferDebloat.enabled", "taskmanager.network.memory.buffer-debloat.enabled"),
    ("network.bufferDebloat.targetMs", "taskmanager.network.memory.buffer-debloat.target"),
    ("network.bufferDebloat.periodMs", "taskmanager.network.memory.buffer-debloat.period"),
    ("network.bufferDebloat.samples", "taskmanager.network.memory.buffer-debloat.samples"),
    (
        "network.bufferDebloat.thresholdPercentages",
        "taskmanager.network.memory.buffer-debloat.threshold-percentages",
    ),
    ("checkpointing.mode", "execution.checkpointing.mode"),
    (
        "checkpointing.alignedCheckpointTimeoutMs",
        "execution.checkpointing.aligned-checkpoint-timeout",
    ),
    ("checkpointing.intervalMs", "execution.checkpointing.interval"),
    ("checkpointing.minPauseMs", "execution.checkpointing.min-pause"),
    ("checkpointing.timeoutMs", "execution.checkpointing.timeout"),
    (
        "checkpointing.maxConcurrentCheckpoints",
        "execution.checkpointing.max-concurrent-checkpoints",
    ),
    (
        "checkpointing.tolerableFailedCheckpoints",
        "execution.checkpointing.tolerable-failed-checkpoints",
    ),
    ("checkpointing.incremental", "execution.checkpointing.incremental"),
    ("network.placement.slotsPerTaskManager", "taskmanager.numberOfTaskSlots"),
    ("recovery.heartbeat.intervalMs", "heartbeat.interval"),
    ("recovery.heartbeat.timeoutMs", "heartbeat.timeout"),
    ("recovery.heartbeat.rpcFailureThreshold", "heartbeat.rpc-failure-threshold"),
    ("recovery.restartDelayMs", "restart-strategy.exponential-delay.initial-backoff"),
];

/// Every field that is an option.
fn scenario_form() -> Vec<ScenarioField> {
    // Structs of numbers and names always serialise; were one not to, its defaults would be null.
    let value = |it: Result<Value, serde_json::Error>| it.unwrap_or(Value::Null);
    let network = value(serde_json::to_value(ScenarioNetwork::default()));
    let checkpointing = value(serde_json::to_value(ScenarioCheckpointing::default()));
    let recovery = value(serde_json::to_value(ScenarioRecovery::default()));
    let default = |field: &str| {
        let (part, path) = field.split_once('.').unwrap_or((field, ""));
        let whole = match part {
            "network" => &network,
            "checkpointing" => &checkpointing,
            _ => &recovery,
        };
        path.split('.').fold(whole, |value, name| &value[name]).clone()
    };
    let fields = FIELDS.iter();
    fields
        .map(|&(field, option)| ScenarioField { field, option, default: default(field) })
        .collect()
}

#[test]
fn numbers_are_the_defaults_of_the_option_table() {
    let version = FlinkVersion::V1_20;
    let mut compared = 0;
    for it in scenario_form() {
        let (Some(option), Some(number)) = (lookup(version, it.option), it.default.as_f64()) else {
            continue;
        };
        let Some(text) = option.default else { continue };
        let default = match option.kind {
            "duration" => {
                let params = duration::DurationParams { version, text: text.to_owned() };
                {
                    let it = duration::answer(&params).expect("a duration").value;
                    it.seconds as f64 * 1e3 + f64::from(it.nanos) / 1e6
                }
            }
            "size" => {
                let params = MemorySizeParams { text: text.to_owned() };
                crate::config::size::report(&params).expect("a size").bytes.get() as f64
            }
            _ => text.parse().expect("a number"),
        };
        assert!((default - number).abs() < 1e-9, "{}: {number}, not {default}", it.field);
        compared += 1;
    }
    assert!(compared >= 12, "{compared} compared");
}

#[test]
fn every_field_is_one_of_the_scenario() {
    let missing: Vec<&str> = scenario_form()
        .iter()
        .filter(|it| it.default.is_null() && it.option != "taskmanager.numberOfTaskSlots")
        .map(|it| it.field)
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}
