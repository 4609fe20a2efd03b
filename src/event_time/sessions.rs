//! The sessions of one key that are in flight, and where each keeps its contents.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, which agree: `MergingWindowSet` and
//! `TimeWindow.mergeWindows`, with what they do when a record's own window equals a session that
//! was merged before: the session is pointed at new, empty contents, and the old ones stay in state
//! for ever.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::window::Window;

/// `MergingWindowSet` of one key: the window of each session, and the window under which its state
/// is kept.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Sessions {
    #[serde(with = "super::snapshot::pairs")]
    state_windows: BTreeMap<Window, Window>,
}

/// A merge that adding a window led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merge {
    /// The window that covers all.
    pub result: Window,
    /// The sessions that it replaces, by start.
    pub merged: Vec<Window>,
    /// Where the contents are from now on.
    pub state_window: Window,
    /// Where contents are that have to go there.
    pub merged_state_windows: Vec<Window>,
}

/// What adding a window did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Added {
    /// The session that the record belongs to now.
    pub window: Window,
    /// The merge, unless the window stands alone or lies within one session.
    pub merge: Option<Merge>,
    /// Contents that no session points at any more.
    pub orphaned: Option<Window>,
}

impl Sessions {
    /// No session is in flight.
    pub fn is_empty(&self) -> bool {
        self.state_windows.is_empty()
    }

    /// How many sessions are in flight.
    pub fn len(&self) -> usize {
        self.state_windows.len()
    }

    /// Where a session keeps its contents.
    pub fn state_window(&self, session: Window) -> Option<Window> {
        self.state_windows.get(&session).copied()
    }

    /// Sessions with their state windows, by start.
    pub fn iter(&self) -> impl Iterator<Item = (Window, Window)> {
        self.state_windows.iter().map(|(session, state)| (*session, *state))
    }

    /// `retireWindow`.
    pub fn retire(&mut self, session: Window) {
        self.state_windows.remove(&session);
    }

    /// `addWindow`.
    pub fn add(&mut self, window: Window) -> Added {
        let touched = self.touched_by(window);
        let result = touched.iter().fold(window, |all, session| all.cover(*session));
        // Flink collects the windows to merge in a set, where an equal one is no second one.
        if touched.is_empty() || touched == [window] {
            let before = self.state_windows.insert(window, window);
            let orphaned = before.filter(|state| *state != window);
            return Added { window, merge: None, orphaned };
        }
        let states: Vec<Window> =
            touched.iter().filter_map(|session| self.state_windows.remove(session)).collect();
        let state_window = states.first().copied().unwrap_or(window);
        self.state_windows.insert(result, state_window);
        let merged_state_windows = states.into_iter().skip(1).collect();
        let merge = (touched != [result]).then_some(Merge {
            result,
            merged: touched,
            state_window,
            merged_state_windows,
        });
        Added { window: result, merge, orphaned: None }
    }

    /// The sessions that a window merges with, by start. Sessions in flight never touch each other,
    /// so only what the window itself touches counts.
    fn touched_by(&self, window: Window) -> Vec<Window> {
        self.state_windows.keys().copied().filter(|session| session.intersects(window)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_that_touch_are_one_session() {
        let mut sessions = Sessions::default();
        sessions.add(Window::of(0, 5));
        let added = sessions.add(Window::of(5, 10));
        assert_eq!(added.window, Window::of(0, 10));
        assert_eq!(added.merge.unwrap().merged, [Window::of(0, 5)]);
        assert_eq!(sessions.add(Window::of(11, 16)).merge, None);
    }

    #[test]
    fn a_window_within_a_session_merges_nothing() {
        let mut sessions = Sessions::default();
        sessions.add(Window::of(0, 10));
        let added = sessions.add(Window::of(2, 7));
        assert_eq!((added.window, added.merge), (Window::of(0, 10), None));
    }

    #[test]
    fn a_bridge_takes_the_contents_of_both() {
        let mut sessions = Sessions::default();
        sessions.add(Window::of(0, 5));
        sessions.add(Window::of(8, 13));
        let merge = sessions.add(Window::of(5, 8)).merge.unwrap();
        assert_eq!(merge.result, Window::of(0, 13));
        assert_eq!(merge.state_window, Window::of(0, 5));
        assert_eq!(merge.merged_state_windows, [Window::of(8, 13)]);
    }

    #[test]
    fn a_window_equal_to_a_merged_session_orphans_its_contents() {
        let mut sessions = Sessions::default();
        sessions.add(Window::of(1, 6));
        sessions.add(Window::of(3, 13));
        assert_eq!(sessions.add(Window::of(1, 13)).orphaned, Some(Window::of(1, 6)));
        // A session that never merged keeps its contents under itself.
        sessions.add(Window::of(20, 25));
        assert_eq!(sessions.add(Window::of(20, 25)).orphaned, None);
    }
}
