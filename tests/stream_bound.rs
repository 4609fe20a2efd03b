//! The choice of a bound against a simulation of Flink's rules, record by record and bound by bound.
#![cfg(not(target_arch = "wasm32"))]

use proptest::prelude::*;
use weir::finding::Problem;
use weir::stream::bound::BoundPoint;
use weir::stream::disorder::{WatermarkPlace, Window};
use weir::stream::generate::params::{Delay, Keys, Skew, Spread, Values};
use weir::stream::{
    BoundParams, BoundReport, Disorder, DisorderParams, Event, Generator, GeneratorParams,
    choose_bound,
};

fn params() -> DisorderParams {
    DisorderParams {
        watermarks: WatermarkPlace::Operator,
        window: None,
        allowed_lateness_ms: 0,
        bound_ms: 0,
    }
}

fn measure(params: &DisorderParams, events: &[Event]) -> Disorder {
    let mut disorder = Disorder::new(params).expect("a sound case");
    disorder.add_all(events);
    disorder
}

fn ask(disorder: &Disorder, bound_ms: Option<i64>) -> BoundReport {
    let params = BoundParams { completeness: vec![0.5, 0.8], bound_ms, top_keys: 100 };
    choose_bound(disorder, &params).expect("a sound case").value
}

fn event(time: i64, key: u32, partition: u16) -> Event {
    Event { time, arrival: 0, key, partition, value: 1, id: 0 }
}

/// All windows that start so that they hold `time`, found by trying every start.
fn windows(window: &Window, time: i64) -> Vec<(i64, i64)> {
    let (size, slide, offset) = match *window {
        Window::Tumbling { size_ms, offset_ms } => (size_ms, size_ms, offset_ms),
        Window::Sliding { size_ms, slide_ms, offset_ms } => (size_ms, slide_ms, offset_ms),
        Window::Session { gap_ms } => return vec![(time, time + gap_ms)],
        Window::Told { .. } => unreachable!("none is drawn here"),
    };
    let starts = time - size + 1..=time;
    starts.filter(|s| (s - offset).rem_euclid(slide) == 0).map(|s| (s, s + size)).collect()
}

/// For each record, whether it is behind the watermark, and whether it is dropped.
fn simulate(params: &DisorderParams, events: &[Event], bound: i64) -> Vec<(bool, bool)> {
    let mut of_split: Vec<Option<i64>> = match params.watermarks {
        WatermarkPlace::Operator | WatermarkPlace::Job { .. } => vec![None],
        WatermarkPlace::Split { splits } => vec![None; usize::from(splits)],
    };
    let mut watermark = i64::MIN;
    let mut outcomes = Vec::new();
    for event in events {
        let lateness = params.allowed_lateness_ms;
        let is_dropped = params.window.is_some_and(|window| {
            let all = windows(&window, event.time);
            all.iter().all(|(_, end)| end - 1 + lateness <= watermark)
                && event.time + lateness <= watermark
        });
        outcomes.push((event.time <= watermark, is_dropped));
        let split = usize::from(event.partition) % of_split.len();
        of_split[split] = of_split[split].max(Some(event.time));
        if let Some(least) = of_split.iter().min().copied().flatten() {
            watermark = watermark.max(least - bound - 1);
        }
    }
    outcomes
}

fn window() -> impl Strategy<Value = Option<Window>> {
    let tumbling = (1_i64..60, -100_i64..100)
        .prop_map(|(size_ms, offset)| Window::Tumbling { size_ms, offset_ms: offset % size_ms });
    let sliding = (1_i64..60, 1_i64..60, -100_i64..100).prop_map(|(size_ms, slide_ms, offset)| {
        Window::Sliding { size_ms, slide_ms, offset_ms: offset % slide_ms }
    });
    let session = (1_i64..60).prop_map(|gap_ms| Window::Session { gap_ms });
    prop::option::of(prop_oneof![tumbling, sliding, session])
}

prop_compose! {
    fn stream()(
        records in prop::collection::vec((-200_i64..200, 0_u32..4, 0_u16..3), 1..80),
        drift in 0_i64..20,
    ) -> Vec<Event> {
        let numbered = (0_i64..).zip(records);
        numbered.map(|(at, (time, key, partition))| event(time + at * drift, key, partition)).collect()
    }
}

proptest! {
    #[test]
    fn every_number_is_that_of_a_simulation(
        events in stream(),
        window in window(),
        allowed_lateness_ms in prop_oneof![Just(0_i64), 0_i64..100],
        by_split in any::<bool>(),
        bound in 0_i64..500,
    ) {
        let watermarks = match by_split {
            true => WatermarkPlace::Split { splits: 3 },
            false => WatermarkPlace::Operator,
        };
        let params = DisorderParams { watermarks, window, allowed_lateness_ms, bound_ms: bound };
        let disorder = measure(&params, &events);
        let report = ask(&disorder, Some(bound));
        let count = |outcomes: &[(bool, bool)], which: fn(&(bool, bool)) -> bool| {
            outcomes.iter().filter(|it| which(it)).count() as u64
        };
        let check = |point: &BoundPoint| {
            let outcomes = simulate(&params, &events, point.bound_ms as i64);
            prop_assert_eq!(point.behind_watermark, count(&outcomes, |it| it.0));
            prop_assert_eq!(point.dropped, window.map(|_| count(&outcomes, |it| it.1)));
            Ok(())
        };
        report.curve.iter().chain(&report.chosen).try_for_each(check)?;
        prop_assert_eq!(report.relative_error, None);
        prop_assert_eq!(report.records, events.len() as u64);

        // No bound below the smallest one will do, and that one does.
        for wanted in &report.wanted {
            let needed = (wanted.completeness * 1e6).round() as u64 * report.records;
            let holds = |bound: i64, which| {
                let late = count(&simulate(&params, &events, bound), which);
                (report.records - late) * 1_000_000 >= needed
            };
            let smallest = |point: BoundPoint, which: fn(&(bool, bool)) -> bool| {
                let bound = point.bound_ms as i64;
                holds(bound, which) && (0..bound).all(|less| !holds(less, which))
            };
            prop_assert!(smallest(wanted.on_time, |it| it.0));
            prop_assert!(wanted.not_dropped.is_none_or(|it| smallest(it, |it| it.1)));
        }

        let outcomes = simulate(&params, &events, bound);
        let late = |is_mine: &dyn Fn(&Event) -> bool| {
            let mine = events.iter().zip(&outcomes).filter(|(it, _)| is_mine(it));
            mine.filter(|(_, outcome)| outcome.0).count() as u64
        };
        for row in &report.partitions {
            prop_assert_eq!(row.behind_watermark, late(&|it| it.partition == row.partition));
        }
        for row in &report.keys {
            prop_assert_eq!(row.behind_watermark.map(u64::from), Some(late(&|it| it.key == row.key)));
            let records = events.iter().filter(|it| it.key == row.key).count() as u32;
            prop_assert_eq!(row.records, records);
        }
        let sum = |of: fn(&weir::stream::bound::PartitionDisorder) -> u64| report.partitions.iter().map(of).sum::<u64>();
        prop_assert_eq!(sum(|it| it.records), report.records);
        prop_assert_eq!(sum(|it| it.out_of_order), report.out_of_order);
    }

    #[test]
    fn a_higher_bound_is_never_worse(events in stream(), window in window()) {
        let report = ask(&measure(&DisorderParams { window, ..params() }, &events), None);
        for pair in report.curve.windows(2) {
            prop_assert!(pair[0].bound_ms < pair[1].bound_ms);
            prop_assert!(pair[0].behind_watermark >= pair[1].behind_watermark);
            prop_assert!(pair[0].dropped >= pair[1].dropped);
            prop_assert!(pair[1].dropped.unwrap_or(0) <= pair[1].behind_watermark);
        }
        prop_assert_eq!(report.curve[0].bound_ms, 0);
        let last = report.curve[report.curve.len() - 1];
        prop_assert_eq!((last.bound_ms, last.behind_watermark), (report.worst_ms, 0));
    }
}

#[test]
fn a_record_exactly_the_bound_behind_is_on_time_and_one_more_is_not() {
    let events = [event(1_000, 0, 0), event(900, 0, 0), event(1_000, 0, 0)];
    let disorder = measure(&params(), &events);
    let late = |bound| ask(&disorder, Some(bound)).chosen.unwrap().behind_watermark;
    assert_eq!([late(0), late(99), late(100), late(101)], [1, 1, 0, 0]);
}

#[test]
fn what_a_bound_costs_follows_from_window_lateness_and_rate() {
    // 1 record each 10 ms over 10 s, so 0.1 for each ms.
    let events: Vec<Event> = (0..=1000).map(|at| event(at * 10, 0, 0)).collect();
    let window = Some(Window::Sliding { size_ms: 600, slide_ms: 200, offset_ms: 0 });
    let disorder =
        measure(&DisorderParams { window, allowed_lateness_ms: 300, ..params() }, &events);
    let report = ask(&disorder, Some(100));
    let point = report.chosen.unwrap();
    assert_eq!((point.latency_ms, point.open_span_ms), (100, Some(1_000)));
    let want = 1001.0 / 10_000.0 * 1_000.0 * 3.0;
    assert!((point.open_records.unwrap() - want).abs() < 1e-9);
    assert!((report.rate_per_second.unwrap() - 100.1).abs() < 1e-9);
    let verdict = "All 1\u{202f}001 records come in order of event time: a bound of 0 s is enough.";
    assert_eq!(report.verdict, verdict);
}

fn generated(skews: Vec<Skew>) -> GeneratorParams {
    GeneratorParams {
        seed: 5,
        events: 20_000,
        start_ms: 0,
        rate_per_second: 1_000.0,
        partitions: 4,
        spread: Spread::RoundRobin,
        keys: Keys { count: 50, zipf_exponent: 1.0 },
        delay: Delay::Exponential { mean_ms: 20.0 },
        delay_cap_ms: 10_000,
        bursts: None,
        stalls: Vec::new(),
        skews,
        duplicates: None,
        replays: Vec::new(),
        values: Values { min: 0, max: 9 },
    }
}

fn codes(skew_ms: i64, watermarks: WatermarkPlace) -> Vec<&'static str> {
    let params = generated(vec![Skew { partition: 2, skew_ms }]);
    let mut events = Vec::new();
    Generator::new(&params)
        .expect("a sound case")
        .fill(&mut events, usize::MAX)
        .expect("a sound case");
    let disorder = measure(&DisorderParams { watermarks, ..self::params() }, &events);
    let ask = BoundParams { completeness: Vec::new(), bound_ms: Some(500), top_keys: 3 };
    choose_bound(&disorder, &ask).expect("a sound case").findings.iter().map(|it| it.code).collect()
}

#[test]
fn a_wrong_clock_shows_as_its_partition() {
    assert!(codes(0, WatermarkPlace::Operator).is_empty());
    assert_eq!(codes(-5_000, WatermarkPlace::Operator), ["one_partition_is_behind"]);
    assert_eq!(codes(5_000, WatermarkPlace::Operator), ["one_partition_is_ahead"]);
    assert!(codes(5_000, WatermarkPlace::Split { splits: 4 }).is_empty());
}

/// The smallest bounds of a stream, by sorting how far all records are behind.
fn check_large(delay: Delay, rate_per_second: f64, is_exact: bool) {
    let mut params = GeneratorParams { rate_per_second, ..generated(Vec::new()) };
    (params.delay, params.delay_cap_ms, params.events) = (delay, 36_000_000, 200_000);
    let mut events = Vec::new();
    Generator::new(&params)
        .and_then(|mut it| it.fill(&mut events, usize::MAX))
        .expect("a stream that fits");
    let report = ask(&measure(&self::params(), &events), None);
    let error = report.relative_error.unwrap_or(0.0);
    assert_eq!(error == 0.0, is_exact);
    let mut greatest = i64::MIN;
    let behind = events.iter().map(|it| {
        greatest = greatest.max(it.time);
        greatest - it.time
    });
    let mut behind: Vec<i64> = behind.collect();
    behind.sort_unstable();
    for wanted in &report.wanted {
        let needed = (behind.len() as f64 * wanted.completeness).round() as usize;
        let (exact, told) = (behind[needed - 1] as f64, wanted.on_time.bound_ms as f64);
        assert!(exact <= told && told <= exact * (1.0 + error), "{exact} {told}");
    }
    assert_eq!(report.worst_ms, behind[behind.len() - 1] as u64);
}

#[test]
fn delays_up_to_17_minutes_are_told_exactly_and_longer_ones_within_the_error() {
    check_large(Delay::Exponential { mean_ms: 60_000.0 }, 1_000.0, true);
    check_large(Delay::Uniform { max_ms: 36_000_000.0 }, 20.0, false);
}

#[test]
fn no_records_and_extreme_times_are_ordinary() {
    let report = ask(&measure(&params(), &[]), Some(10));
    assert_eq!((report.records, report.curve.len(), report.first_time), (0, 1, None));
    assert_eq!(report.verdict, "There are no records yet.");
    let events = [event(i64::MAX, 0, 0), event(i64::MIN, u32::MAX, u16::MAX), event(0, 0, 0)];
    for window in [
        Window::Tumbling { size_ms: 10, offset_ms: -9 },
        Window::Sliding { size_ms: 10, slide_ms: 3, offset_ms: 2 },
        Window::Session { gap_ms: 5 },
    ] {
        let params =
            DisorderParams { window: Some(window), allowed_lateness_ms: i64::MAX, ..params() };
        let report = ask(&measure(&params, &events), Some(0));
        // Long.MIN and Long.MAX add up to -1, which a watermark near Long.MAX has passed; the
        // cleanup time of the other record is Long.MAX, which none passes.
        assert_eq!((report.records, report.chosen.unwrap().dropped), (3, Some(1)));
    }
}

#[test]
fn params_out_of_range_name_their_field() {
    let window = |window| DisorderParams { window: Some(window), ..params() };
    let cases = [
        (DisorderParams { bound_ms: -1, ..params() }, "boundMs"),
        (DisorderParams { allowed_lateness_ms: -1, ..params() }, "allowedLatenessMs"),
        (
            DisorderParams { watermarks: WatermarkPlace::Split { splits: 0 }, ..params() },
            "watermarks.splits",
        ),
        (window(Window::Tumbling { size_ms: 5, offset_ms: 5 }), "window"),
        (window(Window::Tumbling { size_ms: 0, offset_ms: 0 }), "window"),
        (window(Window::Sliding { size_ms: 5, slide_ms: 0, offset_ms: 0 }), "window"),
        (window(Window::Sliding { size_ms: i64::MAX, slide_ms: 1, offset_ms: 0 }), "window.sizeMs"),
        (window(Window::Session { gap_ms: 0 }), "window.gapMs"),
    ];
    for (params, field) in cases {
        let problem: Problem = Disorder::new(&params).map(|_| ()).unwrap_err().into();
        assert_eq!(problem.field.as_deref(), Some(field), "{}", problem.message);
    }
    let disorder = measure(&params(), &[]);
    let ask = BoundParams { completeness: vec![0.5, 1.5], bound_ms: None, top_keys: 0 };
    let problem: Problem = choose_bound(&disorder, &ask).unwrap_err().into();
    assert_eq!(problem.field.as_deref(), Some("completeness[1]"));
}
