//! Windows and their assigners.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, which agree: `TimeWindow`, `TumblingEventTimeWindows`,
//! `SlidingEventTimeWindows`, `EventTimeSessionWindows`, `DynamicEventTimeSessionWindows` and
//! `GlobalWindows`. Windows of a time zone follow `TimeWindowUtil` of Flink SQL.

use serde::{Deserialize, Serialize};

use super::error::EventTimeError;
use super::time::EventTime;
use super::zone::{Transition, Zone};

/// The most windows one record may be assigned to.
pub const WINDOWS_PER_RECORD_MAX: i64 = 100_000;

/// `[start, end)`; the global window lasts from MIN to MAX.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Window {
    /// The first millisecond.
    pub start: EventTime,
    /// The millisecond after the last one.
    pub end: EventTime,
}

impl Window {
    /// `GlobalWindow`, whose last millisecond is `Long.MAX_VALUE`.
    pub const GLOBAL: Self = Self { start: EventTime::MIN, end: EventTime::MAX };

    /// A window of these ends.
    pub const fn of(start: i64, end: i64) -> Self {
        Self { start: EventTime::ms(start), end: EventTime::ms(end) }
    }

    /// `maxTimestamp`: the last millisecond of it.
    pub fn max_timestamp(self) -> i64 {
        if self == Self::GLOBAL { i64::MAX } else { self.end.get().wrapping_sub(1) }
    }

    /// `intersects`: windows that touch do.
    pub fn intersects(self, other: Self) -> bool {
        self.start <= other.end && self.end >= other.start
    }

    /// `cover`: the smallest window over both.
    pub fn cover(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// Which windows a record belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", deny_unknown_fields)]
pub enum Assigner {
    /// `TumblingEventTimeWindows`.
    #[serde(rename_all = "camelCase")]
    Tumbling {
        /// Length [ms].
        size: i64,
        /// Where the first window starts [ms].
        offset: i64,
    },
    /// `SlidingEventTimeWindows`.
    #[serde(rename_all = "camelCase")]
    Sliding {
        /// Length [ms].
        size: i64,
        /// Distance of starts [ms].
        slide: i64,
        /// Where the first window starts [ms].
        offset: i64,
    },
    /// `EventTimeSessionWindows`.
    #[serde(rename_all = "camelCase")]
    Session {
        /// The gap that ends a session [ms].
        gap: i64,
    },
    /// `DynamicEventTimeSessionWindows`; the gap is the value of the record [ms].
    DynamicSession,
    /// `GlobalWindows`.
    Global,
    /// `TUMBLE` over `TIMESTAMP_LTZ`: whole windows of local time.
    #[serde(rename_all = "camelCase")]
    Zoned {
        /// Length in local time [ms].
        size: i64,
        /// Changes of the zone's offset, in order of time.
        transitions: Vec<Transition>,
        /// The name of the zone, for the job as code.
        #[serde(default)]
        zone: Option<String>,
    },
}

impl Assigner {
    /// Whether windows merge.
    pub const fn merges(&self) -> bool {
        matches!(self, Self::Session { .. } | Self::DynamicSession)
    }

    /// `isEventTime`: whether a record can be late for it.
    pub const fn is_event_time(&self) -> bool {
        !matches!(self, Self::Global)
    }

    /// What the constructor of the assigner checks.
    ///
    /// # Errors
    /// Flink's refusal of the parameters, or more windows a record than are modelled.
    pub fn check(&self) -> Result<(), EventTimeError> {
        let within =
            |offset: i64, step: i64| offset.checked_abs().is_some_and(|offset| offset < step);
        match self {
            Self::Tumbling { size, offset } if !within(*offset, *size) => {
                Err(EventTimeError::TumblingParameters)
            }
            Self::Sliding { size, slide, offset } if !within(*offset, *slide) || *size <= 0 => {
                Err(EventTimeError::SlidingParameters)
            }
            Self::Sliding { size, slide, .. } if size / slide >= WINDOWS_PER_RECORD_MAX => {
                Err(EventTimeError::WindowsPerRecord { windows: size / slide })
            }
            Self::Session { gap } if *gap <= 0 => Err(EventTimeError::SessionParameters),
            Self::Zoned { size, transitions, .. } => Zone::check(*size, transitions),
            _ => Ok(()),
        }
    }

    /// `assignWindows`, in Flink's order. `value` is the gap of a dynamic session.
    ///
    /// # Errors
    /// A record at `Long.MIN_VALUE`, which means that it has no timestamp, or a gap that is not
    /// positive.
    pub fn assign(&self, time: i64, value: i64) -> Result<Vec<Window>, EventTimeError> {
        match *self {
            Self::Tumbling { size, offset } => {
                let start = start_of(stamped(time)?, offset, size);
                Ok(vec![Window::of(start, start.wrapping_add(size))])
            }
            Self::Sliding { size, slide, offset } => {
                let last = start_of(stamped(time)?, offset, slide);
                let first_out = time.wrapping_sub(size);
                let mut windows = Vec::new();
                let mut start = last;
                while start > first_out {
                    windows.push(Window::of(start, start.wrapping_add(size)));
                    let Some(next) = start.checked_sub(slide) else { break };
                    start = next;
                }
                Ok(windows)
            }
            Self::Session { gap } => Ok(vec![Window::of(time, time.wrapping_add(gap))]),
            Self::DynamicSession if value <= 0 => Err(EventTimeError::DynamicGap { gap: value }),
            Self::DynamicSession => Ok(vec![Window::of(time, time.wrapping_add(value))]),
            Self::Global => Ok(vec![Window::GLOBAL]),
            Self::Zoned { size, ref transitions, .. } => {
                Ok(vec![Zone { transitions }.window(stamped(time)?, size)])
            }
        }
    }
}

/// Tumbling and sliding windows refuse records without a timestamp.
fn stamped(time: i64) -> Result<i64, EventTimeError> {
    if time == i64::MIN { Err(EventTimeError::NoTimestamp) } else { Ok(time) }
}

/// `TimeWindow.getWindowStartWithOffset`: a floor, also for negative times.
fn start_of(time: i64, offset: i64, step: i64) -> i64 {
    time.wrapping_sub(time.wrapping_sub(offset).rem_euclid(step))
}
