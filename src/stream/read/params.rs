//! How a user's records are read: format, columns, and what a timestamp is.

use serde::{Deserialize, Serialize};

use crate::stream::error::StreamError;

/// Params of a reader.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReaderParams {
    /// The format.
    pub format: Format,
    /// Where the event time is.
    pub time: Field,
    /// What the event time is written as.
    pub time_format: TimeFormat,
    /// Where the key is; without one all records have the same.
    pub key: Option<Field>,
    /// Where the partition is; without one all records are in the same.
    pub partition: Option<Field>,
    /// Where the value is, a whole number of 32 bits; without one each record has the value 1.
    #[serde(default)]
    pub value: Option<Field>,
    /// Where the id is, by which a record that comes again is known.
    #[serde(default)]
    pub id: Option<Field>,
    /// Where it is said when a record arrived.
    #[serde(default)]
    pub arrival: Option<Field>,
    /// What the arrival is written as; `None` is as the event time.
    #[serde(default)]
    pub arrival_format: Option<TimeFormat>,
}

/// Fields of a record that may be read.
pub(super) const FIELDS: usize = 6;

/// The format of the records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", deny_unknown_fields)]
pub enum Format {
    /// Comma-separated values with the quotes of RFC 4180.
    Csv {
        /// What stands between fields.
        delimiter: Delimiter,
        /// Whether the first row names the columns.
        header: bool,
        /// Fields of each row; `None` takes those of the first row.
        columns: Option<u32>,
    },
    /// An object of JSON in each line.
    JsonLines,
}

/// What stands between the fields of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Delimiter {
    /// `,`
    Comma,
    /// `;`
    Semicolon,
    /// A tab.
    Tab,
}

impl Delimiter {
    /// All of them, the most usual first.
    pub const ALL: [Self; 3] = [Self::Comma, Self::Semicolon, Self::Tab];

    /// The byte.
    pub const fn byte(self) -> u8 {
        match self {
            Self::Comma => b',',
            Self::Semicolon => b';',
            Self::Tab => b'\t',
        }
    }
}

/// A column of a row or a field of an object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Field {
    /// A column of CSV by its number, from 0.
    Index(u32),
    /// A column by its name in the header, or a field at the top of an object.
    Name(String),
}

/// What a timestamp is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TimeFormat {
    /// Seconds since the epoch.
    EpochSeconds,
    /// Milliseconds since the epoch.
    EpochMillis,
    /// Microseconds since the epoch.
    EpochMicros,
    /// Nanoseconds since the epoch.
    EpochNanos,
    /// A date and a time of ISO 8601.
    Iso8601,
}

impl ReaderParams {
    /// The fields that are read, with the param that each is given by.
    pub(super) fn fields(&self) -> [(&'static str, Option<&Field>); FIELDS] {
        [
            ("time", Some(&self.time)),
            ("key", self.key.as_ref()),
            ("partition", self.partition.as_ref()),
            ("value", self.value.as_ref()),
            ("id", self.id.as_ref()),
            ("arrival", self.arrival.as_ref()),
        ]
    }

    pub(super) fn check(&self) -> Result<(), StreamError> {
        for (name, field) in self.fields() {
            match (self.format, field) {
                (Format::JsonLines, Some(Field::Index(_))) => {
                    let message = format!("{name} is a number; fields of JSON have names.");
                    return Err(StreamError::not_offered(name, message));
                }
                (Format::Csv { header: false, .. }, Some(Field::Name(column))) => {
                    let message = format!(
                        "{name} is the column `{column}`, but there is no header; give its number, from 0."
                    );
                    return Err(StreamError::not_offered(name, message));
                }
                _ => {}
            }
        }
        Ok(())
    }
}
