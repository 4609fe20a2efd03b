//! The accuracy block of README.md: how many recorded answers of real Flink the engine gives too.
//!
//! The oracle test prints a line for each recording, `memory/tm_memory_1.20.5.jsonl: 1090/1090`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use anyhow::{Context, Result, bail};

use crate::{known_flag, project};

const BEGIN: &str = "<!-- accuracy:begin -->";
const END: &str = "<!-- accuracy:end -->";
const README: &str = "README.md";

/// Rewrites the block, or with `--check` only compares it.
pub fn run(rest: &[&str]) -> Result<()> {
    let check = known_flag(rest, "--check")?;
    let lines = measure()?;
    let readme = project::read(README)?;
    let renewed = with_block(&readme, &block(&lines))?;
    if renewed == readme {
        println!("The accuracy block of {README} is in step.");
    } else if check {
        bail!("the accuracy block of {README} is out of step; run `cargo xtask accuracy`");
    } else {
        project::write(&project::root().join(README), renewed)?;
        println!("Rewrote the accuracy block of {README}.");
    }
    Ok(())
}

/// What is wrong with README.md, or nothing where there are no recordings of the project to ask.
pub fn problem(readme: &str) -> Result<Option<String>> {
    let other_recordings = std::env::var_os("ORACLE_DIR").is_some();
    if other_recordings || !project::root().join("tests/oracle.rs").exists() {
        return Ok(None);
    }
    let lines = match remembered() {
        Some(lines) => lines,
        None => measure()?,
    };
    Ok(difference(readme, &block(&lines)))
}

fn difference(readme: &str, block: &str) -> Option<String> {
    match with_block(readme, block) {
        Err(error) => Some(error.to_string()),
        Ok(renewed) if renewed == readme => None,
        Ok(renewed) => {
            let (old, new): (Vec<&str>, Vec<&str>) =
                (readme.lines().collect(), renewed.lines().collect());
            let gone =
                old.iter().filter(|line| !new.contains(line)).map(|line| format!("\n  - {line}"));
            let come =
                new.iter().filter(|line| !old.contains(line)).map(|line| format!("\n  + {line}"));
            let changes: String = gone.chain(come).collect();
            Some(format!("the accuracy block is out of step; run `cargo xtask accuracy`{changes}"))
        }
    }
}

/// Keeps the lines that a run of the native tests printed.
pub fn remember(output: &str) -> Result<()> {
    let text: String = recordings(output).iter().map(|line| format!("{line}\n")).collect();
    project::write(&memory(), text)
}

fn memory() -> PathBuf {
    project::native_target().join("accuracy.txt")
}

/// The lines of the last run, if nothing that decides them has changed since.
fn remembered() -> Option<Vec<String>> {
    let when = memory().metadata().and_then(|it| it.modified()).ok()?;
    let changed =
        ["src", "tests"].iter().filter_map(|it| newest(&project::root().join(it))).max()?;
    if changed > when {
        return None;
    }
    Some(recordings(&std::fs::read_to_string(memory()).ok()?))
}

fn newest(folder: &Path) -> Option<SystemTime> {
    let entries = std::fs::read_dir(folder).ok()?.flatten();
    let times = entries.filter_map(|entry| {
        let path = entry.path();
        if path.is_dir() {
            newest(&path)
        } else {
            entry.metadata().and_then(|it| it.modified()).ok()
        }
    });
    times.max()
}

fn measure() -> Result<Vec<String>> {
    let mut cargo = Command::new("cargo");
    cargo.current_dir(project::root());
    cargo.args(["test", "--quiet", "--locked", "--test", "oracle", "--", "--show-output"]);
    let output = cargo.stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    let output = output.context("`cargo` is not installed")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        bail!("{}\nthe oracle test failed", text.trim_end());
    }
    let lines = recordings(&text);
    if lines.is_empty() {
        bail!("the oracle test printed no line such as `memory/tm_memory_1.20.5.jsonl: 1090/1090`");
    }
    Ok(lines)
}

/// The lines about recordings in the output of a test, sorted, each once.
fn recordings(output: &str) -> Vec<String> {
    let mut lines: Vec<String> = output
        .lines()
        .map(str::trim)
        .filter(|line| fields(line).is_some())
        .map(str::to_owned)
        .collect();
    lines.sort();
    lines.dedup();
    lines
}

/// File, cases that agree, all cases.
fn fields(line: &str) -> Option<(&str, u64, u64)> {
    let (file, counts) = line.split_once(": ")?;
    let (agree, all) = counts.split_once('/')?;
    let is_file = file.ends_with(".jsonl") && !file.contains(char::is_whitespace);
    Some((file, agree.parse().ok()?, all.parse().ok()?)).filter(|_| is_file)
}

fn block(lines: &[String]) -> String {
    let mut text =
        String::from("| Answers recorded from Flink | Recorded | The same here |\n|---|--:|--:|\n");
    let (mut agree_sum, mut all_sum) = (0, 0);
    for (file, agree, all) in lines.iter().filter_map(|line| fields(line)) {
        text += &format!("| `{file}` | {all} | {agree} |\n");
        agree_sum += agree;
        all_sum += all;
    }
    text + &format!("| Together | {all_sum} | {agree_sum} |\n")
}

fn with_block(readme: &str, block: &str) -> Result<String> {
    let missing = || format!("{README} has no block between `{BEGIN}` and `{END}`");
    let begin = readme.find(BEGIN).with_context(missing)? + BEGIN.len();
    let end = begin + readme[begin..].find(END).with_context(missing)?;
    Ok(format!("{}\n{block}{}", &readme[..begin], &readme[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "running 2 tests\n---- a stdout ----\nmemory/b.jsonl: 7/9\n\
                          memory/a.jsonl: 2/2\nmemory/a.jsonl: 2/2\nnot one.jsonl: 1/1\nx: 1/2\n";

    fn readme() -> String {
        format!("# Weir\n{BEGIN}\nold\n{END}\nmore\n")
    }

    #[test]
    fn recordings_are_found_in_the_output_of_a_test() {
        assert_eq!(recordings(OUTPUT), ["memory/a.jsonl: 2/2", "memory/b.jsonl: 7/9"]);
    }

    #[test]
    fn the_block_is_replaced_and_then_in_step() {
        let block = block(&recordings(OUTPUT));
        let renewed = with_block(&readme(), &block).unwrap();
        assert!(renewed.contains("| `memory/b.jsonl` | 9 | 7 |\n| Together | 11 | 9 |\n<!--"));
        assert!(renewed.starts_with("# Weir\n") && renewed.ends_with("-->\nmore\n"));
        assert_eq!(difference(&renewed, &block), None);
    }

    #[test]
    fn a_difference_is_shown_line_by_line() {
        let message = difference(&readme(), &block(&recordings(OUTPUT))).unwrap();
        assert!(message.contains("\n  - old\n  + | Answers"), "{message}");
        assert!(difference("# no block\n", "").unwrap().contains("has no block"));
    }
}
