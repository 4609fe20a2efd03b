//! The declarations of the Exactly-once tool's answers against what the engine really serialises.
#![cfg(not(target_arch = "wasm32"))]

mod shapes;

use serde_json::{Value, json};
use shapes::check;
use weir::units::FlinkVersion;

#[test]
fn the_shapes_of_transaction_settings_are_as_declared() {
    use weir::transaction::{lints, read, timeouts};
    let sound: Value =
        serde_json::from_str(include_str!("golden/transactions/sound.json")).expect("it is JSON");
    let params: lints::LintParams = serde_json::from_value(sound).expect("the params parse");
    check("LintParams", &params);
    check("TimeoutParams", &params.times);
    let report = lints::lint_transactions(&params).expect("it is judged").value;
    check("LintReport", &report);
    check("LintRow", &report.rules);
    check("Probing", &report.probing);
    // Fifteen minutes of interval leave no safe value.
    let slow = timeouts::TimeoutParams { interval_ms: 900_000, ..params.times };
    let report = timeouts::transaction_timeouts(&slow).expect("it is worked out").value;
    check("TimeoutReport", &report);
    check("TimeoutBound", &report.lower);
    check("TimeoutKnob", &report.knobs);
    check("TimeoutWorth", &report.worth);
    check("ReaderLatency", &report.latency);
    check("TimeoutStep", &report.steps);
    let blame = report.blame.expect("the range is empty");
    check("TimeoutBlame", &blame);
    check("TimeoutMend", &blame.mends);
    check("SafeRange", &timeouts::SafeRange { from_ms: 1, to_ms: 2 });
    let text = "has been open for 9 ms. This is close to or even exceeding the transaction timeout of 5 ms.\n\
                ProducerFencedException\nelse";
    let text = read::ReadParams { version: FlinkVersion::V1_20, text: text.to_owned() };
    let report = read::read_transaction_text(&text).expect("it is recognised").value;
    check("TransactionText", &report);
    check("TransactionCause", &report.cause);
    check("AlsoSeen", &report.also);
    check("TextFact", &report.facts);
    check("TextSetting", &report.settings);
    check("TextSituation", &report.situation);
    check("UsedLine", &report.used);
    check("IgnoredLine", &report.ignored);
}

#[test]
fn the_shapes_of_transactions_are_as_declared() {
    use weir::transaction::{PlayParams, play_transactions};
    let crash = json!({ "ev": "crash", "at": "after_complete", "checkpoint": 3 });
    let restore = json!({ "ev": "restore", "afterMs": 1_200_000, "from": 3 });
    let params: PlayParams =
        serde_json::from_value(json!({ "settings": {}, "faults": [crash, restore] }))
            .expect("the params parse");
    check("PlayParams", &params);
    check("ScenarioParams", &params.settings);
    let report = play_transactions(&params).expect("it is played").value;
    check("TransactionReport", &report);
    check("VisibleRecords", &report.consumer_visible);
    check("Violation", &report.first_violation);
    check("TransactionLogLine", &report.log_lines);
    check("Inequality", &report.inequality);
    check("TransactionStep", &report.trace);
    check("TransactionLife", &report.transactions);
    check("TapeEntry", &report.tape);
    check("StableMove", &report.stable_offsets);
}

#[test]
fn the_shapes_of_explorations_are_as_declared() {
    use weir::transaction::{Exploration, ExploreParams};
    let params = ExploreParams { sinks: 1, records: 1, checkpoints: 1, ..ExploreParams::default() };
    check("ExploreParams", &params);
    let way = weir::transaction::explorer::WayParams {
        search: params.clone(),
        choices: vec![0],
        prefix: "app".to_owned(),
        breaks: false,
    };
    check("WayParams", &way);
    let mut search = Exploration::new(&params).expect("it is accepted");
    check("ExploreProgress", &search.advance(u32::MAX));
    let report = search.report();
    check("ExploreReport", &report);
    check("PropertyReport", &report.properties);
    let decided = report.properties.iter().find_map(|it| it.steps.as_ref());
    let last = decided.and_then(|it| it.last()).expect("a transaction commits or aborts");
    check("ExploreStep", last);
    check("StateView", &last.after);
    check("LaneView", &last.after.lanes);
    check("IdView", &last.after.lanes[0].ids);
    check("TxnView", &last.after.lanes[0].transactions);
}
