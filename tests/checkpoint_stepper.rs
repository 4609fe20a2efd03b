//! The barrier rules on explicit records: the named examples to the number, and every order of steps
//! of them and of random small ones.
#![cfg(not(target_arch = "wasm32"))]

use proptest::prelude::*;
use weir::checkpoint::stepper::example::Example;
use weir::checkpoint::stepper::explore::{ExploreReport, PropertyKind, STATES_MAX, explore};
use weir::checkpoint::stepper::presets::presets;
use weir::checkpoint::stepper::relation::Step;
use weir::checkpoint::stepper::report::{StepperReport, TransactionWord};
use weir::checkpoint::stepper::{
    SinkKind, StepMode, StepperError, StepperParams, StepperScenario, step_question,
};

fn scenario(mode: StepMode, sink: SinkKind, tasks: &[&[&str]]) -> StepperScenario {
    let texts = |task: &&[&str]| task.iter().map(|text| (*text).to_owned()).collect();
    StepperScenario { mode, sink, tasks: tasks.iter().map(texts).collect() }
}

#[track_caller]
fn run(scenario: &StepperScenario, steps: &[Step]) -> StepperReport {
    let params = StepperParams { scenario: scenario.clone(), steps: steps.to_vec() };
    step_question(&params).expect("every step is possible").value
}

#[track_caller]
fn all_orders(scenario: &StepperScenario, failures: u8) -> ExploreReport {
    let example = Example::read(scenario).expect("it can be read");
    let report = explore(&example, failures, STATES_MAX);
    assert!(report.is_complete, "{} states are not all: {scenario:?}", report.states);
    report
}

fn sum(report: &StepperReport, key: &str) -> Option<i64> {
    report.tasks[0].sums.iter().find(|it| it.key == key).map(|it| it.sum)
}

fn broken(report: &ExploreReport) -> Vec<&str> {
    let is_broken = |it: &&weir::checkpoint::stepper::explore::Property| {
        it.kind == PropertyKind::Always && !it.holds
    };
    report.properties.iter().filter(is_broken).map(|it| it.id).collect()
}

fn shown(report: &ExploreReport, id: &str) -> bool {
    report.properties.iter().find(|it| it.id == id).is_some_and(|it| it.holds)
}

fn statuses(report: &StepperReport) -> Vec<TransactionWord> {
    report.tasks[0].transactions.iter().map(|it| it.status).collect()
}

#[test]
fn barriers_meet_transactions_to_the_number() {
    let preset = presets().into_iter().find(|it| it.id == "transactions").expect("it is there");
    let upto = |count: usize| run(&preset.scenario, &preset.steps[..count]);
    // 50 and 25 for A, 80 for B.
    let before = upto(3);
    assert_eq!((sum(&before, "A"), sum(&before, "B")), (Some(75), Some(80)));
    // The barrier on channel 0: 100 is held back.
    let blocked = upto(4);
    assert!(blocked.channels[0].is_blocked && !blocked.channels[1].is_blocked);
    let held = &blocked.channels[0].items[2];
    assert_eq!((held.text.as_str(), held.step), ("A:100", None));
    let step = Step::Deliver { channel: 0 };
    let refused = StepperParams {
        scenario: preset.scenario.clone(),
        steps: [&preset.steps[..4], &[step]].concat(),
    };
    let reason = "Channel 0 is blocked until barrier 1 has come on channel 1.".to_owned();
    let error = step_question(&refused).expect_err("the channel is blocked");
    assert_eq!(error, StepperError::Step { number: 5, reason });
    // The barrier on channel 1: the snapshot says 75; pre-commit shows nothing.
    let snapshot = upto(5);
    let part = &snapshot.completed.as_ref().expect("it is complete").parts[0];
    assert_eq!((part.sums[0].sum, part.sums[1].sum), (75, 80));
    assert_eq!(statuses(&snapshot), [TransactionWord::PreCommitted, TransactionWord::Open]);
    assert_eq!(snapshot.visible, Vec::<String>::new());
    // What was held back follows: the live sum is 175, the snapshot still says 75.
    let live = upto(6);
    assert_eq!(sum(&live, "A"), Some(175));
    assert_eq!(live.completed.as_ref().expect("it is complete").parts[0].sums[0].sum, 75);
    // The commit shows the results.
    let committed = upto(7);
    assert_eq!(statuses(&committed), [TransactionWord::Committed, TransactionWord::Open]);
    assert_eq!(committed.visible, ["A=50", "A=75", "B=80"]);
    // 999 arrives and goes into transaction 2; the worker dies.
    let arrived = upto(8);
    assert_eq!(sum(&arrived, "A"), Some(1174));
    assert_eq!(arrived.tasks[0].transactions[1].results, ["A=175", "A=1174"]);
    assert!(upto(9).is_down);
    let restored = upto(10);
    assert_eq!(sum(&restored, "A"), Some(75));
    let want = [TransactionWord::Committed, TransactionWord::Aborted, TransactionWord::Open];
    assert_eq!(statuses(&restored), want);
    assert_eq!(restored.visible, ["A=50", "A=75", "B=80"]);
    assert!(restored.verdict.contains("Transaction 2 is aborted."), "{}", restored.verdict);
}

#[test]
fn every_preset_can_be_followed_to_its_end() {
    for preset in presets() {
        let report = run(&preset.scenario, &preset.steps);
        assert_eq!(report.log.len(), preset.steps.len(), "{}", preset.id);
    }
    let end = |id: &str| {
        let preset = presets().into_iter().find(|it| it.id == id).expect("it is there");
        run(&preset.scenario, &preset.steps)
    };
    let unaligned = end("unaligned");
    let part = &unaligned.completed.as_ref().expect("it is complete").parts[0];
    assert_eq!(
        (part.sums[0].sum, part.in_flight.clone()),
        (50, vec!["A:25".into(), "B:80".into()])
    );
    assert_eq!((sum(&unaligned, "A"), sum(&unaligned, "B")), (Some(75), Some(80)));
    assert_eq!(sum(&end("atLeastOnce"), "A"), Some(275), "100 counts twice");
    let lost = end("lostNotification");
    assert_eq!(lost.visible, ["A=50", "A=75"], "the restore commits");
}

#[test]
fn all_orders_of_the_exactly_once_presets_keep_every_promise() {
    for preset in presets().iter().filter(|it| it.scenario.mode != StepMode::AtLeastOnce) {
        let report = all_orders(&preset.scenario, 1);
        assert_eq!(broken(&report), [""; 0], "{}: {}", preset.id, report.verdict);
        assert!(shown(&report, "completes") && shown(&report, "restores"), "{}", preset.id);
        let overtakes = matches!(preset.scenario.mode, StepMode::Timeout | StepMode::Unaligned);
        assert_eq!(shown(&report, "overtakes"), overtakes, "{}", preset.id);
        let blocks = matches!(preset.scenario.mode, StepMode::Timeout | StepMode::Aligned);
        assert_eq!(shown(&report, "blocks"), blocks, "{}", preset.id);
    }
}

#[test]
fn at_least_once_counts_a_record_twice_and_the_shortest_run_shows_it() {
    let scenario = scenario(StepMode::AtLeastOnce, SinkKind::None, &[&["A:50 | A:100", "A:25 |"]]);
    let report = all_orders(&scenario, 1);
    assert_eq!(broken(&report), ["consistentCut", "countedOnce"]);
    let twice = report.properties.iter().find(|it| it.id == "countedOnce").expect("it is there");
    let steps = twice.run.as_ref().expect("a run");
    // Three records, two barriers, death, restore and the record again: nothing shorter does it.
    assert_eq!(steps.len(), 8);
    let end = run(&scenario, steps);
    assert_eq!(sum(&end, "A"), Some(275));
    assert!(
        shown(&all_orders(&scenario, 0), "countedOnce"),
        "without a failure nothing comes again"
    );
    let verdict = report.verdict;
    assert!(verdict.starts_with("At least once does not promise more: 2 promises"), "{verdict}");
}

#[test]
fn at_least_once_before_a_sink_shows_results_twice() {
    let tasks: &[&[&str]] = &[&["A:1 | A:2 |", "|"]];
    let report = all_orders(&scenario(StepMode::AtLeastOnce, SinkKind::TwoPhaseCommit, tasks), 1);
    assert!(broken(&report).contains(&"countedOnce"));
    let tasks: &[&[&str]] = &[&["A:1 | A:2 |", "| |"]];
    let report = all_orders(&scenario(StepMode::AtLeastOnce, SinkKind::TwoPhaseCommit, tasks), 1);
    assert!(broken(&report).contains(&"seenOnce"), "{:?}", broken(&report));
}

/// A state space is small enough to be counted by hand: two channels of one record each.
#[test]
fn states_are_counted() {
    let two = scenario(StepMode::Aligned, SinkKind::None, &[&["A:1", "A:2"]]);
    let report = all_orders(&two, 0);
    assert_eq!((report.states, report.transitions, report.depth), (4, 4, 2));
    let one = scenario(StepMode::Aligned, SinkKind::None, &[&["A:1 |"]]);
    // Start, counted, complete; each of them dead; after a restore three of them once more.
    let report = all_orders(&one, 1);
    assert_eq!(report.states, 3 + 2 + 1 + 3);
    assert_eq!(report.properties.len(), 7, "no reader without a sink");
}

#[test]
fn a_search_that_is_cut_says_so() {
    let many = scenario(
        StepMode::Unaligned,
        SinkKind::None,
        &[&["A:1 B:2 A:3 | A:4 A:5", "A:6 A:7 | B:8", "A:9 A:10 | A:11"]],
    );
    let report = explore(&Example::read(&many).expect("it can be read"), 0, 50);
    assert!(!report.is_complete);
    assert_eq!(report.states, 50);
    assert!(report.verdict.contains("there are more than are looked at"), "{}", report.verdict);
}

#[test]
fn what_cannot_be_read_is_named() {
    let of = |text: &str| {
        let scenario = scenario(StepMode::Aligned, SinkKind::None, &[&["A:1", text]]);
        let params = StepperParams { scenario, steps: Vec::new() };
        weir::finding::Problem::from(step_question(&params).expect_err("it cannot be read"))
    };
    let problem = of("A:1 B");
    assert_eq!(
        (problem.code.as_str(), problem.field.as_deref()),
        ("stepper.item", Some("tasks[0][1]"))
    );
    assert_eq!(of("A:1e9").code, "stepper.value");
    assert_eq!(of("A:9223372036854775808").code, "stepper.value");
    assert_eq!(of("A:-9223372036854775808").code, "stepper.value");
    assert_eq!(of(":1").code, "stepper.item");
    assert_eq!(of(&"A:1 ".repeat(100)).code, "stepper.count");
    let lacks = scenario(StepMode::Aligned, SinkKind::None, &[&["A:1 |", "A:1"]]);
    let params = StepperParams { scenario: lacks, steps: Vec::new() };
    let findings = step_question(&params).expect("it can be read").findings;
    assert_eq!(findings[0].title, "Checkpoint 1 never completes.");
    let none = scenario(StepMode::Aligned, SinkKind::None, &[]);
    assert!(step_question(&StepperParams { scenario: none, steps: Vec::new() }).is_err());
    let missing = Step::Deliver { channel: 7 };
    let one = scenario(StepMode::Aligned, SinkKind::None, &[&["A:1"]]);
    assert!(step_question(&StepperParams { scenario: one, steps: vec![missing] }).is_err());
}

fn texts(channels: usize) -> impl Strategy<Value = Vec<String>> {
    let records = || prop::collection::vec(("[AB]", -9_i64..100), 0..=2);
    let join = |list: Vec<(String, i64)>| {
        list.iter().map(|(key, value)| format!("{key}:{value}")).collect::<Vec<_>>().join(" ")
    };
    let channel = (records(), records())
        .prop_map(move |(before, behind)| format!("{} | {}", join(before), join(behind)));
    prop::collection::vec(channel, channels)
}

fn exactly_once() -> impl Strategy<Value = StepMode> {
    prop::sample::select(vec![StepMode::Aligned, StepMode::Timeout, StepMode::Unaligned])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn all_orders_of_any_small_job_give_consistent_cuts(
        mode in exactly_once(),
        first in texts(2),
        sink in prop::bool::ANY,
    ) {
        let sink = if sink { SinkKind::TwoPhaseCommit } else { SinkKind::None };
        let scenario = StepperScenario { mode, sink, tasks: vec![first] };
        let example = Example::read(&scenario).expect("it can be read");
        let report = explore(&example, 1, STATES_MAX);
        prop_assert!(report.is_complete || sink != SinkKind::None, "{} states", report.states);
        prop_assert_eq!(broken(&report), [""; 0], "{}", report.verdict);
    }

    #[test]
    fn two_tasks_have_one_consistent_cut(mode in exactly_once(), a in texts(1), b in texts(2)) {
        let scenario = StepperScenario { mode, sink: SinkKind::None, tasks: vec![a, b] };
        let example = Example::read(&scenario).expect("it can be read");
        let report = explore(&example, 0, 20_000);
        prop_assert_eq!(broken(&report), [""; 0], "{}", report.verdict);
    }

    /// Every run that a search reports can be taken, and ends where it says.
    #[test]
    fn reported_runs_can_be_taken(first in texts(2)) {
        let scenario =
            StepperScenario { mode: StepMode::AtLeastOnce, sink: SinkKind::None, tasks: vec![first] };
        let example = Example::read(&scenario).expect("it can be read");
        for property in explore(&example, 1, STATES_MAX).properties {
            if let Some(steps) = property.run {
                let params = StepperParams { scenario: scenario.clone(), steps };
                prop_assert!(step_question(&params).is_ok(), "{}", property.id);
            }
        }
    }
}
