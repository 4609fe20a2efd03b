//! Which transactional id comes next, and how a new attempt finds those that were left behind.
//!
//! Source: flink-connector-kafka 5.1, TransactionNamingStrategyImpl (INCREMENTING, POOLING),
//! TransactionAbortStrategyImpl (PROBING, LISTING) and TransactionOwnership; Flink 1.20
//! FlinkKafkaProducer (finishRecoveringContext, initializeState) and TransactionalIdsGenerator.

use super::coordinator::{find_or_create, initialise};
use super::event::{Fact, Hear, NotNow, Rules, Sink, Step};
use super::state::{Fate, IdState, Job, Lane, Naming, Place};

/// How many times more subtasks there may have been before the first checkpoint:
/// FlinkKafkaProducer.SAFE_SCALE_DOWN_FACTOR.
const SAFE_SCALE_DOWN_FACTOR: u32 = 5;

/// The id that the writer uses next. `incrementing`: the number that INCREMENTING gives it.
/// `None`: the pool of the old sink is empty.
pub fn next_id(
    rules: &Rules,
    owner: &Job,
    lane: &mut Lane,
    job: u8,
    incrementing: u32,
    current: Option<u32>,
) -> Option<u32> {
    let number = match (rules.sink, owner.naming) {
        (Sink::Legacy, _) => {
            let after = current.map_or(0, |id| lane.record(id).number + 1);
            (0..rules.pool)
                .map(|step| (after + step) % rules.pool)
                .find(|number| !is_used(lane, job, owner.prefix, *number))?
        }
        (_, Naming::Incrementing) => incrementing,
        (_, Naming::Pooling) => (0..).find(|number| !is_used(lane, job, owner.prefix, *number))?,
    };
    Some(find_or_create(lane, owner.prefix, number, rules.first_epoch))
}

/// Whether a number belongs to a transaction that is pre-committed and, as far as the writer knows,
/// not finished.
fn is_used(lane: &Lane, job: u8, prefix: u8, number: u32) -> bool {
    lane.held.iter().any(|it| {
        let record = lane.record(lane.txn(it.txn).id);
        it.job == job
            && matches!(it.place, Place::Committer | Place::Reserved)
            && (record.prefix, record.number) == (prefix, number)
    })
}

impl<H: Hear> Step<'_, H> {
    /// Aborts what earlier attempts left behind in the lanes that a subtask owns.
    pub fn clean_up(&mut self, job: u8, lane: u32) -> Result<(), NotNow> {
        let owner = *self.state.job(job);
        let restored = self.state.lanes[0].snapshot(job, owner.settled).copied();
        let old_prefix = restored.map(|it| it.prefix).filter(|it| *it != owner.prefix);
        if !self.rules.sink.has_coordinator() {
            self.discard(job, lane, owner.parallelism);
            return Ok(());
        }
        for prefix in [Some(owner.prefix), old_prefix].into_iter().flatten() {
            match (self.rules.sink, owner.naming) {
                (Sink::Legacy, _) => self.abort_pool(job, lane, prefix, owner)?,
                (_, Naming::Incrementing) => self.probe(job, lane, prefix, owner)?,
                (_, Naming::Pooling) => self.abort_listed(job, lane, prefix, owner)?,
            }
        }
        Ok(())
    }

    /// PROBING: the ids after the restored checkpoint's, until one was never used; then the same for
    /// the subtask one parallelism on, until one had none.
    fn probe(&mut self, job: u8, lane: u32, prefix: u8, owner: Job) -> Result<(), NotNow> {
        let mut at = lane;
        loop {
            if at as usize >= self.state.lanes.len() {
                if !self.rules.walks_beyond {
                    return Ok(());
                }
                self.state.lanes.resize_with(at as usize + 1, Lane::new);
            }
            let here = &mut self.state.lanes[at as usize];
            let first = owner.settled + 1;
            let mut number = first;
            loop {
                let id = find_or_create(here, prefix, number, self.rules.first_epoch);
                initialise(here, at, id, self.out)?;
                let epoch = here.record(id).epoch;
                self.out.hear(Fact::Initialised { job, lane: at, id, epoch, is_probe: true });
                if here.record(id).epoch == 0 {
                    break;
                }
                number += 1;
            }
            if number == first {
                return Ok(());
            }
            at += owner.parallelism;
        }
    }

    /// LISTING: every ongoing transaction whose id begins with the prefix and belongs to an owned
    /// subtask, but for those that the restored state calls pre-committed.
    fn abort_listed(&mut self, job: u8, lane: u32, prefix: u8, owner: Job) -> Result<(), NotNow> {
        for at in (lane as usize..self.state.lanes.len()).step_by(owner.parallelism as usize) {
            let here = &mut self.state.lanes[at];
            for id in 0..here.ids.len() as u32 {
                let record = *here.record(id);
                let is_known = here.held_at(job, Place::Reserved).any(|txn| here.txn(txn).id == id);
                if record.state == IdState::Ongoing
                    && self.rules.is_covered(prefix, record.prefix)
                    && !is_known
                {
                    initialise(here, at as u32, id, self.out)?;
                    let (epoch, lane) = (here.record(id).epoch, at as u32);
                    self.out.hear(Fact::Initialised { job, lane, id, epoch, is_probe: true });
                }
            }
        }
        Ok(())
    }

    /// The old sink: the ids that its state names; without state, those of five times as many
    /// subtasks as there are.
    fn abort_pool(&mut self, job: u8, lane: u32, prefix: u8, owner: Job) -> Result<(), NotNow> {
        let has_state = owner.settled > 0;
        let end = (owner.parallelism * SAFE_SCALE_DOWN_FACTOR) as usize;
        for at in (lane as usize..self.state.lanes.len()).step_by(owner.parallelism as usize) {
            let here = &mut self.state.lanes[at];
            let is_named = here.snapshot(job, owner.settled).is_some();
            if if has_state { !is_named } else { at >= end } {
                continue;
            }
            for id in 0..here.ids.len() as u32 {
                let is_known = here.held_at(job, Place::Reserved).any(|txn| here.txn(txn).id == id);
                if here.record(id).prefix == prefix && !is_known {
                    initialise(here, at as u32, id, self.out)?;
                    let (epoch, lane) = (here.record(id).epoch, at as u32);
                    self.out.hear(Fact::Initialised { job, lane, id, epoch, is_probe: true });
                }
            }
        }
        Ok(())
    }

    /// Files and staged rows that no restored state names stay where they are, and nobody reads them.
    fn discard(&mut self, job: u8, lane: u32, parallelism: u32) {
        for at in (lane as usize..self.state.lanes.len()).step_by(parallelism as usize) {
            let here = &mut self.state.lanes[at];
            for txn in 0..here.txns.len() as u32 {
                let is_open = here.txn(txn).job == job && here.txn(txn).fate == Fate::Open;
                if is_open && !here.held_at(job, Place::Committer).any(|held| held == txn) {
                    here.txns[txn as usize].fate = Fate::Aborted;
                    self.out.hear(Fact::Marked { lane: at as u32, txn, is_commit: false });
                }
            }
        }
    }
}
