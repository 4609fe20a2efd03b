//! Scenarios fitted to recorded REST answers against what those answers say of the durations.
//!
//! A run is a case in a mode; only its REST answers are read. `cargo xtask fit` prints what this
//! test prints.
#![cfg(not(target_arch = "wasm32"))]

mod raw;

use std::fmt::Write as _;

use weir::checkpoint::import::import_checkpoints;

/// The share of runs [%] whose end-to-end time is reproduced within a quarter.
const PROMISED: f64 = 80.0;
const WITHIN: f64 = 25.0;

#[test]
fn fitted_scenarios_are_as_close_as_promised() {
    let mut table = String::from("\nfitted run | measured ms | predicted ms | error %\n");
    let (mut compared, mut close, mut without) = (0, 0, 0);
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
    println!("{table}fitted runs={compared} within25={share:.0}% without_completed={without}");
    assert!(share >= PROMISED, "{share:.0}% within a quarter, promised are {PROMISED}%");
}
