//! Which memory of the derived TaskManager does keyed state live in, and which option moves it?
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `TaskExecutorProcessSpec` (task heap, managed memory),
//! `KeyGroupRangeAssignment` (key groups of a subtask); HotSpot of Java 17, `Arguments::set_use_compressed_oops`
//! (references take 8 bytes from a heap of 32 GiB on).
//!
//! # Deviations
//! JVM flags in `env.java.opts` are not read; heap flags there would change what is derived here.

use super::error::StateError;
use super::heap::times;
use super::layout::Heap;
use super::params::Workload;
use crate::config::size::config_text;
use crate::finding::Change;
use crate::memory::boundary;
use crate::memory::options::{OptionDef, tm};
use crate::memory::task_manager::Route;
use crate::memory::{MemoryParams, derive_task_manager};
use crate::units::Bytes;

/// From this heap on the JVM stores references in 8 bytes.
pub const COMPRESSED_OOPS_BELOW: Bytes = Bytes::gib(32);

/// The memory that state of one operator finds on a TaskManager.
#[derive(Debug, Clone)]
pub struct Place {
    memory: MemoryParams,
    /// Task heap of the process.
    pub task_heap: Bytes,
    /// Heap of the JVM, `-Xmx`.
    pub jvm_heap: Bytes,
    /// Managed memory of the process.
    pub managed: Bytes,
    /// Managed memory of one slot.
    pub managed_per_slot: Bytes,
    /// Slots of the process.
    pub slots: u64,
    /// Subtasks of the operator on one process: one a slot.
    pub subtasks: u64,
    /// How references are stored.
    pub heap: Heap,
    knob: (OptionDef, Bytes),
}

impl Place {
    /// Derives the TaskManager and puts the workload on it.
    pub fn derive(memory: MemoryParams, workload: &Workload) -> Result<Self, StateError> {
        let report = derive_task_manager(&memory)?.value;
        let slots = u64::try_from(report.num_slots).unwrap_or(1).max(1);
        let managed_per_slot = report.managed.get() / i64::try_from(slots).unwrap_or(1);
        let knob = match report.route {
            Route::TotalProcess => (tm::PROCESS, report.total_process),
            Route::TotalFlink => (tm::FLINK, report.total_flink),
            Route::FineGrained => (tm::TASK_HEAP, report.task_heap),
        };
        let derived = report.jvm_heap < COMPRESSED_OOPS_BELOW;
        Ok(Self {
            memory,
            task_heap: report.task_heap,
            jvm_heap: report.jvm_heap,
            managed: report.managed,
            managed_per_slot: Bytes::new(managed_per_slot),
            slots,
            subtasks: slots.min(u64::from(workload.parallelism)),
            heap: Heap { compressed_oops: workload.compressed_oops.unwrap_or(derived) },
            knob,
        })
    }

    /// Bytes of one subtask times the subtasks on the process.
    pub fn all_subtasks(&self, one: Bytes) -> Result<Bytes, StateError> {
        times(self.subtasks, one.get().unsigned_abs())
    }

    /// The option that sizes task heap here.
    pub const fn knob(&self) -> &'static str {
        self.knob.0.key
    }

    /// The least size of the knob that gives at least so much task heap.
    pub fn raised(&self, task_heap: Bytes) -> Option<Change> {
        let enough = |changed: &MemoryParams| {
            boundary::task_manager(changed)
                .is_some_and(|spec| spec.pools.task_heap.bytes >= task_heap)
        };
        let found = boundary::lowest(&self.memory, self.knob.0, self.knob.1, enough)?;
        Some(Change::set(self.knob.0.key, config_text(found.whole)))
    }

    /// Task heap without managed memory, where that gives more.
    pub fn without_managed(&self) -> Option<(Change, Bytes)> {
        let mut memory = self.memory.clone();
        memory.set(tm::MANAGED.key, "0");
        let task_heap = boundary::task_manager(&memory)?.pools.task_heap.bytes;
        (task_heap > self.task_heap).then(|| (Change::set(tm::MANAGED.key, "0"), task_heap))
    }
}
