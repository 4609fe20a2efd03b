//! Tests over the recorded scenarios: each is played, and its path walked through the relation that
//! the explorer goes by.
//!
//! Source: the recorded scenarios.

use serde_json::{Map, Value, json};

use super::driver::Player;
use super::event::{Completion, Event, Sink};
use super::params::PlayParams;
use super::relation::{Limits, coordinator_steps, job_steps, same_settings, step};
use super::state::{Phase, State};

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

/// What has no step of its own in the relation, because it is not the protocol's: a broker that begins
/// or ceases to refuse (an exploration knows one such refusal and adds it itself); a coordinator that
/// moves, which changes nothing; an end of the input and a committer that has used up its tries, which
/// only a clock brings about; a savepoint, which nobody is told of. A start with other settings is the
/// explorer's too, but from its bounds; a start from a savepoint, or from a checkpoint that an older start
/// went back behind, is not.
fn is_from_outside(state: &State, event: Event) -> bool {
    match event {
        Event::Refuse { .. }
        | Event::FailOver
        | Event::Finish { .. }
        | Event::GiveUp { .. }
        | Event::Complete { kind: Completion::Savepoint, .. } => true,
        Event::Restore { job, with } => {
            let newest = state.job(job).completed;
            let is_known = with.from > 0 && with.from <= newest || with.from == newest;
            !is_known || state.job(job).is_finished
        }
        _ => false,
    }
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
        | Event::CutOff { job }
        | Event::Restore { job, .. }
        | Event::ZombieSend { job, .. }
        | Event::ZombieCommit { job, .. }
        | Event::Crash { job } => job,
        _ => 0,
    }
}

/// The event as the relation lists it: with the settings that the job has, and without the clock.
fn as_listed(state: &State, event: Event) -> Event {
    match event {
        Event::Recommit { job, lane, .. } => Event::Recommit { job, lane, is_late: false },
        Event::Restore { job, with } => {
            Event::Restore { job, with: same_settings(state, job, with.from) }
        }
        other => other,
    }
}

/// A table has one committer for all subtasks: whoever begins, it commits what any of them wrote.
fn is_of_one_committer(sink: Sink, event: Event, listed: &[Event]) -> bool {
    let Event::Commit { job, .. } = event else { return false };
    let is_commit = |it: &Event| matches!(*it, Event::Commit { job: of, .. } if of == job);
    sink == Sink::Table && listed.iter().any(is_commit)
}

/// A send of many records as the explorer's sends of one each.
fn single_steps(state: &State, event: Event) -> Vec<Event> {
    let (job, lane, to, is_zombie) = match event {
        Event::Write { job, lane, to } => (job, lane, to, false),
        Event::ZombieSend { job, lane, to } => (job, lane, to, true),
        other => return vec![other],
    };
    let by = state.job(job).parallelism;
    let here = &state.lanes[lane as usize];
    let task = if is_zombie { here.zombies } else { here.tasks }[job as usize];
    let whole = (task.position + by..=to).step_by(by as usize);
    let single = |to| match is_zombie {
        true => Event::ZombieSend { job, lane, to },
        false => Event::Write { job, lane, to },
    };
    whole.map(single).collect()
}

/// Whether who sends is still there: the broker may have refused the send before.
fn can_send(state: &State, event: Event) -> bool {
    match event {
        Event::Write { job, .. } => state.job(job).is_up,
        Event::ZombieSend { job, lane, .. } => {
            state.lanes[lane as usize].zombies[job as usize].phase == Phase::Running
        }
        _ => true,
    }
}

/// Walks the path of a scenario through the relation.
#[track_caller]
pub fn walk(id: &str, player: &Player) {
    let mut state = player.initial.clone();
    let mut listed = Vec::new();
    for event in &player.path {
        let mut stepwise = state.clone();
        for single in single_steps(&state, *event) {
            if !can_send(&stepwise, single) {
                break;
            }
            listed.clear();
            // A crash, and a cut off whose tasks live on, are listed in each other's place.
            for zombies in [false, true] {
                let limits = Limits { zombies, ..ALL };
                job_steps(&stepwise, job_of(single), &limits, &mut listed);
            }
            coordinator_steps(&stepwise, &ALL, &mut listed);
            let is_legal = listed.contains(&as_listed(&stepwise, single))
                || is_of_one_committer(player.rules.sink, single, &listed)
                || is_from_outside(&stepwise, single);
            assert!(is_legal, "{id}: {single:?} is not among {listed:?}");
            step(&mut stepwise, single, &player.rules, &mut ()).expect("it can happen");
        }
        step(&mut state, *event, &player.rules, &mut ()).expect("it can happen");
        if matches!(event, Event::Write { .. } | Event::ZombieSend { .. })
            && can_send(&stepwise, *event)
        {
            // The rest of a send that is no multiple of the parallelism.
            step(&mut stepwise, *event, &player.rules, &mut ()).ok();
        }
        assert!(state == stepwise, "{id}: {event:?} in single steps ends elsewhere");
    }
    assert!(state == player.state, "{id}: the path does not lead to the driver's state");
}

#[test]
fn the_path_of_each_scenario_is_one_the_explorer_may_take() {
    for (id, params) in scenarios() {
        walk(&id, &Player::new(&params).play().expect("it is played"));
    }
}

#[test]
fn flink_notices_only_what_the_break_itself_causes() {
    use super::report::Notices::{Fails, Logs, Nothing};
    for (id, notices, decided) in [
        // A dropped commit is a line in the log.
        ("A05p", Logs, Some("E3")),
        ("B03", Logs, Some("E2")),
        ("B04", Fails, Some("E2")),
        ("C01", Fails, Some("E1")),
        ("E14", Nothing, Some("E5")),
    ] {
        let all = scenarios();
        let (_, params) = all.iter().find(|it| it.0 == id).expect("it is recorded");
        let report = super::play_transactions(params).expect("it is played").value;
        let inequality = report.inequality.map(|it| it.id);
        assert_eq!((report.flink_notices, inequality), (notices, decided), "{id}");
    }
    for (id, params) in scenarios() {
        use super::report::Outcome::{DataLoss, Duplicates, ExactlyOnce, StuckConsumers};
        let report = super::play_transactions(&params).expect("it is played").value;
        let is_quiet = matches!(report.outcome, Duplicates | ExactlyOnce | StuckConsumers);
        assert!(!is_quiet || report.flink_notices == Nothing, "{id}");
        // What is refused is logged, and a loss that nothing was refused for is not.
        let is_refused = report.log_lines.iter().any(|it| it.logger == "KafkaCommitter");
        if report.outcome == DataLoss && is_refused {
            assert_ne!(report.flink_notices, Nothing, "{id}");
        }
        assert!(report.outcome != Duplicates || report.inequality.is_some(), "{id}");
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
