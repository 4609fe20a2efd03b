//! What is a panel asked, and how does its answer differ from that for other settings?
//!
//! Each panel has one question. Asked for two scenarios, A and B, it gives two reports; of both the
//! figures that a reader compares are listed, and every difference is B minus A.

mod difference;
mod figures;

use serde::Deserialize;

pub use difference::{FigureDifference, PanelComparison};
pub use figures::{Amount, Figure};

use crate::finding::{Derivation, Problem};
use crate::memory::DiagnoseParams;
use crate::memory::backwards::{BoundariesReport, boundaries};
use crate::memory::local::{LocalParams, LocalReport, local_memory};
use crate::network::{NetworkParams, NetworkReport, network_buffers};
use crate::state::rocksdb::{RocksdbParams, RocksdbReport, rocksdb_memory};
use crate::state::slots::{SlotsParams, SlotsReport, slots_sweep};
use crate::state::{
    CompareParams, ComparisonReport, HeapParams, HeapReport, TtlParams, TtlReport,
    compare_backends, heap_state, ttl_growth,
};

/// A panel's question, with its params.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Subject {
    /// From which value to which each knob starts.
    MemoryBoundaries(Box<DiagnoseParams>),
    /// RocksDB's memory in each slot.
    RocksdbMemory(Box<RocksdbParams>),
    /// Heap of HashMap state.
    HeapState(Box<HeapParams>),
    /// The same workload on both backends.
    CompareBackends(Box<CompareParams>),
    /// State under TTL over time.
    TtlGrowth(TtlParams),
    /// The split by number of slots.
    SlotsSweep(Box<SlotsParams>),
    /// Network buffers of a job.
    NetworkBuffers(Box<NetworkParams>),
    /// A TaskManager inside the program's own JVM.
    LocalMemory(LocalParams),
}

/// The answer to a panel's question.
#[derive(Debug, Clone)]
pub enum Report {
    /// To `memoryBoundaries`.
    MemoryBoundaries(Box<BoundariesReport>),
    /// To `rocksdbMemory`.
    RocksdbMemory(Box<RocksdbReport>),
    /// To `heapState`.
    HeapState(Box<HeapReport>),
    /// To `compareBackends`.
    CompareBackends(Box<ComparisonReport>),
    /// To `ttlGrowth`.
    TtlGrowth(Box<TtlReport>),
    /// To `slotsSweep`.
    SlotsSweep(Box<SlotsReport>),
    /// To `networkBuffers`.
    NetworkBuffers(Box<NetworkReport>),
    /// To `localMemory`.
    LocalMemory(Box<LocalReport>),
}

impl Subject {
    /// Asks the question.
    ///
    /// # Errors
    /// Its refusal.
    pub fn answer(&self) -> Result<Report, Problem> {
        Ok(match self {
            Self::MemoryBoundaries(params) => {
                Report::MemoryBoundaries(Box::new(boundaries(params).value))
            }
            Self::RocksdbMemory(params) => {
                Report::RocksdbMemory(Box::new(rocksdb_memory(params)?.value))
            }
            Self::HeapState(params) => Report::HeapState(Box::new(heap_state(params)?.value)),
            Self::CompareBackends(params) => {
                Report::CompareBackends(Box::new(compare_backends(params)?.value))
            }
            Self::TtlGrowth(params) => Report::TtlGrowth(Box::new(ttl_growth(params)?.value)),
            Self::SlotsSweep(params) => Report::SlotsSweep(Box::new(slots_sweep(params)?.value)),
            Self::NetworkBuffers(params) => {
                Report::NetworkBuffers(Box::new(network_buffers(params)?.value))
            }
            Self::LocalMemory(params) => Report::LocalMemory(Box::new(local_memory(params)?.value)),
        })
    }
}

impl Report {
    /// Its own sentence.
    pub fn verdict(&self) -> &str {
        match self {
            Self::MemoryBoundaries(report) => &report.verdict,
            Self::RocksdbMemory(report) => &report.verdict,
            Self::HeapState(report) => &report.verdict,
            Self::CompareBackends(report) => &report.verdict,
            Self::TtlGrowth(report) => &report.verdict,
            Self::SlotsSweep(report) => &report.verdict,
            Self::NetworkBuffers(report) => &report.verdict,
            Self::LocalMemory(report) => &report.verdict,
        }
    }
}

/// Params of `comparePanels`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ComparePanelsParams {
    /// What is compared with.
    pub a: Subject,
    /// What is asked about now; the same question.
    pub b: Subject,
}

/// Asks a panel's question of two scenarios and lists what differs.
///
/// # Errors
/// The refusal of either question, with the side as its field, or two different questions.
pub fn compare_panels(
    params: &ComparePanelsParams,
) -> Result<Derivation<PanelComparison>, Problem> {
    if std::mem::discriminant(&params.a) != std::mem::discriminant(&params.b) {
        return Err(Problem {
            code: "panel.otherQuestion".to_owned(),
            message: "a and b ask different questions; a panel is compared with itself".to_owned(),
            field: Some("a".to_owned()),
            option: None,
        });
    }
    let ask = |subject: &Subject, side: &str| {
        subject.answer().map_err(|problem| Problem { field: Some(side.to_owned()), ..problem })
    };
    let (a, b) = (ask(&params.a, "a")?, ask(&params.b, "b")?);
    Ok(Derivation { value: difference::compare(&a, &b), findings: Vec::new() })
}
