//! Which two sizes of a JobManager contradict each other?
//!
//! Source: messages of Flink 1.18.1, 1.20.5, 2.2.1, `JobManagerFlinkMemoryUtils`.

use super::Found;
use super::pools::gap;
use crate::memory::Role;
use crate::memory::arithmetic::sum;
use crate::memory::options::jm;
use crate::memory::trace::exact;
use crate::reading::exception::Explained;
use crate::reading::report::Direction::{Lower, Raise, Remove, Set};
use crate::reading::table::{differing, sizes};
use crate::reading::text::size_after;

const JM_FLINK: &str = "JobManagerFlinkMemoryUtils";

/// Off-heap memory that leaves no heap.
pub fn jm_flink_lt_off_heap(flat: &str) -> Option<Found> {
    let flink = size_after(flat, "configured Total Flink Memory (")?;
    let off_heap = size_after(flat, "configured Off-heap Memory (")?;
    let title =
        format!("Off-heap memory of {off_heap} leaves no heap in total Flink memory of {flink}.");
    let reason = "Heap is total Flink memory minus off-heap memory, and must be above 0.";
    let next =
        "Is total Flink memory set, or is it what metaspace and overhead leave of the process?";
    let explained = Explained::new("jm_flink_lt_offheap", title, JM_FLINK)
        .involving([(jm::OFF_HEAP.key, Lower), (jm::FLINK.key, Raise), (jm::PROCESS.key, Raise)])
        .because(reason, next)
        .of(Some(Role::JobManager));
    let mut candidate = sizes(&[(jm::FLINK, flink)]);
    candidate.extend(differing(&[(jm::OFF_HEAP, off_heap)]));
    Some(Found::new(explained).with(
        &[("totalFlink", "Total Flink", flink), ("offHeap", "Off-Heap", off_heap)],
        candidate,
    ))
}

/// A heap larger than the total.
pub fn jm_heap_exceeds_flink(flat: &str) -> Option<Found> {
    let flink = size_after(flat, "configured Total Flink Memory (")?;
    let heap = size_after(flat, "configured JVM Heap Memory (")?;
    let title = format!("The heap of {heap} is larger than total Flink memory of {flink}.");
    let reason = format!("It exceeds the total by {}.", exact(gap(heap, flink)));
    let explained = Explained::new("jm_heap_exceeds_flink", title, JM_FLINK)
        .involving([(jm::HEAP.key, Lower), (jm::FLINK.key, Raise)])
        .because(reason, "Which of the two is the one you meant? One is enough.")
        .of(Some(Role::JobManager));
    let candidate = sizes(&[(jm::FLINK, flink), (jm::HEAP, heap)]);
    Some(
        Found::new(explained).with(
            &[("totalFlink", "Total Flink", flink), ("jvmHeap", "JVM Heap", heap)],
            candidate,
        ),
    )
}

/// Heap and off-heap memory that do not add up to the total.
pub fn jm_sum_differs(flat: &str) -> Option<Found> {
    let heap = size_after(flat, "configured JVM Heap Memory (")?;
    let off_heap = size_after(flat, "configured Off-heap Memory (")?;
    let flink = size_after(flat, "does not match the configured Total Flink Memory (")?;
    let both = sum(&[heap, off_heap]).ok()?;
    let title = "Heap and off-heap memory do not add up to total Flink memory.";
    let reason = format!("They add up to {}; the total is {}.", exact(both), exact(flink));
    let explained = Explained::new("jm_heap_offheap_ne_flink", title, JM_FLINK)
        .involving([(jm::FLINK.key, Remove), (jm::HEAP.key, Set), (jm::OFF_HEAP.key, Set)])
        .because(reason, "Which of the three follows from the others? Remove it.")
        .of(Some(Role::JobManager));
    let candidate = sizes(&[(jm::FLINK, flink), (jm::HEAP, heap), (jm::OFF_HEAP, off_heap)]);
    let observed = [
        ("jvmHeap", "JVM Heap", heap),
        ("offHeap", "Off-Heap", off_heap),
        ("totalFlink", "Total Flink", flink),
    ];
    Some(Found::new(explained).with(&observed, candidate))
}
