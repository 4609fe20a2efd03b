//! Whether a scenario can be, and whether it is small enough to simulate.
//!
//! Source: Flink 1.20.5, CheckpointConfig (an interval and a timeout of at least 10 ms,
//! `MINIMAL_CHECKPOINT_TIME`), NettyShuffleEnvironmentConfiguration; the limits on size are ours.
//!
//! The limits also keep sums within their types: the bytes of a channel between two restarts are at
//! most [`MAX_RECORDS`] of 100 MB, 10^17 of the 10^19 that a counter holds; buffers of a gate are at
//! most 10 000 a channel and [`MAX_CHANNELS`], 10^9 of 4 x 10^9; and times saturate.

use super::{Scenario, ScenarioEdge, ScenarioSource, ScenarioVertex, Skew};
use crate::checkpoint::error::CheckpointError;
use crate::checkpoint::job::{Exchange, Placement};
use crate::checkpoint::params::Mode;
use crate::checkpoint::random::ServiceTime;
use crate::checkpoint::restart::RestartStrategy;

/// The most subtasks of all vertices together.
pub const MAX_SUBTASKS: u64 = 1000;
/// The most channels of all edges together.
pub const MAX_CHANNELS: u64 = 100_000;
/// The most vertices.
pub const MAX_VERTICES: usize = 20;
/// The most records that all subtasks together may take and make in a run.
pub const MAX_RECORDS: f64 = 1e9;
/// The most times that flush timers may fire on a channel in a run.
pub const MAX_FLUSHES: f64 = 2e9;
/// The most checkpoints that may be due in a run.
pub const MAX_CHECKPOINTS: u64 = 10_000;
/// The longest run [ms], a day.
pub const MAX_RUN_MS: u64 = 86_400_000;
/// The longest list of numbers, and the most failures.
const MAX_LIST: usize = 1000;
/// The most keys of a Zipf distribution.
const MAX_KEYS: u32 = 100_000;
/// The longest name of a vertex, in characters.
const MAX_NAME: usize = 100;
/// The longest span of time that any field takes [ms], some eleven days.
const MAX_SPAN_MS: f64 = 1e9;
/// The most bytes of state of a subtask, a pebibyte.
const MAX_STATE_BYTES: f64 = 1.2e15;

type Checked = Result<(), CheckpointError>;

fn range(field: impl Into<String>, value: f64, low: f64, high: f64) -> Checked {
    match value >= low && value <= high {
        true => Ok(()),
        false => Err(CheckpointError::OutOfRange { field: field.into(), value, low, high }),
    }
}

fn list<T>(field: &str, values: &[T], number: impl Fn(&T) -> (f64, f64, f64)) -> Checked {
    if values.is_empty() {
        return Err(CheckpointError::EmptyList { field: field.to_owned() });
    }
    at_most(field, values.len() as f64, MAX_LIST as f64, "entries; the list is read cyclically")?;
    values.iter().enumerate().try_for_each(|(place, value)| {
        let (value, low, high) = number(value);
        range(format!("{field}[{place}]"), value, low, high)
    })
}

fn at_most(field: &str, count: f64, limit: f64, what: &'static str) -> Checked {
    match count <= limit {
        true => Ok(()),
        false => Err(CheckpointError::TooLarge { field: field.to_owned(), count, limit, what }),
    }
}

fn graph(field: String, says: &'static str) -> Checked {
    Err(CheckpointError::Graph { field, says })
}

impl Scenario {
    pub(super) fn validate(&self) -> Checked {
        range("runMs", self.run_ms as f64, 1.0, MAX_RUN_MS as f64)?;
        if self.vertices.is_empty() {
            return Err(CheckpointError::EmptyList { field: "vertices".to_owned() });
        }
        at_most("vertices", self.vertices.len() as f64, MAX_VERTICES as f64, "vertices")?;
        at_most("edges", self.edges.len() as f64, MAX_LIST as f64, "edges")?;
        for (place, it) in self.edges.iter().enumerate() {
            self.check_edge(place, it)?;
        }
        for (place, it) in self.vertices.iter().enumerate() {
            self.check_vertex(place, it)?;
        }
        self.check_network()?;
        self.check_checkpointing()?;
        self.check_recovery()?;
        self.check_size()
    }

    fn check_vertex(&self, place: usize, it: &ScenarioVertex) -> Checked {
        let field = |name: &str| format!("vertices[{place}].{name}");
        range(field("name"), it.name.chars().count() as f64, 1.0, MAX_NAME as f64)?;
        range(field("parallelism"), it.parallelism.into(), 1.0, MAX_SUBTASKS as f64)?;
        range(field("selectivity"), it.selectivity, 0.0, 1000.0)?;
        range(field("syncMs"), it.sync_ms as f64, 0.0, MAX_SPAN_MS)?;
        range(field("asyncMs"), it.async_ms as f64, 0.0, MAX_SPAN_MS)?;
        let bytes = |value: &f64| (*value, 0.0, MAX_STATE_BYTES);
        list(&field("state.bytes"), &it.state.bytes, bytes)?;
        list(&field("state.changedBytes"), &it.state.changed_bytes, bytes)?;
        let mean = |it: &ServiceTime| (it.mean_us(), 0.0, 1e9);
        list(&field("service"), &it.service, mean)?;
        list(&field("service"), &it.service, |it| match it {
            ServiceTime::Lognormal { sigma, .. } => (*sigma, 0.0, 5.0),
            _ => (0.0, 0.0, 0.0),
        })?;
        let inputs = self.edges.iter().filter(|edge| edge.to == place).count();
        match &it.source {
            Some(_) if inputs > 0 => graph(
                field("source"),
                "A source has no edge into it; take the edge or the source away",
            ),
            None if inputs == 0 => graph(
                field("source"),
                "A vertex without an edge into it must be a source; add an edge or make it a source",
            ),
            Some(source) => check_source(&field("source"), source),
            None => Ok(()),
        }
    }

    fn check_edge(&self, place: usize, it: &ScenarioEdge) -> Checked {
        let field = |name: &str| format!("edges[{place}].{name}");
        let last = self.vertices.len() as f64 - 1.0;
        range(field("from"), it.from as f64, 0.0, last)?;
        range(field("to"), it.to as f64, 0.0, last)?;
        if it.from >= it.to {
            let says = "An edge leads to a later vertex; put the vertices in the order of the flow";
            return graph(field("to"), says);
        }
        range(field("recordBytes"), it.record_bytes as f64, 1.0, 1e8)?;
        let (from, to) = (self.vertices[it.from].parallelism, self.vertices[it.to].parallelism);
        if it.exchange == Exchange::Forward && from != to {
            let says = "A forward exchange is between vertices of the same parallelism; take rescale, rebalance or change one";
            return graph(field("exchange"), says);
        }
        if it.skew != Skew::Even && it.exchange != Exchange::Hash {
            let says = "Only a hash exchange has skew; the others spread records evenly";
            return graph(field("skew"), says);
        }
        match &it.skew {
            Skew::Even => Ok(()),
            Skew::Weights { weights } => {
                list(&field("skew.weights"), weights, |it| (*it, 0.0, 1e9))?;
                match weights.iter().cycle().take(to as usize).sum::<f64>() > 0.0 {
                    true => Ok(()),
                    false => Err(CheckpointError::EmptyList { field: field("skew.weights") }),
                }
            }
            Skew::Zipf { keys, exponent } => {
                range(field("skew.keys"), (*keys).into(), 1.0, MAX_KEYS.into())?;
                range(field("skew.exponent"), *exponent, 0.0, 10.0)
            }
            Skew::HotKey { share } => range(field("skew.share"), *share, 0.0, 1.0),
        }
    }

    fn check_network(&self) -> Checked {
        let it = &self.network;
        let field = |name: &str| format!("network.{name}");
        if let Placement::Slots { slots_per_task_manager } = it.placement {
            let (low, high) = (1.0, MAX_SUBTASKS as f64);
            range(
                field("placement.slotsPerTaskManager"),
                slots_per_task_manager.into(),
                low,
                high,
            )?;
        }
        range(field("segmentBytes"), it.segment_bytes as f64, 64.0, 1e9)?;
        range(field("buffersPerChannel"), it.buffers_per_channel.into(), 1.0, 10_000.0)?;
        if it.floating_buffers_per_gate == 0 {
            let field = field("floatingBuffersPerGate");
            return Err(CheckpointError::NoFloatingBuffer { field });
        }
        range(field("floatingBuffersPerGate"), it.floating_buffers_per_gate.into(), 1.0, 10_000.0)?;
        range(field("maxBuffersPerChannel"), it.max_buffers_per_channel.into(), 1.0, 1e9)?;
        range(
            field("maxOverdraftBuffersPerGate"),
            it.max_overdraft_buffers_per_gate.into(),
            0.0,
            1e4,
        )?;
        range(field("bufferTimeoutMs"), it.buffer_timeout_ms as f64, -1.0, MAX_SPAN_MS)?;
        let debloat = &it.buffer_debloat;
        range(field("bufferDebloat.targetMs"), debloat.target_ms as f64, 1.0, 3.6e6)?;
        range(field("bufferDebloat.periodMs"), debloat.period_ms as f64, 1.0, 3.6e6)?;
        range(field("bufferDebloat.samples"), debloat.samples.into(), 1.0, 10_000.0)?;
        let threshold = debloat.threshold_percentages.into();
        range(field("bufferDebloat.thresholdPercentages"), threshold, 0.0, 1000.0)
    }

    fn check_checkpointing(&self) -> Checked {
        let it = &self.checkpointing;
        let field = |name: &str| format!("checkpointing.{name}");
        let timeout = it.aligned_checkpoint_timeout_ms as f64;
        range(field("alignedCheckpointTimeoutMs"), timeout, 0.0, MAX_SPAN_MS)?;
        range(field("intervalMs"), it.interval_ms as f64, 10.0, MAX_SPAN_MS)?;
        range(field("minPauseMs"), it.min_pause_ms as f64, 0.0, MAX_SPAN_MS)?;
        range(field("timeoutMs"), it.timeout_ms as f64, 10.0, MAX_SPAN_MS)?;
        range(
            field("maxConcurrentCheckpoints"),
            it.max_concurrent_checkpoints.into(),
            1.0,
            1000.0,
        )?;
        range(field("firstTriggerMs"), it.first_trigger_ms.unwrap_or(0) as f64, 0.0, MAX_SPAN_MS)?;
        if let Some(upload) = it.upload {
            range(field("upload.bytesPerSecond"), upload.bytes_per_second, 1.0, 1e15)?;
        }
        let overtakes = matches!(it.mode, Mode::Timeout | Mode::Unaligned);
        if overtakes && it.max_concurrent_checkpoints > 1 {
            let field = field("maxConcurrentCheckpoints");
            return Err(CheckpointError::ConcurrentUnaligned { field });
        }
        let due = self.run_ms / it.interval_ms.max(it.min_pause_ms);
        let what = "checkpoints are due; shorten the run or lengthen the interval";
        at_most(&field("intervalMs"), due as f64, MAX_CHECKPOINTS as f64, what)
    }

    fn check_recovery(&self) -> Checked {
        let it = &self.recovery;
        range("recovery.restartDelayMs", it.restart_delay_ms as f64, 0.0, MAX_SPAN_MS)?;
        // HeartbeatServices: a timeout is at least as long as the interval.
        let interval_ms = it.heartbeat.interval_ms as f64;
        range("recovery.heartbeat.intervalMs", interval_ms, 1.0, MAX_SPAN_MS)?;
        let timeout_ms = it.heartbeat.timeout_ms as f64;
        range("recovery.heartbeat.timeoutMs", timeout_ms, interval_ms, MAX_SPAN_MS)?;
        let threshold = it.heartbeat.rpc_failure_threshold;
        let field = "recovery.heartbeat.rpcFailureThreshold";
        range(field, threshold.into(), if threshold == 0 { 1.0 } else { -1.0 }, 1e6)?;
        it.restart_strategy.iter().try_for_each(check_strategy)?;
        if let Some(rate) = it.restore_bytes_per_second {
            range("recovery.restoreBytesPerSecond", rate, 1.0, 1e15)?;
        }
        at_most("recovery.failures", it.failures.len() as f64, MAX_LIST as f64, "failures")?;
        it.failures.iter().enumerate().try_for_each(|(place, failure)| {
            let field = |name: &str| format!("recovery.failures[{place}].{name}");
            range(field("atMs"), failure.at_ms as f64, 0.0, self.run_ms as f64)?;
            let last = self.vertices.len() as f64 - 1.0;
            range(field("vertex"), failure.vertex as f64, 0.0, last)?;
            let last = f64::from(self.vertices[failure.vertex].parallelism) - 1.0;
            range(field("subtask"), failure.subtask.into(), 0.0, last)
        })
    }

    /// What bounds time and memory of a run.
    fn check_size(&self) -> Checked {
        let subtasks: u64 = self.vertices.iter().map(|it| u64::from(it.parallelism)).sum();
        let what = "subtasks; lower the parallelism of a vertex";
        at_most("vertices", subtasks as f64, MAX_SUBTASKS as f64, what)?;
        let channels: u64 = self.edges.iter().map(|it| self.channels(it)).sum();
        let what =
            "channels; they grow with the product of the parallelisms on both sides of an edge";
        at_most("edges", channels as f64, MAX_CHANNELS as f64, what)?;
        let seconds = self.run_ms as f64 / 1000.0;
        let what = "records in the whole run; lower the rate or shorten the run";
        at_most("runMs", self.records_per_second() * seconds, MAX_RECORDS, what)?;
        if self.network.buffer_timeout_ms > 0 {
            let flushes = self.run_ms as f64 / self.network.buffer_timeout_ms as f64;
            let what = "flushes of channels in the whole run; lengthen the buffer timeout or shorten the run";
            at_most("network.bufferTimeoutMs", flushes * channels as f64, MAX_FLUSHES, what)?;
        }
        Ok(())
    }

    fn channels(&self, edge: &ScenarioEdge) -> u64 {
        let sides = [edge.from, edge.to].map(|it| self.vertices[it].parallelism);
        edge.exchange.channels(sides[0], sides[1])
    }

    /// Records that all vertices together take in and make, if nothing holds them up.
    fn records_per_second(&self) -> f64 {
        let mut out = vec![0.0; self.vertices.len()];
        let mut sum = 0.0;
        for (place, it) in self.vertices.iter().enumerate() {
            let taken: f64 = match &it.source {
                Some(source) => source.mean_records_per_second(it.parallelism),
                None => {
                    let edges = self.edges.iter().filter(|edge| edge.to == place);
                    edges.map(|edge| out[edge.from] * self.copies(edge)).sum()
                }
            };
            out[place] = if it.source.is_some() { taken } else { taken * it.selectivity };
            let writes = self.edges.iter().filter(|edge| edge.from == place);
            sum += taken + out[place] * writes.map(|edge| self.copies(edge)).sum::<f64>();
        }
        sum
    }

    fn copies(&self, edge: &ScenarioEdge) -> f64 {
        match edge.exchange {
            Exchange::Broadcast => self.vertices[edge.to].parallelism.into(),
            _ => 1.0,
        }
    }
}

/// The bounds are those that the strategies' constructors check.
fn check_strategy(it: &RestartStrategy) -> Checked {
    let check = |name: &str, value: f64, low: f64, high: f64| {
        range(format!("recovery.restartStrategy.{name}"), value, low, high)
    };
    match *it {
        RestartStrategy::Disable => Ok(()),
        RestartStrategy::FixedDelay { delay_ms, .. } => {
            check("delayMs", delay_ms as f64, 0.0, MAX_SPAN_MS)
        }
        RestartStrategy::FailureRate {
            max_failures_per_interval,
            failure_rate_interval_ms,
            delay_ms,
        } => {
            check("maxFailuresPerInterval", max_failures_per_interval.into(), 1.0, 1e6)?;
            check("failureRateIntervalMs", failure_rate_interval_ms as f64, 1.0, MAX_SPAN_MS)?;
            check("delayMs", delay_ms as f64, 0.0, MAX_SPAN_MS)
        }
        RestartStrategy::ExponentialDelay {
            initial_backoff_ms,
            max_backoff_ms,
            backoff_multiplier,
            reset_backoff_threshold_ms,
            jitter_factor,
            ..
        } => {
            let initial_ms = initial_backoff_ms as f64;
            check("initialBackoffMs", initial_ms, 1.0, MAX_SPAN_MS)?;
            check("maxBackoffMs", max_backoff_ms as f64, initial_ms, MAX_SPAN_MS)?;
            // It has to be more than 1.
            check("backoffMultiplier", backoff_multiplier, 1.0 + f64::EPSILON, 1e6)?;
            let threshold_ms = reset_backoff_threshold_ms as f64;
            check("resetBackoffThresholdMs", threshold_ms, 1.0, MAX_SPAN_MS)?;
            check("jitterFactor", jitter_factor, 0.0, 1.0)
        }
    }
}

impl ScenarioSource {
    /// What all subtasks offer together, bursts spread over their period.
    pub(super) fn mean_records_per_second(&self, parallelism: u32) -> f64 {
        let count = self.partitions.unwrap_or(parallelism) as usize;
        let even: f64 = self.rate.iter().cycle().take(count).sum();
        let part = |it: super::Bursts| it.length_ms as f64 / it.every_ms as f64;
        even * self.bursts.map_or(1.0, |it| 1.0 + (it.factor - 1.0) * part(it))
    }
}

fn check_source(path: &str, it: &ScenarioSource) -> Checked {
    let field = |name: &str| format!("{path}.{name}");
    list(&field("rate"), &it.rate, |it| (*it, 0.0, 1e7))?;
    list(&field("lagMs"), &it.lag_ms, |it| (*it as f64, 0.0, MAX_SPAN_MS))?;
    if let Some(partitions) = it.partitions {
        range(field("partitions"), partitions.into(), 1.0, 100_000.0)?;
    }
    if let Some(rate) = it.max_rate {
        range(field("maxRate"), rate, 1e-3, 1e9)?;
    }
    if let Some(bursts) = it.bursts {
        range(field("bursts.everyMs"), bursts.every_ms as f64, 1.0, MAX_SPAN_MS)?;
        let every = bursts.every_ms as f64;
        range(field("bursts.lengthMs"), bursts.length_ms as f64, 0.0, every)?;
        range(field("bursts.factor"), bursts.factor, 0.0, 1000.0)?;
    }
    Ok(())
}
