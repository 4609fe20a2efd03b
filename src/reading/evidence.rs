//! Which settings do the tables, JVM arguments and properties of a text stand for?
//!
//! A whole table decides: the properties that the log says were loaded, if they derive to it, or
//! the shortest settings that do. Without a table, `-D` properties that pin the pools give one; a
//! bare argument line is inverted.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `BashJavaUtils` (what is logged and passed on).

use std::collections::BTreeSet;

use super::jvm_arguments::{self, Arguments};
use super::notes as say;
use super::report::{Observed, PasteKind, PasteReport, Setting};
use super::startup_log::{self, StartupLog};
use super::table::{Table, derived, params};
use super::text::count_lines;
use crate::config::MAX_ENTRIES;
use crate::config::paste::{dynamic, hide, notes};
use crate::config::report::{ConfigEntry, Reading};
use crate::finding::{Derivation, Finding};
use crate::memory::options::tm;
use crate::memory::{MemoryParams, Role};
use crate::units::{Bytes, FlinkVersion};

/// What a text shows of a process.
#[derive(Debug)]
pub struct Evidence {
    /// [`PasteKind::StartupLog`] or [`PasteKind::JvmArguments`].
    pub kind: PasteKind,
    /// What it was recognised as, in a sentence.
    pub recognised: String,
    /// The process; `None` when the text shows both.
    pub role: Option<Role>,
    /// Its pools, where all of them are known.
    pub table: Option<Table>,
    /// What was read.
    pub observed: Vec<Observed>,
    entries: Vec<ConfigEntry>,
    keys: BTreeSet<String>,
    skipped: Reading,
    findings: Vec<Finding>,
}

impl Evidence {
    /// Looks for a table, then for JVM arguments.
    pub fn of(version: FlinkVersion, text: &str) -> Option<Self> {
        let arguments = jvm_arguments::read(text);
        match startup_log::read(text) {
            Some(log) => Some(Self::from_log(version, text, log)),
            None => arguments.map(|arguments| Self::from_arguments(version, text, arguments)),
        }
    }

    fn new(kind: PasteKind, observed: Vec<Observed>) -> Self {
        Self {
            kind,
            recognised: String::new(),
            role: None,
            table: None,
            observed,
            entries: Vec::new(),
            keys: BTreeSet::new(),
            skipped: Reading::default(),
            findings: Vec::new(),
        }
    }

    fn from_log(version: FlinkVersion, text: &str, log: StartupLog) -> Self {
        let mut found = Self::new(PasteKind::StartupLog, log.rows);
        let roles: Vec<Role> = log.tables.iter().map(|(table, _)| table.role()).collect();
        let others = count_lines(text).saturating_sub(log.lines + log.loaded.len());
        let whose = match roles.as_slice() {
            [] => "the beginning of a memory table",
            [Role::TaskManager] => "the memory table of a TaskManager",
            [Role::JobManager] => "the memory table of a JobManager",
            _ => "the memory tables of a TaskManager and a JobManager",
        };
        found.recognised = format!(
            "Read as a start-up log: it holds {whose}. Used: {} lines of it, {} loaded properties; \
             ignored: {others}.",
            log.lines,
            log.loaded.len()
        );
        found.role = match roles.as_slice() {
            [role] => Some(*role),
            [] => log.cut_off.as_ref().map(|(role, _)| *role),
            _ => None,
        };
        for (table, line) in &log.tables {
            found.use_table(version, table, *line, &log.loaded);
        }
        found.table = log.tables.first().map(|(table, _)| *table).filter(|_| log.tables.len() == 1);
        found.findings.extend(log.contradictions.iter().map(|id| say::contradiction(version, id)));
        if let Some((role, missing)) = &log.cut_off {
            found.findings.push(say::cut_off(version, *role, missing));
        }
        if log.replaced > 0 {
            found.findings.push(say::replaced(version, log.replaced));
        }
        // Properties of other subjects, and the slots, which no table shows.
        let pinned: Vec<Setting> =
            log.tables.iter().flat_map(|(table, _)| table.pinned()).collect();
        let properties = dynamic::parse(text).map(|read| read.entries).unwrap_or_default();
        for entry in log.loaded.into_iter().chain(properties) {
            let is_pool = pinned.iter().any(|(key, _)| *key == entry.key)
                || is_memory_size(&entry.key) && !pinned.is_empty();
            if !is_pool {
                found.put(entry);
            }
        }
        found.drop_default_cores();
        found
    }

    /// The settings of a table: the loaded ones, if they give it, or the shortest.
    fn use_table(
        &mut self,
        version: FlinkVersion,
        table: &Table,
        line: usize,
        loaded: &[ConfigEntry],
    ) {
        let mut own = MemoryParams::new(version);
        let prefix = prefix(table.role());
        let mine = || loaded.iter().filter(|entry| entry.key.starts_with(prefix));
        for entry in mine() {
            own.set(&entry.key, &entry.value);
        }
        let before = self.entries.len();
        if derived(table.role(), &own) == Some(*table) {
            for entry in mine() {
                self.put(entry.clone());
            }
        } else if let Some(settings) = table.shortest(version) {
            self.put_all(settings, line);
        } else {
            self.findings.push(say::not_derivable(version, table.role()));
            return;
        }
        self.findings.extend(say::pinned(version, table, self.entries.len() - before));
    }

    fn from_arguments(version: FlinkVersion, text: &str, arguments: Arguments) -> Self {
        let mut found = Self::new(PasteKind::JvmArguments, arguments.observed.clone());
        let role = arguments.likely_role();
        found.role = Some(role);
        let read = dynamic::parse(text).unwrap_or_default();
        found.skipped = Reading { entries: Vec::new(), notices: Vec::new(), ..read.clone() };
        for (line, flag) in &arguments.others {
            found.skipped.skip(*line, flag, "it does not decide the size of a pool");
        }
        for (line, _, flag) in &arguments.unreadable {
            found.skipped.skip(*line, flag, "its size cannot be read");
        }
        let line = arguments.observed.first().map_or(1, |fact| fact.line);
        let mut own = MemoryParams::new(version);
        for entry in &read.entries {
            own.set(&entry.key, &entry.value);
        }
        if !arguments.unreadable.is_empty() {
            let flags: Vec<&str> = arguments.unreadable.iter().map(|(_, name, _)| *name).collect();
            found.findings.push(say::flags_unreadable(version, &flags));
        }
        let process = say::name(role);
        let pinned_table = derived(role, &own);
        let is_pinned = pinned_table.is_some();
        let (table, how) = match pinned_table {
            Some(table) => {
                found.use_table(version, &table, line, &[]);
                found.check_flags(version, &table, &arguments);
                (Some(table), "its -D properties pin every pool")
            }
            None => (
                found.use_flags(version, role, &arguments, line),
                "the pools are worked out from its flags",
            ),
        };
        let pinned = table.map(|table| table.pinned()).unwrap_or_default();
        for entry in read.entries {
            if !pinned.iter().any(|(key, _)| *key == entry.key) {
                found.put(entry);
            } else if !is_pinned {
                let why = "without the others it pins no pool; the flags decide";
                found.skipped.skip(entry.line, &entry.key, why);
            }
        }
        // What is worked out from flags is one possibility of many, so the pools are not known.
        found.table = table.filter(|_| is_pinned);
        found.drop_default_cores();
        found.recognised = format!("Read as the JVM argument line of a {process}: {how}.");
        found
    }

    /// Inverts the flags; the table is the one that the settings derive to.
    fn use_flags(
        &mut self,
        version: FlinkVersion,
        role: Role,
        arguments: &Arguments,
        line: usize,
    ) -> Option<Table> {
        if let (Some(initial), Some(heap)) = (arguments.initial_heap, arguments.heap)
            && initial != heap
        {
            self.findings.push(say::heap_grows(version, initial, heap));
        }
        let Some(inverted) = jvm_arguments::invert(version, role, arguments) else {
            let flags = [
                ("-Xmx", arguments.heap.is_none()),
                (
                    "-XX:MaxDirectMemorySize",
                    arguments.direct.is_none() && role == Role::TaskManager,
                ),
                ("-XX:MaxMetaspaceSize", arguments.metaspace.is_none()),
            ];
            let unreadable = |flag: &str| arguments.unreadable.iter().any(|(_, f, _)| *f == flag);
            let missing: Vec<&str> = flags
                .iter()
                .filter(|(flag, missing)| *missing && !unreadable(flag))
                .map(|(flag, _)| *flag)
                .collect();
            if !missing.is_empty() {
                self.findings.push(say::flags_missing(version, role, &missing));
            } else if arguments.unreadable.is_empty() {
                self.findings.push(say::not_derivable(version, role));
            }
            return None;
        };
        let table = derived(role, &params(version, &inverted.settings));
        self.findings.push(say::hidden_pools(
            version,
            role,
            &inverted.settings,
            table.as_ref(),
            inverted.from_defaults,
        ));
        self.put_all(inverted.settings, line);
        table
    }

    /// Whether the flags are those that the pinned pools give.
    fn check_flags(&mut self, version: FlinkVersion, table: &Table, arguments: &Arguments) {
        let sum = |a: Bytes, b: Bytes| a.checked_add(b);
        let wanted = match table {
            Table::TaskManager(t) => [
                ("-Xmx", arguments.heap, sum(t.framework_heap, t.task_heap)),
                (
                    "-XX:MaxDirectMemorySize",
                    arguments.direct,
                    sum(t.framework_off_heap, t.task_off_heap).and_then(|off| sum(off, t.network)),
                ),
                ("-XX:MaxMetaspaceSize", arguments.metaspace, Some(t.metaspace)),
            ],
            Table::JobManager(t) => [
                ("-Xmx", arguments.heap, Some(t.heap)),
                ("-XX:MaxDirectMemorySize", arguments.direct, Some(t.off_heap)),
                ("-XX:MaxMetaspaceSize", arguments.metaspace, Some(t.metaspace)),
            ],
        };
        for (flag, given, derived) in wanted {
            if let (Some(given), Some(derived)) = (given, derived)
                && given != derived
            {
                self.findings.push(say::flags_differ(version, flag, given, derived));
            }
        }
    }

    fn put_all(&mut self, settings: Vec<Setting>, line: usize) {
        for (key, value) in settings {
            self.put(ConfigEntry { key: key.to_owned(), value, line });
        }
    }

    /// Adds an entry unless its key is there already.
    fn put(&mut self, entry: ConfigEntry) {
        if self.entries.len() < MAX_ENTRIES && self.keys.insert(entry.key.clone()) {
            self.entries.push(entry);
        }
    }

    /// The start script passes the cores even where they are the slots, which is the default.
    fn drop_default_cores(&mut self) {
        let number = |key: &str| {
            let entry = self.entries.iter().find(|entry| entry.key == key)?;
            entry.value.trim_end_matches(".0").parse::<u32>().ok()
        };
        let slots = number(tm::SLOTS.key).unwrap_or(1);
        if number(tm::CPU_CORES.key) == Some(slots) {
            self.entries.retain(|entry| entry.key != tm::CPU_CORES.key);
        }
        self.entries.retain(|entry| !(entry.key == tm::SLOTS.key && entry.value == "1"));
    }

    /// The answer when nothing else is in the text.
    pub fn answer(self, version: FlinkVersion) -> Derivation<PasteReport> {
        let (kind, recognised) = (self.kind, self.recognised.clone());
        self.into_report(version, kind, recognised)
    }

    /// The report of another kind with these settings.
    pub fn into_report(
        self,
        version: FlinkVersion,
        kind: PasteKind,
        recognised: String,
    ) -> Derivation<PasteReport> {
        let entries: Vec<ConfigEntry> = self.entries.into_iter().map(hide).collect();
        let (entries, about_keys) = notes::classify(version, entries);
        let mut findings = self.findings;
        findings.extend(about_keys);
        let value = PasteReport {
            kind,
            recognised,
            role: self.role,
            entries,
            skipped: self.skipped.skipped,
            observed: self.observed,
            cause: None,
            container_limit: None,
        };
        Derivation { value, findings }
    }
}

/// The keys of a process begin with this.
const fn prefix(role: Role) -> &'static str {
    match role {
        Role::TaskManager => "taskmanager.",
        Role::JobManager => "jobmanager.",
    }
}

/// A key that decides the size of a pool.
fn is_memory_size(key: &str) -> bool {
    let has = |prefix: &str| key.starts_with(prefix);
    has("taskmanager.memory.") && key != tm::SEGMENT_SIZE.key
        || has("jobmanager.memory.")
        || has("taskmanager.heap.")
        || has("jobmanager.heap.")
}

/// The process whose memory keys there are; `None` for both or neither.
pub fn role_of_keys<'a>(keys: impl Iterator<Item = &'a str>) -> Option<Role> {
    let (mut tm, mut jm) = (false, false);
    for key in keys.filter(|key| is_memory_size(key)) {
        tm |= key.starts_with("taskmanager.");
        jm |= key.starts_with("jobmanager.");
    }
    match (tm, jm) {
        (true, false) => Some(Role::TaskManager),
        (false, true) => Some(Role::JobManager),
        _ => None,
    }
}
