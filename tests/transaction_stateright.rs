//! The core protocol written a second time, for another checker, and held to the same counts. One
//! thread, no symmetry.
#![cfg(not(target_arch = "wasm32"))]

#[path = "stateright/protocol.rs"]
mod protocol;

use protocol::{NOTHING_TWICE, Protocol};
use stateright::{Checker, Model};
use weir::transaction::{Exploration, ExploreParams};

#[track_caller]
fn check(params: &ExploreParams) {
    let mut search = Exploration::new(params).expect("the bounds are accepted");
    while !search.advance(u32::MAX).done {}
    let report = search.report();
    assert!(report.is_complete, "{}", report.text);
    let protocol = Protocol::of(params).expect("the second model has rules for it");
    let checker = protocol.checker().threads(1).spawn_bfs().join();
    assert_eq!(report.progress.distinct as usize, checker.unique_state_count(), "{params:?}");
    let twice = report.properties.iter().find(|it| it.name == "nothingTwice");
    let is_kept = checker.discovery(NOTHING_TWICE).is_none();
    assert_eq!(twice.map(|it| it.holds), Some(is_kept));
}

/// One crash at most: with two, the engine keeps a few states apart (8 of 14,132 with two records and
/// two checkpoints) that are one here.
#[test]
fn both_see_as_many_states() {
    for (sinks, records, checkpoints, crashes, timeouts) in [
        (1, 1, 1, 0, 0),
        (1, 2, 2, 0, 0),
        (1, 1, 1, 1, 0),
        (1, 2, 2, 1, 0),
        (1, 3, 3, 1, 0),
        (1, 2, 2, 0, 1),
        (1, 2, 2, 1, 1),
        (1, 2, 2, 0, 2),
        (2, 1, 1, 1, 0),
        (2, 1, 2, 1, 0),
    ] {
        check(&ExploreParams {
            sinks,
            records,
            checkpoints,
            crashes,
            timeouts,
            is_symmetric: false,
            // One that is no `always`, so that nothing ends the search.
            stop_at: vec!["commits".to_owned()],
            ..ExploreParams::default()
        });
    }
}
