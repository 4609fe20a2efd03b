//! What does this text say about an exactly-once sink into Kafka, and what became of the data?
//!
//! Read are: log lines of `KafkaCommitter`, of the legacy sink and of the broker; texts of exceptions;
//! properties of producers, brokers and consumers, also as Kafka's clients log them or as SQL options;
//! and the tables that `kafka-transactions.sh` prints. One text may hold several of them: a state that
//! the tool shows can settle what an exception leaves open.
//!
//! Source: flink-connector-kafka 3.4 and 4.0 (`KafkaCommitter`, `TransactionOwnership`,
//! `BackchannelFactory`, `KafkaSinkBuilder`, `FlinkKafkaProducer`), Flink
//! (`TwoPhaseCommitSinkFunction`), Kafka 4.0 (`Errors`, `TransactionCoordinator`,
//! `TransactionsCommand`).

use serde::{Deserialize, Serialize};

use super::refusal::SettingError;
use crate::finding::Derivation;
use crate::units::FlinkVersion;

mod causes;
mod evidence;
mod properties;
pub mod signatures;
mod tables;

/// The most bytes that are read.
pub const TEXT_BYTES_MAX: usize = 1 << 20;
/// The most lines of each kind that are listed; the rest is counted.
const LINES_MAX: usize = 200;
/// The most characters of a line that are given back.
const CHARS_MAX: usize = 240;

/// Params of `readTransactionText`.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReadParams {
    /// The Flink version, for what an exception means there.
    pub version: FlinkVersion,
    /// The text.
    pub text: String,
}

/// What a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum TextKind {
    /// A log line or the text of an exception.
    Message,
    /// Properties of a producer, a broker, a consumer or a sink.
    Properties,
    /// `kafka-transactions.sh list`.
    TransactionList,
    /// `kafka-transactions.sh describe`.
    TransactionDescription,
    /// `kafka-transactions.sh describe-producers`.
    Producers,
    /// `kafka-transactions.sh find-hanging`.
    Hanging,
}

/// What became of the records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Fate {
    /// Gone for `read_committed` readers.
    Lost,
    /// Committed, or to be committed.
    Kept,
    /// The text does not say.
    Depends,
    /// Nothing was written that could be lost.
    Nothing,
}

/// A line that was used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UsedLine {
    /// Its number, from 1.
    pub line: usize,
    /// Its text, clipped.
    pub text: String,
    /// What it was used for.
    pub what: String,
}

/// A line that was not used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IgnoredLine {
    /// Its number, from 1.
    pub line: usize,
    /// Its text, clipped.
    pub text: String,
    /// Why.
    pub reason: &'static str,
}

/// A fact of the text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fact {
    /// What it is.
    pub name: String,
    /// Its value in words.
    pub value: String,
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TransactionCause {
    /// A stable name.
    pub code: &'static str,
    /// One sentence.
    pub title: String,
    /// Why, with the numbers of the text.
    pub reason: String,
    /// What became of the records.
    pub fate: Fate,
    /// How to tell what the text leaves open.
    pub tell: Vec<&'static str>,
    /// What to do.
    pub action: String,
    /// The inequality or rule that decides.
    pub decided_by: &'static str,
    /// The option to move first.
    pub knob: Option<&'static str>,
    /// Class and version that write the text.
    pub source: &'static str,
}

/// A cause that the text names beside the first one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AlsoSeen {
    /// Its stable name.
    pub code: &'static str,
    /// One sentence.
    pub title: &'static str,
    /// In how many lines.
    pub lines: usize,
}

/// A setting that the text gives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TextSetting {
    /// The field of the scenario.
    pub field: &'static str,
    /// The option as the text names it.
    pub option: String,
    /// The value as the field takes it.
    pub value: String,
}

/// A situation to open with the settings of the text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Situation {
    /// The name of the example that shows it.
    pub preset: &'static str,
    /// The time from the start of the transaction to the commit [ms], where the text gives it.
    pub open_ms: Option<i64>,
    /// An interval and a duration of checkpoints [ms], in place of the example's, where its transactions
    /// would not even live until their checkpoint with the timeout of the text.
    pub checkpoints: Option<Checkpoints>,
}

/// How often checkpoints are taken, and how long one takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Checkpoints {
    /// The interval [ms].
    pub interval_ms: i64,
    /// The duration [ms].
    pub duration_ms: i64,
}

/// Answer of `readTransactionText`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TransactionText {
    /// What the text is; of several kinds the most telling one.
    pub kind: TextKind,
    /// One sentence: what it was recognised as.
    pub recognised: String,
    /// What went wrong; `None` where nothing did, or the text does not say.
    pub cause: Option<TransactionCause>,
    /// What else it names.
    pub also: Vec<AlsoSeen>,
    /// Facts of the text.
    pub facts: Vec<Fact>,
    /// Settings of the text, each field once.
    pub settings: Vec<TextSetting>,
    /// The situation to open.
    pub situation: Option<Situation>,
    /// The lines that were used; the first 200.
    pub used: Vec<UsedLine>,
    /// How many were used.
    pub used_count: usize,
    /// The lines that were not; the first 200.
    pub ignored: Vec<IgnoredLine>,
    /// How many were not.
    pub ignored_count: usize,
}

/// What is this text?
///
/// # Errors
/// A text that nothing here recognises, or one that is too long.
pub fn read_transaction_text(
    params: &ReadParams,
) -> Result<Derivation<TransactionText>, SettingError> {
    if params.text.len() > TEXT_BYTES_MAX {
        return Err(SettingError::TooLong { field: "text".to_owned(), most: TEXT_BYTES_MAX });
    }
    let lines: Vec<&str> = params.text.lines().collect();
    let mut evidence = evidence::Evidence::new(&lines);
    tables::read(&mut evidence);
    causes::read(&mut evidence);
    properties::read(&mut evidence);
    let Some(kind) = evidence.kind() else {
        return Err(SettingError::NotRecognised);
    };
    let cause = causes::explain(&evidence);
    Ok(Derivation { value: evidence.report(kind, cause), findings: Vec::new() })
}

/// A line as it is given back.
fn clipped(line: &str) -> String {
    let line = line.trim();
    match line.char_indices().nth(CHARS_MAX) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line.to_owned(),
    }
}
