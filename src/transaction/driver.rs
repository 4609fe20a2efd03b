//! The clock: which event is due next, and when.
//!
//! The conventions are those of the recorded scenarios: the first start is at 0, scans for timed out
//! transactions come at multiples of their interval, and a transaction that began at s is aborted by
//! the first scan after s + transaction.timeout.ms.
//!
//! Source: Kafka 4.x, TransactionStateManager (timedOutTransactions: start + timeout < now; removal
//! of expired ids each hour, transaction.remove.expired.transaction.cleanup.interval.ms).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::error::TransactionError;
use super::event::{Event, Fact, NotNow, Restart, Rules, Sink};
use super::names::Known;
use super::params::{
    Fault, From, Guarantee, JobName, NamingStrategy, PlayParams, ScenarioParams, SinkKind,
    TxnProtocol,
};
use super::relation::step;
use super::state::{IdState, JOBS, Job, Lane, Naming, Ownership, State};

/// transaction.remove.expired.transaction.cleanup.interval.ms.
const EXPIRY_CHECK_MS: u64 = 3_600_000;

/// The most facts of a run.
pub const MAX_FACTS: usize = 400_000;

/// A fact with its time [ms].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timed {
    pub at: u64,
    pub fact: Fact,
}

/// What is due at a time. Actions of an attempt that is over are dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Action {
    Scan { lane: u32, id: u32, txn: u32 },
    Write { job: u8, attempt: u32, last: bool },
    Barrier { job: u8, attempt: u32 },
    Complete { job: u8, attempt: u32, checkpoint: u32 },
    Commit { job: u8, attempt: u32, checkpoint: u32 },
    GiveUp { job: u8, attempt: u32 },
    Start { job: u8, attempt: u32 },
    AutoRestart { job: u8, attempt: u32 },
    Fault { at: usize, attempt: u32 },
}

/// The clocks of one transactional id.
#[derive(Debug, Clone, Copy, Default)]
pub struct IdClock {
    /// The timeout of the InitProducerId before its transaction [ms].
    pub timeout: u64,
    pub started: u64,
    pub updated: u64,
}

/// What one attempt was.
#[derive(Debug, Clone, Copy)]
pub struct Attempt {
    pub by_scenario: bool,
    pub started_at: u64,
    pub reached_running: bool,
    pub failed_at: Option<u64>,
}

/// The timed side of a job.
#[derive(Debug, Clone)]
pub struct Run {
    pub exists: bool,
    pub attempts: Vec<Attempt>,
    /// Where its first interval begins [ms], and the checkpoint it goes on from.
    pub base: u64,
    pub from: u32,
    pub is_started: bool,
    pub timeout: u64,
    pub with: Restart,
    /// The source position where the interval began.
    pub interval_from: u32,
    pub auto_restarts: u32,
    pub gave_up_at: Option<u64>,
    pub restart_due: bool,
    pub down_at: u64,
    pub stop_after: Option<u32>,
    pub unreachable_until: u64,
    pub is_waiting: bool,
}

pub struct Player<'a> {
    pub settings: &'a ScenarioParams,
    pub faults: &'a [Fault],
    pub rules: Rules,
    pub state: State,
    pub prefixes: Vec<String>,
    pub runs: [Run; JOBS],
    pub now: u64,
    pub facts: Vec<Timed>,
    /// The events in order; the tests walk them through the explorer's relation.
    pub path: Vec<Event>,
    /// The state before the first event.
    pub initial: State,
    pub clocks: Vec<Vec<IdClock>>,
    /// Ids whose transaction is decided and whose markers may be missing, by lane.
    prepared: Vec<(u32, u32)>,
    queue: BinaryHeap<Reverse<(u64, u64, u64, Action)>>,
    sequence: u64,
    /// The next fault that has not happened.
    pub next_fault: usize,
    pub last_fault_at: u64,
    pub armed: Vec<usize>,
    pub input: u32,
    /// How far the first job has read it.
    pub read: u32,
    pub final_checkpoint: Option<bool>,
    pub max_timeout: u64,
    pub denied: bool,
    pub retries: u32,
    pub max_block: u64,
    pub skipped: u32,
    pub unreached: Vec<usize>,
    pub end: Option<u64>,
}

impl<'a> Player<'a> {
    pub fn new(params: &'a PlayParams) -> Self {
        let it = &params.settings;
        let mut prefixes = vec![it.prefix.clone()];
        let intern = |prefixes: &mut Vec<String>, name: &str| {
            prefixes.iter().position(|it| it == name).unwrap_or_else(|| {
                prefixes.push(name.to_owned());
                prefixes.len() - 1
            }) as u8
        };
        let prefix = intern(&mut prefixes, &it.prefix);
        let naming = naming_of(it.naming);
        let with = Restart { from: 0, position: 0, prefix, naming, parallelism: it.parallelism };
        let job = Job {
            is_up: false,
            is_finished: false,
            is_transactional: it.delivery_guarantee == Guarantee::ExactlyOnce
                && it.sink != SinkKind::Upsert,
            prefix,
            naming,
            ownership: Ownership::BySubtask,
            parallelism: it.parallelism,
            completed: 0,
            settled: 0,
            notified: 0,
            refusal: None,
        };
        let other = it.other_writer.unwrap_or(it.delivery_guarantee);
        let mut second = job;
        second.is_transactional = other == Guarantee::ExactlyOnce && it.sink != SinkKind::Upsert;
        let run = Run {
            exists: true,
            attempts: Vec::new(),
            base: 0,
            from: 0,
            is_started: false,
            timeout: it.txn_timeout_ms,
            with,
            interval_from: 0,
            auto_restarts: 0,
            gave_up_at: None,
            restart_due: false,
            down_at: 0,
            stop_after: None,
            unreachable_until: 0,
            is_waiting: false,
        };
        let sink = match it.sink {
            SinkKind::KafkaSink => Sink::Kafka,
            SinkKind::Legacy => Sink::Legacy,
            SinkKind::Upsert => Sink::Upsert,
            SinkKind::File => Sink::File,
            SinkKind::Table => Sink::Table,
        };
        let rules = Rules {
            sink,
            is_v2: it.txn_protocol == TxnProtocol::Tv2,
            pool: it.pool_size,
            first_epoch: -1,
            covers: Vec::new(),
            keeps_all: false,
            kept: restored(&params.faults),
            concurrent: u32::MAX / 2,
            ignores_late: false,
            // Here each record is sent as it is read.
            flushes: true,
            walks_beyond: true,
        };
        let mut player = Self {
            settings: it,
            faults: &params.faults,
            rules,
            state: State { jobs: [job, second], lanes: Vec::new(), end_offset: 0 },
            prefixes,
            runs: [run.clone(), Run { exists: false, ..run }],
            now: 0,
            facts: Vec::new(),
            path: Vec::new(),
            initial: State { jobs: [job, second], lanes: Vec::new(), end_offset: 0 },
            clocks: Vec::new(),
            prepared: Vec::new(),
            queue: BinaryHeap::new(),
            sequence: 0,
            next_fault: 0,
            last_fault_at: 0,
            armed: Vec::new(),
            input: it.records_per_interval.saturating_mul(it.intervals),
            read: 0,
            final_checkpoint: None,
            max_timeout: it.broker_max_txn_timeout_ms,
            denied: false,
            retries: if sink == Sink::Legacy { 0 } else { 10 },
            max_block: 60_000,
            skipped: 0,
            unreached: Vec::new(),
            end: None,
        };
        player.intern_prefixes();
        player
    }

    /// Gives every prefix of the scenario a number, and says which of them cover which.
    fn intern_prefixes(&mut self) {
        let named = self.faults.iter().filter_map(|fault| match fault {
            Fault::Restore { prefix, .. } | Fault::SecondJobStarts { prefix, .. } => {
                prefix.as_ref()
            }
            _ => None,
        });
        let other = format!("~{}", self.settings.prefix);
        let all = named.chain(self.settings.new_prefix.as_ref()).cloned().chain([other]);
        for name in all {
            if !self.prefixes.contains(&name) {
                self.prefixes.push(name);
            }
        }
        for (at, own) in self.prefixes.iter().enumerate() {
            for (other, name) in self.prefixes.iter().enumerate() {
                if at != other && name.starts_with(own.as_str()) {
                    self.rules.covers.push((at as u8, other as u8));
                }
            }
        }
    }

    pub fn prefix_number(&self, name: &str) -> u8 {
        self.prefixes.iter().position(|it| it == name).unwrap_or(0) as u8
    }

    /// Plays to the end.
    pub fn play(mut self) -> Result<Self, TransactionError> {
        self.begin()?;
        loop {
            self.check_end()?;
            let Some(Reverse((at, ..))) = self.queue.peek() else { break };
            if self.end.is_some_and(|end| *at > end) {
                break;
            }
            let Some(Reverse((at, _, _, action))) = self.queue.pop() else { break };
            self.now = at;
            self.act(action)?;
            if self.facts.len() > MAX_FACTS {
                return Err(TransactionError::TooLong { limit: MAX_FACTS });
            }
        }
        self.now = self.end.unwrap_or(self.now).max(self.now);
        Ok(self)
    }

    /// The judged job's number.
    pub fn judged(&self) -> u8 {
        u8::from(self.settings.judge == JobName::B)
    }

    /// Scans come before all else of their millisecond, since they wait for nobody.
    pub fn push(&mut self, at: u64, action: Action) {
        let rank = match action {
            Action::Scan { .. } => 0,
            Action::Write { job, .. } => 1 + u64::from(job),
            _ => 1,
        };
        self.sequence += 1;
        // What an outage delayed is due at once, not in the past.
        let at = at.max(self.now);
        self.queue.push(Reverse((at, rank, self.sequence, action)));
    }

    /// Makes an event happen now.
    pub fn take(&mut self, event: Event) -> Result<(), NotNow> {
        let mut heard: Vec<Fact> = Vec::new();
        // Of the others, one that cannot happen finds that out before it changes anything. These two stop
        // at an id whose markers are not written yet, and where there is none, nothing need be kept.
        let may_stop_halfway = matches!(event, Event::Open { .. } | Event::Barrier { .. })
            && !self.prepared.is_empty();
        let before = may_stop_halfway.then(|| self.state.clone());
        if let Err(refused) = step(&mut self.state, event, &self.rules, &mut heard) {
            if let Some(before) = before {
                self.state = before;
            }
            return Err(refused);
        }
        self.path.push(event);
        for fact in heard {
            self.note(fact);
        }
        Ok(())
    }

    fn clock(&mut self, lane: u32, id: u32) -> &mut IdClock {
        let (lane, id) = (lane as usize, id as usize);
        if self.clocks.len() <= lane {
            self.clocks.resize_with(lane + 1, Vec::new);
        }
        if self.clocks[lane].len() <= id {
            self.clocks[lane].resize(id + 1, IdClock::default());
        }
        &mut self.clocks[lane][id]
    }

    /// Keeps the clocks by what is heard.
    fn note(&mut self, fact: Fact) {
        let now = self.now;
        self.facts.push(Timed { at: now, fact });
        match fact {
            Fact::Initialised { job, lane, id, .. } => {
                let timeout = self.runs[job as usize].timeout;
                let clock = self.clock(lane, id);
                clock.timeout = timeout;
                clock.updated = now;
            }
            Fact::Started { lane, id, txn } => {
                let scan = self.settings.broker_abort_scan_ms;
                let clock = self.clock(lane, id);
                clock.started = now;
                clock.updated = now;
                let due = (now + clock.timeout) / scan * scan + scan;
                self.push(due, Action::Scan { lane, id, txn });
            }
            Fact::Prepared { lane, id, .. } => {
                self.clock(lane, id).updated = now;
                self.prepared.push((lane, id));
            }
            Fact::Marked { lane, txn, .. } => {
                let id = self.state.lanes[lane as usize].txn(txn).id;
                if self.rules.sink.has_coordinator() {
                    self.clock(lane, id).updated = now;
                }
            }
            Fact::Running { job } => {
                if let Some(attempt) = self.runs[job as usize].attempts.last_mut() {
                    attempt.reached_running = true;
                }
            }
            Fact::Failed { job, .. } => self.failed(job),
            _ => {}
        }
    }

    /// The coordinator writes the markers of all that is decided.
    pub fn write_markers(&mut self) {
        let mut prepared = std::mem::take(&mut self.prepared);
        prepared.sort_unstable();
        for (lane, id) in prepared {
            // Whoever aborts a transaction at once has written them.
            self.take(Event::WriteMarkers { lane, id }).ok();
        }
    }

    pub fn scan(&mut self, lane: u32, id: u32, txn: u32) {
        let record = *self.state.lanes[lane as usize].record(id);
        if record.state == IdState::Ongoing && record.txn == txn {
            self.take(Event::TimeOut { lane, id }).ok();
            self.take(Event::WriteMarkers { lane, id }).ok();
        }
    }

    /// Removes the ids that the hourly task has found idle for longer than they are kept.
    pub fn expire_idle(&mut self) {
        let found_until = self.now / EXPIRY_CHECK_MS * EXPIRY_CHECK_MS;
        for lane in 0..self.state.lanes.len() {
            for id in 0..self.state.lanes[lane].ids.len() {
                let idle_since = self.clock(lane as u32, id as u32).updated;
                let state = self.state.lanes[lane].ids[id].state;
                let is_old = idle_since + self.settings.txn_id_expiration_ms < found_until;
                if is_old && state != IdState::Dead {
                    let event = Event::Expire { lane: lane as u32, id: id as u32 };
                    self.take(event).ok();
                }
            }
        }
    }

    pub fn lane(&self, lane: u32) -> &Lane {
        &self.state.lanes[lane as usize]
    }

    pub fn known(&self) -> Known<'_> {
        Known {
            sink: self.rules.sink,
            pool: self.rules.pool,
            state: &self.state,
            prefixes: &self.prefixes,
            clocks: &self.clocks,
            has_two: self.runs.iter().all(|it| it.exists),
        }
    }
}

/// The checkpoints that faults restore by their numbers.
fn restored(faults: &[Fault]) -> Vec<u32> {
    let from = faults.iter().filter_map(|it| match it {
        Fault::Restore { from: Some(From::Number(number)), .. } => Some(*number),
        _ => None,
    });
    from.collect()
}

pub fn naming_of(strategy: NamingStrategy) -> Naming {
    match strategy {
        NamingStrategy::Incrementing => Naming::Incrementing,
        NamingStrategy::Pooling => Naming::Pooling,
    }
}
