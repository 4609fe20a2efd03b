//! The declarations of state, its backends and network buffers.

use serde_json::Value;

use weir::memory::{MemoryParams, Role};

use super::{check, stock};

/// Two stages with a shuffle between them.
fn shuffle() -> Value {
    let stage = |name: &str| serde_json::json!({ "name": name, "parallelism": 8, "slotSharingGroup": "default" });
    serde_json::json!({
        "stages": [stage("source"), stage("window")],
        "exchanges": [{ "from": 0, "to": 1, "pattern": "hash", "type": "PIPELINED_BOUNDED" }],
        "tasks": [],
        "requests": [{ "kind": "unpooled", "count": 8 }],
        "tieredExclusiveBuffers": null,
    })
}

#[test]
fn state_and_network_reports_are_as_declared() {
    use weir::network::{NetworkParams, network_buffers};
    use weir::state::rocksdb::{RocksdbParams, RocksdbWorkload, rocksdb_memory};
    use weir::state::slots::{SlotsParams, slots_sweep};
    let mut memory = stock(Role::TaskManager);
    memory.set("state.backend.type", "rocksdb");
    let MemoryParams { version, config, start_script, container_limit } = memory;
    let workload = RocksdbWorkload::default();
    let params = RocksdbParams {
        version,
        config: config.clone(),
        start_script,
        container_limit: container_limit.clone(),
        workload: workload.clone(),
        assumptions: None,
    };
    let report = rocksdb_memory(&params).expect("stock is divided").value;
    check("RocksdbReport", &report);
    check("ConsumerShare", &report.consumers);
    check("SharedMemory", &report.shared.expect("it is managed"));
    check("Memtables", &report.memtables);
    check("CacheUse", &report.cache);
    check("MemtableGoal", &report.goals);
    check("Knob", &report.goals.iter().find_map(|goal| goal.knob.as_ref()).expect("it is moved"));
    check("RocksdbAssumption", &report.assumptions);
    let mut unshared = params;
    unshared.config.insert("state.backend.rocksdb.memory.managed".into(), "false".into());
    let report = rocksdb_memory(&unshared).expect("stock is divided").value;
    check("OutsideMemory", &report.outside.expect("nothing is shared"));

    let job: weir::network::NetworkJob = serde_json::from_value(shuffle()).expect("a job");
    let params = NetworkParams {
        version,
        config: config.clone(),
        start_script,
        container_limit: container_limit.clone(),
        job: job.clone(),
    };
    let report = network_buffers(&params).expect("it is counted").value;
    check("NetworkReport", &report);
    check("NetworkTask", &report.tasks);
    check("NetworkGate", &report.tasks[1].gates);
    check("GateBuffers", &report.tasks[1].gates[0].buffers);
    check("PartitionBuffers", &report.tasks[0].partitions);
    check("PoolAnswer", &report.requests);

    let (workload, job) = (Some(workload), Some(job));
    let (max_slots, assumptions) = (64, None);
    let params = SlotsParams {
        version,
        config,
        start_script,
        container_limit,
        max_slots,
        workload,
        assumptions,
        job,
    };
    let report = slots_sweep(&params).expect("it is swept").value;
    check("SlotsReport", &report);
    check("SlotsRow", &report.rows);
    let broken = report.rows.iter().find(|row| !row.problems.is_empty()).expect("64 are too many");
    check("SlotProblem", &broken.problems);
}

#[test]
fn state_reports_are_as_declared() {
    use weir::state::layout::{Scalar, ValueType};
    use weir::state::params::{Changes, CleanUp, KeySpace, Workload};
    use weir::state::{CompareParams, HeapParams, TtlParams};
    use weir::state::{compare_backends, heap_state, ttl_growth};
    let MemoryParams { version, config, start_script, container_limit } = stock(Role::TaskManager);
    let workload = Workload::new(10_000_000, Scalar::Long, ValueType::Long);
    let params = HeapParams {
        version,
        config: config.clone(),
        start_script,
        container_limit: container_limit.clone(),
        workload: workload.clone(),
        assumptions: None,
    };
    let report = heap_state(&params).expect("it is answered").value;
    check("HeapReport", &report);
    check("HeapPart", &report.parts);
    check("KeyBoundary", &report.boundaries);
    check("Assumption", &report.assumptions);
    let changes = Changes { updates: 1000, distinct: None, sst_bytes_per_entry: None };
    let assumptions = None;
    let params = CompareParams {
        version,
        config,
        start_script,
        container_limit,
        workload,
        changes,
        assumptions,
    };
    let report = compare_backends(&params).expect("it is answered").value;
    check("ComparisonReport", &report);
    check("BackendSide", &report.hashmap);
    check("ClusterTotals", &report.cluster);
    check("Incremental", &report.incremental);
    check("AccessCost", &report.access);
    check("CollectionCost", &report.collections);
    check("RestoreCost", &report.restore);
    check("SizePoint", &report.sizes);
    let params = TtlParams {
        version,
        key_spaces: vec![KeySpace { keys: 1000, updates_per_second: 1.0 }],
        ttl_seconds: 3600,
        clean_up: CleanUp::Incremental5,
        horizon_seconds: 86_400,
    };
    let report = ttl_growth(&params).expect("it is answered").value;
    check("TtlReport", &report);
    check("TtlPoint", &report.series);
    check("CleanUpCost", &report.strategies);
}
