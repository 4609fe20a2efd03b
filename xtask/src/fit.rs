//! `cargo xtask fit`: the checkpoint simulation against the recorded checkpoints, case by case.
//!
//! The comparison is a test of the engine; this prints what it prints.

use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::project;

/// A test that compares, and what its table begins and ends with.
struct Comparison {
    file: &'static str,
    test: &'static str,
    first: &'static str,
    last: &'static str,
    needs: &'static str,
}

/// Simulated runs against measured ones, and scenarios fitted to REST answers against those.
const COMPARISONS: [Comparison; 2] = [
    Comparison {
        file: "checkpoint_fit",
        test: "the_simulation_is_as_close_to_flink_as_promised",
        first: "case | mode |",
        last: "triggers runs=",
        needs: "checkpoints/measurements.jsonl",
    },
    Comparison {
        file: "checkpoint_import_fit",
        test: "fitted_scenarios_are_as_close_as_promised",
        first: "fitted run |",
        last: "fitted runs=",
        needs: "checkpoints/raw",
    },
];

/// Prints the tables and their summaries, the simulation's last; fails if a promised closeness is not
/// reached.
pub fn run() -> Result<()> {
    let mut failed = Vec::new();
    for it in COMPARISONS.iter().rev() {
        let mut cargo = Command::new("cargo");
        cargo.current_dir(project::root());
        cargo.args(["test", "--quiet", "--locked", "--test", it.file, "--"]);
        cargo.args(["--exact", it.test, "--nocapture"]);
        let output = cargo.stdin(Stdio::null()).stderr(Stdio::inherit()).output();
        let output = output.context("`cargo` is not installed")?;
        let table = table(&String::from_utf8_lossy(&output.stdout), it);
        println!("{table}");
        match (output.status.success(), table.is_empty()) {
            (_, true) => failed.push(format!(
                "{} printed no table; is {} in the folder of recordings?",
                it.file, it.needs
            )),
            (false, _) => failed.push(format!("{} is not as close as promised", it.file)),
            _ => {}
        }
    }
    match failed.is_empty() {
        true => Ok(()),
        false => bail!(failed.join("; ")),
    }
}

/// The lines of the comparison without those of the test program.
fn table(output: &str, of: &Comparison) -> String {
    let from = output.find(of.first).unwrap_or(output.len());
    let rest = &output[from..];
    let end =
        rest.find(of.last).map_or(0, |at| at + rest[at..].find('\n').unwrap_or(rest.len() - at));
    rest[..end].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_ends_with_its_summary() {
        let output = "\nrunning 1 test\ncase | mode | x\nA | b\ntriggers with y runs=1\n\
                      triggers runs=18 within150ms=14\n.\ntest result: ok\n";
        let table = table(output, &COMPARISONS[0]);
        assert!(table.starts_with("case | mode | x\n"));
        assert!(table.ends_with("\ntriggers runs=18 within150ms=14"));
    }
}
