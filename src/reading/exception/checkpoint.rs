//! Why did a checkpoint, or the job because of its checkpoints, fail?
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `CheckpointFailureReason` (texts), `CheckpointFailureManager`
//! (what counts against the tolerable failures), `CheckpointConfig` (what excludes what).

use super::{Explained, role_in};
use crate::reading::report::Direction::{self, Lower, Raise};
use crate::reading::text::line_of;

/// A message about checkpoints.
struct Message {
    sign: &'static str,
    code: &'static str,
    title: &'static str,
    reason: &'static str,
    next: &'static str,
    options: &'static [(&'static str, Direction)],
    source: &'static str,
}

const MESSAGES: [Message; 3] = [
    Message {
        sign: "Exceeded checkpoint tolerable failure threshold",
        code: "checkpoints_failed_too_often",
        title: "More checkpoints failed in a row than are tolerated, so the job fails over.",
        reason: "With n tolerated failures the one after the n-th in a row fails the job, and without the option that is the first. A completed checkpoint starts the count anew. This message says nothing of why they failed: that stands at the failed checkpoints themselves.",
        next: "What is the failure_message of the last checkpoints? If they expired, more tolerance only hides that none completes, and a restart replays more.",
        options: &[("execution.checkpointing.tolerable-failed-checkpoints", Raise)],
        source: "CheckpointFailureManager",
    },
    Message {
        sign: "Checkpoint expired before completing",
        code: "checkpoint_expired",
        title: "The checkpoint was not complete when its time was over: execution.checkpointing.timeout was hit.",
        reason: "The timeout counts from the trigger to the last acknowledgement and is 10 min by default. Whatever holds a barrier or a snapshot back is in it: full queues before a slow task, one late channel, a large state on slow storage. A longer timeout does not make any of it faster.",
        next: "Which subtask had not acknowledged, and was it the start delay, the alignment or the asynchronous part? Paste the REST answers of /jobs/:id/checkpoints and of its details and subtasks: the Checkpoints tool names the phase and the subtask.",
        options: &[("execution.checkpointing.timeout", Raise)],
        source: "CheckpointFailureReason",
    },
    Message {
        sign: "maxConcurrentCheckpoints can't be > 1 if UnalignedCheckpoints enabled",
        code: "concurrent_unaligned_checkpoints",
        title: "Unaligned checkpoints allow one checkpoint at a time.",
        reason: "The job is refused before it runs. Let one checkpoint run at a time, or keep barriers aligned.",
        next: "Are concurrent checkpoints needed at all? Their asynchronous parts run one after another in each task.",
        options: &[("execution.checkpointing.max-concurrent-checkpoints", Lower)],
        source: "CheckpointConfig",
    },
];

/// Understands a message about checkpoints; `flat` is the text as one line.
pub fn explain(text: &str, flat: &str) -> Option<Explained> {
    let message = MESSAGES.iter().find(|it| flat.contains(it.sign))?;
    let mut explained = Explained::new(message.code, message.title, message.source)
        .involving(message.options.iter().copied())
        .because(message.reason, message.next)
        .of(role_in(flat));
    explained.line = line_of(text, message.sign);
    Some(explained)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::options::is_key;
    use crate::units::FlinkVersion;

    #[test]
    fn the_message_of_a_log_is_found_with_its_line_and_knob() {
        let text = "INFO  CheckpointCoordinator [] - x\norg.apache.flink.runtime.checkpoint.CheckpointException: Checkpoint expired before completing.\n\tat a.B.c(B.java:1)";
        let explained = explain(text, text).expect("it is known");
        assert_eq!((explained.cause.code, explained.line), ("checkpoint_expired", 2));
        assert_eq!(explained.cause.knob.as_deref(), Some("execution.checkpointing.timeout"));
    }

    /// The job fails because of the threshold; that a checkpoint expired is why it was reached.
    #[test]
    fn what_failed_the_job_comes_before_what_failed_the_checkpoint() {
        let text = "FlinkRuntimeException: Exceeded checkpoint tolerable failure threshold.\nCaused by: CheckpointException: Checkpoint expired before completing.";
        let explained = explain(text, text).expect("it is known");
        assert_eq!(explained.cause.code, "checkpoints_failed_too_often");
    }

    #[test]
    fn every_option_exists_in_every_version() {
        for (option, _) in MESSAGES.iter().flat_map(|it| it.options) {
            for version in FlinkVersion::ALL {
                assert!(is_key(version, option), "{option} {version:?}");
            }
        }
    }

    #[test]
    fn other_texts_are_not_known() {
        assert!(explain("Checkpoint completed", "Checkpoint completed").is_none());
    }
}
