//! A checkpoint from its trigger to its end: what the coordinator and the tasks tell each other.
//!
//! Source: Flink 1.20.5, CheckpointCoordinator (startTriggeringCheckpoint, receiveAcknowledgeMessage,
//! CheckpointCanceller). The lag is that of the recorded jobs' own sources.

use super::job::{Lag, Plan};
use super::report::{ChannelCut, Checkpoint, CheckpointStatus, SubtaskCheckpoint};
use super::simulation::{Event, Simulation};
use super::task::Mail;
use super::time::SimTime;

impl Simulation {
    pub(super) fn start_all(&mut self, begun: Vec<u64>) {
        for id in begun {
            self.start(id);
        }
        self.schedule_tick();
        self.done |= self.coordinator.job_failed();
    }

    pub(super) fn schedule_tick(&mut self) {
        let at = self.coordinator.next_tick();
        if self.ticks_at != Some(at) {
            self.ticks_at = Some(at);
            self.queue.push(at, Event::Tick);
        }
    }

    pub(super) fn start(&mut self, id: u64) {
        self.triggered.push(self.now);
        self.checkpoints.push(Checkpoint {
            id,
            triggered_ms: self.now.as_ms(),
            status: CheckpointStatus::InProgress,
            end_to_end_ms: 0,
            persisted_bytes: 0,
            subtasks: Vec::new(),
            cut: vec![ChannelCut::default(); self.network.channels.len()],
        });
        self.queue.push(self.now.after(self.job.coordinator.timeout), Event::Expire(id));
        for place in 0..self.job.lags.len() {
            self.block_source(id, place);
        }
        for task in 0..self.tasks.len() {
            if self.tasks[task].gates.is_empty() {
                self.queue.push(self.now, Event::Mail(task, Mail::Trigger(id)));
            }
        }
    }

    /// A lagging source is told just before the trigger to block at its next poll. Where it is known
    /// that its barrier left late, its thread was blocked so long.
    fn block_source(&mut self, id: u64, lag: usize) {
        let Lag { vertex, subtask, span, barrier_after } = &self.job.lags[lag];
        let (vertex, subtask, span) = (*vertex, *subtask, *span);
        let known = barrier_after.get(id as usize - 1).copied();
        let Some(task) =
            self.tasks.iter().position(|it| it.vertex == vertex && it.index == subtask)
        else {
            return;
        };

        let free = self.tasks[task].outputs.iter().all(|(it, _)| self.network.available(*it));
        // A barrier that left within a tenth of the lag left before the block began.
        let blocked_already = known.map_or(free, |after| after.as_ns() > span.as_ns() / 10);
        let thread_busy = known.unwrap_or(if free { span } else { SimTime::ZERO });
        let it = &mut self.tasks[task];
        it.busy_until = self.now.after(thread_busy);
        it.next_due = it.next_due.after(thread_busy);
        self.queue.push(it.busy_until, Event::Run(task));
        if !blocked_already {
            it.block_until = Some(self.now.after(span));
        }
    }

    pub(super) fn expire(&mut self, id: u64) {
        let periodic = self.end.is_some();
        let now = self.now;
        let Some(checkpoint) = self.checkpoints.get_mut(id as usize - 1) else { return };
        if checkpoint.status != CheckpointStatus::InProgress
            || (periodic && !self.coordinator.is_pending(id))
        {
            return;
        }
        checkpoint.status = CheckpointStatus::Failed;
        checkpoint.end_to_end_ms = now.since(self.triggered[id as usize - 1]).as_ms();
        if periodic {
            let begun = self.coordinator.expired(id, now);
            self.start_all(begun);
        } else {
            self.plan_next();
        }
    }

    fn plan_next(&mut self) {
        if let Plan::OneByOne { count, gap, .. } = self.job.plan {
            if self.checkpoints.len() as u64 >= u64::from(count) {
                self.done = true;
            } else {
                // A lag that outlasts its checkpoint ends before the next one is triggered.
                let lag = self.job.lags.iter().map(|it| it.span).max().unwrap_or_default();
                let lag_end = self.triggered.last().map_or(self.now, |at| at.after(lag));
                self.queue.push(self.now.max(lag_end).after(gap), Event::Trigger);
            }
        }
    }

    pub(super) fn acknowledge(&mut self, task: usize, id: u64) {
        let it = &mut self.tasks[task];
        let Some(place) = it.snapshots.iter().position(|snapshot| snapshot.id == id) else {
            return;
        };
        let snapshot = it.snapshots.remove(place);
        let checkpoint = &mut self.checkpoints[id as usize - 1];
        let triggered = self.triggered[id as usize - 1];
        checkpoint.subtasks.push(SubtaskCheckpoint {
            vertex: self.job.vertices[it.vertex].name.clone(),
            index: it.index,
            start_delay_ms: snapshot.start_delay.as_ms(),
            alignment_ms: snapshot.alignment.as_ms(),
            persisted_bytes: snapshot.persisted,
            sync_ms: snapshot.sync.as_ms(),
            async_ms: self.now.since(snapshot.sync_end).as_ms(),
            end_to_end_ms: self.now.since(triggered).as_ms(),
            unaligned: snapshot.persisted > 0,
        });
        if checkpoint.status != CheckpointStatus::InProgress
            || checkpoint.subtasks.len() < self.tasks.len()
        {
            return;
        }
        checkpoint.status = CheckpointStatus::Completed;
        checkpoint.end_to_end_ms = self.now.since(triggered).as_ms();
        checkpoint.persisted_bytes = checkpoint.subtasks.iter().map(|it| it.persisted_bytes).sum();
        if self.end.is_some() {
            let begun = self.coordinator.completed(id, self.now);
            self.start_all(begun);
        } else {
            self.plan_next();
        }
    }

    /// Bytes that a barrier overtook in an output after the task had acknowledged.
    pub(super) fn acknowledge_persisted(&mut self, task: usize, id: u64, overtaken: u64) {
        let it = &self.tasks[task];
        let name = &self.job.vertices[it.vertex].name;
        if let Some(checkpoint) = self.checkpoints.get_mut(id as usize - 1)
            && let Some(subtask) = checkpoint
                .subtasks
                .iter_mut()
                .find(|subtask| subtask.index == it.index && subtask.vertex == *name)
        {
            subtask.persisted_bytes += overtaken;
            subtask.unaligned |= overtaken > 0;
        }
    }
}
