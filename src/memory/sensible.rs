//! Which process is the smallest that one can work in, rather than the smallest that starts?
//!
//! A process starts with a heap of a few KiB. For a JobManager Flink itself names the heap below which
//! it warns. For a TaskManager it names none; chosen here is as much heap for tasks as the framework
//! keeps for itself, and the answer says so.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `JobManagerOptions.MIN_JVM_HEAP_SIZE`,
//! `TaskManagerOptions.FRAMEWORK_HEAP_MEMORY`; the value comes from deriving again.

use super::backwards::End;
use super::boundary;
use super::job_manager::MIN_HEAP;
use super::options::OptionDef;
use super::params::{MemoryParams, Role, job_manager_spec};
use super::trace::Trace;
use crate::config::size::config_text;
use crate::units::Bytes;

/// What counts as room to work in.
pub(super) const fn meaning(role: Role) -> &'static str {
    match role {
        Role::TaskManager => {
            "Task heap is at least as large as framework heap. Flink names no such size; this is a choice."
        }
        Role::JobManager => "JVM heap is at least 128m; below it Flink logs a warning.",
    }
}

fn is_sensible(role: Role, params: &MemoryParams) -> bool {
    match role {
        Role::TaskManager => boundary::task_manager(params)
            .is_some_and(|spec| spec.pools.task_heap.bytes >= spec.pools.framework_heap.bytes),
        Role::JobManager => {
            job_manager_spec(params, &mut Trace::silent(), |spec, _, _| spec.heap.bytes >= MIN_HEAP)
                .unwrap_or(false)
        }
    }
}

/// The smallest total, searched upwards from one that starts.
pub(super) fn smallest(
    role: Role,
    params: &MemoryParams,
    process: OptionDef,
    near: Bytes,
) -> Option<End> {
    let found = boundary::lowest(params, process, near, |changed| is_sensible(role, changed))?;
    let whole = (found.whole.get() % Bytes::mib(1).get() == 0).then(|| config_text(found.whole));
    Some(End { text: config_text(found.bytes), bytes: Some(found.bytes), whole })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::options::{jm, tm};
    use crate::units::FlinkVersion;

    #[test]
    fn one_byte_less_is_not_sensible() {
        for (role, process, whole) in
            [(Role::TaskManager, tm::PROCESS, "1217m"), (Role::JobManager, jm::PROCESS, "704m")]
        {
            let params = MemoryParams::new(FlinkVersion::V1_20);
            let end = smallest(role, &params, process, Bytes::mib(1)).expect("some process is");
            assert_eq!(end.whole.as_deref(), Some(whole));
            let bytes = end.bytes.expect("a size").get();
            let holds = |bytes| {
                is_sensible(role, &boundary::with_size(&params, &process, Bytes::new(bytes)))
            };
            assert!(holds(bytes) && !holds(bytes - 1));
        }
    }
}
