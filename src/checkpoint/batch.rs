//! Records that nothing can interrupt, without an event for each.
//!
//! Between two events that others can see, a task does the same for each record: a source emits what is
//! due, an operator takes the next record of the buffer at hand. What others can see is a buffer that
//! is full, or one that was read. So a task has one event, for the next moment at which either may
//! happen, and all that is between is caught up when somebody looks: before its outputs are flushed
//! or polled, before a sample, before a barrier.
//!
//! An early event does no harm: nothing has happened by then, and the next one is planned.
//!
//! Source: none of Flink's; the rules for each record are those of `simulation.rs`.

use super::random::Service;
use super::simulation::{Event, Simulation};
use super::time::SimTime;

/// The most records that are planned ahead at once.
const PLANNED: u64 = 4096;

impl Simulation {
    /// Lets a task do what it has done by a moment: all before it, or at it as well where `inclusive`.
    pub(super) fn catch_up(&mut self, task: usize, moment: SimTime, inclusive: bool) {
        if self.down || self.tasks[task].lost {
            return;
        }
        let over = |at: SimTime| if inclusive { at > moment } else { at >= moment };
        if self.tasks[task].gates.is_empty() {
            while self.next_emission(task).is_some_and(|at| !over(at)) {
                self.emit_quietly(task, moment, inclusive);
                let Some(at) = self.next_emission(task).filter(|at| !over(*at)) else { return };
                if !self.emit_due(task, at) {
                    return;
                }
            }
            return;
        }
        while self.tasks[task].in_service && !over(self.tasks[task].busy_until) {
            self.read_quietly(task, moment, inclusive);
            if over(self.tasks[task].busy_until) {
                return;
            }
            let at = self.tasks[task].busy_until;
            self.tasks[task].in_service = false;
            self.emit(task, at);
            if !self.tasks[task].to_write.is_empty() {
                self.tasks[task].batch_left = 0;
                return self.note_backpressure(task, true, at);
            }
            if !self.tasks[task].mails.is_empty() || self.has_priority(task) {
                // They come before the next record.
                self.tasks[task].batch_left = 0;
            }
            if self.tasks[task].batch_left == 0 {
                return;
            }
            if !self.has_room(task) {
                self.tasks[task].batch_left = 0;
                return self.note_backpressure(task, true, at);
            }
            self.tasks[task].batch_left -= 1;
            let gate = self.tasks[task].gates[0];
            let Some(channel) = self.network.take_next(gate) else { return };
            self.serve(task, channel, at);
        }
    }

    /// Whether every output has room for another record.
    pub(super) fn has_room(&self, task: usize) -> bool {
        self.tasks[task].outputs.iter().all(|(partition, _)| self.network.available(*partition))
    }

    /// When a source emits next, if nothing is in its way.
    fn next_emission(&self, task: usize) -> Option<SimTime> {
        let it = &self.tasks[task];
        let waits = it.to_write.is_empty() && it.mails.is_empty() && it.block_until.is_none();
        // One that waits for room goes on when it gets it.
        (waits && it.backpressured.1.is_none()).then(|| it.next_due.max(it.busy_until))
    }

    /// A source emits what is due, at a moment; false if it is stuck or has no room.
    pub(super) fn emit_due(&mut self, task: usize, at: SimTime) -> bool {
        if !self.has_room(task) {
            self.note_backpressure(task, true, at);
            return false;
        }
        let it = &mut self.tasks[task];
        let Some(source) = &self.job.vertices[it.vertex].source else { return false };
        let (comes, spacing) = source.due(it.index, it.next_due);
        it.next_due = it.next_due.after(spacing);
        if !comes {
            return true;
        }
        let burst = source.burst.max(1);
        // What back pressure held is emitted as soon as there is room, or as fast as it can be read.
        it.busy_until = at.after(source.least_spacing());
        it.records_in += u64::from(burst);
        it.offset += u64::from(burst);
        it.unmarked += u64::from(burst);
        if it.unmarked >= self.recorder.mark_every {
            it.unmarked = 0;
            it.mark = Some(at);
        }
        for _ in 0..burst {
            self.emit(task, at);
        }
        if self.tasks[task].to_write.is_empty() {
            return true;
        }
        self.note_backpressure(task, true, at);
        false
    }

    /// Plans the next event of a task, where it has something to do by itself.
    pub(super) fn plan(&mut self, task: usize) {
        let now = self.now;
        let it = &mut self.tasks[task];
        if !it.replan && it.wake_at.is_some_and(|planned| planned > now) {
            // What has happened since can only have put it off.
            return;
        }
        it.replan = false;
        let Some(at) = self.next_wake(task) else { return };
        let it = &mut self.tasks[task];
        if it.wake_at.is_none_or(|planned| planned <= self.now || planned > at) {
            it.wake_at = Some(at);
            self.queue.push(at, Event::Run(task));
        }
    }

    fn next_wake(&mut self, task: usize) -> Option<SimTime> {
        if self.tasks[task].gates.is_empty() {
            let first = self.next_emission(task)?;
            return Some(self.after_emissions(task, first));
        }
        let it = &self.tasks[task];
        if !it.in_service {
            // A synchronous part, or nothing until somebody wakes it.
            return (it.busy_until > self.now).then_some(it.busy_until);
        }
        let (left, mut at) = (it.batch_left, it.busy_until);
        let quiet = if left == 0 { 0 } else { self.quiet_records(task).min(left) };
        if let Service::Constant(service) = self.tasks[task].service {
            return Some(at.after(service.times(quiet)));
        }
        for ahead in 0..quiet.min(PLANNED) {
            at = at.after(self.service_ahead(task, ahead as usize));
        }
        Some(at)
    }

    /// The moment of the first emission after those that nobody sees.
    fn after_emissions(&mut self, task: usize, first: SimTime) -> SimTime {
        let burst = self.source_burst(task);
        let quiet = self.quiet_records(task) / burst;
        let it = &self.tasks[task];
        let Some(source) = &self.job.vertices[it.vertex].source else { return first };
        let least = source.least_spacing();
        let (mut due, mut at) = (it.next_due, first);
        if source.bursts.is_none() && least == SimTime::ZERO {
            let (_, spacing) = source.due(it.index, due);
            return at.max(due.after(spacing.times(quiet)));
        }
        for _ in 0..quiet.min(PLANNED) {
            let (comes, spacing) = source.due(it.index, due);
            due = due.after(spacing);
            at = if comes { due.max(at.after(least)) } else { due.max(at) };
        }
        at
    }

    fn source_burst(&self, task: usize) -> u64 {
        let source = &self.job.vertices[self.tasks[task].vertex].source;
        source.as_ref().map_or(1, |it| u64::from(it.burst.max(1)))
    }

    /// How many records a task can certainly finish before one of them fills a buffer.
    fn quiet_records(&mut self, task: usize) -> u64 {
        let it = &mut self.tasks[task];
        let flushed_at_once = self.network.settings.buffer_timeout == Some(SimTime::ZERO);
        let mut written = u64::MAX;
        for ((partition, _), turns) in it.outputs.iter().zip(&mut it.turns) {
            if flushed_at_once {
                return 0;
            }
            let channels = &self.network.partitions[*partition].channels;
            let needed = |place: usize| self.network.channels[channels[place]].records_to_fill();
            written = written.min(turns.before(channels.len(), needed));
        }
        let vertex = &self.job.vertices[it.vertex];
        match vertex.source.is_some() || written == u64::MAX {
            true => written,
            // What is left of records by selectivity is less than one.
            false if vertex.selectivity > 0.0 => (written as f64 / vertex.selectivity) as u64,
            false => u64::MAX,
        }
    }

    /// The service time of the record after so many more.
    fn service_ahead(&mut self, task: usize, ahead: usize) -> SimTime {
        let it = &mut self.tasks[task];
        let service = match it.service {
            Service::Constant(service) => return service,
            Service::Drawn(service) => service,
        };
        while it.drawn.len() <= ahead {
            it.drawn.push_back(service.draw(&mut it.random));
        }
        it.drawn[ahead]
    }

    /// A record is taken: it is in service from a moment on.
    pub(super) fn serve(&mut self, task: usize, channel: usize, at: SimTime) {
        let service = self.service_ahead(task, 0);
        let mark = self.network.channels[channel].take_mark();
        let it = &mut self.tasks[task];
        it.drawn.pop_front();
        it.mark = it.mark.or(mark);
        it.records_in += 1;
        it.in_service = true;
        it.busy = it.busy.after(service);
        it.busy_until = at.after(service);
    }

    /// Lets every task do what it has done before now.
    pub(super) fn catch_up_all(&mut self, moment: SimTime) {
        for task in 0..self.tasks.len() {
            self.catch_up(task, moment, false);
        }
    }
}
