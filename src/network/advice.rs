//! What a count of buffers means: the verdict, and the smallest change that mends it.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `NetworkBufferPool`, `NettyShuffleEnvironmentOptions`.

use super::network_answer::{Situation, total_buffers};
use super::options::{FLOATING, GONE_IN_2_2};
use crate::config::size::config_text;
use crate::finding::{Change, Finding, Severity};
use crate::memory::notice::cite;
use crate::memory::options::tm;
use crate::memory::settings::Settings;
use crate::memory::trace::{Trace, exact};
use crate::memory::{MemoryParams, task_manager_spec};
use crate::units::{Bytes, FlinkVersion, grouped};

/// What the numbers leave out.
pub(super) const NOT_MODELLED: [&str; 6] = [
    "Channels between subtasks of one TaskManager may take no exclusive buffers; here every channel does, so the need is an upper bound.",
    "All stages count as running at once; a batch job whose blocking stages follow each other needs less.",
    "The adaptive batch scheduler picks parallelism and subpartitions at run time; name what it picked.",
    "Overdraft buffers, buffer debloating, and the buffers that sort shuffle reads with (framework off-heap memory).",
    "Several jobs on one TaskManager: add their stages.",
    "Counts that overflow a Java int.",
];

/// The verdict: the number, the knob, the boundary.
pub(super) fn verdict(situation: &Situation<'_>) -> String {
    let report = situation.report;
    if report.required == 0 {
        return format!(
            "The pool has {} buffers of {}; the job names no exchange that takes any.",
            grouped(report.total),
            report.segment
        );
    }
    let lead = if report.fits {
        format!(
            "The fullest TaskManager requires {} of its {} buffers and wants {}.",
            grouped(report.required),
            grouped(report.total),
            grouped(report.wanted)
        )
    } else {
        format!(
            "The fullest TaskManager requires {} buffers and has {}: tasks fail with \"Insufficient number of network buffers\".",
            grouped(report.required),
            grouped(report.total)
        )
    };
    let boundary = exact(report.smallest_network);
    match &report.smallest_total {
        Some(total) => format!(
            "{lead} It takes {boundary} of network memory; with the other settings unchanged that is {} = {} or more.",
            total.option, total.text
        ),
        None => format!("{lead} It takes {boundary} of network memory, {}.", tm::NETWORK_MIN.key),
    }
}

/// What is to be noticed.
pub(super) fn findings(situation: &Situation<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    if !situation.report.fits {
        found.push(too_few(situation));
    } else if situation.report.wanted > situation.report.total {
        found.push(below_want(situation));
    }
    found.extend(refused_settings(situation));
    found.extend(ignored(situation));
    found.sort_by_key(|finding| finding.severity);
    found
}

/// The changes that give network memory exactly what is required, if the TaskManager then starts.
fn repair(situation: &Situation<'_>) -> Vec<Change> {
    let report = situation.report;
    let need = report.smallest_network;
    let whole = Bytes::new(need.get().saturating_add((1 << 20) - 1) >> 20 << 20);
    let settings = Settings::new(&situation.params.config, situation.params.version);
    for size in [whole, need] {
        let mut changes = vec![Change::set(tm::NETWORK_MIN.key, config_text(size))];
        if settings.size(&tm::NETWORK_MAX).is_ok_and(|max| max.bytes < size) {
            changes.push(Change::set(tm::NETWORK_MAX.key, config_text(size)));
        }
        if does(situation, &changes) {
            return changes;
        }
    }
    if let Some(total) = &report.smallest_total {
        let changes = vec![Change::set(total.option, total.text.clone())];
        if does(situation, &changes) {
            return changes;
        }
    }
    Vec::new()
}

fn changed(params: &MemoryParams, changes: &[Change]) -> MemoryParams {
    let mut params = params.clone();
    for change in changes {
        params.set(&change.option, change.value.as_deref().unwrap_or_default());
    }
    params
}

fn does(situation: &Situation<'_>, changes: &[Change]) -> bool {
    let params = changed(situation.params, changes);
    total_buffers(&params).is_ok_and(|total| total >= situation.report.required)
}

fn too_few(situation: &Situation<'_>) -> Finding {
    let report = situation.report;
    let apply = repair(situation);
    let after = (!apply.is_empty()).then(|| changed(situation.params, &apply)).and_then(|params| {
        task_manager_spec(&params, &mut Trace::searching(), |spec, _, _| spec).ok()
    });
    let before = situation.demand.spec.pools.task_heap.bytes;
    let price = match after.map(|spec| spec.pools.task_heap.bytes) {
        Some(heap) if heap < before => {
            Some(format!("Task heap shrinks from {before} to {heap}, the total unchanged."))
        }
        Some(_) => Some("The process grows; task heap does not shrink.".to_owned()),
        None => Some(format!(
            "No single option gives it; give network memory {} and the total as much more.",
            exact(report.smallest_network)
        )),
    };
    Finding {
        code: "network_buffers_insufficient",
        severity: Severity::Error,
        title: format!(
            "{} buffers are missing on the fullest TaskManager.",
            grouped(report.required - report.total)
        ),
        reason: report.failure.clone().unwrap_or_default(),
        option: Some(apply.first().map_or(tm::NETWORK_MIN.key, |c| c.option.as_str()).to_owned()),
        price,
        apply,
        source: cite("NetworkBufferPool#createBufferPool", report.version),
    }
}

fn below_want(situation: &Situation<'_>) -> Finding {
    let report = situation.report;
    let want = report.wanted.saturating_mul(report.segment.get());
    Finding {
        code: "network_buffers_below_want",
        severity: Severity::Note,
        title: format!(
            "The job starts, but its tasks want {} buffers more than there are.",
            grouped(report.wanted - report.total)
        ),
        reason: "Only the minima are guaranteed; what is left over is shared out among gates and partitions.".to_owned(),
        option: Some(tm::NETWORK_MIN.key.to_owned()),
        price: Some(format!("All of it takes {} of network memory.", exact(Bytes::new(want)))),
        apply: Vec::new(),
        source: cite("NetworkBufferPool#redistributeBuffers", report.version),
    }
}

/// A floating buffer too few, with which 1.18 and 1.20 do not start a TaskManager.
fn refused_settings(situation: &Situation<'_>) -> Option<Finding> {
    let floating = situation.demand.shuffle.floating;
    (floating < 1).then(|| Finding {
        code: "floating_buffers_refused",
        severity: Severity::Error,
        title: format!("{} = {floating} is refused when the TaskManager starts.", FLOATING.key),
        reason: "It must be at least 1; the default is 8.".to_owned(),
        option: Some(FLOATING.key.to_owned()),
        price: None,
        apply: vec![Change::remove(FLOATING.key)],
        source: cite(
            "NettyShuffleEnvironmentConfiguration#fromConfiguration",
            situation.params.version,
        ),
    })
}

/// Options that 2.2 no longer reads.
fn ignored(situation: &Situation<'_>) -> Vec<Finding> {
    let version = situation.params.version;
    if version != FlinkVersion::V2_2 {
        return Vec::new();
    }
    let set = |option: &&crate::memory::options::OptionDef| {
        situation.params.config.contains_key(option.key)
    };
    GONE_IN_2_2
        .iter()
        .filter(set)
        .map(|option| Finding {
            code: "set_in_vain",
            severity: Severity::Warning,
            title: format!("{} has no effect.", option.key),
            reason: format!(
                "Flink {version} no longer knows it; {} holds.",
                option.default.unwrap_or_default()
            ),
            option: Some(option.key.to_owned()),
            price: Some("Removing it changes nothing.".to_owned()),
            apply: vec![Change::remove(option.key)],
            source: cite("NettyShuffleEnvironmentOptions", version),
        })
        .collect()
}
