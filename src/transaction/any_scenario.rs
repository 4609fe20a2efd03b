//! Random scenarios: played the same each time, by the relation's steps, and with every record accounted
//! for.
//!
//! Source: the relation's.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::driver::Player;
use super::params::{JobName, PlayParams, SinkKind};
use super::play_transactions;
use super::scenarios::walk;
use super::tell::MAX_TRACE;
use crate::finding::Problem;

/// Some value of a list.
fn one_of(values: &[Value]) -> impl Strategy<Value = Value> + use<> {
    proptest::sample::select(values.to_vec())
}

fn any_fault() -> impl Strategy<Value = Vec<Value>> {
    let moments = [
        "before_first_checkpoint",
        "mid_interval",
        "after_precommit",
        "after_complete",
        "during_commit",
        "prepare_commit",
        "partial_commit",
        "after_commit",
        "right_after_init",
    ]
    .map(Value::from);
    let after = [0, 1_000, 60_000, 1_200_000, 700_000_000].map(Value::from);
    let froms = [json!("latest"), json!("none"), json!(1)];
    (0..15_usize, one_of(&moments), 1..5_u32, one_of(&after), one_of(&froms), 1..4_u32).prop_map(
        |(kind, at, checkpoint, after, from, parallelism)| {
            let restore = json!({ "ev": "restore", "afterMs": after, "from": from });
            let again = json!({ "ev": "restore", "afterMs": after });
            match kind {
                0..4 => vec![json!({ "ev": "crash", "at": at, "checkpoint": checkpoint }), restore],
                4 => vec![json!({ "ev": "jm_crash", "at": at, "checkpoint": checkpoint }), again],
                5 => vec![
                    json!({ "ev": "tm_partition", "checkpoint": checkpoint }),
                    again,
                    json!({ "ev": "zombie_send" }),
                    json!({ "ev": "zombie_commit", "checkpoint": checkpoint }),
                ],
                6 => vec![json!({ "ev": "notify_lost", "checkpoint": checkpoint })],
                7 => vec![json!({ "ev": "checkpoint_declined", "checkpoint": checkpoint })],
                8 => vec![json!({ "ev": "savepoint", "checkpoint": checkpoint, "stop": false })],
                9 => vec![json!({ "ev": "second_job_starts", "at": at, "checkpoint": checkpoint })],
                10 => vec![
                    json!({ "ev": "broker_max_lowered", "checkpoint": checkpoint, "toMs": 60_000 }),
                ],
                11 => vec![json!({ "ev": "end_of_input", "afterInterval": checkpoint })],
                12 => vec![
                    json!({ "ev": "crash", "at": at, "checkpoint": checkpoint }),
                    json!({ "ev": "restore", "afterMs": after, "parallelism": parallelism }),
                ],
                13 => vec![
                    json!({ "ev": "broker_unreachable", "checkpoint": checkpoint, "forMs": after }),
                ],
                _ => vec![
                    json!({ "ev": "crash", "at": at, "checkpoint": checkpoint }),
                    json!({ "ev": "restore", "afterMs": after, "prefix": "app2" }),
                ],
            }
        },
    )
}

fn any_scenario() -> impl Strategy<Value = PlayParams> {
    let sinks = ["kafka_sink", "kafka_sink", "legacy", "upsert", "file", "table"].map(Value::from);
    let guarantees = ["exactly_once", "exactly_once", "at_least_once", "none"].map(Value::from);
    let namings = ["incrementing", "pooling"].map(Value::from);
    let protocols = ["tv1", "tv2"].map(Value::from);
    let layouts = ["one_per_subtask", "shared"].map(Value::from);
    let intervals = [60_000, 600_000].map(Value::from);
    let timeouts = [0, 30_000, 900_000, 3_600_000].map(Value::from);
    let settings = (
        (one_of(&sinks), one_of(&guarantees), one_of(&namings), one_of(&protocols)),
        (one_of(&layouts), one_of(&intervals), one_of(&timeouts)),
        (1..4_u32, 1..12_u32, 1..6_u32, proptest::bool::ANY),
    );
    let faults = proptest::collection::vec(any_fault(), 0..4);
    (settings, faults).prop_map(|((names, times, (sinks, records, intervals, idle)), faults)| {
        let settings = json!({
            "sink": names.0, "deliveryGuarantee": names.1, "naming": names.2, "txnProtocol": names.3,
            "partitionLayout": times.0, "checkpointIntervalMs": times.1, "txnTimeoutMs": times.2,
            "parallelism": sinks, "recordsPerInterval": records, "intervals": intervals,
            "idleTail": idle,
        });
        let faults: Vec<Value> = faults.into_iter().flatten().collect();
        serde_json::from_value(json!({ "settings": settings, "faults": faults }))
            .expect("the params parse")
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// A scenario is played or refused, the same each time; its path is the relation's; and each record
    /// is accounted for in the log and in the counts.
    #[test]
    fn any_scenario_is_played_by_the_rules(params in any_scenario()) {
        let answer = play_transactions(&params).map(|it| it.value);
        prop_assert_eq!(&answer, &play_transactions(&params).map(|it| it.value));
        let Ok(report) = answer else { return Ok(()) };
        let player = Player::new(&params).play().expect("it was played");
        // Of a job that runs for days the steps repeat.
        if player.path.len() < 2_000 {
            walk("random", &player);
        }
        prop_assert_eq!(
            report.committed_records + report.lost + report.undelivered,
            report.input_records + report.duplicates
        );
        prop_assume!(params.settings.sink != SinkKind::Upsert && report.trace.len() < MAX_TRACE);
        let own = |at: Option<usize>| at.is_some_and(|it| report.transactions[it].job == JobName::A);
        let data = report.tape.iter().filter(|it| own(it.transaction));
        let written: u64 = data.map(|it| u64::from(it.records)).sum();
        prop_assert_eq!(written, report.consumer_visible.read_uncommitted);
        let lives = || report.transactions.iter().filter(|it| it.job == JobName::A);
        let of = |fate: &str| lives().filter(|it| it.fate == fate).map(|it| u64::from(it.records)).sum::<u64>();
        prop_assert_eq!(of("committed"), report.committed_records);
        prop_assert_eq!(of("committed") + of("aborted") + of("open"), written);
        prop_assert!(report.consumer_visible.read_committed <= report.committed_records);
    }
}

fn params(faults: &Value) -> PlayParams {
    let settings = json!({ "recordsPerInterval": 2, "intervals": 3 });
    serde_json::from_value(json!({ "settings": settings, "faults": faults })).expect("they parse")
}

#[test]
fn a_fault_that_ends_no_attempt_lets_the_job_go_on() {
    let rival = json!([{ "ev": "second_job_starts", "at": "right_after_init", "prefix": "other" }]);
    let report = play_transactions(&params(&rival)).expect("it is played").value;
    assert_eq!((report.committed_records, report.lost, report.undelivered), (6, 0, 0));
}

#[test]
fn an_input_cannot_end_before_what_was_read() {
    let crash = json!({ "ev": "crash", "at": "after_complete", "checkpoint": 2 });
    let faults = json!([crash, { "ev": "restore" }, { "ev": "end_of_input", "afterInterval": 1 }]);
    let problem: Problem = play_transactions(&params(&faults)).expect_err("it is refused").into();
    assert_eq!(problem.field.as_deref(), Some("faults[2].afterInterval"));
    let first = json!([{ "ev": "end_of_input", "afterInterval": 1 }]);
    let report = play_transactions(&params(&first)).expect("it is played").value;
    assert_eq!((report.input_records, report.committed_records), (2, 2));
}

/// The second job finds ids that a commit is still under way for, comes again, and runs.
#[test]
fn a_rival_that_starts_during_a_commit_runs() {
    let rival = json!([{ "ev": "second_job_starts", "at": "during_commit", "checkpoint": 2 }]);
    let params = params(&rival);
    let player = Player::new(&params).play().expect("it is played");
    assert!(player.state.is_running(1));
}
