//! Tests over the recorded scenarios: each is played, and its path walked through the relation that
//! the explorer goes by.
//!
//! Source: the recorded scenarios.

use serde_json::{Map, Value, json};

use super::driver::Player;
use super::event::{Completion, Event};
use super::params::PlayParams;
use super::relation::{Limits, coordinator_steps, job_steps, step};
use super::state::State;

const ALL: Limits = Limits {
    input: u32::MAX,
    checkpoints: u32::MAX,
    crashes: true,
    timeouts: true,
    declines: true,
    lost_notifications: true,
    expiries: true,
    older_restores: true,
    zombies: false,
};

fn camel(value: &Value) -> Value {
    let named = value.as_object().into_iter().flatten().map(|(name, value)| {
        let words = name.split('_').enumerate();
        let camel = words.map(|(at, word)| match at {
            0 => word.to_owned(),
            _ => word[..1].to_uppercase() + &word[1..],
        });
        (camel.collect::<String>(), value.clone())
    });
    Value::Object(named.collect::<Map<_, _>>())
}

fn scenarios() -> Vec<(String, PlayParams)> {
    let rows = include_str!("../../tests/oracle/transactions/scenarios.jsonl").lines();
    rows.map(|row| {
        let row: Value = serde_json::from_str(row).expect("a row is JSON");
        let faults: Vec<Value> =
            row["faults"].as_array().into_iter().flatten().map(camel).collect();
        let params = json!({ "settings": camel(&row["params"]), "faults": faults });
        let params = serde_json::from_value(params).expect("the params parse");
        (row["id"].as_str().unwrap_or_default().to_owned(), params)
    })
    .collect()
}

/// What the driver does that the explorer has no own event for: settings and the environment change,
/// or someone acts outside the protocol.
fn is_from_outside(event: Event) -> bool {
    matches!(
        event,
        Event::Refuse { .. }
            | Event::FailOver
            | Event::Restore { .. }
            | Event::CutOff { .. }
            | Event::Finish { .. }
            | Event::GiveUp { .. }
            | Event::ZombieSend { .. }
            | Event::ZombieCommit { .. }
            | Event::Complete { kind: Completion::Savepoint, .. }
    )
}

fn job_of(event: Event) -> u8 {
    match event {
        Event::Write { job, .. }
        | Event::Barrier { job, .. }
        | Event::Complete { job, .. }
        | Event::Decline { job }
        | Event::Commit { job, .. }
        | Event::Recommit { job, .. }
        | Event::Open { job, .. }
        | Event::Crash { job } => job,
        _ => 0,
    }
}

/// A send of many records as the explorer's sends of one each.
fn single_steps(state: &State, event: Event) -> Vec<Event> {
    let Event::Write { job, lane, to } = event else { return vec![event] };
    let by = state.job(job).parallelism;
    let from = state.task(job, lane as usize).position;
    let whole = (from + by..=to).step_by(by as usize);
    whole.map(|to| Event::Write { job, lane, to }).collect()
}

#[test]
fn the_path_of_each_scenario_is_one_the_explorer_may_take() {
    for (id, params) in scenarios() {
        let player = Player::new(&params).play().expect("it is played");
        let mut state = player.initial.clone();
        let mut listed = Vec::new();
        for event in &player.path {
            let mut stepwise = state.clone();
            for single in single_steps(&state, *event) {
                if matches!(single, Event::Write { job, .. } if !stepwise.job(job).is_up) {
                    // The first of them was refused, and the job failed.
                    break;
                }
                listed.clear();
                job_steps(&stepwise, job_of(single), &ALL, &mut listed);
                coordinator_steps(&stepwise, &ALL, &mut listed);
                let plain = match single {
                    Event::Recommit { job, lane, .. } => {
                        Event::Recommit { job, lane, is_late: false }
                    }
                    other => other,
                };
                let is_legal = listed.contains(&plain) || is_from_outside(single);
                assert!(is_legal, "{id}: {single:?} is not among {listed:?}");
                step(&mut stepwise, single, &player.rules, &mut ()).expect("it can happen");
            }
            step(&mut state, *event, &player.rules, &mut ()).expect("it can happen");
            if let Event::Write { to, job, lane } = *event
                && stepwise.job(job).is_up
            {
                // The rest of a send that is no multiple of the parallelism.
                step(&mut stepwise, Event::Write { job, lane, to }, &player.rules, &mut ()).ok();
            }
            assert!(state == stepwise, "{id}: {event:?} in single steps ends elsewhere");
        }
        assert!(state == player.state, "{id}: the path does not lead to the driver's state");
    }
}

#[test]
fn the_driver_says_what_the_scenarios_explain() {
    // Not compared by the recordings' rules, but these are what their notes say.
    for (id, step, alarm) in [
        ("A05p", "recommit@cp3:PRODUCER_FENCED", Some("PRODUCER_FENCED")),
        ("B03", "commit@cp1:INVALID_TXN_STATE", Some("INVALID_TXN_STATE")),
        ("B04", "send@cp1:INVALID_PRODUCER_EPOCH", None),
        ("C01", "initTransactions:INVALID_TRANSACTION_TIMEOUT", None),
        ("C04", "snapshotState@cp3:INVALID_TRANSACTION_TIMEOUT", None),
        ("E14", "fetch:lso_below_committed", Some("PRODUCER_FENCED")),
        ("E17", "restoreWriter:naming_strategy_switch_back", None),
    ] {
        let all = scenarios();
        let (_, params) = all.iter().find(|it| it.0 == id).expect("it is recorded");
        let report = super::play_transactions(params).expect("it is played").value;
        let violation = report.first_violation.expect("it breaks the promise");
        assert_eq!((violation.step.as_str(), report.alarm), (step, alarm), "{id}");
        assert!(violation.trace_index.is_some(), "{id}: the step is in the trace");
    }
}
