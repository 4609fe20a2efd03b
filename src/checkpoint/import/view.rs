//! What the page shows of the evidence: rows, the picture, and what is missing.
//!
//! Source: Flink 1.20.5; the identities of `timeline.rs`.

use super::evidence::Evidence;
use super::shape::{Checkpoint, Subtask};
use super::{CheckpointRow, Piece, Shown, SubtaskRow};
use crate::checkpoint::timeline::{Phase, Span, Timeline, TimelineMark, TimelineRow};

/// Every checkpoint, the newest first.
pub fn checkpoints(evidence: &Evidence) -> Vec<CheckpointRow> {
    let first = evidence.checkpoints.values().filter_map(|it| it.trigger).min().unwrap_or(0);
    let row = |it: &Checkpoint| CheckpointRow {
        id: it.id,
        status: it.status.clone(),
        checkpoint_type: it.checkpoint_type.clone(),
        triggered_ms: it.trigger.map(|at| at.saturating_sub(first)),
        end_to_end_ms: it.end_to_end,
        state_size: it.state_size,
        checkpointed_size: it.checkpointed_size,
        persisted_bytes: it.persisted,
        acknowledged: it.acknowledged,
        subtasks: it.subtasks,
        failure: it.failure.clone(),
    };
    evidence.checkpoints.values().rev().map(row).collect()
}

/// The checkpoint that was asked for, or the newest one whose subtasks are known: a complete one
/// first, since of it every phase is known.
pub fn shown(evidence: &Evidence, asked: Option<u64>) -> Option<Shown> {
    let known = |id: u64| evidence.parts.iter().any(|(part, _)| part.checkpoint == id);
    let acknowledged = |id: u64| {
        let parts = evidence.parts_of(id);
        let mut rows = parts.iter().flat_map(|(part, _)| &part.rows);
        rows.all(Subtask::is_acknowledged)
    };
    let newest = |whole: bool| {
        let ids = evidence.parts.iter().map(|(part, _)| part.checkpoint);
        ids.filter(|id| !whole || acknowledged(*id)).max()
    };
    let id = asked.filter(|id| known(*id)).or_else(|| newest(true)).or_else(|| newest(false))?;
    Some(Shown { id, timeline: timeline(evidence, id), subtasks: subtasks(evidence, id) })
}

/// Vertex and subtask that acknowledged last.
pub fn slowest(evidence: &Evidence, id: u64) -> Option<(usize, Subtask)> {
    let parts = evidence.parts_of(id);
    let rows =
        parts.iter().flat_map(|(part, vertex)| part.rows.iter().map(move |it| (*vertex, it)));
    // Of equal ones the first, which is the one further upstream.
    rows.rev().max_by_key(|(_, it)| it.end_to_end).map(|(vertex, it)| (vertex, it.clone()))
}

fn timeline(evidence: &Evidence, id: u64) -> Timeline {
    let slowest = slowest(evidence, id).filter(|(_, it)| it.is_acknowledged());
    let checkpoint = evidence.checkpoints.get(&id);
    // A subtask that did not acknowledge was waited for until the checkpoint ended, as far as known.
    let end = checkpoint.and_then(|it| it.end_to_end).unwrap_or(0);
    let mut rows = Vec::new();
    for (part, vertex) in evidence.parts_of(id) {
        for it in &part.rows {
            let pending = || vec![Span { phase: Phase::Pending, start_ms: 0, end_ms: end.max(1) }];
            rows.push(TimelineRow {
                id: format!("{vertex}-{}", it.index),
                group: evidence.vertices[vertex].clone(),
                name: it.index.to_string(),
                spans: it.times().map_or_else(pending, |times| times.spans()),
                is_slowest: slowest
                    .as_ref()
                    .is_some_and(|(at, last)| *at == vertex && last.index == it.index),
            });
        }
    }
    let mut marks = Vec::new();
    if let Some(config) = &evidence.config {
        let is_timed = config.unaligned && config.aligned_timeout.is_some_and(|it| it > 0);
        if let Some(at_ms) = config.aligned_timeout.filter(|_| is_timed) {
            let name = "aligned-checkpoint-timeout".to_owned();
            marks.push(TimelineMark { at_ms, name, is_danger: false });
        }
        if let Some(at_ms) = config.timeout {
            marks.push(TimelineMark { at_ms, name: "timeout".to_owned(), is_danger: true });
        }
    }
    let mut timeline = Timeline { rows, marks: Vec::new() };
    // A mark far beyond the rows would press them to the left edge.
    let last = timeline.end_ms().saturating_mul(2);
    marks.retain(|mark| mark.at_ms <= last);
    timeline.marks = marks;
    timeline
}

fn subtasks(evidence: &Evidence, id: u64) -> Vec<SubtaskRow> {
    let mut rows = Vec::new();
    for (part, vertex) in evidence.parts_of(id) {
        for it in &part.rows {
            let times = it.times();
            let parts = times.map(|times| times.alignment_parts());
            let rest = times.zip(parts).map(|(times, parts)| {
                let known = [times.start_delay_ms, parts.blocked_ms, times.sync_ms, times.async_ms];
                let sum = known.iter().fold(0_u64, |sum, it| sum.saturating_add(*it));
                let signed = |it: u64| i64::try_from(it).unwrap_or(i64::MAX);
                signed(times.end_to_end_ms).saturating_sub(signed(sum))
            });
            rows.push(SubtaskRow {
                vertex: evidence.vertices[vertex].clone(),
                index: it.index,
                status: it.status.clone(),
                start_delay_ms: it.start_delay,
                alignment_ms: it.alignment,
                inside_async_ms: parts.map(|it| it.inside_async_ms),
                sync_ms: it.sync,
                async_ms: it.r#async,
                rest_ms: rest.map(|it| it.clamp(1 - (1 << 53), (1 << 53) - 1)),
                end_to_end_ms: it.end_to_end,
                checkpointed_size: it.checkpointed_size,
                processed_bytes: it.processed,
                persisted_bytes: it.persisted,
                unaligned: it.unaligned,
            });
        }
    }
    rows
}

/// What to fetch next.
pub fn missing(evidence: &Evidence, pieces: &[Piece]) -> Vec<String> {
    let mut missing = Vec::new();
    let mut need = |is_missing: bool, path: &str, shows: &str| {
        if is_missing {
            missing.push(format!("Paste {path} to see {shows}."));
        }
    };
    let is_empty = pieces.iter().all(|piece| !piece.is_used);
    let newest = evidence.checkpoints.keys().next_back();
    let details = newest.map_or_else(
        || "/jobs/:id/checkpoints/details/:cid".to_owned(),
        |id| format!("/jobs/:id/checkpoints/details/{id}"),
    );
    need(
        evidence.checkpoints.is_empty(),
        "/jobs/:id/checkpoints",
        "the history, its failures and how durations grow",
    );
    let has_parts = !evidence.parts.is_empty();
    need(
        !has_parts,
        &format!("{details}/subtasks/:vertex for each vertex"),
        "which subtask and which phase is slow",
    );
    need(
        evidence.job.is_none(),
        "/jobs/:id",
        "names of vertices, their order and their throughput",
    );
    need(
        evidence.loads.is_empty() && evidence.metrics.is_empty(),
        "/jobs/:id/vertices/:vid/backpressure for each vertex",
        "which vertex holds back the others",
    );
    need(
        evidence.config.is_none(),
        "/jobs/:id/checkpoints/config",
        "the mode, the interval and the timeout",
    );
    let sparse = evidence.metrics.is_empty() && !is_empty;
    need(
        sparse,
        "/jobs/:id/vertices/:vid/metrics?get=0.numRecordsIn,0.buffers.outputQueueSize,…",
        "how much waits in buffers and how records spread over subtasks",
    );
    missing
}
