//! Which key a record has: evenly spread, or the hottest first as Zipf's law has it.
//!
//! Key `k`, from 0, is drawn with a probability proportional to `1 / (k + 1)^s`; the exponent 0
//! makes all keys alike. A table of aliases answers in one step, whatever the number of keys.
//!
//! Source: Vose: A linear algorithm for generating random numbers with a given distribution, 1991.
//! None of Flink's.

use std::sync::Arc;

use super::random::Random;

/// The distribution of keys.
#[derive(Debug, Clone)]
pub enum KeyLaw {
    /// All alike; the number of keys.
    Even(u32),
    /// A table, shared by the copies of a generator.
    Table(Arc<[Slot]>),
}

/// A column of the table: up to `keep` it is its own key, above it another one.
#[derive(Debug, Clone, Copy)]
pub struct Slot {
    keep: f64,
    other: u32,
}

impl KeyLaw {
    /// The law of `count` keys, at least one, with an exponent of 0 or more.
    pub fn new(count: u32, exponent: f64) -> Self {
        if exponent <= 0.0 || count < 2 {
            return Self::Even(count);
        }
        let weight = |key: u32| libm::exp(-exponent * libm::log(f64::from(key) + 1.0));
        let weights: Vec<f64> = (0..count).map(weight).collect();
        Self::Table(aliases(&weights).into())
    }

    /// The key of the next record.
    pub fn draw(&self, random: &mut Random) -> u32 {
        match self {
            Self::Even(count) => random.below(u64::from(*count)) as u32,
            Self::Table(slots) => {
                let place = random.unit() * slots.len() as f64;
                let at = (place as usize).min(slots.len() - 1);
                let slot = slots[at];
                if place - at as f64 <= slot.keep { at as u32 } else { slot.other }
            }
        }
    }
}

fn aliases(weights: &[f64]) -> Vec<Slot> {
    let scale = weights.len() as f64 / weights.iter().sum::<f64>();
    let mut slots: Vec<Slot> = (0_u32..)
        .zip(weights)
        .map(|(other, weight)| Slot { keep: weight * scale, other })
        .collect();
    let (mut small, mut large): (Vec<u32>, Vec<u32>) =
        (0..weights.len() as u32).partition(|at| slots[*at as usize].keep < 1.0);
    // What a small column lacks is taken from a large one, which may become small by it.
    while let (Some(less), Some(&more)) = (small.pop(), large.last()) {
        let lacks = 1.0 - slots[less as usize].keep;
        slots[less as usize].other = more;
        slots[more as usize].keep -= lacks;
        if slots[more as usize].keep < 1.0 {
            large.pop();
            small.push(more);
        }
    }
    slots
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::generate::random::Purpose;

    fn shares(count: u32, exponent: f64, draws: u32) -> Vec<f64> {
        let law = KeyLaw::new(count, exponent);
        let mut random = Random::new(3, Purpose::Key);
        let mut seen = vec![0_u32; count as usize];
        (0..draws).for_each(|_| seen[law.draw(&mut random) as usize] += 1);
        seen.iter().map(|n| f64::from(*n) / f64::from(draws)).collect()
    }

    #[test]
    fn the_shares_are_those_of_the_law() {
        for exponent in [0.0, 0.5, 1.0, 2.0] {
            let total: f64 = (1..=20).map(|k| 1.0 / f64::from(k).powf(exponent)).sum();
            for (key, share) in (1..).zip(shares(20, exponent, 400_000)) {
                let want = 1.0 / f64::from(key).powf(exponent) / total;
                assert!((share - want).abs() < 0.004, "s {exponent} key {key}: {share} {want}");
            }
        }
    }

    #[test]
    fn the_table_holds_the_whole_probability_of_each_key() {
        let weights: Vec<f64> = (1..=1000).map(|k| 1.0 / f64::from(k)).collect();
        let slots = aliases(&weights);
        let mut mass = vec![0.0; weights.len()];
        for (at, slot) in slots.iter().enumerate() {
            mass[at] += slot.keep.min(1.0);
            mass[slot.other as usize] += 1.0 - slot.keep.min(1.0);
        }
        let total: f64 = weights.iter().sum();
        for (weight, mass) in weights.iter().zip(mass) {
            assert!((mass / 1000.0 - weight / total).abs() < 1e-12);
        }
    }

    #[test]
    fn one_key_is_always_drawn() {
        assert_eq!(shares(1, 1.5, 10), [1.0]);
    }
}
