//! Flink's REST answers as people have them: all recorded ones, some of them, cut off, mutated.
#![cfg(not(target_arch = "wasm32"))]

mod raw;

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};
use weir::checkpoint::import::{
    ImportFile, ImportParams, ImportReport, TEXT_MAX, import_checkpoints,
};
use weir::checkpoint::timeline::Phase;

fn read(params: &ImportParams) -> ImportReport {
    let answer = import_checkpoints(params).expect("never refused");
    // What goes to the page must hold no number that JavaScript cannot.
    let text = serde_json::to_value(&answer.value).expect("it serialises");
    assert!(small(&text), "a number beyond 2^53");
    answer.value
}

fn small(value: &Value) -> bool {
    match value {
        Value::Number(it) => it.as_f64().is_some_and(|it| it.abs() <= 9_007_199_254_740_992.0),
        Value::Array(list) => list.iter().all(small),
        Value::Object(fields) => fields.values().all(small),
        _ => true,
    }
}

fn pasted(text: &str) -> ImportReport {
    let files = vec![ImportFile { name: None, text: text.to_owned() }];
    read(&ImportParams { files, checkpoint: None })
}

fn run(name: &str) -> BTreeMap<String, String> {
    let runs = raw::runs();
    let found = runs.into_iter().find(|(run, _)| run == name);
    found.map(|(_, files)| files).unwrap_or_default()
}

fn imported(name: &str) -> ImportReport {
    read(&raw::params(&run(name)))
}

#[test]
fn every_recorded_answer_is_recognised() {
    let runs = raw::runs();
    assert!(!runs.is_empty());
    for (name, files) in &runs {
        let report = read(&raw::params(files));
        assert_eq!(report.pieces.len(), files.len(), "{name}");
        for piece in &report.pieces {
            assert!(!piece.what.is_empty(), "{name}: {piece:?}");
            let is_needed = !["exceptions.json", "trigger_response.json", "taskmanagers.json"]
                .contains(&piece.from.as_str())
                && !piece.from.starts_with("metric_names")
                && !piece.from.starts_with("job_metrics")
                && !piece.from.starts_with("subtask_metrics_agg");
            assert_eq!(piece.is_used, is_needed, "{name}: {piece:?}");
        }
        assert_eq!(report.missing, Vec::<String>::new(), "{name}");
        let shown = report.shown.expect("subtasks are known");
        assert_eq!(shown.subtasks.len(), shown.timeline.rows.len(), "{name}");
        assert!(!report.verdict.contains("vertex "), "{name}: {}", report.verdict);
    }
}

/// Two identities that held for all measured checkpoints.
#[test]
fn phases_add_up_to_the_end_to_end_duration() {
    let (mut known, mut close) = (0, 0);
    for (name, files) in raw::runs() {
        let shown = read(&raw::params(&files)).shown.expect("subtasks are known");
        for it in shown.subtasks.iter().filter(|it| it.end_to_end_ms.is_some()) {
            known += 1;
            close += u32::from(it.rest_ms.is_some_and(|rest| (-15..=100).contains(&rest)));
            let spans = &shown.timeline.rows;
            assert!(spans.iter().all(|row| !row.spans.is_empty()), "{name}");
        }
    }
    assert!(known > 50 && close * 100 >= known * 95, "{close} of {known}");
}

#[test]
fn the_slow_phase_and_the_place_to_look_are_named() {
    let queue = imported("C1_full_4k_100rps/aligned").verdict;
    assert!(
        queue.contains("for subtask 0 of op -> discard: Writer") && queue.contains("start delay"),
        "{queue}"
    );
    assert!(
        queue.contains("op -> discard: Writer is busy") && queue.contains("(Source: src)"),
        "{queue}"
    );
    // A chain: the sink is slow, the operator in front of it is held.
    let chain = imported("D1_chain3_sink100/aligned").verdict;
    assert!(chain.contains("slowsink -> discard: Writer is busy"), "{chain}");
    let lag = imported("B2_lag2000/aligned").verdict;
    assert!(
        lag.contains("alignment")
            && lag.contains("subtask 0 of Source: src let its barrier out only"),
        "{lag}"
    );
    let unaligned = imported("B2_lag2000/unaligned");
    let rows = &unaligned.shown.as_ref().expect("subtasks").timeline.rows;
    let phases: Vec<Phase> = rows.iter().flat_map(|row| &row.spans).map(|it| it.phase).collect();
    assert!(
        phases.contains(&Phase::Overtaking) && !phases.contains(&Phase::Alignment),
        "{phases:?}"
    );
    let slow = imported("H5_async800/aligned").verdict;
    assert!(slow.contains("the asynchronous part") && slow.contains("less than 1 MiB"), "{slow}");
    let large = imported("H_state_100MB/aligned").verdict;
    assert!(large.contains("MiB/s"), "{large}");
}

#[test]
fn failed_and_pending_checkpoints_have_their_say() {
    let files = run("I13_backpressure_expire/aligned");
    let answer = import_checkpoints(&raw::params(&files)).expect("never refused");
    let expired =
        answer.findings.iter().find(|it| it.code == "checkpointExpired").expect("it is found");
    assert_eq!(
        expired.title,
        "4 checkpoints expired before completing, the last of them number 5."
    );
    assert!(expired.reason.contains("4.00 s"), "{}", expired.reason);
    let params = ImportParams { checkpoint: Some(5), ..raw::params(&files) };
    let report = read(&params);
    let verdict = &report.verdict;
    assert!(
        verdict.starts_with("Checkpoint 5 failed after 4.00 s: Checkpoint expired"),
        "{verdict}"
    );
    assert!(
        verdict.contains("Subtask 0 of op -> discard: Writer did not acknowledge"),
        "{verdict}"
    );
    let rows = report.shown.expect("subtasks").timeline.rows;
    assert!(rows.iter().any(|row| row.spans.iter().any(|it| it.phase == Phase::Pending)));
}

/// Answers in one paste, under the addresses they were fetched from, and in any order.
#[test]
fn a_paste_of_everything_says_the_same_as_files() {
    let files = run("E1_skew_channel/aligned");
    let whole = read(&raw::params(&files));
    let labelled: Vec<String> =
        files.iter().rev().map(|(name, text)| format!("$ cat {name}\n{text}\n")).collect();
    let paste = pasted(&labelled.join("\n"));
    assert_eq!(paste.verdict, whole.verdict);
    assert_eq!(paste.shown, whole.shown);
    assert_eq!(paste.fitted, whole.fitted);
}

#[test]
fn what_is_missing_is_named() {
    let files = run("C1_full_4k_100rps/aligned");
    let only = |names: &[&str]| {
        let kept = files.iter().filter(|(name, _)| names.contains(&name.as_str()));
        let kept: BTreeMap<String, String> =
            kept.map(|(name, text)| (name.clone(), text.clone())).collect();
        read(&raw::params(&kept))
    };
    let overview = only(&["checkpoints.json"]);
    assert_eq!(overview.checkpoints.len(), 4);
    let missing = overview.missing.join(" ");
    let details = "/jobs/:id/checkpoints/details/4/subtasks/:vertex for each vertex";
    assert!(missing.contains(details), "{missing}");
    assert!(
        missing.contains("/backpressure") && missing.contains("checkpoints/config"),
        "{missing}"
    );
    assert!(overview.shown.is_none() && overview.fitted.is_none());
    // Without a job the sums tell which vertex it is, by its id.
    let parts = only(&["details_4.json", "details_4_subtasks_op.json"]);
    assert_eq!(parts.shown.expect("subtasks").subtasks.len(), 1);
    // Without metrics the backlog gives the size of the queue.
    let bare = only(&[
        "checkpoints.json",
        "job.json",
        "details_4_subtasks_op.json",
        "config_checkpoints.json",
    ]);
    let fitted = bare.fitted.expect("a job is known");
    assert!(
        fitted.rules.iter().any(|it| it.from.contains("are the backlog")),
        "{:?}",
        fitted.rules
    );
    let (real, predicted) = (fitted.predictions[0].real, fitted.predictions[0].predicted);
    let error = predicted.expect("it completes") / real.expect("they completed") - 1.0;
    assert!(error.abs() < 0.25, "{real:?} {predicted:?}");
}

#[test]
fn hostile_texts_are_ordinary_answers() {
    assert_eq!(pasted("").pieces[0].what, "");
    assert!(pasted("no JSON at all").pieces[0].says.contains("no JSON object"));
    let cut = pasted("{\"counts\": {\"failed\": 0}, \"history\": [{\"id\": 1, ");
    assert!(cut.pieces[0].says.starts_with("It is cut off"), "{:?}", cut.pieces);
    assert!(!pasted(&"[".repeat(200_000)).pieces[0].is_used);
    assert!(!pasted(&"{\"a\":".repeat(5000)).pieces[0].is_used);
    let huge = pasted(&" ".repeat(TEXT_MAX + 1));
    assert!(huge.pieces[0].says.contains("at most 8 MiB"), "{:?}", huge.pieces);
    let odd = json!({
        "counts": 7, "history": [
            { "id": 18_446_744_073_709_551_615_u64, "status": "COMPLETED" },
            { "id": -4 }, { "id": "9" }, null, [], "x",
            { "id": 9_007_199_254_740_991_u64, "status": 5, "end_to_end_duration": 1e300,
              "trigger_timestamp": -1, "failure_message": "<img src=x onerror=alert(1)>" },
        ],
    });
    let report = pasted(&odd.to_string());
    assert_eq!(report.checkpoints.len(), 1, "only one has a number that can be");
    assert_eq!(report.checkpoints[0].end_to_end_ms, None);
    let job = json!({ "jid": "1", "vertices": [
        { "id": "a", "name": "<script>alert(1)</script>".repeat(50), "parallelism": 9e15,
          "duration": 1, "metrics": { "write-records": 9e15, "write-bytes": 1 } },
        { "id": "b", "name": "", "parallelism": 0, "metrics": { "read-records": 1e300 } },
    ], "plan": { "nodes": [{ "id": "a", "inputs": [{ "id": "b" }, { "id": "a" }] }] } });
    let both = format!("{job}{odd}");
    assert!(pasted(&both).fitted.is_some_and(|it| it.refusal.is_some()));
}

/// A job of sources and a keyed operator, and a checkpoint of it that took a second.
fn two_vertices(sources: u64, operators: u64, records_a_second: u64) -> String {
    let written = sources * records_a_second * 100;
    let metrics = |key: &str| json!({ format!("{key}-records"): written, format!("{key}-bytes"): written * 100 });
    let job = json!({ "jid": "1", "name": "j", "vertices": [
        { "id": "a", "name": "source", "parallelism": sources, "duration": 100_000, "metrics": metrics("write") },
        { "id": "b", "name": "operator", "parallelism": operators, "duration": 100_000, "metrics": metrics("read") },
    ], "plan": { "nodes": [
        { "id": "b", "inputs": [{ "id": "a", "ship_strategy": "HASH" }] }, { "id": "a" },
    ] } });
    let overview = json!({ "counts": { "completed": 1 }, "history": [
        { "id": 2, "status": "COMPLETED", "trigger_timestamp": 1_000_000, "end_to_end_duration": 1000 },
    ] });
    format!("{job}\n{overview}")
}

#[test]
fn large_jobs_are_predicted_as_far_as_is_said() {
    let fitted = |text: String| pasted(&text).fitted.expect("a job is known");
    let medium = fitted(two_vertices(64, 64, 100));
    assert_eq!(medium.refusal, None);
    assert!(
        medium.predictions[0].predicted.is_some() && medium.reach.contains("all of 8.0 s"),
        "{}",
        medium.reach
    );
    let large = fitted(two_vertices(200, 200, 100));
    assert!(large.reach.contains("40 thousand channels"), "{large:?}");
    assert!(large.predictions[0].predicted.is_some(), "{}", large.reach);
    let larger = fitted(two_vertices(201, 200, 100)).refusal.expect("too many channels");
    assert!(larger.contains("this job has 40200 channels"), "{larger}");
    let fast = fitted(two_vertices(64, 64, 100_000)).refusal.expect("too many records");
    assert!(fast.contains("5 million records") && fast.contains("are more"), "{fast}");
}

fn small_run() -> BTreeMap<String, String> {
    run("K_timeout_3000/timeout")
}

/// What stands at a place of a value becomes something else.
fn replaced(value: &mut Value, mut place: usize, by: &Value) -> Option<usize> {
    if place == 0 {
        *value = by.clone();
        return None;
    }
    place -= 1;
    let inner: Vec<&mut Value> = match value {
        Value::Array(list) => list.iter_mut().collect(),
        Value::Object(fields) => fields.iter_mut().map(|(_, it)| it).collect(),
        _ => Vec::new(),
    };
    for it in inner {
        place = replaced(it, place, by)?;
    }
    Some(place)
}

/// Whether JavaScript has every number of a report exactly.
fn is_exact(value: &Value) -> bool {
    match value {
        Value::Array(list) => list.iter().all(is_exact),
        Value::Object(fields) => fields.values().all(is_exact),
        Value::Number(it) => it.is_f64() || it.as_i64().is_some_and(|it| it.abs() < 1 << 53),
        _ => true,
    }
}

/// Phases that are long beyond any sum, in rows that say so.
#[test]
fn no_number_is_beyond_what_the_page_can_hold() {
    for most in [9_007_199_254_740_991_u64, 9_007_199_254_740_992, u64::MAX] {
        let subtask = json!({
            "index": 0, "status": "completed", "ack_timestamp": most, "end_to_end_duration": most,
            "state_size": most, "checkpointed_size": most, "start_delay": most,
            "checkpoint": { "sync": most, "async": most }, "unaligned_checkpoint": true,
            "alignment": { "buffered": most, "processed": most, "persisted": most, "duration": most },
        });
        let details = json!({
            "id": 1, "status": "COMPLETED", "end_to_end_duration": most, "num_subtasks": 1,
            "trigger_timestamp": most, "latest_ack_timestamp": most, "num_acknowledged_subtasks": 1,
            "subtasks": [subtask],
        });
        let report = serde_json::to_value(pasted(&details.to_string())).expect("it serialises");
        assert!(report["shown"].is_object(), "{report}");
        assert!(is_exact(&report), "{report}");
    }
}

fn odd_value() -> impl Strategy<Value = Value> {
    prop::sample::select(vec![
        json!(null),
        json!(true),
        json!(-1),
        json!(0),
        json!(1),
        json!(9_007_199_254_740_991_u64),
        json!(9_007_199_254_740_993_u64),
        json!(u64::MAX),
        json!(1e300),
        json!("<b>"),
        json!(""),
        json!([]),
        json!({}),
        json!([[[{}]]]),
    ])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn a_mutated_answer_is_an_ordinary_answer(file in 0..20_usize, place in 0..400_usize, by in odd_value()) {
        let mut files = small_run();
        let name = files.keys().nth(file % files.len()).cloned().expect("a file");
        let mut value: Value = serde_json::from_str(&files[&name]).expect("it is JSON");
        replaced(&mut value, place, &by);
        files.insert(name, value.to_string());
        let report = read(&raw::params(&files));
        prop_assert_eq!(report.pieces.len(), files.len());
        prop_assert!(is_exact(&serde_json::to_value(report).expect("it serialises")));
    }

    #[test]
    fn a_truncated_answer_is_an_ordinary_answer(file in 0..20_usize, keep in 0.0..1.0_f64) {
        let mut files = small_run();
        let name = files.keys().nth(file % files.len()).cloned().expect("a file");
        let mut end = (files[&name].len() as f64 * keep) as usize;
        while !files[&name].is_char_boundary(end) {
            end -= 1;
        }
        let cut = files[&name][..end].to_owned();
        files.insert(name.clone(), cut);
        let report = read(&raw::params(&files));
        let piece = report.pieces.iter().find(|it| it.from == name).expect("it is listed");
        prop_assert!(!piece.is_used, "{:?}", piece);
    }

    #[test]
    fn any_text_is_an_ordinary_answer(text in "[\\[\\]{}:,\"a-z0-9 \n\\\\-]{0,200}") {
        read(&ImportParams { files: vec![ImportFile { name: None, text }], checkpoint: None });
    }
}
