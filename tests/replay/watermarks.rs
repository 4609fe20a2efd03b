//! The parts of the watermark machinery, the assigners and the key groups.

use serde_json::{Value, json};
use weir::units::FlinkVersion;

use super::event_time::{
    Checked, assigner, end_time, expected, message, rule, signal, signals, time,
};
use super::{Ask, Mismatch, compare, text};

pub fn two_inputs(ask: Ask<'_>, row: &Value, version: FlinkVersion, found: &mut Vec<Mismatch>) {
    let params = json!({
        "kind": "inputs",
        "version": version.line(),
        "inputs": row["params"]["channels"],
        "timerDelay": row["params"]["timerDelay"],
        "steps": row["input"].as_array().into_iter().flatten().map(channel_step).collect::<Vec<_>>(),
    });
    let answer = ask("traceWatermarks", &params);
    let mut checked = Checked { found, version, is_complete: false };
    for (at, step) in expected(row, version)["steps"].as_array().into_iter().flatten().enumerate() {
        let got = &answer["value"]["steps"][at];
        let out: Vec<Value> = step["out"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|out| match text(out, "t") {
                "element" => json!({
                    "kind": "element", "input": out["input"], "key": out["key"],
                    "time": time(&out["ts"]), "watermark": time(&out["wm"]),
                }),
                "timer" => json!({
                    "kind": "timer", "key": out["key"],
                    "time": time(&out["ts"]), "watermark": time(&out["wm"]),
                }),
                _ => json!({ "kind": "signal", "signal": signal(out) }),
            })
            .collect();
        checked.equal(&format!("step {at} out"), &json!(out), &got["operator"]);
        checked.equal(&format!("step {at} wm"), &time(&step["wm"]), &got["watermark"]);
    }
}

fn channel_step(recorded: &Value) -> Value {
    let channel = &recorded["ch"];
    if let Some(watermark) = recorded.get("wm") {
        return json!({ "kind": "watermark", "channel": channel, "watermark": time(watermark) });
    }
    if let Some(status) = recorded.get("status") {
        return json!({ "kind": "status", "channel": channel, "status": status });
    }
    let (key, ts) = (&recorded["key"], time(&recorded["ts"]));
    json!({ "kind": "event", "channel": channel, "key": key, "time": ts })
}

/// `valve.jsonl`.
pub fn valve(ask: Ask<'_>, row: &Value) -> Vec<Mismatch> {
    let params = json!({
        "kind": "channels",
        "channels": row["params"]["channels"],
        "steps": row["input"].as_array().into_iter().flatten().map(channel_step).collect::<Vec<_>>(),
    });
    let answer = ask("traceWatermarks", &params);
    let mut found = Vec::new();
    for (at, step) in row["expected"]["steps"].as_array().into_iter().flatten().enumerate() {
        let got = &answer["value"]["steps"][at]["down"];
        compare(&mut found, format!("step {at}"), &signals(step).to_string(), &got.to_string());
    }
    found
}

/// `multiplexer.jsonl`, in every version.
pub fn multiplexer(ask: Ask<'_>, row: &Value) -> Vec<Mismatch> {
    let mut found = Vec::new();
    let steps: Vec<Value> = row["input"].as_array().into_iter().flatten().map(split_step).collect();
    for version in FlinkVersion::ALL {
        let params = json!({ "kind": "splits", "version": version.line(), "steps": steps });
        let answer = ask("traceWatermarks", &params);
        let mut checked = Checked { found: &mut found, version, is_complete: true };
        let recorded = expected(row, version)["steps"].as_array();
        for (at, step) in recorded.into_iter().flatten().enumerate() {
            let got = &answer["value"]["steps"][at];
            checked.equal(&format!("step {at} raw"), &signals(&step["raw"]), &got["raw"]);
            checked.equal(&format!("step {at} down"), &signals(&step["down"]), &got["down"]);
            let splits: Vec<Value> = step["splits"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|split| json!({ "id": split["id"], "watermark": time(&split["wm"]) }))
                .collect();
            checked.equal(&format!("step {at} splits"), &json!(splits), &got["splits"]);
        }
    }
    found
}

fn split_step(recorded: &Value) -> Value {
    let id = &recorded["id"];
    let op = text(recorded, "op");
    let deferred = op.starts_with("def");
    match op {
        "imm" | "def" => json!({
            "kind": "watermark", "id": id, "watermark": time(&recorded["wm"]), "deferred": deferred,
        }),
        "register" | "unregister" => json!({ "kind": op, "id": id }),
        "periodic" => json!({ "kind": op }),
        _ => {
            let status = if op.ends_with("_idle") { "idle" } else { "active" };
            json!({ "kind": "status", "id": id, "status": status, "deferred": deferred })
        }
    }
}

/// `generators.jsonl`.
pub fn generators(ask: Ask<'_>, row: &Value) -> Vec<Mismatch> {
    let params = &row["params"];
    let steps: Vec<Value> = row["input"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|step| match text(step, "op") {
            "event" => json!({ "kind": "event", "time": time(&step["ts"]) }),
            "advance" => json!({ "kind": "advance", "ms": step["ms"] }),
            op => json!({ "kind": op }),
        })
        .collect();
    let asked = json!({
        "kind": "generator",
        "rule": rule(params["gen"] == "bounded", &params["outOfOrderness"]),
        "idleTimeout": params["idleTimeout"],
        "clock": params["clockStartMs"],
        "steps": steps,
    });
    let answer = ask("traceWatermarks", &asked);
    let mut found = Vec::new();
    for (at, step) in row["expected"]["steps"].as_array().into_iter().flatten().enumerate() {
        let got = &answer["value"]["steps"][at];
        for name in ["raw", "down"] {
            let (want, got) = (signals(&step[name]).to_string(), got[name].to_string());
            compare(&mut found, format!("step {at} {name}"), &want, &got);
        }
    }
    found
}

/// `assigners.jsonl`.
pub fn assigners(ask: Ask<'_>, row: &Value) -> Vec<Mismatch> {
    let times: Vec<Value> = row["input"].as_array().into_iter().flatten().map(time).collect();
    let params =
        json!({ "assigner": assigner(&row["params"]["assigner"]), "times": times, "value": 1 });
    let answer = ask("assignWindows", &params);
    let mut found = Vec::new();
    if let Some(error) = row["expected"].get("error") {
        let got = text(&answer["error"], "message");
        compare(&mut found, "error".to_owned(), message(error), got);
        return found;
    }
    for (at, windows) in row["expected"]["windows"].as_array().into_iter().flatten().enumerate() {
        let got = &answer["value"][at];
        if windows.get("error").is_some() {
            // The message is not recorded, only that Flink throws.
            compare(
                &mut found,
                format!("time {at} fails"),
                "true",
                &got["error"].is_string().to_string(),
            );
            continue;
        }
        let want: Vec<Value> = windows
            .as_array()
            .into_iter()
            .flatten()
            .map(|window| json!({ "start": time(&window[0]), "end": end_time(&window[1]) }))
            .collect();
        compare(
            &mut found,
            format!("time {at}"),
            &json!(want).to_string(),
            &got["windows"].to_string(),
        );
    }
    found
}

/// `memory/key_groups.jsonl`.
pub fn key_groups(ask: Ask<'_>, row: &Value) -> Vec<Mismatch> {
    let key_type = match text(row, "type") {
        "int" => "integer",
        "bool" => "boolean",
        other @ ("long" | "double") => other,
        _ => "string",
    };
    let key = match &row["key"] {
        Value::String(key) => key.clone(),
        other => other.to_string(),
    };
    let is_key = text(row, "op") == "kg";
    let keys = if is_key { vec![key] } else { Vec::new() };
    let params = json!({
        "parallelism": row["parallelism"],
        "maxParallelism": row["maxParallelism"],
        "keyType": key_type,
        "keys": keys,
    });
    let answer = ask("assignKeyGroups", &params);
    let mut found = Vec::new();
    if let Some(error) = row.get("error") {
        let got = &answer["error"];
        compare(&mut found, "kind".to_owned(), text(error, "kind"), text(got, "code"));
        compare(&mut found, "message".to_owned(), text(error, "message"), text(got, "message"));
        return found;
    }
    let value = &answer["value"];
    let got = match text(row, "op") {
        "kg" => &value["places"][0],
        "kgrange" => &value["subtasks"][row["index"].as_u64().unwrap_or(0) as usize]["range"],
        _ => &value["maxParallelism"],
    };
    match row["ok"].as_object() {
        Some(fields) => {
            for (name, want) in fields {
                compare(&mut found, name.clone(), &want.to_string(), &got[name].to_string());
            }
        }
        None => compare(&mut found, "value".to_owned(), &row["ok"].to_string(), &got.to_string()),
    }
    found
}
