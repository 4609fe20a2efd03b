//! How much of its bounds a way through an exploration has used.
//!
//! Source: none; counting.

use super::bounds::ExploreParams;
use crate::transaction::event::{Completion, Event};
use crate::transaction::state::{Job, State};

/// How many of each fault have happened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spent {
    pub crashes: u8,
    pub timeouts: u8,
    pub lost_notifications: u8,
    pub declines: u8,
    pub expiries: u8,
    pub older_restores: u8,
    pub fresh_starts: u8,
    pub prefix_changes: u8,
    pub naming_changes: u8,
    pub rescales: u8,
    pub limit_lowered: u8,
    pub second_starts: u8,
}

impl Spent {
    /// Counts an event that is a fault; `before` is the state it struck.
    pub fn count(&mut self, event: Event, before: &State) {
        match event {
            Event::Crash { .. } | Event::CutOff { .. } => self.crashes += 1,
            Event::TimeOut { .. } => self.timeouts += 1,
            Event::Decline { .. } => self.declines += 1,
            Event::Complete { kind: Completion::Untold, .. } => self.lost_notifications += 1,
            Event::Expire { .. } => self.expiries += 1,
            Event::Refuse { .. } => self.limit_lowered += 1,
            Event::Restore { job: 1, .. } => self.second_starts += 1,
            Event::Restore { with, .. } => {
                let Job { completed, prefix, naming, parallelism, .. } = *before.job(0);
                self.fresh_starts += u8::from(with.from == 0 && completed > 0);
                self.older_restores += u8::from(with.from > 0 && with.from < completed);
                self.prefix_changes += u8::from(with.prefix != prefix);
                self.naming_changes += u8::from(with.naming != naming);
                self.rescales += u8::from(with.parallelism != parallelism);
            }
            _ => {}
        }
    }

    /// The counts, in the order of `of`.
    pub fn all(&mut self) -> [&mut u8; 12] {
        [
            &mut self.crashes,
            &mut self.timeouts,
            &mut self.lost_notifications,
            &mut self.declines,
            &mut self.expiries,
            &mut self.older_restores,
            &mut self.fresh_starts,
            &mut self.prefix_changes,
            &mut self.naming_changes,
            &mut self.rescales,
            &mut self.limit_lowered,
            &mut self.second_starts,
        ]
    }
}

impl ExploreParams {
    /// The most attempts of a job without a rival: each fault ends one at most.
    pub(super) fn attempts(&self) -> u32 {
        let faults = [self.crashes, self.timeouts, self.expiries, self.limit_lowered];
        1 + faults.iter().map(|it| u32::from(*it)).sum::<u32>()
    }
}
