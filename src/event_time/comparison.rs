//! What differs between two jobs over records of their own: totals, bytes, and results window by window.
//!
//! Source: none of Flink's; both sides are answers of [`super::run_event_time`].

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::error::EventTimeError;
use super::event_time_answer::run_event_time;
use super::params::EventTimeParams;
use super::report::{EventTimeReport, WindowLife};
use super::time::EventTime;
use crate::finding::{Derivation, Problem};
use crate::units::Bytes;

/// The most windows that are listed.
const WINDOWS_MAX: usize = 500;

/// Two jobs.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CompareEventTimeParams {
    /// The pinned one.
    pub a: EventTimeParams,
    /// The live one.
    pub b: EventTimeParams,
}

/// A number of both.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TotalDifference {
    /// What it is.
    pub name: &'static str,
    /// Of A.
    pub a: i64,
    /// Of B.
    pub b: i64,
    /// B less A.
    pub difference: i64,
    /// Whether these are bytes, and not a count.
    pub is_bytes: bool,
}

/// The last result of a window, and how often it fired.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WindowResult {
    /// Firings.
    pub firings: u32,
    /// Records in the last one; `None` where it never fired.
    pub count: Option<u64>,
    /// Their sum.
    pub sum: Option<i64>,
}

/// A window whose results differ, or that only one of the two has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WindowDifference {
    /// The key.
    pub key: String,
    /// Its first millisecond.
    pub start: EventTime,
    /// The one after its last.
    pub end: EventTime,
    /// Of A.
    pub a: Option<WindowResult>,
    /// Of B.
    pub b: Option<WindowResult>,
    /// Records of B's last result less those of A's; a result that is not there has none.
    pub count_difference: i64,
    /// The same of the sums.
    pub sum_difference: i64,
}

/// A beside B.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EventTimeComparison {
    /// The sentence of A.
    pub verdict_a: String,
    /// The sentence of B.
    pub verdict_b: String,
    /// Totals.
    pub totals: Vec<TotalDifference>,
    /// Windows whose results differ, by key and start; at most 500.
    pub windows: Vec<WindowDifference>,
    /// How many more there are.
    pub windows_omitted: usize,
    /// Windows of either with the same results in both.
    pub same: usize,
}

/// What differs?
///
/// # Errors
/// Why one of them does not run; the field begins with `a` or `b`.
pub fn compare_event_time(
    params: &CompareEventTimeParams,
) -> Result<Derivation<EventTimeComparison>, Problem> {
    let a = run_event_time(&params.a).map_err(|error| of_side("a", error))?.value;
    let b = run_event_time(&params.b).map_err(|error| of_side("b", error))?.value;
    let (mut windows, same) = windows(&a, &b);
    let windows_omitted = windows.len().saturating_sub(WINDOWS_MAX);
    windows.truncate(WINDOWS_MAX);
    let totals = totals(&a, &b);
    let (verdict_a, verdict_b) = (a.verdict, b.verdict);
    let value =
        EventTimeComparison { verdict_a, verdict_b, totals, windows, windows_omitted, same };
    Ok(Derivation { value, findings: Vec::new() })
}

fn of_side(side: &str, error: EventTimeError) -> Problem {
    let problem = Problem::from(error);
    let field = problem.field.map_or_else(|| side.to_owned(), |field| format!("{side}.{field}"));
    Problem { field: Some(field), ..problem }
}

fn totals(a: &EventTimeReport, b: &EventTimeReport) -> Vec<TotalDifference> {
    let count = |name, of: fn(&EventTimeReport) -> usize| {
        let (a, b) = (of(a) as i64, of(b) as i64);
        TotalDifference { name, a, b, difference: b - a, is_bytes: false }
    };
    let bytes = |name, of: fn(&EventTimeReport) -> Bytes| {
        let (a, b) = (of(a).get(), of(b).get());
        TotalDifference { name, a, b, difference: b.saturating_sub(a), is_bytes: true }
    };
    vec![
        count("Records", |it| it.totals.events as usize),
        count("On time", |it| it.totals.on_time as usize),
        count("Late but counted", |it| it.totals.late as usize),
        count("Dropped", |it| it.totals.dropped as usize),
        count("In the side output", |it| it.totals.side_output as usize),
        count("numLateRecordsDropped", |it| it.totals.num_late_records_dropped as usize),
        count("Results", |it| it.totals.firings as usize),
        count("Of these again", |it| it.totals.refires as usize),
        count("Behind the watermark", |it| it.totals.behind_watermark as usize),
        count("Most windows open", |it| it.totals.open_windows_max),
        count("Most copies in state", |it| it.totals.elements_max),
        count("Most timers", |it| it.totals.timers_max),
        bytes("Most bytes of heap", |it| it.kept.peak.heap),
        bytes("Most bytes in RocksDB", |it| it.kept.peak.rocksdb),
    ]
}

type Place<'a> = (&'a str, EventTime, EventTime);

/// Windows whose results differ, and how many do not.
fn windows(a: &EventTimeReport, b: &EventTimeReport) -> (Vec<WindowDifference>, usize) {
    let mut all: BTreeMap<Place<'_>, [Option<WindowResult>; 2]> = BTreeMap::new();
    for (side, report) in [a, b].into_iter().enumerate() {
        // Sessions that went into another one have no result of their own.
        for life in report.windows.iter().filter(|it| !it.merged_away || !it.fired.is_empty()) {
            all.entry((&life.key, life.start, life.end)).or_default()[side] = Some(result(life));
        }
    }
    let whole = all.len();
    let differing: Vec<WindowDifference> = all
        .into_iter()
        .filter(|(_, [a, b])| a != b)
        .map(|((key, start, end), [a, b])| {
            let records =
                |it: &Option<WindowResult>| it.as_ref().and_then(|it| it.count).unwrap_or(0) as i64;
            let sum = |it: &Option<WindowResult>| it.as_ref().and_then(|it| it.sum).unwrap_or(0);
            WindowDifference {
                key: key.to_owned(),
                start,
                end,
                count_difference: records(&b) - records(&a),
                sum_difference: sum(&b).saturating_sub(sum(&a)),
                a,
                b,
            }
        })
        .collect();
    let same = whole - differing.len();
    (differing, same)
}

fn result(life: &WindowLife) -> WindowResult {
    WindowResult {
        firings: life.fired.len() as u32,
        count: life.last_count.map(|count| count as u64),
        sum: life.last_sum,
    }
}
