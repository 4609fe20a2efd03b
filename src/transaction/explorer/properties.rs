//! What must always hold, and what must be possible, in words.
//!
//! Source: the promise of DeliveryGuarantee.EXACTLY_ONCE, and isolation.level=read_committed; the
//! second kind guards against a model in which nothing happens.

use serde::Serialize;

use super::bounds::ExploreParams;
use crate::transaction::event::{Answer, Fact, Hear, Sink};

/// Whether a property must hold everywhere or somewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Kind {
    /// In every state, or at every step.
    Always,
    /// In one state at least.
    Sometimes,
}

/// Where a property says something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    Nothing,
    /// Transactions of a coordinator.
    Coordinator,
    /// More than one subtask.
    Subtasks,
    /// A shared partition with transactions of a coordinator.
    SharedPartition,
}

/// A property: a stable name, its words, its kind, and whether it is part of the promise.
#[derive(Debug, Clone, Copy)]
pub struct Property {
    pub name: &'static str,
    pub text: &'static str,
    pub kind: Kind,
    pub is_promise: bool,
    pub needs: Needs,
}

impl Property {
    /// Whether an exploration decides it.
    pub fn is_judged(&self, params: &ExploreParams) -> bool {
        match self.needs {
            Needs::Nothing => true,
            Needs::Coordinator => params.has_transactions(),
            Needs::Subtasks => params.sinks > 1 && params.is_transactional,
            Needs::SharedPartition => params.has_transactions() && params.is_partition_shared,
        }
    }
}

const fn promise(name: &'static str, text: &'static str, needs: Needs) -> Property {
    Property { name, text, kind: Kind::Always, is_promise: true, needs }
}

const fn always(name: &'static str, text: &'static str, needs: Needs) -> Property {
    Property { name, text, kind: Kind::Always, is_promise: false, needs }
}

const fn sometimes(name: &'static str, text: &'static str) -> Property {
    Property { name, text, kind: Kind::Sometimes, is_promise: false, needs: Needs::Nothing }
}

/// All properties. `Shown::bits` has a bit for each, in this order.
pub const PROPERTIES: [Property; 14] = [
    promise(
        "nothingLost",
        "Always: nothing that a completed checkpoint owns is lost.",
        Needs::Nothing,
    ),
    promise("nothingTwice", "Always: no record is committed twice.", Needs::Nothing),
    promise(
        "noReaderStuck",
        "Always: no transaction that nobody will end stays open while the job writes and completes two \
         more checkpoints. It would keep read_committed readers from all that comes after it.",
        Needs::Coordinator,
    ),
    promise(
        "startsAgain",
        "Always: a job that is down can run again with the settings it has. Where it cannot, every attempt \
         fails as the one before it: a job that never ran fails to start, one that ran restarts for ever.",
        Needs::Coordinator,
    ),
    promise(
        "readsOnlyCommitted",
        "Always: a read_committed reader of the shared partition sees no record of a transaction that \
         is not committed.",
        Needs::SharedPartition,
    ),
    always(
        "noDirtyCopy",
        "Always: a read_uncommitted reader sees no record twice.",
        Needs::Nothing,
    ),
    always("noRefusedCommit", "Always: no commit is refused.", Needs::Nothing),
    always("noTaskFails", "Always: no task of the job fails.", Needs::Nothing),
    always(
        "noTornCheckpoint",
        "Always: what all subtasks wrote for a checkpoint can be read at once.",
        Needs::Subtasks,
    ),
    always(
        "noneWithheld",
        "Always: what is committed to the shared partition can be read, and no open transaction stands \
         before it.",
        Needs::SharedPartition,
    ),
    sometimes("commits", "Sometimes: a transaction commits, or a file is finished."),
    sometimes("aborts", "Sometimes: a transaction is aborted, or a file is left behind."),
    sometimes("allDelivered", "Sometimes: all records are committed."),
    sometimes("crashSurvived", "Sometimes: all records are committed after a crash."),
];

/// Lanes and transactions that a step is followed in; more than these do not fit a packed state.
const LANES: usize = 4;

/// What a step showed of the judged job.
#[derive(Debug, Clone, Copy, Default)]
pub struct Heard {
    pub refused: bool,
    pub failed: bool,
    pub aborted: bool,
    /// The transactions of each lane whose commit markers were written, a bit each.
    pub committed: [u16; LANES],
}

impl Hear for Heard {
    fn hear(&mut self, fact: Fact) {
        match fact {
            Fact::EndTxn { job: 0, answer, .. } => {
                self.refused |= !matches!(answer, Answer::Accepted | Answer::Already);
            }
            Fact::Failed { job: 0, .. } => self.failed = true,
            Fact::Marked { is_commit: false, .. } => self.aborted = true,
            Fact::Marked { lane, txn, .. } => {
                if let Some(bits) = self.committed.get_mut(lane as usize) {
                    *bits |= 1_u16.checked_shl(txn).unwrap_or(0);
                }
            }
            _ => {}
        }
    }
}

/// What decides the properties: broken where they must always hold, reached where they must sometimes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Shown {
    pub lost: bool,
    pub twice: bool,
    pub stuck: bool,
    pub hopeless: bool,
    pub dirty_read: bool,
    pub dirty_copy: bool,
    pub refused: bool,
    pub failed: bool,
    pub torn: bool,
    pub withheld: bool,
    pub committed: bool,
    pub aborted: bool,
    pub delivered: bool,
    pub survived: bool,
}

impl Shown {
    /// A bit for each property.
    pub fn bits(&self, sink: Sink) -> u16 {
        // A row that is written again is the same row.
        let counts = sink != Sink::Upsert;
        let bits = [
            self.lost,
            self.twice && counts,
            self.stuck,
            self.hopeless,
            self.dirty_read,
            self.dirty_copy && counts,
            self.refused,
            self.failed,
            self.torn,
            self.withheld,
            self.committed,
            self.aborted,
            self.delivered,
            self.survived,
        ];
        bits.iter().enumerate().fold(0, |sum, (at, is_set)| sum | (u16::from(*is_set) << at))
    }
}
