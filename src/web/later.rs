//! The questions about whole texts and described workloads, in the module that is fetched when the
//! first of them is asked.

use std::convert::Infallible;

use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use super::wire::ask;
use crate::charts::state_question;
use crate::config::{export, files};
use crate::memory;
use crate::network;
use crate::panel;
use crate::reading;
use crate::state::{self, rocksdb, slots};

/// What does Flink load from this configuration folder?
#[wasm_bindgen(js_name = readConfig, unchecked_return_type = "Answer<ConfigReport>")]
pub fn read_config(
    #[wasm_bindgen(unchecked_param_type = "ConfigFilesParams")] params: JsValue,
) -> JsValue {
    ask(&params, files::read)
}

/// What is this text from the clipboard?
#[wasm_bindgen(js_name = readPaste, unchecked_return_type = "Answer<PasteReport>")]
pub fn read_paste(
    #[wasm_bindgen(unchecked_param_type = "PasteParams")] params: JsValue,
) -> JsValue {
    ask(&params, reading::read_paste)
}

/// How is this configuration written as a file?
#[wasm_bindgen(js_name = exportConfig, unchecked_return_type = "Answer<ExportReport>")]
pub fn export_config(
    #[wasm_bindgen(unchecked_param_type = "ExportParams")] params: JsValue,
) -> JsValue {
    ask(&params, export::export)
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

/// From which value to which does each knob start?
#[wasm_bindgen(js_name = memoryBoundaries, unchecked_return_type = "Answer<BoundariesReport>")]
pub fn memory_boundaries(
    #[wasm_bindgen(unchecked_param_type = "DiagnoseParams")] params: JsValue,
) -> JsValue {
    ask(&params, |params| Ok::<_, Infallible>(memory::backwards::boundaries(params)))
}

/// What differs between two processes, or from what a text shows?
#[wasm_bindgen(js_name = compareMemory, unchecked_return_type = "Answer<MemoryComparison>")]
pub fn compare_memory(
    #[wasm_bindgen(unchecked_param_type = "CompareMemoryParams")] params: JsValue,
) -> JsValue {
    ask(&params, memory::compare_memory)
}

/// What does a TaskManager inside the program's own JVM get?
#[wasm_bindgen(js_name = localMemory, unchecked_return_type = "Answer<LocalReport>")]
pub fn local_memory(
    #[wasm_bindgen(unchecked_param_type = "LocalParams")] params: JsValue,
) -> JsValue {
    ask(&params, memory::local::local_memory)
}

/// What differs between two answers of a panel?
#[wasm_bindgen(js_name = comparePanels, unchecked_return_type = "Answer<PanelComparison>")]
pub fn compare_panels(
    #[wasm_bindgen(unchecked_param_type = "ComparePanelsParams")] params: JsValue,
) -> JsValue {
    ask(&params, panel::compare_panels)
}

/// Draw what a panel says.
#[wasm_bindgen(js_name = drawState, unchecked_return_type = "Answer<Chart>")]
pub fn draw_state(
    #[wasm_bindgen(unchecked_param_type = "DrawStateParams")] params: JsValue,
) -> JsValue {
    ask(&params, state_question::draw_state)
}
