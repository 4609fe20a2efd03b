//! One scenario played: the question as the page asks it.

use super::course::{Course, course, ledger_of};
use super::driver::Player;
use super::error::TransactionError;
use super::log::log_lines;
use super::params::{Fault, Guarantee, PartitionLayout, PlayParams};
use super::report::TransactionReport;
use super::tell::MAX_TRACE;
use super::verdict;
use crate::finding::{Derivation, Finding, Severity};

/// Plays a scenario to its end.
pub fn play_transactions(
    params: &PlayParams,
) -> Result<Derivation<TransactionReport>, TransactionError> {
    params.check()?;
    let player = Player::new(params).play()?;
    let is_shared = params.settings.partition_layout == PartitionLayout::Shared;
    let ledger = ledger_of(&player.known(), &player.facts, is_shared);
    let judged = verdict::judge(&player, &ledger);
    let Course { trace, transactions, tape, stable_offsets } =
        course(&player.known(), &player.facts, &ledger);
    let mut first_violation = judged.violation;
    if let Some(violation) = &mut first_violation {
        violation.trace_index = trace
            .iter()
            .position(|it| it.at_ms == violation.at_ms && breaks(it.kind, &violation.step));
    }
    let findings = findings(params, &player, trace.len());
    let skipped = u64::from(player.skipped);
    let report = TransactionReport {
        outcome: judged.outcome,
        because: judged.because,
        input_records: u64::from(player.input)
            + skipped * u64::from(params.settings.records_per_interval),
        committed_records: judged.committed,
        duplicates: judged.duplicates,
        lost: judged.lost,
        undelivered: judged.undelivered,
        consumer_visible: judged.visible,
        lso_blocked_ms: judged.blocked_ms,
        first_violation,
        alarm: judged.alarm,
        flink_notices: judged.flink_notices,
        log_lines: log_lines(&player, &ledger),
        inequality: judged.inequality,
        auto_restarts: player.runs[player.judged() as usize].auto_restarts,
        probe_calls_per_attempt: verdict::probe_calls(&player),
        retained_transactional_ids: verdict::retained_ids(&player),
        skipped_intervals: player.skipped,
        end_ms: player.now + skipped * params.settings.checkpoint_interval_ms,
        trace,
        transactions,
        tape,
        stable_offsets,
    };
    Ok(Derivation { value: report, findings })
}

/// Whether a step of the trace is of the kind that the violation names.
fn breaks(kind: &str, step: &str) -> bool {
    let head = step.split(['@', ':']).next().unwrap_or_default();
    match head {
        "commit" | "recommit" => kind == head,
        "restore" => kind == "restore",
        "fetch" => kind == "commitMarker",
        "send" => kind == "sendRefused",
        "consume" => kind == "restore",
        "close" => kind == "finished",
        _ => kind == "failed",
    }
}

fn findings(params: &PlayParams, player: &Player, steps: usize) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut note = |code, title: String, reason: String| {
        findings.push(Finding {
            code,
            severity: Severity::Note,
            title,
            reason,
            option: None,
            price: None,
            apply: Vec::new(),
            source: "the conventions of the recorded scenarios".to_owned(),
        });
    };
    for at in &player.unreached {
        note(
            "faultNotReached",
            format!("Fault {} never happens.", at + 1),
            "The moment at which it was placed does not come: the job is down, has passed it, or has no more input.".to_owned(),
        );
    }
    if player.skipped > 0 {
        note(
            "intervalsSkipped",
            format!("{} intervals are counted and not played.", player.skipped),
            "Nothing more happens to the job and each transaction is committed in time, so each of them repeats the interval before. Epochs of ids that are used again are those of the played part.".to_owned(),
        );
    }
    if steps >= MAX_TRACE {
        note(
            "traceCut",
            format!("The trace shows the first {MAX_TRACE} steps."),
            "The counts are those of the whole run.".to_owned(),
        );
    }
    if params.settings.delivery_guarantee == Guarantee::None {
        note(
            "unflushedNotModelled",
            "Records that the producer holds back are not modelled.".to_owned(),
            "Without a guarantee the sink does not flush at a checkpoint, so a crash can also lose records that were not sent yet. Here each record is in the log as soon as it is written.".to_owned(),
        );
    }
    let wears =
        params.faults.iter().any(|it| matches!(it, Fault::Set { producer_epoch: Some(_), .. }));
    if wears && player.rules.first_epoch < 0 {
        note(
            "epochNotSet",
            "INCREMENTING begins with ids that nobody has used, so their epoch stays.".to_owned(),
            "An id that is used already would be found by probing, and so would the next, without end.".to_owned(),
        );
    }
    findings
}
