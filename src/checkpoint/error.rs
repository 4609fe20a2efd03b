//! Why a job cannot be simulated.
//!
//! Source: Flink 1.20.5, CheckpointConfig and NettyShuffleEnvironmentConfiguration for the texts
//! that are Flink's.

use crate::finding::Problem;

/// A refusal. None of them leaves anything to go on with.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// A number that cannot be.
    #[error("{field} is {}; give a number from {} to {}", short(*value), short(*low), short(*high))]
    OutOfRange {
        /// The field.
        field: String,
        /// What it is.
        value: f64,
        /// The least.
        low: f64,
        /// The most.
        high: f64,
    },
    /// More of something than can be simulated here.
    #[error("{count} {what}. At most {limit} can be simulated here")]
    TooLarge {
        /// The field.
        field: String,
        /// How much it comes to.
        count: f64,
        /// The most.
        limit: f64,
        /// Of what, and what to do.
        what: &'static str,
    },
    /// A list without a number above zero.
    #[error("{field} needs at least one number")]
    EmptyList {
        /// The field.
        field: String,
    },
    /// Vertices and edges that do not make a job.
    #[error("{says}")]
    Graph {
        /// The field.
        field: String,
        /// What is wrong and what to do.
        says: &'static str,
    },
    /// No floating buffer.
    #[error("The configured floating buffer should be at least 1")]
    NoFloatingBuffer {
        /// The field.
        field: String,
    },
    /// Unaligned and concurrent.
    #[error("maxConcurrentCheckpoints can't be > 1 if UnalignedCheckpoints enabled")]
    ConcurrentUnaligned {
        /// The field.
        field: String,
    },
}

impl CheckpointError {
    /// The same of params that hold what was refused in a field of theirs.
    #[must_use]
    pub fn inside(mut self, outer: &str) -> Self {
        let (Self::OutOfRange { field, .. }
        | Self::TooLarge { field, .. }
        | Self::EmptyList { field }
        | Self::Graph { field, .. }
        | Self::NoFloatingBuffer { field }
        | Self::ConcurrentUnaligned { field }) = &mut self;
        *field = format!("{outer}.{field}");
        self
    }
}

/// A number as it was written, but no hundreds of digits.
fn short(value: f64) -> String {
    if value.abs() < 1e15 { value.to_string() } else { format!("{value:e}") }
}

impl From<CheckpointError> for Problem {
    fn from(error: CheckpointError) -> Self {
        let message = error.to_string();
        let (code, field, option) = match error {
            CheckpointError::OutOfRange { field, .. } => ("outOfRange", field, None),
            CheckpointError::TooLarge { field, .. } => ("tooLarge", field, None),
            CheckpointError::EmptyList { field } => ("emptyList", field, None),
            CheckpointError::Graph { field, .. } => ("badGraph", field, None),
            CheckpointError::NoFloatingBuffer { field } => (
                "noFloatingBuffer",
                field,
                Some("taskmanager.network.memory.floating-buffers-per-gate"),
            ),
            CheckpointError::ConcurrentUnaligned { field } => (
                "concurrentUnaligned",
                field,
                Some("execution.checkpointing.max-concurrent-checkpoints"),
            ),
        };
        let option = option.map(str::to_owned);
        Self { code: code.to_owned(), message, field: Some(field), option }
    }
}
