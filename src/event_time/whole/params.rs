//! What a whole stream is asked: where it comes from, and the operator that it goes through.
//!
//! Source: none of Flink's; windows and watermarks are those of the other questions.

use serde::{Deserialize, Serialize};

use crate::event_time::error::EventTimeError;
use crate::event_time::generator::WatermarkRule;
use crate::event_time::kept::KeptParams;
use crate::event_time::operator::WindowParams;
use crate::event_time::params::{
    EmissionTime, EventTimeParams, SPAN_MAX, SourceParams, WatermarkParams,
};
use crate::event_time::run::{RunError, RunParams, RunSource};
use crate::event_time::window::Assigner;
use crate::event_time::zone::Zone;
use crate::key_group::{self, KeyType};
use crate::stream::disorder::{DisorderParams, JobRule, WatermarkPlace, Window};
use crate::stream::{GeneratorParams, ReaderParams};
use crate::units::FlinkVersion;

/// A stream and the operator that it goes through.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WholeParams {
    /// Where it comes from.
    pub source: StreamSource,
    /// The windows.
    pub windows: WindowParams,
    /// How watermarks come about.
    pub watermarks: WatermarkParams,
    /// Whether a bounded source ends it with the watermark `Long.MAX_VALUE`.
    pub end_of_input: bool,
    /// What else the job is.
    #[serde(default)]
    pub job: JobShape,
}

/// Subtasks, keys and types of a job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct JobShape {
    /// The version that runs it.
    pub version: FlinkVersion,
    /// Subtasks of the source; partition p goes to subtask p modulo this.
    pub source_parallelism: u32,
    /// Whether each partition has a generator of its own, and not each subtask.
    pub per_partition: bool,
    /// Subtasks of the window operator.
    pub parallelism: u32,
    /// Its maximum parallelism; `None` takes Flink's default.
    #[serde(default)]
    pub max_parallelism: Option<u32>,
    /// What the keys are in Java.
    #[serde(default)]
    pub key_type: KeyType,
    /// `Some`: records are left out whose id came before, kept with this TTL [ms].
    #[serde(default)]
    pub dedup_ttl: Option<i64>,
    /// The types of what is kept.
    #[serde(default)]
    pub kept: KeptParams,
}

impl Default for JobShape {
    fn default() -> Self {
        Self {
            version: FlinkVersion::V1_20,
            source_parallelism: 1,
            per_partition: false,
            parallelism: 1,
            max_parallelism: None,
            key_type: KeyType::String,
            dedup_ttl: None,
            kept: KeptParams::default(),
        }
    }
}

/// Where a stream comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", deny_unknown_fields)]
pub enum StreamSource {
    /// From a seed.
    Generated {
        /// How.
        generator: Box<GeneratorParams>,
    },
    /// From a file, whose bytes are pushed.
    File {
        /// How it is read.
        reader: ReaderParams,
    },
}

impl WholeParams {
    /// The operator of so many keys and partitions.
    pub(super) fn run(&self, keys: u32, partitions: u32) -> RunParams {
        let source = RunSource {
            version: self.job.version,
            partitions,
            parallelism: self.job.source_parallelism,
            per_partition: self.job.per_partition,
        };
        let (windows, watermarks) = (self.windows.clone(), self.watermarks.clone());
        RunParams { windows, watermarks, keys, source: Some(source) }
    }

    /// The same job as it is asked record by record, with no record yet; only its shape counts.
    pub(super) fn definition(&self) -> EventTimeParams {
        let JobShape { version, source_parallelism, per_partition, .. } = self.job;
        EventTimeParams {
            version,
            watermarks: self.watermarks.clone(),
            source: SourceParams { partitions: 1, parallelism: source_parallelism, per_partition },
            windows: self.windows.clone(),
            dedup_ttl: self.job.dedup_ttl,
            parallelism: self.job.parallelism,
            max_parallelism: self.job.max_parallelism,
            key_type: self.job.key_type,
            input: Vec::new(),
            end_of_input: self.end_of_input,
            restore_after: None,
            kept: self.job.kept.clone(),
            with_open: false,
        }
    }

    /// Key groups of the window operator.
    pub(super) fn key_groups(&self) -> Result<u32, EventTimeError> {
        let parallelism = self.job.parallelism.into();
        let max = match self.job.max_parallelism {
            Some(max) => max,
            None => key_group::default_max_parallelism(parallelism)?,
        };
        key_group::range_of(max.into(), parallelism, 0)?;
        Ok(max)
    }

    /// After how many records the only generator is asked; the run says its watermarks otherwise.
    pub(super) fn every(&self) -> u32 {
        match self.watermarks.emission {
            EmissionTime::PerEvent { every } => u32::try_from(every).unwrap_or(u32::MAX),
            EmissionTime::Periodic { .. } => u32::MAX,
        }
    }

    /// Whether watermarks depend on when records arrive.
    pub(super) fn needs_arrivals(&self) -> bool {
        matches!(self.watermarks.emission, EmissionTime::Periodic { .. })
            || self.watermarks.idle_timeout.is_some()
            || self.windows.trigger.follows_clock()
    }

    /// Whether a file says what this job needs to know of its records.
    ///
    /// # Errors
    /// What no column says, or a TTL out of range.
    pub(super) fn check_file(&self) -> Result<(), RunError> {
        let ttl = self.job.dedup_ttl;
        if let StreamSource::File { reader } = &self.source {
            if self.needs_arrivals() && reader.arrival.is_none() {
                return Err(RunError::Origin { what: "The arrival" });
            }
            if ttl.is_some() && reader.id.is_none() {
                let offered =
                    "leaving records of a file out by their id where a column of it is the id";
                return Err(RunError::NotOffered { field: "job.dedupTtl", offered });
            }
            if self.windows.assigner == Assigner::DynamicSession && reader.value.is_none() {
                let offered = "sessions with a gap of each record where a column of the file is the value, which is the gap in milliseconds";
                return Err(RunError::NotOffered { field: "windows.assigner", offered });
            }
        }
        match ttl {
            Some(value) if !(1..=SPAN_MAX).contains(&value) => {
                Err(RunError::OutOfRange { field: "job.dedupTtl", value, low: 1, high: SPAN_MAX })
            }
            _ => Ok(()),
        }
    }

    /// The last millisecond of a record's window, where only the record tells it.
    pub(super) fn told(&self, time: i64, value: i32) -> Option<i64> {
        match self.windows.assigner {
            Assigner::Zoned { size, ref transitions, .. } => {
                Some(Zone { transitions }.window(time, size).max_timestamp())
            }
            Assigner::DynamicSession => Some(time.saturating_add(i64::from(value) - 1)),
            Assigner::Global => Some(i64::MAX),
            _ => None,
        }
    }

    /// Whether all records share one generator that is asked after each of them.
    pub(super) fn follows_each_record(&self) -> bool {
        let is_one = self.job.source_parallelism == 1 && !self.job.per_partition;
        let is_asked = matches!(self.watermarks.emission, EmissionTime::PerEvent { every: 1 });
        is_one && is_asked && self.watermarks.idle_timeout.is_none()
    }

    /// What is measured on the way, beside the watermarks of the run.
    pub(super) fn disorder(&self) -> DisorderParams {
        let rule = match self.watermarks.rule {
            WatermarkRule::Sql { .. } => JobRule::Sql,
            WatermarkRule::SqlAssigner { .. } => JobRule::SqlAssigner,
            _ => JobRule::Bounded,
        };
        let is_one = self.job.source_parallelism == 1 && !self.job.per_partition;
        let watermarks = WatermarkPlace::Job { is_one, rule };
        let window = match self.windows.assigner {
            Assigner::Tumbling { size, offset } => {
                Some(Window::Tumbling { size_ms: size, offset_ms: offset })
            }
            Assigner::Sliding { size, slide, offset } => {
                Some(Window::Sliding { size_ms: size, slide_ms: slide, offset_ms: offset })
            }
            Assigner::Session { gap } => Some(Window::Session { gap_ms: gap }),
            Assigner::Zoned { .. } | Assigner::Global => Some(Window::Told { merges: false }),
            Assigner::DynamicSession => Some(Window::Told { merges: true }),
        };
        DisorderParams {
            watermarks,
            window,
            allowed_lateness_ms: self.windows.allowed_lateness.get(),
            bound_ms: self.watermarks.rule.bound(),
        }
    }
}
