//! Which limit did a running or starting process hit?
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `NetworkBufferPool`, `TaskExecutorResourceUtils`,
//! `TaskManagerExceptionUtils`, `ClusterEntryPointExceptionUtils` (which options they name);
//! `java.lang.OutOfMemoryError` of the JVM.

use super::{Explained, role_in};
use crate::config::size::{config_text, parse};
use crate::finding::{Change, Finding, Severity};
use crate::memory::Role;
use crate::memory::options::{OptionDef, jm, tm};
use crate::memory::trace::exact;
use crate::reading::notes::{cite, finding};
use crate::reading::report::Direction::{Lower, Raise, Set};
use crate::reading::report::Observed;
use crate::reading::text::{line_of, number_after};
use crate::units::{Bytes, FlinkVersion};

/// Understands a message of a process at work; `flat` is the text as one line.
pub fn explain(version: FlinkVersion, text: &str, flat: &str) -> Option<Explained> {
    insufficient_buffers(version, text, flat)
        .or_else(|| pool_not_allocated(version, text, flat))
        .or_else(|| not_resolved(text, flat))
        .or_else(|| out_of_memory(text, flat))
}

const POOL: &str = "NetworkBufferPool";

/// "Insufficient number of network buffers: required 33, but only 8 available. …"
fn insufficient_buffers(version: FlinkVersion, text: &str, flat: &str) -> Option<Explained> {
    const SIGN: &str = "Insufficient number of network buffers";
    let (_, rest) = flat.split_once(SIGN)?;
    let line = line_of(text, SIGN);
    let required: u32 = number_after(rest, "required ")?;
    let available: u32 = number_after(rest, "but only ")?;
    let total: Option<u32> = number_after(rest, "currently set to ");
    let size: Option<i64> =
        rest.split_once("currently set to ").and_then(|(_, rest)| number_after(rest, " of "));
    let mut observed = vec![
        Observed::number("requiredBuffers", "Required buffers", line, required),
        Observed::number("availableBuffers", "Available buffers", line, available),
    ];
    let mut findings = Vec::new();
    let mut reason = format!("{required} more buffers must be there, {available} are.");
    if let (Some(total), Some(size)) = (total, size) {
        observed.push(Observed::number("totalBuffers", "All buffers", line, total));
        observed.push(Observed::size("segmentSize", "Segment Size", line, Bytes::new(size)));
        let needed = i64::from(total) - i64::from(available) + i64::from(required);
        if let Some(bytes) = needed.checked_mul(size).filter(|bytes| *bytes > 0) {
            let bytes = Bytes::new(bytes);
            reason += &format!(
                " {needed} instead of {total} buffers of {size} bytes let this task start."
            );
            findings.push(Finding {
                option: Some(tm::NETWORK_MIN.key.to_owned()),
                price: Some("With a fixed total, task heap shrinks by as much.".to_owned()),
                apply: vec![Change::set(tm::NETWORK_MIN.key, config_text(bytes))],
                ..finding(
                    "network_for_this_task",
                    Severity::Note,
                    format!("Set {} to at least {}.", tm::NETWORK_MIN.key, exact(bytes)),
                    "It is enough for the task that failed; tasks that come after it need more.",
                    cite(POOL, version),
                )
            });
        }
    }
    let mut explained =
        Explained::new("insufficient_network_buffers", "Network memory has too few buffers.", POOL)
            .involving([
                (tm::NETWORK_MIN.key, Raise),
                (tm::NETWORK_FRACTION.key, Raise),
                (tm::NETWORK_MAX.key, Raise),
            ])
            .because(reason, "How many tasks run in one TaskManager, and at which parallelism? Only minima count: 2 buffers a channel and 1 for each gate, 1 a subpartition and 1 for each partition.")
            .of(Some(Role::TaskManager));
    (explained.line, explained.observed, explained.findings) = (line, observed, findings);
    Some(explained)
}

/// "Could not allocate enough memory segments for NetworkBufferPool (required (MB): …"
fn pool_not_allocated(version: FlinkVersion, text: &str, flat: &str) -> Option<Explained> {
    const SIGN: &str = "memory segments for NetworkBufferPool";
    let (_, rest) = flat.split_once(SIGN)?;
    let line = line_of(text, SIGN);
    let megabytes = |what: &str| {
        let number: Option<i64> =
            ["MB", "Mb"].iter().find_map(|unit| number_after(rest, &format!("{what} ({unit}):")));
        number.and_then(|mib| mib.checked_mul(1 << 20)).map(Bytes::new)
    };
    let (required, allocated) = (megabytes("required")?, megabytes("allocated")?);
    let missing = megabytes("missing")?;
    let default = tm::SEGMENT_SIZE.default.and_then(|text| parse(text).ok())?;
    let segments = |size: Bytes| size.get() / default.get();
    let reason = format!(
        "All of network memory is allocated when the process starts: {required} are needed, {allocated} \
         were allocated and {missing} are missing ({} of {} segments of {default}, if that is the \
         segment size). The limit is that of direct memory; where -XX:MaxDirectMemorySize is not \
         set, as in a program that embeds Flink, it is the heap limit, -Xmx.",
        segments(allocated),
        segments(required)
    );
    let next = "Was this JVM started by Flink's scripts, which set -XX:MaxDirectMemorySize, or by a program that embeds Flink? The latter must set it to network memory and more.";
    let mut explained = Explained::new(
        "network_pool_not_allocated",
        "Direct memory is too small for network memory.",
        POOL,
    )
    .involving([(tm::NETWORK_MAX.key, Lower), (tm::NETWORK_MIN.key, Lower)])
    .because(reason, next)
    .of(Some(Role::TaskManager));
    explained.line = line;
    explained.findings = direct_memory_findings(version, required, allocated);
    explained.observed = vec![
        Observed::size("network", "Network Memory", line, required).rounded(),
        Observed::size("networkAllocated", "Allocated of it", line, allocated).rounded(),
        Observed::size("networkMissing", "Missing of it", line, missing).rounded(),
    ];
    Some(explained)
}

/// Less network memory, or more direct memory: by how much.
fn direct_memory_findings(
    version: FlinkVersion,
    required: Bytes,
    allocated: Bytes,
) -> Vec<Finding> {
    let text = config_text(allocated);
    let less = finding(
        "network_within_direct_memory",
        Severity::Note,
        format!(
            "Direct memory held {} of network memory; at most that much fits.",
            exact(allocated)
        ),
        "What else is direct in this JVM needs its part too. A program that embeds Flink has no total to derive from: network memory is what minimum and maximum say, and they must be equal.",
        cite("TaskExecutorResourceUtils", version),
    );
    let more = finding(
        "direct_memory_for_the_network",
        Severity::Note,
        format!("Or let direct memory hold {} and what else is direct.", exact(required)),
        "Set -XX:MaxDirectMemorySize of this JVM to that; where it is not set, the limit is -Xmx, and a larger heap raises it.",
        "HotSpot, -XX:MaxDirectMemorySize".to_owned(),
    );
    vec![
        Finding {
            option: Some(tm::NETWORK_MAX.key.to_owned()),
            price: Some("Fewer buffers: fewer or slower channels.".to_owned()),
            apply: vec![
                Change::set(tm::NETWORK_MIN.key, text.clone()),
                Change::set(tm::NETWORK_MAX.key, text),
            ],
            ..less
        },
        more,
    ]
}

/// "The network memory min (256 mb) and max (4 gb) mismatch, the network memory has to be resolved …"
fn not_resolved(text: &str, flat: &str) -> Option<Explained> {
    const SIGN: &str = "mismatch, the network memory has to be resolved";
    let (before, _) = flat.split_once(SIGN)?;
    let (_, sizes) = before.rsplit_once("The network memory min (")?;
    let (min, rest) = sizes.split_once(')')?;
    let (_, max) = rest.split_once("max (")?;
    let (max, _) = max.split_once(')')?;
    let (min, max) = (parse(min).ok()?, parse(max).ok()?);
    let line = line_of(text, "The network memory min (");
    let reason = format!(
        "The range {min} to {max} is legal. The program that starts a TaskManager derives all pools \
         and passes each as a fixed -D property, minimum and maximum of network memory equal; here \
         it did not."
    );
    let next = "Who starts this TaskManager? Use Flink's script or the YARN or Kubernetes integration of the same version, or pass the pinned -D properties yourself.";
    let mut explained = Explained::new(
        "pools_not_resolved",
        "The TaskManager was started without the derived -D properties; the sizes are not wrong.",
        "TaskExecutorResourceUtils",
    )
    .involving([(tm::NETWORK_MIN.key, Set), (tm::NETWORK_MAX.key, Set)])
    .because(reason, next)
    .of(Some(Role::TaskManager));
    explained.line = line;
    explained.observed = vec![
        Observed::size("networkMin", "Least network memory", line, min),
        Observed::size("networkMax", "Most network memory", line, max),
    ];
    explained.settings = vec![
        (tm::NETWORK_MIN.key.to_owned(), config_text(min)),
        (tm::NETWORK_MAX.key.to_owned(), config_text(max)),
    ];
    Some(explained)
}

/// A kind of `OutOfMemoryError`.
struct Kind {
    sign: &'static str,
    code: &'static str,
    title: &'static str,
    reason: &'static str,
    next: &'static str,
    task_manager: &'static [OptionDef],
    job_manager: &'static [OptionDef],
}

const KINDS: [Kind; 6] = [
    Kind {
        sign: "Java heap space",
        code: "heap_exhausted",
        title: "The JVM heap is full: -Xmx was hit.",
        reason: "The heap of a TaskManager is framework heap and task heap; user code and HashMap state fill the latter. More framework heap helps nobody.",
        next: "Is the state on the heap (HashMap backend), or did objects of user code pile up? A heap dump tells; RocksDB moves state out of the heap.",
        task_manager: &[tm::TASK_HEAP, tm::FLINK, tm::PROCESS],
        job_manager: &[jm::HEAP, jm::FLINK, jm::PROCESS],
    },
    Kind {
        sign: "GC overhead limit exceeded",
        code: "heap_exhausted_by_gc",
        title: "The JVM heap is nearly full: almost all time went into collecting it.",
        reason: "The collector frees next to nothing any more, so the heap is too small or leaks; it is the same limit as of \"Java heap space\", -Xmx.",
        next: "Does the heap come down after a full collection? If not, look for what holds it; if so, it is too small.",
        task_manager: &[tm::TASK_HEAP, tm::FLINK, tm::PROCESS],
        job_manager: &[jm::HEAP, jm::FLINK, jm::PROCESS],
    },
    Kind {
        sign: "Metaspace",
        code: "metaspace_exhausted",
        title: "Metaspace is full: -XX:MaxMetaspaceSize was hit.",
        reason: "It holds the classes of the JVM, Flink and the job. Flink logs the same advice: raise it, or look for a leak of class loaders.",
        next: "Does it grow with every job that is submitted to the same cluster? Then old classes are held; put such libraries into lib/ rather than into the job's jar.",
        task_manager: &[tm::METASPACE],
        job_manager: &[jm::METASPACE],
    },
    Kind {
        sign: "Direct buffer memory",
        code: "direct_exhausted",
        title: "Direct memory is full: -XX:MaxDirectMemorySize was hit.",
        reason: "The limit is the sum of framework off-heap, task off-heap and network memory. Network memory is allocated in full at the start, so user code and connectors have the other two only; task off-heap memory is 0 by default.",
        next: "Which library allocates direct buffers (Kafka, a cloud store's client, Netty)? With a fixed total, what task off-heap memory gains, task heap loses.",
        task_manager: &[tm::TASK_OFF_HEAP, tm::FRAMEWORK_OFF_HEAP],
        job_manager: &[jm::OFF_HEAP],
    },
    Kind {
        sign: "bytes of direct buffer memory",
        code: "direct_exhausted",
        title: "Direct memory is full: -XX:MaxDirectMemorySize was hit.",
        reason: "The limit is the sum of framework off-heap, task off-heap and network memory. Network memory is allocated in full at the start, so user code and connectors have the other two only; task off-heap memory is 0 by default.",
        next: "Which library allocates direct buffers (Kafka, a cloud store's client, Netty)? With a fixed total, what task off-heap memory gains, task heap loses.",
        task_manager: &[tm::TASK_OFF_HEAP, tm::FRAMEWORK_OFF_HEAP],
        job_manager: &[jm::OFF_HEAP],
    },
    Kind {
        sign: "unable to create ",
        code: "no_more_threads",
        title: "The operating system refused another thread; no pool of the JVM is full.",
        reason: "A thread's stack is native memory, in JVM overhead, which no flag caps. The limit hit is the number of processes of the user or container, or its memory.",
        next: "How many threads does the process have, and what do the pids limit of the container and ulimit -u allow? More heap makes it worse.",
        task_manager: &[tm::OVERHEAD_MIN],
        job_manager: &[jm::OVERHEAD_MIN],
    },
];

fn out_of_memory(text: &str, flat: &str) -> Option<Explained> {
    let (_, message) = flat.split_once("OutOfMemoryError: ")?;
    let kind = KINDS
        .iter()
        .filter_map(|kind| message.find(kind.sign).map(|at| (at, kind)))
        .min_by_key(|(at, _)| *at)?
        .1;
    if kind.code == "no_more_threads" && !message.contains("native thread") {
        return None;
    }
    let role = role_in(flat);
    let options = match role {
        Some(Role::JobManager) => kind.job_manager,
        _ => kind.task_manager,
    };
    let mut explained = Explained::new(kind.code, kind.title, "java.lang.OutOfMemoryError")
        .involving(options.iter().map(|option| (option.key, Raise)))
        .because(kind.reason, kind.next)
        .of(role);
    if kind.code == "no_more_threads" {
        explained.cause.uncapped = vec!["JVM Overhead"];
    }
    let line = line_of(text, "OutOfMemoryError");
    explained.line = line;
    // "Cannot reserve 65536 bytes of direct buffer memory (allocated: 1, limit: 2)", since JDK 16.
    let numbers = [
        ("directRequested", "Requested", "Cannot reserve "),
        ("directAllocated", "Allocated", "(allocated: "),
        ("jvmDirect", "Limit of direct memory", "limit: "),
    ];
    if kind.code == "direct_exhausted" {
        for (id, name, label) in numbers {
            if let Some(size) = number_after::<i64>(message, label) {
                explained.observed.push(Observed::size(id, name, line, Bytes::new(size)));
            }
        }
    }
    Some(explained)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, code: &str, knob: Option<&str>) -> Explained {
        let flat = crate::reading::text::flattened(text);
        let explained = explain(FlinkVersion::V1_20, text, &flat).expect("it is known");
        assert_eq!(explained.cause.code, code);
        assert_eq!(explained.cause.knob.as_deref(), knob);
        explained
    }

    #[test]
    fn errors_of_the_jvm_name_their_limit() {
        let tm = "WARN  org.apache.flink.runtime.taskmanager.Task [] - x\n";
        let oom = "java.lang.OutOfMemoryError: ";
        let heap = format!("{tm}{oom}Java heap space\n\tat a.B.c(B.java:1)");
        assert_eq!(check(&heap, "heap_exhausted", Some(tm::TASK_HEAP.key)).line, 2);
        let jm_heap = format!("Fatal error in ClusterEntrypoint\nCaused by: {oom}Java heap space");
        check(&jm_heap, "heap_exhausted", Some(jm::HEAP.key));
        check(
            &format!("{oom}GC overhead limit exceeded"),
            "heap_exhausted_by_gc",
            Some(tm::TASK_HEAP.key),
        );
        check(&format!("{oom}Metaspace"), "metaspace_exhausted", Some(tm::METASPACE.key));
        check(
            &format!("{oom}Direct buffer memory. The direct out-of-memory error has occurred."),
            "direct_exhausted",
            Some(tm::TASK_OFF_HEAP.key),
        );
        for thread in [
            "unable to create new native thread",
            "unable to create native thread: possibly out of memory",
        ] {
            check(&format!("{oom}{thread}"), "no_more_threads", Some(tm::OVERHEAD_MIN.key));
        }
        let reserve = format!(
            "{oom}Cannot reserve 65536 bytes of direct buffer memory (allocated: 268400000, limit: 268435458)"
        );
        let explained = check(&reserve, "direct_exhausted", Some(tm::TASK_OFF_HEAP.key));
        assert_eq!(explained.observed[2].bytes, Some(Bytes::new(268_435_458)));
    }

    #[test]
    fn missing_buffers_are_counted() {
        let text = "java.io.IOException: Insufficient number of network buffers: required 33, but only 8 available. The total number of network buffers is currently set to 2048 of 32768 bytes each. You can increase this number by setting the configuration keys";
        let explained = check(text, "insufficient_network_buffers", Some(tm::NETWORK_MIN.key));
        // 2048 - 8 + 33 buffers of 32 KiB.
        assert_eq!(explained.findings[0].apply, [Change::set(tm::NETWORK_MIN.key, "66336k")]);
    }

    #[test]
    fn a_pool_that_direct_memory_does_not_hold_is_explained() {
        let text = "java.lang.OutOfMemoryError: Could not allocate enough memory segments for NetworkBufferPool (required (MB): 5120, allocated (MB): 1965, missing (MB): 3155). Cause: Direct buffer memory";
        let explained = check(text, "network_pool_not_allocated", Some(tm::NETWORK_MAX.key));
        assert!(explained.cause.reason.contains("62880 of 163840 segments"));
    }

    #[test]
    fn other_errors_are_not_known() {
        for text in [
            "",
            "java.lang.OutOfMemoryError: Requested array size exceeds VM limit",
            "x.y.Z: Metaspace",
        ] {
            assert!(explain(FlinkVersion::V1_20, text, text).is_none(), "{text}");
        }
    }
}
