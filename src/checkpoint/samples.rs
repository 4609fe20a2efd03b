//! Jobs for tests of this module.
//!
//! Source: none; the numbers are those of a job that was measured on Flink 1.20.5.

use super::job::Exchange;
use super::params::{CheckpointParams, Topology};
use super::random::ServiceTime;
use super::scenario::{
    Scenario, ScenarioCheckpointing, ScenarioEdge, ScenarioNetwork, ScenarioRecovery,
    ScenarioSource, ScenarioVertex, Skew,
};

/// One source, one slow operator, small buffers: the queue is full.
pub fn full_queue() -> CheckpointParams {
    CheckpointParams {
        topo: Topology::FanIn,
        sources: 1,
        operators: 1,
        sinks: 1,
        remote: true,
        rate: vec![10_000.0],
        svc_us: vec![10_000.0],
        svc2_us: vec![0.0],
        op_weight: None,
        payload: 75,
        segment: 4096,
        excl: 2,
        floating: 8,
        max_per_channel: 10,
        overdraft: 5,
        debloat: false,
        debloat_target_ms: 1000,
        buffer_timeout_ms: 100,
        lag_ms: 0,
        state_keys: 0,
        state_val_bytes: 0,
        sync_ms: 0,
        async_ms: 0,
        async_slow_first: 0,
        aligned_timeout_ms: 1000,
        interval_ms: 3_600_000,
        min_pause_ms: 0,
        timeout_ms: 600_000,
        max_conc: 1,
        tolerable: 0,
        periodic: false,
        periodic_run_ms: 15_000,
        n_ckpt: 3,
        settle_ms: 3000,
    }
}

/// The same job as a user describes it, with a checkpoint every ten seconds.
pub fn scenario() -> Scenario {
    let source = ScenarioSource { rate: vec![10_000.0], ..ScenarioSource::default() };
    let vertex = |name: &str| ScenarioVertex { name: name.to_owned(), ..ScenarioVertex::default() };
    Scenario {
        vertices: vec![
            ScenarioVertex { source: Some(source), ..vertex("source") },
            ScenarioVertex {
                service: vec![ServiceTime::Constant { mean_us: 10_000.0 }],
                ..vertex("window")
            },
        ],
        edges: vec![ScenarioEdge {
            from: 0,
            to: 1,
            exchange: Exchange::Hash,
            record_bytes: 96,
            skew: Skew::Even,
        }],
        network: ScenarioNetwork { segment_bytes: 4096, ..ScenarioNetwork::default() },
        checkpointing: ScenarioCheckpointing {
            first_trigger_ms: Some(3000),
            ..ScenarioCheckpointing::default()
        },
        recovery: ScenarioRecovery::default(),
        run_ms: 30_000,
        seed: 1,
    }
}
