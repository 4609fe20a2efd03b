//! What is this text from the clipboard, and which settings does it stand for?
//!
//! Config files and `-D` properties are read by [`config::paste`](crate::config::paste). Beside
//! them are read what people have at hand when something is wrong: the arguments of a JVM, the table
//! of pools that the start scripts log, the text of an exception, and what YARN, Kubernetes or the
//! kernel writes about a process it killed. From each come the settings that give what the text
//! shows, checked by deriving them; the facts in it; and the cause it names, with the option to move.
//!
//! Of several signs in one text the most telling one gives the kind: a kill, an exception, a table,
//! an argument line. Settings come from the table or the arguments of the same text, if it has them.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1; each file names its classes.

pub mod evidence;
pub mod exception;
pub mod jvm_arguments;
pub mod kill_line;
pub mod notes;
pub mod report;
pub mod startup_log;
pub mod table;
pub mod text;
pub mod yarn_allocation;

pub use crate::config::paste::PasteParams;
pub use report::{Cause, Direction, Involved, Observed, PasteKind, PasteReport};

use crate::config::ConfigError;
use crate::config::MAX_TEXT_BYTES;
use crate::config::paste::{self, recognise};
use crate::finding::Derivation;
use evidence::Evidence;

/// Reads a pasted text.
///
/// # Errors
/// The refusal of [`paste::read_paste`] for a text that nothing here recognises.
pub fn read_paste(params: &PasteParams) -> Result<Derivation<PasteReport>, ConfigError> {
    let named = params.file_name.as_deref().is_some_and(recognise::names_a_config);
    let symptoms = if named || params.text.len() > MAX_TEXT_BYTES { None } else { read(params) };
    match symptoms {
        Some(answer) => Ok(answer),
        None => paste::read_paste(params).map(from_config),
    }
}

/// Reads everything but configurations.
fn read(params: &PasteParams) -> Option<Derivation<PasteReport>> {
    let PasteParams { version, text, .. } = params;
    let config = recognise::is_mostly_config(text);
    // An exit code stands in many texts; a pod's status looks like a configuration without a key.
    let is_kill = |kill: &kill_line::Kill| {
        kill.limit != kill_line::Limit::Unknown || !config || !recognise::has_known_key(text)
    };
    if let Some(kill) = kill_line::read(text).filter(is_kill) {
        let evidence = Evidence::of(*version, text);
        return Some(kill_line::answer(*version, kill, evidence));
    }
    if let Some(explained) = exception::read(*version, text).filter(|_| !config) {
        let evidence = Evidence::of(*version, text);
        return Some(exception::answer(*version, explained, evidence));
    }
    let allocations = yarn_allocation::read(text);
    if !allocations.is_empty() && !config {
        let evidence = Evidence::of(*version, text);
        return Some(yarn_allocation::answer(*version, &allocations, evidence));
    }
    let evidence = Evidence::of(*version, text)?;
    // A configuration may hold JVM flags in a value; a table of pools it never holds.
    let is_subject = evidence.kind == PasteKind::StartupLog || !config;
    is_subject.then(|| evidence.answer(*version))
}

/// The answer about a configuration, in the wider form.
fn from_config(answer: Derivation<paste::PastedConfig>) -> Derivation<PasteReport> {
    let Derivation { value, findings } = answer;
    let paste::PastedConfig { kind, recognised, entries, skipped } = value;
    let role = evidence::role_of_keys(entries.iter().map(|entry| entry.key.as_str()));
    let value = PasteReport {
        kind: kind.into(),
        recognised,
        role,
        entries,
        skipped,
        observed: Vec::new(),
        cause: None,
        container_limit: None,
    };
    Derivation { value, findings }
}
