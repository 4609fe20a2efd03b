//! What can be said of a checkpoint without simulating it, step by step with the numbers put in.
//!
//! Source: the rules of LocalBufferPool (a pool of buffers-per-channel for each subpartition and
//! floating-buffers-per-gate more; the task stops when it takes the last buffer), BufferManager and
//! RemoteInputChannel (exclusive and floating buffers) of Flink 1.20.5 put into sums. The sum for one
//! receiver was within 5.9 % of eleven cases measured on 1.20.5, that for a chain within 7 % of one.
//!
//! # Deviations
//! A sum says what waits in front of a barrier when it is sent. It knows nothing of the order in which
//! channels are read, so it gives the end-to-end time only, not its parts.

mod conditions;
mod queues;

use serde::Serialize;

use self::conditions::Conditions;
use super::error::CheckpointError;
use super::params::Mode;
use super::scenario::Scenario;
use super::verdict::said;
use crate::finding::Derivation;

/// A closed form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Form {
    /// A source blocks its thread in front of empty queues.
    SourceLag,
    /// Full channels in front of one slow subtask.
    SaturatedFanIn,
    /// Full channels in front of several subtasks, or of several vertices in a row.
    ChainShare,
    /// The aligned-checkpoint timeout cuts the wait short.
    AlignedTimeout,
}

/// A step of a derivation.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FormStep {
    /// What is worked out.
    pub title: String,
    /// The formula in words.
    pub formula: &'static str,
    /// The formula with the values put in.
    pub numbers: String,
    /// What it comes to.
    pub result: f64,
    /// Its unit.
    pub unit: &'static str,
    /// Class or option key, with the version.
    pub source: &'static str,
}

/// A form and what it says of a scenario.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FormOutcome {
    /// Which.
    pub form: Form,
    /// In words.
    pub title: &'static str,
    /// What it gives [ms], where it applies.
    pub end_to_end_ms: Option<f64>,
    /// How far a single checkpoint may be off, by how much of the buffers being read is left at its
    /// trigger [ms].
    pub phase_ms: f64,
    /// Why it does not apply.
    pub why_not: Option<String>,
    /// How it is worked out.
    pub steps: Vec<FormStep>,
}

/// All forms of a scenario.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ClosedFormReport {
    /// It in a sentence.
    pub verdict: String,
    /// The end-to-end time, where a form applies [ms].
    pub end_to_end_ms: Option<f64>,
    /// The form that gives it.
    pub applies: Option<Form>,
    /// Each of them.
    pub forms: Vec<FormOutcome>,
}

/// Which closed form applies to a scenario, and what does it give?
pub fn closed_form(scenario: &Scenario) -> Result<Derivation<ClosedFormReport>, CheckpointError> {
    let job = scenario.job()?;
    let conditions = Conditions { scenario, job: &job };
    let lag = outcome(Form::SourceLag, conditions.lag());
    let queue = conditions.queue();
    let kind = if conditions.is_fan_in() { Form::SaturatedFanIn } else { Form::ChainShare };
    let cut = outcome(Form::AlignedTimeout, conditions.timeout(&queue));
    let uncut = conditions.waits_for_records().and_then(|()| match cut.end_to_end_ms {
        Some(_) => Err("The timeout comes first.".to_owned()),
        None => queue,
    });
    let queue = outcome(kind, uncut);
    let forms = vec![lag, queue, cut];
    let applies = forms.iter().find(|it| it.end_to_end_ms.is_some());
    let end_to_end_ms = applies.and_then(|it| it.end_to_end_ms);
    let verdict = match (applies, end_to_end_ms) {
        (Some(it), Some(ms)) => format!(
            "{}: a checkpoint takes {} by the closed form.",
            it.title,
            said(ms.round() as u64)
        ),
        _ => conditions.none_applies(),
    };
    let applies = applies.map(|it| it.form);
    let value = ClosedFormReport { verdict, end_to_end_ms, applies, forms };
    Ok(Derivation { value, findings: Vec::new() })
}

/// A time and the steps to it.
#[derive(Debug, Clone)]
struct Sum {
    ms: f64,
    phase_ms: f64,
    steps: Vec<FormStep>,
}

/// A sum, or why there is none.
type Derived = Result<Sum, String>;

fn outcome(form: Form, derived: Derived) -> FormOutcome {
    let title = match form {
        Form::SourceLag => "A source that blocks its thread",
        Form::SaturatedFanIn => "Full channels in front of one subtask",
        Form::ChainShare => "Full channels, each drained at the share of the bottleneck",
        Form::AlignedTimeout => "The aligned-checkpoint timeout",
    };
    let mut outcome = FormOutcome {
        form,
        title,
        end_to_end_ms: None,
        phase_ms: 0.0,
        why_not: None,
        steps: Vec::new(),
    };
    match derived {
        Ok(Sum { ms, phase_ms, steps }) => {
            (outcome.end_to_end_ms, outcome.phase_ms, outcome.steps) = (Some(ms), phase_ms, steps);
        }
        Err(why) => outcome.why_not = Some(why),
    }
    outcome
}

impl Conditions<'_> {
    /// The lag of a source, where nothing else waits.
    fn lag(&self) -> Derived {
        let lag_ms = self.job.lags.iter().map(|it| it.span.as_ms()).max();
        let lag_ms = lag_ms.ok_or("No source blocks its thread.")? as f64;
        self.may_be_summed()?;
        if let Some(vertex) = self.saturated() {
            let name = &self.job.vertices[vertex].name;
            return Err(format!(
                "{name} cannot keep up, so a queue and a lag come together; that was not measured, and \
                 there is no sum for it."
            ));
        }
        let mut steps = vec![FormStep {
            title: "The barrier leaves the source".to_owned(),
            formula: "from the trigger to the end of the longest block of a source's thread",
            numbers: format!(
                "{lag_ms} ms; every mode waits for it, since the barrier is not sent before"
            ),
            result: lag_ms,
            unit: "ms",
            source: "Flink 1.20.5, StreamTask#triggerCheckpointAsync (a mail of the task's thread)",
        }];
        let ms = self.with_snapshot(lag_ms, &mut steps)?;
        self.has_time(ms, 0.0)?;
        Ok(Sum { ms, phase_ms: 0.0, steps })
    }

    /// The timeout, where aligned it would take longer.
    fn timeout(&self, queue: &Derived) -> Derived {
        let it = &self.scenario.checkpointing;
        if it.mode != Mode::Timeout || it.aligned_checkpoint_timeout_ms == 0 {
            return Err("Barriers do not overtake after a timeout in this mode.".to_owned());
        }
        let Sum { ms: aligned_ms, mut steps, .. } = queue.clone()?;
        let timeout_ms = it.aligned_checkpoint_timeout_ms as f64;
        if aligned_ms <= timeout_ms {
            return Err(format!(
                "Aligned it takes {aligned_ms:.0} ms, less than the timeout of {timeout_ms} ms."
            ));
        }
        if self.job.edges.iter().any(|it| !it.exchange.can_be_overtaken()) {
            return Err(
                "A forward or broadcast exchange stays aligned after the timeout.".to_owned()
            );
        }
        if self.has_snapshot() {
            return Err("What a snapshot adds depends on when each subtask switches.".to_owned());
        }
        steps.push(FormStep {
            title: "Barriers overtake what is still in front of them".to_owned(),
            formula: "the smaller of the aligned time and the timeout",
            numbers: format!(
                "min({aligned_ms:.0} ms, {timeout_ms} ms); on Flink 10 to 73 ms more were measured"
            ),
            result: timeout_ms,
            unit: "ms",
            source: "execution.checkpointing.aligned-checkpoint-timeout, Flink 1.20.5",
        });
        Ok(Sum { ms: timeout_ms, phase_ms: 0.0, steps })
    }

    /// Only barriers that do not overtake wait for the records before them.
    fn waits_for_records(&self) -> Result<(), String> {
        let it = &self.scenario.checkpointing;
        match it.mode {
            Mode::Aligned => Ok(()),
            Mode::Timeout if it.aligned_checkpoint_timeout_ms > 0 => Ok(()),
            Mode::Timeout | Mode::Unaligned => Err(format!(
                "Barriers overtake the records: they wait for the record in service only, at most {:.1} ms. \
                 Flink itself then needs 15 to 97 ms (24 runs measured on 1.20.5), for which there is no sum.",
                self.longest_service_ms()
            )),
            Mode::AtLeastOnce => Err(
                "Records behind a barrier are read before the last barrier has come, so what is in front \
                 of it does not give the time; there is no sum for it."
                    .to_owned(),
            ),
        }
    }

    fn none_applies(&self) -> String {
        let why = match (self.waits_for_records(), self.saturated()) {
            (Err(why), _) => why,
            (_, None) if self.job.lags.is_empty() => {
                "No queue is full and no source blocks its thread, so there is nothing to sum up."
                    .to_owned()
            }
            _ => "The reasons stand at each of them.".to_owned(),
        };
        format!("No closed form applies; the simulation gives the time. {why}")
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
