//! The declarations of a checkpoint's picture, the stepper and the import against what the engine
//! really serialises.
#![cfg(not(target_arch = "wasm32"))]

mod shapes;

use serde_json::{Value, json};
use shapes::check;
use weir::charts::gantt::{DrawTimelineParams, draw_timeline};
use weir::checkpoint::timeline::{SubtaskTimes, Timeline, TimelineMark, TimelineRow};

#[test]
fn the_shapes_of_timelines_are_as_declared() {
    let spans = SubtaskTimes { sync_ms: 1, ..SubtaskTimes::default() }.spans();
    check("Span", &spans);
    let (id, group, name) = ("op-0".to_owned(), "op".to_owned(), "0".to_owned());
    let row = TimelineRow { id, group, name, spans, is_slowest: true };
    let mark = TimelineMark { at_ms: 1, name: "timeout".to_owned(), is_danger: false };
    let timeline = Timeline { rows: vec![row], marks: vec![mark] };
    check("Timeline", &timeline);
    check("TimelineRow", &timeline.rows);
    check("TimelineMark", &timeline.marks);
    let params = json!({ "timeline": timeline, "order": "slowest", "theme": "dark", "width": 800 });
    check("DrawTimelineParams", &params);
    let params: DrawTimelineParams = serde_json::from_value(params).expect("the params parse");
    check("Chart", &draw_timeline(&params).expect("it is drawn").value);
}

#[test]
fn the_shapes_of_the_stepper_are_as_declared() {
    use weir::checkpoint::stepper::{explore_question, presets::presets, step_question};
    let presets = presets();
    check("StepperPreset", &presets);
    check("StepperScenario", &presets[0].scenario);
    let params = json!({ "scenario": presets[0].scenario, "steps": presets[0].steps });
    check("StepperParams", &params);
    let params = serde_json::from_value(params).expect("the params parse");
    let report = step_question(&params).expect("it can be followed").value;
    check("StepperReport", &report);
    check("TaskView", &report.tasks);
    check("SumView", &report.tasks[0].sums);
    check("TransactionView", &report.tasks[0].transactions);
    check("ChannelView", &report.channels);
    check("ItemView", &report.channels[0].items);
    let completed = report.completed.expect("a checkpoint completed");
    check("CheckpointView", &completed);
    check("PartView", &completed.parts);
    check("StepView", &report.steps);
    let params = json!({ "scenario": presets[5].scenario, "failures": 1 });
    check("ExploreBarriersParams", &params);
    let params = serde_json::from_value(params).expect("the params parse");
    let report = explore_question(&params).expect("it can be explored").value;
    check("ExploreBarriersReport", &report);
    check("Property", &report.properties);
}

#[test]
fn the_shapes_of_imported_checkpoints_are_as_declared() {
    use weir::checkpoint::import::import_checkpoints;
    let runs = include_str!("oracle/checkpoints/raw.jsonl");
    let run = runs.lines().find(|line| line.contains("K_timeout_3000")).expect("a recorded run");
    let run: Value = serde_json::from_str(run).expect("it is JSON");
    let files = run["files"].as_object().expect("texts by name").iter();
    let files: Vec<Value> =
        files.map(|(name, text)| json!({ "name": name, "text": text })).collect();
    check("ImportFile", &files);
    let params = json!({ "files": files, "checkpoint": null });
    check("ImportParams", &params);
    let params = serde_json::from_value(params).expect("the params parse");
    let report = import_checkpoints(&params).expect("never refused").value;
    check("ImportReport", &report);
    check("Piece", &report.pieces);
    check("CheckpointRow", &report.checkpoints);
    let shown = report.shown.expect("subtasks are known");
    check("Shown", &shown);
    check("SubtaskRow", &shown.subtasks);
    let fitted = report.fitted.expect("a job is known");
    check("Fitted", &fitted);
    check("CheckpointScenario", &fitted.scenario);
    check("FitRule", &fitted.rules);
    check("Prediction", &fitted.predictions);
    check("SubtaskPrediction", &fitted.subtasks);
    check("SubtaskMeans", &[fitted.subtasks[0].real, fitted.subtasks[0].predicted]);
}
