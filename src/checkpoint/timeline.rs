//! Where the time of a checkpoint went, subtask by subtask: rows of phases under one time axis.
//!
//! Measured and simulated checkpoints become the same rows, so one chart and one table show both.
//!
//! Source: Flink 1.20.5, SubtaskCheckpointStatistics for the fields; where they lie follows from the
//! identity that held for 555 of 555 measured checkpoints: an end-to-end duration is start delay +
//! alignment + sync + async and a few milliseconds, where an alignment that is overtaken lies inside
//! the asynchronous part.

use serde::{Deserialize, Serialize};

use super::report::{Checkpoint, SubtaskCheckpoint};

/// What the four phases leave unexplained of a subtask's end-to-end duration: messages and the
/// acknowledgement. The measured 95th percentile [ms].
pub const REST_MS: u64 = 15;

/// The last moment of a timeline: JavaScript has no exact number beyond it [ms].
const LAST_MS: u64 = (1 << 53) - 1;

/// What a subtask did during a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Phase {
    /// From the trigger to the first barrier.
    StartDelay,
    /// From the first barrier on, with the channels that delivered theirs blocked.
    Alignment,
    /// From the first barrier to the last: overtaken, or at least once. Nothing is blocked, but for what
    /// was before an aligned-checkpoint-timeout.
    Overtaking,
    /// The synchronous part: the task thread takes its snapshot.
    Sync,
    /// The asynchronous part: the snapshot is written, and late barriers are waited for.
    Async,
    /// Messages and the acknowledgement.
    Rest,
    /// Not acknowledged.
    Pending,
}

/// A piece of a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Span {
    /// What happened.
    pub phase: Phase,
    /// From here on [ms].
    pub start_ms: u64,
    /// To here [ms].
    pub end_ms: u64,
}

/// A subtask.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TimelineRow {
    /// A name that no other row has.
    pub id: String,
    /// The vertex; rows of the same one stand together.
    pub group: String,
    /// The subtask.
    pub name: String,
    /// Its phases, where one may lie inside another.
    pub spans: Vec<Span>,
    /// Whether it is the one that the checkpoint waited for.
    pub is_slowest: bool,
}

/// A moment that all rows share, such as the aligned-checkpoint-timeout.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TimelineMark {
    /// When [ms].
    pub at_ms: u64,
    /// Its name.
    pub name: String,
    /// Whether it is where something breaks.
    pub is_danger: bool,
}

/// A checkpoint under a time axis that begins at its trigger.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Timeline {
    /// Subtasks, from the sources on.
    pub rows: Vec<TimelineRow>,
    /// Moments.
    pub marks: Vec<TimelineMark>,
}

/// The measured times of a subtask, as REST gives them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SubtaskTimes {
    /// `start_delay` [ms].
    pub start_delay_ms: u64,
    /// `alignment.duration` [ms].
    pub alignment_ms: u64,
    /// `checkpoint.sync` [ms].
    pub sync_ms: u64,
    /// `checkpoint.async` [ms].
    pub async_ms: u64,
    /// `end_to_end_duration` [ms].
    pub end_to_end_ms: u64,
    /// `unaligned_checkpoint`.
    pub unaligned: bool,
}

impl From<&SubtaskCheckpoint> for SubtaskTimes {
    fn from(it: &SubtaskCheckpoint) -> Self {
        Self {
            start_delay_ms: it.start_delay_ms,
            alignment_ms: it.alignment_ms,
            sync_ms: it.sync_ms,
            async_ms: it.async_ms,
            end_to_end_ms: it.end_to_end_ms,
            unaligned: it.unaligned,
        }
    }
}

/// How an alignment divides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AlignmentParts {
    /// Before the snapshot, with channels blocked [ms].
    pub blocked_ms: u64,
    /// Inside the asynchronous part [ms].
    pub inside_async_ms: u64,
}

impl SubtaskTimes {
    /// What of the alignment lies before the snapshot. After a switch at the
    /// aligned-checkpoint-timeout it is a part: the rest lies inside the asynchronous part.
    ///
    /// `unaligned_checkpoint` alone does not decide: it is false for an unaligned checkpoint of a
    /// subtask that persisted nothing, so the identity does.
    pub fn alignment_parts(&self) -> AlignmentParts {
        let without =
            self.start_delay_ms.saturating_add(self.sync_ms).saturating_add(self.async_ms);
        let free = self.end_to_end_ms.saturating_sub(without);
        let closes_in_turn = self.alignment_ms <= free.saturating_add(REST_MS);
        if closes_in_turn && !self.unaligned {
            return AlignmentParts { blocked_ms: self.alignment_ms, inside_async_ms: 0 };
        }
        let blocked_ms = if free > REST_MS { self.alignment_ms.min(free) } else { 0 };
        AlignmentParts { blocked_ms, inside_async_ms: self.alignment_ms - blocked_ms }
    }

    /// The phases, from the trigger to the acknowledgement.
    pub fn spans(&self) -> Vec<Span> {
        let AlignmentParts { blocked_ms, inside_async_ms } = self.alignment_parts();
        let mut spans = Vec::new();
        let mut at = 0_u64;
        for (phase, length) in [
            (Phase::StartDelay, self.start_delay_ms),
            (Phase::Alignment, blocked_ms),
            (Phase::Sync, self.sync_ms),
            (Phase::Async, self.async_ms),
        ] {
            let end_ms = at.saturating_add(length).min(LAST_MS);
            if phase == Phase::Sync && inside_async_ms > 0 {
                let end_ms = at.saturating_add(inside_async_ms).min(LAST_MS);
                spans.push(Span { phase: Phase::Overtaking, start_ms: at, end_ms });
            }
            if length > 0 {
                spans.push(Span { phase, start_ms: at, end_ms });
            }
            at = end_ms;
        }
        if self.end_to_end_ms > at {
            let end_ms = self.end_to_end_ms.min(LAST_MS);
            spans.push(Span { phase: Phase::Rest, start_ms: at, end_ms });
        }
        spans
    }
}

impl Timeline {
    /// A simulated checkpoint.
    pub fn of_checkpoint(checkpoint: &Checkpoint) -> Self {
        let slowest = checkpoint.subtasks.iter().map(|it| it.end_to_end_ms).max();
        let row = |it: &SubtaskCheckpoint| TimelineRow {
            id: format!("{}-{}", it.vertex, it.index),
            group: it.vertex.clone(),
            name: it.index.to_string(),
            spans: SubtaskTimes::from(it).spans(),
            is_slowest: Some(it.end_to_end_ms) == slowest,
        };
        Self { rows: checkpoint.subtasks.iter().map(row).collect(), marks: Vec::new() }
    }

    /// The last moment that is shown [ms].
    pub fn end_ms(&self) -> u64 {
        let spans = self.rows.iter().flat_map(|row| &row.spans).map(|span| span.end_ms);
        spans.chain(self.marks.iter().map(|mark| mark.at_ms)).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(
        sd: u64,
        al: u64,
        sync: u64,
        async_ms: u64,
        e2e: u64,
        unaligned: bool,
    ) -> SubtaskTimes {
        SubtaskTimes {
            start_delay_ms: sd,
            alignment_ms: al,
            sync_ms: sync,
            async_ms,
            end_to_end_ms: e2e,
            unaligned,
        }
    }

    #[test]
    fn an_aligned_subtask_does_one_thing_after_the_other() {
        let spans = times(20, 1998, 0, 3, 2024, false).spans();
        let ends: Vec<(Phase, u64)> = spans.iter().map(|it| (it.phase, it.end_ms)).collect();
        let want = [
            (Phase::StartDelay, 20),
            (Phase::Alignment, 2018),
            (Phase::Async, 2021),
            (Phase::Rest, 2024),
        ];
        assert_eq!(ends, want);
    }

    #[test]
    fn an_overtaken_alignment_lies_inside_the_asynchronous_part() {
        // B2, unaligned: the snapshot is taken at once and waits for the barrier of the other channel.
        let parts = times(9, 1985, 0, 1990, 2004, true).alignment_parts();
        assert_eq!(parts, AlignmentParts { blocked_ms: 0, inside_async_ms: 1985 });
        // B2 with a timeout of 1 s: blocked for one second, overtaken for another.
        let parts = times(8, 1992, 0, 1000, 2007, true).alignment_parts();
        assert_eq!(parts, AlignmentParts { blocked_ms: 999, inside_async_ms: 993 });
        // Nothing was persisted, so the flag is false, and the identity tells.
        let parts = times(5, 300, 1, 310, 320, false).alignment_parts();
        assert_eq!(parts, AlignmentParts { blocked_ms: 0, inside_async_ms: 300 });
    }

    #[test]
    fn numbers_of_any_size_have_spans() {
        let huge = times(u64::MAX, u64::MAX, u64::MAX, u64::MAX, 1, true);
        assert!(huge.spans().iter().all(|span| span.start_ms <= span.end_ms));
    }
}
