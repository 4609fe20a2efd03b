//! The watermark of a run: after every n-th record, the maximum timestamp less a constant.
//!
//! Source: Flink 1.18.1, 1.20.5 and 2.2.1, `BoundedOutOfOrdernessWatermarks`,
//! `AscendingTimestampsWatermarks` and, for SQL, `WatermarkAssignerOperator`. Periodic emission
//! (`pipeline.auto-watermark-interval`) is "after every n-th record" here.

use serde::{Deserialize, Serialize};

/// Where the watermark stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clock {
    /// How far the watermark stays behind the maximum timestamp [ms].
    pub lag: i64,
    /// A watermark comes after every n-th record.
    pub every: u32,
    /// Records since the last one.
    pub since: u32,
    /// The maximum timestamp; at first so that the watermark is `Long.MIN_VALUE` [ms].
    pub max: i64,
    /// The current watermark, `Long.MIN_VALUE` before the first [ms].
    pub watermark: i64,
}

impl Clock {
    /// Before the first record.
    pub fn new(lag: i64, every: u32) -> Self {
        Self { lag, every, since: 0, max: i64::MIN + lag, watermark: i64::MIN }
    }

    /// After a record went downstream.
    pub fn after(&mut self, time: i64) {
        self.max = self.max.max(time);
        self.since += 1;
        if self.since == self.every {
            self.since = 0;
            self.watermark = self.max - self.lag;
        }
    }
}
