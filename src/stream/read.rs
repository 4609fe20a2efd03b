//! Which events does a user's file hold?
//!
//! [`sniff()`] looks at the first bytes and proposes how to read them; a [`Reader`] takes the whole
//! file chunk by chunk and keeps 13 bytes of each record and its keys, more where values, ids or
//! arrivals are read. A row that is none is
//! counted and named, and never ends the reading; what ends it is more than a browser tab should
//! hold.
//!
//! Source: none of Flink's; timestamps as in [`time`].

pub mod csv;
pub mod json;
pub mod keys;
pub mod params;
pub mod records;
pub mod report;
pub mod sniff;
pub mod time;

use std::borrow::Cow;

use super::error::StreamError;
use crate::finding::{Derivation, Finding, Severity};
use crate::units::grouped;
use csv::{Csv, Fields};
pub use params::ReaderParams;
use params::{FIELDS, Field, Format};
use records::Read;
pub use records::Records;
pub use report::ReadReport;
use report::{BadRows, Fault, Reason, excerpt};
pub use sniff::{SniffReport, sniff};

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Reads records chunk by chunk.
#[derive(Debug)]
pub struct Reader {
    /// The first bytes, until there are enough to know a byte order mark.
    start: Option<Vec<u8>>,
    splitter: Splitter,
    taken: Taken,
    refused: Option<StreamError>,
    bytes: u64,
}

#[derive(Debug)]
enum Splitter {
    Csv(Box<Csv>, Option<Columns>),
    Lines(json::Lines),
}

/// Where the fields are in a row of CSV.
#[derive(Debug)]
struct Columns {
    count: usize,
    /// Of each of [`ReaderParams::fields`].
    places: [Option<usize>; FIELDS],
}

/// What was taken out of the rows.
#[derive(Debug)]
struct Taken {
    params: ReaderParams,
    records: Records,
    bad: BadRows,
    first: i64,
    last: i64,
    without_zone: u64,
}

impl Reader {
    /// At the beginning of a file.
    ///
    /// # Errors
    /// A field that this format does not have.
    pub fn new(params: ReaderParams) -> Result<Self, StreamError> {
        params.check()?;
        let splitter = match params.format {
            Format::Csv { delimiter, .. } => Splitter::Csv(Box::new(Csv::new(delimiter)), None),
            Format::JsonLines => Splitter::Lines(json::Lines::default()),
        };
        let taken = Taken {
            params,
            records: Records::default(),
            bad: BadRows::default(),
            first: i64::MAX,
            last: i64::MIN,
            without_zone: 0,
        };
        Ok(Self { start: Some(Vec::new()), splitter, taken, refused: None, bytes: 0 })
    }

    /// Takes in the next bytes of the file, of any number.
    ///
    /// # Errors
    /// More records, keys or partitions than are kept, a column that is not there, or UTF-16; and
    /// the same again for every chunk after.
    pub fn push(&mut self, chunk: &[u8]) -> Result<(), StreamError> {
        if let Some(refused) = &self.refused {
            return Err(refused.clone());
        }
        self.bytes += chunk.len() as u64;
        let answer = self.take(chunk);
        self.refused = answer.clone().err();
        answer
    }

    /// Records kept and rows counted bad so far.
    pub fn progress(&self) -> (u64, u64) {
        (self.taken.records.len(), self.taken.bad.total())
    }

    /// The end of the file: the records, and what is to be said of them.
    ///
    /// # Errors
    /// What [`Reader::push`] refuses.
    pub fn finish(mut self) -> Result<(Records, Derivation<ReadReport>), StreamError> {
        if let Some(refused) = self.refused {
            return Err(refused);
        }
        if let Some(start) = self.start.take() {
            self.split(&start)?;
        }
        let taken = &mut self.taken;
        match &mut self.splitter {
            Splitter::Csv(csv, columns) => {
                csv.finish(&mut |row| taken.csv(row.line, row.fields, columns))?;
            }
            Splitter::Lines(lines) => lines.finish(&mut |line, text| taken.json(line, text))?,
        }
        Ok(self.taken.report(self.bytes))
    }

    fn take(&mut self, chunk: &[u8]) -> Result<(), StreamError> {
        let Some(mut start) = self.start.take() else { return self.split(chunk) };
        start.extend_from_slice(chunk);
        if start.len() < BYTE_ORDER_MARK.len() {
            self.start = Some(start);
            return Ok(());
        }
        if is_utf16(&start) {
            let message = "The file is UTF-16. Save it as UTF-8.";
            return Err(StreamError::not_offered("format", message));
        }
        self.split(start.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&start))
    }

    fn split(&mut self, bytes: &[u8]) -> Result<(), StreamError> {
        let taken = &mut self.taken;
        match &mut self.splitter {
            Splitter::Csv(csv, columns) => {
                csv.push(bytes, &mut |row| taken.csv(row.line, row.fields, columns))
            }
            Splitter::Lines(lines) => lines.push(bytes, &mut |line, text| taken.json(line, text)),
        }
    }
}

fn is_utf16(start: &[u8]) -> bool {
    start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff")
}

impl Taken {
    fn csv(
        &mut self,
        line: u64,
        row: Result<Fields<'_>, Fault>,
        columns: &mut Option<Columns>,
    ) -> Result<(), StreamError> {
        let fields = match row {
            Ok(fields) => fields,
            Err(fault) => return self.fault(line, fault),
        };
        let columns = match columns {
            Some(columns) => columns,
            None => {
                let found = columns.insert(Columns::find(&self.params, fields)?);
                if matches!(self.params.format, Format::Csv { header: true, .. }) {
                    return Ok(());
                }
                found
            }
        };
        if fields.count() != columns.count {
            let (has, want) = (fields.count(), columns.count);
            let message = format!("The row has {has} fields; the file has {want} columns.");
            return self.fault(line, Fault::new(Reason::FieldCount, message));
        }
        let mut texts = [None; FIELDS];
        for (text, place) in texts.iter_mut().zip(columns.places) {
            let Some(bytes) = place.and_then(|it| fields.get(it)) else { continue };
            match std::str::from_utf8(bytes) {
                Ok(found) => *text = Some(found),
                Err(_) => {
                    let message = format!(
                        "The text {} is not UTF-8.",
                        excerpt(&String::from_utf8_lossy(bytes))
                    );
                    return self.fault(line, Fault::new(Reason::NotUtf8, message));
                }
            }
        }
        self.record(line, texts)
    }

    fn json(&mut self, line: u64, text: Result<&[u8], Fault>) -> Result<(), StreamError> {
        let names = self.params.fields().map(|(_, field)| match field {
            Some(Field::Name(name)) => Some(name.as_str()),
            Some(Field::Index(_)) | None => None,
        });
        let texts = match text.and_then(|text| json::fields(text, names)) {
            Ok(texts) => texts,
            Err(fault) => return self.fault(line, fault),
        };
        let missing =
            names.iter().zip(&texts).find(|(name, text)| name.is_some() && text.is_none());
        if let Some((Some(name), _)) = missing {
            let message = format!("The object has no field {}, or it is null.", excerpt(name));
            return self.fault(line, Fault::new(Reason::MissingField, message));
        }
        let texts = texts.each_ref().map(Option::as_deref);
        self.record(line, texts)
    }

    /// A record of these texts; `None` where nothing is read.
    fn record(&mut self, line: u64, texts: [Option<&str>; FIELDS]) -> Result<(), StreamError> {
        let [time, key, partition, value, id, arrival] = texts;
        let ReaderParams { time_format, arrival_format, .. } = self.params;
        let arrived = |text| time::parse(text, arrival_format.unwrap_or(time_format));
        let read = time::parse(time.unwrap_or_default(), time_format).and_then(|stamp| {
            let arrival = arrival.map(arrived).transpose()?.map(|it| it.time);
            Ok((stamp, value.map(value_of).transpose()?, arrival))
        });
        let (stamp, value, arrival) = match read {
            Ok(read) => read,
            Err(fault) => return self.fault(line, fault),
        };
        let (key, partition) = (key.unwrap_or_default(), partition.unwrap_or_default());
        self.records.add(Read { time: stamp.time, key, partition, value, id, arrival })?;
        self.first = self.first.min(stamp.time);
        self.last = self.last.max(stamp.time);
        self.without_zone += u64::from(!stamp.has_zone);
        Ok(())
    }

    fn fault(&mut self, line: u64, fault: Fault) -> Result<(), StreamError> {
        self.bad.add(line, fault);
        Ok(())
    }

    fn report(self, bytes: u64) -> (Records, Derivation<ReadReport>) {
        let records = self.records;
        let (kept, bad) = (records.len(), self.bad.total());
        let value = ReadReport {
            verdict: verdict(bytes, kept, bad),
            bytes,
            records: kept,
            bad,
            bad_by_reason: self.bad.by_reason(),
            bad_rows: self.bad.into_named(),
            keys: records.keys().len() as u64,
            partitions: records.partitions().to_vec(),
            first_time: (kept > 0).then_some(self.first),
            last_time: (kept > 0).then_some(self.last),
            without_zone: self.without_zone,
            arrivals_back: records.arrivals_back(),
            bytes_held: records.bytes_held(),
        };
        let findings = findings(&value);
        (records, Derivation { value, findings })
    }
}

impl Columns {
    /// Finds the columns by the first row.
    fn find(params: &ReaderParams, first: Fields<'_>) -> Result<Self, StreamError> {
        let (header, columns) = match params.format {
            Format::Csv { header, columns, .. } => (header, columns),
            Format::JsonLines => (false, None),
        };
        let count = match columns.filter(|_| !header) {
            Some(columns) => columns as usize,
            None => first.count(),
        };
        let names: Vec<Cow<'_, str>> = (0..first.count())
            .map(|at| String::from_utf8_lossy(first.get(at).unwrap_or_default()))
            .collect();
        let mut places = [None; FIELDS];
        for (place, (name, field)) in places.iter_mut().zip(params.fields()) {
            let Some(field) = field else { continue };
            let at = match field {
                Field::Index(at) => Some(*at as usize).filter(|at| *at < count),
                Field::Name(column) => names.iter().position(|it| it.trim() == column.trim()),
            };
            if at.is_none() {
                return Err(StreamError::not_offered(name, no_such_column(name, field, &names)));
            }
            *place = at;
        }
        Ok(Self { count, places })
    }
}

/// The value of a record.
fn value_of(text: &str) -> Result<i32, Fault> {
    text.trim().parse().map_err(|_| {
        let message = format!(
            "The value {} is no whole number from {} to {}. Amounts with decimals count in their smallest unit, as cents do.",
            excerpt(text),
            i32::MIN,
            i32::MAX
        );
        Fault::new(Reason::NotAValue, message)
    })
}

fn no_such_column(param: &str, field: &Field, names: &[Cow<'_, str>]) -> String {
    let asked = match field {
        Field::Index(at) => format!("column {at}, from 0"),
        Field::Name(name) => format!("the column {}", excerpt(name)),
    };
    let first: Vec<String> = names.iter().take(20).map(|it| excerpt(it)).collect();
    format!(
        "{param} is {asked}, but the first row has {} columns: {}.",
        names.len(),
        first.join(", ")
    )
}

fn verdict(bytes: u64, kept: u64, bad: u64) -> String {
    match (bytes, kept, bad) {
        (0, ..) => "The file is empty.".to_owned(),
        (_, 0, 0) => "The file has no rows.".to_owned(),
        (_, _, 0) => format!("{} records were read, and no row is bad.", count(kept)),
        _ => {
            format!("{} records were read; {} rows are bad and left out.", count(kept), count(bad))
        }
    }
}

fn findings(report: &ReadReport) -> Vec<Finding> {
    let zone = (report.without_zone > 0).then(|| {
        let title = format!("{} timestamps name no zone and were taken as UTC", count(report.without_zone));
        let reason = "Event times are instants. If these are local times, all windows are off by the zone, and an hour repeats when summer time ends.";
        finding("no_time_zone", Severity::Warning, title, reason)
    });
    let bad = (report.bad > 0).then(|| {
        let title = format!("{} rows are bad and left out", count(report.bad));
        let reason = "Flink's formats fail the job at such a row unless `ignore-parse-errors` is set, which leaves it out as here.";
        finding("bad_rows", Severity::Warning, title, reason)
    });
    let none = (report.records == 0).then(|| {
        let reason = "There is nothing to answer from. Check format, delimiter and timestamp.";
        finding("no_records", Severity::Error, report.verdict.clone(), reason)
    });
    let back = (report.arrivals_back > 0).then(|| {
        let title = format!(
            "{} records name an arrival before that of the record ahead",
            count(report.arrivals_back)
        );
        let reason =
            "The file is in order of arrival, so each of them takes that of the record ahead.";
        finding("arrivals_back", Severity::Note, title, reason)
    });
    none.into_iter().chain(bad).chain(zone).chain(back).collect()
}

fn finding(code: &'static str, severity: Severity, title: String, reason: &str) -> Finding {
    Finding {
        code,
        severity,
        title,
        reason: reason.to_owned(),
        option: None,
        price: None,
        apply: Vec::new(),
        source:
            "the records given; csv.ignore-parse-errors and json.ignore-parse-errors, Flink 1.20"
                .to_owned(),
    }
}

fn count(number: u64) -> String {
    grouped(i64::try_from(number).unwrap_or(i64::MAX))
}
