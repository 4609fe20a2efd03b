//! What holds when subtasks and TaskManagers fail: every record counts as often as is promised, over any
//! number of restarts; the books balance at each step; and a run is the same however it is sliced.
//!
//! A check that cannot fail proves nothing, so rules are broken here on purpose, from outside.
//!
//! Source: the guarantees of Flink 1.20.5, CheckpointingMode.

use proptest::prelude::*;

use super::ledger::Ledger;
use super::{EVENTS_MAX, periodic};
use crate::checkpoint::detection::{FailureKind, Heartbeat};
use crate::checkpoint::facts::Fact;
use crate::checkpoint::job::{Failure, Job, Placement, Plan};
use crate::checkpoint::params::Mode;
use crate::checkpoint::report::CheckpointStatus;
use crate::checkpoint::restart::RestartStrategy;
use crate::checkpoint::samples;
use crate::checkpoint::scenario::{Scenario, ScenarioFailure};
use crate::checkpoint::simulation::Simulation;
use crate::checkpoint::time::SimTime;
use crate::checkpoint::what_if::change::{CHANGES, MODES, with_mode};
use crate::units::FlinkVersion;

const RUN: SimTime = SimTime::from_ms(9000);

fn kinds() -> impl Strategy<Value = FailureKind> {
    prop_oneof![
        2 => Just(FailureKind::Task),
        1 => Just(FailureKind::TaskManagerLost),
        1 => Just(FailureKind::TaskManagerUnreachable)
    ]
}

fn strategies() -> impl Strategy<Value = RestartStrategy> {
    let exponential = |flink| RestartStrategy::ExponentialDelay {
        flink,
        initial_backoff_ms: 100,
        max_backoff_ms: 1000,
        backoff_multiplier: 1.5,
        reset_backoff_threshold_ms: 2000,
        jitter_factor: 0.1,
        attempts_before_reset_backoff: None,
    };
    prop_oneof![
        3 => Just(RestartStrategy::FixedDelay { attempts: None, delay_ms: 300 }),
        1 => Just(RestartStrategy::FixedDelay { attempts: Some(3), delay_ms: 0 }),
        1 => Just(exponential(FlinkVersion::V1_18)),
        1 => Just(exponential(FlinkVersion::V1_20)),
    ]
}

/// Jobs that take a checkpoint every so often and fail a few times.
pub(super) fn failing() -> impl Strategy<Value = Job> {
    let failures = prop::collection::vec((300..8500_u64, 0..3_usize, 0..4_u32, kinds()), 1..5);
    let times = (200..1500_u64, 600..4000_u64, 0..400_u64, prop::option::of(1e3..1e6_f64));
    (periodic(), failures, strategies(), times).prop_map(
        |((mut job, _), failures, restart, (interval, timeout, pause, restore))| {
            job.plan = Plan::Periodic { first: SimTime::from_ms(interval / 2), run: RUN };
            job.run = Some(RUN);
            job.coordinator.interval = SimTime::from_ms(interval);
            job.coordinator.timeout = SimTime::from_ms(timeout);
            job.coordinator.min_pause = SimTime::from_ms(pause);
            job.coordinator.tolerable_failures = 1;
            // What a task takes it sends on, so that the books can be compared.
            for vertex in &mut job.vertices {
                vertex.selectivity = 1.0;
                vertex.state_bytes = vec![20_000.0];
            }
            job.recovery.failures = failures
                .into_iter()
                .map(|(at, vertex, subtask, kind)| {
                    let vertex = vertex % job.vertices.len();
                    let subtask = subtask % job.vertices[vertex].parallelism;
                    Failure { at: SimTime::from_ms(at), vertex, subtask, kind }
                })
                .collect();
            job.recovery.heartbeat =
                Heartbeat { interval_ms: 300, timeout_ms: 1500, rpc_failure_threshold: 2 };
            job.recovery.restart = restart;
            job.recovery.restore_bytes_per_second = restore;
            job
        },
    )
}

fn finished(job: Job, slice: u64) -> Simulation {
    let mut run = Simulation::new(job);
    while !run.advance(slice.min(EVENTS_MAX - run.events)).done && run.events < EVENTS_MAX {}
    run
}

/// What a reader of the whole report can see to be wrong.
fn consistent(run: &Simulation) -> Result<(), String> {
    let report = run.report();
    let fail = |says: String| Err(says);
    let mut up_since = 0;
    for it in &report.recoveries {
        let restarted = it.restarted_ms.unwrap_or(report.run_ms);
        if !(it.failed_ms <= it.noticed_ms
            && it.noticed_ms <= restarted
            && up_since <= it.noticed_ms)
        {
            return fail(format!("moments out of order: {it:?}"));
        }
        if it
            .restarted_ms
            .is_some_and(|at| at < it.noticed_ms + it.restart_delay_ms + it.restore_ms)
        {
            return fail(format!("too early: {it:?}"));
        }
        if it.caught_up_ms.is_some_and(|at| it.restarted_ms.is_none_or(|from| at < from)) {
            return fail(format!("caught up before it ran: {it:?}"));
        }
        if it.suppressed.is_some() && it.restarted_ms.is_some() {
            return fail(format!("it runs again and does not: {it:?}"));
        }
        for checkpoint in &report.checkpoints {
            let triggered = checkpoint.triggered_ms;
            // Within a millisecond, which of the two was first is not said.
            if triggered > it.noticed_ms && triggered < restarted {
                return fail(format!("{} is triggered while the job is down", checkpoint.id));
            }
            let open = checkpoint.status == CheckpointStatus::InProgress;
            if open && triggered < it.noticed_ms {
                return fail(format!("{} survives a restart", checkpoint.id));
            }
        }
        let restored = it.restored_checkpoint.map(|id| &report.checkpoints[id as usize - 1]);
        if let Some(of) = restored
            && (of.status != CheckpointStatus::Completed
                || of.triggered_ms + of.end_to_end_ms > it.noticed_ms
                || of.triggered_ms != it.recovery_point_ms)
        {
            return fail(format!("{} cannot be restored: {it:?}", of.id));
        }
        up_since = restarted;
    }
    for it in &report.checkpoints {
        let whole = it.num_acknowledged == it.num_subtasks;
        if (it.status == CheckpointStatus::Completed) != whole {
            return fail(format!(
                "{} of {} subtasks of {}",
                it.num_acknowledged, it.num_subtasks, it.id
            ));
        }
        if (it.status == CheckpointStatus::Failed) != it.failure_message.is_some() {
            return fail(format!("{} fails without a reason or completes with one", it.id));
        }
    }
    let facts = run.facts();
    if facts.time_ms.is_sorted() && facts.dropped == 0 {
        let count = |kind: Fact| facts.kind.iter().filter(|it| **it == kind as u8).count();
        let counts =
            [Fact::Triggered, Fact::Completed, Fact::Failed, Fact::FailureNoticed].map(count);
        let of = |status| report.checkpoints.iter().filter(|it| it.status == status).count();
        let expected = [
            report.checkpoints.len(),
            of(CheckpointStatus::Completed),
            of(CheckpointStatus::Failed),
            report.recoveries.len(),
        ];
        if counts != expected {
            return fail(format!("the log has {counts:?}, the report {expected:?}"));
        }
    } else if facts.dropped == 0 {
        return fail("the log goes back in time".to_owned());
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn every_record_counts_over_any_number_of_restarts(job in failing()) {
        let mut run = Simulation::new(job);
        let mut ledger = Ledger::default();
        while !run.advance(1).done && run.events < EVENTS_MAX {
            let balanced = ledger.check(&run);
            prop_assert!(balanced.is_ok(), "after {} events: {}", run.events, balanced.unwrap_err());
        }
        let balanced = consistent(&run);
        prop_assert!(balanced.is_ok(), "{}", balanced.unwrap_err());
    }

    #[test]
    fn a_failing_run_does_not_depend_on_the_slices(job in failing(), slice in 1..5000_u64) {
        let (whole, sliced) = (finished(job.clone(), EVENTS_MAX), finished(job, slice));
        prop_assert_eq!(whole.report(), sliced.report());
        prop_assert_eq!(whole.facts(), sliced.facts());
        prop_assert_eq!(whole.series(), sliced.series());
    }
}

/// A keyed job of two and two subtasks that fails in every way.
fn failing_scenario(mode: Mode, seed: u32) -> Scenario {
    let mut it = samples::scenario();
    it.vertices[0].parallelism = 2;
    it.vertices[1].parallelism = 2;
    it.vertices[0].source.as_mut().expect("a source").rate = vec![700.0];
    it.vertices[1].service =
        vec![crate::checkpoint::random::ServiceTime::Exponential { mean_us: 1300.0 }];
    it.vertices[1].state.bytes = vec![1e6];
    it.checkpointing.mode = mode;
    it.checkpointing.aligned_checkpoint_timeout_ms = 50;
    it.checkpointing.interval_ms = 900;
    it.checkpointing.timeout_ms = 2000;
    it.checkpointing.tolerable_failed_checkpoints = 2;
    it.network.placement = Placement::Slots { slots_per_task_manager: 1 };
    it.recovery.restore_bytes_per_second = Some(5e6);
    it.recovery.heartbeat.interval_ms = 1000;
    it.recovery.heartbeat.timeout_ms = 4000;
    it.seed = seed;
    let kinds =
        [FailureKind::Task, FailureKind::TaskManagerLost, FailureKind::TaskManagerUnreachable];
    it.recovery.failures = kinds
        .into_iter()
        .zip([4300, 12_700, 20_100])
        .map(|(kind, at_ms)| ScenarioFailure { at_ms, vertex: 1, subtask: 1, kind })
        .collect();
    it
}

#[test]
fn every_what_if_of_a_failing_scenario_is_consistent() {
    let mut restored = 0;
    for seed in 0..3 {
        let scenario = failing_scenario(Mode::Aligned, seed);
        let modes = MODES.map(|mode| with_mode(&scenario, mode, 50));
        let changes = CHANGES
            .iter()
            .filter_map(|it| it.trial(&scenario, 50, crate::units::FlinkVersion::V1_20).ok());
        for trial in modes.into_iter().chain(changes) {
            let mut run = Simulation::new(trial.scenario.job().expect("it can be"));
            let mut ledger = Ledger::default();
            while !run.advance(7).done {
                ledger
                    .check(&run)
                    .map_err(|says| format!("{}: {says}", trial.title))
                    .expect("it balances");
            }
            consistent(&run)
                .map_err(|says| format!("{}: {says}", trial.title))
                .expect("it balances");
            assert_eq!(run.recoveries.len(), 3, "{}: {:?}", trial.title, run.recoveries);
            restored += ledger.restored_in_flight;
        }
    }
    assert!(restored > 10, "in-flight data was restored {restored} times");
}

/// The first thing that the books say of a run with a broken rule. `bug` breaks it after an event, if it
/// can be broken there, and says whether it did.
fn found(mode: Mode, mut bug: impl FnMut(&mut Simulation) -> bool) -> Option<String> {
    let scenario = failing_scenario(mode, 5);
    let mut run = Simulation::new(scenario.job().expect("it can be"));
    let mut ledger = Ledger::default();
    let mut was_broken = false;
    while !run.advance(1).done {
        if let Err(says) = ledger.check(&run) {
            assert!(was_broken, "{says}");
            return Some(says);
        }
        was_broken |= bug(&mut run);
    }
    assert!(was_broken, "the rule could not be broken");
    None
}

#[track_caller]
fn caught(mode: Mode, bug: impl FnMut(&mut Simulation) -> bool, words: &str) {
    let says = found(mode, bug).expect("the books show it");
    assert!(says.contains(words), "{says}");
}

/// The newest checkpoint that is complete, with the data that it holds.
fn newest(run: &mut Simulation) -> Option<&mut crate::checkpoint::report::Checkpoint> {
    run.checkpoints.iter_mut().rfind(|it| it.status == CheckpointStatus::Completed)
}

#[test]
fn a_channel_that_is_not_blocked_is_caught() {
    let forgets_to_block = |run: &mut Simulation| {
        let blocked = super::blocked(run);
        blocked.iter().for_each(|it| run.network.resume(it.2));
        // Where nothing is behind the barrier it makes no difference.
        blocked.iter().any(|it| run.network.channels[it.2].has_something())
    };
    caught(Mode::Aligned, forgets_to_block, "is blocked and was read");
}

#[test]
fn a_record_that_is_taken_twice_is_caught() {
    let takes_twice = |run: &mut Simulation| {
        let it = run.network.channels.iter_mut().find(|it| it.consumed > 0);
        it.is_some_and(|it| {
            it.consumed += it.record_bytes;
            true
        })
    };
    caught(Mode::Aligned, takes_twice, "went into channel");
}

#[test]
fn a_credit_from_nowhere_is_caught() {
    let mints_a_credit = |run: &mut Simulation| {
        let it = run.network.channels.iter_mut().find(|it| it.remote);
        it.is_some_and(|it| {
            it.free_exclusive += 1;
            true
        })
    };
    caught(Mode::Unaligned, mints_a_credit, "exclusive buffers");
}

#[test]
fn in_flight_data_that_is_not_persisted_or_not_restored_is_caught() {
    // While the checkpoint is in progress it is the cut that is wrong.
    let forgets_to_persist = |run: &mut Simulation| {
        let open =
            run.checkpoints.iter_mut().filter(|it| it.status == CheckpointStatus::InProgress);
        let mut cuts = open.flat_map(|it| &mut it.cut);
        cuts.any(|it| std::mem::take(&mut it.persisted) > 0)
    };
    caught(Mode::Unaligned, forgets_to_persist, "cuts channel");
    // Of a complete one, it is what is restored.
    let forgets_to_restore = |run: &mut Simulation| {
        newest(run).is_some_and(|it| {
            it.cut
                .iter_mut()
                .filter_map(|cut| (std::mem::take(&mut cut.persisted) > 0).then_some(()))
                .count()
                > 0
        })
    };
    caught(Mode::Unaligned, forgets_to_restore, "took");
}

#[test]
fn in_flight_data_or_a_replay_that_comes_twice_is_caught() {
    let mut doubled = 0;
    let restores_twice = move |run: &mut Simulation| {
        let bytes: Vec<u64> = run.network.channels.iter().map(|it| it.record_bytes).collect();
        let Some(it) = newest(run).filter(|it| it.id > doubled) else { return false };
        doubled = it.id;
        let mut cuts = it.cut.iter_mut().zip(bytes);
        cuts.find(|it| it.0.persisted > 0).is_some_and(|(cut, bytes)| {
            cut.persisted += bytes;
            true
        })
    };
    caught(Mode::Unaligned, restores_twice, "took");
    // The source goes back a record further than its state says.
    let replays_one_more = |run: &mut Simulation| {
        let newest = newest(run).map(|it| it.id);
        let mut points = run.source_points.iter_mut();
        let point = points.find(|it| Some(it.id) == newest && it.offset > 0);
        point.is_some_and(|it| {
            it.offset -= 1;
            true
        })
    };
    for mode in [Mode::Aligned, Mode::Unaligned, Mode::AtLeastOnce] {
        caught(mode, replays_one_more, "took");
    }
}

#[test]
fn runs_without_a_broken_rule_balance() {
    for mode in MODES {
        let mut run = Simulation::new(failing_scenario(mode, 5).job().expect("it can be"));
        let mut ledger = Ledger::default();
        while !run.advance(1).done {
            ledger.check(&run).expect("nothing is broken");
        }
        assert_eq!(run.recoveries.len(), 3);
    }
}
