//! What a calculation noticed beside its result, and why one was refused.
//!
//! Flink clamps, drops and derives silently or in a log line; here each of these is a value that
//! stands beside the report.

use serde::Serialize;

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Severity {
    /// It does not start, or it will be killed.
    Error,
    /// It starts, but a setting is ignored or a resource is likely to run out.
    Warning,
    /// Something a reader would otherwise wonder about.
    Note,
}

/// One change of a configuration; `value` of `None` removes the key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The option key.
    pub option: String,
    /// The text to set it to, or `None` to remove it.
    pub value: Option<String>,
}

impl Change {
    /// Sets `option` to `value`.
    pub fn set(option: &str, value: impl Into<String>) -> Self {
        Self { option: option.to_owned(), value: Some(value.into()) }
    }

    /// Removes `option`.
    pub fn remove(option: &str) -> Self {
        Self { option: option.to_owned(), value: None }
    }
}

/// Something noticed: what, why, which knob, at what price.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// A stable name, for tests and links.
    pub code: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// One sentence that says what is so, with its number.
    pub title: String,
    /// Why it is so, with the values put in.
    pub reason: String,
    /// The option that decides it, if one does.
    pub option: Option<String>,
    /// What moving that option costs, if something can be moved.
    pub price: Option<String>,
    /// A change that mends it; empty when there is nothing to apply.
    pub apply: Vec<Change>,
    /// The Flink class or option the rule comes from, with the version.
    pub source: String,
}

/// A result with what was noticed on the way.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Derivation<T> {
    /// The answer.
    pub value: T,
    /// What was noticed on the way to it.
    pub findings: Vec<Finding>,
}

/// Why a question was refused, in a form every module's error turns into.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// A stable name of the kind of refusal.
    pub code: String,
    /// What is wrong, in Flink's own words where Flink has some.
    pub message: String,
    /// The path into the params of the value that is wrong, such as `config.taskmanager.memory.process.size`.
    pub field: Option<String>,
    /// The Flink option to change, if one is to blame.
    pub option: Option<String>,
}
