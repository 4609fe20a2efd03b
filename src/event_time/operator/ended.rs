//! Windows that have ended and are still there.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `WindowOperator.cleanupTime`.

use super::WindowOperator;
use crate::event_time::sessions::Sessions;
use crate::event_time::window::Window;

impl WindowOperator {
    /// How many of the open windows have ended and are kept for late records.
    pub fn ended_count(&self) -> usize {
        // Without lateness a window goes with the timer of its end.
        if self.params.allowed_lateness.get() == 0 || !self.params.assigner.is_event_time() {
            return 0;
        }
        let has_ended = |window: Window| window.max_timestamp() <= self.watermark.get();
        if self.params.assigner.merges() {
            let all = self.sessions.values().flat_map(Sessions::iter);
            return all.filter(|(session, _)| has_ended(*session)).count();
        }
        self.contents.keys().filter(|(_, window)| has_ended(*window)).count()
    }
}
