//! What differs between two processes, or between a process and the sizes that a text shows?
//!
//! Both sides are derived; every difference is B minus A to the byte. B is what is asked about now. A
//! is either other settings of the same process, or sizes read from a start-up log or an argument
//! line, in which case a row without a difference says that the settings explain the text.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `TaskExecutorProcessSpec`, `JobManagerProcessSpec` (the sizes),
//! `ProcessMemoryUtils#generateJvmParametersStr` (the flags).

mod words;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::error::MemoryError;
use super::job_manager_answer::job_manager_layout;
use super::params::{DiagnoseParams, MemoryParams, Role, job_manager_spec, task_manager_spec};
use super::report::Component;
use super::task_manager::TaskManagerSpec;
use super::task_manager_answer::task_manager_layout;
use super::trace::Trace;
use crate::finding::{Derivation, Problem};
use crate::units::Bytes;

/// Params of `compareMemory`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompareMemoryParams {
    /// What is compared with.
    pub a: Side,
    /// What is asked about.
    pub b: DiagnoseParams,
}

/// What a process is compared with.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Side {
    /// Settings of the same kind of process.
    Settings(MemoryParams),
    /// Sizes that a text shows.
    Observed(Vec<ObservedSize>),
}

/// A size that a text shows, by the name of the field of the memory report.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObservedSize {
    /// For example `taskHeap` or `jvmDirect`.
    pub id: String,
    /// The size.
    pub bytes: Bytes,
    /// False where the text rounds it.
    pub exact: bool,
}

/// Answer of `compareMemory`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MemoryComparison {
    /// One sentence: what differs most.
    pub verdict: String,
    /// Settings that are not the same on both sides, by key; none where A is a text.
    pub settings: Vec<SettingDifference>,
    /// Every component of the process, outermost first.
    pub components: Vec<SizeDifference>,
    /// Every flag of the JVM that either side has.
    pub flags: Vec<SizeDifference>,
    /// Sizes of A that were compared.
    pub compared: usize,
    /// Those of them that equal B's.
    pub equal: usize,
}

/// A setting that is not the same on both sides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SettingDifference {
    /// Its key, or `Flink` for the version and `container limit`.
    pub option: String,
    /// Its text in A; `None` where it is not set.
    pub a: Option<String>,
    /// Its text in B.
    pub b: Option<String>,
}

/// One size on both sides.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SizeDifference {
    /// The component's id, or that of the report's field.
    pub id: &'static str,
    /// The component's name, or the flag.
    pub name: &'static str,
    /// The size in A; `None` where A does not show it.
    pub a: Option<Bytes>,
    /// The size in B; `None` where B has no such flag.
    pub b: Option<Bytes>,
    /// B minus A.
    pub difference: Option<Bytes>,
    /// The difference as a share of A; `None` where A is 0 or unknown.
    pub relative: Option<f64>,
    /// False where A is rounded, so that a small difference means nothing.
    pub exact: bool,
}

impl SizeDifference {
    fn new(id: &'static str, name: &'static str, a: Option<Bytes>, b: Option<Bytes>) -> Self {
        let difference = a.zip(b).map(|(a, b)| Bytes::new(b.get() - a.get()));
        let relative = a
            .filter(|a| *a != Bytes::ZERO)
            .and_then(|a| difference.map(|difference| difference.share_of(a)));
        Self { id, name, a, b, difference, relative, exact: true }
    }

    fn magnitude(&self) -> u64 {
        self.difference.map_or(0, |difference| difference.get().unsigned_abs())
    }

    const fn is_equal(&self) -> bool {
        matches!(self.difference, Some(difference) if difference.get() == 0)
    }
}

/// Why two sides cannot be compared: one of them does not start.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{error}")]
pub struct CompareError {
    /// The field of the params.
    pub side: &'static str,
    /// Flink's refusal.
    pub error: MemoryError,
}

impl From<CompareError> for Problem {
    fn from(error: CompareError) -> Self {
        Self { field: Some(error.side.to_owned()), ..error.error.into() }
    }
}

/// One side as it was derived.
struct Process {
    components: Vec<Component>,
    flags: [Option<Bytes>; 3],
    task_manager: Option<TaskManagerSpec>,
}

const FLAGS: [(&str, &str); 3] = [
    ("jvmHeap", "-Xmx"),
    ("jvmDirect", "-XX:MaxDirectMemorySize"),
    ("metaspace", "-XX:MaxMetaspaceSize"),
];

impl Process {
    fn derive(role: Role, params: &MemoryParams) -> Result<Self, MemoryError> {
        let trace = &mut Trace::silent();
        Ok(match role {
            Role::TaskManager => {
                let spec = task_manager_spec(params, trace, |spec, _, _| spec)?;
                let metaspace = spec.jvm.metaspace.bytes;
                Self {
                    components: task_manager_layout(params)?.0,
                    flags: [Some(spec.jvm_heap()), Some(spec.jvm_direct()), Some(metaspace)],
                    task_manager: Some(spec),
                }
            }
            Role::JobManager => {
                let spec = job_manager_spec(params, trace, |spec, _, _| spec)?;
                let direct = spec.direct_limit.then_some(spec.off_heap.bytes);
                Self {
                    components: job_manager_layout(params)?.0,
                    flags: [Some(spec.heap.bytes), direct, Some(spec.jvm.metaspace.bytes)],
                    task_manager: None,
                }
            }
        })
    }

    fn bytes(&self, id: &str) -> Option<Bytes> {
        self.components.iter().find(|component| component.id == id).map(|found| found.bytes)
    }
}

/// Compares a process with other settings of its kind, or with what a text shows of it.
///
/// # Errors
/// Flink's refusal of either side.
pub fn compare_memory(
    params: &CompareMemoryParams,
) -> Result<Derivation<MemoryComparison>, CompareError> {
    let DiagnoseParams { role, memory } = &params.b;
    let at = |side| move |error| CompareError { side, error };
    let b = Process::derive(*role, memory).map_err(at("b"))?;
    match &params.a {
        Side::Observed(sizes) => {
            Ok(Derivation { value: with_observed(sizes, &b), findings: Vec::new() })
        }
        Side::Settings(other) => {
            let a = Process::derive(*role, other).map_err(at("a"))?;
            let settings = setting_differences(other, memory);
            let value = with_settings(settings, &a, &b);
            let findings = words::smaller_heap(memory, &a, &b).into_iter().collect();
            Ok(Derivation { value, findings })
        }
    }
}

fn with_settings(settings: Vec<SettingDifference>, a: &Process, b: &Process) -> MemoryComparison {
    let components: Vec<SizeDifference> = b
        .components
        .iter()
        .map(|c| SizeDifference::new(c.id, c.name, a.bytes(c.id), Some(c.bytes)))
        .collect();
    let flags = FLAGS.iter().zip(a.flags).zip(b.flags);
    let flags: Vec<SizeDifference> = flags
        .map(|((&(id, name), a), b)| SizeDifference::new(id, name, a, b))
        .filter(|flag| flag.a.is_some() || flag.b.is_some())
        .collect();
    let equal = components.iter().filter(|row| row.is_equal()).count();
    MemoryComparison {
        verdict: words::changes_in_words(b, &components, settings.len()),
        compared: components.len(),
        equal,
        settings,
        components,
        flags,
    }
}

fn setting_differences(a: &MemoryParams, b: &MemoryParams) -> Vec<SettingDifference> {
    let row = |option: &str, a: Option<&str>, b: Option<&str>| {
        let [a, b] = [a, b].map(|text| text.map(str::to_owned));
        (a != b).then(|| SettingDifference { option: option.to_owned(), a, b })
    };
    let scripts = |params: &MemoryParams| if params.start_script { "mapped" } else { "not mapped" };
    let whole = [
        row("Flink", Some(a.version.line()), Some(b.version.line())),
        row("container limit", a.container_limit.as_deref(), b.container_limit.as_deref()),
        row("legacy heap keys", Some(scripts(a)), Some(scripts(b))),
    ];
    let keys: BTreeSet<&String> = a.config.keys().chain(b.config.keys()).collect();
    let get = |params: &'_ MemoryParams, key: &str| params.config.get(key).cloned();
    let settings =
        keys.into_iter().filter_map(|key| row(key, get(a, key).as_deref(), get(b, key).as_deref()));
    whole.into_iter().flatten().chain(settings).collect()
}

fn with_observed(sizes: &[ObservedSize], b: &Process) -> MemoryComparison {
    let seen = |id: &str| sizes.iter().find(|size| size.id == id);
    let row = |id, name, b| {
        let observed = seen(id);
        let row = SizeDifference::new(id, name, observed.map(|size| size.bytes), b);
        SizeDifference { exact: observed.is_none_or(|size| size.exact), ..row }
    };
    let components: Vec<SizeDifference> =
        b.components.iter().map(|c| row(c.id, c.name, Some(c.bytes))).collect();
    // A size that is a component too is compared once.
    let is_component = |id: &str| components.iter().any(|row| row.id == id);
    let flags: Vec<SizeDifference> = FLAGS
        .iter()
        .zip(b.flags)
        .filter(|((id, _), _)| !is_component(id))
        .map(|(&(id, name), b)| row(id, name, b))
        .filter(|flag| flag.a.is_some())
        .collect();
    let compared: Vec<&SizeDifference> = components
        .iter()
        .chain(&flags)
        .filter(|row| row.a.is_some() && row.b.is_some() && row.exact)
        .collect();
    let equal = compared.iter().filter(|row| row.is_equal()).count();
    let verdict = words::observed_in_words(&compared, equal);
    let compared = compared.len();
    MemoryComparison { verdict, settings: Vec::new(), components, flags, compared, equal }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::boundary;
    use crate::memory::options::tm;
    use crate::units::FlinkVersion;

    fn memory(config: &[(&str, &str)]) -> MemoryParams {
        let mut params = MemoryParams::new(FlinkVersion::V1_20);
        for (key, text) in config {
            params.set(key, text);
        }
        params
    }

    fn compared(a: Side, role: Role, b: &[(&str, &str)]) -> Derivation<MemoryComparison> {
        let b = DiagnoseParams { role, memory: memory(b) };
        compare_memory(&CompareMemoryParams { a, b }).expect("both start")
    }

    fn difference(rows: &[SizeDifference], id: &str) -> Option<i64> {
        rows.iter().find(|row| row.id == id).and_then(|row| row.difference).map(Bytes::get)
    }

    const BEFORE: [(&str, &str); 1] = [(tm::PROCESS.key, "4096m")];
    const AFTER: [(&str, &str); 2] = [BEFORE[0], (tm::TASK_OFF_HEAP.key, "1g")];

    #[test]
    fn what_one_pool_gains_another_loses() {
        let answer = compared(Side::Settings(memory(&BEFORE)), Role::TaskManager, &AFTER);
        let report = &answer.value;
        let gib = 1 << 30;
        assert_eq!(difference(&report.components, "taskOffHeap"), Some(gib));
        assert_eq!(difference(&report.components, "taskHeap"), Some(-gib));
        assert_eq!(difference(&report.components, "totalProcess"), Some(0));
        assert_eq!(difference(&report.flags, "jvmHeap"), Some(-gib));
        assert_eq!(difference(&report.flags, "jvmDirect"), Some(gib));
        assert_eq!((report.compared, report.equal), (10, 8));
        assert_eq!(report.settings.len(), 1);
        assert_eq!(
            report.verdict,
            "Against A: Task Heap 1 GiB less (1.42 GiB → 435 MiB), Task Off-Heap 1 GiB more (0 B → 1 GiB). One setting differs."
        );
        let finding = &answer.findings[0];
        assert_eq!(finding.title, "-Xmx is 65 % smaller than in A.");
        assert!(finding.reason.contains("Task Off-Heap takes 1 GiB"), "{}", finding.reason);
    }

    #[test]
    fn the_change_that_is_offered_gives_the_heap_of_a_and_no_more_than_it_takes() {
        let answer = compared(Side::Settings(memory(&BEFORE)), Role::TaskManager, &AFTER);
        let change = &answer.findings[0].apply[0];
        let heap = |text: &str| {
            let mut memory = memory(&AFTER);
            memory.set(&change.option, text);
            boundary::task_manager(&memory).map(|spec| spec.jvm_heap())
        };
        let a = boundary::task_manager(&memory(&BEFORE)).map(|spec| spec.jvm_heap());
        let text = change.value.as_deref().expect("a size");
        assert!(heap(text) >= a);
        let mib: i64 = text.trim_end_matches('m').parse().expect("whole MiB");
        assert!(heap(&format!("{}m", mib - 1)) < a);
    }

    #[test]
    fn the_same_settings_do_not_differ() {
        let answer = compared(Side::Settings(memory(&BEFORE)), Role::TaskManager, &BEFORE);
        assert_eq!(answer.value.equal, answer.value.compared);
        assert!(answer.findings.is_empty() && answer.value.settings.is_empty());
        assert!(answer.value.verdict.starts_with("No setting differs"));
    }

    #[test]
    fn a_smaller_process_is_no_surprise() {
        let a = Side::Settings(memory(&[(tm::PROCESS.key, "8g")]));
        assert!(compared(a, Role::TaskManager, &BEFORE).findings.is_empty());
    }

    #[test]
    fn a_side_that_does_not_start_is_named() {
        let b = DiagnoseParams { role: Role::TaskManager, memory: memory(&BEFORE) };
        let a = Side::Settings(memory(&[(tm::PROCESS.key, "900m")]));
        let error = compare_memory(&CompareMemoryParams { a, b }).expect_err("900m is too small");
        assert_eq!(Problem::from(error).field.as_deref(), Some("a"));
    }

    fn observed(id: &str, bytes: i64, exact: bool) -> ObservedSize {
        ObservedSize { id: id.to_owned(), bytes: Bytes::new(bytes), exact }
    }

    #[test]
    fn observed_sizes_match_or_name_the_largest_difference() {
        let stock = [(tm::PROCESS.key, "1728m")];
        let mut sizes = vec![
            observed("jvmHeap", 536_870_902, true),
            observed("jvmDirect", 268_435_458, true),
            observed("metaspace", 268_435_456, true),
            observed("network", 1 << 27, false),
            observed("excess", 7, true),
        ];
        let answer = compared(Side::Observed(sizes.clone()), Role::TaskManager, &stock);
        assert_eq!((answer.value.compared, answer.value.equal), (3, 3));
        assert!(answer.value.verdict.starts_with("All 3 sizes"), "{}", answer.value.verdict);
        sizes[0].bytes = Bytes::new(536_870_912);
        let answer = compared(Side::Observed(sizes), Role::TaskManager, &stock);
        assert_eq!((answer.value.compared, answer.value.equal), (3, 2));
        assert_eq!(difference(&answer.value.flags, "jvmHeap"), Some(-10));
    }

    #[test]
    fn the_heap_of_a_job_manager_is_a_component_and_is_compared_once() {
        let sizes = vec![observed("jvmHeap", 1 << 30, true)];
        let config = [("jobmanager.memory.process.size", "1600m")];
        let report = compared(Side::Observed(sizes), Role::JobManager, &config).value;
        assert_eq!((report.compared, report.equal, report.flags.len()), (1, 1, 0));
    }
}
