//! Why a question about a stream was refused: which param, and what it may be.
//!
//! Source: none of Flink's; limits of this engine, which runs in the memory of a browser tab.

use crate::finding::Problem;

/// A refusal; `field` is the path into the params.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StreamError {
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
    /// A combination that makes no stream.
    #[error("{message}")]
    NotOffered {
        /// The path into the params.
        field: String,
        /// What is not offered, and what is.
        message: String,
    },
    /// More than the tab's memory is given to.
    #[error("{message}")]
    TooMuch {
        /// The path into the params.
        field: String,
        /// What there is too much of, the limit, and what to lower.
        message: String,
    },
}

impl StreamError {
    /// The path into the params of what is to blame.
    pub fn field(&self) -> &str {
        match self {
            Self::OutOfRange { field, .. }
            | Self::NotOffered { field, .. }
            | Self::TooMuch { field, .. } => field,
        }
    }

    pub(super) fn not_offered(field: &str, message: impl Into<String>) -> Self {
        Self::NotOffered { field: field.to_owned(), message: message.into() }
    }

    pub(super) fn too_much(field: &str, message: impl Into<String>) -> Self {
        Self::TooMuch { field: field.to_owned(), message: message.into() }
    }
}

/// Accepts `low..=high`; what is not a number is outside every range.
pub(super) fn within<T: PartialOrd + ToString>(
    field: &str,
    value: T,
    low: T,
    high: T,
) -> Result<(), StreamError> {
    if low <= value && value <= high {
        return Ok(());
    }
    let (field, value) = (field.to_owned(), value.to_string());
    Err(StreamError::OutOfRange { field, value, low: low.to_string(), high: high.to_string() })
}

impl From<StreamError> for Problem {
    fn from(error: StreamError) -> Self {
        let message = error.to_string();
        let field = Some(error.field().to_owned());
        let code = match error {
            StreamError::OutOfRange { .. } => "out_of_range",
            StreamError::NotOffered { .. } => "not_offered",
            StreamError::TooMuch { .. } => "too_much",
        };
        Self { code: code.to_owned(), message, field, option: None }
    }
}
