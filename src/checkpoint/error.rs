//! Why a job cannot be simulated.
//!
//! Source: Flink 1.20.5, CheckpointConfig and NettyShuffleEnvironmentConfiguration for the texts
//! that are Flink's.

use crate::finding::Problem;

/// A refusal. None of them leaves anything to go on with.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// A number that cannot be, or that is too large to simulate.
    #[error("{field} is {value}; give a number from {low} to {high}")]
    OutOfRange {
        /// The field.
        field: &'static str,
        /// What it is.
        value: f64,
        /// The least.
        low: f64,
        /// The most.
        high: f64,
    },
    /// A list without a number above zero.
    #[error("{field} needs at least one number")]
    EmptyList {
        /// The field.
        field: &'static str,
    },
    /// No floating buffer.
    #[error("The configured floating buffer should be at least 1")]
    NoFloatingBuffer,
    /// Unaligned and concurrent.
    #[error("maxConcurrentCheckpoints can't be > 1 if UnalignedCheckpoints enabled")]
    ConcurrentUnaligned,
}

impl From<CheckpointError> for Problem {
    fn from(error: CheckpointError) -> Self {
        let (code, field, option) = match &error {
            CheckpointError::OutOfRange { field, .. } => ("outOfRange", *field, None),
            CheckpointError::EmptyList { field } => ("emptyList", *field, None),
            CheckpointError::NoFloatingBuffer => (
                "noFloatingBuffer",
                "floating",
                Some("taskmanager.network.memory.floating-buffers-per-gate"),
            ),
            CheckpointError::ConcurrentUnaligned => (
                "concurrentUnaligned",
                "maxConc",
                Some("execution.checkpointing.max-concurrent-checkpoints"),
            ),
        };
        Self {
            code: code.to_owned(),
            message: error.to_string(),
            field: Some(field.to_owned()),
            option: option.map(str::to_owned),
        }
    }
}
