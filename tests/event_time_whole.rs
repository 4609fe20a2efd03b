//! A whole stream through the window operator: the pass against what its parts say, a file against
//! its rows, and slices against each other.
#![cfg(not(target_arch = "wasm32"))]

use serde_json::{Value, json};
use weir::charts::theme::Theme;
use weir::charts::{bound_lines, open_lines};
use weir::event_time::params::EmissionTime;
use weir::event_time::run::Which;
use weir::event_time::whole::{RESULTS_KEPT, SideParams, SideText, Whole, WholeError, WholeParams};
use weir::finding::Problem;
use weir::stream::BoundParams;

fn generator(delay: &Value, events: u64) -> Value {
    json!({
        "kind": "generated",
        "generator": {
            "seed": 1, "events": events, "startMs": 0, "ratePerSecond": 1000.0, "partitions": 2,
            "spread": "roundRobin", "keys": { "count": 10, "zipfExponent": 1.0 }, "delay": delay,
            "delayCapMs": 60_000, "bursts": null, "stalls": [], "skews": [], "duplicates": null,
            "replays": [], "values": { "min": 0, "max": 9 },
        },
    })
}

fn file(key: &Value) -> Value {
    let format = json!({ "kind": "csv", "delimiter": "comma", "header": true, "columns": null });
    json!({
        "kind": "file",
        "reader": { "format": format, "time": "ts", "timeFormat": "epochMillis", "key": key, "partition": "part" },
    })
}

fn params(source: &Value, rule: &Value, end: bool) -> WholeParams {
    serde_json::from_value(json!({
        "source": source,
        "windows": {
            "assigner": { "kind": "tumbling", "size": 1000, "offset": 0 },
            "trigger": { "kind": "eventTime" },
            "allowedLateness": 0,
            "sideOutput": false,
        },
        "watermarks": { "rule": rule, "emission": { "kind": "perEvent", "every": 1 }, "idleTimeout": null },
        "endOfInput": end,
    }))
    .expect("the params parse")
}

fn bounded(ms: u64) -> Value {
    json!({ "kind": "boundedOutOfOrderness", "outOfOrderness": ms })
}

fn whole(params: &WholeParams) -> Whole {
    Whole::new(params).expect("it is accepted")
}

fn ran(params: &WholeParams, slice: usize) -> Whole {
    let mut whole = whole(params);
    while !whole.advance(slice).expect("it runs").is_done {}
    whole
}

fn asked(bound_ms: Option<i64>) -> BoundParams {
    BoundParams { completeness: vec![0.5], bound_ms, top_keys: 3 }
}

#[test]
fn what_the_disorder_foretells_is_what_the_operator_drops() {
    let exponential = json!({ "kind": "exponential", "meanMs": 400 });
    let source = generator(&exponential, 50_000);
    let first = ran(&params(&source, &bounded(100), true), 1 << 20);
    assert!(first.report().value.totals.dropped > 0);
    let none = first.report().value.no_drop_bound_ms;
    for bound in [0, 100, 731, none - 1, none] {
        let told = first.bound(&asked(Some(bound as i64))).expect("it is in range");
        let chosen = told.value.report.chosen.expect("it was asked");
        let report = ran(&params(&source, &bounded(bound), true), 1 << 20).report().value;
        assert_eq!(chosen.dropped, Some(report.totals.dropped.into()), "dropped at {bound} ms");
        assert_eq!(
            chosen.behind_watermark,
            u64::from(report.totals.behind),
            "behind at {bound} ms"
        );
        assert_eq!(report.totals.dropped == 0, bound >= none, "{bound} ms");
    }
    let sql = json!({ "kind": "sql", "outOfOrderness": none });
    let sql = ran(&params(&source, &sql, true), 1 << 20).report().value;
    assert_eq!(sql.totals.dropped > 0, sql.no_drop_bound_ms > none, "a millisecond further on");
}

#[test]
fn slices_change_nothing_and_every_record_is_counted_once() {
    let uniform = json!({ "kind": "uniform", "maxMs": 900 });
    let params = params(&generator(&uniform, 30_000), &bounded(200), true);
    let (one, many) = (ran(&params, usize::MAX), ran(&params, 777));
    // How many snapshots are kept beside the records depends on when room is looked for.
    let facts = |whole: &Whole| {
        let mut report = whole.report();
        // 13 bytes a record and snapshots up to 16; partition and arrival besides.
        assert!(report.value.record_bytes <= 20 * 30_000, "{}", report.value.record_bytes);
        report.value.record_bytes = 0;
        report
    };
    assert_eq!(facts(&one), facts(&many));
    assert_eq!(one.results(), many.results());
    let totals = one.report().value.totals;
    let counted: u64 = one.results().count.iter().map(|it| u64::from(*it)).sum();
    assert_eq!(counted + u64::from(totals.dropped), 30_000, "the input has ended, all has fired");
    assert_eq!(one.rows(29_999, 5).len(), 1);
    assert_eq!(one.rows(29_999, 5)[0].row, many.rows(29_999, 5)[0].row);
    let finding = one.report().findings.into_iter().find(|it| it.code == "records_dropped");
    let change = &finding.expect("some are dropped").apply[0];
    assert_eq!(change.option, "watermarks.rule.outOfOrderness");
}

#[test]
fn a_file_is_read_named_and_run() {
    let mut whole = whole(&params(&file(&json!("who")), &bounded(0), true));
    assert_eq!(whole.advance(1), Err(WholeError::Unread));
    let text = "ts,who,part\n1000,ann,p1\n2500,bob,p0\nx,bob,p0\n1200,ann,p1\n9000,bob,p0\n";
    for chunk in text.as_bytes().chunks(7) {
        whole.push(chunk).expect("it is read");
    }
    let read = whole.finish().expect("it ends").value;
    assert_eq!((read.records, read.bad, read.bad_rows[0].line), (4, 1, 4));
    assert!(whole.advance(2).is_ok_and(|it| !it.is_done && it.records == 2 && it.expected == 4));
    assert!(whole.advance(9).is_ok_and(|it| it.is_done));
    assert_eq!(whole.push(b"1"), Err(WholeError::NoFile));
    let report = whole.report();
    assert_eq!(report.value.totals.dropped, 1, "the window of 1200 ended at 2000");
    assert_eq!(report.value.keys, 2);
    assert!(report.findings.iter().any(|it| it.code == "bad_rows"));
    let rows = whole.rows(0, 4);
    let partitions: Vec<_> = rows.iter().map(|it| it.partition_name.as_deref()).collect();
    assert_eq!(partitions, [Some("p1"), Some("p0"), Some("p1"), Some("p0")]);
    assert!(rows.iter().all(|it| it.row.arrival.is_none()), "a file tells no arrivals");
    let names: Vec<String> = whole.rows(0, 4).into_iter().map(|it| it.key_name).collect();
    assert_eq!(names, ["ann", "bob", "ann", "bob"]);
    let bound = whole.bound(&asked(Some(0))).expect("it is in range").value;
    assert_eq!(bound.partition_names, ["p1", "p0"]);
    assert_eq!(bound.key_names, ["ann"], "only one key has a record out of order");
}

#[test]
fn a_refusal_names_the_field_of_these_params() {
    let field = |params: &WholeParams| {
        let error = Whole::new(params).expect_err("it is refused");
        Problem::from(error).field.expect("it names a field")
    };
    let none = json!({ "kind": "none" });
    assert_eq!(field(&params(&generator(&none, 0), &bounded(0), false)), "source.generator.events");
    let mut other = params(&generator(&none, 10), &bounded(0), false);
    other.watermarks.idle_timeout = Some(0);
    assert_eq!(field(&other), "watermarks.idleTimeout");
    let long = params(&generator(&none, 10), &bounded(1 << 50), false);
    let problem = Problem::from(Whole::new(&long).expect_err("it is refused"));
    assert_eq!(problem.field.as_deref(), Some("watermarks.rule.outOfOrderness"));
    assert!(problem.message.starts_with("watermarks.rule.outOfOrderness is 1125899906842624;"));
    let mut clock = params(&file(&Value::Null), &bounded(0), false);
    clock.watermarks.emission = EmissionTime::Periodic { interval: 200 };
    assert_eq!(field(&clock), "watermarks.emission", "a file tells no arrivals");
    let mut missing = whole(&params(&file(&json!("nobody")), &bounded(0), false));
    let error = missing.push(b"ts,who,part\n1,a,b\n").expect_err("there is no such column");
    assert_eq!(Problem::from(error).field.as_deref(), Some("source.reader.key"));
}

#[test]
fn the_drawing_offers_the_bound_that_is_chosen() {
    let pareto = json!({ "kind": "pareto", "minMs": 20, "alpha": 1.2 });
    let whole = ran(&params(&generator(&pareto, 70_000), &bounded(500), false), 1 << 20);
    let report = whole.bound(&asked(Some(500))).expect("it is in range").value.report;
    let chart = bound_lines::draw(&report, Theme::Light, 800).expect("it is drawn");
    let chosen = &chart.stops[chart.chosen.expect("a bound is chosen")];
    assert_eq!((chosen.bound_ms, chosen.text.as_str()), (500, "500 ms"));
    assert!(chart.stops.is_sorted_by(|a, b| a.bound_ms < b.bound_ms && a.x <= b.x));
    assert_eq!(chart.stops.last().map(|it| it.bound_ms), Some(report.worst_ms));
    assert!(chart.chart.svg.contains("bound 500 ms"));
    let label = |id: &str| chart.chart.regions.iter().find(|it| it.id == id).map(|it| &it.label);
    assert!(label("x500").is_some_and(|it| it.starts_with("Bound 500 ms: ")));
    let open = open_lines::draw(
        whole.samples(),
        whole.entries_max(),
        open_lines::Over::Records,
        Theme::Dark,
        400,
    )
    .expect("it is drawn");
    assert!(open.description.contains(" open, "));
    assert!(whole.results().len() <= RESULTS_KEPT);
}

#[test]
fn a_stream_without_records_is_an_answer() {
    let mut whole = whole(&params(&file(&Value::Null), &bounded(0), true));
    whole.finish().expect("it ends");
    assert!(whole.advance(1).is_ok_and(|it| it.is_done && it.records == 0));
    assert_eq!(whole.report().value.verdict, "There are no records.");
    let bound = whole.bound(&asked(None)).expect("it is in range").value.report;
    assert!(bound_lines::draw(&bound, Theme::Light, 800).is_ok());
    assert_eq!(whole.samples().iter().map(|it| it.open.waiting).sum::<u64>(), 0);
}

#[test]
fn a_stream_is_compared_with_the_figures_of_another() {
    let exponential = json!({ "kind": "exponential", "meanMs": 400 });
    let source = generator(&exponential, 20_000);
    let run = |bound| ran(&params(&source, &bounded(bound), true), 1 << 20);
    let (a, b) = (run(100), run(900));
    let compared = b.compare(&a.figures()).value;
    let of = |name: &str| {
        let figure = compared.figures.iter().find(|it| it.name == name).expect("it is told");
        (figure.a, figure.b, figure.difference)
    };
    let dropped = [&a, &b].map(|it| f64::from(it.report().value.totals.dropped));
    assert!(dropped[0] > dropped[1]);
    assert_eq!(of("Dropped"), (dropped[0], dropped[1], dropped[1] - dropped[0]));
    let share = a.report().value.dropped_share;
    assert!((of("Dropped, share").0 - share).abs() < 1e-12 && share > 0.0);
    assert!(of("Records").2.abs() < 0.5);
    assert!(of("Most bytes of heap").2 > 0.0, "a longer bound keeps windows longer");
    assert_ne!(compared.verdict_a, compared.verdict_b);
    // Figures of an engine that told others are left out.
    let mut fewer = a.figures();
    fewer.figures.retain(|it| it.name == "Records");
    assert_eq!(b.compare(&fewer).value.figures.len(), 1);
}

#[test]
fn dropped_records_are_found_again_from_any_snapshot() {
    let heavy = json!({ "kind": "pareto", "minMs": 20.0, "alpha": 1.0 });
    let whole = ran(&params(&generator(&heavy, 200_000), &bounded(3000), true), 1 << 20);
    let dropped = whole.report().value.totals.dropped;
    assert!(dropped > 300, "{dropped}");
    let most = whole.entries_max().expect("watermarks follow every record");
    let open = whole.report().value.open_max;
    // Ten keys, each with four windows of a second under a bound of three.
    assert!(open <= most && most == 40, "{open} of {most}");
    let list = |from, count| whole.side(&SideParams { which: Which::Dropped, from, count });
    let all: Vec<_> = (0..dropped).step_by(1000).flat_map(|from| list(from, 1000)).collect();
    assert_eq!(all.len(), dropped as usize);
    assert!(all.last().expect("some").record.record > 131_072, "beyond two snapshots");
    for at in [0, all.len() / 2, all.len() - 1] {
        let row = &whole.rows(all[at].record.record, 1)[0];
        let facts = (row.row.time, row.row.watermark_before, row.row.arrival, &row.key_name);
        let got = &all[at];
        let told = (got.record.time, got.record.watermark, got.record.arrival, &got.key_name);
        assert_eq!(told, facts);
        assert_eq!(list(at as u32, 1), std::slice::from_ref(got));
    }
    let piece =
        |from| whole.side_csv(&SideParams { which: Which::Dropped, from, count: 100 }).value;
    let (first, second) = (piece(0), piece(100));
    assert_eq!([first.text.lines().count(), second.text.lines().count()], [101, 100]);
    let (record, time) = (all[0].record.record + 1, all[0].record.time);
    let start = format!("{record},{},{time},", all[0].key_name);
    assert!(first.text.lines().nth(1).expect("a record").starts_with(&start), "{}", first.text);
    assert_eq!(piece(dropped), SideText { text: String::new(), records: 0 });
}
