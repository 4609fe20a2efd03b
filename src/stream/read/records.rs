//! The records of a user, as little of each as answers need.
//!
//! A record takes 13 bytes: its event time, its key's number and its partition's; and 4 for a value, 4
//! for an id and 8 for an arrival, where these are read. They are kept in pieces of 65 536, so that none
//! is copied as they grow.
//!
//! Source: none of Flink's; a limit of this engine.

use super::keys::Keys;
use crate::stream::error::StreamError;
use crate::stream::event::Event;
use crate::stream::generate::params::MAX_PARTITIONS;

/// The most records kept.
pub const MAX_RECORDS: u64 = 10_000_000;

const PIECE: usize = 1 << 16;

/// Records in the order that they were read in, which is taken to be the order of arrival.
#[derive(Debug, Clone, Default)]
pub struct Records {
    pieces: Vec<Piece>,
    keys: Keys,
    ids: Option<Keys>,
    partitions: Vec<String>,
    arrivals_back: u64,
}

/// What is read of a record.
#[derive(Debug, Clone, Copy)]
pub(super) struct Read<'a> {
    pub time: i64,
    pub key: &'a str,
    pub partition: &'a str,
    /// Each of these of all records or of none.
    pub value: Option<i32>,
    pub id: Option<&'a str>,
    pub arrival: Option<i64>,
}

/// Up to 65 536 records, one list for each field.
#[derive(Debug, Clone, Default)]
pub struct Piece {
    /// Event times [ms since the epoch].
    pub times: Vec<i64>,
    /// Numbers of keys.
    pub keys: Vec<u32>,
    /// Numbers of partitions.
    pub partitions: Vec<u8>,
    /// Values, where they are read.
    pub values: Vec<i32>,
    /// Numbers of ids, where they are read.
    pub ids: Vec<u32>,
    /// When they arrived, where that is read; none is before the one ahead [ms since the epoch].
    pub arrivals: Vec<i64>,
}

impl Records {
    /// Adds a record.
    ///
    /// # Errors
    /// More records, keys or partitions than are kept.
    pub(super) fn add(&mut self, read: Read<'_>) -> Result<(), StreamError> {
        if self.len() >= MAX_RECORDS {
            let message = format!(
                "There are more than {MAX_RECORDS} records. Give a part of them; the first {MAX_RECORDS} are enough for a bound."
            );
            return Err(StreamError::too_much("time", message));
        }
        let Read { time, key, partition, value, id, arrival } = read;
        let key = self.keys.number(key)?;
        let partition = self.partition(partition)?;
        let id = match id {
            Some(id) => Some(self.ids.get_or_insert_with(Keys::of_ids).number(id)?),
            None => None,
        };
        let last = self.pieces.last().and_then(|it| it.arrivals.last().copied());
        let is_back = arrival < last;
        self.arrivals_back += u64::from(is_back);
        if self.pieces.last().is_none_or(|it| it.times.len() == PIECE) {
            self.pieces.push(Piece {
                times: Vec::with_capacity(PIECE),
                keys: Vec::with_capacity(PIECE),
                partitions: Vec::with_capacity(PIECE),
                ..Piece::default()
            });
        }
        if let Some(piece) = self.pieces.last_mut() {
            piece.times.push(time);
            piece.keys.push(key);
            piece.partitions.push(partition);
            piece.values.extend(value);
            piece.ids.extend(id);
            piece.arrivals.extend(if is_back { last } else { arrival });
        }
        Ok(())
    }

    fn partition(&mut self, name: &str) -> Result<u8, StreamError> {
        if let Some(at) = self.partitions.iter().position(|it| it == name) {
            return Ok(at as u8);
        }
        if self.partitions.len() == usize::from(MAX_PARTITIONS) {
            let message = format!(
                "There are more than {MAX_PARTITIONS} different partitions. Choose another column, or none."
            );
            return Err(StreamError::too_much("partition", message));
        }
        self.partitions.push(name.to_owned());
        Ok((self.partitions.len() - 1) as u8)
    }

    /// How many there are.
    pub fn len(&self) -> u64 {
        let full = self.pieces.len().saturating_sub(1) * PIECE;
        (full + self.pieces.last().map_or(0, |it| it.times.len())) as u64
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// All records, list by list.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The lists, the keys and the partitions, for whoever takes the records over.
    pub fn into_parts(self) -> (Vec<Piece>, Keys, Vec<String>) {
        (self.pieces, self.keys, self.partitions)
    }

    /// The keys.
    pub fn keys(&self) -> &Keys {
        &self.keys
    }

    /// The partitions by number.
    pub fn partitions(&self) -> &[String] {
        &self.partitions
    }

    /// Records that named an arrival before that of the record ahead.
    pub fn arrivals_back(&self) -> u64 {
        self.arrivals_back
    }

    /// The records as a source would hand them out.
    ///
    /// Where a file does not say when its records arrived, each arrival here is the earliest time that
    /// fits the order: the greatest event time so far. Without values each is 1, so that a sum counts.
    pub fn events(&self) -> impl Iterator<Item = Event> + '_ {
        let mut greatest = i64::MIN;
        let places = self.pieces.iter().flat_map(|it| (0..it.times.len()).map(move |at| (it, at)));
        places.map(move |(piece, at)| {
            let time = piece.times[at];
            greatest = greatest.max(time);
            Event {
                time,
                arrival: piece.arrivals.get(at).copied().unwrap_or(greatest),
                key: piece.keys[at],
                partition: piece.partitions[at].into(),
                value: piece.values.get(at).copied().unwrap_or(1),
                id: piece.ids.get(at).copied().unwrap_or(0),
            }
        })
    }

    /// Bytes taken in memory.
    pub fn bytes_held(&self) -> u64 {
        let ids = self.ids.as_ref().map_or(0, Keys::bytes_held);
        let pieces: usize = self.pieces.iter().map(Piece::bytes).sum();
        (pieces + self.keys.bytes_held() + ids) as u64
    }
}

impl Piece {
    fn bytes(&self) -> usize {
        let longs = self.times.capacity() + self.arrivals.capacity();
        let ints = self.keys.capacity() + self.values.capacity() + self.ids.capacity();
        longs * size_of::<i64>() + ints * size_of::<u32>() + self.partitions.capacity()
    }
}
