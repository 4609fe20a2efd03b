//! A sink that writes in transactions: begin, pre-commit with the barrier, commit once the checkpoint
//! is complete, abort on failure.
//!
//! Source: Flink 1.20.5, TwoPhaseCommittingSink (prepareCommit when the barrier comes, the
//! committables go into the checkpoint), CommitterOperator (commits on notifyCheckpointComplete all
//! of this checkpoint and earlier ones, and on restore all that the checkpoint holds); transactions
//! that no checkpoint holds are aborted by the restarted writer, as KafkaWriter does.

/// A result in a transaction.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Written {
    /// The channel of the record that made it.
    pub channel: usize,
    /// The record's place in it.
    pub place: usize,
    /// The key.
    pub key: usize,
    /// The sum after that record.
    pub sum: i64,
}

/// Where a transaction stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TransactionStatus {
    /// Written to.
    Open,
    /// Flushed, and part of a checkpoint.
    PreCommitted {
        /// Which one.
        checkpoint: u32,
    },
    /// Visible.
    Committed,
    /// Never visible.
    Aborted,
}

/// A transaction.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Transaction {
    /// Its number, from 1.
    pub number: u32,
    /// Where it stands.
    pub status: TransactionStatus,
    /// What is in it.
    pub written: Vec<Written>,
}

/// A task's sink.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sink {
    /// Every transaction, the newest last.
    pub transactions: Vec<Transaction>,
}

impl Sink {
    /// With its first transaction begun.
    pub fn new() -> Self {
        let mut sink = Self { transactions: Vec::new() };
        sink.begin();
        sink
    }

    /// Drops transactions that are committed or aborted; the others count from 1 again.
    pub fn forget_what_is_over(&mut self) {
        let is_over =
            |status| matches!(status, TransactionStatus::Committed | TransactionStatus::Aborted);
        self.transactions.retain(|it| !is_over(it.status));
        for (number, it) in (1..).zip(&mut self.transactions) {
            it.number = number;
        }
    }

    fn begin(&mut self) {
        let number = self.transactions.len() as u32 + 1;
        let (status, written) = (TransactionStatus::Open, Vec::new());
        self.transactions.push(Transaction { number, status, written });
    }

    /// The transaction that is written to.
    pub fn open(&self) -> Option<&Transaction> {
        self.transactions.last().filter(|it| it.status == TransactionStatus::Open)
    }

    /// A result.
    pub fn write(&mut self, written: Written) {
        if let Some(open) = self.transactions.last_mut() {
            open.written.push(written);
        }
    }

    /// The barrier is here: flush, and begin the next one. Returns the number that is pre-committed.
    pub fn pre_commit(&mut self, checkpoint: u32) -> Option<u32> {
        let open = self.transactions.last_mut()?;
        open.status = TransactionStatus::PreCommitted { checkpoint };
        let number = open.number;
        self.begin();
        Some(number)
    }

    /// Commits what this checkpoint and earlier ones hold; returns what becomes visible.
    pub fn commit(&mut self, completed: u32) -> Vec<Written> {
        let mut visible = Vec::new();
        for it in &mut self.transactions {
            if matches!(it.status, TransactionStatus::PreCommitted { checkpoint } if checkpoint <= completed)
            {
                it.status = TransactionStatus::Committed;
                visible.extend(it.written.iter().cloned());
            }
        }
        visible
    }

    /// Whether a checkpoint's completion has something to commit here.
    pub fn waits_for(&self, completed: u32) -> bool {
        self.transactions.iter().any(
            |it| matches!(it.status, TransactionStatus::PreCommitted { checkpoint } if checkpoint <= completed),
        )
    }

    /// The writer restarts: what no checkpoint holds is aborted. Returns the numbers of those that
    /// held something or were pre-committed, and begins anew.
    pub fn abort_and_begin(&mut self) -> Vec<u32> {
        let mut aborted = Vec::new();
        for it in &mut self.transactions {
            if matches!(it.status, TransactionStatus::Open | TransactionStatus::PreCommitted { .. })
            {
                it.status = TransactionStatus::Aborted;
                aborted.push(it.number);
            }
        }
        self.begin();
        aborted
    }
}

impl Default for Sink {
    fn default() -> Self {
        Self::new()
    }
}
