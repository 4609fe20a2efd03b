//! From the description of a job to its tasks, channels, gates and pools.
//!
//! Source: Flink 1.20.5, NettyShuffleUtils (a pool has buffers-per-channel for each subpartition and
//! floating-buffers-per-gate more).

use std::collections::VecDeque;

use super::channel::Channel;
use super::job::{Edge, Exchange, Job, Placement};
use super::network::{Gate, Network, Partition};
use super::random::{Random, ServiceTime};
use super::task::Task;
use super::time::SimTime;
use super::turn::Turns;

/// Makes the tasks and their network.
pub fn wire(job: &Job) -> (Network, Vec<Task>) {
    let mut tasks = Vec::new();
    let mut first = Vec::new();
    for (vertex, it) in job.vertices.iter().enumerate() {
        first.push(tasks.len());
        for index in 0..it.parallelism {
            let random = Random::new(job.seed, tasks.len() as u64 + 1);
            let place = place(job, index, tasks.len());
            let service = it.service[index as usize % it.service.len()];
            tasks.push(task(vertex, index, place, service, random));
        }
    }
    let mut network = Network {
        settings: job.network,
        channels: Vec::new(),
        partitions: Vec::new(),
        gates: Vec::new(),
        woken: Vec::new(),
        to_pump: VecDeque::new(),
        now: SimTime::ZERO,
    };
    for (number, edge) in job.edges.iter().enumerate() {
        connect(job, number, edge, &first, &mut network, &mut tasks);
    }
    keep_aligned(&mut network, &tasks);
    (network, tasks)
}

/// One input that cannot be overtaken keeps all inputs of its task aligned, as StreamGraphGenerator
/// lets no edge into such a node be unaligned.
fn keep_aligned(network: &mut Network, tasks: &[Task]) {
    for task in tasks {
        let gates = task.gates.iter();
        let inputs: Vec<usize> =
            gates.flat_map(|gate| network.gates[*gate].channels.iter().copied()).collect();
        if inputs.iter().any(|it| !network.channels[*it].can_be_overtaken) {
            for channel in inputs {
                network.channels[channel].can_be_overtaken = false;
            }
        }
    }
}

fn connect(
    job: &Job,
    number: usize,
    edge: &Edge,
    first: &[usize],
    network: &mut Network,
    tasks: &mut [Task],
) {
    let settings = job.network;
    let gates_from = network.gates.len();
    for index in 0..job.vertices[edge.to].parallelism {
        let task = first[edge.to] + index as usize;
        tasks[task].gates.push(network.gates.len());
        let buffer_bytes = settings.segment_bytes;
        network.gates.push(Gate { task, buffer_bytes, ..Gate::default() });
    }
    for index in 0..job.vertices[edge.from].parallelism {
        if edge.only_from.is_some_and(|only| only != index) {
            continue;
        }
        let task = first[edge.from] + index as usize;
        let sides = [edge.from, edge.to].map(|it| job.vertices[it].parallelism);
        let receivers = edge.exchange.receivers(index, sides[0], sides[1]);
        let partition = network.partitions.len();
        let mut channels = Vec::new();
        for receiver in receivers {
            let gate = gates_from + receiver as usize;
            let remote = match settings.placement {
                Placement::Remote => true,
                Placement::Local => false,
                Placement::Slots { slots_per_task_manager: slots } => {
                    index / slots != receiver / slots
                }
            };
            if remote {
                network.gates[gate].floating_free = settings.floating;
            }
            channels.push(network.channels.len());
            network.gates[gate].channels.push(network.channels.len());
            network.channels.push(Channel {
                partition,
                gate,
                edge: number as u32,
                remote,
                can_be_overtaken: edge.exchange.can_be_overtaken(),
                record_bytes: edge.record_bytes,
                segment_bytes: settings.segment_bytes,
                buffer_bytes: settings.segment_bytes,
                free_exclusive: if remote { settings.exclusive } else { 0 },
                ..Channel::default()
            });
        }
        let limit = settings.exclusive * channels.len() as u32 + settings.floating;
        let broadcast = edge.exchange == Exchange::Broadcast;
        tasks[task].turns.push(Turns::new(channels.len(), broadcast, &edge.shares));
        tasks[task].outputs.push((partition, number));
        network.partitions.push(Partition { task, channels, limit, used: 0, at_most: 0 });
    }
}

/// TaskManager and slot of a subtask.
fn place(job: &Job, index: u32, number: usize) -> (usize, usize) {
    match job.network.placement {
        Placement::Remote => (number, number),
        Placement::Local => (0, index as usize),
        Placement::Slots { slots_per_task_manager: slots } => {
            ((index / slots) as usize, index as usize)
        }
    }
}

fn task(
    vertex: usize,
    index: u32,
    place: (usize, usize),
    service: ServiceTime,
    random: Random,
) -> Task {
    Task {
        vertex,
        index,
        gates: Vec::new(),
        outputs: Vec::new(),
        mails: VecDeque::new(),
        busy_until: SimTime::ZERO,
        in_service: false,
        to_write: VecDeque::new(),
        next_due: SimTime::ZERO,
        block_until: None,
        last_input: 0,
        carry: 0.0,
        turns: Vec::new(),
        batch_left: 0,
        service: service.into(),
        drawn: VecDeque::new(),
        wake_at: None,
        replan: true,
        random,
        alignment: None,
        tracked: VecDeque::new(),
        newest: 0,
        last_snapshot: 0,
        aborted: Vec::new(),
        snapshots_taken: 0,
        async_jobs: VecDeque::new(),
        unconfirmed: Vec::new(),
        task_manager: place.0,
        slot: place.1,
        snapshots: Vec::new(),
        records_in: 0,
        records_out: 0,
        mark: None,
        offset: 0,
        lost: false,
        catching_up: false,
        unmarked: 0,
        backpressured: (SimTime::ZERO, None),
        busy: SimTime::ZERO,
    }
}
