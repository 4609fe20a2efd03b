//! Where records come from: partition and arrival, at most 3.2 bytes a record beside its 13, and 9
//! where fewer than one record arrives in a second.
//!
//! An arrival is kept as its distance from that of the first of 64 records. Where one distance does
//! not fit into 16 bits, its chunk keeps whole arrivals.
//!
//! Source: none of Flink's; bookkeeping of this engine.

use super::store::CHUNK;

/// Records that share a base.
const SHARED: usize = 64;

/// Partitions and arrivals of some records; a stream that does not know them has none.
#[derive(Debug, Clone, Copy, Default)]
pub struct Origin<'a> {
    /// Partitions.
    pub partitions: &'a [u8],
    /// Arrivals [ms], never going back.
    pub arrivals: &'a [i64],
}

impl<'a> Origin<'a> {
    /// Those from `from` to before `to`.
    pub fn part(self, from: usize, to: usize) -> Self {
        let cut = |length: usize| from.min(length)..to.min(length);
        Self {
            partitions: &self.partitions[cut(self.partitions.len())],
            arrivals: &self.arrivals[cut(self.arrivals.len())],
        }
    }
}

/// The same for one place, owned.
#[derive(Debug, Clone, Default)]
pub struct OriginPart {
    partitions: Vec<u8>,
    arrivals: Vec<i64>,
}

impl OriginPart {
    /// As slices.
    pub fn get(&self) -> Origin<'_> {
        Origin { partitions: &self.partitions, arrivals: &self.arrivals }
    }
}

#[derive(Debug, Clone)]
enum Arrivals {
    Near { bases: Vec<i64>, distances: Vec<u16> },
    Far(Vec<i64>),
}

impl Arrivals {
    fn push(&mut self, arrival: i64) {
        let Self::Near { bases, distances } = self else {
            if let Self::Far(all) = self {
                all.push(arrival);
            }
            return;
        };
        if distances.len().is_multiple_of(SHARED) {
            bases.push(arrival);
        }
        let base = bases.last().copied().unwrap_or(arrival);
        if let Ok(distance) = u16::try_from(arrival - base) {
            distances.push(distance);
            return;
        }
        let known = distances.len();
        let mut all: Vec<i64> = (0..known).filter_map(|at| self.get(at)).collect();
        all.push(arrival);
        *self = Self::Far(all);
    }

    fn get(&self, at: usize) -> Option<i64> {
        match self {
            Self::Near { bases, distances } => {
                Some(bases.get(at / SHARED)? + i64::from(*distances.get(at)?))
            }
            Self::Far(all) => all.get(at).copied(),
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Near { bases, distances } => bases.capacity() * 8 + distances.capacity() * 2,
            Self::Far(all) => all.capacity() * 8,
        }
    }
}

/// Origins of all records of a run, or of none.
#[derive(Debug, Clone, Default)]
pub struct Origins {
    partitions: Vec<Vec<u8>>,
    arrivals: Vec<Arrivals>,
    len: usize,
    last: Option<i64>,
}

impl Origins {
    /// The last arrival.
    pub fn last_arrival(&self) -> Option<i64> {
        self.last
    }

    /// Appends those of records that were pushed.
    pub fn extend(&mut self, origin: Origin<'_>) {
        let records = origin.partitions.len().max(origin.arrivals.len());
        for at in 0..records {
            if self.len.is_multiple_of(CHUNK) {
                self.partitions.push(Vec::new());
                self.arrivals.push(Arrivals::Near { bases: Vec::new(), distances: Vec::new() });
            }
            if let (Some(partition), Some(chunk)) =
                (origin.partitions.get(at), self.partitions.last_mut())
            {
                chunk.push(*partition);
            }
            if let (Some(arrival), Some(chunk)) =
                (origin.arrivals.get(at), self.arrivals.last_mut())
            {
                chunk.push(*arrival);
                self.last = Some(*arrival);
            }
            self.len += 1;
        }
    }

    /// The partition of a record, where it is known.
    pub fn partition(&self, at: usize) -> Option<u8> {
        self.partitions.get(at / CHUNK)?.get(at % CHUNK).copied()
    }

    /// The arrival of a record, where it is known [ms].
    pub fn arrival(&self, at: usize) -> Option<i64> {
        self.arrivals.get(at / CHUNK)?.get(at % CHUNK)
    }

    /// Those from `from` on and before `to`, into a place that is used again.
    pub fn read(&self, from: usize, to: usize, part: &mut OriginPart) {
        part.partitions.clear();
        part.arrivals.clear();
        part.partitions.extend((from..to).map_while(|at| self.partition(at)));
        part.arrivals.extend((from..to).map_while(|at| self.arrival(at)));
    }

    /// Bytes of all.
    pub fn bytes(&self) -> usize {
        let partitions = self.partitions.iter().map(Vec::capacity).sum::<usize>();
        partitions + self.arrivals.iter().map(Arrivals::bytes).sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_what_was_pushed() {
        for step in [0_i64, 1, 900, 2000] {
            let records = 140_000_usize;
            let arrivals: Vec<i64> = (0..records as i64).map(|n| n * step - 7).collect();
            let partitions: Vec<u8> = (0..records).map(|n| (n * 7 % 256) as u8).collect();
            let mut origins = Origins::default();
            for from in (0..records).step_by(1000) {
                let all = Origin { partitions: &partitions, arrivals: &arrivals };
                origins.extend(all.part(from, from + 1000));
            }
            let mut part = OriginPart::default();
            origins.read(65_530, 65_600, &mut part);
            assert_eq!(part.get().arrivals, &arrivals[65_530..65_600], "step {step}");
            assert_eq!(part.get().partitions, &partitions[65_530..65_600]);
            assert_eq!(origins.arrival(records - 1), arrivals.last().copied());
            assert_eq!(origins.arrival(records), None);
            let each = if step * SHARED as i64 > 65_536 { 9.1 } else { 3.2 };
            let chunks = records.div_ceil(CHUNK) * CHUNK;
            assert!((origins.bytes() as f64) < each * chunks as f64, "{}", origins.bytes());
        }
    }

    #[test]
    fn a_file_has_partitions_and_no_arrivals() {
        let mut origins = Origins::default();
        origins.extend(Origin { partitions: &[3, 4], arrivals: &[] });
        assert_eq!([origins.partition(1), origins.partition(2)], [Some(4), None]);
        assert_eq!(origins.arrival(0), None);
    }
}
