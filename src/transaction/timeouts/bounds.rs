//! The inequalities, solved for the timeout.
//!
//! Source: Kafka 4.0, `TransactionStateManager#timedOutTransactions`; each bound names its classes.

use serde::Serialize;

use super::words::age_in_words;
use super::{INT_MAX_MS, Knob, SafeRange, TimeoutParams, TimeoutState, Worth};
use crate::transaction::lengths::span;

const MINUTE: i64 = 60_000;
/// The steps above the present timeout that are worked out [min].
const MORE_MINUTES: [i64; 4] = [1, 5, 15, 60];

/// How old a transaction gets before its commit is accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ages {
    /// In a running job [ms]: (f + 1) I + d + n.
    pub running_ms: i64,
    /// In a job that fails right before the commit [ms]: (f + 1) I + d + D.
    pub recovery_ms: i64,
}

/// The ages that the params give.
pub fn ages(params: &TimeoutParams) -> Ages {
    let until_complete = until_complete(params, params.uncommitted().into());
    Ages {
        running_ms: until_complete + params.notify_ms,
        recovery_ms: until_complete + params.downtime(),
    }
}

fn until_complete(params: &TimeoutParams, failures: i64) -> i64 {
    (failures + 1) * params.interval_ms + params.duration_ms
}

/// One bound of the timeout.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Bound {
    /// The inequality: `E1`, `E2`, `E3`, `E5`, or `int` for the type of the setting.
    pub id: &'static str,
    /// What happens beyond it.
    pub beyond: &'static str,
    /// The least or the most timeout that holds it [ms].
    pub timeout_ms: i64,
    /// The inequality in letters.
    pub formula: &'static str,
    /// The inequality with the values put in.
    pub numbers: String,
    /// The field that has to move to move the bound.
    pub field: &'static str,
    /// Where the rule comes from.
    pub source: &'static str,
}

/// The bounds from below.
pub fn lower(params: &TimeoutParams) -> Vec<Bound> {
    let ages = ages(params);
    let largest = |parts: &[(Knob, i64)]| {
        parts.iter().max_by_key(|(_, ms)| *ms).map_or(Knob::Interval, |(knob, _)| *knob).field()
    };
    let intervals = (Knob::Interval, (i64::from(params.uncommitted()) + 1) * params.interval_ms);
    let duration = (Knob::Duration, params.duration_ms);
    let mut recovery = vec![intervals, duration];
    match params.outage() {
        Some(outage) => recovery.push((Knob::Outage, outage)),
        None => {
            recovery.extend(params.downtime_parts().map(|(knob, ms)| (knob, ms.unwrap_or(0))));
        }
    }
    vec![
        Bound {
            id: "E2",
            beyond: "a running job's commits are dropped",
            timeout_ms: ages.running_ms + 1,
            formula: "T > (f + 1) × I + d + n",
            numbers: format!(
                "T > {} = {}",
                age_in_words(params, params.notify_ms),
                span(ages.running_ms)
            ),
            field: largest(&[intervals, duration, (Knob::Notify, params.notify_ms)]),
            source: "Kafka 4.0, TransactionStateManager#timedOutTransactions; CommitterOperator#notifyCheckpointComplete",
        },
        Bound {
            id: "E3",
            beyond: "a restored job's commits are dropped",
            timeout_ms: ages.recovery_ms + 1,
            formula: "T > (f + 1) × I + d + D",
            numbers: format!(
                "T > {} = {}",
                age_in_words(params, params.downtime()),
                span(ages.recovery_ms)
            ),
            field: largest(&recovery),
            source: "Kafka 4.0, TransactionStateManager#timedOutTransactions; CommitterOperator#initializeState",
        },
    ]
}

/// The bounds from above.
pub fn upper(params: &TimeoutParams) -> Vec<Bound> {
    let known = if params.broker_max_ms.is_some() { "" } else { " (the broker's default)" };
    let mut bounds = vec![Bound {
        id: "E1",
        beyond: "the broker refuses the producer",
        timeout_ms: params.broker_max(),
        formula: "0 < T ≤ Tmax",
        numbers: format!("T ≤ {}{known}", span(params.broker_max())),
        field: Knob::BrokerMax.field(),
        source: "Kafka 4.0, TransactionCoordinator#handleInitProducerId",
    }];
    if let Some(patience) = params.patience_ms {
        bounds.push(Bound {
            id: "E5",
            beyond: "readers stand still longer than they may",
            timeout_ms: patience - params.abort_scan_ms,
            formula: "T + A ≤ patience",
            numbers: format!(
                "T ≤ {} − {} = {}",
                span(patience),
                span(params.abort_scan_ms),
                span(patience - params.abort_scan_ms)
            ),
            field: Knob::Patience.field(),
            source: "Kafka 4.0, TransactionStateManager#timedOutTransactions; ReplicaManager, last stable offset",
        });
    }
    bounds.push(Bound {
        id: "int",
        beyond: "the producer cannot be configured",
        timeout_ms: INT_MAX_MS,
        formula: "T ≤ 2³¹ − 1 ms",
        numbers: format!("T ≤ {}", span(INT_MAX_MS)),
        field: Knob::Timeout.field(),
        source: "Kafka 4.0, ProducerConfig: transaction.timeout.ms is of Type.INT",
    });
    bounds
}

/// The least timeout that holds all bounds from below [ms].
pub fn least(lower: &[Bound]) -> i64 {
    lower.iter().map(|bound| bound.timeout_ms).max().unwrap_or(1)
}

/// The most that holds all bounds from above [ms].
pub fn most(upper: &[Bound]) -> i64 {
    upper.iter().map(|bound| bound.timeout_ms).min().unwrap_or(INT_MAX_MS)
}

/// What the present timeout is; the first that applies, the worst first.
pub fn state(params: &TimeoutParams, ages: &Ages) -> TimeoutState {
    let timeout = params.timeout();
    if timeout <= 0 || timeout > params.broker_max() {
        TimeoutState::Refused
    } else if timeout <= ages.running_ms {
        TimeoutState::TooShortToRun
    } else if timeout <= ages.recovery_ms {
        TimeoutState::TooShortToRecover
    } else if params.patience_ms.is_some_and(|patience| timeout + params.abort_scan_ms > patience) {
        TimeoutState::TooLongForReaders
    } else {
        TimeoutState::Safe
    }
}

/// The longest downtime that a timeout survives [ms]: T − 1 − (f + 1) I − d.
pub fn survived(params: &TimeoutParams, timeout_ms: i64) -> Option<i64> {
    let rest = timeout_ms - 1 - until_complete(params, params.uncommitted().into());
    (rest >= params.notify_ms).then_some(rest)
}

/// The most failed checkpoints in a row that a timeout survives, with the downtime given.
fn failures_survived(params: &TimeoutParams, timeout_ms: i64) -> Option<i64> {
    let rest = timeout_ms - 1 - params.duration_ms - params.downtime().max(params.notify_ms);
    let intervals = rest.div_euclid(params.interval_ms);
    (intervals >= 1).then_some(intervals - 1)
}

/// The present timeout, some minutes more, and the ends of the safe range.
pub fn worth(params: &TimeoutParams, safe: Option<SafeRange>) -> Vec<Worth> {
    let present = params.timeout();
    let more = MORE_MINUTES.map(|minutes| present + minutes * MINUTE);
    let ends = safe.map(|range| [range.from_ms, range.to_ms]).into_iter().flatten();
    let mut timeouts: Vec<i64> = [present]
        .into_iter()
        .chain(more)
        .chain(ends)
        .filter(|ms| *ms == present || (1..=INT_MAX_MS).contains(ms))
        .collect();
    timeouts.sort_unstable();
    timeouts.dedup();
    let row = |timeout_ms| Worth {
        timeout_ms,
        is_present: timeout_ms == present,
        starts: (1..=params.broker_max()).contains(&timeout_ms),
        downtime_survived_ms: survived(params, timeout_ms),
        failures_survived: failures_survived(params, timeout_ms),
        stall_max_ms: timeout_ms.max(0) + params.abort_scan_ms,
    };
    timeouts.into_iter().map(row).collect()
}
