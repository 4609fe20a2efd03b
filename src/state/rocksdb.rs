//! How much memory does RocksDB get in a slot, and does a described workload fit into it?
//!
//! What Flink hands to RocksDB (the slot's managed memory, the share of the state backend, the
//! block cache and the write buffer manager inside it) is Flink's own to the byte. What the
//! workload then makes of it rests on assumptions, each of which has a name, a measured range and
//! can be changed.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `RocksDBMemoryControllerUtils`, `ManagedMemoryUtils`.

pub mod assumptions;
pub mod error;
pub mod goals;
pub mod managed;
pub mod options;
pub mod params;
pub mod report;
pub mod shared;
pub mod workload;

mod facts;
mod notice;
mod rocksdb_answer;
mod traps;
mod verdict;

pub use assumptions::RocksdbAssumptions;
pub(crate) use facts::facts;
pub use params::{RocksdbParams, RocksdbWorkload};
pub use report::RocksdbReport;
pub use rocksdb_answer::rocksdb_memory;
pub(crate) use traps::storms;
