//! The records of a run, at most 16 bytes each with what became of them.
//!
//! A chunk keeps times as 32-bit distances from a base of its own. Only where its records lie more
//! than some seven weeks apart it takes 56 bits a time.
//!
//! Source: none of Flink's; bookkeeping of this engine.

use super::operator::Block;
use super::params::TIME_MAX;

/// Records of a chunk.
pub const CHUNK: usize = 1 << 16;
/// Records whose times are unpacked at once; they stay in the processor's first cache. A block ends
/// at a multiple of it, however the run is sliced.
pub const BLOCK: usize = 1 << 10;
/// Times lie on both sides of the first one of a chunk.
const HALF: i64 = 1 << 31;

/// Chunks before the first that takes all its room at once: from there on an empty one is less than
/// a fifth of what is there.
const FRUGAL_CHUNKS: usize = 5;

#[derive(Debug, Clone, Default)]
struct Chunk {
    /// What distances are counted from [ms].
    base: i64,
    low: Vec<u32>,
    /// The upper 24 bits of the distances; empty while all are 0.
    high: Vec<[u8; 3]>,
    keys: Vec<u32>,
    values: Vec<i32>,
    outcomes: Vec<u8>,
}

impl Chunk {
    fn new(first: i64) -> Self {
        // Not by chance the base of a wide chunk.
        let base = (first - HALF).max(1 - TIME_MAX);
        Self { base, ..Self::default() }
    }

    /// A chunk with room for all its records, so that none of them is moved.
    fn roomy(first: i64) -> Self {
        let mut chunk = Self::new(first);
        chunk.low.reserve_exact(CHUNK);
        chunk.keys.reserve_exact(CHUNK);
        chunk.values.reserve_exact(CHUNK);
        chunk.outcomes.reserve_exact(CHUNK);
        chunk
    }

    fn extend(&mut self, times: &[i64], keys: &[u32], values: &[i32], ends: (i64, i64)) {
        let base = self.base;
        make_room(&mut self.low, times.len());
        make_room(&mut self.keys, times.len());
        make_room(&mut self.values, times.len());
        make_room(&mut self.outcomes, times.len());
        let is_near = |time: &i64| u32::try_from(*time - base).is_ok();
        let are_near = (is_near(&ends.0) && is_near(&ends.1)) || times.iter().all(is_near);
        if self.is_wide() || !are_near {
            if !self.is_wide() {
                self.widen();
            }
            make_room(&mut self.high, times.len());
            let distances = times.iter().map(|time| (time + TIME_MAX) as u64);
            self.low.extend(distances.clone().map(|it| it as u32));
            self.high.extend(distances.map(upper));
        } else {
            self.low.extend(times.iter().map(|time| (time - base) as u32));
        }
        self.keys.extend_from_slice(keys);
        self.values.extend_from_slice(values);
        self.outcomes.resize(self.keys.len(), 0);
    }

    /// Whether a time takes 56 bits.
    fn is_wide(&self) -> bool {
        self.base == -TIME_MAX
    }

    /// Counts distances from the earliest time there can be.
    fn widen(&mut self) {
        self.high.reserve_exact(self.low.capacity());
        for low in &mut self.low {
            let distance = (self.base + i64::from(*low) + TIME_MAX) as u64;
            *low = distance as u32;
            self.high.push(upper(distance));
        }
        self.base = -TIME_MAX;
    }

    fn time(&self, at: usize) -> i64 {
        let high = self
            .high
            .get(at)
            .map_or(0, |[a, b, c]| u64::from(*a) | u64::from(*b) << 8 | u64::from(*c) << 16);
        self.base + (high << 32 | u64::from(self.low[at])) as i64
    }

    fn bytes(&self) -> usize {
        self.low.capacity() * 4
            + self.high.capacity() * 3
            + self.keys.capacity() * 4
            + self.values.capacity() * 4
            + self.outcomes.capacity()
    }
}

/// Room for more records of a chunk, an eighth more than is needed at most.
fn make_room<T>(column: &mut Vec<T>, more: usize) {
    let needed = column.len() + more;
    if needed > column.capacity() {
        let room = needed.max(column.len() * 9 / 8).min(CHUNK);
        column.reserve_exact(room - column.len());
    }
}

fn upper(distance: u64) -> [u8; 3] {
    [(distance >> 32) as u8, (distance >> 40) as u8, (distance >> 48) as u8]
}

/// All records of a run in order.
#[derive(Debug, Clone, Default)]
pub struct Store {
    chunks: Vec<Chunk>,
    len: usize,
    times: Vec<i64>,
}

impl Store {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Appends records, columns of one length; `ends` are the earliest and the latest time.
    pub fn extend(
        &mut self,
        mut times: &[i64],
        mut keys: &[u32],
        mut values: &[i32],
        ends: (i64, i64),
    ) {
        while let Some(first) = times.first() {
            if self.len.is_multiple_of(CHUNK) {
                let is_long = self.chunks.len() >= FRUGAL_CHUNKS;
                self.chunks.push(if is_long { Chunk::roomy(*first) } else { Chunk::new(*first) });
            }
            let room = (CHUNK - self.len % CHUNK).min(times.len());
            let ((now, time), (key, more)) = (times.split_at(room), keys.split_at(room));
            let (value, rest) = values.split_at(room);
            if let Some(chunk) = self.chunks.last_mut() {
                chunk.extend(now, key, value, ends);
            }
            self.len += room;
            (times, keys, values) = (time, more, rest);
        }
    }

    /// Sets what is known of the last records, before they are run.
    pub fn mark_last(&mut self, marks: &[u8]) {
        let from = self.len - marks.len().min(self.len);
        for (at, mark) in (from..).zip(marks) {
            if let Some(outcome) =
                self.chunks.get_mut(at / CHUNK).and_then(|it| it.outcomes.get_mut(at % CHUNK))
            {
                *outcome = *mark;
            }
        }
    }

    /// Some records from `at` on and before `end`, with the bytes for what becomes of them.
    pub fn block(&mut self, at: usize, end: usize) -> Option<Block<'_>> {
        let chunk = self.chunks.get_mut(at / CHUNK)?;
        let from = at % CHUNK;
        let room = BLOCK - from % BLOCK;
        let to = (from + room.min(end.saturating_sub(at))).min(chunk.low.len());
        self.times.clear();
        if !chunk.is_wide() {
            self.times.extend(chunk.low[from..to].iter().map(|low| chunk.base + i64::from(*low)));
        } else {
            self.times.extend((from..to).map(|at| chunk.time(at)));
        }
        Some(Block {
            first: at as u32,
            times: &self.times,
            keys: &chunk.keys[from..to],
            values: &chunk.values[from..to],
            outcomes: &mut chunk.outcomes[from..to],
            arrivals: &[],
        })
    }

    /// Time, key and value of one record.
    pub fn get(&self, at: usize) -> Option<(i64, u32, i32)> {
        let (chunk, place) = (self.chunks.get(at / CHUNK)?, at % CHUNK);
        let (key, value) = (*chunk.keys.get(place)?, *chunk.values.get(place)?);
        Some((chunk.time(place), key, value))
    }

    /// What became of the records from `from` to before `to`.
    pub fn outcomes(&self, from: usize, to: usize) -> Vec<u8> {
        let mut all = Vec::with_capacity(to.saturating_sub(from));
        let mut at = from;
        while at < to.min(self.len) {
            let (place, left) = (at % CHUNK, to.min(self.len) - at);
            let outcomes = &self.chunks[at / CHUNK].outcomes[place..];
            let part = &outcomes[..left.min(outcomes.len())];
            all.extend_from_slice(part);
            at += part.len();
        }
        all
    }

    /// What became of the first records, up to `to`: the place of the first of each part, and the part.
    pub fn all_outcomes(&self, to: usize) -> impl Iterator<Item = (usize, &[u8])> {
        let part = move |(at, chunk)| -> (usize, &[u8]) {
            let (first, chunk): (usize, &Chunk) = (at * CHUNK, chunk);
            (first, &chunk.outcomes[..to.saturating_sub(first).min(chunk.outcomes.len())])
        };
        self.chunks.iter().enumerate().map(part)
    }

    /// Bytes of the records.
    pub fn bytes(&self) -> usize {
        self.chunks.iter().map(Chunk::bytes).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_what_was_pushed_at_16_bytes_a_record() {
        for spread in [1, 1 << 20, 1 << 41] {
            let mut store = Store::default();
            let time = |n: i64| (n * 7919 % 4096 - 2048) * spread;
            for from in (0..150_000_i64).step_by(1000) {
                let part = from..from + 1000;
                let times: Vec<i64> = part.clone().map(time).collect();
                let keys: Vec<u32> = part.clone().map(|n| n as u32 % 9).collect();
                let values: Vec<i32> = part.map(|n| n as i32 - 5).collect();
                let ends = (*times.iter().min().unwrap(), *times.iter().max().unwrap());
                store.extend(&times, &keys, &values, ends);
            }
            for n in [0, 1, 65_535, 65_536, 100_001, 149_999] {
                let want = (time(n), n as u32 % 9, n as i32 - 5);
                assert_eq!(store.get(n as usize), Some(want), "spread {spread}");
            }
            assert_eq!(store.get(150_000), None);
            assert!(store.bytes() <= 150_000 * 16 * 9 / 8);
            let mut at = 0;
            while let Some(block) = store.block(at, 150_000).filter(|it| !it.times.is_empty()) {
                let from = at as i64;
                assert!(block.times.iter().zip(from..).all(|(got, n)| *got == time(n)));
                block.outcomes.fill(at as u8);
                at += block.times.len();
            }
            assert_eq!(at, 150_000);
            assert_eq!(store.outcomes(0, 150_000).len(), 150_000);
            assert_eq!(store.outcomes(1023, 1025), [0, 0]);
        }
    }

    #[test]
    fn the_ends_of_time_fit() {
        let mut store = Store::default();
        let times = [-TIME_MAX, TIME_MAX, 0, 5, -TIME_MAX];
        times.iter().for_each(|time| store.extend(&[*time], &[0], &[0], (*time, *time)));
        for (at, time) in times.iter().enumerate() {
            assert_eq!(store.get(at), Some((*time, 0, 0)));
        }
    }
}
