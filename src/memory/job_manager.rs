//! How does Flink split a JobManager's memory?
//!
//! Three routes, the first that fits: JVM heap set, total Flink memory set, total process memory
//! set. Off-heap memory limits direct memory only when asked to.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `JobManagerProcessUtils#processSpecFromConfig`,
//! `JobManagerFlinkMemoryUtils#deriveFromRequiredFineGrainedOptions`, `#deriveFromTotalFlinkMemory`.

use serde::Serialize;

use super::arithmetic::{Sized, sum};
use super::error::{Kind, MemoryError};
use super::jvm::{self, Jvm, JvmOptions};
use super::options::jm;
use super::settings::{RangeOptions, Settings};
use super::trace::{Trace, exact};
use crate::config::size::human;
use crate::units::Bytes;

/// The options of the JVM's own memory.
pub const JVM: JvmOptions = JvmOptions {
    process: jm::PROCESS,
    metaspace: jm::METASPACE,
    overhead: RangeOptions {
        min: jm::OVERHEAD_MIN,
        max: jm::OVERHEAD_MAX,
        fraction: jm::OVERHEAD_FRACTION,
    },
};

/// Below this heap Flink logs a warning: `JobManagerOptions.MIN_JVM_HEAP_SIZE`.
pub const MIN_HEAP: Bytes = Bytes::mib(128);

/// Which settings the split starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Route {
    /// JVM heap is set.
    Heap,
    /// Total Flink memory is set.
    TotalFlink,
    /// Total process memory is set.
    TotalProcess,
}

/// A JobManager's memory. Totals are methods, so that they cannot disagree with the parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JobManagerSpec {
    /// Which settings it was derived from.
    pub route: Route,
    /// The JVM heap, `-Xmx`.
    pub heap: Sized,
    /// Direct and native memory.
    pub off_heap: Sized,
    /// Metaspace and overhead.
    pub jvm: Jvm,
    /// Whether off-heap memory limits direct memory.
    pub direct_limit: bool,
}

impl JobManagerSpec {
    /// Total Flink memory.
    pub fn total_flink(&self) -> Bytes {
        Bytes::new(self.heap.bytes.get() + self.off_heap.bytes.get())
    }

    /// Total process memory.
    pub fn total_process(&self) -> Bytes {
        Bytes::new(
            self.total_flink().get()
                + self.jvm.metaspace.bytes.get()
                + self.jvm.overhead.bytes.get(),
        )
    }

    /// The JVM arguments.
    pub fn jvm_args(&self) -> String {
        let direct = self.direct_limit.then_some(self.off_heap.bytes);
        jvm::arguments(self.heap.bytes, direct, self.jvm.metaspace.bytes)
    }
}

/// Splits a JobManager's memory as `JobManagerProcessUtils.processSpecFromConfig` does.
pub fn process_spec(
    settings: &Settings<'_>,
    trace: &mut Trace,
) -> Result<JobManagerSpec, MemoryError> {
    let (route, (heap, off_heap), jvm) = if settings.contains(&jm::HEAP) {
        let parts = from_heap(settings, trace)?;
        let flink = sum(&[parts.0.bytes, parts.1.bytes])?;
        (Route::Heap, parts, jvm::from_flink(settings, &JVM, flink, trace)?)
    } else if settings.contains(&jm::FLINK) {
        let flink = settings.size(&jm::FLINK)?;
        trace.read("Total Flink Memory", jm::FLINK.key, flink);
        let parts = from_total_flink(settings, flink.bytes, trace)?;
        (Route::TotalFlink, parts, jvm::from_flink(settings, &JVM, flink.bytes, trace)?)
    } else if settings.contains(&jm::PROCESS) {
        let process = settings.size(&jm::PROCESS)?;
        trace.read("Total Process Memory", jm::PROCESS.key, process);
        let (jvm, flink) = jvm::from_process(settings, &JVM, process.bytes, trace)?;
        (Route::TotalProcess, from_total_flink(settings, flink, trace)?, jvm)
    } else {
        return Err(required_options_missing());
    };
    sum(&[heap.bytes, off_heap.bytes, jvm.metaspace.bytes, jvm.overhead.bytes])?;
    let direct_limit = settings.flag(&jm::DIRECT_LIMIT)?;
    Ok(JobManagerSpec { route, heap, off_heap, jvm, direct_limit })
}

fn required_options_missing() -> MemoryError {
    let message = format!(
        "Either required fine-grained memory ({}), or Total Flink Memory size ({}), or Total Process Memory size ({}) need to be configured explicitly.",
        jm::HEAP.key,
        jm::FLINK,
        jm::PROCESS
    );
    let plain = format!(
        "No total is set. Set {} (the whole container), or {}, or {}.",
        jm::PROCESS.key,
        jm::FLINK.key,
        jm::HEAP.key
    );
    MemoryError::new(Kind::RequiredOptionsMissing, Some(jm::PROCESS.key), message, plain)
}

fn from_heap(settings: &Settings<'_>, trace: &mut Trace) -> Result<(Sized, Sized), MemoryError> {
    let heap = settings.size(&jm::HEAP)?;
    let off_heap = settings.size(&jm::OFF_HEAP)?;
    trace.read("JVM Heap", jm::HEAP.key, heap);
    if !settings.contains(&jm::FLINK) {
        trace.read("Off-Heap", jm::OFF_HEAP.key, off_heap);
        return Ok((heap, off_heap));
    }
    let flink = settings.size(&jm::FLINK)?;
    trace.read("Total Flink Memory", jm::FLINK.key, flink);
    if settings.contains(&jm::OFF_HEAP) {
        trace.read("Off-Heap", jm::OFF_HEAP.key, off_heap);
        if sum(&[heap.bytes, off_heap.bytes])? == flink.bytes {
            return Ok((heap, off_heap));
        }
        let message = trace.text(|| format!(
            "Sum of the configured JVM Heap Memory ({}) and the configured Off-heap Memory ({}) does not match the configured Total Flink Memory ({}). Please, make the configuration consistent or configure only one option: either JVM Heap or Total Flink Memory.",
            human(heap.bytes),
            human(off_heap.bytes),
            human(flink.bytes)
        ));
        let plain = trace.text(|| format!(
            "Heap {} and off-heap {} must add up to total Flink memory {} to the byte. Remove one of the three.",
            exact(heap.bytes),
            exact(off_heap.bytes),
            exact(flink.bytes)
        ));
        let option = Some(jm::FLINK.key);
        return Err(MemoryError::new(Kind::JmHeapOffheapNeFlink, option, message, plain));
    }
    let Some(rest) = flink.bytes.checked_sub(heap.bytes) else {
        let message = trace.text(|| format!(
            "The configured JVM Heap Memory ({}) exceeds the configured Total Flink Memory ({}). Please, make the configuration consistent or configure only one option: either JVM Heap or Total Flink Memory.",
            human(heap.bytes),
            human(flink.bytes)
        ));
        let plain = trace.text(|| {
            format!(
                "Total Flink memory {} must hold the heap {}. Raise {} or lower {}.",
                exact(flink.bytes),
                exact(heap.bytes),
                jm::FLINK.key,
                jm::HEAP.key
            )
        });
        let option = Some(jm::FLINK.key);
        return Err(MemoryError::new(Kind::JmHeapExceedsFlink, option, message, plain));
    };
    trace.step(
        "Off-Heap",
        "total Flink memory - JVM heap; the default of 128 MiB is dropped",
        "JobManagerFlinkMemoryUtils#deriveFromRequiredFineGrainedOptions",
        rest,
        || format!("{} - {}", exact(flink.bytes), exact(heap.bytes)),
    );
    Ok((heap, Sized::remainder(rest)))
}

fn from_total_flink(
    settings: &Settings<'_>,
    flink: Bytes,
    trace: &mut Trace,
) -> Result<(Sized, Sized), MemoryError> {
    let off_heap = settings.size(&jm::OFF_HEAP)?;
    trace.read("Off-Heap", jm::OFF_HEAP.key, off_heap);
    let heap = flink.checked_sub(off_heap.bytes).filter(|heap| *heap > Bytes::ZERO);
    let Some(heap) = heap else {
        let message = trace.text(|| format!(
            "The configured Total Flink Memory ({}) is less than the configured Off-heap Memory ({}).",
            human(flink),
            human(off_heap.bytes)
        ));
        let plain = trace.text(|| format!(
            "Off-heap memory takes {}; total Flink memory is {} and leaves no heap. Raise the total or lower {}.",
            exact(off_heap.bytes),
            exact(flink),
            jm::OFF_HEAP.key
        ));
        let option = Some(jm::OFF_HEAP.key);
        return Err(MemoryError::new(Kind::JmFlinkLtOffheap, option, message, plain));
    };
    trace.step(
        "JVM Heap",
        "total Flink memory - off-heap",
        "JobManagerFlinkMemoryUtils#deriveFromTotalFlinkMemory",
        heap,
        || format!("{} - {}", exact(flink), exact(off_heap.bytes)),
    );
    Ok((Sized::remainder(heap), off_heap))
}
