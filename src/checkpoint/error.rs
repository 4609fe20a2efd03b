//! Why a job cannot be simulated.
//!
//! Source: Flink 1.20.5, CheckpointConfig and NettyShuffleEnvironmentConfiguration for the texts
//! that are Flink's.

use super::verdict::said;
use crate::finding::Problem;
use crate::units::Bytes;

/// A refusal. None of them leaves anything to go on with.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// A number that cannot be.
    #[error(
        "{field} is {}; give a {} from {} to {}",
        in_unit(field, *value), kind(field), in_unit(field, *low), in_unit(field, *high)
    )]
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

/// What a field holds; its name says the unit.
fn kind(field: &str) -> &'static str {
    match () {
        () if field.ends_with("Ms") => "time",
        () if field.ends_with("Bytes") => "size",
        () => "number",
    }
}

/// A value of a field as a person would say it; whole times and sizes only, others as they are.
fn in_unit(field: &str, value: f64) -> String {
    let whole = (0.0..1e15).contains(&value) && value.fract() == 0.0;
    match kind(field) {
        "time" if whole => said(value as u64),
        "size" if whole => Bytes::new(value as i64).to_string(),
        _ => short(value),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_said_in_the_unit_of_its_field() {
        let says = |field: &str, value, low, high| {
            let field = field.to_owned();
            CheckpointError::OutOfRange { field, value, low, high }.to_string()
        };
        let run = says("runMs", 36e12, 1.0, 86_400_000.0);
        assert_eq!(run, "runMs is 10000000 h; give a time from 1 ms to 24 h");
        let segment = says("network.segmentBytes", 1.0, 4096.0, 1_073_741_824.0);
        assert_eq!(segment, "network.segmentBytes is 1 B; give a size from 4 KiB to 1 GiB");
        let tasks = says("vertices[0].parallelism", 0.0, 1.0, 1000.0);
        assert_eq!(tasks, "vertices[0].parallelism is 0; give a number from 1 to 1000");
        let odd = says("runMs", f64::NAN, 1.0, 1000.0);
        assert_eq!(odd, "runMs is NaN; give a time from 1 ms to 1 s");
    }
}
