//! What a running task does: write, let the barrier pass, commit, fail and close.
//!
//! Pre-commit, snapshot and the opening of the next transaction happen in the task's thread without
//! anything in between that another actor could see, so the passing of a barrier is one step.
//!
//! Source: flink-connector-kafka 5.1, KafkaWriter (flush: not with DeliveryGuarantee.NONE, but at the end
//! of the input), ExactlyOnceKafkaWriter (prepareCommit, snapshotState, close)
//! and KafkaCommitter; Flink 2.1, CommitterOperator (notifyCheckpointComplete, emitCommittables) and
//! CommitRequestImpl (signalFailedWithKnownReason); Flink 1.20, TwoPhaseCommitSinkFunction
//! (snapshotState, notifyCheckpointComplete).

use super::coordinator::{Protocol, end_with_abort, end_with_commit, initialise};
use super::event::{Answer, Fact, Failure, Hear, NotNow, Sink, Step};
use super::naming::next_id;
use super::state::{Fate, Held, IdState, Lane, NONE, Phase, Place, Snapshot, Task, Txn, share};

/// Who ends a transaction, and how.
#[derive(Debug, Clone, Copy)]
pub struct Ending {
    pub protocol: Protocol,
    /// On recovery, by a resumed producer.
    pub restored: bool,
    pub is_zombie: bool,
}

impl Ending {
    const LIVE: Self = Self { protocol: Protocol::V1, restored: false, is_zombie: false };
    /// A resumed producer always speaks V1.
    pub const RESTORED: Self = Self { restored: true, ..Self::LIVE };
    const ZOMBIE: Self = Self { is_zombie: true, ..Self::LIVE };
}

impl<H: Hear> Step<'_, H> {
    /// How the client of a live task ends a transaction. A resumed one always speaks V1.
    fn live_protocol(&self) -> Protocol {
        if self.rules.is_v2 { Protocol::V2 } else { Protocol::V1 }
    }

    fn writes_transactions(&self, job: u8) -> bool {
        self.state.job(job).is_transactional && self.rules.sink.has_coordinator()
    }

    pub fn write(&mut self, job: u8, lane: u32, to: u32) -> Result<(), NotNow> {
        let task = *self.state.task(job, lane as usize);
        if task.phase != Phase::Running || to <= task.position {
            return Err(NotNow);
        }
        if !self.rules.flushes {
            let of = self.state.job(job).parallelism;
            self.state.lanes[lane as usize].tasks[job as usize].position = to;
            self.out.hear(Fact::HeldBack { job, lane, from: task.position, to, of });
            return Ok(());
        }
        let is_sent = self.send(job, lane, (task.position, to), false);
        if is_sent {
            let task = &mut self.state.lanes[lane as usize].tasks[job as usize];
            (task.position, task.sent) = (to, to);
        } else {
            self.fail(job, lane, task.acked + 1, Failure::InvalidProducerEpoch, true);
        }
        Ok(())
    }

    /// The producer sends what it held back, which nothing but its own batches makes it do.
    pub fn send_held(&mut self, job: u8, lane: u32) -> Result<(), NotNow> {
        let task = *self.state.task(job, lane as usize);
        if task.phase != Phase::Running || task.sent >= task.position {
            return Err(NotNow);
        }
        self.send(job, lane, (task.sent, task.position), false);
        self.state.lanes[lane as usize].tasks[job as usize].sent = task.position;
        Ok(())
    }

    /// Sends what belongs to the lane, as the task or as its zombie. False where the broker refuses.
    fn send(&mut self, job: u8, lane: u32, (from, to): (u32, u32), is_zombie: bool) -> bool {
        let of = self.state.job(job).parallelism;
        let has_coordinator = self.writes_transactions(job);
        let is_transactional = self.state.job(job).is_transactional;
        let here = &mut self.state.lanes[lane as usize];
        let who = |lane: &mut Lane| if is_zombie { lane.zombies } else { lane.tasks };
        let task = who(here)[job as usize];
        let count = share(from, to, lane, of);
        if count == 0 {
            // Read, and none of it belongs to this lane.
            if task.txn != NONE {
                here.txns[task.txn as usize].to = to;
            }
            return true;
        }
        if has_coordinator {
            let record = here.record(task.id);
            let holds = record.producer == task.producer && record.epoch == task.epoch;
            if !holds || record.state == IdState::Dead {
                self.out.hear(Fact::SendRefused { job, lane, id: task.id, is_zombie });
                return false;
            }
        }
        let mut txn = task.txn;
        if txn == NONE {
            txn = here.txns.len() as u32;
            let fate = if is_transactional { Fate::Open } else { Fate::Committed };
            here.txns.push(Txn {
                job,
                id: task.id,
                producer: task.producer,
                epoch: task.epoch,
                from,
                to,
                of,
                checkpoint: 0,
                fate,
                is_owned: false,
                first: self.state.end_offset,
                last: self.state.end_offset,
            });
            let tasks = if is_zombie { &mut here.zombies } else { &mut here.tasks };
            tasks[job as usize].txn = txn;
            if has_coordinator {
                let record = &mut here.ids[task.id as usize];
                record.state = IdState::Ongoing;
                record.txn = txn;
                self.out.hear(Fact::Started { lane, id: task.id, txn });
            }
        }
        self.state.end_offset += count;
        let grown = &mut here.txns[txn as usize];
        (grown.to, grown.last) = (to, self.state.end_offset - 1);
        self.out.hear(Fact::Appended { job, lane, txn, from, to, of });
        true
    }

    pub fn barrier(&mut self, job: u8, lane: u32) -> Result<(), NotNow> {
        let settled = self.state.job(job).settled;
        let task = *self.state.task(job, lane as usize);
        let checkpoint = task.acked + 1;
        if !self.state.is_running(job) || checkpoint > settled + self.rules.concurrent {
            return Err(NotNow);
        }
        let opens = self.writes_transactions(job);
        let is_transactional = self.state.job(job).is_transactional;
        let here = &mut self.state.lanes[lane as usize];
        if is_transactional {
            if task.txn == NONE {
                self.out.hear(Fact::NothingToCommit { job, lane, checkpoint });
            } else {
                here.txns[task.txn as usize].checkpoint = checkpoint;
                here.tasks[job as usize].txn = NONE;
                here.held.push(Held { job, place: Place::Committer, txn: task.txn });
                let txn = task.txn;
                self.out.hear(Fact::PreCommitted { job, lane, txn, checkpoint });
            }
        }
        // The writer drains the back channel, and the committer copies all that it still holds.
        drop_snapshot(here, job, checkpoint);
        here.held.retain(|it| it.job != job || it.place != Place::Reserved);
        for at in 0..here.held.len() {
            let Held { job: owner, place, txn } = here.held[at];
            if owner == job && place == Place::Committer {
                here.held.push(Held { job, place: Place::Snapshot(checkpoint), txn });
            }
        }
        if opens {
            if let Some(refusal) = self.state.job(job).refusal {
                self.fail(job, lane, checkpoint, Failure::Refused(refusal), true);
                return Ok(());
            }
            let number = checkpoint + 1;
            if !self.open_next(job, lane, number, Some(task.id))? {
                self.fail(job, lane, checkpoint, Failure::PoolEmpty, true);
                return Ok(());
            }
        }
        let owner = *self.state.job(job);
        let here = &mut self.state.lanes[lane as usize];
        here.snapshots.push(Snapshot {
            job,
            checkpoint,
            position: task.position,
            prefix: owner.prefix,
            ownership: owner.ownership,
        });
        here.tasks[job as usize].acked = checkpoint;
        self.out.hear(Fact::Acknowledged { job, lane, checkpoint });
        Ok(())
    }

    /// Opens a transaction: `initTransactions` on the next id. False where there is none.
    pub fn open_next(
        &mut self,
        job: u8,
        lane: u32,
        incrementing: u32,
        current: Option<u32>,
    ) -> Result<bool, NotNow> {
        let owner = *self.state.job(job);
        let here = &mut self.state.lanes[lane as usize];
        let Some(id) = next_id(self.rules, &owner, here, job, incrementing, current) else {
            return Ok(false);
        };
        initialise(here, lane, id, self.out)?;
        let record = *here.record(id);
        let task = &mut here.tasks[job as usize];
        task.id = id;
        task.producer = record.producer;
        task.epoch = record.epoch;
        task.txn = NONE;
        let epoch = record.epoch;
        self.out.hear(Fact::Initialised { job, lane, id, epoch, is_probe: false });
        Ok(true)
    }

    pub fn commit(&mut self, job: u8, lane: u32) -> Result<(), NotNow> {
        if self.rules.sink == Sink::Table {
            return self.commit_table(job, false);
        }
        let told = self.state.job(job).notified;
        let here = &self.state.lanes[lane as usize];
        if here.tasks[job as usize].phase != Phase::Running {
            return Err(NotNow);
        }
        let due = |lane: &Lane| {
            lane.held_at(job, Place::Committer).find(|txn| lane.txn(*txn).checkpoint <= told)
        };
        let txn = due(here).ok_or(NotNow)?;
        let ending = Ending { protocol: self.live_protocol(), ..Ending::LIVE };
        let answer = self.end(job, lane, txn, ending)?;
        self.let_go(job, lane, txn);
        let here = &mut self.state.lanes[lane as usize];
        let failed = match (self.rules.sink, answer) {
            (_, Answer::Accepted | Answer::Already) => false,
            (Sink::Legacy, _) => {
                here.tasks[job as usize].commit_failed = true;
                true
            }
            (_, Answer::InvalidPidMapping) => {
                let checkpoint = here.txn(txn).checkpoint;
                self.fail(job, lane, checkpoint, Failure::InvalidPidMapping, true);
                return Ok(());
            }
            // A known reason: logged, counted, dropped.
            _ => false,
        };
        let here = &self.state.lanes[lane as usize];
        if (failed || here.tasks[job as usize].commit_failed) && due(here).is_none() {
            let checkpoint = here.txn(txn).checkpoint;
            self.fail(job, lane, checkpoint, Failure::CommitFailed(answer), true);
        }
        Ok(())
    }

    /// EndTxn with commit, or what stands for it in a sink without a coordinator: a rename or a
    /// snapshot of the table, which done twice changes nothing.
    pub fn end(&mut self, job: u8, lane: u32, txn: u32, ending: Ending) -> Result<Answer, NotNow> {
        let Ending { protocol, restored, is_zombie } = ending;
        let here = &mut self.state.lanes[lane as usize];
        let has_coordinator = self.rules.sink.has_coordinator();
        let answer = if has_coordinator {
            end_with_commit(here, lane, txn, protocol, self.out)?
        } else if here.txn(txn).fate == Fate::Committed {
            Answer::Already
        } else {
            here.txns[txn as usize].fate = Fate::Committed;
            Answer::Accepted
        };
        self.out.hear(Fact::EndTxn { job, lane, txn, answer, restored, is_zombie });
        if !has_coordinator && answer == Answer::Accepted {
            self.out.hear(Fact::Marked { lane, txn, is_commit: true });
        }
        Ok(answer)
    }

    /// One snapshot of the table takes in what all subtasks staged.
    pub fn commit_table(&mut self, job: u8, restored: bool) -> Result<(), NotNow> {
        let told = self.state.job(job).notified;
        let phase = if restored { Phase::Recommitting } else { Phase::Running };
        let mut any = false;
        let due = |lane: &Lane| {
            let is_due = |txn: &u32| restored || lane.txn(*txn).checkpoint <= told;
            let is_here = lane.tasks[job as usize].phase == phase;
            lane.held_at(job, Place::Committer).find(is_due).filter(|_| is_here)
        };
        for lane in 0..self.state.lanes.len() {
            while let Some(txn) = due(&self.state.lanes[lane]) {
                any = true;
                self.end(job, lane as u32, txn, Ending { restored, ..Ending::LIVE })?;
                self.let_go(job, lane as u32, txn);
            }
        }
        if any { Ok(()) } else { Err(NotNow) }
    }

    pub fn let_go(&mut self, job: u8, lane: u32, txn: u32) {
        let held = Held { job, place: Place::Committer, txn };
        self.state.lanes[lane as usize].held.retain(|it| *it != held);
    }

    /// The committer gives up: an IOException that fails the task. It reaches no broker to abort.
    pub fn give_up(&mut self, job: u8, lane: u32) -> Result<(), NotNow> {
        let task = self.state.task(job, lane as usize);
        if task.phase == Phase::Down || !self.writes_transactions(job) {
            return Err(NotNow);
        }
        let checkpoint = self.state.lanes[lane as usize]
            .held_at(job, Place::Committer)
            .next()
            .map_or(task.acked, |txn| self.state.lanes[lane as usize].txn(txn).checkpoint);
        self.fail(job, lane, checkpoint, Failure::RetriesExhausted, false);
        Ok(())
    }

    /// A task fails, and with it the job: the others are cancelled, and all close. `reaches`: the
    /// broker can be asked.
    pub fn fail(&mut self, job: u8, lane: u32, checkpoint: u32, failure: Failure, reaches: bool) {
        self.out.hear(Fact::Failed { job, lane, checkpoint, failure });
        self.stop(job, reaches);
    }

    /// The tasks of a job end. Where they close, each aborts the transaction that it writes to; what
    /// is pre-committed stays open. A killed process leaves both.
    pub fn stop(&mut self, job: u8, closes: bool) {
        let protocol = self.live_protocol();
        let has_coordinator = self.writes_transactions(job);
        let settled = self.state.job(job).settled;
        for (number, lane) in self.state.lanes.iter_mut().enumerate() {
            let task = lane.tasks[job as usize];
            if closes && has_coordinator && task.phase == Phase::Running && task.txn != NONE {
                end_with_abort(lane, number as u32, task.txn, protocol, self.out);
            }
            lane.tasks[job as usize] = Task::DOWN;
            lane.snapshots.retain(|it| it.job != job || it.checkpoint <= settled);
            lane.held.retain(|it| {
                it.job != job
                    || match it.place {
                        Place::Committer | Place::Reserved => false,
                        Place::Snapshot(checkpoint) => checkpoint <= settled,
                        Place::Zombie => true,
                    }
            });
        }
        self.state.jobs[job as usize].is_up = false;
    }

    pub fn crash(&mut self, job: u8) -> Result<(), NotNow> {
        if !self.state.job(job).is_up {
            return Err(NotNow);
        }
        self.out.hear(Fact::Crashed { job });
        self.stop(job, false);
        Ok(())
    }

    /// The tasks live on where nobody hears them.
    pub fn cut_off(&mut self, job: u8) -> Result<(), NotNow> {
        for lane in &mut self.state.lanes {
            lane.zombies[job as usize] = lane.tasks[job as usize];
            for at in 0..lane.held.len() {
                if lane.held[at].job == job && lane.held[at].place == Place::Committer {
                    lane.held.push(Held { place: Place::Zombie, ..lane.held[at] });
                }
            }
        }
        self.crash(job)
    }

    pub fn zombie_send(&mut self, job: u8, lane: u32, to: u32) -> Result<(), NotNow> {
        let zombie = self.state.lanes[lane as usize].zombies[job as usize];
        if zombie.phase != Phase::Running || to <= zombie.position {
            return Err(NotNow);
        }
        let is_sent = self.send(job, lane, (zombie.position, to), true);
        let zombie = &mut self.state.lanes[lane as usize].zombies[job as usize];
        if is_sent {
            (zombie.position, zombie.sent) = (to, to);
        } else {
            *zombie = Task::DOWN;
        }
        Ok(())
    }

    pub fn zombie_commit(&mut self, job: u8, lane: u32, checkpoint: u32) -> Result<(), NotNow> {
        let here = &mut self.state.lanes[lane as usize];
        let held =
            here.held_at(job, Place::Zombie).find(|txn| here.txn(*txn).checkpoint == checkpoint);
        let txn = held.ok_or(NotNow)?;
        here.held.retain(|it| *it != Held { job, place: Place::Zombie, txn });
        self.end(job, lane, txn, Ending { protocol: self.live_protocol(), ..Ending::ZOMBIE })?;
        Ok(())
    }

    /// The input ends: the tasks close.
    pub fn finish(&mut self, job: u8) -> Result<(), NotNow> {
        if !self.state.job(job).is_up {
            return Err(NotNow);
        }
        self.stop(job, true);
        self.state.jobs[job as usize].is_finished = true;
        self.out.hear(Fact::Finished { job });
        Ok(())
    }
}

/// Forgets a job's part of a checkpoint, whose number is used again after an older one was restored.
pub fn drop_snapshot(lane: &mut Lane, job: u8, checkpoint: u32) {
    lane.snapshots.retain(|it| it.job != job || it.checkpoint != checkpoint);
    lane.held.retain(|it| it.job != job || it.place != Place::Snapshot(checkpoint));
}
