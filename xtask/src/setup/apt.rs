//! Debian packages.

use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::{process, project, say};

/// Whether this machine installs Debian packages at all.
pub fn is_here() -> bool {
    process::find("apt-get").is_some()
}

/// Installs those of `packages` that are missing; `why` is the first part of the sentence when that
/// cannot be done.
pub fn ensure(packages: &[&str], why: &str) -> Result<()> {
    let missing = missing(packages, &installed(packages));
    if missing.is_empty() {
        return Ok(());
    }
    let list = missing.join(" ");
    let command = format!("apt-get install -y --no-install-recommends {list}");
    if !is_here() {
        bail!(
            "{why}. This machine has no apt-get; install by its own means what Debian calls {list}"
        );
    }
    if !process::is_root() {
        bail!("{why}. Run this as root and start again: {command}");
    }
    say::step(&format!("Debian packages {list}"), || install(&missing))
        .with_context(|| format!("{why}, and Debian's package could not be had"))
}

fn install(packages: &[&str]) -> Result<()> {
    let mut lists_are_fresh = false;
    if packages.iter().any(|package| !is_known(package)) {
        update()?;
        lists_are_fresh = true;
    }
    let attempt = || {
        let mut command = apt_get(&["install", "-y", "--no-install-recommends"]);
        process::run_logged(command.args(packages), &project::tools().join("log/apt-install"))
    };
    match attempt() {
        // Old lists name files that the archive has replaced since.
        Err(_) if !lists_are_fresh => update().and_then(|()| attempt()),
        result => result,
    }
}

fn update() -> Result<()> {
    process::run_logged(&mut apt_get(&["update"]), &project::tools().join("log/apt-update"))
}

fn apt_get(arguments: &[&str]) -> Command {
    let mut command = Command::new("apt-get");
    // A lock held by another apt-get is waited for.
    command.args(["-o", "DPkg::Lock::Timeout=300"]).args(arguments);
    command.env("DEBIAN_FRONTEND", "noninteractive");
    command
}

fn is_known(package: &str) -> bool {
    process::answer("apt-cache", &["policy", package]).is_some_and(|text| has_candidate(&text))
}

fn has_candidate(policy: &str) -> bool {
    policy
        .lines()
        .filter_map(|line| line.trim().strip_prefix("Candidate: "))
        .any(|it| it != "(none)")
}

/// The names among `packages` that are installed.
fn installed(packages: &[&str]) -> Vec<String> {
    // dpkg-query fails when it does not know one of them, and still prints the others.
    let output = Command::new("dpkg-query")
        .args(["-W", "-f=${db:Status-Status} ${Package}\\n"])
        .args(packages)
        .output();
    let text = output.map(|it| String::from_utf8_lossy(&it.stdout).into_owned());
    text.unwrap_or_default()
        .lines()
        .filter_map(|line| line.strip_prefix("installed ").map(str::to_owned))
        .collect()
}

fn missing<'a>(packages: &[&'a str], installed: &[String]) -> Vec<&'a str> {
    packages.iter().copied().filter(|it| !installed.iter().any(|name| name == it)).collect()
}

/// The package `prefix`NN that `package` depends on, such as llvm-22 of rust-web-llvm.
pub fn numbered_dependency_of(package: &str, prefix: &str) -> Option<String> {
    if is_here() && process::is_root() && !is_known(package) {
        let _ = say::step("Debian package lists", update);
    }
    let text = process::answer("apt-cache", &["depends", package])?;
    numbered_dependency(&text, prefix)
}

fn numbered_dependency(depends: &str, prefix: &str) -> Option<String> {
    depends
        .lines()
        .filter_map(|line| line.trim().strip_prefix("Depends: "))
        .find(|name| {
            let number = name.strip_prefix(prefix).unwrap_or("");
            !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
        })
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_missing_is_installed() {
        let installed = vec!["chromium".to_owned()];
        assert_eq!(missing(&["chromium", "chromium-driver"], &installed), ["chromium-driver"]);
        assert!(missing(&["chromium"], &installed).is_empty());
    }

    #[test]
    fn a_package_without_candidate_asks_for_new_lists() {
        assert!(has_candidate("chromium:\n  Installed: (none)\n  Candidate: 156.0\n"));
        assert!(!has_candidate("chromium:\n  Installed: (none)\n  Candidate: (none)\n"));
        assert!(!has_candidate(""));
    }

    #[test]
    fn the_linker_follows_the_compiler() {
        let text =
            "rust-web-llvm\n  Depends: libc6\n  Depends: llvm-22\n  Conflicts: <rust-llvm>\n";
        assert_eq!(numbered_dependency(text, "llvm-").as_deref(), Some("llvm-22"));
        assert_eq!(numbered_dependency("  Depends: llvm-runtime\n", "llvm-"), None);
    }
}
