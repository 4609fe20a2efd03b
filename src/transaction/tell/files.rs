//! The same steps where a sink writes files: in progress, pending and finished by a rename, or staged
//! until one snapshot of a table takes them in.
//!
//! Source: Flink 2.1, FileSink (FileWriterBucket#prepareCommit, FileCommitter#commit) with
//! OnCheckpointRollingPolicy, one file of a subtask and checkpoint; sinks of tables that commit what all
//! subtasks staged in one snapshot, as Iceberg's. The words are our own.

use super::super::driver::Timed;
use super::super::event::{Answer, Fact, Sink};
use super::super::names::Known;
use super::super::report::{Actor, TraceStep};
use super::super::state::share;
use super::{Numbers, blank, of_checkpoints, on, with};
use crate::event_time::text::counted;

/// A step of a sink of files.
pub fn step(known: &Known, timed: &Timed, numbers: &Numbers) -> TraceStep {
    let at = timed.at;
    let is_table = known.sink == Sink::Table;
    let checkpoint_of = |lane: u32, txn: u32| known.state.lanes[lane as usize].txn(txn).checkpoint;
    let with = |lane: u32, txn: u32, step: TraceStep| with(known, numbers, (lane, txn), step);
    if let Some(step) = of_checkpoints(timed) {
        return step;
    }
    match timed.fact {
        Fact::Appended { job, lane, txn, from, to, of } => {
            let records = share(from, to, lane, of);
            let where_to = if is_table { "its data files" } else { "its file in progress" };
            let text =
                format!("Subtask {lane} writes {} to {where_to}.", counted(records, "record"));
            let step = blank(at, Actor::Partition, "append", text);
            with(lane, txn, on(job, lane, TraceStep { records: Some(records), ..step }))
        }
        Fact::PreCommitted { job, lane, txn, checkpoint } => {
            let text = if is_table {
                format!(
                    "Barrier {checkpoint}: subtask {lane} closes its data files, and hands them to the committer: staged."
                )
            } else {
                format!(
                    "Barrier {checkpoint}: subtask {lane} closes its file, and hands it to its committer: pending."
                )
            };
            let step = blank(at, Actor::Sink, "preCommit", text);
            with(lane, txn, on(job, lane, TraceStep { checkpoint: Some(checkpoint), ..step }))
        }
        Fact::NothingToCommit { job, lane, checkpoint } => {
            let text = format!(
                "Barrier {checkpoint}: subtask {lane} wrote nothing, so nothing is to be committed."
            );
            let step = blank(at, Actor::Sink, "nothingToCommit", text);
            on(job, lane, TraceStep { checkpoint: Some(checkpoint), ..step })
        }
        Fact::EndTxn { job, lane, txn, answer, restored, is_zombie } => {
            let kind = match (restored, is_zombie) {
                (_, true) => "zombieCommit",
                (true, false) => "recommit",
                (false, false) => "commit",
            };
            let checkpoint = checkpoint_of(lane, txn);
            let is_done = answer == Answer::Already;
            let text = match (is_table, is_done) {
                (true, false) => format!(
                    "The committer takes what subtask {lane} staged for checkpoint {checkpoint} into a snapshot of the table."
                ),
                (true, true) => format!(
                    "What subtask {lane} staged for checkpoint {checkpoint} is in a snapshot of the table already: nothing to do."
                ),
                (false, false) => format!(
                    "Subtask {lane} commits checkpoint {checkpoint}: it renames its pending file."
                ),
                (false, true) => format!(
                    "The file of subtask {lane} for checkpoint {checkpoint} was renamed before: nothing to do."
                ),
            };
            let step = blank(at, Actor::Sink, kind, text);
            with(lane, txn, on(job, lane, TraceStep { checkpoint: Some(checkpoint), ..step }))
        }
        Fact::Marked { lane, txn, is_commit: true } => {
            let of = if is_table {
                "The snapshot names the files".to_owned()
            } else {
                "The file is finished".to_owned()
            };
            let text = format!(
                "{of}: readers see what subtask {lane} wrote for checkpoint {}.",
                checkpoint_of(lane, txn)
            );
            let step = blank(at, Actor::Partition, "commitMarker", text);
            with(lane, txn, TraceStep { subtask: Some(lane), ..step })
        }
        Fact::Marked { lane, txn, is_commit: false } => {
            let left = match (is_table, checkpoint_of(lane, txn) > 0) {
                (false, false) => "A file in progress of",
                (false, true) => "A pending file of",
                (true, false) => "Data files of",
                (true, true) => "Staged files of",
            };
            let text = format!(
                "{left} subtask {lane} stays behind: no restored state names it, so nobody reads it."
            );
            let step = blank(at, Actor::Partition, "abortMarker", text);
            with(lane, txn, TraceStep { subtask: Some(lane), ..step })
        }
        // The others are a coordinator's.
        _ => blank(at, Actor::Job, "", String::new()),
    }
}
