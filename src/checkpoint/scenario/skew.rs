//! Which share of the records each receiving subtask gets.
//!
//! Source: Flink 1.20.5, KeyGroupRangeAssignment, for the subtask of a key; keys are Java Longs 1 to n
//! and the maximum parallelism is Flink's default for the parallelism.

use super::Skew;
use crate::key_group::{default_max_parallelism, hash_of_long, key_group, subtask_of};

/// Shares of `parallelism` subtasks; empty where all are alike.
pub fn shares(skew: &Skew, parallelism: u32) -> Vec<f64> {
    match skew {
        Skew::Even => Vec::new(),
        Skew::Weights { weights } => weights.clone(),
        Skew::Zipf { keys, exponent } => {
            let share = |key: u32| libm::pow(f64::from(key), -exponent);
            by_key(*keys, parallelism, share)
        }
        Skew::HotKey { share } => {
            let rest = (1.0 - share) / f64::from(parallelism);
            let mut shares = vec![rest; parallelism as usize];
            shares[place(1, parallelism)] += share;
            shares
        }
    }
}

fn by_key(keys: u32, parallelism: u32, share: impl Fn(u32) -> f64) -> Vec<f64> {
    let mut shares = vec![0.0; parallelism as usize];
    for key in 1..=keys {
        shares[place(key, parallelism)] += share(key);
    }
    let sum: f64 = shares.iter().sum();
    shares.iter().map(|it| it / sum).collect()
}

fn place(key: u32, parallelism: u32) -> usize {
    let groups = default_max_parallelism(parallelism.into()).unwrap_or(parallelism);
    subtask_of(key_group(hash_of_long(key.into()), groups), parallelism, groups) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hot_key_goes_where_flink_puts_it() {
        let shares = shares(&Skew::HotKey { share: 0.5 }, 4);
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!((shares[place(1, 4)] - 0.625).abs() < 1e-12);
    }

    #[test]
    fn few_zipf_keys_leave_subtasks_without_records() {
        let shares = shares(&Skew::Zipf { keys: 2, exponent: 1.0 }, 8);
        assert_eq!(shares.iter().filter(|it| **it > 0.0).count(), 2);
        assert!((shares[place(1, 8)] - 2.0 / 3.0).abs() < 1e-12);
    }
}
