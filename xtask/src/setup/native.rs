//! The parts of the native toolchain that a minimal installation leaves out.

use anyhow::{Result, bail};

use crate::{process, say};

/// Makes sure that `cargo SUBCOMMAND` answers, from rustup's `component` where it does not.
pub fn component(subcommand: &str, component: &str) -> Result<()> {
    let answers = || process::answer("cargo", &[subcommand, "--version"]).is_some();
    if answers() {
        return Ok(());
    }
    if process::find("rustup").is_none() {
        bail!("`cargo {subcommand}` is missing; install {component} for this Rust");
    }
    say::step(component, || {
        let log = crate::project::tools().join("log").join(component);
        let mut rustup = std::process::Command::new("rustup");
        process::run_logged(rustup.args(["component", "add", component]), &log)
    })?;
    match answers() {
        true => Ok(()),
        false => bail!("rustup added {component}, but `cargo {subcommand}` still does not answer"),
    }
}
