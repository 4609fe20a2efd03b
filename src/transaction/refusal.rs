//! Why a question about the settings of a transaction is refused.
//!
//! Source: Kafka 4.0, `ProducerConfig` and `TransactionStateManagerConfig`: timeouts are signed
//! 32-bit milliseconds.

use super::lengths::span;
use crate::finding::Problem;

/// The longest time that is taken in [ms]: ten years.
pub const MS_MAX: i64 = 10 * 365 * 86_400_000;

/// A refusal. None of them leaves anything to go on with.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingError {
    /// A number that cannot be; a time where its field is one.
    #[error("{field} {}", range_in_words(.field, i128::from(*.value), i128::from(*.low), i128::from(*.high)))]
    OutOfRange {
        /// The path of the field.
        field: String,
        /// What it is.
        value: i64,
        /// The least.
        low: i64,
        /// The most.
        high: i64,
        /// The option it stands for.
        option: Option<&'static str>,
    },
    /// A text that is longer than what is read.
    #[error("{field} is longer than {most} bytes; paste the part that matters")]
    TooLong {
        /// The path of the field.
        field: String,
        /// The most bytes.
        most: usize,
    },
    /// A text of nothing that is read.
    #[error(
        "Nothing about Kafka transactions was recognised; paste a log line of the committer, an exception, \
         producer or broker properties, or the output of kafka-transactions.sh"
    )]
    NotRecognised,
    /// Something that the connector does not have.
    #[error("connector {connector} has no {what}; {instead}")]
    NotInConnector {
        /// The path of the field.
        field: &'static str,
        /// What it lacks.
        what: &'static str,
        /// Its release line.
        connector: &'static str,
        /// What to do.
        instead: &'static str,
    },
}

/// `is 0 s; give a time from 1 ms to 3650 d`: in words where the field is a time.
pub fn range_in_words(field: &str, value: i128, low: i128, high: i128) -> String {
    if !field.ends_with("Ms") {
        return format!("is {value}; give a number from {low} to {high}");
    }
    let said = |ms: i128| span(i64::try_from(ms).unwrap_or(i64::MAX));
    format!("is {}; give a time from {} to {}", said(value), said(low), said(high))
}

/// Refuses a number outside `low..=high`.
pub fn check(
    field: &str,
    option: Option<&'static str>,
    value: i64,
    low: i64,
    high: i64,
) -> Result<(), SettingError> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    Err(SettingError::OutOfRange { field: field.to_owned(), value, low, high, option })
}

impl From<SettingError> for Problem {
    fn from(error: SettingError) -> Self {
        let message = error.to_string();
        let (code, field, option) = match error {
            SettingError::OutOfRange { field, option, .. } => ("outOfRange", field, option),
            SettingError::TooLong { field, .. } => ("tooLong", field, None),
            SettingError::NotRecognised => ("notRecognised", "text".to_owned(), None),
            SettingError::NotInConnector { field, .. } => {
                ("notInConnector", field.to_owned(), None)
            }
        };
        Self {
            code: code.to_owned(),
            message,
            field: Some(field),
            option: option.map(str::to_owned),
        }
    }
}
