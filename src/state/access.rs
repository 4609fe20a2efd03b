//! What does one access to state cost on either backend?
//!
//! Times as they were measured, on one thread of one machine: read them as ratios, not as promises.
//!
//! Source: measurements of Flink 1.20.5, `HeapKeyedStateBackend` and `RocksDBKeyedStateBackend`, Java 17,
//! medians of 7 to 11 batches, `Long` keys, `byte[100]` values; collections of 16 byte elements.
//!
//! # Deviations
//! Nothing is computed from the workload but where its state lies, and the line through the
//! collection times, which is by eye and up to 20 % off, worst between 10 and 100 elements.

use serde::Serialize;

/// Where the state of RocksDB is read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Residence {
    /// In the block cache.
    BlockCache,
    /// In the page cache of the operating system, index partitioned.
    PageCache,
    /// On disk, index partitioned.
    Disk,
    /// In the page cache, with index blocks that do not fit their cache shard; seen on 1.20.5 only.
    IndexThrash,
}

/// Nanoseconds that an operation took, from and to.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AccessCost {
    /// `read`, `readMissing`, `update` or `readModifyWrite`.
    pub operation: &'static str,
    /// Where RocksDB found its state.
    pub residence: Residence,
    /// HashMap backend, 100 000 and 1 000 000 keys [ns].
    pub hashmap: [f64; 2],
    /// RocksDB [ns].
    pub rocksdb: [f64; 2],
    /// RocksDB over HashMap, least and most.
    pub ratio: [f64; 2],
    /// Whether this residence is likely for the workload.
    pub applies: bool,
}

const OPERATIONS: [&str; 4] = ["read", "readMissing", "update", "readModifyWrite"];
const HASHMAP: [[f64; 2]; 4] = [[132.0, 273.0], [71.0, 188.0], [221.0, 353.0], [525.0, 884.0]];
const ROCKSDB: [(Residence, [[f64; 2]; 4]); 4] = [
    (
        Residence::BlockCache,
        [[1901.0, 4095.0], [1071.0, 2553.0], [2419.0, 2683.0], [4687.0, 8179.0]],
    ),
    (
        Residence::PageCache,
        [[14_125.0, 14_125.0], [9350.0, 9350.0], [1647.0, 1647.0], [26_561.0, 26_561.0]],
    ),
    (
        Residence::Disk,
        [[76_577.0, 76_577.0], [7931.0, 7931.0], [1830.0, 1830.0], [93_311.0, 93_311.0]],
    ),
    (
        Residence::IndexThrash,
        [[146_669.0, 271_558.0], [263_312.0, 263_312.0], [1412.0, 1412.0], [270_529.0, 270_529.0]],
    ),
];

/// The measured costs; `applies` marks where this workload's state is likely to lie.
pub fn costs(likely: &[Residence]) -> Vec<AccessCost> {
    let rows = ROCKSDB.iter().flat_map(|(residence, times)| {
        OPERATIONS.iter().zip(HASHMAP.iter().zip(times)).map(|(operation, (hashmap, rocksdb))| {
            let round = |ratio: f64| (ratio * 10.0).round() / 10.0;
            // The sizes match in the block cache; beyond it 4 000 000 keys stand against 1 000 000.
            let ratio = match residence {
                Residence::BlockCache => {
                    let (a, b) = (rocksdb[0] / hashmap[0], rocksdb[1] / hashmap[1]);
                    [round(a.min(b)), round(a.max(b))]
                }
                _ => [round(rocksdb[0] / hashmap[1]), round(rocksdb[1] / hashmap[1])],
            };
            AccessCost {
                operation,
                residence: *residence,
                hashmap: *hashmap,
                rocksdb: *rocksdb,
                ratio,
                applies: likely.contains(residence),
            }
        })
    });
    rows.collect()
}

/// What an access to a collection costs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CollectionCost {
    /// `rocksdb` or `hashmap`.
    pub backend: &'static str,
    /// Such as `MapState.put`.
    pub operation: &'static str,
    /// Measured with 10, 100 and 1000 elements [us].
    pub measured: [f64; 3],
    /// By the line through them, for the elements of the workload [us]; `None` without elements.
    pub at_elements: Option<f64>,
    /// Whether the elements lie outside 10 to 1000.
    pub extrapolated: bool,
}

/// Name, three times, and the line `a + b * elements` [us].
type Line = (&'static str, &'static str, [f64; 3], [f64; 2]);

const COLLECTIONS: [Line; 12] = [
    ("rocksdb", "MapState.put", [2.5, 2.5, 2.7], [2.6, 0.0]),
    ("rocksdb", "MapState.get", [2.3, 1.9, 1.9], [2.0, 0.0]),
    ("rocksdb", "MapState iterate", [6.8, 25.8, 241.0], [4.4, 0.237]),
    ("rocksdb", "ValueState<Map> get", [2.6, 3.4, 18.5], [2.2, 0.016]),
    ("rocksdb", "ValueState<Map> read, change, write", [4.8, 6.7, 33.8], [4.3, 0.029]),
    ("rocksdb", "ListState.add", [1.36, 1.33, 1.18], [1.3, 0.0]),
    ("rocksdb", "ListState.get", [2.6, 7.3, 50.0], [2.2, 0.048]),
    ("rocksdb", "ValueState<List> append", [3.7, 3.5, 12.4], [2.9, 0.0094]),
    ("hashmap", "MapState.put", [0.51, 0.35, 0.30], [0.4, 0.0]),
    ("hashmap", "ValueState<Map> read, change, write", [0.72, 0.68, 0.41], [0.6, 0.0]),
    ("hashmap", "MapState iterate", [0.76, 1.7, 8.5], [0.7, 0.008]),
    ("hashmap", "ListState.get", [0.56, 1.5, 6.6], [0.7, 0.008]),
];

/// The measured costs of collections, and the line at so many elements.
pub fn collections(elements: Option<u64>) -> Vec<CollectionCost> {
    let rows = COLLECTIONS.iter().map(|(backend, operation, measured, [fixed, each])| {
        let at = elements.map(|count| ((fixed + each * count as f64) * 100.0).round() / 100.0);
        let extrapolated = elements.is_some_and(|count| !(10..=1000).contains(&count));
        let (measured, at_elements) = (*measured, at);
        CollectionCost { backend, operation, measured, at_elements, extrapolated }
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_those_of_equal_sizes() {
        let rows = costs(&[Residence::BlockCache]);
        let read = rows[0];
        assert_eq!(read.operation, "read");
        assert!((read.ratio[0] - 14.4).abs() < 0.01 && (read.ratio[1] - 15.0).abs() < 0.01);
        assert_eq!(rows.iter().filter(|row| row.applies).count(), 4);
    }

    #[test]
    fn lines_are_no_further_off_than_they_say() {
        // The worst are the flat lines of the HashMap backend and small lists.
        for row in collections(Some(1000)).iter().filter(|row| row.backend == "rocksdb") {
            let at = row.at_elements.expect("elements are given");
            assert!((at / row.measured[2] - 1.0).abs() < 0.2, "{row:?}");
        }
    }
}
