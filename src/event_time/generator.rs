//! How a source makes watermarks from timestamps.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, which agree: `BoundedOutOfOrdernessWatermarks`,
//! `AscendingTimestampsWatermarks` and `WatermarksWithIdleness`. For SQL the expression `ts -
//! INTERVAL …`, evaluated in the source where the table's connector takes it over
//! (`WatermarkPushDownSpec`, as Kafka's does), or else by `WatermarkAssignerOperator`.

use serde::{Deserialize, Serialize};

use super::time::EventTime;

/// The rule that makes a watermark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", deny_unknown_fields)]
pub enum WatermarkRule {
    /// `forBoundedOutOfOrderness`: the maximum timestamp less the bound less 1 ms.
    #[serde(rename_all = "camelCase")]
    BoundedOutOfOrderness {
        /// The bound [ms].
        out_of_orderness: i64,
    },
    /// `forMonotonousTimestamps`: the same with a bound of 0.
    Ascending,
    /// `WATERMARK FOR ts AS ts - INTERVAL …` in the source: the maximum timestamp less the bound.
    #[serde(rename_all = "camelCase")]
    Sql {
        /// The interval [ms].
        out_of_orderness: i64,
    },
    /// The same by `WatermarkAssignerOperator`, behind a source that does not take it over.
    #[serde(rename_all = "camelCase")]
    SqlAssigner {
        /// The interval [ms].
        out_of_orderness: i64,
    },
    /// None: only watermarks that stand in the input.
    Explicit,
}

impl WatermarkRule {
    /// How far the watermark stays behind the maximum timestamp [ms]; `None` where no rule makes one.
    pub const fn lag(self) -> Option<i64> {
        match self {
            Self::BoundedOutOfOrderness { out_of_orderness } => {
                Some(out_of_orderness.wrapping_add(1))
            }
            Self::Ascending => Some(1),
            Self::Sql { out_of_orderness } | Self::SqlAssigner { out_of_orderness } => {
                Some(out_of_orderness)
            }
            Self::Explicit => None,
        }
    }

    /// Whether it is an expression of SQL.
    pub const fn is_sql(self) -> bool {
        matches!(self, Self::Sql { .. } | Self::SqlAssigner { .. })
    }

    /// The bound [ms].
    pub const fn bound(self) -> i64 {
        match self {
            Self::BoundedOutOfOrderness { out_of_orderness }
            | Self::Sql { out_of_orderness }
            | Self::SqlAssigner { out_of_orderness } => out_of_orderness,
            Self::Ascending | Self::Explicit => 0,
        }
    }
}

/// What a generator says to its output when it is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Emission {
    /// This watermark, whether it advances or not.
    Watermark(EventTime),
    /// The stream is idle.
    Idle,
    /// Nothing: idleness was said before.
    Silent,
}

/// A generator with its clock of idleness.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Generator {
    lag: i64,
    max: i64,
    idleness: Option<IdlenessTimer>,
    is_idle_now: bool,
}

impl Generator {
    /// A generator of this rule; `Explicit` is taken as ascending and is never asked.
    /// `idle_timeout` is `withIdleness` [ms].
    pub fn new(rule: WatermarkRule, idle_timeout: Option<i64>) -> Self {
        let lag = rule.lag().unwrap_or(1);
        // So that the first watermark works out as exactly Long.MIN_VALUE.
        let max = i64::MIN.wrapping_add(lag);
        Self { lag, max, idleness: idle_timeout.map(IdlenessTimer::new), is_idle_now: false }
    }

    /// The highest timestamp seen, if any.
    pub fn max_timestamp(&self) -> Option<i64> {
        (self.max != i64::MIN.wrapping_add(self.lag)).then_some(self.max)
    }

    /// `onEvent`.
    pub fn on_event(&mut self, timestamp: i64) {
        self.max = self.max.max(timestamp);
        if let Some(timer) = &mut self.idleness {
            timer.events = timer.events.wrapping_add(1);
        }
        self.is_idle_now = false;
    }

    /// `onPeriodicEmit` at this reading of the clock [ms].
    pub fn on_periodic_emit(&mut self, now: i64) -> Emission {
        if self.idleness.as_mut().is_some_and(|timer| timer.check_if_idle(now)) {
            return if std::mem::replace(&mut self.is_idle_now, true) {
                Emission::Silent
            } else {
                Emission::Idle
            };
        }
        Emission::Watermark(EventTime::ms(self.max.wrapping_sub(self.lag)))
    }
}

/// `WatermarksWithIdleness.IdlenessTimer`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct IdlenessTimer {
    timeout: i64,
    events: u64,
    events_before: u64,
    /// Also in Flink 0 means that the clock is not started, even where the clock reads 0.
    started: i64,
}

impl IdlenessTimer {
    const fn new(timeout: i64) -> Self {
        Self { timeout, events: 0, events_before: 0, started: 0 }
    }

    fn check_if_idle(&mut self, now: i64) -> bool {
        if self.events != self.events_before {
            self.events_before = self.events;
            self.started = 0;
            false
        } else if self.started == 0 {
            self.started = now;
            false
        } else {
            now.saturating_sub(self.started) > self.timeout
        }
    }
}
