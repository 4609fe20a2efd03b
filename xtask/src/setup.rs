//! Installs what the machine lacks, step by step; what is there costs a look.
//!
//! Each step can be stopped and started again: a step counts as done only by what it leaves last,
//! a program that answers with the right version or a stamp written at the end.

mod apt;
mod browser;
mod cargo_tools;
mod native;
mod npm;
mod wasm;
mod wasm_std;

use std::time::Instant;

use anyhow::{Context, Result};

use crate::say;
use crate::toolchain::Toolchain;

pub use browser::Browser;
pub use npm::{node, package_program};

/// What a command needs before it can work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// `cargo fmt`.
    Rustfmt,
    /// `cargo clippy`, for native code and for wasm.
    Clippy,
    /// A compiler with the wasm standard library.
    Wasm,
    /// wasm-bindgen in the version of Cargo.lock.
    WasmBindgen,
    /// wasm-pack.
    WasmPack,
    /// Trunk.
    Trunk,
    /// Node itself.
    Node,
    /// The packages of package-lock.json.
    NodePackages,
    /// Chromium and its driver.
    Browser,
}

/// What building the studio needs.
pub const BUILD: &[Need] =
    &[Need::Node, Need::NodePackages, Need::Wasm, Need::WasmBindgen, Need::Trunk];

/// What the set-up found or made.
#[derive(Debug, Default)]
pub struct Kit {
    wasm: Option<Toolchain>,
    browser: Option<Browser>,
}

impl Kit {
    /// The compiler for wasm.
    pub fn wasm(&self) -> Result<Toolchain> {
        self.wasm.context("no step asked for the wasm compiler")
    }

    /// The browser and its driver.
    pub fn browser(&self) -> Result<&Browser> {
        self.browser.as_ref().context("no step asked for a browser")
    }
}

/// Installs everything any command needs.
pub fn everything() -> Result<()> {
    use Need::*;
    let all = [Rustfmt, Clippy, Wasm, WasmBindgen, WasmPack, Trunk, Node, NodePackages, Browser];
    ensure(&all).map(|_| ())
}

/// Makes sure of `needs`. What may fail at once comes first, what compiles for minutes last.
pub fn ensure(needs: &[Need]) -> Result<Kit> {
    let start = Instant::now();
    let asked = |need: Need| needs.contains(&need);
    let mut kit = Kit::default();
    if asked(Need::Node) || asked(Need::NodePackages) {
        npm::check_node()?;
    }
    if asked(Need::Rustfmt) {
        native::component("fmt", "rustfmt")?;
    }
    if asked(Need::Clippy) {
        native::component("clippy", "clippy")?;
    }
    if asked(Need::Browser) {
        kit.browser = Some(browser::ensure()?);
    }
    if asked(Need::NodePackages) {
        npm::ensure_packages()?;
    }
    if asked(Need::Wasm) {
        kit.wasm = Some(wasm::ensure(asked(Need::Clippy))?);
    }
    for (need, tool) in cargo_tools::wanted()? {
        if asked(need) {
            cargo_tools::ensure(&tool)?;
        }
    }
    eprintln!("setup: ready, {}", say::seconds(start.elapsed()));
    Ok(kit)
}
