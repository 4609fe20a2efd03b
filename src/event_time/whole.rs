//! A whole stream, generated or read from a file, through the window operator in one pass.
//!
//! The pass feeds a [`Run`], which says what becomes of each record, and a [`Disorder`], from which
//! every bound is answered without another pass. A file is read to its end first, since the keys
//! have to be known; its records are then given away piece by piece, so that they are never held
//! twice.
//!
//! Source: Flink 1.18.1, 1.20.5 and 2.2.1, `WindowOperator`, `BoundedOutOfOrdernessWatermarks`; the
//! rules are those of [`crate::event_time::run`] and [`crate::stream::disorder`].

mod compare;
mod error;
mod params;
mod report;
mod side;
mod why;

use serde::Serialize;

use super::kept::{Held, KeptBytes, Layout};
use super::params::WindowSpace;
use super::run::{
    Clock, Ids, Origin, Progress, Results, Row, Run, RunError, RunParams, Sample, Totals, outcome,
};
use super::window::Assigner;
use crate::finding::Derivation;
use crate::stream::read::keys::Keys;
use crate::stream::read::records::Piece;
use crate::stream::{
    BoundParams, BoundReport, Disorder, Event, Generator, ReadReport, Reader, choose_bound,
};
pub use compare::{Figure, Figures, StreamComparison, StreamDifference, Unit};
pub use error::WholeError;
pub use params::{JobShape, StreamSource, WholeParams};
pub use report::{WholeReport, WindowShare};
pub use side::{SideParams, SideRecord, SideText};
pub use why::{StreamWhy, StreamWhyParams};

/// Results that are kept to be looked at; all are counted.
pub const RESULTS_KEPT: usize = 200_000;
/// Records that go through both halves at once.
const BATCH: usize = 1 << 13;

/// Where the next records come from.
#[derive(Debug)]
enum Input {
    Generated(Box<Generator>),
    Reading(Box<Reader>),
    Read {
        piece: Piece,
        at: usize,
        rest: std::vec::IntoIter<Piece>,
    },
    /// All records are with the run.
    Over,
}

/// What keys and partitions are called; both empty for a generated stream, which has numbers.
#[derive(Debug, Default)]
struct Names {
    keys: Keys,
    partitions: Vec<String>,
}

/// A stream on its way through the operator.
#[derive(Debug)]
pub struct Whole {
    params: WholeParams,
    input: Input,
    run: Run,
    disorder: Disorder,
    results: Results,
    names: Names,
    read: Option<Derivation<ReadReport>>,
    generated: Option<Derivation<crate::stream::GeneratorReport>>,
    /// Records that will come, as far as that is known.
    expected: u64,
    batch: Vec<Event>,
    columns: Columns,
    /// The event time that the watermark of the only generator follows.
    followed: Clock,
    /// What takes how many bytes.
    layout: Layout,
    key_groups: u32,
    /// The ids that came, where records are left out by them.
    ids: Option<Ids>,
}

/// Records of a generated stream, one list for each field.
#[derive(Debug, Default)]
struct Columns {
    times: Vec<i64>,
    keys: Vec<u32>,
    values: Vec<i32>,
    partitions: Vec<u8>,
    arrivals: Vec<i64>,
    /// Which are left out by their id, where any are.
    marks: Vec<u8>,
}

impl Columns {
    fn fill(&mut self, events: &[Event]) {
        self.times.clear();
        self.keys.clear();
        self.values.clear();
        self.partitions.clear();
        self.arrivals.clear();
        self.times.extend(events.iter().map(|it| it.time));
        self.keys.extend(events.iter().map(|it| it.key));
        self.values.extend(events.iter().map(|it| it.value));
        // A generator has at most 256 partitions.
        self.partitions.extend(events.iter().map(|it| it.partition as u8));
        self.arrivals.extend(events.iter().map(|it| it.arrival));
    }
}

/// How far a file was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadProgress {
    /// Records kept.
    pub records: u64,
    /// Rows that are none.
    pub bad: u64,
}

/// How far a stream has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WholeProgress {
    /// Records processed.
    pub records: u64,
    /// Records in all; of a generated stream without duplicates and replays.
    pub expected: u64,
    /// Whether all is processed.
    pub is_done: bool,
    /// Counts so far.
    pub totals: Totals,
}

/// A row of the log, with the name of its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedRow {
    /// The row.
    pub row: Row,
    /// The key as the file has it, or its number.
    pub key_name: String,
    /// The partition as the file has it, or its number; `None` where nothing says it.
    pub partition_name: Option<String>,
}

/// The choice of a bound, with the names of what makes the disorder.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StreamBound {
    /// The report.
    #[serde(flatten)]
    pub report: BoundReport,
    /// The names of its partitions, in its order.
    pub partition_names: Vec<String>,
    /// The names of its keys, in its order.
    pub key_names: Vec<String>,
}

impl Whole {
    /// A stream at its start. One of a file waits for its bytes.
    ///
    /// # Errors
    /// A param that Flink, the generator, the reader or a limit of this engine refuses.
    pub fn new(params: &WholeParams) -> Result<Self, WholeError> {
        let (input, keys, partitions, expected) = match &params.source {
            StreamSource::Generated { generator } => {
                let made = Generator::new(generator).map_err(WholeError::Generator)?;
                let (keys, partitions) = (generator.keys.count, generator.partitions);
                (Input::Generated(Box::new(made)), keys, partitions.into(), generator.events)
            }
            StreamSource::File { reader } => {
                let made = Reader::new(reader.clone()).map_err(WholeError::Reader)?;
                // How many there are is known when it is read.
                (Input::Reading(Box::new(made)), 1, 1, 0)
            }
        };
        // The run first: what Flink refuses is said in Flink's words.
        let run = watched(&params.run(keys, partitions))?;
        params.check_file()?;
        let key_groups = params.key_groups().map_err(RunError::from)?;
        params.job.kept.check().map_err(RunError::from)?;
        let is_global = params.windows.assigner == Assigner::Global;
        let space = if is_global { WindowSpace::Global } else { WindowSpace::Time };
        let layout = Layout::new(&params.job.kept, space, key_groups);
        let disorder = Disorder::new(&params.disorder()).map_err(WholeError::Disorder)?;
        Ok(Self {
            params: params.clone(),
            input,
            run,
            disorder,
            results: Results::default(),
            names: Names::default(),
            read: None,
            generated: None,
            expected,
            batch: Vec::new(),
            columns: Columns::default(),
            followed: Clock::new(0, params.every()),
            layout,
            key_groups,
            ids: params.job.dedup_ttl.map(Ids::new),
        })
    }

    /// Takes in the next bytes of the file.
    ///
    /// # Errors
    /// What the reader refuses, or a stream that is not read from a file.
    pub fn push(&mut self, chunk: &[u8]) -> Result<ReadProgress, WholeError> {
        let Input::Reading(reader) = &mut self.input else { return Err(WholeError::NoFile) };
        reader.push(chunk).map_err(WholeError::Reader)?;
        let (records, bad) = reader.progress();
        Ok(ReadProgress { records, bad })
    }

    /// The end of the file: what was read. From here on the stream can be run.
    ///
    /// # Errors
    /// What the reader refuses, or a stream that is not read from a file.
    pub fn finish(&mut self) -> Result<Derivation<ReadReport>, WholeError> {
        let Input::Reading(reader) = std::mem::replace(&mut self.input, Input::Over) else {
            return Err(WholeError::NoFile);
        };
        let (records, report) = reader.finish().map_err(WholeError::Reader)?;
        self.expected = records.len();
        let (pieces, keys, partitions) = records.into_parts();
        let count = partitions.len().max(1) as u32;
        self.run = watched(&self.params.run(keys.len().max(1) as u32, count))?;
        self.names = Names { keys, partitions };
        let rest = pieces.into_iter();
        self.input = Input::Read { piece: Piece::default(), at: 0, rest };
        self.read = Some(report.clone());
        Ok(report)
    }

    /// Works through at most so many records more.
    ///
    /// # Errors
    /// More records in flight than a generator holds, a record that the run cannot take, or a file
    /// that is not read to its end.
    pub fn advance(&mut self, max_records: usize) -> Result<WholeProgress, WholeError> {
        let mut left = max_records;
        while left > 0 {
            let count = self.feed(left.min(BATCH))?;
            // Firings that will not be kept are not held either: the end of a stream of a million
            // keys has millions of them at once.
            self.run.keep_at_most(RESULTS_KEPT.saturating_sub(self.results.len()));
            self.run.advance(count);
            self.measure(count);
            if let Some(fault) = self.run.fault() {
                return Err(fault.into());
            }
            if count == 0 && !self.params.end_of_input {
                self.run.let_clock_run();
            }
            self.keep_results();
            if count == 0 {
                break;
            }
            left -= count;
        }
        Ok(self.progress())
    }

    /// Hands the next records to both halves and says how many.
    fn feed(&mut self, max: usize) -> Result<usize, WholeError> {
        let count = match &mut self.input {
            Input::Generated(generator) => {
                self.batch.clear();
                let count = generator.fill(&mut self.batch, max).map_err(WholeError::Generator)?;
                self.columns.fill(&self.batch);
                let Columns { times, keys, values, partitions, arrivals, .. } = &self.columns;
                self.run.push_from(times, keys, values, Origin { partitions, arrivals })?;
                if let Some(ids) = &mut self.ids {
                    let mark = |it: &Event| {
                        u8::from(ids.is_duplicate(it.id, it.arrival)) * outcome::DUPLICATE
                    };
                    self.columns.marks.clear();
                    self.columns.marks.extend(self.batch.iter().map(mark));
                    self.run.mark_duplicates(&self.columns.marks);
                }
                self.generated = (count == 0).then(|| generator.report());
                count
            }
            Input::Read { piece, at, rest } => {
                if *at == piece.times.len() {
                    (*piece, *at) = (rest.next().unwrap_or_default(), 0);
                }
                let to = piece.times.len().min(*at + max);
                let here = *at..to;
                let (times, keys) = (&piece.times[here.clone()], &piece.keys[here.clone()]);
                // Without values records are counted: each has the value 1.
                let values = &mut self.columns.values;
                values.clear();
                values.extend(piece.values.get(here.clone()).unwrap_or_default());
                values.resize(times.len(), 1);
                let arrivals = piece.arrivals.get(here.clone()).unwrap_or_default();
                let is_told = self.names.partitions.len() > 1;
                let partitions = if is_told { &piece.partitions[*at..to] } else { &[] };
                self.run.push_from(times, keys, values, Origin { partitions, arrivals })?;
                if let Some(ids) = &mut self.ids {
                    // Where no arrival is known no time passes for the TTL.
                    let now = |n: usize| arrivals.get(n).copied().unwrap_or(0);
                    let all = piece.ids.get(here).unwrap_or_default().iter().enumerate();
                    let mark = |(n, id): (usize, &u32)| {
                        u8::from(ids.is_duplicate(*id, now(n))) * outcome::DUPLICATE
                    };
                    self.columns.marks.clear();
                    self.columns.marks.extend(all.map(mark));
                    self.run.mark_duplicates(&self.columns.marks);
                }
                to - std::mem::replace(at, to)
            }
            Input::Reading(_) => return Err(WholeError::Unread),
            Input::Over => return Ok(0),
        };
        if count == 0 {
            self.input = Input::Over;
            if self.params.end_of_input {
                self.run.end_input();
            }
        }
        Ok(count)
    }

    /// How far the records that were run last are behind the watermarks that judged them.
    fn measure(&mut self, count: usize) {
        let judged = self.run.take_judged();
        let rule = self.params.watermarks.rule;
        // A watermark of SQL is a millisecond ahead of what the choice of a bound counts with.
        let ahead = i64::from(rule.is_sql());
        let lag = rule.lag().unwrap_or(0) + ahead;
        let Self { followed, disorder, columns, params, .. } = self;
        let mut add = |at: usize, record: (i64, u32, u16), value: i32| {
            let time = record.0;
            let greatest = match &judged {
                Some(watermarks) => {
                    watermarks.get(at).filter(|it| **it > i64::MIN).map(|it| it + lag)
                }
                None => Some(followed.watermark).filter(|it| *it > i64::MIN).map(|it| it + ahead),
            };
            // What never reaches the windows is late for none.
            if columns.marks.get(at).is_none_or(|mark| *mark == 0) {
                disorder.add_judged(record, greatest, params.told(time, value));
            }
            followed.after(time);
        };
        match &self.input {
            Input::Generated(_) => {
                for (at, event) in self.batch.iter().enumerate() {
                    add(at, (event.time, event.key, event.partition), event.value);
                }
            }
            Input::Read { piece, at: end, .. } => {
                let from = end - count;
                for at in from..*end {
                    let record = (piece.times[at], piece.keys[at], piece.partitions[at].into());
                    add(at - from, record, piece.values.get(at).copied().unwrap_or(1));
                }
            }
            Input::Reading(_) | Input::Over => {}
        }
    }

    fn keep_results(&mut self) {
        let new = self.run.take_results();
        let room = RESULTS_KEPT.saturating_sub(self.results.len()).min(new.len());
        self.results.key.extend_from_slice(&new.key[..room]);
        self.results.start.extend_from_slice(&new.start[..room]);
        self.results.end.extend_from_slice(&new.end[..room]);
        self.results.count.extend_from_slice(&new.count[..room]);
        self.results.sum.extend_from_slice(&new.sum[..room]);
        self.results.nth.extend_from_slice(&new.nth[..room]);
        self.results.watermark.extend_from_slice(&new.watermark[..room]);
        self.results.record.extend_from_slice(&new.record[..room]);
    }

    /// How far it has come.
    pub fn progress(&self) -> WholeProgress {
        let Progress { records, totals, .. } = self.run.progress();
        let records = records as u64;
        let is_done = matches!(self.input, Input::Over);
        let expected = if is_done { records } else { self.expected.max(records) };
        WholeProgress { records, expected, is_done, totals }
    }

    /// The first results, at most [`RESULTS_KEPT`].
    pub fn results(&self) -> &Results {
        &self.results
    }

    /// The open state over time.
    pub fn samples(&self) -> &[Sample] {
        self.run.samples()
    }

    /// Rows of the log, computed again.
    pub fn rows(&self, from: usize, count: usize) -> Vec<NamedRow> {
        let named = |row: Row| NamedRow {
            key_name: self.key_name(row.key),
            partition_name: row.partition.map(|it| self.partition_name(it.into())),
            row,
        };
        self.run.rows(from, count).into_iter().map(named).collect()
    }

    /// A key as the file has it, or its number.
    pub fn key_name(&self, key: u32) -> String {
        self.names.keys.text(key).map_or_else(|| key.to_string(), str::to_owned)
    }

    /// Which bound does the stream need, and what does it cost?
    ///
    /// # Errors
    /// A param outside its range.
    pub fn bound(&self, params: &BoundParams) -> Result<Derivation<StreamBound>, WholeError> {
        let answer = choose_bound(&self.disorder, params).map_err(WholeError::Disorder)?;
        let (report, findings) = (answer.value, answer.findings);
        let partitions = report.partitions.iter();
        let partition_names = partitions.map(|it| self.partition_name(it.partition)).collect();
        let key_names = report.keys.iter().map(|it| self.key_name(it.key)).collect();
        let value = StreamBound { report, partition_names, key_names };
        Ok(Derivation { value, findings })
    }

    fn partition_name(&self, at: u16) -> String {
        let name = self.names.partitions.get(usize::from(at)).filter(|it| !it.is_empty());
        name.map_or_else(|| at.to_string(), Clone::clone)
    }

    /// Bytes that the operator keeps at each sample, as if one task held all keys.
    pub fn kept(&self) -> Vec<KeptBytes> {
        self.samples().iter().map(|it| self.layout.bytes(&Held::even(&it.open.all))).collect()
    }

    /// Bytes held: records with their outcomes and snapshots, and open state.
    pub fn bytes(&self) -> (usize, usize) {
        let texts = self.names.keys.bytes_held();
        let ids = self.ids.as_ref().map_or(0, Ids::bytes);
        (self.run.record_bytes() + texts, self.run.state_bytes() + ids)
    }
}

/// A run that says by which watermark each record is judged.
fn watched(params: &RunParams) -> Result<Run, RunError> {
    let mut run = Run::new(params)?;
    run.take_judged();
    Ok(run)
}
