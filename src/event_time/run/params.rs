//! What a long run is asked, and what it refuses.

use serde::{Deserialize, Serialize};

use crate::finding::Problem;

/// The largest time, size, bound or lateness, so that no sum of them overflows and each is exact in
/// JavaScript [ms].
pub const TIME_MAX: i64 = (1 << 53) - 1;
/// The most keys of a run.
pub const KEYS_MAX: u32 = 1 << 24;
/// The most records of a run.
pub const RECORDS_MAX: usize = 32_000_000;
/// The most windows one record may be in.
pub const WINDOWS_PER_RECORD_MAX: i64 = 100_000;
/// Values whose magnitudes add up to more could make a sum that is not exact in JavaScript.
pub const SUM_MAX: u64 = (1 << 53) - 1;

/// The windows of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", deny_unknown_fields)]
pub enum RunAssigner {
    /// `TumblingEventTimeWindows`.
    Tumbling {
        /// Length [ms].
        size: i64,
        /// Where the first window starts [ms].
        offset: i64,
    },
    /// `SlidingEventTimeWindows`.
    Sliding {
        /// Length [ms].
        size: i64,
        /// Distance of starts [ms].
        slide: i64,
        /// Where the first window starts [ms].
        offset: i64,
    },
    /// `EventTimeSessionWindows`.
    Session {
        /// The gap that ends a session [ms].
        gap: i64,
    },
}

/// The rule that makes a watermark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", deny_unknown_fields)]
pub enum RunWatermarkRule {
    /// `forBoundedOutOfOrderness`: the maximum timestamp less the bound less 1 ms.
    #[serde(rename_all = "camelCase")]
    BoundedOutOfOrderness {
        /// The bound [ms].
        out_of_orderness: i64,
    },
    /// `forMonotonousTimestamps`: the same with a bound of 0.
    Ascending,
    /// `WATERMARK FOR ts AS ts - INTERVAL …`: the maximum timestamp less the bound.
    #[serde(rename_all = "camelCase")]
    Sql {
        /// The interval [ms].
        out_of_orderness: i64,
    },
}

impl RunWatermarkRule {
    /// How far the watermark stays behind the maximum timestamp [ms].
    pub const fn lag(self) -> i64 {
        match self {
            Self::BoundedOutOfOrderness { out_of_orderness } => out_of_orderness + 1,
            Self::Ascending => 1,
            Self::Sql { out_of_orderness } => out_of_orderness,
        }
    }

    const fn bound(self) -> i64 {
        match self {
            Self::BoundedOutOfOrderness { out_of_orderness } | Self::Sql { out_of_orderness } => {
                out_of_orderness
            }
            Self::Ascending => 0,
        }
    }
}

/// When watermarks are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunWatermarks {
    /// The rule.
    pub rule: RunWatermarkRule,
    /// After every n-th record; 1 is after each. Stands for the periodic emission of Flink.
    pub emit_every: u32,
}

/// A run: event-time trigger, count and sum of the values of each key and window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunParams {
    /// The windows.
    pub assigner: RunAssigner,
    /// `allowedLateness` [ms].
    pub allowed_lateness: i64,
    /// When watermarks are made.
    pub watermarks: RunWatermarks,
    /// How many keys there are; a record names one by its index.
    pub keys: u32,
}

impl RunParams {
    /// Whether these can be run.
    ///
    /// # Errors
    /// Flink's refusal of a parameter, or a limit of this engine.
    pub fn check(&self) -> Result<(), RunError> {
        let is_within = |offset: i64, step: i64| offset.checked_abs().is_some_and(|it| it < step);
        match self.assigner {
            RunAssigner::Tumbling { size, offset } => {
                if !is_within(offset, size) {
                    return Err(RunError::TumblingParameters);
                }
                range("assigner.size", size, 1, TIME_MAX)?;
            }
            RunAssigner::Sliding { size, slide, offset } => {
                if !is_within(offset, slide) || size <= 0 {
                    return Err(RunError::SlidingParameters);
                }
                range("assigner.size", size, 1, TIME_MAX)?;
                range("assigner.slide", slide, 1, TIME_MAX)?;
                if size / slide >= WINDOWS_PER_RECORD_MAX {
                    return Err(RunError::WindowsPerRecord { windows: size / slide });
                }
            }
            RunAssigner::Session { gap } => {
                if gap <= 0 {
                    return Err(RunError::SessionParameters);
                }
                range("assigner.gap", gap, 1, TIME_MAX)?;
            }
        }
        range("allowedLateness", self.allowed_lateness, 0, TIME_MAX)?;
        range("watermarks.rule.outOfOrderness", self.watermarks.rule.bound(), 0, TIME_MAX)?;
        range("watermarks.emitEvery", self.watermarks.emit_every.into(), 1, u32::MAX.into())?;
        range("keys", self.keys.into(), 1, KEYS_MAX.into())
    }
}

fn range(field: &'static str, value: i64, low: i64, high: i64) -> Result<(), RunError> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    Err(RunError::OutOfRange { field, value, low, high })
}

/// Why a run is refused; what Flink itself refuses is in Flink's words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// `TumblingEventTimeWindows` refuses its parameters.
    #[error("TumblingEventTimeWindows parameters must satisfy abs(offset) < size")]
    TumblingParameters,
    /// `SlidingEventTimeWindows` refuses its parameters.
    #[error("SlidingEventTimeWindows parameters must satisfy abs(offset) < slide and size > 0")]
    SlidingParameters,
    /// `EventTimeSessionWindows` refuses its gap.
    #[error("EventTimeSessionWindows parameters must satisfy 0 < size")]
    SessionParameters,
    /// Sliding windows that overlap more often than is computed.
    #[error(
        "Each record would be in {windows} windows; at most {WINDOWS_PER_RECORD_MAX} are computed. Raise the slide or lower the size."
    )]
    WindowsPerRecord {
        /// size / slide.
        windows: i64,
    },
    /// A number outside its range.
    #[error("{field} is {value}; it must be between {low} and {high}.")]
    OutOfRange {
        /// Path into the params.
        field: &'static str,
        /// What was given.
        value: i64,
        /// The least that is accepted.
        low: i64,
        /// The most that is accepted.
        high: i64,
    },
    /// Columns of one push differ in length.
    #[error(
        "The columns have {times} times, {keys} keys and {values} values; all must be as many."
    )]
    Columns {
        /// Length of the column of times.
        times: usize,
        /// Length of the column of keys.
        keys: usize,
        /// Length of the column of values.
        values: usize,
    },
    /// More records than a run takes.
    #[error("A run takes at most {RECORDS_MAX} records.")]
    Records,
    /// A record that cannot be taken.
    #[error("Record {record} has the {column} {value}; it must be between {low} and {high}.")]
    Record {
        /// Its place in the run, from 0.
        record: usize,
        /// Its column.
        column: &'static str,
        /// What stands there.
        value: i64,
        /// The least that is accepted.
        low: i64,
        /// The most that is accepted.
        high: i64,
    },
    /// Sums that JavaScript could not hold.
    #[error(
        "Up to record {record} the magnitudes of the values add up to more than 2^53 - 1, so a sum might not be exact. Scale the values down."
    )]
    Sum {
        /// The record that goes over, from 0.
        record: usize,
    },
    /// Records after the end of the input.
    #[error("The input has ended; start a new run for more records.")]
    Ended,
}

impl From<RunError> for Problem {
    fn from(error: RunError) -> Self {
        let (code, field) = match &error {
            RunError::TumblingParameters => ("tumbling_parameters", "assigner.size".to_owned()),
            RunError::SlidingParameters => ("sliding_parameters", "assigner.slide".to_owned()),
            RunError::SessionParameters => ("session_parameters", "assigner.gap".to_owned()),
            RunError::WindowsPerRecord { .. } => {
                ("windows_per_record", "assigner.slide".to_owned())
            }
            RunError::OutOfRange { field, .. } => ("out_of_range", (*field).to_owned()),
            RunError::Columns { .. } => ("columns", "columns".to_owned()),
            RunError::Records => ("too_many_records", "columns".to_owned()),
            RunError::Record { column, .. } => ("record", format!("columns.{column}")),
            RunError::Sum { .. } => ("sum", "columns.value".to_owned()),
            RunError::Ended => ("ended", "columns".to_owned()),
        };
        Self { code: code.to_owned(), message: error.to_string(), field: Some(field), option: None }
    }
}
