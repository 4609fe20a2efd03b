//! Plots of panels as SVG goldens, and what holds for every plot.
#![cfg(not(target_arch = "wasm32"))]

use expect_test::expect_file;
use proptest::prelude::*;
use serde_json::{Value, json};
use weir::charts::lines::{self, Mark, Plot, Series, Stroke};
use weir::charts::memory_bar::{WIDTH_MAX, WIDTH_MIN, WIDTH_NESTED};
use weir::charts::scale::Quantity;
use weir::charts::state_question::{DrawStateParams, draw_state};
use weir::charts::theme::Tone;
use weir::charts::{Chart, ChartError};

fn drawn(of: Value, theme: &str, width: u32) -> Chart {
    let params = json!({ "of": of, "theme": theme, "width": width });
    let params: DrawStateParams = serde_json::from_value(params).expect("the params parse");
    draw_state(&params).expect("it is drawn").value
}

fn ttl() -> Value {
    json!({ "ttlGrowth": {
        "version": "1.20",
        "keySpaces": [{ "keys": 10_000_000, "updatesPerSecond": 200.0 }],
        "ttlSeconds": 3600,
        "cleanUp": "compactionFilter",
        "horizonSeconds": 86_400,
    } })
}

fn slots() -> Value {
    json!({ "slotsSweep": {
        "version": "1.20",
        "config": { "taskmanager.memory.process.size": "1728m", "taskmanager.numberOfTaskSlots": "2" },
        "startScript": true,
        "containerLimit": null,
        "maxSlots": 16,
        "workload": null,
        "assumptions": null,
        "job": {
            "stages": [
                { "name": "source", "parallelism": 128, "slotSharingGroup": "default" },
                { "name": "window", "parallelism": 128, "slotSharingGroup": "default" },
            ],
            "exchanges": [{ "from": 0, "to": 1, "pattern": "hash", "type": "PIPELINED_BOUNDED" }],
            "tasks": [],
            "requests": [],
            "tieredExclusiveBuffers": null,
        },
    } })
}

#[test]
fn plots_are_the_golden_ones() {
    for (name, of, theme, width) in [
        ("ttl_light", ttl(), "light", 900),
        ("ttl_340_dark", ttl(), "dark", 340),
        ("slots_light", slots(), "light", 900),
        ("slots_340_dark", slots(), "dark", 340),
    ] {
        let chart = drawn(of, theme, width);
        assert!(!chart.svg.contains("style="), "a strict CSP forbids inline styles");
        let path = format!("{}/tests/golden/charts/{name}.svg", env!("CARGO_MANIFEST_DIR"));
        expect_file![path].assert_eq(&chart.svg);
    }
}

#[test]
fn points_are_read_out_with_exact_values() {
    let chart = drawn(ttl(), "light", 900);
    let label = |id: &str| {
        let region = chart.regions.iter().find(|region| region.id == id).expect("it is read out");
        region.label.replace('\u{202f}', " ")
    };
    // Live from the TTL on: 10 000 000 keys at 0.072 updates each.
    assert_eq!(label("x3600"), "After 1 h: 694 691 live, 694 691 stored, 694 691 without clean-up");
    assert!(label("x86400").starts_with("After 1 d: 694 691 live, "), "{}", label("x86400"));
    assert!(chart.description.contains("without clean-up"));
}

#[test]
fn what_breaks_is_marked() {
    let chart = drawn(slots(), "light", 900);
    assert!(chart.svg.contains("breaks") && chart.svg.contains("configured"));
    assert!(chart.regions.iter().any(|region| region.label.contains("2 slots: task heap 192 MiB")));
}

#[test]
fn refusals_are_those_of_the_panel_or_name_the_width() {
    let mut of = ttl();
    of["ttlGrowth"]["ttlSeconds"] = json!(0);
    for (of, width, field) in [(of, 900, "ttlSeconds"), (ttl(), 20, "width")] {
        let params = json!({ "of": of, "theme": "light", "width": width });
        let params: DrawStateParams = serde_json::from_value(params).expect("the params parse");
        let problem = draw_state(&params).expect_err("it is refused");
        assert_eq!(problem.field.as_deref(), Some(field), "{problem:?}");
    }
}

fn plot(xs: Vec<u64>, values: [Vec<Option<u64>>; 3], quantities: (Quantity, Quantity)) -> Plot {
    let names =
        [("live", Stroke::Solid), ("stored", Stroke::Dashed), ("without it", Stroke::Dotted)];
    let series = names.into_iter().zip(values).map(|((name, stroke), values)| Series {
        name: name.to_owned(),
        tone: Tone::Accent,
        stroke,
        values,
    });
    Plot {
        x_title: "Time",
        x_quantity: quantities.0,
        y_title: "Entries",
        y_quantity: quantities.1,
        readouts: xs.iter().map(|x| format!("at {x}")).collect(),
        marks: vec![Mark { x: xs[xs.len() / 2], text: "named".to_owned(), is_danger: true }],
        xs,
        series: series.collect(),
        description: String::new(),
    }
}

fn quantity() -> impl Strategy<Value = Quantity> {
    prop_oneof![Just(Quantity::Time), Just(Quantity::Count), Just(Quantity::Size)]
}

fn value() -> impl Strategy<Value = Option<u64>> {
    prop_oneof![
        1 => Just(None),
        2 => Just(Some(0)),
        8 => (0_u32..64).prop_map(|shift| Some(u64::MAX >> shift)),
        8 => (0_u64..100_000_000).prop_map(Some),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn layouts_hold_for_all_values(
        steps in proptest::collection::vec(1_u64..5_000_000, 1..80),
        values in proptest::array::uniform3(proptest::collection::vec(value(), 80)),
        x in quantity(),
        y in quantity(),
        width in prop_oneof![WIDTH_MIN..=WIDTH_MAX, WIDTH_MIN..=WIDTH_NESTED],
    ) {
        let xs: Vec<u64> = steps.iter().scan(0, |sum, step| { *sum += step; Some(*sum) }).collect();
        let values = values.map(|line| line[..xs.len()].to_vec());
        let is_empty = values.iter().flatten().all(Option::is_none);
        let plot = plot(xs, values, (x, y));
        let found = lines::layout(&plot, width);
        if is_empty {
            prop_assert_eq!(found, Err(ChartError::NothingToDraw));
        } else {
            let (scene, regions) = found.expect("it is laid out");
            let all = scene.bounds();
            for (i, a) in scene.lines.iter().enumerate() {
                prop_assert!(all.contains(a.rect), "{a:?} leaves the drawing {all:?}");
                for b in &scene.lines[i + 1..] {
                    prop_assert!(!a.rect.overlaps(b.rect), "{a:?} lies over {b:?}");
                }
            }
            let mut end = 0.0;
            for region in &regions {
                prop_assert!(region.x >= end - 1.0 && !region.label.is_empty(), "{region:?}");
                prop_assert!(region.x + region.width <= f64::from(all.x1), "{region:?}");
                end = region.x + region.width;
            }
            prop_assert!(regions.iter().any(|region| region.label == plot.readouts[plot.xs.len() - 1]) || regions.len() > 1);
        }
    }
}
