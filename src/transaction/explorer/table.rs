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
    /// Words of one state.
    pub stride: usize,
    words: Vec<u64>,
    table: Vec<u32>,
    tags: Vec<u8>,
    count: u32,
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
    pub fn new(stride: usize) -> Self {
        let (table, tags) = (vec![EMPTY; 1 << 10], vec![0; 1 << 10]);
        Self { stride, words: Vec::new(), table, tags, count: 0 }
    }

    pub fn len(&self) -> usize {
        self.count as usize
    }

    pub fn state(&self, at: u32) -> &[u64] {
        let from = at as usize * self.stride;
        &self.words[from..from + self.stride]
    }

    /// Memory that is in use [bytes].
    pub fn bytes(&self) -> usize {
        self.words.len() * 8 + self.table.len() * 5
    }

    pub fn insert(&mut self, state: &[u64]) -> Found {
        debug_assert_eq!(state.len(), self.stride);
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
        let new = self.count;
        self.table[at] = new;
        self.tags[at] = tag;
        self.words.extend_from_slice(state);
        self.count += 1;
        if self.count as usize * 8 > self.table.len() * 5 {
            self.rebuild(self.table.len() * 2);
        }
        Found::New(new)
    }

    fn rebuild(&mut self, size: usize) {
        let mask = size - 1;
        self.table = vec![EMPTY; size];
        self.tags = vec![0; size];
        for index in 0..self.count {
            let hash = hash(self.state(index));
            let mut at = (hash >> 8) as usize & mask;
            while self.table[at] != EMPTY {
                at = (at + 1) & mask;
            }
            self.table[at] = index;
            self.tags[at] = (hash >> 56) as u8;
        }
    }

    /// Gives each part of a state more words, after the `head` words that all share.
    pub fn widen(&mut self, head: usize, part: usize, wider: usize) {
        let mut words = Vec::new();
        for state in self.words.chunks_exact(self.stride) {
            words.extend_from_slice(&state[..head]);
            for lane in state[head..].chunks_exact(part) {
                words.extend_from_slice(lane);
                words.resize(words.len() + wider - part, 0);
            }
        }
        self.stride = head + (self.stride - head) / part * wider;
        self.words = words;
        self.rebuild(self.table.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_kept_once_through_growth_and_widening() {
        let mut seen = Seen::new(3);
        for value in 0..5_000_u64 {
            assert_eq!(seen.insert(&[1, value, value % 7]), Found::New(value as u32));
        }
        assert_eq!(seen.insert(&[1, 4_321, 4_321 % 7]), Found::Known);
        seen.widen(1, 1, 2);
        assert_eq!(seen.state(4_321), [1, 4_321, 0, 4_321 % 7, 0]);
        assert_eq!(seen.insert(&[1, 4_321, 0, 4_321 % 7, 0]), Found::Known);
        assert_eq!(seen.insert(&[1, 4_321, 1, 4_321 % 7, 0]), Found::New(5_000));
    }
}
