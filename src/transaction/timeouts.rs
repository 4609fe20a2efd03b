//! Between which values is `transaction.timeout.ms` safe, and what does each minute of it buy?
//!
//! A transaction's clock starts with its first record and ends when the coordinator accepts the
//! commit. Three inequalities bound it: the broker's maximum from above (E1), the age at the commit
//! of a running job (E2) and of a restored one (E3) from below, and the patience of `read_committed`
//! readers behind an abandoned transaction from above (E5).
//!
//! # Deviations
//! A transaction is taken to begin at the barrier before it, so an idle start of an interval is not
//! counted in its favour. The abort scan grants up to one period more; nothing here relies on that.
//!
//! Source: Kafka 4.0, `TransactionStateManager#timedOutTransactions` (start + timeout < now, checked
//! each `transaction.abort.timed.out.transaction.cleanup.interval.ms`),
//! `TransactionCoordinator#handleInitProducerId` (refuses a timeout above the broker's maximum);
//! flink-connector-kafka 4.0, `KafkaSinkBuilder` (the preset of one hour), `KafkaCommitter`.

use serde::{Deserialize, Serialize};

use super::params::Fault;
use super::refusal::{MS_MAX, SettingError, check};
use super::strain;
use crate::finding::Derivation;

mod bounds;
mod knobs;
mod words;

pub use bounds::{Ages, Bound, ages};
pub use knobs::{Knob, KnobRange, Mend};

/// What `KafkaSink` and `FlinkKafkaProducer` set when nobody sets a timeout [ms]:
/// `DEFAULT_KAFKA_TRANSACTION_TIMEOUT`, one hour.
pub const FLINK_TIMEOUT_MS: i64 = 3_600_000;
/// The broker's default of `transaction.max.timeout.ms` [ms].
pub const BROKER_MAX_MS: i64 = 900_000;
/// A producer's timeout is a Java `int` [ms].
pub const INT_MAX_MS: i64 = 2_147_483_647;
/// The most failed checkpoints in a row that are asked for.
const FAILURES_MAX: i64 = 1000;

/// The times that decide, in milliseconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TimeoutParams {
    /// `transaction.timeout.ms` [ms]; `None`: Flink's preset of an hour.
    pub timeout_ms: Option<i64>,
    /// `transaction.max.timeout.ms` of the broker [ms]; `None`: not known, its default counts.
    pub broker_max_ms: Option<i64>,
    /// `execution.checkpointing.interval` [ms], 1 or more.
    pub interval_ms: i64,
    /// From the trigger of a checkpoint to its completion [ms].
    pub duration_ms: i64,
    /// From the completion to the commit [ms].
    pub notify_ms: i64,
    /// Checkpoints in a row that fail, are declined or are not notified.
    pub failures: u32,
    /// Until a failure is noticed [ms]: `heartbeat.timeout` where a process vanishes.
    pub detection_ms: Option<i64>,
    /// The delay of the restart strategy [ms].
    pub restart_delay_ms: Option<i64>,
    /// Until slots and images are there [ms].
    pub scheduling_ms: Option<i64>,
    /// Until state is restored [ms].
    pub restore_ms: Option<i64>,
    /// Until the transactions of earlier attempts are aborted [ms].
    pub probing_ms: Option<i64>,
    /// `transaction.abort.timed.out.transaction.cleanup.interval.ms` of the broker [ms].
    pub abort_scan_ms: i64,
    /// How long `read_committed` readers may stand still [ms]; `None`: they have no limit.
    pub patience_ms: Option<i64>,
    /// `execution.checkpointing.timeout` [ms].
    pub checkpoint_timeout_ms: i64,
    /// What happens to the job. A commit may be as late as the longest of its outages, and as many
    /// checkpoints in a row may commit nothing as its faults say.
    #[serde(default)]
    pub faults: Vec<Fault>,
}

impl TimeoutParams {
    /// The timeout that applies [ms].
    pub fn timeout(&self) -> i64 {
        self.timeout_ms.unwrap_or(FLINK_TIMEOUT_MS)
    }

    /// The broker's maximum that applies [ms].
    pub fn broker_max(&self) -> i64 {
        self.broker_max_ms.unwrap_or(BROKER_MAX_MS)
    }

    /// What the parts of the downtime add up to [ms]; parts not known count nothing.
    pub fn parts(&self) -> i64 {
        self.downtime_parts().iter().filter_map(|(_, ms)| *ms).sum()
    }

    /// The longest outage of the faults [ms], where it is longer than the parts say.
    pub fn outage(&self) -> Option<i64> {
        strain::longest_delay(&self.faults).filter(|ms| *ms > self.parts())
    }

    /// The downtime that counts, from a failure to the commit after it [ms].
    pub fn downtime(&self) -> i64 {
        self.outage().unwrap_or_else(|| self.parts())
    }

    /// The checkpoints in a row that commit nothing: as given, or as the faults say where that is more.
    pub fn uncommitted(&self) -> u32 {
        self.failures.max(strain::uncommitted_in_a_row(&self.faults))
    }

    /// The parts of the downtime [ms].
    pub const fn downtime_parts(&self) -> [(Knob, Option<i64>); 5] {
        [
            (Knob::Detection, self.detection_ms),
            (Knob::RestartDelay, self.restart_delay_ms),
            (Knob::Scheduling, self.scheduling_ms),
            (Knob::Restore, self.restore_ms),
            (Knob::Probing, self.probing_ms),
        ]
    }

    /// Refuses what cannot be; `at` is the path of these params, empty or ending with a dot.
    pub fn check(&self, at: &str) -> Result<(), SettingError> {
        let required = [
            (Knob::Interval, self.interval_ms, 1),
            (Knob::Duration, self.duration_ms, 0),
            (Knob::Notify, self.notify_ms, 0),
            (Knob::AbortScan, self.abort_scan_ms, 1),
            (Knob::CheckpointTimeout, self.checkpoint_timeout_ms, 1),
        ];
        for (knob, ms, low) in required {
            check(&format!("{at}{}", knob.field()), knob.option(), ms, low, MS_MAX)?;
        }
        let optional = [(Knob::BrokerMax, self.broker_max_ms), (Knob::Patience, self.patience_ms)];
        for (knob, ms) in optional.into_iter().chain(self.downtime_parts()) {
            let low = i64::from(knob == Knob::BrokerMax);
            let field = format!("{at}{}", knob.field());
            check(&field, knob.option(), ms.unwrap_or(low), low, MS_MAX)?;
        }
        // Zero and less are settings that people have: the broker refuses them, not this question.
        let field = format!("{at}{}", Knob::Timeout.field());
        check(&field, Knob::Timeout.option(), self.timeout(), -INT_MAX_MS, INT_MAX_MS)?;
        let field = format!("{at}{}", Knob::Failures.field());
        check(&field, Knob::Failures.option(), self.failures.into(), 0, FAILURES_MAX)?;
        for (fault, name, ms) in strain::delays(&self.faults) {
            check(&format!("{at}faults[{fault}].{name}"), None, ms, 0, MS_MAX)?;
        }
        Ok(())
    }
}

/// What the present timeout is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum TimeoutState {
    /// It holds all inequalities.
    Safe,
    /// The broker refuses it.
    Refused,
    /// A running job's transaction outlives it.
    TooShortToRun,
    /// A restored job's transaction outlives it.
    TooShortToRecover,
    /// Readers stand still longer than they may.
    TooLongForReaders,
}

/// The values that hold all inequalities [ms].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SafeRange {
    /// The least [ms].
    pub from_ms: i64,
    /// The most [ms].
    pub to_ms: i64,
}

/// What a timeout buys and costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Worth {
    /// The timeout [ms].
    pub timeout_ms: i64,
    /// Whether it is the present one.
    pub is_present: bool,
    /// Whether the broker takes it.
    pub starts: bool,
    /// The longest downtime that loses nothing [ms]; `None` where a running job loses already.
    pub downtime_survived_ms: Option<i64>,
    /// The most failed checkpoints in a row that lose nothing, with the downtime that is given.
    pub failures_survived: Option<i64>,
    /// The longest that an abandoned transaction holds readers back [ms].
    pub stall_max_ms: i64,
}

/// When a `read_committed` reader sees a record, from the moment it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Latency {
    /// A record right before the barrier [ms].
    pub best_ms: i64,
    /// A record right after the barrier before [ms].
    pub worst_ms: i64,
    /// The same with the failed checkpoints that are given [ms].
    pub worst_after_failures_ms: i64,
}

/// One step to the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RuleStep {
    /// What it is about.
    pub what: String,
    /// The rule in words.
    pub formula: String,
    /// The rule with the values put in.
    pub values: String,
    /// Where the rule comes from.
    pub source: String,
}

/// Answer of `transactionTimeouts`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TimeoutReport {
    /// One sentence with the number, the knob and the boundary.
    pub verdict: String,
    /// What the present timeout is.
    pub state: TimeoutState,
    /// The present timeout [ms].
    pub timeout_ms: i64,
    /// Whether it is Flink's preset.
    pub is_preset: bool,
    /// The broker's maximum that applies [ms].
    pub broker_max_ms: i64,
    /// The values that hold all inequalities; `None` where none does.
    pub safe: Option<SafeRange>,
    /// The bounds from below.
    pub lower: Vec<Bound>,
    /// The bounds from above.
    pub upper: Vec<Bound>,
    /// The downtime that counts [ms].
    pub downtime_ms: i64,
    /// What its parts add up to [ms].
    pub parts_ms: i64,
    /// The longest outage of the faults [ms], where it counts instead of the parts.
    pub outage_ms: Option<i64>,
    /// The longest downtime that the present timeout survives [ms].
    pub downtime_survived_ms: Option<i64>,
    /// How far the present timeout is above the least one [ms]; negative where it is below.
    pub margin_ms: i64,
    /// Where no value is safe: the setting above, and the largest part of what has to fit below it.
    pub blame: Option<Blame>,
    /// The values of each knob that keep the present timeout safe.
    pub knobs: Vec<KnobRange>,
    /// What each more minute buys and costs.
    pub worth: Vec<Worth>,
    /// What readers see.
    pub latency: Latency,
    /// The inequalities with the values put in.
    pub steps: Vec<RuleStep>,
}

/// Why no value is safe.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Blame {
    /// The field that caps the timeout.
    pub upper: &'static str,
    /// The field of the largest part of the age.
    pub lower: &'static str,
    /// By how much the least value is above the most [ms].
    pub gap_ms: i64,
    /// Single changes that give a safe value.
    pub mends: Vec<Mend>,
}

/// Between which values is the timeout safe?
///
/// # Errors
/// A number that cannot be, with its field.
pub fn transaction_timeouts(
    params: &TimeoutParams,
) -> Result<Derivation<TimeoutReport>, SettingError> {
    params.check("")?;
    let ages = ages(params);
    let (lower, upper) = (bounds::lower(params), bounds::upper(params));
    let (from_ms, to_ms) = (bounds::least(&lower), bounds::most(&upper));
    let state = bounds::state(params, &ages);
    let safe = (from_ms <= to_ms).then_some(SafeRange { from_ms, to_ms });
    let blame = safe.is_none().then(|| knobs::blame(params, from_ms, &upper));
    let timeout_ms = params.timeout();
    let verdict = words::verdict(params, state, safe, blame.as_ref());
    let value = TimeoutReport {
        verdict,
        state,
        timeout_ms,
        is_preset: params.timeout_ms.is_none(),
        broker_max_ms: params.broker_max(),
        safe,
        downtime_ms: params.downtime(),
        parts_ms: params.parts(),
        outage_ms: params.outage(),
        downtime_survived_ms: bounds::survived(params, timeout_ms),
        margin_ms: timeout_ms - from_ms,
        blame,
        knobs: knobs::ranges(params),
        worth: bounds::worth(params, safe),
        latency: Latency {
            best_ms: params.duration_ms + params.notify_ms,
            worst_ms: params.interval_ms + params.duration_ms + params.notify_ms,
            worst_after_failures_ms: ages.running_ms,
        },
        steps: words::steps(params, &lower, &upper),
        lower,
        upper,
    };
    Ok(Derivation { value, findings: Vec::new() })
}
