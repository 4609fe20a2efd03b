//! Every size that is offered as a way out of a recorded failure, tried to the byte.
#![cfg(not(target_arch = "wasm32"))]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;
use weir::config::size::{config_text, parse};
use weir::memory::backwards::size_range;
use weir::memory::options::{OptionDef, jm, tm};
use weir::memory::{DiagnoseParams, MemoryParams, Role, diagnose};
use weir::units::{Bytes, FlinkVersion};

const ROLES: [(Role, &str); 2] = [(Role::TaskManager, "tm"), (Role::JobManager, "jm")];

fn rows(role: &str, version: FlinkVersion) -> Vec<Value> {
    let name = format!("tests/oracle/memory/{role}_memory_{}.jsonl", version.checked_on());
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name));
    let text = text.expect("the oracle file is readable");
    text.lines().map(|line| serde_json::from_str(line).expect("a row is JSON")).collect()
}

#[test]
fn every_size_offered_for_a_recorded_failure_mends_it_to_the_byte() {
    const OPTIONS: [OptionDef; 19] = [
        tm::PROCESS,
        tm::FLINK,
        tm::NETWORK_MAX,
        tm::NETWORK_MIN,
        tm::OVERHEAD_MAX,
        tm::OVERHEAD_MIN,
        tm::TASK_HEAP,
        tm::MANAGED,
        tm::FRAMEWORK_HEAP,
        tm::FRAMEWORK_OFF_HEAP,
        tm::METASPACE,
        jm::PROCESS,
        jm::FLINK,
        jm::OVERHEAD_MAX,
        jm::OVERHEAD_MIN,
        jm::HEAP,
        jm::OFF_HEAP,
        jm::METASPACE,
        tm::TASK_OFF_HEAP,
    ];
    // 1.18.1 and 1.20.5 agree in every row.
    for version in [FlinkVersion::V1_20, FlinkVersion::V2_2] {
        for (role, file) in ROLES {
            let (mut failing, mut mended, mut fixes) = (0, 0, 0);
            let (mut to_the_byte, mut same) = (0, 0);
            for row in rows(file, version) {
                let recorded: BTreeMap<String, String> =
                    serde_json::from_value(row["config"].clone()).expect("a configuration");
                if row.get("error").is_none() {
                    continue;
                }
                let mut memory = MemoryParams { config: recorded, ..MemoryParams::new(version) };
                memory.start_script = false;
                let params = DiagnoseParams { role, memory };
                let answer = diagnose(&params);
                assert!(answer.value.failure.is_some(), "{}", row["id"]);
                failing += 1;
                mended += usize::from(!answer.findings.is_empty());
                let starts = |changes: &[(&str, Option<String>)]| {
                    let mut params = params.clone();
                    for (key, value) in changes {
                        match value {
                            Some(text) => {
                                params.memory.config.insert((*key).to_owned(), text.clone())
                            }
                            None => params.memory.config.remove(*key),
                        };
                    }
                    diagnose(&params).value.failure.is_none()
                };
                for way in &answer.findings {
                    let changes: Vec<_> =
                        way.apply.iter().map(|c| (c.option.as_str(), c.value.clone())).collect();
                    assert!(starts(&changes), "{} {}", row["id"], way.title);
                    fixes += 1;
                    let moved = way.title.starts_with("Raise") || way.title.starts_with("Lower");
                    let option = OPTIONS.iter().find(|o| Some(o.key) == way.option.as_deref());
                    let (true, Some(option)) = (moved, option) else { continue };
                    let text = changes[0].1.as_deref().expect("a size");
                    let offered = parse(text).expect("a size").get();
                    // The boundary that is named lies within a MiB of what is offered, on the side of
                    // the failure, and so does the end of the knob's range.
                    let toward = if way.title.starts_with("Raise") { -1 } else { 1 };
                    let (_, named) = way.reason.split_once("accepts is ").expect("a boundary");
                    let named = named.trim_end_matches('.');
                    let named = parse(named).expect("as Flink reads sizes").get();
                    let at =
                        |bytes: i64| starts(&[(option.key, Some(config_text(Bytes::new(bytes))))]);
                    assert!(at(named) && !at(named + toward), "{} {}", row["id"], way.reason);
                    assert!((offered - named).abs() < 1 << 20, "{} {}", row["id"], way.reason);
                    let range = size_range(role, &params.memory, *option);
                    let end = if toward < 0 { &range.lowest } else { &range.highest };
                    let end = end.as_ref().and_then(|end| end.bytes);
                    let end = end.unwrap_or_else(|| panic!("{} {range:?}", row["id"])).get();
                    assert!(at(end) && !at(end + toward), "{} {range:?}", row["id"]);
                    same += usize::from(end == named);
                    to_the_byte += 1;
                }
            }
            println!(
                "{file} {}: {failing} failures, {mended} with ways out, {fixes} tried, {to_the_byte} of them to the byte, {same} of these the end of the knob's range",
                version.checked_on()
            );
        }
    }
}
