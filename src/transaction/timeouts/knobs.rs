//! The knobs of a timeout: their names, the values of each that keep the present timeout safe, and
//! the single changes that give a safe one where there is none.
//!
//! Source: Kafka 4.0, `ProducerConfig`, `TransactionStateManagerConfig`; Flink 2.2, `CheckpointingOptions`,
//! `HeartbeatManagerOptions`, `RestartStrategyOptions` (the names of the options).

use serde::Serialize;

use super::bounds::{Bound, most};
use super::{Blame, INT_MAX_MS, TimeoutParams};

/// A time or number that decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the field of the params with its name")]
pub enum Knob {
    Timeout,
    BrokerMax,
    Interval,
    Duration,
    Notify,
    Failures,
    Detection,
    RestartDelay,
    Scheduling,
    Restore,
    Probing,
    AbortScan,
    Patience,
    CheckpointTimeout,
    Outage,
}

impl Knob {
    /// Its field in the params.
    pub const fn field(self) -> &'static str {
        match self {
            Self::Timeout => "timeoutMs",
            Self::BrokerMax => "brokerMaxMs",
            Self::Interval => "intervalMs",
            Self::Duration => "durationMs",
            Self::Notify => "notifyMs",
            Self::Failures => "failures",
            Self::Detection => "detectionMs",
            Self::RestartDelay => "restartDelayMs",
            Self::Scheduling => "schedulingMs",
            Self::Restore => "restoreMs",
            Self::Probing => "probingMs",
            Self::AbortScan => "abortScanMs",
            Self::Patience => "patienceMs",
            Self::CheckpointTimeout => "checkpointTimeoutMs",
            Self::Outage => "faults",
        }
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Timeout => "transaction timeout",
            Self::BrokerMax => "the broker's maximum",
            Self::Interval => "checkpoint interval",
            Self::Duration => "checkpoint duration",
            Self::Notify => "completion to commit",
            Self::Failures => "failed checkpoints in a row",
            Self::Detection => "detection of the failure",
            Self::RestartDelay => "restart delay",
            Self::Scheduling => "slots and images",
            Self::Restore => "restore of state",
            Self::Probing => "clean-up of old transactions",
            Self::AbortScan => "abort scan of the broker",
            Self::Patience => "patience of the readers",
            Self::CheckpointTimeout => "checkpoint timeout",
            Self::Outage => "longest outage of the scenario",
        }
    }

    /// The option that sets it, where one does.
    pub const fn option(self) -> Option<&'static str> {
        match self {
            Self::Timeout => Some("transaction.timeout.ms"),
            Self::BrokerMax => Some("transaction.max.timeout.ms"),
            Self::Interval => Some("execution.checkpointing.interval"),
            Self::Failures => Some("execution.checkpointing.tolerable-failed-checkpoints"),
            Self::Detection => Some("heartbeat.timeout"),
            Self::RestartDelay => Some("restart-strategy.fixed-delay.delay"),
            Self::AbortScan => Some("transaction.abort.timed.out.transaction.cleanup.interval.ms"),
            Self::CheckpointTimeout => Some("execution.checkpointing.timeout"),
            Self::Duration
            | Self::Notify
            | Self::Scheduling
            | Self::Restore
            | Self::Probing
            | Self::Patience
            | Self::Outage => None,
        }
    }
}

/// The values of one knob that keep the present timeout safe, all else as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KnobRange {
    /// Its field.
    pub field: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Its option.
    pub option: Option<&'static str>,
    /// Whether it is a number of checkpoints rather than milliseconds.
    pub is_count: bool,
    /// Its value; `None` where it is not known.
    pub present: Option<i64>,
    /// The least value; `None` where there is no limit below.
    pub from: Option<i64>,
    /// The most value; `None` where there is no limit above.
    pub to: Option<i64>,
    /// Whether any value keeps the present timeout safe.
    pub possible: bool,
}

/// A single change that gives a safe timeout.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Mend {
    /// The field to change.
    pub field: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Its option.
    pub option: Option<&'static str>,
    /// The value at which the range begins to exist.
    pub value: i64,
    /// Whether the value is the most (a time that has to shrink) or the least.
    pub is_most: bool,
}

/// The most that a knob may be so that the ages stay below `timeout_ms`; `None` for a knob that
/// is no part of an age.
fn most_below(params: &TimeoutParams, knob: Knob, timeout_ms: i64) -> Option<i64> {
    let rounds = i64::from(params.uncommitted()) + 1;
    let after = params.downtime().max(params.notify_ms);
    let rest = timeout_ms - 1;
    let until_complete = rounds * params.interval_ms + params.duration_ms;
    let left = rest - until_complete;
    let part = |ms: Option<i64>| match params.outage() {
        // No part of the downtime mends what the outage breaks.
        Some(outage) if outage > left => -1,
        _ => left - (params.parts() - ms.unwrap_or(0)),
    };
    Some(match knob {
        Knob::Interval => (rest - params.duration_ms - after).div_euclid(rounds),
        Knob::Duration => rest - rounds * params.interval_ms - after,
        Knob::Notify | Knob::Outage => left,
        Knob::Failures => (rest - params.duration_ms - after).div_euclid(params.interval_ms) - 1,
        Knob::Detection => part(params.detection_ms),
        Knob::RestartDelay => part(params.restart_delay_ms),
        Knob::Scheduling => part(params.scheduling_ms),
        Knob::Restore => part(params.restore_ms),
        Knob::Probing => part(params.probing_ms),
        Knob::Timeout
        | Knob::BrokerMax
        | Knob::AbortScan
        | Knob::Patience
        | Knob::CheckpointTimeout => return None,
    })
}

/// The knobs of the ages, as they are listed.
const AGE_KNOBS: [Knob; 10] = [
    Knob::Interval,
    Knob::Duration,
    Knob::Notify,
    Knob::Failures,
    Knob::Detection,
    Knob::RestartDelay,
    Knob::Scheduling,
    Knob::Restore,
    Knob::Probing,
    Knob::Outage,
];

fn present(params: &TimeoutParams, knob: Knob) -> Option<i64> {
    match knob {
        Knob::Timeout => Some(params.timeout()),
        Knob::BrokerMax => params.broker_max_ms,
        Knob::Interval => Some(params.interval_ms),
        Knob::Duration => Some(params.duration_ms),
        Knob::Notify => Some(params.notify_ms),
        Knob::Failures => Some(params.uncommitted().into()),
        Knob::AbortScan => Some(params.abort_scan_ms),
        Knob::Patience => params.patience_ms,
        Knob::CheckpointTimeout => Some(params.checkpoint_timeout_ms),
        Knob::Outage => params.outage(),
        Knob::Detection | Knob::RestartDelay | Knob::Scheduling | Knob::Restore | Knob::Probing => {
            params.downtime_parts().into_iter().find(|(part, _)| *part == knob)?.1
        }
    }
}

/// The least that a knob can be.
const fn floor(knob: Knob) -> i64 {
    match knob {
        Knob::Interval | Knob::AbortScan => 1,
        _ => 0,
    }
}

/// The values of each knob that keep the present timeout safe.
pub fn ranges(params: &TimeoutParams) -> Vec<KnobRange> {
    let timeout = params.timeout();
    let row = |knob: Knob, from: Option<i64>, to: Option<i64>| KnobRange {
        field: knob.field(),
        name: knob.name(),
        option: knob.option(),
        is_count: knob == Knob::Failures,
        present: present(params, knob),
        from,
        to,
        possible: to.is_none_or(|to| to >= floor(knob)),
    };
    let mut rows: Vec<KnobRange> = AGE_KNOBS
        .into_iter()
        .filter(|knob| *knob != Knob::Outage || params.outage().is_some())
        .filter_map(|knob| Some(row(knob, None, Some(most_below(params, knob, timeout)?))))
        .collect();
    rows.push(row(Knob::BrokerMax, Some(timeout), None));
    if let Some(patience) = params.patience_ms {
        rows.push(row(Knob::Patience, Some(timeout + params.abort_scan_ms), None));
        rows.push(row(Knob::AbortScan, None, Some(patience - timeout)));
    }
    rows
}

/// Why no value is safe, and what single change gives one.
pub fn blame(params: &TimeoutParams, least: i64, upper: &[Bound]) -> Blame {
    let cap = most(upper);
    let binding = upper.iter().find(|bound| bound.timeout_ms == cap);
    let lower = super::bounds::lower(params);
    let deepest = lower.iter().find(|bound| bound.timeout_ms == least);
    let mend = |knob: Knob, value: i64, is_most: bool| Mend {
        field: knob.field(),
        name: knob.name(),
        option: knob.option(),
        value,
        is_most,
    };
    let mut mends = Vec::new();
    let others =
        |id: &str| upper.iter().filter(|bound| bound.id != id).map(|bound| bound.timeout_ms).min();
    if least <= others("E1").unwrap_or(INT_MAX_MS) {
        mends.push(mend(Knob::BrokerMax, least, false));
    }
    if params.patience_ms.is_some() && least <= others("E5").unwrap_or(INT_MAX_MS) {
        mends.push(mend(Knob::Patience, least + params.abort_scan_ms, false));
    }
    for knob in AGE_KNOBS {
        let Some(value) = most_below(params, knob, cap) else { continue };
        let shrinks = present(params, knob).is_some_and(|now| value < now);
        if value >= floor(knob) && shrinks {
            mends.push(mend(knob, value, true));
        }
    }
    Blame {
        upper: binding.map_or(Knob::BrokerMax.field(), |bound| bound.field),
        lower: deepest.map_or(Knob::Interval.field(), |bound| bound.field),
        gap_ms: least - cap,
        mends,
    }
}
