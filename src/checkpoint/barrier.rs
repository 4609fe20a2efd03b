//! What a task does with barriers.
//!
//! Source: Flink 1.20.5, SingleCheckpointBarrierHandler with its states (WaitingForFirstBarrier,
//! CollectingBarriers, AlternatingCollectingBarriers and their unaligned twins),
//! SubtaskCheckpointCoordinatorImpl#checkpointState, and AsyncCheckpointRunnable on a pool of one
//! thread.
//!
//! # Deviations
//! All inputs of a task stay aligned if one of them is pointwise or broadcast.

use super::channel::Barrier;
use super::facts::Fact;
use super::job::{BarrierMode, Incremental};
use super::recovery::SourcePoint;
use super::simulation::{Event, Simulation};
use super::task::{Alignment, AsyncJob, Mail, Snapshot, Stage, Task};
use super::time::SimTime;
use super::upload::{StatePart, state_part};

impl Simulation {
    /// The barrier of a checkpoint as it leaves a source.
    pub(super) fn first_barrier(&self, id: u64, triggered: SimTime) -> Barrier {
        let mode = self.job.mode;
        Barrier {
            id,
            triggered,
            blocks: matches!(mode, BarrierMode::Aligned | BarrierMode::AlignedWithTimeout(_)),
            timeoutable: matches!(mode, BarrierMode::AlignedWithTimeout(_)),
            overtakes: mode == BarrierMode::Unaligned,
            cancels: false,
        }
    }

    /// When barriers of a checkpoint begin to overtake; never without a timeout.
    fn deadline(&self, barrier: Barrier) -> Option<SimTime> {
        match self.job.mode {
            BarrierMode::AlignedWithTimeout(timeout) => Some(barrier.triggered.after(timeout)),
            _ => None,
        }
    }

    fn watch_deadline(&mut self, task: usize, barrier: Barrier) {
        if let Some(deadline) = self.deadline(barrier) {
            let mail = Mail::AlignmentTimeout(barrier.id);
            self.queue.push(deadline.max(self.now), Event::Mail(task, mail));
        }
    }

    /// A barrier is next in a gate, first in line or in its turn.
    pub(super) fn on_barrier(&mut self, task: usize, channel: usize, barrier: Barrier, at: u64) {
        let id = barrier.id;
        if barrier.cancels {
            return self.on_cancellation(task, barrier);
        }
        if self.job.mode == BarrierMode::AtLeastOnce {
            return self.track(task, channel, barrier);
        }
        let running = self.tasks[task].alignment.as_ref().map(|it| it.barrier.id);
        if id <= self.tasks[task].newest && running != Some(id) {
            if barrier.blocks {
                self.network.resume(channel);
            }
            return;
        }
        if running != Some(id) {
            self.give_up(task);
            self.tasks[task].newest = id;
            let began = self.now;
            let taken_before = self.taken_bytes(task);
            let (arrived, blocked) = (Vec::new(), Vec::new());
            let alignment = Alignment { barrier, began, taken_before, arrived, blocked, cut: None };
            self.tasks[task].alignment = Some(alignment);
            if barrier.timeoutable {
                self.watch_deadline(task, barrier);
            }
        }
        if barrier.overtakes {
            self.start_unaligned(task);
        }
        let Some(alignment) = self.tasks[task].alignment.as_mut() else { return };
        alignment.arrived.push(channel);
        if barrier.blocks {
            alignment.blocked.push(channel);
        }
        let unaligned = alignment.cut.is_some();
        let missing = alignment.arrived.len() < self.input_channels(task).len();
        self.note_channel(Fact::BarrierArrived, id, channel);
        if barrier.blocks && missing {
            self.note_channel(Fact::ChannelBlocked, id, channel);
        }
        let Some(alignment) = self.tasks[task].alignment.as_mut() else { return };
        if let Some((_, start)) =
            alignment.cut.iter().flatten().find(|(of, _)| *of == channel).copied()
        {
            let overtaken = at.saturating_sub(start);
            if let Some(snapshot) = self.snapshot_of(task, id) {
                snapshot.persisted += overtaken;
            }
            self.upload_more(task, id, overtaken as f64);
            self.account(id, channel, overtaken);
        }
        self.finish_alignment(task, unaligned);
    }

    /// A barrier with a timeout reached the receiver, and others are in front of it.
    pub(super) fn on_announcement(&mut self, task: usize, channel: usize, id: u64) {
        let unaligned = self.tasks[task]
            .alignment
            .as_ref()
            .is_some_and(|it| it.barrier.id == id && it.cut.is_some());
        let Some(barrier) = self.network.channels[channel].announced(id) else { return };
        let late = self.deadline(barrier).is_some_and(|deadline| deadline <= self.now);
        if !unaligned && !late {
            return self.watch_deadline(task, barrier);
        }
        if let Some((mut barrier, at)) = self.network.take_barrier(channel, id) {
            barrier.overtakes = self.network.channels[channel].can_be_overtaken;
            self.on_barrier(task, channel, barrier, at);
        }
    }

    /// The time of aligned barriers is over: those that wait in an output, or in an input, overtake.
    pub(super) fn on_alignment_timeout(&mut self, task: usize, id: u64) {
        for channel in self.output_channels(task) {
            if self.network.channels[channel].can_be_overtaken
                && let Some(overtaken) = self.network.convert(channel, id)
            {
                self.note_channel(Fact::BarrierOvertook, id, channel);
                if let Some(snapshot) = self.snapshot_of(task, id) {
                    snapshot.persisted += overtaken;
                }
                self.upload_more(task, id, overtaken as f64);
                self.acknowledge_persisted(task, id, overtaken);
                self.account(id, channel, overtaken);
            }
        }
        if self.tasks[task].alignment.as_ref().is_some_and(|it| it.barrier.id == id) {
            self.start_unaligned(task);
        }
        for channel in self.input_channels(task) {
            if self.network.channels[channel].can_be_overtaken
                && let Some((mut barrier, at)) = self.network.take_barrier(channel, id)
            {
                barrier.overtakes = true;
                self.on_barrier(task, channel, barrier, at);
            }
        }
    }

    /// Takes the state before all barriers have come.
    fn start_unaligned(&mut self, task: usize) {
        let inputs = self.input_channels(task);
        let Some(alignment) = self.tasks[task].alignment.as_mut() else { return };
        let stays = |it: &usize| !self.network.channels[*it].can_be_overtaken;
        if alignment.cut.is_some() || inputs.iter().any(stays) {
            return;
        }
        let cut = inputs.iter().map(|it| (*it, self.network.channels[*it].consumed)).collect();
        alignment.cut = Some(cut);
        let (barrier, began) = (alignment.barrier, alignment.began);
        // Channels whose aligned barrier came stay blocked until the others have come.
        self.note_task(Fact::SwitchedToUnaligned, barrier.id, task);
        self.take_snapshot(task, Barrier { overtakes: true, ..barrier }, began, true);
    }

    fn finish_alignment(&mut self, task: usize, unaligned: bool) {
        let inputs = self.input_channels(task);
        let Some(alignment) = self.tasks[task].alignment.as_ref() else { return };
        if alignment.arrived.len() < inputs.len() {
            return;
        }
        let Alignment { barrier, began, taken_before, arrived, mut blocked, .. } =
            alignment.clone();
        self.tasks[task].alignment = None;
        let now = self.now;
        let processed = self.taken_bytes(task) - taken_before;
        // The last one was not waited for.
        if let Some(last) = blocked.pop_if(|it| arrived.last() == Some(it)) {
            self.network.resume(last);
        }
        let held = self.unblock(barrier.id, &blocked);
        if !unaligned {
            self.take_snapshot(task, barrier, began, false);
        }
        let Some(snapshot) = self.snapshot_of(task, barrier.id) else { return };
        (snapshot.held_bytes, snapshot.held_records) = held;
        snapshot.processed = processed;
        if unaligned {
            snapshot.alignment = now.since(began);
            snapshot.incomplete = false;
            self.queue.push(now, Event::Async(task));
        }
    }

    /// Lets blocked channels go on. Gives bytes and records that waited in them.
    pub(super) fn unblock(&mut self, id: u64, channels: &[usize]) -> (u64, u64) {
        let mut held = (0, 0);
        for channel in channels {
            self.catch_up_sender(*channel);
            let it = &self.network.channels[*channel];
            let bytes = it.unsent() + it.queued().1;
            held = (held.0 + bytes, held.1 + bytes / it.record_bytes);
            self.note_channel(Fact::ChannelUnblocked, id, *channel);
            self.network.resume(*channel);
        }
        held
    }

    /// Bytes that a task took from its inputs so far, by whole buffers, as Flink counts them.
    pub(super) fn taken_bytes(&self, task: usize) -> u64 {
        self.tasks[task].gates.iter().map(|gate| self.network.gates[*gate].taken_bytes).sum()
    }

    /// Sends the barrier on, then takes the state.
    pub(super) fn take_snapshot(
        &mut self,
        task: usize,
        barrier: Barrier,
        began: SimTime,
        incomplete: bool,
    ) {
        let (id, now) = (barrier.id, self.now);
        if self.was_aborted(task, id) {
            return self.send_cancellation(task, barrier);
        }
        let mut persisted = 0;
        // Once a task has switched, or its time is over, everything behind it is unaligned.
        let late = self.deadline(barrier).is_some_and(|deadline| deadline <= now);
        let unaligned = barrier.overtakes || late || self.job.mode == BarrierMode::Unaligned;
        let may_switch = matches!(self.job.mode, BarrierMode::AlignedWithTimeout(_)) && !unaligned;
        for channel in self.output_channels(task) {
            let can = self.network.channels[channel].can_be_overtaken;
            let overtakes = unaligned && can;
            let position = self.network.channels[channel].emitted;
            self.cut_emitted(id, channel, position);
            let sent = Barrier {
                overtakes,
                timeoutable: may_switch && can,
                blocks: self.job.mode != BarrierMode::AtLeastOnce && !overtakes,
                ..barrier
            };
            let overtaken = self.network.send_barrier(channel, sent, overtakes);
            let fact = if overtakes { Fact::BarrierOvertook } else { Fact::BarrierSent };
            self.note_channel(fact, id, channel);
            self.account(id, channel, overtaken);
            persisted += overtaken;
        }
        for channel in self.input_channels(task) {
            let position = self.network.channels[channel].consumed;
            self.cut_consumed(id, channel, position);
        }
        if may_switch {
            self.watch_deadline(task, barrier);
        }
        self.note_task(Fact::SnapshotStarted, id, task);
        if self.tasks[task].gates.is_empty() {
            let Task { next_due: due, offset, .. } = self.tasks[task];
            self.source_points.push(SourcePoint { id, task, due, offset });
        }
        let state = self.state_of(task, id);
        let it = &mut self.tasks[task];
        let vertex = &self.job.vertices[it.vertex];
        it.newest = id;
        it.snapshots_taken += 1;
        let slow = vertex.async_slow_first == 0 || it.snapshots_taken <= vertex.async_slow_first;
        let sync = if slow { vertex.sync_part } else { SimTime::ZERO };
        let span = if slow { vertex.async_part } else { SimTime::ZERO };
        let sync_end = now.after(sync);
        it.busy_until = it.busy_until.max(sync_end);
        it.busy = it.busy.after(sync);
        it.snapshots.push(Snapshot {
            id,
            start_delay: began.since(barrier.triggered),
            alignment: now.since(began),
            processed: 0,
            held_bytes: 0,
            held_records: 0,
            state_size: state.size as u64,
            uploaded_size: state.written as u64,
            persisted,
            sync_end,
            sync,
            incomplete,
        });
        if sync > SimTime::ZERO {
            self.queue.push(sync_end, Event::Run(task));
        }
        let bytes = state.written + persisted as f64;
        let stage = Stage::Queued;
        self.enqueue_async(task, AsyncJob { id, ready: sync_end, span, bytes, stage });
    }

    /// Size of a task's keyed state in a checkpoint, and what of it is uploaded: all that no
    /// completed checkpoint holds.
    fn state_of(&mut self, task: usize, id: u64) -> StatePart {
        let it = &mut self.tasks[task];
        let vertex = &self.job.vertices[it.vertex];
        let pick = |list: &[f64]| list[it.index as usize % list.len()];
        let (whole, changed) = (pick(&vertex.state_bytes), pick(&vertex.changed_bytes));
        let before = u64::from(it.snapshots_taken);
        let part = state_part(self.job.incremental, whole, changed, before);
        if self.job.incremental == Incremental::Full {
            return part;
        }
        it.unconfirmed.push((id, part.written));
        let written: f64 = it.unconfirmed.iter().map(|(_, bytes)| bytes).sum();
        StatePart { written: written.min(part.size), ..part }
    }

    pub(super) fn snapshot_of(&mut self, task: usize, id: u64) -> Option<&mut Snapshot> {
        self.tasks[task].snapshots.iter_mut().find(|it| it.id == id)
    }

    pub(super) fn input_channels(&self, task: usize) -> Vec<usize> {
        let gates = self.tasks[task].gates.iter();
        gates.flat_map(|gate| self.network.gates[*gate].channels.iter().copied()).collect()
    }

    pub(super) fn output_channels(&self, task: usize) -> Vec<usize> {
        let outputs = self.tasks[task].outputs.iter();
        outputs
            .flat_map(|(partition, _)| self.network.partitions[*partition].channels.iter().copied())
            .collect()
    }
}
