//! The facts of a run in words: the steps of the swim-lane.
//!
//! Source: flink-connector-kafka 5.1, ExactlyOnceKafkaWriter and KafkaCommitter; Flink 1.20,
//! TwoPhaseCommitSinkFunction and FlinkKafkaProducer; the words are our own.

mod files;

use std::collections::BTreeMap;

use super::driver::Timed;
use super::event::{Answer, Cause, Completion, Fact, Sink};
use super::ledger::Ledger;
use super::names::{self, Known};
use super::report::{Actor, TraceStep};
use super::state::share;
use crate::event_time::text::counted;
use crate::units::parts;

/// The most steps of a trace.
pub const MAX_TRACE: usize = 5_000;

/// The numbers of transactions in the report, by lane and number.
pub type Numbers = BTreeMap<(u32, u32), usize>;

/// The steps in order.
pub fn trace(known: &Known, facts: &[Timed], ledger: &Ledger, numbers: &Numbers) -> Vec<TraceStep> {
    let mut steps = Vec::new();
    let mut moves = ledger.stable.iter().peekable();
    for timed in facts {
        if steps.len() >= MAX_TRACE {
            break;
        }
        while let Some(moved) = moves.next_if(|it| it.at < timed.at) {
            steps.push(stable_step(moved.at, moved.partition, moved.offset));
        }
        let said = match known.sink {
            Sink::File | Sink::Table => files::step(known, timed, numbers),
            _ => step(known, timed, numbers),
        };
        steps.push(of_job(known, said));
    }
    for moved in moves {
        if steps.len() < MAX_TRACE {
            steps.push(stable_step(moved.at, moved.partition, moved.offset));
        }
    }
    steps
}

/// Where two jobs run, each step says whose it is: their checkpoints and ids may have the same names.
fn of_job(known: &Known, step: TraceStep) -> TraceStep {
    match step.job {
        Some(job) if known.has_two => {
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

fn step(known: &Known, timed: &Timed, numbers: &Numbers) -> TraceStep {
    let at = timed.at;
    let id_name = |lane: u32, id: u32| known.transactional_id(lane, id);
    let called = |lane: u32, id: u32| id_name(lane, id).unwrap_or_else(|| "its id".to_owned());
    let of_txn = |lane: u32, txn: u32| {
        let it = known.state.lanes[lane as usize].txn(txn);
        let has_id = known.has_ids(it.job);
        (has_id.then(|| id_name(lane, it.id)).flatten(), has_id.then_some(it.epoch))
    };
    let named = |name: &Option<String>| name.clone().unwrap_or_else(|| "its rows".to_owned());
    let with = |lane: u32, txn: u32, step: TraceStep| {
        let (transactional_id, epoch) = of_txn(lane, txn);
        with(known, numbers, (lane, txn), TraceStep { transactional_id, epoch, ..step })
    };
    if let Some(step) = of_checkpoints(timed) {
        return step;
    }
    match timed.fact {
        Fact::Appended { job, lane, txn, from, to, of } => {
            let records = share(from, to, lane, of);
            let text = format!("Subtask {lane} writes {}.", counted(records, "record"));
            let step = blank(at, Actor::Partition, "append", text);
            with(lane, txn, on(job, lane, TraceStep { records: Some(records), ..step }))
        }
        Fact::HeldBack { job, lane, from, to, of } => {
            let records = share(from, to, lane, of);
            let text = format!("The producer of subtask {lane} holds {} back.", counted(records, "record"));
            let step = blank(at, Actor::Sink, "heldBack", text);
            on(job, lane, TraceStep { records: Some(records), ..step })
        }
        Fact::Started { lane, txn, .. } => {
            let clock = known.timeout(lane, known.state.lanes[lane as usize].txn(txn).id);
            let clock = clock.map_or(String::new(), |it| format!(" of {}", parts(it)));
            let name = named(&of_txn(lane, txn).0);
            let text = format!(
                "The coordinator adds the first partition to {name}: Ongoing, and its clock{clock} starts."
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
            let checkpoint = known.state.lanes[lane as usize].txn(txn).checkpoint;
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
        Fact::Expired { lane, id } => {
            let text = format!("The broker removes {}: it was idle for longer than ids are kept.", called(lane, id));
            TraceStep { subtask: Some(lane), transactional_id: id_name(lane, id), ..blank(at, Actor::Coordinator, "expired", text) }
        }
        Fact::FailedOver => blank(at, Actor::Coordinator, "failover", "Another broker takes over the coordinator, reads its log and writes the markers that are missing.".to_owned()),
        Fact::Refuses { job, refusal } => by(job, blank(at, Actor::Coordinator, "refuses", names::refusal(refusal).to_owned())),
        _ => blank(at, Actor::Job, "", String::new()),
    }
}

/// What is the same with every sink: checkpoints, failures and starts.
fn of_checkpoints(timed: &Timed) -> Option<TraceStep> {
    let at = timed.at;
    Some(match timed.fact {
        Fact::Acknowledged { job, lane, checkpoint } => {
            let text = format!("Subtask {lane} acknowledges checkpoint {checkpoint}.");
            let step = blank(at, Actor::Job, "acknowledge", text);
            on(job, lane, TraceStep { checkpoint: Some(checkpoint), ..step })
        }
        Fact::Completed { job, checkpoint, kind } => {
            let (name, text) = match kind {
                Completion::Told => (
                    "complete",
                    format!("Checkpoint {checkpoint} is complete: its metadata are stored."),
                ),
                Completion::Untold => (
                    "notifyLost",
                    format!(
                        "Checkpoint {checkpoint} is complete, but the message to the tasks is lost."
                    ),
                ),
                Completion::Savepoint => (
                    "savepoint",
                    format!("Savepoint {checkpoint} is complete; the tasks do not commit for it."),
                ),
            };
            let step = blank(at, Actor::Job, name, text);
            by(job, TraceStep { checkpoint: Some(checkpoint), ..step })
        }
        Fact::Declined { job, checkpoint } => {
            let text = format!(
                "Checkpoint {checkpoint} is declined; the sink keeps what it pre-committed."
            );
            let step = blank(at, Actor::Job, "declined", text);
            by(job, TraceStep { checkpoint: Some(checkpoint), ..step })
        }
        Fact::Failed { job, lane, checkpoint, failure } => {
            let text =
                format!("Subtask {lane} fails, and the job with it: {}.", names::failure(failure));
            let step = blank(at, Actor::Job, "failed", text);
            on(job, lane, TraceStep { checkpoint: Some(checkpoint), ..step })
        }
        Fact::Crashed { job } => by(
            job,
            blank(at, Actor::Job, "crash", "The tasks are lost; what they wrote stays.".to_owned()),
        ),
        Fact::Restored { job, from } => {
            let text = match from {
                0 => "The job starts without state.".to_owned(),
                _ => format!("The job starts from checkpoint {from}."),
            };
            let step = blank(at, Actor::Job, "restore", text);
            by(job, TraceStep { checkpoint: (from > 0).then_some(from), ..step })
        }
        Fact::Running { job } => {
            by(job, blank(at, Actor::Job, "running", "All tasks run.".to_owned()))
        }
        Fact::Finished { job } => by(
            job,
            blank(at, Actor::Job, "finished", "The job ends and its tasks close.".to_owned()),
        ),
        _ => return None,
    })
}

fn on(job: u8, lane: u32, step: TraceStep) -> TraceStep {
    TraceStep { job: Some(names::job(job)), subtask: Some(lane), ..step }
}

fn by(job: u8, step: TraceStep) -> TraceStep {
    TraceStep { job: Some(names::job(job)), ..step }
}

/// A step of a transaction.
fn with(known: &Known, numbers: &Numbers, it: (u32, u32), step: TraceStep) -> TraceStep {
    let job = known.state.lanes[it.0 as usize].txn(it.1).job;
    TraceStep { job: Some(names::job(job)), transaction: numbers.get(&it).copied(), ..step }
}
