//! Where the user placed faults: which comes next, when it is due, and what it does.
//!
//! Faults happen in the order in which they are given. Those that only mark a checkpoint, or set
//! something, take hold as soon as the faults before them have happened.
//!
//! Source: the conventions of the recorded scenarios.

use super::driver::{Action, Player, naming_of};
use super::error::TransactionError;
use super::event::{Event, Restart, Sink};
use super::params::{
    CheckpointRef, Fault, From, JobName, Moment, NamingStrategy, SettingValue, is_init_call,
    is_listing_call,
};
use super::state::{JOBS, Naming, Refusal};

/// Just before: 1 ms.
const JUST_MS: u64 = 1;

/// How long after the event before it a zombie acts [ms].
const ZOMBIE_MS: u64 = 1_000;

/// How far beyond the input a checkpoint may lie that a fault waits for.
const WAITED_CHECKPOINTS: u32 = 1_000;

/// When a fault strikes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Due {
    At(u64),
    /// As this job commits this checkpoint.
    Commit(u8, u32),
    /// When this job's next attempt has opened its transactions.
    Init(u8),
    /// Not in this attempt.
    Later,
}

impl Player<'_> {
    /// Lets the faults take hold that need no moment, and schedules the first that does.
    pub fn arm_faults(&mut self) -> Result<(), TransactionError> {
        while let Some(fault) = self.faults.get(self.next_fault) {
            match fault {
                Fault::NotifyLost { .. }
                | Fault::CheckpointDeclined { .. }
                | Fault::Savepoint { .. } => self.armed.push(self.next_fault),
                Fault::SecondSinkSameJvm {} => {
                    if self.rules.sink == Sink::Kafka && self.state.job(0).is_transactional {
                        let refusal = Some(Refusal::SamePrefixInJvm);
                        self.take(Event::Refuse { job: 0, refusal }).ok();
                    }
                }
                Fault::AclDenied { op } => {
                    let lists = self.settings.naming == NamingStrategy::Pooling
                        && self.rules.sink == Sink::Kafka;
                    self.denied |= op
                        .split('/')
                        .any(|call| is_init_call(call) || (lists && is_listing_call(call)));
                }
                Fault::Set { option, value, producer_epoch } => {
                    if let (Some(epoch), false) = (producer_epoch, self.is_probing()) {
                        self.rules.first_epoch = *epoch;
                    }
                    match (option.as_deref(), value) {
                        (
                            Some("ignoreFailuresAfterTransactionTimeout"),
                            Some(SettingValue::Flag(on)),
                        ) => {
                            self.rules.ignores_late = *on;
                        }
                        (Some("sink.committer.retries"), Some(SettingValue::Number(count))) => {
                            self.retries = u32::try_from(*count).unwrap_or(u32::MAX);
                        }
                        (Some("max.block.ms"), Some(SettingValue::Number(ms))) => {
                            self.max_block = *ms;
                        }
                        _ => {}
                    }
                }
                Fault::Run { for_ms } => {
                    let intervals = for_ms / self.settings.checkpoint_interval_ms;
                    let intervals = u32::try_from(intervals).unwrap_or(u32::MAX);
                    self.input = self.settings.records_per_interval.saturating_mul(intervals);
                }
                Fault::EndOfInput { after_interval, final_checkpoint } => {
                    let end = self.settings.records_per_interval.saturating_mul(*after_interval);
                    if self.read > end {
                        let (at, after_interval) = (self.next_fault, *after_interval);
                        return Err(TransactionError::ReadAlready { at, after_interval });
                    }
                    self.input = self.input.min(end);
                    self.final_checkpoint = Some(final_checkpoint.unwrap_or(true));
                }
                _ => {
                    self.schedule_fault();
                    return Ok(());
                }
            }
            self.next_fault += 1;
        }
        Ok(())
    }

    /// An id that is already used when the job starts would be found by probing, and the next, without
    /// end; so only ids that are used again can be worn.
    fn is_probing(&self) -> bool {
        self.rules.sink == Sink::Kafka && self.state.job(0).naming == Naming::Incrementing
    }

    fn job_of(fault: &Fault) -> u8 {
        match fault {
            Fault::Crash { job: Some(JobName::B), .. }
            | Fault::Restore { job: Some(JobName::B), .. } => 1,
            _ => 0,
        }
    }

    fn number(&self, checkpoint: Option<&CheckpointRef>, job: u8) -> u32 {
        match checkpoint {
            Some(CheckpointRef::Number(number)) => *number,
            _ => self.runs[job as usize].from + 1,
        }
    }

    /// Whether a fault of this kind marks this checkpoint of the judged faults' job.
    pub fn armed_for(&self, job: u8, checkpoint: u32, kind: impl Fn(&Fault) -> bool) -> bool {
        job == 0
            && self.armed.iter().any(|at| match &self.faults[*at] {
                it @ (Fault::NotifyLost { checkpoint: marked }
                | Fault::CheckpointDeclined { checkpoint: marked }
                | Fault::Savepoint { checkpoint: marked, .. }) => {
                    kind(it) && self.number(Some(marked), job) == checkpoint
                }
                _ => false,
            })
    }

    fn due(&self, fault: &Fault) -> Due {
        let job = Self::job_of(fault);
        let (moment, checkpoint) = match fault {
            Fault::Crash { at, checkpoint, .. } | Fault::JmCrash { at, checkpoint } => {
                (*at, checkpoint)
            }
            Fault::TmPartition { at, checkpoint }
            | Fault::SecondJobStarts { at, checkpoint, .. }
            | Fault::BrokerMaxLowered { at, checkpoint, .. } => {
                (at.unwrap_or(Moment::MidInterval), checkpoint)
            }
            Fault::BrokerCoordinatorFailover { at, checkpoint } => {
                (at.unwrap_or(Moment::PrepareCommit), checkpoint)
            }
            Fault::BrokerUnreachable { at, checkpoint, .. } => {
                (at.unwrap_or(Moment::DuringCommit), checkpoint)
            }
            Fault::Restore { after_ms, .. } => {
                let after = after_ms.unwrap_or(self.settings.downtime_ms);
                let down = self.runs[job as usize].down_at.max(self.last_fault_at);
                return Due::At(down + after);
            }
            Fault::ZombieSend {} | Fault::ZombieCommit { .. } => {
                return Due::At(self.last_fault_at + ZOMBIE_MS);
            }
            _ => return Due::Later,
        };
        let it = self.settings;
        let number = if moment == Moment::BeforeFirstCheckpoint {
            self.runs[job as usize].from + 1
        } else {
            self.number(checkpoint.as_ref(), job)
        };
        let run = &self.runs[job as usize];
        let is_up = self.state.job(job).is_up && run.is_started;
        match moment {
            Moment::DuringCommit
            | Moment::PrepareCommit
            | Moment::PartialCommit
            | Moment::AfterCommit => return Due::Commit(job, number),
            Moment::RightAfterInit => return Due::Init(job),
            _ if !is_up || number <= run.from => return Due::Later,
            _ => {}
        }
        let begin = self.interval_begin(job, number);
        let barrier = begin + it.checkpoint_interval_ms;
        let at = match moment {
            Moment::AfterPrecommit => barrier + it.checkpoint_duration_ms / 2,
            Moment::AfterComplete => barrier + it.checkpoint_duration_ms + it.notify_delay_ms / 2,
            // The second half counts as written one second before the barrier even where all
            // records come early.
            _ if it.idle_tail => barrier - 1_000 - JUST_MS,
            _ => begin + self.last_offset() - JUST_MS,
        };
        if at < self.now { Due::Later } else { Due::At(at) }
    }

    /// Puts the next fault into the queue if it has a time.
    pub fn schedule_fault(&mut self) {
        let Some(fault) = self.faults.get(self.next_fault) else { return };
        if let Due::At(at) = self.due(fault) {
            let attempt = self.runs[Self::job_of(fault) as usize].attempts.len() as u32;
            self.push(at.max(self.now), Action::Fault { at: self.next_fault, attempt });
        }
    }

    pub fn fault_is_due(&mut self, at: usize, attempt: u32) -> Result<(), TransactionError> {
        let is_next = at == self.next_fault;
        let fault = &self.faults[at];
        let is_timed = matches!(
            fault,
            Fault::Restore { .. } | Fault::ZombieSend {} | Fault::ZombieCommit { .. }
        );
        let attempts = self.runs[Self::job_of(fault) as usize].attempts.len() as u32;
        if is_next && (is_timed || attempt == attempts) {
            self.do_fault(at)?;
        }
        Ok(())
    }

    /// The fault that strikes as this checkpoint is committed; without a moment it strikes first.
    pub fn commit_hook(&self, job: u8, checkpoint: u32) -> Option<(usize, Option<Moment>)> {
        let fault = self.faults.get(self.next_fault)?;
        if self.due(fault) != Due::Commit(job, checkpoint) {
            return None;
        }
        let moment = match fault {
            Fault::BrokerUnreachable { .. } => None,
            Fault::Crash { at, .. } | Fault::JmCrash { at, .. } => Some(*at),
            Fault::BrokerCoordinatorFailover { at, .. } => {
                Some(at.unwrap_or(Moment::PrepareCommit))
            }
            Fault::TmPartition { at, .. }
            | Fault::SecondJobStarts { at, .. }
            | Fault::BrokerMaxLowered { at, .. } => *at,
            _ => None,
        };
        Some((self.next_fault, moment))
    }

    /// How many subtasks commit before the fault strikes.
    pub fn committed_subtasks(&self, at: usize) -> Option<u32> {
        match &self.faults[at] {
            Fault::Crash { at: Moment::PartialCommit, committed_subtasks, .. } => {
                Some(committed_subtasks.unwrap_or(1))
            }
            Fault::Crash { committed_subtasks, .. } => *committed_subtasks,
            _ => None,
        }
    }

    pub fn init_hook(&self, job: u8) -> Option<usize> {
        let fault = self.faults.get(self.next_fault)?;
        (self.due(fault) == Due::Init(job)).then_some(self.next_fault)
    }

    /// Whether the next fault's moment can never come.
    pub fn is_unreachable(&self) -> bool {
        let Some(fault) = self.faults.get(self.next_fault) else { return false };
        let job = Self::job_of(fault);
        let run = &self.runs[job as usize];
        let will_not_run = !self.state.job(job).is_up && !run.restart_due;
        match self.due(fault) {
            Due::At(at) => {
                let far = u64::from(WAITED_CHECKPOINTS) * self.settings.checkpoint_interval_ms;
                let is_timed = matches!(
                    fault,
                    Fault::Restore { .. } | Fault::ZombieSend {} | Fault::ZombieCommit { .. }
                );
                !is_timed && at > self.now + far
            }
            Due::Commit(job, number) => {
                let settled = self.state.job(job).settled;
                will_not_run || number < settled || number > settled + WAITED_CHECKPOINTS
            }
            Due::Init(_) | Due::Later => will_not_run || self.state.is_running(job),
        }
    }

    /// Makes a fault happen now, and looks for the next.
    pub fn do_fault(&mut self, at: usize) -> Result<(), TransactionError> {
        self.last_fault_at = self.now;
        self.next_fault = at + 1;
        let fault = &self.faults[at];
        let job = Self::job_of(fault);
        match fault {
            Fault::Crash { .. } | Fault::JmCrash { .. } => self.kill(Event::Crash { job }, job),
            Fault::TmPartition { .. } => self.kill(Event::CutOff { job }, job),
            Fault::Restore { .. } => self.restore(at)?,
            Fault::ZombieSend {} => {
                let records = self.settings.records_per_interval;
                for lane in 0..self.state.lanes.len() {
                    let from = self.state.lanes[lane].zombies[0].position;
                    let to = (from + records - records / 2).min(self.input);
                    self.read = self.read.max(to);
                    self.take(Event::ZombieSend { job: 0, lane: lane as u32, to }).ok();
                }
            }
            Fault::ZombieCommit { checkpoint } => {
                self.expire_idle();
                let checkpoint = self.number(Some(checkpoint), 0);
                for lane in 0..self.state.lanes.len() as u32 {
                    self.take(Event::ZombieCommit { job: 0, lane, checkpoint }).ok();
                }
                self.write_markers();
            }
            Fault::SecondJobStarts { prefix, .. } => {
                let name = prefix.as_ref().unwrap_or(&self.settings.prefix);
                self.runs[1].with.prefix = self.prefix_number(name);
                self.start(1, true)?;
            }
            Fault::BrokerMaxLowered { to_ms, .. } => {
                let after = self.settings.broker_max_txn_timeout_after_ms;
                self.max_timeout = to_ms.or(after).unwrap_or(self.max_timeout);
                for job in 0..JOBS as u8 {
                    self.refuse_if_too_large(job);
                }
            }
            Fault::BrokerCoordinatorFailover { .. } => {
                self.take(Event::FailOver).ok();
            }
            Fault::BrokerUnreachable { for_ms, .. } => {
                self.runs[job as usize].unreachable_until = self.now + for_ms;
            }
            _ => {}
        }
        self.arm_faults()
    }

    fn kill(&mut self, event: Event, job: u8) {
        self.take(event).ok();
        let run = &mut self.runs[job as usize];
        run.down_at = self.now;
        run.restart_due = false;
        run.is_started = false;
    }

    fn restore(&mut self, at: usize) -> Result<(), TransactionError> {
        let Fault::Restore {
            from, source_pos, prefix, naming, parallelism, txn_timeout_ms, ..
        } = &self.faults[at]
        else {
            return Ok(());
        };
        let job = Self::job_of(&self.faults[at]);
        if self.state.job(job).is_up {
            self.kill(Event::Crash { job }, job);
        }
        let before = self.runs[job as usize].with;
        let from = match from {
            Some(From::Number(number)) => *number,
            Some(From::Name(name)) if name == "none" => 0,
            _ => self.state.job(job).completed,
        };
        let is_known = self.state.lanes.first().is_some_and(|it| it.snapshot(job, from).is_some());
        if from > 0 && !is_known {
            return Err(TransactionError::NoSuchCheckpoint { at, checkpoint: from });
        }
        let settings = self.settings;
        let name = prefix.as_ref().or(settings.new_prefix.as_ref());
        let with = Restart {
            from,
            position: source_pos.unwrap_or(0).min(self.input),
            prefix: name.map_or(before.prefix, |it| self.prefix_number(it)),
            naming: naming.map_or(before.naming, naming_of),
            parallelism: parallelism.or(settings.parallelism_after).unwrap_or(before.parallelism),
        };
        if let Some(timeout) = txn_timeout_ms {
            self.runs[job as usize].timeout = *timeout;
        }
        self.restart_with(job, with);
        self.start(job, true)
    }
}
