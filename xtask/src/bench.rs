//! `cargo xtask bench`: figures of the engine and the page, one a line.
//!
//! - `memory.derive.wasm_over_native`: one TaskManager derivation in the browser over the same one
//!   natively. The browser's includes reading the params from JavaScript and writing the answer
//!   back, the native one is the derivation alone. Both are the fastest of several passes of one
//!   run, so the ratio does not depend on the machine's speed.
//! - `page.keystroke_p95_ms`: from a field's input event to the end of the page's last change.
//! - `page.first_answer_ms`: from navigation to the first answer with the CPU slowed four times.
//! - `event_time.…`: see `bench_event_time.rs`.
//! - `size.…`: compressed sizes as `cargo xtask size` weighs them.

use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::setup::{self, Need, node};
use crate::{bench_event_time, build, known_flag, process, project, serve, size};

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
    build::studio(&kit)?;

    let native = project::native_target().join("bench-native.json");
    project::write(&native, measured(&mut native_half())?)?;
    let address = serve::in_background(project::dist())?;
    let mut browser_half = node(project::root().join("xtask/scripts/bench.mjs"));
    let chrome = &kit.browser()?.program;
    browser_half.arg(&native).env("WEIR_URL", &address).env("CHROME", chrome);
    let mut printed = measured(&mut browser_half)?;
    printed += &measured(&mut bench_event_time::command(&address, chrome)?)?;

    let mut figures: Vec<Figure> = printed.lines().filter_map(Figure::read).collect();
    for weight in size::weigh(&project::dist())? {
        let value = weight.bytes as f64;
        figures.push(Figure { name: weight.figure.to_owned(), value, unit: "bytes".to_owned() });
    }
    for figure in figures {
        println!("{}", figure.line(json));
    }
    Ok(())
}

fn native_half() -> Command {
    let mut cargo = Command::new("cargo");
    cargo.current_dir(project::root());
    cargo.args(["run", "--quiet", "--locked", "--release", "--example", "bench_native"]);
    cargo
}

/// What a measuring program prints; its complaints go to standard error as they come.
fn measured(command: &mut Command) -> Result<String> {
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot start `{}`", process::line(command)))?;
    if !output.status.success() {
        bail!("`{}` failed", process::line(command));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
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
