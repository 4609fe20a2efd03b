//! What each stage does.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::Stage;
use crate::setup::{Kit, Need, package_program};
use crate::toolchain::TARGET;
use crate::{accuracy, build, process, project, serve, size, tidy};

/// Cheap stages first: they find most mistakes.
pub const ALL: &[Stage] = &[
    Stage { name: "fmt", about: "Rust is formatted", needs: &[Need::Rustfmt], run: fmt },
    Stage {
        name: "types",
        about: "the page's scripts agree with the engine's types",
        needs: &[Need::Node, Need::NodePackages],
        run: types,
    },
    Stage {
        name: "clippy",
        about: "no warning, native and wasm",
        needs: &[Need::Clippy, Need::Wasm],
        run: clippy,
    },
    Stage { name: "native", about: "tests of the engine and of xtask", needs: &[], run: native },
    Stage { name: "tidy", about: "layers, sources, docs, sizes", needs: &[], run: |_| tidy::run() },
    Stage {
        name: "wasm",
        about: "the engine in headless Chromium",
        needs: &[Need::Wasm, Need::WasmBindgen, Need::WasmPack, Need::Browser],
        run: wasm,
    },
    Stage { name: "www", about: "the page's modules in Node", needs: &[Need::Node], run: www },
    Stage {
        name: "page",
        about: "the optimised studio, driven in Chromium",
        needs: &[
            Need::Node,
            Need::NodePackages,
            Need::Wasm,
            Need::WasmBindgen,
            Need::Trunk,
            Need::Browser,
        ],
        run: page,
    },
];

/// How long the tests of one wasm file may take [s]; a busy machine starts Chromium slowly.
const WASM_TEST_SECONDS_MAX: &str = "180";

fn cargo() -> Command {
    let mut cargo = Command::new("cargo");
    cargo.current_dir(project::root());
    cargo
}

fn fmt(_: &Kit) -> Result<()> {
    process::run(cargo().args(["fmt", "--all", "--check"])).context("run `cargo fmt --all`")
}

fn types(_: &Kit) -> Result<()> {
    process::run(package_program("typescript/bin/tsc").args(["--noEmit", "-p", "www"]))
}

fn clippy(kit: &Kit) -> Result<()> {
    process::run(cargo().args([
        "clippy",
        "--quiet",
        "--locked",
        "--workspace",
        "--all-targets",
        "--",
        "-Dwarnings",
    ]))?;
    let mut wasm = kit.wasm()?.command("cargo");
    wasm.args(["clippy", "--quiet", "--locked", "--package", "weir", "--lib", "--target", TARGET]);
    for test in wasm_tests()? {
        wasm.args(["--test", &test]);
    }
    process::run(wasm.args(["--", "-Dwarnings"]))
}

/// Runs every native test. Output of passing tests is kept: the oracle test prints the accuracy
/// that README.md states.
fn native(_: &Kit) -> Result<()> {
    let mut command = cargo();
    command.args(["test", "--quiet", "--locked", "--workspace", "--", "--show-output"]);
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .context("`cargo` is not installed")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        let failures = text.find("\nfailures:\n").map_or(text.as_str(), |at| &text[at..]);
        bail!("{}\na native test failed", failures.trim_end());
    }
    accuracy::remember(&text)?;
    println!("{} native tests passed", count_passed(&text));
    Ok(())
}

/// The sum of the test harnesses' own counts.
fn count_passed(text: &str) -> u64 {
    let counts = text.lines().filter_map(|line| {
        let rest = line.strip_prefix("test result: ok. ")?;
        rest.split_once(" passed")?.0.parse::<u64>().ok()
    });
    counts.sum()
}

fn wasm(kit: &Kit) -> Result<()> {
    let tests = wasm_tests()?;
    if tests.is_empty() {
        bail!("no file in tests/ uses wasm_bindgen_test, so nothing would be tested");
    }
    let mut command = kit.wasm()?.command("wasm-pack");
    command.args(["test", "--headless", "--chrome", "--mode", "no-install", "--chromedriver"]);
    command.arg(&kit.browser()?.driver).args([".", "--locked"]);
    for test in &tests {
        command.args(["--test", test]);
    }
    command.env("WASM_BINDGEN_TEST_TIMEOUT", WASM_TEST_SECONDS_MAX);
    process::run(&mut command)
}

/// The files in tests/ that are made for the browser.
fn wasm_tests() -> Result<Vec<String>> {
    let mut names = Vec::new();
    for file in files_in("tests", ".rs")? {
        if std::fs::read_to_string(&file)?.contains("wasm_bindgen_test") {
            names.extend(file.file_stem().and_then(|it| it.to_str()).map(str::to_owned));
        }
    }
    Ok(names)
}

fn www(_: &Kit) -> Result<()> {
    node_tests("tests/www", |node| node)
}

fn page(kit: &Kit) -> Result<()> {
    build::studio(kit)?;
    let address = serve::in_background(project::dist())?;
    let browser = kit.browser()?.program.clone();
    node_tests("tests/page", |node| {
        // One at a time: two browsers on a small machine time each other out.
        node.arg("--test-concurrency=1").env("WEIR_URL", address).env("CHROME", browser)
    })?;
    size::print(&size::weigh(&project::dist())?);
    Ok(())
}

fn node_tests(folder: &str, with: impl FnOnce(&mut Command) -> &mut Command) -> Result<()> {
    let files = files_in(folder, ".test.mjs")?;
    if files.is_empty() {
        bail!("{folder}/ holds no *.test.mjs, so nothing would be tested");
    }
    let mut node = Command::new("node");
    node.current_dir(project::root()).args(["--test", "--test-reporter=spec"]);
    process::run(with(&mut node).args(files))
}

/// The files in a folder whose names end so, sorted; a missing folder holds none.
fn files_in(folder: &str, ending: &str) -> Result<Vec<PathBuf>> {
    let Ok(entries) = std::fs::read_dir(project::root().join(folder)) else {
        return Ok(Vec::new());
    };
    let mut files = Vec::new();
    for entry in entries {
        let name = entry?.file_name();
        if name.to_str().is_some_and(|name| name.ends_with(ending)) {
            files.push(Path::new(folder).join(name));
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn native_tests_are_counted_over_all_harnesses() {
        let text = "test result: ok. 12 passed; 0 failed; 1 ignored\nx\n\
                    test result: ok. 3 passed; 0 failed\n";
        assert_eq!(count_passed(text), 15);
    }

    #[test]
    fn a_missing_folder_holds_no_tests() {
        assert!(files_in("no/such/folder", ".rs").unwrap().is_empty());
    }
}
