//! How large are metaspace and JVM overhead, and which arguments does the JVM get?
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1,
//! `ProcessMemoryUtils#deriveJvmMetaspaceAndOverheadWithTotalProcessMemory`,
//! `#deriveJvmMetaspaceAndOverheadFromTotalFlinkMemory`, `#generateJvmParametersStr`.

use super::arithmetic::{Sized, sum};
use super::error::{Kind, MemoryError};
use super::options::OptionDef;
use super::settings::{RangeOptions, Settings};
use super::trace::{Trace, exact, held};
use crate::config::size::human;
use crate::units::Bytes;

/// The options of the JVM's own memory, for one kind of process.
#[derive(Debug, Clone, Copy)]
pub struct JvmOptions {
    /// Total process memory.
    pub process: OptionDef,
    /// Metaspace.
    pub metaspace: OptionDef,
    /// Overhead with its range.
    pub overhead: RangeOptions,
}

/// Metaspace and overhead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Jvm {
    /// Metaspace, capped by `-XX:MaxMetaspaceSize`.
    pub metaspace: Sized,
    /// Overhead, capped by nothing in the JVM.
    pub overhead: Sized,
}

const FROM_PROCESS: &str = "ProcessMemoryUtils#deriveJvmMetaspaceAndOverheadWithTotalProcessMemory";
const FROM_FLINK: &str = "ProcessMemoryUtils#deriveJvmMetaspaceAndOverheadFromTotalFlinkMemory";

/// Metaspace and overhead out of a known total process memory, and the Flink memory left.
pub fn from_process(
    settings: &Settings<'_>,
    options: &JvmOptions,
    process: Bytes,
    trace: &mut Trace,
) -> Result<(Jvm, Bytes), MemoryError> {
    let metaspace = settings.size(&options.metaspace)?;
    trace.read("JVM Metaspace", options.metaspace.key, metaspace);
    let range = settings.range(&options.overhead)?;
    let overhead = range.of(process)?;
    let key = options.overhead.fraction.key;
    trace.fraction_of("JVM Overhead", "total process memory", key, process, &range, overhead);
    let jvm = sum(&[metaspace.bytes, overhead.bytes])?;
    let Some(flink) = process.checked_sub(jvm) else {
        let message = trace.text(|| format!(
            "Sum of configured JVM Metaspace ({}) and JVM Overhead ({}) exceed configured Total Process Memory ({}).",
            human(metaspace.bytes),
            human(overhead.bytes),
            human(process)
        ));
        let plain = trace.text(|| format!(
            "Metaspace and overhead take {}; the whole process has {}. Raise {} to more than {}.",
            exact(jvm),
            exact(process),
            options.process.key,
            held(jvm)
        ));
        return Err(MemoryError::new(
            Kind::ProcessLtMetaspacePlusOverhead,
            Some(options.process.key),
            message,
            plain,
        ));
    };
    trace.step(
        "Total Flink Memory",
        "total process memory - metaspace - overhead",
        FROM_PROCESS,
        flink,
        || format!("{} - {} - {}", exact(process), exact(metaspace.bytes), exact(overhead.bytes)),
    );
    Ok((Jvm { metaspace, overhead }, flink))
}

/// Metaspace and overhead beside a known total Flink memory.
pub fn from_flink(
    settings: &Settings<'_>,
    options: &JvmOptions,
    flink: Bytes,
    trace: &mut Trace,
) -> Result<Jvm, MemoryError> {
    let metaspace = settings.size(&options.metaspace)?;
    trace.read("JVM Metaspace", options.metaspace.key, metaspace);
    let rest = sum(&[flink, metaspace.bytes])?;
    let overhead = if settings.contains(&options.process) {
        let process = settings.size(&options.process)?.bytes;
        remaining_overhead(settings, options, process, flink, metaspace.bytes, trace)?
    } else {
        let range = settings.range(&options.overhead)?;
        let overhead = range.beside(rest)?;
        let key = options.overhead.fraction.key;
        trace.fraction_beside(
            "JVM Overhead",
            "(total Flink memory + metaspace)",
            key,
            rest,
            &range,
            overhead,
        );
        overhead
    };
    Ok(Jvm { metaspace, overhead })
}

/// With both totals set, overhead is what is left, and must lie in its range.
fn remaining_overhead(
    settings: &Settings<'_>,
    options: &JvmOptions,
    process: Bytes,
    flink: Bytes,
    metaspace: Bytes,
    trace: &mut Trace,
) -> Result<Sized, MemoryError> {
    let rest = sum(&[flink, metaspace])?;
    let Some(overhead) = process.checked_sub(rest) else {
        let message = trace.text(|| format!(
            "The configured Total Process Memory size ({}) is less than the sum of the derived Total Flink Memory size ({}) and the configured or default JVM Metaspace size  ({}).",
            human(process),
            human(flink),
            human(metaspace)
        ));
        let plain = trace.text(|| format!(
            "Flink memory and metaspace take {}; the whole process has {}. Raise {} or lower what is inside.",
            exact(rest),
            exact(process),
            options.process.key
        ));
        return Err(MemoryError::new(
            Kind::ProcessLtFlinkPlusMetaspace,
            Some(options.process.key),
            message,
            plain,
        ));
    };
    trace.step(
        "JVM Overhead",
        "total process memory - total Flink memory - metaspace",
        FROM_FLINK,
        overhead,
        || format!("{} - {} - {}", exact(process), exact(flink), exact(metaspace)),
    );
    let range = settings.range(&options.overhead)?;
    if range.contains(overhead) {
        return Ok(Sized::remainder(overhead));
    }
    let message = trace.text(|| {
        format!(
            "Derived JVM Overhead size ({}) is not in configured JVM Overhead range [{}, {}].",
            human(overhead),
            human(range.min),
            human(range.max)
        )
    });
    let (option, how) = if overhead < range.min {
        (options.process.key, "too little")
    } else {
        (options.overhead.max.key, "too much")
    };
    let plain = trace.text(|| {
        format!(
            "With both totals set, JVM overhead is what is left: {}, {how} for its range {} to {}.",
            exact(overhead),
            exact(range.min),
            exact(range.max)
        )
    });
    Err(MemoryError::new(Kind::OverheadNotInRange, Some(option), message, plain))
}

/// The JVM arguments as the start scripts pass them.
pub fn arguments(heap: Bytes, direct: Option<Bytes>, metaspace: Bytes) -> String {
    let heap = heap.get();
    let direct =
        direct.map(|limit| format!(" -XX:MaxDirectMemorySize={}", limit.get())).unwrap_or_default();
    format!("-Xmx{heap} -Xms{heap}{direct} -XX:MaxMetaspaceSize={}", metaspace.get())
}
