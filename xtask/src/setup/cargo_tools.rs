//! Programs that cargo installs into the project's own folder, at fixed versions.

use std::process::Command;

use anyhow::{Context, Result, bail};

use super::Need;
use crate::{process, project, say};

/// wasm-pack, and Trunk below the version that asks for a newer Rust.
const WASM_PACK: &str = "0.15.1";
const TRUNK: &str = "0.21.14";

/// A program and how to install it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool {
    /// The crate.
    pub package: &'static str,
    /// What it is called when installed.
    pub program: &'static str,
    /// Exactly this version.
    pub version: String,
    /// For the installation alone.
    pub flags: &'static [&'static str],
    /// How well to optimise it: these programs run for seconds and compile for minutes.
    pub opt_level: &'static str,
}

/// Every tool, with the need it serves.
pub fn wanted() -> Result<[(Need, Tool); 3]> {
    let lock = project::read("Cargo.lock")?;
    let bindgen = project::locked_version(&lock, "wasm-bindgen")
        .context("Cargo.lock names no version of wasm-bindgen")?;
    Ok([
        // Without --locked: its own lock file asks for a crate that was never published.
        (Need::WasmBindgen, tool("wasm-bindgen-cli", "wasm-bindgen", bindgen, &[], "1")),
        (Need::WasmPack, tool("wasm-pack", "wasm-pack", WASM_PACK.into(), &["--locked"], "0")),
        (
            Need::Trunk,
            tool("trunk", "trunk", TRUNK.into(), &["--locked", "--no-default-features"], "0"),
        ),
    ])
}

fn tool(
    package: &'static str,
    program: &'static str,
    version: String,
    flags: &'static [&'static str],
    opt_level: &'static str,
) -> Tool {
    Tool { package, program, version, flags, opt_level }
}

/// Installs `tool` unless it answers with the right version.
pub fn ensure(tool: &Tool) -> Result<()> {
    if answers_with(tool) {
        return Ok(());
    }
    say::step(&format!("{} {}", tool.package, tool.version), || {
        let log = project::tools().join("log").join(tool.package);
        process::run_logged(&mut install(tool), &log)?;
        match answers_with(tool) {
            true => Ok(()),
            false => bail!("{} was installed, but is not version {}", tool.program, tool.version),
        }
    })
}

fn answers_with(tool: &Tool) -> bool {
    let program = project::tools_bin().join(tool.program);
    process::answer(program, &["--version"]).is_some_and(|text| says(&text, &tool.version))
}

/// Whether the answer to `--version` is `version`, as in `wasm-pack 0.15.1`.
fn says(answer: &str, version: &str) -> bool {
    answer.split_whitespace().nth(1) == Some(version)
}

fn install(tool: &Tool) -> Command {
    let mut cargo = Command::new("cargo");
    cargo.current_dir(project::tools());
    cargo.args(["install", tool.package, "--version", &format!("={}", tool.version), "--force"]);
    cargo.arg("--root").arg(project::tools()).args(tool.flags);
    // One folder for all: what two of them share is compiled once, and an abort loses little.
    cargo.env("CARGO_TARGET_DIR", project::tools().join("build"));
    let profile =
        [("OPT_LEVEL", tool.opt_level), ("LTO", "off"), ("CODEGEN_UNITS", "16"), ("DEBUG", "0")];
    for (key, value) in profile {
        cargo.env(format!("CARGO_PROFILE_RELEASE_{key}"), value);
    }
    cargo
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_whole() {
        assert!(says("wasm-bindgen 0.2.130", "0.2.130"));
        assert!(!says("wasm-bindgen 0.2.13", "0.2.130"));
        assert!(!says("", "0.2.130"));
    }

    #[test]
    fn the_command_line_tool_follows_the_lock() {
        let lock = project::read("Cargo.lock").unwrap();
        let [(_, bindgen), ..] = wanted().unwrap();
        assert_eq!(Some(bindgen.version), project::locked_version(&lock, "wasm-bindgen"));
    }

    #[test]
    fn a_tool_is_installed_into_the_project_at_exactly_its_version() {
        let [_, _, (_, trunk)] = wanted().unwrap();
        let line = process::line(&install(&trunk));
        assert!(
            line.starts_with("cargo install trunk --version =0.21.14 --force --root "),
            "{line}"
        );
        assert!(line.ends_with("/.tools --locked --no-default-features"), "{line}");
    }
}
