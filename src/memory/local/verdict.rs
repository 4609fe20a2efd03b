//! The verdict on a local run, and what to do about it.

use super::{DEFAULT_NETWORK, LocalReport};
use crate::finding::{Change, Finding, Severity};
use crate::memory::options::tm;
use crate::memory::trace::exact;
use crate::units::{Bytes, grouped};

pub(super) fn verdict(network: Bytes, limit: Option<Bytes>, from: &str) -> String {
    let Some(limit) = limit else {
        return format!(
            "A TaskManager inside the program allocates {} of network memory from direct memory when it starts; -Xmx of the program says whether that fits.",
            exact(network)
        );
    };
    let named = match from {
        "maxDirectMemorySize" => "-XX:MaxDirectMemorySize",
        _ => "-Xmx, since -XX:MaxDirectMemorySize is not set",
    };
    match network.checked_sub(limit) {
        Some(missing) if missing > Bytes::ZERO => format!(
            "Network memory of {} does not fit into direct memory of {} ({named}): the TaskManager does not start, at least {} are missing.",
            exact(network),
            exact(limit),
            exact(missing)
        ),
        _ => format!(
            "Network memory of {} fits into direct memory of {} ({named}); what else is direct in this JVM needs the rest.",
            exact(network),
            exact(limit)
        ),
    }
}

pub(super) fn findings(report: &LocalReport) -> Vec<Finding> {
    let source = |what: &str| format!("{what}, as in the source of Flink 1.19 and of main");
    let mut found = Vec::new();
    if let (Some(false), Some(limit), Some(most)) =
        (report.fits, report.direct_limit, report.segments_at_most)
    {
        let reason = format!(
            "All {} buffers of {} are allocated at once; direct memory holds {} of them at most.",
            grouped(report.segments),
            report.segment,
            grouped(most)
        );
        let apply = if DEFAULT_NETWORK < limit {
            vec![Change::remove(tm::NETWORK_MIN.key), Change::remove(tm::NETWORK_MAX.key)]
        } else {
            Vec::new()
        };
        found.push(Finding {
            code: "local_network_beyond_direct_memory",
            severity: Severity::Error,
            title: format!("The network pool of {} cannot be allocated.", exact(report.network)),
            reason: reason.clone(),
            option: Some(tm::NETWORK_MAX.key.to_owned()),
            price: Some(format!("Without both bounds it is {DEFAULT_NETWORK}: fewer buffers.")),
            apply,
            source: source("TaskExecutorResourceUtils#adjustNetworkMemoryForLocalExecution"),
        });
        found.push(Finding {
            code: "local_direct_memory_too_small",
            severity: Severity::Note,
            title: format!(
                "Or let direct memory hold {} and what else is direct.",
                exact(report.network)
            ),
            reason,
            option: None,
            price: Some(format!(
                "-XX:MaxDirectMemorySize above {}m, or as much -Xmx, in the command that starts the program.",
                report.network.get().saturating_add((1 << 20) - 1) >> 20
            )),
            apply: Vec::new(),
            source: "HotSpot, -XX:MaxDirectMemorySize".to_owned(),
        });
    }
    if !report.ignored.is_empty() {
        let keys: Vec<&str> = report.ignored.iter().map(|it| it.option.as_str()).collect();
        found.push(Finding {
            // The same settings size the TaskManagers of a cluster, so nothing is offered to remove.
            code: "local_options_ignored",
            severity: Severity::Note,
            title: match keys.len() {
                1 => "One setting has no effect in a local run.".to_owned(),
                n => format!("{n} settings have no effect in a local run."),
            },
            reason: format!("{}. Flink warns of the totals, the framework's and the JVM's sizes, not of the fractions.", keys.join(", ")),
            option: Some(report.ignored[0].option.clone()),
            price: None,
            apply: Vec::new(),
            source: source("TaskExecutorResourceUtils#warnOptionHasNoEffectIfSet"),
        });
    }
    found
}
