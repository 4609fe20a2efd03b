//! What becomes of a record, in one byte.
//!
//! Source: Flink 1.20.5, `WindowOperator#processElement`, `#isWindowLate`, `#isElementLate`.

/// The bits that tell what became of it: one of the four that follow.
pub const KIND: u8 = 0b0000_0011;
/// Every window that took it has not fired yet.
pub const ON_TIME: u8 = 0;
/// A window that had fired took it within the allowed lateness, and fired again at once.
pub const LATE: u8 = 1;
/// No window took it: to the side output where there is one, else counted by
/// `numLateRecordsDropped`.
pub const DROPPED: u8 = 2;
/// It fell between windows whose slide is larger than their size and was not late: no trace of it.
pub const IGNORED: u8 = 3;
/// Some windows took it, others were past their clean-up.
pub const PARTLY: u8 = 0b0000_0100;
/// An earlier record had its id: it never reached the windows, and its kind is [`IGNORED`].
pub const DUPLICATE: u8 = 0b0001_0000;
/// Its timestamp is not above the watermark; that alone does not make it late.
pub const BEHIND: u8 = 0b0000_1000;
