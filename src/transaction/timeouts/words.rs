//! The answer in sentences.
//!
//! Source: Flink 2.2, `CommitterOperator`; Kafka 4.0, `TransactionStateManager`; each step names its own.

use super::bounds::{Bound, ages, least, most, survived};
use super::{Blame, Knob, RuleStep, SafeRange, TimeoutParams, TimeoutState};
use crate::transaction::lengths::span;

/// `1 min + 5 s + 0.2 s`, with the failed checkpoints where there are some.
pub fn age_in_words(params: &TimeoutParams, after_ms: i64) -> String {
    let interval = span(params.interval_ms);
    let intervals = match params.uncommitted() {
        0 => interval,
        failures => format!("({failures} + 1) × {interval}"),
    };
    format!("{intervals} + {} + {}", span(params.duration_ms), span(after_ms))
}

/// One sentence with the number, the knob and the boundary.
pub fn verdict(
    params: &TimeoutParams,
    state: TimeoutState,
    safe: Option<SafeRange>,
    blame: Option<&Blame>,
) -> String {
    let timeout = span(params.timeout());
    let set = if params.timeout_ms.is_some() { "" } else { ", Flink's preset," };
    let ages = ages(params);
    let now = match state {
        TimeoutState::Refused if params.timeout() <= 0 => {
            format!("The broker refuses a timeout of {timeout}: it must be above 0.")
        }
        TimeoutState::Refused => format!(
            "The job does not start: `transaction.timeout.ms` of {timeout}{set} is above the broker's maximum of {}.",
            span(params.broker_max())
        ),
        TimeoutState::TooShortToRun => format!(
            "A running job loses data: a transaction is {} old at its commit, and `transaction.timeout.ms`{set} is {timeout}.",
            span(ages.running_ms)
        ),
        TimeoutState::TooShortToRecover => format!(
            "A restart of {} loses data: the transaction is {} old at its commit, and `transaction.timeout.ms`{set} is {timeout}.",
            span(params.downtime()),
            span(ages.recovery_ms)
        ),
        TimeoutState::TooLongForReaders => format!(
            "Nothing is lost, but an abandoned transaction holds readers back for up to {}, and they may stand still for {}.",
            span(params.timeout() + params.abort_scan_ms),
            span(params.patience_ms.unwrap_or(0))
        ),
        TimeoutState::Safe => format!(
            "`transaction.timeout.ms` of {timeout}{set} is safe: it survives {} of downtime, and {} {}.",
            span(survived(params, params.timeout()).unwrap_or(0)),
            if params.outage().is_some() {
                "the longest outage above takes"
            } else {
                "the parts given add up to"
            },
            span(params.downtime())
        ),
    };
    let range = match (safe, blame) {
        (Some(SafeRange { from_ms, to_ms }), _) => {
            format!(" Safe are {} to {}.", exact(from_ms), exact(to_ms))
        }
        (None, Some(blame)) => format!(
            " No value is safe: the least is {} above the most that {} allows.",
            span(blame.gap_ms),
            cap_in_words(blame.upper)
        ),
        (None, None) => String::new(),
    };
    now + &range
}

/// A bound to the millisecond, with its spelling as the setting takes it.
fn exact(ms: i64) -> String {
    format!("{} ({ms} ms)", span(ms))
}

fn cap_in_words(field: &str) -> &'static str {
    if field == Knob::Patience.field() { "the readers' patience" } else { "the broker" }
}

/// The inequalities with the values put in.
pub fn steps(params: &TimeoutParams, lower: &[Bound], upper: &[Bound]) -> Vec<RuleStep> {
    let mut steps = vec![RuleStep {
        what: "Downtime".to_owned(),
        formula: "D = detection + restart delay + slots and images + restore + clean-up, or the longest outage of the scenario where that is longer".to_owned(),
        values: downtime_in_words(params),
        source: "ResourceManager (heartbeat.timeout), RestartStrategyOptions, CommitterOperator#initializeState".to_owned(),
    }];
    let title = |bound: &Bound| match bound.id {
        "E1" => "The broker takes it",
        "E2" => "A running job commits in time",
        "E3" => "A restored job commits in time",
        "E5" => "Readers are not held back too long",
        _ => "The setting can hold it",
    };
    steps.extend(lower.iter().chain(upper).map(|bound| RuleStep {
        what: format!("{} ({})", title(bound), bound.id),
        formula: bound.formula.to_owned(),
        values: bound.numbers.clone(),
        source: bound.source.to_owned(),
    }));
    let (from_ms, to_ms) = (least(lower), most(upper));
    steps.push(RuleStep {
        what: "The safe range".to_owned(),
        formula: "the largest bound from below to the smallest from above".to_owned(),
        values: if from_ms <= to_ms {
            format!("{from_ms} ms ≤ T ≤ {to_ms} ms")
        } else {
            format!("{from_ms} ms > {to_ms} ms: empty")
        },
        source: "the bounds above".to_owned(),
    });
    steps.push(RuleStep {
        what: "What a reader sees".to_owned(),
        formula:
            "read_committed latency = d + n (right before a barrier) to I + d + n (right after one)"
                .to_owned(),
        values: format!(
            "{} to {}",
            span(params.duration_ms + params.notify_ms),
            span(params.interval_ms + params.duration_ms + params.notify_ms)
        ),
        source: "CommitterOperator#notifyCheckpointComplete; Kafka 4.0, last stable offset"
            .to_owned(),
    });
    steps
}

fn downtime_in_words(params: &TimeoutParams) -> String {
    let part = |(knob, ms): (Knob, Option<i64>)| match ms {
        Some(ms) => format!("{} {}", knob.name(), span(ms)),
        None => format!("{} not known, counted as 0", knob.name()),
    };
    let parts: Vec<String> = params.downtime_parts().into_iter().map(part).collect();
    let sum = format!("{} = {}", parts.join(" + "), span(params.parts()));
    match params.outage() {
        Some(outage) => format!("{sum}; the longest outage of the scenario takes {}", span(outage)),
        None => sum,
    }
}
