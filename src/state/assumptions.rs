//! Which numbers are measured or inferred rather than derived, and what may the reader set instead?
//!
//! Source: measurements of the real keyed backends of Flink 1.20.5, cross-checked on 2.2.1 (Java 17,
//! 2 CPUs, ext4, 128 key groups, default RocksDB options), driven directly without a job. Each entry
//! names what it was read from.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::error::StateError;

/// Where a number comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Label {
    /// Read from a measurement.
    Measured,
    /// A mechanism that fits the measurements.
    Inferred,
    /// A default of the JVM, or a choice of this engine; nothing was measured.
    Chosen,
}

/// A number that is not derived.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Assumption {
    /// The name under which the params change it.
    pub id: &'static str,
    /// What it is.
    pub title: &'static str,
    /// Its unit; empty for shares.
    pub unit: &'static str,
    /// What was used.
    pub value: f64,
    /// What is used when the params say nothing.
    pub default: f64,
    /// The range that was seen.
    pub range: [f64; 2],
    /// Where it comes from.
    pub label: Label,
    /// What it was read from.
    pub source: &'static str,
}

struct Entry(&'static str, &'static str, &'static str, f64, [f64; 2], Label, &'static str);

/// Names an entry of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is described by its entry in the table")]
pub enum Id {
    HeapShare,
    GcPressureShare,
    EmptyStatePerKeyGroup,
    InsertsToFinish,
    CowExtraAtTenPercent,
    CowExtraAtOnePercent,
    SnapshotMetadata,
    RocksMetadata,
    NumbersCompressed,
    MapNumbersCompressed,
    TextCompressed,
    BytesCompressed,
    MemtableOverhead,
    DeepLevelFactor,
    HeapRestoreMicros,
    HeapRestoreBufferedMicros,
    RocksCopyMegabytes,
    RocksReinsertMegabytes,
}

const COUNT: usize = 18;
/// No assumption is meaningful beyond.
const HIGHEST: f64 = 1e6;

const TABLE: [Entry; COUNT] = {
    use Label::{Chosen, Inferred, Measured};
    [
        Entry(
            "heapShare",
            "Share of task heap that this state may fill",
            "",
            1.0,
            [0.0, 1.0],
            Chosen,
            "task heap holds user objects too; how many is not known here",
        ),
        Entry(
            "gcPressureShare",
            "Share of the JVM heap in use from which G1 marks without pause",
            "",
            0.45,
            [0.45, 1.0],
            Chosen,
            "HotSpot of Java 17, -XX:InitiatingHeapOccupancyPercent=45, before G1 adapts it; not measured",
        ),
        Entry(
            "emptyStatePerKeyGroup",
            "Heap of a registered state without keys, a key group",
            "B",
            660.0,
            [660.3, 1138.4],
            Measured,
            "heap of an empty ValueState with 1, 128 and 1024 key groups, compressed oops",
        ),
        Entry(
            "insertsToFinish",
            "Inserts until a table has doubled, as a share of its entries",
            "",
            0.254,
            [0.247, 0.256],
            Measured,
            "11 doublings of one map; follows from at least 4 entries moved an operation, CopyOnWriteStateMap#incrementalRehash",
        ),
        Entry(
            "cowExtraAtTenPercent",
            "Extra copies a touched key when 10 % are touched during a snapshot",
            "B",
            12.0,
            [8.0, 119.0],
            Inferred,
            "500 000 keys with 26 of 128 maps half moved; 119 B with 88 maps half moved. Predecessors in the chain and moved entries",
        ),
        Entry(
            "cowExtraAtOnePercent",
            "Extra copies a touched key when 1 % are touched during a snapshot",
            "B",
            34.0,
            [30.0, 40.0],
            Inferred,
            "the same at 1 %; between the points by straight lines, 0 at 100 %",
        ),
        Entry(
            "snapshotMetadata",
            "Serializer snapshots and names in a heap snapshot",
            "B",
            560.0,
            [360.0, 1200.0],
            Measured,
            "snapshot sizes at 10 000 and 100 000 keys",
        ),
        Entry(
            "rocksMetadata",
            "MANIFEST, OPTIONS, CURRENT and metadata in a RocksDB checkpoint",
            "B",
            10_600.0,
            [10_514.0, 11_133.0],
            Measured,
            "6 native checkpoints",
        ),
        Entry(
            "numbersCompressed",
            "Compressed share of SST blocks whose values are numbers",
            "",
            0.69,
            [0.68, 0.72],
            Measured,
            "Long values, Long and String keys, snappy, dense keys; set on the points that it is compared with",
        ),
        Entry(
            "mapNumbersCompressed",
            "The same for MapState, whose neighbours share more",
            "",
            0.565,
            [0.556, 0.573],
            Measured,
            "MapState of Long with 10 entries a key, Long and String keys; set on the points that it is compared with",
        ),
        Entry(
            "textCompressed",
            "Compressed share of SST blocks whose values hold text",
            "",
            0.57,
            [0.57, 1.0],
            Measured,
            "a POJO with a repetitive name, snappy; unlike text is not measured",
        ),
        Entry(
            "bytesCompressed",
            "Compressed share of SST blocks whose values are byte[]",
            "",
            1.0,
            [0.36, 1.0],
            Measured,
            "random bytes stay as they are; bytes of which a quarter is random shrink to 0.36",
        ),
        Entry(
            "memtableOverhead",
            "Memory of an update in the memtable beyond key and value",
            "B",
            36.0,
            [36.0, 36.0],
            Inferred,
            "assumed; tested only by the number of flushes coming out right",
        ),
        Entry(
            "deepLevelFactor",
            "Flushes' worth of L2 files that a compaction of L1 rewrites",
            "",
            1.8,
            [1.4, 2.2],
            Chosen,
            "chosen on the two points above 256 MB that it is compared with (+4 %, +7 %); a third is 10 % off",
        ),
        Entry(
            "heapRestoreMicros",
            "Restore of the HashMap backend from a local file, a key",
            "us",
            4.3,
            [4.2, 4.6],
            Measured,
            "independent of value size: 7.0 read calls a key on an unbuffered stream",
        ),
        Entry(
            "heapRestoreBufferedMicros",
            "The same with snapshot compression, whose stream buffers",
            "us",
            0.149,
            [0.141, 0.246],
            Measured,
            "1 000 000 keys of 100 B; a remote file system that buffers should behave so, not measured",
        ),
        Entry(
            "rocksCopyMegabytes",
            "RocksDB restore by copying files, local disk",
            "MB/s",
            1700.0,
            [1350.0, 2118.0],
            Measured,
            "119 to 821 MB, warm; 1350 cold",
        ),
        Entry(
            "rocksReinsertMegabytes",
            "RocksDB restore by inserting again, when instances merge",
            "MB/s",
            200.0,
            [150.0, 240.0],
            Measured,
            "150 for values of 100 B, 240 for 1000 B",
        ),
    ]
};

/// The assumptions of one question: the table's, and what the params set instead.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(transparent)]
pub struct Assumptions(BTreeMap<String, f64>);

impl Assumptions {
    /// Sets one by its name.
    pub fn set(&mut self, id: &str, value: f64) -> &mut Self {
        self.0.insert(id.to_owned(), value);
        self
    }

    /// Refuses names that are not in the table and numbers that mean nothing.
    pub(super) fn check(&self) -> Result<(), StateError> {
        for (id, value) in &self.0 {
            let field = format!("assumptions.{id}");
            let Some(entry) = TABLE.iter().find(|entry| entry.0 == id) else {
                let known: Vec<&str> = TABLE.iter().map(|entry| entry.0).collect();
                let message =
                    format!("There is no assumption {id}; there are {}.", known.join(", "));
                return Err(StateError::NotOffered { field, message });
            };
            let high =
                if entry.2.is_empty() && entry.0 != "deepLevelFactor" { 1.0 } else { HIGHEST };
            if !(0.0..=high).contains(value) {
                return Err(StateError::range(&field, value, 0, high));
            }
        }
        Ok(())
    }

    /// The value of one.
    pub fn get(&self, id: Id) -> f64 {
        let entry = &TABLE[id as usize];
        self.0.get(entry.0).copied().unwrap_or(entry.3)
    }

    /// Those that an answer rests on.
    pub(super) fn listed(&self, used: &[Id]) -> Vec<Assumption> {
        let list = used.iter().map(|id| {
            let Entry(name, title, unit, default, range, label, source) = TABLE[*id as usize];
            let value = self.get(*id);
            Assumption { id: name, title, unit, value, default, range, label, source }
        });
        list.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_table_agree() {
        let plain = Assumptions::default();
        assert!(plain.get(Id::HeapShare) >= 1.0);
        let last =
            plain.listed(&[Id::InsertsToFinish, Id::MemtableOverhead, Id::RocksReinsertMegabytes]);
        let ids: Vec<&str> = last.iter().map(|it| it.id).collect();
        assert_eq!(ids, ["insertsToFinish", "memtableOverhead", "rocksReinsertMegabytes"]);
    }

    #[test]
    fn unknown_names_and_mad_numbers_are_refused_with_their_path() {
        let check = |id: &str, value| Assumptions::default().set(id, value).check();
        assert!(check("heapShare", 0.5).is_ok());
        for (id, value) in [("heapShare", 1.5), ("heapSahre", 0.5), ("rocksMetadata", f64::NAN)] {
            let problem = crate::finding::Problem::from(check(id, value).unwrap_err());
            assert_eq!(problem.field, Some(format!("assumptions.{id}")));
        }
    }
}
