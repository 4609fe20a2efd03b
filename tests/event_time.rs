//! Event time: what people reported, and what holds for every stream.
#![cfg(not(target_arch = "wasm32"))]

#[path = "replay/native.rs"]
mod native;

use native::ask;
use proptest::prelude::*;
use serde_json::{Value, json};
use weir::event_time::operator::{
    Firing, Outcome, Processed, Record, WindowOperator, WindowParams, WindowStatus,
};
use weir::event_time::params::EventTimeParams;
use weir::event_time::time::EventTime;
use weir::event_time::trigger::Trigger;
use weir::event_time::window::Assigner;
use weir::event_time::{rules, run_event_time};

const SECOND: i64 = 1000;
const MINUTE: i64 = 60 * SECOND;

/// A job with one source subtask that asks for a watermark after every record.
fn job(rule: Value, assigner: Value, lateness: i64, events: &[(&str, i64)]) -> Value {
    let input: Vec<Value> = events
        .iter()
        .map(|(key, time)| json!({ "kind": "event", "key": key, "time": time }))
        .collect();
    json!({
        "version": "1.20",
        "watermarks": {
            "rule": rule,
            "emission": { "kind": "perEvent", "every": 1 },
            "idleTimeout": null,
        },
        "source": { "partitions": 1, "parallelism": 1, "perPartition": true },
        "windows": {
            "assigner": assigner,
            "trigger": { "kind": "eventTime" },
            "allowedLateness": lateness,
            "sideOutput": true,
        },
        "parallelism": 1,
        "input": input,
        "endOfInput": false,
    })
}

fn tumbling(size: i64, offset: i64) -> Value {
    json!({ "kind": "tumbling", "size": size, "offset": offset })
}

#[track_caller]
fn run(job: &Value) -> Value {
    let answer = ask("runEventTime", job);
    assert_eq!(answer["ok"], json!(true), "{answer}");
    answer
}

/// `[row, start, end, count]` of every result, of records and of timers.
fn results(answer: &Value) -> Vec<[i64; 4]> {
    let rows = answer["value"]["rows"].as_array().expect("rows");
    let firings = |row: &Value| {
        let of = |firings: &Value| firings.as_array().cloned().unwrap_or_default();
        [of(&row["record"]["firings"]), of(&row["firings"])].concat()
    };
    rows.iter()
        .enumerate()
        .flat_map(|(at, row)| {
            firings(row).into_iter().map(move |firing| {
                let number = |name: &str| firing[name].as_i64().expect("a finite number");
                [at as i64, number("start"), number("end"), number("count")]
            })
        })
        .collect()
}

fn outcomes(answer: &Value) -> Vec<&str> {
    let rows = answer["value"]["rows"].as_array().expect("rows");
    rows.iter().filter_map(|row| row["record"]["outcome"].as_str()).collect()
}

fn codes(answer: &Value) -> Vec<&str> {
    let findings = answer["findings"].as_array().expect("findings");
    findings.iter().filter_map(|finding| finding["code"].as_str()).collect()
}

/// Three source subtasks, of which two read partitions without records.
#[test]
fn an_empty_partition_holds_every_window_until_it_is_idle() {
    let rule = json!({ "kind": "boundedOutOfOrderness", "outOfOrderness": 200 });
    let mut job = job(rule, tumbling(15 * SECOND, 0), 0, &[]);
    job["source"] = json!({ "partitions": 3, "parallelism": 3, "perPartition": true });
    job["watermarks"]["emission"] = json!({ "kind": "periodic", "interval": 200 });
    let events = (0..60).map(|at| {
        json!({ "kind": "event", "key": "a", "time": at * SECOND, "arrival": at * SECOND, "partition": 0 })
    });
    job["input"] = events.collect();
    let without = run(&job);
    assert_eq!(without["value"]["watermark"], Value::Null);
    assert!(results(&without).is_empty());
    assert!(codes(&without).contains(&"no_watermark"), "{:?}", codes(&without));
    let held = |source: &Value| source["holdsBack"] == json!(true);
    let sources = without["value"]["sources"].as_array().expect("sources");
    assert_eq!(sources.iter().map(held).collect::<Vec<_>>(), [false, true, true]);
    let finding = &without["findings"][0];
    assert_eq!(finding["apply"][0]["option"], "watermarks.idleTimeout");
    // What the finding offers works.
    let timeout: i64 = finding["apply"][0]["value"].as_str().unwrap().parse().unwrap();
    job["watermarks"]["idleTimeout"] = json!(timeout);
    let with = run(&job);
    assert_eq!(with["value"]["watermark"], json!(58_799));
    assert_eq!(results(&with).len(), 3);
}

/// Both partitions go quiet: the watermark may reach the maximum, and no further.
#[test]
fn when_all_inputs_are_idle_the_last_window_stays_open() {
    let rule = json!({ "kind": "boundedOutOfOrderness", "outOfOrderness": 0 });
    let mut job = job(rule, tumbling(MINUTE, 0), 0, &[]);
    job["source"] = json!({ "partitions": 2, "parallelism": 2, "perPartition": true });
    job["watermarks"]["emission"] = json!({ "kind": "periodic", "interval": 200 });
    job["watermarks"]["idleTimeout"] = json!(10 * SECOND);
    job["input"] = json!([
        { "kind": "event", "key": "a", "time": 59_000, "arrival": 0, "partition": 0 },
        { "kind": "event", "key": "a", "time": 58_000, "arrival": 10, "partition": 1 },
    ]);
    for version in ["1.18", "1.20", "2.2"] {
        job["version"] = json!(version);
        let answer = run(&job);
        let rows = answer["value"]["rows"].as_array().expect("rows");
        let first = rows.iter().map(|row| &row["watermarkAfter"]).find(|wm| !wm.is_null());
        assert_eq!(first, Some(&json!(57_999)));
        assert_eq!(answer["value"]["watermark"], json!(58_999));
        assert!(results(&answer).is_empty());
        let sources = answer["value"]["sources"].as_array().expect("sources");
        assert!(sources.iter().all(|source| source["idle"] == json!(true)));
        assert!(codes(&answer).contains(&"all_idle"));
        let verdict = answer["value"]["verdict"].as_str().expect("a verdict");
        assert!(verdict.contains("59.999 s"), "{verdict}");
    }
    // The same from what the web UI shows.
    let params = json!({
        "version": "1.20",
        "text": "0\t58999 idle\n1\t57999 idle",
        "assigner": tumbling(MINUTE, 0),
        "rule": { "kind": "boundedOutOfOrderness", "outOfOrderness": 0 },
        "maxDrift": null,
    });
    let answer = ask("whyNoOutput", &params);
    assert_eq!(answer["value"]["watermark"], json!(58_999));
    assert_eq!(answer["value"]["next"]["needsWatermark"], json!(59_999));
    assert_eq!(answer["value"]["next"]["needsTimestamp"], json!(60_000));
    assert!(codes(&answer).contains(&"all_idle"));
}

/// A generator without the 1 ms and the built-in one trigger on the same record.
#[test]
fn a_published_sequence_fires_on_the_records_its_author_saw() {
    let base: i64 = 1_538_359_880_000;
    let times = [2, 6, 12, 13, 14, 16, 17].map(|at| ("a", base + at * SECOND));
    for (kind, watermark) in [("sql", base + 4000), ("boundedOutOfOrderness", base + 3999)] {
        let rule = json!({ "kind": kind, "outOfOrderness": 10 * SECOND });
        let answer = run(&job(rule, tumbling(3 * SECOND, 0), 0, &times));
        assert_eq!(
            results(&answer),
            [[4, base + 1000, base + 4000, 1], [6, base + 4000, base + 7000, 1]]
        );
        assert_eq!(answer["value"]["rows"][4]["watermarkAfter"], json!(watermark));
    }
}

#[test]
fn a_record_at_the_boundary_closes_one_window_and_opens_the_next() {
    let base: i64 = 1_547_718_190_000;
    let events =
        [("s1", 9), ("s6", 11), ("s6", 15), ("s6", 20)].map(|(k, at)| (k, base + at * SECOND));
    let answer = run(&job(json!({ "kind": "ascending" }), tumbling(5 * SECOND, 0), 0, &events));
    let at = |second: i64| base + second * SECOND;
    assert_eq!(
        results(&answer),
        [[1, at(5), at(10), 1], [2, at(10), at(15), 1], [3, at(15), at(20), 1]]
    );
    assert_eq!(answer["value"]["rows"][2]["record"]["windows"][0]["start"], json!(at(15)));
}

#[test]
fn lateness_has_three_zones() {
    let rule = json!({ "kind": "boundedOutOfOrderness", "outOfOrderness": 3 * SECOND });
    let times = [5000, 13_000, 6000, 14_999, 7000, 15_000, 8000].map(|at| ("a", at));
    let answer = run(&job(rule, tumbling(10 * SECOND, 0), 2 * SECOND, &times));
    assert_eq!(results(&answer), [[1, 0, 10_000, 1], [2, 0, 10_000, 2], [4, 0, 10_000, 3]]);
    assert_eq!(
        outcomes(&answer),
        ["onTime", "onTime", "late", "onTime", "late", "onTime", "dropped"]
    );
    assert_eq!(answer["value"]["rows"][1]["watermarkAfter"], json!(9999));
    let life = &answer["value"]["windows"][0];
    assert_eq!((&life["cleanup"], &life["closed"]), (&json!(11_999), &json!(5)));
    assert_eq!(answer["value"]["totals"]["sideOutput"], json!(1));
}

/// 10 min / 5 s, a minute of lateness: which timestamp must have come before it is dropped?
#[test]
fn a_sliding_record_is_dropped_only_when_all_its_windows_are_gone() {
    let clock = |hour: i64, minute: i64, second: i64| ((hour * 60 + minute) * 60 + second) * SECOND;
    let record = clock(10, 14, 51);
    let assigner =
        json!({ "kind": "sliding", "size": 10 * MINUTE, "slide": 5 * SECOND, "offset": 0 });
    let rule = json!({ "kind": "boundedOutOfOrderness", "outOfOrderness": SECOND });
    let decides = clock(10, 25, 51);
    for (before, outcome) in [(decides - 1, "late"), (decides, "dropped")] {
        let answer =
            run(&job(rule.clone(), assigner.clone(), MINUTE, &[("a", before), ("a", record)]));
        assert_eq!(outcomes(&answer)[1], outcome);
        let windows = answer["value"]["rows"][1]["record"]["windows"].as_array().expect("windows");
        assert_eq!(windows.len(), 120);
        assert_eq!(windows[0]["start"], json!(clock(10, 14, 50)));
        assert_eq!(windows[0]["end"], json!(clock(10, 24, 50)));
    }
    let answer = run(&job(rule, assigner, MINUTE, &[("a", decides), ("a", record)]));
    assert_eq!(answer["value"]["rows"][1]["watermarkBefore"], json!(clock(10, 25, 49) + 999));
}

#[test]
fn sliding_windows_keep_size_over_slide_copies() {
    let hour = 60 * MINUTE;
    for (size, slide, windows) in
        [(hour, 5 * MINUTE, 12), (24 * hour, 5 * MINUTE, 288), (24 * hour, MINUTE, 1440)]
    {
        let assigner = json!({ "kind": "sliding", "size": size, "slide": slide, "offset": 0 });
        let answer = run(&job(json!({ "kind": "ascending" }), assigner, 0, &[("a", 7 * hour)]));
        let row = &answer["value"]["rows"][0];
        assert_eq!(row["record"]["windows"].as_array().expect("windows").len(), windows);
        assert_eq!((&row["elements"], &row["timers"]), (&json!(windows), &json!(windows)));
        assert!(codes(&answer).contains(&"sliding_amplification"));
    }
}

#[test]
fn behind_the_watermark_is_not_dropped() {
    let noon = 12 * 60 * MINUTE;
    let input = |watermark: i64, time: i64| {
        json!([
            { "kind": "watermark", "watermark": watermark },
            { "kind": "event", "key": "a", "time": time },
        ])
    };
    let mut job = job(json!({ "kind": "explicit" }), tumbling(5 * MINUTE, 0), 0, &[]);
    job["input"] = input(noon, noon);
    let answer = run(&job);
    let record = &answer["value"]["rows"][1]["record"];
    assert_eq!((&record["behindWatermark"], &record["outcome"]), (&json!(true), &json!("onTime")));
    assert!(codes(&answer).contains(&"behind_is_not_late"));
    let last = noon + 5 * MINUTE - 1;
    job["input"] = input(last, last);
    assert_eq!(run(&job)["value"]["rows"][1]["record"]["outcome"], "dropped");
}

/// A snapshot that is read in one burst sees no watermark between its rows.
#[test]
fn emission_per_event_and_periodic_drop_differently() {
    let clock = |minute: i64, second: i64| ((12 * 60 + minute) * 60 + second) * SECOND;
    let rows = [
        ("a", clock(8, 22)),
        ("b", clock(11, 9)),
        ("c", clock(0, 30)),
        ("d", clock(8, 22)),
        ("e", clock(8, 22)),
        ("h", clock(8, 22)),
    ];
    let rule = json!({ "kind": "sql", "outOfOrderness": 5 * SECOND });
    let mut job = job(rule, tumbling(MINUTE, 0), 0, &rows);
    let answer = run(&job);
    assert_eq!(outcomes(&answer), ["onTime", "onTime", "dropped", "dropped", "dropped", "dropped"]);
    assert_eq!(answer["value"]["rows"][1]["watermarkAfter"], json!(clock(11, 4)));
    assert_eq!(results(&answer), [[1, clock(8, 0), clock(9, 0), 1]]);
    job["watermarks"]["emission"] = json!({ "kind": "periodic", "interval": 200 });
    let answer = run(&job);
    assert_eq!(answer["value"]["totals"]["dropped"], json!(0));
}

/// `Long.MAX_VALUE` plus a drift saturates in every version that is modelled.
#[test]
fn an_ended_source_does_not_stop_aligned_ones() {
    let params = json!({
        "version": "1.18",
        "text": "0: 9223372036854775807",
        "assigner": null,
        "rule": null,
        "maxDrift": 30_000,
    });
    let answer = ask("whyNoOutput", &params);
    assert_eq!(answer["value"]["maxAllowed"], "endOfInput");
    assert!(codes(&answer).contains(&"alignment_at_end"));
    let reason = answer["findings"][0]["reason"].as_str().expect("a reason");
    assert!(reason.contains("overflow"), "{reason}");
}

#[test]
fn a_day_starts_at_midnight_with_an_offset_or_a_zone() {
    let hour = 60 * MINUTE;
    // 2021-09-06T01:30:00+08:00.
    let event: i64 = 1_630_863_000_000;
    let zoned = |size: i64, changes: Value| json!({ "kind": "zoned", "size": size, "transitions": changes });
    let shanghai = zoned(24 * hour, json!([{ "from": 0, "offset": 8 * hour }]));
    let cases = [
        (tumbling(24 * hour, 0), event, 1_630_800_000_000_i64, 1_630_886_400_000_i64),
        (tumbling(24 * hour, -8 * hour), event, 1_630_857_600_000, 1_630_944_000_000),
        (shanghai, event, 1_630_857_600_000, 1_630_944_000_000),
        // Los Angeles on 14 March 2021, local midnight to four: three hours.
        (
            zoned(
                4 * hour,
                json!([
                    { "from": 0, "offset": -8 * hour },
                    { "from": 1_615_716_000_000_i64, "offset": -7 * hour },
                ]),
            ),
            1_615_712_400_000_i64,
            1_615_708_800_000,
            1_615_719_600_000,
        ),
    ];
    for (assigner, time, start, end) in cases {
        let answer =
            ask("assignWindows", &json!({ "assigner": assigner, "times": [time], "value": 1 }));
        assert_eq!(answer["value"][0]["windows"], json!([{ "start": start, "end": end }]));
    }
}

/// The replayed record is counted again without deduplication, and still moves the watermark with it.
#[test]
fn a_duplicate_is_left_out_while_its_id_is_kept() {
    let mut job = job(json!({ "kind": "ascending" }), tumbling(10 * SECOND, 0), 0, &[]);
    let event = |id: &str, time: i64, arrival: i64| json!({ "kind": "event", "id": id, "key": "a", "time": time, "arrival": arrival });
    job["input"] = json!([
        event("x", 1000, 0),
        event("x", 1000, 500),
        event("y", 2000, 600),
        event("x", 1000, 1000),
    ]);
    assert_eq!(run(&job)["value"]["totals"]["onTime"], json!(4));
    job["dedupTtl"] = json!(1000);
    let answer = run(&job);
    assert_eq!(outcomes(&answer), ["onTime", "duplicate", "onTime", "onTime"]);
    assert_eq!(answer["value"]["totals"]["duplicates"], json!(1));
    assert_eq!(answer["value"]["totals"]["idsKept"], json!(2));
}

/// The steps name the trigger that is set, and nothing that it does not do.
#[test]
fn the_rules_shown_are_those_of_the_job() {
    let ascending = json!({ "kind": "ascending" });
    let mut job = job(ascending, tumbling(10 * SECOND, 0), 0, &[("a", 1)]);
    let steps = |job: &Value| run(job)["value"]["steps"].to_string();
    assert!(steps(&job).contains("\"EventTimeTrigger\""));
    assert!(run(&job)["value"]["sql"].is_string());
    job["windows"]["trigger"] = json!({ "kind": "count", "count": 3 });
    let counted = steps(&job);
    assert!(counted.contains("n = 3") && !counted.contains("EventTimeTrigger"), "{counted}");
    job["windows"]["assigner"] = json!({ "kind": "global" });
    assert!(!steps(&job).contains("cleanupTime"), "a global window is never cleaned up");
    job["windows"]["assigner"] = tumbling(10 * SECOND, 0);
    job["windows"]["trigger"] = json!({ "kind": "eventTime" });
    job["windows"]["allowedLateness"] = json!(1000);
    assert!(run(&job)["value"]["sql"].is_null(), "SQL knows no allowed lateness");
}

fn assigner() -> impl Strategy<Value = Assigner> {
    prop_oneof![
        (1_i64..20).prop_map(|size| Assigner::Tumbling { size, offset: 0 }),
        (1_i64..20, 1_i64..8).prop_map(|(size, slide)| Assigner::Sliding {
            size,
            slide,
            offset: 0
        }),
        (1_i64..8).prop_map(|gap| Assigner::Session { gap }),
        Just(Assigner::DynamicSession),
        Just(Assigner::Global),
    ]
}

fn trigger() -> impl Strategy<Value = Trigger> {
    let plain = prop_oneof![
        Just(Trigger::EventTime),
        (1_i64..4).prop_map(|count| Trigger::Count { count }),
        (1_i64..6).prop_map(|interval| Trigger::Continuous { interval }),
        (1_i64..4).prop_map(|count| Trigger::EarlyCount { count }),
        (1_i64..6).prop_map(|interval| Trigger::EarlyProcessingTime { interval }),
    ];
    (plain, any::<bool>()).prop_map(|(plain, purges)| {
        if purges { Trigger::Purging { of: Box::new(plain) } } else { plain }
    })
}

fn window_params() -> impl Strategy<Value = WindowParams> {
    (assigner(), trigger(), 0_i64..12, any::<bool>()).prop_map(
        |(assigner, trigger, lateness, side_output)| WindowParams {
            assigner,
            trigger,
            allowed_lateness: EventTime::ms(lateness),
            side_output,
        },
    )
}

/// One thing that happens to the operator.
#[derive(Debug, Clone, Copy)]
enum Step {
    Record(u32, i64, i64),
    Watermark(i64),
    Clock(i64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (0_u32..3, -20_i64..60, 1_i64..10).prop_map(|(k, t, v)| Step::Record(k, t, v)),
        1 => (-20_i64..60).prop_map(Step::Watermark),
        1 => (0_i64..60).prop_map(Step::Clock),
    ];
    proptest::collection::vec(step, 0..40)
}

#[derive(Debug, PartialEq, Eq)]
enum Seen {
    Processed(Processed),
    Fired(Vec<Firing>),
}

/// An operator whose clock runs: early triggers in processing time count from the first reading.
fn started(params: &WindowParams) -> WindowOperator {
    let mut operator = WindowOperator::new(params.clone()).expect("the params are right");
    operator.advance_processing_time(0);
    operator
}

fn go(operator: &mut WindowOperator, seq: u32, step: Step) -> Seen {
    match step {
        Step::Record(key, time, value) => {
            let record = Record { seq, key, time, value };
            Seen::Processed(operator.process_element(record).expect("small times do not fail"))
        }
        Step::Watermark(watermark) => {
            let next = EventTime::ms(watermark).max(operator.watermark());
            Seen::Fired(operator.process_watermark(next))
        }
        Step::Clock(now) => Seen::Fired(operator.advance_processing_time(now)),
    }
}

proptest! {
    /// Half, snapshot, restore, rest is one run.
    #[test]
    fn a_restored_operator_goes_on_as_if_nothing_had_happened(
        params in window_params(),
        steps in steps(),
        cut in 0_usize..40,
    ) {
        let (mut whole, mut halves) = (started(&params), started(&params));
        for (at, step) in steps.iter().enumerate() {
            if at == cut {
                let snapshot = serde_json::to_string(&halves).expect("state is plain data");
                halves = serde_json::from_str(&snapshot).expect("a snapshot reads back");
            }
            prop_assert_eq!(go(&mut whole, at as u32, *step), go(&mut halves, at as u32, *step));
        }
        prop_assert_eq!(whole, halves);
    }

    /// A record is in exactly the windows that the assigner names, less those past cleanup; and it is
    /// dropped or counted, never both.
    #[test]
    fn a_record_is_counted_where_it_is_assigned(params in window_params(), steps in steps()) {
        let mut operator = started(&params);
        for (at, step) in steps.iter().enumerate() {
            let before = operator.watermark();
            let seen = go(&mut operator, at as u32, *step);
            prop_assert!(operator.watermark() >= before);
            let (Step::Record(_, time, value), Seen::Processed(processed)) = (*step, seen) else {
                continue;
            };
            let assigned = params.assigner.assign(time, value).expect("it has a timestamp");
            prop_assert_eq!(assigned.len(), processed.windows.len());
            for (named, (window, status)) in assigned.iter().zip(&processed.windows) {
                // A session may have grown, and then it covers the record's own.
                prop_assert_eq!(named.cover(*window), *window);
                let is_gone = params.assigner.is_event_time()
                    && operator.cleanup_time(*window) <= before.get();
                prop_assert_eq!(is_gone, *status == WindowStatus::Expired);
            }
            let is_counted =
                processed.windows.iter().any(|(_, status)| *status != WindowStatus::Expired);
            let is_lost = matches!(processed.outcome, Outcome::Dropped | Outcome::Ignored);
            prop_assert_eq!(is_counted, !is_lost);
        }
    }

    /// Where nothing is late, the order of arrival does not change a result.
    #[test]
    fn final_results_do_not_depend_on_the_order(
        assigner in prop_oneof![
            (1_i64..20).prop_map(|size| Assigner::Tumbling { size, offset: 0 }),
            (1_i64..20, 1_i64..8)
                .prop_map(|(size, slide)| Assigner::Sliding { size, slide, offset: 0 }),
            (1_i64..8).prop_map(|gap| Assigner::Session { gap }),
        ],
        (records, shuffled) in proptest::collection::vec((0_u32..3, -20_i64..60, 1_i64..10), 0..30)
            .prop_flat_map(|records| (Just(records.clone()), Just(records).prop_shuffle())),
    ) {
        let results = |records: &[(u32, i64, i64)]| {
            let mut operator = WindowOperator::new(WindowParams {
                assigner: assigner.clone(),
                trigger: Trigger::EventTime,
                allowed_lateness: EventTime::ms(0),
                side_output: false,
            })
            .expect("the params are right");
            for (at, (key, time, value)) in records.iter().enumerate() {
                go(&mut operator, at as u32, Step::Record(*key, *time, *value));
            }
            let mut results: Vec<_> = operator
                .process_watermark(EventTime::MAX)
                .into_iter()
                .map(|firing| (firing.key, firing.window, firing.records.len(), firing.sum))
                .collect();
            results.sort_unstable();
            results
        };
        prop_assert_eq!(results(&records), results(&shuffled));
    }

    /// No key has more windows open than the formula on the page says.
    #[test]
    fn open_windows_stay_within_the_prediction(
        (size, slide, lateness, bound) in (1_i64..30, 1_i64..12, 0_i64..20, 0_i64..20),
        times in proptest::collection::vec(-50_i64..200, 0..60),
    ) {
        let times: Vec<(&str, i64)> = times.iter().map(|time| ("a", *time)).collect();
        let rule = json!({ "kind": "boundedOutOfOrderness", "outOfOrderness": bound });
        let assigner = json!({ "kind": "sliding", "size": size, "slide": slide, "offset": 0 });
        let params: EventTimeParams =
            serde_json::from_value(job(rule, assigner, lateness, &times)).expect("it parses");
        let most = rules::open_windows_max(&params).expect("it is predicted");
        let report = run_event_time(&params).expect("it runs").value;
        prop_assert!(report.totals.open_windows_max as i64 <= most);
    }

    /// Any job of small numbers is an ordinary answer.
    #[test]
    fn any_job_is_answered(
        windows in window_params(),
        times in proptest::collection::vec((any::<i64>(), -50_i64..50, 0_u32..3), 0..12),
        is_wild in any::<bool>(),
        end_of_input in any::<bool>(),
        per_partition in any::<bool>(),
        idle in proptest::option::of(1_i64..100),
        (partitions, parallelism) in (1_u32..4, 1_u32..4),
    ) {
        let input: Vec<Value> = times
            .iter()
            .map(|(wild, near, partition)| {
                let time = if is_wild { *wild } else { *near };
                json!({
                    "kind": "event", "key": "k", "time": time.to_string(),
                    "partition": partition % partitions,
                })
            })
            .collect();
        let mut params: EventTimeParams = serde_json::from_value(job(
            json!({ "kind": "boundedOutOfOrderness", "outOfOrderness": 5 }),
            tumbling(10, 0),
            0,
            &[],
        ))
        .expect("the params parse");
        params.windows = windows;
        params.input = serde_json::from_value(json!(input)).expect("the items parse");
        params.end_of_input = end_of_input;
        params.watermarks.idle_timeout = idle;
        params.source.partitions = partitions;
        params.source.parallelism = parallelism;
        params.source.per_partition = per_partition;
        if let Ok(answer) = run_event_time(&params) {
            serde_json::to_string(&answer).expect("a report serialises");
            let totals = &answer.value.totals;
            let failed = answer.value.rows.iter().filter(|row| row.error.is_some()).count() as u32;
            prop_assert_eq!(
                totals.events,
                totals.on_time + totals.late + totals.dropped + totals.ignored + failed
            );
            prop_assert_eq!(totals.dropped, totals.side_output + totals.num_late_records_dropped);
        }
    }
}
