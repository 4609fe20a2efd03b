//! Changes of a scenario that are tried: the four ways of barriers, and what people turn when
//! checkpoints are slow.
//!
//! Source: Flink 1.20.5, CheckpointingOptions, NettyShuffleEnvironmentOptions and TaskManagerOptions for
//! the keys; docs "Checkpointing under backpressure" for what unaligned checkpoints cost.

use serde::Serialize;

use super::figures::RunFigures;
use crate::checkpoint::params::Mode;
use crate::checkpoint::scenario::Scenario;
use crate::checkpoint::verdict::said;
use crate::config::options::lookup;
use crate::finding::Change;
use crate::units::{Bytes, FlinkVersion};

/// A change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ChangeKind {
    /// Barriers overtake at once.
    Unaligned,
    /// They overtake after a while.
    AlignedTimeout,
    /// Buffers shrink to what is consumed in a target time.
    BufferDebloat,
    /// As long between checkpoints as from tick to tick.
    MinPause,
    /// Half the exclusive and floating buffers.
    HalfTheBuffers,
    /// Twice the bandwidth to the storage.
    FasterStorage,
    /// Twice the time before a checkpoint is given up.
    LongerTimeout,
    /// Buffers of half the size.
    SmallerSegments,
    /// Nothing is blocked.
    AtLeastOnce,
    /// More failed checkpoints in a row before the job fails.
    MoreTolerable,
}

/// All of them, in the order in which they are tried.
pub const CHANGES: [ChangeKind; 10] = [
    ChangeKind::Unaligned,
    ChangeKind::AlignedTimeout,
    ChangeKind::BufferDebloat,
    ChangeKind::MinPause,
    ChangeKind::HalfTheBuffers,
    ChangeKind::FasterStorage,
    ChangeKind::LongerTimeout,
    ChangeKind::SmallerSegments,
    ChangeKind::AtLeastOnce,
    ChangeKind::MoreTolerable,
];

/// The four ways, in the order in which they are tried.
pub const MODES: [Mode; 4] = [Mode::Aligned, Mode::Timeout, Mode::Unaligned, Mode::AtLeastOnce];

/// A scenario to try.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// What is changed, in words.
    pub title: String,
    /// The options that say so; empty where it is none of Flink's.
    pub apply: Vec<Change>,
    /// The scenario with the change.
    pub scenario: Scenario,
    /// What else had to change with it.
    pub note: Option<String>,
}

/// `MemoryManager.MIN_PAGE_SIZE` [B].
const LEAST_SEGMENT: u64 = 4096;
/// Failures in a row that are tried at the least where none is tolerated.
const TOLERABLE: u32 = 3;
const UNALIGNED: &str = "execution.checkpointing.unaligned.enabled";
const ALIGNED_TIMEOUT: &str = "execution.checkpointing.aligned-checkpoint-timeout";
const CONCURRENT: &str = "execution.checkpointing.max-concurrent-checkpoints";

/// The scenario with barriers that go another way; `timeout_ms` is used where it has no timeout.
pub fn with_mode(scenario: &Scenario, mode: Mode, timeout_ms: u64) -> Trial {
    let mut changed = scenario.clone();
    let it = &mut changed.checkpointing;
    it.mode = mode;
    if it.aligned_checkpoint_timeout_ms == 0 {
        it.aligned_checkpoint_timeout_ms = timeout_ms;
    }
    let timeout = it.aligned_checkpoint_timeout_ms;
    let overtakes = matches!(mode, Mode::Timeout | Mode::Unaligned);
    let mut apply = match mode {
        Mode::AtLeastOnce => {
            vec![Change::set("execution.checkpointing.mode", "AT_LEAST_ONCE")]
        }
        _ => vec![
            Change::set("execution.checkpointing.mode", "EXACTLY_ONCE"),
            Change::set(UNALIGNED, overtakes.to_string()),
        ],
    };
    if overtakes {
        let after = if mode == Mode::Timeout { timeout } else { 0 };
        apply.push(Change::set(ALIGNED_TIMEOUT, format!("{after} ms")));
    }
    let mut note = None;
    if overtakes && it.max_concurrent_checkpoints > 1 {
        it.max_concurrent_checkpoints = 1;
        apply.push(Change::set(CONCURRENT, "1"));
        let says =
            "One checkpoint at a time, since Flink refuses concurrent unaligned checkpoints.";
        note = Some(says.to_owned());
    }
    let title = match mode {
        Mode::Aligned => "Aligned".to_owned(),
        Mode::Timeout => format!("Aligned, overtaking after {}", said(timeout)),
        Mode::Unaligned => "Unaligned".to_owned(),
        Mode::AtLeastOnce => "At least once".to_owned(),
    };
    Trial { title, apply, scenario: changed, note }
}

impl ChangeKind {
    /// What it is called where it has no numbers, because it could not be tried.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unaligned => "Unaligned",
            Self::AlignedTimeout => "Aligned with a timeout",
            Self::BufferDebloat => "Buffer debloating",
            Self::MinPause => "A longer pause",
            Self::HalfTheBuffers => "Half the buffers",
            Self::FasterStorage => "Faster storage",
            Self::LongerTimeout => "A longer checkpoint timeout",
            Self::SmallerSegments => "Smaller segments",
            Self::AtLeastOnce => "At least once",
            Self::MoreTolerable => "More tolerable failures",
        }
    }

    /// The scenario with the change, or why it changes nothing, or that this version has no option
    /// for it.
    pub fn trial(
        self,
        scenario: &Scenario,
        timeout_ms: u64,
        flink: FlinkVersion,
    ) -> Result<Trial, String> {
        let trial = self.any_trial(scenario, timeout_ms)?;
        match trial.apply.iter().find(|it| lookup(flink, &it.option).is_none()) {
            Some(it) => Err(format!("Flink {flink} has no option {}.", it.option)),
            None => Ok(trial),
        }
    }

    fn any_trial(self, scenario: &Scenario, timeout_ms: u64) -> Result<Trial, String> {
        let refuse = |says: &str| Err(says.to_owned());
        let mut changed = scenario.clone();
        let now = &scenario.checkpointing;
        let (title, apply) = match self {
            Self::Unaligned if now.mode == Mode::Unaligned => {
                return refuse("Barriers overtake at once already.");
            }
            Self::Unaligned => return Ok(with_mode(scenario, Mode::Unaligned, timeout_ms)),
            Self::AlignedTimeout if now.mode == Mode::Timeout => {
                return refuse("Barriers overtake after a timeout already.");
            }
            Self::AlignedTimeout => return Ok(with_mode(scenario, Mode::Timeout, timeout_ms)),
            Self::BufferDebloat => {
                let debloat = &mut changed.network.buffer_debloat;
                if debloat.enabled {
                    return refuse("Buffers are debloated already.");
                }
                debloat.enabled = true;
                let target = debloat.target_ms;
                let key = "taskmanager.network.memory.buffer-debloat.enabled";
                let title = format!("Buffer debloating with a target of {}", said(target));
                (title, vec![Change::set(key, "true")])
            }
            Self::MinPause if now.min_pause_ms >= now.interval_ms => {
                return refuse("The pause is as long as the interval already.");
            }
            Self::MinPause => {
                changed.checkpointing.min_pause_ms = now.interval_ms;
                let text = format!("{} ms", now.interval_ms);
                let title = format!("A pause of {}, the interval", said(now.interval_ms));
                (title, vec![Change::set("execution.checkpointing.min-pause", text)])
            }
            Self::HalfTheBuffers => {
                let it = &mut changed.network;
                let before = (it.buffers_per_channel, it.floating_buffers_per_gate);
                it.buffers_per_channel = (before.0 / 2).max(1);
                it.floating_buffers_per_gate = (before.1 / 2).max(1);
                let after = (it.buffers_per_channel, it.floating_buffers_per_gate);
                if after == before {
                    return refuse("There is one exclusive and one floating buffer already.");
                }
                let title = format!(
                    "{} buffers per channel and {} floating per gate instead of {} and {}",
                    after.0, after.1, before.0, before.1
                );
                let prefix = "taskmanager.network.memory";
                let set = |name: &str, value: u32| {
                    Change::set(&format!("{prefix}.{name}"), value.to_string())
                };
                let exclusive = set("buffers-per-channel", after.0);
                (title, vec![exclusive, set("floating-buffers-per-gate", after.1)])
            }
            Self::FasterStorage => {
                let Some(upload) = &mut changed.checkpointing.upload else {
                    return refuse("Writing state takes no time: the scenario has no upload link.");
                };
                upload.bytes_per_second *= 2.0;
                let twice = bytes(upload.bytes_per_second);
                let title = format!("{twice}/s to the storage, twice the bandwidth");
                (title, Vec::new())
            }
            Self::LongerTimeout => {
                changed.checkpointing.timeout_ms = now.timeout_ms.saturating_mul(2);
                let timeout = changed.checkpointing.timeout_ms;
                let text = format!("{timeout} ms");
                let title = format!("A checkpoint timeout of {}, twice as long", said(timeout));
                (title, vec![Change::set("execution.checkpointing.timeout", text)])
            }
            Self::SmallerSegments => {
                let before = scenario.network.segment_bytes;
                if before / 2 < LEAST_SEGMENT {
                    return refuse("Segments are as small as Flink takes them already.");
                }
                changed.network.segment_bytes = before / 2;
                let size = |it: u64| bytes(it as f64);
                let title = format!("Segments of {} instead of {}", size(before / 2), size(before));
                let text = format!("{} bytes", before / 2);
                (title, vec![Change::set("taskmanager.memory.segment-size", text)])
            }
            Self::AtLeastOnce if now.mode == Mode::AtLeastOnce => {
                return refuse("Barriers block nothing already.");
            }
            Self::AtLeastOnce => return Ok(with_mode(scenario, Mode::AtLeastOnce, timeout_ms)),
            Self::MoreTolerable => {
                let before = now.tolerable_failed_checkpoints;
                let after = before.saturating_mul(2).max(TOLERABLE);
                changed.checkpointing.tolerable_failed_checkpoints = after;
                let title = format!("{after} tolerable failures in a row instead of {before}");
                let key = "execution.checkpointing.tolerable-failed-checkpoints";
                (title, vec![Change::set(key, after.to_string())])
            }
        };
        Ok(Trial { title, apply, scenario: changed, note: None })
    }

    /// What the change costs, with the numbers of the run without and with it.
    pub fn price(self, before: &RunFigures, after: &RunFigures) -> String {
        match self {
            Self::Unaligned | Self::AlignedTimeout => {
                let persisted = after.persisted_bytes.unwrap_or(0.0);
                let more = persisted - before.persisted_bytes.unwrap_or(0.0);
                format!(
                    "{} of records in flight in each checkpoint, {} more than now, which are written to the \
                     storage and read back before anything else after a restore. No concurrent checkpoints; \
                     forward and broadcast exchanges stay aligned.",
                    bytes(persisted),
                    bytes(more)
                )
            }
            Self::BufferDebloat => format!(
                "Smaller buffers, so more of them for the same records. {}",
                throughput(before, after)
            ),
            Self::MinPause => format!(
                "{} instead of {} checkpoints in this run; a failure at the worst moment replays {} \
                 instead of {}.",
                after.completed,
                before.completed,
                said(after.replay_ms),
                said(before.replay_ms)
            ),
            Self::HalfTheBuffers => format!(
                "Less room for bursts and for the time that a credit takes over the network, of which \
                 nothing is simulated. {}",
                throughput(before, after)
            ),
            Self::FasterStorage => format!(
                "A storage and a network that carry twice as much while a checkpoint writes its {}; what that \
                 costs is not simulated.",
                bytes(after.checkpointed_bytes.unwrap_or(0.0))
            ),
            Self::LongerTimeout => format!(
                "A checkpoint that never completes is noticed later; {} instead of {} expire in this run, \
                 and a failure at the worst moment replays {} instead of {}.",
                after.expired,
                before.expired,
                said(after.replay_ms),
                said(before.replay_ms)
            ),
            Self::SmallerSegments => format!(
                "Half as many bytes in as many buffers, and twice as many messages for the same records. {}",
                throughput(before, after)
            ),
            Self::AtLeastOnce => format!(
                "A failure at the worst moment of this run counts {} records twice in the state, and more \
                 where more of them come while a barrier is awaited; exactly once it is none.",
                after.duplicates
            ),
            Self::MoreTolerable => format!(
                "Failed checkpoints mend nothing: a failure at the worst moment replays {} instead of {}.",
                said(after.replay_ms),
                said(before.replay_ms)
            ),
        }
    }
}

fn bytes(number: f64) -> Bytes {
    Bytes::new(number.round() as i64)
}

fn throughput(before: &RunFigures, after: &RunFigures) -> String {
    let change = after.sink_records_per_second - before.sink_records_per_second;
    let share = change / before.sink_records_per_second.max(f64::MIN_POSITIVE) * 100.0;
    match share.abs() < 0.05 {
        true => "Throughput at the sinks stays the same.".to_owned(),
        false => format!(
            "Throughput at the sinks goes from {:.1} to {:.1} records/s ({share:+.1} %).",
            before.sink_records_per_second, after.sink_records_per_second
        ),
    }
}

/// What a run gains over another, in a sentence.
pub fn gain(before: &RunFigures, after: &RunFigures) -> String {
    let time = |it: &RunFigures| match it.end_to_end_ms {
        Some(ms) => said(ms.round() as u64),
        None => "none that completes".to_owned(),
    };
    let mut text = format!("A checkpoint takes {} instead of {}.", time(after), time(before));
    if before.expired + after.expired > 0 {
        text += &format!(" {} instead of {} expire.", after.expired, before.expired);
    }
    text += match (before.job_failed, after.job_failed) {
        (true, false) => " The job no longer fails over its checkpoints.",
        (false, true) => " The job fails over its checkpoints.",
        (true, true) => " The job fails over its checkpoints all the same.",
        (false, false) => "",
    };
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkpoint::samples;

    #[test]
    fn a_change_that_changes_nothing_says_why() {
        let mut scenario = samples::scenario();
        scenario.checkpointing.mode = Mode::Unaligned;
        scenario.checkpointing.min_pause_ms = 10_000;
        scenario.network.buffer_debloat.enabled = true;
        scenario.network.buffers_per_channel = 1;
        scenario.network.floating_buffers_per_gate = 1;
        for kind in CHANGES {
            let refused = matches!(
                kind,
                ChangeKind::Unaligned
                    | ChangeKind::BufferDebloat
                    | ChangeKind::MinPause
                    | ChangeKind::HalfTheBuffers
                    | ChangeKind::FasterStorage
                    | ChangeKind::SmallerSegments
            );
            let trial = kind.trial(&scenario, 1000, FlinkVersion::V1_20);
            assert_eq!(trial.is_err(), refused, "{kind:?}");
        }
    }

    #[test]
    fn a_version_is_offered_its_own_options_only() {
        let scenario = samples::scenario();
        for flink in FlinkVersion::ALL {
            for kind in CHANGES {
                let Ok(trial) = kind.any_trial(&scenario, 1000) else { continue };
                let has_all = trial.apply.iter().all(|it| lookup(flink, &it.option).is_some());
                assert_eq!(
                    kind.trial(&scenario, 1000, flink).is_ok(),
                    has_all,
                    "{kind:?}, {flink}"
                );
                let is_gone = kind == ChangeKind::HalfTheBuffers && flink == FlinkVersion::V2_2;
                assert_eq!(has_all, !is_gone, "{kind:?}, {flink}");
            }
        }
        let refused = ChangeKind::HalfTheBuffers.trial(&scenario, 1000, FlinkVersion::V2_2);
        let why = "Flink 2.2 has no option taskmanager.network.memory.buffers-per-channel.";
        assert_eq!(refused.expect_err("it has none"), why);
    }

    #[test]
    fn every_trial_can_be_simulated_and_says_what_it_sets() {
        let mut scenario = samples::scenario();
        scenario.checkpointing.max_concurrent_checkpoints = 3;
        let modes = MODES.map(|mode| with_mode(&scenario, mode, 1000));
        let changes =
            CHANGES.iter().filter_map(|it| it.trial(&scenario, 1000, FlinkVersion::V1_20).ok());
        for trial in modes.into_iter().chain(changes) {
            trial.scenario.job().expect("it can be");
            assert!(!trial.apply.is_empty(), "{}", trial.title);
            assert_ne!(trial.title, "");
        }
        let unaligned = with_mode(&scenario, Mode::Unaligned, 1000);
        assert_eq!(unaligned.scenario.checkpointing.max_concurrent_checkpoints, 1);
        assert!(unaligned.note.is_some());
    }
}
