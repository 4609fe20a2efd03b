//! What became of a whole stream, in one sentence and in numbers.
//!
//! Source: Flink 1.18.1, 1.20.5 and 2.2.1, `WindowOperator`, `BoundedOutOfOrdernessWatermarks`.

use serde::Serialize;

use super::super::generator::WatermarkRule;
use super::super::run::Totals;
use super::{RESULTS_KEPT, Whole};
use crate::finding::{Change, Derivation, Finding, Severity};
use crate::stream::{GeneratorReport, ReadReport};
use crate::units::grouped;

const SOURCE: &str = "WindowOperator, BoundedOutOfOrdernessWatermarks, Flink 1.20.5";

/// What became of a stream.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WholeReport {
    /// One sentence.
    pub verdict: String,
    /// Counts.
    pub totals: Totals,
    /// Records dropped, as a share of all.
    pub dropped_share: f64,
    /// Records late but counted, as a share of all.
    pub late_share: f64,
    /// From this bound on no record is dropped [ms]; for sessions it may be less.
    pub no_drop_bound_ms: u64,
    /// The most entries of window state open at one time, as far as they were counted: after every
    /// 65,536 records at most, and before the end.
    pub open_max: u64,
    /// Results that can be looked at; the others are counted.
    pub results_kept: usize,
    /// Distinct keys.
    pub keys: u64,
    /// The least event time [ms since the epoch].
    pub first_time: Option<i64>,
    /// The greatest event time [ms since the epoch].
    pub last_time: Option<i64>,
    /// Bytes that this tab holds for records, outcomes, snapshots and keys.
    pub record_bytes: usize,
    /// Bytes that this tab holds for the open state.
    pub state_bytes: usize,
    /// Of a generated stream.
    pub generated: Option<GeneratorReport>,
    /// Of a file.
    pub read: Option<ReadReport>,
    /// What these numbers leave out.
    pub not_modelled: Vec<&'static str>,
}

impl Whole {
    /// What became of the records so far.
    pub fn report(&self) -> Derivation<WholeReport> {
        let totals = self.run.totals();
        let share = |count: u32| match totals.records {
            0 => 0.0,
            records => f64::from(count) / f64::from(records),
        };
        let (record_bytes, state_bytes) = self.bytes();
        let range = self.disorder.time_range();
        let open = self.samples().iter().map(|it| it.open.waiting + it.open.held);
        let value = WholeReport {
            verdict: self.verdict(&totals),
            totals,
            dropped_share: share(totals.dropped),
            late_share: share(totals.late),
            no_drop_bound_ms: self.no_drop_bound_ms(),
            open_max: open.max().unwrap_or(0),
            results_kept: self.results.len(),
            keys: self.disorder.keys().iter().filter(|it| it.records > 0).count() as u64,
            first_time: range.map(|(first, _)| first),
            last_time: range.map(|(_, last)| last),
            record_bytes,
            state_bytes,
            generated: self.generated.as_ref().map(|it| it.value.clone()),
            read: self.read.as_ref().map(|it| it.value.clone()),
            not_modelled: vec![
                "More than one source or window subtask: all records share one watermark",
                "Watermarks by the clock, idleness and watermark alignment",
                "Triggers other than event time, and windows other than tumbling, sliding and session",
                "The values of a file: its results count records",
            ],
        };
        let findings = self.findings(&value);
        Derivation { value, findings }
    }

    /// The rule of SQL has its watermark a millisecond further on.
    fn no_drop_bound_ms(&self) -> u64 {
        let behind = self.disorder.past_cleanup().max();
        let is_sql = matches!(self.params.watermarks.rule, WatermarkRule::Sql { .. });
        behind + u64::from(is_sql && behind > 0)
    }

    fn verdict(&self, totals: &Totals) -> String {
        if totals.records == 0 {
            return "There are no records.".to_owned();
        }
        let results = format!(
            "{} {} fired",
            count(totals.results.into()),
            if totals.results == 1 { "result" } else { "results" }
        );
        let records = count(totals.records.into());
        let bound = count(self.params.watermarks.rule.bound().unsigned_abs());
        if totals.dropped + totals.late == 0 {
            return format!(
                "With a bound of {bound} ms none of {records} records is dropped or late for its window; {results}."
            );
        }
        let (dropped, late) = (count(totals.dropped.into()), count(totals.late.into()));
        let percent = f64::from(totals.dropped) / f64::from(totals.records) * 100.0;
        let none = match (totals.dropped, self.no_drop_bound_ms()) {
            (0, _) => "none is dropped".to_owned(),
            (_, at) => format!("from a bound of {} ms on none is", count(at)),
        };
        format!(
            "With a bound of {bound} ms {dropped} of {records} records are dropped ({percent:.3} %) and {late} are late but counted; {none}; {results}."
        )
    }

    fn findings(&self, report: &WholeReport) -> Vec<Finding> {
        let totals = &report.totals;
        let bound = report.no_drop_bound_ms;
        let is_bounded = matches!(
            self.params.watermarks.rule,
            WatermarkRule::BoundedOutOfOrderness { .. } | WatermarkRule::Sql { .. }
        );
        let dropped = (totals.dropped > 0).then(|| Finding {
            code: "records_dropped",
            severity: Severity::Warning,
            title: format!("{} records are in no result", count(totals.dropped.into())),
            reason: format!(
                "The watermark had passed the end of their last window and the allowed lateness. {}",
                if self.params.windows.side_output {
                    "They go to the side output."
                } else {
                    "Flink only counts them, in numLateRecordsDropped."
                }
            ),
            option: is_bounded.then(|| "watermarks.rule.outOfOrderness".to_owned()),
            price: is_bounded.then(|| {
                format!("A bound of {} ms takes all of them; every result is that much later.", count(bound))
            }),
            apply: is_bounded
                .then(|| Change::set("watermarks.rule.outOfOrderness", bound.to_string()))
                .into_iter()
                .collect(),
            source: SOURCE.to_owned(),
        });
        let silent = (totals.records > 0 && totals.results == 0).then(|| Finding {
            code: "nothing_fired",
            severity: Severity::Warning,
            title: "No window has fired".to_owned(),
            reason: "The watermark has not reached the last millisecond of any window. The stream is shorter than window and bound together, or one record far behind was the last.".to_owned(),
            option: None,
            price: None,
            apply: Vec::new(),
            source: SOURCE.to_owned(),
        });
        let more = (totals.results as usize > report.results_kept).then(|| Finding {
            code: "results_kept",
            severity: Severity::Note,
            title: format!(
                "The first {} of {} results are kept",
                count(RESULTS_KEPT as u64),
                count(totals.results.into())
            ),
            reason: "The others are counted. A tab's memory is given to the records.".to_owned(),
            option: None,
            price: None,
            apply: Vec::new(),
            source: "a limit of this studio".to_owned(),
        });
        let read = self.read.iter().flat_map(|it| it.findings.clone());
        let generated = self.generated.iter().flat_map(|it| it.findings.clone());
        dropped.into_iter().chain(silent).chain(read).chain(generated).chain(more).collect()
    }
}

fn count(number: u64) -> String {
    grouped(i64::try_from(number).unwrap_or(i64::MAX))
}
