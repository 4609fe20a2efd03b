//! What a search goes by.
//!
//! Source: the relation's; Kafka 4.x, UnifiedLog and ProducerStateManager (firstUnstableOffset) for the
//! last stable offset.

use super::compact::is_unfinished;
use super::properties::Heard;
use crate::transaction::event::{Event, NotNow, Rules};
use crate::transaction::relation;
use crate::transaction::state::State;

/// The steps, and how far readers see. Tests put faults in, to see which property notices.
pub trait Protocol {
    /// Makes one step. Where the event cannot happen, the state must be dropped.
    fn step(
        state: &mut State,
        event: Event,
        rules: &Rules,
        heard: &mut Heard,
    ) -> Result<(), NotNow>;

    /// The last stable offset of a partition that all tasks share: the first offset of the first
    /// transaction whose marker is not written.
    fn last_stable_offset(state: &State) -> u32;
}

/// The protocol as Flink and Kafka have it.
#[derive(Debug)]
pub struct FlinkAndKafka;

impl Protocol for FlinkAndKafka {
    fn step(
        state: &mut State,
        event: Event,
        rules: &Rules,
        heard: &mut Heard,
    ) -> Result<(), NotNow> {
        relation::step(state, event, rules, heard)
    }

    fn last_stable_offset(state: &State) -> u32 {
        let txns = state.lanes.iter().flat_map(|it| &it.txns);
        txns.filter(|it| is_unfinished(it)).map(|it| it.first).min().unwrap_or(state.end_offset)
    }
}
