//! Why a question about state was refused: which param, and what it may be.
//!
//! Source: none of Flink's; limits of this engine, and refusals of [`crate::memory`] handed on.

use crate::finding::Problem;
use crate::memory::error::MemoryError;

/// A refusal; `field` is the path into the params.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// A number outside its range.
    #[error("{field} is {value}; it must be between {low} and {high}.")]
    OutOfRange {
        /// The path into the params.
        field: String,
        /// What was given.
        value: String,
        /// The least that is accepted.
        low: String,
        /// The most that is accepted.
        high: String,
    },
    /// A combination that Flink does not have.
    #[error("{message}")]
    NotOffered {
        /// The path into the params.
        field: String,
        /// What is not offered, and what is.
        message: String,
    },
    /// More bytes than can be told: 2^63 - 1 in all, 2^53 - 1 for one key.
    #[error("{field} makes more bytes than can be counted; lower it.")]
    TooLarge {
        /// The path into the params.
        field: &'static str,
    },
    /// The TaskManager of this configuration does not start.
    #[error(transparent)]
    Memory(#[from] MemoryError),
}

impl StateError {
    /// A number outside `low..=high`.
    pub(super) fn range(
        field: &str,
        value: impl ToString,
        low: impl ToString,
        high: impl ToString,
    ) -> Self {
        Self::OutOfRange {
            field: field.to_owned(),
            value: value.to_string(),
            low: low.to_string(),
            high: high.to_string(),
        }
    }
}

impl From<StateError> for Problem {
    fn from(error: StateError) -> Self {
        let message = error.to_string();
        let (code, field) = match error {
            StateError::OutOfRange { field, .. } => ("out_of_range", field),
            StateError::NotOffered { field, .. } => ("not_offered", field),
            StateError::TooLarge { field } => ("too_large", field.to_owned()),
            StateError::Memory(error) => return error.into(),
        };
        Self { code: code.to_owned(), message, field: Some(field), option: None }
    }
}
