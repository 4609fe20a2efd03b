//! The sweep itself: derive, ask, note what breaks.

use super::params::{MAX_SLOTS, SlotsError, SlotsParams};
use super::report::{SlotProblem, SlotsReport, SlotsRow};
use crate::finding::{Change, Derivation, Finding, Problem, Severity};
use crate::memory::notice::unread_limit;
use crate::memory::options::tm;
use crate::memory::settings::Settings;
use crate::memory::trace::{Trace, exact};
use crate::memory::{MemoryParams, task_manager_spec};
use crate::network;
use crate::state::rocksdb::options::{BACKEND, PARTITIONED};
use crate::state::rocksdb::{self, RocksdbAssumptions, RocksdbWorkload, facts};
use crate::units::{Bytes, FlinkVersion, grouped};

const ROCKSDB_OPTIONS: &str = "state.backend.rocksdb.";
const FORST_OPTIONS: &str = "state.backend.forst.";

/// What the sweep leaves out.
const NOT_MODELLED: [&str; 3] = [
    "The workload and the stages of a slot stay the same; parallelism does not grow with the slots.",
    "CPU: slots share the cores, and nothing here says how many a core bears.",
    "Task heap is shared by all slots; a slot is not kept from taking more than its part.",
];

/// Divides a TaskManager into 1 to `max_slots` slots.
///
/// # Errors
/// A number of slots that is not swept over.
pub fn slots_sweep(params: &SlotsParams) -> Result<Derivation<SlotsReport>, SlotsError> {
    if !(1..=MAX_SLOTS).contains(&params.max_slots) {
        return Err(SlotsError(params.max_slots));
    }
    let memory = params.memory();
    let left_out = params.workload.as_ref().and_then(|workload| left_out(&memory, workload));
    let workload = params.workload.as_ref().filter(|_| left_out.is_none());
    let rows: Vec<SlotsRow> =
        (1..=params.max_slots).map(|slots| row(params, workload, slots)).collect();
    let first = first_broken(&rows);
    let configured = Settings::new(&memory.config, memory.version).int(&tm::SLOTS).ok();
    let verdict = verdict(&rows, first, configured);
    // Only RocksDB is held against the limit.
    let unread = workload.and_then(|_| unread_limit(&memory));
    let mut findings = findings(&rows, first, configured, params.version);
    findings.extend(unread);
    findings.extend(left_out);
    if workload.is_some_and(|workload| is_forst(&memory, workload)) {
        findings.push(forst_stands_for_rocksdb(params.version));
    }
    let value = SlotsReport {
        version: params.version,
        checked_on: params.version.checked_on(),
        verdict,
        configured,
        first_broken: first.map(|(slots, _)| slots),
        rows: rows.clone(),
        not_modelled: NOT_MODELLED.to_vec(),
    };
    Ok(Derivation { value, findings })
}

/// ForSt's options under the names of RocksDB's, which are not read then. It divides a slot's managed memory, or
/// fixed memory, by the same rules: `ForStMemoryControllerUtils`, `ForStSharedResourcesFactory`.
fn with_forst_as_rocksdb(memory: &MemoryParams) -> MemoryParams {
    let mut mapped = memory.clone();
    mapped.config.retain(|key, _| !key.starts_with(ROCKSDB_OPTIONS));
    let forst = memory.config.iter().filter_map(|(key, text)| {
        let name = key.strip_prefix(FORST_OPTIONS)?;
        Some((format!("{ROCKSDB_OPTIONS}{name}"), text.clone()))
    });
    mapped.config.extend(forst);
    // The one default that differs.
    mapped.config.entry(PARTITIONED.key.to_owned()).or_insert_with(|| "true".to_owned());
    mapped
}

fn is_forst(memory: &MemoryParams, workload: &RocksdbWorkload) -> bool {
    let settings = Settings::new(&memory.config, memory.version);
    let name = settings.entry(&BACKEND).map_or("", |(_, text)| text);
    memory.version >= FlinkVersion::V2_2
        && !workload.backend_in_code
        && name.eq_ignore_ascii_case("forst")
}

/// What the RocksDB columns mean where the backend is ForSt.
fn forst_stands_for_rocksdb(version: FlinkVersion) -> Finding {
    Finding {
        code: "forst_divided_like_rocksdb",
        severity: Severity::Note,
        title: "RocksDB stands for ForSt here: it divides a slot's memory by the same rules."
            .to_owned(),
        reason: format!(
            "Cache and write buffers are those of {FORST_OPTIONS}memory.*; its file cache, its remote storage and its threads are not looked at. This was read in the source of its classes; no recording covers it."
        ),
        option: Some(BACKEND.key.to_owned()),
        price: None,
        apply: Vec::new(),
        source: format!("ForStMemoryControllerUtils, ForStOptions, Flink {}", version.checked_on()),
    }
}

/// Why RocksDB is not looked at: its memory is nobody's worry where state lives elsewhere.
fn left_out(memory: &MemoryParams, workload: &RocksdbWorkload) -> Option<Finding> {
    let settings = Settings::new(&memory.config, memory.version);
    let name = settings.entry(&BACKEND).map(|(_, text)| text);
    if workload.backend_in_code
        || name.is_some_and(|name| name.eq_ignore_ascii_case("rocksdb"))
        || is_forst(memory, workload)
    {
        return None;
    }
    let reason = match name {
        Some(name) => format!("{} is {name}.", BACKEND.key),
        None => format!("{} is not set, so state lives in HashMaps on the heap.", BACKEND.key),
    };
    Some(Finding {
        code: "rocksdb_left_out",
        severity: Severity::Note,
        title: "RocksDB is left out: it is not the configured backend.".to_owned(),
        reason: format!("{reason} If the job's code sets RocksDB, say so beside the sweep."),
        option: Some(BACKEND.key.to_owned()),
        price: None,
        apply: Vec::new(),
        source: format!("StateBackendLoader, Flink {}", memory.version.checked_on()),
    })
}

fn row(params: &SlotsParams, workload: Option<&RocksdbWorkload>, slots: u32) -> SlotsRow {
    let mut memory = params.memory();
    memory.set(tm::SLOTS.key, &slots.to_string());
    let mut row = SlotsRow {
        slots,
        task_heap: None,
        managed: None,
        network: None,
        rocksdb: None,
        cache: None,
        buffers: None,
        buffers_required: None,
        problems: Vec::new(),
    };
    let count = i64::from(slots);
    match task_manager_spec(&memory, &mut Trace::silent(), |spec, _, _| spec) {
        Ok(spec) => {
            let part = |pool: Bytes| Some(Bytes::new(pool.get() / count));
            row.task_heap = part(spec.pools.task_heap.bytes);
            row.managed = part(spec.pools.managed.bytes);
            row.network = part(spec.pools.network.bytes);
        }
        Err(error) => {
            row.problems.push(refused(error.into()));
            return row;
        }
    }
    if let Some(workload) = workload {
        let assumed = params.assumptions.clone().unwrap_or_default();
        look_at_rocksdb(&memory, workload, &assumed, &mut row);
    }
    if let Some(job) = &params.job {
        match network::demand(&memory, job) {
            Ok(demand) => {
                row.buffers = Some(demand.total / count);
                row.buffers_required = Some(demand.required.saturating_add(count - 1) / count);
                if demand.required > demand.total {
                    row.problems.push(SlotProblem {
                        code: "network_buffers_insufficient".to_owned(),
                        severity: Severity::Error,
                        title: format!(
                            "The tasks require {} network buffers, there are {}.",
                            grouped(demand.required),
                            grouped(demand.total)
                        ),
                    });
                }
            }
            Err(error) => row.problems.push(refused(error.into())),
        }
    }
    row.problems.sort_by_key(|problem| problem.severity);
    row
}

fn refused(problem: Problem) -> SlotProblem {
    SlotProblem { code: problem.code, severity: Severity::Error, title: problem.message }
}

fn look_at_rocksdb(
    memory: &MemoryParams,
    workload: &RocksdbWorkload,
    assumed: &RocksdbAssumptions,
    row: &mut SlotsRow,
) {
    let forst = is_forst(memory, workload).then(|| with_forst_as_rocksdb(memory));
    let found = match facts(forst.as_ref().unwrap_or(memory), workload, assumed) {
        Ok(found) => found,
        Err(error) => return row.problems.push(refused(error.into())),
    };
    let mut add = |code: &str, severity, title: String| {
        row.problems.push(SlotProblem { code: code.to_owned(), severity, title });
    };
    if let Some(outside) = found.outside.filter(|outside| outside.crosses) {
        let title = format!(
            "RocksDB may take {} outside every pool; the container is killed from {} on.",
            exact(outside.native),
            exact(outside.kill_line)
        );
        add("rocksdb_outside", Severity::Error, title);
    }
    let Some(shared) = found.shared else { return };
    if shared.memory == Bytes::ZERO {
        add("rocksdb_no_share", Severity::Error, "RocksDB gets 0 B.".to_owned());
    } else if rocksdb::storms(&found) && memory.version < FlinkVersion::V2_2 {
        let title = format!(
            "Flush storm: {} written states hold {} of arena blocks, RocksDB flushes from {} on.",
            found.memtables.column_families,
            exact(found.memtables.arenas),
            exact(shared.mutable_limit)
        );
        add("rocksdb_flush_storm", Severity::Warning, title);
    } else if found.columns.arena > shared.mutable_limit {
        let title = format!(
            "One arena block of {} is larger than the flush limit of {}; Flink logs a warning.",
            exact(found.columns.arena),
            exact(shared.mutable_limit)
        );
        add("rocksdb_arena_warning", Severity::Note, title);
    }
    row.rocksdb = Some(Bytes::new(shared.memory.get() / found.sharers));
    row.cache = Some(Bytes::new(shared.cache_capacity.get() / found.sharers));
}

/// The first row with a problem that the row before did not have.
fn first_broken(rows: &[SlotsRow]) -> Option<(u32, &SlotProblem)> {
    let mut known: &[SlotProblem] = &[];
    for row in rows {
        let grave = row.problems.iter().filter(|problem| problem.severity < Severity::Note);
        let new = grave.into_iter().find(|p| !known.iter().any(|k| k.code == p.code));
        if let Some(problem) = new {
            return Some((row.slots, problem));
        }
        known = &row.problems;
    }
    None
}

fn verdict(rows: &[SlotsRow], first: Option<(u32, &SlotProblem)>, now: Option<i32>) -> String {
    let last = rows.last().map_or(0, |row| row.slots);
    let lead = match first {
        None => format!("Nothing breaks up to {last} slots."),
        Some((1, problem)) => format!("Already one slot breaks: {}", problem.title),
        Some((slots, problem)) => {
            format!("{} slots hold, {slots} break: {}", slots - 1, problem.title)
        }
    };
    match now {
        Some(now) => format!("{lead} {} is {now}.", tm::SLOTS.key),
        None => lead,
    }
}

fn findings(
    rows: &[SlotsRow],
    first: Option<(u32, &SlotProblem)>,
    now: Option<i32>,
    version: FlinkVersion,
) -> Vec<Finding> {
    let Some((slots, problem)) = first else { return Vec::new() };
    let is_now = now.is_some_and(|now| i64::from(now) >= i64::from(slots));
    let before = rows.iter().find(|row| row.slots + 1 == slots);
    vec![Finding {
        code: "slots_break",
        severity: if is_now { problem.severity } else { Severity::Note },
        title: format!("From {slots} slots on: {}", problem.title),
        reason: "Every pool is divided by the number of slots; the need of a slot is not.".to_owned(),
        option: Some(tm::SLOTS.key.to_owned()),
        price: before.and_then(|row| row.task_heap).map(|heap| {
            format!("With {} slots each has {heap} of task heap on average; more TaskManagers run the rest.", slots - 1)
        }),
        apply: before
            .filter(|_| is_now)
            .map(|row| vec![Change::set(tm::SLOTS.key, row.slots.to_string())])
            .unwrap_or_default(),
        source: format!("derived again with each number of slots, Flink {}", version.checked_on()),
    }]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn forst_divides_managed_memory_by_options_of_its_own() {
        let sweep = |version, settings: &[(&str, &str)]| {
            let mut config = BTreeMap::new();
            config.insert("taskmanager.memory.process.size".to_owned(), "1728m".to_owned());
            config.extend(settings.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())));
            slots_sweep(&SlotsParams {
                version,
                config,
                start_script: true,
                container_limit: None,
                max_slots: 2,
                workload: Some(RocksdbWorkload {
                    backend_in_code: false,
                    ..RocksdbWorkload::default()
                }),
                assumptions: None,
                job: None,
            })
            .expect("two slots are swept")
        };
        let forst = ("state.backend.type", "forst");
        let rocksdb = sweep(FlinkVersion::V2_2, &[("state.backend.type", "rocksdb")]);
        let alike = sweep(FlinkVersion::V2_2, &[forst]);
        let cache = |answer: &Derivation<SlotsReport>| answer.value.rows[0].cache;
        assert!(cache(&alike).is_some());
        assert_eq!(cache(&alike), cache(&rocksdb));
        assert!(alike.findings.iter().any(|it| it.code == "forst_divided_like_rocksdb"));
        // Its own ratio counts, RocksDB's does not.
        let own = sweep(
            FlinkVersion::V2_2,
            &[forst, ("state.backend.forst.memory.write-buffer-ratio", "0.8")],
        );
        assert!(cache(&own) < cache(&alike));
        let other = sweep(
            FlinkVersion::V2_2,
            &[forst, ("state.backend.rocksdb.memory.write-buffer-ratio", "0.8")],
        );
        assert_eq!(cache(&other), cache(&alike));
        // There is no ForSt before 2.0.
        let old = sweep(FlinkVersion::V1_20, &[forst]);
        assert_eq!(cache(&old), None);
        assert!(old.findings.iter().any(|it| it.code == "rocksdb_left_out"));
    }

    #[test]
    fn the_sweep_knows_which_backend_there_is() {
        let sweep = |backend: Option<&str>, backend_in_code: bool| {
            let mut config = BTreeMap::new();
            config.insert("taskmanager.memory.process.size".to_owned(), "1728m".to_owned());
            config.insert("taskmanager.memory.managed.fraction".to_owned(), "0".to_owned());
            config.extend(backend.map(|name| ("state.backend.type".to_owned(), name.to_owned())));
            slots_sweep(&SlotsParams {
                version: FlinkVersion::V1_20,
                config,
                start_script: true,
                container_limit: None,
                max_slots: 4,
                workload: Some(RocksdbWorkload { backend_in_code, ..RocksdbWorkload::default() }),
                assumptions: None,
                job: None,
            })
            .expect("four slots are swept")
        };
        for (backend, in_code) in [(None, false), (Some("hashmap"), false)] {
            let answer = sweep(backend, in_code);
            assert_eq!(answer.value.first_broken, None, "{backend:?}");
            assert!(answer.value.rows.iter().all(|row| row.rocksdb.is_none()));
            assert!(answer.findings.iter().any(|finding| finding.code == "rocksdb_left_out"));
        }
        for (backend, in_code) in [(Some("rocksdb"), false), (None, true), (Some("hashmap"), true)]
        {
            let answer = sweep(backend, in_code);
            assert_eq!(answer.value.first_broken, Some(1), "{backend:?}");
            assert!(answer.findings.iter().all(|finding| finding.code != "rocksdb_left_out"));
        }
    }
}
