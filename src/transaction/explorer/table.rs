//! Packed words that were seen, each kept once in one array and known by its number, with a table of
//! numbers with open addressing that finds them again.
//!
//! The table holds an index and some bits of the hash in one word, so most probes that find another
//! state end without reading it.
//!
//! Source: none; linear probing at a load of at most 5/8.

const EMPTY: u32 = u32::MAX;

#[derive(Debug)]
pub struct Seen {
    words: Vec<u64>,
    count: u32,
    /// Words of each, where all have as many.
    stride: Option<usize>,
    /// Otherwise where each begins in `words`, and where the last ends.
    starts: Vec<u32>,
    table: Vec<u32>,
    tags: Vec<u8>,
}

/// What an insertion found, with its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    New(u32),
    Known(u32),
}

fn hash(words: &[u64]) -> u64 {
    let mut hash = 0_u64;
    for word in words {
        hash = (hash.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    hash ^ (hash >> 29)
}

impl Seen {
    /// For items of so many words, or of any number.
    pub fn new(stride: Option<usize>) -> Self {
        let (table, tags) = (vec![EMPTY; 1 << 10], vec![0; 1 << 10]);
        Self { words: Vec::new(), count: 0, stride, starts: vec![0], table, tags }
    }

    pub fn len(&self) -> usize {
        self.count as usize
    }

    pub fn get(&self, at: u32) -> &[u64] {
        let at = at as usize;
        match self.stride {
            Some(stride) => &self.words[at * stride..(at + 1) * stride],
            None => &self.words[self.starts[at] as usize..self.starts[at + 1] as usize],
        }
    }

    /// Memory of the items themselves [bytes].
    pub fn item_bytes(&self) -> usize {
        self.words.len() * 8 + self.starts.len() * 4
    }

    /// Memory that is in use [bytes].
    pub fn bytes(&self) -> usize {
        self.item_bytes() + self.table.len() * 5
    }

    pub fn insert(&mut self, item: &[u64]) -> Found {
        let hash = hash(item);
        let mask = self.table.len() - 1;
        let tag = (hash >> 56) as u8;
        let mut at = (hash >> 8) as usize & mask;
        loop {
            let known = self.table[at];
            if known == EMPTY {
                break;
            }
            if self.tags[at] == tag && self.get(known) == item {
                return Found::Known(known);
            }
            at = (at + 1) & mask;
        }
        let new = self.count;
        self.table[at] = new;
        self.tags[at] = tag;
        self.words.extend_from_slice(item);
        self.count += 1;
        if self.stride.is_none() {
            self.starts.push(self.words.len() as u32);
        }
        if self.len() * 8 > self.table.len() * 5 {
            self.rebuild(self.table.len() * 2);
        }
        Found::New(new)
    }

    fn rebuild(&mut self, size: usize) {
        let mask = size - 1;
        self.table = vec![EMPTY; size];
        self.tags = vec![0; size];
        for index in 0..self.count {
            let hash = hash(self.get(index));
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
    fn an_item_is_kept_once_through_growth_whatever_its_length() {
        let mut seen = Seen::new(None);
        for value in 0..5_000_u64 {
            let item = [1, value, value % 7];
            let length = 2 + value as usize % 2;
            assert_eq!(seen.insert(&item[..length]), Found::New(value as u32));
        }
        assert_eq!(seen.insert(&[1, 4_320]), Found::Known(4_320));
        assert_eq!(seen.get(4_321), [1, 4_321, 4_321 % 7]);
        assert_eq!(seen.insert(&[1, 4_321, 4_321 % 7]), Found::Known(4_321));
        assert_eq!(seen.insert(&[1, 4_321]), Found::New(5_000));
        let mut even = Seen::new(Some(2));
        assert_eq!(even.insert(&[1, 2]), Found::New(0));
        assert_eq!(even.insert(&[1, 3]), Found::New(1));
        assert_eq!((even.insert(&[1, 3]), even.get(0)), (Found::Known(1), &[1, 2][..]));
    }
}
