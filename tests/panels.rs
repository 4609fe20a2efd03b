//! Charts of panels as SVG goldens, with and without pinned settings, and what differs between two
//! answers of a panel.
#![cfg(not(target_arch = "wasm32"))]

use expect_test::expect_file;
use proptest::prelude::*;
use serde_json::{Value, json};
use weir::charts::Chart;
use weir::charts::memory_bar::{WIDTH_MAX, WIDTH_MIN};
use weir::charts::state_question::{DrawStateParams, draw_state};
use weir::finding::Problem;
use weir::network::{NetworkParams, network_buffers};
use weir::panel::{Amount, ComparePanelsParams, FigureDifference, PanelComparison, compare_panels};
use weir::units::Bytes;

/// A process of so many MiB, with more settings.
fn memory(mib: u32, settings: &[(&str, &str)]) -> Value {
    let size = format!("{mib}m");
    let mut config =
        json!({ "taskmanager.memory.process.size": size, "taskmanager.numberOfTaskSlots": "2" });
    for (key, text) in settings {
        config[*key] = json!(text);
    }
    json!({ "version": "1.20", "config": config, "startScript": true, "containerLimit": null })
}

fn with(mut memory: Value, more: Value) -> Value {
    for (key, value) in more.as_object().expect("an object") {
        memory[key] = value.clone();
    }
    memory
}

fn rocksdb(memory: Value, entries: u64) -> Value {
    let workload = json!({
        "backendInCode": true, "consumers": [{ "useCase": "STATE_BACKEND", "share": 1.0 }, { "useCase": "PYTHON", "share": 1.0 }],
        "columnFamilies": 4, "writeBufferSize": null, "writeBufferCount": null,
        "blockCacheSize": null, "arenaBlockSize": 0, "keyBytes": 16, "valueBytes": 100,
        "keysPerSlot": entries, "hotShare": 0.2, "iterators": 2,
    });
    json!({ "rocksdbMemory": with(memory, json!({ "workload": workload, "assumptions": null })) })
}

fn workload(keys: u64) -> Value {
    json!({
        "keys": keys, "key": { "kind": "long" },
        "state": { "kind": "value", "value": { "kind": "string", "chars": 40 } },
        "ttl": true, "parallelism": 2, "maxParallelism": null, "compressedOops": null,
        "rehashPending": true, "updatedShare": 0.1, "readShare": 0.2,
    })
}

fn heap(memory: Value, keys: u64) -> Value {
    json!({ "heapState": with(memory, json!({ "workload": workload(keys), "assumptions": null })) })
}

fn backends(memory: Value, keys: u64) -> Value {
    let changes = json!({ "updates": 200_000, "distinct": null, "sstBytesPerEntry": null });
    let more = json!({ "workload": workload(keys), "assumptions": null, "changes": changes });
    json!({ "compareBackends": with(memory, more) })
}

fn network(memory: Value, parallelism: u32) -> Value {
    let stage = |name: &str| json!({ "name": name, "parallelism": parallelism, "slotSharingGroup": "default" });
    let exchange = |from: u32| json!({ "from": from, "to": from + 1, "pattern": "hash", "type": "PIPELINED_BOUNDED" });
    let job = json!({
        "stages": [stage("source"), stage("window"), stage("sink")],
        "exchanges": [exchange(0), exchange(1)],
        "tasks": [], "requests": [], "tieredExclusiveBuffers": null,
    });
    json!({ "networkBuffers": with(memory, json!({ "job": job })) })
}

fn limits(memory: Value) -> Value {
    json!({ "memoryBoundaries": with(memory, json!({ "role": "taskmanager" })) })
}

fn local(memory: Value, heap: Option<&str>) -> Value {
    json!({ "localMemory": with(memory, json!({ "jvmHeap": heap, "maxDirectMemory": null })) })
}

fn ttl(seconds: u64) -> Value {
    json!({ "ttlGrowth": {
        "version": "1.20",
        "keySpaces": [{ "keys": 10_000_000, "updatesPerSecond": 200.0 }],
        "ttlSeconds": seconds, "cleanUp": "compactionFilter", "horizonSeconds": 86_400,
    } })
}

fn slots(memory: Value) -> Value {
    json!({ "slotsSweep": with(memory, json!({ "maxSlots": 16, "workload": null, "assumptions": null, "job": null })) })
}

const EMBEDDED: [(&str, &str); 2] =
    [("taskmanager.memory.network.min", "5120m"), ("taskmanager.memory.network.max", "5120m")];
const UNSHARED: [(&str, &str); 1] = [("state.backend.rocksdb.memory.managed", "false")];

fn params(of: &Value, pinned: Option<&Value>, theme: &str, width: u32) -> DrawStateParams {
    let params = json!({ "of": of, "pinned": pinned, "theme": theme, "width": width });
    serde_json::from_value(params).expect("the params parse")
}

fn drawn(of: &Value, pinned: Option<&Value>, theme: &str, width: u32) -> Chart {
    draw_state(&params(of, pinned, theme, width)).expect("it is drawn").value
}

#[track_caller]
fn check(name: &str, of: &Value, pinned: Option<&Value>) {
    for (suffix, theme, width) in [("light", "light", 900), ("340_dark", "dark", 340)] {
        let chart = drawn(of, pinned, theme, width);
        assert!(!chart.svg.contains("style="), "a strict CSP forbids inline styles");
        let path =
            format!("{}/tests/golden/charts/{name}_{suffix}.svg", env!("CARGO_MANIFEST_DIR"));
        expect_file![path].assert_eq(&chart.svg);
    }
}

#[test]
fn charts_are_the_golden_ones() {
    check("rocksdb", &rocksdb(memory(1728, &[]), 10_000_000), None);
    check("heap", &heap(memory(1728, &[]), 2_000_000), None);
    check("backends", &backends(memory(1728, &[]), 4_000_000), None);
    check("network", &network(memory(1728, &[]), 64), None);
    check("limits", &limits(memory(1728, &[])), None);
    check("local", &local(memory(16384, &EMBEDDED), Some("2g")), None);
}

#[test]
fn charts_with_pinned_settings_are_the_golden_ones() {
    let (small, large) = (memory(1728, &[]), memory(3072, &[]));
    let unshared = memory(3072, &UNSHARED);
    check(
        "rocksdb_pinned",
        &rocksdb(unshared, 1_000_000),
        Some(&rocksdb(small.clone(), 1_000_000)),
    );
    check("heap_pinned", &heap(large.clone(), 2_000_000), Some(&heap(small.clone(), 2_000_000)));
    check("network_pinned", &network(large.clone(), 32), Some(&network(small.clone(), 64)));
    check("limits_pinned", &limits(large.clone()), Some(&limits(small.clone())));
    check("backends_pinned", &backends(large, 4_000_000), Some(&backends(small, 4_000_000)));
    check("ttl_pinned", &ttl(3600), Some(&ttl(7200)));
}

fn labels(chart: &Chart) -> Vec<(String, String)> {
    let plain = |text: &str| text.replace('\u{202f}', " ");
    chart.regions.iter().map(|region| (region.id.clone(), plain(&region.label))).collect()
}

#[track_caller]
fn label(chart: &Chart, id: &str) -> String {
    let found = labels(chart).into_iter().find(|(other, _)| other == id);
    found.unwrap_or_else(|| panic!("no region {id}: {:?}", labels(chart))).1
}

#[test]
fn bars_are_read_out_with_exact_values() {
    let of = network(memory(1728, &[]), 64);
    let chart = drawn(&of, None, "light", 900);
    let params: NetworkParams =
        serde_json::from_value(of["networkBuffers"].clone()).expect("params");
    let window = network_buffers(&params).expect("it is answered").value.tasks[1].required;
    let said = format!("Required to start, window: {window} ({window} buffers)");
    assert_eq!(label(&chart, "required.window"), said);
    assert!(
        label(&chart, "required").ends_with("; there are 4 096"),
        "{}",
        label(&chart, "required")
    );
    let chart = drawn(&rocksdb(memory(1728, &[]), 10_000_000), None, "light", 900);
    assert!(label(&chart, "managed").ends_with("; the slot has 256 MiB"));
    assert!(label(&chart, "cache.index").starts_with("Block cache, Index: "));
}

#[test]
fn what_kills_the_container_is_marked_and_a_fitting_bar_is_not() {
    let danger = |of: &Value| drawn(of, None, "light", 900).svg.matches("#C8102E").count();
    let crossing = rocksdb(memory(1728, &UNSHARED), 1_000_000);
    let staying =
        rocksdb(memory(4096, &[("taskmanager.memory.managed.size", "2g"), UNSHARED[0]]), 1000);
    assert!(danger(&crossing) > danger(&staying), "{} {}", danger(&crossing), danger(&staying));
}

#[test]
fn backends_are_drawn_by_each_measure() {
    let of = backends(memory(1728, &[]), 1_000_000);
    for measure in ["memory", "disk", "fullCheckpoint", "meanUpload"] {
        let params = json!({ "of": of, "measure": measure, "theme": "light", "width": 900 });
        let params: DrawStateParams = serde_json::from_value(params).expect("the params parse");
        let chart = draw_state(&params).expect("it is drawn").value;
        assert!(label(&chart, "x1000000").contains("RocksDB"), "{measure}");
    }
}

fn compared(a: Value, b: Value) -> Result<PanelComparison, Problem> {
    let params: ComparePanelsParams =
        serde_json::from_value(json!({ "a": a, "b": b })).expect("the params parse");
    compare_panels(&params).map(|answer| answer.value)
}

fn row<'a>(report: &'a PanelComparison, id: &str) -> &'a FigureDifference {
    report.figures.iter().find(|figure| figure.id == id).expect("it is listed")
}

#[test]
fn differences_are_b_less_a() {
    let report =
        compared(heap(memory(1728, &[]), 1000), heap(memory(3072, &[]), 1000)).expect("both");
    let task_heap = row(&report, "taskHeap");
    let (Some(Amount::Bytes(a)), Some(Amount::Bytes(b))) = (task_heap.a, task_heap.b) else {
        panic!("{task_heap:?}")
    };
    let difference = Bytes::new(b.get() - a.get());
    assert!(b > a);
    assert_eq!(task_heap.difference, Some(Amount::Bytes(difference)));
    assert!((task_heap.relative.expect("A is not 0") - difference.share_of(a)).abs() < 1e-12);
    assert_eq!(row(&report, "bytes").difference, Some(Amount::Bytes(Bytes::ZERO)));
    assert!(report.verdict.starts_with("Against A: "), "{}", report.verdict);
    assert!(report.a_verdict.contains("keys"), "{}", report.a_verdict);
}

#[test]
fn equal_settings_do_not_differ_in_any_panel() {
    let stock = || memory(1728, &[]);
    for of in [
        limits(stock()),
        rocksdb(stock(), 1000),
        heap(stock(), 1000),
        backends(stock(), 1000),
        ttl(3600),
        slots(stock()),
        network(stock(), 8),
        local(stock(), Some("1g")),
    ] {
        let report = compared(of.clone(), of).expect("it is answered");
        assert_eq!(report.equal, report.figures.len(), "{:?}", report.figures);
        assert_eq!(report.verdict, "Every figure is what it is in A.");
        let mut ids: Vec<&str> = report.figures.iter().map(|figure| figure.id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), report.figures.len(), "an id is not unique: {ids:?}");
    }
}

#[test]
fn a_figure_of_one_side_only_has_no_difference() {
    let report = compared(rocksdb(memory(1728, &[]), 1000), rocksdb(memory(1728, &UNSHARED), 1000));
    let report = report.expect("both are answered");
    let native = row(&report, "native");
    assert!(native.a.is_none() && native.b.is_some() && native.difference.is_none(), "{native:?}");
    let memory = row(&report, "memory");
    assert!(memory.a.is_some() && memory.b.is_none() && memory.relative.is_none(), "{memory:?}");
}

#[test]
fn a_side_that_is_refused_is_named() {
    let bad = heap(memory(900, &[]), 1000);
    let problem =
        compared(bad.clone(), heap(memory(1728, &[]), 1000)).expect_err("A does not start");
    assert_eq!(problem.field.as_deref(), Some("a"));
    let problem = compared(heap(memory(1728, &[]), 1000), bad).expect_err("B does not start");
    assert_eq!(problem.field.as_deref(), Some("b"));
    let problem = compared(ttl(1), heap(memory(1728, &[]), 1000)).expect_err("they differ");
    assert_eq!(problem.code, "panel.otherQuestion");
}

#[test]
fn a_pinned_side_that_does_not_start_is_left_out_of_the_drawing() {
    let of = heap(memory(1728, &[]), 1000);
    let bad = heap(memory(900, &[]), 1000);
    assert_eq!(drawn(&of, Some(&bad), "light", 900), drawn(&of, None, "light", 900));
    assert_eq!(drawn(&of, Some(&ttl(1)), "light", 900), drawn(&of, None, "light", 900));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn every_chart_fits_its_width(
        mib in 900_u32..200_000,
        keys in 0_u64..2_000_000_000,
        parallelism in 1_u32..300,
        width in WIDTH_MIN..=WIDTH_MAX,
    ) {
        let (a, b) = (memory(mib, &[]), memory(mib / 2 + 900, &UNSHARED));
        for (of, pinned) in [
            (rocksdb(b.clone(), keys), rocksdb(a.clone(), keys)),
            (heap(b.clone(), keys), heap(a.clone(), keys)),
            (backends(b.clone(), keys), backends(a.clone(), keys)),
            (network(b.clone(), parallelism), network(a.clone(), parallelism)),
            (local(b.clone(), Some("64m")), local(a.clone(), None)),
            (limits(b), limits(a)),
        ] {
            let Ok(drawn) = draw_state(&params(&of, Some(&pinned), "light", width)) else { continue };
            for region in &drawn.value.regions {
                prop_assert!(region.x >= 0.0 && region.x + region.width <= f64::from(width), "{region:?}");
                prop_assert!(region.y >= 0.0 && region.y + region.height <= f64::from(drawn.value.height), "{region:?}");
            }
        }
    }
}
