//! The core protocol written a second time, for another checker, and held to the same counts. One
//! thread, no symmetry.
#![cfg(not(target_arch = "wasm32"))]

#[path = "stateright/protocol.rs"]
mod protocol;

use protocol::{NOTHING_LOST, NOTHING_TWICE, Protocol};
use stateright::{Checker, Model};
use weir::transaction::params::{NamingStrategy, TxnProtocol};
use weir::transaction::{Exploration, ExploreParams};

/// Both see so many states, and judge alike.
#[track_caller]
fn check(params: &ExploreParams, states: u32) {
    let mut search = Exploration::new(params).expect("the bounds are accepted");
    while !search.advance(u32::MAX).done {}
    let report = search.report();
    assert!(report.is_complete, "{}", report.text);
    let protocol = Protocol::of(params).expect("the second model has rules for it");
    let checker = protocol.checker().threads(1).spawn_bfs().join();
    let both = [report.progress.distinct as usize, checker.unique_state_count()];
    assert_eq!(both, [states as usize; 2], "{params:?}");
    for (ours, theirs) in [("nothingTwice", NOTHING_TWICE), ("nothingLost", NOTHING_LOST)] {
        let property = report.properties.iter().find(|it| it.name == ours);
        let is_kept = checker.discovery(theirs).is_none();
        assert_eq!(property.map(|it| it.holds), Some(is_kept), "{ours} {params:?}");
    }
}

#[test]
fn both_see_as_many_states() {
    for (sinks, records, checkpoints, crashes, timeouts, states) in [
        (1, 1, 1, 0, 0, 12),
        (1, 2, 2, 0, 0, 89),
        (1, 1, 1, 1, 0, 102),
        (1, 2, 2, 1, 0, 1_505),
        (1, 3, 3, 1, 0, 19_650),
        (1, 2, 2, 0, 1, 504),
        (1, 2, 2, 1, 1, 9_718),
        (1, 2, 2, 0, 2, 1_615),
        (1, 2, 2, 2, 0, 14_124),
        (1, 2, 2, 1, 2, 33_479),
        (1, 2, 2, 2, 1, 85_007),
        (1, 1, 2, 3, 0, 10_081),
        (2, 1, 1, 1, 0, 1_930),
        (2, 1, 2, 1, 0, 12_672),
        (2, 1, 1, 2, 1, 160_522),
    ] {
        let params = ExploreParams {
            sinks,
            records,
            checkpoints,
            crashes,
            timeouts,
            is_symmetric: false,
            // One that is no `always`, so that nothing ends the search.
            stop_at: vec!["commits".to_owned()],
            ..ExploreParams::default()
        };
        check(&params, states);
    }
}

#[test]
fn both_agree_where_messages_are_lost_and_checkpoints_declined() {
    for (sinks, checkpoints, crashes, timeouts, lost_notifications, declines, states) in [
        (1, 2, 0, 0, 1, 0, 159),
        (1, 2, 0, 0, 0, 1, 151),
        (1, 3, 0, 0, 1, 1, 1_148),
        (1, 2, 1, 0, 1, 1, 6_999),
        (1, 3, 1, 0, 0, 2, 28_252),
        (1, 3, 0, 1, 1, 1, 8_272),
        (1, 2, 1, 1, 1, 1, 52_846),
        (2, 2, 0, 0, 1, 1, 6_413),
    ] {
        let params = ExploreParams {
            sinks,
            records: 2,
            checkpoints,
            crashes,
            timeouts,
            lost_notifications,
            declines,
            is_symmetric: false,
            stop_at: vec!["commits".to_owned()],
            ..ExploreParams::default()
        };
        check(&params, states);
    }
}

#[test]
fn both_agree_on_each_naming_protocol_and_without_transactions() {
    const POOLING: NamingStrategy = NamingStrategy::Pooling;
    let base = ExploreParams {
        sinks: 1,
        records: 2,
        checkpoints: 2,
        is_symmetric: false,
        stop_at: vec!["commits".to_owned()],
        ..ExploreParams::default()
    };
    let txn_protocol = TxnProtocol::Tv2;
    for (params, states) in [
        (ExploreParams { is_transactional: false, ..base.clone() }, 175),
        (ExploreParams { txn_protocol, ..base.clone() }, 1_691),
        (ExploreParams { txn_protocol, timeouts: 1, ..base.clone() }, 10_560),
        (ExploreParams { naming: POOLING, ..base.clone() }, 1_174),
        (ExploreParams { naming: POOLING, timeouts: 1, ..base.clone() }, 6_173),
        (ExploreParams { naming: POOLING, txn_protocol, ..base.clone() }, 1_268),
    ] {
        check(&params, states);
    }
}
