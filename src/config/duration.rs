//! Which durations does each Flink version accept, and how does it print them?
//!
//! A duration is digits and a unit, with blanks around each; without a unit it is milliseconds.
//! Flink 2.2 also takes ISO-8601 texts such as `PT1H30M` and numbers beyond 64 bits.
//!
//! Source: `TimeUtils.parseDuration` and `TimeUtils.formatWithHighestUnit` of Flink 1.18.1, 1.20.5
//! and 2.2.1; `java.time.Duration.parse` for ISO-8601.

use serde::{Deserialize, Serialize, Serializer};
use thiserror::Error;

use crate::config::text::java_trim;
use crate::finding::{Derivation, Problem};
use crate::units::{Bytes, FlinkVersion};

/// Params of `parseDuration`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DurationParams {
    /// Whose rules to read it by.
    pub version: FlinkVersion,
    /// The text as written in a configuration.
    pub text: String,
}

/// Answer of `parseDuration`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DurationReport {
    /// Whole seconds \[s\]; text above 2^53 - 1.
    #[serde(serialize_with = "number_or_text")]
    pub seconds: i64,
    /// The rest \[ns\], 0 to 999 999 999.
    pub nanos: u32,
    /// As Flink prints it; `None` where Flink itself overflows.
    pub formatted: Option<String>,
    /// Why Flink cannot print it.
    pub format_error: Option<String>,
}

/// A duration as `java.time.Duration` holds it; Flink accepts none below zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct FlinkDuration {
    /// Whole seconds \[s\].
    pub seconds: i64,
    /// The rest \[ns\], 0 to 999 999 999.
    pub nanos: u32,
}

/// Why a text is no duration. Displays as Flink's own message.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DurationError {
    /// Nothing but blanks.
    #[error("argument is an empty- or whitespace-only string")]
    Empty,
    /// The first character is no digit (1.18, 1.20).
    #[error("text does not start with a number")]
    NoNumber,
    /// The first character is no digit, and ISO-8601 does not take it either (2.2).
    #[error(
        "text does not start with a number, and is not a valid ISO-8601 duration format: {text}"
    )]
    NotIso {
        /// The text without blanks around it.
        text: String,
    },
    /// An ISO-8601 duration below zero (2.2).
    #[error("negative duration is not supported")]
    Negative,
    /// More than 2^63 - 1 of any unit (1.18, 1.20).
    #[error("The value '{number}' cannot be re represented as 64bit number (numeric overflow).")]
    NumberTooLarge {
        /// The digits.
        number: String,
    },
    /// A unit that Flink does not know.
    #[error(
        "Time interval unit label '{label}' does not match any of the recognized units: {UNITS_TEXT}"
    )]
    UnknownUnit {
        /// What stands after the digits, lower-cased.
        label: String,
    },
    /// More than 2^63 - 1 seconds (1.18, 1.20), or nanoseconds when printing.
    #[error("long overflow")]
    LongOverflow,
    /// More than 2^63 - 1 seconds (2.2).
    #[error("The value '{number}' cannot be represented as Duration (numeric overflow).")]
    DurationTooLarge {
        /// The digits.
        number: String,
    },
}

impl DurationError {
    /// The name of the refusal in the recorded answers.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Empty
            | Self::NumberTooLarge { .. }
            | Self::UnknownUnit { .. }
            | Self::DurationTooLarge { .. } => "other:IllegalArgumentException",
            Self::NoNumber | Self::NotIso { .. } | Self::Negative => "other:NumberFormatException",
            Self::LongOverflow => "long_overflow",
        }
    }

    /// The message behind the Java class that carries it, as a stack trace shows it.
    pub fn with_class(&self) -> String {
        let class = match self.kind() {
            "long_overflow" => "ArithmeticException",
            "other:NumberFormatException" => "NumberFormatException",
            _ => "IllegalArgumentException",
        };
        format!("java.lang.{class}: {self}")
    }
}

impl From<DurationError> for Problem {
    fn from(error: DurationError) -> Self {
        Self {
            code: error.kind().to_owned(),
            message: error.to_string(),
            field: Some("text".to_owned()),
            option: None,
        }
    }
}

/// Answers `parseDuration`: the duration and its printed form.
pub fn answer(params: &DurationParams) -> Result<Derivation<DurationReport>, DurationError> {
    let duration = parse(&params.text, params.version)?;
    let (formatted, format_error) = match format_with_highest_unit(duration, params.version) {
        Ok(text) => (Some(text), None),
        Err(error) => (None, Some(error.with_class())),
    };
    let FlinkDuration { seconds, nanos } = duration;
    let value = DurationReport { seconds, nanos, formatted, format_error };
    Ok(Derivation { value, findings: Vec::new() })
}

/// Reads a duration as `TimeUtils.parseDuration` of that version does.
pub fn parse(text: &str, version: FlinkVersion) -> Result<FlinkDuration, DurationError> {
    let trimmed = java_trim(text);
    if trimmed.is_empty() {
        return Err(DurationError::Empty);
    }
    let digits = trimmed.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = trimmed.split_at(digits);
    let wide = version >= FlinkVersion::V2_2;
    if number.is_empty() {
        return if wide { parse_iso(trimmed) } else { Err(DurationError::NoNumber) };
    }
    // More than 2^63 - 1 seconds of nanoseconds has 29 digits: from 38 on every unit overflows,
    // so a number cut at i128 is as good as the whole.
    let value = number.parse::<i128>().unwrap_or(i128::MAX);
    if !wide && value > i128::from(i64::MAX) {
        return Err(DurationError::NumberTooLarge { number: number.to_owned() });
    }
    let label = java_trim(rest).to_lowercase();
    let unit = match label.as_str() {
        "" => &UNITS[MILLISECONDS],
        label => UNITS
            .iter()
            .find(|unit| unit.labels.contains(&label))
            .ok_or_else(|| DurationError::UnknownUnit { label: label.to_owned() })?,
    };
    value.checked_mul(unit.nanos).and_then(from_nanos).ok_or_else(|| {
        if wide {
            DurationError::DurationTooLarge { number: number.to_owned() }
        } else {
            DurationError::LongOverflow
        }
    })
}

/// Prints a duration as `TimeUtils.formatWithHighestUnit` does: the largest unit that divides it.
///
/// 1.18 and 1.20 count in 64-bit nanoseconds and overflow beyond about 292 years; 2.2 does not.
pub fn format_with_highest_unit(
    duration: FlinkDuration,
    version: FlinkVersion,
) -> Result<String, DurationError> {
    let nanos = i128::from(duration.seconds) * NANOS_PER_SECOND + i128::from(duration.nanos);
    if version < FlinkVersion::V2_2 && i64::try_from(nanos).is_err() {
        return Err(DurationError::LongOverflow);
    }
    let unit = if nanos == 0 {
        &UNITS[MILLISECONDS]
    } else {
        UNITS.iter().find(|unit| nanos % unit.nanos == 0).unwrap_or(&UNITS[UNITS.len() - 1])
    };
    Ok(format!("{} {}", nanos / unit.nanos, unit.labels[0]))
}

const NANOS_PER_SECOND: i128 = 1_000_000_000;

struct Unit {
    labels: &'static [&'static str],
    nanos: i128,
}

/// Largest first; the first label is the printed one. `µs` is U+00B5, the micro sign.
const UNITS: [Unit; 7] = [
    Unit { labels: &["d", "day", "days"], nanos: 86_400 * NANOS_PER_SECOND },
    Unit { labels: &["h", "hour", "hours"], nanos: 3_600 * NANOS_PER_SECOND },
    Unit { labels: &["min", "m", "minute", "minutes"], nanos: 60 * NANOS_PER_SECOND },
    Unit { labels: &["s", "sec", "secs", "second", "seconds"], nanos: NANOS_PER_SECOND },
    Unit { labels: &["ms", "milli", "millis", "millisecond", "milliseconds"], nanos: 1_000_000 },
    Unit { labels: &["\u{b5}s", "micro", "micros", "microsecond", "microseconds"], nanos: 1_000 },
    Unit { labels: &["ns", "nano", "nanos", "nanosecond", "nanoseconds"], nanos: 1 },
];
const MILLISECONDS: usize = 4;

/// `TimeUnit.getAllUnits()`, the end of Flink's message about an unknown unit.
const UNITS_TEXT: &str = "DAYS: (d | day | days), HOURS: (h | hour | hours), \
MINUTES: (min | m | minute | minutes), SECONDS: (s | sec | secs | second | seconds), \
MILLISECONDS: (ms | milli | millis | millisecond | milliseconds), \
MICROSECONDS: (\u{b5}s | micro | micros | microsecond | microseconds), \
NANOSECONDS: (ns | nano | nanos | nanosecond | nanoseconds)";

/// `None` beyond 2^63 - 1 seconds either side of zero.
fn from_nanos(nanos: i128) -> Option<FlinkDuration> {
    let seconds = i64::try_from(nanos.div_euclid(NANOS_PER_SECOND)).ok()?;
    let nanos = u32::try_from(nanos.rem_euclid(NANOS_PER_SECOND)).ok()?;
    Some(FlinkDuration { seconds, nanos })
}

/// `Duration.parse`: `PnDTnHnMn.nS`, any case, each number with a sign of its own.
fn parse_iso(trimmed: &str) -> Result<FlinkDuration, DurationError> {
    let duration = iso_nanos(trimmed)
        .and_then(from_nanos)
        .ok_or_else(|| DurationError::NotIso { text: trimmed.to_owned() })?;
    if duration.seconds < 0 { Err(DurationError::Negative) } else { Ok(duration) }
}

fn iso_nanos(text: &str) -> Option<i128> {
    let upper = text.to_ascii_uppercase();
    let (negative, rest) = match upper.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, upper.strip_prefix('+').unwrap_or(&upper)),
    };
    let rest = rest.strip_prefix('P')?;
    let (date, time) = match rest.split_once('T') {
        Some((date, time)) => (date, Some(time)),
        None => (rest, None),
    };
    // `P` and `PT` alone say nothing, and a `T` wants something behind it.
    if time.map_or(date.is_empty(), str::is_empty) {
        return None;
    }
    let (days, date) = iso_part(date, 'D')?;
    let (hours, rest) = iso_part(time.unwrap_or_default(), 'H')?;
    let (minutes, rest) = iso_part(rest, 'M')?;
    let (seconds, nanos) = iso_seconds(rest)?;
    if !date.is_empty() {
        return None;
    }
    let mut total = i128::from(seconds);
    for (count, unit) in [(days, 86_400), (hours, 3_600), (minutes, 60)] {
        // Java multiplies and adds in 64 bits, where each step may overflow.
        total += i128::from(i64::try_from(i128::from(count) * unit).ok()?);
    }
    let nanos = i128::from(i64::try_from(total).ok()?) * NANOS_PER_SECOND + i128::from(nanos);
    Some(if negative { -nanos } else { nanos })
}

/// The number before `unit` and the text behind it; 0 and the whole text when there is none.
fn iso_part(text: &str, unit: char) -> Option<(i64, &str)> {
    match text.split_once(unit) {
        Some((number, rest)) => Some((iso_number(number)?, rest)),
        None => Some((0, text)),
    }
}

/// Seconds with up to nine decimals behind a point or comma, and nothing after the `S`.
fn iso_seconds(text: &str) -> Option<(i64, i64)> {
    if text.is_empty() {
        return Some((0, 0));
    }
    let number = text.strip_suffix('S')?;
    let (whole, fraction) = number.split_once(['.', ',']).unwrap_or((number, ""));
    if fraction.len() > 9 || !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let nanos: i64 = format!("{fraction:0<9}").parse().ok()?;
    Some((iso_number(whole)?, if whole.starts_with('-') { -nanos } else { nanos }))
}

fn iso_number(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    if plain { text.parse().ok() } else { None }
}

fn number_or_text<S: Serializer>(seconds: &i64, serializer: S) -> Result<S::Ok, S::Error> {
    // The same rule as for sizes: text once a JavaScript number would lose digits.
    Bytes::new(*seconds).serialize(serializer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, version: FlinkVersion, want: &str) {
        let got = match parse(text, version) {
            Ok(d) => format!("{}.{:09}", d.seconds, d.nanos),
            Err(error) => error.with_class(),
        };
        assert_eq!(got, want, "{text:?} in {version}");
    }

    #[test]
    fn iso_texts_are_read_by_2_2_only() {
        check("PT1,25S", FlinkVersion::V2_2, "1.250000000");
        check("+p1dt-1h", FlinkVersion::V2_2, "82800.000000000");
        check(
            "PT-0.5S",
            FlinkVersion::V2_2,
            "java.lang.NumberFormatException: negative duration is not supported",
        );
        check("-PT-1M", FlinkVersion::V2_2, "60.000000000");
        for text in ["P", "PT", "P1DT", "PT1M1H", "PT1", "P1S", "PT.5S", "PT1.1234567890S", "P1W"] {
            check(
                text,
                FlinkVersion::V2_2,
                &format!(
                    "java.lang.NumberFormatException: text does not start with a number, and is \
                     not a valid ISO-8601 duration format: {text}"
                ),
            );
        }
        check(
            "PT1S",
            FlinkVersion::V1_20,
            "java.lang.NumberFormatException: text does not start with a number",
        );
    }

    #[test]
    fn numbers_beyond_64_bits_are_read_by_2_2_only() {
        let number = "9223372036854775808";
        check(number, FlinkVersion::V2_2, "9223372036854775.808000000");
        check(
            number,
            FlinkVersion::V1_18,
            "java.lang.IllegalArgumentException: The value '9223372036854775808' cannot be re \
             represented as 64bit number (numeric overflow).",
        );
        let huge = "9".repeat(400);
        assert!(matches!(
            parse(&huge, FlinkVersion::V2_2),
            Err(DurationError::DurationTooLarge { .. })
        ));
    }

    #[test]
    fn printing_and_parsing_agree() {
        for (seconds, nanos) in [(0, 0), (0, 1), (1, 1_000), (61, 0), (86_400, 0), (90_000, 5)] {
            let duration = FlinkDuration { seconds, nanos };
            for version in FlinkVersion::ALL {
                let text = format_with_highest_unit(duration, version).unwrap();
                assert_eq!(parse(&text, version), Ok(duration), "{text}");
            }
        }
    }
}
