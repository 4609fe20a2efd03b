//! The questions: one exported function each, at most six lines.

use std::convert::Infallible;

use serde::{Deserialize, Serialize};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use super::wire::{ask, plain};
use crate::charts::memory_question;
use crate::config::{duration, size};
use crate::finding::Problem;
use crate::memory;
use crate::network;
use crate::state::{self, rocksdb, slots};
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

impl From<Infallible> for Problem {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}

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

/// How much memory does RocksDB get, and does the workload fit into it?
#[wasm_bindgen(js_name = rocksdbMemory, unchecked_return_type = "Answer<RocksdbReport>")]
pub fn rocksdb_memory(
    #[wasm_bindgen(unchecked_param_type = "RocksdbParams")] params: JsValue,
) -> JsValue {
    ask(&params, rocksdb::rocksdb_memory)
}

/// How many network buffers does this job need, and are they there?
#[wasm_bindgen(js_name = networkBuffers, unchecked_return_type = "Answer<NetworkReport>")]
pub fn network_buffers(
    #[wasm_bindgen(unchecked_param_type = "NetworkParams")] params: JsValue,
) -> JsValue {
    ask(&params, network::network_buffers)
}

/// How many slots can this TaskManager be divided into?
#[wasm_bindgen(js_name = slotsSweep, unchecked_return_type = "Answer<SlotsReport>")]
pub fn slots_sweep(
    #[wasm_bindgen(unchecked_param_type = "SlotsParams")] params: JsValue,
) -> JsValue {
    ask(&params, slots::slots_sweep)
}

/// How much heap does this state take, and how many keys fit?
#[wasm_bindgen(js_name = heapState, unchecked_return_type = "Answer<HeapReport>")]
pub fn heap_state(#[wasm_bindgen(unchecked_param_type = "HeapParams")] params: JsValue) -> JsValue {
    ask(&params, state::heap_state)
}

/// Which backend for this workload, and at which size does that change?
#[wasm_bindgen(js_name = compareBackends, unchecked_return_type = "Answer<ComparisonReport>")]
pub fn compare_backends(
    #[wasm_bindgen(unchecked_param_type = "CompareParams")] params: JsValue,
) -> JsValue {
    ask(&params, state::compare_backends)
}

/// How does state grow under TTL, and what does each clean-up leave behind?
#[wasm_bindgen(js_name = ttlGrowth, unchecked_return_type = "Answer<TtlReport>")]
pub fn ttl_growth(#[wasm_bindgen(unchecked_param_type = "TtlParams")] params: JsValue) -> JsValue {
    ask(&params, state::ttl_growth)
}
