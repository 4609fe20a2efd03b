//! Why the buffers of a job cannot be counted.
//!
//! Source: messages of Flink 1.18.1, 1.20.5, 2.2.1, `NettyShuffleUtils`, `InputGateSpecUtils`.

use crate::finding::Problem;
use crate::memory::error::{Kind, MemoryError};

/// A refusal of a question about network buffers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// The TaskManager does not start, or an option cannot be read.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// Flink refuses a gate.
    #[error("{message}")]
    Gate {
        /// Where Flink throws.
        kind: Kind,
        /// Flink's message.
        message: &'static str,
        /// The option to change.
        option: Option<&'static str>,
    },
    /// Our own: the description of the job does not hold together.
    #[error("{message}")]
    BadJob {
        /// The path into the params.
        field: String,
        /// What is wrong with it.
        message: String,
    },
}

impl NetworkError {
    /// A description that does not hold together.
    pub(crate) fn bad_job(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self::BadJob { field: field.into(), message: message.into() }
    }
}

impl From<NetworkError> for Problem {
    fn from(error: NetworkError) -> Self {
        match error {
            NetworkError::Memory(error) => error.into(),
            NetworkError::Gate { kind, message, option } => Self {
                code: kind.name().to_owned(),
                message: message.to_owned(),
                field: option.map(|option| format!("config.{option}")),
                option: option.map(str::to_owned),
            },
            NetworkError::BadJob { field, message } => {
                Self { code: "bad_job".to_owned(), message, field: Some(field), option: None }
            }
        }
    }
}
