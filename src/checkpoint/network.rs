//! Buffers, credits and turns: how bytes get from a task to the next.
//!
//! A channel is a stream of bytes cut into buffers; records may span them. A sender's pool gives
//! segments to its subpartitions, and its task must stop when the last is taken or a subpartition
//! has its maximum. A remote buffer needs a credit, an event does not. A local channel has no
//! buffers of its own: what is read still belongs to the sender.
//!
//! Source: Flink 1.20.5, LocalBufferPool, PipelinedSubpartition#pollBuffer, BufferManager,
//! CreditBasedSequenceNumberingViewReader, SingleInputGate, SpillingAdaptiveSpanningRecordDeserializer.
//!
//! # Deviations
//! Bytes and credits travel in no time. A message that announces a backlog without exclusive
//! buffers is not modelled.

use std::collections::VecDeque;

use super::channel::{Barrier, Buffer, Channel, Received, Sent};
use super::debloat::Debloater;
use super::job::NetworkSettings;
use super::time::SimTime;

/// The output of a task to one edge.
#[derive(Debug, Clone)]
pub struct Partition {
    /// The sending task.
    pub task: usize,
    /// Its subpartitions.
    pub channels: Vec<usize>,
    /// Segments the pool gives without overdraft.
    pub limit: u32,
    /// Segments it has given.
    pub used: u32,
    /// Subpartitions that have their maximum.
    pub at_most: u32,
}

/// The input of a task from one edge.
#[derive(Debug, Clone, Default)]
pub struct Gate {
    /// The reading task.
    pub task: usize,
    /// Its channels.
    pub channels: Vec<usize>,
    /// Channels with something to read, in the order of their turns.
    pub with_data: VecDeque<usize>,
    /// Channels with a barrier to handle first; `true` where it is only announced.
    pub priority: VecDeque<(usize, u64, bool)>,
    /// Free floating buffers.
    pub floating_free: u32,
    /// Channels that wait for a floating buffer.
    pub waiting: VecDeque<usize>,
    /// The channel whose buffer is being read.
    pub reading: Option<usize>,
    /// Bytes of all buffers that were begun to be read.
    pub taken_bytes: u64,
    /// The size of buffers that it asks its senders for [B].
    pub buffer_bytes: u64,
    /// What it measures for that.
    pub debloater: Debloater,
}

/// What a gate gives next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// A whole record of this channel.
    Record(usize),
    /// A barrier of this channel, and the bytes that came before it.
    Barrier(usize, Barrier, u64),
    /// Neither yet; ask again.
    Moved,
    /// Nothing now.
    Nothing,
}

/// All channels of a job.
#[derive(Debug, Clone)]
pub struct Network {
    /// The options.
    pub settings: NetworkSettings,
    /// Channels.
    pub channels: Vec<Channel>,
    /// Outputs.
    pub partitions: Vec<Partition>,
    /// Inputs.
    pub gates: Vec<Gate>,
    /// Tasks that may have something to do since this list was last taken.
    pub woken: Vec<usize>,
    /// Channels whose sender may have something to move.
    pub to_pump: VecDeque<usize>,
    /// The moment.
    pub now: SimTime,
}

impl Network {
    /// Whether the task may take another record.
    pub fn available(&self, partition: usize) -> bool {
        let partition = &self.partitions[partition];
        partition.used < partition.limit && partition.at_most == 0
    }

    /// Whether the record that is being emitted can be written, if need be into overdraft buffers.
    pub fn can_write(&self, channel: usize) -> bool {
        let it = &self.channels[channel];
        let needed = it.record_bytes.saturating_sub(it.room());
        let segments = needed.div_ceil(self.settings.segment_bytes) as u32;
        let partition = &self.partitions[it.partition];
        let most = partition.limit + self.settings.overdraft;
        segments == 0 || partition.used == 0 || partition.used + segments <= most
    }

    /// Appends a record.
    pub fn write_record(&mut self, channel: usize) {
        let segment = self.settings.segment_bytes;
        let it = &mut self.channels[channel];
        let mut left = it.record_bytes;
        it.emitted += it.record_bytes;
        while left > 0 {
            if it.room() == 0 {
                // A debloated buffer is large enough for the record that opens it.
                let size = it.buffer_bytes.max(left).min(segment);
                it.outgoing.push_back(Sent::Data { size, written: 0, sent: 0, finished: false });
                it.taken += 1;
                let partition = &mut self.partitions[it.partition];
                partition.used += 1;
                partition.at_most += u32::from(it.taken == self.settings.max_per_channel);
            }
            if let Some(Sent::Data { size, written, finished, .. }) = it.outgoing.back_mut() {
                let part = left.min(*size - *written);
                *written += part;
                left -= part;
                *finished = *written == *size;
            }
        }
        // A timeout of zero flushes after every record, without a timer.
        it.flush |= self.settings.buffer_timeout == Some(SimTime::ZERO);
        if it.has_something() {
            self.pump(channel);
        }
    }

    /// Appends records that the open buffer has room for without being full.
    pub fn write_quietly(&mut self, channel: usize, records: u64) {
        let it = &mut self.channels[channel];
        let bytes = it.record_bytes * records;
        it.emitted += bytes;
        if let Some(Sent::Data { written, .. }) = it.outgoing.back_mut() {
            *written += bytes;
        }
        it.flush |= self.settings.buffer_timeout == Some(SimTime::ZERO);
        if it.has_something() {
            self.pump(channel);
        }
    }

    /// Closes the open buffer and sends a barrier behind it, or before all where it overtakes.
    /// Gives the bytes it overtook.
    pub fn send_barrier(&mut self, channel: usize, barrier: Barrier, overtakes: bool) -> u64 {
        let it = &mut self.channels[channel];
        if let Some(Sent::Data { finished, .. }) = it.outgoing.back_mut() {
            *finished = true;
        }
        let mut overtaken = 0;
        if overtakes {
            overtaken = it.unsent();
            it.outgoing.push_front(Sent::Barrier(barrier));
        } else {
            it.outgoing.push_back(Sent::Barrier(barrier));
        }
        self.pump(channel);
        overtaken
    }

    /// Lets a barrier that still waits here overtake what is in front of it; gives those bytes.
    pub fn convert(&mut self, channel: usize, id: u64) -> Option<u64> {
        let it = &mut self.channels[channel];
        let place = it
            .outgoing
            .iter()
            .position(|sent| matches!(sent, Sent::Barrier(barrier) if barrier.is_of(id)))?;
        let overtaken = it.unsent_before(place);
        if let Some(Sent::Barrier(mut barrier)) = it.outgoing.remove(place) {
            (barrier.overtakes, barrier.blocks) = (true, false);
            it.outgoing.push_front(Sent::Barrier(barrier));
        }
        self.pump(channel);
        Some(overtaken)
    }

    /// The flush timer of a task fires for this channel.
    pub fn flush(&mut self, channel: usize) {
        let it = &mut self.channels[channel];
        if it.has_unsent() {
            it.flush = true;
            self.pump(channel);
        }
    }

    /// Lets a stopped sender go on.
    pub fn resume(&mut self, channel: usize) {
        if self.channels[channel].blocked {
            self.channels[channel].blocked = false;
            self.pump(channel);
        }
    }

    /// Asks that what can move goes to the receiver.
    fn pump(&mut self, channel: usize) {
        if !self.channels[channel].to_pump {
            self.channels[channel].to_pump = true;
            self.to_pump.push_back(channel);
        }
    }

    /// Moves one buffer or barrier to its receiver, if any can move. One at a time, so that a task
    /// that waits for room writes before a queue has run empty, as it does where bytes need time.
    pub fn move_one(&mut self) -> bool {
        let Some(channel) = self.to_pump.pop_front() else { return false };
        self.channels[channel].to_pump = false;
        let it = &self.channels[channel];
        let gate = it.gate;
        let (is_data, overtaking) = match it.outgoing.front() {
            Some(Sent::Barrier(barrier)) => (false, barrier.overtakes),
            _ => (true, false),
        };
        if !it.has_something() {
            return true;
        }
        if !it.remote && !overtaking {
            self.list(channel);
            return true;
        }
        if is_data && it.credit() == 0 {
            return true;
        }
        match self.poll(channel) {
            None => {}
            Some(Polled::Barrier(barrier)) => {
                let it = &mut self.channels[channel];
                let at = it.received;
                it.incoming.push_back(Received::Barrier(barrier, at));
                if barrier.overtakes || barrier.timeoutable {
                    let announced = !barrier.overtakes;
                    self.gates[gate].priority.push_back((channel, barrier.id, announced));
                }
                if !barrier.overtakes {
                    self.list(channel);
                }
                self.woken.push(self.gates[gate].task);
            }
            Some(Polled::Data { bytes, last }) => {
                if last {
                    self.recycle_segment(channel);
                }
                let it = &mut self.channels[channel];
                let floating = it.free_floating > 0;
                match floating {
                    true => it.free_floating -= 1,
                    false => it.free_exclusive -= 1,
                }
                it.incoming.push_back(Received::Data(Buffer { left: bytes, floating, last }));
                it.required = it.backlog() + self.settings.exclusive;
                self.ask_for_floating(channel);
                self.list(channel);
            }
        }
        self.pump(channel);
        true
    }

    /// Takes the head of a subpartition.
    fn poll(&mut self, channel: usize) -> Option<Polled> {
        loop {
            let it = &mut self.channels[channel];
            let only = it.outgoing.len() == 1;
            match it.outgoing.front_mut()? {
                Sent::Barrier(barrier) => {
                    let barrier = *barrier;
                    it.outgoing.pop_front();
                    it.blocked = barrier.blocks;
                    return Some(Polled::Barrier(barrier));
                }
                Sent::Data { written, sent, finished, .. } => {
                    let (bytes, last) = (*written - *sent, *finished);
                    *sent = *written;
                    if only {
                        it.flush = false;
                    }
                    if last {
                        it.outgoing.pop_front();
                    }
                    if bytes > 0 {
                        it.received += bytes;
                        return Some(Polled::Data { bytes, last });
                    }
                    if !last {
                        return None;
                    }
                    self.recycle_segment(channel);
                }
            }
        }
    }

    /// Gives a channel its turn if it has none yet.
    fn list(&mut self, channel: usize) {
        let it = &mut self.channels[channel];
        if !it.listed {
            it.listed = true;
            let gate = &mut self.gates[it.gate];
            gate.with_data.push_back(channel);
            self.woken.push(gate.task);
        }
    }

    fn recycle_segment(&mut self, channel: usize) {
        let it = &mut self.channels[channel];
        let partition = &mut self.partitions[it.partition];
        partition.at_most -= u32::from(it.taken == self.settings.max_per_channel);
        it.taken -= 1;
        partition.used -= 1;
        self.woken.push(partition.task);
    }

    fn ask_for_floating(&mut self, channel: usize) {
        let it = &mut self.channels[channel];
        let gate = &mut self.gates[it.gate];
        while it.credit() < it.required && !it.waiting {
            if gate.floating_free > 0 {
                gate.floating_free -= 1;
                it.free_floating += 1;
            } else {
                it.waiting = true;
                gate.waiting.push_back(channel);
            }
        }
    }

    fn recycle_floating(&mut self, gate: usize) {
        self.gates[gate].floating_free += 1;
        while self.gates[gate].floating_free > 0 {
            let Some(channel) = self.gates[gate].waiting.pop_front() else { return };
            self.channels[channel].waiting = false;
            self.ask_for_floating(channel);
            self.pump(channel);
        }
    }

    fn release(&mut self, channel: usize, buffer: Buffer) {
        if !self.channels[channel].remote {
            if buffer.last {
                self.recycle_segment(channel);
            }
            return;
        }
        let it = &mut self.channels[channel];
        let gate = it.gate;
        if buffer.floating {
            self.recycle_floating(gate);
        } else {
            it.free_exclusive += 1;
            if it.credit() > it.required && it.free_floating > 0 {
                it.free_floating -= 1;
                self.recycle_floating(gate);
            }
        }
        self.pump(channel);
    }

    /// The channel that a gate looks at next.
    pub fn next_channel(&self, gate: usize) -> Option<usize> {
        let gate = &self.gates[gate];
        gate.reading.or_else(|| gate.with_data.front().copied())
    }

    /// The next record of the buffer that a gate reads, which is known to hold more than that.
    pub fn take_next(&mut self, gate: usize) -> Option<usize> {
        let channel = self.gates[gate].reading?;
        let it = &mut self.channels[channel];
        let buffer = it.current.as_mut()?;
        buffer.left -= it.record_bytes;
        it.consumed += it.record_bytes;
        Some(channel)
    }

    /// So many records of the buffer that is read; false if it does not hold more than those.
    pub fn take_many(&mut self, channel: usize, records: u64) -> bool {
        let it = &mut self.channels[channel];
        let bytes = it.record_bytes * records;
        let Some(buffer) = it.current.as_mut().filter(|it| it.left > bytes) else { return false };
        buffer.left -= bytes;
        it.consumed += bytes;
        true
    }

    /// Whole records of the buffer that a gate reads, without one that ends it.
    pub fn records_inside(&self, gate: usize) -> u64 {
        let Some(channel) = self.gates[gate].reading else { return 0 };
        let it = &self.channels[channel];
        let left = it.current.map_or(0, |it| it.left);
        match it.partial {
            0 => left.saturating_sub(1) / it.record_bytes,
            _ => 0,
        }
    }

    /// The next record or barrier of a gate, or a step towards it. Channels take turns by buffer.
    pub fn next(&mut self, gate: usize) -> Step {
        if let Some(channel) = self.gates[gate].reading {
            let it = &mut self.channels[channel];
            let Some(buffer) = it.current.as_mut() else {
                self.gates[gate].reading = None;
                return Step::Moved;
            };
            let needed = it.record_bytes - it.partial;
            let whole = buffer.left >= needed;
            let part = needed.min(buffer.left);
            buffer.left -= part;
            it.partial = if whole { 0 } else { it.partial + part };
            it.consumed += if whole { it.record_bytes } else { 0 };
            if buffer.left == 0 {
                let buffer = *buffer;
                it.current = None;
                self.gates[gate].reading = None;
                self.release(channel, buffer);
            }
            return if whole { Step::Record(channel) } else { Step::Moved };
        }
        let Some(channel) = self.gates[gate].with_data.pop_front() else {
            self.gates[gate].debloater.pause(self.now);
            return Step::Nothing;
        };
        self.channels[channel].listed = false;
        let remote = self.channels[channel].remote;
        let item = match remote {
            true => self.channels[channel].incoming.pop_front(),
            false if self.channels[channel].has_something() => {
                self.poll(channel).map(|polled| match polled {
                    Polled::Barrier(it) => Received::Barrier(it, self.channels[channel].received),
                    Polled::Data { bytes, last } => {
                        Received::Data(Buffer { left: bytes, floating: false, last })
                    }
                })
            }
            false => None,
        };
        let it = &self.channels[channel];
        let more = match remote {
            true => !it.incoming.is_empty(),
            false => it.has_something(),
        };
        if more {
            self.list(channel);
        }
        match item {
            None => Step::Moved,
            Some(Received::Barrier(barrier, at)) => Step::Barrier(channel, barrier, at),
            Some(Received::Data(buffer)) => {
                self.channels[channel].current = Some(buffer);
                self.gates[gate].taken_bytes += buffer.left;
                self.gates[gate].debloater.resume(self.now);
                self.gates[gate].reading = Some(channel);
                Step::Moved
            }
        }
    }

    /// Takes a barrier out of the receiver's queue, whatever is in front of it.
    pub fn take_barrier(&mut self, channel: usize, id: u64) -> Option<(Barrier, u64)> {
        let it = &mut self.channels[channel];
        let place = it.incoming.iter().position(
            |received| matches!(received, Received::Barrier(barrier, _) if barrier.is_of(id)),
        )?;
        match it.incoming.remove(place) {
            Some(Received::Barrier(barrier, at)) => Some((barrier, at)),
            _ => None,
        }
    }
}

enum Polled {
    Data { bytes: u64, last: bool },
    Barrier(Barrier),
}
