//! Which fields does the form of a process have: labels, defaults, ranges, sources?
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `TaskManagerOptions`, `JobManagerOptions`; ranges as
//! `ProcessMemoryUtils` and `RangeFraction` check them.

mod older;

use serde::{Deserialize, Serialize};

use super::options::{OptionDef, jm, tm};
use super::params::Role;
use crate::units::{Bytes, FlinkVersion};

/// Params of the question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FormParams {
    /// The version whose options are listed.
    pub version: FlinkVersion,
    /// The process.
    pub role: Role,
}

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum FieldKind {
    /// A size such as `4g`.
    Size,
    /// A fraction such as `0.4`.
    Fraction,
    /// A whole number.
    Integer,
    /// A number with decimals.
    Double,
    /// `true` or `false`.
    Flag,
}

/// How a slider moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Scale {
    /// Equal ratios are equal distances.
    Log,
    /// Equal differences are equal distances.
    Linear,
}

/// What the ends of a slider are measured in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum SliderUnit {
    /// Bytes.
    Bytes,
    /// Plain numbers.
    None,
}

/// The ends of a slider.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Slider {
    /// The left end.
    pub min: f64,
    /// The right end.
    pub max: f64,
    /// How it moves between them.
    pub scale: Scale,
    /// What the ends are measured in.
    pub unit: SliderUnit,
}

/// What becomes of a key of before Flink 1.10 in a version that still has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Older {
    /// The start scripts map it to an option of today; the classes do not read it.
    Mapped,
    /// The classes read it.
    Read,
}

/// A field of the form.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FormField {
    /// The option key.
    pub option: &'static str,
    /// The label in plain words.
    pub label: &'static str,
    /// The heading it stands under.
    pub group: &'static str,
    /// Whether it is changed often enough to stay in sight.
    pub common: bool,
    /// What becomes of a key of before Flink 1.10; `None` for the keys of today.
    pub older: Option<Older>,
    /// What it holds.
    pub kind: FieldKind,
    /// The default as Flink writes it.
    pub default: Option<&'static str>,
    /// What it does, in a sentence.
    pub hint: &'static str,
    /// Which values are accepted.
    pub range: &'static str,
    /// Class and version.
    pub source: String,
    /// A slider where a range makes sense.
    pub slider: Option<Slider>,
}

const TOTALS: &str = "Totals";
const POOLS: &str = "Pools";
/// The groups that stay in sight.
const COMMON: [&str; 2] = [TOTALS, POOLS];
const SIZE: &str = "a size such as 512m or 4g, at most 8 EiB - 1";
const FRACTION: &str = "at least 0, less than 1";

type Row =
    (OptionDef, &'static str, &'static str, FieldKind, &'static str, &'static str, Option<Slider>);

/// The fields of the form, in the order they are shown; keys of before Flink 1.10 come last, for
/// the versions that still have them.
pub fn form(params: &FormParams) -> Vec<FormField> {
    let (class, rows) = match params.role {
        Role::TaskManager => ("TaskManagerOptions", task_manager_rows()),
        Role::JobManager => ("JobManagerOptions", job_manager_rows()),
    };
    let release = params.version.checked_on();
    let field = |(option, label, group, kind, hint, range, slider): Row| FormField {
        option: option.key,
        label,
        group,
        common: COMMON.contains(&group),
        older: older::fate(&option),
        kind,
        default: option.default,
        hint,
        range,
        source: format!("{}, Flink {release}", older::reader(&option).unwrap_or(class)),
        slider,
    };
    rows.into_iter().chain(older::rows(params)).map(field).collect()
}

const fn sizes(min: Bytes, max: Bytes) -> Option<Slider> {
    let (min, max) = (min.get() as f64, max.get() as f64);
    Some(Slider { min, max, scale: Scale::Log, unit: SliderUnit::Bytes })
}

const fn fractions() -> Option<Slider> {
    Some(Slider { min: 0.0, max: 0.95, scale: Scale::Linear, unit: SliderUnit::None })
}

fn task_manager_rows() -> Vec<Row> {
    use FieldKind::{Double, Fraction, Integer, Size};
    const NETWORK: &str = "Network";
    const JVM: &str = "JVM";
    const FRAMEWORK: &str = "Framework";
    let total = sizes(Bytes::mib(512), Bytes::gib(128));
    let pool = sizes(Bytes::mib(1), Bytes::gib(64));
    let small = sizes(Bytes::mib(16), Bytes::gib(4));
    let slots = Some(Slider { min: 1.0, max: 64.0, scale: Scale::Log, unit: SliderUnit::None });
    vec![
        (
            tm::PROCESS,
            "Total process memory",
            TOTALS,
            Size,
            "Everything the process may use; the container's size on Kubernetes and YARN.",
            SIZE,
            total,
        ),
        (
            tm::FLINK,
            "Total Flink memory",
            TOTALS,
            Size,
            "Without the JVM's own memory; for standalone clusters. Set this or the process size.",
            SIZE,
            total,
        ),
        (
            tm::SLOTS,
            "Task slots",
            TOTALS,
            Integer,
            "Managed memory is divided by it; heap and network are shared.",
            "a whole number from 1",
            slots,
        ),
        (
            tm::TASK_HEAP,
            "Task heap",
            POOLS,
            Size,
            "User code and HashMap state. Not set, it is what the others leave.",
            SIZE,
            pool,
        ),
        (
            tm::MANAGED_FRACTION,
            "Managed memory, fraction",
            POOLS,
            Fraction,
            "Of total Flink memory, for RocksDB, batch operators and Python.",
            FRACTION,
            fractions(),
        ),
        (tm::MANAGED, "Managed memory, size", POOLS, Size, "Wins over the fraction.", SIZE, pool),
        (
            tm::TASK_OFF_HEAP,
            "Task off-heap",
            POOLS,
            Size,
            "Direct and native memory of user code.",
            SIZE,
            pool,
        ),
        (
            tm::NETWORK_FRACTION,
            "Network, fraction",
            NETWORK,
            Fraction,
            "Of total Flink memory, kept between minimum and maximum.",
            FRACTION,
            fractions(),
        ),
        (
            tm::NETWORK_MIN,
            "Network, minimum",
            NETWORK,
            Size,
            "The least network memory.",
            SIZE,
            small,
        ),
        (
            tm::NETWORK_MAX,
            "Network, maximum",
            NETWORK,
            Size,
            "The most network memory; unlimited by default.",
            SIZE,
            small,
        ),
        (
            tm::SEGMENT_SIZE,
            "Segment size",
            NETWORK,
            Size,
            "Bytes of one network buffer.",
            "a power of two from 4096 bytes",
            None,
        ),
        (
            tm::METASPACE,
            "JVM metaspace",
            JVM,
            Size,
            "Classes; capped by -XX:MaxMetaspaceSize.",
            SIZE,
            small,
        ),
        (
            tm::OVERHEAD_FRACTION,
            "JVM overhead, fraction",
            JVM,
            Fraction,
            "Of total process memory: threads, code cache, native libraries.",
            FRACTION,
            fractions(),
        ),
        (tm::OVERHEAD_MIN, "JVM overhead, minimum", JVM, Size, "The least overhead.", SIZE, small),
        (tm::OVERHEAD_MAX, "JVM overhead, maximum", JVM, Size, "The most overhead.", SIZE, small),
        (
            tm::FRAMEWORK_HEAP,
            "Framework heap",
            FRAMEWORK,
            Size,
            "Flink's own heap; leave it.",
            SIZE,
            small,
        ),
        (
            tm::FRAMEWORK_OFF_HEAP,
            "Framework off-heap",
            FRAMEWORK,
            Size,
            "Flink's own direct memory; leave it.",
            SIZE,
            small,
        ),
        (
            tm::CPU_CORES,
            "CPU cores",
            FRAMEWORK,
            Double,
            "The number of slots when not set.",
            "above 0",
            None,
        ),
    ]
}

fn job_manager_rows() -> Vec<Row> {
    use FieldKind::{Flag, Fraction, Size};

    const JVM: &str = "JVM";
    let total = sizes(Bytes::mib(512), Bytes::gib(32));
    let small = sizes(Bytes::mib(16), Bytes::gib(4));
    vec![
        (
            jm::PROCESS,
            "Total process memory",
            TOTALS,
            Size,
            "Everything the process may use; the container's size on Kubernetes and YARN.",
            SIZE,
            total,
        ),
        (
            jm::FLINK,
            "Total Flink memory",
            TOTALS,
            Size,
            "Heap and off-heap; for standalone clusters. Set this or the process size.",
            SIZE,
            total,
        ),
        (jm::HEAP, "JVM heap", POOLS, Size, "Not set, it is what off-heap leaves.", SIZE, total),
        (jm::OFF_HEAP, "Off-heap", POOLS, Size, "Direct and native memory.", SIZE, small),
        (
            jm::DIRECT_LIMIT,
            "Limit direct memory",
            POOLS,
            Flag,
            "Passes off-heap as -XX:MaxDirectMemorySize.",
            "true or false",
            None,
        ),
        (
            jm::METASPACE,
            "JVM metaspace",
            JVM,
            Size,
            "Classes; capped by -XX:MaxMetaspaceSize.",
            SIZE,
            small,
        ),
        (
            jm::OVERHEAD_FRACTION,
            "JVM overhead, fraction",
            JVM,
            Fraction,
            "Of total process memory: threads, code cache, native libraries.",
            FRACTION,
            fractions(),
        ),
        (jm::OVERHEAD_MIN, "JVM overhead, minimum", JVM, Size, "The least overhead.", SIZE, small),
        (jm::OVERHEAD_MAX, "JVM overhead, maximum", JVM, Size, "The most overhead.", SIZE, small),
    ]
}
