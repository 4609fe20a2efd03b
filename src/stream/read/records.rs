//! The records of a user, as little of each as answers need.
//!
//! A record takes 13 bytes: its event time, its key's number and its partition's. They are kept in
//! pieces of 65 536, so that none is copied as they grow.
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
    partitions: Vec<String>,
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
}

impl Records {
    /// Adds a record.
    ///
    /// # Errors
    /// More records, keys or partitions than are kept.
    pub(super) fn add(&mut self, time: i64, key: &str, partition: &str) -> Result<(), StreamError> {
        if self.len() >= MAX_RECORDS {
            let message = format!(
                "There are more than {MAX_RECORDS} records. Give a part of them; the first {MAX_RECORDS} are enough for a bound."
            );
            return Err(StreamError::too_much("time", message));
        }
        let key = self.keys.number(key)?;
        let partition = self.partition(partition)?;
        if self.pieces.last().is_none_or(|it| it.times.len() == PIECE) {
            self.pieces.push(Piece {
                times: Vec::with_capacity(PIECE),
                keys: Vec::with_capacity(PIECE),
                partitions: Vec::with_capacity(PIECE),
            });
        }
        if let Some(piece) = self.pieces.last_mut() {
            piece.times.push(time);
            piece.keys.push(key);
            piece.partitions.push(partition);
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

    /// The records as a source would hand them out.
    ///
    /// A file does not say when its records were read. Each arrival here is the earliest time that
    /// fits the order: the greatest event time so far. The value of each is 1, so that a sum counts.
    pub fn events(&self) -> impl Iterator<Item = Event> + '_ {
        let mut arrival = i64::MIN;
        self.pieces.iter().flat_map(Piece::iter).map(move |(time, key, partition)| {
            arrival = arrival.max(time);
            Event { time, arrival, key, partition: partition.into(), value: 1, id: 0 }
        })
    }

    /// Bytes taken in memory.
    pub fn bytes_held(&self) -> u64 {
        const RECORD: usize = size_of::<i64>() + size_of::<u32>() + size_of::<u8>();
        (self.pieces.len() * PIECE * RECORD + self.keys.bytes_held()) as u64
    }
}

impl Piece {
    fn iter(&self) -> impl Iterator<Item = (i64, u32, u8)> + '_ {
        let rest = self.keys.iter().zip(&self.partitions);
        self.times.iter().zip(rest).map(|(time, (key, partition))| (*time, *key, *partition))
    }
}
