//! Long runs: against what real Flink recorded, and however they are sliced, stopped and looked at.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used)] // A test that panics has failed, which is what it is for.

use proptest::prelude::*;
use serde_json::{Value, json};
use weir::event_time::generator::{Emission, Generator, WatermarkRule};
use weir::event_time::kept::Held;
use weir::event_time::operator::{
    self as general_operator, Outcome, WindowOperator, WindowParams, WindowStatus,
};
use weir::event_time::params::{EmissionTime, WatermarkParams};
use weir::event_time::run::{OpenWindow, Results, Row, Run, RunParams, Takes, outcome};
use weir::event_time::time::EventTime;
use weir::event_time::trigger::Trigger;
use weir::event_time::window::{Assigner, Window};
use weir::event_time::zone::Transition;

/// A record: time, key, value.
type Record = (i64, u32, i32);
/// A firing: key, start, end, count, sum, the how manieth.
type Fired = (u32, i64, i64, u32, i64, u32);

fn job(assigner: Assigner, lateness: i64, rule: WatermarkRule, every: i64, keys: u32) -> RunParams {
    let allowed_lateness = EventTime::ms(lateness);
    let trigger = Trigger::EventTime;
    let emission = EmissionTime::PerEvent { every };
    RunParams {
        windows: WindowParams { assigner, trigger, allowed_lateness, side_output: true },
        watermarks: WatermarkParams { rule, emission, idle_timeout: None },
        keys,
        source: None,
    }
}

fn push(run: &mut Run, records: &[Record]) {
    let times: Vec<i64> = records.iter().map(|it| it.0).collect();
    let keys: Vec<u32> = records.iter().map(|it| it.1).collect();
    let values: Vec<i32> = records.iter().map(|it| it.2).collect();
    run.push(&times, &keys, &values).expect("the records are in range");
}

fn fired(results: &Results) -> Vec<Fired> {
    let one = |n: usize| {
        let (start, end) = (results.start[n], results.end[n]);
        (results.key[n], start, end, results.count[n], results.sum[n], results.nth[n])
    };
    (0..results.len()).map(one).collect()
}

mod recorded {
    use super::*;

    fn trigger(recorded: &Value) -> Option<Trigger> {
        let number = |name: &str| recorded[name].as_i64();
        Some(match recorded["type"].as_str()? {
            "eventTime" => Trigger::EventTime,
            "count" => Trigger::Count { count: number("n")? },
            "continuous" => Trigger::Continuous { interval: number("interval")? },
            "earlyCount" => Trigger::EarlyCount { count: number("n")? },
            "purging" => Trigger::Purging { of: Box::new(trigger(&recorded["of"])?) },
            _ => return None,
        })
    }

    /// The job of a recorded case, if a run does what it asks.
    fn params(row: &Value, keys: usize) -> Option<RunParams> {
        let params = &row["params"];
        let assigner = &params["assigner"];
        let ms = |name: &str| assigner[name].as_i64();
        let assigner = match assigner["type"].as_str()? {
            "tumbling" => Assigner::Tumbling { size: ms("size")?, offset: ms("offset")? },
            "sliding" => {
                Assigner::Sliding { size: ms("size")?, slide: ms("slide")?, offset: ms("offset")? }
            }
            "session" => Assigner::Session { gap: ms("gap")? },
            "dynSession" => Assigner::DynamicSession,
            "global" => Assigner::Global,
            _ => return None,
        };
        let trigger = trigger(&params["trigger"])?;
        let is_simple = params["watermarks"] == "perEvent";
        // The one case with a lateness of Long.MAX_VALUE is for the general operator.
        let lateness = params["allowedLateness"].as_i64().filter(|_| is_simple)?;
        let out_of_orderness = params["outOfOrderness"].as_i64()?;
        let rule = WatermarkRule::BoundedOutOfOrderness { out_of_orderness };
        let mut job = job(assigner, lateness, rule, params["emitEvery"].as_i64()?, keys as u32);
        job.windows.trigger = trigger;
        Some(job)
    }

    fn recorded(firings: &Value, names: &[&str]) -> Vec<Fired> {
        let fires = firings.as_array().into_iter().flatten().filter(|it| it["t"] == "fire");
        // Firings of one timer have no order in Flink; here they are in order of key and window.
        let mut fires: Vec<&Value> = fires.collect();
        let timer = |it: &&Value| it["timer"].as_i64().unwrap_or(i64::MIN);
        let key = |it: &Value| names.iter().position(|name| it["key"] == **name).unwrap() as u32;
        let place = |it: &Value| (key(it), it["start"].as_i64());
        // The global window has no ends there.
        let bound = |it: &Value, name: &str, none: i64| it[name].as_i64().unwrap_or(none);
        fires.sort_by_key(|it| (timer(it), it["timer"].is_i64().then(|| place(it))));
        let number = |it: &Value, name: &str| it[name].as_i64().unwrap();
        let one = |it: &Value| {
            let (start, end) = (bound(it, "start", i64::MIN), bound(it, "end", i64::MAX));
            let (count, nth) = (number(it, "count") as u32, number(it, "nth") as u32);
            (key(it), start, end, count, number(it, "sum"), nth)
        };
        fires.into_iter().map(one).collect()
    }

    fn recorded_open(open: &Value, names: &[&str]) -> Vec<(u32, i64, i64, u32)> {
        let one = |it: &Value| {
            let key = names.iter().position(|name| it[0] == **name).unwrap() as u32;
            let number = |n: usize, none: i64| it[n].as_i64().unwrap_or(none);
            (key, number(1, i64::MIN), number(2, i64::MAX), number(3, 0) as u32)
        };
        let mut all: Vec<_> = open.as_array().into_iter().flatten().map(one).collect();
        all.sort_unstable();
        all
    }

    fn kind_of(event: &Value) -> u8 {
        let kind = match event["outcome"].as_str().unwrap() {
            "on_time" => outcome::ON_TIME,
            "late" => outcome::LATE,
            "dropped" => outcome::DROPPED,
            "ignored" => outcome::IGNORED,
            other => panic!("{other}"),
        };
        let behind = u8::from(event["behindWm"] == json!(true)) * outcome::BEHIND;
        let partly = u8::from(event["partial"] == json!(true)) * outcome::PARTLY;
        kind | behind | partly
    }

    fn windows_of(row: &Row) -> Value {
        let windows = row.windows.iter().map(|it| {
            let status = match serde_json::to_value(it.status).unwrap().as_str() {
                Some("open") => "ok",
                Some("keptForLateness") => "late",
                _ => "skipped",
            };
            let is_global = (it.start, it.end) == (i64::MIN, i64::MAX);
            if is_global { json!([null, null, status]) } else { json!([it.start, it.end, status]) }
        });
        windows.collect()
    }

    fn check(row: &Value) -> bool {
        let input = row["input"].as_array().unwrap();
        let mut names: Vec<&str> = input.iter().filter_map(|it| it["key"].as_str()).collect();
        names.sort_unstable();
        names.dedup();
        let Some(params) = params(row, names.len()) else { return false };
        let records: Vec<Record> = input
            .iter()
            .map(|it| {
                let key = names.iter().position(|name| it["key"] == **name).unwrap();
                (it["ts"].as_i64().unwrap(), key as u32, it["v"].as_i64().unwrap() as i32)
            })
            .collect();
        let id = row["id"].as_str().unwrap();
        let mut run = Run::new(&params).unwrap();
        push(&mut run, &records);
        let expected = &row["expected"];
        for (at, event) in expected["events"].as_array().unwrap().iter().enumerate() {
            run.advance(1);
            let what = format!("{id} record {at}");
            assert_eq!(run.outcomes(at, at + 1), [kind_of(event)], "{what}");
            let wanted = [recorded(&event["out"], &names), recorded(&event["wmOut"], &names)];
            assert_eq!(fired(&run.take_results()), wanted.concat(), "{what}");
            let open: Vec<_> =
                run.open_windows().iter().map(|it| (it.key, it.start, it.end, it.count)).collect();
            assert_eq!(open, recorded_open(&event["open"], &names), "{what} open");
            let rows = run.rows(at, 1);
            let recorded_windows = event.get("windows").cloned().unwrap_or(json!([]));
            assert_eq!(windows_of(&rows[0]), recorded_windows, "{what} windows");
            let before = event["wmBefore"].as_i64().unwrap_or(i64::MIN);
            assert_eq!(rows[0].watermark_before, before, "{what}");
            assert_eq!(rows[0].watermark_after, event["wmAfter"].as_i64().unwrap_or(i64::MIN));
            let merged = event.get("mergedFrom").cloned().unwrap_or(json!([]));
            if rows[0].merged_from.len() > 1 {
                assert_eq!(serde_json::to_value(&rows[0].merged_from).unwrap(), merged, "{what}");
            }
        }
        run.end_input();
        assert!(run.advance(1).is_done);
        let end = &expected["end"];
        assert_eq!(fired(&run.take_results()), recorded(&end["out"], &names), "{id} end");
        let is_global = params.windows.assigner == Assigner::Global;
        assert!(is_global || run.open_windows().is_empty(), "{id} end");
        true
    }

    #[test]
    fn runs_agree_with_every_recorded_case_they_can_run() {
        let text = include_str!("oracle/event-time/windows.jsonl");
        let rows = text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON"));
        let checked = rows.filter(check).count();
        assert!(checked >= 165, "{checked} cases");
    }
}

mod properties {
    use super::*;

    fn assigners() -> impl Strategy<Value = Assigner> {
        let sizes = (1..40_i64, 1..40_i64, -39..40_i64);
        prop_oneof![
            sizes.clone().prop_map(|(size, _, offset)| {
                Assigner::Tumbling { size, offset: offset % size }
            }),
            sizes.prop_map(|(size, slide, offset)| {
                Assigner::Sliding { size, slide, offset: offset % slide }
            }),
            (1..30_i64).prop_map(|gap| Assigner::Session { gap }),
            others(),
        ]
    }

    /// Those that have an entry for each key and window, whatever the trigger.
    fn others() -> impl Strategy<Value = Assigner> {
        // Around the times of the records the clock goes forward, back, and forward again.
        let zoned = (1..40_i64, -30..30_i64, prop::collection::vec((1..90_i64, -20..20_i64), 0..9))
            .prop_map(|(size, offset, later)| {
                let mut transitions = vec![Transition { from: -250, offset }];
                let mut from = -250;
                for (after, offset) in later {
                    from += after;
                    transitions.push(Transition { from, offset });
                }
                Assigner::Zoned { size, transitions, zone: None }
            });
        prop_oneof![Just(Assigner::DynamicSession), Just(Assigner::Global), zoned]
    }

    fn rules() -> impl Strategy<Value = WatermarkRule> {
        let bound = 0..30_i64;
        prop_oneof![
            bound.clone().prop_map(|out_of_orderness| {
                WatermarkRule::BoundedOutOfOrderness { out_of_orderness }
            }),
            bound.prop_map(|out_of_orderness| WatermarkRule::Sql { out_of_orderness }),
            Just(WatermarkRule::Ascending),
        ]
    }

    /// Every trigger of a long run; half of the time the one with a fast path.
    fn triggers() -> impl Strategy<Value = Trigger> {
        let plain = prop_oneof![
            Just(Trigger::EventTime),
            (1..5_i64).prop_map(|count| Trigger::Count { count }),
            (1..25_i64).prop_map(|interval| Trigger::Continuous { interval }),
            (1..5_i64).prop_map(|count| Trigger::EarlyCount { count }),
        ];
        let purging = |(of, purges): (Trigger, bool)| {
            if purges { Trigger::Purging { of: of.into() } } else { of }
        };
        prop_oneof![Just(Trigger::EventTime), (plain, any::<bool>()).prop_map(purging)]
    }

    /// Keys so few that each has its cell, or so many that tables stay small.
    fn all_params() -> impl Strategy<Value = RunParams> {
        let lateness = prop_oneof![Just(0), 0..60_i64];
        let keys = prop_oneof![Just(1), 2..7_u32, Just(500)];
        (assigners(), triggers(), lateness, rules(), 1..4_i64, keys).prop_map(
            |(assigner, trigger, lateness, rule, every, keys)| {
                let mut job = job(assigner, lateness, rule, every, keys);
                job.windows.trigger = trigger;
                // On a global window it would step through all time at the end of the input.
                let is_global = job.windows.assigner == Assigner::Global;
                if is_global && matches!(job.windows.trigger.inner(), Trigger::Continuous { .. }) {
                    job.windows.trigger = Trigger::EarlyCount { count: 3 };
                }
                job
            },
        )
    }

    /// Records that drift forward with ties, negative times and a jump.
    fn scripts() -> impl Strategy<Value = (RunParams, Vec<Record>)> {
        let record = (-40..40_i64, 0..500_u32, -9..9_i32);
        let shape = (prop::collection::vec(record, 0..150), 0..3_i64, -200..200_i64);
        (all_params(), shape, prop_oneof![Just(0), 0..5000_i64]).prop_map(
            |(params, (records, drift, base), jump)| {
                let half = records.len() / 2;
                let record = |(n, (time, key, value)): (usize, Record)| {
                    let jumped = if n >= half { jump } else { 0 };
                    // A few keys of many, so that windows of a large key space are shared too.
                    let key = (key % 5 * 97).min(params.keys - 1);
                    // The gap of a dynamic session is the value.
                    let is_gap = params.windows.assigner == Assigner::DynamicSession;
                    let value = if is_gap { value.abs() + 1 } else { value };
                    (base + drift * n as i64 + time + jumped, key, value)
                };
                let records = records.into_iter().enumerate().map(record).collect();
                (params, records)
            },
        )
    }

    /// Everything a run tells once it is over.
    fn story(run: &mut Run) -> (Vec<u8>, Vec<OpenWindow>, Value, Vec<Row>) {
        let records = run.progress().records;
        let before = (run.outcomes(0, records), run.open_windows());
        let rows = run.rows(0, records);
        (before.0, before.1, json!(run.progress()), rows)
    }

    /// An open window: key, start, end, records.
    type Open = (u32, i64, i64, u32);

    /// What takes bytes: contents, copies, timers, numbers of triggers, sessions, keys with sessions.
    type Taken = [u64; 6];

    fn taken(operator: &WindowOperator) -> Taken {
        let mut held = Held::default();
        operator.held_now(&mut held);
        let sessions: u64 = held.sessions.iter().map(|(sessions, keys)| sessions * keys).sum();
        [
            operator.state_entries() as u64,
            operator.elements() as u64,
            held.timers,
            held.triggers,
            sessions,
            held.sessions.values().sum(),
        ]
    }

    /// The general operator over the same records: outcomes, firings in order, what is open.
    fn general(params: &RunParams, records: &[Record]) -> (Vec<u8>, Vec<Fired>, Vec<Open>, Taken) {
        let mut operator = WindowOperator::new(params.windows.clone()).unwrap();
        let mut generator = Generator::new(params.watermarks.rule, None);
        let EmissionTime::PerEvent { every } = params.watermarks.emission else { panic!() };
        let (mut outcomes, mut firings) = (Vec::new(), Vec::new());
        for (at, (time, key, value)) in records.iter().copied().enumerate() {
            let seq = at as u32;
            let behind = time <= operator.watermark().get();
            let record = general_operator::Record { seq, key, time, value: value.into() };
            let processed = operator.process_element(record).unwrap();
            let kind = match processed.outcome {
                Outcome::OnTime => outcome::ON_TIME,
                Outcome::Late => outcome::LATE,
                Outcome::Dropped => outcome::DROPPED,
                Outcome::Ignored => outcome::IGNORED,
            };
            let expired = |it: &&(Window, WindowStatus)| it.1 == WindowStatus::Expired;
            let skipped = processed.windows.iter().filter(expired).count();
            let is_partly = skipped > 0 && skipped < processed.windows.len();
            let partly = u8::from(is_partly) * outcome::PARTLY;
            let behind = u8::from(behind) * outcome::BEHIND;
            outcomes.push(kind | partly | behind);
            firings.extend(processed.firings);
            generator.on_event(time);
            if (at as i64 + 1) % every == 0
                && let Emission::Watermark(watermark) = generator.on_periodic_emit(0)
                && watermark > operator.watermark()
            {
                firings.extend(operator.process_watermark(watermark));
            }
        }
        let open = operator
            .open()
            .into_iter()
            .map(|(key, window, count)| (key, window.start.get(), window.end.get(), count as u32));
        let (open, taken) = (open.collect(), taken(&operator));
        firings.extend(operator.process_watermark(EventTime::MAX));
        let fired = |it: &general_operator::Firing| {
            let (start, end) = (it.window.start.get(), it.window.end.get());
            (it.key, start, end, it.records.len() as u32, it.sum, it.nth)
        };
        (outcomes, firings.iter().map(fired).collect(), open, taken)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(600))]

        #[test]
        fn it_does_what_the_general_operator_does((params, records) in scripts()) {
            let (outcomes, firings, open, taken) = general(&params, &records);
            let mut run = Run::new(&params).unwrap();
            push(&mut run, &records);
            run.advance(usize::MAX);
            prop_assert_eq!(run.outcomes(0, records.len()), outcomes);
            let counted = |it: &OpenWindow| (it.key, it.start, it.end, it.count);
            let got: Vec<_> = run.open_windows().iter().map(counted).collect();
            prop_assert_eq!(&got, &open);
            run.end_input();
            run.advance(0);
            prop_assert_eq!(fired(&run.take_results()), firings);
            let sample = run.samples().last().copied();
            prop_assert_eq!(sample.map_or(0, |it| it.open.waiting + it.open.held), open.len() as u64);
            let all = sample.map_or_else(Takes::default, |it| it.open.all);
            let Takes { entries, records, timers, triggers, sessions, keys_with_sessions } = all;
            prop_assert_eq!([entries, records, timers, triggers, sessions, keys_with_sessions], taken);
            let windows: std::collections::BTreeSet<_> = open.iter().map(|it| (it.1, it.2)).collect();
            if !params.windows.assigner.merges() {
                prop_assert_eq!(sample.map_or(0, |it| it.open.windows), windows.len() as u64);
            }
        }

        #[test]
        fn slices_change_nothing(
            (params, records) in scripts(),
            cuts in prop::collection::vec((1..9_usize, 0..9_usize), 1..40),
        ) {
            let mut whole = Run::new(&params).unwrap();
            push(&mut whole, &records);
            whole.advance(records.len());
            let story_of_whole = story(&mut whole);
            let mut sliced = Run::new(&params).unwrap();
            let (mut rest, mut results) = (&records[..], Vec::new());
            for (pushed, advanced) in cuts.iter().cycle().take(1000) {
                let (now, later) = rest.split_at((*pushed).min(rest.len()));
                push(&mut sliced, now);
                rest = later;
                sliced.advance(*advanced);
                results.extend(fired(&sliced.take_results()));
            }
            push(&mut sliced, rest);
            sliced.advance(usize::MAX);
            prop_assert_eq!(story(&mut sliced), story_of_whole);
            for run in [&mut whole, &mut sliced] {
                run.end_input();
                run.advance(0);
            }
            results.extend(fired(&sliced.take_results()));
            prop_assert_eq!(results, fired(&whole.take_results()));
            prop_assert_eq!(whole.samples(), sliced.samples());
        }

        #[test]
        fn a_restored_snapshot_goes_on_as_if_nothing_was((params, records) in scripts(), at in 0..150_usize) {
            let at = at.min(records.len());
            let mut run = Run::new(&params).unwrap();
            push(&mut run, &records);
            run.advance(at);
            run.take_results();
            let text = serde_json::to_string(&run.snapshot()).unwrap();
            let snapshot = serde_json::from_str(&text).unwrap();
            run.advance(usize::MAX);
            let mut restored = Run::new(&params).unwrap();
            push(&mut restored, &records);
            restored.restore(snapshot);
            restored.advance(usize::MAX);
            prop_assert_eq!(restored.open_windows(), run.open_windows());
            for run in [&mut run, &mut restored] {
                run.end_input();
                run.advance(0);
            }
            prop_assert_eq!(restored.take_results(), run.take_results());
            prop_assert_eq!(restored.progress(), run.progress());
            let to = records.len();
            prop_assert_eq!(restored.outcomes(at, to), run.outcomes(at, to));
        }

        #[test]
        fn rows_tell_what_happened((params, records) in scripts()) {
            let mut run = Run::new(&params).unwrap();
            push(&mut run, &records);
            let mut watermark = i64::MIN;
            let mut results = Vec::new();
            for at in 0..records.len() {
                run.advance(1);
                let caused = run.take_results();
                let row = &run.rows(at, 1)[0];
                prop_assert_eq!(row.watermark_before, watermark);
                prop_assert!(run.watermark() >= watermark, "watermarks never go back");
                watermark = run.watermark();
                prop_assert_eq!(row.watermark_after, watermark);
                prop_assert_eq!(vec![row.outcome], run.outcomes(at, at + 1));
                prop_assert_eq!(row.results_before as usize, results.len());
                prop_assert_eq!(&row.results, &caused);
                results.extend(fired(&caused));
            }
        }

        /// At the end each record is in as many last firings as windows took it, and no other.
        #[test]
        fn nothing_is_lost_or_counted_twice((params, records) in scripts()) {
            let mut run = Run::new(&params).unwrap();
            push(&mut run, &records);
            run.advance(usize::MAX);
            let rows = run.rows(0, records.len());
            run.end_input();
            run.advance(0);
            let results = fired(&run.take_results());
            // A count leaves what does not make a full one, and purging what fired before.
            let trigger = &params.windows.trigger;
            if trigger.purges() || matches!(trigger, Trigger::Count { .. }) {
                return Ok(());
            }
            let mut last = std::collections::BTreeMap::new();
            for (key, start, end, count, sum, nth) in results {
                let before = last.insert((key, start, end), (count, sum, nth));
                prop_assert_eq!(before.map_or(0, |(.., nth)| nth) + 1, nth);
            }
            if !matches!(rows.first().map(|row| row.windows.len()), Some(1..)) {
                return Ok(());
            }
            let mut taken = std::collections::BTreeMap::<_, (u32, i64)>::new();
            for row in &rows {
                let expired = WindowStatus::Expired;
                for window in row.windows.iter().filter(|window| window.status != expired) {
                    let entry = taken.entry((row.key, window.start, window.end)).or_default();
                    *entry = (entry.0 + 1, entry.1 + i64::from(row.value));
                }
            }
            if row_windows_merge(&rows) {
                return Ok(());
            }
            let last: std::collections::BTreeMap<_, _> =
                last.into_iter().map(|(window, (count, sum, _))| (window, (count, sum))).collect();
            prop_assert_eq!(last, taken);
        }
    }

    /// Whether a record found a session: then windows of rows are what it was at that time.
    fn row_windows_merge(rows: &[Row]) -> bool {
        rows.iter().any(|row| !row.merged_from.is_empty())
    }

    /// Long enough for chunks, samples and snapshots.
    #[test]
    fn long_runs_are_the_same_however_they_are_looked_at() {
        for assigner in [
            Assigner::Tumbling { size: 5000, offset: 0 },
            Assigner::Sliding { size: 6000, slide: 1000, offset: 0 },
            Assigner::Session { gap: 40 },
        ] {
            let rule = WatermarkRule::BoundedOutOfOrderness { out_of_orderness: 200 };
            let params = job(assigner, 300, rule, 1, 400);
            let record = |n: i64| {
                let late = match (n % 97, n % 89) {
                    (0, _) => 700,
                    (_, 0) => 450,
                    _ => (n * 7919) % 250,
                };
                (n / 4 - late, (n * 31 % 400) as u32, (n % 13) as i32 - 6)
            };
            let records: Vec<Record> = (0..300_000).map(record).collect();
            let mut whole = Run::new(&params).unwrap();
            push(&mut whole, &records);
            whole.advance(usize::MAX);
            let mut sliced = Run::new(&params).unwrap();
            push(&mut sliced, &records[..123_456]);
            (0..30).for_each(|_| _ = sliced.advance(5000));
            push(&mut sliced, &records[123_456..]);
            while sliced.progress().records < records.len() {
                sliced.advance(7777);
            }
            assert_eq!(whole.totals(), sliced.totals());
            let totals = whole.totals();
            assert!(totals.late > 0 && totals.dropped + totals.partly > 0);
            assert_eq!(whole.take_results(), sliced.take_results());
            assert_eq!(whole.samples(), sliced.samples());
            assert!(whole.samples().len() >= 3);
            assert_eq!(whole.outcomes(0, 300_000), sliced.outcomes(0, 300_000));
            let rows = whole.rows(270_000, 50);
            assert_eq!(rows, sliced.rows(270_000, 50));
            let outcomes: Vec<u8> = rows.iter().map(|row| row.outcome).collect();
            assert_eq!(outcomes, whole.outcomes(270_000, 270_050));
            assert!(whole.record_bytes() <= 16 * records.len());
        }
    }
}

#[path = "event_time_run/refusals.rs"]
mod refusals;
