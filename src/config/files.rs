//! Which file of a configuration folder does each Flink version read, and what does it load?
//!
//! 1.18 reads `flink-conf.yaml` only. 1.20 reads `flink-conf.yaml` when it is there, with the line
//! parser, and `config.yaml` otherwise. 2.2 reads `config.yaml` only. `config.yml` is never read.
//! The values are what Flink holds in memory, secrets included.
//!
//! Source: `GlobalConfiguration.loadConfiguration` of Flink 1.18.1, 1.20.5 and 2.2.1.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::config::error::ConfigError;
use crate::config::report::{ConfigReport, Reading};
use crate::config::{flat, yaml};
use crate::finding::{Derivation, Finding, Severity};
use crate::units::FlinkVersion;

/// Params of `readConfig`: a configuration folder.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConfigFilesParams {
    /// Whose rules to read by.
    pub version: FlinkVersion,
    /// File name to text.
    pub files: BTreeMap<String, String>,
}

/// The two formats of a Flink configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// `flink-conf.yaml`, read by the line parser.
    FlinkConf,
    /// `config.yaml`, read as YAML 1.2.
    ConfigYaml,
}

impl Format {
    /// The name of the file in this format.
    pub const fn file_name(self) -> &'static str {
        match self {
            Self::FlinkConf => "flink-conf.yaml",
            Self::ConfigYaml => "config.yaml",
        }
    }

    /// The formats that a version reads, the one that wins first.
    pub const fn of(version: FlinkVersion) -> &'static [Self] {
        match version {
            FlinkVersion::V1_18 => &[Self::FlinkConf],
            FlinkVersion::V1_20 => &[Self::FlinkConf, Self::ConfigYaml],
            FlinkVersion::V2_2 => &[Self::ConfigYaml],
        }
    }

    /// The format that a version looks for last, and so complains about.
    pub const fn newest_of(version: FlinkVersion) -> Self {
        match version {
            FlinkVersion::V1_18 => Self::FlinkConf,
            FlinkVersion::V1_20 | FlinkVersion::V2_2 => Self::ConfigYaml,
        }
    }

    /// Reads a text in this format.
    pub fn read(self, text: &str) -> Result<Reading, ConfigError> {
        match self {
            Self::FlinkConf => flat::parse(text),
            Self::ConfigYaml => yaml::parse(text),
        }
    }
}

/// Loads a configuration folder as a Flink of that version does.
pub fn read(params: &ConfigFilesParams) -> Result<Derivation<ConfigReport>, ConfigError> {
    let ConfigFilesParams { version, files } = params;
    let chosen = Format::of(*version)
        .iter()
        .find_map(|format| Some((*format, files.get(format.file_name())?)));
    let Some((format, text)) = chosen else {
        let file = Format::newest_of(*version).file_name();
        return Err(ConfigError::FileMissing { file, advice: advice(*version, files) });
    };
    let Reading { entries, skipped, .. } = format.read(text)?;
    let findings = files
        .keys()
        .filter(|name| *name != format.file_name() && is_config_name(name))
        .map(|name| ignored(*version, name, format))
        .collect();
    let file = format.file_name().to_owned();
    Ok(Derivation { value: ConfigReport { file, entries, skipped }, findings })
}

fn is_config_name(name: &str) -> bool {
    ["flink-conf.yaml", "flink-conf.yml", "config.yaml", "config.yml"].contains(&name)
}

fn advice(version: FlinkVersion, files: &BTreeMap<String, String>) -> String {
    let wanted = Format::newest_of(version).file_name();
    match files.keys().find(|name| is_config_name(name)) {
        Some(name) => format!("Flink {version} does not read {name}; move its keys to {wanted}."),
        None => format!("Flink {version} reads {wanted} of the configuration folder."),
    }
}

fn ignored(version: FlinkVersion, name: &str, read: Format) -> Finding {
    let read = read.file_name();
    Finding {
        code: "config_file_ignored",
        severity: Severity::Warning,
        title: format!("{name} is not read"),
        reason: format!(
            "Flink {version} reads {read} and nothing beside it, so no key of {name} has an effect."
        ),
        option: None,
        price: None,
        apply: Vec::new(),
        source: format!("GlobalConfiguration.loadConfiguration, Flink {}", version.checked_on()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(version: FlinkVersion, names: &[&str], want: &str) {
        let files = names.iter().map(|n| ((*n).to_owned(), format!("from: {n}\n"))).collect();
        let got = match read(&ConfigFilesParams { version, files }) {
            Ok(got) => format!("{} ({} findings)", got.value.file, got.findings.len()),
            Err(error) => error.detail().unwrap_or_default(),
        };
        assert_eq!(got, want);
    }

    #[test]
    fn the_version_decides_which_file_wins() {
        let both = ["flink-conf.yaml", "config.yaml"];
        check(FlinkVersion::V1_18, &both, "flink-conf.yaml (1 findings)");
        check(FlinkVersion::V1_20, &both, "flink-conf.yaml (1 findings)");
        check(FlinkVersion::V2_2, &both, "config.yaml (1 findings)");
        check(
            FlinkVersion::V1_20,
            &["config.yaml", "log4j.properties"],
            "config.yaml (0 findings)",
        );
        check(
            FlinkVersion::V2_2,
            &["flink-conf.yaml"],
            "Flink 2.2 does not read flink-conf.yaml; move its keys to config.yaml.",
        );
        check(
            FlinkVersion::V1_20,
            &["config.yml"],
            "Flink 1.20 does not read config.yml; move its keys to config.yaml.",
        );
    }
}
