//! How much more does YARN allocate than Flink plans with?
//!
//! YARN gives out multiples of its smallest allocation, so a container may be larger than the process;
//! Flink derives its pools from what was configured. The client logs both when they differ:
//!
//! `The configured JobManager memory is 1600 MB. YARN will allocate 2048 MB to make up an integer
//! multiple of its minimum allocation memory (1024 MB, configured via
//! 'yarn.scheduler.minimum-allocation-mb'). The extra 448 MB may not be used by Flink.`
//!
//! Source: Flink 1.15.2, `YarnClusterDescriptor#logIfComponentMemNotIntegerMultipleOfYarnMinAllocation`,
//! as logged by a client.

use super::evidence::Evidence;
use super::notes::{finding, name};
use super::report::{Observed, PasteKind, PasteReport, Setting};
use super::text::{flattened, line_of, number_after};
use crate::config::paste::{hide, notes};
use crate::config::report::ConfigEntry;
use crate::config::size::config_text;
use crate::finding::{Change, Derivation, Finding, Severity};
use crate::memory::Role;
use crate::memory::options::{jm, tm};
use crate::memory::trace::exact;
use crate::units::{Bytes, FlinkVersion};

const SOURCE: &str = "YarnClusterDescriptor";

/// What one line says, in whole MiB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allocation {
    role: Role,
    process: Bytes,
    container: Bytes,
    least: Bytes,
    line: usize,
}

/// Reads the lines of a client's log, one of each process.
pub fn read(text: &str) -> Vec<Allocation> {
    let flat = flattened(text);
    [Role::JobManager, Role::TaskManager]
        .into_iter()
        .filter_map(|role| one(text, &flat, role))
        .collect()
}

fn one(text: &str, flat: &str, role: Role) -> Option<Allocation> {
    let sign = format!("The configured {} memory is ", name(role));
    let (_, rest) = flat.split_once(&sign)?;
    // Up to the next such line, so that one that is cut off does not borrow numbers.
    let sentence = rest.split_once("The configured ").map_or(rest, |(own, _)| own);
    let mib = |label: &str| {
        let number: i64 = number_after(sentence, label)?;
        number.checked_mul(1 << 20).map(Bytes::new)
    };
    let (configured, _) = super::text::digits(sentence)?;
    let process = configured.parse::<i64>().ok()?.checked_mul(1 << 20).map(Bytes::new)?;
    let container = mib("YARN will allocate ").filter(|container| *container >= process)?;
    let least = mib("minimum allocation memory (")?;
    Some(Allocation { role, process, container, least, line: line_of(text, sign.trim_end()) })
}

/// The report of such lines, with the settings of a table in the same text.
pub fn answer(
    version: FlinkVersion,
    found: &[Allocation],
    evidence: Option<Evidence>,
) -> Derivation<PasteReport> {
    let names: Vec<&str> = found.iter().map(|one| name(one.role)).collect();
    let recognised = format!(
        "Read as the log of a YARN client: it says what YARN allocates for the {}.",
        names.join(" and the ")
    );
    let mut answer = match evidence {
        Some(evidence) => evidence.into_report(version, PasteKind::StartupLog, recognised),
        None => own_report(version, found, recognised),
    };
    let report = &mut answer.value;
    if let [only] = found {
        report.role = Some(only.role);
        report.container_limit = Some(config_text(only.container));
    }
    for one in found {
        report.observed.push(
            Observed::size("configuredProcess", "Configured Process", one.line, one.process)
                .rounded(),
        );
        report.observed.push(Observed::size(
            "containerLimit",
            "Container",
            one.line,
            one.container,
        ));
        answer.findings.push(unplanned(version, one));
    }
    answer
}

fn own_report(
    version: FlinkVersion,
    found: &[Allocation],
    recognised: String,
) -> Derivation<PasteReport> {
    let entry = |one: &Allocation| {
        let (key, value): Setting = (process_key(one.role), config_text(one.process));
        hide(ConfigEntry { key: key.to_owned(), value, line: one.line })
    };
    let (entries, findings) = notes::classify(version, found.iter().map(entry).collect());
    let value = PasteReport {
        kind: PasteKind::StartupLog,
        recognised,
        role: None,
        entries,
        skipped: Vec::new(),
        observed: Vec::new(),
        cause: None,
        container_limit: None,
    };
    Derivation { value, findings }
}

const fn process_key(role: Role) -> &'static str {
    match role {
        Role::TaskManager => tm::PROCESS.key,
        Role::JobManager => jm::PROCESS.key,
    }
}

fn unplanned(version: FlinkVersion, one: &Allocation) -> Finding {
    let Allocation { role, process, container, least, .. } = *one;
    let spare = Bytes::new(container.get() - process.get());
    let key = process_key(role);
    let found = finding(
        "yarn_allocates_more",
        Severity::Note,
        format!(
            "YARN allocates {} for a {} of {}: {} are in no pool of Flink.",
            exact(container),
            name(role),
            exact(process),
            exact(spare)
        ),
        format!(
            "YARN rounds up to a multiple of yarn.scheduler.minimum-allocation-mb, {least} here. Flink derives every pool from the configured size, so the rest is room for native memory and nothing else."
        ),
        format!(
            "{SOURCE}#logIfComponentMemNotIntegerMultipleOfYarnMinAllocation, Flink {}",
            version.checked_on()
        ),
    );
    Finding {
        option: Some(key.to_owned()),
        price: Some("None: the container has that size already.".to_owned()),
        apply: vec![Change::set(key, config_text(container))],
        ..found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::{PasteParams, read_paste};

    const JM: &str = "2022-07-12 17:55:39,797 INFO  org.apache.flink.yarn.YarnClusterDescriptor [] - The configured JobManager memory is 1600 MB. YARN will allocate 2048 MB to make up an integer multiple of its minimum allocation memory (1024 MB, configured via 'yarn.scheduler.minimum-allocation-mb'). The extra 448 MB may not be used by Flink.";

    fn pasted(text: &str) -> Derivation<PasteReport> {
        let version = FlinkVersion::V1_20;
        read_paste(&PasteParams { version, text: text.to_owned(), file_name: None }).expect("read")
    }

    #[test]
    fn what_yarn_rounds_up_is_in_no_pool() {
        let answer = pasted(JM);
        let report = &answer.value;
        assert_eq!((report.kind, report.role), (PasteKind::StartupLog, Some(Role::JobManager)));
        assert_eq!(report.container_limit.as_deref(), Some("2g"));
        assert_eq!(report.entries[0].value, "1600m");
        let finding =
            answer.findings.iter().find(|it| it.code == "yarn_allocates_more").expect("it");
        assert!(finding.title.contains("448 MiB"), "{}", finding.title);
        assert_eq!(finding.apply, [Change::set(jm::PROCESS.key, "2g")]);
    }

    #[test]
    fn lines_of_both_processes_name_no_single_container() {
        let both =
            format!("{JM}\n{}", JM.replace("JobManager", "TaskManager").replace("1600", "1728"));
        let report = pasted(&both).value;
        assert_eq!((report.role, report.container_limit), (None, None));
        assert_eq!(report.entries.len(), 2);
    }

    #[test]
    fn half_a_line_is_not_read() {
        assert!(read("The configured JobManager memory is 1600 MB. YARN will").is_empty());
        let cut = format!("The configured TaskManager memory is 1728 MB. {JM}");
        assert_eq!(read(&cut).len(), 1);
    }
}
