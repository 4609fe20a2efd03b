//! What became of each record, and of the promise.

mod counts;
mod violation;

use counts::{count, newest_position};
use violation::violation;

use super::driver::Player;
use super::event::{Answer, Cause, Fact, Failure, Sink};
use super::inequality::{self, Ages};
use super::ledger::{Ledger, Life};
use super::names;
use super::params::Isolation;
use super::report::{Inequality, Notices, Outcome, Violation, Visible};
use super::state::JOBS;
use crate::units::parts;

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

pub fn judge(player: &Player, ledger: &Ledger) -> Verdict {
    let job = player.judged();
    let it = player.settings;
    let mut counts = count(player, ledger);
    let run = &player.runs[job as usize];
    let owner = player.state.job(job);
    let goes_on = owner.is_up || owner.is_finished;
    let newest = if goes_on { player.input } else { newest_position(player) } as usize;
    let newest = newest.min(counts.committed.len());
    if player.rules.sink == Sink::Upsert {
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
    let is_upsert = player.rules.sink == Sink::Upsert;
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
    let found = Found { lost, duplicates, undelivered, blocked_ms: counts.blocked_ms };
    let mut because = because(outcome, reader(player), &found);
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

/// What is said of an outcome.
struct Found {
    lost: u64,
    duplicates: u64,
    undelivered: u64,
    blocked_ms: u64,
}

/// The reader that the verdict is about.
fn reader(player: &Player) -> &'static str {
    match (player.rules.sink, player.settings.isolation) {
        (Sink::File, Isolation::ReadCommitted) => "reader of finished files",
        (Sink::File, Isolation::ReadUncommitted) => "reader of all files, in progress or not,",
        (Sink::Table, Isolation::ReadCommitted) => "reader of the table",
        (Sink::Table, Isolation::ReadUncommitted) => "reader of all data files",
        (_, Isolation::ReadCommitted) => "read_committed reader",
        (_, Isolation::ReadUncommitted) => "read_uncommitted reader",
    }
}

fn because(outcome: Outcome, reader: &str, found: &Found) -> String {
    let Found { lost, duplicates, undelivered, blocked_ms } = found;
    match outcome {
        Outcome::JobFailsToStart => {
            format!("The job never runs; {undelivered} records are still in the source.")
        }
        Outcome::RestartLoop => format!(
            "The job fails again and again and gets no further; {undelivered} records are still in the source."
        ),
        Outcome::DataLoss => format!(
            "{lost} records belong to completed checkpoints, and a {reader} will never see them."
        ),
        Outcome::Duplicates => {
            format!("A {reader} sees {duplicates} copies beyond the first.")
        }
        Outcome::StuckConsumers => format!(
            "Nothing is lost, but a read_committed reader waits {} for records that are committed.",
            parts(*blocked_ms)
        ),
        Outcome::ExactlyOnce => format!("A {reader} sees each record once."),
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
    let is_new_each = player.rules.sink == Sink::Kafka
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
    fn a_job_may_be_idle_for_days_before_it_is_restored() {
        let params: PlayParams = serde_json::from_value(serde_json::json!({
            "settings": {},
            "faults": [
                { "ev": "crash", "at": "after_complete", "checkpoint": 3 },
                { "ev": "restore", "afterMs": 60_000, "from": 2 },
                { "ev": "restore", "afterMs": 500_000_000, "from": 2 },
            ],
        }))
        .expect("it is a scenario");
        let report = play_transactions(&params).expect("it can be played").value;
        // Both restores replay what checkpoints after 2 had committed.
        assert_eq!(report.lost, 0);
        assert!(report.duplicates >= 400 && report.end_ms > 500_000_000, "{}", report.because);
    }

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
