//! Why is there no output? After any record of a stream: who holds the watermark, since when, and what
//! the next firing still needs.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `StatusWatermarkValve`, `WatermarkOutputMultiplexer`,
//! `EventTimeTrigger`; see [`crate::event_time::waiting`].

use serde::{Deserialize, Serialize};

use super::super::holders::{Moment, SourceReport};
use super::super::params::EmissionTime;
use super::super::report::WindowBounds;
use super::super::run::Standing;
use super::super::text::moment;
use super::super::time::EventTime;
use super::super::trigger::Trigger;
use super::super::waiting::Waiting;
use super::super::why::NextFiring;
use super::super::window::Assigner;
use super::Whole;
use crate::finding::Derivation;
use crate::units::grouped;

/// Params of a stream's `why`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StreamWhyParams {
    /// After how many records; `None` is after all of them.
    pub records: Option<u64>,
}

/// Why there is no output.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StreamWhy {
    /// Who holds the watermark, and what is needed.
    pub verdict: String,
    /// Records processed.
    pub records: u64,
    /// When the last of them arrived [ms]; `None` where nothing says it.
    pub arrival: Option<i64>,
    /// The watermark of the operator.
    pub watermark: EventTime,
    /// Since when it stands there: the records read up to then, and the clock where there is one.
    pub since: Option<Moment>,
    /// Whether arrivals are known, so that the clocks of these moments say something.
    pub has_clock: bool,
    /// What fires next, where anything that waits fires by event time.
    pub next: Option<NextFiring>,
    /// Pairs of key and window that wait for their end.
    pub waiting: u64,
    /// Of these, the ones that the source furthest ahead has passed.
    pub passed: u64,
    /// Pairs of key and window that have fired and are kept for late records.
    pub held: u64,
    /// The source subtasks and their partitions.
    pub sources: Vec<SourceReport>,
    /// Names of the partitions, by number.
    pub partition_names: Vec<String>,
}

impl Whole {
    /// Who holds the watermark after so many records, and what does the next firing need?
    pub fn why(&self, params: &StreamWhyParams) -> Derivation<StreamWhy> {
        let all = self.run.progress().records;
        let records = params.records.and_then(|it| usize::try_from(it).ok()).unwrap_or(all);
        let standing = self.run.standing(records);
        let names = standing.sources.iter().flat_map(|it| &it.partitions).max();
        let names = names.map_or(0, |last| last + 1);
        let partition_names = (0..names).map(|it| self.partition_name(it as u16)).collect();
        let has_clock = standing.arrival.is_some();
        let waiting = Waiting {
            sources: &standing.sources,
            watermark: standing.watermark,
            since: standing.since,
            moment: &|it| in_words(it, has_clock),
            partition: &|it| self.partition_name(it as u16),
        };
        let lag = self.params.watermarks.rule.lag();
        let next = standing.next.map(|next| NextFiring {
            window: WindowBounds { start: EventTime::ms(next.start), end: EventTime::ms(next.end) },
            needs_watermark: EventTime::ms(next.due),
            needs_timestamp: lag.and_then(|lag| next.due.checked_add(lag)).map(EventTime::ms),
        });
        let watermarks = &self.params.watermarks;
        let (emission, timeout) = (watermarks.emission, watermarks.idle_timeout);
        let findings = waiting.finding(standing.passed, emission, timeout).into_iter().collect();
        let verdict = self.sentences(&standing, &waiting, next.as_ref());
        let value = StreamWhy {
            verdict,
            records: standing.records as u64,
            arrival: standing.arrival,
            watermark: standing.watermark,
            since: standing.since,
            has_clock,
            next,
            waiting: standing.open.waiting,
            passed: standing.passed,
            held: standing.open.held,
            sources: standing.sources.clone(),
            partition_names,
        };
        Derivation { value, findings }
    }

    fn sentences(
        &self,
        standing: &Standing,
        waiting: &Waiting<'_>,
        next: Option<&NextFiring>,
    ) -> String {
        if standing.records == 0 {
            return "No record has been read.".to_owned();
        }
        let place = match self.run.progress() {
            progress if progress.records > standing.records => {
                format!("After record {}: ", count(standing.records as u64))
            }
            progress if progress.is_done => "Before the end of the input: ".to_owned(),
            _ => "At the end: ".to_owned(),
        };
        let holder = waiting.holder();
        format!("{place}{holder}{}", self.needed(standing, waiting.is_held(), next))
    }

    /// What the next firing needs.
    fn needed(&self, standing: &Standing, is_held: bool, next: Option<&NextFiring>) -> String {
        let Some(next) = next else {
            let counts = matches!(
                self.params.windows.trigger.inner(),
                Trigger::Count { .. } if standing.open.waiting > 0
            );
            let is_global = self.params.windows.assigner == Assigner::Global;
            return if counts {
                " Windows wait for a full count of records, and not for the watermark.".to_owned()
            } else if is_global && standing.open.waiting > 0 {
                " A global window has no end that a watermark could reach: it fires by its trigger, or at the end of the input.".to_owned()
            } else {
                " No window waits to fire.".to_owned()
            };
        };
        let due = moment(next.needs_watermark);
        let window = if next.window.start == EventTime::MIN {
            "the global one".to_owned()
        } else {
            format!("[{}, {})", moment(next.window.start), moment(next.window.end))
        };
        let time = next.needs_timestamp.map_or_else(String::new, |time| {
            let who = if is_held { "each generator that is not idle" } else { "the source" };
            format!(" For that {who} must have read a record stamped {} or later", moment(time))
        });
        let asked = match self.params.watermarks.emission {
            _ if time.is_empty() => "",
            EmissionTime::PerEvent { every: 1 } => ".",
            EmissionTime::PerEvent { .. } => ", and the next call for a watermark after it.",
            EmissionTime::Periodic { .. } => ", and the next call of the clock after it.",
        };
        format!(" The next window, {window}, fires when the watermark is {due}.{time}{asked}")
    }
}

fn in_words(at: Moment, has_clock: bool) -> String {
    let record = format!("record {}", count(at.place.into()));
    if has_clock { format!("{record}, arrival {}", moment(EventTime::ms(at.at))) } else { record }
}

fn count(number: u64) -> String {
    grouped(i64::try_from(number).unwrap_or(i64::MAX))
}
