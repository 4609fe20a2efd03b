//! One record as it reaches a source, and what its time fields mean.
//!
//! A stream is a sequence of these in order of arrival. What a record would carry beyond them does
//! not change a watermark, a window or a lateness, so it is not kept.

/// One record as it reaches the source, in order of arrival.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// Event time: when it happened, as the record says [ms since the epoch].
    pub time: i64,
    /// Processing time: when the source reads it [ms since the epoch].
    pub arrival: i64,
    /// Its key, as an index into the keys of the stream.
    pub key: u32,
    /// The partition of the source that it is read from, from 0.
    pub partition: u16,
    /// What is summed, counted or compared.
    pub value: i32,
    /// Which of the records that producers created it is, from 0; when it comes again it has the same.
    /// A file's records have none: all are 0.
    pub id: u32,
}
