//! When a window fires.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, which agree: `EventTimeTrigger`, `CountTrigger`,
//! `ContinuousEventTimeTrigger`, `ContinuousProcessingTimeTrigger` and `PurgingTrigger`. The two
//! early triggers are compositions of these, which Flink leaves to the user to write: the
//! event-time trigger, or the early one, and neither purges.

use serde::{Deserialize, Serialize};

use super::error::EventTimeError;

/// When a window fires, and whether it forgets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", deny_unknown_fields)]
pub enum Trigger {
    /// `EventTimeTrigger`: when the watermark reaches its last millisecond.
    EventTime,
    /// `CountTrigger`: at every n-th record, and never else.
    #[serde(rename_all = "camelCase")]
    Count {
        /// n.
        count: i64,
    },
    /// `ContinuousEventTimeTrigger`: at every interval of event time, and at the end.
    #[serde(rename_all = "camelCase")]
    Continuous {
        /// The interval [ms].
        interval: i64,
    },
    /// The event-time trigger, and at every n-th record.
    #[serde(rename_all = "camelCase")]
    EarlyCount {
        /// n.
        count: i64,
    },
    /// The event-time trigger, and at every interval of processing time.
    #[serde(rename_all = "camelCase")]
    EarlyProcessingTime {
        /// The interval [ms].
        interval: i64,
    },
    /// `PurgingTrigger`: fires as another one and forgets the contents.
    Purging {
        /// The other one.
        of: Box<Trigger>,
    },
}

/// What a trigger keeps for a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TriggerState {
    /// Records since the last firing by count.
    pub count: Option<i64>,
    /// The next early firing in event time.
    pub fire_at: Option<i64>,
    /// The next early firing in processing time.
    pub processing_at: Option<i64>,
}

impl TriggerState {
    /// Whether nothing is kept.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// `mergePartitionedState`: counts add up, of two pending times the earlier stays.
    pub fn merge(&mut self, other: Self) {
        let earlier = |a: Option<i64>, b: Option<i64>| a.into_iter().chain(b).min();
        self.count = match (self.count, other.count) {
            (Some(a), Some(b)) => Some(a + b),
            (a, b) => a.or(b),
        };
        self.fire_at = earlier(self.fire_at, other.fire_at);
        self.processing_at = earlier(self.processing_at, other.processing_at);
    }
}

/// A change of timers that a trigger asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimerChange {
    /// `registerEventTimeTimer`.
    Register(i64),
    /// `deleteEventTimeTimer`.
    Delete(i64),
    /// `registerProcessingTimeTimer`.
    RegisterProcessing(i64),
    /// `deleteProcessingTimeTimer`.
    DeleteProcessing(i64),
}

/// What a trigger looks at and writes to: `Trigger.TriggerContext`.
#[derive(Debug)]
pub struct Context<'a> {
    /// The last millisecond of the window.
    pub max_timestamp: i64,
    /// The current watermark.
    pub watermark: i64,
    /// The current processing time [ms].
    pub now: i64,
    /// The state of the trigger for the window.
    pub state: &'a mut TriggerState,
    /// Timers to change, in order.
    pub timers: &'a mut Vec<TimerChange>,
}

impl Trigger {
    /// Whether the contents go with every firing.
    pub const fn purges(&self) -> bool {
        matches!(self, Self::Purging { .. })
    }

    /// What decides when it fires: of a purging trigger the one that it purges after.
    pub fn inner(&self) -> &Self {
        match self {
            Self::Purging { of } => of,
            other => other,
        }
    }

    /// Whether it has timers of processing time.
    pub fn follows_clock(&self) -> bool {
        matches!(self.inner(), Self::EarlyProcessingTime { .. })
    }

    /// What the constructor of the trigger needs.
    ///
    /// # Errors
    /// A count or an interval below 1, or a purging trigger of a purging trigger.
    pub fn check(&self) -> Result<(), EventTimeError> {
        match self {
            Self::Count { count } | Self::EarlyCount { count } if *count < 1 => {
                Err(EventTimeError::TriggerCount { count: *count })
            }
            Self::Continuous { interval } | Self::EarlyProcessingTime { interval }
                if *interval < 1 =>
            {
                Err(EventTimeError::TriggerInterval { interval: *interval })
            }
            Self::Purging { of } if of.purges() => Err(EventTimeError::PurgingTwice),
            Self::Purging { of } => of.check(),
            _ => Ok(()),
        }
    }

    /// `onElement`: whether the window fires.
    pub fn on_element(&self, time: i64, context: &mut Context<'_>) -> bool {
        match *self {
            Self::EventTime => on_element_event_time(context),
            Self::Count { count } => on_element_count(count, context),
            Self::Continuous { interval } => {
                if on_element_event_time(context) {
                    return true;
                }
                if context.state.fire_at.is_none() {
                    // Java's %, which truncates towards zero.
                    next_fire(time.wrapping_sub(time % interval), interval, context);
                }
                false
            }
            Self::EarlyCount { count } => {
                let fires = on_element_event_time(context);
                on_element_count(count, context) | fires
            }
            Self::EarlyProcessingTime { interval } => {
                if context.state.processing_at.is_none() {
                    let next =
                        context.now.wrapping_sub(context.now % interval).wrapping_add(interval);
                    context.state.processing_at = Some(next);
                    context.timers.push(TimerChange::RegisterProcessing(next));
                }
                on_element_event_time(context)
            }
            Self::Purging { ref of } => of.on_element(time, context),
        }
    }

    /// `onEventTime`: whether the window fires at this timer.
    pub fn on_event_time(&self, timer: i64, context: &mut Context<'_>) -> bool {
        let is_end = timer == context.max_timestamp;
        match *self {
            Self::EventTime | Self::EarlyCount { .. } | Self::EarlyProcessingTime { .. } => is_end,
            Self::Count { .. } => false,
            Self::Continuous { interval } => {
                if is_end {
                    return true;
                }
                let fires = context.state.fire_at == Some(timer);
                if fires {
                    next_fire(timer, interval, context);
                }
                fires
            }
            Self::Purging { ref of } => of.on_event_time(timer, context),
        }
    }

    /// `onProcessingTime`: whether the window fires at this timer.
    pub fn on_processing_time(&self, timer: i64, context: &mut Context<'_>) -> bool {
        match *self {
            Self::EarlyProcessingTime { interval }
                if context.state.processing_at == Some(timer) =>
            {
                let next = timer.wrapping_add(interval);
                context.state.processing_at = Some(next);
                context.timers.push(TimerChange::RegisterProcessing(next));
                true
            }
            Self::Purging { ref of } => of.on_processing_time(timer, context),
            _ => false,
        }
    }

    /// `onMerge`, after the states of the merged windows were merged into this one.
    pub fn on_merge(&self, context: &mut Context<'_>) {
        match *self {
            Self::EventTime | Self::EarlyCount { .. } => register_end(context),
            Self::EarlyProcessingTime { .. } => {
                register_end(context);
                if let Some(at) = context.state.processing_at {
                    context.timers.push(TimerChange::RegisterProcessing(at));
                }
            }
            Self::Count { .. } => {}
            Self::Continuous { .. } => {
                if let Some(at) = context.state.fire_at {
                    context.timers.push(TimerChange::Register(at));
                }
            }
            Self::Purging { ref of } => of.on_merge(context),
        }
    }

    /// `clear`: what the window leaves is taken away, as far as Flink does that.
    pub fn clear(&self, context: &mut Context<'_>) {
        let end = TimerChange::Delete(context.max_timestamp);
        match *self {
            Self::EventTime => context.timers.push(end),
            Self::EarlyCount { .. } => {
                context.timers.push(end);
                context.state.count = None;
            }
            Self::EarlyProcessingTime { .. } => {
                context.timers.push(end);
                if let Some(at) = context.state.processing_at.take() {
                    context.timers.push(TimerChange::DeleteProcessing(at));
                }
            }
            Self::Count { .. } => context.state.count = None,
            // The timer at the end of the window stays.
            Self::Continuous { .. } => {
                if let Some(at) = context.state.fire_at.take() {
                    context.timers.push(TimerChange::Delete(at));
                }
            }
            Self::Purging { ref of } => of.clear(context),
        }
    }
}

fn on_element_event_time(context: &mut Context<'_>) -> bool {
    if context.max_timestamp <= context.watermark {
        return true;
    }
    context.timers.push(TimerChange::Register(context.max_timestamp));
    false
}

fn on_element_count(count: i64, context: &mut Context<'_>) -> bool {
    let seen = context.state.count.unwrap_or(0) + 1;
    context.state.count = (seen < count).then_some(seen);
    seen >= count
}

/// `ContinuousEventTimeTrigger.registerNextFireTimestamp`.
fn next_fire(time: i64, interval: i64, context: &mut Context<'_>) {
    let next = time.wrapping_add(interval).min(context.max_timestamp);
    context.state.fire_at = Some(next);
    context.timers.push(TimerChange::Register(next));
}

fn register_end(context: &mut Context<'_>) {
    if context.max_timestamp > context.watermark {
        context.timers.push(TimerChange::Register(context.max_timestamp));
    }
}
