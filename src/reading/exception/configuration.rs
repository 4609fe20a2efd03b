//! Which refusal of the memory configuration is this, and which settings are behind it?
//!
//! Source: messages of Flink 1.18.1, 1.20.5, 2.2.1, `ProcessMemoryUtils`, `TaskExecutorFlinkMemoryUtils`,
//! `JobManagerFlinkMemoryUtils`, `TaskExecutorProcessUtils`, `ConfigurationParserUtils`,
//! `MemoryBackwardsCompatibilityUtils`, `Configuration`.

pub mod job_manager;
pub mod pools;
pub mod values;

use super::{Explained, role_in};
use crate::memory::{DiagnoseParams, MemoryParams, Role, diagnose};
use crate::reading::report::Observed;
use crate::reading::text::{flattened, line_of};
use crate::units::{Bytes, FlinkVersion};

/// Understands a refusal; `flat` is the text as one line.
pub fn explain(version: FlinkVersion, text: &str, flat: &str) -> Option<Explained> {
    type Rule = fn(&str) -> Option<Found>;
    const RULES: [(&str, Rule); 14] = [
        ("exceed configured Total Flink Memory", pools::flink_exceeded),
        ("Derived Network Memory size", pools::network_not_in_range),
        ("Network Memory is inconsistent with its configuration", pools::network_not_in_range),
        ("Derived JVM Overhead size", pools::overhead_not_in_range),
        ("less than the sum of the derived Total Flink", pools::process_lt_flink),
        ("and JVM Overhead (", pools::process_lt_jvm),
        ("is less than the configured Off-heap Memory (", job_manager::jm_flink_lt_off_heap),
        ("exceeds the configured Total Flink Memory (", job_manager::jm_heap_exceeds_flink),
        ("does not match the configured Total Flink Memory (", job_manager::jm_sum_differs),
        ("Inconsistently configured Key: ", values::inconsistent_range),
        ("Cannot read memory size from config option '", values::unreadable_size),
        ("Could not parse value '", values::unparsable_value),
        ("Either required fine-grained memory (", values::nothing_set),
        ("", values::others),
    ];
    let (sign, found) = RULES.iter().find_map(|(sign, rule)| {
        let found = flat.contains(sign).then(|| rule(flat)).flatten()?;
        Some((*sign, found))
    })?;
    let Found { mut explained, sizes, candidate, helper } = found;
    explained.line = match sign.get(..16.min(sign.len())) {
        Some(start) if !start.is_empty() => line_of(text, start),
        _ => line_of(text, explained.cause.title.split(' ').next().unwrap_or_default()),
    };
    let line = explained.line;
    explained
        .observed
        .extend(sizes.into_iter().map(|(id, name, size)| Observed::size(id, name, line, size)));
    explained.role = explained.role.or_else(|| role_in(flat));
    if let Some(role) = explained.role {
        try_settings(version, role, flat, &mut explained, candidate, &helper);
    }
    Some(explained)
}

/// A message that a rule understood.
pub struct Found {
    /// What it means.
    pub explained: Explained,
    /// Its sizes.
    pub sizes: Vec<(&'static str, &'static str, Bytes)>,
    /// Settings that should be refused with the same message.
    pub candidate: Vec<(String, String)>,
    /// What else must be set for that, such as any total.
    pub helper: Vec<(String, String)>,
}

impl Found {
    /// A message without numbers or settings.
    pub fn new(explained: Explained) -> Self {
        Self { explained, sizes: Vec::new(), candidate: Vec::new(), helper: Vec::new() }
    }

    /// The sizes in it, and settings that should be refused with it.
    pub fn with(
        mut self,
        sizes: &[(&'static str, &'static str, Bytes)],
        candidate: Vec<(&'static str, String)>,
    ) -> Self {
        self.sizes = sizes.to_vec();
        self.candidate = candidate.into_iter().map(|(key, text)| (key.to_owned(), text)).collect();
        self
    }
}

/// Gives the settings if they are refused with the message of the text, and the ways out.
fn try_settings(
    version: FlinkVersion,
    role: Role,
    flat: &str,
    explained: &mut Explained,
    candidate: Vec<(String, String)>,
    helper: &[(String, String)],
) {
    if candidate.is_empty() {
        return;
    }
    let mut memory = MemoryParams::new(version);
    for (key, text) in helper.iter().chain(&candidate) {
        memory.set(key, text);
    }
    let answer = diagnose(&DiagnoseParams { role, memory });
    let Some(failure) = answer.value.failure else { return };
    let message = flattened(&failure.message);
    let message = message.split_once(" failed: ").map_or(message.as_str(), |(_, inner)| inner);
    if failure.kind == explained.cause.code && flat.contains(message) {
        explained.settings = candidate;
        // A way out of a made-up total is no way out of the reader's.
        if helper.is_empty() {
            explained.findings = answer.findings;
        }
    }
}
