//! How long a checkpoint takes, and what it holds: barriers through a job at the level of buffers.
//!
//! A deterministic simulation of discrete events: sources, operators, credits, buffers, barriers and
//! the coordinator. The same job and seed give the same facts, however the run is sliced.
//!
//! Source: Flink 1.20.5; each file names its classes. Compared with checkpoints measured on a local
//! cluster of 1.20.5 by `cargo xtask fit`.

pub mod after_failure;
pub mod channel;
pub mod closed_form;
pub mod coordinator;
pub mod debloat;
pub mod detection;
pub mod edges;
pub mod error;
pub mod facts;
pub mod import;
pub mod job;
pub mod latency;
pub mod measures;
pub mod moment;
pub mod network;
pub mod params;
pub mod progress;
pub mod queue;
pub mod random;
pub mod record;
pub mod recovery;
pub mod report;
pub mod restart;
pub mod scenario;
pub mod simulation;
pub mod stepper;
pub mod task;
pub mod time;
pub mod timeline;
pub mod turn;
pub mod upload;
pub mod verdict;
pub mod what_if;

mod answer;
mod barrier;
mod batch;
mod cancel;
mod lifecycle;
mod notices;
mod quiet;
mod tracker;
mod wiring;

#[cfg(all(test, not(target_arch = "wasm32")))]
mod properties;
#[cfg(test)]
mod samples;

pub use answer::{simulate, simulate_scenario};
pub use closed_form::{ClosedFormReport, closed_form};
pub use error::CheckpointError;
pub use params::{CheckpointParams, Mode, Topology};
pub use report::CheckpointReport;
pub use scenario::Scenario;
pub use simulation::{Progress, Simulation};
pub use time::SimTime;
pub use what_if::{WhatIf, WhatIfParams};
