//! What do the memory keys of before Flink 1.10 still do?
//!
//! The start scripts of 1.18 and 1.20 map a legacy heap size to a new option before anything else is
//! read; the classes themselves ignore it, and 2.2 does not know it. The legacy number of network
//! buffers is read by 1.18 and 1.20 where no network memory option is set.
//!
//! Source: Flink 1.18.1, 1.20.5, `MemoryBackwardsCompatibilityUtils`, `BashJavaUtils`,
//! `TaskExecutorFlinkMemoryUtils#isUsingLegacyNetworkConfigs`, `ConfigurationParserUtils#getPageSize`.
//!
//! # Deviations
//! The environment variables `FLINK_TM_HEAP` and `FLINK_JM_HEAP`, which come first, are not read.

use std::collections::BTreeMap;

use super::arithmetic::{Sized, multiply};
use super::error::{Kind, MemoryError};
use super::options::{OptionDef, jm, tm};
use super::report::Origin;
use super::settings::Settings;
use super::trace::Trace;
use crate::config::size::config_text;
use crate::finding::Change;
use crate::units::{Bytes, FlinkVersion};

/// The least segment size: `MemoryManager.MIN_PAGE_SIZE`.
pub(super) const MIN_SEGMENT: i64 = 4096;

/// Where a legacy heap size comes from and goes to.
#[derive(Debug, Clone, Copy)]
pub struct LegacyHeap {
    /// The legacy size.
    pub size: OptionDef,
    /// The legacy number of MiB.
    pub mb: OptionDef,
    /// The option it is mapped to, if that is not set.
    pub target: OptionDef,
}

impl LegacyHeap {
    /// The legacy keys that are set, written as the option they were mapped to.
    pub fn written_anew(&self, config: &BTreeMap<String, String>) -> Option<Vec<Change>> {
        let text = config.get(self.size.key).cloned();
        let text = text.or_else(|| config.get(self.mb.key).map(|mb| format!("{mb}m")))?;
        let mut changes = vec![Change::set(self.target.key, text)];
        let set = [self.size.key, self.mb.key].into_iter().filter(|key| config.contains_key(*key));
        changes.extend(set.map(Change::remove));
        Some(changes)
    }
}

/// The TaskManager's legacy heap becomes its total Flink memory.
pub const TASK_MANAGER: LegacyHeap =
    LegacyHeap { size: tm::LEGACY_HEAP, mb: tm::LEGACY_HEAP_MB, target: tm::FLINK };

/// The JobManager's legacy heap becomes its JVM heap.
pub const JOB_MANAGER: LegacyHeap =
    LegacyHeap { size: jm::LEGACY_HEAP, mb: jm::LEGACY_HEAP_MB, target: jm::HEAP };

/// Whether the start scripts of this version map legacy heap keys.
pub fn maps_heap(version: FlinkVersion) -> bool {
    version < FlinkVersion::V2_2
}

/// The configuration with a legacy heap size mapped, or `None` when there is nothing to map.
pub fn map_heap(
    settings: &Settings<'_>,
    legacy: &LegacyHeap,
    trace: &mut Trace,
) -> Result<Option<BTreeMap<String, String>>, MemoryError> {
    if !maps_heap(settings.version) || settings.contains(&legacy.target) {
        return Ok(None);
    }
    let (key, bytes) = if settings.contains(&legacy.size) {
        (legacy.size.key, settings.size(&legacy.size)?.bytes)
    } else if settings.contains(&legacy.mb) {
        let mb = settings.int(&legacy.mb)?;
        if mb < 0 {
            let message =
                format!("Configured total process memory size ({mb}MB) must not be less than 0.");
            let plain = format!("{} must not be negative.", legacy.mb.key);
            let option = Some(legacy.mb.key);
            return Err(MemoryError::new(Kind::LegacyHeapNegative, option, message, plain));
        }
        (legacy.mb.key, Bytes::mib(i64::from(mb)))
    } else {
        return Ok(None);
    };
    trace.step(
        "Legacy heap size",
        &format!("the start script sets {}", legacy.target.key),
        &format!("{key}, MemoryBackwardsCompatibilityUtils"),
        bytes,
        || format!("{key} = {} B", bytes.get()),
    );
    let mut mapped = settings.config.clone();
    mapped.insert(legacy.target.key.to_owned(), config_text(bytes));
    Ok(Some(mapped))
}

/// Whether network memory is a number of buffers.
pub fn uses_network_buffers(settings: &Settings<'_>) -> bool {
    let ranges = [tm::NETWORK_MIN, tm::NETWORK_MAX, tm::NETWORK_FRACTION];
    settings.version < FlinkVersion::V2_2
        && settings.contains(&tm::NETWORK_BUFFERS)
        && !ranges.iter().any(|option| settings.contains(option))
}

/// Network memory as the legacy number of buffers times the segment size.
pub fn network_from_buffers(
    settings: &Settings<'_>,
    trace: &mut Trace,
) -> Result<Sized, MemoryError> {
    let buffers = settings.int(&tm::NETWORK_BUFFERS)?;
    let segment = segment_size(settings)?;
    if buffers < 0 {
        let plain = format!("{} must not be negative.", tm::NETWORK_BUFFERS.key);
        let option = Some(tm::NETWORK_BUFFERS.key);
        let message = "bytes must be >= 0";
        return Err(MemoryError::new(Kind::OtherIllegalArgument, option, message, plain));
    }
    let network = multiply(segment, f64::from(buffers))?;
    trace.step(
        "Network Memory",
        "number of buffers × segment size",
        tm::NETWORK_BUFFERS.key,
        network,
        || format!("{buffers} × {} B", segment.get()),
    );
    Ok(Sized::new(network, Origin::Configured))
}

/// The segment size; a value that is no size at all is an `IllegalArgumentException` here.
pub(crate) fn segment_size(settings: &Settings<'_>) -> Result<Bytes, MemoryError> {
    let option = tm::SEGMENT_SIZE;
    let key = Some(option.key);
    let size = settings.size(&option).map_err(|mut error| {
        error.kind = Kind::UnparsableValue;
        error.message = error.causes.remove(0);
        error
    })?;
    let bytes = size.bytes.get();
    let bad = |what: &str, plain: String| {
        let message = format!("Invalid configuration value for {} : {bytes} - {what}", option.key);
        Err(MemoryError::new(Kind::BadSegmentSize, key, message, plain))
    };
    if bytes > i64::from(i32::MAX) {
        let message = format!("Cannot downcast long value {bytes} to integer.");
        let plain = "A segment must be smaller than 2 GiB.";
        return Err(MemoryError::new(Kind::OtherIllegalArgument, key, message, plain));
    }
    if bytes < MIN_SEGMENT {
        let plain =
            format!("A segment must have at least {MIN_SEGMENT} bytes; 32kb is the default.");
        return bad(&format!("Minimum memory segment size is {MIN_SEGMENT}"), plain);
    }
    if bytes.count_ones() != 1 {
        let plain = format!("{bytes} bytes is not a power of two; 32kb is the default.");
        return bad("Memory segment size must be a power of 2.", plain);
    }
    Ok(size.bytes)
}
