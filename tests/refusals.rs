//! Refusals that the oracle does not hold, against what Flink's classes answered: 1.18.1, 1.20.1
//! and 2.2.1, each asked for the spec and then for its JVM arguments.
#![cfg(not(target_arch = "wasm32"))]

use std::collections::BTreeMap;

use serde_json::Value;
use weir::memory::{MemoryParams, derive_job_manager, derive_task_manager};
use weir::units::FlinkVersion;

#[test]
fn refusals_are_worded_as_flink_words_them() {
    let mut differ = Vec::new();
    let mut rows = 0;
    for line in include_str!("golden/memory/refusals.jsonl").lines() {
        let row: Value = serde_json::from_str(line).expect("a row is JSON");
        let flink = row["flink"].as_str().expect("a version");
        let release = flink.rsplit_once('.').map_or(flink, |(release, _)| release);
        let config: BTreeMap<String, String> =
            serde_json::from_value(row["config"].clone()).expect("a config holds texts");
        let version = FlinkVersion::from_text(release).expect("the release is modelled");
        let mut params = MemoryParams { config, ..MemoryParams::new(version) };
        params.start_script = false;
        let got = match row["process"].as_str() {
            Some("tm") => derive_task_manager(&params).map(|answer| answer.value.jvm_args),
            _ => derive_job_manager(&params).map(|answer| answer.value.jvm_args),
        };
        let want = match row["ok"]["jvmArgs"].as_str() {
            Some(args) => Ok(args),
            None => Err(row["error"]["message"].as_str().expect("a message")),
        };
        let got = got.map_err(|error| error.message);
        if want != got.as_deref().map_err(String::as_str) {
            differ.push(format!("{} {flink}: expected {want:?}, got {got:?}", row["id"]));
        }
        rows += 1;
    }
    assert!(rows > 0);
    assert!(differ.is_empty(), "{} of {rows} differ:\n{}", differ.len(), differ.join("\n"));
}

/// Whoever has only the exception gets the cause that the configuration gives.
#[test]
fn configuration_refusals_are_recognised_when_pasted() {
    use weir::reading::{PasteParams, read_paste};
    let mut read = 0;
    for line in include_str!("golden/memory/refusals.jsonl").lines() {
        let row: Value = serde_json::from_str(line).expect("a row is JSON");
        let class = row["error"]["class"].as_str().unwrap_or_default();
        let message = row["error"]["message"].as_str().unwrap_or_default();
        if !class.ends_with("IllegalConfigurationException") || message.contains("If Total Flink") {
            // The outer message of a network refusal holds no number; its cause is what people need.
            continue;
        }
        let text = format!("{class}: {message}");
        let params = PasteParams { version: FlinkVersion::V1_20, text, file_name: None };
        let answer = read_paste(&params).unwrap_or_else(|error| panic!("{}: {error}", row["id"]));
        assert!(answer.value.cause.is_some(), "{}", row["id"]);
        read += 1;
    }
    assert!(read > 0);
}
