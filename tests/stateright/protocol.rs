//! The core protocol written a second time, for stateright.
//!
//! KafkaSink with INCREMENTING or POOLING names, on clusters of either transaction.version, and without
//! transactions: writers, committers, checkpoints, crashes, timeouts, lost messages, declined
//! checkpoints, recovery by probing or listing. Written from the rules alone; it shares nothing with the
//! engine but the bounds. No symmetry.
//!
//! Source: Kafka 4.x, TransactionCoordinator; flink-connector-kafka 5.1, ExactlyOnceKafkaWriter,
//! KafkaCommitter, TransactionNamingStrategyImpl and TransactionAbortStrategyImpl.

mod world;

use std::collections::BTreeMap;

use stateright::{Model, Property};
use weir::transaction::ExploreParams;
use weir::transaction::params::{NamingStrategy, TxnProtocol};
use world::{
    Answer, Committable, Coordinator, Faults, Phase, Saved, Subtask, Version, World, count,
};

/// The properties whose verdict the engine must share: its `nothingTwice` and `nothingLost`.
pub const NOTHING_TWICE: &str = "no record is committed twice";
pub const NOTHING_LOST: &str = "nothing that a completed checkpoint owns is lost";

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    Start,
    Recommit(usize),
    Open(usize),
    Write(usize),
    Barrier(usize),
    Complete { is_told: bool },
    Decline,
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
    faults: Faults,
    is_transactional: bool,
    pools: bool,
    /// What clients of live tasks send; a resumed one always begins with version one.
    version: Version,
}

impl Protocol {
    /// What the engine explores with these params; `None` where this model has no rules for them.
    pub fn of(params: &ExploreParams) -> Option<Self> {
        let bounds = ExploreParams {
            sinks: params.sinks,
            records: params.records,
            checkpoints: params.checkpoints,
            crashes: params.crashes,
            timeouts: params.timeouts,
            lost_notifications: params.lost_notifications,
            declines: params.declines,
            is_transactional: params.is_transactional,
            naming: params.naming,
            txn_protocol: params.txn_protocol,
            is_symmetric: false,
            stop_at: params.stop_at.clone(),
            max_bytes: params.max_bytes,
            ..ExploreParams::default()
        };
        let faults = Faults {
            crashes: params.crashes,
            timeouts: params.timeouts,
            lost_notifications: params.lost_notifications,
            declines: params.declines,
        };
        let narrow = |bound: u32| u8::try_from(bound).ok();
        let (subtasks, records) = (narrow(params.sinks)?, narrow(params.records)?);
        let checkpoints = narrow(params.checkpoints)?;
        let is_transactional = params.is_transactional;
        let pools = params.naming == NamingStrategy::Pooling;
        let version = match params.txn_protocol {
            TxnProtocol::Tv1 => Version::One,
            TxnProtocol::Tv2 => Version::Two,
        };
        (*params == bounds).then_some(Self {
            subtasks,
            records,
            checkpoints,
            faults,
            is_transactional,
            pools,
            version,
        })
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
            reserved: Vec::new(),
            saved: BTreeMap::new(),
            ids: BTreeMap::new(),
            committed: vec![0; self.records.into()],
            aborted: vec![0; self.records.into()],
            is_lost: false,
        };
        let subtasks = vec![subtask; self.subtasks.into()];
        vec![World {
            is_up: false,
            completed: 0,
            settled: 0,
            notified: 0,
            spent: Faults::default(),
            subtasks,
        }]
    }

    fn actions(&self, world: &World, actions: &mut Vec<Action>) {
        if world.is_up {
            if world.spent.crashes < self.faults.crashes {
                actions.push(Action::Crash);
            }
            let next = world.settled + 1;
            if world.is_running() && world.subtasks.iter().all(|it| it.acknowledged == next) {
                actions.push(Action::Complete { is_told: true });
                if world.spent.lost_notifications < self.faults.lost_notifications {
                    actions.push(Action::Complete { is_told: false });
                }
                if world.spent.declines < self.faults.declines {
                    actions.push(Action::Decline);
                }
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
                    let is_due = subtask.acknowledged == world.settled;
                    if world.is_running() && is_due && world.settled < self.checkpoints {
                        actions.push(Action::Barrier(at));
                    }
                    if subtask.committer.iter().any(|it| it.checkpoint <= world.notified) {
                        actions.push(Action::Commit(at));
                    }
                }
            }
            for (number, id) in &subtask.ids {
                match id.state {
                    Coordinator::Ongoing(_) if world.spent.timeouts < self.faults.timeouts => {
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
                    if self.pools {
                        subtask.reserved.clone_from(&subtask.committer);
                    }
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
                match subtask.end(&oldest, Version::One) {
                    Answer::AskAgain => return None,
                    Answer::Done if self.version == Version::Two => {
                        subtask.ids.get_mut(&oldest.number)?.asks_again = true;
                    }
                    _ => {}
                }
                subtask.committer.remove(0);
                if subtask.committer.is_empty() {
                    subtask.phase = Phase::CleaningUp;
                }
            }
            Action::Open(at) => {
                let subtask = &mut world.subtasks[at];
                if !self.is_transactional {
                    subtask.phase = Phase::Running { number: 0, epoch: 0, written: Vec::new() };
                    return Some(world);
                }
                let number = if self.pools {
                    subtask.abort_listed(completed)?;
                    subtask.free_number()
                } else {
                    let mut probed = completed + 1;
                    while subtask.initialise(probed, completed)? != 0 {
                        probed += 1;
                    }
                    completed + 1
                };
                let epoch = subtask.initialise(number, completed)?;
                subtask.phase = Phase::Running { number, epoch, written: Vec::new() };
            }
            Action::Write(at) => {
                let subtask = &mut world.subtasks[at];
                let Phase::Running { number, epoch, written } = &mut subtask.phase else {
                    return None;
                };
                written.push(subtask.position);
                if self.is_transactional {
                    let id = subtask.ids.get_mut(number).expect("the writer's id is known");
                    if id.epoch != *epoch {
                        written.pop();
                        world.fail(self.version);
                        return Some(world);
                    }
                    id.state = Coordinator::Ongoing(written.clone());
                }
                subtask.position += 1;
            }
            Action::Barrier(at) => {
                let subtask = &mut world.subtasks[at];
                let Phase::Running { number, epoch, written } = subtask.phase.clone() else {
                    return None;
                };
                let checkpoint = world.settled + 1;
                subtask.reserved.clear();
                if self.is_transactional {
                    if !written.is_empty() {
                        subtask.committer.push(Committable { number, epoch, checkpoint });
                    }
                    let number = if self.pools { subtask.free_number() } else { checkpoint + 1 };
                    let epoch = subtask.initialise(number, completed)?;
                    subtask.phase = Phase::Running { number, epoch, written: Vec::new() };
                }
                let saved =
                    Saved { position: subtask.position, committables: subtask.committer.clone() };
                subtask.saved.insert(checkpoint, saved);
                subtask.acknowledged = checkpoint;
            }
            Action::Complete { is_told } => {
                world.settled += 1;
                world.completed = world.settled;
                if is_told {
                    world.notified = world.settled;
                } else {
                    world.spent.lost_notifications += 1;
                }
                for subtask in &mut world.subtasks {
                    subtask.saved.retain(|checkpoint, _| *checkpoint == world.settled);
                    let aborted = |it: &Committable| {
                        let id = &subtask.ids[&it.number];
                        id.epoch != it.epoch && !matches!(id.state, Coordinator::CompleteCommit)
                    };
                    let owned = &subtask.saved[&world.settled].committables;
                    subtask.is_lost |=
                        owned.iter().any(|it| it.checkpoint > completed && aborted(it));
                }
            }
            Action::Decline => {
                world.settled += 1;
                world.spent.declines += 1;
                for subtask in &mut world.subtasks {
                    subtask.saved.remove(&world.settled);
                }
            }
            Action::Commit(at) => {
                let subtask = &mut world.subtasks[at];
                let due =
                    subtask.committer.iter().position(|it| it.checkpoint <= world.notified)?;
                let oldest = subtask.committer[due].clone();
                if let Answer::AskAgain = subtask.end(&oldest, self.version) {
                    return None;
                }
                subtask.committer.remove(due);
            }
            Action::Crash => {
                world.spent.crashes += 1;
                if !self.is_transactional {
                    // What was sent is there, whatever becomes of the attempt.
                    for subtask in &mut world.subtasks {
                        if let Phase::Running { written, .. } = subtask.phase.clone() {
                            count(&mut subtask.committed, &written);
                        }
                    }
                }
                world.stop();
            }
            Action::TimeOut(at, number) => {
                world.spent.timeouts += 1;
                let subtask = &mut world.subtasks[at];
                let id = subtask.ids.get_mut(&number)?;
                let Coordinator::Ongoing(records) = id.state.clone() else { return None };
                let epoch = id.epoch;
                id.epoch += 1;
                id.state = Coordinator::PrepareAbort(records);
                subtask.note_loss((number, epoch), completed);
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
                let id = subtask.ids.get_mut(&number)?;
                if std::mem::take(&mut id.asks_again) {
                    id.state = Coordinator::Empty;
                    id.epoch += 1;
                }
            }
        }
        Some(world)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(NOTHING_TWICE, |it: &Self, world: &World| {
                world.subtasks.iter().all(|subtask| {
                    let mut copies = subtask.committed.clone();
                    if let (false, Phase::Running { written, .. }) =
                        (it.is_transactional, &subtask.phase)
                    {
                        count(&mut copies, written);
                    }
                    copies.iter().all(|copies| *copies < 2)
                })
            }),
            Property::always(NOTHING_LOST, |_, world: &World| {
                world.subtasks.iter().all(|it| !it.is_lost)
            }),
            // Keeps the checker going where the other is broken.
            Property::always("every state is seen", |_, _| true),
        ]
    }
}
