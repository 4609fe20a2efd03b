//! The checkpoint part of `cargo xtask bench`: whole simulations in the browser, and natively.
//!
//! Both sides run the same jobs, in turn; of each the fastest of several rounds counts. It fails where
//! they do not come to the same checkpoints.
//!
//! - `checkpoint.wasm_events_per_s`, `checkpoint.wasm_over_native`: events of the simulation, each of
//!   them a buffer, a barrier or a timer, for a minute of 32 x 32 subtasks, all to all, at 10,000
//!   records a second and source. The browser's time includes reading the scenario and writing the
//!   report.
//! - `checkpoint.minute_32x32_ms`: that minute.
//! - `checkpoint.slider_{p50,p95}_ms`: a move of a slider on the default scenario, from the start of
//!   its handler to the end of the last change of the page: the whole run is simulated and drawn.
//! - `checkpoint.grow.channels_….{ms,wasm_bytes}`: ten seconds of such a job by its channels, and the
//!   memory of the module after it.

use std::process::Command;

use anyhow::Result;

use crate::setup::node;
use crate::{process, project};

/// The example that is the native side, and the profile that the module of the page has too.
const NATIVE: &str = "bench_checkpoint";
const PROFILE: &str = "simulation";

/// Builds the native side and returns the command that measures; `address` is where the built
/// studio is served.
pub fn command(address: &str, chrome: &std::path::Path) -> Result<Command> {
    let mut cargo = Command::new("cargo");
    cargo.current_dir(project::root());
    cargo.args(["build", "--quiet", "--locked", "--profile", PROFILE, "--example", NATIVE]);
    process::run(&mut cargo)?;
    let mut browser = node(project::root().join("xtask/scripts/bench-checkpoint.mjs"));
    browser.arg(project::native_target().join(PROFILE).join("examples").join(NATIVE));
    browser.env("WEIR_URL", address).env("CHROME", chrome);
    Ok(browser)
}
