//! A simulation that lives between calls: it is advanced in slices, so that a worker can report
//! progress and be told to stop.

use serde::Serialize;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use super::wire;
use crate::charts::checkpoint_run::{self, DrawRunParams};
use crate::checkpoint::Simulation;
use crate::checkpoint::scenario::Scenario;
use crate::finding::{Derivation, Problem};

/// How far a run is.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RunProgress {
    /// Simulated time [ms].
    now_ms: u64,
    /// Events so far.
    events: u64,
    /// Whether the run is over.
    done: bool,
}

/// A job while it runs.
#[wasm_bindgen]
pub struct CheckpointRun {
    scenario: Scenario,
    simulation: Simulation,
}

#[wasm_bindgen]
impl CheckpointRun {
    /// A job at its start; free it when it is no longer needed.
    #[wasm_bindgen(unchecked_return_type = "Answer<CheckpointRun>")]
    pub fn create(
        #[wasm_bindgen(unchecked_param_type = "CheckpointScenario")] params: JsValue,
    ) -> JsValue {
        wire::object(wire::parse(&params).and_then(|scenario: Scenario| {
            let job = scenario.job().map_err(Problem::from)?;
            Ok(Self { simulation: Simulation::new(job), scenario })
        }))
    }

    /// Works through at most so many events more.
    #[wasm_bindgen(unchecked_return_type = "CheckpointProgress")]
    pub fn advance(&mut self, events: u32) -> JsValue {
        let progress = self.simulation.advance(events.into());
        wire::value(&RunProgress {
            now_ms: progress.now.as_ms(),
            events: progress.events,
            done: progress.done,
        })
    }

    /// What is known so far.
    #[wasm_bindgen(unchecked_return_type = "Answer<CheckpointReport>")]
    pub fn report(&self) -> JsValue {
        let findings = Vec::new();
        let _ = &self.scenario;
        wire::tell(Ok(Derivation { value: self.simulation.report(), findings }))
    }

    /// Draws a part of what is known so far.
    #[wasm_bindgen(unchecked_return_type = "Answer<Chart>")]
    pub fn draw(
        &self,
        #[wasm_bindgen(unchecked_param_type = "DrawRunParams")] params: JsValue,
    ) -> JsValue {
        wire::tell(wire::parse(&params).and_then(|params: DrawRunParams| {
            let value = checkpoint_run::draw(&self.simulation.report(), &params)?;
            Ok(Derivation { value, findings: Vec::new() })
        }))
    }
}
