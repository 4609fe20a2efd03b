//! The reports of the config questions: entries with the lines they come from.

use serde::Serialize;

use crate::config::sensitive::{HIDDEN_CONTENT, is_sensitive};

/// What a Flink of a version loads from a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ConfigReport {
    /// The file that was read.
    pub file: String,
    /// Keys and values in file order, each key once: the last one wins.
    pub entries: Vec<ConfigEntry>,
    /// Lines that the old parser drops, with the reason.
    pub skipped: Vec<SkippedLine>,
}

/// A key and its value as text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ConfigEntry {
    /// The full key, nesting written with dots.
    pub key: String,
    /// The value as Flink turns it into text.
    pub value: String,
    /// Line of the value, from 1.
    pub line: usize,
}

/// A line that Flink drops without failing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SkippedLine {
    /// Line number, from 1.
    pub line: usize,
    /// The line, cut to [`MAX_SHOWN_CHARS`] characters.
    pub text: String,
    /// Why Flink drops it.
    pub reason: String,
}

/// A reader's answer: entries, dropped lines, and what else happened on the way.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reading {
    /// Keys and values in file order, each key once.
    pub entries: Vec<ConfigEntry>,
    /// The first [`MAX_SKIPPED_LINES`] dropped lines.
    pub skipped: Vec<SkippedLine>,
    /// Dropped lines beyond those listed.
    pub skipped_more: usize,
    /// Values that were replaced or cut, in file order.
    pub notices: Vec<Notice>,
}

/// Something the reader did to an entry without a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// The key it happened to.
    pub key: String,
    /// Line of the value, from 1.
    pub line: usize,
    /// What happened.
    pub what: NoticeKind,
}

/// What a reader did to an entry without a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoticeKind {
    /// The value of an earlier line was replaced by this one.
    Replaced {
        /// The earlier line.
        earlier: usize,
    },
    /// The value was cut at a `#`.
    CutAtHash,
    /// Quotes around the value stayed part of it.
    QuotesKept,
    /// The line was indented below a parent key, which the line parser does not see.
    NestingLost {
        /// Line of the parent key.
        parent: usize,
    },
}

/// The most characters of a dropped line that are shown.
pub const MAX_SHOWN_CHARS: usize = 120;

/// The most dropped lines that are listed; the rest is counted.
pub const MAX_SKIPPED_LINES: usize = 100;

impl Reading {
    /// Lists a dropped line, or counts it once the list is full.
    pub(crate) fn skip(&mut self, line: usize, text: &str, reason: &str) {
        if self.skipped.len() == MAX_SKIPPED_LINES {
            self.skipped_more += 1;
            return;
        }
        let text = shown(text);
        self.skipped.push(SkippedLine { line, text, reason: reason.to_owned() });
    }
}

/// A line as it may be shown: cut to a length, and without what may be a secret.
fn shown(text: &str) -> String {
    if is_sensitive(text) {
        // Only a word before a separator is a key; anything else may be the secret itself.
        let key = text.split_once([':', '=']).map_or("", |(key, _)| key.trim());
        let is_key = key.len() <= MAX_SHOWN_CHARS && !key.contains(char::is_whitespace);
        let key = if is_key { key } else { "" };
        return format!("{key} {HIDDEN_CONTENT}").trim_start().to_owned();
    }
    let mut shown: String = text.chars().take(MAX_SHOWN_CHARS).collect();
    if shown.len() < text.len() {
        shown.push('\u{2026}');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dropped_line_shows_no_secret() {
        let mut reading = Reading::default();
        reading.skip(1, "fs.s3a.secret.key:abc", "no blank");
        reading.skip(2, "my password is abc", "no colon");
        assert_eq!(reading.skipped[0].text, "fs.s3a.secret.key ******");
        assert_eq!(reading.skipped[1].text, "******");
    }
}
