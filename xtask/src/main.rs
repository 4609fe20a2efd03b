//! Weir's two commands and what stands behind them: `cargo xtask serve` and `cargo xtask test`.
//!
//! Both set up whatever the machine lacks first. The engine's own rules (no clock, no hash order)
//! do not hold here: this crate times its steps and starts processes.

#![allow(clippy::disallowed_types)]

mod accuracy;
mod bench;
mod bench_checkpoint;
mod bench_event_time;
mod bench_transaction;
mod build;
mod fit;
mod process;
mod project;
mod say;
mod serve;
mod setup;
mod shots;
mod size;
mod test;
mod tidy;
mod toolchain;

use std::process::ExitCode;

use anyhow::{Result, bail};

const HELP: &str = "\
Usage: cargo xtask COMMAND

  serve [--port N] [--open]  set up, build and serve the studio on 127.0.0.1:8080
  test [STAGE...]            set up and run every check, or only the stages named:
                             fmt types clippy native tidy wasm www page
  setup                      install whatever is missing, and nothing else
  build                      build the optimised studio into dist/
  bench [--json]             time the engine and the page
  size [--strict]            compressed sizes against their budgets; --strict fails over budget
  accuracy [--check]         rewrite, or only compare, the accuracy block of README.md
  fit                        compare simulated checkpoints with the recorded ones, case by case
  tidy                       check the source tree
  shots [--presets ID,...]   screenshots of every tool and preset into shots/

Environment:
  CHROME, CHROMEDRIVER       a browser and its driver, where they are not on PATH
  WEIR_WASM_TOOLCHAIN        rustup or debian, to choose where both would do
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(arguments: &[String]) -> Result<()> {
    let Some((command, rest)) = arguments.split_first() else {
        print!("{HELP}");
        return Ok(());
    };
    let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
    std::env::set_current_dir(project::root())?;
    match command.as_str() {
        "serve" => serve::run(&rest),
        "test" => test::run(&rest),
        "setup" => no_arguments(command, &rest).and_then(|()| setup::everything()),
        "build" => no_arguments(command, &rest).and_then(|()| build::run()),
        "bench" => bench::run(&rest),
        "size" => size::run(&rest),
        "accuracy" => accuracy::run(&rest),
        "fit" => no_arguments(command, &rest).and_then(|()| fit::run()),
        "tidy" => no_arguments(command, &rest).and_then(|()| tidy::run()),
        "shots" => shots::run(&rest),
        "help" | "--help" | "-h" => {
            print!("{HELP}");
            Ok(())
        }
        other => bail!("there is no command `{other}`; `cargo xtask help` lists them"),
    }
}

fn no_arguments(command: &str, rest: &[&str]) -> Result<()> {
    match rest.first() {
        None => Ok(()),
        Some(extra) => bail!("`{command}` takes no argument, but was given `{extra}`"),
    }
}

/// Splits the flags a command knows from its other arguments; an unknown flag is an error.
fn known_flag(rest: &[&str], flag: &str) -> Result<bool> {
    match rest.iter().find(|argument| **argument != flag) {
        Some(extra) => bail!("unknown argument `{extra}`; only {flag} is known here"),
        None => Ok(!rest.is_empty()),
    }
}
