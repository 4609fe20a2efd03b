//! What is a pasted text? One sentence says what it was taken for, and why.
//!
//! Source: which file a version reads: Flink 1.18.1, 1.20.5, 2.2.1,
//! `GlobalConfiguration#loadConfiguration`; the signs of other texts are ours.

use serde::de::IgnoredAny;

use super::{ConfigKind, dynamic};
use crate::config::MAX_TEXT_BYTES;
use crate::config::error::ConfigError;
use crate::config::files::Format;
use crate::config::flat::text_too_large;
use crate::config::text::{java_lines, java_trim};
use crate::finding::{Finding, Severity};
use crate::units::FlinkVersion;

/// What a text was taken for.
pub struct Recognised {
    /// How it is read.
    pub kind: ConfigKind,
    /// Why, in a sentence.
    pub sentence: String,
    /// What speaks against it, if something does.
    pub finding: Option<Finding>,
}

/// Recognises a text, or names what else it is.
pub fn recognise(
    version: FlinkVersion,
    text: &str,
    file_name: Option<&str>,
) -> Result<Recognised, ConfigError> {
    if text.len() > MAX_TEXT_BYTES {
        return Err(text_too_large());
    }
    if let Some(format) = file_name.and_then(format_of) {
        let file = format.file_name();
        let sentence = format!("Read as {file}, because that is its name.");
        let finding = (!Format::of(version).contains(&format)).then(|| unread(version, format));
        return Ok(Recognised { kind: kind_of(format), sentence, finding });
    }
    let lines = Lines::count(text);
    if lines.config == 0 || lines.outside > lines.config {
        let properties: Vec<_> = dynamic::properties(text).collect();
        let for_flink = properties.iter().any(|property| dynamic::is_known(&property.key));
        // In a long line of anything some word begins with -D; keys of no version must look like keys.
        let are_keys = !properties.is_empty() && properties.iter().all(|p| looks_like_key(&p.key));
        if for_flink || (are_keys && !dynamic::has_jvm_flags(text)) {
            let sentence =
                "Read as -D properties, as on a command line or in a start-up log.".to_owned();
            return Ok(Recognised { kind: ConfigKind::DynamicProperties, sentence, finding: None });
        }
    }
    if let Some((what, advice)) = something_else(text, &lines) {
        return Err(ConfigError::NotAConfig { what, advice });
    }
    if lines.config == 0 && !text.trim_start().starts_with('{') {
        return Err(ConfigError::NoKey);
    }
    let (format, why) = match version {
        FlinkVersion::V1_18 | FlinkVersion::V2_2 => (
            Format::newest_of(version),
            format!(", the only configuration file of Flink {version}."),
        ),
        FlinkVersion::V1_20 => match yaml_sign(text) {
            Some((line, sign)) => (Format::ConfigYaml, format!(", because line {line} {sign}.")),
            None => (
                Format::FlinkConf,
                format!(": it is flat, and Flink {version} still prefers that file."),
            ),
        },
    };
    let sentence = format!("Read as {}{why}", format.file_name());
    Ok(Recognised { kind: kind_of(format), sentence, finding: None })
}

fn kind_of(format: Format) -> ConfigKind {
    match format {
        Format::FlinkConf => ConfigKind::FlinkConf,
        Format::ConfigYaml => ConfigKind::ConfigYaml,
    }
}

/// Whether a file name is that of a configuration file.
pub fn names_a_config(file_name: &str) -> bool {
    format_of(file_name).is_some()
}

/// Whether most lines are `key: value`, so that a message in a comment or value is not the subject.
pub fn is_mostly_config(text: &str) -> bool {
    let lines = Lines::count(text);
    // `java.lang.OutOfMemoryError: Metaspace` looks like a key with a value.
    let thrown = java_lines(text).filter(|line| {
        is_exception_line(line) && !line.starts_with('#') && is_config_line(java_trim(line))
    });
    let thrown = thrown.count();
    lines.config.saturating_sub(thrown) > lines.outside.saturating_add(thrown)
}

/// Whether a text begins with what a JVM throws and sets no key of Flink: `java.lang.Error: Why` is
/// a line of a configuration by its form only.
fn is_thrown(text: &str) -> bool {
    let first = java_lines(text).map(java_trim).find(|line| !line.is_empty());
    first.is_some_and(is_exception_line) && !has_known_key(text)
}

/// Letters, digits and what separates them, as all keys of Flink are written.
fn looks_like_key(key: &str) -> bool {
    key.starts_with(|c: char| c.is_ascii_alphabetic())
        && key.chars().all(|c| c.is_ascii_alphanumeric() || ".-_".contains(c))
}

/// Whether some line sets a key that a version has.
pub fn has_known_key(text: &str) -> bool {
    let keys = java_lines(text).filter_map(|line| line.split_once(':').map(|(key, _)| key));
    keys.map(java_trim).any(dynamic::is_known)
}

fn format_of(file_name: &str) -> Option<Format> {
    let base = file_name.rsplit(['/', '\\']).next().unwrap_or(file_name);
    [Format::FlinkConf, Format::ConfigYaml].into_iter().find(|format| format.file_name() == base)
}

fn unread(version: FlinkVersion, format: Format) -> Finding {
    let wanted = Format::newest_of(version).file_name();
    let file = format.file_name();
    Finding {
        code: "config_file_ignored",
        severity: Severity::Error,
        title: format!("Flink {version} does not read {file}"),
        reason: format!("It looks for {wanted} only, and does not start without it."),
        option: None,
        price: None,
        apply: Vec::new(),
        source: format!("GlobalConfiguration.loadConfiguration, Flink {}", version.checked_on()),
    }
}

/// How many lines are `key: value`, and how many are something else.
struct Lines {
    config: usize,
    outside: usize,
    assignments: usize,
}

impl Lines {
    fn count(text: &str) -> Self {
        let mut lines = Self { config: 0, outside: 0, assignments: 0 };
        let content = java_lines(text).map(java_trim);
        for line in content.filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if is_config_line(line) {
                lines.config += 1;
            } else {
                lines.outside += 1;
                lines.assignments += usize::from(is_assignment(line));
            }
        }
        lines
    }
}

/// `key: value` or `key:`, with a key of one word.
fn is_config_line(line: &str) -> bool {
    let line = line.strip_prefix("- ").unwrap_or(line);
    let Some((key, rest)) = line.split_once(':') else {
        return false;
    };
    let is_key =
        !key.is_empty() && !key.starts_with('-') && key.chars().all(|c| !c.is_whitespace());
    is_key && (rest.is_empty() || rest.starts_with([' ', '\t']))
}

/// `key=value` with a key of several parts.
fn is_assignment(line: &str) -> bool {
    line.split_once('=').is_some_and(|(key, _)| {
        let key = java_trim(key);
        key.contains('.') && !key.starts_with('-') && !key.contains(char::is_whitespace)
    })
}

/// A line that only a YAML reader understands, with what is on it.
fn yaml_sign(text: &str) -> Option<(usize, &'static str)> {
    let mut parent: Option<usize> = None;
    for (index, raw) in java_lines(text).enumerate() {
        let trimmed = java_trim(raw);
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        let line = index + 1;
        let indent = raw.len() - raw.trim_start_matches(' ').len();
        if parent.is_some_and(|parent| indent > parent) {
            return Some((line, "is nested"));
        }
        if trimmed.starts_with("- ") {
            return Some((line, "is an item of a list"));
        }
        let value = trimmed.split_once(": ").map_or("", |(_, value)| java_trim(value));
        match value.chars().next() {
            Some('"' | '\'') => return Some((line, "has a quoted value")),
            Some('[' | '{') => return Some((line, "has a list or map as its value")),
            Some('|' | '>') => return Some((line, "opens a text of several lines")),
            _ => {}
        }
        parent = trimmed.ends_with(':').then_some(indent);
    }
    None
}

/// The name of what a text is instead of a configuration, and where the configuration is.
fn something_else(text: &str, lines: &Lines) -> Option<(&'static str, &'static str)> {
    const UNKNOWN_EXCEPTION: (&str, &str) = (
        "a Java exception that is not known here",
        "There is nothing in it to use. Paste it from its first line to its last \"Caused by\", or \
         the configuration of the cluster.",
    );
    const PASTE_CONFIG: &str = "Paste flink-conf.yaml or config.yaml of the cluster.";
    let trimmed = text.trim_start();
    if trimmed.starts_with('<') {
        return Some(("XML or HTML", PASTE_CONFIG));
    }
    let maybe_json = trimmed.starts_with("{\"") || trimmed.starts_with("[");
    if maybe_json && is_json(trimmed) {
        return Some(("JSON", "Write its entries as `key: value` lines."));
    }
    let has_line = |start: &str| java_lines(text).any(|line| line.starts_with(start));
    if has_line("apiVersion: ") && has_line("kind: ") {
        return Some((
            "a Kubernetes manifest",
            "Paste the text below its `flink-conf.yaml: |`, `config.yaml: |` or \
             `flinkConfiguration:`.",
        ));
    }
    if is_thrown(text) {
        return Some(UNKNOWN_EXCEPTION);
    }
    let mostly_config = lines.config > lines.outside;
    if mostly_config {
        return None;
    }
    if java_lines(text).any(is_kill_line) {
        return Some(("a message about a killed process", PASTE_CONFIG));
    }
    if java_lines(text).any(is_exception_line) {
        return Some(UNKNOWN_EXCEPTION);
    }
    if dynamic::has_jvm_flags(text) {
        return Some((
            "a JVM argument line",
            "Paste the configuration that Flink derived these arguments from.",
        ));
    }
    if lines.assignments > 0 && lines.assignments == lines.outside && lines.config == 0 {
        return Some(("a properties file", "Write `key: value`, with a blank after the colon."));
    }
    (lines.config == 0 && is_csv(text)).then_some(("CSV", PASTE_CONFIG))
}

fn is_json(text: &str) -> bool {
    match serde_json::from_str::<IgnoredAny>(text) {
        Ok(IgnoredAny) => true,
        // A cut-off copy is JSON all the same.
        Err(error) => error.is_eof(),
    }
}

fn is_kill_line(line: &str) -> bool {
    const SIGNS: [&str; 6] = [
        "Killed process",
        "oom-kill",
        "oom_reaper",
        "OOMKilled",
        "out of memory: Kill",
        "beyond the 'PHYSICAL' memory limit",
    ];
    SIGNS.iter().any(|sign| line.contains(sign))
}

fn is_exception_line(line: &str) -> bool {
    let trimmed = java_trim(line);
    let frame = trimmed.starts_with("at ") && trimmed.ends_with(')');
    let head = trimmed.split([':', ' ']).next().unwrap_or_default();
    let is_class = head.contains('.') || head.starts_with(|c: char| c.is_ascii_uppercase());
    let thrown = is_class && (head.ends_with("Exception") || head.ends_with("Error"));
    frame || thrown || trimmed.starts_with("Caused by: ") || trimmed.starts_with("Exception in ")
}

fn is_csv(text: &str) -> bool {
    let mut counts = java_lines(text)
        .filter(|line| !java_trim(line).is_empty())
        .map(|line| line.matches([',', ';', '\t']).count());
    let Some(first) = counts.next().filter(|count| *count > 0) else {
        return false;
    };
    let mut rest = counts.peekable();
    rest.peek().is_some() && rest.all(|count| count == first)
}
