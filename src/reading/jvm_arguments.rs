//! Which settings can have produced these JVM arguments?
//!
//! `-Xmx` is framework and task heap, `-XX:MaxDirectMemorySize` both off-heap pools and network
//! memory (of a JobManager: off-heap memory, where it is limited), `-XX:MaxMetaspaceSize` metaspace.
//! Managed memory and JVM overhead are in no flag. Where the defaults of one total give exactly
//! these arguments, that total is taken; otherwise the pools are set one by one. `-D` properties on
//! the same line pin all pools and are taken instead.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `ProcessMemoryUtils#generateJvmParametersStr`; the last of
//! equal flags counts, as in the JVM.

use super::report::{Observed, Setting};
use super::table::{Table, derived, differing, params, sizes};
use crate::config::paste::dynamic::{without_log_prefix, words};
use crate::config::text::java_lines;
use crate::memory::boundary::least_up_to;
use crate::memory::options::{jm, tm};
use crate::memory::trace::Trace;
use crate::memory::{MemoryParams, Role, job_manager_spec, task_manager_spec};
use crate::units::{Bytes, FlinkVersion};

const DIRECT: &str = "-XX:MaxDirectMemorySize";

/// The flags that Flink derives, and what else stands there.
#[derive(Debug, Default)]
pub struct Arguments {
    /// `-Xmx`.
    pub heap: Option<Bytes>,
    /// `-Xms`.
    pub initial_heap: Option<Bytes>,
    /// `-XX:MaxDirectMemorySize`.
    pub direct: Option<Bytes>,
    /// `-XX:MaxMetaspaceSize`.
    pub metaspace: Option<Bytes>,
    /// The process, where the main class or a property tells it.
    pub role: Option<Role>,
    /// What was read, in the order of the text.
    pub observed: Vec<Observed>,
    /// Those of the four whose size cannot be read, with their lines: name and whole word.
    pub unreadable: Vec<(usize, &'static str, String)>,
    /// Flags that do not decide a pool, with their lines.
    pub others: Vec<(usize, String)>,
}

/// Reads the flags of a text; `None` where there is none of the four.
pub fn read(text: &str) -> Option<Arguments> {
    let mut found = Arguments::default();
    for (index, line) in java_lines(text).enumerate() {
        if line.trim_start().starts_with('#') {
            continue;
        }
        for word in words(without_log_prefix(line)) {
            found.take(&word, index + 1);
        }
    }
    (!found.observed.is_empty() || !found.unreadable.is_empty()).then_some(found)
}

impl Arguments {
    fn take(&mut self, word: &str, line: usize) {
        // The result line of the start script glues its first flag to a prefix.
        let flag = word.strip_prefix("BASH_JAVA_UTILS_EXEC_RESULT:").unwrap_or(word);
        if let Some((id, name, size)) = sized_flag(flag) {
            let Some(size) = jvm_size(size) else {
                return self.unreadable.push((line, name, flag.to_owned()));
            };
            match id {
                "jvmHeap" => self.heap = Some(size),
                "initialHeap" => self.initial_heap = Some(size),
                "jvmDirect" => self.direct = Some(size),
                _ => self.metaspace = Some(size),
            }
            self.observed.retain(|earlier| earlier.id != id);
            self.observed.push(Observed::size(id, name, line, size));
        } else if flag.starts_with("-X") {
            self.others.push((line, flag.to_owned()));
        } else if self.role.is_none() {
            self.role = role_of(word);
        }
    }

    /// The process: told by the text, or by the flag that only a TaskManager always has.
    pub fn likely_role(&self) -> Role {
        let unreadable = self.unreadable.iter().any(|(_, name, _)| *name == DIRECT);
        let has_direct = self.direct.is_some() || unreadable;
        let told_by_flag = if has_direct { Role::TaskManager } else { Role::JobManager };
        self.role.unwrap_or(told_by_flag)
    }
}

/// A flag that Flink derives: its id, its name, and the text of its size.
fn sized_flag(flag: &str) -> Option<(&'static str, &'static str, &str)> {
    const FLAGS: [(&str, &str, &str); 4] = [
        ("-Xmx", "jvmHeap", "-Xmx"),
        ("-Xms", "initialHeap", "-Xms"),
        ("-XX:MaxDirectMemorySize=", "jvmDirect", DIRECT),
        ("-XX:MaxMetaspaceSize=", "metaspace", "-XX:MaxMetaspaceSize"),
    ];
    FLAGS
        .iter()
        .find_map(|(start, id, name)| flag.strip_prefix(start).map(|size| (*id, *name, size)))
}

/// A size as the JVM reads it: digits and at most one of `k`, `m`, `g`, `t`.
fn jvm_size(text: &str) -> Option<Bytes> {
    let unit_at = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(unit_at);
    let shift = match unit {
        "" => 0,
        "k" | "K" => 10,
        "m" | "M" => 20,
        "g" | "G" => 30,
        "t" | "T" => 40,
        _ => return None,
    };
    let number: i64 = number.parse().ok()?;
    number.checked_mul(1 << shift).map(Bytes::new)
}

/// The process that a main class or a property belongs to.
fn role_of(word: &str) -> Option<Role> {
    let word = word.strip_prefix("-D").unwrap_or(word);
    if word.starts_with("taskmanager.") || word.contains("TaskManagerRunner") {
        return Some(Role::TaskManager);
    }
    if word.contains("TaskExecutorRunner") {
        return Some(Role::TaskManager);
    }
    let lower = word.to_lowercase();
    (word.starts_with("jobmanager.memory.") || lower.contains("clusterentrypoint"))
        .then_some(Role::JobManager)
}

/// Settings from which Flink derives exactly these arguments, and whether managed memory in them
/// is a guess of ours.
#[derive(Debug, PartialEq, Eq)]
pub struct Inverted {
    /// The settings.
    pub settings: Vec<Setting>,
    /// Whether they are a total with defaults, which then decides the rest too.
    pub from_defaults: bool,
}

/// Inverts the arguments of a process; `None` where a flag that Flink always passes is missing, or
/// no settings give these values.
pub fn invert(version: FlinkVersion, role: Role, arguments: &Arguments) -> Option<Inverted> {
    let (heap, metaspace) = (arguments.heap?, arguments.metaspace?);
    let wanted = match role {
        Role::TaskManager => Wanted { role, heap, direct: Some(arguments.direct?), metaspace },
        Role::JobManager => Wanted { role, heap, direct: arguments.direct, metaspace },
    };
    if let Some(settings) = wanted.total_with_defaults(version) {
        return Some(Inverted { settings, from_defaults: true });
    }
    let settings = wanted.pool_by_pool();
    // The overhead is in no flag either; where its default does not fit beside huge sizes, none is.
    let overhead = match role {
        Role::TaskManager => [(tm::OVERHEAD_MIN, Bytes::ZERO), (tm::OVERHEAD_MAX, Bytes::ZERO)],
        Role::JobManager => [(jm::OVERHEAD_MIN, Bytes::ZERO), (jm::OVERHEAD_MAX, Bytes::ZERO)],
    };
    let without_overhead = [settings.clone(), sizes(&overhead)].concat();
    [settings, without_overhead]
        .into_iter()
        .find(|settings| wanted.is_given_by(&params(version, settings)))
        .map(|settings| Inverted { settings, from_defaults: false })
}

/// The arguments that a configuration must give.
#[derive(Debug, Clone, Copy)]
struct Wanted {
    role: Role,
    heap: Bytes,
    direct: Option<Bytes>,
    metaspace: Bytes,
}

impl Wanted {
    fn is_given_by(&self, params: &MemoryParams) -> bool {
        let trace = &mut Trace::silent();
        let given = match self.role {
            Role::TaskManager => task_manager_spec(params, trace, |spec, _, _| {
                (spec.jvm_heap(), Some(spec.jvm_direct()), spec.jvm.metaspace.bytes)
            }),
            Role::JobManager => job_manager_spec(params, trace, |spec, _, _| {
                let direct = spec.direct_limit.then_some(spec.off_heap.bytes);
                (spec.heap.bytes, direct, spec.jvm.metaspace.bytes)
            }),
        };
        given.is_ok_and(|given| given == (self.heap, self.direct, self.metaspace))
    }

    /// A total process memory whose defaults give the arguments, whole MiB if one is among them;
    /// direct memory beyond the defaults is the tasks' off-heap memory.
    fn total_with_defaults(&self, version: FlinkVersion) -> Option<Vec<Setting>> {
        let (process, metaspace) = match self.role {
            Role::TaskManager => (tm::PROCESS, tm::METASPACE),
            Role::JobManager => (jm::PROCESS, jm::METASPACE),
        };
        let mut base = differing(&[(metaspace, self.metaspace)]);
        if let (Role::JobManager, Some(direct)) = (self.role, self.direct) {
            base.extend(differing(&[(jm::OFF_HEAP, direct)]));
            base.push((jm::DIRECT_LIMIT.key, "true".to_owned()));
        }
        let with_total = |size: i64| {
            let mut settings = sizes(&[(process, Bytes::new(size))]);
            settings.extend(base.iter().cloned());
            settings
        };
        // Heap and direct memory of a TaskManager grow together with the total, whatever their
        // split; so does the heap of a JobManager beside a fixed off-heap memory.
        let target = match self.role {
            Role::TaskManager => self.heap.checked_add(self.direct?)?,
            Role::JobManager => self.heap,
        };
        let reached = |size: i64| {
            match derived(self.role, &params(version, &with_total(size))) {
                Some(Table::TaskManager(t)) => {
                    t.flink().and_then(|flink| flink.checked_sub(t.managed))
                }
                Some(Table::JobManager(t)) => Some(t.heap),
                None => None,
            }
            .unwrap_or(Bytes::ZERO)
        };
        // Flink memory is at most 1/0.6 of heap and direct memory, the process 1/0.9 of the rest.
        let upper = target
            .get()
            .checked_mul(2)?
            .checked_add(self.metaspace.get().checked_mul(2)?)?
            .checked_add(Bytes::gib(2).get())?;
        let first = least_up_to(upper, |size| reached(size) >= target)?;
        let beyond = least_up_to(upper, |size| reached(size) > target)?;
        let mib = Bytes::mib(1).get();
        let whole = first.checked_add(mib - 1)? / mib * mib;
        let last = beyond - 1;
        let in_range = |size: &i64| (first..beyond).contains(size);
        let plain = [whole, first, last].into_iter().filter(in_range).map(with_total);
        let beside_off_heap = || self.with_off_heap(version, with_total(whole));
        let from_flink = || {
            let flink = derived(self.role, &params(version, &with_total(first)))?.flink()?.get();
            let flink = Bytes::new(flink.checked_add(mib - 1)? / mib * mib);
            let total = match self.role {
                Role::TaskManager => tm::FLINK,
                Role::JobManager => jm::FLINK,
            };
            Some([sizes(&[(total, flink)]), base.clone()].concat())
        };
        // What somebody wrote is rarely an odd number of bytes.
        let found: Vec<Vec<Setting>> =
            plain.filter(|settings| self.is_given_by(&params(version, settings))).collect();
        let is_whole = |settings: &&Vec<Setting>| {
            settings.first().is_some_and(|(_, text)| text.ends_with(['m', 'g', 't']))
        };
        found
            .iter()
            .find(is_whole)
            .cloned()
            .or_else(|| from_flink().filter(|s| self.is_given_by(&params(version, s))))
            .or_else(|| beside_off_heap().filter(|_| in_range(&whole)))
            .or_else(|| found.first().cloned())
    }

    /// The settings with as much off-heap memory for tasks as direct memory has beyond them.
    fn with_off_heap(&self, version: FlinkVersion, settings: Vec<Setting>) -> Option<Vec<Setting>> {
        let table = derived(self.role, &params(version, &settings))?;
        let Table::TaskManager(table) = table else { return None };
        let given = table.framework_off_heap.checked_add(table.network)?;
        let extra = self.direct?.checked_sub(given)?;
        let settings = [settings, sizes(&[(tm::TASK_OFF_HEAP, extra)])].concat();
        self.is_given_by(&params(version, &settings)).then_some(settings)
    }

    /// Every pool that a flag shows; the defaults of the framework are kept where they fit, and
    /// managed memory, which no flag shows, is none.
    fn pool_by_pool(&self) -> Vec<Setting> {
        let default = Bytes::mib(128);
        let minus = |whole: Bytes, part: Bytes| whole.checked_sub(part).unwrap_or(Bytes::ZERO);
        match (self.role, self.direct) {
            (Role::TaskManager, direct) => {
                let direct = direct.unwrap_or(Bytes::ZERO);
                let framework_heap = default.min(self.heap);
                let framework_off_heap = default.min(direct);
                let network = minus(direct, framework_off_heap);
                let mut settings = sizes(&[
                    (tm::TASK_HEAP, minus(self.heap, framework_heap)),
                    (tm::MANAGED, Bytes::ZERO),
                    (tm::NETWORK_MIN, network),
                    (tm::NETWORK_MAX, network),
                ]);
                settings.extend(differing(&[
                    (tm::FRAMEWORK_HEAP, framework_heap),
                    (tm::FRAMEWORK_OFF_HEAP, framework_off_heap),
                    (tm::METASPACE, self.metaspace),
                ]));
                settings
            }
            (Role::JobManager, direct) => {
                let mut settings = sizes(&[(jm::HEAP, self.heap)]);
                if let Some(direct) = direct {
                    settings.extend(differing(&[(jm::OFF_HEAP, direct)]));
                    settings.push((jm::DIRECT_LIMIT.key, "true".to_owned()));
                }
                settings.extend(differing(&[(jm::METASPACE, self.metaspace)]));
                settings
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inverted(role: Role, line: &str) -> Option<Vec<(&'static str, String)>> {
        let arguments = read(line).expect("flags");
        assert_eq!(arguments.likely_role(), role, "{line}");
        invert(FlinkVersion::V1_20, role, &arguments).map(|inverted| inverted.settings)
    }

    #[test]
    fn the_stock_arguments_lead_back_to_the_stock_total() {
        let got = inverted(
            Role::TaskManager,
            "-Xmx536870902 -Xms536870902 -XX:MaxDirectMemorySize=268435458 -XX:MaxMetaspaceSize=268435456",
        );
        assert_eq!(got, Some(vec![(tm::PROCESS.key, "1728m".to_owned())]));
        let got = inverted(
            Role::JobManager,
            "-Xmx1073741824 -Xms1073741824 -XX:MaxMetaspaceSize=268435456",
        );
        assert_eq!(got, Some(vec![(jm::PROCESS.key, "1600m".to_owned())]));
    }

    #[test]
    fn off_heap_memory_of_tasks_is_found() {
        let got = inverted(
            Role::TaskManager,
            "-Xmx590557974 -Xms590557974 -XX:MaxDirectMemorySize=1567663067 -XX:MaxMetaspaceSize=268435456",
        );
        let want = [(tm::PROCESS.key, "4g"), (tm::TASK_OFF_HEAP.key, "1g")];
        assert_eq!(got, Some(want.map(|(key, text)| (key, text.to_owned())).to_vec()));
    }

    #[test]
    fn a_handmade_line_is_taken_pool_by_pool() {
        let got = inverted(
            Role::TaskManager,
            "java -Xms4425m -Xmx4425m -XX:MaxDirectMemorySize=1719m -XX:+UseG1GC -XX:MaxMetaspaceSize=96m x.TaskManagerRunner",
        )
        .expect("settings");
        assert!(got.contains(&(tm::TASK_HEAP.key, "4297m".to_owned())), "{got:?}");
        assert!(got.contains(&(tm::METASPACE.key, "96m".to_owned())), "{got:?}");
    }

    #[test]
    fn without_a_flag_that_flink_always_passes_nothing_is_inverted() {
        let arguments = read("java -Xmx1g -Xss512k Main").expect("a flag");
        assert_eq!(invert(FlinkVersion::V1_20, Role::TaskManager, &arguments), None);
        assert_eq!(arguments.others, [(1, "-Xss512k".to_owned())]);
    }

    #[test]
    fn a_flag_that_cannot_be_read_is_not_a_missing_one() {
        let arguments = read("-Xmx99999999999999999999g -Xms1m -Xss1m").expect("a flag");
        let word = "-Xmx99999999999999999999g".to_owned();
        assert_eq!(arguments.unreadable, [(1, "-Xmx", word)]);
        assert_eq!(arguments.initial_heap, Some(Bytes::mib(1)));
        assert_eq!(arguments.others, [(1, "-Xss1m".to_owned())]);
        let arguments = read("-Xmx-5 -XX:MaxMetaspaceSize=").expect("two flags");
        assert_eq!(arguments.unreadable.len(), 2);
        assert!(read("-Xss1m").is_none());
    }

    #[test]
    fn sizes_are_those_of_the_jvm() {
        assert_eq!(jvm_size("512K"), Some(Bytes::kib(512)));
        assert_eq!(jvm_size("1.5g"), None);
        assert_eq!(jvm_size("9223372036854775807k"), None);
        assert_eq!(jvm_size(""), None);
    }
}
