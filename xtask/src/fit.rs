//! `cargo xtask fit`: the checkpoint simulation against the recorded checkpoints, case by case.
//!
//! The comparison is a test of the engine; this prints what it prints.

use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::project;

/// The test that compares.
const TEST: &str = "the_simulation_is_as_close_to_flink_as_promised";

/// Prints the table and its summary; fails if the promised closeness is not reached.
pub fn run() -> Result<()> {
    let mut cargo = Command::new("cargo");
    cargo.current_dir(project::root());
    cargo.args(["test", "--quiet", "--locked", "--test", "checkpoint_fit", "--"]);
    cargo.args(["--exact", TEST, "--nocapture"]);
    let output = cargo.stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    let output = output.context("`cargo` is not installed")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let table = table(&text);
    println!("{table}");
    match (output.status.success(), table.is_empty()) {
        (_, true) => bail!(
            "the comparison printed no table; is checkpoints/measurements.jsonl in the folder of recordings?"
        ),
        (false, _) => bail!("the simulation is not as close as promised"),
        _ => Ok(()),
    }
}

/// The lines of the comparison without those of the test program.
fn table(output: &str) -> String {
    let from = output.find("case | mode |").unwrap_or(output.len());
    let rest = &output[from..];
    let end = rest
        .find("triggers runs=")
        .map_or(0, |at| at + rest[at..].find('\n').unwrap_or(rest.len() - at));
    rest[..end].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_ends_with_its_summary() {
        let output = "\nrunning 1 test\ncase | mode | x\nA | b\ntriggers with y runs=1\n\
                      triggers runs=18 within150ms=14\n.\ntest result: ok\n";
        let table = table(output);
        assert!(table.starts_with("case | mode | x\n"));
        assert!(table.ends_with("\ntriggers runs=18 within150ms=14"));
    }
}
