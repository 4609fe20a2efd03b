//! Which partitions and keys make the disorder?
//!
//! Source: none of Flink's; counts of [`crate::stream::disorder`].

use std::cmp::Reverse;

use serde::Serialize;

use crate::stream::disorder::{Disorder, KeyCounts, PartitionCounts};

/// One partition.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PartitionDisorder {
    /// Its number.
    pub partition: u16,
    /// Its records.
    pub records: u64,
    /// Its records behind the event time that the watermark follows.
    pub out_of_order: u64,
    /// Its records behind the watermark of the culprits' bound. For another bound than the one
    /// counted on the way, and more than 4096 distinct delays from 2048 ms on, records of up to
    /// 0.1 % less than the bound count too.
    pub behind_watermark: u64,
    /// The same as a share of such records of all partitions; 0 if there are none.
    pub share_of_behind: f64,
    /// Its records that made the watermark rise.
    pub raised: u64,
    /// How far its worst record is behind: the least bound that none is late for [ms].
    pub worst_ms: u64,
    /// The bound that half of its records need [ms].
    pub median_ms: u64,
}

/// One key.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KeyDisorder {
    /// Its index.
    pub key: u32,
    /// Its records.
    pub records: u32,
    /// Its records behind the event time that the watermark follows.
    pub out_of_order: u32,
    /// Its records behind the watermark of the culprits' bound; `None` where that is not the bound
    /// that was counted on the way through the stream.
    pub behind_watermark: Option<u32>,
    /// How far its worst record is behind: the least bound that none is late for [ms].
    pub worst_ms: u64,
    /// How far its records are behind on average [ms].
    pub mean_ms: f64,
}

/// Partitions that have records, by records behind the watermark, then by the worst record.
pub fn partitions(disorder: &Disorder, bound: u64) -> Vec<PartitionDisorder> {
    let all = || (0_u16..).zip(disorder.partitions());
    let was_counted = disorder.params().bound_ms.unsigned_abs() == bound;
    let late = |it: &PartitionCounts| {
        if was_counted { it.behind_watermark } else { it.behind.above(bound) }
    };
    let behind: Vec<u64> = all().map(|(_, it)| late(it)).collect();
    let total: u64 = behind.iter().sum();
    let row = |((partition, counts), behind): ((u16, &PartitionCounts), &u64)| {
        let records = counts.behind.count();
        PartitionDisorder {
            partition,
            records,
            out_of_order: counts.behind.positive(),
            behind_watermark: *behind,
            share_of_behind: if total == 0 { 0.0 } else { *behind as f64 / total as f64 },
            raised: counts.raised,
            worst_ms: counts.behind.max(),
            median_ms: counts.behind.smallest_bound(records.div_ceil(2)),
        }
    };
    let mut rows: Vec<PartitionDisorder> =
        all().zip(&behind).map(row).filter(|it| it.records > 0).collect();
    rows.sort_by_key(|it| Reverse((it.behind_watermark, it.worst_ms)));
    rows
}

/// The keys whose records are behind by the most in sum, and are behind at all.
pub fn keys(disorder: &Disorder, bound: u64, top: usize) -> Vec<KeyDisorder> {
    // Who moves a bound by hand asks many times, and does not look at a million keys meanwhile.
    if top == 0 {
        return Vec::new();
    }
    let mut keys: Vec<_> =
        (0_u32..).zip(disorder.keys()).filter(|(_, it)| it.total_ms > 0).collect();
    // Whole keys are compared, so the order does not depend on the algorithm.
    keys.sort_unstable_by(|(a, x), (b, y)| (y.total_ms, *a).cmp(&(x.total_ms, *b)));
    let was_counted = disorder.params().bound_ms.unsigned_abs() == bound;
    let row = |(key, counts): (u32, &KeyCounts)| KeyDisorder {
        key,
        records: counts.records,
        out_of_order: counts.out_of_order,
        behind_watermark: was_counted.then_some(counts.behind_watermark),
        worst_ms: counts.worst_ms,
        mean_ms: counts.total_ms as f64 / f64::from(counts.records.max(1)),
    };
    keys.into_iter().take(top).map(row).collect()
}
