//! The network of the fitted scenario, from queues that are full.
//!
//! Source: Flink 1.20.5, measured: a full input queue has buffers-per-channel for each channel and
//! the floating buffers, of which one is in the task's hand and not counted; every buffer of it is
//! full.

use super::Rules;
use crate::checkpoint::import::evidence::Evidence;
use crate::checkpoint::import::verdict::HIGH;
use crate::checkpoint::job::Placement;
use crate::checkpoint::params::Mode;
use crate::checkpoint::scenario::{Scenario, ScenarioNetwork, ScenarioVertex};

/// From this usage on a pool counts as exhausted.
const FULL: f64 = 0.99;
/// `buffers-per-channel` by default.
const EXCLUSIVE: u64 = 2;
/// Sizes of a segment that a simulation takes [B].
const SEGMENTS: (u64, u64) = (256, 1 << 30);

/// The queue in front of a subtask.
struct FullQueue {
    bytes: f64,
    buffers: f64,
    /// Channels into its gate, where it has one gate only.
    channels: Option<u64>,
}

pub(super) fn network(
    evidence: &Evidence,
    vertices: &[ScenarioVertex],
    rules: &mut Rules,
) -> ScenarioNetwork {
    let mut network = ScenarioNetwork::default();
    let is_debloated = (0..vertices.len()).any(|at| {
        let estimated = evidence.metric(at, "estimatedTimeToConsumeBuffersMs");
        estimated.iter().any(|it| *it > 0.0)
    });
    let inputs: Vec<FullQueue> =
        (0..vertices.len()).flat_map(|at| full_inputs(evidence, vertices, at)).collect();
    let outputs: Vec<FullQueue> =
        (0..vertices.len()).flat_map(|at| full(evidence, at, "out", "output")).collect();
    // An input queue is full of full buffers; the last one of an output queue may not be.
    let queue = inputs.iter().chain(&outputs).find(|it| it.buffers >= 1.0 && it.bytes >= 1.0);
    match queue {
        Some(queue) => {
            let bytes = (queue.bytes / queue.buffers).ceil().clamp(1.0, 1e9) as u64;
            let whole = bytes.next_power_of_two().clamp(SEGMENTS.0, SEGMENTS.1);
            if is_debloated {
                network.segment_bytes = network.segment_bytes.max(whole);
                let from = format!(
                    "default, of which debloating has made {bytes} B: size by length of a full queue"
                );
                rules.assumed("Segment", format!("{} B", network.segment_bytes), &from);
            } else {
                network.segment_bytes = whole;
                let from = "size by length of a full queue, rounded up to a power of two";
                rules.inferred("Segment", format!("{whole} B"), from);
            }
        }
        None => rules.assumed("Segment", "32 KiB", "no queue with known length is full"),
    }
    if is_debloated {
        network.buffer_debloat.enabled = true;
        let from = "estimatedTimeToConsumeBuffersMs is not 0, which only debloating measures";
        rules.inferred("Debloating", "on", from);
        let target = format!("{} ms", network.buffer_debloat.target_ms);
        rules.assumed("Debloating target", target, "default; no REST answer has it");
    }
    let floating = inputs.iter().find_map(|it| {
        let in_hand = 1;
        (it.buffers as u64 + in_hand).checked_sub(EXCLUSIVE * it.channels?).filter(|it| *it > 0)
    });
    match floating.and_then(|it| u32::try_from(it).ok()) {
        Some(floating) => {
            network.floating_buffers_per_gate = floating;
            let from = "length of a full input queue and the buffer in hand, less two a channel";
            rules.inferred("Floating buffers", floating.to_string(), from);
        }
        None => rules.assumed("Buffers", "2 a channel, 8 floating", "defaults"),
    }
    if is_local(evidence, vertices.len()) {
        network.placement = Placement::Local;
        let from = "a busy subtask whose senders are full has no buffers of its own";
        rules.inferred("Placement", "one TaskManager", from);
    } else {
        let from = "local exchanges hold about half of what remote ones do";
        rules.assumed("Placement", "one subtask a TaskManager", from);
    }
    network
}

fn full_inputs(evidence: &Evidence, vertices: &[ScenarioVertex], at: usize) -> Vec<FullQueue> {
    let upstream = evidence.upstream(at);
    let channels = match upstream.as_slice() {
        [only] => vertices.get(*only).map(|it| u64::from(it.parallelism)),
        _ => None,
    };
    let queues = full(evidence, at, "in", "input").into_iter();
    queues.map(|it| FullQueue { channels, ..it }).collect()
}

fn full(evidence: &Evidence, at: usize, pool: &str, queue: &str) -> Vec<FullQueue> {
    let metric = |name: String| evidence.metric(at, &name);
    let usage = metric(format!("buffers.{pool}PoolUsage"));
    let length = metric(format!("buffers.{queue}QueueLength"));
    let size = metric(format!("buffers.{queue}QueueSize"));
    let all = usage.into_iter().zip(length).zip(size);
    all.filter(|((usage, _), _)| *usage >= FULL)
        .map(|((_, buffers), bytes)| FullQueue { bytes, buffers, channels: None })
        .collect()
}

fn is_local(evidence: &Evidence, count: usize) -> bool {
    let any =
        |at: usize, name: &str, is: fn(f64) -> bool| evidence.metric(at, name).into_iter().any(is);
    (0..count).any(|at| {
        let senders_are_full = evidence
            .upstream(at)
            .into_iter()
            .any(|from| any(from, "buffers.outPoolUsage", |it| it >= FULL));
        let usage = evidence.metric(at, "buffers.inPoolUsage");
        let is_busy = evidence.load(at).iter().any(|it| it.busy >= HIGH);
        senders_are_full && is_busy && !usage.is_empty() && usage.iter().all(|it| *it <= 0.0)
    })
}

/// Where no buffers are known: the backlog in front of the bottleneck is what the barrier waited for
/// by its service time, and the segment is as large as such a backlog needs.
pub(super) fn from_backlog(evidence: &Evidence, scenario: &mut Scenario, rules: &mut Rules) {
    if !evidence.metrics.is_empty() || scenario.checkpointing.mode != Mode::Aligned {
        return;
    }
    let slow = (0..scenario.vertices.len()).filter(|at| !evidence.is_source(*at)).max_by(|a, b| {
        let mean = |at: &usize| {
            let service = &scenario.vertices[*at].service;
            service.iter().map(|it| it.mean_us()).fold(0.0_f64, f64::max)
        };
        mean(a).total_cmp(&mean(b))
    });
    let Some(slow) = slow else { return };
    let Some(waited) = super::job::longest_wait(evidence, slow) else { return };
    let Some(segment) = segment_for(scenario, slow, waited) else { return };
    let held = evidence.upstream(slow).into_iter().any(|from| {
        evidence.load(from).iter().any(|it| it.backpressured >= HIGH)
            || evidence.vertex(from).is_some_and(|it| {
                let whole = it.duration.unwrap_or(0).saturating_mul(it.parallelism);
                it.backpressured.is_some_and(|held| held as f64 >= HIGH * whole as f64)
            })
    });
    if !held {
        return;
    }
    scenario.network.segment_bytes = segment.clamp(SEGMENTS.0, SEGMENTS.1);
    let from = "no queue is known: start delay and alignment of the slowest vertex by its service time are \
                the backlog, which the default number of buffers holds in segments of this size";
    rules.inferred("Segment", format!("{} B", scenario.network.segment_bytes), from);
}

/// The segment with which the buffers in front of a vertex hold so long a wait [ms], after the sum of
/// `closed_form.rs`: all but one buffer of each channel at the senders, those of the gate at the
/// receiver, of which one is half read.
fn segment_for(scenario: &Scenario, slow: usize, waited_ms: u64) -> Option<u64> {
    let mut edges = scenario.edges.iter().filter(|it| it.to == slow);
    let edge = edges.next().filter(|_| edges.next().is_none())?;
    let vertex = scenario.vertices.get(slow)?;
    let service = vertex.service.iter().map(|it| it.mean_us()).fold(0.0_f64, f64::max);
    let channels = f64::from(scenario.vertices.get(edge.from)?.parallelism);
    let network = &scenario.network;
    let (exclusive, floating) = (network.buffers_per_channel, network.floating_buffers_per_gate);
    let limit = (exclusive + floating).min(network.max_buffers_per_channel);
    let sender = channels * f64::from(limit.saturating_sub(1));
    let receiver = f64::from(exclusive) * channels + f64::from(floating) - 0.5;
    let records = (service > 0.0).then(|| waited_ms as f64 * 1000.0 / service)?;
    Some((records * edge.record_bytes as f64 / (sender + receiver)).round() as u64)
}
