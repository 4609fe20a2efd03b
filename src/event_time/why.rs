//! The question `whyNoOutput`: per-subtask watermarks as the web UI, the REST API or a metrics page
//! shows them, and what they mean.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `StatusWatermarkValve` for the minimum, `EventTimeTrigger`
//! for the next firing, `SourceCoordinator` for the limit of aligned sources.

use serde::{Deserialize, Serialize};

use super::error::EventTimeError;
use super::generator::WatermarkRule;
use super::report::WindowBounds;
use super::text::{agreeing, moment, span};
use super::time::EventTime;
use super::window::Assigner;
use crate::finding::{Derivation, Finding, Severity};
use crate::units::FlinkVersion;

pub mod read;

use read::{Reading, Shown};

/// The longest text that is read [bytes].
pub const TEXT_MAX: usize = 1 << 20;

/// Params of `whyNoOutput`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WhyParams {
    /// The version.
    pub version: FlinkVersion,
    /// Watermarks as shown, one an input, subtask or partition.
    pub text: String,
    /// The windows that wait; `None` asks for the watermark only.
    pub assigner: Option<Assigner>,
    /// The rule of the sources, for the timestamp that is still needed.
    pub rule: Option<WatermarkRule>,
    /// The drift of watermark alignment, `withWatermarkAlignment` [ms].
    pub max_drift: Option<i64>,
}

/// One line of what was shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WhyInput {
    /// Its name, or its place in the text from 0.
    pub name: String,
    /// Its watermark.
    pub watermark: EventTime,
    /// Whether the text says that it is idle.
    pub idle: bool,
    /// Whether it holds the operator back.
    pub holds_back: bool,
    /// How far it is behind the one that is furthest [ms]; `None` without a watermark.
    pub behind: Option<EventTime>,
}

/// The firing that is waited for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NextFiring {
    /// The window that holds the moment after the watermark, and so fires next if it has records.
    pub window: WindowBounds,
    /// The watermark with which it fires.
    pub needs_watermark: EventTime,
    /// The timestamp that each input which holds back still has to see; `None` without a rule.
    pub needs_timestamp: Option<EventTime>,
}

/// Why there is no output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WhyReport {
    /// The version asked for.
    pub version: FlinkVersion,
    /// One sentence.
    pub verdict: String,
    /// What was read.
    pub inputs: Vec<WhyInput>,
    /// Lines that were not understood.
    pub ignored: u32,
    /// The minimum over inputs that are not idle.
    pub watermark: EventTime,
    /// What is waited for, where windows were given and there is a watermark.
    pub next: Option<NextFiring>,
    /// Why no next firing is named, or none.
    pub why_no_next: Option<String>,
    /// With watermark alignment, sources ahead of this pause.
    pub max_allowed: Option<EventTime>,
}

/// Which input holds the watermark, and what is still needed for the next firing?
///
/// # Errors
/// A text that is too long or holds no watermark, or windows that Flink refuses.
pub fn why_no_output(params: &WhyParams) -> Result<Derivation<WhyReport>, EventTimeError> {
    if params.text.len() > TEXT_MAX {
        let (field, what) = ("text", "Bytes of text");
        return Err(EventTimeError::TooMany { field, what, max: TEXT_MAX, got: params.text.len() });
    }
    if let Some(assigner) = &params.assigner {
        assigner.check()?;
    }
    let Reading { shown, ignored } = read::read(&params.text);
    if shown.is_empty() {
        return Err(EventTimeError::NoWatermarks);
    }
    let active = || shown.iter().filter(|input| !input.is_idle);
    let lowest = active().map(|input| input.watermark).min();
    let highest = shown.iter().map(|input| input.watermark).max().unwrap_or(EventTime::MIN);
    // Nobody leads: the valve flushes the maximum, and event time stands still there.
    let watermark = lowest.unwrap_or(highest);
    let inputs: Vec<WhyInput> = shown
        .iter()
        .map(|input| WhyInput {
            name: input.name.clone(),
            watermark: input.watermark,
            idle: input.is_idle,
            holds_back: !input.is_idle
                && Some(input.watermark) == lowest
                && (input.watermark == EventTime::MIN || input.watermark < highest),
            behind: behind(input, highest),
        })
        .collect();
    let next = params.assigner.as_ref().and_then(|it| next_firing(it, watermark, params.rule));
    let why_no_next = match (&params.assigner, &next) {
        (Some(assigner), None) => why_no_next(assigner, watermark),
        _ => None,
    };
    let max_allowed = params.max_drift.map(|drift| {
        // Saturating, so that a source at the end of its input does not stop the others.
        EventTime::ms(watermark.get().saturating_add(drift))
    });
    let findings = findings(params, &inputs, watermark, lowest.is_none());
    let verdict = verdict(&inputs, watermark, lowest.is_none(), next.as_ref());
    let version = params.version;
    let value =
        WhyReport { version, verdict, inputs, ignored, watermark, next, why_no_next, max_allowed };
    Ok(Derivation { value, findings })
}

fn behind(input: &Shown, highest: EventTime) -> Option<EventTime> {
    if input.watermark == EventTime::MIN || highest == EventTime::MAX {
        return None;
    }
    highest.get().checked_sub(input.watermark.get()).map(EventTime::ms)
}

/// The window that holds the moment after the watermark.
fn next_firing(
    assigner: &Assigner,
    watermark: EventTime,
    rule: Option<WatermarkRule>,
) -> Option<NextFiring> {
    let has_ends = matches!(
        assigner,
        Assigner::Tumbling { .. } | Assigner::Sliding { .. } | Assigner::Zoned { .. }
    );
    if !has_ends || watermark == EventTime::MIN || watermark == EventTime::MAX {
        return None;
    }
    let after = watermark.get().checked_add(1)?;
    let windows = assigner.assign(after, 1).ok()?;
    let window = windows.into_iter().min_by_key(|window| window.end)?;
    let due = window.max_timestamp();
    Some(NextFiring {
        window: WindowBounds { start: window.start, end: window.end },
        needs_watermark: EventTime::ms(due),
        needs_timestamp: rule
            .and_then(WatermarkRule::lag)
            .and_then(|lag| due.checked_add(lag))
            .map(EventTime::ms),
    })
}

/// The windows alone do not say which fires next: sessions end by their records, global ones never.
fn why_no_next(assigner: &Assigner, watermark: EventTime) -> Option<String> {
    let first = match assigner {
        Assigner::Session { gap } => {
            let ends = format!(
                "A session fires when the watermark reaches its last record’s timestamp + {} − 1 ms, the end of its gap; which records are in it the watermarks do not say.",
                span(*gap)
            );
            // Open is a session with watermark < last + gap - 1.
            let last = watermark.get().checked_sub(*gap).and_then(|it| it.checked_add(2));
            match last.filter(|_| watermark != EventTime::MIN && watermark != EventTime::MAX) {
                Some(last) => format!(
                    "{ends} At this watermark those with a record stamped {} or later are still to fire.",
                    moment(EventTime::ms(last))
                ),
                None => ends,
            }
        }
        Assigner::DynamicSession => "A session fires when the watermark reaches its end less 1 ms, and each record brings a gap of its own; which records are in it the watermarks do not say.".to_owned(),
        Assigner::Global => return Some("A global window never fires by event time: it has no end, and its trigger alone decides. With the default, NeverTrigger, it emits nothing at all.".to_owned()),
        _ if watermark == EventTime::MIN => "No window can be named before there is a watermark: the earliest is that of the first records.".to_owned(),
        _ if watermark == EventTime::MAX => "The input has ended: all windows have fired.".to_owned(),
        _ => return None,
    };
    Some(first)
}

fn verdict(
    inputs: &[WhyInput],
    watermark: EventTime,
    all_idle: bool,
    next: Option<&NextFiring>,
) -> String {
    let needed = next.map_or_else(String::new, |next| {
        let due = moment(next.needs_watermark);
        match next.needs_timestamp {
            Some(time) => format!(
                " The next window fires at {due}: each of them still needs a record stamped {} or later.",
                moment(time)
            ),
            None => format!(" The next window fires at {due}."),
        }
    });
    if all_idle {
        return format!(
            "All inputs are idle: event time stands still at {}, and nothing more fires.{needed}",
            moment(watermark)
        );
    }
    let holders: Vec<&WhyInput> = inputs.iter().filter(|input| input.holds_back).collect();
    let names: Vec<&str> = holders.iter().take(3).map(|input| input.name.as_str()).collect();
    let more =
        if holders.len() > 3 { format!(" and {} more", holders.len() - 3) } else { String::new() };
    let (names, one) = (names.join(", "), holders.len() == 1);
    if holders.is_empty() {
        return format!(
            "All inputs are at {}; none holds the others back.{needed}",
            moment(watermark)
        );
    }
    if watermark == EventTime::MIN {
        let has = if one { "has" } else { "have" };
        return format!(
            "{names}{more} {has} no watermark yet, so the operator has none and no window can fire.{needed}"
        );
    }
    let hold = if one { "holds" } else { "hold" };
    let behind = holders.first().and_then(|input| input.behind).map_or(0, EventTime::get);
    format!(
        "{names}{more} {hold} the watermark at {}, {} behind the one furthest ahead.{needed}",
        moment(watermark),
        span(behind)
    )
}

fn findings(
    params: &WhyParams,
    inputs: &[WhyInput],
    watermark: EventTime,
    all_idle: bool,
) -> Vec<Finding> {
    let mut found = Vec::new();
    let silent = inputs.iter().filter(|it| it.watermark == EventTime::MIN && !it.idle).count();
    let finding = |code, severity, title, reason: String, option: &str, price: &str| Finding {
        code,
        severity,
        title,
        reason,
        option: Some(option.to_owned()),
        price: Some(price.to_owned()),
        apply: Vec::new(),
        source: "StatusWatermarkValve, WatermarksWithIdleness".to_owned(),
    };
    if silent > 0 {
        found.push(finding(
            "silent_inputs",
            Severity::Error,
            agreeing(silent as u32, "input never sent a watermark", "inputs never sent a watermark"),
            "They read a partition without records, read no partition at all since there are more subtasks than partitions, or no timestamps were assigned upstream of them. An idle timeout leaves them out after it; a parallelism no higher than the number of partitions leaves none without one.".to_owned(),
            "table.exec.source.idle-timeout, withIdleness",
            "Records of an input that was left out and comes back may be late.",
        ));
    }
    let holders = inputs.iter().filter(|it| it.holds_back).count();
    if holders > 0 && silent == 0 {
        found.push(finding(
            "held_back",
            Severity::Warning,
            agreeing(holders as u32, "input lags behind", "inputs lag behind"),
            "An input that still gets records is not idle and holds the others however far ahead they are. Look at its partitions: skewed clocks, a backlog, or few records.".to_owned(),
            "withWatermarkAlignment",
            "Alignment pauses the faster sources: state stays small, and nothing gets faster.",
        ));
    }
    if all_idle {
        found.push(finding(
            "all_idle",
            Severity::Warning,
            format!("Event time stands still at {}", moment(watermark)),
            "Idle inputs let others lead, and there are none. Heartbeat records, a trigger in processing time, or a generator that follows the clock when nothing comes would move it.".to_owned(),
            "withIdleness",
            "A generator that follows the clock makes late whatever comes after a pause.",
        ));
    }
    if params.max_drift.is_some() && inputs.iter().any(|it| it.watermark == EventTime::MAX) {
        found.push(Finding {
            code: "alignment_at_end",
            severity: Severity::Note,
            title: "A source at the end of its input does not stop aligned ones".to_owned(),
            reason: format!(
                "Its watermark is Long.MAX_VALUE, and the drift is added without overflow in Flink {}. Where the sum overflows, as before FLINK-31632 was fixed, the limit is far in the past and every other source pauses for ever.",
                params.version.checked_on()
            ),
            option: Some("withWatermarkAlignment".to_owned()),
            price: None,
            apply: Vec::new(),
            source: "SourceCoordinator.announceCombinedWatermark, FLINK-31632".to_owned(),
        });
    }
    found
}
