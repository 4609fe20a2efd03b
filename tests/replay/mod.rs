//! Recorded answers of real Flink, replayed against the engine one row at a time.
//!
//! A replay asks the engine through an [`Ask`], natively or through the wasm exports, and says where
//! the answer differs; an empty list is agreement. One body, two arms.

pub mod config;
pub mod digest;
pub mod duration;
pub mod event_time;
pub mod memory;
#[cfg(not(target_arch = "wasm32"))]
pub mod native;
pub mod network;
pub mod rocksdb;
pub mod state;
pub mod transactions;
pub mod watermarks;

use serde_json::Value;
use weir::units::FlinkVersion;

/// Asks a question by its exported name, with plain params, and returns the `Answer`.
pub type Ask<'a> = &'a dyn Fn(&str, &Value) -> Value;

/// How the rows of one file are replayed.
pub type Replay = Box<dyn Fn(Ask<'_>, &Value) -> Vec<Mismatch>>;

/// One difference between a recorded answer and the engine's.
#[derive(Debug)]
#[cfg_attr(target_arch = "wasm32", expect(dead_code, reason = "printed through Debug only"))]
pub struct Mismatch {
    /// What was compared, for example `1.20.5 error message`.
    pub what: String,
    /// Flink's answer.
    pub expected: String,
    /// The engine's answer.
    pub got: String,
}

/// What replays a file, by its name.
pub fn replay_of(file: &str) -> Option<Replay> {
    let (family, name) = file.split_once('/')?;
    let stem = name.strip_suffix(".jsonl")?;
    let versioned = |prefix: &str| stem.strip_prefix(prefix).and_then(FlinkVersion::from_text);
    if let Some(measured) = state::of_file(file) {
        return Some(Box::new(move |ask, row| state::differences(measured, ask, row)));
    }
    if family == "event-time" {
        return event_time::of_file(stem);
    }
    if file == "transactions/scenarios.jsonl" {
        return Some(Box::new(transactions::scenarios));
    }
    if family != "memory" {
        return None;
    }
    if let Some(version) = versioned("tm_memory_") {
        return Some(Box::new(move |ask, row| {
            memory::process(ask, "deriveTaskManager", row, version)
        }));
    }
    if let Some(version) = versioned("jm_memory_") {
        return Some(Box::new(move |ask, row| {
            memory::process(ask, "deriveJobManager", row, version)
        }));
    }
    match stem {
        "config_files" => Some(Box::new(config::config_files)),
        "duration_parse" => Some(Box::new(duration::duration_parse)),
        "key_groups" => Some(Box::new(watermarks::key_groups)),
        "memory_size_parse" => Some(Box::new(memory::memory_size_parse)),
        "network_buffers" => Some(Box::new(network::network_buffers)),
        "rocksdb_memory" => Some(Box::new(rocksdb::rocksdb_memory)),
        _ => None,
    }
}

/// Adds a mismatch to `found` unless the two texts are equal.
pub fn compare(found: &mut Vec<Mismatch>, what: String, expected: &str, got: &str) {
    if expected != got {
        found.push(Mismatch { what, expected: expected.to_owned(), got: got.to_owned() });
    }
}

/// The text of a field, empty when it is absent.
pub fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// The recorded answer of one version: its entry in `byVersion`, or the row's common one.
pub fn recorded(row: &Value, version: FlinkVersion) -> &Value {
    row.get("byVersion").and_then(|v| v.get(version.checked_on())).unwrap_or(row)
}

/// Compares a recorded `ok` or `error` with an `Answer`. `ok` fields go through `plain` on both
/// sides, so that sizes above 2^53, which travel as text, and unordered lists compare.
pub fn compare_answer(
    found: &mut Vec<Mismatch>,
    what: &str,
    recorded: &Value,
    answer: &Value,
    plain: impl Fn(&str, &Value) -> String,
) {
    match (recorded.get("ok"), recorded.get("error"), answer["ok"].as_bool()) {
        (Some(Value::Object(fields)), None, Some(true)) => {
            for (name, expected) in fields {
                let (expected, got) = (plain(name, expected), plain(name, &answer["value"][name]));
                compare(found, format!("{what} {name}"), &expected, &got);
            }
        }
        (None, Some(error), Some(false)) => {
            let got = &answer["error"];
            compare(found, format!("{what} kind"), text(error, "kind"), text(got, "code"));
            compare(found, format!("{what} message"), text(error, "message"), text(got, "message"));
        }
        (ok, error, _) => {
            let expected = ok.or(error).map(Value::to_string).unwrap_or_default();
            compare(found, format!("{what} outcome"), &expected, &answer.to_string());
        }
    }
}
