//! How often each record is there, and how far the job believes it has come.
//!
//! Source: Kafka 4.x, UnifiedLog (what a reader of either level is given).

use crate::transaction::driver::Player;
use crate::transaction::event::{Completion, Fact};
use crate::transaction::ledger::Ledger;

/// Copies of each source position.
pub struct Counts {
    pub committed: Vec<u32>,
    pub appended: Vec<u32>,
    /// When the first record was written of which there was a committed one, or any, before.
    pub committed_again_at: Option<u64>,
    pub appended_again_at: Option<u64>,
    pub read_committed: u64,
    pub blocked_ms: u64,
}

pub fn count(player: &Player, ledger: &Ledger) -> Counts {
    let job = player.judged();
    let end = player.now;
    let input = player.input as usize;
    let mut counts = Counts {
        committed: vec![0; input],
        appended: vec![0; input],
        committed_again_at: None,
        appended_again_at: None,
        read_committed: 0,
        blocked_ms: 0,
    };
    for entry in ledger.records(job) {
        let accepted = ledger.accepted_at(entry);
        let first = (entry.from..entry.to).find(|it| it % entry.of == entry.lane);
        let positions = first.into_iter().flat_map(|it| (it..entry.to).step_by(entry.of as usize));
        for position in positions.filter(|it| (*it as usize) < input) {
            let appended = &mut counts.appended[position as usize];
            *appended += 1;
            if *appended > 1 {
                counts.appended_again_at.get_or_insert(entry.at);
            }
            if accepted.is_some() {
                let committed = &mut counts.committed[position as usize];
                *committed += 1;
                if *committed > 1 {
                    counts.committed_again_at.get_or_insert(entry.at);
                }
            }
        }
        if let Some(accepted) = accepted {
            let stable = entry.stable_at;
            if stable.is_some() {
                counts.read_committed += u64::from(entry.records);
            }
            let waited = stable.unwrap_or(end).saturating_sub(accepted);
            counts.blocked_ms = counts.blocked_ms.max(waited);
        }
    }
    counts
}

/// Where the newest completed checkpoint of the judged job lets its source go on.
pub fn newest_position(player: &Player) -> u32 {
    let job = player.judged();
    let newest = player.facts.iter().rev().find_map(|it| match it.fact {
        Fact::Completed { job: of, checkpoint, kind } if of == job => {
            let stops = player.runs[job as usize].stop_after == Some(checkpoint);
            (kind != Completion::Savepoint || stops).then_some(checkpoint)
        }
        _ => None,
    });
    let lanes = player.state.lanes.first();
    let snapshot = newest.and_then(|it| lanes?.snapshot(job, it));
    snapshot.map_or(player.runs[job as usize].with.position, |it| it.position)
}
