//! A simulation that lives between calls: it is advanced in slices, so that a worker can report
//! progress and be told to stop. Long columns cross to JavaScript as typed arrays.

use js_sys::{Array, Float64Array, Int32Array, Object, Reflect, Uint8Array, Uint32Array};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use super::wire;
use crate::charts::checkpoint_run::{self, DrawRunParams, Kept, Run};
use crate::checkpoint::Simulation;
use crate::checkpoint::measures;
use crate::checkpoint::progress::RunProgress;
use crate::checkpoint::record::TaskSeries;
use crate::checkpoint::scenario::Scenario;
use crate::finding::{Derivation, Problem};

/// A job while it runs.
#[wasm_bindgen]
pub struct CheckpointRun {
    scenario: Scenario,
    simulation: Simulation,
    /// For the drawings; advancing makes it old.
    kept: Kept,
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
            Ok(Self { simulation: Simulation::new(job), scenario, kept: Kept::default() })
        }))
    }

    /// Works through at most so many events more.
    #[wasm_bindgen(unchecked_return_type = "CheckpointProgress")]
    pub fn advance(&mut self, events: u32) -> JsValue {
        self.kept = Kept::default();
        wire::value(&RunProgress::from(self.simulation.advance(events.into())))
    }

    /// What is known so far.
    #[wasm_bindgen(unchecked_return_type = "Answer<CheckpointReport>")]
    pub fn report(&mut self) -> JsValue {
        let Derivation { value, mut findings } = self.simulation.answer();
        findings.extend(self.scenario.not_modelled());
        self.kept = Kept::with(value.clone());
        wire::tell(Ok(Derivation { value, findings }))
    }

    /// Draws a part of what is known so far.
    #[wasm_bindgen(unchecked_return_type = "Answer<Chart>")]
    pub fn draw(
        &self,
        #[wasm_bindgen(unchecked_param_type = "DrawRunParams")] params: JsValue,
    ) -> JsValue {
        self.draw_with(&params, None)
    }

    /// The same over another run, which is pinned as A.
    #[wasm_bindgen(unchecked_return_type = "Answer<Chart>")]
    pub fn overlay(
        &self,
        #[wasm_bindgen(unchecked_param_type = "DrawRunParams")] params: JsValue,
        pinned: &CheckpointRun,
    ) -> JsValue {
        self.draw_with(&params, Some(pinned.run()))
    }

    /// What this run is compared by.
    #[wasm_bindgen(unchecked_return_type = "Answer<Measure[]>")]
    pub fn measures(&self) -> JsValue {
        wire::tell(Ok(wire::plain(measures::measures(self.run().report()))))
    }

    /// The same with the differences to another run.
    #[wasm_bindgen(unchecked_return_type = "Answer<Measure[]>")]
    pub fn compare(&self, against: &CheckpointRun) -> JsValue {
        let differences = measures::differences(against.run().report(), self.run().report());
        wire::tell(Ok(wire::plain(differences)))
    }

    /// The log, a typed array a column.
    #[wasm_bindgen(unchecked_return_type = "CheckpointFacts")]
    pub fn facts(&self) -> JsValue {
        let facts = self.run().facts();
        let names = facts.kinds.iter().map(|it| JsValue::from(*it)).collect::<Array>();
        object(&[
            ("timeMs", Float64Array::from(&facts.time_ms[..]).into()),
            ("kind", Uint8Array::from(&facts.kind[..]).into()),
            ("checkpoint", Uint32Array::from(&facts.checkpoint[..]).into()),
            ("task", Int32Array::from(&facts.task[..]).into()),
            ("channel", Int32Array::from(&facts.channel[..]).into()),
            ("dropped", (facts.dropped as f64).into()),
            ("kinds", names.into()),
            ("channelFrom", Uint32Array::from(&facts.channel_from[..]).into()),
            ("channelTo", Uint32Array::from(&facts.channel_to[..]).into()),
            ("channelEdge", Uint32Array::from(&facts.channel_edge[..]).into()),
            ("longestWait", Uint32Array::from(&facts.longest_wait[..]).into()),
        ])
    }

    /// The samples, a typed array a column.
    #[wasm_bindgen(unchecked_return_type = "CheckpointSeries")]
    pub fn series(&self) -> JsValue {
        let series = self.run().series();
        object(&[
            ("timeMs", column(&series.time_ms)),
            ("running", column(&series.running)),
            ("sourceRecords", column(&series.source_records)),
            ("sinkRecords", column(&series.sink_records)),
            ("latencyMs", optional(&series.latency_ms)),
            ("tasks", series.tasks.iter().map(task_columns).collect::<Array>().into()),
        ])
    }
}

impl CheckpointRun {
    fn run(&self) -> Run<'_> {
        Run { simulation: &self.simulation, kept: &self.kept }
    }

    fn draw_with(&self, params: &JsValue, pinned: Option<Run<'_>>) -> JsValue {
        wire::tell(wire::parse(params).and_then(|params: DrawRunParams| {
            let options = &self.scenario.checkpointing;
            let value = checkpoint_run::draw(self.run(), options, pinned, &params)?;
            Ok(Derivation { value, findings: Vec::new() })
        }))
    }
}

fn task_columns(it: &TaskSeries) -> JsValue {
    object(&[
        ("busy", column(&it.busy)),
        ("backpressured", column(&it.backpressured)),
        ("idle", column(&it.idle)),
        ("recordsIn", column(&it.records_in)),
        ("recordsOut", column(&it.records_out)),
        ("outputBuffers", column(&it.output_buffers)),
        ("outputBytes", column(&it.output_bytes)),
        ("inputBuffers", column(&it.input_buffers)),
        ("inputBytes", column(&it.input_bytes)),
        ("credits", column(&it.credits)),
        ("behindMs", column(&it.behind_ms)),
        ("bufferBytes", column(&it.buffer_bytes)),
    ])
}

/// What is absent is no number.
fn optional(values: &[Option<f64>]) -> JsValue {
    let values: Vec<f64> = values.iter().map(|it| it.unwrap_or(f64::NAN)).collect();
    column(&values)
}

fn column(values: &[f64]) -> JsValue {
    Float64Array::from(values).into()
}

fn object(fields: &[(&str, JsValue)]) -> JsValue {
    let object: JsValue = Object::new().into();
    for (name, value) in fields {
        Reflect::set(&object, &(*name).into(), value).expect("a plain object takes any field");
    }
    object
}
