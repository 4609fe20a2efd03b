//! The transition relation: what one event makes of a state, and which events a state allows.
//!
//! The timed driver and the explorer both go through it. The driver chooses the event that is due
//! next; the explorer tries all of them, a timeout among them, since with a late enough clock any
//! ongoing transaction is due.
//!
//! Source: Flink 2.1, CheckpointCoordinator (completePendingCheckpoint, declineCheckpoint,
//! notifyCheckpointComplete); the actors' rules are in the files of their names.

use super::coordinator::{expire, time_out, write_markers};
use super::event::{Completion, Event, Fact, Hear, NotNow, Restart, Rules, Step};
use super::state::{IdState, Lane, NONE, Phase, Place, State};
use super::task::drop_snapshot;

/// Makes one step. Where the event cannot happen, the state may be half changed and must be dropped.
pub fn step(
    state: &mut State,
    event: Event,
    rules: &Rules,
    out: &mut impl Hear,
) -> Result<(), NotNow> {
    let mut at = Step { state, rules, out };
    match event {
        Event::Write { job, lane, to } => at.write(job, lane, to),
        Event::SendHeld { job, lane } => at.send_held(job, lane),
        Event::Barrier { job, lane } => at.barrier(job, lane),
        Event::Complete { job, kind } => at.complete(job, kind),
        Event::Decline { job } => at.decline(job),
        Event::Commit { job, lane } => at.commit(job, lane),
        Event::Recommit { job, lane, is_late } => at.recommit(job, lane, is_late),
        Event::Open { job, lane } => at.open(job, lane),
        Event::Crash { job } => at.crash(job),
        Event::CutOff { job } => at.cut_off(job),
        Event::Restore { job, with } => at.restore(job, with),
        Event::Finish { job } => at.finish(job),
        Event::ZombieSend { job, lane, to } => at.zombie_send(job, lane, to),
        Event::ZombieCommit { job, lane, checkpoint } => at.zombie_commit(job, lane, checkpoint),
        Event::GiveUp { job, lane } => at.give_up(job, lane),
        Event::TimeOut { lane, id } => {
            time_out(&mut at.state.lanes[lane as usize], lane, id, at.out)
        }
        Event::WriteMarkers { lane, id } => {
            write_markers(&mut at.state.lanes[lane as usize], lane, id, at.out)
        }
        Event::Expire { lane, id } => expire(&mut at.state.lanes[lane as usize], lane, id, at.out),
        Event::FailOver => {
            // The new coordinator reads the transaction log: what was prepared is prepared still.
            at.out.hear(Fact::FailedOver);
            Ok(())
        }
        Event::Refuse { job, refusal } => at.refuse(job, refusal),
    }
}

impl<H: Hear> Step<'_, H> {
    /// Whether every task has acknowledged the checkpoint that settles next.
    fn is_acknowledged(&self, job: u8) -> bool {
        let next = self.state.job(job).settled + 1;
        self.state.is_running(job)
            && self.state.active(job).all(|lane| self.state.task(job, lane).acked >= next)
    }

    fn complete(&mut self, job: u8, kind: Completion) -> Result<(), NotNow> {
        if !self.is_acknowledged(job) {
            return Err(NotNow);
        }
        let owner = &mut self.state.jobs[job as usize];
        owner.settled += 1;
        let checkpoint = owner.settled;
        if kind != Completion::Savepoint {
            owner.completed = checkpoint;
            for lane in &mut self.state.lanes {
                for at in 0..lane.held.len() {
                    let it = lane.held[at];
                    if it.job == job && it.place == Place::Snapshot(checkpoint) {
                        lane.txns[it.txn as usize].is_owned = true;
                    }
                }
                if !self.rules.keeps_all {
                    let kept = &self.rules.kept;
                    let is_old = |job_of: u8, number: u32| {
                        job_of == job && number < checkpoint && !kept.contains(&number)
                    };
                    lane.snapshots.retain(|it| !is_old(it.job, it.checkpoint));
                    lane.held.retain(
                        |it| !matches!(it.place, Place::Snapshot(number) if is_old(it.job, number)),
                    );
                }
            }
        }
        if kind == Completion::Told {
            self.state.jobs[job as usize].notified = checkpoint;
        }
        self.out.hear(Fact::Completed { job, checkpoint, kind });
        Ok(())
    }

    /// The sink ignores that a checkpoint was aborted: what was pre-committed for it stays with the
    /// committer.
    fn decline(&mut self, job: u8) -> Result<(), NotNow> {
        if !self.is_acknowledged(job) {
            return Err(NotNow);
        }
        self.state.jobs[job as usize].settled += 1;
        let checkpoint = self.state.job(job).settled;
        for lane in &mut self.state.lanes {
            drop_snapshot(lane, job, checkpoint);
        }
        self.out.hear(Fact::Declined { job, checkpoint });
        Ok(())
    }
}

/// What may happen how far: everything, or what an exploration is bounded to.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The end of the input: a source position.
    pub input: u32,
    /// The last checkpoint.
    pub checkpoints: u32,
    pub crashes: bool,
    pub timeouts: bool,
    pub declines: bool,
    pub lost_notifications: bool,
    pub expiries: bool,
    pub older_restores: bool,
    pub zombies: bool,
}

/// Lists the steps of a job, which are its coordinator's, its tasks' and those of tasks that were cut
/// off, with the faults that the limits allow, in a fixed order. A listed one may still have to wait,
/// which `step` then says.
pub fn job_steps(state: &State, job: u8, limits: &Limits, out: &mut Vec<Event>) {
    let owner = state.job(job);
    if owner.is_up {
        while_up(state, job, limits, out);
    } else if !owner.is_finished {
        let older = limits.older_restores && owner.completed > 0;
        for from in if older { 1 } else { owner.completed }..=owner.completed {
            out.push(Event::Restore { job, with: same_settings(state, job, from) });
        }
    }
    if limits.zombies {
        for (number, lane) in state.lanes.iter().enumerate() {
            zombie_steps(lane, job, number as u32, owner.parallelism, limits, out);
        }
    }
}

fn zombie_steps(
    lane: &Lane,
    job: u8,
    number: u32,
    parallelism: u32,
    limits: &Limits,
    out: &mut Vec<Event>,
) {
    let zombie = lane.zombies[job as usize];
    if zombie.phase != Phase::Running {
        return;
    }
    let to = zombie.position + parallelism;
    if to <= limits.input {
        out.push(Event::ZombieSend { job, lane: number, to });
    }
    for txn in lane.held_at(job, Place::Zombie) {
        // It can only have been told of checkpoints that were completed; one that was under way when
        // it was cut off never is.
        if lane.txn(txn).is_owned {
            let checkpoint = lane.txn(txn).checkpoint;
            out.push(Event::ZombieCommit { job, lane: number, checkpoint });
        }
    }
}

/// Lists the steps of the transaction coordinator.
pub fn coordinator_steps(state: &State, limits: &Limits, out: &mut Vec<Event>) {
    for (number, lane) in state.lanes.iter().enumerate() {
        for (id, record) in lane.ids.iter().enumerate() {
            let (lane, id) = (number as u32, id as u32);
            match record.state {
                IdState::Ongoing if limits.timeouts => out.push(Event::TimeOut { lane, id }),
                IdState::PrepareCommit | IdState::PrepareAbort => {
                    out.push(Event::WriteMarkers { lane, id });
                }
                IdState::CompleteCommit | IdState::CompleteAbort | IdState::Empty
                    if limits.expiries =>
                {
                    out.push(Event::Expire { lane, id });
                }
                _ => {}
            }
        }
    }
}

fn while_up(state: &State, job: u8, limits: &Limits, out: &mut Vec<Event>) {
    let owner = state.job(job);
    let is_running = state.is_running(job);
    let next = owner.settled + 1;
    let mut all_acked = is_running;
    for (number, lane) in state.lanes.iter().enumerate() {
        let task = &lane.tasks[job as usize];
        let lane_of = number as u32;
        match task.phase {
            Phase::Down => continue,
            Phase::Recommitting => {
                out.push(Event::Recommit { job, lane: lane_of, is_late: false });
            }
            Phase::CleaningUp => out.push(Event::Open { job, lane: lane_of }),
            Phase::Running => {
                // The last round is not whole where another number of subtasks began it.
                let to = (task.position + owner.parallelism).min(limits.input);
                if to > task.position {
                    out.push(Event::Write { job, lane: lane_of, to });
                }
                if task.sent < task.position {
                    out.push(Event::SendHeld { job, lane: lane_of });
                }
                if is_running && task.acked < next && next <= limits.checkpoints {
                    out.push(Event::Barrier { job, lane: lane_of });
                }
                let is_due = |txn: u32| lane.txn(txn).checkpoint <= owner.notified;
                if lane.held_at(job, Place::Committer).any(is_due) {
                    out.push(Event::Commit { job, lane: lane_of });
                }
            }
        }
        all_acked &= task.acked >= next;
    }
    if all_acked {
        out.push(Event::Complete { job, kind: Completion::Told });
        if limits.lost_notifications {
            out.push(Event::Complete { job, kind: Completion::Untold });
        }
        if limits.declines {
            out.push(Event::Decline { job });
        }
    }
    if limits.crashes {
        out.push(if limits.zombies { Event::CutOff { job } } else { Event::Crash { job } });
    }
}

/// A restart that changes no setting.
pub fn same_settings(state: &State, job: u8, from: u32) -> Restart {
    let owner = state.job(job);
    Restart {
        from,
        position: 0,
        prefix: owner.prefix,
        naming: owner.naming,
        parallelism: owner.parallelism,
    }
}

/// The committables of a job that its tasks still have to commit.
pub fn is_settled(state: &State, job: u8) -> bool {
    state.lanes.iter().all(|lane| {
        lane.held_at(job, Place::Committer).next().is_none()
            && (lane.tasks[job as usize].txn == NONE || !state.job(job).is_transactional)
            && !lane.ids.iter().any(|it| matches!(it.state, IdState::PrepareCommit))
    })
}
