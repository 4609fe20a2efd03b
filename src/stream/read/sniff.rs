//! How should a file be read? A proposal from its first bytes.
//!
//! The delimiter is the one that gives the most rows the same number of fields, more than one. The
//! first row is a header if none of its fields is a number or a time and some later one is. What
//! each column holds is told by nine in ten of its texts, a column's part by what it holds and by
//! its name.
//!
//! Numbers are taken as a time if they fall between 1990 and 2100, as seconds, milliseconds,
//! microseconds or nanoseconds; a column that only the name marks goes by its greatest number:
//! below 1e11 seconds, below 1e14 milliseconds, below 1e17 microseconds.
//!
//! Source: none of Flink's; conventions of this engine, and all of it can be changed by the reader.

mod columns;

use serde::Serialize;

use super::csv::Csv;
use super::params::{Delimiter, Field, Format, ReaderParams, TimeFormat};
use super::time::{self, iso_text};
use super::{BYTE_ORDER_MARK, is_utf16, json};
use crate::finding::{Derivation, Finding, Severity};
pub use columns::{Column, ColumnKind};

/// Bytes that are looked at; a file of fewer is taken as whole.
pub const SNIFFED: usize = 64 << 10;
/// Rows that are looked at.
const ROWS: usize = 1000;
/// Columns that are described.
const COLUMNS: usize = 1000;

/// A proposal.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SniffReport {
    /// The format.
    pub format: Format,
    /// Rows that were looked at.
    pub rows: usize,
    /// The columns, or the fields of the objects.
    pub columns: Vec<Column>,
    /// Which of them is the event time; `None` if none looks like one.
    pub time: Option<usize>,
    /// Which is the key.
    pub key: Option<usize>,
    /// Which is the partition.
    pub partition: Option<usize>,
    /// Which is a value. Only whole numbers are read; else windows count records.
    pub value: Option<usize>,
    /// Which is an id.
    pub id: Option<usize>,
    /// Which says when a record arrived.
    pub arrival: Option<usize>,
    /// The proposal as params of the reader; `None` without an event time.
    pub params: Option<ReaderParams>,
}

/// How should a file be read that begins with these bytes?
pub fn sniff(bytes: &[u8]) -> Derivation<SniffReport> {
    let head = &bytes[..bytes.len().min(SNIFFED)];
    let text = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head);
    // The last line of a longer file may be cut.
    let text = match text.iter().rposition(|it| *it == b'\n') {
        Some(at) if head.len() == SNIFFED => &text[..=at],
        _ => text,
    };
    let first = text.trim_ascii_start().first();
    let (format, names, rows) = match first {
        Some(b'{' | b'[') => from_json(text),
        _ => from_csv(text),
    };
    let columns = columns::describe(&names, &rows);
    let roles = columns::roles(&columns, rows.len());
    let field = |at: usize| match format {
        Format::Csv { .. } => Some(Field::Index(u32::try_from(at).ok()?)),
        Format::JsonLines => Some(Field::Name(names.get(at)?.clone())),
    };
    let params = roles.time.and_then(|at| {
        Some(ReaderParams {
            format,
            time: field(at)?,
            time_format: columns[at].time_format?,
            key: roles.key.and_then(field),
            partition: roles.partition.and_then(field),
            value: roles.value.filter(|at| columns[*at].is_whole).and_then(field),
            id: roles.id.and_then(field),
            arrival: roles.arrival.and_then(field),
            arrival_format: roles.arrival.and_then(|at| columns[at].time_format),
        })
    });
    let findings = findings(head, first == Some(&b'['), &columns, roles.time);
    let columns::Roles { time, key, partition, value, id, arrival } = roles;
    let rows = rows.len();
    let value =
        SniffReport { format, rows, columns, time, key, partition, value, id, arrival, params };
    Derivation { value, findings }
}

/// The names of columns and the texts of each row.
type Table = (Format, Vec<String>, Vec<Vec<String>>);

fn from_json(text: &[u8]) -> Table {
    let mut names: Vec<String> = Vec::new();
    let mut objects = Vec::new();
    for line in text.split(|it| *it == b'\n').take(ROWS) {
        let Some(fields) = json::all_fields(line.trim_ascii()) else { continue };
        for (name, _) in &fields {
            if !names.contains(name) && names.len() < COLUMNS {
                names.push(name.clone());
            }
        }
        objects.push(fields);
    }
    let text_of = |fields: &[(String, String)], name: &String| {
        fields.iter().find(|(it, _)| it == name).map(|(_, text)| text.clone()).unwrap_or_default()
    };
    let row = |fields: &Vec<(String, String)>| names.iter().map(|it| text_of(fields, it)).collect();
    let rows = objects.iter().map(row).collect();
    (Format::JsonLines, names, rows)
}

fn from_csv(text: &[u8]) -> Table {
    let mut best = (0, 0, Delimiter::Comma, Vec::new());
    for delimiter in Delimiter::ALL {
        let rows = rows(text, delimiter);
        let (width, count) = usual_width(&rows);
        let score = if width > 1 { count } else { 0 };
        if best.3.is_empty() || (score, width) > (best.0, best.1) {
            best = (score, width, delimiter, rows);
        }
    }
    let (_, width, delimiter, mut rows) = best;
    let header = is_header(&rows);
    let names = if header { rows.remove(0) } else { Vec::new() };
    let count = if header { names.len() } else { width };
    rows.retain(|row| row.len() == count);
    let columns = u32::try_from(count).ok().filter(|_| !header);
    let name = |at: usize| names.get(at).cloned().unwrap_or_else(|| format!("column {at}"));
    let names = (0..count.min(COLUMNS)).map(name).collect();
    (Format::Csv { delimiter, header, columns }, names, rows)
}

fn rows(text: &[u8], delimiter: Delimiter) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let mut csv = Csv::new(delimiter);
    let mut sink = |row: super::csv::Row<'_>| {
        if let Ok(fields) = row.fields
            && rows.len() < ROWS
        {
            let text =
                |at| String::from_utf8_lossy(fields.get(at).unwrap_or_default()).into_owned();
            rows.push((0..fields.count()).map(text).collect());
        }
        Ok(())
    };
    // The sink refuses nothing.
    let _ = csv.push(text, &mut sink).and_then(|()| csv.finish(&mut sink));
    rows
}

/// The most frequent number of fields, and how many rows have it.
fn usual_width(rows: &[Vec<String>]) -> (usize, usize) {
    let mut counts = std::collections::BTreeMap::new();
    rows.iter().for_each(|row| *counts.entry(row.len()).or_insert(0) += 1);
    counts.into_iter().map(|(width, count)| (count, width)).max().map_or((0, 0), |(c, w)| (w, c))
}

fn is_header(rows: &[Vec<String>]) -> bool {
    let Some((first, rest)) = rows.split_first() else { return false };
    let is_datum = |text: &String| {
        time::Decimal::parse(text.trim()).is_some()
            || time::parse(text, TimeFormat::Iso8601).is_ok()
    };
    let is_named = first.iter().all(|text| !text.trim().is_empty() && !is_datum(text));
    is_named && (rest.is_empty() || rest.iter().any(|row| row.iter().any(is_datum)))
}

fn findings(head: &[u8], is_list: bool, columns: &[Column], time: Option<usize>) -> Vec<Finding> {
    if head.is_empty() {
        return vec![note("empty_file", Severity::Error, "The file is empty.", String::new())];
    }
    if is_utf16(head) {
        let reason = "It begins with the byte order mark of UTF-16. Save it as UTF-8.".to_owned();
        return vec![note(
            "utf_16",
            Severity::Error,
            "The file is UTF-16, which is not read.",
            reason,
        )];
    }
    if is_list {
        let title = "The file is one list of JSON, which is not read in a stream.";
        let reason = "Write one object a line, as `jq -c '.[]'` does.".to_owned();
        return vec![note("json_list", Severity::Error, title, reason)];
    }
    let Some(column) = time.and_then(|at| columns.get(at)) else {
        let title = "No column looks like a timestamp.";
        let reason = "Looked for ISO 8601, and for seconds, milliseconds, microseconds and nanoseconds between 1990 and 2100. Choose a column and its format.".to_owned();
        return vec![note("no_timestamp", Severity::Error, title, reason)];
    };
    let stamp = column.time_format.and_then(|format| {
        let text = column.samples.first()?;
        Some((format, text, time::parse(text, format).ok()?))
    });
    let Some((format, text, stamp)) = stamp.filter(|(it, ..)| *it != TimeFormat::Iso8601) else {
        return Vec::new();
    };
    let unit = match format {
        TimeFormat::EpochSeconds => "seconds",
        TimeFormat::EpochMillis => "milliseconds",
        TimeFormat::EpochMicros => "microseconds",
        TimeFormat::EpochNanos | TimeFormat::Iso8601 => "nanoseconds",
    };
    let title = format!("The event times are taken as {unit} since 1970");
    let reason = format!(
        "So {text} is {}. The unit is told by the size of the numbers.",
        iso_text(stamp.time)
    );
    vec![note("unit_by_size", Severity::Note, &title, reason)]
}

fn note(code: &'static str, severity: Severity, title: &str, reason: String) -> Finding {
    Finding {
        code,
        severity,
        title: title.to_owned(),
        reason,
        option: None,
        price: None,
        apply: Vec::new(),
        source: "the first 64 KiB of the file".to_owned(),
    }
}
