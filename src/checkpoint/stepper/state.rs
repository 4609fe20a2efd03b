//! Where a small job stands: queues, sums, a checkpoint under way, the newest complete one.
//!
//! A plain value that can be compared, so that a search knows where it has been.
//!
//! Source: Flink 1.20.5, SingleCheckpointBarrierHandler for what a pending checkpoint keeps,
//! PendingCheckpoint and CompletedCheckpoint of the coordinator.

use super::SinkKind;
use super::example::{Example, Item};
use super::sink::{Sink, Written};

/// The sums of a task, and how often each record went into them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeyedState {
    /// By key; `None` for keys that the task has no sum of.
    pub sums: Vec<Option<i64>>,
    /// By channel of the job and place in it. Flink does not know this; it is what promises are
    /// checked against.
    pub counted: Vec<Vec<u8>>,
}

/// A task's part of a checkpoint.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Part {
    /// The channels whose barrier has come.
    pub barriers: Vec<usize>,
    /// Of those, the ones that are not read until the others have come: their barrier came aligned.
    pub blocked: Vec<usize>,
    /// What was in the state.
    pub snapshot: Option<KeyedState>,
    /// Channel and place of each record in the snapshot as in-flight data, in order of channels.
    pub in_flight: Vec<(usize, usize)>,
}

/// A checkpoint that some barrier of has come.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pending {
    /// Its number.
    pub id: u32,
    /// Whether its aligned-checkpoint-timeout has passed.
    pub is_switched: bool,
    /// By task.
    pub parts: Vec<Part>,
}

/// A complete checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Completed {
    /// Its number.
    pub id: u32,
    /// By task.
    pub parts: Vec<Part>,
    /// Whether the sinks were told.
    pub is_notified: bool,
}

/// A job between two steps.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct State {
    /// By channel: the places of what was not delivered, next one first.
    pub queues: Vec<Vec<usize>>,
    /// By task.
    pub tasks: Vec<KeyedState>,
    /// The checkpoint under way.
    pub pending: Option<Pending>,
    /// The newest complete one.
    pub completed: Option<Completed>,
    /// By task; empty without sinks.
    pub sinks: Vec<Sink>,
    /// What a reader with `read_committed` sees.
    pub visible: Vec<Written>,
    /// Whether the worker is dead.
    pub is_down: bool,
    /// How often it died.
    pub failures: u8,
}

impl State {
    /// A job that has just started.
    pub fn new(example: &Example) -> Self {
        let task = KeyedState::new(example);
        let sinks = match example.sink {
            SinkKind::None => Vec::new(),
            SinkKind::TwoPhaseCommit => vec![Sink::new(); example.tasks],
        };
        Self {
            queues: example.channels.iter().map(|it| (0..it.items.len()).collect()).collect(),
            tasks: vec![task; example.tasks],
            pending: None,
            completed: None,
            sinks,
            visible: Vec::new(),
            is_down: false,
            failures: 0,
        }
    }

    /// The number of the newest complete checkpoint; 0 where there is none.
    pub fn completed_id(&self) -> u32 {
        self.completed.as_ref().map_or(0, |completed| completed.id)
    }

    /// The checkpoint that is under way or comes next.
    pub fn next_id(&self) -> u32 {
        self.completed_id() + 1
    }

    /// A task's part of the checkpoint under way.
    pub fn part(&self, task: usize) -> Option<&Part> {
        self.pending.as_ref().map(|pending| &pending.parts[task])
    }

    /// Whether the checkpoint under way has passed its aligned-checkpoint-timeout.
    pub fn is_switched(&self) -> bool {
        self.pending.as_ref().is_some_and(|pending| pending.is_switched)
    }

    /// How often a record is in the sums of its task.
    pub fn times_counted(&self, example: &Example, channel: usize, place: usize) -> u8 {
        self.tasks[example.channels[channel].task].counted[channel][place]
    }

    /// Drops what no later step and no promise depends on: transactions that are over, and the order
    /// in which results became visible. Runs that differ in nothing else are one state.
    pub fn forget_what_is_over(&mut self) {
        for sink in &mut self.sinks {
            sink.forget_what_is_over();
        }
        self.visible.sort();
    }

    /// Whether all that was sent has been delivered.
    pub fn is_drained(&self) -> bool {
        self.queues.iter().all(Vec::is_empty)
    }
}

impl KeyedState {
    /// No sums.
    pub fn new(example: &Example) -> Self {
        Self {
            sums: vec![None; example.keys.len()],
            counted: example.channels.iter().map(|it| vec![0; it.items.len()]).collect(),
        }
    }

    /// Adds a record; returns the new sum.
    pub fn add(&mut self, channel: usize, place: usize, item: &Item) -> i64 {
        let Item::Record { key, value } = *item else { return 0 };
        let times = &mut self.counted[channel][place];
        *times = times.saturating_add(1);
        let sum = self.sums[key].unwrap_or(0).saturating_add(value);
        self.sums[key] = Some(sum);
        sum
    }
}
