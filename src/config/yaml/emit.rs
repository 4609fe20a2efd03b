//! How does Flink turn a list into the text of one value?
//!
//! A list becomes YAML on one line, `[a, b]`, with quotes where an element would otherwise be read
//! as something else; a list or map that occurs twice gets an anchor.
//!
//! Source: `YamlParserUtils.toYAMLString` of Flink 1.20.5 and 2.2.1; `Emitter.analyzeScalar`,
//! `chooseScalarStyle` and `Serializer` of snakeyaml-engine.
//!
//! # Deviations
//! An element with an unprintable character becomes an escaped text here, base64 in Flink. Anchors
//! count from 1 in each file; Flink goes on counting as long as the process lives.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::node::{Node, Value};
use super::scalar::{print_float, resolve};

/// The longest key that is written without a `?` before it.
const MAX_SIMPLE_KEY_CHARS: usize = 128;

/// Prints values of one file, numbering their anchors.
#[derive(Default)]
pub struct Emitter {
    last_anchor: usize,
}

impl Emitter {
    /// A value as one line of YAML.
    pub fn print(&mut self, node: &Node) -> String {
        let mut anchors = BTreeMap::new();
        self.find_shared(node, &mut anchors);
        let mut out = String::new();
        write_node(node, &mut anchors, &mut out);
        out
    }

    /// Gives a number to each list and map met a second time, in the order of the second meetings.
    fn find_shared(&mut self, node: &Node, anchors: &mut Anchors) {
        let children = match &node.value {
            Value::List(items) => items.iter().collect(),
            Value::Map(pairs) => pairs.iter().map(|(_, value)| value).collect::<Vec<_>>(),
            _ => return,
        };
        match anchors.get_mut(&node.id) {
            Some(Anchor { number: Some(_), .. }) => {}
            Some(anchor) => {
                self.last_anchor += 1;
                anchor.number = Some(self.last_anchor);
            }
            None => {
                anchors.insert(node.id, Anchor::default());
                for child in children {
                    self.find_shared(child, anchors);
                }
            }
        }
    }
}

type Anchors = BTreeMap<usize, Anchor>;

#[derive(Default)]
struct Anchor {
    number: Option<usize>,
    written: bool,
}

fn write_node(node: &Node, anchors: &mut Anchors, out: &mut String) {
    if let Some(anchor) = anchors.get_mut(&node.id)
        && let Some(number) = anchor.number
    {
        // Writing to a String cannot fail.
        if anchor.written {
            let _ = write!(out, "*id{number:03}");
            return;
        }
        anchor.written = true;
        let _ = write!(out, "&id{number:03} ");
    }
    match &node.value {
        Value::List(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { ", " });
                write_node(item, anchors, out);
            }
            out.push(']');
        }
        Value::Map(pairs) => {
            out.push('{');
            for (index, (key, value)) in pairs.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { ", " });
                write_key(&key.value, out);
                write_node(value, anchors, out);
            }
            out.push('}');
        }
        scalar => out.push_str(&print_scalar(scalar, false)),
    }
}

fn write_key(key: &Value, out: &mut String) {
    let simple = match key {
        Value::Text(text) => {
            !text.is_empty() && !text.contains('\n') && text.chars().count() < MAX_SIMPLE_KEY_CHARS
        }
        _ => true,
    };
    let text = print_scalar(key, simple);
    // Writing to a String cannot fail.
    let _ = if simple { write!(out, "{text}: ") } else { write!(out, "? {text} : ") };
}

/// A scalar as it stands in a one-line list or as a value of its own.
pub fn print_scalar(value: &Value, is_simple_key: bool) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.clone(),
        Value::Float(value) => print_float(*value),
        Value::Text(text) => print_text(text, is_simple_key),
        Value::List(_) | Value::Map(_) => String::new(),
    }
}

fn print_text(text: &str, is_simple_key: bool) -> String {
    let analysis = analyse(text);
    let reads_as_text = matches!(resolve(text), Value::Text(_));
    if reads_as_text && analysis.plain && !(is_simple_key && text.is_empty()) {
        text.to_owned()
    } else if analysis.single_quoted {
        format!("'{}'", text.replace('\'', "''"))
    } else {
        double_quoted(text)
    }
}

/// Which ways of writing keep a text as it is, inside `[ ]` or `{ }`.
struct Analysis {
    plain: bool,
    single_quoted: bool,
}

/// `Emitter.analyzeScalar` as far as a flow collection needs it.
fn analyse(text: &str) -> Analysis {
    let chars: Vec<char> = text.chars().collect();
    let (Some(first), Some(last)) = (chars.first(), chars.last()) else {
        return Analysis { plain: false, single_quoted: true };
    };
    let mut indicators = text.starts_with("---") || text.starts_with("...");
    let mut special = false;
    for (index, &c) in chars.iter().enumerate() {
        indicators |= if index == 0 {
            let alone = chars.get(1).is_none_or(|next| " \t\n\0".contains(*next));
            "#,[]{}&*!|>'\"%@`?:".contains(c) || (c == '-' && alone)
        } else {
            let after_blank = matches!(chars[index - 1], ' ' | '\t' | '\n' | '\0');
            ",?[]{}:".contains(c) || (c == '#' && after_blank)
        };
        special |= !is_ordinary(c);
    }
    // A text of several lines is written in literal style, which a flow collection turns into
    // double quotes.
    let several_lines = text.contains(['\n', '\u{85}']);
    let outer_blank = [*first, *last].contains(&' ');
    Analysis {
        plain: !(indicators || special || several_lines || outer_blank),
        single_quoted: !(special || several_lines),
    }
}

/// Characters that need no escape.
fn is_ordinary(c: char) -> bool {
    matches!(c, '\n' | ' '..='~' | '\u{85}' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}')
        || c >= '\u{10000}'
}

/// A text in double quotes with YAML's escapes.
pub fn double_quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        let short = match c {
            '\0' => '0',
            '\u{7}' => 'a',
            '\u{8}' => 'b',
            '\t' => 't',
            '\n' => 'n',
            '\u{b}' => 'v',
            '\u{c}' => 'f',
            '\r' => 'r',
            '\u{1b}' => 'e',
            '"' => '"',
            '\\' => '\\',
            '\u{85}' => 'N',
            '\u{a0}' => '_',
            _ if is_ordinary(c) => {
                out.push(c);
                continue;
            }
            _ => {
                // Writing to a String cannot fail.
                let code = u32::from(c);
                let _ = match code {
                    0..=0xff => write!(out, "\\x{code:02x}"),
                    0x100..=0xffff => write!(out, "\\u{code:04x}"),
                    _ => write!(out, "\\U{code:08x}"),
                };
                continue;
            }
        };
        out.push('\\');
        out.push(short);
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Recorded from Flink 2.2.1.
    #[test]
    fn elements_are_quoted_only_where_they_must_be() {
        let cases = [
            ("b;c.jar", "b;c.jar"),
            ("true", "'true'"),
            ("1", "'1'"),
            ("", "''"),
            (" x", "' x'"),
            ("x: y", "'x: y'"),
            ("it's", "it's"),
            ("a\nb", "\"a\\nb\""),
            ("a\tb", "\"a\\tb\""),
            ("\u{e9}", "\u{e9}"),
            ("\u{1f600}", "\u{1f600}"),
            ("-x", "-x"),
            ("-", "'-'"),
        ];
        for (text, want) in cases {
            assert_eq!(print_text(text, false), want);
        }
    }
}
