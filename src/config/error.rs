//! Why a configuration could not be read or written.
//!
//! Source: messages of Flink 1.18.1, 1.20.5, 2.2.1, `GlobalConfiguration`, `YamlParserUtils`.

use thiserror::Error;

use crate::finding::Problem;

/// Why a configuration was refused. Displays as Flink's own message where Flink has one.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The folder lacks the file that the version reads.
    #[error("The Flink config file '<confdir>/{file}' (<confdir>/{file}) does not exist.")]
    FileMissing {
        /// The file the version looks for.
        file: &'static str,
        /// What is there instead, and what to do.
        advice: String,
    },
    /// `config.yaml` is no YAML that Flink takes; it then loads nothing at all.
    #[error("Error parsing YAML configuration.")]
    Yaml(YamlFault),
    /// More than a limit of this program allows.
    #[error("This is more than is read here: {what} is limited to {limit}.")]
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// The most that is read, with its unit.
        limit: String,
    },
    /// A paste that is something else than a configuration.
    #[error(
        "This looks like {what}; Weir reads config files, -D properties, JVM argument lines, start-up logs, exceptions and kill lines here."
    )]
    NotAConfig {
        /// What it looks like.
        what: &'static str,
        /// Where the configuration is to be found instead.
        advice: &'static str,
    },
    /// A paste without a single key.
    #[error(
        "There is no key in this text. A line of a configuration reads `key: value`, with a blank \
         after the colon, for example `taskmanager.memory.process.size: 4g`."
    )]
    NoKey,
}

/// Where and why a YAML text is refused, in plain words. Never holds a value of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct YamlFault {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What is wrong there.
    pub cause: String,
    /// What to write instead.
    pub remedy: &'static str,
}

impl ConfigError {
    /// A stable name of the refusal, for code that reacts to it.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::FileMissing { .. } => "config_file_missing",
            Self::Yaml(_) => "config_yaml_unreadable",
            Self::TooLarge { .. } => "config_too_large",
            Self::NotAConfig { .. } => "paste_not_a_config",
            Self::NoKey => "paste_without_key",
        }
    }

    /// Where it is wrong and what to do, beside Flink's message.
    pub fn detail(&self) -> Option<String> {
        match self {
            Self::FileMissing { advice, .. } => Some(advice.clone()),
            Self::Yaml(YamlFault { line, column, cause, remedy }) => {
                Some(format!("Line {line}, column {column}: {cause} {remedy}"))
            }
            Self::NotAConfig { advice, .. } => Some((*advice).to_owned()),
            Self::TooLarge { .. } | Self::NoKey => None,
        }
    }
}

impl From<ConfigError> for Problem {
    fn from(error: ConfigError) -> Self {
        let message = match error.detail() {
            Some(detail) => format!("{error} {detail}"),
            None => error.to_string(),
        };
        let field = match error {
            ConfigError::FileMissing { .. } => Some("files"),
            ConfigError::TooLarge { .. } => None,
            _ => Some("text"),
        };
        Self {
            code: error.code().to_owned(),
            message,
            field: field.map(str::to_owned),
            option: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_says_what_flink_says_and_then_where() {
        let fault =
            YamlFault { line: 3, column: 7, cause: "A tab.".to_owned(), remedy: "Write blanks." };
        let problem = Problem::from(ConfigError::Yaml(fault));
        assert_eq!(problem.code, "config_yaml_unreadable");
        assert_eq!(
            problem.message,
            "Error parsing YAML configuration. Line 3, column 7: A tab. Write blanks."
        );
    }
}
