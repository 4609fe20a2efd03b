//! `cargo xtask test`: every check the project has, stage by stage, stopping at the first that
//! fails.

mod stages;

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::say;
use crate::setup::{self, Kit, Need};

/// A stage: its name, what it needs on the machine, and what it does.
pub struct Stage {
    name: &'static str,
    about: &'static str,
    needs: &'static [Need],
    run: fn(&Kit) -> Result<()>,
}

/// Runs the stages named, in their own order, or all of them.
pub fn run(rest: &[&str]) -> Result<()> {
    let stages = chosen(rest)?;
    let mut needs: Vec<Need> = stages.iter().flat_map(|stage| stage.needs).copied().collect();
    needs.dedup();
    let kit = setup::ensure(&needs)?;

    let mut times = Vec::new();
    let mut failure = None;
    for stage in &stages {
        say::heading(&format!("{}: {}", stage.name, stage.about));
        let start = Instant::now();
        let result = (stage.run)(&kit);
        let time = start.elapsed();
        println!("{}: {}, {}", stage.name, verdict(result.is_ok()), say::seconds(time));
        times.push((stage.name, result.is_ok(), time));
        if let Err(error) = result {
            failure = Some((stage.name, error));
            break;
        }
    }
    print!("{}", summary(&times, stages.len()));
    match failure {
        None => Ok(()),
        Some((name, error)) => Err(error)
            .with_context(|| format!("stage `{name}` failed (alone: cargo xtask test {name})")),
    }
}

fn chosen(names: &[&str]) -> Result<Vec<&'static Stage>> {
    let all = stages::ALL;
    if let Some(unknown) = names.iter().find(|name| all.iter().all(|stage| stage.name != **name)) {
        let known: Vec<&str> = all.iter().map(|stage| stage.name).collect();
        bail!("there is no stage `{unknown}`; there are {}", known.join(", "));
    }
    Ok(all.iter().filter(|stage| names.is_empty() || names.contains(&stage.name)).collect())
}

fn verdict(passed: bool) -> &'static str {
    if passed { "passed" } else { "FAILED" }
}

/// A table of the stages that ran, and the line that a reader of the output looks for.
fn summary(times: &[(&str, bool, Duration)], planned: usize) -> String {
    let mut text = String::from("\n");
    for (name, passed, time) in times {
        text += &format!("  {name:<8} {:<7} {:>14}\n", verdict(*passed), say::seconds(*time));
    }
    let total = times.iter().map(|(_, _, time)| *time).sum();
    text += &format!("  {:<16} {:>14}\n", "together", say::seconds(total));
    if planned > times.len() {
        text += &format!("  {} not run\n", planned - times.len());
    }
    let passed = times.iter().filter(|(_, passed, _)| *passed).count();
    text + &format!("\n{passed} passed, {} failed\n", times.len() - passed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_keep_their_order_and_unknown_ones_are_named() {
        let names = |asked: &[&str]| {
            chosen(asked).map(|stages| stages.iter().map(|it| it.name).collect::<Vec<_>>())
        };
        assert_eq!(names(&["tidy", "fmt"]).unwrap(), ["fmt", "tidy"]);
        assert_eq!(names(&[]).unwrap().len(), stages::ALL.len());
        assert!(names(&["fast"]).unwrap_err().to_string().contains("no stage `fast`"));
    }

    #[test]
    fn the_last_line_counts_the_stages() {
        let second = Duration::from_secs(1);
        let text = summary(&[("fmt", true, second), ("native", false, second)], 5);
        assert!(text.contains("  native   FAILED           1.0 s\n"), "{text}");
        assert!(text.contains("  3 not run\n"), "{text}");
        assert!(text.ends_with("\n1 passed, 1 failed\n"), "{text}");
        assert!(summary(&[("fmt", true, second)], 1).ends_with("\n1 passed, 0 failed\n"));
    }
}
