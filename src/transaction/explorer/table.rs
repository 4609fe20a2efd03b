//! The states that were seen: packed words in one array, and a table of indices into it with open
//! addressing.
//!
//! The table holds an index and some bits of the hash in one word, so most probes that find another
//! state end without reading it.
//!
//! Source: none; linear probing at a load of at most 5/8.

const EMPTY: u32 = u32::MAX;

#[derive(Debug)]
pub struct Seen {
    words: Vec<u64>,
    /// Where each state begins in `words`, and where the last ends.
    starts: Vec<u32>,
    table: Vec<u32>,
    tags: Vec<u8>,
}

/// What an insertion found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    New(u32),
    Known,
}

fn hash(words: &[u64]) -> u64 {
    let mut hash = 0_u64;
    for word in words {
        hash = (hash.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    hash ^ (hash >> 29)
}

impl Seen {
    pub fn new() -> Self {
        let (table, tags) = (vec![EMPTY; 1 << 10], vec![0; 1 << 10]);
        Self { words: Vec::new(), starts: vec![0], table, tags }
    }

    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub fn state(&self, at: u32) -> &[u64] {
        let at = at as usize;
        &self.words[self.starts[at] as usize..self.starts[at + 1] as usize]
    }

    /// Memory of the states themselves, with where each begins [bytes].
    pub fn state_bytes(&self) -> usize {
        self.words.len() * 8 + self.starts.len() * 4
    }

    /// Memory that is in use [bytes].
    pub fn bytes(&self) -> usize {
        self.state_bytes() + self.table.len() * 5
    }

    pub fn insert(&mut self, state: &[u64]) -> Found {
        let hash = hash(state);
        let mask = self.table.len() - 1;
        let tag = (hash >> 56) as u8;
        let mut at = (hash >> 8) as usize & mask;
        loop {
            let known = self.table[at];
            if known == EMPTY {
                break;
            }
            if self.tags[at] == tag && self.state(known) == state {
                return Found::Known;
            }
            at = (at + 1) & mask;
        }
        let new = self.len() as u32;
        self.table[at] = new;
        self.tags[at] = tag;
        self.words.extend_from_slice(state);
        self.starts.push(self.words.len() as u32);
        if self.len() * 8 > self.table.len() * 5 {
            self.rebuild(self.table.len() * 2);
        }
        Found::New(new)
    }

    fn rebuild(&mut self, size: usize) {
        let mask = size - 1;
        self.table = vec![EMPTY; size];
        self.tags = vec![0; size];
        for index in 0..self.len() as u32 {
            let hash = hash(self.state(index));
            let mut at = (hash >> 8) as usize & mask;
            while self.table[at] != EMPTY {
                at = (at + 1) & mask;
            }
            self.table[at] = index;
            self.tags[at] = (hash >> 56) as u8;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_kept_once_through_growth_whatever_its_length() {
        let mut seen = Seen::new();
        for value in 0..5_000_u64 {
            let state = [1, value, value % 7];
            let length = 2 + value as usize % 2;
            assert_eq!(seen.insert(&state[..length]), Found::New(value as u32));
        }
        assert_eq!(seen.insert(&[1, 4_320]), Found::Known);
        assert_eq!(seen.state(4_321), [1, 4_321, 4_321 % 7]);
        assert_eq!(seen.insert(&[1, 4_321, 4_321 % 7]), Found::Known);
        assert_eq!(seen.insert(&[1, 4_321]), Found::New(5_000));
    }
}
