//! What holds for RocksDB's memory, network buffers and slots with every configuration.
#![cfg(not(target_arch = "wasm32"))]

use proptest::prelude::*;
use weir::memory::derive_task_manager;
use weir::network::params::{ExchangePattern, JobExchange, JobStage, JobTask, TaskGate};
use weir::network::partition::PartitionType;
use weir::network::{NetworkJob, NetworkParams, network_buffers};
use weir::state::rocksdb::goals::GoalId;
use weir::state::rocksdb::{RocksdbParams, RocksdbReport, RocksdbWorkload, rocksdb_memory};
use weir::state::slots::{SlotsParams, slots_sweep};
use weir::units::FlinkVersion;

const KEYS: [&str; 20] = [
    "taskmanager.memory.process.size",
    "taskmanager.memory.managed.size",
    "taskmanager.memory.managed.fraction",
    "taskmanager.memory.managed.consumer-weights",
    "taskmanager.memory.task.heap.size",
    "taskmanager.memory.segment-size",
    "taskmanager.memory.network.min",
    "taskmanager.network.memory.buffers-per-channel",
    "taskmanager.network.memory.floating-buffers-per-gate",
    "taskmanager.network.sort-shuffle.min-buffers",
    "taskmanager.network.memory.read-buffer.required-per-gate.max",
    "state.backend.type",
    "state.backend.rocksdb.memory.managed",
    "state.backend.rocksdb.memory.fixed-per-slot",
    "state.backend.rocksdb.memory.fixed-per-tm",
    "state.backend.rocksdb.memory.write-buffer-ratio",
    "state.backend.rocksdb.memory.high-prio-pool-ratio",
    "state.backend.rocksdb.writebuffer.size",
    "state.backend.rocksdb.writebuffer.count",
    "state.backend.rocksdb.block.blocksize",
];

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => (1_u64..20_000).prop_map(|mib| format!("{mib}m")),
        3 => (-3_i64..5000).prop_map(|n| n.to_string()),
        2 => any::<i64>().prop_map(|n| n.to_string()),
        2 => any::<f64>().prop_map(|n| n.to_string()),
        2 => (0.0_f64..1.5).prop_map(|n| n.to_string()),
        1 => prop::sample::select(vec!["true", "false", "rocksdb", "hashmap"])
            .prop_map(str::to_owned),
        1 => any::<String>(),
    ]
}

fn version() -> impl Strategy<Value = FlinkVersion> {
    prop::sample::select(FlinkVersion::ALL.to_vec())
}

prop_compose! {
    fn workload()(
        backend_in_code in any::<bool>(),
        column_families in prop_oneof![0_u32..40, any::<u32>()],
        write_buffer_size in prop::option::weighted(0.2, text()),
        write_buffer_count in prop::option::weighted(0.2, any::<u32>()),
        arena_block_size in prop_oneof![3 => Just(0_i64), 1 => any::<i64>()],
        key_bytes in 0_u32..100,
        value_bytes in any::<u32>(),
        keys_per_slot in prop_oneof![0_u64..100_000_000, any::<u64>()],
        hot_share in 0.0_f64..1.01,
        iterators in any::<u32>(),
    ) -> RocksdbWorkload {
        RocksdbWorkload {
            backend_in_code, column_families, write_buffer_size, write_buffer_count,
            arena_block_size, key_bytes, value_bytes, keys_per_slot, hot_share, iterators,
            ..RocksdbWorkload::default()
        }
    }
}

fn job() -> impl Strategy<Value = NetworkJob> {
    let stage = (1_i64..300, prop::sample::select(vec!["a", "b"]));
    let pattern = prop::sample::select(vec![
        ExchangePattern::Hash,
        ExchangePattern::Rescale,
        ExchangePattern::Forward,
    ]);
    let partition = prop::sample::select(vec![
        PartitionType::PipelinedBounded,
        PartitionType::Blocking,
        PartitionType::HybridFull,
    ]);
    let exchange = (0_usize..4, 0_usize..4, pattern, partition);
    let stages = prop::collection::vec(stage, 1..4);
    (stages, prop::collection::vec(exchange, 0..5)).prop_map(|(stages, exchanges)| NetworkJob {
        stages: stages
            .into_iter()
            .map(|(parallelism, group)| JobStage {
                name: String::new(),
                parallelism,
                slot_sharing_group: group.to_owned(),
            })
            .collect(),
        exchanges: exchanges
            .into_iter()
            .map(|(from, to, pattern, partition)| JobExchange { from, to, pattern, partition })
            .collect(),
        ..NetworkJob::default()
    })
}

fn rocksdb(version: FlinkVersion, config: &[(&str, &str)]) -> RocksdbParams {
    RocksdbParams {
        version,
        config: config.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
        start_script: true,
        container_limit: None,
        workload: RocksdbWorkload { backend_in_code: true, ..RocksdbWorkload::default() },
        assumptions: None,
    }
}

fn report(params: &RocksdbParams) -> RocksdbReport {
    rocksdb_memory(params).expect("it is derived").value
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(800))]

    #[test]
    fn no_text_stops_the_engine(
        version in version(),
        config in prop::collection::btree_map(
            prop::sample::select(KEYS.to_vec()).prop_map(str::to_owned), text(), 0..8),
        container_limit in prop::option::weighted(0.3, text()),
        workload in workload(),
        job in job(),
        slots in 0_u32..9,
    ) {
        let mut config = config;
        config.entry("taskmanager.memory.process.size".to_owned()).or_insert_with(|| "4g".to_owned());
        let start_script = true;
        let _ = rocksdb_memory(&RocksdbParams {
            version, config: config.clone(), start_script, assumptions: None,
            container_limit: container_limit.clone(), workload: workload.clone(),
        });
        let _ = network_buffers(&NetworkParams {
            version, config: config.clone(), start_script, job: job.clone(),
            container_limit: container_limit.clone(),
        });
        let _ = slots_sweep(&SlotsParams {
            version, config, start_script, container_limit, assumptions: None,
            max_slots: slots, workload: Some(workload), job: Some(job),
        });
    }

    #[test]
    fn slots_together_take_no_more_than_the_pool(
        version in version(), process in 1000_u32..20_000, slots in 1_i64..40,
    ) {
        let (process, count) = (format!("{process}m"), slots.to_string());
        let mut params = rocksdb(version, &[
            ("taskmanager.memory.process.size", &process),
            ("taskmanager.numberOfTaskSlots", &count),
        ]);
        let pools = derive_task_manager(&params.memory()).expect("it starts").value;
        let got = report(&params);
        for (slot, pool) in [
            (got.slot_managed, pools.managed),
            (got.slot_task_heap, pools.task_heap),
            (got.slot_network, pools.network),
        ] {
            prop_assert!(slot.get() * slots <= pool.get());
            prop_assert!(pool.get() - slot.get() * slots < slots);
        }
        prop_assert!(got.consumers[0].bytes.expect("it has a share") <= got.slot_managed);
        // The cache and half the write buffers again are no more than the memory.
        let shared = got.shared.expect("it is managed");
        let most = shared.cache_capacity.get() + shared.write_buffer_manager_capacity.get() / 2;
        prop_assert!(most <= shared.memory.get());
        params.workload.consumers.clear();
        prop_assert_eq!(report(&params).shared.expect("it is managed").memory.get(), 0);
    }

    #[test]
    fn more_managed_memory_never_shrinks_the_cache(
        ratio in 0.0_f64..1.0, small in 0_i64..1 << 36, more in 0_i64..1 << 36,
    ) {
        let ratio = ratio.to_string();
        let cache = |managed: i64| {
            let managed = managed.to_string();
            let got = report(&rocksdb(FlinkVersion::V1_20, &[
                ("taskmanager.memory.task.heap.size", "1g"),
                ("taskmanager.memory.managed.size", &managed),
                ("state.backend.rocksdb.memory.write-buffer-ratio", &ratio),
            ]));
            got.shared.expect("it is managed").cache_capacity
        };
        prop_assert!(cache(small) <= cache(small + more));
    }

    #[test]
    fn a_goal_fits_from_its_knob_on_and_not_before(
        version in version(), process in 1000_u32..4000, slots in 1_u32..5, families in 1_u32..20,
    ) {
        let (process, count) = (format!("{process}m"), slots.to_string());
        let mut params = rocksdb(version, &[
            ("taskmanager.memory.process.size", &process),
            ("taskmanager.numberOfTaskSlots", &count),
        ]);
        params.workload.column_families = families;
        let fits = |params: &RocksdbParams, id: GoalId| {
            rocksdb_memory(params).is_ok_and(|answer| answer.value.goals.iter().any(|g| g.id == id && g.fits))
        };
        for goal in report(&params).goals {
            let knob = goal.knob.expect("the process can grow");
            for (bytes, expected) in [(knob.bytes.get(), true), (knob.bytes.get() - 1, false)] {
                let mut changed = params.clone();
                changed.config.insert(knob.option.to_owned(), format!("{bytes}b"));
                prop_assert_eq!(fits(&changed, goal.id), expected);
            }
        }
    }

    #[test]
    fn changes_of_a_finding_give_the_buffers(
        version in version(), process in 1000_u32..3000, slots in 1_u32..6, job in job(),
    ) {
        let memory = rocksdb(version, &[
            ("taskmanager.memory.process.size", &format!("{process}m")),
            ("taskmanager.numberOfTaskSlots", &slots.to_string()),
        ]);
        let mut params = NetworkParams {
            version, config: memory.config, start_script: true, container_limit: None, job,
        };
        let Ok(answer) = network_buffers(&params) else { return Ok(()) };
        prop_assert_eq!(answer.value.fits, answer.value.failure.is_none());
        let missing = answer.findings.iter().find(|f| f.code == "network_buffers_insufficient");
        prop_assert_eq!(missing.is_none(), answer.value.fits);
        let Some(finding) = missing else { return Ok(()) };
        prop_assert!(!finding.apply.is_empty());
        for change in &finding.apply {
            let value = change.value.clone().expect("it is set");
            params.config.insert(change.option.clone(), value);
        }
        prop_assert!(network_buffers(&params).expect("it starts").value.fits);
    }
}

/// The points at which the storm was measured, and those at which it was not.
#[test]
fn the_storm_comes_where_it_was_measured() {
    let storm = |version, mib: u32, families, buffer: &str| {
        let mut params = rocksdb(
            version,
            &[
                ("taskmanager.memory.process.size", "2g"),
                ("state.backend.rocksdb.memory.fixed-per-slot", &format!("{mib}m")),
                ("state.backend.rocksdb.writebuffer.size", buffer),
            ],
        );
        params.workload.column_families = families;
        let findings = rocksdb_memory(&params).expect("it is derived").findings;
        findings.iter().any(|finding| finding.code == "rocksdb_flush_storm")
    };
    for (mib, families) in [(64, 3), (64, 4), (64, 16), (256, 10), (256, 16)] {
        assert!(storm(FlinkVersion::V1_20, mib, families, "64mb"), "{mib} {families}");
        assert!(!storm(FlinkVersion::V2_2, mib, families, "64mb"), "{mib} {families}");
    }
    for (mib, families) in [(64, 1), (64, 2), (128, 1), (256, 1), (256, 4), (256, 8), (512, 16)] {
        assert!(!storm(FlinkVersion::V1_20, mib, families, "64mb"), "{mib} {families}");
    }
    for (mib, families) in [(64, 4), (64, 16), (256, 16)] {
        assert!(!storm(FlinkVersion::V1_20, mib, families, "8mb"), "{mib} {families}");
    }
}

#[test]
fn the_change_against_the_storm_ends_it() {
    for families in 4..40 {
        let mut params = rocksdb(
            FlinkVersion::V1_20,
            &[("taskmanager.memory.process.size", "1728m"), ("taskmanager.numberOfTaskSlots", "4")],
        );
        params.workload.column_families = families;
        let storm = |params: &RocksdbParams| {
            let findings = rocksdb_memory(params).expect("it is derived").findings;
            findings.into_iter().find(|finding| finding.code == "rocksdb_flush_storm")
        };
        let Some(finding) = storm(&params) else { continue };
        let Some(change) = finding.apply.first() else { continue };
        let value = change.value.clone().expect("it is set");
        params.config.insert(change.option.clone(), value);
        assert!(storm(&params).is_none(), "{families}");
    }
}

#[test]
fn counts_that_no_number_holds_are_refused() {
    let mut params = NetworkParams {
        version: FlinkVersion::V1_20,
        config: rocksdb(
            FlinkVersion::V1_20,
            &[
                ("taskmanager.memory.process.size", "2g"),
                ("taskmanager.network.memory.buffers-per-channel", "2147483647"),
            ],
        )
        .config,
        start_script: true,
        container_limit: None,
        job: NetworkJob::default(),
    };
    let (channels, count, partition) = (32_768, 32_768, PartitionType::Pipelined);
    params.job.tasks.push(JobTask {
        name: String::new(),
        subtasks: 32_768,
        gates: vec![TaskGate { channels, count, partition }],
        partitions: Vec::new(),
    });
    assert!(network_buffers(&params).is_err());
}

/// The bytes per entry and of the index that were measured.
#[test]
fn files_are_as_large_as_measured() {
    let mut params = rocksdb(FlinkVersion::V1_20, &[("taskmanager.memory.process.size", "2g")]);
    (params.workload.key_bytes, params.workload.value_bytes) = (8, 104);
    params.workload.keys_per_slot = 3_000_000;
    let cache = report(&params).cache;
    let per_entry = cache.state.get() as f64 / 3e6;
    assert!((per_entry - 119.1).abs() < 0.2, "{per_entry}");
    let share = cache.index.share_of(cache.state);
    assert!((share - 1.8 / 335.0).abs() < 1e-4, "{share}");
}

#[test]
fn a_limit_that_is_no_size_is_left_out_and_said() {
    let mut params = rocksdb(
        FlinkVersion::V1_20,
        &[
            ("taskmanager.memory.process.size", "4g"),
            ("state.backend.rocksdb.memory.managed", "false"),
        ],
    );
    let without = rocksdb_memory(&params).expect("it is derived");
    params.container_limit = Some("4x".to_owned());
    let limited = rocksdb_memory(&params).expect("a limit refuses nothing");
    assert_eq!(limited.value, without.value);
    assert!(limited.value.outside.is_some(), "the limit would count");
    let code = "container_limit_unread";
    assert_eq!(limited.findings.iter().filter(|finding| finding.code == code).count(), 1);
    assert!(without.findings.iter().all(|finding| finding.code != code));

    let sweep = |container_limit: Option<&str>, workload: Option<RocksdbWorkload>| {
        let config = params.config.clone();
        let (version, start_script, max_slots) = (FlinkVersion::V1_20, true, 2);
        let container_limit = container_limit.map(str::to_owned);
        slots_sweep(&SlotsParams {
            version,
            config,
            start_script,
            container_limit,
            max_slots,
            workload,
            assumptions: None,
            job: None,
        })
        .expect("two slots are swept")
    };
    let (limited, without) = (
        sweep(Some("4x"), Some(params.workload.clone())),
        sweep(None, Some(params.workload.clone())),
    );
    assert_eq!(limited.value, without.value);
    assert_eq!(limited.findings.len(), without.findings.len() + 1);
    assert!(
        sweep(Some("4x"), None).findings.iter().all(|finding| finding.code != code),
        "nothing is held against it"
    );
}
