//! The answer for a JobManager: its spec as a report with components, verdict and findings.

use serde::Serialize;

use super::advice;
use super::boundary::{self, Boundary};
use super::error::MemoryError;
use super::job_manager::{JobManagerSpec, Route};
use super::notice;
use super::options::jm;
use super::params::{MemoryParams, Role, job_manager_spec};
use super::report::{Color, Component, Container, Origin, Step};
use super::trace::Trace;
use crate::finding::Derivation;
use crate::units::{Bytes, FlinkVersion};

/// Where a JobManager's bytes go.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct JobManagerReport {
    /// The version asked for.
    pub version: FlinkVersion,
    /// The patch release whose recorded answers the numbers equal.
    pub checked_on: &'static str,
    /// Which settings the split started from.
    pub route: Route,
    /// One sentence: the number, the knob, the boundary.
    pub verdict: String,
    /// The JVM heap, `-Xmx`.
    pub jvm_heap: Bytes,
    /// Direct and native memory.
    pub off_heap: Bytes,
    /// Heap and off-heap.
    pub total_flink: Bytes,
    /// Metaspace.
    pub metaspace: Bytes,
    /// JVM overhead.
    pub jvm_overhead: Bytes,
    /// Everything.
    pub total_process: Bytes,
    /// The JVM arguments as the start script passes them.
    pub jvm_args: String,
    /// Rows of the table and boxes of the bar.
    pub components: Vec<Component>,
    /// The container around the process.
    pub container: Container,
    /// The derivation step by step.
    pub steps: Vec<Step>,
}

/// Everything that verdict, advice and findings speak about.
pub(super) struct Situation<'a> {
    pub params: &'a MemoryParams,
    pub spec: JobManagerSpec,
    pub container: Container,
    /// The smallest total that starts with the other settings, if a total is set.
    pub smallest: Option<Boundary>,
}

/// Splits a JobManager's memory as Flink does.
///
/// # Errors
/// Flink's refusal, as [`MemoryError`].
pub fn derive_job_manager(
    params: &MemoryParams,
) -> Result<Derivation<JobManagerReport>, MemoryError> {
    let mut trace = Trace::keeping(params.version);
    let (situation, findings) =
        job_manager_spec(params, &mut trace, |spec, settings, is_mapped| {
            let container = params.container(spec.total_process());
            let smallest = smallest_total(params, &spec);
            let situation = Situation { params, spec, container, smallest };
            let findings = notice::job_manager(&situation, settings, is_mapped);
            (situation, findings)
        })?;
    let spec = &situation.spec;
    let value = JobManagerReport {
        version: params.version,
        checked_on: params.version.checked_on(),
        route: spec.route,
        verdict: advice::job_manager_verdict(&situation),
        jvm_heap: spec.heap.bytes,
        off_heap: spec.off_heap.bytes,
        total_flink: spec.total_flink(),
        metaspace: spec.jvm.metaspace.bytes,
        jvm_overhead: spec.jvm.overhead.bytes,
        total_process: spec.total_process(),
        jvm_args: spec.jvm_args(),
        components: components(&situation),
        container: situation.container,
        steps: trace.into_steps(),
    };
    Ok(Derivation { value, findings })
}

/// Only what a drawing needs: the components and the container, without the search for boundaries.
///
/// # Errors
/// Flink's refusal, as [`MemoryError`].
pub fn job_manager_layout(
    params: &MemoryParams,
) -> Result<(Vec<Component>, Container), MemoryError> {
    let spec = job_manager_spec(params, &mut Trace::silent(), |spec, _, _| spec)?;
    let container = params.container(spec.total_process());
    let situation = Situation { params, spec, container, smallest: None };
    Ok((components(&situation), container))
}

fn smallest_total(params: &MemoryParams, spec: &JobManagerSpec) -> Option<Boundary> {
    let (option, works) = match spec.route {
        Route::Heap => return None,
        Route::TotalFlink => (jm::FLINK, spec.total_flink()),
        Route::TotalProcess => (jm::PROCESS, spec.total_process()),
    };
    boundary::smallest(Role::JobManager, params, option, works)
}

fn components(situation: &Situation<'_>) -> Vec<Component> {
    let spec = &situation.spec;
    let process = spec.total_process();
    let (process_origin, flink_origin) = match spec.route {
        Route::Heap => (Origin::Sum, Origin::Sum),
        Route::TotalFlink => (Origin::Sum, Origin::Configured),
        Route::TotalProcess => (Origin::Configured, Origin::Remainder),
    };
    let (flink, total) = (Some("totalFlink"), Some("totalProcess"));
    let jvm = &spec.jvm;
    let rows = [
        ("totalProcess", "Total Process", None, process, process_origin),
        ("totalFlink", "Total Flink", total, spec.total_flink(), flink_origin),
        ("jvmHeap", "JVM Heap", flink, spec.heap.bytes, spec.heap.origin),
        ("offHeap", "Off-Heap", flink, spec.off_heap.bytes, spec.off_heap.origin),
        ("metaspace", "JVM Metaspace", total, jvm.metaspace.bytes, jvm.metaspace.origin),
        ("jvmOverhead", "JVM Overhead", total, jvm.overhead.bytes, jvm.overhead.origin),
    ];
    rows.into_iter()
        .map(|(id, name, parent, bytes, origin)| {
            let (option, color, location, cap) = place(id, spec);
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
                recommendation: advice::job_manager_component(id, situation),
            }
        })
        .collect()
}

/// Option, colour, location and cap of a component.
fn place(id: &str, spec: &JobManagerSpec) -> (&'static str, Color, &'static str, &'static str) {
    match id {
        "totalProcess" => (jm::PROCESS.key, Color::Total, "the container", "the container's limit"),
        "totalFlink" => {
            (jm::FLINK.key, Color::Total, "heap, direct and native", "nothing as a whole")
        }
        "jvmHeap" => (jm::HEAP.key, Color::Heap, "JVM heap", "-Xmx"),
        "offHeap" if spec.direct_limit => {
            (jm::OFF_HEAP.key, Color::OffHeap, "direct or native", "-XX:MaxDirectMemorySize")
        }
        "offHeap" => (jm::OFF_HEAP.key, Color::OffHeap, "direct or native", "nothing in the JVM"),
        "metaspace" => {
            (jm::METASPACE.key, Color::Jvm, "native, JVM classes", "-XX:MaxMetaspaceSize")
        }
        _ => (
            jm::OVERHEAD_FRACTION.key,
            Color::Jvm,
            "native, JVM and libraries",
            "nothing; the container kills",
        ),
    }
}
