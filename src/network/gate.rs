//! How many buffers does an input gate require, and how many does it want?
//!
//! A gate of C channels requires all exclusive buffers and one floating one, 2C + 1 by default, but
//! no more than a threshold; beyond it exclusive buffers are given up for floating ones. It wants
//! 2C + 8.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `InputGateSpecUtils#createGateBuffersSpec`,
//! `#getEffectiveMaxRequiredBuffersPerGate`, `GateBuffersSpec`.

use serde::Serialize;

use super::error::NetworkError;
use super::options::{FLOATING, REQUIRED_MAX, ShuffleSettings};
use super::partition::PartitionType;
use crate::memory::error::Kind;

/// `InputGateSpecUtils.DEFAULT_MAX_REQUIRED_BUFFERS_PER_GATE_FOR_BATCH`.
const REQUIRED_MAX_BATCH: i64 = 1000;

/// The buffers of one gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GateBuffers {
    /// Its channels.
    pub channels: i64,
    /// The type of the partition it reads.
    #[serde(rename = "type")]
    pub partition: PartitionType,
    /// Exclusive buffers of each channel that are really given.
    pub exclusive_per_channel: i64,
    /// Floating buffers without which it does not start.
    pub required_floating: i64,
    /// Floating buffers it uses when there are enough.
    pub total_floating: i64,
    /// Buffers without which it does not start.
    pub required: i64,
    /// Buffers it uses when there are enough.
    pub target: i64,
}

/// The buffers of a gate with so many channels.
pub fn gate(
    settings: &ShuffleSettings,
    partition: PartitionType,
    channels: i64,
) -> Result<GateBuffers, NetworkError> {
    let refuse = |message, option: Option<&'static str>| {
        Err(NetworkError::Gate { kind: Kind::OtherIllegalArgument, message, option })
    };
    if channels <= 0 {
        return refuse("Must be positive.", None);
    }
    let limit = settings.required_max.or_else(|| {
        let is_unlimited =
            partition.is_pipelined_exchange() || partition.is_hybrid() && settings.tiered.is_none();
        (!is_unlimited).then_some(REQUIRED_MAX_BATCH)
    });
    if limit.is_some_and(|limit| limit < 1) {
        return refuse("Require at least 1 buffer per gate.", Some(REQUIRED_MAX.key));
    }
    let all = channels * settings.per_channel;
    let required = limit.map_or(all + 1, |limit| limit.min(all + 1));
    let exclusive_per_channel = settings.per_channel.min((required - 1) / channels);
    let exclusive = exclusive_per_channel * channels;
    let target = all + settings.floating;
    let (required_floating, total_floating) = (required - exclusive, target - exclusive);
    if required_floating < 1 || required_floating > total_floating {
        return Err(NetworkError::Gate {
            kind: Kind::OtherIllegalState,
            message: "Wrong number of floating buffers.",
            option: Some(FLOATING.key),
        });
    }
    Ok(GateBuffers {
        channels,
        partition,
        exclusive_per_channel,
        required_floating,
        total_floating,
        required,
        target,
    })
}
