//! Why a scenario cannot be played or explored.
//!
//! Source: Weir's own limits; none of them is Flink's or Kafka's.

use super::refusal::range_in_words;
use crate::finding::Problem;

/// A refusal. None of them leaves anything to go on with.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TransactionError {
    /// A number that cannot be, or that is too large to play.
    #[error("{field} {}", range_in_words(.field, i128::from(*.value), i128::from(*.low), i128::from(*.high)))]
    OutOfRange {
        /// The path of the field.
        field: String,
        /// What it is.
        value: u64,
        /// The least.
        low: u64,
        /// The most.
        high: u64,
    },
    /// A name that is none of those that are known.
    #[error("{field} is `{value}`; give {known}")]
    Unknown {
        /// The field.
        field: &'static str,
        /// What it is.
        value: String,
        /// What it may be.
        known: &'static str,
    },
    /// The same for a field of a fault.
    #[error("fault {}: {error}", at + 1)]
    Fault {
        /// Which fault.
        at: usize,
        /// What is wrong with it.
        error: Box<TransactionError>,
    },
    /// More steps than are played.
    #[error("this takes more than {limit} steps; give fewer intervals, subtasks or restarts")]
    TooLong {
        /// The most steps.
        limit: usize,
    },
    /// Two choices that do not go together.
    #[error("{field} and {other} cannot be tried together: {why}")]
    NotTogether {
        /// The field to change.
        field: &'static str,
        /// The other.
        other: &'static str,
        /// What is in the way.
        why: &'static str,
    },
    /// A step of a way that cannot happen there.
    #[error(
        "step {at} cannot happen there: the way was found by another search; search again, and play the way that is found"
    )]
    NoSuchStep {
        /// Which step.
        at: u64,
    },
    /// A checkpoint that no restore can use.
    #[error(
        "checkpoint {checkpoint} was not completed before the restore; give one that was, or `latest`"
    )]
    NoSuchCheckpoint {
        /// Which fault.
        at: usize,
        /// The number.
        checkpoint: u32,
    },
    /// An end of the input that lies before what was read.
    #[error(
        "records after interval {after_interval} were read before this fault; move it up, or give a later interval"
    )]
    ReadAlready {
        /// Which fault.
        at: usize,
        /// The interval.
        after_interval: u32,
    },
}

impl TransactionError {
    /// The same as a problem of a fault.
    pub fn of_fault(self, at: usize) -> Self {
        Self::Fault { at, error: Box::new(self) }
    }

    fn field(&self) -> Option<String> {
        match self {
            Self::OutOfRange { field, .. } => Some(field.clone()),
            Self::Unknown { field, .. } | Self::NotTogether { field, .. } => {
                Some((*field).to_owned())
            }
            Self::Fault { at, error } => {
                let field = error.field()?;
                let name = field.rsplit('.').next().unwrap_or_default();
                Some(format!("faults[{at}].{name}"))
            }
            Self::NoSuchCheckpoint { at, .. } => Some(format!("faults[{at}].from")),
            Self::ReadAlready { at, .. } => Some(format!("faults[{at}].afterInterval")),
            Self::TooLong { .. } => Some("settings.intervals".to_owned()),
            Self::NoSuchStep { .. } => Some("choices".to_owned()),
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::OutOfRange { .. } => "outOfRange",
            Self::Unknown { .. } => "unknown",
            Self::NotTogether { .. } => "notTogether",
            Self::Fault { error, .. } => error.code(),
            Self::TooLong { .. } => "tooLong",
            Self::NoSuchStep { .. } => "noSuchStep",
            Self::NoSuchCheckpoint { .. } => "noSuchCheckpoint",
            Self::ReadAlready { .. } => "readAlready",
        }
    }
}

impl From<TransactionError> for Problem {
    fn from(error: TransactionError) -> Self {
        Self {
            code: error.code().to_owned(),
            message: error.to_string(),
            field: error.field(),
            option: None,
        }
    }
}
