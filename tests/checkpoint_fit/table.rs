//! The errors of the runs by mode and by kind, as the table that README.md shows.

use std::fmt::Write as _;

use super::{Errors, Run};

/// What was compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Figure {
    /// The end-to-end time of runs above 150 ms.
    EndToEnd,
    /// The same of runs with buffer debloating.
    Debloated,
    /// Bytes of in-flight data, of runs with a queue.
    Persisted,
    /// The trigger that is furthest off, with the measured durations; in milliseconds.
    Triggers,
    /// The same with the simulated durations.
    TriggersAlone,
}

/// Each figure with its name, the error that counts as close, and whether that is in milliseconds.
const FIGURES: [(Figure, &str, f64, bool); 5] = [
    (Figure::EndToEnd, "End-to-end time", 0.15, false),
    (Figure::Persisted, "Persisted bytes", 0.15, false),
    (Figure::Debloated, "End-to-end time, debloated buffers", 0.2, false),
    (Figure::Triggers, "Triggers, given the measured durations", 150.0, true),
    (Figure::TriggersAlone, "Triggers, from the parameters alone", 150.0, true),
];

/// What the first letter of a case says of it.
const KINDS: [(char, &str); 9] = [
    ('A', "no queue, no lag"),
    ('B', "a source 2 s late"),
    ('C', "full queues"),
    ('D', "a chain of three"),
    ('E', "uneven inputs, or a lag behind full queues"),
    ('F', "one slow subtask"),
    ('G', "debloated"),
    ('K', "an aligned-checkpoint-timeout of 0.1 to 20 s"),
    ('X', "mixed"),
];

/// An error of a run; none where another number of triggers was predicted.
pub struct Compared {
    /// What was compared.
    pub figure: Figure,
    mode: String,
    kind: String,
    error: Option<f64>,
}

impl Compared {
    /// The error of a run in a figure.
    pub fn new(figure: Figure, run: &Run, error: Option<f64>) -> Self {
        let kind = match figure {
            Figure::Triggers | Figure::TriggersAlone => plan_of(run).to_owned(),
            _ => {
                let known = KINDS.iter().find(|it| it.0 == run.group());
                known.map_or_else(|| run.case.clone(), |it| it.1.to_owned())
            }
        };
        Self { figure, mode: run.mode.clone(), kind, error }
    }
}

/// What the coordinator of a periodic run had to do.
fn plan_of(run: &Run) -> &'static str {
    let params = run.params();
    let expires = run.rows.iter().any(|row| row["checkpoint"]["status"] == "FAILED");
    match () {
        () if expires => "checkpoints that expire",
        () if params.max_conc > 1 => "several at once",
        () if params.min_pause_ms > 0 => "a min-pause",
        () => "an interval alone",
    }
}

/// The table: each figure of all its runs, then by mode, then by kind.
pub fn table(all: &[Compared]) -> String {
    let mut text = String::from(
        "| Recorded runs | Runs | Close | Median error | Worst |\n|---|--:|--:|--:|--:|\n",
    );
    for (figure, name, close, is_ms) in FIGURES {
        let of: Vec<&Compared> = all.iter().filter(|it| it.figure == figure).collect();
        let limit =
            if is_ms { format!("{close:.0} ms") } else { format!("{:.0} %", close * 100.0) };
        let name = format!("**{name}**, close: within {limit}");
        let _ = writeln!(text, "{}", line(&name, &of, close, is_ms));
        // The mode decides nothing about when a checkpoint is triggered.
        let by_mode: &[fn(&Compared) -> String] = if is_ms { &[] } else { &[|it| it.mode.clone()] };
        let by_kind: &[fn(&Compared) -> String] = &[|it| it.kind.clone()];
        for by in by_mode.iter().chain(by_kind) {
            let mut names: Vec<String> = of.iter().map(|it| by(it)).collect();
            names.sort();
            names.dedup();
            if names.len() < 2 {
                continue;
            }
            for name in names {
                let of: Vec<&Compared> = of.iter().filter(|it| by(it) == name).copied().collect();
                let _ = writeln!(text, "{}", line(&format!("… {name}"), &of, close, is_ms));
            }
        }
    }
    text
}

fn line(name: &str, of: &[&Compared], close: f64, is_ms: bool) -> String {
    let known = Errors(of.iter().filter_map(|it| it.error).collect());
    let within = known.0.iter().filter(|it| it.abs() <= close).count();
    let worst = known.0.iter().copied().max_by(|a, b| a.abs().total_cmp(&b.abs()));
    let show = |error: f64, is_signed: bool| match (is_ms, is_signed) {
        (true, _) => format!("{error:.0} ms"),
        (false, true) => format!("{:+.1} %", error * 100.0),
        (false, false) => format!("{:.1} %", error * 100.0),
    };
    let missing = of.len() - known.0.len();
    let worst = match (missing, worst) {
        (0, worst) => worst.map_or_else(String::new, |it| show(it, true)),
        _ => format!("another number in {missing}"),
    };
    format!("| {name} | {} | {within} | {} | {worst} |", of.len(), show(known.median(), false))
}
