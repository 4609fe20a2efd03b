//! How many slots can a TaskManager be divided into, and what breaks first?
//!
//! The same TaskManager is derived with 1, 2, ... slots; everything is found by deriving again.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `TaskExecutorResourceUtils` (every pool divided by the
//! slots), and the rules of `memory`, `network` and `rocksdb`.

pub mod params;
pub mod report;

mod slots_answer;

pub use params::SlotsParams;
pub use report::{SlotsReport, SlotsRow};
pub use slots_answer::slots_sweep;
