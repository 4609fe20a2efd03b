//! What a restore changes: the same input run through beside it, record by record.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1: what a savepoint leaves out is told in `pipeline/state.rs`.

use std::collections::BTreeMap;

use super::error::EventTimeError;
use super::notice::note;
use super::params::EventTimeParams;
use super::pipeline::Pipeline;
use super::report::{RecordOutcome, Row};
use super::text::{agreeing, moment};
use crate::finding::{Finding, Severity};

/// What is to be said of the restore that was asked for.
///
/// # Errors
/// Those of the run without it.
pub fn findings(
    params: &EventTimeParams,
    pipeline: &Pipeline<'_>,
) -> Result<Vec<Finding>, EventTimeError> {
    if params.restore_after.is_empty() {
        return Ok(Vec::new());
    }
    let source = "InternalTimerServiceImpl, StatusWatermarkValve, SlicingWindowOperator of Flink 1.18.1, 1.20.5 and 2.2.1";
    let found = |severity, code, title: String, reason: String| Finding {
        severity,
        ..note(code, title, reason, source)
    };
    let rows = pipeline.restored();
    // A row of the report is a step; those of restores are not counted.
    let reached: Vec<u32> = (0..).zip(rows).map(|(before, row)| row - before).collect();
    let missed: Vec<u32> =
        params.restore_after.iter().copied().filter(|step| !reached.contains(step)).collect();
    let steps = pipeline.rows.len().saturating_sub(rows.len()) as u32;
    let not_reached = (!missed.is_empty()).then(|| {
        found(
            Severity::Note,
            "restore_not_reached",
            format!("There is no restore after {}", listed(&missed)),
            format!(
                "The run has {}, or ends or fails there: nothing is restored after it.",
                agreeing(steps, "step", "steps")
            ),
        )
    });
    let Some(at) = rows.last() else { return Ok(not_reached.into_iter().collect()) };
    let (it, the) = if rows.len() == 1 { ("it", "the restore") } else { ("them", "the restores") };
    let through = EventTimeParams { restore_after: Vec::new(), ..params.clone() };
    let through = Pipeline::new(&through)?.run()?;
    let before = outcomes(&through.rows);
    let after = outcomes(&pipeline.rows);
    let kept =
        |outcome: &RecordOutcome| matches!(outcome, RecordOutcome::OnTime | RecordOutcome::Late);
    let count = |was_kept: bool| {
        let changed = after.iter().filter(|(item, now)| {
            let then = before.get(item).map(kept);
            then == Some(was_kept) && kept(now) != was_kept
        });
        changed.count() as u32
    };
    let (rescued, lost) = (count(false), count(true));
    let earlier = through.totals.firings;
    let row = &pipeline.rows[*at as usize];
    let watermark = if params.watermarks.rule.is_sql() {
        format!(
            "SQL's window operator stores its watermark and goes on at {}; the sources start without.",
            moment(row.watermark_after)
        )
    } else {
        format!(
            "The operator had the watermark {} and starts again without one: until every source subtask has sent one, no record is late, and windows that were cleaned up open anew.",
            moment(row.watermark_before)
        )
    };
    let mut parts = Vec::new();
    if rescued > 0 {
        parts.push(agreeing(
            rescued,
            &format!("record that is dropped without {the} is counted"),
            &format!("records that are dropped without {the} are counted"),
        ));
    }
    if lost > 0 {
        parts.push(agreeing(
            lost,
            &format!("record that is counted without {the} is dropped"),
            &format!("records that are counted without {the} are dropped"),
        ));
    }
    let firings = pipeline.totals.firings;
    if firings != earlier {
        parts.push(format!("there are {firings} results, and {earlier} without {it}"));
    }
    let outcome = if parts.is_empty() {
        format!("No record is counted or dropped that would not be without {it}.")
    } else {
        format!("Against a run without {it}: {}.", parts.join("; "))
    };
    let severity =
        if rescued + lost > 0 || firings != earlier { Severity::Warning } else { Severity::Note };
    let title = format!("The job is restored after {}", listed(&reached));
    let restored = found(severity, "restored", title, format!("{watermark} {outcome}"));
    Ok(std::iter::once(restored).chain(not_reached).collect())
}

/// `step 3`, `steps 3, 5 and 9`.
fn listed(steps: &[u32]) -> String {
    let texts: Vec<String> = steps.iter().map(u32::to_string).collect();
    match &texts[..] {
        [before @ .., last] if !before.is_empty() => {
            format!("steps {} and {last}, not counting restores", before.join(", "))
        }
        all => format!("step {}", all.join("")),
    }
}

fn outcomes(rows: &[Row]) -> BTreeMap<u32, RecordOutcome> {
    rows.iter().filter_map(|row| Some((row.item?, row.record.as_ref()?.outcome?))).collect()
}
