//! A checkpoint from its trigger to its end: what the coordinator and the tasks tell each other.
//!
//! Source: Flink 1.20.5, CheckpointCoordinator (startTriggeringCheckpoint, receiveAcknowledgeMessage,
//! CheckpointCanceller). The lag is that of the recorded jobs' own sources.

use super::detection::NoticedBy;
use super::facts::Fact;
use super::job::{Lag, Plan};
use super::recovery::Cause;
use super::report::{ChannelCut, Checkpoint, CheckpointStatus, SubtaskCheckpoint, SubtaskStatus};
use super::simulation::{Event, Simulation};
use super::task::Mail;
use super::time::SimTime;

/// `CheckpointFailureReason.CHECKPOINT_EXPIRED`.
const EXPIRED: &str = "Checkpoint expired before completing.";
/// `CheckpointFailureReason.CHECKPOINT_SUBSUMED`.
const SUBSUMED: &str = "Checkpoint has been subsumed.";

impl Simulation {
    pub(super) fn start_all(&mut self, begun: Vec<u64>) {
        for id in begun {
            self.start(id);
        }
        self.schedule_tick();
        if self.coordinator.job_failed() {
            self.exceeded = true;
            match self.job.run {
                Some(_) => {
                    let by = NoticedBy::CheckpointFailures;
                    self.go_down(Cause { failed: self.now, task: None, by });
                }
                // A recorded job was looked at until it failed.
                None => self.done = true,
            }
        }
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
        self.set_running(self.running + 1);
        self.note(Fact::Triggered, id);
        self.checkpoints.push(Checkpoint {
            id,
            triggered_ms: self.now.as_ms(),
            latest_ack_ms: None,
            status: CheckpointStatus::InProgress,
            end_to_end_ms: 0,
            state_size: 0,
            checkpointed_size: 0,
            processed_bytes: 0,
            persisted_bytes: 0,
            num_subtasks: self.tasks.len(),
            num_acknowledged: 0,
            failure_ms: None,
            failure_message: None,
            records_twice: 0,
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
        self.catch_up(task, self.now, false);
        let free = self.tasks[task].outputs.iter().all(|(it, _)| self.network.available(*it));
        // A barrier that left within a tenth of the lag left before the block began.
        let blocked_already = known.map_or(free, |after| after.as_ns() > span.as_ns() / 10);
        let thread_busy = known.unwrap_or(if free { span } else { SimTime::ZERO });
        let it = &mut self.tasks[task];
        it.replan = true;
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
        let Some(checkpoint) = self.checkpoints.get(id as usize - 1) else { return };
        if checkpoint.status != CheckpointStatus::InProgress
            || (periodic && !self.coordinator.is_pending(id))
        {
            return;
        }
        self.fail(id, EXPIRED);
        if periodic {
            let begun = self.coordinator.expired(id, now);
            self.start_all(begun);
        } else {
            self.plan_next();
        }
    }

    /// A checkpoint fails; the tasks are told to give it up.
    pub(super) fn fail(&mut self, id: u64, message: &str) {
        let now = self.now;
        self.set_running(self.running.saturating_sub(1));
        self.note(Fact::Failed, id);
        let checkpoint = &mut self.checkpoints[id as usize - 1];
        checkpoint.status = CheckpointStatus::Failed;
        checkpoint.end_to_end_ms = now.since(self.triggered[id as usize - 1]).as_ms();
        checkpoint.failure_ms = Some(now.as_ms());
        checkpoint.failure_message = Some(message.to_owned());
        checkpoint.cut = Vec::new();
        for task in 0..self.tasks.len() {
            self.notify_aborted(task, id);
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
        if checkpoint.status == CheckpointStatus::Failed {
            // Flink's statistics of a failed checkpoint take no late subtasks.
            return;
        }
        let triggered = self.triggered[id as usize - 1];
        checkpoint.subtasks.push(SubtaskCheckpoint {
            task,
            vertex: self.job.vertices[it.vertex].name.clone(),
            index: it.index,
            status: SubtaskStatus::Completed,
            ack_ms: self.now.as_ms(),
            end_to_end_ms: self.now.since(triggered).as_ms(),
            start_delay_ms: snapshot.start_delay.as_ms(),
            alignment_ms: snapshot.alignment.as_ms(),
            processed_bytes: snapshot.processed,
            persisted_bytes: snapshot.persisted,
            sync_ms: snapshot.sync.as_ms(),
            async_ms: self.now.since(snapshot.sync_end).as_ms(),
            state_size: snapshot.state_size + snapshot.persisted,
            checkpointed_size: snapshot.uploaded_size + snapshot.persisted,
            unaligned: snapshot.persisted > 0,
            aborted: false,
            held_bytes: snapshot.held_bytes,
            held_records: snapshot.held_records,
        });
        checkpoint.num_acknowledged += 1;
        checkpoint.latest_ack_ms = Some(self.now.as_ms());
        let complete = checkpoint.status == CheckpointStatus::InProgress
            && checkpoint.num_acknowledged == self.tasks.len();
        self.note_task(Fact::Acknowledged, id, task);
        if complete {
            self.complete(id);
        }
    }

    fn complete(&mut self, id: u64) {
        let records_twice = self.counted_twice(id);
        let checkpoint = &mut self.checkpoints[id as usize - 1];
        checkpoint.status = CheckpointStatus::Completed;
        checkpoint.records_twice = records_twice;
        checkpoint.end_to_end_ms = self.now.since(self.triggered[id as usize - 1]).as_ms();
        let sum = |of: fn(&SubtaskCheckpoint) -> u64| checkpoint.subtasks.iter().map(of).sum();
        let sums = [
            sum(|it| it.persisted_bytes),
            sum(|it| it.processed_bytes),
            sum(|it| it.state_size),
            sum(|it| it.checkpointed_size),
        ];
        [
            checkpoint.persisted_bytes,
            checkpoint.processed_bytes,
            checkpoint.state_size,
            checkpoint.checkpointed_size,
        ] = sums;
        self.set_running(self.running.saturating_sub(1));
        self.note(Fact::Completed, id);
        self.source_points.retain(|it| it.id >= id);
        for task in &mut self.tasks {
            task.unconfirmed.retain(|it| it.0 > id);
        }
        let older = 1..id;
        for older in older.rev().take(self.job.coordinator.max_concurrent as usize) {
            let it = &mut self.checkpoints[older as usize - 1];
            // Only the newest completed one can be restored.
            it.cut = Vec::new();
            if it.status == CheckpointStatus::InProgress {
                self.fail(older, SUBSUMED);
            }
        }
        if self.end.is_some() {
            let begun = self.coordinator.completed(id, self.now);
            self.start_all(begun);
        } else {
            self.plan_next();
        }
    }

    /// Bytes that a barrier overtook in an output after the task had acknowledged.
    pub(super) fn acknowledge_persisted(&mut self, task: usize, id: u64, overtaken: u64) {
        if let Some(checkpoint) = self.checkpoints.get_mut(id as usize - 1)
            && let Some(subtask) = checkpoint.subtasks.iter_mut().find(|it| it.task == task)
        {
            subtask.persisted_bytes += overtaken;
            subtask.state_size += overtaken;
            subtask.checkpointed_size += overtaken;
            subtask.unaligned |= overtaken > 0;
        }
    }
}
