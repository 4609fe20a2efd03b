//! Which pools did the start script log?
//!
//! Before a process starts, the script's Java helper logs the table of its pools, one a line, with
//! or without a log prefix. Totals stand above their parts, so `Framework` and `Task` belong to the
//! heap until the off-heap total comes. Of several tables the last whole one of each process counts.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `BashJavaUtils#logTaskExecutorConfiguration`,
//! `#logMasterConfiguration`; `GlobalConfiguration` (loaded properties). The labels without `JVM`
//! are those of Flink 1.10 (FLINK-18175).

use super::report::Observed;
use super::table::{JobManagerTable, Table, TaskManagerTable};
use super::text::leading_size;
use crate::config::report::ConfigEntry;
use crate::config::text::java_lines;
use crate::memory::Role;
use crate::units::Bytes;

/// What a log holds.
#[derive(Debug, Default)]
pub struct StartupLog {
    /// The last whole table of each process, TaskManager first, with its first line.
    pub tables: Vec<(Table, usize)>,
    /// The rows of those tables, or of one that is cut off.
    pub rows: Vec<Observed>,
    /// Earlier tables that the last one replaces.
    pub replaced: usize,
    /// The process of a table that lacks rows, and the rows.
    pub cut_off: Option<(Role, Vec<&'static str>)>,
    /// The totals that are not the sum of their parts.
    pub contradictions: Vec<&'static str>,
    /// Lines that belong to a table.
    pub lines: usize,
    /// Properties that the log says were loaded.
    pub loaded: Vec<ConfigEntry>,
}

const TM_HEADER: &str = "Final TaskExecutor Memory configuration:";
const JM_HEADER: &str = "Final Master Memory configuration:";
const LOADED: &str = "Loading configuration property: ";

/// Labels, longest first where one ends with another; the section decides what the short ones mean.
const LABELS: [(&str, Row); 17] = [
    ("Total Process Memory", Row::Process),
    ("Total Flink Memory", Row::Flink),
    ("Total JVM Heap Memory", Row::HeapTotal),
    ("Total Heap Memory", Row::HeapTotal),
    ("Total Off-heap Memory", Row::OffHeapTotal),
    ("Total JVM Direct Memory", Row::DirectTotal),
    ("Total Direct Memory", Row::DirectTotal),
    ("Managed", Row::Managed),
    ("Network", Row::Network),
    ("JVM Metaspace", Row::Metaspace),
    ("JVM Overhead", Row::Overhead),
    ("JVM Heap", Row::Heap),
    ("Off-heap", Row::OffHeap),
    ("Heap", Row::Heap),
    ("Framework", Row::Framework),
    ("Task", Row::Task),
    ("Off-Heap", Row::OffHeap),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Row {
    Process,
    Flink,
    HeapTotal,
    OffHeapTotal,
    DirectTotal,
    Managed,
    Network,
    Metaspace,
    Overhead,
    Heap,
    OffHeap,
    Framework,
    Task,
}

/// Reads the tables of a log; `None` where there is not even the beginning of one.
pub fn read(text: &str) -> Option<StartupLog> {
    let mut log = StartupLog::default();
    let mut blocks: Vec<Block> = Vec::new();
    for (index, line) in java_lines(text).enumerate() {
        let number = index + 1;
        if line.trim_start().starts_with('#') {
            continue;
        }
        if let Some((_, property)) = line.split_once(LOADED) {
            log.loaded.extend(loaded(property, number));
            continue;
        }
        let header = [(TM_HEADER, Role::TaskManager), (JM_HEADER, Role::JobManager)];
        if let Some((_, role)) = header.into_iter().find(|(header, _)| line.contains(header)) {
            blocks.push(Block::new(Some(role), number));
            continue;
        }
        let Some((row, size)) = row(line) else { continue };
        let begins =
            row == Row::Process && blocks.last().is_none_or(|block| !block.rows.is_empty());
        if begins {
            blocks.push(Block::new(None, number));
        }
        if let Some(block) = blocks.last_mut() {
            block.put(row, size, number);
        }
    }
    // One label may be a chance; a table has more.
    blocks.retain(|block| block.role.is_some() || block.rows.len() >= 3);
    if blocks.is_empty() {
        return None;
    }
    for role in [Role::TaskManager, Role::JobManager] {
        let mine: Vec<&Block> = blocks.iter().filter(|block| block.role() == role).collect();
        let Some(last) = mine.iter().rev().find(|block| block.table().is_some()) else { continue };
        log.replaced += mine.len() - 1;
        log.tables.extend(last.table().map(|table| (table, last.line)));
        log.contradictions.extend(last.contradictions());
        log.rows.extend(last.rows.iter().cloned());
        log.lines += last.rows.len();
    }
    if log.tables.is_empty()
        && let Some(last) = blocks.last()
    {
        log.cut_off = Some((last.role(), last.missing()));
        log.rows.clone_from(&last.rows);
        log.lines = last.rows.len();
    }
    Some(log)
}

/// `key, value` of a loaded property.
fn loaded(property: &str, line: usize) -> Option<ConfigEntry> {
    let (key, value) = property.split_once(", ")?;
    let (key, value) = (key.trim().to_owned(), value.trim().to_owned());
    (!key.is_empty() && !key.contains(char::is_whitespace)).then_some(ConfigEntry {
        key,
        value,
        line,
    })
}

/// The label and size of a line.
fn row(line: &str) -> Option<(Row, Bytes)> {
    LABELS.iter().find_map(|(label, row)| {
        let at = line.find(label)?;
        let rest = line.get(at + label.len()..)?.strip_prefix(':')?;
        let before = line.get(..at)?.chars().next_back();
        let is_word = before.is_none_or(|c| c.is_whitespace() || matches!(c, '"' | '-' | '|'));
        is_word.then(|| leading_size(rest).map(|size| (*row, size))).flatten()
    })
}

/// The rows of one table.
struct Block {
    role: Option<Role>,
    line: usize,
    in_heap: bool,
    rows: Vec<Observed>,
}

const TM_ROWS: [&str; 8] = [
    "frameworkHeap",
    "taskHeap",
    "managed",
    "frameworkOffHeap",
    "taskOffHeap",
    "network",
    "metaspace",
    "jvmOverhead",
];

const JM_ROWS: [&str; 4] = ["jvmHeap", "offHeap", "metaspace", "jvmOverhead"];

impl Block {
    const fn new(role: Option<Role>, line: usize) -> Self {
        Self { role, line, in_heap: true, rows: Vec::new() }
    }

    /// The process the table is of, told by its rows where there is no header.
    fn role(&self) -> Role {
        let for_master = || self.get("offHeap").is_some() && self.get("managed").is_none();
        self.role.unwrap_or_else(|| if for_master() { Role::JobManager } else { Role::TaskManager })
    }

    fn put(&mut self, row: Row, size: Bytes, line: usize) {
        let (id, name) = match row {
            Row::Process => ("totalProcess", "Total Process"),
            Row::Flink => ("totalFlink", "Total Flink"),
            Row::HeapTotal | Row::Heap => ("jvmHeap", "JVM Heap"),
            Row::OffHeapTotal => ("totalOffHeap", "Total Off-Heap"),
            Row::DirectTotal => ("jvmDirect", "JVM Direct"),
            Row::Managed => ("managed", "Managed Memory"),
            Row::Network => ("network", "Network Memory"),
            Row::Metaspace => ("metaspace", "JVM Metaspace"),
            Row::Overhead => ("jvmOverhead", "JVM Overhead"),
            Row::OffHeap => ("offHeap", "Off-Heap"),
            Row::Framework if self.in_heap => ("frameworkHeap", "Framework Heap"),
            Row::Framework => ("frameworkOffHeap", "Framework Off-Heap"),
            Row::Task if self.in_heap => ("taskHeap", "Task Heap"),
            Row::Task => ("taskOffHeap", "Task Off-Heap"),
        };
        if matches!(row, Row::OffHeapTotal | Row::Managed | Row::DirectTotal) {
            self.in_heap = false;
        }
        if self.get(id).is_none() {
            self.rows.push(Observed::size(id, name, line, size));
        }
    }

    fn get(&self, id: &str) -> Option<Bytes> {
        self.rows.iter().find(|row| row.id == id).and_then(|row| row.bytes)
    }

    fn table(&self) -> Option<Table> {
        Some(match self.role() {
            Role::TaskManager => Table::TaskManager(TaskManagerTable {
                framework_heap: self.get("frameworkHeap")?,
                task_heap: self.get("taskHeap")?,
                framework_off_heap: self.get("frameworkOffHeap")?,
                task_off_heap: self.get("taskOffHeap")?,
                network: self.get("network")?,
                managed: self.get("managed")?,
                metaspace: self.get("metaspace")?,
                overhead: self.get("jvmOverhead")?,
            }),
            Role::JobManager => Table::JobManager(JobManagerTable {
                heap: self.get("jvmHeap")?,
                off_heap: self.get("offHeap")?,
                metaspace: self.get("metaspace")?,
                overhead: self.get("jvmOverhead")?,
            }),
        })
    }

    fn missing(&self) -> Vec<&'static str> {
        let wanted: &[&str] = match self.role() {
            Role::TaskManager => &TM_ROWS,
            Role::JobManager => &JM_ROWS,
        };
        wanted.iter().filter(|id| self.get(id).is_none()).copied().collect()
    }

    fn contradictions(&self) -> Vec<&'static str> {
        let Some(table) = self.table() else { return Vec::new() };
        let totals = [("totalFlink", table.flink()), ("totalProcess", table.process())];
        let differs = |(id, sum): &(&'static str, Option<Bytes>)| {
            self.get(id).is_some_and(|total| Some(total) != *sum)
        };
        totals.into_iter().filter(differs).map(|(id, _)| id).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The log lines of the stock TaskManager, as `BashJavaUtils` writes them.
    pub const STOCK: &str = "\
INFO  [] - Final TaskExecutor Memory configuration:
INFO  [] -   Total Process Memory:          1.688gb (1811939328 bytes)
INFO  [] -     Total Flink Memory:          1.250gb (1342177280 bytes)
INFO  [] -       Total JVM Heap Memory:     512.000mb (536870902 bytes)
INFO  [] -         Framework:               128.000mb (134217728 bytes)
INFO  [] -         Task:                    384.000mb (402653174 bytes)
INFO  [] -       Total Off-heap Memory:     768.000mb (805306378 bytes)
INFO  [] -         Managed:                 512.000mb (536870920 bytes)
INFO  [] -         Total JVM Direct Memory: 256.000mb (268435458 bytes)
INFO  [] -           Framework:             128.000mb (134217728 bytes)
INFO  [] -           Task:                  0 bytes
INFO  [] -           Network:               128.000mb (134217730 bytes)
INFO  [] -     JVM Metaspace:               256.000mb (268435456 bytes)
INFO  [] -     JVM Overhead:                192.000mb (201326592 bytes)
";

    const MASTER: &str = "\
2020-10-20 05:48:02,146 [main] INFO  org.apache.flink.runtime.util.bash.BashJavaUtils - Final Master Memory configuration:
2020-10-20 05:48:02,147 [main] INFO  org.apache.flink.runtime.util.bash.BashJavaUtils -   Total Process Memory: 2.000gb (2147483648 bytes)
2020-10-20 05:48:02,148 [main] INFO  org.apache.flink.runtime.util.bash.BashJavaUtils -     Total Flink Memory: 1.250gb (1342177280 bytes)
2020-10-20 05:48:02,148 [main] INFO  org.apache.flink.runtime.util.bash.BashJavaUtils -       JVM Heap:         1.125gb (1207959552 bytes)
2020-10-20 05:48:02,149 [main] INFO  org.apache.flink.runtime.util.bash.BashJavaUtils -       Off-heap:         128.000mb (134217728 bytes)
2020-10-20 05:48:02,150 [main] INFO  org.apache.flink.runtime.util.bash.BashJavaUtils -     JVM Metaspace:      256.000mb (268435456 bytes)
2020-10-20 05:48:02,150 [main] INFO  org.apache.flink.runtime.util.bash.BashJavaUtils -     JVM Overhead:       512.000mb (536870912 bytes)
";

    fn bare(text: &str) -> String {
        text.lines().map(|line| line.rsplit(" - ").next().unwrap_or(line)).fold(
            String::new(),
            |mut all, line| {
                all.push_str(line);
                all.push('\n');
                all
            },
        )
    }

    #[test]
    fn a_table_is_read_with_and_without_prefixes() {
        for text in [STOCK.to_owned(), bare(STOCK), bare(STOCK).replace("JVM Heap Mem", "Heap Mem")]
        {
            let log = read(&text).expect("a table");
            let [(Table::TaskManager(table), 1)] = log.tables[..] else { panic!("{log:?}") };
            assert_eq!(table.task_heap, Bytes::new(402_653_174));
            assert_eq!(table.task_off_heap, Bytes::ZERO);
            assert_eq!(table.framework_off_heap, Bytes::mib(128));
            assert!(log.contradictions.is_empty());
            assert_eq!(log.rows.len(), 13);
        }
        // Without its header, the table begins with the total.
        let headless: String = bare(STOCK).lines().skip(1).map(|l| format!("{l}\n")).collect();
        assert_eq!(read(&headless).expect("a table").tables.len(), 1);
    }

    #[test]
    fn the_table_of_a_master_is_told_apart() {
        for text in [MASTER.to_owned(), bare(MASTER)] {
            let log = read(&text).expect("a table");
            let [(Table::JobManager(table), 1)] = log.tables[..] else { panic!("{log:?}") };
            assert_eq!(table.heap, Bytes::mib(1152));
        }
    }

    #[test]
    fn cut_and_wrong_tables_are_said_to_be() {
        let cut: String = STOCK.lines().take(8).map(|line| format!("{line}\n")).collect();
        let (role, missing) = read(&cut).expect("a table").cut_off.expect("rows are missing");
        assert_eq!(role, Role::TaskManager);
        assert_eq!(
            missing,
            ["frameworkOffHeap", "taskOffHeap", "network", "metaspace", "jvmOverhead"]
        );
        let wrong = STOCK.replace("(402653174 bytes)", "(402653175 bytes)");
        let log = read(&wrong).expect("a table");
        assert_eq!(log.contradictions, ["totalFlink", "totalProcess"]);
    }

    #[test]
    fn the_last_table_counts_and_both_processes_are_read() {
        let later = STOCK.replace("402653174", "402653175");
        let log = read(&format!("{STOCK}{MASTER}{later}")).expect("tables");
        assert_eq!((log.tables.len(), log.replaced), (2, 1));
        assert_eq!(log.contradictions.len(), 2);
    }

    #[test]
    fn other_texts_have_no_table() {
        for text in ["", "Task: 1", "taskmanager.memory.process.size: 4g", "Heap: 5 bytes\n"] {
            assert!(read(text).is_none(), "{text}");
        }
    }
}
