//! The state of a subtask: its thread, what waits for it, and the checkpoint it works on.
//!
//! Source: Flink 1.20.5, StreamTask (mailbox before input), SubtaskCheckpointCoordinatorImpl.

use std::collections::VecDeque;

use super::channel::Barrier;
use super::random::{Random, Service};
use super::time::SimTime;
use super::turn::Turns;

/// What the task thread does before it looks at its input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mail {
    /// The coordinator triggers a source.
    Trigger(u64),
    /// The time of aligned barriers of this checkpoint is over.
    AlignmentTimeout(u64),
    /// A period of buffer debloating ends.
    Debloat,
}

/// The alignment a task is in.
#[derive(Debug, Clone)]
pub struct Alignment {
    /// The barrier that began it.
    pub barrier: Barrier,
    /// When.
    pub began: SimTime,
    /// Bytes that the task had taken from its inputs then.
    pub taken_before: u64,
    /// Channels whose barrier came.
    pub arrived: Vec<usize>,
    /// Of those, the ones whose sender stopped behind its barrier.
    pub blocked: Vec<usize>,
    /// Where each channel stood when the state was taken, once records were overtaken.
    pub cut: Option<Vec<(usize, u64)>>,
}

/// What the asynchronous thread does for a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Others are before it, or its synchronous part is not done.
    Queued,
    /// The given asynchronous part runs until then.
    Working(SimTime),
    /// State is uploaded.
    Uploading,
    /// Everything is stored; barriers may be missing.
    Waiting,
}

/// The asynchronous part of a snapshot.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AsyncJob {
    /// The checkpoint.
    pub id: u64,
    /// When the synchronous part ends.
    pub ready: SimTime,
    /// How long it takes without the upload.
    pub span: SimTime,
    /// What is to be uploaded [B].
    pub bytes: f64,
    /// How far it is.
    pub stage: Stage,
}

/// A snapshot that is not acknowledged yet, and in the end what it was.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// The checkpoint.
    pub id: u64,
    /// Trigger to first barrier.
    pub start_delay: SimTime,
    /// First barrier to last.
    pub alignment: SimTime,
    /// Bytes taken from inputs in between.
    pub processed: u64,
    /// Bytes that waited in blocked channels when they were read again.
    pub held_bytes: u64,
    /// Records of them.
    pub held_records: u64,
    /// Keyed state that the checkpoint refers to [B].
    pub state_size: u64,
    /// Of that, what is uploaded for it [B].
    pub uploaded_size: u64,
    /// Bytes of overtaken records in this snapshot.
    pub persisted: u64,
    /// When the synchronous part ends.
    pub sync_end: SimTime,
    /// Its length.
    pub sync: SimTime,
    /// Whether barriers are missing.
    pub incomplete: bool,
}

/// A subtask.
#[derive(Debug, Clone)]
pub struct Task {
    /// Its vertex.
    pub vertex: usize,
    /// Its index in the vertex.
    pub index: u32,
    /// Its inputs.
    pub gates: Vec<usize>,
    /// Its outputs, with the edge of each.
    pub outputs: Vec<(usize, usize)>,
    /// What its thread does first.
    pub mails: VecDeque<Mail>,
    /// Until then its thread does nothing else.
    pub busy_until: SimTime,
    /// A record was taken and its outputs are emitted when the thread is free.
    pub in_service: bool,
    /// Channels that the record at hand is still to be written to.
    pub to_write: VecDeque<usize>,
    /// When a source's next records come.
    pub next_due: SimTime,
    /// A source blocks at its next poll until then.
    pub block_until: Option<SimTime>,
    /// The input read last.
    pub last_input: usize,
    /// What is left of a record by selectivity.
    pub carry: f64,
    /// Turns of the outputs' channels.
    pub turns: Vec<Turns>,
    /// Records of the buffer at hand that it may take one after another without a look around.
    pub batch_left: u64,
    /// What its records take.
    pub service: Service,
    /// Service times that are drawn already.
    pub drawn: VecDeque<SimTime>,
    /// When it runs next by itself.
    pub wake_at: Option<SimTime>,
    /// Whether that may have to be earlier.
    pub replan: bool,
    /// Its numbers.
    pub random: Random,
    /// Where it is in an alignment.
    pub alignment: Option<Alignment>,
    /// At least once, the checkpoints of which barriers are missing.
    pub tracked: VecDeque<Alignment>,
    /// The newest checkpoint of which it has a barrier, or that it gave up.
    pub newest: u64,
    /// The newest checkpoint it took a snapshot for or gave up.
    pub last_snapshot: u64,
    /// Checkpoints that the coordinator gave up before it took its snapshot of them.
    pub aborted: Vec<u64>,
    /// Snapshots taken.
    pub snapshots_taken: u32,
    /// What its asynchronous thread has to do, one after another.
    pub async_jobs: VecDeque<AsyncJob>,
    /// What each snapshot since the last completed checkpoint wrote [B].
    pub unconfirmed: Vec<(u64, f64)>,
    /// The TaskManager it runs in.
    pub task_manager: usize,
    /// The slot.
    pub slot: usize,
    /// Snapshots in progress.
    pub snapshots: Vec<Snapshot>,
    /// Records taken from inputs.
    pub records_in: u64,
    /// Records written to outputs; a record for several receivers counts for each.
    pub records_out: u64,
    /// Of a record at hand or of the next one out: when its source emitted it, if it is timed.
    pub mark: Option<SimTime>,
    /// Records of a source before the one that is due, counted again after a restart.
    pub offset: u64,
    /// Whether its TaskManager is gone.
    pub lost: bool,
    /// Whether a source has not made up for a failure yet.
    pub catching_up: bool,
    /// Records of a source until the next one that is timed.
    pub unmarked: u64,
    /// Time in which an output had no room [ns], and since when it has none now.
    pub backpressured: (SimTime, Option<SimTime>),
    /// Time spent on records.
    pub busy: SimTime,
}
