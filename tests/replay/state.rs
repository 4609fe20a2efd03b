//! State backends: heap, snapshots, incremental checkpoints and TTL as they were measured.
//!
//! Measurements have errors and rows that no rule covers, so each file is compared within a stated
//! error, and a row that no rule covers is information: its replay is `None`.

use serde_json::{Value, json};
use weir::state::table;

use super::{Ask, Mismatch, text};

/// Replays a row of a file and compares what can be compared.
pub type Measured = fn(Ask<'_>, &Value) -> Option<Comparison>;

/// A measured number, the engine's, and how far apart they may be.
#[derive(Debug)]
pub struct Comparison {
    /// What was compared.
    pub what: String,
    /// What was measured.
    pub measured: f64,
    /// What the engine says.
    pub got: f64,
    /// How far apart they may be.
    pub allowed: f64,
}

impl Comparison {
    fn within(what: &str, measured: f64, got: f64, share: f64) -> Self {
        Self { what: what.to_owned(), measured, got, allowed: measured * share }
    }

    fn near(what: &str, measured: f64, got: f64, allowed: f64) -> Self {
        Self { what: what.to_owned(), measured, got, allowed }
    }

    /// The error as a share of what was measured.
    #[cfg_attr(target_arch = "wasm32", expect(dead_code, reason = "printed natively"))]
    pub fn error(&self) -> f64 {
        (self.got - self.measured).abs() / self.measured.abs().max(f64::MIN_POSITIVE)
    }

    fn mismatch(self) -> Option<Mismatch> {
        let differs = self.got.is_nan() || (self.got - self.measured).abs() > self.allowed;
        let Self { what, measured, got, allowed } = self;
        let expected = format!("{measured} within {allowed}");
        differs.then(|| Mismatch { what, expected, got: got.to_string() })
    }
}

/// How a file of measurements is replayed; `None` for any other file.
pub fn of_file(file: &str) -> Option<Measured> {
    match file {
        "state/heap.jsonl" => Some(heap),
        "state/snapshot.jsonl" => Some(snapshot),
        "state/incremental.jsonl" => Some(incremental),
        "state/ttl.jsonl" => Some(ttl),
        _ => None,
    }
}

/// A row as [`super::Replay`] wants it.
pub fn differences(replay: Measured, ask: Ask<'_>, row: &Value) -> Vec<Mismatch> {
    replay(ask, row).and_then(Comparison::mismatch).into_iter().collect()
}

fn number(row: &Value, field: &str) -> f64 {
    row[field].as_f64().unwrap_or(f64::NAN)
}

fn whole(row: &Value, field: &str) -> u64 {
    number(row, field) as u64
}

/// `Long`, `String36`, `byte100`, `POJO5` or `Tuple5` as a type of the params.
fn type_of(name: &str) -> Value {
    let five = json!([
        { "kind": "long" }, { "kind": "integer" }, { "kind": "double" }, { "kind": "long" },
        { "kind": "string", "chars": 10 }
    ]);
    let length = |prefix| name.strip_prefix(prefix).and_then(|rest: &str| rest.parse::<u32>().ok());
    match (name, length("String"), length("byte")) {
        ("POJO5", ..) => json!({ "kind": "pojo", "fields": five }),
        ("Tuple5", ..) => json!({ "kind": "tuple", "fields": five }),
        (_, Some(chars), _) => json!({ "kind": "string", "chars": chars }),
        (_, _, Some(length)) => json!({ "kind": "bytes", "length": length }),
        _ => json!({ "kind": "long" }),
    }
}

/// The state of a row: `mapEntries` makes it a map, `listElements` a list.
fn shape(row: &Value) -> Value {
    let value = type_of(text(row, "value"));
    match (whole(row, "mapEntries"), whole(row, "listElements")) {
        (0, 0) => json!({ "kind": "value", "value": value }),
        (0, elements) => json!({ "kind": "list", "elements": elements, "element": value }),
        (entries, _) => json!({
            "kind": "map", "entries": entries, "key": type_of(text(row, "userKey")), "value": value
        }),
    }
}

/// The version of a row: `1.20.5-G1` is 1.20 with another collector.
fn line(row: &Value) -> &str {
    text(row, "flink").get(..3).filter(|line| *line != "1.2").unwrap_or("1.20")
}

fn workload(row: &Value) -> Value {
    json!({
        "keys": whole(row, "keys"),
        "key": type_of(text(row, "key")),
        "state": shape(row),
        "ttl": row["ttl"].as_bool().unwrap_or(false),
        "parallelism": 1,
        "maxParallelism": row.get("keyGroups").or(row.get("maxParallelism")).unwrap_or(&json!(128)),
        "compressedOops": row["compressedOops"].as_bool().unwrap_or(true),
        "rehashPending": true,
        "updatedShare": 0.0,
        "readShare": 0.0,
    })
}

/// A TaskManager of one slot that holds any row.
fn config() -> Value {
    json!({
        "taskmanager.memory.process.size": "32g",
        "taskmanager.memory.managed.size": "256m",
    })
}

/// `heap.jsonl`: heap per key over that of the empty state, and where tables double.
fn heap(ask: Ask<'_>, row: &Value) -> Option<Comparison> {
    match text(row, "m") {
        "table_resize_start" => {
            let at = table::doubles_at(whole(row, "capacityBefore"));
            Some(Comparison::within("doubles at", number(row, "size"), at as f64, 0.0))
        }
        "heap_per_key" => {
            let allowed = match text(row, "state") {
                "ValueState" => 0.01,
                "MapState" => 0.03,
                _ => return None,
            };
            if number(row, "keys") < 10_000.0 {
                return None;
            }
            let params = json!({
                "version": line(row), "config": config(), "startScript": true,
                "containerLimit": null, "workload": workload(row), "assumptions": null,
            });
            let answer = ask("heapState", &params);
            let parts = answer["value"]["parts"].as_array().cloned().unwrap_or_default();
            let filled = parts.iter().filter(|part| text(part, "id") != "empty");
            let bytes: f64 = filled.map(|part| number(part, "bytes")).sum();
            let got = bytes / number(row, "keys");
            Some(Comparison::within("bytes per key", number(row, "value_"), got, allowed))
        }
        _ => None,
    }
}

/// A TaskManager of one slot with so much managed memory, and the options of a row, which are keys
/// and values with blanks between.
fn config_with(managed_mib: u64, options: &str) -> Value {
    let mut config = config();
    config["taskmanager.memory.managed.size"] = json!(format!("{managed_mib}m"));
    let mut words = options.split_whitespace();
    while let (Some(key), Some(value)) = (words.next(), words.next()) {
        config[key] = json!(value);
    }
    config
}

/// `snapshot.jsonl`: bytes of snapshots a key, or a map entry where the row counts those.
fn snapshot(ask: Ask<'_>, row: &Value) -> Option<Comparison> {
    let (side, field, share) = match text(row, "m") {
        "hashmap_full_checkpoint" => ("hashmap", "fullCheckpoint", None),
        "hashmap_canonical_savepoint" => ("hashmap", "canonicalSavepoint", None),
        "rocksdb_canonical_savepoint" => ("rocksdb", "canonicalSavepoint", None),
        "rocksdb_native_first_checkpoint" | "rocksdb_native_full_after_compaction" => {
            ("rocksdb", "fullCheckpoint", Some(0.1))
        }
        _ => return None,
    };
    let params = json!({
        "version": line(row), "config": config_with(256, text(row, "options")),
        "startScript": true, "containerLimit": null, "workload": workload(row),
        "changes": { "updates": 0, "distinct": null, "sstBytesPerEntry": null },
        "assumptions": null,
    });
    let answer = ask("compareBackends", &params);
    let per_entry = text(row, "unit") == "B/map entry";
    let entries = if per_entry { number(row, "mapEntries") } else { 1.0 };
    let got = number(&answer["value"][side], field) / (number(row, "keys") * entries);
    let measured = number(row, "value_");
    Some(match share {
        Some(share) => Comparison::within("native RocksDB", measured, got, share),
        None => Comparison::near("heap checkpoint or canonical savepoint", measured, got, 0.1),
    })
}

/// `incremental.jsonl`: mean new bytes of a checkpoint. Distinct updates are derived where they are
/// even, and the bytes of an entry where the data do not compress; else they are those of the row.
fn incremental(ask: Ask<'_>, row: &Value) -> Option<Comparison> {
    let keys = number(row, "keys");
    let is_even = text(row, "dist") == "uniform";
    let compresses = row["compressible"].as_bool().unwrap_or(false);
    let distinct = (!is_even).then(|| number(row, "meanDistinctUpdated").round() as u64);
    let per_entry = compresses.then(|| number(row, "firstCheckpoint") / keys);
    let mut workload = workload(row);
    workload["state"] =
        json!({ "kind": "value", "value": { "kind": "bytes", "length": row["valueBytes"] } });
    let options = text(row, "options");
    let params = json!({
        "version": line(row), "config": config_with(whole(row, "managedMB"), options),
        "startScript": true, "containerLimit": null, "workload": workload,
        "changes": {
            "updates": (keys * number(row, "updateFraction")).round() as u64,
            "distinct": distinct,
            "sstBytesPerEntry": per_entry,
        },
        "assumptions": null,
    });
    let answer = ask("compareBackends", &params);
    let got = number(&answer["value"]["incremental"], "mean");
    // One file an interval: three of four checkpoints are small.
    let one_file = number(row, "medianNew") < number(row, "minNew") * 1.1
        && number(row, "meanNewOverState") < 0.5;
    let in_level_1 = number(row, "firstCheckpoint") <= 256.0 * 1_048_576.0 && options.is_empty();
    let measured = number(row, "value_");
    Some(if one_file && in_level_1 && !compresses {
        Comparison::within("mean upload, one file an interval", measured, got, 0.01)
    } else {
        Comparison::within("mean upload, other", measured, got, 0.25)
    })
}

/// `ttl.jsonl`: keys that are live; skewed rates are not in the rows, so those are information.
fn ttl(ask: Ask<'_>, row: &Value) -> Option<Comparison> {
    const TTL_SECONDS: f64 = 1000.0;
    if text(row, "dist") != "uniform" {
        return None;
    }
    let clean_up = match text(row, "cleanup") {
        "full" => "fullSnapshot",
        "incr1" => "incremental1",
        "incr5" => "incremental5",
        "incr10rec" => "incremental10EveryRecord",
        "filter1000" => "compactionFilter",
        _ => "none",
    };
    let keys = number(row, "K");
    let rate = keys * number(row, "lambdaTtl") / TTL_SECONDS;
    let params = json!({
        "version": line(row),
        "keySpaces": [{ "keys": whole(row, "K"), "updatesPerSecond": rate }],
        "ttlSeconds": TTL_SECONDS as u64,
        "cleanUp": clean_up,
        "horizonSeconds": (TTL_SECONDS * number(row, "horizonTtl")) as u64,
    });
    let answer = ask("ttlGrowth", &params);
    let got = number(&answer["value"], "live");
    Some(Comparison::within("live keys", number(row, "live"), got, 0.01))
}
