//! A whole stream of a job with partitions, a clock, subtasks and bytes kept.
#![cfg(not(target_arch = "wasm32"))]

use serde_json::{Value, json};
use weir::event_time::params::EventTimeParams;
use weir::event_time::run_event_time;
use weir::event_time::whole::{RESULTS_KEPT, Whole, WholeParams};
use weir::stream::{Event, Generator, GeneratorParams};

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
