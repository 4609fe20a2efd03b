//! Who holds the watermark, in words: which partition of which source subtask, where it stands, and
//! since when.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `StatusWatermarkValve`, `WatermarkOutputMultiplexer`,
//! `WatermarksWithIdleness`.

use std::cmp::Reverse;

use super::holders::{Moment, PartitionReport, SourceReport, furthest, holding};
use super::params::EmissionTime;
use super::text::{moment, span};
use super::time::EventTime;
use crate::finding::{Change, Finding, Severity};

/// Names that are listed before the others are counted.
const NAMES_MAX: usize = 3;

/// The sources of a run at one moment, and how it calls things.
pub struct Waiting<'a> {
    /// The source subtasks.
    pub sources: &'a [SourceReport],
    /// The watermark of the operator.
    pub watermark: EventTime,
    /// Since when that has not moved.
    pub since: Option<Moment>,
    /// What a moment is called: a step, or a record.
    pub moment: &'a dyn Fn(Moment) -> String,
    /// What a partition is called.
    pub partition: &'a dyn Fn(u32) -> String,
}

impl Waiting<'_> {
    /// One sentence about who holds the watermark, or what it follows.
    pub fn holder(&self) -> String {
        if self.watermark == EventTime::MAX {
            return "The input has ended, and everything has fired.".to_owned();
        }
        let parts = holding(self.sources);
        let subtasks: Vec<&SourceReport> =
            self.sources.iter().filter(|it| it.holds_back && !it.idle).collect();
        if !parts.is_empty() {
            let names = self.names(&parts);
            return self.holds(&names, parts.len() == 1);
        }
        if !subtasks.is_empty() {
            let names = listed(subtasks.iter().map(|it| self.subtask(it)).collect());
            return self.holds(&names, subtasks.len() == 1);
        }
        if !self.sources.is_empty() && self.sources.iter().all(|it| it.idle) {
            return format!(
                "All sources are idle: event time stands still at {}{}.",
                moment(self.watermark),
                self.since_words()
            );
        }
        self.follows()
    }

    /// Whether any source is behind another.
    pub fn is_held(&self) -> bool {
        self.watermark != EventTime::MAX && self.sources.iter().any(|it| it.holds_back && !it.idle)
    }

    fn holds(&self, who: &str, is_one: bool) -> String {
        let who = who[..1].to_uppercase() + &who[1..];
        if self.watermark == EventTime::MIN {
            let has = if is_one { "has" } else { "have" };
            return format!(
                "{who} {has} no watermark yet, so the operator has none and no window fires by event time."
            );
        }
        let hold = if is_one { "holds" } else { "hold" };
        let ahead = furthest(self.sources);
        let behind = ahead.get().checked_sub(self.watermark.get());
        let behind = behind
            .filter(|it| *it > 0 && ahead != EventTime::MAX)
            .map_or_else(String::new, |it| format!(", {} behind the one furthest ahead", span(it)));
        format!(
            "{who} {hold} the watermark at {}{behind}{}.",
            moment(self.watermark),
            self.since_words()
        )
    }

    fn since_words(&self) -> String {
        self.since.map_or_else(String::new, |it| format!(", since {}", (self.moment)(it)))
    }

    /// Nobody is behind anybody: the highest timestamp says it.
    fn follows(&self) -> String {
        let parts = self.sources.iter().flat_map(|it| &it.parts).filter(|it| !it.idle);
        let read = parts.filter(|it| it.highest != EventTime::MIN);
        let highest = read.min_by_key(|it| (Reverse(it.highest), it.highest_at));
        let Some(part) = highest else { return "No record has been read.".to_owned() };
        let at = part.highest_at.map_or_else(String::new, |it| format!(", {}", (self.moment)(it)));
        let of = format!(
            "the highest timestamp read, {} (partition {}{at})",
            moment(part.highest),
            (self.partition)(part.partition)
        );
        format!(
            "No source is behind another: the watermark, {}, follows {of}.",
            moment(self.watermark)
        )
    }

    fn name(&self, source: &SourceReport, part: &PartitionReport) -> String {
        format!(
            "partition {} of source subtask {}",
            (self.partition)(part.partition),
            source.subtask
        )
    }

    fn names(&self, parts: &[(&SourceReport, &PartitionReport)]) -> String {
        let first = parts.first().map(|(source, _)| source.subtask);
        if parts.len() > 1 && parts.iter().all(|(source, _)| Some(source.subtask) == first) {
            let names = parts.iter().map(|(_, part)| (self.partition)(part.partition)).collect();
            return format!(
                "partitions {} of source subtask {}",
                listed(names),
                parts[0].0.subtask
            );
        }
        listed(parts.iter().map(|(source, part)| self.name(source, part)).collect())
    }

    fn subtask(&self, source: &SourceReport) -> String {
        let names = source.partitions.iter().map(|it| (self.partition)(*it)).collect::<Vec<_>>();
        match names.len() {
            0 => format!("source subtask {} (no partition)", source.subtask),
            1 => format!("source subtask {} (partition {})", source.subtask, names[0]),
            _ => format!(
                "source subtask {} (one generator for partitions {})",
                source.subtask,
                listed(names)
            ),
        }
    }

    /// A partition that keeps windows from firing which the others have passed: so many pairs of key
    /// and window. `timeout` is the idle timeout of the job.
    pub fn finding(
        &self,
        windows: u64,
        emission: EmissionTime,
        timeout: Option<i64>,
    ) -> Option<Finding> {
        let held = holding(self.sources);
        if held.is_empty() || windows == 0 {
            return None;
        }
        let is_one = windows == 1;
        let offered = match (emission, timeout) {
            (EmissionTime::Periodic { interval }, None) if self.are_silent(&held) => {
                Some((interval.saturating_mul(10)).max(1000))
            }
            _ => None,
        };
        let choice = if offered.is_some() {
            " The timeout offered is a choice: ten calls of the clock, and no less than 1 s."
        } else {
            ""
        };
        Some(Finding {
            code: "held_back",
            severity: Severity::Warning,
            title: if held.len() == 1 {
                let (source, part) = held[0];
                let name = self.name(source, part);
                format!("{}{} holds the watermark back", name[..1].to_uppercase(), &name[1..])
            } else {
                format!("{} partitions hold the watermark back", held.len())
            },
            reason: format!(
                "{} {windows} open {} of a key end{} before the watermark of the one furthest ahead, and wait{}. The combined watermark is the minimum over partitions that are not idle.{choice}",
                self.holder(),
                if is_one { "window" } else { "windows" },
                if is_one { "s" } else { "" },
                if is_one { "s" } else { "" },
            ),
            option: Some("watermarks.idleTimeout".to_owned()),
            price: Some(
                "Records of a partition that was left out and comes back may be late.".to_owned(),
            ),
            apply: offered
                .map(|timeout| Change::set("watermarks.idleTimeout", timeout.to_string()))
                .into_iter()
                .collect(),
            source: "WatermarkOutputMultiplexer, WatermarksWithIdleness".to_owned(),
        })
    }

    /// Whether nothing came of them since the last record of any other partition: one that still gets
    /// records is never idle.
    fn are_silent(&self, held: &[(&SourceReport, &PartitionReport)]) -> bool {
        let all = || self.sources.iter().flat_map(|it| &it.parts);
        let others = all().filter(|it| !it.holds_back).filter_map(|it| it.last_at).min();
        others.is_some_and(|others| {
            held.iter().all(|(_, part)| part.last_at.is_none_or(|last| last < others))
        })
    }
}

/// `a`, `a and b`, `a, b and c`, `a, b, c and 4 more`.
fn listed(mut names: Vec<String>) -> String {
    let more = names.len().saturating_sub(NAMES_MAX);
    names.truncate(NAMES_MAX);
    if more > 0 {
        names.push(format!("{more} more"));
    }
    let last = names.pop().unwrap_or_default();
    if names.is_empty() { last } else { format!("{} and {last}", names.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_cut() {
        let names = |count: usize| listed((0..count).map(|it| it.to_string()).collect());
        assert_eq!([names(1), names(2), names(3)], ["0", "0 and 1", "0, 1 and 2"]);
        assert_eq!(names(9), "0, 1, 2 and 6 more");
    }
}
