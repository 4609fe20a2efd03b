//! Why the memory of RocksDB cannot be told.
//!
//! Source: messages of Flink 1.18.1, 1.20.5, 2.2.1, `ManagedMemoryUtils`.

use crate::finding::Problem;
use crate::memory::error::MemoryError;

/// A refusal of a question about RocksDB.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RocksdbError {
    /// The TaskManager does not start, or an option cannot be read.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// A consumer weight below zero.
    #[error("{0}")]
    NegativeWeight(String),
    /// Our own: the description of the workload does not hold together.
    #[error("{message}")]
    BadWorkload {
        /// The path into the params.
        field: &'static str,
        /// What is wrong with it.
        message: String,
    },
}

impl From<RocksdbError> for Problem {
    fn from(error: RocksdbError) -> Self {
        let message = error.to_string();
        match error {
            RocksdbError::Memory(error) => error.into(),
            RocksdbError::NegativeWeight(_) => {
                let option = super::options::CONSUMER_WEIGHTS.key;
                Self {
                    code: "negative_consumer_weight".to_owned(),
                    message,
                    field: Some(format!("config.{option}")),
                    option: Some(option.to_owned()),
                }
            }
            RocksdbError::BadWorkload { field, .. } => Self {
                code: "bad_workload".to_owned(),
                message,
                field: Some(field.to_owned()),
                option: None,
            },
        }
    }
}
