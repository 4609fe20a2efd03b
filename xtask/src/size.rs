//! Compressed sizes of the built studio against their budgets.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::{known_flag, process, project};

const KB: u64 = 1000;

/// A group of files and what they may weigh together, compressed [bytes].
struct Budget {
    name: &'static str,
    figure: &'static str,
    holds: fn(&str) -> bool,
    /// None where no budget is set: the file is fetched only when it is needed.
    limit: Option<u64>,
}

const BUDGETS: [Budget; 7] = [
    Budget {
        name: "engine (wasm)",
        figure: "size.wasm_gzip",
        holds: |name| name == "weir_bg.wasm",
        limit: Some(220 * KB),
    },
    Budget {
        name: "later (wasm, first paste or workload)",
        figure: "size.later_gzip",
        holds: |name| name == "weir_later_bg.wasm",
        limit: None,
    },
    Budget {
        name: "event time (wasm, first use of it)",
        figure: "size.event_time_gzip",
        holds: |name| name == "weir_event_time_bg.wasm",
        limit: None,
    },
    Budget {
        name: "checkpoints (wasm, first use of it)",
        figure: "size.checkpoints_gzip",
        holds: |name| name == "weir_checkpoints_bg.wasm",
        limit: None,
    },
    Budget {
        name: "transactions (wasm, first use of it)",
        figure: "size.transactions_gzip",
        holds: |name| name == "weir_transactions_bg.wasm",
        limit: None,
    },
    Budget {
        name: "scripts and styles, at the start",
        figure: "size.page_gzip",
        holds: |name| is_page(name) && !is_fetched_later(name),
        limit: Some(70 * KB),
    },
    Budget {
        name: "scripts of tools and panels, when opened",
        figure: "size.page_later_gzip",
        holds: |name| is_page(name) && is_fetched_later(name),
        limit: None,
    },
];

fn is_page(name: &str) -> bool {
    [".js", ".mjs", ".css"].iter().any(|ending| name.ends_with(ending))
}

/// What the first tool does without until a panel or another tool is opened.
fn is_fetched_later(name: &str) -> bool {
    ["panels/", "event-time/", "checkpoints/", "exactly-once/", "weir_"]
        .iter()
        .any(|start| name.starts_with(start))
}

/// A budget with what was found.
pub struct Weight {
    /// A stable name for the bench.
    pub figure: &'static str,
    name: &'static str,
    /// Compressed size of all its files [bytes].
    pub bytes: u64,
    limit: Option<u64>,
}

impl Weight {
    fn is_over(&self) -> bool {
        self.limit.is_some_and(|limit| self.bytes > limit)
    }

    fn row(&self) -> String {
        let kb = |bytes: u64| format!("{}.{} KB", bytes / KB, bytes % KB / 100);
        let weight = format!("{:<36} {:>10}", self.name, kb(self.bytes));
        let Some(limit) = self.limit else { return weight };
        let verdict = if self.is_over() { "over" } else { "OK" };
        format!("{weight} of {:>10}  {verdict}", kb(limit))
    }
}

/// Prints the table; `--strict` fails where something is over its budget.
pub fn run(rest: &[&str]) -> Result<()> {
    let strict = known_flag(rest, "--strict")?;
    let weights = weigh(&project::dist())?;
    print(&weights);
    match weights.iter().find(|weight| weight.is_over()) {
        Some(weight) if strict => bail!("over budget: {}", weight.row()),
        _ => Ok(()),
    }
}

/// Prints a line for each budget.
pub fn print(weights: &[Weight]) {
    println!("compressed with gzip -9:");
    for weight in weights {
        println!("  {}", weight.row());
    }
}

/// Weighs the built studio.
pub fn weigh(dist: &Path) -> Result<Vec<Weight>> {
    let mut files = Vec::new();
    collect(dist, &mut files).with_context(|| {
        format!("there is no built studio in {}; run `cargo xtask build`", dist.display())
    })?;
    BUDGETS
        .iter()
        .map(|budget| {
            let mut bytes = 0;
            for file in files
                .iter()
                .filter(|file| belongs(file.strip_prefix(dist).unwrap_or(file), budget.holds))
            {
                bytes += compressed(file)?;
            }
            Ok(Weight { figure: budget.figure, name: budget.name, bytes, limit: budget.limit })
        })
        .collect()
}

/// Whether a file, named from `dist`, counts.
fn belongs(file: &Path, holds: fn(&str) -> bool) -> bool {
    file.to_str().is_some_and(holds)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

fn compressed(file: &Path) -> Result<u64> {
    let mut gzip = Command::new("gzip");
    gzip.args(["-9", "-n", "-c"]).arg(file).stdin(Stdio::null()).stderr(Stdio::inherit());
    let output = gzip.output().with_context(|| format!("cannot run `{}`", process::line(&gzip)))?;
    if !output.status.success() {
        bail!("`{}` failed", process::line(&gzip));
    }
    Ok(output.stdout.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weight(bytes: u64) -> Weight {
        Weight { figure: "size.x", name: "x", bytes, limit: Some(70 * KB) }
    }

    #[test]
    fn a_budget_is_kept_up_to_its_last_byte() {
        assert!(weight(70_000).row().ends_with("70.0 KB of    70.0 KB  OK"));
        assert!(weight(70_001).row().ends_with("over"));
    }

    #[test]
    fn files_belong_to_one_budget() {
        let homes =
            |file: &str| BUDGETS.iter().filter(|it| belongs(Path::new(file), it.holds)).count();
        let engines = ["weir_bg.wasm", "weir_later_bg.wasm", "weir_event_time_bg.wasm"];
        for file in
            [&engines[..], &["elements/a.js", "style.css", "panels/b.js", "weir_later.js"]].concat()
        {
            assert_eq!(homes(file), 1, "{file}");
        }
        assert_eq!(homes("index.html"), 0);
    }
}
