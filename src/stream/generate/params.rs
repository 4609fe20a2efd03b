//! What a stream is generated from, and the limits of each number.

use serde::{Deserialize, Serialize};

use crate::stream::error::{StreamError, within};

/// The most records that producers create in one stream.
pub const MAX_EVENTS: u64 = 10_000_000;
/// The most keys of a generated stream; as many as the reader of a user's records takes.
pub const MAX_KEYS: u32 = 1_000_000;
/// The most partitions; as many as the reader of a user's records takes.
pub const MAX_PARTITIONS: u16 = 256;
/// The longest delay, stall, skew or replay: 366 days [ms].
pub const MAX_SPAN_MS: i64 = 366 * 86_400_000;
/// The latest start: 8.64e15 ms is the last instant of a JavaScript `Date`, and half of it leaves
/// room for the stream.
pub const MAX_START_MS: i64 = 4_320_000_000_000_000;
/// The most records a second, a burst included: a record every nanosecond.
pub const MAX_RATE: f64 = 1e9;
/// The fewest records a second: with [`MAX_EVENTS`] such a stream is 317 years long.
pub const MIN_RATE: f64 = 1e-3;
/// The most stalls, skews and replays, each.
pub const MAX_INCIDENTS: usize = 64;

/// Params of a generated stream. All times but `start_ms` count from the start of the stream.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GeneratorParams {
    /// Which of the streams with these params; the same seed gives the same stream.
    pub seed: u32,
    /// Records that producers create; duplicates and replays come on top.
    pub events: u64,
    /// When the first record is created [ms since the epoch].
    pub start_ms: i64,
    /// Records that are created a second, evenly spaced, outside bursts.
    pub rate_per_second: f64,
    /// Partitions of the source, each with a producer of its own.
    pub partitions: u16,
    /// Which partition a record goes to.
    pub spread: Spread,
    /// The keys.
    pub keys: Keys,
    /// How long a record travels from its creation to the source.
    pub delay: Delay,
    /// The longest delay: what the law puts above it is cut to it [ms].
    pub delay_cap_ms: i64,
    /// Times of a higher rate.
    pub bursts: Option<Bursts>,
    /// Partitions that nothing is read from for a while.
    pub stalls: Vec<Stall>,
    /// Producers whose clocks are wrong.
    pub skews: Vec<Skew>,
    /// Records that are sent twice.
    pub duplicates: Option<Duplicates>,
    /// Restarts of the source that read records again.
    pub replays: Vec<Replay>,
    /// The values.
    pub values: Values,
}

/// Which partition a record goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Spread {
    /// One after the other.
    RoundRobin,
    /// All records of a key to the same one, the key's index modulo the partitions. A producer of
    /// Kafka hashes the key's bytes instead; an index has none.
    ByKey,
}

/// The keys of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Keys {
    /// How many there can be.
    pub count: u32,
    /// Exponent of Zipf's law, 0 to 10: 0 makes all keys alike, 1 makes key 0 twice as frequent as
    /// key 1.
    pub zipf_exponent: f64,
}

/// The law of delays.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", deny_unknown_fields)]
pub enum Delay {
    /// None: records arrive as they are created.
    None,
    /// As likely one as the other, up to a longest.
    #[serde(rename_all = "camelCase")]
    Uniform {
        /// The longest [ms].
        max_ms: f64,
    },
    /// Many short, few long.
    #[serde(rename_all = "camelCase")]
    Exponential {
        /// The mean [ms].
        mean_ms: f64,
    },
    /// Delays whose logarithms are normal.
    #[serde(rename_all = "camelCase")]
    Lognormal {
        /// Half are shorter [ms].
        median_ms: f64,
        /// Standard deviation of the natural logarithm, 0 to 10.
        sigma: f64,
    },
    /// A heavy tail.
    #[serde(rename_all = "camelCase")]
    Pareto {
        /// The shortest [ms].
        min_ms: f64,
        /// Exponent of the tail, 0.05 to 100: the lower, the heavier; up to 1 there is no mean.
        alpha: f64,
    },
}

/// A higher rate for the first while of every period, the very first period left out.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Bursts {
    /// The period [ms].
    pub every_ms: i64,
    /// How long each burst is [ms].
    pub length_ms: i64,
    /// By what the rate is multiplied.
    pub factor: f64,
}

/// A partition that nothing is read from: what would arrive meanwhile arrives at the end of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Stall {
    /// The partition, from 0.
    pub partition: u16,
    /// When it stops [ms].
    pub from_ms: i64,
    /// For how long [ms].
    pub length_ms: i64,
}

/// A producer whose clock is wrong: event times of its partition are off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Skew {
    /// The partition, from 0.
    pub partition: u16,
    /// By how much the clock is ahead, or behind where negative [ms].
    pub skew_ms: i64,
}

/// Records that arrive a second time, unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Duplicates {
    /// Share of records, 0 to 1.
    pub share: f64,
    /// The second arrival is 1 ms to this long after the first [ms].
    pub within_ms: i64,
}

/// A restart of the source: what arrived in the last while arrives again, at once, before what
/// arrives next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Replay {
    /// When [ms].
    pub at_ms: i64,
    /// How far back [ms].
    pub last_ms: i64,
}

/// The values, each as likely as the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Values {
    /// The least.
    pub min: i32,
    /// The greatest.
    pub max: i32,
}

impl GeneratorParams {
    pub(super) fn check(&self) -> Result<(), StreamError> {
        within("events", self.events, 1, MAX_EVENTS)?;
        within("startMs", self.start_ms, -MAX_START_MS, MAX_START_MS)?;
        within("ratePerSecond", self.rate_per_second, MIN_RATE, MAX_RATE)?;
        within("partitions", self.partitions, 1, MAX_PARTITIONS)?;
        within("keys.count", self.keys.count, 1, MAX_KEYS)?;
        within("keys.zipfExponent", self.keys.zipf_exponent, 0.0, 10.0)?;
        span("delayCapMs", self.delay_cap_ms, 0)?;
        self.delay.check()?;
        if let Some(bursts) = &self.bursts {
            span("bursts.everyMs", bursts.every_ms, 1)?;
            within("bursts.lengthMs", bursts.length_ms, 1, bursts.every_ms)?;
            let most = MAX_RATE / self.rate_per_second;
            within("bursts.factor", bursts.factor, 1.0, most)?;
        }
        for (name, count) in [
            ("stalls", self.stalls.len()),
            ("skews", self.skews.len()),
            ("replays", self.replays.len()),
        ] {
            within(&format!("{name}.length"), count, 0, MAX_INCIDENTS)?;
        }
        let last_partition = self.partitions - 1;
        for (at, stall) in self.stalls.iter().enumerate() {
            within(&format!("stalls[{at}].partition"), stall.partition, 0, last_partition)?;
            span(&format!("stalls[{at}].fromMs"), stall.from_ms, 0)?;
            span(&format!("stalls[{at}].lengthMs"), stall.length_ms, 1)?;
        }
        for (at, skew) in self.skews.iter().enumerate() {
            within(&format!("skews[{at}].partition"), skew.partition, 0, last_partition)?;
            span(&format!("skews[{at}].skewMs"), skew.skew_ms, -MAX_SPAN_MS)?;
        }
        if let Some(duplicates) = &self.duplicates {
            within("duplicates.share", duplicates.share, 0.0, 1.0)?;
            span("duplicates.withinMs", duplicates.within_ms, 1)?;
        }
        self.check_replays()?;
        within("values.max", self.values.max, self.values.min, i32::MAX)
    }

    /// One replay at a time is enough to keep a second copy of what is in flight.
    fn check_replays(&self) -> Result<(), StreamError> {
        let mut free_from = 0;
        for (at, replay) in self.replays.iter().enumerate() {
            span(&format!("replays[{at}].atMs"), replay.at_ms, 1)?;
            let field = format!("replays[{at}].lastMs");
            within(&field, replay.last_ms, 1, replay.at_ms)?;
            if replay.at_ms - replay.last_ms < free_from {
                let message = format!(
                    "{field} reaches back before the replay at {free_from} ms; replays must be in order of time and must not overlap."
                );
                return Err(StreamError::not_offered(&field, message));
            }
            free_from = replay.at_ms;
        }
        Ok(())
    }
}

impl Delay {
    fn check(&self) -> Result<(), StreamError> {
        let longest = MAX_SPAN_MS as f64;
        match *self {
            Self::None => Ok(()),
            Self::Uniform { max_ms } => within("delay.maxMs", max_ms, 0.0, longest),
            Self::Exponential { mean_ms } => within("delay.meanMs", mean_ms, 0.0, longest),
            Self::Lognormal { median_ms, sigma } => {
                within("delay.medianMs", median_ms, 0.0, longest)?;
                within("delay.sigma", sigma, 0.0, 10.0)
            }
            Self::Pareto { min_ms, alpha } => {
                within("delay.minMs", min_ms, 0.0, longest)?;
                within("delay.alpha", alpha, 0.05, 100.0)
            }
        }
    }
}

fn span(field: &str, value: i64, low: i64) -> Result<(), StreamError> {
    within(field, value, low, MAX_SPAN_MS)
}
