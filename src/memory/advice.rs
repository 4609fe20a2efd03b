//! What to do about each component, and the verdict in one sentence, with numbers that are derived
//! again rather than estimated.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `TaskExecutorProcessSpec` and `JobManagerProcessSpec` (what lives where),
//! `ProcessMemoryUtils#generateJvmParametersStr` (what caps it).

use std::collections::BTreeMap;

use super::job_manager::Route as JobRoute;
use super::job_manager_answer::Situation as JobManager;
use super::options::{jm, tm};
use super::settings::Settings;
use super::task_manager::Route;
use super::task_manager_answer::Situation;
use super::trace::{end_text, exact, held};
use crate::units::Bytes;

/// The verdict on a TaskManager: the number, the knob, the boundary.
pub(super) fn task_manager_verdict(situation: &Situation<'_>) -> String {
    let spec = &situation.spec;
    let (process, task_heap, managed) =
        (spec.total_process(), spec.pools.task_heap.bytes, spec.pools.managed.bytes);
    if situation.container.headroom < Bytes::ZERO {
        return container_verdict(
            "TaskManager",
            situation.container.limit,
            process,
            tm::PROCESS.key,
        );
    }
    let lead = if task_heap == Bytes::ZERO {
        "It starts, but task heap is 0 B: user code lives on the heap that Flink keeps for itself."
            .to_owned()
    } else {
        format!(
            "Task heap is {task_heap} and managed memory {managed}, of {process} for the whole process."
        )
    };
    match (&situation.smallest, spec.route) {
        (Some(smallest), _) => format!(
            "{lead} {} decides: below {} Flink refuses to start it.",
            smallest.option.key,
            end_text(smallest.bytes, smallest.whole)
        ),
        (None, Route::FineGrained) => format!(
            "{lead} Task heap and managed memory are set, so the container must hold {}.",
            held(process)
        ),
        (None, _) => lead,
    }
}

/// The verdict on a JobManager.
pub(super) fn job_manager_verdict(situation: &JobManager<'_>) -> String {
    let spec = &situation.spec;
    let process = spec.total_process();
    if situation.container.headroom < Bytes::ZERO {
        let key = match spec.route {
            JobRoute::Heap => jm::HEAP.key,
            JobRoute::TotalFlink => jm::FLINK.key,
            JobRoute::TotalProcess => jm::PROCESS.key,
        };
        return container_verdict("JobManager", situation.container.limit, process, key);
    }
    let lead = format!(
        "JVM heap is {} and off-heap memory {}, of {process} for the whole process.",
        spec.heap.bytes, spec.off_heap.bytes
    );
    match &situation.smallest {
        Some(smallest) => format!(
            "{lead} {} decides: below {} Flink refuses to start it.",
            smallest.option.key,
            end_text(smallest.bytes, smallest.whole)
        ),
        None => format!("{lead} The container must hold {}.", held(process)),
    }
}

fn container_verdict(who: &str, limit: Bytes, process: Bytes, key: &str) -> String {
    format!(
        "The container holds {limit}, but this {who} may use {process}: the kernel kills it when it does. Raise the limit to {}, or lower {key}.",
        held(process)
    )
}

/// The recommendation for one component of a TaskManager.
pub(super) fn task_manager_component(id: &str, situation: &Situation<'_>) -> String {
    let spec = &situation.spec;
    let pools = &spec.pools;
    let settings = Settings::new(&situation.params.config, situation.params.version);
    match id {
        "totalProcess" => {
            format!("Give the container at least {}; nothing below it is safe.", held(spec.total_process()))
        }
        "totalFlink" => match spec.route {
            Route::TotalProcess => format!(
                "Set one total only. With {} set too, JVM overhead becomes the remainder and must fit its range.",
                tm::FLINK.key
            ),
            _ => "Everything but the JVM's own memory; use it where there is no container.".to_owned(),
        },
        "frameworkHeap" => framework_advice(pools.framework_heap.bytes, "heap", tm::TASK_HEAP.key),
        "frameworkOffHeap" => {
            framework_advice(pools.framework_off_heap.bytes, "off-heap", tm::TASK_OFF_HEAP.key)
        }
        "taskHeap" => task_heap_advice(situation, &settings),
        "taskOffHeap" if pools.task_off_heap.bytes == Bytes::ZERO => {
            "Set it when user code or a connector allocates direct memory; it is taken from task heap or network and raises -XX:MaxDirectMemorySize."
                .to_owned()
        }
        "taskOffHeap" => "Counts toward -XX:MaxDirectMemorySize in full, native allocations included.".to_owned(),
        "network" => network_advice(situation, &settings),
        "managed" => managed_advice(situation),
        "metaspace" => format!(
            "Raise {} on OutOfMemoryError: Metaspace; the process size stays, Flink memory shrinks.",
            tm::METASPACE.key
        ),
        _ => format!(
            "Thread stacks, code cache, native libraries. If the container is killed while the heap is fine, raise {}.",
            tm::OVERHEAD_MIN.key
        ),
    }
}

fn framework_advice(bytes: Bytes, what: &str, task_key: &str) -> String {
    let default = Bytes::mib(128);
    if bytes == default {
        format!("Leave at 128m: it is Flink's own. For user code raise {task_key}.")
    } else {
        let (bytes, default) = (exact(bytes), exact(default));
        format!(
            "{bytes} instead of {default}: framework {what} is Flink's own; for user code raise {task_key}."
        )
    }
}

fn task_heap_advice(situation: &Situation<'_>, settings: &Settings<'_>) -> String {
    let spec = &situation.spec;
    let slots = i64::from(spec.num_slots.max(1));
    let task_heap = spec.pools.task_heap.bytes;
    let per_slot = if slots == 1 {
        String::new()
    } else {
        format!(
            " Shared by {slots} slots, {} each on average.",
            Bytes::new(task_heap.get() / slots)
        )
    };
    let lead = "User code and HashMap state live here.";
    if settings.contains(&tm::TASK_HEAP) {
        return format!("{lead}{per_slot} Set by hand; the totals must leave room for it.");
    }
    let without_managed = without_managed(situation);
    match without_managed {
        Some(more) if more > task_heap => format!(
            "{lead}{per_slot} It is what the others leave: without managed memory it would be {more}."
        ),
        _ => format!("{lead}{per_slot} It is what the others leave; raise the total to grow it."),
    }
}

/// Task heap if managed memory were given up.
pub(super) fn without_managed(situation: &Situation<'_>) -> Option<Bytes> {
    let key = managed_key(situation);
    situation.with(&[(key, "0")]).map(|spec| spec.pools.task_heap.bytes)
}

/// The option that sets managed memory here.
pub(super) fn managed_key(situation: &Situation<'_>) -> &'static str {
    let settings = Settings::new(&situation.params.config, situation.params.version);
    if settings.contains(&tm::MANAGED) { tm::MANAGED.key } else { tm::MANAGED_FRACTION.key }
}

fn network_advice(situation: &Situation<'_>, settings: &Settings<'_>) -> String {
    let network = situation.spec.pools.network.bytes;
    let segment = settings.size(&tm::SEGMENT_SIZE).map_or(Bytes::kib(32), |size| size.bytes);
    let buffers = if segment == Bytes::ZERO { 0 } else { network.get() / segment.get() };
    format!(
        "{buffers} buffers of {segment}. On \"Insufficient number of network buffers\" raise {}; all of it is allocated at start.",
        tm::NETWORK_MIN.key
    )
}

fn managed_advice(situation: &Situation<'_>) -> String {
    let managed = situation.spec.pools.managed.bytes;
    let backend = backend(&situation.params.config);
    let is_rocksdb = backend.as_deref() == Some("rocksdb");
    if managed == Bytes::ZERO {
        return if is_rocksdb {
            "RocksDB has none; give it a share, or memory of its own.".to_owned()
        } else {
            "Right for the HashMap backend; RocksDB on managed memory would have none.".to_owned()
        };
    }
    let slots = i64::from(situation.spec.num_slots);
    let each = if slots < 1 {
        String::new()
    } else {
        format!(", {} a slot", Bytes::new(managed.get() / slots))
    };
    if is_rocksdb {
        return format!(
            "RocksDB's cache and write buffers{each}; batch operators and Python share it."
        );
    }
    format!(
        "For RocksDB, batch operators and Python{each}. With the HashMap backend alone it lies idle; set {} to 0.",
        managed_key(situation)
    )
}

/// The state backend that the configuration names, in lower case.
pub(super) fn backend(config: &BTreeMap<String, String>) -> Option<String> {
    let text = config.get("state.backend.type").or_else(|| config.get("state.backend"));
    text.map(|name| name.to_lowercase())
}

/// The recommendation for one component of a JobManager.
pub(super) fn job_manager_component(id: &str, situation: &JobManager<'_>) -> String {
    let spec = &situation.spec;
    match id {
        "totalProcess" => format!("Give the container at least {}.", held(spec.total_process())),
        "totalFlink" => "Heap and off-heap; use it where there is no container.".to_owned(),
        "jvmHeap" => {
            "Job graphs, execution state, checkpoint metadata, user code at submission. Raise it with many subtasks or large jars."
                .to_owned()
        }
        "offHeap" if spec.direct_limit => {
            "Limits direct memory: -XX:MaxDirectMemorySize is set to it.".to_owned()
        }
        "offHeap" => format!(
            "Only reserved: without {} = true nothing limits direct memory.",
            jm::DIRECT_LIMIT.key
        ),
        "metaspace" => format!("Raise {} on OutOfMemoryError: Metaspace.", jm::METASPACE.key),
        _ => format!(
            "Thread stacks, code cache, native libraries. If the container is killed while the heap is fine, raise {}.",
            jm::OVERHEAD_MIN.key
        ),
    }
}

#[cfg(test)]
mod tests {
    use crate::config::size::{config_text, parse};
    use crate::memory::params::starts;
    use crate::memory::{MemoryParams, Role, derive_job_manager, derive_task_manager};
    use crate::units::{Bytes, FlinkVersion};

    #[test]
    fn a_size_below_which_flink_refuses_is_a_value_that_starts() {
        let cases = [
            (Role::TaskManager, "taskmanager.memory.process.size", "1728m"),
            (Role::TaskManager, "taskmanager.memory.process.size", "16g"),
            (Role::TaskManager, "taskmanager.memory.flink.size", "1300m"),
            (Role::JobManager, "jobmanager.memory.process.size", "1600m"),
            (Role::JobManager, "jobmanager.memory.process.size", "4000m"),
        ];
        for (version, (role, key, now)) in
            FlinkVersion::ALL.into_iter().flat_map(|v| cases.map(|case| (v, case)))
        {
            let mut params = MemoryParams::new(version);
            params.set(key, now);
            let verdict = match role {
                Role::TaskManager => derive_task_manager(&params).expect("it starts").value.verdict,
                Role::JobManager => derive_job_manager(&params).expect("it starts").value.verdict,
            };
            let (_, named) = verdict.split_once("below ").expect(&verdict);
            let (named, _) = named.split_once(" Flink refuses").expect(&verdict);
            let (least, whole) = named.split_once(" (").unwrap_or((named, named));
            let whole = whole.split(' ').next().expect(&verdict);
            for text in [least, whole] {
                params.set(key, text);
                assert!(starts(role, &params), "{verdict}");
            }
            let least = parse(least).expect(&verdict);
            params.set(key, &config_text(Bytes::new(least.get() - 1)));
            assert!(!starts(role, &params), "{verdict}");
        }
    }
}
