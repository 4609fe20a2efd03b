//! Scenarios fitted to recorded REST answers against what those answers say of the durations.
//!
//! A run is a case in a mode; only its REST answers are read. `cargo xtask fit` prints what this
//! test prints.
#![cfg(not(target_arch = "wasm32"))]

mod raw;

use std::fmt::Write as _;

use weir::checkpoint::import::{SubtaskMeans, SubtaskPrediction, import_checkpoints};

/// The share of runs [%] whose end-to-end time is reproduced within a quarter.
const PROMISED: f64 = 80.0;
const WITHIN: f64 = 25.0;

/// A field of a subtask.
type Field = fn(&SubtaskMeans) -> Option<f64>;

/// The fields of a subtask, and from what size on they are compared: a shorter time is that of messages.
const FIELDS: [(&str, Field, f64); 7] = [
    ("end_to_end_duration", |it| it.end_to_end_ms, 150.0),
    ("start_delay", |it| it.start_delay_ms, 150.0),
    ("alignment.duration", |it| it.alignment_ms, 150.0),
    ("checkpoint.sync", |it| it.sync_ms, 150.0),
    ("checkpoint.async", |it| it.async_ms, 150.0),
    ("alignment.processed", |it| it.processed_bytes, 8000.0),
    ("alignment.persisted", |it| it.persisted_bytes, 8000.0),
];

/// One line for each field: how many subtasks report a large one, and of how many it is reproduced.
fn by_field(subtasks: &[SubtaskPrediction]) -> String {
    let mut text = String::from("field of a subtask | compared | within 25 %\n");
    for (name, field, least) in FIELDS {
        let real = |it: &SubtaskPrediction| field(&it.real).filter(|it| *it >= least);
        let pairs: Vec<(f64, f64)> = subtasks
            .iter()
            .filter_map(|it| Some((real(it)?, field(&it.predicted).unwrap_or(0.0))))
            .collect();
        let close = pairs.iter().filter(|it| (it.1 - it.0).abs() <= it.0 * WITHIN / 100.0).count();
        let _ = writeln!(text, "{name} | {} | {close}", pairs.len());
    }
    text
}

#[test]
fn fitted_scenarios_are_as_close_as_promised() {
    let mut table = String::from("\nfitted run | measured ms | predicted ms | error %\n");
    let (mut compared, mut close, mut without) = (0, 0, 0);
    let mut subtasks = Vec::new();
    for (name, files) in raw::runs() {
        let report = import_checkpoints(&raw::params(&files)).expect("never refused").value;
        let fitted = report.fitted.unwrap_or_else(|| panic!("{name} has a job"));
        let end_to_end = fitted.predictions.first().unwrap_or_else(|| {
            panic!("{name}: {}", fitted.refusal.clone().unwrap_or_default());
        });
        let Some(measured) = end_to_end.real else {
            without += 1;
            let _ = writeln!(table, "{name} | no completed checkpoint | |");
            continue;
        };
        compared += 1;
        subtasks.extend(fitted.subtasks);
        let Some(predicted) = end_to_end.predicted else {
            let _ = writeln!(table, "{name} | {measured:.0} | none completes | ");
            continue;
        };
        let error = (predicted - measured) * 100.0 / measured;
        close += i32::from(error.abs() <= WITHIN);
        let _ = writeln!(table, "{name} | {measured:.0} | {predicted:.0} | {error:.1}");
    }
    if compared == 0 {
        println!("no REST answers in the folder of recordings");
        return;
    }
    let share = f64::from(close) * 100.0 / f64::from(compared);
    table += &by_field(&subtasks);
    println!("{table}fitted runs={compared} within25={share:.0}% without_completed={without}");
    assert!(share >= PROMISED, "{share:.0}% within a quarter, promised are {PROMISED}%");
}
