//! The late and the dropped records of a stream, with names, and as CSV: what a side output would get.
//!
//! Source: Flink 1.20.5, `WindowOperator#sideOutput`.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::super::run::{Listed, Which, outcome};
use super::Whole;
use crate::finding::Derivation;

/// The most records that are written as CSV at once.
const WRITTEN_MAX: usize = 20_000;
/// The most records of one list.
const LISTED_MAX: usize = 1000;

/// Which records, by their place in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SideParams {
    /// Dropped ones, or late ones that were counted.
    pub which: Which,
    /// The first.
    pub from: u32,
    /// How many at most.
    pub count: u32,
}

/// One record with its names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SideRecord {
    /// The record.
    #[serde(flatten)]
    pub record: Listed,
    /// Its key as the file has it, or its number.
    pub key_name: String,
    /// Its partition as the file has it, or its number; `None` where nothing says it.
    pub partition_name: Option<String>,
}

/// Some of them as CSV.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SideText {
    /// The first has the head of the columns before it.
    pub text: String,
    /// How many records it has.
    pub records: usize,
}

impl Whole {
    /// Late or dropped records, computed again.
    pub fn side(&self, params: &SideParams) -> Vec<SideRecord> {
        let SideParams { which, from, count } = *params;
        let named = |record: Listed| SideRecord {
            key_name: self.key_name(record.key),
            partition_name: record.partition.map(|it| self.partition_name(it.into())),
            record,
        };
        let count = (count as usize).min(LISTED_MAX);
        self.run.listed(which, from as usize, count).into_iter().map(named).collect()
    }

    /// The same as CSV, a piece at a time; a text that is quoted where it must be.
    pub fn side_csv(&self, params: &SideParams) -> Derivation<SideText> {
        let SideParams { which, from, count } = *params;
        let all = self.run.listed(which, from as usize, (count as usize).min(WRITTEN_MAX));
        let mut text = String::with_capacity(all.len() * 64 + 128);
        if from == 0 {
            text.push_str("record,key,event_time_ms,value,partition,arrival_ms,watermark_ms,outcome,missed_by_ms\n");
        }
        for it in &all {
            let partition = it.partition.map(|at| cell(&self.partition_name(at.into())));
            let what =
                if it.outcome & outcome::KIND == outcome::DROPPED { "dropped" } else { "late" };
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "{},{},{},{},{},{},{},{what},{}",
                it.record + 1,
                cell(&self.key_name(it.key)),
                it.time,
                it.value,
                partition.unwrap_or_default(),
                it.arrival.map(|it| it.to_string()).unwrap_or_default(),
                it.watermark,
                it.missed_by.map(|it| it.to_string()).unwrap_or_default(),
            );
        }
        Derivation { value: SideText { text, records: all.len() }, findings: Vec::new() }
    }
}

fn cell(text: &str) -> String {
    if text.contains([',', '"', '\r', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_where_they_must_be() {
        assert_eq!([cell("a b"), cell("a,\"b\"")], ["a b", "\"a,\"\"b\"\"\""]);
    }
}
