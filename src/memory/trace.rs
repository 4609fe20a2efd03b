//! The steps of a derivation, written down while it runs, so that a failure shows how far it came.

use super::arithmetic::{RangeFraction, Sized};
use super::report::{Origin, Step};
use crate::config::number::java_double;
use crate::config::size::config_text;
use crate::units::{Bytes, FlinkVersion, grouped};

/// Where steps are written. A silent trace costs nothing, where nobody asks for the steps.
#[derive(Debug, Default)]
pub struct Trace {
    steps: Vec<Step>,
    version: Option<FlinkVersion>,
    is_wordless: bool,
}

impl Trace {
    /// A trace that keeps its steps and cites `version`.
    pub fn keeping(version: FlinkVersion) -> Self {
        Self { version: Some(version), ..Self::default() }
    }

    /// A trace that forgets its steps.
    pub fn silent() -> Self {
        Self::default()
    }

    /// A trace for searches that derive a hundred times and only ask whether it starts: refusals
    /// carry no words either, which would cost more than the derivation.
    pub fn searching() -> Self {
        Self { is_wordless: true, ..Self::default() }
    }

    /// The words of a refusal, where anybody will read them.
    pub fn text(&self, words: impl FnOnce() -> String) -> String {
        if self.is_wordless { String::new() } else { words() }
    }

    /// The steps so far.
    pub fn into_steps(self) -> Vec<Step> {
        self.steps
    }

    /// Writes a step down; `numbers` is only built when it is kept.
    pub fn step(
        &mut self,
        title: &str,
        formula: &str,
        source: &str,
        result: Bytes,
        numbers: impl FnOnce() -> String,
    ) {
        self.note(title, formula, source, Some(result), numbers);
    }

    /// Writes a step without a size as its result down.
    pub fn note(
        &mut self,
        title: &str,
        formula: &str,
        source: &str,
        result: Option<Bytes>,
        numbers: impl FnOnce() -> String,
    ) {
        if let Some(version) = self.version {
            self.steps.push(Step {
                title: title.to_owned(),
                formula: formula.to_owned(),
                numbers: numbers(),
                result,
                source: format!("{source}, Flink {}", version.checked_on()),
            });
        }
    }

    /// A size that is read, not derived.
    pub fn read(&mut self, title: &str, key: &str, sized: Sized) {
        let formula = if sized.origin == Origin::Default { "default" } else { "as configured" };
        self.step(title, formula, key, sized.bytes, || exact(sized.bytes));
    }

    /// A fraction of a known whole, kept in its range.
    pub fn fraction_of(
        &mut self,
        title: &str,
        whole_name: &str,
        key: &str,
        whole: Bytes,
        range: &RangeFraction,
        sized: Sized,
    ) {
        if self.version.is_none() {
            return;
        }
        let has_range = range.min > Bytes::ZERO || range.max < Bytes::MAX;
        let kept = if has_range { ", kept between min and max" } else { "" };
        let formula = format!("{whole_name} × fraction{kept}");
        self.step(title, &formula, key, sized.bytes, || {
            format!(
                "{} × {}{}",
                exact(whole),
                java_double(range.fraction),
                clamp_text(range, sized)
            )
        });
    }

    /// A fraction of a whole of which only the rest is known.
    pub fn fraction_beside(
        &mut self,
        title: &str,
        rest_name: &str,
        key: &str,
        rest: Bytes,
        range: &RangeFraction,
        sized: Sized,
    ) {
        if self.version.is_none() {
            return;
        }
        let formula = format!("{rest_name} × fraction / (1 - fraction), kept between min and max");
        self.step(title, &formula, key, sized.bytes, || {
            let f = java_double(range.fraction);
            format!("{} × {f} / (1 - {f}){}", exact(rest), clamp_text(range, sized))
        });
    }
}

/// A size with its exact bytes, as in `384 MiB (402 653 174 B)`; below 1 KiB the bytes alone.
pub fn exact(size: Bytes) -> String {
    if size.get().abs() < 1024 {
        return size.to_string();
    }
    format!("{size} ({} B)", grouped(size.get()))
}

/// The end of a range as a value to write: `576m`, or `603979777b (577m in whole MiB)` where the
/// whole MiB that starts is another one. Three figures would round the end to a side that fails.
pub fn end_text(bytes: Bytes, whole: Bytes) -> String {
    let text = config_text(bytes);
    if whole == bytes { text } else { format!("{text} ({} in whole MiB)", config_text(whole)) }
}

/// A size that must be held, rounded up to a whole MiB, as in `982m (1 028 891 648 B)`.
pub fn held(size: Bytes) -> String {
    let mib = Bytes::mib(1).get();
    let whole = size.get().checked_add(mib - 1).map_or(size, |sum| Bytes::new(sum / mib * mib));
    if whole == size {
        return config_text(size);
    }
    format!("{} ({} B)", config_text(whole), grouped(size.get()))
}

fn clamp_text(range: &RangeFraction, sized: Sized) -> String {
    match sized.origin {
        Origin::ClampedToMin => {
            format!("{}, raised to the minimum {}", gave(sized), exact(range.min))
        }
        Origin::ClampedToMax => {
            format!("{}, lowered to the maximum {}", gave(sized), exact(range.max))
        }
        _ => String::new(),
    }
}

fn gave(sized: Sized) -> String {
    sized.unclamped.map(|size| format!(" = {}", exact(size))).unwrap_or_default()
}
