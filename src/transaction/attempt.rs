//! The attempts of a job by the clock: how one begins, what it does before it runs, and when the next
//! follows a failure.
//!
//! Source: Flink 2.1, FixedDelayRestartBackoffTimeStrategy (a delay, and a number of attempts); the rest
//! is the relation's.

use super::driver::{Action, Attempt, Player};
use super::error::TransactionError;
use super::event::{Event, Restart};
use super::state::{Phase, Place, Refusal};

impl Player<'_> {
    /// A new attempt begins.
    pub fn start(&mut self, job: u8, by_scenario: bool) -> Result<(), TransactionError> {
        self.expire_idle();
        let latest = self.state.job(job).completed;
        let now = self.now;
        let run = &mut self.runs[job as usize];
        run.exists = true;
        run.restart_due = false;
        run.is_started = false;
        run.stop_after = None;
        run.is_waiting = false;
        if by_scenario {
            run.gave_up_at = None;
        } else {
            run.with.from = latest;
        }
        let with = run.with;
        let attempt =
            Attempt { by_scenario, started_at: now, reached_running: false, failed_at: None };
        run.attempts.push(attempt);
        run.from = with.from;
        self.refuse_if_too_large(job);
        self.take(Event::Restore { job, with }).ok();
        let attempt = self.runs[job as usize].attempts.len() as u32;
        if self.now < self.runs[job as usize].unreachable_until {
            let until = self.runs[job as usize].unreachable_until;
            self.wait_for_broker(job);
            self.push(until, Action::Start { job, attempt });
            return Ok(());
        }
        self.recover(job)
    }

    /// Commits again, aborts what was left behind, opens, and begins the first interval.
    pub fn recover(&mut self, job: u8) -> Result<(), TransactionError> {
        for lane in 0..self.state.lanes.len() {
            while self.state.job(job).is_up
                && self.state.task(job, lane).phase == Phase::Recommitting
            {
                let is_late = self.is_late(job, lane);
                let event = Event::Recommit { job, lane: lane as u32, is_late };
                if self.take(event).is_err() {
                    self.write_markers();
                    if self.take(event).is_err() {
                        break;
                    }
                }
                self.write_markers();
            }
        }
        for lane in self.state.active(job) {
            let event = Event::Open { job, lane: lane as u32 };
            // The coordinator asks who comes while it writes markers to come again.
            if self.state.job(job).is_up && self.take(event).is_err() {
                self.write_markers();
                self.take(event).ok();
            }
        }
        self.write_markers();
        if !self.state.is_running(job) {
            return Ok(());
        }
        let run = &mut self.runs[job as usize];
        run.base = self.now;
        run.is_started = true;
        run.is_waiting = false;
        let from = run.from;
        if let Some(at) = self.init_hook(job) {
            let attempts = self.runs[job as usize].attempts.len();
            self.do_fault(at)?;
            // Not every fault ends the attempt that it strikes.
            let goes_on = self.runs[job as usize].attempts.len() == attempts;
            if !goes_on || !self.state.is_running(job) {
                return Ok(());
            }
        }
        self.interval(job, from);
        self.schedule_fault();
        Ok(())
    }

    /// Whether more than the timeout has passed since the transaction to be recommitted began, by
    /// the job's clock.
    fn is_late(&self, job: u8, lane: usize) -> bool {
        let here = &self.state.lanes[lane];
        here.held_at(job, Place::Committer).next().is_some_and(|txn| {
            let id = here.txn(txn).id as usize;
            let clock = self.clocks.get(lane).and_then(|it| it.get(id));
            clock.is_some_and(|it| self.now - it.started.min(self.now) > it.timeout)
        })
    }

    pub fn refuse_if_too_large(&mut self, job: u8) {
        let timeout = self.runs[job as usize].timeout;
        let held = self.state.job(job).refusal;
        let refusal = match held {
            Some(Refusal::SamePrefixInJvm) => held,
            _ if self.denied => Some(Refusal::Denied),
            _ if timeout == 0 || timeout > self.max_timeout => Some(Refusal::TimeoutTooLarge),
            _ => None,
        };
        if refusal != held {
            self.take(Event::Refuse { job, refusal }).ok();
        }
    }

    /// A task failed: the restart strategy tries again after its delay.
    pub fn failed(&mut self, job: u8) {
        let now = self.now;
        let delay = self.settings.auto_restart_delay_ms;
        let run = &mut self.runs[job as usize];
        run.down_at = now;
        if let Some(attempt) = run.attempts.last_mut() {
            attempt.failed_at = Some(now);
        }
        let attempt = run.attempts.len() as u32;
        if run.auto_restarts < self.settings.max_auto_restarts {
            run.auto_restarts += 1;
            run.restart_due = true;
            self.push(now + delay, Action::AutoRestart { job, attempt });
        } else {
            run.gave_up_at = Some(now);
        }
    }

    pub fn restart_with(&mut self, job: u8, with: Restart) {
        self.runs[job as usize].with = with;
    }
}
