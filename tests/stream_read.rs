//! A user's own records: what is read, what is refused, and that no bytes and no chunks upset it.
#![cfg(not(target_arch = "wasm32"))]

use proptest::prelude::*;
use weir::finding::{Derivation, Problem};
use weir::stream::read::params::{Delimiter, Field, Format, TimeFormat};
use weir::stream::read::report::Reason;
use weir::stream::{Event, ReadReport, Reader, ReaderParams, Records, StreamError, sniff};

type Read = Result<(Records, Derivation<ReadReport>), StreamError>;

fn csv(header: bool) -> ReaderParams {
    let field = |at: u32, name: &str| match header {
        true => Field::Name(name.to_owned()),
        false => Field::Index(at),
    };
    ReaderParams {
        format: Format::Csv { delimiter: Delimiter::Comma, header, columns: None },
        time: field(0, "ts"),
        time_format: TimeFormat::EpochMillis,
        key: Some(field(1, "key")),
        partition: None,
        value: None,
        id: None,
        arrival: None,
        arrival_format: None,
    }
}

fn json() -> ReaderParams {
    let name = |name: &str| Field::Name(name.to_owned());
    ReaderParams {
        format: Format::JsonLines,
        time: name("ts"),
        key: Some(name("key")),
        partition: Some(name("p")),
        ..csv(true)
    }
}

fn read_chunks<'a>(params: &ReaderParams, chunks: impl Iterator<Item = &'a [u8]>) -> Read {
    let mut reader = Reader::new(params.clone())?;
    for chunk in chunks {
        reader.push(chunk)?;
    }
    reader.finish()
}

fn read(params: &ReaderParams, text: impl AsRef<[u8]>) -> (Vec<(i64, String)>, ReadReport) {
    let (records, report) =
        read_chunks(params, std::iter::once(text.as_ref())).expect("a sound case");
    let key = |it: &Event| records.keys().text(it.key).expect("a sound case").to_owned();
    let rows: Vec<_> = records.events().map(|it| (it.time, key(&it))).collect();
    assert_eq!(rows.len() as u64, report.value.records);
    (rows, report.value)
}

#[track_caller]
fn check(
    params: &ReaderParams,
    text: impl AsRef<[u8]>,
    good: &[(i64, &str)],
    bad: &[(u64, Reason)],
) {
    let (rows, report) = read(params, text);
    let rows: Vec<(i64, &str)> = rows.iter().map(|(time, key)| (*time, key.as_str())).collect();
    assert_eq!(rows, good);
    let named: Vec<_> = report.bad_rows.iter().map(|it| (it.line, it.reason)).collect();
    assert_eq!(named, bad, "{:?}", report.bad_rows);
    assert_eq!(report.bad, bad.len() as u64);
}

#[test]
fn rows_of_csv_are_read_with_their_quotes() {
    check(&csv(true), "ts,key\n1,a\n2,b\n", &[(1, "a"), (2, "b")], &[]);
    check(&csv(true), "key,x,ts\r\na,,1\r\nb,,2", &[(1, "a"), (2, "b")], &[]);
    check(&csv(false), "1,a\r2,b\r", &[(1, "a"), (2, "b")], &[]);
    check(&csv(false), "\n\n1,a\n\r\n\n2,b\n\n", &[(1, "a"), (2, "b")], &[]);
    let quoted = "1,\"a \"\"b\"\", c\nd\"\n\"2\",e\"f\n";
    check(&csv(false), quoted, &[(1, "a \"b\", c\nd"), (2, "e\"f")], &[]);
    check(&csv(false), "1,\n2,\"\"\n", &[(1, ""), (2, "")], &[]);
    check(&csv(false), "1,a\0b\n", &[(1, "a\0b")], &[]);
}

#[test]
fn other_delimiters_are_read() {
    for (delimiter, text) in [(Delimiter::Semicolon, "1;a,b\n"), (Delimiter::Tab, "1\ta,b\n")] {
        let format = Format::Csv { delimiter, header: false, columns: None };
        check(&ReaderParams { format, ..csv(false) }, text, &[(1, "a,b")], &[]);
    }
}

#[test]
fn bad_rows_are_named_by_line_with_their_reason() {
    let text = b"ts,key\n1,a\nx,b\n,c\n4,d,e\n5\n6,\"f\ng\"\n7,\xff\n8,h\n99999999999999999999,i\n\n12,j\n";
    let bad = [
        (3, Reason::NotANumber),
        (4, Reason::EmptyTime),
        (5, Reason::FieldCount),
        (6, Reason::FieldCount),
        (9, Reason::NotUtf8),
        (11, Reason::TimeOutOfRange),
    ];
    check(&csv(true), text, &[(1, "a"), (6, "f\ng"), (8, "h"), (12, "j")], &bad);
    let (_, report) = read(&csv(true), text);
    assert_eq!(report.bad_rows[0].message, "The timestamp \"x\" is not a number.");
    assert_eq!(report.bad_rows[2].message, "The row has 3 fields; the file has 2 columns.");
    assert_eq!(report.bad_by_reason[0].reason, Reason::FieldCount);
    assert_eq!(report.bad_by_reason[0].count, 2);
    assert_eq!((report.first_time, report.last_time), (Some(1), Some(12)));
}

#[test]
fn bytes_outside_the_columns_that_are_read_do_not_matter() {
    check(&csv(false), b"1,a,\xff\xfe\n2,b,\0\n", &[(1, "a"), (2, "b")], &[]);
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_first_column() {
    check(&csv(true), "\u{feff}ts,key\n1,a\n", &[(1, "a")], &[]);
    check(&json(), "\u{feff}{\"ts\":1,\"key\":\"a\",\"p\":0}", &[(1, "a")], &[]);
    // A second one is.
    check(&csv(false), "\u{feff}\u{feff}1,a\n", &[], &[(1, Reason::NotANumber)]);
}

#[test]
fn an_open_quote_takes_no_more_than_a_row_and_is_named() {
    check(&csv(false), "1,a\n2,\"b\n3,c\n", &[(1, "a")], &[(2, Reason::UnclosedQuote)]);
    check(&csv(false), "1,a\n2,\"b", &[(1, "a")], &[(2, Reason::UnclosedQuote)]);
    let (_, report) = read(&csv(false), "1,a\n2,\"b\n3,c\n");
    assert!(report.bad_rows[0].message.contains("3 lines are lost"), "{:?}", report.bad_rows);
    // Up to 1 MiB is lost to it, and reading goes on with the next line.
    let mut text = String::from("1,a\n2,\"b\n");
    (0..200_000).for_each(|_| text.push_str("3,cccccc\n"));
    let (rows, report) = read(&csv(false), &text);
    assert_eq!((report.bad, report.bad_rows[0].line), (1, 2));
    assert_eq!(report.bad_rows[0].reason, Reason::UnclosedQuote);
    let lost = 200_001 - report.records;
    assert!((116_000..117_000).contains(&lost), "{lost}");
    assert!(rows[1..].iter().all(|it| *it == (3, "cccccc".to_owned())));
}

#[test]
fn a_long_line_is_given_up_and_the_next_one_read() {
    let long = "x".repeat(3 << 20);
    let fits = "y".repeat((1 << 20) - 3);
    let text = format!("1,a\n2,{long}\n3,{fits}\n4,{fits}z\n5,b\n");
    let bad = [(2, Reason::TooLong), (4, Reason::TooLong)];
    check(&csv(false), text, &[(1, "a"), (3, &fits), (5, "b")], &bad);
    let line = |ts: u32, key: &str| format!("{{\"ts\":{ts},\"key\":\"{key}\",\"p\":0}}\n");
    let text = [line(1, "a"), line(2, &long), line(3, "b"), line(4, &long)].concat();
    let bad = [(2, Reason::TooLong), (4, Reason::TooLong)];
    check(&json(), text.trim_end(), &[(1, "a"), (3, "b")], &bad);
}

#[test]
fn objects_of_json_are_read_line_by_line() {
    let text = r#"{"ts":1,"key":"a","p":0}
{"p":"x","other":{"ts":9,"deep":[1,{"a":null}]},"key":7,"ts":"2"}

  {"ts":3.9,"key":"\u00e9\n","p":true,"ts":4}
"#;
    check(&json(), text, &[(1, "a"), (2, "7"), (4, "é\n")], &[]);
    let (records, report) = read_chunks(&json(), std::iter::once(text.as_bytes())).unwrap();
    assert_eq!(records.partitions(), ["0", "x", "true"]);
    assert_eq!(report.value.partitions, ["0", "x", "true"]);
    let partitions: Vec<u16> = records.events().map(|it| it.partition).collect();
    assert_eq!(partitions, [0, 1, 2]);
}

#[test]
fn lines_that_are_no_objects_are_named() {
    let text = b"{\"ts\":1,\"key\":\"a\",\"p\":0}\n[1]\n{\"ts\":1\n{\"ts\":null,\"key\":1,\"p\":1}\n\
        {\"ts\":{},\"key\":1,\"p\":1}\n{\"key\":1,\"p\":1}\n{\"ts\":1,\"key\":\"\\ud800\",\"p\":1}\n\
        {\"ts\":1,\"key\":\"\xff\",\"p\":1}\n{\"ts\":1,\"key\":1,\"p\":1} x\n\"ts\"\n{\"ts\":1e400,\"key\":1,\"p\":1}\n";
    let bad = [
        (2, Reason::NotJson),
        (3, Reason::NotJson),
        (4, Reason::MissingField),
        (5, Reason::NotScalar),
        (6, Reason::MissingField),
        (7, Reason::NotJson),
        (8, Reason::NotUtf8),
        (9, Reason::NotJson),
        (10, Reason::NotJson),
        (11, Reason::TimeOutOfRange),
    ];
    check(&json(), text, &[(1, "a")], &bad);
}

#[test]
fn deep_json_is_an_ordinary_answer() {
    let deep = format!(
        "{{\"ts\":1,\"key\":1,\"p\":1,\"x\":{}{}}}",
        "[".repeat(200_000),
        "]".repeat(200_000)
    );
    let (rows, report) = read(&json(), &deep);
    assert_eq!(rows.len() as u64 + report.bad, 1);
    let deep = format!("{{\"ts\":{}", "[".repeat(200_000));
    check(&json(), deep, &[], &[(1, Reason::NotJson)]);
}

#[test]
fn only_the_first_hundred_bad_rows_are_named() {
    let (_, report) = read(&csv(false), "x,y\n".repeat(1234));
    assert_eq!((report.bad, report.bad_rows.len(), report.records), (1234, 100, 0));
    assert_eq!(report.bad_rows[99].line, 100);
}

#[test]
fn empty_files_and_headers_alone_are_ordinary() {
    for text in ["", "\n\r\n\n", "\u{feff}"] {
        check(&csv(true), text, &[], &[]);
        check(&json(), text, &[], &[]);
    }
    check(&csv(true), "ts,key", &[], &[]);
    let (_, report) = read(&csv(true), "");
    assert_eq!(report.verdict, "The file is empty.");
}

#[test]
fn without_a_zone_is_utc_with_a_finding() {
    let params = ReaderParams { time_format: TimeFormat::Iso8601, ..csv(false) };
    let text = "1970-01-01T00:00:01,a\n1970-01-01T01:00:01+01:00,b\n";
    let (_, answer) = read_chunks(&params, std::iter::once(text.as_bytes())).unwrap();
    assert_eq!((answer.value.first_time, answer.value.last_time), (Some(1000), Some(1000)));
    assert_eq!(answer.value.without_zone, 1);
    assert_eq!(answer.findings.iter().map(|it| it.code).collect::<Vec<_>>(), ["no_time_zone"]);
}

#[track_caller]
fn refuse(params: &ReaderParams, text: impl AsRef<[u8]>, field: &str, says: &str) {
    let refused =
        read_chunks(params, std::iter::once(text.as_ref())).map(|_| ()).expect_err("a refusal");
    let problem: Problem = refused.into();
    assert_eq!(problem.field.as_deref(), Some(field));
    assert!(problem.message.contains(says), "{}", problem.message);
}

#[test]
fn what_cannot_be_read_at_all_is_refused() {
    refuse(&csv(true), "time,key\n", "time", "columns: \"time\", \"key\"");
    refuse(&csv(true), "ts,user\n", "key", "the column \"key\"");
    refuse(&csv(false), "1\n", "key", "column 1, from 0");
    refuse(&csv(true), b"\xff\xfet\0s\0", "format", "UTF-16");
    let params = ReaderParams { time: Field::Index(0), ..json() };
    refuse(&params, "", "time", "have names");
    let params = ReaderParams { time: Field::Name("ts".to_owned()), ..csv(false) };
    refuse(&params, "", "time", "no header");
    let params = ReaderParams { partition: Some(Field::Index(1)), key: None, ..csv(false) };
    let rows: String = (0..257).map(|at| format!("1,{at}\n")).collect();
    refuse(&params, rows, "partition", "more than 256");
    let rows: String = (0..=1_000_000).map(|at| format!("1,{at}\n")).collect();
    refuse(&csv(false), &rows, "key", "more than 1000000");
}

#[test]
fn a_refused_reader_says_so_again() {
    let mut reader = Reader::new(csv(true)).unwrap();
    let first = reader.push(b"a,b\n").unwrap_err();
    assert_eq!(reader.push(b"1,2\n").unwrap_err(), first);
    assert_eq!(reader.finish().map(|_| ()).unwrap_err(), first);
}

#[test]
fn a_record_takes_thirteen_bytes() {
    let text = "1700000000000,key\n".repeat(1 << 17);
    let (records, report) = read_chunks(&csv(false), std::iter::once(text.as_bytes())).unwrap();
    assert_eq!(records.len(), 1 << 17);
    let of_keys = records.keys().bytes_held() as u64;
    assert_eq!(report.value.bytes_held - of_keys, 13 << 17);
    assert!(of_keys < 2 << 20);
}

#[test]
fn arrivals_are_the_earliest_that_fit_the_order() {
    let (records, _) = read_chunks(&csv(false), std::iter::once(&b"5,a\n3,b\n9,a\n"[..])).unwrap();
    let events: Vec<_> = records.events().map(|it| (it.time, it.arrival, it.key)).collect();
    assert_eq!(events, [(5, 5, 0), (3, 5, 1), (9, 9, 0)]);
}

/// Bytes of which many mean something to a reader.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => prop::sample::select(vec![
            "1", "22", "1700000000000", "a", "\"", "\"\"", ",", ";", "\n", "\r\n", "\r", "\u{feff}",
            "\0", "{", "}", "\"ts\":", "\"key\":", "\"p\":", "[", "]", "null", "\\", "é", " ",
            "2024-01-01T00:00:00", "ts,key\n", "{\"ts\":1,\"key\":\"a\",\"p\":1}\n", "-", "e9",
        ]).prop_map(|it| it.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..6),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|it| it.concat())
}

#[test]
fn values_ids_and_arrivals_are_read_where_they_are_asked_for() {
    let name = |it: &str| Some(Field::Name(it.to_owned()));
    let params = ReaderParams {
        value: name("v"),
        id: name("id"),
        arrival: name("at"),
        arrival_format: Some(TimeFormat::EpochSeconds),
        partition: None,
        ..json()
    };
    let text = "{\"ts\":5,\"key\":\"a\",\"v\":-3,\"id\":\"x\",\"at\":7}\n\
        {\"ts\":5,\"key\":\"a\",\"v\":2147483648,\"id\":\"z\",\"at\":7}\n\
        {\"ts\":6,\"key\":\"a\",\"v\":2,\"id\":\"y\",\"at\":6.5}\n\
        {\"ts\":7,\"key\":\"b\",\"v\":\"4\",\"id\":\"x\",\"at\":9}\n\
        {\"ts\":8,\"key\":\"b\",\"v\":1,\"at\":9}\n\
        {\"ts\":8,\"key\":\"b\",\"v\":1.5,\"id\":\"w\",\"at\":9}\n";
    let (records, report) = read_chunks(&params, text.as_bytes().chunks(7)).expect("a sound case");
    let events: Vec<_> =
        records.events().map(|it| (it.time, it.value, it.id, it.arrival)).collect();
    // The second arrival is before the first, and takes that one's.
    assert_eq!(events, [(5, -3, 0, 7000), (6, 2, 1, 7000), (7, 4, 0, 9000)]);
    let report = report.value;
    let bad: Vec<_> = report.bad_rows.iter().map(|it| (it.line, it.reason)).collect();
    let not = Reason::NotAValue;
    assert_eq!(bad, [(2, not), (5, Reason::MissingField), (6, not)]);
    assert_eq!(report.arrivals_back, 1);
}

fn any_params() -> impl Strategy<Value = ReaderParams> {
    let format = prop_oneof![Just(csv(false)), Just(csv(true)), Just(json())];
    let time = prop::sample::select(vec![
        TimeFormat::EpochSeconds,
        TimeFormat::EpochMillis,
        TimeFormat::EpochNanos,
        TimeFormat::Iso8601,
    ]);
    (format, time).prop_map(|(params, time_format)| ReaderParams { time_format, ..params })
}

type Told = (Vec<Event>, Vec<String>, Derivation<ReadReport>);

/// Everything that a reader says, in a form that can be compared.
fn told(read: Read) -> Result<Told, StreamError> {
    read.map(|(records, report)| {
        let keys = (0..records.keys().len() as u32)
            .map(|at| records.keys().text(at).expect("a sound case"));
        (records.events().collect(), keys.map(str::to_owned).collect(), report)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_bytes_in_any_chunks_give_the_same_answer(
        bytes in bytes(),
        params in any_params(),
        cuts in prop::collection::vec(1_usize..30, 1..20),
    ) {
        let whole = told(read_chunks(&params, std::iter::once(bytes.as_slice())));
        let single = told(read_chunks(&params, bytes.chunks(1)));
        prop_assert_eq!(&single, &whole);
        let mut rest = bytes.as_slice();
        let chunks = cuts.iter().cycle().map_while(|cut| {
            let (chunk, more) = rest.split_at(rest.len().min(*cut));
            rest = more;
            (!chunk.is_empty()).then_some(chunk)
        });
        prop_assert_eq!(&told(read_chunks(&params, chunks)), &whole);
        let _ = sniff(&bytes);
    }

    #[test]
    fn a_written_stream_is_read_back(
        rows in prop::collection::vec((-4_000_000_000_000_000_i64..4_000_000_000_000_000, any::<String>()), 1..40),
        crlf in any::<bool>(),
        chunk in 1_usize..100,
    ) {
        let end = if crlf { "\r\n" } else { "\n" };
        let mut as_csv = format!("ts,key{end}");
        let mut as_json = String::new();
        for (time, key) in &rows {
            as_csv.push_str(&format!("{time},\"{}\"{end}", key.replace('"', "\"\"")));
            let object = serde_json::json!({ "ts": time, "key": key, "p": 0 });
            as_json.push_str(&format!("{object}{end}"));
        }
        for (params, text) in [(csv(true), as_csv), (json(), as_json)] {
            let (records, report) = read_chunks(&params, text.as_bytes().chunks(chunk)).unwrap();
            prop_assert_eq!(report.value.bad, 0);
            let key = |it: &Event| records.keys().text(it.key).unwrap().to_owned();
            let back: Vec<_> = records.events().map(|it| (it.time, key(&it))).collect();
            prop_assert_eq!(&back, &rows);
        }
    }
}

/// Lines around the limit, where a chunk may end anywhere in what is given up.
#[test]
fn chunks_do_not_matter_around_the_longest_line_either() {
    let limit = 1 << 20;
    for (params, text) in [
        (
            csv(false),
            format!("1,{}\n2,b\n3,\"{}\n4,c\n", "x".repeat(limit), "y\n".repeat(limit / 2 + 3)),
        ),
        (
            json(),
            format!(
                "{{\"ts\":1,\"x\":\"{}\"}}\n{{\"ts\":2,\"key\":1,\"p\":1}}\n",
                "x".repeat(limit)
            ),
        ),
    ] {
        let whole = told(read_chunks(&params, std::iter::once(text.as_bytes())));
        assert!(whole.as_ref().unwrap().2.value.bad > 0);
        for chunk in [1, 7, 4096, limit - 1, limit, limit + 1] {
            assert_eq!(told(read_chunks(&params, text.as_bytes().chunks(chunk))), whole, "{chunk}");
        }
    }
}
