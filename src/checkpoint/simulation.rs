//! The run: events in order of time, and what each does to the job.
//!
//! Nothing here reads a clock, so a run can be cut into slices of any length.
//!
//! Source: Flink 1.20.5, StreamTask#processInput (mails first, then priority events, then one
//! record while outputs have room), RecordWriter.OutputFlusher, StreamTwoInputProcessor (inputs take
//! turns by record).
//!
//! # Deviations
//! Messages between coordinator and tasks take no time; Flink needs some 10 ms for a checkpoint with
//! nothing in its way, which is not modelled. Keys come in turn.

use super::coordinator::Coordinator;
use super::detection::Lost;
use super::facts::Facts;
use super::job::{Job, Plan};
use super::network::{Network, Step};
use super::queue::EventQueue;
use super::record::Recorder;
use super::recovery::{RecoveryReport, SourcePoint};
use super::report::{ChannelCut, Checkpoint};
use super::restart::Restarts;
use super::task::{Mail, Task};
use super::time::SimTime;
use super::upload::Link;

/// What can happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    /// A task may have something to do.
    Run(usize),
    /// A task's thread gets a mail.
    Mail(usize, Mail),
    /// A task's flush timer fires.
    Flush(usize),
    /// A task's asynchronous thread may have something to do.
    Async(usize),
    /// A transfer of a link may be done; the number tells old plans from new ones.
    Upload(usize, u64),
    /// A checkpoint is triggered by hand.
    Trigger,
    /// The coordinator's timer fires.
    Tick,
    /// A checkpoint's time is over.
    Expire(u64),
    /// A subtask or its TaskManager fails; the number is that of the failure.
    Fail(usize),
    /// The JobManager takes the TaskManager of a failure as lost.
    Noticed(usize),
    /// The job is deployed again.
    Deploy,
    /// The job runs again.
    Restart,
}

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Simulated time.
    pub now: SimTime,
    /// Events so far.
    pub events: u64,
    /// Whether the run is over.
    pub done: bool,
}

/// A job while it runs.
#[derive(Debug, Clone)]
pub struct Simulation {
    pub(super) job: Job,
    pub(super) now: SimTime,
    pub(super) queue: EventQueue<Event>,
    pub(super) network: Network,
    pub(super) tasks: Vec<Task>,
    pub(super) coordinator: Coordinator,
    pub(super) checkpoints: Vec<Checkpoint>,
    pub(super) triggered: Vec<SimTime>,
    pub(super) events: u64,
    pub(super) done: bool,
    pub(super) ticks_at: Option<SimTime>,
    pub(super) end: Option<SimTime>,
    pub(super) links: Vec<Link>,
    pub(super) facts: Facts,
    pub(super) recorder: Recorder,
    /// Checkpoints in progress.
    pub(super) running: u32,
    /// Whether the job is stopped and not restarted yet.
    pub(super) down: bool,
    /// Whether more checkpoints failed in a row than are tolerated.
    pub(super) exceeded: bool,
    pub(super) source_points: Vec<SourcePoint>,
    pub(super) recoveries: Vec<RecoveryReport>,
    pub(super) restarts: Restarts,
    /// TaskManagers that are gone without the JobManager knowing.
    pub(super) lost: Vec<Lost>,
    /// Whether the job is deployed as soon as that is known.
    pub(super) restart_waits: bool,
    /// How long reading the state takes.
    pub(super) restore_span: SimTime,
    /// Room for the tasks that are woken next.
    woken_before: Vec<usize>,
}

impl Simulation {
    /// A run from its start.
    pub fn new(job: Job) -> Self {
        let (network, tasks) = super::wiring::wire(&job);
        let first = match job.plan {
            Plan::OneByOne { settle, .. } => settle,
            Plan::Periodic { first, .. } => first,
        };
        let end = match job.plan {
            Plan::OneByOne { .. } => None,
            Plan::Periodic { first, run } => Some(job.run.unwrap_or(first.after(run))),
        };
        let coordinator = Coordinator::new(job.coordinator, first);
        let links = vec![Link::default(); tasks.len()];
        let recorder = Recorder::new(tasks.len(), end, mark_every(&job));
        let restarts = Restarts::new(job.recovery.restart, job.seed);
        let mut simulation = Self {
            job,
            now: SimTime::ZERO,
            queue: EventQueue::default(),
            network,
            tasks,
            coordinator,
            checkpoints: Vec::new(),
            triggered: Vec::new(),
            events: 0,
            done: false,
            ticks_at: None,
            end,
            links,
            facts: Facts::default(),
            recorder,
            running: 0,
            down: false,
            exceeded: false,
            source_points: Vec::new(),
            recoveries: Vec::new(),
            restarts,
            lost: Vec::new(),
            restart_waits: false,
            restore_span: SimTime::ZERO,
            woken_before: Vec::new(),
        };
        simulation.start_tasks();
        simulation.schedule_failures();
        match simulation.end {
            None => simulation.queue.push(first, Event::Trigger),
            Some(_) => simulation.schedule_tick(),
        }
        simulation
    }

    /// Lets every task begin, with the phases of its timers.
    pub(super) fn start_tasks(&mut self) {
        let now = self.now;
        for task in 0..self.tasks.len() {
            self.queue.push(now, Event::Run(task));
            if let Some(timeout) = flush_period(&self.job) {
                let phase = self.tasks[task].random.unit() * timeout.as_ns() as f64;
                self.queue.push(now.after(SimTime::from_ns(phase as u64)), Event::Flush(task));
            }
        }
        self.schedule_debloating();
    }

    /// Handles at most so many events.
    pub fn advance(&mut self, max_events: u64) -> Progress {
        for _ in 0..max_events {
            let next = self.queue.next_at().filter(|at| self.end.is_none_or(|end| *at <= end));
            if self.done || next.is_none() {
                self.done = true;
                break;
            }
            if let Some((at, event)) = self.queue.pop() {
                self.sample_until(at);
                (self.now, self.network.now) = (at, at);
                self.events += 1;
                self.handle(event);
                self.run_woken();
            }
        }
        self.catch_up_all(self.now);
        Progress { now: self.now, events: self.events, done: self.done }
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Run(task) => {
                let it = &mut self.tasks[task];
                it.wake_at = it.wake_at.filter(|at| *at > self.now);
                it.replan = true;
                self.run(task);
            }
            Event::Mail(task, mail) => {
                self.catch_up(task, self.now, false);
                self.tasks[task].mails.push_back(mail);
                self.run(task);
            }
            Event::Flush(task) => {
                self.catch_up(task, self.now, false);
                self.flush(task);
                if let Some(timeout) = flush_period(&self.job) {
                    self.queue.push(self.now.after(timeout), Event::Flush(task));
                }
            }
            Event::Async(task) => self.run_async(task),
            Event::Upload(link, epoch) => self.on_upload(link, epoch),
            Event::Trigger => self.start(self.checkpoints.len() as u64 + 1),
            Event::Tick => {
                if self.coordinator.next_tick() == self.now {
                    let begun = self.coordinator.tick(self.now);
                    self.start_all(begun);
                }
            }
            Event::Expire(id) => self.expire(id),
            Event::Fail(place) => self.on_failure(place),
            Event::Noticed(place) => self.on_noticed(place),
            Event::Deploy => self.on_deploy(),
            Event::Restart => self.on_restart(),
        }
    }

    fn flush(&mut self, task: usize) {
        for output in 0..self.tasks[task].outputs.len() {
            let (partition, _) = self.tasks[task].outputs[output];
            for place in 0..self.network.partitions[partition].channels.len() {
                let channel = self.network.partitions[partition].channels[place];
                self.network.flush(channel);
            }
        }
    }

    /// Tasks that got data, room or a barrier go on at once, in the order in which they got it.
    fn run_woken(&mut self) {
        let mut woken = std::mem::take(&mut self.woken_before);
        loop {
            std::mem::swap(&mut woken, &mut self.network.woken);
            for task in woken.drain(..) {
                self.run(task);
            }
            if self.network.woken.is_empty() {
                if let Some(channel) = self.network.to_pump.front().copied() {
                    self.catch_up_sender(channel);
                }
                if !self.network.move_one() {
                    break;
                }
            }
        }
        self.woken_before = woken;
    }

    pub(super) fn account(&mut self, id: u64, channel: usize, overtaken: u64) {
        if let Some(cut) = self.cut(id, channel) {
            cut.persisted += overtaken;
        }
    }

    pub(super) fn cut_emitted(&mut self, id: u64, channel: usize, position: u64) {
        if let Some(cut) = self.cut(id, channel) {
            cut.emitted = position;
        }
    }

    pub(super) fn cut_consumed(&mut self, id: u64, channel: usize, position: u64) {
        if let Some(cut) = self.cut(id, channel) {
            cut.consumed = position;
        }
    }

    /// Where a checkpoint cuts a channel; not of one that failed.
    fn cut(&mut self, id: u64, channel: usize) -> Option<&mut ChannelCut> {
        self.checkpoints.get_mut(id as usize - 1)?.cut.get_mut(channel)
    }

    /// The task's thread goes on until it must wait.
    fn run(&mut self, task: usize) {
        if self.down || self.tasks[task].lost {
            return;
        }
        self.catch_up(task, self.now, true);
        self.run_thread(task);
        self.plan(task);
    }

    fn run_thread(&mut self, task: usize) {
        loop {
            let it = &mut self.tasks[task];
            if it.busy_until > self.now {
                if it.batch_left > 0 && (!it.mails.is_empty() || self.has_priority(task)) {
                    // They come before the next record.
                    (self.tasks[task].batch_left, self.tasks[task].replan) = (0, true);
                }
                return;
            }
            if it.in_service {
                it.in_service = false;
                self.emit(task, self.now);
            }
            if !self.write_out(task) {
                return self.note_backpressure(task, true, self.now);
            }
            if let Some(mail) = self.tasks[task].mails.pop_front() {
                self.read_mail(task, mail);
                continue;
            }
            if self.take_priority(task) {
                continue;
            }
            if !self.has_room(task) {
                return self.note_backpressure(task, true, self.now);
            }
            self.note_backpressure(task, false, self.now);
            let worked = match self.tasks[task].gates.is_empty() {
                true => self.poll_source(task),
                false => self.read_input(task),
            };
            if !worked {
                return;
            }
        }
    }

    pub(super) fn note_backpressure(&mut self, task: usize, waits: bool, at: SimTime) {
        let (sum, since) = &mut self.tasks[task].backpressured;
        match (waits, *since) {
            (true, None) => *since = Some(at),
            (false, Some(before)) => {
                *sum = sum.after(at.since(before));
                *since = None;
                self.tasks[task].replan = true;
            }
            _ => {}
        }
    }

    fn read_mail(&mut self, task: usize, mail: Mail) {
        match mail {
            Mail::Trigger(id) => {
                let barrier = self.first_barrier(id, self.triggered[id as usize - 1]);
                self.take_snapshot(task, barrier, self.now, false);
            }
            Mail::AlignmentTimeout(id) => self.on_alignment_timeout(task, id),
            Mail::Debloat => self.debloat(task),
        }
    }

    pub(super) fn has_priority(&self, task: usize) -> bool {
        let gates = self.tasks[task].gates.iter();
        gates.map(|gate| &self.network.gates[*gate].priority).any(|it| !it.is_empty())
    }

    fn take_priority(&mut self, task: usize) -> bool {
        for place in 0..self.tasks[task].gates.len() {
            let gate = self.tasks[task].gates[place];
            if let Some((channel, id, announced)) = self.network.gates[gate].priority.pop_front() {
                if announced {
                    self.on_announcement(task, channel, id);
                } else if let Some((barrier, at)) = self.network.take_barrier(channel, id) {
                    self.on_barrier(task, channel, barrier, at);
                }
                return true;
            }
        }
        false
    }

    fn poll_source(&mut self, task: usize) -> bool {
        let now = self.now;
        let it = &mut self.tasks[task];
        if let Some(until) = it.block_until.take()
            && until > now
        {
            // The recorded sources do not catch up with what they missed while they were blocked.
            it.next_due = it.next_due.after(until.since(now));
            it.busy_until = until;
            return false;
        }
        if it.next_due > now {
            if it.catching_up {
                self.source_caught_up(task);
            }
            return false;
        }
        self.emit_due(task, now)
    }

    /// One record, inputs in turn, or one barrier.
    fn read_input(&mut self, task: usize) -> bool {
        let inputs = self.tasks[task].gates.len();
        for turn in 1..=inputs {
            let input = (self.tasks[task].last_input + turn) % inputs;
            let gate = self.tasks[task].gates[input];
            match self.next_step(gate) {
                Step::Nothing | Step::Moved => {}
                Step::Barrier(channel, barrier, at) => {
                    self.on_barrier(task, channel, barrier, at);
                    return true;
                }
                Step::Record(channel) => {
                    self.serve(task, channel, self.now);
                    // Two inputs take turns by record, so each is looked at after every record.
                    let batch = if inputs == 1 { self.network.records_inside(gate) } else { 0 };
                    let it = &mut self.tasks[task];
                    (it.last_input, it.batch_left, it.replan) = (input, batch, true);
                    return it.busy_until <= self.now;
                }
            }
        }
        false
    }

    /// The next record or barrier of a gate. What is read of a local channel is its sender's.
    fn next_step(&mut self, gate: usize) -> Step {
        loop {
            if let Some(channel) = self.network.next_channel(gate)
                && !self.network.channels[channel].remote
            {
                self.catch_up_sender(channel);
            }
            match self.network.next(gate) {
                Step::Moved => {}
                step => return step,
            }
        }
    }

    pub(super) fn catch_up_sender(&mut self, channel: usize) {
        let sender = self.network.partitions[self.network.channels[channel].partition].task;
        self.catch_up(sender, self.now, false);
    }

    /// Chooses the channels of what a record becomes.
    pub(super) fn emit(&mut self, task: usize, at: SimTime) {
        let it = &mut self.tasks[task];
        if it.outputs.is_empty() {
            if let Some(origin) = it.mark.take() {
                self.time_record(origin, at);
            }
            return;
        }
        let vertex = &self.job.vertices[it.vertex];
        if vertex.source.is_none() {
            it.carry += vertex.selectivity;
        } else {
            it.carry = 1.0;
        }
        while it.carry >= 1.0 {
            it.carry -= 1.0;
            for ((partition, _), turns) in it.outputs.iter().zip(&mut it.turns) {
                let channels = &self.network.partitions[*partition].channels;
                match turns.take() {
                    Some(place) => it.to_write.push_back(channels[place]),
                    None => it.to_write.extend(channels),
                }
            }
        }
        self.write_out(task);
    }

    /// Writes what fits; false if the thread is stuck in the emit.
    fn write_out(&mut self, task: usize) -> bool {
        while let Some(channel) = self.tasks[task].to_write.front().copied() {
            if !self.network.can_write(channel) {
                return false;
            }
            let it = &mut self.tasks[task];
            it.to_write.pop_front();
            it.records_out += 1;
            let mark = it.mark.take();
            self.network.write_record(channel);
            if let Some(origin) = mark {
                let it = &mut self.network.channels[channel];
                it.marks.push_back((it.emitted, origin));
            }
        }
        true
    }
}

/// Of so many records of a source one is timed: enough for percentiles, few enough to be cheap.
fn mark_every(job: &Job) -> u64 {
    const TIMED_RECORDS: f64 = 50_000.0;
    let seconds = job.run.map_or(60.0, |it| it.as_ns() as f64 / 1e9);
    let rates = job.vertices.iter().map(|vertex| match &vertex.source {
        Some(source) => {
            let rate = source.rate.iter().cycle().take(vertex.parallelism as usize);
            rate.sum::<f64>()
        }
        None => 0.0,
    });
    (rates.sum::<f64>() * seconds / TIMED_RECORDS).ceil().max(1.0) as u64
}

/// The period of the flush timers, where there are any.
fn flush_period(job: &Job) -> Option<SimTime> {
    job.network.buffer_timeout.filter(|timeout| *timeout > SimTime::ZERO)
}
