//! What the fitted scenario predicts, beside what Flink said: of the job, and of its slowest subtasks.
//!
//! It is simulated while the texts are read, so only as far as that takes no time worth mentioning.
//!
//! Source: Flink 1.20.5, CheckpointStatistics and SubtaskCheckpointStatistics for the fields.

use std::collections::BTreeMap;

use crate::checkpoint::import::evidence::Evidence;
use crate::checkpoint::import::shape;
use crate::checkpoint::import::{Prediction, SubtaskMeans, SubtaskPrediction};
use crate::checkpoint::report::{Checkpoint, CheckpointStatus, SubtaskCheckpoint};
use crate::checkpoint::scenario::{Scenario, ScenarioEdge};
use crate::checkpoint::simulation::Simulation;
use crate::finding::Problem;

/// The most records that are simulated while the texts are read.
pub(super) const RECORDS_MAX: f64 = 5_000_000.0;
/// The most events of the same; a run is ended there.
const EVENTS_MAX: u64 = 1_000_000;
/// The most channels of the same.
const CHANNELS_MAX: u64 = 40_000;
/// The most times that flush timers may fire on a channel of the same.
const FLUSHES_MAX: f64 = 50_000_000.0;
/// The most subtasks that are told, the slowest ones.
const SUBTASKS_MAX: usize = 50;

/// Numbers of the simulation beside those of Flink.
#[derive(Default)]
pub(super) struct Predicted {
    pub job: Vec<Prediction>,
    pub subtasks: Vec<SubtaskPrediction>,
    /// How much was simulated.
    pub reach: String,
}

/// What a prediction is taken from at most.
fn limits() -> String {
    format!(
        "While texts are read, at most {:.0} million records, {CHANNELS_MAX} channels and {} million events of a \
         run are simulated",
        RECORDS_MAX / 1e6,
        EVENTS_MAX as f64 / 1e6,
    )
}

fn too_large(what: &str) -> String {
    format!("{}; {what}. Try it here to simulate all of it, with progress.", limits())
}

/// Simulates a scenario that takes so many records a millisecond.
pub(super) fn predict(
    evidence: &Evidence,
    scenario: &Scenario,
    records_a_ms: f64,
) -> Result<Predicted, String> {
    let ends = |edge: &ScenarioEdge| {
        let sender = scenario.vertices.get(edge.from)?;
        let receiver = scenario.vertices.get(edge.to)?;
        Some(edge.exchange.channels(sender.parallelism, receiver.parallelism))
    };
    let channels: u64 = scenario.edges.iter().filter_map(ends).fold(0, u64::saturating_add);
    let records = records_a_ms * scenario.run_ms as f64;
    // Flush timers fire on every channel even where nothing flows.
    let flushes = match scenario.network.buffer_timeout_ms {
        timeout @ 1.. => channels as f64 * scenario.run_ms as f64 / timeout as f64,
        _ => 0.0,
    };
    if channels > CHANNELS_MAX {
        return Err(too_large(&format!("this job has {channels} channels")));
    }
    if records > RECORDS_MAX || flushes > FLUSHES_MAX {
        let seconds = scenario.run_ms / 1000;
        return Err(too_large(&format!("the {seconds} s to its first checkpoints are more")));
    }
    let job = scenario.job().map_err(|error| Problem::from(error).message)?;
    let mut run = Simulation::new(job);
    let progress = run.advance(EVENTS_MAX);
    let all = run.report().checkpoints;
    let completed: Vec<&Checkpoint> =
        all.iter().filter(|it| it.status == CheckpointStatus::Completed).collect();
    let (seconds, of) = (progress.now.as_ms() as f64 / 1e3, scenario.run_ms as f64 / 1e3);
    if !progress.done && completed.is_empty() {
        return Err(too_large(&format!("in the first {seconds:.1} s no checkpoint completes")));
    }
    let whole = if progress.done { "all".to_owned() } else { format!("{seconds:.1} s") };
    let reach = format!(
        "Simulated: {whole} of {of:.1} s, with {} completed checkpoints of {}. {}.",
        completed.len(),
        all.len(),
        limits()
    );
    let subtasks = subtasks(evidence, scenario, &completed);
    Ok(Predicted { job: figures(evidence, &completed), subtasks, reach })
}

fn figures(evidence: &Evidence, completed: &[&Checkpoint]) -> Vec<Prediction> {
    let of = |value: fn(&Checkpoint) -> u64| mean(completed.iter().map(|it| value(it) as f64));
    let longest = |value: fn(&shape::Subtask) -> Option<u64>| {
        let parts = evidence.completed().into_iter().filter_map(|it| {
            let parts = evidence.parts_of(it.id);
            parts.iter().flat_map(|(part, _)| &part.rows).filter_map(value).max()
        });
        mean(parts.map(|it| it as f64))
    };
    let real = |value: fn(&shape::Checkpoint) -> Option<u64>| {
        mean(evidence.completed().into_iter().filter_map(value).map(|it| it as f64))
    };
    let longest_of = |value: fn(&SubtaskCheckpoint) -> u64| {
        let of = |it: &&Checkpoint| it.subtasks.iter().map(value).max().unwrap_or(0) as f64;
        mean(completed.iter().map(of))
    };
    let prediction = |name, real, predicted, unit| Prediction { name, real, predicted, unit };
    vec![
        prediction(
            "End-to-end duration",
            real(|it| it.end_to_end),
            of(|it| it.end_to_end_ms),
            "ms",
        ),
        prediction(
            "Longest start delay",
            longest(|it| it.start_delay),
            longest_of(|it| it.start_delay_ms),
            "ms",
        ),
        prediction(
            "Longest alignment",
            longest(|it| it.alignment),
            longest_of(|it| it.alignment_ms),
            "ms",
        ),
        prediction(
            "Persisted in-flight data",
            real(|it| it.persisted),
            of(|it| it.persisted_bytes),
            "bytes",
        ),
    ]
}

/// Vertex and number.
type Place = (usize, u64);

/// The fields that a subtask reports, in the order of `SubtaskMeans`.
type Fields = [Option<u64>; 7];

/// The subtasks that acknowledged last, by the mean of what Flink said.
fn subtasks(
    evidence: &Evidence,
    scenario: &Scenario,
    completed: &[&Checkpoint],
) -> Vec<SubtaskPrediction> {
    let mut real: BTreeMap<Place, Vec<Fields>> = BTreeMap::new();
    for checkpoint in evidence.completed() {
        for (part, vertex) in evidence.parts_of(checkpoint.id) {
            for it in part.rows.iter().filter(|it| it.is_acknowledged()) {
                real.entry((vertex, it.index)).or_default().push(fields_of(it));
            }
        }
    }
    let mut simulated: BTreeMap<Place, Vec<Fields>> = BTreeMap::new();
    // Subtasks are numbered vertex by vertex.
    let places: Vec<usize> = scenario
        .vertices
        .iter()
        .enumerate()
        .flat_map(|(vertex, it)| (0..it.parallelism).map(move |_| vertex))
        .collect();
    for it in completed.iter().flat_map(|it| &it.subtasks) {
        let Some(vertex) = places.get(it.task) else { continue };
        simulated.entry((*vertex, it.index.into())).or_default().push(fields_simulated(it));
    }
    let compare = |((vertex, index), rows): (&Place, &Vec<Fields>)| {
        let predicted = simulated.get(&(*vertex, *index))?;
        let vertex = scenario.vertices.get(*vertex)?.name.clone();
        let (real, predicted) = (means(rows), means(predicted));
        Some(SubtaskPrediction { vertex, index: *index, real, predicted })
    };
    let mut found: Vec<SubtaskPrediction> = real.iter().filter_map(compare).collect();
    let end = |it: &SubtaskPrediction| it.real.end_to_end_ms.unwrap_or(0.0);
    found.sort_by(|a, b| end(b).total_cmp(&end(a)));
    found.truncate(SUBTASKS_MAX);
    found
}

fn fields_of(it: &shape::Subtask) -> Fields {
    [it.end_to_end, it.start_delay, it.alignment, it.sync, it.r#async, it.processed, it.persisted]
}

fn fields_simulated(it: &SubtaskCheckpoint) -> Fields {
    [
        it.end_to_end_ms,
        it.start_delay_ms,
        it.alignment_ms,
        it.sync_ms,
        it.async_ms,
        it.processed_bytes,
        it.persisted_bytes,
    ]
    .map(Some)
}

fn means(rows: &[Fields]) -> SubtaskMeans {
    let of = |place: usize| mean(rows.iter().filter_map(|it| it[place]).map(|it| it as f64));
    SubtaskMeans {
        end_to_end_ms: of(0),
        start_delay_ms: of(1),
        alignment_ms: of(2),
        sync_ms: of(3),
        async_ms: of(4),
        processed_bytes: of(5),
        persisted_bytes: of(6),
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0_u32), |(sum, count), it| (sum + it, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}
