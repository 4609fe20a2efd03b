//! A compiler with the wasm standard library: by rustup where it can, else Debian's.

use std::process::Command;
use std::time::{Duration, SystemTime};

use anyhow::{Result, bail};

use super::{apt, wasm_std};
use crate::toolchain::{TARGET, Toolchain};
use crate::{process, project, say};

/// How long rustup may take to add the target; without a network it would wait much longer.
const RUSTUP_TIME_MAX: Duration = Duration::from_secs(40);
/// How long a refusal of rustup is believed.
const REFUSAL_AGE_MAX: Duration = Duration::from_secs(24 * 60 * 60);

const DEBIAN_PACKAGES: [&str; 4] = ["rustc-web", "cargo-web", "rust-web-src", "rust-web-llvm"];

/// Finds or makes a compiler for wasm, with clippy if asked for.
pub fn ensure(clippy: bool) -> Result<Toolchain> {
    let toolchain = match Toolchain::ready()? {
        Some(toolchain) => toolchain,
        None => make()?,
    };
    if clippy
        && toolchain == Toolchain::Debian
        && process::find_on("/usr/bin".as_ref(), "cargo-clippy").is_none()
    {
        apt::ensure(&["rust-web-clippy"], "Checking the wasm code needs clippy for Debian's Rust")?;
    }
    Ok(toolchain)
}

fn make() -> Result<Toolchain> {
    let asked = Toolchain::asked_for()?;
    if asked != Some(Toolchain::Debian) && rustup_adds_target() {
        return Ok(Toolchain::Rustup);
    }
    if asked == Some(Toolchain::Rustup) {
        bail!("rustup cannot add the target {TARGET}, and WEIR_WASM_TOOLCHAIN allows nothing else");
    }
    let why = format!("rustup cannot add the target {TARGET}, so Debian's Rust has to compile it");
    let packages = debian_packages();
    apt::ensure(&packages.iter().map(String::as_str).collect::<Vec<_>>(), &why)?;
    wasm_std::ensure()?;
    Ok(Toolchain::Debian)
}

/// The compiler, its source, and the linker of the LLVM it was built with.
fn debian_packages() -> Vec<String> {
    let mut packages: Vec<String> = DEBIAN_PACKAGES.iter().map(|&name| name.to_owned()).collect();
    let llvm = apt::numbered_dependency_of("rust-web-llvm", "llvm-");
    packages.extend(llvm.map(|llvm| llvm.replacen("llvm-", "lld-", 1)));
    packages
}

fn rustup_adds_target() -> bool {
    let refusal = project::stamps().join("rustup-refused-target");
    let age = refusal
        .metadata()
        .and_then(|it| it.modified())
        .map(|it| SystemTime::now().duration_since(it));
    if process::find("rustup").is_none() || is_recent(age.ok().and_then(Result::ok)) {
        return false;
    }
    let added = say::step(&format!("rustup target add {TARGET}"), || {
        let mut rustup = Command::new("rustup");
        Ok(process::succeeds_within(rustup.args(["target", "add", TARGET]), RUSTUP_TIME_MAX))
    });
    let added = added.unwrap_or(false) && Toolchain::Rustup.is_ready();
    if !added {
        eprintln!("setup: rustup cannot add it here");
        let _ = project::write(&refusal, "");
    }
    added
}

/// Whether a refusal of that age still counts; `None` is no refusal.
fn is_recent(age: Option<Duration>) -> bool {
    age.is_some_and(|age| age < REFUSAL_AGE_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_believed_for_a_day() {
        assert!(!is_recent(None));
        assert!(is_recent(Some(Duration::from_secs(60))));
        assert!(!is_recent(Some(Duration::from_secs(2 * 24 * 60 * 60))));
    }
}
