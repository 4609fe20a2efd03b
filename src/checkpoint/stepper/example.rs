//! A scenario's texts as records and barriers.
//!
//! Source: none; a notation of this tool. That barriers of a channel come in order, each once, is
//! Flink's (1.20.5, CheckpointBarrier).

use serde::Serialize;

use super::{SinkKind, StepMode, StepperError, StepperScenario};
use crate::finding::{Finding, Severity};

/// The most tasks.
pub const TASKS_MAX: usize = 3;
/// The most channels of a task.
pub const CHANNELS_MAX: usize = 4;
/// The most records and barriers of a channel.
pub const ITEMS_MAX: usize = 24;
/// The largest value of a record, on either side of 0.
pub const VALUE_MAX: i64 = 1_000_000;
/// The longest key, in letters.
const KEY_MAX: usize = 16;

/// What a channel carries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Item {
    /// A value for a key.
    Record {
        /// Its place in [`Example::keys`].
        key: usize,
        /// What is added.
        value: i64,
    },
    /// A barrier.
    Barrier {
        /// Its checkpoint, from 1.
        checkpoint: u32,
    },
}

/// A channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Channel {
    /// The task that reads it.
    pub task: usize,
    /// What its source sends, in order.
    pub items: Vec<Item>,
}

impl Channel {
    /// Where a checkpoint's barrier stands.
    pub fn place_of(&self, checkpoint: u32) -> Option<usize> {
        self.items.iter().position(|item| *item == Item::Barrier { checkpoint })
    }
}

/// A scenario that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    /// How barriers pass records.
    pub mode: StepMode,
    /// What stands behind each sum.
    pub sink: SinkKind,
    /// The channels of all tasks, in order of tasks.
    pub channels: Vec<Channel>,
    /// How many tasks there are.
    pub tasks: usize,
    /// Every key, in order of its first record.
    pub keys: Vec<String>,
    /// The largest number of a barrier.
    pub checkpoints: u32,
}

impl Example {
    /// Reads the texts.
    pub fn read(scenario: &StepperScenario) -> Result<Self, StepperError> {
        let mut example = Self {
            mode: scenario.mode,
            sink: scenario.sink,
            channels: Vec::new(),
            tasks: scenario.tasks.len(),
            keys: Vec::new(),
            checkpoints: 0,
        };
        count("tasks".to_owned(), "tasks", scenario.tasks.len(), TASKS_MAX)?;
        for (task, channels) in scenario.tasks.iter().enumerate() {
            count(format!("tasks[{task}]"), "channels", channels.len(), CHANNELS_MAX)?;
            for (place, text) in channels.iter().enumerate() {
                let field = format!("tasks[{task}][{place}]");
                let items = example.items(&field, text)?;
                example.channels.push(Channel { task, items });
            }
        }
        Ok(example)
    }

    fn items(&mut self, field: &str, text: &str) -> Result<Vec<Item>, StepperError> {
        let pieces: Vec<&str> =
            text.split([' ', ',', '\t', '\n', '\r']).filter(|piece| !piece.is_empty()).collect();
        if pieces.len() > ITEMS_MAX {
            let (what, count, most) = ("records and barriers", pieces.len(), ITEMS_MAX);
            return Err(StepperError::Count { field: field.to_owned(), what, count, most });
        }
        let mut checkpoint = 0;
        let mut items = Vec::with_capacity(pieces.len());
        for piece in pieces {
            if piece == "|" {
                checkpoint += 1;
                self.checkpoints = self.checkpoints.max(checkpoint);
                items.push(Item::Barrier { checkpoint });
                continue;
            }
            let cut: String = piece.chars().take(40).collect();
            let not_an_item = || StepperError::Item { field: field.to_owned(), text: cut.clone() };
            let (key, value) = piece.split_once([':', '=']).ok_or_else(not_an_item)?;
            if key.is_empty() || key.chars().count() > KEY_MAX {
                return Err(not_an_item());
            }
            let value = value
                .parse::<i64>()
                .ok()
                .filter(|value| value.unsigned_abs() <= VALUE_MAX.unsigned_abs());
            let most = VALUE_MAX;
            let value =
                value.ok_or(StepperError::Value { field: field.to_owned(), text: cut, most })?;
            let place = self.keys.iter().position(|known| known == key).unwrap_or_else(|| {
                self.keys.push(key.to_owned());
                self.keys.len() - 1
            });
            items.push(Item::Record { key: place, value });
        }
        Ok(items)
    }

    /// The channels of a task.
    pub fn channels_of(&self, task: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.channels.len()).filter(move |channel| self.channels[*channel].task == task)
    }

    /// Barriers that some channel lacks: their checkpoints never complete.
    pub fn findings(&self) -> Vec<Finding> {
        let lacks = |checkpoint| {
            self.channels.iter().position(|channel| channel.place_of(checkpoint).is_none())
        };
        let first = (1..=self.checkpoints).find_map(|it| Some((it, lacks(it)?)));
        let finding = |(checkpoint, channel): (u32, usize)| Finding {
            code: "stepper.missingBarrier",
            severity: Severity::Warning,
            title: format!("Checkpoint {checkpoint} never completes."),
            reason: format!(
                "Channel {channel} has no barrier {checkpoint}, and a checkpoint waits for the barrier of \
                 every channel. Aligned, the channels that delivered theirs stay blocked."
            ),
            option: None,
            price: None,
            apply: Vec::new(),
            source: "Flink 1.20.5, SingleCheckpointBarrierHandler".to_owned(),
        };
        first.map(finding).into_iter().collect()
    }
}

fn count(field: String, what: &'static str, count: usize, most: usize) -> Result<(), StepperError> {
    match (1..=most).contains(&count) {
        true => Ok(()),
        false => Err(StepperError::Count { field, what, count, most }),
    }
}
