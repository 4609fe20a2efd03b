//! What a run shows beside its rows: what holds the watermark, what was dropped and what would have
//! kept it, and where Flink does something that nobody expects.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, the classes that each finding names.

use super::generator::WatermarkRule;
use super::holders::{Moment, furthest};
use super::operator::WindowStatus;
use super::params::EventTimeParams;
use super::pipeline::{Pipeline, all_idle};
use super::report::{RecordOutcome, RecordReport, Row, SourceReport};
use super::text::{agreeing, counted, moment, span};
use super::time::EventTime;
use super::trigger::Trigger;
use super::waiting::Waiting;
use super::window::Assigner;
use crate::finding::{Change, Finding, Severity};

/// From this many windows a record on, sliding windows are named expensive: each holds a copy.
const WINDOWS_MANY: i64 = 10;
/// The field of the allowed lateness.
const LATENESS: &str = "windows.allowedLateness";
/// The field of the bound.
const BOUND: &str = "watermarks.rule.outOfOrderness";
/// The field of the idle timeout.
const IDLE: &str = "watermarks.idleTimeout";

/// Everything that was noticed, worst first.
pub fn findings(
    params: &EventTimeParams,
    pipeline: &Pipeline<'_>,
    sources: &[SourceReport],
) -> Vec<Finding> {
    let rows = &pipeline.rows;
    let mut found = Vec::new();
    found.extend(job_failure(rows, pipeline.is_merge_failure));
    let silent = no_watermark(params, pipeline, sources);
    if silent.is_none() {
        found.extend(held_back(params, pipeline, sources));
    }
    found.extend(silent);
    found.extend(frozen(pipeline));
    found.extend(dropped(params, rows));
    found.extend(sql_lateness(params));
    found.extend(orphaned(params, pipeline));
    found.extend(amplification(params));
    found.extend(left_by_count(params, pipeline));
    found.extend(repeats(pipeline));
    found.extend(counter_stays(params, pipeline));
    found.extend(behind_but_kept(rows));
    found.extend(vanished(params, pipeline));
    found.extend(more_subtasks_than_partitions(params));
    found.sort_by_key(|finding| finding.severity);
    found
}

pub(super) fn note(code: &'static str, title: String, reason: String, source: &str) -> Finding {
    Finding {
        code,
        severity: Severity::Note,
        title,
        reason,
        option: None,
        price: None,
        apply: Vec::new(),
        source: source.to_owned(),
    }
}

fn job_failure(rows: &[Row], is_merge: bool) -> Option<Finding> {
    let error = rows.iter().find_map(|row| row.error.clone())?;
    let title = "The job fails on a record".to_owned();
    if !is_merge {
        let source = "WindowAssigner.assignWindows of Flink 1.18.1, 1.20.5 and 2.2.1";
        let reason = format!(
            "{error} It fails again after every restart, as long as the record is read again: filter such records ahead of the window."
        );
        return Some(Finding {
            severity: Severity::Error,
            ..note("job_failure", title, reason, source)
        });
    }
    Some(Finding {
        severity: Severity::Error,
        option: Some(LATENESS.to_owned()),
        price: Some("Windows are cleaned up at all, and late records are dropped.".to_owned()),
        apply: vec![Change::set(LATENESS, "0")],
        ..note(
            "job_failure",
            title,
            format!(
                "{error}. With an allowed lateness near Long.MAX_VALUE this sum overflows; the check has no guard for it."
            ),
            "WindowOperator.processElement of Flink 1.18.1, 1.20.5 and 2.2.1",
        )
    })
}

/// Source subtasks that never sent a watermark, while others did.
fn no_watermark(
    params: &EventTimeParams,
    pipeline: &Pipeline<'_>,
    sources: &[SourceReport],
) -> Option<Finding> {
    if pipeline.watermark() != EventTime::MIN || pipeline.totals.events == 0 {
        return None;
    }
    let silent: Vec<&SourceReport> = sources
        .iter()
        .filter(|source| source.watermark == EventTime::MIN && !source.idle)
        .collect();
    let sends = sources.iter().any(|source| source.watermark != EventTime::MIN);
    if silent.is_empty() || !sends {
        return None;
    }
    let names: Vec<String> = silent.iter().take(5).map(|source| name_of(source)).collect();
    let timeout = match params.watermarks.emission {
        super::params::EmissionTime::Periodic { interval } => (interval * 10).max(1000),
        super::params::EmissionTime::PerEvent { .. } => 1000,
    };
    let has_timeout = params.watermarks.idle_timeout.is_some();
    Some(Finding {
        severity: Severity::Error,
        option: Some(IDLE.to_owned()),
        price: Some(
            "A source that was idle and comes back with old records finds them late.".to_owned(),
        ),
        apply: if has_timeout { Vec::new() } else { vec![Change::set(IDLE, timeout.to_string())] },
        ..note(
            "no_watermark",
            format!(
                "{} everything back without a watermark",
                agreeing(silent.len() as u32, "source subtask holds", "source subtasks hold")
            ),
            format!(
                "The operator takes the minimum over its inputs, and {} never sent one. No window fires until they do, or are idle. The timeout offered is a choice: ten calls of the clock, and no less than 1 s.",
                names.join(", ")
            ),
            "StatusWatermarkValve",
        )
    })
}

fn name_of(source: &SourceReport) -> String {
    let held: Vec<u32> =
        source.parts.iter().filter(|it| it.holds_back).map(|it| it.partition).collect();
    match (source.partitions.as_slice(), held.as_slice()) {
        ([], _) => format!("subtask {} (no partition)", source.subtask),
        (_, [one]) | ([one], _) => format!("subtask {} (partition {one})", source.subtask),
        (more, []) => format!("subtask {} ({} partitions)", source.subtask, more.len()),
        (_, held) => {
            let names: Vec<String> = held.iter().take(5).map(u32::to_string).collect();
            format!("subtask {} (partitions {})", source.subtask, names.join(", "))
        }
    }
}

/// A partition behind the others, where windows wait that these have passed.
fn held_back(
    params: &EventTimeParams,
    pipeline: &Pipeline<'_>,
    sources: &[SourceReport],
) -> Option<Finding> {
    let watermarks = &params.watermarks;
    let passed = pipeline.lives.ending(pipeline.watermark(), furthest(sources));
    let waiting = waiting(&pipeline.rows, sources, pipeline.watermark());
    waiting.finding(passed, watermarks.emission, watermarks.idle_timeout)
}

/// Who holds the watermark at the end of the rows.
pub fn waiting<'a>(rows: &[Row], sources: &'a [SourceReport], watermark: EventTime) -> Waiting<'a> {
    let moved = rows.iter().rposition(|row| row.watermark_after > row.watermark_before);
    let since = moved.map(|place| Moment { place: place as u32, at: rows[place].at });
    Waiting {
        sources,
        watermark,
        since,
        moment: &|it| format!("step {}", it.place + 1),
        partition: &|it| it.to_string(),
    }
}

/// All inputs idle: event time stands still.
fn frozen(pipeline: &Pipeline<'_>) -> Option<Finding> {
    let open = pipeline.rows.last().map_or(0, |row| row.open_windows);
    if !all_idle(&pipeline.valve) || pipeline.watermark() == EventTime::MAX || open == 0 {
        return None;
    }
    Some(Finding {
        severity: Severity::Warning,
        option: Some(IDLE.to_owned()),
        ..note(
            "all_idle",
            format!(
                "All sources are idle: event time stands still at {}",
                moment(pipeline.watermark())
            ),
            format!(
                "Idleness lets others lead; with nobody left to lead the watermark stays, and {} open. A heartbeat record, a trigger in processing time or a generator that follows the clock would move it.",
                agreeing(open as u32, "window stays", "windows stay")
            ),
            "StatusWatermarkValve, WatermarksWithIdleness",
        )
    })
}

/// Records that were dropped, and the smallest lateness or bound that was tried and keeps them.
fn dropped(params: &EventTimeParams, rows: &[Row]) -> Vec<Finding> {
    let lost: Vec<(&Row, &RecordReport)> = rows
        .iter()
        .filter_map(|row| Some((row, row.record.as_ref()?)))
        .filter(|(_, record)| record.outcome == Some(RecordOutcome::Dropped))
        .collect();
    if lost.is_empty() {
        return Vec::new();
    }
    // By how much the last window of a record missed it: with as much more lateness it had been kept.
    let missing = lost.iter().filter_map(|(row, record)| {
        let end = record.windows.iter().map(|window| window.end).max()?;
        let cleanup = (end.get() - 1).checked_add(params.windows.allowed_lateness.get())?;
        row.watermark_before.get().checked_sub(cleanup)?.checked_add(1)
    });
    let Some(more) = missing.max() else { return Vec::new() };
    let title = match lost.len() {
        1 => "1 record is dropped".to_owned(),
        many => format!("{many} records are dropped"),
    };
    let first = &lost[0];
    let reason = format!(
        "Record {} came when the watermark was {}; the last window that could take it had been cleaned up.",
        first.1.id,
        moment(first.0.watermark_before)
    );
    let finding = |option: &str, value: i64, price: String| Finding {
        severity: Severity::Warning,
        option: Some(option.to_owned()),
        price: Some(price),
        apply: vec![Change::set(option, value.to_string())],
        ..note(
            "records_dropped",
            title.clone(),
            format!("{reason} With {} it is kept: tried on this input.", said(option, value)),
            "WindowOperator.isWindowLate, cleanupTime",
        )
    };
    let mut found = Vec::new();
    if !params.watermarks.rule.is_sql()
        && let Some(value) = params.windows.allowed_lateness.get().checked_add(more)
    {
        let mut tried = params.clone();
        tried.windows.allowed_lateness = EventTime::ms(value);
        if keeps_all(&tried) {
            let price = format!(
                "Each window stays in state {} longer, and every late record emits the whole result again.",
                span(more)
            );
            found.push(finding(LATENESS, value, price));
        }
    }
    if let Some(value) = params.watermarks.rule.bound().checked_add(more) {
        let mut tried = params.clone();
        if set_bound(&mut tried.watermarks.rule, value) && keeps_all(&tried) {
            let price = format!("Every result comes {} of event time later.", span(more));
            found.push(finding(BOUND, value, price));
        }
    }
    if found.is_empty() {
        found.push(Finding {
            severity: Severity::Warning,
            ..note("records_dropped", title, reason, "WindowOperator.isElementLate")
        });
    }
    found
}

fn said(option: &str, value: i64) -> String {
    let what = if option == LATENESS { "an allowed lateness" } else { "a bound" };
    format!("{what} of {}", span(value))
}

fn set_bound(rule: &mut WatermarkRule, value: i64) -> bool {
    match rule {
        WatermarkRule::BoundedOutOfOrderness { out_of_orderness }
        | WatermarkRule::Sql { out_of_orderness }
        | WatermarkRule::SqlAssigner { out_of_orderness } => *out_of_orderness = value,
        WatermarkRule::Ascending => {
            *rule = WatermarkRule::BoundedOutOfOrderness { out_of_orderness: value };
        }
        WatermarkRule::Explicit => return false,
    }
    true
}

fn keeps_all(params: &EventTimeParams) -> bool {
    Pipeline::new(params)
        .and_then(Pipeline::run)
        .is_ok_and(|run| run.totals.dropped == 0 && run.rows.iter().all(|row| row.error.is_none()))
}

fn sql_lateness(params: &EventTimeParams) -> Option<Finding> {
    let is_sql = params.watermarks.rule.is_sql();
    (is_sql && params.windows.allowed_lateness.get() > 0).then(|| Finding {
        severity: Severity::Warning,
        option: Some(LATENESS.to_owned()),
        apply: vec![Change::set(LATENESS, "0")],
        price: Some("These rows are then those of SQL: late ones are dropped.".to_owned()),
        ..note(
            "sql_has_no_lateness",
            "Window functions of SQL know no allowed lateness".to_owned(),
            "A row whose last window has fired is dropped. The rows shown are those of a DataStream window with this watermark.".to_owned(),
            "SlicingWindowOperator",
        )
    })
}

/// Contents that a session lost.
fn orphaned(params: &EventTimeParams, pipeline: &Pipeline<'_>) -> Option<Finding> {
    if pipeline.orphaned == 0 {
        return None;
    }
    Some(Finding {
        severity: Severity::Warning,
        ..note(
            "session_contents_lost",
            format!("{} lost what it had counted", counted(pipeline.orphaned, "session")),
            format!(
                "A record's own window was exactly a session that had been merged before. Flink {} then points the session at new, empty contents: the earlier records are missing from its results and stay in state for ever. This is a bug of Flink, reproduced here.",
                params.version.checked_on()
            ),
            "MergingWindowSet.addWindow of Flink 1.18.1, 1.20.5 and 2.2.1",
        )
    })
}

fn amplification(params: &EventTimeParams) -> Option<Finding> {
    let Assigner::Sliding { size, slide, .. } = params.windows.assigner else { return None };
    let windows = (size + slide - 1) / slide;
    (windows >= WINDOWS_MANY).then(|| Finding {
        severity: Severity::Warning,
        option: Some("windows.assigner.slide".to_owned()),
        price: Some("Results come less often.".to_owned()),
        ..note(
            "sliding_amplification",
            format!("Each record is kept in {windows} windows"),
            format!(
                "{} / {} = {windows}: as many copies in state and as many timers for each key. Tumbling windows of {} whose results are added up would keep one.",
                span(size),
                span(slide),
                span(slide)
            ),
            "SlidingEventTimeWindows.assignWindows",
        )
    })
}

/// A trigger that counts leaves what does not make a full count.
fn left_by_count(params: &EventTimeParams, pipeline: &Pipeline<'_>) -> Option<Finding> {
    let Trigger::Count { count } = params.windows.trigger.inner() else { return None };
    let left = pipeline.lives.left_by(*count as u32);
    (left > 0).then(|| Finding {
        severity: Severity::Warning,
        ..note(
            "count_leaves_rest",
            format!("{} in no result", agreeing(left, "record is", "records are")),
            format!(
                "CountTrigger replaces the event-time trigger: a window fires at every {count} records and not at its end, and what is left goes with the window."
            ),
            "CountTrigger",
        )
    })
}

fn repeats(pipeline: &Pipeline<'_>) -> Option<Finding> {
    let refires = pipeline.totals.refires;
    (refires > 0).then(|| {
        note(
            "results_repeat",
            format!("{} earlier ones", agreeing(refires, "result repeats", "results repeat")),
            "A late or early firing emits the whole window again, not the difference. A sink that adds up counts twice; it has to replace by key and window.".to_owned(),
            "WindowOperator.emitWindowContents",
        )
    })
}

fn counter_stays(params: &EventTimeParams, pipeline: &Pipeline<'_>) -> Option<Finding> {
    (params.windows.side_output && pipeline.totals.dropped > 0).then(|| {
        note(
            "counter_stays_zero",
            "numLateRecordsDropped stays 0".to_owned(),
            "With a side output the records go there and the counter does not move. An alert on the counter never fires.".to_owned(),
            "WindowOperator.processElement",
        )
    })
}

fn behind_but_kept(rows: &[Row]) -> Option<Finding> {
    let kept = rows
        .iter()
        .filter_map(|row| row.record.as_ref())
        .filter(|record| record.behind_watermark && record.outcome == Some(RecordOutcome::OnTime))
        .filter(|record| record.windows.iter().any(|window| window.status == WindowStatus::Open))
        .count() as u32;
    (kept > 0).then(|| {
        note(
            "behind_is_not_late",
            format!("{} behind the watermark and on time all the same", agreeing(kept, "record is", "records are")),
            "A window drops a record when the watermark has passed the window, not the record. Temporal joins, OVER and pattern matching look at the record itself.".to_owned(),
            "WindowOperator.isWindowLate",
        )
    })
}

fn vanished(params: &EventTimeParams, pipeline: &Pipeline<'_>) -> Option<Finding> {
    let Assigner::Sliding { size, slide, .. } = params.windows.assigner else { return None };
    let ignored = pipeline.totals.ignored;
    (ignored > 0 && slide > size).then(|| Finding {
        severity: Severity::Warning,
        option: Some("windows.assigner.slide".to_owned()),
        apply: vec![Change::set("windows.assigner.slide", size.to_string())],
        price: Some("Every record is in a window, and there are more windows.".to_owned()),
        ..note(
            "records_in_gaps",
            format!("{} without a trace", agreeing(ignored, "record vanishes", "records vanish")),
            format!(
                "The slide of {} is longer than the size of {}: what falls between two windows is in none, is not late, and is not counted anywhere.",
                span(slide),
                span(size)
            ),
            "SlidingEventTimeWindows.assignWindows",
        )
    })
}

fn more_subtasks_than_partitions(params: &EventTimeParams) -> Option<Finding> {
    let source = &params.source;
    (source.parallelism > source.partitions).then(|| {
        note(
            "subtasks_without_partition",
            format!(
                "{} of {} source subtasks read nothing",
                source.parallelism - source.partitions,
                source.parallelism
            ),
            format!(
                "There are {} to read. A subtask without one sends no watermark; with an idle timeout it is left out after it.",
                counted(source.partitions, "partition")
            ),
            "StatusWatermarkValve, WatermarksWithIdleness",
        )
    })
}
