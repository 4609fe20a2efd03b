//! The verdict on RocksDB's memory in one sentence or two: the number, the knob, the boundary.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, the rules beside this file.

use super::facts::Facts;
use super::goals::{Goal, GoalId};
use super::shared::MemorySource;
use crate::memory::trace::exact;
use crate::units::Bytes;

/// Says it.
pub(super) fn verdict(facts: &Facts, goals: &[Goal]) -> String {
    let Some(shared) = &facts.shared else { return unshared(facts) };
    let owner = match facts.source {
        MemorySource::FixedPerTaskManager => "the whole TaskManager",
        _ => "each slot",
    };
    if shared.memory == Bytes::ZERO {
        return format!("RocksDB gets 0 B in {owner}.");
    }
    let lead = format!(
        "RocksDB gets {} in {owner}: a block cache of {}, in which write buffers may take {}.",
        exact(shared.memory),
        shared.cache_capacity,
        shared.write_buffer_manager_capacity
    );
    let families = facts.memtables.column_families;
    if families == 0 {
        return lead;
    }
    // The largest goal that fits, and the next one that does not.
    let missed = goals.iter().find(|goal| !goal.fits);
    let rest = match missed {
        None => format!("All {} of memtables fit.", facts.memtables.all),
        Some(goal) => {
            let what = match goal.id {
                GoalId::Arenas => format!(
                    "{families} written states do not even fit one arena block each, {}",
                    goal.need
                ),
                GoalId::OneEach => format!(
                    "{families} written states want {} of memtables, one each, so memtables are flushed before they are full",
                    goal.need
                ),
                GoalId::All => format!(
                    "One full memtable of each state fits, all {} that want to live at once do not",
                    goal.need
                ),
            };
            match (&goal.knob, goal.managed) {
                (Some(knob), _) => {
                    format!("{what}; they fit from {} = {} on.", knob.option, knob.text)
                }
                (None, Some(managed)) => {
                    format!("{what}; they fit from {} of managed memory on.", exact(managed))
                }
                (None, None) => format!("{what}."),
            }
        }
    };
    format!("{lead} {rest}")
}

fn unshared(facts: &Facts) -> String {
    let Some(outside) = &facts.outside else { return String::new() };
    let lead = format!(
        "RocksDB shares nothing: its column families may take {} outside every pool.",
        exact(outside.native)
    );
    if outside.crosses {
        format!("{lead} The container is killed from {} on.", exact(outside.kill_line))
    } else {
        format!("{lead} The container has room for {}.", exact(outside.kill_line))
    }
}
