//! A whole stream of a job with partitions, a clock, subtasks and bytes kept.
#![cfg(not(target_arch = "wasm32"))]

use serde_json::{Value, json};
use weir::event_time::kept::{KeptParams, WindowFunction};
use weir::event_time::params::{EventTimeParams, InputItem};
use weir::event_time::report::RecordOutcome;
use weir::event_time::run::outcome;
use weir::event_time::run_event_time;
use weir::event_time::whole::{RESULTS_KEPT, Whole, WholeParams};
use weir::stream::{BoundParams, Event, Generator, GeneratorParams};

fn generator(events: u64, keys: u32) -> Value {
    json!({
        "seed": 7, "events": events, "startMs": 0, "ratePerSecond": 100.0, "partitions": 3,
        "spread": "roundRobin", "keys": { "count": keys, "zipfExponent": 0.0 },
        "delay": { "kind": "uniform", "maxMs": 800 }, "delayCapMs": 60_000, "bursts": null,
        "stalls": [{ "partition": 1, "fromMs": 1500, "lengthMs": 2500 }],
        "skews": [], "duplicates": null, "replays": [], "values": { "min": 1, "max": 9 },
    })
}

fn windows(lateness: u64) -> Value {
    json!({
        "assigner": { "kind": "sliding", "size": 1000, "slide": 250, "offset": 0 },
        "trigger": { "kind": "eventTime" }, "allowedLateness": lateness, "sideOutput": false,
    })
}

fn watermarks(emission: &Value, idle: Option<u64>) -> Value {
    let rule = json!({ "kind": "boundedOutOfOrderness", "outOfOrderness": 300 });
    json!({ "rule": rule, "emission": emission, "idleTimeout": idle })
}

fn whole(generator: &Value, windows: &Value, watermarks: &Value, job: &Value, end: bool) -> Whole {
    let params: WholeParams = serde_json::from_value(json!({
        "source": { "kind": "generated", "generator": generator }, "windows": windows,
        "watermarks": watermarks, "endOfInput": end, "job": job,
    }))
    .expect("the params parse");
    let mut whole = Whole::new(&params).expect("it is accepted");
    while !whole.advance(77).expect("it runs").is_done {}
    whole
}

fn job(readers: u32, per_partition: bool, parallelism: u32) -> Value {
    json!({
        "version": "1.20", "sourceParallelism": readers, "perPartition": per_partition,
        "parallelism": parallelism, "keyType": "integer",
    })
}

fn events_of(generator: &Value) -> Vec<Event> {
    let params: GeneratorParams = serde_json::from_value(generator.clone()).expect("it parses");
    let mut events = Vec::new();
    let mut generator = Generator::new(&params).expect("it is accepted");
    while generator.fill(&mut events, 1000).expect("few are in flight") > 0 {}
    events
}

/// The same stream item by item.
fn exact(
    generator: &Value,
    windows: &Value,
    watermarks: &Value,
    readers: u32,
    split: bool,
    end: bool,
) -> EventTimeParams {
    let item = |it: &Event| {
        let (key, partition) = (it.key.to_string(), it.partition);
        json!({ "kind": "event", "key": key, "time": it.time, "value": it.value, "arrival": it.arrival, "partition": partition })
    };
    let input: Vec<Value> = events_of(generator).iter().map(item).collect();
    serde_json::from_value(json!({
        "version": "1.20", "watermarks": watermarks, "windows": windows, "input": input,
        "source": { "partitions": 3, "parallelism": readers, "perPartition": split },
        "parallelism": 2, "keyType": "integer", "endOfInput": end,
    }))
    .expect("the params parse")
}

#[test]
fn a_generated_stream_is_the_job_item_by_item() {
    let (generator, windows) = (generator(600, 5), windows(400));
    let clock = json!({ "kind": "periodic", "interval": 50 });
    let each = json!({ "kind": "perEvent", "every": 1 });
    let cases = [(&clock, Some(700), 3, true), (&clock, None, 2, false), (&each, None, 1, true)];
    let mut dropped = Vec::new();
    for (emission, idle, readers, split) in cases {
        for end in [true, false] {
            let watermarks = watermarks(emission, idle);
            let params = exact(&generator, &windows, &watermarks, readers, split, end);
            let report = run_event_time(&params).expect("it runs").value;
            let job = job(readers, split, 2);
            let whole = whole(&generator, &windows, &watermarks, &job, end);
            let told = whole.report().value;
            let counts = |late, dropped, firings| (late, dropped, firings);
            let totals = &report.totals;
            assert_eq!(
                counts(told.totals.late, told.totals.dropped, told.totals.results),
                counts(totals.late, totals.dropped, totals.firings),
                "{emission} {idle:?} {readers} {split} {end}"
            );
            let shares: Vec<(u64, u64)> =
                told.subtasks.iter().map(|it| (it.records, it.keys)).collect();
            let wanted: Vec<(u64, u64)> =
                report.subtasks.iter().map(|it| (it.events.into(), it.keys.into())).collect();
            assert_eq!(shares, wanted);
            assert_eq!((&told.data_stream, &told.sql), (&report.data_stream, &report.sql));
            dropped.push(totals.dropped);
        }
    }
    assert!(dropped[0] > dropped[4], "the idle partition comes back late: {dropped:?}");
}

#[test]
fn what_is_kept_at_the_end_is_what_the_job_keeps() {
    let (generator, windows) = (generator(600, 5), windows(400));
    let watermarks = watermarks(&json!({ "kind": "perEvent", "every": 1 }), None);
    let mut params = exact(&generator, &windows, &watermarks, 1, false, false);
    params.parallelism = 1;
    let report = run_event_time(&params).expect("it runs").value;
    let whole = whole(&generator, &windows, &watermarks, &job(1, false, 1), false);
    let kept = whole.kept();
    assert_eq!(kept.last(), report.rows.last().map(|it| &it.kept), "the state is the same");
    let told = whole.report().value.kept;
    let predicted = told.predicted.expect("there is a formula");
    assert!(predicted.heap >= report.kept.peak.heap && predicted.rocksdb >= told.peak.rocksdb);
    assert_eq!(Some(predicted), report.kept.predicted);
    assert!(report.kept.lateness_adds.heap.get() > 0);
    assert!(told.peak.heap <= report.kept.peak.heap, "samples see less than every row");
    // A row after the end keeps nothing.
    params.end_of_input = true;
    let ended = run_event_time(&params).expect("it runs").value;
    let last = ended.rows.last().expect("there are rows").kept;
    assert_eq!([last.heap.get(), last.rocksdb.get()], [0, 0]);
}

/// The bytes of every trigger and of sessions, with the numbers that triggers keep and the lists of
/// sessions, at the end of a stream that goes on.
#[test]
fn what_other_triggers_and_sessions_keep_is_what_the_job_keeps() {
    let generator = generator(600, 5);
    let watermarks = watermarks(&json!({ "kind": "perEvent", "every": 1 }), None);
    let sliding = json!({ "kind": "sliding", "size": 1000, "slide": 250, "offset": 0 });
    let session = json!({ "kind": "session", "gap": 40 });
    let count = json!({ "kind": "count", "count": 7 });
    let triggers = [
        json!({ "kind": "eventTime" }),
        count.clone(),
        json!({ "kind": "continuous", "interval": 90 }),
        json!({ "kind": "earlyCount", "count": 5 }),
        json!({ "kind": "purging", "of": count }),
    ];
    for (assigner, trigger) in [&sliding, &session]
        .into_iter()
        .flat_map(|it| triggers.iter().map(move |trigger| (it, trigger)))
    {
        let windows = json!({ "assigner": assigner, "trigger": trigger, "allowedLateness": 400, "sideOutput": false });
        let mut params = exact(&generator, &windows, &watermarks, 1, false, false);
        params.parallelism = 1;
        let report = run_event_time(&params).expect("it runs").value;
        let whole = whole(&generator, &windows, &watermarks, &job(1, false, 1), false);
        assert_eq!(
            whole.kept().last(),
            report.rows.last().map(|it| &it.kept),
            "{assigner} {trigger}"
        );
        let told = whole.report().value;
        let totals = (told.totals.results, told.totals.refired > 0, told.totals.dropped);
        let wanted = (report.totals.firings, report.totals.refires > 0, report.totals.dropped);
        assert_eq!(totals, wanted, "{assigner} {trigger}");
    }
}

/// Whoever moves the bound along the curve sees what a run with that bound counts, whatever moves
/// the watermark.
#[test]
fn the_curve_holds_for_the_clock_idleness_and_subtasks() {
    let generator = generator(3000, 5);
    let clock = json!({ "kind": "periodic", "interval": 120 });
    let each = json!({ "kind": "perEvent", "every": 1 });
    let third = json!({ "kind": "perEvent", "every": 3 });
    let cases = [
        (&clock, None, 1, false),
        (&clock, Some(700), 1, true),
        (&clock, Some(700), 3, true),
        (&clock, Some(300), 2, false),
        (&each, Some(700), 2, true),
        (&third, None, 1, false),
        (&third, None, 3, false),
    ];
    let rules = ["boundedOutOfOrderness", "sql"];
    for ((emission, idle, readers, split), rule) in
        cases.iter().flat_map(|it| rules.map(|rule| (*it, rule)))
    {
        let watermarks = |bound: u64| {
            let rule = json!({ "kind": rule, "outOfOrderness": bound });
            json!({ "rule": rule, "emission": emission, "idleTimeout": idle })
        };
        let run = |bound| {
            whole(&generator, &windows(100), &watermarks(bound), &job(readers, split, 1), true)
        };
        let first = run(300);
        let mut told_apart = std::collections::BTreeSet::new();
        for bound in [0, 40, 300, 555, 1300, 2600] {
            let asked =
                BoundParams { completeness: Vec::new(), bound_ms: Some(bound as i64), top_keys: 0 };
            let chosen = first.bound(&asked).expect("it is in range").value.report.chosen;
            let chosen = chosen.expect("it was asked");
            let counted = run(bound).report().value;
            let what = format!("{bound} ms: {rule} {emission} {idle:?} {readers} {split}");
            let totals = counted.totals;
            assert_eq!(chosen.behind_watermark, u64::from(totals.behind), "behind at {what}");
            assert_eq!(chosen.dropped, Some(totals.dropped.into()), "dropped at {what}");
            assert_eq!(
                totals.dropped == 0,
                bound >= first.report().value.no_drop_bound_ms,
                "{what}"
            );
            told_apart.insert(totals.behind);
        }
        assert!(told_apart.len() >= 4, "the bounds differ: {told_apart:?}");
    }
}

/// A stream that comes evenly fills its windows as the formula says; the samples see nearly the peak.
#[test]
fn bytes_of_a_full_function_are_foretold_from_the_rate() {
    let generator = json!({
        "seed": 3, "events": 60_000, "startMs": 0, "ratePerSecond": 100.0, "partitions": 1,
        "spread": "roundRobin", "keys": { "count": 4, "zipfExponent": 0.0 },
        "delay": { "kind": "none" }, "delayCapMs": 0, "bursts": null, "stalls": [], "skews": [],
        "duplicates": null, "replays": [], "values": { "min": 1, "max": 9 },
    });
    let watermarks = watermarks(&json!({ "kind": "perEvent", "every": 1 }), None);
    let mut job = job(1, false, 1);
    job["kept"] = serde_json::to_value(KeptParams {
        function: WindowFunction::Full,
        ..KeptParams::default()
    })
    .expect("it is plain");
    // Windows of some 5 to 40 samples, so that one of them is taken near the peak.
    for (size, slide, lateness) in [
        (60_000, 60_000, 0),
        (60_000, 20_000, 0),
        (90_000, 40_000, 70_000),
        (20_000, 50_000, 60_000),
    ] {
        let windows = json!({
            "assigner": { "kind": "sliding", "size": size, "slide": slide, "offset": 0 },
            "trigger": { "kind": "eventTime" }, "allowedLateness": lateness, "sideOutput": false,
        });
        let kept = whole(&generator, &windows, &watermarks, &job, true).report().value.kept;
        let predicted = kept.predicted.expect("there is a formula");
        let rate = kept.predicted_rate_per_second.expect("it holds at a rate");
        assert!((99.9..100.1).contains(&rate), "{rate}");
        // The arrays of lists have some free slots, more or fewer by the length that is reached.
        for (counted, told, most) in
            [(kept.peak.heap, predicted.heap, 1.1), (kept.peak.rocksdb, predicted.rocksdb, 1.001)]
        {
            let share = counted.get() as f64 / told.get() as f64;
            let what = format!("{size} {slide} {lateness}: {counted} of {told}");
            assert!((0.8..=most).contains(&share), "{what}");
        }
    }
}

#[test]
fn a_full_function_keeps_a_copy_of_each_record_in_every_window() {
    let (generator, windows) = (generator(600, 5), windows(0));
    let watermarks = watermarks(&json!({ "kind": "perEvent", "every": 1 }), None);
    let mut params = exact(&generator, &windows, &watermarks, 1, false, false);
    let lean = run_event_time(&params).expect("it runs").value;
    params.kept.function = weir::event_time::kept::WindowFunction::Full;
    let full = run_event_time(&params).expect("it runs").value;
    for (lean, full) in lean.rows.iter().zip(&full.rows) {
        // A list of n Longs has 8 n bytes and n - 1 commas in RocksDB, an accumulator 8.
        let (copies, entries) = (full.elements as i64, full.state_entries as i64);
        let more = full.kept.rocksdb.get() - lean.kept.rocksdb.get();
        assert_eq!(more, 9 * copies - entries - 8 * entries);
    }
    assert_eq!(full.kept.predicted, None);
}

#[test]
fn the_end_of_a_million_keys_holds_no_more_results_than_are_kept() {
    let mut generator = generator(1_200_000, 1_000_000);
    generator["ratePerSecond"] = json!(1_000_000.0);
    generator["stalls"] = json!([]);
    let windows = json!({
        "assigner": { "kind": "sliding", "size": 3_600_000, "slide": 600_000, "offset": 0 },
        "trigger": { "kind": "eventTime" }, "allowedLateness": 0, "sideOutput": false,
    });
    let watermarks = watermarks(&json!({ "kind": "perEvent", "every": 1 }), None);
    let whole = whole(&generator, &windows, &watermarks, &json!(job(1, false, 4)), true);
    let report = whole.report().value;
    assert!(report.totals.results > 4_000_000, "{}", report.totals.results);
    assert_eq!((report.results_kept, whole.results().len()), (RESULTS_KEPT, RESULTS_KEPT));
    assert!(whole.results().key.capacity() <= 2 * RESULTS_KEPT);
    assert!(report.record_bytes + report.state_bytes < 300_000_000);
    assert_eq!(report.subtasks.iter().map(|it| it.keys).sum::<u64>(), report.keys);
}

#[test]
fn duplicates_are_left_out_by_their_id_as_in_the_job_item_by_item() {
    let mut generator = generator(900, 5);
    generator["duplicates"] = json!({ "share": 0.4, "withinMs": 900 });
    generator["replays"] = json!([{ "atMs": 5000, "lastMs": 1500 }]);
    let windows = windows(400);
    let clock = json!({ "kind": "periodic", "interval": 50 });
    let each = json!({ "kind": "perEvent", "every": 1 });
    let third = json!({ "kind": "perEvent", "every": 3 });
    for (emission, readers) in [(&each, 1), (&third, 1), (&clock, 2)] {
        let watermarks = watermarks(emission, None);
        let mut params = exact(&generator, &windows, &watermarks, readers, false, true);
        // Some come back after their TTL.
        params.dedup_ttl = Some(450);
        for (item, event) in params.input.iter_mut().zip(events_of(&generator)) {
            if let InputItem::Event { id, .. } = item {
                *id = Some(event.id.to_string());
            }
        }
        let report = run_event_time(&params).expect("it runs").value;
        let mut job = job(readers, false, 2);
        job["dedupTtl"] = json!(450);
        let whole = whole(&generator, &windows, &watermarks, &job, true);
        let told = whole.report().value;
        let totals = &report.totals;
        assert!(totals.duplicates > 100 && totals.duplicates < 700, "{totals:?}");
        let got = &told.totals;
        assert_eq!(
            [
                got.records,
                got.on_time,
                got.late,
                got.dropped,
                got.duplicates,
                got.behind,
                got.results
            ],
            [
                totals.events,
                totals.on_time,
                totals.late,
                totals.dropped,
                totals.duplicates,
                totals.behind_watermark,
                totals.firings
            ],
            "{emission}"
        );
        let exact_rows: Vec<_> =
            report.rows.iter().filter_map(|it| Some((it, it.record.as_ref()?))).collect();
        for from in [0, exact_rows.len() / 2] {
            let rows = whole.rows(from, exact_rows.len());
            assert_eq!(rows.len(), exact_rows.len() - from);
            for (got, (row, record)) in rows.iter().zip(&exact_rows[from..]) {
                assert_eq!(got.row.watermark_before, row.watermark_before.get());
                let is_left_out = record.outcome == Some(RecordOutcome::Duplicate);
                assert_eq!(got.row.outcome & outcome::DUPLICATE != 0, is_left_out);
                assert_eq!(got.row.windows.len(), record.windows.len());
            }
        }
        assert_eq!(told.ids_kept as usize, totals.ids_kept);
    }
}

/// Windows of a time zone, global ones, sessions with a gap of each record, and triggers that are early by
/// the clock: all that a stream has beside the fast paths.
#[test]
fn what_has_no_fast_path_is_the_job_item_by_item_too() {
    let mut generator = generator(700, 4);
    generator["values"] = json!({ "min": 5, "max": 90 });
    let changes = json!([
        { "from": 0, "offset": 0 }, { "from": 2100, "offset": 500 }, { "from": 4200, "offset": -250 }
    ]);
    let zoned = json!({ "kind": "zoned", "size": 1000, "transitions": changes });
    let (dynamic, global) = (json!({ "kind": "dynamicSession" }), json!({ "kind": "global" }));
    let sliding = json!({ "kind": "sliding", "size": 1000, "slide": 400, "offset": 0 });
    let session = json!({ "kind": "session", "gap": 60 });
    let end = json!({ "kind": "eventTime" });
    let count = json!({ "kind": "count", "count": 7 });
    let clock = json!({ "kind": "earlyProcessingTime", "interval": 130 });
    let purging = |of: &Value| json!({ "kind": "purging", "of": of });
    let early = json!({ "kind": "earlyCount", "count": 9 });
    let cases = [
        (&zoned, end.clone()),
        (&zoned, clock.clone()),
        (&dynamic, end.clone()),
        (&dynamic, early),
        (&dynamic, purging(&clock)),
        (&global, end),
        (&global, count.clone()),
        (&global, purging(&count)),
        (&global, clock.clone()),
        (&sliding, clock.clone()),
        (&sliding, purging(&clock)),
        (&session, clock),
    ];
    let each = json!({ "kind": "perEvent", "every": 1 });
    let periodic = json!({ "kind": "periodic", "interval": 50 });
    for ((assigner, trigger), emission) in
        cases.iter().flat_map(|it| [&each, &periodic].map(|emission| (it, emission)))
    {
        let windows = json!({ "assigner": assigner, "trigger": trigger, "allowedLateness": 200, "sideOutput": false });
        let idle = (emission == &periodic).then_some(600);
        let watermarks = watermarks(emission, idle);
        for end in [true, false] {
            let mut params = exact(&generator, &windows, &watermarks, 1, true, end);
            params.parallelism = 1;
            let what = format!("{assigner} {trigger} {emission} {end}");
            let report = run_event_time(&params).expect("it runs").value;
            let whole = whole(&generator, &windows, &watermarks, &job(1, true, 1), end);
            let (told, totals) = (whole.report().value.totals, &report.totals);
            assert_eq!(
                (told.on_time, told.late, told.dropped, told.results),
                (totals.on_time, totals.late, totals.dropped, totals.firings),
                "{what}"
            );
            let record_firings = |row: &weir::event_time::report::Row| {
                row.record.iter().flat_map(|it| it.firings.clone()).collect::<Vec<_>>()
            };
            let rows = report.rows.iter();
            let fired = rows.flat_map(|it| [record_firings(it), it.firings.clone()].concat());
            let mut fired: Vec<_> = fired
                .map(|it| (it.key.clone(), it.start.get(), it.end.get(), it.sum, it.nth))
                .collect();
            let results = whole.results();
            let mut got: Vec<_> = (0..results.len())
                .map(|at| {
                    let key = whole.key_name(results.key[at]);
                    (key, results.start[at], results.end[at], results.sum[at], results.nth[at])
                })
                .collect();
            fired.sort();
            got.sort();
            // Only the end of the input fires a global window by event time.
            let is_silent = *assigner == &global && trigger["kind"] == "eventTime" && !end;
            assert_eq!(got.is_empty(), is_silent, "{what}");
            assert_eq!(got, fired, "{what}");
            if emission == &each && !end {
                assert_eq!(whole.kept().last(), report.rows.last().map(|it| &it.kept), "{what}");
            }
            // The rows are computed again from the records, with the clock.
            let rows = whole.rows(0, 1000);
            let fired: usize = rows.iter().map(|it| it.row.results.len()).sum();
            assert!(fired <= got.len(), "{what}");
            assert_eq!(rows.last().map(|it| it.row.record), Some(699));
        }
    }
}

/// A file with ids, values and arrivals is the stream that it was written from.
#[test]
fn a_file_that_says_enough_is_the_stream_it_was_written_from() {
    let mut generator = generator(900, 5);
    generator["duplicates"] = json!({ "share": 0.4, "withinMs": 900 });
    let windows = windows(400);
    let watermarks = watermarks(&json!({ "kind": "periodic", "interval": 50 }), Some(700));
    let mut job = job(1, true, 2);
    job["dedupTtl"] = json!(450);
    let generated = whole(&generator, &windows, &watermarks, &job, true);
    let line = |it: &Event| {
        let (key, partition) = (it.key.to_string(), format!("p{}", it.partition));
        json!({ "t": it.time, "k": key, "p": partition, "v": it.value, "id": format!("e{}", it.id), "a": it.arrival }).to_string() + "\n"
    };
    let text: String = events_of(&generator).iter().map(line).collect();
    let reader = json!({
        "format": { "kind": "jsonLines" }, "time": "t", "timeFormat": "epochMillis", "key": "k",
        "partition": "p", "value": "v", "id": "id", "arrival": "a",
    });
    let params = |reader: &Value| -> WholeParams {
        serde_json::from_value(json!({
            "source": { "kind": "file", "reader": reader }, "windows": windows,
            "watermarks": watermarks, "endOfInput": true, "job": job,
        }))
        .expect("the params parse")
    };
    let mut file = Whole::new(&params(&reader)).expect("it is accepted");
    for chunk in text.as_bytes().chunks(1000) {
        file.push(chunk).expect("it reads");
    }
    let read = file.finish().expect("it is read").value;
    assert_eq!((read.bad, read.arrivals_back), (0, 0));
    while !file.advance(77).expect("it runs").is_done {}
    let (got, wanted) = (file.report().value, generated.report().value);
    assert!(wanted.totals.duplicates > 100);
    assert_eq!((got.totals, got.ids_kept), (wanted.totals, wanted.ids_kept));
    let sums = |it: &Whole| it.results().sum.iter().sum::<i64>();
    assert_eq!(sums(&file), sums(&generated));
    for (without, code) in [("id", "not_offered"), ("arrival", "origin")] {
        let mut reader = reader.clone();
        reader[without] = Value::Null;
        let problem =
            weir::finding::Problem::from(Whole::new(&params(&reader)).expect_err("refused"));
        assert_eq!(problem.code, code);
    }
}
