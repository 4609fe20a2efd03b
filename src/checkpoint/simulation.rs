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
use super::facts::Facts;
use super::job::{Exchange, Job, Plan};
use super::network::{Network, Step};
use super::queue::EventQueue;
use super::record::Recorder;
use super::report::{ChannelCut, Checkpoint};
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
        };
        for task in 0..simulation.tasks.len() {
            simulation.queue.push(SimTime::ZERO, Event::Run(task));
            if let Some(timeout) = flush_period(&simulation.job) {
                let phase = simulation.tasks[task].random.unit() * timeout.as_ns() as f64;
                simulation.queue.push(SimTime::from_ns(phase as u64), Event::Flush(task));
            }
        }
        simulation.schedule_debloating();
        match simulation.end {
            None => simulation.queue.push(first, Event::Trigger),
            Some(_) => simulation.schedule_tick(),
        }
        simulation
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
        Progress { now: self.now, events: self.events, done: self.done }
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Run(task) => self.run(task),
            Event::Mail(task, mail) => {
                self.tasks[task].mails.push_back(mail);
                self.run(task);
            }
            Event::Flush(task) => {
                for channel in self.output_channels(task) {
                    self.network.flush(channel);
                }
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
        }
    }

    /// Tasks that got data, room or a barrier go on at once, in the order in which they got it.
    fn run_woken(&mut self) {
        loop {
            for task in std::mem::take(&mut self.network.woken) {
                self.run(task);
            }
            if self.network.woken.is_empty() && !self.network.move_one() {
                return;
            }
        }
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
        loop {
            let it = &mut self.tasks[task];
            if it.busy_until > self.now {
                return;
            }
            if it.in_service {
                it.in_service = false;
                self.emit(task);
            }
            if !self.write_out(task) {
                return self.note_backpressure(task, true);
            }
            if let Some(mail) = self.tasks[task].mails.pop_front() {
                self.read_mail(task, mail);
                continue;
            }
            if self.take_priority(task) {
                continue;
            }
            let outputs = &self.tasks[task].outputs;
            if !outputs.iter().all(|(partition, _)| self.network.available(*partition)) {
                return self.note_backpressure(task, true);
            }
            self.note_backpressure(task, false);
            let worked = match self.tasks[task].gates.is_empty() {
                true => self.poll_source(task),
                false => self.read_input(task),
            };
            if !worked {
                return;
            }
        }
    }

    fn note_backpressure(&mut self, task: usize, waits: bool) {
        let (sum, since) = &mut self.tasks[task].backpressured;
        match (waits, *since) {
            (true, None) => *since = Some(self.now),
            (false, Some(at)) => {
                *sum = sum.after(self.now.since(at));
                *since = None;
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

    fn take_priority(&mut self, task: usize) -> bool {
        let gates = self.tasks[task].gates.clone();
        for gate in gates {
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
            self.queue.push(until, Event::Run(task));
            return false;
        }
        if it.next_due > now {
            self.queue.push(it.next_due, Event::Run(task));
            return false;
        }
        let Some(source) = &self.job.vertices[it.vertex].source else { return false };
        let burst = source.burst.max(1);
        let (comes, spacing) = source.due(it.index, it.next_due);
        it.next_due = it.next_due.after(spacing);
        if !comes {
            return true;
        }
        it.records_in += u64::from(burst);
        it.unmarked += u64::from(burst);
        if it.unmarked >= self.recorder.mark_every {
            it.unmarked = 0;
            it.mark = Some(now);
        }
        // What back pressure held is emitted as soon as there is room, or as fast as it can be read.
        it.busy_until = now.after(source.least_spacing());
        if it.busy_until > now {
            self.queue.push(it.busy_until, Event::Run(task));
        }
        for _ in 0..burst {
            self.emit(task);
        }
        true
    }

    /// One record, inputs in turn, or one barrier.
    fn read_input(&mut self, task: usize) -> bool {
        let inputs = self.tasks[task].gates.len();
        for turn in 1..=inputs {
            let input = (self.tasks[task].last_input + turn) % inputs;
            match self.network.next(self.tasks[task].gates[input]) {
                Step::Nothing => {}
                Step::Barrier(channel, barrier, at) => {
                    self.on_barrier(task, channel, barrier, at);
                    return true;
                }
                Step::Record(channel) => {
                    let now = self.now;
                    let mark = self.network.channels[channel].take_mark();
                    let it = &mut self.tasks[task];
                    it.mark = it.mark.or(mark);
                    let services = &self.job.vertices[it.vertex].service;
                    let service = services[it.index as usize % services.len()].draw(&mut it.random);
                    it.last_input = input;
                    it.records_in += 1;
                    it.in_service = true;
                    it.busy = it.busy.after(service);
                    it.busy_until = now.after(service);
                    if service > SimTime::ZERO {
                        self.queue.push(it.busy_until, Event::Run(task));
                        return false;
                    }
                    return true;
                }
            }
        }
        false
    }

    /// Chooses the channels of what a record becomes.
    fn emit(&mut self, task: usize) {
        let it = &mut self.tasks[task];
        if it.outputs.is_empty() {
            if let Some(origin) = it.mark.take() {
                self.time_record(origin, self.now);
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
            for (output, (partition, edge)) in it.outputs.iter().enumerate() {
                let channels = &self.network.partitions[*partition].channels;
                if self.job.edges[*edge].exchange == Exchange::Broadcast {
                    it.to_write.extend(channels);
                } else {
                    let place = super::wiring::turn(&mut it.turns[output], &self.job.edges[*edge]);
                    it.to_write.push_back(channels[place]);
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
