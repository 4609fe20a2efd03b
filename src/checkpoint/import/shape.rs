//! Which REST answer a value is, by its fields, and what it says.
//!
//! A number that is negative, no integer where Flink has integers, or beyond 2^53 counts as absent:
//! Flink writes none, and no page could show it.
//!
//! Source: Flink 1.20.5, CheckpointStatistics, TaskCheckpointStatisticsWithSubtaskDetails,
//! SubtaskCheckpointStatistics, CheckpointConfigInfo, JobVertexBackPressureInfo,
//! MetricCollectionResponseBody and JobDetailsInfo for the field names.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::checkpoint::timeline::SubtaskTimes;

/// The largest integer that JavaScript holds exactly.
const NUMBER_MAX: u64 = (1 << 53) - 1;
/// The longest text that is kept of a name or a message, in characters.
const TEXT_KEPT: usize = 2000;
/// The most subtasks, checkpoints and vertices that are kept of one answer.
const LIST_KEPT: usize = 5000;

/// What a value is.
#[derive(Debug)]
pub enum Shape {
    /// `/jobs/:id/checkpoints`.
    Overview(Overview),
    /// `/jobs/:id/checkpoints/details/:cid`.
    Details(Checkpoint),
    /// `/jobs/:id/checkpoints/details/:cid/subtasks/:vertex`.
    Subtasks(VertexPart),
    /// `/jobs/:id/checkpoints/config`.
    Config(Config),
    /// `/jobs/:id/vertices/:vid/backpressure`.
    Backpressure(Vec<Load>),
    /// `/jobs/:id/vertices/:vid/metrics?get=…`, with the number of the subtask before the name.
    Metrics(BTreeMap<(u64, String), f64>),
    /// `/jobs/:id`.
    Job(Job),
    /// Known, and not needed.
    Ignored(&'static str, &'static str),
    /// Not known.
    Unknown,
}

/// The overview.
#[derive(Debug, Default)]
pub struct Overview {
    /// Newest first.
    pub history: Vec<Checkpoint>,
    /// `counts.failed`.
    pub failed: Option<u64>,
}

/// A checkpoint.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Checkpoint {
    pub id: u64,
    pub status: String,
    pub checkpoint_type: String,
    pub is_savepoint: bool,
    pub trigger: Option<u64>,
    pub latest_ack: Option<u64>,
    pub end_to_end: Option<u64>,
    pub state_size: Option<u64>,
    pub checkpointed_size: Option<u64>,
    pub persisted: Option<u64>,
    pub processed: Option<u64>,
    pub buffered: Option<u64>,
    pub subtasks: Option<u64>,
    pub acknowledged: Option<u64>,
    pub failure: Option<String>,
    /// Sums by vertex, only in `details/:cid`.
    pub tasks: Vec<(String, Sums)>,
}

/// What `details/:cid` says of a vertex; it is how its subtasks are found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sums {
    pub latest_ack: Option<u64>,
    pub end_to_end: Option<u64>,
    pub state_size: Option<u64>,
    pub checkpointed_size: Option<u64>,
    pub persisted: Option<u64>,
    pub subtasks: Option<u64>,
    pub acknowledged: Option<u64>,
}

/// The subtasks of a vertex.
#[derive(Debug, Clone, PartialEq)]
pub struct VertexPart {
    /// `id`, of the checkpoint.
    pub checkpoint: u64,
    /// The same sums again.
    pub sums: Sums,
    /// In order.
    pub rows: Vec<Subtask>,
}

/// A subtask.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Subtask {
    pub index: u64,
    pub status: String,
    pub end_to_end: Option<u64>,
    pub start_delay: Option<u64>,
    pub alignment: Option<u64>,
    pub sync: Option<u64>,
    pub r#async: Option<u64>,
    pub state_size: Option<u64>,
    pub checkpointed_size: Option<u64>,
    pub processed: Option<u64>,
    pub persisted: Option<u64>,
    pub unaligned: Option<bool>,
}

impl Subtask {
    /// Whether it acknowledged.
    pub fn is_acknowledged(&self) -> bool {
        self.end_to_end.is_some()
    }

    /// Its times, where it acknowledged.
    pub fn times(&self) -> Option<SubtaskTimes> {
        Some(SubtaskTimes {
            start_delay_ms: self.start_delay.unwrap_or(0),
            alignment_ms: self.alignment.unwrap_or(0),
            sync_ms: self.sync.unwrap_or(0),
            async_ms: self.r#async.unwrap_or(0),
            end_to_end_ms: self.end_to_end?,
            unaligned: self.unaligned.unwrap_or(false),
        })
    }
}

/// The configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Config {
    pub mode: String,
    pub interval: Option<u64>,
    pub timeout: Option<u64>,
    pub min_pause: Option<u64>,
    pub max_concurrent: Option<u64>,
    pub unaligned: bool,
    pub tolerable: Option<u64>,
    pub aligned_timeout: Option<u64>,
    pub backend: String,
    /// Absent before 1.14.
    pub after_tasks_finish: Option<bool>,
}

/// A subtask's share of a second.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Load {
    /// `subtask`.
    pub subtask: u64,
    /// `ratio`: backpressured.
    pub backpressured: f64,
    /// `busyRatio`.
    pub busy: f64,
    /// `idleRatio`.
    pub idle: f64,
}

/// A job.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Job {
    /// `name`.
    pub name: String,
    /// `vertices`, sources first.
    pub vertices: Vec<Vertex>,
    /// From and to by id, and `ship_strategy`; from `plan`.
    pub edges: Vec<(String, String, String)>,
}

/// A vertex.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Vertex {
    pub id: String,
    pub name: String,
    pub parallelism: u64,
    pub start: Option<u64>,
    pub duration: Option<u64>,
    pub finished: u64,
    pub read_bytes: Option<u64>,
    pub write_bytes: Option<u64>,
    pub read_records: Option<u64>,
    pub write_records: Option<u64>,
    pub backpressured: Option<u64>,
    pub busy: Option<u64>,
    pub idle: Option<u64>,
}

/// What is it?
pub fn shape(value: &Value) -> Shape {
    let has = |names: &[&str]| names.iter().all(|name| value.get(name).is_some());
    if value.is_array() {
        return metrics(value);
    }
    if has(&["counts", "history"]) {
        return Shape::Overview(Overview {
            history: list(value, "history").filter_map(checkpoint).collect(),
            failed: value.get("counts").and_then(|it| number(it, "failed")),
        });
    }
    if has(&["id", "subtasks"]) && has(&["num_subtasks"]) {
        return match number(value, "id") {
            Some(checkpoint) => Shape::Subtasks(VertexPart {
                checkpoint,
                sums: sums(value),
                rows: list(value, "subtasks").filter_map(subtask).collect(),
            }),
            None => Shape::Unknown,
        };
    }
    if has(&["id", "status", "trigger_timestamp"]) {
        return checkpoint(value).map_or(Shape::Unknown, Shape::Details);
    }
    if has(&["mode", "interval", "timeout"]) {
        return Shape::Config(config(value));
    }
    if has(&["vertices", "jid"]) || has(&["vertices", "plan"]) {
        return Shape::Job(job(value));
    }
    if has(&["backpressureLevel"]) || has(&["backpressure-level"]) {
        return Shape::Backpressure(list(value, "subtasks").filter_map(load).collect());
    }
    if has(&["status"]) && text(value, "status") == "deprecated" {
        let why = "Flink was still sampling; fetch it once more after some seconds.";
        return Shape::Ignored("backpressure of a vertex", why);
    }
    if has(&["root-exception"]) || has(&["exceptionHistory"]) {
        return Shape::Ignored("exceptions of a job", "A failed checkpoint has its own message.");
    }
    if has(&["taskmanagers"]) {
        return Shape::Ignored("list of TaskManagers", "Nothing in it concerns checkpoints.");
    }
    if has(&["request-id"]) {
        return Shape::Ignored("answer to a trigger", "It holds only the number of the request.");
    }
    if has(&["plan"]) {
        return Shape::Ignored(
            "plan of a job",
            "It has no numbers; fetch /jobs/:id, which has both.",
        );
    }
    Shape::Unknown
}

fn metrics(value: &Value) -> Shape {
    let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
    let is_metric = |it: &Value| it.get("id").is_some_and(Value::is_string);
    if items.is_empty() {
        return Shape::Ignored("empty list", "Flink had no values for what was asked.");
    }
    if !items.iter().all(is_metric) {
        return Shape::Unknown;
    }
    if items.iter().all(|it| it.get("value").is_none() && it.get("min").is_none()) {
        return Shape::Ignored("names of metrics", "It has no values; ask for some with ?get=….");
    }
    let mut found = BTreeMap::new();
    for it in items.iter().take(LIST_KEPT * 4) {
        let name = text(it, "id");
        let Some((subtask, name)) = name.split_once('.') else { continue };
        let Ok(subtask) = subtask.parse::<u64>() else { continue };
        let value = it.get("value").and_then(|it| match it {
            Value::String(text) if text == "true" => Some(1.0),
            Value::String(text) if text == "false" => Some(0.0),
            Value::String(text) => text.parse::<f64>().ok(),
            other => other.as_f64(),
        });
        if let Some(value) = value.filter(|it| it.is_finite() && *it >= 0.0 && *it < 9e15) {
            found.insert((subtask, name.to_owned()), value);
        }
    }
    if found.is_empty() {
        let why = "It is not by subtask; fetch /vertices/:vid/metrics?get=0.….";
        return Shape::Ignored("metrics", why);
    }
    Shape::Metrics(found)
}

fn checkpoint(value: &Value) -> Option<Checkpoint> {
    let tasks = value.get("tasks").and_then(Value::as_object);
    Some(Checkpoint {
        id: number(value, "id")?,
        status: text(value, "status"),
        checkpoint_type: text(value, "checkpoint_type"),
        is_savepoint: flag(value, "is_savepoint").unwrap_or(false),
        trigger: number(value, "trigger_timestamp"),
        latest_ack: number(value, "latest_ack_timestamp"),
        end_to_end: number(value, "end_to_end_duration"),
        state_size: number(value, "state_size"),
        checkpointed_size: number(value, "checkpointed_size"),
        persisted: number(value, "persisted_data"),
        processed: number(value, "processed_data"),
        buffered: number(value, "alignment_buffered"),
        subtasks: number(value, "num_subtasks"),
        acknowledged: number(value, "num_acknowledged_subtasks"),
        failure: value
            .get("failure_message")
            .and_then(Value::as_str)
            .map(|it| it.chars().take(TEXT_KEPT).collect()),
        tasks: tasks
            .into_iter()
            .flatten()
            .take(LIST_KEPT)
            .map(|(id, it)| (id.clone(), sums(it)))
            .collect(),
    })
}

fn sums(value: &Value) -> Sums {
    Sums {
        latest_ack: number(value, "latest_ack_timestamp"),
        end_to_end: number(value, "end_to_end_duration"),
        state_size: number(value, "state_size"),
        checkpointed_size: number(value, "checkpointed_size"),
        persisted: number(value, "persisted_data"),
        subtasks: number(value, "num_subtasks"),
        acknowledged: number(value, "num_acknowledged_subtasks"),
    }
}

fn subtask(value: &Value) -> Option<Subtask> {
    let within = |outer: &str, name: &str| value.get(outer).and_then(|it| number(it, name));
    Some(Subtask {
        index: number(value, "index")?,
        status: text(value, "status"),
        end_to_end: number(value, "end_to_end_duration"),
        start_delay: number(value, "start_delay"),
        alignment: within("alignment", "duration"),
        sync: within("checkpoint", "sync"),
        r#async: within("checkpoint", "async"),
        state_size: number(value, "state_size"),
        checkpointed_size: number(value, "checkpointed_size"),
        processed: within("alignment", "processed"),
        persisted: within("alignment", "persisted"),
        unaligned: flag(value, "unaligned_checkpoint"),
    })
}

fn config(value: &Value) -> Config {
    Config {
        mode: text(value, "mode"),
        interval: number(value, "interval"),
        timeout: number(value, "timeout"),
        min_pause: number(value, "min_pause"),
        max_concurrent: number(value, "max_concurrent"),
        unaligned: flag(value, "unaligned_checkpoints").unwrap_or(false),
        tolerable: number(value, "tolerable_failed_checkpoints"),
        aligned_timeout: number(value, "aligned_checkpoint_timeout"),
        backend: text(value, "state_backend"),
        after_tasks_finish: flag(value, "checkpoints_after_tasks_finish"),
    }
}

fn load(value: &Value) -> Option<Load> {
    let share = |name: &str| {
        value.get(name).and_then(Value::as_f64).filter(|it| (0.0..=1.0).contains(it)).unwrap_or(0.0)
    };
    Some(Load {
        subtask: number(value, "subtask")?,
        backpressured: share("ratio"),
        busy: share("busyRatio"),
        idle: share("idleRatio"),
    })
}

fn job(value: &Value) -> Job {
    let nodes = value.get("plan").map(|plan| list(plan, "nodes")).into_iter().flatten();
    let edges = nodes.flat_map(|node| {
        let to = text(node, "id");
        let edge = move |input| (text(input, "id"), to.clone(), text(input, "ship_strategy"));
        list(node, "inputs").map(edge).collect::<Vec<_>>()
    });
    Job {
        name: text(value, "name"),
        vertices: list(value, "vertices").map(vertex).collect(),
        edges: edges.take(LIST_KEPT).collect(),
    }
}

fn vertex(value: &Value) -> Vertex {
    let metric = |name: &str| {
        let it = value.get("metrics")?.get(name)?;
        // Times are averages over attempts and may have a fraction.
        it.as_u64()
            .or_else(|| it.as_f64().filter(|it| *it >= 0.0 && *it < 9e15).map(|it| it as u64))
            .filter(|it| *it <= NUMBER_MAX)
    };
    Vertex {
        id: text(value, "id"),
        name: text(value, "name"),
        parallelism: number(value, "parallelism").unwrap_or(1).clamp(1, 1 << 15),
        start: number(value, "start-time"),
        duration: number(value, "duration"),
        finished: value.get("tasks").and_then(|it| number(it, "FINISHED")).unwrap_or(0),
        read_bytes: metric("read-bytes"),
        write_bytes: metric("write-bytes"),
        read_records: metric("read-records"),
        write_records: metric("write-records"),
        backpressured: metric("accumulated-backpressured-time"),
        busy: metric("accumulated-busy-time"),
        idle: metric("accumulated-idle-time"),
    }
}

fn number(value: &Value, name: &str) -> Option<u64> {
    value.get(name)?.as_u64().filter(|it| *it <= NUMBER_MAX)
}

fn flag(value: &Value, name: &str) -> Option<bool> {
    value.get(name)?.as_bool()
}

fn text(value: &Value, name: &str) -> String {
    let text = value.get(name).and_then(Value::as_str).unwrap_or_default();
    text.chars().take(TEXT_KEPT).collect()
}

fn list<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    value.get(name).and_then(Value::as_array).into_iter().flatten().take(LIST_KEPT)
}
