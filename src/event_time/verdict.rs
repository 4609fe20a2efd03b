//! One sentence about a run.

use super::generator::WatermarkRule;
use super::params::EventTimeParams;
use super::report::EventTimeReport;
use super::text::{counted, moment, span};
use super::time::EventTime;
use super::waiting::Waiting;

/// What happened, with its numbers, and what decides it.
///
/// `waiting` says who holds the watermark.
pub fn verdict(
    params: &EventTimeParams,
    report: &EventTimeReport,
    waiting: &Waiting<'_>,
) -> String {
    if let Some(error) = report.rows.iter().find_map(|row| row.error.as_ref()) {
        return format!("The job fails: {error}");
    }
    let totals = &report.totals;
    if totals.events == 0 {
        return "No record yet. Add one, and see what happens to it.".to_owned();
    }
    let mut parts = vec![format!("{} on time", totals.on_time)];
    let mut say = |count: u32, what: &str| {
        if count > 0 {
            parts.push(format!("{count} {what}"));
        }
    };
    say(totals.late, "late but counted");
    let dropped = if params.windows.side_output {
        "dropped to the side output"
    } else {
        "dropped and only counted in numLateRecordsDropped"
    };
    say(totals.dropped, dropped);
    say(totals.ignored, "in no window at all");
    say(totals.duplicates, "left out as duplicates");
    let sum = if totals.on_time == totals.events && totals.events > 1 {
        format!("All {} are on time.", counted(totals.events, "record"))
    } else {
        format!("Of {} {}.", counted(totals.events, "record"), parts.join(", "))
    };
    format!("{sum} {}{}", results(report, waiting), enough(params, report))
}

/// Where nothing came behind the watermark: the smallest bound of which that is true.
fn enough(params: &EventTimeParams, report: &EventTimeReport) -> String {
    let is_bounded = matches!(
        params.watermarks.rule,
        WatermarkRule::BoundedOutOfOrderness { .. } | WatermarkRule::Ascending
    );
    if !is_bounded || params.source.parallelism > 1 || report.totals.behind_watermark > 0 {
        return String::new();
    }
    let records = report.rows.iter().filter_map(|row| row.record.as_ref());
    let mut highest = i64::MIN;
    let mut most = 0;
    for record in records {
        let time = record.time.get();
        if time < highest {
            most = most.max(highest.saturating_sub(time));
        }
        highest = highest.max(time);
    }
    if most == 0 {
        return " The records are in order: a bound of 0 would do.".to_owned();
    }
    let most = span(most);
    format!(" The one most out of order is {most} behind: a bound of {most} would do.")
}

fn results(report: &EventTimeReport, waiting: &Waiting<'_>) -> String {
    let totals = &report.totals;
    if totals.firings == 0 {
        let who = if waiting.is_held() { format!(" {}", waiting.holder()) } else { String::new() };
        return nothing_yet(report) + &who;
    }
    let repeats = match totals.refires {
        0 => String::new(),
        1 => ", 1 of them a repeat".to_owned(),
        more => format!(", {more} of them repeats"),
    };
    format!("{}{repeats}.", counted(totals.firings, "result"))
}

fn nothing_yet(report: &EventTimeReport) -> String {
    let next =
        report.windows.iter().filter(|life| life.closed.is_none()).map(|life| life.end).min();
    match next {
        Some(end) if end != EventTime::MAX => {
            let due = EventTime::ms(end.get().wrapping_sub(1));
            format!(
                "No result: the first window fires at watermark {}; now it is {}.",
                moment(due),
                moment(report.watermark)
            )
        }
        _ => format!("No result; the watermark is {}.", moment(report.watermark)),
    }
}
