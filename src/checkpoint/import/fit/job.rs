//! Vertices and edges of the fitted scenario.
//!
//! Source: Flink 1.20.5, JobDetailsInfo and JSONGenerator (`ship_strategy`), TaskIOMetricGroup for
//! what counts as busy and backpressured.

use super::Rules;
use crate::checkpoint::import::evidence::Evidence;
use crate::checkpoint::import::shape::{Job, Subtask, Vertex};
use crate::checkpoint::job::Exchange;
use crate::checkpoint::random::ServiceTime;
use crate::checkpoint::scenario::{
    ScenarioEdge, ScenarioSource, ScenarioState, ScenarioVertex, Skew,
};
use crate::checkpoint::timeline::SubtaskTimes;

/// The least share of time that a backpressured source is taken to be free.
const FREE_LEAST: f64 = 0.01;
/// Bytes of a record where nothing was written yet [B].
const RECORD_BYTES: u64 = 100;
/// Shares that differ by less are taken as even.
const EVEN: f64 = 1.25;
/// The fastest source and the slowest one that a simulation takes [records/s].
const RATES: (f64, f64) = (1e-3, 1e7);

pub(super) fn vertices(evidence: &Evidence, job: &Job, rules: &mut Rules) -> Vec<ScenarioVertex> {
    let made = (0..job.vertices.len()).map(|at| vertex(evidence, job, at, rules));
    made.collect()
}

fn vertex(evidence: &Evidence, job: &Job, at: usize, rules: &mut Rules) -> ScenarioVertex {
    let it = &job.vertices[at];
    let rows = rows(evidence, at);
    let is_source = evidence.is_source(at);
    let mut made = ScenarioVertex {
        name: if it.name.is_empty() { format!("vertex {at}") } else { it.name.clone() },
        parallelism: u32::try_from(it.parallelism).unwrap_or(1),
        ..ScenarioVertex::default()
    };
    if is_source {
        made.source = Some(source(evidence, at, it, rules));
    } else {
        made.service = service(evidence, at, it, rules);
        if let (Some(read), Some(written)) =
            (it.read_records.filter(|it| *it > 0), it.write_records)
        {
            made.selectivity = (written as f64 / read as f64).min(1000.0);
        }
    }
    if let Some((sync_ms, async_ms)) = parts(&all_rows(evidence, at)) {
        (made.sync_ms, made.async_ms) = (sync_ms, async_ms);
        let value = format!("{sync_ms} ms, {async_ms} ms");
        rules.inferred(
            format!("{}: sync, async", made.name),
            value,
            "the subtask with the longest of each, the mean of all checkpoints",
        );
    }
    let state =
        |it: &&Subtask| it.state_size.map(|size| size.saturating_sub(it.persisted.unwrap_or(0)));
    let sizes: Vec<f64> = rows.iter().filter_map(|it| Some(state(it)? as f64)).collect();
    if !sizes.is_empty() && sizes.len() == rows.len() {
        made.state = ScenarioState { changed_bytes: sizes.clone(), bytes: sizes };
    }
    made
}

/// The subtasks of a vertex in each complete checkpoint whose subtasks are known.
fn all_rows(evidence: &Evidence, at: usize) -> Vec<&[Subtask]> {
    let parts = evidence.completed().into_iter().flat_map(|it| evidence.parts_of(it.id));
    let of = parts
        .filter(|(part, vertex)| *vertex == at && part.rows.iter().all(Subtask::is_acknowledged));
    of.map(|(part, _)| part.rows.as_slice()).collect()
}

/// The same of the newest one.
fn rows(evidence: &Evidence, at: usize) -> Vec<&Subtask> {
    all_rows(evidence, at).last().map_or_else(Vec::new, |rows| rows.iter().collect())
}

/// The longest time that a subtask waited for its last barrier with channels blocked [ms].
pub(super) fn longest_wait(evidence: &Evidence, at: usize) -> Option<u64> {
    let rows = rows(evidence, at);
    let times = rows.iter().filter_map(|it| it.times());
    let waits = times.map(|it| it.start_delay_ms.saturating_add(it.alignment_parts().blocked_ms));
    waits.max().filter(|it| *it > 0)
}

/// Of each checkpoint the longest synchronous and asynchronous part, without waiting for barriers,
/// with messages; of them the mean.
fn parts(all: &[&[Subtask]]) -> Option<(u64, u64)> {
    let written = |it: SubtaskTimes| {
        let parts = it.alignment_parts();
        let explained = [it.start_delay_ms, parts.blocked_ms, it.sync_ms, it.async_ms];
        let explained = explained.into_iter().fold(0, u64::saturating_add);
        let rest = it.end_to_end_ms.saturating_sub(explained);
        it.async_ms.saturating_sub(parts.inside_async_ms).saturating_add(rest)
    };
    let mean_of = |value: &dyn Fn(SubtaskTimes) -> u64| {
        let longest = |rows: &&[Subtask]| rows.iter().filter_map(Subtask::times).map(value).max();
        mean(&all.iter().filter_map(longest).collect::<Vec<u64>>())
    };
    Some((mean_of(&|it| it.sync_ms)?, mean_of(&written)?))
}

fn mean(values: &[u64]) -> Option<u64> {
    let sum = values.iter().fold(0_u128, |sum, it| sum + u128::from(*it));
    let mean = sum.checked_div(values.len() as u128)?;
    u64::try_from(mean).ok()
}

/// By subtask the mean of its start delays [ms].
fn lags(all: &[&[Subtask]], parallelism: u64) -> Option<Vec<u64>> {
    let of = |index: usize| {
        let delays = all.iter().map(|rows| rows.get(index).and_then(|it| it.start_delay));
        mean(&delays.collect::<Option<Vec<u64>>>()?).map(|it| it.min(1_000_000))
    };
    (0..parallelism as usize).map(of).collect()
}

fn source(evidence: &Evidence, at: usize, it: &Vertex, rules: &mut Rules) -> ScenarioSource {
    let stock = ScenarioSource::default();
    let lag_ms =
        lags(&all_rows(evidence, at), it.parallelism).unwrap_or_else(|| stock.lag_ms.clone());
    if let Some(longest) = lag_ms.iter().max().filter(|it| **it > 0) {
        let value = format!("up to {longest} ms");
        rules.inferred(
            format!("{}: lag", it.name),
            value,
            "mean start delay of each of its subtasks",
        );
    }
    let (Some(written), Some(duration)) = (it.write_records, it.duration.filter(|it| *it > 0))
    else {
        let value = format!("{} records/s a subtask", stock.rate[0]);
        rules.assumed(format!("{}: rate", it.name), value, "/jobs/:id has no records written");
        return ScenarioSource { lag_ms, ..stock };
    };
    let shares = shares(evidence, at, "numRecordsOut", it.parallelism);
    let loads = evidence.load(at);
    let whole = duration as f64 * it.parallelism as f64;
    let held = it.backpressured.map_or(0.0, |held| (held as f64 / whole).min(1.0));
    let is_known = loads.len() == it.parallelism as usize;
    let rate = |subtask: usize| {
        let held = if is_known { loads[subtask].backpressured } else { held };
        let a_second = written as f64 * shares[subtask] * 1000.0 / duration as f64;
        (a_second / (1.0 - held).max(FREE_LEAST)).clamp(RATES.0, RATES.1)
    };
    let rate: Vec<f64> = (0..it.parallelism as usize).map(rate).collect();
    let most = rate.iter().fold(0.0_f64, |most, it| most.max(*it));
    let value = format!("up to {most:.0} records/s a subtask");
    rules.inferred(
        format!("{}: rate", it.name),
        value,
        "write-records by the time in which it was not backpressured",
    );
    ScenarioSource { rate: shortened(rate), lag_ms: shortened(lag_ms), ..stock }
}

/// One value where all are the same.
fn shortened<T: PartialEq + Clone>(list: Vec<T>) -> Vec<T> {
    match list.first() {
        Some(first) if list.iter().all(|it| it == first) => vec![first.clone()],
        _ => list,
    }
}

/// The share of each subtask in a counter; even where it is unknown.
fn shares(evidence: &Evidence, at: usize, metric: &str, parallelism: u64) -> Vec<f64> {
    let counted = evidence.metric(at, metric);
    let sum: f64 = counted.iter().sum();
    if counted.len() as u64 != parallelism || sum <= 0.0 {
        return vec![1.0 / parallelism as f64; parallelism as usize];
    }
    counted.iter().map(|it| it / sum).collect()
}

/// Time busy by records read, for each subtask.
fn service(evidence: &Evidence, at: usize, it: &Vertex, rules: &mut Rules) -> Vec<ServiceTime> {
    let (Some(busy), Some(read)) = (it.busy, it.read_records.filter(|it| *it > 0)) else {
        let from = "/jobs/:id has no accumulated-busy-time or no records";
        rules.assumed(format!("{}: service time", it.name), "none", from);
        return vec![ServiceTime::Constant { mean_us: 0.0 }];
    };
    let records = shares(evidence, at, "numRecordsIn", it.parallelism);
    let loads = evidence.load(at);
    let all: f64 = loads.iter().map(|it| it.busy).sum();
    let is_known = loads.len() == it.parallelism as usize && all > 0.0;
    let mean_us = |subtask: usize| {
        let busy_share = if is_known { loads[subtask].busy / all } else { records[subtask] };
        let of = (records[subtask] * read as f64).max(1.0);
        whole_nanos(busy as f64 * 1000.0 * busy_share / of)
    };
    let means: Vec<f64> = (0..it.parallelism as usize).map(mean_us).collect();
    let (least, most) =
        means.iter().fold((f64::MAX, 0.0_f64), |(low, high), it| (low.min(*it), high.max(*it)));
    let even = busy as f64 * 1000.0 / read as f64;
    let is_even = most <= least * EVEN;
    let value =
        if is_even { format!("{even:.0} µs") } else { format!("{least:.0} to {most:.0} µs") };
    rules.inferred(
        format!("{}: service time", it.name),
        value,
        "accumulated-busy-time by read-records",
    );
    if is_even {
        return vec![ServiceTime::Constant { mean_us: whole_nanos(even) }];
    }
    means.into_iter().map(|mean_us| ServiceTime::Constant { mean_us }).collect()
}

/// A form writes a duration in whole nanoseconds.
fn whole_nanos(mean_us: f64) -> f64 {
    (mean_us * 1000.0).round().min(1e12) / 1000.0
}

pub(super) fn edges(evidence: &Evidence, job: &Job, rules: &mut Rules) -> Vec<ScenarioEdge> {
    let place = |id: &String| job.vertices.iter().position(|it| it.id == *id);
    let mut planned: Vec<(usize, usize, &str)> = job
        .edges
        .iter()
        .filter_map(|(from, to, ship)| Some((place(from)?, place(to)?, ship.as_str())))
        .collect();
    planned.sort_unstable();
    if planned.is_empty() {
        planned = (1..job.vertices.len()).map(|to| (to - 1, to, "HASH")).collect();
        rules.assumed("Edges", "a chain by key", "/jobs/:id has no plan");
    }
    planned.into_iter().map(|(from, to, ship)| edge(evidence, job, from, to, ship, rules)).collect()
}

fn edge(
    evidence: &Evidence,
    job: &Job,
    from: usize,
    to: usize,
    ship: &str,
    rules: &mut Rules,
) -> ScenarioEdge {
    let (sender, receiver) = (&job.vertices[from], &job.vertices[to]);
    let is_even = sender.parallelism == receiver.parallelism;
    let exchange = match ship {
        "HASH" => Exchange::Hash,
        "BROADCAST" => Exchange::Broadcast,
        "FORWARD" if is_even => Exchange::Forward,
        "RESCALE" => Exchange::Rescale,
        "REBALANCE" => Exchange::Rebalance,
        other => {
            let from = format!("ship_strategy {other} is not simulated");
            rules.assumed(format!("Into {}", receiver.name), "Rebalance", &from);
            Exchange::Rebalance
        }
    };
    let sent = sender.write_bytes.zip(sender.write_records.filter(|it| *it > 0));
    let record_bytes = match sent {
        Some((bytes, records)) => {
            let bytes = (bytes as f64 / records as f64).round().clamp(1.0, 1e8) as u64;
            let from = "write-bytes by write-records of the sender";
            rules.inferred(format!("Into {}: record", receiver.name), format!("{bytes} B"), from);
            bytes
        }
        None => {
            let from = "/jobs/:id has no records written";
            rules.assumed(
                format!("Into {}: record", receiver.name),
                format!("{RECORD_BYTES} B"),
                from,
            );
            RECORD_BYTES
        }
    };
    let weights = shares(evidence, to, "numRecordsIn", receiver.parallelism);
    let (least, most) =
        weights.iter().fold((f64::MAX, 0.0_f64), |(low, high), it| (low.min(*it), high.max(*it)));
    let skew = match exchange == Exchange::Hash && most > least * EVEN {
        true => {
            let from = "numRecordsIn of each subtask";
            rules.inferred(format!("Into {}: spread", receiver.name), "uneven", from);
            Skew::Weights { weights }
        }
        false => Skew::Even,
    };
    ScenarioEdge { from, to, exchange, record_bytes, skew }
}
