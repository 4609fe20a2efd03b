//! What was found in a text so far, line by line.
//!
//! Source: none of its own; what lines mean stands in `signatures.rs`, `tables.rs` and `properties.rs`.

use super::tables::Described;
use super::{
    AlsoSeen, Checkpoints, Fact, IgnoredLine, LINES_MAX, Situation, TextKind, TextSetting,
    TransactionCause, TransactionText, UsedLine, clipped,
};
use crate::transaction::read::signatures::SIGNATURES;

/// A signature that a line carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit {
    /// Its place in the list of signatures; the most telling first.
    pub signature: usize,
    /// The line, from 0.
    pub line: usize,
}

/// The lines and what was found in them.
pub struct Evidence<'a> {
    /// The lines of the text.
    pub lines: &'a [&'a str],
    uses: Vec<Option<String>>,
    /// Properties that no field takes.
    not_used: Vec<bool>,
    kinds: Vec<TextKind>,
    /// Lines that carry a signature.
    pub hits: Vec<Hit>,
    /// Facts, in the order of the text.
    pub facts: Vec<Fact>,
    /// Settings, each field once.
    pub settings: Vec<TextSetting>,
    /// The transactions that the tool described.
    pub described: Vec<Described>,
    /// Transactions that the tool calls hanging.
    pub hanging: usize,
    /// Transactions that a list shows as Ongoing.
    pub ongoing: usize,
    /// How long a transaction was open [ms], and its timeout [ms], where a line says so.
    pub open: Option<(i64, i64)>,
}

impl<'a> Evidence<'a> {
    /// A text of which nothing is known yet.
    pub fn new(lines: &'a [&'a str]) -> Self {
        Self {
            lines,
            uses: vec![None; lines.len()],
            not_used: vec![false; lines.len()],
            kinds: Vec::new(),
            hits: Vec::new(),
            facts: Vec::new(),
            settings: Vec::new(),
            described: Vec::new(),
            hanging: 0,
            ongoing: 0,
            open: None,
        }
    }

    /// Whether a line is used already.
    pub fn is_used(&self, line: usize) -> bool {
        self.uses[line].is_some()
    }

    /// Uses a line.
    pub fn take(&mut self, line: usize, kind: TextKind, what: impl Into<String>) {
        self.uses[line] = Some(what.into());
        if !self.kinds.contains(&kind) {
            self.kinds.push(kind);
        }
    }

    /// Notes a property that no field takes.
    pub fn pass(&mut self, line: usize) {
        self.not_used[line] = true;
    }

    /// Notes a fact; the same one only once.
    pub fn fact(&mut self, name: impl Into<String>, value: impl Into<String>) {
        let fact = Fact { name: name.into(), value: value.into() };
        if self.facts.len() < LINES_MAX && !self.facts.contains(&fact) {
            self.facts.push(fact);
        }
    }

    /// Notes a setting; the first of a field counts.
    pub fn set(&mut self, field: &'static str, option: &str, value: impl Into<String>) {
        if self.settings.iter().all(|it| it.field != field) {
            self.settings.push(TextSetting {
                field,
                option: option.to_owned(),
                value: value.into(),
            });
        }
    }

    /// What the text is: a message says most, properties least.
    pub fn kind(&self) -> Option<TextKind> {
        const ORDER: [TextKind; 6] = [
            TextKind::Message,
            TextKind::Hanging,
            TextKind::TransactionDescription,
            TextKind::TransactionList,
            TextKind::Producers,
            TextKind::Properties,
        ];
        ORDER.into_iter().find(|kind| self.kinds.contains(kind))
    }

    /// The answer.
    pub fn report(self, kind: TextKind, cause: Option<TransactionCause>) -> TransactionText {
        let first = self.hits.iter().map(|hit| hit.signature).min();
        let mut also: Vec<AlsoSeen> = Vec::new();
        for (at, signature) in SIGNATURES.iter().enumerate() {
            let lines = self.hits.iter().filter(|hit| hit.signature == at).count();
            if lines > 0 && Some(at) != first {
                also.push(AlsoSeen { code: signature.code, title: signature.title, lines });
            }
        }
        let used_count = self.uses.iter().flatten().count();
        let used = self
            .lines
            .iter()
            .zip(&self.uses)
            .enumerate()
            .filter_map(|(at, (text, what))| {
                Some(UsedLine { line: at + 1, text: clipped(text), what: what.clone()? })
            })
            .take(LINES_MAX)
            .collect();
        let rest = |at: &usize| self.uses[*at].is_none() && !self.lines[*at].trim().is_empty();
        let ignored_count = (0..self.lines.len()).filter(rest).count();
        let ignored = (0..self.lines.len())
            .filter(rest)
            .take(LINES_MAX)
            .map(|at| IgnoredLine {
                line: at + 1,
                text: clipped(self.lines[at]),
                reason: if self.not_used[at] {
                    "a property that decides nothing here"
                } else {
                    "says nothing about transactions that is read"
                },
            })
            .collect();
        let preset = first.and_then(|at| SIGNATURES[at].preset);
        // There the timeout ends the transaction; one that hangs never times out.
        let is_blocked = self.ongoing > 0 && self.hanging == 0;
        let preset = preset.or(is_blocked.then_some("blocked-reader"));
        let open_ms = self.open.map(|(open, _)| open);
        let timeout = self.settings.iter().find(|it| it.field == "timeoutMs");
        let timeout = timeout.and_then(|it| it.value.strip_suffix(" ms")?.parse().ok());
        let checkpoints = timeout.filter(|_| preset == Some("long-outage")).and_then(fitting);
        TransactionText {
            kind,
            recognised: recognised(kind, cause.as_ref(), used_count),
            cause,
            also,
            facts: self.facts,
            settings: self.settings,
            situation: preset.map(|preset| Situation { preset, open_ms, checkpoints }),
            used,
            used_count,
            ignored,
            ignored_count,
        }
    }
}

/// The examples take a checkpoint each minute, in 5 s. A job whose timeout is shorter takes them more
/// often, or it would lose all it writes; of a timeout of less than 5 s no example can be made.
fn fitting(timeout_ms: i64) -> Option<Checkpoints> {
    let checkpoints = Checkpoints { interval_ms: timeout_ms / 4, duration_ms: timeout_ms / 20 };
    (5_000..=65_200).contains(&timeout_ms).then_some(checkpoints)
}

fn recognised(kind: TextKind, cause: Option<&TransactionCause>, used: usize) -> String {
    let lines = if used == 1 { "one line".to_owned() } else { format!("{used} lines") };
    match kind {
        TextKind::Message => {
            let title = cause.map_or("", |cause| cause.title.as_str());
            format!("A message of an exactly-once sink, {lines} used. {title}")
        }
        TextKind::Properties => format!("Properties of Kafka or of the sink, {lines} used."),
        TextKind::TransactionList => {
            format!("A list of transactions by kafka-transactions.sh, {lines} used.")
        }
        TextKind::TransactionDescription => {
            format!("A transaction described by kafka-transactions.sh, {lines} used.")
        }
        TextKind::Producers => {
            format!("The producers of a partition by kafka-transactions.sh, {lines} used.")
        }
        TextKind::Hanging => {
            format!("A search for hanging transactions by kafka-transactions.sh, {lines} used.")
        }
    }
}
