//! The run in a sentence: the slowest checkpoint, the phase and subtask that made it slow, the option
//! that decides it and the timeout at which it would fail.
//!
//! Source: Flink 1.20.5, SubtaskCheckpointStatistics: end-to-end time is start delay, alignment,
//! synchronous and asynchronous part; where barriers overtook, the alignment lies inside the
//! asynchronous part.

use serde::Serialize;

use super::report::{Checkpoint, CheckpointStatus, SubtaskCheckpoint, SubtaskStatus};
use super::simulation::Simulation;
use crate::units::grouped;

/// Where the time of a subtask went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Phase {
    /// From the trigger to the first barrier.
    StartDelay,
    /// From the first barrier to the last.
    Alignment,
    /// The synchronous part.
    Sync,
    /// The asynchronous part.
    Async,
}

/// What was slow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Verdict {
    /// It in words.
    pub sentence: String,
    /// The checkpoint that is spoken of.
    pub checkpoint: Option<u64>,
    /// The slowest subtask in it, a place in the report's tasks.
    pub task: Option<usize>,
    /// Its longest phase.
    pub phase: Option<Phase>,
    /// The option that decides it.
    pub option: Option<&'static str>,
    /// execution.checkpointing.timeout [ms].
    pub timeout_ms: u64,
    /// Of the completed ones, the timeout less the longest end-to-end time [ms].
    pub margin_ms: Option<u64>,
    /// Triggered, completed and failed ones.
    pub counts: [usize; 3],
}

/// The parts of a subtask's time; each lies behind the one before it.
pub fn phases(it: &SubtaskCheckpoint) -> [(Phase, u64); 4] {
    let alignment = if it.unaligned { 0 } else { it.alignment_ms };
    [
        (Phase::StartDelay, it.start_delay_ms),
        (Phase::Alignment, alignment),
        (Phase::Sync, it.sync_ms),
        (Phase::Async, it.async_ms),
    ]
}

impl Simulation {
    pub(super) fn verdict(&self, checkpoints: &[Checkpoint]) -> Verdict {
        let count = |status| checkpoints.iter().filter(|it| it.status == status).count();
        let completed = count(CheckpointStatus::Completed);
        let failed = count(CheckpointStatus::Failed);
        let done = checkpoints.iter().filter(|it| it.status == CheckpointStatus::Completed);
        let slowest = done.max_by_key(|it| it.end_to_end_ms);
        let timeout_ms = self.job.coordinator.timeout.as_ms();
        let mut verdict = Verdict {
            sentence: String::new(),
            checkpoint: None,
            task: None,
            phase: None,
            option: None,
            timeout_ms,
            margin_ms: slowest.map(|it| timeout_ms.saturating_sub(it.end_to_end_ms)),
            counts: [checkpoints.len(), completed, failed],
        };
        let first_failed = checkpoints.iter().find(|it| it.status == CheckpointStatus::Failed);
        match (slowest, first_failed) {
            (_, Some(it)) => self.say_failed(&mut verdict, it),
            (Some(it), None) => self.say_slowest(&mut verdict, it),
            (None, None) if checkpoints.is_empty() => {
                verdict.sentence =
                    format!("No checkpoint was triggered in {}.", said(self.now.as_ms()));
                verdict.option = Some("execution.checkpointing.interval");
            }
            (None, None) => self.say_unfinished(&mut verdict, &checkpoints[0]),
        }
        if let Some(words) = self.recoveries.last().and_then(|it| it.suppressed.as_ref()) {
            verdict.sentence +=
                &format!(" After {} the job ends: {words}.", said(self.now.as_ms()));
        }
        verdict
    }

    fn name(&self, it: &SubtaskCheckpoint) -> String {
        format!("{} ({})", it.vertex, it.index)
    }

    fn say_slowest(&self, verdict: &mut Verdict, checkpoint: &Checkpoint) {
        verdict.checkpoint = Some(checkpoint.id);
        let total = checkpoint.end_to_end_ms;
        let of = verdict.counts;
        let mut text = format!(
            "{} of {} checkpoints completed; the slowest, {}, took {}",
            of[1],
            of[0],
            checkpoint.id,
            said(total)
        );
        let slow = checkpoint.subtasks.iter().max_by_key(|it| it.end_to_end_ms);
        if let Some(slow) = slow.filter(|it| it.end_to_end_ms > 0) {
            let [first, rest @ ..] = phases(slow);
            let longest =
                rest.into_iter().fold(first, |most, it| if it.1 > most.1 { it } else { most });
            verdict.task = Some(slow.task);
            verdict.phase = Some(longest.0);
            verdict.option = Some(self.option(longest.0));
            text += &format!(
                ", of which {} were {} of {}",
                said(longest.1),
                self.explain(longest.0, slow),
                self.name(slow)
            );
        }
        let timeout = said(verdict.timeout_ms);
        verdict.sentence = if total == 0 {
            format!("{text}. execution.checkpointing.timeout is {timeout}.")
        } else {
            let times = verdict.timeout_ms as f64 / total as f64;
            format!(
                "{text}. At {} times that it would reach execution.checkpointing.timeout, {timeout}, and fail.",
                number(times)
            )
        };
    }

    /// The phase in words; where it lies in an unaligned snapshot, what it waits for.
    fn explain(&self, phase: Phase, it: &SubtaskCheckpoint) -> &'static str {
        match phase {
            Phase::StartDelay => "the start delay",
            Phase::Alignment => "the alignment",
            Phase::Sync => "the synchronous part",
            Phase::Async if it.unaligned && it.alignment_ms * 2 > it.async_ms => {
                "the asynchronous part, waiting for the last barrier,"
            }
            Phase::Async => "the asynchronous part",
        }
    }

    fn option(&self, phase: Phase) -> &'static str {
        use super::job::BarrierMode::{Aligned, AlignedWithTimeout, AtLeastOnce, Unaligned};
        match (phase, self.job.mode) {
            (Phase::StartDelay | Phase::Alignment, Aligned | AtLeastOnce) => {
                "execution.checkpointing.unaligned.enabled"
            }
            (Phase::StartDelay | Phase::Alignment, AlignedWithTimeout(_)) => {
                "execution.checkpointing.aligned-checkpoint-timeout"
            }
            // What is left is a thread that is not free, or an exchange that is never overtaken.
            (Phase::StartDelay | Phase::Alignment, Unaligned) => "execution.checkpointing.timeout",
            (Phase::Sync | Phase::Async, _) => "execution.checkpointing.incremental",
        }
    }

    fn say_failed(&self, verdict: &mut Verdict, checkpoint: &Checkpoint) {
        verdict.checkpoint = Some(checkpoint.id);
        let missing =
            checkpoint.subtasks.iter().filter(|it| it.status == SubtaskStatus::PendingOrFailed);
        let first = missing.clone().next();
        verdict.task = first.map(|it| it.task);
        verdict.option = Some("execution.checkpointing.timeout");
        let waited = first.map_or(String::new(), |it| {
            format!(
                "; {} of {} subtasks had not acknowledged, {} among them",
                missing.count(),
                checkpoint.num_subtasks,
                self.name(it)
            )
        });
        let [all, completed, failed] = verdict.counts;
        let message = checkpoint.failure_message.as_deref().unwrap_or_default();
        verdict.sentence = format!(
            "{failed} of {all} checkpoints failed and {completed} completed. Checkpoint {} failed after \
             {}: {}{waited}.",
            checkpoint.id,
            said(checkpoint.end_to_end_ms),
            message.trim_end_matches('.')
        );
        if self.exceeded {
            verdict.option = Some("execution.checkpointing.tolerable-failed-checkpoints");
            verdict.sentence +=
                " With that the job fails: Exceeded checkpoint tolerable failure threshold.";
        }
    }

    fn say_unfinished(&self, verdict: &mut Verdict, checkpoint: &Checkpoint) {
        verdict.checkpoint = Some(checkpoint.id);
        let missing =
            checkpoint.subtasks.iter().find(|it| it.status == SubtaskStatus::PendingOrFailed);
        verdict.task = missing.map(|it| it.task);
        let waits = missing
            .map_or(String::new(), |it| format!("; {} has not acknowledged it", self.name(it)));
        verdict.sentence = format!(
            "No checkpoint ended in {}: the first, triggered after {}, is still in progress{waits}. \
             Watch the job for longer.",
            said(self.now.as_ms()),
            said(checkpoint.triggered_ms)
        );
    }
}

/// A span in the unit that a person would say.
pub fn said(ms: u64) -> String {
    let number = ms as f64;
    match ms {
        0..1000 => format!("{ms} ms"),
        1000..100_000 => format!("{:.1} s", number / 1000.0),
        100_000..7_200_000 => format!("{:.1} min", number / 60_000.0),
        _ => format!("{:.1} h", number / 3_600_000.0),
    }
    .replace(".0 ", " ")
}

/// A number as a person would say it: to a tenth, and whole from a thousand on.
pub fn number(value: f64) -> String {
    match value.abs() < 1000.0 {
        true => format!("{value:.1}").trim_end_matches(".0").to_owned(),
        false => grouped(value.round() as i64),
    }
}

#[cfg(test)]
mod tests {
    use super::super::params::Mode;
    use super::super::{Scenario, samples, simulate_scenario};
    use super::*;

    fn verdict(change: impl FnOnce(&mut Scenario)) -> Verdict {
        let mut scenario = samples::scenario();
        change(&mut scenario);
        simulate_scenario(&scenario).expect("it can be").value.verdict
    }

    #[test]
    fn a_full_queue_is_start_delay_and_unaligned_would_help() {
        let it = verdict(|_| {});
        assert_eq!((it.phase, it.task), (Some(Phase::StartDelay), Some(1)));
        assert_eq!(it.option, Some("execution.checkpointing.unaligned.enabled"));
        assert!(it.sentence.contains("window (0)"), "{}", it.sentence);
        assert!(it.sentence.contains("10 min"), "{}", it.sentence);
    }

    #[test]
    fn a_slow_snapshot_is_the_asynchronous_part() {
        let it = verdict(|it| {
            it.checkpointing.mode = Mode::Unaligned;
            it.vertices[1].async_ms = 2000;
        });
        assert_eq!(it.phase, Some(Phase::Async), "{}", it.sentence);
    }

    #[test]
    fn what_expired_and_what_never_began_is_said() {
        let it = verdict(|it| it.checkpointing.timeout_ms = 1000);
        assert!(it.sentence.contains("Checkpoint expired before completing"), "{}", it.sentence);
        assert!(it.sentence.contains("tolerable failure threshold"), "{}", it.sentence);
        let it = verdict(|it| it.checkpointing.first_trigger_ms = Some(100_000));
        assert_eq!(it.sentence, "No checkpoint was triggered in 30 s.");
        let it = verdict(|it| it.checkpointing.first_trigger_ms = Some(29_000));
        assert!(it.sentence.contains("still in progress"), "{}", it.sentence);
    }
}
