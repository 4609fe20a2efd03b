//! The event-time part of `cargo xtask bench`: long runs in the browser against a plain loop of
//! JavaScript and against the native build.
//!
//! All three go over the same 10 million records, from typed arrays (or slices) to the same outcome
//! and result arrays, in turn; making the records is not timed. Of each side the fastest of several
//! rounds counts. It fails where they do not write the same.
//!
//! - `event_time.{tumbling,sliding,session}.{wasm_events_per_s,wasm_over_js,wasm_over_native}`: with
//!   10,000 keys and a watermark after each record.
//! - `event_time.grow.{tumbling,sliding,session}.{records_…,keys_…}`: milliseconds of a run, the same
//!   a record, bytes a record with its outcome and the snapshots, the most bytes of open state, and the
//!   results, of which 4 million at most are kept from one million of records to the next.
//! - `event_time.file.…`: a file of 500 MB, made piece by piece and pushed through the class that a
//!   reader's file goes through: megabytes a second, and the most memory of wasm and JavaScript
//!   together, which must stay under 300 MB.

use std::process::Command;

use anyhow::Result;

use crate::setup::node;
use crate::{process, project};

/// The example that is the native side, and the profile that the module of the page has too.
const NATIVE: &str = "bench_event_time";
const PROFILE: &str = "simulation";

/// Builds the native side and returns the command that measures; `address` is where the built
/// studio is served.
pub fn command(address: &str, chrome: &std::path::Path) -> Result<Command> {
    let mut cargo = Command::new("cargo");
    cargo.current_dir(project::root());
    cargo.args(["build", "--quiet", "--locked", "--profile", PROFILE, "--example", NATIVE]);
    process::run(&mut cargo)?;
    let mut browser = node(project::root().join("xtask/scripts/bench-event-time.mjs"));
    browser.arg(project::native_target().join(PROFILE).join("examples").join(NATIVE));
    browser.env("WEIR_URL", address).env("CHROME", chrome);
    Ok(browser)
}
