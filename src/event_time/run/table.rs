//! Count and sum of each key: what an incremental window function keeps.
//!
//! A table starts as a small open-addressing one and turns into an array with a cell for each key
//! once a quarter of the keys is there, so that a crowded window costs one index an event and a
//! sparse one costs no more than four times its entries.
//!
//! Source: none of Flink's; the accumulator is that of `AggregateFunction` with a count and a sum.

use serde::{Deserialize, Serialize};

/// Marks a free cell of a small table; keys are below it.
const FREE: u32 = u32::MAX;
/// Cells of a new table, a power of two.
const CELLS_MIN: usize = 2;
/// Spreads neighbouring keys over the table: 2^32 over the golden ratio.
const SPREAD: u32 = 0x9E37_79B1;

/// What is kept of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cell {
    /// Sum of the values.
    pub sum: i64,
    /// Number of records.
    pub count: u32,
    /// The key; only [`Table::live`] fills it for an array.
    pub key: u32,
}

impl Cell {
    const EMPTY: Self = Self { sum: 0, count: 0, key: FREE };
}

/// A cell for each key that has one.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Table {
    cells: Vec<Cell>,
    /// Cells of a small table that are not free, those of a count of 0 among them.
    used: usize,
    /// How many keys there can be.
    keys: u32,
}

impl Table {
    /// An empty table for keys below `keys`.
    pub fn new(keys: u32) -> Self {
        let cells = CELLS_MIN.min(keys as usize);
        Self { cells: vec![Cell::EMPTY; cells], used: 0, keys }
    }

    /// Whether each key has its cell.
    pub fn is_array(&self) -> bool {
        self.cells.len() == self.keys as usize
    }

    /// The cells, for a loop that knows that each key has one.
    pub fn cells_mut(&mut self) -> &mut [Cell] {
        &mut self.cells
    }

    /// Bytes of the cells.
    pub fn bytes(&self) -> usize {
        self.cells.len() * size_of::<Cell>()
    }

    /// The cell of a key, made if there is none.
    pub fn cell(&mut self, key: u32) -> &mut Cell {
        if self.is_array() {
            return &mut self.cells[key as usize];
        }
        let mut at = self.probe(key);
        if self.cells[at].key == FREE {
            if (self.used + 1) * 2 > self.cells.len() {
                self.grow();
                if self.is_array() {
                    return &mut self.cells[key as usize];
                }
                at = self.probe(key);
            }
            self.used += 1;
            self.cells[at].key = key;
        }
        &mut self.cells[at]
    }

    /// What is kept of a key, zeros if nothing.
    pub fn get(&self, key: u32) -> (u32, i64) {
        let at = if self.is_array() { key as usize } else { self.probe(key) };
        let cell = &self.cells[at];
        (cell.count, cell.sum)
    }

    /// Adds what another table keeps.
    pub fn add(&mut self, other: &Self) {
        other.each(|key, count, sum| {
            let cell = self.cell(key);
            cell.count += count;
            cell.sum += sum;
        });
    }

    /// Takes away what was added. Counts and sums are integers, so nothing is lost.
    pub fn subtract(&mut self, other: &Self) {
        other.each(|key, count, sum| {
            let cell = self.cell(key);
            cell.count -= count;
            cell.sum -= sum;
        });
    }

    /// Forgets everything and keeps the room.
    pub fn clear(&mut self) {
        self.cells.fill(Cell::EMPTY);
        self.used = 0;
    }

    /// Every key with records, in any order.
    pub fn each(&self, mut act: impl FnMut(u32, u32, i64)) {
        let is_array = self.is_array();
        for (at, cell) in self.cells.iter().enumerate() {
            if cell.count > 0 {
                act(if is_array { at as u32 } else { cell.key }, cell.count, cell.sum);
            }
        }
    }

    /// Appends every key with records, in order of the key.
    pub fn live(&self, into: &mut Vec<Cell>) {
        let from = into.len();
        self.each(|key, count, sum| into.push(Cell { sum, count, key }));
        if !self.is_array() {
            into[from..].sort_unstable_by_key(|cell| cell.key);
        }
    }

    /// Drops cells of a count of 0 where they have become most of the table; `live` is the number
    /// of the others.
    pub fn tidy(&mut self, live: usize) {
        let is_loose =
            if self.is_array() { self.cells.len() > live * 16 } else { self.used > live * 2 };
        if is_loose && self.cells.len() > 64 {
            let mut tight = Self::new(self.keys);
            tight.add(self);
            *self = tight;
        }
    }

    fn probe(&self, key: u32) -> usize {
        let mask = self.cells.len() - 1;
        let shift = 32 - self.cells.len().trailing_zeros();
        let mut at = (key.wrapping_mul(SPREAD) >> shift) as usize;
        while self.cells[at].key != key && self.cells[at].key != FREE {
            at = (at + 1) & mask;
        }
        at
    }

    fn grow(&mut self) {
        let room = self.cells.len() * 2;
        let is_array = room * 2 > self.keys as usize;
        let cells = if is_array { self.keys as usize } else { room };
        let old = std::mem::replace(&mut self.cells, vec![Cell::EMPTY; cells]);
        self.used = 0;
        for cell in old.into_iter().filter(|cell| cell.key != FREE) {
            let at = if is_array { cell.key as usize } else { self.probe(cell.key) };
            self.cells[at] = cell;
            self.used += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Against an ordered map, for tables that stay small, that grow into an array, and tiny ones.
    #[test]
    fn it_counts_as_a_map_does() {
        for keys in [1_u32, 2, 3, 5, 64, 1000, 100_000] {
            let (mut table, mut map) = (Table::new(keys), BTreeMap::new());
            let mut seed = 1_u32;
            for n in 0..3000_u32 {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let key = (seed >> 8) % keys;
                let cell = table.cell(key);
                cell.count += 1;
                cell.sum += i64::from(n);
                let kept: &mut (u32, i64) = map.entry(key).or_default();
                *kept = (kept.0 + 1, kept.1 + i64::from(n));
                assert_eq!(table.get(key), *kept);
            }
            let mut live = Vec::new();
            table.live(&mut live);
            let got: Vec<_> = live.iter().map(|cell| (cell.key, (cell.count, cell.sum))).collect();
            assert_eq!(got, map.into_iter().collect::<Vec<_>>(), "{keys} keys");
        }
    }

    #[test]
    fn a_sparse_table_stays_small_and_a_crowded_one_is_an_array() {
        let mut table = Table::new(1_000_000);
        for key in 0..100 {
            table.cell(key * 9973).count += 1;
        }
        assert!(table.bytes() <= 100 * 4 * size_of::<Cell>());
        let mut table = Table::new(1000);
        (0..300).for_each(|key| table.cell(key).count += 1);
        assert!(table.is_array());
    }

    #[test]
    fn what_was_added_can_be_taken_away() {
        let mut parts = [Table::new(5000), Table::new(5000)];
        for key in 0..40 {
            parts[(key % 2) as usize].cell(key).count += key + 1;
        }
        let mut total = Table::new(5000);
        total.add(&parts[0]);
        total.add(&parts[1]);
        total.subtract(&parts[0]);
        total.tidy(20);
        let mut live = Vec::new();
        total.live(&mut live);
        assert_eq!(live.len(), 20);
        assert!(live.iter().all(|cell| cell.key % 2 == 1 && cell.count == cell.key + 1));
    }
}
