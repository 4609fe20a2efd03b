//! The shape of a sweep over slots. Reports are plain data.

use serde::Serialize;

use crate::finding::Severity;
use crate::units::{Bytes, FlinkVersion};

/// What a number of slots breaks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SlotProblem {
    /// A stable name.
    pub code: String,
    /// How much it matters.
    pub severity: Severity,
    /// What is so, with its number.
    pub title: String,
}

/// A TaskManager with so many slots; `None` where it does not start or was not asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SlotsRow {
    /// The number of slots.
    pub slots: u32,
    /// Task heap of a slot.
    pub task_heap: Option<Bytes>,
    /// Managed memory of a slot.
    pub managed: Option<Bytes>,
    /// Network memory of a slot.
    pub network: Option<Bytes>,
    /// RocksDB's memory in a slot; its part where the TaskManager shares one.
    pub rocksdb: Option<Bytes>,
    /// RocksDB's block cache in a slot; its part where the TaskManager shares one.
    pub cache: Option<Bytes>,
    /// Network buffers of a slot.
    pub buffers: Option<i64>,
    /// Network buffers that a slot requires on the fullest TaskManager, rounded up.
    pub buffers_required: Option<i64>,
    /// What breaks, gravest first.
    pub problems: Vec<SlotProblem>,
}

/// Answer of `slotsSweep`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SlotsReport {
    /// The version asked for.
    pub version: FlinkVersion,
    /// The patch release whose recorded answers the numbers equal.
    pub checked_on: &'static str,
    /// One sentence: how many slots, and what breaks beyond.
    pub verdict: String,
    /// The slots of the configuration, if they can be read.
    pub configured: Option<i32>,
    /// The first number of slots at which something breaks that did not at one less.
    pub first_broken: Option<u32>,
    /// One row for each number of slots.
    pub rows: Vec<SlotsRow>,
    /// What these numbers leave out.
    pub not_modelled: Vec<&'static str>,
}
