//! The facts of a run in words: the steps of the swim-lane, and the lines in the logs.
//!
//! Source: flink-connector-kafka 5.1, KafkaCommitter (levels and reasons) and ExactlyOnceKafkaWriter;
//! Flink 1.20, TwoPhaseCommitSinkFunction and FlinkKafkaProducer; the texts are our own.

use std::collections::BTreeMap;

use super::driver::{Player, Timed};
use super::event::{Answer, Cause, Completion, Fact, Failure, Sink};
use super::ledger::Ledger;
use super::names;
use super::report::{Actor, LogLine, TraceStep};
use super::state::{Naming, share};
use crate::units::parts;

/// The most steps of a trace.
pub const MAX_TRACE: usize = 5_000;

/// The numbers of transactions in the report, by lane and number.
pub type Numbers = BTreeMap<(u32, u32), usize>;

/// The steps in order.
pub fn trace(player: &Player, ledger: &Ledger, numbers: &Numbers) -> Vec<TraceStep> {
    let mut steps = Vec::new();
    let mut moves = ledger.stable.iter().peekable();
    for timed in &player.facts {
        if steps.len() >= MAX_TRACE {
            break;
        }
        while let Some(moved) = moves.next_if(|it| it.at < timed.at) {
            steps.push(stable_step(moved.at, moved.partition, moved.offset));
        }
        steps.extend(step(player, timed, numbers).map(|it| of_job(player, it)));
    }
    for moved in moves {
        if steps.len() < MAX_TRACE {
            steps.push(stable_step(moved.at, moved.partition, moved.offset));
        }
    }
    steps
}

/// Where two jobs run, each step says whose it is: their checkpoints and ids may have the same names.
fn of_job(player: &Player, step: TraceStep) -> TraceStep {
    match step.job {
        Some(job) if player.runs.iter().all(|it| it.exists) => {
            TraceStep { text: format!("Job {job:?}: {}", step.text), ..step }
        }
        _ => step,
    }
}

fn blank(at: u64, actor: Actor, kind: &'static str, text: String) -> TraceStep {
    TraceStep {
        at_ms: at,
        actor,
        kind,
        job: None,
        subtask: None,
        checkpoint: None,
        transactional_id: None,
        epoch: None,
        transaction: None,
        records: None,
        stable_offset: None,
        text,
    }
}

fn stable_step(at: u64, partition: u32, offset: u64) -> TraceStep {
    let text =
        format!("A read_committed reader can read partition {partition} up to offset {offset}.");
    TraceStep { stable_offset: Some(offset), ..blank(at, Actor::Readers, "stableOffset", text) }
}

fn step(player: &Player, timed: &Timed, numbers: &Numbers) -> Option<TraceStep> {
    let at = timed.at;
    let id_name = |lane: u32, id: u32| names::transactional_id(player, lane, id);
    let called = |lane: u32, id: u32| id_name(lane, id).unwrap_or_else(|| "its id".to_owned());
    let of_txn = |lane: u32, txn: u32| {
        let it = player.lane(lane).txn(txn);
        let has_id =
            player.rules.sink.has_coordinator() && player.state.job(it.job).is_transactional;
        (
            has_id.then(|| id_name(lane, it.id)).flatten(),
            has_id.then_some(it.epoch),
            numbers.get(&(lane, txn)).copied(),
        )
    };
    let named = |name: &Option<String>| name.clone().unwrap_or_else(|| "its files".to_owned());
    let on = |job: u8, lane: u32, step: TraceStep| TraceStep {
        job: Some(names::job(job)),
        subtask: Some(lane),
        ..step
    };
    let by = |job: u8, step: TraceStep| TraceStep { job: Some(names::job(job)), ..step };
    let with = |lane: u32, txn: u32, step: TraceStep| {
        let (transactional_id, epoch, transaction) = of_txn(lane, txn);
        let job = Some(names::job(player.lane(lane).txn(txn).job));
        TraceStep { job, transactional_id, epoch, transaction, ..step }
    };
    Some(match timed.fact {
        Fact::Appended { job, lane, txn, from, to, of } => {
            let records = share(from, to, lane, of);
            let text = format!("Subtask {lane} writes {records} records.");
            let step = blank(at, Actor::Partition, "append", text);
            with(lane, txn, on(job, lane, TraceStep { records: Some(records), ..step }))
        }
        Fact::Started { lane, txn, .. } => {
            let timeout = player.clocks.get(lane as usize).and_then(|it| {
                it.get(player.lane(lane).txn(txn).id as usize).map(|clock| clock.timeout)
            });
            let name = named(&of_txn(lane, txn).0);
            let text = format!(
                "The coordinator adds the first partition to {name}: Ongoing, and its clock of {} starts.",
                parts(timeout.unwrap_or(0))
            );
            let step = blank(at, Actor::Coordinator, "ongoing", text);
            with(lane, txn, TraceStep { subtask: Some(lane), ..step })
        }
        Fact::SendRefused { job, lane, id, is_zombie } => {
            let who = if is_zombie { "the task that was cut off" } else { "the writer" };
            let text = format!(
                "A send of {who} under {} is refused with INVALID_PRODUCER_EPOCH.",
                called(lane, id)
            );
            let step = blank(at, Actor::Partition, "sendRefused", text);
            on(job, lane, TraceStep { transactional_id: id_name(lane, id), ..step })
        }
        Fact::PreCommitted { job, lane, txn, checkpoint } => {
            let text = format!(
                "Barrier {checkpoint}: subtask {lane} flushes, and hands {} to its committer.",
                named(&of_txn(lane, txn).0)
            );
            let step = blank(at, Actor::Sink, "preCommit", text);
            with(lane, txn, on(job, lane, TraceStep { checkpoint: Some(checkpoint), ..step }))
        }
        Fact::NothingToCommit { job, lane, checkpoint } => {
            let text = format!("Barrier {checkpoint}: subtask {lane} wrote nothing, so nothing is to be committed.");
            let step = blank(at, Actor::Sink, "nothingToCommit", text);
            on(job, lane, TraceStep { checkpoint: Some(checkpoint), ..step })
        }
        Fact::Acknowledged { job, lane, checkpoint } => {
            let text = format!("Subtask {lane} acknowledges checkpoint {checkpoint}.");
            let step = blank(at, Actor::Job, "acknowledge", text);
            on(job, lane, TraceStep { checkpoint: Some(checkpoint), ..step })
        }
        Fact::Completed { job, checkpoint, kind } => {
            let (name, text) = match kind {
                Completion::Told => ("complete", format!("Checkpoint {checkpoint} is complete: its metadata are stored.")),
                Completion::Untold => ("notifyLost", format!("Checkpoint {checkpoint} is complete, but the message to the tasks is lost.")),
                Completion::Savepoint => ("savepoint", format!("Savepoint {checkpoint} is complete; the tasks do not commit for it.")),
            };
            let step = blank(at, Actor::Job, name, text);
            by(job, TraceStep { checkpoint: Some(checkpoint), ..step })
        }
        Fact::Declined { job, checkpoint } => {
            let text = format!("Checkpoint {checkpoint} is declined; the sink keeps what it pre-committed.");
            let step = blank(at, Actor::Job, "declined", text);
            by(job, TraceStep { checkpoint: Some(checkpoint), ..step })
        }
        Fact::Initialised { job, lane, id, epoch, is_probe } => {
            let (kind, why) = if is_probe { ("probe", "to abort what may be left behind") } else { ("begin", "for the next transaction") };
            let text = format!("initTransactions on {} {why}: epoch {epoch}.", called(lane, id));
            let step = blank(at, Actor::Sink, kind, text);
            on(job, lane, TraceStep { transactional_id: id_name(lane, id), epoch: Some(epoch), ..step })
        }
        Fact::EndTxn { job, lane, txn, answer, restored, is_zombie } => {
            let kind = match (restored, is_zombie) {
                (_, true) => "zombieCommit",
                (true, false) => "recommit",
                (false, false) => "commit",
            };
            let checkpoint = player.lane(lane).txn(txn).checkpoint;
            let said = match answer {
                Answer::Accepted => "accepted",
                Answer::Already => "it was committed before",
                other => names::error(other).unwrap_or("refused"),
            };
            let name = named(&of_txn(lane, txn).0);
            let text = format!("Subtask {lane} commits {name} of checkpoint {checkpoint}: {said}.");
            let step = blank(at, Actor::Sink, kind, text);
            with(lane, txn, on(job, lane, TraceStep { checkpoint: Some(checkpoint), ..step }))
        }
        Fact::Prepared { lane, txn, is_commit, cause, .. } => {
            let name = named(&of_txn(lane, txn).0);
            let (kind, text) = match (is_commit, cause) {
                (true, _) => ("prepareCommit", format!("The coordinator logs PrepareCommit for {name}: decided.")),
                (false, Some(Cause::Timeout)) => ("timeout", format!("{name} has run longer than its timeout: the coordinator moves its epoch on and logs PrepareAbort.")),
                (false, Some(Cause::Initialised)) => ("abortedByInit", format!("initTransactions finds {name} ongoing: the coordinator moves its epoch on and aborts it.")),
                (false, _) => ("abortedByClose", format!("The task closes and aborts {name}.")),
            };
            with(lane, txn, TraceStep { subtask: Some(lane), ..blank(at, Actor::Coordinator, kind, text) })
        }
        Fact::Marked { lane, txn, is_commit } => {
            let name = named(&of_txn(lane, txn).0);
            let (kind, word) = if is_commit { ("commitMarker", "commit") } else { ("abortMarker", "abort") };
            let text = format!("The {word} marker of {name} is in the log.");
            with(lane, txn, TraceStep { subtask: Some(lane), ..blank(at, Actor::Partition, kind, text) })
        }
        Fact::Failed { job, lane, checkpoint, failure } => {
            let text = format!("Subtask {lane} fails, and the job with it: {}.", names::failure(failure));
            let step = blank(at, Actor::Job, "failed", text);
            on(job, lane, TraceStep { checkpoint: Some(checkpoint), ..step })
        }
        Fact::Crashed { job } => {
            by(job, blank(at, Actor::Job, "crash", "The tasks are lost; what they wrote is in the log.".to_owned()))
        }
        Fact::Restored { job, from } => {
            let text = match from {
                0 => "The job starts without state.".to_owned(),
                _ => format!("The job starts from checkpoint {from}."),
            };
            let step = blank(at, Actor::Job, "restore", text);
            by(job, TraceStep { checkpoint: (from > 0).then_some(from), ..step })
        }
        Fact::Running { job } => by(job, blank(at, Actor::Job, "running", "All tasks run.".to_owned())),
        Fact::Finished { job } => by(job, blank(at, Actor::Job, "finished", "The job ends and its tasks close.".to_owned())),
        Fact::Expired { lane, id } => {
            let text = format!("The broker removes {}: it was idle for longer than ids are kept.", called(lane, id));
            TraceStep { subtask: Some(lane), transactional_id: id_name(lane, id), ..blank(at, Actor::Coordinator, "expired", text) }
        }
        Fact::FailedOver => blank(at, Actor::Coordinator, "failover", "Another broker takes over the coordinator, reads its log and writes the markers that are missing.".to_owned()),
    })
}

/// What people see in the logs.
pub fn log_lines(player: &Player, ledger: &Ledger) -> Vec<LogLine> {
    let mut lines = Vec::new();
    for timed in &player.facts {
        if lines.len() >= MAX_TRACE {
            break;
        }
        lines.extend(line(player, ledger, timed));
    }
    lines
}

fn line(player: &Player, ledger: &Ledger, timed: &Timed) -> Option<LogLine> {
    let at_ms = timed.at;
    let is_legacy = player.rules.sink == Sink::Legacy;
    let line = |level, logger, text, job: u8, is_false_alarm| {
        Some(LogLine { at_ms, level, logger, text, job: names::job(job), is_false_alarm })
    };
    match timed.fact {
        Fact::EndTxn { job, lane, txn, answer, restored, is_zombie: false } => {
            let error = names::error(answer)?;
            let is_there =
                ledger.lives.get(&(lane, txn)).is_some_and(|it| it.commit_accepted_at.is_some());
            let id = names::transactional_id(player, lane, player.lane(lane).txn(txn).id)
                .unwrap_or_default();
            let pools = player.state.job(job).naming == Naming::Pooling;
            let (level, logger, text) = match (is_legacy, restored, answer) {
                (true, true, Answer::ProducerFenced | Answer::InvalidTxnState) => (
                    "WARN",
                    "FlinkKafkaProducer",
                    format!(
                        "Cannot commit recovered transaction {id} ({error}); it takes it for one that was committed before."
                    ),
                ),
                (true, true, _) => (
                    "ERROR",
                    "TwoPhaseCommitSinkFunction",
                    format!("Commit of recovered transaction {id} failed with {error}."),
                ),
                (true, false, _) => (
                    "ERROR",
                    "TwoPhaseCommitSinkFunction",
                    format!(
                        "Commit of transaction {id} failed with {error}; the task throws once it has tried the others."
                    ),
                ),
                (false, _, Answer::InvalidPidMapping) => (
                    "ERROR",
                    "KafkaCommitter",
                    format!(
                        "Transaction {id} failed for a reason the committer does not know ({error}): IllegalStateException, and the job fails."
                    ),
                ),
                (false, _, Answer::ProducerFenced) => (
                    if pools { "WARN" } else { "ERROR" },
                    "KafkaCommitter",
                    format!(
                        "Unable to commit {id}: its producer was fenced ({error}). The committable is dropped, which means data loss unless it was committed before; numCommittablesFailure + 1."
                    ),
                ),
                (false, ..) => (
                    "ERROR",
                    "KafkaCommitter",
                    format!(
                        "Unable to commit {id}: the transaction is in an invalid state ({error}). The committable is dropped; numCommittablesFailure + 1."
                    ),
                ),
            };
            // Where the job fails over it, it is an alarm whatever became of the records.
            let is_false = is_there && answer != Answer::InvalidPidMapping;
            line(level, logger, text, job, is_false)
        }
        Fact::Failed { job, failure, .. } => {
            let logger = match failure {
                Failure::Refused(_) | Failure::SwitchedBack | Failure::Migrated => {
                    "ExactlyOnceKafkaWriter"
                }
                Failure::InvalidProducerEpoch => "KafkaWriter",
                _ => "Task",
            };
            line(
                "ERROR",
                logger,
                format!("The task fails: {}.", names::failure(failure)),
                job,
                false,
            )
        }
        Fact::Prepared { lane, id, cause: Some(Cause::Timeout), txn, .. } => {
            let name = names::transactional_id(player, lane, id).unwrap_or_default();
            let job = player.lane(lane).txn(txn).job;
            let text = format!(
                "On the broker: ongoing transaction of {name} is aborted because it timed out."
            );
            line("INFO", "TransactionCoordinator", text, job, false)
        }
        _ => None,
    }
}
