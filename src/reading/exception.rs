//! Which exception is this, what does it mean, and which options does it involve?
//!
//! Messages are found however they are wrapped, broken or prefixed. Where the numbers in a refusal
//! of the memory configuration are enough, settings are built from them; they are given only when
//! deriving them is refused with the same message, and then with the ways out.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1; the three files below name the classes that throw.

pub mod checkpoint;
pub mod configuration;
pub mod running;

use super::evidence::Evidence;
use super::notes;
use super::report::{Cause, Direction, Involved, Observed, PasteKind, PasteReport};
use super::text::flattened;
use crate::config::paste::{hide, notes as keys};
use crate::config::report::ConfigEntry;
use crate::finding::{Derivation, Finding};
use crate::memory::Role;
use crate::units::FlinkVersion;

/// A message that was understood.
#[derive(Debug)]
pub struct Explained {
    /// What it means.
    pub cause: Cause,
    /// The process that it is of, where it says so.
    pub role: Option<Role>,
    /// Its numbers.
    pub observed: Vec<Observed>,
    /// Settings that are refused with the same message, or that the message names.
    pub settings: Vec<(String, String)>,
    /// Ways out.
    pub findings: Vec<Finding>,
    /// Its first line, from 1.
    pub line: usize,
}

impl Explained {
    /// A cause without numbers, options or settings.
    pub fn new(code: &'static str, title: impl Into<String>, source: &str) -> Self {
        let cause = Cause {
            code,
            title: title.into(),
            reason: String::new(),
            knob: None,
            options: Vec::new(),
            uncapped: Vec::new(),
            next: String::new(),
            source: source.to_owned(),
        };
        Self {
            cause,
            role: None,
            observed: Vec::new(),
            settings: Vec::new(),
            findings: Vec::new(),
            line: 1,
        }
    }

    /// Why, and what to ask next.
    pub fn because(mut self, reason: impl Into<String>, next: impl Into<String>) -> Self {
        self.cause.reason = reason.into();
        self.cause.next = next.into();
        self
    }

    /// The options involved, the one to move first at the front.
    pub fn involving<'a>(
        mut self,
        options: impl IntoIterator<Item = (&'a str, Direction)>,
    ) -> Self {
        let involved = options
            .into_iter()
            .map(|(option, direction)| Involved { option: option.to_owned(), direction });
        self.cause.options.extend(involved);
        self.cause.knob = self.cause.options.first().map(|first| first.option.clone());
        self
    }

    /// The process.
    pub const fn of(mut self, role: Option<Role>) -> Self {
        self.role = role;
        self
    }
}

/// Understands the first known message of a text.
pub fn read(version: FlinkVersion, text: &str) -> Option<Explained> {
    let flat = flattened(text);
    let mut explained = configuration::explain(version, text, &flat)
        .or_else(|| running::explain(version, text, &flat))
        .or_else(|| checkpoint::explain(text, &flat))?;
    explained.cause.source = notes::cite(&explained.cause.source, version);
    Some(explained)
}

/// The process that a text speaks of; `None` for both or neither.
pub fn role_in(flat: &str) -> Option<Role> {
    let has = |signs: &[&str]| signs.iter().any(|sign| flat.contains(sign));
    let tm = has(&["taskmanager.", "TaskManager", "TaskExecutor", "taskexecutor"]);
    let jm = has(&["jobmanager.", "JobManager", "JobMaster", "ClusterEntrypoint", "Flink Master"]);
    match (tm, jm) {
        (true, false) => Some(Role::TaskManager),
        (false, true) => Some(Role::JobManager),
        _ => None,
    }
}

/// The report of an exception, with the settings of a table or argument line in the same text.
pub fn answer(
    version: FlinkVersion,
    explained: Explained,
    evidence: Option<Evidence>,
) -> Derivation<PasteReport> {
    let Explained { cause, role, observed, settings, findings, line } = explained;
    let also = evidence.as_ref().map_or("", |found| match found.kind {
        PasteKind::StartupLog => " The memory table of the same text is used too.",
        _ => " The JVM arguments of the same text are used too.",
    });
    let recognised = format!(
        "Read as an exception, because line {line} holds a message of {}.{also}",
        cause.source.split(['#', ',']).next().unwrap_or("Flink")
    );
    let mut answer = match evidence {
        Some(evidence) => evidence.into_report(version, PasteKind::Exception, recognised),
        None => Derivation {
            value: PasteReport {
                kind: PasteKind::Exception,
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
    let report = &mut answer.value;
    report.role = role.or(report.role);
    report.cause = Some(cause);
    report.observed.splice(0..0, observed);
    if report.entries.is_empty() {
        let entries: Vec<ConfigEntry> = settings
            .into_iter()
            .map(|(key, value)| hide(ConfigEntry { key, value, line }))
            .collect();
        let (entries, about_keys) = keys::classify(version, entries);
        report.entries = entries;
        answer.findings.extend(about_keys);
    }
    answer.findings.extend(findings);
    answer
}
