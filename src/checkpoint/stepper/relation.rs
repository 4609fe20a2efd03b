//! The transition relation: which steps are possible, why others are not, and what a step does.
//!
//! Source: Flink 1.20.5. Aligned: SingleCheckpointBarrierHandler blocks a channel from its barrier
//! on until all have come (CollectingBarriers). Unaligned: the snapshot is taken at the first
//! barrier, and what stands before the barriers of the other channels becomes in-flight data
//! (ChannelStatePersister). At the aligned-checkpoint-timeout an aligned checkpoint goes on as an
//! unaligned one (AlternatingCollectingBarriers), where channels that are blocked stay so until the last
//! barrier (AlternatingCollectingBarriersUnaligned#finishCheckpoint). At least once: CheckpointBarrierTracker counts
//! barriers and blocks nothing. The next checkpoint is triggered once the last is complete
//! (max-concurrent-checkpoints = 1, which unaligned checkpoints require).

use serde::{Deserialize, Serialize};

use super::example::{Example, Item};
use super::sink::Written;
use super::state::{Completed, KeyedState, Part, Pending, State};
use super::{StepMode, words};

/// What can happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", deny_unknown_fields)]
pub enum Step {
    /// A channel delivers its next item.
    Deliver {
        /// The channel.
        channel: usize,
    },
    /// A channel's next barrier overtakes the records in front of it.
    Overtake {
        /// The channel.
        channel: usize,
    },
    /// The aligned-checkpoint-timeout of the checkpoint under way passes.
    Timeout,
    /// The sinks hear that the newest checkpoint is complete.
    Notify,
    /// The worker dies.
    Fail,
    /// The job starts again from the newest complete checkpoint.
    Restore,
}

/// The rule that a checkpoint under way follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rule {
    Track,
    Align,
    Overtake,
}

fn rule(example: &Example, state: &State) -> Rule {
    match example.mode {
        StepMode::AtLeastOnce => Rule::Track,
        StepMode::Aligned => Rule::Align,
        StepMode::Unaligned => Rule::Overtake,
        StepMode::Timeout if state.is_switched() => Rule::Overtake,
        StepMode::Timeout => Rule::Align,
    }
}

/// Whether a channel waits for the barriers of the others.
pub fn is_blocked(example: &Example, state: &State, channel: usize) -> bool {
    let part = state.part(example.channels[channel].task);
    part.is_some_and(|part| part.blocked.contains(&channel))
}

/// Every step that concerns this state, possible or not.
pub fn steps(example: &Example, state: &State) -> Vec<Step> {
    let mut steps = Vec::new();
    for channel in 0..example.channels.len() {
        steps.push(Step::Deliver { channel });
        if barrier_behind(example, state, channel).is_some() {
            steps.push(Step::Overtake { channel });
        }
    }
    if example.mode == StepMode::Timeout {
        steps.push(Step::Timeout);
    }
    if !state.sinks.is_empty() {
        steps.push(Step::Notify);
    }
    steps.extend([Step::Fail, Step::Restore]);
    steps
}

/// The place in the queue of a channel's next barrier, where records stand in front of it.
pub fn barrier_behind(example: &Example, state: &State, channel: usize) -> Option<usize> {
    let items = &example.channels[channel].items;
    let is_barrier = |place: &usize| matches!(items[*place], Item::Barrier { .. });
    state.queues[channel].iter().position(is_barrier).filter(|at| *at > 0)
}

/// Why a step is not possible, or `None` where it is.
pub fn obstacle(example: &Example, state: &State, step: Step) -> Option<String> {
    let next = state.next_id();
    match step {
        Step::Restore if state.is_down => None,
        Step::Restore => Some("The worker is alive.".to_owned()),
        _ if state.is_down => Some("The worker is dead; the job must be restored.".to_owned()),
        Step::Fail => None,
        Step::Deliver { channel } | Step::Overtake { channel }
            if channel >= example.channels.len() =>
        {
            Some(format!("There is no channel {channel}."))
        }
        Step::Deliver { channel } => {
            let Some(place) = state.queues[channel].first() else {
                return Some(format!("Channel {channel} has delivered everything."));
            };
            if is_blocked(example, state, channel) {
                return Some(words::blocked(example, state, channel));
            }
            match example.channels[channel].items[*place] {
                Item::Barrier { checkpoint } if checkpoint > next => {
                    Some(words::not_sent(checkpoint))
                }
                _ => None,
            }
        }
        Step::Overtake { channel } => {
            if rule(example, state) != Rule::Overtake {
                return Some("Only the barriers of an unaligned checkpoint overtake.".to_owned());
            }
            let Some(at) = barrier_behind(example, state, channel) else {
                return Some(format!("No barrier stands behind records on channel {channel}."));
            };
            let place = state.queues[channel][at];
            match example.channels[channel].items[place] {
                Item::Barrier { checkpoint } if checkpoint > next => {
                    Some(words::not_sent(checkpoint))
                }
                _ => None,
            }
        }
        Step::Timeout if example.mode != StepMode::Timeout => {
            Some("There is no aligned-checkpoint-timeout in this mode.".to_owned())
        }
        Step::Timeout if next > example.checkpoints => Some("No checkpoint is left.".to_owned()),
        Step::Timeout if state.is_switched() => {
            Some(format!("Checkpoint {next} is unaligned already."))
        }
        Step::Timeout => None,
        Step::Notify if state.sinks.is_empty() => Some("There is no sink.".to_owned()),
        Step::Notify => match &state.completed {
            Some(completed) if !completed.is_notified => None,
            Some(completed) => Some(format!("The sinks know of checkpoint {}.", completed.id)),
            None => Some("No checkpoint is complete.".to_owned()),
        },
    }
}

/// What a step does, and what happened in words; `Err` says why it is not possible.
pub fn take(example: &Example, state: &State, step: Step) -> Result<(State, String), String> {
    if let Some(reason) = obstacle(example, state, step) {
        return Err(reason);
    }
    let mut after = state.clone();
    let said = match step {
        Step::Deliver { channel } => deliver(example, &mut after, channel),
        Step::Overtake { channel } => overtake(example, &mut after, channel),
        Step::Timeout => time_out(example, &mut after),
        Step::Notify => notify(example, &mut after),
        Step::Fail => fail(&mut after),
        Step::Restore => restore(example, &mut after),
    };
    Ok((after, said))
}

fn deliver(example: &Example, state: &mut State, channel: usize) -> String {
    let place = state.queues[channel].remove(0);
    let item = &example.channels[channel].items[place];
    let task = example.channels[channel].task;
    let Item::Record { key, .. } = *item else {
        return arrive(example, state, channel, String::new());
    };
    let sum = state.tasks[task].add(channel, place, item);
    if let Some(sink) = state.sinks.get_mut(task) {
        sink.write(Written { channel, place, key, sum });
    }
    let mut is_in_flight = false;
    if let Some(part) = state.pending.as_mut().map(|pending| &mut pending.parts[task])
        && part.snapshot.is_some()
        && !part.barriers.contains(&channel)
    {
        // Its barrier has not come, so it belongs to this checkpoint, whose state is taken already.
        persist(part, channel, &[place]);
        is_in_flight = true;
    }
    words::record(example, state, channel, place, is_in_flight)
}

fn overtake(example: &Example, state: &mut State, channel: usize) -> String {
    let at = barrier_behind(example, state, channel).unwrap_or(0);
    let overtaken: Vec<usize> = state.queues[channel][..at].to_vec();
    state.queues[channel].remove(at);
    let pending = pending(example, state);
    persist(&mut pending.parts[example.channels[channel].task], channel, &overtaken);
    arrive(example, state, channel, words::overtaken(example, channel, &overtaken))
}

/// In-flight data is read back channel by channel, so it is kept in that order.
fn persist(part: &mut Part, channel: usize, places: &[usize]) {
    part.in_flight.extend(places.iter().map(|place| (channel, *place)));
    part.in_flight.sort_unstable();
}

fn pending<'a>(example: &Example, state: &'a mut State) -> &'a mut Pending {
    let id = state.next_id();
    let parts = || vec![Part::default(); example.tasks];
    state.pending.get_or_insert_with(|| Pending { id, is_switched: false, parts: parts() })
}

/// A barrier reaches its task.
fn arrive(example: &Example, state: &mut State, channel: usize, overtaken: String) -> String {
    let rule = rule(example, state);
    let task = example.channels[channel].task;
    let all = example.channels_of(task).count();
    let part = &mut pending(example, state).parts[task];
    part.barriers.push(channel);
    part.barriers.sort_unstable();
    let is_first = part.barriers.len() == 1;
    let is_last = part.barriers.len() == all;
    if is_last {
        part.blocked.clear();
    } else if rule == Rule::Align {
        part.blocked.push(channel);
        part.blocked.sort_unstable();
    }
    let takes_snapshot = part.snapshot.is_none() && (is_last || rule == Rule::Overtake);
    let mut said = words::barrier(state, channel, overtaken);
    if takes_snapshot {
        said.push_str(&snapshot(example, state, task));
    }
    said.push_str(&words::after_barrier(
        example,
        state,
        channel,
        words::Arrival { is_blocking: rule == Rule::Align && !is_last, is_first, is_last },
    ));
    said.push_str(&complete(example, state));
    said
}

/// A task takes its state, and its sink pre-commits.
fn snapshot(example: &Example, state: &mut State, task: usize) -> String {
    let kept = state.tasks[task].clone();
    let pending = pending(example, state);
    let id = pending.id;
    let mut said = words::snapshot(example, task, &kept);
    pending.parts[task].snapshot = Some(kept);
    if let Some(number) = state.sinks.get_mut(task).and_then(|sink| sink.pre_commit(id)) {
        said.push_str(&words::pre_committed(state, task, number));
    }
    said
}

/// The coordinator has every part.
fn complete(example: &Example, state: &mut State) -> String {
    let is_complete = state.pending.as_ref().is_some_and(|pending| {
        pending.parts.iter().enumerate().all(|(task, part)| {
            part.snapshot.is_some() && part.barriers.len() == example.channels_of(task).count()
        })
    });
    match state.pending.take_if(|_| is_complete) {
        None => String::new(),
        Some(Pending { id, parts, .. }) => {
            state.completed = Some(Completed { id, parts, is_notified: state.sinks.is_empty() });
            words::completed(id)
        }
    }
}

fn time_out(example: &Example, state: &mut State) -> String {
    pending(example, state).is_switched = true;
    let mut said = words::timed_out(state.next_id());
    for task in 0..example.tasks {
        let waits = state
            .part(task)
            .is_some_and(|part| part.snapshot.is_none() && !part.barriers.is_empty());
        if waits {
            said.push_str(&snapshot(example, state, task));
        }
    }
    said
}

fn notify(example: &Example, state: &mut State) -> String {
    let id = state.completed_id();
    if let Some(completed) = &mut state.completed {
        completed.is_notified = true;
    }
    let visible = commit(state, id);
    words::notified(example, id, &visible)
}

fn commit(state: &mut State, id: u32) -> Vec<Written> {
    let visible: Vec<Written> = state.sinks.iter_mut().flat_map(|sink| sink.commit(id)).collect();
    state.visible.extend(visible.iter().cloned());
    visible
}

fn fail(state: &mut State) -> String {
    state.is_down = true;
    state.failures = state.failures.saturating_add(1);
    state.pending = None;
    words::failed(state)
}

/// State and sources go back to the newest complete checkpoint; in-flight data comes first.
fn restore(example: &Example, state: &mut State) -> String {
    state.is_down = false;
    let id = state.completed_id();
    for (task, keyed) in state.tasks.iter_mut().enumerate() {
        let part = state.completed.as_ref().map(|completed| &completed.parts[task]);
        *keyed =
            part.and_then(|part| part.snapshot.clone()).unwrap_or_else(|| KeyedState::new(example));
    }
    for (channel, queue) in state.queues.iter_mut().enumerate() {
        let of = &example.channels[channel];
        let begin = of.place_of(id).map_or(0, |place| place + 1);
        let part = state.completed.as_ref().map(|completed| &completed.parts[of.task]);
        let in_flight = part.iter().flat_map(|part| &part.in_flight);
        let replayed = in_flight.filter(|(from, _)| *from == channel).map(|(_, place)| *place);
        *queue = replayed.chain(begin..of.items.len()).collect();
    }
    let visible = commit(state, id);
    if let Some(completed) = &mut state.completed {
        completed.is_notified = true;
    }
    let aborted: Vec<Vec<u32>> =
        state.sinks.iter_mut().map(super::sink::Sink::abort_and_begin).collect();
    words::restored(example, state, &visible, &aborted)
}
