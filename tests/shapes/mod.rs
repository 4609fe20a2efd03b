//! Reads the hand-written TypeScript declarations, and compares one with a sample.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;

/// Interface name to its field names, own and inherited.
fn interfaces() -> BTreeMap<String, BTreeSet<String>> {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut open: Option<String> = None;
    let texts = [
        include_str!("../../src/web/types.ts"),
        include_str!("../../src/web/checkpoints.ts"),
        include_str!("../../src/web/transactions.ts"),
    ];
    for line in texts.iter().flat_map(|text| text.lines()) {
        if let Some(head) = line.strip_prefix("export interface ") {
            let words: Vec<&str> = head.trim_end_matches('{').split_whitespace().collect();
            let inherited = match words.as_slice() {
                [_, "extends", parent] => found[*parent].clone(),
                _ => BTreeSet::new(),
            };
            let known = found.insert(words[0].to_owned(), inherited);
            assert_eq!(known, None, "{} is declared twice", words[0]);
            open = Some(words[0].to_owned());
        } else if line.starts_with('}') {
            open = None;
        } else if let (Some(name), Some((field, _))) = (&open, line.trim().split_once(':'))
            && !field.starts_with(['/', '*'])
        {
            found.get_mut(name).expect("it is open").insert(field.to_owned());
        }
    }
    found
}

/// A sample has the fields of the interface, no more and no fewer.
#[track_caller]
pub fn check(name: &str, sample: &impl Serialize) {
    let sample = serde_json::to_value(sample).expect("a sample serialises");
    let sample = match sample {
        Value::Array(items) => items.into_iter().next().expect("a sample list is not empty"),
        other => other,
    };
    let keys: BTreeSet<String> =
        sample.as_object().expect("a sample is an object").keys().cloned().collect();
    let interfaces = interfaces();
    let declared = interfaces.get(name).unwrap_or_else(|| panic!("types.ts lacks {name}"));
    assert_eq!(&keys, declared, "{name}");
}
