//! Running other programs: loudly, quietly with a log, or only to hear their answer.

use std::ffi::OsStr;
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};

/// How many lines of a failed program's log are shown.
const LOG_TAIL_LINES: usize = 25;

/// Runs `command` with its output on the terminal.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command.status().map_err(|error| cannot_start(command, &error))?;
    check(command, status)
}

/// Runs `command` with its output in `log`, and shows the end of the log if it fails.
pub fn run_logged(command: &mut Command, log: &Path) -> Result<()> {
    if let Some(folder) = log.parent() {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
    }
    let file = File::create(log).with_context(|| format!("cannot write {}", log.display()))?;
    let copy = file.try_clone()?;
    let status = command
        .stdin(Stdio::null())
        .stdout(file)
        .stderr(copy)
        .status()
        .map_err(|error| cannot_start(command, &error))?;
    if !status.success() {
        let text = String::from_utf8_lossy(&std::fs::read(log)?).into_owned();
        let lines: Vec<&str> = text.lines().collect();
        for line in &lines[lines.len().saturating_sub(LOG_TAIL_LINES)..] {
            eprintln!("  {line}");
        }
        eprintln!("  (all of it: {})", log.display());
    }
    check(command, status)
}

/// What `command` prints on its standard output, without the last newline.
pub fn output(command: &mut Command) -> Result<String> {
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .map_err(|error| cannot_start(command, &error))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("").trim();
        bail!("`{}` failed: {last}", line(command));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
}

/// The same, or `None` where the program is missing or fails.
pub fn answer(program: impl AsRef<OsStr>, arguments: &[&str]) -> Option<String> {
    output(Command::new(program).args(arguments)).ok()
}

/// Whether `command` succeeds within `limit`; it is stopped when it takes longer.
pub fn succeeds_within(command: &mut Command, limit: Duration) -> bool {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let Ok(mut child) = quiet.spawn() else { return false };
    let start = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) if start.elapsed() < limit => sleep(Duration::from_millis(50)),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return false;
            }
        }
    }
}

/// Finds a program on `path`, a list as in the variable PATH.
pub fn find_on(path: &OsStr, program: &str) -> Option<PathBuf> {
    std::env::split_paths(path).map(|folder| folder.join(program)).find(|file| is_program(file))
}

/// Finds a program on PATH.
pub fn find(program: &str) -> Option<PathBuf> {
    find_on(&std::env::var_os("PATH")?, program)
}

/// Whether a file can be started.
pub fn is_program(file: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        file.metadata().is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
    }
    #[cfg(not(unix))]
    {
        file.is_file()
    }
}

/// Whether this process may write everywhere.
pub fn is_root() -> bool {
    answer("id", &["-u"]).as_deref() == Some("0")
}

/// A command as a reader would type it.
pub fn line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

fn check(command: &Command, status: ExitStatus) -> Result<()> {
    match status.code() {
        Some(0) => Ok(()),
        Some(code) => bail!("`{}` ended with exit code {code}", line(command)),
        None => bail!("`{}` was stopped by a signal", line(command)),
    }
}

fn cannot_start(command: &Command, error: &std::io::Error) -> anyhow::Error {
    let program = command.get_program().to_string_lossy();
    match error.kind() {
        ErrorKind::NotFound => anyhow!("`{program}` is not installed"),
        _ => anyhow!("cannot start `{program}`: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_program_is_a_sentence() {
        let error = run(&mut Command::new("weir-no-such-program")).unwrap_err();
        assert_eq!(error.to_string(), "`weir-no-such-program` is not installed");
    }

    #[test]
    fn a_failure_names_the_command_and_its_last_words() {
        let error = output(Command::new("sh").args(["-c", "echo first; echo why >&2; exit 3"]))
            .unwrap_err();
        assert!(error.to_string().ends_with("failed: why"), "{error}");
    }

    #[test]
    fn a_slow_program_is_stopped() {
        let start = Instant::now();
        let mut slow = Command::new("sleep");
        assert!(!succeeds_within(slow.arg("30"), Duration::from_millis(100)));
        assert!(start.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn programs_are_found_by_folder_order() {
        let path = OsStr::new("/nowhere:/bin:/usr/bin");
        assert_eq!(find_on(path, "sh"), Some(PathBuf::from("/bin/sh")));
        assert_eq!(find_on(path, "weir-no-such-program"), None);
    }
}
