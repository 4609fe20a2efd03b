//! What should a reader notice about a split that works: clamps, remainders, settings in vain,
//! older names, a container that is too small?
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `ProcessMemoryUtils#capToMinMax` (clamps are only logged),
//! `#sanityCheckJvmOverhead`, `TaskExecutorFlinkMemoryUtils#sanityCheckNetworkMemory` (the fraction
//! of a remainder is not enforced), `JobManagerOptions.MIN_JVM_HEAP_SIZE`.

mod decided;
mod hazards;
mod vain;

use decided::decided;
use hazards::hazards;
use vain::{in_vain, mapped};

use super::advice::{backend, managed_key, without_managed};
use super::job_manager::MIN_HEAP;
use super::job_manager_answer::Situation as JobManager;
use super::legacy::{JOB_MANAGER, TASK_MANAGER};
use super::options::{OptionDef, jm, tm};
use super::params::MemoryParams;
use super::report::Container;
use super::settings::Settings;
use super::task_manager::{self, NETWORK, Route};
use super::task_manager_answer::Situation;
use super::trace::exact;
use super::{boundary::Boundary, job_manager};
use crate::config::size::{self, config_text};
use crate::finding::{Change, Finding, Severity};
use crate::units::{Bytes, FlinkVersion};

/// Options of the TaskManager that are useless unless read; `segment-size` is read elsewhere too.
const TM_OPTIONS: [OptionDef; 19] = [
    tm::PROCESS,
    tm::FLINK,
    tm::FRAMEWORK_HEAP,
    tm::FRAMEWORK_OFF_HEAP,
    tm::TASK_HEAP,
    tm::TASK_OFF_HEAP,
    tm::MANAGED,
    tm::MANAGED_FRACTION,
    tm::NETWORK_MIN,
    tm::NETWORK_MAX,
    tm::NETWORK_FRACTION,
    tm::NETWORK_BUFFERS,
    tm::METASPACE,
    tm::OVERHEAD_MIN,
    tm::OVERHEAD_MAX,
    tm::OVERHEAD_FRACTION,
    tm::CPU_CORES,
    tm::LEGACY_HEAP,
    tm::LEGACY_HEAP_MB,
];

/// Options of the JobManager that are useless unless read.
const JM_OPTIONS: [OptionDef; 10] = [
    jm::PROCESS,
    jm::FLINK,
    jm::HEAP,
    jm::OFF_HEAP,
    jm::METASPACE,
    jm::OVERHEAD_MIN,
    jm::OVERHEAD_MAX,
    jm::OVERHEAD_FRACTION,
    jm::LEGACY_HEAP,
    jm::LEGACY_HEAP_MB,
];

/// Findings about a TaskManager that starts.
pub(super) fn task_manager(
    situation: &Situation<'_>,
    settings: &Settings<'_>,
    is_mapped: bool,
) -> Vec<Finding> {
    let spec = &situation.spec;
    let mut found = Vec::new();
    let total = (spec.route == Route::TotalProcess).then_some(tm::PROCESS);
    found.extend(unread_limit(situation.params));
    found.extend(container(situation.container, spec.total_process(), total, situation.smallest));
    found.extend(hazards(spec, settings));
    let beside_overhead =
        if spec.route == Route::TotalProcess { "Flink memory" } else { "the container" };
    let beside_network =
        if spec.route == Route::FineGrained { "the container" } else { "task heap" };
    let overhead = ("JVM overhead", spec.jvm.overhead, task_manager::JVM.overhead, beside_overhead);
    let network = ("Network memory", spec.pools.network, NETWORK, beside_network);
    for (name, sized, options, beside) in [overhead, network] {
        found.extend(decided(name, sized, &options, settings, beside));
    }
    found.extend(idle_managed(situation, settings));
    let own = Settings::new(&situation.params.config, situation.params.version);
    if is_mapped {
        found.push(mapped(&TASK_MANAGER, spec.total_flink(), &own));
    }
    found.extend(in_vain(&own, settings, &TM_OPTIONS, &TASK_MANAGER, is_mapped));
    found.sort_by_key(|finding| finding.severity);
    found
}

/// Findings about a JobManager that starts.
pub(super) fn job_manager(
    situation: &JobManager<'_>,
    settings: &Settings<'_>,
    is_mapped: bool,
) -> Vec<Finding> {
    let spec = &situation.spec;
    let version = situation.params.version;
    let mut found = Vec::new();
    let total = (spec.route == job_manager::Route::TotalProcess).then_some(jm::PROCESS);
    found.extend(unread_limit(situation.params));
    found.extend(container(situation.container, spec.total_process(), total, situation.smallest));
    let beside = if total.is_some() { "Flink memory" } else { "the container" };
    let options = &job_manager::JVM.overhead;
    found.extend(decided("JVM overhead", spec.jvm.overhead, options, settings, beside));
    if spec.heap.bytes < MIN_HEAP {
        found.push(Finding {
            code: "jm_heap_small",
            severity: Severity::Warning,
            title: format!("The JVM heap of {} is below {MIN_HEAP}.", spec.heap.bytes),
            reason: "Flink starts it and logs a warning.".to_owned(),
            option: Some(jm::HEAP.key.to_owned()),
            price: Some(format!(
                "Raise the heap, or the total that leaves it, by {}.",
                exact(Bytes::new(MIN_HEAP.get() - spec.heap.bytes.get()))
            )),
            apply: Vec::new(),
            source: cite("JobManagerOptions.MIN_JVM_HEAP_SIZE", version),
        });
    }
    if !spec.direct_limit {
        found.push(Finding {
            code: "jm_direct_unlimited",
            severity: Severity::Note,
            title: format!("Nothing in the JVM limits the {} of off-heap memory.", spec.off_heap.bytes),
            reason: "No -XX:MaxDirectMemorySize is passed unless it is asked for.".to_owned(),
            option: Some(jm::DIRECT_LIMIT.key.to_owned()),
            price: Some("With the limit a leak fails with OutOfMemoryError: Direct buffer memory instead of a container kill.".to_owned()),
            apply: vec![Change::set(jm::DIRECT_LIMIT.key, "true")],
            source: cite(jm::DIRECT_LIMIT.key, version),
        });
    }
    let own = Settings::new(&situation.params.config, version);
    if is_mapped {
        found.push(mapped(&JOB_MANAGER, spec.heap.bytes, &own));
    }
    found.extend(in_vain(&own, settings, &JM_OPTIONS, &JOB_MANAGER, is_mapped));
    found.sort_by_key(|finding| finding.severity);
    found
}

pub(crate) fn cite(what: &str, version: FlinkVersion) -> String {
    format!("{what}, Flink {}", version.checked_on())
}

/// A limit of the container that is no size: the answer is the one without a limit.
pub(crate) fn unread_limit(params: &MemoryParams) -> Option<Finding> {
    let text = params.container_limit.as_ref()?;
    let error = size::parse(text).err()?;
    Some(Finding {
        code: "container_limit_unread",
        severity: Severity::Warning,
        title: format!("The container limit '{text:.40}' is not a size, so it is not used."),
        reason: format!("{} MemorySize says: {error}", error.advice()),
        option: None,
        price: Some(
            "Until it can be read, nothing here says whether the process fits its container."
                .to_owned(),
        ),
        apply: Vec::new(),
        source: cite("MemorySize#parse", params.version),
    })
}

fn container(
    container: Container,
    process: Bytes,
    total: Option<OptionDef>,
    smallest: Option<Boundary>,
) -> Option<Finding> {
    if !container.named || container.headroom == Bytes::ZERO {
        return None;
    }
    let source = "total process memory is what Flink's Kubernetes and YARN integrations request for the container".to_owned();
    if container.headroom > Bytes::ZERO {
        return Some(Finding {
            code: "container_headroom",
            severity: Severity::Note,
            title: format!("The container has {} more than Flink plans to use.", exact(container.headroom)),
            reason: format!("Its limit is {}, the process may use {process}.", container.limit),
            option: total.map(|option| option.key.to_owned()),
            price: Some("Headroom protects against native memory outside Flink's pools; giving it to the process gives it to Flink memory.".to_owned()),
            apply: Vec::new(),
            source,
        });
    }
    let apply = match (total, smallest) {
        (Some(option), Some(smallest)) if container.limit >= smallest.bytes => {
            vec![Change::set(option.key, config_text(container.limit))]
        }
        _ => Vec::new(),
    };
    let missing = Bytes::new(-container.headroom.get());
    let price = match (apply.is_empty(), total) {
        (false, Some(option)) => format!(
            "{} = {} fits, and Flink memory shrinks by about {missing}.",
            option.key,
            config_text(container.limit)
        ),
        _ => format!("Raise the container's limit by {}.", exact(missing)),
    };
    Some(Finding {
        code: "container_too_small",
        severity: Severity::Error,
        title: format!("The container is {} too small.", exact(missing)),
        reason: format!(
            "Its limit is {}, the process may use {process}; the kernel kills it when it does, with exit code 137 and no Java error.",
            container.limit
        ),
        option: total.map(|option| option.key.to_owned()),
        price: Some(price),
        apply,
        source,
    })
}

/// Managed memory that a HashMap job does not use.
fn idle_managed(situation: &Situation<'_>, settings: &Settings<'_>) -> Option<Finding> {
    let managed = situation.spec.pools.managed.bytes;
    let backend = backend(settings.config);
    if managed == Bytes::ZERO || backend.as_deref().is_some_and(|name| name != "hashmap") {
        return None;
    }
    let (severity, reason) = match backend {
        Some(_) => {
            (Severity::Warning, "state.backend.type is hashmap, which keeps its state on the heap.")
        }
        None => (
            Severity::Note,
            "No state backend is set; unless the job sets one in code it uses hashmap, which keeps its state on the heap.",
        ),
    };
    let freed =
        without_managed(situation).filter(|heap| *heap > situation.spec.pools.task_heap.bytes);
    let key = managed_key(situation);
    Some(Finding {
        code: "managed_idle",
        severity,
        title: format!("{managed} of managed memory lies idle with the HashMap backend."),
        reason: format!("{reason} Managed memory then serves only batch operators and Python."),
        option: Some(key.to_owned()),
        price: freed.map(|heap| {
            format!(
                "At 0 task heap grows from {} to {heap}; RocksDB would have none.",
                situation.spec.pools.task_heap.bytes
            )
        }),
        apply: if freed.is_some() { vec![Change::set(key, "0")] } else { Vec::new() },
        source: cite(
            "taskmanager.memory.managed.consumer-weights, ManagedMemoryUtils",
            settings.version,
        ),
    })
}
