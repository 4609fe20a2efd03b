//! Which settings give exactly this table of pools?
//!
//! All pools can be pinned, as the start script pins them. Mostly a total and what differs from the
//! defaults is enough; the shortest set that derives to the same table, pool by pool, is taken.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `TaskExecutorProcessUtils#generateDynamicConfigsStr`,
//! `JobManagerProcessUtils#generateDynamicConfigsStr`; every set is derived again before it is given.

use super::report::Setting;
use crate::config::size::config_text;
use crate::memory::arithmetic::{RangeFraction, sum};
use crate::memory::job_manager::JobManagerSpec;
use crate::memory::options::{OptionDef, jm, tm};
use crate::memory::settings::RangeOptions;
use crate::memory::task_manager::TaskManagerSpec;
use crate::memory::trace::Trace;
use crate::memory::{
    MemoryParams, Role, job_manager, job_manager_spec, task_manager, task_manager_spec,
};
use crate::units::{Bytes, FlinkVersion};

/// The pools of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Table {
    /// Those of a TaskManager.
    TaskManager(TaskManagerTable),
    /// Those of a JobManager.
    JobManager(JobManagerTable),
}

/// The pools of a TaskManager.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskManagerTable {
    /// Heap of the framework.
    pub framework_heap: Bytes,
    /// Heap of the tasks.
    pub task_heap: Bytes,
    /// Direct and native memory of the framework.
    pub framework_off_heap: Bytes,
    /// Direct and native memory of the tasks.
    pub task_off_heap: Bytes,
    /// Network buffers.
    pub network: Bytes,
    /// Managed memory.
    pub managed: Bytes,
    /// Metaspace.
    pub metaspace: Bytes,
    /// JVM overhead.
    pub overhead: Bytes,
}

/// The pools of a JobManager.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JobManagerTable {
    /// JVM heap.
    pub heap: Bytes,
    /// Direct and native memory.
    pub off_heap: Bytes,
    /// Metaspace.
    pub metaspace: Bytes,
    /// JVM overhead.
    pub overhead: Bytes,
}

impl From<&TaskManagerSpec> for TaskManagerTable {
    fn from(spec: &TaskManagerSpec) -> Self {
        let (p, jvm) = (&spec.pools, &spec.jvm);
        Self {
            framework_heap: p.framework_heap.bytes,
            task_heap: p.task_heap.bytes,
            framework_off_heap: p.framework_off_heap.bytes,
            task_off_heap: p.task_off_heap.bytes,
            network: p.network.bytes,
            managed: p.managed.bytes,
            metaspace: jvm.metaspace.bytes,
            overhead: jvm.overhead.bytes,
        }
    }
}

impl From<&JobManagerSpec> for JobManagerTable {
    fn from(spec: &JobManagerSpec) -> Self {
        Self {
            heap: spec.heap.bytes,
            off_heap: spec.off_heap.bytes,
            metaspace: spec.jvm.metaspace.bytes,
            overhead: spec.jvm.overhead.bytes,
        }
    }
}

impl TaskManagerTable {
    /// Total Flink memory, unless the pools overflow.
    pub fn flink(&self) -> Option<Bytes> {
        sum(&[
            self.framework_heap,
            self.task_heap,
            self.framework_off_heap,
            self.task_off_heap,
            self.network,
            self.managed,
        ])
        .ok()
    }
}

impl Table {
    /// The process it is of.
    pub const fn role(&self) -> Role {
        match self {
            Self::TaskManager(_) => Role::TaskManager,
            Self::JobManager(_) => Role::JobManager,
        }
    }

    /// Total Flink memory, unless the pools overflow.
    pub fn flink(&self) -> Option<Bytes> {
        match self {
            Self::TaskManager(table) => table.flink(),
            Self::JobManager(table) => sum(&[table.heap, table.off_heap]).ok(),
        }
    }

    /// Metaspace and overhead.
    const fn jvm(&self) -> (Bytes, Bytes) {
        match self {
            Self::TaskManager(table) => (table.metaspace, table.overhead),
            Self::JobManager(table) => (table.metaspace, table.overhead),
        }
    }

    /// Total process memory, unless the pools overflow.
    pub fn process(&self) -> Option<Bytes> {
        let (metaspace, overhead) = self.jvm();
        sum(&[self.flink()?, metaspace, overhead]).ok()
    }

    /// The settings that pin every pool.
    pub fn pinned(&self) -> Vec<Setting> {
        match self {
            Self::TaskManager(t) => sizes(&[
                (tm::FRAMEWORK_HEAP, t.framework_heap),
                (tm::FRAMEWORK_OFF_HEAP, t.framework_off_heap),
                (tm::TASK_HEAP, t.task_heap),
                (tm::TASK_OFF_HEAP, t.task_off_heap),
                (tm::MANAGED, t.managed),
                (tm::NETWORK_MIN, t.network),
                (tm::NETWORK_MAX, t.network),
                (tm::METASPACE, t.metaspace),
                (tm::OVERHEAD_MIN, t.overhead),
                (tm::OVERHEAD_MAX, t.overhead),
            ]),
            Self::JobManager(t) => sizes(&[
                (jm::HEAP, t.heap),
                (jm::OFF_HEAP, t.off_heap),
                (jm::METASPACE, t.metaspace),
                (jm::OVERHEAD_MIN, t.overhead),
                (jm::OVERHEAD_MAX, t.overhead),
            ]),
        }
    }

    /// The shortest settings that derive to this very table; `None` when no settings do.
    pub fn shortest(&self, version: FlinkVersion) -> Option<Vec<Setting>> {
        let candidates = match self {
            Self::TaskManager(table) => task_manager_candidates(self, table),
            Self::JobManager(table) => job_manager_candidates(self, table),
        };
        let mut candidates: Vec<Vec<Setting>> = candidates.into_iter().flatten().collect();
        // A total in whole MiB is more likely what somebody wrote; the sort is stable.
        let odd = |text: &str| !text.ends_with(['m', 'g', 't']);
        candidates.sort_by_key(|settings| {
            (settings.len(), settings.first().is_some_and(|(_, text)| odd(text)))
        });
        candidates.push(self.pinned());
        candidates.into_iter().find(|settings| self.is_given_by(version, settings))
    }

    /// Whether some settings derive to this very table.
    pub fn is_given_by(&self, version: FlinkVersion, settings: &[Setting]) -> bool {
        derived(self.role(), &params(version, settings)) == Some(*self)
    }
}

/// The table that a configuration derives to, if it starts.
pub fn derived(role: Role, params: &MemoryParams) -> Option<Table> {
    let trace = &mut Trace::silent();
    match role {
        Role::TaskManager => task_manager_spec(params, trace, |spec, _, _| {
            Table::TaskManager(TaskManagerTable::from(&spec))
        }),
        Role::JobManager => job_manager_spec(params, trace, |spec, _, _| {
            Table::JobManager(JobManagerTable::from(&spec))
        }),
    }
    .ok()
}

/// The params of some settings.
pub fn params(version: FlinkVersion, settings: &[Setting]) -> MemoryParams {
    let mut params = MemoryParams::new(version);
    for (key, text) in settings {
        params.set(key, text);
    }
    params
}

/// Sizes as settings.
pub fn sizes(pairs: &[(OptionDef, Bytes)]) -> Vec<Setting> {
    pairs.iter().map(|(option, size)| (option.key, config_text(*size))).collect()
}

/// Sizes as settings, without those that are the option's default.
pub fn differing(pairs: &[(OptionDef, Bytes)]) -> Vec<Setting> {
    let differs = |(option, size): &&(OptionDef, Bytes)| {
        option.default.and_then(|text| crate::config::size::parse(text).ok()) != Some(*size)
    };
    pairs.iter().filter(differs).map(|(option, size)| (option.key, config_text(*size))).collect()
}

/// From the total process, the total Flink memory, and task heap with managed memory.
fn task_manager_candidates(table: &Table, t: &TaskManagerTable) -> [Option<Vec<Setting>>; 3] {
    let fixed = [
        (tm::FRAMEWORK_HEAP, t.framework_heap),
        (tm::FRAMEWORK_OFF_HEAP, t.framework_off_heap),
        (tm::TASK_OFF_HEAP, t.task_off_heap),
        (tm::METASPACE, t.metaspace),
    ];
    let from_total = |total: OptionDef, size: Bytes, overhead: Whole| {
        let flink = table.flink()?;
        let mut settings = sizes(&[(total, size)]);
        settings.extend(differing(&fixed));
        settings.extend(managed(t.managed, flink));
        settings.extend(ranged(&task_manager::NETWORK, t.network, Whole::Known(flink))?);
        settings.extend(ranged(&task_manager::JVM.overhead, t.overhead, overhead)?);
        Some(settings)
    };
    let process = || from_total(tm::PROCESS, table.process()?, Whole::Known(table.process()?));
    let beside_jvm = || sum(&[table.flink()?, t.metaspace]).ok().map(Whole::Rest);
    let flink = || from_total(tm::FLINK, table.flink()?, beside_jvm()?);
    let fine_grained = || {
        let mut settings = sizes(&[(tm::TASK_HEAP, t.task_heap), (tm::MANAGED, t.managed)]);
        settings.extend(differing(&fixed));
        let rest = table.flink()?.checked_sub(t.network)?;
        settings.extend(ranged(&task_manager::NETWORK, t.network, Whole::Rest(rest))?);
        settings.extend(ranged(&task_manager::JVM.overhead, t.overhead, beside_jvm()?)?);
        Some(settings)
    };
    [process(), flink(), fine_grained()]
}

/// From the total process, the total Flink memory, and the heap.
fn job_manager_candidates(table: &Table, t: &JobManagerTable) -> [Option<Vec<Setting>>; 3] {
    let fixed = [(jm::OFF_HEAP, t.off_heap), (jm::METASPACE, t.metaspace)];
    let from = |first: OptionDef, size: Bytes, overhead: Whole| {
        let mut settings = sizes(&[(first, size)]);
        settings.extend(differing(&fixed));
        settings.extend(ranged(&job_manager::JVM.overhead, t.overhead, overhead)?);
        Some(settings)
    };
    let beside_jvm = || sum(&[table.flink()?, t.metaspace]).ok().map(Whole::Rest);
    [
        table.process().and_then(|process| from(jm::PROCESS, process, Whole::Known(process))),
        table.flink().and_then(|flink| from(jm::FLINK, flink, beside_jvm()?)),
        beside_jvm().and_then(|rest| from(jm::HEAP, t.heap, rest)),
    ]
}

/// What a fraction is taken of.
#[derive(Debug, Clone, Copy)]
enum Whole {
    /// A known total.
    Known(Bytes),
    /// Everything else.
    Rest(Bytes),
}

/// Managed memory as a fraction of Flink memory in whole percent, or as a size.
fn managed(managed: Bytes, flink: Bytes) -> Vec<Setting> {
    let gives = |text: &str| {
        range(Bytes::ZERO, Bytes::MAX, text)
            .is_some_and(|range| range.of(flink).is_ok_and(|sized| sized.bytes == managed))
    };
    if tm::MANAGED_FRACTION.default.is_some_and(gives) {
        return Vec::new();
    }
    if managed == Bytes::ZERO {
        return sizes(&[(tm::MANAGED, managed)]);
    }
    match percents().find(|text| gives(text)) {
        Some(text) => vec![(tm::MANAGED_FRACTION.key, text)],
        None => sizes(&[(tm::MANAGED, managed)]),
    }
}

/// The least that must be set of a range and its fraction so that it gives `size`.
fn ranged(options: &RangeOptions, size: Bytes, whole: Whole) -> Option<Vec<Setting>> {
    let default = |option: &OptionDef| crate::config::size::parse(option.default?).ok();
    let (min, max) = (default(&options.min)?, default(&options.max)?);
    let fraction = options.fraction.default?;
    let gives = |min: Bytes, max: Bytes, fraction: &str| {
        let sized = range(min, max, fraction).map(|range| match whole {
            Whole::Known(total) => range.of(total),
            Whole::Rest(rest) => range.beside(rest),
        });
        sized.is_some_and(|sized| sized.is_ok_and(|sized| sized.bytes == size))
    };
    let found = if gives(min, max, fraction) {
        Vec::new()
    } else if let Some(text) = percents().find(|text| gives(min, max, text)) {
        vec![(options.fraction.key, text)]
    } else if gives(min, size, fraction) && min <= size {
        sizes(&[(options.max, size)])
    } else if gives(size, max, fraction) && size <= max {
        sizes(&[(options.min, size)])
    } else {
        sizes(&[(options.min, size), (options.max, size)])
    };
    Some(found)
}

fn range(min: Bytes, max: Bytes, fraction: &str) -> Option<RangeFraction> {
    let fraction = f64::from(crate::config::number::parse_float(fraction).ok()?);
    Some(RangeFraction { min, max, fraction })
}

/// Fractions that people write: tenths first, then whole percents.
fn percents() -> impl Iterator<Item = String> {
    let tenths = (1..10).map(|tenth| format!("0.{tenth}"));
    tenths.chain((1..100).filter(|n| n % 10 != 0).map(|percent| format!("0.{percent:02}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(role: Role, config: &[Setting], want: &[(&str, &str)]) {
        let version = FlinkVersion::V1_20;
        let table = derived(role, &params(version, config)).expect("it starts");
        assert!(table.is_given_by(version, &table.pinned()), "{config:?}");
        let got = table.shortest(version).expect("settings give it");
        let got: Vec<(&str, &str)> = got.iter().map(|(key, text)| (*key, text.as_str())).collect();
        assert_eq!(got, want);
    }

    fn set(key: &'static str, text: &str) -> Setting {
        (key, text.to_owned())
    }

    #[test]
    fn what_was_written_is_found_again() {
        let tm = Role::TaskManager;
        check(tm, &[set(tm::PROCESS.key, "1728m")], &[(tm::PROCESS.key, "1728m")]);
        check(tm, &[set(tm::FLINK.key, "3g")], &[(tm::FLINK.key, "3g")]);
        check(
            tm,
            &[set(tm::PROCESS.key, "8g"), set(tm::MANAGED_FRACTION.key, "0.65")],
            &[(tm::PROCESS.key, "8g"), (tm::MANAGED_FRACTION.key, "0.65")],
        );
        check(
            tm,
            &[set(tm::PROCESS.key, "16g"), set(tm::NETWORK_MAX.key, "1g")],
            &[(tm::PROCESS.key, "16g"), (tm::NETWORK_MAX.key, "1g")],
        );
        check(
            tm,
            &[set(tm::TASK_HEAP.key, "1g"), set(tm::MANAGED.key, "0")],
            &[(tm::TASK_HEAP.key, "1g"), (tm::MANAGED.key, "0b")],
        );
        let jm = Role::JobManager;
        check(jm, &[set(jm::PROCESS.key, "1600m")], &[(jm::PROCESS.key, "1600m")]);
        check(jm, &[set(jm::PROCESS.key, "1024m")], &[(jm::PROCESS.key, "1g")]);
    }
}
