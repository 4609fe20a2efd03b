//! The wasm standard library for Debian's Rust, built once from Debian's source package.
//!
//! It goes where that compiler looks for it, under /usr/lib, so it serves every checkout on the
//! machine. It is put together beside its place and moved there whole.

use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::toolchain::{TARGET, Toolchain};
use crate::{process, project, say};

const PARTS: &str = "-Zbuild-std=core,alloc,std,proc_macro,test,panic_abort,panic_unwind";

/// A crate without content: building it for a target builds the standard library.
const MANIFEST: &str = "[package]\nname = \"weir-std-carrier\"\nversion = \"0.0.0\"\n\
                        edition = \"2021\"\n\n[lib]\npath = \"lib.rs\"\n\n[workspace]\n";

/// Builds and places the library unless it is there.
pub fn ensure() -> Result<()> {
    let debian = Toolchain::Debian;
    if debian.is_ready() {
        return Ok(());
    }
    let library = debian.library().context("Debian's rustc does not answer")?;
    let version = debian.compiler_version().context("Debian's rustc does not answer")?;
    if debian.compiles() {
        // Somebody else put it there, and it fits.
        return write_stamp(&library, &version);
    }
    if !process::is_root() {
        bail!(
            "the wasm standard library goes to {}, which only root may write. \
             Run `cargo xtask setup` once as root",
            library.display()
        );
    }
    say::step("wasm standard library for Debian's Rust", || {
        let carrier = project::tools().join("std");
        build(&carrier)?;
        place(&carrier.join("target").join(TARGET).join("release/deps"), &library, &version)?;
        match debian.compiles() {
            true => Ok(()),
            false => {
                bail!("the wasm standard library was built, but a program does not link to it")
            }
        }
    })
}

fn build(carrier: &Path) -> Result<()> {
    let target = carrier.join("target");
    // What an older compiler left here would be copied along.
    if target.exists() {
        std::fs::remove_dir_all(&target).context("cannot empty .tools/std/target")?;
    }
    project::write(&carrier.join("Cargo.toml"), MANIFEST)?;
    project::write(&carrier.join("lib.rs"), "#![no_std]\n")?;
    let mut cargo = Toolchain::Debian.command("cargo");
    cargo.current_dir(carrier).env("CARGO_TARGET_DIR", target).env("RUSTC_BOOTSTRAP", "1");
    cargo.args(["build", "--release", "--target", TARGET, PARTS]);
    process::run_logged(&mut cargo, &project::tools().join("log/std"))
}

/// Moves the built libraries to `library` in one step, with the stamp among them.
fn place(built: &Path, library: &Path, version: &str) -> Result<()> {
    let home = library.parent().context("the compiler's library folder has no parent")?;
    let beside = home.with_extension("new");
    let _ = std::fs::remove_dir_all(&beside);
    let staged = beside.join("lib");
    std::fs::create_dir_all(&staged)
        .with_context(|| format!("cannot create {}", staged.display()))?;
    for file in std::fs::read_dir(built).context("the build left no libraries")? {
        let file = file?;
        let name = file.file_name();
        if is_library(&name.to_string_lossy()) {
            std::fs::copy(file.path(), staged.join(&name))?;
        }
    }
    write_stamp(&staged, version)?;
    if home.exists() {
        std::fs::remove_dir_all(home)
            .with_context(|| format!("cannot replace {}", home.display()))?;
    }
    std::fs::rename(&beside, home).with_context(|| format!("cannot create {}", home.display()))
}

fn is_library(name: &str) -> bool {
    let library = name.ends_with(".rlib") || name.ends_with(".rmeta");
    library && !name.contains("weir_std_carrier")
}

fn write_stamp(library: &Path, version: &str) -> Result<()> {
    let stamp = Toolchain::stamp(library);
    if project::write(&stamp, version).is_ok() {
        return Ok(());
    }
    bail!("cannot write {}; run `cargo xtask setup` once as root", stamp.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_empty_crate_is_left_behind() {
        assert!(is_library("libstd-0123.rlib") && is_library("libcore-0123.rmeta"));
        assert!(!is_library("libweir_std_carrier-0123.rlib") && !is_library("std-0123.d"));
    }

    #[test]
    fn libraries_are_placed_whole_with_their_stamp() {
        let folder = std::env::temp_dir().join(format!("weir-place-{}", std::process::id()));
        let built = folder.join("built");
        std::fs::create_dir_all(&built).unwrap();
        for name in ["libstd-1.rlib", "libweir_std_carrier-1.rlib", "std-1.d"] {
            std::fs::write(built.join(name), name).unwrap();
        }
        let library = folder.join("wasm/lib");
        std::fs::create_dir_all(&library).unwrap();
        std::fs::write(library.join("libold-1.rlib"), "old").unwrap();
        place(&built, &library, "rustc 1").unwrap();
        let mut names: Vec<_> = std::fs::read_dir(&library)
            .unwrap()
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, ["libstd-1.rlib", "weir-std-built-with"]);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
