//! What a long run is asked, and what it refuses.

use serde::{Deserialize, Serialize};

use super::super::error::EventTimeError;
use super::super::operator::WindowParams;
use super::super::params::{EmissionTime, WatermarkParams};
use super::super::trigger::Trigger;
use super::super::window::Assigner;
use crate::finding::Problem;

/// The largest time, size, bound or lateness, so that no sum of them overflows and each is exact in
/// JavaScript [ms].
pub const TIME_MAX: i64 = (1 << 53) - 1;
/// The most keys of a run.
pub const KEYS_MAX: u32 = 1 << 24;
/// The most records of a run.
pub const RECORDS_MAX: usize = 32_000_000;
/// Values whose magnitudes add up to more could make a sum that is not exact in JavaScript.
pub const SUM_MAX: u64 = (1 << 53) - 1;

/// A run: event-time trigger, count and sum of the values of each key and window. The rest is said
/// as for the general operator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunParams {
    /// The windows.
    pub windows: WindowParams,
    /// How watermarks come about.
    pub watermarks: WatermarkParams,
    /// How many keys there are; a record names one by its index.
    pub keys: u32,
}

/// Windows of a run, checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// Tumbling ones have a slide of their size.
    Fixed {
        size: i64,
        slide: i64,
        offset: i64,
    },
    Session {
        gap: i64,
    },
}

/// Params of a run, checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Plan {
    pub shape: Shape,
    /// `allowedLateness` [ms].
    pub lateness: i64,
    /// How far the watermark stays behind the maximum timestamp [ms].
    pub lag: i64,
    /// A watermark comes after every n-th record.
    pub every: u32,
    pub keys: u32,
}

impl RunParams {
    /// Whether these can be run.
    ///
    /// # Errors
    /// Flink's refusal of a parameter, what long runs do not offer, or a limit of this engine.
    pub(super) fn plan(&self) -> Result<Plan, RunError> {
        let Self { windows, watermarks, keys } = self;
        windows.check()?;
        if watermarks.rule.bound() < 0 {
            return Err(EventTimeError::NegativeBound.into());
        }
        let shape = match windows.assigner {
            Assigner::Tumbling { size, offset } => Shape::Fixed { size, slide: size, offset },
            Assigner::Sliding { size, slide, offset } => Shape::Fixed { size, slide, offset },
            Assigner::Session { gap } => Shape::Session { gap },
            _ => return not_offered("windows.assigner", "tumbling, sliding and session windows"),
        };
        if windows.trigger != Trigger::EventTime {
            return not_offered("windows.trigger", "the event-time trigger");
        }
        let Some(lag) = watermarks.rule.lag() else {
            return not_offered("watermarks.rule", "rules that make watermarks from timestamps");
        };
        let EmissionTime::PerEvent { every } = watermarks.emission else {
            return not_offered("watermarks.emission", "watermarks after every n-th record");
        };
        if watermarks.idle_timeout.is_some() {
            return not_offered("watermarks.idleTimeout", "sources that are never idle");
        }
        let lateness = windows.allowed_lateness.get();
        match shape {
            Shape::Fixed { size, slide, .. } => {
                range("windows.assigner.size", size, 1, TIME_MAX)?;
                range("windows.assigner.slide", slide, 1, TIME_MAX)?;
            }
            Shape::Session { gap } => range("windows.assigner.gap", gap, 1, TIME_MAX)?,
        }
        range("windows.allowedLateness", lateness, 0, TIME_MAX)?;
        range("watermarks.rule.outOfOrderness", watermarks.rule.bound(), 0, TIME_MAX)?;
        range("watermarks.emission.every", every, 1, RECORDS_MAX as i64)?;
        range("keys", (*keys).into(), 1, KEYS_MAX.into())?;
        Ok(Plan { shape, lateness, lag, every: every as u32, keys: *keys })
    }
}

fn not_offered<T>(field: &'static str, offered: &'static str) -> Result<T, RunError> {
    Err(RunError::NotOffered { field, offered })
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
    /// What the general operator refuses too.
    #[error(transparent)]
    Job(#[from] EventTimeError),
    /// What only the general operator does.
    #[error("Long runs offer {offered}. A run record by record offers the others.")]
    NotOffered {
        /// Path into the params.
        field: &'static str,
        /// What there is.
        offered: &'static str,
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
            RunError::Job(error) => return error.clone().into(),
            RunError::NotOffered { field, .. } => ("not_offered", (*field).to_owned()),
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
