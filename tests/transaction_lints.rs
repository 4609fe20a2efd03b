//! Each rule fires at its boundary and not one step before.
#![cfg(not(target_arch = "wasm32"))]

use serde_json::{Value, json};

use weir::finding::{Change, Derivation, Problem, Severity};
use weir::transaction::lints::*;

/// A job that breaks no rule.
fn sound() -> Value {
    let text = include_str!("golden/transactions/sound.json");
    serde_json::from_str(text).expect("it is so")
}

fn with(base: &Value, changes: &Value) -> Value {
    let mut params = base.clone();
    for (key, value) in changes.as_object().expect("it is so") {
        if key == "times" {
            for (key, value) in value.as_object().expect("it is so") {
                params["times"][key] = value.clone();
            }
        } else {
            params[key] = value.clone();
        }
    }
    params
}

fn answer(params: &Value) -> Derivation<LintReport> {
    let params: LintParams = serde_json::from_value(params.clone()).expect("it is so");
    lint_transactions(&params).expect("it is so")
}

fn outcome(params: &Value, id: &str) -> Outcome {
    answer(params).value.rules.iter().find(|row| row.id == id).expect("it is so").outcome
}

/// Each rule: what it is judged under, a step before it fires, and where it fires.
fn boundaries() -> Vec<(&'static str, Value, Value, Value)> {
    let times = |key: &str, value: Value| json!({ "times": { key: value } });
    let legacy = json!({ "connector": "3.4", "sink": "flinkKafkaProducer" });
    let pooled = json!({ "naming": "pooling" });
    let same = json!({});
    vec![
        (
            "L01",
            same.clone(),
            times("timeoutMs", json!(900_000)),
            times("timeoutMs", json!(900_001)),
        ),
        (
            "L02",
            times("timeoutMs", Value::Null),
            times("brokerMaxMs", json!(3_600_000)),
            times("brokerMaxMs", Value::Null),
        ),
        ("L03", same.clone(), times("timeoutMs", json!(1)), times("timeoutMs", json!(0))),
        (
            "L03",
            json!({ "sink": "rawProducer" }),
            times("timeoutMs", json!(60_000)),
            times("timeoutMs", Value::Null),
        ),
        ("L04", same.clone(), times("timeoutMs", json!(65_201)), times("timeoutMs", json!(65_200))),
        (
            "L05",
            same.clone(),
            times("timeoutMs", json!(185_001)),
            times("timeoutMs", json!(185_000)),
        ),
        (
            "L06",
            times("failures", json!(2)),
            times("timeoutMs", json!(305_001)),
            times("timeoutMs", json!(305_000)),
        ),
        ("L07", same.clone(), times("probingMs", json!(0)), times("probingMs", Value::Null)),
        (
            "L08",
            same.clone(),
            times("timeoutMs", json!(660_000)),
            times("timeoutMs", json!(659_999)),
        ),
        (
            "L09",
            same.clone(),
            times("patienceMs", json!(910_000)),
            times("patienceMs", json!(909_999)),
        ),
        ("L10", same.clone(), json!({ "checkpointing": true }), json!({ "checkpointing": false })),
        (
            "L11",
            same.clone(),
            json!({ "checkpointsAfterTasksFinish": true }),
            json!({ "checkpointsAfterTasksFinish": false }),
        ),
        (
            "L12",
            same.clone(),
            json!({ "readers": ["read_committed", "read_committed"] }),
            json!({ "readers": ["read_committed", null] }),
        ),
        ("L13", same.clone(), json!({ "prefix": "a" }), json!({ "prefix": "" })),
        (
            "L13",
            json!({ "prefix": "kafka-sink" }),
            json!({ "connector": "4.0" }),
            json!({ "connector": "3.4" }),
        ),
        (
            "L14",
            same.clone(),
            json!({ "otherPrefixes": ["ap"] }),
            json!({ "otherPrefixes": ["app"] }),
        ),
        (
            "L15",
            pooled.clone(),
            json!({ "otherPrefixes": ["apple", "app"], "prefix": "apricot" }),
            json!({ "otherPrefixes": ["app-2"] }),
        ),
        (
            "L15",
            pooled.clone(),
            json!({ "otherPrefixes": ["b"] }),
            json!({ "otherPrefixes": ["a"] }),
        ),
        (
            "L16",
            json!({ "prefixChanged": true }),
            json!({ "stateRestored": true }),
            json!({ "stateRestored": false }),
        ),
        (
            // 7 d / 10 s is 60 480 ids a subtask.
            "L17",
            times("intervalMs", json!(10_000)),
            json!({ "parallelism": 16 }),
            json!({ "parallelism": 17 }),
        ),
        (
            "L18",
            json!({ "restart": "fixedDelay" }),
            json!({ "restartAttempts": 1 }),
            json!({ "restartAttempts": 2 }),
        ),
        ("L19", pooled.clone(), json!({ "broker": "3.0" }), json!({ "broker": "2.8" })),
        (
            "L19",
            pooled.clone(),
            json!({ "canDescribeTopics": true }),
            json!({ "canDescribeTopics": false }),
        ),
        (
            "L19",
            pooled.clone(),
            json!({ "dynamicTopics": false }),
            json!({ "dynamicTopics": true }),
        ),
        (
            "L20",
            same.clone(),
            json!({ "previousNaming": "incrementing" }),
            json!({ "previousNaming": "pooling" }),
        ),
        (
            "L20",
            pooled.clone(),
            json!({ "previousNaming": "pooling" }),
            json!({ "previousNaming": "connector3" }),
        ),
        (
            "L21",
            pooled.clone(),
            json!({ "plannedParallelism": 4 }),
            json!({ "plannedParallelism": 3 }),
        ),
        (
            "L22",
            same.clone(),
            json!({ "transactionVersion": "tv1" }),
            json!({ "transactionVersion": "tv2" }),
        ),
        (
            "L23",
            pooled.clone(),
            json!({ "transactionVersion": "tv1" }),
            json!({ "transactionVersion": "tv2" }),
        ),
        (
            "L24",
            same.clone(),
            json!({ "savepointAgeMs": 604_800_000 }),
            json!({ "savepointAgeMs": 604_800_001 }),
        ),
        (
            "L25",
            same.clone(),
            json!({ "stop": "stopWithSavepoint" }),
            json!({ "stop": "cancelWithSavepoint" }),
        ),
        ("L26", same.clone(), json!({ "guarantee": "atLeastOnce" }), json!({ "guarantee": null })),
        (
            "L27",
            same.clone(),
            json!({ "otherTimeoutsMs": [900_000] }),
            json!({ "otherTimeoutsMs": [900_000, 900_001] }),
        ),
        (
            "L28",
            same.clone(),
            times("intervalMs", json!(180_000)),
            times("intervalMs", json!(180_001)),
        ),
        (
            "L29",
            legacy.clone(),
            json!({ "maxConcurrentCheckpoints": 3 }),
            json!({ "maxConcurrentCheckpoints": 4 }),
        ),
        (
            "L30",
            with(&legacy, &json!({ "firstCheckpointDone": false, "plannedParallelism": 2 })),
            json!({ "parallelism": 10 }),
            json!({ "parallelism": 11 }),
        ),
        // 11 × 60 s = 660 s, and 65 s are gone.
        (
            "L31",
            same.clone(),
            times("timeoutMs", json!(725_000)),
            times("timeoutMs", json!(724_999)),
        ),
        (
            "L32",
            same.clone(),
            json!({ "canWriteTransactionalId": true }),
            json!({ "canWriteTransactionalId": false }),
        ),
        ("L33", same, json!({ "broker": "2.5" }), json!({ "broker": "2.4" })),
    ]
}

#[test]
fn a_sound_job_breaks_no_rule() {
    let Derivation { value, findings } = answer(&sound());
    assert_eq!(findings, []);
    assert_eq!(value.verdict, "No rule is broken.");
    let ids: Vec<_> = value.rules.iter().map(|row| row.id.to_owned()).collect();
    assert_eq!(ids, (1..=33).map(|it| format!("L{it:02}")).collect::<Vec<_>>());
}

#[test]
fn each_rule_fires_at_its_boundary_and_not_one_step_before() {
    let rows = boundaries();
    for (id, under, before, at) in &rows {
        let base = with(&sound(), under);
        assert_eq!(outcome(&with(&base, before), id), Outcome::Holds, "{id} before {before}");
        assert_eq!(outcome(&with(&base, at), id), Outcome::Fires, "{id} at {at}");
    }
    for id in (1..=33).map(|it| format!("L{it:02}")) {
        assert!(rows.iter().any(|row| row.0 == id), "{id} has no boundary");
    }
}

#[test]
fn a_rule_that_fires_is_a_finding_with_its_numbers_and_its_price() {
    let params = with(&sound(), &json!({ "times": { "timeoutMs": 185_000 } }));
    let findings = answer(&params).findings;
    let found = findings.iter().find(|it| it.code == "L05").expect("it is so");
    assert_eq!(found.severity, Severity::Error);
    assert_eq!(found.reason, "T ≤ I + d + D: T = 3 min 5 s, 1 min + 5 s + 2 min = 3 min 5 s.");
    assert_eq!(found.apply, [Change::set("transaction.timeout.ms", "185001")]);
    assert!(found.price.is_some());
    assert!(findings.is_sorted_by_key(|it| it.severity));
}

#[test]
fn what_a_finding_applies_mends_it() {
    for (id, under, _, at) in boundaries() {
        let base = with(&with(&sound(), &under), &at);
        let found = answer(&base).findings.into_iter().find(|it| it.code == id).expect("it is so");
        if found.apply.is_empty() {
            continue;
        }
        let mut mended = base.clone();
        for Change { option, value } in found.apply {
            let value = value.expect("it is so");
            let number = || json!(value.trim_end_matches(" ms").parse::<i64>().expect("it is so"));
            match option.as_str() {
                "transaction.timeout.ms" => mended["times"]["timeoutMs"] = number(),
                "transaction.max.timeout.ms" => mended["times"]["brokerMaxMs"] = number(),
                "execution.checkpointing.interval" => {
                    mended["times"]["intervalMs"] = number();
                    mended["checkpointing"] = json!(true);
                }
                "transactional.id.expiration.ms" => mended["idExpirationMs"] = number(),
                "sink.transaction-naming-strategy" => mended["naming"] = json!(value),
                "isolation.level" => mended["readers"] = json!([value]),
                "restart-strategy.type" => mended["restart"] = json!("exponentialDelay"),
                "sink.delivery-guarantee" => mended["guarantee"] = json!("exactlyOnce"),
                _ if option.ends_with("checkpoints-after-tasks-finish.enabled") => {
                    mended["checkpointsAfterTasksFinish"] = json!(true);
                }
                other => panic!("{id} applies {other}"),
            }
        }
        assert_ne!(outcome(&mended, id), Outcome::Fires, "{id}");
    }
}

#[test]
fn what_is_not_known_is_said() {
    let params = with(
        &sound(),
        &json!({ "broker": null, "stop": null, "readers": [], "canWriteTransactionalId": null,
                 "times": { "patienceMs": null, "brokerMaxMs": null } }),
    );
    let report = answer(&params).value;
    let unknown: Vec<_> = report.rules.iter().filter(|it| it.outcome == Outcome::Unknown).collect();
    let ids: Vec<_> = unknown.iter().map(|it| it.id).collect();
    assert_eq!(ids, ["L01", "L09", "L12", "L25", "L32", "L33"]);
    assert_eq!(unknown[1].numbers, "not known: how long readers may stand still");
    assert!(report.verdict.ends_with("6 rules cannot be judged, because facts are not known."));
}

#[test]
fn figures_are_those_of_known_reports() {
    let hundred = json!({ "parallelism": 100, "times": { "intervalMs": 10_000 } });
    let report = answer(&with(&sound(), &hundred)).value;
    assert_eq!(report.ids_kept, 6_048_000);
    assert_eq!(report.rollover_ms, None);
    let pooled = json!({
        "naming": "pooling", "transactionVersion": "tv2", "times": { "intervalMs": 10_000 }
    });
    let report = answer(&with(&sound(), &pooled)).value;
    // 3.8 days at 10 s and two ids.
    assert_eq!(report.rollover_ms, Some(16_383 * 2 * 10_000));
    assert_eq!(report.probes_second_attempt, 6);
}

#[test]
fn what_cannot_be_is_refused_with_its_field() {
    for (changes, field) in [
        (json!({ "parallelism": 0 }), "parallelism"),
        (json!({ "times": { "intervalMs": 0 } }), "times.intervalMs"),
        (json!({ "connector": "3.4", "naming": "pooling" }), "naming"),
        (json!({ "sink": "flinkKafkaProducer" }), "sink"),
        (json!({ "prefix": "x".repeat(70_000) }), "prefix"),
        (json!({ "otherTimeoutsMs": [-1] }), "otherTimeoutsMs"),
    ] {
        let params: LintParams =
            serde_json::from_value(with(&sound(), &changes)).expect("it is so");
        let problem = Problem::from(lint_transactions(&params).expect_err("it is refused"));
        assert_eq!(problem.field.as_deref(), Some(field));
    }
    let broker = with(&sound(), &json!({ "broker": "new" }));
    let error = serde_json::from_value::<LintParams>(broker).expect_err("it is refused");
    assert!(error.to_string().contains("written like 3.7"));
}

#[test]
fn an_outage_of_the_scenario_breaks_the_rule_of_the_restart() {
    let outage = |ms: u64| {
        json!({ "times": { "timeoutMs": 900_000, "faults": [
            { "ev": "crash", "at": "after_complete", "checkpoint": 3 },
            { "ev": "restore", "afterMs": ms, "from": 3 },
        ] } })
    };
    assert_eq!(outcome(&with(&sound(), &outage(834_999)), "L05"), Outcome::Holds);
    assert_eq!(outcome(&with(&sound(), &outage(835_000)), "L05"), Outcome::Fires);
}

#[test]
fn a_connector_that_was_never_released_for_the_flink_version_is_noted() {
    let codes = |flink: &str, connector: &str| -> Vec<&'static str> {
        let params = with(&sound(), &json!({ "flink": flink, "connector": connector }));
        answer(&params).findings.iter().map(|finding| finding.code).collect()
    };
    for (flink, connector) in [("1.18", "3.2"), ("1.20", "3.3"), ("1.20", "3.4"), ("2.2", "5.0")] {
        assert!(!codes(flink, connector).contains(&"connector.flink"), "{flink} {connector}");
    }
    for (flink, connector) in [("1.18", "3.3"), ("1.20", "5.0"), ("2.2", "4.0"), ("2.2", "3.4")] {
        assert!(codes(flink, connector).contains(&"connector.flink"), "{flink} {connector}");
    }
}

#[test]
fn retries_of_a_commit_have_no_bound_in_1_18() {
    let old = with(&sound(), &json!({ "flink": "1.18", "connector": "3.2" }));
    assert_eq!(outcome(&old, "L31"), Outcome::DoesNotApply);
}
