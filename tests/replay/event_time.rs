//! The files of `event-time/`: windows, and windows behind several channels.

use serde_json::{Value, json};
use weir::units::FlinkVersion;

use super::watermarks;
use super::{Ask, Mismatch, Replay, compare, text};

/// What replays a file of `event-time/`.
pub fn of_file(stem: &str) -> Option<Replay> {
    Some(match stem {
        "windows" => Box::new(windows),
        "downstream" => Box::new(downstream),
        "valve" => Box::new(watermarks::valve),
        "multiplexer" => Box::new(watermarks::multiplexer),
        "generators" => Box::new(watermarks::generators),
        "assigners" => Box::new(watermarks::assigners),
        _ => return None,
    })
}

/// What Flink did in one version: the entry of `expectedByVersion`, or the common one.
pub fn expected(row: &Value, version: FlinkVersion) -> &Value {
    row.get("expectedByVersion").and_then(|v| v.get(version.line())).unwrap_or(&row["expected"])
}

/// A recorded time as it crosses the boundary.
pub fn time(recorded: &Value) -> Value {
    match recorded.as_str() {
        Some("MIN") => Value::Null,
        Some("MAX") => json!("endOfInput"),
        _ => recorded.clone(),
    }
}

/// A window's end of the global window, which is recorded as null.
pub fn end_time(recorded: &Value) -> Value {
    if recorded.is_null() { json!("endOfInput") } else { time(recorded) }
}

/// Flink's message without the class in front of it.
pub fn message(recorded: &Value) -> &str {
    let text = recorded.as_str().unwrap_or_default();
    text.split_once(": ").map_or(text, |(_, message)| message)
}

pub fn assigner(recorded: &Value) -> Value {
    let mut assigner = recorded.clone();
    let kind = match text(recorded, "type") {
        "dynSession" => "dynamicSession",
        other => other,
    };
    let fields = assigner.as_object_mut().expect("an assigner is an object");
    fields.remove("type");
    fields.insert("kind".to_owned(), json!(kind));
    assigner
}

fn trigger(recorded: &Value) -> Value {
    let kind = text(recorded, "type");
    match kind {
        "purging" => json!({ "kind": kind, "of": trigger(&recorded["of"]) }),
        "continuous" => json!({ "kind": kind, "interval": recorded["interval"] }),
        "count" | "earlyCount" => json!({ "kind": kind, "count": recorded["n"] }),
        _ => json!({ "kind": kind }),
    }
}

pub fn rule(bounded: bool, bound: &Value) -> Value {
    if bounded {
        json!({ "kind": "boundedOutOfOrderness", "outOfOrderness": bound })
    } else {
        json!({ "kind": "ascending" })
    }
}

fn job(row: &Value, version: FlinkVersion, sources: u64) -> Value {
    let params = &row["params"];
    let is_explicit = params["watermarks"] != "perEvent";
    let rule = if is_explicit {
        json!({ "kind": "explicit" })
    } else {
        rule(true, &params["outOfOrderness"])
    };
    let input: Vec<Value> = row["input"].as_array().into_iter().flatten().map(item).collect();
    let trigger = params.get("trigger").map_or_else(|| json!({ "kind": "eventTime" }), trigger);
    json!({
        "version": version.line(),
        "watermarks": {
            "rule": rule,
            "emission": { "kind": "perEvent", "every": params["emitEvery"].as_i64().unwrap_or(1) },
            "idleTimeout": null,
        },
        "source": { "partitions": sources, "parallelism": sources, "perPartition": false },
        "windows": {
            "assigner": assigner(&params["assigner"]),
            "trigger": trigger,
            "allowedLateness": time(&params["allowedLateness"]),
            "sideOutput": params["sideOutput"].as_bool().unwrap_or(true),
        },
        "parallelism": 1,
        "input": input,
        "endOfInput": sources == 1,
        "withOpen": true,
    })
}

fn item(recorded: &Value) -> Value {
    let subtask = recorded["ch"].as_u64().unwrap_or(0);
    if let Some(watermark) = recorded.get("wm") {
        return json!({ "kind": "watermark", "watermark": time(watermark), "subtask": subtask });
    }
    if let Some(status) = recorded.get("status") {
        return json!({ "kind": "status", "status": status, "subtask": subtask });
    }
    json!({
        "kind": "event",
        "key": recorded["key"],
        "time": time(&recorded["ts"]),
        "value": recorded["v"],
        "partition": subtask,
    })
}

/// `windows.jsonl`: each record and each watermark, in every version.
fn windows(ask: Ask<'_>, row: &Value) -> Vec<Mismatch> {
    let mut found = Vec::new();
    for version in FlinkVersion::ALL {
        let answer = ask("runEventTime", &job(row, version, 1));
        let rows = answer["value"]["rows"].as_array().cloned().unwrap_or_default();
        let expected = expected(row, version);
        let what = |name: &str| format!("{} {name}", version.checked_on());
        let mut checked = Checked { found: &mut found, version, is_complete: true };
        for (at, event) in expected["events"].as_array().into_iter().flatten().enumerate() {
            let got = rows.get(at).unwrap_or(&Value::Null);
            checked.event(at, event, got);
            checked.watermark_output(at, event.get("wmOut"), got);
        }
        match expected.get("end") {
            Some(end) => {
                let got = rows.last().filter(|row| row["item"].is_null()).unwrap_or(&Value::Null);
                checked.equal("end wm", &time(&end["wm"]), &got["watermarkAfter"]);
                checked.equal("end out", &ordered(&end["out"]), &ordered_firings(got));
                checked.state("end", end, got);
            }
            None => compare(
                checked.found,
                what("job"),
                message(&expected["error"]),
                rows.last().map_or("", |row| text(row, "error")),
            ),
        }
    }
    found
}

/// Compares a row with one of ours.
pub struct Checked<'a> {
    /// What differs.
    pub found: &'a mut Vec<Mismatch>,
    /// The version asked.
    pub version: FlinkVersion,
    /// Whether merges and destinations were recorded, too.
    pub is_complete: bool,
}

impl Checked<'_> {
    /// Two values, by their JSON.
    pub fn equal(&mut self, what: &str, expected: &Value, got: &Value) {
        let what = format!("{} {what}", self.version.checked_on());
        compare(self.found, what, &expected.to_string(), &got.to_string());
    }

    fn event(&mut self, at: usize, event: &Value, got: &Value) {
        let name = |field: &str| format!("event {at} {field}");
        self.equal(&name("i"), &json!(at), &got["item"]);
        self.equal(&name("wmBefore"), &time(&event["wmBefore"]), &got["watermarkBefore"]);
        if let Some(error) = event.get("error") {
            compare(self.found, name("error"), message(error), text(got, "error"));
            return;
        }
        if let Some(after) = event.get("wmAfter") {
            self.equal(&name("wmAfter"), &time(after), &got["watermarkAfter"]);
        }
        let record = &got["record"];
        if event.get("outcome").is_some() {
            self.record(at, event, record);
        }
        if event.get("stateEntries").is_some() {
            self.state(&format!("event {at}"), event, got);
        }
    }

    fn record(&mut self, at: usize, event: &Value, record: &Value) {
        let name = |field: &str| format!("event {at} {field}");
        self.equal(&name("behindWm"), &event["behindWm"], &record["behindWatermark"]);
        self.equal(&name("windows"), &assigned(&event["windows"]), &record["windows"]);
        let merged: Vec<Value> = event["mergedFrom"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|window| json!({ "start": time(&window[0]), "end": time(&window[1]) }))
            .collect();
        let outcome = match text(event, "outcome") {
            "on_time" => "onTime",
            other => other,
        };
        self.equal(&name("outcome"), &json!(outcome), &record["outcome"]);
        let partial = event.get("partial").cloned().unwrap_or(json!(false));
        self.equal(&name("partial"), &partial, &record["partial"]);
        let destination = if event["sideOutput"] == true {
            json!("sideOutput")
        } else if event["droppedCounter"] == 1 {
            json!("counter")
        } else {
            Value::Null
        };
        if self.is_complete {
            self.equal(&name("mergedFrom"), &json!(merged), &record["mergedFrom"]);
            self.equal(&name("destination"), &destination, &record["destination"]);
        }
        let out: Vec<&Value> = event["out"].as_array().into_iter().flatten().collect();
        let fires: Vec<Value> = out.iter().filter(|o| o["t"] == "fire").map(|o| fire(o)).collect();
        self.equal(&name("out"), &json!(fires), &json!(firings(&record["firings"])));
        let late = out.iter().filter(|o| o["t"] == "late").count();
        let ours = usize::from(record["destination"] == "sideOutput");
        self.equal(&name("late"), &json!(late), &json!(ours));
        if let Some(open) = event.get("openAfterElement") {
            self.equal(&name("openAfterElement"), open, &record["openAfter"]);
        }
    }

    fn watermark_output(&mut self, at: usize, recorded: Option<&Value>, got: &Value) {
        let reached = got["received"].as_array().is_some_and(|received| !received.is_empty());
        self.equal(&format!("event {at} wm came"), &json!(recorded.is_some()), &json!(reached));
        if let Some(out) = recorded {
            self.equal(&format!("event {at} wmOut"), &ordered(out), &ordered_firings(got));
        }
    }

    fn state(&mut self, what: &str, event: &Value, got: &Value) {
        let none = json!([]);
        self.equal(
            &format!("{what} open"),
            &open(event.get("open").unwrap_or(&none)),
            &got["open"],
        );
        self.equal(&format!("{what} timers"), &event["timers"], &got["timers"]);
        self.equal(&format!("{what} stateEntries"), &event["stateEntries"], &got["stateEntries"]);
    }
}

fn assigned(windows: &Value) -> Value {
    let each = windows.as_array().into_iter().flatten().map(|window| {
        let status = match window[2].as_str() {
            Some("ok") => "open",
            Some("late") => "keptForLateness",
            _ => "expired",
        };
        json!({ "end": end_time(&window[1]), "start": time(&window[0]), "status": status })
    });
    Value::Array(each.collect())
}

fn open(windows: &Value) -> Value {
    let each = windows.as_array().into_iter().flatten().map(|window| {
        json!({
            "key": window[0],
            "start": time(&window[1]),
            "end": end_time(&window[2]),
            "elements": window[3],
        })
    });
    Value::Array(each.collect())
}

/// A recorded firing in the form of ours.
fn fire(out: &Value) -> Value {
    json!({
        "key": out["key"],
        "start": time(&out["start"]),
        "end": end_time(&out["end"]),
        "count": out["count"],
        "sum": out["sum"],
        "records": out["seqs"],
        "watermark": time(&out["wm"]),
        "cause": out["cause"],
        "timer": out.get("timer").map_or(Value::Null, time),
        "nth": out["nth"],
        "refire": out["refire"],
    })
}

fn firings(ours: &Value) -> Vec<Value> {
    let each = ours.as_array().into_iter().flatten().map(|firing| {
        let mut firing = firing.clone();
        let cause = firing["cause"].clone();
        firing["timer"] = cause.get("timer").cloned().unwrap_or(Value::Null);
        firing["cause"] = cause["kind"].clone();
        firing.as_object_mut().expect("a firing is an object").remove("subtask");
        firing
    });
    each.collect()
}

/// Firings of one timer have no order: they are sorted by key and window.
fn sorted(mut firings: Vec<Value>) -> Value {
    let same = |a: &Value, b: &Value| !a["timer"].is_null() && a["timer"] == b["timer"];
    let name = |firing: &Value| {
        (
            text(firing, "key").to_owned(),
            firing["start"].as_i64(),
            firing["end"].as_i64(),
            firing["nth"].as_i64(),
        )
    };
    let mut from = 0;
    while from < firings.len() {
        let mut to = from + 1;
        while to < firings.len() && same(&firings[from], &firings[to]) {
            to += 1;
        }
        firings[from..to].sort_by_key(name);
        from = to;
    }
    Value::Array(firings)
}

fn ordered(out: &Value) -> Value {
    let fires = out.as_array().into_iter().flatten().filter(|o| o["t"] == "fire");
    sorted(fires.map(fire).collect())
}

fn ordered_firings(row: &Value) -> Value {
    sorted(firings(&row["firings"]))
}

/// `downstream.jsonl`: several upstream tasks into a union and a window, or a two-input operator.
fn downstream(ask: Ask<'_>, row: &Value) -> Vec<Mismatch> {
    let mut found = Vec::new();
    for version in FlinkVersion::ALL {
        match text(&row["params"], "topology") {
            "union-window" => union_window(ask, row, version, &mut found),
            _ => watermarks::two_inputs(ask, row, version, &mut found),
        }
    }
    found
}

fn union_window(ask: Ask<'_>, row: &Value, version: FlinkVersion, found: &mut Vec<Mismatch>) {
    let channels = row["params"]["channels"].as_u64().unwrap_or(1);
    let answer = ask("runEventTime", &job(row, version, channels));
    let rows = answer["value"]["rows"].as_array().cloned().unwrap_or_default();
    let mut checked = Checked { found, version, is_complete: false };
    for (at, step) in expected(row, version)["steps"].as_array().into_iter().flatten().enumerate() {
        let got = rows.get(at).unwrap_or(&Value::Null);
        let name = |field: &str| format!("step {at} {field}");
        if step.get("outcome").is_some() {
            checked.equal(&name("wmBefore"), &time(&step["wmBefore"]), &got["watermarkBefore"]);
            checked.record(at, step, &got["record"]);
        } else {
            checked.equal(&name("out"), &ordered(&step["out"]), &ordered_firings(got));
            checked.equal(&name("signals"), &signals(&step["out"]), &got["forwarded"]);
        }
        checked.equal(&name("wm"), &time(&step["wm"]), &got["watermarkAfter"]);
        if let Some(recorded) = step.get("open") {
            checked.equal(&name("open"), &open(recorded), &got["open"]);
        }
    }
}

/// Watermarks and statuses among recorded outputs, in the form of ours.
pub fn signals(out: &Value) -> Value {
    let each = out.as_array().into_iter().flatten().filter_map(signal);
    Value::Array(each.collect())
}

pub fn signal(out: &Value) -> Option<Value> {
    if let Some(text) = out.as_str() {
        return Some(json!({ "kind": "status", "status": text }));
    }
    let kind = text(out, "t");
    if kind == "fire" || kind == "late" || kind == "element" || kind == "timer" {
        return None;
    }
    Some(match out.get("status") {
        Some(status) => json!({ "kind": "status", "status": status }),
        None => json!({ "kind": "watermark", "watermark": time(&out["wm"]) }),
    })
}
