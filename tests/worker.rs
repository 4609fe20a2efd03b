//! A drawing has the same bytes natively and in a Worker, where there is no document to measure
//! text in.

const PARAMS: &str = r#"{"role":"taskmanager","version":"1.20","config":{"taskmanager.memory.process.size":"1728m"},"startScript":true,"containerLimit":"1536m","theme":"dark","width":900}"#;

#[cfg(not(target_arch = "wasm32"))]
mod native {
    use weir::charts::memory_question::draw_memory;

    #[test]
    fn the_drawing_is_the_golden_one() {
        let params = serde_json::from_str(super::PARAMS).expect("the params parse");
        let svg = draw_memory(&params).expect("it is drawn").value.svg;
        expect_test::expect_file!["golden/question_dark.svg"].assert_eq(&svg);
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
    fn a_width_without_a_layout_is_an_answer() {
        let params = super::PARAMS.replace("900", "9");
        let answer = questions::draw_memory(JSON::parse(&params).expect("JSON"));
        assert_eq!(get(&answer, "ok").as_bool(), Some(false));
        let field = get(&get(&answer, "error"), "field");
        assert_eq!(field.as_string().as_deref(), Some("width"));
    }
}
