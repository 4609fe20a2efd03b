//! The job as a plain value: half, snapshot, restore and rest are one run; and what a savepoint of
//! Flink leaves out shows.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used)] // A test that panics has failed, which is what it is for.

#[path = "replay/native.rs"]
mod native;

use native::ask;
use proptest::prelude::*;
use serde_json::{Value, json};
use weir::event_time::params::EventTimeParams;
use weir::event_time::pipeline::Pipeline;
use weir::event_time::pipeline::state::Snapshot;

fn event(id: usize, key: &str, time: i64, arrival: i64, partition: u32) -> Value {
    json!({ "kind": "event", "id": format!("e{id}"), "key": key, "time": time, "value": 4, "arrival": arrival, "partition": partition })
}

/// Windows of 10 ms behind a bound of 2 ms, records one millisecond apart.
fn job(times: &[i64]) -> Value {
    let input: Vec<Value> =
        times.iter().enumerate().map(|(at, time)| event(at, "a", *time, at as i64, 0)).collect();
    json!({
        "version": "1.20",
        "watermarks": {
            "rule": { "kind": "boundedOutOfOrderness", "outOfOrderness": 2 },
            "emission": { "kind": "perEvent", "every": 1 },
            "idleTimeout": null,
        },
        "source": { "partitions": 1, "parallelism": 1, "perPartition": true },
        "windows": {
            "assigner": { "kind": "tumbling", "size": 10, "offset": 0 },
            "trigger": { "kind": "eventTime" },
            "allowedLateness": 0,
            "sideOutput": false,
        },
        "parallelism": 1,
        "input": input,
        "endOfInput": false,
    })
}

#[track_caller]
fn value(question: &str, params: &Value) -> Value {
    let answer = ask(question, params);
    assert_eq!(answer["ok"], json!(true), "{answer}");
    answer["value"].clone()
}

#[test]
fn a_restore_forgets_the_watermark_and_so_a_late_record_is_counted() {
    // 25 brings the watermark to 22, so 3 is too late for [0, 10).
    let mut params = job(&[1, 12, 25, 3, 40]);
    let through = value("runEventTime", &params);
    assert_eq!(through["totals"]["dropped"], json!(1));
    params["restoreAfter"] = json!([3]);
    let answer = ask("runEventTime", &params);
    let report = &answer["value"];
    assert_eq!(report["totals"]["dropped"], json!(0));
    let row = &report["rows"][3];
    assert_eq!(row["restored"], json!(true));
    assert_eq!((&row["watermarkBefore"], &row["watermarkAfter"]), (&json!(22), &Value::Null));
    // [20, 30) with 25 is kept, and its timer: it fires with the record at 40.
    assert_eq!(row["openWindows"], json!(1));
    let results: Vec<&Value> = report["rows"][5]["firings"].as_array().unwrap().iter().collect();
    let starts: Vec<&Value> = results.iter().map(|it| &it["start"]).collect();
    assert_eq!(starts, [&json!(0), &json!(20)], "[0, 10) opened anew and fires again");
    let found = answer["findings"].as_array().unwrap();
    let restored = found.iter().find(|it| it["code"] == "restored").unwrap();
    let reason = restored["reason"].as_str().unwrap();
    assert!(reason.contains("1 record that is dropped without the restore is counted"), "{reason}");
}

#[test]
fn sql_stores_its_watermark() {
    let mut params = job(&[1, 12, 25, 3, 4]);
    params["watermarks"]["rule"] = json!({ "kind": "sql", "outOfOrderness": 2 });
    params["restoreAfter"] = json!([3]);
    let report = value("runEventTime", &params);
    assert_eq!(report["rows"][3]["watermarkAfter"], json!(23));
    // The record at 3 makes a watermark of 1 in the source, which does not take the operator back.
    assert_eq!(report["rows"][5]["watermarkAfter"], json!(23));
    assert_eq!(report["totals"]["dropped"], json!(2));
}

#[test]
fn ids_are_in_the_savepoint_and_expire_as_if_nothing_had_happened() {
    let mut params = job(&[1, 2, 3]);
    params["dedupTtl"] = json!(10);
    for (at, arrival) in [(1, 9), (2, 10)] {
        params["input"][at]["id"] = json!("e0");
        params["input"][at]["arrival"] = json!(arrival);
    }
    params["restoreAfter"] = json!([1]);
    let report = value("runEventTime", &params);
    assert_eq!(report["totals"]["duplicates"], json!(1), "at 9 it is kept, at 10 it has expired");
    let at = value("eventTimeAt", &json!({ "job": params, "upto": 1 }));
    assert_eq!(at["stored"]["ids"], json!([{ "id": "e0", "until": 10 }]));
}

#[test]
fn a_step_says_who_holds_the_watermark_since_when_and_what_fires_next() {
    let mut params = job(&[]);
    params["source"] = json!({ "partitions": 2, "parallelism": 2, "perPartition": true });
    params["input"] = json!([
        event(0, "a", 5, 0, 0),
        event(1, "a", 8, 1, 1),
        event(2, "a", 30, 2, 0),
        event(3, "a", 31, 3, 0),
    ]);
    let at = |upto: u32| value("eventTimeAt", &json!({ "job": params, "upto": upto }));
    let first = at(1);
    assert_eq!(
        first["verdict"],
        json!(
            "Source subtask 1 has sent no watermark since the start, and so it stands at no watermark yet. Next fires [0 s, 10 ms) of key a, at watermark 9 ms: for it source subtasks 0, 1 still need a record stamped 12 ms or later."
        )
    );
    // Subtask 0 stands at 2, subtask 1 at 5.
    assert_eq!(at(2)["sources"][0]["since"], json!(1));
    let last = at(4);
    assert_eq!(last["watermark"], json!(5));
    assert_eq!(last["sources"][1]["since"], json!(2), "since the third step");
    assert_eq!(last["sources"][0]["needsTimestamp"], Value::Null);
    assert_eq!(last["sources"][1]["needsTimestamp"], json!(12));
    assert_eq!(last["next"]["records"], json!(2));
    assert_eq!(last["stored"]["offsets"][0]["records"], json!(3));
    assert_eq!(last["stored"]["timerCount"], json!(2));
    let none = value("eventTimeAt", &json!({ "job": params, "upto": 0 }));
    assert_eq!(none["whyNone"], json!("No window is open: the next record opens one."));
}

#[test]
fn a_step_names_the_partition_that_holds_one_subtask_back() {
    let mut params = job(&[]);
    params["source"] = json!({ "partitions": 2, "parallelism": 1, "perPartition": true });
    params["input"] =
        json!([event(0, "a", 5, 0, 0), event(1, "a", 8, 1, 1), event(2, "a", 30, 2, 0)]);
    let at = value("eventTimeAt", &json!({ "job": params, "upto": 3 }));
    assert_eq!(at["sources"][0]["heldBy"], json!([1]));
    let verdict = at["verdict"].as_str().unwrap();
    assert!(
        verdict.starts_with("Partition 1 of source subtask 0 holds the watermark at 5 ms since"),
        "{verdict}"
    );
    // The finding of the whole run says the same.
    let report = ask("runEventTime", &params);
    let held = report["findings"].as_array().unwrap().iter().find(|it| it["code"] == "held_back");
    assert_eq!(
        held.unwrap()["title"],
        json!("Partition 1 of source subtask 0 holds the watermark back")
    );
}

#[test]
fn a_count_trigger_waits_for_records_and_not_for_the_watermark() {
    let mut params = job(&[1]);
    params["windows"]["assigner"] = json!({ "kind": "global" });
    params["windows"]["trigger"] = json!({ "kind": "count", "count": 3 });
    let at = value("eventTimeAt", &json!({ "job": params, "upto": 1 }));
    let why = at["whyNone"].as_str().unwrap();
    assert!(why.starts_with("1 window is open: CountTrigger fires at every 3 records"), "{why}");
}

#[test]
fn a_restore_behind_the_end_is_said_and_not_made() {
    let mut params = job(&[1, 2]);
    params["restoreAfter"] = json!([9]);
    let answer = ask("runEventTime", &params);
    assert_eq!(answer["findings"][0]["code"], json!("restore_not_reached"));
    params["restoreAfter"] = json!([0]);
    assert_eq!(ask("runEventTime", &params)["error"]["field"], json!("restoreAfter"));
}

#[test]
fn a_job_is_restored_at_several_steps_in_one_run() {
    let mut params = job(&[1, 12, 25, 3, 40, 4, 60]);
    params["restoreAfter"] = json!([3, 5, 99]);
    let answer = ask("runEventTime", &params);
    let report = &answer["value"];
    let rows = report["rows"].as_array().unwrap();
    let restored: Vec<usize> =
        (0..rows.len()).filter(|at| rows[*at]["restored"] == json!(true)).collect();
    // The fifth record is in the sixth row, since the first restore has one too.
    assert_eq!(restored, [3, 6]);
    assert_eq!(report["totals"]["dropped"], json!(0), "3 and 4 both find no watermark");
    let found = answer["findings"].as_array().unwrap();
    let title = |code: &str| {
        found.iter().find(|it| it["code"] == code).and_then(|it| it["title"].as_str()).unwrap()
    };
    assert_eq!(title("restored"), "The job is restored after steps 3 and 5, not counting restores");
    assert_eq!(title("restore_not_reached"), "There is no restore after step 99");
}

fn assigner() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!({ "kind": "tumbling", "size": 10, "offset": 3 })),
        Just(json!({ "kind": "sliding", "size": 12, "slide": 5, "offset": 0 })),
        Just(json!({ "kind": "session", "gap": 6 })),
        Just(json!({ "kind": "dynamicSession" })),
    ]
}

fn trigger() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!({ "kind": "eventTime" })),
        Just(json!({ "kind": "earlyCount", "count": 2 })),
        Just(json!({ "kind": "earlyProcessingTime", "interval": 4 })),
        Just(json!({ "kind": "purging", "of": { "kind": "eventTime" } })),
    ]
}

fn emission() -> impl Strategy<Value = Value> {
    prop_oneof![
        (1..4_i64).prop_map(|every| json!({ "kind": "perEvent", "every": every })),
        (1..9_i64).prop_map(|interval| json!({ "kind": "periodic", "interval": interval })),
    ]
}

prop_compose! {
    fn jobs()(
        assigner in assigner(),
        trigger in trigger(),
        emission in emission(),
        idle in prop::option::of(3..20_i64),
        lateness in 0..15_i64,
        ttl in prop::option::of(1..30_i64),
        subtasks in 1..4_u32,
        per_partition in any::<bool>(),
        ends in any::<bool>(),
        records in prop::collection::vec((0..60_i64, 0..5_i64, 0..3_u32, 0..4_usize, 0..3_usize), 1..40),
    ) -> EventTimeParams {
        let mut arrival = 0;
        let input: Vec<Value> = records.iter().map(|(time, wait, partition, id, key)| {
            arrival += wait;
            event(*id, ["a", "b", "c"][*key], *time, arrival, *partition)
        }).collect();
        let mut params = job(&[]);
        params["input"] = json!(input);
        params["source"] = json!({ "partitions": 3, "parallelism": subtasks, "perPartition": per_partition });
        params["windows"]["assigner"] = assigner;
        params["windows"]["trigger"] = trigger;
        params["windows"]["allowedLateness"] = json!(lateness);
        params["watermarks"]["emission"] = emission;
        params["watermarks"]["idleTimeout"] = json!(idle);
        params["dedupTtl"] = json!(ttl);
        params["parallelism"] = json!(2);
        params["endOfInput"] = json!(ends);
        serde_json::from_value(params).unwrap()
    }
}

proptest! {
    /// Half, snapshot, restore, rest is one run: sources, valve, windows, timers and kept ids.
    #[test]
    fn a_job_that_goes_on_from_a_snapshot_is_one_run(params in jobs(), cut in 0.0..1.0_f64) {
        let whole = Pipeline::new(&params).unwrap().run().unwrap();
        // After the last row there is no rest.
        let cut = ((whole.rows.len() as f64) * cut) as usize;
        prop_assume!(cut > 0);
        let half = Pipeline::new(&params).unwrap().up_to(cut).run().unwrap();
        prop_assert_eq!(&half.rows[..], &whole.rows[..cut]);
        let text = serde_json::to_string(&half.snapshot()).unwrap();
        let snapshot: Snapshot = serde_json::from_str(&text).unwrap();
        let rest = Pipeline::resume(&params, snapshot).unwrap().run().unwrap();
        prop_assert_eq!(&rest.rows[..], &whole.rows[cut..]);
        prop_assert_eq!(rest.snapshot(), whole.snapshot());
        prop_assert_eq!(rest.ids_kept(), whole.ids_kept());
    }

    /// A restore loses no record and no window that was open.
    #[test]
    fn what_was_open_is_open_after_a_restore(params in jobs(), cut in 0.0..1.0_f64) {
        let whole = Pipeline::new(&params).unwrap().run().unwrap();
        let cut = ((whole.rows.len() as f64) * cut) as u32;
        prop_assume!(cut > 0);
        let params = EventTimeParams { restore_after: vec![cut], ..params.clone() };
        let run = Pipeline::new(&params).unwrap().run().unwrap();
        let at = cut as usize;
        prop_assert_eq!(run.restored(), [cut]);
        let (before, after) = (&run.rows[at - 1], &run.rows[at]);
        prop_assert!(after.restored);
        prop_assert_eq!(before.open_windows, after.open_windows);
        prop_assert_eq!((before.elements, before.timers), (after.elements, after.timers));
        prop_assert_eq!(run.totals.events, whole.totals.events);
    }
}
