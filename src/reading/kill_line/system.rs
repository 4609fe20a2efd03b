//! Which limit did the kernel or Kubernetes see crossed?
//!
//! "Memory cgroup out of memory" and `CONSTRAINT_MEMCG` speak of a container's limit, a plain "Out of
//! memory" of the node. A pod's status says `OOMKilled`; exit code 137 alone says only that signal 9
//! came.
//!
//! Source: Linux, `mm/oom_kill.c` (`oom_kill_process`) and `mm/memcontrol.c` (`memory: usage …kB,
//! limit …kB`); Hadoop, `ContainerLaunch`; Kubernetes, `ContainerStateTerminated` and the eviction manager of the kubelet.

use super::{Kill, Limit};
use crate::config::text::java_lines;
use crate::reading::report::Observed;
use crate::reading::text::{digits, number_after};
use crate::units::Bytes;

const KERNEL: &str = "the Linux kernel";
const KUBERNETES: &str = "Kubernetes";
const YARN: &str = "YARN's ContainerLaunch";

/// Reads lines of the kernel's log or of a pod's status.
pub fn read(text: &str) -> Option<Kill> {
    let mut best: Option<Kill> = None;
    let mut facts: Vec<Observed> = Vec::new();
    let mut container = None;
    let mut in_limits = false;
    for (index, line) in java_lines(text).enumerate() {
        let (line, number) = (line.trim(), index + 1);
        if line.starts_with('#') {
            continue;
        }
        kernel_sizes(line, number, &mut facts, &mut container);
        in_limits |= line.starts_with("Limits:") || line.starts_with("limits:");
        if in_limits && let Some(limit) = pod_limit(line) {
            container = Some(limit);
            facts.push(Observed::size("containerLimit", "Memory limit", number, limit));
            in_limits = false;
        }
        if let Some((limit, source)) = sign(line)
            && best.as_ref().is_none_or(|best| weight(limit) > weight(best.limit))
        {
            let (container, observed, role) = (None, Vec::new(), None);
            best = Some(Kill { limit, container, observed, role, line: number, source });
        }
    }
    let mut kill = best?;
    facts.truncate(crate::config::report::MAX_SKIPPED_LINES);
    kill.observed = facts;
    if kill.limit != Limit::Node {
        kill.container = container;
    }
    Some(kill)
}

/// The more a sign tells, the more it weighs.
const fn weight(limit: Limit) -> u8 {
    match limit {
        Limit::Unknown => 0,
        Limit::Node => 1,
        _ => 2,
    }
}

fn sign(line: &str) -> Option<(Limit, &'static str)> {
    let has = |sign: &str| line.contains(sign);
    if has("Memory cgroup out of memory") || has("constraint=CONSTRAINT_MEMCG") {
        return Some((Limit::Cgroup, KERNEL));
    }
    if has("memory: usage ") && has("kB, limit ") {
        return Some((Limit::Cgroup, KERNEL));
    }
    if has("OOMKilled") {
        // `docker inspect` also prints `"OOMKilled": false`.
        return (!has("OOMKilled\": false")).then_some((Limit::Cgroup, KUBERNETES));
    }
    if has("Out of memory: Kill") || has("constraint=CONSTRAINT_NONE") {
        return Some((Limit::Node, KERNEL));
    }
    if has("low on resource: memory") {
        return Some((Limit::Node, KUBERNETES));
    }
    if has("Killed process ") && has("anon-rss:") || has("oom_reaper: reaped process") {
        return Some((Limit::Node, KERNEL));
    }
    // `ContainerLaunch` of a NodeManager.
    let source = if has("Container exited with") { YARN } else { "the system" };
    is_exit_137(line).then_some((Limit::Unknown, source))
}

/// "Exit Code: 137", `exitCode=137`, "exited with code 137", "exit status 137", "exited with a
/// non-zero exit code 137".
fn is_exit_137(line: &str) -> bool {
    let lower = line.to_lowercase();
    let Some((_, after)) = lower.split_once("exit") else { return false };
    let Some((words, rest)) = after.split_once("137") else { return false };
    let follows = words.chars().all(|c| c.is_ascii_alphabetic() || " :=\"'(_-".contains(c));
    follows && !rest.starts_with(|c: char| c.is_ascii_alphanumeric())
}

/// Sizes in kB of the kernel's lines; a cgroup's limit is the container's.
fn kernel_sizes(line: &str, number: usize, facts: &mut Vec<Observed>, limit: &mut Option<Bytes>) {
    const SIZES: [(&str, &str, &str); 4] = [
        ("total-vm:", "virtualSize", "Virtual size"),
        ("anon-rss:", "anonRss", "Anonymous resident memory"),
        ("file-rss:", "fileRss", "File-backed resident memory"),
        ("shmem-rss:", "shmemRss", "Shared resident memory"),
    ];
    let kib = |label: &str| {
        let kib: i64 = number_after(line, label)?;
        kib.checked_mul(1 << 10).map(Bytes::new)
    };
    if line.contains("Killed process ") {
        for (label, id, name) in SIZES {
            if let Some(size) = kib(label) {
                facts.push(Observed::size(id, name, number, size));
            }
        }
    }
    if line.contains("memory: usage ") && line.contains("kB, limit ") {
        if let Some(usage) = kib("memory: usage ") {
            facts.push(Observed::size("cgroupUsage", "Memory of the container", number, usage));
        }
        // Without a limit of its own, a cgroup has the largest number there is.
        if let Some(size) = kib("kB, limit ").filter(|size| *size < Bytes::gib(1 << 20)) {
            facts.push(Observed::size("containerLimit", "Memory limit", number, size));
            *limit = Some(size);
        }
    }
}

/// `memory: 4Gi` below the limits of a container.
fn pod_limit(line: &str) -> Option<Bytes> {
    let (_, value) = line.split_once("memory:")?;
    let value = value.trim().trim_matches('"');
    let (number, unit) = digits(value)?;
    let number: i64 = number.parse().ok()?;
    let multiplier: i64 = match unit {
        "" => 1,
        "Ki" => 1 << 10,
        "Mi" => 1 << 20,
        "Gi" => 1 << 30,
        "Ti" => 1 << 40,
        "k" => 1_000,
        "M" => 1_000_000,
        "G" => 1_000_000_000,
        "T" => 1_000_000_000_000,
        _ => return None,
    };
    number.checked_mul(multiplier).map(Bytes::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DMESG: &str = "\
[3217913.648990] memory: usage 4194304kB, limit 4194304kB, failcnt 1265
[3217913.648995] oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=858,mems_allowed=0,task=java,pid=11433,uid=0
[3217913.649049] Memory cgroup out of memory: Killed process 11433 (java) total-vm:25004420kB, anon-rss:4150000kB, file-rss:15612kB, shmem-rss:0kB, UID:0 pgtables:716kB oom_score_adj:0
";

    const POD: &str = "\
    Last State:     Terminated
      Reason:       OOMKilled
      Exit Code:    137
    Limits:
      cpu:     1
      memory:  1728Mi
    Requests:
      memory:  1728Mi
";

    #[test]
    fn the_kernel_tells_the_limit_of_a_container() {
        let kill = read(DMESG).expect("a kill");
        assert_eq!((kill.limit, kill.container), (Limit::Cgroup, Some(Bytes::gib(4))));
        let rss = kill.observed.iter().find(|fact| fact.id == "anonRss").expect("it stands there");
        assert_eq!((rss.bytes, rss.line), (Some(Bytes::kib(4_150_000)), 3));
    }

    #[test]
    fn a_pod_status_tells_its_limit() {
        let kill = read(POD).expect("a kill");
        assert_eq!((kill.limit, kill.container), (Limit::Cgroup, Some(Bytes::mib(1728))));
        assert_eq!((kill.source, kill.line), (KUBERNETES, 2));
        assert_eq!(read("reason: OOMKilled").expect("a kill").container, None);
    }

    #[test]
    fn a_node_out_of_memory_is_no_limit_of_a_container() {
        let text = "Out of memory: Killed process 1 (java) total-vm:1kB, anon-rss:1kB";
        assert_eq!(read(text).expect("a kill").limit, Limit::Node);
        let evicted = "The node was low on resource: memory. Container main was using 2Gi";
        assert_eq!(read(evicted).expect("a kill").limit, Limit::Node);
    }

    #[test]
    fn an_exit_code_alone_tells_little() {
        for text in [
            "Exit Code: 137",
            "exitCode=137,",
            "Process exited with code 137",
            "exit status 137",
            "Container exited with a non-zero exit code 137. Killed by external signal",
            "[2024-01-02 03:04:05.678]Container exited with a non-zero exit code 137. ",
        ] {
            assert_eq!(read(text).map(|kill| kill.limit), Some(Limit::Unknown), "{text}");
        }
        for text in [
            "exit code 1370",
            "exit code 1",
            "137",
            "\"OOMKilled\": false",
            "exit after 5, code 137x",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
