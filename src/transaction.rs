//! Whether records reach Kafka exactly once: the transaction protocol between a Flink job, the
//! transaction coordinator and the readers, as one transition relation.
//!
//! [`play_transactions`] plays one scenario with the clock: settings, faults where the user placed
//! them, and what becomes of each record. [`Exploration`] tries all orders of steps and faults.
//!
//! Source: Kafka 4.x and flink-connector-kafka 5.1; each file names its classes. Compared with
//! scenarios worked out from those sources; none was run on a cluster.

mod coordinator;
mod driver;
mod event;
mod faults;
mod inequality;
mod ledger;
mod names;
mod naming;
mod play_answer;
mod recovery;
mod relation;
mod schedule;
mod state;
mod task;
mod tell;
mod verdict;

#[cfg(all(test, not(target_arch = "wasm32")))]
mod scenarios;

pub mod error;
pub mod explorer;
pub mod params;
pub mod report;

pub use error::TransactionError;
pub use explorer::{Exploration, ExploreParams};
pub use params::PlayParams;
pub use play_answer::play_transactions;
pub use report::TransactionReport;
