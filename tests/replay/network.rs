//! `network_buffers.jsonl`: gates, partitions, announcements and the pool.

use serde_json::{Value, json};
use weir::units::FlinkVersion;

use super::{Ask, Mismatch, compare, text};

/// A TaskManager with so much network memory, to the byte.
pub fn task_manager(network: i64) -> Value {
    json!({
        "taskmanager.memory.task.heap.size": "1g",
        "taskmanager.memory.managed.size": "0",
        "taskmanager.memory.network.min": format!("{network}b"),
        "taskmanager.memory.network.max": format!("{network}b"),
    })
}

/// Replays a row under every version that can be given its numbers.
pub fn network_buffers(ask: Ask<'_>, row: &Value) -> Vec<Mismatch> {
    let mut found = Vec::new();
    for version in FlinkVersion::ALL {
        // What 2.2 no longer reads cannot be set there.
        let set = |field: &str, fixed: i64| row.get(field).is_some_and(|v| *v != json!(fixed));
        let changed =
            set("buffersPerChannel", 2) || set("floating", 8) || set("sortMinParallelism", 1);
        if version == FlinkVersion::V2_2 && changed {
            continue;
        }
        replay(ask, row, version, &mut found);
    }
    found
}

fn replay(ask: Ask<'_>, row: &Value, version: FlinkVersion, found: &mut Vec<Mismatch>) {
    let what = |name: &str| format!("{} {name}", version.checked_on());
    let answer = ask("networkBuffers", &params(row, version));
    if let (Some(error), true) = (row.get("error"), row["op"] != "announce") {
        compare(found, what("kind"), text(error, "kind"), text(&answer["error"], "code"));
        compare(found, what("message"), text(error, "message"), text(&answer["error"], "message"));
        return;
    }
    if answer["ok"] != json!(true) {
        compare(found, what("outcome"), &row.to_string(), &answer.to_string());
        return;
    }
    let task = &answer["value"]["tasks"][0];
    match text(row, "op") {
        "gate" => {
            let names = [
                ("effectiveExclusiveBuffersPerChannel", "exclusivePerChannel"),
                ("requiredFloatingBuffers", "requiredFloating"),
                ("totalFloatingBuffers", "totalFloating"),
                ("targetTotalBuffersPerGate", "target"),
            ];
            for (flink, ours) in names {
                let got = &task["gates"][0]["buffers"][ours];
                compare(found, what(flink), &row["ok"][flink].to_string(), &got.to_string());
            }
        }
        "partition" => {
            let got = &task["partitions"][0];
            let max = got["max"].as_i64().unwrap_or(i64::from(i32::MAX));
            compare(found, what("min"), &row["ok"]["min"].to_string(), &got["min"].to_string());
            compare(found, what("max"), &row["ok"]["max"].to_string(), &max.to_string());
        }
        "announce" => match row.get("error") {
            Some(error) => {
                let got = text(task, "announceError");
                compare(found, what("message"), text(error, "message"), got);
            }
            None => {
                compare(found, what("sum"), &row["ok"].to_string(), &task["announced"].to_string());
            }
        },
        _ => {
            for (at, want) in row["ok"].as_array().into_iter().flatten().enumerate() {
                let got = &answer["value"]["requests"][at];
                let got_text = match &row["steps"][at]["unpooled"] {
                    _ if got["error"].is_string() => text(got, "error").to_owned(),
                    Value::Null => format!("pool {}", got["granted"]),
                    _ => format!("got {}", got["granted"]),
                };
                let want = want.as_str().unwrap_or_else(|| text(want, "message"));
                compare(found, what(&format!("step {at}")), want, &got_text);
            }
        }
    }
}

fn params(row: &Value, version: FlinkVersion) -> Value {
    let number = |field: &str, default: i64| row[field].as_i64().unwrap_or(default);
    let segment = number("segment", 32768);
    let mut config = task_manager(number("total", 2048) * segment);
    config["taskmanager.memory.segment-size"] = json!(format!("{segment}b"));
    let mut set = |key: &str, field: &str| {
        if let Some(value) = row[field].as_i64() {
            config[key] = json!(value.to_string());
        }
    };
    set("taskmanager.network.memory.buffers-per-channel", "buffersPerChannel");
    set("taskmanager.network.memory.floating-buffers-per-gate", "floating");
    set("taskmanager.network.memory.read-buffer.required-per-gate.max", "maxRequired");
    set("taskmanager.network.sort-shuffle.min-parallelism", "sortMinParallelism");
    set("taskmanager.network.sort-shuffle.min-buffers", "sortMinBuffers");
    if row["tiered"] == json!(true) {
        config["execution.batch-shuffle-mode"] = json!("ALL_EXCHANGES_HYBRID_FULL");
    }
    let list = |field: &str| row[field].as_array().cloned().unwrap_or_default();
    let gates: Vec<Value> = match text(row, "op") {
        "gate" => vec![json!({ "channels": row["channels"], "count": 1, "type": row["type"] })],
        _ => list("inputs")
            .iter()
            .map(|gate| json!({ "channels": gate["channels"], "count": gate["gates"], "type": gate["type"] }))
            .collect(),
    };
    let partitions: Vec<Value> = match text(row, "op") {
        "partition" => {
            vec![json!({ "subpartitions": row["subpartitions"], "type": row["type"] })]
        }
        _ => list("outputs"),
    };
    let requests: Vec<Value> = list("steps")
        .iter()
        .map(|step| match step["unpooled"].as_i64() {
            Some(count) => json!({ "kind": "unpooled", "count": count }),
            None => json!({ "kind": "pool", "required": step["required"], "max": step["max"] }),
        })
        .collect();
    json!({
        "version": version.line(),
        "config": config,
        "startScript": false,
        "containerLimit": null,
        "job": {
            "stages": [],
            "exchanges": [],
            "tasks": [{ "name": "task", "subtasks": 1, "gates": gates, "partitions": partitions }],
            "requests": requests,
            "tieredExclusiveBuffers": row["tieredExclusive"],
        },
    })
}
