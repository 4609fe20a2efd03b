//! `duration_parse.jsonl`: texts that `TimeUtils.parseDuration` accepts or refuses.

use serde_json::Value;
use weir::config::duration;
use weir::units::FlinkVersion;

use super::{Mismatch, compare, recorded, text};

/// Parses the row's text as each version does; compares the duration, its printed form or the
/// refusal.
pub fn duration_parse(row: &Value) -> Vec<Mismatch> {
    let mut found = Vec::new();
    for version in FlinkVersion::ALL {
        let want = recorded(row, version);
        let at = |what: &str| format!("{} {what}", version.checked_on());
        match (want.get("ok"), want.get("error"), duration::parse(text(row, "text"), version)) {
            (Some(ok), _, Ok(got)) => {
                let parts = format!("{} s {} ns", ok["seconds"], ok["nanos"]);
                compare(
                    &mut found,
                    at("duration"),
                    &parts,
                    &format!("{} s {} ns", got.seconds, got.nanos),
                );
                let printed = if ok.get("formatted").is_some() {
                    text(ok, "formatted")
                } else {
                    text(ok, "formatError")
                };
                let got = match duration::format_with_highest_unit(got, version) {
                    Ok(text) => text,
                    Err(error) => error.with_class(),
                };
                compare(&mut found, at("formatted"), printed, &got);
            }
            (_, Some(error), Err(got)) => {
                compare(&mut found, at("kind"), text(error, "kind"), got.kind());
                compare(&mut found, at("message"), text(error, "message"), &got.to_string());
            }
            (Some(ok), _, Err(got)) => {
                compare(&mut found, at("answer"), &ok.to_string(), &got.to_string());
            }
            (_, Some(error), Ok(got)) => {
                compare(&mut found, at("answer"), text(error, "message"), &format!("{got:?}"));
            }
            (None, None, _) => compare(&mut found, at("row"), "ok or error", "neither"),
        }
    }
    found
}
