//! Why does it not start, and which smallest change makes it start?
//!
//! Each way out is found by deriving again: the value offered starts, and the boundary named beside
//! it is one byte away from failing.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, as derived by the modules beside this one.

use serde::Serialize;

use super::boundary::{Boundary, edge, nearest, with_size};
use super::error::{Kind, MemoryError};
use super::legacy;
use super::notice::cite;
use super::options::{OptionDef, jm, tm};
use super::params::{
    DiagnoseParams, MemoryParams, Role, job_manager_spec, starts, task_manager_spec,
};
use super::report::Step;
use super::settings::Settings;
use super::trace::Trace;
use crate::config::number::shortest_float;
use crate::config::size::{self, config_text};
use crate::finding::{Change, Derivation, Finding, Severity};
use crate::units::Bytes;

/// The most ways out that are offered.
const MAX_WAYS_OUT: usize = 4;

/// Flink's refusal and what it means.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    /// The stable name of the refusal.
    pub kind: &'static str,
    /// Flink's message, word for word.
    pub message: String,
    /// The messages of the causes, outermost first.
    pub causes: Vec<String>,
    /// The option to look at first.
    pub option: Option<String>,
    /// One sentence in plain words: which setting, by how much.
    pub verdict: String,
}

/// How far the derivation came, and where it ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Diagnosis {
    /// `None` when the process starts.
    pub failure: Option<Failure>,
    /// The steps up to the failure.
    pub steps: Vec<Step>,
}

/// Explains why a configuration does not start; the findings are ways out that were tried.
pub fn diagnose(params: &DiagnoseParams) -> Derivation<Diagnosis> {
    let mut trace = Trace::keeping(params.memory.version);
    let result = match params.role {
        Role::TaskManager => task_manager_spec(&params.memory, &mut trace, |_, _, _| ()),
        Role::JobManager => job_manager_spec(&params.memory, &mut trace, |_, _, _| ()),
    };
    let error = match result {
        Ok(()) => {
            let value = Diagnosis { failure: None, steps: trace.into_steps() };
            return Derivation { value, findings: Vec::new() };
        }
        Err(error) => error,
    };
    let findings = match error.kind {
        Kind::TooManySettings => Vec::new(),
        _ => ways_out(params, &error),
    };
    let failure = Failure {
        kind: error.kind.name(),
        message: error.message,
        causes: error.causes,
        option: error.option.map(str::to_owned),
        verdict: error.plain,
    };
    Derivation { value: Diagnosis { failure: Some(failure), steps: trace.into_steps() }, findings }
}

/// Knobs to try, the most natural first: raise what holds, then shrink what is inside.
const TM_KNOBS: [(OptionDef, bool); 14] = [
    (tm::PROCESS, true),
    (tm::FLINK, true),
    (tm::FLINK, false),
    (tm::PROCESS, false),
    (tm::NETWORK_MAX, true),
    (tm::OVERHEAD_MAX, true),
    (tm::NETWORK_MIN, false),
    (tm::OVERHEAD_MIN, false),
    (tm::TASK_HEAP, false),
    (tm::TASK_HEAP, true),
    (tm::MANAGED, false),
    (tm::METASPACE, false),
    (tm::FRAMEWORK_HEAP, false),
    (tm::FRAMEWORK_OFF_HEAP, false),
];

const JM_KNOBS: [(OptionDef, bool); 9] = [
    (jm::PROCESS, true),
    (jm::FLINK, true),
    (jm::FLINK, false),
    (jm::PROCESS, false),
    (jm::OVERHEAD_MAX, true),
    (jm::OVERHEAD_MIN, false),
    (jm::HEAP, false),
    (jm::OFF_HEAP, false),
    (jm::METASPACE, false),
];

fn ways_out(params: &DiagnoseParams, error: &MemoryError) -> Vec<Finding> {
    let (role, memory) = (params.role, &params.memory);
    let source = cite("derived again with the change", memory.version);
    let mut found = repairs(role, memory, error, &source);
    if error.kind == Kind::FlinkExceededByComponents {
        found.extend(lower_fraction(role, memory, &tm::MANAGED_FRACTION, &source));
    }
    let knobs: &[(OptionDef, bool)] = match role {
        Role::TaskManager => &TM_KNOBS,
        Role::JobManager => &JM_KNOBS,
    };
    let settings = Settings::new(&memory.config, memory.version);
    for (option, up) in knobs {
        if found.len() >= MAX_WAYS_OUT {
            break;
        }
        // A total that is not set is another route, not a smaller change; ranges have defaults.
        if !settings.contains(option) && option.default.is_none() {
            continue;
        }
        let Ok(now) = settings.size(option) else { continue };
        // Where naming the present value mends it, the size is not what is wrong.
        if starts(role, &with_size(memory, option, now.bytes)) {
            continue;
        }
        if let Some(boundary) = nearest(role, memory, *option, now.bytes, *up) {
            found.push(move_knob(now.bytes, &boundary, *up, &source));
        }
    }
    found.truncate(MAX_WAYS_OUT);
    found
}

/// The largest hundredth below the present fraction with which it starts.
fn lower_fraction(
    role: Role,
    memory: &MemoryParams,
    option: &OptionDef,
    source: &str,
) -> Option<Finding> {
    let now = Settings::new(&memory.config, memory.version).fraction(option).ok()?;
    let text = |hundredths: i64| format!("{}.{:02}", hundredths / 100, hundredths % 100);
    let changes = |hundredths: i64| vec![Change::set(option.key, text(hundredths))];
    let test = |hundredths| starts(role, &changed(memory, &changes(hundredths)));
    // `now` is below 1: a range is checked when it is read.
    let fails = (now * 100.0).ceil() as i64;
    if !test(0) {
        return None;
    }
    let works = edge(0, fails, test);
    Some(Finding {
        code: "way_out",
        severity: Severity::Note,
        title: format!("Lower {} to {}.", option.key, text(works)),
        reason: format!("It is {} now; a hundredth more does not start.", shortest_float(now)),
        option: Some(option.key.to_owned()),
        price: Some(
            "Managed memory shrinks, and with it RocksDB's cache; the rest goes to task heap."
                .to_owned(),
        ),
        apply: changes(works),
        source: source.to_owned(),
    })
}

fn move_knob(now: Bytes, boundary: &Boundary, up: bool, source: &str) -> Finding {
    let key = boundary.option.key;
    let text = config_text(boundary.whole);
    let moved = Bytes::new((boundary.whole.get() - now.get()).abs());
    let verb = if up { "Raise" } else { "Lower" };
    Finding {
        code: "way_out",
        severity: Severity::Note,
        title: format!("{verb} {key} to {text}."),
        reason: format!(
            "It is {} now; the nearest value that Flink accepts is {}.",
            config_text(now),
            config_text(boundary.bytes)
        ),
        option: Some(key.to_owned()),
        price: Some(price(key, moved, up)),
        apply: vec![Change::set(key, text)],
        source: source.to_owned(),
    }
}

fn price(key: &str, moved: Bytes, up: bool) -> String {
    match (key.rsplit_once('.').map_or(key, |(_, last)| last), up) {
        _ if key == tm::PROCESS.key || key == jm::PROCESS.key => {
            if up {
                format!("The container needs {moved} more.")
            } else {
                format!("The container is {moved} smaller.")
            }
        }
        _ if key == tm::FLINK.key || key == jm::FLINK.key => {
            let more = if up { "more" } else { "less" };
            format!(
                "Flink memory has {moved} {more}; where no total process memory is set, the process follows."
            )
        }
        ("max", true) => "It may grow further; nothing else changes now.".to_owned(),
        ("min", false) => "Less is guaranteed to it.".to_owned(),
        (_, true) => format!("{moved} more for it, less for what is derived beside it."),
        (_, false) => format!("{moved} less for it, more for what is derived beside it."),
    }
}

/// Repairs that are not a matter of size: a text that does not parse, a total that is missing, two
/// totals that contradict each other.
fn repairs(role: Role, memory: &MemoryParams, error: &MemoryError, source: &str) -> Vec<Finding> {
    let mut candidates: Vec<(String, Vec<Change>)> = Vec::new();
    if let Some(key) = error.option {
        let text = memory.config.get(key).map(String::as_str);
        if matches!(error.kind, Kind::UnreadableMemorySize | Kind::UnparsableValue) {
            candidates.extend(text.and_then(rewritten).map(|better| {
                (format!("Write {key} = {better}."), vec![Change::set(key, better)])
            }));
        }
        if !matches!(error.kind, Kind::RequiredOptionsMissing) && text.is_some() {
            candidates.push((format!("Remove {key}."), vec![Change::remove(key)]));
        }
        if error.kind == Kind::CpuNotPositive {
            candidates.insert(0, (format!("Set {key} to 1."), vec![Change::set(key, "1")]));
        }
    }
    let (process, flink, stock) = match role {
        Role::TaskManager => (tm::PROCESS.key, tm::FLINK.key, "1728m"),
        Role::JobManager => (jm::PROCESS.key, jm::FLINK.key, "1600m"),
    };
    match error.kind {
        Kind::RequiredOptionsMissing => {
            let legacy = match role {
                Role::TaskManager => legacy::TASK_MANAGER,
                Role::JobManager => legacy::JOB_MANAGER,
            };
            candidates.extend(legacy.written_anew(&memory.config).map(|changes| {
                (format!("Write the legacy heap size as {}.", legacy.target.key), changes)
            }));
            let title = format!("Set {process} to {stock}, the value of the stock configuration.");
            candidates.push((title, vec![Change::set(process, stock)]));
        }
        Kind::OverheadNotInRange | Kind::ProcessLtFlinkPlusMetaspace => {
            for key in [process, flink] {
                if memory.config.contains_key(key) {
                    candidates.push((format!("Remove {key}."), vec![Change::remove(key)]));
                }
            }
        }
        _ => {}
    }
    let mut found: Vec<Finding> = Vec::new();
    for (title, changes) in candidates {
        let repaired = changed(memory, &changes);
        if starts(role, &repaired) && !found.iter().any(|finding| finding.apply == changes) {
            found.push(Finding {
                code: "way_out",
                severity: Severity::Note,
                title,
                reason: "With this change it starts.".to_owned(),
                option: changes.first().map(|change| change.option.clone()),
                price: Some(outcome(role, &repaired)),
                apply: changes,
                source: source.to_owned(),
            });
        }
    }
    found
}

fn changed(memory: &MemoryParams, changes: &[Change]) -> MemoryParams {
    let mut repaired = memory.clone();
    for change in changes {
        match &change.value {
            Some(text) => repaired.set(&change.option, text),
            None => {
                repaired.config.remove(&change.option);
                &mut repaired
            }
        };
    }
    repaired
}

fn outcome(role: Role, memory: &MemoryParams) -> String {
    let trace = &mut Trace::silent();
    let process = match role {
        Role::TaskManager => task_manager_spec(memory, trace, |spec, _, _| spec.total_process()),
        Role::JobManager => job_manager_spec(memory, trace, |spec, _, _| spec.total_process()),
    };
    process.map_or_else(|_| String::new(), |process| format!("The process has {process} then."))
}

/// A size or a fraction that was probably meant: `1.5g` is `1536m`, `4GiB` is `4g`, `0,4` is `0.4`.
fn rewritten(text: &str) -> Option<String> {
    let text = text.trim().to_lowercase().replace(',', ".");
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let unit = unit.trim().trim_end_matches("ib").trim_end_matches('b');
    if unit.is_empty() {
        return (!number.is_empty() && number.contains('.')).then(|| number.to_owned());
    }
    if unit == "%" {
        let percent: f64 = number.parse().ok()?;
        return (percent < 100.0).then(|| format!("{}", percent / 100.0));
    }
    let one = size::parse(&format!("1{unit}")).ok()?;
    let value: f64 = number.parse().ok()?;
    let bytes = value * one.get() as f64;
    // Beyond 2^53 the product is no longer exact, and nobody means that.
    (bytes >= 1.0 && bytes < Bytes::JS_SAFE_MAX.get() as f64)
        .then(|| config_text(Bytes::new(bytes as i64)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::FlinkVersion;

    fn diagnosed(role: Role, config: &[(&str, &str)]) -> Derivation<Diagnosis> {
        let mut memory = MemoryParams::new(FlinkVersion::V1_20);
        for (key, text) in config {
            memory.set(key, text);
        }
        diagnose(&DiagnoseParams { role, memory })
    }

    #[test]
    fn a_decimal_size_is_rewritten() {
        let answer = diagnosed(Role::TaskManager, &[("taskmanager.memory.process.size", "1.5g")]);
        assert_eq!(answer.findings[0].title, "Write taskmanager.memory.process.size = 1536m.");
    }

    #[test]
    fn a_way_out_names_values_that_can_be_told_apart() {
        let answer = diagnosed(Role::JobManager, &[("jobmanager.memory.process.size", "576m")]);
        let way = &answer.findings[0];
        assert!(way.title.ends_with(" to 577m."), "{}", way.title);
        let nearest = way.reason.rsplit_once(" is ").map(|(_, text)| text.trim_end_matches('.'));
        let nearest = size::parse(nearest.expect("a size")).expect("as Flink reads sizes");
        let starts_with = |bytes| {
            let mut memory = MemoryParams::new(FlinkVersion::V1_20);
            memory.set("jobmanager.memory.process.size", &config_text(Bytes::new(bytes)));
            starts(Role::JobManager, &memory)
        };
        assert!(starts_with(nearest.get()) && !starts_with(nearest.get() - 1), "{}", way.reason);
        let fraction = ("taskmanager.memory.managed.fraction", "0.85");
        let process = ("taskmanager.memory.process.size", "1728m");
        let answer = diagnosed(Role::TaskManager, &[process, fraction]);
        let mut reasons = answer.findings.iter().map(|way| &way.reason);
        assert!(reasons.any(|reason| reason.starts_with("It is 0.85 now;")));
    }

    #[test]
    fn every_way_out_starts() {
        let cases: [&[(&str, &str)]; 6] = [
            &[("taskmanager.memory.process.size", "900m")],
            &[
                ("taskmanager.memory.process.size", "4g"),
                ("taskmanager.memory.flink.size", "3700m"),
            ],
            &[("taskmanager.memory.process.size", "8g"), ("taskmanager.memory.flink.size", "3g")],
            &[
                ("taskmanager.memory.flink.size", "4g"),
                ("taskmanager.memory.task.heap.size", "256m"),
                ("taskmanager.memory.network.max", "1g"),
            ],
            &[("taskmanager.numberOfTaskSlots", "4")],
            &[("taskmanager.memory.process.size", "4g"), ("taskmanager.numberOfTaskSlots", "0")],
        ];
        for config in cases {
            let answer = diagnosed(Role::TaskManager, config);
            assert!(answer.value.failure.is_some(), "{config:?}");
            assert!(!answer.findings.is_empty(), "{config:?}");
            let mut memory = MemoryParams::new(FlinkVersion::V1_20);
            for (key, text) in config {
                memory.set(key, text);
            }
            for way in &answer.findings {
                let repaired = changed(&memory, &way.apply);
                assert!(starts(Role::TaskManager, &repaired), "{config:?} {}", way.title);
            }
        }
    }

    #[test]
    fn a_start_has_no_failure() {
        let answer = diagnosed(Role::JobManager, &[("jobmanager.memory.process.size", "1600m")]);
        assert_eq!(answer.value.failure, None);
        assert!(answer.value.steps.len() > 3);
    }
}
