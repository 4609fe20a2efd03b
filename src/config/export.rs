//! Which file sets exactly this configuration in a Flink of this version?
//!
//! `flink-conf.yaml` for 1.18, `config.yaml` with flat keys for 1.20 and 2.2. A value is quoted
//! where the YAML reader would take it for something else. Keys that the version does not have,
//! empty values and what the format cannot hold are left out, each with a finding. Reading the text
//! again gives the keys and values that went in.
//!
//! Source: the readers in [`flat`] and [`yaml`](crate::config::yaml).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::config::error::ConfigError;
use crate::config::files::Format;
use crate::config::flat::{self, text_too_large, too_many_entries};
use crate::config::options;
use crate::config::sensitive::{HIDDEN_CONTENT, is_sensitive};
use crate::config::yaml::quote::{quote_key, quote_value};
use crate::config::{MAX_ENTRIES, MAX_TEXT_BYTES};
use crate::finding::{Change, Derivation, Finding, Severity};
use crate::units::FlinkVersion;

/// Params of `exportConfig`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExportParams {
    /// The version that shall read it.
    pub version: FlinkVersion,
    /// Option key to text.
    pub config: BTreeMap<String, String>,
}

/// Answer of `exportConfig`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExportReport {
    /// The name the file must have.
    pub file_name: String,
    /// Its text.
    pub text: String,
}

/// The longest key that YAML takes without a `?` before it \[characters\].
const MAX_KEY_CHARS: usize = 1024;

/// Writes a configuration as the file that the version reads.
pub fn export(params: &ExportParams) -> Result<Derivation<ExportReport>, ConfigError> {
    let ExportParams { version, config } = params;
    if config.len() > MAX_ENTRIES {
        return Err(too_many_entries());
    }
    let format = Format::newest_of(*version);
    let mut text = String::new();
    let mut findings = Vec::new();
    for (key, value) in config {
        match write_line(*version, format, key, value) {
            Ok(line) => text.push_str(&line),
            Err(reason) => findings.push(left_out(*version, format, key, reason)),
        }
        if text.len() > MAX_TEXT_BYTES {
            return Err(text_too_large());
        }
    }
    let file_name = format.file_name().to_owned();
    Ok(Derivation { value: ExportReport { file_name, text }, findings })
}

/// The line that sets a key, or why there is none.
fn write_line(
    version: FlinkVersion,
    format: Format,
    key: &str,
    value: &str,
) -> Result<String, &'static str> {
    if value.is_empty() {
        return Err("It has no value, and an empty one is lost or fails the whole file.");
    }
    if !options::is_key(version, key) {
        return Err("The version does not have it and would ignore it without a word.");
    }
    if is_sensitive(key) && value == HIDDEN_CONTENT {
        return Err("Its value was hidden when it was read and is not kept.");
    }
    let too_long = "Its key is too long for the file.";
    match format {
        Format::ConfigYaml if key.chars().count() + 8 > MAX_KEY_CHARS => Err(too_long),
        Format::ConfigYaml => Ok(format!("{}: {}\n", quote_key(key), quote_value(value))),
        Format::FlinkConf => {
            let line = format!("{key}: {value}\n");
            // The line parser has no quotes, so its own answer tells what it can hold.
            let read = flat::parse(&line).map_err(|_| "It is too long for the file.")?;
            match read.entries.as_slice() {
                [entry] if entry.key == *key && entry.value == *value => Ok(line),
                _ => Err("flink-conf.yaml has no quotes, so this text cannot stand in it."),
            }
        }
    }
}

fn left_out(version: FlinkVersion, format: Format, key: &str, reason: &str) -> Finding {
    Finding {
        code: "key_left_out",
        severity: Severity::Warning,
        title: format!("{key} is not in the {} of Flink {version}", format.file_name()),
        reason: reason.to_owned(),
        option: Some(key.to_owned()),
        price: None,
        apply: vec![Change::remove(key)],
        source: format!("options of flink-dist {}", version.checked_on()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(version: FlinkVersion, config: &[(&str, &str)], want: &str, findings: usize) {
        let config = config
            .iter()
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
            .collect::<BTreeMap<_, _>>();
        let got = export(&ExportParams { version, config }).unwrap();
        assert_eq!(got.value.text, want);
        assert_eq!(got.findings.len(), findings, "{:?}", got.findings);
    }

    #[test]
    fn values_are_quoted_where_yaml_would_change_them() {
        check(
            FlinkVersion::V2_2,
            &[
                ("taskmanager.memory.managed.fraction", "0.40"),
                ("taskmanager.memory.network.fraction", "0.1"),
                ("taskmanager.memory.process.size", "4g"),
                ("env.java.opts.all", "-XX:+UseG1GC -Dx='y # z'"),
                ("rest.address", "null"),
                ("taskmanager.heap.size", "1g"),
                ("rest.port", ""),
            ],
            "env.java.opts.all: '-XX:+UseG1GC -Dx=''y # z'''\n\
             rest.address: 'null'\n\
             taskmanager.memory.managed.fraction: '0.40'\n\
             taskmanager.memory.network.fraction: 0.1\n\
             taskmanager.memory.process.size: 4g\n",
            2,
        );
    }

    #[test]
    fn the_line_format_leaves_out_what_it_cannot_hold() {
        check(
            FlinkVersion::V1_18,
            &[("rest.address", "a#b"), ("rest.port", "8081"), ("state.backend", " x")],
            "rest.port: 8081\n",
            2,
        );
    }
}
