//! Which value cannot be read, is missing, or is outside its bounds?
//!
//! Source: messages of Flink 1.18.1, 1.20.5, 2.2.1, `Configuration#get`, `ProcessMemoryUtils`,
//! `TaskExecutorProcessUtils`, `ConfigurationParserUtils#getPageSize`,
//! `MemoryBackwardsCompatibilityUtils`.

use super::Found;
use crate::config::sensitive::is_sensitive;
use crate::config::size::{config_text, parse};
use crate::memory::Role;
use crate::memory::options::{jm, tm};
use crate::reading::exception::{Explained, role_in};
use crate::reading::report::Direction::{Lower, Raise, Remove, Set};
use crate::reading::text::size_after;

const PROCESS: &str = "ProcessMemoryUtils";

/// The longest value of a message that is repeated.
const MAX_VALUE_CHARS: usize = 120;

/// A minimum above its maximum, or a fraction outside [0, 1).
pub fn inconsistent_range(flat: &str) -> Option<Found> {
    let (_, rest) = flat.split_once("Inconsistently configured Key: '")?;
    let (key, rest) = rest.split_once('\'')?;
    let stem = key.strip_suffix("fraction").filter(|stem| key_like(stem))?;
    let (_, numbers) = rest.split_once("(fallback keys: [")?;
    let (_, numbers) = numbers.split_once("]) (")?;
    let (fraction, ranges) = numbers.split_once(") and its min (")?;
    let (min, max) = (size_after(ranges, "")?, size_after(ranges, "max (")?);
    let (min_key, max_key) = (format!("{stem}min"), format!("{stem}max"));
    let (title, explained) = if min > max {
        let title = format!("The minimum {min} is above the maximum {max}.");
        (title, vec![(min_key.as_str(), Lower), (max_key.as_str(), Raise)])
    } else {
        (format!("The fraction {fraction} is not at least 0 and below 1."), vec![(key, Set)])
    };
    let reason = "Flink checks fraction and range when it reads them, even where another setting decides the size.";
    let explained = Explained::new("range_or_fraction_inconsistent", title, PROCESS)
        .involving(explained)
        .because(reason, "Which pool is this, and is it meant to have a fixed size? Then set minimum and maximum to it.");
    let mut found = Found::new(explained)
        .with(&[("rangeMin", "Minimum", min), ("rangeMax", "Maximum", max)], Vec::new());
    found.candidate = vec![(key.to_owned(), fraction.to_owned())];
    if !key.ends_with("managed.fraction") {
        found.candidate.extend([(min_key, config_text(min)), (max_key, config_text(max))]);
    }
    found.helper = any_total(key);
    Some(found)
}

/// A total of the process that a key belongs to, so that the key is read at all.
fn any_total(key: &str) -> Vec<(String, String)> {
    let total = if key.starts_with("jobmanager.") { jm::PROCESS } else { tm::PROCESS };
    if key == total.key { Vec::new() } else { vec![(total.key.to_owned(), "64g".to_owned())] }
}

/// Whether a text can be an option key.
fn key_like(key: &str) -> bool {
    !key.is_empty()
        && key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'))
}

/// A size option that does not parse.
pub fn unreadable_size(flat: &str) -> Option<Found> {
    let (_, rest) = flat.split_once("Cannot read memory size from config option '")?;
    let (key, _) = rest.split_once('\'').filter(|(key, _)| key_like(key))?;
    let value = value_of(flat, key);
    Some(unreadable("unreadable_memory_size", key, value.as_deref(), "as a size"))
}

/// A number option that does not parse.
pub fn unparsable_value(flat: &str) -> Option<Found> {
    let (before, rest) = flat.split_once("' for key '")?;
    let (key, _) = rest.split_once('\'').filter(|(key, _)| key_like(key))?;
    let (_, value) = before.rsplit_once("Could not parse value '")?;
    Some(unreadable("unparsable_value", key, Some(value), "by Flink"))
}

/// The value that "Could not parse value 'v' for key 'K'." names.
fn value_of(flat: &str, key: &str) -> Option<String> {
    let (before, _) = flat.split_once(&format!("' for key '{key}'"))?;
    before.rsplit_once("Could not parse value '").map(|(_, value)| value.to_owned())
}

/// A value that cannot be read, with what to write instead.
fn unreadable(code: &'static str, key: &str, value: Option<&str>, how: &str) -> Found {
    let value =
        value.filter(|value| value.chars().count() <= MAX_VALUE_CHARS && !is_sensitive(key));
    let shown = value.map_or("The value".to_owned(), |value| format!("'{value}'"));
    let advice = match value.map(parse) {
        Some(Err(error)) if key.ends_with(".size") || key.ends_with(".min") || key.ends_with(".max") => error.advice(),
        _ => "A fraction is written with a point, such as 0.4; a size as a whole number and a unit, such as 1536m.".to_owned(),
    };
    let explained =
        Explained::new(code, format!("{shown} of {key} cannot be read {how}."), "Configuration")
            .involving([(key, Set)])
            .because(advice, "Which value was meant?")
            .of(role_in(key));
    let mut found = Found::new(explained);
    if let Some(value) = value {
        found.candidate = vec![(key.to_owned(), value.to_owned())];
        found.helper = any_total(key);
    }
    found
}

/// No total at all.
pub fn nothing_set(flat: &str) -> Option<Found> {
    let is_jm = flat.contains("fine-grained memory (jobmanager.");
    let (role, options) = if is_jm {
        (Role::JobManager, vec![jm::PROCESS.key, jm::FLINK.key, jm::HEAP.key])
    } else {
        (
            Role::TaskManager,
            vec![tm::PROCESS.key, tm::FLINK.key, tm::TASK_HEAP.key, tm::MANAGED.key],
        )
    };
    let reason = "Nothing says how large the process is. Either the configuration has no total, or its file was not read.";
    let explained = Explained::new("required_options_missing", "No memory total is set.", PROCESS)
        .involving(options.into_iter().map(|option| (option, Set)))
        .because(
            reason,
            "Does this Flink read the file that you edited? 2.x reads config.yaml only.",
        )
        .of(Some(role));
    Some(Found::new(explained))
}

/// Refusals that name no size.
pub fn others(flat: &str) -> Option<Found> {
    if flat.contains("need to be started with a positive number of CPU cores") {
        let reason = "The cores are the slots where they are not set, so 0 slots fail here too.";
        let explained = Explained::new(
            "cpu_not_positive",
            "TaskExecutors get no CPU cores.",
            "TaskExecutorProcessUtils",
        )
        .involving([(tm::SLOTS.key, Set), (tm::CPU_CORES.key, Set)])
        .because(reason, "Which of the two is 0 or negative?")
        .of(Some(Role::TaskManager));
        return Some(Found::new(explained));
    }
    if flat.contains("Invalid configuration value for taskmanager.memory.segment-size") {
        let reason =
            "A segment has at least 4096 bytes and a power of two of them; 32kb is the default.";
        let explained = Explained::new(
            "bad_segment_size",
            "Invalid segment size.",
            "ConfigurationParserUtils#getPageSize",
        )
        .involving([(tm::SEGMENT_SIZE.key, Set)])
        .because(reason, "Why is it not the default?")
        .of(Some(Role::TaskManager));
        return Some(Found::new(explained));
    }
    if let Some((_, rest)) = flat.split_once("Configured total process memory size (-") {
        let is_jm = flat.contains("JobManager");
        let key = if is_jm { jm::LEGACY_HEAP_MB } else { tm::LEGACY_HEAP_MB };
        let explained = Explained::new(
            "legacy_heap_negative",
            "Configured heap size is negative.",
            "MemoryBackwardsCompatibilityUtils",
        )
        .involving([(key.key, Remove)])
        .because(
            "The heap size of before Flink 1.10 must not be below 0.",
            "Is the old key still meant to be used?",
        )
        .of(Some(if is_jm { Role::JobManager } else { Role::TaskManager }));
        let mut found = Found::new(explained);
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        found.candidate = vec![(key.key.to_owned(), format!("-{digits}"))];
        return Some(found);
    }
    let overflow = flat == "long overflow" || flat.contains("ArithmeticException: long overflow");
    overflow.then(|| {
        let reason = "A sum or product of the sizes exceeds 2^63 - 1 bytes.";
        Found::new(
            Explained::new(
                "long_overflow",
                "long overflow: a size is far too large.",
                "MemorySize",
            )
            .because(reason, "Which size has a unit too much, such as t for g?"),
        )
    })
}
