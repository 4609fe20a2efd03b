//! A scenario of the simulation that fits the numbers, and what it predicts beside them.
//!
//! Every value comes from the numbers by a rule that stands beside it, or is a default and says so;
//! nothing is searched for.
//!
//! - Vertices, their order and parallelism: `/jobs/:id`; exchanges: `ship_strategy` of its plan.
//! - Service time of an operator: time busy by records read, by subtask where metrics tell.
//! - Rate of a source: records written by the time in which it was not backpressured. A source that
//!   always is offers more than the job takes; a hundredth of the time is assumed free then.
//! - Bytes of a record: bytes written by records written.
//! - Segment: size by length of a full queue, rounded up to a power of two; with debloating
//!   the default, which the simulation debloats in its turn.
//!   Floating buffers: length of a full input queue and the buffer in hand, less two for each channel.
//! - Lag of a source: its start delay, as its thread lets the barrier go only then.
//! - Synchronous part, asynchronous part: measured; what lies inside it waiting for barriers is left
//!   out, and what no phase explains is added, since messages take no time in the simulation.
//! - Without buffers to look at: the backlog is start delay and alignment of the bottleneck by its
//!   service time, and the segment follows from it.
//!
//! Source: Flink 1.20.5, JobVertexDetailsInfo and IOMetricsInfo for `accumulated-busy-time` and
//! `accumulated-backpressured-time`; the queue's shape is measured (TaskIOMetricGroup, BufferPool).

use super::evidence::Evidence;
use super::{FitRule, Fitted, Prediction};
use crate::checkpoint::job::Exchange;
use crate::checkpoint::params::Mode;
use crate::checkpoint::report::{Checkpoint, CheckpointStatus};
use crate::checkpoint::scenario::{Scenario, ScenarioCheckpointing, ScenarioRecovery};
use crate::checkpoint::simulate_scenario;
use crate::finding::Problem;

mod buffers;
mod job;

/// The most records that a prediction may take while the texts are read.
const PREDICT_RECORDS_MAX: f64 = 400_000.0;
/// The most channels of the same.
const PREDICT_CHANNELS_MAX: u64 = 1000;
/// The longest run of the same [ms].
const PREDICT_RUN_MAX_MS: u64 = 600_000;
/// The most checkpoints that are predicted.
const PREDICT_CHECKPOINTS: u64 = 4;
/// The longest time before the first checkpoint, in which queues fill [ms].
const SETTLE_MAX_MS: u64 = 20_000;
/// The same where the start of the job is unknown [ms].
const SETTLE_MS: u64 = 5000;

/// What was inferred on the way.
#[derive(Default)]
struct Rules(Vec<FitRule>);

impl Rules {
    fn inferred(&mut self, of: impl Into<String>, value: impl Into<String>, from: &str) {
        self.say(of.into(), value.into(), from, false);
    }

    fn assumed(&mut self, of: impl Into<String>, value: impl Into<String>, from: &str) {
        self.say(of.into(), value.into(), from, true);
    }

    fn say(&mut self, of: String, value: String, from: &str, is_assumed: bool) {
        self.0.push(FitRule { of, value, from: from.to_owned(), is_assumed });
    }
}

/// Fits a scenario, where a job with checkpoints is known.
pub fn fit(evidence: &Evidence) -> Option<Fitted> {
    let job = evidence.job.as_ref().filter(|job| job.vertices.len() > 1)?;
    if evidence.checkpoints.is_empty() {
        return None;
    }
    let mut rules = Rules::default();
    let mut vertices = job::vertices(evidence, job, &mut rules);
    let edges = job::edges(evidence, job, &mut rules);
    let mut scenario = Scenario {
        network: buffers::network(evidence, &vertices, &mut rules),
        checkpointing: checkpointing(evidence, &mut rules),
        recovery: ScenarioRecovery::default(),
        vertices: Vec::new(),
        edges,
        run_ms: 1,
        seed: 1,
    };
    // A hundred characters is the longest name of a vertex.
    for it in &mut vertices {
        it.name = it.name.chars().take(100).collect();
    }
    scenario.vertices = vertices;
    watch(evidence, &mut scenario, &mut rules);
    buffers::from_backlog(evidence, &mut scenario, &mut rules);
    let (predictions, refusal) = match predict(evidence, &scenario) {
        Ok(predictions) => (predictions, None),
        Err(refusal) => (Vec::new(), Some(refusal)),
    };
    Some(Fitted { scenario, rules: rules.0, predictions, refusal })
}

fn checkpointing(evidence: &Evidence, rules: &mut Rules) -> ScenarioCheckpointing {
    let stock = ScenarioCheckpointing::default();
    let Some(config) = &evidence.config else {
        let is_unaligned =
            evidence.checkpoints.values().any(|it| it.checkpoint_type.contains("UNALIGNED"));
        let mode = if is_unaligned { Mode::Unaligned } else { Mode::Aligned };
        rules.assumed(
            "Mode",
            format!("{mode:?}"),
            "checkpoint_type; checkpoints/config was not given",
        );
        return ScenarioCheckpointing { mode, ..stock };
    };
    let timeout = config.aligned_timeout.unwrap_or(0);
    let mode = match (config.mode.as_str(), config.unaligned, timeout) {
        ("at_least_once", ..) => Mode::AtLeastOnce,
        (_, false, _) => Mode::Aligned,
        (_, true, 0) => Mode::Unaligned,
        (_, true, _) => Mode::Timeout,
    };
    rules.inferred("Mode", format!("{mode:?}"), "checkpoints/config");
    let small =
        |it: Option<u64>, stock: u32| it.map_or(stock, |it| u32::try_from(it).unwrap_or(u32::MAX));
    ScenarioCheckpointing {
        mode,
        aligned_checkpoint_timeout_ms: timeout,
        interval_ms: config.interval.unwrap_or(stock.interval_ms),
        min_pause_ms: config.min_pause.unwrap_or(0),
        timeout_ms: config.timeout.unwrap_or(stock.timeout_ms),
        max_concurrent_checkpoints: small(config.max_concurrent, 1),
        tolerable_failed_checkpoints: small(config.tolerable, 0),
        ..stock
    }
}

/// When checkpoints are taken, and how long the job is watched.
fn watch(evidence: &Evidence, scenario: &mut Scenario, rules: &mut Rules) {
    let triggers: Vec<u64> = evidence.checkpoints.values().filter_map(|it| it.trigger).collect();
    let mut gaps: Vec<u64> =
        triggers.windows(2).map(|it| it[1].saturating_sub(it[0])).filter(|it| *it >= 10).collect();
    gaps.sort_unstable();
    let checkpointing = &mut scenario.checkpointing;
    if let Some(gap) = gaps.get(gaps.len() / 2).copied()
        && checkpointing.interval_ms / 2 > gap
    {
        checkpointing.interval_ms = gap;
        let from = "the time between triggers, which is far shorter than the interval that is set";
        rules.inferred("Interval", format!("{gap} ms"), from);
    }
    let start = evidence.job.iter().flat_map(|it| &it.vertices).filter_map(|it| it.start).max();
    let first = triggers.first().zip(start).map(|(at, start)| at.saturating_sub(start));
    let settle = first.map_or(SETTLE_MS, |it| it.clamp(1, SETTLE_MAX_MS));
    checkpointing.first_trigger_ms = Some(settle);
    let from = match first {
        Some(it) if it <= SETTLE_MAX_MS => "from the start of the job to the first trigger",
        _ => "long enough for queues to fill",
    };
    rules.inferred("First trigger", format!("{settle} ms"), from);
    let longest = evidence.checkpoints.values().filter_map(|it| it.end_to_end).max().unwrap_or(0);
    let last = longest.saturating_mul(2).saturating_add(1000);
    let run = |count: u64| {
        let span = scenario.checkpointing.interval_ms.saturating_mul(count - 1);
        settle.saturating_add(span).saturating_add(last)
    };
    let taken = evidence.checkpoints.len() as u64;
    let counts = (1..=taken.clamp(1, PREDICT_CHECKPOINTS)).rev();
    let a_ms = records_a_ms(scenario);
    let count = counts.into_iter().find(|it| run(*it) as f64 * a_ms <= PREDICT_RECORDS_MAX);
    scenario.run_ms = run(count.unwrap_or(1));
}

/// Records that all vertices together take in a millisecond: what the sources offer, as far as the
/// slowest vertex takes it.
fn records_a_ms(scenario: &Scenario) -> f64 {
    let cyclic =
        |list: &[f64], at: u32| list.get(at as usize % list.len().max(1)).copied().unwrap_or(0.0);
    let mut inflow: Vec<f64> = Vec::new();
    let mut taken = 1.0_f64;
    for (at, it) in scenario.vertices.iter().enumerate() {
        let offered = match &it.source {
            Some(source) => (0..it.parallelism).map(|subtask| cyclic(&source.rate, subtask)).sum(),
            None => {
                let inputs = scenario.edges.iter().filter(|edge| edge.to == at);
                let sent = inputs.filter_map(|edge| {
                    let copies = match edge.exchange {
                        Exchange::Broadcast => f64::from(it.parallelism),
                        _ => 1.0,
                    };
                    Some(
                        inflow.get(edge.from)?
                            * scenario.vertices.get(edge.from)?.selectivity
                            * copies,
                    )
                });
                sent.sum::<f64>()
            }
        };
        let slowest = it.service.iter().map(|it| it.mean_us()).fold(0.0_f64, f64::max);
        if slowest > 0.0 && offered > 0.0 {
            let capacity = f64::from(it.parallelism) * 1e6 / slowest;
            taken = taken.min(capacity / offered);
        }
        inflow.push(offered);
    }
    inflow.iter().sum::<f64>() * taken / 1000.0
}

fn predict(evidence: &Evidence, scenario: &Scenario) -> Result<Vec<Prediction>, String> {
    let channels: u64 = scenario
        .edges
        .iter()
        .filter_map(|it| {
            let sender = scenario.vertices.get(it.from)?;
            Some(
                it.exchange.channels(sender.parallelism, scenario.vertices.get(it.to)?.parallelism),
            )
        })
        .sum();
    // Flush timers fire on every channel even where nothing flows.
    let is_long = scenario.run_ms > PREDICT_RUN_MAX_MS;
    let records = records_a_ms(scenario) * scenario.run_ms as f64;
    if is_long || records > PREDICT_RECORDS_MAX || channels > PREDICT_CHANNELS_MAX {
        return Err(
            "The job is too large to be simulated while its numbers are read; try it here to \
                    simulate it with progress."
                .to_owned(),
        );
    }
    let report = simulate_scenario(scenario).map_err(|error| Problem::from(error).message)?.value;
    let completed: Vec<&Checkpoint> =
        report.checkpoints.iter().filter(|it| it.status == CheckpointStatus::Completed).collect();
    let of =
        |value: fn(&Checkpoint) -> u64| mean(completed.iter().map(|it| value(it) as f64).collect());
    let longest = |value: fn(&super::shape::Subtask) -> Option<u64>| {
        let parts = evidence.completed().into_iter().filter_map(|it| {
            let parts = evidence.parts_of(it.id);
            parts.iter().flat_map(|(part, _)| &part.rows).filter_map(value).max()
        });
        mean(parts.map(|it| it as f64).collect())
    };
    let real = |value: fn(&super::shape::Checkpoint) -> Option<u64>| {
        mean(evidence.completed().into_iter().filter_map(value).map(|it| it as f64).collect())
    };
    let longest_of =
        |it: &Checkpoint, value: fn(&crate::checkpoint::report::SubtaskCheckpoint) -> u64| {
            it.subtasks.iter().map(value).max().unwrap_or(0)
        };
    let start_delays = completed.iter().map(|it| longest_of(it, |it| it.start_delay_ms) as f64);
    let alignments = completed.iter().map(|it| longest_of(it, |it| it.alignment_ms) as f64);
    let prediction = |name, real, predicted, unit| Prediction { name, real, predicted, unit };
    Ok(vec![
        prediction(
            "End-to-end duration",
            real(|it| it.end_to_end),
            of(|it| it.end_to_end_ms),
            "ms",
        ),
        prediction(
            "Longest start delay",
            longest(|it| it.start_delay),
            mean(start_delays.collect()),
            "ms",
        ),
        prediction(
            "Longest alignment",
            longest(|it| it.alignment),
            mean(alignments.collect()),
            "ms",
        ),
        prediction(
            "Persisted in-flight data",
            real(|it| it.persisted),
            of(|it| it.persisted_bytes),
            "bytes",
        ),
    ])
}

fn mean(values: Vec<f64>) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}
