//! What is proposed for a file by its first bytes.
#![cfg(not(target_arch = "wasm32"))]

use weir::stream::read::params::{Delimiter, Field, Format, TimeFormat};
use weir::stream::{Reader, ReaderParams, SniffReport, sniff};

fn proposal(text: impl AsRef<[u8]>) -> SniffReport {
    let report = sniff(text.as_ref()).value;
    if let Some(params) = &report.params {
        // What is proposed can be sent back as it is, and reads the file.
        let sent = serde_json::to_string(params).expect("a sound case");
        assert_eq!(&serde_json::from_str::<ReaderParams>(&sent).expect("a sound case"), params);
        let mut reader = Reader::new(params.clone()).expect("a sound case");
        reader.push(text.as_ref()).expect("a sound case");
        let report = reader.finish().expect("a sound case").1.value;
        assert!(report.records > 0 && report.bad == 0, "{report:?}");
    }
    report
}

#[test]
fn a_proposal_finds_format_columns_and_times() {
    let report = proposal(
        "id;user;event_time;ingest_time;amount\n1;ann;1700000000000;1700000000009;2.5\n2;bob;1700000001000;1700000001009;3\n",
    );
    let format = Format::Csv { delimiter: Delimiter::Semicolon, header: true, columns: None };
    assert_eq!(report.format, format);
    let roles = (report.time, report.key, report.partition, report.value);
    assert_eq!(roles, (Some(2), Some(1), None, Some(4)));
    assert_eq!((report.id, report.arrival), (Some(0), Some(3)));
    let params = report.params.unwrap();
    assert_eq!(params.time_format, TimeFormat::EpochMillis);
    // Decimals are no values.
    let index = |at| Some(Field::Index(at));
    assert_eq!((params.value, params.id, params.arrival), (None, index(0), index(3)));

    let report = proposal(
        "a,3,2024-01-01 10:00:00\nb,4,2024-01-01 10:00:01\na,5,2024-01-01 10:00:02\nb,6,2024-01-01 10:00:03\n",
    );
    let format = Format::Csv { delimiter: Delimiter::Comma, header: false, columns: Some(3) };
    assert_eq!((report.format, report.time, report.key), (format, Some(2), Some(0)));
    assert_eq!(report.params.unwrap().time_format, TimeFormat::Iso8601);

    let report = proposal(
        "{\"ts\":1700000000.5,\"user\":\"a\",\"partition\":3,\"value\":1}\n{\"ts\":1700000001.5,\"user\":\"b\",\"partition\":3,\"value\":1}\n",
    );
    let params = report.params.unwrap();
    assert_eq!(params.format, Format::JsonLines);
    assert_eq!(params.time, Field::Name("ts".to_owned()));
    assert_eq!(params.key, Some(Field::Name("user".to_owned())));
    assert_eq!(params.partition, Some(Field::Name("partition".to_owned())));
    assert_eq!(params.value, Some(Field::Name("value".to_owned())));
    assert_eq!(params.time_format, TimeFormat::EpochSeconds);

    for (unit, format) in [
        ("1700000000", TimeFormat::EpochSeconds),
        ("1700000000000", TimeFormat::EpochMillis),
        ("1700000000000000", TimeFormat::EpochMicros),
        ("1700000000000000000", TimeFormat::EpochNanos),
        ("5000000000", TimeFormat::EpochSeconds),
    ] {
        let report = proposal(format!("ts\tk\n{unit}\ta\n"));
        assert_eq!(report.params.unwrap().time_format, format, "{unit}");
    }
}

#[test]
fn what_cannot_be_proposed_says_why() {
    let code = |text: &[u8]| {
        let answer = sniff(text);
        assert_eq!(answer.value.params, None);
        answer.findings[0].code
    };
    assert_eq!(code(b""), "empty_file");
    assert_eq!(code(b"\xff\xfea\0"), "utf_16");
    assert_eq!(code(b"[{\"ts\":1700000000}]"), "json_list");
    assert_eq!(code(b"a,b\nc,d\n"), "no_timestamp");
    assert_eq!(code(b"\"a,b\nc,d\n"), "no_timestamp");
    let unit = sniff(b"ts,k\n1700000000000,a\n").findings.remove(0);
    assert_eq!(
        (unit.code, unit.reason.contains("2023-11-14T22:13:20.000Z")),
        ("unit_by_size", true)
    );
}

#[test]
fn a_cut_last_line_does_not_upset_the_proposal() {
    let text = "1700000000000,some user,1\n".repeat(5000);
    let report = sniff(&text.as_bytes()[..64 << 10]).value;
    assert_eq!((report.rows, report.columns.len(), report.time), (1000, 3, Some(0)));
    let line = format!("{{\"ts\":1700000000000,\"x\":\"{}\"}}\n", "y".repeat(1000));
    assert_eq!(sniff(line.repeat(100).as_bytes()).value.rows, 63);
}

#[test]
fn a_head_of_many_columns_is_ordinary() {
    let commas = ",".repeat(64 << 10);
    assert_eq!(sniff(commas.as_bytes()).value.columns.len(), 1000);
    let fields: Vec<String> = (0..4000).map(|at| format!("\"n{at}\":{at}")).collect();
    let object = format!("{{{}}}\n", fields.join(","));
    assert!(object.len() < 64 << 10);
    assert_eq!(sniff(object.as_bytes()).value.columns.len(), 1000);
}
