//! Counts of small models, and ways that break a promise.
//!
//! Source: pinned by both orders of search and by the cross-check in tests/.

use super::search::{Exploration, Order};
use super::{ExploreParams, ExploreReport};
use crate::transaction::params::{NamingStrategy, SinkKind, TxnProtocol};

fn small() -> ExploreParams {
    ExploreParams {
        sinks: 1,
        records: 2,
        checkpoints: 2,
        is_symmetric: false,
        ..ExploreParams::default()
    }
}

fn run(params: &ExploreParams, order: Order) -> ExploreReport {
    let mut search = Exploration::in_order(params, order).expect("the bounds are accepted");
    while !search.advance(1 << 20).done {}
    search.report()
}

#[track_caller]
fn check(params: &ExploreParams, distinct: u32) {
    for order in [Order::Breadth, Order::Depth] {
        let report = run(params, order);
        assert!(report.is_complete, "{order:?}: {}", report.text);
        assert_eq!(report.progress.distinct, distinct, "{order:?}");
    }
}

fn broken(report: &ExploreReport) -> Option<(&'static str, Vec<&'static str>)> {
    let found = report.properties.iter().find(|it| it.is_promise && !it.holds)?;
    let steps = found.steps.as_ref()?;
    Some((found.name, steps.iter().map(|it| it.kind).collect()))
}

#[test]
fn both_orders_see_the_same_states() {
    check(&small(), 1_505);
}

#[test]
fn every_sometimes_is_seen_and_the_promise_is_kept() {
    let params = ExploreParams { sinks: 2, is_symmetric: true, records: 1, ..small() };
    let report = run(&params, Order::Breadth);
    assert!(report.is_complete, "{}", report.text);
    for property in &report.properties {
        let is_extra = !property.is_promise && property.name.starts_with("no");
        assert!(property.holds || is_extra, "{}", property.text);
    }
}

#[test]
fn a_timeout_loses_what_a_completed_checkpoint_owns() {
    let report = run(&ExploreParams { timeouts: 1, ..small() }, Order::Breadth);
    let (name, steps) = broken(&report).expect("it is broken");
    assert_eq!(name, "nothingLost");
    assert_eq!(steps.iter().filter(|it| **it == "timeout").count(), 1);
}

#[test]
fn without_transactions_a_crash_writes_twice() {
    let params = ExploreParams { is_transactional: false, ..small() };
    let (name, _) = broken(&run(&params, Order::Breadth)).expect("it is broken");
    assert_eq!(name, "nothingTwice");
    let upsert = ExploreParams { sink: SinkKind::Upsert, ..small() };
    assert_eq!(broken(&run(&upsert, Order::Breadth)), None, "a row written again is the same row");
}

#[test]
fn an_older_checkpoint_writes_twice() {
    let params = ExploreParams { older_restores: 1, crashes: 1, ..small() };
    let (name, steps) = broken(&run(&params, Order::Breadth)).expect("it is broken");
    assert_eq!(name, "nothingTwice");
    assert!(steps.contains(&"restore"));
}

#[test]
fn files_and_tables_keep_the_promise() {
    for sink in [SinkKind::File, SinkKind::Table, SinkKind::Legacy] {
        let report = run(&ExploreParams { sink, ..small() }, Order::Breadth);
        assert!(report.is_complete && broken(&report).is_none(), "{sink:?}: {}", report.text);
    }
}

#[test]
fn a_committed_transaction_is_refused_on_version_2_and_nothing_is_lost() {
    for naming in [NamingStrategy::Incrementing, NamingStrategy::Pooling] {
        let params = ExploreParams { txn_protocol: TxnProtocol::Tv2, naming, ..small() };
        let report = run(&params, Order::Breadth);
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
    let (whole, sorted) = (run(&whole, Order::Breadth), run(&sorted, Order::Breadth));
    let (whole, sorted) = (whole.progress.distinct, sorted.progress.distinct);
    assert_eq!((whole, sorted), (12_672, 6_502));
    assert!(sorted < whole && whole <= 2 * sorted, "{whole} states in {sorted} orbits");
}
