//! What the parts of the picture say when they are read out.

use crate::event_time::operator::WindowStatus;
use crate::event_time::report::{FiringReport, RecordOutcome, RecordReport, Row, Sent};
use crate::event_time::signal::{Signal, Status};
use crate::event_time::text::{agreeing, clock, is_date, moment};
use crate::event_time::time::EventTime;

/// A row in words.
pub fn row(row: &Row) -> String {
    let mut text = match &row.record {
        Some(record) => self::record(record, row.watermark_before),
        None if row.watermark_after == EventTime::MAX => "The input ends".to_owned(),
        None if row.signal.is_some() => row.signal.as_ref().map_or_else(String::new, signal),
        None => "The clock asks the sources".to_owned(),
    };
    if let Some(error) = &row.error {
        return format!("{text}. The job fails: {error}");
    }
    if row.watermark_after != row.watermark_before {
        text.push_str(&format!(". Then the watermark is {}", moment(row.watermark_after)));
    }
    let record = row.record.iter().flat_map(|record| &record.firings);
    let firings: Vec<&FiringReport> = record.chain(&row.firings).collect();
    for firing in firings.iter().take(3) {
        text.push_str(&format!(". {}", self::firing(firing)));
    }
    if firings.len() > 3 {
        text.push_str(&format!(". And {} more results", firings.len() - 3));
    }
    text.push('.');
    text
}

fn signal(Sent { subtask, signal }: &Sent) -> String {
    match signal {
        Signal::Watermark { watermark } => {
            format!("Source subtask {subtask} sends the watermark {}", moment(*watermark))
        }
        Signal::Status { status: Status::Idle } => format!("Source subtask {subtask} is idle"),
        Signal::Status { status: Status::Active } => format!("Source subtask {subtask} is active"),
    }
}

fn record(record: &RecordReport, watermark: EventTime) -> String {
    let fate = match record.outcome {
        Some(RecordOutcome::OnTime) if record.behind_watermark => {
            "behind the watermark, on time all the same"
        }
        Some(RecordOutcome::OnTime) => "on time",
        Some(RecordOutcome::Late) => "late but counted",
        Some(RecordOutcome::Dropped) => "dropped",
        Some(RecordOutcome::Ignored) => "in no window",
        Some(RecordOutcome::Duplicate) => "left out as a duplicate",
        None => "the job fails on it",
    };
    let expired =
        record.windows.iter().filter(|window| window.status == WindowStatus::Expired).count();
    let partly = if record.partial {
        format!(", {} of its {} windows past cleanup", expired, record.windows.len())
    } else {
        String::new()
    };
    format!(
        "Record {}, key {}, event time {}, at watermark {}: {fate}{partly}",
        record.id,
        record.key,
        moment(record.time),
        moment(watermark)
    )
}

fn firing(firing: &FiringReport) -> String {
    let repeated = if firing.refire { " again" } else { "" };
    format!(
        "Window {} of key {} fires{repeated} with {}, sum {}",
        bounds(firing.start, firing.end),
        firing.key,
        agreeing(firing.count as u32, "record", "records"),
        firing.sum
    )
}

/// A window's bounds inside the picture, where the axis has the date.
pub fn short_bounds(start: EventTime, end: EventTime) -> String {
    if !is_date(start) || end == EventTime::MAX {
        return bounds(start, end);
    }
    let short = |time: EventTime| clock(time.get(), 1000);
    format!("[{}, {})", short(start), short(end))
}

/// A window's bounds.
pub fn bounds(start: EventTime, end: EventTime) -> String {
    if start == EventTime::MIN && end == EventTime::MAX {
        return "of all time".to_owned();
    }
    format!("[{}, {})", moment(start), moment(end))
}
