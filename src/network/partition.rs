//! How many buffers does a result partition require, and how many may it take?
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `ResultPartitionType`,
//! `NettyShuffleUtils#getMinMaxNetworkBuffersPerResultPartition`.

use serde::{Deserialize, Serialize};

use super::options::ShuffleSettings;

/// Flink's `ResultPartitionType`, under its names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum PartitionType {
    /// Pipelined without a bound.
    Pipelined,
    /// What streaming jobs use.
    PipelinedBounded,
    /// Bounded, and read again after a failure.
    PipelinedApproximate,
    /// Written in full before it is read.
    Blocking,
    /// Blocking, and kept after the job.
    BlockingPersistent,
    /// Hybrid shuffle that spills everything.
    HybridFull,
    /// Hybrid shuffle that spills what is not read in time.
    HybridSelective,
}

impl PartitionType {
    /// Flink's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pipelined => "PIPELINED",
            Self::PipelinedBounded => "PIPELINED_BOUNDED",
            Self::PipelinedApproximate => "PIPELINED_APPROXIMATE",
            Self::Blocking => "BLOCKING",
            Self::BlockingPersistent => "BLOCKING_PERSISTENT",
            Self::HybridFull => "HYBRID_FULL",
            Self::HybridSelective => "HYBRID_SELECTIVE",
        }
    }

    /// The two types of which a gate's required buffers have no limit of their own.
    pub const fn is_pipelined_exchange(self) -> bool {
        matches!(self, Self::Pipelined | Self::PipelinedBounded)
    }

    /// Hybrid shuffle.
    pub const fn is_hybrid(self) -> bool {
        matches!(self, Self::HybridFull | Self::HybridSelective)
    }

    const fn is_bounded(self) -> bool {
        matches!(self, Self::PipelinedBounded | Self::PipelinedApproximate)
    }

    const fn is_blocking(self) -> bool {
        matches!(self, Self::Blocking | Self::BlockingPersistent)
    }
}

/// The buffers of one result partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PartitionBuffers {
    /// Its subpartitions.
    pub subpartitions: i64,
    /// Its type.
    #[serde(rename = "type")]
    pub partition: PartitionType,
    /// Buffers without which it does not start.
    pub min: i64,
    /// The most it takes; `None` has no limit.
    pub max: Option<i64>,
}

/// The buffers of a partition with so many subpartitions.
pub fn partition(
    settings: &ShuffleSettings,
    partition: PartitionType,
    subpartitions: i64,
) -> PartitionBuffers {
    let is_sorted = is_sorted(settings, partition, subpartitions);
    let min = match settings.tiered {
        _ if is_sorted => settings.sort_buffers,
        Some(exclusive) => exclusive.min(subpartitions + 1),
        None => subpartitions + 1,
    };
    let max = if partition.is_bounded() {
        Some(subpartitions * settings.per_channel + settings.floating)
    } else if is_sorted {
        Some(subpartitions * 4)
    } else {
        None
    };
    PartitionBuffers { subpartitions, partition, min, max: max.map(|max| max.max(min)) }
}

fn is_sorted(settings: &ShuffleSettings, partition: PartitionType, subpartitions: i64) -> bool {
    partition.is_blocking() && subpartitions >= settings.sort_parallelism
}

/// What the partition adds to the network memory that a task announces under fine-grained resource
/// management, or Flink's refusal.
///
/// Source: `NettyShuffleUtils#computeNetworkBuffersForAnnouncing`.
pub fn announced(settings: &ShuffleSettings, buffers: &PartitionBuffers) -> Result<i64, String> {
    match buffers.max {
        _ if is_sorted(settings, buffers.partition, buffers.subpartitions) => Ok(buffers.min),
        Some(max) => Ok(max),
        None => Err(format!(
            "Illegal to announce network memory requirement as Integer.MAX_VALUE, partition type: {}",
            buffers.partition.name()
        )),
    }
}
