//! What-ifs of small scenarios.
//!
//! Source: none; the numbers are those of a job that was measured on Flink 1.20.5.

use proptest::prelude::*;

use super::change::ChangeKind;
use super::knob::Knob;
use super::margin::Outcome;
use super::*;
use crate::checkpoint::detection::{FailureKind, Heartbeat};
use crate::checkpoint::job::{UploadLink, UploadPer};
use crate::checkpoint::params::Mode;
use crate::checkpoint::random::ServiceTime;
use crate::checkpoint::scenario::ScenarioFailure;
use crate::checkpoint::{samples, simulate_scenario};

fn params(change: impl FnOnce(&mut WhatIfParams)) -> WhatIfParams {
    let mut scenario = samples::scenario();
    scenario.checkpointing.interval_ms = 12_000;
    let mut params = WhatIfParams {
        flink: crate::units::FlinkVersion::V1_20,
        scenario,
        objective_ms: Some(10_000),
        allowed_share: 0.0,
        parts: Vec::new(),
        knobs: KNOBS.to_vec(),
    };
    change(&mut params);
    params
}

fn what_if(change: impl FnOnce(&mut WhatIfParams)) -> WhatIfReport {
    WhatIf::new(params(change)).expect("the params can be").finish().value
}

#[track_caller]
fn margin(report: &WhatIfReport, knob: Knob) -> &margin::Margin {
    report.margins.iter().find(|it| it.knob == knob).expect("every knob is there")
}

#[test]
fn the_run_as_it_is_equals_the_simulation() {
    let report = what_if(|_| {});
    let plain = simulate_scenario(&params(|_| {}).scenario).expect("it can be").value;
    let before = report.before.as_ref().expect("it was run");
    assert_eq!(before.triggered, plain.checkpoints.len());
    assert_eq!(before.longest_ms, plain.checkpoints.iter().map(|it| it.end_to_end_ms).max());
    // 7.9 s each; the one that the end of the run cuts off is followed to its end.
    let sla = report.sla.as_ref().expect("it was judged");
    assert_eq!((sla.judged, sla.over, sla.is_kept), (3, 0, Some(true)));
    assert!(report.is_complete && report.margins.is_empty() && report.modes.is_empty());
}

#[test]
fn the_four_ways_stand_side_by_side() {
    let report = what_if(|it| {
        it.parts = vec![Part::Modes];
        it.scenario.checkpointing.aligned_checkpoint_timeout_ms = 1000;
    });
    let times: Vec<f64> =
        report.modes.iter().map(|it| it.figures.end_to_end_ms.expect("all complete")).collect();
    // On Flink 7995, 1029, 97 ms.
    assert!((times[0] - 7995.0).abs() < 800.0, "{times:?}");
    assert!((times[1] - 1000.0).abs() < 50.0 && times[2] < 50.0, "{times:?}");
    assert_eq!(report.modes[0].figures.persisted_bytes, Some(0.0));
    // 68528 B on Flink.
    let persisted = report.modes[2].figures.persisted_bytes.expect("all complete");
    assert!((persisted - 68_528.0).abs() < 10_000.0, "{persisted}");
    let current: Vec<bool> = report.modes.iter().map(|it| it.is_current).collect();
    assert_eq!(current, [true, false, false, false]);
}

#[test]
fn every_change_has_its_gain_and_its_price_or_a_reason() {
    let report = what_if(|it| {
        it.parts = vec![Part::Changes];
        it.scenario.vertices[1].state.bytes = vec![2e6];
        it.scenario.checkpointing.upload =
            Some(UploadLink { bytes_per_second: 1e6, per: UploadPer::TaskManager });
    });
    assert_eq!(report.changes.len(), change::CHANGES.len());
    let after = |kind: ChangeKind| {
        let it = report.changes.iter().find(|it| it.kind == kind).expect("every change is there");
        it.after.clone().expect("none of the changes is refused")
    };
    let before = report.before.as_ref().expect("it was run");
    let time = |it: &figures::RunFigures| it.end_to_end_ms.expect("it completes");
    // Two seconds of upload become one.
    let gain = time(before) - time(&after(ChangeKind::FasterStorage));
    assert!((gain - 1000.0).abs() < 20.0, "{gain}");
    // 2 of 2 and 4 of 8: 4 + 5 - 0.5 buffers instead of 9 + 10 - 0.5.
    let half = (time(&after(ChangeKind::HalfTheBuffers)) - 2000.0) / (time(before) - 2000.0);
    assert!((half - 8.5 / 18.5).abs() < 0.03, "{half}");
    assert!(time(&after(ChangeKind::Unaligned)) < time(before));
    for it in &report.changes {
        assert_eq!(it.after.is_some(), it.refused.is_none());
        assert_eq!(it.price.is_some(), it.after.is_some());
    }
}

#[test]
fn a_lag_breaks_the_promise_where_it_is_as_long_as_the_objective() {
    let report = what_if(|it| {
        it.objective_ms = Some(2000);
        it.parts = vec![Part::Margins];
        it.scenario.run_ms = 6000;
        it.scenario.checkpointing.interval_ms = 3000;
        it.scenario.checkpointing.first_trigger_ms = Some(1000);
        it.scenario.vertices[0].parallelism = 2;
        it.scenario.vertices[1].service = vec![ServiceTime::Constant { mean_us: 500.0 }];
        let source = it.scenario.vertices[0].source.as_mut().expect("a source");
        source.rate = vec![100.0];
        it.knobs = vec![Knob::Lag, Knob::ServiceTime, Knob::Skew, Knob::StateBytes];
    });
    let lag = margin(&report, Knob::Lag);
    assert_eq!(lag.outcome, Outcome::Breaks, "{}", lag.says);
    assert!(lag.holds_at.is_some_and(|it| (1950.0..=2001.0).contains(&it)), "{}", lag.says);
    assert!(lag.breaks_at.is_some_and(|it| (2000.0..=2050.0).contains(&it)), "{}", lag.says);
    // From 5000 µs on, 200 records a second are too many.
    let service = margin(&report, Knob::ServiceTime);
    assert!(
        service.breaks_at.is_some_and(|it| (5000.0..=9000.0).contains(&it)),
        "{}",
        service.says
    );
    assert_eq!(report.margins.len(), 4);
    for knob in [Knob::Skew, Knob::StateBytes] {
        assert_eq!(margin(&report, knob).outcome, Outcome::NotApplicable);
    }
    assert!(report.verdict.contains("The promise is kept"), "{}", report.verdict);
}

#[test]
fn the_bandwidth_breaks_it_where_the_upload_takes_as_long() {
    let report = what_if(|it| {
        it.objective_ms = Some(2000);
        it.parts = vec![Part::Margins];
        it.scenario.vertices[0].source.as_mut().expect("a source").rate = vec![20.0];
        it.scenario.vertices[1].state.bytes = vec![1e6];
        it.scenario.checkpointing.upload =
            Some(UploadLink { bytes_per_second: 1e6, per: UploadPer::TaskManager });
    });
    let bandwidth = margin(&report, Knob::UploadBandwidth);
    assert!(
        bandwidth.breaks_at.is_some_and(|it| (490e3..=512e3).contains(&it)),
        "{}",
        bandwidth.says
    );
    let state = margin(&report, Knob::StateBytes);
    assert!(state.breaks_at.is_some_and(|it| (1.93e6..=2.02e6).contains(&it)), "{}", state.says);
    assert!(state.times.is_some_and(|it| (1.93..=2.02).contains(&it)), "{}", state.says);
}

#[test]
fn a_broken_promise_is_searched_for_what_mends_it() {
    let report = what_if(|it| {
        it.objective_ms = Some(4000);
        it.parts = vec![Part::Margins];
    });
    assert_eq!(report.sla.as_ref().and_then(|it| it.is_kept), Some(false));
    // 18.5 buffers of 42.67 records in 4 s: 5.07 ms a record.
    let service = margin(&report, Knob::ServiceTime);
    assert_eq!(service.outcome, Outcome::Mends, "{}", service.says);
    assert!(service.holds_at.is_some_and(|it| (4800.0..=5400.0).contains(&it)), "{}", service.says);
    assert_eq!(margin(&report, Knob::Interval).outcome, Outcome::NeverMends);
}

#[test]
fn without_an_objective_the_timeout_is_the_promise() {
    let report = what_if(|it| {
        it.objective_ms = None;
        it.parts = vec![Part::Margins];
        it.scenario.checkpointing.timeout_ms = 10_000;
    });
    let service = margin(&report, Knob::ServiceTime);
    assert_eq!(service.breach, Some(Breach::Timeout), "{}", service.says);
    // 18.5 buffers of 42.67 records in 10 s: 12.7 ms a record.
    assert!(
        service.breaks_at.is_some_and(|it| (12_000.0..=13_300.0).contains(&it)),
        "{}",
        service.says
    );
}

#[test]
fn thrashing_is_explained_with_the_time_that_would_do() {
    let report = what_if(|it| {
        it.scenario.checkpointing.timeout_ms = 4000;
        it.scenario.checkpointing.tolerable_failed_checkpoints = 100;
        it.scenario.checkpointing.interval_ms = 4000;
    });
    let thrashing = report.thrashing.as_ref().expect("they thrash");
    let needed = thrashing.needed_ms.expect("it was followed");
    assert!((7000..9000).contains(&needed), "{}", thrashing.says);
    assert!(thrashing.says.contains("Where none is given up"), "{}", thrashing.says);
    assert_eq!(what_if(|_| {}).thrashing, None);
}

#[test]
fn bad_params_name_their_field() {
    let refused = |change: fn(&mut WhatIfParams)| {
        WhatIf::new(params(change)).map(|_| ()).expect_err("it is refused").to_string()
    };
    assert!(refused(|it| it.objective_ms = Some(0)).contains("objectiveMs"));
    assert!(refused(|it| it.allowed_share = 2.0).contains("allowedShare"));
    let nested = refused(|it| it.scenario.vertices[0].parallelism = 0);
    assert!(nested.contains("scenario.vertices[0].parallelism"), "{nested}");
}

fn small() -> impl Strategy<Value = WhatIfParams> {
    let mode = prop_oneof![
        Just(Mode::Aligned),
        Just(Mode::Timeout),
        Just(Mode::Unaligned),
        Just(Mode::AtLeastOnce)
    ];
    let kind = prop_oneof![
        Just(FailureKind::Task),
        Just(FailureKind::TaskManagerLost),
        Just(FailureKind::TaskManagerUnreachable)
    ];
    let failure = prop::option::of((50..1900_u64, 0..2_usize, kind));
    let numbers = (any::<u32>(), 200..3000_u64, 1..3_u32);
    (mode, numbers, failure).prop_map(|(mode, (seed, objective, sources), failure)| {
        params(|it| {
            it.scenario.recovery.failures = failure
                .map(|(at_ms, vertex, kind)| ScenarioFailure { at_ms, vertex, subtask: 0, kind })
                .into_iter()
                .collect();
            it.scenario.recovery.restart_delay_ms = 50;
            it.scenario.recovery.heartbeat =
                Heartbeat { interval_ms: 100, timeout_ms: 400, rpc_failure_threshold: 2 };
            it.objective_ms = Some(objective);
            it.parts = all_parts();
            it.scenario.seed = seed;
            it.scenario.run_ms = 2000;
            it.scenario.vertices[0].parallelism = sources;
            it.scenario.vertices[0].source.as_mut().expect("a source").rate = vec![150.0];
            it.scenario.vertices[1].service = vec![ServiceTime::Exponential { mean_us: 8000.0 }];
            it.scenario.checkpointing.mode = mode;
            it.scenario.checkpointing.interval_ms = 500;
            it.scenario.checkpointing.timeout_ms = 1500;
            it.scenario.checkpointing.first_trigger_ms = Some(200);
            it.scenario.checkpointing.tolerable_failed_checkpoints = 5;
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn the_answer_does_not_depend_on_the_slices(params in small(), slice in 1..70_000_u64, limit in 0..4_u64) {
        // Sometimes the limit on the work is reached.
        let limit = if limit == 0 { 200_000 } else { MAX_EVENTS };
        let new = || WhatIf::with_limit(params.clone(), limit).expect("the params can be");
        let whole = new().finish();
        let mut sliced = new();
        while !sliced.advance(slice).done {}
        prop_assert_eq!(&sliced.answer(), &whole);
        let stopped = whole.findings.iter().any(|it| it.code == "whatIfLimit");
        prop_assert_eq!(stopped, !whole.value.is_complete);
        prop_assert!(whole.value.events <= limit);
    }
}
