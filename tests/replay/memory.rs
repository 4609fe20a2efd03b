//! TaskManager and JobManager memory, and the texts that are sizes.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use weir::units::FlinkVersion;

use super::{Ask, Mismatch, compare_answer};

/// Replays a row of `tm_memory_VERSION.jsonl` or `jm_memory_VERSION.jsonl`: the classes alone, and
/// the start script where the row has its answer.
pub fn process(ask: Ask<'_>, question: &str, row: &Value, version: FlinkVersion) -> Vec<Mismatch> {
    let params = |start_script: bool| {
        json!({
            "version": version.line(),
            "config": row["config"],
            "startScript": start_script,
            "containerLimit": null,
        })
    };
    let mut found = Vec::new();
    compare_answer(&mut found, "classes", row, &ask(question, &params(false)), plain);
    if let Some(recorded) = row.get("startScript") {
        compare_answer(&mut found, "script", recorded, &ask(question, &params(true)), plain);
    }
    found
}

/// Replays a row of `memory_size_parse.jsonl`.
pub fn memory_size_parse(ask: Ask<'_>, row: &Value) -> Vec<Mismatch> {
    let mut answer = ask("parseMemorySize", &json!({ "text": row["text"] }));
    // JavaScript objects have a `toString` of their own, so the field is called `text`.
    if let Some(value) = answer.get_mut("value") {
        value["toString"] = value["text"].take();
    }
    let mut found = Vec::new();
    compare_answer(&mut found, "size", row, &answer, plain);
    found
}

/// A value as text. Whole doubles lose their `.0` in JavaScript, and dynamic properties have no
/// order.
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
        Value::Number(number) if number.is_f64() => {
            number.as_f64().map_or_else(|| number.to_string(), |double| format!("{double}"))
        }
        other => other.to_string(),
    }
}
