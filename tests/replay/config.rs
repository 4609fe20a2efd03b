//! `config_files.jsonl`: whole configuration folders as each version loads them.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use weir::units::FlinkVersion;

use super::{Ask, Mismatch, compare, recorded, text};

/// Loads the row's files as each version does; compares every key and value, or the refusal.
pub fn config_files(ask: Ask<'_>, row: &Value) -> Vec<Mismatch> {
    let mut found = Vec::new();
    for version in FlinkVersion::ALL {
        let want = recorded(row, version);
        let params = json!({ "version": version.line(), "files": row["files"] });
        let answer = ask("readConfig", &params);
        let at = |what: &str| format!("{} {what}", version.checked_on());
        match (want.get("ok"), want.get("error"), answer["ok"].as_bool()) {
            (Some(ok), _, Some(true)) => {
                let entries = answer["value"]["entries"].as_array().cloned().unwrap_or_default();
                let got: BTreeMap<&str, &str> =
                    entries.iter().map(|e| (text(e, "key"), text(e, "value"))).collect();
                let flat: BTreeMap<String, String> =
                    serde_json::from_value(ok["flat"].clone()).unwrap_or_default();
                compare(&mut found, at("flat"), &format!("{flat:?}"), &format!("{got:?}"));
            }
            (_, Some(error), Some(false)) => {
                // Behind Flink's message stands, in our words, where it is wrong and what to do.
                let got = text(&answer["error"], "message");
                let expected = text(error, "message");
                let got = got.get(..expected.len()).unwrap_or(got);
                compare(&mut found, at("message"), expected, got);
            }
            _ => compare(&mut found, at("outcome"), &want.to_string(), &answer.to_string()),
        }
    }
    found
}
