//! The REST answers of recorded runs, as they came: the repository's copy, or the folder
//! `checkpoints/raw` of `ORACLE_DIR`. What was known of a run besides is not among them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use weir::checkpoint::import::{ImportFile, ImportParams};

/// Files of a recorded run that no REST handler wrote.
const NOT_REST: [&str; 2] = ["params.json", "events.jsonl"];

/// Every run: its case and mode, and its answers by file name.
pub fn runs() -> Vec<(String, BTreeMap<String, String>)> {
    match std::env::var_os("ORACLE_DIR") {
        Some(folder) => in_folders(&PathBuf::from(folder).join("checkpoints/raw")),
        None => packed(),
    }
}

fn packed() -> Vec<(String, BTreeMap<String, String>)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracle/checkpoints/raw.jsonl");
    let text = fs::read_to_string(path).expect("the recorded answers are there");
    let run = |line: &str| {
        let row: Value = serde_json::from_str(line).expect("a run is JSON");
        let name = row["run"].as_str().expect("a name").to_owned();
        (name, serde_json::from_value(row["files"].clone()).expect("texts by name"))
    };
    text.lines().map(run).collect()
}

fn in_folders(root: &Path) -> Vec<(String, BTreeMap<String, String>)> {
    let mut runs = Vec::new();
    for case in names(root) {
        for mode in names(&root.join(&case)) {
            let folder = root.join(&case).join(&mode);
            let files = names(&folder).into_iter().filter(|it| {
                Path::new(it).extension().is_some_and(|it| it == "json")
                    && !NOT_REST.contains(&it.as_str())
            });
            let texts = files.filter_map(|name| {
                let text = fs::read_to_string(folder.join(&name)).ok()?;
                Some((name, text))
            });
            runs.push((format!("{case}/{mode}"), texts.collect()));
        }
    }
    runs
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.filter_map(|it| it.file_name().into_string().ok()).collect();
    names.sort();
    names
}

/// All of a run's files.
pub fn params(files: &BTreeMap<String, String>) -> ImportParams {
    let file = |(name, text): (&String, &String)| ImportFile {
        name: Some(name.clone()),
        text: text.clone(),
    };
    ImportParams { files: files.iter().map(file).collect(), checkpoint: None }
}
