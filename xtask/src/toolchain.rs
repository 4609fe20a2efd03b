//! Which compiler makes wasm here, and the environment it wants.
//!
//! Where rustup has the wasm standard library, that. Otherwise Debian's Rust, whose standard
//! library `setup` has built. `cargo xtask` itself was started by rustup's cargo, which leaves
//! variables behind that would send Debian's cargo back to rustup's compiler.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use crate::{process, project};

/// The compilation target of the engine.
pub const TARGET: &str = "wasm32-unknown-unknown";

/// Where Debian's packages put their programs.
const DEBIAN_BIN: &str = "/usr/bin";

/// Who compiles wasm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Toolchain {
    /// The compiler that runs this, with the target added by rustup.
    Rustup,
    /// Debian's rustc-web, with a standard library built from its source package.
    Debian,
}

impl Toolchain {
    /// The one the reader asked for, if any.
    pub fn asked_for() -> Result<Option<Self>> {
        match std::env::var("WEIR_WASM_TOOLCHAIN").as_deref() {
            Err(_) | Ok("") => Ok(None),
            Ok("rustup") => Ok(Some(Self::Rustup)),
            Ok("debian") => Ok(Some(Self::Debian)),
            Ok(other) => bail!("WEIR_WASM_TOOLCHAIN is `{other}`; it may be rustup or debian"),
        }
    }

    /// The first that is ready to compile wasm, rustup's before Debian's.
    pub fn ready() -> Result<Option<Self>> {
        let asked = Self::asked_for()?;
        let candidates = [Self::Rustup, Self::Debian];
        Ok(candidates.into_iter().find(|it| asked.is_none_or(|a| a == *it) && it.is_ready()))
    }

    /// Whether the standard library is in place and belongs to the compiler.
    pub fn is_ready(self) -> bool {
        let Some(library) = self.library() else { return false };
        match self {
            Self::Rustup => holds_std(&library),
            Self::Debian => {
                let stamp = std::fs::read_to_string(Self::stamp(&library)).ok();
                holds_std(&library) && stamp.is_some() && stamp == self.compiler_version()
            }
        }
    }

    /// The file beside Debian's library that says which compiler it was built with.
    pub fn stamp(library: &Path) -> PathBuf {
        library.join("weir-std-built-with")
    }

    /// Where the compiler looks for the wasm standard library.
    pub fn library(self) -> Option<PathBuf> {
        let sysroot = process::output(self.command("rustc").args(["--print", "sysroot"])).ok()?;
        Some(Path::new(&sysroot).join("lib/rustlib").join(TARGET).join("lib"))
    }

    /// Everything the compiler says about itself.
    pub fn compiler_version(self) -> Option<String> {
        process::output(self.command("rustc").arg("-vV")).ok()
    }

    /// Whether the compiler can turn a program into wasm, tried on a small one.
    pub fn compiles(self) -> bool {
        let folder = project::tools().join("probe");
        let source = folder.join("probe.rs");
        let program = "#[unsafe(no_mangle)] pub fn probe() -> usize { vec![1_u8].len() }";
        if project::write(&source, program).is_err() {
            return false;
        }
        let mut rustc = self.command("rustc");
        rustc.args(["--edition=2024", "--crate-type=cdylib", "--target", TARGET, "--out-dir"]);
        process::output(rustc.arg(&folder).arg(&source)).is_ok()
    }

    /// A command for work on wasm: the right compiler, the project's own tools, and a target folder
    /// apart from native work.
    pub fn command(self, program: &str) -> Command {
        let path = self.path();
        // A bare name would be looked up on the PATH of this process, not on the child's.
        let found = process::find_on(&path, program);
        let mut command = Command::new(found.unwrap_or_else(|| program.into()));
        command.current_dir(project::root());
        for (name, _) in std::env::vars_os() {
            if self.disturbs(&name) {
                command.env_remove(name);
            }
        }
        command.env("PATH", path).env("CARGO_TARGET_DIR", project::wasm_target());
        command
    }

    fn path(self) -> OsString {
        let mut folders = vec![project::tools_bin()];
        if self == Self::Debian {
            folders.push(DEBIAN_BIN.into());
        }
        let rest = std::env::var_os("PATH").unwrap_or_default();
        folders.extend(std::env::split_paths(&rest));
        std::env::join_paths(folders).unwrap_or(rest)
    }

    /// Variables that the cargo around `cargo xtask` sets for its children.
    fn disturbs(self, name: &OsStr) -> bool {
        const CRATE: [&str; 4] = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "TRUNK_"];
        let Some(name) = name.to_str() else { return false };
        let of_the_outer_crate = CRATE.iter().any(|prefix| name.starts_with(prefix));
        // Trunk takes NO_COLOR=1 for a mistake in its own flags.
        let of_the_outer_run =
            ["CARGO", "RUSTC", "RUSTDOC", "CARGO_TARGET_DIR", "NO_COLOR"].contains(&name);
        let of_rustup =
            ["RUSTUP_TOOLCHAIN", "LD_LIBRARY_PATH", "RUST_RECURSION_COUNT"].contains(&name);
        of_the_outer_crate || of_the_outer_run || (self == Self::Debian && of_rustup)
    }
}

fn holds_std(library: &Path) -> bool {
    let Ok(files) = std::fs::read_dir(library) else { return false };
    let mut names = files.flatten().map(|file| file.file_name());
    names.any(|name| {
        name.to_str().is_some_and(|name| name.starts_with("libstd-") && name.ends_with(".rlib"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debian_comes_before_rustup_on_the_path_and_tools_before_both() {
        let path = Toolchain::Debian.path();
        let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
        assert_eq!(folders[0], project::tools_bin());
        assert_eq!(folders[1], PathBuf::from("/usr/bin"));
    }

    #[test]
    fn traces_of_the_outer_cargo_are_removed_and_settings_kept() {
        let removed = |way: Toolchain, name: &str| way.disturbs(OsStr::new(name));
        for name in ["CARGO", "CARGO_PKG_NAME", "CARGO_MANIFEST_DIR", "NO_COLOR"] {
            assert!(removed(Toolchain::Rustup, name) && removed(Toolchain::Debian, name), "{name}");
        }
        assert!(removed(Toolchain::Debian, "RUSTUP_TOOLCHAIN"));
        assert!(!removed(Toolchain::Rustup, "RUSTUP_TOOLCHAIN"));
        for name in ["CARGO_HOME", "CARGO_HTTP_PROXY", "CARGO_NET_RETRY", "RUSTUP_HOME", "HOME"] {
            assert!(!removed(Toolchain::Debian, name), "{name}");
        }
    }

    #[test]
    fn a_library_without_std_is_not_ready() {
        assert!(!holds_std(Path::new("/nowhere")));
        assert!(!holds_std(&project::root().join("xtask/src")));
    }
}
