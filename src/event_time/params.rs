//! Params of `runEventTime`: a small job, and what reaches it item by item.

use serde::{Deserialize, Serialize};

use super::error::EventTimeError;
use super::generator::WatermarkRule;
use super::kept::KeptParams;
use super::operator::WindowParams;
use super::signal::Status;
use super::time::EventTime;
use super::window::Assigner;
use crate::key_group::{self, KeyType};
use crate::units::FlinkVersion;

/// The most calls of the clock that are made between two items.
pub const TICKS_MAX: i64 = 200_000;
/// The most items of an input that is shown record by record.
pub const ITEMS_MAX: usize = 5000;
/// The most assignments of a record to a window in such an input.
const ASSIGNMENTS_MAX: usize = 100_000;
/// The most partitions and the most source subtasks.
pub const SOURCES_MAX: usize = 1000;
/// The longest interval and the latest arrival [ms]: some 35 000 years, far inside what can be added.
pub const SPAN_MAX: i64 = 1 << 50;
/// The largest value, so that sums of all records stay exact in JavaScript.
const VALUE_MAX: i64 = 1_000_000_000_000;

/// When the sources are asked for a watermark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", deny_unknown_fields)]
pub enum EmissionTime {
    /// After every n-th record: all source subtasks at once.
    #[serde(rename_all = "camelCase")]
    PerEvent {
        /// n.
        every: i64,
    },
    /// At every interval of processing time, as `pipeline.auto-watermark-interval` says.
    #[serde(rename_all = "camelCase")]
    Periodic {
        /// The interval [ms].
        interval: i64,
    },
}

/// What the windows of an operator are as a namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowSpace {
    /// `TimeWindow`.
    Time,
    /// `GlobalWindow`.
    Global,
}

/// How watermarks come about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WatermarkParams {
    /// The rule.
    pub rule: WatermarkRule,
    /// When it is asked.
    pub emission: EmissionTime,
    /// `withIdleness` [ms].
    pub idle_timeout: Option<i64>,
}

impl WatermarkParams {
    /// What `WatermarkAssignerOperator` is modelled with.
    ///
    /// # Errors
    /// What it is not.
    pub fn check(&self) -> Result<(), EventTimeError> {
        if !matches!(self.rule, WatermarkRule::SqlAssigner { .. }) {
            return Ok(());
        }
        if self.idle_timeout.is_some() {
            return Err(EventTimeError::AssignerIdleness);
        }
        match self.emission {
            EmissionTime::PerEvent { every } if every != 1 => Err(EventTimeError::AssignerRhythm),
            _ => Ok(()),
        }
    }
}

/// The source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SourceParams {
    /// Partitions of the topic.
    pub partitions: u32,
    /// Subtasks that read them; partition p goes to subtask p modulo this.
    pub parallelism: u32,
    /// Whether each partition has a generator of its own (`fromSource` with a strategy), and not
    /// each subtask (`assignTimestampsAndWatermarks` on the stream).
    pub per_partition: bool,
}

/// One item of the input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", deny_unknown_fields)]
pub enum InputItem {
    /// A record.
    #[serde(rename_all = "camelCase")]
    Event {
        /// A name for people.
        #[serde(default)]
        id: Option<String>,
        /// The key.
        key: String,
        /// Its timestamp.
        time: EventTime,
        /// What is summed up; the gap of a dynamic session [ms].
        #[serde(default = "one")]
        value: i64,
        /// Processing time at the source [ms]; `None` is that of the item before.
        #[serde(default)]
        arrival: Option<i64>,
        /// The partition it is read from.
        #[serde(default)]
        partition: u32,
    },
    /// A watermark that a source subtask sends, whatever its rule.
    #[serde(rename_all = "camelCase")]
    Watermark {
        /// Its timestamp.
        watermark: EventTime,
        /// The source subtask.
        #[serde(default)]
        subtask: u32,
        /// Processing time at the source [ms]; `None` is that of the item before.
        #[serde(default)]
        arrival: Option<i64>,
    },
    /// A status that a source subtask sends.
    #[serde(rename_all = "camelCase")]
    Status {
        /// The status.
        status: Status,
        /// The source subtask.
        #[serde(default)]
        subtask: u32,
        /// Processing time at the source [ms]; `None` is that of the item before.
        #[serde(default)]
        arrival: Option<i64>,
    },
}

impl InputItem {
    /// When it reaches its source [ms]; `None` is as the item before.
    pub const fn arrival(&self) -> Option<i64> {
        match self {
            Self::Event { arrival, .. }
            | Self::Watermark { arrival, .. }
            | Self::Status { arrival, .. } => *arrival,
        }
    }

    /// What is summed up; of a signal nothing.
    const fn value(&self) -> i64 {
        match self {
            Self::Event { value, .. } => *value,
            _ => 0,
        }
    }
}

const fn one() -> i64 {
    1
}

/// A job with one window operator, and its input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EventTimeParams {
    /// The version that runs it.
    pub version: FlinkVersion,
    /// How watermarks come about.
    pub watermarks: WatermarkParams,
    /// The source.
    pub source: SourceParams,
    /// The windows.
    pub windows: WindowParams,
    /// Leaves out a record whose id came before, for as long as state with this TTL of processing
    /// time keeps the id [ms].
    #[serde(default)]
    pub dedup_ttl: Option<i64>,
    /// Subtasks of the window operator.
    pub parallelism: u32,
    /// Its maximum parallelism; `None` takes Flink's default.
    #[serde(default)]
    pub max_parallelism: Option<u32>,
    /// What the keys are in Java.
    #[serde(default)]
    pub key_type: KeyType,
    /// What happens, in order.
    pub input: Vec<InputItem>,
    /// After each of so many rows of the report, those of restores not counted, the job is stopped
    /// with a savepoint and started from it at once, before the next item; none runs it through.
    #[serde(default)]
    pub restore_after: Vec<u32>,
    /// Whether the source is bounded: a last watermark of `Long.MAX_VALUE` ends it.
    pub end_of_input: bool,
    /// The types of what is kept.
    #[serde(default)]
    pub kept: KeptParams,
    /// Whether every row lists the open windows, and every firing all of its records.
    #[serde(default)]
    pub with_open: bool,
}

impl EventTimeParams {
    /// Whether all of it can be computed.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check(&self) -> Result<(), EventTimeError> {
        self.windows.check()?;
        self.kept.check()?;
        self.watermarks.check()?;
        if self.watermarks.rule.bound() < 0 {
            return Err(EventTimeError::NegativeBound);
        }
        self.check_numbers()?;
        self.check_large()?;
        self.check_sizes()?;
        let max = self.key_groups()?;
        key_group::range_of(max.into(), self.parallelism.into(), 0)?;
        Ok(())
    }

    /// Key groups of the window operator.
    ///
    /// # Errors
    /// A parallelism that has no default.
    pub fn key_groups(&self) -> Result<u32, EventTimeError> {
        match self.max_parallelism {
            Some(max) => Ok(max),
            None => Ok(key_group::default_max_parallelism(self.parallelism.into())?),
        }
    }

    fn check_numbers(&self) -> Result<(), EventTimeError> {
        let emission = match self.watermarks.emission {
            EmissionTime::PerEvent { every } => ("watermarks.emission.every", "The count", every),
            EmissionTime::Periodic { interval } => {
                ("watermarks.emission.interval", "The interval", interval)
            }
        };
        let idle = self.watermarks.idle_timeout.unwrap_or(1);
        let first_restore = self.restore_after.iter().min().copied().unwrap_or(1);
        let least = [
            emission,
            ("watermarks.idleTimeout", "The idle timeout", idle),
            ("dedupTtl", "The TTL", self.dedup_ttl.unwrap_or(1)),
            ("restoreAfter", "The step of a restore", first_restore.into()),
            ("source.partitions", "The number of partitions", self.source.partitions.into()),
            ("source.parallelism", "The source's parallelism", self.source.parallelism.into()),
        ];
        match least.into_iter().find(|(.., got)| *got < 1) {
            Some((field, what, got)) => Err(EventTimeError::TooSmall { field, what, min: 1, got }),
            None => Ok(()),
        }
    }

    fn check_large(&self) -> Result<(), EventTimeError> {
        let records = || self.input.iter().map(|it| (it.value(), it.arrival().unwrap_or(0)));
        let largest = |each: fn((i64, i64)) -> u64| {
            i64::try_from(records().map(each).max().unwrap_or(0)).unwrap_or(i64::MAX)
        };
        let emission = match self.watermarks.emission {
            EmissionTime::PerEvent { every } => ("watermarks.emission.every", every),
            EmissionTime::Periodic { interval } => ("watermarks.emission.interval", interval),
        };
        let idle = self.watermarks.idle_timeout.unwrap_or(0);
        let (arrivals, values) =
            (largest(|(_, at)| at.unsigned_abs()), largest(|(value, _)| value.unsigned_abs()));
        let most = [
            (emission.0, "The rhythm of watermarks", SPAN_MAX, emission.1),
            ("watermarks.idleTimeout", "The idle timeout", SPAN_MAX, idle),
            ("dedupTtl", "The TTL", SPAN_MAX, self.dedup_ttl.unwrap_or(0)),
            ("input", "An arrival", SPAN_MAX, arrivals),
            ("input", "A value", VALUE_MAX, values),
        ];
        match most.into_iter().find(|(.., max, got)| got > max) {
            Some((field, what, max, got)) => {
                Err(EventTimeError::TooLarge { field, what, max, got })
            }
            None => Ok(()),
        }
    }

    fn check_sizes(&self) -> Result<(), EventTimeError> {
        let windows = match self.windows.assigner {
            Assigner::Sliding { size, slide, .. } => (size / slide + 1) as usize,
            _ => 1,
        };
        let assignments = windows.saturating_mul(self.input.len());
        let most = [
            ("input", "Items of the input", ITEMS_MAX, self.input.len()),
            ("windows.assigner.slide", "Windows of all records", ASSIGNMENTS_MAX, assignments),
            ("restoreAfter", "Restores", ITEMS_MAX, self.restore_after.len()),
            ("source.partitions", "Partitions", SOURCES_MAX, self.source.partitions as usize),
            (
                "source.parallelism",
                "Source subtasks",
                SOURCES_MAX,
                self.source.parallelism as usize,
            ),
        ];
        match most.into_iter().find(|(.., max, got)| got > max) {
            Some((field, what, max, got)) => Err(EventTimeError::TooMany { field, what, max, got }),
            None => Ok(()),
        }
    }
}
