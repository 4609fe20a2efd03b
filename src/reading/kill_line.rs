//! Who killed this process, and which limit did it cross?
//!
//! A JVM is killed from outside when memory that no flag of it caps grows. YARN compares the process
//! tree with the container's physical and virtual size; on Kubernetes the kernel compares the cgroup
//! with the pod's limit; without a container's limit the kernel kills when the node is out of memory.
//!
//! Source: messages of Hadoop's `ContainersMonitorImpl` and `ContainerExitStatus`, of Kubernetes pod
//! statuses, and of Linux (`mm/oom_kill.c`, `mm/memcontrol.c`); what caps which pool: Flink 1.18.1,
//! 1.20.5, 2.2.1, `ProcessMemoryUtils#generateJvmParametersStr`.

pub mod system;
pub mod yarn;

use super::evidence::Evidence;
use super::exception::role_in;
use super::notes::{cite, finding, name};
use super::report::{Cause, Direction, Involved, Observed, PasteKind, PasteReport};
use super::table::Table;
use super::text::flattened;
use crate::config::size::config_text;
use crate::finding::{Change, Derivation, Finding, Severity};
use crate::memory::Role;
use crate::memory::options::{jm, tm};
use crate::memory::trace::exact;
use crate::units::{Bytes, FlinkVersion};

/// Which limit was crossed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// The physical memory of a YARN container.
    YarnPhysical,
    /// The virtual memory of a YARN container.
    YarnVirtual,
    /// The memory limit of a cgroup, which is that of a pod's container.
    Cgroup,
    /// None of the process: the node ran out of memory.
    Node,
    /// Not told: the process got the signal that cannot be caught.
    Unknown,
}

/// A kill, as far as the text tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kill {
    /// Which limit was crossed.
    pub limit: Limit,
    /// The size of the container, where it stands to the byte.
    pub container: Option<Bytes>,
    /// Facts.
    pub observed: Vec<Observed>,
    /// The process that the text speaks of.
    pub role: Option<Role>,
    /// Its first line, from 1.
    pub line: usize,
    /// The program that writes it.
    pub source: &'static str,
}

/// Reads the kill that a text tells of.
pub fn read(text: &str) -> Option<Kill> {
    let mut kill = yarn::read(text).or_else(|| system::read(text))?;
    kill.role = role_in(&flattened(text));
    Some(kill)
}

/// The report of a kill, with the settings of a table or argument line in the same text.
pub fn answer(
    version: FlinkVersion,
    kill: Kill,
    evidence: Option<Evidence>,
) -> Derivation<PasteReport> {
    let table = evidence.as_ref().and_then(|found| found.table);
    let role = kill.role.or_else(|| evidence.as_ref().and_then(|found| found.role));
    let also = match evidence.as_ref().map(|found| found.kind) {
        None => "",
        Some(PasteKind::StartupLog) => " The memory table of the same text is used too.",
        Some(_) => " The JVM arguments of the same text are used too.",
    };
    let recognised = format!(
        "Read as a kill, because line {} holds a message of {}.{also}",
        kill.line, kill.source
    );
    let mut answer = match evidence {
        Some(evidence) => evidence.into_report(version, PasteKind::KillLine, recognised),
        None => Derivation {
            value: PasteReport {
                kind: PasteKind::KillLine,
                recognised,
                role: None,
                entries: Vec::new(),
                skipped: Vec::new(),
                observed: Vec::new(),
                cause: None,
                container_limit: None,
            },
            findings: Vec::new(),
        },
    };
    answer.value.role = role;
    answer.value.container_limit = kill.container.map(config_text);
    answer.value.cause = Some(cause(&kill, role));
    if let (Some(container), Some(table)) = (kill.container, table) {
        answer.findings.extend(beside_the_process(version, container, &table));
    }
    answer.value.observed.splice(0..0, kill.observed);
    answer
}

/// What the container holds beside the process that Flink plans.
fn beside_the_process(version: FlinkVersion, container: Bytes, table: &Table) -> Option<Finding> {
    let process = table.process()?;
    let key = match table.role() {
        Role::TaskManager => tm::PROCESS.key,
        Role::JobManager => jm::PROCESS.key,
    };
    let who = name(table.role());
    let (title, reason, apply) = if process > container {
        let over = process.checked_sub(container)?;
        (
            format!("The container is {} smaller than the {who}.", exact(over)),
            format!("Flink plans {}, the container holds {}.", exact(process), exact(container)),
            vec![Change::set(key, config_text(container))],
        )
    } else {
        let spare = container.checked_sub(process)?;
        (
            format!("The container holds {} that Flink does not plan with.", exact(spare)),
            format!(
                "The pools add up to {}; what was used beyond that came from memory that no flag caps.",
                exact(process)
            ),
            Vec::new(),
        )
    };
    let severity = if apply.is_empty() { Severity::Note } else { Severity::Error };
    let source = cite("ProcessMemoryUtils", version);
    let found = finding("container_against_process", severity, title, reason, source);
    Some(Finding { option: Some(key.to_owned()), apply, ..found })
}

const TM_UNCAPPED: [&str; 4] =
    ["Managed Memory", "JVM Overhead", "Framework Off-Heap", "Task Off-Heap"];
const JM_UNCAPPED: [&str; 2] = ["JVM Overhead", "Off-Heap"];

fn cause(kill: &Kill, role: Option<Role>) -> Cause {
    let is_jm = role == Some(Role::JobManager);
    let process = if is_jm { jm::PROCESS.key } else { tm::PROCESS.key };
    let overhead = if is_jm { jm::OVERHEAD_MIN.key } else { tm::OVERHEAD_MIN.key };
    let uncapped = if is_jm { JM_UNCAPPED.to_vec() } else { TM_UNCAPPED.to_vec() };
    let capped = if is_jm {
        "Heap and metaspace are capped by -Xmx and -XX:MaxMetaspaceSize, so they did not grow past their plan. Not capped are JVM overhead (thread stacks, code cache, collector, native libraries) and, unless jobmanager.memory.enable-jvm-direct-memory-limit is true, direct memory."
    } else {
        "Heap, direct memory and metaspace are capped by -Xmx, -XX:MaxDirectMemorySize and -XX:MaxMetaspaceSize, so they did not grow past their plan. Not capped are managed memory as RocksDB and Python use it, JVM overhead (thread stacks, code cache, collector, native libraries), and native memory of the off-heap pools."
    };
    let native = "Which part outgrew its plan: RocksDB, thread stacks, the allocator, or a native library? Compare the JVM's native memory tracking with the resident size; a heap that is not full says that more heap makes it worse.";
    let (code, title, reason, options, next) = match kill.limit {
        Limit::YarnPhysical => (
            "yarn_physical_limit",
            "YARN killed the container: its physical memory limit was crossed.".to_owned(),
            format!("YARN adds up the resident memory of the process tree. {capped}"),
            vec![(overhead, Direction::Raise), (process, Direction::Raise)],
            native,
        ),
        Limit::YarnVirtual => (
            "yarn_virtual_limit",
            "YARN killed the container: its virtual memory limit was crossed, not the physical one.".to_owned(),
            "Virtual memory is address space that is reserved, not memory in use; a JVM reserves much of it. The limit is the physical one times yarn.nodemanager.vmem-pmem-ratio. No pool of Flink is too small.".to_owned(),
            Vec::new(),
            "May yarn.nodemanager.vmem-check-enabled be false, or yarn.nodemanager.vmem-pmem-ratio larger, on this cluster? No option of Flink mends it.",
        ),
        Limit::Cgroup => (
            "container_memory_limit",
            "The kernel killed the process: the memory limit of its container was hit.".to_owned(),
            format!("The limit is that of the cgroup, which is the pod's memory limit; Flink's Kubernetes integration sets it to {process} times kubernetes.*.memory.limit-factor. {capped}"),
            vec![(overhead, Direction::Raise), (process, Direction::Raise)],
            native,
        ),
        Limit::Node => (
            "node_out_of_memory",
            "The kernel killed the process because the whole node ran out of memory.".to_owned(),
            "No limit of a container was hit: the processes on the node together use more than it has. The largest is killed, whether or not it is at fault.".to_owned(),
            vec![(process, Direction::Lower)],
            "What else runs on the node, and do the requests of all containers fit into it?",
        ),
        Limit::Unknown => (
            "killed_by_signal",
            "The process was killed from outside with signal 9 (exit code 137 is 128 + 9).".to_owned(),
            format!("The code alone does not say why: a memory limit, a failed liveness probe, an eviction or a person. If it was memory: {capped}"),
            vec![(overhead, Direction::Raise), (process, Direction::Raise)],
            "Does the pod's last state say OOMKilled, or the node's kernel log \"Memory cgroup out of memory\"? Only then it was the memory limit.",
        ),
    };
    let has_uncapped = !matches!(kill.limit, Limit::YarnVirtual | Limit::Node);
    let is_known = kill.limit != Limit::Unknown;
    let options: Vec<Involved> = options
        .into_iter()
        .map(|(option, direction)| Involved { option: option.to_owned(), direction })
        .collect();
    Cause {
        code,
        title,
        reason,
        knob: options.first().map(|first| first.option.clone()).filter(|_| is_known),
        options,
        uncapped: if has_uncapped { uncapped } else { Vec::new() },
        next: next.to_owned(),
        source: kill.source.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use crate::finding::{Derivation, Severity};
    use crate::reading::{PasteKind, PasteParams, PasteReport, read_paste};
    use crate::units::FlinkVersion;

    fn read(text: &str) -> Derivation<PasteReport> {
        let version = FlinkVersion::V1_20;
        read_paste(&PasteParams { version, text: text.to_owned(), file_name: None }).expect("read")
    }

    #[track_caller]
    fn check(text: &str, code: &str, knob: Option<&str>, limit: Option<&str>) {
        let report = read(text).value;
        let cause = report.cause.expect("a cause");
        assert_eq!((report.kind, cause.code), (PasteKind::KillLine, code));
        assert_eq!(cause.knob.as_deref(), knob);
        assert_eq!(report.container_limit.as_deref(), limit);
    }

    const OVERHEAD: Option<&str> = Some("taskmanager.memory.jvm-overhead.min");

    #[test]
    fn each_limit_has_its_own_knob() {
        let yarn = "Container [pid=1,containerID=c] is running beyond physical memory limits. Current usage: 4.2 GB of 4 GB physical memory used; 5.6 GB of 8.4 GB virtual memory used. Killing container.";
        check(yarn, "yarn_physical_limit", OVERHEAD, Some("4g"));
        let virtual_memory = yarn.replace("beyond physical", "beyond virtual");
        check(&virtual_memory, "yarn_virtual_limit", None, Some("4g"));
        check("reason: OOMKilled", "container_memory_limit", OVERHEAD, None);
        check(
            "memory: usage 1024kB, limit 1024kB, failcnt 1",
            "container_memory_limit",
            OVERHEAD,
            Some("1m"),
        );
        check("State: Terminated\nReason: Error\nExit Code: 137\n", "killed_by_signal", None, None);
        let jm = "Pod flink-jobmanager-0 JobManager: OOMKilled";
        check(jm, "container_memory_limit", Some("jobmanager.memory.jvm-overhead.min"), None);
    }

    #[test]
    fn a_configuration_that_speaks_of_an_exit_code_stays_one() {
        let text = "taskmanager.memory.process.size: 4g\nmy.note: exit code 137\n";
        assert_eq!(read(text).value.kind, PasteKind::FlinkConf);
    }

    #[test]
    fn a_container_below_the_table_beside_it_is_an_error() {
        let table = "Final Master Memory configuration:\n Total Process Memory: 1024.000mb (1073741824 bytes)\n JVM Heap: 448.000mb (469762048 bytes)\n Off-heap: 128.000mb (134217728 bytes)\n JVM Metaspace: 256.000mb (268435456 bytes)\n JVM Overhead: 192.000mb (201326592 bytes)\n";
        for (limit, severity) in [("1048575kB", Severity::Error), ("2097152kB", Severity::Note)] {
            let answer = read(&format!("{table}memory: usage 1kB, limit {limit}, failcnt 1"));
            let found = answer.findings.iter().find(|f| f.code == "container_against_process");
            assert_eq!(found.expect("it is compared").severity, severity);
            assert_eq!(answer.value.entries[0].value, "1g");
        }
    }
}
