//! Scenarios of the transaction protocol: faults and settings to outcome and counts.
//!
//! Rows that were worked out by hand alone are compared by outcome only.

use serde_json::{Map, Value, json};

use super::{Ask, Mismatch, compare, text};

/// How far the time that readers wait may be off [ms].
const WAIT_TOLERANCE_MS: i64 = 1_000;

/// `scenarios.jsonl`.
pub fn scenarios(ask: Ask<'_>, row: &Value) -> Vec<Mismatch> {
    let params = json!({ "settings": camel(&row["params"]), "faults": faults(&row["faults"]) });
    let answer = ask("playTransactions", &params);
    let (expected, got) = (&row["expected"], &answer["value"]);
    let mut found = Vec::new();
    if answer["ok"] != json!(true) {
        compare(&mut found, "answer".to_owned(), "a report", &answer["error"].to_string());
        return found;
    }
    compare(&mut found, "outcome".to_owned(), text(expected, "outcome"), text(got, "outcome"));
    if text(expected, "checked_by") == "hand" {
        return found;
    }
    for (field, name) in [
        ("committed_records", "committedRecords"),
        ("duplicates", "duplicates"),
        ("lost", "lost"),
        ("undelivered", "undelivered"),
    ] {
        if !expected[field].is_null() {
            let (want, got) = (expected[field].to_string(), got[name].to_string());
            compare(&mut found, field.to_owned(), &want, &got);
        }
    }
    let visible = &expected["consumer_visible"];
    for (field, name) in
        [("read_committed", "readCommitted"), ("read_uncommitted", "readUncommitted")]
    {
        if !visible[field].is_null() {
            let got = &got["consumerVisible"][name];
            compare(&mut found, field.to_owned(), &visible[field].to_string(), &got.to_string());
        }
    }
    if let Some(want) = expected["lso_blocked_ms"].as_i64() {
        let waited = got["lsoBlockedMs"].as_i64().unwrap_or(i64::MIN);
        if waited.abs_diff(want) > WAIT_TOLERANCE_MS as u64 {
            compare(
                &mut found,
                "lso_blocked_ms".to_owned(),
                &want.to_string(),
                &waited.to_string(),
            );
        }
    }
    found
}

/// The same with names as the engine has them; values stay.
fn camel(value: &Value) -> Value {
    let fields = value.as_object().into_iter().flatten();
    let named = fields.map(|(name, value)| {
        let mut words = name.split('_');
        let mut camel = words.next().unwrap_or_default().to_owned();
        for word in words {
            let (head, tail) = word.split_at(1);
            camel.push_str(&head.to_uppercase());
            camel.push_str(tail);
        }
        (camel, value.clone())
    });
    Value::Object(named.collect::<Map<_, _>>())
}

fn faults(recorded: &Value) -> Vec<Value> {
    recorded.as_array().into_iter().flatten().map(camel).collect()
}
