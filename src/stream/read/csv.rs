//! Rows of CSV out of chunks of bytes, whatever the bytes.
//!
//! Quotes are those of RFC 4180; a quote inside a field that does not begin with one is a
//! character. Rows end with a line feed, a carriage return or both, and empty lines are no rows. A
//! row of more than [`MAX_LINE`] bytes is given up, and reading goes on with the next line, as if
//! no quote were open.
//!
//! Source: RFC 4180, by the `csv-core` crate.

use super::params::Delimiter;
use super::report::{Fault, Reason};
use crate::stream::error::StreamError;

/// The longest row or line [B].
pub const MAX_LINE: usize = 1 << 20;

/// Splits chunks into rows.
#[derive(Debug)]
pub struct Csv {
    core: csv_core::Reader,
    delimiter: Delimiter,
    /// The fields of the row at hand without their quotes, one after the other.
    text: Vec<u8>,
    text_length: usize,
    /// Where each field ends in it.
    ends: Vec<usize>,
    fields: usize,
    /// Bytes of the row at hand, quotes included.
    taken: usize,
    /// Whether the rest of the line belongs to a row that was given up.
    is_skipping: bool,
    line: u64,
    row_line: u64,
}

/// A row, or why there is none.
#[derive(Debug)]
pub struct Row<'a> {
    /// The line that it begins in, from 1.
    pub line: u64,
    /// Its fields.
    pub fields: Result<Fields<'a>, Fault>,
}

/// The fields of a row.
#[derive(Debug, Clone, Copy)]
pub struct Fields<'a> {
    text: &'a [u8],
    ends: &'a [usize],
}

impl<'a> Fields<'a> {
    /// How many there are.
    pub fn count(self) -> usize {
        self.ends.len()
    }

    /// A field by its number, from 0.
    pub fn get(self, at: usize) -> Option<&'a [u8]> {
        let end = *self.ends.get(at)?;
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        self.text.get(start..end)
    }
}

/// Takes each row.
pub type Sink<'s> = dyn FnMut(Row<'_>) -> Result<(), StreamError> + 's;

impl Csv {
    /// At the beginning of a text.
    pub fn new(delimiter: Delimiter) -> Self {
        Self {
            core: fresh(delimiter),
            delimiter,
            text: vec![0; 1 << 10],
            text_length: 0,
            ends: vec![0; 1 << 5],
            fields: 0,
            taken: 0,
            is_skipping: false,
            line: 1,
            row_line: 1,
        }
    }

    /// Takes in the next bytes.
    ///
    /// # Errors
    /// What the sink refuses.
    pub fn push(&mut self, mut input: &[u8], sink: &mut Sink<'_>) -> Result<(), StreamError> {
        while !input.is_empty() {
            input = if self.is_skipping {
                self.skip(input)
            } else if self.taken == 0 && matches!(input[0], b'\n' | b'\r') {
                self.line += u64::from(input[0] == b'\n');
                &input[1..]
            } else {
                self.read(input, sink)?
            };
        }
        Ok(())
    }

    /// The end of the text.
    ///
    /// # Errors
    /// What the sink refuses.
    pub fn finish(&mut self, sink: &mut Sink<'_>) -> Result<(), StreamError> {
        if self.taken == 0 || self.is_skipping {
            return Ok(());
        }
        // A line feed ends the row, unless it falls into an open quote.
        let lines = self.line;
        self.push(b"\n", sink)?;
        if self.taken > 0 {
            self.line = lines;
            let fault = self.unclosed();
            sink(Row { line: self.row_line, fields: Err(fault) })?;
        }
        Ok(())
    }

    fn skip<'i>(&mut self, input: &'i [u8]) -> &'i [u8] {
        match input.iter().position(|it| *it == b'\n') {
            Some(at) => {
                self.line += 1;
                self.is_skipping = false;
                &input[at + 1..]
            }
            None => &[],
        }
    }

    /// Reads up to the end of the row at hand and returns the rest.
    fn read<'i>(&mut self, input: &'i [u8], sink: &mut Sink<'_>) -> Result<&'i [u8], StreamError> {
        use csv_core::ReadRecordResult as Answer;
        if self.taken == 0 {
            self.row_line = self.line;
        }
        let part = &input[..input.len().min(MAX_LINE - self.taken)];
        let (answer, read, written, ended) = self.core.read_record(
            part,
            &mut self.text[self.text_length..],
            &mut self.ends[self.fields..],
        );
        self.line += part[..read].iter().filter(|it| **it == b'\n').count() as u64;
        self.taken += read;
        self.text_length += written;
        self.fields += ended;
        match answer {
            Answer::Record => {
                let (text, ends) = (&self.text[..self.text_length], &self.ends[..self.fields]);
                let line = self.row_line;
                (self.taken, self.text_length, self.fields) = (0, 0, 0);
                sink(Row { line, fields: Ok(Fields { text, ends }) })?;
                return Ok(&input[read..]);
            }
            Answer::OutputFull => self.text.resize(self.text.len() * 2, 0),
            Answer::OutputEndsFull => self.ends.resize(self.ends.len() * 2, 0),
            Answer::InputEmpty | Answer::End => {}
        }
        if self.taken == MAX_LINE {
            self.is_skipping = part[..read].last() != Some(&b'\n');
            let fault = self.too_long();
            self.core = fresh(self.delimiter);
            (self.taken, self.text_length, self.fields) = (0, 0, 0);
            sink(Row { line: self.row_line, fields: Err(fault) })?;
        }
        Ok(&input[read..])
    }

    fn too_long(&self) -> Fault {
        if self.line > self.row_line {
            return self.unclosed();
        }
        Fault::new(Reason::TooLong, "The line is longer than 1 MiB.")
    }

    fn unclosed(&self) -> Fault {
        let lines = self.line - self.row_line + 1;
        let message = format!("A quote is opened and not closed; {lines} lines are lost to it.");
        Fault::new(Reason::UnclosedQuote, message)
    }
}

/// A reader at the beginning of a row.
fn fresh(delimiter: Delimiter) -> csv_core::Reader {
    let mut core = csv_core::ReaderBuilder::new().delimiter(delimiter.byte()).build();
    // The crate drops a byte order mark, but only one that lies in its first chunk as a whole. An
    // empty line before it makes every chunk alike.
    core.read_record(b"\n", &mut [0], &mut [0]);
    core
}
