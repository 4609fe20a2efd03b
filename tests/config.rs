//! Properties of the config readers and writers on generated texts.
#![cfg(not(target_arch = "wasm32"))]

use std::collections::BTreeMap;
use std::sync::OnceLock;

use proptest::prelude::*;
use weir::config::export::{ExportParams, export};
use weir::config::files::Format;
use weir::config::paste::{PasteParams, read_paste};
use weir::config::report::MAX_SKIPPED_LINES;
use weir::config::yaml::quote::{quote_key, quote_value};
use weir::config::{duration, flat, options, yaml};
use weir::units::FlinkVersion;

const CASES: u32 = 10_000;

/// The keys of all versions.
static KEYS: OnceLock<Vec<&str>> = OnceLock::new();

fn version() -> impl Strategy<Value = FlinkVersion> {
    prop::sample::select(FlinkVersion::ALL.to_vec())
}

/// Text out of the pieces that YAML, the line parser and command lines give a meaning to.
fn fragments() -> impl Strategy<Value = String> {
    const PIECES: &[&str] = &[
        "a",
        "b.c",
        "key",
        ": ",
        ":",
        " ",
        "  ",
        "\n",
        "\n  ",
        "\n- ",
        "- ",
        "? ",
        "\t",
        "#",
        " #",
        "[",
        "]",
        "{",
        "}",
        ",",
        ", ",
        "*x",
        "&x ",
        "!",
        "!!str ",
        "!!int ",
        "|\n  ",
        ">-\n  ",
        "'",
        "\"",
        "\\",
        "---\n",
        "...\n",
        "%",
        "@",
        "`",
        "~",
        "null",
        "true",
        "1",
        "0x1F",
        "1e400",
        "é",
        "\u{1f600}",
        "\u{feff}",
        "\u{85}",
        "\u{2028}",
        "\r\n",
        "\r",
        "\0",
        "-D",
        "-Da.b=",
        "=",
        "taskmanager.memory.process.size: 4g\n",
        "<<",
        "\\x",
        "fs.s3a.secret.key:abc",
    ];
    prop::collection::vec(prop::sample::select(PIECES), 0..24).prop_map(|parts| parts.concat())
}

fn texts() -> impl Strategy<Value = String> {
    prop_oneof![3 => fragments(), 1 => any::<String>(), 1 => "[ -~\n\t]{0,200}"]
}

fn option_values() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        fragments(),
        "[-+]?[0-9.eE:_x]{1,8}",
        prop::sample::select(vec![
            "null", "~", "true", "False", ".inf", "0.40", "010", "*", "a: b"
        ])
        .prop_map(str::to_owned),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(CASES) })]

    #[test]
    fn no_text_makes_a_reader_panic(text in texts(), version in version(), file in 0..4_usize) {
        let _ = flat::parse(&text);
        let _ = yaml::parse(&text);
        let _ = duration::parse(&text, version);
        let file_name = ["flink-conf.yaml", "config.yaml", "x.txt"].get(file).map(|n| (*n).to_owned());
        let _ = read_paste(&PasteParams { version, text, file_name });
    }

    #[test]
    fn a_quoted_text_is_read_as_itself(key in any::<String>(), value in option_values()) {
        prop_assume!(key.chars().count() < 100);
        let text = format!("{}: {}\n", quote_key(&key), quote_value(&value));
        let reading = yaml::parse(&text).map_err(|e| TestCaseError::fail(format!("{text:?} {e:?}")))?;
        let got: Vec<_> = reading.entries.iter().map(|e| (&e.key, &e.value)).collect();
        prop_assert_eq!(got, [(&key, &value)]);
    }

    #[test]
    fn an_exported_configuration_is_read_as_itself(
        version in version(),
        picks in prop::collection::vec((any::<prop::sample::Index>(), option_values()), 0..12),
    ) {
        let keys = KEYS.get_or_init(|| {
            FlinkVersion::ALL.into_iter().flat_map(options::all).map(|option| option.key).collect()
        });
        let config: BTreeMap<String, String> =
            picks.into_iter().map(|(pick, value)| (pick.get(keys).to_string(), value)).collect();
        let got = export(&ExportParams { version, config: config.clone() }).unwrap();
        let mut want = config;
        for finding in &got.findings {
            want.remove(finding.option.as_deref().unwrap_or_default());
        }
        let reading = Format::newest_of(version).read(&got.value.text).unwrap();
        let read: BTreeMap<String, String> =
            reading.entries.into_iter().map(|e| (e.key, e.value)).collect();
        prop_assert_eq!(read, want);
    }

    #[test]
    fn a_printed_duration_is_read_as_itself(
        seconds in 0..=i64::MAX,
        nanos in 0..1_000_000_000_u32,
        scale in prop::sample::select(vec![1, 60, 3_600, 86_400, 1 << 40]),
        version in version(),
    ) {
        let seconds = seconds / scale * (scale.min(86_400));
        let nanos = if scale > 1 { 0 } else { nanos };
        let want = duration::FlinkDuration { seconds, nanos };
        // Flink prints more than its own older versions can hold again, never less.
        if let Ok(text) = duration::format_with_highest_unit(want, version) {
            prop_assert_eq!(duration::parse(&text, version), Ok(want), "{}", text);
        }
    }
}

/// Each row: a text, and what Flink 2.2.1 loaded from it as `config.yaml`, null for a refusal.
#[test]
fn generated_yaml_is_read_as_flink_read_it() {
    let rows = include_str!("golden/config/yaml_2.2.1.jsonl");
    for row in rows.lines() {
        let (text, want): (String, Option<BTreeMap<String, String>>) =
            serde_json::from_str(row).expect("a row is a text and a map");
        let got = yaml::parse(&text).ok().map(|reading| {
            reading.entries.into_iter().map(|e| (e.key, e.value)).collect::<BTreeMap<_, _>>()
        });
        assert_eq!(got, want, "{text:?}");
    }
}

#[test]
fn a_megabyte_of_garbage_is_answered_shortly() {
    let lines = "lorem ipsum dolor\nsit.amet:1\nfs.s3a.secret.key:abc\n".repeat(20_000);
    let keys: String = (0..20_000).map(|n| format!("taskmanager.memory.pro{n}: 1\n")).collect();
    for text in [
        lines.clone() + "taskmanager.cpu.cores: 1\n",
        keys,
        "[".repeat(1 << 20),
        "x".repeat(1 << 20),
    ] {
        for version in FlinkVersion::ALL {
            let file_name = Some("flink-conf.yaml".to_owned());
            let Ok(got) = read_paste(&PasteParams { version, text: text.clone(), file_name })
            else {
                continue;
            };
            assert!(got.value.skipped.len() <= MAX_SKIPPED_LINES);
            assert!(got.findings.len() <= 110);
            assert!(got.value.skipped.iter().all(|line| !line.text.contains("abc")));
        }
    }
}

#[test]
fn no_secret_leaves_a_paste() {
    let text = "fs.s3a.secret.key: abc123\nmy.token:abc123\nsecurity.ssl.rest.key-password: 'abc123'\n\
                s3.apikey: abc123\ntaskmanager.passwort.token: abc123\n";
    let command = "flink run -Dfs.s3a.secret.key=abc123 -D =abc123secret -D my.password='abc123 x'";
    for version in FlinkVersion::ALL {
        for (text, file_name) in [
            (text, Some("flink-conf.yaml")),
            (&text.replace("my.token:", "my.token: "), Some("config.yaml")),
            (command, None),
        ] {
            let file_name = file_name.map(str::to_owned);
            let got = read_paste(&PasteParams { version, text: text.to_owned(), file_name });
            let got = format!("{:?}", got.expect("the text has keys"));
            assert!(!got.contains("abc123"), "{got}");
        }
    }
}
