//! What the operator will do by itself: its pending timers, and the result that comes next.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `InternalTimerServiceImpl`, which stores no watermark.

use super::{Firing, KeyId, WindowOperator};
use crate::event_time::time::EventTime;
use crate::event_time::window::Window;

impl WindowOperator {
    /// Pending timers in event time, in order.
    pub fn timers(&self) -> impl Iterator<Item = &(i64, KeyId, Window)> {
        self.timers.iter()
    }

    /// Pending timers in processing time, in order.
    pub fn processing_timers(&self) -> impl Iterator<Item = &(i64, KeyId, Window)> {
        self.processing_timers.iter()
    }

    /// As it comes out of a restore: without a watermark, since Flink stores none with it.
    #[must_use]
    pub fn without_watermark(self) -> Self {
        Self { watermark: EventTime::MIN, ..self }
    }

    /// The first result that a watermark alone would lead to, and that watermark [ms].
    pub fn next_firing(&self) -> Option<(i64, Firing)> {
        let mut ahead = self.clone();
        while let Some(&(at, ..)) = ahead.timers.first() {
            if ahead.is_exhausted() {
                break;
            }
            if let Some(first) = ahead.process_watermark(EventTime::ms(at)).into_iter().next() {
                return Some((at, first));
            }
        }
        None
    }
}
