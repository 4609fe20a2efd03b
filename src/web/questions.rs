//! The questions: one exported function each, at most six lines.

use std::convert::Infallible;

use serde::{Deserialize, Serialize};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use super::wire::{ask, plain};
use crate::charts::memory_question;
use crate::config::{duration, size};
use crate::memory;
use crate::units::FlinkVersion;

/// Which engine this is, and which Flink releases it answers for.
#[derive(Serialize)]
struct About {
    version: &'static str,
    flink: Vec<Release>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Release {
    line: FlinkVersion,
    checked_on: &'static str,
}

/// A question without params takes an empty object.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

/// Which engine is this?
#[wasm_bindgen(js_name = about, unchecked_return_type = "Answer<About>")]
pub fn about(#[wasm_bindgen(unchecked_param_type = "{}")] params: JsValue) -> JsValue {
    ask(&params, |_: &Nothing| {
        let flink = FlinkVersion::ALL.map(|v| Release { line: v, checked_on: v.checked_on() });
        let version = env!("CARGO_PKG_VERSION");
        Ok::<_, Infallible>(plain(About { version, flink: flink.into() }))
    })
}

/// Where do the bytes of this TaskManager go?
#[wasm_bindgen(js_name = deriveTaskManager, unchecked_return_type = "Answer<TaskManagerReport>")]
pub fn derive_task_manager(
    #[wasm_bindgen(unchecked_param_type = "MemoryParams")] params: JsValue,
) -> JsValue {
    ask(&params, memory::derive_task_manager)
}

/// Where do the bytes of this JobManager go?
#[wasm_bindgen(js_name = deriveJobManager, unchecked_return_type = "Answer<JobManagerReport>")]
pub fn derive_job_manager(
    #[wasm_bindgen(unchecked_param_type = "MemoryParams")] params: JsValue,
) -> JsValue {
    ask(&params, memory::derive_job_manager)
}

/// Why does it not start, and what makes it start?
#[wasm_bindgen(js_name = diagnose, unchecked_return_type = "Answer<Diagnosis>")]
pub fn diagnose(
    #[wasm_bindgen(unchecked_param_type = "DiagnoseParams")] params: JsValue,
) -> JsValue {
    ask(&params, |params| Ok::<_, Infallible>(memory::diagnose(params)))
}

/// Draw where the bytes go.
#[wasm_bindgen(js_name = drawMemory, unchecked_return_type = "Answer<Chart>")]
pub fn draw_memory(
    #[wasm_bindgen(unchecked_param_type = "DrawMemoryParams")] params: JsValue,
) -> JsValue {
    ask(&params, memory_question::draw_memory)
}

/// Which fields does the form of a process have?
#[wasm_bindgen(js_name = memoryForm, unchecked_return_type = "Answer<FormField[]>")]
pub fn memory_form(
    #[wasm_bindgen(unchecked_param_type = "FormParams")] params: JsValue,
) -> JsValue {
    ask(&params, |params| Ok::<_, Infallible>(plain(memory::form::form(params))))
}

/// Which size is this text?
#[wasm_bindgen(js_name = parseMemorySize, unchecked_return_type = "Answer<MemorySizeReport>")]
pub fn parse_memory_size(
    #[wasm_bindgen(unchecked_param_type = "MemorySizeParams")] params: JsValue,
) -> JsValue {
    ask(&params, |params| size::report(params).map(plain))
}

/// Which duration is this text?
#[wasm_bindgen(js_name = parseDuration, unchecked_return_type = "Answer<DurationReport>")]
pub fn parse_duration(
    #[wasm_bindgen(unchecked_param_type = "DurationParams")] params: JsValue,
) -> JsValue {
    ask(&params, duration::answer)
}
