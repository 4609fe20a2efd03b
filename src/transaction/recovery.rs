//! A new attempt: restore, commit again what the state holds, abort what was left behind, open.
//!
//! Source: flink-connector-kafka 5.1, KafkaCommitter (resumeTransaction), ExactlyOnceKafkaWriter
//! (initialize) and TransactionOwnership (checkForMigration); Flink 2.1, CommitterOperator
//! (initializeState) and RegularOperatorChain (initializeStateAndOpenOperators); Flink 1.20,
//! TwoPhaseCommitSinkFunction (initializeState, recoverAndCommitInternal).

use super::event::{Answer, Fact, Failure, Hear, NotNow, Restart, Sink, Step};
use super::state::{Held, JOBS, Lane, Naming, Ownership, Phase, Place, Refusal, Task};
use super::task::Ending;

impl<H: Hear> Step<'_, H> {
    pub fn restore(&mut self, job: u8, with: Restart) -> Result<(), NotNow> {
        let Restart { from, position, prefix, naming, parallelism } = with;
        let has_state = from == 0
            || self.state.lanes.first().is_some_and(|it| it.snapshot(job, from).is_some());
        if self.state.job(job).is_up || !has_state || parallelism == 0 {
            return Err(NotNow);
        }
        let lanes = self.state.lanes.len().max(parallelism as usize);
        self.state.lanes.resize_with(lanes, Lane::new);
        let whole = self.state.lanes[0].snapshot(job, from).map_or(position, |it| it.position);
        for (number, lane) in self.state.lanes.iter_mut().enumerate() {
            for at in 0..lane.held.len() {
                let Held { job: owner, place, txn } = lane.held[at];
                if owner == job && from > 0 && place == Place::Snapshot(from) {
                    lane.held.push(Held { job, place: Place::Committer, txn });
                    // Only ids that are used again can be in use.
                    if naming == Naming::Pooling || self.rules.sink == Sink::Legacy {
                        lane.held.push(Held { job, place: Place::Reserved, txn });
                    }
                    lane.txns[txn as usize].is_owned = true;
                }
            }
            // What lies behind an older checkpoint is read again, whatever becomes of it.
            let position = lane.snapshot(job, from).map_or(whole, |it| it.position);
            for txn in &mut lane.txns {
                txn.is_owned &= txn.job != job || txn.from < position;
            }
            let holds = lane.held_at(job, Place::Committer).next().is_some();
            let is_active = number < parallelism as usize;
            let phase = match (holds, is_active) {
                (true, _) => Phase::Recommitting,
                (false, true) => Phase::CleaningUp,
                (false, false) => Phase::Down,
            };
            lane.tasks[job as usize] =
                Task { phase, position, sent: position, acked: from, ..Task::DOWN };
        }
        let owner = &mut self.state.jobs[job as usize];
        owner.is_up = true;
        owner.is_finished = false;
        owner.prefix = prefix;
        owner.naming = naming;
        owner.parallelism = parallelism;
        owner.completed = from;
        owner.settled = from;
        owner.notified = from;
        if from > 0 || owner.ownership != Ownership::Unknown {
            owner.ownership = match naming {
                Naming::Incrementing => Ownership::BySubtask,
                Naming::Pooling => Ownership::Explicit,
            };
        }
        self.out.hear(Fact::Restored { job, from });
        Ok(())
    }

    pub fn recommit(&mut self, job: u8, lane: u32, is_late: bool) -> Result<(), NotNow> {
        let here = &self.state.lanes[lane as usize];
        if here.tasks[job as usize].phase != Phase::Recommitting {
            return Err(NotNow);
        }
        if self.rules.sink == Sink::Table {
            self.commit_table(job, true)?;
            for lane in 0..self.state.lanes.len() {
                self.end_recommit(job, lane);
            }
            return Ok(());
        }
        let txn = here.held_at(job, Place::Committer).next().ok_or(NotNow)?;
        let answer = self.end(job, lane, txn, Ending::RESTORED)?;
        let is_forgiven = self.rules.sink == Sink::Legacy && self.rules.ignores_late && is_late;
        if answer == Answer::InvalidPidMapping && !is_forgiven {
            let checkpoint = self.state.lanes[lane as usize].txn(txn).checkpoint;
            self.fail(job, lane, checkpoint, Failure::InvalidPidMapping, true);
            return Ok(());
        }
        if answer == Answer::Accepted && self.rules.is_v2 && self.rules.sink.has_coordinator() {
            let here = &mut self.state.lanes[lane as usize];
            let id = here.txn(txn).id;
            here.ids[id as usize].init_after = true;
        }
        self.let_go(job, lane, txn);
        self.end_recommit(job, lane as usize);
        Ok(())
    }

    fn end_recommit(&mut self, job: u8, lane: usize) {
        let is_active = lane < self.state.job(job).parallelism as usize;
        let here = &mut self.state.lanes[lane];
        let is_done = here.held_at(job, Place::Committer).next().is_none();
        let task = &mut here.tasks[job as usize];
        if is_done && task.phase == Phase::Recommitting {
            task.phase = if is_active { Phase::CleaningUp } else { Phase::Down };
        }
    }

    pub fn open(&mut self, job: u8, lane: u32) -> Result<(), NotNow> {
        let owner = *self.state.job(job);
        if self.state.task(job, lane as usize).phase != Phase::CleaningUp
            || self.owned(job, lane).any(|at| self.state.task(job, at).phase == Phase::Recommitting)
        {
            return Err(NotNow);
        }
        if owner.is_transactional && self.rules.sink.has_coordinator() {
            if let Some(failure) = self.refused_start(job) {
                self.fail(job, lane, owner.settled, failure, true);
                return Ok(());
            }
            self.clean_up(job, lane)?;
            if !self.open_next(job, lane, owner.settled + 1, None)? {
                self.fail(job, lane, owner.settled, Failure::PoolEmpty, true);
                return Ok(());
            }
        } else if owner.is_transactional {
            self.clean_up(job, lane)?;
        }
        self.state.lanes[lane as usize].tasks[job as usize].phase = Phase::Running;
        if self.state.is_running(job) {
            self.out.hear(Fact::Running { job });
        }
        Ok(())
    }

    /// The lanes that a subtask answers for: its own, and those one parallelism on each.
    fn owned(&self, job: u8, lane: u32) -> impl Iterator<Item = usize> + use<H> {
        let step = self.state.job(job).parallelism as usize;
        (lane as usize..self.state.lanes.len()).step_by(step)
    }

    fn refused_start(&self, job: u8) -> Option<Failure> {
        let owner = self.state.job(job);
        let restored = self.state.lanes[0].snapshot(job, owner.settled);
        match (restored.map(|it| it.ownership), owner.naming, self.rules.sink) {
            (Some(Ownership::Explicit), Naming::Incrementing, Sink::Kafka) => {
                return Some(Failure::SwitchedBack);
            }
            (Some(Ownership::Unknown), Naming::Pooling, Sink::Kafka) => {
                return Some(Failure::Migrated);
            }
            _ => {}
        }
        owner.refusal.map(Failure::Refused)
    }

    pub fn refuse(&mut self, job: u8, refusal: Option<Refusal>) -> Result<(), NotNow> {
        if job as usize >= JOBS {
            return Err(NotNow);
        }
        self.state.jobs[job as usize].refusal = refusal;
        self.out.hear(Fact::Refuses { job, refusal });
        Ok(())
    }
}
