//! What happens, in sentences.
//!
//! Source: none; the rules are those of `relation.rs`.

use super::example::{Example, Item};
use super::sink::Written;
use super::state::{KeyedState, State};

/// What a barrier's arrival means for its task.
#[derive(Debug, Clone, Copy)]
pub struct Arrival {
    /// Whether the channel is blocked from here on.
    pub is_blocking: bool,
    /// Whether no other channel's barrier came before.
    pub is_first: bool,
    /// Whether all have come.
    pub is_last: bool,
}

/// A record as it is written.
pub fn item(example: &Example, channel: usize, place: usize) -> String {
    match example.channels[channel].items[place] {
        Item::Record { key, value } => format!("{}:{value}", example.keys[key]),
        Item::Barrier { checkpoint } => format!("barrier {checkpoint}"),
    }
}

/// Sums, such as `A=75, B=80`.
pub fn sums(example: &Example, state: &KeyedState) -> String {
    let known = state.sums.iter().enumerate().filter_map(|(key, sum)| Some((key, (*sum)?)));
    let texts: Vec<String> =
        known.map(|(key, sum)| format!("{}={sum}", example.keys[key])).collect();
    if texts.is_empty() { "no sum yet".to_owned() } else { texts.join(", ") }
}

/// Results, such as `A=75, B=80`.
pub fn results(example: &Example, written: &[Written]) -> String {
    let texts: Vec<String> =
        written.iter().map(|it| format!("{}={}", example.keys[it.key], it.sum)).collect();
    texts.join(", ")
}

/// Of a task, where there are several.
fn of_task(example: &Example, task: usize) -> String {
    if example.tasks > 1 { format!(" of task {task}") } else { String::new() }
}

fn channels(list: &[usize]) -> String {
    let names: Vec<String> = list.iter().map(usize::to_string).collect();
    match names.split_last() {
        None => String::new(),
        Some((only, [])) => format!("channel {only}"),
        Some((last, others)) => format!("channels {} and {last}", others.join(", ")),
    }
}

/// Channels of a task whose barrier is outstanding.
fn outstanding(example: &Example, state: &State, task: usize) -> Vec<usize> {
    let came = state.part(task).map_or(&[][..], |part| &part.barriers);
    example.channels_of(task).filter(|channel| !came.contains(channel)).collect()
}

pub fn blocked(example: &Example, state: &State, channel: usize) -> String {
    let missing = outstanding(example, state, example.channels[channel].task);
    format!(
        "Channel {channel} is blocked until barrier {} has come on {}.",
        state.next_id(),
        channels(&missing)
    )
}

pub fn not_sent(checkpoint: u32) -> String {
    format!(
        "Barrier {checkpoint} is sent once checkpoint {} is complete: one checkpoint at a time.",
        checkpoint - 1
    )
}

pub fn record(
    example: &Example,
    state: &State,
    channel: usize,
    place: usize,
    is_in_flight: bool,
) -> String {
    let task = example.channels[channel].task;
    let Item::Record { key, .. } = example.channels[channel].items[place] else {
        return String::new();
    };
    let sum = state.tasks[task].sums[key].unwrap_or(0);
    let mut said = format!(
        "Channel {channel} delivers {}: the sum of {}{} is {sum}.",
        item(example, channel, place),
        example.keys[key],
        of_task(example, task)
    );
    if is_in_flight {
        said.push_str(&format!(
            " Its channel's barrier {} has not come, so it is in-flight data of the checkpoint too.",
            state.next_id()
        ));
    }
    if let Some(open) = state.sinks.get(task).and_then(super::sink::Sink::open) {
        said.push_str(&format!(" The result goes into transaction {}.", open.number));
    }
    said
}

pub fn overtaken(example: &Example, channel: usize, places: &[usize]) -> String {
    let names: Vec<String> = places.iter().map(|place| item(example, channel, *place)).collect();
    names.join(", ")
}

pub fn barrier(state: &State, channel: usize, overtaken: String) -> String {
    let id = state.next_id();
    if overtaken.is_empty() {
        return format!("Channel {channel} delivers barrier {id}.");
    }
    format!(
        "Barrier {id} of channel {channel} overtakes {overtaken}, which become in-flight data of the \
         checkpoint and are processed later."
    )
}

pub fn snapshot(example: &Example, task: usize, kept: &KeyedState) -> String {
    format!(" The snapshot{} says {}.", of_task(example, task), sums(example, kept))
}

pub fn pre_committed(state: &State, task: usize, number: u32) -> String {
    let written = state.sinks[task]
        .transactions
        .iter()
        .find(|it| it.number == number)
        .map_or(0, |it| it.written.len());
    let results = if written == 1 { "result" } else { "results" };
    format!(
        " Transaction {number} is pre-committed with {written} {results}, which no reader sees yet; \
         transaction {} begins.",
        number + 1
    )
}

pub fn after_barrier(example: &Example, state: &State, channel: usize, arrival: Arrival) -> String {
    let task = example.channels[channel].task;
    let missing = channels(&outstanding(example, state, task));
    let Arrival { is_blocking, is_first, is_last } = arrival;
    if is_blocking {
        return format!(" The channel is blocked until the barrier has come on {missing}.");
    }
    match (is_last, is_first) {
        (true, false) => " All barriers have come.".to_owned(),
        (true, true) => String::new(),
        (false, _) => {
            let blocked = state.part(task).map_or_else(Vec::new, |part| part.blocked.clone());
            let rest = match blocked.len() {
                0 => " Nothing is blocked; the barrier".to_owned(),
                _ => format!(
                    " Until the last one nothing is read of {}; the barrier",
                    channels(&blocked)
                ),
            };
            format!("{rest} is still to come on {missing}.")
        }
    }
}

pub fn completed(id: u32) -> String {
    format!(" Checkpoint {id} is complete.")
}

pub fn timed_out(id: u32) -> String {
    format!(
        "The aligned-checkpoint-timeout of checkpoint {id} passes: it goes on unaligned. States are \
         taken, and its barriers overtake; a channel that is blocked stays so until the last of them."
    )
}

pub fn notified(example: &Example, id: u32, visible: &[Written]) -> String {
    match visible {
        [] => {
            format!("The sinks hear that checkpoint {id} is complete; there is nothing to commit.")
        }
        _ => format!(
            "The sinks hear that checkpoint {id} is complete and commit: readers see {}.",
            results(example, visible)
        ),
    }
}

pub fn failed(state: &State) -> String {
    let lost = match state.completed_id() {
        0 => "there is no checkpoint to go back to".to_owned(),
        id => format!("checkpoint {id} is what is left"),
    };
    format!("The worker dies. Its sums and what was under way are lost; {lost}.")
}

pub fn restored(
    example: &Example,
    state: &State,
    visible: &[Written],
    aborted: &[Vec<u32>],
) -> String {
    let sums: Vec<String> = state
        .tasks
        .iter()
        .enumerate()
        .map(|(task, keyed)| format!("{}{}", sums(example, keyed), of_task(example, task)))
        .collect();
    let mut said = match state.completed_id() {
        0 => "The job starts from the beginning".to_owned(),
        id => format!("The job is restored from checkpoint {id}"),
    };
    said.push_str(&format!(": {}. Sources send again what follows its barriers.", sums.join("; ")));
    let in_flight: Vec<String> = state
        .completed
        .iter()
        .flat_map(|completed| &completed.parts)
        .flat_map(|part| &part.in_flight)
        .map(|(channel, place)| item(example, *channel, *place))
        .collect();
    if !in_flight.is_empty() {
        said.push_str(&format!(" In-flight data comes first: {}.", in_flight.join(", ")));
    }
    if !visible.is_empty() {
        let results = results(example, visible);
        said.push_str(&format!(" What the checkpoint holds is committed: readers see {results}."));
    }
    for (task, numbers) in aborted.iter().enumerate() {
        for number in numbers {
            let of_task = of_task(example, task);
            said.push_str(&format!(" Transaction {number}{of_task} is aborted."));
        }
    }
    said
}
