//! Faults put into the protocol, each of which a property must notice: otherwise "all states keep the
//! promise" would say nothing.
//!
//! Source: each is a mistake that the protocol's rules are there against.

use super::ExploreParams;
use super::properties::Heard;
use super::protocol::{FlinkAndKafka, Protocol};
use super::search::Order;
use super::tests::{broken, check_kept, holds, run, small};
use crate::transaction::event::{Completion, Event, NotNow, Rules, Step};
use crate::transaction::params::NamingStrategy;
use crate::transaction::state::{Phase, Place, State};

/// A protocol with a fault: `before` and `after` each step do what the fault does, and `instead` takes
/// the place of a step.
trait Fault {
    fn before(_: &mut State, _: Event) {}
    fn after(_: &mut State, _: Event) {}
    fn instead(_: &mut State, _: Event, _: &Rules, _: &mut Heard) -> Option<Result<(), NotNow>> {
        None
    }
    fn last_stable_offset(state: &State) -> u32 {
        FlinkAndKafka::last_stable_offset(state)
    }
}

struct With<F>(F);

impl<F: Fault> Protocol for With<F> {
    fn step(
        state: &mut State,
        event: Event,
        rules: &Rules,
        heard: &mut Heard,
    ) -> Result<(), NotNow> {
        F::before(state, event);
        let done = F::instead(state, event, rules, heard);
        done.unwrap_or_else(|| FlinkAndKafka::step(state, event, rules, heard))?;
        F::after(state, event);
        Ok(())
    }

    fn last_stable_offset(state: &State) -> u32 {
        F::last_stable_offset(state)
    }
}

/// Without the fault the promise is kept, and with it the named property is broken.
#[track_caller]
fn check<F: Fault>(params: &ExploreParams, name: &str) {
    check_kept(params);
    let report = run::<With<F>>(params, Order::Breadth);
    let (found, steps) = broken(&report).expect("the fault is noticed");
    assert_eq!(found, name, "{steps:?}");
    // In the other order another promise may be found broken first.
    assert!(broken(&run::<With<F>>(params, Order::Depth)).is_some(), "noticed in any order");
}

/// The tasks commit as soon as they have pre-committed, before the metadata is stored.
struct CommitsTooEarly;

impl Fault for CommitsTooEarly {
    fn after(state: &mut State, event: Event) {
        if let Event::Barrier { job: 0, .. } = event {
            state.jobs[0].notified = state.jobs[0].settled + 1;
        }
    }
}

#[test]
fn a_commit_before_the_metadata_is_stored_writes_twice() {
    check::<CommitsTooEarly>(&small(), "nothingTwice");
}

/// A new attempt does not commit what the restored state holds.
struct ForgetsToRecommit;

impl Fault for ForgetsToRecommit {
    fn after(state: &mut State, event: Event) {
        if let Event::Restore { job: 0, .. } = event {
            for lane in &mut state.lanes {
                lane.held.retain(|it| matches!(it.place, Place::Snapshot(_)));
                lane.tasks[0].phase = Phase::CleaningUp;
            }
        }
    }
}

#[test]
fn a_recovery_that_commits_nothing_leaves_a_transaction_open_or_aborts_it() {
    check::<ForgetsToRecommit>(&small(), "noReaderStuck");
    let pooling = ExploreParams { naming: NamingStrategy::Pooling, ..small() };
    check::<ForgetsToRecommit>(&pooling, "nothingLost");
}

/// A new attempt aborts nothing of what was left behind.
struct LeavesWhatWasLeft;

impl Fault for LeavesWhatWasLeft {
    fn instead(
        state: &mut State,
        event: Event,
        rules: &Rules,
        heard: &mut Heard,
    ) -> Option<Result<(), NotNow>> {
        let Event::Open { job, lane } = event else { return None };
        if state.task(job, lane as usize).phase != Phase::CleaningUp {
            return Some(Err(NotNow));
        }
        let number = state.job(job).settled + 1;
        let mut at = Step { state, rules, out: heard };
        let opened = at.open_next(job, lane, number, None);
        at.state.lanes[lane as usize].tasks[job as usize].phase = Phase::Running;
        Some(opened.map(|_| ()))
    }
}

#[test]
fn a_sink_that_does_not_clean_up_blocks_readers_after_scaling_down() {
    let naming = NamingStrategy::Pooling;
    let params =
        ExploreParams { naming, sinks: 2, records: 1, rescales: 1, sinks_after: 1, ..small() };
    check::<LeavesWhatWasLeft>(&params, "noReaderStuck");
}

/// Each subtask goes on so many records after where the checkpoint says.
struct MovesTheSource<const BY: i32>;

impl<const BY: i32> Fault for MovesTheSource<BY> {
    fn after(state: &mut State, event: Event) {
        if let Event::Restore { job: 0, with } = event {
            for lane in &mut state.lanes {
                let position = &mut lane.tasks[0].position;
                let moved = position.saturating_add_signed(BY * with.parallelism as i32);
                *position = moved.min(2);
                lane.tasks[0].sent = lane.tasks[0].position;
            }
        }
    }
}

#[test]
fn a_source_one_record_behind_writes_twice() {
    check::<MovesTheSource<-1>>(&small(), "nothingTwice");
}

#[test]
fn a_source_one_record_ahead_loses_it() {
    check::<MovesTheSource<1>>(&small(), "nothingLost");
}

/// EndTxn is answered whatever the epoch of who asks.
struct IgnoresEpochs;

impl Fault for IgnoresEpochs {
    fn before(state: &mut State, event: Event) {
        if let Event::ZombieCommit { lane, .. } = event {
            let lane = &mut state.lanes[lane as usize];
            for txn in &mut lane.txns {
                txn.epoch = lane.ids[txn.id as usize].epoch;
            }
        }
    }
}

#[test]
fn a_coordinator_that_ignores_epochs_commits_for_a_task_that_was_cut_off() {
    let naming = NamingStrategy::Pooling;
    let params = ExploreParams { naming, crashes: 2, zombies: true, ..small() };
    check::<IgnoresEpochs>(&params, "nothingTwice");
}

/// Readers see up to the end of the partition, past open transactions.
struct ReadsPastOpen;

impl Fault for ReadsPastOpen {
    fn last_stable_offset(state: &State) -> u32 {
        state.end_offset
    }
}

#[test]
fn a_last_stable_offset_past_an_open_transaction_shows_what_is_not_committed() {
    let params = ExploreParams { is_partition_shared: true, records: 1, ..small() };
    check::<ReadsPastOpen>(&params, "readsOnlyCommitted");
}

/// No task is ever told that a checkpoint is complete.
struct TellsNobody;

impl Fault for TellsNobody {
    fn instead(
        state: &mut State,
        event: Event,
        rules: &Rules,
        heard: &mut Heard,
    ) -> Option<Result<(), NotNow>> {
        let Event::Complete { job, kind: Completion::Told } = event else { return None };
        let untold = Event::Complete { job, kind: Completion::Untold };
        Some(FlinkAndKafka::step(state, untold, rules, heard))
    }
}

#[test]
fn where_nobody_is_told_nothing_commits() {
    let params = ExploreParams { crashes: 0, ..small() };
    assert!(holds(&check_kept(&params), "commits"));
    let report = run::<With<TellsNobody>>(&params, Order::Breadth);
    assert!(report.is_complete && broken(&report).is_none(), "{}", report.text);
    assert!(!holds(&report, "commits"));
}
