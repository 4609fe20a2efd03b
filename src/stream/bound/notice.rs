//! What a reader should know beside the curve.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `BoundedOutOfOrdernessWatermarks`, `WindowOperator`.

use super::{BoundPoint, BoundReport, Wanted};
use crate::finding::{Finding, Severity};
use crate::stream::disorder::histogram::{Histogram, RELATIVE_ERROR, WIDE_EXACT_BELOW};
use crate::stream::disorder::{Disorder, DisorderParams, JobRule, WatermarkPlace};
use crate::units::{grouped, span};

const SOURCE: &str = "BoundedOutOfOrdernessWatermarks, Flink 1.20.5";

/// A time in the unit a person would say [ms].
fn time(ms: u64) -> String {
    span(i64::try_from(ms).unwrap_or(i64::MAX))
}

pub fn verdict(behind: &Histogram, wanted: &[Wanted], chosen: Option<&BoundPoint>) -> String {
    let records = count(behind.count());
    if behind.count() == 0 {
        return "There are no records yet.".to_owned();
    }
    if behind.positive() == 0 {
        return format!(
            "All {records} records come in order of event time: a bound of 0 s is enough."
        );
    }
    let worst = time(behind.max());
    if let Some(chosen) = chosen {
        let (bound, late) = (time(chosen.bound_ms), count(chosen.behind_watermark));
        return format!(
            "With a bound of {bound}, {late} of {records} records arrive behind the watermark; from {worst} on none does."
        );
    }
    let (bound, percent) = match wanted.iter().find(|it| it.completeness >= 0.999) {
        Some(it) => (time(it.on_time.bound_ms), it.completeness * 100.0),
        None => (worst.clone(), 100.0),
    };
    format!(
        "A bound of {bound} keeps {percent} % of {records} records ahead of the watermark; from {worst} on it is all of them."
    )
}

pub fn not_modelled(params: &DisorderParams) -> Vec<&'static str> {
    let mut list = vec!["Watermark alignment between sources"];
    match params.watermarks {
        WatermarkPlace::Job { rule: JobRule::Bounded, .. } => {}
        WatermarkPlace::Job { rule, .. } => {
            list.push(
                "Records as late as the greatest before them count as out of order: the watermark of SQL reaches them with a bound of 0",
            );
            if rule == JobRule::SqlAssigner {
                list.push(
                    "WatermarkAssignerOperator starts with the watermark 0 whatever the bound is: for event times near 0 another bound may do less than it says",
                );
            }
        }
        WatermarkPlace::Operator | WatermarkPlace::Split { .. } => list.extend([
            "Periodic emission: the watermark is taken to follow every record; with pipeline.auto-watermark-interval fewer records are behind it, never more",
            "More than one source subtask: the watermark downstream is the least of theirs",
            "Idleness",
            "WATERMARK FOR of SQL, which is one millisecond ahead of this watermark",
        ]),
    }
    if params.window.is_some_and(|it| it.merges()) {
        list.push(
            "Sessions that a record past cleanup still touches: it is counted as dropped here",
        );
    }
    if params.watermarks == WatermarkPlace::Operator {
        list.push(
            "Watermarks made for each split by the source: here one watermark follows all records",
        );
    }
    list
}

pub fn findings(report: &BoundReport, disorder: &Disorder, bound: u64) -> Vec<Finding> {
    let records_without_key = disorder.records_without_key();
    let is_operator = matches!(
        disorder.params().watermarks,
        WatermarkPlace::Operator | WatermarkPlace::Job { is_one: true, .. }
    );
    let approximate = report.relative_error.map(|_| note(
        "bounds_in_buckets",
        format!("Bounds from {} on are up to {:.2} % too high", time(WIDE_EXACT_BELOW), RELATIVE_ERROR * 100.0),
        "Longer ones have too many distinct values to keep each. They are counted in buckets that stand for their greatest value, so a bound is never too low.".to_owned(),
    ));
    let sessions = (report.dropped_is_exact == Some(false)).then(|| note(
        "session_drops_are_an_upper_bound",
        "Fewer records may be dropped than are counted".to_owned(),
        "A record whose own window is past cleanup is still taken if it touches a session that is kept; merging comes before the check for lateness.".to_owned(),
    ));
    let keys = (records_without_key > 0).then(|| note(
        "keys_not_listed",
        format!("{} records have keys that are not listed", count(records_without_key)),
        "Keys are followed up to an index of 1 million; all other numbers include these records.".to_owned(),
    ));
    let ahead = is_operator.then(|| ahead(report)).flatten();
    let culprits = culprit(report, bound).into_iter().chain(ahead);
    culprits.chain(approximate).chain(sessions).chain(keys).collect()
}

/// A partition that has most of the records behind the watermark, and not most of all records.
fn culprit(report: &BoundReport, bound: u64) -> Option<Finding> {
    let worst = report.partitions.first()?;
    let has_most = worst.share_of_behind > 0.5 && worst.records * 2 < report.records;
    has_most.then(|| Finding {
        code: "one_partition_is_behind",
        severity: Severity::Warning,
        title: format!(
            "Partition {} has {} of the {} records behind the watermark",
            worst.partition,
            count(worst.behind_watermark),
            count(report.partitions.iter().map(|it| it.behind_watermark).sum()),
        ),
        reason: format!(
            "It has {} of {} records. With a bound of {} its records are {:.1} % of those behind. A clock that is behind or a consumer that stalled looks like this.",
            count(worst.records),
            count(report.records),
            time(bound),
            worst.share_of_behind * 100.0,
        ),
        option: None,
        price: Some(format!(
            "A bound of {} covers it, and delays every result by as much.",
            time(worst.worst_ms)
        )),
        apply: Vec::new(),
        source: SOURCE.to_owned(),
    })
}

/// A partition that alone makes the watermark rise while the others are behind it.
fn ahead(report: &BoundReport) -> Option<Finding> {
    let raised: u64 = report.partitions.iter().map(|it| it.raised).sum();
    let leader = report.partitions.iter().max_by_key(|it| it.raised)?;
    let leads = leader.raised * 10 > raised * 9 && leader.records * 2 < report.records;
    let others = report.partitions.iter().filter(|it| it.partition != leader.partition);
    let least = others.map(|it| it.median_ms).min().filter(|median| leads && *median > 0)?;
    Some(Finding {
        code: "one_partition_is_ahead",
        severity: Severity::Warning,
        title: format!(
            "Partition {} alone moves the watermark, and half of the records of every other one are at least {} behind",
            leader.partition,
            time(least)
        ),
        reason: format!(
            "{} of the {} records that raised the watermark are its own. A clock that is ahead looks like this: it makes the records of all others late.",
            count(leader.raised),
            count(raised)
        ),
        option: None,
        price: Some("Watermarks made for each split by the source follow the slowest split instead; a split that goes silent then needs an idleness.".to_owned()),
        apply: Vec::new(),
        source: SOURCE.to_owned(),
    })
}

fn note(code: &'static str, title: String, reason: String) -> Finding {
    let source = SOURCE.to_owned();
    let (option, price, apply) = (None, None, Vec::new());
    Finding { code, severity: Severity::Note, title, reason, option, price, apply, source }
}

fn count(number: u64) -> String {
    grouped(i64::try_from(number).unwrap_or(i64::MAX))
}
