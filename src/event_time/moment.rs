//! The question `eventTimeAt`: where a small job stands after a step. Who holds the watermark and
//! since when, what fires next and what it still needs, and what a savepoint taken here would store.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1: `StatusWatermarkValve` for the minimum, the job's own trigger
//! for the next result; what is stored is told in `pipeline/state.rs`.

use serde::{Deserialize, Serialize};

use super::dedup::Dedup;
use super::error::EventTimeError;
use super::holders;
use super::operator::WindowOperator;
use super::params::EventTimeParams;
use super::pipeline::{Pipeline, all_idle};
use super::report::{OpenWindow, SourceReport};
use super::text::{agreeing, moment, span};
use super::time::EventTime;
use super::trigger::Trigger;
use super::valve::Channel;
use super::window::Assigner;
use crate::finding::{Derivation, Problem};

/// How many entries of each kind are listed.
const LISTED_MAX: usize = 200;

/// Params of `eventTimeAt`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EventTimeAtParams {
    /// The job and its input.
    pub job: EventTimeParams,
    /// After how many rows of its report.
    pub upto: u32,
}

/// A refusal of the job.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(transparent)]
pub struct EventTimeAtError(#[from] EventTimeError);

impl From<EventTimeAtError> for Problem {
    fn from(error: EventTimeAtError) -> Self {
        let problem: Self = error.0.into();
        Self { field: problem.field.map(|field| format!("job.{field}")), ..problem }
    }
}

/// A source subtask and its part in the watermark.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SourceAt {
    /// The subtask.
    pub subtask: u32,
    /// Its partitions.
    pub partitions: Vec<u32>,
    /// The last watermark that it sent, since the restore if there was one.
    pub watermark: EventTime,
    /// Whether it is left out as idle.
    pub idle: bool,
    /// Whether it, alone or with others, holds the watermark back.
    pub holds_back: bool,
    /// Its partitions that do so, where each has a generator of its own.
    pub held_by: Vec<u32>,
    /// The row since which it has done so; `None` where it does not.
    pub since: Option<u32>,
    /// The timestamp that each of its active partitions still has to reach for the next result;
    /// `None` where it is there, is left out, or no rule makes watermarks.
    pub needs_timestamp: Option<EventTime>,
}

/// The result that comes next if only the watermark moves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NextResult {
    /// The key.
    pub key: String,
    /// First millisecond of the window.
    pub start: EventTime,
    /// The one after its last.
    pub end: EventTime,
    /// Records in it by now.
    pub records: usize,
    /// The watermark with which it fires.
    pub needs_watermark: EventTime,
}

/// A timer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TimerAt {
    /// When it is due [ms]; `endOfInput` where only the end calls it.
    pub at: EventTime,
    /// Whether it waits for processing time.
    pub processing: bool,
    /// Its key.
    pub key: String,
    /// First millisecond of its window.
    pub start: EventTime,
    /// The one after its last.
    pub end: EventTime,
}

/// An id that is kept to leave duplicates out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KeptId {
    /// The id.
    pub id: String,
    /// The processing time from which on it is forgotten [ms].
    pub until: i64,
}

/// How far a partition has been read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Offset {
    /// The partition.
    pub partition: u32,
    /// Records read from it.
    pub records: u32,
}

/// What a savepoint holds, the first 200 of each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Stored {
    /// Windows with contents, or sessions in flight.
    pub windows: Vec<OpenWindow>,
    /// How many there are.
    pub window_count: usize,
    /// Timers, those of event time first.
    pub timers: Vec<TimerAt>,
    /// How many there are.
    pub timer_count: usize,
    /// Ids that have not expired.
    pub ids: Vec<KeptId>,
    /// How many there are.
    pub id_count: usize,
    /// The place in each partition.
    pub offsets: Vec<Offset>,
    /// The watermark of the window operator, where it is stored; `None` where it is not.
    pub watermark: Option<EventTime>,
    /// What is not in it.
    pub left_out: Vec<String>,
}

/// Where the job stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EventTimeAtReport {
    /// Rows that were run.
    pub rows: u32,
    /// The processing time [ms].
    pub at: i64,
    /// Who holds the watermark, since when, and what is needed.
    pub verdict: String,
    /// The watermark of the window operator.
    pub watermark: EventTime,
    /// The source subtasks.
    pub sources: Vec<SourceAt>,
    /// What fires next by the watermark.
    pub next: Option<NextResult>,
    /// Why nothing does, where nothing does.
    pub why_none: Option<String>,
    /// What a savepoint taken now would hold.
    pub stored: Stored,
}

/// Where does the job stand after this step?
///
/// # Errors
/// Flink's refusal of the definition, or an input that cannot be read.
pub fn event_time_at(
    params: &EventTimeAtParams,
) -> Result<Derivation<EventTimeAtReport>, EventTimeAtError> {
    let EventTimeAtParams { job, upto } = params;
    let pipeline = Pipeline::new(job)?.up_to(*upto as usize);
    let pipeline = if *upto == 0 { pipeline } else { pipeline.run()? };
    let snapshot = pipeline.snapshot();
    let watermark = pipeline.watermark();
    let next = next_result(&pipeline, &snapshot.operators);
    let sources = sources(job, &pipeline, next.as_ref());
    let why_none = next.is_none().then(|| why_none(job, &pipeline, &snapshot.operators));
    let stored = stored(job, &pipeline, &snapshot.operators, snapshot.dedup.as_ref());
    let mut value = EventTimeAtReport {
        rows: pipeline.rows.len() as u32,
        at: pipeline.now(),
        verdict: String::new(),
        watermark,
        sources,
        next,
        why_none,
        stored,
    };
    value.verdict = verdict(&pipeline, &value);
    Ok(Derivation { value, findings: Vec::new() })
}

fn next_result(pipeline: &Pipeline<'_>, operators: &[WindowOperator]) -> Option<NextResult> {
    let firsts = operators.iter().filter_map(WindowOperator::next_firing);
    let (at, firing) = firsts.min_by_key(|(at, firing)| (*at, firing.key))?;
    Some(NextResult {
        key: pipeline.key_text(firing.key).to_owned(),
        start: firing.window.start,
        end: firing.window.end,
        records: firing.records.len(),
        needs_watermark: EventTime::ms(at),
    })
}

fn sources(
    job: &EventTimeParams,
    pipeline: &Pipeline<'_>,
    next: Option<&NextResult>,
) -> Vec<SourceAt> {
    let needed = next.map(|next| next.needs_watermark).filter(|due| *due != EventTime::MAX);
    let timestamp = needed
        .and_then(|due| job.watermarks.rule.lag().and_then(|lag| due.get().checked_add(lag)))
        .map(EventTime::ms);
    let reports = holders::sources(&pipeline.sources, &pipeline.valve, &pipeline.reads);
    let parts = reports.into_iter().zip(pipeline.valve.channels()).zip(pipeline.held_since());
    let one = |((source, channel), since): ((SourceReport, &Channel), &Option<u32>)| SourceAt {
        subtask: source.subtask,
        watermark: source.watermark,
        idle: source.idle,
        holds_back: since.is_some(),
        held_by: source.parts.iter().filter(|it| it.holds_back).map(|it| it.partition).collect(),
        since: *since,
        needs_timestamp: timestamp
            .filter(|_| channel.is_aligned && needed.is_some_and(|due| channel.watermark < due)),
        partitions: source.partitions,
    };
    parts.map(one).collect()
}

fn why_none(
    job: &EventTimeParams,
    pipeline: &Pipeline<'_>,
    operators: &[WindowOperator],
) -> String {
    if pipeline.watermark() == EventTime::MAX {
        return "The input has ended, and what was due has fired.".to_owned();
    }
    let open: usize = operators.iter().map(WindowOperator::open_count).sum();
    if open == 0 {
        return "No window is open: the next record opens one.".to_owned();
    }
    let rule = match job.windows.trigger.inner() {
        Trigger::Count { count } => {
            format!(
                "CountTrigger fires at every {count} records of a window and never by the watermark"
            )
        }
        _ if matches!(job.windows.assigner, Assigner::Global) => {
            "a global window has no end that the watermark could reach, and its trigger decides"
                .to_owned()
        }
        _ => {
            "they have fired and are kept for late records, each of which fires its window at once"
                .to_owned()
        }
    };
    format!("{}: {rule}.", agreeing(open as u32, "window is open", "windows are open"))
}

fn stored(
    job: &EventTimeParams,
    pipeline: &Pipeline<'_>,
    operators: &[WindowOperator],
    dedup: Option<&Dedup>,
) -> Stored {
    let mut windows = pipeline.open_list();
    windows.sort_by_key(|it| (it.start, it.end));
    let mut timers = Vec::new();
    for operator in operators {
        let of = |processing: bool| {
            move |(at, key, window): &(i64, u32, super::window::Window)| TimerAt {
                at: EventTime::ms(*at),
                processing,
                key: pipeline.key_text(*key).to_owned(),
                start: window.start,
                end: window.end,
            }
        };
        timers.extend(operator.timers().map(of(false)));
        timers.extend(operator.processing_timers().map(of(true)));
    }
    timers.sort_by(|a, b| (a.processing, a.at, &a.key).cmp(&(b.processing, b.at, &b.key)));
    let mut ids: Vec<KeptId> = dedup.map_or_else(Vec::new, |dedup| {
        let kept = dedup.live(pipeline.now());
        kept.map(|(id, written)| KeptId {
            id: id.to_owned(),
            until: written.saturating_add(dedup.ttl()),
        })
        .collect()
    });
    ids.sort_by_key(|kept| kept.until);
    let (window_count, timer_count, id_count) = (windows.len(), timers.len(), ids.len());
    windows.truncate(LISTED_MAX);
    timers.truncate(LISTED_MAX);
    ids.truncate(LISTED_MAX);
    let keeps_watermark = job.watermarks.rule.is_sql();
    Stored {
        windows,
        window_count,
        timers,
        timer_count,
        ids,
        id_count,
        offsets: offsets(pipeline),
        watermark: keeps_watermark.then(|| pipeline.watermark()),
        left_out: left_out(keeps_watermark),
    }
}

fn offsets(pipeline: &Pipeline<'_>) -> Vec<Offset> {
    let reads = (0..).zip(&pipeline.reads).take(LISTED_MAX);
    reads.map(|(partition, read)| Offset { partition, records: read.events }).collect()
}

fn left_out(keeps_watermark: bool) -> Vec<String> {
    let mut lines = Vec::new();
    if !keeps_watermark {
        lines.push("The watermark of the window operator: WindowOperator of DataStream starts again without one, and judges no record late until every source subtask has sent one.".to_owned());
    }
    lines.push("The largest timestamp that each generator has seen, and its clock of idleness: watermarks begin with the records read after the restore.".to_owned());
    lines.push("Which source subtasks are idle, and what each has sent: all count as active and without a watermark, so each holds it back until it has sent one.".to_owned());
    lines.push(
        "Metrics: numLateRecordsDropped of the restarted task begins at 0. The totals on this page count on."
            .to_owned(),
    );
    lines
}

fn verdict(pipeline: &Pipeline<'_>, report: &EventTimeAtReport) -> String {
    let mut sentences = vec![holders(pipeline, report)];
    if let Some(next) = &report.next {
        sentences.push(needs(next, &report.sources));
    }
    sentences.extend(report.why_none.clone());
    sentences.join(" ")
}

fn holders(pipeline: &Pipeline<'_>, report: &EventTimeAtReport) -> String {
    let at = moment(report.watermark);
    if report.watermark == EventTime::MAX {
        return "The watermark is at the end of input.".to_owned();
    }
    if report.rows > 0 && all_idle(&pipeline.valve) {
        return format!("All source subtasks are idle: event time stands still at {at}.");
    }
    let holding: Vec<&SourceAt> = report.sources.iter().filter(|it| it.holds_back).collect();
    let Some(first) = holding.first() else {
        return if report.watermark == EventTime::MIN {
            "There is no watermark yet.".to_owned()
        } else {
            format!("The watermark is {at}; no source subtask holds the others back.")
        };
    };
    let names = holding_names(&holding);
    let since = first.since.unwrap_or(0);
    let since = match pipeline.restored().last().copied() {
        Some(restored) if restored == since => "since the restore".to_owned(),
        _ if since == 0 => "since the start".to_owned(),
        _ => format!("since step {}", since + 1),
    };
    let one = holding.len() == 1;
    if holding.iter().all(|it| it.watermark == EventTime::MIN) {
        let has = if one { "has" } else { "have" };
        return format!("{names} {has} sent no watermark {since}, and so it stands at {at}.");
    }
    let furthest = report.sources.iter().filter(|it| !it.idle).map(|it| it.watermark).max();
    let behind = furthest
        .filter(|far| *far != EventTime::MAX)
        .and_then(|far| far.get().checked_sub(first.watermark.get()))
        .map_or_else(String::new, |ms| format!(", {} behind the one furthest ahead", span(ms)));
    let hold = if one { "holds" } else { "hold" };
    format!("{names} {hold} the watermark at {at} {since}{behind}.")
}

fn needs(next: &NextResult, sources: &[SourceAt]) -> String {
    let due = moment(next.needs_watermark);
    if next.needs_watermark == EventTime::MAX {
        return "What is open fires at the end of input only.".to_owned();
    }
    let window = format!("[{}, {}) of key {}", moment(next.start), moment(next.end), next.key);
    let waiting: Vec<&SourceAt> =
        sources.iter().filter(|it| it.needs_timestamp.is_some()).collect();
    match waiting.first().and_then(|it| it.needs_timestamp) {
        Some(time) => {
            let verb = if waiting.len() == 1 { "needs" } else { "need" };
            let time = moment(time);
            format!(
                "Next fires {window}, at watermark {due}: for it {} still {verb} a record stamped {time} or later.",
                names(&waiting).replacen("Source", "source", 1)
            )
        }
        None => format!("Next fires {window}, at watermark {due}."),
    }
}

/// With the partition, where it is one and not all that the subtask has.
fn holding_names(holding: &[&SourceAt]) -> String {
    match holding {
        [SourceAt { subtask, partitions, held_by, .. }] if held_by.len() < partitions.len() => {
            match held_by.as_slice() {
                [] => format!("Source subtask {subtask}"),
                [one] => format!("Partition {one} of source subtask {subtask}"),
                more => {
                    let listed: Vec<String> = more.iter().take(3).map(u32::to_string).collect();
                    let rest = more.len().saturating_sub(3);
                    let rest = if rest > 0 { format!(" and {rest} more") } else { String::new() };
                    format!("Partitions {}{rest} of source subtask {subtask}", listed.join(", "))
                }
            }
        }
        _ => names(holding),
    }
}

fn names(sources: &[&SourceAt]) -> String {
    let listed: Vec<String> = sources.iter().take(3).map(|it| it.subtask.to_string()).collect();
    let more =
        if sources.len() > 3 { format!(" and {} more", sources.len() - 3) } else { String::new() };
    let noun = if sources.len() == 1 { "Source subtask" } else { "Source subtasks" };
    format!("{noun} {}{more}", listed.join(", "))
}
