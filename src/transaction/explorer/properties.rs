//! What must always hold, and what must be possible, in words.
//!
//! Source: the promise of DeliveryGuarantee.EXACTLY_ONCE; the second kind guards against a model in
//! which nothing happens.

use serde::Serialize;

use super::bounds::Spent;
use super::compact::copies;
use crate::transaction::event::{Answer, Fact, Hear, Sink};
use crate::transaction::state::State;

/// Whether a property must hold everywhere or somewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Kind {
    /// In every state, or at every step.
    Always,
    /// In one state at least.
    Sometimes,
}

/// A property: a stable name, its words, its kind, and whether it is part of the promise.
#[derive(Debug, Clone, Copy)]
pub struct Property {
    pub name: &'static str,
    pub text: &'static str,
    pub kind: Kind,
    pub is_promise: bool,
}

const fn always(name: &'static str, text: &'static str, is_promise: bool) -> Property {
    Property { name, text, kind: Kind::Always, is_promise }
}

const fn sometimes(name: &'static str, text: &'static str) -> Property {
    Property { name, text, kind: Kind::Sometimes, is_promise: false }
}

/// All properties. `judge` sets a bit for each, in this order.
pub const PROPERTIES: [Property; 9] = [
    always("nothingLost", "Always: nothing that a completed checkpoint owns is lost.", true),
    always("nothingTwice", "Always: no record is committed twice.", true),
    always("noDirtyCopy", "Always: a read_uncommitted reader sees no record twice.", false),
    always("noRefusedCommit", "Always: no commit is refused.", false),
    always("noTaskFails", "Always: no task fails.", false),
    sometimes("commits", "Sometimes: a transaction commits."),
    sometimes("aborts", "Sometimes: a transaction is aborted."),
    sometimes("allDelivered", "Sometimes: all records are committed."),
    sometimes("crashSurvived", "Sometimes: all records are committed after a crash."),
];

/// What a step showed.
#[derive(Debug, Clone, Copy, Default)]
pub struct Heard {
    pub refused: bool,
    pub failed: bool,
    pub aborted: bool,
}

impl Hear for Heard {
    fn hear(&mut self, fact: Fact) {
        match fact {
            Fact::EndTxn { answer, .. } => {
                self.refused |= !matches!(answer, Answer::Accepted | Answer::Already);
            }
            Fact::Failed { .. } => self.failed = true,
            Fact::Marked { is_commit: false, .. } => self.aborted = true,
            _ => {}
        }
    }
}

/// The properties that a step and the state it leads to decide: broken where they must always hold,
/// reached where they must sometimes. A bit each.
pub fn judge(state: &State, spent: &Spent, heard: &Heard, sink: Sink, records: u32) -> u16 {
    let all = (1_u32 << records) - 1;
    let (mut lost, mut twice, mut dirty, mut any, mut complete) =
        (false, false, false, false, !state.lanes.is_empty());
    for lane in &state.lanes {
        let (copies, is_dirty) = copies(lane);
        lost |= copies.is_lost;
        twice |= copies.committed[1] != 0;
        dirty |= is_dirty;
        any |= copies.committed[0] != 0;
        complete &= copies.committed[0] == all;
    }
    // A row that is written again is the same row.
    if sink == Sink::Upsert {
        twice = false;
        dirty = false;
    }
    let bits = [
        lost,
        twice,
        dirty,
        heard.refused,
        heard.failed,
        any,
        heard.aborted,
        complete,
        complete && spent.crashes > 0,
    ];
    bits.iter().enumerate().fold(0, |sum, (at, is_set)| sum | (u16::from(*is_set) << at))
}
