//! Who holds the watermark: the partition inside a source subtask, record by record and over streams.
#![cfg(not(target_arch = "wasm32"))]

use serde_json::{Value, json};
use weir::event_time::params::EventTimeParams;
use weir::event_time::report::EventTimeReport;
use weir::event_time::run_event_time;
use weir::event_time::time::EventTime;
use weir::event_time::whole::{StreamWhy, StreamWhyParams, Whole, WholeParams};
use weir::finding::{Derivation, Finding};

/// One reader with a generator for each of three partitions, asked every 200 ms.
fn job(events: &Value, idle: Option<u64>) -> Derivation<EventTimeReport> {
    let params: EventTimeParams = serde_json::from_value(json!({
        "version": "1.20",
        "watermarks": {
            "rule": { "kind": "boundedOutOfOrderness", "outOfOrderness": 0 },
            "emission": { "kind": "periodic", "interval": 200 },
            "idleTimeout": idle,
        },
        "source": { "partitions": 3, "parallelism": 1, "perPartition": true },
        "windows": {
            "assigner": { "kind": "tumbling", "size": 1000, "offset": 0 },
            "trigger": { "kind": "eventTime" }, "allowedLateness": 0, "sideOutput": false,
        },
        "parallelism": 1,
        "input": events,
        "endOfInput": false,
    }))
    .expect("the params parse");
    run_event_time(&params).expect("it runs")
}

fn event(time: i64, partition: u32) -> Value {
    json!({ "kind": "event", "key": "a", "time": time, "arrival": time, "partition": partition })
}

fn found<'a>(findings: &'a [Finding], code: &str) -> &'a Finding {
    findings.iter().find(|it| it.code == code).unwrap_or_else(|| panic!("no {code}: {findings:?}"))
}

#[test]
fn a_partition_that_is_silent_from_the_start_is_named() {
    let events: Vec<Value> = (0..30).map(|n| event(n * 100, (n % 2) as u32)).collect();
    let answer = job(&json!(events), None);
    let source = &answer.value.sources[0];
    assert!(source.holds_back && source.watermark == EventTime::MIN);
    let holds: Vec<bool> = source.parts.iter().map(|it| it.holds_back).collect();
    assert_eq!(holds, [false, false, true]);
    assert_eq!(source.parts[2].since, None);
    assert!(source.parts[0].watermark > EventTime::ms(2000), "it has a watermark of its own");
    let finding = found(&answer.findings, "held_back");
    assert_eq!(finding.title, "Partition 2 of source subtask 0 holds the watermark back");
    assert!(finding.reason.contains("2 open windows of a key end"), "{}", finding.reason);
    assert_eq!(finding.apply[0].value.as_deref(), Some("2000"), "ten calls of the clock");
    let verdict = &answer.value.verdict;
    assert!(verdict.contains("Partition 2 of source subtask 0 has no watermark yet"), "{verdict}");
    // Left out after the timeout, nobody holds anything.
    let answer = job(&json!(events), Some(500));
    let part = &answer.value.sources[0].parts[2];
    assert!(part.idle && !part.holds_back);
    assert!(answer.findings.iter().all(|it| it.code != "held_back"));
    assert!(answer.value.totals.firings > 0);
}

#[test]
fn a_partition_that_falls_silent_is_named_with_the_moment() {
    let events: Vec<Value> = (0..60_u32)
        .filter(|n| n % 3 != 1 || *n < 20)
        .map(|n| event(i64::from(n) * 100, n % 3))
        .collect();
    let answer = job(&json!(events), None);
    let part = &answer.value.sources[0].parts[1];
    // Its last record is that of 1.9 s; the call at 2 s takes it up.
    assert_eq!((part.highest, part.watermark), (EventTime::ms(1900), EventTime::ms(1899)));
    assert!(part.holds_back);
    let since = part.since.expect("it moved");
    assert_eq!(since.at, 2000);
    let row = &answer.value.rows[since.place as usize];
    assert_eq!(row.at, 2000, "and it stands in that row");
    let reason = &found(&answer.findings, "held_back").reason;
    let start = "Partition 1 of source subtask 0 holds the watermark at 1.899 s, 4 s behind the one furthest ahead, since step ";
    assert!(reason.starts_with(start), "{reason}");
}

fn stream(stalls: &Value, per_partition: bool, idle: Option<u64>, end: bool) -> Whole {
    let params: WholeParams = serde_json::from_value(json!({
        "source": { "kind": "generated", "generator": {
            "seed": 1, "events": 30_000, "startMs": 0, "ratePerSecond": 1000.0, "partitions": 4,
            "spread": "roundRobin", "keys": { "count": 10, "zipfExponent": 0.0 },
            "delay": { "kind": "none" }, "delayCapMs": 0, "bursts": null, "stalls": stalls,
            "skews": [], "duplicates": null, "replays": [], "values": { "min": 0, "max": 9 },
        } },
        "windows": {
            "assigner": { "kind": "tumbling", "size": 1000, "offset": 0 },
            "trigger": { "kind": "eventTime" }, "allowedLateness": 0, "sideOutput": false,
        },
        "watermarks": {
            "rule": { "kind": "boundedOutOfOrderness", "outOfOrderness": 0 },
            "emission": { "kind": "periodic", "interval": 200 }, "idleTimeout": idle,
        },
        "endOfInput": end,
        "job": {
            "version": "1.20", "sourceParallelism": 2, "perPartition": per_partition,
            "parallelism": 1, "keyType": "integer",
        },
    }))
    .expect("the params parse");
    let mut whole = Whole::new(&params).expect("it is accepted");
    while !whole.advance(777).expect("it runs").is_done {}
    whole
}

fn why(whole: &Whole, records: Option<u64>) -> Derivation<StreamWhy> {
    whole.why(&StreamWhyParams { records })
}

fn holding(why: &StreamWhy) -> Vec<u32> {
    let parts = why.sources.iter().flat_map(|it| &it.parts);
    parts.filter(|it| it.holds_back).map(|it| it.partition).collect()
}

#[test]
fn a_stalled_partition_of_a_stream_is_named_at_any_record() {
    let stalls = json!([{ "partition": 3, "fromMs": 5000, "lengthMs": 20_000 }]);
    for end in [true, false] {
        let whole = stream(&stalls, true, None, end);
        let told = why(&whole, Some(15_000)).value;
        assert_eq!(holding(&told), [3]);
        assert_eq!(told.watermark, EventTime::ms(4998), "its last record before 5 s is of 4.999 s");
        let part = &told.sources[1].parts[1];
        assert_eq!((part.partition, part.since.map(|it| it.at)), (3, Some(5000)));
        let next = told.next.as_ref().expect("windows wait");
        assert_eq!(next.needs_watermark, EventTime::ms(4999));
        assert_eq!(next.needs_timestamp, Some(EventTime::ms(5000)));
        // Ten keys and the windows of 4 s to 17 s or so, as far as the others have come.
        assert!(told.passed >= 100 && told.passed < told.waiting, "{told:?}");
        let text = &told.verdict;
        assert!(
            text.contains("Partition 3 of source subtask 1 holds the watermark at 4.998 s"),
            "{text}"
        );
        assert!(text.contains("each generator that is not idle must have read a record stamped 5 s or later, and the next call"), "{text}");
        found(&why(&whole, Some(15_000)).findings, "held_back");
        // After the stall nobody is far behind.
        let last = why(&whole, None).value;
        assert_eq!((last.records, last.passed), (30_000, 0));
        assert!(last.next.is_some(), "the last window waits, or did before the end");
    }
    // Idle it is left out, and the other partition of its subtask leads.
    let told = why(&stream(&stalls, true, Some(1000), false), Some(15_000)).value;
    assert!(told.sources[1].parts[1].idle && !holding(&told).contains(&3), "{told:?}");
}

#[test]
fn partitions_of_one_generator_hold_nothing_by_themselves() {
    let stalls = json!([
        { "partition": 1, "fromMs": 5000, "lengthMs": 20_000 },
        { "partition": 3, "fromMs": 5000, "lengthMs": 20_000 },
    ]);
    let whole = stream(&stalls, false, None, false);
    let told = why(&whole, Some(12_000)).value;
    assert_eq!(holding(&told), [0; 0]);
    assert!(told.sources[1].holds_back && !told.sources[0].holds_back);
    let text = &told.verdict;
    assert!(
        text.contains(
            "Source subtask 1 (one generator for partitions 1 and 3) holds the watermark"
        ),
        "{text}"
    );
    let one = stream(&json!([]), false, None, false);
    let first = why(&one, Some(0)).value;
    assert_eq!((first.records, first.verdict.as_str()), (0, "No record has been read."));
    assert_eq!(why(&one, Some(u64::MAX)).value.records, 30_000, "no further than the end");
}
