//! Node and the packages that drive the page, check its types and shrink what is built.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::{process, project, say};

/// The oldest Node whose test runner and modules do what the tests ask for.
const NODE_MAJOR_MIN: u32 = 20;

/// Says what to do where Node is missing or too old.
pub fn check_node() -> Result<()> {
    let version = process::answer("node", &["--version"])
        .context("`node` is not installed; the page's tests need Node 20 or newer")?;
    match major(&version) {
        Some(major) if major >= NODE_MAJOR_MIN => Ok(()),
        _ => bail!("Node {version} is too old; the page's tests need Node 20 or newer"),
    }
}

fn major(version: &str) -> Option<u32> {
    version.trim_start_matches('v').split('.').next()?.parse().ok()
}

/// Installs the locked packages unless exactly they were installed before.
pub fn ensure_packages() -> Result<()> {
    let lock = project::read("package-lock.json")?;
    let stamp = project::root().join("node_modules/.weir-lock");
    if std::fs::read_to_string(&stamp).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    if process::find("npm").is_none() {
        bail!("`npm` is not installed; it comes with Node");
    }
    say::step("npm packages", || {
        let mut npm = Command::new("npm");
        npm.current_dir(project::root());
        npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]);
        process::run_logged(&mut npm, &project::tools().join("log/npm"))?;
        // npm empties node_modules first, so the stamp lives and dies with what it vouches for.
        project::write(&stamp, &lock)
    })
}

/// A command that runs a script with Node.
pub fn node(script: impl Into<PathBuf>) -> Command {
    let mut node = Command::new("node");
    node.current_dir(project::root()).arg(script.into());
    node
}

/// A command that runs a program of an installed npm package.
pub fn package_program(path: &str) -> Command {
    node(project::root().join("node_modules").join(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn node_versions_are_read() {
        assert_eq!(major("v20.20.2"), Some(20));
        assert_eq!(major("22.1.0"), Some(22));
        assert_eq!(major("nightly"), None);
    }
}
