//! Which gates and partitions do the subtasks of a job have, and how many of them can meet on one
//! TaskManager?
//!
//! Slots share the subtasks of a slot sharing group, one of each stage at most. Nothing says which
//! slots meet on a TaskManager, so the fullest one is made of the most expensive slots there are.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `EdgeManagerBuildUtil#connectPointwise`, `#connectAllToAll`,
//! `SlotSharingGroup`.
//!
//! # Deviations
//! Where subtasks of a stage differ (rescale), all count as the largest.

use std::collections::BTreeMap;

use super::error::NetworkError;
use super::params::{ExchangePattern, JobExchange, JobTask, NetworkJob, TaskGate, TaskPartition};

/// The stages of a job as tasks, none of them placed yet.
pub fn tasks_of(job: &NetworkJob) -> Result<Vec<JobTask>, NetworkError> {
    let mut tasks: Vec<JobTask> = job
        .stages
        .iter()
        .map(|stage| JobTask {
            name: stage.name.clone(),
            subtasks: 0,
            gates: Vec::new(),
            partitions: Vec::new(),
        })
        .collect();
    for (at, exchange) in job.exchanges.iter().enumerate() {
        let (channels, subpartitions) = ends(job, at, exchange)?;
        let partition = exchange.partition;
        tasks[exchange.to].gates.push(TaskGate { channels, count: 1, partition });
        tasks[exchange.from].partitions.push(TaskPartition { subpartitions, partition });
    }
    Ok(tasks)
}

/// Channels of each reading gate and subpartitions of each written partition.
fn ends(job: &NetworkJob, at: usize, exchange: &JobExchange) -> Result<(i64, i64), NetworkError> {
    let (from, to) = (job.stages[exchange.from].parallelism, job.stages[exchange.to].parallelism);
    match exchange.pattern {
        ExchangePattern::Forward if from != to => {
            let field = format!("job.exchanges[{at}].pattern");
            let message = format!(
                "Forward needs equal parallelism, not {from} and {to}; rescale or rebalance does not."
            );
            Err(NetworkError::bad_job(field, message))
        }
        ExchangePattern::Forward => Ok((1, 1)),
        ExchangePattern::Rescale => Ok(((from + to - 1) / to, (to + from - 1) / from)),
        ExchangePattern::Rebalance | ExchangePattern::Hash | ExchangePattern::Broadcast => {
            Ok((from, to))
        }
    }
}

/// Slots that the job takes in all.
pub fn slots_of(job: &NetworkJob) -> i64 {
    let mut groups: BTreeMap<&str, i64> = BTreeMap::new();
    for stage in &job.stages {
        let slots = groups.entry(&stage.slot_sharing_group).or_default();
        *slots = (*slots).max(stage.parallelism);
    }
    groups.values().sum()
}

/// Places subtasks of the stages on the fullest TaskManager of so many slots, where a subtask of
/// stage i costs `cost[i]`.
pub fn place(job: &NetworkJob, tasks: &mut [JobTask], cost: &[i64], slots: i64) {
    // Slots of a group in runs: between two parallelisms every slot holds the same stages.
    let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, stage) in job.stages.iter().enumerate() {
        groups.entry(&stage.slot_sharing_group).or_default().push(at);
    }
    let mut runs: Vec<(i64, i64, Vec<usize>)> = Vec::new();
    for members in groups.into_values() {
        let mut ends: Vec<i64> = members.iter().map(|at| job.stages[*at].parallelism).collect();
        ends.sort_unstable();
        ends.dedup();
        let mut start = 0;
        for end in ends {
            let inside: Vec<usize> =
                members.iter().copied().filter(|at| job.stages[*at].parallelism >= end).collect();
            runs.push((inside.iter().map(|at| cost[*at]).sum(), end - start, inside));
            start = end;
        }
    }
    runs.sort_by_key(|(cost, ..)| std::cmp::Reverse(*cost));
    let mut free = slots;
    for (_, count, inside) in runs {
        let taken = count.min(free);
        free -= taken;
        for at in inside {
            tasks[at].subtasks += taken;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::params::JobStage;
    use crate::network::partition::PartitionType;

    fn job(parallelism: &[(i64, &str)], pattern: ExchangePattern) -> NetworkJob {
        let stages = parallelism
            .iter()
            .map(|(parallelism, group)| JobStage {
                name: String::new(),
                parallelism: *parallelism,
                slot_sharing_group: (*group).to_owned(),
            })
            .collect();
        let partition = PartitionType::PipelinedBounded;
        let exchanges = vec![JobExchange { from: 0, to: 1, pattern, partition }];
        NetworkJob { stages, exchanges, ..NetworkJob::default() }
    }

    #[test]
    fn the_fullest_task_manager_has_the_most_expensive_slots() {
        let job = job(&[(2, "a"), (6, "a"), (3, "b")], ExchangePattern::Hash);
        assert_eq!(slots_of(&job), 9);
        let mut tasks = tasks_of(&job).expect("it holds together");
        place(&job, &mut tasks, &[10, 1, 5], 4);
        // Two slots with both stages cost 11, then three of b cost 5, then four cost 1.
        assert_eq!([tasks[0].subtasks, tasks[1].subtasks, tasks[2].subtasks], [2, 2, 2]);
    }

    #[test]
    fn pointwise_ends_are_rounded_up() {
        let ends = |from, to| {
            let tasks = tasks_of(&job(&[(from, "a"), (to, "a")], ExchangePattern::Rescale));
            let tasks = tasks.expect("it holds together");
            (tasks[1].gates[0].channels, tasks[0].partitions[0].subpartitions)
        };
        assert_eq!(ends(5, 2), (3, 1));
        assert_eq!(ends(2, 5), (1, 3));
        assert!(tasks_of(&job(&[(2, "a"), (3, "a")], ExchangePattern::Forward)).is_err());
    }
}
