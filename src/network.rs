//! How many network buffers does a job need, and how many does it want?
//!
//! A job goes in as stages and the exchanges between them, or as tasks that were counted already;
//! out come the buffers of every gate and result partition, their sum on the fullest TaskManager
//! that the scheduler can make, and whether the TaskManager's pool holds it.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `NettyShuffleUtils`, `NetworkBufferPool`.

pub mod error;
pub mod gate;
pub mod options;
pub mod params;
pub mod partition;
pub mod pool;
pub mod report;
pub mod topology;

mod advice;
mod network_answer;

pub use network_answer::network_buffers;
pub(crate) use network_answer::{demand, knob};
pub use params::{NetworkJob, NetworkParams};
pub use report::NetworkReport;
