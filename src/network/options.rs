//! Which options decide how many buffers gates and partitions take, and what they say.
//!
//! Flink 2.2 dropped most of them: what is set is silently ignored and the old defaults hold.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `NettyShuffleEnvironmentOptions`,
//! `NettyShuffleEnvironmentConfiguration`, `TieredStorageConfiguration`,
//! `execution.batch-shuffle-mode`.
//!
//! # Deviations
//! The exclusive buffers of tiered storage are read from the class, not recorded from a run; a job
//! may name another number.

use super::error::NetworkError;
use crate::memory::error::{Kind, MemoryError};
use crate::memory::legacy::segment_size;
use crate::memory::options::OptionDef;
use crate::memory::settings::Settings;
use crate::units::{Bytes, FlinkVersion};

const fn option(key: &'static str, default: Option<&'static str>) -> OptionDef {
    OptionDef { key, default, fallbacks: &[] }
}

/// Exclusive buffers of each channel; gone in 2.2.
pub const PER_CHANNEL: OptionDef =
    option("taskmanager.network.memory.buffers-per-channel", Some("2"));
/// Floating buffers of each gate; gone in 2.2.
pub const FLOATING: OptionDef =
    option("taskmanager.network.memory.floating-buffers-per-gate", Some("8"));
/// The most buffers that a gate may require.
pub const REQUIRED_MAX: OptionDef =
    option("taskmanager.network.memory.read-buffer.required-per-gate.max", None);
/// From which parallelism on blocking partitions are sorted; gone in 2.2.
pub const SORT_PARALLELISM: OptionDef =
    option("taskmanager.network.sort-shuffle.min-parallelism", Some("1"));
/// The least buffers of a sorted partition.
pub const SORT_BUFFERS: OptionDef =
    option("taskmanager.network.sort-shuffle.min-buffers", Some("512"));
/// How batch jobs exchange data.
pub const BATCH_SHUFFLE: OptionDef =
    option("execution.batch-shuffle-mode", Some("ALL_EXCHANGES_BLOCKING"));
/// Whether hybrid shuffle uses tiered storage; gone in 2.2, where it always does.
pub const HYBRID_NEW_MODE: OptionDef =
    option("taskmanager.network.hybrid-shuffle.enable-new-mode", Some("true"));
/// Where the remote tier lies, if there is one.
pub const REMOTE_PATH: OptionDef = option("taskmanager.network.hybrid-shuffle.remote.path", None);

/// Options that 2.2 no longer reads.
pub const GONE_IN_2_2: [OptionDef; 4] = [PER_CHANNEL, FLOATING, SORT_PARALLELISM, HYBRID_NEW_MODE];

/// Buffers of the memory and the disk tier, 100 + 1: `TieredStorageConfiguration` of 1.18.1,
/// `MemoryTierFactory` and `DiskTierFactory` of 1.20.1 and 2.2.1.
const TIERS: i64 = 101;
/// `TieredStorageConfiguration` of 1.18: the accumulator's buffers count too.
const ACCUMULATOR_1_18: i64 = 512;

/// What the options say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShuffleSettings {
    /// Exclusive buffers of each channel.
    pub per_channel: i64,
    /// Floating buffers of each gate.
    pub floating: i64,
    /// The most buffers that a gate may require; `None` leaves it to the partition's type.
    pub required_max: Option<i64>,
    /// From which number of subpartitions on blocking partitions are sorted.
    pub sort_parallelism: i64,
    /// The least buffers of a sorted partition.
    pub sort_buffers: i64,
    /// Exclusive buffers of tiered storage; `None` when it is not in use.
    pub tiered: Option<i64>,
    /// The size of a buffer.
    pub segment: Bytes,
}

/// Reads the options as the version does; `tiered` replaces the class's own number of exclusive
/// buffers.
pub fn read(settings: &Settings<'_>, tiered: Option<i64>) -> Result<ShuffleSettings, NetworkError> {
    let version = settings.version;
    let gone = version == FlinkVersion::V2_2;
    let int = |option: &OptionDef, fixed: i64| -> Result<i64, NetworkError> {
        if gone { Ok(fixed) } else { Ok(i64::from(settings.int(option)?)) }
    };
    let required_max = match settings.contains(&REQUIRED_MAX) {
        true => Some(i64::from(settings.int(&REQUIRED_MAX)?)),
        false => None,
    };
    let mode = settings.entry(&BATCH_SHUFFLE).map_or("", |(_, text)| text).to_uppercase();
    let is_hybrid =
        ["ALL_EXCHANGES_HYBRID_FULL", "ALL_EXCHANGES_HYBRID_SELECTIVE"].contains(&mode.as_str());
    let is_tiered = is_hybrid && (gone || settings.flag(&HYBRID_NEW_MODE)?);
    let own = TIERS
        + if version == FlinkVersion::V1_18 { ACCUMULATOR_1_18 } else { 0 }
        + i64::from(settings.contains(&REMOTE_PATH));
    Ok(ShuffleSettings {
        per_channel: at_least(&PER_CHANNEL, int(&PER_CHANNEL, 2)?, 0)?,
        floating: int(&FLOATING, 8)?,
        required_max,
        sort_parallelism: int(&SORT_PARALLELISM, 1)?,
        sort_buffers: at_least(&SORT_BUFFERS, i64::from(settings.int(&SORT_BUFFERS)?), 0)?,
        tiered: is_tiered.then(|| tiered.unwrap_or(own)),
        segment: segment_size(settings)?,
    })
}

/// Refuses a count that would make a need negative; Flink refuses it too, in words not recorded.
fn at_least(option: &OptionDef, value: i64, least: i64) -> Result<i64, NetworkError> {
    if value >= least {
        return Ok(value);
    }
    let message = format!("{} = {value} must be at least {least}.", option.key);
    let kind = Kind::OtherIllegalArgument;
    Err(MemoryError::new(kind, Some(option.key), message.clone(), message).into())
}
