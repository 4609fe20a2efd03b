//! A whole stream, generated or read from a file, through the window operator in one pass.
//!
//! The pass feeds a [`Run`], which says what becomes of each record, and a [`Disorder`], from which
//! every bound is answered without another pass. A file is read to its end first, since the keys
//! have to be known; its records are then given away piece by piece, so that they are never held
//! twice.
//!
//! Source: Flink 1.18.1, 1.20.5 and 2.2.1, `WindowOperator`, `BoundedOutOfOrdernessWatermarks`; the
//! rules are those of [`crate::event_time::run`] and [`crate::stream::disorder`].

mod error;
mod params;
mod report;

use serde::Serialize;

use super::run::{Progress, Results, Row, Run, RunParams, Sample, Totals};
use crate::finding::Derivation;
use crate::stream::read::keys::Keys;
use crate::stream::read::records::Piece;
use crate::stream::{
    BoundParams, BoundReport, Disorder, Event, Generator, ReadReport, Reader, choose_bound,
};
pub use error::WholeError;
pub use params::{StreamSource, WholeParams};
pub use report::WholeReport;

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
    columns: (Vec<i64>, Vec<u32>, Vec<i32>),
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
        let (input, keys, expected) = match &params.source {
            StreamSource::Generated { generator } => {
                let made = Generator::new(generator).map_err(WholeError::Generator)?;
                (Input::Generated(Box::new(made)), generator.keys.count, generator.events)
            }
            StreamSource::File { reader } => {
                let made = Reader::new(reader.clone()).map_err(WholeError::Reader)?;
                (Input::Reading(Box::new(made)), 1, 0)
            }
        };
        // The run first: what Flink refuses is said in Flink's words.
        let run = Run::new(&params.run(keys))?;
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
            columns: (Vec::new(), Vec::new(), Vec::new()),
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
        self.run = Run::new(&self.params.run(keys.len().max(1) as u32))?;
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
            self.run.advance(count);
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
                let (times, keys, values) = &mut self.columns;
                times.clear();
                keys.clear();
                values.clear();
                times.extend(self.batch.iter().map(|it| it.time));
                keys.extend(self.batch.iter().map(|it| it.key));
                values.extend(self.batch.iter().map(|it| it.value));
                self.run.push(times, keys, values)?;
                self.disorder.add_all(&self.batch);
                self.generated = (count == 0).then(|| generator.report());
                count
            }
            Input::Read { piece, at, rest } => {
                if *at == piece.times.len() {
                    (*piece, *at) = (rest.next().unwrap_or_default(), 0);
                }
                let to = piece.times.len().min(*at + max);
                let (times, keys) = (&piece.times[*at..to], &piece.keys[*at..to]);
                // A file's records are counted: each has the value 1.
                let values = &mut self.columns.2;
                values.resize(times.len(), 1);
                self.run.push(times, keys, values)?;
                for (record, partition) in piece.partitions[*at..to].iter().enumerate() {
                    self.disorder.add(times[record], keys[record], (*partition).into());
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
        let named = |row: Row| NamedRow { key_name: self.key_name(row.key), row };
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
        let partition = |at: u16| {
            let name = self.names.partitions.get(usize::from(at)).filter(|it| !it.is_empty());
            name.map_or_else(|| at.to_string(), Clone::clone)
        };
        let partition_names = report.partitions.iter().map(|it| partition(it.partition)).collect();
        let key_names = report.keys.iter().map(|it| self.key_name(it.key)).collect();
        let value = StreamBound { report, partition_names, key_names };
        Ok(Derivation { value, findings })
    }

    /// Bytes held: records with their outcomes and snapshots, and open state.
    pub fn bytes(&self) -> (usize, usize) {
        let texts = self.names.keys.bytes_held();
        (self.run.record_bytes() + texts, self.run.state_bytes())
    }
}

impl WholeParams {
    fn run(&self, keys: u32) -> RunParams {
        let (windows, watermarks) = (self.windows.clone(), self.watermarks.clone());
        RunParams { windows, watermarks, keys, source: None }
    }
}
