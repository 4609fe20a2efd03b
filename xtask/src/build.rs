//! The optimised studio: Trunk builds it, wasm-opt shrinks the engine, esbuild scripts and styles.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::setup::{self, Kit, node, package_program};
use crate::toolchain::{TARGET, Toolchain};
use crate::{process, project, say};

/// The engine as Trunk leaves it in `dist`.
const ENGINE: &str = "weir_bg.wasm";

/// A package whose wasm the page fetches when it first needs it.
struct Module {
    package: &'static str,
    /// Its name in `dist`, without an ending.
    name: &'static str,
    profile: &'static str,
}

/// The modules beside the first, whose profile www/index.html names to Trunk.
const MODULES: [Module; 4] = [
    Module { package: "weir-later", name: "weir_later", profile: "wasm" },
    Module { package: "weir-event-time", name: "weir_event_time", profile: "simulation" },
    Module { package: "weir-checkpoints", name: "weir_checkpoints", profile: "simulation" },
    Module { package: "weir-transactions", name: "weir_transactions", profile: "release" },
];

/// Nothing in the second module is asked at each keystroke, so there small comes before fast.
const LATER_CONFIG: &str = "profile.wasm.opt-level='z'";

/// How wasm-opt optimises, and the wasm features that browsers have had since 2021 at the latest.
const WASM_OPT: [&str; 7] = [
    "-O3",
    "--enable-bulk-memory",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-reference-types",
    "--enable-multivalue",
];

/// Sets up, then builds.
pub fn run() -> Result<()> {
    let kit = setup::ensure(setup::BUILD)?;
    studio(&kit)
}

/// Builds `dist/`.
pub fn studio(kit: &Kit) -> Result<()> {
    let start = std::time::Instant::now();
    let toolchain = kit.wasm()?;
    // Trunk works offline, so the crates have to be here before.
    process::run(
        toolchain.command("cargo").args(["fetch", "--quiet", "--locked", "--target", TARGET]),
    )?;
    process::run(toolchain.command("trunk").arg("build").stdout(std::io::stderr()))?;
    optimise(&project::dist().join(ENGINE))?;
    for module in &MODULES {
        beside(toolchain, module)?;
        optimise(&project::dist().join(format!("{}_bg.wasm", module.name)))?;
    }
    minify(&project::dist())?;
    eprintln!("built dist/ in {}", say::seconds(start.elapsed()));
    Ok(())
}

/// Builds a module beside the first. Trunk knows one module a page.
fn beside(toolchain: Toolchain, module: &Module) -> Result<()> {
    let Module { package, name, profile } = module;
    let arguments = ["build", "--quiet", "--locked", "--target", TARGET];
    let package = ["--package", package, "--profile", profile, "--config", LATER_CONFIG];
    process::run(toolchain.command("cargo").args(arguments).args(package))?;
    let folder = project::wasm_target().join(TARGET).join(profile);
    let mut bindgen = toolchain.command("wasm-bindgen");
    bindgen.args(["--target", "web", "--no-typescript", "--out-dir"]).arg(project::dist());
    process::run(bindgen.arg(folder.join(format!("{name}.wasm"))))
}

/// Shrinks the engine in place, or takes the result of the last time the same came out of Trunk.
fn optimise(engine: &Path) -> Result<()> {
    let plain =
        std::fs::read(engine).with_context(|| format!("Trunk left no {}", engine.display()))?;
    let name = engine.file_stem().unwrap_or_default();
    let cache = project::wasm_target().join("wasm-opt").join(name);
    let (before, after) = (cache.join("before.wasm"), cache.join("after.wasm"));
    let (recipe_file, recipe) = (cache.join("recipe"), recipe());
    let is_cached = std::fs::read(&before).is_ok_and(|cached| cached == plain)
        && std::fs::read_to_string(&recipe_file).is_ok_and(|cached| cached == recipe)
        && after.exists();
    if !is_cached {
        // Without the input, the other two files mean nothing: it goes first and comes last.
        let _ = std::fs::remove_file(&before);
        std::fs::create_dir_all(&cache)?;
        process::run(wasm_opt().arg(engine).arg("-o").arg(&after))?;
        project::write(&recipe_file, recipe)?;
        project::write(&before, plain)?;
    }
    std::fs::copy(&after, engine).with_context(|| format!("cannot write {}", engine.display()))?;
    Ok(())
}

/// Minifies scripts and styles in place; `www/` stays what developers read.
fn minify(dist: &Path) -> Result<()> {
    process::run(node(project::root().join("xtask/scripts/minify.mjs")).arg(dist))
}

fn wasm_opt() -> Command {
    let mut command = package_program("binaryen/bin/wasm-opt");
    command.args(WASM_OPT);
    command
}

/// Whatever decides what wasm-opt makes of its input.
fn recipe() -> String {
    let version = project::read("package-lock.json").unwrap_or_default();
    format!("{}\n{version}", WASM_OPT.join(" "))
}
