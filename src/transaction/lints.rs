//! Which settings of an exactly-once sink into Kafka break it, each with its condition and the
//! numbers put in?
//!
//! Thirty-three rules, `L01` to `L33`. A rule fires, holds, cannot be judged because a fact is not
//! known, or does not apply to this sink. Severities: an error blocks the job or loses data, a
//! warning is likely trouble, a note is worth knowing.
//!
//! Source: each rule names its classes and settings.

use serde::{Deserialize, Serialize};

use super::connector::Connector;
use super::refusal::SettingError;
use super::timeouts::TimeoutParams;
use crate::finding::{Change, Derivation, Finding, Severity};
use crate::units::FlinkVersion;

mod broker;
mod delivery;
mod facts;
mod naming;
mod timing;

pub use facts::{
    BrokerVersion, Guarantee, Isolation, Naming, PreviousNaming, Restart, SinkKind, Stop,
    TransactionVersion,
};

/// Settings of a job, its sink, the broker and the readers, with what is known beside them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LintParams {
    /// The Flink version.
    pub flink: FlinkVersion,
    /// The release line of flink-connector-kafka.
    pub connector: Connector,
    /// What writes.
    pub sink: SinkKind,
    /// The delivery guarantee; `None`: not set.
    pub guarantee: Option<Guarantee>,
    /// The times.
    pub times: TimeoutParams,
    /// Whether checkpointing is on.
    pub checkpointing: bool,
    /// Whether the input ends.
    pub bounded: bool,
    /// `execution.checkpointing.checkpoints-after-tasks-finish.enabled`.
    pub checkpoints_after_tasks_finish: bool,
    /// `isolation.level` of each reader; `null` in the list: not set.
    pub readers: Vec<Option<Isolation>>,
    /// `transactionalIdPrefix`; `None`: not set.
    pub prefix: Option<String>,
    /// The prefixes of other sinks of the cluster.
    pub other_prefixes: Vec<String>,
    /// Whether those write to a topic of this sink.
    pub shared_topic: bool,
    /// Whether the prefix, or the operator's uid, is another than before.
    pub prefix_changed: bool,
    /// Whether the job starts from a checkpoint or savepoint.
    pub state_restored: bool,
    /// `TransactionNamingStrategy`.
    pub naming: Naming,
    /// What wrote the state that is restored; `None`: the same as now, or no state.
    pub previous_naming: Option<PreviousNaming>,
    /// The parallelism of the sink.
    pub parallelism: u32,
    /// The parallelism after the next restart; `None`: the same.
    pub planned_parallelism: Option<u32>,
    /// Whether a checkpoint was completed yet.
    pub first_checkpoint_done: bool,
    /// `transactional.id.expiration.ms` of the broker [ms].
    pub id_expiration_ms: i64,
    /// The restart strategy.
    pub restart: Restart,
    /// The attempts of a fixed-delay strategy; `None`: its default, without end.
    pub restart_attempts: Option<u32>,
    /// The broker's version; `None`: not known.
    pub broker: Option<BrokerVersion>,
    /// `transaction.version` of the cluster.
    pub transaction_version: TransactionVersion,
    /// Whether the sink may READ and DESCRIBE its topics; `None`: not known.
    pub can_describe_topics: Option<bool>,
    /// Whether the sink may WRITE the TransactionalId pattern `prefix*`; `None`: not known.
    pub can_write_transactional_id: Option<bool>,
    /// Whether the record serializer chooses topics by record.
    pub dynamic_topics: bool,
    /// Pooled ids that one subtask uses in turn.
    pub ids_in_rotation: u32,
    /// The age of the state that is to be restored [ms]; `None`: none is planned.
    pub savepoint_age_ms: Option<i64>,
    /// How the job is stopped; `None`: not said.
    pub stop: Option<Stop>,
    /// Timeouts of the other transactional writers on a partition of this sink [ms].
    pub other_timeouts_ms: Vec<i64>,
    /// `kafkaProducersPoolSize` of the legacy sink.
    pub pool_size: u32,
    /// `execution.checkpointing.max-concurrent-checkpoints`.
    pub max_concurrent_checkpoints: u32,
    /// `sink.committer.retries`.
    pub committer_retries: u32,
    /// `max.block.ms` of the producer [ms].
    pub max_block_ms: i64,
}

/// What a rule says.
#[derive(Debug, Clone, PartialEq)]
enum Check {
    /// It is broken.
    Fires {
        /// One sentence with the numbers.
        title: String,
        /// The condition with the numbers put in.
        numbers: String,
        /// A change that mends it.
        apply: Vec<Change>,
    },
    /// It is kept: the condition with the numbers put in.
    Holds(String),
    /// A fact is not known: which.
    Unknown(&'static str),
    /// It is about something else: what.
    DoesNotApply(&'static str),
}

impl Check {
    /// Fires or holds, with the same numbers.
    fn of(
        fires: bool,
        numbers: impl Into<String>,
        title: impl FnOnce() -> String,
        apply: impl FnOnce() -> Vec<Change>,
    ) -> Self {
        let numbers = numbers.into();
        if fires {
            Self::Fires { title: title(), numbers, apply: apply() }
        } else {
            Self::Holds(numbers)
        }
    }
}

/// Nothing to apply: the change is outside the settings.
fn none() -> Vec<Change> {
    Vec::new()
}

/// One rule.
struct Rule {
    id: &'static str,
    severity: Severity,
    /// The knob to move first.
    knob: &'static str,
    /// The condition under which it fires, in letters.
    condition: &'static str,
    /// What breaks.
    price: &'static str,
    source: &'static str,
    check: fn(&LintParams) -> Check,
}

/// The outcome of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Outcome {
    /// It is broken.
    Fires,
    /// It is kept.
    Holds,
    /// A fact is not known.
    Unknown,
    /// It is about something else.
    DoesNotApply,
}

/// A rule and its outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LintRow {
    /// `L01` to `L33`.
    pub id: &'static str,
    /// How much it matters when it fires.
    pub severity: Severity,
    /// The knob to move first.
    pub knob: &'static str,
    /// The condition under which it fires, in letters.
    pub condition: &'static str,
    /// The same with the numbers put in, or what is not known, or why it does not apply.
    pub numbers: String,
    /// The outcome.
    pub outcome: Outcome,
    /// What breaks when it fires.
    pub price: &'static str,
}

/// Which subtasks of before one subtask probes for old transactions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Probing {
    /// The subtask after the restart.
    pub subtask: u32,
    /// Subtasks of before, and the first that was never used, where it stops.
    pub subtasks: Vec<u32>,
}

/// Answer of `lintTransactions`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LintReport {
    /// One sentence.
    pub verdict: String,
    /// All rules, in their order.
    pub rules: Vec<LintRow>,
    /// Transactional ids that the broker keeps.
    pub ids_kept: i64,
    /// Until the epochs of a pooled id are used up [ms]; `None` for ids that are not used again.
    pub rollover_ms: Option<i64>,
    /// Producers of the legacy sink's pool that may be in use at once.
    pub pool_needed: u32,
    /// Which subtasks of before each subtask probes after the restart, of the first 16; empty for
    /// ids that are listed.
    pub probing: Vec<Probing>,
    /// Calls of `initTransactions` that the second restart from one checkpoint makes to find old
    /// transactions of one subtask.
    pub probes_second_attempt: i64,
}

/// Which settings break it?
///
/// # Errors
/// A number that cannot be, with its field.
pub fn lint_transactions(params: &LintParams) -> Result<Derivation<LintReport>, SettingError> {
    params.check()?;
    let tables: [&[Rule]; 4] = [&timing::RULES, &delivery::RULES, &naming::RULES, &broker::RULES];
    let mut rules: Vec<&Rule> = tables.into_iter().flatten().collect();
    rules.sort_unstable_by_key(|rule| rule.id);
    let (mut rows, mut findings) = (Vec::new(), Vec::new());
    for rule in rules {
        let (outcome, numbers) = match (rule.check)(params) {
            Check::Fires { title, numbers, apply } => {
                findings.push(finding(rule, title, &numbers, apply));
                (Outcome::Fires, numbers)
            }
            Check::Holds(numbers) => (Outcome::Holds, numbers),
            Check::Unknown(what) => (Outcome::Unknown, format!("not known: {what}")),
            Check::DoesNotApply(why) => (Outcome::DoesNotApply, why.to_owned()),
        };
        let Rule { id, severity, knob, condition, price, .. } = *rule;
        rows.push(LintRow { id, severity, knob, condition, numbers, outcome, price });
    }
    findings.extend(other_flink(params));
    findings.sort_by_key(|finding| finding.severity);
    let value = LintReport {
        verdict: verdict(&rows),
        rules: rows,
        ids_kept: naming::ids_kept(params),
        rollover_ms: broker::rollover_ms(params),
        pool_needed: broker::pool_needed(params),
        probing: naming::probing(params),
        probes_second_attempt: naming::probes(2),
    };
    Ok(Derivation { value, findings })
}

/// A connector that was never released for this Flink version.
fn other_flink(params: &LintParams) -> Option<Finding> {
    let (flink, connector) = (params.flink.line(), params.connector);
    if params.sink == SinkKind::RawProducer || connector.flinks().contains(&flink) {
        return None;
    }
    let (line, own) = (connector.line(), Connector::of(params.flink).line());
    let flinks = connector.flinks().join(" and ");
    Some(Finding {
        code: "connector.flink",
        severity: Severity::Note,
        title: format!(
            "flink-connector-kafka {line} is released for Flink {flinks}, not for {flink}."
        ),
        reason: format!(
            "The one released for Flink {flink} is {own}. What is said here follows connector {line}."
        ),
        option: Some("flink-connector-kafka".to_owned()),
        price: None,
        apply: Vec::new(),
        source: "apache/flink-web, docs/data/flink_connectors.yml; names of the released artifacts"
            .to_owned(),
    })
}

fn finding(rule: &Rule, title: String, numbers: &str, apply: Vec<Change>) -> Finding {
    Finding {
        code: rule.id,
        severity: rule.severity,
        title,
        reason: format!("{}: {numbers}.", rule.condition),
        option: Some(rule.knob.to_owned()),
        price: Some(rule.price.to_owned()),
        apply,
        source: rule.source.to_owned(),
    }
}

fn verdict(rows: &[LintRow]) -> String {
    let count = |severity| {
        rows.iter().filter(|row| row.outcome == Outcome::Fires && row.severity == severity).count()
    };
    let unknown = rows.iter().filter(|row| row.outcome == Outcome::Unknown).count();
    let missing = match unknown {
        0 => String::new(),
        1 => " One rule cannot be judged, because a fact is not known.".to_owned(),
        many => format!(" {many} rules cannot be judged, because facts are not known."),
    };
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    let first = rows.iter().find(|row| row.outcome == Outcome::Fires);
    let found = match (errors, warnings, first) {
        (_, _, None) => "No rule is broken.".to_owned(),
        (0, 0, Some(_)) => "No rule is broken that loses data.".to_owned(),
        (0, 1, _) => "One setting is likely to give trouble.".to_owned(),
        (0, many, _) => format!("{many} settings are likely to give trouble."),
        (1, _, _) => "One setting blocks the job or loses data.".to_owned(),
        (many, _, _) => format!("{many} settings block the job or lose data."),
    };
    found + &missing
}
