//! `duration_parse.jsonl`: texts that `TimeUtils.parseDuration` accepts or refuses.

use serde_json::{Value, json};
use weir::units::FlinkVersion;

use super::{Ask, Mismatch, compare_answer, recorded};

/// Parses the row's text as each version does; compares the duration, its printed form or the
/// refusal.
pub fn duration_parse(ask: Ask<'_>, row: &Value) -> Vec<Mismatch> {
    let mut found = Vec::new();
    for version in FlinkVersion::ALL {
        let params = json!({ "version": version.line(), "text": row["text"] });
        let answer = ask("parseDuration", &params);
        let want = recorded(row, version);
        compare_answer(&mut found, version.checked_on(), want, &answer, |_, value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        });
    }
    found
}
