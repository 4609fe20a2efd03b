//! Recorded answers of real Flink, replayed against the engine one row at a time.
//!
//! A replay function takes one row and says where the engine differs; an empty list is agreement.

pub mod config;
pub mod duration;

use serde_json::Value;
use weir::units::FlinkVersion;

/// One difference between a recorded answer and the engine's.
#[derive(Debug)]
pub struct Mismatch {
    /// What was compared, for example `1.20.5 error message`.
    pub what: String,
    /// Flink's answer.
    pub expected: String,
    /// The engine's answer.
    pub got: String,
}

/// Adds a mismatch to `found` unless the two texts are equal.
pub fn compare(found: &mut Vec<Mismatch>, what: String, expected: &str, got: &str) {
    if expected != got {
        found.push(Mismatch { what, expected: expected.to_owned(), got: got.to_owned() });
    }
}

/// The recorded answer of one version: its entry in `byVersion`, or the row's common one.
pub fn recorded(row: &Value, version: FlinkVersion) -> &Value {
    row.get("byVersion").and_then(|v| v.get(version.checked_on())).unwrap_or(row)
}

/// The text of a field, empty when it is absent.
pub fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}
