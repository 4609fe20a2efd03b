//! How is a text written so that the YAML reader gives it back unchanged?
//!
//! As it stands where that is safe, in single quotes otherwise, in double quotes with escapes when
//! it holds control characters or line breaks.

use super::emit::{double_quoted, print_scalar};
use super::node::Value;
use super::scalar::resolve;

/// A key; a number or truth value must be quoted to be a key at all.
pub fn quote_key(key: &str) -> String {
    let is_text = matches!(resolve(key), Value::Text(_));
    if is_text && is_safe(key) { key.to_owned() } else { quoted(key) }
}

/// A value; a number stays as it is when it is printed again as it was written.
pub fn quote_value(value: &str) -> String {
    let same = match resolve(value) {
        Value::Text(_) => true,
        Value::Null => false,
        typed => print_scalar(&typed, false) == value,
    };
    if same && is_safe(value) { value.to_owned() } else { quoted(value) }
}

/// Whether a text means itself without quotes, erring on the side of quotes.
fn is_safe(text: &str) -> bool {
    let starts_well = text.starts_with(|c: char| c.is_ascii_alphanumeric() || "/.+_$<".contains(c));
    let ends_well = !text.ends_with([' ', ':']);
    let plain = text.chars().all(|c| c == ' ' || c.is_ascii_graphic());
    let no_sign = [": ", " #"].iter().all(|sign| !text.contains(sign));
    starts_well && ends_well && plain && no_sign && !text.starts_with("...")
}

fn quoted(text: &str) -> String {
    if text.chars().any(|c| c.is_control() || matches!(c, '\u{feff}' | '\u{2028}' | '\u{2029}')) {
        // The rest of the escapes is optional; a byte order mark would end the parser's patience.
        double_quoted(text).replace('\u{feff}', "\\uFEFF")
    } else {
        single_or_double(text)
    }
}

fn single_or_double(text: &str) -> String {
    // U+FFFE and U+FFFF are no characters of YAML, and only an escape can stand for them.
    if text.contains(['\u{fffe}', '\u{ffff}']) {
        double_quoted(text)
    } else {
        format!("'{}'", text.replace('\'', "''"))
    }
}
