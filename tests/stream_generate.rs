//! Generated streams: what each param does, and that a seed names one stream.
#![cfg(not(target_arch = "wasm32"))]

use proptest::prelude::*;
use weir::finding::Problem;
use weir::stream::generate::params::{
    Bursts, Delay, Duplicates, Keys, Replay, Skew, Spread, Stall, Values,
};
use weir::stream::{Event, Generator, GeneratorParams};

const START: i64 = 1_700_000_000_000;

fn plain() -> GeneratorParams {
    GeneratorParams {
        seed: 1,
        events: 1000,
        start_ms: START,
        rate_per_second: 100.0,
        partitions: 4,
        spread: Spread::RoundRobin,
        keys: Keys { count: 10, zipf_exponent: 0.0 },
        delay: Delay::None,
        delay_cap_ms: 60_000,
        bursts: None,
        stalls: Vec::new(),
        skews: Vec::new(),
        duplicates: None,
        replays: Vec::new(),
        values: Values { min: 0, max: 9 },
    }
}

fn all(params: &GeneratorParams) -> Vec<Event> {
    let mut events = Vec::new();
    let mut generator = Generator::new(params).expect("a sound case");
    while generator.fill(&mut events, 777).expect("a sound case") > 0 {}
    assert_eq!(generator.report().value.events, events.len() as u64);
    assert_eq!(generator.report().value.in_flight, 0);
    events
}

#[test]
fn without_mishaps_records_arrive_as_they_are_created() {
    let events = all(&plain());
    assert_eq!(events.len(), 1000);
    for (at, event) in (0_i64..).zip(&events) {
        assert_eq!((event.time, event.arrival), (START + at * 10, START + at * 10));
        assert_eq!(i64::from(event.partition), at % 4);
        assert!(event.key < 10 && (0..10).contains(&event.value));
    }
    assert!(events.iter().any(|it| it.value == 0) && events.iter().any(|it| it.value == 9));
}

#[test]
fn another_seed_is_another_stream_and_another_law_keeps_the_keys() {
    let delay = Delay::Exponential { mean_ms: 100.0 };
    let one = all(&GeneratorParams { delay, ..plain() });
    let two = all(&GeneratorParams { delay, seed: 2, ..plain() });
    assert_ne!(one, two);
    let by_time = |events: &[Event]| {
        let mut sorted: Vec<_> = events.iter().map(|it| (it.time, it.key, it.value)).collect();
        sorted.sort_unstable();
        sorted
    };
    assert_eq!(by_time(&one), by_time(&all(&plain())));
    assert_ne!(by_time(&one), by_time(&two));
}

#[test]
fn delays_follow_their_law() {
    // Half of the delays are shorter than the median of the law.
    let laws: [(Delay, f64); 4] = [
        (Delay::Uniform { max_ms: 10_000.0 }, 5_000.0),
        (Delay::Exponential { mean_ms: 10_000.0 }, 10_000.0 * 2.0_f64.ln()),
        (Delay::Lognormal { median_ms: 4_000.0, sigma: 0.7 }, 4_000.0),
        (Delay::Pareto { min_ms: 3_000.0, alpha: 1.5 }, 3_000.0 * 2.0_f64.powf(1.0 / 1.5)),
    ];
    for (delay, median) in laws {
        let params = GeneratorParams { delay, events: 40_000, ..plain() };
        let events = all(&params);
        let shorter =
            events.iter().filter(|it| ((it.arrival - it.time) as f64) < median).count() as f64;
        let share = shorter / events.len() as f64;
        assert!((share - 0.5).abs() < 0.01, "{delay:?} {share}");
        assert!(events.iter().all(|it| (0..=60_000).contains(&(it.arrival - it.time))));
    }
}

#[test]
fn delays_above_the_cap_are_cut_and_counted() {
    let delay = Delay::Pareto { min_ms: 100.0, alpha: 0.5 };
    let params = GeneratorParams { delay, delay_cap_ms: 5_000, ..plain() };
    let mut generator = Generator::new(&params).unwrap();
    let mut events = Vec::new();
    generator.fill(&mut events, usize::MAX).unwrap();
    let capped = events.iter().filter(|it| it.arrival - it.time == 5_000).count() as u64;
    let report = generator.report();
    assert!(capped > 50);
    assert_eq!(report.value.capped, capped);
    assert_eq!(report.findings[0].code, "delays_capped");
    assert!(events.iter().all(|it| it.arrival - it.time <= 5_000));
}

#[test]
fn bursts_multiply_the_rate_in_their_time_only() {
    let bursts = Some(Bursts { every_ms: 1000, length_ms: 200, factor: 10.0 });
    let events = all(&GeneratorParams { bursts, ..plain() });
    let count = |from: i64, to: i64| {
        events.iter().filter(|it| (from..to).contains(&(it.time - START))).count()
    };
    assert_eq!([count(0, 1000), count(1000, 1200), count(1200, 2000)], [100, 200, 80]);
    assert_eq!(count(2000, 2200), 200);
}

#[test]
fn a_stalled_partition_catches_up_at_the_end_of_the_stall() {
    let stalls = vec![Stall { partition: 1, from_ms: 2_000, length_ms: 3_000 }];
    let events = all(&GeneratorParams { stalls, ..plain() });
    let (from, to) = (START + 2_000, START + 5_000);
    for event in &events {
        let is_held = event.partition == 1 && (from..to).contains(&event.time);
        assert_eq!(event.arrival, if is_held { to } else { event.time });
    }
    let held: Vec<i64> = events
        .iter()
        .filter(|it| it.arrival == to && it.partition == 1)
        .map(|it| it.time)
        .collect();
    assert_eq!(held.len(), 75);
    assert!(held.is_sorted(), "in order of creation");
}

#[test]
fn a_skewed_clock_moves_event_times_and_no_arrivals() {
    let skews = vec![Skew { partition: 2, skew_ms: -7_000 }];
    for event in all(&GeneratorParams { skews, ..plain() }) {
        let skew = if event.partition == 2 { -7_000 } else { 0 };
        assert_eq!(event.time - event.arrival, skew);
    }
}

#[test]
fn duplicates_come_again_unchanged_and_later() {
    let duplicates = Some(Duplicates { share: 0.25, within_ms: 400 });
    let events = all(&GeneratorParams { duplicates, ..plain() });
    let plain = all(&plain());
    let extra: Vec<&Event> = events.iter().filter(|it| it.arrival != it.time).collect();
    assert!((200..300).contains(&extra.len()), "{}", extra.len());
    assert_eq!(events.len(), plain.len() + extra.len());
    for event in extra {
        assert!((1..=400).contains(&(event.arrival - event.time)));
        assert!(plain.contains(&Event { arrival: event.time, ..*event }));
    }
}

#[test]
fn a_replay_reads_the_last_records_again_at_once() {
    let at = |at_ms, last_ms| Replay { at_ms, last_ms };
    let events = all(&GeneratorParams {
        replays: vec![at(5_000, 2_000), at(8_000, 3_000), at(20_000, 11_000)],
        ..plain()
    });
    let live = all(&plain());
    let window = |from: i64, to: i64| {
        live.iter().filter(move |it| (START + from..START + to).contains(&it.arrival))
    };
    let again = |from: i64, to: i64, at: i64| {
        window(from, to).map(move |it| Event { arrival: START + at, ..*it })
    };
    let want: Vec<Event> = (window(0, 5_000).copied())
        .chain(again(3_000, 5_000, 5_000))
        .chain(window(5_000, 8_000).copied())
        .chain(again(5_000, 8_000, 8_000))
        .chain(window(8_000, 10_000).copied())
        // The third one comes after the last record.
        .chain(again(9_000, 20_000, 20_000))
        .collect();
    assert_eq!(events, want);
}

#[test]
fn keys_can_keep_to_a_partition() {
    let keys = Keys { count: 30, zipf_exponent: 1.0 };
    let events = all(&GeneratorParams { spread: Spread::ByKey, keys, ..plain() });
    assert!(events.iter().all(|it| u32::from(it.partition) == it.key % 4));
}

#[test]
fn more_records_in_flight_than_memory_is_given_to_is_refused() {
    let params = GeneratorParams {
        events: 10_000_000,
        rate_per_second: 1e8,
        delay: Delay::Uniform { max_ms: 3_600_000.0 },
        delay_cap_ms: 3_600_000,
        ..plain()
    };
    let mut generator = Generator::new(&params).unwrap();
    let mut events = Vec::new();
    let refused: Problem = generator.fill(&mut events, usize::MAX).unwrap_err().into();
    assert_eq!(refused.code, "too_much");
    assert!(refused.message.contains("Lower the rate"), "{}", refused.message);
}

#[test]
fn params_out_of_range_name_their_field() {
    type Spoil<'a> = &'a dyn Fn(&mut GeneratorParams);
    let cases: [(&str, Spoil<'_>); 16] = [
        ("events", &|it| it.events = 0),
        ("events", &|it| it.events = 10_000_001),
        ("startMs", &|it| it.start_ms = i64::MIN),
        ("ratePerSecond", &|it| it.rate_per_second = f64::NAN),
        ("partitions", &|it| it.partitions = 0),
        ("keys.count", &|it| it.keys.count = 0),
        ("keys.zipfExponent", &|it| it.keys.zipf_exponent = -1.0),
        ("delayCapMs", &|it| it.delay_cap_ms = -1),
        ("delay.meanMs", &|it| it.delay = Delay::Exponential { mean_ms: f64::INFINITY }),
        ("delay.alpha", &|it| it.delay = Delay::Pareto { min_ms: 1.0, alpha: 0.0 }),
        ("bursts.factor", &|it| {
            it.bursts = Some(Bursts { every_ms: 10, length_ms: 1, factor: 1e9 });
        }),
        ("stalls[0].partition", &|it| {
            it.stalls = vec![Stall { partition: 4, from_ms: 0, length_ms: 1 }];
        }),
        ("skews[0].skewMs", &|it| it.skews = vec![Skew { partition: 0, skew_ms: i64::MAX }]),
        ("duplicates.share", &|it| {
            it.duplicates = Some(Duplicates { share: 1.1, within_ms: 1 });
        }),
        ("replays[1].lastMs", &|it| {
            it.replays =
                vec![Replay { at_ms: 100, last_ms: 50 }, Replay { at_ms: 200, last_ms: 101 }];
        }),
        ("values.max", &|it| it.values = Values { min: 1, max: 0 }),
    ];
    for (field, spoil) in cases {
        let mut params = plain();
        spoil(&mut params);
        let problem: Problem = Generator::new(&params).map(|_| ()).unwrap_err().into();
        assert_eq!(problem.field.as_deref(), Some(field), "{}", problem.message);
    }
}

#[test]
fn params_are_read_from_json_and_unknown_ones_refused() {
    let params = GeneratorParams {
        delay: Delay::Lognormal { median_ms: 20.0, sigma: 1.0 },
        bursts: Some(Bursts { every_ms: 10, length_ms: 1, factor: 2.0 }),
        ..plain()
    };
    let text = serde_json::to_string(&params).unwrap();
    assert!(text.contains(r#""delay":{"kind":"lognormal","medianMs":20.0,"sigma":1.0}"#), "{text}");
    assert_eq!(serde_json::from_str::<GeneratorParams>(&text).unwrap(), params);
    let misspelt = text.replace("delayCapMs", "delayCap");
    assert!(serde_json::from_str::<GeneratorParams>(&misspelt).is_err());
}

fn delay() -> impl Strategy<Value = Delay> {
    prop_oneof![
        Just(Delay::None),
        (0.0..5_000.0).prop_map(|max_ms| Delay::Uniform { max_ms }),
        (0.0..5_000.0).prop_map(|mean_ms| Delay::Exponential { mean_ms }),
        (0.0..5_000.0, 0.0..10.0)
            .prop_map(|(median_ms, sigma)| Delay::Lognormal { median_ms, sigma }),
        (0.0..500.0, 0.05..5.0).prop_map(|(min_ms, alpha)| Delay::Pareto { min_ms, alpha }),
    ]
}

prop_compose! {
    fn params()(
        seed in any::<u32>(),
        events in 1_u64..600,
        rate_per_second in 0.5..5_000.0_f64,
        partitions in 1_u16..5,
        by_key in any::<bool>(),
        exponent in prop_oneof![Just(0.0), 0.0..3.0_f64],
        delay in delay(),
        delay_cap_ms in 0_i64..20_000,
        burst in prop::option::of((1_i64..5_000, 1.0..20.0_f64)),
        stall in prop::option::of((0_i64..5_000, 1_i64..9_000)),
        skew_ms in -3_000_i64..3_000,
        share in prop::option::of(0.0..=1.0_f64),
        replay in prop::option::of((1_i64..9_000, 1_i64..9_000)),
    ) -> GeneratorParams {
        GeneratorParams {
            seed, events, rate_per_second, partitions, delay, delay_cap_ms,
            spread: if by_key { Spread::ByKey } else { Spread::RoundRobin },
            keys: Keys { count: 7, zipf_exponent: exponent },
            bursts: burst.map(|(every_ms, factor)| Bursts { every_ms, length_ms: (every_ms / 3).max(1), factor }),
            stalls: stall.map(|(from_ms, length_ms)| Stall { partition: 0, from_ms, length_ms }).into_iter().collect(),
            skews: vec![Skew { partition: partitions - 1, skew_ms }],
            duplicates: share.map(|share| Duplicates { share, within_ms: 700 }),
            replays: replay.map(|(at_ms, last)| Replay { at_ms, last_ms: last.min(at_ms) }).into_iter().collect(),
            ..plain()
        }
    }
}

proptest! {
    #[test]
    fn any_batches_and_any_clone_give_the_same_stream(
        params in params(),
        batches in prop::collection::vec(1_usize..200, 1..40),
    ) {
        let whole = all(&params);
        let mut generator = Generator::new(&params).unwrap();
        let mut events = Vec::new();
        for max in batches.iter().cycle() {
            let mut twin = generator.clone();
            let (mut one, mut other) = (Vec::new(), Vec::new());
            let count = generator.fill(&mut one, *max).unwrap();
            prop_assert!(count <= *max);
            twin.fill(&mut other, *max).unwrap();
            prop_assert_eq!(&one, &other);
            prop_assert_eq!(twin.report(), generator.report());
            events.extend(one);
            if count == 0 {
                break;
            }
        }
        prop_assert_eq!(&events, &whole);
        prop_assert!(whole.iter().is_sorted_by_key(|it| it.arrival));
        let report = generator.report().value;
        prop_assert_eq!(report.created, params.events);
        prop_assert_eq!(report.events, params.events + report.duplicates + report.replayed);
    }
}
