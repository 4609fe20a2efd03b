//! The native half of the event-time bench: `bench_event_time CASE RECORDS KEYS` prints one JSON
//! object with the milliseconds and a digest of all that was written. It runs a few times, and the
//! fastest counts: the first one pays for fresh memory, which the module of the page has by then.
//!
//! The stream and the digest are those of benches/event_time/events.js.

#![allow(clippy::disallowed_types)] // This program measures time; the engine may not.

use std::time::Instant;

use serde_json::json;
use weir::event_time::run::{Results, Run, RunParams};

/// Records that are pushed, and processed, at once.
const SLICE: usize = 1 << 20;
const PASSES: usize = 3;

struct Columns {
    time: Vec<i64>,
    key: Vec<u32>,
    value: Vec<i32>,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [case, records, keys] = &arguments[..] else {
        eprintln!("usage: bench_event_time CASE RECORDS KEYS");
        std::process::exit(2);
    };
    let number = |text: &str| text.parse::<usize>().expect("a number");
    let (records, keys) = (number(records), number(keys) as u32);
    let columns = events(records, keys);
    let params = params(case, keys);
    let passes = (0..PASSES).map(|_| pass(&params, &columns));
    let fastest = passes.min_by(|a, b| a.0.total_cmp(&b.0)).expect("there is a pass");
    let (ms, outcomes, parts) = fastest;
    let results: usize = parts.iter().map(Results::len).sum();
    println!("{}", json!({ "ms": ms, "results": results, "digest": digest(&outcomes, &parts) }));
}

/// Milliseconds of a run, and what it wrote.
fn pass(params: &RunParams, columns: &Columns) -> (f64, Vec<u8>, Vec<Results>) {
    let Columns { time, key, value } = columns;
    let records = time.len();
    let (mut parts, mut from) = (Vec::new(), 0);
    let start = Instant::now();
    let mut run = Run::new(params).expect("the params are those of the bench");
    while from < records {
        let to = records.min(from + SLICE);
        run.push(&time[from..to], &key[from..to], &value[from..to]).expect("all in range");
        run.advance(SLICE);
        parts.push(run.take_results());
        from = to;
    }
    run.end_input();
    run.advance(SLICE);
    parts.push(run.take_results());
    let outcomes = run.outcomes(0, records);
    (start.elapsed().as_secs_f64() * 1e3, outcomes, parts)
}

fn params(case: &str, keys: u32) -> RunParams {
    let assigner = match case {
        "tumbling" => json!({ "kind": "tumbling", "size": 60_000, "offset": 0 }),
        "sliding" => json!({ "kind": "sliding", "size": 60_000, "slide": 10_000, "offset": 0 }),
        _ => json!({ "kind": "session", "gap": 3_000 }),
    };
    let params = json!({
        "windows": {
            "assigner": assigner,
            "trigger": { "kind": "eventTime" },
            "allowedLateness": 0,
            "sideOutput": true,
        },
        "watermarks": {
            "rule": { "kind": "boundedOutOfOrderness", "outOfOrderness": 2_000 },
            "emission": { "kind": "perEvent", "every": 1 },
            "idleTimeout": null,
        },
        "keys": keys,
    });
    serde_json::from_value(params).expect("the params above are well formed")
}

fn events(records: usize, keys: u32) -> Columns {
    let mut x = 0x2545_f491_u32;
    let mut next = move || {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        x
    };
    let mut columns = Columns { time: Vec::new(), key: Vec::new(), value: Vec::new() };
    for n in 0..records as i64 {
        let delay = if next() % 100 == 0 { next() % 12_000 } else { next() % 2_000 };
        columns.time.push(n / 10 - i64::from(delay));
        columns.key.push(next() % keys);
        columns.value.push((next() % 100) as i32);
    }
    columns
}

/// FNV-1a over outcomes and results, times and sums by their low 32 bits.
fn digest(outcomes: &[u8], parts: &[Results]) -> u32 {
    let mut hash = 0x811c_9dc5_u32;
    let mut put = |word: u32| hash = (hash ^ word).wrapping_mul(0x0100_0193);
    outcomes.iter().for_each(|it| put(u32::from(*it)));
    for part in parts {
        for n in 0..part.len() {
            put(part.key[n]);
            put(part.start[n] as u32);
            put(part.end[n] as u32);
            put(part.count[n]);
            put(part.sum[n] as u32);
            put(part.nth[n]);
            put(part.watermark[n] as u32);
            put(part.record[n]);
        }
    }
    hash
}
