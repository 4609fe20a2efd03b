//! What a run shows: channels item by item, sums, the snapshot, transactions, and what is possible.

use serde::Serialize;

use super::example::{Example, Item};
use super::relation::{Step, barrier_behind, is_blocked, obstacle, steps, take};
use super::sink::{Sink, TransactionStatus};
use super::state::{KeyedState, Part, State};
use super::{STEPS_MAX, StepperError, words};

/// A run so far.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StepperReport {
    /// What happened last, or how to begin.
    pub verdict: String,
    /// By task.
    pub tasks: Vec<TaskView>,
    /// By channel.
    pub channels: Vec<ChannelView>,
    /// The newest complete checkpoint.
    pub completed: Option<CheckpointView>,
    /// The one under way.
    pub pending: Option<CheckpointView>,
    /// What a reader with `read_committed` sees.
    pub visible: Vec<String>,
    /// Whether the worker is dead.
    pub is_down: bool,
    /// What each step did.
    pub log: Vec<String>,
    /// What can happen next, and why other things cannot.
    pub steps: Vec<StepView>,
}

/// A task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskView {
    /// Its sums.
    pub sums: Vec<SumView>,
    /// Its sink's transactions; none without a sink.
    pub transactions: Vec<TransactionView>,
}

/// A sum.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SumView {
    /// The key.
    pub key: String,
    /// The sum.
    pub sum: i64,
}

/// A transaction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TransactionView {
    /// Its number.
    pub number: u32,
    /// Where it stands.
    pub status: TransactionWord,
    /// The results in it.
    pub results: Vec<String>,
}

/// Where a transaction stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum TransactionWord {
    /// Written to.
    Open,
    /// Flushed, not visible.
    PreCommitted,
    /// Visible.
    Committed,
    /// Never visible.
    Aborted,
}

/// A channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChannelView {
    /// The task that reads it.
    pub task: usize,
    /// Whether it waits for the barriers of others.
    pub is_blocked: bool,
    /// Everything its source sends, in order.
    pub items: Vec<ItemView>,
}

/// A record or a barrier.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ItemView {
    /// As it is written.
    pub text: String,
    /// Whether it is a barrier.
    pub is_barrier: bool,
    /// Where it is.
    pub place: Whereabouts,
    /// Whether the snapshot holds it as in-flight data.
    pub is_in_flight: bool,
    /// How often it is in the sums.
    pub counted: u8,
    /// The step that a click on it takes.
    pub step: Option<Step>,
}

/// Where an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Whereabouts {
    /// Delivered.
    Delivered,
    /// The next one of its channel.
    Next,
    /// Held back behind a barrier.
    Held,
    /// Later.
    Queued,
}

/// A checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointView {
    /// Its number.
    pub id: u32,
    /// By task.
    pub parts: Vec<PartView>,
    /// Whether it is or became unaligned at its timeout.
    pub is_switched: bool,
    /// Whether the sinks know that it is complete.
    pub is_notified: bool,
}

/// A task's part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PartView {
    /// Whether its state was taken.
    pub has_snapshot: bool,
    /// The sums in it.
    pub sums: Vec<SumView>,
    /// Records overtaken by barriers.
    pub in_flight: Vec<String>,
    /// The channels whose barrier has come.
    pub barriers: Vec<usize>,
}

/// Something that can happen next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StepView {
    /// It.
    pub step: Step,
    /// In words.
    pub says: String,
    /// Why it cannot happen; `None` where it can.
    pub obstacle: Option<String>,
}

/// Takes all steps.
pub fn of(example: &Example, taken: &[Step]) -> Result<StepperReport, StepperError> {
    if taken.len() > STEPS_MAX {
        let (what, count, most) = ("steps", taken.len(), STEPS_MAX);
        return Err(StepperError::Count { field: "steps".to_owned(), what, count, most });
    }
    let mut state = State::new(example);
    let mut log = Vec::with_capacity(taken.len());
    for (place, step) in taken.iter().enumerate() {
        let (after, said) = take(example, &state, *step)
            .map_err(|reason| StepperError::Step { number: place + 1, reason })?;
        state = after;
        log.push(said);
    }
    Ok(view(example, &state, log))
}

fn view(example: &Example, state: &State, log: Vec<String>) -> StepperReport {
    let begin = "Nothing has been delivered. Each channel delivers its items from left to right.";
    StepperReport {
        verdict: log.last().cloned().unwrap_or_else(|| begin.to_owned()),
        tasks: (0..example.tasks)
            .map(|task| TaskView {
                sums: sums(example, &state.tasks[task]),
                transactions: state
                    .sinks
                    .get(task)
                    .map_or_else(Vec::new, |sink| transactions(example, sink)),
            })
            .collect(),
        channels: (0..example.channels.len()).map(|it| channel(example, state, it)).collect(),
        completed: state.completed.as_ref().map(|it| CheckpointView {
            id: it.id,
            parts: parts(example, &it.parts),
            is_switched: false,
            is_notified: it.is_notified,
        }),
        pending: state.pending.as_ref().map(|it| CheckpointView {
            id: it.id,
            parts: parts(example, &it.parts),
            is_switched: it.is_switched,
            is_notified: false,
        }),
        visible: texts(example, &state.visible),
        is_down: state.is_down,
        log,
        steps: steps(example, state)
            .into_iter()
            .map(|step| StepView {
                step,
                says: says(example, state, step),
                obstacle: obstacle(example, state, step),
            })
            .collect(),
    }
}

fn says(example: &Example, state: &State, step: Step) -> String {
    match step {
        Step::Deliver { channel } => match state.queues[channel].first() {
            Some(place) => {
                format!("Deliver {} of channel {channel}", words::item(example, channel, *place))
            }
            None => format!("Channel {channel} is empty"),
        },
        Step::Overtake { channel } => {
            let barrier = barrier_behind(example, state, channel);
            let name = barrier.and_then(|at| state.queues[channel].get(at));
            let name = name.map_or_else(String::new, |place| words::item(example, channel, *place));
            format!("Let {name} of channel {channel} overtake")
        }
        Step::Timeout => {
            format!("Let the aligned-checkpoint-timeout of checkpoint {} pass", state.next_id())
        }
        Step::Notify => "Tell the sinks that the checkpoint is complete".to_owned(),
        Step::Fail => "Kill the worker".to_owned(),
        Step::Restore => match state.completed_id() {
            0 => "Start again from the beginning".to_owned(),
            id => format!("Restore from checkpoint {id}"),
        },
    }
}

fn channel(example: &Example, state: &State, channel: usize) -> ChannelView {
    let of = &example.channels[channel];
    let queue = &state.queues[channel];
    let is_blocked = is_blocked(example, state, channel);
    let overtaking = barrier_behind(example, state, channel).map(|at| queue[at]);
    let pending = state.pending.as_ref().map(|it| &it.parts[of.task]);
    let completed = state.completed.as_ref().map(|it| &it.parts[of.task]);
    let in_flight = |place| {
        let holds =
            |part: Option<&Part>| part.is_some_and(|it| it.in_flight.contains(&(channel, place)));
        holds(pending) || holds(completed)
    };
    let items = (0..of.items.len()).map(|place| {
        let at = queue.iter().position(|queued| *queued == place);
        let step = match at {
            Some(0) => Some(Step::Deliver { channel }),
            Some(_) if overtaking == Some(place) => Some(Step::Overtake { channel }),
            _ => None,
        };
        ItemView {
            text: words::item(example, channel, place),
            is_barrier: matches!(of.items[place], Item::Barrier { .. }),
            place: match at {
                None => Whereabouts::Delivered,
                Some(_) if is_blocked => Whereabouts::Held,
                Some(0) => Whereabouts::Next,
                Some(_) => Whereabouts::Queued,
            },
            is_in_flight: in_flight(place),
            counted: state.times_counted(example, channel, place),
            step: step.filter(|step| obstacle(example, state, *step).is_none()),
        }
    });
    ChannelView { task: of.task, is_blocked, items: items.collect() }
}

fn sums(example: &Example, keyed: &KeyedState) -> Vec<SumView> {
    let known = keyed.sums.iter().enumerate().filter_map(|(key, sum)| Some((key, (*sum)?)));
    known.map(|(key, sum)| SumView { key: example.keys[key].clone(), sum }).collect()
}

fn parts(example: &Example, parts: &[Part]) -> Vec<PartView> {
    let part = |part: &Part| PartView {
        has_snapshot: part.snapshot.is_some(),
        sums: part.snapshot.as_ref().map_or_else(Vec::new, |keyed| sums(example, keyed)),
        in_flight: part
            .in_flight
            .iter()
            .map(|(channel, place)| words::item(example, *channel, *place))
            .collect(),
        barriers: part.barriers.clone(),
    };
    parts.iter().map(part).collect()
}

fn texts(example: &Example, written: &[super::sink::Written]) -> Vec<String> {
    written.iter().map(|it| words::results(example, std::slice::from_ref(it))).collect()
}

fn transactions(example: &Example, sink: &Sink) -> Vec<TransactionView> {
    let view = |it: &super::sink::Transaction| TransactionView {
        number: it.number,
        status: match it.status {
            TransactionStatus::Open => TransactionWord::Open,
            TransactionStatus::PreCommitted { .. } => TransactionWord::PreCommitted,
            TransactionStatus::Committed => TransactionWord::Committed,
            TransactionStatus::Aborted => TransactionWord::Aborted,
        },
        results: texts(example, &it.written),
    };
    sink.transactions.iter().map(view).collect()
}
