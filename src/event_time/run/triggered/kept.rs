//! What is kept, and which of it fires next.
//!
//! Source: Flink 1.18.1, 1.20.5 and 2.2.1, `WindowOperator`, `ContinuousEventTimeTrigger`.

use std::collections::VecDeque;

use super::super::super::trigger::Trigger;
use super::super::report::Takes;
use super::super::standing::Next;
use super::{Entry, Orphans, Timer, Triggered};

impl Triggered {
    /// The open entries with their keys: in flight, or with contents.
    pub(super) fn all(&self) -> impl Iterator<Item = (u32, &Entry)> {
        let merges = self.assigned.merges();
        let of = move |(key, entries): (u32, _)| -> _ {
            let entries: &VecDeque<Entry> = entries;
            entries.iter().filter(move |it| merges || it.count > 0).map(move |it| (key, it))
        };
        (0_u32..).zip(&self.keys).flat_map(of)
    }

    /// What fires next by event time: at the end of a window, or before it with a continuous trigger.
    /// One that counts fires at no time.
    pub fn next(&self) -> Option<Next> {
        if matches!(self.trigger.inner(), Trigger::Count { .. }) {
            return None;
        }
        let of = |&(due, key, start, end): &Timer| {
            let entries = &self.keys[key as usize];
            let entry = entries.get(entries.partition_point(|it| it.start < start))?;
            // Others find nothing, find it empty, or clean it up.
            let fires = due == entry.max_timestamp() || due == entry.fire_at;
            let is_it = (entry.start, entry.end) == (start, end) && entry.count > 0 && fires;
            // The end of the input is no watermark that a record could bring.
            (is_it && due != i64::MAX).then_some(Next { start, end, due })
        };
        self.timers.iter().find_map(of)
    }

    pub(super) fn takes(&self, watermark: i64, is_prompt: bool) -> Takes {
        let Orphans { entries, records } = self.orphans;
        let mut takes = Takes { entries, records, ..Takes::default() };
        let merges = self.assigned.merges();
        let mut last_key = None;
        for (key, entries) in (0_u32..).zip(&self.keys) {
            for it in entries {
                if is_prompt && it.max_timestamp() <= watermark {
                    continue;
                }
                takes.entries += u64::from(it.count > 0);
                takes.records += u64::from(it.count);
                takes.triggers += u64::from(!it.state().is_empty());
                let is_early = it.fire_at != i64::MAX && it.fire_at != it.max_timestamp();
                let is_early = u64::from(is_early) + u64::from(it.process_at != i64::MAX);
                takes.timers += 1 + is_early;
                takes.sessions += u64::from(merges);
                takes.keys_with_sessions += u64::from(merges && last_key != Some(key));
                last_key = Some(key);
            }
        }
        if !is_prompt {
            takes.timers = (self.timers.len() + self.processing_timers.len()) as u64;
        }
        takes
    }
}
