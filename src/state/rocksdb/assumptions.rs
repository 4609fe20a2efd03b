//! What does the estimate of a workload assume, in which range was it measured, and by what?
//!
//! Each constant can be replaced. None of them touches what Flink hands to RocksDB.
//!
//! Source: RocksDB state backend of Flink 1.20.5 (FRocksDB 6.20.3) driven directly, cross-checked
//! on 2.2.1 (FRocksDB 8.10): default options, one thread, 128 key groups.

use serde::{Deserialize, Serialize};

use super::error::RocksdbError;

/// What the estimate assumes; the default is the middle or the careful end of what was measured.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RocksdbAssumptions {
    /// Bytes of an entry in a file beside key, value and Flink's two. \[measured\] 5 with values of
    /// 100 B, 13 with 1000 B; entries of 16 B take less than their raw size.
    pub entry_overhead: f64,
    /// Bytes in a file for each byte before compression. \[measured\] 1 for data that do not
    /// compress, 0.36 where a quarter of each value is random.
    pub compression: f64,
    /// Bytes of index for each byte in a file. \[measured\] 1.8 MB for 335 MB of 119-byte entries.
    pub index_share: f64,
    /// Arena blocks that a written state holds at least. \[inferred\] 1; the flush storm measured
    /// between 25.6 and 32 MB of memory a state puts it between 0.93 and 1.17.
    pub arena_blocks: f64,
    /// Sorted runs that an open iterator holds a block of. \[inferred\] up to four files in level 0
    /// and one run in each of two levels below.
    pub sorted_runs: f64,
}

impl Default for RocksdbAssumptions {
    fn default() -> Self {
        Self {
            entry_overhead: 5.0,
            compression: 1.0,
            index_share: 0.0054,
            arena_blocks: 1.0,
            sorted_runs: 6.0,
        }
    }
}

/// How well a constant is founded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Footing {
    /// It was measured.
    Measured,
    /// It is the mechanism that fits what was measured.
    Inferred,
}

/// An assumption as the report shows it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Assumption {
    /// The field of the params.
    pub id: &'static str,
    /// What it is.
    pub label: &'static str,
    /// Its unit, empty for a ratio.
    pub unit: &'static str,
    /// The value used.
    pub value: f64,
    /// The value unless replaced.
    pub default: f64,
    /// The least value measured.
    pub low: f64,
    /// The largest value measured.
    pub high: f64,
    /// How well it is founded.
    pub footing: Footing,
    /// What the range was measured on.
    pub source: &'static str,
}

/// The largest value of an assumption that is computed with.
const MAX: f64 = 1e6;

impl RocksdbAssumptions {
    /// Refuses what cannot be computed with.
    pub(super) fn check(&self) -> Result<(), RocksdbError> {
        for line in self.lines() {
            if !(line.value.is_finite() && (0.0..=MAX).contains(&line.value)) {
                return Err(RocksdbError::BadWorkload {
                    field: "assumptions",
                    message: format!("{} must lie between 0 and {MAX}.", line.id),
                });
            }
        }
        Ok(())
    }

    /// The assumptions with their ranges.
    pub fn lines(&self) -> Vec<Assumption> {
        let default = Self::default();
        vec![
            Assumption {
                id: "entryOverhead",
                label: "Bytes of an entry beside key, value and two",
                unit: "B",
                value: self.entry_overhead,
                default: default.entry_overhead,
                low: 5.0,
                high: 13.0,
                footing: Footing::Measured,
                source: "Flink 1.20.5: 119.1 B an entry for Long to byte[100], 1027 B for byte[1000]",
            },
            Assumption {
                id: "compression",
                label: "Bytes in files for each byte before compression",
                unit: "",
                value: self.compression,
                default: default.compression,
                low: 0.36,
                high: 1.0,
                footing: Footing::Measured,
                source: "Flink 1.20.5, snappy: 43 B instead of 119 B an entry with a quarter of the value random",
            },
            Assumption {
                id: "indexShare",
                label: "Bytes of index for each byte in files",
                unit: "",
                value: self.index_share,
                default: default.index_share,
                low: 0.0051,
                high: 0.0054,
                footing: Footing::Measured,
                source: "Flink 1.20.5, 4 KB blocks: table readers of 1.80 MB at 354 MB and 1.03 MB at 204 MB, 1.8 MB at 335 MB",
            },
            Assumption {
                id: "arenaBlocks",
                label: "Arena blocks that a written state holds",
                unit: "",
                value: self.arena_blocks,
                default: default.arena_blocks,
                low: 0.93,
                high: 1.17,
                footing: Footing::Inferred,
                source: "Flink 1.20.5, 64 MB write buffers: storm at 25.6 MB of memory a written state, none at 32 MB",
            },
            Assumption {
                id: "sortedRuns",
                label: "Sorted runs under an open iterator",
                unit: "",
                value: self.sorted_runs,
                default: default.sorted_runs,
                low: 1.0,
                high: 7.0,
                footing: Footing::Inferred,
                source: "RocksDB compacts at four files of level 0; files found in up to three levels on Flink 1.20.5",
            },
        ]
    }
}
