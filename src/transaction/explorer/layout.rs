//! How wide the fields of a packed state are: what the bounds of an exploration cannot change takes
//! no bits.
//!
//! Source: none; the widths follow from the bounds.

use super::bounds::{ExploreParams, naming_of, ownership_of};
use crate::transaction::state::Ownership;

/// Widths [bits], and what is the same in every state.
#[derive(Debug, Clone, Copy)]
pub struct Layout {
    /// Records that a lane's masks have a bit for.
    pub records: u32,
    /// Positions are counted in so many source positions.
    pub unit: u32,
    pub position: u32,
    /// Numbers of checkpoints.
    pub checkpoint: u32,
    /// Numbers of transactional ids, and their places in a lane; the last place stands for none.
    pub number: u32,
    pub id: u32,
    pub producer: u32,
    pub prefix: u32,
    pub job: u32,
    /// Offsets in a shared partition.
    pub offset: u32,
    pub ownership: u32,
    /// Whether a task was cut off, and whether a resumed producer initialises its id.
    pub has_zombies: bool,
    pub is_v2: bool,
    /// What was read may not be sent yet.
    pub holds_back: bool,
    /// Records have numbers of their own over all lanes.
    pub is_whole: bool,
    /// A finished transaction leaves its records with the lane, even where it is still referred to.
    pub folds: bool,
    /// The subtasks before and after a rescaling.
    pub sinks: [u32; 2],
    pub usual: Ownership,
}

/// Bits for numbers up to `most`.
const fn bits(most: u32) -> u32 {
    u32::BITS - most.leading_zeros()
}

impl Layout {
    pub fn of(params: &ExploreParams) -> Self {
        let is_whole = params.is_rescaled();
        let has_second = params.second_starts > 0;
        let whole = params.records * params.sinks;
        // Each attempt probes one id further. Two jobs that fence each other make more attempts than
        // there are faults.
        let last = if has_second { 15 } else { params.checkpoints + params.attempts() + 1 };
        let prefixes = 1 + u32::from(has_second) + u32::from(params.prefix_changes > 0);
        let furthest =
            if is_whole { whole } else { params.records }.max(params.second_records * params.sinks);
        Self {
            records: if is_whole { whole } else { params.records },
            unit: if is_whole { 1 } else { params.sinks },
            position: bits(furthest),
            checkpoint: bits(params.checkpoints),
            number: bits(last),
            id: bits(last * prefixes + 1),
            producer: bits(params.expiries.into()),
            prefix: if prefixes > 1 { 2 } else { 0 },
            job: u32::from(has_second),
            offset: if params.is_partition_shared { 5 } else { 0 },
            ownership: if params.naming_changes > 0 { 2 } else { 0 },
            has_zombies: params.zombies,
            is_v2: params.rules().is_v2,
            holds_back: !params.rules().flushes,
            is_whole,
            folds: params.has_transactions(),
            sinks: [params.sinks, if is_whole { params.sinks_after } else { params.sinks }],
            usual: ownership_of(naming_of(params.naming)),
        }
    }
}
