//! When the next checkpoint is triggered.
//!
//! Requests are queued by a timer that does not wait for completions, and started as concurrency
//! and pause allow; so missed ticks come in a burst, unless a pause drops them.
//!
//! Source: Flink 1.20.5, CheckpointCoordinator (ScheduledTrigger, rescheduleTrigger),
//! CheckpointRequestDecider#chooseRequestToExecute and CheckpointFailureManager; the order of polls
//! after a completion was measured on 1.20.5 and 2.2.1.

use super::time::SimTime;

/// Polls of the queue after a completion: for itself, for the clean-up of the pending checkpoint
/// and for that of the subsumed one, which the first completion does not have.
const POLLS_AFTER_COMPLETION: u32 = 3;

/// `CheckpointRequestDecider.DEFAULT_MAX_QUEUED_REQUESTS`.
const MAX_QUEUED_REQUESTS: u32 = 1000;

/// The coordinator's options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CoordinatorSettings {
    /// execution.checkpointing.interval.
    pub interval: SimTime,
    /// execution.checkpointing.min-pause.
    pub min_pause: SimTime,
    /// execution.checkpointing.timeout.
    pub timeout: SimTime,
    /// execution.checkpointing.max-concurrent-checkpoints.
    pub max_concurrent: u32,
    /// execution.checkpointing.tolerable-failed-checkpoints.
    pub tolerable_failures: u32,
}

/// The state of a coordinator. It is told what happens and answers with the checkpoints to start.
#[derive(Debug, Clone)]
pub struct Coordinator {
    settings: CoordinatorSettings,
    next_tick: SimTime,
    queued: u32,
    pending: Vec<u64>,
    next_id: u64,
    last_completion: Option<SimTime>,
    failures_in_row: u32,
    job_failed: bool,
}

impl Coordinator {
    /// A coordinator whose timer ticks first at `first`.
    pub fn new(settings: CoordinatorSettings, first: SimTime) -> Self {
        Self {
            settings,
            next_tick: first,
            queued: 0,
            pending: Vec::new(),
            next_id: 1,
            last_completion: None,
            failures_in_row: 0,
            job_failed: false,
        }
    }

    /// When the timer ticks next.
    pub fn next_tick(&self) -> SimTime {
        self.next_tick
    }

    /// Whether more checkpoints failed in a row than are tolerated.
    pub fn job_failed(&self) -> bool {
        self.job_failed
    }

    /// The timer ticks.
    pub fn tick(&mut self, now: SimTime) -> Vec<u64> {
        let period = self.settings.interval.max(self.settings.min_pause);
        self.next_tick = now.after(period.max(SimTime::from_ns(1)));
        self.queued = (self.queued + 1).min(MAX_QUEUED_REQUESTS);
        self.poll(now)
    }

    /// A checkpoint was acknowledged by all.
    pub fn completed(&mut self, id: u64, now: SimTime) -> Vec<u64> {
        let polls = POLLS_AFTER_COMPLETION - u32::from(self.last_completion.is_none());
        // Older ones still pending are subsumed.
        self.pending.retain(|pending| *pending > id);
        self.last_completion = Some(now);
        self.failures_in_row = 0;
        (0..polls).flat_map(|_| self.poll(now)).collect()
    }

    /// A checkpoint expired. The pause counts from completions only, so it does not hold here.
    pub fn expired(&mut self, id: u64, now: SimTime) -> Vec<u64> {
        self.pending.retain(|pending| *pending != id);
        self.failures_in_row += 1;
        self.job_failed |= self.failures_in_row > self.settings.tolerable_failures;
        self.poll(now)
    }

    /// The job is not running: nothing is pending, and nothing is triggered until it is.
    pub fn suspend(&mut self) {
        self.pending.clear();
        self.queued = 0;
        self.failures_in_row = 0;
        self.job_failed = false;
    }

    /// The job runs; the timer ticks first at `first`.
    pub fn resume(&mut self, first: SimTime) {
        self.next_tick = first;
    }

    /// Whether a checkpoint is neither complete nor failed.
    pub fn is_pending(&self, id: u64) -> bool {
        self.pending.contains(&id)
    }

    fn poll(&mut self, now: SimTime) -> Vec<u64> {
        let room = (self.pending.len() as u64) < u64::from(self.settings.max_concurrent);
        if self.queued == 0 || !room || self.job_failed {
            return Vec::new();
        }
        self.queued -= 1;
        let earliest = self.last_completion.map(|at| at.after(self.settings.min_pause));
        if let Some(earliest) = earliest.filter(|earliest| now < *earliest) {
            self.next_tick = earliest;
            return Vec::new();
        }
        self.pending.push(self.next_id);
        self.next_id += 1;
        vec![self.next_id - 1]
    }
}

/// The triggers up to `end` of checkpoints whose durations are known; after the last known one a
/// checkpoint stays pending. The first tick is at zero.
pub fn triggers(
    settings: CoordinatorSettings,
    durations: &[SimTime],
    end: SimTime,
) -> Vec<SimTime> {
    let mut coordinator = Coordinator::new(settings, SimTime::ZERO);
    let mut started: Vec<SimTime> = Vec::new();
    let mut ends: Vec<(SimTime, u64, bool)> = Vec::new();
    loop {
        let tick = coordinator.next_tick();
        let next_end = ends.iter().copied().min_by_key(|(at, id, _)| (*at, *id));
        let (now, begun) = match next_end {
            Some((at, id, expires)) if at <= tick => {
                if at > end || coordinator.job_failed() {
                    return started;
                }
                ends.retain(|(_, other, _)| *other != id);
                let begun = match expires {
                    true => coordinator.expired(id, at),
                    false => coordinator.completed(id, at),
                };
                (at, begun)
            }
            _ if tick > end || coordinator.job_failed() => return started,
            _ => (tick, coordinator.tick(tick)),
        };
        for id in begun {
            if let Some(duration) = durations.get(started.len()) {
                ends.push((now.after(*duration), id, *duration >= settings.timeout));
            }
            started.push(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTINGS: CoordinatorSettings = CoordinatorSettings {
        interval: SimTime::from_ms(1000),
        min_pause: SimTime::ZERO,
        timeout: SimTime::from_ms(600_000),
        max_concurrent: 1,
        tolerable_failures: 0,
    };

    #[track_caller]
    fn check(settings: CoordinatorSettings, durations: &[u64], expected: &[u64]) {
        let durations: Vec<SimTime> = durations.iter().copied().map(SimTime::from_ms).collect();
        let end = SimTime::from_ms(expected.last().copied().unwrap_or(20_000));
        let times = triggers(settings, &durations, end);
        assert_eq!(times.iter().map(|it| it.as_ms()).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn missed_ticks_come_in_a_burst() {
        let durations = [2300, 2300, 2300, 2300, 5, 5, 5, 5, 5, 5, 5];
        let expected = [0, 2300, 4600, 6900, 9200, 9205, 9210, 9215, 9220, 9225, 10_000];
        check(SETTINGS, &durations, &expected);
    }

    #[test]
    fn a_pause_drops_missed_ticks_and_moves_the_timer() {
        let settings = CoordinatorSettings { min_pause: SimTime::from_ms(500), ..SETTINGS };
        check(settings, &[2300, 2300, 5, 5], &[0, 2800, 5600, 6600]);
        // Five missed ticks a completion, of which two and then three are dropped.
        let durations = [5300, 5300, 5300, 5, 5, 5, 5, 5];
        check(settings, &durations, &[0, 5800, 11_600, 17_400, 17_905, 18_410, 18_915]);
    }

    #[test]
    fn a_pause_longer_than_the_interval_is_the_interval() {
        let settings = CoordinatorSettings { min_pause: SimTime::from_ms(3000), ..SETTINGS };
        check(settings, &[100, 100, 100], &[0, 3100, 6200]);
    }

    #[test]
    fn no_pause_follows_an_expiry_and_the_failure_beyond_the_tolerated_ends_the_job() {
        let settings = CoordinatorSettings {
            min_pause: SimTime::from_ms(700),
            timeout: SimTime::from_ms(1500),
            tolerable_failures: 2,
            ..SETTINGS
        };
        let times = triggers(settings, &[SimTime::from_ms(1500); 9], SimTime::from_ms(60_000));
        assert_eq!(times.iter().map(|it| it.as_ms()).collect::<Vec<_>>(), [0, 1500, 3000]);
    }
}
