//! A state as bits, and back.
//!
//! One word for the jobs and the faults that have happened, and each lane in as many words as it needs.
//!
//! Source: none; the widths follow from the limits of an exploration.

use super::layout::Layout;
use super::spent::Spent;
use crate::transaction::state::{
    Copies, Fate, Held, IdRecord, IdState, Lane, NONE, Naming, Ownership, Phase, Place, Refusal,
    Snapshot, State, Task, Txn,
};

/// A lane in the most words it may need.
pub const MAX_LANE_WORDS: usize = 16;

/// A number that does not fit its bits: the exploration goes further than a packed state can say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooWide;

struct Writer<'a> {
    out: &'a mut [u64; MAX_LANE_WORDS],
    word: u64,
    at: usize,
    bits: u32,
    fits: bool,
}

impl Writer<'_> {
    fn put(&mut self, value: u32, bits: u32) {
        // Where a field has no bits, it must be the one value that it has in every state.
        self.fits &= value >> bits == 0;
        let value = u64::from(value);
        self.word |= value << self.bits;
        self.bits += bits;
        if self.bits >= 64 {
            if self.at >= MAX_LANE_WORDS {
                self.fits = false;
                self.at = 0;
            }
            self.out[self.at] = self.word;
            self.at += 1;
            self.bits -= 64;
            self.word = if self.bits == 0 { 0 } else { value >> (bits - self.bits) };
        }
    }

    /// The words that were written.
    fn end(mut self) -> Result<usize, TooWide> {
        if self.bits > 0 {
            if self.at >= MAX_LANE_WORDS {
                return Err(TooWide);
            }
            self.out[self.at] = self.word;
            self.at += 1;
        }
        if self.fits { Ok(self.at) } else { Err(TooWide) }
    }
}

/// A lane as words.
#[derive(Debug, Clone, Copy)]
pub struct PackedLane {
    words: [u64; MAX_LANE_WORDS],
    used: usize,
}

impl PackedLane {
    const EMPTY: Self = Self { words: [0; MAX_LANE_WORDS], used: 0 };

    pub fn words(&self) -> &[u64] {
        &self.words[..self.used]
    }
}

struct Reader<'a> {
    words: &'a [u64],
    at: usize,
    bits: u32,
}

impl Reader<'_> {
    fn take(&mut self, bits: u32) -> u32 {
        if bits == 0 {
            return 0;
        }
        let low = self.words[self.at] >> self.bits;
        let mut value = low;
        self.bits += bits;
        if self.bits >= 64 {
            self.at += 1;
            self.bits -= 64;
            if self.bits > 0 {
                value |= self.words[self.at] << (bits - self.bits);
            }
        }
        (value & ((1 << bits) - 1)) as u32
    }

    fn is(&mut self) -> bool {
        self.take(1) == 1
    }
}

/// Places of transactions in a lane.
const TXN: u32 = 4;
const EPOCH: u32 = 6;
/// How many there are of a thing in a lane.
const COUNT: u32 = 5;

/// A place, or the last number of its width for none.
fn index(at: u32, bits: u32) -> u32 {
    if at == NONE { (1 << bits) - 1 } else { at }
}

fn index_of(packed: u32, bits: u32) -> u32 {
    if packed == (1 << bits) - 1 { NONE } else { packed }
}

fn ownership(packed: u32) -> Ownership {
    [Ownership::Unknown, Ownership::BySubtask, Ownership::Explicit, Ownership::Explicit]
        [packed as usize]
}

impl Layout {
    /// Whether a transaction has left its records with the lane.
    pub fn is_folded(&self, txn: &Txn) -> bool {
        self.folds && matches!(txn.fate, Fate::Committed | Fate::Aborted)
    }

    fn put_task(&self, to: &mut Writer, task: &Task) {
        to.put(task.phase as u32, 2);
        if task.phase == Phase::Down {
            return;
        }
        to.put(index(task.id, self.id), self.id);
        to.put(task.producer, self.producer);
        to.put((task.epoch + 1) as u32, EPOCH);
        to.put(index(task.txn, TXN), TXN);
        to.put(task.position / self.unit, self.position);
        if self.holds_back {
            to.put(task.sent / self.unit, self.position);
        }
        to.put(task.acked, self.checkpoint);
        to.put(u32::from(task.commit_failed), 1);
    }

    fn take_task(&self, from: &mut Reader) -> Task {
        let phase = [Phase::Down, Phase::Recommitting, Phase::CleaningUp, Phase::Running]
            [from.take(2) as usize];
        if phase == Phase::Down {
            return Task::DOWN;
        }
        let mut task = Task {
            phase,
            id: index_of(from.take(self.id), self.id),
            producer: from.take(self.producer),
            epoch: from.take(EPOCH) as i32 - 1,
            txn: index_of(from.take(TXN), TXN),
            position: from.take(self.position) * self.unit,
            ..Task::DOWN
        };
        task.sent =
            if self.holds_back { from.take(self.position) * self.unit } else { task.position };
        task.acked = from.take(self.checkpoint);
        task.commit_failed = from.is();
        task
    }

    /// The tasks that can run in a lane.
    fn tasks(&self) -> [bool; 3] {
        [true, self.job > 0, self.has_zombies]
    }

    fn put_txn(&self, to: &mut Writer, it: &Txn) {
        to.put(it.fate as u32, 3);
        to.put(u32::from(it.job), self.job);
        to.put(index(it.id, self.id), self.id);
        to.put(it.producer, self.producer);
        to.put((it.epoch + 1) as u32, EPOCH);
        to.put(it.checkpoint, self.checkpoint);
        to.put(u32::from(it.is_owned), 1);
        if !self.is_folded(it) {
            to.put(u32::from(it.of != self.sinks[0]), u32::from(self.is_whole));
            to.put(it.from / self.unit, self.position);
            to.put(it.to / self.unit, self.position);
            to.put(it.first, self.offset);
            to.put(it.last, self.offset);
        }
    }

    fn take_txn(&self, from: &mut Reader) -> Txn {
        const FATES: [Fate; 5] =
            [Fate::Open, Fate::PreparedCommit, Fate::PreparedAbort, Fate::Committed, Fate::Aborted];
        let mut txn = Txn {
            fate: FATES[from.take(3) as usize],
            job: from.take(self.job) as u8,
            id: index_of(from.take(self.id), self.id),
            producer: from.take(self.producer),
            epoch: from.take(EPOCH) as i32 - 1,
            checkpoint: from.take(self.checkpoint),
            is_owned: from.is(),
            of: self.sinks[0],
            from: 0,
            to: 0,
            first: 0,
            last: 0,
        };
        if !self.is_folded(&txn) {
            txn.of = self.sinks[from.take(u32::from(self.is_whole)) as usize];
            txn.from = from.take(self.position) * self.unit;
            txn.to = from.take(self.position) * self.unit;
            txn.first = from.take(self.offset);
            txn.last = from.take(self.offset);
        }
        txn
    }

    /// Writes a lane.
    pub fn pack_lane(&self, lane: &Lane) -> Result<PackedLane, TooWide> {
        let mut packed = PackedLane::EMPTY;
        let mut to = Writer { out: &mut packed.words, word: 0, at: 0, bits: 0, fits: true };
        for word in lane.copies.committed.iter().chain(&lane.copies.aborted) {
            to.put(*word, self.records);
        }
        to.put(u32::from(lane.copies.is_lost), 1);
        let tasks = [&lane.tasks[0], &lane.tasks[1], &lane.zombies[0]];
        for (task, can_run) in tasks.into_iter().zip(self.tasks()) {
            if can_run {
                self.put_task(&mut to, task);
            }
        }
        // The last place stands for none.
        to.fits &= lane.ids.len() < (1 << self.id) && lane.txns.len() < (1 << TXN);
        to.put(lane.ids.len() as u32, self.id);
        for it in &lane.ids {
            to.put(it.prefix.into(), self.prefix);
            to.put(it.number, self.number);
            to.put(it.producer, self.producer);
            to.put((it.epoch + 1) as u32, EPOCH);
            to.put(it.state as u32, 3);
            to.put(index(it.txn, TXN), TXN);
            to.put(u32::from(it.init_after), u32::from(self.is_v2));
        }
        to.put(lane.txns.len() as u32, TXN);
        for it in &lane.txns {
            self.put_txn(&mut to, it);
        }
        to.put(lane.held.len() as u32, COUNT);
        for it in &lane.held {
            let (kind, checkpoint) = match it.place {
                Place::Committer => (0, None),
                Place::Snapshot(checkpoint) => (1, Some(checkpoint)),
                Place::Zombie => (2, None),
                Place::Reserved => (3, None),
            };
            to.put(kind, 2);
            if let Some(checkpoint) = checkpoint {
                to.put(checkpoint, self.checkpoint);
            }
            to.put(it.job.into(), self.job);
            to.put(it.txn, TXN);
        }
        to.put(lane.snapshots.len() as u32, COUNT);
        for it in &lane.snapshots {
            to.put(it.checkpoint, self.checkpoint);
            to.put(it.job.into(), self.job);
            to.put(it.position / self.unit, self.position);
            to.put(it.prefix.into(), self.prefix);
            match self.ownership {
                0 => to.fits &= it.ownership == self.usual,
                bits => to.put(it.ownership as u32, bits),
            }
        }
        packed.used = to.end()?;
        Ok(packed)
    }

    /// Reads a lane.
    pub fn unpack_lane(&self, words: &[u64], lane: &mut Lane) {
        const STATES: [IdState; 7] = [
            IdState::Empty,
            IdState::Ongoing,
            IdState::PrepareCommit,
            IdState::PrepareAbort,
            IdState::CompleteCommit,
            IdState::CompleteAbort,
            IdState::Dead,
        ];
        let mut from = Reader { words, at: 0, bits: 0 };
        let mut word = || from.take(self.records);
        let committed = [word(), word()];
        let aborted = [word(), word()];
        let is_lost = from.is();
        lane.copies = Copies { committed, aborted, is_lost };
        let mut task = |can_run| if can_run { self.take_task(&mut from) } else { Task::DOWN };
        let [first, second, zombie] = self.tasks().map(&mut task);
        lane.tasks = [first, second];
        lane.zombies = [zombie, Task::DOWN];
        lane.ids.clear();
        for _ in 0..from.take(self.id) {
            lane.ids.push(IdRecord {
                prefix: from.take(self.prefix) as u8,
                number: from.take(self.number),
                producer: from.take(self.producer),
                epoch: from.take(EPOCH) as i32 - 1,
                state: STATES[from.take(3) as usize],
                txn: index_of(from.take(TXN), TXN),
                init_after: from.take(u32::from(self.is_v2)) == 1,
            });
        }
        lane.txns.clear();
        for _ in 0..from.take(TXN) {
            let txn = self.take_txn(&mut from);
            lane.txns.push(txn);
        }
        lane.held.clear();
        for _ in 0..from.take(COUNT) {
            let place = match from.take(2) {
                0 => Place::Committer,
                1 => Place::Snapshot(from.take(self.checkpoint)),
                2 => Place::Zombie,
                _ => Place::Reserved,
            };
            let job = from.take(self.job) as u8;
            lane.held.push(Held { job, place, txn: from.take(TXN) });
        }
        lane.snapshots.clear();
        for _ in 0..from.take(COUNT) {
            lane.snapshots.push(Snapshot {
                checkpoint: from.take(self.checkpoint),
                job: from.take(self.job) as u8,
                position: from.take(self.position) * self.unit,
                prefix: from.take(self.prefix) as u8,
                ownership: match self.ownership {
                    0 => self.usual,
                    bits => ownership(from.take(bits)),
                },
            });
        }
    }
}

/// Reads or writes fields of a word, one after the other.
struct Head {
    word: u64,
    at: u32,
}

impl Head {
    fn put(&mut self, value: u32, bits: u32) {
        debug_assert!(value >> bits == 0, "{value} in {bits} bits");
        self.word |= u64::from(value) << self.at;
        self.at += bits;
    }

    fn take(&mut self, bits: u32) -> u32 {
        let value = (self.word >> self.at) & ((1 << bits) - 1);
        self.at += bits;
        value as u32
    }
}

/// Numbers of checkpoints, counts of faults.
const HEAD_CHECKPOINT: u32 = 4;
const HEAD_COUNT: u32 = 2;

/// The jobs and the faults so far, in one word.
pub fn pack_head(state: &State, spent: &Spent) -> u64 {
    let mut head = Head { word: 0, at: 0 };
    for job in &state.jobs {
        head.put(job.is_up.into(), 1);
        head.put(job.completed, HEAD_CHECKPOINT);
        head.put(job.settled, HEAD_CHECKPOINT);
        head.put(job.notified, HEAD_CHECKPOINT);
    }
    // The settings of the second job stay as they are.
    let job = state.job(0);
    head.put(job.prefix.into(), 2);
    head.put((job.naming == Naming::Pooling).into(), 1);
    head.put(job.ownership as u32, 2);
    head.put(job.parallelism, 3);
    head.put(job.refusal.is_some().into(), 1);
    let mut spent = *spent;
    for count in spent.all() {
        head.put((*count).into(), HEAD_COUNT);
    }
    head.word
}

/// Reads what `pack_head` wrote.
pub fn unpack_head(word: u64, state: &mut State, spent: &mut Spent) {
    let mut head = Head { word, at: 0 };
    for job in &mut state.jobs {
        job.is_up = head.take(1) == 1;
        job.completed = head.take(HEAD_CHECKPOINT);
        job.settled = head.take(HEAD_CHECKPOINT);
        job.notified = head.take(HEAD_CHECKPOINT);
    }
    let job = &mut state.jobs[0];
    job.prefix = head.take(2) as u8;
    job.naming = if head.take(1) == 1 { Naming::Pooling } else { Naming::Incrementing };
    job.ownership = ownership(head.take(2));
    job.parallelism = head.take(3);
    // The only refusal that an exploration knows.
    job.refusal = (head.take(1) == 1).then_some(Refusal::TimeoutTooLarge);
    for count in spent.all() {
        *count = head.take(HEAD_COUNT) as u8;
    }
}
