//! Objects of JSON out of chunks of bytes, one a line, whatever the bytes.
//!
//! Only fields at the top of an object are read, and numbers as they are written. Of a name that
//! comes twice the last counts. A line of more than [`MAX_LINE`] bytes is given up.
//!
//! Source: RFC 8259 by the `serde_json` crate; JSON Lines, with empty lines allowed.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::csv::MAX_LINE;
use super::report::{Fault, Reason, excerpt};
use crate::stream::error::StreamError;

/// Splits chunks into lines.
#[derive(Debug, Default)]
pub struct Lines {
    /// The beginning of the line at hand, from chunks before.
    held: Vec<u8>,
    is_skipping: bool,
    line: u64,
}

/// Takes each line: its number from 1, and its bytes or why it was given up.
pub type Sink<'s> = dyn FnMut(u64, Result<&[u8], Fault>) -> Result<(), StreamError> + 's;

impl Lines {
    /// Takes in the next bytes.
    ///
    /// # Errors
    /// What the sink refuses.
    pub fn push(&mut self, mut input: &[u8], sink: &mut Sink<'_>) -> Result<(), StreamError> {
        while let Some(at) = input.iter().position(|it| *it == b'\n') {
            let (end, rest) = (&input[..at], &input[at + 1..]);
            input = rest;
            self.line += 1;
            let was_skipping = std::mem::take(&mut self.is_skipping);
            let held = std::mem::take(&mut self.held);
            if was_skipping {
                continue;
            }
            if held.len() + end.len() > MAX_LINE {
                sink(self.line, Err(too_long()))?;
            } else if held.is_empty() {
                hand_on(self.line, end, sink)?;
            } else {
                hand_on(self.line, &[held.as_slice(), end].concat(), sink)?;
            }
        }
        if self.is_skipping {
            return Ok(());
        }
        if self.held.len() + input.len() > MAX_LINE {
            (self.is_skipping, self.held) = (true, Vec::new());
            return sink(self.line + 1, Err(too_long()));
        }
        self.held.extend_from_slice(input);
        Ok(())
    }

    /// The end of the text.
    ///
    /// # Errors
    /// What the sink refuses.
    pub fn finish(&mut self, sink: &mut Sink<'_>) -> Result<(), StreamError> {
        let held = std::mem::take(&mut self.held);
        if self.is_skipping { Ok(()) } else { hand_on(self.line + 1, &held, sink) }
    }
}

fn too_long() -> Fault {
    Fault::new(Reason::TooLong, "The line is longer than 1 MiB.")
}

fn hand_on(line: u64, bytes: &[u8], sink: &mut Sink<'_>) -> Result<(), StreamError> {
    let bytes = bytes.trim_ascii();
    if bytes.is_empty() { Ok(()) } else { sink(line, Ok(bytes)) }
}

/// The texts of the named fields of an object; `None` where it has none or null.
pub fn fields<'a, const N: usize>(
    line: &'a [u8],
    names: [Option<&str>; N],
) -> Result<[Option<Cow<'a, str>>; N], Fault> {
    let raw = raw_fields(line, names).map_err(|error| not_json(line, &error))?;
    let mut texts = [const { None }; N];
    for (at, raw) in raw.into_iter().enumerate() {
        texts[at] = match raw.map(RawValue::get) {
            None | Some("null") => None,
            Some(text) if text.starts_with('"') => Some(unquoted(text).map_err(|error| {
                let name = names[at].unwrap_or_default();
                Fault::new(
                    Reason::NotJson,
                    format!("The field {} is no text: {error}.", excerpt(name)),
                )
            })?),
            Some(text) if text.starts_with(['{', '[']) => {
                let name = excerpt(names[at].unwrap_or_default());
                let message = format!("The field {name} is an object or a list.");
                return Err(Fault::new(Reason::NotScalar, message));
            }
            Some(text) => Some(Cow::Borrowed(text)),
        };
    }
    Ok(texts)
}

/// The names of an object's fields with their texts; empty ones for null, objects and lists.
pub fn all_fields(line: &[u8]) -> Option<Vec<(String, String)>> {
    use serde_json::Value;
    let object: serde_json::Map<String, Value> = serde_json::from_slice(line).ok()?;
    let text = |value| match value {
        Value::String(text) => text,
        Value::Number(number) => number.to_string(),
        Value::Bool(is) => is.to_string(),
        Value::Null | Value::Array(_) | Value::Object(_) => String::new(),
    };
    Some(object.into_iter().map(|(name, value)| (name, text(value))).collect())
}

fn not_json(line: &[u8], error: &serde_json::Error) -> Fault {
    if std::str::from_utf8(line).is_err() {
        return Fault::new(Reason::NotUtf8, "The line is not UTF-8.");
    }
    let text = String::from_utf8_lossy(line);
    let message = format!("The line {} is no object of JSON: {error}.", excerpt(&text));
    Fault::new(Reason::NotJson, message)
}

fn unquoted(text: &str) -> Result<Cow<'_, str>, serde_json::Error> {
    match text.get(1..text.len() - 1) {
        Some(inner) if !inner.contains('\\') => Ok(Cow::Borrowed(inner)),
        _ => serde_json::from_str::<String>(text).map(Cow::Owned),
    }
}

fn raw_fields<'a, const N: usize>(
    line: &'a [u8],
    names: [Option<&str>; N],
) -> Result<[Option<&'a RawValue>; N], serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_slice(line);
    let fields = Wanted(names).deserialize(&mut reader)?;
    reader.end()?;
    Ok(fields)
}

struct Wanted<'n, const N: usize>([Option<&'n str>; N]);

impl<'de, const N: usize> DeserializeSeed<'de> for Wanted<'_, N> {
    type Value = [Option<&'de RawValue>; N];

    fn deserialize<D: serde::Deserializer<'de>>(self, reader: D) -> Result<Self::Value, D::Error> {
        reader.deserialize_map(self)
    }
}

impl<'de, const N: usize> Visitor<'de> for Wanted<'_, N> {
    type Value = [Option<&'de RawValue>; N];

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = [None; N];
        while let Some(places) = map.next_key_seed(Name(&self.0))? {
            // One field may be asked for twice, such as a key that is also the partition.
            if places.iter().any(|it| *it) {
                let value: &RawValue = map.next_value()?;
                for (at, _) in places.iter().enumerate().filter(|(_, it)| **it) {
                    found[at] = Some(value);
                }
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}

/// Which of the names a name is, without keeping it.
struct Name<'n, 'm, const N: usize>(&'m [Option<&'n str>; N]);

impl<'de, const N: usize> DeserializeSeed<'de> for Name<'_, '_, N> {
    type Value = [bool; N];

    fn deserialize<D: serde::Deserializer<'de>>(self, reader: D) -> Result<Self::Value, D::Error> {
        reader.deserialize_str(self)
    }
}

impl<const N: usize> Visitor<'_> for Name<'_, '_, N> {
    type Value = [bool; N];

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a field")
    }

    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<Self::Value, E> {
        Ok(self.0.map(|it| it == Some(name)))
    }
}
