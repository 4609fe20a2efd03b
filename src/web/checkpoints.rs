//! The questions about checkpoints, in a module of their own: it is fetched when the Checkpoints tool
//! is opened, and built for speed.

use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use super::wire::ask;
use crate::charts::gantt;
use crate::checkpoint;

/// How long does each checkpoint of this job take?
#[wasm_bindgen(js_name = simulateCheckpoints, unchecked_return_type = "Answer<CheckpointReport>")]
pub fn simulate_checkpoints(
    #[wasm_bindgen(unchecked_param_type = "SimulateParams")] params: JsValue,
) -> JsValue {
    ask(&params, checkpoint::simulate_question)
}

/// Draws a checkpoint by subtask.
#[wasm_bindgen(js_name = drawTimeline, unchecked_return_type = "Answer<Chart>")]
pub fn draw_timeline(
    #[wasm_bindgen(unchecked_param_type = "DrawTimelineParams")] params: JsValue,
) -> JsValue {
    ask(&params, gantt::draw_timeline)
}
