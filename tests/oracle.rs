//! The engine against recorded answers of real Flink.
//!
//! Reads the folder named by `ORACLE_DIR`, or the copies under `tests/oracle`. Prints one line a
//! file, then its first mismatches; a file that nothing replays yet prints `not replayed`.
#![cfg(not(target_arch = "wasm32"))]

mod replay;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use replay::{Mismatch, digest, native, replay_of};
use serde_json::Value;

/// How many mismatches of a file are printed.
const SHOWN: usize = 10;

const FOLDERS: [&str; 5] = ["memory", "state", "event-time", "transactions", "checkpoints"];

fn folder() -> PathBuf {
    std::env::var_os("ORACLE_DIR")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracle"), PathBuf::from)
}

fn files(folder: &Path) -> Vec<String> {
    let mut files = Vec::new();
    for family in FOLDERS {
        let Ok(entries) = fs::read_dir(folder.join(family)) else {
            println!("{family}: absent, skipped");
            continue;
        };
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.ends_with(".jsonl") {
                files.push(format!("{family}/{name}"));
            }
        }
    }
    files.sort();
    files
}

#[test]
fn every_recorded_answer_is_given() {
    let folder = folder();
    let mut failed = Vec::new();
    let mut replayed = 0;
    for file in files(&folder) {
        let Some(replay) = replay_of(&file) else {
            println!("{file}: not replayed");
            continue;
        };
        let text = fs::read_to_string(folder.join(&file)).expect("the oracle file is readable");
        let (mut passed, mut total, mut shown) = (0, 0, Vec::new());
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let row: Value = serde_json::from_str(line).expect("a row is JSON");
            if !is_compared(&file, &row) {
                continue;
            }
            let found = replay(&native::ask, &row);
            total += 1;
            passed += usize::from(found.is_empty());
            let id = row["id"].as_str().unwrap_or("?").to_owned();
            shown.extend(found.into_iter().map(|mismatch| (id.clone(), mismatch)));
        }
        println!("{file}: {passed}/{total}");
        say_what_was_measured(&file, &text);
        for (id, Mismatch { what, expected, got }) in shown.iter().take(SHOWN) {
            println!("  {id} {what}: expected {expected}, got {got}");
        }
        replayed += total;
        if passed != total {
            failed.push(file);
        }
    }
    assert!(replayed > 0, "no oracle file was replayed from {}", folder.display());
    assert!(failed.is_empty(), "{failed:?} differ from Flink");
}

/// Whether any rule covers the row. A file of measurements has rows that are information only; they
/// are not counted.
fn is_compared(file: &str, row: &Value) -> bool {
    replay::state::of_file(file).is_none_or(|measured| measured(&native::ask, row).is_some())
}

/// How far the engine is off on a file of measurements, and how many rows were not compared.
fn say_what_was_measured(file: &str, rows: &str) {
    let Some(measured) = replay::state::of_file(file) else { return };
    let rows = rows.lines().filter(|line| !line.trim().is_empty());
    let mut by_name: BTreeMap<String, (usize, f64)> = BTreeMap::new();
    let mut information = 0;
    for row in rows.map(|line| serde_json::from_str::<Value>(line).expect("a row is JSON")) {
        match measured(&native::ask, &row) {
            Some(comparison) => {
                let (count, worst) = by_name.entry(comparison.what.clone()).or_default();
                *count += 1;
                *worst = worst.max(comparison.error());
            }
            None => information += 1,
        }
    }
    for (name, (count, worst)) in by_name {
        println!("  {count} of {name}: at most {:.3} % off", worst * 100.0);
    }
    println!("  {information} more rows are information, not compared");
}

/// The browser test asserts the same digests of the wasm exports' answers.
#[test]
fn answers_are_those_that_wasm_gives() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut digests = String::new();
    for file in files(&folder.join("oracle")) {
        let text = fs::read_to_string(folder.join("oracle").join(&file)).expect("readable");
        if replay_of(&file).is_some() {
            digests.push_str(&digest::of_answers(&native::ask, &file, &text));
            digests.push('\n');
        }
    }
    expect_test::expect_file!["golden/answers.txt"].assert_eq(&digests);
}
