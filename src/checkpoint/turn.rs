//! Which channel the next record of an output takes.
//!
//! Even shares go round. Others are spread as evenly as can be: each channel gets its share of every
//! run of records. Either way the turns depend on nothing but those before them, so they can be known
//! ahead.
//!
//! Source: Flink 1.20.5, RebalancePartitioner (round robin); that the keys of a hash exchange come in
//! turn, in the shares of the edge, is ours.

use std::collections::VecDeque;

/// The turns of an output.
#[derive(Debug, Clone)]
pub enum Turns {
    /// Every record to every channel.
    Broadcast,
    /// One after another.
    Even {
        /// The next.
        next: usize,
        /// How many there are.
        count: usize,
    },
    /// By shares.
    Weighted {
        /// The share of each channel.
        shares: Vec<f64>,
        /// What each is owed.
        credit: Vec<f64>,
        /// The sum of the shares.
        sum: f64,
        /// Turns that are known already.
        ahead: VecDeque<usize>,
    },
}

impl Turns {
    /// Turns of `count` channels; `shares` is read cyclically and empty where all are alike.
    pub fn new(count: usize, broadcast: bool, shares: &[f64]) -> Self {
        if broadcast {
            return Self::Broadcast;
        }
        if shares.is_empty() {
            return Self::Even { next: 0, count };
        }
        let shares: Vec<f64> = shares.iter().copied().cycle().take(count).collect();
        let sum = shares.iter().sum();
        Self::Weighted { credit: vec![0.0; count], shares, sum, ahead: VecDeque::new() }
    }

    /// The place of the channel whose turn it is; none where it is everyone's.
    pub fn take(&mut self) -> Option<usize> {
        match self {
            Self::Broadcast => None,
            Self::Even { next, count } => {
                let place = *next;
                *next = if place + 1 == *count { 0 } else { place + 1 };
                Some(place)
            }
            Self::Weighted { ahead, .. } => match ahead.pop_front() {
                Some(place) => Some(place),
                None => {
                    self.draw(1);
                    self.take()
                }
            },
        }
    }

    /// Whether the turns are known without drawing them, as they are unless they go by shares.
    pub fn are_even(&self) -> bool {
        !matches!(self, Self::Weighted { .. })
    }

    /// How many of the next `count` turns, which are even, each channel has that has any.
    pub fn shares(
        &self,
        count: u64,
        channels: usize,
    ) -> impl Iterator<Item = (usize, u64)> + use<> {
        let all = channels as u64;
        let (first, whole, more, touched) = match self {
            Self::Even { next, .. } => (*next, count / all, count % all, count.min(all)),
            _ => (0, count, 0, all),
        };
        (0..touched).map(move |turn| {
            let place = first + turn as usize;
            let place = if place < channels { place } else { place - channels };
            (place, whole + u64::from(turn < more))
        })
    }

    /// Passes over so many turns; false where each is everyone's.
    pub fn skip(&mut self, count: u64) -> bool {
        if let Self::Even { next, count: channels } = self {
            *next = (*next + (count % *channels as u64) as usize) % *channels;
        }
        !matches!(self, Self::Broadcast)
    }

    /// Makes so many turns known.
    fn draw(&mut self, wanted: usize) {
        let Self::Weighted { shares, credit, sum, ahead } = self else { return };
        while ahead.len() < wanted {
            let mut best = 0;
            for (place, share) in shares.iter().enumerate() {
                credit[place] += share;
                if credit[place] > credit[best] {
                    best = place;
                }
            }
            credit[best] -= *sum;
            ahead.push_back(best);
        }
    }

    /// A number of records that can go by before channel c takes its `needed(c)`th, at least 1 less
    /// than the one that does.
    pub fn before(&mut self, channels: usize, needed: impl Fn(usize) -> u64) -> u64 {
        /// How far ahead turns by shares are looked at; an early answer is only asked again.
        const AHEAD: usize = 256;
        self.draw(AHEAD);
        let Self::Weighted { ahead, .. } = self else { return self.before_even(channels, needed) };
        let mut left: Vec<u64> = (0..channels).map(needed).collect();
        for (count, place) in ahead.iter().enumerate() {
            left[*place] -= 1;
            if left[*place] == 0 {
                return count as u64;
            }
        }
        AHEAD as u64
    }

    /// The same of turns that are even.
    pub fn before_even(&self, channels: usize, needed: impl Fn(usize) -> u64) -> u64 {
        let Self::Even { next, count } = self else {
            return (0..channels).map(needed).min().unwrap_or(u64::MAX) - 1;
        };
        let mut least = u64::MAX;
        for turn in 0..*count {
            if turn as u64 >= least {
                // It and those after it have their first turn later than that.
                break;
            }
            let place = next + turn;
            let place = if place < *count { place } else { place - count };
            least = least.min(turn as u64 + (needed(place) - 1) * *count as u64);
        }
        least
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns(shares: &[f64], count: usize, records: usize) -> Vec<usize> {
        let mut turns = Turns::new(count, false, shares);
        (0..records).filter_map(|_| turns.take()).collect()
    }

    #[test]
    fn equal_shares_go_round_and_others_are_spread() {
        assert_eq!(turns(&[], 3, 7), [0, 1, 2, 0, 1, 2, 0]);
        assert_eq!(turns(&[1.0], 3, 7), [0, 1, 2, 0, 1, 2, 0]);
        assert_eq!(turns(&[3.0, 1.0], 2, 8), [0, 0, 1, 0, 0, 0, 1, 0]);
    }

    #[test]
    fn the_number_before_is_that_of_the_turns() {
        for shares in [vec![], vec![3.0, 1.0, 2.0], vec![1.0, 0.0, 5.0]] {
            for taken in 0..9 {
                let mut turns = Turns::new(3, false, &shares);
                (0..taken).for_each(|_| {
                    turns.take();
                });
                let needed = |place: usize| [4, 2, 3][place];
                let told = turns.before(3, needed);
                let mut counts = [0; 3];
                let mut seen = 0;
                while let Some(place) = turns.take() {
                    counts[place] += 1;
                    if counts[place] == needed(place) {
                        break;
                    }
                    seen += 1;
                }
                assert_eq!(told, seen, "{shares:?} after {taken}");
            }
        }
    }
}
