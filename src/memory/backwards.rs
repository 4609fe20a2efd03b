//! From which value to which does each knob start, and what is the smallest process?
//!
//! Every constraint of the derivation is monotone in one setting, but for a few bytes of truncation, so
//! the values of a knob that start lie side by side; both ends are found by deriving again, to the
//! byte for sizes (the outermost value that starts) and to a millionth for fractions. A knob that is
//! not set is tried from what it is derived to.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `TaskManagerOptions`, `JobManagerOptions` (the knobs); the ends
//! come from the derivation itself.

use serde::Serialize;

use super::boundary::{edge, outermost};
use super::options::{OptionDef, jm, tm};
use super::params::{
    DiagnoseParams, MemoryParams, Role, job_manager_spec, starts, task_manager_spec,
};
use super::sensible;
use super::settings::Settings;
use super::trace::Trace;
use crate::config::number::parse_float;
use crate::config::size::config_text;
use crate::finding::Derivation;
use crate::units::Bytes;

/// Answer of `memoryBoundaries`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BoundariesReport {
    /// Whether the configuration starts as it is.
    pub starts: bool,
    /// One sentence: the smallest process for these settings.
    pub verdict: String,
    /// The smallest total process memory that starts with the other settings; `None` where none does.
    pub smallest_process: Option<End>,
    /// The smallest one that leaves room to work in, as [`Self::sensible_means`] has it.
    pub sensible_process: Option<End>,
    /// What counts as room to work in.
    pub sensible_means: &'static str,
    /// Every size and fraction of the process, in the order of the form.
    pub knobs: Vec<KnobRange>,
}

/// From which value to which a knob starts, all else as it is.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KnobRange {
    /// The option.
    pub option: &'static str,
    /// Whether it is a size or a fraction.
    pub kind: KnobKind,
    /// The text it has, of itself or by default; `None` where it is not set.
    pub now: Option<String>,
    /// Whether any value of it starts.
    pub possible: bool,
    /// The least value that starts; `None` when every smaller one does too.
    pub lowest: Option<End>,
    /// The largest value that starts; `None` when every larger one does too.
    pub highest: Option<End>,
}

/// What values a knob takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum KnobKind {
    /// A size.
    Size,
    /// A fraction.
    Fraction,
}

/// The end of a range: a value that starts while its neighbour beyond does not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct End {
    /// The value as a configuration takes it.
    pub text: String,
    /// The value in bytes, for sizes.
    pub bytes: Option<Bytes>,
    /// The nearest whole MiB, or thousandth, inside the range; `None` where the range holds none.
    pub whole: Option<String>,
}

/// Fractions are tried in steps of one of these.
const MILLION: i64 = 1_000_000;

/// Totals are tried in steps of a fiftieth, from a MiB to 16 TiB, where nothing better is known.
const SCAN_FROM: i64 = 1 << 20;
const SCAN_TO: i64 = 1 << 44;

/// Finds the smallest process and the range of every knob.
pub fn boundaries(params: &DiagnoseParams) -> Derivation<BoundariesReport> {
    let (role, memory) = (params.role, &params.memory);
    let (process, sizes, fractions): (_, &[OptionDef], &[OptionDef]) = match role {
        Role::TaskManager => (tm::PROCESS, &TM_SIZES, &TM_FRACTIONS),
        Role::JobManager => (jm::PROCESS, &JM_SIZES, &JM_FRACTIONS),
    };
    let mut knobs: Vec<KnobRange> =
        sizes.iter().map(|option| size_range(role, memory, *option)).collect();
    knobs.extend(fractions.iter().map(|option| fraction_range(role, memory, *option)));
    let smallest_process =
        knobs.iter().find(|knob| knob.option == process.key).and_then(|knob| knob.lowest.clone());
    let verdict = match &smallest_process {
        Some(End { text, whole, .. }) => format!(
            "The smallest {} for these settings is {text}{}.",
            process.key,
            whole
                .as_ref()
                .filter(|whole| *whole != text)
                .map_or(String::new(), |whole| format!(", in whole MiB {whole}"))
        ),
        _ => format!("No {} starts with these settings.", process.key),
    };
    let sensible_process = smallest_process
        .as_ref()
        .and_then(|end| end.bytes)
        .and_then(|near| sensible::smallest(role, memory, process, near));
    let sensible_means = sensible::meaning(role);
    let starts = starts(role, memory);
    let value = BoundariesReport {
        starts,
        verdict,
        smallest_process,
        sensible_process,
        sensible_means,
        knobs,
    };
    Derivation { value, findings: Vec::new() }
}

const TM_SIZES: [OptionDef; 12] = [
    tm::PROCESS,
    tm::FLINK,
    tm::FRAMEWORK_HEAP,
    tm::TASK_HEAP,
    tm::FRAMEWORK_OFF_HEAP,
    tm::TASK_OFF_HEAP,
    tm::MANAGED,
    tm::NETWORK_MIN,
    tm::NETWORK_MAX,
    tm::METASPACE,
    tm::OVERHEAD_MIN,
    tm::OVERHEAD_MAX,
];

const TM_FRACTIONS: [OptionDef; 3] =
    [tm::MANAGED_FRACTION, tm::NETWORK_FRACTION, tm::OVERHEAD_FRACTION];

const JM_SIZES: [OptionDef; 7] = [
    jm::PROCESS,
    jm::FLINK,
    jm::HEAP,
    jm::OFF_HEAP,
    jm::METASPACE,
    jm::OVERHEAD_MIN,
    jm::OVERHEAD_MAX,
];

const JM_FRACTIONS: [OptionDef; 1] = [jm::OVERHEAD_FRACTION];

/// The range of a size option.
pub fn size_range(role: Role, memory: &MemoryParams, option: OptionDef) -> KnobRange {
    let settings = Settings::new(&memory.config, memory.version);
    let read = settings.size(&option).ok().map(|sized| sized.bytes);
    let now = settings.entry(&option).map(|(_, text)| text).or(option.default);
    let mut changed = memory.clone();
    let test = |changed: &mut MemoryParams, bytes: i64| {
        changed.set(option.key, &config_text(Bytes::new(bytes)));
        starts(role, changed)
    };
    let derived = if option.default.is_none() { derived_size(role, memory, &option) } else { None };
    let is_set = settings.contains(&option) || option.default.is_some();
    let near = if is_set { read } else { derived }.map_or(0, Bytes::get);
    let works = std::iter::once(near)
        .chain(derived.map(Bytes::get))
        .chain(guesses(near))
        .find(|bytes| test(&mut changed, *bytes));
    let changed = std::cell::RefCell::new(changed);
    let test = |bytes: i64| test(&mut changed.borrow_mut(), bytes);
    let mib = Bytes::mib(1).get();
    let end = |bytes: i64, whole: Option<i64>| End {
        text: config_text(Bytes::new(bytes)),
        bytes: Some(Bytes::new(bytes)),
        whole: whole.filter(|bytes| test(*bytes)).map(|bytes| config_text(Bytes::new(bytes))),
    };
    let lowest = works.filter(|_| !test(0)).map(|works| {
        let least = outermost(edge(works, 0, test), -1, test);
        end(least, least.checked_add(mib - 1).map(|sum| sum / mib * mib))
    });
    let highest = works.filter(|_| !test(i64::MAX)).map(|works| {
        let most = outermost(edge(works, i64::MAX, test), 1, test);
        end(most, Some(most / mib * mib))
    });
    KnobRange {
        option: option.key,
        kind: KnobKind::Size,
        now: now.map(str::to_owned),
        possible: works.is_some(),
        lowest,
        highest,
    }
}

/// Values to try for one that starts: ever farther from a value on both sides, then all over the
/// scale.
fn guesses(near: i64) -> impl Iterator<Item = i64> {
    let around = (0..63).flat_map(move |power| {
        let step = 1_i64 << power;
        [near.saturating_add(step), near.saturating_sub(step).max(0)]
    });
    let scale = std::iter::successors(Some(SCAN_FROM), |size| Some(size + size / 50))
        .take_while(|size| *size <= SCAN_TO);
    around.chain(scale)
}

/// What an option without a default is derived to when it is not set, if the rest starts.
fn derived_size(role: Role, memory: &MemoryParams, option: &OptionDef) -> Option<Bytes> {
    let mut memory = memory.clone();
    for key in std::iter::once(option.key).chain(option.fallbacks.iter().copied()) {
        memory.config.remove(key);
    }
    let (memory, key) = (&memory, option.key);
    let trace = &mut Trace::silent();
    match role {
        Role::TaskManager => task_manager_spec(memory, trace, |spec, _, _| match key {
            _ if key == tm::PROCESS.key => spec.total_process(),
            _ if key == tm::FLINK.key => spec.total_flink(),
            _ if key == tm::TASK_HEAP.key => spec.pools.task_heap.bytes,
            _ => spec.pools.managed.bytes,
        }),
        Role::JobManager => job_manager_spec(memory, trace, |spec, _, _| match key {
            _ if key == jm::PROCESS.key => spec.total_process(),
            _ if key == jm::FLINK.key => spec.total_flink(),
            _ => spec.heap.bytes,
        }),
    }
    .ok()
}

/// The range of a fraction.
pub fn fraction_range(role: Role, memory: &MemoryParams, option: OptionDef) -> KnobRange {
    let settings = Settings::new(&memory.config, memory.version);
    let now = settings.entry(&option).map(|(_, text)| text).or(option.default);
    let changed = std::cell::RefCell::new(memory.clone());
    let test = |millionths: i64| {
        let mut changed = changed.borrow_mut();
        changed.set(option.key, &fraction_text(millionths));
        starts(role, &changed)
    };
    let read = now.and_then(|text| parse_float(text).ok()).filter(|f| (0.0..1.0).contains(f));
    let near = read.map_or(0, |fraction| (f64::from(fraction) * MILLION as f64).round() as i64);
    let scale = (0..1000).map(|thousandth| thousandth * 1000);
    let works = std::iter::once(near).chain(scale).find(|millionths| test(*millionths));
    let end = |millionths: i64, whole: i64| End {
        text: fraction_text(millionths),
        bytes: None,
        whole: test(whole).then(|| fraction_text(whole)),
    };
    let lowest = works.filter(|_| !test(0)).map(|works| {
        let least = edge(works, 0, test);
        end(least, (least + 999) / 1000 * 1000)
    });
    // 1 itself never starts where the fraction is read.
    let highest = works.filter(|_| !test(MILLION)).map(|works| {
        let most = edge(works, MILLION, test);
        end(most, most / 1000 * 1000)
    });
    KnobRange {
        option: option.key,
        kind: KnobKind::Fraction,
        now: now.map(str::to_owned),
        possible: works.is_some(),
        lowest,
        highest,
    }
}

/// A number of millionths as a decimal, without zeros at its end.
fn fraction_text(millionths: i64) -> String {
    let text = format!("{}.{:06}", millionths / MILLION, millionths % MILLION);
    let text = text.trim_end_matches('0');
    text.strip_suffix('.').unwrap_or(text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::FlinkVersion;

    fn asked(role: Role, config: &[(&str, &str)]) -> BoundariesReport {
        let mut memory = MemoryParams::new(FlinkVersion::V1_20);
        for (key, text) in config {
            memory.set(key, text);
        }
        boundaries(&DiagnoseParams { role, memory }).value
    }

    #[track_caller]
    fn smallest(report: &BoundariesReport) -> (Bytes, Option<&str>) {
        let end = report.smallest_process.as_ref().expect("some process starts");
        (end.bytes.expect("a size"), end.whole.as_deref())
    }

    #[test]
    fn the_smallest_process_with_all_defaults_is_982_mib() {
        for config in [&[][..], &[(tm::PROCESS.key, "900m")], &[(tm::PROCESS.key, "8g")]] {
            let report = asked(Role::TaskManager, config);
            assert_eq!(smallest(&report).1, Some("982m"), "{config:?}");
            assert_eq!(report.starts, config.first().is_some_and(|(_, text)| *text == "8g"));
        }
    }

    #[test]
    fn a_process_around_flink_memory_has_two_ends() {
        let report = asked(Role::TaskManager, &[(tm::FLINK.key, "6g")]);
        let knob = &report.knobs[0];
        // Flink memory, metaspace, and overhead from its minimum to its maximum.
        let bytes = |end: &Option<End>| end.as_ref().and_then(|end| end.bytes);
        assert_eq!(bytes(&knob.lowest), Some(Bytes::mib(6144 + 256 + 192)));
        assert_eq!(bytes(&knob.highest), Some(Bytes::mib(6144 + 256 + 1024)));
    }

    #[test]
    fn fractions_have_ends_to_a_millionth() {
        let config = [(tm::PROCESS.key, "1728m")];
        let report = asked(Role::TaskManager, &config);
        let knob = report.knobs.iter().find(|knob| knob.option == tm::MANAGED_FRACTION.key);
        let highest = knob.and_then(|knob| knob.highest.clone()).expect("an end");
        // 1280 MiB of Flink memory hold 384 MiB of the framework and network, so 0.7 is the end.
        assert_eq!(highest.whole.as_deref(), Some("0.7"));
        let starts_with = |text: &str| {
            asked(Role::TaskManager, &[config[0], (tm::MANAGED_FRACTION.key, text)]).starts
        };
        let millionths: i64 =
            (highest.text.parse::<f64>().expect("it is a number") * MILLION as f64).round() as i64;
        assert!(starts_with(&highest.text));
        assert!(!starts_with(&fraction_text(millionths + 1)));
    }

    #[test]
    fn every_end_starts_and_its_neighbour_does_not() {
        let configs: [(Role, &[(&str, &str)]); 5] = [
            (Role::TaskManager, &[(tm::PROCESS.key, "1728m")]),
            (Role::TaskManager, &[(tm::FLINK.key, "4g"), (tm::TASK_HEAP.key, "1g")]),
            (Role::TaskManager, &[(tm::TASK_HEAP.key, "1g"), (tm::MANAGED.key, "1g")]),
            (Role::TaskManager, &[(tm::PROCESS.key, "700m")]),
            (Role::JobManager, &[(jm::PROCESS.key, "1600m")]),
        ];
        for (role, config) in configs {
            let report = asked(role, config);
            for knob in report.knobs.iter().filter(|knob| knob.kind == KnobKind::Size) {
                let starts_with = |bytes: i64| {
                    let text = config_text(Bytes::new(bytes));
                    asked_start(role, config, knob.option, &text)
                };
                for (end, step) in [(&knob.lowest, -1), (&knob.highest, 1)] {
                    let Some(bytes) = end.as_ref().and_then(|end| end.bytes) else { continue };
                    assert!(starts_with(bytes.get()), "{config:?} {}", knob.option);
                    assert!(!starts_with(bytes.get() + step), "{config:?} {}", knob.option);
                }
            }
        }
    }

    fn asked_start(role: Role, config: &[(&str, &str)], key: &str, text: &str) -> bool {
        let mut memory = MemoryParams::new(FlinkVersion::V1_20);
        for (key, text) in config {
            memory.set(key, text);
        }
        memory.set(key, text);
        starts(role, &memory)
    }

    #[test]
    fn fractions_are_written_short() {
        assert_eq!(fraction_text(0), "0");
        assert_eq!(fraction_text(400_000), "0.4");
        assert_eq!(fraction_text(MILLION), "1");
        assert_eq!(fraction_text(1), "0.000001");
    }
}
