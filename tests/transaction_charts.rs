//! The pictures of the Exactly-once tool as SVG goldens, and what holds for every layout.
#![cfg(not(target_arch = "wasm32"))]

use expect_test::expect_file;
use serde_json::{Value, json};
use weir::charts::memory_bar::{WIDTH_MAX, WIDTH_MIN};
use weir::charts::timeout_question::{DrawTimeoutsParams, draw_timeouts};
use weir::charts::transactions_question::{
    DrawTransactionsParams, DrawWayParams, draw_transactions, draw_way,
};
use weir::charts::{swim_lane, timeout_ruler};
use weir::finding::Problem;
use weir::transaction::params::SinkKind;
use weir::transaction::timeouts::{TimeoutParams, transaction_timeouts};
use weir::transaction::{Exploration, ExploreParams, play_transactions};

fn times(changes: &Value) -> Value {
    let job: Value =
        serde_json::from_str(include_str!("golden/transactions/sound.json")).expect("it is JSON");
    let mut times = job["times"].clone();
    for (key, value) in changes.as_object().expect("an object") {
        times[key] = value.clone();
    }
    times
}

/// A sound job, Flink's preset, an empty range, impatient readers, a tiny timeout.
fn cases() -> Vec<Value> {
    vec![
        times(&json!({})),
        times(&json!({ "timeoutMs": null, "brokerMaxMs": null, "patienceMs": null })),
        times(&json!({ "intervalMs": 1_800_000 })),
        times(&json!({ "patienceMs": 400_000 })),
        times(&json!({ "timeoutMs": 1 })),
        times(&json!({ "timeoutMs": 0, "patienceMs": 5_000 })),
    ]
}

#[test]
fn the_ruler_is_the_golden_one() {
    for (name, case, theme, width) in [
        ("timeout_ruler_light", 0, "light", 900),
        ("timeout_ruler_340_dark", 3, "dark", 340),
        ("timeout_ruler_empty", 2, "light", 700),
    ] {
        let params = json!({ "times": cases()[case], "theme": theme, "width": width });
        let params: DrawTimeoutsParams = serde_json::from_value(params).expect("they parse");
        let chart = draw_timeouts(&params).expect("it is drawn").value;
        expect_file![format!("golden/charts/{name}.svg")].assert_eq(&chart.svg);
    }
}

#[test]
fn everything_on_the_ruler_lies_in_the_picture_and_no_text_on_another() {
    for case in cases() {
        let params: TimeoutParams = serde_json::from_value(case.clone()).expect("they parse");
        let report = transaction_timeouts(&params).expect("it is worked out").value;
        for width in [WIDTH_MIN, 340, 700, 1200, WIDTH_MAX] {
            let (scene, regions) = timeout_ruler::layout(&report, width).expect("it is laid out");
            for (at, line) in scene.lines.iter().enumerate() {
                assert!(scene.bounds().contains(line.rect), "{} in {case} at {width}", line.text);
                for other in &scene.lines[at + 1..] {
                    let texts = (&line.text, &other.text);
                    assert!(!line.rect.overlaps(other.rect), "{texts:?} in {case} at {width}");
                }
            }
            // The zones follow each other without a gap, up to the end.
            let zones: Vec<_> = regions.iter().filter(|it| it.id.starts_with("zone")).collect();
            assert!(zones.windows(2).all(|it| (it[0].x + it[0].width - it[1].x).abs() <= 1.0));
            assert!(regions.iter().any(|it| it.id == "present"));
        }
        assert!(timeout_ruler::layout(&report, WIDTH_MAX + 1).is_err());
    }
}

/// A crash between completion and commit, and a restore after the timeout.
fn outage() -> Value {
    let crash = json!({ "ev": "crash", "at": "after_complete", "checkpoint": 3 });
    let restore = json!({ "ev": "restore", "afterMs": 1_200_000, "from": 3 });
    json!({ "settings": { "parallelism": 2 }, "faults": [crash, restore] })
}

#[test]
fn the_swim_lane_is_the_golden_one() {
    for (name, upto, theme, width) in [
        ("swim_lane_light", Some(60), "light", 900),
        ("swim_lane_end", None, "light", 700),
        ("swim_lane_340_dark", Some(60), "dark", 340),
    ] {
        let params = json!({ "play": outage(), "upto": upto, "theme": theme, "width": width });
        let params: DrawTransactionsParams = serde_json::from_value(params).expect("they parse");
        let chart = draw_transactions(&params).expect("it is drawn").value;
        expect_file![format!("golden/charts/{name}.svg")].assert_eq(&chart.svg);
    }
}

/// The shortest way that loses a record with a timeout, as a search finds it.
fn way(sink: &str) -> Value {
    let search = json!({ "sinks": 1, "records": 2, "checkpoints": 2, "crashes": 1,
        "timeouts": u8::from(sink == "kafka_sink"), "sink": sink, "isSymmetric": false });
    let params: ExploreParams = serde_json::from_value(search.clone()).expect("they parse");
    let mut found = Exploration::new(&params).expect("it is accepted");
    while !found.advance(1 << 20).done {}
    let name = if sink == "kafka_sink" { "nothingLost" } else { "crashSurvived" };
    let report = found.report();
    let property = report.properties.iter().find(|it| it.name == name).expect("it is judged");
    let steps = property.steps.as_ref().expect("it is decided");
    let choices: Vec<u32> = steps.iter().map(|it| it.choice).collect();
    json!({ "search": search, "choices": choices, "prefix": "app", "breaks": sink == "kafka_sink" })
}

#[test]
fn a_way_is_the_golden_one() {
    for (name, sink, upto, theme, width) in [
        ("way_light", "kafka_sink", None, "light", 900),
        ("way_340_dark", "kafka_sink", Some(5), "dark", 340),
        ("way_file_light", "file", None, "light", 900),
        ("way_table_light", "table", Some(6), "light", 700),
    ] {
        let params = json!({ "way": way(sink), "upto": upto, "theme": theme, "width": width });
        let params: DrawWayParams = serde_json::from_value(params).expect("they parse");
        let chart = draw_way(&params).expect("it is drawn").value;
        expect_file![format!("golden/charts/{name}.svg")].assert_eq(&chart.svg);
    }
}

#[test]
fn a_way_of_another_search_is_refused_by_its_field() {
    let mut way = way("kafka_sink");
    way["choices"] = json!([0, 77]);
    let params = json!({ "way": way, "upto": 1, "theme": "light", "width": 900 });
    let params: DrawWayParams = serde_json::from_value(params).expect("they parse");
    let problem = Problem::from(draw_way(&params).expect_err("it is refused"));
    assert_eq!(
        (problem.field.as_deref(), problem.code.as_str()),
        (Some("way.choices"), "noSuchStep")
    );
}

#[test]
fn everything_in_the_lanes_lies_in_the_picture_at_every_step() {
    let play = serde_json::from_value(outage()).expect("it parses");
    let report = play_transactions(&play).expect("it is played").value;
    let run = swim_lane::Run::of(&report, SinkKind::KafkaSink);
    for width in [WIDTH_MIN, 390, 900, WIDTH_MAX] {
        for upto in 0..report.trace.len() {
            let (scene, regions) = swim_lane::layout(&run, Some(upto), width).expect("laid out");
            for line in &scene.lines {
                assert!(scene.bounds().contains(line.rect), "{} at {width}, {upto}", line.text);
            }
            let current = format!("step{upto}");
            assert!(regions.iter().any(|it| it.id == current), "{current} at {width}");
        }
        assert!(swim_lane::layout(&run, None, width).is_ok());
    }
    assert!(swim_lane::layout(&run, None, WIDTH_MIN - 1).is_err());
}
