//! How long does a subtask take to restore its state from a local disk?
//!
//! The HashMap backend reads key by key: time goes with keys, not bytes. RocksDB copies files where
//! one old subtask becomes one or several new ones, each of which copies all of it; where old
//! subtasks merge, all but one are inserted again.
//!
//! Source: Flink 1.20.5 and 2.2.1, `HeapRestoreOperation`, `RocksDBIncrementalRestoreOperation`;
//! measured on a local disk, slowest subtask of 3 or 4 repeats. A remote store adds its transfer.

use serde::Serialize;

use super::assumptions::{Assumption, Assumptions, Id};

/// Time of one way to restore.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RestoreCost {
    /// `hashmap` or `rocksdb`.
    pub backend: &'static str,
    /// `same`, `buffered`, `split` or `merge`.
    pub id: &'static str,
    /// What happens.
    pub title: &'static str,
    /// For the largest subtask [s].
    pub seconds: f64,
    /// With the ends of the measured range [s].
    pub range: [f64; 2],
}

/// Restoring a subtask of so many keys and SST bytes; `None` where SST bytes are not known.
pub fn costs(keys: u64, sst: Option<f64>, assumptions: &Assumptions) -> Vec<RestoreCost> {
    let keys = keys as f64;
    let bytes = sst.unwrap_or(0.0);
    let micros = |each: f64| keys * each / 1e6;
    let megabytes = |count: f64| move |rate: f64| count / rate.max(1e-3) / 1e6;
    let row = |backend, id, title, knob, time: &dyn Fn(f64) -> f64| {
        let [Assumption { value, range, .. }] = &assumptions.listed(&[knob])[..] else {
            return None;
        };
        let ends = range.map(time);
        let ends = [ends[0].min(ends[1]), ends[0].max(ends[1])];
        let (seconds, range) = (to_millis(time(*value)), ends.map(to_millis));
        Some(RestoreCost { backend, id, title, seconds, range })
    };
    let (copy, insert) = (megabytes(bytes), megabytes(bytes / 2.0));
    // A subtask that came from one of twice its size reads all of that one.
    let split = megabytes(bytes * 2.0);
    let rows = [
        row("hashmap", "same", "Key by key, unbuffered", Id::HeapRestoreMicros, &micros),
        row(
            "hashmap",
            "buffered",
            "Key by key, with snapshot compression",
            Id::HeapRestoreBufferedMicros,
            &micros,
        ),
        row("rocksdb", "same", "Files copied", Id::RocksCopyMegabytes, &copy),
        row(
            "rocksdb",
            "split",
            "Parallelism had doubled: each half copies all of the old subtask",
            Id::RocksCopyMegabytes,
            &split,
        ),
        row(
            "rocksdb",
            "merge",
            "Two subtasks merge: one copied, one inserted again",
            Id::RocksReinsertMegabytes,
            &insert,
        ),
    ];
    rows.into_iter().flatten().filter(|row| row.backend == "hashmap" || sst.is_some()).collect()
}

fn to_millis(seconds: f64) -> f64 {
    (seconds * 1e3).round() / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_million_keys_restore_as_measured() {
        let rows = costs(1_000_000, Some(119e6), &Assumptions::default());
        let seconds = |at: usize| rows[at].seconds;
        // Measured 4.25 to 4.38 s, 0.149 s, 0.079 s, and 0.47 s for a merge of 119 MB.
        assert!((seconds(0) - 4.3).abs() < 0.1 && (seconds(1) - 0.149).abs() < 0.01);
        assert!((seconds(2) - 0.079).abs() < 0.02 && (rows[4].range[1] - 0.47).abs() < 0.1);
    }
}
