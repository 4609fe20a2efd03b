//! Watermarks, windows and late records, as Flink's window operator treats them.

pub mod run;
