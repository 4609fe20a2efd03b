//! How does the line parser read `flink-conf.yaml`?
//!
//! It is no YAML reader. Each line is cut at its first `#`, trimmed, and split at its first `": "`;
//! key and value are trimmed, quotes stay, nesting is not seen, and the last of equal keys wins.
//! A line without a key or a value is dropped with a warning in the log.
//!
//! Source: `GlobalConfiguration.loadYAMLResource` of Flink 1.18.1,
//! `GlobalConfiguration.loadLegacyYAMLResource` of Flink 1.20.5.

use std::collections::BTreeMap;

use crate::config::error::ConfigError;
use crate::config::report::{ConfigEntry, Notice, NoticeKind, Reading};
use crate::config::text::{java_lines, java_trim};
use crate::config::{MAX_ENTRIES, MAX_TEXT_BYTES};

/// Reads a text as the line parser does. Only the limits can make it fail.
pub fn parse(text: &str) -> Result<Reading, ConfigError> {
    if text.len() > MAX_TEXT_BYTES {
        return Err(text_too_large());
    }
    let mut reading = Reading::default();
    let mut entries: Vec<Option<ConfigEntry>> = Vec::new();
    let mut latest: BTreeMap<String, usize> = BTreeMap::new();
    let mut parents = Parents::default();
    for (index, raw) in java_lines(text).enumerate() {
        let line = index + 1;
        let (content, comment) = match raw.split_once('#') {
            Some((content, comment)) => (content, Some(comment)),
            None => (raw, None),
        };
        let content_trimmed = java_trim(content);
        if content_trimmed.is_empty() {
            continue;
        }
        let parent = parents.enter(content, content_trimmed, line);
        let (key, value) = match split(content_trimmed) {
            Ok(pair) => pair,
            Err(reason) => {
                reading.skip(line, raw, reason);
                continue;
            }
        };
        let entry = ConfigEntry { key: key.to_owned(), value: value.to_owned(), line };
        let mut notice = |what| reading.notices.push(Notice { key: key.to_owned(), line, what });
        // A comment usually has a blank before it; a `#` inside a word is text that gets lost.
        if comment.is_some() && (!content.ends_with([' ', '\t']) || opens_quote(value)) {
            notice(NoticeKind::CutAtHash);
        }
        if is_quoted(value) {
            notice(NoticeKind::QuotesKept);
        }
        if let Some(parent) = parent {
            notice(NoticeKind::NestingLost { parent });
        }
        if let Some(earlier) = latest.insert(key.to_owned(), entries.len())
            && let Some(earlier) = entries.get_mut(earlier).and_then(Option::take)
        {
            notice(NoticeKind::Replaced { earlier: earlier.line });
        }
        if latest.len() > MAX_ENTRIES {
            return Err(too_many_entries());
        }
        entries.push(Some(entry));
    }
    reading.entries = entries.into_iter().flatten().collect();
    Ok(reading)
}

pub(crate) fn text_too_large() -> ConfigError {
    ConfigError::TooLarge { what: "the text", limit: format!("{} MiB", MAX_TEXT_BYTES >> 20) }
}

pub(crate) fn too_many_entries() -> ConfigError {
    ConfigError::TooLarge { what: "the number of entries", limit: MAX_ENTRIES.to_string() }
}

/// Key and value of a trimmed line, or why Flink drops the line.
fn split(line: &str) -> Result<(&str, &str), &'static str> {
    let Some((key, value)) = line.split_once(": ") else {
        return Err(match line.split_once(':') {
            Some((_, "")) => "there is no value on this line, and the line parser sees no nesting",
            Some(_) => "the colon has no blank after it",
            None => "it is not `key: value`",
        });
    };
    match (java_trim(key), java_trim(value)) {
        ("", _) => Err("there is no key before the colon"),
        (_, "") => Err("there is no value after the colon"),
        pair => Ok(pair),
    }
}

fn is_quoted(value: &str) -> bool {
    value.len() >= 2 && ['"', '\''].into_iter().any(|q| value.starts_with(q) && value.ends_with(q))
}

/// A quote that its `#` kept from being closed.
fn opens_quote(value: &str) -> bool {
    value.starts_with(['"', '\'']) && !is_quoted(value)
}

/// The last line that only opens a nested map, as a YAML reader would see it.
#[derive(Default)]
struct Parents {
    open: Option<(usize, usize)>,
}

impl Parents {
    /// The line of the parent key when this line is indented below one.
    fn enter(&mut self, content: &str, trimmed: &str, line: usize) -> Option<usize> {
        let indent = content.len() - content.trim_start_matches(' ').len();
        let parent = match self.open {
            Some((at, parent)) if indent > at => Some(parent),
            _ => {
                self.open = None;
                None
            }
        };
        if trimmed.ends_with(':') {
            self.open = Some((indent, line));
        }
        parent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: &str) {
        let reading = parse(text).unwrap();
        let mut got: Vec<String> =
            reading.entries.iter().map(|e| format!("{}={} @{}", e.key, e.value, e.line)).collect();
        got.extend(reading.skipped.iter().map(|s| format!("!{}: {}", s.line, s.reason)));
        got.extend(reading.notices.iter().map(|n| format!("?{} {:?}", n.line, n.what)));
        assert_eq!(got.join("\n"), want);
    }

    #[test]
    fn the_last_of_equal_keys_wins_at_its_own_line() {
        check("a: 1\nb: 2\na: 3\n", "b=2 @2\na=3 @3\n?3 Replaced { earlier: 1 }");
    }

    #[test]
    fn a_hash_cuts_words_and_quotes() {
        check("a: s3://b#c", "a=s3://b @1\n?1 CutAtHash");
        check("a: 'b # c'", "a='b @1\n?1 CutAtHash");
        check("a: b # c", "a=b @1");
    }

    #[test]
    fn nesting_is_lost() {
        check(
            "taskmanager:\n  memory:\n    size: 4g\nz: 1",
            "size=4g @3\nz=1 @4\n\
             !1: there is no value on this line, and the line parser sees no nesting\n\
             !2: there is no value on this line, and the line parser sees no nesting\n\
             ?3 NestingLost { parent: 2 }",
        );
    }

    #[test]
    fn a_byte_order_mark_stays_in_the_key() {
        check("\u{feff}a: 1", "\u{feff}a=1 @1");
    }
}
