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
use super::{FitRule, Fitted};
use crate::checkpoint::job::Exchange;
use crate::checkpoint::params::Mode;
use crate::checkpoint::scenario::{Scenario, ScenarioCheckpointing, ScenarioRecovery};

mod buffers;
mod job;
mod predict;

use predict::{Predicted, RECORDS_MAX, predict};

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
    let (predicted, refusal) = match predict(evidence, &scenario, records_a_ms(&scenario)) {
        Ok(predicted) => (predicted, None),
        Err(refusal) => (Predicted::default(), Some(refusal)),
    };
    let Predicted { job: predictions, subtasks, reach } = predicted;
    Some(Fitted { scenario, rules: rules.0, predictions, subtasks, reach, refusal })
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
    let count = counts.into_iter().find(|it| run(*it) as f64 * a_ms <= RECORDS_MAX);
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
