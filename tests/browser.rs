//! The exported questions in a real browser: every recorded row of the memory files through wasm,
//! and the shape of an answer.
#![cfg(target_arch = "wasm32")]

mod replay;

use js_sys::JSON;
use replay::{digest, replay_of};
use serde_json::{Value, json};
use wasm_bindgen::JsValue;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use weir::web::{checkpoints, event_time, later, questions, transactions};

wasm_bindgen_test_configure!(run_in_browser);

/// Asks through the exports, with JavaScript objects in and out.
fn ask(question: &str, params: &Value) -> Value {
    let params = JSON::parse(&params.to_string()).expect("params are JSON");
    let answer = export(question, params);
    let text = JSON::stringify(&answer).expect("an answer is JSON");
    serde_json::from_str(&String::from(text)).expect("JSON reads back")
}

fn export(question: &str, params: JsValue) -> JsValue {
    match question {
        "about" => questions::about(params),
        "deriveTaskManager" => questions::derive_task_manager(params),
        "deriveJobManager" => questions::derive_job_manager(params),
        "drawMemory" => questions::draw_memory(params),
        "memoryBoundaries" => later::memory_boundaries(params),
        "compareMemory" => later::compare_memory(params),
        "localMemory" => later::local_memory(params),
        "comparePanels" => later::compare_panels(params),
        "drawState" => later::draw_state(params),
        "diagnose" => questions::diagnose(params),
        "memoryForm" => questions::memory_form(params),
        "parseDuration" => questions::parse_duration(params),
        "readConfig" => later::read_config(params),
        "readPaste" => later::read_paste(params),
        "exportConfig" => later::export_config(params),
        "parseMemorySize" => questions::parse_memory_size(params),
        "rocksdbMemory" => later::rocksdb_memory(params),
        "networkBuffers" => later::network_buffers(params),
        "slotsSweep" => later::slots_sweep(params),
        "heapState" => later::heap_state(params),
        "compareBackends" => later::compare_backends(params),
        "ttlGrowth" => later::ttl_growth(params),
        "runEventTime" => event_time::run_event_time(params),
        "compareEventTime" => event_time::compare_event_time(params),
        "drawEventTime" => event_time::draw_event_time(params),
        "drawEventState" => event_time::draw_event_state(params),
        "eventTimeAt" => event_time::event_time_at(params),
        "whyNoOutput" => event_time::why_no_output(params),
        "traceWatermarks" => event_time::trace_watermarks(params),
        "assignWindows" => event_time::assign_windows(params),
        "drawTimeline" => checkpoints::draw_timeline(params),
        "stepBarriers" => checkpoints::step_barriers(params),
        "exploreBarriers" => checkpoints::explore_barriers(params),
        "barrierPresets" => checkpoints::barrier_presets(params),
        "simulateScenario" => checkpoints::simulate_scenario(params),
        "closedForm" => checkpoints::closed_form(params),
        "restartOptions" => checkpoints::restart_options(params),
        "importCheckpoints" => checkpoints::import_checkpoints(params),
        "drawTransactions" => transactions::draw_transactions(params),
        "drawWay" => transactions::draw_way(params),
        "playTransactions" => transactions::play_transactions(params),
        "assignKeyGroups" => event_time::assign_key_groups(params),
        "transactionTimeouts" => transactions::transaction_timeouts(params),
        "drawTimeouts" => transactions::draw_timeouts(params),
        "lintTransactions" => transactions::lint_transactions(params),
        "readTransactionText" => transactions::read_transaction_text(params),
        _ => panic!("{question} is not exported"),
    }
}

/// Replays every row of a file.
#[track_caller]
fn replay_all(file: &str, rows: &str) {
    let replay = replay_of(file).expect("the file has a replay");
    let mut total = 0;
    for line in rows.lines().filter(|line| !line.trim().is_empty()) {
        let row: Value = serde_json::from_str(line).expect("a row is JSON");
        let found = replay(&ask, &row);
        assert!(found.is_empty(), "{file} {}: {found:?}", row["id"]);
        total += 1;
    }
    assert!(total > 0, "{file} has no rows");
    // Values, findings and steps: everything equals what native code answers, not only the oracle's fields.
    let digest = digest::of_answers(&ask, file, rows);
    assert!(digest::GOLDEN.lines().any(|line| line == digest), "native differs from {digest}");
}

/// One test a file, so that a failure names it.
macro_rules! replayed {
    ($($name:ident: $file:literal;)*) => {
        $(
            #[wasm_bindgen_test]
            fn $name() {
                replay_all($file, include_str!(concat!("oracle/", $file)));
            }
        )*
    };
}

replayed! {
    task_manager_1_18: "memory/tm_memory_1.18.1.jsonl";
    task_manager_1_20: "memory/tm_memory_1.20.5.jsonl";
    task_manager_2_2: "memory/tm_memory_2.2.1.jsonl";
    job_manager_1_18: "memory/jm_memory_1.18.1.jsonl";
    job_manager_1_20: "memory/jm_memory_1.20.5.jsonl";
    job_manager_2_2: "memory/jm_memory_2.2.1.jsonl";
    window_operator: "event-time/windows.jsonl";
    downstream: "event-time/downstream.jsonl";
    valve: "event-time/valve.jsonl";
    multiplexer: "event-time/multiplexer.jsonl";
    generators: "event-time/generators.jsonl";
    assigners: "event-time/assigners.jsonl";
    key_groups: "memory/key_groups.jsonl";
    durations: "memory/duration_parse.jsonl";
    scenarios: "transactions/scenarios.jsonl";
    config_files: "memory/config_files.jsonl";
    memory_sizes: "memory/memory_size_parse.jsonl";
    rocksdb_memory: "memory/rocksdb_memory.jsonl";
    network_buffers: "memory/network_buffers.jsonl";
    state_heap: "state/heap.jsonl";
    state_snapshots: "state/snapshot.jsonl";
    state_incremental: "state/incremental.jsonl";
    state_ttl: "state/ttl.jsonl";
}

#[wasm_bindgen_test]
fn bad_params_are_an_answer_with_the_path() {
    let answer = ask("deriveTaskManager", &json!({ "version": "1.20", "config": { "a": 1 } }));
    assert_eq!(answer["ok"], json!(false));
    assert_eq!(answer["error"]["code"], json!("bad_params"));
    assert_eq!(answer["error"]["field"], json!("config.a"));
    let misspelt = json!({ "text": "4g", "txet": "4g" });
    assert_eq!(ask("parseMemorySize", &misspelt)["ok"], json!(false));
    for params in [JsValue::UNDEFINED, JsValue::NULL, JsValue::from_f64(f64::NAN)] {
        let answer = questions::derive_task_manager(params);
        let text = String::from(JSON::stringify(&answer).expect("an answer is JSON"));
        assert!(text.starts_with("{\"ok\":false"), "{text}");
    }
}

#[wasm_bindgen_test]
fn sizes_beyond_a_double_keep_their_bytes() {
    let answer = ask("parseMemorySize", &json!({ "text": "9223372036854775807" }));
    assert_eq!(answer["value"]["bytes"], json!("9223372036854775807"));
}

#[wasm_bindgen_test]
fn a_panel_is_drawn() {
    let of = json!({ "ttlGrowth": {
        "version": "1.20",
        "keySpaces": [{ "keys": 10_000_000, "updatesPerSecond": 200.0 }],
        "ttlSeconds": 3600,
        "cleanUp": "compactionFilter",
        "horizonSeconds": 86_400,
    } });
    let answer = ask("drawState", &json!({ "of": of, "theme": "light", "width": 900 }));
    let golden = include_str!("golden/charts/ttl_light.svg");
    assert_eq!(answer["value"]["svg"], json!(golden), "{answer}");
}

#[wasm_bindgen_test]
fn two_processes_are_compared() {
    let stock = json!({ "taskmanager.memory.process.size": "1728m" });
    let side = |version: &str| json!({ "version": version, "config": stock, "startScript": true, "containerLimit": null });
    let mut b = side("2.2");
    b["role"] = json!("taskmanager");
    let answer = ask("compareMemory", &json!({ "a": { "settings": side("1.18") }, "b": b }));
    assert_eq!(answer["value"]["equal"], json!(10), "{answer}");
    let observed = json!([{ "id": "jvmHeap", "bytes": 536_870_902, "exact": true }]);
    let answer = ask("compareMemory", &json!({ "a": { "observed": observed }, "b": b }));
    assert_eq!(answer["value"]["flags"][0]["difference"], json!(0), "{answer}");
}

#[wasm_bindgen_test]
fn timeouts_settings_and_texts_of_transactions_are_judged() {
    let lints: Value =
        serde_json::from_str(include_str!("golden/transactions/sound.json")).expect("it is JSON");
    let answer = ask("transactionTimeouts", &lints["times"]);
    assert_eq!(answer["value"]["safe"], json!({ "fromMs": 185_001, "toMs": 900_000 }), "{answer}");
    let draw = json!({ "times": lints["times"], "theme": "light", "width": 900 });
    let golden = include_str!("golden/charts/timeout_ruler_light.svg");
    assert_eq!(ask("drawTimeouts", &draw)["value"]["svg"], json!(golden));
    let answer = ask("lintTransactions", &lints);
    assert_eq!(answer["findings"], json!([]), "{answer}");
    let text = json!({ "version": "1.20", "text": "InvalidPidMappingException" });
    let answer = ask("readTransactionText", &text);
    assert_eq!(answer["value"]["cause"]["code"], json!("idExpired"), "{answer}");
}

#[wasm_bindgen_test]
fn a_way_is_drawn_and_one_that_no_search_found_is_refused() {
    let way = |choices: &[u32]| {
        let search = json!({ "sinks": 1, "isSymmetric": false });
        let way = json!({ "search": search, "choices": choices, "prefix": "app", "breaks": false });
        ask("drawWay", &json!({ "way": way, "upto": 3, "theme": "light", "width": 900 }))
    };
    // A start, the opening of a transaction, a record.
    let drawn = way(&[0, 0, 0]);
    let svg = drawn["value"]["svg"].as_str().expect("it is drawn");
    assert!(svg.contains("step 3") && svg.contains("Subtask 0 writes 1 record."), "{drawn}");
    assert_eq!(way(&[0, 77])["error"]["field"], json!("way.choices"));
}

#[wasm_bindgen_test]
fn two_answers_of_a_panel_are_compared() {
    let side = |heap: &str| {
        json!({ "localMemory": {
            "version": "1.20", "config": {}, "startScript": true, "containerLimit": null,
            "jvmHeap": heap, "maxDirectMemory": null,
        } })
    };
    let answer = ask("comparePanels", &json!({ "a": side("1g"), "b": side("2g") }));
    assert_eq!(answer["value"]["figures"][0]["difference"], json!(1 << 30), "{answer}");
    let answer = ask("localMemory", &side("2g")["localMemory"]);
    assert_eq!(answer["value"]["segments"], json!(2048), "{answer}");
}

#[wasm_bindgen_test]
fn the_engine_says_what_it_is() {
    let answer = ask("about", &json!({}));
    assert_eq!(answer["value"]["flink"][1], json!({ "line": "1.20", "checkedOn": "1.20.5" }));
}
