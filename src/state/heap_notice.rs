//! What stands beside the heap of a state: that it does not fit, that a snapshot makes it overflow,
//! that references grow.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `CopyOnWriteStateMap`, `TaskExecutorProcessSpec`; HotSpot of
//! Java 17 (compressed oops, G1).

use super::heap_answer::{HeapReport, Status};
use super::params::StateShape;
use super::place::{COMPRESSED_OOPS_BELOW, Place};
use super::{params::HeapParams, params::Workload};
use crate::finding::{Change, Finding, Severity};
use crate::units::{Bytes, grouped};

/// Findings, the worst first.
pub(super) fn findings(params: &HeapParams, place: &Place, report: &HeapReport) -> Vec<Finding> {
    let mut found = Vec::new();
    let cite = |class: &str| format!("{class}, Flink {}", params.version.checked_on());
    let needed = match report.status {
        Status::Full => Some((report.bytes, "heap_full", "State does not fit into task heap")),
        Status::FullDuringSnapshot => Some((
            report.during_snapshot,
            "heap_full_during_snapshot",
            "State fits into task heap only while no snapshot runs",
        )),
        Status::Fits | Status::GcPressure => None,
    };
    if let Some((needed, code, title)) = needed {
        let severity =
            if report.status == Status::Full { Severity::Error } else { Severity::Warning };
        let title = format!("{title}: {needed} of {}", report.capacity);
        let reason = reason_of(params, report);
        for way in ways_out(place, report) {
            found.push(Finding {
                code,
                severity,
                title: title.clone(),
                reason: reason.clone(),
                option: Some(way.0.option.clone()),
                price: Some(way.1),
                apply: vec![way.0],
                source: cite("CopyOnWriteStateMap, TaskExecutorProcessSpec"),
            });
        }
        if found.is_empty() {
            let option = Some(place.knob().to_owned());
            let source = cite("CopyOnWriteStateMap, TaskExecutorProcessSpec");
            let (price, apply) = (None, Vec::new());
            found.push(Finding { code, severity, title, reason, option, price, apply, source });
        }
    }
    if report.status == Status::GcPressure {
        found.push(Finding {
            code: "gc_pressure",
            severity: Severity::Warning,
            title: format!("State alone is {} of a {} JVM heap", report.bytes, report.jvm_heap),
            reason: format!(
                "From {} on G1 marks again and again, because state never becomes garbage. The threshold is the JVM's default, an assumption.",
                report.gc_pressure_from
            ),
            option: Some(place.knob().to_owned()),
            price: None,
            apply: Vec::new(),
            source: "HotSpot of Java 17, InitiatingHeapOccupancyPercent".to_owned(),
        });
    }
    if !place.heap.compressed_oops && params.workload.compressed_oops.is_none() {
        found.push(Finding {
            code: "oops_not_compressed",
            severity: Severity::Warning,
            title: format!("From {COMPRESSED_OOPS_BELOW} of JVM heap on, references take 8 bytes"),
            reason: format!(
                "The JVM heap is {}. A little under {COMPRESSED_OOPS_BELOW} holds more keys than a little over it.",
                report.jvm_heap
            ),
            option: Some(place.knob().to_owned()),
            price: None,
            apply: Vec::new(),
            source: "HotSpot of Java 17, UseCompressedOops".to_owned(),
        });
    }
    if reads_copy(&params.workload) {
        found.push(Finding {
            code: "reads_copy",
            severity: Severity::Note,
            title: format!("Reading a key during a snapshot copies {} B", report.copied_on_read),
            reason: "A value that can be changed after it was read is copied first, so a job that only reads pays as well.".to_owned(),
            option: None,
            price: None,
            apply: Vec::new(),
            source: cite("CopyOnWriteStateMap#get"),
        });
    }
    found
}

/// Whether reads copy more than the entry.
fn reads_copy(workload: &Workload) -> bool {
    match &workload.state {
        StateShape::Value { value } => {
            use super::layout::ValueType::{Bytes, Pojo, Tuple};
            matches!(value, Bytes { .. } | Pojo { .. } | Tuple { .. })
        }
        StateShape::Map { .. } | StateShape::List { .. } => true,
    }
}

fn reason_of(params: &HeapParams, report: &HeapReport) -> String {
    let Workload { parallelism, .. } = params.workload;
    let subtasks = report.subtasks_per_task_manager;
    let per_key = report.bytes_per_key;
    format!(
        "{} keys a subtask at {per_key} B each, {subtasks} of {parallelism} subtasks on one TaskManager; a snapshot adds {}.",
        grouped(i64::try_from(report.keys_per_subtask).unwrap_or(i64::MAX)),
        Bytes::new(report.during_snapshot.get() - report.bytes.get())
    )
}

/// Changes that make it fit with a snapshot running, with their price.
fn ways_out(place: &Place, report: &HeapReport) -> Vec<(Change, String)> {
    let mut ways = Vec::new();
    // The assumed share of task heap that this state may fill.
    let share = report.capacity.share_of(report.task_heap);
    let task_heap =
        if share > 0.0 { report.during_snapshot.get() as f64 / share } else { f64::MAX };
    let Ok(task_heap) = super::heap::rounded(task_heap.ceil()) else { return ways };
    if let Some((change, without)) = place.without_managed()
        && without >= task_heap
    {
        let price = format!(
            "Managed memory, {} now, is gone: right for HashMap state, wrong for RocksDB, batch and Python.",
            place.managed
        );
        ways.push((change, price));
    }
    if let Some(change) = place.raised(task_heap) {
        ways.push((change, "Larger processes; full collections take longer.".to_owned()));
    }
    ways
}
