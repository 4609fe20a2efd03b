//! Both backends by number of keys: memory, disk, a full checkpoint, or the mean upload.

use serde::Deserialize;

use super::lines::{Mark, Plot, Series, Stroke};
use super::scale::Quantity;
use super::theme::Tone;
use crate::state::ComparisonReport;
use crate::state::sizes::SizePoint;
use crate::units::{Bytes, grouped};

/// What is drawn of both backends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Measure {
    /// Memory on one TaskManager, while a snapshot runs.
    #[default]
    Memory,
    /// Disk on one TaskManager.
    Disk,
    /// A full checkpoint.
    FullCheckpoint,
    /// The mean upload of a checkpoint, incremental with RocksDB.
    MeanUpload,
}

impl Measure {
    const fn title(self) -> &'static str {
        match self {
            Self::Memory => "Memory of one TaskManager",
            Self::Disk => "Disk of one TaskManager",
            Self::FullCheckpoint => "Full checkpoint",
            Self::MeanUpload => "Mean upload of a checkpoint",
        }
    }
}

/// What is drawn of a report.
pub(super) fn plot(report: &ComparisonReport, measure: Measure) -> Plot {
    let points = &report.sizes;
    let value = |bytes: Option<Bytes>| bytes.map(|bytes| bytes.get().max(0).unsigned_abs());
    let line = |name: &str, tone, stroke, of: &dyn Fn(&SizePoint) -> Option<Bytes>| Series {
        name: name.to_owned(),
        tone,
        stroke,
        values: points.iter().map(|point| value(of(point))).collect(),
    };
    let (managed, heap) = (report.rocksdb.memory, report.hashmap.pool_bytes);
    let hashmap = |point: &SizePoint| match measure {
        Measure::Memory => Some(point.hashmap_memory),
        Measure::Disk => Some(Bytes::ZERO),
        Measure::FullCheckpoint | Measure::MeanUpload => point.hashmap_checkpoint,
    };
    let rocksdb = |point: &SizePoint| match measure {
        Measure::Memory => Some(managed),
        Measure::Disk => point.rocksdb_disk,
        Measure::FullCheckpoint => point.rocksdb_checkpoint,
        Measure::MeanUpload => point.rocksdb_upload,
    };
    let mut series = vec![
        line("HashMap", Tone::Heap, Stroke::Solid, &hashmap),
        line("RocksDB", Tone::Managed, Stroke::Dashed, &rocksdb),
    ];
    if measure == Measure::Memory {
        series.push(line("task heap", Tone::Muted, Stroke::Dotted, &|_| Some(heap)));
    }
    let count = |keys: u64| grouped(i64::try_from(keys).unwrap_or(i64::MAX));
    let full = report.changes_at_keys;
    let mut marks = vec![Mark {
        x: full,
        text: format!("HashMap full: {} keys", count(full)),
        is_danger: true,
    }];
    if report.keys != full {
        let text = "this state".to_owned();
        marks.push(Mark { x: report.keys, text, is_danger: false });
    }
    marks.retain(|mark| points.last().is_some_and(|last| mark.x <= last.keys));
    marks.sort_by_key(|mark| mark.x);
    let said = |bytes: Option<Bytes>| {
        bytes.map_or("not known".to_owned(), |bytes| {
            format!("{bytes} ({} bytes)", grouped(bytes.get()))
        })
    };
    let readout = |point: &SizePoint| {
        let keys = count(point.keys);
        format!("{keys} keys: HashMap {}, RocksDB {}", said(hashmap(point)), said(rocksdb(point)))
    };
    let end = points.last().map_or_else(String::new, readout);
    Plot {
        x_title: "Keys",
        x_quantity: Quantity::Count,
        y_title: measure.title(),
        y_quantity: Quantity::Size,
        xs: points.iter().map(|point| point.keys).collect(),
        series,
        marks,
        readouts: points.iter().map(readout).collect(),
        description: format!("{} by number of keys. {end}.", measure.title()),
    }
}
