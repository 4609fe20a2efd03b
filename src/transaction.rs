//! Exactly-once delivery into Kafka. [`play_transactions`] plays one scenario with the clock: settings,
//! faults where the user placed them, and what becomes of each record, by one transition relation
//! between a Flink job, the transaction coordinator and the readers. Beside it stand what a setting of the
//! two-phase commit survives ([`timeouts`]), which settings break it ([`lints`]), and what the texts say
//! that people have when it is broken ([`read`]).
//!
//! [`Exploration`] tries all orders of the relation's steps and of faults.
//!
//! Source: flink-connector-kafka 3.x to 5.1 (`KafkaSink`, `KafkaCommitter`), Kafka 4.x
//! (`TransactionCoordinator`, `TransactionStateManager`); each file names its classes. Compared with
//! scenarios worked out from those sources; none was run on a cluster.

mod attempt;
mod coordinator;
mod course;
mod driver;
mod event;
mod faults;
mod inequality;
mod ledger;
mod log;
mod names;
mod naming;
mod play_answer;
mod recovery;
mod relation;
mod schedule;
mod state;
pub mod strain;
mod task;
mod tell;
mod verdict;

#[cfg(all(test, not(target_arch = "wasm32")))]
mod any_scenario;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod scenarios;

pub mod connector;
pub mod error;
pub mod explorer;
pub mod fault;
pub mod lengths;
pub mod lints;
pub mod moment;
pub mod params;
pub mod read;
pub mod refusal;
pub mod report;
pub mod timeouts;

pub use course::Course;
pub use error::TransactionError;
pub use explorer::{Exploration, ExploreParams};
pub use params::PlayParams;
pub use play_answer::play_transactions;
pub use report::TransactionReport;
