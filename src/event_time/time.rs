//! A point in event time, as Flink counts it: a signed 64-bit number of milliseconds.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `Watermark`: `Long.MIN_VALUE` is "no watermark yet" and
//! `Long.MAX_VALUE` "end of input" (`Watermark.MAX_WATERMARK`); towards JavaScript both travel by
//! name, never as numbers.

use std::fmt;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Milliseconds since the epoch, or one of the two ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventTime(i64);

/// The largest integer a JavaScript number holds exactly.
const JS_SAFE_MAX: u64 = (1 << 53) - 1;

/// How the largest time is written.
const END: &str = "endOfInput";

impl EventTime {
    /// Before any watermark.
    pub const MIN: Self = Self(i64::MIN);
    /// After the end of a bounded input.
    pub const MAX: Self = Self(i64::MAX);

    /// A time of `ms` milliseconds since the epoch.
    pub const fn ms(ms: i64) -> Self {
        Self(ms)
    }

    /// The number of milliseconds.
    pub const fn get(self) -> i64 {
        self.0
    }

    /// Later by `ms`, with Java's overflow.
    pub const fn wrapping_add(self, ms: i64) -> Self {
        Self(self.0.wrapping_add(ms))
    }
}

/// `null` for no watermark yet, `"endOfInput"`, else a number, above 2^53 a decimal text.
impl Serialize for EventTime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            i64::MIN => serializer.serialize_none(),
            i64::MAX => serializer.serialize_str(END),
            ms if ms.unsigned_abs() <= JS_SAFE_MAX => serializer.serialize_i64(ms),
            ms => serializer.collect_str(&ms),
        }
    }
}

impl<'de> Deserialize<'de> for EventTime {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(EventTimeVisitor)
    }
}

struct EventTimeVisitor;

impl Visitor<'_> for EventTimeVisitor {
    type Value = EventTime;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number of milliseconds, null or \"endOfInput\"")
    }

    fn visit_i64<E: Error>(self, ms: i64) -> Result<EventTime, E> {
        Ok(EventTime(ms))
    }

    fn visit_u64<E: Error>(self, ms: u64) -> Result<EventTime, E> {
        i64::try_from(ms).map(EventTime).map_err(|_| E::custom("a time beyond 64 bits"))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<EventTime, E> {
        if text == END {
            return Ok(EventTime::MAX);
        }
        text.parse().map(EventTime).map_err(|_| {
            let start: String = text.chars().take(60).collect();
            E::custom(format!("“{start}” is not a whole number of milliseconds"))
        })
    }

    fn visit_unit<E: Error>(self) -> Result<EventTime, E> {
        Ok(EventTime::MIN)
    }
}

/// For sentences.
impl fmt::Display for EventTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            i64::MIN => f.write_str("no watermark yet"),
            i64::MAX => f.write_str("end of input"),
            ms => write!(f, "{ms}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_sentinel_crosses_the_boundary() {
        let json = |time: EventTime| serde_json::to_string(&time).unwrap();
        assert_eq!(json(EventTime::MIN), "null");
        assert_eq!(json(EventTime::MAX), "\"endOfInput\"");
        assert_eq!(json(EventTime::ms(-5)), "-5");
        assert_eq!(json(EventTime::ms(1 << 53)), "\"9007199254740992\"");
    }

    #[test]
    fn what_is_written_is_read_back() {
        for ms in [i64::MIN, i64::MIN + 1, -1, 0, 1 << 53, i64::MAX - 1, i64::MAX] {
            let json = serde_json::to_string(&EventTime::ms(ms)).unwrap();
            assert_eq!(serde_json::from_str::<EventTime>(&json).unwrap(), EventTime::ms(ms));
        }
        assert!(serde_json::from_str::<EventTime>("1.5").is_err());
        assert!(serde_json::from_str::<EventTime>("\"soon\"").is_err());
    }
}
