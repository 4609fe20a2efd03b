//! What is the same natively and in a Worker: the bytes of a drawing, where there is no document to
//! measure text in, the records of a generated stream, whose logarithms are not the machine's, and the
//! states of an exploration, whose places are 32 bits wide there.

const PARAMS: &str = r#"{"role":"taskmanager","version":"1.20","config":{"taskmanager.memory.process.size":"1728m"},"startScript":true,"containerLimit":"1536m","theme":"dark","width":900}"#;

/// A file with a window of a second behind it.
#[cfg(target_arch = "wasm32")]
const WHOLE: &str = r#"{"source":{"kind":"file","reader":{"format":{"kind":"csv","delimiter":"comma","header":true,"columns":null},
    "time":"ts","timeFormat":"epochMillis","key":"who","partition":null}},
    "windows":{"assigner":{"kind":"tumbling","size":1000,"offset":0},"trigger":{"kind":"eventTime"},"allowedLateness":0,"sideOutput":false},
    "watermarks":{"rule":{"kind":"ascending"},"emission":{"kind":"perEvent","every":1},"idleTimeout":null},"endOfInput":true}"#;

/// Two sources, of which one blocks for 2 s at the trigger.
#[cfg(target_arch = "wasm32")]
const SCENARIO: &str = r#"{"vertices":[
    {"name":"Source","parallelism":2,"source":{"rate":[500.0],"lagMs":[2000,0]}},
    {"name":"Operator","service":[{"kind":"constant","meanUs":100.0}]}],
    "edges":[{"from":0,"to":1,"exchange":"hash","recordBytes":96}],
    "checkpointing":{"mode":"MODE","firstTriggerMs":1000,"intervalMs":10000},"runMs":5000,"seed":1}"#;

/// The checksums were computed once. They change only if old addresses of the page shall show other
/// streams than they did.
mod streams {
    use weir::stream::{Event, Generator, GeneratorParams};

    const LAWS: [(&str, u64); 5] = [
        (r#"{"kind":"none"}"#, 0xb4fa_46f7_2538_2b7a),
        (r#"{"kind":"uniform","maxMs":500}"#, 0xe173_8524_1d76_0323),
        (r#"{"kind":"exponential","meanMs":500}"#, 0xee26_41dd_5b29_9bfd),
        (r#"{"kind":"lognormal","medianMs":300,"sigma":1.5}"#, 0xa8dc_f5b6_1c46_d589),
        (r#"{"kind":"pareto","minMs":20,"alpha":1.2}"#, 0xc3f2_886c_a661_2688),
    ];
    const PARAMS: &str = r#"{"seed":1,"events":1000,"startMs":1700000000000,"ratePerSecond":100,
        "partitions":4,"spread":"roundRobin","keys":{"count":100,"zipfExponent":1.1},"delay":DELAY,
        "delayCapMs":60000,"bursts":null,"stalls":[],"skews":[],"duplicates":null,"replays":[],
        "values":{"min":0,"max":9}}"#;

    pub fn check() {
        for (delay, want) in LAWS {
            let params: GeneratorParams =
                serde_json::from_str(&PARAMS.replace("DELAY", delay)).expect("the params parse");
            let mut events = Vec::new();
            let filled = Generator::new(&params).and_then(|mut it| it.fill(&mut events, 2000));
            assert_eq!(filled, Ok(1000));
            assert_eq!(fingerprint(&events), want, "{delay}");
        }
    }

    /// FNV-1a over every field, in order.
    fn fingerprint(events: &[Event]) -> u64 {
        events.iter().fold(0xcbf2_9ce4_8422_2325, |sum, it| {
            let (key, partition) = (u64::from(it.key), u64::from(it.partition));
            let fields = [it.time as u64, it.arrival as u64, key, partition, it.value as u64];
            fields.iter().fold(sum, |sum, field| (sum ^ field).wrapping_mul(0x100_0000_01b3))
        })
    }
}

/// Distinct states of small models, and all that are generated for the one that speed is stated for.
/// The tests of the explorer have the same numbers, and so has a second model.
mod explorations {
    use weir::transaction::{Exploration, ExploreParams, TransactionError};

    const CASES: [(&str, u32); 6] = [
        (r#"{"sinks":1,"isSymmetric":false}"#, 1_505),
        (r#"{"sinks":2,"records":1}"#, 6_502),
        (r#"{"sinks":2,"records":1,"isSymmetric":false}"#, 12_672),
        (r#"{"sinks":1,"naming":"pooling","timeouts":1,"isSymmetric":false}"#, 6_173),
        (r#"{"sinks":1,"txnProtocol":"tv2","expiries":1,"isSymmetric":false}"#, 18_388),
        (r#"{"sinks":2,"records":1,"isPartitionShared":true,"isSymmetric":false}"#, 16_328),
    ];

    pub fn check() {
        for (bounds, distinct) in CASES {
            let params: ExploreParams = serde_json::from_str(bounds).expect("the bounds parse");
            let params = ExploreParams { checkpoints: 2, ..params };
            assert_eq!(counts(&params, Exploration::new).0, distinct, "{bounds}");
            assert_eq!(counts(&params, Exploration::depth_first).0, distinct, "{bounds}");
        }
    }

    /// 2 sinks, 3 checkpoints, 1 crash.
    pub fn check_reference() {
        let seen = counts(&ExploreParams::default(), Exploration::new);
        assert_eq!(seen, (1_406_168, 3_691_272));
    }

    fn counts(
        params: &ExploreParams,
        search: impl Fn(&ExploreParams) -> Result<Exploration, TransactionError>,
    ) -> (u32, u64) {
        // One that is no `always`, so that nothing ends the search.
        let params = ExploreParams { stop_at: vec!["commits".to_owned()], ..params.clone() };
        let mut search = search(&params).expect("the bounds are accepted");
        while !search.advance(1 << 16).done {}
        let seen = search.progress();
        assert_eq!(seen.waiting, 0, "{params:?}");
        (seen.distinct, seen.generated)
    }
}

#[cfg(not(target_arch = "wasm32"))]
mod native {
    use weir::charts::memory_question::draw_memory;

    #[test]
    fn the_drawing_is_the_golden_one() {
        let params = serde_json::from_str(super::PARAMS).expect("the params parse");
        let svg = draw_memory(&params).expect("it is drawn").value.svg;
        expect_test::expect_file!["golden/question_dark.svg"].assert_eq(&svg);
    }

    #[test]
    fn explorations_have_as_many_states_in_both_orders() {
        super::explorations::check();
    }

    #[test]
    fn the_reference_model_has_as_many_states() {
        super::explorations::check_reference();
    }

    #[test]
    fn a_seed_names_one_stream_for_ever() {
        super::streams::check();
    }
}

#[cfg(target_arch = "wasm32")]
mod worker {
    use js_sys::{JSON, Reflect};
    use wasm_bindgen::{JsCast, JsValue};
    use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
    use weir::web::questions;

    wasm_bindgen_test_configure!(run_in_dedicated_worker);

    fn get(object: &JsValue, field: &str) -> JsValue {
        Reflect::get(object, &field.into()).expect("an answer is an object")
    }

    #[wasm_bindgen_test]
    fn the_drawing_is_the_golden_one() {
        let answer = questions::draw_memory(JSON::parse(super::PARAMS).expect("JSON"));
        let svg = get(&get(&answer, "value"), "svg").as_string().expect("a text");
        assert!(svg == include_str!("golden/question_dark.svg"), "{svg}");
    }

    #[wasm_bindgen_test]
    fn explorations_have_as_many_states_in_both_orders() {
        super::explorations::check();
    }

    #[wasm_bindgen_test]
    fn the_reference_model_has_as_many_states() {
        super::explorations::check_reference();
    }

    #[wasm_bindgen_test]
    fn a_seed_names_one_stream_on_every_machine() {
        super::streams::check();
    }

    /// What the class of whole streams hands to the page, natively tested in `event_time_whole`.
    #[wasm_bindgen_test]
    fn a_file_is_pushed_run_and_asked() {
        use wasm_bindgen::convert::TryFromJsValue;
        use weir::web::event_stream::EventStream;
        let field = |answer: &JsValue, path: &str| {
            path.split('.').fold(answer.clone(), |it, name| get(&it, name))
        };
        let number = |answer: &JsValue, path: &str| field(answer, path).as_f64();
        let refused = EventStream::create(JSON::parse("{}").expect("JSON"));
        assert_eq!(field(&refused, "ok").as_bool(), Some(false));
        let answer = EventStream::create(JSON::parse(super::WHOLE).expect("JSON"));
        let mut stream =
            EventStream::try_from_js_value(get(&answer, "value")).expect("it is accepted");
        assert_eq!(field(&stream.advance(1), "error.code").as_string().as_deref(), Some("unread"));
        stream.push(b"ts,who\n1000,ann\n25");
        stream.push(b"00,bob\nx,bob\n1200,ann\n9000,bob\n");
        assert_eq!(number(&stream.finish(), "value.bad"), Some(1.0));
        assert_eq!(field(&stream.advance(99), "value.isDone").as_bool(), Some(true));
        assert_eq!(number(&stream.report(), "value.totals.dropped"), Some(1.0));
        let asked = r#"{"completeness":[],"boundMs":1500,"topKeys":5}"#;
        let bound = stream.bound(JSON::parse(asked).expect("JSON"));
        assert_eq!(number(&bound, "value.chosen.dropped"), Some(0.0));
        let drawn = stream
            .curve(JSON::parse(r#"{"boundMs":1500,"theme":"dark","width":600}"#).expect("JSON"));
        assert!(number(&drawn, "value.stops.length") > Some(100.0));
        let row = get(&stream.rows(2, 1), "0");
        assert_eq!(field(&row, "keyName").as_string().as_deref(), Some("ann"));
        assert_eq!(number(&row, "watermarkBefore"), Some(2499.0));
        assert_eq!(number(&stream.results(), "key.length"), Some(3.0));
        assert_eq!(field(&stream.names(&[1]), "0").as_string().as_deref(), Some("bob"));
    }

    /// A run of checkpoints in slices, and what it hands to the page.
    #[wasm_bindgen_test]
    fn a_run_of_checkpoints_is_sliced_asked_and_compared() {
        use wasm_bindgen::convert::TryFromJsValue;
        use weir::web::checkpoint_run::CheckpointRun;
        let field = |answer: &JsValue, path: &str| {
            path.split('.').fold(answer.clone(), |it, name| get(&it, name))
        };
        let number = |answer: &JsValue, path: &str| field(answer, path).as_f64();
        let text = |answer: &JsValue, path: &str| field(answer, path).as_string();
        let refused = CheckpointRun::create(JSON::parse(r#"{"vertices":[]}"#).expect("JSON"));
        assert_eq!(field(&refused, "ok").as_bool(), Some(false));
        let run = |mode: &str| {
            let params = super::SCENARIO.replace("MODE", mode);
            let answer = CheckpointRun::create(JSON::parse(&params).expect("JSON"));
            let mut run =
                CheckpointRun::try_from_js_value(get(&answer, "value")).expect("it is accepted");
            let mut slices = 0;
            while field(&run.advance(10), "done").as_bool() == Some(false) {
                slices += 1;
            }
            assert!(slices > 3, "{slices}");
            run
        };
        let (mut aligned, unaligned) = (run("aligned"), run("unaligned"));
        let report = aligned.report();
        assert_eq!(text(&report, "value.checkpoints.0.status").as_deref(), Some("COMPLETED"));
        let length = number(&report, "value.checkpoints.0.endToEndMs");
        assert!(length > Some(1900.0), "{length:?}");
        let facts = aligned.facts();
        assert!(get(&facts, "timeMs").is_instance_of::<js_sys::Float64Array>());
        assert_eq!(number(&facts, "timeMs.length"), number(&facts, "channel.length"));
        assert!(number(&aligned.series(), "tasks.0.busy.length") > Some(10.0));
        let drawn = aligned.draw(
            JSON::parse(r#"{"what":{"kind":"checkpoint","id":1},"theme":"dark","width":600}"#)
                .expect("JSON"),
        );
        assert!(text(&drawn, "value.svg").is_some_and(|svg| svg.starts_with("<svg")));
        let none = aligned.draw(
            JSON::parse(r#"{"what":{"kind":"checkpoint","id":9},"theme":"dark","width":600}"#)
                .expect("JSON"),
        );
        assert_eq!(text(&none, "error.code").as_deref(), Some("chart.nothingToDraw"));
        let compared = unaligned.compare(&aligned);
        assert_eq!(text(&compared, "value.0.id").as_deref(), Some("endToEnd"));
        assert!(number(&compared, "value.0.difference").is_some());
        let over = unaligned.overlay(
            JSON::parse(r#"{"what":{"kind":"queues"},"theme":"dark","width":600}"#).expect("JSON"),
            &aligned,
        );
        assert!(text(&over, "value.svg").is_some_and(|svg| svg.contains("A: ")));
        assert!(field(&unaligned.measures(), "value.0.difference").is_null());
    }

    #[wasm_bindgen_test]
    fn a_width_without_a_layout_is_an_answer() {
        let params = super::PARAMS.replace("900", "9");
        let answer = questions::draw_memory(JSON::parse(&params).expect("JSON"));
        assert_eq!(get(&answer, "ok").as_bool(), Some(false));
        let field = get(&get(&answer, "error"), "field");
        assert_eq!(field.as_string().as_deref(), Some("width"));
    }
}
