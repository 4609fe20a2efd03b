//! What people had in public reports about exactly-once sinks into Kafka, and the right answers to it.
#![cfg(not(target_arch = "wasm32"))]

#[path = "replay/native.rs"]
mod native;

use native::ask;
use serde_json::{Value, json};

/// A job of which only the usual is known, with what a report changes of it.
fn job(changes: &Value) -> Value {
    let text = include_str!("golden/transactions/sound.json");
    let mut job: Value = serde_json::from_str(text).expect("it is JSON");
    for (key, value) in changes.as_object().expect("an object") {
        match job["times"].get(key) {
            Some(_) => job["times"][key] = value.clone(),
            None => job[key] = value.clone(),
        }
    }
    job
}

#[track_caller]
fn value(question: &str, params: &Value) -> Value {
    let answer = ask(question, params);
    assert_eq!(answer["ok"], json!(true), "{answer}");
    answer["value"].clone()
}

fn timeouts(changes: &Value) -> Value {
    value("transactionTimeouts", &job(changes)["times"])
}

fn firing(changes: &Value) -> Vec<Value> {
    let answer = ask("lintTransactions", &job(changes));
    answer["findings"].as_array().expect("findings").clone()
}

fn fires(changes: &Value, code: &str) -> bool {
    firing(changes).iter().any(|found| found["code"] == json!(code))
}

fn read(text: &str) -> Value {
    value("readTransactionText", &json!({ "version": "1.20", "text": text }))
}

/// `kafka-transactions.sh describe`, one row.
fn described(id: &str, state: &str, timeout: &str, open: &str) -> String {
    format!(
        "CoordinatorId\tTransactionalId\tProducerId\tProducerEpoch\tTransactionState\tTransactionTimeoutMs\t\
         CurrentTransactionStartTimeMs\tTransactionDurationMs\tTopicPartitions\t\n\
         1\t{id}\t25004\t586\t{state}\t{timeout}\t1700000000000\t{open}\tout-0\t\n"
    )
}

/// j3-signalroom/apache_flink-kickstarter#787: dies at start, no timeout was configured.
#[test]
fn txn_01_the_preset_of_an_hour_is_above_the_brokers_default() {
    let text = "org.apache.kafka.common.KafkaException: Unexpected error in InitProducerIdResponse; The transaction timeout is larger than the maximum value allowed by the broker (as configured by transaction.max.timeout.ms).";
    let cause = &read(text)["cause"];
    assert_eq!(
        (&cause["code"], &cause["fate"]),
        (&json!("timeoutAboveMaximum"), &json!("nothing"))
    );
    let report = timeouts(&json!({ "timeoutMs": null, "brokerMaxMs": 900_000 }));
    assert_eq!(report["timeoutMs"], json!(3_600_000));
    assert_eq!(report["state"], json!("refused"));
    let found = firing(&json!({ "timeoutMs": null, "brokerMaxMs": 900_000 }));
    let l01 = found.iter().find(|found| found["code"] == json!("L01")).expect("L01 fires");
    let fix = json!([{ "option": "transaction.timeout.ms", "value": "900000" }]);
    assert_eq!(l01["apply"], fix);
    let raised =
        timeouts(&json!({ "timeoutMs": null, "brokerMaxMs": 3_600_000, "patienceMs": null }));
    assert_eq!(raised["state"], json!("safe"));
    // What the lower value costs: 45 min of downtime.
    let lowered = timeouts(&json!({ "timeoutMs": 900_000 }));
    let survived = |report: &Value| report["downtimeSurvivedMs"].as_i64().expect("it runs");
    assert_eq!(survived(&raised) - survived(&lowered), 2_700_000);
}

/// streamnative/kop#1333: open for 42 551 680 ms, timeout of 10 000 ms.
#[test]
fn txn_03_a_transaction_open_for_half_a_day_is_lost() {
    let text = "2022-07-28 01:12:18,466 WARN  org.apache.flink.streaming.api.functions.sink.TwoPhaseCommitSinkFunction [] - Transaction KafkaTransactionState [transactionalId=Source: Custom Source -> Sink: Unnamed-7df19f87deec5680128845fd9a6ca18d-1, producerId=25004, epoch=586] has been open for 42551680 ms. This is close to or even exceeding the transaction timeout of 10000 ms.";
    let report = read(text);
    let cause = &report["cause"];
    assert_eq!((&cause["code"], &cause["fate"]), (&json!("openTooLong"), &json!("lost")));
    let reason = cause["reason"].as_str().expect("a reason");
    assert!(reason.contains("4255.2 times its timeout of 10 s"), "{reason}");
    assert!(reason.contains("do not read its records again"), "{reason}");
    assert!(cause["action"].as_str().expect("an action").contains("above 11 h 49 min 11.68 s"));
    assert_eq!(
        report["situation"],
        json!({
            "preset": "long-outage",
            "openMs": 42_551_680,
            "checkpoints": { "intervalMs": 2_500, "durationMs": 500 },
        })
    );
    assert_eq!(report["settings"][0]["value"], json!("10000 ms"));
    // The least timeout that would have kept it, to the millisecond.
    let downtime = json!({
        "timeoutMs": 10_000, "intervalMs": 1, "durationMs": 0, "notifyMs": 0, "detectionMs": 42_551_679,
        "restartDelayMs": 0, "schedulingMs": 0, "restoreMs": 0, "probingMs": 0,
        "brokerMaxMs": 86_400_000, "patienceMs": null
    });
    assert_eq!(timeouts(&downtime)["safe"]["fromMs"], json!(42_551_681));
}

/// apache/flink#4910: interval 27 s, timeout 30 s.
#[test]
fn txn_05_three_seconds_are_left_for_the_checkpoint_and_none_for_a_restart() {
    let times =
        json!({ "timeoutMs": 30_000, "intervalMs": 27_000, "durationMs": 0, "notifyMs": 0 });
    let report = timeouts(&times);
    assert_eq!(report["downtimeSurvivedMs"], json!(2_999));
    let mut steady = times.clone();
    for part in ["detectionMs", "restartDelayMs", "schedulingMs", "restoreMs", "probingMs"] {
        steady[part] = json!(0);
    }
    let duration = |ms: i64| {
        let mut changed = steady.clone();
        changed["durationMs"] = json!(ms);
        timeouts(&changed)["state"].clone()
    };
    assert_eq!((duration(2_999), duration(3_000)), (json!("safe"), json!("tooShortToRun")));
    let mut restart = steady.clone();
    restart["restartDelayMs"] = json!(10_000);
    assert_eq!(timeouts(&restart)["state"], json!("tooShortToRecover"));
    assert!(fires(&restart, "L05") && !fires(&restart, "L04"));
    // The legacy sink warns at four fifths of the timeout: 27 s are past 24 s, and nothing is lost yet.
    let warning = "Transaction KafkaTransactionState [transactionalId=a-1, producerId=1, epoch=0] has been open for 27000 ms. This is close to or even exceeding the transaction timeout of 30000 ms.";
    let cause = &read(warning)["cause"];
    assert_eq!(cause["fate"], json!("kept"));
    assert!(cause["reason"].as_str().expect("a reason").contains("3 s are left"), "{cause}");
}

/// apache/flink#5030: restored twice from one checkpoint, fenced.
#[test]
fn txn_07_a_fenced_restore_is_decided_by_the_age_of_the_checkpoint() {
    let text = "WARN FlinkKafkaProducer - Encountered error org.apache.kafka.common.errors.ProducerFencedException: Producer attempted an operation with an old epoch. while recovering transaction KafkaTransactionState [transactionalId=sink-2, producerId=24019, epoch=735]. Presumably this transaction has been already committed before";
    let cause = &read(text)["cause"];
    assert_eq!(
        (&cause["code"], &cause["fate"]),
        (&json!("recoveredCommitGuess"), &json!("depends"))
    );
    let tell = cause["tell"][0].as_str().expect("how to tell");
    assert!(tell.contains("age of the checkpoint with the timeout"), "{tell}");
    assert!(cause["title"].as_str().expect("a title").contains("drops it"));
    let kept =
        read(&format!("{text}\n{}", described("sink-2", "CompleteCommit", "900000", "None")));
    assert_eq!(kept["cause"]["code"], json!("recoveredCommitGuess"));
}

/// apache/flink-connector-kafka#296: killed 120 s after the transaction began, one hour of timeout.
#[test]
fn txn_09_readers_stand_still_until_the_timeout() {
    let report = read(&described("app-0-7", "Ongoing", "3600000", "120000"));
    let cause = &report["cause"];
    let title = cause["title"].as_str().expect("a title");
    // 3480 s is 58 min.
    assert!(title.contains("58 min to 58 min 10 s more"), "{title}");
    assert!(cause["action"].as_str().expect("an action").contains("Restore the job within 58 min"));
    assert!(cause["action"].as_str().expect("an action").contains("admin tool"));
    let worth =
        timeouts(&json!({ "timeoutMs": 3_600_000, "brokerMaxMs": 3_600_000 }))["worth"].clone();
    let now = worth.as_array().expect("rows").iter().find(|row| row["isPresent"] == json!(true));
    assert_eq!(now.expect("the present one")["stallMaxMs"], json!(3_610_000));
}

/// immerok/recipes#5: duplicates downstream of an exactly-once job.
#[test]
fn txn_11_a_reader_of_defaults_reads_what_is_aborted_later() {
    let found = firing(&json!({ "readers": [null] }));
    let l12 = found.iter().find(|found| found["code"] == json!("L12")).expect("L12 fires");
    let fix = json!([{ "option": "isolation.level", "value": "read_committed" }]);
    assert_eq!(l12["apply"], fix);
    assert!(l12["reason"].as_str().expect("a reason").contains("1 of them by default"));
    assert!(!fires(&json!({ "readers": ["read_committed"] }), "L12"));
}

/// redpanda-data/redpanda#7975, FLINK-31363: the commit of an interval without records fails.
#[test]
fn txn_13_an_empty_transaction_is_no_loss() {
    let line = "ERROR KafkaCommitter - Unable to commit transaction (x) because it's in an invalid state. org.apache.kafka.common.errors.InvalidTxnStateException: The producer attempted a transactional operation in an invalid state.";
    assert_eq!(read(line)["cause"]["fate"], json!("depends"));
    let report = read(&format!("{line}\n{}", described("app-0-7", "Empty", "900000", "None")));
    assert_eq!(report["cause"]["fate"], json!("nothing"));
    let action = report["cause"]["action"].as_str().expect("an action");
    assert!(action.contains("does not commit empty transactions"), "{action}");
    let aborted =
        read(&format!("{line}\n{}", described("app-0-7", "CompleteAbort", "900000", "None")));
    assert_eq!(aborted["cause"]["fate"], json!("lost"));
}

/// apache/flink#17019 (TransactionAborter): 5 subtasks, then 2.
#[test]
fn txn_15_every_subtask_of_before_is_probed_by_one_of_now() {
    let probes =
        value("lintTransactions", &job(&json!({ "parallelism": 5, "plannedParallelism": 2 })));
    let table = &probes["probing"];
    assert_eq!(table[0]["subtasks"], json!([0, 2, 4, 6]), "{probes}");
    assert_eq!(table[1]["subtasks"], json!([1, 3, 5]));
    assert!(fires(&json!({ "prefixChanged": true, "stateRestored": false }), "L16"));
}

/// apache/flink#7260, #4239: a pool of 5 and 1, 4 or 6 concurrent checkpoints.
#[test]
fn txn_18_more_concurrent_checkpoints_than_the_pool_allows_fail() {
    let legacy = |concurrent: u32| {
        json!({
            "connector": "3.4", "flink": "1.20", "sink": "flinkKafkaProducer", "poolSize": 5,
            "maxConcurrentCheckpoints": concurrent
        })
    };
    let needed = |concurrent| {
        let report = value("lintTransactions", &job(&legacy(concurrent)));
        report["poolNeeded"].as_u64().expect("a number")
    };
    let fits: Vec<bool> = [1, 4, 6].map(|concurrent| needed(concurrent) <= 5).to_vec();
    assert_eq!(fits, [true, true, false]);
    // With 4 the pool is full, and one lost notification is one too many.
    assert_eq!([1, 4, 6].map(|it| fires(&legacy(it), "L29")), [false, true, true]);
    let text = "FlinkKafkaException: Too many ongoing snapshots. Increase kafka producers pool size or decrease number of concurrent checkpoints.";
    assert_eq!(read(text)["cause"]["code"], json!("poolEmpty"));
}
