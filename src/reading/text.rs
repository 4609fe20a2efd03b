//! How are sizes and labels found in log lines and messages?
//!
//! Flink prints a size as `1.250gb (1342177280 bytes)` or `0 bytes`: the exact bytes always stand
//! before the word `bytes`.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `MemorySize#toHumanReadableString`.

use crate::config::text::java_lines;
use crate::units::Bytes;

/// A text as one line with single blanks, so that a message matches however it was broken.
pub fn flattened(text: &str) -> String {
    let mut flat = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !flat.is_empty() {
            flat.push(' ');
        }
        flat.push_str(word);
    }
    flat
}

/// The size of Flink's message that follows `label`; the label ends where the size begins.
pub fn size_after(flat: &str, label: &str) -> Option<Bytes> {
    flat.split_once(label).and_then(|(_, rest)| leading_size(rest))
}

/// A size as Flink's messages print it, at the beginning of a text.
pub fn leading_size(text: &str) -> Option<Bytes> {
    let text = text.trim_start();
    let (number, rest) = digits(text)?;
    if rest.starts_with(" bytes") {
        return number.parse().ok().map(Bytes::new);
    }
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_lowercase());
    let (number, rest) = digits(rest.trim_start().strip_prefix('(')?)?;
    rest.starts_with(" bytes").then(|| number.parse().ok().map(Bytes::new)).flatten()
}

/// The whole number that follows `label`.
pub fn number_after<T: std::str::FromStr>(flat: &str, label: &str) -> Option<T> {
    let (_, rest) = flat.split_once(label)?;
    digits(rest.trim_start()).and_then(|(number, _)| number.parse().ok())
}

/// The leading digits of a text, if there are any, and the rest.
pub fn digits(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

/// The first line, from 1, that holds `sign`; 1 where none does.
pub fn line_of(text: &str, sign: &str) -> usize {
    java_lines(text).position(|line| line.contains(sign)).map_or(1, |index| index + 1)
}

/// How many lines are not blank.
pub fn count_lines(text: &str) -> usize {
    java_lines(text).filter(|line| !line.trim().is_empty()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_messages_are_exact() {
        let check = |text: &str, want: Option<i64>| {
            assert_eq!(leading_size(text), want.map(Bytes::new), "{text}");
        };
        check(" 1.250gb (1342177280 bytes)", Some(1_342_177_280));
        check("1024.000mb (1073741824 bytes) and", Some(1 << 30));
        check("0 bytes", Some(0));
        check("8388608.000tb (9223372036854775807 bytes)", Some(i64::MAX));
        check("8388608.000tb (9223372036854775808 bytes)", None);
        check("512 mb", None);
        check("(12 bytes)", None);
        check("", None);
    }

    #[test]
    fn a_broken_message_matches() {
        let flat = flattened("size (1.000kb\n  (1025 bytes))\tis");
        assert_eq!(size_after(&flat, "size ("), Some(Bytes::new(1025)));
    }
}
