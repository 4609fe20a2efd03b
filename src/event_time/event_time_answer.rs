//! The answer of `runEventTime`: the rows, what they add up to, and one sentence.

use super::code;
use super::error::EventTimeError;
use super::holders;
use super::kept::{KeptReport, Most};
use super::notice;
use super::params::EventTimeParams;
use super::pipeline::Pipeline;
use super::report::{EventTimeReport, RuleStep, SourceReport, WindowLife};
use super::restored;
use super::rules;
use super::time::EventTime;
use super::trigger::Trigger;
use super::verdict;
use crate::finding::Derivation;

/// The most windows that are listed.
const WINDOWS_MAX: usize = 20_000;

/// What the rows leave out.
const NOT_MODELLED: [&str; 6] = [
    "Evictors, processing-time windows and the asynchronous window operator of 2.x",
    "Watermark alignment between sources, and idleness clocks that stop under back-pressure (1.20 and later)",
    "Which subtask reads which Kafka partition: here partition p goes to subtask p modulo the source's parallelism; Kafka's source starts counting at a hash of the topic's name",
    "The time records and watermarks take from task to task: all arrive at once",
    "Records and watermarks of different source subtasks that overtake each other",
    "What a failure replays: a restore here is of a savepoint that stops the job at this step, and it goes on at once",
];

/// What happens to each record?
///
/// # Errors
/// Flink's refusal of the definition, or an input that cannot be read.
pub fn run_event_time(
    params: &EventTimeParams,
) -> Result<Derivation<EventTimeReport>, EventTimeError> {
    let pipeline = Pipeline::new(params)?.run()?;
    let watermark = pipeline.watermark();
    let sources = sources(&pipeline);
    let subtasks = pipeline.window_subtasks();
    let mut findings = notice::findings(params, &pipeline, &sources);
    findings.extend(restored::findings(params, &pipeline)?);
    findings.sort_by_key(|finding| finding.severity);
    let mut windows = lives(&pipeline);
    let windows_omitted = windows.len().saturating_sub(WINDOWS_MAX);
    windows.truncate(WINDOWS_MAX);
    let mut totals = pipeline.totals.clone();
    totals.ids_kept = pipeline.ids_kept();
    let mut steps: Vec<RuleStep> = rules::steps(params);
    let keys: u32 = subtasks.iter().map(|subtask| subtask.keys).sum();
    steps.extend(rules::state(params, &totals, keys));
    let most = most(params, keys);
    let kept = kept(params, &pipeline, most)?;
    let mut report = EventTimeReport {
        version: params.version,
        checked_on: params.version.checked_on(),
        verdict: String::new(),
        rows: pipeline.rows,
        windows,
        windows_omitted,
        totals,
        sources,
        subtasks,
        watermark,
        open_windows_most: most.map(|it| it.windows.saturating_mul(it.keys)),
        kept,
        data_stream: code::data_stream(params),
        sql: code::sql(params),
        steps,
        not_modelled: NOT_MODELLED.to_vec(),
    };
    let waiting = notice::waiting(&report.rows, &report.sources, watermark);
    report.verdict = verdict::verdict(params, &report, &waiting);
    Ok(Derivation { value: report, findings })
}

/// Bytes kept; what the lateness adds is what the same records keep without it.
fn kept(
    params: &EventTimeParams,
    pipeline: &Pipeline<'_>,
    most: Option<Most>,
) -> Result<KeptReport, EventTimeError> {
    let has_lateness = params.windows.allowed_lateness > EventTime::ms(0);
    let mut without = pipeline.kept_max;
    if has_lateness && params.windows.assigner.is_event_time() {
        let mut prompt = params.clone();
        prompt.windows.allowed_lateness = EventTime::ms(0);
        without = Pipeline::new(&prompt)?.run()?.kept_max;
    }
    let (layout, assigner) = (&pipeline.layout, &params.windows.assigner);
    Ok(KeptReport::new(&params.kept, layout, assigner, pipeline.kept_max, without, most))
}

/// The most windows that the rules allow.
fn most(params: &EventTimeParams, keys: u32) -> Option<Most> {
    let has_lateness = params.windows.allowed_lateness > EventTime::ms(0);
    let windows = rules::open_windows_max(params).and_then(|windows| u64::try_from(windows).ok());
    windows.filter(|_| params.windows.trigger == Trigger::EventTime).map(|windows| Most {
        windows,
        keys: keys.into(),
        has_lateness,
        steady: None,
    })
}

/// Generators may move in calls of the clock that have no row, since nothing was sent; these are told
/// by the row before.
fn sources(pipeline: &Pipeline<'_>) -> Vec<SourceReport> {
    let mut sources = holders::sources(&pipeline.sources, &pipeline.valve, &pipeline.reads);
    let last = (pipeline.rows.len() as u32).saturating_sub(1);
    for part in sources.iter_mut().flat_map(|source| &mut source.parts) {
        if let Some(since) = &mut part.since {
            since.place = since.place.min(last);
        }
    }
    sources
}

fn lives(pipeline: &Pipeline<'_>) -> Vec<WindowLife> {
    pipeline
        .lives
        .clone()
        .into_sorted()
        .into_iter()
        .map(|life| WindowLife {
            key: pipeline.key_text(life.key).to_owned(),
            subtask: pipeline.key_subtask(life.key),
            start: life.window.start,
            end: life.window.end,
            cleanup: life.cleanup,
            opened: life.opened,
            fired: life.fired,
            closed: life.closed,
            merged_away: life.merged_away,
            taken: life.taken,
            taken_late: life.taken_late,
            last_count: life.last.map(|(count, _)| count),
            last_sum: life.last.map(|(_, sum)| sum),
        })
        .collect()
}
