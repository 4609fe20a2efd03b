//! Watermarks out of what people copy: a table of the web UI, metrics, the REST answer, plain lists.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `JobVertexWatermarksHandler` (`0.currentInputWatermark`) and
//! the watermarks tab of the web UI, which writes `No Watermark` for `Long.MIN_VALUE`.

use serde::Deserialize;

use crate::event_time::time::EventTime;

/// The most inputs that are kept.
const INPUTS_MAX: usize = 10_000;
/// Longer lines are cut [bytes]: none with a watermark is.
const LINE_MAX: usize = 2000;

/// An input as the text shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// Its name, or `input 0` and so on.
    pub name: String,
    /// Its watermark.
    pub watermark: EventTime,
    /// Whether it is said to be idle.
    pub is_idle: bool,
}

/// What a text holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reading {
    /// Inputs in order.
    pub shown: Vec<Shown>,
    /// Lines with text but no watermark.
    pub ignored: u32,
}

/// One metric of the REST answer.
#[derive(Deserialize)]
struct Metric {
    id: String,
    value: String,
}

/// Reads a text.
pub fn read(text: &str) -> Reading {
    if let Ok(metrics) = serde_json::from_str::<Vec<Metric>>(text.trim()) {
        return of_metrics(metrics);
    }
    let mut reading = Reading::default();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let place = reading.shown.len();
        match of_line(cut(line), place) {
            Some(shown) if place < INPUTS_MAX => reading.shown.push(shown),
            _ => reading.ignored += 1,
        }
    }
    reading
}

fn of_metrics(metrics: Vec<Metric>) -> Reading {
    let mut reading = Reading::default();
    for Metric { id, value } in metrics {
        let watermark = value.trim().parse().ok().map(EventTime::ms);
        let subtask = id.split('.').next().filter(|part| part.parse::<u32>().is_ok());
        match watermark {
            Some(watermark) if reading.shown.len() < INPUTS_MAX => {
                let name = subtask.map_or(id.clone(), |subtask| format!("subtask {subtask}"));
                reading.shown.push(Shown { name, watermark, is_idle: false });
            }
            _ => reading.ignored += 1,
        }
    }
    reading
}

fn cut(line: &str) -> &str {
    let end = line.char_indices().map(|(at, _)| at).find(|at| *at > LINE_MAX);
    &line[..end.unwrap_or(line.len())]
}

/// `subtask 3: 1700000000000 idle`, `0  No Watermark`, `p1 = -9223372036854775808`, a bare number.
fn of_line(line: &str, place: usize) -> Option<Shown> {
    let lower = line.to_lowercase();
    let is_idle = lower.split(|c: char| !c.is_alphanumeric()).any(|word| word == "idle");
    if let Some(at) = lower.find("no watermark") {
        // Lower case may be longer than the text it was made of.
        let name = name_of(line.get(..at).unwrap_or_default(), place);
        return Some(Shown { name, watermark: EventTime::MIN, is_idle });
    }
    let (at, watermark) = last_number(line)?;
    let name = name_of(&line[..at], place);
    Some(Shown { name, watermark: EventTime::ms(watermark), is_idle })
}

/// The last whole number of a line that is long enough for a watermark, or the only one.
fn last_number(line: &str) -> Option<(usize, i64)> {
    let is_part = |c: char| c.is_ascii_digit() || c == '-';
    let starts = line
        .char_indices()
        .filter(|(at, c)| is_part(*c) && !line[..*at].chars().next_back().is_some_and(is_part));
    let numbers: Vec<(usize, i64)> = starts
        .filter_map(|(at, _)| {
            let rest = &line[at..];
            let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            rest[..end].parse().ok().map(|number| (at, number))
        })
        .collect();
    let is_time = |number: i64| number.unsigned_abs() >= 1_000_000_000;
    numbers.iter().rev().find(|(_, number)| is_time(*number)).or_else(|| numbers.last()).copied()
}

/// What stands before the watermark.
fn name_of(before: &str, place: usize) -> String {
    let trimmed = before
        .trim_end_matches(|c: char| !c.is_alphanumeric())
        .trim_start_matches(|c: char| !c.is_alphanumeric());
    let name: String = trimmed.chars().take(60).collect();
    match name.as_str() {
        "" => format!("input {place}"),
        digits if digits.chars().all(|c| c.is_ascii_digit()) => format!("subtask {digits}"),
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<(String, i64, bool)> {
        let shown = read(text).shown;
        shown.into_iter().map(|it| (it.name, it.watermark.get(), it.is_idle)).collect()
    }

    #[test]
    fn the_table_of_the_web_ui_is_read() {
        let text = "SubTask\tWatermark\n0\t1700000000000 (2023-11-14 22:13:20)\n1\tNo Watermark\n";
        let at = 1_700_000_000_000;
        assert_eq!(
            lines(text),
            [("subtask 0".to_owned(), at, false), ("subtask 1".to_owned(), i64::MIN, false)]
        );
        assert_eq!(read(text).ignored, 1);
    }

    #[test]
    fn metrics_of_the_rest_api_are_read() {
        let text = r#"[{"id":"0.currentInputWatermark","value":"-9223372036854775808"},{"id":"1.currentInputWatermark","value":"58999"}]"#;
        assert_eq!(
            lines(text),
            [("subtask 0".to_owned(), i64::MIN, false), ("subtask 1".to_owned(), 58_999, false)]
        );
    }

    #[test]
    fn plain_lists_are_read() {
        assert_eq!(
            lines("57999\npartition 1: 58999, idle"),
            [("input 0".to_owned(), 57_999, false), ("partition 1".to_owned(), 58_999, true)]
        );
    }

    #[test]
    fn any_text_is_an_ordinary_answer() {
        for text in ["", "İno watermark", "-", "--5", "99999999999999999999", "{\"a\":1}"] {
            read(text);
        }
    }
}
