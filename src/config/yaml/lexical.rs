//! Which characters does Flink's YAML library refuse that the parser used here would take?
//!
//! Unprintable characters anywhere, and tabs wherever a token could start. A tab is fine inside a
//! text, in a comment, and behind an unquoted text on the same line.
//!
//! Source: `StreamReader.isPrintable` and `ScannerImpl.scanToNextToken` of snakeyaml-engine.

use saphyr_parser::ScalarStyle;

use crate::config::error::YamlFault;

/// The first unprintable character, if there is one.
pub fn find_unprintable(text: &str) -> Option<YamlFault> {
    let mut position = Position::default();
    for c in text.chars() {
        if !is_printable(c) {
            return Some(YamlFault {
                line: position.line,
                column: position.column,
                cause: format!("The character U+{:04X} cannot stand in a YAML file.", u32::from(c)),
                remedy: "Remove it; it often comes from copying out of a terminal or a web page.",
            });
        }
        position.advance(c);
    }
    None
}

/// Where a text or alias of the document stands, in characters from 0.
pub struct Word {
    /// Its first character.
    pub start: usize,
    /// Behind its last one that is no blank.
    pub end: usize,
    /// How it is written; an alias counts as quoted.
    pub style: ScalarStyle,
    /// Whether it lies in `[ ]` or `{ }`.
    pub in_brackets: bool,
}

/// The first character that stands where Flink's library takes no token to start: a tab, an
/// unquoted text that starts with an indicator, an anchor with a strange name. `words` are the
/// document's texts and aliases in order.
pub fn find_misplaced(chars: &[char], words: &[Word]) -> Option<YamlFault> {
    let mut words = words.iter().filter(|word| word.start < word.end).peekable();
    let mut position = Position::default();
    let mut place = Place::Gap;
    let mut anchor = false;
    for (index, &c) in chars.iter().enumerate() {
        if let Some(word) = words.next_if(|word| word.end <= index) {
            place = if word.style == ScalarStyle::Plain { Place::BehindPlain } else { Place::Gap };
        }
        let inside = words.peek().filter(|word| word.start <= index);
        let next = chars.get(index + 1).copied();
        let at_start = inside.is_some_and(|word| word.start == index);
        match inside {
            Some(Word { style: ScalarStyle::Plain, in_brackets, .. }) => {
                if at_start && !may_start_plain(c, next, *in_brackets) {
                    return Some(position.fault(
                        "An unquoted value cannot start with this character.",
                        "Quote the value.",
                    ));
                }
                // An unquoted text goes on over line breaks, but its next line must not start
                // with a tab.
                place = match (c, place) {
                    ('\n' | '\r', _) => Place::Gap,
                    (' ' | '\t', Place::Gap) => Place::Gap,
                    _ => Place::BehindPlain,
                };
            }
            Some(_) => place = Place::BehindPlain,
            None => {
                place = match (c, place) {
                    ('\n' | '\r', _) => Place::Gap,
                    (_, Place::Comment) | ('#', _) => Place::Comment,
                    (' ' | '\t', place) => place,
                    _ => Place::Gap,
                };
            }
        }
        if c == '\t' && place == Place::Gap {
            return Some(position.fault(
                "There is a tab between keys and values.",
                "Indent and separate with blanks only.",
            ));
        }
        let opens = (c == '&' && inside.is_none() && place == Place::Gap && !anchor)
            || (c == '*' && at_start);
        let name = if anchor || opens { next } else { None };
        anchor = name.is_some_and(|next| !" \t\n\r:,[]{}/.*&".contains(next));
        if let Some(next) = name
            && !anchor
            && (opens || !" \t\n\r?:,]}%@`".contains(next))
        {
            return Some(position.fault(
                "`&` and `*` open an anchor or alias here, and its name is not one Flink takes.",
                "Quote the value.",
            ));
        }
        position.advance(c);
    }
    None
}

/// The end of a document that never started, `...` before anything else.
pub fn find_stray_end(text: &str, documents: usize) -> Option<YamlFault> {
    let line = text.lines().position(|line| line.starts_with("..."))?;
    (documents == 0).then(|| YamlFault {
        line: line + 1,
        column: 1,
        cause: "A document ends here, and none has started.".to_owned(),
        remedy: "Remove the line.",
    })
}

/// `ScannerImpl.checkPlain`, as far as the parser used here is more generous: inside brackets.
fn may_start_plain(c: char, next: Option<char>, in_brackets: bool) -> bool {
    match c {
        '|' | '>' => false,
        ':' => !in_brackets,
        '-' | '?' => !matches!(next, Some(',' | ']')),
        _ => true,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Gap,
    Comment,
    /// In a text, or behind an unquoted one on its line.
    BehindPlain,
}

fn is_printable(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='~' | '\u{85}')
        || matches!(c, '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

/// Line and column, both from 1; `\r\n` counts as one break.
struct Position {
    line: usize,
    column: usize,
    after_return: bool,
}

impl Default for Position {
    fn default() -> Self {
        Self { line: 1, column: 1, after_return: false }
    }
}

impl Position {
    fn fault(&self, cause: &str, remedy: &'static str) -> YamlFault {
        YamlFault { line: self.line, column: self.column, cause: cause.to_owned(), remedy }
    }

    fn advance(&mut self, c: char) {
        let second_half = c == '\n' && self.after_return;
        self.after_return = c == '\r';
        if second_half {
            return;
        }
        if matches!(c, '\n' | '\r') {
            self.line += 1;
            self.column = 1;
        } else {
            self.column += 1;
        }
    }
}
