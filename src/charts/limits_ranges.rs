//! From which value to which each knob of a process starts, and the value that it has.

use super::ranges::{Group, Kind, MILLION, Ranges, Span, Track};
use crate::config::number::parse_float;
use crate::config::size;
use crate::memory::backwards::{BoundariesReport, End, KnobKind, KnobRange};

/// What is drawn of a report, and of that for pinned settings.
pub(super) fn ranges(report: &BoundariesReport, pinned: Option<&BoundariesReport>) -> Ranges {
    let of_a = |option: &str| pinned?.knobs.iter().find(|knob| knob.option == option);
    let track = |knob: &KnobRange| {
        let a = of_a(knob.option);
        let words = match a {
            None => in_words(knob),
            Some(a) => format!("{}. A: {}", in_words(knob), in_words(a)),
        };
        Track { id: knob.option.to_owned(), span: span(knob), pinned: a.map(span), words }
    };
    let group = |title, kind, of: KnobKind| Group {
        title,
        kind,
        tracks: report.knobs.iter().filter(|knob| knob.kind == of).map(track).collect(),
    };
    Ranges {
        groups: vec![
            group("Sizes, by their logarithm", Kind::Size, KnobKind::Size),
            group("Fractions", Kind::Fraction, KnobKind::Fraction),
        ],
        description: format!(
            "The range of each knob with which the process starts. {}",
            report.verdict
        ),
    }
}

fn span(knob: &KnobRange) -> Span {
    let value = |text: &str| match knob.kind {
        KnobKind::Size => size::parse(text).ok().map(|bytes| bytes.get().max(0).unsigned_abs()),
        KnobKind::Fraction => parse_float(text)
            .ok()
            .filter(|fraction| (0.0..=1.0).contains(fraction))
            .map(|fraction| (f64::from(fraction) * MILLION as f64).round() as u64),
    };
    let end = |end: &Option<End>| end.as_ref().and_then(|end| value(&end.text));
    Span {
        possible: knob.possible,
        lowest: end(&knob.lowest),
        highest: end(&knob.highest),
        now: knob.now.as_deref().and_then(value),
    }
}

fn in_words(knob: &KnobRange) -> String {
    let now = knob.now.as_deref().map_or("not set".to_owned(), |now| format!("now {now}"));
    if !knob.possible {
        return format!("{}: {now}, no value starts", knob.option);
    }
    let end = |end: &Option<End>, open: &str| {
        end.as_ref().map_or(open.to_owned(), |end| end.whole.clone().unwrap_or(end.text.clone()))
    };
    let lowest = end(&knob.lowest, "any smaller value");
    let highest = end(&knob.highest, "any larger value");
    format!("{}: {now}, starts from {lowest} to {highest}", knob.option)
}
