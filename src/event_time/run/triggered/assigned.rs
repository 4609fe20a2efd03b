//! Which windows a record belongs to, where each key and window has an entry of its own.
//!
//! Source: Flink 1.18.1, 1.20.5 and 2.2.1, `TumblingEventTimeWindows`, `SlidingEventTimeWindows`,
//! `EventTimeSessionWindows`, `DynamicEventTimeSessionWindows`, `GlobalWindows`; windows of a time zone
//! as in [`super::super::super::zone`].

use serde::{Deserialize, Serialize};

use super::super::super::operator::WindowStatus;
use super::super::super::zone::{Transition, Zone};
use super::super::fixed::Fixed;
use super::super::params::Shape;
use super::super::rows::RowWindow;

/// The start of the global window.
pub const GLOBAL_START: i64 = i64::MIN;
/// The end of the global window; no other window ends there.
pub const GLOBAL_END: i64 = i64::MAX;

/// The assigner.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Assigned {
    /// Tumbling or sliding windows.
    Fixed(Fixed),
    /// Whole windows of local time.
    Zoned {
        /// Length in local time [ms].
        size: i64,
        /// Changes of the zone's offset.
        transitions: Vec<Transition>,
    },
    /// Sessions that end after a gap [ms].
    Session {
        /// The gap.
        gap: i64,
    },
    /// Sessions whose gap is the value of the record [ms].
    DynamicSession,
    /// One window for all time.
    Global,
}

impl Assigned {
    /// The assigner of a plan.
    pub fn new(shape: &Shape, lateness: i64) -> Self {
        match *shape {
            Shape::Fixed { size, slide, offset } => {
                Self::Fixed(Fixed { size, slide, offset, lateness })
            }
            Shape::Zoned { size, ref transitions } => {
                Self::Zoned { size, transitions: transitions.clone() }
            }
            Shape::Session { gap } => Self::Session { gap },
            Shape::DynamicSession => Self::DynamicSession,
            Shape::Global => Self::Global,
        }
    }

    /// Whether windows merge.
    pub const fn merges(&self) -> bool {
        matches!(self, Self::Session { .. } | Self::DynamicSession)
    }

    /// The gap after a record of this value, where windows are sessions [ms].
    pub const fn gap(&self, value: i32) -> Option<i64> {
        match *self {
            Self::Session { gap } => Some(gap),
            Self::DynamicSession => Some(value as i64),
            Self::Fixed(_) | Self::Zoned { .. } | Self::Global => None,
        }
    }

    /// The windows of a record, in the order of the assigner, and what each was at this watermark;
    /// `None` for sessions, which the others of the key decide.
    pub fn windows_of(&self, time: i64, watermark: i64, lateness: i64) -> Option<Vec<RowWindow>> {
        match self {
            Self::Fixed(fixed) => Some(fixed.windows_of(time, watermark)),
            Self::Zoned { size, transitions } => {
                let (start, end) = zoned(*size, transitions, time);
                let status = if end - 1 + lateness <= watermark {
                    WindowStatus::Expired
                } else if end - 1 <= watermark {
                    WindowStatus::KeptForLateness
                } else {
                    WindowStatus::Open
                };
                Some(vec![RowWindow { start, end, status }])
            }
            Self::Global => {
                let (start, end) = (GLOBAL_START, GLOBAL_END);
                Some(vec![RowWindow { start, end, status: WindowStatus::Open }])
            }
            Self::Session { .. } | Self::DynamicSession => None,
        }
    }
}

/// The window of local time that holds a moment.
pub fn zoned(size: i64, transitions: &[Transition], time: i64) -> (i64, i64) {
    let window = Zone { transitions }.window(time, size);
    (window.start.get(), window.end.get())
}
