//! What the faults of a scenario ask of the timeout: the longest that a commit has to wait, and how
//! many checkpoints in a row commit nothing.
//!
//! Source: flink-connector-kafka 4.0, `ExactlyOnceKafkaWriter` (`notifyCheckpointAborted` is not used);
//! Flink 2.2, `CommitterOperator` (a restore commits what the state holds) and
//! `CheckpointCoordinator` (savepoints other than those that stop a job are not notified).

use super::params::{CheckpointRef, Fault, JobName};

/// The times in the faults by which a commit may be late [ms], each with its place and field. A
/// restore that gives no time takes the downtime of the settings, and is none of them.
pub fn delays(faults: &[Fault]) -> impl Iterator<Item = (usize, &'static str, i64)> {
    // What a job that was stopped with a savepoint leaves behind is committed, however long it is down.
    let mut is_stopped = false;
    faults.iter().enumerate().filter_map(move |(at, fault)| match fault {
        Fault::Savepoint { stop: Some(true), .. } => {
            is_stopped = true;
            None
        }
        Fault::Restore { job: Some(JobName::B), .. } => None,
        Fault::Restore { .. } if is_stopped => {
            is_stopped = false;
            None
        }
        Fault::Restore { after_ms, .. } => after_ms.map(|ms| (at, "afterMs", whole(ms))),
        Fault::BrokerUnreachable { for_ms, .. } => Some((at, "forMs", whole(*for_ms))),
        _ => None,
    })
}

fn whole(ms: u64) -> i64 {
    i64::try_from(ms).unwrap_or(i64::MAX)
}

/// The longest that a commit is late in the scenario [ms].
pub fn longest_delay(faults: &[Fault]) -> Option<i64> {
    delays(faults).map(|(_, _, ms)| ms).max()
}

/// The most checkpoints in a row that commit nothing: their message is lost, they are declined, or
/// they are savepoints that stop nothing.
pub fn uncommitted_in_a_row(faults: &[Fault]) -> u32 {
    let mut numbers: Vec<u32> = faults
        .iter()
        .filter_map(|fault| match fault {
            Fault::NotifyLost { checkpoint: CheckpointRef::Number(number) }
            | Fault::CheckpointDeclined { checkpoint: CheckpointRef::Number(number) }
            | Fault::Savepoint {
                checkpoint: CheckpointRef::Number(number),
                stop: None | Some(false),
            } => Some(*number),
            _ => None,
        })
        .collect();
    numbers.sort_unstable();
    numbers.dedup();
    let runs = numbers.chunk_by(|before, after| before.checked_add(1) == Some(*after));
    runs.map(|run| u32::try_from(run.len()).unwrap_or(u32::MAX)).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn faults(json: serde_json::Value) -> Vec<Fault> {
        serde_json::from_value(json).expect("they are faults")
    }

    #[test]
    fn the_longest_delay_is_that_of_the_job_that_has_something_to_commit() {
        let crash = json!({"ev": "crash", "at": "after_complete", "checkpoint": 3});
        let restore = |ms| json!({"ev": "restore", "afterMs": ms, "from": 3});
        let of = |list| longest_delay(&faults(list));
        assert_eq!(of(json!([])), None);
        assert_eq!(of(json!([crash, {"ev": "restore", "from": 3}])), None);
        assert_eq!(of(json!([crash, restore(60_000), crash, restore(90_000)])), Some(90_000));
        let other = json!({"ev": "restore", "afterMs": 900_000, "job": "B"});
        assert_eq!(of(json!([crash, other, restore(60_000)])), Some(60_000));
        let cut_off = json!({"ev": "broker_unreachable", "checkpoint": 3, "forMs": 300_000});
        assert_eq!(of(json!([cut_off])), Some(300_000));
        // Stopped with a savepoint: committed, and so not late however long it is down.
        let stop = json!({"ev": "savepoint", "checkpoint": 3, "stop": true});
        assert_eq!(of(json!([stop, crash, restore(691_200_000)])), None);
        assert_eq!(
            of(json!([stop, crash, restore(691_200_000), crash, restore(60_000)])),
            Some(60_000)
        );
    }

    #[test]
    fn checkpoints_that_commit_nothing_count_where_they_follow_each_other() {
        let of = |list| uncommitted_in_a_row(&faults(list));
        let lost = |number: u32| json!({"ev": "notify_lost", "checkpoint": number});
        let declined = |number: u32| json!({"ev": "checkpoint_declined", "checkpoint": number});
        assert_eq!(of(json!([])), 0);
        assert_eq!(of(json!([lost(3), lost(5)])), 1);
        assert_eq!(of(json!([declined(4), lost(3), lost(3), declined(7)])), 2);
        let savepoint = |stop: bool| json!({"ev": "savepoint", "checkpoint": 5, "stop": stop});
        assert_eq!(of(json!([declined(4), savepoint(false)])), 2);
        assert_eq!(of(json!([declined(4), savepoint(true)])), 1);
    }
}
