//! The loop around an operator: plain records in a tight loop, the others one by one, timers when
//! the watermark reaches the next of them.
//!
//! Source: Flink 1.18.1, 1.20.5 and 2.2.1, `WindowOperator#processElement` and
//! `InternalTimerServiceImpl#advanceWatermark`: the record is judged by the watermark before it,
//! and goes ahead of the watermark it causes.

use super::clock::Clock;
use super::outcome;
use super::report::{Firings, OpenState, OpenWindow, Output, Totals};

/// Records in order, one array a column; `outcomes` is written.
#[derive(Debug)]
pub struct Block<'a> {
    /// The place of the first record in the run.
    pub first: u32,
    /// Event times [ms].
    pub times: &'a [i64],
    /// Keys.
    pub keys: &'a [u32],
    /// Values.
    pub values: &'a [i32],
    /// What becomes of each, see [`outcome`].
    pub outcomes: &'a mut [u8],
    /// When they arrive, where the trigger follows the clock; else empty [ms].
    pub arrivals: &'a [i64],
}

/// One record.
#[derive(Debug, Clone, Copy)]
pub struct Record {
    /// Event time [ms].
    pub time: i64,
    /// Key.
    pub key: u32,
    /// Value.
    pub value: i32,
}

/// Keyed windows of one assigner.
pub trait Operator {
    /// Takes records that are on time for state that is already open, from `at` on, and returns how
    /// far it came. It stops before a record that needs more, and after one whose watermark reaches
    /// [`Operator::due`].
    fn plain(&mut self, block: &mut Block<'_>, at: usize, clock: &mut Clock) -> usize;

    /// Takes any one record, and returns what becomes of it without [`outcome::BEHIND`].
    fn take(&mut self, record: Record, out: &mut Output<'_>) -> u8;

    /// Moves processing time, and runs the timers that it reaches. Most triggers have none.
    fn let_clock_reach(&mut self, _now: i64, _out: &mut Output<'_>) {}

    /// The earliest timer, `Long.MAX_VALUE` where there is none [ms].
    fn due(&self) -> i64;

    /// Runs all timers up to the watermark of `out`, in order of time, at one time in order of key.
    fn advance(&mut self, out: &mut Output<'_>);

    /// How much is open.
    fn open_state(&self, watermark: i64) -> OpenState;

    /// All that is open, in order of key and start.
    fn open_windows(&self, watermark: i64) -> Vec<OpenWindow>;

    /// Bytes that the operator holds.
    fn bytes(&self) -> usize;
}

/// Runs a block of records.
pub fn drive(
    operator: &mut impl Operator,
    block: &mut Block<'_>,
    clock: &mut Clock,
    firings: &mut Firings,
    totals: &mut Totals,
) {
    let mut at = 0;
    while at < block.times.len() {
        at = operator.plain(block, at, clock);
        if clock.watermark >= operator.due() {
            let record = block.first + at as u32 - 1;
            advance(operator, clock, firings, totals, record);
        } else if at < block.times.len() {
            let (time, key, value) = (block.times[at], block.keys[at], block.values[at]);
            let record = block.first + at as u32;
            let mut out = Output { firings, totals, record, watermark: clock.watermark };
            if let Some(now) = block.arrivals.get(at) {
                operator.let_clock_reach(*now, &mut out);
            }
            let kind = operator.take(Record { time, key, value }, &mut out);
            count(kind, totals);
            block.outcomes[at] = kind | behind(time, clock.watermark);
            clock.after(time);
            at += 1;
            if clock.watermark >= operator.due() {
                advance(operator, clock, firings, totals, record);
            }
        }
    }
    totals.records += block.times.len() as u32;
    // A sum of the bits is cheaper than a branch for each.
    let behind = block.outcomes.iter().map(|it| u32::from(it & outcome::BEHIND)).sum::<u32>();
    totals.behind += behind / u32::from(outcome::BEHIND);
}

/// Runs the timers that the watermark reaches.
pub fn advance(
    operator: &mut impl Operator,
    clock: &Clock,
    firings: &mut Firings,
    totals: &mut Totals,
    record: u32,
) {
    operator.advance(&mut Output { firings, totals, record, watermark: clock.watermark });
}

/// [`outcome::BEHIND`] where the time is not above the watermark.
#[inline(always)]
pub fn behind(time: i64, watermark: i64) -> u8 {
    u8::from(time <= watermark) * outcome::BEHIND
}

/// Counts all but the plain records, which are what remains.
fn count(kind: u8, totals: &mut Totals) {
    match kind & outcome::KIND {
        outcome::LATE => totals.late += 1,
        outcome::DROPPED => totals.dropped += 1,
        outcome::IGNORED => totals.ignored += 1,
        _ => {}
    }
    totals.partly += u32::from(kind & outcome::PARTLY != 0);
}
