//! Why?: the rules that decide, with the values of the job put in.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, the classes that each step names.

use super::generator::WatermarkRule;
use super::params::{EmissionTime, EventTimeParams, SourceParams};
use super::report::{RuleStep, Totals};
use super::text::{agreeing, span};
use super::trigger::Trigger;
use super::window::Assigner;

/// The rules of this job, in the order in which a record meets them.
pub fn steps(params: &EventTimeParams) -> Vec<RuleStep> {
    let mut steps = vec![watermark(params.watermarks.rule)];
    if let Some(timeout) = params.watermarks.idle_timeout {
        steps.push(RuleStep {
            what: "A source is idle".to_owned(),
            formula: "now - start of inactivity > timeout, checked in the periodic call only"
                .to_owned(),
            values: format!("after more than {} without a record", span(timeout)),
            source: "WatermarksWithIdleness",
        });
    }
    steps.push(RuleStep {
        what: "The operator's watermark".to_owned(),
        formula: "minimum over the aligned channels; it never goes back".to_owned(),
        values: format!(
            "over {} source {}",
            params.source.parallelism,
            if params.source.parallelism == 1 { "subtask" } else { "subtasks" }
        ),
        source: "StatusWatermarkValve",
    });
    steps.push(assignment(&params.windows.assigner));
    steps.push(firing(&params.windows.trigger));
    if params.windows.assigner.is_event_time() {
        steps.extend(cleanup(params));
    }
    steps
}

/// When a window fires, by its trigger.
fn firing(trigger: &Trigger) -> RuleStep {
    const END: &str = "watermark >= end - 1 ms; from then on at once with each late record";
    let (formula, values, source) = match trigger {
        Trigger::EventTime => (
            END.to_owned(),
            "each time with all that the window holds".to_owned(),
            "EventTimeTrigger",
        ),
        Trigger::Count { count } => (
            "at every n-th record of a key and window, and not at its end".to_owned(),
            format!("n = {count}"),
            "CountTrigger",
        ),
        Trigger::Continuous { interval } => (
            format!("{END}; before, at every multiple of the interval that the watermark passes"),
            format!("interval {}", span(*interval)),
            "ContinuousEventTimeTrigger",
        ),
        Trigger::EarlyCount { count } => (
            format!("{END}; before, at every n-th record"),
            format!("n = {count}"),
            "EventTimeTrigger, CountTrigger",
        ),
        Trigger::EarlyProcessingTime { interval } => (
            format!("{END}; before, at every multiple of the interval of processing time"),
            format!("interval {}", span(*interval)),
            "EventTimeTrigger, ContinuousProcessingTimeTrigger",
        ),
        Trigger::Purging { of } => {
            let inner = firing(of);
            let values = format!("{}; its contents go with each firing", inner.values);
            return RuleStep { values, ..inner };
        }
    };
    RuleStep { what: "A window fires".to_owned(), formula, values, source }
}

/// When a window goes, and a record with it; a global window stays.
fn cleanup(params: &EventTimeParams) -> [RuleStep; 2] {
    let lateness = params.windows.allowed_lateness;
    let kept =
        if lateness.get() == i64::MAX { "for ever".to_owned() } else { span(lateness.get()) };
    [
        RuleStep {
            what: "A window is cleaned up".to_owned(),
            formula: "watermark >= end - 1 ms + allowed lateness".to_owned(),
            values: format!("allowed lateness {kept}"),
            source: "WindowOperator.cleanupTime",
        },
        RuleStep {
            what: "A record is dropped".to_owned(),
            formula: "no window takes it, and timestamp + allowed lateness <= watermark".to_owned(),
            values: if params.windows.side_output {
                "to the side output; numLateRecordsDropped stays 0".to_owned()
            } else {
                "numLateRecordsDropped counts it".to_owned()
            },
            source: "WindowOperator.isElementLate",
        },
    ]
}

/// The most windows that one key can have open, where watermarks follow every record of one source
/// subtask: those that end after the lowest watermark that still holds them and begin before the
/// highest timestamp.
pub fn open_windows_max(params: &EventTimeParams) -> Option<i64> {
    // Times before 1970 never move a watermark that starts at 0.
    if matches!(params.watermarks.rule, WatermarkRule::SqlAssigner { .. }) {
        return None;
    }
    let lag = params.watermarks.rule.lag()?;
    let follows = params.watermarks.emission == EmissionTime::PerEvent { every: 1 };
    let SourceParams { partitions, parallelism, per_partition } = params.source;
    if !follows || parallelism > 1 || (per_partition && partitions > 1) {
        return None;
    }
    windows_max(&params.windows.assigner, params.windows.allowed_lateness.get(), lag)
}

/// The same for a watermark that follows every record at this distance.
pub fn windows_max(assigner: &Assigner, lateness: i64, lag: i64) -> Option<i64> {
    let (size, slide) = match *assigner {
        Assigner::Tumbling { size, .. } => (size, size),
        Assigner::Sliding { size, slide, .. } => (size, slide),
        _ => return None,
    };
    let reach = size.checked_add(lateness)?.checked_add(lag)? - 1;
    reach.checked_add(slide - 1).map(|reach| reach / slide)
}

/// How much event time the windows of a key hold together at most, each counted by itself [ms]: that
/// of [`windows_max`] windows right before the oldest of them goes, when the highest timestamp is
/// `size + lateness + lag - 1` behind its start. At a steady rate that many times the rate is the
/// number of copies.
pub fn held_span(assigner: &Assigner, lateness: i64, lag: i64) -> Option<i128> {
    let (size, slide) = match *assigner {
        Assigner::Tumbling { size, .. } => (size, size),
        Assigner::Sliding { size, slide, .. } => (size, slide),
        _ => return None,
    };
    let windows = i128::from(windows_max(assigner, lateness, lag)?);
    let reach = i128::from(size) + i128::from(lateness) + i128::from(lag) - 1;
    let (size, slide) = (i128::from(size), i128::from(slide));
    // The k-th window holds what there is since its start, reach - k slide, and no more than its size.
    let full = if reach < size { 0 } else { ((reach - size) / slide + 1).min(windows) };
    let parts = windows - full;
    Some(full * size + parts * reach - slide * parts * (full + windows - 1) / 2)
}

/// What is kept: predicted where that can be, and counted.
pub fn state(params: &EventTimeParams, totals: &Totals, keys: u32) -> Option<RuleStep> {
    let predicted = open_windows_max(params)?;
    Some(RuleStep {
        what: "Windows kept in state".to_owned(),
        formula: "for each key at most ceil((size + allowed lateness + lag - 1 ms) / slide)"
            .to_owned(),
        values: format!(
            "{predicted} for each key; counted: at most {} at once for {}, with {} of records and {}. An incremental function keeps one accumulator a window, one that needs all records a copy of each.",
            agreeing(totals.open_windows_max as u32, "window", "windows"),
            agreeing(keys, "key", "keys"),
            agreeing(totals.elements_max as u32, "copy", "copies"),
            agreeing(totals.timers_max as u32, "timer", "timers"),
        ),
        source: "WindowOperator.cleanupTime, SlidingEventTimeWindows",
    })
}

fn watermark(rule: WatermarkRule) -> RuleStep {
    let (formula, source) = match rule {
        WatermarkRule::BoundedOutOfOrderness { .. } => {
            ("maximum timestamp - bound - 1 ms", "BoundedOutOfOrdernessWatermarks")
        }
        WatermarkRule::Ascending => ("maximum timestamp - 1 ms", "AscendingTimestampsWatermarks"),
        WatermarkRule::Sql { .. } => {
            ("maximum timestamp - interval, without the 1 ms", "WATERMARK FOR … AS ts - INTERVAL …")
        }
        WatermarkRule::SqlAssigner { .. } => (
            "maximum of 0 and timestamp - interval; by the clock, and at once after a step of more than the clock's interval",
            "WatermarkAssignerOperator",
        ),
        WatermarkRule::Explicit => ("as the input says", "SourceContext.emitWatermark"),
    };
    RuleStep {
        what: "The source's watermark".to_owned(),
        formula: formula.to_owned(),
        values: match rule.lag() {
            Some(lag) => format!("{} behind the highest timestamp", span(lag)),
            None => "no rule makes one".to_owned(),
        },
        source,
    }
}

fn assignment(assigner: &Assigner) -> RuleStep {
    let (formula, values, source) = match assigner {
        Assigner::Tumbling { size, offset } => (
            "start = timestamp - floorMod(timestamp - offset, size)",
            format!("size {}, offset {}", span(*size), span(*offset)),
            "TumblingEventTimeWindows",
        ),
        Assigner::Sliding { size, slide, offset } => (
            "every start in (timestamp - size, timestamp] with floorMod(start - offset, slide) = 0",
            format!("size {}, slide {}, offset {}", span(*size), span(*slide), span(*offset)),
            "SlidingEventTimeWindows",
        ),
        Assigner::Session { gap } => (
            "[timestamp, timestamp + gap), then merged with every session that it touches",
            format!("gap {}", span(*gap)),
            "EventTimeSessionWindows, MergingWindowSet",
        ),
        Assigner::DynamicSession => (
            "[timestamp, timestamp + gap), then merged with every session that it touches",
            "the gap is the value of each record".to_owned(),
            "DynamicEventTimeSessionWindows, MergingWindowSet",
        ),
        Assigner::Global => {
            ("one window for all time", "it never ends".to_owned(), "GlobalWindows")
        }
        Assigner::Zoned { size, .. } => (
            "whole windows of local time, their ends shifted back to UTC",
            format!("size {}", span(*size)),
            "TimeWindowUtil",
        ),
    };
    RuleStep {
        what: "The windows of a record".to_owned(),
        formula: formula.to_owned(),
        values,
        source,
    }
}
