//! The partitions' logs, written from the facts of a run: offsets, markers, the last stable offset,
//! and when a read_committed reader gets each record.
//!
//! Source: Kafka 4.x, ProducerStateManager (firstUnstableOffset) and UnifiedLog (lastStableOffset,
//! fetchLastStableOffset): the last stable offset is the first offset of an open transaction. Flink 2.1,
//! FileSink: a file is read once it is finished; there is no offset that readers of files wait for.

use std::collections::BTreeMap;

use super::driver::Timed;
use super::event::{Cause, Fact};
use super::state::share;

/// Records of one send, or a control marker.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    pub at: u64,
    pub partition: u32,
    pub offset: u64,
    pub job: u8,
    pub lane: u32,
    pub txn: u32,
    /// Source positions; those of the lane of `of`.
    pub from: u32,
    pub to: u32,
    pub of: u32,
    pub records: u32,
    pub is_marker: bool,
    /// Written without a transaction.
    pub is_plain: bool,
    /// When the last stable offset passed it; of files, when they were finished.
    pub stable_at: Option<u64>,
}

/// The life of one transaction.
#[derive(Debug, Clone, Copy, Default)]
pub struct Life {
    pub is_known: bool,
    pub job: u8,
    pub records: u32,
    pub started_at: u64,
    pub precommitted_at: Option<u64>,
    pub checkpoint: u32,
    pub commit_accepted_at: Option<u64>,
    pub abort_decided_at: Option<u64>,
    pub cause: Option<Cause>,
    pub marked_at: Option<u64>,
}

/// The last stable offset of a partition from a time on.
#[derive(Debug, Clone, Copy)]
pub struct StableOffset {
    pub at: u64,
    pub partition: u32,
    pub offset: u64,
}

#[derive(Debug, Default)]
struct Partition {
    end: u64,
    /// First offset of each open transaction, by lane and number.
    open: BTreeMap<(u32, u32), u64>,
    /// Its entries, and how many of them the last stable offset has passed.
    entries: Vec<usize>,
    passed: usize,
    stable: u64,
}

/// Everything in the partitions.
#[derive(Debug, Default)]
pub struct Ledger {
    pub entries: Vec<Entry>,
    pub lives: BTreeMap<(u32, u32), Life>,
    pub stable: Vec<StableOffset>,
}

/// Where records are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Store {
    /// Partitions in which an open transaction holds readers back.
    Transactions,
    /// Partitions without transactions.
    Rows,
    /// Files, each read once it is finished.
    Files,
}

/// How the log is laid out, and who writes into it with transactions.
#[derive(Debug, Clone, Copy)]
pub struct Layout {
    pub is_shared: bool,
    /// Each of two jobs has partitions of its own.
    pub has_two: bool,
    /// By job.
    pub is_transactional: [bool; 2],
    pub store: Store,
}

impl Layout {
    fn partition(&self, lane: u32, job: u8) -> u32 {
        match (self.is_shared, self.has_two) {
            (true, _) => 0,
            (_, true) => lane * 2 + u32::from(job),
            _ => lane,
        }
    }
}

/// Writes the log.
pub fn write(facts: &[Timed], layout: Layout) -> Ledger {
    let mut ledger = Ledger::default();
    let mut partitions: BTreeMap<u32, Partition> = BTreeMap::new();
    let mut files: BTreeMap<(u32, u32), Vec<usize>> = BTreeMap::new();
    for Timed { at, fact } in facts {
        match *fact {
            Fact::Appended { job, lane, txn, from, to, of } => {
                let number = layout.partition(lane, job);
                let partition = partitions.entry(number).or_default();
                let records = share(from, to, lane, of);
                let life = ledger.lives.entry((lane, txn)).or_default();
                if !life.is_known {
                    *life = Life { is_known: true, job, started_at: *at, ..Life::default() };
                }
                life.records += records;
                let is_plain = !layout.is_transactional[job as usize];
                if is_plain {
                    life.commit_accepted_at.get_or_insert(*at);
                    life.marked_at.get_or_insert(*at);
                } else if layout.store == Store::Transactions {
                    partition.open.entry((lane, txn)).or_insert(partition.end);
                } else if layout.store == Store::Files {
                    files.entry((lane, txn)).or_default().push(ledger.entries.len());
                }
                let (partition_number, offset) = (number, partition.end);
                partition.end += u64::from(records);
                partition.entries.push(ledger.entries.len());
                ledger.entries.push(Entry {
                    at: *at,
                    partition: partition_number,
                    offset,
                    job,
                    lane,
                    txn,
                    from,
                    to,
                    of,
                    records,
                    is_marker: false,
                    is_plain,
                    stable_at: None,
                });
                if is_plain || layout.store != Store::Files {
                    advance(partition, number, *at, &mut ledger);
                }
            }
            Fact::PreCommitted { lane, txn, checkpoint, .. } => {
                if let Some(life) = ledger.lives.get_mut(&(lane, txn)) {
                    life.precommitted_at = Some(*at);
                    life.checkpoint = checkpoint;
                }
            }
            Fact::Prepared { lane, txn, is_commit, cause, .. } => {
                if let Some(life) = ledger.lives.get_mut(&(lane, txn)) {
                    if is_commit {
                        life.commit_accepted_at = Some(*at);
                    } else {
                        life.abort_decided_at = Some(*at);
                        life.cause = cause;
                    }
                }
            }
            Fact::Marked { lane, txn, is_commit } => {
                let Some(life) = ledger.lives.get_mut(&(lane, txn)) else { continue };
                life.marked_at = Some(*at);
                if is_commit && life.commit_accepted_at.is_none() {
                    life.commit_accepted_at = Some(*at);
                } else if !is_commit && life.abort_decided_at.is_none() {
                    life.abort_decided_at = Some(*at);
                }
                let job = life.job;
                if layout.store == Store::Files {
                    for entry in files.remove(&(lane, txn)).into_iter().flatten() {
                        ledger.entries[entry].stable_at = is_commit.then_some(*at);
                    }
                    continue;
                }
                let number = layout.partition(lane, job);
                let partition = partitions.entry(number).or_default();
                partition.open.remove(&(lane, txn));
                if layout.store == Store::Transactions {
                    let offset = partition.end;
                    partition.end += 1;
                    partition.entries.push(ledger.entries.len());
                    ledger.entries.push(Entry {
                        at: *at,
                        partition: number,
                        offset,
                        job,
                        lane,
                        txn,
                        from: 0,
                        to: 0,
                        of: 1,
                        records: 0,
                        is_marker: true,
                        is_plain: false,
                        stable_at: None,
                    });
                }
                advance(partition, number, *at, &mut ledger);
            }
            _ => {}
        }
    }
    ledger
}

/// Moves the last stable offset as far as it goes.
fn advance(partition: &mut Partition, number: u32, at: u64, ledger: &mut Ledger) {
    let stable = partition.open.values().min().copied().unwrap_or(partition.end);
    if stable == partition.stable {
        return;
    }
    partition.stable = stable;
    ledger.stable.push(StableOffset { at, partition: number, offset: stable });
    while let Some(entry) = partition.entries.get(partition.passed) {
        let entry = &mut ledger.entries[*entry];
        if entry.offset >= stable {
            break;
        }
        entry.stable_at = Some(at);
        partition.passed += 1;
    }
}

impl Ledger {
    pub fn life(&self, entry: &Entry) -> Life {
        self.lives.get(&(entry.lane, entry.txn)).copied().unwrap_or_default()
    }

    /// When an entry was committed: a plain one as it was appended.
    pub fn accepted_at(&self, entry: &Entry) -> Option<u64> {
        if entry.is_plain { Some(entry.at) } else { self.life(entry).commit_accepted_at }
    }

    /// The records of a job, without markers.
    pub fn records(&self, job: u8) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(move |it| it.job == job && !it.is_marker)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAYOUT: Layout = Layout {
        is_shared: true,
        has_two: true,
        is_transactional: [true, false],
        store: Store::Transactions,
    };

    fn at(at: u64, fact: Fact) -> Timed {
        Timed { at, fact }
    }

    fn sent(job: u8, txn: u32) -> Fact {
        Fact::Appended { job, lane: 0, txn, from: 0, to: 5, of: 1 }
    }

    #[test]
    fn an_open_transaction_holds_back_what_comes_after_it() {
        let facts = [
            at(1, sent(0, 0)),
            at(2, sent(1, 7)),
            at(9, Fact::Marked { lane: 0, txn: 0, is_commit: false }),
        ];
        let ledger = write(&facts, LAYOUT);
        let plain = ledger.records(1).next().expect("job B wrote");
        assert_eq!((plain.offset, plain.stable_at), (5, Some(9)));
        let ends: Vec<(u64, u64)> = ledger.stable.iter().map(|it| (it.at, it.offset)).collect();
        assert_eq!(ends, [(9, 11)], "ten records and a marker");
    }

    #[test]
    fn a_file_is_read_once_it_is_finished_whatever_is_open_before_it() {
        let facts = [
            at(1, sent(0, 0)),
            at(2, sent(0, 1)),
            at(9, Fact::Marked { lane: 0, txn: 1, is_commit: true }),
        ];
        let ledger = write(&facts, Layout { store: Store::Files, ..LAYOUT });
        let read: Vec<_> = ledger.records(0).map(|it| it.stable_at).collect();
        assert_eq!(read, [None, Some(9)]);
        assert!(ledger.stable.is_empty() && ledger.entries.iter().all(|it| !it.is_marker));
    }

    #[test]
    fn what_lies_before_it_is_read() {
        let facts = [at(1, sent(1, 7)), at(2, sent(0, 0))];
        let ledger = write(&facts, LAYOUT);
        assert_eq!(ledger.records(1).next().and_then(|it| it.stable_at), Some(1));
        assert_eq!(ledger.records(0).next().and_then(|it| it.stable_at), None);
    }
}
