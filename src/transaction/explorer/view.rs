//! The steps of a way in words, and the state after each.
//!
//! Source: the relation's; the words are our own.

use serde::Serialize;

use super::bounds::{CHANGED, ExploreParams, SECOND};
use super::layout::Layout;
use crate::transaction::event::{Completion, Event, Restart};
use crate::transaction::params::SinkKind;
use crate::transaction::state::{Fate, IdState, Lane, Naming, Phase, Place, State};

/// A transactional id as it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct IdView {
    /// Whose prefix it has: `own`, `changed` or `second`.
    pub prefix: &'static str,
    /// The last part of its name.
    pub number: u32,
    /// Its epoch; -1 before the first `initTransactions`.
    pub epoch: i32,
    /// The coordinator's state, by Kafka's name.
    pub state: &'static str,
}

/// A transaction as it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TxnView {
    /// The second job wrote it.
    pub is_second: bool,
    /// Its records, by number.
    pub records: Vec<u32>,
    /// The offsets of its first and its last record, where all write to one partition.
    pub offsets: Option<[u32; 2]>,
    /// The checkpoint that pre-committed it.
    pub checkpoint: Option<u32>,
    /// `open`, `prepareCommit`, `prepareAbort`, `committed` or `aborted`.
    pub fate: &'static str,
    /// The committer still has to commit it.
    pub is_pending: bool,
    /// A completed checkpoint owns it.
    pub is_owned: bool,
}

/// One subtask as it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LaneView {
    /// `down`, `recommitting`, `cleaningUp` or `running`.
    pub phase: &'static str,
    /// The same of the second job's subtask, where there may be a second job.
    pub second_phase: Option<&'static str>,
    /// Records that the source has read: of the subtask's, or of all where the number of subtasks may
    /// change.
    pub position: u32,
    /// The ids of its number.
    pub ids: Vec<IdView>,
    /// Its transactions, finished ones included.
    pub transactions: Vec<TxnView>,
}

/// A state as it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StateView {
    /// Whether the job is up.
    pub is_up: bool,
    /// The checkpoint that a failover restores.
    pub completed: u32,
    /// Subtasks of the sink.
    pub parallelism: u32,
    /// One for each subtask number that is or was in use.
    pub lanes: Vec<LaneView>,
}

/// A step of a way, and where it leads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExploreStep {
    /// What kind of step, a stable name.
    pub kind: &'static str,
    /// Which of the steps that could happen there, by its place among them: enough to play it again.
    pub choice: u32,
    /// Which subtask.
    pub subtask: Option<u32>,
    /// As a sentence.
    pub text: String,
    /// The state after it.
    pub after: StateView,
}

/// A step, with the states before and after it.
pub fn view_step(
    event: Event,
    choice: usize,
    before: &State,
    after: &State,
    params: &ExploreParams,
    layout: &Layout,
) -> ExploreStep {
    let (kind, subtask, text) = say(event, before, after, params.sink);
    ExploreStep { kind, choice: choice as u32, subtask, text, after: view(after, params, layout) }
}

type Said = (&'static str, Option<u32>, String);

fn say(event: Event, before: &State, after: &State, sink: SinkKind) -> Said {
    match event {
        Event::Write { job, lane, .. }
        | Event::SendHeld { job, lane }
        | Event::Barrier { job, lane }
        | Event::Commit { job, lane }
        | Event::Recommit { job, lane, .. }
        | Event::Open { job, lane }
        | Event::GiveUp { job, lane }
        | Event::ZombieSend { job, lane, .. }
        | Event::ZombieCommit { job, lane, .. } => {
            let of = if job == 0 { "" } else { " of the second job" };
            let fails = before.job(job).is_up && !after.job(job).is_up;
            let subtask = format!("ubtask {lane}{of}");
            if let Some((kind, text)) = say_of_files(event, sink) {
                return (kind, Some(lane), format!("S{subtask} {text}"));
            }
            say_of_task(event, lane, &subtask, fails)
        }
        Event::TimeOut { lane, id }
        | Event::WriteMarkers { lane, id }
        | Event::Expire { lane, id } => say_of_id(event, lane, &name_of(after, lane, id)),
        _ => say_of_job(event, before),
    }
}

fn name_of(state: &State, lane: u32, id: u32) -> String {
    let record = state.lanes[lane as usize].record(id);
    let of = match record.prefix {
        SECOND => " of the second prefix",
        CHANGED => " of the changed prefix",
        _ => "",
    };
    format!("{lane}-{}{of}", record.number)
}

fn say_of_task(event: Event, lane: u32, subtask: &str, fails: bool) -> Said {
    let (kind, text) = match event {
        Event::Write { .. } if fails => ("write", "is refused when it sends a record, and fails."),
        Event::Write { .. } => ("write", "writes a record."),
        Event::SendHeld { .. } => ("sendHeld", "sends what its producer held back."),
        Event::Barrier { .. } if fails => {
            ("barrier", "lets the barrier pass, cannot open its next transaction, and fails.")
        }
        Event::Barrier { .. } => {
            ("barrier", "lets the barrier pass: it pre-commits and opens its next transaction.")
        }
        Event::Commit { .. } if fails => {
            ("commit", "commits its oldest transaction that is due, is refused, and fails.")
        }
        Event::Commit { .. } => ("commit", "commits its oldest transaction that is due."),
        Event::Recommit { .. } if fails => (
            "recommit",
            "commits a transaction of the restored state again, is refused for a reason that it does not know, and fails.",
        ),
        Event::Recommit { .. } => {
            ("recommit", "commits a transaction of the restored state again.")
        }
        Event::Open { .. } if fails => ("open", "cannot open its first transaction, and fails."),
        Event::Open { .. } => {
            ("open", "aborts what was left behind and opens its first transaction.")
        }
        Event::ZombieSend { .. } => ("zombieSend", "that was cut off sends a record."),
        Event::ZombieCommit { .. } => ("zombieCommit", "that was cut off commits."),
        _ => ("giveUp", "gives up."),
    };
    (kind, Some(lane), format!("S{subtask} {text}"))
}

/// The same where a sink writes files, for which no step can be refused.
fn say_of_files(event: Event, sink: SinkKind) -> Option<(&'static str, &'static str)> {
    let is_table = match sink {
        SinkKind::File => false,
        SinkKind::Table => true,
        _ => return None,
    };
    Some(match (event, is_table) {
        (Event::Barrier { .. }, false) => {
            ("barrier", "lets the barrier pass: it closes its file, which is pending.")
        }
        (Event::Barrier { .. }, true) => {
            ("barrier", "lets the barrier pass: it closes its data files, which are staged.")
        }
        (Event::Commit { .. }, false) => ("commit", "renames its oldest file that is due."),
        (Event::Commit { .. }, true) => {
            ("commit", "commits: a snapshot of the table takes in what all subtasks staged.")
        }
        (Event::Recommit { .. }, false) => {
            ("recommit", "renames a file that the restored state calls pending.")
        }
        (Event::Recommit { .. }, true) => {
            ("recommit", "commits again what the restored state calls staged.")
        }
        (Event::Open { .. }, _) => {
            ("open", "leaves behind what no restored state names, and begins to write.")
        }
        (Event::ZombieCommit { .. }, false) => {
            ("zombieCommit", "that was cut off renames its file.")
        }
        (Event::ZombieCommit { .. }, true) => {
            ("zombieCommit", "that was cut off commits what it staged.")
        }
        _ => return None,
    })
}

fn say_of_id(event: Event, lane: u32, name: &str) -> Said {
    let (kind, text) = match event {
        Event::TimeOut { .. } => (
            "timeout",
            format!("The transaction under id {name} runs longer than its timeout: aborted."),
        ),
        Event::WriteMarkers { .. } => {
            ("markers", format!("The coordinator writes the markers of {name}."))
        }
        _ => ("expire", format!("The idle id {name} is removed.")),
    };
    (kind, Some(lane), text)
}

fn say_of_job(event: Event, before: &State) -> Said {
    let (kind, text) = match event {
        Event::Complete { kind: Completion::Untold, .. } => {
            ("completeUntold", "The checkpoint is complete, but the message to the tasks is lost.")
        }
        Event::Complete { job: 1, .. } => {
            ("secondCompletes", "The checkpoint of the second job is complete.")
        }
        Event::Complete { .. } => ("complete", "The checkpoint is complete."),
        Event::Decline { .. } => ("decline", "The checkpoint is declined."),
        Event::Crash { job: 1 } => ("secondCrashes", "All tasks of the second job are killed."),
        Event::Crash { .. } => ("crash", "All tasks are killed."),
        Event::CutOff { .. } => ("cutOff", "The TaskManager is cut off; its tasks live on."),
        Event::Refuse { .. } => (
            "limitLowered",
            "transaction.max.timeout.ms is lowered below the job's transaction.timeout.ms.",
        ),
        Event::Finish { .. } => ("finish", "The job ends."),
        Event::FailOver => ("failover", "The coordinator moves."),
        Event::Restore { job: 1, with } => {
            let from = from_words(with.from);
            return ("secondStarts", None, format!("The second job starts {from}."));
        }
        Event::Restore { with, .. } => return ("restore", None, restore_words(before, with)),
        _ => ("", ""),
    };
    (kind, None, text.to_owned())
}

fn from_words(checkpoint: u32) -> String {
    match checkpoint {
        0 => "without state".to_owned(),
        number => format!("from checkpoint {number}"),
    }
}

fn restore_words(before: &State, with: Restart) -> String {
    let job = before.job(0);
    let mut text = format!("The job starts {}", from_words(with.from));
    if with.from == 0 && job.completed > 0 {
        let upto = with.position;
        text += &format!(", with the source behind the {upto} records that its group committed");
    }
    if with.prefix != job.prefix {
        text += ", with another prefix";
    }
    if with.naming != job.naming {
        text += match with.naming {
            Naming::Incrementing => ", with INCREMENTING names",
            Naming::Pooling => ", with POOLING names",
        };
    }
    if with.parallelism != job.parallelism {
        text += &format!(", with parallelism {}", with.parallelism);
    }
    text + "."
}

fn view(state: &State, params: &ExploreParams, layout: &Layout) -> StateView {
    let lanes = state.lanes.iter().enumerate();
    StateView {
        is_up: state.job(0).is_up,
        completed: state.job(0).completed,
        parallelism: state.job(0).parallelism,
        lanes: lanes.map(|(number, lane)| view_lane(number, lane, params, layout)).collect(),
    }
}

fn view_lane(number: usize, lane: &Lane, params: &ExploreParams, layout: &Layout) -> LaneView {
    let ids = lane.ids.iter().map(|it| IdView {
        prefix: match it.prefix {
            SECOND => "second",
            CHANGED => "changed",
            _ => "own",
        },
        number: it.number,
        epoch: it.epoch,
        state: match it.state {
            IdState::Empty => "Empty",
            IdState::Ongoing => "Ongoing",
            IdState::PrepareCommit => "PrepareCommit",
            IdState::PrepareAbort => "PrepareAbort",
            IdState::CompleteCommit => "CompleteCommit",
            IdState::CompleteAbort => "CompleteAbort",
            IdState::Dead => "Dead",
        },
    });
    let transactions = lane.txns.iter().enumerate().map(|(at, it)| {
        let records = layout.records_of(it, number);
        TxnView {
            is_second: it.job == 1,
            records: (0..32).filter(|record| records >> record & 1 == 1).collect(),
            offsets: params.is_partition_shared.then_some([it.first, it.last]),
            checkpoint: (it.checkpoint > 0).then_some(it.checkpoint),
            fate: match it.fate {
                Fate::Open => "open",
                Fate::PreparedCommit => "prepareCommit",
                Fate::PreparedAbort => "prepareAbort",
                Fate::Committed => "committed",
                Fate::Aborted => "aborted",
            },
            is_pending: lane.held_at(it.job, Place::Committer).any(|held| held == at as u32),
            is_owned: it.is_owned,
        }
    });
    LaneView {
        phase: phase_name(lane.tasks[0].phase),
        second_phase: (params.second_starts > 0).then(|| phase_name(lane.tasks[1].phase)),
        position: lane.tasks[0].position / layout.unit,
        ids: ids.collect(),
        transactions: transactions.collect(),
    }
}

fn phase_name(phase: Phase) -> &'static str {
    match phase {
        Phase::Down => "down",
        Phase::Recommitting => "recommitting",
        Phase::CleaningUp => "cleaningUp",
        Phase::Running => "running",
    }
}
