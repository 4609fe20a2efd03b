//! How many bytes does an incremental checkpoint of RocksDB upload?
//!
//! Every checkpoint flushes the memtable into one file of level 0. When level 0 has 4 files, they and
//! all of level 1 are written anew, and because keys spread over all key groups each file overlaps
//! everything: every 4th checkpoint uploads the whole state again. Pattern F, F, F, S + F.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `RocksIncrementalSnapshotStrategy`, options
//! `state.backend.rocksdb.writebuffer.size`, `state.backend.rocksdb.compaction.level.max-size-level-base`,
//! `state.backend.rocksdb.memory.write-buffer-ratio`, `RocksDBMemoryControllerUtils#calculateWriteBufferManagerCapacity`;
//! RocksDB `level0_file_num_compaction_trigger` = 4.
//!
//! # Deviations
//! One state; compaction ends before the next checkpoint. Above the size of level 1 the mean rests on
//! a factor that was chosen on two points.

use serde::Serialize;

use super::assumptions::{Assumptions, Id};
use super::error::StateError;
use super::heap::rounded;
use super::params::MAX_KEYS;
use crate::units::Bytes;

/// Files of level 0 that start a compaction, `level0_file_num_compaction_trigger`.
const TRIGGER: u64 = 4;
/// Share of the write-buffer manager's limit from which it flushes.
const FLUSHES_FROM: f64 = 7.0 / 8.0;

/// What decides uploads besides the state itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// `state.backend.rocksdb.writebuffer.size`.
    pub write_buffer: Bytes,
    /// `state.backend.rocksdb.compaction.level.max-size-level-base`.
    pub level_base: Bytes,
    /// `state.backend.rocksdb.memory.write-buffer-ratio`.
    pub write_buffer_ratio: f64,
    /// Managed memory of one slot; `None` when RocksDB does not use it.
    pub managed: Option<Bytes>,
}

/// State of one subtask between two checkpoints.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Live SST bytes, S.
    pub state: f64,
    /// SST bytes of the distinct entries that were updated, F.
    pub flushed: f64,
    /// Updates.
    pub updates: f64,
    /// Key and value of an entry in the memtable.
    pub raw_entry: f64,
}

/// Which of the rules holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Regime {
    /// The memtable holds an interval, the state fits into level 1: F, F, F, S + F.
    EveryFourth,
    /// The memtable fills up to three times: compactions come as much sooner.
    Sooner,
    /// It fills four times or more: every checkpoint uploads everything.
    Always,
    /// The state is larger than level 1: a part is rewritten; the mean is rough.
    DeepLevels,
}

/// Uploads of one subtask.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Incremental {
    /// Which of the rules holds.
    pub regime: Regime,
    /// Live SST bytes, S.
    pub state: Bytes,
    /// Bytes flushed an interval, F.
    pub flushed: Bytes,
    /// Memory at which the memtable is flushed.
    pub memtable: Bytes,
    /// Files that an interval flushes.
    pub files: u64,
    /// New bytes of a checkpoint on average.
    pub mean: Bytes,
    /// New bytes of consecutive checkpoints; empty where only the mean is known.
    pub pattern: Vec<Bytes>,
    /// The mean as a share of the state.
    pub mean_share: f64,
    /// How far the mean was off where it was measured.
    pub error: &'static str,
}

/// The memory at which a memtable is flushed.
pub fn memtable(options: &Options) -> f64 {
    let buffer = options.write_buffer.get() as f64;
    match options.managed {
        Some(managed) => {
            let limit = managed.get() as f64 * 2.0 * options.write_buffer_ratio / 3.0;
            buffer.min(limit * FLUSHES_FROM).max(1.0)
        }
        None => buffer.max(1.0),
    }
}

/// Uploads of one subtask.
pub fn uploads(
    options: &Options,
    interval: &Interval,
    assumptions: &Assumptions,
) -> Result<Incremental, StateError> {
    let Interval { state, flushed, updates, raw_entry } = *interval;
    let memtable = memtable(options);
    let in_memory = updates * (raw_entry + assumptions.get(Id::MemtableOverhead));
    let files = (in_memory / memtable).ceil().max(1.0);
    let base = options.level_base.get() as f64;
    let fixed = assumptions.get(Id::RocksMetadata);
    let trigger = TRIGGER as f64;
    // Rewritten by each compaction of level 0.
    let (regime, rewritten) = if files >= trigger {
        (Regime::Always, state)
    } else if state > base {
        let deep = assumptions.get(Id::DeepLevelFactor) * flushed * trigger / files;
        (Regime::DeepLevels, (base + deep).min(state + flushed))
    } else if files > 1.0 {
        (Regime::Sooner, state)
    } else {
        (Regime::EveryFourth, state)
    };
    let mean = match regime {
        Regime::Always => state,
        _ => flushed + rewritten * files / trigger,
    };
    let (small, large) = (rounded(flushed + fixed)?, rounded(flushed + rewritten + fixed)?);
    let pattern = match regime {
        Regime::EveryFourth => vec![small, small, small, large],
        Regime::Always => vec![rounded(state + fixed)?],
        Regime::Sooner if files <= 2.0 => vec![small, large],
        Regime::Sooner | Regime::DeepLevels => Vec::new(),
    };
    let mean = rounded(mean + fixed)?;
    let state = rounded(state)?;
    Ok(Incremental {
        regime,
        state,
        flushed: rounded(flushed)?,
        memtable: rounded(memtable)?,
        files: files.min(MAX_KEYS as f64) as u64,
        mean,
        pattern,
        mean_share: mean.share_of(state),
        error: match regime {
            Regime::EveryFourth => "at most 1 % where data do not compress, 4 % where they do",
            Regime::Sooner => "-5 % to +22 %",
            Regime::Always => "-18 % to -5 %",
            Regime::DeepLevels => "-10 % to +7 %, on the points the factor was chosen on",
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(managed: i64) -> Options {
        Options {
            write_buffer: Bytes::mib(64),
            level_base: Bytes::mib(256),
            write_buffer_ratio: 0.5,
            managed: Some(Bytes::mib(managed)),
        }
    }

    fn of(managed: i64, updates: f64) -> Incremental {
        let flushed = updates * 119.0;
        let interval = Interval { state: 119e6, flushed, updates, raw_entry: 114.0 };
        uploads(&options(managed), &interval, &Assumptions::default()).expect("it is small")
    }

    #[test]
    fn a_tenth_of_a_percent_uploads_a_quarter_of_the_state() {
        let got = of(256, 1000.0);
        assert_eq!(got.regime, Regime::EveryFourth);
        assert_eq!(got.pattern.len(), 4);
        assert!((got.mean_share - 0.25).abs() < 0.002, "{}", got.mean_share);
    }

    #[test]
    fn a_smaller_memtable_uploads_everything() {
        assert_eq!(of(256, 500_000.0).regime, Regime::Sooner);
        assert_eq!(of(64, 500_000.0).regime, Regime::Always);
        assert_eq!(of(64, 100_000.0).regime, Regime::EveryFourth);
    }
}
