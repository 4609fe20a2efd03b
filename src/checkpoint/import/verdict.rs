//! The sentence on top: what the checkpoint waited for, and where to look.

use super::Shown;
use super::evidence::Evidence;
use super::shape::{Checkpoint, Subtask};
use super::view::slowest;
use crate::checkpoint::timeline::{Phase, REST_MS};
use crate::units::grouped;

/// From this share of a second on a subtask counts as busy, or as backpressured: the web UI's `high`.
pub(super) const HIGH: f64 = 0.5;

/// A time in words.
pub(super) fn ms(ms: u64) -> String {
    match ms {
        0..1000 => format!("{ms} ms"),
        1000..60_000 => format!("{}.{:02} s", ms / 1000, ms % 1000 / 10),
        _ => format!("{} min {} s", grouped((ms / 60_000) as i64), ms % 60_000 / 1000),
    }
}

/// The sentence.
pub(super) fn verdict(evidence: &Evidence, shown: Option<&Shown>) -> String {
    if let Some(shown) = shown {
        return of_shown(evidence, shown.id);
    }
    let newest = evidence.checkpoints.values().next_back();
    match newest {
        Some(it) if it.status == "FAILED" => format!("{}{}", failed(it), outlook(evidence)),
        Some(it) => {
            let took = it.end_to_end.map_or_else(String::new, |took| format!(" took {}", ms(took)));
            let id = it.id;
            format!("Checkpoint {id}{took}. Its subtasks are needed to say where the time went.")
        }
        None if evidence.config.is_some() || evidence.job.is_some() => {
            "This is a job without a checkpoint: paste /jobs/:id/checkpoints as well.".to_owned()
        }
        None => "Paste answers of Flink's REST API about checkpoints, or drop files with them."
            .to_owned(),
    }
}

fn failed(it: &Checkpoint) -> String {
    let message = it.failure.as_deref().unwrap_or("Flink gave no message");
    let after = it.end_to_end.map_or_else(String::new, |took| format!(" after {}", ms(took)));
    format!("Checkpoint {} failed{after}: {}.", it.id, message.trim_end_matches('.'))
}

/// Where the failures come from, as far as the history tells.
fn outlook(evidence: &Evidence) -> String {
    let failures = evidence.checkpoints.values().filter(|it| it.status == "FAILED").count();
    let all = evidence.checkpoints.len();
    if all > 1 { format!(" {failures} of the {all} that are known failed.") } else { String::new() }
}

fn of_shown(evidence: &Evidence, id: u64) -> String {
    let checkpoint = evidence.checkpoints.get(&id);
    let parts = evidence.parts_of(id);
    let pending: Vec<(usize, u64)> = parts
        .iter()
        .flat_map(|(part, vertex)| part.rows.iter().map(move |it| (*vertex, it)))
        .filter(|(_, it)| !it.is_acknowledged())
        .map(|(vertex, it)| (vertex, it.index))
        .collect();
    if !pending.is_empty() {
        return of_pending(evidence, checkpoint, &pending);
    }
    let Some((vertex, it)) = slowest(evidence, id) else {
        return format!("Checkpoint {id} has no subtasks.");
    };
    let (phase, took) = slow_phase(&it);
    let total = it.end_to_end.unwrap_or(0);
    let name = &evidence.vertices[vertex];
    format!(
        "Checkpoint {id} waited {} for subtask {} of {name}: {} of it is {}. {}",
        ms(total),
        it.index,
        ms(took),
        phase_name(phase),
        reason(evidence, vertex, phase, &it)
    )
}

fn of_pending(
    evidence: &Evidence,
    checkpoint: Option<&Checkpoint>,
    pending: &[(usize, u64)],
) -> String {
    // What is furthest upstream holds up all that follows.
    let (vertex, index) = pending[0];
    let others = match pending.len() {
        1 => String::new(),
        count => format!(" and {} more", count - 1),
    };
    let name = &evidence.vertices[vertex];
    let what = checkpoint.filter(|it| it.failure.is_some()).map(failed);
    let state = what.unwrap_or_else(|| "The checkpoint is under way.".to_owned());
    let why = if evidence.is_source(vertex) {
        "It is a source: its thread is blocked or busy, and lets no barrier out.".to_owned()
    } else {
        waits_for_barrier(evidence, vertex)
    };
    format!("{state} Subtask {index} of {name}{others} did not acknowledge. {why}")
}

/// The longest phase of a subtask, and how long it took [ms].
pub(super) fn slow_phase(it: &Subtask) -> (Phase, u64) {
    let spans = it.times().map(|times| times.spans()).unwrap_or_default();
    let overtaking: u64 = spans
        .iter()
        .filter(|span| span.phase == Phase::Overtaking)
        .map(|span| span.end_ms - span.start_ms)
        .sum();
    let length = |phase: Phase, length: u64| match phase {
        // What of the asynchronous part was spent waiting for barriers is not writing.
        Phase::Async => length.saturating_sub(overtaking),
        _ => length,
    };
    let of = |span: &crate::checkpoint::timeline::Span| {
        (span.phase, length(span.phase, span.end_ms - span.start_ms))
    };
    spans.iter().map(of).max_by_key(|(_, length)| *length).unwrap_or((Phase::Rest, 0))
}

const fn phase_name(phase: Phase) -> &'static str {
    match phase {
        Phase::StartDelay => "start delay",
        Phase::Alignment => "alignment",
        Phase::Overtaking => {
            "waiting for the barriers of other channels, inside the asynchronous part"
        }
        Phase::Sync => "the synchronous part",
        Phase::Async => "the asynchronous part",
        Phase::Rest => "messages",
        Phase::Pending => "unknown",
    }
}

fn reason(evidence: &Evidence, vertex: usize, phase: Phase, it: &Subtask) -> String {
    if it.end_to_end.is_some_and(|took| took <= 3 * REST_MS) {
        return "That is what a checkpoint with nothing in its way takes.".to_owned();
    }
    match phase {
        Phase::StartDelay if evidence.is_source(vertex) => {
            "It is a source: its thread was blocked or busy until then, so no barrier left it. Unaligned \
             checkpoints do not help with that."
                .to_owned()
        }
        Phase::StartDelay => waits_for_barrier(evidence, vertex),
        Phase::Alignment | Phase::Overtaking => late_channel(evidence, vertex, it),
        Phase::Sync => "The task thread takes the snapshot meanwhile and processes nothing: look at what \
                        its operators do in snapshotState, such as flushing a sink."
            .to_owned(),
        Phase::Async => {
            let bytes = it.checkpointed_size.unwrap_or(0);
            let mib = bytes as f64 / f64::from(1 << 20);
            match it.r#async.filter(|took| *took > 0 && mib >= 1.0) {
                Some(took) => format!(
                    "It wrote {mib:.1} MiB, {:.1} MiB/s: the storage, its network or the size of the state \
                     decides.",
                    mib * 1000.0 / took as f64
                ),
                None => "It wrote less than 1 MiB, so not the size of the state but the latency of the \
                         storage, or work in the asynchronous part, decides."
                    .to_owned(),
            }
        }
        Phase::Rest | Phase::Pending => {
            "No phase explains it: messages to and from the JobManager took that long.".to_owned()
        }
    }
}

/// Why a barrier comes late to a vertex that is no source, with the place to look.
fn waits_for_barrier(evidence: &Evidence, vertex: usize) -> String {
    let Some((slow, held)) = bottleneck(evidence, vertex) else {
        return "Its first barrier waited behind records. Paste backpressure of all vertices to see which \
                one is slow: it reports ok, and those before it report high."
            .to_owned();
    };
    format!(
        "Its first barrier waited behind records, because {} is busy and takes no more: it reports no \
         backpressure itself, the vertices before it do ({}). Make it faster, or let barriers overtake.",
        evidence.vertices[slow], evidence.vertices[held]
    )
}

/// The first vertex downstream of a held one that is not held itself, and the held one.
pub(super) fn bottleneck(evidence: &Evidence, near: usize) -> Option<(usize, usize)> {
    let ratio = |vertex: usize| {
        let loads = evidence.load(vertex);
        loads.iter().map(|it| it.backpressured).fold(0.0_f64, f64::max)
    };
    let busy =
        |vertex: usize| evidence.load(vertex).iter().map(|it| it.busy).fold(0.0_f64, f64::max);
    let count = evidence.vertices.len();
    let found = (0..count).filter_map(|vertex| {
        let held = evidence.upstream(vertex).into_iter().find(|it| ratio(*it) >= HIGH)?;
        let is_slow = ratio(vertex) < HIGH && busy(vertex) >= HIGH;
        is_slow.then_some((vertex, held))
    });
    // The one at or behind the vertex in question, else any.
    let all: Vec<(usize, usize)> = found.collect();
    all.iter().copied().find(|(slow, _)| *slow >= near).or_else(|| all.first().copied())
}

/// Why one channel's barrier came later than another's.
fn late_channel(evidence: &Evidence, vertex: usize, it: &Subtask) -> String {
    let alignment = it.alignment.unwrap_or(0);
    let id = evidence.parts.iter().find(|(part, at)| *at == vertex && part.rows.contains(it));
    let late_source = id.and_then(|(part, _)| {
        let parts = evidence.parts_of(part.checkpoint);
        let sources = parts.into_iter().filter(|(_, at)| evidence.is_source(*at));
        let rows = sources.flat_map(|(part, at)| part.rows.iter().map(move |row| (at, row)));
        let latest = rows.max_by_key(|(_, row)| row.start_delay)?;
        let delay = latest.1.start_delay?;
        (delay >= alignment / 2 && delay > REST_MS).then_some((latest.0, latest.1.index, delay))
    });
    if let Some((source, index, delay)) = late_source {
        return format!(
            "The first barrier came early, the last one late: subtask {index} of {} let its barrier out only \
             after {}, since its thread was blocked. Unaligned checkpoints do not help with that.",
            evidence.vertices[source],
            ms(delay)
        );
    }
    let slow = bottleneck(evidence, vertex).map_or_else(String::new, |(slow, _)| {
        format!(" {} is the slow one.", evidence.vertices[slow])
    });
    format!(
        "One channel's barrier came early, another's waited behind records: the channels carry different \
         loads.{slow}"
    )
}
