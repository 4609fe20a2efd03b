//! The tables that `kafka-transactions.sh` prints: list, describe, describe-producers, find-hanging.
//!
//! Columns are padded and end with a tab; a terminal often makes spaces of the tabs. Of all columns
//! only a transactional id can hold spaces itself.
//!
//! Source: Kafka 4.0, `TransactionsCommand` (the headers and their order, `prettyPrintTable`).

use super::evidence::Evidence;
use super::{Fate, TextKind, TransactionCause};
use crate::transaction::lengths::span;

const LIST: [&str; 4] = ["TransactionalId", "Coordinator", "ProducerId", "TransactionState"];
const DESCRIBE: [&str; 9] = [
    "CoordinatorId",
    "TransactionalId",
    "ProducerId",
    "ProducerEpoch",
    "TransactionState",
    "TransactionTimeoutMs",
    "CurrentTransactionStartTimeMs",
    "TransactionDurationMs",
    "TopicPartitions",
];
const PRODUCERS: [&str; 6] = [
    "ProducerId",
    "ProducerEpoch",
    "LatestCoordinatorEpoch",
    "LastSequence",
    "LastTimestamp",
    "CurrentTransactionStartOffset",
];
const HANGING: [&str; 8] = [
    "Topic",
    "Partition",
    "ProducerId",
    "ProducerEpoch",
    "CoordinatorEpoch",
    "StartOffset",
    "LastTimestamp",
    "Duration(min)",
];
/// The broker's default between two scans for timed-out transactions [ms].
const SCAN_MS: i64 = 10_000;
const SOURCE: &str = "Kafka 4.0, TransactionsCommand";

/// A transaction that the tool described.
pub struct Described {
    /// Its state.
    pub state: String,
    /// Its timeout [ms].
    pub timeout_ms: Option<i64>,
    /// How long it has been open [ms].
    pub open_ms: Option<i64>,
}

/// Finds the tables.
pub fn read(evidence: &mut Evidence) {
    let mut line = 0;
    let mut ids = Vec::new();
    while line < evidence.lines.len() {
        let head = columns(evidence.lines[line]);
        let (kind, width, spaced) = if head == LIST {
            (TextKind::TransactionList, LIST.len(), Some(0))
        } else if head == DESCRIBE {
            (TextKind::TransactionDescription, DESCRIBE.len(), Some(1))
        } else if head == PRODUCERS {
            (TextKind::Producers, PRODUCERS.len(), None)
        } else if head == HANGING {
            (TextKind::Hanging, HANGING.len(), None)
        } else {
            line += 1;
            continue;
        };
        evidence.take(line, kind, "the head of the table");
        line += 1;
        while line < evidence.lines.len() {
            let Some(row) = row(evidence.lines[line], width, spaced) else { break };
            let what = match kind {
                TextKind::TransactionList => listed(evidence, &row, &mut ids),
                TextKind::TransactionDescription => described(evidence, &row, &mut ids),
                TextKind::Producers => producer(evidence, &row),
                _ => hanging(evidence, &row),
            };
            evidence.take(line, kind, what);
            line += 1;
        }
    }
    settings_of_ids(evidence, &ids);
}

fn columns(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

/// The cells of a row; `spaced` is the column that may hold spaces.
fn row(line: &str, width: usize, spaced: Option<usize>) -> Option<Vec<String>> {
    let by_tab: Vec<&str> = line.trim_end().split('\t').map(str::trim).collect();
    if by_tab.len() == width && by_tab.iter().all(|cell| !cell.is_empty()) {
        return Some(by_tab.into_iter().map(str::to_owned).collect());
    }
    let words = columns(line);
    // A row without partitions has nothing in its last column.
    let width =
        if width == DESCRIBE.len() && words.len() + 1 == width { words.len() } else { width };
    let surplus = words.len().checked_sub(width)?;
    let at = match spaced {
        None if surplus > 0 => return None,
        spaced => spaced.unwrap_or(0),
    };
    let mut cells: Vec<String> = words[..at].iter().map(|word| (*word).to_owned()).collect();
    cells.push(words[at..=at + surplus].join(" "));
    cells.extend(words[at + surplus + 1..].iter().map(|word| (*word).to_owned()));
    // Each table has numbers where a sentence has none.
    let number_at = if spaced == Some(0) { 1 } else { 0 };
    let is_hanging = width == HANGING.len();
    let number = cells.get(if is_hanging { 1 } else { number_at })?;
    number.parse::<i64>().is_ok().then_some(cells)
}

fn listed(evidence: &mut Evidence, row: &[String], ids: &mut Vec<String>) -> String {
    ids.push(row[0].clone());
    if row[3] == "Ongoing" {
        evidence.ongoing += 1;
    }
    format!("a transactional id in state {}", super::clipped(&row[3]))
}

fn described(evidence: &mut Evidence, row: &[String], ids: &mut Vec<String>) -> String {
    ids.push(row[1].clone());
    let number = |at: usize| row[at].parse::<i64>().ok().filter(|ms| *ms >= 0);
    let (timeout_ms, open_ms) = (number(5), number(7));
    let state = row[4].clone();
    evidence.fact("Transactional id", super::clipped(&row[1]));
    evidence.fact("State", super::clipped(&state));
    if let Some(timeout) = timeout_ms {
        evidence.fact("Timeout", span(timeout));
        evidence.set("timeoutMs", "transaction.timeout.ms", format!("{timeout} ms"));
    }
    if let Some(open) = open_ms {
        evidence.fact("Open for", span(open));
    }
    if let (Some(timeout), Some(open)) = (timeout_ms, open_ms) {
        evidence.open = evidence.open.or(Some((open, timeout)));
    }
    if let Some(partitions) = row.get(8) {
        evidence.fact("Partitions", super::clipped(partitions));
    }
    if state == "Ongoing" {
        evidence.ongoing += 1;
    }
    evidence.described.push(Described { state, timeout_ms, open_ms });
    "a transaction with its times".to_owned()
}

fn producer(evidence: &mut Evidence, row: &[String]) -> String {
    if row[5] == "None" {
        return "a producer without an open transaction".to_owned();
    }
    evidence.ongoing += 1;
    evidence.fact(
        format!("Producer {} epoch {} holds the last stable offset at most at", row[0], row[1]),
        row[5].clone(),
    );
    "a producer with an open transaction".to_owned()
}

fn hanging(evidence: &mut Evidence, row: &[String]) -> String {
    evidence.hanging += 1;
    evidence.fact(
        format!("To abort on {}-{}", row[0], row[1]),
        format!(
            "kafka-transactions.sh --bootstrap-server … abort --topic {} --partition {} --start-offset {}",
            row[0], row[1], row[5]
        ),
    );
    format!("a hanging transaction, open for {} min", row[7])
}

/// `prefix-subtask-number`: its parts.
pub fn split_id(id: &str) -> Option<(&str, u32, i64)> {
    let mut parts = id.rsplitn(3, '-');
    let (number, subtask, prefix) = (parts.next()?, parts.next()?, parts.next()?);
    Some((prefix, subtask.parse().ok()?, number.parse().ok()?))
        .filter(|(prefix, ..)| !prefix.is_empty())
}

/// The prefix and the parallelism that listed ids show.
fn settings_of_ids(evidence: &mut Evidence, ids: &[String]) {
    let parts: Vec<(&str, u32, i64)> = ids.iter().filter_map(|id| split_id(id)).collect();
    let mut prefixes: Vec<&str> = parts.iter().map(|(prefix, ..)| *prefix).collect();
    prefixes.sort_unstable();
    prefixes.dedup();
    if !ids.is_empty() {
        evidence.fact("Transactional ids", ids.len().to_string());
        evidence.fact("Of them Ongoing", evidence.ongoing.to_string());
    }
    if let [prefix] = prefixes[..] {
        let subtasks = parts.iter().map(|(_, subtask, _)| subtask + 1).max().unwrap_or(1);
        evidence.set("prefix", "sink.transactional-id-prefix", prefix);
        if ids.len() > 1 {
            evidence.fact("Subtasks in the ids", subtasks.to_string());
            evidence.set("parallelism", "parallelism.default", subtasks.to_string());
        }
    } else if prefixes.len() > 1 {
        evidence.fact("Prefixes", super::clipped(&prefixes.join(", ")));
    }
    let begins = prefixes.windows(2).find(|pair| pair[1].starts_with(pair[0]));
    if let Some([short, long]) = begins {
        evidence.fact("One to LISTING (POOLING)", super::clipped(&format!("{short} and {long}")));
    }
}

/// What a table alone says.
pub fn explain(evidence: &Evidence) -> Option<TransactionCause> {
    let cause = |code, title: String, reason: String, fate, action: String| TransactionCause {
        code,
        title,
        reason,
        fate,
        tell: Vec::new(),
        action,
        decided_by: "E5: readers are held back for at most T + A",
        knob: Some("transaction.timeout.ms"),
        source: SOURCE,
    };
    if evidence.hanging > 0 {
        return Some(TransactionCause {
            decided_by: "the coordinator does not know the transaction (KAFKA-9144)",
            knob: None,
            ..cause(
                "hanging",
                "A partition waits for the end of a transaction that its coordinator does not have.".to_owned(),
                "No timeout ends it: the last stable offset stays, and read_committed readers stand still.".to_owned(),
                Fate::Depends,
                "Abort it with the commands below; brokers with KIP-890 do not make new ones.".to_owned(),
            )
        });
    }
    let open = evidence.described.iter().find(|it| it.state == "Ongoing");
    if let Some((timeout, open)) = open.and_then(|it| Some((it.timeout_ms?, it.open_ms?))) {
        let left = timeout - open;
        if left + SCAN_MS < 0 {
            return Some(cause(
                "overdue",
                format!("A transaction is open {} longer than its timeout.", span(-left)),
                "The coordinator aborts it at its next scan; if it stays open, its epochs are used up (KAFKA-20090) or the scan does not run.".to_owned(),
                Fate::Depends,
                "Look at the log of the coordinator's broker.".to_owned(),
            ));
        }
        return Some(cause(
            "ongoing",
            format!(
                "Readers are held back for {} to {} more, unless the transaction is ended before.",
                span(left.max(0)),
                span((left + SCAN_MS).max(0))
            ),
            format!(
                "It has been open for {}, its timeout is {}, and the coordinator scans every {} by default. Records of a completed checkpoint are lost then; those of none are replayed.",
                span(open),
                span(timeout),
                span(SCAN_MS)
            ),
            Fate::Depends,
            format!(
                "Restore the job within {}: it commits what its checkpoint owns and aborts the rest. Or end the transaction with an admin tool.",
                span(left.max(0))
            ),
        ));
    }
    (evidence.ongoing > 0).then(|| {
        cause(
            "ongoing",
            "Open transactions hold read_committed readers back on their partitions.".to_owned(),
            "The last stable offset cannot pass the first record of an open transaction."
                .to_owned(),
            Fate::Depends,
            "Describe the oldest one to see its timeout and its age.".to_owned(),
        )
    })
}
