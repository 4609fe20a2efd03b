//! Exactly-once delivery into Kafka: what a setting of the two-phase commit survives, which settings
//! break it, and what the texts say that people have when it is broken.
//!
//! Source: flink-connector-kafka 3.x to 5.x (`KafkaSink`, `KafkaCommitter`), Kafka 4.0
//! (`TransactionCoordinator`, `TransactionStateManager`); each file names its classes.

pub mod connector;
pub mod lengths;
pub mod lints;
pub mod read;
pub mod refusal;
pub mod timeouts;
