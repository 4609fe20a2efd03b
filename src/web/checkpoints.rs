//! The questions about checkpoints, in a module of their own: it is fetched when the Checkpoints tool
//! is opened, and built for speed.

use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use super::wire::ask;
use crate::charts::gantt;
use crate::checkpoint;
use crate::checkpoint::stepper;

/// Draws a checkpoint by subtask.
#[wasm_bindgen(js_name = drawTimeline, unchecked_return_type = "Answer<Chart>")]
pub fn draw_timeline(
    #[wasm_bindgen(unchecked_param_type = "DrawTimelineParams")] params: JsValue,
) -> JsValue {
    ask(&params, gantt::draw_timeline)
}

/// What do these deliveries come to, and which are possible next?
#[wasm_bindgen(js_name = stepBarriers, unchecked_return_type = "Answer<StepperReport>")]
pub fn step_barriers(
    #[wasm_bindgen(unchecked_param_type = "StepperParams")] params: JsValue,
) -> JsValue {
    ask(&params, stepper::step_question)
}

/// Which promises hold in every order of deliveries?
#[wasm_bindgen(js_name = exploreBarriers, unchecked_return_type = "Answer<ExploreBarriersReport>")]
pub fn explore_barriers(
    #[wasm_bindgen(unchecked_param_type = "ExploreBarriersParams")] params: JsValue,
) -> JsValue {
    ask(&params, stepper::explore_question)
}

/// Which examples are there to step through?
#[wasm_bindgen(js_name = barrierPresets, unchecked_return_type = "Answer<StepperPreset[]>")]
pub fn barrier_presets(
    #[wasm_bindgen(unchecked_param_type = "Record<string, never>")] params: JsValue,
) -> JsValue {
    ask(&params, stepper::presets::presets_question)
}

/// How long does each checkpoint of this scenario take?
#[wasm_bindgen(js_name = simulateScenario, unchecked_return_type = "Answer<CheckpointReport>")]
pub fn simulate_scenario(
    #[wasm_bindgen(unchecked_param_type = "CheckpointScenario")] params: JsValue,
) -> JsValue {
    ask(&params, checkpoint::simulate_scenario)
}

/// Which restart strategies does a version have, and how is a lost TaskManager noticed?
#[wasm_bindgen(js_name = restartOptions, unchecked_return_type = "Answer<RestartOptions>")]
pub fn restart_options(
    #[wasm_bindgen(unchecked_param_type = "RestartOptionsParams")] params: JsValue,
) -> JsValue {
    ask(&params, checkpoint::restart::restart_options)
}

/// Which closed form gives the time of a checkpoint of this scenario, and how is it worked out?
#[wasm_bindgen(js_name = closedForm, unchecked_return_type = "Answer<ClosedFormReport>")]
pub fn closed_form(
    #[wasm_bindgen(unchecked_param_type = "CheckpointScenario")] params: JsValue,
) -> JsValue {
    ask(&params, checkpoint::closed_form)
}

/// Why were these checkpoints slow, or why did they fail, by what Flink's REST API says?
#[wasm_bindgen(js_name = importCheckpoints, unchecked_return_type = "Answer<ImportReport>")]
pub fn import_checkpoints(
    #[wasm_bindgen(unchecked_param_type = "ImportParams")] params: JsValue,
) -> JsValue {
    ask(&params, checkpoint::import::import_checkpoints)
}
