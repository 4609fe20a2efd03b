//! What became of a whole stream, in one sentence and in numbers.
//!
//! Source: Flink 1.18.1, 1.20.5 and 2.2.1, `WindowOperator`, `BoundedOutOfOrdernessWatermarks`.

use serde::Serialize;

use super::super::code;
use super::super::generator::WatermarkRule;
use super::super::kept::{Held, KeptBytes, KeptReport, Most, Steady};
use super::super::rules;
use super::super::run::{Sample, Takes, Totals};
use super::super::trigger::Trigger;
use super::super::window::Assigner;
use super::{RESULTS_KEPT, Whole};
use crate::finding::{Change, Derivation, Finding, Severity};
use crate::key_group;
use crate::stream::{GeneratorReport, ReadReport};
use crate::units::{grouped, span};

const SOURCE: &str = "WindowOperator, BoundedOutOfOrdernessWatermarks, Flink 1.20.5";

/// One subtask of the window operator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WindowShare {
    /// The subtask.
    pub subtask: u32,
    /// Records that it got.
    pub records: u64,
    /// Keys that it got.
    pub keys: u64,
}

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
    /// 1,024 to 65,536 records, and before the end.
    pub open_max: u64,
    /// Results that can be looked at; the others are counted.
    pub results_kept: usize,
    /// Ids that are kept to leave duplicates out, when the last record came.
    pub ids_kept: u64,
    /// Distinct keys.
    pub keys: u64,
    /// The least event time [ms since the epoch].
    pub first_time: Option<i64>,
    /// The greatest event time [ms since the epoch].
    pub last_time: Option<i64>,
    /// The subtasks of the window operator, by the key groups of its keys; empty where a key is none
    /// of its type.
    pub subtasks: Vec<WindowShare>,
    /// Bytes that the operator keeps, as far as they were counted.
    pub kept: KeptReport,
    /// Bytes that this tab holds for records, outcomes, snapshots and keys.
    pub record_bytes: usize,
    /// Bytes that this tab holds for the open state.
    pub state_bytes: usize,
    /// Of a generated stream.
    pub generated: Option<GeneratorReport>,
    /// Of a file.
    pub read: Option<ReadReport>,
    /// The job with the `DataStream` API.
    pub data_stream: String,
    /// The job in SQL, where it has such a window.
    pub sql: Option<String>,
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
        let definition = self.params.definition();
        let open = self.samples().iter().map(|it| it.open.waiting + it.open.held);
        let value = WholeReport {
            verdict: self.verdict(&totals),
            totals,
            dropped_share: share(totals.dropped),
            late_share: share(totals.late),
            no_drop_bound_ms: self.no_drop_bound_ms(),
            open_max: open.max().unwrap_or(0),
            results_kept: self.results.len(),
            ids_kept: self.ids_kept(),
            keys: self.disorder.keys().iter().filter(|it| it.records > 0).count() as u64,
            first_time: range.map(|(first, _)| first),
            last_time: range.map(|(_, last)| last),
            subtasks: self.subtasks().unwrap_or_default(),
            kept: self.kept_report(),
            record_bytes,
            state_bytes,
            generated: self.generated.as_ref().map(|it| it.value.clone()),
            read: self.read.as_ref().map(|it| it.value.clone()),
            data_stream: code::data_stream(&definition),
            sql: code::sql(&definition),
            not_modelled: self.not_modelled(),
        };
        let findings = self.findings(&value);
        Derivation { value, findings }
    }

    fn ids_kept(&self) -> u64 {
        // Without arrivals no time has passed.
        let now = self.run.last_arrival().unwrap_or(0);
        self.ids.as_ref().map_or(0, |ids| ids.kept(now))
    }

    fn not_modelled(&self) -> Vec<&'static str> {
        let mut all = vec![
            "Evictors",
            "Watermark alignment between sources, and the time records take from task to task",
            "Which subtask reads which Kafka partition: here partition p goes to subtask p modulo the source's parallelism",
            "Bytes of lists hold the mean number of records of a key and window; record by record counts each",
        ];
        if let super::StreamSource::File { reader } = &self.params.source {
            if reader.value.is_none() {
                all.push("Values of this file: no column is chosen, so its results count records");
            }
            if reader.arrival.is_none() {
                all.push(
                    "When records of this file arrived: no column is chosen, so there is no clock for them, and an id that is kept never expires",
                );
            }
        }
        if matches!(self.params.windows.assigner, Assigner::Zoned { .. }) {
            all.push(
                "Changes of the zone's offset before the first and after the last that the page looks up: 1970 to 2100",
            );
        }
        all
    }

    /// Who gets which keys; all subtasks have the same watermark, so what happens to a record does
    /// not depend on it.
    fn subtasks(&self) -> Option<Vec<WindowShare>> {
        let job = &self.params.job;
        let share = |subtask| WindowShare { subtask, records: 0, keys: 0 };
        let mut shares: Vec<WindowShare> = (0..job.parallelism).map(share).collect();
        for (key, counts) in self.disorder.keys().iter().enumerate() {
            if counts.records == 0 {
                continue;
            }
            let hash = key_group::hash_of(&self.key_name(key as u32), job.key_type).ok()?;
            let group = key_group::key_group(hash, self.key_groups);
            let at = key_group::subtask_of(group, job.parallelism, self.key_groups);
            let share = shares.get_mut(at as usize)?;
            share.records += u64::from(counts.records);
            share.keys += 1;
        }
        Some(shares)
    }

    fn kept_report(&self) -> KeptReport {
        let most = |of: fn(&Sample) -> &Takes| {
            let all = self.samples().iter().map(|it| self.layout.bytes(&Held::even(of(it))));
            all.fold(KeptBytes::default(), KeptBytes::max)
        };
        let windows = &self.params.windows;
        let (kept, assigner) = (&self.params.job.kept, &windows.assigner);
        let (all, prompt) = (most(|it| &it.open.all), most(|it| &it.open.prompt));
        KeptReport::new(kept, &self.layout, assigner, all, prompt, self.most())
    }

    /// The most entries of window state that the rules allow for the keys that came; `None` where no
    /// formula says it.
    pub fn entries_max(&self) -> Option<u64> {
        self.most().map(|most| most.windows.saturating_mul(most.keys))
    }

    /// The most bytes that are predicted; `None` where no formula says it.
    pub fn kept_predicted(&self) -> Option<KeptBytes> {
        self.kept_report().predicted
    }

    /// The most windows that the rules allow, and what they hold at the mean rate of the stream.
    fn most(&self) -> Option<Most> {
        let windows = &self.params.windows;
        let lateness = windows.allowed_lateness.get();
        let is_known = self.params.follows_each_record() && windows.trigger == Trigger::EventTime;
        let lag = self.params.watermarks.rule.lag().filter(|_| is_known)?;
        let most = u64::try_from(rules::windows_max(&windows.assigner, lateness, lag)?).ok()?;
        let keys = self.disorder.keys().iter().filter(|it| it.records > 0).count() as u64;
        let (first, last) = self.disorder.time_range()?;
        let records = u64::from(self.run.totals().records);
        let span = rules::held_span(&windows.assigner, lateness, lag)?;
        let steady = (last > first).then(|| {
            let rate_per_ms = records as f64 / last.abs_diff(first) as f64;
            // A stream that is shorter than the span cannot fill it.
            let copies = (rate_per_ms * span as f64).ceil() as u64;
            let copies = copies.min(records.saturating_mul(copies_of(&windows.assigner)));
            Steady { rate_per_second: rate_per_ms * 1000.0, copies }
        });
        Some(Most { windows: most, keys, has_lateness: lateness > 0, steady })
    }

    fn no_drop_bound_ms(&self) -> u64 {
        self.disorder.past_cleanup().max()
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
        let results = match totals.duplicates {
            0 => results,
            left => format!("{} are left out as duplicates; {results}", count(left.into())),
        };
        let bound = span(self.params.watermarks.rule.bound());
        if totals.dropped + totals.late == 0 {
            return format!(
                "With a bound of {bound} none of {records} records is dropped or late for its window; {results}."
            );
        }
        let (dropped, late) = (count(totals.dropped.into()), count(totals.late.into()));
        let percent = f64::from(totals.dropped) / f64::from(totals.records) * 100.0;
        let none = match (totals.dropped, self.no_drop_bound_ms()) {
            (0, _) => "none is dropped".to_owned(),
            (_, at) => format!("from a bound of {} on none is", time(at)),
        };
        format!(
            "With a bound of {bound} {dropped} of {records} records are dropped ({percent:.3} %) and {late} are late but counted; {none}; {results}."
        )
    }

    fn findings(&self, report: &WholeReport) -> Vec<Finding> {
        let totals = &report.totals;
        let bound = report.no_drop_bound_ms;
        let rule = self.params.watermarks.rule;
        let is_bounded =
            rule.is_sql() || matches!(rule, WatermarkRule::BoundedOutOfOrderness { .. });
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
                format!("A bound of {} takes all of them; every result is that much later.", time(bound))
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
        let left = match self.params.windows.trigger.inner() {
            Trigger::Count { count: each } => Some(Finding {
                code: "left_by_count",
                severity: Severity::Note,
                title: "What does not make a full count is in no result".to_owned(),
                reason: format!(
                    "CountTrigger replaces the event-time trigger: a window fires at every {} records and not at its end, and what is left goes with the window.",
                    count(each.unsigned_abs())
                ),
                option: None,
                price: None,
                apply: Vec::new(),
                source: "CountTrigger, Flink 1.20.5".to_owned(),
            }),
            _ => None,
        };
        let lost = (self.run.orphaned() > 0).then(|| Finding {
            code: "session_contents_lost",
            severity: Severity::Warning,
            title: format!("{} sessions lost what they had counted", count(self.run.orphaned())),
            reason: format!(
                "A record's own window was exactly a session that had been merged before. Flink {} then points the session at new, empty contents: the earlier records are missing from its results and stay in state for ever. This is a bug of Flink, reproduced here.",
                self.params.job.version.checked_on()
            ),
            option: None,
            price: None,
            apply: Vec::new(),
            source: "MergingWindowSet.addWindow of Flink 1.18.1, 1.20.5 and 2.2.1".to_owned(),
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
        let no_type = (report.subtasks.is_empty() && totals.records > 0).then(|| Finding {
            code: "key_type",
            severity: Severity::Warning,
            title: "The subtasks of the keys are not known".to_owned(),
            reason: "At least one key is not of the type that the keys are said to have, so it has no hash.".to_owned(),
            option: Some("keyType".to_owned()),
            price: None,
            apply: Vec::new(),
            source: "KeyGroupRangeAssignment, Flink 1.20.5".to_owned(),
        });
        let read = self.read.iter().flat_map(|it| it.findings.clone());
        let generated = self.generated.iter().flat_map(|it| it.findings.clone());
        dropped
            .into_iter()
            .chain(silent)
            .chain(lost)
            .chain(left)
            .chain(no_type)
            .chain(read)
            .chain(generated)
            .chain(more)
            .collect()
    }
}

/// Windows that a record is in at most.
fn copies_of(assigner: &Assigner) -> u64 {
    match *assigner {
        Assigner::Sliding { size, slide, .. } => size.unsigned_abs().div_ceil(slide.unsigned_abs()),
        _ => 1,
    }
}

/// A time in the unit a person would say [ms].
fn time(ms: u64) -> String {
    span(i64::try_from(ms).unwrap_or(i64::MAX))
}

fn count(number: u64) -> String {
    grouped(i64::try_from(number).unwrap_or(i64::MAX))
}
