//! Two small jobs beside each other, signals among records, and SQL's watermark in an operator.
#![cfg(not(target_arch = "wasm32"))]

use serde_json::{Value, json};
use weir::event_time::comparison::{CompareEventTimeParams, compare_event_time};
use weir::event_time::params::EventTimeParams;
use weir::event_time::report::EventTimeReport;
use weir::event_time::run_event_time;

fn job(rule: &Value, emission: &Value, input: &Value) -> EventTimeParams {
    serde_json::from_value(json!({
        "version": "1.20",
        "watermarks": { "rule": rule, "emission": emission, "idleTimeout": null },
        "source": { "partitions": 2, "parallelism": 2, "perPartition": false },
        "windows": {
            "assigner": { "kind": "tumbling", "size": 10, "offset": 0 },
            "trigger": { "kind": "eventTime" }, "allowedLateness": 0, "sideOutput": false,
        },
        "parallelism": 1, "input": input, "endOfInput": false,
    }))
    .expect("the params parse")
}

fn each() -> Value {
    json!({ "kind": "perEvent", "every": 1 })
}

fn report(params: &EventTimeParams) -> EventTimeReport {
    run_event_time(params).expect("it runs").value
}

fn event(time: i64, arrival: i64, partition: u32) -> Value {
    json!({ "kind": "event", "key": "a", "time": time, "value": 2, "arrival": arrival, "partition": partition })
}

#[test]
fn a_lower_bound_drops_what_a_higher_one_counts() {
    let input =
        json!([event(1, 0, 0), event(30, 1, 0), event(4, 2, 0), event(99, 3, 0), event(99, 4, 1)]);
    let bound = |ms: i64| {
        let mut params =
            job(&json!({ "kind": "boundedOutOfOrderness", "outOfOrderness": ms }), &each(), &input);
        params.source.parallelism = 1;
        params
    };
    let compared = compare_event_time(&CompareEventTimeParams { a: bound(0), b: bound(50) });
    let compared = compared.expect("both run").value;
    let total = |name: &str| {
        let found = compared.totals.iter().find(|it| it.name == name).expect("it is there");
        (found.a, found.b, found.difference)
    };
    assert_eq!(total("Dropped"), (1, 0, -1));
    assert_eq!(total("On time"), (4, 5, 1));
    let window = compared.windows.first().expect("the first window differs");
    assert_eq!((window.start.get(), window.count_difference, window.sum_difference), (0, 1, 2));
    assert_eq!(compared.verdict_a, report(&bound(0)).verdict);
    assert!(compared.windows.is_sorted_by_key(|it| (it.key.clone(), it.start)));
    let bytes = compared.totals.iter().filter(|it| it.is_bytes).count();
    assert_eq!(bytes, 2);
    let equal = compare_event_time(&CompareEventTimeParams { a: bound(5), b: bound(5) });
    let equal = equal.expect("both run").value;
    assert!(equal.windows.is_empty() && equal.totals.iter().all(|it| it.difference == 0));
    assert_eq!(equal.same, 3);
    let refused = compare_event_time(&CompareEventTimeParams { a: bound(-1), b: bound(5) });
    assert_eq!(
        refused.expect_err("A is refused").field.as_deref(),
        Some("a.watermarks.rule.outOfOrderness")
    );
}

#[test]
fn an_idle_subtask_is_left_out_until_it_has_caught_up() {
    let signal = |status: &str, arrival: i64| json!({ "kind": "status", "status": status, "subtask": 1, "arrival": arrival });
    let watermark = |at: i64, subtask: u32, arrival: i64| json!({ "kind": "watermark", "watermark": at, "subtask": subtask, "arrival": arrival });
    let input = json!([
        event(5, 0, 0),
        watermark(20, 0, 1),
        signal("idle", 2),
        signal("active", 3),
        watermark(10, 1, 4),
        watermark(40, 0, 5),
        watermark(30, 1, 6),
    ]);
    let report = report(&job(&json!({ "kind": "explicit" }), &each(), &input));
    let watermarks: Vec<_> = report.rows.iter().map(|it| it.watermark_after.get()).collect();
    let none = i64::MIN;
    // Idle, subtask 1 no longer holds the watermark of 20 back. Active again it neither holds back nor
    // moves the minimum with 10, and takes part from 30 on.
    assert_eq!(watermarks, [none, none, 20, 20, 20, 40, 40]);
    assert_eq!(report.rows.iter().map(|it| it.at).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5, 6]);
    assert_eq!(report.totals.firings, 1);
    let mut back =
        job(&json!({ "kind": "explicit" }), &each(), &json!([event(5, 9, 0), watermark(20, 0, 1)]));
    back.source.parallelism = 1;
    assert!(run_event_time(&back).is_err(), "a signal arrives in order too");
}

#[test]
fn the_operator_of_sql_starts_at_zero_and_does_not_wait_for_the_clock() {
    let clock = json!({ "kind": "periodic", "interval": 200 });
    let watermarks = |kind: &str, input: &Value| -> Vec<(i64, i64)> {
        let mut params = job(&json!({ "kind": kind, "outOfOrderness": 0 }), &clock, input);
        params.source.parallelism = 1;
        let moved = report(&params).rows;
        let moved = moved.iter().filter(|it| it.watermark_after != it.watermark_before);
        moved.map(|it| (it.at, it.watermark_after.get())).collect()
    };
    // Before 1970 it sends none, where the source sends the time itself.
    let old = json!([event(-50, 0, 0), event(-40, 300, 0)]);
    assert_eq!(watermarks("sqlAssigner", &old), []);
    assert_eq!(watermarks("sql", &old), [(200, -50), (400, -40)]);
    // A step of more than the 200 ms of the clock is sent with the record.
    let steps = json!([event(100, 0, 0), event(301, 10, 0), event(400, 20, 0)]);
    assert_eq!(watermarks("sqlAssigner", &steps), [(10, 301), (200, 400)]);
    assert_eq!(watermarks("sql", &steps), [(200, 400)]);
    let mut idle = job(&json!({ "kind": "sqlAssigner", "outOfOrderness": 0 }), &clock, &steps);
    idle.watermarks.idle_timeout = Some(5);
    let refused =
        weir::finding::Problem::from(run_event_time(&idle).expect_err("it is not modelled"));
    assert_eq!(refused.field.as_deref(), Some("watermarks.idleTimeout"));
}
