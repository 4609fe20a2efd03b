//! Scenarios that can be, and those that cannot.
//!
//! Source: the rules that `validate.rs` and `to_job.rs` name.

use super::*;
use crate::checkpoint::job::Plan;
use crate::checkpoint::samples;
use crate::finding::Problem;

fn refused(change: impl FnOnce(&mut Scenario)) -> Problem {
    let mut scenario = samples::scenario();
    change(&mut scenario);
    scenario.job().expect_err("this cannot be").into()
}

#[track_caller]
fn check(field: &str, code: &str, change: impl FnOnce(&mut Scenario)) {
    let problem = refused(change);
    assert_eq!(problem.field.as_deref(), Some(field), "{}", problem.message);
    assert_eq!(problem.code, code, "{}", problem.message);
}

#[test]
fn every_refusal_names_its_field() {
    samples::scenario().job().expect("it can be");
    check("runMs", "outOfRange", |it| it.run_ms = 0);
    check("vertices[0].source.rate[1]", "outOfRange", |it| {
        it.vertices[0].source.as_mut().expect("a source").rate = vec![1.0, -1.0];
    });
    check("vertices[1].service", "emptyList", |it| it.vertices[1].service.clear());
    check("vertices[1].source", "badGraph", |it| it.edges.clear());
    check("edges[0].to", "badGraph", |it| it.edges[0].from = 1);
    check("edges[0].to", "outOfRange", |it| it.edges[0].to = 7);
    check("edges[0].exchange", "badGraph", |it| {
        it.edges[0].exchange = Exchange::Forward;
        it.vertices[1].parallelism = 3;
    });
    check("edges[0].skew", "badGraph", |it| {
        it.edges[0].exchange = Exchange::Rebalance;
        it.edges[0].skew = Skew::HotKey { share: 0.5 };
    });
    check("network.floatingBuffersPerGate", "noFloatingBuffer", |it| {
        it.network.floating_buffers_per_gate = 0;
    });
    check("checkpointing.maxConcurrentCheckpoints", "concurrentUnaligned", |it| {
        it.checkpointing.mode = Mode::Unaligned;
        it.checkpointing.max_concurrent_checkpoints = 2;
    });
    check("recovery.failures[0].subtask", "outOfRange", |it| {
        it.recovery.failures.push(ScenarioFailure { subtask: 99, ..ScenarioFailure::default() });
    });
}

#[test]
fn what_would_not_end_is_refused_with_what_to_do() {
    check("vertices", "tooLarge", |it| {
        it.vertices[0].parallelism = 900;
        it.vertices[1].parallelism = 101;
    });
    check("edges", "tooLarge", |it| {
        it.vertices[0].parallelism = 500;
        it.vertices[1].parallelism = 500;
    });
    check("runMs", "tooLarge", |it| it.run_ms = super::validate::MAX_RUN_MS);
    check("checkpointing.intervalMs", "tooLarge", |it| {
        it.vertices[0].source.as_mut().expect("a source").rate = vec![1.0];
        it.run_ms = 10_000_000;
        it.checkpointing.interval_ms = 10;
    });
    let problem = refused(|it| it.vertices[0].parallelism = 1000);
    assert!(problem.message.contains("lower the parallelism"), "{}", problem.message);
}

#[test]
fn partitions_are_read_in_turn_and_a_subtask_without_one_offers_nothing() {
    let mut scenario = samples::scenario();
    scenario.vertices[0].parallelism = 4;
    let source = scenario.vertices[0].source.as_mut().expect("a source");
    source.partitions = Some(6);
    source.rate = vec![10.0, 1.0];
    let job = scenario.job().expect("it can be");
    let rate = &job.vertices[0].source.as_ref().expect("a source").rate;
    assert_eq!(format!("{rate:?}"), "[20.0, 2.0, 10.0, 1.0]");
    let source = scenario.vertices[0].source.as_mut().expect("a source");
    source.partitions = Some(3);
    let job = scenario.job().expect("it can be");
    let rate = &job.vertices[0].source.as_ref().expect("a source").rate;
    assert_eq!(format!("{rate:?}"), "[10.0, 1.0, 10.0, 0.0]");
}

#[test]
fn the_first_trigger_lies_between_pause_and_interval() {
    let mut scenario = samples::scenario();
    scenario.checkpointing.first_trigger_ms = None;
    scenario.checkpointing.min_pause_ms = 400;
    let mut seen = std::collections::BTreeSet::new();
    for seed in 0..40 {
        scenario.seed = seed;
        if let Plan::Periodic { first, .. } = scenario.job().expect("it can be").plan {
            assert!((400..=scenario.checkpointing.interval_ms).contains(&first.as_ms()));
            seen.insert(first.as_ms());
        }
    }
    assert!(seen.len() > 20, "{seen:?}");
}

#[test]
fn what_is_left_out_is_flinks_default() {
    let text = r#"{
        "vertices": [
            { "name": "source", "parallelism": 2, "source": { "rate": [100] } },
            { "name": "sink" }
        ],
        "edges": [{ "from": 0, "to": 1, "exchange": "hash", "recordBytes": 100 }],
        "runMs": 1000, "seed": 1
    }"#;
    let scenario: Scenario = serde_json::from_str(text).expect("it reads");
    assert_eq!(scenario.network, ScenarioNetwork::default());
    let error = serde_json::from_str::<Scenario>(&text.replace("runMs", "runMS"));
    assert!(error.expect_err("a misspelt field").to_string().contains("runMS"));
    scenario.job().expect("it can be");
}

#[test]
fn a_scenario_is_the_job_of_a_recording_with_the_same_numbers() {
    let params = samples::full_queue();
    let recorded = crate::checkpoint::simulate(&params, Mode::Aligned, &[], 1).expect("it can be");
    let described = crate::checkpoint::simulate_scenario(&samples::scenario()).expect("it can be");
    let first = |report: &crate::checkpoint::CheckpointReport| report.checkpoints[0].end_to_end_ms;
    assert_eq!(first(&recorded.value), first(&described.value));
    assert!(first(&described.value) > 7000);
}

#[test]
fn slots_keep_the_channels_between_their_subtasks_local() {
    let mut scenario = samples::scenario();
    scenario.vertices[0].parallelism = 4;
    scenario.vertices[1].parallelism = 4;
    scenario.run_ms = 1000;
    scenario.network.placement = Placement::Slots { slots_per_task_manager: 2 };
    let simulation = crate::checkpoint::Simulation::new(scenario.job().expect("it can be"));
    let remote = simulation.network.channels.iter().filter(|it| it.remote).count();
    assert_eq!((remote, simulation.network.channels.len()), (8, 16));
}
