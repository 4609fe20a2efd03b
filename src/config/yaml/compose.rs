//! From parser events to a tree of typed values, with every check of Flink's YAML library that
//! the parser does not make itself.
//!
//! Source: `Composer`, `StandardConstructor` and `LoadSettings` of snakeyaml-engine with the
//! settings of `YamlParserUtils`: one document, no duplicate keys, at most 50 aliases to lists and
//! maps.
//!
//! # Deviations
//! Inside `[ ]` and `{ }` an unindented line is moved right before it is parsed again, which shifts
//! the columns of faults on it. A few texts that nobody writes on purpose are still judged
//! differently: `[? ]`, `[!]`, a comment right behind `[`, `...` before the first document, and odd
//! names of anchors that have no value.
//!
//! The tags `!!set`, `!!binary` and `!!omap`, and lists or maps as keys, are refused here; Flink
//! takes some of them inside lists. No option is written that way.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError, Span, Tag};

use super::lexical::{self, Word};
use super::node::{Node, Value};
use super::scalar;
use crate::config::error::{ConfigError, YamlFault};
use crate::config::{MAX_DEPTH, MAX_TEXT_BYTES};

/// `LoadSettings.getMaxAliasesForCollections`: aliases to lists and maps in one file.
const MAX_COLLECTION_ALIASES: usize = 50;

/// Reads a text as a single YAML document; `None` when it holds no value.
pub fn compose(text: &str) -> Result<Option<Rc<Node>>, ConfigError> {
    if let Some(fault) = lexical::find_unprintable(text) {
        return Err(ConfigError::Yaml(fault));
    }
    let mut text = Cow::Borrowed(text);
    let mut budget = MAX_TEXT_BYTES;
    loop {
        match compose_aligned(&text) {
            Ok(root) => return Ok(root),
            Err(Refusal::Final(error)) => return Err(error),
            Err(Refusal::Scan(error)) => {
                // Each try costs the whole text, so a budget of bytes bounds the tries.
                budget = budget.saturating_sub(text.len());
                match align(&text, &error) {
                    Some(aligned) if budget > 0 => text = Cow::Owned(aligned),
                    _ => return Err(in_plain_words(&error)),
                }
            }
        }
    }
}

enum Refusal {
    Final(ConfigError),
    Scan(ScanError),
}

fn compose_aligned(text: &str) -> Result<Option<Rc<Node>>, Refusal> {
    let chars: Vec<char> = text.chars().collect();
    let mut composer = Composer { chars: &chars, ..Composer::default() };
    let mut parser = Parser::new_from_str(text);
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(Refusal::Scan)?;
        composer.accept(event, span).map_err(Refusal::Final)?;
    }
    let fault = lexical::find_misplaced(&chars, &composer.scalars);
    match fault.or_else(|| lexical::find_stray_end(text, composer.documents)) {
        Some(fault) => Err(Refusal::Final(ConfigError::Yaml(fault))),
        None => Ok(composer.root),
    }
}

/// The text with the line of a complaint about indentation moved right, when that line lies inside
/// `[ ]` or `{ }`: there Flink's library does not look at indentation, and the parser does.
fn align(text: &str, error: &ScanError) -> Option<String> {
    if !error.info().contains("indentation") {
        return None;
    }
    let line = error.marker().line();
    let start = text.split_inclusive('\n').take(line.checked_sub(1)?).map(str::len).sum();
    let (before, rest) = text.split_at_checked(start)?;
    let in_brackets = before.trim_end().ends_with(['[', '{', ','])
        || rest.trim_start_matches(' ').starts_with([']', '}', ',']);
    in_brackets.then(|| format!("{before}{:1$}{rest}", "", 2 * MAX_DEPTH))
}

pub(super) fn fault(at: Marker, cause: &str, remedy: &'static str) -> ConfigError {
    let (line, column) = (at.line(), at.col() + 1);
    ConfigError::Yaml(YamlFault { line, column, cause: cause.to_owned(), remedy })
}

#[derive(Default)]
struct Composer<'a> {
    chars: &'a [char],
    open: Vec<Open>,
    anchors: BTreeMap<usize, Rc<Node>>,
    scalars: Vec<Word>,
    root: Option<Rc<Node>>,
    documents: usize,
    last_id: usize,
    collection_aliases: usize,
}

/// A list or map whose end has not come yet.
struct Open {
    start: Marker,
    anchor: usize,
    id: usize,
    /// Whether it is written in `[ ]` or `{ }`, or lies in something that is.
    in_brackets: bool,
    content: Content,
}

enum Content {
    List(Vec<Rc<Node>>),
    Map { pairs: Vec<(Rc<Node>, Rc<Node>)>, key: Option<Rc<Node>>, seen: BTreeSet<String> },
}

impl Composer<'_> {
    fn accept(&mut self, event: Event<'_>, span: Span) -> Result<(), ConfigError> {
        match event {
            Event::DocumentStart(_) => {
                self.documents += 1;
                if self.documents > 1 {
                    return Err(fault(
                        span.start,
                        "A second document starts here.",
                        "Keep one document: remove the `---` line.",
                    ));
                }
            }
            Event::Scalar(text, style, anchor, tag) => {
                if self.awaits_key() && span.is_empty() && tag.is_none() && anchor == 0 {
                    self.check_empty_key(span.start)?;
                }
                self.scalars.push(self.word(span, style));
                let text = self.as_written(text.into_owned(), style, span);
                let value = typed(text, style, tag.as_deref(), span.start)?;
                let node = self.node(value, span.start, 0);
                self.keep(anchor, &node);
                self.add(node, span.start)?;
            }
            Event::Alias(anchor) => {
                self.scalars.push(self.word(span, ScalarStyle::SingleQuoted));
                let node = self.anchors.get(&anchor).map(Rc::clone).ok_or_else(|| {
                    fault(
                        span.start,
                        "This alias lies inside the value that it stands for.",
                        "Write the value out.",
                    )
                })?;
                if node.id != 0 {
                    self.collection_aliases += 1;
                    if self.collection_aliases > MAX_COLLECTION_ALIASES {
                        return Err(fault(
                            span.start,
                            "Flink takes at most 50 aliases to lists and maps.",
                            "Write the values out.",
                        ));
                    }
                }
                self.add(node, span.start)?;
            }
            Event::SequenceStart(anchor, tag) => {
                check_tag(tag.as_deref(), "seq", span.start)?;
                self.enter(span.start, anchor, Content::List(Vec::new()))?;
            }
            Event::MappingStart(anchor, tag) => {
                check_tag(tag.as_deref(), "map", span.start)?;
                let (pairs, seen) = (Vec::new(), BTreeSet::new());
                self.enter(span.start, anchor, Content::Map { pairs, key: None, seen })?;
            }
            Event::SequenceEnd | Event::MappingEnd => self.leave()?,
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
        }
        Ok(())
    }

    fn awaits_key(&self) -> bool {
        matches!(self.open.last(), Some(Open { content: Content::Map { key: None, .. }, .. }))
    }

    fn check_empty_key(&self, at: Marker) -> Result<(), ConfigError> {
        // `? : value` gives an empty key that Flink takes; `: value` does not.
        match self.chars.get(at.index()) {
            Some(':') => Err(fault(at, "There is no key before the colon.", "Write one.")),
            _ => Ok(()),
        }
    }

    fn word(&self, span: Span, style: ScalarStyle) -> Word {
        let (start, mut end) = (span.start.index(), span.end.index().min(self.chars.len()));
        while end > start && matches!(self.chars[end - 1], ' ' | '\t') {
            end -= 1;
        }
        Word { start, end, style, in_brackets: self.in_brackets() }
    }

    fn in_brackets(&self) -> bool {
        self.open.last().is_some_and(|open| open.in_brackets)
    }

    /// The end of a block text without a final line break, where the parser makes one up.
    fn as_written(&self, text: String, style: ScalarStyle, span: Span) -> String {
        let is_block = matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
        let ends_file = span.end.index() >= self.chars.len()
            && !self.chars.last().is_some_and(|last| matches!(last, '\n' | '\r'));
        match text.strip_suffix('\n') {
            Some(cut) if is_block && ends_file => cut.to_owned(),
            _ => text,
        }
    }

    fn node(&self, value: Value, at: Marker, id: usize) -> Rc<Node> {
        Rc::new(Node { value, line: at.line(), column: at.col() + 1, id })
    }

    fn keep(&mut self, anchor: usize, node: &Rc<Node>) {
        if anchor != 0 {
            self.anchors.insert(anchor, Rc::clone(node));
        }
    }

    fn enter(&mut self, start: Marker, anchor: usize, content: Content) -> Result<(), ConfigError> {
        if self.open.len() == MAX_DEPTH {
            return Err(nesting_too_deep());
        }
        if let Some(Open { content: Content::Map { key: None, .. }, .. }) = self.open.last() {
            return Err(fault(
                start,
                "A list or map cannot be a key.",
                "Quote the text if `[` or `{` belongs to it.",
            ));
        }
        self.last_id += 1;
        let opening = matches!(self.chars.get(start.index()), Some('[' | '{'));
        let in_brackets = opening || self.in_brackets();
        self.open.push(Open { start, anchor, id: self.last_id, in_brackets, content });
        Ok(())
    }

    fn leave(&mut self) -> Result<(), ConfigError> {
        let Some(Open { start, anchor, id, content, .. }) = self.open.pop() else {
            return Ok(());
        };
        let value = match content {
            Content::List(items) => Value::List(items),
            Content::Map { pairs, .. } => Value::Map(pairs),
        };
        let node = self.node(value, start, id);
        self.keep(anchor, &node);
        self.add(node, start)
    }

    fn add(&mut self, node: Rc<Node>, at: Marker) -> Result<(), ConfigError> {
        match self.open.last_mut().map(|open| &mut open.content) {
            None => self.root = Some(node),
            Some(Content::List(items)) => items.push(node),
            Some(Content::Map { pairs, key: pending, seen }) => match pending.take() {
                Some(key) => pairs.push((key, node)),
                None if node.id != 0 => {
                    return Err(fault(
                        at,
                        "A list or map cannot be a key.",
                        "Use a text as the key.",
                    ));
                }
                None if !seen.insert(node.value.identity()) => {
                    return Err(fault(
                        at,
                        "This key stands twice in the same map.",
                        "Remove one of the two; Flink loads nothing while both are there.",
                    ));
                }
                None => *pending = Some(node),
            },
        }
        Ok(())
    }
}

/// Types a scalar by its tag, or by the core schema when it is unquoted.
fn typed(
    text: String,
    style: ScalarStyle,
    tag: Option<&Tag>,
    at: Marker,
) -> Result<Value, ConfigError> {
    let Some(tag) = tag else {
        return Ok(match style {
            ScalarStyle::Plain => scalar::resolve(&text),
            _ => Value::Text(text),
        });
    };
    let bad =
        || fault(at, "The value does not fit the type before it.", "Remove the `!!` and the type.");
    match core_name(tag) {
        Some("str" | "!") => Ok(Value::Text(text)),
        Some("int") => scalar::integer(&text).map(Value::Int).ok_or_else(bad),
        Some("float") => scalar::float(&text).map(Value::Float).ok_or_else(bad),
        Some("bool") => Ok(match scalar::resolve(&text.to_lowercase()) {
            Value::Bool(value) => Value::Bool(value),
            _ => Value::Null,
        }),
        Some("null") => Ok(Value::Null),
        _ => Err(unknown_tag(at)),
    }
}

fn check_tag(tag: Option<&Tag>, kind: &str, at: Marker) -> Result<(), ConfigError> {
    match tag.map(core_name) {
        None => Ok(()),
        Some(Some(name)) if name == kind || name == "!" => Ok(()),
        Some(_) => Err(unknown_tag(at)),
    }
}

/// The name of a core type, `!` for the tag that asks for none.
fn core_name(tag: &Tag) -> Option<&str> {
    let whole = "tag:yaml.org,2002:";
    match (tag.handle.as_str(), tag.suffix.as_str()) {
        ("", "!") | ("!", "") => Some("!"),
        (handle, suffix) if handle == whole => Some(suffix),
        ("", suffix) => suffix.strip_prefix(whole),
        _ => None,
    }
}

fn nesting_too_deep() -> ConfigError {
    ConfigError::TooLarge { what: "the nesting", limit: format!("{MAX_DEPTH} levels") }
}

fn unknown_tag(at: Marker) -> ConfigError {
    fault(
        at,
        "`!` opens a type here, and it is none that a configuration has.",
        "Quote the value if the `!` belongs to it.",
    )
}

/// The parser's complaint, with what to do about the common ones.
fn in_plain_words(error: &ScanError) -> ConfigError {
    const KNOWN: [(&str, &str, &str); 8] = [
        (
            "must be followed by a valid YAML whitespace",
            "There is a tab after the colon.",
            "Write a blank instead.",
        ),
        (
            "mapping values are not allowed",
            "A second `: ` in an unquoted value.",
            "Quote the value, as in `key: 'a: b'`.",
        ),
        (
            "simple key expect",
            "A line without `key: value`.",
            "Write a blank after the colon, or a `#` before a comment.",
        ),
        (
            "unknown anchor",
            "`*` opens an alias here, and there is no anchor of that name.",
            "Quote the value, as in `key: '*'`.",
        ),
        (
            "anchor or alias",
            "`*` or `&` opens an alias or anchor here, and its name is missing.",
            "Quote the value, as in `key: '*'`.",
        ),
        ("tab", "There is a tab in the indentation.", "Indent with blanks only."),
        (
            "unexpected character",
            "An unquoted value cannot start with this character.",
            "Quote the value.",
        ),
        (
            "indentation",
            "The indentation fits no line above.",
            "Align the keys of one map in one column.",
        ),
    ];
    if error.info().contains("recursion limit") {
        return nesting_too_deep();
    }
    let at = *error.marker();
    match KNOWN.iter().find(|(part, ..)| error.info().contains(part)) {
        Some((_, cause, remedy)) => fault(at, cause, remedy),
        None => fault(
            at,
            &format!("This is not well-formed YAML ({}).", error.info()),
            "Compare it with the lines around it.",
        ),
    }
}
