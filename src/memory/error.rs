//! Why a process does not start: Flink's exception as a value, with the option to change.
//!
//! Source: messages of Flink 1.18.1, 1.20.5 and 2.2.1, `ProcessMemoryUtils`,
//! `TaskExecutorFlinkMemoryUtils`, `JobManagerFlinkMemoryUtils`, `ConfigurationUtils`.

use crate::finding::Problem;

/// What kind of refusal it is; the names are ours, one for each place where Flink throws.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// Neither fine-grained, nor total Flink, nor total process memory is set.
    RequiredOptionsMissing,
    /// The components add up to more than the total Flink memory.
    FlinkExceededByComponents,
    /// Network memory was the remainder and is outside its range.
    NetworkNotInRange,
    /// JVM overhead was the remainder and is outside its range.
    OverheadNotInRange,
    /// A minimum above its maximum, or a fraction outside [0, 1).
    RangeOrFractionInconsistent,
    /// The process is smaller than Flink memory and metaspace.
    ProcessLtFlinkPlusMetaspace,
    /// The process is smaller than metaspace and overhead.
    ProcessLtMetaspacePlusOverhead,
    /// A JobManager's Flink memory leaves no heap.
    JmFlinkLtOffheap,
    /// A JobManager's heap is larger than its Flink memory.
    JmHeapExceedsFlink,
    /// A JobManager's heap and off-heap do not add up to its Flink memory.
    JmHeapOffheapNeFlink,
    /// A size option that does not parse.
    UnreadableMemorySize,
    /// A number option that does not parse.
    UnparsableValue,
    /// A sum or product beyond 2^63 - 1.
    LongOverflow,
    /// No positive number of CPU cores.
    CpuNotPositive,
    /// The segment size is too small or not a power of two.
    BadSegmentSize,
    /// A legacy heap size below zero.
    LegacyHeapNegative,
    /// Our own: more settings than any configuration has.
    TooManySettings,
    /// An `IllegalStateException` without a name of its own.
    OtherIllegalState,
    /// An `IllegalArgumentException` without a name of its own.
    OtherIllegalArgument,
    /// A `NumberFormatException` without a name of its own.
    OtherNumberFormat,
}

impl Kind {
    /// The stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::RequiredOptionsMissing => "required_options_missing",
            Self::FlinkExceededByComponents => "flink_exceeded_by_components",
            Self::NetworkNotInRange => "network_not_in_range",
            Self::OverheadNotInRange => "overhead_not_in_range",
            Self::RangeOrFractionInconsistent => "range_or_fraction_inconsistent",
            Self::ProcessLtFlinkPlusMetaspace => "process_lt_flink_plus_metaspace",
            Self::ProcessLtMetaspacePlusOverhead => "process_lt_metaspace_plus_overhead",
            Self::JmFlinkLtOffheap => "jm_flink_lt_offheap",
            Self::JmHeapExceedsFlink => "jm_heap_exceeds_flink",
            Self::JmHeapOffheapNeFlink => "jm_heap_offheap_ne_flink",
            Self::UnreadableMemorySize => "unreadable_memory_size",
            Self::UnparsableValue => "unparsable_value",
            Self::LongOverflow => "long_overflow",
            Self::CpuNotPositive => "cpu_not_positive",
            Self::BadSegmentSize => "bad_segment_size",
            Self::LegacyHeapNegative => "legacy_heap_negative",
            Self::TooManySettings => "too_many_settings",
            Self::OtherIllegalState => "other:IllegalStateException",
            Self::OtherIllegalArgument => "other:IllegalArgumentException",
            Self::OtherNumberFormat => "other:NumberFormatException",
        }
    }

    /// Whether Flink throws an `IllegalConfigurationException`, the only one that it prefixes and
    /// wraps on the way up.
    const fn is_configuration(self) -> bool {
        !matches!(
            self,
            Self::UnparsableValue
                | Self::LongOverflow
                | Self::OtherIllegalArgument
                | Self::OtherIllegalState
                | Self::OtherNumberFormat
                | Self::TooManySettings
        )
    }
}

/// A refusal of Flink. `Display` gives Flink's message, word for word.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct MemoryError {
    /// What kind of refusal it is.
    pub kind: Kind,
    /// Flink's message.
    pub message: String,
    /// The messages of the causes, outermost first.
    pub causes: Vec<String>,
    /// The option to look at first.
    pub option: Option<&'static str>,
    /// The mistake in plain words.
    pub plain: String,
}

impl MemoryError {
    /// A refusal with Flink's message and the same thing in plain words.
    pub(crate) fn new(
        kind: Kind,
        option: Option<&'static str>,
        message: impl Into<String>,
        plain: impl Into<String>,
    ) -> Self {
        let (message, plain) = (message.into(), plain.into());
        Self { kind, message, causes: Vec::new(), option, plain }
    }

    /// A sum or product beyond 2^63 - 1.
    pub(crate) fn overflow() -> Self {
        let plain =
            "A sum or product of these sizes exceeds 2^63 - 1 bytes. Lower the largest size.";
        Self::new(Kind::LongOverflow, None, "long overflow", plain)
    }

    /// Adds the message of a cause.
    pub(crate) fn caused_by(mut self, cause: impl Into<String>) -> Self {
        self.causes.push(cause.into());
        self
    }

    /// Wraps as Flink does where it rethrows configuration errors: the old message becomes a cause.
    pub(crate) fn wrapped(mut self, message: impl FnOnce(&str) -> String) -> Self {
        if self.kind.is_configuration() {
            let outer = message(&self.message);
            self.causes.insert(0, std::mem::replace(&mut self.message, outer));
        }
        self
    }

    /// Like [`Self::wrapped`], and the kind changes with it.
    pub(crate) fn wrapped_as(self, kind: Kind, message: &str) -> Self {
        if !self.kind.is_configuration() {
            return self;
        }
        let mut wrapped = self.wrapped(|_| message.to_owned());
        wrapped.kind = kind;
        wrapped
    }
}

impl From<MemoryError> for Problem {
    fn from(error: MemoryError) -> Self {
        let field = match error.kind {
            Kind::TooManySettings => Some("config".to_owned()),
            _ => error.option.map(|option| format!("config.{option}")),
        };
        Self {
            code: error.kind.name().to_owned(),
            message: error.message,
            field,
            option: error.option.map(str::to_owned),
        }
    }
}
