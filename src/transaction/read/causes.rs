//! Which message is in the text, and what it means together with what else is there.
//!
//! Source: as in the list of signatures; `TwoPhaseCommitSinkFunction` for the age of a transaction.

use super::evidence::{Evidence, Hit};
use super::signatures::{SIGNATURES, Signature};
use super::tables::split_id;
use super::{Fate, TextKind, TransactionCause};
use crate::transaction::lengths::span;

/// Finds the messages, and the numbers and ids in them.
pub fn read(evidence: &mut Evidence) {
    for (at, line) in evidence.lines.iter().enumerate() {
        let found =
            SIGNATURES.iter().position(|it| it.needles.iter().any(|needle| line.contains(needle)));
        let Some(signature) = found else { continue };
        evidence.hits.push(Hit { signature, line: at });
        evidence.take(at, TextKind::Message, SIGNATURES[signature].title);
        numbers(evidence, line);
    }
    let restarts = evidence.hits.iter().filter(|hit| SIGNATURES[hit.signature].code == "idExpired");
    let restarts = restarts.count();
    if restarts > 1 {
        evidence.fact("Lines with the same refusal", restarts.to_string());
    }
}

/// The times, ids and epochs of a message.
fn numbers(evidence: &mut Evidence, line: &str) {
    if let (Some(open), Some(timeout)) =
        (number_after(line, "has been open for "), number_after(line, "transaction timeout of "))
    {
        evidence.open = Some((open, timeout));
        evidence.fact("Open for", span(open));
        evidence.fact("Timeout", span(timeout));
        evidence.set("timeoutMs", "transaction.timeout.ms", format!("{timeout} ms"));
    }
    if let Some(timeout) = number_after(line, "'transaction.timeout.ms' (") {
        evidence.fact("Timeout", span(timeout));
        evidence.set("timeoutMs", "transaction.timeout.ms", format!("{timeout} ms"));
    }
    if let Some(id) = text_after(line, "transactionalId=").or(text_after(line, "transactionalId "))
    {
        let id = id.trim_end_matches(" due to timeout");
        evidence.fact("Transactional id", super::clipped(id));
        if let Some((prefix, subtask, _)) = split_id(id) {
            evidence.fact("Subtask", subtask.to_string());
            evidence.set("prefix", "sink.transactional-id-prefix", prefix);
        }
    }
    if let Some(prefix) = text_after(line, "multiple Kafka sinks: ") {
        let prefix = prefix.split(". ").next().unwrap_or(prefix);
        evidence.fact("Prefix", super::clipped(prefix));
        evidence.set("prefix", "sink.transactional-id-prefix", prefix);
    }
    for (name, needle) in [("Producer id", "producerId="), ("Epoch", "epoch=")] {
        if let Some(number) = number_after(line, needle) {
            evidence.fact(name, number.to_string());
        }
    }
}

/// The whole number behind a needle.
fn number_after(line: &str, needle: &str) -> Option<i64> {
    let rest = &line[line.find(needle)? + needle.len()..];
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[..end].parse().ok()
}

/// The text behind a needle, up to a comma or a closing bracket.
fn text_after<'a>(line: &'a str, needle: &str) -> Option<&'a str> {
    let rest = &line[line.find(needle)? + needle.len()..];
    let end = rest.find([',', '}', ']', ')']).unwrap_or(rest.len());
    Some(rest[..end].trim()).filter(|text| !text.is_empty())
}

/// What the most telling message means here; without one, what a table shows.
pub fn explain(evidence: &Evidence) -> Option<TransactionCause> {
    let first = evidence.hits.iter().map(|hit| hit.signature).min();
    let Some(signature) = first.map(|at| &SIGNATURES[at]) else {
        return super::tables::explain(evidence);
    };
    let mut cause = plain(signature);
    match (signature.code, evidence.open) {
        ("openTooLong", Some((open, timeout))) if open <= timeout => {
            cause.title = "A transaction is close to its timeout.".to_owned();
            cause.reason = format!(
                "It was open for {}, and its timeout is {}: {} are left. {}",
                span(open),
                span(timeout),
                span(timeout - open),
                signature.reason
            );
            cause.fate = Fate::Kept;
        }
        ("openTooLong", Some((open, timeout))) => {
            cause.reason = format!(
                "It was open for {}, {} times its timeout of {}. {} Its commit is refused, and the sources do not read its records again.",
                span(open),
                times(open, timeout),
                span(timeout),
                signature.reason
            );
            cause.action = format!("Set a timeout above {}. {}", span(open), signature.action);
        }
        _ => settle(evidence, &mut cause),
    }
    Some(cause)
}

/// What the described state of the transaction settles.
fn settle(evidence: &Evidence, cause: &mut TransactionCause) {
    if cause.fate != Fate::Depends {
        return;
    }
    let states: Vec<&str> = evidence.described.iter().map(|it| it.state.as_str()).collect();
    let all = |state: &str| !states.is_empty() && states.iter().all(|it| *it == state);
    let is_commit = ["invalidStateOnCommit", "invalidState", "fencedOnCommit", "fenced"];
    if !is_commit.contains(&cause.code) {
        return;
    }
    let (fate, words) = if all("Empty") {
        (Fate::Nothing, "The coordinator has it as Empty: no record was added, so nothing is lost.")
    } else if all("CompleteCommit") {
        (Fate::Kept, "The coordinator has it as CompleteCommit: the records are there.")
    } else if all("CompleteAbort") || all("PrepareAbort") {
        (
            Fate::Lost,
            "The coordinator has it as aborted: the records are lost if the checkpoint was completed.",
        )
    } else {
        return;
    };
    cause.fate = fate;
    cause.reason = format!("{words} {}", cause.reason);
    cause.tell.clear();
    if fate == Fate::Nothing {
        cause.action =
            "Upgrade to a connector that does not commit empty transactions (FLINK-31363)."
                .to_owned();
    }
}

fn plain(signature: &Signature) -> TransactionCause {
    TransactionCause {
        code: signature.code,
        title: signature.title.to_owned(),
        reason: signature.reason.to_owned(),
        fate: signature.fate,
        tell: signature.tell.to_vec(),
        action: signature.action.to_owned(),
        decided_by: signature.decided_by,
        knob: signature.knob,
        source: signature.source,
    }
}

/// How many times the timeout, to a tenth.
fn times(open: i64, timeout: i64) -> String {
    if timeout <= 0 {
        return "countless".to_owned();
    }
    let timeout = i128::from(timeout);
    let tenths = (i128::from(open) * 10 + timeout / 2) / timeout;
    format!("{}.{}", tenths / 10, tenths % 10)
}
