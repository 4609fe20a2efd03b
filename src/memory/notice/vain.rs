//! Which settings have no effect, which count under an older name, and which were mapped?
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `Configuration#getRawValueFromOption` (the primary key wins
//! over its older names), `MemoryBackwardsCompatibilityUtils`.

use super::cite;
use crate::config::size::config_text;
use crate::finding::{Change, Finding, Severity};
use crate::memory::legacy::{LegacyHeap, maps_heap};
use crate::memory::options::{OptionDef, tm};
use crate::memory::settings::Settings;
use crate::memory::trace::exact;
use crate::units::{Bytes, FlinkVersion};

pub(super) fn mapped(legacy: &LegacyHeap, size: Bytes, own: &Settings<'_>) -> Finding {
    let version = own.version;
    let (from, to) = (legacy.size.key, legacy.target.key);
    let what =
        if to == tm::FLINK.key { "all of Flink memory, not the heap" } else { "the JVM heap" };
    Finding {
        code: "legacy_heap_mapped",
        severity: Severity::Warning,
        title: format!("The start script sets {to} to {} from a legacy heap key.", exact(size)),
        reason: format!("{from} means {what} since Flink 1.10; Flink 2.2 no longer reads it."),
        option: Some(to.to_owned()),
        price: Some(
            "Writing the new key changes nothing today and survives the upgrade.".to_owned(),
        ),
        apply: std::iter::once(Change::set(to, config_text(size)))
            .chain(
                [legacy.size.key, legacy.mb.key]
                    .into_iter()
                    .filter(|key| own.config.contains_key(*key))
                    .map(Change::remove),
            )
            .collect(),
        source: cite("MemoryBackwardsCompatibilityUtils", version),
    }
}

/// Keys that are set and were never read, and older names that were.
pub(super) fn in_vain(
    own: &Settings<'_>,
    settings: &Settings<'_>,
    options: &[OptionDef],
    legacy: &LegacyHeap,
    is_mapped: bool,
) -> Vec<Finding> {
    let mut found = Vec::new();
    for option in options {
        for key in std::iter::once(option.key).chain(option.fallbacks.iter().copied()) {
            let Some(text) = own.config.get(key) else { continue };
            if settings.was_read(key) {
                found.extend(
                    (key != option.key).then(|| older_name(option, key, text, own.version)),
                );
            } else if !(is_mapped && (key == legacy.size.key || key == legacy.mb.key)) {
                found.push(unread(option, key, text, settings, legacy));
            }
        }
    }
    found
}

fn older_name(option: &OptionDef, key: &str, text: &str, version: FlinkVersion) -> Finding {
    Finding {
        code: "older_name",
        severity: Severity::Note,
        title: format!("{key} is an older name of {}.", option.key),
        reason: format!("Flink {} still reads it.", version.line()),
        option: Some(key.to_owned()),
        price: Some("Renaming changes nothing else.".to_owned()),
        apply: vec![Change::remove(key), Change::set(option.key, text)],
        source: cite(option.key, version),
    }
}

fn unread(
    option: &OptionDef,
    key: &str,
    text: &str,
    settings: &Settings<'_>,
    legacy: &LegacyHeap,
) -> Finding {
    let line = settings.version.line();
    let reason = if key != option.key {
        format!("{} is set and wins over its older name.", option.key)
    } else if key == legacy.size.key || key == legacy.mb.key {
        if !maps_heap(settings.version) {
            format!("Flink {line} no longer knows it; set {} instead.", legacy.target.key)
        } else if settings.contains(&legacy.target) {
            format!("{} is set and wins.", legacy.target.key)
        } else {
            "Only the start scripts map it; the classes alone ignore it.".to_owned()
        }
    } else if key == tm::NETWORK_BUFFERS.key {
        if settings.version == FlinkVersion::V2_2 {
            format!("Flink {line} no longer knows it; network memory follows its fraction.")
        } else {
            "It counts only where none of network min, max and fraction is set.".to_owned()
        }
    } else if key == tm::MANAGED_FRACTION.key {
        format!("{} is set and wins.", tm::MANAGED.key)
    } else {
        "The sizes around it are set, so this way of deriving does not need it.".to_owned()
    };
    Finding {
        code: "set_in_vain",
        severity: Severity::Warning,
        title: format!("{key} = {text} has no effect."),
        reason,
        option: Some(key.to_owned()),
        price: Some("Removing it changes nothing.".to_owned()),
        apply: vec![Change::remove(key)],
        source: cite(option.key, settings.version),
    }
}
