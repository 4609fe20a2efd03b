//! The core protocol written a second time, for stateright.
//!
//! KafkaSink with INCREMENTING names on a cluster below transaction.version=2: writers, committers,
//! checkpoints, crashes, timeouts, recovery by probing. Written from the rules alone; it shares
//! nothing with the engine but the bounds. No symmetry.
//!
//! Source: Kafka 4.x, TransactionCoordinator; flink-connector-kafka 5.1, ExactlyOnceKafkaWriter,
//! KafkaCommitter and TransactionAbortStrategyImpl.

use std::collections::BTreeMap;

use stateright::{Model, Property};
use weir::transaction::ExploreParams;

/// The property whose verdict the engine must share: its `nothingTwice`.
pub const NOTHING_TWICE: &str = "no record is committed twice";

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
    epoch: i8,
    state: Coordinator,
}

/// What is handed to the committer. Which records it stands for, the coordinator's log says.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Committable {
    number: u8,
    epoch: i8,
    checkpoint: u8,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Saved {
    position: u8,
    committables: Vec<Committable>,
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
    phase: Phase,
    position: u8,
    acknowledged: u8,
    committer: Vec<Committable>,
    saved: BTreeMap<u8, Saved>,
    ids: BTreeMap<u8, Id>,
    committed: Vec<u8>,
    /// Copies whose transaction was aborted.
    aborted: Vec<u8>,
    is_lost: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct World {
    is_up: bool,
    completed: u8,
    crashes: u8,
    timeouts: u8,
    subtasks: Vec<Subtask>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    Start,
    Recommit(usize),
    Open(usize),
    Write(usize),
    Barrier(usize),
    Complete,
    Commit(usize),
    Crash,
    TimeOut(usize, u8),
    Markers(usize, u8),
}

/// The protocol within bounds.
#[derive(Debug)]
pub struct Protocol {
    subtasks: u8,
    records: u8,
    checkpoints: u8,
    crashes: u8,
    timeouts: u8,
}

impl Protocol {
    /// What the engine explores with these params; `None` where this model has no rules for them.
    pub fn of(params: &ExploreParams) -> Option<Self> {
        let ExploreParams { sinks, records, checkpoints, crashes, timeouts, .. } = *params;
        let (stop_at, max_bytes) = (params.stop_at.clone(), params.max_bytes);
        let bounds = ExploreParams {
            sinks,
            records,
            checkpoints,
            crashes,
            timeouts,
            is_symmetric: false,
            stop_at,
            max_bytes,
            ..ExploreParams::default()
        };
        let narrow = |bound: u32| u8::try_from(bound).ok();
        let (subtasks, records) = (narrow(sinks)?, narrow(records)?);
        let checkpoints = narrow(checkpoints)?;
        (*params == bounds).then_some(Self { subtasks, records, checkpoints, crashes, timeouts })
    }
}

enum Answer {
    Done,
    Refused,
    AskAgain,
}

impl Subtask {
    /// EndTxn with commit, as EndTxn version 4 and below is answered.
    fn end(&mut self, asked: &Committable) -> Answer {
        let id = self.ids.get_mut(&asked.number).expect("a committable's id is known");
        if id.epoch != asked.epoch {
            return Answer::Refused;
        }
        match &id.state {
            Coordinator::Ongoing(records) => {
                id.state = Coordinator::PrepareCommit(records.clone());
                Answer::Done
            }
            Coordinator::PrepareCommit(_) => Answer::AskAgain,
            Coordinator::CompleteCommit => Answer::Done,
            _ => Answer::Refused,
        }
    }

    /// InitProducerId. `None`: the last transaction is still being ended.
    fn initialise(&mut self, number: u8, completed: u8) -> Option<i8> {
        let new = Id { epoch: -1, state: Coordinator::Empty };
        let id = self.ids.entry(number).or_insert(new);
        match id.state.clone() {
            Coordinator::PrepareCommit(_) | Coordinator::PrepareAbort(_) => return None,
            Coordinator::Ongoing(_) => id.epoch += 2,
            _ => id.epoch += 1,
        }
        let epoch = id.epoch;
        let ended = std::mem::replace(&mut id.state, Coordinator::Empty);
        if let Coordinator::Ongoing(records) = ended {
            self.note_loss(number, completed);
            count(&mut self.aborted, &records);
        }
        Some(epoch)
    }

    /// A completed checkpoint may have owned what was aborted.
    fn note_loss(&mut self, number: u8, completed: u8) {
        let owned = self.saved.get(&completed).into_iter().flat_map(|it| &it.committables);
        self.is_lost |= owned
            .chain(&self.committer)
            .any(|it| it.number == number && it.checkpoint <= completed);
    }

    fn stop(&mut self, completed: u8) {
        self.phase = Phase::Down;
        self.position = 0;
        self.acknowledged = 0;
        self.committer.clear();
        self.saved.retain(|checkpoint, _| *checkpoint <= completed);
    }
}

impl World {
    fn is_running(&self) -> bool {
        self.is_up && self.subtasks.iter().all(|it| matches!(it.phase, Phase::Running { .. }))
    }

    fn stop(&mut self) {
        let completed = self.completed;
        self.is_up = false;
        self.subtasks.iter_mut().for_each(|it| it.stop(completed));
    }

    /// A task fails: all close, and each aborts what it writes to.
    fn fail(&mut self) {
        for subtask in &mut self.subtasks {
            if let Phase::Running { number, epoch, written } = subtask.phase.clone() {
                let id = subtask.ids.get_mut(&number).expect("the writer's id is known");
                if !written.is_empty()
                    && id.epoch == epoch
                    && matches!(id.state, Coordinator::Ongoing(_))
                {
                    id.state = Coordinator::PrepareAbort(written);
                }
            }
        }
        self.stop();
    }
}

/// One copy more of each record; more than two are as two.
fn count(copies: &mut [u8], records: &[u8]) {
    for record in records {
        let copies = &mut copies[usize::from(*record)];
        *copies = (*copies + 1).min(2);
    }
}

impl Model for Protocol {
    type State = World;
    type Action = Action;

    fn init_states(&self) -> Vec<World> {
        let subtask = Subtask {
            phase: Phase::Down,
            position: 0,
            acknowledged: 0,
            committer: Vec::new(),
            saved: BTreeMap::new(),
            ids: BTreeMap::new(),
            committed: vec![0; self.records.into()],
            aborted: vec![0; self.records.into()],
            is_lost: false,
        };
        let subtasks = vec![subtask; self.subtasks.into()];
        vec![World { is_up: false, completed: 0, crashes: 0, timeouts: 0, subtasks }]
    }

    fn actions(&self, world: &World, actions: &mut Vec<Action>) {
        if world.is_up {
            if world.crashes < self.crashes {
                actions.push(Action::Crash);
            }
            let next = world.completed + 1;
            if world.is_running() && world.subtasks.iter().all(|it| it.acknowledged == next) {
                actions.push(Action::Complete);
            }
        } else {
            actions.push(Action::Start);
        }
        for (at, subtask) in world.subtasks.iter().enumerate() {
            match subtask.phase {
                Phase::Down => {}
                Phase::Recommitting => actions.push(Action::Recommit(at)),
                Phase::CleaningUp => actions.push(Action::Open(at)),
                Phase::Running { .. } => {
                    if subtask.position < self.records {
                        actions.push(Action::Write(at));
                    }
                    let is_due = subtask.acknowledged == world.completed;
                    if world.is_running() && is_due && world.completed < self.checkpoints {
                        actions.push(Action::Barrier(at));
                    }
                    if subtask.committer.iter().any(|it| it.checkpoint <= world.completed) {
                        actions.push(Action::Commit(at));
                    }
                }
            }
            for (number, id) in &subtask.ids {
                match id.state {
                    Coordinator::Ongoing(_) if world.timeouts < self.timeouts => {
                        actions.push(Action::TimeOut(at, *number));
                    }
                    Coordinator::PrepareCommit(_) | Coordinator::PrepareAbort(_) => {
                        actions.push(Action::Markers(at, *number));
                    }
                    _ => {}
                }
            }
        }
    }

    fn next_state(&self, before: &World, action: Action) -> Option<World> {
        let mut world = before.clone();
        let completed = world.completed;
        match action {
            Action::Start => {
                world.is_up = true;
                for subtask in &mut world.subtasks {
                    let saved = subtask.saved.get(&completed);
                    subtask.position = saved.map_or(0, |it| it.position);
                    subtask.committer = saved.map(|it| it.committables.clone()).unwrap_or_default();
                    subtask.acknowledged = completed;
                    subtask.phase = match subtask.committer.is_empty() {
                        true => Phase::CleaningUp,
                        false => Phase::Recommitting,
                    };
                }
            }
            Action::Recommit(at) => {
                let subtask = &mut world.subtasks[at];
                let oldest = subtask.committer[0].clone();
                if let Answer::AskAgain = subtask.end(&oldest) {
                    return None;
                }
                subtask.committer.remove(0);
                if subtask.committer.is_empty() {
                    subtask.phase = Phase::CleaningUp;
                }
            }
            Action::Open(at) => {
                let subtask = &mut world.subtasks[at];
                let mut probed = completed + 1;
                while subtask.initialise(probed, completed)? != 0 {
                    probed += 1;
                }
                let number = completed + 1;
                let epoch = subtask.initialise(number, completed)?;
                subtask.phase = Phase::Running { number, epoch, written: Vec::new() };
            }
            Action::Write(at) => {
                let subtask = &mut world.subtasks[at];
                let Phase::Running { number, epoch, written } = &mut subtask.phase else {
                    return None;
                };
                let id = subtask.ids.get_mut(number).expect("the writer's id is known");
                if id.epoch != *epoch {
                    world.fail();
                    return Some(world);
                }
                written.push(subtask.position);
                id.state = Coordinator::Ongoing(written.clone());
                subtask.position += 1;
            }
            Action::Barrier(at) => {
                let subtask = &mut world.subtasks[at];
                let Phase::Running { number, epoch, written } = subtask.phase.clone() else {
                    return None;
                };
                let checkpoint = completed + 1;
                if !written.is_empty() {
                    subtask.committer.push(Committable { number, epoch, checkpoint });
                }
                let number = checkpoint + 1;
                let epoch = subtask.initialise(number, completed)?;
                subtask.phase = Phase::Running { number, epoch, written: Vec::new() };
                let saved =
                    Saved { position: subtask.position, committables: subtask.committer.clone() };
                subtask.saved.insert(checkpoint, saved);
                subtask.acknowledged = checkpoint;
            }
            Action::Complete => {
                world.completed += 1;
                for subtask in &mut world.subtasks {
                    subtask.saved.retain(|checkpoint, _| *checkpoint > completed);
                    let aborted = |it: &Committable| {
                        let id = &subtask.ids[&it.number];
                        id.epoch != it.epoch && !matches!(id.state, Coordinator::CompleteCommit)
                    };
                    let owned = &subtask.saved[&(completed + 1)].committables;
                    subtask.is_lost |=
                        owned.iter().any(|it| it.checkpoint == completed + 1 && aborted(it));
                }
            }
            Action::Commit(at) => {
                let subtask = &mut world.subtasks[at];
                let due = subtask.committer.iter().position(|it| it.checkpoint <= completed)?;
                let oldest = subtask.committer[due].clone();
                if let Answer::AskAgain = subtask.end(&oldest) {
                    return None;
                }
                subtask.committer.remove(due);
            }
            Action::Crash => {
                world.crashes += 1;
                world.stop();
            }
            Action::TimeOut(at, number) => {
                world.timeouts += 1;
                let subtask = &mut world.subtasks[at];
                let id = subtask.ids.get_mut(&number)?;
                let Coordinator::Ongoing(records) = id.state.clone() else { return None };
                id.epoch += 1;
                id.state = Coordinator::PrepareAbort(records);
                subtask.note_loss(number, completed);
            }
            Action::Markers(at, number) => {
                let subtask = &mut world.subtasks[at];
                let id = subtask.ids.get_mut(&number)?;
                match id.state.clone() {
                    Coordinator::PrepareCommit(records) => {
                        id.state = Coordinator::CompleteCommit;
                        count(&mut subtask.committed, &records);
                    }
                    Coordinator::PrepareAbort(records) => {
                        id.state = Coordinator::CompleteAbort;
                        count(&mut subtask.aborted, &records);
                    }
                    _ => return None,
                }
            }
        }
        Some(world)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(NOTHING_TWICE, |_, world: &World| {
                world.subtasks.iter().all(|it| it.committed.iter().all(|copies| *copies < 2))
            }),
            // Keeps the checker going where the other is broken.
            Property::always("every state is seen", |_, _| true),
        ]
    }
}
