//! `-D key=value` properties out of a command line or a start-up log.
//!
//! Words are cut as a shell cuts them, line by line: quotes join, a backslash takes the next
//! character as it is. `-Dkey=value`, `-D key=value` and a `-D` at the end of a log line with the
//! property on the next one are the same; a property without `=` is `true`.
//!
//! Source: the `-D` option of `DynamicPropertiesUtil`, Flink 1.20.5, over commons-cli.

use std::collections::BTreeMap;

use crate::config::error::ConfigError;
use crate::config::flat::{text_too_large, too_many_entries};
use crate::config::options;
use crate::config::report::{ConfigEntry, Notice, NoticeKind, Reading};
use crate::config::text::java_lines;
use crate::config::{MAX_ENTRIES, MAX_TEXT_BYTES};
use crate::units::FlinkVersion;

/// One `-D` property of a text.
pub struct Property {
    /// What stands before the first `=`.
    pub key: String,
    /// What stands behind it.
    pub value: String,
    /// Its line, from 1.
    pub line: usize,
}

/// Reads the properties of a text; the last of equal keys wins.
pub fn parse(text: &str) -> Result<Reading, ConfigError> {
    if text.len() > MAX_TEXT_BYTES {
        return Err(text_too_large());
    }
    let for_jvm = has_jvm_flags(text);
    let mut reading = Reading::default();
    let mut latest: BTreeMap<String, ConfigEntry> = BTreeMap::new();
    for Property { key, value, line } in properties(text) {
        if key.is_empty() {
            reading.skip(line, &value, "there is no key before the =");
            continue;
        }
        if for_jvm && !is_known(&key) && !options::in_flink_namespace(&key) {
            reading.skip(line, &key, "it is a system property of the JVM, not a Flink option");
            continue;
        }
        let entry = ConfigEntry { key: key.clone(), value, line };
        if let Some(earlier) = latest.insert(key.clone(), entry) {
            let what = NoticeKind::Replaced { earlier: earlier.line };
            reading.notices.push(Notice { key, line, what });
        }
        if latest.len() > MAX_ENTRIES {
            return Err(too_many_entries());
        }
    }
    reading.entries = latest.into_values().collect();
    // The sort is stable, and within a line the key order is as good as any.
    reading.entries.sort_by_key(|entry| entry.line);
    Ok(reading)
}

/// Whether any version has this key.
pub fn is_known(key: &str) -> bool {
    FlinkVersion::ALL.into_iter().any(|version| options::is_key(version, key))
}

/// Whether a text has flags that only a JVM takes.
pub fn has_jvm_flags(text: &str) -> bool {
    let is_flag =
        |word: &str| ["-Xmx", "-Xms", "-Xss", "-XX:"].iter().any(|flag| word.starts_with(flag));
    text.split_whitespace().any(is_flag)
}

/// All `-D` properties of a text in order.
pub fn properties(text: &str) -> impl Iterator<Item = Property> {
    let mut awaits_property = false;
    let words = java_lines(text).enumerate().flat_map(|(index, line)| {
        words(without_log_prefix(line)).map(move |word| (index + 1, word))
    });
    words.filter_map(move |(line, word)| {
        let property = if awaits_property {
            Some(word.as_str())
        } else {
            word.strip_prefix("-D").or_else(|| word.split_once(":-D").map(|(_, rest)| rest))
        };
        awaits_property = property == Some("");
        let property = property.filter(|property| !property.is_empty())?;
        let (key, value) = property.split_once('=').unwrap_or((property, "true"));
        Some(Property { key: key.to_owned(), value: value.to_owned(), line })
    })
}

/// The message of a log line, which Flink's own layout sets apart with `[] - `.
pub fn without_log_prefix(line: &str) -> &str {
    let starts_with_date =
        line.as_bytes().iter().take(4).filter(|b| b.is_ascii_digit()).count() == 4;
    match line.split_once(" - ") {
        Some((_, message)) if starts_with_date => message,
        _ => line,
    }
}

/// The words of a line as a shell cuts them; an unclosed quote ends with the line.
pub fn words(line: &str) -> impl Iterator<Item = String> {
    let mut chars = line.chars().peekable();
    std::iter::from_fn(move || {
        while chars.next_if(|c| c.is_whitespace()).is_some() {}
        chars.peek()?;
        let mut word = String::new();
        let mut quote: Option<char> = None;
        while let Some(&c) = chars.peek() {
            if quote.is_none() && c.is_whitespace() {
                break;
            }
            chars.next();
            match (quote, c) {
                (Some(open), c) if c == open => quote = None,
                (None, '"' | '\'') => quote = Some(c),
                (None | Some('"'), '\\') => word.extend(chars.next()),
                _ => word.push(c),
            }
        }
        Some(word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: &[(&str, &str, usize)]) {
        let got: Vec<Property> = properties(text).collect();
        let got: Vec<_> = got.iter().map(|p| (p.key.as_str(), p.value.as_str(), p.line)).collect();
        assert_eq!(got, want);
    }

    #[test]
    fn quotes_join_words() {
        check(
            "x -Da.b=1 -D 'c=d e' -De=\"f \\\"g\\\" h\" -Di\n-D j=k=l",
            &[
                ("a.b", "1", 1),
                ("c", "d e", 1),
                ("e", "f \"g\" h", 1),
                ("i", "true", 1),
                ("j", "k=l", 2),
            ],
        );
    }

    #[test]
    fn the_result_line_of_the_start_script_is_read() {
        check("BASH_JAVA_UTILS_EXEC_RESULT:-D a=1 -D b=2", &[("a", "1", 1), ("b", "2", 1)]);
    }
}
