//! What is to be said beside the settings of a log or an argument line.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `ProcessMemoryUtils#generateJvmParametersStr` (what is in no
//! flag), `TaskExecutorProcessUtils#generateDynamicConfigsStr` (what the start script pins).

use super::report::Setting;
use super::table::Table;
use crate::finding::{Change, Finding, Severity};
use crate::memory::Role;
use crate::units::{Bytes, FlinkVersion};

/// The class that writes the table.
pub const BASH: &str = "BashJavaUtils";
/// The method that writes the JVM arguments.
pub const ARGUMENTS: &str = "ProcessMemoryUtils#generateJvmParametersStr";

/// A finding without an option.
pub fn finding(
    code: &'static str,
    severity: Severity,
    title: impl Into<String>,
    reason: impl Into<String>,
    source: String,
) -> Finding {
    Finding {
        code,
        severity,
        title: title.into(),
        reason: reason.into(),
        option: None,
        price: None,
        apply: Vec::new(),
        source,
    }
}

/// The class with the release whose text was compared.
pub fn cite(source: &str, version: FlinkVersion) -> String {
    format!("{source}, Flink {}", version.checked_on())
}

/// The name of a process in a sentence.
pub const fn name(role: Role) -> &'static str {
    match role {
        Role::TaskManager => "TaskManager",
        Role::JobManager => "JobManager",
    }
}

/// The settings that pin every pool, as an alternative to the shortest ones.
pub fn pinned(version: FlinkVersion, table: &Table, given: usize) -> Option<Finding> {
    let pinned = table.pinned();
    if pinned.len() <= given {
        return None;
    }
    let title = format!("Every pool of this {} can be pinned instead.", name(table.role()));
    let reason = format!(
        "{} settings give the same table and keep it, whatever the defaults of a version are; \
         the start script passes them as -D properties.",
        pinned.len()
    );
    Some(Finding {
        price: Some(
            "A larger total changes nothing then; each pool is moved by itself.".to_owned(),
        ),
        apply: pinned.into_iter().map(|(key, text)| Change::set(key, text)).collect(),
        ..finding("pinned_settings", Severity::Note, title, reason, cite(BASH, version))
    })
}

/// The table's totals are not the sums of its pools.
pub fn contradiction(version: FlinkVersion, total: &str) -> Finding {
    let title = format!("{total} of the table is not the sum of its pools.");
    let reason = "Flink logs sums, so a line was changed or lost; the pools are used.".to_owned();
    finding("table_does_not_add_up", Severity::Warning, title, reason, cite(BASH, version))
}

/// Settings could not be found that give the table.
pub fn not_derivable(version: FlinkVersion, role: Role) -> Finding {
    let title = format!("No settings give this {} table.", name(role));
    let reason =
        "Neither a total nor all pools pinned derive to it, so it is not a table of Flink.";
    finding("table_not_derivable", Severity::Warning, title, reason, cite(BASH, version))
}

/// The table lacks rows.
pub fn cut_off(version: FlinkVersion, role: Role, missing: &[&str]) -> Finding {
    let title = format!("The table of the {} is cut off.", name(role));
    let reason = format!(
        "It lacks {}; paste it from its first line to \"JVM Overhead\".",
        missing.join(", ")
    );
    finding("table_cut_off", Severity::Warning, title, reason, cite(BASH, version))
}

/// Earlier tables of the same process.
pub fn replaced(version: FlinkVersion, count: usize) -> Finding {
    let title = format!("{count} earlier tables are not used.");
    let reason = "The last table of each process is the one in force.";
    finding("table_replaced", Severity::Note, title, reason, cite(BASH, version))
}

/// What the JVM arguments do not show.
pub fn hidden_pools(
    version: FlinkVersion,
    role: Role,
    settings: &[Setting],
    table: Option<&Table>,
    from_defaults: bool,
) -> Finding {
    let title = match role {
        Role::TaskManager => "Managed memory and JVM overhead are in no JVM flag.",
        Role::JobManager => {
            "JVM overhead is in no JVM flag, and off-heap memory only where it is limited."
        }
    };
    let first = settings.first().map_or(String::new(), |(key, text)| format!("{key} = {text}"));
    let reason = match table {
        Some(Table::TaskManager(t)) if from_defaults => format!(
            "{first} with the defaults for all else gives exactly these arguments, and then has \
             managed memory {} and overhead {}. Other settings can give the same arguments.",
            t.managed, t.overhead
        ),
        Some(Table::JobManager(t)) if from_defaults => format!(
            "{first} with the defaults for all else gives exactly these arguments, and then has \
             overhead {}. Other settings can give the same arguments.",
            t.overhead
        ),
        Some(Table::TaskManager(t)) => format!(
            "No total with defaults gives these arguments, so each pool is set; managed memory \
             stands at {} until you put in yours.",
            t.managed
        ),
        _ => "The heap is set, and overhead is what its defaults give beside it.".to_owned(),
    };
    finding("pools_in_no_flag", Severity::Warning, title, reason, cite(ARGUMENTS, version))
}

/// The `-D` properties of the line and its flags do not belong together.
pub fn flags_differ(version: FlinkVersion, flag: &str, line: Bytes, derived: Bytes) -> Finding {
    let title = format!("{flag} does not belong to the -D properties of the same line.");
    let reason = format!(
        "The line says {} bytes, the properties derive to {}; the properties are used.",
        line.get(),
        derived.get()
    );
    finding("flags_differ", Severity::Warning, title, reason, cite(ARGUMENTS, version))
}

/// Flags that Flink always passes are missing.
pub fn flags_missing(version: FlinkVersion, role: Role, missing: &[&str]) -> Finding {
    let (are, them) = if missing.len() == 1 { ("is", "it") } else { ("are", "them") };
    let title = format!("{} {are} missing, so no settings can be told.", listed(missing));
    let reason = format!(
        "Flink always passes {them} to a {}; this line was cut off or is not from Flink's start scripts.",
        name(role)
    );
    finding("flags_missing", Severity::Warning, title, reason, cite(ARGUMENTS, version))
}

/// Flags stand there with a size that no JVM reads.
pub fn flags_unreadable(version: FlinkVersion, flags: &[&str]) -> Finding {
    let title = format!("{} cannot be read.", listed(flags));
    let reason = "A JVM reads digits and at most one of k, m, g and t, up to 2^63 - 1 bytes, and does not start with anything else. Correct it, and paste the line again.";
    finding("flags_unreadable", Severity::Warning, title, reason, cite(ARGUMENTS, version))
}

/// `a`, `a and b`, `a, b and c`.
fn listed(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// The initial heap is not the maximal one.
pub fn heap_grows(version: FlinkVersion, initial: Bytes, heap: Bytes) -> Finding {
    let title = "-Xms differs from -Xmx, which Flink always sets to the same size.";
    let reason = format!(
        "The line says {} and {} bytes, so somebody set one of them by hand; -Xmx is used.",
        initial.get(),
        heap.get()
    );
    finding("heap_set_by_hand", Severity::Note, title, reason, cite(ARGUMENTS, version))
}
