//! The drawings of a simulated run as SVG goldens, and what holds for every one of them.
#![cfg(not(target_arch = "wasm32"))]

use expect_test::expect_file;
use serde_json::{Value, json};
use weir::charts::checkpoint_run::{DrawRunParams, Pinned, draw};
use weir::charts::{Chart, ChartError};
use weir::checkpoint::{Scenario, Simulation};

/// Two sources, of which one blocks for 2 s at each trigger, and an operator of two subtasks.
fn scenario(mode: &str) -> Scenario {
    let scenario = json!({
        "vertices": [
            { "name": "Source", "parallelism": 2, "source": { "rate": [1000.0], "lagMs": [2000, 0] } },
            { "name": "Operator", "parallelism": 2, "service": [{ "kind": "constant", "meanUs": 100.0 }] },
        ],
        "edges": [{ "from": 0, "to": 1, "exchange": "hash", "recordBytes": 96 }],
        "checkpointing": {
            "mode": mode, "alignedCheckpointTimeoutMs": 1000, "firstTriggerMs": 4000,
            "intervalMs": 5000, "timeoutMs": 3000,
        },
        "runMs": 15000,
        "seed": 1,
    });
    serde_json::from_value(scenario).expect("the scenario parses")
}

fn run(scenario: &Scenario) -> Simulation {
    let mut simulation = Simulation::new(scenario.job().expect("it can be"));
    while !simulation.advance(u64::MAX).done {}
    simulation
}

fn drawn(mode: &str, what: &Value, theme: &str, width: u32) -> Result<Chart, ChartError> {
    let scenario = scenario(mode);
    let simulation = run(&scenario);
    let params = json!({ "what": what, "theme": theme, "width": width });
    let params: DrawRunParams = serde_json::from_value(params).expect("the params parse");
    draw(&simulation, &simulation.report(), &scenario.checkpointing, None, &params)
}

/// The place in the log right after the first channel was blocked, or records were overtaken.
fn told(mode: &str, kind: &str) -> usize {
    let facts = run(&scenario(mode)).facts();
    let is_kind = |number: &u8| facts.kinds[usize::from(*number)] == kind;
    1 + facts.kind.iter().position(is_kind).expect("it happens in this run")
}

#[test]
fn drawings_of_a_run_are_the_golden_ones() {
    let checkpoint = json!({ "kind": "checkpoint", "id": 1 });
    let blocked =
        json!({ "kind": "moment", "told": told("aligned", "channelBlocked"), "focus": null });
    let early =
        json!({ "kind": "moment", "told": told("unaligned", "snapshotStarted"), "focus": 3 });
    for (name, mode, what, theme, width) in [
        ("checkpoint_light", "timeout", &checkpoint, "light", 900),
        ("checkpoint_340_dark", "aligned", &checkpoint, "dark", 340),
        ("checkpoints_light", "aligned", &json!({ "kind": "checkpoints" }), "light", 900),
        ("queues_dark", "aligned", &json!({ "kind": "queues" }), "dark", 900),
        ("throughput_340_light", "aligned", &json!({ "kind": "throughput" }), "light", 340),
        ("latency_light", "aligned", &json!({ "kind": "latency" }), "light", 900),
        ("moment_blocked_light", "aligned", &blocked, "light", 900),
        ("moment_unaligned_340_dark", "unaligned", &early, "dark", 340),
    ] {
        let chart = drawn(mode, what, theme, width).expect("it is drawn");
        expect_file![format!("golden/charts/run_{name}.svg")].assert_eq(&chart.svg);
    }
}

#[test]
fn parts_lie_inside_their_drawing_and_have_words_at_any_width() {
    for width in [280, 390, 639, 640, 1000, 2000] {
        for what in [
            json!({ "kind": "checkpoint", "id": 2 }),
            json!({ "kind": "checkpoints" }),
            json!({ "kind": "queues" }),
            json!({ "kind": "throughput" }),
            json!({ "kind": "latency" }),
            json!({ "kind": "behind" }),
            json!({ "kind": "moment", "told": 30, "focus": null }),
        ] {
            let chart = drawn("aligned", &what, "light", width).expect("it is drawn");
            assert!(!chart.regions.is_empty(), "{what}");
            for part in &chart.regions {
                assert!(!part.label.is_empty(), "{what}: {part:?}");
                assert!(part.x >= 0.0 && part.x + part.width <= f64::from(width) + 0.5, "{part:?}");
                assert!(part.y + part.height <= f64::from(chart.height), "{what}: {part:?}");
            }
        }
    }
}

/// One mode over another one, which is pinned as A.
fn drawn_over(mode: &str, of_a: &str, what: &Value, width: u32) -> Chart {
    let [b, a] = [mode, of_a].map(|it| run(&scenario(it)));
    let report = a.report();
    let pinned = Some(Pinned { simulation: &a, report: &report });
    let params = json!({ "what": what, "theme": "light", "width": width });
    let params: DrawRunParams = serde_json::from_value(params).expect("the params parse");
    draw(&b, &b.report(), &scenario(mode).checkpointing, pinned, &params).expect("it is drawn")
}

#[test]
fn a_pinned_run_lies_behind_and_is_named() {
    for name in ["queues", "throughput", "latency", "behind"] {
        let what = json!({ "kind": name });
        let over = drawn_over("unaligned", "aligned", &what, 900);
        let alone = drawn("unaligned", &what, "light", 900).expect("it is drawn");
        let named = |chart: &Chart| chart.svg.matches("A: ").count();
        assert_eq!(named(&alone), 0, "{name}");
        assert!(named(&over) >= 1, "{name}");
        assert!(over.regions.iter().any(|part| part.label.contains(". A: At ")), "{name}");
    }
    let checkpoint = json!({ "kind": "checkpoint", "id": 2 });
    let over = drawn_over("unaligned", "aligned", &checkpoint, 900);
    expect_file!["golden/charts/run_checkpoint_over_a_light.svg"].assert_eq(&over.svg);
    // The same run takes as long as itself, at each of its rows.
    let same = drawn_over("aligned", "aligned", &checkpoint, 900);
    assert!(same.regions.iter().all(|part| part.label.contains("A: until ")));
    // Those of A that failed have no end.
    let same = drawn_over("aligned", "aligned", &json!({ "kind": "checkpoints" }), 900);
    let ends = same.regions.iter().filter(|part| part.label.contains("A: until ")).count();
    assert!(ends > 0 && ends < same.regions.len(), "{ends} of {}", same.regions.len());
}

#[test]
fn what_a_run_does_not_have_is_refused() {
    let none = drawn("aligned", &json!({ "kind": "checkpoint", "id": 99 }), "light", 900);
    assert_eq!(none.unwrap_err(), ChartError::NothingToDraw);
    let narrow = drawn("aligned", &json!({ "kind": "queues" }), "light", 100);
    assert_eq!(narrow.unwrap_err(), ChartError::Width { width: 100 });
    // More facts than there are show the end.
    let end =
        drawn("aligned", &json!({ "kind": "moment", "told": 1_000_000, "focus": 77 }), "dark", 900);
    assert!(end.is_ok());
}
