//! The transaction part of `cargo xtask bench`: the search through all orders of a KafkaSink's steps,
//! in the browser, natively, and by stateright natively with the second model of
//! tests/transaction_stateright.rs.
//!
//! All three search the same model to its end, in turn, each on one thread; of each the fastest of
//! several rounds counts. It fails where they do not find as many distinct states. The model is said
//! on standard error.
//!
//! - `transaction.explore.wasm_generated_per_s`, `….wasm_distinct_per_s`: steps that can happen, and
//!   different states, for each second in the browser; `….aim_…` is what was aimed at.
//! - `transaction.explore.wasm_over_native`: the same search's speed in the browser over natively.
//! - `transaction.explore.native_over_stateright`: our speed natively over stateright's.
//! - `transaction.explore.state_bytes`: a packed state; `….memory_bytes_per_distinct` is all that is
//!   kept for it, with its parent and its share of the table that finds it.

use std::process::Command;

use anyhow::Result;

use crate::setup::node;
use crate::{process, project};

/// The example that is the native side.
const NATIVE: &str = "bench_transaction";

/// Builds the native side and returns the command that measures; `address` is where the built
/// studio is served.
pub fn command(address: &str, chrome: &std::path::Path) -> Result<Command> {
    let mut cargo = Command::new("cargo");
    cargo.current_dir(project::root());
    cargo.args(["build", "--quiet", "--locked", "--release", "--example", NATIVE]);
    process::run(&mut cargo)?;
    let mut browser = node(project::root().join("xtask/scripts/bench-transaction.mjs"));
    browser.arg(project::native_target().join("release").join("examples").join(NATIVE));
    browser.env("WEIR_URL", address).env("CHROME", chrome);
    Ok(browser)
}
