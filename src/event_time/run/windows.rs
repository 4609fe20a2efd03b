//! Which operator an assigner and a trigger have, and what it is asked.
//!
//! Source: Flink 1.18.1, 1.20.5 and 2.2.1, `WindowOperator`; the files of the three say which parts.

use serde::{Deserialize, Serialize};

use super::super::trigger::Trigger;
use super::clock::Clock;
use super::fixed::Fixed;
use super::operator::{Block, Operator, advance, drive};
use super::panes::Panes;
use super::params::{Plan, RunError, Shape};
use super::report::{Firings, OpenState, OpenWindow, Output, Totals};
use super::sessions::Sessions;
use super::standing::Next;
use super::triggered::Triggered;

/// The operator.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Windows {
    /// Tumbling and sliding windows with the event-time trigger.
    Panes(Panes),
    /// Sessions with it.
    Sessions(Sessions),
    /// Any of these with another trigger, and all other windows.
    Triggered(Triggered),
}

impl Windows {
    /// Without state.
    pub fn new(plan: &Plan) -> Self {
        let &Plan { ref shape, lateness, keys, .. } = plan;
        match (shape, &plan.trigger) {
            (&Shape::Fixed { size, slide, offset }, None) => {
                Self::Panes(Panes::new(Fixed { size, slide, offset, lateness }, keys))
            }
            (&Shape::Session { gap }, None) => Self::Sessions(Sessions::new(gap, lateness, keys)),
            (shape, trigger) => {
                let trigger = trigger.clone().unwrap_or(Trigger::EventTime);
                Self::Triggered(Triggered::new(shape, trigger, lateness, keys))
            }
        }
    }

    /// Runs a block of records.
    pub fn drive(
        &mut self,
        block: &mut Block<'_>,
        clock: &mut Clock,
        firings: &mut Firings,
        totals: &mut Totals,
    ) {
        match self {
            Self::Panes(panes) => drive(panes, block, clock, firings, totals),
            Self::Sessions(sessions) => drive(sessions, block, clock, firings, totals),
            Self::Triggered(triggered) => drive(triggered, block, clock, firings, totals),
        }
    }

    /// Moves the watermark, and runs the timers that it reaches.
    pub fn move_to(
        &mut self,
        watermark: i64,
        clock: &mut Clock,
        firings: &mut Firings,
        totals: &mut Totals,
        record: u32,
    ) {
        clock.watermark = watermark;
        match self {
            Self::Panes(panes) => advance(panes, clock, firings, totals, record),
            Self::Sessions(sessions) => advance(sessions, clock, firings, totals, record),
            Self::Triggered(triggered) => advance(triggered, clock, firings, totals, record),
        }
    }

    /// Moves processing time, and runs the timers of the trigger that it reaches.
    pub fn let_clock_reach(
        &mut self,
        now: i64,
        clock: &Clock,
        firings: &mut Firings,
        totals: &mut Totals,
        record: u32,
    ) {
        if let Self::Triggered(triggered) = self {
            let watermark = clock.watermark;
            triggered.let_clock_reach(now, &mut Output { firings, totals, record, watermark });
        }
    }

    /// A watermark at a moment of the clock, which goes ahead of it.
    pub fn hear(
        &mut self,
        (now, watermark): (i64, i64),
        clock: &mut Clock,
        firings: &mut Firings,
        totals: &mut Totals,
        record: u32,
    ) {
        self.let_clock_reach(now, clock, firings, totals, record);
        self.move_to(watermark, clock, firings, totals, record);
    }

    /// Sessions whose contents no session points at any more.
    pub const fn orphaned(&self) -> u64 {
        match self {
            Self::Triggered(triggered) => triggered.orphaned(),
            Self::Panes(_) | Self::Sessions(_) => 0,
        }
    }

    /// How much is open.
    pub fn open_state(&self, watermark: i64) -> OpenState {
        self.ask().open_state(watermark)
    }

    /// All that is open.
    pub fn open_windows(&self, watermark: i64) -> Vec<OpenWindow> {
        self.ask().open_windows(watermark)
    }

    /// The window that fires next by event time.
    pub fn next(&self) -> Option<Next> {
        match self {
            Self::Panes(panes) => panes.next(),
            Self::Sessions(sessions) => sessions.next(),
            Self::Triggered(triggered) => triggered.next(),
        }
    }

    /// Pairs of key and window that wait, and would not with a watermark that is further on.
    pub fn passed(&self, watermark: i64, further: i64) -> u64 {
        match self {
            Self::Sessions(sessions) => sessions.ending_up_to(further),
            Self::Panes(_) | Self::Triggered(_) => {
                let waiting = |at| self.open_state(at).waiting;
                waiting(watermark).saturating_sub(waiting(further.max(watermark)))
            }
        }
    }

    /// Bytes that the operator holds.
    pub fn bytes(&self) -> usize {
        self.ask().bytes()
    }

    /// Why it stopped, if it did.
    pub fn fault(&self) -> Option<RunError> {
        match self {
            Self::Triggered(triggered) => triggered.fault(),
            Self::Panes(_) | Self::Sessions(_) => None,
        }
    }

    fn ask(&self) -> &dyn Operator {
        match self {
            Self::Panes(panes) => panes,
            Self::Sessions(sessions) => sessions,
            Self::Triggered(triggered) => triggered,
        }
    }
}
