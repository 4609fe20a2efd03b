//! What became of each record, and of the promise.

use super::driver::{Player, Timed};
use super::event::{Answer, Cause, Completion, Fact, Failure};
use super::inequality::{self, Ages};
use super::ledger::{Ledger, Life};
use super::names;
use super::params::Isolation;
use super::report::{Inequality, Notices, Outcome, Violation, Visible};
use super::state::{JOBS, Refusal};
use crate::units::parts;

/// Copies of each source position.
pub struct Counts {
    pub committed: Vec<u32>,
    pub appended: Vec<u32>,
    /// When the first record was written of which there was a committed one, or any, before.
    pub committed_again_at: Option<u64>,
    pub appended_again_at: Option<u64>,
    pub read_committed: u64,
    pub blocked_ms: u64,
}

pub struct Verdict {
    pub outcome: Outcome,
    pub because: String,
    pub committed: u64,
    pub duplicates: u64,
    pub lost: u64,
    pub undelivered: u64,
    pub visible: Visible,
    pub blocked_ms: u64,
    pub violation: Option<Violation>,
    pub alarm: Option<&'static str>,
    pub flink_notices: Notices,
    pub inequality: Option<Inequality>,
}

fn count(player: &Player, ledger: &Ledger) -> Counts {
    let job = player.judged();
    let end = player.now;
    let input = player.input as usize;
    let mut counts = Counts {
        committed: vec![0; input],
        appended: vec![0; input],
        committed_again_at: None,
        appended_again_at: None,
        read_committed: 0,
        blocked_ms: 0,
    };
    for entry in ledger.records(job) {
        let accepted = ledger.accepted_at(entry);
        let first = (entry.from..entry.to).find(|it| it % entry.of == entry.lane);
        let positions = first.into_iter().flat_map(|it| (it..entry.to).step_by(entry.of as usize));
        for position in positions.filter(|it| (*it as usize) < input) {
            let appended = &mut counts.appended[position as usize];
            *appended += 1;
            if *appended > 1 {
                counts.appended_again_at.get_or_insert(entry.at);
            }
            if accepted.is_some() {
                let committed = &mut counts.committed[position as usize];
                *committed += 1;
                if *committed > 1 {
                    counts.committed_again_at.get_or_insert(entry.at);
                }
            }
        }
        if let Some(accepted) = accepted {
            let stable = entry.stable_at;
            if stable.is_some() {
                counts.read_committed += u64::from(entry.records);
            }
            let waited = stable.unwrap_or(end).saturating_sub(accepted);
            counts.blocked_ms = counts.blocked_ms.max(waited);
        }
    }
    counts
}

/// Where the newest completed checkpoint of the judged job lets its source go on.
fn newest_position(player: &Player) -> u32 {
    let job = player.judged();
    let newest = player.facts.iter().rev().find_map(|it| match it.fact {
        Fact::Completed { job: of, checkpoint, kind } if of == job => {
            let stops = player.runs[job as usize].stop_after == Some(checkpoint);
            (kind != Completion::Savepoint || stops).then_some(checkpoint)
        }
        _ => None,
    });
    let lanes = player.state.lanes.first();
    let snapshot = newest.and_then(|it| lanes?.snapshot(job, it));
    snapshot.map_or(player.runs[job as usize].with.position, |it| it.position)
}

pub fn judge(player: &Player, ledger: &Ledger) -> Verdict {
    let job = player.judged();
    let it = player.settings;
    let mut counts = count(player, ledger);
    let run = &player.runs[job as usize];
    let owner = player.state.job(job);
    let goes_on = owner.is_up || owner.is_finished;
    let newest = if goes_on { player.input } else { newest_position(player) } as usize;
    let newest = newest.min(counts.committed.len());
    if player.rules.sink == super::event::Sink::Upsert {
        // A row written again is the same row.
        for copies in counts.committed.iter_mut().chain(&mut counts.appended) {
            *copies = (*copies).min(1);
        }
    }
    let sum = |copies: &[u32]| copies.iter().map(|it| u64::from(*it)).sum::<u64>();
    let (seen, again_at) = match it.isolation {
        Isolation::ReadCommitted => (&counts.committed, counts.committed_again_at),
        Isolation::ReadUncommitted => (&counts.appended, counts.appended_again_at),
    };
    let duplicates = seen.iter().map(|it| u64::from(it.saturating_sub(1))).sum();
    let lost = seen[..newest].iter().filter(|it| **it == 0).count() as u64;
    let undelivered = counts.committed[newest..].iter().filter(|it| **it == 0).count() as u64;
    let skipped = u64::from(player.skipped) * u64::from(it.records_per_interval);
    let is_upsert = player.rules.sink == super::event::Sink::Upsert;
    let committed = sum(&counts.committed);
    let visible = Visible {
        read_committed: if is_upsert { committed } else { counts.read_committed } + skipped,
        read_uncommitted: sum(&counts.appended) + skipped,
    };
    let usual = 2 * (it.checkpoint_interval_ms + it.checkpoint_duration_ms);
    let patience = it.patience_ms.unwrap_or(usual);
    let is_stuck = it.isolation == Isolation::ReadCommitted && counts.blocked_ms > patience;
    let last_failure = run.gave_up_at;
    let scenario_start = run.attempts.iter().rposition(|it| it.by_scenario).unwrap_or(0);
    let tried = &run.attempts[scenario_start.min(run.attempts.len())..];
    let never_ran = !tried.iter().any(|it| it.reached_running);
    let first_failure = tried.iter().find_map(|it| it.failed_at);
    let got_further = player.facts.iter().any(|it| {
        matches!(it.fact, Fact::Completed { job: of, .. } if of == job)
            && first_failure.is_some_and(|failed| it.at > failed)
    });
    let outcome = if last_failure.is_some() && never_ran {
        Outcome::JobFailsToStart
    } else if last_failure.is_some() && !got_further {
        Outcome::RestartLoop
    } else if lost > 0 {
        Outcome::DataLoss
    } else if duplicates > 0 {
        Outcome::Duplicates
    } else if is_stuck {
        Outcome::StuckConsumers
    } else if last_failure.is_some() {
        Outcome::RestartLoop
    } else {
        Outcome::ExactlyOnce
    };
    let ages = ages(player, ledger);
    let violation = violation(player, ledger, outcome, again_at);
    let mut because =
        because(outcome, it.isolation, lost, duplicates, undelivered, counts.blocked_ms);
    if outcome == Outcome::StuckConsumers {
        let whose = if it.patience_ms.is_some() { "" } else { ", twice the interval and duration" };
        because += &format!(" Stuck is what waits for more than {}{whose}.", parts(patience));
    }
    Verdict {
        outcome,
        because,
        committed: committed + skipped,
        duplicates,
        lost,
        undelivered,
        visible,
        blocked_ms: counts.blocked_ms,
        violation,
        alarm: alarm(player),
        flink_notices: notices(player, ledger, outcome),
        inequality: inequality::deciding(player, outcome, &ages, counts.blocked_ms, again_at),
    }
}

fn because(
    outcome: Outcome,
    isolation: Isolation,
    lost: u64,
    duplicates: u64,
    undelivered: u64,
    blocked_ms: u64,
) -> String {
    let reader = match isolation {
        Isolation::ReadCommitted => "read_committed",
        Isolation::ReadUncommitted => "read_uncommitted",
    };
    match outcome {
        Outcome::JobFailsToStart => {
            format!("The job never runs; {undelivered} records are still in the source.")
        }
        Outcome::RestartLoop => format!(
            "The job fails again and again and gets no further; {undelivered} records are still in the source."
        ),
        Outcome::DataLoss => format!(
            "{lost} records belong to completed checkpoints, and a {reader} reader will never see them."
        ),
        Outcome::Duplicates => {
            format!("A {reader} reader sees {duplicates} copies beyond the first.")
        }
        Outcome::StuckConsumers => format!(
            "Nothing is lost, but a read_committed reader waits {} for records that are committed.",
            parts(blocked_ms)
        ),
        Outcome::ExactlyOnce => format!("A {reader} reader sees each record once."),
    }
}

/// What Flink does because of the outcome; what fails for other reasons does not count.
fn notices(player: &Player, ledger: &Ledger, outcome: Outcome) -> Notices {
    let judged = player.judged();
    match outcome {
        Outcome::JobFailsToStart | Outcome::RestartLoop => return Notices::Fails,
        Outcome::DataLoss => {}
        // A replay is what a restart is for, and nobody in the job knows of its readers.
        Outcome::Duplicates | Outcome::StuckConsumers | Outcome::ExactlyOnce => {
            return Notices::Nothing;
        }
    }
    let is_lost = |lane: u32, txn: u32| {
        ledger.lives.get(&(lane, txn)).is_none_or(|it| it.commit_accepted_at.is_none())
    };
    let mut notices = Notices::Nothing;
    for (at, it) in player.facts.iter().enumerate() {
        let Fact::EndTxn { job, lane, txn, answer, is_zombie: false, .. } = it.fact else {
            continue;
        };
        if job != judged || names::error(answer).is_none() || !is_lost(lane, txn) {
            continue;
        }
        // The old sink throws when it has tried the others, still within this moment.
        let moment = player.facts[at..].iter().take_while(|other| other.at == it.at);
        let throws = moment.filter_map(|other| match other.fact {
            Fact::Failed { job, failure, .. } if job == judged => Some(failure),
            _ => None,
        });
        let mut throws =
            throws.filter(|it| matches!(it, Failure::CommitFailed(_) | Failure::InvalidPidMapping));
        if throws.next().is_some() {
            return Notices::Fails;
        }
        notices = Notices::Logs;
    }
    notices
}

/// The first error that a commit or send of the judged job was given.
fn alarm(player: &Player) -> Option<&'static str> {
    let judged = player.judged();
    player.facts.iter().find_map(|it| match it.fact {
        Fact::EndTxn { job, answer, is_zombie: false, .. } if job == judged => names::error(answer),
        _ => None,
    })
}

/// How old transactions were when the decision fell, the oldest first.
fn ages(player: &Player, ledger: &Ledger) -> Vec<Ages> {
    let judged = player.judged();
    let mut ages: Vec<Ages> = player
        .facts
        .iter()
        .filter_map(|it| match it.fact {
            Fact::EndTxn { job, lane, txn, answer, restored, is_zombie: false }
                if job == judged =>
            {
                let life = ledger.lives.get(&(lane, txn))?;
                let is_lost = !matches!(answer, Answer::Accepted | Answer::Already)
                    && life.cause == Some(Cause::Timeout);
                let id = player.lane(lane).txn(txn).id as usize;
                let clock = player.clocks.get(lane as usize)?.get(id)?;
                let is_first = answer != Answer::Already;
                is_first.then(|| Ages {
                    age: it.at - life.started_at.min(it.at),
                    timeout: clock.timeout,
                    restored,
                    is_lost,
                    checkpoint: life.checkpoint,
                })
            }
            _ => None,
        })
        .collect();
    ages.sort_by_key(|it| (std::cmp::Reverse(it.is_lost), std::cmp::Reverse(it.age)));
    ages
}

/// The step that the scenarios name as the first that breaks the promise.
fn violation(
    player: &Player,
    ledger: &Ledger,
    outcome: Outcome,
    again_at: Option<u64>,
) -> Option<Violation> {
    let judged = player.judged();
    let found =
        |at: &Timed, step: String| Some(Violation { step, at_ms: at.at, trace_index: None });
    let is_gone = |lane: u32, txn: u32| {
        let life = ledger.lives.get(&(lane, txn)).copied().unwrap_or_default();
        life.commit_accepted_at.is_none()
    };
    match outcome {
        Outcome::ExactlyOnce => None,
        Outcome::JobFailsToStart | Outcome::RestartLoop => {
            let starts = player.runs[judged as usize].attempts.iter().rfind(|it| it.by_scenario)?;
            player.facts.iter().find_map(|it| match it.fact {
                Fact::Failed { job, checkpoint, failure, .. }
                    if job == judged && it.at >= starts.started_at =>
                {
                    let is_snapshot = player.facts.iter().any(|other| {
                        other.at == it.at
                            && matches!(other.fact, Fact::PreCommitted { job, .. } if job == judged)
                    });
                    found(it, failed_step(failure, checkpoint, is_snapshot))
                }
                _ => None,
            })
        }
        Outcome::DataLoss => player
            .facts
            .iter()
            .find_map(|it| match it.fact {
                Fact::EndTxn { job, lane, txn, answer, restored, is_zombie: false }
                    if job == judged && is_gone(lane, txn) =>
                {
                    let error = names::error(answer)?;
                    let step = if restored { "recommit" } else { "commit" };
                    let checkpoint = player.lane(lane).txn(txn).checkpoint;
                    found(it, format!("{step}@cp{checkpoint}:{error}"))
                }
                _ => None,
            })
            .or_else(|| {
                player.facts.iter().find_map(|it| match it.fact {
                    Fact::Finished { job } if job == judged => {
                        found(it, "close:open_txn_never_committed".to_owned())
                    }
                    _ => None,
                })
            }),
        Outcome::Duplicates => {
            // The restart whose replay wrote the first copy; the ones before it did no harm.
            let until = again_at?;
            let restart = player.facts.iter().rfind(|it| {
                let is_restart = matches!(it.fact, Fact::Restored { job, .. } if job == judged);
                is_restart && it.at > 0 && it.at <= until
            })?;
            let is_transactional = player.state.job(judged).is_transactional;
            let step = match player.settings.isolation {
                Isolation::ReadUncommitted if is_transactional => "consume:read_uncommitted",
                _ if is_transactional => "restore:older_than_last_commit",
                _ => "restore:replay",
            };
            found(restart, step.to_owned())
        }
        Outcome::StuckConsumers => {
            let end = player.now;
            let held = ledger
                .records(judged)
                .filter_map(|entry| {
                    let accepted = ledger.accepted_at(entry)?;
                    Some((entry.stable_at.unwrap_or(end) - accepted, accepted))
                })
                .max()?;
            Some(Violation {
                step: "fetch:lso_below_committed".to_owned(),
                at_ms: held.1,
                trace_index: None,
            })
        }
    }
}

fn failed_step(failure: Failure, checkpoint: u32, is_snapshot: bool) -> String {
    match failure {
        Failure::InvalidProducerEpoch => format!("send@cp{checkpoint}:INVALID_PRODUCER_EPOCH"),
        Failure::Refused(Refusal::TimeoutTooLarge) if is_snapshot => {
            format!("snapshotState@cp{checkpoint}:INVALID_TRANSACTION_TIMEOUT")
        }
        Failure::Refused(Refusal::TimeoutTooLarge) => {
            "initTransactions:INVALID_TRANSACTION_TIMEOUT".to_owned()
        }
        Failure::Refused(Refusal::Denied) => "restoreWriter:AUTHORIZATION_FAILED".to_owned(),
        Failure::Refused(Refusal::SamePrefixInJvm) => "createWriter:duplicate_prefix".to_owned(),
        Failure::InvalidPidMapping => {
            format!("recommit@cp{checkpoint}:INVALID_PRODUCER_ID_MAPPING")
        }
        Failure::CommitFailed(answer) => {
            format!("commit@cp{checkpoint}:{}", names::error(answer).unwrap_or("FAILED"))
        }
        Failure::PoolEmpty => format!("snapshotState@cp{checkpoint}:PRODUCERS_POOL_EMPTY"),
        Failure::RetriesExhausted => format!("commit@cp{checkpoint}:TIMEOUT"),
        Failure::SwitchedBack => "restoreWriter:naming_strategy_switch_back".to_owned(),
        Failure::Migrated => "restoreWriter:migrate_3x_to_pooling".to_owned(),
    }
}

/// InitProducerId calls of the clean-up of each attempt of the judged job.
pub fn probe_calls(player: &Player) -> Vec<u32> {
    let judged = player.judged();
    let mut calls = Vec::new();
    for it in &player.facts {
        match it.fact {
            Fact::Restored { job, .. } if job == judged => calls.push(0),
            Fact::Initialised { job, is_probe: true, .. } if job == judged => {
                if let Some(last) = calls.last_mut() {
                    *last += 1;
                }
            }
            _ => {}
        }
    }
    calls
}

/// The transactional ids that the broker keeps at the end. Of intervals that were not played each
/// made as many as the one before; what is older than the expiry is gone.
pub fn retained_ids(player: &Player) -> u64 {
    let it = player.settings;
    let kept = player.state.lanes.iter().flat_map(|lane| &lane.ids);
    let alive = kept.filter(|id| id.state != super::state::IdState::Dead && id.epoch >= 0).count();
    let alive = alive as u64;
    let lanes: u64 = (0..JOBS as u8)
        .filter(|job| player.runs[*job as usize].exists)
        .map(|job| u64::from(player.state.job(job).parallelism))
        .sum();
    let is_new_each = player.rules.sink == super::event::Sink::Kafka
        && player.state.job(0).naming == super::state::Naming::Incrementing;
    if player.skipped == 0 || !is_new_each {
        return alive;
    }
    let kept_intervals = it.txn_id_expiration_ms / it.checkpoint_interval_ms;
    (alive + lanes * u64::from(player.skipped)).min(lanes * kept_intervals)
}

/// What a life ended as.
pub fn fate(life: &Life) -> &'static str {
    match (life.commit_accepted_at, life.abort_decided_at) {
        (Some(_), _) => "committed",
        (None, Some(_)) => "aborted",
        (None, None) => "open",
    }
}

#[cfg(test)]
mod tests {
    use crate::transaction::params::PlayParams;
    use crate::transaction::play_transactions;

    #[test]
    fn duplicates_are_the_restart_that_replayed_them() {
        let params: PlayParams = serde_json::from_value(serde_json::json!({
            "settings": { "intervals": 6 },
            "faults": [
                { "ev": "crash", "at": "after_commit", "checkpoint": 2 },
                { "ev": "restore", "afterMs": 60_000, "from": 2 },
                { "ev": "crash", "at": "after_commit", "checkpoint": 4 },
                { "ev": "restore", "afterMs": 60_000, "from": 3 },
            ],
        }))
        .expect("it is a scenario");
        let report = play_transactions(&params).expect("it can be played").value;
        assert!(report.duplicates > 0);
        let restores = report.trace.iter().filter(|it| it.kind == "restore" && it.at_ms > 0);
        let times: Vec<u64> = restores.map(|it| it.at_ms).collect();
        assert_eq!(times.len(), 2);
        assert_eq!(report.first_violation.expect("it is broken").at_ms, times[1]);
    }
}
