//! The questions about event time, in a module of their own: it is fetched when the Event time tool
//! is opened, and built for speed.

use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use super::wire::ask;
use crate::charts::event_time_question;
use crate::event_time;
use crate::key_group;

/// What happens to each record of this small job?
#[wasm_bindgen(js_name = runEventTime, unchecked_return_type = "Answer<EventTimeReport>")]
pub fn run_event_time(
    #[wasm_bindgen(unchecked_param_type = "EventTimeParams")] params: JsValue,
) -> JsValue {
    ask(&params, event_time::run_event_time)
}

/// What differs between two small jobs?
#[wasm_bindgen(js_name = compareEventTime, unchecked_return_type = "Answer<EventTimeComparison>")]
pub fn compare_event_time(
    #[wasm_bindgen(unchecked_param_type = "CompareEventTimeParams")] params: JsValue,
) -> JsValue {
    ask(&params, event_time::compare_event_time)
}

/// What goes downstream at each step of this part of the watermark machinery?
#[wasm_bindgen(js_name = traceWatermarks, unchecked_return_type = "Answer<TraceReport>")]
pub fn trace_watermarks(
    #[wasm_bindgen(unchecked_param_type = "TraceParams")] params: JsValue,
) -> JsValue {
    ask(&params, event_time::trace_watermarks)
}

/// Which windows does each timestamp belong to?
#[wasm_bindgen(js_name = assignWindows, unchecked_return_type = "Answer<Assignment[]>")]
pub fn assign_windows(
    #[wasm_bindgen(unchecked_param_type = "AssignParams")] params: JsValue,
) -> JsValue {
    ask(&params, event_time::assign_windows)
}

/// Which subtask does each key go to?
#[wasm_bindgen(js_name = assignKeyGroups, unchecked_return_type = "Answer<KeyGroupReport>")]
pub fn assign_key_groups(
    #[wasm_bindgen(unchecked_param_type = "KeyGroupParams")] params: JsValue,
) -> JsValue {
    ask(&params, key_group::assign_key_groups)
}

/// Where does this small job stand after a step, and what would a savepoint there hold?
#[wasm_bindgen(js_name = eventTimeAt, unchecked_return_type = "Answer<EventTimeAtReport>")]
pub fn event_time_at(
    #[wasm_bindgen(unchecked_param_type = "EventTimeAtParams")] params: JsValue,
) -> JsValue {
    ask(&params, event_time::event_time_at)
}

/// Draw what happens to each record of this small job.
#[wasm_bindgen(js_name = drawEventTime, unchecked_return_type = "Answer<LanesChart>")]
pub fn draw_event_time(
    #[wasm_bindgen(unchecked_param_type = "DrawEventTimeParams")] params: JsValue,
) -> JsValue {
    ask(&params, event_time_question::draw_event_time)
}

/// Draw what this small job keeps after each step.
#[wasm_bindgen(js_name = drawEventState, unchecked_return_type = "Answer<EventStateCharts>")]
pub fn draw_event_state(
    #[wasm_bindgen(unchecked_param_type = "DrawEventStateParams")] params: JsValue,
) -> JsValue {
    ask(&params, event_time_question::draw_event_state)
}

/// Which input holds the watermark, and what is still needed for the next firing?
#[wasm_bindgen(js_name = whyNoOutput, unchecked_return_type = "Answer<WhyReport>")]
pub fn why_no_output(
    #[wasm_bindgen(unchecked_param_type = "WhyParams")] params: JsValue,
) -> JsValue {
    ask(&params, event_time::why_no_output)
}
