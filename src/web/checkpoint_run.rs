//! A simulation that lives between calls: it is advanced in slices, so that a worker can report
//! progress and be told to stop. Long columns cross to JavaScript as typed arrays.

use js_sys::{Array, Float64Array, Int32Array, Object, Reflect, Uint8Array, Uint32Array};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use super::wire;
use crate::charts::checkpoint_run::{self, DrawRunParams, Pinned};
use crate::checkpoint::measures;
use crate::checkpoint::progress::RunProgress;
use crate::checkpoint::record::TaskSeries;
use crate::checkpoint::scenario::Scenario;
use crate::checkpoint::{CheckpointReport, Simulation};
use crate::finding::{Derivation, Problem};

/// A job while it runs.
#[wasm_bindgen]
pub struct CheckpointRun {
    scenario: Scenario,
    simulation: Simulation,
    /// Kept for the drawings once it was asked for; advancing makes it old.
    report: Option<CheckpointReport>,
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
            Ok(Self { simulation: Simulation::new(job), scenario, report: None })
        }))
    }

    /// Works through at most so many events more.
    #[wasm_bindgen(unchecked_return_type = "CheckpointProgress")]
    pub fn advance(&mut self, events: u32) -> JsValue {
        self.report = None;
        wire::value(&RunProgress::from(self.simulation.advance(events.into())))
    }

    /// What is known so far.
    #[wasm_bindgen(unchecked_return_type = "Answer<CheckpointReport>")]
    pub fn report(&mut self) -> JsValue {
        let Derivation { value, mut findings } = self.simulation.answer();
        findings.extend(self.scenario.not_modelled());
        self.report = Some(value.clone());
        wire::tell(Ok(Derivation { value, findings }))
    }

    /// Draws a part of what is known so far.
    #[wasm_bindgen(unchecked_return_type = "Answer<Chart>")]
    pub fn draw(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "DrawRunParams")] params: JsValue,
    ) -> JsValue {
        wire::tell(wire::parse(&params).and_then(|params: DrawRunParams| {
            let Self { simulation, report, scenario } = self;
            let report = report.get_or_insert_with(|| simulation.report());
            let options = &scenario.checkpointing;
            let value = checkpoint_run::draw(simulation, report, options, None, &params)?;
            Ok(Derivation { value, findings: Vec::new() })
        }))
    }

    /// The same with another run, pinned as A, in the drawing.
    #[wasm_bindgen(js_name = drawOver, unchecked_return_type = "Answer<Chart>")]
    pub fn draw_over(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "DrawRunParams")] params: JsValue,
        pinned: &mut CheckpointRun,
    ) -> JsValue {
        wire::tell(wire::parse(&params).and_then(|params: DrawRunParams| {
            let Self { simulation, report, scenario } = self;
            let report = report.get_or_insert_with(|| simulation.report());
            pinned.known();
            let CheckpointRun { simulation: a, report: of_a, .. } = pinned;
            let pinned = of_a.as_ref().map(|report| Pinned { simulation: a, report });
            let options = &scenario.checkpointing;
            let value = checkpoint_run::draw(simulation, report, options, pinned, &params)?;
            Ok(Derivation { value, findings: Vec::new() })
        }))
    }

    /// What this run is compared by.
    #[wasm_bindgen(unchecked_return_type = "Answer<Measure[]>")]
    pub fn measures(&mut self) -> JsValue {
        wire::tell(Ok(wire::plain(measures::measures(self.known()))))
    }

    /// The same with the differences to another run.
    #[wasm_bindgen(unchecked_return_type = "Answer<Measure[]>")]
    pub fn compare(&mut self, against: &mut CheckpointRun) -> JsValue {
        wire::tell(Ok(wire::plain(measures::differences(against.known(), self.known()))))
    }

    /// The log, a typed array a column.
    #[wasm_bindgen(unchecked_return_type = "CheckpointFacts")]
    pub fn facts(&self) -> JsValue {
        let facts = self.simulation.facts();
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
        ])
    }

    /// The samples, a typed array a column.
    #[wasm_bindgen(unchecked_return_type = "CheckpointSeries")]
    pub fn series(&self) -> JsValue {
        let series = self.simulation.series();
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
    fn known(&mut self) -> &CheckpointReport {
        self.report.get_or_insert_with(|| self.simulation.report())
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
