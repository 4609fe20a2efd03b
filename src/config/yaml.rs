//! How does Flink read `config.yaml`?
//!
//! As YAML 1.2 with the core schema: nested maps become keys with dots, later ones win over
//! earlier ones of the same name, values are typed and turned back into text, lists become
//! `[a, b]`, empty maps vanish. Any fault, and any empty value, fails the whole file.
//!
//! Source: `GlobalConfiguration.loadYAMLResource` and `flatten`, `YamlParserUtils` of Flink 1.20.5
//! and 2.2.1, over snakeyaml-engine; checked against Flink 2.2.1 on generated files.

mod compose;
pub mod emit;
mod lexical;
mod node;
pub mod quote;
mod scalar;

use std::collections::BTreeMap;

use crate::config::error::{ConfigError, YamlFault};
use crate::config::flat::{text_too_large, too_many_entries};
use crate::config::report::{ConfigEntry, Notice, NoticeKind, Reading};
use crate::config::{MAX_ENTRIES, MAX_ENTRY_BYTES, MAX_TEXT_BYTES};
use emit::Emitter;
use node::{Node, Value};

/// Reads a text as `config.yaml`.
pub fn parse(text: &str) -> Result<Reading, ConfigError> {
    if text.len() > MAX_TEXT_BYTES {
        return Err(text_too_large());
    }
    // The library drops a byte order mark at the start of a file.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let Some(root) = compose::compose(text)? else {
        return Ok(Reading::default());
    };
    let mut flattened = Flattened::default();
    match &root.value {
        Value::Null => {}
        Value::Map(_) => flattened.add_map(&root, "")?,
        _ => {
            return Err(fault(
                &root,
                "The file is not a map of keys to values.",
                "Write `key: value` lines, with a blank after the colon.",
            ));
        }
    }
    let entries = flattened.entries.into_iter().flatten().collect();
    Ok(Reading { entries, notices: flattened.notices, ..Reading::default() })
}

fn fault(at: &Node, cause: &str, remedy: &'static str) -> ConfigError {
    let Node { line, column, .. } = *at;
    ConfigError::Yaml(YamlFault { line, column, cause: cause.to_owned(), remedy })
}

#[derive(Default)]
struct Flattened {
    entries: Vec<Option<ConfigEntry>>,
    latest: BTreeMap<String, usize>,
    notices: Vec<Notice>,
    emitter: Emitter,
    bytes: usize,
    visited: usize,
}

impl Flattened {
    /// Adds the pairs of a map below a prefix that ends with a dot or is empty.
    fn add_map(&mut self, map: &Node, prefix: &str) -> Result<(), ConfigError> {
        let Value::Map(pairs) = &map.value else {
            return Ok(());
        };
        for (key, value) in pairs {
            self.visited += 1;
            if self.visited > MAX_ENTRIES {
                return Err(too_many_entries());
            }
            let name = match &key.value {
                Value::Text(text) => text.as_str(),
                Value::Null => "null",
                _ => {
                    return Err(fault(
                        key,
                        "The key is a number or a truth value, and Flink takes texts only.",
                        "Quote the key.",
                    ));
                }
            };
            let name = format!("{prefix}{name}");
            match &value.value {
                Value::Map(_) => self.add_map(value, &format!("{name}."))?,
                Value::Null => {
                    return Err(fault(
                        key,
                        "The key has no value.",
                        "Give it one, or remove the line; Flink loads nothing while it is there.",
                    ));
                }
                Value::Text(text) => self.add(name, text.clone(), key.line.max(value.line))?,
                Value::List(_) => {
                    let text = self.emitter.print(value);
                    self.add(name, text, key.line.max(value.line))?;
                }
                scalar => {
                    let text = emit::print_scalar(scalar, false);
                    self.add(name, text, key.line.max(value.line))?;
                }
            }
        }
        Ok(())
    }

    fn add(&mut self, key: String, value: String, line: usize) -> Result<(), ConfigError> {
        self.bytes = self.bytes.saturating_add(key.len()).saturating_add(value.len());
        if self.bytes > MAX_ENTRY_BYTES {
            let limit = format!("{} MiB", MAX_ENTRY_BYTES >> 20);
            return Err(ConfigError::TooLarge { what: "the text with aliases written out", limit });
        }
        if let Some(earlier) = self.latest.insert(key.clone(), self.entries.len())
            && let Some(earlier) = self.entries.get_mut(earlier).and_then(Option::take)
        {
            let what = NoticeKind::Replaced { earlier: earlier.line };
            self.notices.push(Notice { key: key.clone(), line, what });
        }
        self.entries.push(Some(ConfigEntry { key, value, line }));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: &str) {
        let got = match parse(text) {
            Ok(reading) => {
                let print = |e: &ConfigEntry| format!("{}={} @{}", e.key, e.value, e.line);
                reading.entries.iter().map(print).collect::<Vec<_>>().join("\n")
            }
            Err(error) => format!("{} {}", error.code(), error.detail().unwrap_or_default()),
        };
        assert_eq!(got, want, "{text}");
    }

    #[test]
    fn nesting_flattens_and_the_later_of_equal_keys_wins() {
        check("a.b: 1\na:\n  b: 2\n  c: 0.40\n", "a.b=2 @3\na.c=0.4 @4");
        check("a.b: {c: 1}\na.b.c: 2", "a.b.c=2 @2");
    }

    #[test]
    fn faults_say_where_and_what_to_do() {
        check(
            "a: b: c\n",
            "config_yaml_unreadable Line 1, column 5: A second `: ` in an unquoted value. \
             Quote the value, as in `key: 'a: b'`.",
        );
        check(
            "x: 1\na:\n",
            "config_yaml_unreadable Line 2, column 1: The key has no value. Give it one, or \
             remove the line; Flink loads nothing while it is there.",
        );
        check(
            "a: 1\nb: 2\na: 3\n",
            "config_yaml_unreadable Line 3, column 1: This key stands twice in the same map. \
             Remove one of the two; Flink loads nothing while both are there.",
        );
        check(
            "a:\tb\n",
            "config_yaml_unreadable Line 1, column 4: There is a tab after the colon. \
             Write a blank instead.",
        );
    }

    #[test]
    fn brackets_need_no_indentation() {
        check("a: [\nx,\n  y\n]\nb: {\n  c: 1\n}\n", "a=[x, y] @1\nb.c=1 @6");
    }

    #[test]
    fn a_block_text_ends_as_the_file_does() {
        check("a: |\n  x\n  y", "a=x\ny @2");
        check("a: |\n  x\n", "a=x\n @2");
    }

    #[test]
    fn a_billion_laughs_is_cut_short() {
        let mut text = "a0: &a0 {x: 1, y: 2}\n".to_owned();
        for level in 1..25 {
            let below = level - 1;
            text.push_str(&format!("a{level}: &a{level} {{x: *a{below}, y: *a{below}}}\n"));
        }
        check(&text, "config_too_large ");
        let long = format!("a: &a {}\n", "x".repeat(100_000));
        let many: String = (0..200).map(|n| format!("b{n}: *a\n")).collect();
        check(&(long + &many), "config_too_large ");
        check(&"[".repeat(10_000), "config_too_large ");
    }
}
