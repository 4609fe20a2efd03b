//! From a scenario to the job that is simulated.
//!
//! Source: Flink 1.20.5, CheckpointCoordinator#getRandomInitDelay (the first trigger is uniform from
//! min-pause to the interval); KafkaSourceEnumerator of the Kafka connector spreads partitions over
//! readers in turn, from a reader that depends on the topic's name, here the first.

use super::{Scenario, ScenarioSource, ScenarioVertex, skew};
use crate::checkpoint::coordinator::CoordinatorSettings;
use crate::checkpoint::error::CheckpointError;
use crate::checkpoint::job::{
    BarrierMode, Debloat, Edge, Failure, Job, Lag, NetworkSettings, Plan, Recovery, SourceSpec,
    Vertex,
};
use crate::checkpoint::params::Mode;
use crate::checkpoint::random::Random;
use crate::checkpoint::restart::RestartStrategy;
use crate::checkpoint::time::SimTime;

impl Scenario {
    /// The job, or which field cannot be and why.
    pub fn job(&self) -> Result<Job, CheckpointError> {
        self.validate()?;
        let first = self.first_trigger();
        let run = SimTime::from_ms(self.run_ms);
        Ok(Job {
            vertices: self.vertices.iter().map(vertex).collect(),
            edges: self.edges.iter().map(|it| self.edge(it)).collect(),
            network: self.network_settings(),
            mode: self.barrier_mode(),
            coordinator: self.coordinator(),
            plan: Plan::Periodic { first, run: run.since(first) },
            run: Some(run),
            lags: self.lags(),
            incremental: self.checkpointing.incremental,
            upload: self.checkpointing.upload,
            recovery: self.recovery(),
            seed: self.seed.into(),
        })
    }

    /// When the coordinator's timer first fires.
    fn first_trigger(&self) -> SimTime {
        let it = &self.checkpointing;
        let drawn = || {
            let least = it.min_pause_ms as f64;
            let most = it.interval_ms.max(it.min_pause_ms) as f64;
            // Stream 0 is nobody's; subtasks count from 1.
            least + (Random::new(self.seed.into(), 0).unit() * (most - least)).floor()
        };
        SimTime::from_ms(it.first_trigger_ms.unwrap_or_else(|| drawn() as u64))
    }

    fn edge(&self, it: &super::ScenarioEdge) -> Edge {
        Edge {
            from: it.from,
            to: it.to,
            only_from: None,
            exchange: it.exchange,
            shares: skew::shares(&it.skew, self.vertices[it.to].parallelism),
            record_bytes: it.record_bytes,
        }
    }

    fn network_settings(&self) -> NetworkSettings {
        let it = &self.network;
        let debloat = it.buffer_debloat;
        NetworkSettings {
            placement: it.placement,
            segment_bytes: it.segment_bytes,
            exclusive: it.buffers_per_channel,
            floating: it.floating_buffers_per_gate,
            max_per_channel: it.max_buffers_per_channel,
            overdraft: it.max_overdraft_buffers_per_gate,
            buffer_timeout: u64::try_from(it.buffer_timeout_ms).ok().map(SimTime::from_ms),
            debloat: debloat.enabled.then(|| Debloat {
                target: SimTime::from_ms(debloat.target_ms),
                period: SimTime::from_ms(debloat.period_ms),
                samples: debloat.samples,
                threshold_percentages: debloat.threshold_percentages,
            }),
        }
    }

    fn barrier_mode(&self) -> BarrierMode {
        let timeout = SimTime::from_ms(self.checkpointing.aligned_checkpoint_timeout_ms);
        match self.checkpointing.mode {
            Mode::AtLeastOnce => BarrierMode::AtLeastOnce,
            Mode::Aligned => BarrierMode::Aligned,
            Mode::Timeout if timeout > SimTime::ZERO => BarrierMode::AlignedWithTimeout(timeout),
            // A timeout of zero is unaligned from the start.
            Mode::Timeout | Mode::Unaligned => BarrierMode::Unaligned,
        }
    }

    fn coordinator(&self) -> CoordinatorSettings {
        let it = &self.checkpointing;
        CoordinatorSettings {
            interval: SimTime::from_ms(it.interval_ms),
            min_pause: SimTime::from_ms(it.min_pause_ms),
            timeout: SimTime::from_ms(it.timeout_ms),
            max_concurrent: it.max_concurrent_checkpoints,
            tolerable_failures: it.tolerable_failed_checkpoints,
        }
    }

    fn lags(&self) -> Vec<Lag> {
        let mut lags = Vec::new();
        for (vertex, it) in self.vertices.iter().enumerate() {
            let Some(source) = &it.source else { continue };
            for subtask in 0..it.parallelism {
                let span = source.lag_ms[subtask as usize % source.lag_ms.len()];
                if span > 0 {
                    let span = SimTime::from_ms(span);
                    lags.push(Lag { vertex, subtask, span, barrier_after: Vec::new() });
                }
            }
        }
        lags
    }

    fn recovery(&self) -> Recovery {
        let failures = self.recovery.failures.iter().map(|it| Failure {
            at: SimTime::from_ms(it.at_ms),
            vertex: it.vertex,
            subtask: it.subtask,
            kind: it.kind,
        });
        let delay_ms = self.recovery.restart_delay_ms;
        Recovery {
            failures: failures.collect(),
            heartbeat: self.recovery.heartbeat,
            restart: self
                .recovery
                .restart_strategy
                .unwrap_or(RestartStrategy::FixedDelay { attempts: None, delay_ms }),
            restore_bytes_per_second: self.recovery.restore_bytes_per_second,
        }
    }
}

fn vertex(it: &ScenarioVertex) -> Vertex {
    Vertex {
        name: it.name.clone(),
        parallelism: it.parallelism,
        source: it.source.as_ref().map(|source| source_spec(source, it.parallelism)),
        service: it.service.clone(),
        selectivity: it.selectivity,
        sync_part: SimTime::from_ms(it.sync_ms),
        async_part: SimTime::from_ms(it.async_ms),
        async_slow_first: it.slow_first,
        state_bytes: it.state.bytes.clone(),
        changed_bytes: it.state.changed_bytes.clone(),
    }
}

fn source_spec(it: &ScenarioSource, parallelism: u32) -> SourceSpec {
    let rate = match it.partitions {
        None => it.rate.clone(),
        Some(partitions) => {
            let mut rate = vec![0.0; parallelism as usize];
            for partition in 0..partitions {
                let of = it.rate[partition as usize % it.rate.len()];
                rate[(partition % parallelism) as usize] += of;
            }
            rate
        }
    };
    SourceSpec { rate, burst: 1, bursts: it.bursts, max_rate: it.max_rate }
}
