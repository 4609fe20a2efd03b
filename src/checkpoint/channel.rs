//! One channel: the queue of the sender, that of the receiver, and its credits.
//!
//! Source: Flink 1.20.5, PipelinedSubpartition, RemoteInputChannel, BufferManager.

use std::collections::VecDeque;

use super::time::SimTime;

/// A checkpoint barrier with its options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Barrier {
    /// Of this checkpoint.
    pub id: u64,
    /// When that was triggered.
    pub triggered: SimTime,
    /// Whether the sender stops behind it, also where it overtakes at the receiver only.
    pub blocks: bool,
    /// Whether it becomes one that overtakes when its time is over.
    pub timeoutable: bool,
    /// Whether it overtakes.
    pub overtakes: bool,
    /// Whether it is no barrier but says that none comes, a `CancelCheckpointMarker`.
    pub cancels: bool,
}

impl Barrier {
    /// Whether it is the barrier of a checkpoint.
    pub fn is_of(&self, id: u64) -> bool {
        self.id == id && !self.cancels
    }
}

/// An element of the sender's queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sent {
    /// A segment: bytes written and, of those, sent.
    Data {
        /// Bytes that are used of it.
        size: u64,
        /// Bytes written.
        written: u64,
        /// Bytes sent.
        sent: u64,
        /// Whether nothing more is written to it.
        finished: bool,
    },
    /// A barrier.
    Barrier(Barrier),
}

/// A buffer at the receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Buffer {
    /// Unread bytes.
    pub left: u64,
    /// Whether it goes back to the floating ones.
    pub floating: bool,
    /// Whether reading it frees the sender's segment, on a local channel.
    pub last: bool,
}

/// An element of the receiver's queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Received {
    /// A buffer.
    Data(Buffer),
    /// A barrier, and the bytes that came before it.
    Barrier(Barrier, u64),
}

/// A channel. Positions are bytes since the start of its stream.
#[derive(Debug, Clone, Default)]
pub struct Channel {
    /// The output it belongs to.
    pub partition: usize,
    /// The input it belongs to.
    pub gate: usize,
    /// The edge it belongs to.
    pub edge: u32,
    /// Whether it goes over the network, with credits.
    pub remote: bool,
    /// Whether barriers may overtake here.
    pub can_be_overtaken: bool,
    /// Bytes of a record.
    pub record_bytes: u64,
    /// The size of a segment [B].
    pub segment_bytes: u64,
    /// The size of the next buffer [B].
    pub buffer_bytes: u64,
    /// The sender's queue.
    pub outgoing: VecDeque<Sent>,
    /// Segments of the sender's pool in use.
    pub taken: u32,
    /// Whether a flush is requested.
    pub flush: bool,
    /// Whether the sender is stopped behind a barrier.
    pub blocked: bool,
    /// Whether the sender's TaskManager is gone.
    pub is_cut_off: bool,
    /// Free exclusive buffers of the receiver.
    pub free_exclusive: u32,
    /// Free floating buffers that this channel holds.
    pub free_floating: u32,
    /// Free buffers that the backlog asks for.
    pub required: u32,
    /// Whether it waits for a floating buffer.
    pub waiting: bool,
    /// The receiver's queue.
    pub incoming: VecDeque<Received>,
    /// Whether it is in the gate's list of channels with data.
    pub listed: bool,
    /// Whether it is in the list of channels to move.
    pub to_pump: bool,
    /// The buffer being read.
    pub current: Option<Buffer>,
    /// Bytes read of a record that is not complete.
    pub partial: u64,
    /// Position of the writer.
    pub emitted: u64,
    /// Position of what left the sender's queue.
    pub received: u64,
    /// Position after the last record taken.
    pub consumed: u64,
    /// Timed records: where they end, and when their source emitted them.
    pub marks: VecDeque<(u64, SimTime)>,
}

impl Channel {
    /// Buffers that the sender may still send.
    pub fn credit(&self) -> u32 {
        self.free_exclusive + self.free_floating
    }

    /// Room in the open buffer.
    pub fn room(&self) -> u64 {
        match self.outgoing.back() {
            Some(Sent::Data { size, written, finished: false, .. }) => size - written,
            _ => 0,
        }
    }

    /// Whether so many records go into the open buffer without filling it.
    pub fn fits(&self, records: u64) -> bool {
        records * self.record_bytes < self.room()
    }

    /// Records until one of them fills a buffer, that one included.
    pub fn records_to_fill(&self) -> u64 {
        let room = match self.room() {
            0 => self.buffer_bytes.max(self.record_bytes).min(self.segment_bytes),
            room => room,
        };
        room.div_ceil(self.record_bytes).max(1)
    }

    /// Whether anything is in the sender's queue that was not sent; only its head can be sent in part.
    pub fn has_unsent(&self) -> bool {
        match self.outgoing.front() {
            Some(Sent::Data { written, sent, .. }) if written == sent => self.outgoing.len() > 1,
            front => front.is_some(),
        }
    }

    /// Bytes in the sender's queue.
    pub fn unsent(&self) -> u64 {
        self.unsent_before(self.outgoing.len())
    }

    /// Bytes in the first `count` elements of the sender's queue.
    pub fn unsent_before(&self, count: usize) -> u64 {
        let bytes = |sent: &Sent| match sent {
            Sent::Data { written, sent, .. } => written - sent,
            Sent::Barrier(_) => 0,
        };
        self.outgoing.iter().take(count).map(bytes).sum()
    }

    /// Whether the head of the sender's queue may be taken.
    pub fn has_something(&self) -> bool {
        match self.outgoing.front() {
            _ if self.blocked || self.is_cut_off => false,
            None => false,
            Some(Sent::Barrier(_)) => true,
            Some(Sent::Data { written, sent, finished, .. }) => {
                *finished || (self.flush && written > sent)
            }
        }
    }

    /// Buffers that wait at the sender, as it tells the receiver: an open one counts if flushed.
    pub fn backlog(&self) -> u32 {
        let waits = |sent: &&Sent| match sent {
            Sent::Data { finished, .. } => *finished || self.flush,
            Sent::Barrier(_) => false,
        };
        self.outgoing.iter().filter(waits).count() as u32
    }
}

impl Channel {
    /// The barrier of a checkpoint in the receiver's queue.
    pub fn announced(&self, id: u64) -> Option<Barrier> {
        self.incoming.iter().find_map(|received| match received {
            Received::Barrier(barrier, _) if barrier.is_of(id) => Some(*barrier),
            _ => None,
        })
    }

    /// When the record that was taken last left its source, if it is timed.
    pub fn take_mark(&mut self) -> Option<SimTime> {
        let mut found = None;
        while let Some((_, origin)) = self.marks.pop_front_if(|it| it.0 <= self.consumed) {
            found = Some(origin);
        }
        found
    }

    /// Records that can be taken before one that is timed.
    pub fn records_before_mark(&self) -> u64 {
        self.marks.front().map_or(u64::MAX, |(end, _)| {
            end.saturating_sub(self.consumed).div_ceil(self.record_bytes).saturating_sub(1)
        })
    }

    /// Data buffers at the receiver, with the one being read, and their unread bytes.
    pub fn queued(&self) -> (u32, u64) {
        let queued = self.incoming.iter().filter_map(|received| match received {
            Received::Data(buffer) => Some(buffer.left),
            Received::Barrier(..) => None,
        });
        let all = queued.chain(self.current.map(|it| it.left));
        all.fold((0, 0), |(buffers, bytes), left| (buffers + 1, bytes + left))
    }

    /// Exclusive and floating buffers of the receiver that hold bytes.
    pub fn held(&self) -> (u32, u32) {
        let queued = self.incoming.iter().filter_map(|received| match received {
            Received::Data(buffer) => Some(buffer.floating),
            Received::Barrier(..) => None,
        });
        let all = queued.chain(self.current.map(|it| it.floating));
        all.fold((0, 0), |(exclusive, floating), is_floating| match is_floating {
            true => (exclusive, floating + 1),
            false => (exclusive + 1, floating),
        })
    }
}
