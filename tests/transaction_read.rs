//! Texts about an exactly-once sink: what is recognised, used and ignored.
#![cfg(not(target_arch = "wasm32"))]

use weir::transaction::read::signatures::SIGNATURES;
use weir::transaction::read::*;
use weir::transaction::refusal::SettingError;
use weir::units::FlinkVersion;

fn read(text: &str) -> TransactionText {
    let params = ReadParams { version: FlinkVersion::V1_20, text: text.to_owned() };
    read_transaction_text(&params).expect("it is so").value
}

fn refused(text: &str) -> SettingError {
    let params = ReadParams { version: FlinkVersion::V1_20, text: text.to_owned() };
    read_transaction_text(&params).expect_err("it is refused")
}

fn cause(text: &str) -> TransactionCause {
    read(text).cause.expect("it is so")
}

fn setting<'a>(report: &'a TransactionText, field: &str) -> Option<&'a str> {
    report.settings.iter().find(|it| it.field == field).map(|it| it.value.as_str())
}

fn fact<'a>(report: &'a TransactionText, name: &str) -> Option<&'a str> {
    report.facts.iter().find(|it| it.name == name).map(|it| it.value.as_str())
}

#[test]
fn each_message_is_read_from_each_of_its_needles() {
    for signature in &SIGNATURES {
        for needle in signature.needles {
            let text = format!("2026-01-01 12:00:00 ERROR some.Class [] - Before {needle} after.");
            assert_eq!(cause(&text).code, signature.code, "{needle}");
        }
    }
    let mut codes: Vec<_> = SIGNATURES.iter().map(|it| it.code).collect();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes.len(), SIGNATURES.len());
}

#[test]
fn a_fenced_commit_gives_its_timeout_its_id_and_its_prefix() {
    let report = read(
        "2026-02-03 10:00:00,000 ERROR org.apache.flink.connector.kafka.sink.internal.KafkaCommitter [] - \
         Unable to commit transaction (CommitRequestImpl{KafkaCommittable{producerId=12, epoch=3, transactionalId=my-app-1-42}}) \
         because its producer is already fenced. … or recovery took longer than 'transaction.timeout.ms' (900000ms).\n\
         org.apache.kafka.common.errors.ProducerFencedException: There is a newer producer with the same transactionalId which fences the current one.\n\
         \tat org.apache.kafka.clients.Foo",
    );
    let cause = report.cause.as_ref().expect("it is so");
    assert_eq!((cause.code, cause.fate), ("fencedOnCommit", Fate::Depends));
    assert_eq!(cause.tell.len(), 4);
    assert_eq!(setting(&report, "timeoutMs"), Some("900000 ms"));
    assert_eq!(setting(&report, "prefix"), Some("my-app"));
    assert_eq!(fact(&report, "Subtask"), Some("1"));
    assert_eq!(report.also, [AlsoSeen { code: "fenced", title: SIGNATURES[18].title, lines: 1 }]);
    assert_eq!((report.used_count, report.ignored_count), (2, 1));
}

#[test]
fn the_state_that_the_tool_shows_settles_what_the_message_leaves_open() {
    const LINE: &str = "ERROR KafkaCommitter - Unable to commit transaction (x) because it's in an invalid state. Most likely …";
    assert_eq!(cause(LINE).fate, Fate::Depends);
    for (state, fate) in [
        ("Empty", Fate::Nothing),
        ("CompleteCommit", Fate::Kept),
        ("CompleteAbort", Fate::Lost),
        ("Ongoing", Fate::Depends),
    ] {
        let text = format!(
            "{LINE}\nCoordinatorId\tTransactionalId\tProducerId\tProducerEpoch\tTransactionState\tTransactionTimeoutMs\tCurrentTransactionStartTimeMs\tTransactionDurationMs\tTopicPartitions\n\
             0            \tapp-0-3        \t12        \t4            \t{state}           \t900000              \tNone                         \tNone                 \tout-0          "
        );
        assert_eq!(cause(&text).fate, fate, "{state}");
    }
}

#[test]
fn an_open_transaction_says_how_long_it_holds_readers_back() {
    let text = "CoordinatorId TransactionalId ProducerId ProducerEpoch TransactionState TransactionTimeoutMs CurrentTransactionStartTimeMs TransactionDurationMs TopicPartitions\n\
                1 Source: Custom Source -> Sink: Unnamed-7df1-1 25004 586 Ongoing 3600000 1700000000000 120000 out-0,out-1";
    let report = read(text);
    assert_eq!(report.kind, TextKind::TransactionDescription);
    assert_eq!(
        report.cause.as_ref().expect("it is so").title,
        "Readers are held back for 58 min to 58 min 10 s more, unless the transaction is ended before."
    );
    assert_eq!(
        fact(&report, "Transactional id"),
        Some("Source: Custom Source -> Sink: Unnamed-7df1-1")
    );
    assert_eq!(setting(&report, "timeoutMs"), Some("3600000 ms"));
    assert_eq!(
        report.situation,
        Some(Situation { preset: "blocked-reader", open_ms: Some(120_000), checkpoints: None })
    );
    let overdue = text.replace("120000", "3620000");
    assert_eq!(cause(&overdue).code, "overdue");
}

#[test]
fn a_list_gives_prefix_and_subtasks() {
    let report = read(
        "TransactionalId\tCoordinator\tProducerId\tTransactionState\t\n\
         app-0-1        \t0          \t7         \tOngoing         \t\n\
         app-3-12       \t2          \t9         \tCompleteCommit  \t\n\
         \n\
         some other line",
    );
    assert_eq!(report.kind, TextKind::TransactionList);
    assert_eq!(setting(&report, "prefix"), Some("app"));
    assert_eq!(setting(&report, "parallelism"), Some("4"));
    assert_eq!(fact(&report, "Of them Ongoing"), Some("1"));
    assert_eq!((report.used_count, report.ignored_count), (3, 1));
    let two = read(
        "TransactionalId Coordinator ProducerId TransactionState\n\
         app-0-1 0 7 Ongoing\napp-2-0-1 0 8 Ongoing",
    );
    assert_eq!(setting(&two, "prefix"), None);
    assert_eq!(fact(&two, "One to LISTING (POOLING)"), Some("app and app-2"));
}

#[test]
fn hanging_transactions_give_the_command_that_aborts_them() {
    let head = "Topic Partition ProducerId ProducerEpoch CoordinatorEpoch StartOffset LastTimestamp Duration(min)";
    let report = read(&format!("{head}\nout 3 25 7 1 4711 1700000000000 95"));
    assert_eq!(report.cause.as_ref().expect("it is so").code, "hanging");
    // No example has a transaction that never times out.
    assert_eq!(report.situation, None);
    let command = fact(&report, "To abort on out-3").expect("it is so");
    assert!(command.ends_with("abort --topic out --partition 3 --start-offset 4711"), "{command}");
    assert_eq!(read(head).cause, None);
}

#[test]
fn properties_are_read_in_each_spelling() {
    let report = read(
        "# broker\ntransaction.max.timeout.ms=900000\n\ttransaction.timeout.ms = 3600000\n\
         'properties.max.block.ms' = '60000',\nisolation.level: read_committed\n\
         'sink.transaction-naming-strategy' = 'POOLING'\nexecution.checkpointing.interval: 10 min\n\
         acks = all\ntransactional.id.expiration.ms=soon",
    );
    assert_eq!(report.kind, TextKind::Properties);
    for (field, value) in [
        ("brokerMaxMs", "900000 ms"),
        ("timeoutMs", "3600000 ms"),
        ("maxBlockMs", "60000 ms"),
        ("isolation", "read_committed"),
        ("naming", "pooling"),
        ("intervalMs", "10 min"),
    ] {
        assert_eq!(setting(&report, field), Some(value), "{field}");
    }
    assert_eq!(report.settings.len(), 6);
    let reasons: Vec<_> = report.ignored.iter().map(|it| (it.line, it.reason)).collect();
    assert_eq!(reasons.len(), 3);
    assert_eq!(reasons[1], (8, "a property that decides nothing here"));
}

#[test]
fn what_is_nothing_of_these_is_refused_and_nothing_panics() {
    assert_eq!(refused("taskmanager.memory.process.size: 4g"), SettingError::NotRecognised);
    assert_eq!(refused(""), SettingError::NotRecognised);
    assert!(matches!(refused(&"x".repeat(TEXT_BYTES_MAX + 1)), SettingError::TooLong { .. }));
    let hostile = [
        "has been open for 99999999999999999999 ms. This is close to or even exceeding the transaction timeout of 0 ms.",
        "has been open for 5 ms. This is close to or even exceeding the transaction timeout of 0 ms.",
        "transactionalId= because its producer is already fenced",
        "'transaction.timeout.ms' (nullms) because its producer is already fenced transactionalId=é–ü-1-x}",
        "TransactionalId Coordinator ProducerId TransactionState\n\u{0}\u{0}\n0 0",
        "CoordinatorId TransactionalId ProducerId ProducerEpoch TransactionState TransactionTimeoutMs CurrentTransactionStartTimeMs TransactionDurationMs TopicPartitions\n1 a 2 3 Ongoing -5 None None",
        "transaction.timeout.ms=9223372036854775807",
        "Found duplicate transactionalIdPrefix for multiple Kafka sinks: <img src=x onerror=alert(1)>. x",
    ];
    for text in hostile {
        let report = read(text);
        assert!(report.used_count > 0, "{text}");
    }
    assert_eq!(cause(hostile[1]).fate, Fate::Lost);
    let long = format!("{}KAFKA-9310", "é".repeat(1000));
    assert_eq!(read(&long).used[0].text.chars().count(), 241);
}
