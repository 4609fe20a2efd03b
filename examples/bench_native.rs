//! The native half of `cargo xtask bench`: how long a derivation takes without a browser.
//!
//! Prints one JSON object: the params that were used, so that the browser times the same ones, and
//! the microseconds of one derivation in the fastest of several passes.

#![allow(clippy::disallowed_types)] // This program measures time; the engine may not.

use std::hint::black_box;
use std::time::Instant;

use serde_json::{Value, json};
use weir::memory::{self, MemoryParams};

const PASSES: usize = 30;

fn main() {
    let params = params();
    let parsed: Vec<MemoryParams> = params
        .iter()
        .map(|it| serde_json::from_value(it.clone()).expect("the params below are well formed"))
        .collect();
    let mut best = f64::INFINITY;
    for _ in 0..PASSES {
        let start = Instant::now();
        for it in &parsed {
            let _ = black_box(memory::derive_task_manager(black_box(it)));
        }
        best = best.min(start.elapsed().as_secs_f64());
    }
    let micros = best * 1e6 / parsed.len() as f64;
    println!("{}", json!({ "params": params, "micros": micros }));
}

/// Every version, sizes of the process from small to large, and several shares of managed memory;
/// a few of them do not start.
fn params() -> Vec<Value> {
    let mut all = Vec::new();
    for version in ["1.18", "1.20", "2.2"] {
        for size in ["600m", "1728m", "4g", "16g", "64g"] {
            for fraction in ["0.1", "0.4", "0.6", "0.95"] {
                all.push(json!({
                    "version": version,
                    "config": {
                        "taskmanager.memory.process.size": size,
                        "taskmanager.memory.managed.fraction": fraction,
                        "taskmanager.numberOfTaskSlots": "4",
                    },
                    "startScript": true,
                    "containerLimit": null,
                }));
            }
        }
    }
    all
}
