//! What the second model remembers, and what one subtask or the coordinator does with it.
//!
//! Source: Kafka 4.x, TransactionCoordinator; flink-connector-kafka 5.1, ExactlyOnceKafkaWriter and
//! KafkaCommitter.

use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Coordinator {
    Empty,
    Ongoing(Vec<u8>),
    PrepareCommit(Vec<u8>),
    PrepareAbort(Vec<u8>),
    CompleteCommit,
    CompleteAbort,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Id {
    pub epoch: i8,
    pub state: Coordinator,
    /// A resumed producer found out that the cluster speaks version 2, and asks for a new epoch when its
    /// commit is complete.
    pub asks_again: bool,
}

/// Which EndTxn a client sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    One,
    Two,
}

/// What is handed to the committer. Which records it stands for, the coordinator's log says.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Committable {
    pub number: u8,
    pub epoch: i8,
    pub checkpoint: u8,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Saved {
    pub position: u8,
    pub committables: Vec<Committable>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    Down,
    Recommitting,
    CleaningUp,
    Running { number: u8, epoch: i8, written: Vec<u8> },
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Subtask {
    pub phase: Phase,
    pub position: u8,
    pub acknowledged: u8,
    pub committer: Vec<Committable>,
    /// POOLING: what the restored state calls pre-committed, until the writer hears of its committer.
    pub reserved: Vec<Committable>,
    pub saved: BTreeMap<u8, Saved>,
    pub ids: BTreeMap<u8, Id>,
    pub committed: Vec<u8>,
    /// Copies whose transaction was aborted.
    pub aborted: Vec<u8>,
    pub is_lost: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct World {
    pub is_up: bool,
    /// The newest checkpoint that is complete, that is complete or declined, and that tasks know of.
    pub completed: u8,
    pub settled: u8,
    pub notified: u8,
    pub spent: Faults,
    pub subtasks: Vec<Subtask>,
}

/// How often each may strike, and how often it has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Faults {
    pub crashes: u8,
    pub timeouts: u8,
    pub lost_notifications: u8,
    pub declines: u8,
}

pub enum Answer {
    /// Decided now.
    Done,
    /// Decided so before.
    Known,
    Refused,
    AskAgain,
}

impl Subtask {
    /// EndTxn with commit. Version one asks for an equal epoch; version two moves it on, and knows by an
    /// epoch one higher that it is asked again.
    pub fn end(&mut self, asked: &Committable, version: Version) -> Answer {
        let id = self.ids.get_mut(&asked.number).expect("a committable's id is known");
        let (is_current, is_again) = (id.epoch == asked.epoch, id.epoch == asked.epoch + 1);
        match (&id.state, version) {
            (Coordinator::Ongoing(records), _) if is_current => {
                id.state = Coordinator::PrepareCommit(records.clone());
                id.epoch += i8::from(version == Version::Two);
                Answer::Done
            }
            (Coordinator::PrepareCommit(_), Version::One) if is_current => Answer::AskAgain,
            (Coordinator::PrepareCommit(_), Version::Two) if is_again => Answer::AskAgain,
            (Coordinator::CompleteCommit, Version::One) if is_current => Answer::Known,
            (Coordinator::CompleteCommit, Version::Two) if is_again => Answer::Known,
            _ => Answer::Refused,
        }
    }

    /// InitProducerId. `None`: the last transaction is still being ended.
    pub fn initialise(&mut self, number: u8, completed: u8) -> Option<i8> {
        let new = Id { epoch: -1, state: Coordinator::Empty, asks_again: false };
        let id = self.ids.entry(number).or_insert(new);
        let before = id.epoch;
        match id.state.clone() {
            Coordinator::PrepareCommit(_) | Coordinator::PrepareAbort(_) => return None,
            Coordinator::Ongoing(_) => id.epoch += 2,
            _ => id.epoch += 1,
        }
        let epoch = id.epoch;
        let ended = std::mem::replace(&mut id.state, Coordinator::Empty);
        if let Coordinator::Ongoing(records) = ended {
            self.note_loss((number, before), completed);
            count(&mut self.aborted, &records);
        }
        Some(epoch)
    }

    /// A completed checkpoint may have owned what was aborted, which was written under this epoch.
    pub fn note_loss(&mut self, (number, epoch): (u8, i8), completed: u8) {
        let owned = self.saved.get(&completed).into_iter().flat_map(|it| &it.committables);
        self.is_lost |= owned
            .chain(&self.committer)
            .any(|it| (it.number, it.epoch) == (number, epoch) && it.checkpoint <= completed);
    }

    /// The smallest number that no transaction has which is pre-committed and, as far as the writer
    /// knows, not finished.
    pub fn free_number(&self) -> u8 {
        let is_used = |number: &u8| {
            self.committer.iter().chain(&self.reserved).any(|it| it.number == *number)
        };
        (0..).find(|it| !is_used(it)).expect("there are more numbers than committables")
    }

    /// LISTING: what is open and not called pre-committed by the restored state is aborted.
    pub fn abort_listed(&mut self, completed: u8) -> Option<()> {
        let is_open = |id: &Id| matches!(id.state, Coordinator::Ongoing(_));
        let open = self.ids.iter().filter(|(_, id)| is_open(id)).map(|(number, _)| *number);
        for number in open.collect::<Vec<_>>() {
            if !self.reserved.iter().any(|it| it.number == number) {
                self.initialise(number, completed)?;
            }
        }
        Some(())
    }

    pub fn stop(&mut self, completed: u8) {
        self.phase = Phase::Down;
        self.position = 0;
        self.acknowledged = 0;
        self.committer.clear();
        self.reserved.clear();
        self.saved.retain(|checkpoint, _| *checkpoint <= completed);
    }
}

impl World {
    pub fn is_running(&self) -> bool {
        self.is_up && self.subtasks.iter().all(|it| matches!(it.phase, Phase::Running { .. }))
    }

    pub fn stop(&mut self) {
        let completed = self.completed;
        (self.settled, self.notified) = (completed, completed);
        self.is_up = false;
        self.subtasks.iter_mut().for_each(|it| it.stop(completed));
    }

    /// A task fails: all close, and each aborts what it writes to.
    pub fn fail(&mut self, version: Version) {
        for subtask in &mut self.subtasks {
            if let Phase::Running { number, epoch, written } = subtask.phase.clone() {
                let id = subtask.ids.get_mut(&number).expect("the writer's id is known");
                if !written.is_empty()
                    && id.epoch == epoch
                    && matches!(id.state, Coordinator::Ongoing(_))
                {
                    id.state = Coordinator::PrepareAbort(written);
                    id.epoch += i8::from(version == Version::Two);
                }
            }
        }
        self.stop();
    }
}

/// One copy more of each record; more than two are as two.
pub fn count(copies: &mut [u8], records: &[u8]) {
    for record in records {
        let copies = &mut copies[usize::from(*record)];
        *copies = (*copies + 1).min(2);
    }
}
