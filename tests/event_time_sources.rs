//! Long runs whose source has partitions, subtasks, a clock and idleness, against the job that is run
//! item by item.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used)] // A test that panics has failed, which is what it is for.

use proptest::prelude::*;
use weir::event_time::generator::WatermarkRule;
use weir::event_time::holders::{Moment, PartitionReport, SourceReport, furthest};
use weir::event_time::operator::WindowParams;
use weir::event_time::params::{
    EmissionTime, EventTimeParams, InputItem, SourceParams, WatermarkParams,
};
use weir::event_time::report::{EventTimeReport, RecordOutcome};
use weir::event_time::run::{
    Origin, Results, Row, Run, RunError, RunParams, RunSource, Which, outcome,
};
use weir::event_time::run_event_time;
use weir::event_time::time::EventTime;
use weir::event_time::trigger::Trigger;
use weir::event_time::window::Assigner;
use weir::key_group::KeyType;
use weir::units::FlinkVersion;

const KEYS: u32 = 3;

/// A record: time, key, value, arrival, partition.
type Record = (i64, u32, i32, i64, u8);
/// A firing: watermark, key, start, end, count, sum, the how manieth.
type Fired = (i64, u32, i64, i64, u32, i64, u32);

#[derive(Debug, Clone)]
struct Case {
    run: RunParams,
    records: Vec<Record>,
    ends: bool,
}

impl Case {
    fn source(&self) -> RunSource {
        self.run.source.unwrap()
    }

    fn job(&self) -> EventTimeParams {
        let source = self.source();
        let event = |it: &Record| InputItem::Event {
            id: None,
            key: it.1.to_string(),
            time: EventTime::ms(it.0),
            value: it.2.into(),
            arrival: Some(it.3),
            partition: it.4.into(),
        };
        EventTimeParams {
            version: source.version,
            watermarks: self.run.watermarks.clone(),
            source: SourceParams {
                partitions: source.partitions,
                parallelism: source.parallelism,
                per_partition: source.per_partition,
            },
            windows: self.run.windows.clone(),
            dedup_ttl: None,
            parallelism: 2,
            max_parallelism: None,
            key_type: KeyType::Integer,
            kept: Default::default(),
            input: self.records.iter().map(event).collect(),
            end_of_input: self.ends,
            restore_after: Vec::new(),
            with_open: false,
        }
    }

    /// Pushed in parts of one size and run in slices of another.
    fn run(&self, part: usize, slice: usize) -> (Run, Vec<Results>) {
        let mut run = Run::new(&self.run).unwrap();
        let mut results = Vec::new();
        for records in self.records.chunks(part) {
            let times: Vec<i64> = records.iter().map(|it| it.0).collect();
            let keys: Vec<u32> = records.iter().map(|it| it.1).collect();
            let values: Vec<i32> = records.iter().map(|it| it.2).collect();
            let arrivals: Vec<i64> = records.iter().map(|it| it.3).collect();
            let partitions: Vec<u8> = records.iter().map(|it| it.4).collect();
            let origin = Origin { partitions: &partitions, arrivals: &arrivals };
            run.push_from(&times, &keys, &values, origin).unwrap();
            while run.progress().records < run.progress().pushed {
                run.advance(slice);
                results.push(run.take_results());
            }
        }
        if self.ends {
            run.end_input();
            run.advance(1);
        } else {
            run.let_clock_run();
        }
        results.push(run.take_results());
        (run, results)
    }
}

fn fired(parts: &[Results]) -> Vec<Fired> {
    let of = |it: &Results| -> Vec<Fired> {
        let one = |n: usize| {
            let window = (it.start[n], it.end[n]);
            let (key, watermark) = (it.key[n], it.watermark[n]);
            (watermark, key, window.0, window.1, it.count[n], it.sum[n], it.nth[n])
        };
        (0..it.len()).map(one).collect()
    };
    let mut all: Vec<Fired> = parts.iter().flat_map(of).collect();
    all.sort_unstable();
    all
}

fn expected(report: &EventTimeReport) -> Vec<Fired> {
    let rows = report.rows.iter();
    let firings =
        rows.flat_map(|row| row.record.iter().flat_map(|it| &it.firings).chain(&row.firings));
    let mut all: Vec<Fired> = firings
        .map(|it| {
            let window = (it.start.get(), it.end.get());
            let key = it.key.parse().unwrap();
            (it.watermark.get(), key, window.0, window.1, it.count as u32, it.sum, it.nth)
        })
        .collect();
    all.sort_unstable();
    all
}

/// Outcome of each record, and the watermark that it was judged by.
fn judged(report: &EventTimeReport) -> Vec<(u8, i64)> {
    let records = report.rows.iter().filter_map(|row| Some((row, row.record.as_ref()?)));
    let one = |(row, record): (&weir::event_time::report::Row, &_)| {
        let record: &weir::event_time::report::RecordReport = record;
        let kind = match record.outcome.unwrap() {
            RecordOutcome::OnTime => outcome::ON_TIME,
            RecordOutcome::Late => outcome::LATE,
            RecordOutcome::Dropped => outcome::DROPPED,
            RecordOutcome::Ignored | RecordOutcome::Duplicate => outcome::IGNORED,
        };
        let behind = u8::from(record.behind_watermark) * outcome::BEHIND;
        let partly = u8::from(record.partial) * outcome::PARTLY;
        (kind | behind | partly, row.watermark_before.get())
    };
    records.map(one).collect()
}

fn assigner() -> impl Strategy<Value = Assigner> {
    prop_oneof![
        (1_i64..60).prop_map(|size| Assigner::Tumbling { size, offset: 0 }),
        (1_i64..60, 1_i64..40).prop_map(|(size, slide)| Assigner::Sliding {
            size,
            slide,
            offset: 0
        }),
        (1_i64..30).prop_map(|gap| Assigner::Session { gap }),
    ]
}

fn trigger() -> impl Strategy<Value = Trigger> {
    let plain = prop_oneof![
        Just(Trigger::EventTime),
        (1_i64..5).prop_map(|count| Trigger::Count { count }),
        (1_i64..25).prop_map(|interval| Trigger::Continuous { interval }),
        (1_i64..5).prop_map(|count| Trigger::EarlyCount { count }),
    ];
    let purging = plain.clone().prop_map(|of| Trigger::Purging { of: of.into() });
    prop_oneof![Just(Trigger::EventTime), plain, purging]
}

fn emission() -> impl Strategy<Value = EmissionTime> {
    prop_oneof![
        (1_i64..4).prop_map(|every| EmissionTime::PerEvent { every }),
        (1_i64..50).prop_map(|interval| EmissionTime::Periodic { interval }),
    ]
}

fn case() -> impl Strategy<Value = Case> {
    let source = (1_u32..5, 1_u32..4, any::<bool>(), any::<bool>()).prop_map(
        |(partitions, parallelism, per_partition, is_new)| RunSource {
            version: if is_new { FlinkVersion::V2_2 } else { FlinkVersion::V1_20 },
            partitions,
            parallelism,
            per_partition,
        },
    );
    let times =
        ((assigner(), trigger()), 0_i64..40, 0_i64..30, emission(), prop::option::of(1_i64..80));
    let record = (-30_i64..30, 0..KEYS, -9_i32..9, 0_i64..40, 0_u8..4);
    let ends = (any::<bool>(), any::<bool>());
    (source, times, prop::collection::vec(record, 0..60), ends).prop_map(
        |(
            source,
            ((assigner, trigger), lateness, bound, emission, idle_timeout),
            steps,
            (ends, sql),
        )| {
            // Some partitions fall silent for ever, so that idleness matters.
            let (mut now, mut records) = (0, Vec::new());
            for (at, (behind, key, value, later, partition)) in steps.into_iter().enumerate() {
                now += later;
                let alive = if at < 20 { source.partitions } else { source.partitions.div_ceil(2) };
                let partition = u32::from(partition) % alive;
                records.push((now + behind, key, value, now, partition as u8));
            }
            // The operator of SQL has neither idleness nor a watermark after every n-th record.
            let is_asked_later = matches!(emission, EmissionTime::PerEvent { every } if every > 1);
            let rule = if sql && !is_asked_later && idle_timeout.is_none() {
                WatermarkRule::SqlAssigner { out_of_orderness: bound }
            } else {
                WatermarkRule::BoundedOutOfOrderness { out_of_orderness: bound }
            };
            let windows = WindowParams {
                assigner,
                trigger,
                allowed_lateness: EventTime::ms(lateness),
                side_output: true,
            };
            let watermarks = WatermarkParams { rule, emission, idle_timeout };
            let run = RunParams { windows, watermarks, keys: KEYS, source: Some(source) };
            Case { run, records, ends }
        },
    )
}

/// The watermark after a row; after the last one the clock may go on.
fn watermark_at(case: &Case, run: &Run, row: &Row) -> i64 {
    let is_last = row.record + 1 == case.records.len();
    if is_last && !case.ends { run.watermark() } else { row.watermark_after }
}

/// The dropped and the late records are those of the log, from any place in the list.
fn check_listed(case: &Case, run: &Run, rows: &[Row]) -> Result<(), TestCaseError> {
    for (which, kind) in [(Which::Dropped, outcome::DROPPED), (Which::Late, outcome::LATE)] {
        let wanted: Vec<&Row> =
            rows.iter().filter(|it| it.outcome & outcome::KIND == kind).collect();
        let all = run.listed(which, 0, usize::MAX);
        prop_assert_eq!(all.len(), wanted.len());
        for (got, row) in all.iter().zip(&wanted) {
            let (place, origin) = ((row.record, row.time, row.key), (row.partition, row.arrival));
            prop_assert_eq!((got.record, got.time, got.key), place);
            prop_assert_eq!((got.partition, got.arrival), origin);
            prop_assert_eq!((got.watermark, got.outcome), (row.watermark_before, row.outcome));
            prop_assert_eq!(got.missed_by.is_some(), which == Which::Dropped);
            let last = row.windows.iter().map(|it| it.end).max();
            if let (Some(missed), Some(end)) = (got.missed_by, last) {
                let lateness = case.run.windows.allowed_lateness.get();
                prop_assert_eq!(missed, got.watermark - (end - 1 + lateness) + 1);
                prop_assert!(missed > 0);
            }
        }
        let from = wanted.len() / 2;
        prop_assert_eq!(&run.listed(which, from, 2)[..], &all[from..all.len().min(from + 2)]);
    }
    Ok(())
}

/// Sources, partitions and the next firing, where the input goes on.
fn check_standing(case: &Case, report: &EventTimeReport, run: &Run) -> Result<(), TestCaseError> {
    if case.ends {
        return Ok(());
    }
    let standing = run.standing(usize::MAX);
    prop_assert_eq!(standing.watermark, report.watermark);
    // Rows and records are counted differently; the clock is the same.
    let clock = |it: Option<Moment>| it.map(|it| it.at);
    for (got, wanted) in standing.sources.iter().zip(&report.sources) {
        prop_assert_eq!(clock(got.since), clock(wanted.since));
        let facts = |it: &SourceReport| {
            (it.events, it.watermark, it.idle, it.holds_back, it.partitions.clone())
        };
        prop_assert_eq!(facts(got), facts(wanted));
        for (got, wanted) in got.parts.iter().zip(&wanted.parts) {
            let clocks = |it: &PartitionReport| [it.since, it.highest_at, it.last_at].map(clock);
            prop_assert_eq!(clocks(got), clocks(wanted));
            let facts = |it: &PartitionReport| {
                let flags = (it.has_own, it.idle, it.holds_back);
                (it.partition, it.events, it.highest, it.watermark, flags)
            };
            prop_assert_eq!(facts(got), facts(wanted));
        }
    }
    if case.run.windows.trigger == Trigger::EventTime {
        let open = report.windows.iter().filter(|it| it.closed.is_none());
        let ends: Vec<i64> =
            open.map(|it| it.end.get() - 1).filter(|it| *it > report.watermark.get()).collect();
        prop_assert_eq!(standing.next.map(|it| it.due), ends.iter().min().copied());
        let ahead = furthest(&report.sources).get();
        let passed = ends.iter().filter(|it| **it <= ahead).count();
        prop_assert_eq!(standing.passed, passed as u64);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn a_long_run_says_what_the_exact_job_says(case in case(), part in 1_usize..40, slice in 1_usize..9) {
        let report = run_event_time(&case.job()).unwrap().value;
        let (run, results) = case.run(part, slice);
        let records = case.records.len();
        prop_assert_eq!(fired(&results), expected(&report));
        let outcomes: Vec<u8> = judged(&report).iter().map(|it| it.0).collect();
        prop_assert_eq!(run.outcomes(0, records), outcomes);
        prop_assert_eq!(run.watermark(), report.watermark.get());
        let totals = run.totals();
        prop_assert_eq!(totals.results, report.totals.firings);
        prop_assert_eq!(totals.dropped, report.totals.dropped);

        // Every row again, from the middle too, with what the clock did until the next record.
        let rows = run.rows(0, records);
        let watermarks: Vec<i64> = rows.iter().map(|it| it.watermark_before).collect();
        prop_assert_eq!(&watermarks, &judged(&report).iter().map(|it| it.1).collect::<Vec<_>>());
        for pair in rows.windows(2) {
            prop_assert_eq!(pair[0].watermark_after, pair[1].watermark_before);
            let before = pair[0].results_before + pair[0].results.len() as u32;
            prop_assert_eq!(before, pair[1].results_before);
        }
        prop_assert_eq!(&run.rows(records / 2, records)[..], &rows[records / 2..]);
        check_standing(&case, &report, &run)?;
        check_listed(&case, &run, &rows)?;
        for (at, row) in rows.iter().enumerate() {
            prop_assert_eq!(run.standing(at + 1).watermark.get(), watermark_at(&case, &run, row));
        }
        for (row, record) in rows.iter().zip(&case.records) {
            prop_assert_eq!((row.arrival, row.partition), (Some(record.3), Some(record.4)));
        }
    }

    #[test]
    fn one_generator_asked_after_each_record_needs_no_conductor(case in case()) {
        let mut case = case;
        let source = RunSource { parallelism: 1, per_partition: false, ..case.source() };
        case.run.source = Some(source);
        case.run.watermarks.rule = WatermarkRule::Ascending;
        case.run.watermarks.emission = EmissionTime::PerEvent { every: 2 };
        case.run.watermarks.idle_timeout = None;
        let plain = RunParams { source: None, ..case.run.clone() };
        let (asked, bare) = (case.run(9, 4), Case { run: plain, ..case.clone() }.run(9, 4));
        prop_assert_eq!(asked.1, bare.1);
        prop_assert_eq!(asked.0.snapshot().record(), case.records.len());
    }
}

#[test]
fn a_source_that_needs_an_origin_says_so() {
    let mut case = case_of(EmissionTime::Periodic { interval: 10 }, 1);
    let mut run = Run::new(&case.run).unwrap();
    let told = run.push(&[1], &[0], &[1]);
    assert!(matches!(told, Err(RunError::Origin { what: "The arrival" })), "{told:?}");
    let back = Origin { partitions: &[], arrivals: &[5, 4] };
    let told = run.push_from(&[1, 2], &[0, 0], &[1, 1], back);
    assert!(matches!(told, Err(RunError::Arrival { record: 1 })), "{told:?}");
    case = case_of(EmissionTime::PerEvent { every: 1 }, 2);
    let mut run = Run::new(&case.run).unwrap();
    let told = run.push(&[1], &[0], &[1]);
    assert!(matches!(told, Err(RunError::Origin { what: "The partition" })), "{told:?}");
    let far = Origin { partitions: &[2], arrivals: &[] };
    let told = run.push_from(&[1], &[0], &[1], far);
    assert!(matches!(told, Err(RunError::Record { column: "partition", .. })), "{told:?}");
}

fn case_of(emission: EmissionTime, partitions: u32) -> Case {
    let rule = WatermarkRule::Ascending;
    let windows = WindowParams {
        assigner: Assigner::Tumbling { size: 10, offset: 0 },
        trigger: Trigger::EventTime,
        allowed_lateness: EventTime::ms(0),
        side_output: false,
    };
    let version = FlinkVersion::V1_20;
    let source = RunSource { version, partitions, parallelism: 1, per_partition: true };
    let watermarks = WatermarkParams { rule, emission, idle_timeout: None };
    let run = RunParams { windows, watermarks, keys: 1, source: Some(source) };
    Case { run, records: Vec::new(), ends: false }
}
