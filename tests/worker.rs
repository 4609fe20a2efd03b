//! What is the same natively and in a Worker: the bytes of a drawing, where there is no document to
//! measure text in, and the records of a generated stream, whose logarithms are not the machine's.

const PARAMS: &str = r#"{"role":"taskmanager","version":"1.20","config":{"taskmanager.memory.process.size":"1728m"},"startScript":true,"containerLimit":"1536m","theme":"dark","width":900}"#;

/// A file with a window of a second behind it.
#[cfg(target_arch = "wasm32")]
const WHOLE: &str = r#"{"source":{"kind":"file","reader":{"format":{"kind":"csv","delimiter":"comma","header":true,"columns":null},
    "time":"ts","timeFormat":"epochMillis","key":"who","partition":null}},
    "windows":{"assigner":{"kind":"tumbling","size":1000,"offset":0},"trigger":{"kind":"eventTime"},"allowedLateness":0,"sideOutput":false},
    "watermarks":{"rule":{"kind":"ascending"},"emission":{"kind":"perEvent","every":1},"idleTimeout":null},"endOfInput":true}"#;

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
    fn a_seed_names_one_stream_for_ever() {
        super::streams::check();
    }
}

#[cfg(target_arch = "wasm32")]
mod worker {
    use js_sys::{JSON, Reflect};
    use wasm_bindgen::JsValue;
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

    #[wasm_bindgen_test]
    fn a_width_without_a_layout_is_an_answer() {
        let params = super::PARAMS.replace("900", "9");
        let answer = questions::draw_memory(JSON::parse(&params).expect("JSON"));
        assert_eq!(get(&answer, "ok").as_bool(), Some(false));
        let field = get(&get(&answer, "error"), "field");
        assert_eq!(field.as_string().as_deref(), Some("width"));
    }
}
