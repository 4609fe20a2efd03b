//! What people had in public reports about checkpoints, and the right answers to it: through the
//! import where they had numbers of Flink, through the simulation or Flink's own rules elsewhere.
#![cfg(not(target_arch = "wasm32"))]

use serde_json::{Value, json};
use weir::checkpoint::import::{ImportFile, ImportParams, ImportReport, import_checkpoints};
use weir::checkpoint::job::Exchange;
use weir::checkpoint::report::{CheckpointReport, CheckpointStatus};
use weir::checkpoint::scenario::Scenario;
use weir::checkpoint::{CheckpointError, simulate_scenario};
use weir::finding::{Finding, Severity};
use weir::network::network_buffers;

/// The REST answers a person would paste.
fn import(answers: &[Value]) -> (ImportReport, Vec<Finding>) {
    let text: Vec<String> = answers.iter().map(Value::to_string).collect();
    let files = vec![ImportFile { name: None, text: text.join("\n") }];
    let answer =
        import_checkpoints(&ImportParams { files, checkpoint: None }).expect("never refused");
    (answer.value, answer.findings)
}

#[track_caller]
fn found<'a>(findings: &'a [Finding], code: &str) -> &'a Finding {
    let found = findings.iter().find(|it| it.code == code);
    found.unwrap_or_else(|| panic!("no {code} in {findings:?}"))
}

fn row(id: u64, status: &str, took_ms: u64, more: &Value) -> Value {
    let mut row = json!({
        "id": id, "status": status, "trigger_timestamp": 1_627_290_117_546_u64 + id * 300_000,
        "end_to_end_duration": took_ms, "is_savepoint": false,
    });
    let fields = row.as_object_mut().expect("an object");
    fields.extend(more.as_object().expect("an object").clone());
    row
}

fn overview(history: &[Value]) -> Value {
    json!({ "counts": { "failed": 1 }, "history": history })
}

/// Sources of one record kind, an operator, and a sink where one is wanted.
fn scenario(checkpointing: Value, source: Value, service_us: f64, run_ms: u64) -> Scenario {
    let constant = |mean_us: f64| json!([{ "kind": "constant", "meanUs": mean_us }]);
    serde_json::from_value(json!({
        "vertices": [
            { "name": "source", "parallelism": 1, "source": source },
            { "name": "op", "parallelism": 1, "service": constant(service_us) },
        ],
        "edges": [{ "from": 0, "to": 1, "exchange": "hash", "recordBytes": 96 }],
        "network": { "segmentBytes": 4096 },
        "checkpointing": checkpointing,
        "runMs": run_ms,
        "seed": 1,
    }))
    .expect("a scenario")
}

#[track_caller]
fn run(scenario: &Scenario) -> CheckpointReport {
    simulate_scenario(scenario).expect("it can be").value
}

/// A source that reads a snapshot lets no barrier out: expiry at the timeout, and the job fails.
#[test]
fn ckp_01_a_source_in_its_snapshot_phase() {
    let failed = json!({ "failure_message": "Checkpoint expired before completing." });
    let config = json!({
        "mode": "exactly_once", "interval": 300_000, "timeout": 180_000,
        "tolerable_failed_checkpoints": 0, "unaligned_checkpoints": false,
    });
    let (report, findings) = import(&[overview(&[row(17, "FAILED", 180_000, &failed)]), config]);
    assert!(
        report.verdict.starts_with("Checkpoint 17 failed after 3 min 0 s"),
        "{}",
        report.verdict
    );
    let expired = found(&findings, "checkpointExpired");
    assert!(
        expired.reason.contains("execution.checkpointing.timeout, 3 min 0 s"),
        "{}",
        expired.reason
    );
    assert!(expired.reason.contains("failure 1 fails the job"), "{}", expired.reason);
    let simulated = |tolerable: u32| {
        let checkpointing = json!({
            "intervalMs": 300_000, "timeoutMs": 180_000, "firstTriggerMs": 1000,
            "tolerableFailedCheckpoints": tolerable,
        });
        let source = json!({ "rate": [100.0], "lagMs": [290_000] });
        run(&scenario(checkpointing, source, 0.0, 200_000))
    };
    let report = simulated(0);
    assert_eq!(report.checkpoints[0].status, CheckpointStatus::Failed);
    assert_eq!(report.checkpoints[0].end_to_end_ms, 180_000, "exactly the timeout");
    assert!(report.job_failed, "the first failure is one too many");
    assert!(!simulated(1).job_failed, "one is tolerated");
}

/// Buffered bytes are the rate of the early channel times the distance of the barriers.
#[test]
fn ckp_03_a_hundred_megabytes_buffered_in_alignment() {
    let buffered = |bytes: u64| json!({ "alignment_buffered": bytes });
    let history = [
        row(3, "COMPLETED", 9000, &buffered(100_000_000)),
        row(2, "COMPLETED", 7000, &buffered(60_000_000)),
    ];
    let job = json!({ "jid": "1", "vertices": [
        { "id": "s", "name": "Source", "parallelism": 1, "duration": 100_000,
          "metrics": { "write-bytes": 2_000_000_000_u64, "write-records": 2_000_000 } },
        { "id": "w", "name": "window", "parallelism": 1, "duration": 100_000 },
    ] });
    let (_, findings) = import(&[overview(&history), job]);
    let finding = found(&findings, "bufferedInAlignment");
    assert!(
        finding.reason.contains("that is 5.0 s between the first barrier and the last"),
        "{}",
        finding.reason
    );
    assert!(finding.reason.contains("Since Flink 1.11 nothing is buffered"), "{}", finding.reason);
    // The same distance today: five seconds of alignment, and the early source is held.
    let mut today =
        scenario(json!({ "firstTriggerMs": 1000 }), json!({ "rate": [2000.0] }), 0.0, 9000);
    today.vertices[0].parallelism = 2;
    if let Some(source) = &mut today.vertices[0].source {
        source.lag_ms = vec![0, 5000];
    }
    let report = run(&today);
    let op =
        report.checkpoints[0].subtasks.iter().find(|it| it.vertex == "op").expect("it is there");
    assert!((4900..=5100).contains(&op.alignment_ms), "{}", op.alignment_ms);
    assert!(report.tasks[0].backpressured_ms > 1000, "{:?}", report.tasks[0]);
}

/// A barrier stuck at the sender: since FLINK-27251 it is converted there at the timeout.
#[test]
fn ckp_05_a_barrier_in_the_senders_buffers() {
    let checkpointing = |mode: &str| {
        json!({
            "mode": mode, "alignedCheckpointTimeoutMs": 30_000, "intervalMs": 3_600_000,
            "firstTriggerMs": 5000, "timeoutMs": 600_000,
        })
    };
    // 42.7 records a buffer, 18.5 buffers, 120 ms a record: 95 s of queue.
    let of = |mode| {
        run(&scenario(checkpointing(mode), json!({ "rate": [10_000.0] }), 120_000.0, 130_000))
    };
    let op = |report: &CheckpointReport| report.checkpoints[0].subtasks[1].clone();
    // Before, only the receiver could notice, when the barrier came.
    let before = of("aligned");
    let reaches = op(&before).start_delay_ms;
    assert!((90_000..=100_000).contains(&reaches), "{reaches}");
    let after = of("timeout");
    let took = after.checkpoints[0].end_to_end_ms;
    assert!((30_000..=30_500).contains(&took), "{took}");
    let sender = &after.checkpoints[0].subtasks[0];
    assert!(sender.vertex == "source" && sender.persisted_bytes > 0, "{sender:?}");
}

/// Everything is written anew each time: incremental is not effective, and that is no leak yet.
#[test]
fn ckp_06_incremental_that_is_not() {
    let size = |bytes: u64| json!({ "checkpointed_size": bytes, "state_size": bytes });
    let history: Vec<Value> =
        (2..6).rev().map(|id| row(id, "COMPLETED", 4000, &size(id << 30))).collect();
    let config = json!({
        "mode": "exactly_once", "interval": 60_000, "timeout": 600_000,
        "state_backend": "EmbeddedRocksDBStateBackend",
    });
    let (_, findings) = import(&[overview(&history), config.clone()]);
    let finding = found(&findings, "nothingReused");
    assert!(
        finding.reason.contains("incremental checkpoints are not effective"),
        "{}",
        finding.reason
    );
    assert!(finding.reason.contains("does not prove a leak"), "{}", finding.reason);
    assert!(finding.reason.contains("a canonical savepoint holds one entry a key"));
    // One checkpoint that reuses files is enough to say nothing.
    let mut reuses = history;
    reuses.push(row(
        7,
        "COMPLETED",
        900,
        &json!({ "checkpointed_size": 5, "state_size": 1 << 30 }),
    ));
    let (_, findings) = import(&[overview(&reuses), config]);
    assert!(findings.iter().all(|it| it.code != "nothingReused"));
}

/// More source subtasks than partitions: the surplus finishes, and old versions take no checkpoint.
#[test]
fn ckp_09_finished_source_subtasks() {
    let job = |finished: u64| {
        json!({ "jid": "1", "vertices": [
            { "id": "s", "name": "Source: pulsar", "parallelism": 5, "tasks": { "FINISHED": finished } },
            { "id": "w", "name": "sink", "parallelism": 1 },
        ] })
    };
    let config = |after: Value| {
        json!({
            "mode": "exactly_once", "interval": 60_000, "timeout": 600_000,
            "checkpoints_after_tasks_finish": after,
        })
    };
    let old = json!({ "mode": "exactly_once", "interval": 60_000, "timeout": 600_000 });
    let (_, findings) = import(&[job(2), old]);
    let finding = found(&findings, "tasksFinished");
    assert_eq!(finding.title, "2 of 5 subtasks of Source: pulsar are finished.");
    assert_eq!(finding.severity, Severity::Error, "none can be taken");
    assert!(finding.reason.contains("since 1.15 it is on by default"), "{}", finding.reason);
    let (_, findings) = import(&[job(2), config(json!(true))]);
    assert_eq!(found(&findings, "tasksFinished").severity, Severity::Note);
    let (_, findings) = import(&[job(0), config(json!(false))]);
    assert!(findings.iter().all(|it| it.code != "tasksFinished"));
}

/// What one gate can hold, and so an unaligned checkpoint store of it.
#[test]
fn ckp_11_the_bound_of_in_flight_data() {
    let params = json!({
        "version": "1.20", "startScript": true, "containerLimit": null,
        "config": { "taskmanager.memory.process.size": "4g" },
        "job": {
            "stages": [], "exchanges": [], "requests": [], "tieredExclusiveBuffers": null,
            "tasks": [{
                "name": "op", "subtasks": 1, "partitions": [],
                "gates": [{ "channels": 100, "count": 1, "type": "PIPELINED_BOUNDED" }],
            }],
        },
    });
    let params = serde_json::from_value(params).expect("params");
    let report = network_buffers(&params).expect("it starts").value;
    let report = serde_json::to_value(&report).expect("it serialises");
    let gate = &report["tasks"][0]["gates"][0];
    let buffers = gate["target"].as_u64().or_else(|| gate["buffers"]["target"].as_u64());
    assert_eq!(buffers, Some(208), "{gate}");
    assert_eq!(buffers.map(|it| it * 32_768), Some(6_815_744), "bytes that may lie in flight");
}

/// A broadcast edge stays aligned, and unaligned checkpoints are never concurrent.
#[test]
fn ckp_15_edges_that_are_forced_aligned() {
    assert!(Exchange::Hash.can_be_overtaken());
    assert!(!Exchange::Broadcast.can_be_overtaken() && !Exchange::Forward.can_be_overtaken());
    let checkpointing = json!({ "mode": "unaligned", "maxConcurrentCheckpoints": 2 });
    let error = simulate_scenario(&scenario(checkpointing, json!({}), 0.0, 5000));
    let error = error.expect_err("it is refused");
    assert!(matches!(error, CheckpointError::ConcurrentUnaligned { .. }), "{error}");
    let config = json!({
        "mode": "exactly_once", "interval": 60_000, "timeout": 600_000, "max_concurrent": 2,
        "unaligned_checkpoints": true,
    });
    let (_, findings) = import(&[config]);
    assert_eq!(found(&findings, "concurrentUnaligned").severity, Severity::Error);
    // A queue in front of the barrier: overtaken on a hash edge, waited for on a broadcast one.
    let checkpointing = json!({
        "mode": "unaligned", "firstTriggerMs": 5000, "intervalMs": 3_600_000,
    });
    let mut job = scenario(checkpointing, json!({ "rate": [10_000.0] }), 10_000.0, 25_000);
    assert!(run(&job).checkpoints[0].end_to_end_ms < 100);
    job.edges[0].exchange = Exchange::Broadcast;
    assert!(run(&job).checkpoints[0].end_to_end_ms > 5000);
    job.edges[0].exchange = Exchange::Rescale;
    assert!(run(&job).checkpoints[0].end_to_end_ms > 5000);
}

/// Each checkpoint after the restart takes longer, until one expires; what it proves is limited.
#[test]
fn ckp_16_durations_that_grow_until_the_timeout() {
    let failed = json!({ "failure_message": "Checkpoint expired before completing." });
    let none = json!({});
    let history = [
        row(3, "FAILED", 600_000, &failed),
        row(2, "COMPLETED", 240_000, &none),
        row(1, "COMPLETED", 60_000, &none),
    ];
    let (_, findings) = import(&[overview(&history)]);
    let finding = found(&findings, "durationsGrow");
    assert_eq!(
        finding.title,
        "The last 3 checkpoints took longer each time: 1 min 0 s, 4 min 0 s, 10 min 0 s."
    );
    assert!(finding.reason.contains("throughput deficit"), "{}", finding.reason);
    assert!(finding.reason.contains("do not prove it"), "{}", finding.reason);
    assert!(finding.reason.contains("Neither interval nor timeout alone mends it"));
    let steady = [
        row(3, "COMPLETED", 61_000, &none),
        row(2, "COMPLETED", 60_000, &none),
        row(1, "COMPLETED", 60_000, &none),
    ];
    let (_, findings) = import(&[overview(&steady)]);
    assert!(findings.is_empty(), "{findings:?}");
}
