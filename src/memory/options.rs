//! Which options decide the memory of a process, with their defaults and older names?
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `TaskManagerOptions`, `JobManagerOptions`,
//! `NettyShuffleEnvironmentOptions`. Defaults are the same in all three versions.

use std::fmt;

/// A Flink option as its reader sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OptionDef {
    /// The primary key.
    pub key: &'static str,
    /// The default as Flink writes it; `None` when there is none.
    pub default: Option<&'static str>,
    /// Older keys that are read when the primary one is absent, all of them deprecated.
    pub fallbacks: &'static [&'static str],
}

/// The option as Flink's messages print it.
impl fmt::Display for OptionDef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fallbacks: Vec<String> =
            self.fallbacks.iter().map(|key| format!("{{key={key}, isDeprecated=true}}")).collect();
        let default = self.default.unwrap_or("null");
        let fallbacks = fallbacks.join(", ");
        write!(f, "Key: '{}' , default: {default} (fallback keys: [{fallbacks}])", self.key)
    }
}

const fn option(key: &'static str, default: Option<&'static str>) -> OptionDef {
    OptionDef { key, default, fallbacks: &[] }
}

const fn renamed(
    key: &'static str,
    default: Option<&'static str>,
    fallbacks: &'static [&'static str],
) -> OptionDef {
    OptionDef { key, default, fallbacks }
}

/// Options of the TaskManager.
pub mod tm {
    use super::{OptionDef, option, renamed};

    /// Total process memory.
    pub const PROCESS: OptionDef = option("taskmanager.memory.process.size", None);
    /// Total Flink memory.
    pub const FLINK: OptionDef = option("taskmanager.memory.flink.size", None);
    /// Heap of the framework.
    pub const FRAMEWORK_HEAP: OptionDef =
        option("taskmanager.memory.framework.heap.size", Some("128m"));
    /// Direct and native memory of the framework.
    pub const FRAMEWORK_OFF_HEAP: OptionDef =
        option("taskmanager.memory.framework.off-heap.size", Some("128m"));
    /// Heap of the tasks.
    pub const TASK_HEAP: OptionDef = option("taskmanager.memory.task.heap.size", None);
    /// Direct and native memory of the tasks.
    pub const TASK_OFF_HEAP: OptionDef =
        option("taskmanager.memory.task.off-heap.size", Some("0b"));
    /// Managed memory.
    pub const MANAGED: OptionDef =
        renamed("taskmanager.memory.managed.size", None, &["taskmanager.memory.size"]);
    /// Managed memory as a fraction of total Flink memory.
    pub const MANAGED_FRACTION: OptionDef =
        option("taskmanager.memory.managed.fraction", Some("0.4"));
    /// Least network memory.
    pub const NETWORK_MIN: OptionDef =
        renamed("taskmanager.memory.network.min", Some("64m"), &["taskmanager.network.memory.min"]);
    /// Most network memory; the default is unlimited.
    pub const NETWORK_MAX: OptionDef = renamed(
        "taskmanager.memory.network.max",
        Some("9223372036854775807b"),
        &["taskmanager.network.memory.max"],
    );
    /// Network memory as a fraction of total Flink memory.
    pub const NETWORK_FRACTION: OptionDef = renamed(
        "taskmanager.memory.network.fraction",
        Some("0.1"),
        &["taskmanager.network.memory.fraction"],
    );
    /// Number of network buffers, read by 1.18 and 1.20 only.
    pub const NETWORK_BUFFERS: OptionDef =
        option("taskmanager.network.numberOfBuffers", Some("2048"));
    /// Size of a network buffer.
    pub const SEGMENT_SIZE: OptionDef = option("taskmanager.memory.segment-size", Some("32kb"));
    /// Metaspace of the JVM.
    pub const METASPACE: OptionDef = option("taskmanager.memory.jvm-metaspace.size", Some("256m"));
    /// Least JVM overhead.
    pub const OVERHEAD_MIN: OptionDef = option("taskmanager.memory.jvm-overhead.min", Some("192m"));
    /// Most JVM overhead.
    pub const OVERHEAD_MAX: OptionDef = option("taskmanager.memory.jvm-overhead.max", Some("1g"));
    /// JVM overhead as a fraction of total process memory.
    pub const OVERHEAD_FRACTION: OptionDef =
        option("taskmanager.memory.jvm-overhead.fraction", Some("0.1"));
    /// CPU cores; the number of slots when not set.
    pub const CPU_CORES: OptionDef = option("taskmanager.cpu.cores", None);
    /// Slots.
    pub const SLOTS: OptionDef = option("taskmanager.numberOfTaskSlots", Some("1"));
    /// Legacy heap size, mapped by the start scripts of 1.18 and 1.20.
    pub const LEGACY_HEAP: OptionDef = option("taskmanager.heap.size", None);
    /// Legacy heap size in MiB, mapped by the start scripts of 1.18 and 1.20.
    pub const LEGACY_HEAP_MB: OptionDef = option("taskmanager.heap.mb", None);
}

/// Options of the JobManager.
pub mod jm {
    use super::{OptionDef, option};

    /// Total process memory.
    pub const PROCESS: OptionDef = option("jobmanager.memory.process.size", None);
    /// Total Flink memory.
    pub const FLINK: OptionDef = option("jobmanager.memory.flink.size", None);
    /// JVM heap.
    pub const HEAP: OptionDef = option("jobmanager.memory.heap.size", None);
    /// Direct and native memory.
    pub const OFF_HEAP: OptionDef = option("jobmanager.memory.off-heap.size", Some("128m"));
    /// Whether off-heap memory becomes the limit of direct memory.
    pub const DIRECT_LIMIT: OptionDef =
        option("jobmanager.memory.enable-jvm-direct-memory-limit", Some("false"));
    /// Metaspace of the JVM.
    pub const METASPACE: OptionDef = option("jobmanager.memory.jvm-metaspace.size", Some("256m"));
    /// Least JVM overhead.
    pub const OVERHEAD_MIN: OptionDef = option("jobmanager.memory.jvm-overhead.min", Some("192m"));
    /// Most JVM overhead.
    pub const OVERHEAD_MAX: OptionDef = option("jobmanager.memory.jvm-overhead.max", Some("1g"));
    /// JVM overhead as a fraction of total process memory.
    pub const OVERHEAD_FRACTION: OptionDef =
        option("jobmanager.memory.jvm-overhead.fraction", Some("0.1"));
    /// Legacy heap size, mapped by the start scripts of 1.18 and 1.20.
    pub const LEGACY_HEAP: OptionDef = option("jobmanager.heap.size", None);
    /// Legacy heap size in MiB, mapped by the start scripts of 1.18 and 1.20.
    pub const LEGACY_HEAP_MB: OptionDef = option("jobmanager.heap.mb", None);
}
