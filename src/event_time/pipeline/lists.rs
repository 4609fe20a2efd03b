//! What is open and what fired, as reports.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `WindowOperator`.

use super::{LISTED_MAX, Pipeline};
use crate::event_time::operator::{Firing, WindowOperator};
use crate::event_time::report::{FiringReport, OpenWindow};

impl Pipeline<'_> {
    pub(super) fn open_count(&self) -> usize {
        self.operators.iter().map(WindowOperator::open_count).sum()
    }

    pub(in crate::event_time) fn open_list(&self) -> Vec<OpenWindow> {
        let mut open: Vec<OpenWindow> = self
            .operators
            .iter()
            .flat_map(WindowOperator::open)
            .map(|(key, window, elements)| OpenWindow {
                key: self.key_text(key).to_owned(),
                start: window.start,
                end: window.end,
                elements,
            })
            .collect();
        open.sort_by(|a, b| (&a.key, a.start, a.end).cmp(&(&b.key, b.start, b.end)));
        open
    }

    /// Reports of firings; those of one timer have no order in Flink, here they go by key.
    pub(super) fn firings(&mut self, firings: &[Firing]) -> Vec<FiringReport> {
        let listed = if self.params.with_open { usize::MAX } else { LISTED_MAX };
        let totals = &mut self.totals;
        totals.firings += firings.len() as u32;
        totals.refires += firings.iter().filter(|firing| firing.is_refire).count() as u32;
        firings
            .iter()
            .map(|firing| FiringReport {
                key: self.key_text(firing.key).to_owned(),
                subtask: self.key_subtask(firing.key),
                start: firing.window.start,
                end: firing.window.end,
                count: firing.records.len(),
                sum: firing.sum,
                records: firing.records.iter().copied().take(listed).collect(),
                watermark: firing.watermark,
                cause: firing.cause,
                nth: firing.nth,
                refire: firing.is_refire,
            })
            .collect()
    }
}
