//! Where things lie, and the versions the project asks for.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The project's root folder.
pub fn root() -> &'static Path {
    // xtask/ lies in the root, and cargo records its folder when it builds the crate.
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or_else(|| Path::new("."))
}

/// The tools that the project installs for itself.
pub fn tools() -> PathBuf {
    root().join(".tools")
}

/// The programs among them.
pub fn tools_bin() -> PathBuf {
    tools().join("bin")
}

/// Facts that are slow to find out, one file each.
pub fn stamps() -> PathBuf {
    tools().join("stamps")
}

/// The built studio.
pub fn dist() -> PathBuf {
    root().join("dist")
}

/// Where wasm is compiled, apart from native work: another compiler may do it.
pub fn wasm_target() -> PathBuf {
    root().join("target-wasm")
}

/// Where native work goes, as cargo was told.
pub fn native_target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => root().join(folder),
        None => root().join("target"),
    }
}

/// Reads a file of the project, naming it when that fails.
pub fn read(path: impl AsRef<Path>) -> Result<String> {
    let path = root().join(path);
    std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
}

/// Writes a file whole: beside its place first, so that an abort leaves the old one.
pub fn write(path: &Path, contents: impl AsRef<[u8]>) -> Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
    }
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    let beside = PathBuf::from(beside);
    std::fs::write(&beside, contents)
        .and_then(|()| std::fs::rename(&beside, path))
        .with_context(|| format!("cannot write {}", path.display()))
}

/// The version of a package in the text of a Cargo.lock.
pub fn locked_version(lock: &str, package: &str) -> Option<String> {
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| *line != name).skip(1);
    let version = lines.next()?.strip_prefix("version = \"")?.strip_suffix('"')?;
    Some(version.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = "[[package]]\nname = \"wasm-bindgen-shared\"\nversion = \"0.2.1\"\n\n\
                        [[package]]\nname = \"wasm-bindgen\"\nversion = \"0.2.130\"\n";

    #[test]
    fn the_lock_names_the_version_of_exactly_that_package() {
        assert_eq!(locked_version(LOCK, "wasm-bindgen").as_deref(), Some("0.2.130"));
        assert_eq!(locked_version(LOCK, "wasm"), None);
    }
}
