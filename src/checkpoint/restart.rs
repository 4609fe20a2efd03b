//! Whether a job is restarted after a failure, and after which delay.
//!
//! Source: Flink 1.18.1, 1.20.5 and 2.2.1, FixedDelayRestartBackoffTimeStrategy,
//! FailureRateRestartBackoffTimeStrategy, ExponentialDelayRestartBackoffTimeStrategy (rewritten in 1.19:
//! failures while a restart is planned belong to it, attempts can be limited),
//! NoRestartBackoffTimeStrategy, ExecutionFailureHandler ("Recovery is suppressed by ..."), and
//! RestartBackoffTimeStrategyFactoryLoader for the strategy of a job with checkpoints that names none:
//! fixed-delay with Integer.MAX_VALUE attempts in 1.18, exponential-delay since 1.19.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::detection::Heartbeat;
use super::error::CheckpointError;
use super::random::Random;
use crate::config::duration::{self, DurationParams};
use crate::config::options;
use crate::finding::Derivation;
use crate::units::FlinkVersion;

/// The stream of random numbers for jitter; subtasks have theirs from 1 on.
const JITTER_STREAM: u64 = u64::MAX;

/// `restart-strategy.type` with its options.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind", deny_unknown_fields)]
pub enum RestartStrategy {
    /// The first failure ends the job.
    Disable,
    /// The same delay each time.
    #[serde(rename_all = "camelCase")]
    FixedDelay {
        /// restart-strategy.fixed-delay.attempts; any number if absent.
        attempts: Option<u32>,
        /// restart-strategy.fixed-delay.delay [ms].
        delay_ms: u64,
    },
    /// The same delay each time, unless failures come too fast.
    #[serde(rename_all = "camelCase")]
    FailureRate {
        /// restart-strategy.failure-rate.max-failures-per-interval.
        max_failures_per_interval: u32,
        /// restart-strategy.failure-rate.failure-rate-interval [ms].
        failure_rate_interval_ms: u64,
        /// restart-strategy.failure-rate.delay [ms].
        delay_ms: u64,
    },
    /// Longer each time.
    #[serde(rename_all = "camelCase")]
    ExponentialDelay {
        /// Whose rules: 1.18 counts from failure to failure, later ones from restart to failure.
        flink: FlinkVersion,
        /// restart-strategy.exponential-delay.initial-backoff [ms].
        initial_backoff_ms: u64,
        /// restart-strategy.exponential-delay.max-backoff [ms].
        max_backoff_ms: u64,
        /// restart-strategy.exponential-delay.backoff-multiplier.
        backoff_multiplier: f64,
        /// restart-strategy.exponential-delay.reset-backoff-threshold [ms].
        reset_backoff_threshold_ms: u64,
        /// restart-strategy.exponential-delay.jitter-factor.
        jitter_factor: f64,
        /// restart-strategy.exponential-delay.attempts-before-reset-backoff, which 1.18 does not have;
        /// any number if absent.
        attempts_before_reset_backoff: Option<u32>,
    },
}

/// Params of [`restart_options`].
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RestartOptionsParams {
    /// The version.
    pub version: FlinkVersion,
}

/// The strategies of a version with its defaults.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RestartOptions {
    /// What a job with checkpoints gets that names no strategy.
    pub unnamed: RestartStrategy,
    /// Every strategy with the defaults of its options.
    pub strategies: Vec<RestartStrategy>,
    /// How a lost TaskManager is noticed.
    pub heartbeat: Heartbeat,
    /// Buffers of channels and gates, where the version has no options for them.
    pub fixed_buffers: Option<FixedBuffers>,
}

/// The buffers of channels and gates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the names are those of the network's fields")]
pub struct FixedBuffers {
    pub buffers_per_channel: u32,
    pub floating_buffers_per_gate: u32,
    pub max_buffers_per_channel: u32,
    pub max_overdraft_buffers_per_gate: u32,
}

/// What NettyShuffleEnvironmentConfiguration of 2.2.1 has instead of the options.
const FIXED_BUFFERS: FixedBuffers = FixedBuffers {
    buffers_per_channel: 2,
    floating_buffers_per_gate: 8,
    max_buffers_per_channel: 10,
    max_overdraft_buffers_per_gate: 20,
};

/// Which restart strategies does a version have, with which defaults?
pub fn restart_options(
    params: &RestartOptionsParams,
) -> Result<Derivation<RestartOptions>, CheckpointError> {
    let version = params.version;
    let key = |name: &str| format!("restart-strategy.{name}");
    let [delay_ms, rate_delay_ms, interval_ms] =
        ["fixed-delay.delay", "failure-rate.delay", "failure-rate.failure-rate-interval"]
            .map(|name| default_ms(version, &key(name)));
    let exponential = |name: &str| key(&format!("exponential-delay.{name}"));
    let attempts = number(version, &exponential("attempts-before-reset-backoff"))
        .filter(|most| *most < f64::from(i32::MAX));
    let exponential = RestartStrategy::ExponentialDelay {
        flink: version,
        initial_backoff_ms: default_ms(version, &exponential("initial-backoff")),
        max_backoff_ms: default_ms(version, &exponential("max-backoff")),
        backoff_multiplier: number(version, &exponential("backoff-multiplier")).unwrap_or_default(),
        reset_backoff_threshold_ms: default_ms(version, &exponential("reset-backoff-threshold")),
        jitter_factor: number(version, &exponential("jitter-factor")).unwrap_or_default(),
        attempts_before_reset_backoff: attempts.map(|most| most as u32),
    };
    let whole = |name: &str| number(version, &key(name)).map(|it| it as u32);
    let unnamed = match version {
        // RestartBackoffTimeStrategyFactoryLoader.DEFAULT_RESTART_ATTEMPTS is Integer.MAX_VALUE.
        FlinkVersion::V1_18 => RestartStrategy::FixedDelay { attempts: None, delay_ms },
        FlinkVersion::V1_20 | FlinkVersion::V2_2 => exponential,
    };
    let strategies = vec![
        RestartStrategy::FixedDelay { attempts: whole("fixed-delay.attempts"), delay_ms },
        RestartStrategy::FailureRate {
            max_failures_per_interval: whole("failure-rate.max-failures-per-interval")
                .unwrap_or_default(),
            failure_rate_interval_ms: interval_ms,
            delay_ms: rate_delay_ms,
        },
        exponential,
        RestartStrategy::Disable,
    ];
    let heartbeat = Heartbeat {
        interval_ms: default_ms(version, "heartbeat.interval"),
        timeout_ms: default_ms(version, "heartbeat.timeout"),
        rpc_failure_threshold: number(version, "heartbeat.rpc-failure-threshold")
            .map_or(-1, |it| it as i32),
    };
    let has_options =
        options::lookup(version, "taskmanager.network.memory.buffers-per-channel").is_some();
    let fixed_buffers = (!has_options).then_some(FIXED_BUFFERS);
    let value = RestartOptions { unnamed, strategies, heartbeat, fixed_buffers };
    Ok(Derivation { value, findings: Vec::new() })
}

/// The default of an option that is a number; none where the version has no such option.
fn number(version: FlinkVersion, key: &str) -> Option<f64> {
    options::lookup(version, key)?.default?.parse().ok()
}

/// The default of an option that is a time [ms]; older versions keep some as numbers. That none of them
/// is missing is tested.
fn default_ms(version: FlinkVersion, key: &str) -> u64 {
    let text = options::lookup(version, key).and_then(|it| it.default).unwrap_or_default();
    if let Ok(ms) = text.parse() {
        return ms;
    }
    let params = DurationParams { version, text: text.to_owned() };
    duration::answer(&params)
        .map_or(0, |it| it.value.seconds as u64 * 1000 + u64::from(it.value.nanos) / 1_000_000)
}

/// A strategy while a job runs.
#[derive(Debug, Clone)]
pub struct Restarts {
    strategy: RestartStrategy,
    random: Random,
    /// Failures that counted, since the backoff was reset where it can be.
    attempts: u32,
    /// When the last ones were, as many as the rate needs [ms].
    failures: VecDeque<u64>,
    /// The backoff that grows, in 1.18 [ms].
    backoff_ms: u64,
    /// When the job is restarted, or was [ms].
    next_ms: Option<u64>,
}

/// How `exponential-delay` waits: times in ms, and what they are multiplied with.
#[derive(Clone, Copy)]
struct Backoff {
    initial: u64,
    most: u64,
    multiplier: f64,
    threshold: u64,
    jitter: f64,
}

impl Restarts {
    /// A job that never failed.
    pub fn new(strategy: RestartStrategy, seed: u64) -> Self {
        let random = Random::new(seed, JITTER_STREAM);
        let failures = VecDeque::new();
        Self { strategy, random, attempts: 0, failures, backoff_ms: 0, next_ms: None }
    }

    /// A failure is noticed. Gives the delay of the restart [ms], or Flink's words for why there is none.
    pub fn notify(&mut self, now_ms: u64) -> Result<u64, String> {
        let suppressed = |by: &str| Err(format!("Recovery is suppressed by {by}"));
        match self.strategy {
            RestartStrategy::Disable => suppressed("NoRestartBackoffTimeStrategy"),
            RestartStrategy::FixedDelay { attempts, delay_ms } => {
                self.attempts += 1;
                match attempts {
                    Some(most) if self.attempts > most => suppressed(&format!(
                        "FixedDelayRestartBackoffTimeStrategy(maxNumberRestartAttempts={most}, \
                         backoffTimeMS={delay_ms})"
                    )),
                    _ => Ok(delay_ms),
                }
            }
            RestartStrategy::FailureRate {
                max_failures_per_interval: most,
                failure_rate_interval_ms: interval_ms,
                delay_ms,
            } => {
                let is_full = |failures: &VecDeque<u64>| failures.len() as u64 > u64::from(most);
                if is_full(&self.failures) {
                    self.failures.pop_front();
                }
                self.failures.push_back(now_ms);
                let earliest = self.failures.front().copied().unwrap_or(now_ms);
                match is_full(&self.failures) && now_ms - earliest <= interval_ms {
                    // The class writes its name twice.
                    true => suppressed(&format!(
                        "FailureRateRestartBackoffTimeStrategy(FailureRateRestartBackoffTimeStrategy(\
                         failuresIntervalMS={interval_ms},backoffTimeMS={delay_ms},\
                         maxFailuresPerInterval={most})"
                    )),
                    false => Ok(delay_ms),
                }
            }
            RestartStrategy::ExponentialDelay {
                flink,
                initial_backoff_ms: initial,
                max_backoff_ms: most,
                backoff_multiplier: multiplier,
                reset_backoff_threshold_ms: threshold,
                jitter_factor: jitter,
                attempts_before_reset_backoff: attempts,
            } => {
                let of = Backoff { initial, most, multiplier, threshold, jitter };
                if flink == FlinkVersion::V1_18 {
                    return Ok(self.growing_backoff(of, now_ms));
                }
                let delay_ms = self.backoff_of_attempt(of, now_ms);
                match attempts {
                    Some(most) if self.attempts > most => {
                        suppressed("ExponentialDelayRestartBackoffTimeStrategy")
                    }
                    _ => Ok(delay_ms),
                }
            }
        }
    }

    /// The rule of 1.18: the backoff grows with each failure that comes too soon after the one before.
    fn growing_backoff(&mut self, of: Backoff, now_ms: u64) -> u64 {
        let Backoff { initial, most, multiplier, threshold, jitter } = of;
        let last = self.failures.pop_back();
        self.failures.push_back(now_ms);
        self.backoff_ms = match last {
            Some(last) if now_ms - last < threshold.saturating_add(self.backoff_ms) => {
                let grown = match self.backoff_ms < most {
                    true => (self.backoff_ms as f64 * multiplier) as u64,
                    false => self.backoff_ms,
                };
                grown.min(most).max(initial)
            }
            // Flink counts the time since 1970 where there was none before.
            _ => initial,
        };
        let jitter = self.jitter(self.backoff_ms, jitter);
        self.backoff_ms.saturating_add_signed(jitter).min(most)
    }

    /// The rule since 1.19: the backoff is that of the attempt, and failures before the restart are part
    /// of it.
    fn backoff_of_attempt(&mut self, of: Backoff, now_ms: u64) -> u64 {
        let Backoff { initial, most, multiplier, threshold, jitter } = of;
        if let Some(next) = self.next_ms.filter(|next| now_ms <= *next) {
            return next - now_ms;
        }
        if self.next_ms.is_none_or(|next| now_ms - next >= threshold) {
            self.attempts = 0;
        }
        let power = libm::pow(multiplier, f64::from(self.attempts));
        let backoff = (initial as f64 * power) as u64;
        let jitter = self.jitter(backoff, jitter);
        let delay_ms = backoff.saturating_add_signed(jitter).min(most).max(initial);
        self.attempts += 1;
        self.next_ms = Some(now_ms.saturating_add(delay_ms));
        delay_ms
    }

    /// Uniform among the whole numbers from minus to plus the jitter's share.
    fn jitter(&mut self, backoff_ms: u64, factor: f64) -> i64 {
        let offset = (backoff_ms as f64 * factor) as i64;
        if factor <= 0.0 {
            return 0;
        }
        let width = 2.0 * offset as f64 + 1.0;
        (self.random.unit() * width).ceil() as i64 - 1 - offset
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXPONENTIAL: RestartStrategy = RestartStrategy::ExponentialDelay {
        flink: FlinkVersion::V1_20,
        initial_backoff_ms: 1000,
        max_backoff_ms: 10_000,
        backoff_multiplier: 2.0,
        reset_backoff_threshold_ms: 60_000,
        jitter_factor: 0.0,
        attempts_before_reset_backoff: None,
    };

    fn delays(strategy: RestartStrategy, failures_ms: &[u64]) -> Vec<Option<u64>> {
        let mut restarts = Restarts::new(strategy, 1);
        failures_ms.iter().map(|now| restarts.notify(*now).ok()).collect()
    }

    #[test]
    fn a_fixed_delay_ends_with_its_attempts() {
        let strategy = RestartStrategy::FixedDelay { attempts: Some(2), delay_ms: 500 };
        assert_eq!(delays(strategy, &[0, 1, 1_000_000]), [Some(500), Some(500), None]);
        let words =
            Restarts::new(RestartStrategy::FixedDelay { attempts: Some(0), delay_ms: 5 }, 1)
                .notify(9);
        assert_eq!(
            words,
            Err("Recovery is suppressed by FixedDelayRestartBackoffTimeStrategy(\
                 maxNumberRestartAttempts=0, backoffTimeMS=5)"
                .to_owned())
        );
        assert_eq!(delays(RestartStrategy::Disable, &[3]), [None]);
    }

    #[test]
    fn a_failure_rate_looks_back_over_one_failure_more_than_it_allows() {
        let strategy = RestartStrategy::FailureRate {
            max_failures_per_interval: 1,
            failure_rate_interval_ms: 60_000,
            delay_ms: 1000,
        };
        // More than an interval apart each; then two within one.
        let expected = [Some(1000), Some(1000), Some(1000), None];
        assert_eq!(delays(strategy, &[5, 60_006, 120_007, 180_007]), expected);
    }

    #[test]
    fn an_exponential_delay_grows_stops_at_its_most_and_is_reset() {
        // Each failure 1 ms after the restart: the documentation's example.
        let mut restarts = Restarts::new(EXPONENTIAL, 1);
        let (mut now, mut seen) = (0, Vec::new());
        for _ in 0..6 {
            let delay = restarts.notify(now).expect("it has no limit");
            seen.push(delay);
            now += delay + 1;
        }
        assert_eq!(seen, [1000, 2000, 4000, 8000, 10_000, 10_000]);
        // A threshold after the last restart.
        assert_eq!(restarts.notify(now - 1 + 60_000), Ok(1000));
    }

    #[test]
    fn failures_before_the_restart_are_part_of_it() {
        assert_eq!(delays(EXPONENTIAL, &[0, 400, 1001]), [Some(1000), Some(600), Some(2000)]);
    }

    #[test]
    fn attempts_can_be_limited() {
        let RestartStrategy::ExponentialDelay {
            flink,
            initial_backoff_ms,
            max_backoff_ms,
            backoff_multiplier,
            reset_backoff_threshold_ms,
            jitter_factor,
            ..
        } = EXPONENTIAL
        else {
            unreachable!("it is one");
        };
        let limited = RestartStrategy::ExponentialDelay {
            flink,
            initial_backoff_ms,
            max_backoff_ms,
            backoff_multiplier,
            reset_backoff_threshold_ms,
            jitter_factor,
            attempts_before_reset_backoff: Some(1),
        };
        assert_eq!(delays(limited, &[0, 5000]), [Some(1000), None]);
    }

    #[test]
    fn in_1_18_the_backoff_is_reset_by_the_time_since_the_failure_before() {
        // The numbers of Flink's own ExponentialDelayRestartBackoffTimeStrategyTest.
        let strategy = |initial_backoff_ms, max_backoff_ms, backoff_multiplier| {
            RestartStrategy::ExponentialDelay {
                flink: FlinkVersion::V1_18,
                initial_backoff_ms,
                max_backoff_ms,
                backoff_multiplier,
                reset_backoff_threshold_ms: 8,
                jitter_factor: 0.0,
                attempts_before_reset_backoff: None,
            }
        };
        let expected = [Some(1), Some(2), Some(4), Some(8), Some(1), Some(2)];
        assert_eq!(delays(strategy(1, 9, 2.0), &[50, 54, 57, 64, 82, 82]), expected);
        let expected = [Some(4), Some(9), Some(20)];
        assert_eq!(delays(strategy(4, 300, 2.3), &[0, 0, 0]), expected);
    }

    #[test]
    fn jitter_stays_in_its_share_and_below_the_most() {
        let jittered = |flink, max_backoff_ms| RestartStrategy::ExponentialDelay {
            flink,
            initial_backoff_ms: 1000,
            max_backoff_ms,
            backoff_multiplier: 1.5,
            reset_backoff_threshold_ms: 3_600_000,
            jitter_factor: 0.1,
            attempts_before_reset_backoff: None,
        };
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..200 {
            let new = Restarts::new(jittered(FlinkVersion::V1_20, 60_000), seed).notify(0);
            // Less than the initial backoff it never is since 1.19.
            assert!(new.as_ref().is_ok_and(|it| (1000..=1100).contains(it)), "{new:?}");
            let old = Restarts::new(jittered(FlinkVersion::V1_18, 1050), seed).notify(0);
            assert!(old.as_ref().is_ok_and(|it| (900..=1050).contains(it)), "{old:?}");
            seen.insert(old.unwrap_or_default());
        }
        assert!(seen.len() > 60, "{seen:?}");
    }

    #[test]
    fn every_version_has_all_defaults() {
        for version in FlinkVersion::ALL {
            let it = restart_options(&RestartOptionsParams { version }).expect("it has some").value;
            let text = serde_json::to_string(&it).expect("it serialises");
            assert!(!text.contains(":0,") && !text.contains(":0.0,"), "{text}");
            assert_eq!(it.strategies.len(), 4);
            let of_1_18 = RestartStrategy::FixedDelay { attempts: None, delay_ms: 1000 };
            assert_eq!(it.unnamed == of_1_18, version == FlinkVersion::V1_18);
            assert_eq!(it.heartbeat, Heartbeat::default());
            assert_eq!(it.fixed_buffers.is_some(), version == FlinkVersion::V2_2);
            let RestartStrategy::ExponentialDelay {
                max_backoff_ms,
                backoff_multiplier,
                attempts_before_reset_backoff,
                ..
            } = it.strategies[2]
            else {
                panic!("the third is exponential-delay");
            };
            let old = version == FlinkVersion::V1_18;
            assert_eq!(max_backoff_ms, if old { 300_000 } else { 60_000 });
            assert!((backoff_multiplier - if old { 2.0 } else { 1.5 }).abs() < 1e-12);
            assert_eq!(attempts_before_reset_backoff, None);
        }
    }
}
