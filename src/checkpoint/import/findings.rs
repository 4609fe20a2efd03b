//! What else the numbers say: failures, growth, skew, ineffective settings.
//!
//! Source: Flink 1.20.5, CheckpointFailureManager (a failure more than tolerable in a row fails the
//! job), CheckpointCoordinator (expiry), DefaultCheckpointPlanCalculator (finished tasks, since 1.14,
//! on by default since 1.15), CheckpointStatistics for `checkpointed_size` and `state_size`.

use super::Shown;
use super::evidence::Evidence;
use super::shape::{Checkpoint, Subtask};
use super::verdict::ms;
use crate::finding::{Finding, Severity};
use crate::units::Bytes;

/// From this ratio of the largest to the median on, subtasks count as skewed.
const SKEW: f64 = 2.0;
/// Below so many bytes or records skew does not matter.
const SKEW_LEAST: u64 = 10_000;
/// Checkpoints that a statement about all of them needs.
const SEVERAL: usize = 3;
/// How much longer each must be than the one before to count as growth.
const GROWTH: f64 = 1.2;

/// Everything noticed.
pub fn findings(evidence: &Evidence, shown: Option<&Shown>) -> Vec<Finding> {
    let mut findings = Vec::new();
    findings.extend(expired(evidence));
    findings.extend(failed(evidence));
    findings.extend(tasks_finished(evidence));
    findings.extend(concurrent(evidence));
    findings.extend(growing(evidence));
    findings.extend(not_incremental(evidence));
    findings.extend(buffered(evidence));
    findings.extend(shown.and_then(|shown| state_skew(evidence, shown)));
    findings.extend(record_skew(evidence));
    findings
}

fn finding(
    code: &'static str,
    severity: Severity,
    title: String,
    reason: String,
    option: Option<&str>,
    price: Option<&str>,
) -> Finding {
    Finding {
        code,
        severity,
        title,
        reason,
        option: option.map(str::to_owned),
        price: price.map(str::to_owned),
        apply: Vec::new(),
        source: "Flink 1.20.5, REST API".to_owned(),
    }
}

fn failures(evidence: &Evidence) -> Vec<&Checkpoint> {
    evidence.checkpoints.values().filter(|it| it.status == "FAILED").collect()
}

fn is_expired(it: &Checkpoint) -> bool {
    it.failure.as_deref().is_some_and(|text| text.contains("expired before completing"))
}

fn expired(evidence: &Evidence) -> Option<Finding> {
    let failures = failures(evidence);
    let expired: Vec<&&Checkpoint> = failures.iter().filter(|it| is_expired(it)).collect();
    let last = expired.last()?;
    let config = evidence.config.as_ref();
    let timeout = config.and_then(|it| it.timeout);
    let known = timeout.map_or_else(String::new, |it| {
        format!(" Each was given up at execution.checkpointing.timeout, {}.", ms(it))
    });
    let tolerable = config.and_then(|it| it.tolerable);
    let after = tolerable.map_or_else(String::new, |it| {
        format!(" {it} failures in a row are tolerated; failure {} fails the job.", it + 1)
    });
    let count = expired.len();
    let count = if count == 1 { "1 checkpoint".to_owned() } else { format!("{count} checkpoints") };
    Some(finding(
        "checkpointExpired",
        Severity::Error,
        format!("{count} expired before completing, the last of them number {}.", last.id),
        format!(
            "An expiry says how long Flink waited and not why.{known}{after} A longer timeout helps where \
             durations are steady, not where they grow."
        ),
        Some("execution.checkpointing.timeout"),
        Some("A longer timeout is a longer time without a new recovery point."),
    ))
}

fn failed(evidence: &Evidence) -> Option<Finding> {
    let others: Vec<&Checkpoint> =
        failures(evidence).into_iter().filter(|it| !is_expired(it)).collect();
    let last = others.last()?;
    let message = last.failure.clone().unwrap_or_else(|| "Flink gave no message.".to_owned());
    let title = match others.len() {
        1 => format!("Checkpoint {} failed.", last.id),
        count => format!("{count} checkpoints failed, the last of them number {}.", last.id),
    };
    Some(finding("checkpointFailed", Severity::Error, title, message, None, None))
}

fn tasks_finished(evidence: &Evidence) -> Option<Finding> {
    let job = evidence.job.as_ref()?;
    let vertex = job.vertices.iter().find(|it| it.finished > 0 && it.finished < it.parallelism)?;
    let allowed = evidence.config.as_ref().and_then(|it| it.after_tasks_finish);
    let (severity, says) = match allowed {
        Some(true) => (Severity::Note, "This job takes checkpoints all the same."),
        Some(false) => (
            Severity::Error,
            "This job has checkpoints after tasks finish switched off, so none can be taken.",
        ),
        None => (
            Severity::Error,
            "Before 1.14 a checkpoint needs every task running, so none can be taken; since 1.14 it can \
             be switched on, and since 1.15 it is on by default.",
        ),
    };
    let option = "execution.checkpointing.checkpoints-after-tasks-finish";
    Some(finding(
        "tasksFinished",
        severity,
        format!(
            "{} of {} subtasks of {} are finished.",
            vertex.finished, vertex.parallelism, vertex.name
        ),
        format!(
            "{says} A source with more subtasks than partitions may finish those that have none: lower its \
             parallelism, or let it keep them idle."
        ),
        Some(option),
        None,
    ))
}

fn concurrent(evidence: &Evidence) -> Option<Finding> {
    let config = evidence.config.as_ref()?;
    let concurrent = config.max_concurrent.filter(|it| *it > 1 && config.unaligned)?;
    Some(finding(
        "concurrentUnaligned",
        Severity::Error,
        format!("{concurrent} concurrent checkpoints cannot be unaligned."),
        "maxConcurrentCheckpoints can't be > 1 if UnalignedCheckpoints enabled".to_owned(),
        Some("execution.checkpointing.max-concurrent-checkpoints"),
        None,
    ))
}

/// Checkpoints in order of time, the newest last, without savepoints.
fn in_order(evidence: &Evidence) -> Vec<&Checkpoint> {
    evidence.checkpoints.values().filter(|it| !it.is_savepoint).collect()
}

/// The last checkpoints each took longer than the one before, the last maybe beyond the timeout.
fn growing(evidence: &Evidence) -> Option<Finding> {
    let known: Vec<(u64, u64)> = in_order(evidence)
        .into_iter()
        .filter(|it| it.status == "COMPLETED" || is_expired(it))
        .filter_map(|it| Some((it.id, it.end_to_end?)))
        .collect();
    let grows = |pair: &[(u64, u64)]| pair[1].1 as f64 >= pair[0].1 as f64 * GROWTH;
    let run = 1 + known.windows(2).rev().take_while(|pair| grows(pair)).count();
    if run < SEVERAL {
        return None;
    }
    let run = &known[known.len() - run..];
    let list: Vec<String> = run.iter().map(|(_, took)| ms(*took)).collect();
    Some(finding(
        "durationsGrow",
        Severity::Warning,
        format!("The last {} checkpoints took longer each time: {}.", run.len(), list.join(", ")),
        "After a restart that points at a throughput deficit: replay and input together exceed what the \
         slowest task, often a sink that flushes, can take, so the backlog in front of the barrier grows \
         until the timeout. These numbers do not prove it; start delay and sync of the same checkpoints, \
         and how long a flush takes, would. Neither interval nor timeout alone mends it."
            .to_owned(),
        None,
        None,
    ))
}

fn not_incremental(evidence: &Evidence) -> Option<Finding> {
    let sizes: Vec<(u64, u64)> = evidence
        .completed()
        .into_iter()
        .filter_map(|it| Some((it.checkpointed_size?, it.state_size?)))
        .filter(|(_, state)| *state > 0)
        .collect();
    let rocks = evidence.config.as_ref().is_some_and(|it| it.backend.contains("RocksDB"));
    if sizes.len() < SEVERAL || !rocks || sizes.iter().any(|(new, all)| new != all) {
        return None;
    }
    let (first, last) = (sizes[0].1, sizes[sizes.len() - 1].1);
    let grows = if last > first { " They grow all the same" } else { " Their size is steady" };
    Some(finding(
        "nothingReused",
        Severity::Warning,
        format!("In {} checkpoints all bytes were written anew.", sizes.len()),
        format!(
            "checkpointed_size equals state_size each time, so no file of an earlier checkpoint is reused: \
             incremental checkpoints are not effective for this job (not set in its own configuration, \
             another backend, or every file rewritten).{grows}, from {} to {}. That does not prove a leak: \
             files hold old versions of values until compaction, a canonical savepoint holds one entry a key.",
            bytes(first),
            bytes(last)
        ),
        Some("execution.checkpointing.incremental"),
        None,
    ))
}

/// Jobs before 1.11 spilled what came behind a barrier.
fn buffered(evidence: &Evidence) -> Option<Finding> {
    let last = in_order(evidence).into_iter().rfind(|it| it.buffered.is_some_and(|it| it > 0))?;
    let buffered = last.buffered?;
    let sources = (0..evidence.vertices.len()).filter(|it| evidence.is_source(*it));
    let rate: f64 = sources
        .filter_map(|at| evidence.vertex(at))
        .filter_map(|it| {
            Some(it.write_bytes? as f64 * 1000.0 / (it.duration.filter(|it| *it > 0)?) as f64)
        })
        .sum();
    let skew = if rate > 0.0 {
        let seconds = buffered as f64 / rate;
        format!(
            " At {} a second that is {seconds:.1} s between the first barrier and the last.",
            bytes(rate as u64)
        )
    } else {
        String::new()
    };
    Some(finding(
        "bufferedInAlignment",
        Severity::Warning,
        format!("Checkpoint {} buffered {} during alignment.", last.id, bytes(buffered)),
        format!(
            "Channels whose barrier came early went on sending, and what they sent was buffered.{skew} Where it \
             grows, the distance of the barriers grows. Since Flink 1.11 nothing is buffered and the field is \
             always 0: early channels are blocked, and the same distance shows as backpressure upstream."
        ),
        None,
        None,
    ))
}

fn bytes(bytes: u64) -> String {
    Bytes::new(i64::try_from(bytes).unwrap_or(i64::MAX)).to_string()
}

/// The largest value, its place, and the median.
fn spread(values: &[u64]) -> Option<(usize, u64, u64)> {
    let (at, largest) = values.iter().copied().enumerate().max_by_key(|(_, it)| *it)?;
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    Some((at, largest, sorted[(sorted.len() - 1) / 2]))
}

fn is_skewed(largest: u64, median: u64) -> bool {
    largest >= SKEW_LEAST && largest as f64 >= SKEW * median as f64
}

fn state_skew(evidence: &Evidence, shown: &Shown) -> Option<Finding> {
    evidence.parts_of(shown.id).into_iter().find_map(|(part, vertex)| {
        let state = |it: &Subtask| Some(it.state_size?.saturating_sub(it.persisted.unwrap_or(0)));
        let sizes: Vec<u64> = part.rows.iter().filter_map(state).collect();
        let (at, largest, median) = spread(&sizes).filter(|it| is_skewed(it.1, it.2))?;
        Some(finding(
            "stateSkew",
            Severity::Warning,
            format!(
                "Subtask {at} of {} holds {}, the median is {}.",
                evidence.vertices[vertex],
                bytes(largest),
                bytes(median)
            ),
            "Its snapshot takes as much longer. State spreads by key group, so many keys or one large key fell \
             to this subtask."
                .to_owned(),
            None,
            None,
        ))
    })
}

fn record_skew(evidence: &Evidence) -> Option<Finding> {
    (0..evidence.vertices.len()).find_map(|vertex| {
        let records: Vec<u64> =
            evidence.metric(vertex, "numRecordsIn").into_iter().map(|it| it as u64).collect();
        let (at, largest, median) = spread(&records).filter(|it| is_skewed(it.1, it.2))?;
        Some(finding(
            "recordSkew",
            Severity::Warning,
            format!(
                "Subtask {at} of {} read {largest} records, the median is {median}.",
                evidence.vertices[vertex]
            ),
            "Its queue is the longest, and the barrier waits in it. A full queue to one subtask stops the \
             senders for all of them."
                .to_owned(),
            None,
            None,
        ))
    })
}
