//! Which pools of a process do not fit, and by how much?
//!
//! Source: messages of Flink 1.18.1, 1.20.5, 2.2.1, `ProcessMemoryUtils`,
//! `TaskExecutorFlinkMemoryUtils#sanityCheckTotalFlinkMemory`, `#sanityCheckNetworkMemory`.

use super::Found;
use super::values::{inconsistent_range, unreadable_size};
use crate::config::size::config_text;
use crate::memory::Role;
use crate::memory::arithmetic::{multiply, sum};
use crate::memory::options::{OptionDef, jm, tm};
use crate::memory::trace::exact;
use crate::reading::exception::{Explained, role_in};
use crate::reading::report::Direction::{Lower, Raise, Remove, Set};
use crate::reading::table::{differing, sizes};
use crate::reading::text::size_after;
use crate::units::Bytes;

const PROCESS: &str = "ProcessMemoryUtils";
const TM_FLINK: &str = "TaskExecutorFlinkMemoryUtils";

/// Components that exceed total Flink memory.
pub fn flink_exceeded(flat: &str) -> Option<Found> {
    let flink = size_after(flat, "exceed configured Total Flink Memory (")?;
    let framework_heap = size_after(flat, "Framework Heap Memory (")?;
    let framework_off_heap = size_after(flat, "Framework Off-Heap Memory (")?;
    let task_off_heap = size_after(flat, "Task Off-Heap Memory (")?;
    let managed = size_after(flat, "Managed Memory (")?;
    let task_heap = size_after(flat, "Task Heap Memory (");
    let network = size_after(flat, "Network Memory (");
    let fraction = |f: f32| multiply(flink, f64::from(f)).unwrap_or(Bytes::ZERO);
    let default = Bytes::mib(128);
    let (managed_default, network_floor) = (fraction(0.4), Bytes::mib(64));
    let mut parts = vec![
        (tm::FRAMEWORK_HEAP, "frameworkHeap", "Framework Heap", framework_heap, default),
        (
            tm::FRAMEWORK_OFF_HEAP,
            "frameworkOffHeap",
            "Framework Off-Heap",
            framework_off_heap,
            default,
        ),
        (tm::TASK_OFF_HEAP, "taskOffHeap", "Task Off-Heap", task_off_heap, Bytes::ZERO),
        (tm::MANAGED, "managed", "Managed Memory", managed, managed_default),
    ];
    if let Some(task_heap) = task_heap {
        parts.push((tm::TASK_HEAP, "taskHeap", "Task Heap", task_heap, Bytes::ZERO));
    }
    if let Some(network) = network {
        let usual = fraction(0.1).max(network_floor);
        parts.push((tm::NETWORK_MIN, "network", "Network Memory", network, usual));
    }
    let all: Vec<Bytes> = parts.iter().map(|part| part.3).collect();
    let total = sum(&all).ok()?;
    let over = total.checked_sub(flink)?;
    let excess = |size: Bytes, usual: Bytes| size.checked_sub(usual).unwrap_or(Bytes::ZERO);
    let culprit = parts.iter().max_by_key(|part| excess(part.3, part.4))?;
    let is_oversized = excess(culprit.3, culprit.4) > Bytes::ZERO;
    let mut reason = format!("They need {}, {} more than there is.", exact(total), exact(over));
    if let Some(network) = network {
        let freed = excess(network, network_floor);
        let rest = excess(over, freed);
        if rest > Bytes::ZERO {
            let rest = exact(rest);
            reason += &format!(
                " Network memory is not the cause: even at its default minimum of 64 MiB the sum is {rest} too large."
            );
        }
    }
    let totals = [(tm::FLINK.key, Raise), (tm::PROCESS.key, Raise)];
    let title = format!("The pools do not fit into total Flink memory of {flink}.");
    let mut explained = Explained::new("flink_exceeded_by_components", title, TM_FLINK);
    if is_oversized {
        reason += &format!(
            " {} stands out: {} where {} is usual.",
            culprit.2,
            exact(culprit.3),
            exact(culprit.4)
        );
        explained = explained.involving([(culprit.0.key, Lower)]).involving(totals);
    } else {
        reason += " No pool is larger than its default, so the total is too small.";
        explained = explained.involving(totals);
    }
    let next = "Is total Flink memory set, or is it what metaspace and overhead leave of the process? The message is the same.";
    let mut candidate = sizes(&[(tm::FLINK, flink)]);
    candidate.extend(differing(&[
        (tm::FRAMEWORK_HEAP, framework_heap),
        (tm::FRAMEWORK_OFF_HEAP, framework_off_heap),
        (tm::TASK_OFF_HEAP, task_off_heap),
    ]));
    if managed != managed_default {
        candidate.extend(sizes(&[(tm::MANAGED, managed)]));
    }
    candidate.extend(task_heap.map(|size| (tm::TASK_HEAP.key, config_text(size))));
    let plain_network = fraction(0.1).max(network_floor);
    if let Some(network) = network.filter(|network| *network != plain_network) {
        candidate.extend(sizes(&[(tm::NETWORK_MIN, network), (tm::NETWORK_MAX, network)]));
    }
    let mut observed: Vec<_> = parts.iter().map(|part| (part.1, part.2, part.3)).collect();
    observed.push(("totalFlink", "Total Flink", flink));
    let explained = explained.because(reason, next).of(Some(Role::TaskManager));
    Some(Found::new(explained).with(&observed, candidate))
}

/// The three sizes of "Derived … size (x) is not in configured … range [a, b]".
fn derived_and_range(flat: &str, what: &str) -> Option<[Bytes; 3]> {
    let size = size_after(flat, &format!("Derived {what} size ("))?;
    let (_, range) = flat.split_once(&format!("is not in configured {what} range ["))?;
    let min = size_after(range, "")?;
    let (_, max) = range.split_once(", ")?;
    Some([size, min, size_after(max, "")?])
}

/// Network memory as the remainder, outside its range.
pub fn network_not_in_range(flat: &str) -> Option<Found> {
    let title = "Network memory is what the other pools leave, and that is outside its range.";
    let explained =
        Explained::new("network_not_in_range", title, TM_FLINK).of(Some(Role::TaskManager));
    let next = "Which of total Flink memory, task heap and managed memory are set? With task heap set, network memory gets the rest.";
    let parts = [(tm::TASK_HEAP.key, Lower), (tm::MANAGED.key, Lower), (tm::FLINK.key, Raise)];
    if let Some([size, min, max]) = derived_and_range(flat, "Network Memory") {
        let observed = [
            ("network", "Network Memory", size),
            ("networkMin", "Its minimum", min),
            ("networkMax", "Its maximum", max),
        ];
        let (reason, explained) = if size < min {
            let reason = format!(
                "{} is left, {} less than the minimum.",
                exact(size),
                exact(gap(min, size))
            );
            (reason, explained.involving([(tm::NETWORK_MIN.key, Lower)]).involving(parts))
        } else {
            let reason = format!(
                "{} is left, {} more than the maximum.",
                exact(size),
                exact(gap(size, max))
            );
            let parts = parts.map(|(key, way)| (key, if way == Raise { Lower } else { Raise }));
            (reason, explained.involving([(tm::NETWORK_MAX.key, Raise)]).involving(parts))
        };
        return Some(Found::new(explained.because(reason, next)).with(&observed, Vec::new()));
    }
    let buffers = "does not match configured Network Memory size (";
    if let (Some(left), Some(wanted)) =
        (size_after(flat, "Derived Network Memory size ("), size_after(flat, buffers))
    {
        let reason = format!(
            "{} is left, but the number of buffers asks for {}.",
            exact(left),
            exact(wanted)
        );
        let explained =
            explained.involving([(tm::NETWORK_BUFFERS.key, Remove)]).because(reason, next);
        let observed = [
            ("network", "Network Memory", left),
            ("networkWanted", "Asked for by buffers", wanted),
        ];
        return Some(Found::new(explained).with(&observed, Vec::new()));
    }
    // The range itself may be what cannot be read.
    if let Some(mut found) = inconsistent_range(flat).or_else(|| unreadable_size(flat)) {
        found.explained.cause.code = "network_not_in_range";
        found.explained.role = Some(Role::TaskManager);
        return Some(found);
    }
    let reason = "The cause below this message holds the sizes; paste it too.";
    let explained = explained.involving([(tm::NETWORK_MIN.key, Set), (tm::NETWORK_MAX.key, Set)]);
    Some(Found::new(explained.because(reason, next)))
}

/// The difference of two sizes, 0 where it would be negative.
pub fn gap(larger: Bytes, smaller: Bytes) -> Bytes {
    larger.checked_sub(smaller).unwrap_or(Bytes::ZERO)
}

/// The option of the process that a message is about; a TaskManager where it does not say.
fn either(flat: &str, tm: OptionDef, jm: OptionDef) -> &'static str {
    if role_in(flat) == Some(Role::JobManager) { jm.key } else { tm.key }
}

/// JVM overhead as the remainder, outside its range.
pub fn overhead_not_in_range(flat: &str) -> Option<Found> {
    let [size, min, max] = derived_and_range(flat, "JVM Overhead")?;
    let process = either(flat, tm::PROCESS, jm::PROCESS);
    let flink = either(flat, tm::FLINK, jm::FLINK);
    let title = "JVM overhead is what total Flink memory and metaspace leave of the process, and that is outside its range.";
    let explained = Explained::new("overhead_not_in_range", title, PROCESS);
    let (reason, explained) = if size < min {
        let reason =
            format!("{} is left, {} less than the minimum.", exact(size), exact(gap(min, size)));
        let min = either(flat, tm::OVERHEAD_MIN, jm::OVERHEAD_MIN);
        (reason, explained.involving([(process, Raise), (flink, Lower), (min, Lower)]))
    } else {
        let reason =
            format!("{} is left, {} more than the maximum.", exact(size), exact(gap(size, max)));
        let max = either(flat, tm::OVERHEAD_MAX, jm::OVERHEAD_MAX);
        (reason, explained.involving([(max, Raise), (process, Lower), (flink, Raise)]))
    };
    let next = "Are both totals set, or task heap and managed memory beside the process? Setting one total only lets Flink derive the overhead.";
    let observed = [
        ("jvmOverhead", "JVM Overhead", size),
        ("overheadMin", "Its minimum", min),
        ("overheadMax", "Its maximum", max),
    ];
    Some(Found::new(explained.because(reason, next)).with(&observed, Vec::new()))
}

/// A process smaller than Flink memory and metaspace.
pub fn process_lt_flink(flat: &str) -> Option<Found> {
    let process = size_after(flat, "configured Total Process Memory size (")?;
    let flink = size_after(flat, "derived Total Flink Memory size (")?;
    let metaspace = size_after(flat, "default JVM Metaspace size (")?;
    let rest = sum(&[flink, metaspace]).ok()?;
    let (p, f) = (either(flat, tm::PROCESS, jm::PROCESS), either(flat, tm::FLINK, jm::FLINK));
    let title = format!("The process of {process} is smaller than what is to be inside.");
    let reason = format!(
        "Flink memory and metaspace take {}, {} more than the process, and JVM overhead comes on top.",
        exact(rest),
        exact(gap(rest, process))
    );
    let next = "Which of the two totals is the one you meant? Remove the other.";
    let explained = Explained::new("process_lt_flink_plus_metaspace", title, PROCESS)
        .involving([(p, Raise), (f, Lower)])
        .because(reason, next);
    let mut candidate = vec![(p, config_text(process)), (f, config_text(flink))];
    let meta = if p == jm::PROCESS.key { jm::METASPACE } else { tm::METASPACE };
    candidate.extend(differing(&[(meta, metaspace)]));
    let observed = [
        ("totalProcess", "Total Process", process),
        ("totalFlink", "Total Flink", flink),
        ("metaspace", "JVM Metaspace", metaspace),
    ];
    Some(Found::new(explained).with(&observed, candidate))
}

/// A process smaller than metaspace and overhead.
pub fn process_lt_jvm(flat: &str) -> Option<Found> {
    let metaspace = size_after(flat, "configured JVM Metaspace (")?;
    let overhead = size_after(flat, "and JVM Overhead (")?;
    let process = size_after(flat, "exceed configured Total Process Memory (")?;
    let is_jm = role_in(flat) == Some(Role::JobManager);
    let p = either(flat, tm::PROCESS, jm::PROCESS);
    let min = if is_jm { jm::OVERHEAD_MIN } else { tm::OVERHEAD_MIN };
    let meta = if is_jm { jm::METASPACE } else { tm::METASPACE };
    let both = sum(&[metaspace, overhead]).ok()?;
    let title = format!("The process of {process} does not even hold the JVM's own memory.");
    let reason = format!(
        "Metaspace and overhead take {}, {} more than the process.",
        exact(both),
        exact(gap(both, process))
    );
    let next = "Is the total the memory of the whole container? Heap and all other pools come on top of metaspace and overhead.";
    let explained = Explained::new("process_lt_metaspace_plus_overhead", title, PROCESS)
        .involving([(p, Raise), (meta.key, Lower), (min.key, Lower)])
        .because(reason, next);
    let mut candidate = vec![(p, config_text(process))];
    candidate.extend(differing(&[(meta, metaspace), (min, overhead)]));
    let observed = [
        ("metaspace", "JVM Metaspace", metaspace),
        ("jvmOverhead", "JVM Overhead", overhead),
        ("totalProcess", "Total Process", process),
    ];
    Some(Found::new(explained).with(&observed, candidate))
}
