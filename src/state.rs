//! What does keyed state cost in memory, on disk and in checkpoints, on either backend?
//!
//! A workload (keys, types, how often they change) and a configuration go in; out come bytes by
//! part, the share of the memory that the configuration derives, and the number of keys at which
//! the answer changes. Every constant is a layout or an option of Flink, or an [`assumptions`] entry
//! that the reader can change.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `RocksDBMemoryControllerUtils`, `CopyOnWriteStateTable`.

pub mod access;
pub mod assumptions;
pub mod chance;
pub mod comparison;
pub mod error;
pub mod heap;
pub mod incremental;
pub mod layout;
pub mod params;
pub mod place;
pub mod restore;
pub mod rocksdb;
pub mod sizes;
pub mod slots;
pub mod snapshot;
pub mod sst;
pub mod table;
pub mod ttl;

mod comparison_answer;
mod heap_answer;
mod heap_notice;
mod ttl_answer;

pub use comparison_answer::{ComparisonReport, compare_backends};
pub use heap_answer::{HeapReport, heap_state};
pub use params::{CompareParams, HeapParams, TtlParams};
pub use ttl_answer::{TtlPoint, TtlReport, ttl_growth};
