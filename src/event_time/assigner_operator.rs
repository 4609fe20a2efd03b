//! `WATERMARK FOR` behind a source that does not take it over: an operator of its own.
//!
//! Its watermark starts at 0 and not at `Long.MIN_VALUE`, so a stream whose times lie before 1970 has
//! none. It is emitted by the clock, and at once where it has moved on by more than the interval of
//! the clock since the last one: large steps of event time do not wait.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `WatermarkAssignerOperator` (`#open`, `#processElement`,
//! `#advanceWatermark`, `#onProcessingTime`); no recording covers it. Its idleness
//! (`table.exec.source.idle-timeout`), which the versions check differently, is not modelled.

use serde::{Deserialize, Serialize};

use super::params::EmissionTime;
use super::time::EventTime;

/// The operator of one subtask.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatermarkAssigner {
    lag: i64,
    /// `pipeline.auto-watermark-interval`; 0 where a watermark follows each record [ms].
    interval: i64,
    current: i64,
    last: i64,
}

impl WatermarkAssigner {
    /// Before the first record.
    pub const fn new(lag: i64, emission: EmissionTime) -> Self {
        let interval = match emission {
            EmissionTime::Periodic { interval } => interval,
            EmissionTime::PerEvent { .. } => 0,
        };
        Self { lag, interval, current: 0, last: 0 }
    }

    /// A record; the expression of SQL is its timestamp less the interval of the table.
    pub fn on_event(&mut self, time: i64) {
        self.current = self.current.max(time.saturating_sub(self.lag));
    }

    /// Whether the record that was taken last makes it emit without the clock.
    pub const fn is_eager(&self) -> bool {
        self.current - self.last > self.interval
    }

    /// `advanceWatermark`.
    pub fn advance(&mut self) -> Option<EventTime> {
        (self.current > self.last).then(|| {
            self.last = self.current;
            EventTime::ms(self.current)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_starts_at_zero_and_does_not_wait_with_large_steps() {
        let mut assigner = WatermarkAssigner::new(5, EmissionTime::Periodic { interval: 200 });
        assigner.on_event(-1000);
        assert_eq!(assigner.advance(), None, "a watermark of Long.MIN_VALUE + … is never sent");
        assigner.on_event(205);
        assert!(!assigner.is_eager(), "200 is not more than the interval");
        assigner.on_event(206);
        assert!(assigner.is_eager());
        assert_eq!(assigner.advance(), Some(EventTime::ms(201)));
        assert_eq!(assigner.advance(), None);
        assigner.on_event(300);
        assert!(!assigner.is_eager());
        assert_eq!(assigner.advance(), Some(EventTime::ms(295)), "by the clock");
    }

    #[test]
    fn without_a_clock_each_record_that_advances_emits() {
        let mut assigner = WatermarkAssigner::new(0, EmissionTime::PerEvent { every: 1 });
        assigner.on_event(0);
        assert!(!assigner.is_eager(), "0 is where it started");
        assigner.on_event(1);
        assert!(assigner.is_eager());
    }
}
