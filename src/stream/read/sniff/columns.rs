//! What does each column hold, and which part does it play?
//!
//! Source: none of Flink's; names that are usual in files of events.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::stream::read::params::TimeFormat;
use crate::stream::read::time::{self, Decimal};

/// Texts of a column that are shown.
const SAMPLES: usize = 3;
/// 1990-01-01 [s since the epoch].
const EARLIEST_S: i128 = 631_152_000;
/// 2100-01-01 [s since the epoch].
const LATEST_S: i128 = 4_102_444_800;

const TIME_NAMES: [&str; 12] = [
    "eventtime",
    "eventtimestamp",
    "eventts",
    "rowtime",
    "timestamp",
    "ts",
    "time",
    "datetime",
    "occurredat",
    "createdat",
    "createtime",
    "date",
];
/// Parts of names of times at which a record was handled rather than made.
const HANDLED: [&str; 6] = ["process", "ingest", "arriv", "receiv", "load", "insert"];
const KEY_NAMES: [&str; 18] = [
    "key",
    "user",
    "userid",
    "customer",
    "customerid",
    "account",
    "accountid",
    "device",
    "deviceid",
    "sensor",
    "sensorid",
    "session",
    "sessionid",
    "vehicle",
    "vehicleid",
    "symbol",
    "host",
    "tenant",
];
const PARTITION_NAMES: [&str; 6] =
    ["partition", "kafkapartition", "partitionid", "shard", "shardid", "split"];
const VALUE_NAMES: [&str; 8] =
    ["value", "amount", "price", "quantity", "count", "v", "temperature", "total"];

const ID_NAMES: [&str; 9] = [
    "id",
    "eventid",
    "recordid",
    "messageid",
    "msgid",
    "uuid",
    "eventuuid",
    "transactionid",
    "orderid",
];

/// A column.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Column {
    /// Its name in the header or the objects, or one made of its number.
    pub name: String,
    /// What it holds.
    pub kind: ColumnKind,
    /// How to read it as a time, if it can be one.
    pub time_format: Option<TimeFormat>,
    /// Its first texts.
    pub samples: Vec<String>,
    /// Different texts.
    pub distinct: usize,
    /// Rows without a text.
    pub empty: usize,
    /// Whether each text is a whole number of 32 bits, so that it can be a value.
    pub is_whole: bool,
}

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ColumnKind {
    /// Nothing.
    Empty,
    /// Times.
    Time,
    /// Whole numbers.
    Integer,
    /// Numbers.
    Decimal,
    /// Anything else.
    Text,
}

/// The columns that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Roles {
    /// The event time.
    pub time: Option<usize>,
    /// The key.
    pub key: Option<usize>,
    /// The partition.
    pub partition: Option<usize>,
    /// A value.
    pub value: Option<usize>,
    /// The id.
    pub id: Option<usize>,
    /// When a record arrived.
    pub arrival: Option<usize>,
}

pub fn describe(names: &[String], rows: &[Vec<String>]) -> Vec<Column> {
    let texts = |at: usize| {
        let all = rows.iter().filter_map(move |row| row.get(at));
        all.map(|it| it.trim()).filter(|it| !it.is_empty()).collect::<Vec<&str>>()
    };
    let column = |(at, name): (usize, &String)| {
        let texts = texts(at);
        let (kind, time_format) = kind(name, &texts);
        Column {
            name: name.clone(),
            kind,
            time_format,
            samples: texts.iter().take(SAMPLES).map(|it| (*it).to_owned()).collect(),
            distinct: texts.iter().collect::<BTreeSet<_>>().len(),
            empty: rows.len() - texts.len(),
            is_whole: texts.len() == rows.len() && texts.iter().all(|it| it.parse::<i32>().is_ok()),
        }
    };
    names.iter().enumerate().map(column).collect()
}

fn kind(name: &str, texts: &[&str]) -> (ColumnKind, Option<TimeFormat>) {
    // Nine in ten: one bad row shall not hide what a column is.
    let mostly = |count: usize| count * 10 >= texts.len() * 9;
    if texts.is_empty() {
        return (ColumnKind::Empty, None);
    }
    let dates = texts.iter().filter(|it| time::parse(it, TimeFormat::Iso8601).is_ok()).count();
    if mostly(dates) {
        return (ColumnKind::Time, Some(TimeFormat::Iso8601));
    }
    let numbers: Vec<Decimal> = texts.iter().filter_map(|it| Decimal::parse(it)).collect();
    if !mostly(numbers.len()) {
        return (ColumnKind::Text, None);
    }
    let plausible = |(format, places): &(TimeFormat, i32)| {
        let seconds = numbers.iter().filter_map(|it| it.shifted_floor(-places));
        mostly(seconds.filter(|it| (EARLIEST_S..LATEST_S).contains(it)).count()).then_some(*format)
    };
    const UNITS: [(TimeFormat, i32); 4] = [
        (TimeFormat::EpochSeconds, 0),
        (TimeFormat::EpochMillis, 3),
        (TimeFormat::EpochMicros, 6),
        (TimeFormat::EpochNanos, 9),
    ];
    if let Some(format) = UNITS.iter().find_map(plausible) {
        return (ColumnKind::Time, Some(format));
    }
    let is_whole = texts.iter().all(|it| !it.contains('.'));
    let kind = if is_whole { ColumnKind::Integer } else { ColumnKind::Decimal };
    let greatest = numbers.iter().filter_map(|it| it.shifted_floor(0)).map(i128::abs).max();
    let by_size = greatest.map(|greatest| match greatest {
        it if it < 10_i128.pow(11) => TimeFormat::EpochSeconds,
        it if it < 10_i128.pow(14) => TimeFormat::EpochMillis,
        it if it < 10_i128.pow(17) => TimeFormat::EpochMicros,
        _ => TimeFormat::EpochNanos,
    });
    (kind, by_size.filter(|_| TIME_NAMES.contains(&plain(name).as_str())))
}

/// Which column plays which part; none plays two.
pub fn roles(columns: &[Column], rows: usize) -> Roles {
    let pick = |taken: &[Option<usize>], score: &dyn Fn(&Column) -> Option<usize>| {
        let is_free = |at, it: &Column| it.kind != ColumnKind::Empty && !taken.contains(&Some(at));
        let all = columns.iter().enumerate();
        best_of(all.map(|(at, it)| score(it).filter(|_| is_free(at, it))))
    };
    let time = pick(&[], &time_score);
    // A file without a header has no names to tell the two times apart.
    let arrival = pick(&[time], &|it| is_handled(it).then_some(1));
    let partition = pick(&[time, arrival], &|it| named(it, &PARTITION_NAMES));
    let named_key = pick(&[time, partition], &|it| named(it, &KEY_NAMES));
    let named_value = pick(&[time, partition, named_key], &|it| {
        named(it, &VALUE_NAMES).filter(|_| is_number(it))
    });
    let key = named_key
        .or_else(|| pick(&[time, partition, named_value], &|it| likeness_of_a_key(it, rows)));
    let value =
        named_value.or_else(|| pick(&[time, partition, key], &|it| is_number(it).then_some(0)));
    let id = pick(&[time, arrival, partition, key, value], &|it| named(it, &ID_NAMES));
    Roles { time, key, partition, value, id, arrival }
}

/// Whether it is a time at which a record was handled, by its name.
fn is_handled(column: &Column) -> bool {
    let name = plain(&column.name);
    column.kind == ColumnKind::Time && HANDLED.iter().any(|part| name.contains(part))
}

/// Keys come again: texts before numbers, then the most distinct.
fn likeness_of_a_key(column: &Column, rows: usize) -> Option<usize> {
    let repeats = column.distinct > 1 && column.distinct * 2 <= rows;
    match column.kind {
        ColumnKind::Text if repeats => Some(column.distinct + rows),
        ColumnKind::Integer if repeats => Some(column.distinct),
        _ => None,
    }
}

fn is_number(column: &Column) -> bool {
    matches!(column.kind, ColumnKind::Integer | ColumnKind::Decimal)
}

fn time_score(column: &Column) -> Option<usize> {
    column.time_format?;
    let name = plain(&column.name);
    let is_handled = HANDLED.iter().any(|part| name.contains(part));
    let by_name = named(column, &TIME_NAMES).map(|rank| rank + 3);
    let by_part =
        (name.contains("time") || name.ends_with("ts") || name.ends_with("at")).then_some(2);
    let score = by_name.or(by_part).unwrap_or(1);
    Some(if is_handled { 0 } else { score })
}

/// How early in the list the name of a column is; the higher the earlier.
fn named(column: &Column, names: &[&str]) -> Option<usize> {
    let name = plain(&column.name);
    names.iter().position(|it| *it == name).map(|at| names.len() - at)
}

fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|it| it.to_ascii_lowercase()).collect()
}

/// The place of the highest score, the first of equals.
fn best_of(scores: impl Iterator<Item = Option<usize>>) -> Option<usize> {
    let scored = scores.enumerate().filter_map(|(at, score)| Some((score?, std::cmp::Reverse(at))));
    scored.max().map(|(_, at)| at.0)
}
