//! What does keyed state cost in memory, on disk and in checkpoints, on either backend?
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `RocksDBMemoryControllerUtils`, `CopyOnWriteStateTable`.

pub mod rocksdb;
pub mod slots;
