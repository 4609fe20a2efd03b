//! Named examples, each with the steps that show its point.
//!
//! Source: the rules are those of Flink 1.20.5 in `relation.rs`; the numbers are examples.

use std::convert::Infallible;

use serde::{Deserialize, Serialize};

use super::relation::Step;
use super::{SinkKind, StepMode, StepperScenario};
use crate::finding::Derivation;

/// An example.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StepperPreset {
    /// A stable name.
    pub id: &'static str,
    /// Its title.
    pub title: &'static str,
    /// What to look at.
    pub look: &'static str,
    /// The job.
    pub scenario: StepperScenario,
    /// A run to follow.
    pub steps: Vec<Step>,
}

/// Params of the question: none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoParams {}

/// Which examples are there?
///
/// # Errors
/// Never.
pub fn presets_question(_: &NoParams) -> Result<Derivation<Vec<StepperPreset>>, Infallible> {
    Ok(Derivation { value: presets(), findings: Vec::new() })
}

/// Every example.
pub fn presets() -> Vec<StepperPreset> {
    use Step::{Fail, Notify, Restore, Timeout};
    let two = |first: &str, second: &str| vec![vec![first.to_owned(), second.to_owned()]];
    let plain = |mode, tasks| StepperScenario { mode, sink: SinkKind::None, tasks };
    let ab = || two("A:50 | A:100", "A:25 B:80 | B:5");
    vec![
        StepperPreset {
            id: "transactions",
            title: "Barriers meet transactions",
            look: "The snapshot says 75 though 100 was there first. Pre-commit shows nothing; commit shows \
                   the results. The worker dies after 999: the sum is 75 again and transaction 2 is aborted.",
            scenario: StepperScenario {
                mode: StepMode::Aligned,
                sink: SinkKind::TwoPhaseCommit,
                tasks: two("A:50 | A:100", "A:25 B:80 | A:999"),
            },
            steps: vec![at(0), at(1), at(1), at(0), at(1), at(0), Notify, at(1), Fail, Restore],
        },
        StepperPreset {
            id: "aligned",
            title: "Aligned",
            look: "Channel 0 is blocked from its barrier on: A:100 waits, and the snapshot says A=75.",
            scenario: plain(StepMode::Aligned, ab()),
            steps: vec![at(0), at(0), at(1), at(1), at(1), at(0)],
        },
        StepperPreset {
            id: "unaligned",
            title: "Unaligned",
            look: "Barrier 1 of channel 1 overtakes two records. They are in the snapshot as in-flight data, \
                   and come first after a restore.",
            scenario: plain(StepMode::Unaligned, ab()),
            steps: vec![at(0), at(0), over(1), at(0), Fail, Restore, at(1), at(1)],
        },
        StepperPreset {
            id: "timeout",
            title: "Aligned with a timeout",
            look: "Channel 0 is blocked from its barrier on. At the timeout the state is taken, and the other \
                   barrier overtakes; only then is channel 0 read again.",
            scenario: plain(StepMode::Timeout, ab()),
            steps: vec![at(0), at(0), Timeout, at(1), over(1), at(0)],
        },
        StepperPreset {
            id: "atLeastOnce",
            title: "At least once",
            look: "Nothing is blocked, so A:100 is in the snapshot although it stands behind the barrier. After \
                   the restore it comes again: A is 275 and not 175.",
            scenario: plain(StepMode::AtLeastOnce, ab()),
            steps: vec![at(0), at(0), at(0), at(1), at(1), at(1), Fail, Restore, at(0)],
        },
        StepperPreset {
            id: "lostNotification",
            title: "The worker dies before the commit",
            look: "The checkpoint is complete, but the sink never heard of it. The restore commits what the \
                   checkpoint holds.",
            scenario: StepperScenario {
                mode: StepMode::Aligned,
                sink: SinkKind::TwoPhaseCommit,
                tasks: two("A:50 |", "A:25 |"),
            },
            steps: vec![at(0), at(1), at(0), at(1), Fail, Restore],
        },
        StepperPreset {
            id: "twoTasks",
            title: "Two tasks, one checkpoint",
            look: "Task 0 has its snapshot and goes on; the checkpoint is complete when task 1 has its own.",
            scenario: plain(
                StepMode::Aligned,
                vec![
                    vec!["A:1 | A:2".to_owned(), "A:3 |".to_owned()],
                    vec!["B:4 | B:5".to_owned(), "B:6 |".to_owned()],
                ],
            ),
            steps: vec![at(0), at(1), at(0), at(1), at(0), at(2), at(2), at(3), at(3)],
        },
    ]
}

const fn at(channel: usize) -> Step {
    Step::Deliver { channel }
}

const fn over(channel: usize) -> Step {
    Step::Overtake { channel }
}
