//! `cargo xtask bench`: figures of the engine and the page, one a line, each as soon as it is known.
//!
//! - `memory.derive.wasm_over_native`: one TaskManager derivation in the browser over the same one
//!   natively. The browser's includes reading the params from JavaScript and writing the answer
//!   back, the native one is the derivation alone. Both are the fastest of several passes of one
//!   run, so the ratio does not depend on the machine's speed.
//! - `page.keystroke_p95_ms`: from the start of the handler of a field's input event to the end of
//!   the last change of the DOM, with the worker's answer between them.
//! - `page.keystroke_painted_p95_ms`: from the same start to the first moment after the next paint.
//!   Frames come at fixed times, so this is up to a frame more.
//! - `page.first_answer_ms`: from navigation to the first answer with the CPU slowed four times.
//! - `event_time.…`: see `bench_event_time.rs`; `checkpoint.…`: see `bench_checkpoint.rs`;
//!   `transaction.…`: see `bench_transaction.rs`.
//! - `size.…`: compressed sizes as `cargo xtask size` weighs them.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::setup::{self, Need, node};
use crate::{bench_checkpoint, bench_event_time, bench_transaction};
use crate::{build, known_flag, process, project, serve, size};

/// A figure as the scripts print it: `name value unit`.
#[derive(Debug, PartialEq)]
struct Figure {
    name: String,
    value: f64,
    unit: String,
}

impl Figure {
    fn read(line: &str) -> Option<Self> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [name, value, unit] = words[..] else { return None };
        Some(Self { name: name.to_owned(), value: value.parse().ok()?, unit: unit.to_owned() })
    }

    fn line(&self, json: bool) -> String {
        let Self { name, value, unit } = self;
        if json {
            format!("{{\"name\":\"{name}\",\"value\":{value},\"unit\":\"{unit}\"}}")
        } else {
            format!("{name:<34} {value:>12.3} {unit}")
        }
    }
}

/// Builds, measures and prints; what is not a figure goes to standard error.
pub fn run(rest: &[&str]) -> Result<()> {
    let json = known_flag(rest, "--json")?;
    let kit = setup::ensure(&[setup::BUILD, &[Need::Browser]].concat())?;
    let print = |figure: &Figure| {
        println!("{}", figure.line(json));
        let _ = std::io::stdout().flush();
    };

    // Link-time optimisation keeps one core busy, so the two builds share two cores well.
    eprintln!("bench: building the studio and the native half ...");
    let native_build = started(cargo_native("build").stdout(std::io::stderr()))?;
    build::studio(&kit)?;
    finished(native_build, "the build of the native half")?;
    for weight in size::weigh(&project::dist())? {
        let value = weight.bytes as f64;
        print(&Figure { name: weight.figure.to_owned(), value, unit: "bytes".to_owned() });
    }

    eprintln!("bench: derivations, natively ...");
    let native = project::native_target().join("bench-native.json");
    let mut answer = String::new();
    each_line(&mut cargo_native("run"), |line| answer += line)?;
    project::write(&native, answer)?;

    let address = serve::in_background(project::dist())?;
    let mut browser_half = node(project::root().join("xtask/scripts/bench.mjs"));
    let chrome = &kit.browser()?.program;
    browser_half.arg(&native).env("WEIR_URL", &address).env("CHROME", chrome);
    let read = |line: &str| {
        if let Some(figure) = Figure::read(line) {
            print(&figure);
        }
    };
    each_line(&mut browser_half, read)?;
    eprintln!("bench: long runs of records ...");
    each_line(&mut bench_event_time::command(&address, chrome)?, read)?;
    eprintln!("bench: checkpoints ...");
    each_line(&mut bench_checkpoint::command(&address, chrome)?, read)?;
    eprintln!("bench: all orders of a transaction's steps ...");
    each_line(&mut bench_transaction::command(&address, chrome)?, read)
}

/// Builds or runs the native half.
fn cargo_native(what: &str) -> Command {
    let mut cargo = Command::new("cargo");
    cargo.current_dir(project::root());
    cargo.args([what, "--quiet", "--locked", "--release", "--example", "bench_native"]);
    cargo
}

fn started(command: &mut Command) -> Result<Child> {
    command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .spawn()
        .with_context(|| format!("cannot start `{}`", process::line(command)))
}

fn finished(mut child: Child, what: &str) -> Result<()> {
    if !child.wait()?.success() {
        bail!("{what} failed");
    }
    Ok(())
}

/// Hands over what a measuring program prints, line by line as it comes; its complaints go to
/// standard error.
fn each_line(command: &mut Command, mut act: impl FnMut(&str)) -> Result<()> {
    let mut child = started(command.stdout(Stdio::piped()))?;
    if let Some(printed) = child.stdout.take() {
        for line in BufReader::new(printed).lines() {
            act(&line?);
        }
    }
    finished(child, &format!("`{}`", process::line(command)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_and_printed_both_ways() {
        let figure = Figure::read("page.keystroke_p95_ms 3.250 ms").unwrap();
        assert_eq!(
            figure.line(true),
            "{\"name\":\"page.keystroke_p95_ms\",\"value\":3.25,\"unit\":\"ms\"}"
        );
        assert!(figure.line(false).ends_with("3.250 ms"));
        assert_eq!(Figure::read("not a figure at all"), None);
        assert_eq!(Figure::read("name x ms"), None);
    }
}
