//! The engine against recorded answers of real Flink.

mod replay;

use std::path::PathBuf;

use replay::Mismatch;
use serde_json::Value;

#[track_caller]
fn check(file: &str, replay: fn(&Value) -> Vec<Mismatch>) {
    let folder = std::env::var("ORACLE_DIR").map_or_else(
        |_| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/oracle"),
        PathBuf::from,
    );
    let text = std::fs::read_to_string(folder.join(file)).expect("the oracle file is readable");
    let (mut passed, mut total) = (0, 0);
    for line in text.lines() {
        let row: Value = serde_json::from_str(line).expect("a row is JSON");
        total += 1;
        let found = replay(&row);
        passed += usize::from(found.is_empty());
        for m in found {
            println!("{} {}: expected {}, got {}", row["id"], m.what, m.expected, m.got);
        }
    }
    println!("{file}: {passed}/{total}");
    assert_eq!(passed, total, "{file}");
}

#[test]
fn config_files_load_as_in_flink() {
    check("memory/config_files.jsonl", replay::config::config_files);
}

#[test]
fn durations_parse_as_in_flink() {
    check("memory/duration_parse.jsonl", replay::duration::duration_parse);
}
