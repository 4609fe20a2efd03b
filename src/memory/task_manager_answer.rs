//! The answer for a TaskManager: its spec as a report with components, verdict and findings.

use serde::Serialize;

use super::advice;
use super::boundary::{self, Boundary};
use super::error::MemoryError;
use super::notice;
use super::options::tm;
use super::params::{MemoryParams, Role, task_manager_spec};
use super::report::{Color, Component, Container, Origin, SlotShare, Step};
use super::task_manager::{Route, TaskManagerSpec};
use super::trace::Trace;
use crate::finding::Derivation;
use crate::units::{Bytes, FlinkVersion};

/// Where a TaskManager's bytes go.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskManagerReport {
    /// The version asked for.
    pub version: FlinkVersion,
    /// The patch release whose recorded answers the numbers equal.
    pub checked_on: &'static str,
    /// Which settings the split started from.
    pub route: Route,
    /// One sentence: the number, the knob, the boundary.
    pub verdict: String,
    /// Heap of the framework.
    pub framework_heap: Bytes,
    /// Direct and native memory of the framework.
    pub framework_off_heap: Bytes,
    /// Heap of the tasks.
    pub task_heap: Bytes,
    /// Direct and native memory of the tasks.
    pub task_off_heap: Bytes,
    /// Network buffers.
    pub network: Bytes,
    /// Managed memory.
    pub managed: Bytes,
    /// The sum of the six pools.
    pub total_flink: Bytes,
    /// Metaspace.
    pub metaspace: Bytes,
    /// JVM overhead.
    pub jvm_overhead: Bytes,
    /// Everything.
    pub total_process: Bytes,
    /// Framework and task heap, `-Xmx`.
    pub jvm_heap: Bytes,
    /// Off-heap and network, `-XX:MaxDirectMemorySize`.
    pub jvm_direct: Bytes,
    /// Slots.
    pub num_slots: i32,
    /// CPU cores.
    pub cpu_cores: f64,
    /// The JVM arguments as the start script passes them.
    pub jvm_args: String,
    /// The dynamic properties that pin every pool, in no particular order.
    pub dynamic_configs: Vec<String>,
    /// Rows of the table and boxes of the bar.
    pub components: Vec<Component>,
    /// What each slot gets of each pool.
    pub slots: Vec<SlotShare>,
    /// The container around the process.
    pub container: Container,
    /// The derivation step by step.
    pub steps: Vec<Step>,
}

/// Everything that verdict, advice and findings speak about.
pub(super) struct Situation<'a> {
    pub params: &'a MemoryParams,
    pub spec: TaskManagerSpec,
    pub container: Container,
    /// The smallest total that starts with the other settings, if a total is set.
    pub smallest: Option<Boundary>,
}

impl Situation<'_> {
    /// The spec after some changes, if it still starts.
    pub fn with(&self, changes: &[(&str, &str)]) -> Option<TaskManagerSpec> {
        let mut params = self.params.clone();
        for (key, text) in changes {
            params.set(key, text);
        }
        task_manager_spec(&params, &mut Trace::searching(), |spec, _, _| spec).ok()
    }
}

/// Splits a TaskManager's memory as Flink does.
///
/// # Errors
/// Flink's refusal, as [`MemoryError`].
pub fn derive_task_manager(
    params: &MemoryParams,
) -> Result<Derivation<TaskManagerReport>, MemoryError> {
    let mut trace = Trace::keeping(params.version);
    let (situation, findings) =
        task_manager_spec(params, &mut trace, |spec, settings, is_mapped| {
            let container = params.container(spec.total_process());
            let smallest = smallest_total(params, &spec);
            let situation = Situation { params, spec, container, smallest };
            let findings = notice::task_manager(&situation, settings, is_mapped);
            (situation, findings)
        })?;
    let (spec, container) = (&situation.spec, situation.container);
    let (pools, jvm) = (&spec.pools, &spec.jvm);
    let value = TaskManagerReport {
        version: params.version,
        checked_on: params.version.checked_on(),
        route: spec.route,
        verdict: advice::task_manager_verdict(&situation),
        framework_heap: pools.framework_heap.bytes,
        framework_off_heap: pools.framework_off_heap.bytes,
        task_heap: pools.task_heap.bytes,
        task_off_heap: pools.task_off_heap.bytes,
        network: pools.network.bytes,
        managed: pools.managed.bytes,
        total_flink: spec.total_flink(),
        metaspace: jvm.metaspace.bytes,
        jvm_overhead: jvm.overhead.bytes,
        total_process: spec.total_process(),
        jvm_heap: spec.jvm_heap(),
        jvm_direct: spec.jvm_direct(),
        num_slots: spec.num_slots,
        cpu_cores: spec.cpu_cores,
        jvm_args: spec.jvm_args(),
        dynamic_configs: spec.dynamic_configs(),
        components: components(&situation),
        slots: slots(spec),
        container,
        steps: trace.into_steps(),
    };
    Ok(Derivation { value, findings })
}

/// Only what a drawing needs: the components and the container, without the search for boundaries.
///
/// # Errors
/// Flink's refusal, as [`MemoryError`].
pub fn task_manager_layout(
    params: &MemoryParams,
) -> Result<(Vec<Component>, Container), MemoryError> {
    let spec = task_manager_spec(params, &mut Trace::silent(), |spec, _, _| spec)?;
    let container = params.container(spec.total_process());
    let situation = Situation { params, spec, container, smallest: None };
    Ok((components(&situation), container))
}

/// The knob of the route, moved down until it fails.
fn smallest_total(params: &MemoryParams, spec: &TaskManagerSpec) -> Option<Boundary> {
    let (option, works) = match spec.route {
        Route::FineGrained => return None,
        Route::TotalFlink => (tm::FLINK, spec.total_flink()),
        Route::TotalProcess => (tm::PROCESS, spec.total_process()),
    };
    boundary::smallest(Role::TaskManager, params, option, works)
}

fn components(situation: &Situation<'_>) -> Vec<Component> {
    let (spec, pools) = (&situation.spec, &situation.spec.pools);
    let process = spec.total_process();
    let (total_process_origin, total_flink_origin) = match spec.route {
        Route::FineGrained => (Origin::Sum, Origin::Sum),
        Route::TotalFlink => (Origin::Sum, Origin::Configured),
        Route::TotalProcess => (Origin::Configured, Origin::Remainder),
    };
    let flink = Some("totalFlink");
    let total = Some("totalProcess");
    let rows = [
        ("totalProcess", "Total Process", None, process, total_process_origin),
        ("totalFlink", "Total Flink", total, spec.total_flink(), total_flink_origin),
        (
            "frameworkHeap",
            "Framework Heap",
            flink,
            pools.framework_heap.bytes,
            pools.framework_heap.origin,
        ),
        ("taskHeap", "Task Heap", flink, pools.task_heap.bytes, pools.task_heap.origin),
        (
            "frameworkOffHeap",
            "Framework Off-Heap",
            flink,
            pools.framework_off_heap.bytes,
            pools.framework_off_heap.origin,
        ),
        (
            "taskOffHeap",
            "Task Off-Heap",
            flink,
            pools.task_off_heap.bytes,
            pools.task_off_heap.origin,
        ),
        ("network", "Network", flink, pools.network.bytes, pools.network.origin),
        ("managed", "Managed", flink, pools.managed.bytes, pools.managed.origin),
        ("metaspace", "JVM Metaspace", total, spec.jvm.metaspace.bytes, spec.jvm.metaspace.origin),
        ("jvmOverhead", "JVM Overhead", total, spec.jvm.overhead.bytes, spec.jvm.overhead.origin),
    ];
    rows.into_iter()
        .map(|(id, name, parent, bytes, origin)| {
            let (option, color, location, cap) = place(id);
            Component {
                id,
                name,
                parent,
                bytes,
                share: bytes.share_of(process),
                origin,
                option,
                color,
                location,
                cap,
                recommendation: advice::task_manager_component(id, situation),
            }
        })
        .collect()
}

/// Option, colour, location and cap of a component.
fn place(id: &str) -> (&'static str, Color, &'static str, &'static str) {
    const DIRECT: &str = "-XX:MaxDirectMemorySize, together";
    match id {
        "totalProcess" => (tm::PROCESS.key, Color::Total, "the container", "the container's limit"),
        "totalFlink" => {
            (tm::FLINK.key, Color::Total, "heap, direct and native", "nothing as a whole")
        }
        "frameworkHeap" => {
            (tm::FRAMEWORK_HEAP.key, Color::Heap, "JVM heap", "-Xmx, with Task Heap")
        }
        "taskHeap" => (tm::TASK_HEAP.key, Color::Heap, "JVM heap", "-Xmx, with Framework Heap"),
        "frameworkOffHeap" => {
            (tm::FRAMEWORK_OFF_HEAP.key, Color::OffHeap, "direct or native", DIRECT)
        }
        "taskOffHeap" => (tm::TASK_OFF_HEAP.key, Color::OffHeap, "direct or native", DIRECT),
        "network" => (tm::NETWORK_FRACTION.key, Color::Network, "direct", DIRECT),
        "managed" => (
            tm::MANAGED_FRACTION.key,
            Color::Managed,
            "native",
            "Flink's own accounting, no JVM flag",
        ),
        "metaspace" => {
            (tm::METASPACE.key, Color::Jvm, "native, JVM classes", "-XX:MaxMetaspaceSize")
        }
        _ => (
            tm::OVERHEAD_FRACTION.key,
            Color::Jvm,
            "native, JVM and libraries",
            "nothing; the container kills",
        ),
    }
}

fn slots(spec: &TaskManagerSpec) -> Vec<SlotShare> {
    // Flink accepts 0 slots when the CPU cores are set; then there is nothing to divide.
    if spec.num_slots < 1 {
        return Vec::new();
    }
    let slots = i64::from(spec.num_slots);
    let pools = &spec.pools;
    [
        ("taskHeap", "Task Heap", pools.task_heap),
        ("taskOffHeap", "Task Off-Heap", pools.task_off_heap),
        ("network", "Network", pools.network),
        ("managed", "Managed", pools.managed),
    ]
    .into_iter()
    .map(|(id, name, sized)| SlotShare {
        id,
        name,
        per_slot: Bytes::new(sized.bytes.get() / slots),
        remainder: Bytes::new(sized.bytes.get() % slots),
    })
    .collect()
}
