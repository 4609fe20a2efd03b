//! What is said about a pasted text: settings to use, facts read from it, and the cause it names.

use serde::Serialize;

use crate::config::paste::{ConfigKind, PastedEntry};
use crate::config::report::SkippedLine;
use crate::memory::Role;
use crate::units::Bytes;

/// An option key and the text to set it to.
pub type Setting = (&'static str, String);

/// Answer of `readPaste`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PasteReport {
    /// What the text is.
    pub kind: PasteKind,
    /// One sentence: what it was recognised as, and why.
    pub recognised: String,
    /// The process the text is about; `None` where it does not say, or speaks of both.
    pub role: Option<Role>,
    /// Settings to use, each key once: those of the text, or those that give what it shows.
    pub entries: Vec<PastedEntry>,
    /// Lines or words that are not used, with the reason; the first
    /// [`MAX_SKIPPED_LINES`](crate::config::report::MAX_SKIPPED_LINES) of them.
    pub skipped: Vec<SkippedLine>,
    /// Facts read from the text, in its order.
    pub observed: Vec<Observed>,
    /// What went wrong, where the text says so.
    pub cause: Option<Cause>,
    /// The limit of the container where the text gives it to the byte, as Flink writes sizes.
    pub container_limit: Option<String>,
}

/// The texts that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum PasteKind {
    /// `flink-conf.yaml`, read by the line parser.
    FlinkConf,
    /// `config.yaml`, read as YAML.
    ConfigYaml,
    /// `-D key=value` of a command line or a start-up log.
    DynamicProperties,
    /// The arguments of a JVM, with or without `-D` properties behind the main class.
    JvmArguments,
    /// The table of pools that the start scripts log.
    StartupLog,
    /// A message of Flink or of the JVM.
    Exception,
    /// What YARN, Kubernetes or the kernel says about a process it killed.
    KillLine,
}

impl From<ConfigKind> for PasteKind {
    fn from(kind: ConfigKind) -> Self {
        match kind {
            ConfigKind::FlinkConf => Self::FlinkConf,
            ConfigKind::ConfigYaml => Self::ConfigYaml,
            ConfigKind::DynamicProperties => Self::DynamicProperties,
        }
    }
}

/// A fact read from the text: a size or a number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Observed {
    /// A stable name; that of the field of the memory report where it is one, such as `taskHeap`.
    pub id: &'static str,
    /// What it is, in words.
    pub name: &'static str,
    /// Its line, from 1.
    pub line: usize,
    /// The size, for sizes.
    pub bytes: Option<Bytes>,
    /// The number, for numbers.
    pub number: Option<u32>,
    /// Whether the text gives it to the byte; a `4.2 GB` is rounded.
    pub exact: bool,
}

impl Observed {
    /// A size to the byte.
    pub const fn size(id: &'static str, name: &'static str, line: usize, bytes: Bytes) -> Self {
        Self { id, name, line, bytes: Some(bytes), number: None, exact: true }
    }

    /// A number.
    pub const fn number(id: &'static str, name: &'static str, line: usize, number: u32) -> Self {
        Self { id, name, line, bytes: None, number: Some(number), exact: true }
    }

    /// The same size, as one that the text rounds.
    pub const fn rounded(mut self) -> Self {
        self.exact = false;
        self
    }
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Cause {
    /// A stable name; that of the refusal of a memory question where it is one.
    pub code: &'static str,
    /// One sentence: which limit was hit.
    pub title: String,
    /// Why, with the numbers of the text.
    pub reason: String,
    /// The option to move first; `None` where no option of Flink mends it.
    pub knob: Option<String>,
    /// All options involved and the way to move each, the first one first.
    pub options: Vec<Involved>,
    /// Pools that no flag of the JVM caps, where the question is who used the memory.
    pub uncapped: Vec<&'static str>,
    /// The question to ask next.
    pub next: String,
    /// Class and method, or program, that writes the text.
    pub source: String,
}

/// An option that a cause involves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Involved {
    /// Its key.
    pub option: String,
    /// The way to move it.
    pub direction: Direction,
}

/// A way to move an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Direction {
    /// To a larger value.
    Raise,
    /// To a smaller value.
    Lower,
    /// To a value that can be read or is missing.
    Set,
    /// Out of the configuration.
    Remove,
}
