//! The native half of the bench of the search through all orders: `bench_transaction ENGINE PARAMS`,
//! ENGINE `weir` or `stateright`, the params as JSON, prints one JSON object with the milliseconds, the
//! steps generated and the distinct states, of ours also the bytes.
//!
//! stateright runs the model of tests/stateright/, the one that the counts are tested against, on one
//! thread as the engine does.

#![allow(clippy::disallowed_types)] // This program measures time; the engine may not.

// Tests for a browser are built where stateright is no dependency.
#[cfg(not(target_arch = "wasm32"))]
#[path = "../tests/stateright/protocol.rs"]
mod protocol;

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    native::run();
}

#[cfg(target_arch = "wasm32")]
fn main() {}

#[cfg(not(target_arch = "wasm32"))]
mod native {
    use std::time::Instant;

    use serde_json::{Value, json};
    use stateright::{Checker, Model};
    use weir::transaction::{Exploration, ExploreParams};

    use crate::protocol::{NOTHING_LOST, NOTHING_TWICE, Protocol};

    pub fn run() {
        let arguments: Vec<String> = std::env::args().skip(1).collect();
        let [engine, params] = &arguments[..] else { usage() };
        let params: ExploreParams = serde_json::from_str(params).expect("params of a search");
        let report = match engine.as_str() {
            "weir" => weir(&params),
            "stateright" => stateright(&params),
            _ => usage(),
        };
        println!("{report}");
    }

    fn usage() -> ! {
        eprintln!("usage: bench_transaction weir|stateright PARAMS");
        std::process::exit(2);
    }

    fn weir(params: &ExploreParams) -> Value {
        let start = Instant::now();
        let mut search = Exploration::new(params).expect("the bounds are accepted");
        let known = search.advance(u32::MAX);
        let ms = start.elapsed().as_secs_f64() * 1e3;
        let report = search.report();
        assert!(report.is_complete, "not all states were seen: {}", report.text);
        json!({
            "ms": ms,
            "generated": known.generated,
            "distinct": known.distinct,
            "bytes": known.bytes,
            "stateBytes": search.state_bytes(),
        })
    }

    fn stateright(params: &ExploreParams) -> Value {
        let protocol = Protocol::of(params).expect("stateright's model has rules for the params");
        let start = Instant::now();
        let checker = protocol.checker().threads(1).spawn_bfs().join();
        let ms = start.elapsed().as_secs_f64() * 1e3;
        for promise in [NOTHING_TWICE, NOTHING_LOST] {
            assert!(checker.discovery(promise).is_none(), "the promise of the model is broken");
        }
        json!({
            "ms": ms,
            "generated": checker.state_count(),
            "distinct": checker.unique_state_count(),
        })
    }
}
