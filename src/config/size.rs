//! Which texts are sizes, and how does Flink print a size?
//!
//! A size is trimmed (code points up to U+0020), its leading ASCII digits are the number, the rest
//! is a unit in any case. No decimals, no sign, no `kib`; a bare number is bytes.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `MemorySize#parse`, `#toString`,
//! `#toHumanReadableString` (the same in all three).

use serde::{Deserialize, Serialize};

use super::number::{java_trim, round_half_up};
use crate::finding::Problem;
use crate::units::Bytes;

/// Multiplier and accepted names, smallest first. The second name is the one Flink prints.
const UNITS: [(i64, &[&str]); 5] = [
    (1, &["b", "bytes"]),
    (1 << 10, &["k", "kb", "kibibytes"]),
    (1 << 20, &["m", "mb", "mebibytes"]),
    (1 << 30, &["g", "gb", "gibibytes"]),
    (1 << 40, &["t", "tb", "tebibytes"]),
];

/// Why a text is not a size. `Display` gives Flink's message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SizeError {
    /// Nothing but white space.
    #[error("argument is an empty- or whitespace-only string")]
    Empty,
    /// No leading digit.
    #[error("text does not start with a number")]
    NotANumber,
    /// The digits exceed 2^63 - 1.
    #[error("The value '{0}' cannot be re represented as 64bit number (numeric overflow).")]
    NumberOverflow(String),
    /// The unit is none of Flink's.
    #[error("Memory size unit '{0}' does not match any of the recognized units: {units}", units = all_units())]
    UnknownUnit(String),
    /// Number times unit exceeds 2^63 - 1.
    #[error(
        "The value '{0}' cannot be re represented as 64bit number of bytes (numeric overflow)."
    )]
    BytesOverflow(String),
}

impl SizeError {
    /// Our stable name of the exception Flink throws.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::NotANumber => "other:NumberFormatException",
            _ => "other:IllegalArgumentException",
        }
    }

    /// The kind of mistake and what to write instead, in plain words.
    pub fn advice(&self) -> String {
        match self {
            Self::Empty => "Write a size such as 4g or 1728m.".to_owned(),
            Self::NotANumber => {
                "Start with a whole number of digits, such as 512m; signs and a leading point are not read."
                    .to_owned()
            }
            Self::NumberOverflow(_) | Self::BytesOverflow(_) => {
                "The largest size is 9223372036854775807 bytes (8 EiB - 1).".to_owned()
            }
            Self::UnknownUnit(unit) if unit.starts_with(['.', ',']) => {
                "Decimals are not read: write 1536m instead of 1.5g.".to_owned()
            }
            Self::UnknownUnit(_) => {
                "Units are b, k, m, g, t, or kb, mb, gb, tb; kib, mib and gib are not read.".to_owned()
            }
        }
    }
}

fn all_units() -> String {
    let groups: Vec<String> =
        UNITS.iter().map(|(_, names)| format!("({})", names.join(" | "))).collect();
    groups.join(" / ")
}

/// Reads a size as `MemorySize.parse` does.
pub fn parse(text: &str) -> Result<Bytes, SizeError> {
    let trimmed = java_trim(text);
    if trimmed.is_empty() {
        return Err(SizeError::Empty);
    }
    let digits = trimmed.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = trimmed.split_at(digits);
    if number.is_empty() {
        return Err(SizeError::NotANumber);
    }
    let value: i64 = number.parse().map_err(|_| SizeError::NumberOverflow(number.to_owned()))?;
    let unit = java_trim(unit).to_lowercase();
    let multiplier = UNITS
        .iter()
        .find(|(_, names)| unit.is_empty() || names.contains(&unit.as_str()))
        .map(|(multiplier, _)| *multiplier)
        .ok_or(SizeError::UnknownUnit(unit))?;
    let bytes = value.checked_mul(multiplier);
    bytes.map(Bytes::new).ok_or_else(|| SizeError::BytesOverflow(text.to_owned()))
}

/// The size as `MemorySize.toString` prints it, as in `64 mb`.
///
/// Flink takes the unit before the first one that does not divide the size. Whole tebibytes, which
/// every unit divides, therefore come out in bytes.
pub fn print(size: Bytes) -> String {
    let bytes = size.get();
    let first_not_dividing = UNITS.iter().position(|(multiplier, _)| bytes % multiplier != 0);
    let unit = first_not_dividing.map_or(0, |i| i.saturating_sub(1));
    format!("{} {}", bytes / UNITS[unit].0, UNITS[unit].1[1])
}

/// The size as Flink's messages print it, as in `1.250gb (1342177280 bytes)`.
pub fn human(size: Bytes) -> String {
    let bytes = size.get();
    let unit = UNITS.iter().rposition(|(multiplier, _)| *multiplier < bytes).unwrap_or(0);
    if unit == 0 {
        return format!("{bytes} bytes");
    }
    let approximate = bytes as f64 / UNITS[unit].0 as f64;
    format!("{}{} ({bytes} bytes)", round_half_up(approximate, 3), UNITS[unit].1[1])
}

/// The size in the shortest form that a configuration accepts, as in `1728m` or `402653174b`.
pub fn config_text(size: Bytes) -> String {
    let bytes = size.get();
    let unit = UNITS.iter().rposition(|(multiplier, _)| bytes % multiplier == 0).unwrap_or(0);
    let unit = if bytes == 0 { 0 } else { unit };
    format!("{}{}", bytes / UNITS[unit].0, UNITS[unit].1[0])
}

/// Params of the question "which size is this text?".
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MemorySizeParams {
    /// The text as a user wrote it.
    pub text: String,
}

/// A size and Flink's two ways to print it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MemorySizeReport {
    /// The size.
    pub bytes: Bytes,
    /// As `MemorySize.toString` prints it.
    pub text: String,
    /// As Flink's messages print it.
    pub human: String,
}

/// Answers "which size is this text?".
pub fn report(params: &MemorySizeParams) -> Result<MemorySizeReport, SizeError> {
    let bytes = parse(&params.text)?;
    Ok(MemorySizeReport { bytes, text: print(bytes), human: human(bytes) })
}

impl From<SizeError> for Problem {
    fn from(error: SizeError) -> Self {
        Self {
            code: error.kind().to_owned(),
            message: error.to_string(),
            field: Some("text".to_owned()),
            option: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_tebibytes_print_in_bytes() {
        assert_eq!(print(Bytes::gib(1024)), "1099511627776 bytes");
        assert_eq!(print(Bytes::gib(1)), "1 gb");
        assert_eq!(print(Bytes::ZERO), "0 bytes");
    }

    #[test]
    fn the_unit_of_a_message_is_strictly_smaller() {
        assert_eq!(human(Bytes::gib(1)), "1024.000mb (1073741824 bytes)");
        assert_eq!(human(Bytes::new(1024)), "1024 bytes");
        assert_eq!(human(Bytes::MAX), "8388608.000tb (9223372036854775807 bytes)");
    }

    #[test]
    fn config_text_reads_back() {
        for bytes in [0, 1, 1024, 1_811_939_328, 402_653_174, i64::MAX, 1 << 40] {
            let size = Bytes::new(bytes);
            assert_eq!(parse(&config_text(size)), Ok(size));
            assert_eq!(parse(&print(size)), Ok(size));
        }
        assert_eq!(config_text(Bytes::mib(1728)), "1728m");
    }

    #[test]
    fn decimals_fail_as_a_unit() {
        assert_eq!(parse("1.5g"), Err(SizeError::UnknownUnit(".5g".to_owned())));
        assert!(SizeError::UnknownUnit(".5g".to_owned()).advice().contains("1536m"));
    }
}
