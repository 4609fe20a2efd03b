//! Counts of small models, and ways that break a promise.
//!
//! Source: pinned by both orders of search and by the cross-check in tests/.

use super::protocol::{FlinkAndKafka, Protocol};
use super::search::{Exploration, Order};
use super::{ExploreParams, ExploreReport, SecondPrefix, WayParams, replay};
use crate::transaction::params::{NamingStrategy, SinkKind, TxnProtocol};

pub fn small() -> ExploreParams {
    ExploreParams {
        sinks: 1,
        records: 2,
        checkpoints: 2,
        is_symmetric: false,
        ..ExploreParams::default()
    }
}

pub fn run<P: Protocol>(params: &ExploreParams, order: Order) -> ExploreReport {
    let mut search = Exploration::<P>::in_order(params, order).expect("the bounds are accepted");
    while !search.advance(1 << 20).done {}
    search.report()
}

fn explore(params: &ExploreParams) -> ExploreReport {
    run::<FlinkAndKafka>(params, Order::Breadth)
}

/// Both orders see all states, as many as are given.
#[track_caller]
fn check(params: &ExploreParams, distinct: u32) {
    // One that is no `always`, so that nothing ends the search.
    let params = ExploreParams { stop_at: vec!["commits".to_owned()], ..params.clone() };
    for order in [Order::Breadth, Order::Depth] {
        let report = run::<FlinkAndKafka>(&params, order);
        assert!(report.is_complete, "{order:?}: {}", report.text);
        assert_eq!(report.progress.distinct, distinct, "{order:?}");
    }
}

/// The first property of the promise that is broken, and the steps to it.
pub fn broken(report: &ExploreReport) -> Option<(&'static str, Vec<&'static str>)> {
    let found = report.properties.iter().find(|it| it.is_promise && !it.holds)?;
    let steps = found.steps.as_ref()?;
    Some((found.name, steps.iter().map(|it| it.kind).collect()))
}

#[track_caller]
pub fn holds(report: &ExploreReport, name: &str) -> bool {
    report.properties.iter().find(|it| it.name == name).expect("it is judged").holds
}

/// All states keep the promise.
#[track_caller]
pub fn check_kept(params: &ExploreParams) -> ExploreReport {
    let report = explore(params);
    assert_eq!(broken(&report), None, "{params:?}");
    assert!(report.is_complete, "{params:?}: {}", report.text);
    report
}

/// A property of the promise is broken by a way that has such a step.
#[track_caller]
fn check_broken(params: &ExploreParams, name: &str, step: &str) {
    let (found, steps) = broken(&explore(params)).expect("it is broken");
    assert_eq!(found, name, "{steps:?}");
    assert!(steps.contains(&step), "{steps:?}");
}

#[test]
fn both_orders_see_the_same_states() {
    check(&small(), 1_505);
}

#[test]
fn every_sometimes_is_seen_and_the_promise_is_kept() {
    let params = ExploreParams { sinks: 2, is_symmetric: true, records: 1, ..small() };
    let report = explore(&params);
    assert!(report.is_complete, "{}", report.text);
    for property in &report.properties {
        let is_extra = !property.is_promise && property.name.starts_with("no");
        assert!(property.holds || is_extra, "{}", property.text);
    }
}

#[test]
fn a_timeout_loses_what_a_completed_checkpoint_owns() {
    let report = explore(&ExploreParams { timeouts: 1, ..small() });
    let (name, steps) = broken(&report).expect("it is broken");
    assert_eq!(name, "nothingLost");
    assert_eq!(steps.iter().filter(|it| **it == "timeout").count(), 1);
}

#[test]
fn without_transactions_a_crash_writes_twice() {
    let params = ExploreParams { is_transactional: false, ..small() };
    let (name, _) = broken(&explore(&params)).expect("it is broken");
    assert_eq!(name, "nothingTwice");
    let upsert = ExploreParams { sink: SinkKind::Upsert, ..small() };
    assert_eq!(broken(&explore(&upsert)), None, "a row written again is the same row");
}

#[test]
fn without_a_guarantee_a_crash_loses_what_the_producer_holds_back() {
    let params = ExploreParams { is_transactional: false, flushes: false, ..small() };
    check(&params, 384);
    let (name, steps) = broken(&explore(&params)).expect("it is broken");
    assert_eq!(name, "nothingLost");
    assert_eq!(steps[steps.len() - 2..], ["complete", "crash"], "{steps:?}");
    assert!(!steps.contains(&"sendHeld"), "{steps:?}");
    // Nothing is lost while the task lives, and at-least-once flushes first.
    check_kept(&ExploreParams { crashes: 0, ..params.clone() });
    let flushed = explore(&ExploreParams { flushes: true, ..params.clone() });
    assert!(holds(&flushed, "nothingLost"));
    let refused = Exploration::new(&ExploreParams { is_transactional: true, ..params });
    let refused = refused.map(|_| ()).expect_err("it is refused");
    assert!(refused.to_string().contains("flushes"), "{refused}");
}

#[test]
fn an_older_checkpoint_writes_twice() {
    let params = ExploreParams { older_restores: 1, crashes: 1, ..small() };
    let (name, steps) = broken(&explore(&params)).expect("it is broken");
    assert_eq!(name, "nothingTwice");
    assert!(steps.contains(&"restore"));
}

#[test]
fn files_and_tables_keep_the_promise() {
    for sink in [SinkKind::File, SinkKind::Table, SinkKind::Legacy] {
        let report = explore(&ExploreParams { sink, ..small() });
        assert!(report.is_complete && broken(&report).is_none(), "{sink:?}: {}", report.text);
    }
}

#[test]
fn a_committed_transaction_is_refused_on_version_2_and_nothing_is_lost() {
    for naming in [NamingStrategy::Incrementing, NamingStrategy::Pooling] {
        let params = ExploreParams { txn_protocol: TxnProtocol::Tv2, naming, ..small() };
        let report = explore(&params);
        assert!(report.is_complete && broken(&report).is_none(), "{}", report.text);
        let refused = report.properties.iter().find(|it| it.name == "noRefusedCommit");
        assert!(refused.is_some_and(|it| !it.holds), "{naming:?}: a false alarm");
    }
}

#[test]
fn sorting_lanes_keeps_one_of_each_orbit() {
    // Two sinks, a record each, two checkpoints, one crash.
    let whole = ExploreParams { sinks: 2, records: 1, is_symmetric: false, ..small() };
    let sorted = ExploreParams { is_symmetric: true, ..whole.clone() };
    let (whole, sorted) = (explore(&whole), explore(&sorted));
    let (whole, sorted) = (whole.progress.distinct, sorted.progress.distinct);
    assert_eq!((whole, sorted), (12_672, 6_502));
    assert!(sorted < whole && whole <= 2 * sorted, "{whole} states in {sorted} orbits");
}

const POOLING: NamingStrategy = NamingStrategy::Pooling;

#[test]
fn each_bound_adds_as_many_states_in_both_orders() {
    for (params, states) in [
        (ExploreParams { crashes: 2, ..small() }, 14_124),
        (ExploreParams { older_restores: 1, ..small() }, 1_808),
        (ExploreParams { zombies: true, ..small() }, 2_229),
        (ExploreParams { fresh_starts: 1, ..small() }, 2_693),
        (ExploreParams { prefix_changes: 1, ..small() }, 4_257),
        (ExploreParams { naming_changes: 1, ..small() }, 3_804),
        (ExploreParams { rescales: 1, sinks_after: 2, ..small() }, 7_879),
        (ExploreParams { limit_lowered: 1, ..small() }, 3_484),
        (ExploreParams { second_starts: 1, ..small() }, 23_889),
        (ExploreParams { second_starts: 1, second_records: 1, records: 1, ..small() }, 420_762),
        (ExploreParams { is_partition_shared: true, sinks: 2, records: 1, ..small() }, 16_328),
    ] {
        check(&params, states);
    }
}

#[test]
fn each_sink_naming_and_protocol_has_as_many_states_in_both_orders() {
    let txn_protocol = TxnProtocol::Tv2;
    let variants = [
        ExploreParams { naming: POOLING, ..small() },
        ExploreParams { txn_protocol, ..small() },
        ExploreParams { naming: POOLING, txn_protocol, ..small() },
        ExploreParams { naming: POOLING, timeouts: 1, ..small() },
        ExploreParams { txn_protocol, timeouts: 1, ..small() },
        ExploreParams { expiries: 1, ..small() },
        ExploreParams { expiries: 1, txn_protocol, ..small() },
        ExploreParams { is_transactional: false, ..small() },
        ExploreParams { sink: SinkKind::Legacy, ..small() },
        ExploreParams { sink: SinkKind::Legacy, timeouts: 1, ..small() },
        ExploreParams { sink: SinkKind::File, ..small() },
        ExploreParams { sink: SinkKind::Table, ..small() },
        ExploreParams { sink: SinkKind::Upsert, ..small() },
    ];
    for order in [Order::Breadth, Order::Depth] {
        let counts = variants.each_ref().map(|it| {
            let params = ExploreParams { stop_at: vec!["commits".to_owned()], ..it.clone() };
            let report = run::<FlinkAndKafka>(&params, order);
            assert!(report.is_complete, "{params:?}: {}", report.text);
            report.progress.distinct
        });
        let states =
            [1_174, 1_691, 1_268, 6_173, 10_560, 15_699, 18_388, 175, 1_497, 12_655, 338, 336, 175];
        assert_eq!(counts, states, "{order:?}");
    }
}

#[test]
fn a_second_job_with_the_same_prefix_loses_what_the_first_has_not_committed() {
    let params = ExploreParams { crashes: 0, second_starts: 1, ..small() };
    check_broken(&params, "nothingLost", "secondStarts");
    // POOLING asks for the beginning of a name, with nothing between prefix and number.
    let second_prefix = SecondPrefix::Shorter;
    check_kept(&ExploreParams { second_prefix, ..params.clone() });
    let params = ExploreParams { second_prefix, naming: POOLING, ..params };
    check_broken(&params, "nothingLost", "secondStarts");
    check_kept(&ExploreParams { second_prefix: SecondPrefix::Own, ..params });
}

#[test]
fn a_job_that_stays_away_blocks_the_readers_of_a_partition_that_it_shares() {
    let params = ExploreParams {
        records: 1,
        second_starts: 1,
        second_records: 1,
        second_prefix: SecondPrefix::Own,
        ..small()
    };
    check_kept(&params);
    let params = ExploreParams { is_partition_shared: true, ..params };
    check_broken(&params, "noReaderStuck", "secondCrashes");
}

#[test]
fn a_changed_prefix_blocks_readers_only_without_state() {
    for naming in [NamingStrategy::Incrementing, POOLING] {
        let params = ExploreParams { naming, prefix_changes: 1, ..small() };
        // Before the first checkpoint there is no state that would know the old prefix.
        let (name, steps) = broken(&explore(&params)).expect("it is broken");
        assert_eq!(name, "noReaderStuck");
        assert!(!steps.contains(&"complete"), "{steps:?}");
    }
}

#[test]
fn a_start_without_state_aborts_what_a_completed_checkpoint_owns() {
    check_broken(&ExploreParams { fresh_starts: 1, ..small() }, "nothingLost", "restore");
}

#[test]
fn fewer_subtasks_can_leave_a_transaction_behind() {
    let fewer = ExploreParams { sinks: 2, records: 1, rescales: 1, sinks_after: 1, ..small() };
    let more = ExploreParams { sinks: 1, sinks_after: 2, records: 2, ..fewer.clone() };
    check_kept(&more);
    check_kept(&ExploreParams { naming: POOLING, ..more });
    check_kept(&ExploreParams { naming: POOLING, ..fewer.clone() });
    // PROBING stops at the first subtask that never opened a transaction, though the one after it may
    // have, where the job died while it started.
    let (name, steps) = broken(&explore(&fewer)).expect("it is broken");
    assert_eq!(name, "noReaderStuck");
    assert_eq!(steps, ["restore", "open", "write", "crash", "restore", "open"]);
    // FLINK-40626: LISTING spares an id that the restored state calls pre-committed, though it was
    // used again since, and nobody comes to it any more.
    let params = ExploreParams { naming: POOLING, records: 2, ..fewer };
    let (name, steps) = broken(&explore(&params)).expect("it is broken");
    assert_eq!(name, "noReaderStuck");
    assert_eq!(steps[steps.len() - 2..], ["recommit", "open"], "{steps:?}");
}

#[test]
fn naming_can_be_changed_to_pooling_and_not_back() {
    let params = ExploreParams { naming_changes: 1, ..small() };
    assert!(holds(&check_kept(&params), "noTaskFails"));
    // Without state PROBING begins after the number that POOLING used.
    let params = ExploreParams { naming: POOLING, ..params };
    check_broken(&params, "noReaderStuck", "restore");
    let report = explore(&ExploreParams { stop_at: vec!["noTaskFails".to_owned()], ..params });
    let failed = report.properties.iter().find(|it| it.name == "noTaskFails");
    let steps = failed.and_then(|it| it.steps.as_ref()).expect("INCREMENTING does not start");
    assert!(steps[steps.len() - 1].text.contains("cannot open"), "{:?}", steps.last());
}

/// Broken by no other promise, and the way ends with the attempt that fails.
#[track_caller]
fn check_hopeless(params: &ExploreParams, steps: &[&str]) {
    let (name, way) = broken(&explore(params)).expect("it is broken");
    assert_eq!((name, &way[way.len() - steps.len()..]), ("startsAgain", steps), "{way:?}");
    let all = ExploreParams { stop_at: vec!["commits".to_owned()], ..params.clone() };
    let report = explore(&all);
    assert!(report.is_complete && holds(&report, "nothingLost") && holds(&report, "nothingTwice"));
}

#[test]
fn a_lowered_limit_stops_the_job_for_good_and_loses_nothing() {
    let params = ExploreParams { limit_lowered: 1, crashes: 0, ..small() };
    check_hopeless(&params, &["limitLowered", "restore", "open"]);
}

#[test]
fn an_expired_id_stops_the_job_for_good_and_loses_nothing() {
    let params = ExploreParams { expiries: 1, records: 1, checkpoints: 1, ..small() };
    check_hopeless(&params, &["restore", "recommit"]);
    // A job that never dies does not ask for the id again.
    check_kept(&ExploreParams { crashes: 0, ..params });
}

#[test]
fn after_other_faults_the_job_runs_again() {
    let params =
        ExploreParams { crashes: 2, timeouts: 1, records: 1, lost_notifications: 1, ..small() };
    for sink in [SinkKind::KafkaSink, SinkKind::Legacy] {
        let stop_at = vec!["commits".to_owned()];
        let report = explore(&ExploreParams { sink, stop_at, ..params.clone() });
        assert!(report.is_complete && holds(&report, "startsAgain"), "{sink:?}: {}", report.text);
    }
}

#[test]
fn tasks_that_were_cut_off_change_nothing_with_any_sink() {
    for sink in [SinkKind::KafkaSink, SinkKind::Legacy, SinkKind::File, SinkKind::Table] {
        for txn_protocol in [TxnProtocol::Tv1, TxnProtocol::Tv2] {
            for naming in [NamingStrategy::Incrementing, POOLING] {
                let zombies =
                    ExploreParams { sink, naming, txn_protocol, zombies: true, ..small() };
                check_kept(&zombies);
            }
        }
    }
    let params = ExploreParams { is_transactional: false, zombies: true, ..small() };
    check_broken(&params, "nothingTwice", "cutOff");
}

#[test]
fn only_a_table_shows_a_checkpoint_at_once() {
    for (sink, is_whole) in
        [(SinkKind::KafkaSink, false), (SinkKind::File, false), (SinkKind::Table, true)]
    {
        let report = check_kept(&ExploreParams { sink, sinks: 2, records: 1, ..small() });
        assert_eq!(holds(&report, "noTornCheckpoint"), is_whole, "{sink:?}");
    }
}

#[test]
fn in_a_shared_partition_what_is_committed_can_wait_for_another_subtask() {
    let params = ExploreParams { is_partition_shared: true, sinks: 2, records: 1, ..small() };
    let report = check_kept(&params);
    assert!(holds(&report, "readsOnlyCommitted"));
    assert!(!holds(&report, "noneWithheld"));
    let apart = check_kept(&ExploreParams { is_partition_shared: false, ..params });
    assert!(
        !apart.properties.iter().any(|it| it.name == "noneWithheld"),
        "there is no such partition"
    );
}

#[test]
fn what_does_not_go_together_is_refused() {
    let params = ExploreParams { rescales: 1, sinks_after: 2, zombies: true, ..small() };
    let refused = Exploration::new(&params).map(|_| ()).expect_err("it is refused");
    assert!(refused.to_string().contains("zombies"), "{refused}");
    let params = ExploreParams { rescales: 1, sinks: 3, sinks_after: 2, records: 5, ..small() };
    assert!(Exploration::new(&params).is_err(), "too many records to tell apart");
}

/// Transactions as both tell them: subtask, records, and what became of them.
fn finals(report: &ExploreReport, params: &ExploreParams) -> usize {
    let mut ways = 0;
    for property in &report.properties {
        let Some(steps) = property.steps.as_ref().filter(|it| !it.is_empty()) else { continue };
        let choices: Vec<u32> = steps.iter().map(|it| it.choice).collect();
        let breaks = property.kind == super::Kind::Always;
        let way = WayParams { search: params.clone(), choices, prefix: "app".to_owned(), breaks };
        let course = replay(&way).expect("each step can happen again");
        let mut told: Vec<_> = course
            .transactions
            .iter()
            .map(|it| (it.subtask, it.records as usize, it.fate))
            .collect();
        let last = &steps[steps.len() - 1].after;
        let mut kept: Vec<_> = (0..)
            .zip(&last.lanes)
            .flat_map(|(lane, it)| it.transactions.iter().map(move |it| (lane, it)))
            .map(|(lane, it)| {
                let fate = match it.fate {
                    "prepareCommit" => "committed",
                    "prepareAbort" => "aborted",
                    other => other,
                };
                (lane, it.records.len(), fate)
            })
            .collect();
        told.sort_unstable();
        kept.sort_unstable();
        assert_eq!(told, kept, "{} of {params:?}", property.name);
        let steps_told: Vec<u64> = course.trace.iter().map(|it| it.at_ms).collect();
        assert!(steps_told.is_sorted(), "{}", property.name);
        let every = (1..=steps.len() as u64).all(|it| steps_told.contains(&it));
        assert!(every, "a step of {} shows nothing: {steps_told:?}", property.name);
        ways += 1;
    }
    ways
}

#[test]
fn a_way_is_played_again_from_its_choices_alone() {
    let base = ExploreParams { timeouts: 1, stop_at: vec!["commits".to_owned()], ..small() };
    let sinks = ExploreParams { sinks: 2, records: 1, is_symmetric: true, ..base.clone() };
    let cases = [
        base.clone(),
        sinks.clone(),
        ExploreParams { is_partition_shared: true, ..sinks },
        ExploreParams { naming: POOLING, expiries: 1, ..base.clone() },
        ExploreParams { txn_protocol: TxnProtocol::Tv2, zombies: true, ..base.clone() },
        ExploreParams { sink: SinkKind::Legacy, limit_lowered: 1, ..base.clone() },
        ExploreParams { second_starts: 1, ..base.clone() },
        ExploreParams { prefix_changes: 1, naming_changes: 1, ..base.clone() },
    ];
    for params in cases {
        assert!(finals(&explore(&params), &params) >= 5, "{params:?}");
    }
    let held = ExploreParams { is_transactional: false, flushes: false, ..base.clone() };
    assert!(finals(&explore(&held), &held) >= 3);
    for sink in [SinkKind::File, SinkKind::Table] {
        let params = ExploreParams { sink, timeouts: 0, zombies: true, ..base.clone() };
        assert!(finals(&explore(&params), &params) >= 3, "{sink:?}");
    }
}

#[test]
fn a_way_that_no_search_found_is_refused() {
    let way = |choices: Vec<u32>| WayParams {
        search: small(),
        choices,
        prefix: String::new(),
        breaks: true,
    };
    for choices in [vec![99], vec![0, u32::MAX], vec![], vec![0; 5_000]] {
        assert!(replay(&way(choices)).is_err());
    }
}
