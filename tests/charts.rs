//! Charts as SVG goldens, and what holds for every layout.
#![cfg(not(target_arch = "wasm32"))]

use expect_test::expect_file;
use proptest::prelude::*;
use weir::charts::ChartError;
use weir::charts::memory_bar::{self, MemoryBarInput, WIDTH_MAX, WIDTH_MIN, WIDTH_NESTED};
use weir::charts::scene::{Rect, Scene};
use weir::charts::theme::Theme;
use weir::memory::report::{Color, Component, Container, Origin};
use weir::units::Bytes;

type Row = (&'static str, &'static str, Option<&'static str>, Color, i64);

const MIB: i64 = 1 << 20;

fn components(rows: &[Row]) -> Vec<Component> {
    let total = rows.iter().find(|row| row.2.is_none()).map_or(0, |row| row.4);
    let component = |&(id, name, parent, color, bytes): &Row| Component {
        id,
        name,
        parent,
        bytes: Bytes::new(bytes),
        share: Bytes::new(bytes).share_of(Bytes::new(total)),
        origin: Origin::Sum,
        option: "",
        color,
        location: "",
        cap: "",
        recommendation: String::new(),
    };
    rows.iter().map(component).collect()
}

/// A TaskManager's components; the totals are their sums.
fn task_manager(
    [framework_heap, task_heap, framework_off_heap, task_off_heap, network, managed]: [i64; 6],
    metaspace: i64,
    overhead: i64,
) -> Vec<Component> {
    let pools = [framework_heap, task_heap, framework_off_heap, task_off_heap, network, managed];
    let flink: i64 = pools.iter().sum();
    let (process, pool) = (Some("totalProcess"), Some("totalFlink"));
    components(&[
        ("totalProcess", "Total Process Memory", None, Color::Total, flink + metaspace + overhead),
        ("totalFlink", "Total Flink Memory", process, Color::Total, flink),
        ("frameworkHeap", "Framework Heap", pool, Color::Heap, framework_heap),
        ("taskHeap", "Task Heap", pool, Color::Heap, task_heap),
        ("frameworkOffHeap", "Framework Off-Heap", pool, Color::OffHeap, framework_off_heap),
        ("taskOffHeap", "Task Off-Heap", pool, Color::OffHeap, task_off_heap),
        ("network", "Network", pool, Color::Network, network),
        ("managed", "Managed Memory", pool, Color::Managed, managed),
        ("metaspace", "JVM Metaspace", process, Color::Jvm, metaspace),
        ("jvmOverhead", "JVM Overhead", process, Color::Jvm, overhead),
    ])
}

/// Flink's own TaskManager: `taskmanager.memory.process.size: 1728m`.
fn stock() -> Vec<Component> {
    let pools = [134_217_728, 402_653_174, 134_217_728, 0, 134_217_730, 536_870_920];
    task_manager(pools, 268_435_456, 201_326_592)
}

/// Flink's own JobManager: `jobmanager.memory.process.size: 1600m`.
fn job_manager() -> Vec<Component> {
    let process = Some("totalProcess");
    components(&[
        ("totalProcess", "Total Process Memory", None, Color::Total, 1600 * MIB),
        ("totalFlink", "Total Flink Memory", process, Color::Total, 1152 * MIB),
        ("jvmHeap", "JVM Heap", Some("totalFlink"), Color::Heap, 1024 * MIB),
        ("offHeap", "Off-Heap", Some("totalFlink"), Color::OffHeap, 128 * MIB),
        ("metaspace", "JVM Metaspace", process, Color::Jvm, 256 * MIB),
        ("jvmOverhead", "JVM Overhead", process, Color::Jvm, 192 * MIB),
    ])
}

fn container(components: &[Component], limit: Option<i64>) -> Container {
    let total = components.iter().find(|c| c.parent.is_none()).map_or(0, |c| c.bytes.get());
    let named = limit.is_some();
    let limit = limit.unwrap_or(total);
    Container { limit: Bytes::new(limit), named, headroom: Bytes::new(limit - total) }
}

#[track_caller]
fn check(name: &str, components: &[Component], limit: Option<i64>, theme: Theme, width: u32) {
    let title = "Where the bytes of the process lie";
    let container = container(components, limit);
    let input = MemoryBarInput { components, container, title };
    let chart = memory_bar::draw(&input, theme, width).expect("the input is drawable");
    check_layout(&memory_bar::layout(&input, width).expect("the input is drawable"));
    assert!(!chart.svg.contains("style="), "a strict CSP forbids inline styles");
    let path = format!("{}/tests/golden/charts/{name}.svg", env!("CARGO_MANIFEST_DIR"));
    expect_file![path].assert_eq(&chart.svg);
}

#[test]
fn stock_task_manager() {
    check("stock_light", &stock(), None, Theme::Light, 960);
    check("stock_dark", &stock(), None, Theme::Dark, 960);
    check("stock_520_light", &stock(), None, Theme::Light, WIDTH_NESTED);
    check("stock_340_light", &stock(), None, Theme::Light, 340);
    check("stock_340_dark", &stock(), None, Theme::Dark, 340);
    check("stock_280_light", &stock(), None, Theme::Light, WIDTH_MIN);
    check("spare_light", &stock(), Some(2048 * MIB), Theme::Light, 960);
}

#[test]
fn only_a_named_limit_is_a_danger() {
    let components = stock();
    let is_alarming = |limit| {
        let container = container(&components, limit);
        let input = MemoryBarInput { components: &components, container, title: "" };
        let scene = memory_bar::layout(&input, 960).expect("the input is drawable");
        format!("{scene:?}").contains("Danger")
    };
    assert!(!is_alarming(None));
    assert!(is_alarming(Some(1728 * MIB)), "the limit is where the process ends");
}

#[test]
fn stock_job_manager() {
    check("job_manager_light", &job_manager(), None, Theme::Light, 720);
    check("job_manager_340_dark", &job_manager(), None, Theme::Dark, 340);
}

#[test]
fn container_too_small() {
    check("too_small_light", &stock(), Some(1536 * MIB), Theme::Light, 960);
    check("too_small_dark", &stock(), Some(1200 * MIB), Theme::Dark, 960);
    check("too_small_340_light", &stock(), Some(1536 * MIB), Theme::Light, 340);
}

#[test]
fn two_processes_on_one_scale() {
    let (a, b) = (stock(), {
        let pools = [128 * MIB, 1200 * MIB, 128 * MIB, 256 * MIB, 256 * MIB, 512 * MIB];
        task_manager(pools, 256 * MIB, 273 * MIB)
    });
    let a = MemoryBarInput { components: &a, container: container(&a, None), title: "A, pinned" };
    let limit = Some(2600 * MIB);
    let b = MemoryBarInput { components: &b, container: container(&b, limit), title: "B, now" };
    for (name, theme, width) in
        [("pair_light", Theme::Light, 960), ("pair_340_dark", Theme::Dark, 340)]
    {
        let (above, below) = memory_bar::pair::layout(&a, &b, width).expect("both are drawable");
        check_layout(&above);
        check_layout(&below);
        let box_of = |scene: &Scene, id: &str| {
            let placed = scene.placed.iter().find(|placed| placed.id == id).expect("it is there");
            placed.rect.expect("it has bytes")
        };
        // 256 MiB of metaspace are as long in both.
        let length = |scene| box_of(scene, "metaspace").width();
        assert!((length(&above) - length(&below)).abs() <= 1);
        let chart = memory_bar::pair::draw(&a, &b, theme, width).expect("both are drawable");
        assert_eq!(chart.regions.len(), 20);
        let label = |id: &str| chart.regions.iter().find(|region| region.id == id).expect("a part");
        assert!(label("b.taskHeap").label.starts_with("B: Task Heap: 1.17 GiB"));
        assert!(label("b.taskHeap").y > f64::from(above.height));
        let path = format!("{}/tests/golden/charts/{name}.svg", env!("CARGO_MANIFEST_DIR"));
        expect_file![path].assert_eq(&chart.svg);
    }
}

#[test]
fn tiny_network() {
    let pools = [128 * MIB, 700 * MIB, 128 * MIB, 64 * MIB, 2 * MIB, 258 * MIB];
    let components = task_manager(pools, 256 * MIB, 192 * MIB);
    check("tiny_network_light", &components, None, Theme::Light, 960);
}

#[test]
fn one_giant_pool() {
    let pools = [128 * MIB, 256 * MIB, 128 * MIB, 0, 1024 * MIB, 4_000_000 * MIB];
    let components = task_manager(pools, 256 * MIB, 1024 * MIB);
    check("giant_light", &components, None, Theme::Light, 960);
    check("giant_340_dark", &components, None, Theme::Dark, 340);
}

#[test]
fn exact_values_are_read_out() {
    let components = stock();
    let container = container(&components, Some(1536 * MIB));
    let input = MemoryBarInput { components: &components, container, title: "" };
    let chart = memory_bar::draw(&input, Theme::Light, 960).unwrap();
    let label = |id: &str| {
        let region = chart.regions.iter().find(|region| region.id == id).unwrap();
        region.label.replace('\u{202f}', " ")
    };
    assert_eq!(label("taskHeap"), "Task Heap: 384 MiB (402 653 174 bytes), 22.2 % of the process");
    assert_eq!(label("taskOffHeap"), "Task Off-Heap: 0 B (0 bytes), 0 % of the process");
    assert_eq!(
        label("totalProcess"),
        "Total Process Memory: 1.69 GiB (1 811 939 328 bytes), 100 % of the process"
    );
    assert_eq!(
        chart.description,
        "A process of 1.69 GiB to scale: Framework Heap 128 MiB, Task Heap 384 MiB, Framework \
         Off-Heap 128 MiB, Task Off-Heap 0 B, Network 128 MiB, Managed Memory 512 MiB, JVM \
         Metaspace 256 MiB, JVM Overhead 192 MiB; the container's limit of 1.5 GiB is 192 MiB too \
         small."
    );
}

#[test]
fn regions_have_the_names_of_the_page() {
    let components = stock();
    let container = container(&components, None);
    let input = MemoryBarInput { components: &components, container, title: "" };
    let chart = memory_bar::draw(&input, Theme::Light, 340).unwrap();
    let json = serde_json::to_value(&chart).unwrap();
    let keys = |value: &serde_json::Value| {
        value.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(keys(&json), "description height regions svg width");
    assert_eq!(keys(&json["regions"][0]), "height id label width x y");
}

#[test]
fn widths_outside_the_layouts_are_refused() {
    let components = stock();
    let container = container(&components, None);
    let input = MemoryBarInput { components: &components, container, title: "" };
    for width in [0, WIDTH_MIN - 1, WIDTH_MAX + 1, u32::MAX] {
        let error = memory_bar::draw(&input, Theme::Light, width).unwrap_err();
        assert_eq!(error, ChartError::Width { width });
        assert_eq!(error.code(), "chart.width");
    }
}

/// What holds for every layout, in words.
#[track_caller]
fn check_layout(scene: &Scene) {
    let all = scene.bounds();
    for line in &scene.lines {
        assert!(all.contains(line.rect), "{:?} leaves the drawing {all:?}", line);
        assert!(line.size >= 11, "{line:?} is too small to read");
    }
    for (i, a) in scene.lines.iter().enumerate() {
        for b in &scene.lines[i + 1..] {
            assert!(!a.rect.overlaps(b.rect), "{a:?} lies over {b:?}");
        }
    }
    for placed in &scene.placed {
        assert!(all.contains(placed.hit), "{placed:?} answers outside the drawing {all:?}");
        assert!(placed.hit.width() >= 24 && placed.hit.height() >= 24, "{placed:?} is hard to hit");
        let Some(rect) = placed.rect else { continue };
        assert!(all.contains(rect) && rect.width() > 0, "{placed:?} leaves the drawing {all:?}");
        let around = scene.placed.iter().find(|other| Some(other.id) == placed.parent);
        if let Some(outer) = around.and_then(|around| around.rect) {
            // Unfolded, the boxes lie below each other.
            let (y0, y1) = if scene.width < WIDTH_NESTED as i32 {
                (rect.y0, rect.y1)
            } else {
                (outer.y0, outer.y1)
            };
            let outer = Rect::new(outer.x0, y0, outer.x1, y1);
            assert!(outer.contains(rect), "{placed:?} leaves the box around it, {outer:?}");
        }
    }
}

/// Sizes over all magnitudes whose sum stays below 2^63.
fn size() -> impl Strategy<Value = i64> {
    prop_oneof![
        1 => Just(0_i64),
        2 => 0..4096 * MIB,
        4 => (0_u32..59, 1..2_i64 << 10).prop_map(|(shift, n)| (n << shift.min(49)).max(1)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn layouts_hold_for_all_sizes(
        pools in proptest::array::uniform6(size()),
        metaspace in size(),
        overhead in size(),
        limit in prop_oneof![Just(None), size().prop_map(Some), Just(Some(i64::MAX))],
        title in "[ -~àé漢]{0,60}",
        width in prop_oneof![WIDTH_MIN..=WIDTH_MAX, WIDTH_MIN..=WIDTH_NESTED],
    ) {
        let components = task_manager(pools, metaspace, overhead);
        let container = container(&components, limit);
        let input = MemoryBarInput { components: &components, container, title: &title };
        if components[0].bytes == Bytes::ZERO {
            prop_assert_eq!(memory_bar::layout(&input, width), Err(ChartError::NothingToDraw));
        } else {
            let scene = memory_bar::layout(&input, width).unwrap();
            check_layout(&scene);
            prop_assert_eq!(scene.placed.len(), components.len());
            let words: Vec<_> = scene.lines.iter().map(|line| line.text.as_str()).collect();
            let words = words.join(" ");
            for component in &components {
                prop_assert!(words.contains(component.name), "{} is named nowhere", component.name);
            }
            let again = memory_bar::draw(&input, Theme::Dark, width).unwrap();
            prop_assert_eq!(again.svg, memory_bar::draw(&input, Theme::Dark, width).unwrap().svg);
        }
    }
}

mod lanes {
    use expect_test::expect_file;
    use proptest::prelude::*;
    use weir::charts::event_time_question::{
        DrawEventStateParams, DrawEventTimeParams, draw_event_state, draw_event_time,
    };

    /// A record in each outcome, a repeated result, and a window in each state.
    fn late(width: u32, theme: &str, upto: Option<u32>) -> DrawEventTimeParams {
        let times = [5000, 13_000, 6000, 14_999, 7000, 15_000, 8000];
        let input =
            times.map(|time| serde_json::json!({ "kind": "event", "key": "a", "time": time }));
        serde_json::from_value(serde_json::json!({
            "job": {
                "version": "1.20",
                "watermarks": {
                    "rule": { "kind": "boundedOutOfOrderness", "outOfOrderness": 3000 },
                    "emission": { "kind": "perEvent", "every": 1 },
                    "idleTimeout": null,
                },
                "source": { "partitions": 1, "parallelism": 1, "perPartition": true },
                "windows": {
                    "assigner": { "kind": "tumbling", "size": 10_000, "offset": 0 },
                    "trigger": { "kind": "eventTime" },
                    "allowedLateness": 2000,
                    "sideOutput": true,
                },
                "parallelism": 1,
                "input": input,
                "endOfInput": false,
            },
            "upto": upto,
            "theme": theme,
            "width": width,
        }))
        .expect("the params parse")
    }

    /// Each step says what is open and what lateness keeps; the most by the rules stands beside it.
    #[test]
    fn the_open_state_is_told_step_by_step() {
        let DrawEventTimeParams { job, theme, width, .. } = late(800, "light", None);
        let drawn = draw_event_state(&DrawEventStateParams { job, theme, width });
        let charts = drawn.expect("it is drawn").value;
        let told = |chart: &weir::charts::Chart| -> Vec<String> {
            chart.regions.iter().map(|it| it.label.clone()).collect()
        };
        let open = told(&charts.open);
        assert_eq!(open.len(), 7);
        assert_eq!(open[0], "After step 1: 1 open, 0 kept for lateness");
        // The watermark is 11.998 s: the first window has fired, and is kept until 11.999 s.
        assert_eq!(open[3], "After step 4: 1 open, 1 kept for lateness");
        assert_eq!(open[5], "After step 6: 1 open, 0 kept for lateness");
        assert!(charts.open.description.contains("The rules allow at most 2."));
        assert!(told(&charts.kept)[0].starts_with("After step 1: "), "{:?}", told(&charts.kept));
    }

    fn svg(params: &DrawEventTimeParams) -> String {
        let drawn = draw_event_time(params).expect("it is drawn").value;
        let value = serde_json::to_value(&drawn).expect("it serialises");
        value["svg"].as_str().expect("it is an SVG").to_owned()
    }

    #[test]
    fn lanes_look_as_recorded() {
        expect_file!["golden/charts/lanes_light.svg"].assert_eq(&svg(&late(900, "light", None)));
        expect_file!["golden/charts/lanes_360_dark.svg"].assert_eq(&svg(&late(
            360,
            "dark",
            Some(4),
        )));
    }

    proptest! {
        #[test]
        fn every_step_at_every_width_is_drawn(width in 280_u32..2000, upto in 0_u32..20) {
            let params = late(width, "light", Some(upto));
            let drawn = serde_json::to_value(draw_event_time(&params).expect("it is drawn").value)
                .expect("it serialises");
            let regions = drawn["regions"].as_array().expect("regions").clone();
            prop_assert_eq!(regions.len() as u32, (upto + 1).min(7));
            for region in regions {
                let number = |name: &str| region[name].as_f64().expect("a number");
                prop_assert!(number("width") > 0.0 && number("x") >= 0.0);
                prop_assert!(number("x") + number("width") <= f64::from(width));
            }
        }
    }
}
