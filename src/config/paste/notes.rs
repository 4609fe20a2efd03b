//! What becomes of each pasted key, and what Flink did to it without a word.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `GlobalConfiguration` (what is dropped), `*Options` classes (what
//! is known).

use super::{ConfigKind, EntryStatus, PastedEntry};
use crate::config::options::{self, KeyStatus};
use crate::config::report::{ConfigEntry, Notice, NoticeKind};
use crate::config::sensitive::is_sensitive;
use crate::finding::{Change, Finding, Severity};
use crate::units::FlinkVersion;

/// The keys that the memory tool reads; a final dot stands for all keys below it.
pub const MEMORY_KEYS: [&str; 25] = [
    "execution.batch-shuffle-mode",
    "jobmanager.heap.",
    "jobmanager.memory.",
    "state.backend",
    "state.backend.rocksdb.block.blocksize",
    "state.backend.rocksdb.block.cache-size",
    "state.backend.rocksdb.bloom-filter.bits-per-key",
    "state.backend.rocksdb.compaction.level.max-size-level-base",
    "state.backend.rocksdb.memory.",
    "state.backend.rocksdb.options-factory",
    "state.backend.rocksdb.predefined-options",
    "state.backend.rocksdb.use-bloom-filter",
    "state.backend.rocksdb.writebuffer.count",
    "state.backend.rocksdb.writebuffer.size",
    "state.backend.type",
    "taskmanager.cpu.cores",
    "taskmanager.heap.",
    "taskmanager.memory.",
    "taskmanager.network.hybrid-shuffle.enable-new-mode",
    "taskmanager.network.hybrid-shuffle.remote.path",
    "taskmanager.network.memory.",
    "taskmanager.network.numberOfBuffers",
    "taskmanager.network.sort-shuffle.min-buffers",
    "taskmanager.network.sort-shuffle.min-parallelism",
    "taskmanager.numberOfTaskSlots",
];

/// The most findings of one kind; the rest is counted in one more.
pub const MAX_FINDINGS: usize = 50;

/// The most misspelt keys that a nearest known one is looked for.
const MAX_SUGGESTIONS: usize = 50;

/// Gives each entry its status and note, and says which keys have no effect or a newer name.
pub fn classify(
    version: FlinkVersion,
    entries: Vec<ConfigEntry>,
) -> (Vec<PastedEntry>, Vec<Finding>) {
    let mut findings = Capped::new("keys");
    let mut suggestions = 0;
    let mut pasted = Vec::with_capacity(entries.len());
    for ConfigEntry { key, value, line } in entries {
        let known = options::is_key(version, &key);
        suggestions += usize::from(!known);
        let status = if known || suggestions <= MAX_SUGGESTIONS {
            options::status(version, &key)
        } else {
            KeyStatus::Unknown { did_you_mean: None }
        };
        let (note, finding) = about(version, &key, &value, &status);
        if let Some(finding) = finding {
            findings.push(finding);
        }
        let status = match status {
            KeyStatus::OtherVersion { .. } | KeyStatus::Unknown { .. } => EntryStatus::Unknown,
            _ if is_memory_key(&key) => EntryStatus::Used,
            _ => EntryStatus::Other,
        };
        pasted.push(PastedEntry { key, value, line, status, note });
    }
    (pasted, findings.finish())
}

/// What the reader lost or replaced.
pub fn about_reading(
    version: FlinkVersion,
    kind: ConfigKind,
    notices: &[Notice],
    skipped_more: usize,
) -> Vec<Finding> {
    let mut findings = Capped::new("lines");
    for Notice { key, line, what } in notices {
        let (code, title, reason) = match what {
            NoticeKind::Replaced { earlier } => (
                "key_twice",
                format!("{key} stands twice, on lines {earlier} and {line}"),
                "The last one wins; the other has no effect.".to_owned(),
            ),
            NoticeKind::CutAtHash => (
                "text_after_hash_lost",
                format!("Text after # is lost on line {line}"),
                format!(
                    "The line parser of flink-conf.yaml cuts every line at its first #, also \
                     inside words and quotes, so {key} gets the text before it only."
                ),
            ),
            NoticeKind::QuotesKept => (
                "quotes_kept",
                format!("The quotes on line {line} stay part of the value"),
                format!("The line parser of flink-conf.yaml knows no quotes; {key} gets them too."),
            ),
            NoticeKind::NestingLost { parent } => (
                "nesting_lost",
                format!("The nesting of line {line} is lost"),
                format!(
                    "The line parser of flink-conf.yaml reads each line by itself, so this one \
                     sets {key}, not a key below line {parent}. Write the full key on the line."
                ),
            ),
        };
        findings.push(Finding {
            option: Some(key.clone()),
            source: reader(version, kind),
            ..finding(code, Severity::Warning, title, reason)
        });
    }
    let mut findings = findings.finish();
    if skipped_more > 0 {
        findings.push(Finding {
            source: reader(version, kind),
            ..finding(
                "lines_not_listed",
                Severity::Note,
                format!("{skipped_more} more dropped lines are not listed"),
                "Flink drops them all with a warning in its log.".to_owned(),
            )
        });
    }
    findings
}

fn reader(version: FlinkVersion, kind: ConfigKind) -> String {
    let method = match (kind, version) {
        (ConfigKind::DynamicProperties, _) => "DynamicPropertiesUtil",
        (ConfigKind::FlinkConf, FlinkVersion::V1_20) => {
            "GlobalConfiguration.loadLegacyYAMLResource"
        }
        _ => "GlobalConfiguration.loadYAMLResource",
    };
    format!("{method}, Flink {}", version.checked_on())
}

fn is_memory_key(key: &str) -> bool {
    MEMORY_KEYS
        .iter()
        .any(|known| if known.ends_with('.') { key.starts_with(known) } else { key == *known })
}

/// The note of a key, and a finding when it has no effect or a newer name.
fn about(
    version: FlinkVersion,
    key: &str,
    value: &str,
    status: &KeyStatus,
) -> (Option<String>, Option<Finding>) {
    let not_a_key = format!("not a key of Flink {version}");
    match status {
        KeyStatus::Primary => (None, None),
        KeyStatus::Family { prefix } => {
            let prefix = prefix.trim_end_matches('.');
            (Some(format!("one of the keys {prefix}.*, which Flink passes on")), None)
        }
        KeyStatus::Fallback { of } => (Some(format!("also read for {}", of.join(" and "))), None),
        KeyStatus::Deprecated { of } => {
            let newer = of.join(" and ");
            let note = format!("the old name of {newer}, still read");
            let apply = match of.as_slice() {
                [newer] => rename(key, newer, value),
                _ => Vec::new(),
            };
            let renamed = Finding {
                option: Some(key.to_owned()),
                apply,
                source: options_of(version),
                ..finding(
                    "key_renamed",
                    Severity::Note,
                    format!("{key} is called {newer} now"),
                    format!(
                        "Flink {version} still reads the old name where the new one is absent."
                    ),
                )
            };
            (Some(note), Some(renamed))
        }
        KeyStatus::OtherVersion { versions } => {
            let name = options::name_in(version, key);
            let since = when(version, versions);
            let note = match name {
                Some(name) => format!("{not_a_key}, where it is called {name}"),
                None => format!("{not_a_key}; {since}"),
            };
            (Some(note), Some(ignored(version, key, value, name, &since)))
        }
        KeyStatus::Unknown { did_you_mean: Some(near) } => {
            let note = format!("{not_a_key}; did you mean {near}?");
            let why = format!("the nearest key it has is {near}");
            (Some(note), Some(ignored(version, key, value, Some(near), &why)))
        }
        KeyStatus::Unknown { did_you_mean: None } if options::in_flink_namespace(key) => {
            let why = "no version of Flink has it among its own options";
            (Some(not_a_key), Some(ignored(version, key, value, None, why)))
        }
        KeyStatus::Unknown { did_you_mean: None } => {
            (Some(format!("{not_a_key}'s own options; connectors and plugins may read it")), None)
        }
    }
}

/// When a key that other versions have came or went.
fn when(version: FlinkVersion, versions: &[FlinkVersion]) -> String {
    let later = versions.iter().find(|v| **v > version);
    let earlier = versions.iter().rev().find(|v| **v < version);
    match (earlier, later) {
        (Some(last), _) => format!("it was removed after {last}"),
        (None, Some(first)) => format!("it came by {first}"),
        (None, None) => "no modelled version has it".to_owned(),
    }
}

fn ignored(
    version: FlinkVersion,
    key: &str,
    value: &str,
    instead: Option<&str>,
    why: &str,
) -> Finding {
    let apply = match instead {
        Some(name) => rename(key, name, value),
        None => vec![Change::remove(key)],
    };
    Finding {
        option: Some(key.to_owned()),
        apply,
        source: options_of(version),
        ..finding(
            "key_ignored",
            Severity::Warning,
            format!("{key} has no effect in Flink {version}"),
            format!("Flink ignores a key that it does not know, without a word; {why}."),
        )
    }
}

fn options_of(version: FlinkVersion) -> String {
    format!("options of flink-dist {}", version.checked_on())
}

/// The same setting under another name; a secret cannot be moved, as it is not kept.
fn rename(key: &str, name: &str, value: &str) -> Vec<Change> {
    if is_sensitive(key) || is_sensitive(name) {
        return Vec::new();
    }
    vec![Change::remove(key), Change::set(name, value)]
}

fn finding(code: &'static str, severity: Severity, title: String, reason: String) -> Finding {
    let source = String::new();
    Finding { code, severity, title, reason, option: None, price: None, apply: Vec::new(), source }
}

/// Findings up to a number, and a count of the rest.
struct Capped {
    what: &'static str,
    findings: Vec<Finding>,
    more: usize,
}

impl Capped {
    fn new(what: &'static str) -> Self {
        Self { what, findings: Vec::new(), more: 0 }
    }

    fn push(&mut self, finding: Finding) {
        if self.findings.len() < MAX_FINDINGS {
            self.findings.push(finding);
        } else {
            self.more += 1;
        }
    }

    fn finish(mut self) -> Vec<Finding> {
        if let Some(last) = self.findings.last().filter(|_| self.more > 0) {
            let title = format!("{} more {} have findings like these", self.more, self.what);
            let reason = format!("The first {MAX_FINDINGS} are listed.");
            let source = last.source.clone();
            let rest = finding("findings_not_listed", Severity::Note, title, reason);
            self.findings.push(Finding { source, ..rest });
        }
        self.findings
    }
}
