//! The native half of the checkpoint bench: `bench_checkpoint SCENARIO`, the scenario as JSON, prints
//! one JSON object with the milliseconds, the events and the end-to-end time of each checkpoint.

#![allow(clippy::disallowed_types)] // This program measures time; the engine may not.

use std::time::Instant;

use serde_json::json;
use weir::checkpoint::{Scenario, simulate_scenario};

/// The fastest counts: the first one pays for fresh memory.
const PASSES: usize = 3;

fn main() {
    let Some(text) = std::env::args().nth(1) else {
        eprintln!("usage: bench_checkpoint SCENARIO");
        std::process::exit(2);
    };
    let scenario: Scenario = serde_json::from_str(&text).expect("a scenario");
    let pass = |_| {
        let start = Instant::now();
        let report = simulate_scenario(&scenario).expect("the scenario can be").value;
        (start.elapsed().as_secs_f64() * 1e3, report)
    };
    let passes = (0..PASSES).map(pass);
    let (ms, report) = passes.min_by(|a, b| a.0.total_cmp(&b.0)).expect("there is a pass");
    let times: Vec<u64> = report.checkpoints.iter().map(|it| it.end_to_end_ms).collect();
    println!("{}", json!({ "ms": ms, "events": report.events, "times": times }));
}
