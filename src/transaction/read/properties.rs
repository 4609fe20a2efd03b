//! Properties of producers, brokers, consumers and the sink.
//!
//! `key=value` and `key: value` of files, `key = value` as Kafka's clients log their values, and
//! `'key' = 'value',` of SQL; `properties.` in front of a key is taken off.
//!
//! Source: Kafka 4.0, `ProducerConfig`, `ConsumerConfig`, `TransactionStateManagerConfig`;
//! flink-connector-kafka 4.0, `KafkaConnectorOptions`; Flink, `ExecutionCheckpointingOptions`.

use super::TextKind;
use super::evidence::Evidence;

/// How a value is written in its field.
#[derive(Clone, Copy)]
enum Form {
    /// Whole milliseconds.
    Millis,
    /// A duration of Flink, as it is.
    Duration,
    /// A whole number.
    Count,
    /// One of these, with its spelling in the field.
    Choice(&'static [(&'static str, &'static str)]),
    /// Any text.
    Text,
}

const GUARANTEES: Form = Form::Choice(&[
    ("exactly-once", "exactlyOnce"),
    ("exactly_once", "exactlyOnce"),
    ("at-least-once", "atLeastOnce"),
    ("at_least_once", "atLeastOnce"),
    ("none", "none"),
]);
const NAMINGS: Form = Form::Choice(&[
    ("incrementing", "incrementing"),
    ("default", "incrementing"),
    ("pooling", "pooling"),
]);
const LEVELS: Form = Form::Choice(&[
    ("read_committed", "read_committed"),
    ("read-committed", "read_committed"),
    ("read_uncommitted", "read_uncommitted"),
    ("read-uncommitted", "read_uncommitted"),
]);
const SWITCH: Form = Form::Choice(&[("true", "on"), ("false", "off")]);
const VERSIONS: Form = Form::Choice(&[("0", "tv1"), ("1", "tv1"), ("2", "tv2")]);

/// The keys that are read, with their fields.
const KEYS: [(&str, &str, Form); 19] = [
    ("transaction.timeout.ms", "timeoutMs", Form::Millis),
    ("transaction.max.timeout.ms", "brokerMaxMs", Form::Millis),
    ("transactional.id.expiration.ms", "idExpirationMs", Form::Millis),
    ("transaction.abort.timed.out.transaction.cleanup.interval.ms", "abortScanMs", Form::Millis),
    ("max.block.ms", "maxBlockMs", Form::Millis),
    ("isolation.level", "isolation", LEVELS),
    ("transaction.version", "transactionVersion", VERSIONS),
    ("sink.delivery-guarantee", "guarantee", GUARANTEES),
    ("sink.transactional-id-prefix", "prefix", Form::Text),
    ("sink.transaction-naming-strategy", "naming", NAMINGS),
    ("sink.committer.retries", "committerRetries", Form::Count),
    ("sink.parallelism", "parallelism", Form::Count),
    ("execution.checkpointing.interval", "intervalMs", Form::Duration),
    ("execution.checkpointing.timeout", "checkpointTimeoutMs", Form::Duration),
    ("execution.checkpointing.tolerable-failed-checkpoints", "failures", Form::Count),
    ("execution.checkpointing.max-concurrent-checkpoints", "maxConcurrentCheckpoints", Form::Count),
    (
        "execution.checkpointing.checkpoints-after-tasks-finish.enabled",
        "checkpointsAfterTasksFinish",
        SWITCH,
    ),
    ("heartbeat.timeout", "detectionMs", Form::Duration),
    ("restart-strategy.fixed-delay.delay", "restartDelayMs", Form::Duration),
];

/// Finds the properties.
pub fn read(evidence: &mut Evidence) {
    for at in 0..evidence.lines.len() {
        if evidence.is_used(at) {
            continue;
        }
        let Some((key, value)) = pair(evidence.lines[at]) else { continue };
        let Some((key, field, form)) = KEYS.iter().find(|(known, ..)| *known == key) else {
            evidence.pass(at);
            continue;
        };
        match written(*form, value) {
            Some(value) => {
                evidence.take(at, TextKind::Properties, format!("{key}: {value}"));
                evidence.set(field, key, value);
            }
            None => evidence.pass(at),
        }
    }
}

/// A key and its value, without quotes.
fn pair(line: &str) -> Option<(&str, &str)> {
    let line = line.trim().trim_end_matches(',').trim_end_matches(';');
    if line.starts_with('#') {
        return None;
    }
    let at = line.find(['=', ':'])?;
    let key = bare_key(bare(&line[..at]));
    let value = bare(&line[at + 1..]);
    (!key.is_empty() && !key.contains(char::is_whitespace)).then_some((key, value))
}

/// A text without the quotes around it.
fn bare(text: &str) -> &str {
    let text = text.trim();
    let quoted = |quote: char| text.strip_prefix(quote).and_then(|it| it.strip_suffix(quote));
    quoted('\'').or(quoted('"')).unwrap_or(text)
}

/// A key without what SQL and `-D` put in front of it.
fn bare_key(key: &str) -> &str {
    let key = key.strip_prefix("-D").unwrap_or(key);
    key.strip_prefix("properties.").unwrap_or(key)
}

/// The value as its field takes it; `None` for one that the option does not take.
fn written(form: Form, value: &str) -> Option<String> {
    match form {
        Form::Millis => value.parse::<i64>().ok().map(|ms| format!("{ms} ms")),
        Form::Count => value.parse::<u32>().ok().map(|count| count.to_string()),
        Form::Duration => {
            let is_duration = value.starts_with(|c: char| c.is_ascii_digit()) && value.len() <= 40;
            is_duration.then(|| value.to_owned())
        }
        Form::Choice(choices) => {
            let value = value.to_ascii_lowercase();
            choices.iter().find(|(text, _)| *text == value).map(|(_, field)| (*field).to_owned())
        }
        Form::Text => (!value.is_empty() && value.len() <= 500).then(|| value.to_owned()),
    }
}
