//! The hand-written TypeScript declarations against what the engine really serialises.
#![cfg(not(target_arch = "wasm32"))]

mod shapes;
#[path = "contract/state.rs"]
mod state;
#[path = "contract/what_if.rs"]
mod what_if;

use serde_json::{Value, json};
use shapes::check;
use weir::charts::checkpoint_run::{DrawRunParams, Kept, Run, draw as draw_run};
use weir::charts::memory_question::{DrawMemoryParams, draw_memory};
use weir::charts::theme::Theme;
use weir::config::size::{MemorySizeParams, report};
use weir::finding::Problem;
use weir::memory::form::{FormParams, form};
use weir::memory::{
    DiagnoseParams, MemoryParams, Role, derive_job_manager, derive_task_manager, diagnose,
};
use weir::units::FlinkVersion;

fn stock(role: Role) -> MemoryParams {
    let mut params = MemoryParams::new(FlinkVersion::V1_20);
    match role {
        Role::TaskManager => params.set("taskmanager.memory.process.size", "1728m"),
        Role::JobManager => params.set("jobmanager.memory.process.size", "1600m"),
    };
    params
}

#[test]
fn memory_reports_are_as_declared() {
    let answer = derive_task_manager(&stock(Role::TaskManager)).expect("stock starts");
    let report = &answer.value;
    check("TaskManagerReport", report);
    check("Component", &report.components);
    check("Step", &report.steps);
    check("SlotShare", &report.slots);
    check("Container", &report.container);
    check("Finding", &answer.findings);
    check("Change", &answer.findings.iter().find(|f| !f.apply.is_empty()).expect("one").apply);
    let answer = derive_job_manager(&stock(Role::JobManager)).expect("stock starts");
    check("JobManagerReport", &answer.value);
}

#[test]
fn refusals_are_as_declared() {
    let mut params = stock(Role::TaskManager);
    params.set("taskmanager.memory.process.size", "1.5g");
    check("Problem", &Problem::from(derive_task_manager(&params).expect_err("1.5g is no size")));
    let answer = diagnose(&DiagnoseParams { role: Role::TaskManager, memory: params });
    check("Diagnosis", &answer.value);
    check("Failure", &answer.value.failure.expect("1.5g fails"));
}

#[test]
fn boundaries_and_causes_are_as_declared() {
    use weir::memory::backwards::boundaries;
    use weir::reading::{PasteParams, read_paste};
    let memory = stock(Role::TaskManager);
    let report = boundaries(&DiagnoseParams { role: Role::TaskManager, memory }).value;
    check("BoundariesReport", &report);
    check("KnobRange", &report.knobs);
    check("RangeEnd", &report.smallest_process.expect("some process starts"));
    let text = "memory: usage 4194304kB, limit 4194304kB, failcnt 1".to_owned();
    let params = PasteParams { version: FlinkVersion::V1_20, text, file_name: None };
    let report = read_paste(&params).expect("it is a kill").value;
    check("PasteReport", &report);
    check("Observed", &report.observed);
    let cause = report.cause.expect("a cause");
    check("Cause", &cause);
    check("Involved", &cause.options);
}

#[test]
fn form_and_chart_are_as_declared() {
    let fields = form(&FormParams { version: FlinkVersion::V2_2, role: Role::TaskManager });
    check("FormField", &fields);
    let MemoryParams { version, config, start_script, container_limit } = stock(Role::TaskManager);
    let (role, theme, width) = (Role::TaskManager, Theme::Dark, 800);
    let pinned = None;
    let draw = DrawMemoryParams {
        role,
        version,
        config,
        start_script,
        container_limit,
        pinned,
        theme,
        width,
    };
    let chart = draw_memory(&draw).expect("stock is drawn").value;
    check("Chart", &chart);
    check("Region", &chart.regions);
}

#[test]
fn comparisons_are_as_declared() {
    use weir::memory::compare_memory;
    use weir::memory::comparison::{CompareMemoryParams, Side};
    let memory = stock(Role::TaskManager);
    let mut other = memory.clone();
    other.set("taskmanager.memory.managed.fraction", "0.2");
    let b = DiagnoseParams { role: Role::TaskManager, memory };
    let report = compare_memory(&CompareMemoryParams { a: Side::Settings(other), b });
    let report = report.expect("both start").value;
    check("MemoryComparison", &report);
    check("SettingDifference", &report.settings);
    check("SizeDifference", &report.components);
}

#[test]
fn local_runs_and_comparisons_of_panels_are_as_declared() {
    use weir::memory::local::local_memory;
    use weir::panel::{ComparePanelsParams, compare_panels};
    let local = |network: &str| {
        json!({
            "version": "1.20",
            "config": { "taskmanager.memory.network.max": network, "taskmanager.memory.process.size": "1g" },
            "startScript": true,
            "containerLimit": null,
            "jvmHeap": "2g",
            "maxDirectMemory": null,
        })
    };
    check("LocalParams", &local("1g"));
    let params = serde_json::from_value(local("1g")).expect("the params parse");
    let report = local_memory(&params).expect("it is answered").value;
    check("LocalReport", &report);
    check("LocalPool", &report.pools);
    check("IgnoredOption", &report.ignored);
    let params =
        json!({ "a": { "localMemory": local("1g") }, "b": { "localMemory": local("3g") } });
    check("ComparePanelsParams", &params);
    let params: ComparePanelsParams = serde_json::from_value(params).expect("the params parse");
    let report = compare_panels(&params).expect("both are answered").value;
    check("PanelComparison", &report);
    check("FigureDifference", &report.figures);
}

#[test]
fn texts_are_as_declared() {
    let params = MemorySizeParams { text: "64 mb".to_owned() };
    check("MemorySizeReport", &report(&params).expect("64 mb is a size"));
}

#[test]
fn config_reports_are_as_declared() {
    use weir::config::{duration, export, files};
    use weir::reading::{PasteParams, read_paste};
    let version = FlinkVersion::V1_20;
    let text = "a.b:1\ntaskmanager.memory.process.size: 4g\n".to_owned();
    let params = duration::DurationParams { version, text: "10 s".to_owned() };
    check("DurationReport", &duration::answer(&params).expect("10 s is a duration").value);
    let files = [("flink-conf.yaml".to_owned(), text.clone())].into();
    let report = files::read(&files::ConfigFilesParams { version, files }).expect("it reads").value;
    check("ConfigReport", &report);
    check("ConfigEntry", &report.entries);
    check("SkippedLine", &report.skipped);
    let report = read_paste(&PasteParams { version, text, file_name: None });
    let report = report.expect("it reads").value;
    check("PasteReport", &report);
    check("PastedEntry", &report.entries);
    let config = stock(Role::TaskManager).config;
    check(
        "ExportReport",
        &export::export(&export::ExportParams { version, config }).expect("it writes").value,
    );
}

#[test]
fn event_time_reports_are_as_declared() {
    use weir::charts::event_lanes;
    use weir::event_time::assign::AssignParams;
    use weir::event_time::comparison::{CompareEventTimeParams, compare_event_time};
    use weir::event_time::moment::EventTimeAtParams;
    use weir::event_time::params::EventTimeParams;
    use weir::event_time::trace::TraceParams;
    use weir::event_time::why::WhyParams;
    use weir::event_time::{
        assign_windows, event_time_at, run_event_time, trace_watermarks, why_no_output,
    };
    use weir::key_group::{KeyGroupParams, KeyType, assign_key_groups};
    let params: EventTimeParams = serde_json::from_value(json!({
        "version": "1.20",
        "watermarks": {
            "rule": { "kind": "ascending" },
            "emission": { "kind": "perEvent", "every": 1 },
            "idleTimeout": null,
        },
        "source": { "partitions": 1, "parallelism": 1, "perPartition": false },
        "windows": {
            "assigner": { "kind": "session", "gap": 5 },
            "trigger": { "kind": "eventTime" },
            "allowedLateness": 0,
            "sideOutput": true,
        },
        "parallelism": 1,
        "input": [
            { "kind": "event", "key": "a", "time": 0 },
            { "kind": "event", "key": "a", "time": 5 },
            { "kind": "event", "key": "a", "time": 50 },
        ],
        "endOfInput": true,
        "withOpen": true,
    }))
    .expect("the params parse");
    let report = run_event_time(&params).expect("it runs").value;
    check("EventTimeReport", &report);
    check("EventTimeRow", &report.rows);
    check("KeptBytes", &report.rows[1].kept);
    check("KeptReport", &report.kept);
    check("KeptParams", &params.kept);
    let merging = report.rows[1].record.as_ref().expect("it is a record");
    check("RecordReport", merging);
    check("AssignedWindow", &merging.windows);
    check("WindowBounds", &merging.merged_from);
    check("OpenWindow", report.rows[1].open.as_ref().expect("they were asked for"));
    check("FiringReport", &report.rows[2].firings);
    check("WindowLife", &report.windows);
    check("EventTimeTotals", &report.totals);
    check("EventTimeSource", &report.sources);
    check("SourcePartition", &report.sources[0].parts);
    check("Moment", &report.sources[0].since.expect("it moved"));
    check("WindowSubtask", &report.subtasks);
    check("RuleStep", &report.steps);
    let b = EventTimeParams { end_of_input: false, ..params.clone() };
    let compared = compare_event_time(&CompareEventTimeParams { a: params.clone(), b });
    let compared = compared.expect("both run").value;
    check("EventTimeComparison", &compared);
    check("TotalDifference", &compared.totals);
    check("WindowDifference", &compared.windows);
    check("WindowResult", &compared.windows[0].a);
    let chart = event_lanes::draw(&report, None, Theme::Light, 800).expect("it is drawn");
    check("LanesChart", &chart);
    check("TimeAxis", &chart.time_axis);
    let at = EventTimeAtParams { job: EventTimeParams { dedup_ttl: Some(9), ..params }, upto: 2 };
    let at = event_time_at(&at).expect("it runs").value;
    check("EventTimeAtReport", &at);
    check("SourceAt", &at.sources);
    check("NextResult", at.next.as_ref().expect("a session is open"));
    check("Stored", &at.stored);
    check("TimerAt", &at.stored.timers);
    check("KeptId", &at.stored.ids);
    check("PartitionOffset", &at.stored.offsets);
    let params: TraceParams = serde_json::from_value(json!({
        "kind": "channels",
        "channels": 1,
        "steps": [{ "kind": "watermark", "channel": 0, "watermark": 5 }],
    }))
    .expect("the params parse");
    let report = trace_watermarks(&params).expect("it runs").value;
    check("TraceReport", &report);
    check("TraceStep", &report.steps);
    let params: WhyParams = serde_json::from_value(json!({
        "version": "1.20",
        "text": "0: 5\n1: 7",
        "assigner": { "kind": "tumbling", "size": 10, "offset": 0 },
        "rule": { "kind": "ascending" },
        "maxDrift": 5,
    }))
    .expect("the params parse");
    let report = why_no_output(&params).expect("it is answered").value;
    check("WhyReport", &report);
    check("WhyInput", &report.inputs);
    check("NextFiring", &report.next.expect("a window waits"));
    let params: AssignParams = serde_json::from_value(json!({
        "assigner": { "kind": "tumbling", "size": 10, "offset": 0 },
        "times": [5],
        "value": 1,
    }))
    .expect("the params parse");
    check("Assignment", &assign_windows(&params).expect("it is answered").value);
    let keys = vec!["a".to_owned()];
    let params =
        KeyGroupParams { parallelism: 2, max_parallelism: None, key_type: KeyType::String, keys };
    let report = assign_key_groups(&params).expect("it is answered").value;
    check("KeyGroupReport", &report);
    check("KeyPlace", &report.places);
    check("SubtaskShare", &report.subtasks);
    check("KeyGroupRange", &report.subtasks[0].range);
}

#[test]
fn long_runs_are_as_declared() {
    use weir::event_time::run::{Run, RunParams};
    let params: RunParams = serde_json::from_value(serde_json::json!({
        "windows": {
            "assigner": { "kind": "session", "gap": 5 },
            "trigger": { "kind": "eventTime" },
            "allowedLateness": 0,
            "sideOutput": true,
        },
        "watermarks": {
            "rule": { "kind": "ascending" },
            "emission": { "kind": "perEvent", "every": 1 },
            "idleTimeout": null,
        },
        "keys": 1,
    }))
    .expect("the params parse");
    check("RunParams", &params);
    check(
        "RunSource",
        &json!({ "version": "1.20", "partitions": 1, "parallelism": 1, "perPartition": true }),
    );
    let mut run = Run::new(&params).expect("it runs");
    run.push(&[0, 3], &[0, 0], &[1, 1]).expect("the records are in range");
    let progress = run.advance(2);
    check("RunProgress", &progress);
    check("RunTotals", &progress.totals);
    let mut row = serde_json::to_value(&run.rows(1, 1)[0]).expect("a row serialises");
    check("RunWindow", &row["windows"]);
    // The boundary adds what crosses as a typed array, or as an infinity.
    for name in ["watermarkBefore", "watermarkAfter", "results"] {
        row[name] = Value::Null;
    }
    check("RunRow", &row);
}

#[test]
fn whole_streams_are_as_declared() {
    use weir::charts::{bound_lines, open_lines};
    use weir::event_time::run::Which;
    use weir::event_time::whole::{SideParams, StreamWhyParams, Whole, WholeParams};
    use weir::stream::{BoundParams, sniff};
    // Nine in ten texts of the column are times.
    let text = format!("ts,who\n{}x,b\n1700000001000,a\n", "1700000005000,b\n".repeat(20));
    let sniffed = sniff(text.as_bytes()).value;
    check("SniffReport", &sniffed);
    check("RecordColumn", &sniffed.columns);
    let reader = sniffed.params.expect("there is a time");
    check("ReaderParams", &reader);
    let windows = json!({
        "assigner": { "kind": "tumbling", "size": 1000, "offset": 0 },
        "trigger": { "kind": "eventTime" },
        "allowedLateness": 0,
        "sideOutput": true,
    });
    let watermarks = json!({
        "rule": { "kind": "ascending" },
        "emission": { "kind": "perEvent", "every": 1 },
        "idleTimeout": null,
    });
    let params = |source: Value| -> WholeParams {
        let windows = windows.clone();
        let params = json!({ "source": source, "windows": windows, "watermarks": watermarks, "endOfInput": true });
        serde_json::from_value(params).expect("the params parse")
    };
    let of_file = params(json!({ "kind": "file", "reader": reader }));
    check("WholeParams", &of_file);
    check("JobShape", &of_file.job);
    let mut whole = Whole::new(&of_file).expect("it is accepted");
    check("ReadProgress", &whole.push(text.as_bytes()).expect("it is read"));
    let read = whole.finish().expect("it ends").value;
    check("ReadReport", &read);
    check("BadRow", &read.bad_rows);
    check("WholeProgress", &whole.advance(99).expect("it runs"));
    check("WholeReport", &whole.report().value);
    check("WindowShare", &whole.report().value.subtasks);
    let why = whole.why(&StreamWhyParams { records: Some(2) }).value;
    check("StreamWhy", &why);
    check("EventTimeSource", &why.sources);
    let params_of_side = SideParams { which: Which::Dropped, from: 0, count: 9 };
    check("SideRecord", &whole.side(&params_of_side));
    check("SideText", &whole.side_csv(&params_of_side).value);
    let figures = whole.figures();
    check("StreamFigures", &figures);
    check("StreamFigure", &figures.figures);
    let compared = whole.compare(&figures).value;
    check("StreamComparison", &compared);
    check("StreamDifference", &compared.figures);
    let params_of_bound =
        BoundParams { completeness: Vec::new(), bound_ms: Some(1000), top_keys: 3 };
    check("BoundParams", &params_of_bound);
    let bound = whole.bound(&params_of_bound).expect("it is in range").value;
    check("StreamBound", &bound);
    check("BoundReport", &bound.report);
    check("BoundPoint", &bound.report.curve);
    check("WantedBound", &bound.report.wanted);
    check("PartitionDisorder", &bound.report.partitions);
    check("KeyDisorder", &bound.report.keys);
    let chart = bound_lines::draw(&bound.report, Theme::Light, 800).expect("it is drawn");
    check("BoundChart", &chart);
    check("BoundStop", &chart.stops);
    let drawn =
        open_lines::draw(whole.samples(), None, open_lines::Over::Records, Theme::Light, 800);
    check("Chart", &drawn.expect("it is drawn"));
    let generator = json!({
        "seed": 1, "events": 1, "startMs": 0, "ratePerSecond": 1.0, "partitions": 1,
        "spread": "byKey", "keys": { "count": 1, "zipfExponent": 0.0 }, "delay": { "kind": "none" },
        "delayCapMs": 0, "bursts": null, "stalls": [], "skews": [], "duplicates": null,
        "replays": [], "values": { "min": 1, "max": 1 },
    });
    let generated = params(json!({ "kind": "generated", "generator": generator }));
    let source = serde_json::to_value(&generated.source).expect("it serialises");
    check("GeneratorParams", &source["generator"]);
    let mut whole = Whole::new(&generated).expect("it is accepted");
    whole.advance(9).expect("it runs");
    check("GeneratorReport", &whole.report().value.generated.expect("it is generated"));
}

#[test]
fn the_shapes_of_scenarios_are_as_declared() {
    use weir::checkpoint::measures::measures;
    use weir::checkpoint::progress::RunProgress;
    use weir::checkpoint::{Scenario, Simulation, simulate_scenario};
    let vertex = |name: &str, source: Value| json!({ "name": name, "source": source });
    let bursts = json!({ "everyMs": 500, "lengthMs": 100, "factor": 2.0 });
    let params = json!({
        "vertices": [vertex("source", json!({ "rate": [100.0], "bursts": bursts })), vertex("sink", Value::Null)],
        "edges": [{ "from": 0, "to": 1, "exchange": "hash", "recordBytes": 100 }],
        "checkpointing": { "upload": { "bytesPerSecond": 1e6, "per": "slot" }, "firstTriggerMs": 100 },
        "recovery": { "failures": [{ "atMs": 900, "vertex": 1, "subtask": 0 }] },
        "runMs": 1000,
        "seed": 1,
    });
    let scenario: Scenario = serde_json::from_value(params).expect("the params parse");
    check("CheckpointScenario", &scenario);
    check("ScenarioVertex", &scenario.vertices);
    let source = scenario.vertices[0].source.as_ref().expect("it is a source");
    check("ScenarioSource", source);
    check("Bursts", &source.bursts.expect("it has bursts"));
    check("ScenarioState", &scenario.vertices[0].state);
    check("ScenarioEdge", &scenario.edges);
    check("ScenarioNetwork", &scenario.network);
    check("BufferDebloat", &scenario.network.buffer_debloat);
    check("ScenarioCheckpointing", &scenario.checkpointing);
    check("UploadLink", &scenario.checkpointing.upload.expect("it uploads"));
    check("ScenarioRecovery", &scenario.recovery);
    check("ScenarioFailure", &scenario.recovery.failures);
    check("Heartbeat", &scenario.recovery.heartbeat);
    let report = simulate_scenario(&scenario).expect("it is accepted").value;
    check("CheckpointReport", &report);
    check("CheckpointVerdict", &report.verdict);
    check("Checkpoint", &report.checkpoints);
    check("SubtaskCheckpoint", &report.checkpoints[0].subtasks);
    check("TaskLoad", &report.tasks);
    check("EdgeReport", &report.edges);
    check("LatencyReport", &report.latency);
    check("LatencyPercentiles", &report.latency.without.expect("records arrived"));
    check("Throughput", &report.throughput);
    check("RecoveryReport", &report.recoveries);
    let mut simulation = Simulation::new(scenario.job().expect("it is accepted"));
    while !simulation.advance(1000).done {}
    check("CheckpointSeries", &simulation.series());
    check("TaskSeries", &simulation.series().tasks);
    check("CheckpointFacts", &simulation.facts());
    check("CheckpointProgress", &RunProgress::from(simulation.advance(1)));
    check("Measure", &measures(&report));
    let draw = json!({ "what": { "kind": "checkpoints" }, "theme": "dark", "width": 800 });
    check("DrawRunParams", &draw);
    let params: DrawRunParams = serde_json::from_value(draw).expect("the params parse");
    let run = Run { simulation: &simulation, kept: &Kept::default() };
    let chart = draw_run(run, &scenario.checkpointing, None, &params);
    check("Chart", &chart.expect("it is drawn"));
}
