//! Which side switched to unaligned barriers: the sender that still had them, or the receiver.
//!
//! Source: Flink 1.20.5, PipelinedSubpartition (a sender's own timer, at the trigger plus the timeout,
//! converts a barrier that waits in its output; so since 1.16, FLINK-27251) and
//! SingleCheckpointBarrierHandler (a receiver switches from the first barrier that came on).

use super::facts::{Fact, Facts};
use super::job::BarrierMode;
use super::notices::finding;
use super::report::CheckpointReport;
use super::simulation::Simulation;
use super::verdict::said;
use crate::finding::{Finding, Severity};
use crate::units::Bytes;

/// Barriers of one checkpoint that were converted in the outputs of their senders.
struct Converted {
    id: u64,
    /// From the start of the run [ms].
    at_ms: f64,
    /// Their channels, places in the facts' channels.
    channels: Vec<usize>,
    /// The longest that one waited in its output before [ms].
    waited_ms: f64,
}

/// Of the first checkpoint that had any.
fn converted(facts: &Facts) -> Option<Converted> {
    let kind = |row: usize| Fact::from_number(facts.kind[row]);
    let rows = 0..facts.kind.len();
    let is_converted = |row: &usize| kind(*row) == Some(Fact::BarrierConverted);
    let first = rows.clone().find(is_converted)?;
    let id = facts.checkpoint[first];
    let mut found = Converted {
        id: u64::from(id),
        at_ms: facts.time_ms[first],
        channels: Vec::new(),
        waited_ms: 0.0,
    };
    let mut sent_ms = vec![None; facts.channel_from.len()];
    for row in rows.filter(|row| facts.checkpoint[*row] == id) {
        let Ok(channel) = usize::try_from(facts.channel[row]) else { continue };
        match kind(row) {
            Some(Fact::BarrierSent) => sent_ms[channel] = Some(facts.time_ms[row]),
            Some(Fact::BarrierConverted) => {
                found.channels.push(channel);
                let waited = facts.time_ms[row] - sent_ms[channel].unwrap_or(facts.time_ms[row]);
                found.waited_ms = found.waited_ms.max(waited);
            }
            _ => {}
        }
    }
    Some(found)
}

impl Simulation {
    /// Barriers that overtook in the output of their senders, and what that wrote.
    pub(super) fn converted_at_senders(&self, report: &CheckpointReport) -> Option<Finding> {
        if !matches!(self.job.mode, BarrierMode::AlignedWithTimeout(_)) {
            return None;
        }
        let facts = self.facts();
        let found = converted(&facts)?;
        let checkpoint = report.checkpoints.iter().find(|it| it.id == found.id)?;
        let mut senders: Vec<usize> =
            found.channels.iter().map(|it| facts.channel_from[*it] as usize).collect();
        senders.sort_unstable();
        senders.dedup();
        let of_senders = checkpoint.subtasks.iter().filter(|it| senders.contains(&it.task));
        let persisted: u64 = of_senders.map(|it| it.persisted_bytes).sum();
        let after = (found.at_ms - checkpoint.triggered_ms as f64).max(0.0);
        let title = format!(
            "Barriers of checkpoint {} overtook at their senders, {} after the trigger.",
            found.id,
            said(after.round() as u64)
        );
        let reason = format!(
            "{} of {} barriers still waited in the output of their sender, the longest for {}. A sender has \
             a timer of its own, at the trigger plus the timeout: it puts them before the records in front \
             of them and writes those into the checkpoint, alignment.persisted of these senders: {}. Before \
             Flink 1.16 only a receiver could switch, when the first barrier had come to it.",
            found.channels.len(),
            facts.channel_from.len(),
            said(found.waited_ms.round() as u64),
            Bytes::new(persisted as i64)
        );
        let mut found = finding("convertedAtSenders", Severity::Note, title, reason);
        found.option = Some("execution.checkpointing.aligned-checkpoint-timeout".to_owned());
        found.source = "Flink 1.20.5, PipelinedSubpartition".to_owned();
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::super::params::Mode;
    use super::super::{samples, simulate_scenario};

    #[test]
    fn the_side_that_switched_is_named_with_what_it_wrote() {
        let mut scenario = samples::scenario();
        scenario.checkpointing.mode = Mode::Timeout;
        scenario.checkpointing.aligned_checkpoint_timeout_ms = 1000;
        let answer = simulate_scenario(&scenario).expect("it can be");
        let found = answer.findings.iter().find(|it| it.code == "convertedAtSenders");
        let found = found.expect("the queue is longer than the timeout");
        let title = "Barriers of checkpoint 1 overtook at their senders, 1 s after the trigger.";
        assert_eq!(found.title, title);
        let says =
            "1 of 1 barriers still waited in the output of their sender, the longest for 1 s.";
        assert!(found.reason.starts_with(says), "{}", found.reason);
        let source = &answer.value.checkpoints[0].subtasks[0];
        assert!(source.persisted_bytes > 0);
        // A timeout that no barrier lives to see.
        scenario.checkpointing.aligned_checkpoint_timeout_ms = 60_000;
        let answer = simulate_scenario(&scenario).expect("it can be");
        assert!(answer.findings.iter().all(|it| it.code != "convertedAtSenders"));
    }
}
