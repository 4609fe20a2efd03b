//! What a long run refuses, and the field that it names.

use super::*;
use weir::finding::Problem;

fn fine() -> RunParams {
    job(Assigner::Tumbling { size: 10, offset: 0 }, 0, WatermarkRule::Ascending, 1, 3)
}

#[track_caller]
fn check(params: &RunParams, code: &str, field: &str) {
    let problem = Problem::from(Run::new(params).map(|_| ()).expect_err("it is refused"));
    assert_eq!((&problem.code[..], problem.field.as_deref()), (code, Some(field)), "{problem:?}");
}

#[test]
fn what_cannot_be_run_is_named() {
    let with = |assigner| job(assigner, 0, WatermarkRule::Ascending, 1, 3);
    let offset = Assigner::Tumbling { size: 10, offset: 10 };
    check(&with(offset), "tumbling_parameters", "windows.assigner.size");
    let zoned = Assigner::Zoned { size: 10, transitions: Vec::new(), zone: None };
    check(&with(zoned), "transitions", "windows.assigner.transitions");
    let mut params = fine();
    params.watermarks.rule = WatermarkRule::Explicit;
    check(&params, "not_offered", "watermarks.rule");
    let mut params = fine();
    let clock = Trigger::EarlyProcessingTime { interval: 2 };
    params.windows.trigger = Trigger::Purging { of: Box::new(clock) };
    let mut run = Run::new(&params).expect("it is offered");
    let problem = Problem::from(run.push(&[1], &[0], &[1]).expect_err("no arrival is told"));
    assert_eq!(problem.code, "origin");
    params.windows.trigger = Trigger::Count { count: 0 };
    check(&params, "trigger_count", "windows.trigger.count");
    params.windows.trigger = Trigger::Count { count: 2 };
    params.windows.assigner = Assigner::Sliding { size: 5001, slide: 5, offset: 0 };
    check(&params, "out_of_range", "windows.assigner.slide");
    params.windows.assigner = Assigner::Sliding { size: 5000, slide: 5, offset: 0 };
    assert!(Run::new(&params).is_ok());
    check(&RunParams { keys: 0, ..fine() }, "out_of_range", "keys");
    let mut params = fine();
    params.windows.allowed_lateness = EventTime::MAX;
    check(&params, "out_of_range", "windows.allowedLateness");
    let mut params = fine();
    params.watermarks.emission = EmissionTime::Periodic { interval: 0 };
    check(&params, "out_of_range", "watermarks.emission.interval");
    params.watermarks.rule = WatermarkRule::SqlAssigner { out_of_orderness: 0 };
    params.watermarks.emission = EmissionTime::PerEvent { every: 2 };
    check(&params, "assigner_rhythm", "watermarks.emission");
}

#[test]
fn a_record_that_cannot_be_taken_is_named_and_nothing_is_taken() {
    let mut run = Run::new(&fine()).unwrap();
    run.push(&[1], &[0], &[1]).unwrap();
    let mut field = |times: &[i64], keys: &[u32], values: &[i32]| {
        let problem = Problem::from(run.push(times, keys, values).expect_err("it is refused"));
        assert_eq!(run.progress().pushed, 1);
        (problem.message, problem.field.unwrap_or_default())
    };
    let (message, at) = field(&[1, 1 << 53], &[0, 0], &[0, 0]);
    assert!(message.starts_with("Record 2 has the time 9007199254740992;"), "{message}");
    assert_eq!(at, "columns.time");
    let (message, at) = field(&[1, 2, 3], &[0, 3, 0], &[0, 0, 0]);
    assert_eq!(message, "Record 2 has the key 3; it must be between 0 and 2.");
    assert_eq!(at, "columns.key");
    assert_eq!(field(&[1, 2], &[0], &[1]).1, "columns");
    run.end_input();
    assert!(run.push(&[1], &[0], &[1]).is_err());
}
