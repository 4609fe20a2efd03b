//! A state as bits, and back.
//!
//! One word for the job and the faults that have happened, then each lane in as many words as the
//! widest lane needs. Positions are counted in records of the lane.
//!
//! Source: none; the widths follow from the limits of an exploration.

use super::bounds::Spent;
use crate::transaction::state::{
    Copies, Fate, Held, IdRecord, IdState, Lane, NONE, Phase, Place, Snapshot, State, Task, Txn,
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

struct Reader<'a> {
    words: &'a [u64],
    at: usize,
    bits: u32,
}

impl Reader<'_> {
    fn take(&mut self, bits: u32) -> u32 {
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
}

const INDEX: u32 = 4;
const NUMBER: u32 = 4;
const POSITION: u32 = 4;
const EPOCH: u32 = 6;
const PRODUCER: u32 = 2;
const COUNT: u32 = 5;

fn index(at: u32) -> u32 {
    if at == NONE { (1 << INDEX) - 1 } else { at }
}

fn index_of(packed: u32) -> u32 {
    if packed == (1 << INDEX) - 1 { NONE } else { packed }
}

fn put_task(to: &mut Writer, task: &Task, of: u32) {
    to.put(task.phase as u32, 2);
    if task.phase == Phase::Down {
        return;
    }
    to.put(index(task.id), INDEX);
    to.put(task.producer, PRODUCER);
    to.put((task.epoch + 1) as u32, EPOCH);
    to.put(index(task.txn), INDEX);
    to.put(task.position / of, POSITION);
    to.put(task.acked, NUMBER);
    to.put(u32::from(task.commit_failed), 1);
}

fn take_task(from: &mut Reader, of: u32) -> Task {
    let phase = [Phase::Down, Phase::Recommitting, Phase::CleaningUp, Phase::Running]
        [from.take(2) as usize];
    if phase == Phase::Down {
        return Task::DOWN;
    }
    Task {
        phase,
        id: index_of(from.take(INDEX)),
        producer: from.take(PRODUCER),
        epoch: from.take(EPOCH) as i32 - 1,
        txn: index_of(from.take(INDEX)),
        position: from.take(POSITION) * of,
        acked: from.take(NUMBER),
        commit_failed: from.take(1) == 1,
    }
}

/// Writes a lane; the words it took.
pub fn pack_lane(
    lane: &Lane,
    of: u32,
    records: u32,
    has_zombies: bool,
    out: &mut [u64; MAX_LANE_WORDS],
) -> Result<usize, TooWide> {
    let mut to = Writer { out, word: 0, at: 0, bits: 0, fits: true };
    for word in lane.copies.committed.iter().chain(&lane.copies.aborted) {
        to.put(*word, records);
    }
    to.put(u32::from(lane.copies.is_lost), 1);
    put_task(&mut to, &lane.tasks[0], of);
    if has_zombies {
        put_task(&mut to, &lane.zombies[0], of);
    }
    // The last index stands for none.
    to.fits &= lane.ids.len().max(lane.txns.len()) < (1 << INDEX) - 1;
    to.put(lane.ids.len() as u32, COUNT);
    for it in &lane.ids {
        to.put(it.number, NUMBER);
        to.put(it.producer, PRODUCER);
        to.put((it.epoch + 1) as u32, EPOCH);
        to.put(it.state as u32, 3);
        to.put(index(it.txn), INDEX);
        to.put(u32::from(it.init_after), 1);
    }
    to.put(lane.txns.len() as u32, COUNT);
    for it in &lane.txns {
        to.put(index(it.id), INDEX);
        to.put(it.producer, PRODUCER);
        to.put((it.epoch + 1) as u32, EPOCH);
        to.put(it.from / of, POSITION);
        to.put(it.to / of, POSITION);
        to.put(it.checkpoint, NUMBER);
        to.put(it.fate as u32, 3);
        to.put(u32::from(it.is_owned), 1);
    }
    to.put(lane.held.len() as u32, COUNT);
    for it in &lane.held {
        let (kind, checkpoint) = match it.place {
            Place::Committer => (0, 0),
            Place::Snapshot(checkpoint) => (1, checkpoint),
            Place::Zombie => (2, 0),
            Place::Reserved => (3, 0),
        };
        to.put(kind, 2);
        if kind == 1 {
            to.put(checkpoint, NUMBER);
        }
        to.put(it.txn, INDEX);
    }
    to.put(lane.snapshots.len() as u32, COUNT);
    for it in &lane.snapshots {
        to.put(it.checkpoint, NUMBER);
        to.put(it.position / of, POSITION);
    }
    to.end()
}

/// Reads a lane.
pub fn unpack_lane(
    words: &[u64],
    of: u32,
    records: u32,
    has_zombies: bool,
    ownership: crate::transaction::state::Ownership,
    lane: &mut Lane,
) {
    const STATES: [IdState; 7] = [
        IdState::Empty,
        IdState::Ongoing,
        IdState::PrepareCommit,
        IdState::PrepareAbort,
        IdState::CompleteCommit,
        IdState::CompleteAbort,
        IdState::Dead,
    ];
    const FATES: [Fate; 5] =
        [Fate::Open, Fate::PreparedCommit, Fate::PreparedAbort, Fate::Committed, Fate::Aborted];
    let mut from = Reader { words, at: 0, bits: 0 };
    let mut word = || from.take(records);
    let committed = [word(), word()];
    let aborted = [word(), word()];
    let is_lost = from.take(1) == 1;
    lane.copies = Copies { committed, aborted, is_lost };
    lane.tasks[0] = take_task(&mut from, of);
    lane.zombies[0] = if has_zombies { take_task(&mut from, of) } else { Task::DOWN };
    lane.ids.clear();
    for _ in 0..from.take(COUNT) {
        lane.ids.push(IdRecord {
            prefix: 0,
            number: from.take(NUMBER),
            producer: from.take(PRODUCER),
            epoch: from.take(EPOCH) as i32 - 1,
            state: STATES[from.take(3) as usize],
            txn: index_of(from.take(INDEX)),
            init_after: from.take(1) == 1,
        });
    }
    lane.txns.clear();
    for _ in 0..from.take(COUNT) {
        lane.txns.push(Txn {
            job: 0,
            id: index_of(from.take(INDEX)),
            producer: from.take(PRODUCER),
            epoch: from.take(EPOCH) as i32 - 1,
            from: from.take(POSITION) * of,
            to: from.take(POSITION) * of,
            of,
            checkpoint: from.take(NUMBER),
            fate: FATES[from.take(3) as usize],
            is_owned: from.take(1) == 1,
        });
    }
    lane.held.clear();
    for _ in 0..from.take(COUNT) {
        let place = match from.take(2) {
            0 => Place::Committer,
            1 => Place::Snapshot(from.take(NUMBER)),
            2 => Place::Zombie,
            _ => Place::Reserved,
        };
        lane.held.push(Held { job: 0, place, txn: from.take(INDEX) });
    }
    lane.snapshots.clear();
    for _ in 0..from.take(COUNT) {
        lane.snapshots.push(Snapshot {
            job: 0,
            checkpoint: from.take(NUMBER),
            position: from.take(POSITION) * of,
            prefix: 0,
            ownership,
        });
    }
}

/// The job and the faults so far, in one word.
pub fn pack_head(state: &State, spent: &Spent) -> u64 {
    let job = state.job(0);
    let mut word = u64::from(job.is_up);
    let fields = [
        (job.completed, 4),
        (job.settled, 4),
        (job.notified, 4),
        (u32::from(spent.crashes), 2),
        (u32::from(spent.timeouts), 2),
        (u32::from(spent.lost_notifications), 2),
        (u32::from(spent.declines), 2),
        (u32::from(spent.expiries), 2),
        (u32::from(spent.older_restores), 2),
    ];
    let mut at = 1;
    for (value, bits) in fields {
        word |= u64::from(value) << at;
        at += bits;
    }
    word
}

/// Reads what `pack_head` wrote.
pub fn unpack_head(word: u64, state: &mut State, spent: &mut Spent) {
    let mut at = 1;
    let mut take = |bits: u32| {
        let value = (word >> at) & ((1 << bits) - 1);
        at += bits;
        value as u32
    };
    let job = &mut state.jobs[0];
    job.is_up = word & 1 == 1;
    job.completed = take(4);
    job.settled = take(4);
    job.notified = take(4);
    spent.crashes = take(2) as u8;
    spent.timeouts = take(2) as u8;
    spent.lost_notifications = take(2) as u8;
    spent.declines = take(2) as u8;
    spent.expiries = take(2) as u8;
    spent.older_restores = take(2) as u8;
}
