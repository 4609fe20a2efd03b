//! The safe range of a transaction timeout, and the boundary of every knob.
#![cfg(not(target_arch = "wasm32"))]

use weir::finding::Problem;
use weir::transaction::timeouts::*;

/// A minute between checkpoints, 5 s each, 2 min of downtime, 15 min of timeout.
fn params() -> TimeoutParams {
    TimeoutParams {
        timeout_ms: Some(900_000),
        broker_max_ms: Some(900_000),
        interval_ms: 60_000,
        duration_ms: 5_000,
        notify_ms: 200,
        failures: 0,
        detection_ms: Some(50_000),
        restart_delay_ms: Some(10_000),
        scheduling_ms: Some(30_000),
        restore_ms: Some(25_000),
        probing_ms: Some(5_000),
        abort_scan_ms: 10_000,
        patience_ms: None,
        faults: Vec::new(),
        checkpoint_timeout_ms: 600_000,
    }
}

fn report(params: &TimeoutParams) -> TimeoutReport {
    transaction_timeouts(params).expect("it is so").value
}

#[test]
fn the_range_is_to_the_millisecond() {
    let answer = report(&params());
    assert_eq!(answer.safe, Some(SafeRange { from_ms: 185_001, to_ms: 900_000 }));
    for (timeout, state) in [
        (900_000, TimeoutState::Safe),
        (900_001, TimeoutState::Refused),
        (185_001, TimeoutState::Safe),
        (185_000, TimeoutState::TooShortToRecover),
        (65_201, TimeoutState::TooShortToRecover),
        (65_200, TimeoutState::TooShortToRun),
        (0, TimeoutState::Refused),
    ] {
        let answer = report(&TimeoutParams { timeout_ms: Some(timeout), ..params() });
        assert_eq!(answer.state, state, "{timeout}");
        let inside = answer.safe.is_some_and(|it| (it.from_ms..=it.to_ms).contains(&timeout));
        assert_eq!(inside, state == TimeoutState::Safe, "{timeout}");
    }
}

#[test]
fn flinks_preset_does_not_start_on_a_broker_of_defaults() {
    let answer = report(&TimeoutParams { timeout_ms: None, broker_max_ms: None, ..params() });
    assert_eq!((answer.timeout_ms, answer.is_preset), (3_600_000, true));
    assert_eq!(answer.state, TimeoutState::Refused);
    assert_eq!(answer.safe.expect("it is so").to_ms, 900_000);
}

#[test]
fn the_downtime_survived_is_the_last_that_loses_nothing() {
    let survived = report(&params()).downtime_survived_ms.expect("it is so");
    assert_eq!(survived, 834_999);
    for (more, state) in [(0, TimeoutState::Safe), (1, TimeoutState::TooShortToRecover)] {
        let restore_ms = Some(survived - 95_000 + more);
        assert_eq!(report(&TimeoutParams { restore_ms, ..params() }).state, state);
    }
    let short = TimeoutParams { timeout_ms: Some(65_200), ..params() };
    assert_eq!(report(&short).downtime_survived_ms, None);
}

#[test]
fn every_knob_keeps_the_timeout_safe_up_to_its_boundary_and_no_further() {
    let patient = TimeoutParams {
        timeout_ms: Some(600_000),
        patience_ms: Some(700_000),
        failures: 2,
        ..params()
    };
    let base = serde_json::to_value(&patient).expect("it is so");
    let rows = report(&patient).knobs;
    assert_eq!(rows.len(), 12);
    for row in rows {
        let at = |value: i64| {
            let mut moved = base.clone();
            moved[row.field] = value.into();
            report(&serde_json::from_value(moved).expect("it is so")).state
        };
        let (inside, outside) = match (row.from, row.to) {
            (Some(from), None) => (from, from - 1),
            (None, Some(to)) => (to, to + 1),
            other => panic!("{}: {other:?}", row.field),
        };
        assert_eq!(at(inside), TimeoutState::Safe, "{} {inside}", row.field);
        assert_ne!(at(outside), TimeoutState::Safe, "{} {outside}", row.field);
    }
}

#[test]
fn an_empty_range_names_who_is_to_blame_and_each_mend_mends() {
    let slow = TimeoutParams { interval_ms: 1_800_000, ..params() };
    let answer = report(&slow);
    assert_eq!(answer.safe, None);
    let blame = answer.blame.expect("it is so");
    assert_eq!((blame.upper, blame.lower), ("brokerMaxMs", "intervalMs"));
    assert_eq!(blame.gap_ms, 1_925_001 - 900_000);
    let fields: Vec<_> = blame.mends.iter().map(|mend| mend.field).collect();
    assert_eq!(fields, ["brokerMaxMs", "intervalMs"]);
    let impatient = TimeoutParams { patience_ms: Some(120_000), ..params() };
    let impatient_blame = report(&impatient).blame.expect("it is so");
    assert_eq!((impatient_blame.upper, impatient_blame.lower), ("patienceMs", "intervalMs"));
    for (params, blame) in [(slow, blame), (impatient, impatient_blame)] {
        let base = serde_json::to_value(&params).expect("it is so");
        for mend in blame.mends {
            let at = |value: i64| {
                let mut moved = base.clone();
                moved[mend.field] = value.into();
                report(&serde_json::from_value(moved).expect("it is so")).safe
            };
            let beyond = if mend.is_most { mend.value + 1 } else { mend.value - 1 };
            assert!(at(mend.value).is_some(), "{} {}", mend.field, mend.value);
            assert!(at(beyond).is_none(), "{} {beyond}", mend.field);
        }
    }
}

#[test]
fn a_minute_more_buys_a_minute_of_downtime_and_costs_a_minute_of_standstill() {
    let worth = report(&params()).worth;
    let at = |ms| *worth.iter().find(|row| row.timeout_ms == ms).expect("it is so");
    let (now, more) = (at(900_000), at(960_000));
    assert!(now.is_present && now.starts && !more.starts);
    let downtime = |row: Worth| row.downtime_survived_ms.expect("it is so");
    assert_eq!(downtime(more) - downtime(now), 60_000);
    assert_eq!(more.stall_max_ms - now.stall_max_ms, 60_000);
    // (f + 1) minutes + 5 s + 2 min < 15 min.
    assert_eq!(now.failures_survived, Some(11));
    let eleven = TimeoutParams { failures: 11, ..params() };
    assert_eq!(report(&eleven).state, TimeoutState::Safe);
    assert_eq!(
        report(&TimeoutParams { failures: 12, ..params() }).state,
        TimeoutState::TooShortToRecover
    );
}

#[test]
fn readers_wait_for_the_next_commit() {
    let latency = report(&TimeoutParams { failures: 1, ..params() }).latency;
    assert_eq!(
        latency,
        Latency { best_ms: 5_200, worst_ms: 65_200, worst_after_failures_ms: 125_200 }
    );
}

#[test]
fn what_cannot_be_is_refused_with_its_field() {
    for (broken, field) in [
        (TimeoutParams { interval_ms: 0, ..params() }, "intervalMs"),
        (TimeoutParams { restore_ms: Some(-1), ..params() }, "restoreMs"),
        (TimeoutParams { broker_max_ms: Some(0), ..params() }, "brokerMaxMs"),
        (TimeoutParams { timeout_ms: Some(INT_MAX_MS + 1), ..params() }, "timeoutMs"),
        (TimeoutParams { duration_ms: i64::MAX, ..params() }, "durationMs"),
        (TimeoutParams { failures: u32::MAX, ..params() }, "failures"),
    ] {
        let problem = Problem::from(transaction_timeouts(&broken).expect_err("it is refused"));
        assert_eq!(problem.field.as_deref(), Some(field));
    }
}

fn faults(list: serde_json::Value) -> Vec<weir::transaction::params::Fault> {
    serde_json::from_value(list).expect("they are faults")
}

#[test]
fn the_longest_outage_counts_where_the_parts_of_the_downtime_are_shorter() {
    let of = |ms: u64| TimeoutParams {
        faults: faults(serde_json::json!([
            { "ev": "crash", "at": "after_complete", "checkpoint": 3 },
            { "ev": "restore", "afterMs": ms, "from": 3 },
        ])),
        ..params()
    };
    // 2 min are the parts: a shorter outage changes nothing.
    assert_eq!(report(&of(60_000)).steps, report(&params()).steps);
    let last = report(&of(834_999));
    assert_eq!(
        (last.state, last.parts_ms, last.outage_ms),
        (TimeoutState::Safe, 120_000, Some(834_999))
    );
    assert!(
        last.verdict.contains("the longest outage above takes 13 min 54.999 s"),
        "{}",
        last.verdict
    );
    let long = report(&of(835_000));
    assert_eq!((long.state, long.downtime_ms), (TimeoutState::TooShortToRecover, 835_000));
    // No part of the downtime mends it; the outage itself does.
    let knob = |field: &str| long.knobs.iter().find(|it| it.field == field).expect("it is listed");
    assert!(!knob("restoreMs").possible);
    assert_eq!((knob("faults").present, knob("faults").to), (Some(835_000), Some(834_999)));
    assert_eq!(long.lower.iter().find(|it| it.id == "E3").map(|it| it.field), Some("faults"));
    let problem = Problem::from(transaction_timeouts(&of(u64::MAX)).expect_err("it is refused"));
    assert_eq!(problem.field.as_deref(), Some("faults[1].afterMs"));
}

#[test]
fn checkpoints_of_the_scenario_that_commit_nothing_count_as_failed() {
    let lost = TimeoutParams {
        faults: faults(serde_json::json!([{ "ev": "notify_lost", "checkpoint": 3 }])),
        ..params()
    };
    let failed = TimeoutParams { failures: 1, ..params() };
    assert_eq!(report(&lost).lower, report(&failed).lower);
    assert_eq!(
        report(&TimeoutParams { failures: 2, ..lost }).lower,
        report(&TimeoutParams { failures: 2, ..params() }).lower
    );
}
