//! What holds for every configuration, not only for the recorded ones.
#![cfg(not(target_arch = "wasm32"))]

use proptest::prelude::*;
use weir::config::size;
use weir::finding::{Finding, Severity};
use weir::memory::{
    DiagnoseParams, MemoryParams, Role, derive_job_manager, derive_task_manager, diagnose,
};
use weir::units::{Bytes, FlinkVersion};

const SIZES: [&str; 14] = [
    "taskmanager.memory.process.size",
    "taskmanager.memory.flink.size",
    "taskmanager.memory.framework.heap.size",
    "taskmanager.memory.framework.off-heap.size",
    "taskmanager.memory.task.heap.size",
    "taskmanager.memory.task.off-heap.size",
    "taskmanager.memory.managed.size",
    "taskmanager.memory.network.min",
    "taskmanager.memory.network.max",
    "taskmanager.memory.jvm-metaspace.size",
    "taskmanager.memory.jvm-overhead.min",
    "taskmanager.memory.jvm-overhead.max",
    "jobmanager.memory.process.size",
    "jobmanager.memory.off-heap.size",
];

const OTHERS: [&str; 7] = [
    "taskmanager.memory.managed.fraction",
    "taskmanager.memory.network.fraction",
    "taskmanager.memory.jvm-overhead.fraction",
    "taskmanager.numberOfTaskSlots",
    "taskmanager.cpu.cores",
    "taskmanager.network.numberOfBuffers",
    "taskmanager.heap.mb",
];

fn version() -> impl Strategy<Value = FlinkVersion> {
    prop::sample::select(FlinkVersion::ALL.to_vec())
}

/// Sizes that people write, with some that nobody should.
fn size_text() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => (1_u64..64_000).prop_map(|mib| format!("{mib}m")),
        3 => (1_u64..64).prop_map(|gib| format!("{gib} g")),
        2 => (0_u64..1 << 40).prop_map(|bytes| bytes.to_string()),
        1 => any::<i64>().prop_map(|bytes| bytes.to_string()),
        1 => any::<String>(),
    ]
}

fn other_text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => (0.0_f64..1.2).prop_map(|fraction| format!("{fraction:.3}")),
        3 => (-1_i64..5000).prop_map(|n| n.to_string()),
        1 => any::<f64>().prop_map(|double| double.to_string()),
        1 => any::<String>(),
    ]
}

prop_compose! {
    fn params()(
        version in version(),
        sizes in prop::collection::btree_map(
            prop::sample::select(SIZES.to_vec()), size_text(), 0..6),
        others in prop::collection::btree_map(
            prop::sample::select(OTHERS.to_vec()), other_text(), 0..3),
        start_script in any::<bool>(),
        container_limit in prop::option::weighted(0.2, size_text()),
    ) -> MemoryParams {
        let mut params = MemoryParams::new(version);
        params.start_script = start_script;
        params.container_limit = container_limit;
        for (key, text) in sizes.into_iter().chain(others) {
            params.set(key, &text);
        }
        params
    }
}

fn sum(parts: &[Bytes]) -> i64 {
    parts.iter().map(|part| part.get()).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn pools_sum_to_totals(params in params()) {
        if let Ok(answer) = derive_task_manager(&params) {
            let r = answer.value;
            let pools = [r.framework_heap, r.framework_off_heap, r.task_heap, r.task_off_heap,
                r.network, r.managed];
            prop_assert_eq!(sum(&pools), r.total_flink.get());
            prop_assert_eq!(sum(&[r.total_flink, r.metaspace, r.jvm_overhead]), r.total_process.get());
            prop_assert_eq!(sum(&[r.framework_heap, r.task_heap]), r.jvm_heap.get());
            prop_assert!(pools.iter().all(|pool| *pool >= Bytes::ZERO));
            for slot in &r.slots {
                let pool = r.components.iter().find(|c| c.id == slot.id).expect("a slot's pool is a component");
                let slots = i64::from(r.num_slots);
                prop_assert_eq!(slot.per_slot.get() * slots + slot.remainder.get(), pool.bytes.get());
            }
        }
        if let Ok(answer) = derive_job_manager(&params) {
            let r = answer.value;
            prop_assert_eq!(sum(&[r.jvm_heap, r.off_heap]), r.total_flink.get());
            prop_assert_eq!(sum(&[r.total_flink, r.metaspace, r.jvm_overhead]), r.total_process.get());
        }
    }

    #[test]
    fn pinned_sizes_give_the_same_pools(params in params()) {
        // The start script hands its result on as dynamic properties; reading them back changes nothing.
        let Ok(answer) = derive_task_manager(&params) else { return Ok(()) };
        let mut pinned = MemoryParams::new(params.version);
        for property in &answer.value.dynamic_configs {
            let (key, value) = property.split_once('=').expect("a property has a value");
            pinned.set(key, value);
        }
        // Fractions are widened floats below 1 but may be set; they are not pinned, so defaults apply.
        let again = derive_task_manager(&pinned);
        prop_assert!(again.is_ok(), "{:?}", again);
        let again = again.expect("checked").value;
        prop_assert_eq!(&again.jvm_args, &answer.value.jvm_args);
        prop_assert_eq!(again.total_process, answer.value.total_process);
    }

    #[test]
    fn a_failure_is_explained_and_its_ways_out_start(params in params()) {
        for role in [Role::TaskManager, Role::JobManager] {
            let question = DiagnoseParams { role, memory: params.clone() };
            let answer = diagnose(&question);
            let starts = |params: &MemoryParams| match role {
                Role::TaskManager => derive_task_manager(params).is_ok(),
                Role::JobManager => derive_job_manager(params).is_ok(),
            };
            prop_assert_eq!(answer.value.failure.is_none(), starts(&params));
            for way in &answer.findings {
                let mut repaired = params.clone();
                for change in &way.apply {
                    match &change.value {
                        Some(text) => { repaired.set(&change.option, text); }
                        None => { repaired.config.remove(&change.option); }
                    }
                }
                prop_assert!(starts(&repaired), "{} does not help", way.title);
            }
        }
    }

    #[test]
    fn a_container_limit_decides_nothing_about_the_process(params in params(), text in any::<String>()) {
        let mut limited = params.clone();
        limited.container_limit = Some(text);
        let split = |params| derive_task_manager(params).map(|answer| (answer.value.jvm_args, answer.value.steps));
        prop_assert_eq!(split(&limited), split(&params));
        let split = |params| derive_job_manager(params).map(|answer| (answer.value.jvm_args, answer.value.steps));
        prop_assert_eq!(split(&limited), split(&params));
    }

    #[test]
    fn applying_a_harmless_finding_changes_no_byte(params in params()) {
        const HARMLESS: [&str; 3] = ["set_in_vain", "older_name", "legacy_heap_mapped"];
        let Ok(answer) = derive_task_manager(&params) else { return Ok(()) };
        for finding in answer.findings.iter().filter(|f| HARMLESS.contains(&f.code)) {
            let mut changed = params.clone();
            for change in &finding.apply {
                match &change.value {
                    Some(text) => { changed.set(&change.option, text); }
                    None => { changed.config.remove(&change.option); }
                }
            }
            let again = derive_task_manager(&changed);
            let again = again.map(|again| again.value.jvm_args);
            prop_assert_eq!(again.as_ref(), Ok(&answer.value.jvm_args), "{}", finding.title);
        }
    }

    #[test]
    fn sizes_print_and_parse_back(bytes in 0_i64..=i64::MAX) {
        let size = Bytes::new(bytes);
        prop_assert_eq!(size::parse(&size::print(size)), Ok(size));
        prop_assert_eq!(size::parse(&size::config_text(size)), Ok(size));
    }

    #[test]
    fn any_text_is_a_size_or_a_refusal(text in any::<String>()) {
        if let Ok(size) = size::parse(&text) {
            prop_assert!(size >= Bytes::ZERO);
        }
    }

    #[test]
    fn the_same_question_has_the_same_answer(params in params()) {
        prop_assert_eq!(derive_task_manager(&params), derive_task_manager(&params));
    }
}

/// The whole answer is the one without a limit, but for one warning.
#[test]
fn a_limit_that_is_no_size_is_left_out_and_said() {
    let mut params = MemoryParams::new(FlinkVersion::V1_20);
    params.set("taskmanager.memory.process.size", "2g");
    params.set("jobmanager.memory.process.size", "1600m");
    let (tm, jm) = (derive_task_manager(&params), derive_job_manager(&params));
    let (tm, jm) = (tm.expect("2g starts"), jm.expect("1600m starts"));
    for text in ["4x", "1.5g", "", " ", "much", "-1g", "99999999999999999999"] {
        params.container_limit = Some(text.to_owned());
        let limited = derive_task_manager(&params).expect("a limit refuses nothing");
        assert_eq!(limited.value, tm.value, "{text}");
        assert!(!limited.value.container.named, "{text}");
        assert_unread(&limited.findings, &tm.findings);
        let limited = derive_job_manager(&params).expect("a limit refuses nothing");
        assert_eq!(limited.value, jm.value, "{text}");
        assert_unread(&limited.findings, &jm.findings);
    }
}

#[track_caller]
fn assert_unread(limited: &[Finding], without: &[Finding]) {
    let is_it = |finding: &&Finding| finding.code == "container_limit_unread";
    assert_eq!(limited.iter().filter(is_it).count(), 1);
    assert!(limited.iter().filter(|finding| !is_it(finding)).eq(without));
}

#[test]
fn findings_are_sorted_by_severity() {
    let mut params = MemoryParams::new(FlinkVersion::V1_20);
    params.set("taskmanager.memory.process.size", "2g");
    params.container_limit = Some("1g".to_owned());
    let findings = derive_task_manager(&params).expect("2g starts").findings;
    assert_eq!(findings[0].severity, Severity::Error);
    assert!(findings.is_sorted_by_key(|finding| finding.severity));
}
