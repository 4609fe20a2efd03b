//! What a long run is asked, and what it refuses.

use serde::{Deserialize, Serialize};

use super::super::error::EventTimeError;
use super::super::generator::WatermarkRule;
use super::super::operator::WindowParams;
use super::super::params::{EmissionTime, SOURCES_MAX, SPAN_MAX, SourceParams, WatermarkParams};
use super::super::trigger::Trigger;
use super::super::window::Assigner;
use super::super::zone::Transition;
use super::triggered::{ENTRIES_MAX, TIMERS_MAX, WINDOWS_MAX};
use crate::finding::Problem;
use crate::units::FlinkVersion;

/// The largest time, size, bound or lateness, so that no sum of them overflows and each is exact in
/// JavaScript [ms].
pub const TIME_MAX: i64 = (1 << 53) - 1;
/// The most keys of a run.
pub const KEYS_MAX: u32 = 1 << 24;
/// The most partitions of a run: what a byte tells apart.
const PARTITIONS_MAX: i64 = 256;
/// The most records of a run.
pub const RECORDS_MAX: usize = 32_000_000;
/// Values whose magnitudes add up to more could make a sum that is not exact in JavaScript.
pub const SUM_MAX: u64 = (1 << 53) - 1;

/// A run: count and sum of the values of each key and window. The rest is said as for the general
/// operator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunParams {
    /// The windows.
    pub windows: WindowParams,
    /// How watermarks come about.
    pub watermarks: WatermarkParams,
    /// How many keys there are; a record names one by its index.
    pub keys: u32,
    /// The source subtasks and their partitions; `None` is one generator for all records.
    #[serde(default)]
    pub source: Option<RunSource>,
}

/// What reads the records of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunSource {
    /// The version that runs it.
    pub version: FlinkVersion,
    /// Partitions, at most 256.
    pub partitions: u32,
    /// Subtasks that read them; partition p goes to subtask p modulo this.
    pub parallelism: u32,
    /// Whether each partition has a generator of its own, and not each subtask.
    pub per_partition: bool,
}

/// Sources whose watermark is more than the maximum of all records, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sources {
    pub version: FlinkVersion,
    pub source: SourceParams,
    pub watermarks: WatermarkParams,
    /// Whether the trigger follows the clock.
    pub has_clock: bool,
}

/// Windows of a run, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
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
    DynamicSession,
    Global,
    Zoned {
        size: i64,
        transitions: Vec<Transition>,
    },
}

/// Params of a run, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Plan {
    pub shape: Shape,
    /// Any but the event-time trigger.
    pub trigger: Option<Trigger>,
    /// `allowedLateness` [ms].
    pub lateness: i64,
    /// How far the watermark stays behind the maximum timestamp [ms].
    pub lag: i64,
    /// A watermark comes after every n-th record.
    pub every: u32,
    pub keys: u32,
    /// Partitions that records may come from.
    pub partitions: u32,
    /// Where the watermark is not that of one generator asked after every n-th record.
    pub sources: Option<Sources>,
}

impl Sources {
    /// Whether the watermark depends on which partition a record comes from.
    pub(super) fn needs_partition(&self) -> bool {
        self.source.partitions > 1
    }

    /// Whether it depends on when records arrive.
    pub(super) fn needs_arrival(&self) -> bool {
        matches!(self.watermarks.emission, EmissionTime::Periodic { .. })
            || self.watermarks.idle_timeout.is_some()
            || self.has_clock
    }
}

impl RunParams {
    /// Whether these can be run.
    ///
    /// # Errors
    /// Flink's refusal of a parameter, what long runs do not offer, or a limit of this engine.
    pub(super) fn plan(&self) -> Result<Plan, RunError> {
        let Self { windows, watermarks, keys, source } = self;
        windows.check()?;
        if watermarks.rule.bound() < 0 {
            return Err(EventTimeError::NegativeBound.into());
        }
        let shape = match windows.assigner {
            Assigner::Tumbling { size, offset } => Shape::Fixed { size, slide: size, offset },
            Assigner::Sliding { size, slide, offset } => Shape::Fixed { size, slide, offset },
            Assigner::Session { gap } => Shape::Session { gap },
            Assigner::DynamicSession => Shape::DynamicSession,
            Assigner::Global => Shape::Global,
            Assigner::Zoned { size, ref transitions, .. } => {
                Shape::Zoned { size, transitions: transitions.clone() }
            }
        };
        let trigger = Some(&windows.trigger).filter(|it| **it != Trigger::EventTime).cloned();
        let Some(lag) = watermarks.rule.lag() else {
            return not_offered("watermarks.rule", "rules that make watermarks from timestamps");
        };
        let every = match watermarks.emission {
            EmissionTime::PerEvent { every } => every,
            EmissionTime::Periodic { interval } => {
                range("watermarks.emission.interval", interval, 1, SPAN_MAX)?;
                // The conductor says when.
                i64::from(u32::MAX)
            }
        };
        watermarks.check()?;
        if let Some(timeout) = watermarks.idle_timeout {
            range("watermarks.idleTimeout", timeout, 1, SPAN_MAX)?;
        }
        let lateness = windows.allowed_lateness.get();
        match shape {
            Shape::Fixed { size, slide, .. } => {
                range("windows.assigner.size", size, 1, TIME_MAX)?;
                range("windows.assigner.slide", slide, 1, TIME_MAX)?;
            }
            Shape::Session { gap } => range("windows.assigner.gap", gap, 1, TIME_MAX)?,
            Shape::Zoned { size, .. } => range("windows.assigner.size", size, 1, TIME_MAX)?,
            Shape::DynamicSession | Shape::Global => {}
        }
        if let (&Shape::Fixed { size, slide, .. }, Some(_)) = (&shape, &trigger) {
            range("windows.assigner.slide", slide, (size - 1) / WINDOWS_MAX + 1, TIME_MAX)?;
        }
        range("windows.allowedLateness", lateness, 0, TIME_MAX)?;
        range("watermarks.rule.outOfOrderness", watermarks.rule.bound(), 0, TIME_MAX)?;
        if matches!(watermarks.emission, EmissionTime::PerEvent { .. }) {
            range("watermarks.emission.every", every, 1, RECORDS_MAX as i64)?;
        }
        range("keys", (*keys).into(), 1, KEYS_MAX.into())?;
        if let Some(source) = source {
            range("source.partitions", source.partitions.into(), 1, PARTITIONS_MAX)?;
            range("source.parallelism", source.parallelism.into(), 1, SOURCES_MAX as i64)?;
        }
        let sources = self.sources();
        let partitions = source.map_or(1, |it| it.partitions);
        let every = if sources.is_some() { u32::MAX } else { every as u32 };
        Ok(Plan { shape, trigger, lateness, lag, every, keys: *keys, partitions, sources })
    }

    /// The source where its watermark is not that of one generator asked after every n-th record.
    fn sources(&self) -> Option<Sources> {
        let Self { watermarks, source, windows, .. } = self;
        let has_clock = windows.trigger.follows_clock();
        let one = RunSource {
            version: FlinkVersion::V1_20,
            partitions: 1,
            parallelism: 1,
            per_partition: false,
        };
        let RunSource { version, partitions, parallelism, per_partition } = source.unwrap_or(one);
        let is_plain = matches!(watermarks.emission, EmissionTime::PerEvent { .. })
            && watermarks.idle_timeout.is_none()
            && !matches!(watermarks.rule, WatermarkRule::SqlAssigner { .. })
            && parallelism == 1
            && (!per_partition || partitions == 1)
            && !has_clock;
        (!is_plain).then(|| Sources {
            has_clock,
            version,
            source: SourceParams { partitions, parallelism, per_partition },
            watermarks: watermarks.clone(),
        })
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
    /// A source that needs to know where records come from, and is not told.
    #[error(
        "{what} of each record is needed for these watermarks, or for a trigger that is early by the clock. Of a file choose the column of the arrival; or ask for a watermark after every n-th record, without idleness, and a trigger by event time or count."
    )]
    Origin {
        /// `The partition` or `The arrival`.
        what: &'static str,
    },
    /// Records must come in the order of their arrival.
    #[error("Record {record} arrives before the one ahead of it.")]
    Arrival {
        /// Its place in the run, from 0.
        record: usize,
    },
    /// A trigger that calls timers for ever.
    #[error(
        "One watermark called {TIMERS_MAX} timers of the trigger, and the run stops there. A longer interval, or fewer keys and windows, needs fewer."
    )]
    Timers,
    /// More open state than a tab holds with a trigger that looks at each window.
    #[error(
        "More than {ENTRIES_MAX} keys and windows are open at one time, and the run stops there. Take fewer keys, a longer slide or less lateness; tumbling, sliding and session windows with the event-time trigger have no such limit."
    )]
    Entries,
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
            RunError::Origin { .. } => ("origin", "watermarks.emission".to_owned()),
            RunError::Arrival { .. } => ("arrival", "columns.arrival".to_owned()),
            RunError::Timers => ("too_many_calls", "windows.trigger.interval".to_owned()),
            RunError::Entries => ("too_many_windows", "windows.trigger".to_owned()),
            RunError::Ended => ("ended", "columns".to_owned()),
        };
        Self { code: code.to_owned(), message: error.to_string(), field: Some(field), option: None }
    }
}
