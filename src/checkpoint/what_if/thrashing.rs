//! Expire, trigger, expire: checkpoints that are given up one after the other.
//!
//! Source: Flink 1.20.5, CheckpointRequestDecider (the pause counts from completed checkpoints only, so
//! after an expiry the next queued request starts at once), CheckpointFailureManager; that a stale
//! barrier still stops its sender was measured.

use serde::Serialize;

use super::figures::{Kept, expired};
use crate::checkpoint::report::{Checkpoint, CheckpointStatus};
use crate::checkpoint::scenario::Scenario;
use crate::checkpoint::verdict::said;

/// Expired checkpoints in a row from which it is thrashing.
const IN_A_ROW: usize = 2;

/// The longest row of expired checkpoints.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Thrashing {
    /// The first of the row.
    pub first: u64,
    /// The last of the row.
    pub last: u64,
    /// How many expired in the row.
    pub in_a_row: usize,
    /// How many expired in the whole run.
    pub expired: usize,
    /// How many completed in the whole run.
    pub completed: usize,
    /// execution.checkpointing.timeout [ms].
    pub timeout_ms: u64,
    /// execution.checkpointing.min-pause [ms].
    pub min_pause_ms: u64,
    /// From an expiry to the next trigger, at the most of the row [ms].
    pub gap_ms: u64,
    /// Time in which a checkpoint ran that expired [ms].
    pub wasted_ms: u64,
    /// The run [ms].
    pub run_ms: u64,
    /// How long the longest takes where none is given up [ms]; absent where that is not known.
    pub needed_ms: Option<u64>,
    /// It in words.
    pub says: String,
}

impl Thrashing {
    /// Of the checkpoints of a run, where they thrash.
    pub fn of(checkpoints: &[Checkpoint], scenario: &Scenario) -> Option<Self> {
        let is_expired = |it: &Checkpoint| expired(it, scenario);
        let row = checkpoints
            .chunk_by(|one, next| is_expired(one) && is_expired(next))
            .filter(|row| is_expired(&row[0]))
            .rev()
            .max_by_key(|row| row.len())?;
        if row.len() < IN_A_ROW {
            return None;
        }
        let gap = |pair: &[Checkpoint]| {
            pair[1].triggered_ms.saturating_sub(pair[0].triggered_ms + pair[0].end_to_end_ms)
        };
        let expired = checkpoints.iter().filter(|it| is_expired(it));
        let completed =
            checkpoints.iter().filter(|it| it.status == CheckpointStatus::Completed).count();
        let mut thrashing = Self {
            first: row[0].id,
            last: row[row.len() - 1].id,
            in_a_row: row.len(),
            expired: expired.clone().count(),
            completed,
            timeout_ms: scenario.checkpointing.timeout_ms,
            min_pause_ms: scenario.checkpointing.min_pause_ms,
            gap_ms: row.windows(2).map(gap).max().unwrap_or(0),
            wasted_ms: wasted(expired),
            run_ms: scenario.run_ms,
            needed_ms: None,
            says: String::new(),
        };
        thrashing.says = thrashing.sentence();
        Some(thrashing)
    }

    /// With what is known of a run in which none is given up.
    pub fn with_patience(&mut self, kept: &Kept) {
        self.needed_ms = kept.longest.map(|it| it.0).filter(|_| kept.open == 0);
        self.says = self.sentence();
    }

    fn sentence(&self) -> String {
        let pause = match self.min_pause_ms {
            0 => "there is no pause, and".to_owned(),
            ms => format!("the pause of {} counts from completed checkpoints only, and", said(ms)),
        };
        let needed = match self.needed_ms {
            Some(ms) => format!(
                " Where none is given up, the longest takes {}: a timeout above that lets them complete.",
                said(ms)
            ),
            None => String::new(),
        };
        format!(
            "Checkpoints {} to {} all expired after {}, and each was followed within {} by the next: {pause} \
             ticks that were missed are queued. The barriers of an expired checkpoint stay in the queues \
             and still stop their senders, so the next ones stand behind them. Of a run of {}, {} went into \
             checkpoints that came to nothing; {} completed.{needed}",
            self.first,
            self.last,
            said(self.timeout_ms),
            said(self.gap_ms),
            said(self.run_ms),
            said(self.wasted_ms),
            self.completed
        )
    }
}

/// The time that at least one of them ran; concurrent ones count once.
fn wasted<'a>(expired: impl Iterator<Item = &'a Checkpoint>) -> u64 {
    let (mut sum, mut until) = (0, 0);
    for it in expired {
        let end = it.triggered_ms + it.end_to_end_ms;
        sum += end.saturating_sub(it.triggered_ms.max(until));
        until = until.max(end);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkpoint::{samples, simulate_scenario};

    fn thrashing(timeout_ms: u64) -> Option<Thrashing> {
        let mut scenario = samples::scenario();
        scenario.checkpointing.interval_ms = 1000;
        scenario.checkpointing.min_pause_ms = 700;
        scenario.checkpointing.timeout_ms = timeout_ms;
        scenario.checkpointing.tolerable_failed_checkpoints = 100;
        let report = simulate_scenario(&scenario).expect("it can be").value;
        Thrashing::of(&report.checkpoints, &scenario)
    }

    #[test]
    fn a_timeout_that_is_too_short_makes_one_expire_after_the_other() {
        let it = thrashing(1500).expect("they thrash");
        assert!(it.in_a_row >= 3 && it.first == 1, "{it:?}");
        // The pause would be 700 ms, but does not hold after an expiry.
        assert_eq!(it.gap_ms, 0);
        assert!(it.wasted_ms >= it.in_a_row as u64 * 1500, "{it:?}");
        assert!(it.says.contains("counts from completed checkpoints only"), "{}", it.says);
    }

    #[test]
    fn checkpoints_that_complete_do_not_thrash() {
        assert_eq!(thrashing(60_000), None);
    }
}
