//! All that was given, put together: which subtasks, loads and metrics belong to which vertex.
//!
//! The REST answers of a vertex do not name it. Its id may stand in the file's name or in the line
//! above (an address), or the name of its first operator may; the subtasks of a checkpoint also
//! carry the same sums as its details, and a vertex may be the only one of its parallelism.
//!
//! Source: Flink 1.20.5, TaskCheckpointStatistics, which both answers begin with.

use std::collections::BTreeMap;

use super::json::{FILES_MAX, TEXT_MAX, VALUES_MAX, values};
use super::shape::{Checkpoint, Config, Job, Load, Overview, Shape, Vertex, VertexPart, shape};
use super::{ImportFile, Piece};

/// What is known of a job's checkpoints.
#[derive(Debug, Default)]
pub struct Evidence {
    /// By number, newest last.
    pub(super) checkpoints: BTreeMap<u64, Checkpoint>,
    /// Checkpoint and vertex of each list of subtasks.
    pub(super) parts: Vec<(VertexPart, usize)>,
    /// The configuration.
    pub(super) config: Option<Config>,
    /// The job.
    pub(super) job: Option<Job>,
    /// By vertex.
    pub(super) loads: BTreeMap<usize, Vec<Load>>,
    /// By vertex.
    pub(super) metrics: BTreeMap<usize, BTreeMap<(u64, String), f64>>,
    /// Names of vertices, sources first; made up where no job was given.
    pub(super) vertices: Vec<String>,
}

/// A value that belongs to a vertex, and what it may be found by.
struct Loose<T> {
    label: String,
    value: T,
    piece: usize,
}

/// Reads every text.
pub fn gather(files: &[ImportFile]) -> (Evidence, Vec<Piece>) {
    let mut reading = Reading::default();
    let total: usize = files.iter().map(|file| file.text.len()).fold(0, usize::saturating_add);
    let is_too_much = total > TEXT_MAX || files.len() > FILES_MAX;
    if is_too_much {
        reading.pieces.push(Piece {
            from: "All texts".to_owned(),
            what: "",
            is_used: false,
            says: format!(
                "{} MiB in {} files: at most {} MiB in {FILES_MAX} files are read.",
                total >> 20,
                files.len(),
                TEXT_MAX >> 20
            ),
        });
    }
    for file in files.iter().filter(|_| !is_too_much) {
        reading.read(file);
    }
    reading.place();
    (reading.evidence, reading.pieces)
}

#[derive(Default)]
struct Reading {
    evidence: Evidence,
    pieces: Vec<Piece>,
    parts: Vec<Loose<VertexPart>>,
    loads: Vec<Loose<Vec<Load>>>,
    metrics: Vec<Loose<BTreeMap<(u64, String), f64>>>,
}

impl Reading {
    fn read(&mut self, file: &ImportFile) {
        let name: Option<String> =
            file.name.as_ref().map(|it| it.chars().take(200).collect::<String>());
        let found = values(&file.text, VALUES_MAX.saturating_sub(self.pieces.len()));
        if found.is_empty() {
            let says = "There is no JSON object or list in it.".to_owned();
            self.piece(from(name.as_deref(), 1, false), "", false, says);
        }
        let is_several = found.len() > 1;
        for it in found {
            let from = from(name.as_deref(), it.line, is_several);
            let label = format!("{} {}", name.as_deref().unwrap_or_default(), it.label);
            match it.value {
                Ok(value) => self.take(from, label, shape(&value)),
                Err(reason) => self.piece(from, "", false, reason),
            }
        }
    }

    fn piece(&mut self, from: String, what: &'static str, is_used: bool, says: String) {
        self.pieces.push(Piece { from, what, is_used, says });
    }

    fn take(&mut self, from: String, label: String, shape: Shape) {
        let piece = self.pieces.len();
        match shape {
            Shape::Overview(Overview { history, failed }) => {
                let says = format!(
                    "{} checkpoints of the history{}.",
                    history.len(),
                    failed.map_or_else(String::new, |it| format!("; {it} failed since the start"))
                );
                for it in history {
                    self.keep(it);
                }
                self.piece(from, "checkpoints of a job", true, says);
            }
            Shape::Details(checkpoint) => {
                let says = format!("Checkpoint {}, with its vertices.", checkpoint.id);
                self.keep(checkpoint);
                self.piece(from, "details of a checkpoint", true, says);
            }
            Shape::Subtasks(value) => {
                let says =
                    format!("{} subtasks of checkpoint {}", value.rows.len(), value.checkpoint);
                self.piece(from, "subtasks of a checkpoint", true, says);
                self.parts.push(Loose { label, value, piece });
            }
            Shape::Config(config) => {
                self.evidence.config = Some(config);
                let says = "Mode, interval, timeout and the other options.".to_owned();
                self.piece(from, "checkpoint configuration", true, says);
            }
            Shape::Backpressure(value) => {
                let says = format!("Load of {} subtasks", value.len());
                self.piece(from, "backpressure of a vertex", true, says);
                self.loads.push(Loose { label, value, piece });
            }
            Shape::Metrics(value) => {
                let says = format!("{} values", value.len());
                self.piece(from, "metrics of subtasks", true, says);
                self.metrics.push(Loose { label, value, piece });
            }
            Shape::Job(job) => {
                let says = format!("{} vertices.", job.vertices.len());
                self.evidence.job = Some(job);
                self.piece(from, "job", true, says);
            }
            Shape::Ignored(what, why) => self.piece(from, what, false, why.to_owned()),
            Shape::Unknown => {
                let says = "It is JSON, but none of the REST answers about checkpoints.".to_owned();
                self.piece(from, "", false, says);
            }
        }
    }

    /// Details know more than the history, so they stay.
    fn keep(&mut self, checkpoint: Checkpoint) {
        let known = self.evidence.checkpoints.get(&checkpoint.id);
        if known.is_none_or(|known| known.tasks.is_empty()) {
            self.evidence.checkpoints.insert(checkpoint.id, checkpoint);
        }
    }

    /// Finds the vertex of everything that belongs to one.
    fn place(&mut self) {
        let job = self.evidence.job.clone().unwrap_or_default();
        let mut names: Vec<String> = job.vertices.iter().map(|it| it.name.clone()).collect();
        let parts = std::mem::take(&mut self.parts);
        for part in parts {
            let by_sums = self.by_sums(&part.value);
            let count = part.value.rows.len();
            let by_id =
                by_sums.as_ref().and_then(|id| job.vertices.iter().position(|it| it.id == *id));
            let vertex = self.find(&job, &part.label, count).or(by_id).unwrap_or_else(|| {
                // Its id is all that is known of the vertex.
                let id = by_sums.unwrap_or_default();
                let short = format!("subtasks {}", id.chars().take(8).collect::<String>());
                unnamed(&mut names, if id.is_empty() { &part.label } else { &short })
            });
            self.placed(part.piece, &names[vertex]);
            let known = self
                .evidence
                .parts
                .iter_mut()
                .find(|(known, at)| *at == vertex && known.checkpoint == part.value.checkpoint);
            match known {
                Some((known, _)) => *known = part.value,
                None => self.evidence.parts.push((part.value, vertex)),
            }
        }
        let loads = std::mem::take(&mut self.loads);
        for load in loads {
            let count = load.value.len();
            let found = self.find(&job, &load.label, count);
            let vertex = found.unwrap_or_else(|| unnamed(&mut names, &load.label));
            self.placed(load.piece, &names[vertex]);
            self.evidence.loads.insert(vertex, load.value);
        }
        let metrics = std::mem::take(&mut self.metrics);
        for metric in metrics {
            let count = metric.value.keys().map(|(subtask, _)| subtask + 1).max().unwrap_or(0);
            let found = self.find(&job, &metric.label, count as usize);
            let vertex = found.unwrap_or_else(|| unnamed(&mut names, &metric.label));
            self.placed(metric.piece, &names[vertex]);
            self.evidence.metrics.entry(vertex).or_default().extend(metric.value);
        }
        self.evidence.vertices = names;
    }

    fn placed(&mut self, piece: usize, name: &str) {
        if let Some(piece) = self.pieces.get_mut(piece) {
            piece.says = format!("{}, vertex {name}.", piece.says);
        }
    }

    /// The id of the only vertex with the same sums.
    fn by_sums(&self, part: &VertexPart) -> Option<String> {
        let details = self.evidence.checkpoints.get(&part.checkpoint)?;
        let mut same = details.tasks.iter().filter(|(_, sums)| *sums == part.sums);
        let (id, _) = same.next()?;
        same.next().is_none().then(|| id.clone())
    }

    fn find(&self, job: &Job, label: &str, subtasks: usize) -> Option<usize> {
        let label = plain(label);
        let named = |matches: &dyn Fn(&Vertex) -> bool| {
            let mut found = (0..job.vertices.len()).filter(|at| matches(&job.vertices[*at]));
            found.next().filter(|_| found.next().is_none())
        };
        let words: Vec<&str> = label.split(' ').collect();
        named(&|it| !it.id.is_empty() && label.contains(&plain(&it.id)))
            .or_else(|| {
                named(&|it| {
                    let first = plain(it.name.split(" -> ").next().unwrap_or_default());
                    let first: Vec<&str> = first.split(' ').filter(|it| !it.is_empty()).collect();
                    !first.is_empty() && words.windows(first.len()).any(|it| it == first)
                })
            })
            .or_else(|| named(&|it| it.parallelism as usize == subtasks))
    }
}

/// Small letters, digits, and single spaces for all else.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    for c in text.chars() {
        match c.is_alphanumeric() {
            true => plain.extend(c.to_lowercase()),
            false if !plain.ends_with(' ') => plain.push(' '),
            false => {}
        }
    }
    plain.trim().to_owned()
}

/// A vertex that no job names: by what stands above its answer, or by number.
fn unnamed(names: &mut Vec<String>, label: &str) -> usize {
    let words = plain(label);
    let after = |word: &str| words.rsplit_once(word).map(|(_, name)| name);
    let name = ["subtasks ", "backpressure ", "metrics "].into_iter().find_map(after).unwrap_or("");
    let name = name.trim_end_matches(" json").trim();
    let name = match name {
        "" => format!("vertex {}", names.len() + 1),
        name => name.chars().take(60).collect(),
    };
    names.iter().position(|known| *known == name).unwrap_or_else(|| {
        names.push(name);
        names.len() - 1
    })
}

fn from(name: Option<&str>, line: usize, is_several: bool) -> String {
    match (name, is_several) {
        (Some(name), false) => name.to_owned(),
        (Some(name), true) => format!("{name}, line {line}"),
        (None, _) => format!("Pasted text, line {line}"),
    }
}

impl Evidence {
    /// The lists of subtasks of a checkpoint, sources first.
    pub(super) fn parts_of(&self, checkpoint: u64) -> Vec<(&VertexPart, usize)> {
        let mut parts: Vec<(&VertexPart, usize)> = self
            .parts
            .iter()
            .filter(|(part, _)| part.checkpoint == checkpoint)
            .map(|(part, vertex)| (part, *vertex))
            .collect();
        parts.sort_by_key(|(_, vertex)| *vertex);
        parts
    }

    /// The vertices that one reads from; the one before it where no plan says more.
    pub(super) fn upstream(&self, vertex: usize) -> Vec<usize> {
        let Some(job) = &self.job else { return vertex.checked_sub(1).into_iter().collect() };
        let Some(it) = job.vertices.get(vertex) else { return Vec::new() };
        if job.edges.is_empty() {
            return vertex.checked_sub(1).into_iter().collect();
        }
        let inputs = job.edges.iter().filter(|(_, to, _)| *to == it.id);
        inputs.filter_map(|(from, ..)| job.vertices.iter().position(|it| it.id == *from)).collect()
    }

    /// Whether a vertex reads from no other.
    pub(super) fn is_source(&self, vertex: usize) -> bool {
        self.upstream(vertex).is_empty()
    }

    /// A vertex of the job.
    pub(super) fn vertex(&self, vertex: usize) -> Option<&Vertex> {
        self.job.as_ref().and_then(|job| job.vertices.get(vertex))
    }

    /// The load of a vertex' subtasks: of the backpressure answer, or of its metrics.
    pub(super) fn load(&self, vertex: usize) -> Vec<Load> {
        if let Some(loads) = self.loads.get(&vertex) {
            return loads.clone();
        }
        let Some(metrics) = self.metrics.get(&vertex) else { return Vec::new() };
        let mut subtasks: Vec<u64> = metrics.keys().map(|(subtask, _)| *subtask).collect();
        subtasks.dedup();
        let share = |subtask: u64, name: &str| {
            metrics.get(&(subtask, name.to_owned())).map_or(0.0, |it| (it / 1000.0).min(1.0))
        };
        subtasks
            .into_iter()
            .map(|subtask| Load {
                subtask,
                backpressured: share(subtask, "backPressuredTimeMsPerSecond"),
                busy: share(subtask, "busyTimeMsPerSecond"),
                idle: share(subtask, "idleTimeMsPerSecond"),
            })
            .collect()
    }

    /// A metric by subtask, in order; empty where it is unknown of some.
    pub(super) fn metric(&self, vertex: usize, name: &str) -> Vec<f64> {
        let Some(metrics) = self.metrics.get(&vertex) else { return Vec::new() };
        (0..).map_while(|subtask| metrics.get(&(subtask, name.to_owned())).copied()).collect()
    }

    /// Completed checkpoints that are no savepoints, without the first one of the job, which loads
    /// classes, where there are others.
    pub(super) fn completed(&self) -> Vec<&Checkpoint> {
        let is_completed = |it: &&Checkpoint| it.status == "COMPLETED" && !it.is_savepoint;
        let all: Vec<&Checkpoint> = self.checkpoints.values().filter(is_completed).collect();
        let later: Vec<&Checkpoint> = all.iter().copied().filter(|it| it.id > 1).collect();
        if later.is_empty() { all } else { later }
    }
}
