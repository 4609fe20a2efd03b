//! The option table against the options recorded from each release's classes, one by one.
//!
//! `UPDATE_EXPECT=1 cargo test --test options` rewrites `src/config/options.tsv`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;
use weir::config::options::{self, KeyStatus};
use weir::units::FlinkVersion;

fn recorded(name: &str) -> Value {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/oracle/memory").join(name);
    let text = std::fs::read_to_string(path).expect("the recorded file is readable");
    serde_json::from_str(&text).expect("the recorded file is JSON")
}

/// Type, default and older keys of an option, as the table's cells.
type Facts = [String; 3];

fn facts(option: &Value) -> Facts {
    let class = option["type"].as_str().expect("a type").rsplit('.').next().unwrap_or_default();
    let kind = match class {
        "String" => "string",
        "Integer" => "int",
        "Long" => "long",
        "Double" => "double",
        "Float" => "float",
        "Boolean" => "bool",
        "Duration" => "duration",
        "MemorySize" => "size",
        "Map" => "map",
        _ => "enum",
    };
    let list = if option["list"].as_bool() == Some(true) { "[]" } else { "" };
    let deprecated = if option["deprecated"].as_bool() == Some(true) { "!" } else { "" };
    let default = option["default"].as_str().map_or(String::new(), |text| format!("={text}"));
    assert!(!default.contains(['\t', '\n']), "a default needs an escape: {default}");
    let older: Vec<String> = option["fallbackKeys"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|older| {
            let mark = if older["deprecated"].as_bool() == Some(true) { "" } else { "+" };
            format!("{mark}{}", older["key"].as_str().expect("a key"))
        })
        .collect();
    [format!("{kind}{list}{deprecated}"), default, older.join(",")]
}

/// Keys that Flink keeps for itself, and keys relative to a reporter's prefix.
fn is_left_out(key: &str) -> bool {
    const WITHOUT_DOT: [&str; 2] = ["external-resources", "scheduler-mode"];
    let own = ["$internal.", "internal.", "hidden."];
    let relative = ["<", "factory.", "scope.", "filter."];
    (!key.contains('.') && !WITHOUT_DOT.contains(&key))
        || own.iter().chain(&relative).any(|prefix| key.starts_with(prefix))
}

/// Facts by key, in the order of `FlinkVersion::ALL`; an option that two classes declare counts
/// once, the declaration that is not deprecated.
fn table() -> BTreeMap<String, [Option<Facts>; 3]> {
    let mut table: BTreeMap<String, [Option<Facts>; 3]> = BTreeMap::new();
    for (index, version) in FlinkVersion::ALL.into_iter().enumerate() {
        let file = recorded(&format!("options_{}.json", version.checked_on()));
        let classes = file["classes"].as_object().expect("classes");
        for option in classes.values().flat_map(|options| options.as_array().expect("options")) {
            let key = option["key"].as_str().expect("a key");
            if is_left_out(key) {
                continue;
            }
            let slot = &mut table.entry(key.to_owned()).or_default()[index];
            if slot.as_ref().is_none_or(|[kind, ..]| kind.ends_with('!')) {
                *slot = Some(facts(option));
            }
        }
    }
    table
}

fn render(table: &BTreeMap<String, [Option<Facts>; 3]>) -> String {
    let mut out = String::new();
    for (key, versions) in table {
        let mut rows: Vec<(u8, &Facts)> = Vec::new();
        for (index, facts) in versions.iter().enumerate() {
            let Some(facts) = facts else { continue };
            match rows.iter_mut().find(|(_, known)| *known == facts) {
                Some((mask, _)) => *mask |= 1 << index,
                None => rows.push((1 << index, facts)),
            }
        }
        for (row, (mask, facts)) in rows.iter().enumerate() {
            let key = if row == 0 { key } else { "" };
            let line = format!("{key}\t{mask}\t{}", facts.join("\t"));
            out.push_str(line.trim_end_matches('\t'));
            out.push('\n');
        }
    }
    out
}

#[test]
fn the_table_is_what_was_recorded() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/config/options.tsv");
    let want = render(&table());
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, &want).expect("the table is writable");
    }
    let got = std::fs::read_to_string(&path).expect("the table is readable");
    assert!(got == want, "options.tsv is out of date: UPDATE_EXPECT=1 cargo test --test options");
}

#[test]
fn every_option_is_found_as_recorded() {
    let mut compared = 0;
    for (key, versions) in table() {
        for (version, facts) in FlinkVersion::ALL.into_iter().zip(versions) {
            let got = options::lookup(version, &key).map(|option| {
                let list = if option.list { "[]" } else { "" };
                let deprecated = if option.deprecated { "!" } else { "" };
                let older: Vec<String> = option
                    .fallbacks
                    .iter()
                    .map(|o| format!("{}{}", if o.deprecated { "" } else { "+" }, o.key))
                    .collect();
                [
                    format!("{}{list}{deprecated}", option.kind),
                    option.default.map_or(String::new(), |text| format!("={text}")),
                    older.join(","),
                ]
            });
            assert_eq!(got, facts, "{key} in {version}");
            compared += usize::from(facts.is_some());
        }
    }
    println!("options compared: {compared}");
    assert!(compared > 2000, "only {compared} options were compared");
}

#[test]
fn often_used_keys_have_the_recorded_status() {
    let file = recorded("key_status.json");
    for (key, versions) in file.as_object().expect("keys") {
        for version in FlinkVersion::ALL {
            let want = &versions[version.checked_on()];
            let got = options::status(version, key);
            let fits = match &got {
                KeyStatus::Primary => want.get("primary").is_some(),
                KeyStatus::Deprecated { of } | KeyStatus::Fallback { of } => {
                    let mut recorded: Vec<&str> = want["fallbackOf"]
                        .as_array()
                        .into_iter()
                        .flatten()
                        .filter_map(|f| f["of"].as_str())
                        .collect();
                    recorded.sort_unstable();
                    recorded.dedup();
                    recorded == *of
                }
                KeyStatus::OtherVersion { .. } | KeyStatus::Unknown { .. } => want == "unknown",
                KeyStatus::Family { .. } => false,
            };
            assert!(fits, "{key} in {version}: {got:?}, recorded {want}");
        }
    }
}
