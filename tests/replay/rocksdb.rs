//! `rocksdb_memory.jsonl`: managed memory of a slot, the memory RocksDB lives from, its division.

use serde_json::{Value, json};
use weir::units::FlinkVersion;

use super::network::task_manager;
use super::{Ask, Mismatch, compare, recorded, text};

/// Replays a row under every version.
pub fn rocksdb_memory(ask: Ask<'_>, row: &Value) -> Vec<Mismatch> {
    let mut found = Vec::new();
    for version in FlinkVersion::ALL {
        let at = |name: &str| format!("{} {name}", version.checked_on());
        let answer = ask("rocksdbMemory", &params(row, version));
        let (value, ok) = (&answer["value"], &recorded(row, version)["ok"]);
        let mut same = |name: &str, want: &Value, got: &Value| {
            compare(&mut found, at(name), &plain(want), &plain(got));
        };
        if answer["ok"] != json!(true) {
            same("outcome", ok, &answer);
            continue;
        }
        match text(row, "op") {
            "rocks" => {
                let shared = &value["shared"];
                for name in ["cacheCapacity", "writeBufferManagerCapacity", "mutableLimit"] {
                    same(name, &ok[name], &shared[name]);
                }
                same(
                    "defaultArenaBlockSize",
                    &ok["defaultArenaBlockSize"],
                    &value["defaultArenaBlock"],
                );
                same("arenaOk", &ok["arenaOk"], &value["arenaFits"]);
                same("sanityCheck", &ok["sanityCheckArenaBlockSize"], &value["arenaFits"]);
            }
            "rockscfg" => {
                let names = [
                    ("isUsingManagedMemory", "usesManaged"),
                    ("getFixedMemoryPerSlot", "fixedPerSlot"),
                    ("getWriteBufferRatio", "writeBufferRatio"),
                    ("getHighPriorityPoolRatio", "highPriorityPoolRatio"),
                    ("isUsingPartitionedIndexFilters", "partitionedIndexFilters"),
                ];
                for (flink, ours) in names {
                    same(flink, &ok[flink], &value[ours]);
                }
                let is_fixed = json!(!value["fixedPerSlot"].is_null());
                same("isUsingFixedMemoryPerSlot", &ok["isUsingFixedMemoryPerSlot"], &is_fixed);
                let refusal = match &ok["validate"] {
                    Value::String(_) => Value::Null,
                    refused => refused["message"].clone(),
                };
                same("validate", &refusal, &value["ratioRefusal"]);
                let source = match text(value, "source") {
                    "managed" => "SLOT_SHARED_MANAGED",
                    "fixedPerSlot" => "SLOT_SHARED_UNMANAGED",
                    "fixedPerTaskManager" => "TM_SHARED_UNMANAGED",
                    other => other,
                };
                same("sharedResources", &ok["sharedResources"], &json!(source));
            }
            _ => {
                for name in ["slotTaskHeap", "slotNetwork", "slotManaged"] {
                    same(name, &ok[name], &value[name]);
                }
                for got in value["consumers"].as_array().into_iter().flatten() {
                    let want = &ok["useCases"][text(got, "useCase")];
                    same("fractionOfSlot", &want["fractionOfSlot"], &got["fractionOfSlot"]);
                    same("bytes", &want["bytes"], &got["bytes"]);
                    same("pages", &want["pages"], &got["pages"]);
                    same("error", &want["error"]["message"], &got["error"]);
                }
                let count = value["consumers"].as_array().map_or(0, Vec::len);
                let wanted = ok["useCases"].as_object().map_or(0, serde_json::Map::len);
                same("consumers", &json!(wanted), &json!(count));
            }
        }
    }
    found
}

/// A value as text. Sizes from 2^53 on travel as text, and whole doubles lose their `.0` in
/// JavaScript.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) if number.is_f64() => {
            number.as_f64().map_or_else(|| number.to_string(), |double| format!("{double}"))
        }
        other => other.to_string(),
    }
}

fn params(row: &Value, version: FlinkVersion) -> Value {
    let number = |field: &str| row[field].as_i64();
    let mut config = task_manager(number("network").unwrap_or(64 << 20));
    let size = |field: &str, default: i64| format!("{}b", number(field).unwrap_or(default));
    config["taskmanager.memory.task.heap.size"] = json!(size("taskHeap", 1 << 30));
    config["taskmanager.memory.managed.size"] = json!(size("managed", 1 << 30));
    config["taskmanager.numberOfTaskSlots"] = json!(number("numSlots").unwrap_or(1).to_string());
    for part in ["config", "tmConfig"] {
        for (key, text) in row[part].as_object().into_iter().flatten() {
            config[key] = text.clone();
        }
    }
    if row["op"] == "rocks" {
        config["state.backend.rocksdb.memory.fixed-per-slot"] = json!(size("memory", 0));
        let mut set = |key: &str, field: &str| config[key] = json!(row[field].to_string());
        set("state.backend.rocksdb.memory.write-buffer-ratio", "writeBufferRatio");
        set("state.backend.rocksdb.memory.high-prio-pool-ratio", "highPrioPoolRatio");
        set("state.backend.rocksdb.memory.partitioned-index-filters", "partitioned");
    }
    let share = &row["fractionOfUseCase"];
    let consumers: Vec<Value> = row["useCases"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|use_case| json!({ "useCase": use_case, "share": share }))
        .collect();
    json!({
        "version": version.line(),
        "config": config,
        "startScript": false,
        "containerLimit": null,
        "workload": {
            "backendInCode": false,
            "consumers": consumers,
            "columnFamilies": 1,
            "writeBufferSize": number("writeBufferSize").map(|bytes| format!("{bytes}b")),
            "writeBufferCount": null,
            "blockCacheSize": null,
            "arenaBlockSize": number("arenaBlockSize").unwrap_or(0),
            "keyBytes": 8,
            "valueBytes": 104,
            "keysPerSlot": 1_000_000,
            "hotShare": 0.5,
            "iterators": 1,
        },
        "assumptions": null,
    })
}
