//! The checkpoint simulation against checkpoints measured on a real Flink.
//!
//! A run is a case in a mode. Its figure is the mean over its completed checkpoints from the second
//! on, since the first loads classes. A prediction reads the params of a row, and where a source
//! lags, when its barrier could leave. The triggers of periodic runs are compared given the measured
//! durations, because the coordinator's rules say when, not how long.
//!
//! `cargo xtask fit` prints what this test prints. `ORACLE_DIR` names another folder of recordings.
#![cfg(not(target_arch = "wasm32"))]

use std::fmt::Write as _;
use std::path::PathBuf;

use serde_json::Value;
use weir::checkpoint::coordinator::triggers;
use weir::checkpoint::report::CheckpointStatus;
use weir::checkpoint::{CheckpointParams, CheckpointReport, Mode, SimTime, simulate};

#[path = "checkpoint_fit/table.rs"]
mod table;

use table::{Compared, Figure, table};

/// Runs with a queue in front of the barrier, by the first letter of their case.
const WITH_QUEUE: [char; 6] = ['C', 'D', 'E', 'F', 'K', 'X'];
const PERIODIC: char = 'I';
/// Flush phases do not matter much where they matter at all; any seed would do.
const SEED: u64 = 1;

struct Run {
    case: String,
    mode: String,
    flink: String,
    rows: Vec<Value>,
}

fn recordings() -> Vec<Value> {
    let folder = std::env::var_os("ORACLE_DIR").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/oracle"),
        PathBuf::from,
    );
    let path = folder.join("checkpoints/measurements.jsonl");
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).expect("a recording is JSON")).collect()
}

fn runs(rows: Vec<Value>) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for row in rows {
        let text = |key: &str| row[key].as_str().expect("a name").to_owned();
        let (case, mode, flink) = (text("case"), text("mode"), text("flink"));
        let same = |run: &&mut Run| (&run.case, &run.mode, &run.flink) == (&case, &mode, &flink);
        match runs.iter_mut().find(same) {
            Some(run) => run.rows.push(row),
            None => runs.push(Run { case, mode, flink, rows: vec![row] }),
        }
    }
    runs
}

impl Run {
    fn params(&self) -> CheckpointParams {
        serde_json::from_value(self.rows[0]["params"].clone()).expect("params of a recording")
    }

    fn group(&self) -> char {
        self.case.chars().next().unwrap_or_default()
    }

    fn simulate(&self) -> CheckpointReport {
        let params = self.params();
        let mode: Mode = serde_json::from_value(self.mode.clone().into()).expect("a mode");
        let barrier_after: Vec<SimTime> = match params.lag_ms {
            0 => Vec::new(),
            _ => self
                .rows
                .iter()
                .filter_map(|row| row["checkpoint"]["probe"]["source_barrier_after_ms"][0].as_u64())
                .map(SimTime::from_ms)
                .collect(),
        };
        simulate(&params, mode, &barrier_after, SEED).expect("a recorded job").value
    }

    /// The mean of a field over completed checkpoints from the second on.
    fn measured(&self, field: &str) -> Option<f64> {
        let values = self.rows.iter().skip(1).filter_map(|row| {
            let completed = row["checkpoint"]["status"] == "COMPLETED";
            row["checkpoint"][field].as_f64().filter(|_| completed)
        });
        mean(values.collect())
    }

    fn measured_triggers(&self) -> Vec<f64> {
        let at = |row: &Value| row["checkpoint"]["trigger_timestamp"].as_f64();
        let times: Vec<f64> = self.rows.iter().filter_map(at).collect();
        times.iter().map(|time| time - times[0]).collect()
    }

    fn measured_durations(&self) -> Vec<SimTime> {
        let known = self.rows.iter().filter(|row| {
            matches!(row["checkpoint"]["status"].as_str(), Some("COMPLETED" | "FAILED"))
        });
        known
            .filter_map(|row| row["checkpoint"]["end_to_end_duration"].as_u64())
            .map(SimTime::from_ms)
            .collect()
    }
}

fn mean(values: Vec<f64>) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The same mean of a simulated run: end-to-end time [ms] and persisted bytes.
fn predicted(report: &CheckpointReport) -> Option<(f64, f64)> {
    let completed: Vec<_> = report
        .checkpoints
        .iter()
        .skip(1)
        .filter(|it| it.status == CheckpointStatus::Completed)
        .collect();
    let e2e = mean(completed.iter().map(|it| it.end_to_end_ms as f64).collect())?;
    let persisted = mean(completed.iter().map(|it| it.persisted_bytes as f64).collect())?;
    Some((e2e, persisted))
}

/// One line for each compared run: what is predicted, without what was measured.
fn predictions(runs: &[Run]) -> Vec<(usize, Option<(f64, f64)>)> {
    let compared =
        |run: &Run| !['G', 'H', 'I'].contains(&run.group()) && run.case != "names_sample";
    let numbered = runs.iter().enumerate().filter(|(_, run)| compared(run));
    numbered.map(|(number, run)| (number, predicted(&run.simulate()))).collect()
}

struct Errors(Vec<f64>);

impl Errors {
    fn within(&self, limit: f64) -> f64 {
        let count = self.0.iter().filter(|it| it.abs() <= limit).count();
        if self.0.is_empty() { 0.0 } else { count as f64 * 100.0 / self.0.len() as f64 }
    }

    fn median(&self) -> f64 {
        let mut sizes: Vec<f64> = self.0.iter().map(|it| it.abs()).collect();
        sizes.sort_by(f64::total_cmp);
        match sizes.len() {
            0 => 0.0,
            count if count % 2 == 1 => sizes[count / 2],
            count => f64::midpoint(sizes[count / 2 - 1], sizes[count / 2]),
        }
    }
}

fn error(predicted: f64, measured: f64) -> f64 {
    (predicted - measured) / measured
}

struct Fit {
    text: String,
    e2e: Errors,
    persisted: Errors,
    trigger_runs: usize,
    triggers_within: usize,
    alone_within: usize,
    all: Vec<Compared>,
}

fn fit(runs: &[Run]) -> Fit {
    let mut text = String::from(
        "case | mode | Flink | end to end [ms] predicted / measured | error | \
         persisted [B] predicted / measured | error\n",
    );
    let (mut e2e, mut persisted) = (Errors(Vec::new()), Errors(Vec::new()));
    let mut all = Vec::new();
    for (number, prediction) in predictions(runs) {
        let run = &runs[number];
        let (Some(time), Some(bytes)) =
            (run.measured("end_to_end_duration"), run.measured("persisted_data"))
        else {
            continue;
        };
        // A run in which the simulation completes nothing is wrong by all of it.
        let (sim_time, sim_bytes) = prediction.unwrap_or_default();
        let (mut time_error, mut bytes_error) = (String::new(), String::new());
        if time > 150.0 {
            e2e.0.push(error(sim_time, time));
            all.push(Compared::new(Figure::EndToEnd, run, Some(error(sim_time, time))));
            time_error = format!("{:+.1} %", error(sim_time, time) * 100.0);
        }
        if bytes > 8000.0 && WITH_QUEUE.contains(&run.group()) {
            persisted.0.push(error(sim_bytes, bytes));
            all.push(Compared::new(Figure::Persisted, run, Some(error(sim_bytes, bytes))));
            bytes_error = format!("{:+.1} %", error(sim_bytes, bytes) * 100.0);
        }
        let Run { case, mode, flink, .. } = run;
        let _ = writeln!(
            text,
            "{case} | {mode} | {flink} | {sim_time:.0} / {time:.0} | {time_error} | \
             {sim_bytes:.0} / {bytes:.0} | {bytes_error}"
        );
    }
    text += &debloated(runs, &mut all).0;
    let (mut trigger_runs, mut triggers_within, mut alone_within) = (0, 0, 0);
    text += "case | mode | triggers predicted / measured | furthest off [ms] | with simulated durations [ms]\n";
    for run in runs.iter().filter(|run| run.group() == PERIODIC) {
        let measured = run.measured_triggers();
        let end = measured.last().copied().unwrap_or_default();
        let margin = SimTime::from_ms(end as u64 + 150);
        let given: Vec<f64> =
            triggers(run.params().coordinator(), &run.measured_durations(), margin)
                .iter()
                .map(|it| it.as_ms() as f64)
                .collect();
        let report = run.simulate();
        let times: Vec<f64> = report.checkpoints.iter().map(|it| it.triggered_ms as f64).collect();
        let alone: Vec<f64> =
            times.iter().map(|it| it - times[0]).filter(|it| *it <= end + 150.0).collect();
        let (off, off_alone) = (furthest(&given, &measured), furthest(&alone, &measured));
        all.push(Compared::new(Figure::Triggers, run, off));
        all.push(Compared::new(Figure::TriggersAlone, run, off_alone));
        trigger_runs += 1;
        triggers_within += usize::from(off.is_some_and(|it| it <= 150.0));
        alone_within += usize::from(off_alone.is_some_and(|it| it <= 150.0));
        let show =
            |off: Option<f64>| off.map_or("another number".to_owned(), |it| format!("{it:.0}"));
        let _ = writeln!(
            text,
            "{} | {} | {} / {} | {} | {}",
            run.case,
            run.mode,
            given.len(),
            measured.len(),
            show(off),
            show(off_alone)
        );
    }
    let _ = writeln!(
        text,
        "triggers with simulated durations runs={trigger_runs} within150ms={alone_within}"
    );
    Fit { text, e2e, persisted, trigger_runs, triggers_within, alone_within, all }
}

/// The runs with buffer debloating, of which the promise does not speak.
fn debloated(runs: &[Run], all: &mut Vec<Compared>) -> (String, Errors) {
    let mut text = String::new();
    let mut errors = Errors(Vec::new());
    for run in runs.iter().filter(|run| run.group() == 'G') {
        let predicted = predicted(&run.simulate());
        let (Some((time, _)), Some(measured)) = (predicted, run.measured("end_to_end_duration"))
        else {
            continue;
        };
        let Run { case, mode, flink, .. } = run;
        let mut error_text = String::new();
        if measured > 150.0 {
            errors.0.push(error(time, measured));
            all.push(Compared::new(Figure::Debloated, run, Some(error(time, measured))));
            error_text = format!("{:+.1} %", error(time, measured) * 100.0);
        }
        let _ =
            writeln!(text, "{case} | {mode} | {flink} | {time:.0} / {measured:.0} | {error_text}");
    }
    let (count, within, median) = (errors.0.len(), errors.within(0.2), errors.median() * 100.0);
    let _ = writeln!(text, "debloated e2e runs={count} within20={within:.1}% median={median:.1}%");
    (text, errors)
}

/// How far the worst trigger is off; none if there are fewer than measured. One more may be
/// predicted at the very end, where the recording stopped.
fn furthest(predicted: &[f64], measured: &[f64]) -> Option<f64> {
    if predicted.len() < measured.len() || predicted.len() > measured.len() + 1 {
        return None;
    }
    Some(predicted.iter().zip(measured).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max))
}

impl Fit {
    fn summary(&self) -> String {
        format!(
            "e2e runs={} within15={:.1}% median={:.1}%\npersisted runs={} within15={:.1}%\n\
             triggers runs={} within150ms={}",
            self.e2e.0.len(),
            self.e2e.within(0.15),
            self.e2e.median() * 100.0,
            self.persisted.0.len(),
            self.persisted.within(0.15),
            self.trigger_runs,
            self.triggers_within,
        )
    }
}

#[test]
fn the_simulation_is_as_close_to_flink_as_promised() {
    let runs = runs(recordings());
    if runs.is_empty() {
        println!("no checkpoints/measurements.jsonl");
        return;
    }
    let fit = fit(&runs);
    let table = table(&fit.all);
    println!("{}{table}{}", fit.text, fit.summary());
    if std::env::var_os("ORACLE_DIR").is_none() {
        let readme = include_str!("../README.md");
        assert!(readme.contains(&table), "README.md has another table than `cargo xtask fit`");
    }
    // What README.md says of these runs, and no more than that.
    assert!(fit.e2e.within(0.15) >= 100.0, "{}", fit.summary());
    assert!(fit.e2e.median() <= 0.02, "{}", fit.summary());
    assert!(fit.persisted.within(0.15) >= 100.0, "{}", fit.summary());
    assert!(fit.triggers_within >= 14 && fit.alone_within >= 12, "{}", fit.summary());
    let (text, errors) = debloated(&runs, &mut Vec::new());
    assert!(errors.within(0.2) >= 100.0 && errors.median() <= 0.05, "{text}");
}

#[test]
fn predictions_read_nothing_but_params_and_when_a_blocked_source_let_its_barrier_go() {
    let rows = recordings();
    let strip = |row: &Value| {
        let after = row["checkpoint"]["probe"]["source_barrier_after_ms"].clone();
        serde_json::json!({
            "case": row["case"], "mode": row["mode"], "flink": row["flink"],
            "params": row["params"],
            "checkpoint": { "probe": { "source_barrier_after_ms": after } },
        })
    };
    let stripped: Vec<Value> = rows.iter().map(strip).collect();
    assert_eq!(predictions(&runs(rows)), predictions(&runs(stripped)));
}
