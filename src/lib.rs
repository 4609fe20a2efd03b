//! Weir answers questions about the state architecture of Apache Flink and Kafka pipelines with
//! Flink's own numbers. Each question is a pure function: one params struct in, one report out,
//! findings beside the values.
//!
//! Modules, lowest layer first. A module uses only modules above it in this list.
//!
//! - [`units`]: sizes, durations and Flink versions as types, printed as Flink prints them.
//! - [`finding`]: what a calculation noticed beside its result, and why one was refused.
//! - [`config`]: the option table, and config files read as each Flink version reads them.
//! - [`memory`]: where the bytes of a TaskManager or JobManager go.
//! - [`reading`]: what a pasted text is, and which settings it stands for.
//! - [`network`]: the network buffers a job needs and wants.
//! - [`state`]: what keyed state costs on either backend.
//! - [`panel`]: what a panel of the page asks, and how two of its answers differ.
//! - [`stream`]: where events come from, and how far out of order they are.
//! - [`key_group`]: which subtask a key goes to.
//! - [`event_time`]: watermarks and windows, record by record and ten million at a time.
//! - [`checkpoint`]: barriers through a job, buffer by buffer, and when the next one is triggered.
//! - [`transaction`]: exactly-once delivery into Kafka, its timeouts, settings and texts.
//! - [`charts`]: SVG drawings of reports.
//! - `web`: the boundary to JavaScript, on wasm32 only.

pub mod units;

pub mod finding;

pub mod config;

pub mod memory;

pub mod reading;

pub mod network;

pub mod state;

pub mod panel;

pub mod stream;

pub mod key_group;

pub mod event_time;

pub mod checkpoint;

pub mod transaction;

pub mod charts;

#[cfg(target_arch = "wasm32")]
pub mod web;
