//! `config_files.jsonl`: whole configuration folders as each version loads them.

use std::collections::BTreeMap;

use serde_json::Value;
use weir::config::files::{self, ConfigFilesParams};
use weir::units::FlinkVersion;

use super::{Mismatch, compare, recorded, text};

/// Loads the row's files as each version does; compares every key and value, or the refusal.
pub fn config_files(row: &Value) -> Vec<Mismatch> {
    let mut found = Vec::new();
    let files: BTreeMap<String, String> =
        serde_json::from_value(row["files"].clone()).unwrap_or_default();
    for version in FlinkVersion::ALL {
        let want = recorded(row, version);
        let got = files::read(&ConfigFilesParams { version, files: files.clone() });
        let at = |what: &str| format!("{} {what}", version.checked_on());
        match (want.get("ok"), want.get("error"), got) {
            (Some(ok), _, Ok(got)) => {
                let flat: BTreeMap<String, String> =
                    serde_json::from_value(ok["flat"].clone()).unwrap_or_default();
                let entries: BTreeMap<String, String> =
                    got.value.entries.into_iter().map(|e| (e.key, e.value)).collect();
                compare(&mut found, at("flat"), &format!("{flat:?}"), &format!("{entries:?}"));
            }
            (_, Some(error), Err(got)) => {
                compare(&mut found, at("kind"), text(error, "kind"), got.kind());
                compare(&mut found, at("message"), text(error, "message"), &got.to_string());
            }
            (Some(_), _, Err(got)) => compare(&mut found, at("answer"), "ok", &got.to_string()),
            (_, Some(error), Ok(got)) => {
                let got = format!("{:?}", got.value.entries);
                compare(&mut found, at("answer"), text(error, "message"), &got);
            }
            (None, None, _) => compare(&mut found, at("row"), "ok or error", "neither"),
        }
    }
    found
}
