//! What does a TaskManager get that runs inside the program's own JVM, as in an IDE, a test or a
//! service that embeds Flink?
//!
//! A `MiniCluster` derives no pool from a total. Network and managed memory are what their own
//! options say or fixed defaults, task memory has no limit but the JVM's, and the totals have no
//! effect. The network pool is allocated as a whole from direct memory when the TaskManager starts;
//! nothing of Flink sets the limit of direct memory then, so it is that of the JVM: `-Xmx` unless
//! `-XX:MaxDirectMemorySize` is given.
//!
//! Source: Flink, `TaskExecutorResourceUtils#adjustForLocalExecution`,
//! `#adjustNetworkMemoryForLocalExecution`, `#checkTaskExecutorNetworkConfigSet`, called by
//! `MiniClusterConfiguration`, read in the source of 1.19 and of the main branch, which agree;
//! `NetworkBufferPool` (all of it at once); HotSpot, `-XX:MaxDirectMemorySize`, `-XX:MaxRAMPercentage`.
//! No run of a local environment was recorded.

mod report;
mod verdict;

pub use report::{IgnoredOption, LocalError, LocalParams, LocalPool, LocalReport};

use super::error::{Kind, MemoryError};
use super::legacy::segment_size;
use super::options::{OptionDef, tm};
use super::report::Origin;
use super::settings::Settings;
use crate::config::size::{self, print};
use crate::finding::Derivation;
use crate::units::Bytes;
use verdict::{findings, verdict};

/// Network memory where neither bound is set: `DEFAULT_SHUFFLE_MEMORY_SIZE`.
pub const DEFAULT_NETWORK: Bytes = Bytes::mib(64);
/// Managed memory where it is not set: `DEFAULT_MANAGED_MEMORY_SIZE`.
pub const DEFAULT_MANAGED: Bytes = Bytes::mib(128);

/// Options that Flink warns about: `UNUSED_CONFIG_OPTIONS`.
const WARNED: [OptionDef; 8] = [
    tm::PROCESS,
    tm::FLINK,
    tm::FRAMEWORK_HEAP,
    tm::FRAMEWORK_OFF_HEAP,
    tm::METASPACE,
    tm::OVERHEAD_MIN,
    tm::OVERHEAD_MAX,
    tm::OVERHEAD_FRACTION,
];
/// Options that are not read either, without a word.
const SILENT: [OptionDef; 2] = [tm::MANAGED_FRACTION, tm::NETWORK_FRACTION];

const NOT_MODELLED: [&str; 4] = [
    "More than one TaskManager in the JVM: each allocates a network pool of its own.",
    "Direct memory of the program beside Flink, and of Netty: what is left for the pool is less than the limit.",
    "The heap that the JVM chooses without -Xmx: a quarter of the machine's memory by default (-XX:MaxRAMPercentage).",
    "Managed memory is native, outside the limits of heap and direct memory; nothing but the machine limits it.",
];

/// What does a TaskManager inside this JVM get, and can its network pool be allocated?
///
/// # Errors
/// Flink's refusal of a size or of bounds that differ, or a size of the JVM that cannot be read.
pub fn local_memory(params: &LocalParams) -> Result<Derivation<LocalReport>, LocalError> {
    let settings = Settings::new(&params.config, params.version);
    let (network, network_origin) = network(&settings)?;
    let managed = or_default(&settings, &tm::MANAGED, DEFAULT_MANAGED)?;
    let segment = segment_size(&settings)?;
    let segments = network.get() / segment.get();
    let heap = jvm_size(&params.jvm_heap, "jvmHeap")?;
    let direct = jvm_size(&params.max_direct_memory, "maxDirectMemory")?;
    let (direct_limit, direct_limit_from) = match (direct, heap) {
        (Some(direct), _) => (Some(direct), "maxDirectMemorySize"),
        (None, Some(heap)) => (Some(heap), "jvmHeap"),
        (None, None) => (None, "unknown"),
    };
    let missing_at_least =
        direct_limit.map(|limit| network.checked_sub(limit).unwrap_or(Bytes::ZERO));
    let fits = missing_at_least.map(|missing| missing == Bytes::ZERO);
    let ignored = ignored(&settings);
    let task = |option: &OptionDef| -> Result<(Option<Bytes>, Origin), MemoryError> {
        Ok(match settings.contains(option) {
            true => (Some(settings.size(option)?.bytes), Origin::Configured),
            false => (None, Origin::Default),
        })
    };
    let pool = |id, name, (bytes, origin), option: OptionDef, limited_by| LocalPool {
        id,
        name,
        bytes,
        origin,
        option: option.key,
        limited_by,
    };
    let value = LocalReport {
        version: params.version,
        verdict: verdict(network, direct_limit, direct_limit_from),
        fits,
        pools: vec![
            pool(
                "taskHeap",
                "Task Heap",
                task(&tm::TASK_HEAP)?,
                tm::TASK_HEAP,
                "-Xmx of the program",
            ),
            pool(
                "taskOffHeap",
                "Task Off-Heap",
                task(&tm::TASK_OFF_HEAP)?,
                tm::TASK_OFF_HEAP,
                "-XX:MaxDirectMemorySize, else -Xmx",
            ),
            pool(
                "network",
                "Network",
                (Some(network), network_origin),
                tm::NETWORK_MAX,
                "-XX:MaxDirectMemorySize, else -Xmx",
            ),
            pool(
                "managed",
                "Managed Memory",
                (Some(managed.0), managed.1),
                tm::MANAGED,
                "the memory of the machine",
            ),
        ],
        network,
        segment,
        segments,
        direct_limit,
        direct_limit_from,
        segments_at_most: direct_limit.map(|limit| (limit.get() / segment.get()).min(segments)),
        missing_at_least,
        ignored,
        not_modelled: NOT_MODELLED.to_vec(),
    };
    let findings = findings(&value);
    Ok(Derivation { value, findings })
}

/// One bound stands for both where the other is not set; two must be equal.
fn network(settings: &Settings<'_>) -> Result<(Bytes, Origin), MemoryError> {
    let read = |option: &OptionDef| -> Result<Option<Bytes>, MemoryError> {
        Ok(match settings.contains(option) {
            true => Some(settings.size(option)?.bytes),
            false => None,
        })
    };
    match (read(&tm::NETWORK_MIN)?, read(&tm::NETWORK_MAX)?) {
        (None, None) => Ok((DEFAULT_NETWORK, Origin::Default)),
        (Some(one), None) | (None, Some(one)) => Ok((one, Origin::Configured)),
        (Some(min), Some(max)) if min == max => Ok((min, Origin::Configured)),
        (Some(min), Some(max)) => {
            let cause = format!(
                "The network memory min ({}) and max ({}) mismatch, the network memory has to be resolved and set to a fixed value before task executor starts",
                print(min),
                print(max)
            );
            let plain = "A local run derives nothing between them: set both to the same size, or one of them only.";
            Err(MemoryError::new(
                Kind::RangeOrFractionInconsistent,
                Some(tm::NETWORK_MAX.key),
                "Failed to create TaskExecutorResourceSpec",
                plain,
            )
            .caused_by(cause))
        }
    }
}

fn or_default(
    settings: &Settings<'_>,
    option: &OptionDef,
    default: Bytes,
) -> Result<(Bytes, Origin), MemoryError> {
    Ok(match settings.contains(option) {
        true => (settings.size(option)?.bytes, Origin::Configured),
        false => (default, Origin::Default),
    })
}

fn jvm_size(text: &Option<String>, field: &'static str) -> Result<Option<Bytes>, LocalError> {
    text.as_deref()
        .map(|text| {
            size::parse(text).map_err(|error| LocalError::Size {
                field,
                text: text.to_owned(),
                advice: error.advice(),
            })
        })
        .transpose()
}

fn ignored(settings: &Settings<'_>) -> Vec<IgnoredOption> {
    let of = |options: &[OptionDef], warned| -> Vec<IgnoredOption> {
        let set = options.iter().filter_map(|option| settings.entry(option));
        set.map(|(key, text)| IgnoredOption {
            option: key.to_owned(),
            value: text.to_owned(),
            warned,
        })
        .collect()
    };
    [of(&WARNED, true), of(&SILENT, false)].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Problem;
    use crate::units::FlinkVersion;

    fn params(config: &[(&str, &str)], heap: Option<&str>, direct: Option<&str>) -> LocalParams {
        LocalParams {
            version: FlinkVersion::V1_20,
            config: config.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
            start_script: true,
            container_limit: None,
            jvm_heap: heap.map(str::to_owned),
            max_direct_memory: direct.map(str::to_owned),
        }
    }

    fn answer(config: &[(&str, &str)], heap: Option<&str>, direct: Option<&str>) -> LocalReport {
        local_memory(&params(config, heap, direct)).expect("it is answered").value
    }

    const BOTH: [(&str, &str); 2] =
        [(tm::NETWORK_MIN.key, "5120m"), (tm::NETWORK_MAX.key, "5120m")];

    #[test]
    fn defaults_do_not_depend_on_a_total() {
        for config in [&[][..], &[(tm::PROCESS.key, "16g")][..]] {
            let report = answer(config, Some("2g"), None);
            assert_eq!((report.network, report.segments), (Bytes::mib(64), 2048));
            let managed = report.pools.iter().find(|pool| pool.id == "managed").expect("a pool");
            assert_eq!(managed.bytes, Some(Bytes::mib(128)));
            assert_eq!(report.fits, Some(true));
            assert_eq!(report.ignored.len(), config.len());
        }
    }

    #[test]
    fn one_bound_stands_for_both_and_two_must_be_equal() {
        for key in [tm::NETWORK_MIN.key, tm::NETWORK_MAX.key, "taskmanager.network.memory.max"] {
            assert_eq!(answer(&[(key, "1g")], None, None).network, Bytes::gib(1), "{key}");
        }
        let config = [(tm::NETWORK_MIN.key, "64m"), (tm::NETWORK_MAX.key, "1g")];
        let error = local_memory(&params(&config, None, None)).expect_err("they differ");
        let LocalError::Memory(error) = error else { panic!("{error:?}") };
        assert!(
            error.causes[0].starts_with("The network memory min (64 mb) and max (1 gb) mismatch"),
            "{error:?}"
        );
    }

    #[test]
    fn the_pool_must_fit_into_direct_memory_to_the_byte() {
        let fits = |direct: &str| answer(&BOTH, Some("2g"), Some(direct)).fits;
        assert_eq!(fits("5120m"), Some(true));
        assert_eq!(fits("5368709119b"), Some(false));
        assert_eq!(answer(&BOTH, None, None).fits, None, "the limit is not known");
    }

    /// fhir-data-pipes, issue 580: required (MB): 5120, allocated (MB): 1965, missing (MB): 3155.
    #[test]
    fn a_program_with_two_gigabytes_of_heap_cannot_hold_five_of_network_memory() {
        let report = answer(&BOTH, Some("2g"), None);
        assert_eq!((report.segments, report.direct_limit_from), (163_840, "jvmHeap"));
        let most = report.segments_at_most.expect("the limit is known");
        assert!(most >= 62_880, "as many were allocated");
        assert_eq!(report.missing_at_least, Some(Bytes::mib(5120 - 2048)));
        // With what was allocated as the limit, the numbers of the message come out.
        let seen = answer(&BOTH, Some("2g"), Some("1965m"));
        assert_eq!(seen.segments_at_most, Some(62_880));
        assert_eq!(seen.missing_at_least, Some(Bytes::mib(3155)));
    }

    #[test]
    fn every_change_that_is_offered_mends_it() {
        let asked = params(&BOTH, Some("2g"), None);
        let answer = local_memory(&asked).expect("it is answered");
        let finding = &answer.findings[0];
        assert_eq!(finding.code, "local_network_beyond_direct_memory");
        let mut mended = asked.clone();
        for change in &finding.apply {
            mended.config.remove(&change.option);
        }
        assert_eq!(local_memory(&mended).expect("it is answered").value.fits, Some(true));
        let more = LocalParams { max_direct_memory: Some("5120m".to_owned()), ..asked };
        assert_eq!(local_memory(&more).expect("it is answered").value.fits, Some(true));
        assert!(answer.findings[1].price.as_deref().is_some_and(|price| price.contains("5120m")));
    }

    #[test]
    fn a_size_of_the_jvm_that_is_none_names_its_field() {
        let error = local_memory(&params(&[], Some("much"), None)).expect_err("no size");
        assert_eq!(Problem::from(error).field.as_deref(), Some("jvmHeap"));
    }
}
