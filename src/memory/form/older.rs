//! Which keys of before Flink 1.10 does a version still have?
//!
//! Source: Flink 1.18.1, 1.20.5, `MemoryBackwardsCompatibilityUtils`,
//! `NettyShuffleEnvironmentOptions#NETWORK_NUM_BUFFERS`.

use super::{FieldKind, FormParams, Older, Row, SIZE};
use crate::memory::legacy::{self, LegacyHeap};
use crate::memory::options::{OptionDef, tm};
use crate::memory::params::Role;

const GROUP: &str = "Older keys";

/// What becomes of the key; `None` for the keys of today.
pub fn fate(option: &OptionDef) -> Option<Older> {
    let heaps = [legacy::TASK_MANAGER, legacy::JOB_MANAGER];
    if heaps.iter().any(|heap| [heap.size, heap.mb].contains(option)) {
        Some(Older::Mapped)
    } else if *option == tm::NETWORK_BUFFERS {
        Some(Older::Read)
    } else {
        None
    }
}

/// The class that reads the key, where it is not the one of today's options.
pub fn reader(option: &OptionDef) -> Option<&'static str> {
    match fate(option)? {
        Older::Mapped => Some("MemoryBackwardsCompatibilityUtils"),
        Older::Read => Some("NettyShuffleEnvironmentOptions"),
    }
}

/// The older keys of a process; none from 2.2 on.
pub fn rows(params: &FormParams) -> Vec<Row> {
    if !legacy::maps_heap(params.version) {
        return Vec::new();
    }
    match params.role {
        Role::TaskManager => {
            let mut rows = heap_rows(
                &legacy::TASK_MANAGER,
                "The start script makes it the total Flink memory, where that is not set.",
            );
            rows.push((
                tm::NETWORK_BUFFERS,
                "Network buffers",
                GROUP,
                FieldKind::Integer,
                "Times the segment size it is the network memory, where no option of the network is set.",
                "a whole number from 0",
                None,
            ));
            rows
        }
        Role::JobManager => heap_rows(
            &legacy::JOB_MANAGER,
            "The start script makes it the JVM heap, where that is not set.",
        ),
    }
}

fn heap_rows(heap: &LegacyHeap, hint: &'static str) -> Vec<Row> {
    let mib = "a whole number of MiB from 0";
    vec![
        (heap.size, "Heap size", GROUP, FieldKind::Size, hint, SIZE, None),
        (heap.mb, "Heap size in MiB", GROUP, FieldKind::Integer, hint, mib, None),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::form;
    use super::*;
    use crate::units::FlinkVersion;

    fn older(version: FlinkVersion, role: Role) -> Vec<(&'static str, Older)> {
        let fields = form(&FormParams { version, role });
        fields.iter().filter_map(|field| Some((field.option, field.older?))).collect()
    }

    #[test]
    fn older_keys_come_with_the_versions_that_have_them() {
        let heap =
            [("taskmanager.heap.size", Older::Mapped), ("taskmanager.heap.mb", Older::Mapped)];
        let buffers = ("taskmanager.network.numberOfBuffers", Older::Read);
        for version in [FlinkVersion::V1_18, FlinkVersion::V1_20] {
            assert_eq!(older(version, Role::TaskManager), [heap[0], heap[1], buffers]);
            assert_eq!(older(version, Role::JobManager).len(), 2);
        }
        assert_eq!(older(FlinkVersion::V2_2, Role::TaskManager), []);
        assert_eq!(older(FlinkVersion::V2_2, Role::JobManager), []);
    }

    #[test]
    fn totals_and_pools_stay_in_sight() {
        let params = FormParams { version: FlinkVersion::V1_20, role: Role::TaskManager };
        let mut common: Vec<_> =
            form(&params).iter().filter(|field| field.common).map(|field| field.group).collect();
        common.dedup();
        assert_eq!(common, ["Totals", "Pools"]);
    }
}
