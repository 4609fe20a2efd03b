//! Keys by their texts, numbered as they come.
//!
//! An open table of numbers beside one store of texts: a tree of a million texts would compare
//! twenty of them for each record. Numbers are given in order of arrival and nothing runs over the
//! table, so the hash decides nothing but speed.
//!
//! Source: none of Flink's; FNV-1a for the hash.

use crate::stream::error::StreamError;
use crate::stream::generate::params::MAX_KEYS;

/// The most different ids.
const MAX_IDS: u32 = 10_000_000;

/// The most text of all keys together [B].
pub const MAX_TEXT: usize = 64 << 20;
/// Texts are kept in pieces, so that none is copied as they grow [B].
const PIECE: usize = 1 << 20;
const EMPTY: u32 = u32::MAX;

/// What texts are, and how many there may be.
#[derive(Debug, Clone, Copy)]
struct Limit {
    what: &'static str,
    max: u32,
}

/// Texts with numbers from 0.
#[derive(Debug, Clone)]
pub struct Keys {
    limit: Limit,
    /// A power of two of numbers, at most half of them taken; empty before the first text.
    table: Vec<u32>,
    texts: Vec<Place>,
    pieces: Vec<String>,
    /// Of all texts together [B].
    length: usize,
}

#[derive(Debug, Clone, Copy)]
struct Place {
    piece: u32,
    start: u32,
    length: u32,
}

impl Default for Keys {
    fn default() -> Self {
        Self::new(Limit { what: "key", max: MAX_KEYS })
    }
}

impl Keys {
    /// The ids of records, of which each may have its own.
    pub fn of_ids() -> Self {
        Self::new(Limit { what: "id", max: MAX_IDS })
    }

    fn new(limit: Limit) -> Self {
        Self { limit, table: Vec::new(), texts: Vec::new(), pieces: Vec::new(), length: 0 }
    }

    /// The number of a text, a new one if it has not come before.
    ///
    /// # Errors
    /// More than [`MAX_KEYS`] texts, or more than [`MAX_TEXT`] bytes of them.
    pub fn number(&mut self, text: &str) -> Result<u32, StreamError> {
        if self.texts.len() * 2 >= self.table.len() {
            self.grow();
        }
        let slot = self.find(text);
        if self.table[slot] == EMPTY {
            self.table[slot] = self.insert(text)?;
        }
        Ok(self.table[slot])
    }

    /// The text of a number.
    pub fn text(&self, number: u32) -> Option<&str> {
        self.texts.get(number as usize).map(|place| self.at(*place))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Bytes taken in memory.
    pub fn bytes_held(&self) -> usize {
        self.table.capacity() * size_of::<u32>()
            + self.texts.capacity() * size_of::<Place>()
            + self.pieces.iter().map(String::capacity).sum::<usize>()
    }

    fn at(&self, place: Place) -> &str {
        let start = place.start as usize;
        &self.pieces[place.piece as usize][start..start + place.length as usize]
    }

    /// The place of a text in the table, or the empty place where it belongs.
    fn find(&self, text: &str) -> usize {
        let mask = self.table.len() - 1;
        let mut slot = hash(text) as usize & mask;
        while self.table[slot] != EMPTY && self.text(self.table[slot]) != Some(text) {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn insert(&mut self, text: &str) -> Result<u32, StreamError> {
        let number = self.texts.len() as u32;
        let Limit { what, max } = self.limit;
        if number == max {
            let message = format!(
                "There are more than {max} different {what}s. Choose a column with fewer, or none."
            );
            return Err(StreamError::too_much(what, message));
        }
        self.length += text.len();
        if self.length > MAX_TEXT {
            let message = format!(
                "The different {what}s are longer than {} MiB together. Choose a column with shorter ones, or none.",
                MAX_TEXT >> 20
            );
            return Err(StreamError::too_much(what, message));
        }
        if self.pieces.last().is_none_or(|it| it.capacity() - it.len() < text.len()) {
            self.pieces.push(String::with_capacity(PIECE.max(text.len())));
        }
        let piece = self.pieces.len() - 1;
        let start = self.pieces[piece].len();
        self.pieces[piece].push_str(text);
        let length = text.len() as u32;
        self.texts.push(Place { piece: piece as u32, start: start as u32, length });
        Ok(number)
    }

    fn grow(&mut self) {
        self.table = vec![EMPTY; (self.table.len() * 2).max(1 << 10)];
        for number in 0..self.texts.len() as u32 {
            // All texts are different, so each ends at a place of its own.
            let slot = self.find(self.at(self.texts[number as usize]));
            self.table[slot] = number;
        }
    }
}

fn hash(text: &str) -> u64 {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325, |sum: u64, it| {
        (sum ^ u64::from(it)).wrapping_mul(0x100_0000_01b3)
    });
    // The low bits of FNV depend on the low bits of the text only.
    hash ^ hash >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_keep_their_numbers_while_the_table_grows() {
        let mut keys = Keys::default();
        let text = |at: u32| format!("key {}", at.wrapping_mul(2_654_435_761));
        for at in 0..50_000 {
            assert_eq!(keys.number(&text(at)).unwrap(), at);
        }
        for at in 0..50_000 {
            assert_eq!(keys.number(&text(at)).unwrap(), at);
            assert_eq!(keys.text(at), Some(text(at).as_str()));
        }
        assert_eq!((keys.len(), keys.text(50_000)), (50_000, None));
    }

    #[test]
    fn the_empty_text_and_long_texts_are_keys() {
        let mut keys = Keys::default();
        let long = "x".repeat(3 * PIECE);
        let all = ["", "a", long.as_str(), "\0", "b"];
        for (number, text) in (0..).zip(all) {
            assert_eq!(keys.number(text).unwrap(), number);
        }
        for (number, text) in (0..).zip(all) {
            assert_eq!(keys.text(number), Some(text));
        }
    }

    #[test]
    fn too_many_keys_and_too_much_text_are_refused() {
        let mut keys = Keys::default();
        for at in 0..MAX_KEYS {
            keys.number(&at.to_string()).unwrap();
        }
        assert!(keys.number("0").is_ok(), "one that is there");
        let refused = keys.number("another").unwrap_err();
        assert!(refused.to_string().contains("more than 1000000 different keys"), "{refused}");

        let mut keys = Keys::default();
        let long = "x".repeat(PIECE - 2);
        let refused = (0..70).find_map(|at| keys.number(&format!("{at:02}{long}")).err());
        assert!(refused.unwrap().to_string().contains("64 MiB"));
        assert_eq!(keys.len(), 64);
    }
}
