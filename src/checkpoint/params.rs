//! The params of a recorded case: a job of two or three vertices, its network and its coordinator.

use serde::{Deserialize, Serialize};

use super::coordinator::CoordinatorSettings;
use super::error::CheckpointError;
use super::job::{
    BarrierMode, Debloat, Edge, Exchange, Incremental, Job, Lag, NetworkSettings, Placement, Plan,
    Recovery, SourceSpec, Vertex,
};
use super::random::ServiceTime;
use super::time::SimTime;

/// Bytes that a record with a timestamp and a byte array adds to its payload on the wire: length of
/// the frame 4, tag 1, timestamp 8, key 4, length of the array 4 [B].
const WIRE_OVERHEAD_BYTES: u64 = 21;

/// From the end of a checkpoint to the next one that is triggered by hand [ms]. The recorded jobs
/// were looked at for so long.
const GAP_MS: u64 = 1500;

/// The largest number of subtasks of a vertex here: channels grow with its square.
const MAX_PARALLELISM: u32 = 200;

/// The most records that all sources may offer in the whole run, a bound of the time it takes.
const MAX_RECORDS: f64 = 1e9;

/// How the vertices are connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Topology {
    /// Sources, then a keyed operator.
    FanIn,
    /// Two sources, each to an input of its own.
    TwoInput,
    /// Sources, operator, sink.
    Chain3,
}

/// How barriers pass records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Mode {
    /// At least once.
    AtLeastOnce,
    /// Aligned.
    Aligned,
    /// Aligned until the timeout.
    Timeout,
    /// Unaligned.
    Unaligned,
}

/// A job and its checkpoints. Field names are those of the recordings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(missing_docs, reason = "the names are Flink's options, or explained in the spec's table")]
pub struct CheckpointParams {
    pub topo: Topology,
    #[serde(rename = "S")]
    pub sources: u32,
    #[serde(rename = "P")]
    pub operators: u32,
    #[serde(rename = "P2")]
    pub sinks: u32,
    pub remote: bool,
    pub rate: Vec<f64>,
    pub svc_us: Vec<f64>,
    #[serde(rename = "svc2Us")]
    pub svc2_us: Vec<f64>,
    pub op_weight: Option<Vec<f64>>,
    pub payload: u64,
    pub segment: u64,
    pub excl: u32,
    pub floating: u32,
    pub max_per_channel: u32,
    pub overdraft: u32,
    pub debloat: bool,
    pub debloat_target_ms: u64,
    pub buffer_timeout_ms: i64,
    pub lag_ms: u64,
    pub state_keys: u64,
    pub state_val_bytes: u64,
    pub sync_ms: u64,
    pub async_ms: u64,
    pub async_slow_first: u32,
    pub aligned_timeout_ms: u64,
    pub interval_ms: u64,
    pub min_pause_ms: u64,
    pub timeout_ms: u64,
    pub max_conc: u32,
    pub tolerable: u32,
    pub periodic: bool,
    pub periodic_run_ms: u64,
    pub n_ckpt: u32,
    pub settle_ms: u64,
}

impl CheckpointParams {
    /// The job, or which field cannot be and why.
    pub fn job(
        &self,
        mode: Mode,
        barrier_after: &[SimTime],
        seed: u64,
    ) -> Result<Job, CheckpointError> {
        self.validate(mode)?;
        let services = |list: &[f64]| -> Vec<ServiceTime> {
            list.iter().map(|mean_us| ServiceTime::Constant { mean_us: *mean_us }).collect()
        };
        let source = SourceSpec { rate: self.rate.clone(), burst: 1, bursts: None, max_rate: None };
        let mut vertices = vec![
            Vertex { source: Some(source), ..vertex("Source_src", self.sources) },
            Vertex {
                service: services(&self.svc_us),
                sync_part: SimTime::from_ms(self.sync_ms),
                async_part: SimTime::from_ms(self.async_ms),
                async_slow_first: self.async_slow_first,
                ..vertex("op", self.operators)
            },
        ];
        let hash = Edge {
            from: 0,
            to: 1,
            only_from: None,
            exchange: Exchange::Hash,
            shares: self.op_weight.clone().unwrap_or_default(),
            record_bytes: self.record_bytes(),
        };
        let mut edges = match self.topo {
            Topology::TwoInput => (0..self.sources)
                .map(|source| Edge { only_from: Some(source), ..hash.clone() })
                .collect(),
            _ => vec![hash.clone()],
        };
        if self.topo == Topology::Chain3 {
            vertices
                .push(Vertex { service: services(&self.svc2_us), ..vertex("sink", self.sinks) });
            edges.push(Edge { from: 1, to: 2, shares: Vec::new(), ..hash });
        }
        let settle = SimTime::from_ms(self.settle_ms);
        let plan = match self.periodic {
            true => Plan::Periodic { first: settle, run: SimTime::from_ms(self.periodic_run_ms) },
            false => Plan::OneByOne { settle, count: self.n_ckpt, gap: SimTime::from_ms(GAP_MS) },
        };
        let lags = (self.lag_ms > 0).then(|| Lag {
            vertex: 0,
            subtask: 0,
            span: SimTime::from_ms(self.lag_ms),
            barrier_after: barrier_after.to_vec(),
        });
        Ok(Job {
            vertices,
            edges,
            network: NetworkSettings {
                placement: if self.remote { Placement::Remote } else { Placement::Local },
                segment_bytes: self.segment,
                exclusive: self.excl,
                floating: self.floating,
                max_per_channel: self.max_per_channel,
                overdraft: self.overdraft,
                buffer_timeout: u64::try_from(self.buffer_timeout_ms).ok().map(SimTime::from_ms),
                debloat: self.debloat.then(|| Debloat {
                    target: SimTime::from_ms(self.debloat_target_ms),
                    // The recorded jobs left the rest at Flink's defaults.
                    period: SimTime::from_ms(200),
                    samples: 20,
                    threshold_percentages: 25,
                }),
            },
            mode: match mode {
                Mode::AtLeastOnce => BarrierMode::AtLeastOnce,
                Mode::Aligned => BarrierMode::Aligned,
                Mode::Unaligned => BarrierMode::Unaligned,
                Mode::Timeout if self.aligned_timeout_ms == 0 => BarrierMode::Unaligned,
                Mode::Timeout => {
                    BarrierMode::AlignedWithTimeout(SimTime::from_ms(self.aligned_timeout_ms))
                }
            },
            coordinator: self.coordinator(),
            plan,
            run: None,
            lags: lags.into_iter().collect(),
            incremental: Incremental::Full,
            upload: None,
            recovery: Recovery::default(),
            seed,
        })
    }

    /// A record on the wire [B].
    pub fn record_bytes(&self) -> u64 {
        self.payload + WIRE_OVERHEAD_BYTES
    }

    /// The coordinator's options.
    pub fn coordinator(&self) -> CoordinatorSettings {
        CoordinatorSettings {
            interval: SimTime::from_ms(self.interval_ms),
            min_pause: SimTime::from_ms(self.min_pause_ms),
            timeout: SimTime::from_ms(self.timeout_ms),
            max_concurrent: self.max_conc,
            tolerable_failures: self.tolerable,
        }
    }

    fn validate(&self, mode: Mode) -> Result<(), CheckpointError> {
        let out_of =
            |field: &str, value: f64, low: f64, high: f64| match value >= low && value <= high {
                true => Ok(()),
                false => {
                    let field = field.to_owned();
                    Err(CheckpointError::OutOfRange { field, value, low, high })
                }
            };
        let parallelism = f64::from(MAX_PARALLELISM);
        out_of("S", f64::from(self.sources), 1.0, parallelism)?;
        out_of("P", f64::from(self.operators), 1.0, parallelism)?;
        out_of("P2", f64::from(self.sinks), 1.0, parallelism)?;
        out_of("payload", self.payload as f64, 1.0, 1e8)?;
        out_of("segment", self.segment as f64, 64.0, 1e9)?;
        out_of("excl", f64::from(self.excl), 1.0, 10_000.0)?;
        if self.floating == 0 {
            return Err(CheckpointError::NoFloatingBuffer { field: "floating".to_owned() });
        }
        out_of("floating", f64::from(self.floating), 1.0, 10_000.0)?;
        out_of("maxPerChannel", f64::from(self.max_per_channel), 1.0, 1e9)?;
        out_of("overdraft", f64::from(self.overdraft), 0.0, 10_000.0)?;
        out_of("bufferTimeoutMs", self.buffer_timeout_ms as f64, -1.0, 1e9)?;
        out_of("debloatTargetMs", self.debloat_target_ms as f64, 0.0, 3.6e6)?;
        out_of("nCkpt", f64::from(self.n_ckpt), 1.0, 10_000.0)?;
        out_of("maxConc", f64::from(self.max_conc), 1.0, 1000.0)?;
        out_of("timeoutMs", self.timeout_ms as f64, 10.0, 1e9)?;
        out_of("intervalMs", self.interval_ms as f64, 10.0, 1e9)?;
        for (field, list, low, high) in [
            ("rate", &self.rate, 1e-3, 1e7),
            ("svcUs", &self.svc_us, 0.0, 1e9),
            ("svc2Us", &self.svc2_us, 0.0, 1e9),
        ] {
            if list.is_empty() {
                return Err(CheckpointError::EmptyList { field: field.to_owned() });
            }
            list.iter().try_for_each(|value| out_of(field, *value, low, high))?;
        }
        for value in self.op_weight.iter().flatten() {
            out_of("opWeight", *value, 0.0, 1e9)?;
        }
        if self.op_weight.as_ref().is_some_and(|it| it.iter().sum::<f64>() <= 0.0) {
            return Err(CheckpointError::EmptyList { field: "opWeight".to_owned() });
        }
        let seconds =
            if self.periodic { self.periodic_run_ms } else { self.settle_ms } as f64 / 1e3;
        let rates = self.rate.iter().sum::<f64>() / self.rate.len() as f64;
        out_of("rate", rates * f64::from(self.sources) * seconds, 0.0, MAX_RECORDS)?;
        let overtakes = matches!(mode, Mode::Timeout | Mode::Unaligned);
        match overtakes && self.max_conc > 1 {
            true => Err(CheckpointError::ConcurrentUnaligned { field: "maxConc".to_owned() }),
            false => Ok(()),
        }
    }
}

fn vertex(name: &str, parallelism: u32) -> Vertex {
    Vertex {
        name: name.to_owned(),
        parallelism,
        source: None,
        service: vec![ServiceTime::Constant { mean_us: 0.0 }],
        selectivity: 1.0,
        sync_part: SimTime::ZERO,
        async_part: SimTime::ZERO,
        async_slow_first: 0,
        state_bytes: vec![0.0],
        changed_bytes: vec![0.0],
    }
}
