//! Why a question about event time is refused.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, messages of `TumblingEventTimeWindows`,
//! `SlidingEventTimeWindows` and others.

use crate::finding::Problem;
use crate::key_group::KeyGroupError;

/// A refusal; what Flink itself refuses is in Flink's words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EventTimeError {
    /// `TumblingEventTimeWindows` refuses its parameters.
    #[error("TumblingEventTimeWindows parameters must satisfy abs(offset) < size")]
    TumblingParameters,
    /// `SlidingEventTimeWindows` refuses its parameters.
    #[error("SlidingEventTimeWindows parameters must satisfy abs(offset) < slide and size > 0")]
    SlidingParameters,
    /// `EventTimeSessionWindows` refuses its gap.
    #[error("EventTimeSessionWindows parameters must satisfy 0 < size")]
    SessionParameters,
    /// `DynamicEventTimeSessionWindows` refuses a gap.
    #[error("Dynamic session time gap must satisfy 0 < gap; this record gives {gap}.")]
    DynamicGap {
        /// The gap [ms].
        gap: i64,
    },
    /// A record without a timestamp.
    #[error(
        "Record has Long.MIN_VALUE timestamp (= no timestamp marker). Assign timestamps before the window."
    )]
    NoTimestamp,
    /// Sliding windows that overlap more often than is computed here.
    #[error(
        "Each record would be in {windows} windows; at most 100000 are computed. Raise the slide or lower the size."
    )]
    WindowsPerRecord {
        /// size / slide.
        windows: i64,
    },
    /// Offsets of a zone that are no offsets of a zone.
    #[error(
        "The offsets of the time zone must be 1 to 1000 changes in order of time, each within 24 hours."
    )]
    Transitions,
    /// A count that never fires.
    #[error("A trigger that counts needs a count of at least 1, not {count}.")]
    TriggerCount {
        /// The count.
        count: i64,
    },
    /// An interval that never ends.
    #[error("A trigger of intervals needs an interval of at least 1 ms, not {interval}.")]
    TriggerInterval {
        /// The interval [ms].
        interval: i64,
    },
    /// `PurgingTrigger` of itself.
    #[error("A purging trigger is put around another trigger once.")]
    PurgingTwice,
    /// `allowedLateness` refuses.
    #[error("The allowed lateness cannot be negative.")]
    NegativeLateness,
    /// The bound of a watermark rule refuses.
    #[error("maxOutOfOrderness cannot be negative")]
    NegativeBound,
    /// `table.exec.source.idle-timeout`.
    #[error(
        "Idleness of WatermarkAssignerOperator (table.exec.source.idle-timeout) is not modelled. Leave it out, or have the source take the watermark over."
    )]
    AssignerIdleness,
    /// It emits by the clock, and at once.
    #[error(
        "WatermarkAssignerOperator emits by the clock, or after each record where pipeline.auto-watermark-interval is 0; not after every n-th one."
    )]
    AssignerRhythm,
    /// It is not one of the parts that are traced.
    #[error("WatermarkAssignerOperator is modelled as part of a job, not as a generator.")]
    AssignerTraced,
    /// A type of key whose bytes are not known here.
    #[error(
        "Keys in state are offered as long, integer and string. Flink refuses arrays as keys; doubles were not measured."
    )]
    StateKey,
    /// A value that must be larger.
    #[error("{what} must be at least {min}, not {got}.")]
    TooSmall {
        /// Path into the params.
        field: &'static str,
        /// What it is, in words.
        what: &'static str,
        /// The least.
        min: i64,
        /// What was given.
        got: i64,
    },
    /// Nothing in a text looks like a watermark.
    #[error(
        "No watermark was found in this text. Give one line a subtask, such as “0: No Watermark” or “1: 1700000000000”, or the answer of /jobs/…/vertices/…/watermarks."
    )]
    NoWatermarks,
    /// A value that must be smaller.
    #[error("{what} must be at most {max}, not {got}.")]
    TooLarge {
        /// Path into the params.
        field: &'static str,
        /// What it is, in words.
        what: &'static str,
        /// The most.
        max: i64,
        /// What was given.
        got: i64,
    },
    /// More than is computed at once.
    #[error("{what}: at most {max} are computed at once; these are {got}.")]
    TooMany {
        /// Path into the params.
        field: &'static str,
        /// What there are too many of.
        what: &'static str,
        /// The most.
        max: usize,
        /// How many there are.
        got: usize,
    },
    /// A trigger that goes on calling timers.
    #[error(
        "The trigger would call more than {max} timers over this input. Raise its interval, or bring the records closer together."
    )]
    TooManyCalls {
        /// The most.
        max: u32,
    },
    /// An item names something that does not exist.
    #[error("Item {} of the input names {what} {got}; there are {count}, counted from 0.", .item + 1)]
    NoSuch {
        /// Its place in the input, from 0.
        item: usize,
        /// What it names.
        what: &'static str,
        /// The number given.
        got: u32,
        /// How many there are.
        count: u32,
    },
    /// Two split names where one is expected, or none.
    #[error("Item {} of the input names the split “{id}”, which is {state}.", .item + 1)]
    Split {
        /// Its place in the input, from 0.
        item: usize,
        /// The name, cut.
        id: String,
        /// `not registered` or `registered already`.
        state: &'static str,
    },
    /// Records must come in the order of their arrival.
    #[error(
        "Item {} of the input arrives before the one ahead of it. Records are taken in order of arrival.",
        .item + 1
    )]
    ArrivalOrder {
        /// Its place in the input, from 0.
        item: usize,
    },
    /// The assignment of keys to subtasks refuses.
    #[error(transparent)]
    KeyGroup(#[from] KeyGroupError),
}

impl EventTimeError {
    fn place(&self) -> (&'static str, Option<String>) {
        let at = |field: &str| Some(field.to_owned());
        match self {
            Self::TumblingParameters => ("tumbling_parameters", at("windows.assigner.size")),
            Self::SlidingParameters => ("sliding_parameters", at("windows.assigner.slide")),
            Self::SessionParameters => ("session_parameters", at("windows.assigner.gap")),
            Self::DynamicGap { .. } => ("dynamic_gap", at("input")),
            Self::NoTimestamp => ("no_timestamp", at("input")),
            Self::WindowsPerRecord { .. } => ("windows_per_record", at("windows.assigner.slide")),
            Self::Transitions => ("transitions", at("windows.assigner.transitions")),
            Self::TriggerCount { .. } => ("trigger_count", at("windows.trigger.count")),
            Self::TriggerInterval { .. } => ("trigger_interval", at("windows.trigger.interval")),
            Self::PurgingTwice => ("purging_twice", at("windows.trigger.of")),
            Self::NegativeLateness => ("negative_lateness", at("windows.allowedLateness")),
            Self::NegativeBound => ("negative_bound", at("watermarks.rule.outOfOrderness")),
            Self::AssignerIdleness => ("assigner_idleness", at("watermarks.idleTimeout")),
            Self::AssignerRhythm => ("assigner_rhythm", at("watermarks.emission")),
            Self::AssignerTraced => ("assigner_traced", at("rule")),
            Self::StateKey => ("state_key", at("kept.key.kind")),
            Self::TooSmall { field, .. } => ("too_small", at(field)),
            Self::NoWatermarks => ("no_watermarks", at("text")),
            Self::TooLarge { field, .. } => ("too_large", at(field)),
            Self::TooMany { field, .. } => ("too_many", at(field)),
            Self::TooManyCalls { .. } => ("too_many_calls", at("windows.trigger.interval")),
            Self::NoSuch { item, .. } => ("no_such", Some(format!("input[{item}]"))),
            Self::Split { item, .. } => ("split", Some(format!("input[{item}]"))),
            Self::ArrivalOrder { item } => ("arrival_order", Some(format!("input[{item}]"))),
            Self::KeyGroup(_) => ("key_group", None),
        }
    }
}

impl From<EventTimeError> for Problem {
    fn from(error: EventTimeError) -> Self {
        if let EventTimeError::KeyGroup(inner) = error {
            return inner.into();
        }
        let (code, field) = error.place();
        Self { code: code.to_owned(), message: error.to_string(), field, option: None }
    }
}
