//! The option table, and config files read as each Flink version reads them.

pub mod number;
pub mod size;
