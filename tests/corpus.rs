//! What people had in public reports, and the right answers to it.
#![cfg(not(target_arch = "wasm32"))]

#[path = "replay/native.rs"]
mod native;

use std::collections::{BTreeMap, BTreeSet};

use native::ask;
use serde_json::{Value, json};

const MEMORY: &str = include_str!("golden/corpus/memory.jsonl");

/// Pastes the row's text, then asks the memory questions with what was read.
fn check(row: &Value) {
    let id = &row["id"];
    let paste = json!({ "version": "1.18", "text": row["paste"], "fileName": null });
    let answer = ask("readPaste", &paste);
    assert_eq!(answer["ok"], json!(true), "{id} {answer}");
    let report = &answer["value"];
    assert_eq!(report["kind"], row["kind"], "{id}");
    assert_eq!(report["role"], row["role"], "{id}");
    let (cause, knob) = (&report["cause"]["code"], &report["cause"]["knob"]);
    assert_eq!((cause, knob), (&row["cause"], &row["knob"]), "{id}");
    let texts = report["cause"].to_string().replace('\u{202f}', " ");
    for finding in row["finds"].as_array().into_iter().flatten() {
        let findings = answer["findings"].as_array().expect("findings");
        let found = findings.iter().find(|found| found["code"] == finding["code"]);
        let found =
            found.unwrap_or_else(|| panic!("{id} has no {}: {findings:?}", finding["code"]));
        assert_eq!(found["apply"], finding["apply"], "{id}");
    }
    if let Some(limit) = row.get("reads_limit") {
        assert_eq!(&report["containerLimit"], limit, "{id}");
    }
    for words in row["says"].as_array().into_iter().flatten() {
        let words = words.as_str().expect("words");
        assert!(texts.contains(words), "{id} does not say {words}: {texts}");
    }
    let config: BTreeMap<&str, &str> = report["entries"]
        .as_array()
        .expect("entries")
        .iter()
        .filter_map(|entry| Some((entry["key"].as_str()?, entry["value"].as_str()?)))
        .collect();
    if let Some(settings) = row.get("settings") {
        assert_eq!(&json!(config), settings, "{id}");
    }
    let params = json!({
        "version": "1.18",
        "config": config,
        "startScript": true,
        "containerLimit": row.get("limit").unwrap_or(&Value::Null),
    });
    let mut with_role = params.clone();
    with_role["role"] = row["role"].clone();
    if let Some(smallest) = row.get("smallest") {
        let answer = ask("memoryBoundaries", &with_role);
        assert_eq!(&answer["value"]["smallestProcess"]["whole"], smallest, "{id}");
    }
    let question =
        if row["role"] == "jobmanager" { "deriveJobManager" } else { "deriveTaskManager" };
    let answer = ask(question, &params);
    if let Some(kind) = row.get("refused") {
        assert_eq!(&answer["error"]["code"], kind, "{id}");
    }
    let value = &answer["value"];
    for (name, want) in row["values"].as_object().into_iter().flatten() {
        assert_eq!(&value[name], want, "{id} {name}");
    }
    for (pool, want) in row["perSlot"].as_object().into_iter().flatten() {
        let slots = value["slots"].as_array().expect("slots");
        let share = slots.iter().find(|share| share["id"] == json!(pool)).expect("its share");
        assert_eq!(&share["perSlot"], want, "{id} {pool}");
    }
    if let Some(before) = row.get("before") {
        check_against(row, before, &with_role);
    }
    if let Some(workload) = row.get("workload") {
        check_backends(row, workload, &params);
    }
    if let Some(jvm) = row.get("jvm") {
        check_local(row, jvm);
    }
    if let Some(headroom) = row.get("headroom") {
        assert_eq!(&value["container"]["headroom"], headroom, "{id}");
    }
    if let Some(code) = row.get("finding") {
        let findings = answer["findings"].as_array().expect("findings");
        assert!(findings.iter().any(|finding| &finding["code"] == code), "{id} {findings:?}");
    }
}

/// What a TaskManager inside the person's own JVM gets.
fn check_local(row: &Value, jvm: &Value) {
    let id = &row["id"];
    let mut params = json!({ "version": "1.18", "startScript": true, "containerLimit": null });
    for (name, value) in jvm.as_object().expect("what the JVM was given") {
        params[name] = value.clone();
    }
    let answer = ask("localMemory", &params);
    for (name, want) in row["local"].as_object().expect("numbers") {
        assert_eq!(&answer["value"][name], want, "{id} {name} {answer}");
    }
}

/// What differs from the settings that the person had before.
fn check_against(row: &Value, before: &Value, now: &Value) {
    let id = &row["id"];
    let mut settings = now.clone();
    settings.as_object_mut().expect("params").remove("role");
    settings["config"] = before.clone();
    let answer = ask("compareMemory", &json!({ "a": { "settings": settings }, "b": now }));
    let report = &answer["value"];
    let rows = ["components", "flags"].iter().flat_map(|list| report[*list].as_array());
    let rows: Vec<&Value> = rows.flatten().collect();
    for (name, want) in row["differences"].as_object().expect("differences") {
        let found = rows.iter().find(|row| row["id"] == json!(name)).expect("it is compared");
        assert_eq!(&found["difference"], want, "{id} {name}");
    }
    let findings = answer["findings"].to_string();
    let warning = row["warns"].as_str().expect("a warning");
    assert!(findings.contains(warning), "{id} does not warn {warning}: {findings}");
}

/// Whether the state fits, on either backend, over all TaskManagers.
fn check_backends(row: &Value, workload: &Value, memory: &Value) {
    let id = &row["id"];
    let mut params = memory.clone();
    params["workload"] = workload.clone();
    params["changes"] = json!({ "updates": 0, "distinct": null, "sstBytesPerEntry": null });
    params["assumptions"] = Value::Null;
    let answer = ask("compareBackends", &params);
    let report = &answer["value"];
    assert_eq!(report["better"], row["better"], "{id} {answer}");
    for (name, want) in row["cluster"].as_object().expect("sums") {
        assert_eq!(&report["cluster"][name], want, "{id} {name}");
    }
}

#[test]
fn memory_reports_get_the_right_answers() {
    let mut ids = BTreeSet::new();
    let mut rows = 0;
    for line in MEMORY.lines() {
        let row: Value = serde_json::from_str(line).expect("a row is JSON");
        check(&row);
        ids.insert(row["id"].as_str().expect("an id").to_owned());
        rows += 1;
    }
    println!("{rows} rows of {} reports answered: {ids:?}", ids.len());
}
