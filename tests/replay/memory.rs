//! TaskManager and JobManager memory, and the texts that are sizes.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use weir::config::size::{MemorySizeParams, report};
use weir::finding::{Derivation, Problem};
use weir::memory::error::MemoryError;
use weir::memory::{MemoryParams, derive_job_manager, derive_task_manager};
use weir::units::FlinkVersion;

use super::{Mismatch, compare, text};

/// Replays a row of `tm_memory_VERSION.jsonl`.
pub fn task_manager(row: &Value, version: FlinkVersion) -> Vec<Mismatch> {
    both_ways(row, version, |params| value_of(derive_task_manager(params)))
}

/// Replays a row of `jm_memory_VERSION.jsonl`.
pub fn job_manager(row: &Value, version: FlinkVersion) -> Vec<Mismatch> {
    both_ways(row, version, |params| value_of(derive_job_manager(params)))
}

/// Replays a row of `memory_size_parse.jsonl`.
pub fn memory_size_parse(row: &Value) -> Vec<Mismatch> {
    let params = MemorySizeParams { text: text(row, "text").to_owned() };
    // JavaScript objects have a `toString` of their own, so the field is called `text`.
    let got = report(&params)
        .map(|value| serde_json::to_value(value).expect("a report serialises"))
        .map(|mut value| {
            value["toString"] = value["text"].take();
            value
        })
        .map_err(|error| (error.kind().to_owned(), error.to_string()));
    compare_answer("size", row, got)
}

type Got = Result<Value, (String, String)>;

fn value_of<T: serde::Serialize>(result: Result<Derivation<T>, MemoryError>) -> Got {
    result
        .map(|answer| serde_json::to_value(answer.value).expect("a report serialises"))
        .map_err(|error| {
            let problem = Problem::from(error);
            (problem.code, problem.message)
        })
}

/// The classes alone, and the start script where the row has its answer.
fn both_ways(
    row: &Value,
    version: FlinkVersion,
    derive: impl Fn(&MemoryParams) -> Got,
) -> Vec<Mismatch> {
    let mut params = MemoryParams::new(version);
    params.config = config(row);
    params.start_script = false;
    let mut found = compare_answer("classes", row, derive(&params));
    if let Some(recorded) = row.get("startScript") {
        params.start_script = true;
        found.extend(compare_answer("start script", recorded, derive(&params)));
    }
    found
}

fn config(row: &Value) -> BTreeMap<String, String> {
    let map = row.get("config").and_then(Value::as_object).expect("a row has a config");
    map.iter()
        .map(|(key, value)| (key.clone(), value.as_str().expect("values are texts").to_owned()))
        .collect()
}

fn compare_answer(what: &str, recorded: &Value, got: Got) -> Vec<Mismatch> {
    let mut found = Vec::new();
    match (recorded.get("ok"), recorded.get("error"), got) {
        (Some(Value::Object(fields)), None, Ok(value)) => {
            for (name, expected) in fields {
                let (expected, got) = (plain(name, expected), plain(name, &value[name]));
                compare(&mut found, format!("{what} {name}"), &expected, &got);
            }
        }
        (None, Some(error), Err((kind, message))) => {
            compare(&mut found, format!("{what} kind"), text(error, "kind"), &kind);
            compare(&mut found, format!("{what} message"), text(error, "message"), &message);
        }
        (ok, error, got) => {
            let expected = ok.or(error).map(Value::to_string).unwrap_or_default();
            compare(&mut found, format!("{what} outcome"), &expected, &format!("{got:?}"));
        }
    }
    found
}

/// A value as text: sizes above 2^53 travel as text, and dynamic properties have no order.
fn plain(name: &str, value: &Value) -> String {
    match value {
        Value::Array(items) => {
            let set: BTreeSet<&str> = items.iter().filter_map(Value::as_str).collect();
            format!("{set:?}")
        }
        Value::String(joined) if name == "dynamicConfigs" => {
            let set: BTreeSet<&str> =
                joined.split("-D ").map(str::trim).filter(|part| !part.is_empty()).collect();
            format!("{set:?}")
        }
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
