//! The knobs of a scenario whose limit is looked for: what each is now, in which range it is tried, and
//! the scenario with another value.
//!
//! Source: Flink 1.20.5, CheckpointConfig (an interval of at least 10 ms) for the range of the
//! interval; the other ranges are ours.

use serde::{Deserialize, Serialize};

use super::search::Axis;
use crate::checkpoint::job::Exchange;
use crate::checkpoint::random::ServiceTime;
use crate::checkpoint::scenario::{Scenario, Skew};

/// How far up and down a number is tried, as a multiple of what it is.
const TIMES: f64 = 64.0;
/// The longest service time that is tried where a scenario has none [µs], a second.
const SERVICE_US: f64 = 1e6;
/// Flink's least interval [ms], `CheckpointConfig.MINIMAL_CHECKPOINT_TIME`.
const INTERVAL_MS: f64 = 10.0;

/// A number of the scenario that may be another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Knob {
    /// How long a source blocks its thread.
    Lag,
    /// The share of the records that the busiest subtask gets.
    Skew,
    /// Time for a record in the busiest vertex.
    ServiceTime,
    /// What all sources offer.
    SourceRate,
    /// Keyed state of the largest subtask.
    StateBytes,
    /// What carries state to the storage.
    UploadBandwidth,
    /// execution.checkpointing.interval.
    Interval,
}

/// All of them, in the order in which they are tried.
pub const KNOBS: [Knob; 7] = [
    Knob::Lag,
    Knob::Skew,
    Knob::ServiceTime,
    Knob::SourceRate,
    Knob::StateBytes,
    Knob::UploadBandwidth,
    Knob::Interval,
];

/// A knob of a scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// Which.
    pub knob: Knob,
    /// What of the scenario it moves, in words.
    pub what: String,
    /// Its values.
    pub axis: Axis,
    /// A vertex or an edge.
    at: usize,
}

impl Knob {
    /// Unit of its values.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Lag | Self::Interval => "ms",
            Self::Skew => "share",
            Self::ServiceTime => "µs",
            Self::SourceRate => "records/s",
            Self::StateBytes => "B",
            Self::UploadBandwidth => "B/s",
        }
    }

    /// The option, where it is one.
    pub fn option(self) -> Option<&'static str> {
        (self == Self::Interval).then_some("execution.checkpointing.interval")
    }

    /// Where it is in a scenario, or why there is none. `busiest` is the vertex with the least time to
    /// spare, `limit_ms` the time that breaks the promise.
    pub fn place(
        self,
        scenario: &Scenario,
        busiest: usize,
        limit_ms: f64,
    ) -> Result<Place, &'static str> {
        let name = |vertex: usize| &scenario.vertices[vertex].name;
        let (what, at, axis) = match self {
            Self::Lag => {
                let source = source_with_most_lag(scenario).ok_or("The job has no source.")?;
                let lags = scenario.vertices[source].source.iter().flat_map(|it| &it.lag_ms);
                let current = lags.max().copied().unwrap_or(0) as f64;
                let high = (limit_ms * 2.0).max(current);
                let step = (limit_ms / TIMES).round().max(1.0);
                let what = format!("the lag of {}", name(source));
                (what, source, axis(current, 0.0, high, step, true))
            }
            Self::Skew => {
                let edge = skewed_edge(scenario)
                    .ok_or("No hash exchange leads to more than one subtask.")?;
                let to = scenario.edges[edge].to;
                let shares = shares_of(scenario, edge);
                let even = 1.0 / shares.len() as f64;
                let current = shares.iter().copied().fold(0.0, f64::max);
                let what = format!("the share of the busiest subtask of {}", name(to));
                (what, edge, axis(current, even, 1.0, even, false))
            }
            Self::ServiceTime => {
                let slowest = scenario.vertices[busiest].service.iter().map(|it| it.mean_us());
                let current = slowest.fold(0.0, f64::max);
                let high = (current * TIMES).max(SERVICE_US);
                let what = format!("the service time of {}", name(busiest));
                (what, busiest, axis(current, 0.0, high, 1.0, false))
            }
            Self::SourceRate => {
                let current = offered(scenario);
                if current <= 0.0 {
                    return Err("No source offers a record.");
                }
                let what = "what all sources offer, bursts aside".to_owned();
                // A job that is flooded has to be offered far less before its queues are empty.
                (what, 0, axis(current, current / TIMES.powi(2), current * TIMES, 0.0, false))
            }
            Self::StateBytes => {
                let states = scenario.vertices.iter().flat_map(|it| &it.state.bytes);
                let current = states.copied().fold(0.0, f64::max);
                if current <= 0.0 {
                    return Err("No vertex has state.");
                }
                if scenario.checkpointing.upload.is_none() {
                    return Err("Writing state takes no time: the scenario has no upload link.");
                }
                let what = "the state of the largest subtask, all others in proportion".to_owned();
                (what, 0, axis(current, 0.0, current * TIMES, current / TIMES, false))
            }
            Self::UploadBandwidth => {
                let upload = scenario.checkpointing.upload;
                let current = upload.ok_or("The scenario has no upload link.")?.bytes_per_second;
                let what = "the bandwidth of each upload link".to_owned();
                let (low, high) = (current / TIMES, current * TIMES);
                (what, 0, Axis { up_is_worse: false, ..axis(current, low, high, 0.0, false) })
            }
            Self::Interval => {
                let current = scenario.checkpointing.interval_ms as f64;
                let what = "the checkpoint interval".to_owned();
                let high = (current * TIMES).min(scenario.run_ms as f64).max(current);
                let whole = axis(current, INTERVAL_MS, high, INTERVAL_MS, true);
                (what, 0, Axis { up_is_worse: false, ..whole })
            }
        };
        Ok(Place { knob: self, what, axis, at })
    }
}

fn axis(current: f64, low: f64, high: f64, step: f64, whole: bool) -> Axis {
    Axis { current, low, high, step, whole, up_is_worse: true }
}

impl Place {
    /// The scenario with another value.
    pub fn set(&self, scenario: &Scenario, value: f64) -> Scenario {
        let mut scenario = scenario.clone();
        let factor = if self.axis.current > 0.0 { value / self.axis.current } else { 0.0 };
        match self.knob {
            Knob::Lag => set_lag(&mut scenario, self.at, self.axis.current, value),
            Knob::Skew => {
                let weights = with_share(&shares_of(&scenario, self.at), value);
                scenario.edges[self.at].skew = Skew::Weights { weights };
            }
            Knob::ServiceTime if self.axis.current > 0.0 => {
                for it in &mut scenario.vertices[self.at].service {
                    *it = scaled(*it, factor);
                }
            }
            Knob::ServiceTime => {
                let service = ServiceTime::Constant { mean_us: value };
                scenario.vertices[self.at].service = vec![service];
            }
            Knob::SourceRate => {
                let sources = scenario.vertices.iter_mut().filter_map(|it| it.source.as_mut());
                sources.flat_map(|it| &mut it.rate).for_each(|rate| *rate *= factor);
            }
            Knob::StateBytes => {
                for it in &mut scenario.vertices {
                    let all = it.state.bytes.iter_mut().chain(&mut it.state.changed_bytes);
                    all.for_each(|bytes| *bytes *= factor);
                }
            }
            Knob::UploadBandwidth => {
                if let Some(upload) = &mut scenario.checkpointing.upload {
                    upload.bytes_per_second = value;
                }
            }
            Knob::Interval => scenario.checkpointing.interval_ms = value as u64,
        }
        scenario
    }
}

/// Lags in proportion; where there is none, that of the first subtask.
fn set_lag(scenario: &mut Scenario, vertex: usize, current: f64, value: f64) {
    let parallelism = scenario.vertices[vertex].parallelism as usize;
    let Some(source) = &mut scenario.vertices[vertex].source else { return };
    if current > 0.0 {
        let scale = |lag: u64| (lag as f64 * value / current).round() as u64;
        source.lag_ms.iter_mut().for_each(|lag| *lag = scale(*lag));
    } else {
        source.lag_ms = vec![0; parallelism];
        source.lag_ms[0] = value as u64;
    }
}

fn scaled(service: ServiceTime, factor: f64) -> ServiceTime {
    match service {
        ServiceTime::Constant { mean_us } => ServiceTime::Constant { mean_us: mean_us * factor },
        ServiceTime::Exponential { mean_us } => {
            ServiceTime::Exponential { mean_us: mean_us * factor }
        }
        ServiceTime::Lognormal { mean_us, sigma } => {
            ServiceTime::Lognormal { mean_us: mean_us * factor, sigma }
        }
    }
}

/// Shares of the receiving subtasks; even ones where the scenario cannot be simulated.
fn shares_of(scenario: &Scenario, edge: usize) -> Vec<f64> {
    let count = scenario.vertices[scenario.edges[edge].to].parallelism as usize;
    let mut shares = scenario.job().map(|it| it.edges[edge].shares.clone()).unwrap_or_default();
    if shares.is_empty() {
        shares.push(1.0);
    }
    let all: Vec<f64> = shares.into_iter().cycle().take(count).collect();
    let sum: f64 = all.iter().sum();
    all.iter().map(|it| it / sum).collect()
}

/// Records a second of all source subtasks.
fn offered(scenario: &Scenario) -> f64 {
    let sources =
        scenario.vertices.iter().filter_map(|it| Some((it.parallelism, it.source.as_ref()?)));
    let each = sources.map(|(parallelism, it)| {
        let count = it.partitions.unwrap_or(parallelism) as usize;
        it.rate.iter().cycle().take(count).sum::<f64>()
    });
    each.sum()
}

/// The largest share becomes another, the others keep their proportions.
fn with_share(shares: &[f64], share: f64) -> Vec<f64> {
    let busiest = busiest_of(shares);
    let rest = 1.0 - shares[busiest];
    let others = shares.len() as f64 - 1.0;
    let other = |it: f64| match rest > 0.0 {
        true => it / rest * (1.0 - share),
        false => (1.0 - share) / others,
    };
    let weights = shares.iter().enumerate();
    weights.map(|(place, it)| if place == busiest { share } else { other(*it) }).collect()
}

fn busiest_of(shares: &[f64]) -> usize {
    let places = 0..shares.len();
    places.fold(0, |most, it| if shares[it] > shares[most] { it } else { most })
}

fn source_with_most_lag(scenario: &Scenario) -> Option<usize> {
    let sources = (0..scenario.vertices.len()).rev();
    let most =
        |place: &usize| scenario.vertices[*place].source.iter().flat_map(|it| &it.lag_ms).max();
    sources.filter(|it| scenario.vertices[*it].source.is_some()).max_by_key(|it| most(it).copied())
}

/// The first hash exchange to several subtasks.
fn skewed_edge(scenario: &Scenario) -> Option<usize> {
    scenario
        .edges
        .iter()
        .position(|it| it.exchange == Exchange::Hash && scenario.vertices[it.to].parallelism > 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkpoint::samples;

    fn place(knob: Knob, scenario: &Scenario) -> Place {
        knob.place(scenario, 1, 5000.0).expect("the scenario has it")
    }

    #[test]
    fn every_knob_sets_what_it_reads() {
        let mut scenario = samples::scenario();
        scenario.vertices[1].parallelism = 4;
        scenario.vertices[1].state.bytes = vec![1e6, 2e6];
        scenario.checkpointing.upload = Some(crate::checkpoint::job::UploadLink {
            bytes_per_second: 1e6,
            per: crate::checkpoint::job::UploadPer::Slot,
        });
        for knob in KNOBS {
            let here = place(knob, &scenario);
            let value = (here.axis.current * 2.0).max(here.axis.step);
            let moved = here.set(&scenario, value);
            let there = place(knob, &moved).axis.current;
            assert!((there - value).abs() < value * 1e-9, "{knob:?}: {there} instead of {value}");
            let others = KNOBS.into_iter().filter(|it| *it != knob);
            for other in others {
                let (before, after) = (place(other, &scenario), place(other, &moved));
                let moved = (before.axis.current - after.axis.current).abs();
                assert!(moved < 1e-9, "{knob:?} moved {other:?}");
            }
        }
    }

    #[test]
    fn shares_keep_their_proportions() {
        for (shares, share, expected) in [
            (vec![0.2, 0.5, 0.3], 0.9, vec![0.04, 0.9, 0.06]),
            (vec![1.0, 0.0], 0.5, vec![0.5, 0.5]),
        ] {
            let weights = with_share(&shares, share);
            let exact = |(weight, exact): (&f64, &f64)| (weight - exact).abs() < 1e-12;
            assert!(weights.iter().zip(&expected).all(exact), "{weights:?}");
        }
    }

    #[test]
    fn what_a_scenario_lacks_is_said() {
        let scenario = samples::scenario();
        for knob in [Knob::Skew, Knob::StateBytes, Knob::UploadBandwidth] {
            assert!(knob.place(&scenario, 1, 5000.0).is_err(), "{knob:?}");
        }
    }
}
