//! What a running job does by the clock: intervals, barriers, completions and commits.
//!
//! Half of an interval's records are written at the first offset after the barrier, half one second
//! before the next. A restart commits again and begins its first interval at that instant.
//!
//! Source: Flink 2.1, CheckpointCoordinator, CheckpointRequestDecider (queuedRequests) and the fixed-delay restart strategy;
//! flink-connector-kafka 5.1, KafkaCommitter (`sink.committer.retries`: 10) and `max.block.ms`.

use super::driver::{Action, Player};
use super::error::TransactionError;
use super::event::{Completion, Event};
use super::params::{Fault, Guarantee, MAX_TIME_MS, Moment};
use super::relation::is_settled;
use super::state::{IdRecord, IdState, Ownership, Place};

/// A job that runs on without faults for longer than this many intervals is not played to its end:
/// each interval repeats the one before.
const PLAYED_INTERVALS: u32 = 64;

impl Player<'_> {
    pub fn begin(&mut self) -> Result<(), TransactionError> {
        if self.settings.connector.as_ref().is_some_and(|it| it.starts_with('3')) {
            self.state.jobs[0].ownership = Ownership::Unknown;
        }
        self.initial = self.state.clone();
        self.arm_faults()?;
        let is_rival = |it: &Fault| matches!(it, Fault::SecondJobStarts { .. });
        let has_other = self.judged() == 1 && !self.faults.iter().any(is_rival);
        self.start(0, true)?;
        if has_other {
            let prefix = self.prefix_number(&format!("~{}", self.settings.prefix));
            self.runs[1].exists = true;
            self.runs[1].with.prefix = prefix;
            self.start(1, true)?;
        }
        Ok(())
    }

    pub fn act(&mut self, action: Action) -> Result<(), TransactionError> {
        let (job, attempt) = match action {
            Action::Scan { lane, id, txn } => {
                self.scan(lane, id, txn);
                return Ok(());
            }
            Action::Fault { at, attempt } => return self.fault_is_due(at, attempt),
            Action::Write { job, attempt, .. }
            | Action::Barrier { job, attempt }
            | Action::Complete { job, attempt, .. }
            | Action::Commit { job, attempt, .. }
            | Action::GiveUp { job, attempt }
            | Action::Start { job, attempt }
            | Action::AutoRestart { job, attempt } => (job, attempt),
        };
        let run = &self.runs[job as usize];
        if attempt as usize != run.attempts.len() {
            return Ok(());
        }
        if let Action::AutoRestart { .. } = action {
            // A crash in between overtakes it: the next attempt is then the scenario's.
            return if run.restart_due { self.start(job, false) } else { Ok(()) };
        }
        if !self.state.job(job).is_up {
            return Ok(());
        }
        let waits =
            matches!(action, Action::Write { .. } | Action::Barrier { .. } | Action::Commit { .. });
        if waits && self.now < run.unreachable_until {
            let until = run.unreachable_until;
            if let Action::Commit { .. } = action {
                self.wait_for_broker(job);
            }
            self.push(until, action);
            return Ok(());
        }
        match action {
            Action::Write { last, .. } => self.write(job, last),
            Action::Barrier { .. } => self.barrier(job),
            Action::Complete { checkpoint, .. } => self.complete(job, checkpoint),
            Action::Commit { checkpoint, .. } => self.commit(job, checkpoint)?,
            Action::GiveUp { .. } => self.give_up(job),
            Action::Start { .. } => self.recover(job)?,
            _ => {}
        }
        Ok(())
    }

    /// A commit or an initTransactions that cannot reach the broker is tried until the retries are
    /// used up, each for max.block.ms.
    pub fn wait_for_broker(&mut self, job: u8) {
        let holds = self
            .state
            .lanes
            .iter()
            .any(|lane| lane.held_at(job, Place::Committer).next().is_some());
        let is_starting = !self.state.is_running(job);
        let tries = if holds { u64::from(self.retries) + 1 } else { 1 };
        let run = &mut self.runs[job as usize];
        if run.is_waiting || !(holds || is_starting) {
            return;
        }
        run.is_waiting = true;
        let attempt = run.attempts.len() as u32;
        // No time of a scenario is longer, so who would wait longer never gives up in it.
        let wait = tries.saturating_mul(self.max_block).min(MAX_TIME_MS);
        self.push(self.now + wait, Action::GiveUp { job, attempt });
    }

    fn give_up(&mut self, job: u8) {
        if self.now < self.runs[job as usize].unreachable_until {
            let lane = self.state.active(job).start as u32;
            self.take(Event::GiveUp { job, lane }).ok();
        }
    }

    fn write(&mut self, job: u8, last: bool) {
        let records = self.settings.records_per_interval;
        let whole = last || self.settings.idle_tail;
        let count = if whole { records } else { records / 2 };
        let to = (self.runs[job as usize].interval_from + count).min(self.input);
        if job == 0 {
            self.read = self.read.max(to);
        }
        for lane in self.state.active(job) {
            if self.state.task(job, lane).position < to {
                self.take(Event::Write { job, lane: lane as u32, to }).ok();
            }
            if !self.state.job(job).is_up {
                break;
            }
        }
        self.write_markers();
    }

    fn barrier(&mut self, job: u8) {
        let position = self.state.task(job, 0).position;
        let is_end = position >= self.input;
        if is_end && self.final_checkpoint == Some(false) && job == 0 {
            self.take(Event::Finish { job }).ok();
            self.runs[job as usize].down_at = self.now;
            self.write_markers();
            return;
        }
        for lane in self.state.active(job) {
            self.take(Event::Barrier { job, lane: lane as u32 }).ok();
            if !self.state.job(job).is_up {
                self.write_markers();
                return;
            }
        }
        let attempt = self.runs[job as usize].attempts.len() as u32;
        let checkpoint = self.state.task(job, 0).acked;
        let done = self.now + self.settings.checkpoint_duration_ms;
        self.push(done, Action::Complete { job, attempt, checkpoint });
        let told = done + self.settings.notify_delay_ms;
        self.push(told, Action::Commit { job, attempt, checkpoint });
        if self.armed_for(job, checkpoint, |it| {
            matches!(it, Fault::Savepoint { stop: Some(true), .. })
        }) {
            self.runs[job as usize].stop_after = Some(checkpoint);
        } else {
            self.interval(job, checkpoint);
        }
    }

    /// Schedules the interval after a checkpoint.
    pub fn interval(&mut self, job: u8, after: u32) {
        let attempt = self.runs[job as usize].attempts.len() as u32;
        let position = self.state.task(job, 0).position;
        self.runs[job as usize].interval_from = position;
        let begin = self.interval_begin(job, after + 1);
        if position < self.input {
            self.push(
                begin + self.settings.first_record_offset_ms,
                Action::Write { job, attempt, last: false },
            );
            if !self.settings.idle_tail {
                self.push(begin + self.last_offset(), Action::Write { job, attempt, last: true });
            }
        }
        let due = begin + self.settings.checkpoint_interval_ms;
        // After an outage the coordinator has requests that waited: with one checkpoint at a time each is
        // triggered when the one before it is complete.
        let is_behind = due <= self.now;
        let barrier = if is_behind { self.now + self.settings.checkpoint_duration_ms } else { due };
        self.push(barrier, Action::Barrier { job, attempt });
    }

    /// When the second half is written, after the barrier [ms].
    pub fn last_offset(&self) -> u64 {
        let it = self.settings;
        let usual = it.checkpoint_interval_ms - 1_000;
        it.last_record_offset_ms.unwrap_or(usual).max(it.first_record_offset_ms)
    }

    /// When the interval begins that ends with this checkpoint [ms].
    pub fn interval_begin(&self, job: u8, checkpoint: u32) -> u64 {
        let run = &self.runs[job as usize];
        run.base + u64::from(checkpoint - run.from - 1) * self.settings.checkpoint_interval_ms
    }

    fn complete(&mut self, job: u8, checkpoint: u32) {
        let is =
            |fault: fn(&Fault) -> bool, player: &Self| player.armed_for(job, checkpoint, fault);
        if is(|it| matches!(it, Fault::CheckpointDeclined { .. }), self) {
            self.take(Event::Decline { job }).ok();
            return;
        }
        let stops = self.runs[job as usize].stop_after == Some(checkpoint);
        let kind = if is(|it| matches!(it, Fault::Savepoint { .. }), self) && !stops {
            Completion::Savepoint
        } else if is(|it| matches!(it, Fault::NotifyLost { .. }), self) {
            Completion::Untold
        } else {
            Completion::Told
        };
        self.take(Event::Complete { job, kind }).ok();
    }

    fn commit(&mut self, job: u8, checkpoint: u32) -> Result<(), TransactionError> {
        let hook = self.commit_hook(job, checkpoint);
        if let Some((at, None)) = hook {
            // The job is cut off from the broker as it begins to commit.
            self.do_fault(at)?;
            let attempt = self.runs[job as usize].attempts.len() as u32;
            return self.act(Action::Commit { job, attempt, checkpoint });
        }
        self.runs[job as usize].is_waiting = false;
        let is_prepared =
            matches!(hook, Some((_, Some(Moment::DuringCommit | Moment::PrepareCommit))));
        let only = hook.and_then(|(at, _)| self.committed_subtasks(at)).unwrap_or(u32::MAX);
        for lane in self.state.active(job) {
            if lane as u32 >= only {
                break;
            }
            while self.take(Event::Commit { job, lane: lane as u32 }).is_ok() {
                if !is_prepared {
                    self.write_markers();
                }
            }
            if !self.state.job(job).is_up {
                break;
            }
        }
        if let Some((at, _)) = hook {
            self.do_fault(at)?;
        }
        self.write_markers();
        let is_last = self.runs[job as usize].stop_after == Some(checkpoint);
        let is_end = self.final_checkpoint.is_some()
            && job == 0
            && self.state.job(job).is_up
            && self.state.task(job, 0).position >= self.input;
        if (is_last || is_end) && is_settled(&self.state, job) {
            self.take(Event::Finish { job }).ok();
            self.runs[job as usize].down_at = self.now;
        }
        self.skip_ahead(job);
        Ok(())
    }

    /// A job that runs by itself, with all committed and time to spare, repeats each interval.
    fn skip_ahead(&mut self, job: u8) {
        let it = self.settings;
        let run = &self.runs[job as usize];
        let played = self.state.job(job).settled - run.from;
        let is_alone = !self.runs[1].exists && self.next_fault >= self.faults.len();
        let needed = it.checkpoint_interval_ms + it.checkpoint_duration_ms + it.notify_delay_ms;
        let in_time = run.timeout > needed && it.checkpoint_duration_ms < it.checkpoint_interval_ms;
        let records = it.records_per_interval;
        let left = self.input.saturating_sub(run.interval_from) / records;
        let is_calm = || {
            self.state.job(job).is_up
                && self.state.lanes.iter().all(|lane| {
                    let current = lane.tasks[job as usize].txn;
                    let is_open = |id: &IdRecord| id.state == IdState::Ongoing;
                    lane.held_at(job, Place::Committer).next().is_none()
                        && lane.ids.iter().all(|id| !is_open(id) || id.txn == current)
                })
        };
        let repeats = (it.delivery_guarantee != Guarantee::ExactlyOnce)
            || !self.rules.sink.has_coordinator()
            || in_time;
        if is_alone && repeats && played >= 2 && left > PLAYED_INTERVALS && is_calm() {
            self.skipped = left - 2;
            self.input -= self.skipped * records;
        }
    }

    /// Whether the run is over, and until when the readers are watched.
    pub fn check_end(&mut self) -> Result<(), TransactionError> {
        if self.end.is_some() {
            return Ok(());
        }
        let judged = self.judged();
        let run = &self.runs[judged as usize];
        let job = self.state.job(judged);
        let is_dead = !job.is_up && !run.restart_due && run.exists;
        // Looks at every id that there is, so not where nothing depends on it: while a job is idle for
        // days, there are many.
        let is_done = || {
            job.is_up
                && self.state.is_running(judged)
                && self.state.task(judged, 0).position >= self.input
                && is_settled(&self.state, judged)
        };
        if self.next_fault < self.faults.len() {
            if self.is_unreachable() && (is_dead || is_done()) {
                self.unreached.push(self.next_fault);
                self.next_fault += 1;
                self.arm_faults()?;
            }
            return Ok(());
        }
        let extra = self.settings.observe_extra_ms;
        if is_done() || (is_dead && job.is_finished) {
            self.end = Some(self.now + extra);
        } else if is_dead {
            let last = self.last_fault_at.max(run.gave_up_at.unwrap_or(0));
            self.end = Some((last + extra).max(self.now));
        }
        Ok(())
    }
}
