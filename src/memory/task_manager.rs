//! How does Flink split a TaskManager's memory into pools?
//!
//! Three routes, the first that fits: task heap and managed size both set (fine-grained), total
//! Flink memory set, total process memory set. An older key counts as the option it was renamed to.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `TaskExecutorProcessUtils#processSpecFromConfig`,
//! `ProcessMemoryUtils#memoryProcessSpecFromConfig`,
//! `TaskExecutorFlinkMemoryUtils#deriveFromRequiredFineGrainedOptions`, `#deriveFromTotalFlinkMemory`.
//!
//! # Deviations
//! External resources are not modelled; the dynamic properties name none.

use serde::Serialize;

use super::arithmetic::{Sized, sum};
use super::error::{Kind, MemoryError};
use super::jvm::{self, Jvm, JvmOptions};
use super::legacy;
use super::options::{OptionDef, tm};
use super::report::Origin;
use super::settings::{RangeOptions, Settings};
use super::trace::{Trace, exact};
use crate::config::number::java_double;
use crate::config::size::human;
use crate::units::Bytes;

/// The range of network memory.
pub const NETWORK: RangeOptions =
    RangeOptions { min: tm::NETWORK_MIN, max: tm::NETWORK_MAX, fraction: tm::NETWORK_FRACTION };

/// The options of the JVM's own memory.
pub const JVM: JvmOptions = JvmOptions {
    process: tm::PROCESS,
    metaspace: tm::METASPACE,
    overhead: RangeOptions {
        min: tm::OVERHEAD_MIN,
        max: tm::OVERHEAD_MAX,
        fraction: tm::OVERHEAD_FRACTION,
    },
};

const UTILS: &str = "TaskExecutorFlinkMemoryUtils";

/// Which settings the split starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Route {
    /// Task heap and managed size are set.
    FineGrained,
    /// Total Flink memory is set.
    TotalFlink,
    /// Total process memory is set.
    TotalProcess,
}

/// The pools inside total Flink memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pools {
    /// Heap of the framework.
    pub framework_heap: Sized,
    /// Direct and native memory of the framework.
    pub framework_off_heap: Sized,
    /// Heap of the tasks.
    pub task_heap: Sized,
    /// Direct and native memory of the tasks.
    pub task_off_heap: Sized,
    /// Network buffers.
    pub network: Sized,
    /// Managed memory.
    pub managed: Sized,
}

/// A TaskManager's memory. Totals are methods, so that they cannot disagree with the parts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TaskManagerSpec {
    /// Which settings it was derived from.
    pub route: Route,
    /// The pools inside Flink memory.
    pub pools: Pools,
    /// Metaspace and overhead.
    pub jvm: Jvm,
    /// CPU cores.
    pub cpu_cores: f64,
    /// Slots.
    pub num_slots: i32,
}

impl TaskManagerSpec {
    /// Total Flink memory.
    pub fn total_flink(&self) -> Bytes {
        let p = &self.pools;
        let parts = [
            p.framework_heap,
            p.framework_off_heap,
            p.task_heap,
            p.task_off_heap,
            p.network,
            p.managed,
        ];
        total(&parts)
    }

    /// Total process memory.
    pub fn total_process(&self) -> Bytes {
        Bytes::new(
            self.total_flink().get()
                + self.jvm.metaspace.bytes.get()
                + self.jvm.overhead.bytes.get(),
        )
    }

    /// The JVM heap, `-Xmx`.
    pub fn jvm_heap(&self) -> Bytes {
        total(&[self.pools.framework_heap, self.pools.task_heap])
    }

    /// Direct memory, `-XX:MaxDirectMemorySize`.
    pub fn jvm_direct(&self) -> Bytes {
        let p = &self.pools;
        total(&[p.framework_off_heap, p.task_off_heap, p.network])
    }

    /// The JVM arguments.
    pub fn jvm_args(&self) -> String {
        jvm::arguments(self.jvm_heap(), Some(self.jvm_direct()), self.jvm.metaspace.bytes)
    }

    /// The dynamic properties with which the start script pins every pool. Flink's order is that of
    /// a hash map and means nothing.
    ///
    /// Source: `TaskExecutorProcessUtils#generateDynamicConfigsStr`.
    pub fn dynamic_configs(&self) -> Vec<String> {
        let p = &self.pools;
        let sizes = [
            (tm::FRAMEWORK_HEAP, p.framework_heap),
            (tm::FRAMEWORK_OFF_HEAP, p.framework_off_heap),
            (tm::TASK_HEAP, p.task_heap),
            (tm::TASK_OFF_HEAP, p.task_off_heap),
            (tm::NETWORK_MIN, p.network),
            (tm::NETWORK_MAX, p.network),
            (tm::MANAGED, p.managed),
            (tm::METASPACE, self.jvm.metaspace),
            (tm::OVERHEAD_MIN, self.jvm.overhead),
            (tm::OVERHEAD_MAX, self.jvm.overhead),
        ];
        let mut configs: Vec<String> =
            sizes.iter().map(|(o, sized)| format!("{}={}b", o.key, sized.bytes.get())).collect();
        configs.push(format!("{}={}", tm::CPU_CORES.key, java_double(self.cpu_cores)));
        configs.push(format!("{}={}", tm::SLOTS.key, self.num_slots));
        configs.push("external-resources=none".to_owned());
        configs
    }
}

/// A sum that the derivation has already checked.
fn total(parts: &[Sized]) -> Bytes {
    Bytes::new(parts.iter().map(|part| part.bytes.get()).sum())
}

/// Splits a TaskManager's memory as `TaskExecutorProcessUtils.processSpecFromConfig` does.
pub fn process_spec(
    settings: &Settings<'_>,
    trace: &mut Trace,
) -> Result<TaskManagerSpec, MemoryError> {
    derive(settings, trace).map_err(|error| {
        error.wrapped(|message| format!("TaskManager memory configuration failed: {message}"))
    })
}

fn derive(settings: &Settings<'_>, trace: &mut Trace) -> Result<TaskManagerSpec, MemoryError> {
    let (route, pools, jvm) =
        if settings.contains(&tm::TASK_HEAP) && settings.contains(&tm::MANAGED) {
            let pools = fine_grained(settings, trace)?;
            let flink = checked_flink(&pools)?;
            (Route::FineGrained, pools, jvm::from_flink(settings, &JVM, flink, trace)?)
        } else if settings.contains(&tm::FLINK) {
            let flink = settings.size(&tm::FLINK)?;
            trace.read("Total Flink Memory", tm::FLINK.key, flink);
            let pools = from_total_flink(settings, flink.bytes, trace)?;
            (Route::TotalFlink, pools, jvm::from_flink(settings, &JVM, flink.bytes, trace)?)
        } else if settings.contains(&tm::PROCESS) {
            let process = settings.size(&tm::PROCESS)?;
            trace.read("Total Process Memory", tm::PROCESS.key, process);
            let (jvm, flink) = jvm::from_process(settings, &JVM, process.bytes, trace)?;
            (Route::TotalProcess, from_total_flink(settings, flink, trace)?, jvm)
        } else {
            return Err(required_options_missing());
        };
    sum(&[checked_flink(&pools)?, jvm.metaspace.bytes, jvm.overhead.bytes])?;
    let cpu_cores = cpu_cores(settings)?;
    let num_slots = settings.int(&tm::SLOTS)?;
    Ok(TaskManagerSpec { route, pools, jvm, cpu_cores, num_slots })
}

fn checked_flink(p: &Pools) -> Result<Bytes, MemoryError> {
    let parts = [
        p.framework_heap,
        p.framework_off_heap,
        p.task_heap,
        p.task_off_heap,
        p.network,
        p.managed,
    ];
    sum(&parts.map(|part| part.bytes))
}

fn required_options_missing() -> MemoryError {
    let message = format!(
        "Either required fine-grained memory ({} and {}), or Total Flink Memory size ({}), or Total Process Memory size ({}) need to be configured explicitly.",
        tm::TASK_HEAP.key,
        tm::MANAGED.key,
        tm::FLINK,
        tm::PROCESS
    );
    let plain = format!(
        "No total is set. Set {} (the whole container), or {}, or both {} and {}.",
        tm::PROCESS.key,
        tm::FLINK.key,
        tm::TASK_HEAP.key,
        tm::MANAGED.key
    );
    MemoryError::new(Kind::RequiredOptionsMissing, Some(tm::PROCESS.key), message, plain)
}

/// The components that have a size of their own whatever the route.
struct Fixed {
    framework_heap: Sized,
    framework_off_heap: Sized,
    task_off_heap: Sized,
}

fn fixed(settings: &Settings<'_>, trace: &mut Trace) -> Result<Fixed, MemoryError> {
    let framework_heap = settings.size(&tm::FRAMEWORK_HEAP)?;
    let framework_off_heap = settings.size(&tm::FRAMEWORK_OFF_HEAP)?;
    let task_off_heap = settings.size(&tm::TASK_OFF_HEAP)?;
    trace.read("Framework Heap", tm::FRAMEWORK_HEAP.key, framework_heap);
    trace.read("Framework Off-Heap", tm::FRAMEWORK_OFF_HEAP.key, framework_off_heap);
    trace.read("Task Off-Heap", tm::TASK_OFF_HEAP.key, task_off_heap);
    Ok(Fixed { framework_heap, framework_off_heap, task_off_heap })
}

/// Task heap and managed memory are set; network is derived.
fn fine_grained(settings: &Settings<'_>, trace: &mut Trace) -> Result<Pools, MemoryError> {
    let task_heap = settings.size(&tm::TASK_HEAP)?;
    let managed = settings.size(&tm::MANAGED)?;
    trace.read("Task Heap", tm::TASK_HEAP.key, task_heap);
    trace.read("Managed Memory", tm::MANAGED.key, managed);
    let fixed = fixed(settings, trace)?;
    let rest = without_network(&fixed, task_heap, managed)?;
    let network = if settings.contains(&tm::FLINK) {
        let flink = settings.size(&tm::FLINK)?;
        trace.read("Total Flink Memory", tm::FLINK.key, flink);
        remaining_network(settings, &fixed, task_heap, managed, flink.bytes, trace)?
    } else if legacy::uses_network_buffers(settings) {
        legacy::network_from_buffers(settings, trace)?
    } else {
        let range = settings.range(&NETWORK)?;
        let network = range.beside(rest)?;
        trace.fraction_beside(
            "Network Memory",
            "all other Flink memory",
            tm::NETWORK_FRACTION.key,
            rest,
            &range,
            network,
        );
        network
    };
    Ok(pools(&fixed, task_heap, network, managed))
}

/// Total Flink memory is known; task heap or network is what the others leave.
fn from_total_flink(
    settings: &Settings<'_>,
    flink: Bytes,
    trace: &mut Trace,
) -> Result<Pools, MemoryError> {
    let fixed = fixed(settings, trace)?;
    if settings.contains(&tm::TASK_HEAP) {
        let task_heap = settings.size(&tm::TASK_HEAP)?;
        trace.read("Task Heap", tm::TASK_HEAP.key, task_heap);
        let managed = managed(settings, flink, trace)?;
        let network = remaining_network(settings, &fixed, task_heap, managed, flink, trace)?;
        return Ok(pools(&fixed, task_heap, network, managed));
    }
    let managed = managed(settings, flink, trace)?;
    let network = if legacy::uses_network_buffers(settings) {
        legacy::network_from_buffers(settings, trace)?
    } else {
        let range = settings.range(&NETWORK)?;
        let network = range.of(flink)?;
        let key = tm::NETWORK_FRACTION.key;
        trace.fraction_of("Network Memory", "total Flink memory", key, flink, &range, network);
        network
    };
    let others = sum(&[
        fixed.framework_heap.bytes,
        fixed.framework_off_heap.bytes,
        fixed.task_off_heap.bytes,
        managed.bytes,
        network.bytes,
    ])?;
    let Some(task_heap) = flink.checked_sub(others) else {
        let message = trace.text(|| format!(
            "Sum of configured Framework Heap Memory ({}), Framework Off-Heap Memory ({}), Task Off-Heap Memory ({}), Managed Memory ({}) and Network Memory ({}) exceed configured Total Flink Memory ({}).",
            human(fixed.framework_heap.bytes),
            human(fixed.framework_off_heap.bytes),
            human(fixed.task_off_heap.bytes),
            human(managed.bytes),
            human(network.bytes),
            human(flink)
        ));
        let parts = [
            (tm::FRAMEWORK_HEAP, fixed.framework_heap),
            (tm::FRAMEWORK_OFF_HEAP, fixed.framework_off_heap),
            (tm::TASK_OFF_HEAP, fixed.task_off_heap),
            (managed_knob(managed), managed),
            (network_knob(network), network),
        ];
        return Err(exceeded(message, &parts, others, flink, trace));
    };
    trace.step(
        "Task Heap",
        "total Flink memory - all other Flink memory",
        "TaskExecutorFlinkMemoryUtils#deriveFromTotalFlinkMemory",
        task_heap,
        || format!("{} - {}", exact(flink), exact(others)),
    );
    Ok(pools(&fixed, Sized::remainder(task_heap), network, managed))
}

fn managed(settings: &Settings<'_>, flink: Bytes, trace: &mut Trace) -> Result<Sized, MemoryError> {
    if settings.contains(&tm::MANAGED) {
        let managed = settings.size(&tm::MANAGED)?;
        trace.read("Managed Memory", tm::MANAGED.key, managed);
        return Ok(managed);
    }
    let range = settings.range_within(Bytes::ZERO, Bytes::MAX, &tm::MANAGED_FRACTION)?;
    let managed = range.of(flink)?;
    let key = tm::MANAGED_FRACTION.key;
    trace.fraction_of("Managed Memory", "total Flink memory", key, flink, &range, managed);
    Ok(managed)
}

fn without_network(fixed: &Fixed, task_heap: Sized, managed: Sized) -> Result<Bytes, MemoryError> {
    sum(&[
        fixed.framework_heap.bytes,
        fixed.framework_off_heap.bytes,
        task_heap.bytes,
        fixed.task_off_heap.bytes,
        managed.bytes,
    ])
}

fn pools(fixed: &Fixed, task_heap: Sized, network: Sized, managed: Sized) -> Pools {
    Pools {
        framework_heap: fixed.framework_heap,
        framework_off_heap: fixed.framework_off_heap,
        task_heap,
        task_off_heap: fixed.task_off_heap,
        network,
        managed,
    }
}

/// Network memory as what the others leave of total Flink memory; it must lie in its range.
fn remaining_network(
    settings: &Settings<'_>,
    fixed: &Fixed,
    task_heap: Sized,
    managed: Sized,
    flink: Bytes,
    trace: &mut Trace,
) -> Result<Sized, MemoryError> {
    let others = without_network(fixed, task_heap, managed)?;
    let Some(network) = flink.checked_sub(others) else {
        let message = trace.text(|| format!(
            "Sum of configured Framework Heap Memory ({}), Framework Off-Heap Memory ({}), Task Heap Memory ({}), Task Off-Heap Memory ({}) and Managed Memory ({}) exceed configured Total Flink Memory ({}).",
            human(fixed.framework_heap.bytes),
            human(fixed.framework_off_heap.bytes),
            human(task_heap.bytes),
            human(fixed.task_off_heap.bytes),
            human(managed.bytes),
            human(flink)
        ));
        let parts = [
            (tm::FRAMEWORK_HEAP, fixed.framework_heap),
            (tm::FRAMEWORK_OFF_HEAP, fixed.framework_off_heap),
            (tm::TASK_HEAP, task_heap),
            (tm::TASK_OFF_HEAP, fixed.task_off_heap),
            (managed_knob(managed), managed),
        ];
        return Err(exceeded(message, &parts, others, flink, trace));
    };
    trace.step(
        "Network Memory",
        "total Flink memory - all other Flink memory",
        &format!("{UTILS}#sanityCheckNetworkMemory"),
        network,
        || format!("{} - {}", exact(flink), exact(others)),
    );
    check_network(settings, network, trace).map_err(|error| {
        error.wrapped_as(
            Kind::NetworkNotInRange,
            "If Total Flink, Task Heap and (or) Managed Memory sizes are explicitly configured then the Network Memory size is the rest of the Total Flink memory after subtracting all other configured types of memory, but the derived Network Memory is inconsistent with its configuration.",
        )
    })?;
    Ok(Sized::remainder(network))
}

fn check_network(
    settings: &Settings<'_>,
    network: Bytes,
    trace: &mut Trace,
) -> Result<(), MemoryError> {
    if legacy::uses_network_buffers(settings) {
        let configured = legacy::network_from_buffers(settings, trace)?.bytes;
        if configured == network {
            return Ok(());
        }
        let message = trace.text(|| format!(
            "Derived Network Memory size ({}) does not match configured Network Memory size ({}).",
            human(network),
            human(configured)
        ));
        let plain = trace.text(|| format!(
            "Network memory is what the others leave, {}, but the number of buffers asks for {}. Remove {}.",
            exact(network),
            exact(configured),
            tm::NETWORK_BUFFERS.key
        ));
        let option = Some(tm::NETWORK_BUFFERS.key);
        return Err(MemoryError::new(Kind::NetworkNotInRange, option, message, plain));
    }
    let range = settings.range(&NETWORK)?;
    if range.contains(network) {
        return Ok(());
    }
    let message = trace.text(|| {
        format!(
            "Derived Network Memory size ({}) is not in configured Network Memory range [{}, {}].",
            human(network),
            human(range.min),
            human(range.max)
        )
    });
    let (option, bound, how) = if network < range.min {
        (tm::NETWORK_MIN.key, range.min, "below its minimum")
    } else {
        (tm::NETWORK_MAX.key, range.max, "above its maximum")
    };
    let plain = trace.text(|| format!(
        "Network memory is what task heap, managed memory and the framework leave: {}, {how} {}.",
        exact(network),
        exact(bound)
    ));
    Err(MemoryError::new(Kind::NetworkNotInRange, Some(option), message, plain))
}

/// The option that decided the size of managed memory.
fn managed_knob(managed: Sized) -> OptionDef {
    if managed.origin == Origin::Configured { tm::MANAGED } else { tm::MANAGED_FRACTION }
}

/// The option that decided the size of network memory.
fn network_knob(network: Sized) -> OptionDef {
    match network.origin {
        Origin::ClampedToMin => tm::NETWORK_MIN,
        Origin::ClampedToMax => tm::NETWORK_MAX,
        Origin::Configured => tm::NETWORK_BUFFERS,
        _ => tm::NETWORK_FRACTION,
    }
}

fn exceeded(
    message: String,
    parts: &[(OptionDef, Sized)],
    others: Bytes,
    flink: Bytes,
    trace: &Trace,
) -> MemoryError {
    let largest = parts.iter().max_by_key(|(_, sized)| sized.bytes).map(|(option, _)| option.key);
    let short = others.checked_sub(flink).unwrap_or(Bytes::ZERO);
    let plain = trace.text(|| format!(
        "The components need {}; total Flink memory is {}, {} too little. The largest is set by {}.",
        exact(others),
        exact(flink),
        exact(short),
        largest.unwrap_or(tm::FLINK.key)
    ));
    MemoryError::new(Kind::FlinkExceededByComponents, largest, message, plain)
}

fn cpu_cores(settings: &Settings<'_>) -> Result<f64, MemoryError> {
    let cores = match settings.double(&tm::CPU_CORES)? {
        Some(cores) => cores,
        None => f64::from(settings.int(&tm::SLOTS)?),
    };
    if cores.is_nan() || cores.is_infinite() && cores > 0.0 {
        let plain = format!("{} must be a finite number above 0.", tm::CPU_CORES.key);
        let option = Some(tm::CPU_CORES.key);
        return {
            // `BigDecimal.valueOf` stumbles over the first letter of the printed double.
            let letter = if cores.is_nan() { 'N' } else { 'I' };
            Err(MemoryError::new(
                Kind::OtherNumberFormat,
                option,
                format!(
                    "Character {letter} is neither a decimal digit number, decimal point, nor \"e\" notation exponential mark."
                ),
                plain,
            ))
        };
    }
    if cores > 0.0 {
        return Ok(cores);
    }
    let from_slots = !settings.contains(&tm::CPU_CORES);
    let message = format!(
        "TaskExecutors need to be started with a positive number of CPU cores. Please configure {} accordingly.",
        tm::CPU_CORES.key
    );
    let option = if from_slots { tm::SLOTS.key } else { tm::CPU_CORES.key };
    let plain = if from_slots {
        format!(
            "{option} gives the cores when {} is not set; it must be at least 1.",
            tm::CPU_CORES.key
        )
    } else {
        format!("{option} must be above 0.")
    };
    Err(MemoryError::new(Kind::CpuNotPositive, Some(option), message, plain))
}
