//! The transaction coordinator: InitProducerId, EndTxn, timeouts, markers and expiry of one
//! transactional id.
//!
//! The decision of a transaction is the entry PrepareCommit or PrepareAbort in the transaction log.
//! The answer to EndTxn comes right after it; markers, and so what readers see, come later.
//!
//! Source: Kafka 4.x, TransactionCoordinator (handleInitProducerId, endTransaction and
//! endTransactionWithTV1), TransactionMetadata (prepareFenceProducerEpoch, isEpochExhausted) and
//! TransactionStateManager (timedOutTransactions, removal of expired ids).

use super::event::{Answer, Cause, Fact, Hear, NotNow};
use super::state::{Fate, IdRecord, IdState, Lane, NONE};

/// From this epoch on an id gets a new producer id instead of the next epoch: Short.MAX_VALUE - 1.
const EXHAUSTED: i32 = 32_766;

/// Which EndTxn a client sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// EndTxn up to version 4: the epoch must be equal.
    V1,
    /// EndTxn 5 and above (KIP-890): each end moves the epoch on.
    V2,
}

/// The record of an id; made when it is asked for the first time.
pub fn find_or_create(lane: &mut Lane, prefix: u8, number: u32, first_epoch: i32) -> u32 {
    let is_it = |it: &IdRecord| it.prefix == prefix && it.number == number;
    if let Some(at) = lane.ids.iter().rposition(is_it) {
        return at as u32;
    }
    lane.ids.push(IdRecord {
        prefix,
        number,
        producer: 0,
        epoch: first_epoch,
        state: IdState::Empty,
        txn: NONE,
        init_after: false,
    });
    lane.ids.len() as u32 - 1
}

fn bump(record: &mut IdRecord) {
    if record.epoch >= EXHAUSTED {
        record.producer += 1;
        record.epoch = 0;
    } else {
        record.epoch += 1;
    }
}

/// InitProducerId without an expected epoch. A transaction of an earlier holder is aborted: the
/// coordinator moves the epoch on to fence it, and again when the client asks once more.
pub fn initialise(
    lane: &mut Lane,
    lane_number: u32,
    id: u32,
    out: &mut impl Hear,
) -> Result<(), NotNow> {
    let record = &mut lane.ids[id as usize];
    match record.state {
        IdState::PrepareCommit | IdState::PrepareAbort => return Err(NotNow),
        IdState::Ongoing => {
            bump(record);
            let txn = record.txn;
            record.txn = NONE;
            lane.txns[txn as usize].fate = Fate::Aborted;
            let cause = Some(Cause::Initialised);
            out.hear(Fact::Prepared { lane: lane_number, id, txn, is_commit: false, cause });
            out.hear(Fact::Marked { lane: lane_number, txn, is_commit: false });
        }
        _ => {}
    }
    let record = &mut lane.ids[id as usize];
    bump(record);
    record.state = IdState::Empty;
    Ok(())
}

/// EndTxn with commit, for a transaction as its committable describes it.
pub fn end_with_commit(
    lane: &mut Lane,
    lane_number: u32,
    txn: u32,
    protocol: Protocol,
    out: &mut impl Hear,
) -> Result<Answer, NotNow> {
    let asked = lane.txns[txn as usize];
    let record = &mut lane.ids[asked.id as usize];
    if record.state == IdState::Dead || record.producer != asked.producer {
        return Ok(Answer::InvalidPidMapping);
    }
    let is_current = record.epoch == asked.epoch;
    let is_retry = protocol == Protocol::V2 && record.epoch == asked.epoch + 1;
    if !is_current && !is_retry {
        return Ok(Answer::ProducerFenced);
    }
    match (record.state, protocol) {
        (IdState::Ongoing, _) if is_current => {
            record.state = IdState::PrepareCommit;
            if protocol == Protocol::V2 {
                bump(record);
            }
            // What is open under the id is what is committed, whatever the committable says.
            let (id, txn) = (asked.id, record.txn);
            lane.txns[txn as usize].fate = Fate::PreparedCommit;
            out.hear(Fact::Prepared { lane: lane_number, id, txn, is_commit: true, cause: None });
            Ok(Answer::Accepted)
        }
        (IdState::Ongoing, _) => Ok(Answer::ProducerFenced),
        // CONCURRENT_TRANSACTIONS: the client asks again.
        (IdState::PrepareCommit, Protocol::V1) => Err(NotNow),
        (IdState::PrepareCommit, Protocol::V2) if is_retry => Err(NotNow),
        (IdState::CompleteCommit, Protocol::V1) => Ok(Answer::Already),
        (IdState::CompleteCommit, Protocol::V2) if is_retry => Ok(Answer::Already),
        (IdState::Empty, Protocol::V2) if is_retry => Ok(Answer::ProducerFenced),
        _ => Ok(Answer::InvalidTxnState),
    }
}

/// EndTxn with abort, sent by a task that closes while it holds the newest epoch.
pub fn end_with_abort(
    lane: &mut Lane,
    lane_number: u32,
    txn: u32,
    protocol: Protocol,
    out: &mut impl Hear,
) {
    let asked = lane.txns[txn as usize];
    let record = &mut lane.ids[asked.id as usize];
    let holds = record.producer == asked.producer && record.epoch == asked.epoch;
    if record.state == IdState::Ongoing && holds && record.txn == txn {
        record.state = IdState::PrepareAbort;
        if protocol == Protocol::V2 {
            bump(record);
        }
        lane.txns[txn as usize].fate = Fate::PreparedAbort;
        let (id, cause) = (asked.id, Some(Cause::Closed));
        out.hear(Fact::Prepared { lane: lane_number, id, txn, is_commit: false, cause });
    }
}

/// The scan finds a transaction that ran too long: fence its producer, then abort. Only an ongoing
/// one; what is prepared is decided.
pub fn time_out(
    lane: &mut Lane,
    lane_number: u32,
    id: u32,
    out: &mut impl Hear,
) -> Result<(), NotNow> {
    let record = &mut lane.ids[id as usize];
    if record.state != IdState::Ongoing {
        return Err(NotNow);
    }
    record.state = IdState::PrepareAbort;
    bump(record);
    let txn = record.txn;
    lane.txns[txn as usize].fate = Fate::PreparedAbort;
    let cause = Some(Cause::Timeout);
    out.hear(Fact::Prepared { lane: lane_number, id, txn, is_commit: false, cause });
    Ok(())
}

/// All markers of a decided transaction are written.
pub fn write_markers(
    lane: &mut Lane,
    lane_number: u32,
    id: u32,
    out: &mut impl Hear,
) -> Result<(), NotNow> {
    let record = &mut lane.ids[id as usize];
    let is_commit = match record.state {
        IdState::PrepareCommit => true,
        IdState::PrepareAbort => false,
        _ => return Err(NotNow),
    };
    record.state = if is_commit { IdState::CompleteCommit } else { IdState::CompleteAbort };
    let txn = record.txn;
    record.txn = NONE;
    if record.init_after {
        record.init_after = false;
        record.state = IdState::Empty;
        bump(record);
    }
    lane.txns[txn as usize].fate = if is_commit { Fate::Committed } else { Fate::Aborted };
    out.hear(Fact::Marked { lane: lane_number, txn, is_commit });
    Ok(())
}

/// An id that was idle for too long is forgotten; the next InitProducerId gets a new producer id.
pub fn expire(
    lane: &mut Lane,
    lane_number: u32,
    id: u32,
    out: &mut impl Hear,
) -> Result<(), NotNow> {
    let record = &mut lane.ids[id as usize];
    if !matches!(record.state, IdState::Empty | IdState::CompleteCommit | IdState::CompleteAbort) {
        return Err(NotNow);
    }
    record.state = IdState::Dead;
    record.producer += 1;
    record.epoch = -1;
    out.hear(Fact::Expired { lane: lane_number, id });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transaction::state::Txn;

    fn lane(state: IdState, epoch: i32) -> Lane {
        let mut lane = Lane::new();
        find_or_create(&mut lane, 0, 1, -1);
        let is_open = !matches!(state, IdState::Empty);
        lane.ids[0].state = state;
        lane.ids[0].epoch = epoch;
        lane.ids[0].txn = if is_open { 0 } else { NONE };
        lane.txns.push(Txn {
            job: 0,
            id: 0,
            producer: 0,
            epoch: 5,
            from: 0,
            to: 1,
            of: 1,
            checkpoint: 1,
            fate: Fate::Open,
            is_owned: false,
            first: 0,
            last: 0,
        });
        lane
    }

    #[track_caller]
    fn check(state: IdState, lead: i32, protocol: Protocol, want: Result<Answer, NotNow>) {
        let mut lane = lane(state, 5 + lead);
        let got = end_with_commit(&mut lane, 0, 0, protocol, &mut ());
        assert_eq!(got, want, "{state:?} {lead} {protocol:?}");
    }

    #[test]
    fn a_commit_is_answered_by_state_and_epoch() {
        use Answer::{Accepted, Already, InvalidTxnState, ProducerFenced};
        use IdState::{CompleteAbort, CompleteCommit, Empty, Ongoing, PrepareAbort, PrepareCommit};
        use Protocol::{V1, V2};
        check(Ongoing, 0, V1, Ok(Accepted));
        check(PrepareCommit, 0, V1, Err(NotNow));
        check(PrepareAbort, 0, V1, Ok(InvalidTxnState));
        check(CompleteCommit, 0, V1, Ok(Already));
        check(CompleteAbort, 0, V1, Ok(InvalidTxnState));
        check(Empty, 0, V1, Ok(InvalidTxnState));
        check(CompleteCommit, 1, V1, Ok(ProducerFenced));
        check(Ongoing, 0, V2, Ok(Accepted));
        check(Ongoing, 1, V2, Ok(ProducerFenced));
        check(PrepareCommit, 1, V2, Err(NotNow));
        check(Empty, 1, V2, Ok(ProducerFenced));
        check(Empty, 0, V2, Ok(InvalidTxnState));
        check(CompleteAbort, 1, V2, Ok(InvalidTxnState));
        check(CompleteCommit, 1, V2, Ok(Already));
        check(CompleteCommit, 0, V2, Ok(InvalidTxnState));
        check(CompleteCommit, 2, V2, Ok(ProducerFenced));
    }

    #[test]
    fn the_first_epoch_is_zero_and_an_abort_costs_two() {
        let mut lane = Lane::new();
        let id = find_or_create(&mut lane, 0, 1, -1);
        assert!(initialise(&mut lane, 0, id, &mut ()).is_ok());
        assert_eq!(lane.ids[0].epoch, 0);
        let mut lane = self::lane(IdState::Ongoing, 5);
        assert!(initialise(&mut lane, 0, 0, &mut ()).is_ok());
        assert_eq!((lane.ids[0].epoch, lane.txns[0].fate), (7, Fate::Aborted));
    }

    #[test]
    fn an_exhausted_epoch_changes_the_producer_id() {
        let mut lane = lane(IdState::Empty, EXHAUSTED);
        assert!(initialise(&mut lane, 0, 0, &mut ()).is_ok());
        assert_eq!((lane.ids[0].producer, lane.ids[0].epoch), (1, 0));
    }

    #[test]
    fn what_is_prepared_does_not_time_out() {
        for state in [IdState::PrepareCommit, IdState::CompleteCommit, IdState::Empty] {
            assert_eq!(time_out(&mut lane(state, 5), 0, 0, &mut ()), Err(NotNow));
        }
    }
}
