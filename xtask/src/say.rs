//! What a reader of the terminal sees: one line when a step begins, one when it ends.
//!
//! Steps go to standard error, so that what a command is asked for stands alone on its output.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use anyhow::Result;

/// Runs `work` and prints its name before and its time after.
pub fn step<T>(name: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    eprintln!("setup: {name} ...");
    let start = Instant::now();
    let result = work();
    let time = seconds(start.elapsed());
    match &result {
        Ok(_) => eprintln!("setup: {name}, {time}"),
        Err(_) => eprintln!("setup: {name} failed after {time}"),
    }
    result
}

/// A heading of a stage, set off where the output is a terminal.
pub fn heading(text: &str) {
    if std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none() {
        println!("\n\x1b[1m== {text}\x1b[0m");
    } else {
        println!("\n== {text}");
    }
    let _ = std::io::stdout().flush();
}

/// A duration to a tenth of a second, minutes where there are some.
pub fn seconds(time: Duration) -> String {
    let tenths = (time.as_millis() + 50) / 100;
    let (minutes, rest) = (tenths / 600, tenths % 600);
    if minutes == 0 {
        format!("{}.{} s", rest / 10, rest % 10)
    } else {
        format!("{minutes} min {:02} s", rest / 10)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_well() {
        assert_eq!(seconds(Duration::from_millis(40)), "0.0 s");
        assert_eq!(seconds(Duration::from_millis(2960)), "3.0 s");
        assert_eq!(seconds(Duration::from_millis(59_960)), "1 min 00 s");
        assert_eq!(seconds(Duration::from_secs(221)), "3 min 41 s");
    }
}
