//! Sizes, shares and Flink versions as types.
//!
//! Flink keeps sizes in a signed 64-bit integer of bytes; so does [`Bytes`].

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The Flink release lines that the engine answers for, each checked on one released patch version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum FlinkVersion {
    /// Checked on 1.18.1.
    #[serde(rename = "1.18")]
    V1_18,
    /// Checked on 1.20.5.
    #[serde(rename = "1.20")]
    V1_20,
    /// Checked on 2.2.1.
    #[serde(rename = "2.2")]
    V2_2,
}

impl FlinkVersion {
    /// All modelled versions, oldest first.
    pub const ALL: [Self; 3] = [Self::V1_18, Self::V1_20, Self::V2_2];

    /// The release line, as in `1.20`.
    pub const fn line(self) -> &'static str {
        match self {
            Self::V1_18 => "1.18",
            Self::V1_20 => "1.20",
            Self::V2_2 => "2.2",
        }
    }

    /// The patch release whose answers were recorded, as in `1.20.5`.
    pub const fn checked_on(self) -> &'static str {
        match self {
            Self::V1_18 => "1.18.1",
            Self::V1_20 => "1.20.5",
            Self::V2_2 => "2.2.1",
        }
    }

    /// Finds a version by its release line or by the patch release it was checked on.
    pub fn from_text(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|v| v.line() == text || v.checked_on() == text)
    }
}

impl fmt::Display for FlinkVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.line())
    }
}

/// A size in bytes, 0 to 2^63 - 1 in every value Flink accepts.
///
/// Serialised as a number up to 2^53 - 1 and as a decimal text above, so that no byte is lost on
/// the way to JavaScript.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Bytes(i64);

impl Bytes {
    /// No bytes.
    pub const ZERO: Self = Self(0);
    /// The largest size Flink can hold: `MemorySize.MAX_VALUE`, 2^63 - 1.
    pub const MAX: Self = Self(i64::MAX);
    /// The largest integer a JavaScript number holds exactly, `Number.MAX_SAFE_INTEGER`.
    pub const JS_SAFE_MAX: Self = Self((1 << 53) - 1);

    /// A size of `bytes` bytes.
    pub const fn new(bytes: i64) -> Self {
        Self(bytes)
    }

    /// A size of `n` KiB.
    pub const fn kib(n: i64) -> Self {
        Self(n << 10)
    }

    /// A size of `n` MiB.
    pub const fn mib(n: i64) -> Self {
        Self(n << 20)
    }

    /// A size of `n` GiB.
    pub const fn gib(n: i64) -> Self {
        Self(n << 30)
    }

    /// The number of bytes.
    pub const fn get(self) -> i64 {
        self.0
    }

    /// The size in MiB, for charts and ratios only.
    pub fn as_mib(self) -> f64 {
        self.0 as f64 / (1_u64 << 20) as f64
    }

    /// This size as a share of `whole`, 0 when `whole` is empty.
    pub fn share_of(self, whole: Self) -> f64 {
        if whole.0 == 0 { 0.0 } else { self.0 as f64 / whole.0 as f64 }
    }

    /// The sum, or `None` beyond 2^63 - 1.
    pub const fn checked_add(self, other: Self) -> Option<Self> {
        match self.0.checked_add(other.0) {
            Some(sum) => Some(Self(sum)),
            None => None,
        }
    }

    /// The difference, or `None` where it would be negative.
    pub const fn checked_sub(self, other: Self) -> Option<Self> {
        match self.0.checked_sub(other.0) {
            Some(rest) if rest >= 0 => Some(Self(rest)),
            _ => None,
        }
    }
}

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.unsigned_abs() <= Self::JS_SAFE_MAX.0.unsigned_abs() {
            serializer.serialize_i64(self.0)
        } else {
            serializer.collect_str(&self.0)
        }
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Number(i64),
            Text(String),
        }
        match Written::deserialize(deserializer)? {
            Written::Number(bytes) => Ok(Self(bytes)),
            Written::Text(text) => text.parse().map(Self).map_err(serde::de::Error::custom),
        }
    }
}

/// Bytes for people: MiB or GiB to three figures, as in `384 MiB` or `1.25 GiB`.
impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [&str; 7] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
        let mut value = self.0 as f64;
        let mut unit = 0;
        // 1000 rather than 1024 MiB still reads as MiB; from 1024 on the next unit is shorter.
        while value.abs() >= 1024.0 && unit + 1 < UNITS.len() {
            value /= 1024.0;
            unit += 1;
        }
        let digits = match value.abs() {
            v if v >= 99.95 || unit == 0 => 0,
            v if v >= 9.995 => 1,
            _ => 2,
        };
        let text = format!("{value:.digits$}");
        let text = if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.')
        } else {
            &text
        };
        write!(f, "{text} {}", UNITS[unit])
    }
}

/// A span in the unit a person would say: `250 ms`, `14.999 s`, `5 min`, `2 h 30 min`.
pub fn span(ms: i64) -> String {
    const SECOND: i64 = 1000;
    const MINUTE: i64 = 60 * SECOND;
    const HOUR: i64 = 60 * MINUTE;
    const DAY: i64 = 24 * HOUR;
    let sign = if ms < 0 { "-" } else { "" };
    let rest = ms.unsigned_abs();
    let unit = |size: i64| rest.is_multiple_of(size.unsigned_abs());
    let text = if rest == 0 {
        "0 s".to_owned()
    } else if rest < SECOND as u64 {
        format!("{rest} ms")
    } else if unit(DAY) {
        format!("{} d", rest / DAY as u64)
    } else if unit(HOUR) {
        format!("{} h", rest / HOUR as u64)
    } else if unit(MINUTE) && rest > HOUR as u64 {
        format!("{} h {} min", rest / HOUR as u64, rest % HOUR as u64 / MINUTE as u64)
    } else if unit(MINUTE) {
        format!("{} min", rest / MINUTE as u64)
    } else {
        format!("{} s", decimal(rest))
    };
    format!("{sign}{text}")
}

/// A span to the millisecond in every unit that it fills: `21 min 5 s`, `1 min 5.1 s`.
pub fn parts(ms: u64) -> String {
    let (days, hours, minutes) = (ms / 86_400_000, ms / 3_600_000 % 24, ms / 60_000 % 60);
    let rest = ms % 60_000;
    let mut said: Vec<String> = [(days, "d"), (hours, "h"), (minutes, "min")]
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, unit)| format!("{count} {unit}"))
        .collect();
    match rest {
        0 if !said.is_empty() => {}
        1..1000 if said.is_empty() => said.push(format!("{rest} ms")),
        _ => said.push(format!("{} s", decimal(rest))),
    }
    said.join(" ")
}

/// Milliseconds as seconds, without trailing zeros.
fn decimal(ms: u64) -> String {
    let text = format!("{}.{:03}", ms / 1000, ms % 1000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A count with a narrow no-break space between groups of three digits, as in `402 653 174`.
pub fn grouped(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut text = String::from(if number < 0 { "-" } else { "" });
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_print_to_three_figures() {
        let cases = [
            (0, "0 B"),
            (1023, "1023 B"),
            (1024, "1 KiB"),
            (402_653_174, "384 MiB"),
            (134_217_730, "128 MiB"),
            (1_811_939_328, "1.69 GiB"),
            (1_342_177_280, "1.25 GiB"),
            (10 << 30, "10 GiB"),
            (2000 << 40, "1.95 PiB"),
            (720_897 << 40, "704 PiB"),
            (i64::MAX, "8 EiB"),
        ];
        for (bytes, text) in cases {
            assert_eq!(Bytes::new(bytes).to_string(), text);
        }
    }

    #[test]
    fn counts_are_grouped_by_three() {
        assert_eq!(grouped(402_653_174), "402\u{202f}653\u{202f}174");
        assert_eq!(grouped(-1234), "-1\u{202f}234");
        assert_eq!(grouped(999), "999");
    }

    #[test]
    fn large_sizes_cross_the_boundary_as_text() {
        let json = |b: i64| serde_json::to_string(&Bytes::new(b)).unwrap();
        assert_eq!(json((1 << 53) - 1), "9007199254740991");
        assert_eq!(json(1 << 53), "\"9007199254740992\"");
        for bytes in [0, -7, (1 << 53) - 1, 1 << 53, i64::MAX] {
            let back: Bytes = serde_json::from_str(&json(bytes)).unwrap();
            assert_eq!(back, Bytes::new(bytes));
        }
        assert!(serde_json::from_str::<Bytes>("\"4g\"").is_err());
    }

    #[test]
    fn versions_are_found_by_line_and_by_patch() {
        assert_eq!(FlinkVersion::from_text("1.20.5"), Some(FlinkVersion::V1_20));
        assert_eq!(FlinkVersion::from_text("2.2"), Some(FlinkVersion::V2_2));
        assert_eq!(FlinkVersion::from_text("1.19"), None);
    }

    #[test]
    fn a_span_is_said_in_every_unit_that_it_fills() {
        let said = |ms| parts(ms);
        assert_eq!(said(0), "0 s");
        assert_eq!(said(250), "250 ms");
        assert_eq!(said(900_000), "15 min");
        assert_eq!(said(1_265_000), "21 min 5 s");
        assert_eq!(said(65_100), "1 min 5.1 s");
        assert_eq!(said(90_061_001), "1 d 1 h 1 min 1.001 s");
    }
}
