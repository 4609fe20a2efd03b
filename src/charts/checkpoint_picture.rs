//! A job at a moment of a simulated run, as a picture: vertices in the order of the flow, of each a
//! few subtasks.

use super::theme::Theme;
use super::topology::{self, BarrierMark, ChannelMark, Stage, TaskMark, TaskState, Topology};
use super::{Chart, ChartError};
use crate::checkpoint::moment::{
    BarrierPlace, ChannelMoment, Level, Moment, TaskMoment, TaskPhase,
};
use crate::checkpoint::report::TaskLoad;

/// The most subtasks of a stage that are drawn, where there is room and where there is little.
const TASKS_MAX: (usize, usize) = (4, 3);
/// Where there is little room, a task has this many channels on a side; with more, fewer are drawn.
const CHANNELS_MAX: usize = 3;
/// From this width on there is room (px).
const WIDTH_ROOMY: u32 = 640;

/// Draws the job, `width` px wide. `focus` is the task that has to be among those drawn.
///
/// # Errors
/// A job without tasks, or a width that no layout is made for.
pub fn draw(
    moment: &Moment,
    tasks: &[TaskLoad],
    focus: Option<usize>,
    theme: Theme,
    width: u32,
) -> Result<Chart, ChartError> {
    let is_roomy = width >= WIDTH_ROOMY;
    let most = if is_roomy { TASKS_MAX.0 } else { TASKS_MAX.1 };
    let mut topology = topology_of(moment, tasks, focus, most);
    if !is_roomy && channels_at_a_task(&topology) > CHANNELS_MAX {
        topology = topology_of(moment, tasks, focus, most - 1);
    }
    topology::draw(&topology, theme, width)
}

/// The most channels on one side of a task.
fn channels_at_a_task(topology: &Topology) -> usize {
    let most = |end: fn(&ChannelMark) -> (usize, usize)| {
        let ends = topology.channels.iter().map(end);
        ends.map(|at| topology.channels.iter().filter(|it| end(it) == at).count()).max()
    };
    most(|it| it.from).max(most(|it| it.to)).unwrap_or(0)
}

fn topology_of(moment: &Moment, tasks: &[TaskLoad], focus: Option<usize>, most: usize) -> Topology {
    let mut stages: Vec<Vec<usize>> = Vec::new();
    for (task, depth) in depths(moment).into_iter().enumerate() {
        stages.resize(stages.len().max(depth + 1), Vec::new());
        stages[depth].push(task);
    }
    let mut places: Vec<Option<(usize, usize)>> = vec![None; moment.tasks.len()];
    let mut drawn = Vec::new();
    for (at, stage) in stages.iter().enumerate() {
        let shown = shown(stage, tasks, focus, most);
        for (place, task) in shown.iter().enumerate() {
            places[*task] = Some((at, place));
        }
        drawn.push(Stage {
            tasks: shown.iter().map(|task| task_mark(*task, &moment.tasks[*task], tasks)).collect(),
            omitted: stage.len() - shown.len(),
        });
    }
    let channels = moment.channels.iter().enumerate().filter_map(|(at, channel)| {
        let (from, to) = (places[channel.from]?, places[channel.to]?);
        Some(channel_mark(at, channel, (from, to), moment, tasks))
    });
    let channels = channels.collect();
    Topology { stages: drawn, channels, description: description(moment) }
}

/// How many channels a task is from a source. Channels are listed in the order of the flow.
fn depths(moment: &Moment) -> Vec<usize> {
    let mut depths = vec![0; moment.tasks.len()];
    for channel in &moment.channels {
        depths[channel.to] = depths[channel.to].max(depths[channel.from] + 1);
    }
    depths
}

/// The first ones of each vertex, and the one that matters.
fn shown(stage: &[usize], tasks: &[TaskLoad], focus: Option<usize>, most: usize) -> Vec<usize> {
    let vertex = |task: &usize| tasks.get(*task).map_or("", |it| it.vertex.as_str());
    let place =
        |task: &usize| stage.iter().filter(|it| *it < task && vertex(it) == vertex(task)).count();
    let mut order: Vec<usize> = stage.to_vec();
    order.sort_by_cached_key(|task| (Some(*task) != focus, place(task), *task));
    order.truncate(most);
    order.sort_unstable();
    order
}

fn task_name(task: usize, tasks: &[TaskLoad]) -> String {
    tasks.get(task).map_or_else(String::new, |it| format!("{} {}", it.vertex, it.index))
}

fn task_mark(task: usize, it: &TaskMoment, tasks: &[TaskLoad]) -> TaskMark {
    let (state, text) = match it.phase {
        TaskPhase::Running => (TaskState::Running, load_text(it)),
        TaskPhase::Aligning => {
            let text = format!("{} of {} barriers", it.arrived, it.expected);
            (TaskState::Aligning, text)
        }
        TaskPhase::Snapshotting => (TaskState::Snapshotting, format!("snapshot {}", it.checkpoint)),
        TaskPhase::Acknowledged => {
            (TaskState::Acknowledged, format!("acknowledged {}", it.checkpoint))
        }
        TaskPhase::Failed => (TaskState::Aligning, "failed".to_owned()),
    };
    let name = task_name(task, tasks);
    let level = |name: &str, level: Option<Level>| {
        level.map_or_else(String::new, |it| format!(", {name} {} of {} buffers", it.used, it.limit))
    };
    let label = format!("{name}: {text}{}{}", level("output", it.output), level("input", it.input));
    TaskMark { id: format!("task-{task}"), name, state, text, label }
}

/// What the task mostly did.
fn load_text(it: &TaskMoment) -> String {
    let Some([busy, idle, backpressured]) = it.load else { return String::new() };
    let parts = [("busy", busy), ("backpressured", backpressured), ("idle", idle)];
    let most = parts.iter().fold(parts[0], |most, part| if part.1 > most.1 { *part } else { most });
    format!("{} {:.0} %", most.0, most.1 / 10.0)
}

fn channel_mark(
    at: usize,
    channel: &ChannelMoment,
    (from, to): ((usize, usize), (usize, usize)),
    moment: &Moment,
    tasks: &[TaskLoad],
) -> ChannelMark {
    let fill = |level: Option<Level>| {
        level.filter(|it| it.limit > 0).map(|it| f64::from(it.used) / f64::from(it.limit))
    };
    let barrier = channel.barrier.map(|(checkpoint, place)| BarrierMark {
        checkpoint,
        place: match place {
            BarrierPlace::Queued => topology::BarrierPlace::Sender,
            BarrierPlace::Ahead => topology::BarrierPlace::Receiver,
            BarrierPlace::Arrived => topology::BarrierPlace::Taken,
        },
        overtakes: channel.overtook,
    });
    let where_is = match channel.barrier {
        None => "no barrier".to_owned(),
        Some((id, BarrierPlace::Queued)) => format!("barrier {id} behind the records before it"),
        Some((id, BarrierPlace::Ahead)) => format!("barrier {id} ahead of the records it overtook"),
        Some((id, BarrierPlace::Arrived)) => format!("barrier {id} arrived"),
    };
    let blocked = if channel.is_blocked { ", blocked" } else { "" };
    ChannelMark {
        id: format!("channel-{at}"),
        from,
        to,
        fill: [fill(moment.tasks[channel.from].output), fill(moment.tasks[channel.to].input)],
        is_blocked: channel.is_blocked,
        barrier,
        label: format!(
            "{} to {}: {where_is}{blocked}",
            task_name(channel.from, tasks),
            task_name(channel.to, tasks)
        ),
    }
}

fn description(moment: &Moment) -> String {
    let blocked = moment.channels.iter().filter(|it| it.is_blocked).count();
    let of = |phase| moment.tasks.iter().filter(|it| it.phase == phase).count();
    format!(
        "The job at {:.1} s: {} tasks, {} of them with some of their barriers, {} taking a snapshot, \
         {} done; {blocked} of {} channels are blocked.",
        moment.time_ms / 1000.0,
        moment.tasks.len(),
        of(TaskPhase::Aligning),
        of(TaskPhase::Snapshotting),
        of(TaskPhase::Acknowledged),
        moment.channels.len()
    )
}
